/* SPDX-License-Identifier: MIT
 * Ten thousand damaged recipe texts and as many damaged target files: each ends in a result or in a
 * message.
 *   test_recipe_hostile          from fixed seeds
 *   test_recipe_hostile SEED     from others: ./dev fuzz */
#include "tests/draws.h"
#include "made_up.h"
#include "text.h"

#include "isa-spec/builtin.h"
#include "recipe/timing/timing.h"
#include "support/bits.h"
#include "support/file.h"
#include "support/str.h"
#include "support/vec.h"

#include <stdio.h>
#include <unistd.h>

/* Fewer of them under sanitizers, where each takes three times as long; ./dev fuzz has more. */
#define RECIPES draws(DRAWS_RECIPE_HOSTILE)
#define TARGETS draws(DRAWS_RECIPE_HOSTILE_TARGETS)

static uint64_t first_seed, seed;

static size_t below(size_t n) {
    return n ? (size_t)(splitmix64(&seed) % n) : 0;
}

/* Pieces that grammars care about. */
static const char *const pieces[] = {"{",
                                     "}",
                                     "(",
                                     ")",
                                     "[",
                                     "]",
                                     "@",
                                     "..",
                                     "downto",
                                     "serial ",
                                     "for ",
                                     "if ",
                                     "else ",
                                     "carry ",
                                     "let ",
                                     "at ",
                                     "sub ",
                                     "recipe ",
                                     "w",
                                     "0",
                                     "64",
                                     "-1",
                                     "9999999999",
                                     "9223372036854775807",
                                     "w-1",
                                     "a[j]",
                                     "d",
                                     "C",
                                     "M",
                                     "zero",
                                     "NOR",
                                     "BUF",
                                     "= ",
                                     ", ",
                                     "-> ",
                                     "!",
                                     "<<",
                                     "*",
                                     "/",
                                     "computes ",
                                     "expect ",
                                     "needs ",
                                     "generic",
                                     "#",
                                     "\n",
                                     ": ",
                                     "\"",
                                     "- ",
                                     "&x ",
                                     "*x",
                                     "|\n",
                                     "?",
                                     "\xc3\xa4",
                                     "\xff",
                                     "source: x",
                                     "extends: racer",
                                     "{}",
                                     "[]",
                                     "~",
                                     "%",
                                     "latch: true, ",
                                     "use: compute, ",
                                     "activate: 2, ",
                                     "\"!T0\"",
                                     "[T0, T1]",
                                     "maj(a, b, c)",
                                     "null",
                                     "scratch: 5, ",
                                     "by: latch, ",
                                     "here",
                                     "class(a)",
                                     "sets: { x: { ",
                                     "set: fast"};

static void mutate_once(struct str *text) {
    struct str out = {0};
    size_t a = below(text->len + 1), b = a + below(below(4) ? 4 : text->len - a + 1);
    if (b > text->len)
        b = text->len;
    size_t c = below(text->len + 1), d = c + below(24);
    if (d > text->len)
        d = text->len;
    const char *s = str_text(text);
    str_append_n(&out, s, a);
    switch (below(6)) {
    case 0:
        str_append(&out, pieces[below(sizeof pieces / sizeof pieces[0])]);
        str_append_n(&out, s + a, text->len - a);
        break;
    case 1:
        str_append(&out, pieces[below(sizeof pieces / sizeof pieces[0])]);
        str_append_n(&out, s + b, text->len - b);
        break;
    case 2:
        str_append_n(&out, s + b, text->len - b);
        break;
    case 3:
        str_append_n(&out, s + c, d - c);
        str_append_n(&out, s + a, text->len - a);
        break;
    case 4:
        str_char(&out, (char)(1 + below(255)));
        str_append_n(&out, s + b, text->len - b);
        break;
    default:
        if (below(4))
            str_append_n(&out, s + a, text->len - a);
        break;
    }
    str_free(text);
    *text = out;
}

static void mutate(struct str *text) {
    for (size_t n = 1 + below(4); n; n--)
        mutate_once(text);
}

/* --- recipes --- */

/* The recipes and subs of the built-in files, one by one; long ones of quadratic cost are left
 * out, since each mutant is expanded at many widths. */
struct corpus {
    VEC(const char *) at;
    VEC(size_t) sizes;
};

static const char *next_unit(const char *at) {
    const char *recipe = strstr(at, "\nrecipe "), *sub = strstr(at, "\nsub ");
    const char *next = recipe && (!sub || recipe < sub) ? recipe : sub;
    return next ? next + 1 : at + strlen(at);
}

