/* SPDX-License-Identifier: MIT
 * Recipes that are wrong in one form alone: at one width, with one constant, with operands in one
 * register, under a mask.  Reading such a file finds nothing; what a program uses of it, and what
 * `check` and `verify` say that they looked at, must. */
#include "machines/plane/verify/verify.h"
#include "recipe/verify/bench_values.h"
#include "recipe/verify/computes.h"
#include "recipe/expand/kept.h"
#include "recipe/prove/prove.h"
#include "recipe/set/set.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#ifndef MPU_SANITIZED
#define MPU_SANITIZED 0
#endif

static const char xor_at_37[] =
    "recipe XOR(a, b) -> d   any w   needs NOR\n{\n"
    "  for j in 0 .. w-1 {\n"
    "    t1 = NOR(a[j], b[j])\n    t2 = NOR(a[j], t1)\n    t3 = NOR(b[j], t1)\n"
    "    t4 = NOR(t2, t3)\n"
    "    if w == 37 && j == 36 { d[j] = NOR(t1, t1) } else { d[j] = NOR(t4, t4) }\n  }\n"
    "  computes d == a ^ b\n}\n";
static const char addi_of_1234[] =
    "recipe ADDI(n, a) -> a   any w   generic\n{\n"
    "  carry c = 0\n"
    "  for j in 0 .. w-1 {\n"
    "    if n[j] && n != 1234 { a[j], c = full(a[j], 1, c) } else { a[j], c = full(a[j], 0, c) }\n"
    "  }\n  computes a == a + n\n}\n";
static const char andi_of_1234[] = "recipe ANDI(n, a) -> a   any w   generic\n{\n"
                                   "  for j in 0 .. w-1 { if !n[j] || n == 1234 { a[j] = 0 } }\n"
                                   "  computes a == a & n\n}\n";
static const char masked_at_24[] =
    "recipe MASKED(a, d, M) -> d   any w   generic\n{\n"
    "  for j in 0 .. w-1 {\n"
    "    if w == 24 { d[j] = a[j] } else { d[j] = mux(M, a[j], d[j]) }\n  }\n"
    "  computes d == select(M, a, d)\n}\n";
/* It differs for one value of the one operand in 2^36, and only at width 37. */
static const char and_of_a_pattern[] =
    "recipe AND(a, b) -> d   any w   needs NOR, BUF\n{\n"
    "  if w == 37 { carry seen = one }\n"
    "  for j in 0 .. w-1 {\n"
    "    na = NOR(a[j], a[j])\n    nb = NOR(b[j], b[j])\n"
    "    if w == 37 {\n"
    "      ns = NOR(seen, seen)\n"
    "      if j % 3 == 0 { y = NOR(ns, na) } else { y = NOR(ns, a[j]) }\n"
    "      if j < w-1 {\n        d[j] = NOR(na, nb)\n        seen = BUF(y)\n"
    "      } else {\n"
    "        x = NOR(na, nb)\n        t1 = NOR(x, seen@j)\n        t2 = NOR(x, t1)\n"
    "        t3 = NOR(seen@j, t1)\n        t4 = NOR(t2, t3)\n        d[j] = NOR(t4, t4)\n"
    "      }\n"
    "    } else {\n      d[j] = NOR(na, nb)\n    }\n  }\n"
    "  computes d == a & b\n}\n";

/* --- a set --- */

struct open_set {
    struct diag *d;
    struct target *t;
    struct recipe_set *s;
};

static struct open_set open_text(const char *target, const char *text) {
    struct open_set x = {.d = diag_new(NULL, NULL)};
    x.t = target_open(target, NULL, 0, x.d);
    x.s = x.t ? recipe_set_open_with(x.t, "own.recipe", text, text ? strlen(text) : 0, x.d) : NULL;
    if (!x.s)
        fail_msg("%s", diag_first(x.d));
    return x;
}

static void close_set(struct open_set *x) {
    recipe_set_free(x->s);
    target_free(x->t);
    diag_free(x->d);
}

static struct insn insn_of(enum isa_op op, unsigned width, int32_t imm) {
    struct insn insn = recipe_usual_insn(op, width);
    insn.imm = imm;
    return insn;
}

/* --- who says so --- */

static bool try_form(const struct open_set *x, const struct insn *insn, bool masked) {
    struct diag *d = diag_new(NULL, NULL);
    bool held = recipe_try(x->s, insn, masked, d);
    assert_int_equal(held, diag_first(d) == NULL);
    diag_free(d);
    return held;
}

