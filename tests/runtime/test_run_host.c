/* SPDX-License-Identifier: MIT
 * The host's link in its modes, end to end: which way puts, gets and copies take on a made-up
 * machine, and what they cost, by hand. */
#include "run_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

/* racer with 2 RFHs of 4 VRFs of 64 lanes and no network but the host.  Per RFH, in picoseconds a
 * byte: serial 1,000 in and 2,000 out, parallel 600 and 800, broadcast 500; set-up 11, 101, 1,001.
 * 10 fJ a bit, and nothing is turned. */
#define HEAD                                                                                       \
    "schema: 1\nname: ranks\nextends: racer\n"                                                     \
    "machine: { vrf_per_rfh: 4, rfh_per_mpu: 2, mpus: 2, active_vrf_per_rfh: 1 }\n"                \
    "network: { intra: host, setup_ps: null, register_ps: null, energy_fj_per_bit: null }\n"
#define HOST                                                                                       \
    "host:\n  bytes_per_s: null\n  fj_per_bit: 10\n"                                               \
    "  transpose_bytes_per_s: 0\n  transpose_fj_per_byte: 0\n  modes:\n"                           \
    "    serial: { in_bytes_per_s: 1000000000, out_bytes_per_s: 500000000, setup_ps: 11, "         \
    "scope: rfh, source: by hand }\n"
#define PARALLEL                                                                                   \
    "    parallel: { in_bytes_per_s: 1666666667, out_bytes_per_s: 1250000000, setup_ps: 101, "     \
    "scope: rfh }\n"
#define BROADCAST "    broadcast: { in_bytes_per_s: 2000000000, setup_ps: 1001, scope: rfh }\n"

/* y = a * x, whose elements are bytes. */
static const char scale[] = "size n;\ngroup g[n];\nin a: u8;\nin x: u8 @ g;\nout y: u8 @ g;\n"
                            "main { compute g { y = a * x; } }\n";

static int write_files(void **state) {
    (void)state;
    write_words("host_modes.yaml", HEAD HOST PARALLEL BROADCAST);
    write_words("host_serial.yaml", HEAD HOST);
    write_words("host_scale.ez", scale);
    write_words("host_each.s", "        .geometry grid=[2]\n        .size m\n"
                               "        .group h[m] per mpu\n        .var in u: u8 @h = r0\n"
                               "        .var out v: u8 @h = r1\n        COMPUTEG @h\n"
                               "        INC.8 r0 r1\n        COMPUTE_DONE\n");
    return 0;
}

static const struct words_result *run_fine(const char *words) {
    const struct words_result *r = run_words(words);
    if (r->code != 0)
        fail_msg("%s: exit %d\n%s", words, r->code, r->err);
    return r;
}

static uint64_t figure(const struct words_result *r, const char *path) {
    char key[128];
    snprintf(key, sizeof key, "\n%s,", path);
    const char *at = strstr(r->out, key);
    if (!at)
        fail_msg("no figure %s in %s", path, r->out);
    return strtoull(at + strlen(key), NULL, 10);
}

struct mode {
    uint64_t transfers, in, out, padding, ps;
};

static void expect_mode(const struct words_result *r, const char *mode, unsigned place,
                        struct mode want) {
    static const char *const names[] = {"transfers", "bytes_in", "bytes_out", "padding_bytes",
                                        "time_ps"};
    const uint64_t values[] = {want.transfers, want.in, want.out, want.padding, want.ps};
    char path[64];
    snprintf(path, sizeof path, "\nhost.modes.%u.mode,%s\n", place, mode);
    assert_non_null(strstr(r->out, path));
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "host.modes.%u.%s", place, names[i]);
        if (figure(r, path) != values[i])
            fail_msg("%s is %llu, expected %llu", path, (unsigned long long)figure(r, path),
                     (unsigned long long)values[i]);
    }
}

static void expect_host(const struct words_result *r, struct mode want) {
    assert_int_equal(figure(r, "host.bytes_in"), want.in);
    assert_int_equal(figure(r, "host.bytes_out"), want.out);
    assert_int_equal(figure(r, "host.time_ps"), want.ps);
    assert_int_equal(figure(r, "host.energy_fj"), (want.in + want.out) * 8 * 10);
    assert_int_equal(figure(r, "host.transpose_time_ps"), 0);
}

#define SCALE                                                                                      \
    "host_scale.ez --place packed --in a=3 --in x=iota --print y[0:1] --stats csv --target "

/* 240 bytes: VRFs of 64, 64, 64 and 48, two in each RFH.  a to all of them: 128 bytes an RFH at 500
 * ps are what 64 alone would take at 1,000.  x: 128 at 600, y: 128 at 800 against 64 at 2,000. */
