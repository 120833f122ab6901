/* SPDX-License-Identifier: MIT
 * Words of arrays whose sections can be joined: which micro-ops are one, and `par`. */
#include "text.h"

#include "recipe/set/recipe.h"
#include "recipe/set/set.h"
#include "recipe/set/words.h"
#include "support/file.h"

static int set_up(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    *state = target_open("pypim", NULL, 0, d);
    if (!*state)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return 0;
}

static int tear_down(void **state) {
    target_free(*state);
    return 0;
}

static uint16_t kind_of(const struct target *target, const char *name) {
    for (uint16_t i = 0; i < plane_target(target)->op_count; i++)
        if (strcmp(plane_target(target)->ops[i].name, name) == 0)
            return i;
    fail_msg("no micro-op %s", name);
    return 0;
}

static uint32_t bit(unsigned reg, unsigned j) {
    return PLANE(PLANE_REGISTER, 0, reg << 6 | j);
}

static uint32_t row(unsigned section, unsigned number) {
    return PLANE(PLANE_SCRATCH, section, number);
}

/* NOT dst <- src */
static struct uop not_uop(const struct target *target, uint32_t dst, uint32_t src) {
    struct uop u = {.kind = kind_of(target, "NOT"), .nsrc = 1, .ndst = 1};
    u.src[0] = src;
    u.dst[0] = dst;
    u.predicate = PLANE(PLANE_NONE, 0, 0);
    return u;
}

static void want_step(const struct target *target, struct uop before, struct uop after,
                      unsigned step) {
    assert_int_equal(recipe_word_step(target, &before, &after), step);
}

static void test_step(void **state) {
    const struct target *t = *state;
    struct uop u = not_uop(t, row(3, 5), bit(2, 3));
    want_step(t, u, not_uop(t, row(4, 5), bit(2, 4)), 1);
    want_step(t, u, not_uop(t, row(7, 5), bit(2, 7)), 4);
    want_step(t, u, not_uop(t, row(2, 5), bit(2, 2)), 0);  /* downward */
    want_step(t, u, not_uop(t, row(3, 5), bit(2, 3)), 0);  /* in the same section */
    want_step(t, u, not_uop(t, row(4, 6), bit(2, 4)), 0);  /* in another row */
    want_step(t, u, not_uop(t, row(4, 5), bit(1, 4)), 0);  /* of another register */
    want_step(t, u, not_uop(t, row(4, 5), bit(2, 36)), 0); /* of its next row */
    want_step(t, u, not_uop(t, row(4, 5), bit(2, 5)), 0);  /* sources are not a step apart */
    want_step(t, u, not_uop(t, row(4, 5), row(4, 6)), 0);
    struct uop other = not_uop(t, row(4, 5), bit(2, 4));
    other.predicate = PLANE(PLANE_M, 0, 0);
    want_step(t, u, other, 0);
    u = not_uop(t, row(3, 5), PLANE(PLANE_C, 0, 0)); /* C is in one place */
    want_step(t, u, not_uop(t, row(4, 5), PLANE(PLANE_C, 0, 0)), 0);
    u = not_uop(t, row(3, 5), PLANE(PLANE_CONST, 0, 1)); /* constants are everywhere */
    want_step(t, u, not_uop(t, row(4, 5), PLANE(PLANE_CONST, 0, 1)), 1);
    want_step(t, u, not_uop(t, row(4, 5), PLANE(PLANE_CONST, 0, 0)), 0);
}

/* Two sections of 3, or of 2 that touch: one word if the second begins behind the first. */
static void test_spans(void **state) {
    const struct target *t = *state;
    want_step(t, not_uop(t, row(2, 5), bit(2, 0)), not_uop(t, row(5, 5), bit(2, 3)), 3);
    want_step(t, not_uop(t, row(2, 5), bit(2, 0)), not_uop(t, row(4, 5), bit(2, 2)), 0);
    want_step(t, not_uop(t, row(0, 5), bit(2, 1)), not_uop(t, row(2, 5), bit(2, 3)), 2);
    want_step(t, not_uop(t, row(0, 5), bit(2, 1)), not_uop(t, row(1, 5), bit(2, 2)), 0);
}

static void test_form(void **state) {
    const struct target *t = *state;
    struct uop list[8];
    static const uint8_t sections[8] = {0, 2, 4, 5, 6, 7, 3, 9};
    static const uint8_t goes_on[8] = {0, 1, 1, 0, 1, 1, 0, 1};
    for (unsigned i = 0; i < 8; i++)
        list[i] = not_uop(t, row(sections[i], 1), bit(2, sections[i]));
    recipe_words_form(t, list, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(list[i].forwarded, goes_on[i]);
        assert_int_equal(recipe_word_goes_on(t, &list[i]), goes_on[i]);
    }
}

