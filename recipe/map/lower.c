/* SPDX-License-Identifier: MIT
 * The nodes of a segment as micro-ops, where gates are sequences of them: the beam, and the
 * statements. */
#include "recipe/map/lower.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define BEAM      6   /* ways that are followed at a time */
#define THIN_BEAM 2   /* in recipes that are very long */
#define MOST_RUNS 256 /* of one node */

/* --- values of cells --- */

static void set_value(struct map_lowering *lowering, uint32_t cell, uint32_t value) {
    lowering->value_of_cell[cell] = value + 1;
}

static uint32_t value_of(const struct map_lowering *lowering, uint32_t cell) {
    return lowering->value_of_cell[cell] - 1;
}

static uint32_t gate_truth(const struct segment_order *order, const struct order_node *node) {
    return order->m->gates.gates[node->gate].truth;
}

static void find_values(struct map_lowering *lowering, const uint32_t *sequence, size_t count) {
    struct segment_order *o = lowering->o;
    for (uint32_t c = 0; c < o->cells.len; c++)
        if (o->cells.data[c].node == NOTHING)
            set_value(lowering, c,
                      c + 1 == o->constants[0]   ? mapping_value_constant(&lowering->values, false)
                      : c + 1 == o->constants[1] ? mapping_value_constant(&lowering->values, true)
                                                 : mapping_value_variable(&lowering->values));
    for (size_t i = 0; i < count; i++) {
        const struct order_node *n = &o->nodes.data[sequence[i]];
        uint32_t src[3];
        for (unsigned k = 0; k < n->nsrc; k++)
            src[k] = value_of(lowering, n->src[k]);
        if (n->cell != NOTHING)
            set_value(lowering, n->cell,
                      n->move
                          ? src[0]
                          : mapping_value_apply(&lowering->values, gate_truth(o, n), src, n->nsrc));
    }
}

/* --- places --- */

static int class_of_latch(const struct target *target, uint32_t name) {
    return name == SYMBOL_C   ? plane_target(target)->class_of_c
           : name == SYMBOL_M ? plane_target(target)->class_of_m
                              : plane_target(target)->class_of_valid;
}

/* The place of a name, or of a constant. */
static struct spot named_spot(const struct map_lowering *lowering, uint32_t name) {
    const struct op_frame *f = &lowering->d->frame;
    struct spot s = {.cell = NOTHING, .name = name};
    switch (lowering->o->m->names.data[name].kind) {
    case NAME_REGISTER:
        s.class = f->homes[0];
        break;
    case NAME_LATCH:
        s.class = class_of_latch(lowering->t, name);
        break;
    case NAME_CARRY:
        if (mapping_carry_place(lowering->o->m) == SEARCH_BUFFER) {
            s.class = CLASS_BUFFER;
            break;
        }
        __attribute__((fallthrough));
    default: /* a scratch name may be a second name of a register */
        s.class = f->apart ? CLASS_HOME : f->homes[f->home_count - 1];
    }
    s.fleeting = mapping_is_written(lowering->o->m, name);
    s.home =
        s.class == CLASS_HOME || s.class == f->homes[0] || s.class == f->homes[f->home_count - 1];
    return s;
}

static void add_rows(struct map_lowering *lowering) {
    const struct op_frame *f = &lowering->d->frame;
    for (unsigned i = f->first_written; i < f->count; i++)
        if (f->places[i].kind == FRAME_ROW) {
            lowering->row_at[i] = (uint8_t)lowering->row_count;
            lowering->row_place[lowering->row_count++] = (uint8_t)i;
            struct spot s = {.class = f->places[i].class, .row = true};
            s.cell = s.name = NOTHING;
            mapping_new_spot(lowering, s);
        }
}

/* Does the op copy what lies in rows of that class, and nothing else? */
static bool copies_from(const struct target_op *op, int class) {
    bool one = op->nsrc == 1 && op->ndst == 1 && !op->tied[0] && !op->reads_old;
    return one && op->truth[0] == 2 && (!op->fixed[0] || op->fixed[0] == class + 1) &&
           !op->fixed[1];
}

