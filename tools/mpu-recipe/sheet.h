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

void sheet_text(struct recipe_sheet *sheet, const char *cell);
void sheet_number(struct recipe_sheet *sheet, uint64_t n);
/* right / left with three decimals; "-" where left is 0. */
void sheet_ratio(struct recipe_sheet *sheet, uint64_t left, uint64_t right);
/* Columns two blanks apart, numbers flush right. */
void sheet_print(const struct recipe_sheet *sheet, struct str *out);
void sheet_print_csv(const struct recipe_sheet *sheet, struct str *out);
void sheet_print_markdown(const struct recipe_sheet *sheet, struct str *out);
void sheet_free(struct recipe_sheet *sheet);

#endif
