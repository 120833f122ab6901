/* SPDX-License-Identifier: MIT
 * Random programs with several VRFs, masks and labels against an interpreter of the rules of the
 * original (machine.h), in every register of every VRF. */
#include "tests/draws.h"
#include "support/bits.h"
#include "tests/erc/import.h"
#include "tests/erc/machine.h"
#include "tests/erc/programs.h"
#include "tests/erc/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_ERC_MACHINES)

static uint64_t first_seed = 0, programs;

struct trial {
    uint64_t seed;
    unsigned width, named;
    const mpu_target *target;
    bool shrinking;
    struct str text, why;
};
/* LONG: a lane counts down from below 0, or a shortened program does not end; UNFIT: it is refused,
 * or stops. */
enum outcome { SAME, DIFFERENT, LONG, UNFIT };

static void fill(const struct trial *trial, struct machine *machine) {
    uint64_t state = trial->seed ^ 0x5eed;
    uint64_t bits = low_bits(trial->seed % 3 ? trial->width : trial->width < 2 ? trial->width : 2);
    *machine = (struct machine){.width = trial->width};
    for (unsigned v = 0; v < MACHINE_VRFS; v++) {
        struct machine_vrf *vrf = &machine->vrfs[v];
        vrf->pointer = -1;
        for (unsigned k = 0; k < trial->named; k++)
            for (unsigned i = 0; i < MACHINE_LANES; i++)
                vrf->r[k][i] = k == PROGRAM_TWO     ? 2
                               : k == PROGRAM_ZERO  ? 0
                               : k == PROGRAM_THREE ? 3
                                                    : splitmix64(&state) & bits;
    }
}

static enum outcome run_on(struct trial *trial, mpu_program *p, struct machine *machine) {
    mpu_config config = {.size = sizeof config, .max_seconds = 60, .threads = 1, .unhashed = 1};
    /* What scratch registers hold at the begin must not matter. */
    config.init = trial->seed % 2 ? "random:18" : NULL;
    mpu_error *e = NULL;
    mpu_session *s = mpu_session_new(p, trial->target, &config, &e);
    enum outcome outcome = UNFIT;
    if (!s)
        import_fail(trial->text.text, e);
    session_put(s, machine, trial->named);
    if (!machine_run(machine, trial->text.text))
        outcome = LONG;
    else if (mpu_session_run(s, &e) == MPU_OK)
        outcome = session_same(s, machine, trial->named, &trial->why) ? SAME : DIFFERENT;
    else
        str_append(&trial->why, mpu_error_text(e));
    mpu_error_free(e);
    mpu_session_free(s);
    return outcome;
}

/* Whether it is imported, while lines are left out; else import_programs fails with the messages.
 */
static bool is_fit(struct trial *trial, const struct erc_options *options) {
    struct object *o = import_object(str_text(&trial->text), options, NULL);
    object_free(o);
    return o != NULL;
}

static enum outcome run_text(struct trial *trial) {
    struct erc_options options = {.width = trial->width, .rfhs = MACHINE_RFHS};
    str_clear(&trial->why);
    if (trial->shrinking && !is_fit(trial, &options))
        return UNFIT;
    struct machine *machine = malloc(sizeof *machine);
    fill(trial, machine);
    mpu_program *p = import_programs((const char *const *)&trial->text.text, 1, &options);
    enum outcome outcome = run_on(trial, p, machine);
    mpu_program_free(p);
    free(machine);
    return outcome;
}

/* Leaves out lines from `at` as long as the difference is there; whether some were. */
static bool leave_out(struct trial *trial, size_t begin, size_t size) {
    struct str before = {0};
    str_append(&before, trial->text.text);
    str_clear(&trial->text);
    str_append_n(&trial->text, before.text, begin);
    str_append(&trial->text, before.text + begin + size);
    bool gone = run_text(trial) == DIFFERENT;
    if (!gone) {
        str_clear(&trial->text);
        str_append(&trial->text, before.text);
    }
    str_free(&before);
    return gone;
}

static size_t lines_size(const char *text, unsigned count) {
    const char *at = text;
    while (count-- > 0 && *at)
        at = strchr(at, '\n') + 1;
    return (size_t)(at - text);
}

/* What gives the registers their places stays. */
static void shrink(struct trial *trial) {
    const char *begin = trial->text.text;
    for (unsigned v = 0; v < MACHINE_ROWS; v++)
        begin = strstr(begin, "COMPUTE_DONE\n") + 1;
    size_t first = (size_t)(begin - trial->text.text) + strlen("OMPUTE_DONE\n");
    for (unsigned count = 32; count > 0; count /= 2)
        for (size_t at = first; trial->text.text[at];) {
            size_t size = lines_size(trial->text.text + at, count);
            if (!leave_out(trial, at, size))
                at += lines_size(trial->text.text + at, 1);
        }
}

/* Whether it was short enough to be run. */
static bool run_trial(struct trial *trial) {
    enum outcome outcome = run_text(trial);
    if (outcome == DIFFERENT) {
        trial->shrinking = true;
        shrink(trial);
        run_text(trial);
    }
    if (outcome == DIFFERENT || outcome == UNFIT) {
        fputs(str_text(&trial->text), stderr);
        fputs(str_text(&trial->why), stderr);
        fail_msg("program %llu, words of %u bits, on %s: %s", (unsigned long long)trial->seed,
                 trial->width, mpu_target_name(trial->target),
                 outcome == UNFIT ? "it is refused or stops" : "it differs");
    }
    return outcome == SAME;
}

/* A quarter of the programs names all registers, another one leaves three. */
static void choose(struct trial *trial, uint64_t seed) {
    static const unsigned widths[] = {8, 16, 5, 32, 2, 13, 64};
    trial->seed = seed;
    trial->width = widths[seed % 7];
    trial->named = trial->width > 32 ? 44 : seed % 4 > 1 ? 48 : seed % 4 ? 61 : 64;
    str_clear(&trial->text);
    program_random(seed, trial->named, &trial->text);
}

/* Most are of more than 32 bits, where no word can be put above another one. */
static void choose_full(struct trial *trial, uint64_t seed) {
    static const unsigned widths[] = {64, 33, 64, 47, 63, 32, 7};
    trial->seed = seed;
    trial->width = widths[seed % 7];
    trial->named = MACHINE_REGISTERS;
    str_clear(&trial->text);
    program_full(seed, &trial->text);
}

static void run_programs(void (*choose_one)(struct trial *trial, uint64_t seed), uint64_t count) {
    mpu_target *golden = mpu_target_open("golden", NULL, NULL);
    mpu_target *racer = mpu_target_open("racer", NULL, NULL);
    assert_non_null(golden);
    assert_non_null(racer);
    struct trial trial = {0};
    uint64_t run = 0;
    for (uint64_t seed = first_seed; seed - first_seed < count; seed++) {
        choose_one(&trial, seed);
        trial.target = seed % 20 ? golden : racer;
        run += run_trial(&trial);
    }
    assert_true(run >= count - (count + 99) / 100);
    str_free(&trial.text);
    str_free(&trial.why);
    mpu_target_close(golden);
    mpu_target_close(racer);
}

static void test_machines(void **state) {
    (void)state;
    run_programs(choose, programs);
}

static void all_registers_wanted(void **state) {
    (void)state;
    run_programs(choose_full, (programs + 2) / 3);
}

/* [FIRST_SEED COUNT]: other programs than the suite's. */
int main(int argc, char **argv) {
    programs = PROGRAMS;
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        programs = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_machines),
                                       cmocka_unit_test(all_registers_wanted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
