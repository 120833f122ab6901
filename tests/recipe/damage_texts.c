/* SPDX-License-Identifier: MIT
 * One recipe of each kind, and damages that a hand may do to it. */
#include "damage.h"

/* --- bitwise --- */

static const char bitwise[] = "recipe XOR(a, b) -> d   any w   needs NOR, OR\n"
                              "{\n"
                              "  for j in 0 .. w-1 {\n"
                              "    t1 = NOR(a[j], b[j])\n"
                              "    t2 = NOR(a[j], t1)\n"
                              "    t3 = NOR(b[j], t1)\n"
                              "    d[j] = OR(t2, t3)\n"
                              "  }\n"
                              "  computes d == a ^ b\n"
                              "  expect micro_ops == 4*w, latency <= w + 3\n"
                              "}\n";
static const struct damage bitwise_damages[] = {
    {"wrong gate first", "t1 = NOR(", "t1 = OR("},
    {"wrong gate last", "= OR(t2", "= NOR(t2"},
    {"operand replaced by its neighbour", "NOR(b[j], t1)", "NOR(a[j], t1)"},
    {"operand replaced by a later value", "NOR(a[j], t1)", "NOR(a[j], t3)"},
    {"operand replaced by a constant", "OR(t2, t3)", "OR(t2, zero)"},
    {"low bound off by one", "0 .. w-1", "1 .. w-1"},
    {"high bound off by one down", "0 .. w-1", "0 .. w-2"},
    {"high bound off by one up", "0 .. w-1", "0 .. w"},
    {"bounds exchanged", "0 .. w-1", "w-1 .. 0"},
    {"crossing not declared", "NOR(b[j], t1)", "NOR(b[0], t1)"},
    {"result in the wrong bit", "d[j] =", "d[0] ="},
    {"result not written", "d[j] =", "t4 ="},
    {"source written", "t2 =", "a[j] ="},
    {"scratch never made", "    t1 = NOR(a[j], b[j])\n", ""},
    {"scratch used twice", "t3 = NOR", "t2 = NOR"},
    {"a micro-op too many", "    d[j] =", "    d[j] = COPY(zero)\n    d[j] ="},
    {"wrong only at one width", "= OR(t2, t3)", "= OR(t2, t3) if w == 9 { d[j] = COPY(t2) }"},
    {"gate that does not exist", "needs NOR, OR", "needs NOR, ORR"},
    {"other signature", "(a, b) -> d", "(a, b) -> C"},
    {"contract changed", "a ^ b", "a | b"},
    {"expectation changed", "4*w", "3*w"},
};

/* --- carry up --- */

static const char carry_up[] = "recipe ADD(a, b) -> d   any w   needs NOR, BUF\n"
                               "{\n"
                               "  carry c = zero\n"
                               "  for j in 0 .. w-1 {\n"
                               "    t1 = NOR(a[j], b[j])\n"
                               "    t2 = NOR(a[j], t1)\n"
                               "    t3 = NOR(b[j], t1)\n"
                               "    t4 = NOR(t2, t3)\n"
                               "    t5 = NOR(t4, c)\n"
                               "    t6 = NOR(t1, t5)\n"
                               "    if j < w-1 { c = BUF(t6) }\n"
                               "    t7 = NOR(t4, t5)\n"
                               "    t8 = NOR(c@j, t5)\n"
                               "    d[j] = NOR(t7, t8)\n"
                               "  }\n"
                               "  computes d == a + b\n"
                               "  expect NOR == 9*w, COPY == 1, BUF == w-1, handover == 3\n"
                               "}\n";
