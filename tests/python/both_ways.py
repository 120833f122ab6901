# SPDX-License-Identifier: MIT
"""What NumPy's functions give and cost as kernels and on a device: the same results and, in the same
place and host links apart, the same micro-ops, to 0.2 %, energy and time, within 2 %.

    both_ways.py [--all] [--table] [--only PATTERN] [ELEMENTS,.. [TARGET,..]]
    both_ways.py --ratios <FIGURES

Without lengths each target has one of its own.  --all takes each function at each type and along
each axis, otherwise one of floats and one of integers and one axis in turn; --only those that match.
--table writes figures: of the kernel where `auto` puts it, of the kernel spread as vectors of a
device are, and of the device; --ratios makes of such lines the table of docs/arrays.md: time of the
device over the kernel's.

Results along an axis are arrays, which kernels make on the machine: there they are compared with a
device that does so, too (finish="device"), and one that leaves them to the host where that is cheaper
gives the same and takes no more time, its link included."""

import csv
import ctypes
import re
import sys
import warnings

import numpy as np

import mpusim
from mpusim import _lib, _programs

FLOATS = ["float32", "float16", "float64"]
INTS = ["int32", "uint8", "int16", "uint64", "int8", "uint16", "uint32", "int64"]

# Expressions of x, y and z, and kinds of the types at which both ways have them.
CASES = [(f"np.{f}(x)", "f") for f in
         "floor ceil trunc rint sqrt isnan isinf isfinite signbit".split()]
LIBRARY = "exp exp2 log log2 log10 sin cos tan tanh arctan".split()
CASES += [(f"np.{f}(x)", "h") for f in LIBRARY]
CASES += [("np.abs(x)", "fi")]
# Of unsigned types the sign is one bit: a new machine has zeros above it, a device clears them.
CASES += [("np.sign(x)", "fs")]
CASES += [(f"np.{f}(x, y)", "fi") for f in "minimum maximum".split()]
CASES += [(f"np.{f}(x, y)", "f") for f in "fmin fmax copysign".split()]
CASES += [("np.clip(x, y, z)", "fi"), ("np.where(x < y, x, z)", "fi")]
CASES += [(f"x {o} y", "fi") for o in "+ - * < <= == != > >=".split()]
CASES += [("x / y", "f"), ("-x", "fi"), ("x ** 3", "fi")]
# Of few bits: each of them is two products.
CASES += [("x ** y", "u")]
CASES += [(f"x {o} y", "i") for o in "& | ^ << >> // %".split()]
CASES += [("np.sort(x)", "fi"), ("np.min(x)", "fi"), ("np.max(x)", "fi"), ("np.argmin(x)", "fi"),
          ("np.argmax(x)", "fi"), ("np.cumsum(x, dtype=np.{t})", "i"), ("np.sum(x, dtype=np.{t})", "i"),
          ("np.all(x < y)", "fi"), ("np.any(x < y)", "fi")]
CASES += [("x << 3", "i"), ("x >> 3", "i"), ("~x", "i")]
# Rows and columns of a product, and its factors.
SHAPES = {"a": (3, 5), "b": (5, 4), "c": (4, 4), "v": (5,)}
CASES += [("a @ b", "fi"), ("c @ c", "fi"), ("a @ v", "fi")]
# Along axis {k} of m and q, which lie in lanes as vectors do.
ALONG = [(f"np.{f}({{x}}, axis={{k}}, dtype=np.{{t}})", "fi") for f in "sum prod cumsum".split()]
ALONG += [(f"np.{f}({{x}}, axis={{k}})", "fi") for f in "min max argmin argmax sort".split()]
ALONG += [(f"b = {{x}} != 0; np.{f}(b, axis={{k}})", "fi") for f in "all any".split()]
FIGURES = ("micro_ops", "energy_fj", "time_ps")


