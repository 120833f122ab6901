# SPDX-License-Identifier: MIT
"""Kernels in a machine's own language, and buffers in its memory, on which they work."""

import ctypes
import operator
import os
import pathlib

import numpy as np

from . import _lib, _types
from ._array import ndarray
from ._device import current


class _Place:
    """A buffer on a device, which goes with the object."""

    __slots__ = ("device", "handle", "kept", "__weakref__")

    def __init__(self, device, handle, kept=None):
        self.device, self.handle = device, handle
        self.kept = kept  # the module that it belongs to

    def __del__(self):
        if self.kept is None and _lib is not None:
            self.device.let_go(self.handle, _lib.buffer_free)


class Buffer:
    """An array in the memory of a device: ``mpusim.buffer(values)``.

    ``b.numpy()`` reads it, ``b.put(values)`` writes it; ``b[i:k]`` is a part along the first axis,
    which is read, written and given to kernels as a buffer of its own.  Where it lies in slices
    (``kernel.buffer(..)``), ``b.unit(u)`` is what one of its ``b.units`` units has of it."""

    def __init__(self, place, shape, dtype, offset=0, unit=None):
        self._place, self.shape, self.dtype, self._offset = place, shape, dtype, offset
        self._unit = _ALL_UNITS if unit is None else unit

    @property
    def device(self):
        return self._place.device

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=object))

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    @property
    def units(self):
        """How many units of the machine have some of it of their own; 0: it is one place for
        all."""
        with self.device.lock:
            self.device.handle()
            return _lib.buffer_units(self._place.handle)

    def unit(self, number):
        """What that unit has of its own: it is read and written there alone, in one dimension."""
        number = _lib.unsigned("a unit", number, 32)
        if number >= self.units:
            raise _lib.Usage(f"the buffer lies in {self.units} units, and not in unit {number}")
        size = _lib.buffer_unit_bytes(self._place.handle, number)
        return Buffer(self._place, (size // self.dtype.itemsize,), self.dtype, 0, number)

    def numpy(self):
        """What it holds, over the host's link."""
        values = np.empty(self.shape, self.dtype)
        device = self.device
        with device.lock:
            device.handle()
            _lib.buffer_get(self._place.handle, self._unit, self._offset, self.nbytes,
                            values.ctypes.data)
        return values

    def __array__(self, dtype=None, copy=None):
        values = self.numpy()
        return values if dtype is None else values.astype(dtype)

    def put(self, values):
        """Writes values of its shape, or one for all."""
        values = values.numpy() if isinstance(values, (ndarray, Buffer)) else np.asarray(values)
        typed = np.ascontiguousarray(np.broadcast_to(values, self.shape), dtype=self.dtype)
        if self.dtype.kind != "f" and not np.array_equal(typed, np.broadcast_to(values, self.shape)):
            raise _lib.Rejected(f"the values have a number that {self.dtype} does not have")
        device = self.device
        with device.lock:
            device.handle()
            _lib.buffer_put(self._place.handle, self._unit, self._offset, self.nbytes,
                            typed.ctypes.data)

    def __getitem__(self, part):
        if not isinstance(part, slice) or part.step not in (None, 1) or not self.shape:
            raise _lib.Usage("a part of a buffer is [first:last] along the first axis")
        first, last, _ = part.indices(self.shape[0])
        shape = (max(last - first, 0), *self.shape[1:])
        row = self.nbytes // self.shape[0] if self.shape[0] else 0
        return Buffer(self._place, shape, self.dtype, self._offset + first * row, self._unit)

    def __setitem__(self, part, values):
        self[part].put(values)

    def __len__(self):
        if not self.shape:
            raise TypeError("a buffer without axes has no length")
        return self.shape[0]

    def tolist(self):
        return self.numpy().tolist()

    def __repr__(self):
        return f"<mpusim buffer {self.dtype}{list(self.shape)} on {self.device.name}>"


_ALL_UNITS = 0xFFFFFFFF


def buffer(values=None, shape=None, dtype=None, device=None):
    """A buffer with these values, or (values None) with zeros of that shape, which takes no
    transfer."""
    device = current() if device is None else device
    return _made(device, values, shape, dtype,
                 lambda n, extents, of: _lib.buffer_new(device.handle(), _types.vtype(of), n, extents))


def _made(device, values, shape, dtype, new):
    """A buffer by new(dimensions, extents, dtype), which the device's lock is held for."""
    if values is not None:
        if isinstance(values, (ndarray, Buffer)):
            values = values.numpy()
        values = np.asarray(values, dtype)
        shape, dtype = values.shape, values.dtype
    elif shape is None:
        raise _lib.Usage("a buffer has values or a shape")
    shape = (operator.index(shape),) if not isinstance(shape, (tuple, list)) else tuple(shape)
    dtype = _types.dtype_of(float if dtype is None else dtype)
    extents = [_lib.unsigned("an extent", n) for n in shape]
    with device.lock:
        device.handle()
        handle = new(len(extents), (ctypes.c_uint64 * max(len(extents), 1))(*extents), dtype)
    made = Buffer(_Place(device, handle), shape, dtype)
    if values is not None:
        made.put(values)
    return made


# --- kernels ---


def _dims(what, value):
    """A number or up to three of them, for C; None: the machine chooses."""
    if value is None:
        return None
    dims = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(dims) <= 3:
        raise _lib.Usage(f"a {what} has 1 to 3 dimensions, not {len(dims)}")
    dims = [_lib.unsigned(f"a dimension of the {what}", n, 32) for n in dims]
    return (ctypes.c_uint32 * 3)(*dims, *[1] * (3 - len(dims)))


class Kernel:
    """A kernel of a module: ``k[grid, block](x, n)``; ``k(x, n)`` as the machine chooses, and
    ``k(x, n, units=8, first=16)`` on some of the machine's units."""

    def __init__(self, module, name):
        self.module, self.name = module, name
        device = module.device
        with device.lock:
            device.handle()
            self._handle = _lib.module_kernel(module._handle, name.encode())
            self.parameters = [_Parameter(self._handle, i)
                               for i in range(_lib.kernel_parameter_count(self._handle))]

    def __getitem__(self, geometry):
        geometry = geometry if isinstance(geometry, tuple) else (geometry,)
        if not 1 <= len(geometry) <= 3:
            raise _lib.Usage("a launch has [grid], [grid, block] or [grid, block, bytes]")
        grid, block, size = (*geometry, None, None)[:3]
        return _Launch(self, _dims("grid", grid), _dims("block", block),
                       _lib.unsigned("the number of bytes of a block", size or 0))

    def __call__(self, *arguments, units=None, first=0):
        _Launch(self, None, None, 0)(*arguments, units=units, first=first)

    def buffer(self, name, values=None, shape=None):
        """A buffer for the parameter of that name, of its type, which lies as the kernel wants it;
        otherwise as ``mpusim.buffer``."""
        numbers = [i for i, p in enumerate(self.parameters) if p.name == name and p.is_buffer]
        if not numbers:
            raise _lib.Usage(f"kernel {self.name!r} has no parameter {name!r} that is a buffer")
        dtype = _types.of_vtype(self.parameters[numbers[0]].type)
        if values is not None:
            values = values.numpy() if isinstance(values, (ndarray, Buffer)) else np.asarray(values)
            shape = values.shape
        made = _made(self.module.device, None, shape, dtype, lambda n, extents, _:
                     _lib.kernel_buffer_new(self._handle, numbers[0], n, extents))
        if values is not None:
            made.put(values)
        return made

    def __repr__(self):
        text = ", ".join(map(str, self.parameters))
        return f"<mpusim kernel {self.name}({text}) on {self.module.device.name}>"


class _Parameter:
    def __init__(self, kernel, i):
        self.name = _lib.kernel_parameter_name(kernel, i).decode()
        self.type = _lib.kernel_parameter_type(kernel, i)
        self.is_buffer = bool(_lib.kernel_parameter_is_buffer(kernel, i))
        self.bytes = _lib.kernel_parameter_bytes(kernel, i)

    def __str__(self):
        if self.bytes:
            return f"{self.name}: bytes[{self.bytes}]"
        letter = ("bool", "u", "i", "f", "bf")[self.type.kind]
        bits = self.type.bits if self.type.kind else ""
        return f"{self.name}: {letter}{bits}{'[]' if self.is_buffer else ''}"

    def argument(self, value):
        """For C, and what it points to."""
        if self.bytes:
            data = bytes(memoryview(value))
            if len(data) != self.bytes:
                raise _lib.Usage(f"parameter {str(self)!r} takes {self.bytes} bytes, not "
                                 f"{len(data)}")
            return _lib.Argument(None, 0, ctypes.cast(data, ctypes.c_void_p)), data
        return self._plain(value), None

    def _plain(self, value):
        if isinstance(value, Buffer):
            if value._unit != _ALL_UNITS:
                raise _lib.Usage(f"parameter {str(self)!r} takes a buffer, not one unit's part")
            return _lib.Argument(value._place.handle, value._offset, None)
        if self.is_buffer:
            raise _lib.Usage(f"parameter {str(self)!r} takes a buffer: mpusim.buffer(..)")
        return _lib.Argument(None, self._bits(value), None)

    def _bits(self, value):
        kind, bits = self.type.kind, self.type.bits
        if kind >= _types.FLOAT:
            dtype = np.dtype(f"f{bits // 8}") if kind == _types.FLOAT else _types.bfloat16()
            return _types.bits_of(value, dtype)
        number = operator.index(value)
        least = -(1 << bits - 1) if kind == _types.INT else 0
        most = (1 << (bits - 1 if kind == _types.INT else bits)) - 1
        if not least <= number <= most:
            raise _lib.Usage(f"parameter {str(self)!r} takes {least} to {most}, not {number}")
        return number & (1 << 64) - 1


class _Launch:
    def __init__(self, kernel, grid, block, size):
        self._kernel, self._grid, self._block, self._size = kernel, grid, block, size

    def __call__(self, *arguments, units=None, first=0):
        kernel, device = self._kernel, self._kernel.module.device
        if len(arguments) != len(kernel.parameters):
            raise _lib.Usage(f"kernel {kernel.name!r} has {len(kernel.parameters)} parameters, and "
                             f"gets {len(arguments)}")
        made = [p.argument(value) for p, value in zip(kernel.parameters, arguments)]
        given = [argument for argument, _ in made]
        if units is not None and not units:
            raise _lib.Usage("a launch is on some units, or (units=None) on all")
        units = _lib.unsigned("the number of units", units or 0, 32)
        first = _lib.unsigned("the first unit", first, 32)
        with device.lock:
            device.handle()
            _lib.launch_on(kernel._handle, self._grid, self._block, self._size, units, first,
                           (_lib.Argument * max(len(given), 1))(*given), len(given))


class Module:
    """Kernels of a text by their names: ``m["scale"]``."""

    def __init__(self, device, form, name, text):
        self.device, self.name = device, name
        data = text.encode()
        self._handle = None
        with device.lock:
            self._handle = _lib.module_load(device.handle(), form.encode(), name.encode(), data,
                                            len(data))
        self._kernels = {}

    def __getitem__(self, name):
        if name not in self._kernels:
            self._kernels[name] = Kernel(self, name)
        return self._kernels[name]

    def keys(self):
        """Names of the kernels, in the order of the text."""
        names = []
        while (name := _lib.module_kernel_name(self._handle, len(names))) is not None:
            names.append(name.decode())
        return names

    def __iter__(self):
        return iter(self.keys())

    def buffer(self, name):
        """A buffer that the text adds to the machine's memory."""
        with self.device.lock:
            self.device.handle()
            handle = _lib.module_buffer(self._handle, name.encode())
            type_of, size = _lib.buffer_type(handle), _lib.buffer_bytes(handle)
        dtype = _types.of_vtype(type_of)
        return Buffer(_Place(self.device, handle, self), (size // dtype.itemsize,), dtype)

    def __del__(self):
        if getattr(self, "_handle", None) and _lib is not None:
            self.device.let_go(self._handle, _lib.module_free)

    def __repr__(self):
        return f"<mpusim module {self.name} on {self.device.name}: {', '.join(self)}>"


def module(text, form=None, name=None, device=None):
    """Kernels of a text in the language of a form, or of a file (a pathlib.Path), whose suffix is
    the form where none is said: ``mpusim.module(text, form="core")["scale"][grid, block](x, n)``.

    Its device is the current one unless another is given."""
    if isinstance(text, os.PathLike):
        path = pathlib.Path(text)
        name, form = name or str(path), form or path.suffix[1:]
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError as e:
            raise _lib.FileProblem(f"cannot read '{path}': {e.strerror}") from None
    if not form:
        raise _lib.Usage("form=.. says in which language the text is")
    return Module(current() if device is None else device, form, name or f"text.{form}", text)
