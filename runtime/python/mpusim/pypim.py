# SPDX-License-Identifier: MIT
"""The names of PyPIM's library (Leitersdorf et al., "PyPIM", section V-A and appendix G) on arrays
of a device of target pypim: programs for it run with ``from mpusim import pypim as pim``.

What that library computes wrongly is right here: comparisons of all integers, remainders of
negative ones, lengths that are no powers of two, sine and cosine of all angles.  A division by 0
gives 0 and a remainder by 0 the dividend's 0, as NumPy has it.  Tensors of two types do not go
together, there and here.  Sums, products and sorts are the machine's, from the first step to the
last: the host finishes nothing."""

import builtins
import collections
import ctypes
import math
import threading

import numpy as np

from . import _array, _device, _elementwise, _lib, _reduce, _shape

int32, float32, bool = np.int32, np.float32, np.bool_  # noqa: A001


class Type:
    """The types of elements, which the module has by their own names, too."""

    int32, float32, bool = np.int32, np.float32, np.bool_  # noqa: A001


_opened = {}
_opening = threading.Lock()


def device():
    """The device of target pypim that tensors lie on, in all threads."""
    with _opening:
        if "pypim" not in _opened or _opened["pypim"].closed:
            _opened["pypim"] = _device.Device("pypim", finish="device", place="packed")
        return _opened["pypim"]


class Tensor:
    """A vector of int32, float32 or bool, element by element as PyPIM's."""

    _of = _parent = None  # of a view: the slice, and of what

    def __init__(self, *shape, dtype=int32, ref_tensor=None, default_value=None):
        del ref_tensor  # where tensors lie is the device's to choose
        self._a = _shape.full(shape, default_value or 0, dtype=dtype, device=device())

    @classmethod
    def _from(cls, array, of=None, parent=None):
        made = cls.__new__(TensorView if of is not None else Tensor)
        made._a, made._of, made._parent = array, of, parent
        return made

    @property
    def shape(self):
        return self._a.shape

    @property
    def dtype(self):
        return self._a.dtype

    @property
    def nelem(self):
        """How many elements there are."""
        return math.prod(self.shape)

    @property
    def dim(self):
        """How many dimensions."""
        return len(self.shape)

    @property
    def stride(self):
        """Of each dimension: elements from one to the next, row by row."""
        return tuple(math.prod(self.shape[k + 1:]) for k in range(self.dim))

    def get_parent_tensor(self):
        """The tensor that a view is of; of others themselves."""
        return self

    def get_slicing(self):
        """Which elements of the parent these are."""
        return slice(0, self.nelem, 1)

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
        own = self.get_slicing()
        first, step = own.start + first * own.step, step * own.step
        return self._from(part, slice(first, first + step * (count - 1) + 1, step),
                          self.get_parent_tensor())

    def __setitem__(self, index, value):
        self._a[index] = _same(self, value)

    def __repr__(self):
        kind = f", slicing={self._of}" if self._of is not None else ""
        name = type(self).__name__
        return f"{name}(shape={self.shape}, dtype={self.dtype.name}{kind}):\n " \
               f"{self._a.numpy().tolist()}"

    def _make(self, array):
        return self._from(array, self._of, self._parent)

    # --- arithmetic ---

    def __add__(self, other):
        return self._make(self._a + _same(self, other))

    def __sub__(self, other):
        return self._make(self._a - _same(self, other))

    def __rsub__(self, other):
        return self._make(_same(self, other) - self._a)

    def __mul__(self, other):
        return self._make(self._a * _same(self, other))

    def __truediv__(self, other):
        return self._make(_divided(self._a, _same(self, other)))

    def __rtruediv__(self, other):
        return self._make(_divided(_typed(_same(self, other), self._a), self._a))

    def __mod__(self, other):
        return self._make(self._a % _same(self, other))

    def __rmod__(self, other):
        return self._make(_same(self, other) % self._a)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self._make(-self._a)

    def __abs__(self):
        return self._make(abs(self._a))

    abs = __abs__

    def __invert__(self):
        """Of floats their patterns, as all operations on bits."""
        if self.dtype.kind == "f":
            return self._make((~self._a.view(np.uint32)).view(np.float32))
        return self._make(~self._a)

    def __and__(self, other):
        return self._make(_bits(self._a, _same(self, other), _elementwise.bitwise_and))

    def __or__(self, other):
        return self._make(_bits(self._a, _same(self, other), _elementwise.bitwise_or))

    def __xor__(self, other):
        return self._make(_bits(self._a, _same(self, other), _elementwise.bitwise_xor))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lt__(self, other):
        return self._make(self._a < _same(self, other))

    def __le__(self, other):
        return self._make(self._a <= _same(self, other))

    def __gt__(self, other):
        return self._make(self._a > _same(self, other))

    def __ge__(self, other):
        return self._make(self._a >= _same(self, other))

    def __eq__(self, other):
        return self._make(self._a == _same(self, other))

    def __ne__(self, other):
        return self._make(self._a != _same(self, other))

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

    def empty_like(self, default_value=None, dtype=None):
        return self._from(_shape.full(self.shape, default_value or 0, dtype=dtype or self.dtype,
                                      device=device()))

    def zeros_like(self, dtype=None):
        return self.empty_like(0, dtype)

    def ones_like(self, dtype=None):
        return self.empty_like(1, dtype)

    # --- reductions ---

    def reduce(self, name):
        """All elements by the method of that name, of two tensors: neighbours in pairs, then pairs
        of these; the last one of an odd number as it is."""
        if name in ("__add__", "__mul__"):
            return {"__add__": self.sum, "__mul__": self.prod}[name]()
        part = self._a
        while len(part) > 1:
            pairs = len(part) // 2
            made = _of(getattr(self._from(part[:2 * pairs:2]), name)(
                self._from(part[1:2 * pairs:2])))
            part = _shape.concatenate((made, part[-1:])) if len(part) % 2 else made
        return part[0].item()

    def sum(self):
        return _reduce.sum(self._a, dtype=self.dtype).item()

    def prod(self):
        return _reduce.prod(self._a, dtype=self.dtype).item()

    def sort(self, group_size=None):
        """A sorted copy; in groups of so many elements each by itself."""
        grouped = self._a.reshape(-1, group_size) if group_size else self._a
        return self._from(_reduce.sort(grouped, -1).reshape(self.shape))


