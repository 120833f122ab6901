/* SPDX-License-Identifier: MIT
 * Sizes and formulas of sizes (check_size.c). */
#ifndef EZPIM_EZ_CHECK_SIZE_H
#define EZPIM_EZ_CHECK_SIZE_H

#include "ezpim/ez/check.h"

void ez_decl_size(struct checker *checker, struct decl *decl);
/* A checked number that is no constant becomes a bare size: a formula the derived one that it is.
 * False of everything else, after reporting that a number is no formula. */
bool ez_check_size(struct checker *checker, struct expr *expr);
/* The same for a number of laps: what may be negative counts as 0 then. */
bool ez_check_laps(struct checker *checker, struct expr *expr);
/* A number in least..2^40, a size, or a formula of sizes; false after reporting that `what` is
 * none.
 */
bool ez_check_extent(struct checker *checker, struct expr *expr, uint64_t least, const char *what,
                     struct extent *extent);
/* The size that is left op right; one of them is a size. */
struct size_operand ez_derived(struct checker *checker, enum size_op op, struct size_operand left,
                               struct size_operand right, struct span at);

#endif
