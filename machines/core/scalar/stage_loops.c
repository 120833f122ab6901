/* SPDX-License-Identifier: MIT
 * Loops of stage kernels as scalar IR: written out lap by lap, what a condition leaves out masked;
 * or, where the laps are data or too many, a loop of the IR.  What such a loop changes lies in
 * cells from lap to lap. */
#include "machines/core/scalar/stage.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Laps of one loop, and values of a lap of all rows: more is nothing that an instruction memory
 * holds. */
#define MOST_LAPS   4096u
#define MOST_VALUES 40000u
/* Elements of an array that a loop has in cells: of more it lies in memory. */
#define MOST_CELLS 8u

static const struct lane_type mask_type = {TYPE_BOOL, 1};
static const struct lane_type word_type = {TYPE_UINT, 32};

/* ---- written out ---- */

/* Whether it can be written out though its condition is data: then laps are masked. */
static bool has_most(const struct stage_stmt *s, uint32_t lap) {
    return s->counted && s->laps && s->laps <= MOST_LAPS && lap <= s->laps;
}
static bool stays(const struct scalar_stage *s, const struct stage_stmt *loop) {
    for (size_t i = 0; i < s->loops.len; i++)
        if (s->loops.data[i] == loop)
            return true;
    return s->all_loops && loop->laps != 1;
}
static void leave_lap(struct scalar_frame *f) {
    if (f->goes_on)
        f->path =
            scalar_stage_path(f, scalar_stage_either(f, scalar_stage_mask(f, f->path), f->goes_on));
    f->goes_on = 0;
}
/* Of several rows fewer are to be tried; of one the loop stays. */
static void give_up(struct scalar_frame *f, const struct stage_stmt *s) {
    if (f->g->rows > 1) {
        f->g->s->too_long = f->g->failed = true;
        return;
    }
    vec_push(&f->g->s->loops, s);
    f->g->again = true;
}

static void write_out(struct scalar_frame *f, const struct stage_stmt *s) {
    struct scalar_body *b = f->g->b;
    bool first = s->body_first;
    for (uint32_t lap = 0; !scalar_stage_dead(f); lap++) {
        scalar_id goes =
            first || !s->value ? scalar_const(b, 1, false) : scalar_stage_value(f, s->value);
        first = false;
        f->path = scalar_stage_both(b, f->path, goes);
        if (scalar_stage_dead(f))
            break;
        bool known = scalar_at(b, goes)->op == SCALAR_CONST;
        if ((known && lap > MOST_LAPS) || (!known && !has_most(s, lap)) ||
            b->values.len > MOST_VALUES) {
            give_up(f, s);
            break;
        }
        f->goes_on = 0;
        scalar_stage_list(f, s->body);
        leave_lap(f);
        if (!scalar_stage_dead(f))
            scalar_stage_list(f, s->step);
    }
}

/* ---- what a loop changes ---- */

/* One of a name's slots; of no name: what the unit keeps. */
struct carried_slot {
    const struct stage_name *name;
    uint32_t slot, array;
    struct lane_type type;
};
struct stage_lap {
    struct scalar_frame *f;
    VEC(const struct stage_name *) changed, declared;
    VEC(struct carried_slot) carried;
    bool returns;
    uint32_t returned; /* array of its cell */
};

