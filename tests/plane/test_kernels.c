/* SPDX-License-Identifier: MIT
 * Every kernel of every build against its truth table. */
#include "machines/plane/run/translate.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WORDS 41 /* four of the widest vectors, single ones, and words at the end */

struct planes {
    _Alignas(64) uint64_t lines[8 + 16 * WORDS]; /* a line before slot 0, as base[1] needs */
};

static uint64_t *slot(struct planes *p, unsigned s) {
    return p->lines + 8 + s * WORDS;
}
static uint32_t at(unsigned s) {
    return (uint32_t)(s * WORDS * 8);
}

static void fill(struct planes *p, uint64_t seed) {
    for (size_t i = 0; i < sizeof p->lines / 8; i++)
        p->lines[i] = splitmix64(&seed);
}

/* What the function says, one bit at a time. */
static uint64_t expected(uint32_t truth, const uint64_t *inputs, unsigned count) {
    uint64_t out = 0;
    for (unsigned lane = 0; lane < 64; lane++) {
        unsigned i = 0;
        for (unsigned s = 0; s < count; s++)
            i |= (unsigned)(inputs[s] >> lane & 1) << s;
        out |= (uint64_t)(truth >> i & 1) << lane;
    }
    return out;
}

/* One step on slots 0, 1, 2 and destination `dst`, mask in slot 4; all words compared. */
static void try_kernel(const struct plane_kernels *k, unsigned function, bool masked, unsigned dst,
                       size_t words) {
    static struct planes before, after;
    const uint8_t *order = plane_order[function];
    fill(&before, function * 2 + masked);
    after = before;
    struct plane_step s = {.kernel = (uint16_t)(function + (masked ? PLANE_MASKED : 0)),
                           .dst = at(dst),
                           .src = {at(order[0]), at(order[1]), at(order[2])},
                           .mask = at(4)};
    struct plane_frame f = {{(unsigned char *)slot(&after, 0), NULL}, words};
    k->run[s.kernel](&s, &f);
    for (size_t i = 0; i < words; i++) {
        uint64_t in[] = {slot(&before, 0)[i], slot(&before, 1)[i], slot(&before, 2)[i]};
        uint64_t m = masked ? slot(&before, 4)[i] : UINT64_MAX;
        uint64_t want = (m & expected(function, in, 3)) | (~m & slot(&before, dst)[i]);
        assert_int_equal(slot(&after, dst)[i], want);
        slot(&after, dst)[i] = slot(&before, dst)[i];
    }
    assert_memory_equal(&after, &before, sizeof before); /* and nothing else was touched */
}

static void all_functions_of_three(void **state) {
    static const size_t lengths[] = {0, 1, 2, 3, 7, 8, 33, WORDS};
    size_t builds;
    const struct plane_kernels *const *all = plane_kernels_all(&builds);
    (void)state;
    assert_true(builds >= 1);
    assert_ptr_equal(plane_kernels_widest(), all[builds - 1]);
    for (size_t b = 0; b < builds; b++)
        for (unsigned function = 0; function < 256; function++)
            for (unsigned masked = 0; masked < 2; masked++) {
                for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
                    try_kernel(all[b], function, masked, 3, lengths[l]);
                for (unsigned dst = 0; dst < 3; dst++)
                    try_kernel(all[b], function, masked, dst, 9); /* in place */
            }
}

/* Runs what plane_emit makes of a function of four planes, the fourth perhaps the destination. */
static void try_four(const struct plane_kernels *k, uint32_t truth, bool masked, unsigned fourth) {
    static struct planes tile;
    static struct { _Alignas(64) unsigned char bytes[64 + SLOT_FIRST * PLANE_STRIDE]; } area;
    struct step_list steps = {0};
    uint32_t operands[4] = {at(0), at(1), at(2), at(fourth)};
    struct planes before;
    fill(&tile, truth);
    /* Words 0..3 of the inputs hold all sixteen combinations in their low bits. */
    static const uint64_t patterns[] = {0xaaaa, 0xcccc, 0xf0f0};
    for (unsigned s = 0; s < 3; s++)
        slot(&tile, s)[0] = patterns[s];
    slot(&tile, fourth)[0] = 0xff00;
    slot(&tile, 4)[0] |= 0xffff;
    before = tile;
    plane_emit(&steps, truth, operands, 4, at(5), masked, at(4));
    struct plane_frame f = {{(unsigned char *)slot(&tile, 0), area.bytes + 63}, 2};
    for (size_t i = 0; i < steps.len; i++)
        k->run[steps.data[i].kernel](&steps.data[i], &f);
    assert_int_equal(slot(&tile, 5)[0] & 0xffff, truth);
    for (size_t i = 0; i < 2; i++) {
        uint64_t in[] = {slot(&before, 0)[i], slot(&before, 1)[i], slot(&before, 2)[i],
                         slot(&before, fourth)[i]};
        uint64_t m = masked ? slot(&before, 4)[i] : UINT64_MAX;
        assert_int_equal(slot(&tile, 5)[i],
                         (m & expected(truth, in, 4)) | (~m & slot(&before, 5)[i]));
    }
    assert_int_equal(slot(&tile, 5)[2], slot(&before, 5)[2]);
    vec_free(&steps);
}

static void all_functions_of_four(void **state) {
    const struct plane_kernels *k = plane_kernels_widest();
    (void)state;
    for (uint32_t truth = 0; truth < 65536; truth++) {
        try_four(k, truth, truth & 1, 3);
        try_four(k, truth, false, 5); /* the fourth input is the old destination */
    }
}

/* Functions of fewer planes are functions of three. */
static void narrower_functions(void **state) {
    (void)state;
    for (unsigned inputs = 0; inputs <= 2; inputs++)
        for (uint32_t truth = 0; truth < 1u << (1u << inputs); truth++) {
            struct step_list steps = {0};
            uint32_t operands[2] = {at(0), at(1)};
            plane_emit(&steps, truth, operands, inputs, at(3), false, 0);
            assert_int_equal(steps.len, 1);
            unsigned want = 0;
            for (unsigned i = 0; i < 8; i++)
                want |= (truth >> (i & ((1u << inputs) - 1)) & 1) << i;
            assert_int_equal(steps.data[0].kernel, want);
            vec_free(&steps);
        }
}

/* The widest build is used unless another is faster by more than what a clock shows. */
static void the_faster_build_is_picked(void **state) {
    static const struct {
        uint64_t ps[PLANE_MAX_BUILDS];
        size_t count, want;
    } cases[] = {{{30, 20, 10}, 3, 2},       {{3000, 1000, 1200}, 3, 1}, {{900, 1000, 1200}, 3, 0},
                 {{1200, 1190, 1200}, 3, 2}, {{1000, 1100, 0}, 2, 0},    {{0, 0, 0}, 3, 2},
                 {{7, 0, 0}, 1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(plane_kernels_pick(cases[i].ps, cases[i].count), cases[i].want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_functions_of_three),
        cmocka_unit_test(all_functions_of_four),
        cmocka_unit_test(narrower_functions),
        cmocka_unit_test(the_faster_build_is_picked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
