/* SPDX-License-Identifier: MIT
 * One sequence of micro-ops, carried out on places of the segment: which rows it works in, where
 * its inputs are read, what is there already. */
#include "recipe/map/lower.h"

#include <string.h>

/* --- what the steps make --- */

/* Over the inputs of a run: bit i where input s has bit (i >> s) & 1. */
static const uint8_t input_truths[FRAME_INPUTS] = {0xAA, 0xCC, 0xF0};

/* What result d finds in its place, where `there` has been. */
static uint8_t old_truth(const struct map_lowering *lowering, const struct target_op *op,
                         unsigned d, uint8_t there) {
    if (!plane_op_presets(op, d))
        return there;
    return plane_target(lowering->t)->ops[op->preset - 1].truth[0] & 1 ? 0xff : 0;
}

static uint8_t apply_truth(uint32_t truth, const uint8_t *src, unsigned count) {
    uint8_t result = 0;
    for (unsigned row = 0; row < 8; row++) {
        unsigned at = 0;
        for (unsigned i = 0; i < count; i++)
            at |= (unsigned)(src[i] >> row & 1) << i;
        result |= (uint8_t)((truth >> at & 1) << row);
    }
    return result;
}

/* All that a run makes is a function of its inputs, and its result the one that was asked for,
 * whatever the steps on the way: so it is not put together from their values. */
void mapping_run_fill(struct map_lowering *lowering, struct template_run *run) {
    const struct op_frame *f = &lowering->d->frame;
    uint8_t at[FRAME_MAX] = {0};
    for (unsigned i = 0; i < f->count; i++)
        at[i] = i < FRAME_INPUTS                                   ? input_truths[i]
                : i < f->first_written && f->places[i].number != 0 ? 0xff
                                                                   : 0;
    for (unsigned s = 0; s < run->t->step_count; s++) {
        const struct op_use *u = &run->t->steps[s];
        const struct target_op *op = &plane_target(lowering->t)->ops[u->op];
        uint8_t src[OP_MAX_SOURCES + 1], made[OP_MAX_DESTS];
        for (unsigned i = 0; i < u->nsrc; i++)
            src[i] = at[u->src[i]];
        for (unsigned d = 0; d < u->ndst; d++) {
            if (op->reads_old)
                src[u->nsrc] = old_truth(lowering, op, d, at[u->dst[d]]);
            made[d] = apply_truth(op->truth[d], src, u->nsrc + (unsigned)op->reads_old);
            run->results[s][d] =
                mapping_value_apply(&lowering->values, made[d], run->inputs, FRAME_INPUTS);
        }
        for (unsigned d = 0; d < u->ndst; d++)
            at[u->dst[d]] = made[d];
    }
}

/* --- what holds what --- */

uint32_t mapping_new_spot(struct map_lowering *lowering, struct spot spot) {
    vec_push(&lowering->spots, spot);
    return (uint32_t)lowering->spots.len - 1;
}

uint32_t mapping_plan_find(const struct map_lowering *lowering, const struct plan *plan,
                           uint32_t value, bool lasting) {
    for (size_t i = 0; i < plan->held.len; i++) {
        const struct spot *s = &lowering->spots.data[plan->held.data[i].spot];
        if (plan->held.data[i].value == value && !s->lost &&
            (!lasting || (s->home && !s->fleeting)))
            return plan->held.data[i].spot;
    }
    return NOTHING;
}

