/* SPDX-License-Identifier: MIT
 * Runs that say what a program takes and compute nothing: how often loops that ask about data go
 * round is then not known, and taken to be a fixed number. */
#include "emu/control/state.h"

static struct lap_count *find_count(struct lap_counts *laps, uint32_t pc) {
    for (size_t i = 0; i < laps->list.len; i++)
        if (laps->list.data[i].pc == pc)
            return &laps->list.data[i];
    vec_push(&laps->list, ((struct lap_count){.pc = pc}));
    return &vec_last(&laps->list);
}

bool count_taken(struct control *c, struct lap_counts *laps, uint32_t pc, uint32_t target) {
    struct lap_count *x = find_count(laps, pc);
    bool back = target <= pc;
    bool last = ++x->asked >= c->config.count_laps + !back;
    c->stats.laps_counted = true;
    if (last)
        x->asked = 0;
    return last != back;
}
