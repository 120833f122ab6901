/* SPDX-License-Identifier: MIT
 * Whether a condition on places can hold at all: a micro-op that no places satisfy is a slip of the
 * pen. */
#include "recipe/technology/load.h"
#include "recipe/technology/where.h"

/* Conditions that take longer are taken for possible. */
#define MAX_TRIES 20000

struct possible_search {
    const struct target *t;
    const struct target_op *op;
    struct where_place places[OP_MAX_SOURCES + OP_MAX_DESTS];
    int here;
    struct where_questions asked;
    unsigned tries;
};

static bool place_next(struct possible_search *s, unsigned k);

static bool try_place(struct possible_search *s, unsigned k, int class, int section) {
    s->places[k] = (struct where_place){class, section};
    int holds = technology_where_decided(s->op->where, s->places, s->here);
    bool possible = holds == 1 || ++s->tries > MAX_TRIES || (holds < 0 && place_next(s, k + 1));
    s->places[k].class = CLASS_UNKNOWN;
    return possible;
}

static bool try_sections(struct possible_search *s, unsigned k, int class) {
    int sections = s->asked.sections >> k & 1 ? (int)plane_target(s->t)->sections : 1;
    for (int section = 0; section < sections; section++)
        if (try_place(s, k, class, section))
            return true;
    return false;
}

static bool try_row_class(struct possible_search *s, unsigned k, uint32_t class) {
    bool written = k >= s->op->nsrc;
    return !(written && plane_target(s->t)->row_classes[class].value >= 0) &&
           try_sections(s, k, (int)class);
}

/* Some choice for operand k and those behind it makes the condition hold. */
static bool place_next(struct possible_search *s, unsigned k) {
    const struct target_op *op = s->op;
    if (k == (unsigned)op->nsrc + op->ndst)
        return technology_where_decided(op->where, s->places, s->here) == 1;
    if (!((s->asked.classes | s->asked.sections) >> k & 1))
        return place_next(s, k + 1);
    if (op->fixed[k])
        return try_row_class(s, k, op->fixed[k] - 1u);
    if (k >= op->nsrc && op->tied[k - op->nsrc]) /* conditions name the source */
        return place_next(s, k + 1);
    if (!(s->asked.classes >> k & 1)) /* any class will do */
        return try_sections(s, k, 0) || try_place(s, k, CLASS_C, -1);
    for (uint32_t i = 0; i < plane_target(s->t)->row_class_count; i++)
        if (try_row_class(s, k, i))
            return true;
    return try_sections(s, k, CLASS_BUFFER) || try_place(s, k, CLASS_C, -1) ||
           try_place(s, k, CLASS_M, -1) || (k < op->nsrc && try_place(s, k, CLASS_VALID, -1));
}

bool technology_op_is_possible(const struct target *t, const struct target_op *op) {
    struct possible_search s = {.t = t, .op = op};
    for (unsigned i = 0; i < OP_MAX_SOURCES + OP_MAX_DESTS; i++)
        s.places[i].class = CLASS_UNKNOWN;
    s.asked = technology_where_asks(op->where);
    int issuing = s.asked.here ? (int)plane_target(t)->sections : 1;
    for (; op->where && s.here < issuing; s.here++)
        if (place_next(&s, 0))
            return true;
    return !op->where;
}
