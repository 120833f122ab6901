/* SPDX-License-Identifier: MIT
 * Random stage kernels on DPUs: 1, 3 or 64 of them, with 1, 11, 16 or 24 tasklets; every byte of
 * every buffer is what a straightforward evaluation says.  And seeded faults: refused, or stopped
 * with line, DPU and element. */
#include "runtime/include/mpu/mpu.h"
#include "support/bits.h"
#include "tests/draws.h"
#include "tests/stage/mistakes.h"
#include "tests/stage/random_body.h"
#include "tests/stage/random_kernel.h"
#include "tests/stage/sessions.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const sets[] = {"dpu.run_tasklets=1", "dpu.run_tasklets=11",
                                   "dpu.run_tasklets=16", "dpu.run_tasklets=24"};
static const unsigned units[] = {1, 3, 64};
enum { SETS = sizeof sets / sizeof *sets };
static mpu_target *targets[SETS];

static mpu_program *build(const struct str *text, uint64_t seed) {
    mpu_error *e = NULL;
    mpu_source *source = mpu_source_new(NULL);
    mpu_source_add_text(source, "random.s", str_text(text), text->len);
    mpu_program *p = mpu_source_build(source, &e);
    if (!p)
        session_fails(seed, "mpu-as", mpu_error_text(e), text);
    mpu_source_free(source);
    return p;
}

/* What is in `start` before it comes to what is in `end`.  Whether the kernel was carried out, and
 * not refused for what is not there yet. */
static bool carried_out(const struct launched *start, const struct launched *end, uint64_t scalar,
                        uint64_t length, uint64_t seed) {
    struct str text = {0};
    uint64_t own = seed * 77;
    mpu_error *e = NULL;
    unsigned dpus = units[splitmix64(&own) % 3], set = (unsigned)(splitmix64(&own) % SETS);
    session_program(start, scalar, length, dpus, &text);
    mpu_program *p = build(&text, seed);
    mpu_session *s = mpu_session_new(p, targets[set], NULL, &e);
    bool refused = s && mpu_session_prepare(s, &e) != MPU_OK;
    if (refused && !strstr(mpu_error_text(e), "it needs an `else` for this target"))
        session_fails(seed, sets[set], mpu_error_text(e), &text);
    if (refused && getenv("MPU_SAY"))
        print_message("seed %" PRIu64 ": %s\n%s\n", seed, mpu_error_text(e), str_text(&text));
    if (!refused) {
        session_put_all(s, start, seed, sets[set], &text);
        if (mpu_session_run(s, &e) != MPU_OK)
            session_fails(seed, sets[set], mpu_error_text(e), &text);
        session_compare(s, end, seed, sets[set], &text);
    }
    mpu_error_free(e);
    mpu_session_free(s);
    mpu_program_free(p);
    str_free(&text);
    return !refused;
}
static bool one(uint64_t seed) {
    static struct random_kernel start, end;
    struct str wrong = {0};
    random_kernel(&start, seed);
    random_kernel(&end, seed);
    launched_run(&end.launched, &wrong);
    assert_int_equal(wrong.len, 0);
    bool ran =
        carried_out(&start.launched, &end.launched, (uint64_t)start.scalar, start.length, seed);
    random_kernel_free(&start);
    random_kernel_free(&end);
    str_free(&wrong);
    return ran;
}
/* Bodies that no evaluation but the interpreter's is there for. */
static bool one_of_bodies(uint64_t seed) {
    struct launched start = {.count = 0}, end = {.count = 0};
    struct str wrong = {0};
    uint64_t scalar, length;
    random_bodies(&start, seed, &scalar, &length);
    random_bodies(&end, seed, &scalar, &length);
    launched_run(&end, &wrong);
    if (wrong.len)
        session_fails(seed, "golden", str_text(&wrong), &start.text);
    bool ran = carried_out(&start, &end, scalar, length, seed);
    launched_free(&start);
    launched_free(&end);
    str_free(&wrong);
    return ran;
}

static uint64_t first_seed = 1, last_seed;

static void test_same_bytes(void **state) {
    unsigned ran = 0, all = 0;
    (void)state;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++, all++)
        ran += one(seed);
    print_message("%u of %u kernels\n", ran, all);
    /* Chains of groups that IRAM has no room for. */
    assert_true(ran * 100 >= all * 95);
}

static void test_bodies(void **state) {
    unsigned ran = 0, all = 0;
    (void)state;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++, all++)
        ran += one_of_bodies(seed);
    print_message("%u of %u kernels\n", ran, all);
    assert_true(ran * 2 >= all);
}