static void by_all_ways(void **state) {
    (void)state;
    const struct words_result *r = run_fine(SCALE "host_modes.yaml --size n=240");
    expect_mode(r, "serial", 0, (struct mode){0});
    expect_mode(r, "parallel", 1,
                (struct mode){2, 256, 256, 2 * 16, 101 + 76800 + 101 + 64 * 2000});
    expect_mode(r, "broadcast", 2, (struct mode){1, 256, 0, 16, 1001 + 128 * 500});
    expect_host(r, (struct mode){.in = 512, .out = 256, .ps = 101 + 76800 + 101 + 128000 + 65001});
    assert_int_equal(figure(r, "host.puts"), 2);
    assert_int_equal(figure(r, "host.gets"), 1);
}

/* One VRF of 10 bytes; a is broadcast to it no faster than it would go alone. */
static void one_vrf_alone(void **state) {
    (void)state;
    const struct words_result *r = run_fine(SCALE "host_modes.yaml --size n=10");
    expect_mode(r, "serial", 0, (struct mode){2, 10, 10, 0, 11 + 10000 + 11 + 20000});
    expect_mode(r, "parallel", 1, (struct mode){0});
    expect_mode(r, "broadcast", 2, (struct mode){1, 10, 0, 0, 1001 + 10000});
}

/* VRF after VRF, RFHs at the same time: 128 bytes of RFH 0, two set-ups. */
static void serial_alone(void **state) {
    (void)state;
    const struct words_result *r = run_fine(SCALE "host_serial.yaml --size n=240");
    expect_mode(r, "serial", 0,
                (struct mode){12, 480, 240, 0, 2 * (22 + 128 * 1000) + 22 + 128 * 2000});
    assert_null(strstr(r->out, "host.modes.1"));
    expect_host(r, (struct mode){.in = 480, .out = 240, .ps = 2 * 128022 + 256022});
}

static void scope_of_the_chip(void **state) {
    (void)state;
    const struct words_result *r =
        run_fine(SCALE "host_serial.yaml --size n=240 --set host.modes.serial.scope=chip");
    expect_mode(r, "serial", 0,
                (struct mode){12, 480, 240, 0, 2 * (44 + 240 * 1000) + 44 + 240 * 2000});
}

/* 70 elements in each of two MPUs: VRFs of 64 and 6, each alone in its RFH. */
static void groups_of_each_mpu(void **state) {
    (void)state;
    const struct words_result *r = run_fine("--target host_modes.yaml host_each.s --size m=70 --in "
                                            "u=random:1 --print v[0:1] --stats csv");
    expect_mode(r, "parallel", 1,
                (struct mode){2, 256, 256, 2 * 2 * 58, 101 + 64 * 1000 + 101 + 64 * 2000});
}

/* Each round is a transfer: 384 elements in three VRFs of each RFH, then 216 in two. */
static void rounds(void **state) {
    (void)state;
    const struct words_result *r =
        run_fine("host_scale.ez --in a=3 --in x=random:1 --print y[0:1] --stats csv --target "
                 "host_modes.yaml --size n=600 --set machine.mpus=1");
    assert_int_equal(figure(r, "total.rounds"), 2);
    expect_mode(r, "parallel", 1,
                (struct mode){4, 384 + 256, 384 + 256, 2 * 40,
                              4 * 101 + 192 * 600 + 128 * 600 + 192 * 800 + 64 * 2000});
    expect_mode(r, "broadcast", 2,
                (struct mode){2, 384 + 256, 0, 40, 2 * 1001 + 192 * 500 + 128 * 500});
}

/* A register by name lies in one VRF. */
static void a_bare_register(void **state) {
    (void)state;
    write_words("host_bare.s", "        COMPUTE RFH1 VRF2\n        INC.8 r0 r1\n"
                               "        COMPUTE_DONE\n");
    const struct words_result *r = run_fine("--target host_modes.yaml host_bare.s --in "
                                            "RFH1.VRF2.r0=1,2,3 --print RFH1.VRF2.r1:u8 "
                                            "--stats csv");
    assert_int_equal(figure(r, "host.modes.0.transfers"), 2);
    assert_int_equal(figure(r, "host.modes.0.bytes_out"), 64);
}

/* Text and table, one by one. */
static void loading_is_serial(void **state) {
    (void)state;
    const struct words_result *r = run_fine(SCALE "host_modes.yaml --size n=240");
    uint64_t bytes = figure(r, "load.text_bytes") + figure(r, "load.recipe_table_bytes");
    assert_true(bytes > 0);
    assert_int_equal(figure(r, "load.time_ps"), 2 * 11 + bytes * 1000);
    assert_int_equal(figure(r, "load.energy_fj"), bytes * 80);
}

/* Time of the kernel's copies. */
static uint64_t transfer_ps(const struct words_result *r) {
    const char *row = strstr(r->out, "component,transfer\n");
    const char *time = row ? strstr(row, ".time_ps,") : NULL;
    assert_non_null(time);
    return strtoull(time + strlen(".time_ps,"), NULL, 10);
}