static const struct damage carry_up_damages[] = {
    {"carry not cleared", "carry c = zero", "carry c"},
    {"carry begins with 1", "carry c = zero", "carry c = one"},
    {"carry begins with an operand", "carry c = zero", "carry c = a[0]"},
    {"carry runs down", "carry c", "carry down c"},
    {"carry from the wrong value", "BUF(t6)", "BUF(t5)"},
    {"carry not handed on", "    if j < w-1 { c = BUF(t6) }\n", ""},
    {"carry handed on once too often", "j < w-1 {", "j < w {"},
    {"carry handed on once too little", "j < w-1 {", "j < w-2 {"},
    {"carry inside the section", "c = BUF(t6)", "c = COPY(t6)"},
    {"incoming carry lost", "c@j", "c"},
    {"carry of the wrong section", "c@j", "c@0"},
    {"low bound off by one", "0 .. w-1", "1 .. w-1"},
    {"high bound off by one", "0 .. w-1", "0 .. w-2"},
    {"wrong direction", "0 .. w-1", "w-1 downto 0"},
    {"wrong gate", "t5 = NOR(t4", "t5 = OR(t4"},
    {"operand replaced", "NOR(b[j], t1)", "NOR(t2, t1)"},
    {"result not written", "d[j] =", "t9 ="},
    {"result in another section", "d[j] =", "d[w-1-j] ="},
    {"other section's scratch", "NOR(t7, t8)", "NOR(t7, t8@0)"},
    {"wrong only at one width", "d[j] = NOR(t7, t8)",
     "if w == 9 && j == 8 { d[j] = NOR(t8, t8) } else { d[j] = NOR(t7, t8) }"},
    {"wrong only in one high bit", "d[j] = NOR(t7, t8)",
     "if j == 61 { d[j] = NOR(t7, t7) } else { d[j] = NOR(t7, t8) }"},
    {"contract changed", "a + b", "a + b + 1"},
    {"count changed", "9*w", "8*w"},
    {"handover changed", "handover == 3", "handover == 2"},
};

/* --- carry down --- */

static const char carry_down[] = "recipe RELU(a) -> d   any w   needs NOR, BUF, COPY\n"
                                 "{\n"
                                 "  carry down s = a[w-1]\n"
                                 "  for j in w-1 downto 0 {\n"
                                 "    if j > 0 { s = BUF(s) }\n"
                                 "    if j == w-1 {\n"
                                 "      d[j] = COPY(zero)\n"
                                 "    } else {\n"
                                 "      n = NOR(a[j], zero)\n"
                                 "      d[j] = NOR(n, s@j)\n"
                                 "    }\n"
                                 "  }\n"
                                 "  computes d == max(s(a), 0)\n"
                                 "  expect NOR == 2*w - 2, BUF == w-1, COPY == 2\n"
                                 "}\n";
static const struct damage carry_down_damages[] = {
    {"carry not begun", "carry down s = a[w-1]", "carry down s"},
    {"carry begins with 0", "s = a[w-1]", "s = zero"},
    {"carry begins with another bit", "s = a[w-1]", "s = a[0]"},
    {"carry runs up", "carry down", "carry"},
    {"carry handed on once too little", "j > 0", "j > 1"},
    {"carry handed on once too often", "j > 0", "j >= 0"},
    {"carry from the wrong value", "BUF(s)", "BUF(a[j])"},
    {"carry not handed on", "    if j > 0 { s = BUF(s) }\n", ""},
    {"incoming carry lost", "s@j", "s"},
    {"low bound off by one", "downto 0", "downto 1"},
    {"high bound off by one", "in w-1 downto", "in w-2 downto"},
    {"wrong direction", "w-1 downto 0", "0 .. w-1"},
    {"wrong special case", "j == w-1", "j == 0"},
    {"wrong gate", "NOR(n, s@j)", "OR(n, s@j)"},
    {"wrong constant", "COPY(zero)", "COPY(one)"},
    {"operand replaced", "NOR(a[j], zero)", "NOR(s@j, zero)"},
    {"wrong only at one width", "COPY(zero)", "COPY(zero) if w == 31 { d[j] = COPY(a[j]) }"},
    {"contract changed", "max(s(a), 0)", "max(a, 0)"},
    {"expectation changed", "BUF == w-1", "BUF == w"},
};

/* --- into C --- */

static const char compare[] = "sub STEP(x, y, k) -> z {\n"
                              "  t1 = NOR(x, y)\n"
                              "  t2 = NOR(x, t1)\n"
                              "  t3 = NOR(y, t1)\n"
                              "  t4 = NOR(t2, k)\n"
                              "  z = NOR(t3, t4)\n"
                              "}\n"
                              "recipe CMPLT(a, b) -> C   any w   needs NOR, BUF, COPY\n"
                              "{\n"
                              "  carry k = zero\n"
                              "  for j in 0 .. w-1 {\n"
                              "    t = STEP(a[j], b[j], k)\n"
                              "    if j < w-1 { k = BUF(t) } else { C = BUF(t) }\n"
                              "  }\n"
                              "  computes C == (a < b)\n"
                              "  expect logic == 5*w, BUF == w, COPY == 1, handover == 3\n"
                              "}\n";
