/* SPDX-License-Identifier: MIT
 * From the checked tree to the intermediate form. */
#ifndef EZPIM_EZ_LOWER_H
#define EZPIM_EZ_LOWER_H

#include "ezpim/compile.h"
#include "ezpim/ez/unit.h"
#include "ezpim/ir/build.h"

/* Fills `program` (zeroed; its arena set); ir_free releases it. */
void ez_lower(struct ez_unit *unit, struct compile_lowering options, struct ir_program *program);

/* The regions that `break` and `continue` of a loop leave. */
struct loop_regions {
    struct loop_regions *outer;
    uint32_t leave, again;
};

/* Inside lowering (lower*.c). */
struct lowering {
    struct ez_unit *u;
    struct ir_builder b;
    struct compile_lowering options;
    uint32_t mpu; /* whose text this is */
    struct loop_regions *loop;
    uint32_t returns;              /* the region that `return` leaves */
    const struct ez_symbol *sub;   /* the subroutine at hand, or NULL */
    const struct ez_symbol *group; /* of the ensemble at hand; NULL: a subroutine has code apart */
    uint32_t body;                 /* the stamp of that for which `bare` holds */
    uint32_t bare[IR_REGISTERS];   /* virtual registers of r0..r63 in this ensemble, or IR_NONE */
};

/* The virtual register of a variable's element. */
uint32_t ez_lower_element(struct lowering *lowering, struct ez_symbol *symbol, uint32_t element);
/* The value of `expr`, widened to `type`, in dst or (IR_NONE) wherever it is. */
uint32_t ez_lower_as(struct lowering *lowering, const struct expr *expr, struct lane_type type,
                     uint32_t dst);
/* A bool that is 1 in the elements that take part: below all lengths, of which there are some. */
uint32_t ez_lower_in_front(struct lowering *lowering, const struct ez_front *front, struct span at);
/* What follows is for these elements alone, up to ez_lower_leave_front with the result.  Without
 * lengths it is for all. */
uint32_t ez_lower_enter_front(struct lowering *lowering, const struct ez_front *front,
                              struct span at);
void ez_lower_leave_front(struct lowering *lowering, uint32_t region, struct span at);
/* The number of the element in its group, modulo 2^bits of the type, in dst or (IR_NONE) in a new
 * virtual register. */
uint32_t ez_lower_place_in_group(struct lowering *lowering, struct lane_type type, uint32_t dst,
                                 struct span at);
/* A size at that width, in dst or (IR_NONE) in a new virtual register. */
uint32_t ez_lower_size(struct lowering *lowering, struct lane_type type, uint32_t size,
                       uint32_t dst, struct span at);
/* x & 2^k == 0 and its like: a register whose bit 0 is that bit, or (*opposite changed) its
 * opposite; IR_NONE if `expr` is something else. */
uint32_t ez_lower_bit_test(struct lowering *lowering, const struct expr *expr, bool *opposite);
/* The variable that holds the counter of a loop at top level, in the ensemble at hand. */
uint32_t ez_lower_counter_value(struct lowering *lowering, const struct ez_symbol *symbol,
                                const struct counter_value *value);
void ez_lower_insn(struct lowering *lowering, const struct stmt *stmt);
/* value += 1 */
void ez_lower_increment(struct lowering *lowering, uint32_t value, struct span at);
/* New virtual registers for a local; the first of them. */
uint32_t ez_lower_declare(struct lowering *lowering, struct ez_symbol *symbol);
/* The statements of a lane; true if no lane comes to their end. */
bool ez_lower_body(struct lowering *lowering, const struct stmt *stmt);
bool ez_lower_flow(struct lowering *lowering, const struct stmt *stmt);
/* The value of the call of a subroutine, or IR_NONE. */
uint32_t ez_lower_sub_call(struct lowering *lowering, const struct expr *expr, uint32_t dst);
void ez_lower_put(struct lowering *lowering, struct ir_insn insn);
/* Appends an operation; operands that it has not are IR_NONE. */
void ez_lower_operation(struct lowering *lowering, enum ir_op op, struct lane_type type,
                        uint32_t dst, uint32_t left, uint32_t right, uint64_t imm, struct span at);
/* The pattern in dst, or in a new virtual register when it is IR_NONE. */
uint32_t ez_lower_constant(struct lowering *lowering, struct lane_type type, uint64_t pattern,
                           uint32_t dst, struct span at);
/* dst, or a new virtual register when it is IR_NONE. */
uint32_t ez_lower_target(struct lowering *lowering, uint32_t dst, struct lane_type type,
                         struct span at);

#endif
