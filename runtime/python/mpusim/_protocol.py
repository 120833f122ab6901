# SPDX-License-Identifier: MIT
"""NumPy's functions on arrays of a device: np.add(a, b) and np.sum(a) are carried out there."""

import numpy as np

from . import _elementwise, _lib, _reduce, _shape
from ._array import ndarray

_UFUNCS = {name: getattr(_elementwise, name) for name in (
    "add subtract multiply divide true_divide floor_divide remainder mod fmod negative positive "
    "absolute fabs sign square reciprocal sqrt floor ceil trunc rint isnan isinf isfinite signbit "
    "copysign minimum maximum fmin fmax equal not_equal less less_equal greater greater_equal "
    "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift logical_and logical_or "
    "logical_xor logical_not power").split()}
_FUNCTIONS_OF_SHAPE = {"shape": lambda a: a.shape, "ndim": lambda a: a.ndim,
                       "size": lambda a, axis=None: a.size if axis is None else a.shape[axis]}
_UFUNCS["matmul"] = _reduce.matmul
_REDUCED = {"add": _reduce.sum, "multiply": _reduce.prod, "minimum": _reduce.min,
            "maximum": _reduce.max, "logical_or": _reduce.any, "logical_and": _reduce.all}
_RUNNING = {"add": _reduce.cumsum, "multiply": _reduce.cumprod}
_FUNCTIONS = {name: getattr(module, name) for module, names in (
    (_elementwise, "where clip"),
    (_shape, "reshape ravel transpose swapaxes moveaxis squeeze expand_dims broadcast_to flip roll "
             "concatenate stack vstack hstack repeat tile take copy full_like zeros_like ones_like "
             "empty_like"),
    (_reduce, "sum prod min max amin amax any all count_nonzero mean var std argmin argmax ptp "
              "cumsum cumprod sort median dot vdot inner outer array_equal isclose allclose")) for name in names.split()}
_FUNCTIONS.update(_FUNCTIONS_OF_SHAPE)


def _refuse(name):
    raise _lib.Usage(f"{name} is not carried out on a device; np.asarray(a) brings an array to the "
                     "host")


def _array_ufunc(self, ufunc, method, *inputs, **words):
    name = ufunc.__name__
    name = "divide" if name == "true_divide" else name
    if method == "__call__" and name in _UFUNCS:
        out = words.pop("out", None)
        made = _UFUNCS[name](*inputs, **words)
        if out is None:
            return made
        if isinstance(out[0], np.ndarray):
            out[0][...] = made.numpy()
        else:
            out[0][...] = made
        return out[0]
    table = {"reduce": _REDUCED, "accumulate": _RUNNING}.get(method, {})
    if name not in table:
        _refuse(f"np.{name}" + ("" if method == "__call__" else f".{method}"))
    words.setdefault("axis", 0)
    return table[name](*inputs, **words)


def _array_function(self, function, types, args, words):
    name = function.__name__
    if name not in _FUNCTIONS:
        _refuse(f"np.{name}")
    return _FUNCTIONS[name](*args, **words)


ndarray.__array_ufunc__ = _array_ufunc
ndarray.__array_function__ = _array_function
