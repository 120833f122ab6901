# SPDX-License-Identifier: MIT
"""Python functions of pipelines' stages as text in the part of C that these have: a function is
called once, with numbers that write down what is done to them."""

import inspect
import keyword
import re

import numpy as np

from . import _lib, _types

_C_WORDS = set("""auto break case char const continue default do double else enum extern float for
goto if inline int long register restrict return short signed sizeof static struct switch typedef
union unsigned void volatile while min max abs sqrt size_t true false""".split())
_TAKEN = re.compile(r"([iuf]|bf)\d+|u?int\d+_t|(v|out)_\d+|mpu_.*")
_DEEP = 16  # an expression of more levels goes on in a variable of its own


def c_type(dtype):
    """The type's name in a body."""
    if dtype.kind == "b":
        return "bool"
    if dtype.kind == "f":
        return {2: "f16", 4: "float", 8: "double"}[dtype.itemsize]
    return f"{'u' if dtype.kind == 'u' else ''}int{8 * dtype.itemsize}_t"


def refuse(what):
    """The line of the function that is traced, or of the call."""
    raise _lib.Rejected(f"{_lib.user_line()}: {what}")


def _refuse_outside():
    refuse("the function uses an array from outside: pass it to the stage, with p.scalar(..) where "
           "each element sees all of it")


def _literal(value, dtype):
    if dtype.kind == "b":
        return str(bool(value)).lower()
    if dtype.kind == "f":
        number = float(np.asarray(value).astype(dtype))
        if not np.isfinite(number):
            refuse(f"the constant {value} is no number of {dtype}: pass it with p.scalar(..)")
        return f"({number!r})" if number < 0 else repr(number)
    info, value = np.iinfo(dtype), int(value)
    if not info.min <= value <= info.max:
        refuse(f"the constant {value} is no {dtype}: convert the other number, as in "
               "x.astype(np.int64)")
    if value == info.min and value:
        return f"(({c_type(dtype)})({value + 1}) - 1)"
    return f"({value})" if value < 0 else str(value)


class Value:
    """A number while a function is traced."""

    # entry: (accumulator or array, index) that it reads; least: (word, x, y) of floats
    __slots__ = ("trace", "dtype", "form", "parts", "uses", "depth", "name", "entry", "least")
    __hash__ = None

    def __init__(self, trace, dtype, form, parts=(), entry=None):
        self.trace, self.dtype, self.form, self.parts = trace, np.dtype(dtype), form, parts
        self.uses, self.name, self.entry, self.least = 0, None, entry, None
        self.depth = 1 + max((p.depth for p in parts), default=0)
        for part in parts:
            part.uses += 1

    def __bool__(self):
        refuse("which way to go depends on an element: use np.where(condition, a, b), & for and, "
               "| for or, ~ for not, np.minimum and np.maximum, or give the function as text in C")

    def __index__(self):
        refuse("a number that depends on an element is asked for: how often a loop goes on, and "
               "which element of a window, are constants; or give the function as text in C")

    __int__ = __float__ = __len__ = __iter__ = __index__

    def __setattr__(self, name, value):
        if name not in Value.__slots__:
            refuse(f"a number has no attribute {name!r}")
        object.__setattr__(self, name, value)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(f"{name!r} of a number is not carried out in a stage; there are arithmetic, "
               "comparisons, astype, np.where, np.minimum, np.maximum, np.abs and np.sqrt")

    def astype(self, dtype):
        """In another type, as C converts it."""
        dtype = _types.dtype_of(dtype)
        if dtype == self.dtype:
            return self
        if dtype.kind == "b":
            return Value(self.trace, dtype, f"({{}} != {_literal(0, self.dtype)})", (self,))
        return Value(self.trace, dtype, f"({c_type(dtype)}){{}}", (self,))

    def __array_ufunc__(self, ufunc, method, *inputs, **words):
        if method != "__call__" or words or ufunc not in _UFUNCS:
            refuse(f"np.{ufunc.__name__} is not carried out in a stage")
        if any(isinstance(x, np.ndarray) for x in inputs):
            _refuse_outside()
        return _UFUNCS[ufunc](*inputs)

    def __array_function__(self, function, types, args, words):
        if function is not np.where or words or len(args) != 3:
            refuse(f"np.{function.__name__} is not carried out in a stage")
        return _where(*args)


