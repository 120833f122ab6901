/* SPDX-License-Identifier: MIT
 * A value that no class of rows suits everywhere lies in one class here and in another one there:
 * where a micro-op has it that contradicts others, a copy takes its place. */
#include "recipe/expand/split.h"

#define MOST_SPLITS 3 /* of one micro-op, and the copies that this makes */

/* The micro-op replaces what it reads there. */
static bool is_tied(const struct target_op *op, unsigned source) {
    for (unsigned d = 0; d < op->ndst; d++)
        if (op->tied[d] == source + 1)
            return true;
    return false;
}

bool expand_can_split(const struct expansion *expansion, uint32_t uop, unsigned source,
                      const struct class_sets *classes) {
    const struct sym_uop *u = &expansion->list.uops.data[uop];
    const struct target_op *op = &plane_target(expansion->set->target)->ops[u->kind];
    uint32_t place = u->src[source];
    return PLANE_CLASS(place) == PLANE_SCRATCH && u->splits < MOST_SPLITS &&
           !expansion->list.values.data[PLACE_PAYLOAD(place)].named && !is_tied(op, source) &&
           expand_group_start(expansion, uop) == uop &&
           (expand_can_copy(expansion, place, place, u->section) ||
            expand_can_copy_between(expansion, classes, u->section, uop));
}

/* A copy of source `source` before micro-op `index`; all sources that are the same place read it.
 * False after reporting. */
static bool split(struct rewrite *rewrite, size_t index, unsigned source,
                  const struct class_sets *classes) {
    struct expansion *x = rewrite->x;
    struct sym_uop u = x->list.uops.data[index];
    uint32_t from = u.src[source];
    unsigned section = x->list.values.data[PLACE_PAYLOAD(from)].section;
    uint32_t to = PLACE(PLANE_SCRATCH, expand_new_scratch(x, section, u.stmt, source, -1));
    size_t first = rewrite->to.uops.len;
    if (!expand_copy_between(x, index, from, to, classes, u.section, &rewrite->to))
        return false;
    u.splits++;
    for (size_t i = first; i < rewrite->to.uops.len; i++)
        rewrite->to.uops.data[i].splits = u.splits;
    for (unsigned k = 0; k < u.nsrc; k++)
        if (u.src[k] == from)
            u.src[k] = to;
    expand_rewrite_keep(rewrite, index, u);
    return true;
}

bool expand_split(struct expansion *expansion, uint32_t uop, unsigned source,
                  const struct class_sets *classes) {
    const struct sym_uop like = expansion->list.uops.data[uop];
    struct rewrite r;
    bool fine = true;
    expand_rewrite_start(&r, expansion);
    for (size_t i = 0; i < expansion->list.uops.len && fine; i++) {
        const struct sym_uop *u = &expansion->list.uops.data[i];
        bool alike = u->stmt == like.stmt && u->kind == like.kind && u->splits == like.splits;
        if (alike && expand_can_split(expansion, (uint32_t)i, source, classes))
            fine = split(&r, i, source, classes);
        else
            expand_rewrite_keep(&r, i, *u);
    }
    expand_rewrite_finish(&r);
    return fine;
}
