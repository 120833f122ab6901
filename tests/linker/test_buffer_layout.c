/* SPDX-License-Identifier: MIT
 * Which bytes of a buffer lie in which unit: all small sizes, against what is said of them, byte by
 * byte. */
#include "linker/package/buffer_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 70 };
static const uint32_t unit_counts[] = {1, 2, 3, 5, 6, 8, 24, 64};

/* Byte b of the array, or the zero beyond its ends, lies where slice `s` says. */
static void holds(const struct package_layout *l, const struct package_slice *s) {
    for (uint64_t i = 0; i < l->own + 2 * l->halo; i++) {
        int64_t byte = (int64_t)(s->first + i) - (int64_t)l->halo;
        bool wanted =
            byte >= 0 && (uint64_t)byte < l->total && (uint64_t)byte < s->first + s->own + l->halo;
        bool there = i >= s->zeros && i < s->zeros + s->bytes;
        assert_int_equal(there, wanted);
        if (there)
            assert_int_equal(s->from + (i - s->zeros), byte);
    }
}

/* Rounds take all slices, in order, each of them as many as there are units. */
static void in_rounds(const struct package_layout *l, uint32_t units, uint32_t rounds) {
    uint32_t next = 0;
    for (uint32_t r = 0; r < rounds; r++) {
        struct package_part p = package_layout_part(l, r);
        assert_int_equal(p.first, next);
        assert_true(p.count == units || p.first + p.count == l->slices);
        next += p.count;
    }
    assert_int_equal(next, l->slices);
    assert_int_equal(package_layout_part(l, rounds).count, 0);
    assert_int_equal(package_layout_part(l, UINT64_MAX).count, 0);
}

/* As on a machine of as many units as all rounds have. */
static void split_one(uint64_t total, uint64_t unit, uint64_t halo, uint32_t units) {
    const struct machine_buffer b = {LAYOUT_SPLIT, unit, halo};
    const uint32_t rounds = units % 3 == 0 ? 3 : 1;
    struct package_layout l = package_layout_of(&b, total, 1, units / rounds, rounds);
    uint64_t next = 0;
    in_rounds(&l, units / rounds, rounds);
    assert_in_range(l.slices, 1, units);
    assert_int_equal(l.own % unit, 0);
    assert_int_equal(l.lead % 8, 0);
    assert_int_equal(l.room % 8, 0);
    assert_true(l.lead >= halo && l.lead < halo + 8);
    assert_true(l.room >= l.lead + l.own + halo && l.room < l.lead + l.own + halo + 8);
    /* One unit less would not do. */
    assert_true(l.own == unit || (l.own - unit) * units < total);
    for (uint32_t u = 0; u < l.slices; u++) {
        struct package_slice s = package_layout_slice(&l, u);
        assert_int_equal(s.first, next);
        assert_true(s.own >= 1 && (s.own == l.own || u == l.slices - 1));
        holds(&l, &s);
        next += s.own;
    }
    assert_int_equal(next, total);
}

static void split(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof unit_counts / sizeof *unit_counts; n++)
        for (uint64_t unit = 1; unit <= 24; unit += unit < 4 ? 1 : 4)
            for (uint64_t halo = 0; halo <= 40; halo += halo < 9 ? 1 : 31)
                for (uint64_t total = 1; total <= MOST; total++)
                    split_one(total, unit, halo, unit_counts[n]);
}

static void each(void **state) {
    const struct machine_buffer b = {LAYOUT_EACH, 0, 0};
    (void)state;
    for (uint64_t rows = 1; rows <= 64; rows++)
        for (uint64_t row = 1; row <= 17; row++) {
            struct package_layout l = package_layout_of(&b, rows * row, rows, 64, 1);
            assert_int_equal(l.slices, rows);
            assert_int_equal(l.own, row);
            for (uint32_t u = 0; u < rows; u++) {
                struct package_slice s = package_layout_slice(&l, u);
                assert_int_equal(s.first, u * row);
                assert_int_equal(s.own, row);
                holds(&l, &s);
            }
        }
}

static void whole(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof unit_counts / sizeof *unit_counts; n++)
        for (uint64_t total = 1; total <= MOST; total++)
            for (unsigned same = 0; same < 2; same++) {
                const struct machine_buffer b = {same ? LAYOUT_SAME : LAYOUT_FLAT, 0, 0};
                struct package_layout l = package_layout_of(&b, total, total, unit_counts[n], 1);
                assert_int_equal(l.slices, same ? unit_counts[n] : 1);
                assert_int_equal(l.room, same ? (total + 7) / 8 * 8 : total);
                for (uint32_t u = 0; u < l.slices; u++) {
                    struct package_slice s = package_layout_slice(&l, u);
                    assert_true(s.first == 0 && s.own == total && s.from == 0 && s.bytes == total &&
                                s.zeros == 0);
                }
            }
}

/* The largest numbers that a package may have: no sum wraps round. */
static void large(void **state) {
    const struct machine_buffer b = {LAYOUT_SPLIT, (uint64_t)1 << 40, (uint64_t)1 << 40};
    (void)state;
    struct package_layout l = package_layout_of(&b, UINT64_MAX, 1, 1, 1);
    assert_int_equal(l.slices, 1);
    assert_int_equal(l.own, UINT64_MAX);
    assert_int_equal(l.room, UINT64_MAX);
    l = package_layout_of(&b, 8, 1, 1u << 24, 1);
    assert_int_equal(l.slices, 1);
    assert_int_equal(l.own, (uint64_t)1 << 40);
    assert_int_equal(package_layout_slice(&l, 0).own, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split),
        cmocka_unit_test(each),
        cmocka_unit_test(whole),
        cmocka_unit_test(large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
