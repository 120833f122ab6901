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
    uint64_t a = some_bits(w, state), b = some_bits(w, state), bit = kind / 16 % w;
    for (unsigned k = 0; k < 3; k++)
        value[k] = splitmix64(state);
    switch (kind % 16) {
    case 0:
        return;
    case 1:
        value[1] = value[0] + a % 5 - 2;
        return;
    case 8:
        value[1] = value[0] ^ (uint64_t)1 << bit;
        return;
    case 9:
        value[1] = value[0] ^ (uint64_t)1 << (w - 1 - bit);
        return;
    }
    switch (kind % 8) {
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

/* The constant, next to it, and all but a bit of it. */
static uint64_t near_constant(const struct value_plan *plan, uint64_t index) {
    uint64_t c = (uint64_t)(int64_t)plan->imm, k = index % (plan->w + 3);
    return k < 3 ? c + k - 1 : c ^ (uint64_t)1 << (k - 3);
}

static void mixed_lane(const struct value_plan *plan, uint64_t lane, uint64_t value[3]) {
    uint64_t state = plan->seed ^ lane * 0xd1342543de82ef95u;
    random_lane(plan->w, lane, &state, value);
    if (lane < EDGE_LANES) {
        value[0] = edge(plan->edges[0], lane % EDGE_COUNT);
        value[1] = edge(plan->edges[1], lane / EDGE_COUNT);
        value[2] = edge(plan->w, (lane * 7 + lane / EDGE_COUNT) % EDGE_COUNT);
    }
    if (plan->constant && lane % 8 == 6)
        value[0] = near_constant(plan, lane / 8);
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

/* --- conversions --- */

/* `bits` bits of which the highest ones are random, and the others a half, nothing, or next to it:
 * what is rounded up or down wherever a conversion cuts. */
static uint64_t turning_bits(unsigned bits, uint64_t *state) {
    uint64_t value = splitmix64(state) & low_bits(bits), kind = splitmix64(state);
    unsigned tail = (unsigned)(kind >> 8) % (bits + 1);
    uint64_t half = tail ? (uint64_t)1 << (tail - 1) : 0;
    const uint64_t tails[] = {0, 1, half, half - 1, half + 1, UINT64_MAX};
    return (value & ~low_bits(tail)) | (tails[kind % 6] & low_bits(tail));
}

/* Of any size and sign. */
static uint64_t turning_integer(unsigned w, uint64_t *state) {
    uint64_t kind = splitmix64(state);
    uint64_t size = turning_bits(1 + (unsigned)(kind >> 8) % w, state);
    return (kind & 1 ? 0 - size : size) & low_bits(w);
}

/* Mostly with an exponent at which a format or the integers of a width begin or end. */
static uint64_t turning_float(struct ieee_format format, uint64_t *state) {
    static const int16_t limits[] = {-1075, -1023, -150, -134, -127, -25, -15, -1,
                                     0,     8,     11,   15,   16,   24,  31,  32,
                                     53,    62,    63,   64,   127,  128, 511, 1023};
    uint64_t kind = splitmix64(state), most = low_bits(format.exponent_bits);
    int64_t limit = limits[kind % (sizeof limits / sizeof *limits)];
    int64_t exponent = (int64_t)(most >> 1) + limit + (int64_t)(kind >> 8) % 5 - 2;
    if (exponent < 0 || exponent > (int64_t)most)
        exponent = (int64_t)(kind >> 16 & most);
    return turning_bits(format.fraction_bits, state) | (uint64_t)exponent << format.fraction_bits |
           (kind >> 63 ? ieee_sign_bit(format) : 0);
}

static uint64_t converted_integer(const struct value_plan *plan, uint64_t lane, uint64_t *state) {
    if (lane < EDGE_COUNT)
        return edge(plan->source, lane);
    return lane % 4 ? turning_integer(plan->source, state) : some_bits(plan->source, state);
}

static uint64_t converted_float(const struct value_plan *plan, uint64_t lane, uint64_t *state) {
    uint64_t pair[2];
    if (lane < IEEE_EDGES)
        return ieee_edge(plan->format, (unsigned)lane);
    if (lane % 4)
        return turning_float(plan->format, state);
    ieee_random_pair(plan->format, state, pair);
    return pair[0];
}

static void converted_lane(const struct value_plan *plan, uint64_t lane, uint64_t value[3]) {
    uint64_t state = plan->seed ^ lane * 0xd1342543de82ef95u, above = ~low_bits(plan->source);
    if (plan->all)
        value[0] = lane;
    else
        value[0] = plan->format.exponent_bits ? converted_float(plan, lane, &state)
                                              : converted_integer(plan, lane, &state);
    value[0] = (value[0] & ~above) | (splitmix64(&state) & above);
}

struct value_plan verify_plan_fill(const struct insn_form *form, uint64_t seed,
                                   unsigned *log_lanes) {
    bool converts = isa_constant_role(form->info) == ROLE_CONVERSION;
    bool shape = isa_has_shape(form->insn.op);
    unsigned w = form->w > form->rs_width ? form->w : form->rs_width;
    w = form->rt_width > w ? form->rt_width : w;
    *log_lanes = (converts ? form->rs_width : w) * form->read_count;
    return (struct value_plan){.w = w,
                               .reads = form->read_count,
                               .format = isa_source_format(&form->insn),
                               .edges = {shape ? form->rs_width : w, shape ? form->rt_width : w},
                               .constant = isa_constant_role(form->info) == ROLE_IMM,
                               .imm = form->insn.imm,
                               .seed = seed,
                               .source = converts ? form->rs_width : 0};
}

void verify_plan_lane(const struct value_plan *plan, uint64_t lane, uint64_t values[3]) {
    uint64_t state = plan->seed ^ lane;
    if (plan->source)
        converted_lane(plan, lane, values);
    else if (!plan->all && plan->format.exponent_bits)
        float_lane(plan, lane, values);
    else if (!plan->all)
        mixed_lane(plan, lane, values);
    for (unsigned k = 0; plan->all && !plan->source && k < plan->reads; k++)
        values[k] = lane >> (plan->w * k);
    for (unsigned k = plan->reads; k < 3; k++)
        values[k] = splitmix64(&state);
    for (unsigned k = 0; k < 3; k++)
        values[k] &= low_bits(plan->w);
}
