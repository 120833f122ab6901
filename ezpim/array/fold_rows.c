/* SPDX-License-Identifier: MIT
 * Folds in rows: each level leaves half of the elements where they are, and the others come to
 * them. What is behind the half goes on as anything: nobody looks at it again. */
#include "ezpim/array/fold.h"
#include "ezpim/array/array.h"

/* The value of each of the first elements, [0, lines) x [0, lanes), that lies so far behind it. */
static void move_behind(struct ir_builder *builder, const struct array_fold *item, uint32_t to,
                        const uint64_t first[2], const int64_t behind[2], struct span at) {
    struct ir_move m = ir_plain_move(builder->p, to, item->own.variable);
    for (uint32_t k = 0; k < 2; k++) {
        ir_move_bound(&m, k, (struct move_bound){0, NO_INDEX, 0},
                      (struct move_bound){(int64_t)first[k], NO_INDEX, 0});
        ir_move_source(&m, k, k, 1, behind[k]);
    }
    m.record.outside = MOVE_FILL;
    m.record.fill = array_identity(item->kind, item->own.type);
    ir_put_move(builder, &m, at);
}

static void take_in(struct ir_builder *builder, const struct array_fold *item, uint32_t group,
                    uint32_t other, struct span at) {
    ir_begin_ensemble(builder, group, at);
    const uint32_t own = ir_element(builder, item->own.variable, 0);
    ir_typed(builder, array_operation(item->kind), item->own.type, own, own,
             ir_element(builder, other, 0), at);
}

void array_fold_rows(struct ir_builder *builder, struct array_fold *item, uint32_t group,
                     uint64_t lines, uint64_t lanes, struct span at) {
    const uint32_t other = ir_local(builder, group, item->own.type, 1);
    uint64_t n = 1;
    for (uint64_t half = lanes / 2; half; half /= 2) {
        move_behind(builder, item, other, (const uint64_t[]){lines, half},
                    (const int64_t[]){0, (int64_t)half}, at);
        take_in(builder, item, group, other, at);
    }
    while (n < lines)
        n *= 2;
    for (uint64_t half = n / 2; half; half /= 2) { /* behind the last line there is nothing */
        move_behind(builder, item, other, (const uint64_t[]){half, 1},
                    (const int64_t[]){(int64_t)half, 0}, at);
        take_in(builder, item, group, other, at);
    }
}
