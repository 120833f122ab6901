/* SPDX-License-Identifier: MIT
 * Rounds end to end: programs on chips that are too small for their elements give what a chip that
 * is large enough gives, and count what they do. */
#include "run_words.h"

#include "tools/mpu-run/run.h"
#include "support/bits.h"
#include "support/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_run(const char *words, int code) {
    const struct words_result *r = run_words(words);
    if (r->code != code)
        fail_msg("%s: exit %d\n%s%s", words, r->code, r->out, r->err);
}

static uint64_t figure(const struct words_result *r, const char *path) {
    char key[128];
    snprintf(key, sizeof key, "\n%s,", path);
    const char *at = strstr(r->out, key);
    if (!at)
        fail_msg("no figure %s in %s", path, r->out);
    return strtoull(at + strlen(key), NULL, 10);
}

static const char several[] =
    "size n;\ngroup g[n];\ngroup h[60, 5];\ngroup few[3];\n"
    "in a: u16;\nin consumed x: u16 @ g;\nin m: u8[2] @ h;\nout y: u32 @ g;\nout place: u32 @ h;\n"
    "out k: u8[2] @ h;\nout tiny: u8 @ few;\n"
    "main {\n"
    "  compute g { y = u32(a) * x + u32(index()); }\n"
    "  compute h { place = u32(index()) + a; k[0] = m[1]; k[1] = u8(m[0] + 1); }\n"
    "  repeat (3) { compute g { if (x > 30000) { y = u32(y + 1); } } }\n"
    "  compute few { tiny = u8(index()) + 7; }\n"
    "}\n";

/* Registers without a value at first, kin of different sizes, .data, a temporary that starts at 0,
 * calls and loops at top level. */
static const char kin[] =
    "        .size n\n        .group g[n]\n        .group h[77] like g\n        .group z[5]\n"
    "        .var in x: u16 @g = r0\n        .var out y: u16 @g = r1\n"
    "        .var out w: u16 @h = r2\n        .var out q: u16[2] @z = r4\n"
    "        .data q = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n"
    "main:   REPEAT 3\n        JUMP add\n        REPEAT_END\n"
    "        COMPUTEG @h\n        ADD.16 r0 r1 r2\n        ADD.16 r2 r3 r2\n        COMPUTE_DONE\n"
    "        COMPUTEG @z\n        COMPUTEG @g\n        INC.16 r5 r5\n        COMPUTE_DONE\n"
    "        HALT\n"
    "add:    COMPUTEG @g\n        ADD.16 r1 r0 r1\n        ADD.16 r3 r1 r3\n        COMPUTE_DONE\n"
    "        RETURN\n";

static const char grid[] =
    "        .geometry grid=[2, 2]\n        .size n\n        .group g[n] per mpu\n"
    "        .group s[n]\n"
    "        .var in x: u16 @g = r0\n        .var out y: u16[2] @g = r4\n"
    "        .var out i: u16 @s = r7\n"
    "        COMPUTEG @g\n        INC.16 r0 r4\n        INDEX.16 r5\n        COMPUTE_DONE\n"
    "        COMPUTEG @s\n        INDEX.16 r7\n        COMPUTE_DONE\n";

/* A program, its inputs, and its outputs. */
struct program {
    const char *file, *text, *inputs;
    const char *outputs[5];
};
#define EXAMPLE(name) "\"" MPU_SOURCE_DIR "/examples/" name "\""
static const struct program programs[] = {
    {EXAMPLE("axpy.ez"), NULL, "--in a=-7 --in x=random:1 --in y=random:2", {"z"}},
    {EXAMPLE("collatz.ez"), NULL, "--in x=random:3:1..500", {"steps"}},
    {EXAMPLE("crc32.ez"), NULL, "--in length=random:4:0..16 --in message=random:5", {"crc"}},
    {EXAMPLE("popcount.ez"), NULL, "--in x=random:6", {"ones", "odd"}},
    {EXAMPLE("poly.ez"), NULL, "--in x=random:7:-100000..100000", {"y"}},
    {"rounds_several.ez",
     several,
     "--in a=9 --in x=random:8 --in m=random:9:0..200",
     {"y", "place", "k", "tiny"}},
    {"rounds_kin.s", kin, "--in x=random:10", {"y", "w", "q"}},
    {"rounds_grid.s", grid, "--in x=random:11", {"y", "i"}},
};
#define PROGRAMS (sizeof programs / sizeof *programs)

