/* SPDX-License-Identifier: MIT
 * Buffers in the memory of a device's machine. */
#include "runtime/device_kernels.h"
#include "runtime/host_link.h"

#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>

bool device_has_buffer(const mpu_device *device, const mpu_buffer *buffer) {
    const mpu_buffer *b = device->buffers;
    while (b && b != buffer)
        b = b->next;
    return b;
}

/* ---- coming and going ---- */

mpu_buffer *device_buffer_new(mpu_device *device, struct lane_type type, uint64_t elements,
                              struct diag *diag) {
    const uint64_t bytes = sat_mul(elements, object_element_bytes(type));
    uint64_t address;
    if (!device->ops->mem_alloc(device->dp, bytes, &address, diag))
        return NULL;
    mpu_buffer *b = xcalloc(1, sizeof *b);
    *b = (mpu_buffer){.device = device,
                      .type = type,
                      .address = address,
                      .bytes = bytes,
                      .next = device->buffers};
    if (b->next)
        b->next->before = b;
    device->buffers = b;
    return b;
}

void device_buffer_drop(mpu_buffer *buffer) {
    mpu_device *d = buffer->device;
    if (d) {
        *(buffer->before ? &buffer->before->next : &d->buffers) = buffer->next;
        if (buffer->next)
            buffer->next->before = buffer->before;
        struct diag *quiet = d->broken ? NULL : diag_new(NULL, NULL);
        if (quiet)
            d->ops->mem_free(d->dp, buffer->address, quiet);
        diag_free(quiet);
    }
    free(buffer);
}

static uint64_t elements_of(uint32_t ndim, const uint64_t *shape) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < ndim; i++)
        n = sat_mul(n, shape[i]);
    return n;
}

static mpu_result make(mpu_device *device, struct lane_type type, uint64_t elements,
                       mpu_buffer **buffer, struct diag *diag) {
    *buffer = device_buffer_new(device, type, elements, diag);
    return *buffer ? MPU_OK : MPU_CAPACITY;
}

mpu_buffer *mpu_buffer_new(mpu_device *device, mpu_vtype type, uint32_t ndim, const uint64_t *shape,
                           mpu_error **error) {
    PUBLIC_ENTRY_OF(device, error, NULL);
    struct public_call c;
    mpu_buffer *b = NULL;
    if (!device->has_memory) {
        device_refuse(device, error, MPU_USAGE,
                      "there are no buffers: the machine of target '%s' has no memory%s",
                      device->target->name, device->config.check ? " that is checked" : "");
        return NULL;
    }
    if (!mpu_vtype_bytes(type) || ndim > MPU_MAX_DIMS) {
        device_refuse(device, error, MPU_USAGE,
                      "there is no buffer of kind %u with %u bits and %" PRIu32 " dimensions",
                      (unsigned)type.kind, (unsigned)type.bits, ndim);
        return NULL;
    }
    uint64_t n = elements_of(ndim, shape);
    if (n < 1 || n > OBJECT_MAX_EXTENT) {
        device_refuse(device, error, MPU_USAGE, "a buffer has 1 to 2^40 elements, not %" PRIu64, n);
        return NULL;
    }
    public_call_begin(&c, device->messages, error);
    public_call_end(&c, make(device, device_type(type), n, &b, c.d));
    return b;
}

void mpu_buffer_free(mpu_buffer *buffer) {
    if (buffer && !buffer->of_module)
        device_buffer_drop(buffer);
}

mpu_vtype mpu_buffer_type(const mpu_buffer *buffer) {
    return (mpu_vtype){(uint8_t)buffer->type.kind, buffer->type.bits};
}

uint64_t mpu_buffer_bytes(const mpu_buffer *buffer) {
    return buffer->bytes;
}

/* ---- putting and getting ---- */

/* MPU_OK, or what was refused. */
static mpu_result check_part(const mpu_buffer *buffer, uint32_t unit, uint64_t offset,
                             uint64_t bytes, mpu_error **error) {
    mpu_device *d = buffer->device;
    if (unit != MPU_ALL_UNITS)
        return device_refuse(
            d, error, MPU_USAGE,
            "there is no part of unit %" PRIu32 ": the buffer is one place for all units", unit);
    if (offset <= buffer->bytes && bytes <= buffer->bytes - offset)
        return MPU_OK;
    return device_refuse(d, error, MPU_USAGE,
                         "a buffer of %" PRIu64 " bytes has no %" PRIu64 " bytes from byte %" PRIu64
                         " on",
                         buffer->bytes, bytes, offset);
}

void device_charge_memory(mpu_device *device, enum host_way way, uint64_t bytes) {
    device->counts.host.cost_known = device->costs_known;
    session_link_charge_memory(device->target, &device->counts.host, way, bytes);
}

static mpu_result refuse_closed(mpu_error **error) {
    return device_refuse(NULL, error, MPU_USAGE, "the buffer's device was closed");
}

static mpu_result put(mpu_buffer *buffer, uint64_t offset, uint64_t bytes, const void *data,
                      struct diag *diag) {
    mpu_device *d = buffer->device;
    if (!d->ops->mem_put(d->dp, buffer->address + offset, data, bytes, diag))
        return MPU_REJECTED;
    device_charge_memory(d, HOST_IN, bytes);
    return MPU_OK;
}

mpu_result mpu_buffer_put(mpu_buffer *buffer, uint32_t unit, uint64_t offset, uint64_t bytes,
                          const void *data, mpu_error **error) {
    DEVICE_ENTRY(buffer->device, error, MPU_CAPACITY);
    struct public_call c;
    if (!buffer->device)
        return refuse_closed(error);
    mpu_result r = check_part(buffer, unit, offset, bytes, error);
    if (r != MPU_OK || !bytes)
        return r;
    public_call_begin(&c, buffer->device->messages, error);
    return public_call_end(&c, put(buffer, offset, bytes, data, c.d));
}

static mpu_result get(const mpu_buffer *buffer, uint64_t offset, uint64_t bytes, void *data,
                      struct diag *diag) {
    mpu_device *d = buffer->device;
    if (!d->ops->mem_get(d->dp, buffer->address + offset, data, bytes, diag))
        return MPU_REJECTED;
    device_charge_memory(d, HOST_OUT, bytes);
    return MPU_OK;
}

mpu_result mpu_buffer_get(const mpu_buffer *buffer, uint32_t unit, uint64_t offset, uint64_t bytes,
                          void *data, mpu_error **error) {
    DEVICE_ENTRY(buffer->device, error, MPU_CAPACITY);
    struct public_call c;
    if (!buffer->device)
        return refuse_closed(error);
    mpu_result r = check_part(buffer, unit, offset, bytes, error);
    if (r != MPU_OK || !bytes)
        return r;
    public_call_begin(&c, buffer->device->messages, error);
    return public_call_end(&c, get(buffer, offset, bytes, data, c.d));
}
