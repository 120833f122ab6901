/* SPDX-License-Identifier: MIT
 * Loops that are repeated rather than walked lap by lap, what counts in them, and loops that ask.
 */
#include "ezpim/array/array.h"

/* ---- values in lanes ---- */

/* A variable that begins with `first` and grows by `step` each lap. */
static uint32_t counting(struct arrays *c, struct array_repeat *x, struct mpu_type type,
                         array_int first, array_int step) {
    struct array_counter own = {
        .type = type, .first = array_pattern(first, type), .step = array_pattern(step, type)};
    for (size_t i = 0; i < x->counters.len; i++) {
        const struct array_counter *k = &x->counters.data[i];
        if (array_same_type(k->type, type) && k->first == own.first && k->step == own.step)
            return k->variable;
    }
    own.variable = array_local(c, 0, type, x->at);
    vec_push(&x->counters, own);
    return own.variable;
}

/* The sum of what each loop adds; the first one that counts has what there is from the start. */
struct array_ref *array_laps_value(struct arrays *c, array_int first, const struct array_laps *laps,
                                   struct mpu_type type, struct span at) {
    const struct array_uniform *sum = NULL;
    struct array_range range = array_laps_range(c, first, laps);
    for (struct array_repeat *x = c->repeat; x; x = x->outer) {
        struct array_uniform *one = ARENA_NEW(c->arena, struct array_uniform), *both;
        if (!laps->coeff[x->depth])
            continue;
        *one = (struct array_uniform){.kind = ARRAY_UNIFORM_COUNTER, .type = type};
        one->link = counting(c, x, type, first, laps->coeff[x->depth]);
        both = ARENA_NEW(c->arena, struct array_uniform);
        *both = (struct array_uniform){.kind = ARRAY_UNIFORM_OPERATION,
                                       .type = type,
                                       .op = ARRAY_OP_ADD,
                                       .operand = type,
                                       .args = {sum, one}};
        sum = sum ? both : one;
        first = 0;
    }
    struct array_ref *a = array_of_uniform(c, sum, at);
    a->range = range;
    return a;
}

/* ---- loops that are counted ---- */

static void grow(struct arrays *c, const struct array_repeat *r) {
    for (size_t i = 0; i < r->counters.len; i++) {
        const struct array_counter *k = &r->counters.data[i];
        ir_begin_ensemble(&c->b, 0, r->at);
        uint32_t v = ir_element(&c->b, k->variable, 0);
        uint32_t step = ir_constant(&c->b, k->type, k->step, IR_NONE, r->at);
        ir_operation(&c->b, IR_ADD, k->type, v, v, step, IR_NONE, 0, r->at);
    }
}

/* In front of the loop. */
static void begin_counting(struct arrays *c, struct array_repeat *r) {
    struct ir_node *first, **outer = ir_open_list(&c->b, &first), **last;
    for (size_t i = 0; i < r->counters.len; i++) {
        const struct array_counter *k = &r->counters.data[i];
        ir_begin_ensemble(&c->b, 0, r->at);
        ir_constant(&c->b, k->type, k->first, ir_element(&c->b, k->variable, 0), r->at);
    }
    last = c->b.end;
    ir_close_list(&c->b, outer);
    if (first) {
        *last = *r->link;
        *r->link = first;
    }
    vec_free(&r->counters);
}

void array_open_repeat(struct arrays *c, struct array_repeat *r, uint64_t laps, struct span at) {
    *r = (struct array_repeat){.laps = laps, .at = at, .outer = c->repeat};
    r->depth = r->outer ? r->outer->depth + 1 : 0;
    r->around = c->b.repeats;
    array_catch_up(c);
    r->link = c->b.end;
    r->node = ir_open_repeat(&c->b, (struct extent){NO_INDEX, laps}, at);
    c->repeat = r;
    array_open_epoch(c);
}

void array_close_repeat(struct arrays *c, struct array_repeat *r) {
    array_catch_up(c);
    grow(c, r);
    array_close_epoch(c);
    c->repeat = r->outer;
    ir_close_repeat(&c->b, &r->node);
    begin_counting(c, r);
    if (r->node.node->body)
        return;
    *r->link = NULL;
    c->b.end = r->link;
    c->b.last = NULL;
}

/* ---- loops that ask ---- */

struct array_while array_open_while(struct arrays *c, bool opposite, struct span at) {
    struct array_while w;
    array_catch_up(c);
    w.node = ir_append(&c->b, IR_NODE_WHILE, at);
    w.node->opposite = opposite;
    w.outer = ir_open_list(&c->b, &w.node->body);
    array_open_epoch(c);
    return w;
}

void array_close_while(struct arrays *c, const struct array_while *w, const struct array_ref *asked,
                       struct span at) {
    array_catch_up(c);
    array_close_epoch(c);
    ir_close_list(&c->b, w->outer);
    ir_begin_code(&c->b, w->node, array_group(c, asked->ndim, asked->shape));
    ir_operation(&c->b, IR_ENABLE, asked->type, IR_NONE,
                 ir_element(&c->b, asked->root->variable, 0), IR_NONE, IR_NONE, 0, at);
}
