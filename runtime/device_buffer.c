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

/* Bytes of each unit's memory that buffers in slices take. */
static uint64_t taken(const mpu_device *device) {
    uint64_t bytes = 0;
    for (const mpu_buffer *b = device->buffers; b; b = b->next)
        bytes = sat_add(bytes, package_layout_takes(&b->layout));
    return bytes;
}

static bool lies_there(const mpu_device *device, const struct device_buffer_form *form,
                       const struct package_layout *layout, struct diag *diag) {
    uint64_t before = taken(device), there = machine_memory(device->target);
    bool in_rows = form->lies.layout == LAYOUT_EACH || form->lies.layout == LAYOUT_OWN;
    if (in_rows && form->rows > layout->units)
        diag_error(diag, NO_SPAN,
                   "a buffer of %" PRIu64 " rows, one for each unit: target '%s' has %" PRIu32
                   " units",
                   form->rows, device->target->name, layout->units);
    else if (sat_add(before, package_layout_takes(layout)) > there && package_layout_takes(layout))
        diag_error(diag, NO_SPAN,
                   "a buffer takes %" PRIu64
                   " bytes of each unit; a unit of target '%s' has %" PRIu64
                   ", and others take %" PRIu64 " of these",
                   layout->room, device->target->name, there, before);
    else
        return true;
    return false;
}

