/* SPDX-License-Identifier: MIT
 * What the files that make copies of moves share. */
#ifndef LINKER_MOVE_COPIES_H
#define LINKER_MOVE_COPIES_H

#include "linker/pack.h"

/* Lanes 0 .. count - 1 of a VRF. */
struct lanes_of_vrf {
    uint32_t vrf, count;
};

/* Placements of one group. */
struct placed {
    const struct placement *list; /* [count], ascending by first element */
    size_t count;
};

struct maker {
    const struct package *p;
    const struct target *t;
    const struct move *m;
    struct placed dst, src;
    const struct lanes_of_vrf *everywhere; /* [everywhere_count]: VRFs of all groups, ascending */
    size_t everywhere_count;
    VEC(struct move_copy) copies;
    struct move_limits limits;
    size_t most; /* of them; then `full` is set and no more are made */
    bool full;
    const char *problem;
};

/* Appends the copies of a piece; false when there are too many, or after a problem. */
bool move_add_piece(struct maker *k, const struct move_piece *x);
uint32_t move_vrf_of(const struct package *p, const struct placement *x);

/* By what copies are in order, and charged. */
struct copy_key {
    uint64_t station, dst,
        src; /* MPU and RFH; VRF and register; likewise, UINT64_MAX: a constant */
    uint32_t index;
};
/* Keys of copies, the way they are to be in order; both have room for `count`. */
void move_copies_sort(const struct maker *k, const struct move_copy *copies, size_t count,
                      struct copy_key *keys, struct move_copy *sorted);

/* All copies of a plan, part after part, without keeping them; in `arena`. */
struct move_walk *move_walk_new(const struct maker *k, const struct move_plan *plan,
                                struct arena *arena);

/* What copies cost that come in order, MPU after MPU. */
struct charger;
struct charger *move_charger_new(const struct maker *k, struct arena *arena);
void move_charger_add(struct charger *c, const struct copy_key *keys, size_t count);
/* Fills charges; frees the charger. */
void move_charger_end(struct charger *c, struct move_work *out);

#endif
