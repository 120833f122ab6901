/* SPDX-License-Identifier: MIT
 * The nodes of a segment as micro-ops, where gates are sequences of them: the beam, and the
 * statements. */
#include "recipe/map/lower.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define BEAM      6   /* ways that are followed at a time */
#define MOST_RUNS 256 /* of one node */

/* --- values of cells --- */

static void set_value(struct map_lowering *l, uint32_t cell, uint32_t value) {
    l->value_of_cell[cell] = value + 1;
}

static uint32_t value_of(const struct map_lowering *l, uint32_t cell) {
    return l->value_of_cell[cell] - 1;
}

static uint32_t gate_truth(const struct segment_order *o, const struct order_node *n) {
    return o->m->gates.gates[n->gate].truth;
}

static void find_values(struct map_lowering *l, const uint32_t *sequence, size_t count) {
    struct segment_order *o = l->o;
    for (uint32_t c = 0; c < o->cells.len; c++)
        if (o->cells.data[c].node == NOTHING)
            set_value(l, c,
                      c + 1 == o->constants[0]   ? mapping_value_constant(&l->values, false)
                      : c + 1 == o->constants[1] ? mapping_value_constant(&l->values, true)
                                                 : mapping_value_variable(&l->values));
    for (size_t i = 0; i < count; i++) {
        const struct order_node *n = &o->nodes.data[sequence[i]];
        uint32_t src[3];
        for (unsigned k = 0; k < n->nsrc; k++)
            src[k] = value_of(l, n->src[k]);
        if (n->cell != NOTHING)
            set_value(l, n->cell,
                      n->move ? src[0]
                              : mapping_value_apply(&l->values, gate_truth(o, n), src, n->nsrc));
    }
}

/* --- places --- */

static int class_of_latch(const struct target *t, uint32_t name) {
    return name == SYMBOL_C   ? plane_target(t)->class_of_c
           : name == SYMBOL_M ? plane_target(t)->class_of_m
                              : plane_target(t)->class_of_valid;
}

/* The place of a name, or of a constant. */
static struct spot named_spot(const struct map_lowering *l, uint32_t name) {
    const struct op_frame *f = &l->d->frame;
    struct spot s = {.cell = NOTHING, .name = name};
    switch (l->o->m->names.data[name].kind) {
    case NAME_REGISTER:
        s.class = f->homes[0];
        break;
    case NAME_LATCH:
        s.class = class_of_latch(l->t, name);
        break;
    case NAME_CARRY:
        s.class = l->o->m->gates.sections ? CLASS_BUFFER : f->homes[f->home_count - 1];
        break;
    default:
        s.class = f->homes[f->home_count - 1];
    }
    s.fleeting = mapping_is_written(l->o->m, name);
    s.home = s.class == f->homes[0] || s.class == f->homes[f->home_count - 1];
    return s;
}

static void add_rows(struct map_lowering *l) {
    const struct op_frame *f = &l->d->frame;
    for (unsigned i = f->first_written; i < f->count; i++)
        if (f->places[i].kind == FRAME_ROW) {
            l->row_at[i] = (uint8_t)l->row_count;
            l->row_place[l->row_count++] = (uint8_t)i;
            struct spot s = {.class = f->places[i].class, .row = true};
            s.cell = s.name = NOTHING;
            mapping_new_spot(l, s);
        }
}

/* Does the op copy what lies in rows of that class, and nothing else? */
static bool copies_from(const struct target_op *op, int class) {
    bool one = op->nsrc == 1 && op->ndst == 1 && !op->tied[0] && !op->reads_old;
    return one && op->truth[0] == 2 && (!op->fixed[0] || op->fixed[0] == class + 1) &&
           !op->fixed[1];
}

/* An op that copies each row to a temporary. */
static void find_saves(struct map_lowering *l) {
    const struct op_frame *f = &l->d->frame;
    for (unsigned r = 0; r < l->row_count; r++) {
        struct where_place at[] = {{l->spots.data[r].class, 0}, {f->homes[f->home_count - 1], 0}};
        l->save[r] = -1;
        for (uint32_t i = plane_target(l->t)->op_count; i-- > 0;)
            if (copies_from(&plane_target(l->t)->ops[i], l->spots.data[r].class) &&
                technology_where_holds(plane_target(l->t)->ops[i].where, at, 0))
                l->save[r] = (int)i;
    }
}

