/* SPDX-License-Identifier: MIT
 * The top level: instructions between ensembles. */
#include "emu/control/state.h"

static bool misplaced(struct control *c, const struct insn *x) {
    struct stop_place at = STOP_AT(c->top.pc);
    if (x->op == OP_COUNT)
        return control_stop(c, CONTROL_STOPPED, at, "illegal instruction");
    if (x->op == OP_SEND_DONE)
        return control_stop(c, CONTROL_STOPPED, at, "SEND_DONE without a SEND");
    bool transfer = isa_info(x->op)->format == FORMAT_M || x->op == OP_LANE;
    const char *kind = transfer ? "transfer" : "compute";
    return control_stop(c, CONTROL_STOPPED, at, "%s outside of a %s ensemble",
                        isa_info(x->op)->name, kind);
}

/* Calls, loops, GOTO and NOP at top level. */
static bool plain_step(struct control *c, const struct insn *x) {
    uint32_t pc = c->top.pc;
    const char *why = NULL;
    if (!control_flow_step(&c->top, &c->text, x, &why))
        return misplaced(c, x);
    if (why)
        return control_stop(c, CONTROL_STOPPED, STOP_AT(pc), "%s", why);
    control_account_top(c, pc);
    return true;
}

/* What a step that went well or stopped the program means. */
static enum top_result result(bool fine) {
    return fine ? TOP_ON : TOP_STOPPED;
}

enum top_result control_top_step(struct control *c) {
    const struct insn *x = &c->text.insns[c->top.pc];
    if (control_order_begins(c))
        return result(control_order_stretch(c));
    switch (x->op) {
    case OP_COMPUTE:
    case OP_COMPUTEG:
        return result(control_compute_ensemble(c));
    case OP_MOVE:
        return result(control_transfer_ensemble(c));
    case OP_SEND:
        return result(control_send_step(c));
    case OP_RECV:
        return result(control_recv_step(c));
    case OP_GMOVE:
        return result(control_gmove_step(c));
    case OP_JUMP_ANY:
        c->now->state = STREAM_AT_ANY;
        return TOP_ON;
    case OP_HALT:
        control_account_top(c, c->top.pc);
        return TOP_ENDED;
    case OP_MARK:
        c->region = control_account_region(c, (uint32_t)x->imm);
        control_account_top(c, c->top.pc++);
        return TOP_ON;
    case OP_MPU_SYNC:
        control_account_top(c, c->top.pc++);
        return TOP_ON;
    default:
        return result(plain_step(c, x));
    }
}
