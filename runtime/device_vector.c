/* SPDX-License-Identifier: MIT
 * Vectors of the public API. */
#include "runtime/device.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t mpu_vtype_bytes(mpu_vtype type) {
    struct lane_type t = device_type(type);
    return type.kind <= MPU_KIND_BFLOAT && object_type_ok(t) ? device_type_bytes(t) : 0;
}

/* ---- handles ---- */

mpu_vector *device_vector_of(mpu_device *device, struct device_value *value) {
    mpu_vector *v = xcalloc(1, sizeof *v);
    *v = (mpu_vector){.refs = 1,
                      .device = device,
                      .value = value,
                      .type = value->type,
                      .n = value->n,
                      .next = device->vectors};
    value->held++;
    if (v->next)
        v->next->before = v;
    device->vectors = v;
    return v;
}

mpu_vector *mpu_vector_retain(mpu_vector *vector) {
    vector->refs++;
    return vector;
}

void mpu_vector_release(mpu_vector *vector) {
    if (!vector || --vector->refs)
        return;
    if (vector->device) {
        *(vector->before ? &vector->before->next : &vector->device->vectors) = vector->next;
        if (vector->next)
            vector->next->before = vector->before;
        if (!vector->device->broken) {
            vector->value->held--;
            device_value_drop(vector->value);
        }
    }
    free(vector);
}

uint64_t mpu_vector_length(const mpu_vector *vector) {
    return vector->n;
}

mpu_vtype mpu_vector_type(const mpu_vector *vector) {
    return (mpu_vtype){(uint8_t)vector->type.kind, vector->type.bits};
}

static void name_value(mpu_vector *vector, struct device_value *value) {
    struct device_value *before = vector->value;
    vector->value = value;
    value->held++;
    before->held--;
    device_value_drop(before);
}

/* ---- errors ---- */

mpu_result device_refuse(mpu_device *device, mpu_error **error, mpu_result code, const char *format,
                         ...) {
    struct public_call c;
    struct str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    public_call_begin(&c, device ? device->messages : NULL, error);
    diag_error(c.d, NO_SPAN, "%s", str_text(&text));
    str_free(&text);
    return public_call_end(&c, code);
}

mpu_result device_refuse_failed(mpu_device *device, mpu_error **error,
                                const struct device_value *value) {
    return device_refuse(device, error, value->fault->code, "%s", value->fault->text);
}

static mpu_result refuse_closed(mpu_error **error) {
    return device_refuse(NULL, error, MPU_USAGE, "the vector's device was closed");
}

bool device_type_check(mpu_device *device, mpu_vtype type, uint64_t n, mpu_error **error) {
    if (!device->vectors_there) {
        device_refuse(device, error, MPU_USAGE,
                      "target '%s' keeps no vectors: machines of kind %s do not",
                      device->target->name, device->target->kind->name);
        return false;
    }
    if (!mpu_vtype_bytes(type)) {
        device_refuse(device, error, MPU_USAGE, "there is no type of kind %u with %u bits",
                      (unsigned)type.kind, (unsigned)type.bits);
        return false;
    }
    if (n >= 1 && n <= OBJECT_MAX_EXTENT)
        return true;
    device_refuse(device, error, MPU_USAGE, "a vector has 1 to 2^40 elements, not %" PRIu64, n);
    return false;
}

mpu_vector *mpu_vector_new(mpu_device *device, mpu_vtype type, uint64_t n, mpu_error **error) {
    PUBLIC_ENTRY_OF(device, error, NULL);
    if (!device_type_check(device, type, n, error))
        return NULL;
    return device_vector_of(device, device_value_new(device, device_type(type), n, VALUE_ZERO));
}

static mpu_result check_range(const mpu_vector *vector, uint64_t first, uint64_t count,
                              mpu_error **error) {
    if (!vector->device)
        return refuse_closed(error);
    if (first <= vector->n && count <= vector->n - first)
        return MPU_OK;
    return device_refuse(vector->device, error, MPU_USAGE,
                         "elements %" PRIu64 " to %" PRIu64 " are not in a vector of %" PRIu64,
                         first, first + count, vector->n);
}

/* ---- putting and getting ---- */

/* Its elements are on the machine. */
static mpu_result bring(struct device_value *value, struct diag *diag) {
    if (value->state == VALUE_PLACED)
        return MPU_OK;
    struct device_slab *s = device_room_for(value, diag);
    if (!s)
        return MPU_CAPACITY;
    device_value_bring(value, s);
    return MPU_OK;
}

/* Operations that are recorded may still need what has the rows that it would take. */
static void put_later(mpu_vector *vector, const void *data) {
    struct device_value *v = vector->value;
    if (v->refs == 1 && v->waits) {
        device_value_wait(v, data);
        return;
    }
    v = device_value_new(vector->device, vector->type, vector->n, VALUE_ON_HOST);
    device_value_wait(v, data);
    name_value(vector, v);
}

