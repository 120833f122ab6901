/* SPDX-License-Identifier: MIT
 * Sums modulo 2. */
#include "recipe/lut/synthesis.h"

#include "support/bits.h"

/* Columns are sources and sums of two columns; bit i of a column: it is in sum i.  Without a
 * network nothing is made, and XORs are counted. */
struct sum_columns {
    VEC(uint64_t) in;
    VEC(uint32_t) edges;
};

static void add_column(struct sum_columns *columns, uint64_t in, uint32_t edge) {
    vec_push(&columns->in, in);
    vec_push(&columns->edges, edge);
}

static void transpose(const uint64_t *rows, unsigned row_count, uint64_t columns[64]) {
    for (unsigned i = 0; i < 64; i++)
        columns[i] = i < row_count ? rows[i] : 0;
    bits_transpose64(columns);
}

/* The pair of columns that most sums have in common; false if no two sums have any. */
static bool find_pair(const struct sum_columns *columns, uint64_t *state, unsigned *left,
                      unsigned *right) {
    unsigned most = 1;
    unsigned equals = 0;
    for (unsigned i = 1; i < columns->in.len; i++)
        for (unsigned k = 0; k < i; k++) {
            uint64_t both = columns->in.data[i] & columns->in.data[k];
            if (!(both & (both - 1)))
                continue;
            unsigned common = lut_bit_count(both);
            if (common < most)
                continue;
            equals = common > most ? 1 : equals + 1;
            if (common > most || (*state && splitmix64(state) % equals == 0)) {
                most = common;
                *left = i;
                *right = k;
            }
        }
    return most > 1;
}

static uint32_t xor_edges(struct lut_network *network, uint32_t left, uint32_t right) {
    return network ? lut_xor(network, left, right) : LUT_FALSE;
}

/* Returns the XORs; with a network the sums, too. */
static unsigned run(struct lut_network *network, const uint32_t *sources, unsigned source_count,
                    const uint64_t *rows, unsigned row_count, uint64_t seed, uint32_t *sums) {
    struct sum_columns c = {0};
    uint64_t of_source[64], state = seed;
    unsigned count = 0, left = 0, right = 0;
    transpose(rows, row_count, of_source);
    for (unsigned i = 0; i < source_count; i++)
        add_column(&c, of_source[i], network ? sources[i] : LUT_FALSE);
    while (find_pair(&c, &state, &left, &right)) {
        uint64_t common = c.in.data[left] & c.in.data[right];
        c.in.data[left] &= ~common;
        c.in.data[right] &= ~common;
        add_column(&c, common, xor_edges(network, c.edges.data[left], c.edges.data[right]));
        count++;
    }
    for (unsigned row = 0; row < row_count; row++) {
        bool any = false;
        uint32_t sum = LUT_FALSE;
        for (unsigned i = 0; i < c.in.len; i++)
            if (c.in.data[i] >> row & 1) {
                sum = any ? xor_edges(network, sum, c.edges.data[i]) : c.edges.data[i];
                count += any;
                any = true;
            }
        if (network)
            sums[row] = sum;
    }
    vec_free(&c.in);
    vec_free(&c.edges);
    return count;
}

void lut_add_sums(struct lut_network *network, const uint32_t *sources, unsigned source_count,
                  const uint64_t *rows, unsigned row_count, uint64_t seed, uint32_t *sums) {
    run(network, sources, source_count, rows, row_count, seed, sums);
}

unsigned lut_count_sums(unsigned source_count, const uint64_t *rows, unsigned row_count,
                        uint64_t seed) {
    return run(NULL, NULL, source_count, rows, row_count, seed, NULL);
}

/* --- outputs that are sums --- */

/* *row: bit i says that input i is in it. */
static bool is_sum(const struct lut_truth *truth, unsigned output, uint64_t *row, bool *one) {
    const uint64_t *bits = lut_truth_of(truth, output);
    *one = bits[0] & 1;
    *row = 0;
    for (unsigned i = 0; i < truth->inputs; i++)
        *row |= (uint64_t)(lut_truth_bit(truth, output, (uint32_t)1 << i) != *one) << i;
    for (size_t word = 0; word < truth->words; word++) {
        uint64_t sum = *one ? UINT64_MAX : 0;
        for (unsigned i = 0; i < truth->inputs; i++)
            sum ^= *row >> i & 1 ? lut_variable_word(i, word) : 0;
        if (sum != bits[word])
            return false;
    }
    return true;
}

lut_outputs lut_make_sums(const struct lut_truth *truth, lut_outputs wanted,
                          struct lut_network *network) {
    uint64_t rows[64] = {0};
    uint32_t sources[64] = {0}, sums[64] = {0};
    unsigned made[64], count = 0;
    bool ones[64];
    lut_outputs done = 0;
    for (unsigned i = 0; i < truth->inputs; i++)
        sources[i] = lut_input(i);
    for (unsigned i = 0; i < truth->outputs; i++)
        if (wanted >> i & 1 && is_sum(truth, i, &rows[count], &ones[count])) {
            made[count++] = i;
            done |= (lut_outputs)1 << i;
        }
    lut_add_sums(network, sources, truth->inputs, rows, count, 0, sums);
    for (unsigned i = 0; i < count; i++)
        network->out[made[i]] = sums[i] ^ ones[i];
    return done;
}
