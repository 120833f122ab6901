# SPDX-License-Identifier: MIT
"""Making arrays, and putting them together."""

import operator

import numpy as np

from . import _array as A
from . import _elementwise as E
from . import _lib, _types
from ._array import ndarray


def array(value, dtype=None, device=None, copy=True):
    """A new array on the device: of a list, a NumPy array or an array of any device."""
    if isinstance(value, ndarray):
        if device is not None and device is not value.device:
            value = value.numpy()
        else:
            made = value if dtype is None else value.astype(dtype, copy=False)
            return made.copy() if copy and made is value else made
    return A.asarray(value, dtype=dtype, device=device)


asarray = A.asarray


def _device(device):
    return A.current() if device is None else device


def _shape(shape):
    """A shape: an extent, or a sequence of extents; what elements it has, A.checked_size says."""
    if np.ndim(shape) == 0:
        return (operator.index(shape),)
    return tuple(operator.index(e) for e in shape)


def full(shape, value, dtype=None, device=None):
    """An array of one number."""
    dtype = np.asarray(value).dtype if dtype is None else dtype
    return A.full_like_shape(_device(device), _types.dtype_of(dtype), _shape(shape), value)


def zeros(shape, dtype=float, device=None):
    """An array of zeros; the type is float64 where none is given."""
    return full(shape, 0, dtype=dtype, device=device)


def ones(shape, dtype=float, device=None):
    """An array of ones; the type is float64 where none is given."""
    return full(shape, 1, dtype=dtype, device=device)


def empty(shape, dtype=float, device=None):
    """An array of zeros: the machine's rows hold nothing else."""
    return zeros(shape, dtype=dtype, device=device)


def full_like(a, value, dtype=None):
    """An array of one number, of the shape, type and device of another."""
    a = A.asarray(a)
    return full(a.shape, value, dtype=a.dtype if dtype is None else dtype, device=a.device)


def zeros_like(a, dtype=None):
    """Zeros, of the shape, type and device of another array."""
    return full_like(a, 0, dtype)


def ones_like(a, dtype=None):
    """Ones, of the shape, type and device of another array."""
    return full_like(a, 1, dtype)


empty_like = zeros_like


def arange(*bounds, dtype=None, device=None):
    """Numbers from a bound to another, as NumPy has them; made by the host."""
    return A.from_host(np.arange(*bounds, dtype=dtype), _device(device))


def linspace(start, stop, num=50, endpoint=True, dtype=None, device=None):
    """Numbers at equal distances; made by the host."""
    start, stop = (v.numpy() if isinstance(v, ndarray) else v for v in (start, stop))
    return A.from_host(np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype),
                       _device(device))


def eye(n, m=None, k=0, dtype=float, device=None):
    """Ones on a diagonal; made by the host."""
    return A.from_host(np.eye(n, m, k, dtype=dtype), _device(device))


def copy(a):
    """A copy, on the same device."""
    return array(a, copy=True)


def reshape(a, shape):
    """The same elements in another shape."""
    return A.asarray(a).reshape(shape)


def ravel(a):
    """The elements in one dimension."""
    return A.asarray(a).ravel()


def transpose(a, axes=None):
    """A view with the axes in another order, reversed where none is given."""
    return A.asarray(a).transpose(axes)


permute_dims = transpose


def swapaxes(a, axis1, axis2):
    """A view with two axes exchanged."""
    return A.asarray(a).swapaxes(axis1, axis2)


def moveaxis(a, source, destination):
    """A view with axes at other places."""
    a = A.asarray(a)
    order = np.moveaxis(np.empty((0,) * a.ndim), source, destination)
    del order
    sources = [A._axis(s, a.ndim) for s in np.atleast_1d(source)]
    places = [A._axis(d, a.ndim) for d in np.atleast_1d(destination)]
    axes = [x for x in range(a.ndim) if x not in sources]
    for place, axis in sorted(zip(places, sources)):
        axes.insert(place, axis)
    return a.transpose(axes)


def squeeze(a, axis=None):
    """A view without axes of length 1."""
    return A.asarray(a).squeeze(axis)