static void add_inputs(struct map_lowering *l, struct plan *p) {
    const struct op_frame *f = &l->d->frame;
    struct segment_order *o = l->o;
    for (unsigned i = FRAME_INPUTS; i < f->first_written; i++)
        mapping_constant_cell(o, f->places[i].number != 0, o->m->source->unit.at);
    l->value_of_cell = ARENA_ARRAY(&o->m->scratch, o->cells.len + 1, uint32_t);
    l->kept = ARENA_ARRAY(&o->m->scratch, o->cells.len + 1, bool);
    for (uint32_t c = 0; c < o->cells.len; c++) {
        uint32_t input = o->cells.data[c].input;
        struct spot s = {.cell = c, .name = NOTHING};
        if (o->cells.data[c].node != NOTHING)
            continue;
        if (input != NOTHING) {
            s = named_spot(l, input);
            s.cell = c;
            s.name = NOTHING;
        }
        uint32_t spot = mapping_new_spot(l, s);
        for (unsigned i = FRAME_INPUTS; i < f->first_written; i++)
            if (c + 1 == o->constants[f->places[i].number]) {
                l->spots.data[spot].class = f->places[i].class;
                l->constants[f->places[i].number] = spot + 1;
            }
        vec_push(&p->held, ((struct held_value){0, spot}));
    }
}

/* Values are there once the inputs have places. */
static void name_inputs(struct map_lowering *l, struct plan *p) {
    for (size_t i = 0; i < p->held.len; i++)
        p->held.data[i].value = value_of(l, l->spots.data[p->held.data[i].spot].cell);
}

/* --- needs --- */

static void need(struct map_lowering *l, uint32_t value, uint32_t number) {
    while (l->needed.len <= value)
        vec_push(&l->needed, 0);
    l->needed.data[value] = number + 1;
}

static bool is_written_row(const struct map_lowering *l, const struct order_node *n) {
    if (n->name == NOTHING)
        return false;
    enum name_kind kind = l->o->m->names.data[n->name].kind;
    return kind == NAME_REGISTER || kind == NAME_LATCH;
}

/* A move that the walker carries out, from a place at home. */
static bool is_pass(const struct map_lowering *l, const struct order_node *n) {
    return n->move && !is_written_row(l, n);
}

static void find_needs(struct map_lowering *l, const uint32_t *sequence, size_t count) {
    struct segment_order *o = l->o;
    for (uint32_t i = 0; i < count; i++) {
        const struct order_node *n = &o->nodes.data[sequence[i]];
        for (unsigned k = 0; k < n->nsrc; k++) {
            need(l, value_of(l, n->src[k]), i);
            l->kept[n->src[k]] |= is_pass(l, n);
        }
    }
    if (o->begun != NOTHING) {
        need(l, value_of(l, o->begun), (uint32_t)count);
        l->kept[o->begun] = true;
    }
}

/* --- plans --- */

static void free_plan(struct plan *p) {
    vec_free(&p->held);
    vec_free(&p->steps);
}

static void copy_plan(const struct plan *from, struct plan *to) {
    *to = (struct plan){.cost = from->cost};
    memcpy(to->rows, from->rows, sizeof to->rows);
    vec_reserve(&to->held, from->held.len + 8);
    vec_reserve(&to->steps, from->steps.len + 8);
    if (from->held.len)
        memcpy(to->held.data, from->held.data, from->held.len * sizeof *from->held.data);
    if (from->steps.len)
        memcpy(to->steps.data, from->steps.data, from->steps.len * sizeof *from->steps.data);
    to->held.len = from->held.len;
    to->steps.len = from->steps.len;
}

/* The cheapest plans, at most BEAM, and the cheapest safe one where none of them is. */
struct beam {
    struct plan plans[BEAM + 1];
    unsigned count;
    struct plan safe; /* while plans are offered */
    bool has_safe;
};

static void free_beam(struct beam *b) {
    for (unsigned i = 0; i < b->count; i++)
        free_plan(&b->plans[i]);
    b->count = 0;
}

static bool is_needed(const struct map_lowering *l, uint32_t value, uint32_t number) {
    return value < l->needed.len && l->needed.data[value] > number + 1;
}

static bool lies_at_home(const struct map_lowering *l, const struct plan *p, uint32_t value) {
    for (size_t i = 0; i < p->held.len; i++) {
        const struct spot *s = &l->spots.data[p->held.data[i].spot];
        bool input = s->cell != NOTHING && l->o->cells.data[s->cell].input != NOTHING;
        bool constant = s->cell != NOTHING && !input && l->o->m->gates.plain_constants;
        if (p->held.data[i].value == value && !s->lost && (s->home || input || constant))
            return true;
    }
    return false;
}

