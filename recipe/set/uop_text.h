/* SPDX-License-Identifier: MIT
 * Planes and micro-ops as text for people: "NOR t3 <- r1[0], t2". */
#ifndef RECIPE_SET_UOP_TEXT_H
#define RECIPE_SET_UOP_TEXT_H

#include "recipe/technology/plane_target.h"
#include "recipe/set/uop.h"

/* A plane as section `here` sees it: r1[5]; C, M, valid; zero, one; t3 (scratch row 3 of that
 * section, t3@7 that of section 7), or by its name if its class has only this one; up0 (carry 0 in
 * the section's incoming buffer from the previous section, down0 from the next one; up0@7 in the
 * buffer of section 7). */
void recipe_plane_text(const struct target *target, uint32_t plane, unsigned here, struct str *out);
/* The name of a scratch row: t3, or that of its class if it has only this one. */
void recipe_scratch_row_text(const struct target *target, unsigned row, struct str *out);
/* True if a command that activates rows reads or writes operand index (sources first) through its
 * negated wordline. */
bool recipe_operand_is_inverted(const struct target_op *op, unsigned index);
/* "NOR t3 <- r1[0], t2", rows behind negated wordlines as "!DCC0", with " if M" where it is
 * predicated and " x 4, stride 64" where it repeats. */
void recipe_uop_text(const struct target *target, const struct uop *uop, struct str *out);

#endif
