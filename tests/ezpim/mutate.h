/* SPDX-License-Identifier: MIT
 * Damaged programs: texts of a language with bytes, stretches and words of it put in, taken out and
 * taken from others. */
#ifndef TESTS_EZPIM_MUTATE_H
#define TESTS_EZPIM_MUTATE_H

#include "support/str.h"
#include "support/vec.h"
#include "tests/ezpim/expr.h"

/* Programs that mutants are made of. */
struct seeds {
    VEC(struct str) texts;
};

/* All files of the folder whose names end so. */
void seeds_add_folder(struct seeds *s, const char *folder, const char *suffix);
void seeds_free(struct seeds *s);

/* Appends to *text what becomes of seed `number` with one change to four; pieces[count] are what
 * changes put in. */
void mutant(const struct seeds *s, uint64_t number, const char *const *pieces, size_t count,
            struct str *text);

#endif
