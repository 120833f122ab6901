/* SPDX-License-Identifier: MIT
 * Technologies drawn at random, as somebody might write them after docs/technology.md: gate sets,
 * rows, conditions, sections, masks.  Their lines of micro-ops can be put in another order, and one
 * added. */
#ifndef TESTS_RECIPE_TECHNOLOGY_H
#define TESTS_RECIPE_TECHNOLOGY_H

#include "support/str.h"

#include <stdbool.h>
#include <stdint.h>

#define TECHNOLOGY_LINES 24

struct technology {
    uint64_t seed;
    unsigned shape, sections;
    bool own_latch;  /* for the mask, lm */
    bool to_rows;    /* gates and copies of a section write none of its buffers */
    struct str head; /* all but the micro-ops */
    char *lines[TECHNOLOGY_LINES];
    unsigned count;
};

/* sections: 0: any of 1, 2, 3, 8, 32, 33, 64. */
void technology_draw(struct technology *technology, uint64_t seed, unsigned sections);
/* One that does nothing that is needed: a second name for a micro-op, or one more gate. */
void technology_add_line(struct technology *technology);
void technology_shuffle(struct technology *technology);
/* The caller frees it. */
struct str technology_text(const struct technology *technology);
void technology_free(struct technology *technology);

#endif
