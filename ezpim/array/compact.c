/* SPDX-License-Identifier: MIT
 * Chosen elements to the front: a count along the group, and one scatter. */
#include "ezpim/array/compact.h"

#include "support/bits.h"

void array_compact_begin(struct ir_builder *b, struct array_compact *c) {
    c->places =
        (struct array_scan){.fold = {.kind = ARRAY_SUM, .from = {TYPE_UINT, 1}, .type = c->count},
                            .group = c->group,
                            .axis = ARRAY_ALL,
                            .room = c->room};
    array_scan_begin(b, &c->places);
}

uint32_t array_compact_chosen(struct ir_builder *b, const struct array_compact *c) {
    return array_fold_element(b, &c->places.fold);
}

/* The last element's count is for all lanes of all groups. */
static void give_length(struct ir_builder *b, const struct array_compact *c, uint32_t counts,
                        struct span at) {
    struct extent n = ir_group_extent(b->p, c->group, 0);
    struct ir_move m = ir_plain_move(b->p, c->length, counts);
    m.record.source[0] = (struct move_affine){.size = n.size};
    m.record.source[0].offset = n.size == NO_INDEX ? (int64_t)n.value - 1 : -1;
    m.record.source[0].size_coeff = n.size != NO_INDEX;
    ir_put_move(b, &m, at);
}

/* From the count of elements up to each its place; one that is not chosen gets a number that is
 * none's, since all elements together have a count. */
static void find_places(struct ir_builder *b, const struct array_compact *c, uint32_t counts,
                        struct span at) {
    ir_begin_ensemble(b, c->group, at);
    uint32_t place = ir_element(b, counts, 0);
    uint32_t nowhere = ir_constant(b, c->count, low_bits(c->count.bits), IR_NONE, at);
    uint32_t one = ir_constant(b, c->count, 1, IR_NONE, at);
    uint32_t before = ir_operation(b, IR_SUB, c->count, IR_NONE, place, one, IR_NONE, 0, at);
    ir_operation(b, IR_SELECT, c->count, place, array_compact_chosen(b, c), before, nowhere, 0, at);
}

static void move_chosen(struct ir_builder *b, const struct array_compact *c, uint32_t places,
                        struct span at) {
    struct ir_move m = ir_plain_move(b->p, c->values, c->values);
    m.index = places;
    m.record.index = (struct move_index){.kind = INDEX_SCATTER, .type = c->count};
    m.record.source[0] = (struct move_affine){.size = NO_INDEX};
    m.record.outside = MOVE_KEEP;
    ir_put_move(b, &m, at);
}

static void clear_rest(struct ir_builder *b, const struct array_compact *c, struct span at) {
    const struct variable *v = &b->p->variables.data[c->values].decl;
    struct mpu_type type = v->type;
    uint32_t count = v->count;
    ir_begin_ensemble(b, c->group, at);
    uint32_t place = ir_lane_index(b, c->count, IR_NONE, at),
             none = ir_constant(b, type, 0, IR_NONE, at);
    uint32_t in = ir_operation(b, IR_LT, c->count, IR_NONE, place, ir_element(b, c->length, 0),
                               IR_NONE, 0, at);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t x = ir_element(b, c->values, k);
        ir_operation(b, IR_SELECT, type, x, in, x, none, 0, at);
    }
}

void array_compact_run(struct ir_builder *b, const struct array_compact *c, struct span at) {
    uint32_t counts = ir_hidden(b, c->group, c->count, 1, ARRAY_USE_COMPACT);
    const struct array_value to = {counts, 0, c->count};
    array_scan_run(b, &c->places, &to, at);
    give_length(b, c, counts, at);
    find_places(b, c, counts, at);
    move_chosen(b, c, counts, at);
    clear_rest(b, c, at);
}
