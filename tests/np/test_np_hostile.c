/* SPDX-License-Identifier: MIT
 * 10,000 damaged kernels: each ends in an object or in an error, never in anything else.  Seeds are
 * the kernels of the tests, the examples and the kernels with mistakes. */
#include "tests/draws.h"
#include "ezpim/np/np.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define MUTANTS draws(DRAWS_NP_HOSTILE)
enum { MOST_SECONDS = 20 /* of work for one of them */ };

/* Pieces that a mutation puts in: words of the language, limits, and bytes of no meaning. */
static const char *const pieces[] = {
    "\r",
    "\r\n",
    "18446744073709551616",
    "(",
    ")",
    "[",
    "]",
    "{",
    ":",
    ",",
    "=",
    "==",
    "->",
    "**",
    "//",
    "<<",
    "@",
    "~",
    "-",
    ".",
    "...",
    ";",
    "\n",
    "\n    ",
    "\n        ",
    "\t",
    "#",
    "'",
    "\"\"\"",
    "\\\n",
    "# layout: x = lanes\n",
    "\xff\xfe",
    "\r\n",
    "\xc3\xa9",
    "0",
    "1",
    "-1",
    "1 << 100",
    "10 ** 40",
    "99999999999999999999999999999999999999999999",
    "1e400",
    "0x",
    "0b2",
    "1_000",
    "None",
    "True",
    "N",
    "x",
    "x[0]",
    "x[mask]",
    "x[::-1]",
    "x[::0]",
    ".T",
    ".copy()",
    ".reshape(-1)",
    ".astype(np.uint8)",
    ".sum(axis=0, keepdims=True, dtype=np.int32)",
    ".argmin()",
    "[np.newaxis, ...]",
    "np.int32(",
    "np.where(x > 3, x, 0)",
    "np.take(x, x, mode='wrap')",
    "np.stack((x, x), axis=1)",
    "np.concatenate([x, x])",
    "np.arange(2 ** 40, dtype=np.int64)",
    "np.zeros((2, 3, 4), dtype=np.int64)",
    "np.cumsum(x, dtype=np.int32)",
    "np.broadcast_to(x, (3, N))",
    "np.array([1, 2], dtype=np.int8)",
    "\n    x += 1\n",
    "\n    for i in range(3):\n        x += i\n",
    "\n    for i in range(10 ** 9):\n        x += i\n",
    "\n    while np.any(x > 3):\n        x -= 1\n",
    "\n    if N > 3:\n        x = x + 1\n    else:\n        pass\n",
    "\n    return x, x\n",
    "\ndef g(a, b):\n    return a + b\n",
    "g(x, x)",
    "f(x)",
    "def ",
    "lambda",
    "import os",
    "if __name__ == '__main__':\n    f()\n",
    "bool[N]",
    "host_u8[3]",
    "i64[1 << 20, 1 << 20]",
    "u8",
};
enum { PIECES = sizeof pieces / sizeof *pieces };

/* An error and no object, or an object that reads back. */
static bool compile_mutant(const struct str *text, int level) {
    struct diag *d = diag_new(NULL, NULL);
    const struct ez_options options = {.optimize = level, .debug = true};
    clock_t begin = clock(); /* of this process */
    struct object *o = np_compile("mutant.py", str_text(text), text->len, &options, d);
    if ((o == NULL) != (diag_errors(d) > 0))
        fail_msg("%s, with %u errors:\n%s", o ? "compiled" : "not compiled",
                 (unsigned)diag_errors(d), str_text(text));
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
    if ((clock() - begin) / CLOCKS_PER_SEC > MOST_SECONDS)
        fail_msg("takes too long:\n%s", str_text(text));
    return o != NULL;
}

/* What runs: the suite's mutants, or those of the command line. */
static uint64_t first_mutant = 0, mutants;

static void test_mutants(void **state) {
    (void)state;
    struct seeds seeds = {0};
    unsigned good = 0;
    for (unsigned i = 0; i < 4; i++) { /* there are many with mistakes */
        seeds_add_folder(&seeds, MPU_SOURCE_DIR "/tests/np/kernels", ".py");
        seeds_add_folder(&seeds, MPU_SOURCE_DIR "/tests/np/kernels/float", ".py");
        seeds_add_folder(&seeds, MPU_SOURCE_DIR "/examples/numpy", ".py");
        seeds_add_folder(&seeds, MPU_SOURCE_DIR "/examples/numpy/float", ".py");
    }
    seeds_add_folder(&seeds, MPU_SOURCE_DIR "/tests/np/errors", ".py");
    for (uint64_t i = first_mutant; i - first_mutant < mutants; i++) {
        struct str text = {0};
        mutant(&seeds, i, pieces, PIECES, &text);
        good += compile_mutant(&text, (int)(i % 3));
        str_free(&text);
    }
    print_message("%u of %llu mutants are compiled\n", good, (unsigned long long)mutants);
    assert_in_range(good, mutants / 20, mutants / 2);
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
    } forms[] = {{"(", "x", ")"},
                 {"-", "x", ""},
                 {"~", "x", ""},
                 {"not ", "x", ""},
                 {"x + ", "x", ""},
                 {"x ** ", "2", ""},
                 {"np.minimum(x, ", "x", ")"},
                 {"np.stack((", "x", ",))"},
                 {"x[", "0", "]"},
                 {"", "x", ".T"},
                 {"", "x", "[0:1]"},
                 {"[", "x", "]"},
                 {"", "x", " if N else x"},
                 {"1 - (", "x", ")"}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (unsigned depth = 100; depth <= 100000; depth *= 10) {
            struct str s = {0};
            str_append(&s, "import numpy as np\nN = 3\ndef f(x: i32[N]):\n    return ");
            repeat_text(&s, forms[f].open, depth);
            str_append(&s, forms[f].middle);
            repeat_text(&s, forms[f].close, depth);
            str_char(&s, '\n');
            compile_mutant(&s, 1);
            str_free(&s);
        }
}

