#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs kernels in Python under NumPy and as programs, and compares what comes out."""
import argparse
import ast
import contextlib
import copy
import io
import json
import operator
import os
import subprocess
import sys
import tempfile
import types
import warnings

USAGE, DIFFERS, NO_FILE = 2, 1, 3
TARGETS = "golden,racer,mimdram,duality-cache"

try:
    import numpy as np
except ImportError:
    np = None  # --help and --version do without

TYPES = np and {"bool": np.bool_, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
         "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "f16": np.float16, "f32": np.float32, "f64": np.float64}


class Failure(Exception):
    """Text for the user, and the exit code."""

    def __init__(self, text, code=DIFFERS):
        super().__init__(text)
        self.code = code


def tool(name):
    """The tool beside this one, else that of the PATH."""
    beside = os.path.join(os.path.dirname(os.path.realpath(__file__)), name)
    return beside if os.path.exists(beside) else name


def run(command, warned=None):
    """What the command prints; lines of warnings are added to `warned`."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as e:
        raise Failure(f"mpu-pycheck: error: {command[0]}: {e.strerror}", NO_FILE) from e
    if done.returncode:
        raise Failure(done.stderr.rstrip(), max(done.returncode, DIFFERS))
    if warned is not None:
        warned += done.stderr.splitlines()
    return done.stdout


# ---- inputs ----

def float_edges(dtype):
    info = np.finfo(dtype)
    least = np.nextafter(dtype(0), dtype(1))
    return np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, info.max, -info.max, info.tiny, -info.tiny, least,
                     -least, info.tiny - least, 1 + info.eps, 0.5, -1.5, 2.5], dtype=dtype)


def draw_floats(dtype, shape, rng, tame):
    """Numbers of moderate size, some of them small integers and halves; unless tame is true every
    fifth one is any pattern of bits, and every tenth one an edge, as far as there is room all."""
    edges, bits = float_edges(dtype), 8 * np.dtype(dtype).itemsize
    near = np.round(rng.normal(0, 4, shape) * 2) / 2
    x = np.where(rng.random(shape) < 0.3, near, rng.normal(0, 3, shape)).astype(dtype)
    if tame:
        return x
    kind, words = rng.random(shape), rng.integers(0, 2 ** 64 - 1, shape, dtype=np.uint64, endpoint=True)
    any_bits = (words >> np.uint64(64 - bits)).astype(f"u{bits // 8}").view(dtype)
    x = np.where(kind < 0.1, edges[rng.integers(0, len(edges), shape)], np.where(kind < 0.3, any_bits, x))
    x.reshape(-1)[:len(edges)] = edges[:x.size]
    return x.astype(dtype)


def draw(dtype, shape, rng, tame=False):
    """Values of all sizes, every tenth one an edge of the type; all edges as far as there is room."""
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if issubclass(dtype, np.floating):
        return draw_floats(dtype, shape, rng, tame)
    info = np.iinfo(dtype)
    wide = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    small = rng.integers(0, 20, shape).astype(dtype)
    edges = np.array([info.min, info.max, 0, 1, info.min + 1, info.max // 2 + 1, info.max - 1],
                     dtype=dtype)
    kind = rng.random(shape)
    x = np.where(kind < 0.1, edges[rng.integers(0, len(edges), shape)],
                 np.where(kind < 0.4, small, wide)).astype(dtype)
    x.reshape(-1)[:len(edges)] = edges[:x.size]
    return x


def read_numbers(texts, dtype):
    """As NumPy reads them: of a float the nearest one."""
    if issubclass(dtype, np.floating):
        return np.array([float(n) for n in texts]).astype(dtype)
    numbers = np.array([int(n, 0) for n in texts], dtype=object)
    fit = numbers.astype(dtype)
    if np.any(fit != numbers):
        raise ValueError(f"a number does not fit {np.dtype(dtype)}")
    return fit


def read_value(parameter, text, rng):
    """What --in gives: .npy, numbers, or values that are made for the shape."""
    dtype, shape = TYPES[parameter["type"]], tuple(parameter["shape"])
    word, _, seed = text.partition(":")
    if word == "random":
        return draw(dtype, shape, np.random.default_rng(int(seed or "0")))
    if word in ("zeros", "iota"):
        count = int(np.prod(shape, dtype=np.int64))
        return (np.arange(count) * (word == "iota")).astype(dtype).reshape(shape)
    if text.endswith(".npy"):
        return np.load(text)
    try:
        fit = read_numbers(text.split(","), dtype)
        return fit if shape else fit[0]
    except (ValueError, OverflowError) as e:
        raise Failure(f"mpu-pycheck: error: --in {parameter['name']}={text}: {e}; there are .npy "
                      "files, numbers, zeros, iota, random:SEED", USAGE) from e


def signature_of(options, path):
    """As ezpim has it; "depends" are its warnings about types that differ from one NumPy to the next."""
    command = [tool("ezpim"), "--emit=signature", path] + options.source
    warned = []
    found = json.loads(run(command + [f"-D{n}={v}" for n, v in options.constants.items()], warned))
    found["depends"] = [line for line in warned if line.endswith("[-Wpromotion]")]
    return found


def follow_shapes(options, path):
    """The kernel for the shapes of the inputs that are given: constants that are extents alone
    become what these say, unless -D does."""
    signature = signature_of(options, path)
    found = {}
    for p in signature["parameters"]:
        given = options.inputs.get(p["name"], "")
        if not given.endswith(".npy") and not given[:1].isdigit():
            continue
        shape = np.shape(read_value(p, given, None))
        for name, extent in zip(p["extents"], shape):
            if name and name not in options.constants:
                found.setdefault(name, extent)
    options.constants.update(found)
    return signature_of(options, path) if found else signature


def make_inputs(options, signature, rng, tame):
    names = [p["name"] for p in signature["parameters"]]
    for name in options.inputs:
        if name not in names:
            raise Failure(f"mpu-pycheck: error: `{signature['entry']}` has no parameter `{name}`: "
                          f"it has {', '.join(names)}", USAGE)
    values = {}
    for p in signature["parameters"]:
        dtype, shape = TYPES[p["type"]], tuple(p["shape"])
        given = options.inputs.get(p["name"])
        x = read_value(p, given, rng) if given else draw(dtype, shape, rng, tame)
        if x.shape != shape or x.dtype != dtype:
            raise Failure(f"mpu-pycheck: error: --in {p['name']}: {x.dtype} of shape {x.shape}; "
                          f"the parameter is {np.dtype(dtype)} of shape {shape}", USAGE)
        values[p["name"]] = x if shape else dtype(x)
    return values


# ---- floats under NumPy ----

class Open(ValueError):
    """What NumPy leaves open."""


def is_real(x):
    return np.asarray(x).dtype.kind == "f"


def ordered(x, nan_first=False):
    """Integers in the order of floats, -0 below +0; what is no number is first or last."""
    bits = x.view(f"i{x.dtype.itemsize}")
    low = bits.dtype.type(np.iinfo(bits.dtype).max)
    return np.where(np.isnan(x), ~low if nan_first else low, np.where(bits < 0, bits ^ low, bits))


def unordered(keys, dtype):
    keys = np.asarray(keys)
    low = keys.dtype.type(np.iinfo(keys.dtype).max)
    bits = np.where(keys < 0, keys ^ low, keys)
    return np.where((keys == low) | (keys == ~low), dtype.type(np.nan), bits.view(dtype))[()]


def folded(operation, x):
    """Along the first axis: elements 2i and 2i + 1 become element i, the last one of an odd number
    as it is, and so on until one is left."""
    while len(x) > 1:
        even = len(x) // 2 * 2
        x = np.concatenate([operation(x[0:even:2], x[1:even:2]), x[even:]])
    return x[0]


def cumulated(x):
    """Along the first axis: element i takes in element i - 1, then i - 2, i - 4 and so on, where there
    are such."""
    step = 1
    while step < len(x):
        x = np.concatenate([x[:step], x[step:] + x[:-step]])
        step *= 2
    return x


def multiplied(x, y):
    """Of two matrices: b blocks take every b-th product each and add it to those before, b the
    largest power of two of at most as many products and 65,536 elements of all blocks; then the
    blocks are folded.  With a vector all products are folded."""
    if x.ndim == 1 or y.ndim == 1:
        products = x[:, np.newaxis] * y if y.ndim == 2 else (x * y).T
        return folded(np.add, products)
    count, blocks = x.shape[1], 1
    while 2 * blocks <= count and 2 * blocks * x.shape[0] * y.shape[1] <= 65536:
        blocks *= 2
    parts = []
    for block in range(blocks):
        part = np.outer(x[:, block], y[block])
        for k in range(block + blocks, count, blocks):
            part = part + np.outer(x[:, k], y[k])
        parts.append(part)
    return folded(np.add, np.array(parts))


def products(x, n):
    """x to the power of n, a whole number from 1 on: the product of those squares x, x^2, x^4 .. that
    n's binary digits name, from the lowest up."""
    power = None
    while n:
        power = x if n & 1 and power is None else power * x if n & 1 else power
        n >>= 1
        x = x * x if n else x
    return power


# ---- NumPy 2's rules under NumPy 1 ----

def set_promotion(version):
    """From now on types are promoted as in NumPy 1.24 or 2, which NumPy from 1.24 to 1.26 can both."""
    has = "2" if int(np.__version__.split(".")[0]) >= 2 else "1.24"
    if hasattr(np, "_set_promotion_state") and has == "1.24":
        np._set_promotion_state("weak" if version == "2" else "legacy")
    elif version != has:
        raise Failure(f"mpu-pycheck: error: NumPy {np.__version__} does not have the types of NumPy {version}; "
                      f"--promotion {has} compares with its own", USAGE)


def by_version_2():
    state = getattr(np, "_get_promotion_state", None)
    return state is None or state() == "weak"


def is_whole(x):
    return np.asarray(x).dtype.kind in "biu"


def beside(number, dtype):
    """A number of Python as NumPy 2 takes it beside elements of a type."""
    own = np.asarray(number).dtype
    higher = (own.kind == "f" and dtype.kind != "f") or (own.kind in "iu" and dtype.kind == "b")
    into = np.dtype(np.int64) if higher and own.kind in "iu" else dtype
    if own.kind in "iu" and into.kind in "iu" and not np.iinfo(into).min <= number <= np.iinfo(into).max:
        raise OverflowError(f"Python integer {number} out of bounds for {dtype}")
    return np.asarray(number).astype(own if higher else dtype)


def is_python(x):
    return isinstance(x, (bool, int, float)) and not isinstance(x, np.generic)


def of_side(compare, x, y):
    """The answer for all, where a number of Python is beyond the type that it meets; else None."""
    for number, other, swapped in ((x, y, True), (y, x, False)):
        if not is_python(number) or isinstance(number, float) or is_python(other) or not is_whole(other):
            continue
        dtype = np.asarray(other).dtype
        info = np.iinfo(np.int64 if dtype.kind == "b" else dtype)
        if not info.min <= number <= info.max:
            answer = compare(number, 0) if swapped else compare(0, number)
            return np.full(np.shape(other), answer)[()]
    return None


def exactly(compare, x, y):
    """uint64 beside a type with a sign: not in float64."""
    kinds = [np.asarray(z).dtype for z in (x, y)]
    if is_python(x) or is_python(y) or sorted(k.kind for k in kinds) != ["i", "u"] or np.result_type(*kinds).kind != "f":
        return compare(x, y)
    signed, first = (x, True) if kinds[0].kind == "i" else (y, False)
    plain = compare(np.asarray(x).astype(np.uint64), np.asarray(y).astype(np.uint64))
    return np.where(signed < 0, compare(-1, 0) if first else compare(0, -1), plain)[()]


class Floats:
    """What kernels do with floats in an order, or with a choice, that NumPy does not promise, as
    programs do it: sums by their trees, powers by products, and of zeros with two signs the one that
    is less.  Comparisons, `where` and `clip` as NumPy 2 has them."""

    @staticmethod
    def compare(name, x, y):
        compare = getattr(operator, name)
        if not by_version_2() or not isinstance(x, (np.ndarray, np.generic, bool, int, float)) \
                or not isinstance(y, (np.ndarray, np.generic, bool, int, float)):
            return compare(x, y)
        answer = of_side(compare, x, y)
        return exactly(compare, x, y) if answer is None else answer

    @staticmethod
    def where(condition, x, y):
        if by_version_2() and is_python(x) != is_python(y):
            typed = y if is_python(x) else x
            number = beside(x if is_python(x) else y, np.asarray(typed).dtype)
            x, y = (number, y) if is_python(x) else (x, number)
            if number.dtype.kind != np.asarray(typed).dtype.kind:
                dtype = np.promote_types(number.dtype, np.asarray(typed).dtype)
                x, y = np.asarray(x).astype(dtype), np.asarray(y).astype(dtype)
        return np.where(condition, x, y)

    @staticmethod
    def select(condlist, choicelist, default=0):
        """Numbers of Python give way to what has a type, as in NumPy 2."""
        all_of = list(choicelist) + [default]
        typed = [np.asarray(x).dtype for x in all_of if not is_python(x)]
        if not by_version_2() or not typed:
            return np.select(condlist, choicelist, default)
        dtype = np.result_type(*typed)
        kinds = {np.asarray(x).dtype.kind for x in all_of if is_python(x)}
        if "f" in kinds and dtype.kind != "f":
            dtype = np.dtype(np.float64)
        elif "i" in kinds and dtype.kind == "b":
            dtype = np.dtype(np.int64)
        cast = [np.asarray(x).astype(dtype) for x in all_of]
        return np.select(condlist, cast[:-1], cast[-1])

    @staticmethod
    def near(name, ours, theirs, count, most):
        """Sums or products of so many terms, whose magnitudes come to `most`, differ by rounding alone: ours is
        log2(count) additions deep, NumPy's along some axes all of them."""
        info = np.finfo(np.asarray(ours).dtype)
        bound = (count + 20) * (info.eps * most + float(info.tiny))
        both = np.isfinite(ours) & np.isfinite(theirs)
        apart = np.abs(np.where(both, np.asarray(ours, np.float64) - theirs, 0))
        if np.any(apart > bound):
            raise Failure(f"error: `{name}` by its tree is {np.max(apart)} from NumPy's, {np.max(bound)} are allowed")

    @staticmethod
    def magnitude(x, axis, keepdims):
        sums = np.sum(np.abs(x.astype(np.float64)), axis=axis, keepdims=keepdims)
        return max(x.size / max(np.size(sums), 1), 2), sums

    @staticmethod
    def fold(operation, x, axis, keepdims):
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes, shape = {a % x.ndim for a in axes} if x.ndim else set(), x.shape
        if len(axes) == x.ndim:
            x = folded(operation, x.reshape(-1))
        for a in sorted(axes, reverse=True) if np.ndim(x) else ():
            x = folded(operation, np.moveaxis(x, a, 0))
        return np.asarray(x).reshape([1 if d in axes else n for d, n in enumerate(shape)]) if keepdims else x

    def summed(self, name, x, axis=None, dtype=None, out=None, keepdims=False):
        x = np.asarray(x)
        theirs = getattr(np, name)(x, axis=axis, dtype=dtype, keepdims=keepdims)
        if theirs.dtype.kind != "f":
            self.whole(x, theirs.dtype)
            return theirs
        if x.size == 0:
            return theirs
        operation = np.multiply if name == "prod" else np.add
        ours = self.fold(operation, x.astype(theirs.dtype), axis, keepdims)
        if name == "sum":
            self.near(name, ours, theirs, *self.magnitude(x, axis, keepdims))
        return ours

    def sum(self, x, *args, **words):
        return self.summed("sum", x, *args, **words)

    def prod(self, x, *args, **words):
        return self.summed("prod", x, *args, **words)

    def mean(self, x, axis=None, dtype=None, out=None, keepdims=False):
        x = np.asarray(x)
        theirs = np.mean(x, axis=axis, dtype=dtype, keepdims=keepdims)
        if x.size == 0:
            return theirs
        wide = np.dtype(np.float32 if x.dtype == np.float16 and dtype is None else theirs.dtype)
        total = np.asarray(self.fold(np.add, x.astype(wide), axis, keepdims))
        self.near("mean", total, np.sum(x.astype(wide), axis=axis, keepdims=keepdims),
                  *self.magnitude(x, axis, keepdims))
        return np.asarray(total / wide.type(x.size // max(total.size, 1))).astype(theirs.dtype)[()]

    def cumsum(self, x, axis=None, dtype=None):
        x = np.asarray(x)
        theirs = np.cumsum(x, axis=axis, dtype=dtype)
        if theirs.dtype.kind != "f":
            self.whole(x, theirs.dtype)
            return theirs
        x, axis = (x.reshape(-1), 0) if axis is None else (x, axis)
        return np.moveaxis(cumulated(np.moveaxis(x.astype(theirs.dtype), axis, 0)), 0, axis)

    def matmul(self, x, y):
        if not is_real(x) or np.ndim(x) == 0 or np.ndim(y) == 0:
            return np.matmul(x, y)
        x, y, theirs = np.asarray(x), np.asarray(y), np.matmul(x, y)
        ours = multiplied(x, y)
        wide = [np.abs(z.astype(np.float64)) for z in (x, y)]
        self.near("matmul", ours, theirs, x.shape[-1], np.matmul(*wide))
        return ours

    def dot(self, x, y):
        return self.matmul(x, y) if is_real(x) and np.ndim(x) and np.ndim(y) else np.dot(x, y)

    def power(self, x, y):
        theirs = x ** y
        if not isinstance(x, np.ndarray) or not is_real(x) or not np.isscalar(y) or y % 1 or y < 3:
            return theirs
        wide = x.astype(np.float32) if x.dtype == np.float16 else x
        ours = products(wide, int(y)).astype(theirs.dtype)
        self.near("**", ours, theirs, y, np.abs(theirs.astype(np.float64)))
        return ours

    def power_into(self, x, y):
        """x **= y."""
        if not isinstance(x, np.ndarray):
            return self.power(x, y)
        x[...] = self.power(x, y)
        return x

    def extreme(self, name, x, axis=None, out=None, keepdims=False):
        x = np.asarray(x)
        if not is_real(x):
            return getattr(np, name)(x, axis=axis, keepdims=keepdims)
        return unordered(getattr(np, name)(ordered(x, name == "min"), axis=axis, keepdims=keepdims), x.dtype)

    def min(self, x, *args, **words):
        return self.extreme("min", x, *args, **words)

    def max(self, x, *args, **words):
        return self.extreme("max", x, *args, **words)

    amin, amax = min, max

    def sort(self, x, *args, **words):
        x = np.asarray(x)
        return unordered(np.sort(ordered(x), *args, **words), x.dtype) if is_real(x) else np.sort(x, *args, **words)

    def of_two(self, name, x, y):
        z = getattr(np, name)(x, y)
        if not is_real(z):
            return z
        negative = np.signbit(x) | np.signbit(y) if "min" in name else np.signbit(x) & np.signbit(y)
        zeros = (np.asarray(x) == 0) & (np.asarray(y) == 0)
        return np.where(zeros, np.where(negative, z.dtype.type(-0.0), z.dtype.type(0)), z)[()]

    def minimum(self, x, y):
        return self.of_two("minimum", x, y)

    def maximum(self, x, y):
        return self.of_two("maximum", x, y)

    def fmin(self, x, y):
        return self.of_two("fmin", x, y)

    def fmax(self, x, y):
        return self.of_two("fmax", x, y)

    def clip(self, x, a_min=None, a_max=None):
        x = np.asarray(x) if not isinstance(x, np.generic) else x
        if by_version_2() and np.asarray(x).dtype.kind in "iu":  # NumPy 2 leaves out what bounds nothing
            info = np.iinfo(x.dtype)
            a_min = None if is_python(a_min) and isinstance(a_min, int) and a_min <= info.min else a_min
            a_max = None if is_python(a_max) and isinstance(a_max, int) and a_max >= info.max else a_max
            if a_min is None and a_max is None:
                return +x
        if not is_real(x):
            return np.clip(x, a_min, a_max)
        x = x if a_min is None else self.maximum(x, a_min)
        return x if a_max is None else self.minimum(x, a_max)

    @staticmethod
    def of_sign(x):
        if np.any(np.isnan(x)):
            raise Open("the sign of what is no number is asked for")

    def signbit(self, x):
        self.of_sign(x)
        return np.signbit(x)

    def copysign(self, x, y):
        self.of_sign(y)
        return np.copysign(x, y)

    @staticmethod
    def whole(x, dtype):
        """Floats become integers where these have them."""
        x, dtype = np.asarray(x), np.dtype(dtype)
        if x.dtype.kind != "f" or dtype.kind not in "iu":
            return
        info, cut = np.iinfo(dtype), np.trunc(x.astype(np.float64))
        if not np.all((cut >= float(info.min)) & (cut < float(info.max) + (dtype.itemsize < 8))):
            raise Open(f"a float out of the range of {dtype} becomes an integer")

    def astype(self, x, dtype):
        self.whole(x, dtype)
        return x.astype(dtype)

    def cast(self, dtype, x):
        self.whole(x, dtype)
        return dtype(x)

    def of_library(self, name, x, **words):
        """A function of the library: what the machine golden gives, which lies around the exact value within its
        bound, as NumPy's does within its own (4 ulp of float32, one of float16, which it makes of float32)."""
        theirs = getattr(np, name)(x, **words)
        dtype = np.asarray(theirs).dtype
        if words or dtype.name not in self.LIBRARY_TYPES or np.size(x) == 0:
            return theirs
        kind = self.LIBRARY_TYPES[dtype.name]
        with tempfile.TemporaryDirectory() as folder:
            source, given, made = (os.path.join(folder, f) for f in ("f.ez", "x.npy", "y.npy"))
            with open(source, "w", encoding="ascii") as f:
                f.write(f'include "float.ez";\nsize n;\ngroup g[n];\nin x: {kind} @ g;\nout y: {kind} @ g;\n'
                        f'main {{ compute g {{ y = {kind}_{name}(x); }} }}\n')
            np.save(given, np.asarray(x).astype(dtype).reshape(-1))
            run([tool("mpu-run"), "--target", "golden", source, "--in", "x=" + given, "--out", "y=" + made])
            ours = np.load(made).reshape(np.shape(theirs))
        finite = np.isfinite(ours) & np.isfinite(theirs)
        if not np.array_equal(np.where(finite, 0, ours), np.where(finite, 0, theirs), equal_nan=True):
            raise Failure(f"error: `np.{name}` and NumPy's differ where one is no finite number")
        unit = np.spacing(np.abs(np.where(finite, theirs, dtype.type(1))))
        apart = float(np.max(np.where(finite, np.abs(ours.astype(np.float64) - theirs), 0) / unit))
        if apart > (1 if kind == "f16" else 5):
            raise Failure(f"error: `np.{name}` is {apart:g} ulp from NumPy's")
        self.APART[name, kind] = max(self.APART.get((name, kind), 0), apart)
        return ours if isinstance(theirs, np.ndarray) else dtype.type(ours)

    APART = {}  # of each function and type: the largest distance from NumPy's that was met, in ulp
    LIBRARY_TYPES = {"float16": "f16", "float32": "f32"}
    LIBRARY = ("exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "tanh", "arctan",
               "sinh", "cosh", "expm1", "log1p")
    METHODS = ("sum", "prod", "mean", "cumsum", "dot", "min", "max", "clip", "astype")
    FUNCTIONS = METHODS[:-1] + ("where", "select", "matmul", "amin", "amax", "sort", "minimum", "maximum", "fmin", "fmax", "signbit",
                               "copysign", "power")


class Calls(ast.NodeTransformer):
    """Calls that Floats has go to it, under the name _floats."""

    COMPARE = {"equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}

    def __init__(self, numpy="np"):
        self.numpy = numpy

    def visit_Import(self, node):
        if node.names[0].name == "numpy":
            self.numpy = node.names[0].asname or node.names[0].name
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        name = {ast.MatMult: "matmul", ast.Pow: "power"}.get(type(node.op))
        return self.ours(name, node, [node.left, node.right]) if name else node

    def visit_Compare(self, node):
        self.generic_visit(node)
        names = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
        name = names.get(type(node.ops[0]))
        if len(node.ops) > 1 or name is None:
            return node
        return self.ours("compare", node, [ast.Constant(name), node.left, node.comparators[0]])

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow):
            return node
        target = copy.copy(node.target)
        target.ctx = ast.Load()
        value = self.ours("power_into", node, [target, node.value])
        return ast.copy_location(ast.Assign([node.target], value), node)

    @staticmethod
    def ours(name, node, args):
        function = ast.Attribute(ast.Name("_floats", ast.Load()), name, ast.Load())
        return ast.copy_location(ast.Call(function, args, []), node)

    def visit_Call(self, node):
        self.generic_visit(node)
        f = node.func
        if not isinstance(f, ast.Attribute):
            return node
        numpy = isinstance(f.value, ast.Name) and f.value.id == self.numpy
        if numpy and f.attr in self.COMPARE and len(node.args) == 2:
            return self.ours("compare", node, [ast.Constant(self.COMPARE[f.attr])] + node.args)
        if numpy and f.attr.startswith("empty"):  # NumPy leaves open what is in them
            f.attr = f.attr.replace("empty", "zeros")
        ours = ast.Attribute(ast.Name("_floats", ast.Load()), f.attr, ast.Load())
        if numpy and f.attr in Floats.LIBRARY:
            node.func, node.args = ast.Attribute(ours.value, "of_library", ast.Load()), [ast.Constant(f.attr)] + node.args
        elif numpy and f.attr in Floats.FUNCTIONS:
            node.func = ours
        elif numpy and f.attr.startswith(("int", "uint")) and len(node.args) == 1:
            node.func, node.args = ast.Attribute(ours.value, "cast", ast.Load()), [f] + node.args
        elif not numpy and f.attr in Floats.METHODS:
            node.func, node.args = ours, [f.value] + node.args
        return ast.copy_location(node, f)


# ---- under NumPy ----

class Constants(ast.NodeTransformer):
    """Puts other numbers in the place of constants of the file."""

    def __init__(self, constants):
        self.constants = constants

    def visit_FunctionDef(self, node):
        return node

    def visit_Assign(self, node):
        name = getattr(node.targets[0], "id", None)
        if len(node.targets) == 1 and name in self.constants:
            node.value = ast.copy_location(ast.Constant(self.constants[name]), node.value)
        return node

    def visit_AnnAssign(self, node):
        name = getattr(node.target, "id", None)
        if node.value and name in self.constants:
            node.value = ast.copy_location(ast.Constant(self.constants[name]), node.value)
        return node


def call(path, entry, constants, values):
    """What the function returns, as a list, and its parameters behind it."""
    with open(path, encoding="utf-8-sig") as f:
        tree = Calls().visit(Constants(constants).visit(ast.parse(f.read(), path)))
    module = types.ModuleType("kernel")
    module._floats = Floats()
    module.__file__ = path
    copies = {n: x.copy() if isinstance(x, np.ndarray) else x for n, x in values.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(ast.fix_missing_locations(tree), path, "exec"), vars(module))
            result = getattr(module, entry)(**copies)
    if result is None:
        return [], copies
    return list(result) if isinstance(result, tuple) else [result], copies


# ---- on targets ----

def program_outputs(options, path, target, values, names, folder):
    command = [tool("mpu-run"), "--target", target, path] + options.source
    command += [f"-D{n}={v}" for n, v in options.constants.items()]
    command += ["--finish", options.finish]
    for name in values:
        command += ["--in", f"{name}={folder}/{name}.npy"]
    for name in names:
        command += ["--out", f"{name}={folder}/out-{name}.npy"]
    run(command)
    return [np.load(f"{folder}/out-{name}.npy") for name in names]


def difference(name, got, want):
    """What differs first, or None."""
    want = np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"`{name}` is {got.dtype} {got.shape}, NumPy has {want.dtype} {want.shape}"
    differs = got != want
    if want.dtype.kind == "f":  # what is no number is equal to what is none; zeros have signs
        nan = np.isnan(got) & np.isnan(want)
        differs = ~nan & (differs | (np.signbit(got) != np.signbit(want)))
    wrong = np.argwhere(np.atleast_1d(differs))
    if len(wrong) == 0:
        return None
    at = tuple(wrong[0])
    where = f" at [{', '.join(str(i) for i in at)}]" if want.shape else ""
    return (f"`{name}` differs{where}: {np.atleast_1d(got)[at]}, NumPy has "
            f"{np.atleast_1d(want)[at]} ({len(wrong)} of {max(got.size, 1)} elements)")


def wanted_of(path, signature, constants, values):
    """Names of outputs and what NumPy has for them: results, then parameters that changed."""
    results, behind = call(path, signature["entry"], constants, values)
    names = [r["name"] for r in signature["results"]]
    if len(results) != len(names):
        raise Failure(f"{path}: error: NumPy gives {len(results)} results, the program {len(names)}")
    wanted = dict(zip(names, results))
    for p in signature["parameters"]:
        changed = np.asarray(behind[p["name"]]).tobytes() != np.asarray(values[p["name"]]).tobytes()
        if changed and not p["changed"]:
            raise Failure(f"{path}: error: NumPy changes `{p['name']}`, and the program does not")
        if p["changed"]:
            wanted.setdefault(p["name"], behind[p["name"]])
    return wanted


def compare(options, path, signature, values, problems):
    """Adds what differs first to problems[target]; how many elements there are."""
    wanted = wanted_of(path, signature, options.constants, values)
    with tempfile.TemporaryDirectory(prefix="mpu-pycheck-") as folder:
        for name, x in values.items():
            np.save(f"{folder}/{name}.npy", x)
        for target in options.target.split(","):
            got = program_outputs(options, path, target, values, wanted, folder)
            found = [difference(n, g, w) for (n, w), g in zip(wanted.items(), got)]
            problems.setdefault(target, next((p for p in found if p), None))
    return sum(np.size(x) for x in wanted.values())


def check_sizes(options, path):
    """The kernel for each size that is asked for: of constants that are extents alone, unless -D sets them."""
    given, code = options.constants, 0
    for size in options.sizes or [None]:
        options.constants = dict(given)
        if size is not None:
            names = {n for p in signature_of(options, path)["parameters"] for n in p["extents"] if n}
            options.constants.update({n: size for n in names if n not in given})
        code = max(code, check(options, path, "" if size is None else f" of {size}"))
    options.constants = given
    return code


def check(options, path, of_size=""):
    """Prints a line for each target; the exit code.  Where floats are drawn the kernel runs twice:
    with numbers of moderate size, and with all classes of floats, if NumPy says what comes of them."""
    constants = dict(options.constants)
    signature = follow_shapes(options, path)
    for line in signature["depends"] if not options.quiet else ():
        print(line.replace(" [-Wpromotion]", ""))
    problems, elements = {}, 0
    drawn = any(p["type"][0] == "f" and p["name"] not in options.inputs for p in signature["parameters"])
    for tame in (True, False) if drawn else (True,):
        values = make_inputs(options, signature, np.random.default_rng(options.seed), tame)
        try:
            found = {}
            elements = compare(options, path, signature, values, found)
            problems = {t: problems.get(t) or p for t, p in found.items()}
        except Open as e:
            if tame:
                raise Failure(f"{path}: error: {e}, which NumPy leaves open; --in gives other inputs") from e
    for target, problem in problems.items():
        if problem or not options.quiet:
            print(f"{path}{of_size}: {target}: {problem or f'equal, {elements} elements'}", flush=True)
    options.constants = constants
    return DIFFERS if any(problems.values()) else 0


# ---- the command line ----

def named(text):
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=VALUE")
    return name, value


def number(text):
    name, value = named(text)
    try:
        return name, int(value, 0)
    except ValueError:
        pass
    try:
        return name, float(value)
    except ValueError as e:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=NUMBER") from e


def numbers(text):
    try:
        return [int(n, 0) for n in text.split(",")]
    except ValueError as e:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NUMBER,..") from e


def read_options():
    p = argparse.ArgumentParser(
        prog="mpu-pycheck", description="Runs kernels in Python under NumPy and as programs on "
        "emulated machines, and compares types, shapes and bytes of what comes out.",
        epilog="Exit code 0: all equal; 1: something differs, or is not compiled; 2: usage.")
    p.add_argument("files", nargs="+", metavar="FILE", help="kernels")
    p.add_argument("--target", default=TARGETS, metavar="T,..", help=f"machines ({TARGETS})")
    p.add_argument("--entry", metavar="F", help="the function, where several are called by none")
    p.add_argument("-D", dest="define", action="append", type=number, default=[],
                   metavar="NAME=NUMBER", help="a constant of the file")
    p.add_argument("--size", dest="sizes", type=numbers, default=[], metavar="N,..",
                   help="constants that are whole extents of parameters become N: a run for each")
    p.add_argument("--in", dest="given", action="append", type=named, default=[],
                   metavar="NAME=VALUE", help="an input: a .npy file, numbers, zeros, iota, "
                   "random:SEED; the others are drawn")
    p.add_argument("--seed", type=int, default=0, metavar="N", help="of what is drawn (0)")
    p.add_argument("--promotion", default="2", choices=("1.24", "2"), help="whose types NumPy takes where its "
                   "versions differ (2); lines that hang on it are named")
    p.add_argument("--finish", default="auto", choices=("device", "host", "auto"),
                   help="who finishes reductions that the host may finish (auto)")
    p.add_argument("-q", dest="quiet", action="store_true", help="differences alone")
    p.add_argument("--version", action="version", version="mpu-pycheck @PROJECT_VERSION@")
    options = p.parse_args()
    options.constants, options.inputs = dict(options.define), dict(options.given)
    options.source = ["--entry", options.entry] if options.entry else []
    return options


def main():
    options, code = read_options(), 0
    if np is None:
        sys.exit("mpu-pycheck: error: this Python has no NumPy\n"
                 f"note: {sys.executable} -m pip install numpy, or the package python3-numpy")
    try:
        set_promotion(options.promotion)
    except Failure as e:
        sys.exit(str(e))
    for path in options.files:
        try:
            code = max(code, check_sizes(options, path))
            for (name, kind), apart in sorted(Floats.APART.items()):
                if not options.quiet:
                    print(f"{path}: np.{name} of {kind}: at most {apart:.3g} ulp from NumPy's")
            Floats.APART.clear()
        except Failure as e:
            print(e, file=sys.stderr)
            code = max(code, e.code)
        except BrokenPipeError:  # whoever reads has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = NO_FILE
            break
        except OSError as e:
            print(f"mpu-pycheck: error: {e}", file=sys.stderr)
            code = NO_FILE
        except Exception as e:  # of the kernel under NumPy
            print(f"{path}: error: NumPy does not run it: {type(e).__name__}: {e}", file=sys.stderr)
            code = max(code, DIFFERS)
    sys.exit(code)


if __name__ == "__main__":
    main()
