/* SPDX-License-Identifier: MIT
 * Targets whose micro-ops destroy what they read, use what their result held before, or work on
 * rows of certain classes: sequences that are derived make what they say, every instruction is
 * mapped onto them, and copies that nothing needs are left out. */
#include "made_up.h"

#include "recipe/map/derive.h"
#include "recipe/map/map.h"

static const char *const names[] = {"imply", "mtj", "majority5", "adder", "latched", "ambit"};
#define NAMES (sizeof names / sizeof names[0])

static struct recipe_set *open_mapped(const struct target *t) {
    struct diag *d = diag_new(NULL, NULL);
    struct recipe_set *s = recipe_set_open_mapped(t, d);
    if (!s)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return s;
}

/* --- sequences --- */

/* All of one group's sequences on the eight combinations of three inputs. */
static void check_group(const struct target *t, const struct derived *d,
                        const struct template_group *g) {
    static const uint64_t inputs[FRAME_INPUTS] = {0xAA, 0xCC, 0xF0};
    for (unsigned i = 0; i < g->count; i++) {
        const struct step_template *m = &g->list[i];
        uint64_t values[FRAME_MAX] = {0}, results[OP_MAX_DESTS];
        uint32_t cost = 0;
        memcpy(values, inputs, sizeof inputs);
        for (unsigned k = FRAME_INPUTS; k < d->frame.first_written; k++)
            values[k] = d->frame.places[k].number ? 0xff : 0;
        for (unsigned s = 0; s < m->step_count; s++) {
            mapping_use_apply(t, &m->steps[s], values, results);
            for (unsigned k = 0; k < m->steps[s].ndst; k++) {
                assert_true(m->steps[s].dst[k] >= d->frame.first_written);
                values[m->steps[s].dst[k]] = results[k];
            }
            cost += m->steps[s].cost;
        }
        assert_int_equal(values[m->out] & 0xff, g->truth);
        assert_memory_equal(values, inputs, sizeof inputs);
        assert_int_equal(cost, m->stays ? g->stay_cost : g->cost);
    }
}

static void test_sequences(void **state) {
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        struct target *t = open_made_up(names[i]);
        struct arena a = {0};
        const struct derived *d = mapping_derive_gates(&a, t, mapping_cost_unit(t), false);
        unsigned order[FRAME_INPUTS];
        assert_non_null(d);
        for (unsigned k = 0; k < d->group_count; k++)
            check_group(t, d, &d->groups[k]);
        assert_non_null(mapping_derived_find(d, 0xAA, order)); /* x */
        assert_non_null(mapping_derived_find(d, 0x55, order)); /* !x */
        assert_non_null(mapping_derived_find(d, 0x88, order)); /* x & y */
        assert_non_null(mapping_derived_find(d, 0xEE, order)); /* x | y */
        arena_free(&a);
        target_free(t);
    }
}

/* The least there is, counted by hand, in the target's units. */
static void test_least(void **state) {
    (void)state;
    static const struct {
        const char *target;
        uint8_t truth;
        uint32_t cost;
    } least[] = {
        {"imply", 0x55, 2},  /* clear, and imply */
        {"imply", 0xAA, 4},  /* twice that */
        {"imply", 0x77, 3},  /* NAND: clear, and imply from both */
        {"mtj", 0x77, 4},    /* set, NAND, and a copy to the other parity */
        {"mtj", 0x88, 4},    /* NAND there, NAND back */
        {"adder", 0x66, 2},  /* clear the carry, add */
        {"ambit", 0x55, 98}, /* two commands of 49 ns, through a dual-contact cell */
        {"ambit", 0x88, 196}, {"ambit", 0xE8, 196},
    };
    for (size_t n = 0; n < NAMES; n++) {
        struct target *t = open_made_up(names[n]);
        struct arena a = {0};
        const struct derived *d = mapping_derive_gates(&a, t, mapping_cost_unit(t), false);
        for (size_t i = 0; i < sizeof least / sizeof least[0]; i++) {
            unsigned order[FRAME_INPUTS];
            if (strcmp(least[i].target, names[n]) != 0)
                continue;
            const struct template_group *g = mapping_derived_find(d, least[i].truth, order);
            assert_non_null(g);
            assert_int_equal(g->cost, least[i].cost);
        }
        arena_free(&a);
        target_free(t);
    }
}

