/* SPDX-License-Identifier: MIT
 * Trees of carries.  All stretches begin at bit 0: first each multiple of 2, 4, 8 and so on gathers
 * what lies below it but for bit 0, then the rest follows over distances that become shorter. */
#include "recipe/prove/carry_tree.h"

#define MOST_BITS 64

/* A stretch and the one below it; without hands[] what is gathered is whether all bits are 1. */
static void join(struct fold *fold, uint32_t *makes, uint32_t *hands, unsigned j, unsigned below) {
    const uint32_t carry[] = {makes[j], makes[below], hands ? hands[j] : FOLD_FALSE};
    makes[j] = prove_fold_apply(fold, hands ? 0xEA : 0x8, carry, hands ? 3 : 2);
    if (hands) {
        const uint32_t both[] = {hands[j], hands[below]};
        hands[j] = prove_fold_apply(fold, 0x8, both, 2);
    }
}

static void gather(struct fold *fold, uint32_t *makes, uint32_t *hands, unsigned count) {
    for (unsigned far = 1; far < MOST_BITS; far *= 2)
        for (unsigned j = 2 * far; j < count; j += 2 * far)
            join(fold, makes, hands, j, j - far);
    for (unsigned far = MOST_BITS / 2; far > 0; far /= 2)
        for (unsigned j = far; j < count; j += 2 * far)
            join(fold, makes, hands, j, j - far);
}

/* makes[j] becomes the carry out of bit j, for count bits; hands[] is used up. */
static void prove_carry_tree_carries(struct fold *fold, uint32_t *makes, uint32_t *hands,
                                     unsigned count) {
    gather(fold, makes, hands, count);
}

void prove_carry_tree_all(struct fold *fold, uint32_t *all, unsigned count) {
    gather(fold, all, NULL, count);
}

uint32_t prove_carry_tree_pick(struct fold *fold, uint32_t sample, uint32_t left, uint32_t right) {
    uint32_t not_left = prove_fold_nor(fold, prove_fold_not(sample), left);
    return prove_fold_nor(fold, not_left, prove_fold_nor(fold, sample, right));
}

void prove_carry_tree_add(struct fold *fold, const uint32_t *x, const uint32_t *y, uint32_t carry,
                          unsigned w, uint32_t *sum, uint32_t *out) {
    /* As micro-ops go: what is a constant shows at the same bits then. */
    uint32_t makes[MOST_BITS] = {0}, hands[MOST_BITS] = {0}, half[MOST_BITS] = {0}, both;
    for (unsigned j = 0; j < w; j++) {
        half[j] = prove_fold_half_add(fold, x[j], y[j], &makes[j]);
        hands[j] = prove_fold_not(prove_fold_nor(fold, x[j], y[j]));
    }
    const uint32_t in[] = {makes[0], carry, hands[0]};
    makes[0] = prove_fold_apply(fold, 0xEA, in, 3);
    prove_carry_tree_carries(fold, makes, hands, w);
    for (unsigned j = 0; j < w; j++)
        sum[j] = prove_fold_half_add(fold, half[j], j ? makes[j - 1] : carry, &both);
    *out = makes[w - 1];
}
