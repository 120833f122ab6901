/* SPDX-License-Identifier: MIT
 * Micro-ops to steps.  At each step a scratch or buffer plane that is live has a slot of its own,
 * and slots of dead ones are used again. */
#include "machines/plane/run/translate.h"

#include <string.h>

/* --- functions of planes --- */

/* A truth table of at most three planes, widened to a function of three. */
static uint8_t function_of_three(uint32_t truth, unsigned inputs) {
    unsigned f = 0;
    for (unsigned i = 0; i < 8; i++)
        f |= (truth >> (i & ((1u << inputs) - 1)) & 1) << i;
    return (uint8_t)f;
}

/* dst = function `field` of `sources` planes; those that it does not have are constant. */
static void push_step(struct step_list *steps, uint8_t field, const uint32_t *src, unsigned sources,
                      uint32_t dst, bool masked, uint32_t mask) {
    struct plane_step s = {.dst = dst, .mask = mask};
    s.kernel = (uint16_t)(field + (masked ? PLANE_MASKED : 0));
    for (unsigned i = 0; i < 3; i++) {
        unsigned from = plane_order[field][i];
        s.src[i] = from < sources ? src[from] : scratch_operand(SLOT_ZERO);
    }
    vec_push(steps, s);
}

void plane_emit(struct step_list *steps, uint32_t truth, const uint32_t *operands, unsigned inputs,
                uint32_t dst, bool masked, uint32_t mask) {
    if (inputs <= 3) {
        push_step(steps, function_of_three(truth, inputs), operands, inputs, dst, masked, mask);
        return;
    }
    /* Both halves, then the last plane selects. */
    unsigned slot = SLOT_SELECT + 2 * (inputs - 4);
    uint32_t choice[3] = {scratch_operand(slot), scratch_operand(slot + 1), operands[inputs - 1]};
    for (unsigned half = 0; half < 2; half++)
        plane_emit(steps, truth >> (half << (inputs - 1)), operands, inputs - 1, choice[half],
                   false, 0);
    push_step(steps, 0xca, choice, 3, dst, masked, mask); /* bit 2 ? bit 1 : bit 0 */
}

/* --- planes --- */

static uint32_t bad_plane(struct run_translation *translation, const char *what, uint32_t plane) {
    diag_error(translation->diag, NO_SPAN, "a micro-op %s (plane class %u, section %u, number %u)",
               what, (unsigned)PLANE_CLASS(plane), PLANE_SECTION(plane), PLANE_NUMBER(plane));
    return PLANE_MAP_NONE;
}

static uint32_t register_operand(struct run_translation *translation, uint32_t plane) {
    unsigned reg = PLANE_NUMBER(plane) >> 6, bit = PLANE_NUMBER(plane) & 63;
    if (reg < 64)
        return tile_operand(PLANE_NAME_SLOT(PLANE_NAME_FIRST, reg, bit));
    return bad_plane(translation, "names a plane that this machine does not have", plane);
}

/* Any plane but scratch and buffers; PLANE_MAP_NONE after reporting. */
static uint32_t fixed_operand(struct run_translation *translation, uint32_t plane) {
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return register_operand(translation, plane);
    case PLANE_C:
        return tile_operand(PLANE_NAME_C);
    case PLANE_M:
        return tile_operand(PLANE_NAME_M);
    case PLANE_VALID:
        return tile_operand(PLANE_NAME_VALID);
    case PLANE_CONST:
        if (PLANE_NUMBER(plane) <= 1)
            return scratch_operand(SLOT_ZERO + PLANE_NUMBER(plane));
        break;
    default:
        break;
    }
    return bad_plane(translation, "names a plane that this machine does not have", plane);
}

static uint32_t source_operand(struct run_translation *translation, uint32_t plane) {
    if (!plane_is_local(plane))
        return fixed_operand(translation, plane);
    uint32_t slot = plane_map_get(&translation->map, plane);
    if (slot == PLANE_MAP_NONE)
        return bad_plane(translation, "reads scratch that its instruction has not written", plane);
    return scratch_operand(slot);
}

static uint32_t new_slot(struct run_translation *translation) {
    if (translation->free_slots.len > 0)
        return translation->free_slots.data[--translation->free_slots.len];
    return translation->scratch_slots++;
}

/* Destination number index of an op; one that the micro-op does not want goes to a slot of its own.
 */
