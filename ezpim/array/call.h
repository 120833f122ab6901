/* SPDX-License-Identifier: MIT
 * Calls of subroutines of other objects, whose registers are known from their signatures. */
#ifndef EZPIM_ARRAY_CALL_H
#define EZPIM_ARRAY_CALL_H

#include "ezpim/ir/build.h"

/* The subroutine of the program with that signature: declared before, or now. */
struct ir_sub *array_callee(struct ir_builder *builder, const struct sub_signature *signature);
/* Calls it on virtual registers, one for each that goes in; what comes out, one value, in dst or
 * (IR_NONE) a new virtual register. */
uint32_t array_emit_call(struct ir_builder *builder, const struct sub_signature *signature,
                         const uint32_t *values, uint32_t dst, struct span at);

#endif
