/* SPDX-License-Identifier: MIT
 * Which way reductions over MPUs take: move.h says what is counted. */
#include "ezpim/ez/move.h"

static uint64_t tree_cost(uint32_t m) {
    uint64_t cost = 0;
    for (; m > 1; m = (m + 1) / 2)
        cost += 1 + (uint64_t)m;
    return cost;
}

static uint64_t exchange_cost(uint32_t m) {
    uint64_t cost = 0;
    for (uint32_t d = 1; d < m; d *= 2)
        cost += 1 + (uint64_t)m;
    return cost;
}

enum ez_schedule ez_schedule(uint32_t m, bool everywhere) {
    uint64_t tree = tree_cost(m), ring = 3 * (uint64_t)(m - 1);
    uint64_t spread = 2 * (uint64_t)m - 1;
    enum ez_schedule best = ring < tree ? SCHEDULE_RING : SCHEDULE_TREE;
    bool power = (m & (m - 1)) == 0;
    if (everywhere && power && exchange_cost(m) < (ring < tree ? ring : tree) + spread)
        return SCHEDULE_EXCHANGE;
    return best;
}

/* Ways are as long in both cases.  In a line of m, floor(m / 2) ceil(m / 2) values cross the middle
 * when all go to all. */
bool ez_gather_by_rows(uint32_t rows, uint32_t columns) {
    uint64_t in_row = (uint64_t)(columns / 2) * (columns - columns / 2);
    uint64_t below = (uint64_t)(rows - 1) * columns, all = rows * in_row;
    return 2 + in_row + below < 1 + (all > below ? all : below);
}
