# SPDX-License-Identifier: MIT
"""Reductions, running sums, sorted arrays and products of matrices."""

import numpy as np

from . import _array as A
from . import _elementwise as E
from . import _lib, _types
from ._array import ndarray


class Rows:
    """An array whose chosen axes come last and count as one: `segment` elements for each result."""

    def __init__(self, a, axis, keepdims):
        self.a = A.asarray(a)
        self.axes = A.axes_of(axis, self.a.ndim)
        rest = [x for x in range(self.a.ndim) if x not in self.axes]
        self.segment = A.size_of([self.a.shape[x] for x in self.axes])
        self.rest = tuple(self.a.shape[x] for x in rest)
        self.count = A.size_of(self.rest)
        self.shape = tuple(1 if x in self.axes else e for x, e in enumerate(self.a.shape)) \
            if keepdims else self.rest
        self.ordered = self.a.transpose(rest + self.axes) if self.a.ndim else self.a

    def fold(self, op, dtype, vector=None):
        """A vector with one element for each row."""
        vector = self.ordered._vector() if vector is None else vector
        if self.segment == 1:
            return A.apply(self.a.device, A.CAST, dtype, self.count, vector)
        return vector.then(_lib.fold, self.count, op, _types.vtype(dtype), 0, vector.n,
                           self.segment)

    def result(self, vector, dtype):
        return A.whole(self.a.device, vector, dtype, self.shape)

    def spread(self, vector):
        """Each element of a vector of results once for each element of its row."""
        return A.move(vector, (self.count, self.segment), (1, 0))


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
            if name in ("min", "max") and _types.is_float(dtype):
                made = _nan_where_there_is_one(rows, made)
        if initial is not None:
            made = _COMBINE[name](made, initial).astype(dtype, copy=False)
        return made if out is None else E._into(out, made)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _nan_where_there_is_one(rows, made):
    device, dtype = rows.a.device, rows.a.dtype
    vector = rows.ordered._vector()
    odd = A.apply(device, A.UNORDERED, dtype, vector.n, vector, vector)
    some = rows.fold(A.OR, np.dtype(bool), odd)
    return E.where(rows.result(some, np.dtype(bool)), np.array(np.nan, made.dtype), made)


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
min = _reduction("min", A.MIN, _same, None, "The least along axes; NaN where there is one.")  # noqa
max = _reduction("max", A.MAX, _same, None, "The largest along axes; NaN where there is one.")  # noqa
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


def _first_of(a, axis, keepdims, extreme, name):
    rows = Rows(a, axis, keepdims)
    if rows.segment == 0:
        raise ValueError(f"{name} of no element")
    device, dtype, n = rows.a.device, rows.a.dtype, rows.count * rows.segment
    vector = rows.ordered._vector()
    best = rows.spread(rows.fold(extreme, dtype))
    hit = A.apply(device, A.EQ, dtype, n, vector, best)
    if _types.is_float(dtype):  # the first NaN counts
        odd = A.apply(device, A.UNORDERED, dtype, n, vector, vector)
        some = rows.spread(rows.fold(A.OR, np.dtype(bool), odd))
        hit = A.apply(device, A.SELECT, np.dtype(bool), n, some, odd, hit)
    index = np.dtype(np.uint32 if rows.segment < 2 ** 32 else np.uint64)
    numbers = A.put(device, np.arange(rows.segment, dtype=index))
    numbers = A.move(numbers, (rows.count, rows.segment), (0, 1))
    number = A.apply(device, A.SELECT, index, n, hit, numbers, int(np.iinfo(index).max))
    return rows.result(rows.fold(A.MIN, index, number), index).astype(np.int64)


def argmin(a, axis=None, out=None, keepdims=False):
    """The number of the first least element; a NaN counts as least."""
    made = _first_of(a, axis, keepdims, A.MIN, "argmin")
    return made if out is None else E._into(out, made)


def argmax(a, axis=None, out=None, keepdims=False):
    """The number of the first largest element; a NaN counts as largest."""
    made = _first_of(a, axis, keepdims, A.MAX, "argmax")
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


def _running(a, axis, dtype, op, combine, neutral):
    a = A.asarray(a)
    dtype = _sum_type(a.dtype) if dtype is None else _types.dtype_of(dtype)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = A._axis(axis, a.ndim)
    if a.size == 0:
        return A.empty_of(a.device, dtype, a.shape)
    a = a.astype(dtype, copy=False)
    extent = a.shape[axis]
    if extent == a.size:
        vector = a._vector().then(_lib.scan, a.size, op, _types.vtype(dtype))
        return A.whole(a.device, vector, dtype, a.shape)
    last = a.swapaxes(axis, -1)
    shape, vector = last.shape, last._vector()
    far = 1
    while far < extent:  # each element takes in what lies `far` before it
        rows = a.size // extent
        front = A.move(vector, (extent, rows), (1, extent))
        moved = A.move(front, (rows, extent), (1, rows), -far * rows,
                       _types.bits_of(neutral, dtype))
        vector = A.apply(a.device, combine, dtype, a.size, moved, vector)
        far *= 2
    return A.whole(a.device, vector, dtype, shape).swapaxes(axis, -1).copy()


