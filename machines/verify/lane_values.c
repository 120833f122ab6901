/* SPDX-License-Identifier: MIT
 * Operands that are worth trying: where carries, signs, counts and divisions turn, then random
 * ones and neighbours. */
#include "machines/verify/matrix.h"
#include "support/bits.h"

/* Where carries, signs, counts and divisions turn: among them 0 as a divisor and the smallest
 * number against -1. */
static uint64_t edge(unsigned w, uint64_t index) {
    uint64_t most = low_bits(w), least = (uint64_t)1 << (w - 1), half = (uint64_t)1 << (w / 2);
    const uint64_t edges[EDGE_COUNT] = {0,
                                        1,
                                        2,
                                        3,
                                        10,
                                        most,
                                        most - 1,
                                        least,
                                        least + 1,
                                        least - 1,
                                        least - 2,
                                        half,
                                        half - 1,
                                        w,
                                        w - 1,
                                        w + 1,
                                        63,
                                        64,
                                        0x5555555555555555u,
                                        ~(uint64_t)0x5555555555555555u};
    return edges[index] & most;
}

/* Of a random number of bits. */
static uint64_t some_bits(unsigned w, uint64_t *state) {
    uint64_t v = splitmix64(state) & low_bits(w);
    return v >> splitmix64(state) % w;
}

/* Pairs that uniform values would not meet: neighbours, counts of shifts, multiples. */
static void random_lane(unsigned w, uint64_t kind, uint64_t *state, uint64_t value[3]) {
    uint64_t a = some_bits(w, state), b = some_bits(w, state);
    for (unsigned k = 0; k < 3; k++)
        value[k] = splitmix64(state);
    switch (kind % 8) {
    case 0:
        break;
    case 1:
        value[1] = value[0] + a % 5 - 2;
        break;
    case 2:
        value[0] = a, value[1] = b, value[2] = some_bits(w, state);
        break;
    case 3:
        value[1] = value[1] % (w + 2);
        break;
    case 4:
        value[0] = a * b, value[1] = b;
        break;
    case 5:
        value[0] = a * b - 1, value[1] = b;
        break;
    case 6:
        value[0] = a, value[1] = 0 - b;
        break;
    default:
        value[0] &= splitmix64(state) & splitmix64(state);
        value[1] |= splitmix64(state) | splitmix64(state);
    }
}

static void mixed_lane(const struct value_plan *plan, uint64_t lane, uint64_t value[3]) {
    uint64_t state = plan->seed ^ lane * 0xd1342543de82ef95u;
    random_lane(plan->w, lane, &state, value);
    if (lane >= EDGE_LANES)
        return;
    value[0] = edge(plan->w, lane % EDGE_COUNT);
    value[1] = edge(plan->w, lane / EDGE_COUNT);
    value[2] = edge(plan->w, (lane * 7 + lane / EDGE_COUNT) % EDGE_COUNT);
}

/* Every class against every other, then random ones. */
static void float_lane(const struct value_plan *plan, uint64_t lane, uint64_t value[3]) {
    uint64_t state = plan->seed ^ lane * 0xd1342543de82ef95u;
    ieee_random_pair(plan->format, &state, value);
    value[2] = splitmix64(&state);
    if (lane >= IEEE_EDGES * IEEE_EDGES)
        return;
    value[0] = ieee_edge(plan->format, (unsigned)lane % IEEE_EDGES);
    value[1] = ieee_edge(plan->format, (unsigned)lane / IEEE_EDGES);
}

void verify_plan_lane(const struct value_plan *plan, uint64_t lane, uint64_t values[3]) {
    uint64_t state = plan->seed ^ lane;
    if (!plan->all && plan->format.exponent_bits)
        float_lane(plan, lane, values);
    else if (!plan->all)
        mixed_lane(plan, lane, values);
    for (unsigned k = 0; plan->all && k < plan->reads; k++)
        values[k] = lane >> (plan->w * k);
    for (unsigned k = plan->reads; k < 3; k++)
        values[k] = splitmix64(&state);
    for (unsigned k = 0; k < 3; k++)
        values[k] &= low_bits(plan->w);
}
