/* SPDX-License-Identifier: MIT
 * The mapping: what generic recipes cost on racer, that they compute what they say on other
 * targets too, how they are printed, and each way to misuse the notation. */
#include "made_up.h"
#include "text.h"

#include "recipe/map/map.h"
#include "recipe/set/set.h"
#include "support/pool.h"
#include "support/str.h"

struct fixture {
    struct diag *diag;
    struct target *racer;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    f->diag = diag_new(NULL, NULL);
    f->racer = open_racer(f->diag);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    target_free(f->racer);
    diag_free(f->diag);
    free(f);
    return 0;
}

static const struct target *racer(void **state) {
    return ((struct fixture *)*state)->racer;
}

static struct recipe_set *open_text(const struct target *t, const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open_with(t, "x.recipe", text, strlen(text), d);
    diag_flush(d);
    if (!s)
        fail_msg("%s\n%s", diag_first(d), text);
    diag_free(d);
    return s;
}

static struct insn insn_of(enum isa_op op, unsigned w) {
    const struct isa_info *info = isa_info(op);
    struct insn insn = {.op = op, .imm = 1};
    insn.rs = info->flags & (READS_RS | WRITES_RS) ? 1 : 0;
    insn.rt = info->flags & (READS_RT | WRITES_RT) ? 2 : 0;
    insn.rd = info->flags & (READS_RD | WRITES_RD) ? 3 : 0;
    insn.width = info->flags & ISA_WIDTH ? (uint8_t)w : 0;
    return insn;
}

/* --- what is got out of the logic --- */

#define HEAD(name, signature) "recipe " name signature "   any w   generic\n{\n"

struct sample {
    enum isa_op op;
    const char *text;
    unsigned logic_per_bit; /* at most */
    unsigned handover;      /* at most; 0: not looked at */
};

/* The results of opening a text have been checked at the widths of set.c, 1 to 64. */
static const struct sample samples[] = {
    {OP_ADD,
     HEAD("ADD", "(a, b) -> d") "carry c = 0\n"
                                "for j in 0 .. w-1 { d[j], c = full(a[j], b[j], c) }\n}\n",
     9, 3},
    {OP_SUB,
     HEAD("SUB", "(a, b) -> d") "carry c = 1\n"
                                "for j in 0 .. w-1 { d[j], c = full(a[j], !b[j], c) }\n}\n",
     9, 3},
    {OP_INC,
     HEAD("INC", "(a) -> d") "carry c = 1\n"
                             "for j in 0 .. w-1 { d[j] = a[j] ^ c; c = a[j] & c@j }\n}\n",
     5, 4},
    {OP_CMPLT,
     HEAD("CMPLT", "(a, b) -> C") "carry k = 0\n"
                                  "for j in 0 .. w-1 { k = maj(!a[j], b[j], k) }\n"
                                  "C = k\n}\n",
     5, 3},
    {OP_CMPNE,
     HEAD("CMPNE", "(a, b) -> C") "carry k = 0\n"
                                  "for j in 0 .. w-1 { k = k | a[j] ^ b[j] }\n"
                                  "C = k\n}\n",
     5, 2},
    {OP_MUX,
     HEAD("MUX", "(a, b, d) -> d") "for j in 0 .. w-1 { d[j] = mux(d[j], a[j], b[j]) }\n}\n", 4, 1},
    {OP_XOR, HEAD("XOR", "(a, b) -> d") "for j in 0 .. w-1 { d[j] = a[j] ^ b[j] }\n}\n", 4, 1},
    {OP_AND, HEAD("AND", "(a, b) -> d") "for j in 0 .. w-1 { d[j] = a[j] & b[j] }\n}\n", 3, 1},
    {OP_OR, HEAD("OR", "(a, b) -> d") "for j in 0 .. w-1 { d[j] = a[j] | b[j] }\n}\n", 1, 1},
    {OP_INV, HEAD("INV", "(a) -> d") "for j in 0 .. w-1 { d[j] = ~a[j] }\n}\n", 1, 1},
    {OP_CAS,
     HEAD("CAS", "(a, b) -> a, b") "carry k = 0\n"
                                   "for j in 0 .. w-1 { k = maj(!a[j], b[j], k) }\n"
                                   "carry down s = k\n"
                                   "for j in w-1 downto 0 {\n"
                                   "  x = mux(s, a[j], b[j]); b[j] = mux(s, b[j], a[j])\n"
                                   "  a[j] = x\n"
                                   "  s = s\n}\n}\n",
     12, 3},
    {OP_RELU,
     HEAD("RELU", "(a) -> d") "carry down s = a[w-1]\n"
                              "for j in w-1 downto 0 { s = s; d[j] = a[j] & !s@j }\n}\n",
     2, 1},
};