def expand_dims(a, axis):
    """A view with a further axis of length 1."""
    a = A.asarray(a)
    axes = sorted(A.axes_of(axis, a.ndim + np.size(axis)))
    shape = list(a.shape)
    for x in axes:
        shape.insert(x, 1)
    return a.reshape(shape)


def broadcast_to(a, shape):
    """A view of that shape, which repeats elements."""
    return A.broadcast_to(A.asarray(a), _shape(shape))


def flip(a, axis=None):
    """A view with axes (all where none is given) backwards."""
    a = A.asarray(a)
    chosen = A.axes_of(axis, a.ndim)
    return a[tuple(slice(None, None, -1 if x in chosen else 1) for x in range(a.ndim))]


def roll(a, shift, axis=None):
    """Elements moved along an axis; those that leave it come in at its other end."""
    a = given = A.asarray(a)
    if axis is None:
        return roll(a.reshape(-1), np.sum(shift), 0).reshape(a.shape)
    for amount, x in zip(*(np.broadcast_arrays(shift, axis) if np.ndim(axis) or np.ndim(shift)
                           else ([shift], [axis]))):
        x = A._axis(int(x), a.ndim)
        amount = int(amount) % a.shape[x] if a.shape[x] else 0
        if amount:
            parts = [slice(None)] * a.ndim
            tail, head = list(parts), list(parts)
            tail[x], head[x] = slice(a.shape[x] - amount, None), slice(0, a.shape[x] - amount)
            a = concatenate((a[tuple(tail)], a[tuple(head)]), axis=x)
    return a.copy() if a is given else a


def concatenate(arrays, axis=0, dtype=None):
    """Arrays one behind the other along an axis that is there."""
    arrays = E.together(arrays)
    if not arrays:
        raise ValueError("concatenate takes at least one array")
    if axis is None:
        arrays, axis = [a.reshape(-1) for a in arrays], 0
    axis = A._axis(axis, arrays[0].ndim)
    dtype = E._common_type(arrays) if dtype is None else _types.dtype_of(dtype)
    shape = list(arrays[0].shape)
    for a in arrays[1:]:
        if a.ndim != len(shape) or any(x != y for i, (x, y) in enumerate(zip(a.shape, shape))
                                       if i != axis):
            raise ValueError(f"arrays of shapes {tuple(shape)} and {a.shape} do not go together "
                             f"along axis {axis}")
    shape[axis] = sum(a.shape[axis] for a in arrays)
    device = E._device_of(arrays)
    if A.size_of(shape) == 0:
        return A.empty_of(device, dtype, shape)
    made = A.full_like_shape(device, dtype, shape, 0)
    at = 0
    for a in arrays:
        if a.size:
            part = [slice(None)] * len(shape)
            part[axis] = slice(at, at + a.shape[axis])
            made[tuple(part)] = a.astype(dtype, copy=False)
        at += a.shape[axis]
    return made


concat = concatenate


def stack(arrays, axis=0):
    """Arrays of one shape along a new axis."""
    return concatenate([expand_dims(a, axis) for a in E.together(arrays)], axis)


def unstack(a, axis=0):
    """The parts of an array along an axis, as a tuple of views."""
    a = A.asarray(a)
    axis = A._axis(axis, a.ndim)
    front = moveaxis(a, axis, 0)
    return tuple(front[i] for i in range(a.shape[axis]))


def matrix_transpose(a):
    """A view with the last two axes exchanged."""
    return A.asarray(a).mT


def broadcast_arrays(*arrays):
    """Views of all arrays at the shape that they have together."""
    arrays = E.together(arrays)
    shape = np.broadcast_shapes(*[a.shape for a in arrays])
    return tuple(a if a.shape == shape else A.broadcast_to(a, shape) for a in arrays)


