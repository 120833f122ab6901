/* SPDX-License-Identifier: MIT
 * From a segment of a graph to a linked program: its inputs, then its outputs are the object's
 * variables, its scalars the link-time values. */
#include "runtime/device.h"

#include "ezpim/compile.h"
#include "ezpim/ir_build.h"
#include "ezpim/ir_float.h"
#include "linker/linker.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <stdlib.h>

struct graph_lowering {
    const struct device_graph *g;
    struct ir_builder b;
    uint32_t *results;  /* [nodes]: virtual registers */
    uint32_t variables; /* inputs, and outputs so far */
};

/* What is read of an operand. */
struct graph_term {
    uint32_t v;
    struct lane_type type;
};

/* ---- declarations ---- */

static void declare(struct graph_lowering *lowering, const char *name, uint32_t number,
                    struct lane_type type, uint8_t direction) {
    struct ir_program *p = lowering->b.p;
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
    vec_push(&lowering->b.p->groups, group);
}

/* A fold along segments goes along the second axis. */
static void declare_groups(struct graph_lowering *lowering) {
    const struct device_graph *g = lowering->g;
    declare_group(lowering, "g", g->n);
    if (g->alone && g->alone->kind == NODE_FOLD && g->segment < g->n) {
        struct group *rows = &lowering->b.p->groups.data[0];
        rows->ndim = 2;
        rows->extent[0] = (struct extent){NO_INDEX, g->n / g->segment};
        rows->extent[1] = (struct extent){NO_INDEX, g->segment};
    }
    if (g->apart)
        declare_group(lowering, "h", g->result_n);
}

static void declare_all(struct graph_lowering *lowering) {
    const struct device_graph *g = lowering->g;
    struct ir_program *p = lowering->b.p;
    declare_groups(lowering);
    for (uint32_t i = 0; i < g->inputs.len; i++)
        declare(lowering, "a", i, g->inputs.data[i], VAR_IN);
    for (uint32_t i = 0, k = 0; i < g->nodes.len; i++)
        if (g->nodes.data[i].output)
            declare(lowering, "z", k++, g->nodes.data[i].result, VAR_OUT);
    if (g->alone) {
        declare(lowering, "z", 0, g->result, VAR_OUT);
        vec_last(&p->variables).decl.group = g->apart;
    }
    for (uint32_t i = 0; i < g->scalars.len; i++)
        vec_push(&p->values, ((struct value_decl){.name = arena_name(p->arena, "s", i),
                                                  .type = g->scalars.data[i].type,
                                                  .place = {NO_INDEX, 0, 0}}));
}

/* ---- operands ---- */

static uint32_t link_value(struct graph_lowering *lowering, struct lane_type type,
                           uint32_t number) {
    uint32_t v =
        ir_operation(&lowering->b, IR_VALUE, type, IR_NONE, IR_NONE, IR_NONE, IR_NONE, 0, NO_SPAN);
    vec_last(&lowering->b.code->insns).size = number;
    return v;
}

static struct graph_term term_of(struct graph_lowering *lowering,
                                 const struct graph_operand *operand) {
    struct graph_term t = {.type = operand->type};
    switch (operand->kind) {
    case OPERAND_INPUT:
        t.v = ir_element(&lowering->b, operand->index, 0);
        break;
    case OPERAND_NODE:
        t.v = lowering->results[operand->index];
        break;
    case OPERAND_SCALAR:
        t.v = link_value(lowering, operand->type, operand->index);
        break;
    case OPERAND_BAKED:
        t.v = ir_constant(&lowering->b, operand->type, operand->bits, IR_NONE, NO_SPAN);
        break;
    }
    return t;
}

/* ---- operations ---- */

static const uint8_t plain[MPU_OPS] = {
    [MPU_OP_ADD] = IR_ADD,
    [MPU_OP_SUB] = IR_SUB,
    [MPU_OP_MUL] = IR_MUL,
    [MPU_OP_DIV] = IR_DIV,
    [MPU_OP_REM] = IR_REM,
    [MPU_OP_FLOORDIV] = IR_FLOORDIV,
    [MPU_OP_FLOORMOD] = IR_FLOORMOD,
    [MPU_OP_AND] = IR_AND,
    [MPU_OP_OR] = IR_OR,
    [MPU_OP_XOR] = IR_XOR,
    [MPU_OP_NOT] = IR_NOT,
    [MPU_OP_NEG] = IR_NEG,
    [MPU_OP_MIN] = IR_MIN,
    [MPU_OP_MAX] = IR_MAX,
    [MPU_OP_EQ] = IR_EQ,
    [MPU_OP_NE] = IR_NE,
    [MPU_OP_LT] = IR_LT,
    [MPU_OP_LE] = IR_LE,
    [MPU_OP_GT] = IR_GT,
    [MPU_OP_GE] = IR_GE,
};

static uint32_t operation(struct graph_lowering *lowering, enum ir_op op, struct lane_type type,
                          uint32_t dst, uint32_t a, uint32_t b, uint32_t c, uint64_t imm) {
    return ir_operation(&lowering->b, op, type, dst, a, b, c, imm, NO_SPAN);
}

