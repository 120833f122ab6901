/* SPDX-License-Identifier: MIT
 * Logic that a table becomes: gates with two or three inputs, each there once.  For the files of
 * this folder and the tests.
 *
 * An edge is a node times two, plus one where it is inverted; so inversions cost nothing here, and
 * the mapping decides which values are held inverted. */
#ifndef RECIPE_LUT_NETWORK_H
#define RECIPE_LUT_NETWORK_H

#include "support/hash_table.h"
#include "support/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* Node 0 is the constant 0. */
#define LUT_FALSE 0u
#define LUT_TRUE  1u

enum lut_gate {
    LUT_CONSTANT,
    LUT_INPUT, /* nodes 1 .. inputs */
    LUT_AND,
    LUT_XOR,
    LUT_MUX, /* args[0] ? args[1] : args[2] */
    LUT_GATES
};

struct lut_node {
    uint32_t gate;    /* enum lut_gate; node and padding are compared as bytes */
    uint32_t args[3]; /* edges */
};

struct lut_network {
    unsigned inputs, outputs;
    uint32_t *out; /* [outputs] edges */
    VEC(struct lut_node) nodes;
    HASH_TABLE(struct lut_node, uint32_t) known;
};

/* All outputs are the constant 0. */
void lut_network_start(struct lut_network *network, unsigned inputs, unsigned outputs);
void lut_network_free(struct lut_network *network);

static inline uint32_t lut_input(unsigned index) {
    return 2 * (index + 1);
}

/* Edges; what constants and equal or inverse arguments make of them is taken into account. */
uint32_t lut_and(struct lut_network *network, uint32_t left, uint32_t right);
uint32_t lut_xor(struct lut_network *network, uint32_t left, uint32_t right);
uint32_t lut_mux(struct lut_network *network, uint32_t choice, uint32_t one, uint32_t zero);

unsigned lut_gate_args(enum lut_gate gate);
/* marks[node]: it is an output, or a gate that is needed reads it.  [nodes.len], the caller's to
 * free. */
bool *lut_needed(const struct lut_network *network);
/* Gates that outputs need, by kind. */
void lut_count_gates(const struct lut_network *network, uint64_t counts[LUT_GATES]);

/* What a gate costs on a target, in any unit. */
struct lut_costs {
    uint64_t gate[LUT_GATES];
};
uint64_t lut_cost(const struct lut_network *network, const struct lut_costs *costs);

#endif