static bool is_long(const char *at) {
    static const char *const names[] = {"recipe MUL", "recipe MAC", "recipe POPC", "recipe BFLIP"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(at, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void collect(struct corpus *c) {
    size_t count;
    const struct builtin_file *files = isa_builtin_files(&count);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(files[i].path, "recipes/", 8) != 0)
            continue;
        for (const char *at = next_unit(files[i].text); *at;) {
            const char *end = next_unit(at);
            if (!is_long(at)) {
                vec_push(&c->at, at);
                vec_push(&c->sizes, (size_t)(end - at));
            }
            at = end;
        }
    }
}

/* A set that was opened expands whatever the ISA allows. */
static void use_set(const struct target *t, const struct recipe_set *s) {
    for (int op = 0; op < OP_COUNT; op += 1 + (int)below(20)) {
        struct insn insn = {.op = (enum isa_op)op,
                            .width = (uint8_t)(1 + below(20)),
                            .imm = (int32_t)below(12),
                            .rs = 1,
                            .rt = (uint8_t)(1 + below(2)),
                            .rd = (uint8_t)(1 + below(3))};
        struct uop_list list = {0};
        struct timing_profile p;
        const char *error;
        uint32_t start = 0;
        if (recipe_expand(s, &insn, below(2), &list, NULL))
            recipe_timing_schedule(t, list.data, list.len, &start, 1, &p, NULL, &error);
        vec_free(&list);
    }
}

static void test_recipes(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    struct corpus c = {0};
    unsigned taken = 0, refused = 0;
    collect(&c);
    assert_true(c.at.len > 50);
    seed = first_seed + 20;
    for (unsigned i = 0; i < RECIPES; i++) {
        size_t k = below(c.at.len);
        struct str text = {0};
        str_append_n(&text, c.at.data[k], c.sizes.data[k]);
        mutate(&text);
        struct diag *own = diag_new(NULL, NULL);
        struct recipe_set *s =
            recipe_set_open_with(t, "mutant.recipe", str_text(&text), text.len, own);
        diag_flush(own);
        if ((s != NULL) != (diag_errors(own) == 0))
            fail_msg("mutant %d: no message\n%s", i, str_text(&text));
        if (s && i % 16 == 0)
            use_set(t, s);
        taken += s != NULL;
        refused += s == NULL;
        recipe_set_free(s);
        diag_free(own);
        str_free(&text);
    }
    print_message("%u taken, %u refused\n", taken, refused);
    assert_true(taken > RECIPES / 100 && refused > RECIPES / 2);
    vec_free(&c.at);
    vec_free(&c.sizes);
    target_free(t);
    diag_free(d);
}

/* --- targets --- */

/* What later code relies on. */
static void check_op(const struct target *t, const struct target_op *op) {
    assert_true(op->ndst > 0 && op->ndst <= OP_MAX_DESTS && op->nsrc <= OP_MAX_SOURCES);
    assert_true(op->nsrc + op->reads_old <= OP_MAX_SOURCES);
    assert_true(op->first_variant <= op - plane_target(t)->ops &&
                op->preset <= plane_target(t)->op_count);
    assert_string_equal(plane_target(t)->ops[op->first_variant].name, op->name);
    for (unsigned i = 0; i < (unsigned)op->nsrc + op->ndst; i++)
        assert_true(op->fixed[i] <= plane_target(t)->row_class_count);
    for (unsigned i = 0; i < op->ndst; i++) {
        assert_true(op->tied[i] <= op->nsrc);
        assert_int_equal((uint64_t)op->truth[i] >> (1u << (op->nsrc + op->reads_old)), 0);
    }
}

static void check_rows(const struct target *t) {
    uint32_t scratch = 0, registers = 0, first = plane_target(t)->register_class;
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++) {
        const struct row_class *c = &plane_target(t)->row_classes[i];
        uint32_t rows = (c->last - c->first) / c->step + 1;
        assert_int_equal(c->first_scratch, scratch);
        assert_true(c->latch || c->last < plane_target(t)->rows);
        assert_true(c->scratch_rows <= rows);
        assert_true(c->registers || i != first);
        assert_true(!c->more_registers || c->more_registers > i);
        registers += c->registers ? rows - c->scratch_rows : 0;
        scratch += c->scratch_rows;
    }
    assert_int_equal(scratch, plane_target(t)->scratch_rows);
    assert_int_equal(registers, plane_target(t)->register_rows);
    for (uint32_t i = 0; i < plane_target(t)->group_count; i++)
        for (unsigned k = 0; k < plane_target(t)->groups[i].count; k++)
            assert_true(plane_target(t)->groups[i].class[k] < plane_target(t) -> row_class_count);
}

/* A target that was taken is printed as one with the same keys. */
static void check_printed(const struct target *t, const char *path) {
    struct str text = {0};
    struct diag *d = diag_new(NULL, NULL);
    target_print(t, &text);
    assert_true(file_write(path, str_text(&text), text.len));
    struct target *again = target_open(path, NULL, 0, d);
    if (!again)
        fail_msg("%s\n%s", diag_first(d), str_text(&text));
    assert_int_equal(again->key_count, t->key_count);
    for (size_t i = 0; i < t->key_count; i++)
        assert_string_equal(again->keys[i].value, t->keys[i].value);
    target_free(again);
    diag_free(d);
    str_free(&text);
}

