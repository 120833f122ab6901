/* SPDX-License-Identifier: MIT */
#include "tests/examples/arrays.h"

#include "support/ndarray.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

const char *example_path(char path[4096], const char *folder, const char *file) {
    snprintf(path, 4096, "%s/examples%s/%s", MPU_SOURCE_DIR, folder, file);
    return path;
}

void need(bool good, const char *what, mpu_error *e) {
    if (!good)
        fail_msg("%s: %s", what, e ? mpu_error_text(e) : "no message");
}

static void read_data(const char *file, struct ndarray *a) {
    char path[4096];
    struct diag *d = diag_new(NULL, NULL);
    if (!ndarray_read(example_path(path, "/data", file), a, d))
        fail_msg("%s", diag_first(d));
    diag_free(d);
}

static mpu_type api_type(struct element_type t) {
    int size = t.bits == 8 ? 0 : t.bits == 16 ? 1 : t.bits == 32 ? 2 : 3;
    if (element_is_float(t))
        return t.kind == ELEMENT_BFLOAT ? MPU_BF16 : (mpu_type)(MPU_F16 + size - 1);
    return t.kind == ELEMENT_BOOL ? MPU_BOOL
                                  : (mpu_type)((t.kind == ELEMENT_INT ? MPU_I8 : MPU_U8) + size);
}

void put(mpu_session *s, const struct binding *b) {
    struct ndarray a;
    read_data(b->file, &a);
    mpu_array out = {.type = api_type(a.type), .ndim = a.ndim, .data = a.data};
    memcpy(out.shape, a.shape, sizeof out.shape);
    mpu_error *e = NULL;
    need(mpu_session_put(s, b->name, &out, &e) == MPU_OK, b->name, e);
    ndarray_free(&a);
}

void compare(mpu_session *s, const struct binding *b, const char *program) {
    struct ndarray want;
    mpu_array got = {0};
    mpu_error *e = NULL;
    read_data(b->file, &want);
    need(mpu_session_get(s, b->name, &got, &e) == MPU_OK, b->name, e);
    assert_int_equal(got.type, api_type(want.type));
    assert_int_equal(got.ndim, want.ndim);
    for (uint32_t i = 0; i < want.ndim; i++)
        assert_int_equal(got.shape[i], want.shape[i]);
    size_t size = want.type.bits / 8;
    for (uint64_t i = 0; i < want.count; i++)
        if (memcmp((unsigned char *)got.data + i * size, want.data + i * size, size) != 0)
            fail_msg("%s: %s[%llu] differs from %s", program, b->name, (unsigned long long)i,
                     b->file);
    mpu_array_free(&got);
    ndarray_free(&want);
}
