# SPDX-License-Identifier: MIT
"""Kernels just outside of the language: one that is inside, with one to three things in its text or
its tree changed as people get them wrong: types that differ, numbers that do not fit, other axes
and shapes, a dtype= or a mode= that is missing, views that are written, indices that are data."""
import ast
import copy
import random

import maker
from archive import ENTRY
from maker import dtype_text

OPERATORS = [ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift,
             ast.RShift, ast.Div, ast.Pow, ast.MatMult]
NUMBERS = [-1, 0, 1, 3, 127, 128, 255, 256, -128, -129, 32768, 65536, -32769, 2**31, -2**31 - 1, 2**32, 2**63,
           2**64, -2**63 - 1, True, 1.5, None]
FUNCTIONS = ["sum", "prod", "min", "max", "any", "all", "count_nonzero", "argmin", "argmax", "cumsum", "sort", "abs",
             "sign", "minimum", "maximum", "where", "clip", "take", "roll", "flip", "stack", "concatenate", "reshape",
             "transpose", "ravel", "broadcast_to", "mean", "dot", "matmul", "add", "zeros_like", "ones_like", "copy",
             "full_like", "sqrt", "unique", "squeeze", "expand_dims"]
PYTHON = ["min", "max", "abs", "sum", "len", "int", "bool", "any", "all", "range", "list", "float"]


