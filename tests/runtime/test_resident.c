/* SPDX-License-Identifier: MIT
 * Resident data (--resident): no link, no transposition, and everything else as it is. */
#include "run_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/include/mpu/mpu.h"

#define HOST "host.time_ps", "host.energy_fj", "host.transpose_time_ps", "host.transpose_energy_fj"

static int write_files(void **state) {
    (void)state;
    write_words("resident.ez", "size n;\ngroup g[n];\nin a: u8;\nin x: u8 @ g;\nout y: u8 @ g;\n"
                               "main { compute g { y = a * x; } }\n");
    write_words("resident_sum.ez", "size n;\ngroup g[n];\nin x: u8 @ g;\nout s: u32;\n"
                                   "main { s = sum(u32(x)); }\n");
    write_words("resident_value.ez", "group g[4];\nhost k: u8 = 3;\nin x: u8 @ g;\nout y: u8 @ g;\n"
                                     "main { compute g { y = k * x; } }\n");
    write_words("resident_bare.s", "        COMPUTE RFH0 VRF0\n        INC.8 r0 r1\n"
                                   "        COMPUTE_DONE\n");
    write_words("resident_small.yaml",
                "schema: 1\nname: small\nextends: racer\n"
                "machine: { vrf_per_rfh: 1, rfh_per_mpu: 2, mpus: 1, active_vrf_per_rfh: 1 }\n");
    return 0;
}

static const struct words_result *run_fine(const char *words) {
    const struct words_result *r = run_words(words);
    if (r->code != 0)
        fail_msg("%s: exit %d\n%s", words, r->code, r->err);
    return r;
}

static uint64_t figure(const char *csv, const char *path) {
    char key[128];
    snprintf(key, sizeof key, "\n%s,", path);
    const char *at = strstr(csv, key);
    if (!at)
        fail_msg("no figure %s in %s", path, csv);
    return strtoull(at + strlen(key), NULL, 10);
}

#define SCALE                                                                                      \
    "resident.ez --size n=200 --in a=3 --in x=iota --print y[0:3] --target racer --stats csv"

/* 200 bytes in for x and out for y, of a one in each of four VRFs' valid lanes. */
static void no_transfer(void **state) {
    (void)state;
    char *plain = strdup(run_fine(SCALE)->out);
    char *some = strdup(run_fine(SCALE " --resident x")->out);
    const char *all = run_fine(SCALE " --resident x,y --resident a")->out;
    static const char *const kernel[] = {"total.time_ps",        "total.energy_fj",
                                         "total.micro_ops",      "total.issue_slots",
                                         "utilisation.elements", "load.time_ps"};
    static const char *const host[] = {HOST};
    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++) {
        assert_int_equal(figure(some, kernel[i]), figure(plain, kernel[i]));
        assert_int_equal(figure(all, kernel[i]), figure(plain, kernel[i]));
    }
    for (size_t i = 0; i < sizeof host / sizeof *host; i++) {
        assert_true(figure(some, host[i]) < figure(plain, host[i]));
        assert_int_equal(figure(all, host[i]), 0);
    }
    assert_int_equal(figure(plain, "host.puts"), 2);
    assert_int_equal(figure(some, "host.puts"), 1);
    assert_int_equal(figure(some, "host.gets"), 1);
    assert_int_equal(figure(all, "host.puts") + figure(all, "host.gets"), 0);
    assert_int_equal(figure(some, "host.bytes_in"), figure(plain, "host.bytes_in") - 200);
    assert_int_equal(figure(some, "host.resident.0.bytes_in"), 200);
    assert_int_equal(figure(all, "host.resident.1.bytes_out"), 200);
    assert_int_equal(figure(all, "total.end_to_end_time_ps"),
                     figure(all, "total.time_ps") + figure(all, "load.time_ps"));
    assert_int_equal(figure(all, "total.end_to_end_energy_fj"),
                     figure(all, "total.energy_fj") + figure(all, "load.energy_fj"));
    assert_non_null(strstr(all, "y[0:3] = 0 3 6\n"));
    assert_null(strstr(plain, "host.resident"));
    free(plain);
    free(some);
}