def _trace_of(*values):
    return next(v.trace for v in values if isinstance(v, Value))


def _take(trace, value, dtype):
    """A value, or a number from Python, in the type."""
    if isinstance(value, Value):
        return value.astype(dtype)
    return Value(trace, dtype, _literal(value, dtype))


def _type_of(value, other=None):
    if isinstance(value, (Value, np.generic)):
        return value.dtype
    if isinstance(value, (bool, int, float)):
        return _types.of_python(value, other) if other is not None else np.asarray(value).dtype
    if isinstance(value, np.ndarray):
        _refuse_outside()
    if isinstance(value, Elements):
        refuse("an array stands where a number is needed: take an element of it, x[0]")
    refuse(f"a {type(value).__name__} is nothing that a stage can work with")


def _pair(a, b):
    """Both in the type that NumPy has for them."""
    if isinstance(a, Value) or isinstance(a, np.generic):
        first = _type_of(a)
        second = _type_of(b, first)
    else:
        second = _type_of(b)
        first = _type_of(a, second)
    dtype = np.result_type(first, second)
    trace = _trace_of(a, b)
    return _take(trace, a, dtype), _take(trace, b, dtype), dtype


def _joined(sign, of_bools=None):
    def operation(a, b):
        x, y, dtype = _pair(a, b)
        sign_of = of_bools if dtype.kind == "b" else sign
        if sign_of is None:
            refuse(f"'{sign}' of two truth values: convert one, as in x.astype(np.int32)")
        if dtype.kind == "f" and sign in "&|^":
            refuse(f"'{sign}' of {dtype}: floats have no bits here")
        # sum(..) begins with it.
        for number, left in ((a, y), (b, x)):
            if sign == "+" and isinstance(number, int) and not number:
                return left
        return Value(x.trace, dtype, f"({{}} {sign_of} {{}})", (x, y))
    return operation


def _compared(sign):
    def operation(a, b):
        x, y, _ = _pair(a, b)
        return Value(x.trace, bool, f"({{}} {sign} {{}})", (x, y))
    return operation


def _shifted(sign):
    def operation(a, b):
        x, y, dtype = _pair(a, b)
        if dtype.kind not in "iu":
            refuse(f"'{sign}' of {dtype}: only integers are shifted")
        return Value(x.trace, dtype, f"({{}} {sign} {{}})", (x, y))
    return operation


def _divided(a, b):
    x, y, dtype = _pair(a, b)
    if dtype.kind != "f":
        x, y, dtype = x.astype(np.float64), y.astype(np.float64), np.dtype(np.float64)
    return Value(x.trace, dtype, "({} / {})", (x, y))


def _whole(a, b, word):
    x, y, dtype = _pair(a, b)
    if dtype.kind not in "iu":
        refuse(f"'{word}' of {dtype}: only integers are divided so")
    return x, y, dtype


def _crosses(rest, y):
    """C's remainder has the sign of the dividend, Python's that of the divisor."""
    return (rest != 0) & ((rest < 0) != (y < 0))


def _floor_divided(a, b):
    x, y, dtype = _whole(a, b, "//")
    q = Value(x.trace, dtype, "({} / {})", (x, y))
    if dtype.kind == "u":
        return q
    rest = Value(x.trace, dtype, "({} % {})", (x, y))
    return q - _crosses(rest, y).astype(dtype)


def _remainder(a, b):
    x, y, dtype = _whole(a, b, "%")
    rest = Value(x.trace, dtype, "({} % {})", (x, y))
    return rest if dtype.kind == "u" else rest + _where(_crosses(rest, y), y, 0)


def _power(a, b):
    if not isinstance(b, int) or not 1 <= b <= 64:
        refuse("a power has a constant from 1 to 64 as its exponent")
    out = a
    for _ in range(b - 1):
        out = out * a
    return out


def _least(word, sign):
    def operation(a, b):
        x, y, dtype = _pair(a, b)
        if dtype.kind == "b":
            return x & y if word == "min" else x | y
        form = f"{word}({{}}, {{}})"
        if dtype.kind == "f":  # the one that is no number, as NumPy has it
            out = _where(Value(x.trace, bool, f"({{}} {sign} {{}})", (x, y)) | (x != x), x, y)
            out.least = (word, x, y)
            return out
        return Value(x.trace, dtype, form, (x, y))
    return operation


