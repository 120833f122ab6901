/* SPDX-License-Identifier: MIT
 * How the pieces of a move become lanes of VRFs; for the files that do it. */
#ifndef LINKER_MOVE_MAKER_H
#define LINKER_MOVE_MAKER_H

#include "linker/pack.h"

/* Lanes 0 .. count - 1 of a VRF; named: a group of the move's scope lies there. */
struct lanes_of_vrf {
    uint32_t vrf, count;
    bool named;
};

/* The placements of one group. */
struct placed {
    const struct placement *list; /* [count], ascending by first element */
    size_t count;
};

/* Where a run of steps stands. */
struct at {
    uint64_t dst, src;
    uint32_t dst_reg, src_reg;
};

struct maker {
    const struct package *p;
    const struct target *t;
    const struct move *m; /* from its near side */
    struct placed dst, src;
    struct lanes_of_vrf *everywhere; /* [everywhere_count]: all VRFs of the scope, ascending */
    size_t everywhere_count;
    VEC(struct move_copy) copies;
    const char *problem;
    /* What becomes of as many steps as stay in one register of one VRF, of `most`: how many they
     * are; 0 after a problem. */
    uint64_t (*add)(struct maker *k, const struct move_piece *x, const struct at *at,
                    const struct move_axis *step, uint64_t most);
};

/* Numbered as in move_copy. */
uint32_t maker_vrf(const struct package *p, const struct placement *x);
struct placed maker_placed(const struct package *p, uint32_t group);
/* NULL if the group has no such element. */
const struct placement *maker_element(const struct placed *g, uint64_t e);
/* Steps, the first included, of `most`, that stay in lanes 0 .. count - 1. */
uint64_t maker_room(uint64_t lane, uint32_t count, int64_t step, uint64_t most);
/* True if b goes on where a ends, and was added to it. */
bool maker_append(struct move_copy *a, const struct move_copy *b);
/* MPU, and RFH where those work at the same time: what one controller does in a row.  The MPU is in
 * the upper 32 bits. */
uint64_t maker_station(const struct maker *k, uint32_t vrf);
/* All steps of a plan through k->add; false after a problem. */
bool maker_walk(struct maker *k, const struct move_plan *plan);
/* The charge of an MPU, made when first asked for; MPUs ascend. */
struct move_charge *maker_charge(struct move_charge *charges, size_t *count, uint32_t mpu);

/* A near coordinate. */
struct own_coordinate {
    uint64_t extent, stride; /* of the near side, in elements */
    uint64_t weight;         /* what its value is multiplied by */
};
/* The coordinate of a move that an index gives: its extent, and the elements and registers of the
 * far side from one value to the next.  Then what it is for far elements at the place of their near
 * ones, modulo its extent: the number of the near element among those that the other far
 * coordinates leave open; of a register that of the near one. */
struct indexed_coordinate {
    uint64_t extent;
    int64_t stride;
    int32_t reg;
    bool own_is_register;
    uint32_t own_count;
    struct own_coordinate own[MOVE_MAX_DIMS];
};
struct indexed_coordinate move_indexed_coordinate(const struct object *o, const int64_t *sizes,
                                                  uint32_t move);

#endif
