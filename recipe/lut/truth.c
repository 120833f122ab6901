/* SPDX-License-Identifier: MIT
 * Truth tables, and networks against them: 64 indices at a time. */
#include "recipe/lut/truth.h"

#include "support/bits.h"

void lut_truth_make(const struct isa_lut *table, unsigned inputs, unsigned outputs,
                    struct lut_truth *truth) {
    uint32_t size = (uint32_t)1 << inputs;
    unsigned planes = outputs < table->width ? outputs : table->width;
    *truth = (struct lut_truth){.inputs = inputs, .outputs = outputs, .words = (size + 63) / 64};
    truth->bits = xcalloc(outputs * truth->words + 1, sizeof *truth->bits);
    uint64_t block[64];
    for (size_t word = 0; word < truth->words; word++) {
        for (uint32_t i = 0; i < 64; i++)
            block[i] = table->entries[(64 * word + i) & (size - 1)];
        bits_transpose64(block);
        for (unsigned bit = 0; bit < planes; bit++)
            lut_truth_of(truth, bit)[word] = block[bit];
    }
}

void lut_truth_free(struct lut_truth *truth) {
    free(truth->bits);
    *truth = (struct lut_truth){0};
}

uint64_t lut_variable_word(unsigned input, size_t word) {
    static const uint64_t low[6] = {UINT64_C(0xaaaaaaaaaaaaaaaa), UINT64_C(0xcccccccccccccccc),
                                    UINT64_C(0xf0f0f0f0f0f0f0f0), UINT64_C(0xff00ff00ff00ff00),
                                    UINT64_C(0xffff0000ffff0000), UINT64_C(0xffffffff00000000)};
    if (input < 6)
        return low[input];
    return word >> (input - 6) & 1 ? UINT64_MAX : 0;
}

static uint64_t edge_value(const uint64_t *values, uint32_t edge) {
    return values[edge >> 1] ^ -(uint64_t)(edge & 1);
}

static void run_word(const struct lut_network *network, size_t word, uint64_t *values) {
    for (size_t i = 0; i < network->nodes.len; i++) {
        const struct lut_node *n = &network->nodes.data[i];
        uint64_t a[3];
        for (unsigned k = 0; k < lut_gate_args(n->gate); k++)
            a[k] = edge_value(values, n->args[k]);
        switch (n->gate) {
        case LUT_INPUT:
            values[i] = lut_variable_word((unsigned)i - 1, word);
            break;
        case LUT_AND:
            values[i] = a[0] & a[1];
            break;
        case LUT_XOR:
            values[i] = a[0] ^ a[1];
            break;
        case LUT_MUX:
            values[i] = (a[0] & a[1]) | (~a[0] & a[2]);
            break;
        default:
            values[i] = 0;
        }
    }
}

bool lut_truth_holds(const struct lut_truth *truth, const struct lut_network *network) {
    uint64_t *values = xcalloc(network->nodes.len, sizeof *values);
    bool same = network->inputs == truth->inputs && network->outputs == truth->outputs;
    for (size_t word = 0; same && word < truth->words; word++) {
        run_word(network, word, values);
        for (unsigned bit = 0; bit < truth->outputs; bit++)
            same &= edge_value(values, network->out[bit]) == lut_truth_of(truth, bit)[word];
    }
    free(values);
    return same;
}
