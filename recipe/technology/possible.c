/* SPDX-License-Identifier: MIT
 * Whether a condition on places can hold at all: a micro-op that no places satisfy is a slip of the
 * pen. */
#include "recipe/technology/read_plane.h"
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

static bool place_next(struct possible_search *search, unsigned index);

static bool try_place(struct possible_search *search, unsigned index, int class, int section) {
    search->places[index] = (struct where_place){class, section};
    int holds = technology_where_decided(search->op->where, search->places, search->here);
    bool possible =
        holds == 1 || ++search->tries > MAX_TRIES || (holds < 0 && place_next(search, index + 1));
    search->places[index].class = CLASS_UNKNOWN;
    return possible;
}

static bool try_sections(struct possible_search *search, unsigned index, int class) {
    int sections = search->asked.sections >> index & 1 ? (int)plane_target(search->t)->sections : 1;
    for (int section = 0; section < sections; section++)
        if (try_place(search, index, class, section))
            return true;
    return false;
}

static bool try_row_class(struct possible_search *search, unsigned index, uint32_t class) {
    const struct row_class *c = &plane_target(search->t)->row_classes[class];
    bool written = index >= search->op->nsrc;
    /* A register in another class than the first is a place of the first, too. */
    bool another = c->registers && class != plane_target(search->t)->register_class;
    return !(written && c->value >= 0) && !another && try_sections(search, index, (int)class);
}

/* Some choice for operand index and those behind it makes the condition hold. */
static bool place_next(struct possible_search *search, unsigned index) {
    const struct target_op *op = search->op;
    if (index == (unsigned)op->nsrc + op->ndst)
        return technology_where_decided(op->where, search->places, search->here) == 1;
    if (!((search->asked.classes | search->asked.sections) >> index & 1))
        return place_next(search, index + 1);
    if (op->fixed[index])
        return try_row_class(search, index, op->fixed[index] - 1u);
    if (index >= op->nsrc && op->tied[index - op->nsrc]) /* conditions name the source */
        return place_next(search, index + 1);
    if (!(search->asked.classes >> index & 1)) /* any class will do */
        return try_sections(search, index, 0) || try_place(search, index, CLASS_C, -1);
    for (uint32_t i = 0; i < plane_target(search->t)->row_class_count; i++)
        if (try_row_class(search, index, i))
            return true;
    return try_sections(search, index, CLASS_BUFFER) || try_place(search, index, CLASS_C, -1) ||
           try_place(search, index, CLASS_M, -1) ||
           (index < op->nsrc && try_place(search, index, CLASS_VALID, -1));
}

bool technology_op_is_possible(const struct target *target, const struct target_op *op) {
    struct possible_search s = {.t = target, .op = op};
    for (unsigned i = 0; i < OP_MAX_SOURCES + OP_MAX_DESTS; i++)
        s.places[i].class = CLASS_UNKNOWN;
    s.asked = technology_where_asks(op->where);
    int issuing = s.asked.here ? (int)plane_target(target)->sections : 1;
    for (; op->where && s.here < issuing; s.here++)
        if (place_next(&s, 0))
            return true;
    return !op->where;
}

bool technology_presets_hold(const struct target *target, const struct target_op *op,
                             const struct where_place *dst) {
    bool fine = true;
    for (unsigned k = 0; k < op->ndst && fine; k++)
        fine = !plane_op_presets(op, k) ||
               technology_where_holds(plane_target(target)->ops[op->preset - 1].where, &dst[k], 0);
    return fine;
}
