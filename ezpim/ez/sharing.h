/* SPDX-License-Identifier: MIT
 * Registers that several variables have one after the other. */
#ifndef EZPIM_EZ_SHARING_H
#define EZPIM_EZ_SHARING_H

#include "ezpim/ez/unit.h"

/* Folds so many reductions of a run together, at most. */
void ez_fold_runs(struct unit *u, uint32_t folded);
/* Finds from which statement to which each variable is needed; false if that is not known. */
bool ez_find_times(struct unit *u);
/* True if the variable has its register in its windows alone. */
static inline bool ez_has_windows(const struct ez_symbol *s) {
    return s->home || s->brief;
}
/* What variables may take of a lane: registers 0 .. registers - 1 and bits of them all together;
 * those of homes: any register, and so many bits in a VRF. */
struct ez_limits {
    unsigned registers, bits, home_bits;
};
/* Gives registers so that variables which are needed together have different ones; NULL, or a
 * variable for which there is no room. */
struct ez_symbol *ez_share_registers(struct unit *u, struct ez_limits limits);
/* True if the variable's registers may hold something of its own, or of the program's user, at a
 * statement of main. */
bool ez_has_register(const struct unit *u, const struct ez_symbol *s, uint32_t time);
/* The same at some statement that calls a subroutine. */
bool ez_has_register_in_calls(const struct unit *u, const struct ez_symbol *s);
/* A variable that has a register of the input s behind its last use, although it is not declared
 * `in consumed`; or NULL. */
const struct ez_symbol *ez_taken_by(const struct unit *u, const struct ez_symbol *s);
/* A warning if there are such inputs. */
void ez_report_taken(struct unit *u);
/* True if both are variables that may meet in a VRF at some time. */
bool ez_needed_together(const struct ez_symbol *a, const struct ez_symbol *b);

#endif
