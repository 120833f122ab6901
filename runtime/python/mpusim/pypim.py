# SPDX-License-Identifier: MIT
"""The names of PyPIM's library (Leitersdorf et al., "PyPIM", section V-A and appendix G) on arrays
of a device of target pypim: programs for it run with ``from mpusim import pypim as pim``.

What that library computes wrongly is right here: comparisons of all integers, remainders of
negative ones, lengths that are no powers of two, sine and cosine of all angles.  A division by 0
gives 0 and a remainder by 0 the dividend's 0, as NumPy has it."""

import builtins
import math
import threading

import numpy as np

from . import _array, _device, _elementwise, _reduce, _shape

int32, float32, bool = np.int32, np.float32, np.bool_  # noqa: A001

_opened = {}
_opening = threading.Lock()


def device():
    """The device of target pypim that tensors lie on, in all threads."""
    with _opening:
        if "pypim" not in _opened or _opened["pypim"].closed:
            _opened["pypim"] = _device.Device("pypim")
        return _opened["pypim"]


class Tensor:
    """A vector of int32, float32 or bool, element by element as PyPIM's."""

    _of = None  # of a view: the slice

    def __init__(self, *shape, dtype=int32, ref_tensor=None, default_value=0):
        del ref_tensor  # where tensors lie is the device's to choose
        self._a = _shape.full(shape, default_value, dtype=dtype, device=device())

    @classmethod
    def _from(cls, array, of=None):
        made = cls.__new__(TensorView if of is not None else Tensor)
        made._a, made._of = array, of
        return made

    @property
    def shape(self):
        return self._a.shape

    @property
    def dtype(self):
        return self._a.dtype

    def __len__(self):
        return len(self._a)

    def __iter__(self):
        return iter(self._a.numpy().tolist())

    def __array__(self, dtype=None, copy=None):
        return self._a.__array__(dtype)

    def __getitem__(self, index):
        part = self._a[index]
        if not isinstance(index, slice):
            return part.item()
        first, last, step = index.indices(len(self._a))
        count = len(range(first, last, step))
        return self._from(part, slice(first, first + step * (count - 1) + 1, step))

    def __setitem__(self, index, value):
        self._a[index] = _of(value)

    def __repr__(self):
        kind = f", slicing={self._of}" if self._of is not None else ""
        name = type(self).__name__
        return f"{name}(shape={self.shape}, dtype={self.dtype.name}{kind}):\n " \
               f"{self._a.numpy().tolist()}"

    def _make(self, array):
        return self._from(array, self._of)

    # --- arithmetic ---

    def __add__(self, other):
        return self._make(self._a + _of(other))

    def __sub__(self, other):
        return self._make(self._a - _of(other))

    def __rsub__(self, other):
        return self._make(_of(other) - self._a)

    def __mul__(self, other):
        return self._make(self._a * _of(other))

    def __truediv__(self, other):
        return self._make(_divided(self._a, _of(other)))

    def __rtruediv__(self, other):
        return self._make(_divided(_typed(other, self._a), self._a))

    def __mod__(self, other):
        return self._make(self._a % _of(other))

    def __rmod__(self, other):
        return self._make(_of(other) % self._a)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self._make(-self._a)

    def __abs__(self):
        return self._make(abs(self._a))

    abs = __abs__

    def __invert__(self):
        return self._make(~self._a)

    def __and__(self, other):
        return self._make(_bits(self._a, _of(other), _elementwise.bitwise_and))

    def __or__(self, other):
        return self._make(_bits(self._a, _of(other), _elementwise.bitwise_or))

    def __xor__(self, other):
        return self._make(_bits(self._a, _of(other), _elementwise.bitwise_xor))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lt__(self, other):
        return self._make(self._a < _of(other))

    def __le__(self, other):
        return self._make(self._a <= _of(other))

    def __gt__(self, other):
        return self._make(self._a > _of(other))

    def __ge__(self, other):
        return self._make(self._a >= _of(other))

    def __eq__(self, other):
        return self._make(self._a == _of(other))

    def __ne__(self, other):
        return self._make(self._a != _of(other))

    __hash__ = None

    def sign(self):
        """Whether the sign is set, as bool."""
        if self.dtype.kind == "f":
            return self._make(_elementwise.signbit(self._a))
        return self._make(self._a < 0)

    def zero(self):
        """Whether it is 0, -0 too."""
        return self._make(self._a == 0)

    def mux(self, a, b):
        """a where this one, of bool, is true, b elsewhere."""
        return self._make(_elementwise.where(self._a, _of(a), _of(b)))

    # --- memory ---

    def clone(self):
        return self._from(self._a.copy())

    def copy(self, destination=None):
        if destination is None:
            return self.clone()
        destination._a[...] = self._a
        return destination

    def fill(self, value):
        self._a[...] = value
        return self

    def empty_like(self):
        return self.zeros_like()

    def zeros_like(self):
        return self._from(_shape.zeros_like(self._a))

    def ones_like(self):
        return self._from(_shape.ones_like(self._a))

    # --- reductions ---

    def reduce(self, name):
        """"__add__" or "__mul__" over all elements, neighbours in pairs first."""
        return {"__add__": self.sum, "__mul__": self.prod}[name]()

    def sum(self):
        return _reduce.sum(self._a, dtype=self.dtype).item()

    def prod(self):
        return _reduce.prod(self._a, dtype=self.dtype).item()

    def sort(self, group_size=None):
        """The tensor itself, sorted; in groups of so many elements each by itself."""
        grouped = self._a.reshape(-1, group_size) if group_size else self._a
        self._a[...] = _reduce.sort(grouped, -1).reshape(self.shape)
        return self


