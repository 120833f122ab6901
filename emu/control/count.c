/* SPDX-License-Identifier: MIT
 * Runs that say what a program takes and compute nothing.  Where a jump asks about values that
 * follow from text and sizes alone, its answer is known; how often other loops go round is taken to
 * be a fixed number. */
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

bool control_count_taken(struct control *c, struct lap_counts *laps, uint32_t pc, uint32_t target) {
    struct lap_count *x = find_count(laps, pc);
    bool back = target <= pc;
    bool last = ++x->asked >= c->config.count_laps + !back;
    c->stats.laps_counted = true;
    if (last)
        x->asked = 0;
    return last != back;
}

/* ---- what is known of groups between ensembles ---- */

void control_count_open(struct control *c) {
    if (!c->config.count_laps)
        return;
    c->group_known = xcalloc(c->program->groups.len + 1, sizeof *c->group_known);
    control_count_forget(c);
}

void control_count_forget(struct control *c) {
    for (size_t g = 0; c->group_known && g < c->program->groups.len; g++)
        control_known_nothing(&c->group_known[g]);
    c->any_known = UNKNOWN;
}

void control_count_forget_registers(struct control *c, unsigned first, unsigned count) {
    for (size_t g = 0; c->group_known && g < c->program->groups.len; g++)
        for (unsigned i = 0; i < count; i++)
            control_known_forget(&c->group_known[g], first + i, 64);
}

static uint32_t leader_of(const struct object *o, uint32_t g) {
    while (o->groups.data[g].like != NO_INDEX)
        g = o->groups.data[g].like;
    return g;
}

/* The one group of a header; NO_INDEX if it names several VRFs, or fixed ones. */
static uint32_t header_group(const struct control *c, uint32_t body) {
    const struct insn *x = &c->text.insns[c->top.pc];
    bool one = body == c->top.pc + 1 && x->op == OP_COMPUTEG;
    return one && (uint32_t)x->imm < c->program->groups.len ? (uint32_t)x->imm : NO_INDEX;
}

struct known_registers *control_count_enter(const struct control *c, uint32_t body) {
    uint32_t g = header_group(c, body);
    if (!c->config.count_laps)
        return NULL;
    struct known_registers *k = xcalloc(1, sizeof *k);
    control_known_nothing(k);
    if (g != NO_INDEX)
        *k = c->group_known[g];
    k->m = KNOWN_1; /* the header sets it to valid */
    return k;
}

/* Groups that share VRFs with this one have what the ensemble left in a part of theirs. */
static void leave_group(struct control *c, uint32_t group, const struct known_registers *k) {
    const struct object *o = c->program;
    for (uint32_t g = 0; g < o->groups.len; g++)
        if (leader_of(o, g) == leader_of(o, group))
            control_known_nothing(&c->group_known[g]);
    if (all_together(c))
        c->group_known[group] = *k;
}

void control_count_leave(struct control *c, uint32_t body, const struct known_registers *k) {
    uint32_t g = header_group(c, body);
    if (!c->config.count_laps)
        return;
    if (g == NO_INDEX)
        control_count_forget(c);
    else
        leave_group(c, g, k);
    c->any_known = all_together(c) ? k->m : UNKNOWN;
}
