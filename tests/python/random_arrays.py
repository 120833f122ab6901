# SPDX-License-Identifier: MIT
"""Random programs on arrays of a device and on NumPy's: the same values, types and shapes.

    random_arrays.py [SEED [ROUNDS [TARGET,... [checked] [integers]]]]

checked: every program of a device beside golden, too. integers: no floating point."""

import concurrent.futures
import operator
import os
import sys
import warnings

import numpy as np

import mpusim

INTS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
SHAPES = [(), (1,), (7,), (64,), (65,), (3, 5), (5, 3), (4, 1), (1, 6), (2, 3, 4), (33, 2), (8, 8),
          (3, 300)]  # a sort pads its lines, and then needs more rows of VRFs


OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
             "//": operator.floordiv, "%": operator.mod, "&": operator.and_, "|": operator.or_,
             "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift, "<": operator.lt,
             "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
             "!=": operator.ne, "**": operator.pow, "divmod": divmod}


def same(left, right):
    """Bytes, any NaN equal to any; zeros of floats by value."""
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.kind == "f":
        return bool(np.array_equal(left, right, equal_nan=True))
    return left.tobytes() == right.tobytes()


class Pair:
    """An array of each kind, always the same operations on both."""

    def __init__(self, device, host):
        self.device, self.host = device, host

    def check(self, what):
        got, want = np.asarray(self.device), np.asarray(self.host)
        if not same(got, want):
            raise AssertionError(f"{what}: {got.dtype}{got.shape}\n{got}\nnot {want.dtype}"
                                 f"{want.shape}\n{want}")