def cumsum(a, axis=None, dtype=None, out=None):
    """Sums up to each element along an axis; of all elements in one dimension without one."""
    made = _running(a, axis, dtype, A.ADD, A.ADD, 0)
    return made if out is None else E._into(out, made)


def cumprod(a, axis=None, dtype=None, out=None):
    """Products up to each element along an axis."""
    made = _running(a, axis, dtype, A.MUL, A.MUL, 1)
    return made if out is None else E._into(out, made)


cumulative_sum = cumsum


# --- sorted ---


def _keys(device, vector, dtype, n):
    """Numbers without a sign in the order of the elements: of floats with NaNs last."""
    if not _types.is_float(dtype):
        return vector, dtype
    unsigned = _types.unsigned_of(dtype)
    top = 8 * dtype.itemsize - 1
    odd = A.apply(device, A.UNORDERED, dtype, n, vector, vector)
    plain = A.apply(device, A.SELECT, dtype, n, odd, _types.bits_of(np.nan, dtype), vector)
    bits = A.apply(device, A.BITCAST, unsigned, n, plain)
    sign = A.apply(device, A.BIT, unsigned, n, bits, top)
    below = A.apply(device, A.NOT, unsigned, n, bits)
    above = A.apply(device, A.SETBIT, unsigned, n, bits, 1, top)
    return A.apply(device, A.SELECT, unsigned, n, sign, below, above), unsigned


def _unkeyed(device, vector, dtype, n):
    if not _types.is_float(dtype):
        return vector
    unsigned = _types.unsigned_of(dtype)
    top = 8 * dtype.itemsize - 1
    positive = A.apply(device, A.BIT, unsigned, n, vector, top)
    above = A.apply(device, A.SETBIT, unsigned, n, vector, 0, top)
    below = A.apply(device, A.NOT, unsigned, n, vector)
    bits = A.apply(device, A.SELECT, unsigned, n, positive, above, below)
    return A.apply(device, A.BITCAST, dtype, n, bits)


def sort(a, axis=-1, kind=None, order=None):
    """A sorted copy along an axis, NaNs last: Batcher's bitonic network, each stage of which is a
    move, a minimum, a maximum and a choice."""
    del kind, order  # equal elements cannot be told from one another
    a = A.asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = A._axis(axis, a.ndim)
    extent = a.shape[axis]
    if a.size == 0 or extent == 1:
        return a.copy()
    last = a.swapaxes(axis, -1)
    rows = a.size // extent
    length = 1 << (extent - 1).bit_length()
    vector, key = _keys(a.device, last._vector(), a.dtype, a.size)
    most = 1 if key.kind == "b" else _types.bits_of(np.iinfo(key).max, key)
    if length != extent:  # padded behind each row: the axis in front, so that it leaves the vector
        front = A.move(vector, (extent, rows), (1, extent))
        vector = A.move(front, (rows, length), (1, rows), 0, most)
    vector = _bitonic(a.device, vector, key, rows, length)
    if length != extent:
        vector = A.move(vector, (rows, extent), (length, 1))
    vector = _unkeyed(a.device, vector, a.dtype, a.size)
    return A.whole(a.device, vector, a.dtype, last.shape).swapaxes(axis, -1).copy()


def _bitonic(device, vector, dtype, rows, length):
    n = rows * length
    place = np.arange(length, dtype=np.uint64)
    masks = {}

    def lower(block, far):
        """Where the smaller of a pair belongs."""
        up = (place & block) == 0
        key = (block, far)
        if key not in masks:
            mask = A.put(device, ((place & far) == 0) == up)
            masks[key] = A.move(mask, (rows, length), (0, 1)) if rows > 1 else mask
        return masks[key]

    block = 2
    while block <= length:
        far = block // 2
        while far:
            other = A.move(vector, (n // (2 * far), 2, far), (2 * far, -far, 1), far)
            least = A.apply(device, A.MIN, dtype, n, vector, other)
            most = A.apply(device, A.MAX, dtype, n, vector, other)
            vector = A.apply(device, A.SELECT, dtype, n, lower(block, far), least, most)
            far //= 2
        block *= 2
    return vector


def median(a, axis=None, keepdims=False):
    """The middle of the sorted elements, or the mean of the two in the middle."""
    a = A.asarray(a)
    if axis is None:
        shape = (1,) * a.ndim if keepdims else ()
        return median(a.reshape(-1), 0).reshape(shape)
    axis = A._axis(axis, a.ndim)
    ordered = sort(a, axis).swapaxes(axis, 0)
    n = a.shape[axis]
    made = mean(ordered[(n - 1) // 2:n // 2 + 1], axis=0)
    if _types.is_float(a.dtype):  # NaNs lie last
        made = E.where(E.isnan(ordered[-1]), ordered[-1], made)
    return made.reshape(a.shape[:axis] + (1,) + a.shape[axis + 1:]) if keepdims else made


# --- products ---

_AT_ONCE = 1 << 20  # products that a matrix product holds at a time


def matmul(a, b):
    """The product of matrices, or of stacks of them; at the operands' type, modulo 2^bits.

    Rows of products are folded at once where they are few; else they are added one after the
    other."""
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
