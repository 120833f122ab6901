/* SPDX-License-Identifier: MIT
 * What the checks of control flow know of each instruction; for flow*.c alone. */
#ifndef LINKER_CHECK_FLOW_H
#define LINKER_CHECK_FLOW_H

#include "object/object.h"

/* Where an instruction stands.  Two instructions stand at the same place of the text's structure
 * if all of it agrees. */
struct standing {
    uint32_t subroutine; /* symbol of the subroutine whose range holds it, or NO_INDEX */
    uint32_t ensemble;   /* index of the first header + 1 for bodies and footers; else 0 */
    uint32_t repeat;     /* index of the innermost REPEAT around it + 1; else 0 */
    uint32_t message;    /* index of the SEND before it + 1, up to SEND_DONE; else 0 */
};

struct flow_jump {
    uint32_t from, to;
    enum isa_op op;
};
typedef VEC(struct flow_jump) flow_jumps;

struct flow_check {
    const struct object *o;
    struct diag *d;
    flow_jumps *jumps;   /* in the order of the text: link_check_jumps finds them */
    struct standing *at; /* [text.len + 1]; the end of the text is top level */
};

struct span link_flow_span(const struct flow_check *flow, uint32_t index);
/* An error at an instruction, with where that is. */
void link_flow_error(const struct flow_check *flow, uint32_t index, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The message that a walk is in. */
struct message_walk {
    uint32_t open; /* index of its SEND + 1; 0: none */
    bool wrong;    /* what it holds was reported: its SEND_DONE is not */
};
/* Instruction index; top: it stands at top level and is no header's successor in an ensemble. */
void link_message_step(const struct flow_check *flow, struct message_walk *walk, enum isa_op op,
                       bool top, uint32_t index);
void link_message_end(const struct flow_check *flow, const struct message_walk *walk,
                      const char *end);
/* The MPUs that SEND and RECV name by number. */
void link_check_partners(const struct flow_check *flow);
/* Text that the host may stand in for. */
void link_check_finish_text(const struct flow_check *flow);
/* Every jump, against what flow.c found. */
void link_check_jumps(const struct flow_check *flow);

#endif
