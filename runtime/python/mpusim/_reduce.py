# SPDX-License-Identifier: MIT
"""Reductions, running sums, sorted arrays and products of matrices."""

import numpy as np

from . import _array as A
from . import _elementwise as E
from . import _lib, _types
from ._array import ndarray


class Rows:
    """An array and those of its axes that are folded: `segment` elements for each result."""

    def __init__(self, a, axis, keepdims):
        self.a = A.asarray(a)
        self.axes = A.axes_of(axis, self.a.ndim)
        self.segment = A.size_of([self.a.shape[x] for x in self.axes])
        rest = tuple(e for x, e in enumerate(self.a.shape) if x not in self.axes)
        self.count = A.size_of(rest)
        self.shape = tuple(1 if x in self.axes else e for x, e in enumerate(self.a.shape)) \
            if keepdims else rest

    def fold(self, op, dtype):
        """A vector with one element for each row: all axes count as one, some of them are folded
        one by one, the last one first."""
        vector, shape = self.a._vector(), list(self.a.shape)
        axes = sorted(self.axes, reverse=True)
        if len(axes) == len(shape) or not axes:
            axes, shape = [0], [self.segment]
        for x in axes:
            extent = shape.pop(x)
            vector = vector.then(_lib.fold_axis, vector.n // extent, op, _types.vtype(dtype),
                                 extent, A.size_of(shape[x:]))
        return vector

    def result(self, vector, dtype):
        return A.whole(self.a.device, vector, dtype, self.shape)


