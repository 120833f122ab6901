/* SPDX-License-Identifier: MIT
 * Element counts of pipelines, of random arguments and machines: every element has one place, in
 * order; addresses are multiples of 8 bytes; nothing lies beyond WRAM or MRAM, and nothing more
 * would have room; the host has no more than equal, aligned slices leave.  And figures by hand. */
#include "pipeline/plan.h"
#include "support/bits.h"
#include "tests/draws.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ITEMS = 6 };
struct drawn {
    struct pipeline_item items[ITEMS];
    size_t count;
    uint32_t group;
};

static struct drawn draw(uint64_t *seed) {
    static const uint32_t groups[] = {1, 1, 1, 2, 3, 16, 256};
    struct drawn x = {.count = 1 + splitmix64(seed) % ITEMS, .group = groups[splitmix64(seed) % 7]};
    for (size_t i = 0; i < x.count; i++) {
        x.items[i].bytes = 1u << splitmix64(seed) % 4;
        x.items[i].divide = splitmix64(seed) % 3 ? 1 : x.group;
        x.items[i].more = splitmix64(seed) % 3 ? 0 : splitmix64(seed) % 9;
    }
    return x;
}

static uint64_t all_bytes(const struct drawn *x, uint64_t n) {
    uint64_t offsets[ITEMS + 1];
    pipeline_offsets(x->items, x->count, n, offsets);
    for (size_t i = 0; i < x->count; i++) {
        uint64_t needs = (n / x->items[i].divide + x->items[i].more) * x->items[i].bytes;
        assert_int_equal(offsets[i] % PIPELINE_ALIGN, 0);
        assert_true(offsets[i + 1] - offsets[i] >= needs);
        assert_true(offsets[i + 1] - offsets[i] < needs + PIPELINE_ALIGN);
    }
    return offsets[x->count];
}

/* The least number that is aligned, by trying all. */
static uint64_t least_aligned(const struct drawn *x) {
    for (uint64_t u = x->group;; u += x->group) {
        bool aligned = true;
        for (size_t i = 0; i < x->count; i++)
            aligned &= u % x->items[i].divide == 0 &&
                       u / x->items[i].divide * x->items[i].bytes % PIPELINE_ALIGN == 0;
        if (aligned)
            return u;
    }
}

static void test_room(void **state) {
    uint64_t seed = 1;
    (void)state;
    for (unsigned i = 0; i < draws(DRAWS_PIPELINE_PLANS); i++) {
        struct drawn x = draw(&seed);
        uint64_t unit = pipeline_alignment(x.items, x.count, x.group);
        uint64_t bytes = splitmix64(&seed) % (i % 2 ? 4096 : 1u << 26);
        uint64_t n = pipeline_elements(x.items, x.count, bytes, unit);
        assert_int_equal(unit, least_aligned(&x));
        assert_int_equal(n % unit, 0);
        assert_true(n == 0 || all_bytes(&x, n) <= bytes);
        assert_true(all_bytes(&x, n + unit) > bytes);
    }
}

static void test_wram(void **state) {
    static const uint32_t tasklets[] = {1, 11, 16, 24};
    uint64_t seed = 2;
    (void)state;
    for (unsigned i = 0; i < draws(DRAWS_PIPELINE_PLANS); i++) {
        uint32_t t = tasklets[splitmix64(&seed) % 4];
        uint64_t shared = splitmix64(&seed) % 40000, own = splitmix64(&seed) % 4096;
        uint64_t each = pipeline_wram(65536, t, shared, own);
        assert_int_equal(each % PIPELINE_ALIGN, 0);
        if (each)
            assert_true(t * (each + own + PIPELINE_STACK_BYTES) + shared + PIPELINE_RUNTIME_BYTES <=
                        65536);
    }
    /* Vector addition as the paper has it, 11 tasklets: three arrays of 4 bytes. */
    const struct pipeline_item va[] = {{4, 1, 0}, {4, 1, 0}, {4, 1, 0}};
    assert_int_equal(pipeline_wram(65536, 11, 0, 0), 3624);
    assert_int_equal(pipeline_elements(va, 3, 3624, 2), 302);
    assert_int_equal(pipeline_wram(65536, 24, 13312, 0), 0);
    assert_int_equal(pipeline_wram(65536, 1, 70000, 0), 0);
    assert_int_equal(pipeline_transfers(0), 0);
    assert_int_equal(pipeline_transfers(2048), 1);
    assert_int_equal(pipeline_transfers(2056), 2);
}

