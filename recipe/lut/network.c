/* SPDX-License-Identifier: MIT
 * Gates, each there once. */
#include "recipe/lut/network.h"

void lut_network_start(struct lut_network *network, unsigned inputs, unsigned outputs) {
    *network = (struct lut_network){.inputs = inputs, .outputs = outputs};
    network->out = xcalloc(outputs + 1, sizeof *network->out);
    for (unsigned i = 0; i <= inputs; i++) {
        struct lut_node node = {.gate = i ? LUT_INPUT : LUT_CONSTANT};
        vec_push(&network->nodes, node);
    }
}

void lut_network_free(struct lut_network *network) {
    free(network->out);
    vec_free(&network->nodes);
    hash_table_free(&network->known);
    *network = (struct lut_network){0};
}

static uint32_t find(struct lut_network *network, struct lut_node node) {
    uint32_t *at = hash_table_put(&network->known, &node);
    if (!*at) {
        *at = (uint32_t)network->nodes.len;
        vec_push(&network->nodes, node);
    }
    return 2 * *at;
}

static void sort_two(uint32_t *left, uint32_t *right) {
    if (*left > *right) {
        uint32_t kept = *left;
        *left = *right;
        *right = kept;
    }
}

uint32_t lut_and(struct lut_network *network, uint32_t left, uint32_t right) {
    sort_two(&left, &right);
    if (left == LUT_FALSE || left == (right ^ 1))
        return LUT_FALSE;
    if (left == LUT_TRUE || left == right)
        return right;
    return find(network, (struct lut_node){LUT_AND, {left, right, 0}});
}

static uint32_t lut_or(struct lut_network *network, uint32_t left, uint32_t right) {
    return lut_and(network, left ^ 1, right ^ 1) ^ 1;
}

uint32_t lut_xor(struct lut_network *network, uint32_t left, uint32_t right) {
    uint32_t inverted = (left ^ right) & 1;
    left &= ~1u;
    right &= ~1u;
    sort_two(&left, &right);
    if (left == right)
        return LUT_FALSE ^ inverted;
    if (left == LUT_FALSE)
        return right ^ inverted;
    return find(network, (struct lut_node){LUT_XOR, {left, right, 0}}) ^ inverted;
}

uint32_t lut_mux(struct lut_network *network, uint32_t choice, uint32_t one, uint32_t zero) {
    if (choice <= LUT_TRUE || one == zero)
        return choice == LUT_FALSE ? zero : one;
    if (choice & 1) {
        uint32_t kept = one;
        choice ^= 1;
        one = zero;
        zero = kept;
    }
    if (one == (zero ^ 1))
        return lut_xor(network, choice, zero);
    if (one == choice || one == LUT_TRUE)
        return lut_or(network, choice, zero);
    if (one == (choice ^ 1) || one == LUT_FALSE)
        return lut_and(network, choice ^ 1, zero);
    if (zero == choice || zero == LUT_FALSE)
        return lut_and(network, choice, one);
    if (zero == (choice ^ 1) || zero == LUT_TRUE)
        return lut_or(network, choice ^ 1, one);
    uint32_t inverted = one & 1;
    return find(network, (struct lut_node){LUT_MUX, {choice, one ^ inverted, zero ^ inverted}}) ^
           inverted;
}

unsigned lut_gate_args(enum lut_gate gate) {
    static const uint8_t args[LUT_GATES] = {0, 0, 2, 2, 3};
    return args[gate];
}

/* Gates stand behind what they read. */
bool *lut_needed(const struct lut_network *network) {
    bool *needed = xcalloc(network->nodes.len, sizeof *needed);
    for (unsigned i = 0; i < network->outputs; i++)
        needed[network->out[i] >> 1] = true;
    for (size_t i = network->nodes.len; i-- > 0;)
        for (unsigned k = 0; needed[i] && k < lut_gate_args(network->nodes.data[i].gate); k++)
            needed[network->nodes.data[i].args[k] >> 1] = true;
    return needed;
}

void lut_count_gates(const struct lut_network *network, uint64_t counts[LUT_GATES]) {
    bool *needed = lut_needed(network);
    memset(counts, 0, LUT_GATES * sizeof *counts);
    for (size_t i = 0; i < network->nodes.len; i++)
        counts[network->nodes.data[i].gate] += needed[i];
    free(needed);
}

uint64_t lut_cost(const struct lut_network *network, const struct lut_costs *costs) {
    uint64_t counts[LUT_GATES], sum = 0;
    lut_count_gates(network, counts);
    for (unsigned i = 0; i < LUT_GATES; i++)
        sum += counts[i] * costs->gate[i];
    return sum;
}
