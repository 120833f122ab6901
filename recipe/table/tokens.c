/* SPDX-License-Identifier: MIT
 * Micro-ops of a list, each written relative to a position. */
#include "recipe/table/parts.h"

#include <string.h>

/* ---- forwarding ---- */

void table_forward_rule_meet(struct forward_rule *f, uint32_t i, uint16_t section) {
    if (i > 0 && f->section == section)
        return;
    f->previous = f->segment;
    f->next = f->segment;
    f->segment = i;
    f->section = section;
}

uint32_t table_forward_rule_find(const struct forward_rule *f, const struct uop *uops,
                                 uint16_t kind) {
    for (uint32_t i = f->next; i < f->segment; i++)
        if (uops[i].kind == kind)
            return i;
    return UINT32_MAX;
}

void table_forward_rule_done(struct forward_rule *f, uint32_t i, uint32_t forwarded) {
    uint32_t from = i - forwarded;
    if (forwarded && from >= f->previous && from < f->segment)
        f->next = from + 1;
}

static uint32_t forward_of(struct forward_rule *f, const struct uop *uops, uint32_t i) {
    uint32_t distance = uops[i].forwarded;
    table_forward_rule_meet(f, i, uops[i].section);
    uint32_t found = distance ? table_forward_rule_find(f, uops, uops[i].kind) : UINT32_MAX;
    table_forward_rule_done(f, i, distance);
    if (!distance)
        return FORWARD_NOT;
    return found == i - distance ? FORWARD_RULE : FORWARD_FROM + distance;
}

bool table_gives(const struct table_layout *l, const struct table_entry *e,
                 const struct table_course *at, const struct table_token *t) {
    struct table_operand operands[TABLE_MAX_OPERANDS];
    if (e->op != t->entry.op || at->forward != t->forward)
        return false;
    if (plane_target(l->t)->sections > 1)
        return at->position == t->position &&
               memcmp(t->entry.operands, e->operands, sizeof e->operands) == 0;
    memcpy(operands, e->operands, sizeof operands);
    for (unsigned i = 0;
         i < plane_target(l->t)->ops[e->op].nsrc + (unsigned)plane_target(l->t)->ops[e->op].ndst;
         i++)
        if (!table_operand_at(l->t, &e->operands[i], at->position, at->around, &operands[i]))
            return false;
    return memcmp(t->entry.operands, operands, sizeof operands) == 0;
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
static int32_t position_of(const struct uop *u, uint32_t sections, int32_t before) {
    int bit = register_bit(u->dst, u->ndst);
    if (bit < 0)
        bit = register_bit(u->src, u->nsrc);
    if (bit >= 0 && (uint32_t)bit % sections == u->section)
        return bit;
    return (uint32_t)before % sections == u->section ? before : u->section;
}

/* `bit`: where the micro-op works by itself; `position`: what it is written relative to. */
static bool operand_of(const struct insn *insn, const struct uop *u, uint32_t plane, bool written,
                       int32_t bit, int32_t position, struct table_operand *o) {
    int number = (int)PLANE_NUMBER(plane), offset = 0, role = 0;
    o->class = (uint8_t)PLANE_CLASS(plane);
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        role = role_of(insn, (unsigned)number >> 6, written);
        offset = (number & 63) - position;
        number = role;
        break;
    case PLANE_SCRATCH:
    case PLANE_BUFFER:
        offset = (int)PLANE_SECTION(plane) - u->section;
        break;
    case PLANE_NONE:
        return false;
    default:
        offset = o->class == PLANE_CONST && number == CONSTANT_BIT ? bit - position : 0;
        break;
    }
    o->offset = (int8_t)offset;
    o->number = (uint16_t)number;
    return role >= 0 && offset >= -63 && offset <= 63;
}

/* Whether a predicate of the unmasked form, repetition or anything else stands in its way. */
static bool is_plain(const struct target *t, const struct uop *u) {
    return u->kind < plane_target(t)->op_count && u->nsrc == plane_target(t)->ops[u->kind].nsrc &&
           u->ndst == plane_target(t)->ops[u->kind].ndst && u->count == 1 &&
           u->section < plane_target(t)->sections && plane_target(t)->sections <= 64;
}

static bool token_of(const struct table_layout *l, const struct insn *insn, const struct uop *u,
                     int32_t bit, struct table_token *k) {
    bool fine = is_plain(l->t, u);
    memset(k, 0, sizeof *k);
    if (!fine)
        return false;
    const struct target_op *op = &plane_target(l->t)->ops[u->kind];
    k->position = plane_target(l->t)->sections == 1 ? 0 : bit;
    k->entry.op = (uint8_t)u->kind;
    for (unsigned i = 0; i < u->nsrc; i++)
        fine &= operand_of(insn, u, u->src[i], false, bit, k->position, &k->entry.operands[i]);
    for (unsigned i = 0; i < u->ndst; i++)
        fine &=
            operand_of(insn, u, u->dst[i], true, bit, k->position, &k->entry.operands[u->nsrc + i]);
    /* A place that is replaced is named as what is written. */
    for (unsigned i = 0; i < u->ndst; i++)
        if (op->tied[i])
            k->entry.operands[op->tied[i] - 1] = k->entry.operands[u->nsrc + i];
    return fine && table_entry_words(l, &k->entry);
}

bool table_tokens(const struct table_layout *l, const struct insn *insn,
                  const struct uop_list *uops, struct table_token *out) {
    struct forward_rule rule = {0};
    int32_t bit = 0;
    for (size_t i = 0; i < uops->len; i++) {
        bit = position_of(&uops->data[i], plane_target(l->t)->sections, bit);
        if (!token_of(l, insn, &uops->data[i], bit, &out[i]))
            return false;
        out[i].forward = forward_of(&rule, uops->data, (uint32_t)i);
    }
    return true;
}
