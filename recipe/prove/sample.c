/* SPDX-License-Identifier: MIT */
#include "recipe/prove/sample.h"

#include "recipe/uop.h"
#include "support/bits.h"

/* What seeds the planes that are no registers: numbers that no register has. */
#define SEED_C     64
#define SEED_VALID 65
#define SEED_MASK  66

/* Half of the lanes hold, each length of a run alike often, zeros below a one or their complement,
 * or zeros or ones above. */
static uint64_t register_value(unsigned reg, unsigned lane) {
    uint64_t state = (uint64_t)reg << 32 | lane, v = splitmix64(&state);
    unsigned run = lane / 8 % 64;
    switch (lane % 8) {
    case 0:
        return (v | 1) << run;
    case 1:
        return ~((v | 1) << run);
    case 2:
        return v >> run;
    case 3:
        return ~(v >> run);
    default:
        return v;
    }
}

static void sample_register(unsigned number, struct sample *out) {
    for (unsigned i = 0; i < SAMPLE_WORDS; i++) {
        out->words[i] = 0;
        for (unsigned lane = 0; lane < 64; lane++)
            out->words[i] |= (register_value(number >> 6, i * 64 + lane) >> (number & 63) & 1)
                             << lane;
    }
}

static void sample_seed(uint64_t seed, struct sample *out) {
    uint64_t state = seed << 32;
    for (unsigned i = 0; i < SAMPLE_WORDS; i++)
        out->words[i] = splitmix64(&state);
}

/* M is 1 in valid lanes alone. */
static void sample_mask(struct sample *out) {
    struct sample valid;
    sample_seed(SEED_MASK, out);
    sample_seed(SEED_VALID, &valid);
    for (unsigned i = 0; i < SAMPLE_WORDS; i++)
        out->words[i] &= valid.words[i];
}

bool prove_sample_input(uint32_t plane, struct sample *out) {
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        sample_register(PLANE_NUMBER(plane), out);
        return true;
    case PLANE_C:
        sample_seed(SEED_C, out);
        return true;
    case PLANE_M:
        sample_mask(out);
        return true;
    case PLANE_VALID:
        sample_seed(SEED_VALID, out);
        return true;
    case PLANE_CONST:
        for (unsigned i = 0; i < SAMPLE_WORDS; i++)
            out->words[i] = PLANE_NUMBER(plane) ? UINT64_MAX : 0;
        return true;
    default:
        return false;
    }
}

static uint64_t apply_word(uint32_t truth, const struct sample *in, unsigned count, unsigned i) {
    uint64_t sum = 0;
    for (unsigned row = 0; row < 1u << count; row++) {
        uint64_t product = truth >> row & 1 ? UINT64_MAX : 0;
        for (unsigned k = 0; k < count && product; k++)
            product &= row >> k & 1 ? in[k].words[i] : ~in[k].words[i];
        sum |= product;
    }
    return sum;
}

void prove_sample_apply(uint32_t truth, const struct sample *in, unsigned count,
                        struct sample *out) {
    for (unsigned i = 0; i < SAMPLE_WORDS; i++)
        out->words[i] = apply_word(truth, in, count, i);
}

void prove_sample_choose(const struct sample *c, const struct sample *a, const struct sample *b,
                         struct sample *out) {
    for (unsigned i = 0; i < SAMPLE_WORDS; i++)
        out->words[i] = (c->words[i] & a->words[i]) | (~c->words[i] & b->words[i]);
}

bool prove_sample_is_constant(const struct sample *s) {
    for (unsigned i = 0; i < SAMPLE_WORDS; i++)
        if (s->words[i] != s->words[0] || (s->words[0] != 0 && s->words[0] != UINT64_MAX))
            return false;
    return true;
}

bool prove_sample_matches(const struct sample *a, const struct sample *b, bool complement) {
    uint64_t flip = complement ? UINT64_MAX : 0;
    for (unsigned i = 0; i < SAMPLE_WORDS; i++)
        if (a->words[i] != (b->words[i] ^ flip))
            return false;
    return true;
}