static struct object *compile_text(const struct str *text, struct str *messages) {
    struct diag *d = diag_new(collect_messages, messages);
    const struct ez_options options = {0};
    struct object *o = np_compile("deep.py", str_text(text), text->len, &options, d);
    diag_free(d);
    return o;
}

/* docs/limits.md: what is taken, and one more that is not. */
static void test_limits(void **state) {
    (void)state;
    static const struct {
        const char *open, *middle, *close, *why;
        unsigned most;
    } forms[] = {{"(", "x", ")", "nested more than 1000 levels deep", 1000},
                 {"-", "x", "", "nested more than 1000 levels deep", 1000},
                 {"np.abs(", "x", ")", "nested more than 1000 levels deep", 999}, /* np. is one */
                 {"x ^ (", "x", ")", "nested more than 1000 levels deep", 1000},
                 {"x + ", "x", "", "more than 5000 operators in a row", 5000},
                 {"", "x * 2", " + x * 2", "more than 5000 operators in a row", 4999}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (unsigned over = 0; over < 2; over++) {
            struct str s = {0}, messages = {0};
            str_append(&s, "import numpy as np\ndef f(x: u8[4]):\n    return ");
            repeat_text(&s, forms[f].open, forms[f].most + over);
            str_append(&s, forms[f].middle);
            repeat_text(&s, forms[f].close, forms[f].most + over);
            str_char(&s, '\n');
            struct object *o = compile_text(&s, &messages);
            if ((o == NULL) != over || (over && !strstr(str_text(&messages), forms[f].why)))
                fail_msg("%u times %s%s: %s", forms[f].most + over, forms[f].open, forms[f].close,
                         str_text(&messages));
            object_free(o);
            str_free(&s);
            str_free(&messages);
        }
}

/* Functions that call each other from deep inside of their expressions. */
/* Each kind of what can stand in itself, in functions that call each other. */
static void calls_within(const char *open, const char *close) {
    struct str s = {0}, messages = {0};
    str_append(&s, "import numpy as np\ndef f0(x):\n    return x + 1\n");
    for (unsigned i = 1; i < 60; i++) {
        str_printf(&s, "def f%u(x):\n    return ", i);
        repeat_text(&s, open, 300);
        str_printf(&s, "f%u(x)", i - 1);
        repeat_text(&s, close, 300);
        str_char(&s, '\n');
    }
    str_append(&s, "def k(x: i32[4]):\n    return f59(x)\n");
    assert_null(compile_text(&s, &messages));
    assert_non_null(strstr(str_text(&messages), "nested more than 3000 levels deep"));
    str_free(&s);
    str_free(&messages);
}

static void test_calls(void **state) {
    static const char *const around[][2] = {
        {"abs(", ")"},
        {"np.abs(", ")"},
        {"np.where(x > 3, x, ", ")"},
        {"np.sum(", ", axis=0)"},
        {"-", ""},
        {"(1 + ", ")"},
        {"(", ")[0]"},
        {"(not ", ")"},
        {"(1 and ", ")"},
        {"(1 if ", " else 2)"},
        {"[", "]"},
        {"(", ",)"},
        {"np.int32(", ")"},
        {"x[0:", "]"},
        {"(", ").T"},
        {"(x < ", ")"},
        {"np.concatenate((x, ", "))"},
        {"(", ").sum()"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        calls_within(around[i][0], around[i][1]);
}

/* Blocks in each other. */
static void test_blocks(void **state) {
    (void)state;
    static const char *const heads[] = {"if N:\n", "for i in range(1):\n", "while np.any(x > 3):\n",
                                        "if not N:\n"};
    for (size_t b = 0; b < sizeof heads / sizeof *heads; b++)
        for (unsigned depth = 10; depth <= 1000; depth *= 10) {
            struct str s = {0};
            str_append(&s, "import numpy as np\nN = 3\ndef f(x: i32[N]):\n");
            for (unsigned i = 0; i < depth; i++) {
                repeat_text(&s, " ", i + 1);
                str_append(&s, heads[b]);
            }
            repeat_text(&s, " ", depth + 1);
            str_append(&s, "x -= 1\n return x\n");
            compile_mutant(&s, 1);
            str_free(&s);
        }
}

/* Many mistakes: the text is parsed again for each, but not for ever. */
static void test_many_errors(void **state) {
    (void)state;
    struct str s = {0};
    str_append(&s, "def f(x: i32[3]):\n");
    repeat_text(&s, "    x = = y\n", 20000);
    compile_mutant(&s, 1);
    str_free(&s);
}

/* [FIRST COUNT]: other mutants than the suite's, for longer runs. */
int main(int argc, char **argv) {
    mutants = MUTANTS;
    if (argc == 3) {
        first_mutant = strtoull(argv[1], NULL, 10);
        mutants = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mutants), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_limits),  cmocka_unit_test(test_calls),
        cmocka_unit_test(test_blocks),  cmocka_unit_test(test_many_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
