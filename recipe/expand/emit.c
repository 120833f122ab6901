/* SPDX-License-Identifier: MIT
 * One micro-op onto the list: may it work on these places, and which one of the section before is
 * it a repetition of? */
#include "recipe/expand/walk.h"

#include <string.h>

static int class_of_row(const struct target *t, bool scratch, int value) {
    for (uint32_t i = 0; i < t->row_class_count; i++) {
        const struct row_class *c = &t->row_classes[i];
        if (value >= 0 ? c->value == value : (scratch ? c->scratch : c->registers))
            return (int)i;
    }
    return -1;
}

struct where_place place_of(const struct expansion *x, uint32_t place, int here) {
    const struct target *t = x->set->target;
    uint32_t payload = PLACE_PAYLOAD(place);
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        return (struct where_place){class_of_row(t, false, -1),
                                    (int)((payload & 63) % t->sections)};
    case PLANE_SCRATCH:
        return (struct where_place){class_of_row(t, true, -1),
                                    x->list.values.data[payload].section};
    case PLANE_CONST:
        return (struct where_place){class_of_row(t, false, (int)payload), here};
    case PLANE_BUFFER:
        return (struct where_place){CLASS_BUFFER, (int)(payload >> 16)};
    case PLANE_C:
        return (struct where_place){CLASS_C, -1};
    case PLANE_M:
        return (struct where_place){CLASS_M, -1};
    default:
        return (struct where_place){CLASS_VALID, -1};
    }
}

static bool op_allows(const struct expansion *x, const struct target_op *op, const uint32_t *src,
                      const uint32_t *dst, int here) {
    struct where_place places[OP_MAX_SOURCES + OP_MAX_DESTS];
    for (unsigned i = 0; i < op->nsrc; i++)
        places[i] = place_of(x, src[i], here);
    for (unsigned i = 0; i < op->ndst; i++)
        places[op->nsrc + i] = place_of(x, dst[i], here);
    return where_holds(op->where, places, here);
}

int find_copy(const struct expansion *x, uint32_t from, uint32_t to, int here) {
    const struct target *t = x->set->target;
    for (uint32_t i = 0; i < t->op_count; i++) {
        const struct target_op *op = &t->ops[i];
        if (op->nsrc == 1 && op->ndst == 1 && !op->reads_old && op->truth[0] == 2 &&
            op_allows(x, op, &from, &to, here))
            return (int)i;
    }
    return -1;
}

/* The same micro-op of the iteration before, if that one worked in a neighbouring section. */
static uint32_t find_counterpart(struct machine *m) {
    struct lap *lap = m->lap;
    if (!lap)
        return NO_UOP;
    for (size_t i = lap->next; i < lap->before.len; i++) {
        if (lap->before.data[i].path != m->path)
            continue;
        lap->next = i + 1;
        uint32_t index = lap->before.data[i].index;
        int distance = m->x->list.uops.data[index].section - section_at(m, m->position);
        return distance == 1 || distance == -1 ? index : NO_UOP;
    }
    return NO_UOP;
}

static bool check_constants(struct machine *m, struct span at, const uint32_t *src, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (PLANE_CLASS(src[i]) == PLANE_CONST &&
            class_of_row(m->x->set->target, false, (int)PLACE_PAYLOAD(src[i])) < 0)
            return walk_fail(m, at, "target '%s' has no row of constant %u",
                             m->x->set->target->name, PLACE_PAYLOAD(src[i]));
    return true;
}

/* Sets the destination as the op wants to find it. */
static bool emit_preset(struct machine *m, const struct stmt *s, const struct target_op *op,
                        const uint32_t *dst) {
    uint64_t path = m->path;
    m->path = ~path;
    bool fine = walk_emit(m, s, op->preset - 1u, NULL, dst);
    m->path = path;
    return fine;
}

bool walk_emit(struct machine *m, const struct stmt *s, uint32_t kind, const uint32_t *src,
               const uint32_t *dst) {
    const struct target_op *op = &m->x->set->target->ops[kind];
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
    if (index == MAX_MICRO_OPS)
        return walk_fail(m, s->at, "more than %u micro-ops", MAX_MICRO_OPS);
    if (!op_allows(m->x, op, src, dst, section))
        return walk_fail(m, s->at, "%s in section %d may not work on these places ('where')",
                         op->name, section);
    u.counterpart = find_counterpart(m);
    vec_push(&m->x->list.uops, u);
    if (m->lap) {
        struct prior_uop p = {m->path, index};
        vec_push(&m->lap->now, p);
    }
    return true;
}