/* On a machine whose sections lie apart nothing is changed. */
static void test_apart(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *racer = open_racer(d);
    struct uop list[2] = {not_uop(*state, row(0, 1), bit(2, 0)),
                          not_uop(*state, row(1, 1), bit(2, 1))};
    list[1].pipelined = 1;
    list[1].forwarded = 1;
    recipe_words_form(racer, list, 2);
    assert_int_equal(list[1].forwarded, 1);
    assert_false(recipe_word_goes_on(racer, &list[1]));
    assert_int_equal(recipe_word_step(racer, &list[0], &list[1]), 0);
    target_free(racer);
    diag_free(d);
}

/* --- par --- */

#define HEAD "recipe XNOR(a, b) -> d   any w   needs INIT1, NOT, NOR\n{\n"

#define INV_HEAD "recipe INV(a) -> d   any w   needs INIT1, NOT, NOR\n{\n"

static const char shared[] = HEAD "  par j in 0 .. w-1 {\n"
                                  "    t = INIT1()\n"
                                  "    t = NOR(a[j], b[j])\n"
                                  "    u = INIT1()\n"
                                  "    u = NOR(a[j], t)\n"
                                  "    v = INIT1()\n"
                                  "    v = NOR(b[j], t)\n"
                                  "    d[j] = INIT1()\n"
                                  "    d[j] = NOR(u, v)\n"
                                  "  }\n"
                                  "  computes d == ~(a ^ b)\n"
                                  "}\n";

static struct recipe_count count_of(const struct target *target, const char *text, enum isa_op op,
                                    unsigned w) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open_with(target, "x.recipe", text, strlen(text), d);
    struct insn insn = {.op = op, .width = (uint8_t)w, .rs = 0, .rt = 1, .rd = 2};
    struct recipe_count n = {0};
    if (!s || !recipe_count(s, &insn, false, &n))
        fail_msg("%s", diag_first(d));
    recipe_set_free(s);
    diag_free(d);
    return n;
}

/* A word takes a cycle, and its gates take energy each. */
static void test_counts(void **state) {
    struct recipe_count one = count_of(*state, shared, OP_XNOR, 1);
    static const unsigned widths[] = {1, 2, 7, 31, 32, 33, 64};
    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++) {
        unsigned w = widths[i];
        struct recipe_count n = count_of(*state, shared, OP_XNOR, w);
        unsigned words = w > 32 ? 16 : 8; /* two bits of a register in a section */
        assert_int_equal(n.micro_ops, words);
        assert_int_equal(n.latency_cycles, words);
        assert_int_equal(n.logic, words / 2);
        assert_int_equal(n.energy_fj, w * one.energy_fj);
    }
}

static void test_refused(void **state) {
    const struct target *t = *state;
    want_refused(t, HEAD "  par j in 0 .. w-1 step 0 { d[j] = INIT1() }\n}\n", "3:3",
                 "the step of 'par' is 0");
    want_refused(t, HEAD "  par j in 0 .. w { d[j] = INIT1() }\n}\n", "3:3",
                 "lies outside of bits");
    want_refused(t,
                 INV_HEAD "  par j in 0 .. w-1 {\n    d[j] = INIT1()\n"
                          "    if j == 0 { d[j] = NOT(a[j]) }\n  }\n}\n",
                 "3:3", "takes other micro-ops than number 0");
    want_refused(t,
                 INV_HEAD "  par j in 0 .. w-1 {\n    s = INIT1()\n    if j == 0 {\n"
                          "      s = NOT(a[j])\n    } else {\n      s = NOT(t@(j - 1))\n    }\n"
                          "    t = INIT1()\n    t = NOT(s)\n    d[j] = INIT1()\n"
                          "    d[j] = NOT(t)\n  }\n}\n",
                 "3:3", "one reads or writes what");
    want_refused(t, HEAD "  par j in w-1 downto 0 { d[j] = INIT1() }\n}\n", "3:16",
                 "expected '..'");
    want_refused(t, HEAD "  par d in 0 .. w-1 { d = INIT1() }\n}\n", "3:7",
                 "already something else");
    want_refused(
        t, "recipe INV(a) -> d   any w   generic\n{\n  par j in 0 .. w-1 { d[j] = !a[j] }\n}\n",
        "3:3", "'par' stands in recipes of micro-ops");
    want_refused(t, HEAD "  par j in 0 .. w-1 { d[j] = NOT(a[j]) }\n}\n", "3:23",
                 "before it is written");
}

