/* SPDX-License-Identifier: MIT */
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void fill(uint64_t *words, size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++)
        words[i] = splitmix64(&seed);
}

static uint64_t bit(uint64_t word, size_t i) {
    return word >> i & 1;
}

static void transpose64_swaps_rows_and_columns(void **state) {
    (void)state;
    uint64_t a[64], b[64];
    fill(a, 64, 1);
    memcpy(b, a, sizeof b);
    bits_transpose64(b);
    for (size_t i = 0; i < 64; i++)
        for (size_t j = 0; j < 64; j++)
            assert_int_equal(bit(b[i], j), bit(a[j], i));
    bits_transpose64(b);
    assert_memory_equal(a, b, sizeof a);
}

/* Words that no function may write: behind each plane and behind the elements. */
enum { GUARD = 3 };
static const uint64_t guard = 0x5a5a5a5a5a5a5a5au;

static void check_planes(const uint64_t *in, size_t blocks, const uint64_t *out, size_t stride,
                         unsigned planes) {
    for (size_t p = 0; p < 64; p++)
        for (size_t b = 0; b < stride; b++)
            for (size_t e = 0; e < 64; e++) {
                bool written = p < planes && b < blocks;
                uint64_t expected = written ? bit(in[b * 64 + e], p) : bit(guard, e);
                assert_int_equal(bit(out[p * stride + b], e), expected);
            }
}

static void check_blocks(size_t blocks, unsigned planes) {
    size_t stride = blocks + GUARD;
    uint64_t *in = malloc((blocks * 64 + 1) * sizeof *in);
    uint64_t *out = malloc(64 * stride * sizeof *out);
    uint64_t *back = malloc((blocks * 64 + GUARD) * sizeof *back);
    assert_true(in && out && back);
    fill(in, blocks * 64, blocks);
    for (size_t i = 0; i < 64 * stride; i++)
        out[i] = guard;
    elements_to_planes(in, blocks, out, stride, planes);
    check_planes(in, blocks, out, stride, planes);
    for (size_t i = 0; i < blocks * 64 + GUARD; i++)
        back[i] = guard;
    planes_to_elements(out, stride, blocks, back, planes);
    for (size_t i = 0; i < blocks * 64 + GUARD; i++) {
        uint64_t mask = planes ? low_bits(planes) : 0;
        assert_true(back[i] == (i < blocks * 64 ? in[i] & mask : guard));
    }
    free(in);
    free(out);
    free(back);
}

static void planes_and_elements_agree(void **state) {
    (void)state;
    static const unsigned planes[] = {0, 1, 5, 8, 9, 32, 63, 64};
    for (size_t blocks = 0; blocks <= 9; blocks++)
        for (size_t i = 0; i < sizeof planes / sizeof *planes; i++)
            check_blocks(blocks, planes[i]);
    for (unsigned p = 1; p <= 64; p++)
        check_blocks(6, p);
    check_blocks(37, 64);
}

/* One element of `bytes` bytes, anywhere in memory. */
static uint64_t packed(const unsigned char *at, unsigned bytes, size_t i) {
    uint64_t x = 0;
    for (unsigned k = 0; k < bytes; k++)
        x |= (uint64_t)at[i * bytes + k] << (8 * k);
    return x;
}

static void check_packed_planes(const unsigned char *in, unsigned bytes, size_t blocks,
                                const uint64_t *out, size_t stride, unsigned planes) {
    for (size_t p = 0; p < planes; p++)
        for (size_t b = 0; b < stride; b++)
            for (size_t e = 0; e < 64; e++)
                assert_int_equal(bit(out[p * stride + b], e),
                                 b < blocks ? bit(packed(in, bytes, b * 64 + e), p)
                                            : bit(guard, e));
    for (size_t i = planes * stride; i < 64 * stride; i++)
        assert_true(out[i] == guard);
}

static void check_packed_elements(const unsigned char *in, unsigned bytes, size_t blocks,
                                  const unsigned char *back, unsigned planes, bool sign) {
    uint64_t mask = planes ? low_bits(planes) : 0, all = low_bits(8 * bytes);
    for (size_t i = 0; i < blocks * 64; i++) {
        uint64_t x = packed(in, bytes, i) & mask;
        assert_true(packed(back, bytes, i) ==
                    (sign && planes ? (uint64_t)sign_extend(x, planes) & all : x));
    }
    for (size_t i = blocks * 64 * bytes; i < (blocks * 64 + GUARD) * bytes; i++)
        assert_int_equal(back[i], 0x5a);
}

/* Elements of each size against what each bit should be, `skew` bytes away from where elements of
 * that size lie in memory. */
static void check_packed(unsigned bytes, size_t blocks, unsigned planes, bool sign, size_t skew) {
    size_t stride = blocks + GUARD, size = (blocks * 64 + GUARD) * bytes;
    unsigned char *in = malloc(size + 8 + skew), *back = malloc(size + skew);
    uint64_t *out = malloc(64 * stride * sizeof *out), seed = 64 * blocks + planes;
    assert_true(in && out && back);
    for (size_t i = 0; i < size + skew; i++)
        in[i] = (unsigned char)splitmix64(&seed);
    for (size_t i = 0; i < 64 * stride; i++)
        out[i] = guard;
    memset(back, 0x5a, size + skew);
    bits_to_planes(in + skew, bytes, blocks, out, stride, planes);
    check_packed_planes(in + skew, bytes, blocks, out, stride, planes);
    bits_from_planes(out, stride, blocks, back + skew, bytes, planes, sign);
    check_packed_elements(in + skew, bytes, blocks, back + skew, planes, sign);
    free(in);
    free(back);
    free(out);
}

static void packed_elements_of_each_size(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
        for (unsigned planes = 0; planes <= 8 * bytes; planes++)
            check_packed(bytes, splitmix64(&seed) % 40, planes, planes & 1, splitmix64(&seed) % 8);
        for (size_t blocks = 0; blocks <= 33; blocks++)
            check_packed(bytes, blocks, 1 + (unsigned)(splitmix64(&seed) % (8 * bytes)), blocks & 1,
                         0);
        check_packed(bytes, 67, 1, false, 1);
        check_packed(bytes, 67, 1, true, 3);
    }
}

static void widths(void **state) {
    (void)state;
    assert_true(low_bits(1) == 1);
    assert_true(low_bits(63) == UINT64_MAX >> 1);
    assert_true(low_bits(64) == UINT64_MAX);
    assert_true(sign_extend(0x80, 8) == -128);
    assert_true(sign_extend(0x17f, 8) == 127);
    assert_true(sign_extend(1, 1) == -1);
    assert_true(sign_extend(UINT64_MAX, 64) == -1);
    assert_true(sign_extend((uint64_t)1 << 63, 64) == INT64_MIN);
}

/* First outputs for seed 1234567 as Rosetta Code's task "Pseudo-random numbers/Splitmix64" lists
 * them. */
static void splitmix_is_the_published_one(void **state) {
    (void)state;
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u,
                                        9817491932198370423u, 4593380528125082431u,
                                        16408922859458223821u};
    uint64_t seed = 1234567;
    for (size_t i = 0; i < 5; i++)
        assert_true(splitmix64(&seed) == expected[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transpose64_swaps_rows_and_columns),
        cmocka_unit_test(planes_and_elements_agree),
        cmocka_unit_test(packed_elements_of_each_size),
        cmocka_unit_test(widths),
        cmocka_unit_test(splitmix_is_the_published_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
