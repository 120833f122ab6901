/* SPDX-License-Identifier: MIT
 * A program counter with what surrounds it: return addresses and loop counters.  The top level
 * has one flow, and so has every body that runs. */
#ifndef EMU_CONTROL_FLOW_H
#define EMU_CONTROL_FLOW_H

#include "object/object.h"
#include "object/text.h"

#define RETURN_STACK_DEPTH 64
#define LOOP_DEPTH         4

struct loop {
    uint32_t begin; /* text index of its REPEAT */
    uint32_t left;  /* passes still to be made, the current one included */
    uint32_t count; /* all passes */
};
/* One subroutine at work; frame 0 is the top level or the body itself. */
struct call_frame {
    uint32_t return_to; /* text index after the JUMP; unused in frame 0 */
    uint32_t loops;
    struct loop loop[LOOP_DEPTH];
};
struct flow {
    uint32_t pc;
    uint32_t depth;            /* calls open in this flow */
    uint32_t base;             /* entries of the return stack that were in use when it began */
    struct call_frame *frames; /* [cap]; frames 0 .. depth are live */
    uint32_t cap;
};

void control_flow_begin(struct flow *flow, uint32_t pc, uint32_t base);
void control_flow_free(struct flow *flow);
/* Carries the instruction out and returns true if it works the same at top level and in bodies
 * (calls, loops, GOTO, NOP); *why is set when the program must stop.  Else false, and nothing
 * happens. */
bool control_flow_step(struct flow *flow, const struct text *text, const struct insn *insn,
                       const char **why);
/* The finished laps of each of the `repeats` innermost loops of a frame, the innermost first.
 * False if the instruction at `pc` does not stand in the text of so many loops. */
bool control_frame_laps(const struct call_frame *frame, const struct text *text, uint32_t pc,
                        uint32_t repeats, uint64_t *laps);
/* <0, 0, >0: program order of two flows that began at the same place: the one that has got less far
 * through the text comes first; a call is before the instruction that it returns to. */
int control_flow_compare(const struct flow *left, const struct flow *right);
/* The same for flows of the top level, where loops are loops of the program: of two flows in one
 * REPEAT, that with more passes left comes first.  0 if and only if nothing distinguishes them. */
int control_flow_order(const struct flow *left, const struct flow *right);
/* *to, which holds nothing, becomes as `from`. */
void control_flow_copy(struct flow *to, const struct flow *from);

#endif
