/* SPDX-License-Identifier: MIT
 * The public functions around the internal ones. */
#include "runtime/internal.h"

#include "support/alloc.h"
#include "support/options.h"

#include <stdlib.h>
#include <string.h>

uint32_t mpu_api_version(void) {
    return (uint32_t)MPU_API_MAJOR << 16 | MPU_API_MINOR;
}

const char *mpu_version(void) {
    return tool_version_text();
}

mpu_session *mpu_session_new(const mpu_program *p, const mpu_target *t, const mpu_config *config,
                             mpu_error **error) {
    struct call c;
    mpu_session *s = NULL;
    call_begin(&c);
    call_end(&c, session_new_diag(p, t, config, c.d, &s), error);
    return s;
}

mpu_result mpu_session_bind_size(mpu_session *s, const char *name, uint64_t value,
                                 mpu_error **error) {
    struct call c;
    call_begin(&c);
    return call_end(&c, session_bind_diag(s, name, value, c.d), error);
}

static const struct element_type element_types[] = {
    [MPU_BOOL] = {ELEMENT_BOOL, 8}, [MPU_U8] = {ELEMENT_UINT, 8},   [MPU_U16] = {ELEMENT_UINT, 16},
    [MPU_U32] = {ELEMENT_UINT, 32}, [MPU_U64] = {ELEMENT_UINT, 64}, [MPU_I8] = {ELEMENT_INT, 8},
    [MPU_I16] = {ELEMENT_INT, 16},  [MPU_I32] = {ELEMENT_INT, 32},  [MPU_I64] = {ELEMENT_INT, 64},
};
#define TYPE_COUNT (sizeof element_types / sizeof *element_types)

_Static_assert(MPU_MAX_DIMS == ARRAY_MAX_DIMS,
               "arrays of the API and of files have the same shape");

/* False if the type or the shape is none. */
static bool from_public(const mpu_array *a, struct array *out) {
    uint64_t n = 1;
    if ((size_t)a->type >= TYPE_COUNT || a->ndim > MPU_MAX_DIMS)
        return false;
    *out = (struct array){
        .type = element_types[a->type], .ndim = a->ndim, .data = a->data, .borrowed = true};
    for (uint32_t i = 0; i < a->ndim; i++) {
        out->shape[i] = a->shape[i];
        if (__builtin_mul_overflow(n, a->shape[i], &n))
            return false;
    }
    out->count = n;
    return n == 0 || a->data;
}

static mpu_type public_type(struct element_type t) {
    size_t i = 0;
    while (i + 1 < TYPE_COUNT &&
           (element_types[i].kind != t.kind || element_types[i].bits != t.bits))
        i++;
    return (mpu_type)i;
}

mpu_result mpu_session_put(mpu_session *s, const char *name, const mpu_array *a,
                           mpu_error **error) {
    struct call c;
    struct array values;
    const struct data_source from = {
        .form = FORM_TYPED, .name = "call", .hash = !s->config.unhashed};
    mpu_result r = MPU_USAGE;
    call_begin(&c);
    if (from_public(a, &values))
        r = session_put_diag(s, name, &values, &from, c.d);
    else
        diag_error(c.d, NO_SPAN, "the array for '%s' has no valid type, shape or data", name);
    return call_end(&c, r, error);
}

mpu_result mpu_session_run(mpu_session *s, mpu_error **error) {
    struct call c;
    call_begin(&c);
    return call_end(&c, session_run_diag(s, c.d), error);
}

mpu_result mpu_session_get(mpu_session *s, const char *name, mpu_array *a, mpu_error **error) {
    struct call c;
    struct array values;
    call_begin(&c);
    mpu_result r = session_get_diag(s, name, &values, c.d);
    if (r == MPU_OK) {
        *a = (mpu_array){public_type(values.type), values.ndim, {0}, values.data};
        memcpy(a->shape, values.shape, sizeof a->shape);
    }
    return call_end(&c, r, error);
}

void mpu_array_free(mpu_array *a) {
    free(a->data);
    *a = (mpu_array){0};
}