static void test_counts(void **state) {
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const struct sample *x = &samples[i];
        struct recipe_set *s = open_text(racer(state), x->text);
        struct insn insn = insn_of(x->op, 16);
        struct recipe_count n;
        assert_true(recipe_count(s, &insn, false, &n));
        assert_string_equal(recipe_origin(s, x->op), "generic");
        if (n.logic > (uint64_t)x->logic_per_bit * 16 || n.handover > x->handover)
            fail_msg("%s: %llu micro-ops of logic, handover %u", isa_info(x->op)->name,
                     (unsigned long long)n.logic, n.handover);
        recipe_set_free(s);
    }
}

/* A carry that is 1 while all bits agree costs AND and XNOR, which are dear where gates invert;
 * held inverted it costs what CMPNE does. */
static void test_phase(void **state) {
    static const char text[] = HEAD("CMPEQ", "(a, b) -> C") "carry k = 1\n"
                                                            "for j in 0 .. w-1 {\n"
                                                            "  k = k & !(a[j] ^ b[j])\n}\n"
                                                            "C = k\n}\n";
    struct recipe_set *s = open_text(racer(state), text);
    struct insn insn = insn_of(OP_CMPEQ, 16);
    struct recipe_count n;
    struct str out = {0};
    assert_true(recipe_count(s, &insn, false, &n));
    assert_true(n.logic <= 5 * 16 + 1);
    notation_print(s, recipe_of(s, OP_CMPEQ, NULL), &out);
    assert_non_null(strstr(str_text(&out), "carry not_k = zero"));
    str_free(&out);
    recipe_set_free(s);
}

/* --- notation --- */

