/* SPDX-License-Identifier: MIT
 * Mutated array files: each is read or refused with exactly one error, under sanitizers without a
 * finding.  Seeds are fixed, so a failure repeats. */
#include "support/alloc.h"
#include "support/ndarray.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROUNDS = 20000, MAX_GROWTH = 16 };

/* Changes, removes, repeats or inserts a few bytes of a copy with room for MAX_GROWTH more. */
static size_t mutate(char *bytes, size_t size, uint64_t *seed) {
    static const char pieces[] = "09-+.eE#,()'\"{}LPnx_ \t\r\n\xff\x80\1";
    for (uint64_t n = 1 + splitmix64(seed) % 4; n && size; n--) {
        size_t at = splitmix64(seed) % size;
        char c = pieces[splitmix64(seed) % (sizeof pieces)];
        switch (splitmix64(seed) % 5) {
        case 0:
            bytes[at] = c;
            break;
        case 1:
            bytes[at] = (char)splitmix64(seed);
            break;
        case 2:
            size = at;
            break;
        case 3:
            memmove(bytes + at, bytes + at + 1, --size - at);
            break;
        default:
            memmove(bytes + at + 1, bytes + at, size++ - at);
            bytes[at] = c;
        }
    }
    return size;
}

/* An array that was read is consistent: all of its data can be got. */
static void check_array(const struct ndarray *a) {
    uint64_t count = 1, sum = 0;
    assert_true(a->ndim <= NDARRAY_MAX_DIMS);
    for (uint32_t i = 0; i < a->ndim; i++)
        count *= a->shape[i];
    assert_true(count == a->count);
    for (uint64_t i = 0; i < a->count; i++)
        sum += ndarray_get(a, i);
    assert_true(sum || !sum);
}

/* What was read is written to all formats that take it, and read again from .npy unchanged. */
static void check_rewrite(const struct ndarray *a, struct diag *d) {
    struct str s = {0};
    struct ndarray b;
    assert_true(ndarray_format("x.npy", a, &s, d));
    assert_true(ndarray_parse("x.npy", s.text, s.len, &b, d));
    assert_true(a->count == b.count && a->ndim == b.ndim);
    assert_memory_equal(a->data, b.data, a->count * a->type.bits / 8);
    ndarray_free(&b);
    str_free(&s);
}

/* Returns how many mutants were read; the others were refused. */
static unsigned run(const char *path, const char *bytes, size_t size, uint64_t seed) {
    unsigned read = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char work[1024];
        assert_true(size + MAX_GROWTH <= sizeof work);
        memcpy(work, bytes, size);
        size_t len = mutate(work, size, &seed);
        char *exact = xmalloc(len); /* so that a sanitizer sees any read behind the end */
        memcpy(exact, work, len);
        struct diag *d = diag_new(NULL, NULL);
        struct ndarray a;
        bool ok = ndarray_parse(path, exact, len, &a, d);
        assert_int_equal(diag_errors(d), ok ? 0 : 1);
        if (ok) {
            read++;
            check_array(&a);
            check_rewrite(&a, d);
        } else {
            assert_null(a.data);
        }
        ndarray_free(&a);
        diag_free(d);
        free(exact);
    }
    return read;
}

/* Some mutants stay valid and most do not, else the mutator tests nothing. */
static void check_mutants(const char *path, const char *bytes, size_t size, uint64_t seed) {
    unsigned read = run(path, bytes, size, seed);
    assert_in_range(read, 1, ROUNDS - ROUNDS / 10);
}

static void mutated_npy(void **state) {
    (void)state;
    static const char *const types[] = {"bool", "uint8", "int16", "float32", "float64"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct diag *d = diag_new(NULL, NULL);
        struct ndarray a;
        struct str s = {0};
        struct element_type t;
        assert_true(ndarray_type_parse(types[i], &t));
        assert_true(ndarray_make(&a, t, 3, (uint64_t[]){2, 3, 4}));
        assert_true(ndarray_format("x.npy", &a, &s, d));
        if (i & 1)
            memcpy(strstr(s.text + 10, "False"), "True,", 5);
        check_mutants("x.npy", s.text, s.len, i);
        ndarray_free(&a);
        str_free(&s);
        diag_free(d);
    }
}

static void mutated_netpbm(void **state) {
    (void)state;
    static const char *const files[] = {
        "P2\n# a comment\n3 2\n15\n0 1 2\n13 14 15\n",
        "P3\n2 1 255\n1 2 3\n254 255 0\n",
        "P5\n3 2\n255\nabcdef",
        "P6 2 1 1000\n\1a\1b\1c\1d\1e\1f",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        check_mutants(i & 1 ? "x.ppm" : "x.pgm", files[i], strlen(files[i]), 100 + i);
}

static void mutated_text(void **state) {
    (void)state;
    static const char csv[] = "1,2,3\n-4,0x1f,6e3\n# comment\n7,8,18446744073709551615\n";
    static const char txt[] = "1 2 3\n-4.5e-3 inf\tnan 1_000\n0b101";
    check_mutants("x.csv", csv, sizeof csv - 1, 200);
    check_mutants("x.txt", txt, sizeof txt - 1, 201);
}

/* Not near any valid file. */
static void random_bytes(void **state) {
    (void)state;
    static const char *const paths[] = {"x.npy", "x.pgm", "x.ppm", "x.csv", "x.txt"};
    static const char *const starts[] = {"\x93NUMPY\1", "P2 ", "P6 ", "", ""};
    uint64_t seed = 300;
    for (int round = 0; round < ROUNDS; round++) {
        size_t kind = splitmix64(&seed) % 5, len = splitmix64(&seed) % 200;
        char bytes[200];
        for (size_t i = 0; i < len; i++)
            bytes[i] = (char)splitmix64(&seed);
        size_t start = strlen(starts[kind]);
        if (len > start)
            memcpy(bytes, starts[kind], start);
        struct diag *d = diag_new(NULL, NULL);
        struct ndarray a;
        bool ok = ndarray_parse(paths[kind], bytes, len, &a, d);
        assert_int_equal(diag_errors(d), ok ? 0 : 1);
        ndarray_free(&a);
        diag_free(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_npy),
        cmocka_unit_test(mutated_netpbm),
        cmocka_unit_test(mutated_text),
        cmocka_unit_test(random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
