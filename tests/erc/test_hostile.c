/* SPDX-License-Identifier: MIT
 * Damaged programs of the imported dialect: each ends in an object that reads back or in an error,
 * never in anything else. */
#include "tests/draws.h"
#include "support/bits.h"
#include "support/file.h"
#include "tests/erc/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MUTANTS draws(DRAWS_ERC_HOSTILE)

static const char *const files[] = {"ezpim/import.erc", "ezpim/import-errors.erc",
                                    "ezpim/import-later.erc", "ezpim/import-differs.erc",
                                    "mpu-as/import.rc"};
enum { FILES = sizeof files / sizeof *files };

/* Blocks in blocks, subroutines, masks across ensembles, transfers, messages. */
static const char rich[] =
    "#define n 4\nfunc f(a, b)\nADD [a] [b] [a]\nendfunc\nCOMPUTE_ALL 0\nSETMASK 5\n"
    "if 60,61<-(1 > 2)\nwhile 59,58<-(3 > 4)\nDEC 3 3\nf(1, n)\nJUMP sub\nendwhile\nelif 57<-(1 == 2)\n"
    "GETMASK 60\nelse\nMUL8 1 2 3\nendif\ntop:\nINC 6 6\nCMPEQ 6 7\nJUMP_COND top\nCOMPUTE_DONE\n"
    "MOVE 0 1\nMEM_COPY 0 1 0 1\nMEM_COPY_RSHIFT 0 1 2 0 1\nMEM_BCAST 0 1 2 0 1\nMOVE_DONE\n"
    "COMPUTE 0 0\nCOMPUTE 1 1\nUNMASK\nCOMPUTE_DONE\nMPI_SEND 1 0 0\nMEM_COPY 0 1 0 1\n"
    "MPI_SEND_DONE\nMPI_RECV 1\nEOF\nsub:\nINV_TORUS\nMSB_PRED 1\nRELUv1 1 2\nRETURN\n";

static const char *const pieces[] = {"\r",
                                     "\r\n",
                                     "for(i=0;i<9;i+=1)\n",
                                     "endfor\n",
                                     "if 1,2<-(3 > 4)\n",
                                     "elif 2<-(3 == 4)\n",
                                     "else\n",
                                     "endif\n",
                                     "while 1,2<-(3 < 4)\n",
                                     "endwhile\n",
                                     "func g(x)\n",
                                     "endfunc\n",
                                     "g(1)\n",
                                     "f(1, 2)\n",
                                     "top:\n",
                                     ".top:\n",
                                     "JUMP_COND .top\n",
                                     "for(i=0;i<64;i+=1)\nMOV [i] [i]\nendfor\n",
                                     "COMPUTE 1 1\n",
                                     "JUMP top\n",
                                     "JUMP_COND top\n",
                                     "RETURN\n",
                                     "EOF\n",
                                     "COMPUTE 0 0\n",
                                     "COMPUTE_ALL 63\n",
                                     "COMPUTE_DONE\n",
                                     "SETMASK 5\n",
                                     "UNMASK\n",
                                     "GETMASK 5\n",
                                     "MOVE 0 1\n",
                                     "MOVE_DONE\n",
                                     "MEM_COPY_RSHIFT 0 1 99 0 1\n",
                                     "MPI_SEND 1 0 0\n",
                                     "MPI_SEND_DONE\n",
                                     "MPI_RECV 0\n",
                                     "#define n [1/3]\n",
                                     "[",
                                     "]",
                                     "(",
                                     ")",
                                     "-",
                                     "**",
                                     "<<",
                                     "%",
                                     "/",
                                     "/*",
                                     "*/",
                                     "//",
                                     ",",
                                     ";",
                                     ":",
                                     "99999999999999999999",
                                     "0x",
                                     "1e5",
                                     "0.5",
                                     "64",
                                     "-1",
                                     "\n",
                                     "\r\n",
                                     "\xff",
                                     "$",
                                     "#",
                                     "\"",
                                     "int(",
                                     "max(",
                                     "for",
                                     "if",
                                     "QRDIV8 1 2 3\n",
                                     "HalfADD 1 2 3\n"};
enum { PIECES = sizeof pieces / sizeof *pieces };

static uint32_t below(uint64_t *state, size_t n) {
    return n ? (uint32_t)(splitmix64(state) % n) : 0;
}

static void splice(struct str *s, size_t at, size_t remove, const char *text, size_t n) {
    struct str out = {0};
    str_append_n(&out, str_text(s), at);
    str_append_n(&out, text, n);
    str_append_n(&out, str_text(s) + at + remove, s->len - at - remove);
    str_free(s);
    *s = out;
}

static void mutate(struct str *s, uint64_t *state, const struct str *other) {
    size_t at = below(state, s->len + 1), rest = s->len - at;
    const char *piece = pieces[below(state, PIECES)];
    char byte = (char)splitmix64(state);
    switch (below(state, 7)) {
    case 0:
        splice(s, at, rest > 0, &byte, 1);
        break;
    case 1:
        splice(s, at, below(state, rest < 30 ? rest + 1 : 30), "", 0);
        break;
    case 2:
        splice(s, at, rest, "", 0);
        break;
    case 3: {
        size_t from = below(state, other->len + 1), n = other->len - from;
        splice(s, at, 0, str_text(other) + from, n < 80 ? n : 80);
        break;
    }
    default:
        splice(s, at, below(state, rest < 3 ? rest + 1 : 3), piece, strlen(piece));
        break;
    }
}

