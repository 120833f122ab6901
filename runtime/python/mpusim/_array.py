# SPDX-License-Identifier: MIT
"""Arrays on a device.

An array is a view of a store: a vector on the device and the elements of it that belong to the
array, in the order of its shape.  Operations take the view's elements as a vector of their own,
which a whole array has already.  Writing makes a new vector of the store's, which all of its views
see, so views write through as NumPy's do.  Nothing is carried out before a value is asked for."""

import numbers
import operator
import sys

import numpy as np

from . import _index, _lib, _types
from ._device import Device, current

COPY, ADD, SUB, MUL, DIV, AND, OR, XOR, NOT, NEG, ABS, MIN, MAX, EQ, NE, LT, LE, GT, GE, SELECT, \
    CAST, BITCAST, POPCOUNT, BIT, SETBIT, SHL, SHR, SQRT, UNORDERED, SIGNBIT, FLOOR, CEIL, TRUNC, \
    RINT, SIGN, ISNAN, ISINF, ISFINITE, COPYSIGN, MINIMUM, MAXIMUM, FLOOR_DIVIDE, REMAINDER, FMOD, \
    POW, ARGMIN, ARGMAX, POWER, TRUNC_DIVIDE, EXP, EXP2, LOG, LOG2, LOG10, \
    SIGMOID, NDTR, ERFC, TANH, ARCTAN, ERF, SIN, COS, TAN, SINH, COSH, EXPM1, LOG1P = map(_lib.operation, (
        "copy add sub mul div and or xor not neg abs min max eq ne lt le gt ge select cast bitcast "
        "popcount bit setbit shl shr sqrt unordered signbit floor ceil trunc rint sign isnan isinf "
        "isfinite copysign minimum maximum floor_divide remainder fmod pow "
        "argmin argmax power trunc_divide exp exp2 log log2 log10 "
        "sigmoid ndtr erfc tanh arctan erf sin cos tan sinh cosh expm1 log1p").split())

_MOST_DIMS = 8
_MOST_ELEMENTS = 1 << 40


class Store:
    """A vector on a device, which writes replace; `version` counts them."""

    __slots__ = ("vector", "dtype", "version")

    def __init__(self, vector, dtype):
        self.vector, self.dtype, self.version = vector, dtype, 0

    def replace(self, vector):
        self.vector = vector
        self.version += 1


class Element(Store):
    """One element that the host has read, and its vector as soon as the device asks for it."""

    __slots__ = ("device", "value", "made")

    def __init__(self, device, value, dtype):
        self.device, self.value, self.made = device, value, None
        self.dtype, self.version = dtype, 0

    @property
    def vector(self):
        if self.made is None:
            self.made = apply(self.device, COPY, self.dtype, 1,
                              _types.bits_of(self.value, self.dtype))
        return self.made

    def replace(self, vector):
        self.made, self.value = vector, None
        self.version += 1


