/* SPDX-License-Identifier: MIT
 * Variables without a group lie in every VRF; those of groups at different places never meet in a
 * VRF and may have the same registers. */
#include "ezpim/ir_registers.h"
#include "ezpim/ir_build.h"

#include <stdlib.h>
#include <string.h>

/* NO_INDEX: it lies in VRFs of several places. */
static uint32_t place_of(const struct ir_program *p, uint32_t v) {
    const struct variable *x = &p->variables.data[v].decl;
    if (x->group != NO_INDEX)
        return ir_group_place(p, x->group);
    if (!x->scope.count)
        return NO_INDEX;
    uint32_t place = ir_group_place(p, x->scope.groups[0]);
    for (uint32_t i = 1; i < x->scope.count; i++)
        if (ir_group_place(p, x->scope.groups[i]) != place)
            return NO_INDEX;
    return place;
}

bool ir_registers_meet(const struct ir_program *p, uint32_t a, uint32_t b) {
    uint32_t x = place_of(p, a), y = place_of(p, b);
    return x == NO_INDEX || y == NO_INDEX || x == y;
}

static uint64_t all_of(const struct variable *v) {
    uint64_t all = v->count >= 64 ? UINT64_MAX : ((uint64_t)1 << v->count) - 1;
    return all << v->reg;
}

/* ---- who has a register when ---- */

struct giver {
    struct ir_program *p;
    const struct ir_lives *l;
    struct ir_room room;
    bool share;
    uint32_t *place;              /* [variables] */
    uint8_t widths[IR_REGISTERS]; /* bits that each register has by now */
    VEC(uint32_t) placed;
};

/* Not shared: such a variable has its registers for good. */
static bool is_kept(const struct giver *g, uint32_t v) {
    return !g->share && !g->p->variables.data[v].hidden;
}

static const uint64_t *steps_of(const struct giver *g, uint32_t v, uint32_t k) {
    return g->l->held + (g->l->first[v] + k) * g->l->step_words;
}

static bool slots_meet(const struct giver *g, uint32_t v, uint32_t k, uint32_t w, uint32_t i) {
    const uint64_t *a = steps_of(g, v, k), *b = steps_of(g, w, i);
    if (is_kept(g, v) || is_kept(g, w))
        return true;
    for (size_t x = 0; x < g->l->step_words; x++)
        if (a[x] & b[x])
            return true;
    return false;
}

/* First registers that v cannot have because of w. */
static uint64_t barred_by(const struct giver *g, uint32_t v, uint32_t w) {
    const struct variable *x = &g->p->variables.data[v].decl, *y = &g->p->variables.data[w].decl;
    uint64_t barred = 0;
    if (g->place[v] != NO_INDEX && g->place[w] != NO_INDEX && g->place[v] != g->place[w])
        return 0;
    for (uint32_t k = 0; k < x->count; k++)
        for (uint32_t i = 0; i < y->count; i++) {
            int first = y->reg + (int)i - (int)k;
            if (first >= 0 && !(barred >> first & 1) && slots_meet(g, v, k, w, i))
                barred |= (uint64_t)1 << first;
        }
    return barred;
}

static uint64_t barred(const struct giver *g, uint32_t v) {
    uint64_t mask = 0;
    const struct variable *x = &g->p->variables.data[v].decl;
    for (uint32_t k = 0; k < x->count; k++)
        mask |= g->p->taken >> k;
    for (size_t i = 0; i < g->placed.len; i++)
        mask |= barred_by(g, v, g->placed.data[i]);
    return mask;
}

/* Bits that registers `first` .. get beside those that they have. */
static unsigned added_bits(const struct giver *g, const struct variable *v, uint32_t first) {
    unsigned added = 0;
    for (uint32_t r = first; r < first + v->count; r++)
        added += v->type.bits > g->widths[r] ? (unsigned)(v->type.bits - g->widths[r]) : 0u;
    return added;
}

static unsigned widen(struct giver *g, const struct variable *v) {
    unsigned sum = 0;
    for (uint32_t r = v->reg; r < (uint32_t)v->reg + v->count; r++)
        if (g->widths[r] < v->type.bits)
            g->widths[r] = v->type.bits;
    for (unsigned r = 0; r < IR_REGISTERS; r++)
        sum += g->widths[r];
    return sum;
}

/* The lowest stretch that is free; sharing, the one that needs fewest new bits.  False if there is
 * none. */
static bool find_stretch(const struct giver *g, struct ir_variable *v, uint64_t not_here) {
    unsigned best = UINT32_MAX, limit = v->is_home ? (unsigned)IR_REGISTERS : g->room.registers;
    for (uint32_t r = 0; r + v->decl.count <= limit; r++) {
        unsigned added = g->share ? added_bits(g, &v->decl, r) : 0;
        if (not_here >> r & 1 || added >= best)
            continue;
        best = added;
        v->decl.reg = (uint8_t)r;
    }
    return best != UINT32_MAX;
}

