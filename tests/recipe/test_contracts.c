/* SPDX-License-Identifier: MIT
 * `computes`: every built-in recipe says all its results, each contract is the golden function for
 * all operands at small widths, and what cannot be said is refused with its place. */
#include "text.h"

#include "isa-spec/product.h"
#include "recipe/verify/computes.h"
#include "support/bits.h"
#include "support/str.h"

#include <stdio.h>

#define WIDEST 5

/* --- every recipe --- */

/* Bodies of built-in recipes are read when they are asked for, with nobody to report to. */
static void test_all_are_read(void **state) {
    (void)state;
    size_t count;
    const char *const *names = target_names(&count);
    for (size_t i = 0; i < count; i++) {
        struct diag *d = diag_new(NULL, NULL);
        struct target *t = target_open(names[i], NULL, 0, d);
        struct recipe_set *s =
            t && t->kind == &technology_target_kind ? recipe_set_open(t, d) : NULL;
        for (unsigned op = 0; s && op < RECIPE_OPS; op++)
            if ((s->recipes[op] && !recipe_chosen(s, (enum isa_op)op)) ||
                (s->generic[op] && !recipe_generic(s, (enum isa_op)op)))
                fail_msg("%s: the recipe of %s has an error", names[i],
                         recipe_info((enum isa_op)op)->name);
        assert_int_equal(diag_errors(d), 0);
        recipe_set_free(s);
        target_free(t);
        diag_free(d);
    }
}

/* Recipes for other targets have not been bound to an instruction. */
static bool is_bound(const struct recipe *c) {
    return c->op < OP_COUNT && isa_info(c->op)->flags & ISA_VECTOR && isa_info(c->op)->golden;
}

static unsigned visit_recipes(void (*visit)(const struct recipe *)) {
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    struct recipe_set *s = recipe_set_open(t, d);
    unsigned count = 0;
    assert_non_null(s);
    for (size_t i = 0; i < s->ast.recipes.len; i++)
        if (is_bound(s->ast.recipes.data[i])) {
            notation_read_body(&s->ast, &s->ast.recipes.data[i]->unit, t, d);
            assert_false(s->ast.recipes.data[i]->unit.broken);
            visit(s->ast.recipes.data[i]);
            count++;
        }
    recipe_set_free(s);
    target_free(t);
    diag_free(d);
    return count;
}

static void want_complete(const struct recipe *c) {
    if (recipe_computes_missing(c))
        fail_msg("%s: no recipe without a contract: nothing says '%s' in %s", c->unit.name,
                 recipe_computes_missing(c), c->unit.file->name);
    assert_true(recipe_computes_is_complete(c));
}

static void test_complete(void **state) {
    (void)state;
    assert_true(visit_recipes(want_complete) >= 60);
}

/* --- against golden --- */

static uint64_t result_of(const struct golden_lane *x, uint8_t field) {
    const uint64_t values[] = {x->rs & low_bits(x->w), x->rt & low_bits(x->w),
                               x->rd & low_bits(x->w), x->c, x->m};
    return values[field];
}

static void compare(const struct recipe *c, const struct golden_lane *x) {
    struct golden_lane after = *x;
    isa_info(c->op)->golden(&after);
    for (unsigned i = 0; i < c->computes_count; i++) {
        const struct recipe_expr *e = c->computes[i];
        uint64_t want = result_of(&after, recipe_computes_result(c, e));
        uint64_t got = recipe_computes_eval(c, e, x);
        if (got != want)
            fail_msg("%s.%u: rs %llu rt %llu rd %llu constant %lld C %d M %d valid %d: the "
                     "contract says %llu, the ISA %llu",
                     c->unit.name, x->w, (unsigned long long)x->rs, (unsigned long long)x->rt,
                     (unsigned long long)x->rd, (long long)x->imm, x->c, x->m, x->valid,
                     (unsigned long long)got, (unsigned long long)want);
    }
}

/* All values of what the instruction reads; M is 1 in valid lanes only. */
static void compare_all(const struct recipe *c, struct golden_lane x, unsigned source) {
    uint32_t flags = isa_info(c->op)->flags;
    unsigned rs = flags & READS_RS ? source : 0, rt = flags & READS_RT ? x.w : 0;
    unsigned rd = flags & READS_RD ? x.w : 0;
    for (uint64_t i = 0; i < (uint64_t)8 << (rs + rt + rd); i++) {
        x.c = i & 1;
        x.valid = i >> 1 & 1;
        x.m = x.valid && (i >> 2 & 1);
        x.rs = i >> 3 & low_bits(source) & (rs ? UINT64_MAX : 0);
        x.rt = rt ? i >> (3 + rs) & low_bits(rt) : 0;
        x.rd = rd ? i >> (3 + rs + rt) & low_bits(rd) : 0;
        compare(c, &x);
    }
}