static const char *const fine[] = {
    /* subs: registers and scratch as vectors, carries, numbers, bits */
    "sub SUMS(x, y, c) -> z generic {\n"
    "  for j in 0 .. w-1 { z[j], c = full(x[j], y[j], c) }\n}\n"
    "recipe ADD(a, b) -> d   any w   generic\n{\n"
    "  carry c = 0\n  v = SUMS(a, b, c)\n  carry e = 0\n"
    "  for j in 0 .. w-1 { n = 0 }\n  d = SUMS(v, n, e)\n"
    "}\n"
    "recipe SUB(a, b) -> d   any w   generic\n{\n"
    "  carry c = 1\n  for j in 0 .. w-1 { n = !b[j] }\n  d = SUMS(a, n, c)\n}\n",
    /* numbers decide */
    "sub LOGIC(x, y, kind) -> z generic {\n"
    "  if kind == 0 { z = x & y } else if kind == 1 { z = x | y } else { z = x ^ y }\n}\n"
    "recipe AND(a, b) -> d   any w   generic\n"
    "{ for j in 0 .. w-1 { let k = j-j; d[j] = LOGIC(a[j], b[j], 0) } }\n"
    "recipe OR(a, b) -> d   any w   generic\n"
    "{ for j in 0 .. w-1 { let k = 1; d[j] = LOGIC(a[j], b[j], k) } }\n",
    /* a sub's result may be its operand: it is read before */
    "sub HALF(x, y) -> s, c generic { s = x ^ y; c = x & y }\n"
    "recipe INC(a) -> d   any w   generic\n{\n"
    "  carry k = 1\n"
    "  for j in 0 .. w-1 { t = a[j]; t, k = HALF(t, k); d[j] = t }\n}\n",
    /* names change places */
    "recipe OR(a, b) -> d   any w   generic\n{\n"
    "  for j in 0 .. w-1 { x = a[j]; y = b[j] }\n"
    "  serial for r in 0 .. 2 { for j in 0 .. w-1 { t = x; x = y; y = t } }\n"
    "  for j in 0 .. w-1 { d[j] = (x ^ y) | (y & x) }\n}\n",
    /* registers, too */
    "recipe CAS(a, b) -> a, b   any w   generic\n{\n"
    "  for j in 0 .. w-1 { t = a[j]; a[j] = b[j]; b[j] = t }\n"
    "  carry k = 0\n"
    "  for j in 0 .. w-1 { k = maj(a[j], !b[j], k) }\n"
    "  carry down s = !k\n"
    "  for j in w-1 downto 0 {\n"
    "    t = mux(s, a[j], b[j]); b[j] = mux(s, b[j], a[j]); a[j] = t\n    s = s\n  }\n}\n",
    /* constants fold, and fewer inputs are used */
    "recipe XOR(a, b) -> d   any w   generic\n{\n"
    "  for j in 0 .. w-1 {\n"
    "    o = 1; z = a[j] & !a[j]\n"
    "    d[j] = mux(o, a[j] ^ b[j], 0) | maj(z, 0, b[j]) | (b[j] ^ b[j])\n  }\n}\n",
    /* more inputs than a block has */
    "recipe AND(a, b) -> d   any w   generic\n{\n"
    "  for j in 0 .. w-1 { x = !a[j]; y = !b[j]; e = a[j] ^ b[j]; f = a[j] | b[j]\n"
    "    at j { g = f }\n"
    "    d[j] = !(x | y) & !(e & x & y) & (f | e | x | y) & g & mux(e ^ x, 1, maj(f, x ^ g, y | f))\n"
    "  }\n}\n",
    /* C, M and valid */
    "recipe SETMASK(C) -> M   any w   generic { M = C & valid }\n"
    "recipe ANDMASK(a, M) -> M   any w   generic { x = a[0]; M = M & x & valid }\n"
    "recipe GETMASK(M) -> d   any w   generic { for j in 0 .. w-1 { d[j] = M } }\n"
    "recipe UNMASK() -> M   any w   generic { M = valid }\n"
    "recipe GETC(C) -> d   any w   generic\n"
    "{ for j in 0 .. w-1 { if j == 0 { x = C; d[j] = x } else { d[j] = 0 } } }\n"
    "recipe SETC(a) -> C   any w   generic { C = a[0] }\n",
    /* a carry begins with C, and one with an expression, in a loop and beside it */
    "recipe SETMASK(C) -> M   any w   generic { carry k = !C; carry l @ 0 = !k; M = l & valid }\n",
    "recipe CMPEQ(a, b) -> C   any w   generic\n{\n"
    "  for j in 0 .. w-1 {\n"
    "    if j == 0 { carry k = !(a[j] ^ b[j]); k = k } else { k = k & !(a[j] ^ b[j]) }\n  }\n"
    "  C = k\n}\n",
};

/* Everything is checked against the instruction when it is read. */
static void test_notation(void **state) {
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
        want_taken(racer(state), fine[i]);
}

/* --- misuse --- */

#define BODY(body)      "recipe ADD(a, b) -> d   any w   generic\n{\n" body "\n}\n", "3"
#define LAP(body)       BODY("for j in 0 .. w-1 { " body " }")
#define WITH(body, sub) BODY("for j in 0 .. w-1 { " body " }\n}\n" sub "\nsub T(x) generic {")

