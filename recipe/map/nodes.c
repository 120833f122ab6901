/* SPDX-License-Identifier: MIT
 * The programs of a segment's blocks as one graph of micro-ops and moves. */
#include "recipe/map/order.h"

static uint32_t add_cell(struct segment_order *o, struct operand_value c) {
    vec_push(&o->cells, c);
    return (uint32_t)o->cells.len - 1;
}

/* What a value is read from: an input, or what an earlier block left. */
static uint32_t cell_of_value(struct segment_order *o, uint32_t value) {
    uint32_t *known = &o->cell_of_value[value];
    const struct map_value *v = &o->segment->values.data[value];
    if (!*known)
        *known = add_cell(o, (struct operand_value){NOTHING, v->name, v->expr}) + 1;
    return *known - 1;
}

uint32_t mapping_constant_cell(struct segment_order *o, bool one, struct span at) {
    uint32_t *known = &o->constants[one];
    if (!*known) {
        uint32_t name = one ? SYMBOL_ONE : SYMBOL_ZERO;
        struct recipe_expr *e = mapping_name_expr(o->m, name, at);
        *known = add_cell(o, (struct operand_value){NOTHING, NOTHING, e}) + 1;
    }
    return *known - 1;
}

static uint32_t add_node(struct segment_order *o, struct order_node n) {
    vec_push(&o->nodes, n);
    return (uint32_t)o->nodes.len - 1;
}

/* A micro-op that makes a new cell. */
static uint32_t add_step(struct segment_order *o, struct order_node n) {
    n.cell = (uint32_t)o->cells.len;
    n.name = NOTHING;
    add_cell(o, (struct operand_value){(uint32_t)o->nodes.len, NOTHING, NULL});
    add_node(o, n);
    return n.cell;
}

/* Cells of the values of a program: variables, constants, steps. */
struct program_cells {
    uint32_t cells[SEARCH_MAX_VALUES + SEARCH_MAX_STEPS];
    uint8_t places[SEARCH_MAX_VALUES + SEARCH_MAX_STEPS];
    int8_t constants[SEARCH_MAX_VALUES + SEARCH_MAX_STEPS]; /* 0, 1, or -1 */
    unsigned count;
};

static void add_cell_of(struct program_cells *c, uint32_t cell, uint8_t place, int constant) {
    c->cells[c->count] = cell;
    c->places[c->count] = place;
    c->constants[c->count++] = (int8_t)constant;
}

/* The one source whose value a step has, the others being constants; -1 if there is none. */
static int passed_source(const struct search_gate *g, const struct search_step *step,
                         const struct program_cells *c) {
    int passed = -1;
    for (unsigned k = 0; k < step->nsrc; k++) {
        if (c->constants[step->src[k]] >= 0)
            continue;
        if (passed >= 0 && step->src[k] != step->src[passed])
            return -1;
        passed = (int)k;
    }
    for (unsigned value = 0; value < 2 && passed >= 0; value++) {
        unsigned row = 0;
        for (unsigned k = 0; k < step->nsrc; k++) {
            int constant = c->constants[step->src[k]];
            row |= (constant < 0 ? value : (unsigned)constant) << k;
        }
        if ((g->truth >> row & 1) != value)
            return -1;
    }
    return passed;
}

/* A step that only copies is done by a gate that copies, where one costs no more. */
static struct search_step plain_copy(const struct map_gates *gates, const struct search_step *step,
                                     const struct program_cells *c) {
    const struct search_gate *g = &gates->gates[step->gate];
    int passed = step->nsrc > 1 ? passed_source(g, step, c) : -1;
    struct search_step made = *step;
    for (unsigned i = 0; i < gates->count && passed >= 0; i++) {
        const struct search_gate *copy = &gates->gates[i];
        if (copy->nsrc != 1 || copy->truth != 2 || copy->cost > g->cost ||
            !(copy->src_places[0] >> c->places[step->src[passed]] & 1) ||
            !(copy->dst_places >> step->place & 1))
            continue;
        made.gate = (uint8_t)i;
        made.tag = copy->tag;
        made.nsrc = 1;
        made.src[0] = step->src[passed];
        break;
    }
    return made;
}

