/* SPDX-License-Identifier: MIT
 * What happens in a core later on: by time, and at one time by the order in which it was made.
 *
 * Events of most kinds are made in the order of their times, since what goes through the TSVs comes
 * out in its order: those lie in a ring a kind.  One that comes before the last of its ring goes to
 * a heap, so that rings stay in order; the first of all is then the first of a ring or of the
 * heap. */
#include "machines/core/simt/time/core_time.h"

#include <stdlib.h>

static bool before(const struct event *a, const struct event *b) {
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

/* The first of a queue is another one, or there is none any more. */
static void set_head(struct core *c, unsigned queue, const struct event *e) {
    c->head_at[queue] = e ? e->at : NEVER;
    c->head_order[queue] = e ? e->order : UINT64_MAX;
}

/* ---- the heap ---- */

static void heap_put(struct core *c, const struct event *e) {
    vec_push(&c->events, *e);
    size_t i = c->events.len - 1;
    while (i && before(e, &c->events.data[(i - 1) / 2])) {
        c->events.data[i] = c->events.data[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    c->events.data[i] = *e;
    set_head(c, QUEUE_HEAP, &c->events.data[0]);
}

static struct event heap_take(struct core *c) {
    struct event *h = c->events.data, first = h[0], e = h[--c->events.len];
    size_t n = c->events.len, i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && before(&h[child + 1], &h[child]);
        if (!before(&h[child], &e))
            break;
        h[i] = h[child];
    }
    if (n)
        h[i] = e;
    set_head(c, QUEUE_HEAP, n ? h : NULL);
    return first;
}

/* ---- rings ---- */

static void grow(struct event_ring *r) {
    const uint32_t size = r->size ? 2 * r->size : 64;
    struct event *data = xmalloc(size * sizeof *data);
    for (uint32_t i = 0; i < r->len; i++)
        data[i] = r->data[(r->head + i) & (r->size - 1)];
    free(r->data);
    r->data = data;
    r->head = 0;
    r->size = size;
}

/* False: it would come before the last. */
static bool ring_put(struct core *c, unsigned queue, const struct event *e) {
    struct event_ring *r = &c->rings[queue];
    if (r->len && r->data[(r->head + r->len - 1) & (r->size - 1)].at > e->at)
        return false;
    if (r->len == r->size)
        grow(r);
    if (!r->len)
        set_head(c, queue, e);
    r->data[(r->head + r->len++) & (r->size - 1)] = *e;
    return true;
}

static struct event ring_take(struct core *c, unsigned queue) {
    struct event_ring *r = &c->rings[queue];
    const struct event first = r->data[r->head];
    r->head = (r->head + 1) & (r->size - 1);
    r->len--;
    set_head(c, queue, r->len ? &r->data[r->head] : NULL);
    return first;
}

/* ---- all of them ---- */

void simt_event_put(struct core *c, uint64_t at, enum time_event_kind kind, uint32_t index) {
    static const uint8_t queues[] = {
        [EVENT_DATA] = QUEUE_DATA,     [EVENT_LSU] = QUEUE_LSU,   [EVENT_LSU_LATE] = QUEUE_HEAP,
        [EVENT_GATHER] = QUEUE_GATHER, [EVENT_WAKE] = QUEUE_HEAP, [EVENT_DONE] = QUEUE_HEAP,
        [EVENT_PACKET] = QUEUE_HEAP};
    struct event e = {at, ++c->order, (uint32_t)kind, index};
    if (kind == EVENT_DATA)
        e.order = 0; /* those of the ring come first */
    if (queues[kind] != QUEUE_HEAP && ring_put(c, queues[kind], &e))
        return;
    e.order = c->order;
    heap_put(c, &e);
}

struct event simt_event_take(struct core *c, enum time_queue from) {
    return from == QUEUE_HEAP ? heap_take(c) : ring_take(c, from);
}

void simt_event_open(struct core *c) {
    for (unsigned i = 0; i < QUEUES; i++)
        set_head(c, i, NULL);
}

void simt_event_close(struct core *c) {
    for (unsigned i = 0; i < QUEUE_HEAP; i++)
        free(c->rings[i].data);
    vec_free(&c->events);
}
