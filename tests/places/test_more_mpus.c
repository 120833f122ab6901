/* SPDX-License-Identifier: MIT
 * More hardware is never slower: under auto each program takes no longer on a chip with more
 * MPUs. */
#include "tests/places/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const unsigned chips[] = {2, 3, 6, 10, 20, 40, 100};
#define CHIPS (sizeof chips / sizeof *chips)

static uint64_t time_of(const struct place_program *x, const mpu_program *p, const mpu_target *t) {
    mpu_session *s = place_run(x, p, t, "auto");
    uint64_t ps = 0, laps = 0;
    assert_int_equal(mpu_session_figure(s, "total.time_ps", &ps), MPU_OK);
    assert_int_equal(mpu_session_figure(s, "place.laps_counted", &laps), MPU_OK);
    mpu_session_free(s);
    return laps ? 0 : ps; /* laps that were not known give no promise */
}

static void run_on(const char *target) {
    uint64_t before[PLACE_PROGRAMS] = {0};
    for (size_t k = 0; k < CHIPS; k++) {
        char key[32];
        const char *set[] = {key, NULL};
        mpu_error *e = NULL;
        snprintf(key, sizeof key, "machine.mpus=%u", chips[k]);
        mpu_target *t = mpu_target_open(target, set, &e);
        need(t != NULL, target, e);
        for (size_t i = 0; i < PLACE_PROGRAMS; i++) {
            mpu_program *p = place_load(&place_programs[i]);
            uint64_t ps = time_of(&place_programs[i], p, t);
            if (k && ps > before[i])
                fail_msg("%s on %s: %llu ps on %u MPUs, %llu on %u", place_programs[i].name, target,
                         (unsigned long long)before[i], chips[k - 1], (unsigned long long)ps,
                         chips[k]);
            before[i] = ps;
            mpu_program_free(p);
        }
        mpu_target_close(t);
    }
}

static void on_racer(void **state) {
    (void)state;
    run_on("racer");
}

static void on_duality_cache(void **state) {
    (void)state;
    run_on("duality-cache");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_racer),
                                       cmocka_unit_test(on_duality_cache)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