static uint32_t dest_operand(struct run_translation *translation, uint32_t plane, unsigned index,
                             bool keeps) {
    if (PLANE_CLASS(plane) == PLANE_NONE)
        return scratch_operand(SLOT_RESULT + index);
    if (PLANE_CLASS(plane) == PLANE_CONST || PLANE_CLASS(plane) == PLANE_VALID)
        return bad_plane(translation, "writes a plane that is read only", plane);
    if (!plane_is_local(plane))
        return fixed_operand(translation, plane);
    uint32_t slot = plane_map_get(&translation->map, plane);
    if (slot == PLANE_MAP_NONE) {
        if (keeps)
            return bad_plane(translation, "keeps scratch that its instruction has not written",
                             plane);
        slot = new_slot(translation);
        plane_map_put(&translation->map, plane, slot);
    }
    return scratch_operand(slot);
}

/* Takes the planes of `set` (bits) out of the map; their slots may be used again. */
static void release(struct run_translation *translation, const uint32_t *planes, unsigned count,
                    unsigned set, uint32_t *slots, unsigned *slot_count) {
    for (unsigned i = 0; i < count; i++) {
        uint32_t slot = set >> i & 1 ? plane_map_get(&translation->map, planes[i]) : PLANE_MAP_NONE;
        if (slot == PLANE_MAP_NONE)
            continue;
        plane_map_put(&translation->map, planes[i], PLANE_MAP_NONE);
        slots[(*slot_count)++] = slot;
    }
}

/* --- micro-ops --- */

struct uop_slots {
    uint32_t src[UOP_MAX + 1], dst[UOP_MAX], mask;
    bool masked;
};

/* Slots of sources that die here are free only after the destinations have theirs: a function cut
 * in two, or with two destinations, reads its sources after the first write.  A plane that dies
 * and is written anew by the same op moves to a new slot. */
static bool resolve(struct run_translation *translation, const struct flat_uop *uop,
                    const struct target_op *op, struct uop_slots *slots) {
    uint32_t freed[2 * UOP_MAX];
    unsigned freed_count = 0;
    bool good = true;
    for (unsigned i = 0; i < uop->uop->nsrc; i++)
        good &= (slots->src[i] = source_operand(translation, uop->uop->src[i])) != PLANE_MAP_NONE;
    slots->masked = PLANE_CLASS(uop->uop->predicate) != PLANE_NONE;
    slots->mask = slots->masked ? source_operand(translation, uop->uop->predicate)
                                : 0; /* may die as a source here */
    release(translation, uop->uop->src, uop->uop->nsrc, uop->last_use, freed, &freed_count);
    for (unsigned k = 0; k < uop->uop->ndst; k++)
        good &= (slots->dst[k] = dest_operand(translation, uop->uop->dst[k], k,
                                              keeps_old(op, uop->uop, k))) != PLANE_MAP_NONE;
    release(translation, uop->uop->dst, uop->uop->ndst, uop->dead, freed, &freed_count);
    while (freed_count > 0)
        vec_push(&translation->free_slots, freed[--freed_count]);
    return good && slots->mask != PLANE_MAP_NONE;
}

/* With several destinations, a write could change what the next one reads. */
static bool writes_interfere(const struct uop *uop, const struct uop_slots *slots) {
    if (uop->ndst < 2)
        return false;
    for (unsigned k = 0; k < uop->ndst; k++) {
        for (unsigned i = 0; i < uop->nsrc; i++)
            if (slots->dst[k] == slots->src[i])
                return true;
        if (slots->masked && slots->dst[k] == slots->mask)
            return true;
    }
    return false;
}

/* What the destinations of an op get. */
struct results {
    uint32_t at[UOP_MAX]; /* where the result is computed */
    unsigned plain;       /* bit k: at[k] has it, in every lane */
};

/* An earlier result whose function differs from that of destination index in these rows of the
 * table (none, or all: the opposite) and in no others, or index. */
static unsigned find_twin(const struct target_op *op, const struct results *results, unsigned index,
                          uint32_t all, uint32_t rows) {
    unsigned i = 0;
    while (i < index && (op->reads_old || !(results->plain >> i & 1) ||
                         ((op->truth[i] ^ op->truth[index]) & all) != rows))
        i++;
    return i;
}

/* The function of destination index; one of several operands is computed once for all destinations
 * that have it. */
