/* SPDX-License-Identifier: MIT
 * Variables without a group lie in every VRF; those of groups at different places never meet in a
 * VRF and may have the same registers. */
#include "ezpim/ir/registers.h"
#include "ezpim/ir/build.h"
#include "support/map.h"

#include <stdlib.h>
#include <string.h>

/* NO_INDEX: it lies in VRFs of several places. */
static uint32_t place_of(const struct ir_program *program, uint32_t value) {
    const struct variable *x = &program->variables.data[value].decl;
    if (program->one_place)
        return NO_INDEX;
    if (x->group != NO_INDEX)
        return ir_group_place(program, x->group);
    if (!x->scope.count)
        return NO_INDEX;
    uint32_t place = ir_group_place(program, x->scope.groups[0]);
    for (uint32_t i = 1; i < x->scope.count; i++)
        if (ir_group_place(program, x->scope.groups[i]) != place)
            return NO_INDEX;
    return place;
}

bool ir_registers_meet(const struct ir_program *program, uint32_t left, uint32_t right) {
    uint32_t x = place_of(program, left), y = place_of(program, right);
    return x == NO_INDEX || y == NO_INDEX || x == y;
}

uint64_t ir_registers_of(const struct variable *variable) {
    uint64_t all = variable->count >= 64 ? UINT64_MAX : ((uint64_t)1 << variable->count) - 1;
    return all << variable->reg;
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

static struct places find_places(const struct ir_program *program) {
    struct places s = {xcalloc(program->variables.len + 1, sizeof *s.of), 1};
    struct map numbers = {0};
    for (uint32_t i = 0; i < program->groups.len; i++)
        number_place(&numbers, ir_group_place(program, i), &s.count);
    for (uint32_t v = 0; v < program->variables.len; v++) {
        uint32_t place = place_of(program, v);
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
    bool spilled; /* some variable is */
    struct places places;
    struct occupied *occupied;    /* [places] */
    uint8_t widths[IR_REGISTERS]; /* bits that each register has by now */
};

/* Not shared: such a variable has its registers for good. */
static bool is_kept(const struct giver *giver, uint32_t value) {
    return !giver->share && !giver->p->variables.data[value].hidden;
}

static const uint64_t *steps_of(const struct giver *giver, uint32_t value, uint32_t index) {
    return giver->l->held + (giver->l->first[value] + index) * giver->l->step_words;
}

/* True if nothing else at the places of `value` has its register `index` while that one would be in
 * `reg`. */
static bool is_free(const struct giver *giver, uint32_t value, uint32_t index, uint32_t reg) {
    const struct occupied *o = &giver->occupied[giver->places.of[value]];
    if ((giver->p->taken | o->good | (is_kept(giver, value) ? o->some : 0)) >> reg & 1)
        return false;
    if (!(o->some >> reg & 1))
        return true;
    const uint64_t *a = steps_of(giver, value, index), *b = o->steps + reg * giver->l->step_words;
    for (size_t x = 0; x < giver->l->step_words; x++)
        if (a[x] & b[x])
            return false;
    return true;
}

static bool is_free_stretch(const struct giver *giver, uint32_t value, uint32_t first) {
    uint32_t count = giver->p->variables.data[value].decl.count;
    for (uint32_t k = 0; k < count; k++)
        if (!is_free(giver, value, k, first + k))
            return false;
    return true;
}

static void occupy_at(struct giver *giver, uint32_t value, struct occupied *occupied) {
    const struct variable *x = &giver->p->variables.data[value].decl;
    size_t words = giver->l->step_words;
    if (!occupied->steps)
        occupied->steps = xcalloc(IR_REGISTERS * words + 1, sizeof *occupied->steps);
    for (uint32_t k = 0; k < x->count; k++) {
        const uint64_t *steps = steps_of(giver, value, k);
        uint64_t *all = occupied->steps + (x->reg + k) * words;
        for (size_t i = 0; i < words; i++)
            all[i] |= steps[i];
    }
    occupied->some |= ir_registers_of(x);
    occupied->good |= is_kept(giver, value) ? ir_registers_of(x) : 0;
}

static void occupy(struct giver *giver, uint32_t value) {
    uint32_t place = giver->places.of[value];
    for (uint32_t i = 0; i < giver->places.count; i++)
        if (i == 0 || place == 0 || i == place)
            occupy_at(giver, value, &giver->occupied[i]);
}

static unsigned columns_of(const struct ir_room *room, unsigned bits) {
    return room->sections ? (bits + room->sections - 1) / room->sections : 0;
}

/* What registers `first` .. get beside what they have: columns, and behind them bits. */
static unsigned added_room(const struct giver *giver, const struct variable *variable,
                           uint32_t first) {
    enum { MORE_THAN_BITS = 64 * IR_REGISTERS + 1 };
    unsigned bits = 0, columns = 0, wanted = variable->type.bits;
    for (uint32_t r = first; r < first + variable->count; r++) {
        if (wanted <= giver->widths[r])
            continue;
        bits += wanted - giver->widths[r];
        columns += columns_of(&giver->room, wanted) - columns_of(&giver->room, giver->widths[r]);
    }
    return bits + columns * MORE_THAN_BITS;
}

static void widen(struct giver *giver, const struct variable *variable) {
    for (uint32_t r = variable->reg; r < (uint32_t)variable->reg + variable->count; r++)
        if (giver->widths[r] < variable->type.bits)
            giver->widths[r] = variable->type.bits;
}

static bool is_within(const struct giver *giver) {
    unsigned bits = 0, columns = 0;
    for (unsigned r = 0; r < IR_REGISTERS; r++) {
        bits += giver->widths[r];
        columns += columns_of(&giver->room, giver->widths[r]);
    }
    return bits <= giver->room.bits && (!giver->room.sections || columns <= giver->room.columns);
}

/* The lowest stretch that is free; sharing, the one that needs least room.  False if there is none.
 */
static bool find_stretch(const struct giver *giver, uint32_t value) {
    struct ir_variable *x = &giver->p->variables.data[value];
    unsigned best = UINT32_MAX, limit = x->is_home ? (unsigned)IR_REGISTERS : giver->room.registers;
    for (uint32_t r = 0; r + x->decl.count <= limit && best; r++) {
        unsigned added = giver->share ? added_room(giver, &x->decl, r) : 0;
        if (added >= best || !is_free_stretch(giver, value, r))
            continue;
        best = added;
        x->decl.reg = (uint8_t)r;
    }
    return best != UINT32_MAX;
}

static bool give(struct giver *giver, uint32_t value) {
    struct ir_variable *x = &giver->p->variables.data[value];
    if (!x->decl.count)
        return true;
    if (!find_stretch(giver, value))
        return false;
    occupy(giver, value);
    x->given = true;
    widen(giver, &x->decl);
    return is_within(giver) || x->is_home;
}

/* ---- orders ---- */

struct rank {
    uint32_t variable;
    unsigned turn;  /* what lives for long, what stands for a spilled variable, homes of these */
    uint32_t begin; /* where variables are spilled: the first step at which it is held */
    const struct variable *decl;
};

/* What lives for long first, then what stands for others around a node, then their homes, which can
 * do with any registers; the wide ones first, so that those behind them find room in registers
 * that are wide already.  Where variables are spilled most of one width are intervals of steps:
 * given the first free register in the order in which they begin, they take no more than are held
 * at once. */
static int by_width(const void *left, const void *right) {
    const struct rank *x = left, *y = right;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    if (x->decl->type.bits != y->decl->type.bits)
        return x->decl->type.bits < y->decl->type.bits ? 1 : -1;
    if (x->decl->count != y->decl->count)
        return x->decl->count < y->decl->count ? 1 : -1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->variable < y->variable ? -1 : x->variable > y->variable;
}

static uint32_t first_step(const struct ir_lives *lives, uint32_t value) {
    for (uint64_t word = 0; word < lives->step_words; word++) {
        uint64_t held = 0;
        for (uint32_t slot = lives->first[value]; slot < lives->first[value + 1]; slot++)
            held |= lives->held[slot * lives->step_words + word];
        if (held)
            return (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(held);
    }
    return 0;
}

static struct rank rank_of(const struct giver *giver, uint32_t value) {
    const struct ir_variable *v = &giver->p->variables.data[value];
    uint32_t begin = giver->spilled ? first_step(giver->l, value) : 0;
    unsigned turn = v->is_home ? 2 : v->spilled_to != IR_NONE;
    return (struct rank){value, turn, begin, &v->decl};
}

static uint32_t give_by_width(struct giver *giver) {
    size_t count = giver->p->variables.len;
    struct rank *order = xcalloc(count + 1, sizeof *order);
    uint32_t lacks = IR_NONE;
    for (uint32_t v = 0; v < count; v++)
        giver->spilled |= giver->p->variables.data[v].spilled_to != IR_NONE;
    for (uint32_t v = 0; v < count; v++)
        order[v] = rank_of(giver, v);
    qsort(order, count, sizeof *order, by_width);
    for (size_t i = 0; i < count && lacks == IR_NONE; i++)
        if (!give(giver, order[i].variable))
            lacks = order[i].variable;
    free(order);
    return lacks;
}

/* Those of the place alone that the program sees, or that it does not. */
static uint32_t give_place(struct giver *giver, uint32_t place, bool hidden) {
    for (uint32_t v = 0; v < giver->p->variables.len; v++)
        if (giver->places.of[v] == place && giver->p->variables.data[v].hidden == hidden &&
            !give(giver, v))
            return v;
    return IR_NONE;
}

static uint32_t give_in_order(struct giver *giver) {
    uint32_t lacks = IR_NONE;
    for (unsigned hidden = 0; hidden < 2; hidden++)
        for (uint32_t place = 0; place < giver->places.count && lacks == IR_NONE; place++)
            lacks = give_place(giver, place, hidden);
    return lacks;
}

uint32_t ir_registers_give(struct ir_program *program, const struct ir_lives *lives, bool share,
                           struct ir_room room) {
    struct giver g = {
        .p = program, .l = lives, .room = room, .share = share, .places = find_places(program)};
    g.occupied = xcalloc(g.places.count, sizeof *g.occupied);
    for (uint32_t v = 0; v < program->variables.len; v++)
        program->variables.data[v].given = false;
    uint32_t lacks = share ? give_by_width(&g) : give_in_order(&g);
    for (uint32_t i = 0; i < g.places.count; i++)
        free(g.occupied[i].steps);
    free(g.occupied);
    free(g.places.of);
    return lacks;
}

static unsigned held_at_end(const struct ir_lives *lives, uint32_t value) {
    unsigned held = 0;
    for (uint32_t slot = lives->first[value]; slot < lives->first[value + 1]; slot++)
        held += ir_lives_holds(lives, slot, lives->step_count - 1);
    return held;
}

bool ir_registers_full_at_end(const struct ir_program *program, const struct ir_lives *lives) {
    struct places places = find_places(program);
    unsigned *held = xcalloc(places.count, sizeof *held);
    bool full = false;
    for (uint32_t v = 0; v < program->variables.len; v++)
        held[places.of[v]] += held_at_end(lives, v);
    for (uint32_t i = 0; i < places.count; i++)
        full |= held[i] + (i ? held[0] : 0) > IR_REGISTERS;
    free(held);
    free(places.of);
    return full;
}

/* ---- what it means ---- */

static uint64_t bit_of(const struct variable *variable, uint32_t index) {
    return (uint64_t)1 << (variable->reg + index);
}

/* Not shared: what the program declares keeps its registers, whether it holds something or not;
 * inputs that are consumed give theirs back. */
static bool keeps(const struct ir_variable *variable, bool share) {
    return !share && !variable->hidden && !(variable->decl.direction & VAR_CONSUMED);
}

/* What bodies must leave as it is. */
struct reserver {
    const struct ir_program *p;
    const struct ir_lives *l;
    bool share;
    uint32_t *variable; /* [slots] */
    uint32_t *place;    /* [variables]; NO_INDEX: several */
    uint32_t at;        /* the place that was asked for last, and what is kept there */
    uint64_t kept;
    bool known;
};

static struct reserver open_reserver(const struct ir_program *program, const struct ir_lives *lives,
                                     bool share) {
    struct reserver r = {.p = program,
                         .l = lives,
                         .share = share,
                         .variable = xcalloc((size_t)lives->slots + 1, sizeof *r.variable),
                         .place = xcalloc(program->variables.len + 1, sizeof *r.place)};
    for (uint32_t v = 0; v < program->variables.len; v++) {
        r.place[v] = place_of(program, v);
        for (uint32_t slot = lives->first[v]; slot < lives->first[v + 1]; slot++)
            r.variable[slot] = v;
    }
    return r;
}

static void close_reserver(struct reserver *reserver) {
    free(reserver->variable);
    free(reserver->place);
}

static bool is_at(const struct reserver *reserver, uint32_t value, uint32_t place) {
    return place == NO_INDEX || reserver->place[value] == NO_INDEX ||
           reserver->place[value] == place;
}

/* Registers that variables have at the place, whatever they hold. */
static uint64_t kept_at(struct reserver *reserver, uint32_t place) {
    uint64_t mask = reserver->p->taken;
    if (reserver->known && reserver->at == place)
        return reserver->kept;
    for (uint32_t v = 0; v < reserver->p->variables.len; v++)
        if (keeps(&reserver->p->variables.data[v], reserver->share) && is_at(reserver, v, place))
            mask |= ir_registers_of(&reserver->p->variables.data[v].decl);
    reserver->at = place;
    reserver->kept = mask;
    reserver->known = true;
    return mask;
}

/* Registers that a body at this step (over a group at `place`) must leave as they are. */
static uint64_t reserved_at(struct reserver *reserver, uint32_t place, uint32_t step) {
    uint64_t mask = kept_at(reserver, place);
    const struct ir_lives *l = reserver->l;
    for (size_t i = 0; i < l->slot_words; i++)
        for (uint64_t word = l->held_at[step * l->slot_words + i]; word; word &= word - 1) {
            uint32_t slot = (uint32_t)(64 * i) + (uint32_t)__builtin_ctzll(word);
            uint32_t v = reserver->variable[slot];
            if (is_at(reserver, v, place))
                mask |= bit_of(&reserver->p->variables.data[v].decl, slot - l->first[v]);
        }
    return mask;
}

static void bind_vregs(struct ir_program *program, const struct ir_lives *lives, bool share,
                       struct ir_code *code, uint32_t step) {
    for (size_t i = 0; i < code->vregs.len; i++) {
        struct ir_vreg *v = &code->vregs.data[i];
        if (v->variable == IR_NONE)
            continue;
        const struct ir_variable *x = &program->variables.data[v->variable];
        uint32_t slot = lives->first[v->variable] + v->element;
        bool kept = step == IR_NONE || keeps(x, share);
        if (!kept && !ir_lives_holds(lives, slot, step))
            continue; /* of an array of which the body names other elements */
        v->fixed = (int8_t)(x->decl.reg + v->element);
        v->dies = !kept && !ir_lives_behind(lives, slot, step);
    }
}

static void bind_moves(struct ir_program *program) {
    for (size_t i = 0; i < program->moves.len; i++) {
        struct ir_move *m = &program->moves.data[i];
        const struct variable *to = &program->variables.data[m->to].decl;
        const struct variable *from = &program->variables.data[m->from].decl;
        m->record.dst_group = ir_move_to_group(program, m);
        m->record.src_group = ir_move_from_group(program, m);
        m->record.dst_reg = (uint8_t)(to->reg + m->to_element);
        m->record.src_reg = from->reg;
        if (m->record.index.kind)
            m->record.index.reg =
                (uint8_t)(program->variables.data[m->index].decl.reg + m->index_element);
    }
}

void ir_registers_bind(struct ir_program *program, const struct ir_lives *lives, bool share) {
    struct reserver r = open_reserver(program, lives, share);
    uint64_t in_calls = program->taken;
    bind_moves(program);
    for (uint32_t s = 0; s < lives->step_count; s++) {
        struct ir_node *n = lives->nodes[s];
        if (!n || !n->code)
            continue;
        n->code->reserved = reserved_at(&r, ir_group_place(program, n->group), s);
        bind_vregs(program, lives, share, n->code, s);
        if (n->code->calls.len)
            in_calls |= reserved_at(&r, NO_INDEX, s);
    }
    for (size_t i = 0; i < program->subs.len; i++) {
        program->subs.data[i]->code->reserved = in_calls;
        bind_vregs(program, lives, share, program->subs.data[i]->code, IR_NONE);
    }
    close_reserver(&r);
}

static void widen_all(uint8_t widths[IR_REGISTERS], unsigned first, uint32_t count, uint8_t bits) {
    for (uint32_t r = first; r < first + count; r++)
        if (widths[r] < bits)
            widths[r] = bits;
}

void ir_registers_bits(const struct ir_program *program, uint8_t bits[IR_REGISTERS]) {
    memset(bits, 0, IR_REGISTERS);
    for (size_t v = 0; v < program->variables.len; v++) {
        const struct variable *x = &program->variables.data[v].decl;
        if (!program->variables.data[v].hidden)
            widen_all(bits, x->reg, x->count, x->type.bits);
    }
    for (size_t i = 0; i < program->moves.len; i++) {
        const struct move *m = &program->moves.data[i].record;
        widen_all(bits, m->dst_reg, m->dst_count, m->width);
        widen_all(bits, m->src_reg, m->src_count, m->width);
    }
}

/* ---- inputs that gave their registers away ---- */

static bool overlap(const struct variable *left, const struct variable *right) {
    return (ir_registers_of(left) & ir_registers_of(right)) != 0;
}

static bool is_ever_held(const struct ir_lives *lives, uint32_t value) {
    for (uint32_t slot = lives->first[value]; slot < lives->first[value + 1]; slot++)
        if (ir_lives_ever(lives, slot))
            return true;
    return false;
}

static uint32_t taker_of(const struct ir_program *program, const struct ir_lives *lives,
                         uint32_t value) {
    for (uint32_t w = 0; w < program->variables.len; w++)
        if (w != value && ir_registers_meet(program, value, w) && is_ever_held(lives, w) &&
            overlap(&program->variables.data[value].decl, &program->variables.data[w].decl))
            return w;
    return IR_NONE;
}

/* True if a body may keep values of its own in a register of `value`: behind its last use. */
static bool is_given(const struct ir_lives *lives, uint32_t value) {
    for (uint32_t s = 0; s < lives->step_count; s++)
        for (uint32_t slot = lives->first[value]; slot < lives->first[value + 1]; slot++)
            if (lives->nodes[s] && lives->nodes[s]->code && !ir_lives_behind(lives, slot, s))
                return true;
    return false;
}

uint32_t ir_registers_consume(struct ir_program *program, const struct ir_lives *lives,
                              uint32_t *taken_by, uint32_t *count) {
    uint32_t first = IR_NONE;
    *count = 0;
    for (uint32_t v = 0; v < program->variables.len; v++) {
        if (program->variables.data[v].decl.direction != VAR_IN)
            continue;
        uint32_t taker = taker_of(program, lives, v);
        if (taker == IR_NONE && !is_given(lives, v))
            continue;
        program->variables.data[v].decl.direction |= VAR_CONSUMED;
        *taken_by = first == IR_NONE ? taker : *taken_by;
        first = first == IR_NONE ? v : first;
        ++*count;
    }
    return first;
}
