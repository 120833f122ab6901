/* SPDX-License-Identifier: MIT
 * 10,000 damaged programs: each ends in an object or in an error, never in anything else.  Seeds
 * are the examples and the programs with mistakes. */
#include "tests/draws.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MUTANTS draws(DRAWS_EZPIM_HOSTILE)

/* Pieces that a mutation puts in: words of the language, limits, and bytes of no meaning. */
static const char *const pieces[] = {"{",
                                     "}",
                                     "(",
                                     ")",
                                     "[",
                                     "]",
                                     ";",
                                     ",",
                                     ":",
                                     "@",
                                     "=",
                                     "==",
                                     "<<=",
                                     "<",
                                     "-",
                                     "~",
                                     "!",
                                     "&&",
                                     "..",
                                     ".",
                                     "main",
                                     "compute",
                                     "let",
                                     "group",
                                     "size",
                                     "const",
                                     "in",
                                     "out",
                                     "like",
                                     "at RFH1.VRF2",
                                     "repeat",
                                     "while",
                                     "asm",
                                     "mpus ring[3]; group g[n] on ring;",
                                     "mpus grid[2, 3];",
                                     "on ring",
                                     "main on ring {",
                                     "on ring[1] { send x to ring[2]; }",
                                     "on ring[2] { recv x from ring[1]; }",
                                     "allreduce sum x;",
                                     "reduce max y = x to ring[1];",
                                     "broadcast x from ring[2];",
                                     "allgather",
                                     "alltoall x;",
                                     "transpose",
                                     "barrier;",
                                     "asm in(x) out(y) {",
                                     "send",
                                     "u64",
                                     "i64",
                                     "bool",
                                     "u8[64]",
                                     "[0]",
                                     "[63]",
                                     "1 << 100",
                                     "18446744073709551615",
                                     "99999999999999999999999",
                                     "0x",
                                     "-1",
                                     "/*",
                                     "//",
                                     "\n",
                                     "\xff\xfe",
                                     "$",
                                     "\"",
                                     "popc(",
                                     "select(",
                                     "u8(",
                                     "ADD.64 r1 r2 r3;",
                                     "CAS x y;",
                                     "QRDIV x y z;",
                                     "r63"};

/* An error and no object, or an object that reads back. */
static void compile_mutant(const struct str *text, int level) {
    struct diag *d = diag_new(NULL, NULL);
    struct ez_options options = {.optimize = level, .debug = true};
    struct object *o = ez_compile("mutant.ez", str_text(text), text->len, &options, d);
    assert_int_equal(o == NULL, diag_errors(d) > 0);
    if (o) {
        struct str bytes = {0};
        object_write(o, &bytes);
        struct object *again = object_read("mutant.o", bytes.text, bytes.len, d);
        assert_non_null(again);
        object_free(again);
        object_free(o);
        str_free(&bytes);
    }
    diag_free(d);
}

static void emit_mutant(const struct str *text, enum ez_emit form) {
    struct diag *d = diag_new(NULL, NULL);
    struct str out = {0};
    struct ez_options options = {.emit = form, .emit_text = &out};
    assert_null(ez_compile("mutant.ez", str_text(text), text->len, &options, d));
    assert_true(diag_errors(d) > 0 || form == EZ_EMIT_AST || out.len > 0 || text->len == 0);
    str_free(&out);
    diag_free(d);
}

static void test_mutants(void **state) {
    (void)state;
    struct seeds seeds = {0};
    seeds_add_folder(&seeds, MPU_SOURCE_DIR "/examples", ".ez");
    seeds_add_folder(&seeds, MPU_SOURCE_DIR "/examples/float", ".ez");
    seeds_add_folder(&seeds, MPU_SOURCE_DIR "/tests/ezpim/messages", ".ez");
    for (unsigned i = 0; i < MUTANTS; i++) {
        struct str text = {0};
        mutant(&seeds, i, pieces, sizeof pieces / sizeof *pieces, &text);
        compile_mutant(&text, (int)(i % 3));
        if (i % 8 == 0)
            emit_mutant(&text, i % 16 ? EZ_EMIT_AST : EZ_EMIT_IR);
        str_free(&text);
    }
    seeds_free(&seeds);
}

static void repeat_text(struct str *s, const char *text, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        str_append(s, text);
}