static const struct damage compare_damages[] = {
    {"operands swapped", "STEP(a[j], b[j], k)", "STEP(b[j], a[j], k)"},
    {"operand and carry swapped", "STEP(a[j], b[j], k)", "STEP(a[j], k, b[j])"},
    {"operands swapped inside", "t2 = NOR(x, t1)", "t2 = NOR(y, t1)"},
    {"equal counts as less", "carry k = zero", "carry k = one"},
    {"carry not cleared", "carry k = zero", "carry k"},
    {"wrong gate", "z = NOR(", "z = OR("},
    {"carry ignored", "NOR(t2, k)", "NOR(t2, zero)"},
    {"C from the wrong section", "j < w-1", "j > 0"},
    {"C never written", "else { C = BUF(t) }", ""},
    {"C by a gate that does not reach it", "C = BUF(t)", "C = COPY(t)"},
    {"C from a name of the sub", "C = BUF(t)", "C = BUF(t3)"},
    {"C from the carry below", "C = BUF(t)", "C = BUF(k)"},
    {"C read", "NOR(t3, t4)", "NOR(t3, C)"},
    {"low bound off by one", "0 .. w-1", "1 .. w-1"},
    {"high bound off by one", "0 .. w-1", "0 .. w-2"},
    {"operand left out", "STEP(a[j], b[j], k)", "STEP(a[j], b[j])"},
    {"wrong only at one width", "carry k = zero",
     "if w == 9 { let x = one } else { let x = zero } carry k = x"},
    {"contract changed", "a < b", "a <= b"},
    {"signed contract", "a < b", "s(a) < s(b)"},
    {"expectation changed", "BUF == w,", "BUF == w-1,"},
};

/* --- mask --- */

static const char mask[] = "recipe ANDMASK(C, M) -> M   any w   needs GETM, SETM, NOR, BUF\n"
                           "{\n"
                           "  m = GETM(M)\n"
                           "  x = NOR(m, zero)\n"
                           "  c = BUF(C)\n"
                           "  y = NOR(c, zero)\n"
                           "  t = NOR(x, y)\n"
                           "  M = SETM(t, valid)\n"
                           "  computes M == (C & M)\n"
                           "  expect micro_ops == 6\n"
                           "}\n";
static const struct damage mask_damages[] = {
    {"old mask ignored", "NOR(x, y)", "NOR(y, y)"},
    {"condition ignored", "NOR(x, y)", "NOR(x, x)"},
    {"condition inverted", "NOR(x, y)", "NOR(x, c)"},
    {"wrong gate", "t = NOR(", "t = OR("},
    {"valid lanes ignored", "SETM(t, valid)", "SETM(t, one)"},
    {"valid lanes instead of the mask", "GETM(M)", "GETM(valid)"},
    {"mask not written", "M = SETM(t, valid)", "u = NOR(t, zero)"},
    {"mask from the wrong value", "SETM(t", "SETM(x"},
    {"condition by the wrong gate", "BUF(C)", "COPY(C)"},
    {"mask by the wrong gate", "SETM(t, valid)", "BUF(t)"},
    {"constant replaced", "NOR(c, zero)", "NOR(c, one)"},
    {"register read", "NOR(c, zero)", "NOR(d[0], zero)"},
    {"operands in another order", "(C, M)", "(M, C)"},
    {"another instruction", "ANDMASK(C, M)", "ANDNMASK(C, M)"},
    {"contract changed", "(C & M)", "(C | M)"},
    {"expectation changed", "== 6", "== 5"},
};

/* --- constant --- */

static const char constant[] =
    "recipe LI(imm) -> d   any w   needs COPY\n"
    "{\n"
    "  for j in 0 .. w-1 {\n"
    "    if imm[j] == 1 { d[j] = COPY(one) } else { d[j] = COPY(zero) }\n"
    "  }\n"
    "  computes d == imm\n"
    "  expect COPY == w, micro_ops == w\n"
    "}\n";
