# SPDX-License-Identifier: MIT
"""Operations element by element, by NumPy's rules: types, broadcasting, division by 0, NaN."""

import operator

import numpy as np

from . import _array as A
from . import _lib, _types
from ._array import ndarray

_NUMBERS = (bool, int, float, np.generic)


def _is_operand(value):
    return isinstance(value, _NUMBERS + (ndarray, np.ndarray, list, tuple))


def _common_type(operands):
    """NumPy 2's: Python numbers have the type of the arrays beside them, unless they are of a
    higher kind."""
    typed = [o.dtype for o in operands if hasattr(o, "dtype")]
    dtype = np.result_type(*typed) if typed else None
    for o in operands:
        if not hasattr(o, "dtype"):
            dtype = np.asarray(o).dtype if dtype is None else _types.of_python(o, dtype)
    return _types.dtype_of(dtype)


def _device_of(operands):
    found = [o.device for o in operands if isinstance(o, ndarray)]
    for other in found:
        if other is not found[0]:
            raise _lib.Usage(f"operands lie on {found[0]!r} and {other!r}; np.asarray brings one "
                             "to the host")
    return found[0] if found else A.current()


def together(values):
    """The values as arrays of one device: that of those that lie on one."""
    values = list(values)
    device = _device_of(values) if values else None
    return [A.asarray(v, device=device) for v in values]


def _prepared(operands):
    """Lists become NumPy arrays; numbers stay."""
    return [np.asarray(o) if isinstance(o, (list, tuple)) else o for o in operands]


class Call:
    """Operands at one type and shape, ready for the device."""

    def __init__(self, operands, dtype=None):
        operands = _prepared(operands)
        self.device = _device_of(operands)
        self.dtype = _common_type(operands) if dtype is None else dtype
        self.shape = np.broadcast_shapes(*[getattr(o, "shape", ()) for o in operands])
        self.n = A.size_of(self.shape)
        self.operands = [self._operand(o) for o in operands] if self.n else []

    def _operand(self, value):
        if isinstance(value, ndarray) and value.known() is not None:
            value = value.known()
        if getattr(value, "shape", ()) == () and not isinstance(value, ndarray):
            number = value.item() if hasattr(value, "item") else value
            if isinstance(value, (int, float)) and not _types.fits(value, self.dtype):
                raise OverflowError(f"{value} is no number of type {self.dtype}")
            return _types.bits_of(number, self.dtype)
        array = A.asarray(value, device=self.device).astype(self.dtype, copy=False)
        return A.broadcast_to(array, self.shape)._vector()

    def apply(self, op, *operands, dtype=None):
        return A.apply(self.device, op, self.dtype if dtype is None else dtype, self.n, *operands)

    def result(self, vector, dtype=None):
        dtype = self.dtype if dtype is None else dtype
        return A.whole(self.device, vector, dtype, self.shape)

    def empty(self, dtype=None):
        return A.empty_of(self.device, self.dtype if dtype is None else dtype, self.shape)


_BOOL = np.dtype(bool)


def _function(name, kinds, carry_out, dtype_of=None, result=None, doc=""):
    """A function of arrays and numbers.  `kinds`: types it takes; `dtype_of`: from the common type
    to that of the operation; `result`: the result's type, None: that of the operation."""

    def function(*operands, out=None, where=True, dtype=None):
        if where is not True:
            raise _lib.Usage(f"{name} takes no where=; where(mask, {name}(..), x) says it")
        typed = _common_type(_prepared(operands)) if dtype is None else _types.dtype_of(dtype)
        call = Call(operands, typed if dtype_of is None or dtype is not None else dtype_of(typed))
        kind = "f" if _types.is_float(call.dtype) else call.dtype.kind
        if kind not in kinds:
            raise _lib.Usage(f"{name} is not defined for {call.dtype}")
        if call.n:
            made = call.result(carry_out(call, *call.operands), result)
        else:
            made = call.empty(result)
        if out is None:
            return made
        out = out[0] if isinstance(out, tuple) else out
        out[...] = made
        return out

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _plain(op):
    return lambda call, *operands: call.apply(op, *operands)


def _small(op):
    """A function of the library, which has float16 and float32."""
    def carry_out(call, *operands):
        if call.dtype.itemsize > 4:
            raise _lib.Usage(f"{_lib.op_name(op).decode()} is not defined for {call.dtype}; "
                             "a.astype(np.float32) is an array that it takes")
        return call.apply(op, *operands)
    return carry_out


