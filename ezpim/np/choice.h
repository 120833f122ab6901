/* SPDX-License-Identifier: MIT
 * Which axes of arrays lie in registers.  The first walk notes how the first and the last axis of
 * each array are used, where they have at most 16 elements; axes that meet go the same way.  One
 * that is indexed by numbers, stacked or reduced, and otherwise only met by its like, lies in
 * registers.  Comments `# layout: x = ..` overrule that. */
#ifndef EZPIM_NP_CHOICE_H
#define EZPIM_NP_CHOICE_H

#include "ezpim/np/value.h"
#include "support/vec.h"

enum np_layout { NP_LAYOUT_LANES, NP_LAYOUT_REGISTERS, NP_LAYOUT_SPLIT };

/* `# layout: name = ..` */
struct np_wish {
    const char *name;
    struct span at, name_at, number_at;
    enum np_layout layout;
    uint64_t number; /* of registers, split */
    bool used;
};

/* The first or the last axis of an array. */
struct np_side {
    uint32_t axis, extent;
    uint32_t like;  /* another one with which it goes, or itself */
    uint32_t split; /* a comment splits one of those with which it goes; or 0 */
    bool free;      /* the array may lie otherwise than in lanes */
    bool counted;   /* it is written at the counter of a loop */
    bool against;   /* something else than the above is done with it, */
    bool wanted;    /* and one of the above */
};

/* By the numbers of storages, which all walks give alike. */
struct np_choices {
    VEC(struct np_wish) wishes;
    VEC(struct np_side) sides; /* first and last axis of each */
    VEC(struct np_lay) lays;
};

struct np_unit;
/* Reads the file's comments. */
void np_find_wishes(struct np_unit *u);
/* Storages that are made: whether an axis may lie in registers. */
void np_note_storage(struct np_unit *u, const struct np_storage *s, bool free);
/* A name that an array is bound to. */
void np_note_name(struct np_unit *u, const char *name, const struct np_storage *s);
/* The array is read beside y, whose axis target[v] its axis v goes along (-1: none); or (NULL) for
 * something else. */
void np_note_meeting(struct np_unit *u, const struct np_array *a, const struct np_storage *y,
                     const int *target);
/* It is folded along that axis, or ARRAY_ALL. */
void np_note_fold(struct np_unit *u, const struct np_array *a, uint32_t axis);
/* One axis of the storage is written at a number. */
void np_note_stacked(struct np_unit *u, const struct np_array *view);
/* After the first walk; true if some array has an axis in registers. */
bool np_choose(struct np_unit *u);
/* What became of it. */
struct np_lay np_lay_of(const struct np_unit *u, uint32_t serial);
/* What was noted, not the wishes. */
void np_choices_clear(struct np_choices *c);
void np_choices_free(struct np_choices *c);

#endif
