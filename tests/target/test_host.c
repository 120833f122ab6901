/* SPDX-License-Identifier: MIT
 * The host's link: which way transfers take, and how long each is. */
#include "target/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* 2 RFHs of 4 VRFs in an MPU: VRFs 0, 2, 4, 6 of the first MPU lie in RFH 0, the others in RFH 1;
 * the second MPU begins at VRF 8.  */
#define GB_PER_S ((uint64_t)1000000000) /* 1,000 ps a byte */

static struct target one_link(void) {
    return (struct target){.vrf_per_rfh = 4,
                           .rfh_per_mpu = 2,
                           .mpus = 2,
                           .host_bytes_per_s = GB_PER_S,
                           .host_fj_per_bit = 3};
}

/* Serial 2,000 ps a byte in and 4,000 out, parallel 250 and 500, broadcast 100; each has an RFH for
 * itself.  Set-up 7, 70, 700. */
static struct target three_modes(void) {
    struct target t = one_link();
    t.host_modes[HOST_SERIAL] =
        (struct host_mode){GB_PER_S / 2, GB_PER_S / 4, 7, HOST_RFH, 0, {{0}}};
    t.host_modes[HOST_PARALLEL] =
        (struct host_mode){GB_PER_S * 4, GB_PER_S * 2, 70, HOST_RFH, 0, {{0}}};
    t.host_modes[HOST_BROADCAST] = (struct host_mode){GB_PER_S * 10, 0, 700, HOST_RFH, 0, {{0}}};
    return t;
}

static const struct host_slice one[] = {{3, 64}};
static const struct host_slice equal[] = {{0, 64}, {1, 64}, {2, 64}, {3, 64}};
static const struct host_slice last_shorter[] = {{0, 64}, {1, 64}, {2, 64}, {3, 8}};
static const struct host_slice middle_shorter[] = {{0, 64}, {1, 64}, {2, 63}, {3, 64}};
static const struct host_slice last_larger[] = {{0, 64}, {1, 64}, {2, 64}, {3, 65}};
/* A group of each MPU: 64 and 8 bytes in the first MPU, the same in the second. */
static const struct host_slice of_each_mpu[] = {{0, 64}, {1, 8}, {8, 64}, {9, 8}};
static const struct host_slice unequal_mpus[] = {{0, 64}, {1, 64}, {8, 8}, {9, 64}};
#define LIST(x) x, sizeof(x) / sizeof *(x)

static void which_way(void **state) {
    static const struct {
        enum host_way way;
        const struct host_slice *slices;
        size_t count;
        enum host_mode_kind want;
    } cases[] = {{HOST_SAME, LIST(equal), HOST_BROADCAST},
                 {HOST_SAME, LIST(middle_shorter), HOST_BROADCAST},
                 {HOST_SAME, LIST(one), HOST_BROADCAST},
                 {HOST_IN, LIST(one), HOST_SERIAL},
                 {HOST_OUT, LIST(one), HOST_SERIAL},
                 {HOST_IN, one, 0, HOST_SERIAL},
                 {HOST_IN, LIST(equal), HOST_PARALLEL},
                 {HOST_OUT, LIST(equal), HOST_PARALLEL},
                 {HOST_IN, LIST(last_shorter), HOST_PARALLEL},
                 {HOST_IN, LIST(middle_shorter), HOST_SERIAL},
                 {HOST_IN, LIST(last_larger), HOST_SERIAL},
                 {HOST_OUT, LIST(last_larger), HOST_SERIAL},
                 {HOST_IN, LIST(of_each_mpu), HOST_PARALLEL},
                 {HOST_IN, LIST(unequal_mpus), HOST_SERIAL}};
    struct target t = three_modes();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (target_host_choose(&t, cases[i].way, cases[i].slices, cases[i].count) != cases[i].want)
            fail_msg("case %zu", i);
}

static void what_is_not_there_is_serial(void **state) {
    struct target t = three_modes();
    (void)state;
    t.host_modes[HOST_BROADCAST] = (struct host_mode){0};
    assert_int_equal(target_host_choose(&t, HOST_SAME, LIST(equal)), HOST_SERIAL);
    assert_int_equal(target_host_choose(&t, HOST_IN, LIST(equal)), HOST_PARALLEL);
    t.host_modes[HOST_PARALLEL] = (struct host_mode){0};
    assert_int_equal(target_host_choose(&t, HOST_IN, LIST(equal)), HOST_SERIAL);
    assert_true(target_has_host_modes(&t));
    t.host_modes[HOST_SERIAL] = (struct host_mode){0};
    assert_false(target_has_host_modes(&t));
    assert_int_equal(target_host_choose(&t, HOST_OUT, LIST(equal)), HOST_SERIAL);
}