static const int32_t constants[] = {0,  1,  2,  3,  4,     5,      6,     7,      8,    63,
                                    64, -1, -2, -7, 0x555, -0x556, 0x7ff, -0x800, 0xfff};

/* Floats: every class against every other, and random pairs. */
static unsigned want_golden_floats(const struct recipe *c) {
    unsigned tried = 0;
    uint64_t seed = 9;
    for (unsigned w = 16; w <= 64; w *= 2)
        for (int32_t imm = 0; imm < CONVERSIONS; imm++) {
            struct insn insn = {.op = c->op, .width = (uint8_t)w, .imm = imm};
            struct ieee_format format = isa_source_format(&insn);
            for (unsigned i = 0; recipe_applies(&insn) && i < IEEE_EDGES * IEEE_EDGES + 500; i++) {
                uint64_t pair[2] = {splitmix64(&seed) & low_bits(w), 0};
                if (format.exponent_bits)
                    ieee_random_pair(format, &seed, pair);
                if (format.exponent_bits && i < IEEE_EDGES * IEEE_EDGES) {
                    pair[0] = ieee_edge(format, i % IEEE_EDGES);
                    pair[1] = ieee_edge(format, i / IEEE_EDGES);
                }
                struct golden_lane x = {.w = w, .imm = imm, .rs = pair[0], .rt = pair[1]};
                compare(c, &x);
                tried++;
            }
        }
    return tried;
}

/* Products: few shapes of each width with all values, since a shape has two widths of its own. */
static void want_golden_shapes(const struct recipe *c) {
    int32_t constant;
    for (unsigned w = 1; w <= WIDEST; w++)
        for (unsigned i = 0; isa_product_pick(w, i, &constant); i++) {
            struct isa_product p;
            const struct golden_lane x = {.w = w, .imm = constant};
            if (isa_product_of(constant, w, &p) && p.a <= WIDEST && p.b <= WIDEST)
                compare_all(c, x, w);
        }
    uint64_t seed = 11;
    for (unsigned w = 1; w <= 64; w++)
        for (unsigned i = 0; isa_product_pick(w, i, &constant); i++)
            for (unsigned k = 0; k < 50; k++)
                compare(c, &(struct golden_lane){.w = w,
                                                 .imm = constant,
                                                 .rs = splitmix64(&seed),
                                                 .rt = splitmix64(&seed)});
}

static void want_golden(const struct recipe *c) {
    const struct isa_info *info = isa_info(c->op);
    unsigned tried = 0;
    if (isa_has_shape(c->op)) {
        want_golden_shapes(c);
        return;
    }
    if (info->flags & (ISA_FLOAT | ISA_BFLOAT)) {
        assert_true(want_golden_floats(c) >= 1000);
        return;
    }
    for (unsigned w = 1; w <= WIDEST; w++)
        for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
            struct insn insn = {.op = c->op, .imm = constants[i]};
            insn.width = (uint8_t)(info->flags & ISA_WIDTH ? w : 0);
            insn.rt = c->op == OP_QRDIV ? 2 : 0;
            if (!recipe_applies(&insn) || (w > 1 && !insn.width))
                continue;
            struct golden_lane x = {.w = insn.width ? w : 1, .imm = insn.imm};
            compare_all(c, x, recipe_computes_bits(&insn, ROLE_RS));
            tried++;
        }
    /* LIK1 needs 13 bits. */
    assert_true(tried || strncmp(c->unit.name, "LIK", 3) == 0);
}

static void test_golden(void **state) {
    (void)state;
    visit_recipes(want_golden);
}

/* The pieces of a constant: too wide for all values. */
static void want_golden_piece(const struct recipe *c) {
    uint64_t seed = 7;
    if (strncmp(c->unit.name, "LIK", 3) != 0)
        return;
    for (unsigned w = 12u * (unsigned)(c->unit.name[3] - '0') + 1; w <= 64; w++)
        for (unsigned i = 0; i < 200; i++) {
            struct golden_lane x = {.w = w};
            x.rd = splitmix64(&seed) & low_bits(w);
            x.imm = (int64_t)(splitmix64(&seed) & 0xfff) - (i & 1 ? 0x800 : 0);
            compare(c, &x);
        }
}