static bool has(const struct stage_name *const *list, size_t count, const struct stage_name *n) {
    for (size_t i = 0; i < count; i++)
        if (list[i] == n)
            return true;
    return false;
}
/* What an earlier stage makes is made before the loop, not in each lap. */
static void touch(struct stage_lap *l, const struct stage_expr *e) {
    const struct stage_name *n = e->of;
    struct scalar_unit *u = l->f->unit;
    uint32_t array, first;
    if (n->kind != STAGE_PARAM || n->param->role != STAGE_IN ||
        scalar_stage_in_memory(l->f->g, u->stage, u->unit, n->param, &array, &first))
        return;
    const bool known = e->args[0]->kind == STAGE_NUMBER;
    for (uint32_t i = 0; i < n->param->count && i < 64; i++)
        if (!known || e->args[0]->value == i)
            scalar_stage_input(l->f->g, u->stage, u->unit, n->param, i);
}
static void see_value(struct stage_lap *l, const struct stage_expr *e) {
    if (!e)
        return;
    if (e->kind == STAGE_ELEMENT)
        touch(l, e);
    for (unsigned i = 0; i < 3; i++)
        see_value(l, e->args[i]);
}
static void see(struct stage_lap *l, const struct stage_stmt *s) {
    for (; s; s = s->next) {
        if (s->kind == STAGE_DECLARE)
            vec_push(&l->declared, s->of);
        if (s->kind == STAGE_ASSIGN) {
            if (!has(l->changed.data, l->changed.len, s->target->of))
                vec_push(&l->changed, s->target->of);
            see_value(l, s->target->args[0]);
        }
        l->returns |= s->kind == STAGE_RETURN;
        see_value(l, s->value);
        for (const struct stage_expr *e = s->list; e; e = e->next)
            see_value(l, e);
        see(l, s->first);
        see(l, s->body);
        see(l, s->otherwise);
        see(l, s->step);
    }
}

