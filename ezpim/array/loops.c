/* SPDX-License-Identifier: MIT
 * Loops that are repeated rather than walked lap by lap, their counters, and loops whose end
 * depends on data. */
#include "ezpim/array/array.h"

/* ---- values in lanes ---- */

/* A variable that begins with `first` and grows by `step` each lap. */
static uint32_t counting(struct arrays *arrays, struct array_repeat *repeat, struct lane_type type,
                         array_int first, array_int step) {
    struct array_counter own = {
        .type = type, .first = array_pattern(first, type), .step = array_pattern(step, type)};
    for (size_t i = 0; i < repeat->counters.len; i++) {
        const struct array_counter *k = &repeat->counters.data[i];
        if (array_same_type(k->type, type) && k->first == own.first && k->step == own.step)
            return k->variable;
    }
    own.variable = array_local(arrays, 0, type, repeat->at);
    vec_push(&repeat->counters, own);
    return own.variable;
}

/* The sum of what each loop adds; the first one that counts has what there is from the start. */
struct array_ref *array_laps_value(struct arrays *arrays, array_int first,
                                   const struct array_laps *laps, struct lane_type type,
                                   struct span at) {
    const struct array_uniform *sum = NULL;
    struct array_range range = array_laps_range(arrays, first, laps);
    for (struct array_repeat *x = arrays->repeat; x; x = x->outer) {
        struct array_uniform *one = ARENA_NEW(arrays->arena, struct array_uniform), *both;
        if (!laps->coeff[x->depth])
            continue;
        *one = (struct array_uniform){.kind = ARRAY_UNIFORM_COUNTER, .type = type};
        one->link = counting(arrays, x, type, first, laps->coeff[x->depth]);
        both = ARENA_NEW(arrays->arena, struct array_uniform);
        *both = (struct array_uniform){.kind = ARRAY_UNIFORM_OPERATION,
                                       .type = type,
                                       .op = ARRAY_OP_ADD,
                                       .operand = type,
                                       .args = {sum, one}};
        sum = sum ? both : one;
        first = 0;
    }
    struct array_ref *a = array_of_uniform(arrays, sum, at);
    a->range = range;
    return a;
}

/* ---- loops that are counted ---- */

static void grow(struct arrays *arrays, const struct array_repeat *repeat) {
    for (size_t i = 0; i < repeat->counters.len; i++) {
        const struct array_counter *k = &repeat->counters.data[i];
        ir_begin_ensemble(&arrays->b, 0, repeat->at);
        uint32_t v = ir_element(&arrays->b, k->variable, 0);
        uint32_t step = ir_constant(&arrays->b, k->type, k->step, IR_NONE, repeat->at);
        ir_operation(&arrays->b, IR_ADD, k->type, v, v, step, IR_NONE, 0, repeat->at);
    }
}

/* In front of the loop. */
static void begin_counting(struct arrays *arrays, struct array_repeat *repeat) {
    struct ir_node *first, **outer = ir_open_list(&arrays->b, &first), **last;
    for (size_t i = 0; i < repeat->counters.len; i++) {
        const struct array_counter *k = &repeat->counters.data[i];
        ir_begin_ensemble(&arrays->b, 0, repeat->at);
        ir_constant(&arrays->b, k->type, k->first, ir_element(&arrays->b, k->variable, 0),
                    repeat->at);
    }
    last = arrays->b.end;
    ir_close_list(&arrays->b, outer);
    if (first) {
        *last = *repeat->link;
        *repeat->link = first;
    }
    vec_free(&repeat->counters);
}

void array_open_repeat(struct arrays *arrays, struct array_repeat *repeat, uint64_t laps,
                       struct span at) {
    *repeat = (struct array_repeat){.laps = laps, .at = at, .outer = arrays->repeat};
    repeat->depth = repeat->outer ? repeat->outer->depth + 1 : 0;
    repeat->around = arrays->b.repeats;
    array_catch_up(arrays);
    repeat->link = arrays->b.end;
    repeat->node = ir_open_repeat(&arrays->b, (struct extent){NO_INDEX, laps}, at);
    arrays->repeat = repeat;
    array_open_epoch(arrays);
}

void array_close_repeat(struct arrays *arrays, struct array_repeat *repeat) {
    array_catch_up(arrays);
    grow(arrays, repeat);
    array_close_epoch(arrays);
    arrays->repeat = repeat->outer;
    ir_close_repeat(&arrays->b, &repeat->node);
    begin_counting(arrays, repeat);
    if (repeat->node.node->body)
        return;
    *repeat->link = NULL;
    arrays->b.end = repeat->link;
    arrays->b.last = NULL;
}

/* ---- loops that ask ---- */

struct array_while array_open_while(struct arrays *arrays, bool opposite, struct span at) {
    struct array_while w;
    array_catch_up(arrays);
    w.node = ir_append(&arrays->b, IR_NODE_WHILE, at);
    w.node->opposite = opposite;
    w.outer = ir_open_list(&arrays->b, &w.node->body);
    array_open_epoch(arrays);
    return w;
}

void array_close_while(struct arrays *arrays, const struct array_while *array_while,
                       const struct array_ref *asked, struct span at) {
    array_catch_up(arrays);
    array_close_epoch(arrays);
    ir_close_list(&arrays->b, array_while->outer);
    ir_begin_code(&arrays->b, array_while->node, array_group(arrays, asked->ndim, asked->shape));
    ir_operation(&arrays->b, IR_ENABLE, asked->type, IR_NONE,
                 ir_element(&arrays->b, asked->root->variable, 0), IR_NONE, IR_NONE, 0, at);
}