def _beyond(value, other):
    """Whether a Python integer is none of the type that it is compared in with that operand."""
    if not isinstance(value, int) or isinstance(value, bool) or isinstance(other, _NUMBERS[:3]):
        return False
    dtype = np.asarray(other).dtype if isinstance(other, (list, tuple)) else other.dtype
    return dtype.kind in "biu" and not _types.fits(value, _types.of_python(value, dtype))


def _signs_differ(a, b):
    """Whether one has elements of uint64, and the other of a type with a sign."""
    kinds = [o.dtype.kind if hasattr(o, "dtype") else None for o in (a, b)]
    widest = [o.dtype.itemsize for o in (a, b) if hasattr(o, "dtype") and o.dtype.kind == "u"]
    return sorted(k or "" for k in kinds) == ["i", "u"] and widest == [8]


def _as_unsigned(value):
    """Whether elements are negative, and those that are not as uint64."""
    value = A.asarray(value)
    return less(value, 0), value.astype(np.uint64)


def _of_elements(compare, a, b):
    """Of elements that the host has read, and numbers: by the host; else None."""
    read = [o.known() if isinstance(o, ndarray) else o for o in (a, b)]
    if not any(isinstance(o, ndarray) for o in (a, b)) or \
            not all(isinstance(o, _NUMBERS) for o in read):
        return None
    if all(_types.is_float(np.asarray(o).dtype) for o in read):
        dtype = _common_type((a, b))
        read = [np.asarray(o).astype(dtype)[()] for o in read]
    else:
        read = [o.item() if hasattr(o, "item") else o for o in read]
    return A.element(_device_of((a, b)), np.bool_(compare(*read)), _BOOL)


def _comparison(name, op, compare, doc):
    """A comparison of numbers, of whatever types these are: integers exactly."""
    plain = _function(name, "biuf", _plain(op), result=_BOOL, doc=doc)

    def function(a, b, out=None, where=True, dtype=None):
        if out is None and where is True and dtype is None:
            answer = _of_elements(compare, a, b)
            if answer is not None:
                return answer
        if _beyond(b, a) or _beyond(a, b):  # all elements are on one side of it, as 0 is
            array = a if _beyond(b, a) else b
            answer = compare(0, b) if array is a else compare(a, 0)
            made = A.full_like_shape(_device_of([array]), _BOOL, A.shape_of(array), answer)
            return made if out is None else _into(out, made)
        if dtype is not None or where is not True or not _signs_differ(a, b):
            return plain(a, b, out=out, where=where, dtype=dtype)
        a, b = together((a, b))
        if a.dtype.kind == "i":
            below, a = _as_unsigned(a)
            made = _where(below, compare(-1, 0), plain(a, b))
        else:
            below, b = _as_unsigned(b)
            made = _where(below, compare(0, -1), plain(a, b))
        return made if out is None else _into(out, made)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _at_least_int(dtype):
    return np.dtype(np.int8) if dtype.kind == "b" else dtype


def _at_least_float(dtype):
    """The type that NumPy divides in."""
    if _types.is_float(dtype):
        return dtype
    return np.result_type(dtype, np.float16 if dtype.itemsize == 1 else
                          np.float32 if dtype.itemsize == 2 else np.float64) \
        if dtype.kind == "b" or dtype.itemsize <= 2 else np.dtype(np.float64)


def _true_type(dtype):
    return dtype if _types.is_float(dtype) else np.dtype(np.float64)


def _whole(op):
    """Integers are whole numbers already."""
    return lambda call, a: call.apply(op if _types.is_float(call.dtype) else A.COPY, a)


def _square(call, a):
    return call.apply(A.MUL, a, a)


def _magnitude(call, a):
    return call.apply(A.COPY if call.dtype.kind in "bu" else A.ABS, a)


def _reciprocal(call, a):
    return call.apply(A.DIV, _types.bits_of(1, call.dtype), a)


def _bool_type(_):
    return _BOOL


def _power_of_arrays(a, exponents):
    """NumPy's, of integers."""
    call = Call((a, exponents))
    if call.dtype.kind == "b":
        call = Call((a, exponents), _at_least_int(call.dtype))
    if call.dtype.kind not in "iu":
        raise _lib.Usage("a power of floats, or with an exponent that is one, has one number as its "
                         "exponent: a whole one from 0 on, or 0.5")
    if not call.n:
        return call.empty()
    from . import _reduce  # which is made of this module
    if call.dtype.kind == "i" and _reduce.any(less(exponents, 0)):
        raise ValueError("Integers to negative integer powers are not allowed.")
    base, exponents = call.operands
    if isinstance(base, int) and base == 2:
        return call.result(call.apply(A.SHL, 1, exponents))
    return call.result(call.apply(A.POWER, base, exponents))


