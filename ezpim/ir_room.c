/* SPDX-License-Identifier: MIT
 * The operations of all bodies are looked at as they were lowered, each kind once; a body with one
 * that leaves too little is made up to its instructions, since passes may leave the operation out
 * or make it narrower.  What is left of the targets only grows smaller. */
#include "ezpim/ir_room.h"
#include "ezpim/code.h"
#include "ezpim/rows.h"

#include <stdlib.h>
#include <string.h>

/* A body of so many operations is not made only to be looked at. */
enum { LONG_BODY = 20000 };

struct room_finder {
    int level;
    uint32_t taken, targets;
    uint64_t seen[IR_OPERATION_COUNT]; /* bit w - 1: with w bits it leaves enough */
};

/* What the body's instructions leave. */
static void take_code(struct room_finder *finder, const struct code *code) {
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct code_insn *x = &code->insns.data[i];
        if (x->kind == CODE_INSN && isa_info((enum mpu_op)x->op)->flags & ISA_VECTOR)
            finder->targets &= rows_targets_beside((enum mpu_op)x->op, x->width, finder->taken);
    }
}

/* Passes change instructions and virtual registers, and nothing else of a body. */
static struct ir_code copy_of(const struct ir_code *body) {
    struct ir_code ir = *body;
    ir.insns.data = xcalloc(body->insns.cap + 1, sizeof *ir.insns.data);
    ir.vregs.data = xcalloc(body->vregs.cap + 1, sizeof *ir.vregs.data);
    memcpy(ir.insns.data, body->insns.data, body->insns.len * sizeof *ir.insns.data);
    memcpy(ir.vregs.data, body->vregs.data, body->vregs.len * sizeof *ir.vregs.data);
    return ir;
}

static void take_body(struct room_finder *finder, const struct ir_code *body) {
    struct ir_code ir = copy_of(body);
    struct code code = {0};
    ir_optimize(&ir, finder->level, IR_REACH_ALL);
    code_select(&ir, &code);
    take_code(finder, &code);
    code_free(&code);
    vec_free(&ir.insns);
    vec_free(&ir.vregs);
}

/* True if the operation would leave less than what is left of the targets needs. */
static bool looks_too_large(struct room_finder *finder, const struct ir_insn *insn) {
    unsigned bits = insn->type.bits;
    if (insn->op >= IR_OPERATION_COUNT || !bits || finder->seen[insn->op] >> (bits - 1) & 1)
        return false;
    uint32_t left =
        rows_targets_beside(ir_op_machine((enum ir_op)insn->op, insn->type), bits, finder->taken);
    bool enough = (left & finder->targets) == finder->targets;
    finder->seen[insn->op] |= (uint64_t)enough << (bits - 1);
    return !enough;
}

static void look_at_body(struct room_finder *finder, const struct ir_code *body) {
    bool large = false;
    if (body->calls.len || body->insns.len > LONG_BODY)
        return;
    for (size_t i = 0; i < body->insns.len && !large; i++)
        large = looks_too_large(finder, &body->insns.data[i]);
    if (large)
        take_body(finder, body);
}

static void look_at_nodes(struct room_finder *finder, const struct ir_node *node) {
    for (; node && finder->targets; node = node->next) {
        if (node->code)
            look_at_body(finder, node->code);
        look_at_nodes(finder, node->body);
        look_at_nodes(finder, node->otherwise);
    }
}

uint32_t ir_room_targets(const struct ir_program *program, int level, uint32_t taken) {
    struct room_finder f = {.level = level, .taken = taken, .targets = rows_targets(taken)};
    for (size_t i = 0; i < program->images.len; i++)
        look_at_nodes(&f, program->images.data[i].nodes);
    return f.targets;
}
