# SPDX-License-Identifier: MIT
"""NumPy's functions on arrays of a device: np.add(a, b) and np.sum(a) are carried out there."""

import numpy as np

from . import _elementwise, _lib, _reduce, _shape
from ._array import ndarray


def _named(modules, words):
    """NumPy's functions of these names, as far as this NumPy has them, and what carries them out."""
    return {getattr(np, name): next(getattr(m, name) for m in modules if hasattr(m, name))
            for name in words.split() if hasattr(np, name)}


def _type_of(value):
    return value.dtype if isinstance(value, ndarray) else value


_UFUNCS = _named((_elementwise, _reduce), """
    add subtract multiply divide true_divide floor_divide remainder mod fmod negative positive
    absolute fabs sign square reciprocal sqrt exp exp2 log log2 log10 sin
    cos tan tanh sinh cosh expm1 log1p arctan floor ceil trunc rint isnan isinf isfinite signbit
    copysign minimum maximum fmin fmax equal not_equal less less_equal greater greater_equal
    bitwise_and bitwise_or bitwise_xor invert left_shift right_shift logical_and logical_or
    logical_xor logical_not power bitwise_count matmul vecdot""")
_REDUCED = {np.add: _reduce.sum, np.multiply: _reduce.prod, np.minimum: _reduce.min,
            np.maximum: _reduce.max, np.logical_or: _reduce.any, np.logical_and: _reduce.all}
_RUNNING = {np.add: _reduce.cumsum, np.multiply: _reduce.cumprod}
_FUNCTIONS = _named((_elementwise, _shape, _reduce), """
    where clip round around
    reshape ravel transpose permute_dims swapaxes moveaxis matrix_transpose squeeze expand_dims
    broadcast_to broadcast_arrays meshgrid flip roll concatenate concat stack unstack vstack hstack dstack column_stack diff pad
    repeat tile take copy astype full_like zeros_like ones_like empty_like linspace tril triu
    nonzero
    sum prod min max amin amax any all count_nonzero mean var std argmin argmax ptp cumsum cumprod
    cumulative_sum sort median dot vdot inner outer array_equal isclose allclose""")
_FUNCTIONS.update({
    np.shape: lambda a: a.shape, np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
    np.result_type: lambda *operands: np.result_type(*[_type_of(o) for o in operands]),
    np.can_cast: lambda from_, to, casting="safe": np.can_cast(_type_of(from_), to, casting)})
_FUNCTIONS.update({getattr(np.linalg, name): getattr(_reduce if hasattr(_reduce, name) else _shape,
                                                     name)
                   for name in ("matmul", "vecdot", "outer", "matrix_transpose")
                   if hasattr(np.linalg, name)})

# NumPy's names of arguments that are others here.
_RENAMED = {"m": "a", "A": "a", "array": "a", "x": "a", "indices": "index", "newshape": "shape",
            "fill_value": "value"}


def _refuse(name):
    raise _lib.Usage(f"{name} is not carried out on a device; np.asarray(a) brings an array to the "
                     "host")


def _name_of(function):
    """The name that a program calls it by."""
    name = function.__name__
    module = getattr(function, "__module__", None) or \
        ("numpy" if getattr(np, name, None) is function else "")
    module = "np" + module[5:] if module.split(".")[0] == "numpy" else module
    return f"{module}.{name}" if module else name


def _into(made, place):
    if place is None:
        return made
    place[...] = made.numpy() if isinstance(place, np.ndarray) else made
    return place


def _array_ufunc(self, ufunc, method, *inputs, **words):
    if method == "__call__" and ufunc is np.divmod:
        return tuple(_into(made, place) for made, place in
                     zip(_elementwise.divmod(*inputs), words.get("out") or (None, None)))
    if method == "__call__" and ufunc in _UFUNCS:
        out = words.pop("out", None)
        return _into(_UFUNCS[ufunc](*inputs, **words), out and out[0])
    table = {"reduce": _REDUCED, "accumulate": _RUNNING}.get(method, {})
    if ufunc not in table:
        _refuse(_name_of(ufunc) + ("" if method == "__call__" else f".{method}"))
    words.setdefault("axis", 0)
    return table[ufunc](*inputs, **words)


def _array_function(self, function, types, args, words):
    if function not in _FUNCTIONS:
        _refuse(_name_of(function))
    return _FUNCTIONS[function](*args, **{_RENAMED.get(k, k): v for k, v in words.items()})


ndarray.__array_ufunc__ = _array_ufunc
ndarray.__array_function__ = _array_function