def _power_by_number(a, exponent):
    typed = exponent
    exponent = exponent.item() if hasattr(exponent, "item") else exponent
    if isinstance(exponent, float) and exponent == 0.5:
        return sqrt(a, dtype=Call((a, typed)).dtype)
    if not isinstance(exponent, int) and not exponent.is_integer():
        raise _lib.Usage("the exponent of a power is a whole number from 0 on, or 0.5")
    call = Call((a, typed))
    if call.dtype.kind == "b":
        call = Call((a, int(exponent)), _at_least_int(call.dtype))
    if exponent < 0:
        raise ValueError("powers to negative exponents are 1 / a ** n")
    if not call.n:
        return call.empty()
    if exponent >= 1 << 64:
        raise _lib.Usage("the exponent of a power has at most 64 bits")
    return call.result(call.apply(A.POW, call.operands[0], int(exponent)))


def power(a, exponent, out=None):
    """a to the power of whole numbers from 0 on, or of 0.5: by multiplications, modulo 2^bits.  Floats
    have one exponent for all elements."""
    is_number = isinstance(exponent, (bool, int, float, np.bool_, np.number)) or \
        (isinstance(exponent, np.ndarray) and exponent.shape == ())
    made = _power_by_number(a, exponent) if is_number else _power_of_arrays(a, exponent)
    return made if out is None else _into(out, made)


pow = power  # noqa: A001


def round(a, decimals=0, out=None):  # noqa: A001
    """To the nearest whole number, ties to even; of decimals there are none but 0."""
    if decimals != 0:
        raise _lib.Usage("round takes decimals=0 alone")
    whole = hasattr(a, "dtype") and not _types.is_float(a.dtype)
    made = a.copy() if whole else rint(a)
    return made if out is None else _into(out, made)


around = round


def _into(out, made):
    out = out[0] if isinstance(out, tuple) else out
    out[...] = made
    return out


add = _function("add", "biuf", lambda c, a, b: c.apply(A.OR if c.dtype.kind == "b" else A.ADD,
                                                       a, b), doc="a + b; of bool a | b")
subtract = _function("subtract", "iuf", _plain(A.SUB), doc="a - b, modulo 2^bits")
multiply = _function("multiply", "biuf",
                     lambda c, a, b: c.apply(A.AND if c.dtype.kind == "b" else A.MUL, a, b),
                     doc="a * b, modulo 2^bits; of bool a & b")
divide = _function("divide", "f", _plain(A.DIV), dtype_of=_true_type,
                   doc="a / b in floating point; of integers in float64")
true_divide = divide


floor_divide = _function("floor_divide", "iu", _plain(A.FLOOR_DIVIDE), dtype_of=_at_least_int,
                         doc="a // b of integers; 0 where b is 0")
remainder = _function("remainder", "iu", _plain(A.REMAINDER), dtype_of=_at_least_int,
                      doc="a % b of integers, with b's sign; 0 where b is 0")
mod = remainder

def divmod(a, b):  # noqa: A001
    """a // b and a % b of integers."""
    return floor_divide(a, b), remainder(a, b)


fmod = _function("fmod", "iu", _plain(A.FMOD), doc="the remainder with a's sign, of integers")
negative = _function("negative", "iuf", _plain(A.NEG), doc="-a")
positive = _function("positive", "iuf", _plain(A.COPY), doc="+a, a copy")
absolute = _function("absolute", "biuf", _magnitude, doc="|a|; of the least integer itself")
abs = absolute  # noqa: A001
fabs = _function("fabs", "f", _plain(A.ABS), doc="|a| of floats")
sign = _function("sign", "iuf", _plain(A.SIGN), doc="-1, 0 or 1; NaN of NaN")
square = _function("square", "iuf", _square, doc="a * a")
reciprocal = _function("reciprocal", "f", _reciprocal, doc="1 / a of floats")
sqrt = _function("sqrt", "f", _plain(A.SQRT), dtype_of=_at_least_float, doc="the square root")
exp = _function("exp", "f", _small(A.EXP), dtype_of=_at_least_float, doc="e to the power of a")
exp2 = _function("exp2", "f", _small(A.EXP2), dtype_of=_at_least_float, doc="2 to the power of a")
log = _function("log", "f", _small(A.LOG), dtype_of=_at_least_float, doc="the natural logarithm")
log2 = _function("log2", "f", _small(A.LOG2), dtype_of=_at_least_float, doc="the logarithm to base 2")
log10 = _function("log10", "f", _small(A.LOG10), dtype_of=_at_least_float,
                  doc="the logarithm to base 10")
