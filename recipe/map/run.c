/* SPDX-License-Identifier: MIT
 * One sequence of micro-ops, carried out on places of the segment: which rows it works in, where
 * its inputs are read, what is there already. */
#include "recipe/map/lower.h"

#include <string.h>

/* --- what the steps make --- */

static bool reads_old(const struct map_lowering *l, const struct op_use *u) {
    return plane_target(l->t)->ops[u->op].reads_old;
}

static uint32_t old_value(struct map_lowering *l, const struct op_use *u, uint32_t there) {
    const struct target_op *op = &plane_target(l->t)->ops[u->op];
    return op->preset ? mapping_value_constant(&l->values,
                                               plane_target(l->t)->ops[op->preset - 1].truth[0] & 1)
                      : there;
}

void mapping_run_fill(struct map_lowering *l, struct template_run *r) {
    const struct op_frame *f = &l->d->frame;
    uint32_t at[FRAME_MAX];
    for (unsigned i = 0; i < f->count; i++)
        at[i] = i < FRAME_INPUTS       ? r->inputs[i]
                : i < f->first_written ? mapping_value_constant(&l->values, f->places[i].number)
                                       : NOTHING;
    for (unsigned s = 0; s < r->t->step_count; s++) {
        const struct op_use *u = &r->t->steps[s];
        const struct target_op *op = &plane_target(l->t)->ops[u->op];
        uint32_t src[OP_MAX_SOURCES + 1];
        for (unsigned i = 0; i < u->nsrc; i++)
            src[i] = at[u->src[i]];
        for (unsigned d = 0; d < u->ndst; d++) {
            if (op->reads_old)
                src[u->nsrc] = old_value(l, u, at[u->dst[d]]);
            r->results[s][d] = mapping_value_apply(&l->values, op->truth[d], src,
                                                   u->nsrc + (unsigned)op->reads_old);
        }
        for (unsigned d = 0; d < u->ndst; d++)
            at[u->dst[d]] = r->results[s][d];
    }
}

/* --- what holds what --- */

uint32_t mapping_new_spot(struct map_lowering *l, struct spot s) {
    vec_push(&l->spots, s);
    return (uint32_t)l->spots.len - 1;
}

uint32_t mapping_plan_find(const struct map_lowering *l, const struct plan *p, uint32_t value,
                           bool lasting) {
    for (size_t i = 0; i < p->held.len; i++) {
        const struct spot *s = &l->spots.data[p->held.data[i].spot];
        if (p->held.data[i].value == value && !s->lost && (!lasting || (s->home && !s->fleeting)))
            return p->held.data[i].spot;
    }
    return NOTHING;
}

/* Besides places that the instruction writes. */
static uint32_t find_in_class(const struct map_lowering *l, const struct plan *p, uint32_t value,
                              int class) {
    for (size_t i = 0; i < p->held.len; i++) {
        const struct spot *s = &l->spots.data[p->held.data[i].spot];
        if (p->held.data[i].value == value && !s->lost && !s->fleeting &&
            (class == CLASS_HOME ? s->home : s->class == class))
            return p->held.data[i].spot;
    }
    return NOTHING;
}

/* --- the run --- */

struct runner {
    struct map_lowering *l;
    const struct template_run *r;
    const struct node_demand *d;
    struct plan *p;
    unsigned first;            /* step to begin with */
    uint32_t at[FRAME_MAX];    /* spot of each place, or NOTHING */
    bool taken[FRAME_ROWS];    /* rows */
    bool written[FRAME_MAX];   /* by the steps so far */
    uint32_t holds[FRAME_MAX]; /* values of temporaries */
};

static const struct op_use *step_of(const struct runner *x, unsigned s) {
    return &x->r->t->steps[s];
}

/* The value that a place holds before step s, by the steps before; NOTHING if none wrote it. */
static uint32_t value_before(const struct runner *x, unsigned s, unsigned place) {
    while (s-- > 0)
        for (unsigned d = 0; d < step_of(x, s)->ndst; d++)
            if (step_of(x, s)->dst[d] == place)
                return x->r->results[s][d];
    return NOTHING;
}

static bool writes_place(const struct runner *x, unsigned from, unsigned to, unsigned place) {
    for (unsigned s = from; s < to; s++)
        for (unsigned d = 0; d < step_of(x, s)->ndst; d++)
            if (step_of(x, s)->dst[d] == place)
                return true;
    return false;
}

static bool step_reads(const struct runner *x, unsigned s, unsigned place) {
    const struct op_use *u = step_of(x, s);
    for (unsigned i = 0; i < u->nsrc; i++)
        if (u->src[i] == place)
            return true;
    for (unsigned d = 0;
         d < u->ndst && reads_old(x->l, u) && !plane_target(x->l->t)->ops[u->op].preset; d++)
        if (u->dst[d] == place)
            return true;
    return false;
}