/* Runs a program of copies, with links of each RFH or one for the chip. */
static void expect_copies(const char *text, bool chip, uint64_t registers, uint64_t ps) {
    write_words("host_copy.s", text);
    const struct words_result *r =
        run_fine(chip ? "--place packed --target host_modes.yaml host_copy.s --stats "
                        "csv --set host.modes.serial.scope=chip"
                      : "--place packed --target host_modes.yaml host_copy.s --stats "
                        "csv");
    assert_int_equal(transfer_ps(r), ps);
    assert_int_equal(figure(r, "total.register_transfers"), registers);
    assert_int_equal(figure(r, "host.bytes_in"), 0);
}

/* 64 lanes of 16 bits are 128 bytes, 2,000 ps each out and 1,000 in, with a set-up each.  The pairs
 * of the MEMCPY have no RFH in common in the first program and both in the second. */
static void copies_by_way_of_the_host(void **state) {
    static const char apart[] =
        "MOVE RFH0 RFH0\nMOVE RFH1 RFH1\nMEMCPY.16 VRF0 r0 VRF1 r1\nMOVE_DONE\n";
    static const char together[] =
        "MOVE RFH0 RFH1\nMOVE RFH1 RFH0\nMEMCPY.16 VRF0 r0 VRF1 r1\nMOVE_DONE\n";
    uint64_t copy_ps = 11 + 128 * 2000 + 11 + 128 * 1000;
    (void)state;
    expect_copies(apart, false, 2, copy_ps);
    expect_copies(apart, true, 2, 2 * copy_ps);
    expect_copies(together, false, 2, 2 * copy_ps);
    expect_copies(together, true, 2, 2 * copy_ps);
}

/* Five VRFs of 64 bytes, three in RFH 0 and two in RFH 1, each of which takes what is its own and
 * one element of the one before.  RFH by RFH: 5 registers read for 3 written, and 4 for 2.  All
 * together: 5 for 5. */
static void moves_by_way_of_the_host(void **state) {
    static const char text[] = ".group g[320]\n.move m u8 @g r2[i] = @g r2[i - 1] wrap\nGMOVE m\n";
    uint64_t copy_ps = 11 + 64 * 2000 + 11 + 64 * 1000;
    (void)state;
    expect_copies(text, false, 9, 5 * copy_ps);
    expect_copies(text, true, 5, 5 * copy_ps);
}

/* One way only, for the batch of two VRFs. */
static void numbers_from_the_host(void **state) {
    static const char text[] = ".group g[100]\nCOMPUTEG @g\nINDEX.8 r2\nCOMPUTE_DONE\n";
    (void)state;
    expect_copies(text, false, 2, 11 + 64 * 1000);
}

/* What a machine with one link says, it says as ever. */
static void one_link_has_no_modes(void **state) {
    (void)state;
    const struct words_result *r = run_fine(SCALE "racer --size n=240");
    assert_null(strstr(r->out, "host.modes"));
}

static void in_text_and_keys(void **state) {
    (void)state;
    const struct words_result *r = run_fine(
        "host_scale.ez --in a=3 --in x=iota --stats text:full --target host_modes.yaml --size n=240");
    assert_non_null(strstr(r->out, "\nhost.modes\n"));
    assert_non_null(strstr(r->out, "  broadcast "));
    r = run_fine("--list-keys host_modes.yaml");
    assert_non_null(strstr(r->out, "\nhost.modes.serial.setup_ps   11 "));
    assert_non_null(strstr(r->out, "(by hand)"));
    r = run_fine("--print-target host_modes.yaml");
    assert_non_null(strstr(r->out, "\n    broadcast:\n"));
}

static long most_kb(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

/* Words that clear one register of all crossbars, and name the others in one of them, take memory
 * for the one: 32 of 1,024 columns, 68 MB of 2 GB. */
static void columns_that_words_touch(void **state) {
    char text[2048];
    int n = snprintf(text, sizeof text,
                     "        .kernel words pypim()\n            INIT0 r30[0..31]\n"
                     "            CROSSBARS 0\n");
    (void)state;
    for (unsigned r = 0; r < 32; r++)
        n += snprintf(text + n, sizeof text - (size_t)n, "            INIT0 r%u[0]\n", r);
    snprintf(text + n, sizeof text - (size_t)n,
             "        .endkernel\n        RECIPE words()\n        HALT\n");
    write_words("host_words.s", text);
    long before = most_kb();
    run_fine("--target pypim --set machine.mpus=128 host_words.s");
    assert_true(most_kb() - before < 200000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_all_ways),
        cmocka_unit_test(one_vrf_alone),
        cmocka_unit_test(serial_alone),
        cmocka_unit_test(scope_of_the_chip),
        cmocka_unit_test(groups_of_each_mpu),
        cmocka_unit_test(rounds),
        cmocka_unit_test(a_bare_register),
        cmocka_unit_test(loading_is_serial),
        cmocka_unit_test(copies_by_way_of_the_host),
        cmocka_unit_test(moves_by_way_of_the_host),
        cmocka_unit_test(numbers_from_the_host),
        cmocka_unit_test(one_link_has_no_modes),
        cmocka_unit_test(in_text_and_keys),
        cmocka_unit_test(columns_that_words_touch),
    };
    return cmocka_run_group_tests(tests, write_files, NULL);
}