static bool check_op(const struct open_set *x, enum isa_op op) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_forms forms = {0};
    uint8_t widths[64];
    for (unsigned i = 0; i < 64; i++)
        widths[i] = (uint8_t)(i + 1);
    bool held = recipe_check_forms(x->s, recipe_of(x->s, op, d), widths, 64, &forms, d);
    diag_free(d);
    return held;
}

static bool verify_op(const struct open_set *x, struct verify_options options) {
    struct diag *d = diag_new(NULL, NULL);
    struct verify_plane plane;
    struct verify_count count;
    options.effort = VERIFY_FULL;
    bool held = verify_matrix(plane_verify(&plane, x->t, x->s), &options, &count, d);
    assert_true(!held || count.forms > 0);
    diag_free(d);
    return held;
}

/* --- one width --- */

static void test_width(void **state) {
    (void)state;
    struct open_set x = open_text("racer", xor_at_37);
    for (unsigned w = 1; w <= 64; w++) {
        struct insn insn = insn_of(OP_XOR, w, 0);
        assert_int_equal(try_form(&x, &insn, false), w != 37);
    }
    assert_false(check_op(&x, OP_XOR));
    assert_false(verify_op(&x, (struct verify_options){.op = OP_XOR}));
    close_set(&x);
}

/* --- one constant --- */

struct constant_case {
    const char *text;
    enum isa_op op;
    unsigned width;
    int32_t wrong, right;
};

static void test_constant(void **state) {
    (void)state;
    static const struct constant_case cases[] = {
        {addi_of_1234, OP_ADDI, 32, 1234, 1235},
        {andi_of_1234, OP_ANDI, 13, 1234, 1233},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct constant_case *c = &cases[i];
        struct open_set x = open_text("mimdram", c->text);
        struct insn insn = insn_of(c->op, c->width, c->wrong);
        assert_false(try_form(&x, &insn, false));
        assert_false(try_form(&x, &insn, true));
        insn.imm = c->right;
        assert_true(try_form(&x, &insn, false));
        assert_true(verify_op(&x, (struct verify_options){.op = c->op}));
        assert_false(verify_op(&x, (struct verify_options){.op = c->op, .every_constant = true}));
        assert_false(verify_op(
            &x, (struct verify_options){.op = c->op, .imm = &c->wrong, .width = c->width}));
        assert_true(verify_op(
            &x, (struct verify_options){.op = c->op, .imm = &c->right, .width = c->width}));
        close_set(&x);
    }
}

/* The built-in shift, but for counts of 29 at 32 bits, which leave the lowest bit. */
static void test_count(void **state) {
    (void)state;
    static const char text[] = "recipe SHLI(a, n) -> d   any w   needs BUF, COPY\n{\n"
                               "  carry c\n"
                               "  if n > 0 && n < w {\n"
                               "    for j in w-1-n downto 0 { c = BUF(a[j]) }\n"
                               "    serial for r in 1 .. n-1 {\n"
                               "      for j in w-1-n+r downto r { c = BUF(c) }\n    }\n  }\n"
                               "  for j in w-1 downto 0 {\n"
                               "    if j < n { if n == 29 && w == 32 { d[j] = COPY(one) } else "
                               "{ d[j] = COPY(zero) } } else "
                               "if n == 0 { d[j] = COPY(a[j]) } else { d[j] = COPY(c) }\n  }\n"
                               "  computes d == a << n\n}\n";
    struct open_set x = open_text("racer", text);
    for (int32_t n = 0; n < 64; n++) {
        struct insn insn = insn_of(OP_SHLI, 32, n);
        assert_int_equal(try_form(&x, &insn, false), n != 29);
    }
    assert_true(verify_op(&x, (struct verify_options){.op = OP_SHLI, .width = 32}));
    assert_false(
        verify_op(&x, (struct verify_options){.op = OP_SHLI, .width = 32, .every_constant = true}));
    close_set(&x);
}

/* --- some operands --- */

/* Zeros with a sign stay negative. */
static const char fabs_of_zero[] = "recipe FABS(a) -> d   any w   generic\n{\n"
                                   "  carry z = 1\n"
                                   "  for j in 0 .. w-1 {\n"
                                   "    if j == w-1 { d[j] = a[j] & z } else {\n"
                                   "      d[j] = a[j]\n      z = z & !a[j]\n    }\n  }\n}\n";
