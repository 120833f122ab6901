/* SPDX-License-Identifier: MIT
 * Which functions of at most three planes a graph is computed by: those of the least flow of area
 * (each node's cost shared among its users), in some rounds, then those of the least exact area, as
 * in the mapping of logic to lookup tables. */
#include "machines/plane/run/functions.h"

/* The first round knows who made a node, the later one who uses it.  A second exact one saves no
 * step in 1,000. */
#define ROUNDS       2
#define EXACT_ROUNDS 1
/* Nodes that an exact round walks over, for each node of the graph, before it leaves the others as
 * they are: in a chain of which each value is read once all walks go to its end. */
#define EXACT_WALK 256

static uint64_t flow_of(const struct plane_node *nodes, const struct plane_cut *cut) {
    uint64_t flow = 0;
    for (unsigned k = 0; k < cut->count; k++)
        flow = sat_add(flow, nodes[cut->leaf[k]].share);
    return flow;
}

static void choose_cuts(struct plane_functions *functions) {
    struct plane_node *nodes = functions->nodes.data;
    for (size_t i = 0; i < functions->nodes.len; i++) {
        struct plane_node *n = &nodes[i];
        uint64_t least = UINT64_MAX;
        for (unsigned c = 0; c < n->count; c++) {
            uint64_t flow = flow_of(nodes, &n->cut[c]);
            if (flow < least) {
                least = flow;
                n->best = c;
            }
        }
        n->flow = n->count ? sat_add(least, PLANE_STEP_COST) : 0;
        n->share = n->users > 1 ? n->flow / n->users : n->flow;
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

/* Nodes that are computed only for this cut; from here on (by = 1) it uses its leaves, or no longer
 * (by = -1).  Chains of a million nodes are no deeper on the stack than others.  Which nodes they
 * are does not depend on the order: those whose users become some, or none. */
static uint32_t use(struct plane_functions *functions, const struct plane_cut *cut, int by,
                    uint64_t *walked) {
    struct plane_node *nodes = functions->nodes.data;
    uint32_t area = 0;
    vec_clear(&functions->todo);
    for (;;) {
        area++;
        for (unsigned k = 0; k < cut->count; k++) {
            struct plane_node *leaf = &nodes[cut->leaf[k]];
            uint32_t before = leaf->users;
            leaf->users += (uint32_t)by;
            if (leaf->count && (by > 0 ? before : leaf->users) == 0)
                vec_push(&functions->todo, cut->leaf[k]);
        }
        if (functions->todo.len == 0) {
            *walked += area;
            return area;
        }
        const struct plane_node *next = &nodes[functions->todo.data[--functions->todo.len]];
        cut = &next->cut[next->best];
    }
}

/* Each node that has users by the cut that takes fewest nodes beside those that others use. */
static void choose_exactly(struct plane_functions *functions) {
    uint64_t walked = 0;
    for (size_t i = 0; i < functions->nodes.len && walked < EXACT_WALK * functions->nodes.len;
         i++) {
        struct plane_node *n = &functions->nodes.data[i];
        uint32_t least = 0;
        if (!n->users || n->count < 2)
            continue;
        least = use(functions, &n->cut[n->best], -1, &walked);
        for (unsigned c = 0; c < n->count; c++) {
            uint32_t area = use(functions, &n->cut[c], 1, &walked);
            use(functions, &n->cut[c], -1, &walked);
            if (area < least) {
                least = area;
                n->best = c;
            }
        }
        use(functions, &n->cut[n->best], 1, &walked);
    }
}

void plane_functions_cover(struct plane_functions *functions) {
    for (unsigned round = 0; round < ROUNDS; round++) {
        choose_cuts(functions);
        count_users(functions);
    }
    for (unsigned round = 0; round < EXACT_ROUNDS; round++)
        choose_exactly(functions);
}
