# SPDX-License-Identifier: MIT
"""NumPy's types and the device's."""

import numpy as np

from . import _lib

BOOL, UINT, INT, FLOAT, BFLOAT = range(5)
_KINDS = {"b": BOOL, "u": UINT, "i": INT, "f": FLOAT}

try:  # bfloat16 is that of ml_dtypes, where it is there
    import ml_dtypes

    _bfloat16 = np.dtype(ml_dtypes.bfloat16)
except ImportError:
    _bfloat16 = None


def dtype_of(like):
    """The NumPy type, which a device must have: bool, integers and floats of up to 64 bits."""
    dtype = np.dtype(like)
    vtype(dtype)
    return dtype


def vtype(dtype):
    """The device's type of elements."""
    if is_bfloat(dtype):
        return _lib.VType(BFLOAT, 16)
    if dtype.kind not in _KINDS or dtype.itemsize > 8 or not dtype.isnative:
        raise _lib.Usage(f"a device has no elements of type {dtype}; it has bool, int8 to int64, "
                         "uint8 to uint64, float16, float32 and float64")
    return _lib.VType(_KINDS[dtype.kind], 1 if dtype.kind == "b" else 8 * dtype.itemsize)


def of_vtype(type_of):
    """NumPy's type of the device's elements on the host."""
    if type_of.kind == BFLOAT:
        return bfloat16()
    if type_of.kind == BOOL:
        return np.dtype(bool)
    least = next(n for n in (1, 2, 4, 8) if 8 * n >= type_of.bits)
    return np.dtype(f"{' uif'[type_of.kind]}{least}")


def bfloat16():
    if _bfloat16 is None:
        raise _lib.Usage("bfloat16 is ml_dtypes' type, which is not installed")
    return _bfloat16


def is_bfloat(dtype):
    return _bfloat16 is not None and dtype == _bfloat16


def is_float(dtype):
    return dtype.kind == "f" or is_bfloat(dtype)


def unsigned_of(dtype):
    """The unsigned type with as many bits."""
    return np.dtype(f"u{dtype.itemsize}")


def bits_of(value, dtype):
    """The pattern of a number of that type, as an integer."""
    if dtype.kind == "b":
        return int(bool(value))
    return int(np.asarray(value).astype(dtype).reshape(1).view(unsigned_of(dtype))[0])


def fits(value, dtype):
    """Whether a Python number is one of that type: floats take any, rounded."""
    if dtype.kind == "b":
        return isinstance(value, bool)
    if is_float(dtype):
        return True
    info = np.iinfo(dtype)
    return isinstance(value, int) and info.min <= value <= info.max


def of_python(value, other):
    """The type of a Python number beside arrays of type `other`, as NumPy 2 has it: that type,
    unless the number is of a higher kind."""
    if isinstance(value, bool):
        return other
    if isinstance(value, int):
        return np.dtype(np.int64) if other.kind == "b" else other
    if isinstance(value, float):
        return other if is_float(other) else np.dtype(np.float64)
    raise _lib.Usage(f"a device has no numbers of type {type(value).__name__}")