static bool give(struct giver *g, uint32_t v) {
    struct ir_variable *x = &g->p->variables.data[v];
    if (!x->decl.count)
        return true;
    if (!find_stretch(g, x, barred(g, v)))
        return false;
    vec_push(&g->placed, v);
    return widen(g, &x->decl) <= g->room.bits || x->is_home;
}

/* ---- orders ---- */

struct rank {
    uint32_t variable;
    const struct variable *decl;
};

/* The wide ones first, so that those behind them find room in registers that are wide already. */
static int by_width(const void *a, const void *b) {
    const struct rank *x = a, *y = b;
    if (x->decl->type.bits != y->decl->type.bits)
        return x->decl->type.bits < y->decl->type.bits ? 1 : -1;
    if (x->decl->count != y->decl->count)
        return x->decl->count < y->decl->count ? 1 : -1;
    return x->variable < y->variable ? -1 : x->variable > y->variable;
}

static uint32_t give_by_width(struct giver *g) {
    size_t count = g->p->variables.len;
    struct rank *order = xcalloc(count + 1, sizeof *order);
    uint32_t lacks = IR_NONE;
    for (uint32_t v = 0; v < count; v++)
        order[v] = (struct rank){v, &g->p->variables.data[v].decl};
    qsort(order, count, sizeof *order, by_width);
    for (size_t i = 0; i < count && lacks == IR_NONE; i++)
        if (!give(g, order[i].variable))
            lacks = order[i].variable;
    free(order);
    return lacks;
}

/* Those of the place alone that the program sees, or that it does not. */
static uint32_t give_place(struct giver *g, uint32_t place, bool hidden) {
    for (uint32_t v = 0; v < g->p->variables.len; v++)
        if (g->place[v] == place && g->p->variables.data[v].hidden == hidden && !give(g, v))
            return v;
    return IR_NONE;
}

static uint32_t give_in_order(struct giver *g) {
    uint32_t lacks = give_place(g, NO_INDEX, false);
    for (unsigned hidden = 0; hidden < 2; hidden++) {
        if (hidden && lacks == IR_NONE)
            lacks = give_place(g, NO_INDEX, true);
        for (uint32_t i = 0; i < g->p->groups.len && lacks == IR_NONE; i++) {
            uint32_t place = ir_group_place(g->p, i);
            bool first = true;
            for (uint32_t k = 0; k < i && first; k++)
                first = ir_group_place(g->p, k) != place;
            if (first)
                lacks = give_place(g, place, hidden);
        }
    }
    return lacks;
}

uint32_t ir_registers_give(struct ir_program *p, const struct ir_lives *l, bool share,
                           struct ir_room room) {
    struct giver g = {.p = p, .l = l, .room = room, .share = share};
    g.place = xcalloc(p->variables.len + 1, sizeof *g.place);
    for (uint32_t v = 0; v < p->variables.len; v++)
        g.place[v] = place_of(p, v);
    uint32_t lacks = share ? give_by_width(&g) : give_in_order(&g);
    free(g.place);
    vec_free(&g.placed);
    return lacks;
}

/* ---- what it means ---- */

static uint64_t bit_of(const struct variable *v, uint32_t k) {
    return (uint64_t)1 << (v->reg + k);
}

/* Not shared: what the program declares keeps its registers, whether it holds something or not;
 * inputs that are consumed give theirs back. */
static bool keeps(const struct ir_variable *v, bool share) {
    return !share && !v->hidden && !(v->decl.direction & VAR_CONSUMED);
}

/* Registers that a body at this step (over a group at `place`) must leave as they are. */
static uint64_t reserved_at(const struct ir_program *p, const struct ir_lives *l, bool share,
                            uint32_t place, uint32_t step) {
    uint64_t mask = p->taken;
    for (uint32_t v = 0; v < p->variables.len; v++) {
        const struct ir_variable *x = &p->variables.data[v];
        uint32_t own = place_of(p, v);
        if (own != NO_INDEX && place != NO_INDEX && own != place)
            continue;
        for (uint32_t k = 0; k < x->decl.count; k++)
            if (keeps(x, share) || ir_lives_holds(l, l->first[v] + k, step))
                mask |= bit_of(&x->decl, k);
    }
    return mask;
}

static void bind_vregs(struct ir_program *p, const struct ir_lives *l, bool share,
                       struct ir_code *code, uint32_t step) {
    for (size_t i = 0; i < code->vregs.len; i++) {
        struct ir_vreg *v = &code->vregs.data[i];
        if (v->variable == IR_NONE)
            continue;
        const struct ir_variable *x = &p->variables.data[v->variable];
        uint32_t slot = l->first[v->variable] + v->element;
        bool kept = step == IR_NONE || keeps(x, share);
        if (!kept && !ir_lives_holds(l, slot, step))
            continue; /* of an array of which the body names other elements */
        v->fixed = (int8_t)(x->decl.reg + v->element);
        v->dies = !kept && !ir_lives_behind(l, slot, step);
    }
}