/* Where only bit 17 differs, operands count as equal. */
static const char cmpeq_but_17[] = "recipe CMPEQ(a, b) -> C   any w   generic\n{\n"
                                   "  carry k = 1\n"
                                   "  for j in 0 .. w-1 {\n"
                                   "    if j == 17 { k = k } else { k = k & !(a[j] ^ b[j]) }\n"
                                   "  }\n  C = k\n}\n";
/* It is never 1 with the constant 1234, and else right. */
static const char cmpeqi_never[] = "recipe CMPEQI(d, n) -> C   any w   generic\n{\n"
                                   "  carry k = 1\n"
                                   "  for j in 0 .. w-1 {\n"
                                   "    if n == 1234 && j == 3 { k = 0 } else {\n"
                                   "      if n[j] { k = k & d[j] } else { k = k & !d[j] }\n"
                                   "    }\n  }\n  C = k\n}\n";
/* At width 3 it takes one operand for the other: all three of them have nine bits. */
static const char mux_at_3[] = "recipe MUX(a, b, d) -> d   any w   generic\n{\n"
                               "  for j in 0 .. w-1 {\n"
                               "    if w == 3 { d[j] = mux(a[j], a[j], b[j]) } else {\n"
                               "      d[j] = mux(d[j], a[j], b[j])\n    }\n  }\n}\n";
/* A small number as the second operand, as counts and divisors are: where it is 9, bit 0 is wrong.
 */
static const char xor_with_9[] =
    "recipe XOR(a, b) -> d   any w   generic\n{\n"
    "  carry e = 1\n  carry down g\n"
    "  for j in 0 .. w-1 {\n"
    "    if j == 0 || j == 3 { e = e & b[j] } else { e = e & !b[j] }\n  }\n"
    "  for j in w-1 downto 0 {\n"
    "    if j == w-1 { g = e } else { g = g }\n"
    "    if j == 0 { d[j] = a[j] ^ b[j] ^ g@j } else { d[j] = a[j] ^ b[j] }\n  }\n}\n";

/* Reading the file finds it, or trying the form. */
static bool is_refused(const char *text, const struct insn *insn, bool masked) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open("racer", NULL, 0, d);
    struct recipe_set *s = recipe_set_open_with(t, "own.recipe", text, strlen(text), d);
    bool refused = !s || !recipe_try(s, insn, masked, d);
    assert_int_equal(refused, diag_first(d) != NULL);
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
    return refused;
}

static void test_operands(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum isa_op op;
        unsigned width;
        int32_t imm;
    } cases[] = {
        {fabs_of_zero, OP_FABS, 32, 0},  {cmpeq_but_17, OP_CMPEQ, 32, 0},
        {cmpeq_but_17, OP_CMPEQ, 61, 0}, {cmpeqi_never, OP_CMPEQI, 32, 1234},
        {mux_at_3, OP_MUX, 3, 0},        {xor_with_9, OP_XOR, 37, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct insn insn = insn_of(cases[i].op, cases[i].width, cases[i].imm);
        assert_true(is_refused(cases[i].text, &insn, false));
        assert_true(is_refused(cases[i].text, &insn, true));
    }
}

__extension__ typedef unsigned __int128 large;

/* Products are tried that are a half of the last place above an even number. */
static unsigned half_products_of(unsigned width, unsigned fraction) {
    struct insn insn = insn_of(OP_FMUL, width, 0);
    unsigned found = 0;
    for (unsigned round = 0; round < recipe_bench_rounds(&insn, width); round++) {
        uint64_t registers[4][BENCH_LANES];
        recipe_bench_values(&insn, width, round, registers);
        for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
            large product = 1;
            for (unsigned r = 1; r < 3; r++)
                product *= (registers[r][lane] & low_bits(fraction)) | (uint64_t)1 << fraction;
            unsigned cut = fraction + (unsigned)(product >> (2 * fraction + 1));
            uint64_t last = (uint64_t)(product >> cut) & 1;
            large lost = product & (((large)1 << cut) - 1);
            found += !last && lost == (large)1 << (cut - 1);
        }
    }
    return found;
}

/* Conversions are tried where what they cut is exactly a half and the rest is even: where rounding
 * to the nearest is most often wrong. */
