/* SPDX-License-Identifier: MIT
 * One micro-op onto the list: may it work on these places, and which one of the section before is
 * it a repetition of? */
#include "recipe/expand/walk.h"

#include <string.h>

static bool is_copy(const struct target_op *op) {
    bool plain = op->nsrc == 1 && op->ndst == 1 && !op->reads_old && !op->tied[0];
    return plain && !op->fixed[0] && !op->fixed[1] && op->truth[0] == 2;
}

int expand_find_copy(const struct expansion *x, uint32_t from, uint32_t to, int here) {
    const struct target *t = x->set->target;
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (is_copy(&plane_target(t)->ops[i]) &&
            expand_classes_allow(x, &plane_target(t)->ops[i], &from, &to, here))
            return (int)i;
    return -1;
}

/* The same micro-op of the iteration before, if that one worked in a neighbouring section. */
static uint32_t find_counterpart(struct section_machine *m, uint32_t kind) {
    struct pipelined_lap *lap = m->lap;
    if (!lap)
        return NO_UOP;
    for (size_t i = lap->next; i < lap->before.len; i++) {
        if (lap->before.data[i].path != m->path)
            continue;
        lap->next = i + 1;
        uint32_t index = lap->before.data[i].index;
        const struct sym_uop *u = &m->x->list.uops.data[index];
        int distance = u->section - section_at(m, m->position);
        return u->kind == kind && (distance == 1 || distance == -1) ? index : NO_UOP;
    }
    return NO_UOP;
}

static bool check_constants(struct section_machine *m, struct span at, const uint32_t *src,
                            unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (PLANE_CLASS(src[i]) == PLANE_CONST &&
            expand_constant_class(m->x->set->target, (int)PLACE_PAYLOAD(src[i])) < 0)
            return expand_walk_fail(m, at, "target '%s' has no row of constant %u",
                                    m->x->set->target->name, PLACE_PAYLOAD(src[i]));
    return true;
}

/* What stands against writing a place with this op; NULL if nothing does. */
static const char *why_not_write(const struct section_machine *m, const struct sym_uop *u,
                                 unsigned k) {
    const struct target_op *op = &plane_target(m->x->set->target)->ops[u->kind];
    uint32_t place = u->dst[k];
    if (PLANE_CLASS(place) == PLANE_CONST || PLANE_CLASS(place) == PLANE_VALID)
        return "destroys";
    if (PLANE_CLASS(place) == PLANE_REGISTER &&
        !expand_place_is_written(m->x, (uint8_t)(PLACE_PAYLOAD(place) >> 6)))
        return "destroys a source of the instruction:";
    for (unsigned i = 0; i < k; i++)
        if (u->dst[i] == place)
            return "has two results in one place:";
    for (unsigned i = 0; i < u->nsrc; i++)
        if (u->src[i] == place && op->tied[k] != i + 1)
            return op->tied[k] ? "reads one place twice, which it destroys:"
                               : "reads what it destroys:";
    return NULL;
}

/* A destination is never its own source, unless it is tied to it. */
static bool check_writes(struct section_machine *m, struct span at, const struct sym_uop *u) {
    for (unsigned k = 0; k < u->ndst; k++) {
        const char *why = why_not_write(m, u, k);
        struct arena text = {0};
        if (why)
            expand_walk_fail(m, at, "%s %s %s", plane_target(m->x->set->target)->ops[u->kind].name,
                             why, expand_place_name(&text, m->x, u->dst[k]));
        arena_free(&text);
        if (why)
            return false;
    }
    return true;
}

/* Sets the destination as the op wants to find it. */
static bool emit_preset(struct section_machine *m, const struct recipe_stmt *s,
                        const struct target_op *op, const uint32_t *dst) {
    uint64_t path = m->path;
    m->path = ~path;
    bool fine = expand_walk_emit(m, s, op->preset - 1u, NULL, dst);
    m->path = path;
    return fine;
}

bool expand_walk_emit(struct section_machine *m, const struct recipe_stmt *s, uint32_t kind,
                      const uint32_t *src, const uint32_t *dst) {
    const struct target_op *op = &plane_target(m->x->set->target)->ops[kind];
    int section = section_at(m, m->position);
    struct sym_uop u = {.kind = (uint16_t)kind,
                        .section = (uint16_t)section,
                        .nsrc = op->nsrc,
                        .ndst = op->ndst,
                        .path = m->path,
                        .stmt = s,
                        .unit = m->frame->unit};
    if (op->preset && !emit_preset(m, s, op, dst))
        return false;
    if (op->nsrc)
        memcpy(u.src, src, op->nsrc * sizeof *src);
    memcpy(u.dst, dst, op->ndst * sizeof *dst);
    uint32_t index = (uint32_t)m->x->list.uops.len;
    if (!check_constants(m, s->at, src, op->nsrc))
        return false;
    if (!check_writes(m, s->at, &u))
        return false;
    if (index == MAX_MICRO_OPS)
        return expand_walk_fail(m, s->at, "more than %u micro-ops", MAX_MICRO_OPS);
    if (!expand_classes_allow(m->x, op, src, dst, section))
        return expand_walk_fail(m, s->at, "%s in section %d may not work on these places ('where')",
                                op->name, section);
    u.counterpart = find_counterpart(m, kind);
    vec_push(&m->x->list.uops, u);
    if (m->lap) {
        struct prior_uop p = {m->path, index};
        vec_push(&m->lap->now, p);
    }
    return true;
}