/* Nothing to copy with but gates that are gates of themselves: two inversions do. */
static void test_copies_by_gates(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t =
        open_yaml(YAML(CONSTANTS, "  NAND: { in: [a, b], out: d, fn: \"!(a & b)\", energy: e }\n"));
    struct recipe_set *s = recipe_set_open(t, d);
    struct recipe_forms forms = {0};
    const uint8_t widths[] = {1, 5};
    assert_non_null(s);
    assert_true(recipe_check_forms(s, recipe_of(s, OP_INV, d), widths, 2, &forms, d));
    assert_true(forms.aliased > 0);
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

/* --- those that the build has searched for --- */

static void check_same_group(const struct template_group *left,
                             const struct template_group *right) {
    assert_int_equal(left->truth, right->truth);
    assert_int_equal(left->nsrc, right->nsrc);
    assert_int_equal(left->cost, right->cost);
    assert_int_equal(left->stay_cost, right->stay_cost);
    assert_int_equal(left->count, right->count);
    for (unsigned i = 0; i < left->count; i++) {
        const struct step_template *x = &left->list[i], *y = &right->list[i];
        assert_int_equal(x->step_count, y->step_count);
        assert_int_equal(x->out, y->out);
        assert_int_equal(x->stays, y->stays);
        assert_int_equal(x->touched, y->touched);
        assert_memory_equal(x->steps, y->steps, x->step_count * sizeof *x->steps);
    }
}

/* Is it known, and then the same as what a search finds now? */
static bool recalls(const char *name, const struct target_override *sets, size_t count) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open(name, sets, count, d);
    struct arena a = {0};
    assert_non_null(t);
    struct derived *x = mapping_derive_start(&a, t, mapping_cost_unit(t), false);
    assert_non_null(x);
    bool known = mapping_derive_recall(&a, t, x);
    const struct derived *y = mapping_derive_gates(&a, t, mapping_cost_unit(t), false);
    if (known)
        assert_int_equal(x->group_count, y->group_count);
    for (unsigned i = 0; known && i < x->group_count; i++)
        check_same_group(&x->groups[i], &y->groups[i]);
    arena_free(&a);
    target_free(t);
    diag_free(d);
    return known;
}

static void test_known(void **state) {
    (void)state;
    const struct target_override other = {"set", "ddr4-2400"};
    assert_true(recalls("mimdram", NULL, 0));
    assert_true(recalls("simdram", NULL, 0));
    assert_true(recalls("duality-cache", NULL, 0));
    assert_false(recalls("mimdram", &other, 1)); /* other times, and so other least sequences */
}

/* Where all micro-ops are gates of themselves nothing is derived. */
static void test_not_needed(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct arena a = {0};
    static const char *const plain[] = {"racer", "racer-magic", "racer-felix", "racer-ideal"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        struct target *t = target_open(plain[i], NULL, 0, d);
        assert_non_null(t);
        assert_null(mapping_derive_gates(&a, t, mapping_cost_unit(t), false));
        target_free(t);
    }
    arena_free(&a);
    diag_free(d);
}

/* --- instructions --- */

#define LEAST_COUNT 8 /* instructions of every target */

/* Programs for divisions and what has many functions take long to search for, everything takes
 * long sanitized: on those targets a few instructions, with all of the library on two. */
static bool is_looked_at(const char *target, const char *name) {
    static const char *const few[] = {"AND",  "XOR",      "ADD",  "MUX",   "ADDI",
                                      "GETC", "ANDNMASK", "RELU", "SUB",   "CMPLT",
                                      "CAS",  "INV",      "SETC", "INIT1", "CMPLTI"};
    bool all = strcmp(target, "ambit") == 0 || strcmp(target, "latched") == 0;
    size_t count = sizeof few / sizeof few[0];
#ifdef MPU_SANITIZED
    all = false;
    count = LEAST_COUNT;
#endif
    for (size_t i = 0; i < count; i++)
        all |= strcmp(name, few[i]) == 0;
    return all;
}

