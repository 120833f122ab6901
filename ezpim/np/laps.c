/* SPDX-License-Identifier: MIT
 * Loops that are repeated rather than walked lap by lap, and their counters: numbers that grow from
 * lap to lap in a known way. */
#include "ezpim/np/loop.h"

#include <string.h>

/* ---- numbers ---- */

static struct array_laps laps_of(const struct np_value *value) {
    const struct array_laps none = {{0}};
    return value->kind == NP_LAP ? *value->laps : none;
}

static struct np_value np_lap_value(struct np_unit *unit, np_int first,
                                    const struct array_laps *laps, struct span at) {
    struct np_value v = np_int_value(first, at);
    struct array_laps *own = ARENA_NEW(&unit->arena, struct array_laps);
    *own = *laps;
    v.laps = own;
    v.kind = array_laps_any(laps) ? NP_LAP : NP_INT;
    return v;
}

struct array_range np_lap_range(const struct np_unit *unit, const struct np_value *value) {
    const struct array_laps laps = laps_of(value);
    return array_laps_range(&unit->arrays, value->number, &laps);
}

bool np_is_lap_operation(enum np_operator op, const struct np_value *left,
                         const struct np_value *right) {
    bool x = left->kind == NP_LAP, y = right->kind == NP_LAP;
    if ((!x && left->kind != NP_INT) || (!y && right->kind != NP_INT) || (!x && !y))
        return false;
    return op == NP_OP_ADD || op == NP_OP_SUB || (op == NP_OP_MUL && !(x && y));
}

/* Beyond this nothing is an index. */
static const np_int MOST = (np_int)1 << 42;

struct np_value np_lap_operation(struct np_unit *unit, enum np_operator op,
                                 const struct np_value *left, const struct np_value *right,
                                 struct span at) {
    struct array_laps laps = {{0}}, x = laps_of(left), y = laps_of(right);
    np_int n = left->number, m = right->number;
    if (n > MOST || n < -MOST || m > MOST || m < -MOST)
        return np_error(unit, at, "numbers of more than 42 bits beside a counter");
    array_laps_add(&laps, op == NP_OP_MUL ? (int64_t)m : 1, &x);
    array_laps_add(&laps, op == NP_OP_MUL ? (int64_t)n : op == NP_OP_SUB ? -1 : 1, &y);
    n = op == NP_OP_MUL ? n * m : op == NP_OP_SUB ? n - m : n + m;
    for (uint32_t d = 0; d < MOVE_MAX_LAPS; d++)
        if (laps.coeff[d] > (int64_t)MOST || laps.coeff[d] < -(int64_t)MOST)
            return np_error(unit, at, "numbers of more than 42 bits beside a counter");
    return np_lap_value(unit, n, &laps, at);
}

/* ---- loops ---- */

/* Loops of this many laps, those around them counted in, are walked: their moves and widths are
 * those of each lap. */
enum { FEW = 16 };

/* Laps of one REPEAT, as the ISA has them. */
static const np_int MOST_LAPS = (1 << 22) - 1;

bool np_repeats(const struct np_unit *unit, const struct np_stmt *stmt, np_int laps) {
    if (!unit->frame->function || laps > MOST_LAPS || laps * unit->copies <= FEW ||
        unit->arrays.b.repeats + unit->laps >= MOVE_MAX_LAPS)
        return false;
    for (size_t i = 0; i < unit->unrolled.len; i++)
        if (unit->unrolled.data[i] == stmt)
            return false;
    return true;
}

void np_unroll(struct np_unit *unit, const struct np_stmt *stmt) {
    if (!unit->again)
        vec_push(&unit->unrolled, stmt);
    unit->again = true;
}

void np_run_repeat(struct np_unit *unit, const struct np_stmt *stmt, const struct np_value *range,
                   np_int laps) {
    const np_int first = range->items[0].number, step = range->items[2].number;
    const struct np_stmt *outer = unit->repeated;
    struct array_repeat r;
    struct array_laps grows = {{0}};
    np_int copies = unit->copies;
    struct np_loop *l = np_carry(unit, stmt);
    unit->frame->loops++;
    array_open_repeat(&unit->arrays, &r, (uint64_t)laps, stmt->at);
    grows.coeff[r.depth] = (int64_t)step;
    unit->repeated = stmt;
    unit->copies = 1;
    np_bind(unit, stmt->target->name, np_lap_value(unit, first, &grows, stmt->target->at));
    np_run(unit, stmt->body);
    if (unit->frame->left)
        np_unroll(unit, stmt);
    np_carry_home(l);
    unit->copies = copies;
    unit->repeated = outer;
    array_close_repeat(&unit->arrays, &r);
    np_carry_end(l);
    np_bind(unit, stmt->target->name, np_int_value(first + (laps - 1) * step, stmt->target->at));
}
