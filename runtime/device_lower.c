/* SPDX-License-Identifier: MIT
 * From a segment of a graph to a linked program: its inputs, then its outputs are the object's
 * variables, its scalars the link-time values. */
#include "runtime/device.h"

#include "ezpim/array/array.h"
#include "ezpim/array/call.h"
#include "ezpim/array/fold.h"
#include "ezpim/code/rows.h"
#include "ezpim/compile.h"
#include "linker/linker.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

struct graph_lowering {
    const struct device_graph *g;
    struct arrays arrays;
    uint32_t *results;  /* [nodes]: virtual registers */
    uint32_t source;    /* of which a node is a line; 0: nobody asks */
    struct span at;     /* the node at hand */
    uint32_t variables; /* inputs, and outputs so far */
};

/* ---- declarations ---- */

static void declare(struct graph_lowering *lowering, const char *name, uint32_t number,
                    struct lane_type type, uint8_t direction) {
    struct ir_program *p = lowering->arrays.b.p;
    struct ir_variable v = {.spilled_to = IR_NONE,
                            .decl = {.name = arena_name(p->arena, name, number),
                                     .direction = direction,
                                     .type = type,
                                     .count = 1,
                                     .group = 0,
                                     .place = {NO_INDEX, 0, 0}}};
    vec_push(&p->variables, v);
}

static void declare_group(struct graph_lowering *lowering, const char *name, uint64_t n) {
    struct group group = {.name = name,
                          .ndim = 1,
                          .extent = {{NO_INDEX, n}},
                          .like = NO_INDEX,
                          .at_rfh = NO_INDEX,
                          .at_vrf = NO_INDEX,
                          .place = {NO_INDEX, 0, 0}};
    vec_push(&lowering->arrays.b.p->groups, group);
}

static void copy_extents(struct graph_lowering *lowering, uint32_t to, uint32_t from) {
    struct group *groups = lowering->arrays.b.p->groups.data;
    groups[to].ndim = groups[from].ndim;
    memcpy(groups[to].extent, groups[from].extent, sizeof groups[to].extent);
}

static void add_extent(struct group *group, uint64_t extent) {
    group->extent[group->ndim++] = (struct extent){NO_INDEX, extent};
}

/* So many lines x elements along the axis (0: the axis is gone) x elements between two of these. */
static void shape_group(struct graph_lowering *lowering, uint32_t group, uint64_t lines,
                        uint64_t along, uint64_t stride) {
    struct group *g = &lowering->arrays.b.p->groups.data[group];
    g->ndim = 0;
    if (lines > 1)
        add_extent(g, lines);
    if (along)
        add_extent(g, along);
    if (stride > 1)
        add_extent(g, stride);
}

static void declare_shapes(struct graph_lowering *lowering) {
    const struct device_graph *g = lowering->g;
    if (g->alone && g->alone->kind == NODE_MATMUL) {
        device_declare_product(g, &lowering->arrays);
        return;
    }
    declare_group(lowering, "g", g->n);
    uint64_t stride = g->segment ? g->alone->stride : 1,
             lines = g->segment ? g->n / g->segment / stride : 1;
    if (g->row)
        shape_group(lowering, AT_INPUT, g->n / g->row, g->row, 1);
    else if (g->segment && g->segment < g->n)
        shape_group(lowering, AT_INPUT, lines, g->segment, stride);
    if (g->apart)
        declare_group(lowering, "h", g->result_n);
    if (g->apart && lines > 1 && stride > 1)
        shape_group(lowering, AT_RESULT, lines, 0, stride);
    if (g->lanes) {
        declare_group(lowering, "h", g->n);
        copy_extents(lowering, AT_ELSEWHERE, AT_INPUT);
    }
}

static void declare_groups(struct graph_lowering *lowering) {
    const struct device_graph *g = lowering->g;
    struct ir_program *p = lowering->arrays.b.p;
    declare_shapes(lowering);
    for (uint32_t k = 0; k < p->groups.len; k++)
        if (g->within[k])
            p->groups.data[k].like = AT_INPUT;
}