class Machine:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.said = []

    def pick(self, values):
        return values[int(self.rng.integers(len(values)))]

    def values(self, dtype, shape):
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return self.rng.integers(0, 2, shape).astype(bool)
        if dtype.kind == "f":
            plain = np.asarray(self.rng.normal(0, 100, shape)).astype(dtype)
            edges = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, np.finfo(dtype).tiny,
                              np.finfo(dtype).max], dtype=dtype)
            return np.where(self.rng.random(shape) < 0.15,
                            edges[self.rng.integers(0, len(edges), shape)], plain).astype(dtype)
        info = np.iinfo(dtype)
        small = self.rng.integers(max(info.min, -20), 20, shape).astype(dtype)
        wide = self.rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
        return np.where(self.rng.random(shape) < 0.5, small, wide).astype(dtype)

    def array(self, dtype, shape):
        host = self.values(dtype, shape)
        return Pair(mpusim.array(host), host)

    def matching(self, pair):
        """A shape that can be broadcast with that one."""
        shape = pair.host.shape
        cut = int(self.rng.integers(0, len(shape) + 1))
        return tuple(1 if self.rng.random() < 0.3 else e for e in shape[cut:])

    # --- one step each: a new pair ---

    def binary(self, x):
        kind = x.host.dtype.kind
        names = {"b": ["bitwise_and", "bitwise_or", "bitwise_xor", "equal", "less", "logical_and",
                       "maximum"],
                 "f": ["add", "subtract", "multiply", "divide", "minimum", "maximum", "less",
                       "less_equal", "equal", "not_equal", "greater", "fmin", "copysign"]}.get(
            kind, ["add", "subtract", "multiply", "floor_divide", "remainder", "minimum", "maximum",
                   "bitwise_and", "bitwise_or", "bitwise_xor", "less", "greater_equal", "equal",
                   "left_shift", "right_shift", "logical_xor"])
        name = self.pick(names)
        y = self.array(x.host.dtype, self.matching(x))
        self.said.append(name)
        if name in ("left_shift", "right_shift"):
            count = (y.host % (2 * 8 * y.host.dtype.itemsize)).astype(y.host.dtype)
            y = Pair(mpusim.array(count), count)
        return Pair(getattr(np, name)(x.device, y.device), getattr(np, name)(x.host, y.host))

    def unary(self, x):
        kind = x.host.dtype.kind
        names = {"b": ["invert", "logical_not"],
                 "f": ["negative", "absolute", "sqrt", "floor", "ceil", "trunc", "rint", "isnan",
                       "isinf", "isfinite", "signbit", "sign", "square"]}.get(
            kind, ["negative", "absolute", "invert", "sign", "square"])
        name = self.pick(names)
        self.said.append(name)
        return Pair(getattr(np, name)(x.device), getattr(np, name)(x.host))

    def number(self, kind, dtype):
        if kind == "f":
            return float(self.rng.integers(-4, 5)) / 2
        return int(self.rng.integers(-9 if kind == "i" else 0, 100))

    def scalar(self, x):
        """A number, one of NumPy's, or an array of the host, on either side of an operator."""
        kind = x.host.dtype.kind
        if kind == "b":
            return Pair(x.device ^ True, True ^ x.host)
        sign = self.pick(["+", "-", "*", "/"] if kind == "f" else
                         ["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "**", "divmod"])
        left, apply = bool(self.rng.random() < 0.5), OPERATORS[sign]
        number = self.number(kind, x.host.dtype)
        typed = other = x.host.dtype.type(number)
        form = self.pick(["number", "typed", "array"])
        if form == "array":
            typed = other = self.values(x.host.dtype, self.matching(x))
        if sign in ("<<", ">>") or (sign == "**" and not left):
            typed = other = (typed & 63).astype(typed.dtype) if form == "array" else \
                x.host.dtype.type(abs(number))
        if form == "number":
            other = typed.item()
        if left and sign == "**":
            x = Pair(x.device & 63, (x.host & 63).astype(x.host.dtype))
        self.said.append(f"{other!r} {sign} x" if left else f"x {sign} {other!r}")
        if form == "array" and sign == "**" and not left:
            other = self.pick([other, mpusim.array(other)])
        made = apply(other, x.device) if left else apply(x.device, other)
        want = apply(typed, x.host) if left else apply(x.host, typed)
        if sign != "divmod":
            return Pair(made, np.asarray(want))
        Pair(made[1], np.asarray(want[1])).check(self.said)
        return Pair(made[0], np.asarray(want[0]))

    def compare(self, x):
        """With a number on either side, which may be one that the type does not have."""
        kind = x.host.dtype.kind
        sign = self.pick(["<", "<=", ">", ">=", "==", "!="])
        apply, left = OPERATORS[sign], bool(self.rng.random() < 0.5)
        number = self.number(kind, x.host.dtype) if kind == "f" or self.rng.random() < 0.5 else \
            int(self.pick([-1, 1])) * 2 ** int(self.rng.integers(0, 70)) \
            + int(self.rng.integers(-1, 2))
        self.said.append(f"{number} {sign} x" if left else f"x {sign} {number}")
        host = x.host if kind == "f" else x.host.astype(object) + 0
        want = apply(number, host) if left else apply(host, number)
        return Pair(apply(number, x.device) if left else apply(x.device, number),
                    np.asarray(want).astype(bool))

    def cast(self, x):
        if x.host.dtype.kind == "f":
            return Pair(x.device.astype("float32"), x.host.astype("float32"))
        dtype = self.pick(INTS + ["bool"])
        self.said.append(f"astype {dtype}")
        return Pair(x.device.astype(dtype), x.host.astype(dtype))

    def index(self, shape):
        parts = []
        for extent in shape:
            choice = self.rng.random()
            if choice < 0.25:
                parts.append(slice(None))
            elif choice < 0.45 and extent:
                parts.append(int(self.rng.integers(-extent, extent)))
            else:
                step = self.pick([1, 1, 2, -1, 3, -2])
                low, high = sorted(int(v) for v in self.rng.integers(0, extent + 1, 2))
                high = max(high, low + 1) if low < extent else extent
                low = min(low, extent - 1)
                parts.append(slice(low, high, step) if step > 0 else
                             slice(high - 1, low - 1 if low else None, step))
        return tuple(parts)

    def view(self, x):
        index = self.index(x.host.shape)
        self.said.append(f"[{index}]")
        return Pair(x.device[index], x.host[index])

    def lists(self, shape):
        """An index with lists: of numbers, in one or more dimensions, or of truth values."""
        extent = shape[0]
        form = self.pick(["list", "consecutive", "nested", "mask", "array", "two", "slice", "none"])
        some = self.rng.integers(-extent, extent, int(self.rng.integers(1, 6)))
        if form == "consecutive":
            first = int(self.rng.integers(0, extent))
            return list(range(first, int(self.rng.integers(first, extent)) + 1))
        if form == "nested":
            return [some.tolist(), some[::-1].tolist()]
        if form == "mask":
            return self.values("bool", extent).tolist()
        if form == "array":
            return self.pick([some, some % extent]).astype(self.pick(["int64", "int32", "uint8"])
                                                           if extent < 100 and some.min() >= 0
                                                           else "int64")
        if len(shape) > 1 and form in ("two", "slice", "none"):
            other = self.rng.integers(-shape[1], shape[1], len(some)).tolist()
            return {"two": (some.tolist(), other), "slice": (slice(None), other),
                    "none": (None, some.tolist())}[form]
        return some.tolist()

    def listed(self, x):
        """Elements by lists, which are copies, or written."""
        if not x.host.ndim:
            return x
        index = self.lists(x.host.shape)
        self.said.append(f"[{index}]")
        device = mpusim.array(index) if isinstance(index, np.ndarray) and self.rng.random() < 0.5 \
            else index
        if self.rng.random() < 0.6:
            part, host = x.device[device], x.host[index]
            if host.size:
                part[...], host[...] = part[::-1], host[::-1].copy()
            return Pair(part, host)
        self.said.append("= ..")
        x = Pair(x.device.copy(), np.array(x.host))
        value = self.values(x.host.dtype, x.host[index].shape)
        if self.rng.random() < 0.3 and value.size:
            value = value.reshape(-1)[:1].reshape(())
        x.host[index] = value
        x.device[device] = mpusim.array(value) if value.shape and self.rng.random() < 0.5 else value
        return x

    def exchange(self, x):
        """Elements of two places, through a variable, two at once, or by lists of places."""
        if not x.host.ndim:
            return x
        extent = x.host.shape[0]
        i, j = int(self.rng.integers(extent)), int(self.rng.integers(-extent, extent))
        way = self.pick(["variable", "tuple", "lists", "copies"])
        self.said.append(f"exchange {i} {j} by {way}")
        x = Pair(x.device.copy(), np.array(x.host))
        for a in (x.device, x.host):
            if way == "variable":
                t = a[i]
                a[i] = a[j]
                a[j] = t
            elif way == "tuple":
                a[i], a[j] = a[j], a[i]
            elif way == "lists":
                a[[i, j]] = a[[j, i]]
            else:
                t, a[i] = a[i].copy(), a[j]
                a[j] = t
        return x

    def elements(self, x):
        """Single elements, written and read while work that needs the old ones waits; other views see them."""
        if not x.host.ndim or not x.host.size:
            return x
        x = Pair(x.device.copy(), np.array(x.host, order="C"))
        for _ in range(int(self.rng.integers(1, 5))):
            at = tuple(int(self.rng.integers(-n, n)) for n in x.host.shape)
            value = self.values(x.host.dtype, (1,))[0].item()
            self.said.append(f"[{at}] = {value}")
            waiting, was = x.device.copy(), x.host.copy()
            turned, host = x.device[::-1], x.host[::-1]
            before, there = x.device[at], x.host[at].copy()
            part = self.pick([x.device, x.device[...], x.device.reshape(x.host.shape)])
            part[at if len(at) > 1 else at[0]] = value
            x.host[at] = value
            Pair(x.device[at], x.host[at]).check("element")
            Pair(before, there).check("element before")
            Pair(turned, host).check("another view")
            if self.rng.random() < 0.5:
                Pair(waiting, was).check("what was there")
        return x

    def turn(self, x):
        choice = self.rng.random()
        if choice < 0.5 or x.host.size == 0:
            axes = [int(a) for a in self.rng.permutation(x.host.ndim)]
            self.said.append(f"transpose {axes}")
            return Pair(x.device.transpose(axes), x.host.transpose(axes))
        self.said.append("reshape")
        return Pair(x.device.reshape(-1), x.host.reshape(-1))

    def write(self, x):
        """Through a view of an array; all that was read before stays as it was."""
        index = self.index(x.host.shape)
        view, host = x.device[index], x.host[index]
        value = self.values(x.host.dtype, np.shape(host))
        self.said.append(f"[{index}] = ..")
        x.device[index] = mpusim.array(value) if np.shape(host) else value.item()
        x.host[index] = value
        Pair(view, host).check("view")
        return x

    def through(self, x):
        """Through what may be a view of a view, or a copy somewhere: the array itself is what NumPy
        says; results lie in C order here, and in any there."""
        x = Pair(x.device.copy(), np.array(x.host, order="C"))
        device, host = x.device, x.host
        for _ in range(int(self.rng.integers(1, 4))):
            if not isinstance(host, np.ndarray) or not host.shape or not host.size:
                break
            index = self.index(host.shape)
            unsigned = f"u{host.dtype.itemsize}" if host.dtype.kind in "iu" else host.dtype
            text, step = self.pick([
                (f"[{index}]", lambda a: a[index]), (".T", lambda a: a.T),
                ("[None]", lambda a: a[None]), (".reshape(-1)", lambda a: a.reshape(-1)),
                (".ravel()", lambda a: a.ravel()), (".squeeze()", lambda a: a.squeeze()),
                (f".view({unsigned})", lambda a: a.view(unsigned)),
                (".reshape(.., 2)", lambda a: a.reshape(-1, 2) if a.size % 2 == 0 else a),
                ("flip", lambda a: (mpusim if a is device else np).flip(a)),
                ("swapaxes", lambda a: a.swapaxes(0, -1)), ("[...]", lambda a: a[...])])
            self.said.append(text)
            device, host = step(device), step(host)
        if isinstance(host, np.ndarray) and host.size:
            value = self.values(host.dtype, host.shape)
            host[...] = value
            device[...] = mpusim.array(value)
        Pair(device, host).check([self.said, "through"])
        return x

    def masked(self, x):
        mask = self.values("bool", x.host.shape)
        self.said.append("[mask] = 1")
        if mask.shape:
            x.device[mpusim.array(mask)] = 1
            x.host[mask] = 1
        return x

    def reduce(self, x):
        if not x.host.size:
            return x
        kind = x.host.dtype.kind
        names = ["min", "max", "argmin", "argmax", "any", "all"] + \
            ([] if kind == "f" else ["sum", "prod", "count_nonzero"])
        name = self.pick(names if kind != "b" else ["any", "all", "sum", "count_nonzero"])
        axis = None if not x.host.ndim or self.rng.random() < 0.4 else \
            int(self.rng.integers(x.host.ndim))
        self.said.append(f"{name} {axis}")
        return Pair(getattr(np, name)(x.device, axis=axis),
                    np.asarray(getattr(np, name)(x.host, axis=axis)))

    def arrange(self, x):
        if not x.host.ndim:
            return x
        axis = int(self.rng.integers(x.host.ndim))
        name = self.pick(["sort", "flip", "cumsum", "roll", "concatenate", "where"])
        if name == "cumsum" and x.host.dtype.kind == "f":
            name = "flip"
        self.said.append(f"{name} {axis}")
        if name in ("sort", "flip", "cumsum"):
            return Pair(getattr(np, name)(x.device, axis), getattr(np, name)(x.host, axis))
        if name == "roll":
            return Pair(np.roll(x.device, 3, axis), np.roll(x.host, 3, axis))
        if name == "concatenate":
            return Pair(np.concatenate([x.device, x.device], axis),
                        np.concatenate([x.host, x.host], axis))
        mask = self.values("bool", x.host.shape)
        return Pair(np.where(mpusim.array(mask), x.device, x.device * x.device),
                    np.where(mask, x.host, x.host * x.host))

    def program(self, floats):
        dtype = self.pick(FLOATS[:2] if floats and self.rng.random() < 0.8 else
                          (FLOATS if floats else INTS + ["bool"]))
        x = self.array(dtype, self.pick(SHAPES))
        self.said = [f"{x.host.dtype}{x.host.shape}"]
        for _ in range(int(self.rng.integers(2, 7))):
            step = self.pick([self.binary, self.unary, self.scalar, self.compare, self.cast,
                              self.view, self.turn, self.write, self.through, self.masked,
                              self.listed, self.exchange, self.elements, self.reduce, self.arrange])
            if x.host.size == 0:
                break
            if isinstance(x.host, np.generic):
                x = Pair(x.device, np.asarray(x.host))
            if step in (self.write, self.masked):
                x = Pair(x.device.copy(), np.array(x.host))
            x = step(x)
            if self.rng.random() < 0.2:
                x.check(self.said)
        x.check(self.said)


def run_one(target, device, seed, floats):
    """Whether there was room for it; it may run in any thread."""
    machine = Machine(seed)
    with device, np.errstate(all="ignore"):
        try:
            machine.program(floats)
        except (mpusim.Capacity, mpusim.Rejected) as e:
            # Divisions of 64 bits on a crossbar.
            if target != "pypim" or "columns of a VRF" not in str(e):
                raise
            return False
        except (Exception, KeyboardInterrupt):
            print(f"{target}: seed {seed}: {machine.said}", flush=True)
            raise
    return True


def run(seed, rounds, targets, check, floats):
    """Of each 32 programs 8 run side by side, on one device."""
    for target in targets:
        with mpusim.device(target, check=check) as device, warnings.catch_warnings(), \
                concurrent.futures.ThreadPoolExecutor(8) as pool:
            warnings.simplefilter("ignore")
            fitted = 0
            for first in range(0, rounds, 8):
                numbers = range(first, min(first + 8, rounds))
                work = [(target, device, seed + i, floats and i % 3 == 2) for i in numbers]
                if first % 32:
                    fitted += sum(run_one(*w) for w in work)
                else:
                    fitted += sum(f.result() for f in [pool.submit(run_one, *w) for w in work])
        device.close()
        print(f"{target}: {fitted} programs, equal; {rounds - fitted} had no room")
        if rounds - fitted > rounds // 4:
            raise AssertionError("too many programs had no room")


def targets_of(text):
    """The path of a target file may have commas."""
    return [text] if os.path.exists(text) else text.split(",")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    run(int(arguments[0]) if arguments else 1, int(arguments[1]) if len(arguments) > 1 else 60,
        targets_of(arguments[2]) if len(arguments) > 2 else ["golden", "racer", "mimdram"],
        "checked" in arguments[3:], "integers" not in arguments[3:])