mpu_buffer *device_buffer_new(mpu_device *device, const struct device_buffer_form *form,
                              struct diag *diag) {
    const uint64_t bytes = sat_mul(form->elements, object_element_bytes(form->type));
    const uint32_t units = device->target->mpus * target_vrfs_per_mpu(device->target);
    mpu_buffer *b = xcalloc(1, sizeof *b);
    *b = (mpu_buffer){.device = device,
                      .type = form->type,
                      .bytes = bytes,
                      .lies = form->lies,
                      .layout = package_layout_of(&form->lies, bytes, form->rows, units, 1),
                      .next = device->buffers};
    b->slices = (struct buffer_slices){.dp = device->dp,
                                       .layout = &b->layout,
                                       .part = package_layout_part(&b->layout, 0),
                                       .program = form->program,
                                       .at = form->lies.unit};
    if (!lies_there(device, form, &b->layout, diag) || !session_slices_alloc(&b->slices, diag)) {
        free(b);
        return NULL;
    }
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
            session_slices_free(&buffer->slices, quiet);
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

/* NULL after reporting. */
static mpu_buffer *make(mpu_device *device, struct device_buffer_form form, uint32_t ndim,
                        const uint64_t *shape, mpu_error **error) {
    struct public_call c;
    form.rows = ndim ? shape[0] : 1;
    form.elements = elements_of(ndim, shape);
    if (form.elements < 1 || form.elements > OBJECT_MAX_EXTENT) {
        device_refuse(device, error, MPU_USAGE, "a buffer has 1 to 2^40 elements, not %" PRIu64,
                      form.elements);
        return NULL;
    }
    public_call_begin(&c, device->messages, error);
    mpu_buffer *b = device_buffer_new(device, &form, c.d);
    public_call_end(&c, b ? MPU_OK : MPU_CAPACITY);
    return b;
}

static bool dimensions_fine(mpu_device *device, mpu_vtype type, uint32_t ndim, mpu_error **error) {
    if (mpu_vtype_bytes(type) && ndim <= MPU_MAX_DIMS)
        return true;
    device_refuse(device, error, MPU_USAGE,
                  "there is no buffer of kind %u with %u bits and %" PRIu32 " dimensions",
                  (unsigned)type.kind, (unsigned)type.bits, ndim);
    return false;
}

mpu_buffer *mpu_buffer_new(mpu_device *device, mpu_vtype type, uint32_t ndim, const uint64_t *shape,
                           mpu_error **error) {
    PUBLIC_ENTRY_OF(device, error, NULL);
    if (!device->has_memory) {
        device_refuse(device, error, MPU_USAGE,
                      "there are no buffers: the machine of target '%s' has no memory",
                      device->target->name);
        return NULL;
    }
    if (!dimensions_fine(device, type, ndim, error))
        return NULL;
    const struct device_buffer_form flat = {.type = device_type(type), .lies = {LAYOUT_FLAT, 0, 0}};
    return make(device, flat, ndim, shape, error);
}

mpu_buffer *mpu_kernel_buffer_new(mpu_kernel *kernel, uint32_t i, uint32_t ndim,
                                  const uint64_t *shape, mpu_error **error) {
    mpu_device *d = kernel->module->device;
    DEVICE_ENTRY(d, error, NULL);
    const uint32_t p = d ? device_kernel_parameter(kernel, i) : NO_INDEX;
    const struct kernel_parameter *x =
        p == NO_INDEX ? NULL : &device_kernel_decl(kernel)->parameters[p];
    if (!d || !x || x->kind != PARAMETER_BUFFER) {
        device_refuse(d, error, MPU_USAGE,
                      d ? "kernel '%s' has no parameter %" PRIu32 " that is a buffer"
                        : "the kernel's device was closed",
                      device_kernel_decl(kernel)->name, i);
        return NULL;
    }
    if (!dimensions_fine(d, mpu_kernel_parameter_type(kernel, i), ndim, error))
        return NULL;
    const struct device_buffer_form wanted = {.type = x->type,
                                              .lies = *device_kernel_wants(kernel, p),
                                              .program = device_kernel_program(kernel)};
    return make(d, wanted, ndim, shape, error);
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

uint64_t mpu_buffer_address(const mpu_buffer *buffer) {
    return buffer->device && buffer->layout.layout == LAYOUT_FLAT ? buffer->slices.address : 0;
}

uint32_t mpu_buffer_units(const mpu_buffer *buffer) {
    return buffer->layout.layout == LAYOUT_FLAT ? 0 : buffer->layout.slices;
}

uint64_t mpu_buffer_unit_bytes(const mpu_buffer *buffer, uint32_t unit) {
    return unit < mpu_buffer_units(buffer) ? package_layout_slice(&buffer->layout, unit).own : 0;
}

/* ---- putting and getting ---- */

/* MPU_OK, or what was refused. */
static mpu_result check_piece(const mpu_buffer *buffer, const struct buffer_piece *piece,
                              mpu_error **error) {
    mpu_device *d = buffer->device;
    const uint32_t units = mpu_buffer_units(buffer);
    const bool all = piece->unit == MPU_ALL_UNITS;
    const uint64_t there = all ? buffer->bytes : mpu_buffer_unit_bytes(buffer, piece->unit);
    if (!all && !units)
        return device_refuse(d, error, MPU_USAGE,
                             "there is no part of unit %" PRIu32
                             ": the buffer is one place for all units",
                             piece->unit);
    if (!all && piece->unit >= units)
        return device_refuse(d, error, MPU_USAGE,
                             "there is no part of unit %" PRIu32
                             ": the buffer lies in units 0 to %" PRIu32,
                             piece->unit, units - 1);
    if (piece->offset <= there && piece->bytes <= there - piece->offset)
        return MPU_OK;
    return device_refuse(d, error, MPU_USAGE,
                         all ? "a buffer of %" PRIu64 " bytes has no %" PRIu64
                               " bytes from byte %" PRIu64 " on"
                             : "a part of %" PRIu64 " bytes has no %" PRIu64
                               " bytes from byte %" PRIu64 " on: unit %" PRIu32,
                         there, piece->bytes, piece->offset, piece->unit);
}

void device_charge_memory(mpu_device *device, enum host_way way, uint64_t bytes) {
    device->counts.host.cost_known = device->costs_known;
    session_link_charge_memory(device->target, &device->counts.host, way, bytes);
}

static void charge(const mpu_buffer *buffer, const struct buffer_piece *piece, enum host_way way) {
    mpu_device *d = buffer->device;
    struct session_slices slices = {0};
    session_slices_charged(&buffer->layout, buffer->slices.part, piece, &way, &slices);
    d->counts.host.cost_known = d->costs_known;
    session_link_charge(d->target, &d->counts.host, way, slices.data, slices.len, false);
    vec_free(&slices);
}

static mpu_result refuse_closed(mpu_error **error) {
    return device_refuse(NULL, error, MPU_USAGE, "the buffer's device was closed");
}

mpu_result mpu_buffer_put(mpu_buffer *buffer, uint32_t unit, uint64_t offset, uint64_t bytes,
                          const void *data, mpu_error **error) {
    DEVICE_ENTRY(buffer->device, error, MPU_CAPACITY);
    struct public_call c;
    const struct buffer_piece piece = {unit, offset, bytes};
    if (!buffer->device)
        return refuse_closed(error);
    mpu_result r = check_piece(buffer, &piece, error);
    if (r != MPU_OK || !bytes)
        return r;
    public_call_begin(&c, buffer->device->messages, error);
    bool fine = session_slices_put(&buffer->slices, &piece, data, c.d);
    if (fine)
        charge(buffer, &piece, HOST_IN);
    return public_call_end(&c, fine ? MPU_OK : MPU_REJECTED);
}

mpu_result mpu_buffer_get(const mpu_buffer *buffer, uint32_t unit, uint64_t offset, uint64_t bytes,
                          void *data, mpu_error **error) {
    DEVICE_ENTRY(buffer->device, error, MPU_CAPACITY);
    struct public_call c;
    const struct buffer_piece piece = {unit, offset, bytes};
    if (!buffer->device)
        return refuse_closed(error);
    mpu_result r = check_piece(buffer, &piece, error);
    if (r != MPU_OK || !bytes)
        return r;
    public_call_begin(&c, buffer->device->messages, error);
    bool fine = session_slices_get(&buffer->slices, &piece, data, c.d);
    if (fine)
        charge(buffer, &piece, HOST_OUT);
    return public_call_end(&c, fine ? MPU_OK : MPU_REJECTED);
}
