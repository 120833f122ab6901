# SPDX-License-Identifier: MIT
"""What an index names, by NumPy's rules: views, copies, masks, lists of numbers."""

import numpy as np


def on_device(value):
    return hasattr(value, "_store")


def parts_of(index):
    """The parts of an index.  An array of the device without dimensions stands for a number, as
    NumPy's scalars do."""
    parts = index if isinstance(index, tuple) else (index,)
    return tuple(p.item() if on_device(p) and p.shape == () else p for p in parts)


def is_integer(part):
    """Whether it names one place of an axis; a truth value does not."""
    if isinstance(part, np.ndarray):
        return part.shape == () and part.dtype.kind in "iu"
    return hasattr(part, "__index__") and not isinstance(part, (bool, np.bool_)) \
        and not on_device(part)


def is_basic(parts):
    """Whether they are slices, integers, None and ... alone, which name a view."""
    return all(p is None or p is Ellipsis or isinstance(p, slice) or is_integer(p) for p in parts)


def is_copied(parts, ndim):
    """Whether NumPy copies what a basic index names: an element, or a place that an array names."""
    return any(isinstance(p, np.ndarray) for p in parts) \
        or len(parts) == ndim and all(is_integer(p) for p in parts)


def is_element(parts, ndim):
    """Whether it is a number for each axis."""
    return ndim > 0 and len(parts) == ndim and all(is_integer(p) for p in parts)


def alone(parts):
    """The array of an index that is one array of one dimension or more, a list too; else None."""
    if len(parts) != 1:
        return None
    array = parts[0]
    if isinstance(array, list):
        array = np.asarray(array)
        array = array.astype(np.intp) if array.size == 0 else array
    return array if getattr(array, "shape", ()) and hasattr(array, "dtype") else None


def is_mask(array):
    """Whether it is of truth values; without elements it names nothing, whatever its shape."""
    return array is not None and array.dtype == np.bool_ and 0 not in array.shape


def on_host(parts):
    """The index for an array of the host."""
    return tuple(np.asarray(p) if on_device(p) else p for p in parts)


def named_shape(parts, shape):
    """The shape of what the index names of an array of that shape; IndexError if it names nothing
    there."""
    return np.broadcast_to(np.False_, shape)[on_host(parts)].shape


def check_mask(mask, shape):
    """A mask is of the first axes of an array."""
    if len(mask.shape) > len(shape):
        raise IndexError(f"too many indices: the array has {len(shape)} dimensions, and the mask "
                         f"has {len(mask.shape)}")
    for axis, (extent, marks) in enumerate(zip(shape, mask.shape)):
        if extent != marks:
            raise IndexError(f"the mask has {marks} elements along axis {axis}, and the array has "
                             f"{extent}")


def spelled_out(parts, ndim):
    """A basic index with a slice for each axis that it does not name."""
    named = sum(p is not None and p is not Ellipsis for p in parts)
    if sum(p is Ellipsis for p in parts) > 1:
        raise IndexError("an index has at most one ...")
    if named > ndim:
        raise IndexError(f"too many indices: the array has {ndim} dimensions, and {named} were "
                         "given")
    rest = [slice(None)] * (ndim - named)
    if not any(p is Ellipsis for p in parts):
        return list(parts) + rest
    at = next(i for i, p in enumerate(parts) if p is Ellipsis)
    return list(parts[:at]) + rest + list(parts[at + 1:])
