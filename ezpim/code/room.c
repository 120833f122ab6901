/* SPDX-License-Identifier: MIT
 * The operations of all bodies are looked at as they were lowered, each kind once.  A short body
 * with one that leaves less than some target has is made up to its instructions, since passes may
 * leave the operation out or make it narrower; a long one only if nothing would be left.  What is
 * left of the targets only grows smaller. */
#include "ezpim/code/room.h"
#include "ezpim/code/code.h"

#include <stdlib.h>
#include <string.h>

/* Bodies of more operations are long; those of very many are not made only to be looked at. */
enum { SHORT_BODY = 128, LONG_BODY = 20000 };

struct room_finder {
    int level;
    bool products;
    const struct rows_use *use;
    uint32_t targets, guess; /* targets left; and by the operations as they were lowered */
    uint32_t must;           /* of which none may be missing */
    uint64_t seen[IR_OPERATION_COUNT], less[IR_OPERATION_COUNT]; /* bit w - 1: with w bits */
};

/* True if these targets are too few. */
static bool too_few(const struct room_finder *finder, uint32_t targets) {
    return !targets || finder->must & ~targets;
}

/* What the body's instructions leave. */
static void take_code(struct room_finder *finder, const struct code *code) {
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct code_insn *x = &code->insns.data[i];
        const struct insn insn = {
            .op = (enum isa_op)x->op, .width = x->width, .imm = (int32_t)x->value};
        if (x->kind == CODE_INSN && isa_info(insn.op)->flags & ISA_VECTOR)
            finder->targets &= rows_targets_beside(&insn, finder->use);
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
    ir_optimize(&ir, finder->level, finder->products, IR_REACH_ALL);
    code_select(&ir, &code);
    take_code(finder, &code);
    code_free(&code);
    vec_free(&ir.insns);
    vec_free(&ir.vregs);
}

/* True if the operation as it was lowered leaves less than some target has. */
static bool leaves_less(struct room_finder *finder, const struct ir_insn *insn) {
    unsigned bits = insn->type.bits;
    if (insn->op >= IR_OPERATION_COUNT || !bits)
        return false;
    uint64_t bit = (uint64_t)1 << (bits - 1);
    if (!(finder->seen[insn->op] & bit)) {
        const struct insn made = {.op = ir_op_machine((enum ir_op)insn->op, insn->type),
                                  .width = (uint8_t)bits};
        uint32_t left = rows_targets_beside(&made, finder->use);
        finder->less[insn->op] |= finder->targets & ~left ? bit : 0;
        finder->guess &= left;
    }
    finder->seen[insn->op] |= bit;
    return finder->less[insn->op] & bit;
}

static void look_at_body(struct room_finder *finder, const struct ir_code *body) {
    bool less = false;
    if (body->calls.len || body->insns.len > LONG_BODY)
        return;
    for (size_t i = 0; i < body->insns.len; i++)
        less |= leaves_less(finder, &body->insns.data[i]);
    if (less && (body->insns.len <= SHORT_BODY || too_few(finder, finder->guess)))
        take_body(finder, body);
}

static void look_at_nodes(struct room_finder *finder, const struct ir_node *node) {
    for (; node && !too_few(finder, finder->targets); node = node->next) {
        if (node->code)
            look_at_body(finder, node->code);
        look_at_nodes(finder, node->body);
        look_at_nodes(finder, node->otherwise);
    }
}

bool code_room_possible(const struct ir_program *program, int level, bool products,
                        const struct rows_use *use, uint32_t targets, uint32_t must) {
    struct room_finder f = {.level = level,
                            .products = products,
                            .use = use,
                            .targets = rows_targets(use) & targets,
                            .must = must};
    f.guess = f.targets;
    for (size_t i = 0; i < program->images.len; i++)
        look_at_nodes(&f, program->images.data[i].nodes);
    return !too_few(&f, f.targets);
}
