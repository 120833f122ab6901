/* SPDX-License-Identifier: MIT
 * Moves chosen elements to the front: the chosen ones are counted along the group, and one scatter
 * moves them. */
#include "ezpim/array/compact.h"

#include "support/bits.h"

void array_compact_begin(struct ir_builder *builder, struct array_compact *compact) {
    compact->places = (struct array_scan){
        .fold = {.kind = ARRAY_SUM, .from = {TYPE_UINT, 1}, .type = compact->count},
        .group = compact->group,
        .axis = ARRAY_ALL,
        .room = compact->room};
    array_scan_begin(builder, &compact->places);
}

uint32_t array_compact_chosen(struct ir_builder *builder, const struct array_compact *compact) {
    return array_fold_element(builder, &compact->places.fold);
}

/* The last element's count is for all lanes of all groups. */
static void give_length(struct ir_builder *builder, const struct array_compact *compact,
                        uint32_t counts, struct span at) {
    struct extent n = ir_group_extent(builder->p, compact->group, 0);
    struct ir_move m = ir_plain_move(builder->p, compact->length, counts);
    m.record.source[0] = (struct move_affine){.size = n.size};
    m.record.source[0].offset = n.size == NO_INDEX ? (int64_t)n.value - 1 : -1;
    m.record.source[0].size_coeff = n.size != NO_INDEX;
    ir_put_move(builder, &m, at);
}

/* From the count of elements up to each its place; one that is not chosen gets a number that is
 * none's, since all elements together have a count. */
static void find_places(struct ir_builder *builder, const struct array_compact *compact,
                        uint32_t counts, struct span at) {
    ir_begin_ensemble(builder, compact->group, at);
    uint32_t place = ir_element(builder, counts, 0);
    uint32_t nowhere =
        ir_constant(builder, compact->count, low_bits(compact->count.bits), IR_NONE, at);
    uint32_t one = ir_constant(builder, compact->count, 1, IR_NONE, at);
    uint32_t before =
        ir_operation(builder, IR_SUB, compact->count, IR_NONE, place, one, IR_NONE, 0, at);
    ir_operation(builder, IR_SELECT, compact->count, place, array_compact_chosen(builder, compact),
                 before, nowhere, 0, at);
}

static void move_chosen(struct ir_builder *builder, const struct array_compact *compact,
                        uint32_t places, struct span at) {
    struct ir_move m = ir_plain_move(builder->p, compact->values, compact->values);
    m.index = places;
    m.record.index = (struct move_index){.kind = INDEX_SCATTER, .type = compact->count};
    m.record.source[0] = (struct move_affine){.size = NO_INDEX};
    m.record.outside = MOVE_KEEP;
    ir_put_move(builder, &m, at);
}

static void clear_rest(struct ir_builder *builder, const struct array_compact *compact,
                       struct span at) {
    const struct variable *v = &builder->p->variables.data[compact->values].decl;
    struct lane_type type = v->type;
    uint32_t count = v->count;
    ir_begin_ensemble(builder, compact->group, at);
    uint32_t place = ir_lane_index(builder, compact->count, IR_NONE, at),
             none = ir_constant(builder, type, 0, IR_NONE, at);
    uint32_t in = ir_operation(builder, IR_LT, compact->count, IR_NONE, place,
                               ir_element(builder, compact->length, 0), IR_NONE, 0, at);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t x = ir_element(builder, compact->values, k);
        ir_operation(builder, IR_SELECT, type, x, in, x, none, 0, at);
    }
}

void array_compact_run(struct ir_builder *builder, const struct array_compact *compact,
                       struct span at) {
    uint32_t counts = ir_hidden(builder, compact->group, compact->count, 1, ARRAY_USE_COMPACT);
    const struct array_value to = {counts, 0, compact->count};
    array_scan_run(builder, &compact->places, &to, at);
    give_length(builder, compact, counts, at);
    find_places(builder, compact, counts, at);
    move_chosen(builder, compact, counts, at);
    clear_rest(builder, compact, at);
}
