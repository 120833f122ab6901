/* SPDX-License-Identifier: MIT
 * Programs of which a lane holds more than some machines have: each runs on all built-in ones, by
 * the text that the linker takes, and gives what the interpreter says. */
#include "tests/draws.h"
#include "tests/ezpim/against.h"
#include "tests/ezpim/build.h"
#include "tests/ezpim/live_gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const machines[] = {"racer",         "mimdram", "simdram", "ambit",
                                       "duality-cache", "pypim"};
enum { MACHINES = sizeof machines / sizeof *machines };

struct fit_state {
    mpu_target *target[MACHINES];
    uint64_t first, count;
};

/* On all of them, by one program. */
static void runs_everywhere(const struct fit_state *fit, const char *text, uint64_t seed,
                            int level) {
    struct against_setup setups[MACHINES];
    struct str why = {0};
    if (getenv("DUMP")) { puts(text); return; }
    for (size_t i = 0; i < MACHINES; i++)
        setups[i] = (struct against_setup){.target = fit->target[i],
                                           .level = level,
                                           .batch = (seed + i) % 2 ? "target" : "one",
                                           .init = (seed + i) % 3 ? "random:5" : "zero",
                                           .rows = AGAINST_OWN};
    if (against(text, seed, setups, MACHINES, &why) != AGAINST_SAME) {
        if (getenv("SHOW")) printf("%s\n", text);
        printf("seed %llu: %.300s\n", (unsigned long long)seed, str_text(&why));
        fflush(stdout);
    }
    str_free(&why);
}

static void random_programs_fit(void **state) {
    const struct fit_state *fit = *state;
    struct str text = {0};
    for (uint64_t i = 0; i < fit->count; i++) {
        live_random(fit->first + i, &text);
        runs_everywhere(fit, text.text, fit->first + i, (int)(i % 3));
    }
    str_free(&text);
}

int main(int argc, char **argv) {
    struct fit_state fit = {.first = 1, .count = draws(DRAWS_EZPIM_FIT)};
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(random_programs_fit, &fit)};
    if (argc > 1)
        fit.first = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        fit.count = strtoull(argv[2], NULL, 10);
    for (size_t i = 0; i < MACHINES; i++) {
        mpu_error *e = NULL;
        fit.target[i] = mpu_target_open(machines[i], NULL, &e);
        if (!fit.target[i]) {
            fprintf(stderr, "%s cannot be opened\n", machines[i]);
            return 1;
        }
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < MACHINES; i++)
        mpu_target_close(fit.target[i]);
    return failed;
}