def c_strides(shape):
    """Elements from one to the next along each axis of an array in C order."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def size_of(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


def checked_size(shape):
    """size_of, of a shape that an array can have."""
    for extent in shape:
        if extent < 0:
            raise ValueError(f"a shape has no extent of {extent}")
    if size_of(shape) > _MOST_ELEMENTS:
        raise ValueError(f"an array of shape {tuple(shape)} has {size_of(shape)} elements, and a "
                         "device has at most 2^40 of one array")
    return size_of(shape)


def shape_of(value):
    """The shape of an array, a list or a number."""
    return value.shape if hasattr(value, "shape") else np.shape(value)


def failing_at(vector, error):
    """The error, with the line that recorded the operation."""
    text = str(error)
    if vector.where and vector.where not in text:
        text = f"{vector.where}: {text}"
    return type(error)(text)


# --- vectors ---


def apply(device, op, dtype, n, *operands):
    """A vector of op(operands), each a vector of n elements or a pattern of bits."""
    array = (_lib.Operand * len(operands))()
    for i, operand in enumerate(operands):
        is_vector = hasattr(operand, "handle")
        array[i].v = operand.handle if is_vector else None
        array[i].bits = 0 if is_vector else operand
    with device.lock:
        handle = _lib.apply(device.handle(), op, _types.vtype(dtype), n, array, len(operands))
    return device.new_vector(handle, n)


def move(vector, shape, strides, offset=0, fill=0, wrap=False):
    """A vector of the elements offset + sum of i_k * strides_k; `fill` outside of the vector."""
    dims = [(count, step) for count, step in zip(shape, strides) if count != 1] or [(1, 0)]
    joined = [dims[0]]
    for count, step in dims[1:]:
        before, stride = joined[-1]
        if stride == count * step:
            joined[-1] = (before * count, step)
        else:
            joined.append((count, step))
    if len(joined) > _MOST_DIMS:
        raise _lib.Usage(f"an array of this form has {len(joined)} axes that cannot be joined; a "
                         f"device moves at most {_MOST_DIMS}")
    array = (_lib.Dim * len(joined))(*[_lib.Dim(c, s) for c, s in joined])
    return vector.then(_lib.move, size_of(shape), array, len(joined), offset, int(wrap), fill)


def put(device, values):
    """A vector of the elements of a NumPy array."""
    values = np.ascontiguousarray(values)
    vector = device.zeros(_types.vtype(values.dtype), values.size)
    with device.lock:
        _lib.vector_put(vector.handle, 0, values.size, values.ctypes.data)
    return vector


def get(vector, dtype, first=0, count=None):
    """A NumPy array of elements of a vector."""
    values = np.empty(vector.n - first if count is None else count, dtype=dtype)
    try:
        with vector.device.lock:
            vector.device.handle()
            _lib.vector_get(vector.handle, first, values.size, values.ctypes.data)
    except _lib.Error as e:
        raise failing_at(vector, e) from None
    return values


# --- arrays ---


class ndarray:
    """An array of numbers on a device, with NumPy's operators, shapes and indices.

    ``np.asarray(a)`` or ``a.numpy()`` brings its values to the host; ``a.device`` is its machine.
    Arrays without an element live on the host alone.  The elements at a mask, ``a[mask]``, are
    brought together by the host; ``a[mask] = number`` is carried out by the machine."""

    __slots__ = ("_device", "_store", "_shape", "_strides", "_offset", "_dtype", "_writable",
                 "_value", "__weakref__")
    __array_priority__ = 100

    def __init__(self, device, store, dtype, shape, strides=None, offset=0):
        self._device, self._store, self._dtype = device, store, dtype
        self._shape = tuple(shape)
        self._strides = c_strides(shape) if strides is None else tuple(strides)
        self._offset = offset
        self._writable = True
        self._value = None

    # --- what it is ---

    @property
    def device(self):
        return self._device

    @property
    def dtype(self):
        return self._dtype

    @property
    def shape(self):
        return self._shape

    @shape.setter
    def shape(self, shape):
        view = self.reshape(shape)
        if view._store is not self._store:
            raise AttributeError("this view cannot have that shape without a copy; use reshape")
        self._shape, self._strides, self._offset = view._shape, view._strides, view._offset

    @property
    def ndim(self):
        return len(self._shape)

    @property
    def size(self):
        return size_of(self._shape)

    @property
    def itemsize(self):
        return self._dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.itemsize

    @property
    def base(self):
        """The array itself is never a copy of another's elements: None for whole arrays."""
        return None if self._is_whole() else self._store

    @property
    def T(self):
        return self.transpose()

    @property
    def mT(self):
        return self.swapaxes(-1, -2)

    @property
    def flat(self):
        return iter(self.numpy().flat)

    def __len__(self):
        if not self._shape:
            raise TypeError("len() of an array without dimensions")
        return self._shape[0]

    # --- its elements as a vector ---

    def _in_order(self):
        """Whether its elements lie side by side in C order."""
        return self.size == 0 or all(s == c or e == 1 for s, c, e in zip(
            self._strides, c_strides(self._shape), self._shape))

    def _is_whole(self):
        return (self._offset == 0 and self._store is not None
                and self._store.vector.n == self.size and self._in_order())

    def _vector(self):
        """Its elements in C order as a vector; the same one until the store is written."""
        whole = self._is_whole()
        if whole and self._dtype == self._store.dtype:
            return self._store.vector
        version = self._store.version  # before the vector: a thread may write
        value = self._value
        if value is None or value[0] != version:
            vector = self._store.vector
            if not whole:
                vector = move(vector, self._shape, self._strides, self._offset)
            value = self._value = (version, self._as(self._dtype, vector))
        return value[1]

    def _as(self, dtype, vector):
        """The vector's patterns read as another type than it has, where the view has one."""
        if self._dtype == self._store.dtype:
            return vector
        return apply(self._device, BITCAST, dtype, vector.n, vector)

    def _write(self, vector):
        """Its elements become those of the vector, for all views of the store."""
        store = self._store
        vector = self._as(store.dtype, vector)
        if self._is_whole():
            store.replace(vector)
            return
        placed, mask = _spread(self, vector)
        store.replace(apply(self._device, SELECT, store.dtype, store.vector.n, mask, placed,
                            store.vector))

    def _view(self, shape, strides, offset, dtype=None):
        view = ndarray(self._device, self._store, self._dtype if dtype is None else dtype, shape,
                       strides, offset)
        view._writable = self._writable
        return view

    # --- to the host ---

    def known(self):
        """The value of an element that was read, as NumPy's of its type; else None."""
        store = self._store
        if not isinstance(store, Element) or store.value is None or self._dtype != store.dtype:
            return None
        return store.value

    def numpy(self):
        """A NumPy array of its values; all that waits for it is carried out."""
        known = self.known()
        if known is not None:
            return np.full(self._shape, known, self._dtype)
        if self.size == 0:
            return np.empty(self._shape, dtype=self._dtype)
        return get(self._vector(), self._dtype).reshape(self._shape)

    def __array__(self, dtype=None, copy=None):
        values = self.numpy()
        return values if dtype is None else values.astype(dtype)

    def item(self, *where):
        """One element as a Python number."""
        if where:
            return self[where if len(where) > 1 else where[0]].item()
        if self.size != 1:
            raise ValueError("item() is for arrays of one element")
        return self.numpy().reshape(()).item()

    def tolist(self):
        return self.numpy().tolist()

    def tobytes(self):
        return self.numpy().tobytes()

    def __bool__(self):
        if self.size != 1:
            raise ValueError("the truth value of an array with more than one element is "
                             "ambiguous; use any() or all()")
        return bool(self.item())

    def __int__(self):
        return int(self.item())

    def __float__(self):
        return float(self.item())

    def __index__(self):
        if self._shape or self._dtype.kind not in "iu":
            raise TypeError("only integers without dimensions can be an index")
        return int(self.item())

    def __iter__(self):
        if not self._shape:
            raise TypeError("iteration over an array without dimensions")
        return (self[i] for i in range(self._shape[0]))

    def __repr__(self):
        return repr(self.numpy()) if self.size else repr(np.empty(self._shape, self._dtype))

    def __str__(self):
        return str(self.numpy())

    def __format__(self, spec):
        return format(self.item(), spec) if not self._shape and spec else str(self)

    def _repr_html_(self):
        values = self.numpy()
        head = (f"<p>{self._dtype} {self._shape} on {self._device.name}</p>")
        if values.ndim not in (1, 2) or values.size > 400:
            return f"{head}<pre>{values!r}</pre>"
        rows = "".join("<tr>" + "".join(f"<td>{v}</td>" for v in row) + "</tr>"
                       for row in np.atleast_2d(values))
        return f"{head}<table>{rows}</table>"

    __hash__ = None

    # --- shapes ---

    def reshape(self, *shape, order="C"):
        if order != "C":
            raise _lib.Usage("reshape knows order C alone")
        shape = _shape_words(shape)
        if shape.count(-1) > 1 or any(extent < -1 for extent in shape):
            raise ValueError("reshape takes one extent of -1, and none below")
        if -1 in shape:
            rest = size_of([e for e in shape if e != -1])
            if rest == 0 or self.size % rest:
                raise ValueError(f"an array of {self.size} elements has no shape {shape}")
            shape = tuple(self.size // rest if e == -1 else e for e in shape)
        if size_of(shape) != self.size:
            raise ValueError(f"an array of {self.size} elements has no shape {shape}")
        strides = _regrouped(self._shape, self._strides, shape) if self.size else c_strides(shape)
        if strides is not None:
            return self._view(shape, strides, self._offset)
        return whole(self._device, self._vector(), self._dtype, shape)

    def ravel(self):
        return self.reshape(-1) if self._in_order() else self.flatten()

    def flatten(self):
        return self.copy().reshape(-1)

    def transpose(self, *axes):
        axes = _axes_words(axes)
        axes = tuple(reversed(range(self.ndim))) if axes is None else \
            tuple(_axis(a, self.ndim) for a in axes)
        if sorted(axes) != list(range(self.ndim)):
            raise ValueError(f"axes {axes} are no order of {self.ndim} axes")
        return self._view([self._shape[a] for a in axes], [self._strides[a] for a in axes],
                          self._offset)

    def swapaxes(self, a, b):
        axes = list(range(self.ndim))
        a, b = _axis(a, self.ndim), _axis(b, self.ndim)
        axes[a], axes[b] = axes[b], axes[a]
        return self.transpose(axes)

    def squeeze(self, axis=None):
        chosen = axes_of(axis, self.ndim)
        if axis is not None and any(self._shape[a] != 1 for a in chosen):
            raise ValueError("squeeze takes axes of length 1")
        keep = [a for a in range(self.ndim) if a not in chosen or self._shape[a] != 1]
        return self._view([self._shape[a] for a in keep], [self._strides[a] for a in keep],
                          self._offset)

    def copy(self, order="C"):
        if self.size == 0:
            return empty_of(self._device, self._dtype, self._shape)
        return whole(self._device, self._vector(), self._dtype, self._shape)

    __copy__ = copy

    def __deepcopy__(self, _):
        return self.copy()

    def __reduce__(self):
        """Pickled as its values; it comes back on the current device."""
        return asarray, (self.numpy(),)

    def astype(self, dtype, copy=True):
        """Values as another type: integers are cut, numbers rounded once, floats cut toward zero
        (the nearest integer there is where they are out of range, 0 for NaN)."""
        dtype = _types.dtype_of(dtype)
        if dtype == self._dtype and not copy:
            return self
        if dtype == self._dtype or self.size == 0:
            return self.copy() if dtype == self._dtype else \
                empty_of(self._device, dtype, self._shape)
        return whole(self._device, apply(self._device, CAST, dtype, self.size, self._vector()),
                     dtype, self._shape)

    def view(self, dtype=None):
        """The same array; with a type of as many bits, its patterns read as that type."""
        dtype = self._dtype if dtype is None else _types.dtype_of(dtype)
        if dtype != self._dtype and (dtype.itemsize != self._dtype.itemsize
                                     or "b" in (dtype.kind, self._dtype.kind)):
            raise _lib.Usage(f"view reads patterns as a type of as many bits; {dtype} is not one "
                             f"beside {self._dtype}")
        return self._view(self._shape, self._strides, self._offset, dtype)

    def fill(self, value):
        self[...] = value

    # --- indices ---

    def __getitem__(self, index):
        parts = _index.parts_of(index)
        if _index.is_basic(parts):
            view = self._sliced(parts)
            if not view._shape and _index.is_element(parts, self.ndim):
                return view._read()
            return view.copy() if _index.is_copied(parts, self.ndim) else view
        array = _index.alone(parts)
        if array is not None and array.dtype.kind in "iu" and self.ndim:
            from ._shape import take

            return take(self, array, axis=0 if self.ndim > 1 else None)
        _index.named_shape(parts, self._shape)
        return from_host(self.numpy()[_index.on_host(parts)], self._device)

    def __setitem__(self, index, value):
        parts = _index.parts_of(index)
        if not self._writable or any(s == 0 and e > 1 for s, e in zip(self._strides, self._shape)):
            raise ValueError("an array that repeats elements is read-only; write a copy")
        # Whatever may ask another device is asked before this one is held.
        value = _given(value, self)
        if isinstance(value, ndarray) and value.shape == () and value.known() is not None:
            value = value.known()
        array = _index.alone(parts)
        masked = _index.is_mask(array)
        if masked and _index.on_device(array):
            asarray(array, device=self._device)
        elif not _index.is_basic(parts):
            parts = _index.on_host(parts)
        with self._device.lock:  # what others write meanwhile is not undone
            if not masked and _index.is_element(parts, self.ndim) and not hasattr(value, "_store") \
                    and shape_of(value) == ():
                self._sliced(parts)._put(value)
            elif masked:
                self._write_masked(array, value)
            elif _index.is_basic(parts):
                self._sliced(parts)._write_all(value)
            else:
                self._write_named(parts, value)

    def _read(self):
        """One element as it is now: read over the host's link, and no program."""
        known = self.known()
        if known is None:
            store = self._store
            known = get(store.vector, store.dtype, self._offset, 1).view(self._dtype)[0]
        return element(self._device, known, self._dtype)

    def _put(self, value):
        """Writes one element over the host's link, for all views of the store."""
        number = value.item() if hasattr(value, "item") and hasattr(value, "dtype") else value
        typed = np.asarray(number).astype(self._dtype).reshape(1).view(self._store.dtype)
        store = self._store
        if isinstance(store, Element):
            store.replace(store.vector)
        # The vector is known by the store, and below: else others see it, and get none of this.
        if sys.getrefcount(store.vector) > 2:
            own = self._device.zeros(_types.vtype(store.dtype), store.vector.n)
            with self._device.lock:
                _lib.vector_set(own.handle, store.vector.handle)
            store.replace(own)
            del own
        with self._device.lock:
            self._device.handle()
            _lib.vector_put(store.vector.handle, self._offset, 1, typed.ctypes.data)
        store.version += 1

    def _write_all(self, value):
        made = _fitting(value, self)
        if self.size:
            self._write(made._vector())

    def _write_masked(self, mask, value):
        _index.check_mask(mask, self._shape)
        if shape_of(value) not in ((), (1,)):  # one value for each element of the mask
            host = self.numpy()
            host[np.asarray(mask)] = np.asarray(value)
            if self.size:
                self._write(put(self._device, host))
            return
        chosen = _fitting(value, self)
        if not self.size:
            return
        mask = asarray(mask, device=self._device)
        mask = mask.reshape(mask.shape + (1,) * (self.ndim - mask.ndim))
        self._write(apply(self._device, SELECT, self._dtype, self.size,
                          broadcast_to(mask, self._shape)._vector(), chosen._vector(),
                          self._vector()))

    def _write_named(self, parts, value):
        """Elements that lists of numbers name: the host says which, the machine writes them."""
        mask = np.zeros(self._shape, dtype=bool)
        mask[parts] = True
        values = np.zeros(self._shape, dtype=self._dtype)
        values[parts] = np.asarray(value)
        if mask.any():
            chosen, placed = put(self._device, mask), put(self._device, values)
            self._write(apply(self._device, SELECT, self._dtype, self.size, chosen, placed,
                              self._vector()))

    def _sliced(self, parts):
        shape, strides, offset = [], [], self._offset
        axis = 0
        for part in _index.spelled_out(parts, self.ndim):
            if part is None:
                shape.append(1)
                strides.append(0)
                continue
            extent, stride = self._shape[axis], self._strides[axis]
            if isinstance(part, slice):
                first, last, step = part.indices(extent)
                count = len(range(first, last, step))
                shape.append(count)
                strides.append(stride * step)
                offset += first * stride if count else 0
            else:
                i = operator.index(part)
                if not -extent <= i < extent:
                    raise IndexError(f"index {i} is out of bounds for axis {axis} with size "
                                     f"{extent}")
                offset += (i % extent) * stride
            axis += 1
        return self._view(shape, strides, offset)


def _shape_words(words):
    if len(words) == 1 and not isinstance(words[0], numbers.Integral):
        words = words[0]
    return tuple(operator.index(e) for e in words)


def _axes_words(axes):
    if len(axes) == 1 and (axes[0] is None or not isinstance(axes[0], numbers.Integral)):
        axes = axes[0]
    return None if axes is None or len(axes) == 0 else axes


def _axis(axis, ndim):
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise getattr(np, "exceptions", np).AxisError(axis, ndim)
    return axis % ndim


def axes_of(axis, ndim):
    """Axes by their numbers, each of them once; all of them where none is named."""
    if axis is None:
        return list(range(ndim))
    axes = [_axis(x, ndim) for x in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if len(set(axes)) != len(axes):
        raise ValueError(f"the axes {tuple(axes)} are not all different")
    return axes


def _regrouped(shape, strides, wanted):
    """Strides of a view with the wanted shape, or None: axes that do not lie one behind the other
    cannot be joined."""
    old = [(e, s) for e, s in zip(shape, strides) if e != 1]
    result, i = [0] * len(wanted), 0
    k = 0
    while k < len(wanted):
        if wanted[k] == 1:
            k += 1
            continue
        if i == len(old):
            return None
        extent, stride = old[i]
        i += 1
        product, first = wanted[k], k
        k += 1
        while product != extent:
            if product < extent and k < len(wanted):
                product *= wanted[k]
                k += 1
            elif product > extent and i < len(old) and stride == old[i][0] * old[i][1]:
                extent *= old[i][0]
                stride = old[i][1]
                i += 1
            else:
                return None
        for axis in reversed(range(first, k)):
            result[axis] = stride if wanted[axis] != 1 else 0
            stride *= wanted[axis]
    return result


# --- writing through a view ---


def _spread(view, vector):
    """The vector's elements where they lie in the store, and a mask of these.

    The store is seen as units of the view's widest stride, each of these as units of the next one,
    and so on down to elements.  From the innermost axis outwards the view's elements come to their
    units, and what lies between is filled with 0."""
    axes = sorted((abs(s), e, s) for e, s in zip(view._shape, view._strides) if e > 1)[::-1]
    order = sorted(range(view.ndim), key=lambda a: (-abs(view._strides[a]), -view._shape[a]))
    vector = move(vector, [view._shape[a] for a in order],
                  [c_strides(view._shape)[a] for a in order])
    begins, rest = [], view._offset + sum(s * (e - 1) for _, e, s in axes if s < 0)
    spans = [view._store.vector.n] + [stride for stride, _, _ in axes]
    for k, (stride, extent, _) in enumerate(axes):
        begins.append(rest // stride)
        rest %= stride
        if (begins[k] + extent - 1) * stride >= spans[k]:
            raise _lib.Usage("this view cannot be written: its axes overlap; write a copy")
    mask = apply(view._device, COPY, np.dtype(bool), vector.n, 1)
    return tuple(_widen_all(v, axes, spans, begins, rest) for v in (vector, mask))


def _widen_all(vector, axes, spans, begins, rest):
    vector = _widen(vector, 1, 1, rest, 1, spans[-1])
    for k in reversed(range(len(axes))):
        stride, extent, signed = axes[k]
        vector = _widen(vector, extent, stride, begins[k], -1 if signed < 0 else 1, spans[k])
    return vector


def _widen(vector, count, unit, begin, step, length):
    """Each `count` units of the vector become `length` elements: unit i comes to place begin + i, or
    from that end where step is -1; all else is 0."""
    places = -(-length // unit)
    rows = vector.n // (count * unit)
    if places != count or step < 0:
        # The units in front, so that what leaves them leaves the vector ...
        front = move(vector, (count, rows, unit), (unit, count * unit, 1))
        # ... and back behind their row, with others around them.
        far = rows * unit
        first = -begin * far if step > 0 else (begin + count - 1) * far
        vector = move(front, (rows, places, unit), (unit, step * far, 1), first)
    if places * unit != length:
        vector = move(vector, (rows, length), (places * unit, 1))
    return vector


# --- making arrays ---


def whole(device, vector, dtype, shape):
    return ndarray(device, Store(vector, dtype), dtype, shape)


def element(device, value, dtype):
    """An array without dimensions of a value that the host has."""
    return ndarray(device, Element(device, value, dtype), dtype, ())


def empty_of(device, dtype, shape):
    return ndarray(device, None, dtype, shape)


def from_host(values, device):
    """A NumPy array on the device, a copy."""
    dtype = _types.dtype_of(values.dtype)
    if values.size == 0:
        return empty_of(device, dtype, values.shape)
    check_room_for(device, dtype)
    return whole(device, put(device, values), dtype, values.shape)


def asarray(value, dtype=None, device=None):
    """An array on the device: the same one if it is there, else a copy."""
    if isinstance(value, ndarray):
        if device is not None and value._device is not device:
            raise _lib.Usage(f"the array lies on {value._device!r}, not on {device!r}; "
                             "np.asarray brings it to the host")
        return value if dtype is None else value.astype(dtype, copy=False)
    device = current() if device is None else device
    return from_host(np.asarray(value, dtype=dtype), device)


def full_like_shape(device, dtype, shape, value):
    """An array of one number."""
    n = checked_size(shape)
    if isinstance(value, int) and not _types.fits(value, dtype) and dtype.kind in "iu":
        raise OverflowError(f"{value} is no number of type {dtype}")
    if n == 0:
        return empty_of(device, dtype, shape)
    check_room_for(device, dtype)
    return whole(device, apply(device, COPY, dtype, n, _types.bits_of(value, dtype)), dtype, shape)


def check_room_for(device, dtype):
    """An error that names dtype=, where the device has no rows for arithmetic of that type: tried
    once."""
    if dtype != np.float64 or device._floats.get(dtype):
        return
    try:
        one = apply(device, COPY, dtype, 1, _types.bits_of(1.0, dtype))
        get(apply(device, MUL, dtype, 1, one, one), dtype)
    except (_lib.Capacity, _lib.Rejected) as e:
        raise type(e)(f"{device.name} has no room for arithmetic on float64; give "
                      f"dtype=np.float32 ({e})") from None
    device._floats[dtype] = True


def broadcast_to(array, shape):
    """A view of that shape, which repeats elements along axes of length 1."""
    shape = tuple(shape)
    checked_size(shape)
    if len(shape) < array.ndim:
        raise ValueError(f"shape {array.shape} cannot be broadcast to {shape}")
    before = len(shape) - array.ndim
    strides = [0] * before
    for extent, stride, wanted in zip(array._shape, array._strides, shape[before:]):
        if extent != wanted and extent != 1:
            raise ValueError(f"shape {array.shape} cannot be broadcast to {shape}")
        strides.append(stride if extent == wanted else 0)
    view = array._view(shape, strides, array._offset)
    view._writable = False
    return view


def _given(value, target):
    """A value that is to be written to an array: lists as arrays of the host, of which the numbers
    are some of its type."""
    dtype = target.dtype
    if isinstance(value, ndarray):
        return asarray(value, device=target.device)
    if isinstance(value, (complex, np.complexfloating)):
        raise TypeError(f"{value} is no number of type {dtype}")
    given = np.asarray(value) if isinstance(value, (list, tuple)) else value
    if isinstance(given, int):
        numbers_in = [given]
    elif given is not value and given.dtype.kind in "iu" and given.size:
        numbers_in = [int(given.min()), int(given.max())]
    else:
        numbers_in = []
    for number in numbers_in:
        if dtype.kind in "iu" and not _types.fits(number, dtype):
            raise OverflowError(f"{number} is no number of type {dtype}")
    return given


def _fitting(value, view):
    """A value to be written to a view: of its type, broadcast to its shape."""
    if not hasattr(value, "shape") or not value.shape:
        number = value.item() if hasattr(value, "item") and hasattr(value, "dtype") else value
        if np.ndim(number) == 0:
            if isinstance(value, int):
                return full_like_shape(view._device, view._dtype, view._shape, value)
            return full_like_shape(view._device, view._dtype, view._shape,
                                   np.asarray(number).astype(view._dtype))
    value = asarray(value, device=view._device)
    lead = value.ndim - view.ndim
    if lead > 0 and value.shape[:lead] == (1,) * lead:
        value = value.reshape(value.shape[lead:])
    return broadcast_to(value.astype(view._dtype, copy=False), view._shape)


__all__ = ["Device", "ndarray"]