static const struct damage constant_damages[] = {
    {"inverted", "imm[j] == 1", "imm[j] == 0"},
    {"bit off by one", "imm[j]", "imm[j + 1]"},
    {"always bit 0", "imm[j]", "imm[0]"},
    {"negative bit", "imm[j]", "imm[j - 1]"},
    {"sign not extended", "imm[j] == 1", "imm[j] == 1 && j < 11"},
    {"wrong constant", "COPY(one)", "COPY(zero)"},
    {"the other wrong constant", "COPY(zero)", "COPY(one)"},
    {"a bit left out", " else { d[j] = COPY(zero) }", ""},
    {"low bound off by one", "0 .. w-1", "1 .. w-1"},
    {"high bound off by one", "0 .. w-1", "0 .. w-2"},
    {"result in the wrong bit", "d[j] = COPY(one)", "d[w-1] = COPY(one)"},
    {"crossing gate", "COPY(zero)", "BUF(zero)"},
    {"unknown name", "imm[j]", "im[j]"},
    {"wrong only for one constant", "imm[j] == 1", "imm[j] == 1 && imm != -6"},
    {"contract changed", "d == imm", "d == imm + 1"},
    {"expectation changed", "COPY == w,", "COPY == w-1,"},
};

/* --- shift by a constant --- */

static const char shift[] = "recipe SHLI(a, n) -> d   any w   needs BUF, COPY\n"
                            "{\n"
                            "  carry c\n"
                            "  if n > 0 && n < w {\n"
                            "    for j in w-1-n downto 0 { c = BUF(a[j]) }\n"
                            "    serial for r in 1 .. n-1 {\n"
                            "      for j in w-1-n+r downto r { c = BUF(c) }\n"
                            "    }\n"
                            "  }\n"
                            "  for j in w-1 downto 0 {\n"
                            "    if j < n { d[j] = COPY(zero) }\n"
                            "    else if n == 0 { d[j] = COPY(a[j]) }\n"
                            "    else { d[j] = COPY(c) }\n"
                            "  }\n"
                            "  computes d == a << n\n"
                            "  expect COPY == w, BUF <= n*w\n"
                            "}\n";
static const struct damage shift_damages[] = {
    {"one bit too many", "in w-1-n downto", "in w-n downto"},
    {"one bit too few", "in w-1-n downto", "in w-2-n downto"},
    {"lowest bit lost", "downto 0 { c", "downto 1 { c"},
    {"wrong order", "in w-1-n downto 0", "in 0 .. w-1-n"},
    {"wrong order of a round", "w-1-n+r downto r", "r .. w-1-n+r"},
    {"a round too many", "1 .. n-1", "1 .. n"},
    {"a round too few", "1 .. n-1", "2 .. n-1"},
    {"round off by one above", "w-1-n+r downto", "w-2-n+r downto"},
    {"round off by one below", "downto r {", "downto r+1 {"},
    {"wrong direction", "carry c", "carry down c"},
    {"count of 1 left out", "n > 0", "n > 1"},
    {"zeros off by one", "j < n {", "j <= n {"},
    {"ones come in", "COPY(zero)", "COPY(one)"},
    {"no count of 0", "n == 0", "n == 1"},
    {"wrong source", "BUF(a[j])", "BUF(a[0])"},
    {"wrong only for one count", "j < n {", "j < n || n == 6 {"},
    {"wrong only for one count and width", "j < n {", "j < n || n == 2 && w == 63 {"},
    {"contract changed", "a << n", "a >> n"},
    {"expectation changed", "COPY == w", "COPY == n"},
};

/* --- quadratic --- */

