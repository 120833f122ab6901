/* SPDX-License-Identifier: MIT
 * How sets of VRFs are joined and cut for threads. */
#include "emu/control/spread.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VRFS = 500 };

/* A set that holds the VRFs with member[v] == number; `ranges` has room. */
static struct vrf_set set_of(const uint8_t *member, uint8_t number, struct vrf_range *ranges) {
    size_t n = 0;
    for (uint32_t v = 0; v < VRFS; v++) {
        if (member[v] != number)
            continue;
        if (n && ranges[n - 1].first + ranges[n - 1].count == v)
            ranges[n - 1].count++;
        else
            ranges[n++] = (struct vrf_range){v, 1};
    }
    return (struct vrf_set){ranges, n};
}

static void assert_ascending(struct vrf_set set) {
    for (size_t i = 0; i < set.count; i++) {
        assert_true(set.ranges[i].count > 0);
        assert_true(i == 0 ||
                    set.ranges[i - 1].first + set.ranges[i - 1].count < set.ranges[i].first);
    }
}

/* Sets 1..n of random VRFs, joined in a random order, are the VRFs that belong to one of them. */
static void joined_sets_are_one(void **state) {
    uint64_t seed = 1;
    (void)state;
    for (unsigned round = 0; round < 500; round++) {
        struct vrf_range ranges[VRFS];
        uint8_t member[VRFS], any[VRFS];
        struct spread s;
        unsigned sets = 1 + (unsigned)(splitmix64(&seed) % 8), density = 2 + round % 20;
        control_spread_open(&s, 1, 0);
        for (uint32_t v = 0; v < VRFS; v++) {
            member[v] = (uint8_t)(splitmix64(&seed) % density);
            any[v] = member[v] > 0 && member[v] <= sets;
        }
        unsigned first = (unsigned)(splitmix64(&seed) % sets);
        for (unsigned k = 0; k < sets; k++)
            control_spread_join(&s, set_of(member, (uint8_t)(1 + (first + k) % sets), ranges));
        struct vrf_set joined = control_spread_joined(&s), expected = set_of(any, 1, ranges);
        assert_ascending(joined);
        assert_int_equal(joined.count, expected.count);
        if (joined.count)
            assert_memory_equal(joined.ranges, expected.ranges,
                                joined.count * sizeof *joined.ranges);
        assert_int_equal(control_spread_joined(&s).count, 0);
        control_spread_close(&s);
    }
}

/* Parts have all VRFs in order, none has nothing to do, no grain is in two of them, and none is
 * larger than its share and what its last grain has beyond. */
static void check_parts(const struct spread *s, struct vrf_set set, uint32_t grain, size_t parts) {
    uint64_t share = (vrf_set_size(set) + parts - 1) / parts, last_grain = UINT64_MAX;
    uint32_t seen[VRFS], n = 0;
    assert_in_range(s->starts.len, 2, parts + 1);
    for (size_t p = 0; p + 1 < s->starts.len; p++) {
        size_t from = s->starts.data[p], to = s->starts.data[p + 1];
        struct vrf_set part = {s->ranges.data + from, to - from};
        assert_true(part.count > 0);
        assert_ascending(part);
        assert_true(part.ranges[0].first / grain != last_grain);
        assert_true(vrf_set_size(part) < share + grain);
        last_grain =
            (part.ranges[part.count - 1].first + part.ranges[part.count - 1].count - 1) / grain;
        for (size_t i = 0; i < part.count; i++)
            for (uint32_t k = 0; k < part.ranges[i].count; k++)
                seen[n++] = part.ranges[i].first + k;
    }
    assert_int_equal(n, vrf_set_size(set));
    for (size_t i = 0, at = 0; i < set.count; i++)
        for (uint32_t k = 0; k < set.ranges[i].count; k++)
            assert_int_equal(seen[at++], set.ranges[i].first + k);
}

static void parts_are_cut_at_grains(void **state) {
    uint64_t seed = 2;
    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        struct vrf_range ranges[VRFS];
        uint8_t member[VRFS];
        struct spread s;
        unsigned density = 1 + round % 40;
        for (uint32_t v = 0; v < VRFS; v++)
            member[v] = splitmix64(&seed) % density == 0;
        uint32_t grain = 1 + (uint32_t)(splitmix64(&seed) % (round % 2 ? 8 : 120));
        size_t parts = 1 + (size_t)(splitmix64(&seed) % 12);
        struct vrf_set set = set_of(member, 1, ranges);
        if (set.count == 0)
            continue;
        control_spread_open(&s, 2, 0);
        control_spread_cut(&s, set, grain, parts);
        check_parts(&s, set, grain, parts);
        control_spread_close(&s);
    }
}

/* The last VRF that can be numbered, and the largest grain. */
static void numbers_do_not_wrap(void **state) {
    const struct vrf_range all = {0, UINT32_MAX}, last = {UINT32_MAX - 10, 10};
    struct spread s;
    (void)state;
    control_spread_open(&s, 2, 0);
    control_spread_cut(&s, (struct vrf_set){&all, 1}, UINT32_MAX, 4);
    assert_int_equal(s.starts.len, 2);
    control_spread_cut(&s, (struct vrf_set){&all, 1}, 1u << 31, 4);
    assert_int_equal(s.starts.len, 3);
    assert_int_equal(s.ranges.data[1].first, 1u << 31);
    control_spread_cut(&s, (struct vrf_set){&last, 1}, 96, 2);
    assert_int_equal(s.ranges.data[s.ranges.len - 1].first + s.ranges.data[s.ranges.len - 1].count,
                     UINT32_MAX);
    control_spread_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_sets_are_one),
        cmocka_unit_test(parts_are_cut_at_grains),
        cmocka_unit_test(numbers_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