/* All that is needed lies where every gate can read it: from here on everything works. */
static bool is_safe(const struct map_lowering *l, const struct plan *p, uint32_t number) {
    for (unsigned r = 0; r < l->row_count; r++)
        if (p->rows[r] && is_needed(l, p->rows[r] - 1, number) &&
            !lies_at_home(l, p, p->rows[r] - 1))
            return false;
    for (size_t i = 0; i < p->held.len; i++)
        if (is_needed(l, p->held.data[i].value, number) &&
            !lies_at_home(l, p, p->held.data[i].value))
            return false;
    return true;
}

static bool same_rows(const struct map_lowering *l, const struct plan *a, const struct plan *b) {
    return memcmp(a->rows, b->rows, l->row_count * sizeof *a->rows) == 0;
}

static void offer_safe(struct beam *b, const struct plan *p) {
    if (b->has_safe && b->safe.cost <= p->cost)
        return;
    if (b->has_safe)
        free_plan(&b->safe);
    copy_plan(p, &b->safe);
    b->has_safe = true;
}

/* Takes the plan, or frees it: of those with the same in all rows only the cheapest, and the first
 * of those. */
static void offer(const struct map_lowering *l, struct beam *b, struct plan *p, uint32_t number) {
    unsigned at = 0, same = 0;
    p->safe = is_safe(l, p, number);
    if (p->safe)
        offer_safe(b, p);
    while (at < b->count && b->plans[at].cost <= p->cost)
        at++;
    while (same < b->count && (b->plans[same].safe != p->safe || !same_rows(l, &b->plans[same], p)))
        same++;
    if (same < at || at == BEAM) {
        free_plan(p);
        return;
    }
    if (same == BEAM)
        same = BEAM - 1;
    if (same < b->count)
        free_plan(&b->plans[same]);
    else
        b->count++;
    memmove(&b->plans[at + 1], &b->plans[at], (same - at) * sizeof *b->plans);
    b->plans[at] = *p;
}

/* All plans of a node have been offered. */
static void finish_beam(struct beam *b) {
    bool safe = false;
    for (unsigned i = 0; i < b->count; i++)
        safe |= b->plans[i].safe;
    if (b->has_safe && !safe)
        b->plans[b->count++] = b->safe;
    else if (b->has_safe)
        free_plan(&b->safe);
    b->has_safe = false;
}

/* --- runs of one node --- */

struct runs {
    struct template_run list[MOST_RUNS];
    unsigned count;
};

static void add_run(struct map_lowering *l, struct runs *r, const struct step_template *t,
                    const uint32_t *inputs) {
    struct template_run *made = &r->list[r->count];
    if (r->count == MOST_RUNS)
        return;
    made->t = t;
    memcpy(made->inputs, inputs, sizeof made->inputs);
    mapping_run_fill(l, made);
    r->count++;
}

/* All sequences for a function, with its inputs in all orders that make no difference. */
static void add_group(struct map_lowering *l, struct runs *r, const struct node_demand *d,
                      uint8_t truth) {
    unsigned order[FRAME_INPUTS];
    const struct template_group *g = mapping_derived_find(l->d, truth, order);
    for (unsigned n = 0; g && n < INPUT_ORDERS; n++) {
        uint32_t inputs[FRAME_INPUTS];
        bool possible = mapping_function_permute(g->truth, mapping_input_orders[n]) == g->truth;
        for (unsigned i = 0; i < FRAME_INPUTS; i++) {
            possible &= i < g->nsrc || mapping_input_orders[n][i] == i;
            inputs[i] = d->inputs[order[mapping_input_orders[n][i]]];
        }
        for (unsigned i = 0; possible && i < g->count; i++)
            if (!g->list[i].stays || !d->keep)
                add_run(l, r, &g->list[i], inputs);
    }
}

/* The op of a gate that is one by itself. */
static const struct step_template *own_template(struct map_lowering *l,
                                                const struct order_node *n) {
    const struct op_frame *f = &l->d->frame;
    struct step_template *t = ARENA_NEW(&l->o->m->scratch, struct step_template);
    t->step_count = 1;
    t->out = (uint8_t)f->first_written;
    t->steps[0] = (struct op_use){.op = (uint16_t)n->kind, .nsrc = (uint8_t)n->nsrc, .ndst = 1};
    for (unsigned i = 0; i < n->nsrc; i++)
        t->steps[0].src[i] = (uint8_t)i;
    t->steps[0].dst[0] = t->out;
    return t;
}

