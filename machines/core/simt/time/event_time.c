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

/* ---- the heap ---- */

void simt_event_put_heap(struct core *c, const struct event *e) {
    vec_push(&c->events, *e);
    size_t i = c->events.len - 1;
    while (i && before(e, &c->events.data[(i - 1) / 2])) {
        c->events.data[i] = c->events.data[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    c->events.data[i] = *e;
    simt_event_set_head(c, QUEUE_HEAP, &c->events.data[0]);
}

struct event simt_event_take_heap(struct core *c) {
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
    simt_event_set_head(c, QUEUE_HEAP, n ? h : NULL);
    return first;
}

/* ---- rings ---- */

void simt_event_grow(struct event_ring *r) {
    const uint32_t size = r->size ? 2 * r->size : 64;
    struct event *data = xmalloc(size * sizeof *data);
    for (uint32_t i = 0; i < r->len; i++)
        data[i] = r->data[(r->head + i) & (r->size - 1)];
    free(r->data);
    r->data = data;
    r->head = 0;
    r->size = size;
}

void simt_event_open(struct core *c) {
    for (unsigned i = 0; i < QUEUES; i++)
        simt_event_set_head(c, i, NULL);
}

void simt_event_close(struct core *c) {
    for (unsigned i = 0; i < QUEUE_HEAP; i++)
        free(c->rings[i].data);
    vec_free(&c->events);
}
