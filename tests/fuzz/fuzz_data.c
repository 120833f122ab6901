/* SPDX-License-Identifier: MIT
 * Arrays in all formats, and JSON; the first byte chooses. */
#include "tests/fuzz/harness.h"

#include "support/alloc.h"
#include "support/json_read.h"
#include "support/ndarray.h"
#include "support/str.h"

#include <string.h>

/* An array that was read is one that .npy holds: written and read it is the same. */
static void check_same(const struct ndarray *array, struct diag *diag) {
    struct str s = {0};
    struct ndarray again;
    REQUIRE(ndarray_format("x.npy", array, &s, diag));
    REQUIRE(ndarray_parse("x.npy", s.text, s.len, &again, diag));
    REQUIRE(array->count == again.count && array->ndim == again.ndim);
    if (array->count)
        REQUIRE(memcmp(array->data, again.data, array->count * (array->type.bits / 8u)) == 0);
    ndarray_free(&again);
    str_free(&s);
}

static void check_array(const char *path, const char *bytes, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct ndarray a;
    bool ok = ndarray_parse(path, bytes, size, &a, d);
    diag_flush(d);
    REQUIRE(diag_errors(d) == (ok ? 0 : 1));
    if (ok) {
        check_same(&a, d);
        ndarray_free(&a);
    }
    diag_free(d);
}

/* Numbers of a text as floating point: as text again they are the same. */
static void check_reals(const char *path, char *bytes, size_t size, struct element_type type) {
    struct diag *d = diag_new(NULL, NULL);
    struct file_view file = {.bytes = bytes, .size = size}, written = {0};
    struct str s = {0};
    struct ndarray a, again;
    bool ok = ndarray_parse_file_as(path, &file, type, &a, d);
    diag_flush(d);
    REQUIRE(diag_errors(d) == (ok ? 0 : 1));
    if (ok && a.count) {
        REQUIRE(ndarray_format(path, &a, &s, d));
        written.bytes = s.text;
        written.size = s.len;
        REQUIRE(ndarray_parse_file_as(path, &written, type, &again, d));
        REQUIRE(ndarray_same_data(&a, &again));
        ndarray_free(&again);
    }
    if (ok)
        ndarray_free(&a);
    str_free(&s);
    diag_free(d);
}

static void check_text(const char *path, char *bytes, size_t size) {
    static const struct element_type types[] = {
        {ELEMENT_FLOAT, 16}, {ELEMENT_FLOAT, 32}, {ELEMENT_FLOAT, 64}, {ELEMENT_BFLOAT, 16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        check_reals(path, bytes, size, types[i]);
}

static void check_json(const char *bytes, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct arena arena = {0};
    const struct json_value *v = json_read(bytes, size, 0, &arena, d);
    diag_flush(d);
    REQUIRE((v != NULL) == (diag_errors(d) == 0));
    arena_free(&arena);
    diag_free(d);
}

/* A copy of exactly its size, so that a sanitizer sees any read behind the end. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const paths[] = {"x.npy", "x.pgm", "x.ppm", "x.csv", "x.txt"};
    unsigned kind = size ? bytes[0] % 6u : 5;
    size_t n = size ? size - 1 : 0;
    char *copy = xmalloc(n + 1);
    copy = xreallocarray(copy, n ? n : 1, 1);
    if (n)
        memcpy(copy, bytes + 1, n);
    if (kind < 5)
        check_array(paths[kind], copy, n);
    else
        check_json(copy, n);
    if (kind == 3 || kind == 4)
        check_text(paths[kind], copy, n);
    free(copy);
    return 0;
}