/* Is what a place holds before step `from` read by the steps from there on? */
static bool is_read_from(const struct runner *x, unsigned from, unsigned place) {
    for (unsigned s = from; s < x->r->t->step_count; s++) {
        if (step_reads(x, s, place))
            return true;
        if (writes_place(x, s, s + 1, place))
            return false;
    }
    return false;
}

static bool same_class(const struct op_frame *f, unsigned a, unsigned b) {
    return f->places[a].kind == f->places[b].kind && f->places[a].class == f->places[b].class;
}

/* A free row of the place's class that holds the value. */
static uint32_t find_row(const struct runner *x, unsigned place, uint32_t value) {
    for (unsigned i = 0; i < x->l->row_count; i++)
        if (!x->taken[i] && same_class(&x->l->d->frame, x->l->row_place[i], place) &&
            x->p->rows[i] == value + 1)
            return i;
    return NOTHING;
}

static void bind(struct runner *x, unsigned place, uint32_t spot) {
    x->at[place] = spot;
    if (spot < x->l->row_count)
        x->taken[spot] = true;
}

/* Does everything lie where the steps from `first` on look for it? */
static bool starts_at(struct runner *x, unsigned first) {
    const struct op_frame *f = &x->l->d->frame;
    memset(x->taken, 0, sizeof x->taken);
    for (unsigned i = f->first_written; i < f->count; i++)
        x->at[i] = NOTHING;
    for (unsigned i = f->first_written; i < f->count; i++) {
        if (!is_read_from(x, first, i))
            continue;
        uint32_t value = value_before(x, first, i), spot;
        if (value == NOTHING)
            return false;
        if (f->places[i].kind == FRAME_ROW)
            spot = find_row(x, i, value);
        else
            spot = writes_place(x, first, x->r->t->step_count, i)
                       ? NOTHING
                       : find_in_class(x->l, x->p, value, f->places[i].class);
        if (spot == NOTHING)
            return false;
        bind(x, i, spot);
        x->holds[i] = value;
    }
    return true;
}

/* The last step that the run may begin with: what the steps before would make is there. */
static void choose_start(struct runner *x) {
    x->first = x->r->t->step_count - 1u;
    while (x->first > 0 && !starts_at(x, x->first))
        x->first--;
    if (x->first == 0)
        starts_at(x, 0);
}

/* --- needs --- */

static bool is_needed_later(const struct runner *x, uint32_t value) {
    return value < x->l->needed.len && x->l->needed.data[value] > x->d->number + 1;
}

/* Is it an input that step s or a later one reads? */
static bool is_needed_here(const struct runner *x, unsigned s, uint32_t value) {
    for (; s < x->r->t->step_count; s++)
        for (unsigned i = 0; i < step_of(x, s)->nsrc; i++) {
            unsigned place = step_of(x, s)->src[i];
            if (place < FRAME_INPUTS && x->r->inputs[place] == value)
                return true;
        }
    return false;
}

static bool is_only_one(const struct runner *x, unsigned row) {
    for (unsigned i = 0; i < x->l->row_count; i++)
        if (i != row && x->p->rows[i] == x->p->rows[row])
            return false;
    return mapping_plan_find(x->l, x->p, x->p->rows[row] - 1, false) == NOTHING;
}

static bool must_save(const struct runner *x, unsigned row, unsigned s) {
    uint32_t value = x->p->rows[row];
    return value && (is_needed_later(x, value - 1) || is_needed_here(x, s, value - 1)) &&
           is_only_one(x, row);
}

/* The rows that the run works in, where its class has several: those that hold what it will load,
 * then those that hold nothing. */
static void bind_rows(struct runner *x) {
    const struct op_frame *f = &x->l->d->frame;
    for (int round = 0; round < 3; round++)
        for (unsigned s = x->first; s < x->r->t->step_count; s++)
            for (unsigned d = 0; d < step_of(x, s)->ndst; d++) {
                unsigned place = step_of(x, s)->dst[d];
                if (f->places[place].kind != FRAME_ROW || x->at[place] != NOTHING)
                    continue;
                uint32_t row = round ? NOTHING : find_row(x, place, x->r->results[s][d]);
                for (unsigned i = 0; round && row == NOTHING && i < x->l->row_count; i++)
                    if (!x->taken[i] && same_class(f, x->l->row_place[i], place) &&
                        (round == 2 || !must_save(x, i, s)))
                        row = i;
                if (row != NOTHING)
                    bind(x, place, row);
            }
}

/* --- steps --- */

static struct spot temporary(const struct runner *x, int class) {
    const struct op_frame *f = &x->l->d->frame;
    bool home = class == CLASS_HOME;
    return (struct spot){.class = home ? f->homes[f->home_count - 1] : class,
                         .home = home,
                         .cell = NOTHING,
                         .name = NOTHING};
}