class Changer:
    def __init__(self, number, tree):
        self.rng, self.tree = random.Random(number), tree
        self.body = next(f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == ENTRY)

    def pick(self, items):
        return items[self.rng.randrange(len(items))]

    def nodes(self, *kinds):
        """Of the functions; annotations are not among them."""
        roots = [s for f in self.tree.body if isinstance(f, ast.FunctionDef) for s in f.body]
        return [n for root in roots for n in ast.walk(root) if isinstance(n, kinds)]

    def names(self):
        """Names of values that are known somewhere in the entry."""
        return sorted({n.id for n in self.nodes(ast.Name) if n.id[0] in "vxsh" and n.id[1:].isdigit()}
                      | {a.arg for a in self.body.args.args})

    def expression(self, text):
        return ast.parse(text, mode="eval").body

    # ---- changes: each changes the tree, or raises IndexError where there is nothing to change ----

    def type_of_cast(self):
        places = [n for n in self.nodes(ast.Attribute) if n.attr in maker.NAMES]
        self.pick(places).attr = self.pick(list(maker.NAMES) + ["bool_", "float32"])

    def no_keyword(self):
        call = self.pick([n for n in self.nodes(ast.Call) if n.keywords])
        call.keywords.remove(self.pick(call.keywords))

    def another_axis(self):
        k = self.pick([k for n in self.nodes(ast.Call) for k in n.keywords if k.arg == "axis"])
        k.value = self.expression(self.pick(["-1", "0", "1", "2", "3", "-2", "-4", "(0, 1)", "(1, 0)", "(0, 0)", "()", "None", "True"]))

    def more_keywords(self):
        call = self.pick(self.nodes(ast.Call))
        text = self.pick(["axis=0", "axis=1", "keepdims=True", "dtype=np.int32", "dtype=np.uint8", "mode='wrap'",
                          "mode='raise'", "out=None", "initial=3", "casting='safe'", "axis=None", "order='F'"])
        call.keywords.append(self.expression(f"f({text})").keywords[0])

    def number(self):
        places = [n for n in self.nodes(ast.Constant) if type(n.value) is int]
        self.pick(places).value = self.pick(NUMBERS)

    def operator(self):
        self.pick(self.nodes(ast.BinOp, ast.AugAssign)).op = self.pick(OPERATORS)()

    def another_function(self):
        calls = [n.func for n in self.nodes(ast.Call) if isinstance(n.func, ast.Attribute)]
        self.pick(calls).attr = self.pick(FUNCTIONS)

    def python_function(self):
        call = self.pick([n for n in self.nodes(ast.Call) if isinstance(n.func, ast.Attribute)])
        call.func = ast.Name(self.pick(PYTHON), ast.Load())

    def another_name(self):
        places = [n for n in self.nodes(ast.Name) if n.id in self.names()]
        self.pick(places).id = self.pick(self.names())

    def operand(self):
        """What an operation gets becomes something else."""
        places = self.nodes(ast.BinOp)
        text = self.pick([self.pick(self.names()), str(self.pick(NUMBERS)), f"{dtype_text(self.pick(list(maker.TYPES)))}(3)",
                          f"{self.pick(self.names())}[1:]", f"{self.pick(self.names())}.T", f"{self.pick(self.names())}[0]",
                          f"{self.pick(self.names())}.sum()", f"np.count_nonzero({self.pick(self.names())})",
                          f"len({self.pick(self.names())})", f"{self.pick(self.names())}.shape[0]", "[1, 2]", "(3,)"])
        setattr(self.pick(places), self.pick(["left", "right"]), self.expression(text))

    def slice(self):
        places = self.nodes(ast.Subscript)
        text = self.pick(["0", "-1", "1:", ":-1", "::0", "5:5", "1000000", "None", "...", "::-1", ":, 0", "0, ...", "[0, 1]",
                          "True", "..., ...", ":, :", "1.5"] + self.names())
        self.pick(places).slice = self.expression(f"x[{text}]").slice

    def indexed(self):
        name, by = self.pick(self.names()), self.pick(self.names())
        self.add(self.pick([f"w0 = {name}[{by}]", f"w0 = np.take({name}, {by})", f"{name}[{by}] = 1", f"{name}[{by}] += 1",
                            f"w0 = {name}[{by} > 0]", f"w0 = {name}[{by} > 0].min()", f"{name}[{by} != 0] = {by}"]))

    def written_view(self):
        name, other = self.pick(self.names()), self.pick(self.names())
        view = self.pick([f"{name}[1:]", f"{name}.T", f"{name}.reshape(-1)", f"{name}[::-1]", f"{name}[0]", f"{name}.ravel()",
                          f"np.flip({name})", f"{name}[..., 0]", f"{name}[:]", f"np.transpose({name})", name, f"{name}.copy()",
                          f"np.where({name} > 0, {name}, {name})", f"np.broadcast_to({name}, {name}.shape)", f"abs({name})"])
        self.add(f"w1 = {view}", self.pick([f"w1 += {other}", "w1 += 1", "w1[0] = 1", f"{name} += 1", f"{name} ^= {other}",
                                            f"{name}[...] = w1", f"w1[...] = {other}", "w1 <<= 1"]),
                 self.pick(["w2 = w1 + w1", f"w2 = {name} + {name}", f"w2 = w1 ^ {name}", "w2 = w1"]))

    def statement(self):
        a, b = self.pick(self.names()), self.pick(self.names())
        self.add(self.pick([f"w3 = {a} + {b}", f"w3 = {a} if {b} else {b}", f"w3 = not {a}", f"w3 = {a} and {b}",
                            f"w3 = {a} < {b} < 3", f"w3 = {a} == {b}", f"{a}, {b} = {b}, {a}", f"{a} = {b}", f"{a} += {b}",
                            f"w3 = [{a}, {b}]", f"w3 = np.array([{a}, {b}])", f"w3 = np.full(3, {a})", f"w3 = {a} ** {b}",
                            f"w3 = {a} @ {b}", f"w3 = np.where({a}, {b}, 1)", f"w3 = np.where({a} > {b}, 1, 0)", f"w3 = -{a}",
                            f"w3 = np.arange({a}.size)", f"w3 = {a}.reshape({b}.shape)", f"w3 = np.stack(({a}, {b}))",
                            f"w3 = np.concatenate(({a}, {b}))", f"w3 = {a}.sum() + 1", f"w3 = {a}.shape", f"w3 = int({a}[0])",
                            f"w3 = {a}.astype({b}.dtype)", f"w3 = {a}.astype(int)", f"w3 = np.minimum({a}, {b})",
                            f"w3 = np.clip({a}, {b}, 5)", f"w3 = {a}.max(initial=3)", f"w3 = {a}.T.sum(axis=1)",
                            f"w3 = np.zeros({a}.shape)", f"w3 = np.zeros_like({a}) + {b}", f"w3 = {a} >> -1", f"w3 = {a} << 100",
                            f"w3 = abs({a}) - {b}", f"w3 = {a}.size * {b}", f"w3 = np.int8({a})", f"w3 = ~{a} + 1",
                            f"w3 = {a}.cumsum()", f"w3 = np.full_like({a}, 300)", f"w3 = np.broadcast_to({a}, (2, 3))"]))

    def add(self, *lines):
        """Somewhere in the entry, but not behind its return."""
        block = self.pick([b for b in (n.body for n in [self.body] + self.nodes(ast.For, ast.While, ast.If))])
        at = self.rng.randint(0, len(block) - (1 if block is self.body.body else 0))
        block[at:at] = ast.parse("\n".join(lines)).body
        new = [n.id for s in ast.parse("\n".join(lines)).body for n in ast.walk(s) if isinstance(n, ast.Name)]
        value = self.body.body[-1].value
        elements = value.elts if isinstance(value, ast.Tuple) else [value]
        elements.append(ast.Name(next((n for n in reversed(new) if n[0] == "w"), new[0]), ast.Load()))
        self.body.body[-1].value = ast.Tuple(elements, ast.Load())

    def parameter(self):
        a = self.pick(self.body.args.args)
        text = ast.unparse(a.annotation)
        kind = self.pick(list(maker.TYPES) + ["host_u8", "host_i32", "f32"])
        extents = text[text.index("["):] if "[" in text else ""
        a.annotation = self.expression(kind + self.pick([extents, extents, "", "[4]", "[0]", "[2, 2]", "[A, A, 2, 2]"]))

    def moved(self):
        """Two statements change places, or one is done twice."""
        block = self.body.body
        i, j = self.rng.randrange(len(block)), self.rng.randrange(len(block))
        if self.rng.randrange(2):
            block[i], block[j] = block[j], block[i]
        else:
            block.insert(i, copy.deepcopy(block[j]))

    CHANGES = [type_of_cast] * 3 + [no_keyword] * 2 + [another_axis, more_keywords, number, operator, another_function,
               python_function, another_name, operand, slice, indexed, parameter, moved] + [written_view, statement] * 3


def make(number):
    """The source, or None where nothing could be changed."""
    tree = ast.parse(maker.make(number // 2))
    changer = Changer(number, tree)
    for _ in range(changer.pick([1, 1, 1, 2, 3])):
        try:
            changer.pick(Changer.CHANGES)(changer)
        except (IndexError, ValueError, AttributeError):
            return None
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
