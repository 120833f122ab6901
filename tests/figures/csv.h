/* SPDX-License-Identifier: MIT
 * Comma-separated values with quotes (RFC 4180) as rows of texts. */
#ifndef TESTS_FIGURES_CSV_H
#define TESTS_FIGURES_CSV_H

#include "support/arena.h"
#include "support/str.h"
#include "support/vec.h"

struct csv_row {
    unsigned line; /* of its begin, from 1 */
    const char **fields;
    size_t count;
};
struct csv {
    VEC(struct csv_row) rows;
};

/* Lines that are empty or begin with # are left out.  False with *why and *line set. */
bool csv_parse(const char *text, struct arena *a, struct csv *out, const char **why,
               unsigned *line);
/* Appends a field, quoted where it has to be. */
void csv_field(const char *text, struct str *out);
/* The place of a column that the first row names; -1 if there is none. */
int csv_column(const struct csv *c, const char *name);
void csv_free(struct csv *c);

#endif