static const char quadratic[] = "recipe MUL(a, b) -> d   any w   needs NOR, OR, BUF, COPY\n"
                                "{\n"
                                "  carry c\n"
                                "  carry q\n"
                                "  carry m\n"
                                "  for j in 0 .. w-1 {\n"
                                "    s = NOR(a[j], zero)\n"
                                "    if j == 0 {\n"
                                "      n = NOR(b[0], zero)\n"
                                "      if w > 1 { q = BUF(n) }\n"
                                "      d[0] = NOR(s, n)\n"
                                "    } else {\n"
                                "      if j < w-1 { q = BUF(q) }\n"
                                "      r = NOR(s, q@j)\n"
                                "    }\n"
                                "  }\n"
                                "  serial for i in 1 .. w-1 {\n"
                                "    for j in i-1 .. w-2 { m = BUF(s) }\n"
                                "    for j in i .. w-1 {\n"
                                "      s = COPY(m@j)\n"
                                "      if j == i {\n"
                                "        n = NOR(b[i], zero)\n"
                                "        let p = n\n"
                                "      } else {\n"
                                "        let p = q\n"
                                "      }\n"
                                "      y = NOR(s, p)\n"
                                "      if j < w-1 { q = BUF(p) }\n"
                                "      t1 = NOR(r, y)\n"
                                "      t2 = NOR(r, t1)\n"
                                "      t3 = NOR(y, t1)\n"
                                "      if j == i {\n"
                                "        d[j] = OR(t2, t3)\n"
                                "        if j < w-1 {\n"
                                "          t4 = OR(t2, t3)\n"
                                "          t6 = NOR(t1, t4)\n"
                                "          c = BUF(t6)\n"
                                "        }\n"
                                "      } else {\n"
                                "        t4 = NOR(t2, t3)\n"
                                "        t5 = NOR(t4, c)\n"
                                "        if j < w-1 {\n"
                                "          t6 = NOR(t1, t5)\n"
                                "          c = BUF(t6)\n"
                                "        }\n"
                                "        t7 = NOR(t4, t5)\n"
                                "        t8 = NOR(c@j, t5)\n"
                                "        r = NOR(t7, t8)\n"
                                "      }\n"
                                "    }\n"
                                "  }\n"
                                "  computes d == a * b\n"
                                "  expect 2*logic <= 10*w*w + 4*w, scratch <= 9\n"
                                "}\n";
static const struct damage quadratic_damages[] = {
    {"a round too few", "serial for i in 1 .. w-1", "serial for i in 1 .. w-2"},
    {"a round left out", "serial for i in 1 .. w-1", "serial for i in 2 .. w-1"},
    {"a round twice", "serial for i in 1 .. w-1", "serial for i in 0 .. w-1"},
    {"factor moves too little", "in i-1 .. w-2", "in i .. w-2"},
    {"factor moves too far", "in i-1 .. w-2", "in i-1 .. w-1"},
    {"wrong bit of the other factor", "b[i]", "b[0]"},
    {"old bit of the other factor", "let p = n", "let p = s"},
    {"factor not handed on", "      if j < w-1 { q = BUF(p) }\n", ""},
    {"carry from the wrong value", "t6 = NOR(t1, t5)", "t6 = NOR(t1, t4)"},
    {"carry of the round before", "t5 = NOR(t4, c)", "t5 = NOR(t4, m)"},
    {"wrong first round", "r = NOR(s, q@j)", "r = OR(s, q@j)"},
    {"wrong gate in the sum", "t4 = NOR(t2, t3)", "t4 = OR(t2, t3)"},
    {"sum not kept", "        r = NOR(t7, t8)\n", ""},
    {"result not written", "        d[j] = OR(t2, t3)\n", ""},
    {"two carries in one buffer", "      s = COPY(m@j)\n", ""},
    {"low bound off by one", "for j in i .. w-1", "for j in i+1 .. w-1"},
    {"wrong only at one width", "t4 = OR(t2, t3)",
     "if w == 63 && i == 40 { t4 = OR(t2, t2) } else { t4 = OR(t2, t3) }"},
    {"contract changed", "a * b", "a + b"},
    {"expectation changed", "10*w*w", "9*w*w"},
};

/* --- two results --- */

static const char two_results[] = "recipe CAS(a, b) -> a, b   any w   needs NOR, BUF, COPY\n"
                                  "{\n"
                                  "  carry k = zero\n"
                                  "  for j in 0 .. w-1 {\n"
                                  "    t1 = NOR(a[j], b[j])\n"
                                  "    t2 = NOR(a[j], t1)\n"
                                  "    t3 = NOR(b[j], t1)\n"
                                  "    t4 = NOR(t2, k)\n"
                                  "    t = NOR(t3, t4)\n"
                                  "    if j < w-1 { k = BUF(t) }\n"
                                  "  }\n"
                                  "  carry down s = t\n"
                                  "  for j in w-1 downto 0 {\n"
                                  "    if j > 0 { s = BUF(s) }\n"
                                  "    n = NOR(s@j, zero)\n"
                                  "    x1 = NOR(a[j], n)\n"
                                  "    x2 = NOR(b[j], s@j)\n"
                                  "    y1 = NOR(b[j], n)\n"
                                  "    y2 = NOR(a[j], s@j)\n"
                                  "    a[j] = NOR(x1, x2)\n"
                                  "    b[j] = NOR(y1, y2)\n"
                                  "  }\n"
                                  "  computes a == min(a, b), b == max(a, b)\n"
                                  "  expect NOR == 12*w, BUF == 2*w - 2, COPY == 2\n"
                                  "}\n";