static void emit_result(struct run_translation *translation, const struct target_op *op,
                        unsigned inputs, struct uop_slots *slots, struct results *results,
                        unsigned index, bool masked) {
    uint32_t all = inputs == 5 ? UINT32_MAX : ((uint32_t)1 << (1u << inputs)) - 1;
    unsigned same = find_twin(op, results, index, all, 0),
             opposite = find_twin(op, results, index, all, all);
    unsigned twin = same < index ? same : opposite;
    if (inputs < 2 || twin == index)
        plane_emit(&translation->steps, op->truth[index], slots->src, inputs, results->at[index],
                   masked, slots->mask);
    else
        plane_emit(&translation->steps, same < index ? 2 : 1, &results->at[twin], 1,
                   results->at[index], masked, slots->mask);
    results->plain |= (unsigned)!masked << index;
}

/* Results that were computed aside go where they belong; the mask, which may be one of them, is
 * written last. */
static void emit_copies(struct run_translation *translation, const struct uop *uop,
                        const struct uop_slots *slots, const struct results *results) {
    static const uint32_t copy = 2; /* of one plane */
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned k = 0; k < uop->ndst; k++)
            if (results->plain >> k & 1 && (slots->masked && slots->dst[k] == slots->mask) == pass)
                plane_emit(&translation->steps, copy, &results->at[k], 1, slots->dst[k],
                           is_predicated(uop, k), slots->mask);
}

/* Of several destinations those that nothing reads are left out: they lie in scratch. */
static void emit_uop(struct run_translation *translation, const struct target_op *op,
                     const struct flat_uop *uop, struct uop_slots *slots) {
    const struct uop *u = uop->uop;
    bool aside = writes_interfere(u, slots);
    struct results r = {.plain = 0};
    for (unsigned k = 0; k < u->ndst; k++) {
        r.at[k] = aside ? scratch_operand(SLOT_RESULT + k) : slots->dst[k];
        slots->src[u->nsrc] = slots->dst[k];
        if (u->ndst == 1 || !(uop->dead >> k & 1))
            emit_result(translation, op, u->nsrc + op->reads_old, slots, &r, k,
                        !aside && is_predicated(u, k));
    }
    if (aside)
        emit_copies(translation, u, slots, &r);
}

static bool check_shape(struct run_translation *translation, const struct uop *uop) {
    const struct target *target = translation->target;
    const struct target_op *op =
        uop->kind < plane_target(target)->op_count ? &plane_target(target)->ops[uop->kind] : NULL;
    if (op && uop->nsrc == op->nsrc && uop->nsrc <= UOP_MAX && uop->ndst == op->ndst &&
        uop->ndst <= UOP_MAX)
        return true;
    diag_error(translation->diag, NO_SPAN,
               "a micro-op of kind %u does not have the operands of its op%s%s",
               (unsigned)uop->kind, op ? " " : "", op ? op->name : "");
    return false;
}

static bool flatten(struct run_translation *translation, const struct uop *uops, size_t count) {
    vec_clear(&translation->flat);
    vec_reserve(&translation->flat, count);
    for (size_t i = 0; i < count; i++) {
        if (!check_shape(translation, &uops[i]))
            return false;
        translation->flat.data[translation->flat.len++] = (struct flat_uop){.uop = &uops[i]};
    }
    return true;
}

static void forget_scratch(struct run_translation *translation) {
    plane_map_clear(&translation->map);
    vec_clear(&translation->free_slots);
    if (translation->scratch_slots < SLOT_FIRST)
        translation->scratch_slots = SLOT_FIRST;
    for (uint32_t slot = translation->scratch_slots; slot-- > SLOT_FIRST;)
        vec_push(&translation->free_slots, slot); /* the lowest is taken first */
}

bool plane_translate(struct run_translation *translation, const struct uop *uops, size_t count) {
    const struct target *target = translation->target;
    if (!flatten(translation, uops, count))
        return false;
    plane_liveness(target, translation->flat.data, translation->flat.len, &translation->map);
    forget_scratch(translation);
    for (size_t i = 0; i < translation->flat.len; i++) {
        const struct flat_uop *f = &translation->flat.data[i];
        const struct target_op *op = &plane_target(target)->ops[f->uop->kind];
        struct uop_slots o;
        if (!resolve(translation, f, op, &o))
            return false;
        emit_uop(translation, op, f, &o);
    }
    if (translation->scratch_slots > PLANE_MAX_SCRATCH)
        diag_error(translation->diag, NO_SPAN,
                   "an instruction holds more than %u scratch planes at once", PLANE_MAX_SCRATCH);
    return translation->scratch_slots <= PLANE_MAX_SCRATCH;
}

void plane_translation_free(struct run_translation *translation) {
    vec_free(&translation->steps);
    vec_free(&translation->flat);
    plane_map_free(&translation->map);
    vec_free(&translation->free_slots);
}