static void test_pieces(void **state) {
    (void)state;
    visit_recipes(want_golden_piece);
}

/* --- the language --- */

/* What computes says where the golden functions say nothing: constants, mixtures, counts. */
static const struct {
    const char *expression;
    unsigned w;
    uint64_t a, b, value;
} values[] = {
    {"(4095 << 12) >> 12", 4, 0, 0, 15},
    {"select(w > 12, 1, 2)", 4, 0, 0, 2},
    {"select(w > 12, 1, 2)", 13, 0, 0, 1},
    {"a << 100", 8, 255, 0, 0},
    {"s(a) >> 100", 8, 128, 0, 255},
    {"s(a) >> b", 8, 128, 255, 255},
    {"a >> b", 8, 128, 8, 0},
    {"1 << b", 3, 0, 2, 4},
    {"-1 >> b", 4, 0, 1, 7},
    {"s(a) + 1 < s(b)", 4, 7, 0, 1},
    {"a < -1", 4, 14, 0, 1},
    {"s(a) < -1", 4, 14, 0, 1},
    {"s(a) < -1", 4, 15, 0, 0},
    {"!a + !b", 4, 0, 3, 1},
    {"(a && b) + (a || b) * 2", 4, 4, 8, 3},
    {"a / 0", 6, 9, 0, 63},
    {"a % 0", 6, 9, 0, 9},
    {"s(a) / s(b)", 4, 9, 2, 13}, /* -7 / 2 = -3 */
    {"s(a) % s(b)", 4, 9, 2, 15}, /* -1 */
    {"floordiv(s(a), s(b))", 4, 9, 2, 12} /* -4 */,
    {"floormod(s(a), s(b))", 4, 9, 2, 1},
    {"floordiv(s(a), s(b))", 4, 9, 0, 15},
    {"floordiv(a, b)", 4, 9, 2, 4},
    {"floormod(a, b)", 4, 9, 2, 1},
    {"s(a) / -1", 4, 8, 0, 8},
    {"-7 / 2", 4, 0, 0, 13},
    {"max(s(a), 0)", 4, 8, 0, 0},
    {"min(a, 3)", 4, 8, 0, 3},
    {"flip(a)", 5, 3, 0, 24},
    {"popc(a)", 2, 3, 0, 2},
    {"s(a, 2)", 5, 2, 0, 30},
    {"s(a, 9)", 5, 2, 0, 2},
    {"s(a, 0)", 5, 2, 0, 0},
    {"~a == 12", 4, 3, 0, 1},
    {"valid + a", 4, 1, 0, 2},
};

/* A recipe that is read only: the contract of d is the expression. */
static struct recipe_ast read_contract(struct arena *arena, const struct target *t,
                                       const char *expression, struct diag *d) {
    char text[400];
    static struct recipe_file file = {.name = "x.recipe"};
    struct recipe_ast ast = {.arena = arena};
    snprintf(text, sizeof text, "recipe ADD(a, b) -> d any w needs NOR { computes d == (%s) }",
             expression);
    file.text = arena_strdup(arena, text);
    file.size = strlen(text);
    file.source = diag_source(d, file.name, file.text, file.size);
    assert_true(notation_parse(&ast, &file, t, d));
    assert_int_equal(ast.recipes.len, 1);
    ast.recipes.data[0]->op = OP_ADD;
    return ast;
}

/* Bodies that are passed over at first; braces in their comments are no braces. */
static void test_read_later(void **state) {
    static const char text[] = "recipe ADD(a, b) -> d any w needs NOR {\n"
                               "    # of } and {{, ## }\n"
                               "    computes d == a } # }\n"
                               "recipe SUB(a, b) -> d any w needs NOR { #}\n computes d == b }\n";
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    struct arena arena = {0};
    struct recipe_file file = {.name = "x.recipe", .text = text, .size = strlen(text)};
    struct recipe_ast ast = {.arena = &arena, .read_later = true};
    file.source = diag_source(d, file.name, file.text, file.size);
    assert_true(notation_parse(&ast, &file, t, d));
    assert_int_equal(ast.recipes.len, 2);
    for (size_t i = 0; i < 2; i++) {
        struct recipe_unit *unit = &ast.recipes.data[i]->unit;
        assert_true(unit->body_at);
        notation_read_body(&ast, unit, t, d);
        assert_false(unit->broken);
        assert_non_null(ast.recipes.data[i]->computes[0]);
    }
    assert_int_equal(diag_errors(d), 0);
    vec_free(&ast.recipes);
    arena_free(&arena);
    target_free(t);
    diag_free(d);
}

