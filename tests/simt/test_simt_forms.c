/* SPDX-License-Identifier: MIT
 * What near-bank SIMT cores compute of each form is what golden does, bit by bit: of all that
 * compilers write (forms.txt), and of all that have functions of rows, by each table of these. */
#include "machines/core/simt/run/rows.h"
#include "support/bits.h"
#include "tests/draws.h"
#include "tests/ptx/form_kernel.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_THREADS 4096u
#define MOST_WORDS   8u

/* Ends of ranges of all widths, numbers of floating point that are none, or subnormal. */
static const uint64_t edges[] = {0,
                                 1,
                                 2,
                                 31,
                                 32,
                                 33,
                                 63,
                                 64,
                                 255,
                                 0x7f,
                                 0x80,
                                 0x7fff,
                                 0x8000,
                                 0xffff,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x100000000,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0xffffffffffffffff,
                                 0x3f800000,
                                 0xbf800000,
                                 0x7f800000,
                                 0xff800000,
                                 0x7f800001,
                                 0x7fc00000,
                                 0xffc12345,
                                 0x00000001,
                                 0x807fffff,
                                 0x00800000,
                                 0x4f000000,
                                 0xcf000000,
                                 0xcf000001,
                                 0x7f7fffff,
                                 0x3ff0000000000000,
                                 0x7ff0000000000000,
                                 0xfff8000000000001,
                                 0x000fffffffffffff,
                                 0x3c00,
                                 0x7c00,
                                 0xfe00,
                                 0x03ff};
#define EDGES (sizeof edges / sizeof *edges)

static uint64_t draw(uint64_t *seed) {
    uint64_t value = splitmix64(seed);
    switch (splitmix64(seed) % 6) {
    case 0:
    case 1:
        return edges[value % EDGES];
    case 2: /* near one */
        return edges[value % EDGES] + (value >> 32) % 5 - 2;
    case 3: /* numbers of floating point of like size */
        return (value & 0x807fffff) | (uint64_t)(0x3f + (value >> 32) % 3) << 24;
    case 4:
        return value % 100;
    default:
        return value;
    }
}

static uint64_t in[MOST_THREADS * MOST_WORDS], out[3][MOST_THREADS * MOST_WORDS];

static void compare(const char *name, const struct form_kernel *k, uint32_t threads, unsigned way) {
    for (size_t i = 0; i < (size_t)threads * k->results; i++)
        if (out[0][i] != out[way][i])
            fail_msg("%s by rows %u, thread %zu, of 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64
                     ": golden 0x%" PRIx64 ", simt 0x%" PRIx64,
                     name, way - 1, i / k->results, in[i / k->results * k->sources],
                     in[i / k->results * k->sources + 1], in[i / k->results * k->sources + 2],
                     out[0][i], out[way][i]);
}

static void check_form(const char *name, uint64_t *seed) {
    const uint32_t threads = (uint32_t)draws(DRAWS_SIMT_FORMS) * 32;
    struct form_kernel k;
    struct portable_fault fault = {.line = 0};
    if (!form_kernel_make(name, &k, &fault.what))
        fail_msg("%s: %s", name, str_text(&fault.what));
    assert_true(k.sources <= MOST_WORDS && k.results <= MOST_WORDS && threads <= MOST_THREADS);
    for (size_t i = 0; i < (size_t)threads * k.sources; i++)
        in[i] = draw(seed);
    for (unsigned way = 0; way < 3 && (!way || simt_rows_at(way - 1)); way++) {
        k.simt = way > 0;
        k.rows = way ? way - 1 : 0;
        memset(out[way], 0, sizeof out[way]);
        if (!form_kernel_run(&k, in, out[way], threads, &fault))
            fail_msg("%s, way %u: line %u: %s", name, way, (unsigned)fault.line,
                     str_text(&fault.what));
        compare(name, &k, threads, way);
    }
    form_kernel_free(&k);
    str_free(&fault.what);
}

static void test_forms_of_compilers(void **state) {
    FILE *f = fopen(MPU_SOURCE_DIR "/tests/ptx/forms.txt", "r");
    char name[128];
    uint64_t seed = 1;
    (void)state;
    assert_non_null(f);
    while (fscanf(f, "%127s", name) == 1)
        check_form(name, &seed);
    fclose(f);
}

/* Of modifiers that a function of rows takes, those that are a form's. */
static void check_modifiers(enum ptx_op op, struct ptx_modifiers m, uint8_t *seen, uint64_t *seed) {
    struct str name = {0};
    const enum simt_row row = simt_row_find(op, &m, 32), wide = simt_row_find(op, &m, 64);
    if ((row != SIMT_ROWS || wide != SIMT_ROWS) && ptx_form_of(op, &m, &name)) {
        check_form(str_text(&name), seed);
        if (row != SIMT_ROWS)
            seen[row] = 1;
        if (wide != SIMT_ROWS)
            seen[wide] = 1;
    }
    str_free(&name);
}

static void test_forms_of_rows(void **state) {
    static uint8_t seen[SIMT_ROWS];
    uint64_t seed = 2;
    (void)state;
    for (unsigned op = 0; op < PTX_OPS; op++)
        for (unsigned type = 1; type < PTX_TYPES; type++)
            for (unsigned second = 0; second < (op == PTX_OP_CVT ? PTX_TYPES : 1); second++)
                for (unsigned round = 0; round <= PTX_RZI; round++)
                    for (unsigned compare = 0; compare <= PTX_WIDE; compare++)
                        for (unsigned flags = 0; flags <= PTX_FTZ; flags++)
                            check_modifiers(
                                (enum ptx_op)op,
                                (struct ptx_modifiers){.type = {(uint8_t)type, (uint8_t)second},
                                                       .round = (uint8_t)round,
                                                       .compare = (uint8_t)compare,
                                                       .vector = 1,
                                                       .flags = (uint16_t)flags},
                                seen, &seed);
    for (unsigned i = 0; i < SIMT_ROWS; i++)
        if (!seen[i])
            fail_msg("function %u of rows is of no form", i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms_of_compilers),
        cmocka_unit_test(test_forms_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
