/* SPDX-License-Identifier: MIT
 * Variables without a group lie in every VRF; those of groups at different places never meet in a
 * VRF and may have the same registers. */
#include "ezpim/ir_registers.h"
#include "ezpim/ir_build.h"
#include "support/map.h"

#include <stdlib.h>

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

/* ---- places ---- */

/* The place of each variable as a small number, in the order of the groups; 0: it lies in VRFs of
 * several. */
struct places {
    uint32_t *of; /* [variables] */
    uint32_t count;
};

/* The number of a place: a new one where it has none. */
static uint32_t number_place(struct map *numbers, uint32_t place, uint32_t *count) {
    const uint64_t *known = map_get_n(numbers, (const char *)&place, sizeof place);
    if (known)
        return (uint32_t)*known;
    map_put_n(numbers, (const char *)&place, sizeof place, *count);
    return (*count)++;
}

static struct places find_places(const struct ir_program *p) {
    struct places s = {xcalloc(p->variables.len + 1, sizeof *s.of), 1};
    struct map numbers = {0};
    for (uint32_t i = 0; i < p->groups.len; i++)
        number_place(&numbers, ir_group_place(p, i), &s.count);
    for (uint32_t v = 0; v < p->variables.len; v++) {
        uint32_t place = place_of(p, v);
        s.of[v] = place == NO_INDEX ? 0 : number_place(&numbers, place, &s.count);
    }
    map_free(&numbers);
    return s;
}

/* ---- who has a register when ---- */

/* Who has registers at a place, or (place 0) anywhere: registers that some variable has, those that
 * one has for good, and for each the steps at which one is held in it.  Whatever lies in VRFs of
 * several places counts at all of them. */
struct occupied {
    uint64_t some, good;
    uint64_t *steps; /* [IR_REGISTERS][step_words] */
};

struct giver {
    struct ir_program *p;
    const struct ir_lives *l;
    struct ir_room room;
    bool share;
    struct places places;
    struct occupied *occupied;    /* [places] */
    uint8_t widths[IR_REGISTERS]; /* bits that each register has by now */
};

/* Not shared: such a variable has its registers for good. */
static bool is_kept(const struct giver *g, uint32_t v) {
    return !g->share && !g->p->variables.data[v].hidden;
}

static const uint64_t *steps_of(const struct giver *g, uint32_t v, uint32_t k) {
    return g->l->held + (g->l->first[v] + k) * g->l->step_words;
}

/* True if nothing else at the places of v has its register k while that one would be in `reg`. */
static bool is_free(const struct giver *g, uint32_t v, uint32_t k, uint32_t reg) {
    const struct occupied *o = &g->occupied[g->places.of[v]];
    if ((g->p->taken | o->good | (is_kept(g, v) ? o->some : 0)) >> reg & 1)
        return false;
    if (!(o->some >> reg & 1))
        return true;
    const uint64_t *a = steps_of(g, v, k), *b = o->steps + reg * g->l->step_words;
    uint64_t both = 0;
    for (size_t x = 0; x < g->l->step_words; x++)
        both |= a[x] & b[x];
    return !both;
}

static bool is_free_stretch(const struct giver *g, uint32_t v, uint32_t first) {
    uint32_t count = g->p->variables.data[v].decl.count;
    for (uint32_t k = 0; k < count; k++)
        if (!is_free(g, v, k, first + k))
            return false;
    return true;
}

static void occupy_at(struct giver *g, uint32_t v, struct occupied *o) {
    const struct variable *x = &g->p->variables.data[v].decl;
    size_t words = g->l->step_words;
    if (!o->steps)
        o->steps = xcalloc(IR_REGISTERS * words + 1, sizeof *o->steps);
    for (uint32_t k = 0; k < x->count; k++) {
        const uint64_t *steps = steps_of(g, v, k);
        uint64_t *all = o->steps + (x->reg + k) * words;
        for (size_t i = 0; i < words; i++)
            all[i] |= steps[i];
    }
    o->some |= all_of(x);
    o->good |= is_kept(g, v) ? all_of(x) : 0;
}