static void declare_all(struct graph_lowering *lowering) {
    const struct device_graph *g = lowering->g;
    struct ir_program *p = lowering->arrays.b.p;
    declare_groups(lowering);
    for (uint32_t i = 0; i < g->inputs.len; i++)
        declare(lowering, "a", i, g->inputs.data[i], VAR_IN);
    for (uint32_t i = 0, k = 0; i < g->nodes.len; i++)
        if (g->nodes.data[i].output)
            declare(lowering, "z", k++, g->nodes.data[i].result, VAR_OUT);
    if (g->alone) {
        declare(lowering, "z", 0, g->result, VAR_OUT);
        vec_last(&p->variables).decl.group = g->apart ? AT_RESULT : AT_INPUT;
    }
    for (uint32_t i = 1; g->alone && i < g->inputs.len; i++)
        p->variables.data[i].decl.group = AT_RIGHT;
    for (uint32_t i = 0; i < g->scalars.len; i++)
        vec_push(&p->values, ((struct value_decl){.name = arena_name(p->arena, "s", i),
                                                  .type = g->scalars.data[i].type,
                                                  .place = {NO_INDEX, 0, 0}}));
}

/* ---- operands ---- */

static uint32_t register_of(struct graph_lowering *lowering, const struct graph_operand *operand) {
    struct ir_builder *b = &lowering->arrays.b;
    switch (operand->kind) {
    case OPERAND_NODE:
        return lowering->results[operand->index];
    case OPERAND_SCALAR:
        return ir_link_value(b, operand->type, operand->index, 0, IR_NONE, lowering->at);
    case OPERAND_BAKED:
        return ir_constant(b, operand->type, operand->bits, IR_NONE, lowering->at);
    default:
        return ir_element(b, operand->index, 0);
    }
}

/* All but the one that is a number, from 1 on; 0: there is none. */
static void registers_of(struct graph_lowering *lowering, const struct graph_node *node,
                         uint32_t number, uint32_t *registers) {
    for (uint32_t k = 0; k < node->count; k++)
        if (k == 0 || k != number)
            registers[k] = register_of(lowering, &node->operands[k]);
}

/* ---- nodes ---- */

static uint32_t lower_operation(struct graph_lowering *lowering, const struct graph_node *node,
                                uint32_t dst) {
    uint32_t registers[3] = {IR_NONE, IR_NONE, IR_NONE};
    enum array_op op = device_array_op(node->op);
    uint32_t number = array_op_number(op);
    registers_of(lowering, node, number, registers);
    /* That of a cast is the operand's own. */
    struct lane_type type = op == ARRAY_OP_CAST ? node->operands[0].type : node->type;
    return array_emit(&lowering->arrays, op, type, node->type, registers, NULL,
                      number ? node->operands[number].bits : 0, dst, lowering->at);
}

static uint32_t lower_call(struct graph_lowering *lowering, const struct graph_node *node,
                           uint32_t dst) {
    uint32_t registers[SIGNATURE_MAX_REGISTERS];
    registers_of(lowering, node, 0, registers);
    return array_emit_call(&lowering->arrays.b, node->sub->signature, registers, dst, lowering->at);
}

static void lower_nodes(struct graph_lowering *lowering) {
    const struct device_graph *g = lowering->g;
    struct ir_builder *b = &lowering->arrays.b;
    ir_begin_ensemble(b, 0, NO_SPAN);
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const struct graph_node *node = &g->nodes.data[i];
        lowering->at = lowering->source ? (struct span){lowering->source, i, i + 1} : NO_SPAN;
        uint32_t dst = node->output ? ir_element(b, lowering->variables++, 0) : IR_NONE;
        lowering->results[i] =
            node->sub ? lower_call(lowering, node, dst) : lower_operation(lowering, node, dst);
    }
}

/* Before the code that calls them. */
static void declare_subs(struct graph_lowering *lowering) {
    const struct device_graph *g = lowering->g;
    for (size_t i = 0; i < g->nodes.len; i++)
        if (g->nodes.data[i].sub)
            array_callee(&lowering->arrays.b, g->nodes.data[i].sub->signature);
}

struct lowered_graph {
    const struct device_graph *g;
    struct diag *diag; /* that has the source */
    uint32_t source;   /* lines_of_nodes */
};

static void lower(void *context, struct compile_lowering how, struct ir_program *program) {
    const struct lowered_graph *lowered = context;
    const struct device_graph *g = lowered->g;
    struct diag *quiet = lowered->source ? lowered->diag : diag_new(NULL, NULL);
    struct ir_image image = {.mpu_count = 1};
    struct graph_lowering l = {
        .g = g, .variables = (uint32_t)g->inputs.len, .source = lowered->source};
    arrays_begin_bare(&l.arrays, program, how, quiet);
    l.arrays.b.function = ez_library_call;
    l.arrays.b.joins &= !how.separate;
    l.results = xcalloc(g->nodes.len + 1, sizeof *l.results);
    declare_all(&l);
    declare_subs(&l);
    l.arrays.b.end = &image.nodes;
    if (g->alone)
        device_lower_alone(g, &l.arrays);
    else
        lower_nodes(&l);
    vec_push(&program->images, image);
    arrays_end(&l.arrays, false);
    free(l.results);
    if (!lowered->source)
        diag_free(quiet);
}