sin = _function("sin", "f", _small(A.SIN), dtype_of=_at_least_float, doc="the sine")
cos = _function("cos", "f", _small(A.COS), dtype_of=_at_least_float, doc="the cosine")
tan = _function("tan", "f", _small(A.TAN), dtype_of=_at_least_float, doc="the tangent")
tanh = _function("tanh", "f", _small(A.TANH), dtype_of=_at_least_float, doc="the hyperbolic tangent")
sinh = _function("sinh", "f", _small(A.SINH), dtype_of=_at_least_float, doc="the hyperbolic sine")
cosh = _function("cosh", "f", _small(A.COSH), dtype_of=_at_least_float, doc="the hyperbolic cosine")
expm1 = _function("expm1", "f", _small(A.EXPM1), dtype_of=_at_least_float, doc="e**a - 1")
log1p = _function("log1p", "f", _small(A.LOG1P), dtype_of=_at_least_float, doc="the logarithm of 1 + a")
arctan = _function("arctan", "f", _small(A.ARCTAN), dtype_of=_at_least_float,
                   doc="the inverse of the tangent")
atan = arctan
floor = _function("floor", "iuf", _whole(A.FLOOR), doc="down to a whole number")
ceil = _function("ceil", "iuf", _whole(A.CEIL), doc="up to a whole number")
trunc = _function("trunc", "iuf", _whole(A.TRUNC), doc="toward zero to a whole number")
rint = _function("rint", "f", _plain(A.RINT), dtype_of=_at_least_float,
                 doc="to the nearest whole number, ties to even")
isnan = _function("isnan", "f", _plain(A.ISNAN), dtype_of=_at_least_float, result=_BOOL,
                  doc="whether a is no number")
isinf = _function("isinf", "f", _plain(A.ISINF), dtype_of=_at_least_float, result=_BOOL,
                  doc="whether a is an infinity")
isfinite = _function("isfinite", "f", _plain(A.ISFINITE), dtype_of=_at_least_float, result=_BOOL,
                     doc="whether a is a finite number")
signbit = _function("signbit", "f", _plain(A.SIGNBIT), dtype_of=_at_least_float, result=_BOOL,
                    doc="whether the sign is set")
_copysign = _function("copysign", "f", _plain(A.COPYSIGN))


def copysign(a, b, out=None, where=True, dtype=None):
    """a with the sign of b; integers as the floats that NumPy takes for each."""
    a, b = _prepared((a, b))
    typed = [o.dtype for o in (a, b) if hasattr(o, "dtype")]
    if dtype is None and typed:
        dtype = np.result_type(*map(_at_least_float, typed))
        common = _common_type((a, b))  # of a number of a higher kind, too
        if common not in typed and (common.kind == "f" or all(t.kind == "b" for t in typed)):
            dtype = np.result_type(dtype, _at_least_float(common))
    return _copysign(a, b, out=out, where=where, dtype=dtype)


minimum = _function("minimum", "biuf", _plain(A.MINIMUM), doc="the smaller; NaN where one is")
maximum = _function("maximum", "biuf", _plain(A.MAXIMUM), doc="the larger; NaN where one is")
fmin = _function("fmin", "biuf", _plain(A.MIN), doc="the smaller; of a number and NaN the number")
fmax = _function("fmax", "biuf", _plain(A.MAX), doc="the larger; of a number and NaN the number")
equal = _comparison("equal", A.EQ, operator.eq, "a == b")
not_equal = _comparison("not_equal", A.NE, operator.ne, "a != b")
less = _comparison("less", A.LT, operator.lt, "a < b")
less_equal = _comparison("less_equal", A.LE, operator.le, "a <= b")
greater = _comparison("greater", A.GT, operator.gt, "a > b")
greater_equal = _comparison("greater_equal", A.GE, operator.ge, "a >= b")
bitwise_and = _function("bitwise_and", "biu", _plain(A.AND), doc="a & b")
bitwise_or = _function("bitwise_or", "biu", _plain(A.OR), doc="a | b")
bitwise_xor = _function("bitwise_xor", "biu", _plain(A.XOR), doc="a ^ b")
invert = _function("invert", "biu", _plain(A.NOT), doc="~a")
bitwise_not = bitwise_invert = invert
bitwise_left_shift = left_shift = _function("left_shift", "iu", _plain(A.SHL), dtype_of=_at_least_int,
                                            doc="a << b; 0 from the width on")
bitwise_right_shift = right_shift = _function("right_shift", "iu", _plain(A.SHR), dtype_of=_at_least_int,
                                              doc="a >> b; 0 or the sign from the width on")