def meshgrid(*arrays, copy=True, sparse=False, indexing="xy"):
    """Coordinates of a grid, an array for each axis; with copy=False views, which are read-only
    where they repeat elements."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', not {indexing!r}")
    arrays = E.together(arrays)
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[:2] = [1, 0]
    shape = [arrays[i].size for i in order]
    made = []
    for i, a in enumerate(arrays):
        own = [1] * len(arrays)
        own[order.index(i)] = a.size
        grid = a.reshape(own)
        if not sparse and own != shape:
            grid = A.broadcast_to(grid, shape)
        made.append(grid.copy() if copy else grid)
    return tuple(made)


def tril(a, k=0):
    """The elements on and below a diagonal, the others 0."""
    a = A.asarray(a)
    return E.where(_triangle(a, k), a, 0)


def triu(a, k=0):
    """The elements on and above a diagonal, the others 0."""
    a = A.asarray(a)
    return E.where(_triangle(a, k - 1), 0, a)


def _triangle(a, k):
    if a.ndim == 0:
        raise ValueError("a triangle is one of an array with dimensions")
    return np.tri(*a.shape[-2:], k=k, dtype=bool)


def astype(a, dtype, copy=True):
    """The array's astype."""
    return A.asarray(a).astype(dtype, copy=copy)


def nonzero(a):
    """Places of the elements that are not 0, an array of the host for each axis."""
    return np.nonzero(np.asarray(a))


def vstack(arrays):
    """Arrays one below the other."""
    return concatenate([a if a.ndim > 1 else a.reshape(1, -1) for a in E.together(arrays)], 0)


def hstack(arrays):
    """Arrays side by side."""
    arrays = E.together(arrays)
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1)


def dstack(arrays):
    """Arrays one behind the other, along a third axis."""
    arrays = [a.reshape(1, -1) if a.ndim < 2 else a for a in E.together(arrays)]
    return concatenate([a[:, :, None] if a.ndim == 2 else a for a in arrays], 2)


def column_stack(arrays):
    """Arrays of one axis as columns beside others."""
    return concatenate([a.reshape(-1, 1) if a.ndim < 2 else a for a in E.together(arrays)], 1)


def diff(a, n=1, axis=-1):
    """What each element has more than the one before it, n times."""
    a = A.asarray(a)
    if a.ndim == 0 or n < 0:
        raise ValueError("diff takes an array with an axis, and n of 0 or more")
    axis = A._axis(axis, a.ndim)
    behind, before = [slice(None)] * a.ndim, [slice(None)] * a.ndim
    behind[axis], before[axis] = slice(1, None), slice(None, -1)
    take_away = E.not_equal if a.dtype == bool else E.subtract
    for _ in range(n):
        a = take_away(a[tuple(behind)], a[tuple(before)])
    return a


def pad(a, pad_width, mode="constant", constant_values=0):
    """The array with one value around it."""
    a = A.asarray(a)
    widths = np.broadcast_to(np.asarray(pad_width), (a.ndim, 2))
    if mode != "constant" or np.ndim(constant_values):
        raise ValueError("pad puts one value around an array: mode is 'constant'")
    if widths.dtype.kind not in "iu" or (widths < 0).any():
        raise ValueError("pad takes numbers of elements, of 0 or more")
    shape = [int(n + before + after) for n, (before, after) in zip(a.shape, widths)]
    made = A.full_like_shape(a.device, a.dtype, shape, constant_values)
    if a.size:
        made[tuple(slice(int(before), int(before) + n) for n, (before, _) in zip(a.shape, widths))] = a
    return made


