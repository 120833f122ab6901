/* SPDX-License-Identifier: MIT
 * Recipes for arrays that activate rows, destroy what they read, or keep bits in latches, mapped
 * ones and shifts by a register, and damages that a hand may do to them. */
#include "damage.h"

#define LIST(x) x, sizeof x / sizeof *x

/* --- commands that activate rows; the mask by select --- */

static const char commands_target[] = "schema: 1\nname: own\nextends: mimdram\n";
static const char commands[] = "recipe XOR(a, b) -> d   any w   needs AAP, AP\n"
                               "{\n"
                               "  for j in 0 .. w-1 {\n"
                               "    AAP B8 <- a[j]\n"
                               "    AAP B9 <- b[j]\n"
                               "    AAP B10 <- C0\n"
                               "    AP B14\n"
                               "    AP B15\n"
                               "    AAP T2 <- C1\n"
                               "    AAP d[j] <- B12\n"
                               "  }\n"
                               "  computes d == a ^ b\n"
                               "  expect AAP == 5*w, AP == 2*w\n"
                               "}\n";
static const struct damage commands_damages[] = {
    {"wrong rows", "AP B14", "AP B13"},
    {"wrong rows of the result", "<- B12", "<- B14"},
    {"operand into the wrong rows", "B9 <- b[j]", "B8 <- b[j]"},
    {"operand replaced by the other", "B9 <- b[j]", "B9 <- a[j]"},
    {"operand's inverse lost", "AAP B8 <- a[j]", "AAP T0 <- a[j]"},
    {"wrong constant", "B10 <- C0", "B10 <- C1"},
    {"wrong second constant", "T2 <- C1", "T2 <- C0"},
    {"rows not written before", "    AAP B10 <- C0\n", ""},
    {"command left out", "    AP B15\n", ""},
    {"row destroyed too early", "    AP B15\n    AAP T2 <- C1\n", "    AAP T0 <- C1\n    AP B15\n"},
    {"two rows drive the bit lines", "AP B14", "AP B10"},
    {"a constant written", "T2 <- C1", "C1 <- T2"},
    {"a row on both sides", "T2 <- C1", "T2 <- B13"},
    {"source written", "d[j] <- B12", "a[j] <- B12"},
    {"result through the negated wordline", "AAP d[j] <- B12", "AAP DCC0n <- B12 AAP d[j] <- DCC0"},
    {"low bound off by one", "0 .. w-1", "1 .. w-1"},
    {"high bound off by one", "0 .. w-1", "0 .. w-2"},
    {"wrong only at one width", "AAP T2 <- C1",
     "if w == 13 && j == 7 { AAP T2 <- C0 } else { AAP T2 <- C1 }"},
    {"contract changed", "a ^ b", "a | b"},
    {"expectation changed", "AP == 2*w", "AP == w"},
};

static const char merge[] = "recipe MASKED(a, d, M) -> d   any w   needs AAP, AP\n"
                            "{\n"
                            "  for j in 0 .. w-1 {\n"
                            "    AAP B8 <- M\n"
                            "    AAP B9 <- C1\n"
                            "    AAP B10 <- a[j]\n"
                            "    AP B15\n"
                            "    AP B14\n"
                            "    AAP T1 <- d[j]\n"
                            "    AAP d[j] <- B13\n"
                            "  }\n"
                            "  computes d == select(M, a, d)\n"
                            "  expect AAP == 5*w, AP == 2*w\n"
                            "}\n";
