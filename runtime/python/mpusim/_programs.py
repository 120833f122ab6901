# SPDX-License-Identifier: MIT
"""Kernels: functions of the NumPy front end, and programs in files."""

import ast
import ctypes
import inspect
import json
import os
import textwrap
import weakref

import numpy as np

from . import _lib
from ._array import ndarray, shape_of
from ._stats import Stats

_IN, _OUT, _LINK_VALUE = 1, 2, 8
_TYPES = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
          "float16", "float32", "float64", "uint16")  # the last: patterns of bfloat16


class Results(dict):
    """Outputs by name, with ``.stats`` of the run, and as attributes."""

    stats = None

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _described(values):
    values = np.asarray(values, order="C")
    if values.dtype.name not in _TYPES:
        raise _lib.Usage(f"a program takes no elements of type {values.dtype}")
    if values.ndim > 8:
        raise _lib.Usage("arrays have at most 8 dimensions")
    a = _lib.Array(_TYPES.index(values.dtype.name), values.ndim)
    a.shape[:values.ndim] = values.shape
    a.data = values.ctypes.data
    return a, values


class Program:
    """A compiled program.  ``p(x=.., y=..)`` or ``p.run(target, ...)`` runs it."""

    def __init__(self, handle, name, parameters=None):
        self._handle, self.name, self._parameters = handle, name, parameters
        self._finish = weakref.finalize(self, _lib.program_free, handle)
        self.stats = None

    def variables(self):
        """{name: "in", "out" or "inout"} of the program's inputs and outputs."""
        return self._listed(_lib.program_variable_count, _lib.program_variable_use,
                            _lib.program_variable_name)

    def buffers(self):
        """The same of its buffers: arrays in the memory of a machine with kernels of its own.  They
        are given and returned like variables; one that a variable stands for is in both."""
        return self._listed(_lib.program_buffer_count, _lib.program_buffer_use,
                            _lib.program_buffer_name)

    def _listed(self, count, use_of, name_of):
        found = {}
        for i in range(count(self._handle)):
            use = use_of(self._handle, i)
            word = ("in" if use & (_IN | _LINK_VALUE) else "") + ("out" if use & _OUT else "")
            if word:
                found[name_of(self._handle, i).decode()] = word
        return found

    def _places(self):
        return {**self.variables(), **self.buffers()}

    def run(self, target="racer", set=None, sizes=None, check=False, **values):
        """Runs the program on a machine of its own; outputs by name, with ``.stats``."""
        settings = [f"{key}={value}" for key, value in (set or {}).items()]
        machine = _lib.target_open(str(target).encode(), _lib.strings(settings))
        try:
            session = _lib.session_new(self._handle, machine,
                                       ctypes.byref(_lib.config(check=int(bool(check)))))
            try:
                return self._run(session, sizes or {}, values)
            finally:
                _lib.session_free(session)
        finally:
            _lib.target_close(machine)

    def _run(self, session, sizes, values):
        for name, size in sizes.items():
            _lib.session_bind_size(session, name.encode(), _lib.unsigned(name, size))
        kept = []
        for name, value in values.items():
            described, held = _described(self._typed(name, value))
            kept.append(held)
            _lib.session_put(session, name.encode(), ctypes.byref(described))
        _lib.session_run(session)
        results = Results()
        for name in self.outputs():
            results[name] = _output(session, name)
        results.stats = self.stats = Stats(
            json.loads(_lib.text_of(_lib.session_stats(session, b"json"))))
        return results

    def _typed(self, name, value):
        """A value for a variable: numbers and lists of numbers take its type."""
        none = ctypes.c_size_t(-1).value
        i, type_of = (_lib.program_find_variable(self._handle, name.encode()),
                      _lib.program_variable_array_type)
        if i == none:
            i, type_of = (_lib.program_find_buffer(self._handle, name.encode()),
                          _lib.program_buffer_array_type)
        if i == none:
            known = ", ".join(n for n, use in self._places().items() if "in" in use)
            raise _lib.Usage(f"{self.name} has no input {name!r}; it has {known or 'none'}")
        if hasattr(value, "dtype"):
            return _host(value)
        dtype = np.dtype(_TYPES[type_of(self._handle, i)])
        given = np.asarray(value)
        if given.dtype.kind not in "biuf":
            raise _lib.Usage(f"{name} is no array of numbers")
        typed = given.astype(dtype)
        if dtype.kind != "f" and not np.array_equal(typed, given):
            raise _lib.Rejected(f"{name} has a number that {dtype} does not have")
        return typed

    def __call__(self, *arguments, target="racer", set=None, check=False, **values):
        if len(arguments) > len(self._parameters or ()):
            raise TypeError(f"{self.name} takes {len(self._parameters or ())} arguments by place, "
                            f"not {len(arguments)}")
        for name, value in zip(self._parameters or (), arguments):
            if name in values:
                raise TypeError(f"{self.name} got two values for {name!r}")
            values[name] = value
        results = self.run(target, set=set, check=check, **values)
        if self._parameters is None:
            return results
        made = [results[name] for name in self.outputs()]
        return made[0] if len(made) == 1 else tuple(made)

    def outputs(self):
        """Names of what a call returns, in order."""
        return [name for name, use in self._places().items() if "out" in use]

    def __repr__(self):
        return f"<mpusim program {self.name}>"


def _host(value):
    return value.numpy() if isinstance(value, ndarray) else np.asarray(value)