/* Subs on whole names: an index says a section, a result may be a register, and what is handed over
 * inside of a loop may be anded into. */
static const char subs[] = "sub BOTH(x, y) {\n  y = NOT(x)\n}\n"
                           "sub UPWARD(x) -> z {\n"
                           "  par j in 0 .. w-1 { z[j] = INIT1() }\n"
                           "  par j in 1 .. w-1 step 2 { z[j] = NOT(x[j - 1]) }\n"
                           "  par j in 2 .. w-1 step 2 { z[j] = NOT(x[j - 1]) }\n"
                           "}\n"
                           "sub INVERT(x) -> z {\n"
                           "  par j in 0 .. w-1 {\n    z[j] = INIT1()\n    BOTH(x[j], z[j])\n  }\n"
                           "}\n"
                           "recipe LSHIFT(a) -> d   w <= 32   needs INIT1, NOT, NOR\n{\n"
                           "  t = UPWARD(a)\n"
                           "  %s\n"
                           "  computes d == a << 1\n"
                           "}\n";

static void test_subs(void **state) {
    struct str text = {0}, wrong = {0};
    str_printf(&text, subs, "par j in 0 .. w-1 {\n    d[j] = INIT1()\n    d[j] = NOT(t[j])\n  }");
    want_taken(*state, str_text(&text));
    assert_int_equal(count_of(*state, str_text(&text), OP_LSHIFT, 32).micro_ops, 5);
    /* Beyond 32 bits the generic recipe serves. */
    assert_true(count_of(*state, str_text(&text), OP_LSHIFT, 33).micro_ops > 10);
    str_printf(&wrong, subs, "d = UPWARD(t)");
    want_refused(*state, str_text(&wrong), "15:8", "the ISA says");
    text.len = wrong.len = 0;
    str_printf(&wrong, subs, "par j in 0 .. w-1 { d[j] = INIT0() ; t[0] = INIT1() }");
    want_refused(*state, str_text(&wrong), "18:40", "a name is written in the section at work");
    str_free(&text);
    str_free(&wrong);
}

static void test_widths(void **state) {
    const struct target *t = *state;
#define WIDTHS(words)                                                                              \
    "recipe INV(a) -> d   " words "\n{\n  par j in 0 .. w-1 { d[j] = INIT1() }\n}\n"
    want_refused(t, WIDTHS("w < 8   needs NOT"), "1:24", "expected '<='");
    want_refused(t, WIDTHS("w <= 65   needs NOT"), "1:27", "a width from 1 to 64");
    want_refused(t, WIDTHS("w <= rows   needs NOT"), "1:27", "'sections' or a width from 1 to 64");
    want_refused(t, WIDTHS("w <= 0   needs NOT"), "1:27", "a width from 1 to 64");
    want_refused(t, WIDTHS("some w   needs NOT"), "1:22", "'any w' or 'w <='");
    want_refused(t, WIDTHS("w <= 8   generic"), "1:31", "a generic recipe serves any width");
    want_refused(t,
                 "instruction TWICE(a) -> d   opcode 0xE0\n{\n  computes d == a + a\n}\n"
                 "recipe TWICE(a) -> d   w <= 8   needs NOT\n{\n"
                 "  par j in 0 .. w-1 { t = INIT1() ; d[j] = INIT1() }\n"
                 "  par j in 1 .. w-1 step 2 { t = NOT(a[j - 1]) }\n"
                 "  par j in 2 .. w-1 step 2 { t = NOT(a[j - 1]) }\n"
                 "  par j in 0 .. w-1 { d[j] = NOT(t) }\n}\n",
                 "5:8", "and no generic recipe");
}

static void test_not_partitioned(void **state) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *racer = open_racer(d);
    (void)state;
    want_refused(racer,
                 "recipe INV(a) -> d   any w   for racer\n{\n"
                 "  par j in 0 .. w-1 { d[j] = NOR(a[j], zero) }\n}\n",
                 "3:3", "target 'racer' is not 'partitioned'");
    target_free(racer);
    diag_free(d);
}

/* --- generic recipes --- */

static const char generic_xnor[] = "recipe XNOR(a, b) -> d   any w   generic\n{\n"
                                   "  for j in 0 .. w-1 { d[j] = !(a[j] ^ b[j]) }\n"
                                   "  computes d == ~(a ^ b)\n}\n";

