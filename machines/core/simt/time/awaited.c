/* SPDX-License-Identifier: MIT
 * What is on its way to a warp's registers where its trace ends. */
#include "machines/core/simt/time/core_time.h"

static bool writes(const struct simt_plan *p, unsigned place) {
    return place < PREDICATE_AT ? p->results.units >> place & 1
                                : p->results.predicates >> (place - PREDICATE_AT) & 1;
}

/* The last instruction of the trace that some lane carried out and that writes the register. */
static uint32_t writer(const struct core *c, const struct warp *w, unsigned place) {
    for (size_t i = w->trace->stretches.len; i-- > 0;) {
        const struct simt_stretch *s = &w->trace->stretches.data[i];
        for (uint32_t step = s->first + s->count; s->mask && step-- > s->first;)
            if (writes(&c->plans[step], place))
                return step;
    }
    return 0;
}

static void note(const struct core *c, const struct warp *w, unsigned place, bool pending) {
    struct simt_awaited *a = &c->t->x->awaited[w->number];
    const uint64_t ready = w->ready[place];
    if (!pending && ready >> LATE_BITS <= (c->cycle + 1) * TICKS)
        return;
    a->is[place] = true;
    a->cause[place] = pending ? SIMT_STALL_MEMORY : (uint8_t)(ready & LATE_MASK);
    a->step[place] = writer(c, w, place);
}

void simt_awaited_note(const struct core *c, const struct warp *w) {
    for (uint64_t rest = w->busy.units | w->pending.units; rest; rest &= rest - 1) {
        const unsigned place = (unsigned)__builtin_ctzll(rest);
        note(c, w, place, w->pending.units >> place & 1);
    }
    for (uint32_t rest = w->busy.predicates | w->pending.predicates; rest; rest &= rest - 1) {
        const unsigned place = (unsigned)__builtin_ctz(rest);
        note(c, w, PREDICATE_AT + place, w->pending.predicates >> place & 1);
    }
}
