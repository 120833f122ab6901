# SPDX-License-Identifier: MIT
"""What forms of PTX compute, against exact arithmetic in whole numbers.

    semantics.py TOOL FORMS [VALUES]

TOOL is form_values; FORMS names forms, a line each.  VALUES (2,000) sets of operands for each form:
edges with each other first, then random ones.  With MPU_DRAWS=all 100,000."""
import functools
import itertools
import math
import os
import random
import subprocess
import sys

WIDTH = {"pred": 1, "f16x2": 32}
FLOAT = {"f16": (5, 10), "f32": (8, 23), "f64": (11, 52)}
MASK64 = (1 << 64) - 1


@functools.cache
def width(t):
    return WIDTH.get(t) or int(t.lstrip("usbf"))


def mask(n):
    return (1 << n) - 1


def signed(x, n):
    x &= mask(n)
    return x - (1 << n) if x >> (n - 1) else x


# ---- floating point: (sign, m, e) is m * 2^e; or "inf", "nan" ----

class Format:
    def __init__(self, name, ftz=False):
        self.e, self.f = FLOAT[name]
        self.bits = 1 + self.e + self.f
        self.bias = mask(self.e - 1)
        self.ftz = ftz and name == "f32"
        self.nan = mask(self.bits - 1)
        self.inf = mask(self.e) << self.f
        self.sign = 1 << (self.bits - 1)

    def unpack(self, x):
        s, e, f = x >> (self.bits - 1) & 1, x >> self.f & mask(self.e), x & mask(self.f)
        if e == mask(self.e):
            return (s, "nan", 0) if f else (s, "inf", 0)
        if e == 0:
            return s, 0 if self.ftz else f, 1 - self.bias - self.f
        return s, f | 1 << self.f, e - self.bias - self.f

    def round(self, s, m, e, mode="rn", sticky=0):
        """m * 2^e, and a little more where sticky is set."""
        if m == 0 and not sticky:
            return self.sign * s
        m, e = m << 2 | sticky, e - 2
        least = 1 - self.bias - self.f
        down = max(m.bit_length() - (self.f + 1), least - e)
        if down <= 0:
            q, rest, half = m << -down, 0, 1
        else:
            q, rest, half = m >> down, m & mask(down), 1 << (down - 1)
        e += down
        up = {"rn": rest > half or (rest == half and q & 1), "rz": False,
              "rm": s and rest, "rp": not s and rest}[mode]
        q += 1 if up and down > 0 else 0
        if q.bit_length() > self.f + 1:
            q, e = q >> 1, e + 1
        if q >> self.f == 0:
            out = q
        else:
            out = (e + self.bias + self.f) << self.f | q & mask(self.f)
            if e + self.bias + self.f >= mask(self.e):
                out = self.inf if mode == "rn" or mode == ("rm" if s else "rp") else self.inf - 1
        if self.ftz and out < 1 << self.f:
            out = 0
        return out | self.sign * s

    def kept(self, x):
        s, m, e = self.unpack(x)
        return self.nan if m == "nan" else self.sign * s if m == 0 else x


@functools.cache
def format_of(name, ftz=False):
    return Format(name, ftz)


def fma(F, a, b, c, mode):
    (sa, ma, ea), (sb, mb, eb), (sc, mc, ec) = F.unpack(a), F.unpack(b), F.unpack(c)
    s = sa ^ sb
    if "nan" in (ma, mb, mc):
        return F.nan
    if "inf" in (ma, mb):
        if 0 in (ma, mb) or (mc == "inf" and sc != s):
            return F.nan
        return F.inf | F.sign * s
    if mc == "inf":
        return F.inf | F.sign * sc
    m, e = ma * mb, ea + eb
    low = min(e, ec)
    x = (-1) ** s * (m << (e - low)) + (-1) ** sc * (mc << (ec - low))
    if x == 0:
        both = s if s == sc else (1 if mode == "rm" else 0)
        return F.sign * both
    return F.round(x < 0, abs(x), low, mode)


