/* SPDX-License-Identifier: MIT
 * Uniform values alone would try little: two of them are never equal, none is a constant of the
 * program or a count below the width, and no float is a zero. */
#include "recipe/verify/bench_values.h"

#include "recipe/verify/computes.h"
#include "support/bits.h"

/* Rounds on integers; where there is a constant, two more near it, and six of all lengths where
 * they become floats. */
enum { EDGES, COUNTS, ONE_BIT_APART, LENGTHS, NEAR_CONSTANT };
/* Rounds on floats: of one, exponents one after the other, both signs; of two, all pairs of edges.
 */
enum { EXPONENT_ROUNDS = 10, PAIR_ROUNDS = IEEE_EDGES * IEEE_EDGES / BENCH_LANES };

struct bench_plan {
    const struct insn *insn;
    unsigned width[4]; /* of what is read of each register, 0 where nothing is */
    unsigned reads, w;
    struct ieee_format format;
    unsigned precision; /* bits that a conversion to a float leaves of a number */
    bool converts, constant;
};

static void read_register(struct bench_plan *plan, unsigned reg, unsigned width) {
    plan->reads += plan->width[reg] == 0;
    if (plan->width[reg] < width)
        plan->width[reg] = width;
}

static struct bench_plan plan_of(const struct insn *insn, unsigned w) {
    const struct isa_info *info = recipe_info(insn->op);
    struct bench_plan plan = {.insn = insn, .w = w};
    if (info->flags & READS_RS)
        read_register(&plan, insn->rs,
                      info->flags & ISA_WIDTH ? recipe_computes_bits(insn, ROLE_RS) : w);
    if (info->flags & READS_RT)
        read_register(&plan, insn->rt,
                      info->flags & ISA_WIDTH ? recipe_computes_bits(insn, ROLE_RT) : w);
    if (info->flags & READS_RD)
        read_register(&plan, insn->rd, w);
    if (insn->op != OP_MASKED) {
        plan.format = isa_source_format(insn);
        plan.constant = isa_constant_role(info) == ROLE_IMM;
        plan.converts = isa_constant_role(info) == ROLE_CONVERSION;
        struct ieee_format result = isa_result_format(insn);
        plan.precision = plan.converts && result.exponent_bits ? result.fraction_bits + 1u : 0;
    }
    return plan;
}

/* True if all operands fit in few rounds. */
static bool is_small(const struct bench_plan *plan) {
    unsigned bits = 0;
    for (unsigned r = 1; r < 4; r++)
        bits += plan->width[r];
    return plan->w <= 3 && bits <= 9;
}

unsigned recipe_bench_rounds(const struct insn *insn, unsigned w) {
    struct bench_plan plan = plan_of(insn, w);
    if (plan.format.exponent_bits)
        return plan.reads > 1 ? 4 + PAIR_ROUNDS : 1 + EXPONENT_ROUNDS;
    if (is_small(&plan))
        return w * plan.reads > 6 ? 8 : 1;
    return NEAR_CONSTANT + (plan.constant ? 2 : plan.converts ? 6 : 0);
}

/* --- integers --- */

/* What is cut off at bit `tail` may be a half there, or next to it. */
static uint64_t turning_value(unsigned tail, uint64_t *seed) {
    uint64_t v = splitmix64(seed), half = (uint64_t)1 << tail >> 1;
    const uint64_t tails[] = {v, half, half, half, half - 1, half + 1, UINT64_MAX, 0};
    return (v & ~low_bits(tail)) | (tails[splitmix64(seed) % 8] & low_bits(tail));
}

/* A bit below `bits`, or where a conversion cuts if it is one. */
static unsigned tail_of(unsigned bits, int cut, uint64_t *seed) {
    unsigned tail = (unsigned)(splitmix64(seed) % bits);
    bool chosen = splitmix64(seed) % 4 != 0 && cut > 0 && (unsigned)cut <= bits;
    return chosen ? (unsigned)cut : tail;
}

static uint64_t value_of_any_length(const struct bench_plan *plan, unsigned bits, uint64_t *seed) {
    unsigned length = 1 + (unsigned)(splitmix64(seed) % bits);
    int cut = plan->precision ? (int)length - (int)plan->precision : 0;
    uint64_t v = turning_value(tail_of(length, cut, seed), seed) & low_bits(length);
    v |= (uint64_t)1 << (length - 1);
    return splitmix64(seed) & 1 ? v : 0 - v;
}

static uint64_t near_constant(const struct bench_plan *plan, unsigned k, uint64_t random) {
    uint64_t c = (uint64_t)(int64_t)plan->insn->imm;
    const uint64_t near[] = {c, c + 1, c - 1, ~c, 0 - c, c << 1, c >> 1, 0};
    unsigned bits = plan->w;
    return k < bits ? c ^ (uint64_t)1 << k : k < bits + 8 ? near[k - bits] : random;
}

/* A bit of everything: edges, equal pairs, neighbours, counts, the constant and random values. */
static void mix(const struct bench_plan *plan, unsigned lane, unsigned width, uint64_t v[4]) {
    unsigned w = plan->w;
    const uint64_t edges[] = {0, 1, UINT64_MAX, (uint64_t)1 << (width - 1), low_bits(width) >> 1};
    const uint64_t others[] = {0, 1, UINT64_MAX, (uint64_t)1 << (w - 1), low_bits(w) >> 1};
    if (lane < 25) {
        v[1] = edges[lane % 5];
        v[2] = others[lane / 5];
        v[3] = others[(lane + 2) % 5];
    } else if (lane % 8 == 0) {
        v[2] = v[1];
    } else if (lane % 8 == 2) {
        v[2] = v[1] ^ (uint64_t)1 << (lane * 5 % w);
    } else if (lane % 8 == 4 && plan->constant) {
        v[1] = v[2] = v[3] = near_constant(plan, w + lane % 3, 0);
    } else if (lane % 8 == 6) {
        v[2] = (lane * 3 + 1) % (w + 1);
    }
}

