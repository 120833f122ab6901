/* SPDX-License-Identifier: MIT
 * Bits of registers are rows: what a program takes of a lane, and what its instructions leave. */
#ifndef EZPIM_ROWS_H
#define EZPIM_ROWS_H

#include "object/object.h"

/* What most programs are left with (MUL.64, ADD.64 under a mask). */
#define ROWS_USUAL 870

/* Bits of all registers, as the linker counts them. */
uint32_t rows_taken(const struct object *o);
/* Rows that every built-in target has for registers beside what the object's instructions need for
 * scratch there (rows.csv).  An object that is not linked yet may be called from anywhere: what
 * none of its own ensembles comes to counts as masked too. */
uint32_t rows_left(const struct object *o);

#endif
