/* SPDX-License-Identifier: MIT
 * What a few micro-ops make on a few cells: all sequences, breadth first over what the cells hold.
 * It shares nothing with the mapping's search but the target. */
#ifndef TESTS_RECIPE_CELLS_H
#define TESTS_RECIPE_CELLS_H

#include "recipe/technology/plane_target.h"

#define CELLS_MOST_OPS 6
#define CELLS          5

enum cells_answer {
    CELLS_NEVER, /* all sequences were tried */
    CELLS_FOUND,
    CELLS_TOO_MANY /* more states than are kept: the question stays open */
};

/* Does a sequence of at most CELLS_MOST_OPS micro-ops on CELLS cells, one of them a register's,
 * give a register the function of so many inputs in registers?  Of several sections that are apart
 * this asks for one of them, whose buffer is a cell. */
enum cells_answer cells_make(const struct target *target, uint8_t truth, unsigned inputs);
/* The same without the buffer. */
enum cells_answer cells_make_in_rows(const struct target *target, uint8_t truth, unsigned inputs);

#endif
