/* SPDX-License-Identifier: MIT
 * Arrays of the API turned into those of the library, and back. */
#include "runtime/public.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(MPU_MAX_DIMS == NDARRAY_MAX_DIMS,
               "arrays of the API and of files have the same shape");

static const struct element_type element_types[] = {
    [MPU_BOOL] = {ELEMENT_BOOL, 8},    [MPU_U8] = {ELEMENT_UINT, 8},
    [MPU_U16] = {ELEMENT_UINT, 16},    [MPU_U32] = {ELEMENT_UINT, 32},
    [MPU_U64] = {ELEMENT_UINT, 64},    [MPU_I8] = {ELEMENT_INT, 8},
    [MPU_I16] = {ELEMENT_INT, 16},     [MPU_I32] = {ELEMENT_INT, 32},
    [MPU_I64] = {ELEMENT_INT, 64},     [MPU_F16] = {ELEMENT_FLOAT, 16},
    [MPU_F32] = {ELEMENT_FLOAT, 32},   [MPU_F64] = {ELEMENT_FLOAT, 64},
    [MPU_BF16] = {ELEMENT_BFLOAT, 16},
};
#define TYPE_COUNT (sizeof element_types / sizeof *element_types)

bool public_array_borrow(const mpu_array *array, bool without, struct ndarray *out) {
    uint64_t n = 1;
    if ((size_t)array->type >= TYPE_COUNT || array->ndim > MPU_MAX_DIMS)
        return false;
    *out = (struct ndarray){.type = element_types[array->type],
                            .ndim = array->ndim,
                            .data = without ? NULL : array->data,
                            .borrowed = true};
    for (uint32_t i = 0; i < array->ndim; i++) {
        out->shape[i] = array->shape[i];
        if (__builtin_mul_overflow(n, array->shape[i], &n))
            return false;
    }
    out->count = n;
    return n == 0 || without || array->data;
}

mpu_type public_type(struct element_type type) {
    size_t i = 0;
    while (i + 1 < TYPE_COUNT &&
           (element_types[i].kind != type.kind || element_types[i].bits != type.bits))
        i++;
    return (mpu_type)i;
}

mpu_array public_array(const struct ndarray *array) {
    mpu_array out = {public_type(array->type), array->ndim, {0}, array->data};
    memcpy(out.shape, array->shape, sizeof out.shape);
    return out;
}

void mpu_array_free(mpu_array *array) {
    free(array->data);
    *array = (mpu_array){0};
}
