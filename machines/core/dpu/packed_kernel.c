/* SPDX-License-Identifier: MIT
 * Kernels in packages: 4 bytes of magic, numbers of 4 bytes, the program's file. */
#include "machines/core/dpu/packed_kernel.h"
#include "object/bytes.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static const char magic[4] = {'D', 'P', 'U', 'K'};
#define HEAD      16u /* magic, count, unit_at, units_at */
#define PARAMETER 12u

void dpu_kernel_write(const struct dpu_kernel *kernel, const struct dpu_program *program,
                      struct str *out) {
    if (kernel->staged)
        dpu_stage_plan_write(&kernel->plan, out);
    str_append_n(out, magic, sizeof magic);
    put_u32(out, kernel->count);
    put_u32(out, kernel->unit_at);
    put_u32(out, kernel->units_at);
    for (uint32_t i = 0; i < kernel->count; i++) {
        put_u32(out, kernel->parameters[i].own);
        put_u32(out, kernel->parameters[i].at);
        put_u32(out, kernel->parameters[i].bytes);
    }
    dpu_program_write(program, out);
}

bool dpu_kernel_read(const void *bytes, size_t size, struct dpu_kernel *out) {
    const unsigned char *at = bytes;
    *out = (struct dpu_kernel){.count = 0};
    size_t plan = dpu_stage_plan_read(bytes, size, &out->plan);
    out->staged = plan != 0;
    at += plan;
    size -= plan;
    if (size < HEAD || memcmp(at, magic, sizeof magic) != 0) {
        dpu_kernel_free(out);
        return false;
    }
    uint32_t count = get_u32(at + 4);
    if (count > (size - HEAD) / PARAMETER) {
        dpu_kernel_free(out);
        return false;
    }
    out->parameters = xcalloc((size_t)count + 1, sizeof *out->parameters);
    out->count = count;
    out->unit_at = get_u32(at + 8);
    out->units_at = get_u32(at + 12);
    at += HEAD;
    for (uint32_t i = 0; i < count; i++, at += PARAMETER)
        out->parameters[i] =
            (struct dpu_parameter){get_u32(at) != 0, get_u32(at + 4), get_u32(at + 8)};
    out->file = at;
    out->size = size - HEAD - (size_t)count * PARAMETER;
    return true;
}

void dpu_kernel_free(struct dpu_kernel *kernel) {
    free(kernel->parameters);
    dpu_stage_plan_free(&kernel->plan);
    *kernel = (struct dpu_kernel){.count = 0};
}