def _where(condition, a, b):
    trace = _trace_of(condition, a, b)
    if not any(isinstance(v, Value) for v in (a, b)):
        dtype = np.result_type(_type_of(a), _type_of(b))
        x, y = _take(trace, a, dtype), _take(trace, b, dtype)
    else:
        x, y, dtype = _pair(a, b)
    c = condition if isinstance(condition, Value) else _take(trace, bool(condition), np.dtype(bool))
    return Value(trace, dtype, "({} ? {} : {})", (c.astype(bool), x, y))


def _negative(a):
    if a.dtype.kind == "b":
        refuse("'-' of a truth value: convert it, as in x.astype(np.int32)")
    return Value(a.trace, a.dtype, "(-{})", (a,))


def _inverted(a):
    if a.dtype.kind == "f":
        refuse(f"'~' of {a.dtype}: floats have no bits here")
    return Value(a.trace, a.dtype, "(!{})" if a.dtype.kind == "b" else "(~{})", (a,))


def _called(word):
    def operation(a):
        if word == "abs" and a.dtype.kind in "bu":
            return a
        x = a.astype(np.float64) if word == "sqrt" and a.dtype.kind != "f" else a
        return Value(x.trace, x.dtype, f"{word}({{}})", (x,))
    return operation


_add, _subtract, _multiply = _joined("+", "||"), _joined("-"), _joined("*", "&&")
_and, _or, _xor = _joined("&", "&&"), _joined("|", "||"), _joined("^", "!=")
_BINARY = {"add": _add, "sub": _subtract, "mul": _multiply, "truediv": _divided,
           "floordiv": _floor_divided, "mod": _remainder, "and": _and, "or": _or, "xor": _xor,
           "lshift": _shifted("<<"), "rshift": _shifted(">>"), "pow": _power}
_COMPARED = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
for _name, _operation in _BINARY.items():
    setattr(Value, f"__{_name}__", _operation)
    setattr(Value, f"__r{_name}__", lambda b, a, operation=_operation: operation(a, b))
for _name, _sign in _COMPARED.items():
    setattr(Value, f"__{_name}__", _compared(_sign))
Value.__neg__, Value.__invert__, Value.__pos__ = _negative, _inverted, lambda a: a
Value.__abs__ = _called("abs")
_UFUNCS = {np.add: _add, np.subtract: _subtract, np.multiply: _multiply, np.true_divide: _divided,
           np.floor_divide: _floor_divided, np.remainder: _remainder, np.bitwise_and: _and,
           np.bitwise_or: _or, np.bitwise_xor: _xor, np.left_shift: _shifted("<<"),
           np.right_shift: _shifted(">>"), np.negative: _negative, np.invert: _inverted,
           np.absolute: _called("abs"), np.sqrt: _called("sqrt"), np.minimum: _least("min", "<"),
           np.maximum: _least("max", ">"), np.less: _compared("<"), np.less_equal: _compared("<="),
           np.greater: _compared(">"), np.greater_equal: _compared(">="),
           np.equal: _compared("=="), np.not_equal: _compared("!=")}


class Elements:
    """What a function sees of an array: some elements, or an accumulator's entries."""

    def __init__(self, trace, name, dtype, count, gathers=False):
        self._trace, self._name, self.dtype = trace, name, np.dtype(dtype)
        self._count, self._gathers = count, gathers

    def __len__(self):
        return self._count

    def __iter__(self):
        return (self[k] for k in range(self._count))

    def __array__(self, *words, **more):
        refuse("an array stands where a number is needed: take an element of it, x[0]")

    def _index(self, k):
        if isinstance(k, Value):
            if k.dtype.kind not in "iu":
                refuse(f"an index is an integer, not {k.dtype}")
            return k
        try:
            number = range(self._count)[k]
        except (IndexError, TypeError):
            number = None
        if not isinstance(number, int):
            refuse(f"{self._name} has elements 0 to {self._count - 1} here, and no [{k}]")
        return Value(self._trace, np.int64, str(number))

    def __getitem__(self, k):
        return self._trace.read(self, self._index(k))

    def __setitem__(self, k, value):
        if not self._gathers:
            refuse(f"{self._name} is an input: what a function makes is what it returns")
        self._trace.write(self, self._index(k), value)