static const struct damage two_results_damages[] = {
    {"results exchanged", "a[j] = NOR(x1, x2)\n    b[j] = NOR(y1, y2)",
     "b[j] = NOR(x1, x2)\n    a[j] = NOR(y1, y2)"},
    {"source overwritten too early", "    y2 = NOR(a[j], s@j)\n    a[j] = NOR(x1, x2)\n",
     "    a[j] = NOR(x1, x2)\n    y2 = NOR(a[j], s@j)\n"},
    {"one result not written", "    b[j] = NOR(y1, y2)\n", ""},
    {"both results the same", "b[j] = NOR(y1, y2)", "b[j] = NOR(x1, x2)"},
    {"choice inverted", "carry down s = t", "carry down s = t3"},
    {"choice never made", "carry down s = t", "carry down s = zero"},
    {"choice runs up", "carry down s", "carry s"},
    {"choice not handed on", "j > 0", "j > 1"},
    {"operands swapped", "y1 = NOR(b[j], n)", "y1 = NOR(a[j], n)"},
    {"wrong gate", "a[j] = NOR", "a[j] = OR"},
    {"carry not cleared", "carry k = zero", "carry k"},
    {"carry from the wrong value", "k = BUF(t)", "k = BUF(t4)"},
    {"low bound off by one", "downto 0", "downto 1"},
    {"high bound off by one", "0 .. w-1", "0 .. w-2"},
    {"section wrong", "n = NOR(s@j, zero)", "n = NOR(s@0, zero)"},
    {"one result in the head", "-> a, b", "-> a"},
    {"wrong only at one width", "x2 = NOR(b[j], s@j)",
     "if w == 33 && j == 20 || w == 34 { x2 = NOR(b[j], n) } else { x2 = NOR(b[j], s@j) }"},
    {"contract changed", "a == min(a, b)", "a == max(a, b)"},
    {"contract of the second changed", "b == max(a, b)", "b == max(s(a), s(b))"},
    {"expectation changed", "12*w", "11*w"},
};

/* --- gates that destroy, with presets --- */

static const char preset_target[] =
    "schema: 1\nname: own\nextends: racer\nops:\n"
    "  SET0: { out: d, fn: \"0\", energy: e_column }\n"
    "  SET1: { out: d, fn: \"1\", energy: e_column }\n"
    "  XNOR2: { in: [a, b], out: d, fn: \"d & !(a | b)\", energy: e_column,\n"
    "           where: \"section(a) == here && section(b) == here && section(d) == here\",\n"
    "           preset: { d: 1, by: SET1 } }\n";
static const char preset[] = "recipe AND(a, b) -> d   any w   needs XNOR2\n"
                             "{\n"
                             "  for j in 0 .. w-1 {\n"
                             "    x = XNOR2(a[j], zero)\n"
                             "    y = XNOR2(b[j], zero)\n"
                             "    d[j] = XNOR2(x, y)\n"
                             "  }\n"
                             "  computes d == a & b\n"
                             "  expect XNOR2 == 3*w, SET1 == 3*w\n"
                             "}\n";
static const struct damage preset_damages[] = {
    {"no preset", "preset: { d: 1, by: SET1 }", "preset: none"},
    {"preset to the wrong value", "preset: { d: 1, by: SET1 }", "preset: { d: 0, by: SET0 }"},
    {"preset by the wrong op", "{ d: 1, by: SET1 }", "{ d: 1, by: SET0 }"},
    {"preset by no op", "by: SET1 }", "by: SET2 }"},
    {"preset op that keeps", "out: d, fn: \"1\"", "out: d, fn: \"d\""},
    {"function inverted", "d & !(a | b)", "d & (a | b)"},
    {"function that drops an operand", "d & !(a | b)", "d & !a"},
    {"wrong gate", "x = XNOR2(a[j], zero)", "x = OR(a[j], zero)"},
    {"operand replaced", "XNOR2(x, y)", "XNOR2(x, x)"},
    {"constant replaced", "XNOR2(b[j], zero)", "XNOR2(b[j], one)"},
    {"operand left out", "XNOR2(x, y)", "XNOR2(x)"},
    {"crossing not declared", "XNOR2(b[j], zero)", "XNOR2(b[0], zero)"},
    {"scratch never made", "    y = XNOR2(b[j], zero)\n", ""},
    {"low bound off by one", "0 .. w-1", "1 .. w-1"},
    {"high bound off by one", "0 .. w-1", "0 .. w-2"},
    {"presets by hand as well", "    d[j] =", "    d[j] = SET1() d[j] ="},
    {"set instead of computed", "d[j] = XNOR2(x, y)", "d[j] = SET1()"},
    {"contract changed", "a & b", "a | b"},
    {"presets not counted", "SET1 == 3*w", "SET1 == 0"},
};

