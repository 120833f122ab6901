/* SPDX-License-Identifier: MIT
 * Which numbers go together: for a step, those that begin a run of it, as many as there are runs.
 */
#include "machines/dtc/tree_ranges.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Numbers from `low` on, each with what it needs; 0: it is not there. */
struct members {
    uint32_t low, span;
    uint8_t *need;
};

static bool has(const struct members *all, uint32_t index, uint8_t need) {
    return index < all->span && all->need[index] == need;
}

static struct members open_members(const uint32_t *numbers, size_t count) {
    struct members m = {.low = numbers[0], .span = numbers[count - 1] - numbers[0] + 1};
    m.need = xcalloc(m.span, 1);
    return m;
}

static bool begins_run(const struct members *all, uint32_t index, uint32_t step, uint8_t need) {
    return has(all, index, need) && (index < step || !has(all, index - step, need));
}

static size_t count_runs(const struct members *all, uint32_t step, uint8_t need) {
    size_t runs = 0;
    for (uint32_t i = 0; i < all->span; i++)
        runs += begins_run(all, i, step, need);
    return runs;
}

static void add_runs(const struct members *all, uint32_t step, uint8_t need, dtc_ranges *out) {
    for (uint32_t i = 0; i < all->span; i++) {
        uint32_t last = i;
        if (!begins_run(all, i, step, need))
            continue;
        while (all->span - last > step && has(all, last + step, need))
            last += step;
        vec_push(out, ((struct dtc_range){all->low + i, all->low + last, last > i ? step : 1}));
    }
}

/* Runs of the best of the steps first, first * times ..; of equally good ones the smallest. */
static void add_fewest(const struct members *all, uint32_t first, uint32_t times, uint8_t need,
                       dtc_ranges *out) {
    uint32_t best = first;
    size_t fewest = SIZE_MAX;
    for (uint64_t step = first; step == first || step < all->span; step *= times) {
        size_t runs = count_runs(all, (uint32_t)step, need);
        best = runs < fewest ? (uint32_t)step : best;
        fewest = runs < fewest ? runs : fewest;
    }
    if (fewest)
        add_runs(all, best, need, out);
}

static bool is_one_range(const uint32_t *numbers, size_t count) {
    for (size_t i = 2; i < count; i++)
        if (numbers[i] - numbers[i - 1] != numbers[1] - numbers[0])
            return false;
    return true;
}

void dtc_cover(const uint32_t *numbers, size_t count, dtc_ranges *out) {
    if (!count)
        return;
    if (is_one_range(numbers, count)) {
        uint32_t step = count > 1 ? numbers[1] - numbers[0] : 1;
        vec_push(out, ((struct dtc_range){numbers[0], numbers[count - 1], step}));
        return;
    }
    struct members all = open_members(numbers, count);
    for (size_t i = 0; i < count; i++)
        all.need[numbers[i] - all.low] = 1;
    add_fewest(&all, 1, 2, 1, out);
    free(all.need);
}

/* ---- moves ---- */

/* Levels of the tree up to the first knot that both hang below. */
static uint8_t level_of(uint32_t crossbar, int64_t distance, uint32_t fan_out) {
    uint64_t from = crossbar, to = (uint64_t)((int64_t)crossbar + distance);
    uint8_t level = 0;
    for (; from != to; from /= fan_out, to /= fan_out)
        level++;
    return level;
}

static uint64_t power(uint32_t base, uint8_t exponent) {
    uint64_t value = 1;
    while (exponent--)
        value *= base;
    return value;
}

void dtc_tree_moves(const uint32_t *crossbars, size_t count, int64_t distance, uint32_t fan_out,
                    dtc_ranges *out) {
    uint8_t highest = 0;
    if (!count)
        return;
    struct members all = open_members(crossbars, count);
    for (size_t i = 0; i < count; i++) {
        uint8_t level = level_of(crossbars[i], distance, fan_out);
        all.need[crossbars[i] - all.low] = (uint8_t)(level + 1);
        highest = level > highest ? level : highest;
    }
    for (uint8_t level = 0; level <= highest; level++) {
        uint64_t step = power(fan_out, level);
        add_fewest(&all, step < UINT32_MAX ? (uint32_t)step : UINT32_MAX, fan_out,
                   (uint8_t)(level + 1), out);
    }
    free(all.need);
}

bool dtc_tree_may_move(struct dtc_range range, int64_t distance, uint32_t fan_out) {
    uint64_t step = 1;
    while (step < range.step)
        step *= fan_out;
    return range.first == range.last ||
           (step == range.step && range.first / step == (uint64_t)(range.first + distance) / step);
}
