/* SPDX-License-Identifier: MIT
 * The steps of a run as a graph of functions of planes, and back to fewer steps.  Functions come
 * from the truth tables of the steps and from nothing else. */
#ifndef MACHINES_PLANE_FUNCTIONS_H
#define MACHINES_PLANE_FUNCTIONS_H

#include "machines/plane/run/translate.h"

/* A function of up to three earlier nodes by its truth table; entry i is that of bit k of i for
 * leaf k, table bits beyond the leaves repeat.  Leaves are sorted. */
struct plane_cut {
    uint32_t leaf[3];
    uint8_t truth, count;
};

/* The most functions that are kept of a node, the direct one among them. */
#define PLANE_CUTS 5

/* A value of a plane.  Invariant: where all planes that the run finds are 0, a node is 0, so of a
 * function and its opposite there is one node. */
struct plane_node {
    uint32_t plane; /* count == 0: operand of the tile's plane that it is at first */
    uint32_t count; /* of cuts; 0: a plane as it is at first, or (node 0) zeros */
    struct plane_cut cut[PLANE_CUTS];
    uint32_t users; /* nodes that are made of it, or computed from it */
    uint32_t best;  /* the cut that it is computed by, once the graph is covered */
    uint64_t flow;  /* an estimate of what it costs, with what it is made of */
};

/* A node or its opposite: 2 * node + (1: the opposite).  0 is zeros, 1 is ones. */
typedef uint32_t plane_value;
#define PLANE_VALUE_NONE UINT32_MAX

/* What a plane of the tile gets in the end. */
struct plane_result {
    uint32_t plane;
    plane_value value;
};

struct plane_cut_key {
    uint32_t leaf[3];
    uint32_t truth;
};

/* What an operand holds now, and held at first (PLANE_VALUE_NONE: nobody read it). */
struct plane_content {
    plane_value value, first;
    bool known, written;
};

/* What a step costs beside what flows into it, in the unit of flow. */
#define PLANE_STEP_COST 64

/* Zeroed at its start; cleared and used again. */
struct plane_functions {
    VEC(struct plane_node) nodes;
    HASH_TABLE(struct plane_cut_key, uint32_t) known; /* node of a function */
    HASH_TABLE(uint32_t, struct plane_content) planes;
    VEC(uint32_t) written; /* planes of the tile, once each */
    VEC(struct plane_result) results;
    bool unknown; /* a step reads scratch that no step has written: the graph holds nothing */
};

/* --- functions.c --- */
/* Reads steps; results are those planes of the tile that change. */
void plane_functions_read(struct plane_functions *functions, const struct plane_step *steps,
                          size_t count);
void plane_functions_free(struct plane_functions *functions);
/* The truth table where leaf k is its opposite. */
uint8_t plane_truth_flip(uint8_t truth, unsigned k);
/* f(x, y, z), eight entries at once. */
uint8_t plane_truth_apply(uint8_t f, uint8_t x, uint8_t y, uint8_t z);
/* Leaves that the function does not depend on go out. */
void plane_cut_shrink(struct plane_cut *cut);
/* What the leaves cost, shared by their users. */
uint64_t plane_cut_flow(const struct plane_functions *functions, const struct plane_cut *cut);

/* --- cover.c --- */
/* Chooses for each node that is needed by which of its functions it is computed (best), and counts
 * the nodes that are computed from it and the planes that get it (users). */
void plane_functions_cover(struct plane_functions *functions);

/* --- step_order.c --- */
/* Appends the steps of the nodes that have users, in an order in which no plane is overwritten that
 * is still to be read, and keeps in *scratch_slots the most slots that they take. */
void plane_functions_write(struct plane_functions *functions, struct step_list *steps,
                           uint32_t *scratch_slots);

#endif
