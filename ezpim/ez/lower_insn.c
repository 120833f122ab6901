/* SPDX-License-Identifier: MIT
 * Instructions inline. */
#include "ezpim/ez/lower.h"

static uint32_t bare_register(struct lowering *l, uint32_t r, struct span at) {
    static const struct mpu_type whole = {TYPE_UINT, 64};
    if (l->bare[r] == IR_NONE) {
        l->bare[r] = ir_vreg(l->b.code, whole, arena_printf(l->b.p->arena, "r%u", r), at);
        l->b.code->vregs.data[l->bare[r]].fixed = (int8_t)r;
        l->b.code->vregs.data[l->bare[r]].home = 0;
    }
    return l->bare[r];
}

static uint32_t operand_register(struct lowering *l, const struct expr *e) {
    uint32_t bare = e->kind == EXPR_NAME ? ez_bare_register(e->name.text) : IR_NONE;
    return bare != IR_NONE ? bare_register(l, bare, e->at)
                           : ez_lower_element(l, e->symbol, e->element);
}

static bool writes_in_part(const struct lowering *l, const struct isa_info *info,
                           const struct ir_insn *i) {
    const uint32_t fields[] = {i->a, i->b, i->dst};
    for (unsigned k = 0; k < 3; k++)
        if ((info->flags & ((uint32_t)WRITES_RS << k)) &&
            l->b.code->vregs.data[fields[k]].type.bits > i->width)
            return true;
    return false;
}

void ez_lower_insn(struct lowering *l, const struct stmt *s) {
    const struct isa_info *info = isa_info(s->machine);
    struct ir_insn i = {.op = IR_MACHINE,
                        .machine = (uint16_t)s->machine,
                        .width = s->machine_width,
                        .kept = s->as_written,
                        .type = {TYPE_UINT, s->machine_width},
                        .a = IR_NONE,
                        .b = IR_NONE,
                        .c = IR_NONE,
                        .dst = IR_NONE,
                        .at = s->at};
    for (unsigned k = 0; k < info->operand_count; k++) {
        const struct expr *e = s->operands[k];
        switch ((enum operand_role)info->operands[k]) {
        case ROLE_RS:
            i.a = operand_register(l, e);
            break;
        case ROLE_RT:
            i.b = operand_register(l, e);
            break;
        case ROLE_RD:
            i.dst = operand_register(l, e);
            break;
        case ROLE_COND:
            break;
        default:
            i.imm = (uint64_t)(int64_t)e->value;
            break;
        }
    }
    i.partial = writes_in_part(l, info, &i);
    ez_lower_put(l, i);
}