/* Named with its MPU, with its type, or without. */
static void registers(void **state) {
    static const char *const names[] = {"RFH0.VRF0.r0", "MPU0.RFH0.VRF0.r0", "RFH0.VRF0.r0:u8"};
    char words[256];
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        snprintf(words, sizeof words,
                 "--target racer resident_bare.s --in RFH0.VRF0.r0:u8=1,2,3 --resident %s "
                 "--print RFH0.VRF0.r1:u8 --stats csv",
                 names[i]);
        const char *csv = run_fine(words)->out;
        assert_int_equal(figure(csv, "host.puts"), 0);
        assert_int_equal(figure(csv, "host.gets"), 1);
        assert_int_equal(figure(csv, "host.resident.0.bytes_in"), 3 * 8);
    }
}

static void refused(void **state) {
    (void)state;
    words_end_with(SCALE " --resident z", 2, "the program has no variable 'z'");
    words_end_with(SCALE " --resident x,,y", 2, "not of the form NAME or NAME,NAME...");
    words_end_with("--target racer resident_value.ez --in x=1,2,3,4 --resident k", 2,
                   "'k' is a link-time value: it stands in the text, and in no register");
    words_end_with("--target resident_small.yaml resident.ez --size n=500 --in a=1 --in x=zeros "
                   "--resident x",
                   1, "'x' cannot be resident: the program runs in 4 rounds on target 'small'");
    words_end_with("--target racer resident_sum.ez --size n=9 --in x=zeros --resident s "
                   "--finish host",
                   1, "'s' is to be resident, and the host is to finish the reduction");
}

/* A reduction that the host would finish stays where its result is to be; of a package that leaves
 * it to the host a new one is made. */
static void reductions(void **state) {
#define SUM "resident_sum.ez --size n=5000 --in x=random:1 --print s --target racer --stats csv"
    (void)state;
    char *plain = strdup(run_fine(SUM)->out);
    const char *csv = run_fine(SUM " --resident s")->out;
    assert_non_null(strstr(plain, "host.finished.0.output,s"));
    assert_null(strstr(csv, "host.finished"));
    assert_int_equal(figure(csv, "host.gets"), 0);
    assert_int_equal(strncmp(csv, plain, strcspn(plain, "\n")), 0);
    free(plain);
}

/* The table says what was resident, and has the time with transfers that it is about. */
static void compared(void **state) {
#define TWO "--target racer,mimdram resident.ez --size n=200 --in a=3 --in x=iota --iso-area none "
    (void)state;
    assert_non_null(strstr(run_fine(TWO)->out, "  -         done\n"));
    assert_non_null(strstr(run_fine(TWO "--resident x,y")->out, "  x, y      done\n"));
    assert_non_null(strstr(run_fine(TWO "--resident x,y --stats csv")->out, ",x y,,,,"));
    const char *json = run_fine(TWO "--resident x,y --stats json")->out;
    assert_non_null(strstr(json, "\"resident\": [\n        \"x\",\n        \"y\"\n      ]"));
}

static void said_before_anything_runs(void **state) {
    mpu_error *e = NULL;
    mpu_program *p = mpu_program_load_file("resident.ez", NULL);
    mpu_target *t = mpu_target_open("racer", NULL, NULL);
    mpu_session *s = mpu_session_new(p, t, NULL, NULL);
    (void)state;
    mpu_session_bind_size(s, "n", 8, NULL);
    assert_int_equal(mpu_session_set_resident(s, "x", NULL), MPU_OK);
    assert_int_equal(mpu_session_set_resident(s, "x", NULL), MPU_OK);
    assert_int_equal(mpu_session_prepare(s, NULL), MPU_OK);
    assert_int_equal(mpu_session_set_resident(s, "y", &e), MPU_USAGE);
    assert_non_null(strstr(mpu_error_text(e), "that 'y' is resident is said before anything runs"));
    mpu_error_free(e);
    mpu_session_free(s);
    mpu_target_close(t);
    mpu_program_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_transfer), cmocka_unit_test(registers),
        cmocka_unit_test(refused),     cmocka_unit_test(reductions),
        cmocka_unit_test(compared),    cmocka_unit_test(said_before_anything_runs),
    };
    return cmocka_run_group_tests(tests, write_files, NULL);
}
