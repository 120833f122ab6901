/* SPDX-License-Identifier: MIT
 * Calls, returns and loops of one flow.  A step that cannot be carried out leaves the flow as it
 * was. */
#include "emu/control/flow.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static void push_frame(struct flow *flow, uint32_t return_to) {
    if (flow->depth + 1 >= flow->cap) {
        flow->cap = flow->cap ? 2 * flow->cap : 2;
        flow->frames = xreallocarray(flow->frames, flow->cap, sizeof *flow->frames);
    }
    flow->frames[++flow->depth] = (struct call_frame){.return_to = return_to};
}

void control_flow_begin(struct flow *flow, uint32_t pc, uint32_t base) {
    *flow = (struct flow){.pc = pc, .base = base, .cap = 2};
    flow->frames = xcalloc(flow->cap, sizeof *flow->frames);
}

void control_flow_copy(struct flow *to, const struct flow *from) {
    *to = *from;
    to->frames = xcalloc(to->cap, sizeof *to->frames);
    memcpy(to->frames, from->frames, (from->depth + 1) * sizeof *to->frames);
}

void control_flow_free(struct flow *flow) {
    free(flow->frames);
    *flow = (struct flow){0};
}

/* Each carries out the instruction at flow->pc and moves the pc on.  NULL, or why the program must
 * stop; flow is unchanged then. */
static const char *control_flow_call(struct flow *flow, uint32_t target) {
    if (flow->base + flow->depth >= RETURN_STACK_DEPTH)
        return "the return stack is full (64 calls are open)";
    push_frame(flow, flow->pc + 1);
    flow->pc = target;
    return NULL;
}

static const char *control_flow_return(struct flow *flow) {
    if (flow->depth == 0)
        return flow->base ? "RETURN in a body without a call in this body"
                          : "RETURN with an empty return stack";
    flow->pc = flow->frames[flow->depth--].return_to;
    return NULL;
}

static const char *control_flow_repeat(struct flow *flow, const struct text *text, uint32_t count) {
    struct call_frame *frame = &flow->frames[flow->depth];
    if (text->match[flow->pc] == NO_INDEX)
        return "REPEAT without a REPEAT_END";
    if (count == 0) {
        flow->pc = text->match[flow->pc] + 1;
        return NULL;
    }
    if (frame->loops == LOOP_DEPTH)
        return "more than 4 REPEATs inside one another";
    frame->loop[frame->loops++] = (struct loop){flow->pc, count, count};
    flow->pc++;
    return NULL;
}

static const char *control_flow_repeat_end(struct flow *flow, const struct text *text) {
    struct call_frame *frame = &flow->frames[flow->depth];
    struct loop *loop = frame->loops ? &frame->loop[frame->loops - 1] : NULL;
    if (!loop || loop->begin != text->match[flow->pc])
        return "REPEAT_END without its REPEAT";
    if (--loop->left) {
        flow->pc = loop->begin + 1;
    } else {
        frame->loops--;
        flow->pc++;
    }
    return NULL;
}

bool control_frame_laps(const struct call_frame *frame, const struct text *text, uint32_t pc,
                        uint32_t repeats, uint64_t *laps) {
    for (uint32_t n = 0; n < repeats; n++) {
        if (n >= frame->loops)
            return false;
        const struct loop *loop = &frame->loop[frame->loops - 1 - n];
        if (pc < loop->begin || pc > text->match[loop->begin])
            return false;
        laps[n] = loop->count - loop->left;
    }
    return true;
}

/* Where level index of a flow stands, in half instructions: inside a call is just before the
 * return. */
static uint64_t level_position(const struct flow *flow, uint32_t index) {
    return index < flow->depth ? 2 * (uint64_t)flow->frames[index + 1].return_to - 1
                               : 2 * (uint64_t)flow->pc;
}

int control_flow_compare(const struct flow *left, const struct flow *right) {
    uint32_t levels = left->depth < right->depth ? left->depth : right->depth;
    for (uint32_t i = 0; i <= levels; i++) {
        uint64_t x = level_position(left, i), y = level_position(right, i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0; /* equal positions mean equal depth: a call ends in an odd position, a pc in an even
               */
}

/* The loops around both, from the outside. */
static int compare_loops(const struct call_frame *left, const struct call_frame *right) {
    for (uint32_t i = 0;
         i < left->loops && i < right->loops && left->loop[i].begin == right->loop[i].begin; i++)
        if (left->loop[i].left != right->loop[i].left)
            return left->loop[i].left > right->loop[i].left ? -1 : 1;
    return 0;
}

/* Where two flows at the same places have other loops open: no program that links does. */
static int compare_open(const struct call_frame *left, const struct call_frame *right) {
    if (left->loops != right->loops)
        return left->loops < right->loops ? -1 : 1;
    for (uint32_t i = 0; i < left->loops; i++)
        if (left->loop[i].begin != right->loop[i].begin)
            return left->loop[i].begin < right->loop[i].begin ? -1 : 1;
    return 0;
}

int control_flow_order(const struct flow *left, const struct flow *right) {
    uint32_t levels = left->depth < right->depth ? left->depth : right->depth;
    for (uint32_t i = 0; i <= levels; i++) {
        uint64_t x = level_position(left, i), y = level_position(right, i);
        int order = compare_loops(&left->frames[i], &right->frames[i]);
        if (order == 0)
            order = x != y ? (x < y ? -1 : 1) : compare_open(&left->frames[i], &right->frames[i]);
        if (order)
            return order;
    }
    return 0;
}

bool control_flow_step(struct flow *flow, const struct text *text, const struct insn *insn,
                       const char **why) {
    switch (insn->op) {
    case OP_NOP:
        flow->pc++;
        return true;
    case OP_GOTO:
        flow->pc = (uint32_t)insn->imm;
        return true;
    case OP_JUMP:
        *why = control_flow_call(flow, (uint32_t)insn->imm);
        return true;
    case OP_RETURN:
        *why = control_flow_return(flow);
        return true;
    case OP_REPEAT:
        *why = control_flow_repeat(flow, text, (uint32_t)insn->imm);
        return true;
    case OP_REPEAT_END:
        *why = control_flow_repeat_end(flow, text);
        return true;
    default:
        return false;
    }
}
