/* SPDX-License-Identifier: MIT
 * Registers for values. */
#include "machines/core/scalar/emitter.h"

/* ---- registers ---- */

uint32_t scalar_bits_at(unsigned reg, bool wide) {
    return (wide ? 3u : 1u) << reg;
}
uint32_t scalar_held(const struct scalar_emitter *e, scalar_id id) {
    const struct scalar_life *l = &e->lives[id];
    return l->reg == SCALAR_NOWHERE ? 0 : scalar_bits_at(l->reg, scalar_val(e, id)->wide);
}
void scalar_own(struct scalar_emitter *e, scalar_id id, unsigned reg) {
    e->lives[id].reg = (uint8_t)reg;
    e->owner[reg] = id;
    if (scalar_val(e, id)->wide)
        e->owner[reg + 1] = id;
}
void scalar_disown(struct scalar_emitter *e, scalar_id id) {
    for (unsigned r = 0; r < e->core->registers; r++)
        if (e->owner[r] == id)
            e->owner[r] = 0;
    e->lives[id].reg = SCALAR_NOWHERE;
}
/* The next use behind this position, or at it. */
uint32_t scalar_next_use(struct scalar_emitter *e, scalar_id id, bool behind) {
    struct scalar_life *l = &e->lives[id];
    while (l->next < l->end && e->uses[l->next] < e->at)
        l->next++;
    uint32_t i = l->next;
    while (behind && i < l->end && e->uses[i] <= e->at)
        i++;
    return i < l->end ? e->uses[i] : SCALAR_NEVER;
}
bool scalar_dies(struct scalar_emitter *e, scalar_id id) {
    return scalar_next_use(e, id, true) == SCALAR_NEVER;
}

void scalar_put_move(struct scalar_emitter *e, unsigned to, unsigned from, bool wide) {
    const struct scalar_names n = {.c = (uint8_t)to, .a = (uint8_t)from};
    if (to != from)
        scalar_put_line(e, wide ? e->core->move_pair : e->core->move, &n);
}
void scalar_put_constant(struct scalar_emitter *e, unsigned to, uint64_t k, bool wide) {
    const struct scalar_names n = {
        .c = (uint8_t)to, .a = SCALAR_NOWHERE, .b = SCALAR_NOWHERE, .b_k = k};
    scalar_put_line(e, wide ? e->core->constant_pair : e->core->constant, &n);
}
void scalar_put_stack(struct scalar_emitter *e, scalar_id id, unsigned reg, bool out) {
    bool wide = scalar_val(e, id)->wide;
    const struct scalar_core *c = e->core;
    const struct scalar_names n = {
        .c = (uint8_t)reg, .b = (uint8_t)reg, .o = e->places->stack + e->lives[id].slot};
    scalar_put_line(e,
                    out    ? (wide ? c->spill_pair : c->spill)
                    : wide ? c->reload_pair
                           : c->reload,
                    &n);
}

