/* SPDX-License-Identifier: MIT
 * Routines that are made from IR: operations on floats, of which one takes dozens of instructions.
 * What they compute is what floats.h computes in place. */
#ifndef MACHINES_CORE_SCALAR_ROUTINES_H
#define MACHINES_CORE_SCALAR_ROUTINES_H

#include "isa-spec/isa.h"
#include "machines/core/scalar/ir.h"
#include "stage/stage.h"
#include "support/str.h"

/* Of operands with zeros above their bits.  `op`: OP_FADD and the like, of two operands or one (c:
 * 0); a mask from comparisons. */
scalar_id scalar_called_operation(struct scalar_body *b, enum isa_op op, struct lane_type type,
                                  scalar_id a, scalar_id c);
/* One of both is a float; a number with a sign has it above.  With anything above its bits. */
scalar_id scalar_called_conversion(struct scalar_body *b, struct lane_type from,
                                   struct lane_type to, scalar_id a);

/* Of SCALAR_CALL's k: its name as a label, and its body. */
#define SCALAR_ROUTINE_CELLS 4u /* of its loops, arrays 0 and so on, 8 bytes each */
struct scalar_routine {
    enum isa_op op; /* OP_CVT: a conversion */
    struct lane_type from, to;
};
struct scalar_routine scalar_routine_of(uint64_t routine);
void scalar_routine_name(uint64_t routine, struct str *out);
void scalar_routine_body(uint64_t routine, struct scalar_body *b);

#endif
