# SPDX-License-Identifier: MIT
"""DaPPA's pipelines (docs/dappa.md) over NumPy arrays: stages are checked and planned by the
library, as those of C and C++ are."""

import ctypes
import functools
import os
import weakref

import numpy as np

from . import _lib, _traces, _types
from ._programs import _TYPES

_MAP, _FILTER, _REDUCE, _WINDOW, _GROUP, _WINDOW_GROUP, _WINDOW_FILTER, _GROUP_FILTER, \
    _WINDOW_GROUP_FILTER = range(9)
_INPUT, _OUTPUT, _INOUT, _SCALAR, _REDUCE_OUT = range(5)
_AUTO = (1 << 64) - 1


class _Scalar:
    """An array that every function of a stage sees all of."""

    def __init__(self, values):
        self.values = np.array(values, order="C")
        self.is_number = self.values.ndim == 0
        self.values = self.values.reshape(-1)


class Result:
    """What a stage makes: it goes into other stages; ``.numpy()`` after ``execute`` if fetched."""

    def __init__(self, pipeline, room, dtype, shape=None):
        self._pipeline, self.dtype = pipeline, dtype
        self._array = np.empty(max(room, 1), dtype)  # its address is its name; nothing is written
        self._room, self._shape = room, shape
        self.place = _lib.user_line()

    def numpy(self):
        """Its elements, once the pipeline was executed."""
        return self._pipeline._taken(self)

    def __len__(self):
        return self._pipeline._length_of(self)

    def __array__(self, *words, **more):
        return np.asarray(self.numpy(), *words, **more)

    def _no(self, *operands):
        raise _lib.Usage(f"{_lib.user_line()}: what a stage makes is no array yet: give it to "
                         "another stage, or return it")

    __bool__ = __iter__ = __getitem__ = _no
    __add__ = __sub__ = __mul__ = __truediv__ = __lt__ = __gt__ = _no


def _environment(words):
    """The machine that the environment names, where the words do not."""
    if words.get("target") is None:
        words["target"] = os.environ.get("MPU_TARGET", "upmem-dappa")
    if words.get("set") is None:
        words["set"] = dict(s.split("=", 1) for s in os.environ.get("MPU_SET", "").split())
    if words.get("dpus") is None:
        words["dpus"] = int(os.environ.get("MPU_DPUS") or 0)
    return words


def _share(value):
    if isinstance(value, str):
        if value != "auto":
            raise _lib.Usage(f"cpu_share is a number of elements, or 'auto', not {value!r}")
        return _AUTO
    return _lib.unsigned("cpu_share", value)