/* Over three inputs. */
static uint8_t wide_truth(uint32_t truth, unsigned nsrc) {
    for (; nsrc < FRAME_INPUTS; nsrc++)
        truth |= truth << (1u << nsrc);
    return (uint8_t)truth;
}

static void list_runs(struct map_lowering *l, struct runs *r, const struct node_demand *d,
                      const struct order_node *n) {
    r->count = 0;
    if (!n->move && n->kind < DERIVED_TAG)
        add_run(l, r, own_template(l, n), d->inputs);
    add_group(l, r, d, n->move ? 0xAA : wide_truth(gate_truth(l->o, n), n->nsrc));
}

/* --- one node --- */

/* It is there already. */
static bool is_free(const struct map_lowering *l, const struct plan *p,
                    const struct node_demand *d) {
    if (d->spot != NOTHING)
        return false;
    for (unsigned i = 0; i < l->row_count && !d->keep; i++)
        if (p->rows[i] == d->value + 1)
            return true;
    return mapping_plan_find(l, p, d->value, d->keep) != NOTHING;
}

static void follow(struct map_lowering *l, const struct plan *p, const struct node_demand *d,
                   const struct runs *runs, struct beam *next) {
    struct plan made;
    if (is_free(l, p, d)) {
        copy_plan(p, &made);
        offer(l, next, &made, d->number);
        if (lies_at_home(l, p, d->value))
            return;
    }
    for (unsigned i = 0; i < runs->count; i++) {
        copy_plan(p, &made);
        if (mapping_run_apply(l, &runs->list[i], d, &made))
            offer(l, next, &made, d->number);
        else
            free_plan(&made);
    }
}

static bool do_demand(struct map_lowering *l, struct beam *b, const struct node_demand *d,
                      const struct order_node *n) {
    struct runs *runs = xcalloc(1, sizeof *runs);
    struct beam next = {.count = 0};
    list_runs(l, runs, d, n);
    for (unsigned i = 0; i < b->count; i++)
        follow(l, &b->plans[i], d, runs, &next);
    free(runs);
    finish_beam(&next);
    if (!next.count)
        return false;
    free_beam(b);
    *b = next;
    return true;
}

/* The name holds something else now. */
static void lose_name(struct map_lowering *l, uint32_t name) {
    for (size_t i = 0; i < l->spots.len; i++) {
        struct spot *s = &l->spots.data[i];
        s->lost |= s->cell != NOTHING && l->o->cells.data[s->cell].input == name;
    }
}

static bool all_hold(const struct map_lowering *l, const struct beam *b, uint32_t value) {
    for (unsigned i = 0; i < b->count; i++)
        if (mapping_plan_find(l, &b->plans[i], value, true) == NOTHING)
            return false;
    return true;
}

/* The walker does the move, from a place that lasts if there can be one. */
static bool do_pass(struct map_lowering *l, struct beam *b, uint32_t node, uint32_t number) {
    const struct order_node *n = &l->o->nodes.data[node], copy = {.move = true};
    uint32_t value = value_of(l, n->src[0]);
    struct node_demand d = {.number = number, .value = value, .inputs = {value}, .keep = true};
    d.spot = d.name = NOTHING;
    bool last = all_hold(l, b, value) || do_demand(l, b, &d, &copy);
    for (unsigned i = 0; i < b->count; i++) {
        struct plan *p = &b->plans[i];
        struct low_step s = {.move = true, .nsrc = 1, .node = node};
        s.src[0] = mapping_plan_find(l, p, value, last);
        if (s.src[0] == NOTHING)
            return false;
        vec_push(&p->steps, s);
    }
    return true;
}

static struct node_demand demand_of(struct map_lowering *l, const struct order_node *n,
                                    uint32_t number) {
    struct node_demand d = {.number = number, .spot = NOTHING, .name = n->name};
    for (unsigned i = 0; i < n->nsrc; i++)
        d.inputs[i] = value_of(l, n->src[i]);
    d.value = n->cell == NOTHING ? d.inputs[0] : value_of(l, n->cell);
    d.keep = n->name != NOTHING || (n->cell != NOTHING && l->kept[n->cell]);
    if (n->name != NOTHING) {
        struct spot s = named_spot(l, n->name);
        s.target = n->target;
        d.spot = mapping_new_spot(l, s);
    }
    return d;
}