def _output(session, name):
    a = _lib.Array()
    _lib.session_get(session, name.encode(), ctypes.byref(a))
    shape = tuple(a.shape[:a.ndim])
    dtype = np.dtype(_TYPES[a.type])
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    values = np.frombuffer(ctypes.string_at(a.data, size), dtype=dtype).reshape(shape).copy()
    _lib.array_free(ctypes.byref(a))
    return values


# --- sources ---


def _build(add, define, entry=None, shapes=None):
    source = _lib.source_new(None)
    try:
        add(source)
        for name, value in define.items():
            _lib.source_define(source, f"{name}={value}".encode())
        if entry:
            _lib.source_set_entry(source, entry.encode())
        for name, shape in (shapes or {}).items():
            _lib.source_follow_shape(source, name.encode(), len(shape),
                                     (ctypes.c_uint64 * len(shape))(*shape))
        return _lib.source_build(source)
    finally:
        _lib.source_free(source)


def _add_text(name, text):
    data = text.encode()
    return lambda source: _lib.source_add_text(source, name.encode(), data, len(data))


def _cell_text(function):
    """Source of a function that stands in no file: its own, that of functions it calls, and the
    numbers and tables that they name."""
    parts, done, lines = [], set(), []

    def visit(f):
        if f in done:
            return
        done.add(f)
        text = textwrap.dedent(inspect.getsource(f))
        tree = ast.parse(text)
        if _unquote(tree):  # lines and comments stay where types were not texts
            text = ast.unparse(tree) + "\n"
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                value = f.__globals__.get(node.id)
                if inspect.isfunction(value):
                    visit(value)
                elif node.id not in lines and _constant(value) is not None:
                    lines.append(node.id)
                    parts.insert(0, f"{node.id} = {_constant(value)}\n")
        parts.append(text)

    visit(function)
    return "from __future__ import annotations\nimport numpy as np\n" + "".join(parts)


def _unquote(tree):
    """Types that are texts, as before `from __future__ import annotations`, become types."""
    found = False
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for holder, name in [(a, "annotation") for a in function.args.args] + \
                [(function, "returns")]:
            note = getattr(holder, name)
            if isinstance(note, ast.Constant) and isinstance(note.value, str):
                setattr(holder, name, ast.parse(note.value, mode="eval").body)
                found = True
    return found


def _constant(value):
    if isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return f"np.array({value.tolist()}, dtype=np.{value.dtype.name})"
    if isinstance(value, list) and all(isinstance(v, int) for v in value):
        return repr(value)
    return None


def compile(function, **constants):  # noqa: A001
    """A kernel of the NumPy front end (docs/numpy.md) from a Python function, or from the path of a
    file: ``k = mpusim.compile(blur, H=100); y = k(img, target="mimdram")``.

    Constants of the module are set by name.  Raises Rejected with place and text of what the front
    end does not take, and OSError where a function has no source (typed at a prompt)."""
    if isinstance(function, (str, os.PathLike)):
        path = os.fspath(function)
        if not path.endswith(".py"):
            handle = _build(lambda s: _lib.source_add_file(s, path.encode()), constants)
            return Program(handle, path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        return Program(_build(_add_text(path, text), constants), path, _parameters_of(text))
    try:
        path = inspect.getsourcefile(function)
        in_file = path is not None and os.path.exists(path) and not path.startswith("<")
        own = inspect.getsource(function)
    except (OSError, TypeError) as e:
        raise OSError(f"mpusim.compile: {getattr(function, '__name__', function)!r} has no source "
                      "that could be read; put it into a file or a cell of a notebook") from e
    del own
    name = function.__name__
    parameters = list(inspect.signature(function).parameters)
    if in_file and _is_kernel_file(path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        return Program(_build(_add_text(path, text), constants, entry=name), name, parameters)
    shown = path if in_file else f"{name}.py"
    return Program(_build(_add_text(os.path.basename(shown) if not in_file else shown,
                                    _cell_text(function)), constants, entry=name),
                   name, parameters)


def _is_kernel_file(path):
    """Whether the file is a kernel as a whole: imports, constants and functions, and a main."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    imports = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    return all(isinstance(n, ast.ImportFrom) and n.module == "__future__"
               or isinstance(n, ast.Import) and [(a.name, a.asname) for a in n.names]
               == [("numpy", "np")] for n in imports) \
        and all(isinstance(n, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Assign, ast.AnnAssign,
                               ast.Expr, ast.If)) for n in tree.body)


def _parameters_of(text):
    """Parameters of the entry: the function that no other calls."""
    functions = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)]
    called = {n.func.id for f in functions for n in ast.walk(f)
              if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    entries = [f for f in functions if f.name not in called]
    return [a.arg for a in entries[0].args.args] if len(entries) == 1 else None


def run(program, target="racer", set=None, sizes=None, define=None, check=False, **values):
    """Runs a program file (.ez, .py, .s, .mpu) on a target with these inputs:
    ``r = mpusim.run("axpy.ez", a=3, x=x, y=y)``; then ``r["z"]`` or ``r.z``, and ``r.stats``.

    Extents of arrays bind sizes and, of kernels in Python, constants.  A value may be a NumPy
    array, an array of a device, a list or a number."""
    path = os.fspath(program)
    if not os.path.exists(path):
        raise _lib.FileProblem(f"cannot read '{path}': No such file or directory")
    handle = _build(lambda s: _lib.source_add_file(s, path.encode()), define or {},
                    shapes={name: shape_of(value) for name, value in values.items()})
    return Program(handle, path).run(target, set=set, sizes=sizes, check=check, **values)