def mul(F, a, b, mode):
    (sa, ma, ea), (sb, mb, eb) = F.unpack(a), F.unpack(b)
    s = sa ^ sb
    if "nan" in (ma, mb) or ("inf" in (ma, mb) and 0 in (ma, mb)):
        return F.nan
    return F.inf | F.sign * s if "inf" in (ma, mb) else F.round(s, ma * mb, ea + eb, mode)


def div(F, a, b, mode):
    (sa, ma, ea), (sb, mb, eb) = F.unpack(a), F.unpack(b)
    s = sa ^ sb
    if "nan" in (ma, mb) or (ma == "inf" and mb == "inf") or (ma == 0 and mb == 0):
        return F.nan
    if ma == "inf" or mb == 0:
        return F.inf | F.sign * s
    if mb == "inf" or ma == 0:
        return F.sign * s
    q, r = divmod(ma << 120, mb)
    return F.round(s, q, ea - eb - 120, mode, 1 if r else 0)


def sqrt(F, a, mode):
    s, m, e = F.unpack(a)
    if m == 0:
        return F.sign * s
    if m == "nan" or s:
        return F.nan
    if m == "inf":
        return F.inf
    if e & 1:
        m, e = m << 1, e - 1
    m <<= 128
    r = math.isqrt(m)
    return F.round(0, r, e // 2 - 64, mode, 1 if r * r != m else 0)


def least_most(F, a, b, op, nan):
    (sa, ma, _), (sb, mb, _) = F.unpack(a), F.unpack(b)
    if ma == "nan" or mb == "nan":
        if nan or (ma == "nan" and mb == "nan"):
            return F.nan
        return F.kept(b if ma == "nan" else a)
    a, b = F.kept(a), F.kept(b)
    rank = lambda x: -(x & ~F.sign) - 1 if x & F.sign else x
    return (min if op == "min" else max)(a, b, key=rank)


def number(F, x):
    s, m, e = F.unpack(x)
    if m in ("nan", "inf"):
        return math.nan if m == "nan" else -math.inf if s else math.inf
    return -math.ldexp(m, e) if s else math.ldexp(m, e)


def from_float(F, x):
    D = format_of("f64")
    return convert_float(D, F, int.from_bytes(__import__("struct").pack("<d", x), "little"), "rn")


def convert_float(A, B, x, mode):
    s, m, e = A.unpack(x)
    if m == "nan":
        return B.nan
    return B.inf | B.sign * s if m == "inf" else B.round(s, m, e, mode)


def integral(s, m, e, mode):
    """The whole number, as a number with its sign."""
    if e >= 0:
        return m << e
    q, rest, half = m >> -e, m & mask(-e), 1 << (-e - 1)
    up = {"rni": rest > half or (rest == half and q & 1), "rzi": False,
          "rmi": s and rest, "rpi": not s and rest}[mode]
    return q + (1 if up else 0)


def saturate(F, x):
    s, m, _ = F.unpack(x)
    one = F.round(0, 1, 0)
    return 0 if m == "nan" or s or m == 0 else min(x, one)


def approx(F, op, x):
    v = number(F, x)
    if v != v:
        return F.nan
    try:
        if op == "rsqrt":
            y = math.copysign(math.inf, v) if v == 0 else math.nan if v < 0 else 1 / math.sqrt(v)
        elif op in ("sin", "cos"):
            y = math.nan if math.isinf(v) else getattr(math, op)(v)
        elif op == "lg2":
            y = -math.inf if v == 0 else math.nan if v < 0 else math.log2(v) if v < math.inf else v
        elif op == "ex2":
            y = 2.0 ** v if v < 1000 else math.inf
        else:
            y = math.tanh(v)
    except OverflowError:
        y = math.inf
    return from_float(F, y)


# ---- forms ----

ROUNDS = {"rn", "rz", "rm", "rp"}
WHOLE = {"rni", "rzi", "rmi", "rpi"}
COMPARES = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu",
            "gtu", "geu", "num", "nan"}


