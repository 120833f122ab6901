/* SPDX-License-Identifier: MIT
 * UPMEM's machine for the linker and the tools. */
#include "machines/core/dpu/link/dpu_link.h"
#include "machines/core/dpu/dpu.h"

/* ---- instructions, by name; codec and text are those of machines/core/dpu ---- */

static const struct stored_op ops[DPU_OPS + 1] = {
#define X(op, class)      [DPU_OP_##op] = {#op, ""},
#define HIDDEN(op, class) [DPU_OP_##op] = {#op, ""},
#include "machines/core/dpu/ops.def"
#undef X
#undef HIDDEN
    [DPU_OPS] = {"none", ""},
};
static const struct stored_field fields[] = {{.letter = 0}};
static const char *const routines[OP_COUNT] = {[OP_COUNT - 1] = NULL};

const struct stored_kind dpu_stored = {
    .machine = &dpu_machine,
    .isa = {.ops = ops,
            .op_count = DPU_OPS + 1,
            .fields = fields,
            .word_bits = DPU_WORD_BITS,
            .word_bytes = 8,
            .registers = 1},
    .routines = routines,
    .predicate = "",
    .form = "dpu",
    .arguments = KERNEL_MAX_PARAMETERS,
    .access_bytes = 1,
};

static void why_not(const struct machine_library *l, enum isa_op op, struct str *out) {
    (void)l, (void)op;
    str_append(out, ": a DPU carries out kernels of form 'dpu', and no instructions of the MPU");
}

static struct machine_code *read_code(const void *bytes, size_t size, const char **problem) {
    return stored_read(&dpu_stored, bytes, size, problem);
}

static const struct machine_format formats[DPU_FORMATS + 1] = {
    [DPU_FORMAT_TEXT] = {.name = "text", .columns = MACHINE_NO_COLUMNS, .heading = ""},
    [DPU_FORMAT_CSV] = {.name = "csv",
                        .columns = MACHINE_INSN_COLUMNS,
                        .heading = "tasklet,cycle,pc,instruction"},
    [DPU_FORMATS] = {.name = NULL},
};

const struct machine dpu_machine = {
    STORED_CODE,       .kind = &dpu_target_kind, .own = &dpu_stored, .why_not = why_not,
    .code_version = 1, .read = read_code,        .forms = dpu_forms, .formats = formats,
};