/* Slices follow one another, and the host's comes last. */
static void check_cover(uint64_t length, const struct pipeline_counts *c) {
    uint64_t at = 0;
    if (c->rounds * c->units > 100000)
        return;
    for (uint64_t r = 0; r < c->rounds; r++)
        for (uint32_t u = 0; u < c->units; u++) {
            struct pipeline_slice s = pipeline_unit_slice(c, r, u);
            assert_int_equal(s.first, at);
            at += s.count;
        }
    struct pipeline_slice s = pipeline_cpu_slice(c);
    assert_int_equal(s.first, at);
    assert_int_equal(at + s.count, length);
}

static void test_cover(void **state) {
    static const uint32_t units[] = {1, 3, 64, 2560};
    uint64_t seed = 3;
    (void)state;
    for (unsigned i = 0; i < draws(DRAWS_PIPELINE_PLANS); i++) {
        struct drawn x = draw(&seed);
        struct pipeline_counts c;
        uint64_t unit = pipeline_alignment(x.items, x.count, x.group);
        uint64_t most = unit * (splitmix64(&seed) % 5 ? splitmix64(&seed) % 300 : 1);
        uint32_t d = units[splitmix64(&seed) % 4];
        uint64_t all = most * d;
        uint64_t length = splitmix64(&seed) % (all * (1 + splitmix64(&seed) % 4) + 100);
        if (splitmix64(&seed) % 4 == 0)
            length = all + splitmix64(&seed) % 3 - (all ? 1 : 0); /* a round, one less, one more */
        uint64_t asked = splitmix64(&seed) % 3 ? 0 : splitmix64(&seed) % (length + 2);
        uint64_t here = length > asked ? length - asked : 0;
        bool room = pipeline_count(length, d, most, unit, asked, &c);
        assert_int_equal(room, most >= unit || here < unit);
        if (!room)
            continue;
        assert_true(c.per_unit <= most && c.units <= d && c.per_unit % unit == 0);
        assert_int_equal(c.elements_per_round, c.per_unit * c.units);
        assert_int_equal(length, c.elements_per_round * c.rounds + c.cpu_elements);
        assert_true(!c.rounds || c.cpu_elements >= (asked < length ? asked : length));
        assert_true(length - here + unit * (c.rounds ? c.units * c.rounds : 1) > c.cpu_elements);
        check_cover(length, &c);
        for (uint32_t t = 1, at = 0; t <= 24; t += 5, at = 0)
            for (uint32_t k = 0; k < t; k++) {
                struct pipeline_slice s = pipeline_tasklet_slice(c.per_unit, t, unit, k);
                assert_int_equal(s.first, at);
                assert_int_equal(s.first % unit, 0);
                at += (uint32_t)s.count;
                assert_true(k + 1 < t || at == c.per_unit);
            }
    }
}

/* Bytes of a filter's output are written whole, in order, at addresses that go up by 8. */
static void test_filter(void **state) {
    uint64_t seed = 4;
    (void)state;
    for (unsigned i = 0; i < draws(DRAWS_PIPELINE_PLANS); i++) {
        uint32_t bytes = 1u << splitmix64(&seed) % 4, held = 0;
        uint64_t at = 0, kept = 0;
        for (unsigned block = 0; block < 10; block++) {
            uint64_t here = splitmix64(&seed) % 4 ? splitmix64(&seed) % 500 : 0;
            struct pipeline_carry c = pipeline_filter_block(held, here, bytes);
            kept += here;
            assert_int_equal(c.bytes % PIPELINE_ALIGN, 0);
            assert_int_equal(c.advance % PIPELINE_ALIGN, 0);
            assert_true(at + c.bytes >= kept * bytes &&
                        at + c.bytes < kept * bytes + PIPELINE_ALIGN);
            at += c.advance;
            held = c.held;
            assert_int_equal(at + held * bytes, kept * bytes);
        }
    }
}

