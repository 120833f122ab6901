/* SPDX-License-Identifier: MIT
 * What the files that make copies of moves share. */
#ifndef LINKER_MOVES_COPIES_H
#define LINKER_MOVES_COPIES_H

#include "linker/package/pack.h"

/* Lanes 0 .. count - 1 of a VRF; named: a group of the move's scope lies there. */
struct lanes_of_vrf {
    uint32_t vrf, count;
    bool named;
};

/* Placements of one group. */
struct placed {
    const struct placement *list; /* [count], ascending by first element */
    size_t count;
};

/* Where a run of steps stands. */
struct step_position {
    uint64_t dst, src;
    uint32_t dst_reg, src_reg;
};

struct maker {
    const struct package *p;
    const struct target *t;
    const struct move *m; /* from its near side */
    struct placed dst, src;
    const struct lanes_of_vrf *everywhere; /* [everywhere_count]: VRFs of the scope, ascending */
    size_t everywhere_count;
    VEC(struct move_copy) copies;
    struct move_limits limits;
    size_t most; /* of them; then `full` is set and no more are made */
    bool full;
    const char *problem;
    /* What becomes of as many steps as stay in one register of one VRF, of `most`: how many they
     * are; 0 after a problem, or when it is full. */
    uint64_t (*add)(struct maker *k, const struct move_piece *x, const struct step_position *at,
                    const struct move_axis *step, uint64_t most);
};

/* The steps of a piece through k->add; false when there are too many, or after a problem. */
bool package_move_add_piece(struct maker *maker, const struct move_piece *piece);
/* Numbered as in move_copy. */
uint32_t package_move_vrf(const struct package *package, const struct placement *placement);
struct placed package_move_placed(const struct package *package, uint32_t group);
/* NULL if the group has no such element. */
const struct placement *package_move_element(const struct placed *placed, uint64_t e);
/* Steps, the first included, of `most`, that stay in lanes 0 .. count - 1. */
uint64_t package_move_room(uint64_t lane, uint32_t count, int64_t step, uint64_t most);
/* True if right goes on where left ends, and was added to it. */
bool package_move_append(struct move_copy *left, const struct move_copy *right);
/* MPU, and RFH where those work at the same time: what one controller does in a row.  The MPU is in
 * the upper 32 bits. */
uint64_t package_move_station(const struct maker *maker, uint32_t vrf);
/* All steps of a plan through k->add; false when there are too many, or after a problem. */
bool package_move_walk(struct maker *maker, const struct move_plan *plan);
/* The plan of the package, or that of a lap.  False with *problem set. */
bool package_move_find_plan(const struct package *package, const struct object *program,
                            uint32_t move, const uint64_t *laps, struct arena *arena,
                            struct move_plan *plan, const char **problem);
/* What copies bring from one MPU to another. */
void package_move_list_crossings(const struct maker *maker, const struct move_copy *copies,
                                 size_t count, struct arena *arena, struct move_work *out);

/* By what copies are in order, and charged. */
struct copy_key {
    uint64_t station, dst,
        src; /* MPU and RFH; VRF and register; likewise, UINT64_MAX: a constant */
    uint32_t index;
};
/* Keys of copies, the way they are to be in order; both have room for `count`. */
void package_move_copies_sort(const struct maker *maker, const struct move_copy *copies,
                              size_t count, struct copy_key *keys, struct move_copy *sorted);

/* All copies of a plan, part after part, without keeping them; in `arena`. */
struct move_walk *package_move_walk_new(const struct maker *maker, const struct move_plan *plan,
                                        struct arena *arena);

/* What copies cost that come in order, MPU after MPU. */
struct charger;
struct charger *package_move_charger_new(const struct maker *maker, struct arena *arena);
void package_move_charger_add(struct charger *charger, const struct copy_key *keys, size_t count);
/* Fills charges; frees the charger. */
void package_move_charger_end(struct charger *charger, struct move_work *out);

/* ---- indexed.c ---- */

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
struct indexed_coordinate package_move_indexed_coordinate(const struct object *object,
                                                          const int64_t *sizes, uint32_t move);

#endif