static void import_text(const struct str *text, const struct erc_options *options) {
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = erc_compile("mutant.erc", str_text(text), text->len, options, d);
    if ((o == NULL) != (diag_errors(d) > 0))
        fail_msg("%s\n%s", diag_first(d), str_text(text));
    if (o) {
        struct str bytes = {0};
        object_write(o, &bytes);
        struct object *again = object_read("mutant.o", bytes.text, bytes.len, d);
        if (!again)
            fail_msg("%s\n%s", diag_first(d), str_text(text));
        object_free(again);
        object_free(o);
        str_free(&bytes);
    }
    diag_free(d);
}

static void test_mutants(void **state) {
    (void)state;
    struct str seeds[FILES + 1] = {0};
    for (size_t i = 0; i < FILES; i++) {
        char path[4096];
        size_t size;
        snprintf(path, sizeof path, "%s/tests/golden/%s", MPU_SOURCE_DIR, files[i]);
        char *text = file_read(path, &size);
        assert_non_null(text);
        str_append_n(&seeds[i], text, size);
        free(text);
    }
    str_append(&seeds[FILES], rich);
    for (unsigned i = 0; i < MUTANTS; i++) {
        uint64_t random = i;
        struct str text = {0};
        const struct str *seed = &seeds[i % 2 ? FILES : below(&random, FILES + 1)];
        const struct erc_options options = {.width = i % 64 + 1, .assembly = i % 5 == 0};
        str_append_n(&text, seed->text, seed->len);
        for (unsigned k = below(&random, 4) + 1; k > 0; k--)
            mutate(&text, &random, &seeds[below(&random, FILES + 1)]);
        import_text(&text, &options);
        str_free(&text);
    }
    for (size_t i = 0; i <= FILES; i++)
        str_free(&seeds[i]);
}

static void repeat(struct str *s, const char *text, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        str_append(s, text);
}

/* Nesting in every form in which a stage calls itself. */
static void test_depth(void **state) {
    (void)state;
    static const struct {
        const char *before, *open, *middle, *close;
    } forms[] = {
        {"INC [", "(", "1", ")"},
        {"INC [", "[", "1", "]"},
        {"INC [", "-", "1", ""},
        {"INC [", "2 ** ", "1", ""},
        {"INC [", "1 + ", "1", ""},
        {"INC [", "int(", "1", ")"},
        {"", "for(i=0;i<1;i+=1)\n", "INC 1 1\n", "endfor\n"},
        {"COMPUTE 0 0\n", "if 1,2<-(3 > 4)\n", "INC 1 1\n", "endif\n"},
        {"COMPUTE 0 0\n", "while 1,2<-(3 > 4)\n", "INC 1 1\n", "endwhile\n"},
        {"if 1,2<-(3 > 4)\n", "elif 2<-(3 > 4)\n", "", ""},
        {"", "func f(x)\n", "", "endfunc\n"},
        {"COMPUTE 0 0\n", "top:\nINC 1 1\nJUMP_COND top\n", "", ""},
        {"COMPUTE 0 0\n", "SETMASK 1\ntop:\nUNMASK\nJUMP_COND top\n", "", ""},
    };
    const struct erc_options options = {.width = 8};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (unsigned depth = 10; depth <= 100000; depth *= 100) {
            struct str s = {0};
            str_append(&s, forms[f].before);
            repeat(&s, forms[f].open, depth);
            str_append(&s, forms[f].middle);
            import_text(&s, &options);
            repeat(&s, forms[f].close, depth);
            import_text(&s, &options);
            str_free(&s);
        }
}

/* Calls in calls, and masks that come around one label later with each pass. */
static void test_chains(void **state) {
    (void)state;
    const struct erc_options options = {.width = 8};
    struct str calls = {0}, jumps = {0};
    for (unsigned i = 0; i < 2000; i++)
        str_printf(&calls, "func f%u(x)\nf%u([x + 1])\nendfunc\n", i, i + 1);
    str_append(&calls, "func f2000(x)\nendfunc\nf0(0)\n");
    import_text(&calls, &options);
    str_append(&jumps, "COMPUTE 0 0\n");
    for (unsigned i = 0; i < 20000; i++)
        str_printf(&jumps, "l%u:\nINC 1 1\nJUMP_COND l%u\n", i, i ? i - 1 : 0);
    str_append(&jumps, "SETMASK 2\nJUMP_COND l19999\nCOMPUTE_DONE\n");
    import_text(&jumps, &options);
    str_free(&calls);
    str_free(&jumps);
}

/* docs/limits.md: what is taken, and one more that is not. */
static void test_limits(void **state) {
    (void)state;
    static const char *const forms[][2] = {{"(", ")"}, {"-", ""}, {"1 + (", ")"}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (unsigned over = 0; over < 2; over++) {
            const struct erc_options options = {0};
            struct str s = {0}, messages = {0};
            str_append(&s, "#define A [");
            for (unsigned i = 0; i < 1000 + over; i++)
                str_append(&s, forms[f][0]);
            str_append(&s, "0");
            for (unsigned i = 0; i < 1000 + over; i++)
                str_append(&s, forms[f][1]);
            str_append(&s, "]\nCOMPUTE_ALL 0\nINIT0 3\n");
            struct object *o = import_object(str_text(&s), &options, &messages);
            bool refused = strstr(str_text(&messages), "nested more than 1000 levels deep");
            if ((o == NULL) != over || refused != over)
                fail_msg("%u times %s: %s", 1000 + over, forms[f][0], str_text(&messages));
            object_free(o);
            str_free(&s);
            str_free(&messages);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutants), cmocka_unit_test(test_depth),
                                       cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_chains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
