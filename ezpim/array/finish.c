/* SPDX-License-Identifier: MIT
 * Which folds into outputs the host may carry out: those whose bits are the same either way. */
#include "ezpim/array/finish.h"

static const uint8_t kinds[] = {
    [ARRAY_SUM] = FINISH_SUM, [ARRAY_PROD] = FINISH_KINDS,    [ARRAY_MIN] = FINISH_MIN,
    [ARRAY_MAX] = FINISH_MAX, [ARRAY_AND] = FINISH_AND,       [ARRAY_OR] = FINISH_OR,
    [ARRAY_XOR] = FINISH_XOR, [ARRAY_ARGMIN] = FINISH_ARGMIN, [ARRAY_ARGMAX] = FINISH_ARGMAX};

/* The host adds up exactly, and the output gets the low bits: what is a sum modulo 2^bits, and has
 * more bits in the output, is another number. */
static bool same_sum(const struct ir_builder *builder, const struct array_folds *folds,
                     const struct array_fold *item, uint32_t output) {
    const struct lane_type large = {item->type.kind, 64};
    uint64_t most = folds->view.lead ? 0 : folds->most; /* of one MPU */
    unsigned exact = array_sum_type(item->from, most, large).bits;
    return item->kind != ARRAY_SUM || exact <= item->type.bits ||
           builder->p->variables.data[output].decl.type.bits <= item->type.bits;
}

static bool host_can(const struct ir_builder *builder, const struct array_folds *folds,
                     const struct array_output *outputs) {
    bool good = folds->held && folds->axis == ARRAY_ALL;
    for (uint32_t i = 0; i < folds->count; i++)
        good &= kinds[folds->items[i].kind] != FINISH_KINDS &&
                !object_type_is_float(folds->items[i].type) &&
                same_sum(builder, folds, &folds->items[i], outputs[i].variable);
    return good;
}

struct array_finish array_finish_open(struct ir_builder *builder, const struct array_folds *folds,
                                      const struct array_output *outputs, struct span at) {
    struct array_finish x = {NULL};
    struct ir_finish *items;
    if (!host_can(builder, folds, outputs))
        return x;
    items = ARENA_ARRAY(builder->p->arena, folds->count, struct ir_finish);
    for (uint32_t i = 0; i < folds->count; i++)
        items[i] = (struct ir_finish){.kind = (enum finish_kind)kinds[folds->items[i].kind],
                                      .from = outputs[i].from.variable,
                                      .from_element = outputs[i].from.element,
                                      .to = outputs[i].variable,
                                      .to_element = outputs[i].element};
    x.node = ir_append(builder, IR_NODE_FINISH, at);
    x.node->finishes = items;
    x.node->finish_count = folds->count;
    x.outer = ir_open_list(builder, &x.node->body);
    return x;
}

void array_finish_close(struct ir_builder *builder, const struct array_finish *finish) {
    if (finish->node)
        ir_close_list(builder, finish->outer);
}