static void occupy(struct giver *g, uint32_t v) {
    uint32_t place = g->places.of[v];
    for (uint32_t i = 0; i < g->places.count; i++)
        if (i == 0 || place == 0 || i == place)
            occupy_at(g, v, &g->occupied[i]);
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
static bool find_stretch(const struct giver *g, uint32_t v) {
    struct ir_variable *x = &g->p->variables.data[v];
    unsigned best = UINT32_MAX, limit = x->is_home ? (unsigned)IR_REGISTERS : g->room.registers;
    for (uint32_t r = 0; r + x->decl.count <= limit && best; r++) {
        unsigned added = g->share ? added_bits(g, &x->decl, r) : 0;
        if (added >= best || !is_free_stretch(g, v, r))
            continue;
        best = added;
        x->decl.reg = (uint8_t)r;
    }
    return best != UINT32_MAX;
}

static bool give(struct giver *g, uint32_t v) {
    struct ir_variable *x = &g->p->variables.data[v];
    if (!x->decl.count)
        return true;
    if (!find_stretch(g, v))
        return false;
    occupy(g, v);
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
        if (g->places.of[v] == place && g->p->variables.data[v].hidden == hidden && !give(g, v))
            return v;
    return IR_NONE;
}

static uint32_t give_in_order(struct giver *g) {
    uint32_t lacks = IR_NONE;
    for (unsigned hidden = 0; hidden < 2; hidden++)
        for (uint32_t place = 0; place < g->places.count && lacks == IR_NONE; place++)
            lacks = give_place(g, place, hidden);
    return lacks;
}

uint32_t ir_registers_give(struct ir_program *p, const struct ir_lives *l, bool share,
                           struct ir_room room) {
    struct giver g = {.p = p, .l = l, .room = room, .share = share, .places = find_places(p)};
    g.occupied = xcalloc(g.places.count, sizeof *g.occupied);
    uint32_t lacks = share ? give_by_width(&g) : give_in_order(&g);
    for (uint32_t i = 0; i < g.places.count; i++)
        free(g.occupied[i].steps);
    free(g.occupied);
    free(g.places.of);
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

/* What bodies must leave as it is. */
struct reserver {
    const struct ir_program *p;
    const struct ir_lives *l;
    bool share;
    uint32_t *variable; /* [slots] */
    uint32_t *place;    /* [variables]; NO_INDEX: several */
};

static struct reserver open_reserver(const struct ir_program *p, const struct ir_lives *l,
                                     bool share) {
    struct reserver r = {p, l, share, xcalloc((size_t)l->slots + 1, sizeof *r.variable),
                         xcalloc(p->variables.len + 1, sizeof *r.place)};
    for (uint32_t v = 0; v < p->variables.len; v++) {
        r.place[v] = place_of(p, v);
        for (uint32_t slot = l->first[v]; slot < l->first[v + 1]; slot++)
            r.variable[slot] = v;
    }
    return r;
}

static void close_reserver(struct reserver *r) {
    free(r->variable);
    free(r->place);
}

static bool is_at(const struct reserver *r, uint32_t v, uint32_t place) {
    return place == NO_INDEX || r->place[v] == NO_INDEX || r->place[v] == place;
}

/* Registers that variables have at the place, whatever they hold. */
static uint64_t kept_at(const struct reserver *r, uint32_t place) {
    uint64_t mask = r->p->taken;
    for (uint32_t v = 0; v < r->p->variables.len; v++)
        if (keeps(&r->p->variables.data[v], r->share) && is_at(r, v, place))
            mask |= all_of(&r->p->variables.data[v].decl);
    return mask;
}

/* Registers that a body at this step (over a group at `place`) must leave as they are. */
static uint64_t reserved_at(const struct reserver *r, uint32_t place, uint32_t step) {
    uint64_t mask = kept_at(r, place);
    const struct ir_lives *l = r->l;
    for (size_t i = 0; i < l->slot_words; i++)
        for (uint64_t word = l->held_at[step * l->slot_words + i]; word; word &= word - 1) {
            uint32_t slot = (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(word);
            uint32_t v = r->variable[slot];
            if (is_at(r, v, place))
                mask |= bit_of(&r->p->variables.data[v].decl, slot - l->first[v]);
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
    struct reserver r = open_reserver(p, l, share);
    uint64_t in_calls = p->taken;
    bind_moves(p);
    for (uint32_t s = 0; s < l->step_count; s++) {
        struct ir_node *n = l->nodes[s];
        if (!n || !n->code)
            continue;
        n->code->reserved = reserved_at(&r, ir_group_place(p, n->group), s);
        bind_vregs(p, l, share, n->code, s);
        if (n->code->calls.len)
            in_calls |= reserved_at(&r, NO_INDEX, s);
    }
    for (size_t i = 0; i < p->subs.len; i++) {
        p->subs.data[i]->code->reserved = in_calls;
        bind_vregs(p, l, share, p->subs.data[i]->code, IR_NONE);
    }
    close_reserver(&r);
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
