/* SPDX-License-Identifier: MIT
 * Micro-ops of a list, each written relative to a position. */
#include "recipe/table/parts.h"

#include <string.h>

/* ---- forwarding ---- */

void table_forward_rule_meet(struct forward_rule *rule, uint32_t index, uint16_t section) {
    if (index > 0 && rule->section == section)
        return;
    rule->previous = rule->segment;
    rule->next = rule->segment;
    rule->segment = index;
    rule->section = section;
}

uint32_t table_forward_rule_find(const struct forward_rule *rule, const struct uop *uops,
                                 uint16_t kind) {
    for (uint32_t i = rule->next; i < rule->segment; i++)
        if (uops[i].kind == kind)
            return i;
    return UINT32_MAX;
}

void table_forward_rule_done(struct forward_rule *rule, uint32_t index, uint32_t forwarded) {
    uint32_t from = index - forwarded;
    if (forwarded && from >= rule->previous && from < rule->segment)
        rule->next = from + 1;
}

static uint32_t forward_of(struct forward_rule *rule, const struct uop *uops, uint32_t index) {
    uint32_t distance = uops[index].forwarded;
    table_forward_rule_meet(rule, index, uops[index].section);
    uint32_t found = distance ? table_forward_rule_find(rule, uops, uops[index].kind) : UINT32_MAX;
    table_forward_rule_done(rule, index, distance);
    if (!distance)
        return FORWARD_NOT;
    return found == index - distance ? FORWARD_RULE : FORWARD_FROM + distance;
}

bool table_gives(const struct table_layout *layout, const struct table_entry *entry,
                 const struct table_course *at, const struct table_token *token) {
    struct table_operand operands[TABLE_MAX_OPERANDS];
    if (entry->op != token->entry.op || at->forward != token->forward)
        return false;
    if (plane_target(layout->t)->sections > 1)
        return at->position == token->position &&
               memcmp(token->entry.operands, entry->operands, sizeof entry->operands) == 0;
    memcpy(operands, entry->operands, sizeof operands);
    for (unsigned i = 0; i < plane_target(layout->t)->ops[entry->op].nsrc +
                                 (unsigned)plane_target(layout->t)->ops[entry->op].ndst;
         i++)
        if (!table_operand_at(layout->t, &entry->operands[i], at->position, at->around,
                              &operands[i]))
            return false;
    return memcmp(token->entry.operands, operands, sizeof operands) == 0;
}

/* ---- places ---- */

/* The operand that a register is; of a destination: one that the instruction writes. */
static int role_of(const struct insn *insn, unsigned reg, bool written) {
    static const uint32_t writes[] = {WRITES_RS, WRITES_RT, WRITES_RD};
    static const uint32_t reads[] = {READS_RS, READS_RT, READS_RD};
    const uint8_t regs[] = {insn->rs, insn->rt, insn->rd};
    uint32_t flags = isa_info(insn->op)->flags;
    for (int role = ROLE_OF_RS; role <= ROLE_OF_RD; role++)
        if (reg == regs[role] && (flags & (writes[role] | (written ? 0 : reads[role]))))
            return role;
    return -1;
}

/* The bit of a register among the planes, or -1. */
static int register_bit(const uint32_t *planes, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (PLANE_CLASS(planes[i]) == PLANE_REGISTER)
            return (int)(PLANE_NUMBER(planes[i]) & 63);
    return -1;
}

/* The bit that a micro-op writes, else reads, if it lies in its section; else the bit of the
 * micro-op before if that one's section is the same; else the section's first. */
static int32_t position_of(const struct uop *uop, uint32_t sections, int32_t before) {
    int bit = register_bit(uop->dst, uop->ndst);
    if (bit < 0)
        bit = register_bit(uop->src, uop->nsrc);
    if (bit >= 0 && (uint32_t)bit % sections == uop->section)
        return bit;
    return (uint32_t)before % sections == uop->section ? before : uop->section;
}

/* `bit`: where the micro-op works by itself; `position`: what it is written relative to. */
static bool operand_of(const struct insn *insn, const struct uop *uop, uint32_t plane, bool written,
                       int32_t bit, int32_t position, struct table_operand *operand) {
    int number = (int)PLANE_NUMBER(plane), offset = 0, role = 0;
    operand->class = (uint8_t)PLANE_CLASS(plane);
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        role = role_of(insn, (unsigned)number >> 6, written);
        offset = (number & 63) - position;
        number = role;
        break;
    case PLANE_SCRATCH:
    case PLANE_BUFFER:
        offset = (int)PLANE_SECTION(plane) - uop->section;
        break;
    case PLANE_NONE:
        return false;
    default:
        offset = operand->class == PLANE_CONST && number == CONSTANT_BIT ? bit - position : 0;
        break;
    }
    operand->offset = (int8_t)offset;
    operand->number = (uint16_t)number;
    return role >= 0 && offset >= -63 && offset <= 63;
}

/* Whether a predicate of the unmasked form or anything else stands in its way. */
static bool is_plain(const struct target *target, const struct uop *uop) {
    return uop->kind < plane_target(target)->op_count &&
           uop->nsrc == plane_target(target)->ops[uop->kind].nsrc &&
           uop->ndst == plane_target(target)->ops[uop->kind].ndst &&
           uop->section < plane_target(target)->sections && plane_target(target)->sections <= 64;
}

static bool token_of(const struct table_layout *layout, const struct insn *insn,
                     const struct uop *uop, int32_t bit, struct table_token *token) {
    bool fine = is_plain(layout->t, uop);
    memset(token, 0, sizeof *token);
    if (!fine)
        return false;
    const struct target_op *op = &plane_target(layout->t)->ops[uop->kind];
    token->position = plane_target(layout->t)->sections == 1 ? 0 : bit;
    token->entry.op = (uint8_t)uop->kind;
    for (unsigned i = 0; i < uop->nsrc; i++)
        fine &= operand_of(insn, uop, uop->src[i], false, bit, token->position,
                           &token->entry.operands[i]);
    for (unsigned i = 0; i < uop->ndst; i++)
        fine &= operand_of(insn, uop, uop->dst[i], true, bit, token->position,
                           &token->entry.operands[uop->nsrc + i]);
    /* A place that is replaced is named as what is written. */
    for (unsigned i = 0; i < uop->ndst; i++)
        if (op->tied[i])
            token->entry.operands[op->tied[i] - 1] = token->entry.operands[uop->nsrc + i];
    return fine && table_entry_words(layout, &token->entry);
}

bool table_tokens(const struct table_layout *layout, const struct insn *insn,
                  const struct uop_list *uops, struct table_token *out) {
    struct forward_rule rule = {0};
    int32_t bit = 0;
    for (size_t i = 0; i < uops->len; i++) {
        bit = position_of(&uops->data[i], plane_target(layout->t)->sections, bit);
        if (!token_of(layout, insn, &uops->data[i], bit, &out[i]))
            return false;
        out[i].forward = forward_of(&rule, uops->data, (uint32_t)i);
    }
    return true;
}