/* By a number: all that there is goes out from `bits` on. */
static uint32_t shift_by(struct graph_lowering *lowering, enum ir_op op, struct lane_type type,
                         uint32_t dst, uint32_t a, uint64_t count) {
    if (count == 0)
        return operation(lowering, IR_COPY, type, dst, a, IR_NONE, IR_NONE, 0);
    if (count >= type.bits && op == IR_SHR && type.kind == TYPE_INT)
        count = type.bits - 1u;
    if (count >= type.bits)
        return ir_constant(&lowering->b, type, 0, dst, NO_SPAN);
    return operation(lowering, op, type, dst, a, IR_NONE, IR_NONE, count);
}

static uint32_t shift(struct graph_lowering *lowering, const struct graph_node *node,
                      uint32_t dst) {
    enum ir_op op = node->op == MPU_OP_SHL ? IR_SHL : IR_SHR;
    uint32_t a = term_of(lowering, &node->operands[0]).v;
    const struct graph_operand *count = &node->operands[1];
    if (count->kind == OPERAND_BAKED)
        return shift_by(lowering, op, node->type, dst, a, count->bits);
    return operation(lowering, op, node->type, dst, a, term_of(lowering, count).v, IR_NONE, 0);
}

static struct lane_type unsigned_of(struct lane_type type) {
    return (struct lane_type){TYPE_UINT, type.bits};
}

/* Bits as a number without a sign. */
static uint32_t as_bits(struct graph_lowering *lowering, struct lane_type type, uint32_t a) {
    return operation(lowering, IR_COPY, unsigned_of(type), IR_NONE, a, IR_NONE, IR_NONE, 0);
}

static uint32_t extract_bit(struct graph_lowering *lowering, const struct graph_node *node,
                            uint32_t dst) {
    struct lane_type bits = unsigned_of(node->type), flag = {TYPE_BOOL, 1};
    uint32_t a = as_bits(lowering, node->type, term_of(lowering, &node->operands[0]).v);
    a = shift_by(lowering, IR_SHR, bits, IR_NONE, a, node->operands[1].bits);
    return operation(lowering, IR_COPY, flag, dst, a, IR_NONE, IR_NONE, 0);
}

static uint32_t set_bit(struct graph_lowering *lowering, const struct graph_node *node,
                        uint32_t dst) {
    struct lane_type bits = unsigned_of(node->type), flag = {TYPE_BOOL, 1};
    uint64_t one = UINT64_C(1) << node->operands[2].bits;
    uint32_t a = as_bits(lowering, node->type, term_of(lowering, &node->operands[0]).v);
    uint32_t b = term_of(lowering, &node->operands[1]).v;
    uint32_t others = ir_constant(&lowering->b, bits, ~one & low_bits(bits.bits), IR_NONE, NO_SPAN);
    a = operation(lowering, IR_AND, bits, IR_NONE, a, others, IR_NONE, 0);
    b = ir_convert(&lowering->b, b, flag, bits, IR_NONE, NO_SPAN);
    b = shift_by(lowering, IR_SHL, bits, IR_NONE, b, node->operands[2].bits);
    a = operation(lowering, IR_OR, bits, IR_NONE, a, b, IR_NONE, 0);
    return operation(lowering, IR_COPY, node->type, dst, a, IR_NONE, IR_NONE, 0);
}

static uint32_t cast(struct graph_lowering *lowering, const struct graph_node *node, uint32_t dst) {
    struct graph_term a = term_of(lowering, &node->operands[0]);
    if (ir_same_type(a.type, node->type))
        return operation(lowering, IR_COPY, node->type, dst, a.v, IR_NONE, IR_NONE, 0);
    if (node->type.kind != TYPE_BOOL || object_type_is_float(a.type))
        return ir_convert(&lowering->b, a.v, a.type, node->type, dst, NO_SPAN);
    uint32_t zero = ir_constant(&lowering->b, a.type, 0, IR_NONE, NO_SPAN);
    return operation(lowering, IR_NE, a.type, dst, a.v, zero, IR_NONE, 0);
}

static uint32_t absolute(struct graph_lowering *lowering, const struct graph_node *node,
                         uint32_t dst) {
    uint32_t a = term_of(lowering, &node->operands[0]).v;
    if (object_type_is_float(node->type))
        return operation(lowering, IR_FABS, node->type, dst, a, IR_NONE, IR_NONE, 0);
    if (node->type.kind == TYPE_UINT)
        return operation(lowering, IR_COPY, node->type, dst, a, IR_NONE, IR_NONE, 0);
    uint32_t minus = operation(lowering, IR_NEG, node->type, IR_NONE, a, IR_NONE, IR_NONE, 0);
    return operation(lowering, IR_MAX, node->type, dst, a, minus, IR_NONE, 0);
}