/* Small chips, with the elements that are too many for them, and other ways to run there. */
static const struct chip {
    const char *target, *set, *more;
    unsigned n, mpus; /* of the large chip 0: enough */
} chips[] = {
    {"racer", "--set machine.vrf_per_rfh=4 --set machine.rfh_per_mpu=2", "--check", 1500, 1},
    {"racer", "--set machine.vrf_per_rfh=4 --set machine.rfh_per_mpu=1", "--batch one -j 2", 1300,
     4},
    {"mimdram", "--set machine.vrf_per_rfh=4 --set machine.rfh_per_mpu=1", "--check", 4200, 1},
    {"duality-cache", "--set machine.vrf_per_rfh=4 --set machine.rfh_per_mpu=2", "", 4500, 1},
    {"golden", "--set machine.vrf_per_rfh=4 --set machine.rfh_per_mpu=2", "--batch all", 3000, 1},
};
#define CHIPS (sizeof chips / sizeof *chips)
#ifdef MPU_SANITIZED
enum { CHIP_STEP = 3 };
#else
enum { CHIP_STEP = 1 };
#endif

static void arguments(const struct program *p, const struct chip *c, struct str *words) {
    str_printf(words, "--target %s %s --size n=%u %s", c->target, p->file, c->n, p->inputs);
}

static void outputs_of(const struct program *p, const char *option, struct str *words) {
    for (size_t i = 0; i < 5 && p->outputs[i]; i++)
        str_printf(words, " --%s %s=rounds_%s.npy", option, p->outputs[i], p->outputs[i]);
}

static void remove_files(const struct program *p) {
    char name[64];
    for (size_t i = 0; i < 5 && p->outputs[i]; i++) {
        snprintf(name, sizeof name, "rounds_%s.npy", p->outputs[i]);
        remove(name);
    }
    if (p->text)
        remove(p->file);
}

/* A grid of four MPUs has four times the lanes, and needs them. */
static void check_program(const struct program *p, const struct chip *c) {
    struct str words = {0};
    bool four = p->text == grid;
    if (p->text)
        write_words(p->file, p->text);
    arguments(p, c, &words);
    outputs_of(p, "out", &words);
    expect_run(words.text, EXIT_DONE);
    str_clear(&words);
    arguments(p, c, &words);
    outputs_of(p, "expect", &words);
    str_printf(&words, " %s %s --set machine.mpus=%u --stats csv", c->set, c->more,
               four ? 4 : c->mpus);
    if (p->text != kin) /* which reads registers that were never written: they are 0 */
        str_append(&words, " --init random:5");
    const struct words_result *r = run_words(words.text);
    if (r->code != EXIT_DONE)
        fail_msg("%s: exit %d\n%s", words.text, r->code, r->err);
    if (figure(r, "total.rounds") < 2)
        fail_msg("%s: no rounds", words.text);
    str_free(&words);
    remove_files(p);
}

static void equal_to_a_chip_that_is_large_enough(void **state) {
    (void)state;
    for (size_t i = 0; i < PROGRAMS; i++)
        for (size_t k = i % CHIP_STEP; k < CHIPS; k += CHIP_STEP)
            check_program(&programs[i], &chips[k]);
}

/* ---- what is counted ---- */

#define AXPY EXAMPLE("axpy.ez") " --in a=2 --in x=iota --in y=iota --size n=1100"
#define ROW  " --set machine.rfh_per_mpu=2 --set machine.mpus=1" /* 128 lanes a row */

/* 9 rows of 128 lanes.  Two rows a chip: 5 rounds, the last of one row with 76 elements in two
 * VRFs.  a goes to all lanes, x and y to theirs; each round is a transfer. */
/* Not only outputs are there behind rounds, but whatever the command line names. */
static void inputs_can_be_printed(void **state) {
    (void)state;
    const struct words_result *r = run_words(
        "--target racer --set machine.vrf_per_rfh=4 --set machine.rfh_per_mpu=2 --set "
        "machine.mpus=1 --size n=1500 " EXAMPLE(
            "axpy.ez") " --in a=2 --in x=iota --in y=zeros --print x[1498:1500] --print z[1498:1500] "
                       "--print a");
    assert_int_equal(r->code, EXIT_DONE);
    assert_string_equal(r->out, "x[1498:1500] = 1498 1499\nz[1498:1500] = 2996 2998\na = 2\n");
}