def repeat(a, repeats, axis=None):
    """Each element so many times: a number, or one for each element along the axis."""
    a = A.asarray(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = A._axis(axis, a.ndim)
    if np.size(repeats) != 1:
        return take(a, np.repeat(np.arange(a.shape[axis]), repeats), axis)
    times = operator.index(np.asarray(repeats).item())
    if times < 0:
        raise ValueError(f"elements are not repeated {times} times")
    wide = expand_dims(a, axis + 1)
    shape = list(wide.shape)
    shape[axis + 1] = times
    result = list(a.shape)
    result[axis] *= times
    return A.broadcast_to(wide, shape).reshape(result).copy()


def tile(a, reps):
    """The array so many times along each axis."""
    a = A.asarray(a)
    reps = _shape(reps)
    shape = (1,) * (len(reps) - a.ndim) + a.shape
    reps = (1,) * (len(shape) - len(reps)) + reps
    a = a.reshape([x for e in shape for x in (1, e)])
    wide = A.broadcast_to(a, [x for e, r in zip(shape, reps) for x in (r, e)])
    return wide.reshape([e * r for e, r in zip(shape, reps)]).copy()


def take(a, index, axis=None, mode="raise"):
    """Elements (along an axis) by their numbers.

    Where the numbers are an array of the device, and a has one dimension and at most 65,536
    elements, a is brought to the host and becomes a table in which every lane looks up; otherwise
    the numbers are brought to the host, and each stretch of them is a move."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    if isinstance(index, ndarray) and len(A.shape_of(a)) == 1 and index.size \
            and 0 < A.shape_of(a)[0] <= 65536:
        return _look_up(np.asarray(a), index, mode)
    a = A.asarray(a)
    numbers = np.asarray(index)
    if isinstance(index, list) and numbers.size == 0:
        numbers = numbers.astype(np.int64)
    if numbers.dtype.kind not in "biu":
        raise TypeError(f"elements are taken by integers, not by numbers of type {numbers.dtype}")
    if numbers.dtype == np.uint64:
        numbers = np.minimum(numbers, np.uint64(2 ** 63 - 1))
    numbers = numbers.astype(np.int64)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = A._axis(axis, a.ndim)
    extent = a.shape[axis]
    if mode == "raise":
        if numbers.size and (numbers.min() < -extent or numbers.max() >= extent):
            raise IndexError(f"an index is out of bounds for axis {axis} with size {extent}")
        numbers = numbers % max(extent, 1)
    elif extent == 0 and numbers.size:
        raise IndexError(f"nothing can be taken along axis {axis}, which has no element")
    else:
        numbers = numbers % max(extent, 1) if mode == "wrap" else np.clip(numbers, 0, extent - 1)
    shape = a.shape[:axis] + numbers.shape + a.shape[axis + 1:]
    if A.size_of(shape) == 0:
        return A.empty_of(a.device, a.dtype, shape)
    rows = []
    for first, count, step in _runs(numbers.reshape(-1)):
        part = [slice(None)] * a.ndim
        stop = first + step * count
        part[axis] = slice(first, stop if stop >= 0 else None, step)
        if step == 0:
            part[axis] = slice(first, first + 1)
            one = a[tuple(part)]
            wide = list(one.shape)
            wide[axis] = count
            rows.append(A.broadcast_to(one, wide))
        else:
            rows.append(a[tuple(part)])
    return (concatenate(rows, axis) if len(rows) > 1 else rows[0].copy()).reshape(shape)


def _runs(numbers):
    """Stretches of numbers at one distance: (first, count, step)."""
    i = 0
    while i < len(numbers):
        step = int(numbers[i + 1] - numbers[i]) if i + 1 < len(numbers) else 1
        end = i + 1
        while end < len(numbers) and numbers[end] - numbers[end - 1] == step:
            end += 1
        if end - i == 1:
            step = 1
        yield int(numbers[i]), end - i, step
        i = end


def _look_up(table, index, mode):
    dtype = _types.dtype_of(table.dtype)
    n = table.size
    if index.dtype.kind not in "biu":
        raise TypeError(f"elements are taken by integers, not by numbers of type {index.dtype}")
    if mode == "raise" and index.size:
        low, high = int(index.min()), int(index.max())
        if low < -n or high >= n:
            raise IndexError(f"an index is out of bounds for a table of {n} elements")
    wide = index.astype(np.int64 if index.dtype.kind == "i" else np.uint64)
    wide = E.clip(wide, 0, n - 1) if mode == "clip" else E.remainder(wide, n)
    values = np.ascontiguousarray(table)
    described = _lib.Array(_TYPE_NUMBERS[dtype.name], 1, (n,), values.ctypes.data)
    vector = wide.astype(np.uint32)._vector().then(_lib.take, index.size, described)
    return A.whole(index.device, vector, dtype, index.shape)


_TYPE_NUMBERS = {name: i for i, name in enumerate(
    ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16",
     "float32", "float64", "bfloat16"))}

ndarray.take = lambda self, index, axis=None, mode="raise": take(self, index, axis, mode)
ndarray.repeat = lambda self, repeats, axis=None: repeat(self, repeats, axis)
