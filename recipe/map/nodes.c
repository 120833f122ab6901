/* SPDX-License-Identifier: MIT
 * The programs of a segment's blocks as one graph of micro-ops and moves. */
#include "recipe/map/memo.h"

#include "support/str.h"
#include "recipe/map/order.h"

static uint32_t add_cell(struct segment_order *order, struct operand_value value) {
    vec_push(&order->cells, value);
    return (uint32_t)order->cells.len - 1;
}

/* What a value is read from: an input, or what an earlier block left. */
static uint32_t cell_of_value(struct segment_order *order, uint32_t value) {
    uint32_t *known = &order->cell_of_value[value];
    const struct map_value *v = &order->segment->values.data[value];
    if (!*known)
        *known = add_cell(order, (struct operand_value){NOTHING, v->name, v->expr}) + 1;
    return *known - 1;
}

uint32_t mapping_constant_cell(struct segment_order *order, bool one, struct span at) {
    uint32_t *known = &order->constants[one];
    if (!*known) {
        uint32_t name = one ? SYMBOL_ONE : SYMBOL_ZERO;
        struct recipe_expr *e = mapping_name_expr(order->m, name, at);
        *known = add_cell(order, (struct operand_value){NOTHING, NOTHING, e}) + 1;
    }
    return *known - 1;
}

static uint32_t add_node(struct segment_order *order, struct order_node node) {
    vec_push(&order->nodes, node);
    return (uint32_t)order->nodes.len - 1;
}

/* A micro-op that makes a new cell. */
static uint32_t add_step(struct segment_order *order, struct order_node node) {
    node.cell = (uint32_t)order->cells.len;
    node.name = NOTHING;
    add_cell(order, (struct operand_value){(uint32_t)order->nodes.len, NOTHING, NULL});
    add_node(order, node);
    return node.cell;
}

/* Cells of the values of a program: variables, constants, steps. */
struct program_cells {
    uint32_t cells[SEARCH_MAX_VALUES + SEARCH_MAX_STEPS];
    uint8_t places[SEARCH_MAX_VALUES + SEARCH_MAX_STEPS];
    int8_t constants[SEARCH_MAX_VALUES + SEARCH_MAX_STEPS]; /* 0, 1, or -1 */
    unsigned count;
};

static void add_cell_of(struct program_cells *cells, uint32_t cell, uint8_t place, int constant) {
    cells->cells[cells->count] = cell;
    cells->places[cells->count] = place;
    cells->constants[cells->count++] = (int8_t)constant;
}

/* The one source whose value a step has, the others being constants; -1 if there is none. */
static int passed_source(const struct search_gate *gate, const struct search_step *step,
                         const struct program_cells *cells) {
    int passed = -1;
    for (unsigned k = 0; k < step->nsrc; k++) {
        if (cells->constants[step->src[k]] >= 0)
            continue;
        if (passed >= 0 && step->src[k] != step->src[passed])
            return -1;
        passed = (int)k;
    }
    for (unsigned value = 0; value < 2 && passed >= 0; value++) {
        unsigned row = 0;
        for (unsigned k = 0; k < step->nsrc; k++) {
            int constant = cells->constants[step->src[k]];
            row |= (constant < 0 ? value : (unsigned)constant) << k;
        }
        if ((gate->truth >> row & 1) != value)
            return -1;
    }
    return passed;
}