static uint32_t popcount(struct graph_lowering *lowering, const struct graph_node *node,
                         uint32_t dst) {
    uint32_t a = term_of(lowering, &node->operands[0]).v;
    dst = operation(lowering, IR_MACHINE, node->type, dst, a, IR_NONE, IR_NONE, 0);
    vec_last(&lowering->b.code->insns).machine = OP_POPC;
    vec_last(&lowering->b.code->insns).width = node->type.bits;
    return dst;
}

static uint32_t is_zero(struct graph_lowering *lowering, const struct graph_node *node,
                        uint32_t dst) {
    uint32_t a = term_of(lowering, &node->operands[0]).v;
    uint32_t zero = operation(lowering, IR_FZERO, node->type, IR_NONE, a, IR_NONE, IR_NONE, 0);
    return operation(lowering, IR_COPY, node->result, dst, zero, IR_NONE, IR_NONE, 0);
}

static uint32_t lower_call(struct graph_lowering *lowering, const struct graph_node *node,
                           uint32_t dst) {
    uint32_t values[SIGNATURE_MAX_REGISTERS];
    for (uint32_t k = 0; k < node->count; k++)
        values[k] = term_of(lowering, &node->operands[k]).v;
    return device_lower_call(&lowering->b, node->sub, values, dst);
}

static uint32_t lower_node(struct graph_lowering *lowering, const struct graph_node *node,
                           uint32_t dst) {
    const struct graph_operand *x = node->operands;
    struct ir_builder *b = &lowering->b;
    uint32_t v[3] = {IR_NONE, IR_NONE, IR_NONE};
    switch (node->op) {
    case MPU_OP_SHL:
    case MPU_OP_SHR:
        return shift(lowering, node, dst);
    case MPU_OP_CAST:
        return cast(lowering, node, dst);
    case MPU_OP_ABS:
        return absolute(lowering, node, dst);
    case MPU_OP_POPCOUNT:
        return popcount(lowering, node, dst);
    case MPU_OP_BIT:
        return extract_bit(lowering, node, dst);
    case MPU_OP_SETBIT:
        return set_bit(lowering, node, dst);
    case MPU_OP_ISZERO:
        return is_zero(lowering, node, dst);
    case MPU_OPS:
        return lower_call(lowering, node, dst);
    default:
        break;
    }
    for (uint32_t k = 0; k < node->count; k++)
        v[k] = term_of(lowering, &x[k]).v;
    switch (node->op) {
    case MPU_OP_COPY:
    case MPU_OP_BITCAST:
        return operation(lowering, IR_COPY, node->type, dst, v[0], IR_NONE, IR_NONE, 0);
    case MPU_OP_SELECT:
        return operation(lowering, IR_SELECT, node->type, dst, v[0], v[1], v[2], 0);
    case MPU_OP_SQRT:
        return operation(lowering, IR_FSQRT, node->type, dst, v[0], IR_NONE, IR_NONE, 0);
    case MPU_OP_UNORDERED:
        return operation(lowering, IR_FUN, node->type, dst, v[0], v[1], IR_NONE, 0);
    case MPU_OP_SIGNBIT:
        return ir_float_sign(b, node->type, v[0], dst, NO_SPAN);
    default:
        return ir_typed(b, (enum ir_op)plain[node->op], node->type, dst, v[0], v[1], NO_SPAN);
    }
}

static void lower_nodes(struct graph_lowering *lowering) {
    const struct device_graph *g = lowering->g;
    ir_begin_ensemble(&lowering->b, 0, NO_SPAN);
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        const struct graph_node *node = &g->nodes.data[i];
        uint32_t dst = node->output ? ir_element(&lowering->b, lowering->variables++, 0) : IR_NONE;
        lowering->results[i] = lower_node(lowering, node, dst);
    }
}

static void lower(void *context, struct compile_lowering how, struct ir_program *program) {
    const struct device_graph *g = context;
    struct diag *quiet = diag_new(NULL, NULL);
    struct ir_image image = {.mpu_count = 1};
    struct graph_lowering l = {.g = g, .variables = (uint32_t)g->inputs.len};
    l.b = (struct ir_builder){.p = program, .joins = how.level > 0 && !how.separate, .diag = quiet};
    l.results = xcalloc(g->nodes.len + 1, sizeof *l.results);
    declare_all(&l);
    device_declare_subs(g, &l.b);
    l.b.end = &image.nodes;
    if (g->alone)
        device_lower_alone(g, how.folded, &l.b);
    else
        lower_nodes(&l);
    vec_push(&program->images, image);
    ir_builder_free(&l.b);
    free(l.results);
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

struct object *device_compile(const mpu_device *device, const struct device_graph *graph,
                              struct diag *diag) {
    struct arena arena = {0};
    const struct compile_front front = {.context = (void *)(uintptr_t)graph,
                                        .lower = lower,
                                        .arena = &arena,
                                        .roomy = true,
                                        .resident = true};
    const struct ez_options options = {.optimize = 2,
                                       .rows = device->room.rows * device->room.sections};
    struct object *o = compile_program(&front, &options, diag), *linked = NULL;
    if (o)
        linked = link_with_libraries(o, graph, diag);
    object_free(o);
    arena_free(&arena);
    return linked;
}
