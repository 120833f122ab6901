/* SPDX-License-Identifier: MIT
 * In which order values are computed, which with others, and where they are used. */
#include "machines/core/scalar/emitter.h"
#include "support/alloc.h"

/* What one select alone uses is computed behind its jump; a comparison is the jump itself.  What is
 * fetched may be put there before that. */
static bool can_be_tied(const struct scalar_emitter *e, scalar_id id) {
    const struct scalar_value *v = scalar_val(e, id);
    const struct scalar_pattern *p = scalar_pattern_of(e, id);
    return v->uses == 1 && v->op != SCALAR_FETCH && v->op != SCALAR_CELL && p && !p->routine &&
           !p->early && !p->temporaries && !scalar_has_label(p->text);
}
static void tie(struct scalar_emitter *e) {
    scalar_id stored = 0; /* behind a store, loads find what that has left */
    for (scalar_id i = 1; i <= e->b->values.len; i++) {
        struct scalar_value *v = &e->b->values.data[i - 1];
        stored = v->op == SCALAR_STORE && v->bytes ? i : stored;
        bool select = v->op == SCALAR_SELECT && v->uses;
        bool guarded = scalar_acts(v) && v->bytes && v->a;
        if ((select || guarded) && scalar_val(e, v->a)->op >= SCALAR_EQ &&
            scalar_val(e, v->a)->op <= SCALAR_GES && can_be_tied(e, v->a) &&
            scalar_pattern_of(e, v->a)->unless)
            e->b->values.data[v->a - 1].tied = true;
        if (!select || v->b == v->d)
            continue;
        unsigned op = scalar_val(e, v->b)->op;
        const bool loads = op == SCALAR_LOAD || op == SCALAR_LOADS;
        if (op != SCALAR_CONST && op != SCALAR_SELECT && op != SCALAR_LOW && op != SCALAR_HIGH &&
            op != SCALAR_REST && can_be_tied(e, v->b) && (!loads || v->b > stored))
            e->b->values.data[v->b - 1].tied = true;
    }
}
static void place(struct scalar_emitter *e, scalar_id id) {
    const struct scalar_pattern *p = scalar_pattern_of(e, id);
    e->calls[e->count] = p && p->routine                        ? p->changes
                         : scalar_val(e, id)->op == SCALAR_CALL ? scalar_called_changes(e)
                                                                : 0;
    e->placed[id] = e->count;
    e->order[e->count++] = id;
    if (scalar_val(e, id)->op != SCALAR_DIVIDE)
        return;
    for (scalar_id rest = id + 1; rest <= e->b->values.len; rest++)
        if (scalar_val(e, rest)->op == SCALAR_REST && scalar_val(e, rest)->a == id &&
            scalar_val(e, rest)->uses) {
            e->placed[rest] = e->count;
            e->order[e->count++] = rest;
        }
}
static void note_use(struct scalar_emitter *e, scalar_id id, uint32_t at, bool writes) {
    struct scalar_life *life = &e->lives[id];
    if (writes)
        e->uses[life->end] = at;
    life->end++;
    e->last[id] = at;
}
/* What was there before a loop, and is used in it, is used in each lap. */
static void note_lap(struct scalar_emitter *e, uint32_t at, bool writes) {
    const uint32_t begin = e->placed[scalar_val(e, e->order[at])->k];
    for (scalar_id id = 1; id <= e->b->values.len; id++)
        if (e->placed[id] < begin && e->last[id] != SCALAR_NEVER && e->last[id] > begin &&
            e->last[id] != at)
            note_use(e, id, at, writes);
}
static void note_uses(struct scalar_emitter *e, bool writes) {
    for (scalar_id id = 1; id <= e->b->values.len; id++)
        e->last[id] = SCALAR_NEVER;
    for (uint32_t i = 0; i < e->count; i++) {
        struct scalar_leaves l = {.count = 0};
        scalar_gather(e, e->order[i], &l);
        for (unsigned k = 0; k < l.count; k++)
            note_use(e, l.ids[k], i, writes);
        if (scalar_val(e, e->order[i])->op == SCALAR_AGAIN)
            note_lap(e, i, writes);
    }
}
void scalar_plan(struct scalar_emitter *e) {
    size_t n = e->b->values.len;
    e->lives = xcalloc(n + 1, sizeof *e->lives);
    e->order = xcalloc(n + 1, sizeof *e->order);
    e->placed = xcalloc(2 * (n + 1), sizeof *e->placed);
    e->last = e->placed + n + 1;
    e->calls = xcalloc(n + 1, sizeof *e->calls);
    e->next_call = xcalloc(n + 1, sizeof *e->next_call);
    tie(e);
    for (scalar_id id = 1; id <= n; id++) {
        const struct scalar_value *v = scalar_val(e, id);
        e->lives[id].reg = SCALAR_NOWHERE;
        e->placed[id] = SCALAR_NEVER;
        if (scalar_is_live(v) && v->op != SCALAR_CONST && v->op != SCALAR_REST && !v->tied)
            place(e, id);
    }
    uint32_t call = SCALAR_NEVER, all = 0;
    for (uint32_t i = e->count; i-- > 0;)
        e->next_call[i] = call = e->calls[i] ? i : call;
    note_uses(e, false);
    for (scalar_id id = 1; id <= n; id++) {
        uint32_t of = e->lives[id].end;
        e->lives[id].first = e->lives[id].next = e->lives[id].end = all;
        all += of;
    }
    e->uses = xcalloc(all + 1, sizeof *e->uses);
    note_uses(e, true);
}
