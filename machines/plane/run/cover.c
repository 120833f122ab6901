/* SPDX-License-Identifier: MIT
 * Which functions of at most three planes a graph is computed by: those of the least flow of area
 * (each node's cost shared among its users), in some rounds, as in the mapping of logic to lookup
 * tables. */
#include "machines/plane/run/functions.h"

/* The first round knows who made a node, later ones who uses it. */
#define ROUNDS 3

static void choose_cuts(struct plane_functions *functions) {
    for (size_t i = 0; i < functions->nodes.len; i++) {
        struct plane_node *n = &functions->nodes.data[i];
        uint64_t least = UINT64_MAX;
        for (unsigned c = 0; c < n->count; c++) {
            uint64_t flow = plane_cut_flow(functions, &n->cut[c]);
            if (flow < least) {
                least = flow;
                n->best = c;
            }
        }
        n->flow = n->count ? sat_add(least, PLANE_STEP_COST) : 0;
    }
}

/* A node's leaves have smaller numbers. */
static void count_users(struct plane_functions *functions) {
    struct plane_node *nodes = functions->nodes.data;
    for (size_t i = 0; i < functions->nodes.len; i++)
        nodes[i].users = 0;
    for (size_t i = 0; i < functions->results.len; i++)
        nodes[functions->results.data[i].value / 2].users++;
    for (size_t i = functions->nodes.len; i-- > 0;) {
        const struct plane_cut *cut = &nodes[i].cut[nodes[i].best];
        for (unsigned k = 0; nodes[i].users && nodes[i].count && k < cut->count; k++)
            nodes[cut->leaf[k]].users++;
    }
}

void plane_functions_cover(struct plane_functions *functions) {
    for (unsigned round = 0; round < ROUNDS; round++) {
        choose_cuts(functions);
        count_users(functions);
    }
}