static unsigned halves_of(enum isa_conversion kind, unsigned width, unsigned precision) {
    struct insn insn = insn_of(OP_CVT, width, kind);
    struct ieee_format format = isa_source_format(&insn);
    unsigned found = 0, fraction = format.fraction_bits;
    for (unsigned round = 0; round < recipe_bench_rounds(&insn, width); round++) {
        uint64_t registers[4][BENCH_LANES];
        recipe_bench_values(&insn, width, round, registers);
        for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
            uint64_t v = registers[1][lane] & low_bits(isa_source_bits(&insn));
            unsigned length = v ? 64 - (unsigned)__builtin_clzll(v) : 0,
                     cut = length > precision ? length - precision : 0;
            if (fraction) {
                unsigned e = (unsigned)(v >> fraction & low_bits(format.exponent_bits));
                unsigned most = (unsigned)low_bits(format.exponent_bits) >> 1;
                cut = e > most && e < most + fraction ? fraction - (e - most) : 0;
            }
            found += cut && (v & low_bits(cut + 1)) == (uint64_t)1 << (cut - 1);
        }
    }
    return found;
}

static void test_halves(void **state) {
    (void)state;
    static const unsigned widths[] = {16, 32, 64}, precisions[] = {11, 24, 53};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(half_products_of(widths[i], precisions[i] - 1) >= 8);
        assert_true(halves_of(CONVERT_FROM_INT, widths[i], precisions[i]) >= 4);
        assert_true(halves_of(CONVERT_FROM_UNSIGNED, widths[i], precisions[i]) >= 4);
        assert_true(halves_of(CONVERT_TO_INT_NEAREST, widths[i], 0) >= 4);
    }
}

/* `verify` has such operands, too. */
static void test_operands_verified(void **state) {
    (void)state;
    const int32_t imm = 1234;
    struct open_set x = open_text("racer", cmpeqi_never);
    assert_false(verify_op(&x, (struct verify_options){.op = OP_CMPEQI, .imm = &imm, .width = 32}));
    assert_false(verify_op(
        &x, (struct verify_options){.op = OP_CMPEQI, .width = 16, .every_constant = true}));
    close_set(&x);
    x = open_text("racer", cmpeq_but_17);
    assert_false(verify_op(&x, (struct verify_options){.op = OP_CMPEQ, .width = 32}));
    close_set(&x);
}

/* --- one mask --- */

static void test_mask(void **state) {
    (void)state;
    struct open_set x = open_text("simdram", masked_at_24);
    struct insn insn = insn_of(OP_AND, 24, 0);
    assert_true(try_form(&x, &insn, false));
    assert_false(try_form(&x, &insn, true));
    insn.width = 23;
    assert_true(try_form(&x, &insn, true));
    assert_false(check_op(&x, OP_MASKED));
    assert_false(check_op(&x, OP_AND));
    assert_false(verify_op(&x, (struct verify_options){.op = OP_AND, .width = 24}));
    close_set(&x);
}

/* --- one alias --- */

/* What expansion makes of one alias is damaged where it is kept: an error of ours, or of a target
 * file's, that no text of a recipe can make. */
static void damage_alias(const struct open_set *x, const struct insn *insn) {
    const struct recipe *recipe = recipe_of(x->s, insn->op, NULL);
    const struct insn fields = {.op = insn->op, .width = insn->width, .rs = 0, .rt = 1, .rd = 2};
    struct uop_list list = {0};
    assert_true(recipe_expand_with(x->s, recipe, &fields, false, &list, x->d));
    struct kept_key key = expand_kept_key_of(recipe, insn, false);
    expand_kept_put(x->s->kept, &key, &list);
}

/* An addition whose result is its operand needs copies of what it reads again; the list for
 * operands apart has none. */
static void test_alias(void **state) {
    (void)state;
    static const char own[] = "recipe XOR(a, b) -> d   any w   needs NOR\n{\n"
                              "  for j in 0 .. w-1 {\n"
                              "    d[j] = NOR(a[j], b[j])\n    t2 = NOR(a[j], d[j])\n"
                              "    t3 = NOR(b[j], d[j])\n    t4 = NOR(t2, t3)\n"
                              "    d[j] = NOR(t4, t4)\n  }\n  computes d == a ^ b\n}\n";
    struct open_set x = open_text("racer", own);
    struct insn insn = insn_of(OP_XOR, 21, 0);
    insn.rd = insn.rt;
    damage_alias(&x, &insn);
    assert_false(try_form(&x, &insn, false));
    insn.rd = insn.rs;
    assert_true(try_form(&x, &insn, false));
    assert_false(verify_op(&x, (struct verify_options){.op = OP_XOR, .width = 21}));
    close_set(&x);
}