/* First to a temporary, and from there to its name. */
static bool do_in_two(struct map_lowering *l, struct beam *b, const struct node_demand *d,
                      const struct order_node *n) {
    struct node_demand first = *d, second = *d;
    struct order_node copy = {.move = true};
    if (n->move)
        return false;
    first.spot = first.name = NOTHING;
    first.number = d->number - 1; /* what the node reads is still needed */
    need(l, d->value, d->number);
    second.inputs[0] = d->value;
    return do_demand(l, b, &first, n) && do_demand(l, b, &second, &copy);
}

static bool do_node(struct map_lowering *l, struct beam *b, uint32_t node, uint32_t number) {
    const struct order_node *n = &l->o->nodes.data[node];
    if (is_pass(l, n)) {
        bool fine = do_pass(l, b, node, number);
        if (fine && l->o->m->names.data[n->name].kind == NAME_SCRATCH)
            lose_name(l, n->name);
        return fine;
    }
    struct node_demand d = demand_of(l, n, number);
    if (!do_demand(l, b, &d, n) && !do_in_two(l, b, &d, n) &&
        !(n->move && do_pass(l, b, node, number)))
        return false;
    if (n->name != NOTHING)
        lose_name(l, n->name);
    return true;
}

/* --- statements --- */

struct sequence_writer {
    struct map_lowering *l;
    struct recipe_expr **reads; /* by spot: how what it holds is read */
};

static struct recipe_expr *read_spot(struct sequence_writer *w, uint32_t spot, struct span at) {
    const struct spot *s = &w->l->spots.data[spot];
    if (s->cell != NOTHING)
        return mapping_order_read(w->l->o, &w->l->o->cells.data[s->cell], at);
    return w->reads[spot];
}

static bool has_one_row(const struct target *t, int class) {
    return plane_target(t)->row_classes[class].latch ||
           plane_target(t)->row_classes[class].first == plane_target(t)->row_classes[class].last;
}

/* A place is written: anew, or (keep) what it held counts. */
static struct recipe_expr *write_spot(struct sequence_writer *w, uint32_t spot, bool keep,
                                      struct span at) {
    struct map_lowering *l = w->l;
    const struct spot *s = &l->spots.data[spot];
    if (keep && w->reads[spot])
        return w->reads[spot];
    if (s->name != NOTHING)
        w->reads[spot] = mapping_order_target(l->o, s->name, s->target, at);
    else if (s->row && has_one_row(l->t, s->class))
        w->reads[spot] =
            mapping_name_expr(l->o->m, mapping_row_name(l->o->m, (uint32_t)s->class), at);
    else if (s->row || !w->reads[spot])
        w->reads[spot] = mapping_name_expr(l->o->m, mapping_order_temporary(l->o), at);
    return w->reads[spot];
}

static bool keeps(const struct map_lowering *l, const struct low_step *s, unsigned dest) {
    const struct target_op *op = &plane_target(l->t)->ops[s->op];
    return op->tied[dest] || (op->reads_old && !op->preset);
}

/* The address that opens these spots: a group of rows, or one place. */
static struct recipe_expr *address(struct sequence_writer *w, const uint32_t *spots, unsigned count,
                                   unsigned inverted, bool write, struct span at) {
    const struct target *t = w->l->t;
    if (count == 1 && inverted == 0)
        return write ? write_spot(w, spots[0], false, at) : read_spot(w, spots[0], at);
    for (uint32_t g = 0; g < plane_target(t)->group_count; g++) {
        bool same = plane_target(t)->groups[g].count == count;
        for (unsigned i = 0; same && i < count; i++)
            same = plane_target(t)->groups[g].class[i] == w->l->spots.data[spots[i]].class &&
                   plane_target(t)->groups[g].inverted[i] == (i >= count - inverted);
        for (unsigned i = 0; same && write && i < count; i++)
            write_spot(w, spots[i], false, at);
        if (same)
            return mapping_name_expr(w->l->o->m, mapping_group_name(w->l->o->m, g), at);
    }
    return NULL;
}