static void transfers_are_counted_in_each_round(void **state) {
    (void)state;
    const struct words_result *r = run_words(
        "--target racer " AXPY ROW " --set machine.vrf_per_rfh=2 --print z[0:1] --stats csv");
    assert_int_equal(r->code, 0);
    assert_int_equal(figure(r, "total.rounds"), 5);
    assert_int_equal(figure(r, "total.ensembles"), 5);
    assert_int_equal(figure(r, "total.batches"), 9);
    assert_int_equal(figure(r, "host.puts"), 3 * 5);
    assert_int_equal(figure(r, "host.gets"), 5);
    assert_int_equal(figure(r, "host.bytes_in"), 3 * 4 * 1100);
    assert_int_equal(figure(r, "host.bytes_out"), 4 * 1100);
    assert_int_equal(figure(r, "utilisation.lanes_used"), 256);
    assert_int_equal(figure(r, "utilisation.elements"), 1100);
    assert_int_equal(figure(r, "utilisation.vrfs_used"), 4);
}

/* The same rows, one after the other, whether in one round or in several: a jump-free body takes
 * the same time and energy, but for the slots of the rounds' headers and HALTs. */
static void kernels_take_the_time_of_their_batches(void **state) {
    static const char *const same[] = {"total.micro_ops", "total.batches", "total.datapath_cycles",
                                       "by_component.0.energy_fj", "by_component.2.energy_fj"};
    uint64_t one[5], time, slots;
    (void)state;
    const struct words_result *r = run_words("--target racer " AXPY ROW " --stats csv");
    assert_int_equal(figure(r, "total.rounds"), 1);
    for (size_t i = 0; i < 5; i++)
        one[i] = figure(r, same[i]);
    time = figure(r, "total.time_ps");
    slots = figure(r, "total.issue_slots");
    r = run_words("--target racer " AXPY ROW " --set machine.vrf_per_rfh=2 --stats csv");
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(figure(r, same[i]), one[i]);
    assert_true(figure(r, "total.time_ps") >= time);
    assert_true(figure(r, "total.time_ps") < time + time / 100);
    assert_true(figure(r, "total.issue_slots") >= slots);
}

/* The MPU that has less to do in a round waits for the other before the next one begins: 3 rows on
 * two MPUs of one row take two rounds of one row each. */
static void mpus_wait_for_one_another(void **state) {
    uint64_t row, all;
    (void)state;
    const struct words_result *r = run_words("--target racer " EXAMPLE(
        "axpy.ez") " --in a=2 --in x=iota --in y=iota"
                   " --size n=64 --set machine.rfh_per_mpu=1 --stats csv");
    row = figure(r, "total.time_ps");
    r = run_words("--target racer " EXAMPLE(
        "axpy.ez") " --in a=2 --in x=iota --in y=iota"
                   " --size n=192 --set machine.rfh_per_mpu=1 --set machine.vrf_per_rfh=1"
                   " --set machine.mpus=2 --stats csv");
    all = figure(r, "total.time_ps");
    assert_int_equal(figure(r, "total.rounds"), 2);
    assert_int_equal(figure(r, "total.batches"), 3);
    /* The second round finds its recipes in the table. */
    assert_true(all > 2 * row - row / 10 && all < 2 * row + row / 50);
}

static void limits_are_of_all_rounds(void **state) {
    uint64_t cycles = 0;
    char words[512];
    (void)state;
    write_words("rounds_slow.s", "        .group g[40]\n        .var in x: u64 @g = r0\n"
                                 "        COMPUTEG @g\n        REPEAT 50\n        ADD r0 r0 r1\n"
                                 "        REPEAT_END\n        COMPUTE_DONE\n");
#define SLOW                                                                                       \
    "--target golden rounds_slow.s --in x=iota --set array.lanes=4"                                \
    " --set machine.rfh_per_mpu=1 --set machine.vrf_per_rfh=1 --set machine.mpus=1"
    const struct words_result *r = run_words(SLOW " --stats csv");
    if (r->code)
        fail_msg("%s", r->err);
    assert_int_equal(figure(r, "total.rounds"), 10);
    cycles = figure(r, "total.instructions"); /* golden: a slot each */
    snprintf(words, sizeof words, SLOW " --max-cycles %llu", (unsigned long long)cycles / 2);
    r = run_words(words);
    assert_int_equal(r->code, EXIT_STOPPED);
    if (!strstr(r->err, "the limit of") || !strstr(r->err, "; round 5"))
        fail_msg("%s", r->err);
    snprintf(words, sizeof words, SLOW " --max-cycles %llu", (unsigned long long)cycles + 10);
    expect_run(words, EXIT_DONE);
    remove("rounds_slow.s");
}

/* ---- PRINT and ASSERT ---- */