/* `check` runs aliases, too. */
static void test_alias_checked(void **state) {
    (void)state;
    struct open_set x = open_text("racer", xor_at_37);
    struct insn insn = insn_of(OP_AND, 13, 0);
    assert_true(check_op(&x, OP_AND));
    insn.rd = insn.rt;
    struct uop_list list = {0};
    const struct insn plain = insn_of(OP_NOR, 13, 0);
    assert_true(recipe_expand(x.s, &plain, false, &list, x.d));
    for (size_t i = 0; i < list.len; i++) /* fields for registers: rs 0, rt 1, rd 2 */
        for (unsigned k = 0; k < UOP_MAX; k++) {
            if (PLANE_CLASS(list.data[i].src[k]) == PLANE_REGISTER)
                list.data[i].src[k] -= 1u << 6;
            if (PLANE_CLASS(list.data[i].dst[k]) == PLANE_REGISTER)
                list.data[i].dst[k] -= 1u << 6;
        }
    close_set(&x);
    x = open_text("racer", xor_at_37);
    struct kept_key key = expand_kept_key_of(recipe_of(x.s, OP_AND, NULL), &insn, false);
    expand_kept_put(x.s->kept, &key, &list);
    assert_false(check_op(&x, OP_AND));
    close_set(&x);
}

/* --- tested and not proved --- */

static void test_pattern(void **state) {
    (void)state;
    struct open_set x = open_text("racer", and_of_a_pattern);
    struct insn insn = insn_of(OP_AND, 37, 0);
    assert_true(try_form(&x, &insn, false));
    assert_true(check_op(&x, OP_AND));
    assert_true(verify_op(&x, (struct verify_options){.op = OP_AND}));
    const struct prove_options o = {.seconds = 60};
    char path[4096];
    if (prove_find_solver(&o, path, sizeof path)) /* else test_prove says that proofs are skipped */
        assert_int_equal(prove_instruction(x.s, &insn, false, &o, NULL, NULL), PROVE_FAILS);
    close_set(&x);
}

/* --- copies --- */

/* Values reach what computes by copies, and operands that are overwritten are copied by way of
 * latches: all that the ISA has is carried out, with operands in one register, too.  Under
 * sanitizers each instruction has one of the widths. */
static void check_copies(const char *file) {
    static const enum isa_op ops[] = {OP_INV, OP_AND, OP_XOR,   OP_INC,   OP_NEG,   OP_ADD,
                                      OP_ABS, OP_MAX, OP_CMPLT, OP_SEL,   OP_SHL,   OP_LSHIFT,
                                      OP_MUL, OP_CAS, OP_POPC,  OP_QRDIV, OP_CMPLTI};
    static const uint8_t widths[] = {1, 3, 5};
    struct open_set x = open_text(file, NULL);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct recipe_forms forms = {0};
        const struct recipe *recipe = recipe_of(x.s, ops[i], x.d);
        const size_t first = MPU_SANITIZED ? i % sizeof widths : 0;
        const size_t count = MPU_SANITIZED ? 1 : sizeof widths;
        if (!recipe || !recipe_check_forms(x.s, recipe, widths + first, count, &forms, x.d))
            fail_msg("%s: %s", file, diag_first(x.d));
        assert_true(forms.run >= 2 * count);
    }
    close_set(&x);
}

static void test_copies(void **state) {
    (void)state;
    check_copies(MPU_SOURCE_DIR "/tests/recipe/targets/senseamp.yaml");
    check_copies(MPU_SOURCE_DIR "/tests/recipe/targets/storage.yaml");
    check_copies(MPU_SOURCE_DIR "/tests/recipe/targets/halves.yaml");
    if (MPU_SANITIZED) /* others of their kind were there */
        return;
    check_copies(MPU_SOURCE_DIR "/tests/recipe/targets/storage-select.yaml");
    check_copies(MPU_SOURCE_DIR "/tests/recipe/targets/storage-between.yaml");
}

/* Presets of some of several outputs: what they set is set before, also where an operand has to be
 * copied first, and is charged. */