static void test_values(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct arena arena = {0};
        struct recipe_ast ast = read_contract(&arena, t, values[i].expression, d);
        const struct recipe *c = ast.recipes.data[0];
        struct golden_lane x = {
            .w = values[i].w, .rs = values[i].a, .rt = values[i].b, .valid = true};
        if (!recipe_computes_check(c, d))
            fail_msg("%s", diag_first(d));
        uint64_t got = recipe_computes_eval(c, c->computes[0], &x);
        if (got != values[i].value)
            fail_msg("%s at width %u: %llu, expected %llu", values[i].expression, x.w,
                     (unsigned long long)got, (unsigned long long)values[i].value);
        vec_free(&ast.recipes);
        vec_free(&ast.subs);
        arena_free(&arena);
    }
    target_free(t);
    diag_free(d);
}

#define CAS_BODY                                                                                   \
    "recipe CAS(a, b) -> a, b   any w   needs NOR, OR, COPY\n"                                     \
    "{\n"                                                                                          \
    "  for j in 0 .. w-1 {\n"                                                                      \
    "    n = NOR(a[j], zero)\n"                                                                    \
    "    m = NOR(b[j], zero)\n"                                                                    \
    "    p = OR(a[j], b[j])\n"                                                                     \
    "    a[j] = NOR(n, m)\n"                                                                       \
    "    b[j] = COPY(p)\n"                                                                         \
    "  }\n"

/* Contracts are looked at before the micro-ops are run, so the place of the message is theirs. */
static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *contract, *place, *words;
    } cases[] = {
        {"  computes a == min(a, b), a == a\n", "10:28", "a second 'computes' for 'a'"},
        {"  computes a == min(a, b)\n  computes a == a\n", "11:12", "a second 'computes'"},
        {"  computes a == min(a, b), b\n", "10:28", "result == expression"},
        {"  computes a == smallest(a, b)\n", "10:17", "not 'smallest'"},
        {"  computes a == min(a)\n", "10:17", "not 'min'"},
        {"  computes a == s(a, b)\n", "10:22", "a constant number of bits"},
        {"  computes a == min(s(a), b)\n", "10:17", "one side is signed"},
        {"  computes a == select(s(a) < b, a, b)\n", "10:24", "one side is signed"},
        {"  computes a == a / s(b)\n", "10:17", "one side is signed"},
        {"  computes a == a[0]\n", "10:17", "not of bits of 'a'"},
        {"  computes a == min(a, bb)\n", "10:24", "no operand is called 'bb'"},
        {"  computes w == a\n", "10:12", "names a result"},
        {"  computes a == max(a, b)\n", "10:12", "'computes' is"},
        {"  computes b == max(a, b), a == max(a, b)\n", "10:28", "'computes' is"},
    };
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    bool fine = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[800];
        snprintf(text, sizeof text, "%s%s}\n", CAS_BODY, cases[i].contract);
        fine &= is_refused(t, text, cases[i].place, cases[i].words);
    }
    assert_true(fine);
    target_free(t);
    diag_free(d);
}

/* A chain of operators nests to the left; its readers recurse. */
static void test_long_chain(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    struct str text = {0};
    str_append(&text, CAS_BODY "  computes a == a");
    for (unsigned i = 0; i < 200000; i++)
        str_append(&text, "+a");
    str_append(&text, "\n}\n");
    want_refused(t, text.text, "10:2020", "operators in a row");
    str_free(&text);
    target_free(t);
    diag_free(d);
}

/* A user's recipe may say less than all. */
static void test_partial(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    want_taken(t, "recipe MOV(a) -> d   any w   needs COPY\n"
                  "{ for j in 0 .. w-1 { d[j] = COPY(a[j]) } }\n");
    target_free(t);
    diag_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_are_read), cmocka_unit_test(test_complete),
        cmocka_unit_test(test_golden),       cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_read_later),   cmocka_unit_test(test_values),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_partial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
