/* SPDX-License-Identifier: MIT
 * Random kernels in sessions of libmpu: what goes in, and whether what comes out is what is
 * expected. */
#include "tests/stage/sessions.h"
#include "support/bits.h"
#include "support/ieee.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static mpu_type api_type(struct lane_type t) {
    unsigned log = t.bits == 8 ? 0 : t.bits == 16 ? 1 : t.bits == 32 ? 2 : 3;
    static const mpu_type ints[] = {MPU_I8, MPU_I16, MPU_I32, MPU_I64};
    static const mpu_type uints[] = {MPU_U8, MPU_U16, MPU_U32, MPU_U64};
    if (t.kind == TYPE_FLOAT)
        return t.bits == 32 ? MPU_F32 : MPU_F64;
    return t.kind == TYPE_INT ? ints[log] : uints[log];
}

uint64_t session_elements(const struct launched_buffer *b, struct lane_type t) {
    return b->size / object_element_bytes(t);
}

bool session_is_zero(const struct launched_buffer *b) {
    for (uint64_t i = 0; i < b->size; i++)
        if (b->bytes[i])
            return false;
    return true;
}

void session_fails(uint64_t seed, const char *machine, const char *what, const struct str *text) {
    fputs(str_text(text), stderr); /* longer than what fail_msg takes */
    fail_msg("seed %" PRIu64 " on %s: %s", seed, machine, what);
}

void session_program(const struct launched *x, uint64_t scalar, uint64_t length, unsigned units,
                     struct str *out) {
    char type[8];
    for (uint32_t i = 0; i < x->count; i++) {
        const struct kernel_parameter *p = &x->parameters[i];
        if (p->kind != PARAMETER_BUFFER)
            continue;
        uint64_t count = session_elements(&x->buffers[i], p->type);
        object_type_text(p->type, type);
        str_printf(out, "        .buffer %s %s: %s[%" PRIu64 "]\n",
                   session_is_zero(&x->buffers[i]) ? "out" : "inout", p->name, type,
                   count ? count : 1);
    }
    str_append(out, "        .kernel f stage(");
    for (uint32_t i = 0; i < x->count; i++) {
        object_type_text(x->parameters[i].type, type);
        str_printf(out, "%s%s: %s%s", i ? ", " : "", x->parameters[i].name, type,
                   x->parameters[i].kind == PARAMETER_BUFFER ? "[]" : "");
    }
    str_printf(out, ")\n%s\n        .endkernel\n        RECIPE f(", str_text(&x->text));
    for (uint32_t i = 0; i < x->count; i++) {
        const char *name = x->parameters[i].name;
        str_append(out, i ? ", " : "");
        if (x->parameters[i].kind == PARAMETER_BUFFER)
            str_append(out, name);
        else if (strcmp(name, "a") == 0)
            str_printf(out, "%" PRId64, (int64_t)scalar);
        else
            str_printf(out, "%" PRIu64, length);
    }
    str_append(out, ")");
    if (units)
        str_printf(out, " units %u", units);
    str_append(out, "\n        HALT\n");
}

void session_put_all(mpu_session *s, const struct launched *x, uint64_t seed, const char *machine,
                     const struct str *text) {
    for (uint32_t i = 0; i < x->count; i++) {
        const struct launched_buffer *b = &x->buffers[i];
        struct lane_type t = x->parameters[i].type;
        mpu_error *e = NULL;
        if (x->parameters[i].kind != PARAMETER_BUFFER || !b->size || session_is_zero(b))
            continue;
        const mpu_array a = {api_type(t), 1, {session_elements(b, t)}, b->bytes};
        if (mpu_session_put(s, x->parameters[i].name, &a, &e) != MPU_OK)
            session_fails(seed, machine, mpu_error_text(e), text);
    }
}

static uint64_t one_nan(struct lane_type t, uint64_t bits) {
    return t.kind == TYPE_FLOAT && ieee_is_nan(ieee_binary(t.bits), bits)
               ? ieee_nan(ieee_binary(t.bits))
               : bits;
}

void session_compare(mpu_session *s, const struct launched *x, uint64_t seed, const char *machine,
                     const struct str *text) {
    for (uint32_t i = 0; i < x->count; i++) {
        struct lane_type t = x->parameters[i].type;
        uint64_t n = session_elements(&x->buffers[i], t);
        unsigned size = object_element_bytes(t);
        mpu_error *e = NULL;
        mpu_array got;
        if (x->parameters[i].kind != PARAMETER_BUFFER || !n)
            continue;
        if (mpu_session_get(s, x->parameters[i].name, &got, &e) != MPU_OK)
            session_fails(seed, machine, mpu_error_text(e), text);
        if (got.ndim != 1 || got.shape[0] != n)
            session_fails(seed, machine, "another shape", text);
        for (uint64_t k = 0; k < n; k++) {
            uint64_t one = 0, want = launched_get(x, i, k);
            char what[200];
            memcpy(&one, (const char *)got.data + k * size, size);
            snprintf(what, sizeof what, "%s[%" PRIu64 "] is 0x%" PRIx64 ", not 0x%" PRIx64,
                     x->parameters[i].name, k, one, want);
            if (one_nan(t, one) != one_nan(t, want))
                session_fails(seed, machine, what, text);
        }
        mpu_array_free(&got);
    }
}