class TensorView(Tensor):
    """Elements of a tensor at a slice; writing goes through to it."""

    def get_parent_tensor(self):
        return self if self._parent is None else self._parent

    def get_slicing(self):
        return self._of


def _of(value):
    return value._a if isinstance(value, Tensor) else value


def _same(tensor, value):
    """The other operand, which has the tensor's type if it is one."""
    if isinstance(value, Tensor) and value.dtype != tensor.dtype:
        raise TypeError(f"tensors of {tensor.dtype.name} and {value.dtype.name} do not go together")
    return _of(value)


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


def linspace(start, stop, num=50, endpoint=True, dtype=float32):
    return from_numpy(np.linspace(start, stop, num, endpoint=endpoint).astype(dtype))


def compare_and_swap(a, b, dir):  # noqa: A002
    """The lesser of both and the greater one; the other way round where `dir`, of bool, is true."""
    swap = (b < a) ^ dir
    return swap.mux(b, a), swap.mux(a, b)


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


def radians_to_degrees(alpha):
    return alpha * float32(180 / math.pi)


# --- what it costs ---


class Metrics(collections.namedtuple("Metrics", "latency energy")):
    """Cycles of the crossbars' clock, and femtojoules."""

    __slots__ = ()

    def __add__(self, other):
        return Metrics(self.latency + other.latency, self.energy + other.energy)

    def __sub__(self, other):
        return Metrics(self.latency - other.latency, self.energy - other.energy)


def getMetrics():
    """What the machine has done so far: gates ("logic"), moves between rows and crossbars ("move"),
    the rest of the machine ("control"), and their sum ("total").  What the host did is beside it:
    "host", its link, of which the sum has nothing."""
    return _metrics(device().stats())


def _metrics(stats):
    clock = _clock_ps()
    total, time, energy, host = (stats[k] for k in ("total", "time_ps", "energy_fj", "host"))
    moved = time["transfer"] + time["host"], sum(energy[k] for k in ("transfer", "network", "host"))
    gates = time["compute"], sum(energy.values()) - moved[1] - energy["front_end"] - energy["static"]
    parts = {"logic": gates, "move": moved,
             "control": (total["time_ps"] - gates[0] - moved[0],
                         total["energy_fj"] - gates[1] - moved[1])}
    made, before, ps = {}, 0, 0
    for name, (part, fj) in parts.items():  # rounded so that they add up
        ps += part
        made[name] = Metrics(round(ps / clock) - before, fj)
        before += made[name].latency
    made["total"] = sum(made.values(), Metrics(0, 0))
    made["host"] = Metrics(round(host["time_ps"] / clock), host["energy_fj"])
    return made


def _clock_ps():
    with device().lock:
        value = ctypes.c_uint64()
        _lib.target_number(device()._target, b"datapath_ps", ctypes.byref(value))
    return value.value


def resetMetrics():
    """All of them are 0 again."""
    device().reset_stats()


def printMetrics(metrics=None):
    """A line for each."""
    builtins.print("Type\tLatency\tEnergy")
    for name, (latency, energy) in (getMetrics() if metrics is None else metrics).items():
        builtins.print(f"{name}\t{latency}\t{energy}")


class Profiler:
    """Prints what a block cost: cycles of gates and of moves, what the host did, time, energy."""

    def __init__(self, name="", do_print=True):
        self.name, self.do_print = name or "", do_print

    def __enter__(self):
        self._profile = device().profile()
        self._profile.__enter__()
        return self

    def __exit__(self, *exception):
        self._profile.__exit__(*exception)
        if self.do_print and self._profile.stats is not None:
            stats = self._profile.stats
            made, host = _metrics(stats), stats["host"]
            builtins.print(f"{self.name + ': ' if self.name else ''}"
                           f"{made['total'].latency} cycles ({made['logic'].latency} of gates, "
                           f"{made['move'].latency} of moves), {stats.line()}; the host put "
                           f"{host['bytes_in']} and got {host['bytes_out']} bytes")

    def getMetrics(self):
        """The figures as a dict: those of the module's getMetrics, and all of the statistics."""
        return {**self._profile.stats.flat(), **_metrics(self._profile.stats)}
