/* SPDX-License-Identifier: MIT
 * The top level: instructions between ensembles. */
#include "emu/control/state.h"

static bool misplaced(struct control *control, const struct insn *insn) {
    struct stop_place at = STOP_AT(control->top.pc);
    if (insn->op == OP_COUNT)
        return control_stop(control, CONTROL_STOPPED, at, "illegal instruction");
    if (insn->op == OP_SEND_DONE)
        return control_stop(control, CONTROL_STOPPED, at, "SEND_DONE without a SEND");
    bool transfer = isa_info(insn->op)->format == FORMAT_M || insn->op == OP_LANE;
    const char *kind = transfer ? "transfer" : "compute";
    return control_stop(control, CONTROL_STOPPED, at, "%s outside of a %s ensemble",
                        isa_info(insn->op)->name, kind);
}

/* Calls, loops, GOTO and NOP at top level. */
static bool plain_step(struct control *control, const struct insn *insn) {
    uint32_t pc = control->top.pc;
    const char *why = NULL;
    if (!control_flow_step(&control->top, &control->text, insn, &why))
        return misplaced(control, insn);
    if (why)
        return control_stop(control, CONTROL_STOPPED, STOP_AT(pc), "%s", why);
    control_account_top(control, pc);
    return true;
}

/* What a step that went well or stopped the program means. */
static enum top_result result(bool fine) {
    return fine ? TOP_ON : TOP_STOPPED;
}

enum top_result control_top_step(struct control *control) {
    const struct insn *x = &control->text.insns[control->top.pc];
    if (control_order_begins(control))
        return result(control_order_stretch(control));
    switch (x->op) {
    case OP_COMPUTE:
    case OP_COMPUTEG:
        return result(control_compute_ensemble(control));
    case OP_MOVE:
        return result(control_transfer_ensemble(control));
    case OP_SEND:
        return result(control_send_step(control));
    case OP_RECV:
        return result(control_recv_step(control));
    case OP_GMOVE:
        return result(control_gmove_step(control));
    case OP_RECIPE:
        return result(control_launch_begin(control));
    case OP_JUMP_ANY:
        control->now->state = STREAM_AT_ANY;
        return TOP_ON;
    case OP_HALT:
        control_account_top(control, control->top.pc);
        return TOP_ENDED;
    case OP_MARK:
        control->region = control_account_region(control, (uint32_t)x->imm);
        control_account_top(control, control->top.pc++);
        return TOP_ON;
    case OP_MPU_SYNC:
        control_account_top(control, control->top.pc++);
        return TOP_ON;
    default:
        return result(plain_step(control, x));
    }
}