/* An op that copies each row to a temporary. */
static void find_saves(struct map_lowering *lowering) {
    const struct op_frame *f = &lowering->d->frame;
    for (unsigned r = 0; r < lowering->row_count; r++) {
        struct where_place at[] = {{lowering->spots.data[r].class, 0},
                                   {f->homes[f->home_count - 1], 0}};
        lowering->save[r] = -1;
        for (uint32_t i = plane_target(lowering->t)->op_count; i-- > 0;)
            if (copies_from(&plane_target(lowering->t)->ops[i], lowering->spots.data[r].class) &&
                technology_where_holds(plane_target(lowering->t)->ops[i].where, at, 0))
                lowering->save[r] = (int)i;
    }
}

static void add_inputs(struct map_lowering *lowering, struct plan *plan) {
    const struct op_frame *f = &lowering->d->frame;
    struct segment_order *o = lowering->o;
    for (unsigned i = FRAME_INPUTS; i < f->first_written; i++)
        mapping_constant_cell(o, f->places[i].number != 0, o->m->source->unit.at);
    lowering->value_of_cell = ARENA_ARRAY(&o->m->scratch, o->cells.len + 1, uint32_t);
    lowering->kept = ARENA_ARRAY(&o->m->scratch, o->cells.len + 1, bool);
    for (uint32_t c = 0; c < o->cells.len; c++) {
        uint32_t input = o->cells.data[c].input;
        struct spot s = {.cell = c, .name = NOTHING};
        if (o->cells.data[c].node != NOTHING)
            continue;
        if (input != NOTHING) {
            s = named_spot(lowering, input);
            s.cell = c;
            s.name = NOTHING;
        }
        uint32_t spot = mapping_new_spot(lowering, s);
        for (unsigned i = FRAME_INPUTS; i < f->first_written; i++)
            if (c + 1 == o->constants[f->places[i].number]) {
                lowering->spots.data[spot].class = f->places[i].class;
                lowering->constants[f->places[i].number] = spot + 1;
            }
        vec_push(&plan->held, ((struct held_value){0, spot}));
    }
}

/* Values are there once the inputs have places. */
static void name_inputs(struct map_lowering *lowering, struct plan *plan) {
    for (size_t i = 0; i < plan->held.len; i++)
        plan->held.data[i].value =
            value_of(lowering, lowering->spots.data[plan->held.data[i].spot].cell);
}

/* --- needs --- */

static void need(struct map_lowering *lowering, uint32_t value, uint32_t number) {
    while (lowering->needed.len <= value)
        vec_push(&lowering->needed, 0);
    lowering->needed.data[value] = number + 1;
}

/* The first node that makes a value; inputs and constants are there before any. */
static void make(struct map_lowering *lowering, uint32_t value, uint32_t number) {
    while (lowering->made.len <= value)
        vec_push(&lowering->made, 0);
    lowering->made.data[value] = number + 1;
}

static bool is_made(const struct map_lowering *lowering, uint32_t value) {
    return value < lowering->made.len && lowering->made.data[value];
}

static void find_made(struct map_lowering *lowering, const uint32_t *sequence, size_t count) {
    const struct segment_order *o = lowering->o;
    for (uint32_t i = 0; i < count; i++) {
        const struct order_node *n = &o->nodes.data[sequence[i]];
        if (!n->move && n->cell != NOTHING && !is_made(lowering, value_of(lowering, n->cell)))
            make(lowering, value_of(lowering, n->cell), i);
    }
}

static bool is_written_row(const struct map_lowering *lowering, const struct order_node *node) {
    if (node->name == NOTHING)
        return false;
    enum name_kind kind = lowering->o->m->names.data[node->name].kind;
    return kind == NAME_REGISTER || kind == NAME_LATCH;
}