static void expect(const struct target *t, enum host_way way, const struct host_slice *slices,
                   size_t count, struct host_transfer want) {
    struct host_transfer x = target_host_transfer(t, way, slices, count);
    assert_int_equal(x.mode, want.mode);
    assert_int_equal(x.transfers, want.transfers);
    assert_int_equal(x.bytes, want.bytes);
    assert_int_equal(x.padding, want.padding);
    assert_int_equal(x.time_ps, want.time_ps);
}

/* As many bytes as there are, at 1,000 ps, whatever lies where. */
static void without_modes(void **state) {
    struct target t = one_link();
    (void)state;
    expect(&t, HOST_IN, LIST(equal), (struct host_transfer){HOST_SERIAL, 4, 256, 0, 256000});
    expect(&t, HOST_OUT, LIST(last_shorter),
           (struct host_transfer){HOST_SERIAL, 4, 200, 0, 200000});
    expect(&t, HOST_SAME, LIST(one), (struct host_transfer){HOST_SERIAL, 1, 64, 0, 64000});
    expect(&t, HOST_SAME, one, 0, (struct host_transfer){HOST_SERIAL, 0, 0, 0, 0});
    t.host_bytes_per_s = 3 * GB_PER_S; /* rounded up once for all: 200 x 1,000 / 3 */
    expect(&t, HOST_IN, LIST(last_shorter), (struct host_transfer){HOST_SERIAL, 4, 200, 0, 66667});
    assert_int_equal(target_host_serial_ps(&t, HOST_IN, 200), 66667);
    assert_int_equal(target_host_fj(&t, 200), 200 * 8 * 3);
    t.host_bytes_per_s = 0; /* nothing is known */
    expect(&t, HOST_IN, LIST(equal), (struct host_transfer){HOST_SERIAL, 4, 256, 0, 0});
}

static void serial(void **state) {
    struct target t = three_modes();
    (void)state;
    expect(&t, HOST_IN, LIST(one), (struct host_transfer){HOST_SERIAL, 1, 64, 0, 7 + 64 * 2000});
    expect(&t, HOST_OUT, LIST(one), (struct host_transfer){HOST_SERIAL, 1, 64, 0, 7 + 64 * 4000});
    /* RFH 0 has 64 + 63 bytes, RFH 1 has 64 + 64, which is longer. */
    expect(&t, HOST_IN, LIST(middle_shorter),
           (struct host_transfer){HOST_SERIAL, 4, 255, 0, 2 * 7 + 128 * 2000});
    t.host_modes[HOST_SERIAL].scope = HOST_CHIP;
    expect(&t, HOST_IN, LIST(middle_shorter),
           (struct host_transfer){HOST_SERIAL, 4, 255, 0, 4 * 7 + 255 * 2000});
    t.host_modes[HOST_SERIAL].scope = HOST_VRF;
    expect(&t, HOST_IN, LIST(middle_shorter),
           (struct host_transfer){HOST_SERIAL, 4, 255, 0, 7 + 64 * 2000});
    assert_int_equal(target_host_serial_ps(&t, HOST_OUT, 10), 7 + 10 * 4000);
}

/* Two VRFs in each RFH. */
static void parallel(void **state) {
    struct target t = three_modes();
    (void)state;
    t.host_modes[HOST_PARALLEL].in_bytes_per_s = GB_PER_S / 2; /* no faster than one alone */
    expect(&t, HOST_IN, LIST(equal),
           (struct host_transfer){HOST_PARALLEL, 1, 256, 0, 70 + 128 * 2000});
    expect(&t, HOST_IN, LIST(last_shorter),
           (struct host_transfer){HOST_PARALLEL, 1, 256, 56, 70 + 128 * 2000});
    t.host_modes[HOST_PARALLEL].scope = HOST_CHIP;
    expect(&t, HOST_IN, LIST(equal),
           (struct host_transfer){HOST_PARALLEL, 1, 256, 0, 70 + 256 * 2000});
    t.host_modes[HOST_PARALLEL].scope = HOST_VRF;
    expect(&t, HOST_IN, LIST(equal),
           (struct host_transfer){HOST_PARALLEL, 1, 256, 0, 70 + 64 * 2000});
}

/* 4 GB/s for the RFH's two VRFs are 250 ps a byte, but neither gets its bytes faster than at 2,000
 * ps each; with 16 VRFs in an RFH they are what is slower. */