static const struct {
    const char *text, *line, *words;
} mistakes[] = {
    {LAP("d[j] = NOR(a[j], b[j])"), "a generic recipe is logic, not micro-ops: 'NOR'"},
    {LAP("d[j] = !NOR(a[j], b[j])"), "a generic recipe is logic, not micro-ops: 'NOR'"},
    {LAP("d[j] = mix(a[j], b[j], 0)"), "neither a function of logic nor a sub: 'mix'"},
    {LAP("d[j] = mux(a[j], b[j])"), "mux takes 3 operands, not 2"},
    {LAP("d[j] = maj(a[j], b[j], 0, 1)"), "maj takes 3 operands, not 4"},
    {LAP("d[j] = full(a[j], b[j], 0)"), "full has two results"},
    {LAP("d[j], c = a[j] & b[j]"), "logic has one result"},
    {LAP("d[j] = !full(a[j], b[j], 0)"), "'s, c = full(x, y, z)' is a statement of its own"},
    {LAP("full(a[j], b[j], 0)"), "its result goes nowhere"},
    {LAP("d[j] = a[j] + b[j]"), "logic is made of 0, 1, bits, ! & | ^"},
    {LAP("d[j] = a[j] == b[j]"), "logic is made of 0, 1, bits, ! & | ^"},
    {LAP("d[j] = a[j] & 2"), "the only numbers in logic are 0 and 1"},
    {LAP("d[j] = a[j] & w"), "logic is made of bits, and this is a number: 'w'"},
    {LAP("d[j] = a[j] & zero"), "logic says 0 and 1, not 'zero'"},
    {LAP("d[j] = a[j] & j"), "'j' is a number: decide on it with 'if'"},
    {LAP("d[j] = a[j] & b"), "'b' is a register: say which bit"},
    {LAP("d[j] = a[j+1]"), "'a' at another position than the one at work"},
    {LAP("t = a[j]; d[j] = t[j-1]"), "'t' at another position than the one at work"},
    {LAP("d[j] = a[j] & a[0]"), "'a' may be at another position than the one at work"},
    {LAP("if j == 0 { d[j] = a[0] } else { d[j] = a[j] }"), "'a' may be at another position"},
    {LAP("t = a[j]; d[j] = t & t[0]"), "'t' may be at another position"},
    {LAP("t = a[j]; d[0] = t"), "'d' may be at another position"},
    {LAP("t = a[j]; t[w-1] = a[j]; d[j] = t"), "'t' may be at another position"},
    {BODY("carry c = 0; for j in 0 .. w-1 { c = c@(j-1) }"), "'c' at another position"},
    {LAP("d[j] = C@j"), "'@' goes with carries and scratch names, not with 'C'"},
    {LAP("C[j] = a[j]"), "'C' is one bit, not a register"},
    {LAP("valid = a[j]"), "'valid' cannot be written"},
    {LAP("j = a[j]"), "'j' is a number"},
    {LAP("d[j] = t"), "nothing here is called 't'"},
    {LAP("let x = a[j]; d[j] = x"), "'let' names numbers here"},
    {BODY("carry c = 0; for j in 0 .. w-1 { c@j = a[j] }"), "a carry is handed to the neighbour"},
    {BODY("carry c = 0; for c in 0 .. w-1 { d[c] = a[c] }"), "'c' is already something else"},
    {BODY("for j in 0 .. w-1 { d[j] = a[j] } expect logic == 0"),
     "a generic recipe has no 'expect'"},
    {WITH("d[j] = S(a[j] | b[j], b[j])", "sub S(x, y) -> z generic { z = x & y }"),
     "an operand of a sub is a place or a number"},
    {WITH("d[j] = S(a[j])", "sub S(x, y) -> z generic { z = x & y }"),
     "sub 'S' takes 2 operands, not 1"},
    {WITH("d[j], t = S(a[j], b[j])", "sub S(x, y) -> z generic { z = x & y }"),
     "sub 'S' has 1 results, not 2"},
    {WITH("d[j] = !S(a[j], b[j])", "sub S(x, y) -> z generic { z = x & y }"),
     "the call of a sub is a statement of its own"},
    {WITH("d[j] = S(a[j], b[j])", "sub S(x, y) -> z { z = NOR(x, y) }"),
     "a generic recipe calls generic subs, and this one is not: 'S'"},
};

static void test_mistakes(void **state) {
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        if (!is_refused(racer(state), mistakes[i].text, mistakes[i].line, mistakes[i].words))
            fail_msg("mistake %zu", i);
    want_refused(racer(state),
                 "recipe ADD(a, b) -> d   any w   needs NOR\n{\n"
                 "for j in 0 .. w-1 { d[j] = S(a[j], b[j]) }\n}\n"
                 "sub S(x, y) -> z generic { z = x & y }\n",
                 "3:28", "only generic recipes call the generic sub 'S'");
    want_refused(racer(state),
                 "recipe INV(a) -> d   any w   generic { S(a) }\n"
                 "sub S(x) generic { S(x) }\n",
                 "2:20", "INV: subs call one another more than 16 deep: 'S' calls itself?");
    /* What is only seen in the mapped recipe is reported at the generic one. */
    want_refused(racer(state),
                 "recipe OR(a, b) -> d   any w   generic\n{\n  for j in 0 .. w-1 {\n"
                 "    if j > 1 { d[j] = b[j] | a[0] } else { d[j] = a[j] | b[j] }\n  }\n}\n",
                 "4:30", "only carries move values");
    want_refused(racer(state),
                 "recipe ADD(a, b) -> d   any w   generic\n{\n"
                 "  for j in 0 .. w-1 {\n    d[j] = a[j] & b[j]\n  }\n}\n",
                 "1:8", "ADD");
}

