/* SPDX-License-Identifier: MIT
 * What the checker says of statements that exchange elements. */
#ifndef EZPIM_EZ_MOVE_H
#define EZPIM_EZ_MOVE_H

#include "ezpim/ez/unit.h"

/* move target = source; registers are filled in when they are known. */
struct ez_move {
    struct ez_symbol *to, *from;
    uint32_t element; /* of a target without a group */
    struct move record;
};

enum reduction_kind {
    REDUCE_SUM,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR,
    REDUCE_ANY,
    REDUCE_ALL,
    REDUCE_COUNT,
    REDUCE_ARGMIN,
    REDUCE_ARGMAX,
    REDUCE_SCAN, /* prefix sums: not one value, but one for each element */
    REDUCE_KINDS
};

/* target = sum(value) and its kin, over all elements of a group. */
struct ez_reduction {
    enum reduction_kind kind;
    struct expr *value;
    struct ez_symbol *target, *group;
    uint32_t element;           /* of the target */
    struct mpu_type type;       /* at which it works */
    struct ez_symbol *own[2];   /* what an element has so far: value, index */
    struct ez_symbol *other[2]; /* what it takes in */
    struct ez_symbol *left;     /* elements that are left to fold, along a size; or NULL */
};

/* The coordinates of a group: those of the MPU grid, then its own. */
uint32_t ez_group_dims(const struct unit *u, const struct ez_symbol *group);
/* How far coordinate d goes. */
struct extent ez_group_extent(const struct unit *u, const struct ez_symbol *group, uint32_t d);

#endif