/* What differs up to the first difference alone: the carry goes lap by lap, all else does not. */
static const char generic_chain[] = "recipe SUB(a, b) -> d   any w   generic\n{\n"
                                    "  carry k = 0\n"
                                    "  for j in 0 .. w-1 {\n"
                                    "    t = a[j] ^ b[j]\n"
                                    "    k = maj(!a[j], b[j], k)\n"
                                    "    d[j] = t ^ k@j\n"
                                    "  }\n"
                                    "  computes d == a - b\n}\n";

/* Loops without a carry are words; of the others what needs no carry is. */
static void test_generic(void **state) {
    const struct target_override serial = {"arith", "serial"};
    struct diag *d = diag_new(NULL, NULL);
    struct target *in_order = target_open("pypim", &serial, 1, d);
    assert_non_null(in_order);
    want_taken(*state, generic_xnor);
    want_taken(*state, generic_chain);
    uint64_t one = count_of(*state, generic_xnor, OP_XNOR, 1).micro_ops;
    for (unsigned w = 1; w <= 64; w += 7) {
        unsigned turns = w > 32 ? 2 : 1;
        assert_int_equal(count_of(*state, generic_xnor, OP_XNOR, w).micro_ops, one * turns);
        assert_int_equal(count_of(in_order, generic_xnor, OP_XNOR, w).micro_ops, one * w);
        assert_int_equal(count_of(*state, generic_chain, OP_SUB, w).energy_fj,
                         count_of(in_order, generic_chain, OP_SUB, w).energy_fj);
    }
    uint64_t lap = count_of(in_order, generic_chain, OP_SUB, 21).micro_ops -
                   count_of(in_order, generic_chain, OP_SUB, 20).micro_ops;
    uint64_t carry = count_of(*state, generic_chain, OP_SUB, 21).micro_ops -
                     count_of(*state, generic_chain, OP_SUB, 20).micro_ops;
    if (carry == 0 || 2 * carry > lap)
        fail_msg("a lap takes %llu words in order, %llu with the others", (unsigned long long)lap,
                 (unsigned long long)carry);
    target_free(in_order);
    diag_free(d);
}

/* Half the partitions, and twice the columns in each: every recipe still holds. */
static void test_other_sizes(void **state) {
    static const char *const sections_of[] = {"16", "11", "64"};
    (void)state;
    for (unsigned i = 0; i < sizeof sections_of / sizeof *sections_of; i++) {
        struct diag *d = diag_new(NULL, NULL);
        struct target_override o = {"array.sections", sections_of[i]};
        struct target *t = target_open("pypim", &o, 1, d);
        if (!t)
            fail_msg("%s", diag_first(d));
        want_taken(t, shared);
        unsigned sections = plane_target(t)->sections;
        for (unsigned w = 1; w <= 64; w += 21)
            assert_int_equal(count_of(t, shared, OP_XNOR, w).micro_ops,
                             8 * ((w + sections - 1) / sections));
        target_free(t);
        diag_free(d);
    }
}

/* Floats whose bits all have a section of their own take words of all sections, wider ones the
 * generic recipe. */
static void test_floats_of_sections(void **state) {
    static const struct {
        const char *sections;
        unsigned width;
        bool apart;
    } cases[] = {{"16", 16, true}, {"16", 32, false}, {"64", 64, true}, {"32", 64, false}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag *d = diag_new(NULL, NULL);
        struct target_override o = {"array.sections", cases[i].sections};
        struct target *t = target_open("pypim", &o, 1, d);
        if (!t)
            fail_msg("%s", diag_first(d));
        struct recipe_count n = count_of(t, "", OP_FADD, cases[i].width);
        assert_int_equal(n.micro_ops < 1000, cases[i].apart);
        target_free(t);
        diag_free(d);
    }
}

/* Sections are joined, or pass bits on; not both. */
static void test_bit_pipelined(void **state) {
    static const char text[] =
        "schema: 1\nname: both\nextends: pypim\nbit_pipelined: true\npartitioned: true\n";
    const char *path = MPU_BINARY_DIR "/tests/words-target.yaml";
    struct diag *d = diag_new(NULL, NULL);
    (void)state;
    assert_true(file_write(path, text, sizeof text - 1));
    assert_null(target_open(path, NULL, 0, d));
    diag_flush(d);
    assert_non_null(strstr(diag_first(d), ":5:1: partitioned: the sections of a target that is"));
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spans, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_form, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_subs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_widths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_partitioned, set_up, tear_down),
        cmocka_unit_test(test_floats_of_sections),
        cmocka_unit_test(test_bit_pipelined),
        cmocka_unit_test_setup_teardown(test_generic, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_sizes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