/* Subs that double the text at each level end in a message, not in memory. */
static void test_explosion(void **state) {
    struct str text = {0};
    str_append(&text, "recipe INV(a) -> d   any w   generic { S0(a) }\n");
    for (int i = 0; i < 15; i++)
        str_printf(&text, "sub S%d(x) generic { S%d(x); S%d(x); S%d(x) }\n", i, i + 1, i + 1,
                   i + 1);
    str_append(&text, "sub S15(x) generic { t = x[0] }\n");
    char message[400];
    assert_false(takes(racer(state), str_text(&text), message, sizeof message));
    assert_non_null(strstr(message, "more than 16384 statements with all subs in place"));
    str_free(&text);
}

/* --- printing --- */

static bool is_quick(enum isa_op op) {
    const char *name = isa_info(op)->name;
    return !strstr(name, "DIV") && !strstr(name, "MOD") && !strstr(name, "REM");
}

/* The same micro-ops on the same planes. */
static void same_micro_ops(const struct recipe_set *s, const struct recipe *a,
                           const struct recipe *b) {
    struct uop_list x = {0}, y = {0};
    struct insn insn = insn_of(a->op, 13);
    assert_true(recipe_expand_with(s, a, &insn, false, &x, NULL));
    assert_true(recipe_expand_with(s, b, &insn, false, &y, NULL));
    assert_int_equal(x.len, y.len);
    for (size_t i = 0; i < x.len; i++) {
        assert_int_equal(x.data[i].kind, y.data[i].kind);
        assert_memory_equal(x.data[i].src, y.data[i].src, sizeof x.data[i].src);
        assert_memory_equal(x.data[i].dst, y.data[i].dst, sizeof x.data[i].dst);
    }
    vec_free(&x);
    vec_free(&y);
}

/* Printed, read, and printed again. */
static void check_round_trip(struct recipe_set *s, const struct recipe *c) {
    struct str text = {0}, again = {0};
    notation_print(s, c, &text);
    const struct recipe *r = read_again(s, str_text(&text));
    notation_print(s, r, &again);
    assert_string_equal(str_text(&again), str_text(&text));
    if (!c->unit.generic)
        same_micro_ops(s, c, r);
    str_free(&text);
    str_free(&again);
}

static void check_all_round_trips(const struct target *t, bool only_generic) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = only_generic ? recipe_set_open_mapped(t, d) : recipe_set_open(t, d);
    unsigned count = 0;
    for (enum isa_op op = 0; op < OP_COUNT; op++) {
        if (!recipe_chosen(s, op))
            continue;
        const struct recipe *gates = recipe_of(s, op, d);
        assert_non_null(gates);
        check_round_trip(s, gates);
        if (gates != recipe_chosen(s, op))
            check_round_trip(s, recipe_chosen(s, op));
        count++;
    }
    assert_true(count > 60);
    recipe_set_free(s);
    diag_free(d);
}

static void test_print(void **state) {
    check_all_round_trips(racer(state), true);  /* generic and mapped */
    check_all_round_trips(racer(state), false); /* hand-written */
}

/* What may stand in a mapped recipe may not stand in others. */
static void test_mapped_head(void **state) {
    static const char text[] = "recipe INC(a) -> d   any w   mapped for racer\n{\n"
                               "  carry c = one\n"
                               "  for j in 0 .. w-1 {\n"
                               "    t1 = NOR(a[j], c)\n    t2 = NOR(a[j], t1)\n"
                               "    t3 = NOR(c, t1)\n    t4 = OR(t1, t2)\n    t5 = NOR(t4, zero)\n"
                               "    d[j] = OR(t2, t3)\n    x = NOR(t1, d[j])\n    c = x\n  }\n}\n";
    want_taken(racer(state), text);
    char other[sizeof text];
    strcpy(other, text);
    memcpy(strstr(other, "mapped"), "      ", 6);
    want_refused(racer(state), other, "12:9", "expected a micro-op or a sub");
    want_refused(racer(state), "recipe INC(a) -> d   any w   mapped needs NOR\n{\n}\n", "1:37",
                 "expected 'for'");
}

