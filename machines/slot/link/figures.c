/* SPDX-License-Identifier: MIT
 * mpu-recipe count and expand: what one instruction comes to. */
#include "machines/slot/link/link.h"

#include "support/bits.h"

#include <string.h>

static const struct row_library *rows_of(const struct machine_library *l) {
    return ((const struct slot_library *)(const void *)l)->rows;
}

/* Registers of a kin: as wide as the instruction, and one that fills the slot. */
static void registers(const struct insn *insn, unsigned slot, uint8_t reg_bits[64]) {
    unsigned width = insn->width ? insn->width : 1;
    memset(reg_bits, 0, 64);
    reg_bits[insn->rs] = reg_bits[insn->rt] = reg_bits[insn->rd] = (uint8_t)width;
    if (slot_width(reg_bits) != slot)
        reg_bits[63] = (uint8_t)slot;
}

static void add_up(const struct target *t, const struct row_program *program,
                   struct machine_figures *out) {
    const struct slot_step alone = {t, 1};
    struct row_cursor cursor = row_cursor(program);
    struct row_command command;
    struct slot_cost all = {0};
    for (; row_next(&cursor, &command); out->commands++) {
        struct slot_cost one = slot_price(&alone, command.kind, command.count);
        slot_cost_add(&all, &one, 1);
    }
    out->time_ps = all.ps;
    out->energy_fj = slot_cost_fj(&all);
    out->words = program->words.len;
    out->scratch = program->scratch;
}

bool slot_figures(const struct machine_library *l, const struct insn *insn, unsigned slot,
                  bool masked, struct machine_figures *out, struct str *text, struct str *problem) {
    const char *origin = row_library_origin(rows_of(l), insn->op);
    uint8_t reg_bits[64];
    registers(insn, slot, reg_bits);
    struct row_wanted wanted = slot_wanted(l->target, insn, slot_width(reg_bits), reg_bits, masked);
    struct row_pool pool = {.slot = wanted.slot};
    struct row_program program;
    *out = (struct machine_figures){.origin = origin ? origin : "built in"};
    if (!row_program_for(rows_of(l), insn, &wanted, &pool, &program, problem)) {
        row_pool_free(&pool);
        return false;
    }
    add_up(l->target, &program, out);
    if (text)
        row_program_text(&program, &pool, insn, text);
    row_program_free(&program);
    row_pool_free(&pool);
    return true;
}

void slot_routine(const struct machine_library *l, enum isa_op op, struct str *out) {
    row_library_text(rows_of(l), op, out);
}
