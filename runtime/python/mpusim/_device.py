# SPDX-License-Identifier: MIT
"""Machines: a target, its vectors, and what they have cost."""

import collections
import ctypes
import json
import os
import threading
import time
import weakref

from . import _lib
from ._stats import Stats, difference

_OPEN_WORDS = ("engine", "max_cycles", "max_seconds", "threads", "place", "finish", "spill",
               "device_bytes")


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

    def then(self, function, n, *arguments):
        """A vector of n elements, which a function of the library makes of this one."""
        device = self.device
        with device.lock:
            device.handle()
            handle = function(self.handle, *arguments)
        return device.new_vector(handle, n)

    def __del__(self):
        if self.handle and _lib is not None:
            self.device.let_go(self.handle)


class Device:
    """A machine of a target on which arrays stay.

    ``mpusim.device("racer")`` opens one; as a context it is the device of arrays that are made in
    it.  Words: engine, check, max_cycles, max_seconds, threads, place, finish, spill, device_bytes as in
    ``mpu.h``;
    ``set={"key": value}`` overrides numbers of the target.  Threads may share it: one at a time is
    carried out.  Whoever calls the library with it or with a vector of it holds `lock`."""

    def __init__(self, target="racer", set=None, check=False, **words):
        unknown = [w for w in words if w not in _OPEN_WORDS]
        if unknown:
            raise TypeError(f"device() takes no {unknown[0]!r}; there are check, set, "
                            + ", ".join(_OPEN_WORDS))
        settings = [f"{key}={value}" for key, value in (set or {}).items()]
        self._target = _lib.target_open(str(target).encode(), _lib.strings(settings))
        self._finish_target = weakref.finalize(self, _lib.target_close, self._target)
        config = _lib.config(check=int(bool(check)), **words)
        self.lock = threading.RLock()
        self._let_go = collections.deque()
        self._handle = _lib.device_open(self._target, ctypes.byref(config))
        self._finish_target.detach()
        self._finish = weakref.finalize(self, _close, self._handle, self._target, self.lock,
                                        self._let_go)
        self._floats = {}
        with _opening:
            _open.add(self)

    @property
    def name(self):
        """The target's name."""
        with self.lock:
            return "" if self.closed else _lib.target_name(self._target).decode()

    def close(self):
        """Ends the machine; its arrays can no longer be used."""
        self._finish()

    @property
    def closed(self):
        return not self._finish.alive

    def handle(self):
        """The library's, for as long as the caller holds the lock."""
        if self.closed:
            raise _lib.Usage(f"{self!r} is closed")
        _release(self._let_go)
        return self._handle

    def let_go(self, handle, release=_lib.vector_release):
        """Releases a vector or the like: now, or by the next call if another thread holds the
        device.  Never waits, since the collector may call it anywhere."""
        self._let_go.append((release, handle))
        if self.lock.acquire(blocking=False):
            try:
                _release(self._let_go)
            finally:
                self.lock.release()

    def flush(self):
        """Carries out all operations that wait."""
        with self.lock:
            _lib.device_flush(self.handle())

    def stats(self):
        """What the device has done since it was opened or reset, after all that waited was carried
        out: a dict with attributes (``cycles``, ``micro_ops``, ``time_ps``, ``energy_fj``)."""
        with self.lock:
            self.flush()
            return Stats(json.loads(_lib.text_of(_lib.device_stats(self.handle(), b"json"))))

    def reset_stats(self):
        """Sets all figures that add up to 0 again; arrays and programs stay."""
        with self.lock:
            self.flush()
            _lib.device_reset_stats(self.handle())

    def label(self, name):
        """What is called from now on, up to the next label, counts under this name in
        ``stats()["labels"]``; None: under none."""
        text = "" if name is None else name
        if not isinstance(text, str):
            raise TypeError(f"a label is a str or None, not {type(name).__name__}")
        with self.lock:
            if "\0" in text or _lib.device_label(self.handle(), text.encode()):
                raise ValueError("a label has at most 255 bytes, none of them a control "
                                 "character, and a device 4,096 of them")

    def profile(self):
        """A context that reports what its block cost: ``with dev.profile() as p: ...``, then
        ``p.cycles``, ``p.micro_ops``, ``p.time_ps``, ``p.energy_fj``, ``p.host_seconds``."""
        return Profile(self)

    def new_vector(self, handle, n):
        return Vector(self, handle, n)

    def zeros(self, vtype, n):
        with self.lock:
            handle = _lib.vector_new(self.handle(), vtype, n)
        return Vector(self, handle, n)

    def __enter__(self):
        _stack().append(self)
        return self

    def __exit__(self, *_):
        _stack().remove(self)

    def __repr__(self):
        state = " closed" if self.closed else ""
        return f"<mpusim device {self.name}{state}>".replace("  ", " ")


def _release(handles):
    """Vectors that were let go; the caller holds their device.  The collector may come in between
    and do the same."""
    try:
        while True:
            release, handle = handles.popleft()
            release(handle)
    except IndexError:
        pass


def _close(handle, target, lock, let_go):
    with lock:
        _release(let_go)
        _lib.device_close(handle)
        _lib.target_close(target)


# --- processes ---

_open = weakref.WeakSet()
_opening = threading.Lock()
_held = []


def _hold_all():
    """No device is in the midst of a call when the process is copied."""
    _opening.acquire()
    _held.extend(_open)
    for device in _held:
        device.lock.acquire()


def _free_all():
    while _held:
        _held.pop().lock.release()
    _opening.release()


os.register_at_fork(before=_hold_all, after_in_parent=_free_all, after_in_child=_free_all)


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