static const struct damage merge_damages[] = {
    {"mask ignored", "B8 <- M", "B8 <- C1"},
    {"mask inverted", "AAP B8 <- M", "AAP B8 <- M AAP T0 <- DCC0 AAP DCC0n <- T0"},
    {"always masked", "B8 <- M", "B8 <- C0"},
    {"new and old exchanged", "B10 <- a[j]\n    AP B15\n    AP B14\n    AAP T1 <- d[j]",
     "B10 <- d[j]\n    AP B15\n    AP B14\n    AAP T1 <- a[j]"},
    {"new value ignored", "B10 <- a[j]", "B10 <- d[j]"},
    {"old value ignored", "T1 <- d[j]", "T1 <- a[j]"},
    {"old value left out", "    AAP T1 <- d[j]\n", ""},
    {"wrong constant", "B9 <- C1", "B9 <- C0"},
    {"wrong rows", "AP B15", "AP B14"},
    {"command left out", "    AP B15\n", ""},
    {"low bound off by one", "0 .. w-1", "1 .. w-1"},
    {"high bound off by one", "0 .. w-1", "0 .. w-2"},
    {"wrong bit", "B10 <- a[j]", "B10 <- a[0]"},
    {"new value written", "AAP d[j] <- B13", "AAP a[j] <- B13"},
    {"wrong only at one bit", "AAP d[j] <- B13", "if j != 4 { AAP d[j] <- B13 }"},
    {"contract changed", "select(M, a, d)", "select(M, d, a)"},
    {"expectation changed", "AAP == 5*w", "AAP == 4*w"},
};

/* --- latches; the mask by latch --- */

static const char latch_target[] = "schema: 1\nname: own\nextends: duality-cache\n"
                                   "mask: { by: latch, latch: tag, and: ANDT, load: LDT }\n";
static const char latch[] = "recipe ADD(a, b) -> d   any w   needs FADD, FADD0, SETC0\n"
                            "{\n"
                            "  SETC0()\n"
                            "  for j in 0 .. w-1 { d[j] = FADD(a[j], b[j]) }\n"
                            "  computes d == a + b\n"
                            "  expect micro_ops == w + 1, FADD == w\n"
                            "}\n";
static const struct damage latch_damages[] = {
    {"carry not cleared", "  SETC0()\n", ""},
    {"carry begins with 1", "  SETC0()", "  SETC1()"},
    {"carry cleared for each bit", "{ d[j] = FADD(", "{ SETC0() d[j] = FADD("},
    {"carry lost", "= FADD(", "= FADD0("},
    {"carry overwritten", "b[j]) }", "b[j]) if j == 1 { SETC1() } }"},
    {"from the highest bit down", "0 .. w-1", "w-1 downto 0"},
    {"operand replaced", "FADD(a[j], b[j])", "FADD(a[j], a[j])"},
    {"operand of another bit", "FADD(a[j], b[j])", "FADD(a[j], b[0])"},
    {"operand left out", "FADD(a[j], b[j])", "FADD(a[j])"},
    {"wrong gate", "= FADD(", "= XOR("},
    {"low bound off by one", "0 .. w-1", "1 .. w-1"},
    {"high bound off by one", "0 .. w-1", "0 .. w-2"},
    {"result in the wrong bit", "d[j] =", "d[w-1-j] ="},
    {"source written", "d[j] =", "a[j] ="},
    {"wrong only at one width", "  SETC0()", "  if w == 33 { SETC1() } else { SETC0() }"},
    {"contract changed", "a + b", "a - b"},
    {"expectation changed", "FADD == w", "FADD == w - 1"},
};

static const char tag[] = "recipe SEL(a, b, d) -> d   any w   needs CP, CPT, LDT\n"
                          "{\n"
                          "  s = CP(d[0])\n"
                          "  for j in 0 .. w-1 { d[j] = CP(b[j]) }\n"
                          "  LDT(s)\n"
                          "  for j in 0 .. w-1 { d[j] = CPT(d[j], a[j]) }\n"
                          "  computes d == select(d & 1, a, b)\n"
                          "  expect micro_ops == 2*w + 2\n"
                          "}\n";