class Pipeline:
    """Stages over arrays of one length: ``p.map(f, x)`` and the like give what goes into other
    stages, ``p.fetch(y)`` says what comes back, ``p.execute()`` carries them out, once.

    ``length``: of its arrays, that of the first one where nothing is said.  ``dpus``: how many
    work, 0 is all.  ``cpu_share``: elements for the host, or "auto".  ``no_fuse``: a launch for
    each stage.  ``full``: a stage that needs what a filter has kept or a reduce gathered begins a
    part of its own.  MPU_TARGET, MPU_SET and MPU_DPUS of the environment name the machine where
    ``target``, ``set`` and ``dpus`` do not."""

    def __init__(self, length=None, target=None, set=None, dpus=None, cpu_share=0, no_fuse=False,
                 full=False, mram_bytes=0, host_element_ps=0, check=False):
        words = _environment({"target": target, "set": set, "dpus": dpus})
        self._config = _lib.config(check=int(bool(check)))
        self._options = _lib.PipelineOptions(
            size=ctypes.sizeof(_lib.PipelineOptions), dpus=_lib.unsigned("dpus", words["dpus"], 32),
            cpu_elements=_share(cpu_share), no_fuse=bool(no_fuse), full=bool(full),
            mram_bytes=_lib.unsigned("mram_bytes", mram_bytes),
            host_element_ps=_lib.unsigned("host_element_ps", host_element_ps),
            config=ctypes.addressof(self._config))
        settings = [f"{key}={value}" for key, value in words["set"].items()]
        self._target = _lib.target_open(words["target"].encode(), _lib.strings(settings))
        self._close = weakref.finalize(self, _lib.target_close, self._target)
        self._handle, self._length, self._done = None, None, False
        self._kept = {}     # arrays by their address: their owner may let go of them
        self._wanted = []   # what is fetched
        self._returns = None
        if length is not None:
            self._begin(_lib.unsigned("length", length))

    def _begin(self, length):
        self._length = length
        self._handle = _lib.pipeline_new(self._target, length, ctypes.byref(self._options))
        self._close.detach()
        self._close = weakref.finalize(self, _free, self._handle, self._target)

    # ---- stages ----

    def scalar(self, values):
        """For stages: a number, or an array of which every element sees all."""
        return _Scalar(values)

    def map(self, function, *inputs, dtype=None):
        """What the function makes of each element; of several results as many arrays."""
        return self._making(_MAP, function, inputs, dtype)

    def window(self, function, *inputs, overlap, group=0, tail=None, dtype=None):
        """A map whose function sees x[0] to x[overlap]; with a group x[0] to x[group + overlap - 1],
        and one result for each group.  tail: what goes on behind the end (a list: of each input)."""
        return self._making(_WINDOW_GROUP if group else _WINDOW, function, inputs, dtype, overlap,
                            group, tail)

    def group(self, function, *inputs, group, dtype=None):
        """One result for each group of elements, x[0] to x[group - 1]."""
        return self._making(_GROUP, function, inputs, dtype, 0, group)

    def filter(self, function, *inputs, overlap=0, group=0, tail=None):
        """Elements of the first input, or whole groups, for which the function is true."""
        pattern = (_FILTER, _WINDOW_FILTER, _GROUP_FILTER,
                   _WINDOW_GROUP_FILTER)[bool(overlap) + 2 * bool(group)]
        given, n, sees = self._inputs(inputs, overlap, group)
        text = function
        if not isinstance(function, str):
            trace, arguments, head = self._parameters(function, given, sees)
            made = trace.value(_traces.call(function, arguments), bool)
            trace.lines.append(f"return {trace.text(made)};")
            text = _text(head, trace)
        out = Result(self, n, self._dtype(given[0]))
        self._add(pattern, text, [self._made(_OUTPUT, out)] + self._given(self._once(function, given), tail),
                  overlap, group)
        return out

    def reduce(self, function, *inputs, into=None, dtype=None, combine=None, combine_from=None):
        """What the function gathers: ``lambda s, x: s + x``, or of an array ``into`` a function that
        changes it, ``h[x] += 1``.  It begins with ``into`` (0), which stays as it is, and has its
        type, or that of the first input.  combine: how parts become one, where the function does
        not gather by one operation; parts begin with combine_from, or 0."""
        given, _, sees = self._inputs(inputs, 0, 0)
        if into is None:
            into = np.zeros((), self._dtype(given[0]) if dtype is None else _types.dtype_of(dtype))
        into = np.asarray(into, dtype)
        count = into.size
        out = Result(self, count, _types.dtype_of(into.dtype), into.shape)
        out._array[:count] = into.reshape(-1)
        acc = self._made(_REDUCE_OUT, out, count)
        text = function
        if not isinstance(function, str):
            trace, arguments, head = self._parameters(function, given, sees, [(out, count)])
            _gather(trace, function, arguments, not into.ndim)
            text = _text(head, trace)
        if combine is not None and not isinstance(combine, str):
            names = _traces.names_of(combine, 2)
            trace = _traces.Trace(names)
            parts = [_traces.Elements(trace, name, out.dtype, count, k == 0)
                     for k, name in enumerate(names)]
            _gather(trace, combine, [parts[0], parts[1][0] if not into.ndim else parts[1]],
                    not into.ndim)
            word = _traces.c_type(out.dtype)
            combine = _text([f"{word} *{name}" for name in names], trace)
        init = None if combine_from is None else _traces._literal(combine_from, out.dtype)
        self._add(_REDUCE, text, [acc] + self._given(self._once(function, given)), 0, 0, combine, init)
        return out

    # ---- what becomes of them ----

    def fetch(self, *arrays):
        """What these stages made comes back."""
        for array in arrays:
            if not isinstance(array, Result) or array._pipeline is not self:
                raise _lib.Usage(f"{_lib.user_line()}: fetch: no stage of this pipeline makes this "
                                 "array: fetch what map, filter, reduce, window or group gave")
            _lib.pipeline_fetch(self._begun(), array._array.ctypes.data)
            self._wanted.append(array)

    def execute(self):
        """Carries all stages out; what a decorated function returned, else nothing."""
        _lib.pipeline_execute(self._begun())
        self._done = True
        self._kept.clear()
        return _results(self._returns, lambda r: r.numpy())

    def plan(self):
        """Who does what, as text."""
        return _lib.text_of(_lib.pipeline_plan(self._begun()))

    def program(self, part=0):
        """The program in ezpim that a part becomes."""
        try:
            return _lib.text_of(_lib.pipeline_program(self._begun(), _lib.unsigned("part", part, 32)))
        except _lib.Error as e:
            raise _lib.Usage(f"the pipeline has no part {part}") from e

    def stats(self):
        """Time part by part, as text."""
        return _lib.text_of(_lib.pipeline_stats(self._begun()))

    def figure(self, name):
        """A number of what was carried out: "total", "kernel", "transfer_in" .. (mpu/pipeline.h)."""
        value = ctypes.c_uint64()
        if _lib.pipeline_figure(self._begun(), name.encode(), ctypes.byref(value)):
            raise _lib.Usage(f"there is no figure {name!r}" if self._done else
                             f"the pipeline was not executed: there is no figure {name!r}")
        return value.value

    # ---- inside ----

    def _begun(self):
        if self._handle is None:
            raise _lib.Usage(f"{_lib.user_line()}: the pipeline has no stage: add one")
        return self._handle

    def _dtype(self, x):
        return x.values.dtype if isinstance(x, _Scalar) else x.dtype

    def _array(self, values):
        """An input: itself, as far as its elements stand one behind the other."""
        if not isinstance(values, np.ndarray):
            values = np.asarray(values)
        if values.ndim != 1:
            _traces.refuse(f"an input has {values.ndim} dimensions: a pipeline works on arrays of "
                           "one, ravel() makes it such")
        return values

    def _keep(self, values):
        """As the library reads it, which stays until the pipeline was executed."""
        made = np.ascontiguousarray(values)
        if not made.size:
            made = np.empty(1, made.dtype)[:0]
        key = (values.ctypes.data if values.size else id(values), values.dtype, values.shape,
               values.strides)
        return self._kept.setdefault(key, (made, values))[0]

    def _inputs(self, inputs, overlap, group):
        """Inputs and scalars, how many elements they may have, and how many a function sees."""
        if not any(not isinstance(x, _Scalar) for x in inputs):
            _traces.refuse("a stage needs an array to work on")
        given = [x if isinstance(x, (_Scalar, Result)) else self._array(x) for x in inputs]
        for x in given:
            if isinstance(x, Result) and x._pipeline is not self:
                _traces.refuse("an input is made by a stage of another pipeline: execute that, and "
                               "use its numpy()")
            if self._dtype(x).kind not in "biuf" or self._dtype(x).name not in _TYPES \
                    or not self._dtype(x).isnative:
                _traces.refuse(f"an input has elements of type {self._dtype(x)}, and stages have "
                               "bool, integers and floats of 1, 2, 4 or 8 bytes, in the host's "
                               "order of bytes: convert it with astype")
        first = next(x for x in given if not isinstance(x, _Scalar))
        room = first._room if isinstance(first, Result) else first.size
        if self._handle is None:
            self._begin(room)
        sees = (_lib.unsigned("group", group, 32) or 1) + _lib.unsigned("overlap", overlap, 32)
        return given, room, sees if overlap or group else 0

    def _before(self, given, k):
        """The number of an input before that is the same array: a stage names each once."""
        return next((i for i in range(k) if given[i] is given[k]), None)

    def _once(self, text, given):
        """Without what is there already; a function's text has a parameter for each."""
        return given if isinstance(text, str) else [x for k, x in enumerate(given)
                                                    if self._before(given, k) is None]

    def _parameters(self, function, given, sees, gathers=()):
        """Of a function that is traced: what it is called with, and how its text names them."""
        names = _traces.names_of(function, len(gathers) + len(given))
        trace = _traces.Trace(names)
        arguments, head = [], []
        for name, (out, count) in zip(names, gathers):
            arguments.append(_traces.Elements(trace, name, out.dtype, count, True))
            head.append(f"{_traces.c_type(out.dtype)} *{name}")
        for k, (name, x) in enumerate(zip(names[len(gathers):], given)):
            if self._before(given, k) is not None:
                arguments.append(arguments[len(gathers) + self._before(given, k)])
                continue
            count = x.values.size if isinstance(x, _Scalar) else sees
            elements = _traces.Elements(trace, name, self._dtype(x), count or 1)
            number = x.is_number if isinstance(x, _Scalar) else not sees
            arguments.append(elements[0] if number else elements)
            head.append(f"{_traces.c_type(self._dtype(x))} *{name}")
        return trace, arguments, head

    def _making(self, pattern, function, inputs, dtype, overlap=0, group=0, tail=None):
        given, n, sees = self._inputs(inputs, overlap, group)
        types = [] if dtype is None else list(dtype) if isinstance(dtype, (list, tuple)) else [dtype]
        text, many = function, isinstance(dtype, (list, tuple))
        if isinstance(function, str):
            types = [_types.dtype_of(t) for t in types] or [self._dtype(given[0])]
        else:
            trace, arguments, head = self._parameters(function, given, sees)
            made = _traces.call(function, arguments)
            many = isinstance(made, tuple)
            made = list(made) if many else [made]
            if types and len(types) != len(made):
                _traces.refuse(f"dtype has {len(types)} types, and the function returns {len(made)}")
            made = [trace.value(v, types[k] if types else None) for k, v in enumerate(made)]
            types = [v.dtype for v in made]
            for k, value in enumerate(made):
                trace.assign(f"*out_{k + 1}", value)
            text = _text([f"{_traces.c_type(t)} *out_{k + 1}" for k, t in enumerate(types)] + head,
                         trace)
        outs = [Result(self, n // group if group else n, t) for t in types]
        self._add(pattern, text, [self._made(_OUTPUT, out) for out in outs]
                  + self._given(self._once(function, given), tail), overlap, group)
        return tuple(outs) if many else outs[0]

    def _made(self, role, out, elements=None):
        return _lib.StageArgument(role, _TYPES.index(out.dtype.name), out._array.ctypes.data,
                                  out._room if elements is None else elements, None, 0)

    def _behind(self, tail, dtype):
        """What goes on behind an input's end, in its type, without a change of its numbers."""
        given = np.asarray(tail)
        made = given.astype(dtype).reshape(-1)
        if given.dtype.kind in "fc" and made.dtype.kind in "biu" and np.any(made != given.reshape(-1)):
            _traces.refuse(f"a tail has numbers that are none of type {dtype.name}, which its input "
                           "has")
        return made

    def _given(self, given, tail=None):
        """Arguments of inputs and scalars, with what goes on behind their ends."""
        inputs = [k for k, x in enumerate(given) if not isinstance(x, _Scalar)]
        tails = dict(zip(inputs, tail if isinstance(tail, (list, tuple)) and tail
                         and np.ndim(tail[0]) else [] if tail is None else [tail]))
        made = []
        for k, x in enumerate(given):
            if isinstance(x, _Scalar):
                values = self._keep(x.values)
                made.append(_lib.StageArgument(_SCALAR, _TYPES.index(values.dtype.name),
                                               values.ctypes.data, values.size, None, 0))
                continue
            values = x._array if isinstance(x, Result) else self._keep(x)
            a = _lib.StageArgument(_INPUT, _TYPES.index(x.dtype.name), values.ctypes.data,
                                   x._room if isinstance(x, Result) else x.size or 0, None, 0)
            if k in tails and tails[k] is not None:
                behind = self._keep(self._behind(tails[k], x.dtype))
                a.tail, a.tail_elements = behind.ctypes.data, behind.size
            made.append(a)
        return made

    def _add(self, pattern, text, arguments, overlap, group, combine=None, init=None):
        file, line = _lib.user_line().rsplit(":", 1)
        made = (_lib.StageArgument * len(arguments))(*arguments)
        stage = _lib.Stage(pattern, text.encode(), ctypes.addressof(made), len(arguments),
                           _lib.unsigned("overlap", overlap, 32), _lib.unsigned("group", group, 32),
                           None if combine is None else combine.encode(),
                           None if init is None else init.encode(),
                           os.path.basename(file).encode(), int(line))
        _lib.pipeline_stage(self._begun(), ctypes.byref(stage))

    def _length_of(self, result):
        n = ctypes.c_uint64()
        if _lib.pipeline_length(self._begun(), result._array.ctypes.data, ctypes.byref(n)):
            raise _lib.Usage(f"{result.place}: the pipeline was not executed, or this array was not "
                             "fetched: its length is not known")
        return n.value

    def _taken(self, result):
        if not self._done or not any(result is r for r in self._wanted):
            raise _lib.Usage(f"{result.place}: " + (
                "what the stage makes was not fetched: p.fetch(..) it before execute, or return it"
                if self._done else "the pipeline was not executed yet: p.execute()"))
        made = result._array[:self._length_of(result)]
        return made if result._shape is None else made.reshape(result._shape)[()]


def _free(pipeline, target):
    _lib.pipeline_free(pipeline)
    _lib.target_close(target)


def _text(head, trace):
    return f"({', '.join(head)}) {{ {' '.join(trace.lines)} }}"


def _gather(trace, function, arguments, is_number):
    """A function's accumulator, the first argument: a number, or entries that it changes."""
    acc = arguments[0]
    made = _traces.call(function, ([acc[0]] if is_number else [acc]) + arguments[1:])
    if is_number:
        acc[0] = trace.value(made)
    elif made is not None:
        _traces.refuse("a function that gathers in an array changes it, as in h[k] += 1, and "
                       "returns nothing")


def _results(made, each):
    if isinstance(made, Result):
        return each(made)
    if isinstance(made, dict):
        return {key: _results(value, each) for key, value in made.items()}
    if isinstance(made, (tuple, list)):
        return type(made)(_results(value, each) for value in made)
    return made


class Pipelined:
    """A function of stages: a call carries them out, ``build`` gives the pipeline."""

    def __init__(self, function, words):
        functools.update_wrapper(self, function)
        self._function, self._words = function, words

    def build(self, *arguments, **words):
        """The pipeline of these arguments, with what the function returns to be fetched."""
        p = Pipeline(**self._words)
        p._returns = self._function(p, *arguments, **words)
        _results(p._returns, p.fetch)
        return p

    def __call__(self, *arguments, **words):
        return self.build(*arguments, **words).execute()


def pipeline(function=None, **words):
    """Makes a pipeline of a function whose first parameter has the stages, and which returns what
    is to come back:

        @mpusim.pipeline(dpus=64)
        def dot(p, a, b):
            c = p.map(lambda a, b: a * b, a, b)
            return p.reduce(lambda s, c: s + c, c)

        dot(a, b)             # an array, or a number
        p = dot.build(a, b)   # p.plan(), p.execute(), p.stats(), p.figure("total")

    Words are those of Pipeline."""
    if function is None:
        return lambda f: Pipelined(f, words)
    return Pipelined(function, words)
