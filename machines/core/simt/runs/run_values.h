/* SPDX-License-Identifier: MIT
 * A run while its PTX is written. */
#ifndef MACHINES_CORE_SIMT_RUNS_RUN_VALUES_H
#define MACHINES_CORE_SIMT_RUNS_RUN_VALUES_H

#include "machines/core/simt/runs/runs.h"

/* Registers that have a value, by number; 0: none. */
struct simt_made {
    uint32_t reg;       /* %r, or of a pair %d */
    uint32_t mask;      /* %p */
    uint32_t low, high; /* %r: words of a pair */
};
struct simt_values {
    struct scalar_body *body;
    const struct simt_layout *layout;
    simt_run_tables tables;
    struct str out;
    struct simt_made *made;               /* [id] */
    uint32_t words, pairs, halves, masks; /* registers so far */
    uint32_t at[9];  /* %d by bytes: where the lane is in rows of such elements; 0: not yet */
    uint32_t source; /* of the last .loc */
};

/* A line. */
void simt_line_put(struct simt_values *values, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- run_values.c ---- */

/* What follows is for that line, if it is not already. */
void simt_source_put(struct simt_values *values, uint32_t source);

/* An operand as text: a register, or a number. */
struct simt_operand_text {
    char text[32];
};
struct simt_operand_text simt_operand_of(struct simt_values *values, scalar_id id);
/* Of a value of any kind as a predicate, %p. */
uint32_t simt_mask_of(struct simt_values *values, scalar_id id);
/* Of a pair its low word or its high one. */
struct simt_operand_text simt_half_of(struct simt_values *values, scalar_id id, bool high);
/* New registers; the value has them. */
uint32_t simt_new(struct simt_values *values, scalar_id id);
/* False: no W code computes such a value. */
bool simt_emit(struct simt_values *values, scalar_id id);

/* ---- run_floats.c ---- */
/* What W code has of them. */
bool simt_run_has_float(const struct scalar_routine *routine);
void simt_emit_call(struct simt_values *values, scalar_id id);

#endif
