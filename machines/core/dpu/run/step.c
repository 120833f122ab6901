/* SPDX-License-Identifier: MIT
 * Instructions made ready, once for each place of IRAM. */
#include "machines/core/dpu/run/tasklets.h"

/* Operands by what they are for. */
struct dpu_found {
    bool a, b, imm, off, cc, pc;
    int64_t values[DPU_ROLES];
    const struct dpu_operand *operands[DPU_ROLES];
};

static void find(const struct dpu_form *f, const struct dpu_insn *insn, struct dpu_found *out) {
    for (uint32_t i = 0; i < f->count; i++) {
        enum dpu_role role = f->operands[i]->role;
        out->values[role] = insn->values[i];
        out->operands[role] = f->operands[i];
    }
    out->a = out->operands[DPU_A];
    out->b = out->operands[DPU_B];
    out->imm = out->operands[DPU_IMM];
    out->off = out->operands[DPU_OFF];
    out->cc = out->operands[DPU_CC];
    out->pc = out->operands[DPU_PC];
}
static bool is_store(enum dpu_op op) {
    return dpu_op_class(op) == DPU_STORE;
}
static void take_condition(const struct dpu_found *f, struct dpu_step *s) {
    s->after = DPU_AFTER_WRITE;
    if (!f->cc)
        return;
    s->ask = (uint8_t)dpu_cc_ask(f->operands[DPU_CC]->cc, (uint32_t)f->values[DPU_CC]);
    if (f->pc)
        s->after = DPU_AFTER_JUMP;
    else if (s->ask != DPU_ASK_FALSE)
        s->after = DPU_AFTER_SET;
    s->pc = (uint16_t)f->values[DPU_PC];
}
static bool is_quiet(enum dpu_op op) {
    switch (dpu_op_class(op)) {
    case DPU_ARITHMETIC:
    case DPU_LOGIC:
    case DPU_SHIFT:
    case DPU_COUNT:
    case DPU_EXTEND:
    case DPU_MULTIPLY:
    case DPU_STEP:
    case DPU_PAIR:
    case DPU_JUMP:
        return dpu_op_known(op);
    default:
        return op == DPU_OP_NOP;
    }
}
struct dpu_step dpu_step_of(uint64_t word) {
    struct dpu_insn insn;
    struct dpu_form form;
    struct dpu_found f = {0};
    struct dpu_step s = {
        .ahead = dpu_ahead_stop, .op = DPU_OPS, .c = DPU_NOWHERE, .a = 24, .b = 24};
    if (!dpu_decode(word, false, &insn))
        return s;
    dpu_form_get(insn.form, &form);
    find(&form, &insn, &f);
    s.op = (uint8_t)form.op;
    s.wide = form.wide & 3;
    s.big = f.values[DPU_ENDIAN] != 0;
    if (f.operands[DPU_C] && f.operands[DPU_C]->kind != DPU_ZERO)
        s.c = (uint8_t)f.values[DPU_C];
    if (f.a)
        s.a = (uint8_t)f.values[DPU_A];
    if (f.b && (f.a || !f.imm))
        s.b = (uint8_t)f.values[DPU_B];
    else if (f.b) /* a register and a number, and the field of the register is b */
        s.a = (uint8_t)f.values[DPU_B];
    s.imm = (uint32_t)f.values[f.off ? DPU_OFF : DPU_IMM];
    if (is_store(form.op))
        s.value = (uint32_t)f.values[DPU_IMM];
    take_condition(&f, &s);
    s.quiet = is_quiet(form.op);
    s.ahead = dpu_ahead_of(&s);
    return s;
}