static void start_cells(struct segment_order *o, const struct map_block *b,
                        const struct realization *r, struct span at, struct program_cells *c) {
    const struct solved *s = &r->solved;
    for (unsigned i = 0; i < s->input_count; i++)
        add_cell_of(c, cell_of_value(o, b->inputs[s->inputs[i]]), r->request.places[s->inputs[i]],
                    -1);
    if (o->m->gates.zero)
        add_cell_of(c, mapping_constant_cell(o, false, at), SEARCH_CONST, 0);
    if (o->m->gates.one)
        add_cell_of(c, mapping_constant_cell(o, true, at), SEARCH_CONST, 1);
}

static void add_steps(struct segment_order *o, const struct solved *s, struct span at,
                      struct program_cells *c) {
    for (unsigned i = 0; i < s->program->step_count; i++) {
        struct search_step step = plain_copy(&o->m->gates, &s->program->steps[i], c);
        struct order_node n = {.kind = step.tag, .gate = step.gate, .nsrc = step.nsrc, .at = at};
        for (unsigned k = 0; k < step.nsrc; k++)
            n.src[k] = c->cells[step.src[k]];
        add_cell_of(c, add_step(o, n), step.place, -1);
    }
}

static void write_entry(struct segment_order *o, const struct block_entry *e, uint32_t cell,
                        bool own, struct span at) {
    if (e->write == NOTHING) {
        o->cell_of_value[e->value] = cell + 1;
        return;
    }
    const struct map_write *w = &o->segment->writes.data[e->write];
    if (own) {
        o->nodes.data[o->cells.data[cell].node].name = w->name;
        o->nodes.data[o->cells.data[cell].node].write = e->write;
        o->nodes.data[o->cells.data[cell].node].target = w->target;
    } else if (o->segment->carry) {
        o->begun = cell;
    } else {
        add_node(o, (struct order_node){.move = true,
                                        .src = {cell},
                                        .nsrc = 1,
                                        .cell = NOTHING,
                                        .name = w->name,
                                        .write = e->write,
                                        .target = w->target,
                                        .at = at});
    }
}

static bool report_missing(struct segment_order *o) {
    struct mapping *m = o->m;
    const char *missing = mapping_refuse_function(m);
    struct span at = m->source->unit.at;
    if (missing)
        return mapping_fail(m, at, "the micro-ops of target '%s' cannot make %s",
                            m->set->target->name, missing);
    return mapping_fail(m, at, "the micro-ops of target '%s' cannot do this where the values lie",
                        m->set->target->name);
}

static bool add_block(struct segment_order *o, const struct map_block *b) {
    struct realization r;
    struct program_cells c = {.count = 0};
    struct span at = b->at;
    mapping_realize(o->m, o->segment, b, &r);
    if (!r.feasible)
        return report_missing(o);
    if (r.request.output_count) {
        start_cells(o, b, &r, at, &c);
        add_steps(o, &r.solved, at, &c);
    }
    for (unsigned i = 0; i < b->entry_count; i++) {
        uint32_t cell;
        unsigned index = r.entries[i].index;
        if (r.entries[i].how == FROM_INPUT) {
            cell = cell_of_value(o, b->inputs[index]);
        } else if (r.entries[i].how == FROM_CONST) {
            cell = mapping_constant_cell(o, index != 0, at);
        } else {
            unsigned output = 0;
            while (r.solved.outputs[output] != index)
                output++;
            cell = c.cells[r.solved.program->outputs[output]];
        }
        write_entry(o, &b->entries[i], cell, r.entries[i].own, at);
    }
    return true;
}

bool mapping_make_nodes(struct segment_order *o) {
    const struct segment *s = o->segment;
    o->cell_of_value = ARENA_ARRAY(&o->m->scratch, s->values.len + 1, uint32_t);
    o->begun = NOTHING;
    for (size_t i = 0; i < s->blocks.len; i++)
        if (!add_block(o, &s->blocks.data[i]))
            return false;
    return true;
}