def _reduction(name, op, dtype_of, nothing, doc):
    def function(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        if where is not True:
            raise _lib.Usage(f"{name} takes no where=")
        rows = Rows(a, axis, keepdims)
        dtype = dtype_of(rows.a.dtype) if dtype is None else _types.dtype_of(dtype)
        if rows.count == 0:
            made = A.empty_of(rows.a.device, dtype, rows.shape)
        elif rows.segment == 0:
            if nothing is None and initial is None:
                raise ValueError(f"{name} of no element")
            made = A.full_like_shape(rows.a.device, dtype, rows.shape,
                                     nothing if initial is None else initial)
            initial = None
        else:
            made = rows.result(rows.fold(op, dtype), dtype)
        if initial is not None:
            made = _COMBINE[name](made, initial).astype(dtype, copy=False)
        return made if out is None else E._into(out, made)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _sum_type(dtype):
    if dtype.kind == "b" or (dtype.kind == "i" and dtype.itemsize < 8):
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" else dtype


def _same(dtype):
    return dtype


def _bool(_):
    return np.dtype(bool)


sum = _reduction("sum", A.ADD, _sum_type, 0,  # noqa: A001
                 "The sum along axes (all where none is given); integers in 64 bits.  Floats are "
                 "added in pairs of neighbours, so that the last digits may differ from NumPy's.")
prod = _reduction("prod", A.MUL, _sum_type, 1, "The product along axes; integers in 64 bits.")
min = _reduction("min", A.MINIMUM, _same, None, "The least along axes; NaN where there is one.")  # noqa
max = _reduction("max", A.MAXIMUM, _same, None, "The largest along axes; NaN where there is one.")  # noqa
amin, amax = min, max
any = _reduction("any", A.OR, _bool, False, "Whether some element is not 0, along axes.")  # noqa
all = _reduction("all", A.AND, _bool, True, "Whether no element is 0, along axes.")  # noqa

_COMBINE = {"sum": E.add, "prod": E.multiply, "min": E.minimum, "max": E.maximum,
            "any": E.logical_or, "all": E.logical_and}


def count_nonzero(a, axis=None, keepdims=False):
    """How many elements are not 0, along axes, as int64."""
    return sum(E.not_equal(a, 0) if np.asarray(a).dtype != bool else a, axis=axis,
               keepdims=keepdims) if not isinstance(a, ndarray) else \
        sum(a.astype(bool, copy=False), axis=axis, keepdims=keepdims)


def mean(a, axis=None, dtype=None, out=None, keepdims=False):
    """The sum by the number of elements; of integers in float64."""
    rows = Rows(a, axis, keepdims)
    if dtype is None:
        dtype = rows.a.dtype if _types.is_float(rows.a.dtype) else np.dtype(np.float64)
    made = E.divide(sum(rows.a, axis=axis, dtype=dtype, keepdims=keepdims),
                    np.array(rows.segment, dtype=dtype))
    return made if out is None else E._into(out, made)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The mean of the squares of what differs from the mean."""
    a = A.asarray(a)
    away = E.subtract(a, mean(a, axis=axis, dtype=dtype, keepdims=True))
    total = sum(E.square(away), axis=axis, keepdims=keepdims)
    count = Rows(a, axis, keepdims).segment - ddof
    made = E.divide(total, np.array(count, dtype=total.dtype))
    return made if out is None else E._into(out, made)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The square root of var."""
    return E.sqrt(var(a, axis, dtype, None, ddof, keepdims), out=out)


_PLACES = np.dtype(np.int64)


def _first_of(a, axis, keepdims, op, name):
    rows = Rows(a, axis, keepdims)
    if rows.segment == 0:
        raise ValueError(f"{name} of no element")
    if rows.count == 0:
        return A.empty_of(rows.a.device, _PLACES, rows.shape)
    return rows.result(rows.fold(op, _PLACES), _PLACES)


def argmin(a, axis=None, out=None, keepdims=False):
    """The number of the first least element; a NaN counts as least."""
    made = _first_of(a, axis, keepdims, A.ARGMIN, "argmin")
    return made if out is None else E._into(out, made)


def argmax(a, axis=None, out=None, keepdims=False):
    """The number of the first largest element; a NaN counts as largest."""
    made = _first_of(a, axis, keepdims, A.ARGMAX, "argmax")
    return made if out is None else E._into(out, made)


def ptp(a, axis=None, keepdims=False):
    """The largest less the least."""
    return E.subtract(max(a, axis=axis, keepdims=keepdims), min(a, axis=axis, keepdims=keepdims))


def array_equal(a, b, equal_nan=False):
    """Whether shapes and all elements are equal, as a Python bool; compared on the device."""
    a, b = E.together((a, b))
    if a.shape != b.shape:
        return False
    same = E.equal(a, b)
    if equal_nan and _types.is_float(E._common_type([a, b])):
        same = E.bitwise_or(same, E.bitwise_and(E.not_equal(a, a), E.not_equal(b, b)))
    return bool(all(same))


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether |a - b| <= atol + rtol |b|, element by element, in floats."""
    a, b = E.together((a, b))
    dtype = E._true_type(E._common_type([a, b]))
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    near = E.less_equal(E.absolute(E.subtract(a, b)), E.add(E.multiply(E.absolute(b), rtol), atol))
    same = E.bitwise_or(E.equal(a, b), E.bitwise_and(near, E.isfinite(b)))
    return E.bitwise_or(same, E.bitwise_and(E.isnan(a), E.isnan(b))) if equal_nan else same


def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether isclose holds everywhere, as a Python bool."""
    return bool(all(isclose(a, b, rtol, atol, equal_nan)))


# --- running sums ---


def _running(a, axis, dtype, op):
    a = A.asarray(a)
    dtype = _sum_type(a.dtype) if dtype is None else _types.dtype_of(dtype)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = A._axis(axis, a.ndim)
    if a.size == 0:
        return A.empty_of(a.device, dtype, a.shape)
    vector = a._vector().then(_lib.scan_axis, a.size, op, _types.vtype(dtype), a.shape[axis],
                              A.size_of(a.shape[axis + 1:]))
    return A.whole(a.device, vector, dtype, a.shape)


def cumsum(a, axis=None, dtype=None, out=None):
    """Sums up to each element along an axis; of all elements in one dimension without one."""
    made = _running(a, axis, dtype, A.ADD)
    return made if out is None else E._into(out, made)


def cumprod(a, axis=None, dtype=None, out=None):
    """Products up to each element along an axis."""
    made = _running(a, axis, dtype, A.MUL)
    return made if out is None else E._into(out, made)


cumulative_sum = cumsum


# --- sorted ---


def sort(a, axis=-1, kind=None, order=None):
    """A sorted copy along an axis, NaNs last."""
    del kind, order  # equal elements cannot be told from one another
    a = A.asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = A._axis(axis, a.ndim)
    if a.size == 0:
        return a.copy()
    vector = a._vector().then(_lib.sort_axis, a.size, a.shape[axis],
                              A.size_of(a.shape[axis + 1:]))
    return A.whole(a.device, vector, a.dtype, a.shape)


def median(a, axis=None, keepdims=False):
    """The middle of the sorted elements, or the mean of the two in the middle."""
    a = A.asarray(a)
    if axis is None:
        shape = (1,) * a.ndim if keepdims else ()
        return median(a.reshape(-1), 0).reshape(shape)
    axis = A._axis(axis, a.ndim)
    ordered = sort(a, axis).transpose([axis] + [k for k in range(a.ndim) if k != axis])
    n = a.shape[axis]
    made = mean(ordered[(n - 1) // 2:n // 2 + 1], axis=0)
    if _types.is_float(a.dtype):  # NaNs lie last
        made = E.where(E.isnan(ordered[-1]), ordered[-1], made)
    return made.reshape(a.shape[:axis] + (1,) + a.shape[axis + 1:]) if keepdims else made


# --- products ---

_AT_ONCE = 1 << 20  # products that a stack of matrix products holds at a time


def matmul(a, b):
    """The product of matrices, or of stacks of them; at the operands' type, modulo 2^bits.

    Of stacks, rows of products are folded at once where they are few; else they are added one
    after the other."""
    a, b = E.together((a, b))
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("matmul takes arrays of at least one dimension")
    left = a.reshape(1, -1) if a.ndim == 1 else a
    right = b.reshape(-1, 1) if b.ndim == 1 else b
    k = left.shape[-1]
    if right.shape[-2] != k:
        raise ValueError(f"matmul of shapes {a.shape} and {b.shape}: {k} is not "
                         f"{right.shape[-2]}")
    dtype = E._common_type([left, right])
    left, right = left.astype(dtype, copy=False), right.astype(dtype, copy=False)
    shape = np.broadcast_shapes(left.shape[:-2], right.shape[:-2]) + (left.shape[-2],
                                                                      right.shape[-1])
    made = _products(left, right, shape, k, dtype)
    if b.ndim == 1:
        made = made.reshape(made.shape[:-1])
    if a.ndim == 1:
        made = made.reshape(made.shape[:-2] + made.shape[-1:]) if b.ndim > 1 else \
            made.reshape(made.shape[:-1])
    return made


def _products(left, right, shape, k, dtype):
    device = E._device_of([left, right])
    if A.size_of(shape) == 0 or k == 0:
        return A.full_like_shape(device, dtype, shape, 0)
    if len(shape) == 2 and dtype.kind != "b":
        right = right._vector()  # which lives as long as the call
        vector = left._vector().then(_lib.matmul, A.size_of(shape), right.handle, shape[0], k,
                                     shape[1])
        return A.whole(device, vector, dtype, shape)
    across = right.swapaxes(-1, -2)
    if A.size_of(shape) * k <= _AT_ONCE:
        return sum(E.multiply(left[..., :, None, :], across[..., None, :, :]), axis=-1,
                   dtype=dtype)
    made = None
    for i in range(k):
        part = E.multiply(left[..., :, i, None], across[..., None, :, i])
        made = part if made is None else E.add(made, part)
    return made


def dot(a, b):
    """The sum of products along the last axis of a and the last but one of b."""
    a, b = E.together((a, b))
    if a.ndim == 0 or b.ndim == 0:
        return E.multiply(a, b)
    if b.ndim <= 2:
        return matmul(a, b)
    raise _lib.Usage("dot takes arrays b of at most two dimensions; matmul takes stacks")


vdot = inner = dot


def vecdot(a, b, axis=-1):
    """The sum of products along an axis."""
    a, b = E.together((a, b))
    return sum(E.multiply(a, b), axis=axis, dtype=E._common_type([a, b]))


def outer(a, b):
    """All products of an element of a and one of b."""
    a, b = E.together((a, b))
    return E.multiply(a.reshape(-1, 1), b.reshape(1, -1))


def _give_methods():
    for name, function in (("sum", sum), ("prod", prod), ("min", min), ("max", max), ("any", any),
                           ("all", all), ("mean", mean), ("var", var), ("std", std),
                           ("argmin", argmin), ("argmax", argmax), ("cumsum", cumsum),
                           ("cumprod", cumprod), ("dot", dot)):
        setattr(ndarray, name, function)

    def sort_in_place(self, axis=-1):
        """Sorts the array itself along an axis."""
        self[...] = sort(self, axis)

    ndarray.sort = sort_in_place
    ndarray.__matmul__ = lambda self, other: matmul(self, other)
    ndarray.__rmatmul__ = lambda self, other: matmul(other, self)


_give_methods()