/* A step that only copies is done by a gate that copies, where one costs no more. */
static struct search_step plain_copy(const struct map_gates *gates, const struct search_step *step,
                                     const struct program_cells *cells) {
    const struct search_gate *g = &gates->gates[step->gate];
    int passed = step->nsrc > 1 ? passed_source(g, step, cells) : -1;
    struct search_step made = *step;
    for (unsigned i = 0; i < gates->count && passed >= 0; i++) {
        const struct search_gate *copy = &gates->gates[i];
        if (copy->nsrc != 1 || copy->truth != 2 || copy->cost > g->cost ||
            !(copy->src_places[0] >> cells->places[step->src[passed]] & 1) ||
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

static void start_cells(struct segment_order *order, const struct map_block *block,
                        const struct realization *realization, struct span at,
                        struct program_cells *cells) {
    const struct solved *s = &realization->solved;
    for (unsigned i = 0; i < s->input_count; i++)
        add_cell_of(cells, cell_of_value(order, block->inputs[s->inputs[i]]),
                    realization->request.places[s->inputs[i]], -1);
    if (order->m->gates.zero)
        add_cell_of(cells, mapping_constant_cell(order, false, at), SEARCH_CONST, 0);
    if (order->m->gates.one)
        add_cell_of(cells, mapping_constant_cell(order, true, at), SEARCH_CONST, 1);
}

static void add_steps(struct segment_order *order, const struct solved *solved, struct span at,
                      struct program_cells *cells) {
    for (unsigned i = 0; i < solved->program->step_count; i++) {
        struct search_step step = plain_copy(&order->m->gates, &solved->program->steps[i], cells);
        struct order_node n = {.kind = step.tag, .gate = step.gate, .nsrc = step.nsrc, .at = at};
        for (unsigned k = 0; k < step.nsrc; k++)
            n.src[k] = cells->cells[step.src[k]];
        add_cell_of(cells, add_step(order, n), step.place, -1);
    }
}

static void write_entry(struct segment_order *order, const struct block_entry *entry, uint32_t cell,
                        bool own, struct span at) {
    if (entry->write == NOTHING) {
        order->cell_of_value[entry->value] = cell + 1;
        return;
    }
    const struct map_write *w = &order->segment->writes.data[entry->write];
    if (own) {
        order->nodes.data[order->cells.data[cell].node].name = w->name;
        order->nodes.data[order->cells.data[cell].node].write = entry->write;
        order->nodes.data[order->cells.data[cell].node].target = w->target;
    } else if (order->segment->carry) {
        order->begun = cell;
    } else {
        add_node(order, (struct order_node){.move = true,
                                            .src = {cell},
                                            .nsrc = 1,
                                            .cell = NOTHING,
                                            .name = w->name,
                                            .write = entry->write,
                                            .target = w->target,
                                            .at = at});
    }
}

/* A constant that is wanted, for which there is no row and which nothing makes of nothing; -1:
 * none. */
static int missing_constant(const struct mapping *mapping, const struct request *request) {
    struct search_problem p = {.gates = mapping->gates.gates, .gate_count = mapping->gates.count};
    uint64_t made[4];
    mapping_add_constants(&mapping->gates, &p);
    search_closure(&p, made);
    for (unsigned i = 0; i < request->output_count; i++) {
        uint8_t f = request->outputs[i].truth;
        bool there = f ? mapping->gates.one : mapping->gates.zero;
        if ((f == 0 || f == 0xff) && !there && !(made[f >> 6] >> (f & 63) & 1))
            return f != 0;
    }
    return -1;
}

/* "x & y of a row and a buffer", as the end of "make no". */
static void describe(const struct request *request, struct str *out) {
    static const char *const places[] = {"a row", "a row of constants", "a buffer", "C", "M",
                                         "valid", "a register"};
    for (unsigned i = 0; i < request->output_count; i++) {
        const char *name = mapping_function_name(request->outputs[i].truth);
        str_printf(out, "%s%s", i ? " and " : "", name ? name : "a function");
    }
    for (unsigned i = 0; i < request->input_count; i++)
        str_printf(out, "%s%s",
                   i == 0                          ? " of "
                   : i + 1 == request->input_count ? " and "
                                                   : ", ",
                   places[request->places[i]]);
}

static bool report_missing(struct segment_order *order, const struct request *request) {
    struct mapping *m = order->m;
    const char *missing = mapping_refusal(m);
    struct span at = m->source->unit.at;
    if (missing)
        return mapping_fail(m, at, "the micro-ops of target '%s' %s", m->set->target->name,
                            missing);
    int constant = missing_constant(m, request);
    if (constant >= 0)
        return mapping_fail(
            m, at,
            "no row of target '%s' holds constant %d ('value: %d' under 'rows'), and "
            "no micro-op writes %d without reading something",
            m->set->target->name, constant, constant, constant);
    struct str what = {0};
    describe(request, &what);
    mapping_fail(m, at, "the micro-ops of target '%s' ('where') make no %s", m->set->target->name,
                 str_text(&what));
    str_free(&what);
    return false;
}

static bool add_block(struct segment_order *order, const struct map_block *block) {
    struct realization r;
    struct program_cells c = {.count = 0};
    struct span at = block->at;
    mapping_realize(order->m, order->segment, block, &r);
    if (!r.feasible)
        return report_missing(order, &r.request);
    if (r.request.output_count) {
        start_cells(order, block, &r, at, &c);
        add_steps(order, &r.solved, at, &c);
    }
    for (unsigned i = 0; i < block->entry_count; i++) {
        uint32_t cell;
        unsigned index = r.entries[i].index;
        if (r.entries[i].how == FROM_INPUT) {
            cell = cell_of_value(order, block->inputs[index]);
        } else if (r.entries[i].how == FROM_CONST) {
            cell = mapping_constant_cell(order, index != 0, at);
        } else {
            unsigned output = 0;
            while (r.solved.outputs[output] != index)
                output++;
            cell = c.cells[r.solved.program->outputs[output]];
        }
        write_entry(order, &block->entries[i], cell, r.entries[i].own, at);
    }
    return true;
}

bool mapping_make_nodes(struct segment_order *order) {
    const struct segment *s = order->segment;
    order->cell_of_value = ARENA_ARRAY(&order->m->scratch, s->values.len + 1, uint32_t);
    order->begun = NOTHING;
    for (size_t i = 0; i < s->blocks.len; i++)
        if (!add_block(order, &s->blocks.data[i]))
            return false;
    return true;
}