static void check_target(const struct target *t, const char *path) {
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        check_op(t, &plane_target(t)->ops[i]);
    if (t->kind == &technology_target_kind)
        check_rows(t);
    if (below(4) == 0)
        check_printed(t, path);
}

static void try_target(const char *path, const struct str *text, bool expands, unsigned *taken) {
    struct diag *d = diag_new(NULL, NULL);
    assert_true(file_write(path, str_text(text), text->len));
    struct target *t = target_open(path, NULL, 0, d);
    diag_flush(d);
    if ((t != NULL) != (diag_errors(d) == 0))
        fail_msg("no message for\n%s", str_text(text));
    if (t)
        check_target(t, path);
    if (t && expands && below(8) == 0) {
        struct recipe_set *s = recipe_set_open(t, d);
        recipe_set_free(s);
    }
    *taken += t != NULL;
    target_free(t);
    diag_free(d);
}

/* Technologies of all kinds; racer's mutants also get their recipes. */
static void read_corpus(struct str corpus[5]) {
    static const char *const names[] = {"mtj", "imply", "ambit", "latched"};
    const struct builtin_file *f = isa_builtin_find("targets/racer.yaml");
    str_append_n(&corpus[0], f->text, f->size);
    for (size_t i = 0; i < 4; i++) {
        char path[1024];
        size_t size;
        char *text = file_read(made_up_path(path, names[i]), &size);
        assert_non_null(text);
        str_append_n(&corpus[1 + i], text, size);
        free(text);
    }
}

static void test_targets(void **state) {
    (void)state;
    char path[] = MPU_BINARY_DIR "/tests/mutant-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    close(fd);
    struct str corpus[5] = {{0}};
    unsigned taken[5] = {0};
    read_corpus(corpus);
    seed = first_seed + 30;
    for (unsigned i = 0; i < TARGETS; i++) {
        struct str text = {0};
        str_append_n(&text, str_text(&corpus[i % 5]), corpus[i % 5].len);
        mutate(&text);
        try_target(path, &text, i % 5 == 0, &taken[i % 5]);
        str_free(&text);
    }
    for (unsigned i = 0; i < 5; i++) {
        print_message("%u of %u taken\n", taken[i], TARGETS / 5);
        assert_true(taken[i] > 20 && taken[i] < TARGETS / 5 - 20);
        str_free(&corpus[i]);
    }
    unlink(path);
}

/* Deep nesting, long lines, many keys, many loops: bounded work. */
static void test_bombs(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = open_racer(d);
    struct str text = {0};
    char message[400];
    str_append(&text, "recipe MOV(a) -> d any w needs COPY { ");
    for (int i = 0; i < 100000; i++)
        str_append(&text, "if ((((");
    assert_false(takes(t, str_text(&text), message, sizeof message));
    str_clear(&text);
    str_append(&text, "sub F(x) -> y { y = COPY(x) ");
    for (int i = 0; i < 9; i++)
        str_printf(&text, "serial for i%d in 0 .. 1000000 { ", i);
    for (int i = 0; i < 9; i++)
        str_append(&text, "}");
    str_append(&text,
               "}\nrecipe MOV(a) -> d any w needs COPY { for j in 0 .. w-1 { d[j] = F(a[j]) } }");
    assert_false(takes(t, str_text(&text), message, sizeof message));
    assert_non_null(strstr(message, "does not end"));
    str_clear(&text);
    /* Subs that call one another twice each: 2^15 calls, or an error, but not for ever. */
    str_append(&text, "sub S0(x) -> y { y = COPY(x) }\n");
    for (int i = 1; i < 30; i++)
        str_printf(&text, "sub S%d(x) -> y { t = S%d(x) y = S%d(t) }\n", i, i - 1, i - 1);
    str_append(&text,
               "recipe MOV(a) -> d any w needs COPY { for j in 0 .. w-1 { d[j] = S29(a[j]) } }");
    assert_false(takes(t, str_text(&text), message, sizeof message));
    str_clear(&text);
    unsigned taken = 0;
    const char *path = MPU_BINARY_DIR "/tests/bomb.yaml";
    for (int i = 0; i < 20000; i++)
        str_append(&text, "[");
    try_target(path, &text, true, &taken);
    str_clear(&text);
    for (int i = 0; i < 5000; i++)
        str_printf(&text, "k%d: %d\n", i, i);
    try_target(path, &text, true, &taken);
    str_clear(&text);
    str_append(&text, "schema: 1\nname: x\nextends: racer\nsummary: ");
    while (text.len < 60000)
        str_append(&text, "\xc3\xa4 ");
    try_target(path, &text, true, &taken);
    while (text.len < 200000)
        str_append(&text, "x");
    try_target(path, &text, true, &taken);
    assert_int_equal(taken, 1);
    unlink(path);
    str_free(&text);
    target_free(t);
    diag_free(d);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_recipes),
        cmocka_unit_test(test_targets),
    };
    first_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