static void prints_and_assertions_name_elements(void **state) {
    (void)state;
    write_words("rounds_debug.s",
                "        .group g[10]\n        .var in x: u8 @g = r0\n        COMPUTEG @g\n"
                "        INDEX.8 r1\n        PRINT \"i\", r1: u8\n        CMPGT.8 r2 r1\n"
                "        LI.8 8 r3\n        CMPGT.8 r3 r1\n        ASSERT \"small\"\n"
                "        COMPUTE_DONE\n");
#define DEBUG                                                                                      \
    "--target golden rounds_debug.s --in x=iota --set array.lanes=2"                               \
    " --set machine.rfh_per_mpu=2 --set machine.vrf_per_rfh=1 --set machine.mpus=1"
    const struct words_result *r = run_words(DEBUG);
    assert_int_equal(r->code, EXIT_STOPPED);
    assert_string_equal(r->out, "i[0:4] = 0 1 2 3\ni[4:8] = 4 5 6 7\ni[8:10] = 8 9\n");
    if (!strstr(r->err, "assertion failed: small: element [8] of g, and 1 more") ||
        !strstr(r->err, "; round 2)") || !strstr(r->err, "note: lane 0 of RFH0.VRF0, batch 0"))
        fail_msg("%s", r->err);
    remove("rounds_debug.s");
}

/* ---- with another order of ensembles ---- */

static void rounds_are_fences(void **state) {
    static const char race[] = "        .group g[300]\n        .var in x: u16 @g = r0\n"
                               "        .var out y: u16 @g = r1\n        .var out z: u16 @g = r2\n"
                               "        COMPUTEG @g\n        INC.16 r0 r1\n        INDEX.16 r3\n"
                               "        COMPUTE_DONE\n"
                               "%s        COMPUTEG @g\n        ADD.16 r0 r1 r2\n"
                               "        COMPUTE_DONE\n";
    char text[1024], words[512];
    unsigned found = 0, in_later_round = 0;
    (void)state;
    for (int fenced = 0; fenced < 2; fenced++) {
        snprintf(text, sizeof text, race, fenced ? "        MPU_SYNC\n" : "");
        write_words("rounds_race.s", text);
        for (unsigned seed = 0; seed < 16; seed++) {
            snprintf(words, sizeof words,
                     "--target racer rounds_race.s --in x=iota --check --set control.order=paper"
                     " --set control.order_seed=%u --set machine.mpus=1 --set machine.rfh_per_mpu=1"
                     " --set machine.vrf_per_rfh=2",
                     seed);
            const struct words_result *r = run_words(words);
            if (r->code == EXIT_DONE)
                continue;
            assert_int_equal(fenced, 0);
            assert_int_equal(r->code, EXIT_REJECTED);
            assert_non_null(strstr(r->err, "r2 of MPU0.RFH0.VRF0, lane 0, depends on the order"));
            found++;
            in_later_round += strstr(r->err, "; round 0") == NULL;
        }
    }
    assert_true(found >= 12 && in_later_round > 0); /* three rounds: seven of eight seeds */
    remove("rounds_race.s");
}

/* ---- what the library refuses ---- */

static mpu_session *small_session(mpu_program **p, mpu_target **t, const mpu_config *config) {
    static const char *const set[] = {"array.lanes=4", "machine.rfh_per_mpu=1",
                                      "machine.vrf_per_rfh=1", "machine.mpus=1", NULL};
    mpu_error *e = NULL;
    write_words(
        "rounds_api.s",
        "        .group g[10]\n        .var in x: u8 @g = r0\n        .var out y: u8 @g = r1\n"
        "        .var out c: u8 = r2\n        .var in d: u8 = r3\n"
        "        COMPUTEG @g\n        INC.8 r0 r1\n        LI.8 8 r4\n        MOV.8 r1 r2\n"
        "        CMPGT.8 r4 r0\n        ASSERT \"below 8\"\n        COMPUTE_DONE\n");
    *t = mpu_target_open("golden", set, &e);
    *p = mpu_program_load_file("rounds_api.s", &e);
    remove("rounds_api.s");
    if (!*t || !*p)
        fail_msg("%s", mpu_error_text(e));
    return mpu_session_new(*p, *t, config, &e);
}

static void expect_usage(mpu_result r, mpu_error *e, const char *part) {
    if (r != MPU_USAGE && r != MPU_REJECTED)
        fail_msg("result %d", (int)r);
    if (!strstr(mpu_error_text(e), part))
        fail_msg("'%s' (wanted '%s')", mpu_error_text(e), part);
    mpu_error_free(e);
}