/* --- other targets --- */

/* One section, one gate that needs its result preset, and no row of constants. */
static const char nand_yaml[] = YAML(
    "",
    "  SET0: { out: d, fn: \"0\", energy: e, where: \"" ROW(
        "d") "\" }\n"
             "  NAND: { in: [a, b], out: d, fn: \"d | !(a & b)\", preset: { d: 0, by: SET0 },\n"
             "    energy: e, where: \"" ROW("a") " && " ROW("b") " && " ROW("d") "\" }\n" MOVES);

/* Majority and inversion. */
static const char majority_yaml[] =
    YAML(CONSTANTS, "  MAJ: { in: [a, b, c], out: d, fn: \"maj(a, b, c)\", time: \"2*t\",\n"
                    "    energy: e, where: \"" ROW("a") " && " ROW("b") " && " ROW("c") " && " ROW(
                        "d") "\" }\n"
                             "  NOT: { in: [a], out: d, fn: \"!a\", energy: e,\n"
                             "    where: \"" ROW("a") " && " ROW("d") "\" }\n" MOVES);

static const uint8_t widths[] = {1, 2, 3, 5, 8, 13};

/* Under sanitizers every third instruction. */
#ifdef MPU_SANITIZED
enum { EVERY = 3 };
#else
enum { EVERY = 1 };
#endif

/* Every generic recipe of the library. */
static void check_target(const char *yaml) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_yaml(yaml);
    struct recipe_set *s = recipe_set_open_mapped(t, d);
    if (!s)
        fail_msg("%s", diag_first(d));
    unsigned count = 0;
    for (enum isa_op op = 0; op < OP_COUNT; op += EVERY) {
        if (!recipe_chosen(s, op))
            continue;
        const struct recipe *c = recipe_of(s, op, d);
        if (!c || !recipe_check(s, c, widths, sizeof widths - !is_quick(op), d)) {
            diag_flush(d);
            fail_msg("%s", diag_first(d));
        }
        count++;
    }
    assert_true(count > 60 / EVERY);
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

static void test_other_targets(void **state) {
    (void)state;
    check_target(nand_yaml);
    check_target(majority_yaml);
}

static void print_all(const struct target *t, struct pool *pool, struct str *text) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open_mapped(t, d);
    recipe_set_search_on(s, pool);
    for (enum isa_op op = 0; op < OP_COUNT; op += EVERY)
        if (recipe_chosen(s, op))
            notation_print(s, recipe_of(s, op, d), text);
    recipe_set_free(s);
    diag_free(d);
}

/* What is searched ahead on several threads is what would be found one after the other. */
static void test_threads(void **state) {
    (void)state;
    struct target *t = open_yaml(nand_yaml);
    struct pool *pool = pool_new(3);
    struct str alone = {0}, together = {0};
    print_all(t, NULL, &alone);
    print_all(t, pool, &together);
    assert_true(alone.len > 10000 / EVERY);
    assert_string_equal(str_text(&alone), str_text(&together));
    str_free(&alone);
    str_free(&together);
    pool_free(pool);
    target_free(t);
}

/* A gate set that is not complete: which instruction, and what it lacks. */
static void test_incomplete(void **state) {
    (void)state;
    static const char yaml[] =
        YAML(CONSTANTS, "  OR: { in: [a, b], out: d, fn: \"a | b\", energy: e }\n"
                        "  AND: { in: [a, b], out: d, fn: \"a & b\", energy: e }\n");
    struct target *t = open_yaml(yaml);
    want_taken(t, HEAD("AND", "(a, b) -> d") "for j in 0 .. w-1 { d[j] = a[j] & b[j] }\n}\n");
    want_refused(t, HEAD("XOR", "(a, b) -> d") "for j in 0 .. w-1 { d[j] = a[j] ^ b[j] }\n}\n",
                 "1:8", "XOR: the micro-ops of target 'made-up' cannot make !x");
    target_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),      cmocka_unit_test(test_phase),
        cmocka_unit_test(test_notation),    cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_explosion),   cmocka_unit_test(test_print),
        cmocka_unit_test(test_mapped_head), cmocka_unit_test(test_other_targets),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_incomplete),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
