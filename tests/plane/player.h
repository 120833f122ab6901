/* SPDX-License-Identifier: MIT
 * Crossbars of PyPIM that play the words of its host one by one, with data and with what each class
 * of words is counted as: a model of the tests' own, beside which the strict engine runs. */
#ifndef TESTS_PLANE_PLAYER_H
#define TESTS_PLANE_PLAYER_H

#include "machines/plane/run/host_stream.h"
#include "recipe/set/recipe.h"
#include "recipe/set/set.h"

#define ROWS      1024u /* of a crossbar */
#define LOG_ROWS  10u
#define REGISTERS 32u
#define WIDTH     32u

/* Words and cells of a class; masks touch none. */
struct classes {
    uint64_t mask, rw, rw_cells, logic, gates, move, move_cells;
};

struct player {
    struct target *target;
    struct recipe_set *set;
    struct plane_crossbar form;
    struct plane_selected selected;
    uint32_t crossbars; /* that hold data */
    uint32_t *mem;      /* [crossbars][REGISTERS][ROWS] */
    struct classes counts;
    /* For the strict engine: what was there before, and what was sent; of moves beyond the tree
     * two. */
    uint32_t *before;
    VEC(uint64_t) sent;
};

/* With the recipes of `arith: compat`. */
struct player *player_open(void);
void player_close(struct player *p);

/* 2^m elements at random below 2^bits and with a sign, in all registers.  The library's host wrote
 * them one by one, so that the last one is still selected. */
void player_start(struct player *p, unsigned m, unsigned bits);
/* Element i of all crossbars. */
uint32_t *player_element(const struct player *p, uint32_t reg, uint32_t i);

/* Counts the word, which has to keep the strict rules, and carries it out on the data of what is
 * selected; gates are player_routine's. */
void player_play(struct player *p, const struct plane_word *w);
/* Sends nothing if that is selected. */
void player_select(struct player *p, enum plane_word_kind kind, uint32_t start, uint32_t stop,
                   uint32_t step);
/* From `start` on, every `step`-th of those that hold data. */
void player_crossbars(struct player *p, uint32_t start, uint32_t step);
void player_lanes(struct player *p, uint32_t start, uint32_t step);
void player_all(struct player *p);
void player_move(struct player *p, uint32_t from_reg, uint32_t from_row, uint32_t crossbar,
                 uint32_t to_reg, uint32_t to_row);
void player_write(struct player *p, uint32_t reg, uint32_t value);

/* x op y to z; SEL keeps its choice in z. */
void player_routine(struct player *p, const char *name, uint32_t x, uint32_t y, uint32_t z);
/* x or y to z, as bit 0 of c says.  The driver's choice has four registers and leaves c in all bits
 * of c; SEL has one for c and z, which its last preset and gate write. */
void player_choose(struct player *p, uint32_t c, uint32_t x, uint32_t y, uint32_t z);

/* From here on what is played is carried out on the strict engine as well. */
void player_begin_strict(struct player *p);
/* Runs what was sent on a machine of 64 crossbars, and compares all that is there. */
void player_end_strict(struct player *p);

#endif