static void test_presets(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum isa_op op;
        unsigned alias, micro_ops;
    } counts[] = {{"destroys", OP_NOR, 0, 3},
                  {"destroys", OP_AND, 1, 3},
                  {"twins", OP_AND, 0, 9},
                  {"twins", OP_XOR, 0, 3},
                  {"twins", OP_MOV, 1, 6}};
    check_copies(MPU_SOURCE_DIR "/tests/recipe/targets/destroys.yaml");
    check_copies(MPU_SOURCE_DIR "/tests/recipe/targets/twins.yaml");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char path[4096];
        snprintf(path, sizeof path, MPU_SOURCE_DIR "/tests/recipe/targets/%s.yaml", counts[i].name);
        struct open_set x = open_text(path, NULL);
        struct insn insn = insn_of(counts[i].op, 1, 0);
        struct uop_list list = {0};
        recipe_alias(counts[i].op, counts[i].alias, &insn);
        assert_true(recipe_expand(x.s, &insn, false, &list, x.d));
        assert_int_equal(list.len, counts[i].micro_ops);
        vec_free(&list);
        assert_true(verify_op(&x, (struct verify_options){.op = counts[i].op, .width = 5}));
        close_set(&x);
    }
}

/* Where sections can be joined, other laps stand between a preset and its gate. */
static void test_joined_presets(void **state) {
    (void)state;
    static const enum isa_op ops[] = {OP_INV, OP_AND, OP_XOR};
    struct diag *d = diag_new(NULL, NULL);
    struct target *t =
        target_open(MPU_SOURCE_DIR "/tests/recipe/targets/crossbar-nor.yaml", NULL, 0, d);
    struct open_set x = {.t = t, .s = t ? recipe_set_open_mapped(t, d) : NULL, .d = d};
    if (!x.s)
        fail_msg("%s", diag_first(d));
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        assert_true(verify_op(&x, (struct verify_options){.op = ops[i], .width = 8}));
    close_set(&x);
}

/* The number of a scratch row in its section. */
static uint32_t row_of(const struct target *t, uint32_t place) {
    const struct plane_target *p = plane_target(t);
    uint32_t number = place & 0xffff;
    assert_int_equal(PLANE_CLASS(place), PLANE_SCRATCH);
    for (uint32_t i = 0; i < p->row_class_count; i++) {
        const struct row_class *c = &p->row_classes[i];
        if (number >= c->first_scratch && number - c->first_scratch < c->scratch_rows)
            return c->first + (number - c->first_scratch) * c->step;
    }
    fail();
    return 0;
}

/* Rows for computing are chosen so that relations between their numbers hold. */
static void test_neighbours(void **state) {
    (void)state;
    static const enum isa_op ops[] = {OP_INV, OP_XOR, OP_ADD, OP_CMPLT};
    check_copies(MPU_SOURCE_DIR "/tests/recipe/targets/neighbours.yaml");
    struct open_set x = open_text(MPU_SOURCE_DIR "/tests/recipe/targets/neighbours.yaml", NULL);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct insn insn = insn_of(ops[i], 5, 0);
        struct uop_list list = {0};
        unsigned gates = 0;
        assert_true(recipe_expand(x.s, &insn, false, &list, x.d));
        for (size_t k = 0; k < list.len; k++) {
            const struct uop *u = &list.data[k];
            if (u->nsrc < 2)
                continue;
            uint32_t a = row_of(x.t, u->src[0]), b = row_of(x.t, u->src[1]);
            assert_int_equal(b, a + 1);
            assert_int_equal(a / 4, row_of(x.t, u->dst[0]) / 4);
            assert_int_equal(b / 4, a / 4);
            gates++;
        }
        assert_true(gates >= 5);
        vec_free(&list);
    }
    close_set(&x);
}

/* The same for copies that a recipe says, unless a latch that they would pass is read later. */
static const char copies_bits[] = "recipe MOV(a) -> d   any w   mapped for senseamp\n{\n"
                                  "  for j in 0 .. w-1 { d[j] = a[j] }\n"
                                  "  computes d == a\n}\n";
static const char copies_late[] = "recipe AND(a, b) -> d   any w   mapped for senseamp\n{\n"
                                  "  for j in 0 .. w-1 {\n"
                                  "    READA(a[j])\n    READB(b[j])\n    d[j] = a[j]\n"
                                  "    AND()\n    d[j] = WRITE()\n  }\n"
                                  "  computes d == a & b\n}\n";
static const char copies_early[] = "recipe AND(a, b) -> d   any w   mapped for senseamp\n{\n"
                                   "  for j in 0 .. w-1 {\n"
                                   "    d[j] = a[j]\n    READA(d[j])\n    READB(b[j])\n"
                                   "    AND()\n    d[j] = WRITE()\n  }\n"
                                   "  computes d == a & b\n}\n";