def whole_op(op, mods, t, n, a):
    v = [signed(x, n) if t[0] == "s" else x & mask(n) for x in a]
    if op in ("add", "sub"):
        y = v[0] + v[1] if op == "add" else v[0] - v[1]
        return max(min(y, mask(n - 1)), -1 << (n - 1)) if "sat" in mods else y
    if op in ("mul", "mad"):
        y, wide = v[0] * v[1], 2 * n if "wide" in mods else n
        y = y >> n if "hi" in mods else y
        c = 0 if op == "mul" else a[2]
        return (y & mask(wide)) + c
    if op in ("div", "rem"):
        if v[1] == 0:
            return mask(n) if op == "div" else v[0]
        q = abs(v[0]) // abs(v[1])
        q = -q if (v[0] < 0) != (v[1] < 0) else q
        return q if op == "div" else v[0] - q * v[1]
    if op in ("min", "max"):
        return (min if op == "min" else max)(v[0], v[1])
    if op in ("abs", "neg"):
        return abs(v[0]) if op == "abs" else -v[0]
    if op == "sad":
        return v[2] + abs(v[0] - v[1])
    if op == "bfe":
        p, length = a[1] & 255, a[2] & 255
        top = min(p + length - 1, n - 1)
        s = a[0] >> top & 1 if t[0] == "s" and length else 0
        return sum(((a[0] >> (p + i) & 1) if i < length and p + i < n else s) << i for i in range(n))
    if op == "shr":
        by = min(a[1] & mask(32), n)
        return v[0] >> by
    return None


def bit_op(op, mods, n, a):
    if op in ("and", "or", "xor"):
        return {"and": a[0] & a[1], "or": a[0] | a[1], "xor": a[0] ^ a[1]}[op]
    if op == "not":
        return ~a[0]
    if op == "cnot":
        return a[0] == 0
    if op == "shl":
        return a[0] << min(a[1] & mask(32), 64)
    if op == "popc":
        return bin(a[0]).count("1")
    if op == "clz":
        return n - a[0].bit_length()
    if op == "brev":
        return int(format(a[0], "0%db" % n)[::-1], 2)
    if op == "selp":
        return a[0] if a[2] & 1 else a[1]
    if op == "mov":
        return a[0]
    if op == "shf":
        by = a[2] & 31 if "wrap" in mods else min(a[2], 32)
        both = a[1] << 32 | a[0]
        return both << by >> 32 if "l" in mods else both >> by
    if op == "bfi":
        p, length = a[2] & 255, a[3] & 255
        y = a[1]
        for i in range(length):
            if p + i < n:
                y = y & ~(1 << (p + i)) | (a[0] >> i & 1) << (p + i)
        return y
    if op == "lop3":
        return sum((a[3] >> ((a[0] >> i & 1) * 4 + (a[1] >> i & 1) * 2 + (a[2] >> i & 1)) & 1) << i
                   for i in range(32))
    if op == "prmt" and not mods & {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}:
        both, y = a[1] << 32 | a[0], 0
        for i in range(4):
            s = a[2] >> 4 * i & 15
            b = both >> 8 * (s & 7) & 255
            y |= ((255 if b >> 7 else 0) if s & 8 else b) << 8 * i
        return y
    return None


def float_op(op, mods, F, a):
    mode = next((m for m in ROUNDS if m in mods), "rn")
    one = F.round(0, 1, 0)
    if op in ("add", "sub"):
        y = fma(F, a[0], one, a[1] ^ (F.sign if op == "sub" else 0), mode)
    elif op == "mul":
        y = mul(F, a[0], a[1], mode)
    elif op in ("fma", "mad"):
        y = fma(F, a[0], a[1], a[2], mode)
    elif op == "div":
        y = div(F, a[0], a[1], mode)
    elif op == "rcp":
        y = div(F, one, a[0], mode)
    elif op == "sqrt":
        y = sqrt(F, a[0], mode)
    elif op in ("min", "max"):
        y = least_most(F, a[0], a[1], op, "NaN" in mods)
    elif op in ("abs", "neg"):
        y = F.kept(a[0])
        if y != F.nan:
            y = y & ~F.sign if op == "abs" else y ^ F.sign
    elif op == "copysign":
        return a[0] & F.sign | a[1] & ~F.sign
    elif op in ("selp", "mov"):
        return a[0] if op == "mov" or a[2] & 1 else a[1]
    elif op in ("rsqrt", "sin", "cos", "lg2", "ex2", "tanh"):
        return approx(F, op, a[0])
    else:
        return None
    return saturate(F, y) if "sat" in mods else y


