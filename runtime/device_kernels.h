/* SPDX-License-Identifier: MIT
 * Buffers and modules of a device, inside. */
#ifndef RUNTIME_DEVICE_KERNELS_H
#define RUNTIME_DEVICE_KERNELS_H

#include "runtime/buffer_slices.h"
#include "runtime/device.h"

struct mpu_buffer {
    mpu_device *device; /* NULL: it was closed */
    struct lane_type type;
    bool of_module; /* which frees it */
    uint64_t bytes;
    struct machine_buffer lies;
    struct package_layout layout;
    struct buffer_slices slices;
    mpu_buffer *next, *before;
};

/* A kernel is a program of one launch, whose arguments and geometry each launch fills in. */
struct mpu_kernel {
    mpu_module *module;
    struct object *object;
    struct package *package;
    struct kernel_argument *arguments; /* [parameters]: the call's */
    uint64_t *addresses, *strides;     /* [parameters + 1]: of its buffers */
    mpu_buffer **given;                /* [parameters]: the module's own; NULL: an argument */
    unsigned char structures[KERNEL_MAX_PARAMETER_BYTES]; /* arguments that are bytes .. */
    uint32_t *structure_at;                               /* [parameters + 1]: .. and where */
    struct launch_geometry geometry;
    bool loaded; /* the text went over the link */
};

struct mpu_module {
    mpu_device *device; /* NULL: it was closed */
    char *name;
    bool pointers; /* machine_form.pointers */
    struct machine_entries declared;
    mpu_kernel *kernels;  /* [declared.entries.len] */
    mpu_buffer **buffers; /* [declared.buffers.len] */
    uint64_t shared;      /* address of what the kernels share; 0: nothing */
    mpu_module *next, *before;
};

/* What a buffer is made of. */
struct device_buffer_form {
    struct lane_type type;
    uint64_t rows, elements; /* of the first dimension (1 if there is none), and of all */
    struct machine_buffer lies;
    struct dp_program program; /* of LAYOUT_OWN: whose place it has */
};
/* ---- device_units.c ---- */
/* Bytes `at` .. of the memory that a kernel's program names (datapath_ops.mem_own), on their way to
 * units or from them, as one transfer over the host's link; the units have the program then.
 * HOST_SAME: all pieces are the same bytes.  Units ascend.  False after reporting. */
struct device_piece {
    uint32_t unit;
    void *data; /* as many bytes as the transfer has for each */
};
bool device_units_move(const mpu_kernel *kernel, enum host_way way, uint64_t at, uint64_t bytes,
                       const struct device_piece *pieces, size_t count, struct diag *diag);
/* datapath_ops.unit_stopped. */
bool device_unit_stopped(const mpu_device *device, uint32_t unit, struct str *why);
/* The sum of a counter that the machine has of each unit, of all since it was opened. */
uint64_t device_units_total(const mpu_device *device, const char *counter);

/* ---- device_buffer.c ---- */
/* NULL after reporting. */
mpu_buffer *device_buffer_new(mpu_device *device, const struct device_buffer_form *form,
                              struct diag *diag);
/* How the kernel wants the buffer that is its parameter number `parameter`. */
static inline const struct machine_buffer *device_kernel_wants(const mpu_kernel *kernel,
                                                               uint32_t parameter) {
    return &kernel->package->buffers[kernel->arguments[parameter].buffer];
}
/* The parameter that gets argument number i; NO_INDEX: there are less. */
uint32_t device_kernel_parameter(const mpu_kernel *kernel, uint32_t i);

static inline const struct kernel_decl *device_kernel_decl(const mpu_kernel *kernel) {
    return &kernel->object->kernels.data[0];
}
static inline struct dp_program device_kernel_program(const mpu_kernel *kernel) {
    const struct package_kernel *k = &kernel->package->kernels[0];
    return (struct dp_program){device_kernel_decl(kernel), k->code, k->size};
}

#endif
