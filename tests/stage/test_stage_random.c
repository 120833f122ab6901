/* SPDX-License-Identifier: MIT
 * Random stage kernels beside a straightforward evaluation of the same trees; and kernels with one
 * seeded mistake, which are refused, or stop with line and element. */
#include "tests/draws.h"
#include "support/bits.h"
#include "support/ieee.h"
#include "tests/stage/random_kernel.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static unsigned below(uint64_t *seed, unsigned n) {
    return (unsigned)(splitmix64(seed) % n);
}

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

struct mistake {
    const char *line;    /* of the body of a map of x into y; %u: the element */
    const char *refused; /* what is said of it, or NULL: */
    const char *stops;   /* what is said at run time */
};

static const struct mistake mistakes[] = {
    {"y[0] = x[1];", "index 1 is outside of 'x'", NULL},
    {"y[-1] = x[0];", "index -1 is outside of 'y'", NULL},
    {"u8 t[4]; y[0] = i32(t[x[0] == %u ? 5 : 6]);", "index 5 is outside of 't'", NULL},
    {"while (true) y[0] += 1;", "nothing ends this loop", NULL},
    {"for (u8 i = 0; i <= 255; i++) y[0] += 1;", "never comes to its end", NULL},
    {"for (i64 i = 0; i < 1000000000000; i++) y[0] += 1;", "1000000000000 laps", NULL},
    {"y[0] = f(x[0]);", "there are no calls", NULL},
    {"i32 *p = x;", "pointers are not kept", NULL},
    {"y[0] = x;", "pointers are not kept", NULL},
    {"y[0] = x[0] + 1.5;", "a number with a point is none of type i32", NULL},
    {"y[0] = x[0] + (u32)1;", "i32 and u32 are mixed", NULL},
    {"y[0] = (i64)x[0];", "a value of type i64 becomes no i32 by itself", NULL},
    {"x[0] = 1;", "'x' is only read here", NULL},
    {"i32 t[4]; t[1] = 3; y[0] = t[x[0] == %u ? x[0] * 0 + 4 : 1];", NULL,
     "index 4 is outside of 't', of which 4 elements can be seen"},
    {"i32 t[4]; if (x[0] == %u) t[x[0] - x[0] - 1] = 3;", NULL, "index -1 is outside of 't'"},
    {"y[0] = x[x[0] / %u];", NULL, "index 1 is outside of 'x', of which 1 element can be seen"},
    {"i32 k = x[0]; while (k == %u) { y[0] += 1; k = k * 1; }", NULL, "does not end within"},
    {"for (i32 k = 0; k != 7 || x[0] == %u; k++) y[0] = k;", NULL, "does not end within"},
};

static void test_mistakes(void **state) {
    (void)state;
    const struct lane_type i32 = {TYPE_INT, 32};
    uint64_t seed = 5;
    for (unsigned i = 0; i < draws(DRAWS_STAGE_MISTAKES); i++) {
        const struct mistake *m = &mistakes[i % (sizeof mistakes / sizeof *mistakes)];
        unsigned n = 3 + below(&seed, 50), element = 1 + below(&seed, n - 2),
                 before = below(&seed, 5);
        struct launched x = {.in_pieces = below(&seed, 2)};
        struct str wrong = {0}, wanted = {0};
        launched_buffer(&x, "x", i32, n);
        launched_buffer(&x, "y", i32, n);
        for (unsigned e = 0; e < n; e++)
            launched_put(&x, 0, e, e);
        str_printf(&x.text, "length %u;\nmap (in x, out y) {\n", n);
        for (unsigned b = 0; b < before; b++)
            str_printf(&x.text, "    i32 v%u = x[0] * %u;\n", b, b);
        const char *mark = strstr(m->line, "%u");
        str_append_n(&x.text, m->line, mark ? (size_t)(mark - m->line) : strlen(m->line));
        if (mark)
            str_printf(&x.text, "%u%s", element, mark + 2);
        str_append(&x.text, "\n}\n");
        launched_run(&x, &wrong);
        if (m->refused)
            str_printf(&wanted, "%u:", before + 3);
        else
            str_printf(&wanted, "stops at %u: element %u: ", before + 3, element);
        if (strncmp(str_text(&wrong), wanted.text, wanted.len) != 0 ||
            !strstr(wrong.text, m->refused ? m->refused : m->stops))
            fail_msg("'%s', not '%s%s'\n%s", str_text(&wrong), wanted.text,
                     m->refused ? m->refused : m->stops, x.text.text);
        str_free(&wrong);
        str_free(&wanted);
        launched_free(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels),
                                       cmocka_unit_test(test_mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
