/* SPDX-License-Identifier: MIT
 * Instructions inline. */
#include "ezpim/ez/lower.h"

static uint32_t bare_register(struct lowering *lowering, uint32_t r, struct span at) {
    static const struct lane_type whole = {TYPE_UINT, 64};
    if (lowering->bare[r] == IR_NONE) {
        lowering->bare[r] =
            ir_vreg(lowering->b.code, whole, arena_printf(lowering->b.p->arena, "r%u", r), at);
        lowering->b.code->vregs.data[lowering->bare[r]].fixed = (int8_t)r;
        lowering->b.code->vregs.data[lowering->bare[r]].home = 0;
    }
    return lowering->bare[r];
}

static uint32_t operand_register(struct lowering *lowering, const struct expr *expr) {
    uint32_t bare = expr->kind == EXPR_NAME ? ez_bare_register(expr->name.text) : IR_NONE;
    return bare != IR_NONE ? bare_register(lowering, bare, expr->at)
                           : ez_lower_element(lowering, expr->symbol, expr->element);
}

static bool writes_in_part(const struct lowering *lowering, const struct isa_info *info,
                           const struct ir_insn *insn) {
    const uint32_t fields[] = {insn->a, insn->b, insn->dst};
    for (unsigned k = 0; k < 3; k++)
        if ((info->flags & ((uint32_t)WRITES_RS << k)) &&
            lowering->b.code->vregs.data[fields[k]].type.bits > insn->width)
            return true;
    return false;
}

void ez_lower_insn(struct lowering *lowering, const struct stmt *stmt) {
    const struct isa_info *info = isa_info(stmt->machine);
    struct ir_insn i = {.op = IR_MACHINE,
                        .machine = (uint16_t)stmt->machine,
                        .width = stmt->machine_width,
                        .kept = stmt->as_written,
                        .type = {TYPE_UINT, stmt->machine_width},
                        .a = IR_NONE,
                        .b = IR_NONE,
                        .c = IR_NONE,
                        .dst = IR_NONE,
                        .at = stmt->at};
    for (unsigned k = 0; k < info->operand_count; k++) {
        const struct expr *e = stmt->operands[k];
        switch ((enum operand_role)info->operands[k]) {
        case ROLE_RS:
            i.a = operand_register(lowering, e);
            break;
        case ROLE_RT:
            i.b = operand_register(lowering, e);
            break;
        case ROLE_RD:
            i.dst = operand_register(lowering, e);
            break;
        case ROLE_COND:
            break;
        default:
            i.imm = (uint64_t)(int64_t)e->value;
            break;
        }
    }
    i.partial = writes_in_part(lowering, info, &i);
    ez_lower_put(lowering, i);
}