static const struct damage tag_damages[] = {
    {"tag not loaded", "  LDT(s)\n", ""},
    {"tag inverted", "LDT(s)", "LDTN(s)"},
    {"tag from the wrong bit", "CP(d[0])", "CP(d[w-1])"},
    {"tag read too late", "  s = CP(d[0])\n  for j in 0 .. w-1 { d[j] = CP(b[j]) }\n",
     "  for j in 0 .. w-1 { d[j] = CP(b[j]) }\n  s = CP(d[0])\n"},
    {"tag loaded too early", "  for j in 0 .. w-1 { d[j] = CP(b[j]) }\n  LDT(s)\n",
     "  LDT(s)\n  for j in 0 .. w-1 { d[j] = CPT(d[j], b[j]) }\n"},
    {"tag overwritten", "CPT(d[j], a[j]) }", "CPT(d[j], a[j]) LDTN(s) }"},
    {"choice swapped", "CP(b[j])", "CP(a[j])"},
    {"tag ignored", "CPT(d[j], a[j])", "CP(a[j])"},
    {"other place than it keeps", "d[j] = CPT(d[j], a[j])", "d[j] = CPT(s, a[j])"},
    {"wrong bit", "CPT(d[j], a[j])", "CPT(d[j], a[0])"},
    {"low bound off by one", "0 .. w-1 { d[j] = CP(", "1 .. w-1 { d[j] = CP("},
    {"high bound off by one", "0 .. w-1 { d[j] = CPT", "0 .. w-2 { d[j] = CPT"},
    {"mask back into the latch by the wrong gate", "and: ANDT", "and: ANDTN"},
    {"mask into the latch inverted", "load: LDT ", "load: LDTN "},
    {"mask into the other latch", "latch: tag", "latch: carry"},
    {"contract changed", "select(d & 1, a, b)", "select(d & 1, b, a)"},
    {"expectation changed", "2*w + 2", "2*w + 1"},
};

/* --- micro-ops that replace what they read --- */

static const char replace_target[] =
    "schema: 1\nname: own\nextends: racer\nops:\n"
    "  MAJ: { in: [x, y, z], out: [x, y, z], fn: \"maj(x, y, z)\", energy: e_column,\n"
    "         where: \"section(x) == here && section(y) == here && section(z) == here\" }\n";
static const char replace[] = "recipe AND(a, b) -> d   any w   needs MAJ, COPY\n"
                              "{\n"
                              "  for j in 0 .. w-1 {\n"
                              "    x = COPY(a[j])\n"
                              "    y = COPY(b[j])\n"
                              "    z = COPY(zero)\n"
                              "    x, y, z = MAJ(x, y, z)\n"
                              "    d[j] = COPY(x)\n"
                              "  }\n"
                              "  computes d == a & b\n"
                              "  expect MAJ == w, COPY == 4*w\n"
                              "}\n";
static const struct damage replace_damages[] = {
    {"source destroyed", "x, y, z = MAJ(x,", "a[j], y, z = MAJ(a[j],"},
    {"constant destroyed", "MAJ(x, y, z)", "MAJ(x, y, zero)"},
    {"result under another name", "x, y, z =", "x, y, t ="},
    {"results in another order", "x, y, z =", "y, x, z ="},
    {"a result left out", "x, y, z =", "x, y ="},
    {"operand used twice", "MAJ(x, y, z)", "MAJ(x, y, y)"},
    {"operand never made", "    z = COPY(zero)\n", ""},
    {"wrong constant", "COPY(zero)", "COPY(one)"},
    {"wrong operand", "COPY(b[j])", "COPY(a[j])"},
    {"read after it was destroyed", "    d[j] = COPY(x)",
     "    x, y, z = MAJ(x, y, z)\n    z = COPY(one)\n    x, y, z = MAJ(x, y, z)\n"
     "    y = NOR(y, zero)\n    d[j] = COPY(y)"},
    {"result before the micro-op", "    x, y, z = MAJ(x, y, z)\n    d[j] = COPY(x)\n",
     "    d[j] = COPY(x)\n    x, y, z = MAJ(x, y, z)\n"},
    {"micro-op left out", "    x, y, z = MAJ(x, y, z)\n", ""},
    {"crossing not declared", "COPY(b[j])", "COPY(b[0])"},
    {"low bound off by one", "0 .. w-1", "1 .. w-1"},
    {"high bound off by one", "0 .. w-1", "0 .. w-2"},
    {"the gate's function", "maj(x, y, z)", "x | y & z"},
    {"contract changed", "a & b", "a | b"},
    {"expectation changed", "4*w", "3*w"},
};

