/* SPDX-License-Identifier: MIT
 * A table as text for people, or as comma-separated values. */
#ifndef TOOLS_MPU_RECIPE_SHEET_H
#define TOOLS_MPU_RECIPE_SHEET_H

#include "support/arena.h"
#include "support/str.h"
#include "support/vec.h"

/* Zeroed but for `columns` it is empty; the first row is the heading. */
struct recipe_sheet {
    unsigned columns;
    struct arena arena;
    VEC(const char *) cells; /* row by row */
};

void table_text(struct recipe_sheet *t, const char *cell);
void table_number(struct recipe_sheet *t, uint64_t n);
/* b / a with three decimals; "-" where a is 0. */
void table_ratio(struct recipe_sheet *t, uint64_t a, uint64_t b);
/* Columns two blanks apart, numbers flush right. */
void table_print(const struct recipe_sheet *t, struct str *out);
void table_print_csv(const struct recipe_sheet *t, struct str *out);
void table_print_markdown(const struct recipe_sheet *t, struct str *out);
void table_free(struct recipe_sheet *t);

#endif