static void push_step(struct runner *x, const struct low_step *s) {
    vec_push(&x->p->steps, *s);
    x->p->cost += mapping_op_cost(x->l->t, &plane_target(x->l->t)->ops[s->op], x->l->d->unit);
}

static void note_held(struct plan *p, uint32_t value, uint32_t spot) {
    vec_push(&p->held, ((struct held_value){value, spot}));
}

/* Copies what a row holds to a temporary before it is overwritten, if something needs it. */
static bool save_row(struct runner *x, unsigned row, unsigned s) {
    if (!must_save(x, row, s))
        return true;
    if (x->l->save[row] < 0)
        return false;
    struct low_step copy = {.op = (uint16_t)x->l->save[row], .nsrc = 1, .ndst = 1, .src = {row}};
    copy.dst[0] = mapping_new_spot(x->l, temporary(x, CLASS_HOME));
    copy.reads[0] = copy.makes[0] = x->p->rows[row] - 1;
    push_step(x, &copy);
    note_held(x->p, x->p->rows[row] - 1, copy.dst[0]);
    return true;
}

/* Places where a source may be read, the usual one first. */
struct choices {
    uint32_t spots[4];
    unsigned count;
};

static void add_choice(struct choices *c, uint32_t spot) {
    if (spot != NOTHING && c->count < sizeof c->spots / sizeof c->spots[0])
        c->spots[c->count++] = spot;
}

/* Is it what the place of the result held before? */
static bool is_before_result(const struct runner *x, uint32_t spot) {
    const struct spot *s = &x->l->spots.data[spot];
    uint32_t input = s->cell == NOTHING ? NOTHING : x->l->o->cells.data[s->cell].input;
    return x->d->name != NOTHING && input == x->d->name;
}

/* What a named place held before may not be read once the run has written it. */
static bool is_lost(const struct runner *x, uint32_t spot) {
    return x->l->spots.data[spot].lost || (is_before_result(x, spot) && x->written[x->r->t->out]);
}

static void list_choices(const struct runner *x, unsigned place, struct choices *c) {
    c->count = 0;
    if (place >= FRAME_INPUTS) {
        add_choice(c, x->at[place]);
        return;
    }
    uint32_t value = x->r->inputs[place];
    for (int home = 1; home >= 0; home--)
        for (size_t i = 0; i < x->p->held.len; i++) {
            uint32_t spot = x->p->held.data[i].spot;
            if (x->p->held.data[i].value == value && x->l->spots.data[spot].home == (home != 0) &&
                !is_lost(x, spot))
                add_choice(c, spot);
        }
    for (unsigned i = 0; i < x->l->row_count; i++)
        if (x->p->rows[i] == value + 1)
            add_choice(c, i);
}

static struct where_place place_at(const struct map_lowering *l, uint32_t spot) {
    return (struct where_place){l->spots.data[spot].class, 0};
}

bool mapping_step_holds(const struct map_lowering *l, const struct low_step *s) {
    const struct target_op *op = &plane_target(l->t)->ops[s->op];
    struct where_place places[OP_MAX_SOURCES + OP_MAX_DESTS];
    for (unsigned i = 0; i < s->nsrc; i++)
        places[i] = place_at(l, s->src[i]);
    for (unsigned d = 0; d < s->ndst; d++)
        places[s->nsrc + d] = place_at(l, s->dst[d]);
    const struct where_expr *preset =
        op->preset ? plane_target(l->t)->ops[op->preset - 1].where : NULL;
    return technology_where_holds(op->where, places, 0) &&
           technology_where_holds(preset, &places[s->nsrc], 0);
}

/* A source that is no tied one must not be written by the step. */
static bool step_is_apart(const struct runner *x, const struct low_step *s) {
    const struct target_op *op = &plane_target(x->l->t)->ops[s->op];
    for (unsigned d = 0; d < s->ndst; d++)
        for (unsigned i = 0; i < s->nsrc; i++) {
            bool same = s->src[i] == s->dst[d] ||
                        (s->dst[d] == x->d->spot && is_before_result(x, s->src[i]));
            if (same && op->tied[d] != i + 1)
                return false;
        }
    return true;
}

static bool is_usual(const struct runner *x, const struct low_step *s, const struct op_use *u) {
    const struct op_frame *f = &x->l->d->frame;
    for (unsigned i = 0; i < u->nsrc; i++)
        if (f->places[u->src[i]].class == CLASS_HOME && !x->l->spots.data[s->src[i]].home)
            return false;
    for (unsigned d = 0; d < u->ndst; d++)
        if (f->places[u->dst[d]].class == CLASS_HOME && !x->l->spots.data[s->dst[d]].home)
            return false;
    return true;
}