/* A move that the walker carries out, from a place at home. */
static bool is_pass(const struct map_lowering *lowering, const struct order_node *node) {
    return node->move && !is_written_row(lowering, node);
}

static void find_needs(struct map_lowering *lowering, const uint32_t *sequence, size_t count) {
    struct segment_order *o = lowering->o;
    for (uint32_t i = 0; i < count; i++) {
        const struct order_node *n = &o->nodes.data[sequence[i]];
        for (unsigned k = 0; k < n->nsrc; k++) {
            need(lowering, value_of(lowering, n->src[k]), i);
            lowering->kept[n->src[k]] |= is_pass(lowering, n);
        }
    }
    if (o->begun != NOTHING) {
        need(lowering, value_of(lowering, o->begun), (uint32_t)count);
        lowering->kept[o->begun] = true;
    }
}

/* --- plans --- */

static void free_plan(struct plan *plan) {
    vec_free(&plan->held);
    vec_free(&plan->steps);
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

/* The cheapest plans, and the cheapest safe one where none of them is. */
struct beam {
    struct plan plans[BEAM + 1];
    unsigned count, most; /* most: at most BEAM */
    struct plan safe;     /* while plans are offered */
    bool has_safe;
};

static void free_beam(struct beam *beam) {
    for (unsigned i = 0; i < beam->count; i++)
        free_plan(&beam->plans[i]);
    beam->count = 0;
}

static bool is_needed(const struct map_lowering *lowering, uint32_t value, uint32_t number) {
    return value < lowering->needed.len && lowering->needed.data[value] > number + 1;
}

/* A sequence may leave a value on its way that a later node is to make: until then nothing reads
 * it. */
static bool is_awaited(const struct map_lowering *lowering, uint32_t value, uint32_t number) {
    bool later = value < lowering->made.len && lowering->made.data[value] > number + 1;
    return is_needed(lowering, value, number) && !later;
}

/* Where the search has what was there before the segment. */
static uint8_t place_of_input(const struct map_lowering *lowering,
                              const struct operand_value *cell) {
    const struct mapping *m = lowering->o->m;
    enum name_kind kind = cell->input == NOTHING ? NAME_SCRATCH : m->names.data[cell->input].kind;
    if (cell->input == NOTHING)
        return SEARCH_CONST;
    return kind == NAME_LATCH   ? mapping_latch_place(m, cell->input)
           : kind == NAME_CARRY ? mapping_carry_place(m)
                                : SEARCH_ROW;
}

static bool is_read_as_rows_are(const struct map_lowering *lowering, const struct spot *spot) {
    if (spot->home || spot->cell == NOTHING)
        return spot->home;
    uint8_t place = place_of_input(lowering, &lowering->o->cells.data[spot->cell]);
    return lowering->o->m->gates.plain >> place & 1;
}

static bool lies_at_home(const struct map_lowering *lowering, const struct plan *plan,
                         uint32_t value) {
    for (size_t i = 0; i < plan->held.len; i++) {
        const struct spot *s = &lowering->spots.data[plan->held.data[i].spot];
        if (plan->held.data[i].value == value && !s->lost && is_read_as_rows_are(lowering, s))
            return true;
    }
    return false;
}

/* What was there before the segment, and no node makes, is read where it lies: the search has seen
 * to that. */
static bool is_read_in_place(const struct map_lowering *lowering, const struct held_value *held) {
    const struct spot *s = &lowering->spots.data[held->spot];
    return s->cell != NOTHING && !s->lost && !is_made(lowering, held->value);
}

/* All that is needed lies where every gate can read it: from here on everything works. */
static bool is_safe(const struct map_lowering *lowering, const struct plan *plan, uint32_t number) {
    for (unsigned r = 0; r < lowering->row_count; r++)
        if (plan->rows[r] && is_awaited(lowering, plan->rows[r] - 1, number) &&
            !lies_at_home(lowering, plan, plan->rows[r] - 1))
            return false;
    for (size_t i = 0; i < plan->held.len; i++)
        if (is_awaited(lowering, plan->held.data[i].value, number) &&
            !is_read_in_place(lowering, &plan->held.data[i]) &&
            !lies_at_home(lowering, plan, plan->held.data[i].value))
            return false;
    return true;
}

static bool same_rows(const struct map_lowering *lowering, const struct plan *left,
                      const struct plan *right) {
    return memcmp(left->rows, right->rows, lowering->row_count * sizeof *left->rows) == 0;
}

static void offer_safe(struct beam *beam, const struct plan *plan) {
    if (beam->has_safe && beam->safe.cost <= plan->cost)
        return;
    if (beam->has_safe)
        free_plan(&beam->safe);
    copy_plan(plan, &beam->safe);
    beam->has_safe = true;
}

/* Takes the plan, or frees it: of those with the same in all rows only the cheapest, and the first
 * of those. */
static void offer(const struct map_lowering *lowering, struct beam *beam, struct plan *plan,
                  uint32_t number) {
    unsigned at = 0, same = 0;
    plan->safe = is_safe(lowering, plan, number);
    if (plan->safe)
        offer_safe(beam, plan);
    while (at < beam->count && beam->plans[at].cost <= plan->cost)
        at++;
    while (same < beam->count &&
           (beam->plans[same].safe != plan->safe || !same_rows(lowering, &beam->plans[same], plan)))
        same++;
    if (same < at || at == beam->most) {
        free_plan(plan);
        return;
    }
    if (same == beam->most)
        same = beam->most - 1;
    if (same < beam->count)
        free_plan(&beam->plans[same]);
    else
        beam->count++;
    memmove(&beam->plans[at + 1], &beam->plans[at], (same - at) * sizeof *beam->plans);
    beam->plans[at] = *plan;
}

/* All plans of a node have been offered. */
static void finish_beam(struct beam *beam) {
    bool safe = false;
    for (unsigned i = 0; i < beam->count; i++)
        safe |= beam->plans[i].safe;
    if (beam->has_safe && !safe)
        beam->plans[beam->count++] = beam->safe;
    else if (beam->has_safe)
        free_plan(&beam->safe);
    beam->has_safe = false;
}

/* --- runs of one node --- */

struct runs {
    struct template_run list[MOST_RUNS];
    unsigned count;
};

static void add_run(struct map_lowering *lowering, struct runs *runs,
                    const struct step_template *template, const uint32_t *inputs) {
    struct template_run *made = &runs->list[runs->count];
    if (runs->count == MOST_RUNS)
        return;
    made->t = template;
    made->own = false;
    memcpy(made->inputs, inputs, sizeof made->inputs);
    mapping_run_fill(lowering, made);
    runs->count++;
}

/* All sequences for a function, with its inputs in all orders that make no difference. */
static void add_group(struct map_lowering *lowering, struct runs *runs,
                      const struct node_demand *demand, uint8_t truth) {
    unsigned order[FRAME_INPUTS];
    const struct template_group *g = mapping_derived_find(lowering->d, truth, order);
    for (unsigned n = 0; g && n < INPUT_ORDERS; n++) {
        uint32_t inputs[FRAME_INPUTS];
        bool possible = mapping_function_permute(g->truth, mapping_input_orders[n]) == g->truth;
        for (unsigned i = 0; i < FRAME_INPUTS; i++) {
            possible &= i < g->nsrc || mapping_input_orders[n][i] == i;
            inputs[i] = demand->inputs[order[mapping_input_orders[n][i]]];
        }
        for (unsigned i = 0; possible && i < g->count; i++)
            if (!g->list[i].stays || (!demand->keep && !lowering->plain))
                add_run(lowering, runs, &g->list[i], inputs);
    }
}

/* The op of a gate that is one by itself. */
static const struct step_template *own_template(struct map_lowering *lowering,
                                                const struct order_node *node) {
    const struct op_frame *f = &lowering->d->frame;
    struct step_template *t = ARENA_NEW(&lowering->o->m->scratch, struct step_template);
    t->step_count = 1;
    t->out = (uint8_t)f->first_written;
    t->steps[0] =
        (struct op_use){.op = (uint16_t)node->kind, .nsrc = (uint8_t)node->nsrc, .ndst = 1};
    for (unsigned i = 0; i < node->nsrc; i++)
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

static void list_runs(struct map_lowering *lowering, struct runs *runs,
                      const struct node_demand *demand, const struct order_node *node) {
    runs->count = 0;
    if (!node->move && node->kind < DERIVED_TAG) {
        add_run(lowering, runs, own_template(lowering, node), demand->inputs);
        runs->list[0].own = true;
    }
    add_group(lowering, runs, demand,
              node->move ? 0xAA : wide_truth(gate_truth(lowering->o, node), node->nsrc));
}

/* --- one node --- */

/* It is there already. */
static bool is_free(const struct map_lowering *lowering, const struct plan *plan,
                    const struct node_demand *demand) {
    if (demand->spot != NOTHING || demand->anew)
        return false;
    for (unsigned i = 0; i < lowering->row_count && !demand->keep; i++)
        if (plan->rows[i] == demand->value + 1)
            return true;
    return mapping_plan_find(lowering, plan, demand->value, demand->keep) != NOTHING;
}

static void follow(struct map_lowering *lowering, const struct plan *plan,
                   const struct node_demand *demand, const struct runs *runs, struct beam *next) {
    struct plan made;
    if (is_free(lowering, plan, demand)) {
        copy_plan(plan, &made);
        offer(lowering, next, &made, demand->number);
        if (lies_at_home(lowering, plan, demand->value))
            return;
    }
    for (unsigned i = 0; i < runs->count; i++) {
        copy_plan(plan, &made);
        if (mapping_run_apply(lowering, &runs->list[i], demand, &made))
            offer(lowering, next, &made, demand->number);
        else
            free_plan(&made);
    }
}

static bool do_demand(struct map_lowering *lowering, struct beam *beam,
                      const struct node_demand *demand, const struct order_node *node) {
    struct runs *runs = xcalloc(1, sizeof *runs);
    struct beam next = {.most = beam->most};
    list_runs(lowering, runs, demand, node);
    for (unsigned i = 0; i < beam->count; i++)
        follow(lowering, &beam->plans[i], demand, runs, &next);
    free(runs);
    finish_beam(&next);
    if (!next.count)
        return false;
    free_beam(beam);
    *beam = next;
    return true;
}

/* The name holds something else now. */
static void lose_name(struct map_lowering *lowering, uint32_t name) {
    for (size_t i = 0; i < lowering->spots.len; i++) {
        struct spot *s = &lowering->spots.data[i];
        s->lost |= s->cell != NOTHING && lowering->o->cells.data[s->cell].input == name;
    }
}

static bool all_hold(const struct map_lowering *lowering, const struct beam *beam, uint32_t value) {
    for (unsigned i = 0; i < beam->count; i++)
        if (mapping_plan_find(lowering, &beam->plans[i], value, true) == NOTHING)
            return false;
    return true;
}

/* The walker does the move, from a place that lasts if there can be one. */
static bool do_pass(struct map_lowering *lowering, struct beam *beam, uint32_t node,
                    uint32_t number) {
    const struct order_node *n = &lowering->o->nodes.data[node], copy = {.move = true};
    uint32_t value = value_of(lowering, n->src[0]);
    struct node_demand d = {.number = number, .value = value, .inputs = {value}, .keep = true};
    d.spot = d.name = NOTHING;
    bool last = all_hold(lowering, beam, value) || do_demand(lowering, beam, &d, &copy);
    for (unsigned i = 0; i < beam->count; i++) {
        struct plan *p = &beam->plans[i];
        struct low_step s = {.move = true, .nsrc = 1, .node = node};
        s.src[0] = mapping_plan_find(lowering, p, value, last);
        if (s.src[0] == NOTHING)
            return false;
        vec_push(&p->steps, s);
    }
    return true;
}

static struct node_demand demand_of(struct map_lowering *lowering, const struct order_node *node,
                                    uint32_t number) {
    struct node_demand d = {.number = number, .spot = NOTHING, .name = node->name};
    for (unsigned i = 0; i < node->nsrc; i++)
        d.inputs[i] = value_of(lowering, node->src[i]);
    d.value = node->cell == NOTHING ? d.inputs[0] : value_of(lowering, node->cell);
    d.keep = node->name != NOTHING || (node->cell != NOTHING && lowering->kept[node->cell]);
    if (node->name != NOTHING) {
        struct spot s = named_spot(lowering, node->name);
        s.target = node->target;
        d.spot = mapping_new_spot(lowering, s);
    }
    return d;
}

/* First to a temporary, and from there to its name. */
static bool do_in_two(struct map_lowering *lowering, struct beam *beam,
                      const struct node_demand *demand, const struct order_node *node) {
    struct node_demand first = *demand, second = *demand;
    struct order_node copy = {.move = true};
    if (node->move)
        return false;
    first.spot = first.name = NOTHING;
    first.number = demand->number - 1; /* what the node reads is still needed */
    need(lowering, demand->value, demand->number);
    make(lowering, demand->value, first.number);
    second.inputs[0] = demand->value;
    return do_demand(lowering, beam, &first, node) && do_demand(lowering, beam, &second, &copy);
}

static bool all_at_home(const struct map_lowering *lowering, const struct beam *beam,
                        uint32_t value) {
    for (unsigned i = 0; i < beam->count; i++)
        if (!lies_at_home(lowering, &beam->plans[i], value))
            return false;
    return true;
}

/* First what it reads is copied to where all sequences look for it. */
static bool bring_home(struct map_lowering *lowering, struct beam *beam,
                       const struct node_demand *demand, const struct order_node *node) {
    const struct order_node copy = {.move = true};
    bool moved = false;
    for (unsigned i = 0; i < node->nsrc; i++) {
        struct node_demand d = {
            .number = demand->number - 1, .value = demand->inputs[i], .anew = true};
        d.inputs[0] = d.value;
        d.spot = d.name = NOTHING;
        if (all_at_home(lowering, beam, d.value))
            continue;
        if (!do_demand(lowering, beam, &d, &copy))
            return false;
        moved = true;
    }
    return moved;
}

static bool do_any_way(struct map_lowering *lowering, struct beam *beam,
                       const struct node_demand *demand, const struct order_node *node) {
    return do_demand(lowering, beam, demand, node) || do_in_two(lowering, beam, demand, node);
}

static bool do_node(struct map_lowering *lowering, struct beam *beam, uint32_t node,
                    uint32_t number) {
    const struct order_node *n = &lowering->o->nodes.data[node];
    if (is_pass(lowering, n)) {
        bool fine = do_pass(lowering, beam, node, number);
        if (fine && lowering->o->m->names.data[n->name].kind == NAME_SCRATCH)
            lose_name(lowering, n->name);
        return fine;
    }
    struct node_demand d = demand_of(lowering, n, number);
    if (!do_any_way(lowering, beam, &d, n) &&
        !(bring_home(lowering, beam, &d, n) && do_any_way(lowering, beam, &d, n)) &&
        !(n->move && do_pass(lowering, beam, node, number)))
        return false;
    if (n->name != NOTHING)
        lose_name(lowering, n->name);
    return true;
}

/* --- statements --- */

struct sequence_writer {
    struct map_lowering *l;
    struct recipe_expr **reads; /* by spot: how what it holds is read */
};

static struct recipe_expr *read_spot(struct sequence_writer *writer, uint32_t spot,
                                     struct span at) {
    const struct spot *s = &writer->l->spots.data[spot];
    if (s->cell != NOTHING)
        return mapping_order_read(writer->l->o, &writer->l->o->cells.data[s->cell], at);
    return writer->reads[spot];
}

static bool has_one_row(const struct target *target, int class) {
    return plane_target(target)->row_classes[class].latch ||
           plane_target(target)->row_classes[class].first ==
               plane_target(target)->row_classes[class].last;
}

/* A place is written: anew, or (keep) what it held counts. */
static struct recipe_expr *write_spot(struct sequence_writer *writer, uint32_t spot, bool keep,
                                      struct span at) {
    struct map_lowering *l = writer->l;
    const struct spot *s = &l->spots.data[spot];
    if (keep && writer->reads[spot])
        return writer->reads[spot];
    if (s->name != NOTHING)
        writer->reads[spot] = mapping_order_target(l->o, s->name, s->target, at);
    else if (s->row && has_one_row(l->t, s->class))
        writer->reads[spot] =
            mapping_name_expr(l->o->m, mapping_row_name(l->o->m, (uint32_t)s->class), at);
    else if (s->row || !writer->reads[spot])
        writer->reads[spot] = mapping_name_expr(l->o->m, mapping_order_temporary(l->o), at);
    return writer->reads[spot];
}

static bool keeps(const struct map_lowering *lowering, const struct low_step *step, unsigned dest) {
    const struct target_op *op = &plane_target(lowering->t)->ops[step->op];
    return op->tied[dest] || plane_op_keeps_old(op, dest);
}

/* The address that opens these spots: a group of rows, or one place. */
static struct recipe_expr *address(struct sequence_writer *writer, const uint32_t *spots,
                                   unsigned count, unsigned inverted, bool write, struct span at) {
    const struct target *t = writer->l->t;
    if (count == 1 && inverted == 0)
        return write ? write_spot(writer, spots[0], false, at) : read_spot(writer, spots[0], at);
    for (uint32_t g = 0; g < plane_target(t)->group_count; g++) {
        bool same = plane_target(t)->groups[g].count == count;
        for (unsigned i = 0; same && i < count; i++)
            same = plane_target(t)->groups[g].class[i] == writer->l->spots.data[spots[i]].class &&
                   plane_target(t)->groups[g].inverted[i] == (i >= count - inverted);
        for (unsigned i = 0; same && write && i < count; i++)
            write_spot(writer, spots[i], false, at);
        if (same)
            return mapping_name_expr(writer->l->o->m, mapping_group_name(writer->l->o->m, g), at);
    }
    return NULL;
}

static struct recipe_stmt *arrow(struct sequence_writer *writer, const struct low_step *step,
                                 struct span at) {
    const struct target_op *op = &plane_target(writer->l->t)->ops[step->op];
    struct recipe_stmt *made = mapping_new_stmt(writer->l->o->m, STMT_ARROW, at);
    made->value = mapping_order_call(writer->l->o, step->op, at);
    made->value->args[made->value->count++] =
        address(writer, step->src, op->first_rows, op->first_inverted, false, at);
    if (op->second_rows)
        made->targets[made->target_count++] =
            address(writer, &step->dst[op->ndst - op->second_rows], op->second_rows,
                    op->second_inverted, true, at);
    return made;
}

static struct recipe_stmt *call(struct sequence_writer *writer, const struct low_step *step,
                                struct span at) {
    struct map_lowering *l = writer->l;
    const struct target_op *op = &plane_target(l->t)->ops[step->op];
    struct recipe_stmt *made = mapping_new_stmt(l->o->m, STMT_CALL, at);
    made->value = mapping_order_call(l->o, step->op, at);
    for (unsigned i = 0; i < step->nsrc; i++)
        if (!op->fixed[i])
            made->value->args[made->value->count++] = read_spot(writer, step->src[i], at);
    for (unsigned d = 0; d < step->ndst; d++) {
        struct recipe_expr *target = write_spot(writer, step->dst[d], keeps(l, step, d), at);
        if (!op->fixed[step->nsrc + d])
            made->targets[made->target_count++] = target;
    }
    return made;
}

/* Where the first value of a carry lies. */
static uint32_t find_begun(const struct map_lowering *lowering, const struct plan *plan) {
    if (lowering->o->begun == NOTHING)
        return NOTHING;
    uint32_t value = value_of(lowering, lowering->o->begun),
             spot = mapping_plan_find(lowering, plan, value, true);
    return spot == NOTHING ? mapping_plan_find(lowering, plan, value, false) : spot;
}

static void write_steps(struct map_lowering *lowering, const struct plan *plan) {
    struct sequence_writer w = {.l = lowering};
    w.reads = ARENA_ARRAY(&lowering->o->m->scratch, lowering->spots.len + 1, struct recipe_expr *);
    struct span at = lowering->o->m->source->unit.at;
    for (size_t i = 0; i < plan->steps.len; i++) {
        const struct low_step *s = &plan->steps.data[i];
        if (s->move) {
            struct order_node *n = &lowering->o->nodes.data[s->node];
            mapping_order_move(lowering->o, n, read_spot(&w, s->src[0], n->at));
        } else {
            mapping_order_append(lowering->o, plane_target(lowering->t)->ops[s->op].first_rows
                                                  ? arrow(&w, s, at)
                                                  : call(&w, s, at));
        }
    }
    if (lowering->o->begun != NOTHING) {
        struct operand_value *c = &lowering->o->cells.data[lowering->o->begun];
        if (c->input == NOTHING && c->node != NOTHING)
            c->expr = read_spot(&w, find_begun(lowering, plan), at);
    }
}

/* --- the segment --- */

static bool run_nodes(struct map_lowering *lowering, struct beam *beam, const uint32_t *sequence,
                      size_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!do_node(lowering, beam, sequence[i], i))
            return lowering->plain &&
                   mapping_fail(
                       lowering->o->m, lowering->o->nodes.data[sequence[i]].at,
                       "the micro-ops of target '%s' cannot do this where the values lie ('where')",
                       lowering->t->name);
    return true;
}

/* All plans are cleaned, since what they can save differs. */
static const struct plan *clean_best(struct map_lowering *lowering, struct beam *beam) {
    struct plan *best = &beam->plans[0];
    for (unsigned i = 0; i < beam->count; i++) {
        mapping_plan_clean(lowering, &beam->plans[i], find_begun(lowering, &beam->plans[i]));
        if (beam->plans[i].cost < best->cost)
            best = &beam->plans[i];
    }
    return best;
}

static bool lower(struct segment_order *order, const uint32_t *sequence, size_t count, bool plain) {
    struct map_lowering l = {
        .o = order, .d = order->m->gates.derived, .t = order->m->set->target, .plain = plain};
    struct beam b = {.count = 1, .most = order->m->long_body ? THIN_BEAM : BEAM};
    add_rows(&l);
    find_saves(&l);
    add_inputs(&l, &b.plans[0]);
    l.constant_values[0] = mapping_value_constant(&l.values, false);
    l.constant_values[1] = mapping_value_constant(&l.values, true);
    find_values(&l, sequence, count);
    name_inputs(&l, &b.plans[0]);
    find_needs(&l, sequence, count);
    find_made(&l, sequence, count);
    bool fine = run_nodes(&l, &b, sequence, count);
    if (fine)
        write_steps(&l, clean_best(&l, &b));
    free_beam(&b);
    mapping_values_free(&l.values);
    vec_free(&l.spots);
    vec_free(&l.needed);
    vec_free(&l.made);
    return fine;
}

bool mapping_lower(struct segment_order *order, const uint32_t *sequence, size_t count) {
    return lower(order, sequence, count, false) || lower(order, sequence, count, true);
}