static void bind_moves(struct ir_program *p) {
    for (size_t i = 0; i < p->moves.len; i++) {
        struct ir_move *m = &p->moves.data[i];
        const struct variable *to = &p->variables.data[m->to].decl;
        const struct variable *from = &p->variables.data[m->from].decl;
        m->record.dst_group = ir_move_to_group(p, m);
        m->record.src_group = ir_move_from_group(p, m);
        m->record.dst_reg = (uint8_t)(to->reg + m->to_element);
        m->record.src_reg = from->reg;
        if (m->record.index.kind)
            m->record.index.reg =
                (uint8_t)(p->variables.data[m->index].decl.reg + m->index_element);
    }
}

void ir_registers_bind(struct ir_program *p, const struct ir_lives *l, bool share) {
    uint64_t in_calls = p->taken;
    bind_moves(p);
    for (uint32_t s = 0; s < l->step_count; s++) {
        struct ir_node *n = l->nodes[s];
        if (!n || !n->code)
            continue;
        n->code->reserved = reserved_at(p, l, share, ir_group_place(p, n->group), s);
        bind_vregs(p, l, share, n->code, s);
        if (n->code->calls.len)
            in_calls |= reserved_at(p, l, share, NO_INDEX, s);
    }
    for (size_t i = 0; i < p->subs.len; i++) {
        p->subs.data[i]->code->reserved = in_calls;
        bind_vregs(p, l, share, p->subs.data[i]->code, IR_NONE);
    }
}

static void widen_all(uint8_t widths[IR_REGISTERS], unsigned first, uint32_t count, uint8_t bits) {
    for (uint32_t r = first; r < first + count; r++)
        if (widths[r] < bits)
            widths[r] = bits;
}

uint32_t ir_registers_rows(const struct ir_program *p) {
    uint8_t widths[IR_REGISTERS] = {0};
    uint32_t sum = 0;
    for (size_t v = 0; v < p->variables.len; v++) {
        const struct variable *x = &p->variables.data[v].decl;
        if (!p->variables.data[v].hidden)
            widen_all(widths, x->reg, x->count, x->type.bits);
    }
    for (size_t i = 0; i < p->moves.len; i++) {
        const struct move *m = &p->moves.data[i].record;
        widen_all(widths, m->dst_reg, m->dst_count, m->width);
        widen_all(widths, m->src_reg, m->src_count, m->width);
    }
    for (unsigned r = 0; r < IR_REGISTERS; r++)
        sum += widths[r];
    return sum;
}

/* ---- inputs that gave their registers away ---- */

static bool overlap(const struct variable *a, const struct variable *b) {
    return (all_of(a) & all_of(b)) != 0;
}

static bool is_ever_held(const struct ir_lives *l, uint32_t v) {
    for (uint32_t slot = l->first[v]; slot < l->first[v + 1]; slot++)
        if (ir_lives_ever(l, slot))
            return true;
    return false;
}

static uint32_t taker_of(const struct ir_program *p, const struct ir_lives *l, uint32_t v) {
    for (uint32_t w = 0; w < p->variables.len; w++)
        if (w != v && ir_registers_meet(p, v, w) && is_ever_held(l, w) &&
            overlap(&p->variables.data[v].decl, &p->variables.data[w].decl))
            return w;
    return IR_NONE;
}

/* True if a body may keep values of its own in a register of v: behind its last use. */
static bool is_given(const struct ir_lives *l, uint32_t v) {
    for (uint32_t s = 0; s < l->step_count; s++)
        for (uint32_t slot = l->first[v]; slot < l->first[v + 1]; slot++)
            if (l->nodes[s] && l->nodes[s]->code && !ir_lives_behind(l, slot, s))
                return true;
    return false;
}

uint32_t ir_registers_consume(struct ir_program *p, const struct ir_lives *l, uint32_t *taken_by,
                              uint32_t *count) {
    uint32_t first = IR_NONE;
    *count = 0;
    for (uint32_t v = 0; v < p->variables.len; v++) {
        if (p->variables.data[v].decl.direction != VAR_IN)
            continue;
        uint32_t taker = taker_of(p, l, v);
        if (taker == IR_NONE && !is_given(l, v))
            continue;
        p->variables.data[v].decl.direction |= VAR_CONSUMED;
        *taken_by = first == IR_NONE ? taker : *taken_by;
        first = first == IR_NONE ? v : first;
        ++*count;
    }
    return first;
}
