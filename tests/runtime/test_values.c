/* SPDX-License-Identifier: MIT
 * Values against types, all elements at once and one by one. */
#include "runtime/data.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct element_type elements[] = {
    {ELEMENT_BOOL, 8},  {ELEMENT_UINT, 8},  {ELEMENT_UINT, 16}, {ELEMENT_UINT, 32},
    {ELEMENT_UINT, 64}, {ELEMENT_INT, 8},   {ELEMENT_INT, 16},  {ELEMENT_INT, 32},
    {ELEMENT_INT, 64},  {ELEMENT_FLOAT, 32}};

/* A value near where types end: +-2^k and what is next to it. */
static uint64_t edge(uint64_t *seed) {
    uint64_t x = splitmix64(seed), power = UINT64_C(1) << (x >> 8) % 64;
    return (x & 1 ? power : 0 - power) + (x >> 1) % 3 - 1;
}

static bool one_by_one(const struct ndarray *a, struct lane_type to, uint64_t *first) {
    for (*first = 0; *first < a->count; ++*first)
        if (!session_value_fits(a->type, ndarray_get(a, *first), to))
            return false;
    return true;
}

/* `few`: all but one element are 0, so that the one decides. */
static void try_type(struct element_type from, struct lane_type to, bool few, uint64_t *seed) {
    struct diag *d = diag_new(NULL, NULL);
    struct ndarray a;
    uint64_t n = splitmix64(seed) % 40, first;
    char place[32];
    assert_true(ndarray_make(&a, from, 1, &n));
    for (uint64_t i = 0; i < n && !few; i++)
        ndarray_set(&a, i,
                    splitmix64(seed) & low_bits(1 + (unsigned)(splitmix64(seed) % to.bits)) >> 1);
    if (n)
        ndarray_set(&a, splitmix64(seed) % n, edge(seed));
    bool fit = one_by_one(&a, to, &first);
    assert_int_equal(session_values_fit("x", &a, to, d), fit);
    snprintf(place, sizeof place, "x[%llu] = ", (unsigned long long)first);
    if (!fit)
        assert_non_null(strstr(diag_first(d), place));
    ndarray_free(&a);
    diag_free(d);
}

static void all_at_once_is_one_by_one(void **state) {
    uint64_t seed = 3;
    (void)state;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        for (uint8_t bits = 1; bits <= 64; bits++)
            for (unsigned n = 0; n < 12; n++) {
                enum type_kind kind = n % 2 && bits > 1 ? TYPE_INT : TYPE_UINT;
                try_type(elements[i], (struct lane_type){kind, bits}, n & 2, &seed);
                try_type(elements[i], (struct lane_type){TYPE_BOOL, 1}, n & 2, &seed);
                try_type(elements[i], (struct lane_type){TYPE_FLOAT, 32}, n & 2, &seed);
                try_type(elements[i], (struct lane_type){TYPE_BFLOAT, 16}, n & 2, &seed);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_at_once_is_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