static void integer_lane(const struct bench_plan *plan, unsigned round, unsigned lane,
                         uint64_t *seed, uint64_t v[4]) {
    switch (plan->converts && round > LENGTHS ? LENGTHS : round) {
    case EDGES:
        mix(plan, lane, plan->width[1] ? plan->width[1] : plan->w, v);
        break;
    case COUNTS:
        v[2] = lane;
        break;
    case ONE_BIT_APART:
        v[2] = v[1] ^ (uint64_t)1 << lane % plan->w;
        break;
    case LENGTHS:
        for (unsigned r = 1; r < 4; r++)
            v[r] = value_of_any_length(plan, plan->width[r] ? plan->width[r] : 64, seed);
        break;
    default:
        for (unsigned r = 1; r < 4; r++)
            v[r] = near_constant(plan, (round - NEAR_CONSTANT) * BENCH_LANES + lane, v[r]);
    }
}

/* All values one after the other. */
static void small_lane(const struct bench_plan *plan, unsigned k, uint64_t v[4]) {
    for (unsigned r = 1, shift = 0; r < 4; shift += plan->width[r++])
        if (plan->width[r])
            v[r] = (v[r] & ~low_bits(plan->width[r])) | (k >> shift & low_bits(plan->width[r]));
}

/* --- floats --- */

/* What is cut is what lies below the integers, or what the other format has not. */
static uint64_t float_of_exponent(const struct bench_plan *plan, unsigned k, uint64_t *seed) {
    struct ieee_format format = plan->format;
    int most = (int)low_bits(format.exponent_bits), middle = most >> 1;
    int exponent = middle + (int)k / 2 - EXPONENT_ROUNDS * BENCH_LANES / 4, cut = 0;
    if (exponent < 0 || exponent > most)
        exponent = (int)(splitmix64(seed) & (uint64_t)most);
    if (plan->converts)
        cut = plan->precision ? format.fraction_bits + 1 - (int)plan->precision
                              : format.fraction_bits - (exponent - middle);
    uint64_t v = turning_value(tail_of(format.fraction_bits, cut, seed), seed);
    return (v & low_bits(format.fraction_bits)) | (uint64_t)exponent << format.fraction_bits |
           (k & 1 ? ieee_sign_bit(format) : 0);
}

/* Odd numbers of so many bits that their product often has one more than the format. */
static void half_product(struct ieee_format format, uint64_t *seed, uint64_t pair[2]) {
    unsigned fraction = format.fraction_bits,
             bits = 2 + (unsigned)(splitmix64(seed) % (fraction - 1));
    uint64_t middle = low_bits(format.exponent_bits) >> 1;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t v = splitmix64(seed), last = (uint64_t)1 << (fraction + 1 - bits);
        pair[i] = (v & low_bits(fraction) & ~(last - 1)) | last |
                  (middle - 4 + (v >> 60 & 7)) << fraction | (v >> 63 ? ieee_sign_bit(format) : 0);
        bits = fraction + 2 + (unsigned)(v & 1) - bits;
    }
}

static void float_lane(const struct bench_plan *plan, unsigned round, unsigned lane, uint64_t *seed,
                       uint64_t v[4]) {
    unsigned k = round * BENCH_LANES + lane - BENCH_LANES, bits = ieee_width(plan->format);
    uint64_t pair[2];
    ieee_random_pair(plan->format, seed, pair);
    if (round == 0 && lane < 2 * IEEE_EDGES)
        pair[lane / IEEE_EDGES] = ieee_edge(plan->format, lane % IEEE_EDGES);
    else if (round > 0 && plan->reads == 1)
        pair[0] = float_of_exponent(plan, k, seed);
    else if (round > 0 && round <= PAIR_ROUNDS)
        for (unsigned i = 0; i < 2; i++)
            pair[i] = ieee_edge(plan->format, i ? k / IEEE_EDGES : k % IEEE_EDGES);
    else if (round > 1 + PAIR_ROUNDS)
        half_product(plan->format, seed, pair);
    for (unsigned i = 2; i-- > 0;) {
        unsigned r = i ? plan->insn->rt : plan->insn->rs;
        v[r] = (v[r] & ~low_bits(bits)) | pair[i];
    }
}

void recipe_bench_values(const struct insn *insn, unsigned w, unsigned round,
                         uint64_t registers[4][BENCH_LANES]) {
    struct bench_plan plan = plan_of(insn, w);
    uint64_t seed = w + 64 * round;
    for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
        uint64_t v[4] = {0};
        for (unsigned r = 1; r < 4; r++)
            v[r] = splitmix64(&seed);
        if (plan.format.exponent_bits)
            float_lane(&plan, round, lane, &seed, v);
        else if (is_small(&plan))
            small_lane(&plan, round * BENCH_LANES + lane, v);
        else
            integer_lane(&plan, round, lane, &seed, v);
        for (unsigned r = 1; r < 4; r++)
            registers[r][lane] = v[r];
    }
}