def holds(compare, mods, t, a):
    if t[0] != "f":
        n = width(t)
        x, y = (signed(v, n) if t[0] == "s" else v & mask(n) for v in a[:2])
        nan = False
    else:
        F = format_of(t, "ftz" in mods)
        x, y = number(F, a[0]), number(F, a[1])
        nan = x != x or y != y
        if compare in ("num", "nan"):
            return nan == (compare == "nan")
        if nan:
            return compare in ("equ", "neu", "ltu", "leu", "gtu", "geu")
    c = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(compare, compare)[:2]
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[c]


def convert(mods, to, of, x):
    mode = next((m for m in ROUNDS | WHOLE if m in mods), None)
    ftz, sat = "ftz" in mods, "sat" in mods
    n = width(to)
    if of[0] != "f":
        v = signed(x, width(of)) if of[0] == "s" else x & mask(width(of))
        if to[0] == "f":
            F = format_of(to, ftz)
            y = F.round(v < 0, abs(v), 0, mode or "rn")
            return saturate(F, y) if sat else y
        if sat:
            low, high = (-1 << (n - 1), mask(n - 1)) if to[0] == "s" else (0, mask(n))
            v = max(min(v, high), low)
        return v
    A = format_of(of, ftz)
    s, m, e = A.unpack(x)
    if to[0] == "f":
        B = format_of(to, ftz)
        if mode in WHOLE and m not in ("nan", "inf"):
            y = A.round(s, integral(s, m, e, mode), 0)
            y = convert_float(A, B, y, "rn")
        else:
            y = convert_float(A, B, x, mode if mode in ROUNDS else "rn")
        return saturate(B, y) if sat else y
    low, high = (-1 << (n - 1), mask(n - 1)) if to[0] == "s" else (0, mask(n))
    if m == "nan":
        return 1 << (n - 1) if of == "f64" or n == 64 else 0
    if m == "inf":
        return low if s else high
    v = integral(s, m, e, mode if mode in WHOLE else "rzi")
    return max(min(-v if s else v, high), low)


@functools.cache
def parts(form):
    op, *rest = form.split(".")
    return op, rest, set(rest), [r for r in rest if r in WIDTH or (r[0] in "usbf" and r[1:].isdigit())]


def expected(form, a):
    """Results of the form's operands; None: not known here."""
    op, rest, mods, types = parts(form)
    if not types:
        return None
    t = types[0]
    n = width(t)
    if op in ("setp", "set"):
        compare = next(r for r in rest if r in COMPARES)
        y = holds(compare, mods, types[-1], a)
        if op == "set":
            return [(0x3f800000 if t == "f32" else mask(32)) if y else 0]
        return [int(y), int(not y)]
    if op == "cvt":
        # a register is no narrower than 16 bits, and gets the sign
        y = convert(mods, types[0], types[1], a[0]) & mask(n)
        return [signed(y, n) & mask(16) if types[0] == "s8" else y]
    if t == "f16x2":
        F = format_of("f16")
        return [sum(float_op(op, mods, F, [x >> h & mask(16) for x in a]) << h for h in (0, 16))]
    if t[0] == "f":
        y = float_op(op, mods, format_of(t, "ftz" in mods), a)
        return None if y is None else [y]
    y = whole_op(op, mods, t, n, a) if t[0] in "us" or op == "shr" else None
    if y is None:
        y = bit_op(op, mods, n, a)
    wide = 2 * n if "wide" in mods else 32 if op in ("popc", "clz") else n
    return None if y is None else [int(y) & mask(wide)]


# ---- values ----

@functools.cache
def edges(t):
    if t in FLOAT:
        F = format_of(t)
        sizes = [0, 1, mask(F.f), 1 << F.f, F.bias << F.f, (F.bias << F.f) + 1, (F.bias - 1) << F.f,
                 F.inf - 1, F.inf, F.nan, F.inf + 1, (F.bias + 31) << F.f, (F.bias + F.f) << F.f,
                 (F.bias + 1) << F.f | 1 << (F.f - 1), (F.bias - 1) << F.f | 1]
        return [x | s for x in sizes for s in (0, F.sign)]
    n = width(t)
    if n == 1:
        return [0, 1]
    return sorted({x & mask(n) for x in (0, 1, 2, 3, 7, n - 1, n, n + 1, -1, -2, 1 << (n - 1),
                                         mask(n - 1), mask(n - 1) - 1, 255, 0x5555555555555555)})