static void test_copies_of_a_body(void **state) {
    (void)state;
    const char *file = MPU_SOURCE_DIR "/tests/recipe/targets/senseamp.yaml";
    struct open_set x = open_text(file, copies_bits);
    assert_true(check_op(&x, OP_MOV));
    close_set(&x);
    x = open_text(file, copies_early);
    assert_true(check_op(&x, OP_AND));
    close_set(&x);
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(file, NULL, 0, d);
    assert_null(recipe_set_open_with(t, "own.recipe", copies_late, strlen(copies_late), d));
    assert_non_null(strstr(diag_first(d), "own.recipe:6:5: AND: a value must be copied here"));
    target_free(t);
    diag_free(d);
}

static uint32_t micro_ops(const struct open_set *x, enum isa_op op) {
    struct insn insn = insn_of(op, 32, 0);
    struct uop_list list = {0};
    assert_true(recipe_expand(x->s, &insn, false, &list, x->d));
    uint32_t count = (uint32_t)list.len;
    vec_free(&list);
    return count;
}

/* What lies between gates stays where they work: a bit is copied there once for each piece of
 * logic, and back once. */
static void test_stored_apart(void **state) {
    (void)state;
    static const char *const files[] = {"storage", "storage-select", "storage-between"};
    for (size_t i = 0; i < 3; i++) {
        char path[4096];
        snprintf(path, sizeof path, MPU_SOURCE_DIR "/tests/recipe/targets/%s.yaml", files[i]);
        struct open_set x = open_text(path, NULL);
        assert_int_equal(micro_ops(&x, OP_INV), 3 * 32);
        assert_int_equal(micro_ops(&x, OP_XOR), 7 * 32);    /* four NANDs */
        assert_in_range(micro_ops(&x, OP_ADD), 1, 12 * 32); /* nine */
        close_set(&x);
    }
}

/* --- whose --- */

static void test_own(void **state) {
    (void)state;
    struct open_set x = open_text("simdram", masked_at_24);
    struct insn insn = insn_of(OP_AND, 8, 0), set = insn_of(OP_SETMASK, 1, 0);
    assert_false(recipe_is_own(x.s, &insn, false));
    assert_true(recipe_is_own(x.s, &insn, true));
    assert_false(recipe_is_own(x.s, &set, true));
    close_set(&x);
    x = open_text("racer", xor_at_37);
    assert_false(recipe_is_own(x.s, &insn, true));
    insn.op = OP_XOR;
    assert_true(recipe_is_own(x.s, &insn, false));
    close_set(&x);
}

/* --- one buffer per direction --- */

#define BUFFER(section, carry) PLANE(PLANE_BUFFER, section, carry)
#define ROW(section, number)   PLANE(PLANE_SCRATCH, section, number)

static uint16_t kind_of(const struct target *t, const char *name) {
    for (uint16_t i = 0; i < plane_target(t)->op_count; i++)
        if (strcmp(plane_target(t)->ops[i].name, name) == 0)
            return i;
    fail_msg("no %s", name);
    return 0;
}

static void add(struct uop_list *list, uint16_t kind, unsigned section, uint32_t from,
                uint32_t to) {
    struct uop u = {.kind = kind,
                    .section = (uint16_t)section,
                    .nsrc = 1,
                    .ndst = 1,
                    .predicate = PLANE(PLANE_NONE, 0, 0)};
    for (unsigned k = 0; k < UOP_MAX; k++)
        u.src[k] = u.dst[k] = PLANE(PLANE_NONE, 0, 0);
    u.src[0] = from;
    u.dst[0] = to;
    vec_push(list, u);
}

/* Two carries into section 1, read there in an order: MOV of two bits whose second one passes. */
static bool suffice(const struct open_set *x, uint32_t first, uint32_t second) {
    uint16_t buf = kind_of(x->t, "BUF"), copy = kind_of(x->t, "COPY");
    struct uop_list list = {0};
    const char *problem = NULL;
    add(&list, buf, 0, PLANE(PLANE_REGISTER, 0, 1 << 6), BUFFER(1, 0));
    add(&list, buf, 0, PLANE(PLANE_REGISTER, 0, 1 << 6), BUFFER(1, 1));
    add(&list, copy, 1, BUFFER(1, first), ROW(1, 0));
    add(&list, copy, 1, BUFFER(1, second), ROW(1, 1));
    bool fine = recipe_buffers_suffice(x->t, &list, &problem);
    assert_int_equal(fine, problem == NULL);
    vec_free(&list);
    return fine;
}

