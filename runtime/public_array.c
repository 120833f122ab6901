/* SPDX-License-Identifier: MIT
 * Arrays of the API and those of the library, one for the other. */
#include "runtime/internal.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(MPU_MAX_DIMS == ARRAY_MAX_DIMS,
               "arrays of the API and of files have the same shape");

static const struct element_type element_types[] = {
    [MPU_BOOL] = {ELEMENT_BOOL, 8}, [MPU_U8] = {ELEMENT_UINT, 8},   [MPU_U16] = {ELEMENT_UINT, 16},
    [MPU_U32] = {ELEMENT_UINT, 32}, [MPU_U64] = {ELEMENT_UINT, 64}, [MPU_I8] = {ELEMENT_INT, 8},
    [MPU_I16] = {ELEMENT_INT, 16},  [MPU_I32] = {ELEMENT_INT, 32},  [MPU_I64] = {ELEMENT_INT, 64},
};
#define TYPE_COUNT (sizeof element_types / sizeof *element_types)

bool array_of_public(const mpu_array *a, bool without, struct array *out) {
    uint64_t n = 1;
    if ((size_t)a->type >= TYPE_COUNT || a->ndim > MPU_MAX_DIMS)
        return false;
    *out = (struct array){.type = element_types[a->type],
                          .ndim = a->ndim,
                          .data = without ? NULL : a->data,
                          .borrowed = true};
    for (uint32_t i = 0; i < a->ndim; i++) {
        out->shape[i] = a->shape[i];
        if (__builtin_mul_overflow(n, a->shape[i], &n))
            return false;
    }
    out->count = n;
    return n == 0 || without || a->data;
}

mpu_type public_type(struct element_type t) {
    size_t i = 0;
    while (i + 1 < TYPE_COUNT &&
           (element_types[i].kind != t.kind || element_types[i].bits != t.bits))
        i++;
    return (mpu_type)i;
}

mpu_array public_array(const struct array *a) {
    mpu_array out = {public_type(a->type), a->ndim, {0}, a->data};
    memcpy(out.shape, a->shape, sizeof out.shape);
    return out;
}

void mpu_array_free(mpu_array *a) {
    free(a->data);
    *a = (mpu_array){0};
}