/* With the programs whose subroutines it calls. */
static struct object *link_with_libraries(const struct object *object,
                                          const struct device_graph *graph, struct diag *diag) {
    const struct object **inputs = xcalloc(graph->nodes.len + 1, sizeof *inputs);
    size_t count = 1;
    inputs[0] = object;
    for (size_t i = 0; i < graph->nodes.len; i++) {
        const struct device_sub *sub = graph->nodes.data[i].sub;
        size_t k = 1;
        while (sub && k < count && inputs[k] != sub->library->object)
            k++;
        if (sub && k == count)
            inputs[count++] = sub->library->object;
    }
    struct object *linked = link_objects(inputs, count, NULL, diag);
    free(inputs);
    return linked;
}

/* NULL: it has no code, or this machine has no room for it. */
static struct object *compile_for_all(const struct compile_front *front, const mpu_device *device,
                                      const struct machine_room *room) {
    const struct ez_options options = {.optimize = 2};
    struct diag *quiet = diag_new(NULL, NULL);
    struct object *o = compile_program(front, &options, quiet);
    struct rows_use use;
    diag_free(quiet);
    if (o)
        rows_taken(o, &use);
    if (o && (!rows_do(o, device->target->name) ||
              rows_of_bits(use.bits, room->sections) > room->rows)) {
        object_free(o);
        return NULL;
    }
    return o;
}

/* As kernels are compiled, for all machines: how long the blocks of folds and running sums are
 * follows from the registers that there are.  NULL: there are none, or this machine has no room. */
static struct object *compile_as_kernel(const struct compile_front *front, const mpu_device *device,
                                        const struct device_graph *graph) {
    enum node_kind kind = graph->alone ? graph->alone->kind : NODE_APPLY;
    if (kind != NODE_SCAN && kind != NODE_FOLD && kind != NODE_MATMUL)
        return NULL;
    return compile_for_all(front, device, &device->rooms[graph->slot]);
}

bool device_has_narrow_result(const struct device_graph *graph) {
    return graph->alone && graph->alone->kind == NODE_FOLD && device_gives_place(graph->alone->op);
}

/* A text with a line for each node, which lines of the program name: which node an instruction is
 * of.  A single node has none, so that messages have no place. */
static uint32_t lines_of_nodes(const struct device_graph *graph, struct diag *diag) {
    if (graph->nodes.len < 2)
        return 0;
    char *text = xcalloc(graph->nodes.len + 1, 1);
    memset(text, '\n', graph->nodes.len);
    uint32_t source = diag_source(diag, DEVICE_LINES, text, graph->nodes.len);
    free(text);
    return source;
}

struct object *device_compile(const mpu_device *device, const struct device_graph *graph,
                              bool narrow, struct diag *diag) {
    struct arena arena = {0};
    unsigned bits = narrow ? array_fold_bits(graph->segment - 1) : 0;
    struct lowered_graph lowered = {graph, diag, lines_of_nodes(graph, diag)};
    const struct compile_front front = {.context = &lowered,
                                        .lower = lower,
                                        .arena = &arena,
                                        .roomy = true,
                                        .resident = true,
                                        .narrow = {(uint32_t)graph->inputs.len, (uint8_t)bits}};
    /* Registers in sections: what instructions need beside them is known by the target's name. */
    const struct machine_room *room = &device->rooms[graph->slot];
    bool apart = room->sections > 1 && !device->machine->slots;
    struct ez_options options = {.optimize = 2,
                                 .rows = room->rows * room->sections,
                                 .target = apart ? device->target->name : NULL};
    struct object *o = compile_as_kernel(&front, device, graph), *linked = NULL;
    if (!o && !narrow)
        o = compile_program(&front, &options, diag);
    /* Products of the bits that count take fewer rows of what functions have. */
    options.products = true;
    if (!o && !narrow && apart)
        o = compile_program(&front, &options, diag);
    options.products = false;
    options.target = NULL;
    options.rows = 0;
    if (!o && !narrow && (graph->alone || graph->nodes.len == 1)) /* the linker says what lacks */
        o = compile_program(&front, &options, diag);
    if (o)
        linked = link_with_libraries(o, graph, diag);
    object_free(o);
    arena_free(&arena);
    return linked;
}