static struct recipe_stmt *arrow(struct sequence_writer *w, const struct low_step *s,
                                 struct span at) {
    const struct target_op *op = &plane_target(w->l->t)->ops[s->op];
    struct recipe_stmt *made = mapping_new_stmt(w->l->o->m, STMT_ARROW, at);
    made->value = mapping_order_call(w->l->o, s->op, at);
    made->value->args[made->value->count++] =
        address(w, s->src, op->first_rows, op->first_inverted, false, at);
    if (op->second_rows)
        made->targets[made->target_count++] = address(
            w, &s->dst[op->ndst - op->second_rows], op->second_rows, op->second_inverted, true, at);
    return made;
}

static struct recipe_stmt *call(struct sequence_writer *w, const struct low_step *s,
                                struct span at) {
    struct map_lowering *l = w->l;
    const struct target_op *op = &plane_target(l->t)->ops[s->op];
    struct recipe_stmt *made = mapping_new_stmt(l->o->m, STMT_CALL, at);
    made->value = mapping_order_call(l->o, s->op, at);
    for (unsigned i = 0; i < s->nsrc; i++)
        if (!op->fixed[i])
            made->value->args[made->value->count++] = read_spot(w, s->src[i], at);
    for (unsigned d = 0; d < s->ndst; d++) {
        struct recipe_expr *target = write_spot(w, s->dst[d], keeps(l, s, d), at);
        if (!op->fixed[s->nsrc + d])
            made->targets[made->target_count++] = target;
    }
    return made;
}

/* Where the first value of a carry lies. */
static uint32_t find_begun(const struct map_lowering *l, const struct plan *p) {
    if (l->o->begun == NOTHING)
        return NOTHING;
    uint32_t value = value_of(l, l->o->begun), spot = mapping_plan_find(l, p, value, true);
    return spot == NOTHING ? mapping_plan_find(l, p, value, false) : spot;
}

static void write_steps(struct map_lowering *l, const struct plan *p) {
    struct sequence_writer w = {.l = l};
    w.reads = ARENA_ARRAY(&l->o->m->scratch, l->spots.len + 1, struct recipe_expr *);
    struct span at = l->o->m->source->unit.at;
    for (size_t i = 0; i < p->steps.len; i++) {
        const struct low_step *s = &p->steps.data[i];
        if (s->move) {
            struct order_node *n = &l->o->nodes.data[s->node];
            mapping_order_move(l->o, n, read_spot(&w, s->src[0], n->at));
        } else {
            mapping_order_append(l->o, plane_target(l->t)->ops[s->op].first_rows ? arrow(&w, s, at)
                                                                                 : call(&w, s, at));
        }
    }
    if (l->o->begun != NOTHING) {
        struct operand_value *c = &l->o->cells.data[l->o->begun];
        if (c->input == NOTHING && c->node != NOTHING)
            c->expr = read_spot(&w, find_begun(l, p), at);
    }
}

/* --- the segment --- */

static bool run_nodes(struct map_lowering *l, struct beam *b, const uint32_t *sequence,
                      size_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!do_node(l, b, sequence[i], i))
            return mapping_fail(l->o->m, l->o->nodes.data[sequence[i]].at,
                                "the micro-ops of target '%s' cannot do this where the values lie",
                                l->t->name);
    return true;
}

/* All plans are cleaned, since what they can save differs. */
static const struct plan *clean_best(struct map_lowering *l, struct beam *b) {
    struct plan *best = &b->plans[0];
    for (unsigned i = 0; i < b->count; i++) {
        mapping_plan_clean(l, &b->plans[i], find_begun(l, &b->plans[i]));
        if (b->plans[i].cost < best->cost)
            best = &b->plans[i];
    }
    return best;
}

bool mapping_lower(struct segment_order *o, const uint32_t *sequence, size_t count) {
    struct map_lowering l = {.o = o, .d = o->m->gates.derived, .t = o->m->set->target};
    struct beam b = {.count = 1};
    add_rows(&l);
    find_saves(&l);
    add_inputs(&l, &b.plans[0]);
    l.constant_values[0] = mapping_value_constant(&l.values, false);
    l.constant_values[1] = mapping_value_constant(&l.values, true);
    find_values(&l, sequence, count);
    name_inputs(&l, &b.plans[0]);
    find_needs(&l, sequence, count);
    bool fine = run_nodes(&l, &b, sequence, count);
    if (fine)
        write_steps(&l, clean_best(&l, &b));
    free_beam(&b);
    mapping_values_free(&l.values);
    vec_free(&l.spots);
    vec_free(&l.needed);
    return fine;
}