def draw(t):
    bits, kind = random.getrandbits, random.getrandbits(4)
    all_edges = edges(t)
    if kind % 8 == 0:
        return all_edges[bits(16) % len(all_edges)]
    if t not in FLOAT:
        n = width(t)
        return (bits(n) if kind < 6 else bits(1 + bits(16) % n) if kind < 12
                else bits(16) % (n + 2)) & mask(n)
    F = format_of(t)
    e = (bits(F.e), F.bias + bits(8) % 7 - 3, F.bias - 3 + bits(8) % 44, bits(8) % 3)[kind & 3]
    kind = bits(2)
    f = bits(F.f) if kind == 0 else (0, mask(F.f), 1 << bits(8) % F.f)[kind - 1]
    return bits(1) << (F.bits - 1) | (e & mask(F.e)) << F.f | f


def operand_types(form):
    op, rest, _, types = parts(form)
    t = types[0]
    if t == "f16x2":
        t = "b32"
    wide = t[0] + str(2 * width(t)) if "wide" in rest else t
    if op in ("cvt", "set"):
        return [types[1]] * (1 + (op == "set"))
    if op in ("shl", "shr"):
        return [t, "u32"]
    if op in ("bfe", "prmt"):
        return [t, "u32", "u32"] if op == "bfe" else [t, t, "u32"]
    if op == "bfi":
        return [t, t, "u32", "u32"]
    if op == "lop3":
        return [t, t, t, "u32"]
    if op == "shf":
        return [t, t, "u32"]
    if op == "selp":
        return [t, t, "pred"]
    if op in ("fma", "mad", "sad"):
        return [t, t, wide]
    if op in ("neg", "abs", "not", "cnot", "popc", "clz", "brev", "mov", "rcp", "sqrt", "rsqrt",
              "sin", "cos", "lg2", "ex2", "tanh"):
        return [t]
    return [t, t]