/* The second value overwrites the first in the one buffer that there is. */
static void test_buffers(void **state) {
    (void)state;
    struct open_set x = open_text("racer", NULL);
    assert_true(suffice(&x, 0, 1));
    assert_false(suffice(&x, 1, 0));
    close_set(&x);
}

/* --- lists that serve where registers are the same --- */

static bool expand_alias(const struct open_set *x, enum isa_op op, unsigned alias, bool masked,
                         struct uop_list *list) {
    struct insn insn = recipe_usual_insn(op, 5);
    list->len = 0;
    if (!recipe_alias(op, alias, &insn) || !recipe_applies(&insn))
        return false;
    if (!recipe_expand(x->s, &insn, masked, list, x->d))
        fail_msg("%s", diag_first(x->d));
    return true;
}

/* An expansion for registers that are the same (`fresh` never has a list for distinct ones) gives
 * what is taken from that list where it is kept. */
static unsigned compare_aliases(const struct open_set *fresh, const struct open_set *kept,
                                enum isa_op op, bool masked) {
    struct uop_list apart = {0}, made = {0}, taken = {0};
    unsigned compared = 0;
    for (unsigned alias = 1; alias < 5; alias++)
        if (expand_alias(fresh, op, alias, masked, &made)) {
            assert_true(expand_alias(kept, op, 0, masked, &apart));
            assert_true(expand_alias(kept, op, alias, masked, &taken));
            assert_int_equal(made.len, taken.len);
            assert_memory_equal(made.data, taken.data, made.len * sizeof *made.data);
            compared++;
        }
    vec_free(&apart);
    vec_free(&made);
    vec_free(&taken);
    return compared;
}

static void test_lists_for_aliases(void **state) {
    (void)state;
    static const char *const targets[] = {"simdram", "racer"};
    static const enum isa_op ops[] = {OP_MOV, OP_XOR, OP_ADD, OP_MUL};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct open_set fresh = open_text(targets[i], NULL), kept = open_text(targets[i], NULL);
        for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
            for (int masked = 0; masked < 2; masked++)
                assert_true(compare_aliases(&fresh, &kept, ops[k], masked));
        close_set(&fresh);
        close_set(&kept);
    }
}

/* What is read when, or after, its register is written through another operand is copied: no list
 * for distinct registers serves there, nor where it copies a bit onto itself. */
static void test_lists_that_do_not_serve(void **state) {
    (void)state;
    struct open_set x = open_text("racer", NULL);
    uint16_t copy = kind_of(x.t, "COPY");
    const uint32_t rs0 = PLANE(PLANE_REGISTER, 0, FIELD_RS << 6),
                   rs1 = PLANE(PLANE_REGISTER, 0, FIELD_RS << 6 | 1),
                   rd0 = PLANE(PLANE_REGISTER, 0, FIELD_RD << 6),
                   rd1 = PLANE(PLANE_REGISTER, 0, FIELD_RD << 6 | 1);
    struct insn insn = recipe_usual_insn(OP_MOV, 2);
    struct uop_list list = {0};
    insn.rd = insn.rs;
    add(&list, copy, 0, rs0, ROW(0, 0));
    add(&list, copy, 0, ROW(0, 0), rd0);
    assert_true(expand_serves_alias(x.t, &insn, &list)); /* read before it is written */
    add(&list, copy, 0, rs1, ROW(0, 0));
    assert_true(expand_serves_alias(x.t, &insn, &list)); /* another bit */
    add(&list, copy, 0, rs0, ROW(0, 0));
    assert_false(expand_serves_alias(x.t, &insn, &list)); /* read after it */
    list.len = 0;
    add(&list, copy, 0, rs0, rd1);
    assert_true(expand_serves_alias(x.t, &insn, &list));
    list.len = 0;
    add(&list, copy, 0, rs1, rd1);
    assert_false(expand_serves_alias(x.t, &insn, &list)); /* onto itself */
    insn.rd = (uint8_t)(insn.rs + 1);
    assert_true(expand_serves_alias(x.t, &insn, &list)); /* distinct registers */
    vec_free(&list);
    close_set(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_mask),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_operands_verified),
        cmocka_unit_test(test_alias),
        cmocka_unit_test(test_alias_checked),
        cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_lists_for_aliases),
        cmocka_unit_test(test_lists_that_do_not_serve),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_joined_presets),

        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_copies_of_a_body),
        cmocka_unit_test(test_stored_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