static void few_are_no_faster_than_one(void **state) {
    struct target t = three_modes();
    struct host_slice many[32];
    (void)state;
    expect(&t, HOST_IN, LIST(equal),
           (struct host_transfer){HOST_PARALLEL, 1, 256, 0, 70 + 64 * 2000});
    expect(&t, HOST_OUT, LIST(equal),
           (struct host_transfer){HOST_PARALLEL, 1, 256, 0, 70 + 64 * 4000});
    t.vrf_per_rfh = 16;
    for (uint32_t i = 0; i < 32; i++)
        many[i] = (struct host_slice){i, 64};
    expect(&t, HOST_IN, LIST(many),
           (struct host_transfer){HOST_PARALLEL, 1, 2048, 0, 70 + 16 * 64 * 250});
    expect(&t, HOST_OUT, LIST(many),
           (struct host_transfer){HOST_PARALLEL, 1, 2048, 0, 70 + 16 * 64 * 500});
}

/* Bandwidths by the number of VRFs: those that are given are met, between them is a power. */
static void bandwidth_grows(void **state) {
    static const struct {
        size_t vrfs;
        uint64_t rate; /* sqrt(1.61 * 2.32) GB/s of 8 VRFs, half-way from 4 to 16 */
    } in[] = {{1, 560000000},   {2, 949526198},   {4, 1610000000},  {8, 1932666552},
              {16, 2320000000}, {64, 3850000000}, {100, 3850000000}},
      out[] = {{1, 109000000}, {4, 415000000}, {16, 755000000}, {64, 1600000000}};
    struct target t = {.vrf_per_rfh = 64, .rfh_per_mpu = 8, .mpus = 1};
    struct host_slice many[100];
    (void)state;
    t.host_modes[HOST_SERIAL] = (struct host_mode){560000000, 109000000, 0, HOST_CHIP, 0, {{0}}};
    t.host_modes[HOST_PARALLEL] = (struct host_mode){
        3850000000, 1600000000, 0,
        HOST_CHIP,  64,         {{4, 1610000000, 415000000}, {16, 2320000000, 755000000}}};
    for (uint32_t i = 0; i < 100; i++)
        many[i] = (struct host_slice){i, 1000};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        assert_int_equal(target_host_transfer(&t, HOST_IN, many, in[i].vrfs).time_ps,
                         (in[i].vrfs * 1000 * UINT64_C(1000000000000) - 1) / in[i].rate + 1);
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        assert_int_equal(target_host_transfer(&t, HOST_OUT, many, out[i].vrfs).time_ps,
                         (out[i].vrfs * 1000 * UINT64_C(1000000000000) - 1) / out[i].rate + 1);
    /* Without the two between: a power from 1 to 64. */
    t.host_modes[HOST_PARALLEL].fewer[0].vrfs = t.host_modes[HOST_PARALLEL].fewer[1].vrfs = 0;
    assert_int_equal(target_host_transfer(&t, HOST_IN, many, 8).time_ps,
                     (8000 * UINT64_C(1000000000000) - 1) / 1468332387 + 1);
}

/* All get what the largest gets. */
static void broadcast(void **state) {
    struct target t = three_modes();
    (void)state;
    t.host_modes[HOST_SERIAL].in_bytes_per_s = GB_PER_S * 100;
    expect(&t, HOST_SAME, LIST(equal),
           (struct host_transfer){HOST_BROADCAST, 1, 256, 0, 700 + 128 * 100});
    expect(&t, HOST_SAME, LIST(middle_shorter),
           (struct host_transfer){HOST_BROADCAST, 1, 256, 1, 700 + 128 * 100});
    expect(&t, HOST_SAME, one, 0, (struct host_transfer){HOST_BROADCAST, 0, 0, 0, 0});
}

/* Serial is then the link that every machine has. */
static void modes_without_serial(void **state) {
    struct target t = three_modes();
    (void)state;
    t.host_modes[HOST_SERIAL] = (struct host_mode){0};
    expect(&t, HOST_OUT, LIST(middle_shorter),
           (struct host_transfer){HOST_SERIAL, 4, 255, 0, 255000});
    assert_true(target_has_host_modes(&t));
}

/* What 64 bits cannot hold is their largest number. */
static void largest(void **state) {
    struct target t = three_modes();
    const struct host_slice huge[] = {{0, UINT64_MAX}, {1, UINT64_MAX}};
    (void)state;
    expect(&t, HOST_IN, LIST(huge),
           (struct host_transfer){HOST_PARALLEL, 1, UINT64_MAX, 0, UINT64_MAX});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_way),       cmocka_unit_test(what_is_not_there_is_serial),
        cmocka_unit_test(without_modes),   cmocka_unit_test(serial),
        cmocka_unit_test(parallel),        cmocka_unit_test(few_are_no_faster_than_one),
        cmocka_unit_test(broadcast),       cmocka_unit_test(modes_without_serial),
        cmocka_unit_test(bandwidth_grows), cmocka_unit_test(largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