static void put_bytes(mpu_session *s, const char *name, uint8_t *bytes, uint64_t n) {
    mpu_error *e = NULL;
    const mpu_array a = {MPU_U8, n ? 1 : 0, {n}, bytes};
    if (mpu_session_put(s, name, &a, &e) != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
}

static void a_session_runs_once_in_rounds(void **state) {
    uint8_t xs[10] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1}, d = 3;
    mpu_program *p;
    mpu_target *t;
    mpu_array a = {0};
    mpu_error *e = NULL;
    (void)state;
    mpu_session *s = small_session(&p, &t, NULL);
    put_bytes(s, "x", xs, 10);
    put_bytes(s, "d", &d, 0);
    mpu_result r = mpu_session_get(s, "y", &a, &e);
    expect_usage(r, e, "its variables can be read after the run");
    e = NULL;
    if (mpu_session_run(s, &e) != MPU_OK)
        fail_msg("%s", mpu_error_text(e));
    assert_int_equal(mpu_session_get(s, "y", &a, &e), MPU_OK);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(((uint8_t *)a.data)[i], xs[i] + 1);
    mpu_array_free(&a);
    assert_int_equal(mpu_session_get(s, "c", &a, &e), MPU_OK); /* element 0 of the first group */
    assert_int_equal(*(uint8_t *)a.data, 1);
    mpu_array_free(&a);
    r = mpu_session_get(s, "RFH0.VRF0.r1", &a, &e);
    expect_usage(r, e, "a register of the machine holds other elements in each");
    r = mpu_session_run(s, &e);
    expect_usage(r, e, "run comes too late");
    a = (mpu_array){MPU_U8, 1, {10}, xs};
    r = mpu_session_put(s, "x", &a, &e);
    expect_usage(r, e, "put comes too late");
    uint64_t gets;
    assert_int_equal(mpu_session_figure(s, "host.gets", &gets), MPU_OK);
    assert_int_equal(gets, 3 + 1); /* y in three rounds, c in the first */
    mpu_session_free(s);
    mpu_program_free(p);
    mpu_target_close(t);
}

/* It stops in the second round: the first one's results are there, the third one's are not. */
static void stopped_rounds_can_be_read(void **state) {
    uint8_t xs[10] = {0, 1, 2, 3, 4, 9, 6, 7, 5, 5}, d = 3;
    const uint8_t want[10] = {1, 2, 3, 4, 5, 10, 7, 8, 0, 0};
    mpu_program *p;
    mpu_target *t;
    mpu_array a = {0};
    mpu_error *e = NULL;
    (void)state;
    mpu_session *s = small_session(&p, &t, NULL);
    put_bytes(s, "x", xs, 10);
    put_bytes(s, "d", &d, 0);
    assert_int_equal(mpu_session_run(s, &e), MPU_STOPPED);
    if (!strstr(mpu_error_text(e), "element [5] of g (instruction 5: ASSERT 0; round 1)"))
        fail_msg("%s", mpu_error_text(e));
    mpu_error_free(e);
    e = NULL;
    assert_int_equal(mpu_session_get(s, "y", &a, &e), MPU_OK);
    assert_memory_equal(a.data, want, 10);
    mpu_array_free(&a);
    mpu_session_free(s);
    mpu_program_free(p);
    mpu_target_close(t);
}

static void registers_of_the_machine_take_nothing(void **state) {
    uint8_t xs[10] = {0}, one[1] = {1};
    mpu_program *p;
    mpu_target *t;
    mpu_error *e = NULL;
    (void)state;
    mpu_session *s = small_session(&p, &t, NULL);
    put_bytes(s, "x", xs, 10);
    put_bytes(s, "RFH0.VRF0.r3", one, 1);
    mpu_result r = mpu_session_run(s, &e);
    expect_usage(r, e, "the program runs in 3 rounds on target 'golden'");
    mpu_session_free(s);
    mpu_program_free(p);
    mpu_target_close(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_to_a_chip_that_is_large_enough),
        cmocka_unit_test(inputs_can_be_printed),
        cmocka_unit_test(transfers_are_counted_in_each_round),
        cmocka_unit_test(kernels_take_the_time_of_their_batches),
        cmocka_unit_test(mpus_wait_for_one_another),
        cmocka_unit_test(limits_are_of_all_rounds),
        cmocka_unit_test(prints_and_assertions_name_elements),
        cmocka_unit_test(rounds_are_fences),
        cmocka_unit_test(a_session_runs_once_in_rounds),
        cmocka_unit_test(stopped_rounds_can_be_read),
        cmocka_unit_test(registers_of_the_machine_take_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
