# SPDX-License-Identifier: MIT
"""Kernels as the test reads them: source, inputs, and what NumPy makes of them.

A record of the archive is a line, some bytes, and a newline:

    kernel NUMBER BYTES                 the source
    in NAME TYPE NDIM EXTENT.. BYTES    a parameter before the call; NumPy's name of the type
    after NAME TYPE NDIM EXTENT.. BYTES the same parameter after it, where it is an array
    out - TYPE NDIM EXTENT.. BYTES      a result, in their order
    raises - 0                          NumPy refuses the kernel: there are no results
    end - 0                             of the kernel"""
import ast
import re
import signal
import warnings
import zlib

import numpy as np

from draw import TYPES, draw, pycheck

warnings.simplefilter("ignore")
ENTRY = "kernel"
LARGEST = 30000  # elements of an array


def take(x, i, *args, **words):
    """np.take.  With mode="wrap" NumPy adds the length until the index is inside, which for large
    indices does not end: they are brought inside before."""
    if words.get("mode") == "wrap" and np.asarray(i).dtype.kind in "iu":
        axis = args[0] if args else words.get("axis")
        n = x.size if axis is None else x.shape[axis]
        i = np.array([int(k) % n for k in np.asarray(i).ravel()]).reshape(np.shape(i))
    return np.take(x, i, *args, **words)


class Takes(pycheck.Calls):
    """Calls of take go to the function above, those that floats have to what mpu-pycheck has."""
    def visit_Call(self, node):
        node = super().visit_Call(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "take":
            value = node.func.value
            before = [] if isinstance(value, ast.Name) and value.id == "np" else [value]
            return ast.Call(ast.Name("_take", ast.Load()), before + node.args, node.keywords)
        return node


def load(source):
    names = {"_take": take, "_floats": pycheck.Floats()}
    tree = Takes().visit(ast.parse(source))
    exec(compile(ast.fix_missing_locations(tree), "kernel.py", "exec"), names)
    return names


def annotations(names):
    """Parameters of the entry as (name, type, shape or None)."""
    for name, text in names[ENTRY].__annotations__.items():
        if name != "return":
            kind, extents = re.match(r"(?:host_)?(\w+?)(?:\[(.*)\])?$", text).groups()
            yield name, kind, eval("(" + extents + ",)", names) if extents else None


def inputs(names, number):
    """Each parameter's values depend on its name, type, shape, and the kernel's number alone, so
    that they stay when another one goes."""
    made = {}
    for name, kind, shape in annotations(names):
        if np.prod(shape or (), dtype=np.int64) > LARGEST:
            raise ValueError("too large")
        rng = np.random.default_rng(number * 1000003 + zlib.crc32(f"{name}{kind}".encode()))
        made[name] = draw(kind, shape, rng) if shape else TYPES[kind](draw(kind, (1,), rng)[0])
    return made


def copies(values):
    return {n: x.copy() if isinstance(x, np.ndarray) else x for n, x in values.items()}


class TooLong(BaseException):
    """Loops may not end."""


def too_long(*_):
    raise TooLong


def limited(function, *args, **values):
    """Its result, or TooLong after half a second of work."""
    signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.5)
    try:
        return function(*args, **values)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def call(names, values):
    """Results, as arrays; values are changed in place."""
    result = limited(names[ENTRY], **values)
    if result is None:
        return []
    return [np.asarray(x) for x in (result if isinstance(result, (tuple, list)) else (result,))]


def record(kind, name, x):
    extents = "".join(f" {n}" for n in x.shape)
    data = np.ascontiguousarray(x).tobytes()
    return b"%s\n%s\n" % (f"{kind} {name} {x.dtype.name} {x.ndim}{extents} {len(data)}".encode(), data)


def of_types(arrays):
    names = {np.dtype(t).name for t in TYPES.values()}  # C has two types of 64 bits, NumPy likewise
    return all(x.dtype.name in names and x.ndim <= 3 for x in arrays)


def entry(number, source, keep_refused=False):
    """The records of a kernel, or None where NumPy refuses it, it has nothing to compare, or it
    has types that kernels have not."""
    text = source.encode()
    parts = [b"kernel %d %d\n%s\n" % (number, len(text), text)]
    try:
        names = load(source)
        values = inputs(names, number)
        parts += [record("in", n, np.asarray(x)) for n, x in values.items()]
        after = copies(values)
        results = call(names, after)
    except (TooLong, pycheck.Open):
        return None
    except Exception:
        if not keep_refused or len(parts) == 1:
            return None
        return b"".join(parts) + b"raises - 0\n\nend - 0\n\n"
    changed = any(np.asarray(after[n]).tobytes() != np.asarray(values[n]).tobytes() for n in values)
    if not results and not changed:
        return None
    if not of_types(results):
        # What NumPy makes is no type of ours: it must be refused likewise.
        return b"".join(parts) + b"raises - 0\n\nend - 0\n\n" if keep_refused else None
    if any(x.size > LARGEST for x in results) and not keep_refused:
        return None
    parts += [record("after", n, x) for n, x in after.items() if isinstance(x, np.ndarray)]
    parts += [record("out", "-", x) for x in results]
    return b"".join(parts) + b"end - 0\n\n"
