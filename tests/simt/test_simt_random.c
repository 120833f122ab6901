/* SPDX-License-Identifier: MIT
 * Random kernels (tests/ptx/drawn) through encoder and package on the near-bank SIMT core: they
 * leave what statement after statement gives, with all registers, and with few of them.
 *
 *     test_simt_random [FIRST COUNT]     kernels with these seeds; one alone is printed if it fails
 */
#include "tests/draws.h"

#include "support/alloc.h"
#include "tests/ptx/drawn/golden.h"
#include "tests/simt/simt_launch.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INPUT UINT64_C(0x10000)
#define OWN   UINT64_C(0x100000)
#define SUMS  UINT64_C(0x200000)
#define DATA  UINT64_C(0x300000)

static uint64_t first_seed = 1;
static unsigned seeds;

static bool launch(const struct drawn *d, const struct str *text, const struct simt_how *how,
                   unsigned char *own, size_t own_bytes, unsigned char *sums,
                   struct portable_fault *fault) {
    unsigned char input[DRAWN_INPUT_ROOM + 8] = {0}, table[DRAWN_TABLE_BYTES + 8] = {0};
    const struct simt_region regions[] = {{INPUT, DRAWN_INPUT_ROOM, input},
                                          {OWN, own_bytes, own},
                                          {SUMS, sizeof d->sums, sums},
                                          {DATA, DRAWN_TABLE_BYTES, table}};
    struct drawn_parameters parameters = {INPUT, OWN, SUMS, d->n, {0}};
    struct portable_launch x = {.parameters = (const unsigned char *)&parameters,
                                .parameter_bytes = sizeof parameters,
                                .shared = DATA,
                                .bytes = d->dynamic};
    memcpy(parameters.passed, d->passed, sizeof parameters.passed);
    memcpy(input, d->input, sizeof d->input);
    memcpy(table, d->table, sizeof d->table);
    memcpy(x.grid, d->grid, sizeof x.grid);
    memcpy(x.block, d->block, sizeof x.block);
    memset(own, 0, own_bytes);
    memcpy(sums, d->sums, sizeof d->sums);
    return simt_launch_text(text->text, text->len, &x, regions, 4, how, fault);
}

static void report(uint64_t seed, const struct str *text, const struct simt_how *how,
                   const char *why) {
    if (seeds == 1)
        fputs(text->text, stderr);
    fail_msg("kernel %" PRIu64 ", %u registers, rows %u: %s", seed, (unsigned)how->registers,
             how->rows, why);
}

static void compare(uint64_t seed, const struct str *text, const struct simt_how *how,
                    const uint64_t *right, const uint64_t *got, size_t words, const char *what) {
    char why[128];
    for (size_t i = 0; i < words; i++)
        if (right[i] != got[i]) {
            snprintf(why, sizeof why, "%s %zu.%zu is 0x%" PRIx64 ", and not 0x%" PRIx64, what,
                     i / DRAWN_SLOTS, i % DRAWN_SLOTS, got[i], right[i]);
            report(seed, text, how, why);
        }
}

static void check(uint64_t seed) {
    static const struct simt_how hows[] = {{.rows = 0},
                                           {.rows = 1, .registers = 20, .timed = true},
                                           {.rows = 0, .registers = 12},
                                           {.rows = 1, .timed = true},
                                           {.timed = true, .key = "simt.cores", .value = "one"},
                                           {.timed = true, .key = "simt.policy", .value = "near"},
                                           {.timed = true, .key = "simt.lsu_queue", .value = "1"}};
    struct drawn *d = drawn_new(seed);
    size_t words = (size_t)d->threads * d->blocks_of_grid * DRAWN_SLOTS;
    uint64_t *right = xcalloc(words + 1, sizeof *right), *got = xcalloc(words + 1, sizeof *got);
    uint64_t sums[DRAWN_SUMS], got_sums[DRAWN_SUMS + 1];
    struct str text = {0};
    drawn_text(d, &text);
    assert_true(drawn_values(d, right, sums));
    /* With all registers, and every other one in another way. */
    for (unsigned i = 0; i < 1 + seed % 2; i++) {
        const struct simt_how *how = &hows[i ? 1 + seed / 2 % 6 : 0];
        struct portable_fault fault = {.line = 0};
        if (!launch(d, &text, how, (unsigned char *)got, words * sizeof *got,
                    (unsigned char *)got_sums, &fault)) {
            str_printf(&fault.what, " (line %u)", (unsigned)fault.line);
            report(seed, &text, how, str_text(&fault.what));
        }
        compare(seed, &text, how, right, got, words, "thread, word");
        compare(seed, &text, how, sums, got_sums, DRAWN_SUMS, "sum");
        str_free(&fault.what);
    }
    str_free(&text);
    free(right);
    free(got);
    drawn_free(d);
}

/* A message that names block and thread, and a line. */
static void check_fault(uint64_t seed, const struct str *text, const struct simt_how *how,
                        const struct portable_fault *fault) {
    if (!fault->what.len)
        report(seed, text, how, "it ends without a message");
    if (!strstr(fault->what.text, "block (") || !strstr(fault->what.text, "thread (") ||
        !fault->line)
        report(seed, text, how, fault->what.text);
}

/* Whether all threads came to what they do together: then it is as any other; else it may end with
 * a message, on golden as on the core. */
static bool check_careless(uint64_t seed) {
    const struct simt_how how = {.watchdog = 1 << 22};
    struct drawn *d = drawn_new_careless(seed);
    size_t words = (size_t)d->threads * d->blocks_of_grid * DRAWN_SLOTS;
    uint64_t *right = xcalloc(words + 1, sizeof *right), *got = xcalloc(words + 1, sizeof *got);
    uint64_t sums[DRAWN_SUMS], got_sums[DRAWN_SUMS + 1];
    struct str text = {0};
    drawn_text(d, &text);
    const bool valid = drawn_values(d, right, sums);
    for (unsigned golden = 0; golden < 2; golden++) {
        struct portable_fault fault = {.line = 0};
        if (!(golden ? drawn_on_golden(d, &text, seed % 2, got, got_sums, &fault)
                     : launch(d, &text, &how, (unsigned char *)got, words * sizeof *got,
                              (unsigned char *)got_sums, &fault)))
            check_fault(seed, &text, &how, &fault);
        if (valid && fault.what.len)
            report(seed, &text, &how, fault.what.text);
        if (valid)
            compare(seed, &text, &how, right, got, words, golden ? "golden: word" : "word");
        str_free(&fault.what);
    }
    str_free(&text);
    free(right);
    free(got);
    drawn_free(d);
    return valid;
}

static void test_careless(void **state) {
    unsigned count = seeds ? seeds : draws(DRAWS_SIMT_KERNELS) / 4, valid = 0;
    (void)state;
    for (unsigned i = 0; i < count; i++)
        valid += check_careless(first_seed + i);
    assert_true(seeds || count < 100 || (valid > count / 8 && valid < count - count / 20));
}

static void test_random(void **state) {
    (void)state;
    unsigned count = seeds ? seeds : draws(DRAWS_SIMT_KERNELS);
    for (unsigned i = 0; i < count; i++)
        check(first_seed + i);
}

int main(int argc, char **argv) {
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        seeds = (unsigned)strtoul(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_careless)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
