# SPDX-License-Identifier: MIT
"""Random kernels.  A kernel is made statement by statement, and each is carried out at once: so
the types and shapes of all names are known from NumPy itself, and what it refuses is not kept."""
import ast
import random

import numpy as np

from archive import ENTRY, Takes, inputs, limited, load
from draw import FLOATS, INTEGERS, TYPES
from forms import Forms

NAMES = {np.dtype(t).name: n for n, t in TYPES.items()}
EXTENTS = [1, 2, 63, 64, 65, 511, 513, 10007]
MOST = 1 << 14  # elements of arrays that are made, unless a parameter has more
REALS = ["0.1", "0.5", "1.0", "-1.5", "2.75", "1e-3", "100.0", "3", "7", "-2", "0", "-0.0", "255", "np.inf", "np.pi"]
EDGES = [0, 1, 2, 3, 5, 7, 8, 13, 31, 63, 100, 127]
HEAD = "from __future__ import annotations\nimport numpy as np\n"


def dtype_text(t):
    return "np.bool_" if t == "bool" else "np." + TYPES[t].__name__


def type_of(x):
    return NAMES[x.dtype.name]


def is_value(x):
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype.name in NAMES


class Maker(Forms):
    def __init__(self, number, floats=False):
        self.rng = random.Random(number)
        self.number, self.floats = number, floats
        # What is drawn from: with floats most are floats.
        self.numbers = FLOATS * 3 + INTEGERS[::3] if floats else INTEGERS
        self.types = ["bool"] + self.numbers
        self.constants, self.tables, self.functions, self.parameters = [], [], [], []
        self.lines, self.indent, self.fresh = [], "    ", 0
        self.static = []  # counters of loops around, with their greatest value
        self.host = []    # (name, type, extents)
        self.texts = {}   # of functions
        self.chosen = set()  # x[mask]: how many elements there are depends on data
        self.stale = set()

    # ---- choices ----

    def pick(self, items):
        return items[self.rng.randrange(len(items))]

    def chance(self, n):
        return self.rng.randrange(n) == 0

    def choose(self, weighted):
        """One of ((weight, what), ..)."""
        return self.rng.choices([w for _, w in weighted], [n for n, _ in weighted])[0]

    def number_of(self, t):
        """A literal that fits the type."""
        if t in FLOATS:
            return self.pick(REALS)
        info = np.iinfo(TYPES[t])
        n = self.pick(EDGES) if self.rng.random() < .8 else self.rng.randint(info.min, info.max)
        if info.min < 0 and self.chance(3):
            n = -n
        return str(min(max(n, info.min), info.max))

    def static_number(self, most):
        """A number that is known, from 0 to most."""
        counters = [n for n, greatest in self.static if greatest <= most]
        if counters and self.chance(2):
            return self.pick(counters)
        return str(self.rng.randint(0, most))

    def extent_text(self, n):
        same = [c for c, v in self.constants if v == n]
        return self.pick(same) if same and not self.chance(4) else str(n)

    def shape_text(self, shape):
        inside = ", ".join(self.extent_text(n) for n in shape)
        return f"({inside},)" if len(shape) == 1 else f"({inside})"

    # ---- names ----

    def new_name(self):
        self.fresh += 1
        return f"v{self.fresh}"

    def values(self):
        tables = {n for n, _, _ in self.host}
        return [(n, x) for n, x in self.env.items() if is_value(x) and n not in tables]

    def arrays(self):
        return [(n, x) for n, x in self.values()
                if x.ndim and n not in self.chosen and (n not in self.stale or self.chance(12))]

    def evaluate(self, text):
        return eval(self.code(text, "eval"), self.names, self.env)

    def code(self, text, kind):
        return compile(ast.fix_missing_locations(Takes().visit(ast.parse(text, mode=kind))), "kernel.py", kind)

    def carry_out(self, text):
        """In one scope, which comprehensions see, too."""
        scope = {**self.names, **self.env}
        exec(self.code(text, "exec"), scope)
        self.env.update((n, x) for n, x in scope.items() if n != "__builtins__" and self.names.get(n) is not x)

    def add(self, line):
        """Carries a line out and keeps it; raises what NumPy raises."""
        self.carry_out(line)
        self.lines.append(self.indent + line)

    def write(self, name, line):
        """The same for a line that writes the array: its views are old afterwards."""
        x = self.env[name]
        self.add(line)
        for n, y in self.values():
            if y.ndim and y is not x and np.may_share_memory(x, y):
                self.stale.add(n)

    # ---- leaves ----

    def leaf(self, t, shape):
        if not shape:
            return self.scalar(t)
        same = [(n, x) for n, x in self.arrays() if x.shape == shape]
        typed = [n for n, x in same if type_of(x) == t]
        if typed and not self.chance(6):
            name = self.pick(typed)
            return self.turned(name, shape) if self.chance(6) else name
        if same and not self.chance(6):
            return f"{self.pick(same)[0]}.astype({dtype_text(t)})"
        return self.made(t, shape)

    def turned(self, name, shape):
        """The elements of an array in another order."""
        axis = self.rng.randrange(len(shape))
        by = self.rng.randint(-shape[axis] - 2, shape[axis] + 2)
        return self.pick([f"np.roll({name}, {by})", f"np.roll({name}, {by}, axis={axis})",
                          f"np.flip({name}, axis={axis})", f"np.flip({name})", f"{name}[::-1]",
                          f"{name}.copy()", f"{name}.ravel().reshape({self.shape_text(shape)})"])

    def made(self, t, shape):
        size = int(np.prod(shape))
        if t != "bool" and size <= (2048 if t in FLOATS else np.iinfo(TYPES[t]).max) and self.chance(2):
            way = self.pick([f"{size}", f"{size - 1}, -1, -1"])
            return f"np.arange({way}, dtype={dtype_text(t)}).reshape{self.shape_text(shape)}"
        if t == "bool":
            return f"np.{self.pick(['zeros', 'ones'])}({self.shape_text(shape)}, dtype=np.bool_)"
        return f"np.full({self.shape_text(shape)}, {self.number_of(t)}, dtype={dtype_text(t)})"

    def scalar(self, t):
        """Without dimension."""
        ways = [n for n, x in self.values() if not x.ndim and type_of(x) == t]
        ways += [self.host_element(h) for h in self.host if h[1] == t]
        ways += [f"{n}[{self.rng.randrange(len(values))}]" for n, kind, values in self.tables if kind == t]
        arrays = [(n, x) for n, x in self.arrays() if type_of(x) == t]
        if arrays:
            name, x = self.pick(arrays)
            ways += [self.element(name, x), f"{name}.{self.pick(['min', 'max'])}()"]
        if not ways or self.chance(8):
            return self.typed(t)
        return self.pick(ways)

    def typed(self, t):
        if t == "bool":
            return self.pick(["np.bool_(True)", "np.bool_(False)"])
        return f"{dtype_text(t)}({self.number_of(t)})"

    def host_element(self, h):
        return h[0] + "[" + ", ".join(self.static_number(n - 1) for n in h[2]) + "]"

    def element(self, name, x):
        return name + "[" + ", ".join(self.position(n) for n in x.shape) + "]"

    def position(self, n):
        return f"{self.rng.randint(-n, -1)}" if self.chance(3) else self.static_number(n - 1)

    # ---- expressions ----

    def expr(self, t, shape, depth):
        """Text whose value has that type and shape."""
        if depth == 0 or self.chance(5):
            return self.leaf(t, shape)
        of_bool = self.FLOAT_BOOL if self.floats else self.BOOL
        way = self.choose(of_bool if t == "bool" else self.FLOAT if t in FLOATS else self.INTEGER)
        return way(self, t, shape, depth - 1)

    def operand(self, t, shape, depth):
        """What meets an array of the shape: a number, a value, what is broadcast, or its like; of a type that
        gives way to t."""
        if t != "bool" and self.chance(3 if shape else 6):
            return self.number_of(t)
        if self.chance(4):
            t = self.pick([k for k in self.types if np.promote_types(TYPES[k], TYPES[t]) == TYPES[t]])
        if shape and self.chance(4):
            return self.scalar(t)
        if shape and self.chance(3):
            return self.narrow(t, shape, depth)
        return self.expr(t, shape, depth)

    def narrow(self, t, shape, depth):
        """What is broadcast to the shape."""
        if len(shape) > 1 and self.chance(2):
            return self.expr(t, shape[1:], depth)
        axis = self.rng.randrange(len(shape))
        if len(shape) == 2 and axis == 1 and self.chance(2):
            return f"{self.expr(t, shape[:1], 0)}[:, {self.pick(['np.newaxis', 'None'])}]"
        return self.expr(t, shape[:axis] + (1,) + shape[axis + 1:], depth)

    def pair(self, t, shape, depth):
        a, b = self.expr(t, shape, depth), self.operand(t, shape, depth)
        return (b, a) if self.chance(3) else (a, b)

    def arithmetic(self, t, shape, depth):
        a, b = self.pair(t, shape, depth)
        return f"({a} {self.pick(['+', '-', '*', '&', '|', '^', '+', '-'])} {b})"

    def real_arithmetic(self, t, shape, depth):
        a, b = self.pair(t, shape, depth)
        return f"({a} {self.pick('+-*/+-*')} {b})"

    def real_unary(self, t, shape, depth):
        a = self.expr(t, shape, depth)
        f = self.pick(["sqrt", "floor", "ceil", "trunc", "rint", "abs", "sign"])
        powers = [f"({a} ** {self.real_exponent()})", f"np.power({a}, {self.rng.randint(0, 5)})"] * bool(shape)
        return self.pick([f"(-{a})", f"abs({a})", f"np.{f}({a})", f"np.{f}({a})"] + powers)

    def real_exponent(self):
        return self.pick(["2", "2", "3", "0.5", "3.0", str(self.rng.randint(0, 9))])

    def real_pair(self, t, shape, depth):
        a, b = self.pair(t, shape, depth)
        return f"np.{self.pick(['copysign', 'fmin', 'fmax', 'minimum', 'maximum'])}({a}, {b})"

    def real_class(self, t, shape, depth):
        """Of bool: what a float is."""
        f = self.pick(["isnan", "isinf", "isfinite", "signbit"])
        return f"np.{f}({self.expr(self.pick(FLOATS), shape, depth)})"

    def to_real(self, t, shape, depth):
        a = self.expr(self.pick(self.types), shape, depth)
        return f"{self.object(a)}.astype({dtype_text(t)})"

    def division(self, t, shape, depth):
        a, b = self.pair(t, shape, depth)
        return f"({a} {self.pick(['//', '%'])} {b})"

    def shift(self, t, shape, depth):
        if shape and self.chance(3):
            count = f"({self.expr(t, shape, 0)} & 7)" if self.chance(2) else self.expr(t, shape, depth)
            return f"({self.operand(t, shape, depth)} {self.pick(['<<', '>>'])} {count})"
        a = self.expr(t, shape, depth)
        b = self.operand(t, shape, depth)
        if shape and not self.chance(3):
            b = self.pick([str(self.rng.randint(0, 9)), f"({self.expr(t, shape, 0)} & 7)"])
        return f"({a} {self.pick(['<<', '>>'])} {b})"

    def unary(self, t, shape, depth):
        a = self.expr(t, shape, depth)
        return self.pick([f"(-{a})", f"(~{a})", f"abs({a})", f"np.abs({a})", f"np.sign({a})"])

    def power(self, t, shape, depth):
        """By a number, or by exponents that are data: of a number, of an array."""
        if not shape:
            return self.leaf(t, shape)
        if self.chance(2):
            return f"({self.expr(t, shape, depth)} ** {self.rng.randint(0, 4)})"
        base = self.operand(t, shape, depth)
        e = self.exponent(t, shape, depth)
        if base[0] == "-" and self.chance(2):
            base = f"({base})"
        return self.pick([f"({base} ** {e})", f"({base} ** {e})", f"np.power({base}, {e})"])

    def exponent(self, t, shape, depth):
        """Data of which none is negative; small, for a product of 64 bits takes long."""
        e = self.expr(t, shape, min(depth, 1))
        return self.pick([e, f"({e} % 5)"] if t in ["u8", "u16"] else [f"({e} & {self.pick([1, 7, 15, 100])})", f"np.clip({e}, 0, 9)"])

    def extreme(self, t, shape, depth):
        a, b = self.pair(t, shape, depth)
        return f"np.{self.pick(['minimum', 'maximum'])}({a}, {b})"

    def where(self, t, shape, depth):
        if not shape and self.chance(2):
            return f"({self.expr(t, (), depth)} if {self.expr('bool', (), depth)} else {self.expr(t, (), depth)})"
        a, b = self.pair(t, shape, depth)
        c = self.operand(self.pick(["bool", "bool", "bool", "u8"]), shape, depth)
        return f"np.where({c}, {a}, {b})"

    def clip(self, t, shape, depth):
        a = self.expr(t, shape, depth)
        if not shape:
            return a
        low, high = (self.number_of(t), self.number_of(t)) if t in FLOATS else sorted(
            [int(self.number_of(t)), int(self.number_of(t))])
        return self.pick([f"np.clip({a}, {low}, {high})", f"{self.object(a)}.clip({low}, {high})"])

    def object(self, text):
        """Text that a method may be called on."""
        return text if text[0] == "(" or text.isidentifier() else f"({text})"

    def cast(self, t, shape, depth):
        a = self.expr(self.pick(self.types), shape, depth)
        return f"{self.object(a)}.astype({dtype_text(t)})" if shape or self.chance(2) else f"{dtype_text(t)}({a})"

    def compare(self, t, shape, depth):
        a, b = self.pair(self.pick(self.numbers + ["bool"]), shape, depth)
        return f"({a} {self.pick(['==', '!=', '<', '<=', '>', '>='])} {b})"

    def logic(self, t, shape, depth):
        if self.chance(4):
            return f"(~{self.expr('bool', shape, depth)})"
        a, b = self.pair("bool", shape, depth)
        return f"({a} {self.pick('&|^')} {b})"

    def looked_up(self, t, shape, depth):
        """Elements of a table or an array by indices."""
        tables = [(n, len(v)) for n, kind, v in self.tables if kind == t]
        tables += [(n, x.shape[0]) for n, x in self.arrays() if x.ndim == 1 and type_of(x) == t]
        if not tables or not shape:
            return self.leaf(t, shape)
        name, n = self.pick(tables)
        kind = self.pick([k for k in INTEGERS if np.iinfo(TYPES[k]).max >= n])
        i = self.expr(kind, shape, min(depth, 1))
        mode = self.pick(["wrap", "clip"])
        inside = [f"{name}[({i} % {n})]", f"{name}[np.clip({i}, 0, {n - 1})]"]
        return self.pick(inside + [f"np.take({name}, {i}, mode=\"{mode}\")", f"{name}.take({i}, mode='{mode}')"])

    def called(self, t, shape, depth):
        """A call of a function of the file that keeps type and shape."""
        fitting = [] if len(shape) > 3 else [f for f, kind, form in self.functions if kind in (None, t) and form in (None, shape)]
        if not fitting or t == "bool" or not shape:
            return self.leaf(t, shape)
        return f"{self.pick(fitting)}({self.expr(t, shape, depth)}, {self.expr(t, shape, min(depth, 1))})"

    def folded(self, t, shape, depth):
        """A reduction that gives that shape."""
        like = [x.shape for _, x in self.arrays() for d in range(x.ndim)
                if x.shape[:d] + x.shape[d + 1:] == shape]
        if not like:
            return self.leaf(t, shape)
        wide = self.pick(like)
        axis = self.pick([d for d in range(len(wide)) if wide[:d] + wide[d + 1:] == shape])
        axis -= len(wide) if self.chance(3) else 0
        return self.fold_of(t, wide, f"axis={axis}", depth)

    def fold_of(self, t, shape, how, depth):
        """A fold of an array of the shape to type t; how: more arguments."""
        how = ", " + how if how else ""
        if t == "bool":
            a = self.expr(self.pick(self.types), shape, depth)
            return f"np.{self.pick(['any', 'all'])}({a}{how})"
        if t == "i64" and self.chance(2):
            a = self.expr(self.pick(self.types), shape, depth)
            f = self.pick(["argmin", "argmax", "count_nonzero"])
            return f"np.{f}({a}{how})" if f != "count_nonzero" or how else f"np.int64(np.{f}({a}))"
        if self.chance(2):
            return f"np.{self.pick(['min', 'max', 'amin', 'amax'])}({self.expr(t, shape, depth)}{how})"
        from_type = t if t in FLOATS and self.chance(2) else self.pick([t] + self.types)
        a, f = self.expr(from_type, shape, depth), self.pick(["sum", "sum", "prod"])
        if from_type in FLOATS and t == from_type and self.chance(3):
            f = "mean"
        typed = "" if from_type == t and t in ["i64", "u64"] + FLOATS and self.chance(2) else f", dtype={dtype_text(t)}"
        if self.chance(3):
            return f"{self.object(a)}.{f}({(how + typed)[2:]})"
        return f"np.{f}({a}{how}{typed})"

    def running(self, t, shape, depth):
        if not shape or t == "bool":
            return self.leaf(t, shape)
        a, axis = self.expr(t, shape, depth), self.rng.randrange(len(shape))
        how = "" if len(shape) == 1 and self.chance(2) else f", axis={axis}"
        return f"np.cumsum({a}{how}, dtype={dtype_text(t)})"

    def sorted(self, t, shape, depth):
        if not shape or t == "bool" or np.prod(shape) > 300:
            return self.leaf(t, shape)
        axis = self.pick(["", "", f", axis={self.rng.randrange(len(shape))}"]) if len(shape) == 1 else ""
        return f"np.sort({self.expr(t, shape, depth)}{axis})"

    WAYS = ((1, Forms.named), (.5, Forms.of_conditions))
    BOOL = ((5, compare), (1, Forms.named_truth), (.3, Forms.of_conditions), (3, logic), (1, cast), (1, where), (1, folded), (1, extreme))
    FLOAT_BOOL = BOOL + ((2, real_class),)
    FLOAT = ((12, real_arithmetic), (4, real_unary), (3, real_pair), (3, where), (1, clip), (3, to_real),
             (1, looked_up), (3, called), (2, folded), (1, running), (.4, sorted)) + WAYS
    INTEGER = ((8, arithmetic), (2, division), (3, shift), (2, unary), (1, power), (2, extreme),
               (3, where), (1, clip), (3, cast), (2, looked_up), (3, called), (2, folded), (1, running), (.4, sorted)) + WAYS + (
        (1, Forms.summed_list), (.7, Forms.chosen_number), (.7, Forms.letter), (.7, Forms.helped), (.7, Forms.by_lambda))

    # ---- views ----

    def slice_of(self, n):
        if self.chance(3):
            return ":"
        if n > 1 and self.static and self.chance(2):
            counters = [(c, greatest) for c, greatest in self.static if greatest < n]
            if counters:
                c, greatest = self.pick(counters)
                return f"{c}:{c} + {self.rng.randint(1, n - greatest)}"
        step = self.pick([1, 1, 2, 3, -1, -1, -2, 7])
        a, b = sorted([self.rng.randint(0, n - 1), self.rng.randint(1, n)])
        a, b = (a, b) if a < b else (0, n)
        if step < 0:
            a, b = b - 1, (a - 1 if a else "")
        first = "" if self.chance(4) else a - n if a != "" and a < n and self.chance(5) else a
        last = "" if self.chance(4) else b
        return f"{first}:{last}" + ("" if step == 1 and self.chance(2) else f":{step}")

    def items(self, shape):
        """What stands in [] of an array of the shape."""
        items = []
        for n in shape:
            if self.chance(5) and len(items) + len(shape) < 4:
                items.append(self.pick(["None", "np.newaxis"]))
            items.append(self.position(n) if self.chance(4) else self.slice_of(n))
        if len(items) > 1 and items[-1] == ":" and self.chance(2):
            items[-1] = "..."
        return ", ".join(items)

    def view(self, name, x):
        """Text of a view of an array, or of its elements in another shape."""
        ways = [f"{name}[{self.items(x.shape)}]"] * 4 + [f"{name}.ravel()", f"{name}.reshape(-1)"]
        if x.ndim > 1:
            axes = list(range(x.ndim))
            self.rng.shuffle(axes)
            ways += [f"{name}.T"] * 2 + [f"np.transpose({name}, {tuple(axes)})"]
        divisors = [d for d in (2, 3, 4, 7, 8, 9, 16, 63, 64) if x.size % d == 0 and x.size > d]
        if divisors:
            d = self.pick(divisors)
            ways += [f"{name}.reshape({d}, {x.size // d})", f"{name}.reshape(-1, {d})", f"np.reshape({name}, ({d}, -1))"]
        if x.ndim < 3 and x.size < 500:
            ways += [f"np.broadcast_to({name}, {self.shape_text((3,) + x.shape)})"]
        return self.pick(ways)

    # ---- statements ----

    def any_shape(self):
        return self.pick(self.arrays())[1].shape

    def any_type(self):
        return self.pick([type_of(x) for _, x in self.arrays()] + [self.pick(self.types)])

    def assign(self):
        shape = self.any_shape() if not self.chance(8) else ()
        self.add(f"{self.new_name()} = {self.expr(self.any_type(), shape, self.rng.randint(1, 3))}")

    def assign_view(self):
        name, x = self.pick(self.arrays())
        text = self.view(name, x)
        self.add(f"{self.new_name()} = {text}{self.pick(['', '.copy()'])}")

    def assign_fold(self):
        shape, t = self.any_shape(), self.any_type()
        how = f"axis={self.rng.randrange(-len(shape), len(shape))}" if self.chance(2) or len(shape) > 1 else ""
        how += (", " if how else "") + f"keepdims={self.pick(['True', 'False'])}" if self.chance(3) else ""
        self.add(f"{self.new_name()} = {self.fold_of(t, shape, how, 1)}")

    def assign_two(self):
        a, b = self.new_name(), self.new_name()
        shape, t = self.any_shape(), self.any_type()
        self.add(f"{a}, {b} = {self.expr(t, shape, 1)}, {self.expr(self.any_type(), shape, 1)}")

    def assign_same(self):
        name, _ = self.pick(self.arrays())
        self.add(f"{self.new_name()} = {name}")

    def joined(self):
        t, shape = self.any_type(), self.any_shape()
        parts = ", ".join(self.expr(t, shape, 1) for _ in range(self.rng.randint(2, 3)))
        axis = self.rng.randrange(len(shape))
        how = self.pick([f"np.concatenate(({parts}), axis={axis})", f"np.concatenate([{parts}])"]
                        + ([f"np.stack(({parts}), axis={self.rng.randint(-1, len(shape))})"] if len(shape) < 3 else []))
        self.add(f"{self.new_name()} = {how}")

    def masked_fold(self):
        name, x = self.pick(self.arrays())
        c, t = self.expr("bool", x.shape, 1), self.pick(INTEGERS)
        how = self.pick([f".sum(dtype={dtype_text(t)})", f".prod(dtype={dtype_text(t)})", ".any()", ".all()"])
        if type_of(x) in FLOATS:
            how = self.pick([".min()", ".max()", ".any()", ".all()"])
        self.add(f"{self.new_name()} = {name}[{c}]{how}")

    def choose_elements(self):
        """x[mask], what is computed of it, and a fold of it."""
        x, c, y, t = self.pick(self.arrays()), self.new_name(), self.new_name(), self.pick(INTEGERS)
        self.add(f"{c} = {self.expr('bool', x[1].shape, 1)}")
        like = [n for n, other in self.arrays() if other.shape == x[1].shape and type_of(other) == type_of(x[1])]
        self.chosen.add(y)
        self.add(f"{y} = {x[0]}[{c}]")
        op, fold = ("*", "max()") if type_of(x[1]) in FLOATS else ("^", f"sum(dtype={dtype_text(t)})")
        ways = [f"{y}.astype({dtype_text(t)})", f"({y} {op} {self.scalar(type_of(x[1]))})",
                f"({y} {op} {self.pick(like)}[{c}])", f"{y}[{y}.astype(np.bool_)]", f"{y}.{fold}"]
        for _ in range(self.rng.randint(0, 2)):
            z = self.new_name()
            self.chosen.add(z)
            self.add(f"{z} = {self.pick(ways)}")

    def product(self):
        """Of arrays whose axes fit; not too much work."""
        both = [(n, x) for n, x in self.arrays() if type_of(x) != "bool"]
        pairs = [(m, n) for m, x in both for n, y in both if type_of(x) == type_of(y) and x.ndim < 3 and y.ndim < 3
                 and x.shape[-1] == y.shape[0] and x.size * (y.size // y.shape[0]) <= 3000]
        a, b = self.pick(pairs)
        self.add(f"{self.new_name()} = {self.pick([f'{a} @ {b}', f'np.dot({a}, {b})', f'np.matmul({a}, {b})', f'{a}.dot({b})'])}")

    def writable(self):
        """An array that is no view, and that no function gave: one that the kernel owns."""
        owned = [(n, x) for n, x in self.arrays() if x.base is None and x.flags.writeable]
        return self.pick(owned if owned and not self.chance(20) else self.arrays())

    def in_place(self):
        name, x = self.writable()
        t = type_of(x)
        ops = ["&", "|", "^"] if t == "bool" else ["+", "-", "*", "/"] if t in FLOATS else ["+", "-", "*", "&", "|", "^", "<<", ">>", "//", "%"]
        if t != "bool" and self.chance(6):
            self.write(name, f"{name} **= {self.small_power(t, x.shape)}")
        else:
            self.write(name, f"{name} {self.pick(ops)}= {self.operand(t, x.shape, 1)}")

    def small_power(self, t, shape):
        """What stands behind **=."""
        known = self.real_exponent() if t in FLOATS else str(self.rng.randint(0, 4))
        return known if t in FLOATS or not shape or self.chance(2) else self.exponent(t, shape, 1)

    def store(self):
        name, x = self.writable()
        items, t = self.items(x.shape), type_of(x)
        part = self.evaluate(f"{name}[{items}]").shape
        op = self.pick(["", "", "+", "*" if t in FLOATS else "^"]) if t != "bool" else self.pick(["", "^"])
        value = self.number_of(t) if t != "bool" and (part or not op) and self.chance(3) else self.operand(t, part, 1)
        if t != "bool" and part and self.chance(8):
            op, value = "**", self.small_power(t, part)
        self.write(name, f"{name}[{items}] {op}= {value}")

    def store_masked(self):
        name, x = self.writable()
        t = type_of(x)
        value = self.number_of(t) if t != "bool" and not self.chance(3) else self.scalar(t)
        op = self.pick(["", "", "+", "-", "*" if t in FLOATS else "^"]) if t != "bool" else self.pick(["", "^"])
        if t != "bool" and self.chance(8):
            op, value = "**", self.small_power(t, ())
        self.write(name, f"{name}[{self.expr('bool', x.shape, 1)}] {op}= {value}")

    def store_count(self):
        shape = self.any_shape()
        name, n = self.new_name(), self.rng.randint(2, 5)
        self.add(f"{name} = np.zeros({n}, dtype={dtype_text(self.pick(['i64', 'u32', 'i32', 'u16']))})")
        count = self.expr(self.pick(self.types), shape, 1)
        self.write(name, f"{name}[{self.rng.randrange(n)}] = np.count_nonzero({count})")

    def statements(self, most):
        for _ in range(self.rng.randint(1, most)):
            self.statement(self.choose(self.SIMPLE))

    def block(self, head, body, counter=None):
        """A block whose body is made as its first lap goes; then all of the kernel is run anew."""
        begin, known, outer = len(self.lines), len(self.static), self.indent
        self.lines.append(outer + head)
        self.indent += "    "
        if counter:
            self.static.append((counter[0], counter[1]))
            self.env[counter[0]] = 0
        body()
        if len(self.lines) == begin + 1:
            self.lines.append(self.indent + "pass")
        self.indent = outer
        del self.static[known:]
        self.again(begin)

    def again(self, begin):
        """Runs the lines from the first on; where NumPy refuses them, those from `begin` on go."""
        for lines in (self.lines, self.lines[:begin]):
            try:
                self.env = dict(inputs(self.names, self.number))
                self.carry_out("if True:\n" + "\n".join(lines or ["    pass"]))
                self.lines = lines
                return
            except Exception:
                pass
        raise ValueError("a kernel that does not run again")

    def loop(self):
        name, laps = self.pick("ijk") + str(len(self.static)), self.rng.randint(2, 4)
        self.block(f"for {name} in range({laps}):", lambda: self.statements(3), (name, laps - 1))

    def choice(self):
        name, value = self.pick(self.constants)
        test = f"{name} {self.pick(['>', '<', '==', '!='])} {self.pick([value, value + 1, 5])}"
        holds = eval(test, {}, dict(self.constants))
        if holds:
            self.block(f"if {test}:", lambda: self.statements(2))
        else:
            name, x = self.pick(self.arrays())
            self.lines += [f"{self.indent}if {test}:", f"{self.indent}    {self.new_name()} = {name}.nothing",
                           f"{self.indent}else:", f"{self.indent}    {self.new_name()} = {name}"]
            self.again(len(self.lines) - 4)

    def laps(self):
        """A loop as long as some element of a counter is left."""
        if self.indent != "    ":
            return
        shape, t = self.any_shape(), self.pick(["u8", "i16", "u32", "i64"])
        name = self.new_name()
        self.add(f"{name} = {self.expr(t, shape, 1)} & 7")
        update = self.pick([f"{name} = {name} >> 1", f"{name} = np.where({name} > 0, {name} - 1, {name})",
                            f"{name} >>= 1", f"{name}[{name} > 0] -= 1"])
        test = self.pick([f"np.any({name} > 0)", f"({name} != 0).any()", f"not np.all({name} == 0)", f"np.any({name})"])

        def body():
            self.counted = name
            self.lap(shape)
            self.lines.append(self.indent + update)
        self.block(f"while {test}:", body)

    def asked(self):
        """A counter of a few bits, a question about it, and what brings the question to an end."""
        shape, t = self.any_shape(), self.pick(["u8", "i16", "u32", "i64"])
        name = self.new_name()
        self.add(f"{name} = {self.expr(t, shape, 1)} & 7")
        test = self.pick([f"np.any({name} > 3)", f"({name} == 0).all()", f"not np.all({name} == 0)", f"not np.any({name})",
                          f"{name}.max() > 2", f"{name}.sum() < 9 or {name}.min() == 1"])
        return shape, name, test

    def branch(self):
        """`if` on data."""
        if self.indent != "    ":
            return
        shape, name, test = self.asked()
        self.counted = name
        self.block(f"if {test}:", lambda: self.lap(shape))

    def leaving(self):
        """A loop that is left, or an iteration that ends early."""
        if self.indent != "    ":
            return
        shape, name, test = self.asked()
        i, laps = f"l{len(self.static)}", self.rng.randint(2, 20)
        word = self.pick(["break", "break", "continue"])

        def body():
            self.counted = name
            self.lap(shape)
            self.lines += [f"{self.indent}if {test}:", f"{self.indent}    {word}"]
            self.lap(shape)
            self.lines.append(f"{self.indent}{name} = {name} >> 1")
        self.block(f"for {i} in range({laps}):", body, (i, laps - 1) if laps < 5 else None)

    def usual(self):
        """Reductions of the type that NumPy takes."""
        name, x = self.pick([(n, x) for n, x in self.arrays() if type_of(x) not in FLOATS] or self.arrays())
        self.add(f"{self.new_name()} = {self.pick([f'{name}.sum()', f'np.sum({name}, axis=0)', f'np.cumsum({name})', f'{name}.prod()', f'np.mean({name})'])}")

    def empty(self):
        """Slices without an element beside others."""
        name, x = self.pick(self.arrays())
        n, t = x.shape[0], type_of(x)
        self.add(self.pick([f"{self.new_name()} = np.concatenate(({name}[{n}:], {name}))",
                            f"{self.new_name()} = {name}[:0].sum(dtype={dtype_text('i32' if t not in FLOATS else t)}) + {self.scalar('i32')}",
                            f"{self.new_name()} = np.concatenate(({name}[3:1] + {name}[:0], {name}))"]))

    def lap(self, shape):
        """Statements that keep types and shapes of what they bind."""
        for _ in range(self.rng.randint(1, 2)):
            others = [(n, x) for n, x in self.arrays() if n != self.counted and x.base is None]
            if self.chance(2):  # what is bound anew and written has another name, if it is a parameter
                others = [(n, x) for n, x in others if n[0] == "v"] or others
            name, x = self.pick(others)
            t = type_of(x)
            if self.chance(2) or t == "bool":
                self.write(name, f"{name} = {self.expr(t, x.shape, 2)}")
            else:
                op = self.pick("+-*/" if t in FLOATS else "+-^")
                self.write(name, f"{name} {op}= {self.operand(t, x.shape, 1)}")

    SIMPLE = ((8, assign), (5, assign_view), (4, assign_fold), (2, assign_two), (1, assign_same), (3, joined),
              (1, masked_fold), (1, choose_elements), (1, product), (1, usual), (1, empty), (3, in_place), (3, store), (2, store_masked), (1, store_count),
              (.7, Forms.of_two_numbers), (1.5, Forms.store_chosen), (1.5, Forms.grown), (.7, Forms.targets), (1.5, Forms.small_things),
              (.5, Forms.emptied), (.8, Forms.own_function), (1.2, Forms.side_by_side))
    ALL = SIMPLE + ((1.5, Forms.counted_up), (3, loop), (1, choice), (2, laps), (1, branch), (2, leaving))

    def statement(self, way):
        """What NumPy refuses is not kept."""
        lines, known, outer = len(self.lines), len(self.static), self.indent
        try:
            way(self)
        except (ValueError, IndexError, TypeError, AttributeError, OverflowError):
            grown = len(self.lines) > lines
            del self.lines[lines:], self.static[known:]
            self.indent = outer
            if grown and outer == "    ":
                self.again(lines)
        self.drop_large()

    def drop_large(self):
        limit = max([MOST] + [x.size for n, x in self.env.items() if n.startswith("x") and is_value(x)])
        for n in [n for n, x in self.values() if x.size > limit or (x.size == 0 and n not in self.chosen) or x.ndim > 3]:
            del self.env[n]

    # ---- the file ----

    def make_constants(self):
        large = self.rng.random() < .06
        extents = EXTENTS if large else EXTENTS[:-1]
        self.constants = [("A", self.pick(extents)), ("B", self.pick([1, 2, 3, 5, 7, 63])), ("C", self.rng.randint(2, 4))]

    def make_tables(self):
        for i in range(self.rng.randint(0, 2)):
            t, n = self.pick(self.numbers), self.pick([2, 8, 16, 100])
            read = (lambda text: eval(text, {"np": np})) if t in FLOATS else int
            values = [read(self.number_of(t)) for _ in range(n)]
            self.tables.append((f"T{i}", t, [v if v != np.inf else 1e30 for v in values]))

    def shapes(self):
        (_, a), (_, b), (_, c) = self.constants
        shapes = [("A",), ("A",), ("A", "B"), ("B", "A"), ("B",), ("C", "B", "A"), ("B", "A", "C"), ("A", "C")]
        sizes = dict(self.constants)
        return [s for s in shapes if np.prod([sizes[n] for n in s]) <= max(6000, a, b, c)]

    def make_parameters(self):
        shapes = self.shapes()
        for i in range(self.rng.randint(1, 3)):
            shape = self.pick(shapes)
            extents = ", ".join(str(dict(self.constants)[n]) if self.chance(5) else n for n in shape)
            self.parameters.append(f"x{i}: {self.pick(self.types)}[{extents}]")
        for i in range(self.rng.randint(0, 2)):
            self.parameters.append(f"s{i}: {self.pick(self.types)}")
        for i in range(self.rng.randint(0, 1)):
            t, extents = self.pick(self.types), self.pick([(5,), (9,), (3, 3)])
            self.parameters.append(f"h{i}: host_{t}[{', '.join(map(str, extents))}]")
            self.host.append((f"h{i}", t, extents))

    def make_functions(self):
        """Functions of two arrays of one type, some with annotations."""
        for i in range(self.rng.randint(0, 2)):
            kind, form = self.pick(self.numbers), self.pick(self.shapes())
            text = self.pick(REAL_FUNCTIONS if kind in FLOATS else FUNCTIONS)
            shape = tuple(dict(self.constants)[n] for n in form)
            typed = f": {kind}[{', '.join(form)}]"
            annotated = self.chance(3)
            note = typed if annotated else ""
            lines = [f"def f{i}(a{note}, b{note}):"] + ["    " + line for line in text]
            self.functions.append((f"f{i}", kind if annotated or self.floats else None, shape if annotated else None))
            self.texts[f"f{i}"] = "\n" + "\n".join(lines) + "\n"

    def start(self):
        self.make_constants()
        self.make_tables()
        self.head = HEAD + "".join(f"{n} = {v}\n" for n, v in self.constants)
        for name, t, values in self.tables:
            self.head += f"{name} = np.array({values}, dtype={dtype_text(t)})\n"
        self.make_parameters()
        self.make_functions()
        self.signature = f"\ndef {ENTRY}({', '.join(self.parameters)}):\n"
        self.names = load(self.head + "".join(self.texts.values()) + self.signature + "    pass\n")
        self.env = dict(inputs(self.names, self.number))

    def source(self):
        self.start()
        for _ in range(self.rng.randint(2, 8)):
            self.statement(self.choose(self.ALL))
        body = "\n".join(self.lines + ["    return " + self.results()]) + "\n"
        called = [text for name, text in self.texts.items() if name + "(" in body]
        return self.head + "".join(called) + self.signature + body

    def results(self):
        made = [n for n, x in self.values() if n[0] == "v" and n not in self.stale]
        texts = self.rng.sample(made, min(len(made), self.rng.randint(2, 6)))
        if made:
            texts = list(dict.fromkeys(texts + [max(made, key=lambda n: int(n[1:]))]))
        if not texts or self.chance(4):
            shape = self.any_shape()
            texts.append(self.expr(self.any_type(), shape, 1))
        return ", ".join(texts)


FUNCTIONS = [["return np.maximum(a, b) - np.minimum(a, b)"],
             ["return np.where(a > b, a - b, b ^ a)"],
             ["c = a * b", "return (c >> 1) + a"],
             ["a = a + b", "a += 1", "return a ^ b"],
             ["for k in range(3):", "    b = b + (a & k)", "return b"],
             ["if a.shape[0] > 4:", "    return a - b", "return b - a"],
             ["d = a.copy()", "d[0] = b[-1]", "return d"],
             ["return np.clip(a, 3, 100) + len(b.shape)"],
             ["n = a.ndim", "return (a // (n + 1)) % 5 + (b & a.shape[-1] % 100)"]]


REAL_FUNCTIONS = [["return np.maximum(a, b) - np.minimum(a, b)"],
                  ["return np.where(a > b, a - b, b / a)"],
                  ["c = a * b", "return c * 0.5 + a"],
                  ["a = a + b", "a += 1", "return a / 3"],
                  ["for k in range(3):", "    b = b * a + k", "return b"],
                  ["d = a.copy()", "d[0] = b[-1]", "return np.sqrt(d)"],
                  ["return np.clip(a, -1.0, 1) - np.floor(b)"]]


def make(number, floats=False):
    """The source of kernel `number`."""
    maker = Maker(number, floats)
    with np.errstate(all="ignore"):
        return limited(maker.source)
