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
    uint64_t share; /* flow among its users: what each of them bears */
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

/* Nodes by their functions.  A function of which leaf n is the last one has its slot among the
 * PLANE_SEEN_WINDOW from 8 * n on, the first that was free behind its own place: what is made of
 * what was made lately lies together.  Where these are taken it is in `far`.
 * Invariant: a slot in front of that of a function, from its own place on, is taken. */
#define PLANE_SEEN_SLOTS  8 /* of a node: it has up to PLANE_CUTS functions */
#define PLANE_SEEN_WINDOW 32
struct plane_seen {
    VEC(uint64_t) slots; /* 0, or 1 + number of the function, above that 32 bits of its hash */
    struct {
        struct plane_seen_cut {
            struct plane_cut_key key;
            uint32_t node;
        } * data;
        size_t len, cap; /* works with vec_push and vec_free */
    } cuts;
    HASH_TABLE(struct plane_cut_key, uint32_t) far; /* to nodes */
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
    struct plane_seen seen;
    VEC(struct plane_content) tile, scratch; /* by slot */
    VEC(uint32_t) written;                   /* planes of the tile, once each */
    VEC(uint32_t) todo;                      /* of a walk */
    VEC(struct plane_result) results;
    bool unknown; /* a step reads scratch that no step has written: the graph holds nothing */
};

/* --- functions.c --- */
/* Reads steps; results are those planes of the tile that change. */
void plane_functions_read(struct plane_functions *functions, const struct plane_step *steps,
                          size_t count);
void plane_functions_free(struct plane_functions *functions);
/* Of a plane of the tile that some step has named. */
static inline const struct plane_content *
plane_functions_content(const struct plane_functions *functions, uint32_t operand) {
    return &functions->tile.data[operand / PLANE_STRIDE];
}

/* --- cuts.c --- */
/* The truth table where leaf k is its opposite. */
uint8_t plane_truth_flip(uint8_t truth, unsigned k);
/* f(x, y, z), eight entries at once. */
uint8_t plane_truth_apply(uint8_t f, uint8_t x, uint8_t y, uint8_t z);
/* Leaves that the function does not depend on go out. */
void plane_cut_shrink(struct plane_cut *cut);
/* Leaves of a function of any order. */
void plane_cut_sort(struct plane_cut *cut);
/* The function of `direct` with part[k], whose leaves are sorted, in the place of its leaf k; false
 * where that has more than three leaves. */
bool plane_cut_compose(const struct plane_cut *direct, const struct plane_cut *const part[3],
                       struct plane_cut *out);

/* --- seen.c --- */
/* Nothing is seen; there are no nodes. */
void plane_seen_clear(struct plane_seen *seen);
void plane_seen_free(struct plane_seen *seen);
/* There are so many nodes now: leaves of functions that come. */
void plane_seen_grow(struct plane_seen *seen, size_t nodes);
/* The node that has this function of two leaves or three; PLANE_VALUE_NONE. */
uint32_t plane_seen_node(const struct plane_seen *seen, const struct plane_cut *cut);
/* From now on it is this one. */
void plane_seen_put(struct plane_seen *seen, const struct plane_cut *cut, uint32_t node);

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