/* Deep nesting in every form in which the parser or a later phase recurses. */
static void test_depth(void **state) {
    (void)state;
    static const struct {
        const char *open, *middle, *close;
    } forms[] = {
        {"(", "x", ")"},     {"-", "x", ""},    {"~", "x", ""},
        {"u8(", "x", ")"},   {"x + ", "x", ""}, {"min(x, ", "x", ")"},
        {"x[", "0", "]"},    {"!", "p", ""},    {"select(p, x, ", "x", ")"},
        {"1 - (", "x", ")"},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (unsigned depth = 100; depth <= 100000; depth *= 10) {
            struct str s = {0};
            str_append(&s, "size n; group g[n]; in x: u8 @ g; in p: bool @ g; out z: u8 @ g;"
                           "main { compute g { z = ");
            repeat_text(&s, forms[f].open, depth);
            str_append(&s, forms[f].middle);
            repeat_text(&s, forms[f].close, depth);
            str_append(&s, "; } }");
            compile_mutant(&s, 1);
            str_free(&s);
        }
    static const char *const blocks[] = {"if (p) { ", "repeat (2) { ", "{ ", "compute g { ",
                                         "if (p) { } else "};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (unsigned depth = 100; depth <= 100000; depth *= 10) {
            struct str s = {0};
            str_append(&s, "main { ");
            repeat_text(&s, blocks[b], depth);
            compile_mutant(&s, 1);
            repeat_text(&s, "}", depth + 1);
            compile_mutant(&s, 1);
            str_free(&s);
        }
}

/* docs/limits.md: what is taken, and one more that is not. */
static void test_limits(void **state) {
    (void)state;
    static const struct {
        const char *open, *middle, *close, *why;
        unsigned most;
    } forms[] = {{"(", "x", ")", "nested more than 1000 levels deep", 1000},
                 {"-", "x", "", "nested more than 1000 levels deep", 1000},
                 {"u8(", "x", ")", "nested more than 1000 levels deep", 1000},
                 {"x ^ (", "x", ")", "nested more than 1000 levels deep", 1000},
                 {"x + ", "x", "", "more than 5000 operators in a row", 5000},
                 {"", "x", " - x", "more than 5000 operators in a row", 5000},
                 {"", "x * 2", " + x * 2", "more than 5000 operators in a row", 4999}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (unsigned over = 0; over < 2; over++) {
            struct str s = {0}, messages = {0};
            str_append(&s,
                       "size n; group g[n]; in x: u8 @ g; out z: u8 @ g; main { compute g { z = ");
            repeat_text(&s, forms[f].open, forms[f].most + over);
            str_append(&s, forms[f].middle);
            repeat_text(&s, forms[f].close, forms[f].most + over);
            str_append(&s, "; } }");
            struct object *o = build_object(str_text(&s), 0, &messages);
            if ((o == NULL) != over || (over && !strstr(str_text(&messages), forms[f].why)))
                fail_msg("%u times %s%s: %s", forms[f].most + over, forms[f].open, forms[f].close,
                         str_text(&messages));
            object_free(o);
            str_free(&s);
            str_free(&messages);
        }
}

/* Constants of floating point that stand for each other are as high as all together. */
static void test_constants(void **state) {
    (void)state;
    struct str s = {0}, messages = {0};
    str_append(&s, "const c0 = 1.5;\n");
    for (unsigned i = 1; i < 10; i++) {
        str_printf(&s, "const c%u = c%u", i, i - 1);
        repeat_text(&s, " + 1.5", 4000);
        str_append(&s, ";\n");
    }
    str_append(&s, "size n; group g[n]; inout f: f32 @ g; main { compute g { f = f * c9; } }");
    assert_null(build_object(str_text(&s), 0, &messages));
    assert_non_null(strstr(str_text(&messages), "with the constants in it"));
    str_free(&s);
    str_free(&messages);
}

/* Many missing semicolons: the text is parsed again for each, but not for ever. */
static void test_many_errors(void **state) {
    (void)state;
    struct str s = {0};
    str_append(&s, "main { compute g {\n");
    repeat_text(&s, "x = y\n", 20000);
    str_append(&s, "} }");
    compile_mutant(&s, 1);
    str_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mutants), cmocka_unit_test(test_depth), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_constants), cmocka_unit_test(test_many_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
