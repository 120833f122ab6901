/* SPDX-License-Identifier: MIT
 * Inside the checker: what the files that check `move` share. */
#ifndef EZPIM_EZ_CHECK_MOVE_H
#define EZPIM_EZ_CHECK_MOVE_H

#include "ezpim/ez/check_top.h"
#include "ezpim/ez/move.h"

/* The indices that number the elements of one side, by name. */
struct indices {
    struct ez_name names[MOVE_MAX_DIMS]; /* text NULL: a coordinate without a name */
    uint32_t count;                      /* all coordinates, that of registers included */
    const char *side;                    /* "target"; of a scatter "source" */
};

/* coeff * indices + offset + size_coeff * size */
struct affine {
    ez_number coeff[MOVE_MAX_DIMS], lap[MOVE_MAX_LAPS], offset, size_coeff;
    uint32_t size;
};

/* All of these are false after reporting. */

bool ez_move_affine(struct checker *checker, struct expr *expr, const struct indices *indices,
                    struct affine *affine);
/* Coordinates of a variable without the index of its registers. */
uint32_t ez_move_dims_of(const struct checker *checker, const struct ez_symbol *symbol);
/* How many indices stand there.  An array without its last index is all of its registers. */
bool ez_move_count_indices(struct checker *checker, const struct expr *expr,
                           const struct ez_symbol *symbol);

/* ---- check_index.c ---- */

/* Whether an index of the target is what a variable holds; reports nothing. */
bool ez_move_scatters(struct checker *checker, const struct stmt *stmt);
/* Whether elements can be sent to `to`. */
bool ez_move_may_scatter(struct checker *checker, const struct stmt *stmt,
                         const struct ez_symbol *to);
/* Which of the indices of `far` a variable holds, to *indexed; it and its register to `move`.
 * `indices`: those of the side beside which it lies. */
bool ez_move_check_index(struct checker *checker, const struct ez_symbol *near,
                         const struct expr *far, const struct indices *indices,
                         struct ez_move *move, uint32_t *indexed);
/* Whether `clip` and `else` go with the move. */
bool ez_move_outside_allowed(struct checker *checker, const struct stmt *stmt,
                             const struct move *move);

/* check_index.c: whether an index of a move is one that a variable holds. */
bool ez_move_is_variable(struct checker *checker, const struct expr *expr);

/* move_clip.c: whether the move is clipped by fixed offsets; it becomes several moves then, the
 * others behind it.  False after reporting. */
bool ez_move_clips_fixed(struct checker *checker, const struct stmt *stmt);
bool ez_move_write_out_clip(struct checker *checker, struct stmt *stmt, const struct ez_symbol *to,
                            const struct ez_symbol *from);

#endif