class TensorView(Tensor):
    """Elements of a tensor at a slice; writing goes through to it."""


def _of(value):
    return value._a if isinstance(value, Tensor) else value


def _typed(value, like):
    return np.array(value, dtype=like.dtype)


def _divided(a, b):
    """Of integers toward zero; 0 where b is 0."""
    if getattr(a, "dtype", None) is not None and a.dtype.kind == "f":
        return a / b
    call = _elementwise.Call((a, b))
    a, b = call.operands
    return call.result(call.apply(_array.TRUNC_DIVIDE, a, b))


def _bits(a, b, function):
    """Of floats their patterns."""
    if a.dtype.kind != "f":
        return function(a, b)
    other = b.view(np.uint32) if hasattr(b, "view") else b
    return function(a.view(np.uint32), other).view(np.float32)


# --- making ---


def _shape_of(shape):
    return shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape


def zeros(*shape, dtype=int32):
    return Tensor(*_shape_of(shape), dtype=dtype)


def ones(*shape, dtype=int32):
    return Tensor(*_shape_of(shape), dtype=dtype, default_value=1)


empty = zeros


def from_numpy(values):
    return Tensor._from(_array.from_host(np.asarray(values), device()))


def to_numpy(tensor):
    return tensor._a.numpy()


def arange(*bounds, dtype=None):
    values = np.arange(*bounds, dtype=dtype)
    return from_numpy(values.astype(np.int32) if dtype is None and values.dtype.kind == "i"
                      else values.astype(np.float32) if dtype is None else values)


def linspace(start, stop, num=50):
    return from_numpy(np.linspace(start, stop, num).astype(np.float32))


# --- sine and cosine ---

_HALF_PI = (1.5707962512969971, 7.5497894158615964e-08, 5.3903029534742384e-15)  # added up


def cos_sin(alpha, num_iters=32):
    """Cosine and sine of float32 angles, by polynomials (num_iters is PyPIM's, of a CORDIC that
    this is not): within 5e-7 for |alpha| up to 10, the error grows with it."""
    del num_iters
    a = alpha._a
    turns = _elementwise.rint(a * float32(2 / math.pi))
    r = a
    for part in _HALF_PI:
        r = r - turns * float32(part)
    s = r * r
    sine = r + r * s * (s * (s * float32(-1.9515295891e-4) + float32(8.3321608736e-3))
                        + float32(-1.6666654611e-1))
    cosine = s * s * (s * (s * float32(2.443315711809948e-5) + float32(-1.388731625493765e-3))
                      + float32(4.166664568298827e-2)) - s * float32(0.5) + float32(1)
    quarter = turns.astype(np.int32) & 3
    odd = (quarter & 1) == 1
    c = _elementwise.where(odd, sine, cosine)
    s = _elementwise.where(odd, cosine, sine)
    c = _elementwise.where((quarter == 1) | (quarter == 2), -c, c)
    s = _elementwise.where(quarter >= 2, -s, s)
    return Tensor._from(c), Tensor._from(s)


def cos(alpha, num_iters=32):
    return cos_sin(alpha, num_iters)[0]


def sin(alpha, num_iters=32):
    return cos_sin(alpha, num_iters)[1]


def tan(alpha, num_iters=32):
    c, s = cos_sin(alpha, num_iters)
    return s / c


def degrees_to_radians(alpha):
    return alpha * float32(math.pi / 180)


class Profiler:
    """Prints what a block cost: cycles, words, time, energy."""

    def __init__(self, name="", do_print=True):
        self.name, self.do_print = name, do_print

    def __enter__(self):
        self._profile = device().profile()
        self._profile.__enter__()
        return self

    def __exit__(self, *exception):
        self._profile.__exit__(*exception)
        if self.do_print and self._profile.stats is not None:
            builtins.print(f"{self.name + ': ' if self.name else ''}"
                           f"{self._profile.cycles} cycles, {self._profile.stats.line()}")

    def getMetrics(self):
        """The figures as a dict."""
        return self._profile.stats.flat()
