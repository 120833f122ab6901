/* SPDX-License-Identifier: MIT
 * Random stage kernels beside a straightforward evaluation of the same trees; and kernels with one
 * seeded mistake, which are refused, or stop with line and element. */
#include "tests/draws.h"
#include "support/bits.h"
#include "support/ieee.h"
#include "tests/stage/mistakes.h"
#include "tests/stage/random_kernel.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_kernels(void **state) {
    (void)state;
    static struct random_kernel m;
    for (uint64_t seed = 1; seed <= draws(DRAWS_STAGE_KERNELS); seed++) {
        struct str wrong = {0};
        random_kernel(&m, seed);
        launched_run(&m.launched, &wrong);
        if (wrong.len)
            fail_msg("seed %" PRIu64 ": %s\n%s", seed, wrong.text, m.launched.text.text);
        for (unsigned i = 0; i < m.data_count; i++)
            for (uint64_t e = 0; e < m.data[i].count && m.parameter[i] >= 0; e++) {
                struct lane_type t = m.data[i].type;
                uint64_t got = launched_get(&m.launched, (uint32_t)m.parameter[i], e);
                uint64_t want = random_bits(t, m.data[i].at[e]);
                if (object_type_is_float(t) && ieee_is_nan(ieee_binary(t.bits), got))
                    got = ieee_nan(ieee_binary(t.bits));
                if (got != want)
                    fail_msg("seed %" PRIu64 ": %s[%" PRIu64 "] is 0x%" PRIx64 ", not 0x%" PRIx64
                             "\n%s",
                             seed, m.names[i], e, got, want, m.launched.text.text);
            }
        str_free(&wrong);
        random_kernel_free(&m);
    }
}

/* ---- seeded mistakes ---- */

static void test_mistakes(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (unsigned i = 0; i < draws(DRAWS_STAGE_MISTAKES); i++) {
        struct mistaken x;
        struct str wrong = {0}, wanted = {0};
        mistaken_kernel(&x, i, &seed);
        launched_run(&x.launched, &wrong);
        if (x.refused)
            str_printf(&wanted, "%u:", x.line);
        else
            str_printf(&wanted, "stops at %u: element %u: ", x.line, x.element);
        const char *what = x.refused ? x.refused : x.stops;
        if (strncmp(str_text(&wrong), wanted.text, wanted.len) != 0 || !strstr(wrong.text, what))
            fail_msg("'%s', not '%s%s'\n%s", str_text(&wrong), wanted.text, what,
                     x.launched.text.text);
        str_free(&wrong);
        str_free(&wanted);
        launched_free(&x.launched);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels),
                                       cmocka_unit_test(test_mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