/* All of it: nobody asks what was there. */
static mpu_result put_whole(mpu_vector *vector, const void *data, struct diag *diag) {
    mpu_device *d = vector->device;
    struct device_value *v = vector->value;
    const uint64_t bytes = vector->n * device_type_bytes(vector->type);
    if (v->refs == 1 && v->state == VALUE_PLACED) {
        device_transfer(v, 0, v->n, (void *)(uintptr_t)data, true);
        device_value_touch(v);
        return MPU_OK;
    }
    if (d->waiting && d->put_bytes + bytes > DEVICE_PUT_BYTES) {
        mpu_result r = device_flush(d, diag);
        if (r != MPU_OK)
            return r;
        v = vector->value;
    }
    if (d->waiting) {
        put_later(vector, data);
        return MPU_OK;
    }
    v = device_value_new(d, vector->type, vector->n, VALUE_ZERO);
    struct device_slab *s = device_room_for(v, diag);
    if (!s) {
        device_value_drop(v);
        return MPU_CAPACITY;
    }
    device_value_place(v, s);
    device_transfer(v, 0, v->n, (void *)(uintptr_t)data, true);
    name_value(vector, v);
    return MPU_OK;
}

static mpu_result flush_for(mpu_vector *vector, struct diag *diag) {
    if (vector->value->state != VALUE_RECORDED)
        return MPU_OK;
    mpu_result r = device_flush(vector->device, diag);
    return vector->value->state == VALUE_RECORDED && r == MPU_OK ? MPU_USAGE : r;
}

/* A copy that nobody else knows: by the host, since a part of it comes from there, too. */
static mpu_result make_own(mpu_vector *vector, struct diag *diag) {
    struct device_value *old = vector->value;
    size_t bytes = (size_t)vector->n * device_type_bytes(vector->type);
    mpu_result r = bring(old, diag);
    if (r != MPU_OK || old->refs == 1)
        return r;
    void *data = xmalloc(bytes);
    device_transfer(old, 0, old->n, data, false);
    r = put_whole(vector, data, diag);
    free(data);
    return r;
}

static mpu_result put(mpu_vector *vector, uint64_t first, uint64_t count, const void *data,
                      struct diag *diag) {
    if (count == vector->n)
        return put_whole(vector, data, diag);
    mpu_result r = flush_for(vector, diag);
    if (r == MPU_OK &&
        vector->value->refs > 1) /* what is recorded reads it: before it is written */
        r = device_flush(vector->device, diag);
    if (r == MPU_OK)
        r = make_own(vector, diag);
    if (r != MPU_OK)
        return r;
    device_transfer(vector->value, first, count, (void *)(uintptr_t)data, true);
    device_value_touch(vector->value);
    return MPU_OK;
}

mpu_result mpu_vector_put(mpu_vector *vector, uint64_t first, uint64_t count, const void *data,
                          mpu_error **error) {
    DEVICE_ENTRY(vector->device, error, MPU_CAPACITY);
    struct public_call c;
    mpu_result r = check_range(vector, first, count, error);
    if (r != MPU_OK || !count)
        return r;
    if (vector->value->state == VALUE_FAILED && count < vector->n)
        return device_refuse_failed(vector->device, error, vector->value);
    public_call_begin(&c, vector->device->messages, error);
    return public_call_end(&c, put(vector, first, count, data, c.d));
}

static mpu_result get(mpu_vector *vector, uint64_t first, uint64_t count, void *data,
                      struct diag *diag) {
    mpu_result r = flush_for(vector, diag);
    if (r == MPU_OK)
        r = bring(vector->value, diag);
    if (r != MPU_OK)
        return r;
    device_transfer(vector->value, first, count, data, false);
    device_value_touch(vector->value);
    return MPU_OK;
}

mpu_result mpu_vector_get(mpu_vector *vector, uint64_t first, uint64_t count, void *data,
                          mpu_error **error) {
    DEVICE_ENTRY(vector->device, error, MPU_CAPACITY);
    struct public_call c;
    mpu_result r = check_range(vector, first, count, error);
    if (r != MPU_OK || !count)
        return r;
    if (vector->value->state == VALUE_FAILED)
        return device_refuse_failed(vector->device, error, vector->value);
    public_call_begin(&c, vector->device->messages, error);
    return public_call_end(&c, get(vector, first, count, data, c.d));
}

mpu_result mpu_vector_set(mpu_vector *dst, const mpu_vector *value, mpu_error **error) {
    DEVICE_ENTRY(dst->device, error, MPU_CAPACITY);
    if (!dst->device || !value->device)
        return refuse_closed(error);
    if (dst->device != value->device)
        return device_refuse(dst->device, error, MPU_USAGE, "the vectors are of different devices");
    if (!ir_same_type(dst->type, value->type) || dst->n != value->n)
        return device_refuse(dst->device, error, MPU_USAGE, "the vectors differ in type or length");
    value->value->refs++;
    name_value(dst, value->value);
    return MPU_OK;
}
