# SPDX-License-Identifier: MIT
"""Kernels of examples/numpy as they are, but for `import mpusim as np`: the same values as NumPy's.

    examples_on_device.py FOLDER [TARGET]"""

import ast
import pathlib
import sys
import warnings

import numpy

import mpusim

TYPES = {"bool": "bool", **{f"{k}{b}": f"{'u' if k == 'u' else ''}int{b}"
                            for k in "ui" for b in (8, 16, 32, 64)},
         "f16": "float16", "f32": "float32", "f64": "float64"}


def arrays_of(function, names, rng):
    """Inputs as a kernel's annotations say."""
    values = []
    for parameter in function.args.args:
        note = parameter.annotation
        shape = ()
        if isinstance(note, ast.Subscript):
            inner = note.slice
            extents = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            shape = tuple(eval(ast.unparse(e), dict(names)) for e in extents)
            note = note.value
        dtype = numpy.dtype(TYPES[note.id.replace("host_", "")])
        if dtype.kind == "f":
            value = rng.normal(1, 0.3, shape).astype(dtype)
        elif dtype.kind == "b":
            value = rng.integers(0, 2, shape).astype(bool)
        else:
            value = rng.integers(0, min(numpy.iinfo(dtype).max, 200), shape).astype(dtype)
        values.append((value, parameter.annotation, "host_" in ast.unparse(parameter.annotation)))
    return values


def close(left, right):
    left, right = numpy.asarray(left), numpy.asarray(right)
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    if left.dtype.kind != "f":
        return bool(numpy.array_equal(left, right))
    epsilon = float(numpy.finfo(left.dtype).eps) * 4 * (left.size + 20)
    return bool(numpy.allclose(left.astype(float), right.astype(float), rtol=epsilon,
                               atol=epsilon, equal_nan=True))


def run(path, rng):
    text = path.read_text()
    tree = ast.parse(text)
    names, on_device = {"__name__": "kernel"}, {"__name__": "kernel"}
    small = text.replace("\nN = 4096", "\nN = 300").replace("\nN = 65536", "\nN = 300")
    exec(compile(small, str(path), "exec"), names)
    exec(compile(small.replace("import numpy as np", "import mpusim as np"), str(path), "exec"),
         on_device)
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    called = {n.func.id for f in functions for n in ast.walk(f)
              if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    entry = next(f for f in functions if f.name not in called)
    inputs = arrays_of(entry, names, rng)
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        want = names[entry.name](*[v.copy() if v.shape else v[()] for v, _, _ in inputs])
        got = on_device[entry.name](*[v if host else
                                      mpusim.array(v) if v.shape else v[()]
                                      for v, _, host in inputs])
    wanted = want if isinstance(want, tuple) else (want,)
    given = got if isinstance(got, tuple) else (got,)
    if len(wanted) != len(given) or not all(close(g, w) for g, w in zip(given, wanted)):
        raise AssertionError(f"{path.name}: {given}\nnot {wanted}")


def main(folder, target="racer"):
    ran, refused = [], []
    with mpusim.device(target):
        for path in sorted(pathlib.Path(folder).rglob("*.py")):
            try:
                run(path, numpy.random.default_rng(7))
                ran.append(path.name)
            except (mpusim.Usage, AttributeError, IndexError, TypeError) as e:
                refused.append(f"{path.name}: {type(e).__name__}: {e}")
    for line in refused:
        print("not taken:", line)
    print(f"{len(ran)} kernels equal NumPy's, {len(refused)} not taken: {' '.join(ran)}")
    return ran, refused


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:])[1] else 0)