_GATHERS = {"({} + {})": "+=", "({} * {})": "*=", "({} & {})": "&=", "({} | {})": "|=",
            "({} ^ {})": "^=", "({} - {})": "-="}


class Trace:
    """What a function does, as statements."""

    def __init__(self, names):
        self.names, self.lines, self._made, self._reads = names, [], 0, []

    def read(self, elements, index):
        value = Value(self, elements.dtype, f"{elements._name}[{{}}]", (index,),
                      (elements, index))
        if elements._gathers:
            self._reads.append(value)
        return value

    def _variable(self, value, text):
        self._made += 1
        value.name = f"v_{self._made}"
        self.lines.append(f"{c_type(value.dtype)} {value.name} = {text};")
        return value.name

    def text(self, value):
        """The expression; what is needed twice, or goes deep, is a variable of its own."""
        if value.name:
            return value.name
        parts = [self.text(p) for p in value.parts]
        text = value.form.format(*parts)
        if value.parts and (value.uses > 1 or value.depth % _DEEP == 0) and not value.entry:
            return self._variable(value, text)
        return text

    def _is(self, value, elements, index):
        if not value.entry or value.name or value.entry[0] is not elements:
            return False
        other = value.entry[1]
        return other is index or (not other.parts and not index.parts and other.form == index.form)

    def _gathered(self, elements, index, value):
        """(sign, read, other) if the entry takes the other in by one operation."""
        if value.name:
            return None
        word = value.least[0] if value.least else value.form[:3]
        pair = value.least[1:] if value.least else value.parts
        sign = word if word in ("min", "max") else _GATHERS.get(value.form)
        for read, other in (pair, pair[::-1]) if sign else ():
            if self._is(read, elements, index) and (sign != "-=" or read is pair[0]):
                return sign, read, other
        return None

    def write(self, elements, index, value):
        value = _take(self, value, elements.dtype) if not isinstance(value, Value) else value
        if value.dtype != elements.dtype:
            if np.result_type(value.dtype, elements.dtype) != elements.dtype:
                refuse(f"{elements._name} has {elements.dtype}, and gets {value.dtype}: convert "
                       f"it with astype, or give the accumulator another type")
            value = value.astype(elements.dtype)
        found = self._gathered(elements, index, value)
        for read in self._reads:  # what was read before is not what is written now
            if not read.name and not (found and read is found[1]):
                self._variable(read, read.form.format(self.text(read.parts[0])))
        self._reads = []
        place = f"{elements._name}[{self.text(index)}]"
        if not found:
            self.lines.append(f"{place} = {self.text(value)};")
        elif found[0] in ("min", "max"):
            self.lines.append(f"{place} = {found[0]}({place}, {self.text(found[2])});")
        else:
            self.lines.append(f"{place} {found[0]} {self.text(found[2])};")

    def assign(self, place, value):
        self.lines.append(f"{place} = {self.text(value)};")

    def value(self, made, dtype=None):
        """What a function returned, as a value."""
        if made is None:
            refuse("the function returns nothing: a stage's returns what it makes")
        if dtype is not None:
            dtype = _types.dtype_of(dtype)
            return made.astype(dtype) if isinstance(made, Value) else _take(self, made, dtype)
        if isinstance(made, Value):
            return made
        return _take(self, made, _type_of(made))


def names_of(function, count):
    """Names for the parameters, as the function has them."""
    try:
        given = [p.name for p in inspect.signature(function).parameters.values()
                 if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        given = []
    names = []
    for i in range(count):
        name = given[i] if i < len(given) and given[i].isascii() else f"x{i + 1}"
        while name in _C_WORDS or keyword.iskeyword(name) or _TAKEN.fullmatch(name) or name in names:
            name += "_"
        names.append(name)
    return names


def call(function, arguments):
    """Traces it; a wrong number of arguments is refused with the stage's line."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        refuse(f"its function does not take {len(arguments)} argument"
               f"{'s' if len(arguments) != 1 else ''}, which the stage has")
    except ValueError:
        pass  # nobody knows
    return function(*arguments)
