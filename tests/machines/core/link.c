/* SPDX-License-Identifier: MIT
 * The link half: keys of target files, the table of instructions, kernels. */
#include "core.h"

/* ---- keys ---- */

#define KEY(name, field, most, help) STORED_KEY(name, struct core_keys, field, most, help)
static const struct target_key_spec keys[] = {
    {"core", KEY_BLOCK, NEED_ALL, 0, 0, 0, -1, NULL, "one core"},
    KEY("core.memory_bytes", stored.memory_bytes, UINT64_C(1) << 32,
        "memory that holds the registers of its lanes, bytes"),
    KEY("core.buffer_bytes", stored.buffer_bytes, UINT64_C(1) << 40,
        "memory that holds its slices of buffers, bytes"),
    KEY("core.access_cycles", access_cycles, 1000, "load or store in the core, cycles"),
    KEY("core.port_cycles", port_cycles, 1000,
        "and at the port that the cores of an RFH share, cycles"),
    KEY("core.branch_cycles", branch_cycles, 1000, "branch that is taken, cycles"),
    KEY("energy.alu_fj", alu_fj, MAX_FJ, "instruction, fJ"),
    KEY("energy.access_fj", access_fj, MAX_FJ, "load or store, fJ"),
    KEY("core.watchdog", stored.watchdog, UINT64_C(1) << 40,
        "instructions after which a routine or a kernel is stopped"),
};

const struct target_kind core_kind = {.name = "toy-core",
                                      .costs = true,
                                      .measured = true,
                                      .keys = keys,
                                      .key_count = sizeof keys / sizeof *keys,
                                      .own_size = sizeof(struct core_keys)};

/* ---- instructions ---- */

static const struct stored_op ops[CORE_OPS] = {
    [CORE_END] = {"end", ""},     [CORE_LD] = {"ld", "dp"},    [CORE_ST] = {"st", "ap"},
    [CORE_LI] = {"li", "di"},     [CORE_ADD] = {"add", "dab"}, [CORE_SUB] = {"sub", "dab"},
    [CORE_AND] = {"and", "dab"},  [CORE_OR] = {"or", "dab"},   [CORE_XOR] = {"xor", "dab"},
    [CORE_SHL] = {"shl", "dab"},  [CORE_SHR] = {"shr", "dab"}, [CORE_SAR] = {"sar", "dab"},
    [CORE_LTU] = {"ltu", "dab"},  [CORE_LTS] = {"lts", "dab"}, [CORE_BEQZ] = {"beqz", "at"},
    [CORE_BNEZ] = {"bnez", "at"},
};
static const struct stored_field fields[] = {
    {'d', STORED_REGISTER, 24, 4},
    {'a', STORED_REGISTER, 20, 4},
    {'b', STORED_REGISTER, 16, 4},
    {'i', STORED_NUMBER, 0, 16},
    {'t', STORED_TARGET, 0, 16},
    {'p', STORED_PLACE, 0, 15},
    {.letter = 0},
};

const struct stored_kind core_stored = {
    .machine = &core_machine,
    .isa = {.ops = ops, .op_count = CORE_OPS, .op_low = 28, .fields = fields, .address = 'b'},
    .routines = core_routines,
    .predicate = "ld x15 M; bnez x15 on; end; on: ",
    .form = "core",
    .arguments = 13, /* x14 and x15 are the workers' */
    .access_bytes = 8,
};

/* ---- tables ---- */

static const char *const suffixes[] = {".core", NULL};
const struct machine_form core_form = {
    STORED_FORM,          .name = "core",
    .whole = true,        .takes = TAKES_GRID | TAKES_BLOCK | TAKES_UNITS,
    .suffixes = suffixes, .text_suffix = ".core"};

static struct machine_code *read_code(const void *bytes, size_t size, const char **problem) {
    return stored_read(&core_stored, bytes, size, problem);
}

const struct machine core_machine = {STORED_MACHINE,    .kind = &core_kind, .own = &core_stored,
                                     .code_version = 1, .read = read_code,  .forms = core_forms};