def shapes_of(n):
    lines = {"m": (3, 5), "q": (2, 3, 4)} if n < 100 else {"m": (n // 100, 100), "q": (5, n // 100, 20)}
    return {**SHAPES, **lines}


def values(rng, dtype, n):
    if dtype.kind != "f":
        info = np.iinfo(dtype)
        wide = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
        return np.where(rng.random(n) < 0.5, wide, rng.integers(0, 20, n).astype(dtype))
    edges = np.array([0, -0.0, 0.5, 1.5, np.inf, -np.inf, np.nan], dtype=dtype)
    plain = rng.normal(0, 100, n).astype(dtype)
    return np.where(rng.random(n) < 0.2, edges[rng.integers(0, len(edges), n)], plain)


def annotation(a):
    kind = "bool" if a.dtype == bool else f"{a.dtype.kind}{8 * a.dtype.itemsize}"
    return f"{kind}[{', '.join(str(n) for n in a.shape)}]" if a.ndim else kind


class SharedTarget:
    """A target that is opened once for all kernels and devices: what it makes of recipes takes most
    of a pair's time, and is kept with it.  No figure depends on that."""

    def __enter__(self):
        self.calls = _lib.target_open, _lib.target_close
        self.opened = {}
        _lib.target_open, _lib.target_close = self.open, lambda target: None
        return self

    def open(self, name, settings):
        if name not in self.opened:
            self.opened[name] = self.calls[0](name, settings)
        return self.opened[name]

    def __exit__(self, *_):
        _lib.target_open, _lib.target_close = self.calls
        for target in self.opened.values():
            _lib.target_close(target)


def run_at(program, target, place, arrays):
    machine = _lib.target_open(target.encode(), _lib.strings([]))
    session = _lib.session_new(program._handle, machine, ctypes.byref(_lib.config(place=place)))
    try:
        return program._run(session, {}, arrays)
    finally:
        _lib.session_free(session)
        _lib.target_close(machine)


def as_kernel(expression, arrays, result, target, places):
    """The result, and figures without the host's link for each of the places."""
    parameters = ", ".join(f"{name}: {annotation(a)}" for name, a in arrays.items())
    *statements, value = expression.split("; ")
    lanes = [name for name in "mqb" if re.search(rf"\b{name}\b", expression) and "axis" in expression]
    text = "\n".join(["from __future__ import annotations", "import numpy as np",
                      *(f"# layout: {name} = lanes" for name in lanes), "", "",
                      f"def f({parameters}) -> {annotation(result)}:",
                      *("    " + s for s in statements), f"    return {value}", ""])
    add = _programs._add_text("f.py", text)
    program = _programs.Program(_programs._build(add, {}), "f")
    made = [run_at(program, target, place, arrays) for place in places]
    results = [np.asarray(next(iter(m.values()))) for m in made]
    assert all(same(results[0], r) for r in results)
    return results[0], [[m.stats["total"][f] for f in FIGURES] for m in made]


def value_of(expression, arrays):
    *statements, value = expression.split("; ")
    names = {"np": np, **arrays}
    for s in statements:
        exec(s, names)  # noqa: S102
    return np.asarray(eval(value, names))  # noqa: S307


def on_device(expression, arrays, target, **words):
    """On a device of its own: one that has recipes in its tables already loads none.  The figures,
    and behind them the time with the link."""
    device = mpusim.device(target, **words)
    device._floats[np.dtype(np.float64)] = True  # whether it has room for them is seen below
    with device:
        given = {name: mpusim.array(a) for name, a in arrays.items()}
        made = value_of(expression, given)
        total = device.stats()["total"]
    device.close()
    return made, [total[f] for f in FIGURES] + [total["end_to_end_time_ps"]]


def same(left, right):
    return left.dtype == right.dtype and np.array_equal(left, right, equal_nan=left.dtype.kind == "f")


def near(kernel, device, more, bits):
    """Micro-ops are the same, but for bits that a new machine has as zeros and a device clears;
    energy and time follow: those of what is cleared are at most twice those of the kernel's
    micro-ops on average."""
    cleared = 2 * min(max(device[0] - kernel[0], 0), bits) / kernel[0]
    return abs(kernel[0] - device[0]) <= max(kernel[0] / (100 if more > 0.02 else 500), 12) + bits and \
        all(abs(kernel[k] - device[k]) <= (more + cleared) * kernel[k] for k in (1, 2))


# More of the time and of the energy than 2 %: of a sort of 3 one bit, which a new machine has as zero
# and a device clears; of few comparisons the kernel's jump over a text that the host stands in for.
MORE = {"np.sort": 0.03, "np.all": 0.03, "np.any": 0.03}


# Of the run over 100,000 elements at every type on every machine, which `./dev fuzz` makes, a few.
# Sorts go to other VRFs: lines of 2^17 elements need more than the vector has.
LONG = [("np.sort(x)", "int64", 100_000, "duality-cache"), ("np.sort(x)", "uint8", 100_000, "pypim"),
        ("np.floor(x)", "float32", 100_000, "racer"), ("np.minimum(x, y)", "float16", 100_000, "pypim"),
        ("np.clip(x, y, z)", "int64", 100_000, "mimdram"), ("x // y", "int16", 100_000, "ambit"),
        ("np.cumsum(x, dtype=np.{t})", "int64", 100_000, "racer"),
        ("np.argmin(x)", "uint8", 100_000, "simdram"),
        ("np.min(q, axis=0)", "float32", 100_000, "racer"),
        ("np.sum(m, axis=1, dtype=np.{t})", "int32", 100_000, "mimdram"),
        ("np.sum(m, axis=0, dtype=np.{t})", "float64", 100_000, "ambit"),
        ("np.argmin(m, axis=0)", "float64", 100_000, "racer"),
        ("np.cumsum(q, axis=1, dtype=np.{t})", "uint16", 100_000, "duality-cache"),
        ("np.prod(m, axis=0, dtype=np.{t})", "int16", 100_000, "pypim"),
        ("np.argmax(q, axis=2)", "int8", 100_000, "ambit"),
        ("np.sort(q, axis=0)", "float16", 100_000, "simdram")]


def alike(expression, kernel_type, kernel, device, result, target):
    # What the host finishes of the one it finishes of the other, whose text jumps over it.
    if device[0] == 0 or kernel[0] == 0:
        return device[0] == kernel[0]
    more = next((bound for word, bound in MORE.items() if word in expression), 0.02)
    # Numbers of elements are vectors of 64 bits, of which a kernel, where no other value can come, has
    # as many as there are elements: a device clears the others in each VRF of the result.
    bits = 64 * -(-result.size // 64) if re.search("np.arg.*axis", expression) else 0
    # A sort goes to VRFs where it takes less time, and back.
    goes = "np.sort" in expression and device[2] <= kernel[2]
    # Beside all 64 bits of numbers of elements this machine alone has no room for as many f64 at once.
    numbers = re.search("np.arg.*axis", expression) and kernel_type == "float64" and \
        target == "duality-cache" and \
        all(d <= (1 + more) * k for d, k, more in zip(device, kernel, (0.15, 0.07, 0.01)))
    return near(kernel, device, more, bits) or bool(goes or numbers)


def check(expression, dtype, n, target, table):
    expression = expression.replace("{t}", dtype.name)
    rng = np.random.default_rng(n)
    arrays = {name: values(rng, dtype, n) for name in "xyz" if re.search(rf"\b{name}\b", expression)}
    arrays |= {name: values(rng, dtype, int(np.prod(shape))).reshape(shape)
               for name, shape in shapes_of(n).items() if re.search(rf"\b{name}\b", expression)}
    want = value_of(expression, arrays)
    what = f"{target}: {expression} of {n} {dtype}"
    try:
        got, kernels = as_kernel(expression, arrays, want, target,
                                 ["auto", "spread"] if table else ["spread"])
    except mpusim.Rejected as e:
        if "rows" in str(e) or "columns" in str(e):  # 64 bits on a crossbar
            return 0
        raise
    # What ends in one value a kernel leaves to the host, or not; a device has the way between, too, and
    # another for running sums, that costs less.
    alone = re.search(r"np\.(sum|prod|min|max|all|any|arg\w+)\(", expression) and kernels[-1][0] != 0
    along = "axis" in expression or "cumsum" in expression or bool(alone)
    made, figures = on_device(expression, arrays, target, **({"finish": "device"} if along else {}))
    total = figures.pop()
    if along:
        chosen, cheapest = on_device(expression, arrays, target)
        if not same(chosen, made) or cheapest[-1] > total * 1.001:
            raise AssertionError(f"{what}: {chosen} in {cheapest[-1]}, on the machine {made} in {total}")
    if table:
        print(",".join(str(v) for v in (target, f'"{expression}"', dtype, n, *sum(kernels, []),
                                        *figures)), flush=True)
    # NumPy's last digit differs, and overflows in sums of another order.
    exact = dtype.kind != "f" or not re.search(r"\*\*|@|sum|prod", expression)
    library = re.fullmatch(r"np\.(\w+)\(x\)", expression)
    if library and library[1] in LIBRARY:  # bounds of both, docs/float-functions.md
        np.testing.assert_array_max_ulp(got, want, 1 if dtype == np.float16 else 5)
        exact = False
    if not same(got, made) or (exact and not same(got, want)):
        raise AssertionError(f"{what}: kernel {got}, device {made}, NumPy {want}")
    if not table and not alike(expression, dtype.name, kernels[-1], figures, made, target):
        raise AssertionError(f"{what}: {FIGURES}: kernel {kernels[-1]}, device {figures}")
    return 1


# Rows of the table of ratios.
GROUPS = [("`sort` along an axis", r"np\.sort.*axis"), ("`cumsum` along an axis", "cumsum.*axis"),
          ("`argmin`, `argmax` along an axis", "np.arg.*axis"),
          ("`sum`, `prod`, `min`, `max`, `all`, `any` along an axis", "axis"),
          ("`sort`", r"np\.sort"), ("`cumsum`", "cumsum"), ("`sum` of whole numbers", r"np\.sum"),
          ("`min`, `max`", r"np\.(min|max)\("), ("`argmin`, `argmax`", "np.arg"),
          ("`a @ b`", "a @ b"), ("`c @ c`", "c @ c"), ("`a @ v`", "a @ v"),
          ("element by element", "")]


def ratio_of(lines, kernel):
    """The least and the most; what the host finishes is only a jump, or nothing."""
    ratios = [int(x[12]) / int(x[kernel + 2]) for x in lines if int(x[10])]
    texts = dict.fromkeys(f"{r:.2f}" for r in (min(ratios), max(ratios))) if ratios else ["host"]
    return " .. ".join(texts)


def ratios(lines):
    targets = list(dict.fromkeys(x[0] for x in lines))
    print("| kernel in the same place | " + " | ".join(targets) + " |")
    print("|---|" + "---|" * len(targets))
    for kernel, place in ((7, ""), (4, ", where `auto` puts it")):
        left = lines
        for name, pattern in GROUPS:
            group = [x for x in left if re.search(pattern, x[1])]
            left = [x for x in left if x not in group]
            if group:
                print(f"| {name}{place} | " + " | ".join(
                    ratio_of([x for x in group if x[0] == t], kernel) for t in targets) + " |")


def cases_of(turn, every):
    """Of those along axes one axis each, in turn, or all."""
    yield from CASES
    places = [(x, k) for x, axes in (("m", 2), ("q", 3)) for k in range(axes)]
    for i, (expression, kinds) in enumerate(ALONG):
        for x, k in places if every else [places[(i + turn) % len(places)]]:
            yield expression.replace("{x}", x).replace("{k}", str(k)), kinds


def types_of(kinds, turn, every):
    signed = [t for t in INTS if t[0] == "i"]
    for kind, types in (("f", FLOATS), ("i", INTS), ("s", signed), ("u", ["uint8", "uint16"]),
                        ("h", ["float32", "float16"])):
        if kind in kinds:
            yield from types if every else [types[turn % len(types)]]


def main(words):
    every, table = "--all" in words, "--table" in words
    only = words.pop(words.index("--only") + 1) if "--only" in words else ""
    if "--ratios" in words:
        ratios([x for x in csv.reader(sys.stdin) if len(x) == 13])
        return
    words = [w for w in words if not w.startswith("--")]
    lengths = [int(n) for n in words[0].split(",")] if words else [300, 3]
    targets = words[1].split(",") if len(words) > 1 else ["racer", "mimdram"]
    failures = []
    for turn, target in enumerate(targets):
        done = 0
        for k, n in enumerate(lengths if words else lengths[turn % 2:][:1]):
            with np.errstate(all="ignore"), warnings.catch_warnings(), SharedTarget():
                warnings.simplefilter("ignore")
                for i, (expression, kinds) in enumerate(cases_of(turn + k, every)):
                    if not re.search(only, expression):
                        continue
                    for dtype in types_of(kinds, i + turn + k, every):
                        try:
                            done += check(expression, np.dtype(dtype), n, target, table)
                        except AssertionError as e:
                            failures.append(str(e))
                            print(e, flush=True)
        if not table:
            print(f"{target}: {done} functions give the same both ways, and cost so within the bounds")
    for expression, dtype, n, target in [] if words else LONG:
        check(expression, np.dtype(dtype), n, target, table)
    if failures:
        sys.exit(f"{len(failures)} differ")


if __name__ == "__main__":
    main(sys.argv[1:])