/* Chooses where the sources from number i on are read. */
static bool choose_sources(const struct runner *x, struct low_step *s, const struct op_use *u,
                           unsigned i) {
    struct choices c;
    if (i == u->nsrc || i == OP_MAX_SOURCES)
        return step_is_apart(x, s) && (is_usual(x, s, u) || mapping_step_holds(x->l, s));
    list_choices(x, u->src[i], &c);
    for (unsigned k = 0; k < c.count; k++) {
        s->src[i] = c.spots[k];
        for (unsigned d = 0; d < u->ndst; d++)
            if (plane_target(x->l->t)->ops[u->op].tied[d] == i + 1)
                s->dst[d] = s->src[i];
        if (choose_sources(x, s, u, i + 1))
            return true;
    }
    return false;
}

static uint32_t destination(struct runner *x, unsigned place) {
    const struct frame_place *p = &x->l->d->frame.places[place];
    bool out = place == x->r->t->out && x->d->spot != NOTHING;
    if (x->at[place] != NOTHING && (x->written[place] || p->kind == FRAME_ROW))
        return x->at[place];
    return out ? x->d->spot : mapping_new_spot(x->l, temporary(x, p->class));
}

/* Everything that the step makes is there already, and stays. */
static bool is_there(struct runner *x, unsigned s) {
    const struct op_use *u = step_of(x, s);
    for (unsigned d = 0; d < u->ndst; d++) {
        unsigned place = u->dst[d];
        uint32_t value = x->r->results[s][d];
        if (x->l->d->frame.places[place].kind == FRAME_ROW) {
            if (x->p->rows[x->at[place]] != value + 1)
                return false;
        } else if (place == x->r->t->out || writes_place(x, 0, s, place) ||
                   writes_place(x, s + 1, x->r->t->step_count, place) ||
                   find_in_class(x->l, x->p, value, x->l->d->frame.places[place].class) ==
                       NOTHING) {
            return false;
        }
    }
    for (unsigned d = 0; d < u->ndst; d++) {
        unsigned place = u->dst[d];
        if (x->l->d->frame.places[place].kind != FRAME_ROW) {
            x->at[place] =
                find_in_class(x->l, x->p, x->r->results[s][d], x->l->d->frame.places[place].class);
            x->holds[place] = x->r->results[s][d];
        }
    }
    return true;
}

static uint32_t source_value(const struct runner *x, unsigned place) {
    const struct op_frame *f = &x->l->d->frame;
    if (place < FRAME_INPUTS)
        return x->r->inputs[place];
    return place < f->first_written ? x->l->constant_values[f->places[place].number]
                                    : x->holds[place];
}

static bool do_step(struct runner *x, unsigned s) {
    const struct op_use *u = step_of(x, s);
    struct low_step made = {.op = u->op, .nsrc = u->nsrc, .ndst = u->ndst};
    for (unsigned d = 0; d < u->ndst; d++)
        made.dst[d] = destination(x, u->dst[d]);
    if (!choose_sources(x, &made, u, 0))
        return false;
    for (unsigned d = 0; d < u->ndst; d++)
        if (made.dst[d] < x->l->row_count && !save_row(x, made.dst[d], s + 1))
            return false;
    for (unsigned i = 0; i < u->nsrc; i++)
        made.reads[i] = source_value(x, u->src[i]);
    memcpy(made.makes, x->r->results[s], sizeof made.makes);
    push_step(x, &made);
    for (unsigned d = 0; d < u->ndst; d++) {
        x->at[u->dst[d]] = made.dst[d];
        x->written[u->dst[d]] = true;
        x->holds[u->dst[d]] = x->r->results[s][d];
        if (made.dst[d] < x->l->row_count)
            x->p->rows[made.dst[d]] = x->r->results[s][d] + 1;
    }
    return true;
}

/* Temporaries keep what they hold at the end. */
static void note_temporaries(struct runner *x) {
    const struct op_frame *f = &x->l->d->frame;
    for (unsigned i = f->first_written; i < f->count; i++)
        if (f->places[i].kind == FRAME_TEMP && x->written[i])
            note_held(x->p, x->holds[i], x->at[i]);
}

bool mapping_run_apply(struct map_lowering *l, const struct template_run *r,
                       const struct node_demand *d, struct plan *p) {
    struct runner x = {.l = l, .r = r, .d = d, .p = p};
    const struct op_frame *f = &l->d->frame;
    choose_start(&x);
    bind_rows(&x);
    for (unsigned i = FRAME_INPUTS; i < f->first_written; i++)
        x.at[i] = l->constants[f->places[i].number] - 1;
    for (unsigned s = x.first; s < r->t->step_count; s++)
        if (!is_there(&x, s) && !do_step(&x, s))
            return false;
    note_temporaries(&x);
    return true;
}
