/* SPDX-License-Identifier: MIT
 * Who may access WRAM ahead of its cycle.
 *
 * A word that one tasklet alone accesses, or many only read, can be accessed whenever it suits:
 * nobody sees when.  That a word is not such a one is found when another tasklet comes to it, in
 * its cycle; if the first was ahead there, it goes back to its last cycle, by registers and words
 * that were kept, and carries the instructions out again that had theirs.  From then on the word is
 * accessed in cycles alone.  What comes to it ahead stops before it. */
#include "machines/core/dpu/run/tasklets.h"

#include <string.h>

static void undo(struct dpu_core *core, struct dpu_tasklet *t) {
    for (const struct dpu_undo *u = t->undone; u-- > t->undo;)
        memcpy(core->wram + 8 * u->word, &u->old, 8);
    t->now = t->kept;
}
/* The tasklet is as it was when its last instruction had its cycle. */
static void retreat(struct dpu_core *core, struct dpu_tasklet *t) {
    if (!t->ahead)
        return;
    /* Once to count nothing of them, and once to do and count those that had their cycles. */
    undo(core, t);
    dpu_replay(core, t, t->ran, UINT64_MAX);
    undo(core, t);
    dpu_replay(core, t, t->ran - t->ahead, 1);
    core->filled--;
    t->ahead = 0;
}
void dpu_retreat_all(struct dpu_core *core) {
    for (uint32_t i = 0; i < DPU_TASKLETS; i++)
        retreat(core, &core->tasklets[i]);
}

void dpu_own(struct dpu_core *core, const struct dpu_tasklet *t, uint32_t word, bool write) {
    uint8_t *owner = &core->owners[word], me = t->id;
    if (*owner == DPU_SHARED || dpu_own_ahead(core, t, word, write))
        return;
    if (*owner == DPU_READ_BY_MANY) {
        dpu_retreat_all(core);
        *owner = DPU_SHARED;
        return;
    }
    struct dpu_tasklet *other = &core->tasklets[*owner % DPU_READ];
    bool was_there = other->ahead;
    retreat(core, other);
    *owner = was_there ? DPU_SHARED : write ? me : me | DPU_READ;
}
bool dpu_own_ahead(struct dpu_core *core, const struct dpu_tasklet *t, uint32_t word, bool write) {
    uint8_t *owner = &core->owners[word], me = t->id;
    if (*owner == DPU_NOBODYS) {
        *owner = write ? me : me | DPU_READ;
        return true;
    }
    if (*owner == me || (*owner == (me | DPU_READ) && !write))
        return true;
    if (*owner == (me | DPU_READ)) {
        *owner = me;
        return true;
    }
    if (write || *owner < DPU_READ || *owner == DPU_SHARED)
        return false;
    *owner = DPU_READ_BY_MANY;
    return true;
}
