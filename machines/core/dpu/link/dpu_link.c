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

static const struct machine_format formats[DPU_FORMATS + 1] = {
    [DPU_FORMAT_TEXT] = {.name = "text", .columns = MACHINE_NO_COLUMNS, .heading = ""},
    [DPU_FORMAT_CSV] = {.name = "csv",
                        .columns = MACHINE_INSN_COLUMNS,
                        .heading = "tasklet,cycle,pc,instruction"},
    [DPU_FORMATS] = {.name = NULL},
};

const struct machine dpu_machine = {
    .kind = &dpu_target_kind,
    .own = &dpu_stored,
    .open = stored_open,
    .close = stored_close,
    .hash = stored_hash,
    .has = dpu_has,
    .why_not = dpu_why_not,
    .has_room = dpu_has_room,
    .lanes = dpu_lanes,
    .memory = stored_memory,
    .code_version = 3,
    .build = dpu_build,
    .write = dpu_code_write,
    .read = dpu_code_read,
    .ready = machine_code_serves,
    .free = dpu_code_free,
    .print = dpu_code_print,
    .load = dpu_code_load,
    .forms = dpu_forms,
    .formats = formats,
};
