/* SPDX-License-Identifier: MIT
 * The pieces of a move: boxes of its axes whose elements all lie inside of the source, or all
 * before or behind it, or all in one of its repetitions.  Along an axis a stretch of steps is found
 * at once; only where a step itself crosses an end are the axes inside of it looked at. */
#include "runtime/device.h"

#include "linker/package.h"

/* More than these are rather moved by the host. */
enum { MOST_PIECES = 4096 };

struct move_planner {
    const struct device_node *node;
    const struct move *record;
    int64_t n;                                               /* of the source */
    int64_t low[MPU_MOVE_DIMS + 1], high[MPU_MOVE_DIMS + 1]; /* that axes from k on add */
    uint64_t inside[MPU_MOVE_DIMS + 1];                      /* elements of axes from k on */
    VEC(struct move_piece) pieces;
    bool full;
};

/* Of a place among the elements: in which repetition of the source it lies, or (not wrapped) -1
 * before it, 1 behind it. */
static int64_t period_of(const struct move_planner *planner, int64_t place) {
    int64_t n = planner->n;
    if (!planner->node->wrap)
        return place < 0 ? -1 : place >= n;
    return place >= 0 ? place / n : -((-place + n - 1) / n);
}

/* The first place of a period, and the last one. */
static int64_t period_begin(const struct move_planner *planner, int64_t period) {
    return !planner->node->wrap && period < 0 ? INT64_MIN / 2 : period * planner->n;
}
static int64_t period_end(const struct move_planner *planner, int64_t period) {
    return !planner->node->wrap && period > 0 ? INT64_MAX / 2 : (period + 1) * planner->n - 1;
}

/* Steps from `from` on, `count` of them, of axis k and all inside of it, which lie in one period.
 */
static void add_piece(struct move_planner *planner, uint32_t k, uint64_t count, uint64_t dst,
                      int64_t src, int64_t period) {
    const struct device_node *node = planner->node;
    struct move_piece p = {
        .dst = dst, .dst_reg = planner->record->dst_reg, .fill = !node->wrap && period != 0};
    p.src_reg = p.fill ? 0 : planner->record->src_reg;
    p.src = p.fill ? 0 : (uint64_t)(src - period_begin(planner, period));
    for (uint32_t a = k; a < node->ndim; a++) {
        uint64_t steps = a == k ? count : node->dims[a].count;
        if (steps > 1)
            p.axis[p.axes++] = (struct move_axis){.count = steps,
                                                  .dst = (int64_t)planner->inside[a + 1],
                                                  .src = p.fill ? 0 : node->dims[a].step};
    }
    if (planner->pieces.len == MOST_PIECES)
        planner->full = true;
    else
        vec_push(&planner->pieces, p);
}

/* Steps that stay in the period: from a place where the first one does. */
static uint64_t stretch(const struct move_planner *planner, uint32_t k, int64_t src, int64_t period,
                        uint64_t left) {
    int64_t step = planner->node->dims[k].step;
    int64_t room = step > 0   ? period_end(planner, period) - (src + planner->high[k + 1])
                   : step < 0 ? src + planner->low[k + 1] - period_begin(planner, period)
                              : 0;
    uint64_t more = step ? (uint64_t)room / (uint64_t)(step < 0 ? -step : step) : left;
    return more < left ? more + 1 : left;
}

static void plan_axis(struct move_planner *planner, uint32_t k, uint64_t dst, int64_t src) {
    const struct device_node *node = planner->node;
    if (k == node->ndim) {
        add_piece(planner, k, 1, dst, src, period_of(planner, src));
        return;
    }
    for (uint64_t i = 0, n; i < node->dims[k].count && !planner->full; i += n) {
        int64_t at = src + (int64_t)i * node->dims[k].step;
        int64_t period = period_of(planner, at + planner->low[k + 1]);
        n = 1;
        if (period == period_of(planner, at + planner->high[k + 1])) {
            n = stretch(planner, k, at, period, node->dims[k].count - i);
            add_piece(planner, k, n, dst + i * planner->inside[k + 1], at, period);
        } else {
            plan_axis(planner, k + 1, dst + i * planner->inside[k + 1], at);
        }
    }
}

static void sum_axes(struct move_planner *planner) {
    const struct device_node *node = planner->node;
    planner->inside[node->ndim] = 1;
    for (uint32_t k = node->ndim; k-- > 0;) {
        int64_t span = (int64_t)(node->dims[k].count - 1) * node->dims[k].step;
        planner->low[k] = planner->low[k + 1] + (span < 0 ? span : 0);
        planner->high[k] = planner->high[k + 1] + (span > 0 ? span : 0);
        planner->inside[k] = planner->inside[k + 1] * node->dims[k].count;
    }
}

bool device_move_plan(const struct device_node *node, uint64_t source, const struct move *record,
                      struct arena *arena, struct move_plan *plan) {
    struct move_planner p = {.node = node, .record = record, .n = (int64_t)source};
    sum_axes(&p);
    plan_axis(&p, 0, 0, node->offset);
    struct move_piece *pieces = ARENA_ARRAY(arena, p.pieces.len + 1, struct move_piece);
    for (size_t i = 0; i < p.pieces.len; i++)
        pieces[i] = p.pieces.data[i];
    *plan = (struct move_plan){pieces, p.pieces.len};
    vec_free(&p.pieces);
    return !p.full;
}
