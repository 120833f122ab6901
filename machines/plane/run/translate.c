/* SPDX-License-Identifier: MIT */
#include "machines/plane/run/translate.h"

#include <string.h>

/* A recipe of the largest sensible kind (a 64-bit division) has some 10^5 micro-ops; the limit
 * keeps a runaway `count` from eating the host's memory. */
#define MAX_FLAT ((size_t)1 << 24)
/* Operands are 32-bit offsets, and scratch should stay in a cache. */
#define MAX_SCRATCH 65536u

/* --- functions of planes --- */

/* A truth table of at most three planes, widened to a function of three. */
static uint8_t function_of_three(uint32_t truth, unsigned inputs) {
    unsigned f = 0;
    for (unsigned i = 0; i < 8; i++)
        f |= (truth >> (i & ((1u << inputs) - 1)) & 1) << i;
    return (uint8_t)f;
}

/* dst = function `f` of `sources` planes; those that it does not have are constant. */
static void push_step(struct step_list *steps, uint8_t f, const uint32_t *src, unsigned sources,
                      uint32_t dst, bool masked, uint32_t mask) {
    struct plane_step s = {.dst = dst, .mask = mask};
    s.kernel = (uint16_t)(f + (masked ? PLANE_MASKED : 0));
    for (unsigned i = 0; i < 3; i++) {
        unsigned from = plane_order[f][i];
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

static uint32_t bad_plane(struct run_translation *t, const char *what, uint32_t plane) {
    diag_error(t->diag, NO_SPAN, "a micro-op %s (plane class %u, section %u, number %u)", what,
               (unsigned)PLANE_CLASS(plane), PLANE_SECTION(plane), PLANE_NUMBER(plane));
    return PLANE_MAP_NONE;
}

static uint32_t register_operand(struct run_translation *t, uint32_t plane) {
    const struct plane_machine *m = t->machine;
    unsigned reg = PLANE_NUMBER(plane) >> 6, bit = PLANE_NUMBER(plane) & 63;
    if (reg < 64 && bit < m->reg_bits[reg])
        return tile_operand(m->reg_slot[reg] + bit);
    diag_error(t->diag, NO_SPAN, "bit %u of r%u is needed, but the register map gives it %u bits",
               bit, reg, reg < 64 ? m->reg_bits[reg] : 0u);
    return PLANE_MAP_NONE;
}

/* Any plane but scratch and buffers; PLANE_MAP_NONE after reporting. */
static uint32_t fixed_operand(struct run_translation *t, uint32_t plane) {
    const struct plane_machine *m = t->machine;
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return register_operand(t, plane);
    case PLANE_C:
        return tile_operand(m->c_slot);
    case PLANE_M:
        return tile_operand(m->m_slot);
    case PLANE_VALID:
        return tile_operand(m->valid_slot);
    case PLANE_CONST:
        if (PLANE_NUMBER(plane) <= 1)
            return scratch_operand(SLOT_ZERO + PLANE_NUMBER(plane));
        break;
    default:
        break;
    }
    return bad_plane(t, "names a plane that this machine does not have", plane);
}

static uint32_t source_operand(struct run_translation *t, uint32_t plane) {
    if (!plane_is_local(plane))
        return fixed_operand(t, plane);
    uint32_t slot = plane_map_get(&t->map, plane);
    if (slot == PLANE_MAP_NONE)
        return bad_plane(t, "reads scratch that its instruction has not written", plane);
    return scratch_operand(slot);
}

static uint32_t new_slot(struct run_translation *t) {
    if (t->free_slots.len > 0)
        return t->free_slots.data[--t->free_slots.len];
    return t->scratch_slots++;
}

/* Destination number k of an op; one that the micro-op does not want goes to a slot of its own. */
static uint32_t dest_operand(struct run_translation *t, uint32_t plane, unsigned k, bool keeps) {
    if (PLANE_CLASS(plane) == PLANE_NONE)
        return scratch_operand(SLOT_RESULT + k);
    if (PLANE_CLASS(plane) == PLANE_CONST || PLANE_CLASS(plane) == PLANE_VALID)
        return bad_plane(t, "writes a plane that is read only", plane);
    if (!plane_is_local(plane))
        return fixed_operand(t, plane);
    uint32_t slot = plane_map_get(&t->map, plane);
    if (slot == PLANE_MAP_NONE) {
        if (keeps)
            return bad_plane(t, "keeps scratch that its instruction has not written", plane);
        slot = new_slot(t);
        plane_map_put(&t->map, plane, slot);
    }
    return scratch_operand(slot);
}

/* Takes the planes of `set` (bits) out of the map; their slots may be used again. */
static void release(struct run_translation *t, const uint32_t *planes, unsigned count, unsigned set,
                    uint32_t *slots, unsigned *slot_count) {
    for (unsigned i = 0; i < count; i++) {
        uint32_t slot = set >> i & 1 ? plane_map_get(&t->map, planes[i]) : PLANE_MAP_NONE;
        if (slot == PLANE_MAP_NONE)
            continue;
        plane_map_put(&t->map, planes[i], PLANE_MAP_NONE);
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
static bool resolve(struct run_translation *t, const struct flat_uop *f, const struct target_op *op,
                    struct uop_slots *o) {
    uint32_t freed[2 * UOP_MAX];
    unsigned freed_count = 0;
    bool good = true;
    for (unsigned i = 0; i < f->uop->nsrc; i++)
        good &= (o->src[i] = source_operand(t, f->uop->src[i])) != PLANE_MAP_NONE;
    o->masked = PLANE_CLASS(f->uop->predicate) != PLANE_NONE;
    o->mask = o->masked ? source_operand(t, f->uop->predicate) : 0; /* may die as a source here */
    release(t, f->uop->src, f->uop->nsrc, f->last_use, freed, &freed_count);
    for (unsigned k = 0; k < f->uop->ndst; k++)
        good &= (o->dst[k] = dest_operand(t, f->uop->dst[k], k, keeps_old(op, f->uop, k))) !=
                PLANE_MAP_NONE;
    release(t, f->uop->dst, f->uop->ndst, f->dead, freed, &freed_count);
    while (freed_count > 0)
        vec_push(&t->free_slots, freed[--freed_count]);
    return good && o->mask != PLANE_MAP_NONE;
}

/* With several destinations, a write could change what the next one reads. */
static bool writes_interfere(const struct uop *u, const struct uop_slots *o) {
    if (u->ndst < 2)
        return false;
    for (unsigned k = 0; k < u->ndst; k++) {
        for (unsigned i = 0; i < u->nsrc; i++)
            if (o->dst[k] == o->src[i])
                return true;
        if (o->masked && o->dst[k] == o->mask)
            return true;
    }
    return false;
}

/* What the destinations of an op get. */
struct results {
    uint32_t at[UOP_MAX]; /* where the result is computed */
    unsigned plain;       /* bit k: at[k] has it, in every lane */
};

/* An earlier result whose function differs from that of destination k in these rows of the table
 * (none, or all: the opposite) and in no others, or k. */
static unsigned find_twin(const struct target_op *op, const struct results *r, unsigned k,
                          uint32_t all, uint32_t rows) {
    unsigned i = 0;
    while (i < k &&
           (op->reads_old || !(r->plain >> i & 1) || ((op->truth[i] ^ op->truth[k]) & all) != rows))
        i++;
    return i;
}

/* The function of destination k; one of several operands is computed once for all destinations
 * that have it. */
static void emit_result(struct run_translation *t, const struct target_op *op, unsigned inputs,
                        struct uop_slots *o, struct results *r, unsigned k, bool masked) {
    uint32_t all = inputs == 5 ? UINT32_MAX : ((uint32_t)1 << (1u << inputs)) - 1;
    unsigned same = find_twin(op, r, k, all, 0), opposite = find_twin(op, r, k, all, all);
    unsigned twin = same < k ? same : opposite;
    if (inputs < 2 || twin == k)
        plane_emit(&t->steps, op->truth[k], o->src, inputs, r->at[k], masked, o->mask);
    else
        plane_emit(&t->steps, same < k ? 2 : 1, &r->at[twin], 1, r->at[k], masked, o->mask);
    r->plain |= (unsigned)!masked << k;
}

/* Results that were computed aside go where they belong; the mask, which may be one of them, is
 * written last. */
static void emit_copies(struct run_translation *t, const struct uop *u, const struct uop_slots *o,
                        const struct results *r) {
    static const uint32_t copy = 2; /* of one plane */
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned k = 0; k < u->ndst; k++)
            if (r->plain >> k & 1 && (o->masked && o->dst[k] == o->mask) == pass)
                plane_emit(&t->steps, copy, &r->at[k], 1, o->dst[k], is_predicated(u, k), o->mask);
}

/* Of several destinations those that nothing reads are left out: they lie in scratch. */
static void emit_uop(struct run_translation *t, const struct target_op *op,
                     const struct flat_uop *f, struct uop_slots *o) {
    const struct uop *u = f->uop;
    bool aside = writes_interfere(u, o);
    struct results r = {.plain = 0};
    for (unsigned k = 0; k < u->ndst; k++) {
        r.at[k] = aside ? scratch_operand(SLOT_RESULT + k) : o->dst[k];
        o->src[u->nsrc] = o->dst[k];
        if (u->ndst == 1 || !(f->dead >> k & 1))
            emit_result(t, op, u->nsrc + op->reads_old, o, &r, k, !aside && is_predicated(u, k));
    }
    if (aside)
        emit_copies(t, u, o, &r);
}

static bool check_shape(struct run_translation *t, const struct uop *u) {
    const struct target *target = t->machine->target;
    const struct target_op *op =
        u->kind < plane_target(target)->op_count ? &plane_target(target)->ops[u->kind] : NULL;
    if (op && u->nsrc == op->nsrc && u->nsrc <= UOP_MAX && u->ndst == op->ndst &&
        u->ndst <= UOP_MAX && u->count > 0)
        return true;
    diag_error(t->diag, NO_SPAN, "a micro-op of kind %u does not have the operands of its op%s%s",
               (unsigned)u->kind, op ? " " : "", op ? op->name : "");
    return false;
}

static void add_stride(uint32_t *planes, unsigned count, int32_t stride, uint32_t i) {
    for (unsigned k = 0; k < count; k++)
        if (PLANE_CLASS(planes[k]) != PLANE_NONE)
            planes[k] += (uint32_t)stride * i;
}

struct uop plane_uop_at(const struct uop *u, uint32_t i) {
    struct uop one = *u;
    add_stride(one.src, u->nsrc, u->stride, i);
    add_stride(one.dst, u->ndst, u->stride, i);
    one.count = 1;
    return one;
}

static bool check_all(struct run_translation *t, const struct uop *uops, size_t count,
                      size_t *flat) {
    *flat = 0;
    for (size_t i = 0; i < count; i++) {
        if (!check_shape(t, &uops[i]))
            return false;
        if (uops[i].count > MAX_FLAT - *flat) {
            diag_error(t->diag, NO_SPAN, "an instruction has more than %zu micro-ops", MAX_FLAT);
            return false;
        }
        *flat += uops[i].count;
    }
    return true;
}

static bool flatten(struct run_translation *t, const struct uop *uops, size_t count) {
    size_t total;
    vec_clear(&t->flat);
    vec_clear(&t->strided);
    if (!check_all(t, uops, count, &total))
        return false;
    if (total != count) {
        vec_reserve(&t->strided, total); /* it does not move */
        for (size_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < uops[i].count; k++)
                vec_push(&t->strided, plane_uop_at(&uops[i], k));
        uops = t->strided.data;
    }
    vec_reserve(&t->flat, total);
    for (size_t i = 0; i < total; i++)
        t->flat.data[t->flat.len++] = (struct flat_uop){.uop = &uops[i]};
    return true;
}

static void forget_scratch(struct run_translation *t) {
    plane_map_clear(&t->map);
    vec_clear(&t->free_slots);
    if (t->scratch_slots < SLOT_FIRST)
        t->scratch_slots = SLOT_FIRST;
    for (uint32_t slot = t->scratch_slots; slot-- > SLOT_FIRST;)
        vec_push(&t->free_slots, slot); /* the lowest is taken first */
}

bool plane_translate(struct run_translation *t, const struct uop *uops, size_t count) {
    const struct target *target = t->machine->target;
    if (!flatten(t, uops, count))
        return false;
    plane_liveness(target, t->flat.data, t->flat.len, &t->map);
    forget_scratch(t);
    for (size_t i = 0; i < t->flat.len; i++) {
        const struct flat_uop *f = &t->flat.data[i];
        const struct target_op *op = &plane_target(target)->ops[f->uop->kind];
        struct uop_slots o;
        if (!resolve(t, f, op, &o))
            return false;
        emit_uop(t, op, f, &o);
    }
    if (t->scratch_slots > MAX_SCRATCH)
        diag_error(t->diag, NO_SPAN, "an instruction holds more than %u scratch planes at once",
                   MAX_SCRATCH);
    return t->scratch_slots <= MAX_SCRATCH;
}

void plane_translation_free(struct run_translation *t) {
    vec_free(&t->steps);
    vec_free(&t->flat);
    vec_free(&t->strided);
    plane_map_free(&t->map);
    vec_free(&t->free_slots);
}