/* The same micro-ops on the same planes. */
static void same_micro_ops(const struct recipe_set *s, const struct recipe *a,
                           const struct recipe *b) {
    const struct isa_info *info = isa_info(a->op);
    struct insn insn = {.op = a->op, .imm = 1, .rs = 1, .rt = 2, .rd = 3};
    struct uop_list x = {0}, y = {0};
    insn.width = info->flags & ISA_WIDTH ? 5 : 0;
    if (!recipe_applies(&insn))
        insn.width = 16; /* floating point */
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

/* What is printed is what was made. */
static void check_print(struct recipe_set *s, const struct recipe *c) {
    struct str text = {0}, again = {0};
    notation_print(s, c, &text);
    const struct recipe *r = read_again(s, str_text(&text));
    notation_print(s, r, &again);
    assert_string_equal(str_text(&again), str_text(&text));
    same_micro_ops(s, c, r);
    str_free(&text);
    str_free(&again);
}

static void check_target(const char *name) {
    static const uint8_t widths[] = {1, 2, 3, 5, 8};
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_made_up(name);
    struct recipe_set *s = open_mapped(t);
    unsigned count = 0;
    for (enum isa_op op = 0; op < OP_COUNT; op++) {
        if (!recipe_chosen(s, op) || !is_looked_at(name, isa_info(op)->name))
            continue;
        const struct recipe *c = recipe_of(s, op, d);
        if (!c || !recipe_check(s, c, widths, sizeof widths, d)) {
            diag_flush(d);
            fail_msg("%s: %s", name, diag_first(d));
        }
        check_print(s, c);
        count++;
    }
    assert_true(count >= LEAST_COUNT);
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

static void test_instructions(void **state) {
    (void)state;
    for (size_t i = 0; i < NAMES; i++)
        check_target(names[i]);
}

/* --- counts --- */

/* Micro-ops at 16 bits, at most. */
static void test_counts(void **state) {
    (void)state;
    static const struct {
        const char *target;
        enum isa_op op;
        uint64_t most;
    } counts[] = {
        {"ambit", OP_INV, 2 * 16},       {"ambit", OP_AND, 4 * 16},
        {"ambit", OP_XOR, 7 * 16}, /* Ambit's own: 5 AAP and 2 AP */
        {"ambit", OP_ADD, 10 * 16},      {"ambit", OP_MUX, 10 * 16},
        {"ambit", OP_CMPLT, 4 * 16 + 1}, {"imply", OP_INV, 2 * 16},
        {"imply", OP_NAND, 3 * 16},      {"adder", OP_AND, 16},
        {"adder", OP_XOR, 2 * 16},       {"mtj", OP_AND, 4 * 16},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct target *t = open_made_up(counts[i].target);
        struct recipe_set *s = open_mapped(t);
        struct insn insn = {.op = counts[i].op, .rs = 1, .rt = 2, .rd = 3, .width = 16};
        struct recipe_count n;
        assert_true(recipe_count(s, &insn, false, &n));
        if (n.micro_ops > counts[i].most)
            fail_msg("%s %s: %llu micro-ops", counts[i].target, isa_info(insn.op)->name,
                     (unsigned long long)n.micro_ops);
        recipe_set_free(s);
        target_free(t);
    }
}

/* --- values that are there early --- */

/* A sequence of `keep` leaves on its way, in a row of the wrong parity, what `flip` is: that is no
 * reason to give up, as the node of `flip` can make it where it is read. */
static void test_on_the_way(void **state) {
    (void)state;
    static const char text[] = "recipe XOR(a, b) -> d any w generic {\n"
                               "  for j in 0 .. w-1 { s = a[j] ; n = a[j] ^ b[j] ; o = b[j] }\n"
                               "  for j in 0 .. w-1 {\n"
                               "    most = o & !n\n"
                               "    keep = s & !o & !b[j]\n"
                               "    flip = most & !b[j]\n"
                               "  }\n"
                               "  for j in 0 .. w-1 { d[j] = keep & flip | n }\n"
                               "  computes d == a ^ b\n"
                               "}\n";
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_made_up("mtj");
    struct recipe_set *s = recipe_set_open_with(t, "x.recipe", text, strlen(text), d);
    diag_flush(d);
    if (!s || diag_errors(d))
        fail_msg("%s", diag_first(d));
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

/* --- the order of lines --- */

#define ORDER_ROWS "  la: { latch: true }\n" CONSTANTS
#define ORDER_SETS                                                                                 \
    "  SET0: { out: d, fn: \"0\", energy: e }\n  SET1: { out: d, fn: \"1\", energy: e }\n"
#define ORDER_LOAD                                                                                 \
    "  LD: { in: [x], out: la, fn: \"x\", energy: e }\n"                                           \
    "  ST: { in: [la], out: d, fn: \"la\", energy: e }\n"
#define ORDER_NOR "  NOR: { in: [x], out: la, fn: \"!(x | la)\", energy: e }\n"

/* What the longer searches begin with is the same for all orders of the lines, so that what a
 * budget leads to is. */
static void test_order(void **state) {
    static const char *const texts[] = {YAML(ORDER_ROWS, ORDER_SETS ORDER_LOAD ORDER_NOR),
                                        YAML(ORDER_ROWS, ORDER_NOR ORDER_LOAD ORDER_SETS)};
    struct target *t[2];
    struct derived *d[2];
    struct arena arena = {0};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        t[i] = open_yaml(texts[i]);
        d[i] = mapping_derive_start(&arena, t[i], 1, DERIVE_THOROUGH);
        assert_non_null(d[i]);
    }
    assert_int_equal(d[0]->use_count, d[1]->use_count);
    for (unsigned i = 0; i < d[0]->use_count; i++) {
        const struct op_use *x = &d[0]->uses[i], *y = &d[1]->uses[i];
        assert_string_equal(plane_target(t[0])->ops[x->op].name,
                            plane_target(t[1])->ops[y->op].name);
        assert_memory_equal(x->src, y->src, x->nsrc);
        assert_memory_equal(x->dst, y->dst, x->ndst);
    }
    for (unsigned i = 0; i < 2; i++)
        target_free(t[i]);
    arena_free(&arena);
}

/* --- what is refused --- */

static void test_missing(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_made_up("and-or");
    struct recipe_set *s = open_mapped(t);
    assert_non_null(recipe_of(s, OP_AND, d));
    assert_non_null(recipe_of(s, OP_OR, d));
    assert_int_equal(diag_errors(d), 0);
    assert_null(recipe_of(s, OP_INV, d));
    diag_flush(d);
    assert_non_null(strstr(diag_first(d), "the micro-ops of target 'and-or' cannot make !x"));
    assert_false(recipe_exists(s, OP_XOR));
    assert_string_equal(mapping_why_missing(s), "cannot make !x");
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

/* What keeps a machine without rows of constants from instructions is that, not where values lie.
 */
static void test_no_constants(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t =
        open_yaml(YAML("", "  NAND: { in: [a, b], out: d, fn: \"!(a & b)\", energy: e }\n"));
    struct recipe_set *s = recipe_set_open(t, d);
    assert_non_null(recipe_of(s, OP_XOR, d));
    assert_null(recipe_of(s, OP_INIT1, d));
    diag_flush(d);
    assert_non_null(
        strstr(diag_first(d),
               "no row of target 'made-up' holds constant 1 ('value: 1' under 'rows'), and no "
               "micro-op writes 1 without reading something"));
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
}

/* --- copies --- */

/* No op of imply copies; operands that are one register are copied all the same. */
static void test_alias(void **state) {
    (void)state;
    struct target *t = open_made_up("imply");
    struct recipe_set *s = open_mapped(t);
    struct insn insn = {.op = OP_ADD, .rs = 1, .rt = 2, .rd = 3, .width = 4};
    struct uop_list apart = {0}, same = {0};
    assert_non_null(mapping_copy_sequence(s, false, false, 0));
    assert_true(recipe_expand(s, &insn, false, &apart, NULL));
    insn.rd = 1;
    assert_true(recipe_expand(s, &insn, false, &same, NULL));
    assert_true(same.len > apart.len);
    vec_free(&apart);
    vec_free(&same);
    recipe_set_free(s);
    target_free(t);
}

/* A gate with a constant copies as well, and stands first; a copy is taken all the same. */
static void test_plain_copy(void **state) {
    (void)state;
    struct target *t = open_yaml(
        YAML(CONSTANTS, "  OR: { in: [a, b], out: d, fn: \"a | b\", energy: e }\n"
                        "  NOR: { in: [a, b], out: d, fn: \"!(a | b)\", energy: e }\n"
                        "  SAME: { in: [a], out: d, fn: \"a\", class: copy, energy: e }\n"));
    struct recipe_set *s = open_mapped(t);
    struct insn insn = {.op = OP_MOV, .rs = 1, .rd = 3, .width = 8};
    struct recipe_count n;
    assert_true(recipe_count(s, &insn, false, &n));
    assert_int_equal(n.copies, 8);
    assert_int_equal(n.micro_ops, 8);
    recipe_set_free(s);
    target_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),  cmocka_unit_test(test_least),
        cmocka_unit_test(test_known),      cmocka_unit_test(test_copies_by_gates),
        cmocka_unit_test(test_not_needed), cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_counts),     cmocka_unit_test(test_on_the_way),
        cmocka_unit_test(test_missing),    cmocka_unit_test(test_no_constants),
        cmocka_unit_test(test_alias),      cmocka_unit_test(test_plain_copy),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