/* N of 0, 1, odd, below a round, a round, above; i32 on 3 units of which each has room for 100. */
static void test_lengths(void **state) {
    static const struct {
        uint64_t length, asked;
        struct pipeline_counts want;
    } all[] = {
        {0, 0, {0, 0, 0, 0, 0}},        {1, 0, {0, 0, 0, 1, 0}},
        {2, 0, {1, 2, 2, 0, 1}},        {5, 0, {1, 2, 4, 1, 2}},
        {101, 0, {1, 32, 96, 5, 3}},    {299, 0, {1, 98, 294, 5, 3}},
        {300, 0, {1, 100, 300, 0, 3}},  {301, 0, {2, 50, 150, 1, 3}},
        {300, 60, {1, 80, 240, 60, 3}}, {300, 300, {0, 0, 0, 300, 0}},
        {300, 301, {0, 0, 0, 300, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct pipeline_counts c;
        assert_true(pipeline_count(all[i].length, 3, 100, 2, all[i].asked, &c));
        assert_int_equal(c.rounds, all[i].want.rounds);
        assert_int_equal(c.per_unit, all[i].want.per_unit);
        assert_int_equal(c.elements_per_round, all[i].want.elements_per_round);
        assert_int_equal(c.cpu_elements, all[i].want.cpu_elements);
        assert_int_equal(c.units, all[i].want.units);
    }
}

/* No other number of elements for the host takes less, of all that there are.  Machines whose link
 * or kernels are slower than the host, or that take long for each round, are among those drawn. */
static void test_cpu_share(void **state) {
    static const uint32_t units[] = {1, 2, 3, 7};
    uint64_t seed = 5;
    unsigned none = 0, some = 0, all = 0;
    (void)state;
    /* Shares that are neither none nor all are few: under sanitizers no fewer draws. */
    const unsigned plans = draws(DRAWS_PIPELINE_PLANS);
    for (unsigned i = 0; i < (plans < 2000 ? 2000 : plans); i++) {
        const uint32_t d = units[splitmix64(&seed) % 4];
        const uint64_t unit = 1 + splitmix64(&seed) % 4;
        const uint64_t most = unit * (1 + splitmix64(&seed) % 40);
        const uint64_t length = splitmix64(&seed) % (most * d * 4 + 2) % 1500;
        const uint64_t k = unit * (1 + splitmix64(&seed) % 10), step = unit * (i % 8 != 0);
        const uint64_t fixed = splitmix64(&seed) % 4 ? splitmix64(&seed) % 1000 : 1000000;
        const struct pipeline_model m = {
            {k, fixed + k * (i % 30), fixed + k * (i % 50)},
            {k + step, fixed + (k + step) * (i % 30), fixed + (k + step) * (i % 50)},
            splitmix64(&seed) % 3 ? splitmix64(&seed) % 60 : 0,
            splitmix64(&seed) % 100};
        struct pipeline_counts c;
        const uint64_t asked = pipeline_cpu_share(&m, length, d, most, unit);
        assert_true(pipeline_count(length, d, most, unit, asked, &c));
        const uint64_t ps = pipeline_model_ps(&m, &c);
        none += c.cpu_elements == 0, all += c.rounds == 0, some += c.cpu_elements && c.rounds;
        for (uint64_t other = 0; other <= length; other++) {
            assert_true(pipeline_count(length, d, most, unit, other, &c));
            if (pipeline_model_ps(&m, &c) < ps)
                fail_msg("%u: %" PRIu64 " of %" PRIu64 " take %" PRIu64 " ps, %" PRIu64
                         " take %" PRIu64 "",
                         i, asked, length, ps, other, pipeline_model_ps(&m, &c));
        }
    }
    assert_true(none > 10 && some > 10 && all > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room),    cmocka_unit_test(test_wram),
        cmocka_unit_test(test_cover),   cmocka_unit_test(test_filter),
        cmocka_unit_test(test_lengths), cmocka_unit_test(test_cpu_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
