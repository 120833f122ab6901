# SPDX-License-Identifier: MIT
"""Machines: a target, its vectors, and what they have cost."""

import ctypes
import json
import threading
import time
import weakref

from . import _lib
from ._stats import Stats, difference

_OPEN_WORDS = ("engine", "max_cycles", "max_seconds", "threads", "place", "spill")


def targets():
    """Names of the targets that are built in, with a line about each, as a dict."""
    found = {}
    i = 0
    while True:
        name = _lib.target_builtin(i)
        if name is None:
            return found
        found[name.decode()] = (_lib.target_summary(name) or b"").decode()
        i += 1


class Vector:
    """A reference to n elements on a device, which goes with the object."""

    __slots__ = ("device", "handle", "n", "where", "__weakref__")

    def __init__(self, device, handle, n):
        self.device, self.handle, self.n = device, handle, n
        self.where = _lib.user_line()

    def __del__(self):
        if self.handle and _lib is not None:
            _lib.vector_release(self.handle)


class Device:
    """A machine of a target on which arrays stay.

    ``mpusim.device("racer")`` opens one; as a context it is the device of arrays that are made in
    it.  Words: engine, check, max_cycles, max_seconds, threads, place, spill as in ``mpu.h``;
    ``set={"key": value}`` overrides numbers of the target.  Not for several threads at a time."""

    def __init__(self, target="racer", set=None, check=False, **words):
        unknown = [w for w in words if w not in _OPEN_WORDS]
        if unknown:
            raise TypeError(f"device() takes no {unknown[0]!r}; there are check, set, "
                            + ", ".join(_OPEN_WORDS))
        settings = [f"{key}={value}" for key, value in (set or {}).items()]
        self._target = _lib.target_open(str(target).encode(), _lib.strings(settings))
        self._finish_target = weakref.finalize(self, _lib.target_close, self._target)
        config = _lib.config(check=int(bool(check)), **words)
        self._handle = _lib.device_open(self._target, ctypes.byref(config))
        self._finish_target.detach()
        self._finish = weakref.finalize(self, _close, self._handle, self._target)
        self._floats = {}

    @property
    def name(self):
        """The target's name."""
        return _lib.target_name(self._target).decode()

    def close(self):
        """Ends the machine; its arrays can no longer be used."""
        self._finish()

    @property
    def closed(self):
        return not self._finish.alive

    def handle(self):
        if self.closed:
            raise _lib.Usage(f"{self!r} is closed")
        return self._handle

    def flush(self):
        """Carries out all operations that wait."""
        _lib.device_flush(self.handle())

    def stats(self):
        """What the device has done since it was opened or reset, after all that waited was carried
        out: a dict with attributes (``cycles``, ``micro_ops``, ``time_ps``, ``energy_fj``)."""
        self.flush()
        return Stats(json.loads(_lib.text_of(_lib.device_stats(self.handle(), b"json"))))

    def reset_stats(self):
        """Sets all figures that add up to 0 again; arrays and programs stay."""
        self.flush()
        _lib.device_reset_stats(self.handle())

    def profile(self):
        """A context that reports what its block cost: ``with dev.profile() as p: ...``, then
        ``p.cycles``, ``p.micro_ops``, ``p.time_ps``, ``p.energy_fj``, ``p.host_seconds``."""
        return Profile(self)

    def new_vector(self, handle, n):
        return Vector(self, handle, n)

    def zeros(self, vtype, n):
        return Vector(self, _lib.vector_new(self.handle(), vtype, n), n)

    def __enter__(self):
        _stack().append(self)
        return self

    def __exit__(self, *_):
        _stack().remove(self)

    def __repr__(self):
        state = " closed" if self.closed else ""
        return f"<mpusim device {self.name if not self.closed else ''}{state}>".replace("  ", " ")


def _close(handle, target):
    _lib.device_close(handle)
    _lib.target_close(target)


class Profile:
    """What a block of a program cost: figures of the machine, and seconds of the host."""

    def __init__(self, device):
        self._device = device
        self.stats = None
        self.host_seconds = None

    def __enter__(self):
        self._before = self._device.stats()
        self._began = time.perf_counter()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self._device.flush()
            self.host_seconds = time.perf_counter() - self._began
            self.stats = difference(self._device.stats(), self._before)

    def __getattr__(self, name):
        if name.startswith("_") or self.__dict__.get("stats") is None:
            raise AttributeError(name)
        return getattr(self.stats, name)

    def __repr__(self):
        if self.stats is None:
            return "<mpusim profile, not ended>"
        return f"<mpusim profile: {self.stats.line()}; host {self.host_seconds:.3g} s>"

    def _repr_html_(self):
        return self.stats._repr_html_() if self.stats is not None else repr(self)


_local = threading.local()


def _stack():
    if not hasattr(_local, "devices"):
        _local.devices = []
    return _local.devices


def device(target="racer", set=None, check=False, **words):
    """Opens a machine of a target: a built-in name, or the path of a YAML file."""
    return Device(target, set=set, check=check, **words)


def current():
    """The device of the innermost ``with device:``, else one of target racer that is opened when it
    is first asked for."""
    if _stack():
        return _stack()[-1]
    if not hasattr(_local, "default") or _local.default.closed:
        _local.default = Device("racer")
    return _local.default