/* --- generic: logic that the mapping makes micro-ops of --- */

static const char generic[] =
    "recipe MIN(a, b) -> d   any w   generic\n"
    "{\n"
    "  carry k = 0\n"
    "  carry down s\n"
    "  for j in 0 .. w-1 {\n"
    "    if j < w-1 { k = maj(!a[j], b[j], k) } else { less = maj(!a[j], b[j], k) }\n"
    "  }\n"
    "  for j in w-1 downto 0 {\n"
    "    if j == w-1 { t = less } else { t = s }\n"
    "    s = t\n"
    "    d[j] = mux(t, a[j], b[j])\n"
    "  }\n"
    "  computes d == min(a, b)\n"
    "}\n";
static const struct damage generic_damages[] = {
    {"carry not cleared", "carry k = 0", "carry k"},
    {"operands swapped", "k = maj(!a[j], b[j], k)", "k = maj(!b[j], a[j], k)"},
    {"operands swapped in the last bit", "less = maj(!a[j], b[j], k)",
     "less = maj(!b[j], a[j], k)"},
    {"inversion lost", "k = maj(!a[j], b[j], k)", "k = maj(a[j], b[j], k)"},
    {"wrong function", "less = maj(!a[j], b[j], k)", "less = !a[j] & b[j]"},
    {"choice swapped", "mux(t, a[j], b[j])", "mux(t, b[j], a[j])"},
    {"choice replaced", "mux(t, a[j], b[j])", "mux(k@j, a[j], b[j])"},
    {"low bound off by one", "j in 0 .. w-1", "j in 1 .. w-1"},
    {"high bound off by one", "j in w-1 downto 0", "j in w-2 downto 0"},
    {"last result missing", "downto 0", "downto 1"},
    {"wrong direction", "carry down s", "carry s"},
    {"carry handed on once too little", "j < w-1 {", "j < w-2 {"},
    {"choice not handed on", "    s = t\n", ""},
    {"choice from the wrong value", "t = less", "t = k"},
    {"result not written", "d[j] = mux", "e = mux"},
    {"source written", "d[j] = mux", "a[j] = mux"},
    {"other position", "b[j], k) } else", "b[j+1], k) } else"},
    {"a gate in generic logic", "mux(t, a[j], b[j])", "NOR(a[j], b[j])"},
    {"wrong only at one width", "d[j] = mux(t, a[j], b[j])",
     "if w == 14 && j == 3 { d[j] = a[j] } else { d[j] = mux(t, a[j], b[j]) }"},
    {"contract changed", "min(a, b)", "min(s(a), s(b))"},
};

/* --- division --- */

static const char division[] = "recipe QDIV(a, b) -> d   any w   generic\n"
                               "{\n"
                               "  carry down z\n"
                               "  carry down v\n"
                               "  carry down l\n"
                               "  carry m\n"
                               "  carry c\n"
                               "  carry u\n"
                               "  for j in w-1 downto 0 {\n"
                               "    if j == w-1 {\n"
                               "      z = b[j]\n"
                               "    } else {\n"
                               "      above = z\n"
                               "      z = b[j] | z\n"
                               "    }\n"
                               "  }\n"
                               "  serial for k in 1 .. w {\n"
                               "    for j in w-k downto 0 {\n"
                               "      if j == w-k { next = a[j] } else { next = v }\n"
                               "      v = next\n"
                               "    }\n"
                               "    for j in 0 .. k-2 { m = rest }\n"
                               "    for j in 0 .. k-1 {\n"
                               "      if j == 0 { x = next } else { x = m@j }\n"
                               "      if j == 0 {\n"
                               "        borrow = !x & b[j]\n"
                               "        y = x ^ b[j]\n"
                               "      } else {\n"
                               "        borrow = maj(!x, b[j], c)\n"
                               "        y = x ^ b[j] ^ c\n"
                               "      }\n"
                               "      if j < k-1 {\n"
                               "        c = borrow\n"
                               "      } else if j < w-1 {\n"
                               "        less = borrow | above\n"
                               "      } else {\n"
                               "        less = borrow\n"
                               "      }\n"
                               "    }\n"
                               "    for j in k-1 downto 0 {\n"
                               "      if j == k-1 { stay = less } else { stay = l }\n"
                               "      l = stay\n"
                               "      if j == w-k { d[j] = !stay }\n"
                               "      if k < w { rest = mux(stay, x, y) }\n"
                               "    }\n"
                               "    for j in k-1 .. w-k {\n"
                               "      if j == k-1 { stay = less } else { stay = u }\n"
                               "      u = stay\n"
                               "      if j == w-k && j > k-1 { d[j] = !stay }\n"
                               "    }\n"
                               "  }\n"
                               "  computes d == a / b\n"
                               "}\n";