logical_and = _function("logical_and", "b", _plain(A.AND), dtype_of=_bool_type,
                        doc="whether neither is 0")
logical_or = _function("logical_or", "b", _plain(A.OR), dtype_of=_bool_type,
                       doc="whether one is not 0")
logical_xor = _function("logical_xor", "b", _plain(A.XOR), dtype_of=_bool_type,
                        doc="whether just one is not 0")
logical_not = _function("logical_not", "b", _plain(A.NOT), dtype_of=_bool_type,
                        doc="whether a is 0")
bitwise_count = _function("bitwise_count", "biu",
                          lambda c, a: c.apply(A.CAST, c.apply(A.POPCOUNT, _magnitude(c, a)),
                                               dtype=np.dtype(np.uint8)),
                          result=np.dtype(np.uint8), doc="how many bits of |a| are 1")


def where(condition, a=None, b=None):
    """a where the condition holds, b elsewhere; with one operand the places, by the host."""
    if a is None and b is None:
        return tuple(np.nonzero(np.asarray(condition)))
    values = _prepared((a, b))
    dtype = _common_type(values)
    devices = [condition, *values]
    call = Call([o for o in devices if isinstance(o, ndarray)] + values, dtype)
    shape = np.broadcast_shapes(call.shape, A.shape_of(condition))
    device, n = call.device, A.size_of(shape)
    if n == 0:
        return A.empty_of(device, dtype, shape)
    mask = A.asarray(condition, device=device).astype(bool, copy=False)
    parts = [A.broadcast_to(mask, shape)._vector()]
    for value in values:
        operand = Call([value], dtype)._operand(value) if not hasattr(value, "shape") \
            or isinstance(value, np.generic) else \
            A.broadcast_to(A.asarray(value, device=device).astype(dtype, copy=False),
                           shape)._vector()
        parts.append(operand)
    return A.whole(device, A.apply(device, A.SELECT, dtype, n, *parts), dtype, shape)


_where = where  # comparisons have an argument of that name


def clip(a, low=None, high=None, out=None, *, a_min=None, a_max=None, min=None, max=None):
    """a, but `low` where it is below and `high` where it is above; at a's type."""
    low = next((v for v in (low, a_min, min) if v is not None), None)
    high = next((v for v in (high, a_max, max) if v is not None), None)
    a = result = together([a, *(v for v in (low, high) if isinstance(v, ndarray))])[0]
    if low is not None and not (_beyond(low, a) and low < 0):
        result = maximum(result, low)
    if high is not None and not (_beyond(high, a) and high > 0):
        result = minimum(result, high)
    result = result.copy() if result is a else result
    return result if out is None else _into(out, result)


# --- operators ---


def _operator(function, swapped=False):
    def method(self, other):
        if not _is_operand(other):
            return NotImplemented
        return function(other, self) if swapped else function(self, other)

    method.__doc__ = function.__doc__
    return method


def _in_place(function):
    def method(self, other):
        if not _is_operand(other):
            return NotImplemented
        made = function(self, other)
        if made.dtype != self.dtype and not np.can_cast(made.dtype, self.dtype, "same_kind"):
            raise _lib.Usage(f"the result has type {made.dtype}, which {self.dtype} cannot take "
                             "in place")
        self[...] = made.astype(self.dtype, copy=False)
        return self

    return method


_BINARY = {"add": add, "sub": subtract, "mul": multiply, "truediv": divide,
           "floordiv": floor_divide, "mod": remainder, "and": bitwise_and, "or": bitwise_or,
           "xor": bitwise_xor, "lshift": left_shift, "rshift": right_shift, "pow": power}
_COMPARED = {"eq": equal, "ne": not_equal, "lt": less, "le": less_equal, "gt": greater,
             "ge": greater_equal}


def _give_operators():
    for name, function in _BINARY.items():
        setattr(ndarray, f"__{name}__", _operator(function))
        setattr(ndarray, f"__i{name}__", _in_place(function))
        setattr(ndarray, f"__r{name}__", _operator(function, swapped=True))
    for name, function in _COMPARED.items():
        setattr(ndarray, f"__{name}__", _operator(function))
    ndarray.__divmod__ = _operator(divmod)
    ndarray.__rdivmod__ = _operator(divmod, swapped=True)
    ndarray.__neg__ = lambda self: negative(self)
    ndarray.__pos__ = lambda self: positive(self)
    ndarray.__abs__ = lambda self: absolute(self)
    ndarray.__invert__ = lambda self: invert(self)
    ndarray.clip = clip


_give_operators()