/* --- mapped: as mpu-recipe expand --recipe prints it --- */

static const char mapped[] = "recipe CMPLT(a, b) -> C   any w   mapped for racer\n"
                             "{\n"
                             "  carry k = zero\n"
                             "  for j in 0 .. w-1 {\n"
                             "    t1 = NOR(b[j], a[j])\n"
                             "    t2 = NOR(b[j], t1)\n"
                             "    t3 = NOR(a[j], t1)\n"
                             "    t4 = NOR(k, t3)\n"
                             "    t5 = NOR(t2, t4)\n"
                             "    k = t5\n"
                             "  }\n"
                             "  at w-1 {\n"
                             "    C = BUF(k)\n"
                             "  }\n"
                             "  computes C == (a < b)\n"
                             "}\n";
static const struct damage mapped_damages[] = {
    {"carry begins with 1", "carry k = zero", "carry k = one"},
    {"carry not cleared", "carry k = zero", "carry k"},
    {"operands swapped", "t3 = NOR(a[j], t1)", "t3 = NOR(b[j], t1)"},
    {"wrong gate", "t5 = NOR(", "t5 = OR("},
    {"carry ignored", "NOR(k, t3)", "NOR(zero, t3)"},
    {"carry not handed on", "    k = t5\n", ""},
    {"carry from the wrong value", "k = t5", "k = t4"},
    {"operand of another section", "NOR(b[j], t1)", "NOR(b[0], t1)"},
    {"C in another section", "at w-1", "at 0"},
    {"C before the last bit", "at w-1", "at w-2"},
    {"C never written", "    C = BUF(k)\n", ""},
    {"C by a gate that does not reach it", "C = BUF(k)", "C = NOR(k, zero)"},
    {"scratch never made", "    t1 = NOR(b[j], a[j])\n", ""},
    {"low bound off by one", "0 .. w-1", "1 .. w-1"},
    {"high bound off by one", "0 .. w-1", "0 .. w-2"},
    {"direction", "0 .. w-1", "w-1 downto 0"},
    {"logic where micro-ops stand", "NOR(t2, t4)", "maj(t2, t4, k)"},
    {"wrong only at one width", "k = t5", "if w == 31 { k = t4 } else { k = t5 }"},
    {"contract changed", "a < b", "a > b"},
};

/* --- shift by a register: a bit goes to all positions, bits move by powers of two --- */

static const char barrel[] =
    "sub COUNTS(b) -> n, all generic {\n"
    "  carry down g\n"
    "  for j in w-1 downto 0 {\n"
    "    if j == w-1 {\n"
    "      g = b[j]\n"
    "    } else if j >= 6 || 1 << j >= w {\n"
    "      g = b[j] | g\n"
    "    } else if j > 0 {\n"
    "      g = g\n"
    "      n[j] = b[j] | g@j\n"
    "    } else {\n"
    "      n[j] = b[j] | g\n"
    "      all[j] = g\n"
    "    }\n"
    "    if w == 1 { all[j] = b[j] }\n"
    "  }\n"
    "}\n"
    "sub SPREAD(v, n, s) -> x, move, rest generic {\n"
    "  carry u\n"
    "  carry down l\n"
    "  for j in s .. w-1 {\n"
    "    if j == s {\n"
    "      u = n[j]\n"
    "      move[j] = v[j] & n[j]\n"
    "      rest[j] = v[j] & !n[j]\n"
    "      x[j] = n[j]\n"
    "    } else {\n"
    "      u = u\n"
    "      move[j] = v[j] & u@j\n"
    "      rest[j] = v[j] & !u@j\n"
    "      x[j] = u@j\n"
    "    }\n"
    "  }\n"
    "  for j in s downto 0 {\n"
    "    if j == s {\n"
    "      l = n[j]\n"
    "    } else {\n"
    "      l = l\n"
    "      move[j] = v[j] & l@j\n"
    "      rest[j] = v[j] & !l@j\n"
    "      x[j] = l@j\n"
    "    }\n"
    "  }\n"
    "}\n"
    "sub UP(v, n, s, z) -> r generic {\n"
    "  carry m\n"
    "  x, move, rest = SPREAD(v, n, s)\n"
    "  for j in w-1-z downto 0 { m = move }\n"
    "  serial for i in 1 .. z-1 {\n"
    "    for j in w-1-z+i downto i { m = m }\n"
    "  }\n"
    "  for j in w-1 downto 0 {\n"
    "    if j < z { r[j] = rest } else { r[j] = rest | m }\n"
    "  }\n"
    "}\n"
    "recipe SHL(a, b) -> d   any w   generic\n"
    "{\n"
    "  n, all = COUNTS(b)\n"
    "  for j in 0 .. w-1 {\n"
    "    if j == 0 && (w & w-1) == 0 { v = a[j] & !all } else { v = a[j] }\n"
    "    if w == 1 { d[j] = v }\n"
    "  }\n"
    "  serial for s in 5 downto 0 {\n"
    "    if 1 << s < w {\n"
    "      if s == 0 { d = UP(v, n, s, 1) } else { v = UP(v, n, s, 1 << s) }\n"
    "    }\n"
    "  }\n"
    "  computes d == a << b\n"
    "}\n";