/* Besides places that the instruction writes. */
static uint32_t find_in_class(const struct map_lowering *lowering, const struct plan *plan,
                              uint32_t value, int class) {
    for (size_t i = 0; i < plan->held.len; i++) {
        const struct spot *s = &lowering->spots.data[plan->held.data[i].spot];
        if (plan->held.data[i].value == value && !s->lost && !s->fleeting &&
            (class == CLASS_HOME ? s->home : s->class == class))
            return plan->held.data[i].spot;
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

static const struct op_use *step_of(const struct runner *runner, unsigned s) {
    return &runner->r->t->steps[s];
}

/* The value that a place holds before step s, by the steps before; NOTHING if none wrote it. */
static uint32_t value_before(const struct runner *runner, unsigned s, unsigned place) {
    while (s-- > 0)
        for (unsigned d = 0; d < step_of(runner, s)->ndst; d++)
            if (step_of(runner, s)->dst[d] == place)
                return runner->r->results[s][d];
    return NOTHING;
}

static bool writes_place(const struct runner *runner, unsigned from, unsigned to, unsigned place) {
    for (unsigned s = from; s < to; s++)
        for (unsigned d = 0; d < step_of(runner, s)->ndst; d++)
            if (step_of(runner, s)->dst[d] == place)
                return true;
    return false;
}

static bool step_reads(const struct runner *runner, unsigned s, unsigned place) {
    const struct op_use *u = step_of(runner, s);
    for (unsigned i = 0; i < u->nsrc; i++)
        if (u->src[i] == place)
            return true;
    for (unsigned d = 0; d < u->ndst; d++)
        if (u->dst[d] == place && plane_op_keeps_old(&plane_target(runner->l->t)->ops[u->op], d))
            return true;
    return false;
}

/* Is what a place holds before step `from` read by the steps from there on? */
static bool is_read_from(const struct runner *runner, unsigned from, unsigned place) {
    for (unsigned s = from; s < runner->r->t->step_count; s++) {
        if (step_reads(runner, s, place))
            return true;
        if (writes_place(runner, s, s + 1, place))
            return false;
    }
    return false;
}

static bool same_class(const struct op_frame *frame, unsigned left, unsigned right) {
    return frame->places[left].kind == frame->places[right].kind &&
           frame->places[left].class == frame->places[right].class;
}

/* A free row of the place's class that holds the value. */
static uint32_t find_row(const struct runner *runner, unsigned place, uint32_t value) {
    for (unsigned i = 0; i < runner->l->row_count; i++)
        if (!runner->taken[i] && same_class(&runner->l->d->frame, runner->l->row_place[i], place) &&
            runner->p->rows[i] == value + 1)
            return i;
    return NOTHING;
}

static void bind(struct runner *runner, unsigned place, uint32_t spot) {
    runner->at[place] = spot;
    if (spot < runner->l->row_count)
        runner->taken[spot] = true;
}

/* Is it what the place of the result held before? */
static bool is_before_result(const struct runner *runner, uint32_t spot) {
    const struct spot *s = &runner->l->spots.data[spot];
    uint32_t input = s->cell == NOTHING ? NOTHING : runner->l->o->cells.data[s->cell].input;
    return runner->d->name != NOTHING && input == runner->d->name;
}

/* Where a temporary that the steps from `first` on only read lies already, or NOTHING.  What the
 * place of the result held before is none, if it is written before the last of them reads it. */
static uint32_t find_kept(const struct runner *runner, unsigned first, unsigned place,
                          uint32_t value) {
    unsigned count = runner->r->t->step_count, last = count;
    uint32_t spot =
        writes_place(runner, first, count, place)
            ? NOTHING
            : find_in_class(runner->l, runner->p, value, runner->l->d->frame.places[place].class);
    while (last > first && !step_reads(runner, last - 1, place))
        last--;
    bool lost = spot != NOTHING && is_before_result(runner, spot) &&
                writes_place(runner, first, last, runner->r->t->out);
    return lost ? NOTHING : spot;
}

/* Does everything lie where the steps from `first` on look for it? */
static bool starts_at(struct runner *runner, unsigned first) {
    const struct op_frame *f = &runner->l->d->frame;
    memset(runner->taken, 0, sizeof runner->taken);
    for (unsigned i = f->first_written; i < f->count; i++)
        runner->at[i] = NOTHING;
    for (unsigned i = f->first_written; i < f->count; i++) {
        if (!is_read_from(runner, first, i))
            continue;
        uint32_t value = value_before(runner, first, i), spot;
        if (value == NOTHING)
            return false;
        spot = f->places[i].kind == FRAME_ROW ? find_row(runner, i, value)
                                              : find_kept(runner, first, i, value);
        if (spot == NOTHING)
            return false;
        bind(runner, i, spot);
        runner->holds[i] = value;
    }
    return true;
}

/* The last step that the run may begin with: what the steps before would make is there. */
static void choose_start(struct runner *runner) {
    runner->first = runner->l->plain ? 0 : runner->r->t->step_count - 1u;
    while (runner->first > 0 && !starts_at(runner, runner->first))
        runner->first--;
    if (runner->first == 0)
        starts_at(runner, 0);
}

/* --- needs --- */

static bool is_needed_later(const struct runner *runner, uint32_t value) {
    return value < runner->l->needed.len && runner->l->needed.data[value] > runner->d->number + 1;
}

/* Is it an input that step s or a later one reads? */
static bool is_needed_here(const struct runner *runner, unsigned s, uint32_t value) {
    for (; s < runner->r->t->step_count; s++)
        for (unsigned i = 0; i < step_of(runner, s)->nsrc; i++) {
            unsigned place = step_of(runner, s)->src[i];
            if (place < FRAME_INPUTS && runner->r->inputs[place] == value)
                return true;
        }
    return false;
}

static bool is_only_one(const struct runner *runner, unsigned row) {
    for (unsigned i = 0; i < runner->l->row_count; i++)
        if (i != row && runner->p->rows[i] == runner->p->rows[row])
            return false;
    return mapping_plan_find(runner->l, runner->p, runner->p->rows[row] - 1, false) == NOTHING;
}

static bool must_save(const struct runner *runner, unsigned row, unsigned s) {
    uint32_t value = runner->p->rows[row];
    return value && (is_needed_later(runner, value - 1) || is_needed_here(runner, s, value - 1)) &&
           is_only_one(runner, row);
}

/* The rows that the run works in, where its class has several: those that hold what it will load,
 * then those that hold nothing. */
static void bind_rows(struct runner *runner) {
    const struct op_frame *f = &runner->l->d->frame;
    for (int round = 0; round < 3; round++)
        for (unsigned s = runner->first; s < runner->r->t->step_count; s++)
            for (unsigned d = 0; d < step_of(runner, s)->ndst; d++) {
                unsigned place = step_of(runner, s)->dst[d];
                if (f->places[place].kind != FRAME_ROW || runner->at[place] != NOTHING)
                    continue;
                uint32_t row = round ? NOTHING : find_row(runner, place, runner->r->results[s][d]);
                for (unsigned i = 0; round && row == NOTHING && i < runner->l->row_count; i++)
                    if (!runner->taken[i] && same_class(f, runner->l->row_place[i], place) &&
                        (round == 2 || !must_save(runner, i, s)))
                        row = i;
                if (row != NOTHING)
                    bind(runner, place, row);
            }
}

/* --- steps --- */

static struct spot temporary(const struct runner *runner, int class) {
    const struct op_frame *f = &runner->l->d->frame;
    bool home = class == CLASS_HOME;
    return (struct spot){.class = home && !f->apart ? f->homes[f->home_count - 1] : class,
                         .home = home,
                         .cell = NOTHING,
                         .name = NOTHING};
}

static void push_step(struct runner *runner, const struct low_step *step) {
    vec_push(&runner->p->steps, *step);
    runner->p->cost += mapping_op_cost(runner->l->t, &plane_target(runner->l->t)->ops[step->op],
                                       runner->l->d->unit);
}

static void note_held(struct plan *plan, uint32_t value, uint32_t spot) {
    vec_push(&plan->held, ((struct held_value){value, spot}));
}

/* Copies what a row holds to a temporary before it is overwritten, if something needs it. */
static bool save_row(struct runner *runner, unsigned row, unsigned s) {
    if (!must_save(runner, row, s))
        return true;
    if (runner->l->save[row] < 0)
        return false;
    struct low_step copy = {
        .op = (uint16_t)runner->l->save[row], .nsrc = 1, .ndst = 1, .src = {row}};
    copy.dst[0] = mapping_new_spot(runner->l, temporary(runner, CLASS_HOME));
    copy.reads[0] = copy.makes[0] = runner->p->rows[row] - 1;
    push_step(runner, &copy);
    note_held(runner->p, runner->p->rows[row] - 1, copy.dst[0]);
    return true;
}

/* Places where a source may be read, the usual one first. */
struct choices {
    uint32_t spots[4];
    unsigned count;
};

static void add_choice(struct choices *choices, uint32_t spot) {
    if (spot != NOTHING && choices->count < sizeof choices->spots / sizeof choices->spots[0])
        choices->spots[choices->count++] = spot;
}

/* What a named place held before may not be read once the run has written it. */
static bool is_lost(const struct runner *runner, uint32_t spot) {
    return runner->l->spots.data[spot].lost ||
           (is_before_result(runner, spot) && runner->written[runner->r->t->out]);
}

static void list_choices(const struct runner *runner, unsigned place, struct choices *choices) {
    choices->count = 0;
    if (place >= FRAME_INPUTS) {
        add_choice(choices, runner->at[place]);
        return;
    }
    uint32_t value = runner->r->inputs[place];
    for (int home = 1; home >= 0; home--)
        for (size_t i = 0; i < runner->p->held.len; i++) {
            uint32_t spot = runner->p->held.data[i].spot;
            if (runner->p->held.data[i].value == value &&
                runner->l->spots.data[spot].home == (home != 0) && !is_lost(runner, spot))
                add_choice(choices, spot);
        }
    for (unsigned i = 0; i < runner->l->row_count; i++)
        if (runner->p->rows[i] == value + 1)
            add_choice(choices, i);
}

/* Of a spot that may lie in either home, in that one. */
static struct where_place place_at(const struct map_lowering *lowering, uint32_t spot, int home) {
    int class = lowering->spots.data[spot].class;
    return (struct where_place){class == CLASS_HOME ? home : class, 0};
}

/* In these spots, where bit i of `homes` says in which home operand i lies if it may in either. */
static bool holds_at(const struct map_lowering *lowering, const struct low_step *step,
                     unsigned homes) {
    const struct target_op *op = &plane_target(lowering->t)->ops[step->op];
    const int *classes = lowering->d->frame.homes;
    struct where_place places[OP_MAX_SOURCES + OP_MAX_DESTS];
    for (unsigned i = 0; i < step->nsrc + (unsigned)step->ndst; i++)
        places[i] = place_at(lowering, i < step->nsrc ? step->src[i] : step->dst[i - step->nsrc],
                             classes[homes >> i & 1]);
    return technology_where_holds(op->where, places, 0) &&
           technology_presets_hold(lowering->t, op, &places[step->nsrc]);
}

bool mapping_step_holds(const struct map_lowering *lowering, const struct low_step *step) {
    unsigned count = step->nsrc + (unsigned)step->ndst, either = 0, homes = 0;
    for (unsigned i = 0; i < count; i++) {
        uint32_t spot = i < step->nsrc ? step->src[i] : step->dst[i - step->nsrc];
        either |= (unsigned)(lowering->spots.data[spot].class == CLASS_HOME) << i;
    }
    do { /* all subsets of `either` */
        if (!holds_at(lowering, step, homes))
            return false;
        homes = (homes - either) & either;
    } while (homes);
    return true;
}

/* A source that is no tied one must not be written by the step. */
static bool step_is_apart(const struct runner *runner, const struct low_step *step) {
    const struct target_op *op = &plane_target(runner->l->t)->ops[step->op];
    for (unsigned d = 0; d < step->ndst; d++)
        for (unsigned i = 0; i < step->nsrc; i++) {
            bool same = step->src[i] == step->dst[d] ||
                        (step->dst[d] == runner->d->spot && is_before_result(runner, step->src[i]));
            if (same && op->tied[d] != i + 1)
                return false;
        }
    return true;
}

static bool is_usual(const struct runner *runner, const struct low_step *step,
                     const struct op_use *use) {
    const struct op_frame *f = &runner->l->d->frame;
    if (runner->r->own)
        return false;
    for (unsigned i = 0; i < use->nsrc; i++)
        if (f->places[use->src[i]].class == CLASS_HOME && !runner->l->spots.data[step->src[i]].home)
            return false;
    for (unsigned d = 0; d < use->ndst; d++)
        if (f->places[use->dst[d]].class == CLASS_HOME && !runner->l->spots.data[step->dst[d]].home)
            return false;
    return true;
}

/* Chooses where the sources from number index on are read. */
static bool choose_sources(const struct runner *runner, struct low_step *step,
                           const struct op_use *use, unsigned index) {
    struct choices c;
    if (index == use->nsrc || index == OP_MAX_SOURCES)
        return step_is_apart(runner, step) &&
               (is_usual(runner, step, use) || mapping_step_holds(runner->l, step));
    list_choices(runner, use->src[index], &c);
    for (unsigned k = 0; k < c.count; k++) {
        step->src[index] = c.spots[k];
        for (unsigned d = 0; d < use->ndst; d++)
            if (plane_target(runner->l->t)->ops[use->op].tied[d] == index + 1)
                step->dst[d] = step->src[index];
        if (choose_sources(runner, step, use, index + 1))
            return true;
    }
    return false;
}

static uint32_t destination(struct runner *runner, unsigned place) {
    const struct frame_place *p = &runner->l->d->frame.places[place];
    bool out = place == runner->r->t->out && runner->d->spot != NOTHING;
    if (runner->at[place] != NOTHING && (runner->written[place] || p->kind == FRAME_ROW))
        return runner->at[place];
    return out ? runner->d->spot : mapping_new_spot(runner->l, temporary(runner, p->class));
}

/* Everything that the step makes is there already, and stays. */
static bool is_there(struct runner *runner, unsigned s) {
    const struct op_use *u = step_of(runner, s);
    for (unsigned d = 0; d < u->ndst; d++) {
        unsigned place = u->dst[d];
        uint32_t value = runner->r->results[s][d];
        if (runner->l->d->frame.places[place].kind == FRAME_ROW) {
            if (runner->p->rows[runner->at[place]] != value + 1)
                return false;
        } else if (place == runner->r->t->out || writes_place(runner, 0, s, place) ||
                   writes_place(runner, s + 1, runner->r->t->step_count, place) ||
                   find_in_class(runner->l, runner->p, value,
                                 runner->l->d->frame.places[place].class) == NOTHING) {
            return false;
        }
    }
    for (unsigned d = 0; d < u->ndst; d++) {
        unsigned place = u->dst[d];
        if (runner->l->d->frame.places[place].kind != FRAME_ROW) {
            runner->at[place] = find_in_class(runner->l, runner->p, runner->r->results[s][d],
                                              runner->l->d->frame.places[place].class);
            runner->holds[place] = runner->r->results[s][d];
        }
    }
    return true;
}

static uint32_t source_value(const struct runner *runner, unsigned place) {
    const struct op_frame *f = &runner->l->d->frame;
    if (place < FRAME_INPUTS)
        return runner->r->inputs[place];
    return place < f->first_written ? runner->l->constant_values[f->places[place].number]
                                    : runner->holds[place];
}

static bool do_step(struct runner *runner, unsigned s) {
    const struct op_use *u = step_of(runner, s);
    struct low_step made = {.op = u->op, .nsrc = u->nsrc, .ndst = u->ndst};
    for (unsigned d = 0; d < u->ndst; d++)
        made.dst[d] = destination(runner, u->dst[d]);
    if (!choose_sources(runner, &made, u, 0))
        return false;
    for (unsigned d = 0; d < u->ndst; d++)
        if (made.dst[d] < runner->l->row_count && !save_row(runner, made.dst[d], s + 1))
            return false;
    for (unsigned i = 0; i < u->nsrc; i++)
        made.reads[i] = source_value(runner, u->src[i]);
    memcpy(made.makes, runner->r->results[s], sizeof made.makes);
    push_step(runner, &made);
    for (unsigned d = 0; d < u->ndst; d++) {
        runner->at[u->dst[d]] = made.dst[d];
        runner->written[u->dst[d]] = true;
        runner->holds[u->dst[d]] = runner->r->results[s][d];
        if (made.dst[d] < runner->l->row_count && !runner->l->plain)
            runner->p->rows[made.dst[d]] = runner->r->results[s][d] + 1;
    }
    return true;
}

/* Temporaries keep what they hold at the end. */
static void note_temporaries(struct runner *runner) {
    const struct op_frame *f = &runner->l->d->frame;
    for (unsigned i = f->first_written; i < f->count; i++)
        if (f->places[i].kind == FRAME_TEMP && runner->written[i])
            note_held(runner->p, runner->holds[i], runner->at[i]);
}

bool mapping_run_apply(struct map_lowering *lowering, const struct template_run *run,
                       const struct node_demand *demand, struct plan *plan) {
    struct runner x = {.l = lowering, .r = run, .d = demand, .p = plan};
    const struct op_frame *f = &lowering->d->frame;
    choose_start(&x);
    bind_rows(&x);
    for (unsigned i = FRAME_INPUTS; i < f->first_written; i++)
        x.at[i] = lowering->constants[f->places[i].number] - 1;
    for (unsigned s = x.first; s < run->t->step_count; s++)
        if ((lowering->plain || !is_there(&x, s)) && !do_step(&x, s))
            return false;
    note_temporaries(&x);
    return true;
}
