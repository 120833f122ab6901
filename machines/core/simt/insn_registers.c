/* SPDX-License-Identifier: MIT
 * Which registers an instruction reads and writes: as the letters of its form say. */
#include "machines/core/simt/live.h"

#include <string.h>

struct list {
    struct simt_register *out;
    uint32_t count;
};

static void add(struct list *l, uint32_t number, enum simt_role role) {
    if (number != PTX_NONE && number != PTX_SINK && l->count < SIMT_MAX_REGISTERS)
        l->out[l->count++] = (struct simt_register){number, role};
}

static void add_operand(struct list *l, const struct ptx_operand *o, enum simt_role role) {
    if (o->kind == PTX_VECTOR) {
        for (uint32_t i = 0; i < o->part_count; i++)
            add_operand(l, &o->parts[i], role);
        return;
    }
    if (o->kind == PTX_REGISTER)
        add(l, o->index, o->address ? SIMT_ADDRESS : role);
    if (role == SIMT_RESULT)
        add(l, o->second, SIMT_RESULT);
}

/* The first operand of these forms is a result; forms.h has the letters. */
static bool has_result(const struct ptx_insn *insn) {
    return insn->form->operands[0] && strchr("dw2xqevt", insn->form->operands[0]);
}

static enum simt_role role_of(const struct ptx_insn *insn, uint32_t operand) {
    const enum ptx_op op = insn->form->op;
    if (op == PTX_OP_CALL)
        return operand < insn->result_count ? SIMT_RESULT : SIMT_SOURCE;
    if (operand == 0 && has_result(insn))
        return SIMT_RESULT;
    return op == PTX_OP_ST || op == PTX_OP_ATOM || op == PTX_OP_RED ? SIMT_DATA : SIMT_SOURCE;
}

uint32_t simt_registers(const struct ptx_insn *insn, struct simt_register out[SIMT_MAX_REGISTERS]) {
    struct list l = {out, 0};
    add(&l, insn->guard, SIMT_GUARD);
    for (uint32_t i = 0; i < insn->operand_count; i++)
        add_operand(&l, &insn->operands[i], role_of(insn, i));
    return l.count;
}

struct renaming {
    struct arena *arena;
    simt_renamed *to;
    void *context;
};

static void rename_operand(const struct renaming *x, struct ptx_operand *o, enum simt_role role) {
    if (o->kind == PTX_VECTOR) {
        struct ptx_operand *parts = ARENA_ARRAY(x->arena, o->part_count + 1, struct ptx_operand);
        memcpy(parts, o->parts, o->part_count * sizeof *parts);
        for (uint32_t i = 0; i < o->part_count; i++)
            rename_operand(x, &parts[i], role);
        o->parts = parts;
        return;
    }
    if (o->kind == PTX_REGISTER) {
        o->index = x->to(x->context, o->index, o->address ? SIMT_ADDRESS : role);
    }
    if (role == SIMT_RESULT && o->second != PTX_NONE && o->second != PTX_SINK)
        o->second = x->to(x->context, o->second, SIMT_RESULT);
}

void simt_rename_registers(struct ptx_insn *insn, struct arena *arena, simt_renamed *to,
                           void *context) {
    const struct renaming x = {arena, to, context};
    struct ptx_operand *operands = ARENA_ARRAY(arena, insn->operand_count + 1, struct ptx_operand);
    memcpy(operands, insn->operands, insn->operand_count * sizeof *operands);
    if (insn->guard != PTX_NONE)
        insn->guard = to(context, insn->guard, SIMT_GUARD);
    for (uint32_t i = 0; i < insn->operand_count; i++)
        rename_operand(&x, &operands[i], role_of(insn, i));
    insn->operands = operands;
}

bool simt_is_memory(const struct ptx_insn *insn) {
    switch (insn->form->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST:
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return true;
    default:
        return false;
    }
}

bool simt_is_control(const struct ptx_insn *insn) {
    switch (insn->form->op) {
    case PTX_OP_BRA:
    case PTX_OP_CALL:
    case PTX_OP_RET:
    case PTX_OP_EXIT:
    case PTX_OP_TRAP:
    case PTX_OP_BAR:
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
    case PTX_OP_NANOSLEEP:
        return true;
    default:
        return false;
    }
}
