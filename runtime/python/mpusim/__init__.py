# SPDX-License-Identifier: MIT
"""mpusim: arrays on emulated memory processing units, with NumPy's operators.

    import mpusim
    import numpy as np

    with mpusim.device("racer") as dev:
        x = mpusim.array(np.arange(1000, dtype=np.int32))
        with dev.profile() as p:
            y = (x * x + 1).sum()
            print(int(y), p)

Operations wait until a value is asked for, and are then carried out by the machine's own
micro-operations.  docs/python.md is the guide."""

import numpy as _np

from ._array import asarray, ndarray
from ._device import Device, Profile, device, targets
from ._elementwise import (  # noqa: F401
    abs, absolute, add, arctan, atan, bitwise_and, bitwise_count, bitwise_left_shift, bitwise_right_shift, bitwise_invert, bitwise_not, bitwise_or,
    bitwise_xor, ceil, clip, copysign, cos, cosh, divide, divmod, equal, exp, exp2, expm1, fabs, floor, floor_divide, fmax, fmin, fmod,
    greater, greater_equal, invert, isfinite, isinf, isnan, left_shift, less, less_equal, log, log10, log1p, log2,
    logical_and, logical_not, logical_or, logical_xor, maximum, minimum, mod, multiply, negative,
    not_equal, positive, pow, power, reciprocal, remainder, right_shift, rint, round, sign, signbit, sin, sinh, sqrt,
    square, subtract, tan, tanh, true_divide, trunc, where)
from ._kernels import Buffer, Kernel, Module, buffer, module
from ._lib import Capacity, Differs, Error, FileProblem, Rejected, Stopped, Usage
from ._pipelines import Pipeline, Result, pipeline
from ._programs import Program, Results, compile, run
from ._reduce import (  # noqa: F401
    all, allclose, amax, amin, any, argmax, argmin, array_equal, count_nonzero, cumprod, cumsum,
    cumulative_sum, dot, inner, isclose, matmul, max, mean, median, min, outer, prod, ptp, sort, std, sum, var, vdot,
    vecdot)
from ._shape import (  # noqa: F401
    arange, array, astype, broadcast_arrays, broadcast_to, column_stack, concat, concatenate, copy, diff, dstack, empty, empty_like, expand_dims, eye,
    flip, full, full_like, hstack, linspace, matrix_transpose, meshgrid, moveaxis, nonzero, ones, ones_like, pad, permute_dims, ravel, repeat,
    reshape, roll, squeeze, stack, swapaxes, take, tile, transpose, tril, triu, unstack, vstack, zeros, zeros_like)
from ._stats import Stats
from . import _lib as _library
from . import _protocol  # noqa: F401

# NumPy's names of types and constants, so that `import mpusim as np` finds them.
bool_ = _np.bool_
int8, int16, int32, int64 = _np.int8, _np.int16, _np.int32, _np.int64
uint8, uint16, uint32, uint64 = _np.uint8, _np.uint16, _np.uint32, _np.uint64
float16, float32, float64 = _np.float16, _np.float32, _np.float64
nan, inf, pi, e, newaxis = _np.nan, _np.inf, _np.pi, _np.e, None
dtype, result_type, can_cast = _np.dtype, _np.result_type, _np.can_cast


def iinfo(type):  # noqa: A002
    """Limits of an integer type, or of that of an array."""
    return _np.iinfo(type.dtype if isinstance(type, (ndarray, _np.ndarray)) else type)


def finfo(type):  # noqa: A002
    """Limits of a floating-point type, or of that of an array."""
    return _np.finfo(type.dtype if isinstance(type, (ndarray, _np.ndarray)) else type)


__version__ = _library.version().decode()