static const struct damage barrel_damages[] = {
    {"round left out", "s in 5 downto 0", "s in 4 downto 0"},
    {"last round left out", "s in 5 downto 0", "s in 5 downto 1"},
    {"rounds the other way round", "s in 5 downto 0", "s in 0 .. 5"},
    {"wrong distance", "UP(v, n, s, 1 << s)", "UP(v, n, s, 2*s)"},
    {"wrong bit of the count", "if j == s {\n      u = n[j]", "if j == s {\n      u = n[0]"},
    {"upper bits of the count ignored", "g = b[j] | g", "g = g"},
    {"one bit of the count ignored", "n[j] = b[j] | g@j", "n[j] = g@j"},
    {"count of w counts as 0", "v = a[j] & !all", "v = a[j]"},
    {"zeros only where w is no power of two", "(w & w-1) == 0", "(w & w-1) != 0"},
    {"bits that move stay as well", "rest[j] = v[j] & !n[j]", "rest[j] = v[j]"},
    {"choice inverted", "move[j] = v[j] & l@j", "move[j] = v[j] & !l@j"},
    {"choice not handed up", "      u = u\n", ""},
    {"choice not handed down", "      l = l\n", ""},
    {"choice of the neighbour", "rest[j] = v[j] & !u@j", "rest[j] = v[j] & !u@s"},
    {"bits move too little", "serial for i in 1 .. z-1", "serial for i in 2 .. z-1"},
    {"bits move too far", "serial for i in 1 .. z-1", "serial for i in 1 .. z"},
    {"lowest bit lost", "w-1-z downto 0 {", "w-1-z downto 1 {"},
    {"moved bits left out", "r[j] = rest | m }", "r[j] = rest }"},
    {"moved bits where none come", "if j < z {", "if j <= z {"},
    {"carry down turned up", "carry down l", "carry l"},
    {"wrong only at one width", "v = a[j] & !all",
     "if w == 16 { v = a[j] } else { v = a[j] & !all }"},
    {"contract changed", "a << b", "a >> b"},
};

/* Of other kinds than in damage_texts.c. */
const struct damaged_kind damaged_array_kinds[] = {
    {"commands", OP_XOR, 0, commands_target, commands, LIST(commands_damages)},
    {"merge", OP_OR, 0, commands_target, merge, LIST(merge_damages)},
    {"latch", OP_ADD, 0, latch_target, latch, LIST(latch_damages)},
    {"tag", OP_SEL, 0, latch_target, tag, LIST(tag_damages)},
    {"replace", OP_AND, 0, replace_target, replace, LIST(replace_damages)},
    {"mapped", OP_CMPLT, 0, NULL, mapped, LIST(mapped_damages)},
    {"barrel", OP_SHL, 0, NULL, barrel, LIST(barrel_damages)},
};
const size_t damaged_array_kind_count = sizeof damaged_array_kinds / sizeof *damaged_array_kinds;
