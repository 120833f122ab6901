/* SPDX-License-Identifier: MIT
 * Prefix sums and their kin, along an axis of a group or over all its elements.
 *
 * Up to 8 neighbours, a block, come into registers of one element in a group an eighth as long;
 * that folds them, and so on with the results.  On the way back each block begins with what stands
 * in front of it and goes on with what its elements had, and its registers go to where they came
 * from: 2 R(n) (1 + 1/8 + ...) registers are moved.  Few elements, and those above two such levels,
 * take in what lies 1, 2, 4 ... before them: that takes as many steps as further levels, but only
 * two registers, and moves none that are nearly empty.  Where registers are short, blocks are
 * shorter, and at last there are none.  Nor are there any of sums and products of floating point,
 * which depend on their order: element i takes in element i - 1, then i - 2, i - 4 and so on, where
 * there are such.  Elements outside of the axis never count: they are
 * identities.
 *
 * Elements of a block go back as one move where blocks do not cut lines, or there is one line; else
 * they go by a group of lines that are as long as their blocks. */
#ifndef EZPIM_ARRAY_PREFIX_SUM_H
#define EZPIM_ARRAY_PREFIX_SUM_H

#include "ezpim/array/fold.h"

enum { SCAN_LEVELS = 2 };

struct array_scan {
    struct array_fold fold; /* kind (not argmin, argmax), from, type; own: at first each element's
                               value.  An exclusive scan begins with the identity of `type` */
    bool exclusive;         /* without the element's own value */
    uint32_t group, axis;   /* axis: or ARRAY_ALL, the elements of all MPUs in their order */
    uint32_t room;          /* registers that it may have, 2 at least */
    struct array_view view;
    uint32_t levels, parts[SCAN_LEVELS];  /* of blocks */
    struct extent along[SCAN_LEVELS + 1]; /* elements along the axis: of the group, of each level */
    uint64_t most;                        /* ... of the highest level, at most */
};

/* Chooses where elements have their own values: before the scan each must get one, of type
 * fold.from, in its register array_fold_element(&scan->fold) of ensembles over the group. */
void array_scan_begin(struct ir_builder *builder, struct array_scan *scan);
/* Takes the value of each element from a variable of the group, which stays as it is, where that is
 * possible. */
bool array_scan_borrow(struct ir_builder *builder, struct array_scan *scan,
                       const struct array_value *value);
/* Scans.  The results come to `to`, of type fold.type in a variable of the group; one that was
 * lent may be it. */
void array_scan_run(struct ir_builder *builder, const struct array_scan *scan,
                    const struct array_value *to, struct span at);

#endif