static uint32_t new_cell(struct scalar_frame *f) {
    const struct lane_type eight = {TYPE_UINT, 64};
    return scalar_stage_array(f->g->s, SCALAR_CELL_AT, f->g->cells++, NULL, eight, 1);
}
static void carry(struct stage_lap *l, const struct stage_name *n) {
    const uint32_t count = n->kind == STAGE_LOCAL ? 1 : scalar_stage_count(n);
    if (n->kind != STAGE_LOCAL && scalar_stage_has_room(l->f->g->s, scalar_stage_owner(n)))
        return;
    if (count > MOST_CELLS) {
        scalar_stage_want_room(l->f, n);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        vec_push(&l->carried, ((struct carried_slot){
                                  .name = n, .slot = i, .array = new_cell(l->f), .type = n->type}));
}
static void find_changes(struct stage_lap *l, const struct stage_stmt *s) {
    see(l, s->body);
    see(l, s->step);
    see_value(l, s->value);
    for (size_t i = 0; i < l->changed.len; i++)
        if (!has(l->declared.data, l->declared.len, l->changed.data[i]))
            carry(l, l->changed.data[i]);
    if (!l->returns)
        return;
    l->returned = new_cell(l->f);
    if (l->f->unit->stage->pattern == STAGE_FILTER)
        vec_push(&l->carried, ((struct carried_slot){.array = new_cell(l->f), .type = mask_type}));
}

/* ---- cells ---- */

static void put(struct scalar_frame *f, uint32_t array, struct lane_type type, scalar_id value) {
    scalar_store(f->g->b, array, object_element_bytes(type), value);
}
static scalar_id get(struct scalar_frame *f, uint32_t array, struct lane_type type) {
    const unsigned bytes = object_element_bytes(type);
    return scalar_cell(f->g->b, array, bytes, type.kind == TYPE_BOOL ? 1 : 8 * bytes);
}
static scalar_id now(struct scalar_frame *f, const struct carried_slot *c) {
    scalar_id v = c->name ? scalar_stage_held(f, c->name, c->slot) : f->unit->keep;
    return c->type.kind == TYPE_BOOL ? scalar_clean(f->g->b, v, 1) : v;
}
static void put_all(struct stage_lap *l) {
    for (size_t i = 0; i < l->carried.len; i++)
        put(l->f, l->carried.data[i].array, l->carried.data[i].type,
            now(l->f, &l->carried.data[i]));
    if (l->returns)
        put(l->f, l->returned, mask_type,
            l->f->returned ? l->f->returned : scalar_const(l->f->g->b, 0, false));
}
static void get_all(struct stage_lap *l) {
    struct scalar_unit *u = l->f->unit;
    for (size_t i = 0; i < l->carried.len; i++) {
        const struct carried_slot *c = &l->carried.data[i];
        scalar_id v = get(l->f, c->array, c->type);
        if (c->name)
            u->slots[scalar_stage_slot(c->name) + c->slot] = v;
        else
            u->keep = v;
    }
}

/* One that never ends stops; of those whose laps are counted it is known that they do.  A unit has
 * one counter for all of its loops. */
static void count_lap(struct scalar_frame *f, const struct stage_stmt *s) {
    struct scalar_body *b = f->g->b;
    if (s->laps)
        return;
    const uint32_t most = (uint32_t)STAGE_ELEMENT_STEPS;
    scalar_id n = scalar_two(b, SCALAR_ADD, get(f, f->laps, word_type), scalar_const(b, 1, false));
    put(f, f->laps, word_type, n);
    vec_push(&f->g->s->sites, ((struct scalar_stage_site){.stage = f->unit->stage,
                                                          .line = s->line,
                                                          .unit = f->unit->unit,
                                                          .type = word_type,
                                                          .bound = NO_INDEX}));
    scalar_stage_stop(f, scalar_two(b, SCALAR_LTU, scalar_const(b, most, false), n), n);
}

/* ---- a loop of the IR ---- */

static scalar_id goes(struct scalar_frame *f, const struct stage_stmt *s) {
    if (!s->value || scalar_stage_dead(f))
        return f->path;
    scalar_id more = scalar_stage_value(f, s->value);
    return scalar_stage_both(f->g->b, f->path, more);
}
static void lap(struct stage_lap *l, const struct stage_stmt *s, scalar_id enters) {
    struct scalar_frame *f = l->f;
    struct scalar_body *b = f->g->b;
    put_all(l);
    const scalar_id loop = scalar_loop_begin(b, enters);
    f->path = f->returned = f->goes_on = 0;
    get_all(l);
    count_lap(f, s);
    scalar_stage_list(f, s->body);
    leave_lap(f);
    if (!scalar_stage_dead(f))
        scalar_stage_list(f, s->step);
    scalar_id more = goes(f, s);
    put_all(l);
    scalar_loop_end(b, loop, scalar_stage_mask(f, more));
}
static void stay(struct scalar_frame *f, const struct stage_stmt *s) {
    struct stage_lap l = {.f = f};
    struct scalar_unit *u = f->unit;
    const bool outermost = !f->laps;
    const scalar_id returned = f->returned;
    const size_t slots = ((size_t)u->stage->slots + 1) * sizeof *u->slots;
    find_changes(&l, s);
    const scalar_id more = s->body_first ? f->path : goes(f, s),
                    enters = scalar_stage_both(f->g->b, u->valid, more);
    if (!f->g->failed && !f->g->again && !scalar_stage_never(f->g->b, enters)) {
        const size_t units = f->g->units.len;
        if (outermost) {
            f->laps = new_cell(f);
            put(f, f->laps, word_type, scalar_const(f->g->b, 0, false));
        }
        for (size_t i = 0; i < l.carried.len; i++) /* what is loaded at last is so for both ways */
            now(f, &l.carried.data[i]);
        scalar_id *before = xmalloc(slots);
        memcpy(before, u->slots, slots);
        lap(&l, s, enters);
        memcpy(u->slots, before, slots);
        free(before);
        scalar_stage_forget(f->g, units);
        get_all(&l);
        f->returned = l.returns ? get(f, l.returned, mask_type) : returned;
        f->laps = outermost ? 0 : f->laps;
    }
    vec_free(&l.changed);
    vec_free(&l.declared);
    vec_free(&l.carried);
}

void scalar_stage_loop(struct scalar_frame *f, const struct stage_stmt *s) {
    struct scalar_body *b = f->g->b;
    const scalar_id before = f->path, outer = f->goes_on, returned = f->returned;
    scalar_stage_list(f, s->first);
    if (stays(f->g->s, s))
        stay(f, s);
    else
        write_out(f, s);
    f->goes_on = outer;
    f->path = before;
    if (f->returned != returned)
        f->path = scalar_stage_both(
            b, before, scalar_two(b, SCALAR_XOR, f->returned, scalar_const(b, 1, false)));
}