/* A fault is refused with its line, or stops with line, DPU and element. */
static void test_mistakes(void **state) {
    uint64_t seed = 9;
    unsigned ran = 0;
    (void)state;
    for (unsigned i = 0; i < draws(DRAWS_STAGE_DPU_MISTAKES); i++) {
        struct mistaken x;
        struct str text = {0};
        char where[64], element[48];
        mpu_error *e = NULL;
        mistaken_kernel(&x, i, &seed);
        session_program(&x.launched, 0, 0, units[i % 3], &text);
        mpu_source *source = mpu_source_new(NULL);
        mpu_source_add_text(source, "random.s", str_text(&text), text.len);
        mpu_program *p = mpu_source_build(source, &e);
        mpu_session *s = p ? mpu_session_new(p, targets[i % SETS], NULL, &e) : NULL;
        bool refused = !s || mpu_session_prepare(s, &e) != MPU_OK;
        if (!refused) {
            session_put_all(s, &x.launched, i, "upmem", &text);
            assert_int_not_equal(mpu_session_run(s, &e), MPU_OK);
        }
        const char *said = mpu_error_text(e);
        const char *at = strstr(said, ", element ");
        /* Tasklets are not in the order of the elements: one that is wrong is told. */
        bool told = at && strtoul(at + 10, NULL, 10) >= x.element;
        bool later = strstr(said, "it needs an `else` for this target") != NULL;
        snprintf(where, sizeof where, "random.s:%u", x.line + 3);
        snprintf(element, sizeof element, "element %u or behind it", x.element);
        ran += !refused;
        if (!strstr(said, "'f'") || !strstr(said, where) ||
            (!later && refused != (x.refused != NULL)) ||
            (refused && !later && !strstr(said, x.refused)) ||
            (!refused && (!strstr(said, "DPU ") || !told))) {
            fputs(str_text(&text), stderr);
            fail_msg("'%s' has not '%s', '%s', '%s'", said, where, x.refused ? x.refused : "",
                     element);
        }
        mpu_error_free(e);
        mpu_session_free(s);
        mpu_program_free(p);
        mpu_source_free(source);
        str_free(&text);
        launched_free(&x.launched);
    }
    print_message("%u stopped on a DPU\n", ran);
    assert_true(ran > 0);
}

/* ---- what has no code ---- */

static const struct {
    const char *parameters, *stages, *arguments, *why;
} nones[] = {
    {"bins: i32[]", "reduce (in x, acc bins[20000] = 0) { bins[x[0] & 8191]++; }", "big",
     "none.s:6:1: error: kernel 'f': one tasklet takes 80280 bytes of WRAM, which has 65536, 'bins' with 80000"},
    {"y: i32[]", "map (in x, out y) { i32 t[16384]; t[x[0] & 16383] = 1; y[0] = t[3]; }", "y",
     NULL},
    {"y: i32[]", "map (in x, out y) { i64 v = x[0]; %s y[0] = (i32)v; }", "y",
     "instructions, most of them of this stage, and IRAM room for 4096"},
};

/* It is said why, which value, how many bytes, and what is to be done. */
static void test_without(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof nones / sizeof *nones; i++) {
        struct str text = {0}, stages = {0}, many = {0};
        mpu_error *e = NULL;
        /* So many that no code of them is short. */
        for (unsigned k = 0; k < 256; k++)
            str_append(&many, "v += 1000 / (v ^ x[0]) + (v > 7 ? v * v : v / 3);\n");
        const char *mark = strstr(nones[i].stages, "%s");
        str_append_n(&stages, nones[i].stages,
                     mark ? (size_t)(mark - nones[i].stages) : strlen(nones[i].stages));
        if (mark)
            str_printf(&stages, "%s%s", str_text(&many), mark + 2);
        str_printf(&text,
                   "        .buffer inout x: i32[100]\n        .buffer out y: i32[100]\n"
                   "        .buffer out big: i32[20000]\n"
                   "        .kernel f stage(x: i32[], %s)\nlength 100;\n%s\n        .endkernel\n"
                   "        RECIPE f(x, %s)\n        HALT\n",
                   nones[i].parameters, str_text(&stages), nones[i].arguments);
        mpu_source *source = mpu_source_new(NULL);
        mpu_source_add_text(source, "none.s", str_text(&text), text.len);
        mpu_program *p = mpu_source_build(source, &e);
        mpu_session *s = p ? mpu_session_new(p, targets[2], NULL, &e) : NULL;
        assert_true(!s || mpu_session_prepare(s, &e) != MPU_OK);
        const char *said = mpu_error_text(e);
        if (!strstr(said, "kernel 'f'") ||
            (nones[i].why &&
             (!strstr(said, nones[i].why) || !strstr(said, "it needs an `else` for this target"))))
            fail_msg("'%s' is not in '%s'", nones[i].why, said);
        mpu_error_free(e);
        mpu_session_free(s);
        mpu_program_free(p);
        mpu_source_free(source);
        str_free(&many);
        str_free(&stages);
        str_free(&text);
    }
}

static int open_targets(void **state) {
    (void)state;
    for (unsigned i = 0; i < SETS; i++) {
        const char *const set[] = {sets[i], NULL};
        targets[i] = mpu_target_open("upmem", set, NULL);
        assert_non_null(targets[i]);
    }
    return 0;
}
static int close_targets(void **state) {
    (void)state;
    for (unsigned i = 0; i < SETS; i++)
        mpu_target_close(targets[i]);
    return 0;
}

int main(int argc, char **argv) {
    last_seed = draws(DRAWS_STAGE_DPUS);
    if (argc > 1)
        first_seed = last_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        last_seed = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_without)};
    return cmocka_run_group_tests(tests, open_targets, close_targets);
}
