/* SPDX-License-Identifier: MIT
 * Random ezpim programs on a chip that is too small for them, against the interpreter: those whose
 * elements do not meet run in rounds, the others are refused by what stands in the way. */
#include "tests/draws.h"
#include "tests/ezpim/against.h"
#include "tests/ezpim/program_gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_EZPIM_ROUNDS)

/* Two VRF rows: one for each of the most groups that the programs have. */
static const char *const tiny[] = {"machine.mpus=1", "machine.rfh_per_mpu=1",
                                   "machine.vrf_per_rfh=2", "array.lanes=4", NULL};

static mpu_target *open_tiny(const char *name) {
    mpu_error *e = NULL;
    mpu_target *t = mpu_target_open(name, tiny, &e);
    if (!t)
        fail_msg("%s", mpu_error_text(e));
    return t;
}

/* Programs for several MPUs do not have them here. */
static bool rightly_refused(const char *why) {
    return (strstr(why, "the program cannot run in rounds") &&
            (strstr(why, "exchanges elements") || strstr(why, "asks about all elements"))) ||
           strstr(why, "the program is for MPU");
}

static void random_programs_run_in_rounds(void **state) {
    static const char *const batches[] = {"target", "one", "all"};
    mpu_target *const targets[] = {open_tiny("golden"), open_tiny("racer")};
    struct str text = {0};
    unsigned same = 0, refused = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        const struct program_options options = {.all_operations = seed % 4 != 0,
                                                .work = seed % 4 ? 400 : 60};
        const struct against_setup setup = {targets[seed % 4 == 0],
                                            (int)(seed % 3),
                                            batches[seed / 3 % 3],
                                            seed % 2 ? "zero" : "random:5",
                                            0,
                                            0,
                                            false};
        struct str why = {0};
        program_random(seed, &options, &text);
        enum against_outcome outcome = against(text.text, seed, &setup, 1, &why);
        if (outcome == AGAINST_SAME)
            same++;
        else if (outcome == AGAINST_DIFFERS && rightly_refused(why.text))
            refused++;
        else
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, str_text(&why), text.text);
        str_free(&why);
    }
    print_message("%u run, %u refused\n", same, refused);
    assert_true(same > PROGRAMS / 16 && refused > PROGRAMS / 20);
    str_free(&text);
    for (size_t i = 0; i < 2; i++)
        mpu_target_close(targets[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_run_in_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
