/* SPDX-License-Identifier: MIT
 * What forms do to rows: the values that 32 lanes have of one register. */
#ifndef MACHINES_CORE_SIMT_RUN_ROWS_H
#define MACHINES_CORE_SIMT_RUN_ROWS_H

#include "ptx/forms.h"

#define SIMT_LANES 32u

/* A row of a register of at most 32 bits, or of 64 bits; a predicate is a bit for each lane. */
enum simt_row_kind { SIMT_ROW_NONE, SIMT_ROW_32, SIMT_ROW_64, SIMT_ROW_PREDICATE };

/* Writes all lanes of d, a row that may be a source too. */
typedef void simt_row_fn(void *d, const void *a, const void *b, const void *c);

enum simt_row {
#define ROW(name, op, types, when, result, a, b, c, value) SIMT_ROW_##name,
#define LINE(name, op, types, when, a, value)              SIMT_ROW_##name,
#include "machines/core/simt/run/rows.def"
    SIMT_ROWS
};
struct simt_row_shape {
    uint8_t result, source[3]; /* enum simt_row_kind */
};
/* The function of a form, whose result has a register of so many bits; SIMT_ROWS: it has none. */
enum simt_row simt_row_find(enum ptx_op op, const struct ptx_modifiers *m, unsigned bits);
struct simt_row_shape simt_row_shape(enum simt_row row);

/* All of them for one instruction set of the host; results are the same. */
struct simt_rows {
    const char *name; /* "base", "avx2" */
    simt_row_fn *row[SIMT_ROWS];
    /* Lanes of the mask alone. */
    void (*blend_32)(uint32_t *to, const uint32_t *from, uint32_t mask);
    void (*blend_64)(uint64_t *to, const uint64_t *from, uint32_t mask);
    /* Addresses base + added, of which `wrap` bits count; whether base has 64. */
    void (*address)(uint64_t *to, const void *base, bool wide, uint64_t added, uint64_t wrap);
    /* Whether an address of the mask lies outside of first .. first + last, or is no multiple of
     * align + 1. */
    bool (*outside)(const uint64_t *address, uint64_t first, uint64_t last, uint64_t align,
                    uint32_t mask);
    /* Whether each is `step` behind the one before. */
    bool (*in_a_row)(const uint64_t *address, uint64_t step);
};
/* Number i of those that this computer has, the best first, NULL behind the last. */
const struct simt_rows *simt_rows_at(unsigned i);

#endif
