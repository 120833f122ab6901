/* SPDX-License-Identifier: MIT
 * Random kernels (drawn/): the interpreter leaves what statement after statement gives, in either
 * order of threads, of the text as it is and as it is printed.
 *
 *     test_ptx_random [FIRST COUNT]     kernels with these seeds; one alone is printed if it fails
 */
#include "tests/draws.h"

#include "ptx/form.h"
#include "ptx/ptx.h"
#include "support/alloc.h"
#include "tests/ptx/drawn/golden.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct portable_form *const portable_list[] = {&ptx_portable, NULL};

static uint64_t first_seed = 1;
static unsigned seeds;

static void report(uint64_t seed, const struct str *text, const char *what, struct str *why) {
    if (seeds == 1)
        fputs(text->text, stderr);
    fail_msg("kernel %" PRIu64 ", %s: %s", seed, what, str_text(why));
}

static void compare(uint64_t seed, const struct drawn *d, const struct str *text, const char *what,
                    const uint64_t *right, const uint64_t *got, size_t words) {
    struct str why = {0};
    size_t own = (size_t)d->threads * d->blocks_of_grid * DRAWN_SLOTS;
    for (size_t i = 0; i < words; i++) {
        if (right[i] == got[i])
            continue;
        if (i < own)
            str_printf(&why, "thread %zu, word %zu", i / DRAWN_SLOTS, i % DRAWN_SLOTS);
        else
            str_printf(&why, "sum %zu", i - own);
        str_printf(&why, " is 0x%" PRIx64 ", and not 0x%" PRIx64, got[i], right[i]);
        report(seed, text, what, &why);
    }
}

static void check(uint64_t seed) {
    struct drawn *d = drawn_new(seed);
    size_t own = (size_t)d->threads * d->blocks_of_grid * DRAWN_SLOTS, all = own + DRAWN_SUMS;
    uint64_t *right = xcalloc(all, sizeof *right), *got = xcalloc(all, sizeof *got);
    struct str text = {0}, printed = {0};
    struct portable_fault fault = {.line = 0};
    drawn_text(d, &text);
    if (!drawn_values(d, right, right + own))
        fail_msg("kernel %" PRIu64 " was drawn wrong", seed);
    struct ptx_module *m = ptx_read(text.text, text.len, &fault);
    if (m)
        ptx_print(m, &printed);
    for (unsigned i = 0; i < 3; i++) {
        static const char *const what[] = {"first thread first", "last thread first", "printed"};
        if (!m || !drawn_on_golden(d, i == 2 ? &printed : &text, i == 1, got, got + own, &fault)) {
            str_printf(&fault.what, " (line %u)", (unsigned)fault.line);
            report(seed, &text, what[i], &fault.what);
        }
        compare(seed, d, &text, what[i], right, got, all);
    }
    ptx_free(m);
    str_free(&text);
    str_free(&printed);
    str_free(&fault.what);
    free(right);
    free(got);
    drawn_free(d);
}

static void test_random(void **state) {
    (void)state;
    unsigned count = seeds ? seeds : draws(DRAWS_PTX_KERNELS);
    for (unsigned i = 0; i < count; i++)
        check(first_seed + i);
}

int main(int argc, char **argv) {
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        seeds = (unsigned)strtoul(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
