/* SPDX-License-Identifier: MIT
 * Random programs of the imported dialect, blocks nested in blocks, loops, subroutines and masks,
 * against what each lane does on its own way through the tree. */
#include "tests/draws.h"
#include "support/bits.h"
#include "tests/erc/import.h"
#include "tests/erc/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_ERC_PROGRAMS)
enum { LANES = 64 };

static uint64_t first_seed = 0, programs;

/* Few values in some programs, so that comparisons meet equal ones. */
static void random_data(uint64_t seed, unsigned width, uint64_t data[LANES][TREE_DATA + 1]) {
    uint64_t state = seed ^ 0x5eed;
    uint64_t bits = low_bits(seed % 3 ? width : width < 2 ? width : 2);
    for (unsigned i = 0; i < LANES; i++)
        for (unsigned k = 0; k < TREE_DATA; k++)
            data[i][k] = splitmix64(&state) & bits;
}

static void column(uint64_t data[LANES][TREE_DATA + 1], unsigned reg, uint64_t values[LANES]) {
    for (unsigned i = 0; i < LANES; i++)
        values[i] = data[i][reg];
}

/* The first value that differs, or nothing. */
static bool same(mpu_session *s, uint64_t data[LANES][TREE_DATA + 1], struct str *why) {
    char name[32];
    uint64_t got[LANES];
    for (unsigned k = 0; k <= TREE_DATA; k++) {
        snprintf(name, sizeof name, "RFH0.VRF0.r%u", k);
        import_get(s, name, got, LANES);
        for (unsigned i = 0; i < LANES; i++)
            if (got[i] != data[i][k]) {
                str_printf(why, "r%u[%u] is %llx, not %llx", k, i, (unsigned long long)got[i],
                           (unsigned long long)data[i][k]);
                return false;
            }
    }
    return true;
}

static void put_data(mpu_session *s, uint64_t data[LANES][TREE_DATA + 1]) {
    uint64_t values[LANES];
    char name[32];
    for (unsigned k = 0; k < TREE_DATA; k++) {
        snprintf(name, sizeof name, "RFH0.VRF0.r%u", k);
        column(data, k, values);
        import_put(s, name, values, LANES);
    }
}

static bool agrees(const struct tree *t, uint64_t seed, const mpu_target *target, struct str *text,
                   struct str *why) {
    struct erc_options options = {.width = t->width};
    mpu_config config = {.size = sizeof config, .max_cycles = 100000000};
    uint64_t data[LANES][TREE_DATA + 1];
    mpu_error *e = NULL;
    str_clear(text);
    tree_text(t, text);
    mpu_program *p = import_programs((const char *const *)&text->text, 1, &options);
    mpu_session *s = mpu_session_new(p, target, &config, &e);
    if (!s)
        import_fail(text->text, e);
    random_data(seed, t->width, data);
    put_data(s, data);
    if (mpu_session_run(s, &e) != MPU_OK)
        import_fail(text->text, e);
    for (unsigned i = 0; i < LANES; i++)
        tree_run(t, data[i]);
    bool good = same(s, data, why);
    mpu_session_free(s);
    mpu_program_free(p);
    return good;
}

/* Leaves out what the difference does without, and fails. */
static void fail_smaller(struct tree *t, uint64_t seed, const mpu_target *target) {
    struct str text = {0}, why = {0};
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 0; tree_drop(t, i); i++) {
            if (agrees(t, seed, target, &text, &why)) {
                tree_undo(t);
            } else {
                again = true;
                i--;
            }
        }
    }
    str_clear(&why);
    agrees(t, seed, target, &text, &why);
    fputs(text.text, stderr);
    fail_msg("program %llu on %s: %s", (unsigned long long)seed, mpu_target_name(target),
             str_text(&why));
}

static void run_program(struct tree *t, uint64_t seed, const mpu_target *target) {
    struct str text = {0}, why = {0};
    if (!agrees(t, seed, target, &text, &why))
        fail_smaller(t, seed, target);
    str_free(&text);
    str_free(&why);
}

static void test_random(void **state) {
    (void)state;
    static const unsigned widths[] = {8, 16, 5, 32, 2, 13, 64};
    mpu_target *golden = mpu_target_open("golden", NULL, NULL);
    mpu_target *racer = mpu_target_open("racer", NULL, NULL);
    assert_non_null(golden);
    assert_non_null(racer);
    for (uint64_t seed = first_seed; seed - first_seed < programs; seed++) {
        struct tree t;
        tree_random(&t, seed, widths[seed % 7]);
        run_program(&t, seed, golden);
        if (seed % 10 == 0)
            run_program(&t, seed, racer);
        arena_free(&t.arena);
    }
    mpu_target_close(golden);
    mpu_target_close(racer);
}

/* [FIRST_SEED COUNT]: other programs than the suite's. */
int main(int argc, char **argv) {
    programs = PROGRAMS;
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        programs = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
