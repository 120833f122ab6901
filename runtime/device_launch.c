/* SPDX-License-Identifier: MIT
 * Launches of kernels on a device. */
#include "runtime/device_kernels.h"

#include <inttypes.h>
#include <string.h>

/* ---- arguments ---- */

/* The parameter gets the address, of which so many bytes follow in its buffer. */
static void give(mpu_kernel *kernel, uint32_t p, uint64_t address, uint64_t stride,
                 uint64_t bytes) {
    const uint32_t buffer = kernel->arguments[p].buffer;
    const struct lane_type type = device_kernel_decl(kernel)->parameters[p].type;
    /* What a checked launch says of an element: as the kernel numbers them. */
    kernel->object->buffers.data[buffer].shape[0].value = bytes / object_element_bytes(type);
    kernel->addresses[buffer] = address;
    kernel->strides[buffer] = stride;
}

/* An address as a number, which need not lie in any buffer: it is used, or not. */
static void give_pointer(mpu_kernel *kernel, uint32_t p, uint64_t address) {
    const mpu_buffer *b = kernel->module->device->buffers;
    while (b && (b->lies.layout != LAYOUT_FLAT || address - b->slices.address >= b->layout.own))
        b = b->next;
    give(kernel, p, address, 0, b ? b->layout.own - (address - b->slices.address) : 0);
}

/* Why a parameter cannot have the argument, in words that follow its name; NULL: it can, and the
 * kernel has it. */
static const char *take(mpu_kernel *kernel, uint32_t p, const mpu_argument *from, struct str *own) {
    const struct kernel_parameter *parameter = &device_kernel_decl(kernel)->parameters[p];
    struct kernel_argument *to = &kernel->arguments[p];
    if (from->bytes) {
        struct kernel_argument x = {NO_INDEX, NO_INDEX, 0, from->bytes};
        const char *problem = object_argument_problem(kernel->object, parameter, &x);
        if (!problem)
            memcpy(kernel->structures + kernel->structure_at[p], from->bytes, parameter->bytes);
        return problem;
    }
    if (!from->buffer && to->buffer != NO_INDEX && kernel->module->pointers) {
        give_pointer(kernel, p, from->value);
        return NULL;
    }
    if (!from->buffer) {
        struct kernel_argument x = {NO_INDEX, NO_INDEX, from->value, NULL};
        const char *problem = object_argument_problem(kernel->object, parameter, &x);
        if (!problem && to->buffer == NO_INDEX)
            to->number = from->value;
        return problem;
    }
    if (!device_has_buffer(kernel->module->device, from->buffer))
        return "gets a buffer that is not there, or one of another device";
    const mpu_buffer *b = from->buffer;
    const bool typed = !kernel->module->pointers;
    if (to->buffer == NO_INDEX && !typed && parameter->type.bits == 64 && b->slices.address) {
        to->number = b->slices.address + from->value; /* a pointer that the text does not tell */
        return NULL;
    }
    if (to->buffer == NO_INDEX)
        return "takes a number, not a buffer";
    const unsigned bytes = typed ? object_element_bytes(b->type) : 1;
    if (typed && (b->type.kind != parameter->type.kind || b->type.bits != parameter->type.bits))
        return "gets a buffer of another type";
    const struct machine_buffer *wants = device_kernel_wants(kernel, p);
    if (!machine_buffer_same(&b->lies, wants)) {
        str_append(own, "wants a buffer ");
        machine_buffer_text(wants, own);
        str_append(own, ", and gets one ");
        machine_buffer_text(&b->lies, own);
        str_append(own, ": mpu_kernel_buffer_new makes what a kernel wants");
        return str_text(own);
    }
    if (b->lies.layout == LAYOUT_SPLIT && from->value)
        return "gets a buffer that is split from a byte on; it is given whole";
    if (from->value > b->layout.own || from->value % bytes) {
        str_printf(
            own, "gets a buffer of %" PRIu64 " bytes, of elements of %u, from byte %" PRIu64 " on",
            b->layout.own, bytes, from->value);
        return str_text(own);
    }
    give(kernel, p, b->slices.address + from->value, b->slices.stride, b->layout.own - from->value);
    return NULL;
}

