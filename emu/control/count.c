/* SPDX-License-Identifier: MIT
 * Runs that count what a program takes, and compute nothing.  Where a jump asks about values that
 * follow from text and sizes alone, the answer is known; every other loop is taken to have a fixed
 * number of laps. */
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>

/* ---- laps ---- */

static struct lap_count *find_count(struct lap_counts *laps, uint32_t pc) {
    for (size_t i = 0; i < laps->list.len; i++)
        if (laps->list.data[i].pc == pc)
            return &laps->list.data[i];
    vec_push(&laps->list, ((struct lap_count){.pc = pc}));
    return &vec_last(&laps->list);
}

bool control_count_taken(struct control *control, struct lap_counts *laps, uint32_t pc,
                         uint32_t target) {
    struct lap_count *x = find_count(laps, pc);
    bool back = target <= pc;
    bool last = ++x->asked >= control->config.count_laps + !back;
    control->account.stats.laps_counted = true;
    if (last)
        x->asked = 0;
    return last != back;
}

/* ---- what is known of groups between ensembles ---- */

void control_count_open(struct control *control) {
    if (!control->config.count_laps)
        return;
    control->counting.groups =
        xcalloc(control->program->groups.len + 1, sizeof *control->counting.groups);
    control_count_forget(control);
}

void control_count_forget(struct control *control) {
    for (size_t g = 0; control->counting.groups && g < control->program->groups.len; g++)
        control_known_nothing(&control->counting.groups[g]);
    control->counting.any = UNKNOWN;
}

void control_count_forget_registers(struct control *control, unsigned first, unsigned count) {
    for (size_t g = 0; control->counting.groups && g < control->program->groups.len; g++)
        for (unsigned i = 0; i < count; i++)
            control_known_forget(&control->counting.groups[g], first + i, 64);
}

static uint32_t leader_of(const struct object *object, uint32_t group) {
    while (object->groups.data[group].like != NO_INDEX)
        group = object->groups.data[group].like;
    return group;
}

/* The one group of a header; NO_INDEX if it names several VRFs, or fixed ones. */
static uint32_t header_group(const struct control *control, uint32_t body) {
    const struct insn *x = &control->text.insns[control->top.pc];
    bool one = body == control->top.pc + 1 && x->op == OP_COMPUTEG;
    return one && (uint32_t)x->imm < control->program->groups.len ? (uint32_t)x->imm : NO_INDEX;
}

struct known_registers *control_count_enter(const struct control *control, uint32_t body) {
    uint32_t g = header_group(control, body);
    if (!control->config.count_laps)
        return NULL;
    struct known_registers *k = xcalloc(1, sizeof *k);
    control_known_nothing(k);
    if (g != NO_INDEX)
        *k = control->counting.groups[g];
    k->m = KNOWN_1; /* the header sets it to valid */
    return k;
}

/* Groups that share VRFs with this one have what the ensemble left in a part of theirs. */
static void leave_group(struct control *control, uint32_t group,
                        const struct known_registers *known) {
    const struct object *o = control->program;
    for (uint32_t g = 0; g < o->groups.len; g++)
        if (leader_of(o, g) == leader_of(o, group))
            control_known_nothing(&control->counting.groups[g]);
    if (all_together(control))
        control->counting.groups[group] = *known;
}

void control_count_leave(struct control *control, uint32_t body,
                         const struct known_registers *known) {
    uint32_t g = header_group(control, body);
    if (!control->config.count_laps)
        return;
    if (g == NO_INDEX)
        control_count_forget(control);
    else
        leave_group(control, g, known);
    control->counting.any = all_together(control) ? known->m : UNKNOWN;
}
