/* SPDX-License-Identifier: MIT */
#include "machines/verify/matrix.h"
#include "support/bits.h"

/* Where carries, signs, counts and divisions turn: among them 0 as a divisor and the smallest
 * number against -1. */
static uint64_t edge(unsigned w, uint64_t i) {
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
    return edges[i] & most;
}

/* Of a random number of bits. */
static uint64_t some_bits(unsigned w, uint64_t *state) {
    uint64_t v = splitmix64(state) & low_bits(w);
    return v >> splitmix64(state) % w;
}

/* Pairs that uniform values would not meet: neighbours, counts of shifts, multiples. */
static void random_lane(unsigned w, uint64_t kind, uint64_t *state, uint64_t v[3]) {
    uint64_t a = some_bits(w, state), b = some_bits(w, state);
    for (unsigned k = 0; k < 3; k++)
        v[k] = splitmix64(state);
    switch (kind % 8) {
    case 0:
        break;
    case 1:
        v[1] = v[0] + a % 5 - 2;
        break;
    case 2:
        v[0] = a, v[1] = b, v[2] = some_bits(w, state);
        break;
    case 3:
        v[1] = v[1] % (w + 2);
        break;
    case 4:
        v[0] = a * b, v[1] = b;
        break;
    case 5:
        v[0] = a * b - 1, v[1] = b;
        break;
    case 6:
        v[0] = a, v[1] = 0 - b;
        break;
    default:
        v[0] &= splitmix64(state) & splitmix64(state);
        v[1] |= splitmix64(state) | splitmix64(state);
    }
}

static void mixed_lane(const struct value_plan *p, uint64_t lane, uint64_t v[3]) {
    uint64_t state = p->seed ^ lane * 0xd1342543de82ef95u;
    random_lane(p->w, lane, &state, v);
    if (lane >= EDGE_LANES)
        return;
    v[0] = edge(p->w, lane % EDGE_COUNT);
    v[1] = edge(p->w, lane / EDGE_COUNT);
    v[2] = edge(p->w, (lane * 7 + lane / EDGE_COUNT) % EDGE_COUNT);
}

void verify_plan_lane(const struct value_plan *p, uint64_t lane, uint64_t values[3]) {
    uint64_t state = p->seed ^ lane;
    if (!p->all)
        mixed_lane(p, lane, values);
    for (unsigned k = 0; p->all && k < p->reads; k++)
        values[k] = lane >> (p->w * k);
    for (unsigned k = p->reads; k < 3; k++)
        values[k] = splitmix64(&state);
    for (unsigned k = 0; k < 3; k++)
        values[k] &= low_bits(p->w);
}