static bool take_arguments(mpu_kernel *kernel, const mpu_argument *arguments, uint32_t count,
                           struct diag *diag) {
    const struct kernel_decl *k = device_kernel_decl(kernel);
    const uint32_t wanted = mpu_kernel_parameter_count(kernel);
    if (count != wanted) {
        diag_error(diag, NO_SPAN, "kernel '%s' has %" PRIu32 " parameter%s, and gets %" PRIu32,
                   k->name, wanted, wanted == 1 ? "" : "s", count);
        return false;
    }
    for (uint32_t p = 0, i = 0; p < k->parameter_count; p++) {
        struct str own = {0};
        const mpu_argument given = {.buffer = kernel->given[p]};
        const char *problem = take(kernel, p, kernel->given[p] ? &given : &arguments[i++], &own);
        if (problem)
            diag_error(diag, NO_SPAN, "kernel '%s', parameter '%s' %s", k->name,
                       k->parameters[p].name, problem);
        str_free(&own);
        if (problem)
            return false;
    }
    return true;
}

/* ---- geometry ---- */

/* Of dimensions behind the first a 1 says nothing. */
static void say_dims(struct launch_values *values, unsigned first, const uint32_t dims[3]) {
    unsigned n = LAUNCH_DIMS;
    while (dims && n > 1 && dims[n - 1] == 1)
        n--;
    for (unsigned i = 0; dims && i < n; i++) {
        values->said[first + i] = true;
        values->value[first + i] = dims[i];
    }
}

/* How a launch is laid out. */
struct layout_said {
    const uint32_t *grid, *block; /* [3]; NULL: nothing is said */
    uint64_t bytes;
    uint32_t units, first; /* 0 units: nothing is said */
};

static bool take_geometry(mpu_kernel *kernel, const struct layout_said *said, struct diag *diag) {
    struct launch_values values = {.said = {false}};
    struct str why = {0};
    unsigned extent;
    bool some = false;
    say_dims(&values, LAUNCH_GRID, said->grid);
    say_dims(&values, LAUNCH_BLOCK, said->block);
    values.said[LAUNCH_BYTES] = said->bytes != 0;
    values.value[LAUNCH_BYTES] = said->bytes > INT64_MAX ? INT64_MAX : (int64_t)said->bytes;
    values.said[LAUNCH_UNITS] = said->units != 0;
    values.value[LAUNCH_UNITS] = said->units;
    values.said[LAUNCH_FIRST] = said->first != 0;
    values.value[LAUNCH_FIRST] = said->first;
    bool fine = package_launch_fine(kernel->module->device->target, device_kernel_decl(kernel),
                                    &values, &extent, &why);
    if (!fine)
        diag_error(diag, NO_SPAN, "%s", str_text(&why));
    str_free(&why);
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++) {
        some |= values.said[i];
        kernel->geometry.extent[i] = (struct extent){NO_INDEX, (uint64_t)values.value[i]};
    }
    kernel->object->calls.data[0].geometry = some ? &kernel->geometry : NULL;
    return fine;
}

/* ---- the launch ---- */

static mpu_result launch(mpu_kernel *kernel, const struct layout_said *said,
                         const mpu_argument *arguments, uint32_t count, struct diag *diag) {
    const struct device_work work = {.object = kernel->object,
                                     .package = kernel->package,
                                     .buffers = kernel->addresses,
                                     .strides = kernel->strides,
                                     .modules = &kernel->module->shared,
                                     .one_launch = true,
                                     .launched = kernel->module->device->kernel_launches};
    mpu_device *d = kernel->module->device;
    if (!take_arguments(kernel, arguments, count, diag) || !take_geometry(kernel, said, diag))
        return MPU_USAGE;
    if (!kernel->loaded)
        device_load(d, kernel->package);
    kernel->loaded = true;
    d->kernel_launches++;
    return device_run(d, &work, diag);
}

mpu_result mpu_launch_on(mpu_kernel *kernel, const uint32_t grid[3], const uint32_t block[3],
                         uint64_t bytes, uint32_t units, uint32_t first,
                         const mpu_argument *arguments, uint32_t count, mpu_error **error) {
    DEVICE_ENTRY(kernel->module->device, error, MPU_CAPACITY);
    const struct layout_said said = {grid, block, bytes, units, first};
    struct public_call c;
    if (!kernel->module->device)
        return device_refuse(NULL, error, MPU_USAGE, "the kernel's device was closed");
    if (!units && first)
        return device_refuse(kernel->module->device, error, MPU_USAGE,
                             "a launch on 0 units, all of them, has no first one");
    public_call_begin(&c, kernel->module->device->messages, error);
    return public_call_end(&c, launch(kernel, &said, arguments, count, c.d));
}

mpu_result mpu_launch(mpu_kernel *kernel, const uint32_t grid[3], const uint32_t block[3],
                      uint64_t bytes, const mpu_argument *arguments, uint32_t count,
                      mpu_error **error) {
    return mpu_launch_on(kernel, grid, block, bytes, 0, 0, arguments, count, error);
}
