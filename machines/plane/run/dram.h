/* SPDX-License-Identifier: MIT
 * Micro-ops that activate rows, as the commands of a DRAM: which address is which row or group of
 * rows (docs/trace.md). */
#ifndef MACHINES_PLANE_DRAM_H
#define MACHINES_PLANE_DRAM_H

#include "recipe/technology/plane_target.h"
#include "recipe/set/uop.h"

#define DRAM_NO_ROW UINT32_MAX

/* An address of a command: a row, or a group of rows that are activated together. */
struct dram_address {
    const char *name; /* of the group, or of the class of the row */
    bool many;        /* the class has other rows, too */
    uint32_t row;     /* DRAM_NO_ROW: a group */
};

/* The first and the second address of a command (at[1].name is NULL if it has one); reg_bits [64]:
 * planes of each register.  False if the micro-op activates no rows. */
bool plane_dram_addresses(const struct target *target, const uint8_t *reg_bits,
                          const struct uop *uop, struct dram_address at[2]);
/* "D17", "C0", "B12". */
void plane_dram_address_text(const struct target *target, const struct dram_address *address,
                             struct str *out);

/* The number of the row that a plane lies in, of those of its section; false if there is none. */
bool plane_row_number(const struct target *target, const uint8_t *reg_bits, uint32_t plane,
                      uint32_t *number);

#endif
