/* SPDX-License-Identifier: MIT
 * Kernels of form "pluto" (docs/pluto.md): row commands on rows that buffers fill and are filled
 * from. */
#ifndef MACHINES_SLOT_LINK_ROW_KERNEL_H
#define MACHINES_SLOT_LINK_ROW_KERNEL_H

#include "machines/slot/link/link.h"

extern const struct machine_form slot_row_form;

/* What a package holds of one, read back and checked. */
enum { SLOT_KERNEL_PARAMETERS = 64 };
struct slot_kernel {
    unsigned slot;
    uint32_t parameter_count;
    struct {
        uint8_t reg, bytes, bits; /* its row; of an element */
        uint8_t is_signed;        /* what an element has above its bits is its sign */
    } parameters[SLOT_KERNEL_PARAMETERS];
    struct row_program program;
    struct row_pool pool;
    struct row_needs use; /* rows of parameters that it reads first, and that it writes */
};
/* NULL, or what is wrong with it on rows of row_bits; to be freed in any case. */
const char *slot_kernel_read(const void *code, size_t size, uint32_t row_bits,
                             struct slot_kernel *out);
void slot_kernel_free(struct slot_kernel *kernel);
/* What is left for master copies of its tables: rows beside its own and those of a program; it
 * works in all pairs. */
struct slot_room slot_kernel_room(const struct target *target, const struct slot_kernel *kernel);
static inline unsigned slot_kernel_row(const struct slot_kernel *kernel, uint32_t parameter) {
    return ROW_TEXT_REGISTER - ROW_SCRATCH + kernel->parameters[parameter].reg;
}

/* False, with what is wrong appended: match logic does not compare such fields. */
bool slot_compares(const struct target *target, const struct row_program *program,
                   struct str *problem);

#endif
