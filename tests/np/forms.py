# SPDX-License-Identifier: MIT
"""Forms in which Python and NumPy say what plain operators say, too: a part of the maker of random kernels."""
import numpy as np

from draw import FLOATS, TYPES

NAMED = {"+": "add", "-": "subtract", "*": "multiply", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}
COMPARED = {"==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
WORDS = ["abc", "a?c*", "x\\n", "ACGT"]

# Functions of the file with a default, with several results, with annotations for readers.
HELPERS = ["def twice(a, n=2):\n    return a * n\n",
           "def both(a, b=3):\n    return a + b, a ^ b\n",
           "def halves(a: np.ndarray, n: int = 1) -> np.ndarray:\n    hi, lo = a >> n, a & 1\n    return hi ^ lo\n"]


class Forms:
    # ---- expressions ----

    def named(self, t, shape, depth):
        """An operator by its name."""
        if not shape:
            return self.leaf(t, shape)
        a, b = self.pair(t, shape, depth)
        ways = [f"np.{NAMED[op]}({a}, {b})" for op in NAMED]
        if t in FLOATS:
            ways = ways[:3] + [f"np.divide({a}, {b})"]
        return self.pick(ways + [f"np.square({self.expr(t, shape, depth)})"])

    def named_truth(self, t, shape, depth):
        """Of bool."""
        if not shape:
            return self.leaf(t, shape)
        a, b = self.pair(self.pick(self.numbers), shape, depth)
        word = self.pick(["and", "or", "xor"])
        return self.pick([f"np.{COMPARED[self.pick(list(COMPARED))]}({a}, {b})", f"np.logical_{word}({a}, {b})",
                          f"np.logical_not({self.expr(self.pick(self.numbers), shape, depth)})", f"np.logical_{word}({self.expr('bool', shape, depth)}, {a})"])

    def of_conditions(self, t, shape, depth):
        if not shape:
            return self.leaf(t, shape)
        n = self.rng.randint(1, 2)
        conditions = ", ".join(self.expr("bool", shape, depth) for _ in range(n))
        choices = ", ".join(self.expr(t, shape, depth) for _ in range(n))
        rest = ", False" if t == "bool" else self.pick(["", f", {self.operand(t, shape, depth)}"])  # without it, 0
        return f"np.select([{conditions}], [{choices}]{rest})"

    def summed_list(self, t, shape, depth):
        """Of an array for each of a few numbers."""
        if not shape or t in FLOATS:
            return self.leaf(t, shape)
        name = f"q{depth}"
        lists = [f"range({self.rng.randint(1, 4)})", "range(4, 0, -2)", "[1, 2, 3]", "(3, 1)"]
        kept = self.pick(["", "", f" if {name} != 1", f" if {name} in (0, 2, 3)"])
        number = self.pick([f"({self.leaf(t, shape)} * {name})", f"({self.leaf(t, shape)} + {name})", f"({self.leaf(t, shape)} >> {name})"])
        return f"({self.leaf(t, shape)} + sum({number} for {name} in {self.pick(lists)}{kept}))"

    def chosen_number(self, t, shape, depth):
        """A number by what is known."""
        if t == "bool" or t in FLOATS or not shape:
            return self.leaf(t, shape)
        name, value = self.pick(self.constants)
        tests = [f"{name} > {value - 1}", f"0 < {name} <= {value}", f"{name} in (1, {value})", f"{name} not in [{value}]",
                 f"not {name} == 2", f"None is None and {name} < 5", f"1 < {name} < 9 or {name} == 1"]
        a, b = self.number_of(t), self.number_of(t)
        return f"({self.expr(t, shape, depth)} ^ ({a} if {self.pick(tests)} else {b}))"

    def letter(self, t, shape, depth):
        """A number from a text or a type."""
        if t == "bool" or t in FLOATS or not shape:
            return self.leaf(t, shape)
        word = self.pick(WORDS)
        i = self.rng.randrange(len(eval(f"'{word}'")))
        numbers = [f"ord('{word}'[{i}])", f"b'{word}'[{i}]", f"len('{word}')", f"np.iinfo({dtype(t)}).max",
                   f"('{word}'[{i}] in 'abc')", f"ord(chr({self.rng.randint(40, 100)}))"]
        return f"({self.expr(t, shape, depth)} {self.pick(['^', '+'])} {self.pick(numbers)})"

    def helped(self, t, shape, depth):
        if not shape or t == "bool" or t in FLOATS:
            return self.leaf(t, shape)
        a = self.expr(t, shape, depth)
        name = self.pick(["twice", "both", "halves"])
        given = self.pick(["", f", {self.rng.randint(1, 3)}", f", {'b' if name == 'both' else 'n'}={self.rng.randint(1, 3)}"])
        text = next(h for h in reversed(HELPERS) if h.startswith(f"def {name}("))
        self.texts.setdefault(name, "\n" + text)
        exec(self.code(text, "exec"), self.names)
        return f"{name}({a}{given})" + (f"[{self.rng.randrange(2)}]" if name == "both" else "")

    def by_lambda(self, t, shape, depth):
        """A function without a name of the file, called where it stands or by its name in the file."""
        if not shape or t == "bool" or t in FLOATS:
            return self.leaf(t, shape)
        a = self.expr(t, shape, depth)
        if self.chance(2):
            return f"(lambda a, b={self.leaf(t, shape)}: a {self.pick('+-^&')} b)({a}{self.pick(['', f', {self.number_of(t)}'])})"
        text = "less = lambda a, n=1: a - (a >> n)\n"
        self.texts.setdefault("less", text)
        exec(self.code(text, "exec"), self.names)
        return f"less({a}{self.pick(['', ', 2', ', n=3'])})"

    # ---- statements ----

    def own_function(self):
        """A def or lambda in the function, that sees its names, also those that are bound later."""
        x, t = self.pick([(n, type_of(x)) for n, x in self.arrays() if type_of(x) != "bool"])
        f, made = f"h{self.fresh}", self.new_name()
        shape = self.env[x].shape
        begin = len(self.lines)
        if self.chance(2):
            self.lines.append(f"{self.indent}{f} = lambda a, b={self.leaf(t, shape)}: {self.pick(['a + b', 'a * 2 - b', f'np.maximum(a, {x}) + b'])}")
        else:
            self.lines += [f"{self.indent}def {f}(a, b={self.number_of(t)}):", f"{self.indent}    c = a {self.pick('+-*')} {x}",
                           f"{self.indent}    return c + b"]
        self.lines.append(f"{self.indent}{made} = {f}({self.expr(t, shape, 1)})" + self.pick(["", f" + {f}({x}, {x})"]))
        self.again(begin)

    def side_by_side(self):
        """hstack and its like, diff, outer and pad."""
        v, t = self.new_name(), self.any_type()
        lines = [(n, x) for n, x in self.arrays() if x.ndim == 1 and x.shape[0] < 600]
        planes = [(n, x) for n, x in self.arrays() if x.ndim == 2 and x.size < 3000]
        ways = []
        if lines:
            a, x = self.pick(lines)
            same = [n for n, y in lines if y.shape == x.shape]
            ways += [f"np.hstack(({a}, {self.pick(lines)[0]}))", f"np.vstack([{a}, {self.pick(same)}])", f"np.column_stack(({a}, {self.pick(same)}))",
                     f"np.dstack(({a}, {self.pick(same)}))", f"np.diff({a})", f"np.diff({a}, {self.rng.randint(0, 3)})",
                     f"np.pad({a}, {self.pick(['1', '(0, 2)', '(3,)'])})", f"np.pad({a}, 2, 'constant', constant_values={self.rng.randint(0, 1)})",
                     f"np.outer({a}[:9], {self.pick(lines)[0]}[-7:])"]
        if planes:
            a, x = self.pick(planes)
            same = [n for n, y in planes if y.shape == x.shape]
            ways += [f"np.{self.pick(['hstack', 'vstack', 'dstack', 'column_stack'])}(({a}, {self.pick(same)}))", f"np.diff({a}, axis={self.rng.randrange(2)})",
                     f"np.pad({a}, {self.pick(['1', '((1, 0), (0, 2))', '[(1, 2)]'])})", f"np.diff(np.pad({a}, ((0, 0), (1, 1))))"]
        if ways:
            self.add(f"{v} = {self.pick(ways)}")

    def of_two_numbers(self):
        shape = self.any_shape()
        a, b = self.pick([("1", "0"), ("255", "-3"), ("True", "False"), ("0.5", "2"), ("7", "1.0")])
        self.add(f"{self.new_name()} = np.where({self.expr('bool', shape, 1)}, {a}, {b})")

    def store_chosen(self):
        """x[m] = y[m], x[m] op= y[m]: by a name, or written twice."""
        name, x = self.pick([(n, x) for n, x in self.arrays() if x.base is None and n[0] == "v"])
        t = type_of(x)
        like = [n for n, y in self.arrays() if y.shape == x.shape and type_of(y) == t]
        c = self.pick([n for n, y in self.arrays() if y.shape == x.shape and type_of(y) == "bool" and n != name]
                      + [f"{self.pick(like)} != {self.pick(like)}"])
        value = self.pick([f"{self.pick(like)}[{c}]", f"-{self.pick(like)}[{c}]", f"{self.pick(like)}[{c}] ^ {self.pick(like)}[{c}]"])
        op = "" if t == "bool" or self.chance(2) else self.pick("+-") if t in FLOATS else self.pick("+-^")
        self.write(name, f"{name}[{c}] {op}= {value}")

    def grown(self):
        """A list that grows, walked lap by lap; what is in it side by side, or summed."""
        shape, t = self.any_shape(), self.any_type()
        items, made, k = self.new_name(), self.new_name(), f"g{len(self.static)}"
        begin = len(self.lines)
        self.lines += [f"{self.indent}{items} = []",
                       f"{self.indent}for {k} in range({self.rng.randint(2, 3)}):",
                       f"{self.indent}    {items}.append({self.expr(t, shape, 1)})"]
        if self.chance(3):
            self.lines.append(f"{self.indent}{items}.extend([{self.expr(t, shape, 0)}, {items}[0]])")
        last = self.pick([f"{items}[-1]", f"{items}[0]"]
                         + ([f"np.stack({items})"] if len(shape) < 3 else []) + ([f"sum({items})"] if t not in FLOATS else []))
        self.lines.append(f"{self.indent}{made} = {last}")
        self.again(begin)

    def counted_up(self):
        """while with a known condition, and for with a step."""
        name, x = self.pick([(n, x) for n, x in self.arrays() if type_of(x) != "bool" and x.base is None and n[0] == "v"])
        k, begin = f"w{len(self.static)}", len(self.lines)
        body = f"{name} = {self.expr(type_of(x), x.shape, 1)}"
        if self.chance(2):
            first, last, step = self.pick([(0, 3, 1), (1, 6, 2), (5, -1, -2), (3, 0, -1)])
            self.lines += [f"{self.indent}for {k} in range({first}, {last}, {step}):",
                           f"{self.indent}    {name} = {name} + {k}" if type_of(x) not in FLOATS and first < last else f"{self.indent}    {body}"]
        else:
            stop = self.pick(["", f"{self.indent}    if {k} == 2: break"])
            self.lines += [f"{self.indent}{k} = 0", f"{self.indent}while {k} < {self.rng.randint(2, 4)}:",
                           f"{self.indent}    {body}; {k} += 1"] + ([stop] if stop else [])
        self.again(begin)

    def targets(self):
        """Several targets in a row, of one array."""
        a, b = self.new_name(), self.new_name()
        self.add(f"{a} = {b} = {self.expr(self.any_type(), self.any_shape(), 1)}")

    def small_things(self):
        shape = self.any_shape()
        v, size = self.new_name(), self.shape_text(shape)
        t = self.pick(self.numbers)
        arrays = [n for n, x in self.arrays() if x.shape == shape]
        ways = [f"np.zeros({size}, dtype=int) + {self.pick(arrays)}", f"{self.pick(arrays)}.astype(float)",
                f"{self.pick(arrays)}.astype('{np.dtype(TYPES[t]).name}')", f"np.full({size}, {self.rng.randint(0, 99)}, dtype=int)",
                f"np.array([True, False, {self.rng.randint(0, 1)} == 1])",
                f"np.frombuffer(b'{self.pick(WORDS)}', dtype=np.uint8)",
                f"np.array([{self.scalar('i32')}, {self.scalar('i32')}])",
                f"np.int64(max(int(np.count_nonzero({self.pick(arrays)})), 1, {self.rng.randint(0, 4)}))",
                f"np.int64(min(int({self.scalar('i16')}), {self.rng.randint(0, 4)}))"]
        self.add(f"{v} = {self.pick(ways)}")

    def emptied(self):
        """np.empty, of which all is written."""
        shape, t, v = self.any_shape(), self.any_type(), self.new_name()
        like = self.pick([n for n, x in self.arrays() if x.shape == shape])
        value, begin = self.expr(t, shape, 1), len(self.lines)
        made = self.pick([f"np.empty({self.shape_text(shape)}, dtype={dtype(t)})", f"np.empty_like({like}, dtype={dtype(t)})"])
        self.lines += [f"{self.indent}{v} = {made}; {v}[...] = {value}"]
        self.again(begin)


def dtype(t):
    return "np.bool_" if t == "bool" else "np." + TYPES[t].__name__


def type_of(x):
    from maker import type_of as of
    return of(x)