static const struct damage division_damages[] = {
    {"a round too few", "in 1 .. w {", "in 1 .. w-1 {"},
    {"a round too many", "in 1 .. w {", "in 0 .. w {"},
    {"first round left out", "in 1 .. w {", "in 2 .. w {"},
    {"remainder moves too little", "0 .. k-2 { m", "1 .. k-2 { m"},
    {"remainder not moved", "    for j in 0 .. k-2 { m = rest }\n", ""},
    {"subtraction too short", "for j in 0 .. k-1 {", "for j in 0 .. k-2 {"},
    {"wrong bit of the dividend", "next = a[j]", "next = a[0]"},
    {"borrow from the wrong operand", "borrow = maj(!x, b[j], c)", "borrow = maj(x, b[j], c)"},
    {"borrow ignored", "borrow = maj(!x, b[j], c)", "borrow = !x & b[j]"},
    {"borrow of the first bit", "borrow = !x & b[j]", "borrow = x & b[j]"},
    {"difference without borrow", "y = x ^ b[j] ^ c", "y = x ^ b[j]"},
    {"divisor's upper bits ignored", "less = borrow | above", "less = borrow"},
    {"divisor's upper bits off by one", "above = z", "above = z | b[j]"},
    {"choice swapped", "mux(stay, x, y)", "mux(stay, y, x)"},
    {"remainder always restored", "mux(stay, x, y)", "x"},
    {"remainder never restored", "mux(stay, x, y)", "y"},
    {"quotient inverted", "{ d[j] = !stay }", "{ d[j] = stay }"},
    {"quotient bit in the wrong place", "if j == w-k { d[j]", "if j == k-1 { d[j]"},
    {"upper quotient bits not written", "j > k-1 {", "j > k {"},
    {"carry down turned up", "carry down l", "carry l"},
    {"wrong only at one width", "y = x ^ b[j] ^ c",
     "if w == 12 && k == 11 { y = x ^ c } else { y = x ^ b[j] ^ c }"},
    {"contract changed", "a / b", "a % b"},
};

#define LIST(x) x, sizeof x / sizeof *x

const struct damaged_kind damaged_kinds[] = {
    {"bitwise", OP_XOR, 0, NULL, bitwise, LIST(bitwise_damages)},
    {"carry up", OP_ADD, 0, NULL, carry_up, LIST(carry_up_damages)},
    {"carry down", OP_RELU, 0, NULL, carry_down, LIST(carry_down_damages)},
    {"compare", OP_CMPLT, 0, NULL, compare, LIST(compare_damages)},
    {"mask", OP_ANDMASK_COND, 0, NULL, mask, LIST(mask_damages)},
    {"constant", OP_LI, -6, NULL, constant, LIST(constant_damages)},
    {"shift", OP_SHLI, 2, NULL, shift, LIST(shift_damages)},
    {"quadratic", OP_MUL, 0, NULL, quadratic, LIST(quadratic_damages)},
    {"two results", OP_CAS, 0, NULL, two_results, LIST(two_results_damages)},
    {"generic", OP_MIN, 0, NULL, generic, LIST(generic_damages)},
    {"division", OP_QDIV, 0, NULL, division, LIST(division_damages)},
    {"preset", OP_AND, 0, preset_target, preset, LIST(preset_damages)},
};
const size_t damaged_kind_count = sizeof damaged_kinds / sizeof *damaged_kinds;
