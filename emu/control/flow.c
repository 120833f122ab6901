/* SPDX-License-Identifier: MIT */
#include "emu/control/flow.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static void push_frame(struct flow *f, uint32_t return_to) {
    if (f->depth + 1 >= f->cap) {
        f->cap = f->cap ? 2 * f->cap : 2;
        f->frames = xreallocarray(f->frames, f->cap, sizeof *f->frames);
    }
    f->frames[++f->depth] = (struct call_frame){.return_to = return_to};
}

void control_flow_begin(struct flow *f, uint32_t pc, uint32_t base) {
    *f = (struct flow){.pc = pc, .base = base, .cap = 2};
    f->frames = xcalloc(f->cap, sizeof *f->frames);
}

void control_flow_copy(struct flow *to, const struct flow *from) {
    *to = *from;
    to->frames = xcalloc(to->cap, sizeof *to->frames);
    memcpy(to->frames, from->frames, (from->depth + 1) * sizeof *to->frames);
}

void control_flow_free(struct flow *f) {
    free(f->frames);
    *f = (struct flow){0};
}

const char *control_flow_call(struct flow *f, uint32_t target) {
    if (f->base + f->depth >= RETURN_STACK_DEPTH)
        return "the return stack is full (64 calls are open)";
    push_frame(f, f->pc + 1);
    f->pc = target;
    return NULL;
}

const char *control_flow_return(struct flow *f) {
    if (f->depth == 0)
        return f->base ? "RETURN in a body without a call in this body"
                       : "RETURN with an empty return stack";
    f->pc = f->frames[f->depth--].return_to;
    return NULL;
}

const char *control_flow_repeat(struct flow *f, const struct text *text, uint32_t count) {
    struct call_frame *frame = &f->frames[f->depth];
    if (text->match[f->pc] == NO_INDEX)
        return "REPEAT without a REPEAT_END";
    if (count == 0) {
        f->pc = text->match[f->pc] + 1;
        return NULL;
    }
    if (frame->loops == LOOP_DEPTH)
        return "more than 4 REPEATs inside one another";
    frame->loop[frame->loops++] = (struct loop){f->pc, count, count};
    f->pc++;
    return NULL;
}

const char *control_flow_repeat_end(struct flow *f, const struct text *text) {
    struct call_frame *frame = &f->frames[f->depth];
    struct loop *loop = frame->loops ? &frame->loop[frame->loops - 1] : NULL;
    if (!loop || loop->begin != text->match[f->pc])
        return "REPEAT_END without its REPEAT";
    if (--loop->left) {
        f->pc = loop->begin + 1;
    } else {
        frame->loops--;
        f->pc++;
    }
    return NULL;
}

bool control_frame_laps(const struct call_frame *f, const struct text *text, uint32_t pc,
                        uint32_t repeats, uint64_t *laps) {
    for (uint32_t n = 0; n < repeats; n++) {
        if (n >= f->loops)
            return false;
        const struct loop *loop = &f->loop[f->loops - 1 - n];
        if (pc < loop->begin || pc > text->match[loop->begin])
            return false;
        laps[n] = loop->count - loop->left;
    }
    return true;
}

/* Where level i of a flow stands, in half instructions: inside a call is just before the return. */
static uint64_t level_position(const struct flow *f, uint32_t i) {
    return i < f->depth ? 2 * (uint64_t)f->frames[i + 1].return_to - 1 : 2 * (uint64_t)f->pc;
}

int control_flow_compare(const struct flow *a, const struct flow *b) {
    uint32_t levels = a->depth < b->depth ? a->depth : b->depth;
    for (uint32_t i = 0; i <= levels; i++) {
        uint64_t x = level_position(a, i), y = level_position(b, i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0; /* equal positions mean equal depth: a call ends in an odd position, a pc in an even
               */
}

/* The loops around both, from the outside. */
static int compare_loops(const struct call_frame *a, const struct call_frame *b) {
    for (uint32_t i = 0; i < a->loops && i < b->loops && a->loop[i].begin == b->loop[i].begin; i++)
        if (a->loop[i].left != b->loop[i].left)
            return a->loop[i].left > b->loop[i].left ? -1 : 1;
    return 0;
}

/* Where two flows at the same places have other loops open: no program that links does. */
static int compare_open(const struct call_frame *a, const struct call_frame *b) {
    if (a->loops != b->loops)
        return a->loops < b->loops ? -1 : 1;
    for (uint32_t i = 0; i < a->loops; i++)
        if (a->loop[i].begin != b->loop[i].begin)
            return a->loop[i].begin < b->loop[i].begin ? -1 : 1;
    return 0;
}

int control_flow_order(const struct flow *a, const struct flow *b) {
    uint32_t levels = a->depth < b->depth ? a->depth : b->depth;
    for (uint32_t i = 0; i <= levels; i++) {
        uint64_t x = level_position(a, i), y = level_position(b, i);
        int order = compare_loops(&a->frames[i], &b->frames[i]);
        if (order == 0)
            order = x != y ? (x < y ? -1 : 1) : compare_open(&a->frames[i], &b->frames[i]);
        if (order)
            return order;
    }
    return 0;
}

bool control_flow_step(struct flow *f, const struct text *text, const struct insn *x,
                       const char **why) {
    switch (x->op) {
    case OP_NOP:
        f->pc++;
        return true;
    case OP_GOTO:
        f->pc = (uint32_t)x->imm;
        return true;
    case OP_JUMP:
        *why = control_flow_call(f, (uint32_t)x->imm);
        return true;
    case OP_RETURN:
        *why = control_flow_return(f);
        return true;
    case OP_REPEAT:
        *why = control_flow_repeat(f, text, (uint32_t)x->imm);
        return true;
    case OP_REPEAT_END:
        *why = control_flow_repeat_end(f, text);
        return true;
    default:
        return false;
    }
}