def operands(form, count):
    kinds = operand_types(form)
    all_edges = [edges(k) for k in kinds]
    every = math.prod(len(e) for e in all_edges)
    tuples = list(itertools.product(*all_edges))
    if every > count // 2:
        tuples = random.sample(tuples, count // 2)
    while len(tuples) < count:
        tuples.append(tuple(draw(k) for k in kinds))
    return tuples


NOT_HERE = {"ld", "ldu", "st", "atom", "red", "bar", "bra", "call", "ret", "exit", "cvta", "membar",
            "shfl", "vote", "trap", "match", "redux", "fence", "isspacep", "nanosleep", "testp"}
CLOSE = {"rsqrt", "sin", "cos", "lg2", "ex2", "tanh"}


def is_close(form, got, wanted):
    """Values of float64 that were rounded twice may be one apart."""
    return form.split(".")[0] in CLOSE and abs(got[0] - wanted[0]) <= 1


AT_ONCE = 200000  # sets of operands: 100,000 of each form take room


def check(tool, forms, count):
    """How many of the forms are wrong."""
    count, wrong = (count + 31) // 32 * 32, 0
    some = max(AT_ONCE // count, 1)
    for i in range(0, len(forms), some):
        wrong += check_forms(tool, forms[i:i + some], count)
    return wrong


def check_forms(tool, forms, count):
    lists = [operands(f, count) for f in forms]
    text = "".join("%s %d\n%s\n" % (f, count, "\n".join(" ".join(["%x" % x for x in row])
                                                        for row in rows))
                   for f, rows in zip(forms, lists))
    done = subprocess.run([tool], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    lines = iter(done.stdout.splitlines())
    return sum(check_form(form, rows, lines) for form, rows in zip(forms, lists))


def check_form(form, rows, lines):
    bad = 0
    for row in rows:
        got = [int(x, 16) for x in next(lines).split()]
        wanted = expected(form, row)
        if got[:len(wanted)] != wanted[:len(got)] and not is_close(form, got, wanted):
            bad += 1
            if bad <= 3:
                print("%s %s: %s, and not %s" % (form, " ".join("%#x" % x for x in row),
                                                 " ".join("%#x" % x for x in got),
                                                 " ".join("%#x" % x for x in wanted)))
    return bad != 0


def more_forms():
    """Beyond those that compilers were seen to make."""
    out = ["add.sat.s32", "sub.sat.s32", "mad.hi.s32", "mad.hi.u32", "mad.wide.s32", "mad.wide.u16",
           "mul.hi.s16", "mul.lo.u64", "div.u64", "rem.u32", "rem.s64", "div.s16", "rem.u64",
           "min.s64", "max.u64", "abs.s64", "neg.s16", "sad.s32", "sad.u64", "bfe.s32", "bfe.s64",
           "bfe.u64", "bfi.b32", "bfi.b64", "shf.r.wrap.b32", "shf.l.clamp.b32", "shf.r.clamp.b32",
           "shl.b16", "shr.s64", "shr.s16", "shr.b32", "lop3.b32", "prmt.b32", "cnot.b32",
           "popc.b64", "clz.b64", "brev.b64", "add.f16x2", "mul.f16x2", "fma.rn.f16", "fma.rn.f16x2",
           "sub.f16", "min.f16", "add.sat.f32", "fma.rn.sat.f32", "fma.rp.f64", "fma.rm.f64",
           "fma.rz.f64", "min.f32", "min.NaN.f32", "max.NaN.f32", "max.f64", "min.ftz.f32"]
    for op in ("add", "sub", "mul", "div"):
        out += ["%s.%s.%s" % (op, r, t) for r in sorted(ROUNDS) for t in ("f32", "f64")]
    out += ["%s.%s.%s" % (op, r, t) for op in ("sqrt", "rcp") for r in sorted(ROUNDS)
            for t in ("f32", "f64")]
    out += ["setp.%s.%s" % (c, t) for c in sorted(COMPARES - {"lo", "ls", "hi", "hs"})
            for t in ("f32", "f64", "f16")]
    out += ["set.%s.%s.%s" % (c, d, t) for c in ("lt", "geu", "nan") for d in ("u32", "f32")
            for t in ("f32", "f64")]
    out += ["setp.%s.%s" % (c, t) for c in ("eq", "ne", "lt", "le", "gt", "ge", "lo", "hs")
            for t in ("s16", "u16", "s32", "u32", "s64", "u64") if c not in ("lo", "hs") or t[0] == "u"]
    whole = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
    out += ["cvt.%s.%s" % (a, b) for a in whole for b in whole]
    out += ["cvt.sat.%s.%s" % (a, b) for a in whole for b in whole]
    out += ["cvt.%s.%s.%s" % (r, a, b) for r in sorted(WHOLE) for a in whole
            for b in ("f16", "f32", "f64")]
    out += ["cvt.%s.%s.%s" % (r, a, b) for r in sorted(ROUNDS) for a in ("f16", "f32", "f64")
            for b in whole]
    out += ["cvt.%s.%s.%s" % (r, a, b) for r in sorted(ROUNDS)
            for a, b in (("f32", "f64"), ("f16", "f32"), ("f16", "f64"))]
    out += ["cvt.%s.%s.%s" % (r, t, t) for r in sorted(WHOLE) for t in ("f16", "f32", "f64")]
    return out + ["cvt.f64.f16", "cvt.f32.f16", "cvt.f64.f32", "cvt.ftz.f32.f32", "cvt.sat.f64.f64"]


def main():
    tool, listed = sys.argv[1:3]
    full = os.environ.get("MPU_DRAWS") == "all"
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 100000 if full else 2000
    forms = [f for f in open(listed).read().split() if f.split(".")[0] not in NOT_HERE]
    forms += [f for f in more_forms() if f not in forms]
    random.seed(int(os.environ.get("MPU_SEED", "1")))
    wrong = check(tool, forms, count)
    print("%d forms with %d values each, %d wrong" % (len(forms), count, wrong))
    return 1 if wrong else 0


sys.exit(main())
