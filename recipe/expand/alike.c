/* SPDX-License-Identifier: MIT
 * A list for distinct registers that serves where some of them are the same.
 *
 * alias.c copies a bit of a source that is read when, or after, the register is written through
 * another operand, and leaves out copies of a bit onto itself.  Where a list has neither, what comes
 * after depends on places alone and gives the same list once more: with results merged under a mask
 * that is so of almost all, since registers are written at the end.  Read from the list that is
 * there, it costs one walk in place of an expansion. */
#include "recipe/expand/expand.h"
#include "recipe/expand/kept.h"

#define FIELDS 3

struct register_uses {
    const struct target *target;
    uint8_t registers[FIELDS];
    bool used[FIELDS], written[FIELDS];
    uint32_t overwritten[FIELDS][64]; /* first micro-op that writes it; NO_UOP: none */
    uint32_t last_read[FIELDS][64];   /* 1 + micro-op; 0: none */
};

static void list_fields(const struct insn *insn, struct register_uses *uses) {
    static const uint32_t reads[FIELDS] = {READS_RS, READS_RT, READS_RD},
                          writes[FIELDS] = {WRITES_RS, WRITES_RT, WRITES_RD};
    const uint8_t registers[FIELDS] = {insn->rs, insn->rt, insn->rd};
    uint32_t flags = recipe_info(insn->op)->flags;
    for (unsigned f = 0; f < FIELDS; f++) {
        uses->registers[f] = registers[f];
        uses->used[f] = flags & (reads[f] | writes[f]);
        uses->written[f] = flags & writes[f];
        for (unsigned bit = 0; bit < 64; bit++)
            uses->overwritten[f][bit] = NO_UOP;
    }
}

static bool is_one(const struct register_uses *uses, unsigned a, unsigned b) {
    return a != b && uses->used[a] && uses->used[b] && uses->registers[a] == uses->registers[b];
}

/* The later operand's result alone is to be there in the end. */
static bool results_meet(const struct register_uses *uses) {
    for (unsigned a = 0; a < FIELDS; a++)
        for (unsigned b = 0; b < a; b++)
            if (is_one(uses, a, b) && uses->written[a] && uses->written[b])
                return true;
    return false;
}

/* A bit copied to the same bit of what may be the same register. */
static bool is_identity(const struct register_uses *uses, const struct uop *uop) {
    if (uop->nsrc != 1 || uop->ndst != 1 || PLANE_CLASS(uop->src[0]) != PLANE_REGISTER ||
        PLANE_CLASS(uop->dst[0]) != PLANE_REGISTER)
        return false;
    uint32_t a = PLANE_NUMBER(uop->src[0]), d = PLANE_NUMBER(uop->dst[0]);
    return (a & 63) == (d & 63) && uses->registers[a >> 6] == uses->registers[d >> 6] &&
           plane_op_is_copy(&plane_target(uses->target)->ops[uop->kind]);
}

static void note_uses(struct register_uses *uses, const struct uop *uop, uint32_t index) {
    for (unsigned k = 0; k < uop->nsrc; k++)
        if (PLANE_CLASS(uop->src[k]) == PLANE_REGISTER) {
            uint32_t at = PLANE_NUMBER(uop->src[k]);
            uses->last_read[at >> 6][at & 63] = index + 1;
        }
    for (unsigned k = 0; k < uop->ndst; k++)
        if (PLANE_CLASS(uop->dst[k]) == PLANE_REGISTER) {
            uint32_t at = PLANE_NUMBER(uop->dst[k]), *first = &uses->overwritten[at >> 6][at & 63];
            *first = *first == NO_UOP ? index : *first;
        }
}

/* Is a bit of one operand read when, or after, it is written through another? */
static bool needs_copies(const struct register_uses *uses) {
    for (unsigned source = 0; source < FIELDS; source++)
        for (unsigned dest = 0; dest < FIELDS; dest++)
            for (unsigned bit = 0; is_one(uses, source, dest) && bit < 64; bit++)
                if (uses->last_read[source][bit] > uses->overwritten[dest][bit])
                    return true;
    return false;
}

bool expand_serves_alias(const struct target *target, const struct insn *insn,
                         const struct uop_list *list) {
    struct register_uses uses = {.target = target};
    list_fields(insn, &uses);
    if (plane_target(target)->partitioned || results_meet(&uses))
        return false;
    for (size_t i = 0; i < list->len; i++) {
        if (is_identity(&uses, &list->data[i]))
            return false;
        note_uses(&uses, &list->data[i], (uint32_t)i);
    }
    return !needs_copies(&uses);
}
