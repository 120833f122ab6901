/* SPDX-License-Identifier: MIT
 * Elements by indices: of tables, and of arrays by data. */
#include "ezpim/array/array.h"
#include "ezpim/array/entries.h"

#include <string.h>

/* ---- tables ---- */

struct array_ref *array_table(struct arrays *arrays, const struct array_known *known,
                              struct lane_type type, uint32_t ndim, const uint64_t *shape,
                              struct array_range range, struct span at) {
    struct array_ref *a = ARENA_NEW(arrays->arena, struct array_ref);
    struct array_known *own = ARENA_NEW(arrays->arena, struct array_known);
    *own = *known;
    *a = (struct array_ref){.type = type, .ndim = ndim, .table = own, .range = range, .at = at};
    memcpy(a->shape, shape, ndim * sizeof *shape);
    return a;
}

static struct array_ref *element_of_text(struct arrays *arrays, const struct array_ref *ref,
                                         uint64_t pattern, struct span at) {
    if (array_is_float(ref->type))
        return array_of_pattern(arrays, ref->type, pattern, at);
    return array_constant(arrays, ref->type, array_number(pattern, ref->type), at);
}

/* Entries are chosen as they are, by their bits. */
static struct array_table table_of(const struct array_ref *ref) {
    struct lane_type type = ref->type;
    if (array_is_float(type))
        type.kind = TYPE_UINT;
    return (struct array_table){ref->table->linked ? NULL : ref->table->entries, ref->table->count,
                                type, ref->table->link};
}

struct array_ref *array_table_element(struct arrays *arrays, const struct array_ref *ref,
                                      uint64_t element, struct span at) {
    if (!ref->table->linked)
        return element_of_text(arrays, ref, ref->table->entries[element], at);
    struct array_uniform *x = ARENA_NEW(arrays->arena, struct array_uniform);
    *x = (struct array_uniform){.kind = ARRAY_UNIFORM_LINK,
                                .type = ref->type,
                                .link = ref->table->link,
                                .element = (uint32_t)element};
    return array_of_uniform(arrays, x, at);
}

struct array_ref *array_table_in_lanes(struct arrays *arrays, const struct array_ref *ref,
                                       struct span at) {
    struct array_ref *a = array_new(arrays, ref->type, ref->ndim, ref->shape, at);
    struct lane_type index = array_count_type(ref->table->count - 1);
    const struct array_table table = table_of(ref);
    array_begin(arrays, ref->ndim, ref->shape, at);
    uint32_t lane = ir_lane_index(&arrays->b, index, IR_NONE, at);
    array_entry(&arrays->b, &table, (struct array_index){index, ref->table->count - 1}, lane,
                ir_element(&arrays->b, a->root->variable, 0), at);
    a->range = ref->range;
    return a;
}

/* ---- indices ---- */

/* The index, brought inside by arithmetic. */
static struct array_ref *bounded(struct arrays *arrays, struct array_ref *index, uint64_t n,
                                 enum move_outside outside, struct span at) {
    static const struct lane_type wide = {TYPE_INT, 64};
    if (outside == MOVE_KEEP)
        return index;
    if (array_type_range(index->type).high < (array_int)n)
        index = array_cast(arrays, index, wide, at);
    struct array_ref *zero = array_constant(arrays, index->type, 0, at);
    struct array_ref *last = array_constant(arrays, index->type, (array_int)n - 1, at);
    struct array_ref *length = array_constant(arrays, index->type, (array_int)n, at);
    if (outside == MOVE_WRAP) {
        struct array_ref *args[] = {index, length};
        return array_elementwise(arrays, ARRAY_OP_REMAINDER, 2, args, index->type, 0, NULL, at);
    }
    struct array_ref *low[] = {index, zero};
    low[0] = array_elementwise(arrays, ARRAY_OP_MAXIMUM, 2, low, index->type, 0, NULL, at);
    low[1] = last;
    return array_elementwise(arrays, ARRAY_OP_MINIMUM, 2, low, index->type, 0, NULL, at);
}

struct array_ref *array_selected(struct arrays *arrays, const struct array_ref *ref,
                                 struct array_ref *index, enum move_outside outside,
                                 struct span at) {
    const struct array_table table = table_of(ref);
    index = bounded(arrays, index, ref->table->count, outside, at);
    if (index->uniform)
        index = array_fresh(arrays, index, at);
    struct array_value v = array_bring(arrays, index, index->ndim, index->shape, at);
    struct array_ref *y = array_new(arrays, ref->type, index->ndim, index->shape, at);
    struct array_index x = {index->type, ref->table->count - 1};
    array_begin(arrays, index->ndim, index->shape, at);
    array_entry(&arrays->b, &table, x, ir_element(&arrays->b, v.variable, v.element),
                ir_element(&arrays->b, y->root->variable, 0), at);
    y->range = ref->range;
    return y;
}

/* The indices' axes stand where that axis stood. */
static uint32_t gathered_shape(const struct array_ref *ref, const struct array_ref *index,
                               uint32_t axis, uint64_t *shape) {
    uint32_t ndim = ref->ndim - 1 + index->ndim;
    for (uint32_t d = 0; d < ndim; d++)
        shape[d] = d < axis                 ? ref->shape[d]
                   : d < axis + index->ndim ? index->shape[d - axis]
                                            : ref->shape[d - index->ndim + 1];
    return ndim;
}

/* The indices with their axes where the result has them. */
static struct array_ref lined_up(const struct array_ref *index, uint32_t axis, uint32_t ndim) {
    struct array_ref lined = *index;
    for (uint32_t d = axis + index->ndim; d < ndim; d++)
        lined.shape[lined.ndim++] = 1;
    for (uint32_t r = 0; r < lined.rdim; r++)
        for (uint32_t d = index->ndim; d < lined.ndim; d++)
            lined.map[r].coeff[d] = 0;
    return lined;
}

/* Source coordinates follow those of the result around the indices. */
struct array_ref *array_gathered(struct arrays *arrays, struct array_ref *ref,
                                 struct array_ref *index, uint32_t axis, enum move_outside outside,
                                 struct span at) {
    uint64_t shape[ARRAY_DIMS];
    if (index->uniform)
        index = array_fresh(arrays, index, at);
    uint32_t ndim = gathered_shape(ref, index, axis, shape);
    struct array_ref lined = lined_up(index, axis, ndim);
    uint32_t from = array_settle(arrays, ref, at);
    struct array_value by = array_bring(arrays, &lined, ndim, shape, at);
    struct array_ref *y = array_new(arrays, ref->type, ndim, shape, at);
    struct ir_move m = ir_plain_move(arrays->b.p, y->root->variable, from);
    for (uint32_t d = 0; d < ref->ndim; d++) {
        m.record.source[d] = (struct move_affine){.size = NO_INDEX};
        if (d != axis)
            m.record.source[d].coeff[d < axis ? d : d - 1 + index->ndim] = 1;
    }
    m.record.index =
        (struct move_index){.kind = INDEX_GATHER, .coordinate = (uint8_t)axis, .type = index->type};
    m.index = by.variable;
    m.index_element = by.element;
    m.record.outside = outside;
    ir_put_move(&arrays->b, &m, at);
    y->range = ref->range;
    return y;
}
