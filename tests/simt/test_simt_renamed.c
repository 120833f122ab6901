/* SPDX-License-Identifier: MIT
 * Random kernels (tests/ptx/drawn) compute the same with their registers as they are coloured.
 *
 *     test_simt_renamed [FIRST COUNT] */
#include "tests/draws.h"

#include "ptx/form.h"
#include "support/alloc.h"
#include "tests/ptx/drawn/golden.h"
#include "tests/simt/renaming.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

const struct portable_form *const portable_list[] = {&ptx_portable, NULL};

static uint64_t first_seed = 1;
static unsigned seeds;

/* How many registers share another's. */
static uint32_t check(uint64_t seed) {
    struct drawn *d = drawn_new(seed);
    size_t own = (size_t)d->threads * d->blocks_of_grid * DRAWN_SLOTS, all = own + DRAWN_SUMS;
    uint64_t *right = xcalloc(all, sizeof *right), *got = xcalloc(all, sizeof *got);
    struct str text = {0}, renamed = {0};
    struct portable_fault fault = {.line = 0};
    drawn_text(d, &text);
    struct ptx_module *m = ptx_read(text.text, text.len, &fault);
    assert_non_null(m);
    const uint32_t fewer = simt_rename(m);
    ptx_print(m, &renamed);
    assert_true(drawn_values(d, right, right + own));
    if (!drawn_on_golden(d, &renamed, false, got, got + own, &fault) ||
        memcmp(right, got, all * sizeof *got) != 0)
        fail_msg("kernel %" PRIu64 " with registers as they are coloured: %s", seed,
                 fault.what.len ? fault.what.text : "other results");
    ptx_free(m);
    str_free(&text);
    str_free(&renamed);
    str_free(&fault.what);
    free(right);
    free(got);
    drawn_free(d);
    return fewer;
}

static void test_renamed(void **state) {
    unsigned count = seeds ? seeds : draws(DRAWS_PTX_KERNELS) / 4;
    uint32_t fewer = 0;
    (void)state;
    for (unsigned i = 0; i < count; i++)
        fewer += check(first_seed + i);
    assert_true(fewer > count); /* many share one */
}

int main(int argc, char **argv) {
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        seeds = (unsigned)strtoul(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_renamed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