/* Slots are 8 bytes. */
void scalar_spill(struct scalar_emitter *e, scalar_id id) {
    struct scalar_life *l = &e->lives[id];
    if (scalar_is_const(e, id) || l->spilled)
        return;
    if (e->free_slots.len) {
        l->slot = vec_last(&e->free_slots);
        e->free_slots.len--;
    } else {
        l->slot = e->about->stack;
        e->about->stack += 8;
    }
    l->spilled = true;
    e->about->spills++;
    scalar_put_stack(e, id, l->reg, true);
}
static void evict(struct scalar_emitter *e, uint32_t regs) {
    for (unsigned r = 0; r < e->places->registers; r++) {
        scalar_id id = e->owner[r];
        if (!(regs >> r & 1) || !id)
            continue;
        if (scalar_next_use(e, id, false) != SCALAR_NEVER)
            scalar_spill(e, id);
        scalar_disown(e, id);
    }
}
uint32_t scalar_free_registers(const struct scalar_emitter *e) {
    uint32_t f = 0;
    for (unsigned r = 0; r < e->places->registers; r++)
        if (!e->owner[r])
            f |= 1u << r;
    return f & ~e->locked;
}
/* Of free ones: a word's partner is taken already, if that can be. */
unsigned scalar_choose_register(const struct scalar_emitter *e, uint32_t among, bool wide) {
    unsigned best = SCALAR_NOWHERE;
    for (unsigned r = 0; r < e->places->registers; r += wide ? 2 : 1) {
        if (r + (wide ? 2 : 1) > e->places->registers ||
            (among & scalar_bits_at(r, wide)) != scalar_bits_at(r, wide))
            continue;
        if (wide || !(among >> (r ^ 1) & 1))
            return r;
        if (best == SCALAR_NOWHERE)
            best = r;
    }
    return best;
}
/* The registers whose values are used latest; constants are cheap to have again. */
static unsigned victim(struct scalar_emitter *e, bool wide) {
    unsigned best = SCALAR_NOWHERE;
    uint64_t latest = 0;
    for (unsigned r = 0; r + (wide ? 2 : 1) <= e->places->registers; r += wide ? 2 : 1) {
        uint64_t soonest = UINT64_MAX;
        if (e->locked & scalar_bits_at(r, wide))
            continue;
        for (unsigned i = r; i < r + (wide ? 2 : 1); i++) {
            scalar_id id = e->owner[i];
            uint64_t use = id ? scalar_next_use(e, id, false) : UINT64_C(2) * SCALAR_NEVER;
            if (id && (scalar_is_const(e, id) || e->lives[id].spilled))
                use += 4;
            if (use < soonest)
                soonest = use;
        }
        if (soonest > latest) {
            latest = soonest;
            best = r;
        }
    }
    return best;
}
/* A word of a pair's other half must not be thrown out alone: evict takes whole values. */
unsigned scalar_take(struct scalar_emitter *e, bool wide, uint32_t avoid) {
    uint32_t f = scalar_free_registers(e);
    unsigned reg = scalar_choose_register(e, f & ~avoid, wide);
    if (reg == SCALAR_NOWHERE)
        reg = scalar_choose_register(e, f, wide);
    if (reg == SCALAR_NOWHERE) {
        reg = victim(e, wide);
        evict(e, scalar_bits_at(reg, wide));
    }
    return reg;
}
/* Registers that calls change, if the value lives beyond the next one. */
uint32_t scalar_to_avoid(const struct scalar_emitter *e, scalar_id id) {
    const struct scalar_life *l = &e->lives[id];
    uint32_t call = e->at + 1 < e->count ? e->next_call[e->at + 1] : SCALAR_NEVER;
    return call != SCALAR_NEVER && l->end > l->first && e->uses[l->end - 1] > call ? e->calls[call]
                                                                                   : 0;
}
unsigned scalar_second_of(const struct scalar_emitter *e, const struct scalar_value *v) {
    bool pair = scalar_val(e, v->a)->wide || (v->b && scalar_val(e, v->b)->wide);
    return pair ? e->core->second_pair : e->core->second_word;
}
static unsigned wanted_by_call(struct scalar_emitter *e, scalar_id id) {
    uint32_t at = scalar_next_use(e, id, true);
    if (at == SCALAR_NEVER || !e->calls[at] || e->next_call[e->at + 1] != at ||
        scalar_is_const(e, id))
        return SCALAR_NOWHERE;
    const struct scalar_value *call = scalar_val(e, e->order[at]);
    return call->a == id ? 0 : call->b == id ? scalar_second_of(e, call) : SCALAR_NOWHERE;
}
/* A value that a call takes next is best where the call wants it. */
unsigned scalar_give(struct scalar_emitter *e, scalar_id id) {
    bool wide = scalar_val(e, id)->wide;
    unsigned reg = wanted_by_call(e, id);
    if (reg == SCALAR_NOWHERE ||
        (scalar_free_registers(e) & scalar_bits_at(reg, wide)) != scalar_bits_at(reg, wide))
        reg = scalar_take(e, wide, scalar_to_avoid(e, id));
    scalar_own(e, id, reg);
    e->locked |= scalar_held(e, id);
    return reg;
}
/* In a register, which stays until the lock is off. */
unsigned scalar_get(struct scalar_emitter *e, scalar_id id) {
    struct scalar_life *l = &e->lives[id];
    if (l->reg == SCALAR_NOWHERE) {
        scalar_give(e, id);
        if (scalar_is_const(e, id))
            scalar_put_constant(e, l->reg, scalar_val(e, id)->k, scalar_val(e, id)->wide);
        else
            scalar_put_stack(e, id, l->reg, false);
    }
    e->locked |= scalar_held(e, id);
    return l->reg;
}
void scalar_release(struct scalar_emitter *e, scalar_id id) {
    struct scalar_life *l = &e->lives[id];
    if (!id || !scalar_dies(e, id) || scalar_val(e, id)->tied)
        return;
    if (l->spilled)
        vec_push(&e->free_slots, l->slot);
    l->spilled = false;
    scalar_disown(e, id);
}
