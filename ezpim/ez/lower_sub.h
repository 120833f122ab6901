/* SPDX-License-Identifier: MIT
 * Inside lowering: subroutines. */
#ifndef EZPIM_EZ_LOWER_SUB_H
#define EZPIM_EZ_LOWER_SUB_H

#include "ezpim/ez/lower.h"

/* Bodies of the subroutines that are called. */
void ez_lower_subs(struct lowering *lowering);
/* A call of one that has a body of its own. */
uint32_t ez_lower_real_call(struct lowering *lowering, const struct expr *expr, uint32_t dst);
/* The statements of a subroutine, where its parameters have registers. */
void ez_lower_sub_body(struct lowering *lowering, const struct ez_symbol *sub, struct span at);
/* A new body: no variable has a register in it yet. */
void ez_lower_begin_body(struct lowering *lowering);
/* A register that nobody writes while a statement runs, whatever becomes of variables. */
uint32_t ez_lower_keep(struct lowering *lowering, uint32_t value, struct lane_type type,
                       struct span at);

#endif
