/* SPDX-License-Identifier: MIT */
#include "emu/timing/network.h"

#include "support/map.h"
#include "support/saturate.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

/* A time in which a link is taken, by one message after the other. */
struct held_link {
    uint64_t start_ps, end_ps; /* start < end */
};
/* When the last message from there will have passed. */
struct passed {
    uint32_t source;
    uint64_t end_ps;
};

struct link_state {
    struct noc_link is;
    VEC(struct held_link) held; /* ascending, with time between them; what has ended is left out */
    uint64_t forgotten_ps;      /* when the last one that was left out ended */
    VEC(struct passed) last;    /* ascending by source; what has ended may be left out */
    size_t last_limit;          /* at so many those are looked for */
};

struct noc {
    const struct target *t;
    struct chip_grid grid;
    struct map by_id; /* router and direction -> place in links */
    VEC(struct link_state) links;
    uint64_t now_ps; /* the latest ready_ps */
    struct noc_stats stats;
    noc_watcher *watcher;
    void *context;
};

/* A message on its way. */
struct flight {
    uint32_t source, column, row;
    uint64_t hold_ps; /* of each link */
    uint64_t at_ps;   /* when the first flit is where it is */
    uint64_t wait_ps;
};

struct noc *timing_noc_open(const struct target *t) {
    struct noc *n = xcalloc(1, sizeof *n);
    n->t = t;
    n->grid = target_grid(t);
    return n;
}

static void link_free(struct link_state *l) {
    vec_free(&l->held);
    vec_free(&l->last);
}

void timing_noc_close(struct noc *n) {
    if (!n)
        return;
    for (size_t i = 0; i < n->links.len; i++)
        link_free(&n->links.data[i]);
    vec_free(&n->links);
    map_free(&n->by_id);
    free(n);
}

void timing_noc_watch(struct noc *n, noc_watcher *watcher, void *context) {
    n->watcher = watcher;
    n->context = context;
}

static void add(uint64_t *sum, uint64_t x) {
    *sum = sat_add(*sum, x);
}

/* ---- one link ---- */

static struct link_state *find_link(struct noc *n, uint32_t router, enum noc_direction direction) {
    const uint32_t id[] = {router, direction};
    const uint64_t *known = map_get_n(&n->by_id, (const char *)id, sizeof id);
    if (known)
        return &n->links.data[*known];
    map_put_n(&n->by_id, (const char *)id, sizeof id, n->links.len);
    vec_push(&n->links, ((struct link_state){.is = {.router = router, .direction = direction}}));
    return &vec_last(&n->links);
}

static void drop_held(struct link_state *l, size_t first, size_t count) {
    struct held_link *at = l->held.data + first;
    l->held.len -= count;
    memmove(at, at + count, (l->held.len - first) * sizeof *at);
}

static void forget_held(struct link_state *l, uint64_t now_ps) {
    size_t over = 0;
    while (over < l->held.len && l->held.data[over].end_ps <= now_ps)
        l->forgotten_ps = l->held.data[over++].end_ps;
    if (over)
        drop_held(l, 0, over);
}

/* The list may double before it is gone through, so that this costs little. */
static void forget_passed(struct link_state *l, uint64_t now_ps) {
    size_t kept = 0;
    if (l->last.len < l->last_limit)
        return;
    for (size_t i = 0; i < l->last.len; i++)
        if (l->last.data[i].end_ps > now_ps)
            l->last.data[kept++] = l->last.data[i];
    l->last.len = kept;
    l->last_limit = 2 * kept + 8;
}

/* Routers hand on what comes from one MPU in the order in which it comes. */
static uint64_t *last_of(struct link_state *l, uint32_t source) {
    size_t low = 0, high = l->last.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (l->last.data[middle].source < source)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == l->last.len || l->last.data[low].source != source) {
        vec_push(&l->last, (struct passed){0});
        struct passed *at = l->last.data + low;
        memmove(at + 1, at, (l->last.len - 1 - low) * sizeof *at);
        *at = (struct passed){source, 0};
    }
    return &l->last.data[low].end_ps;
}

/* Takes the link from x.start_ps to x.end_ps, which lies before the i-th held time. */
static void take(struct link_state *l, size_t i, struct held_link x) {
    bool joins = i > 0 && l->held.data[i - 1].end_ps == x.start_ps;
    bool joined = i < l->held.len && l->held.data[i].start_ps == x.end_ps;
    if (joined)
        l->held.data[i].start_ps = joins ? l->held.data[i - 1].start_ps : x.start_ps;
    else if (joins)
        l->held.data[i - 1].end_ps = x.end_ps;
    if (joins && joined)
        drop_held(l, i - 1, 1);
    if (joins || joined)
        return;
    vec_push(&l->held, x);
    struct held_link *at = l->held.data + i;
    memmove(at + 1, at, (l->held.len - 1 - i) * sizeof *at);
    *at = x;
}

/* The first held time that ends after at_ps; held.len if none does. */
static size_t first_after(const struct link_state *l, uint64_t at_ps) {
    size_t low = 0, high = l->held.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (l->held.data[middle].end_ps <= at_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first time from at_ps on for which the link is free for hold_ps. */
static uint64_t claim(struct link_state *l, uint32_t source, uint64_t at_ps, uint64_t hold_ps) {
    uint64_t *last = last_of(l, source);
    at_ps = at_ps < *last ? *last : at_ps;
    at_ps = at_ps < l->forgotten_ps ? l->forgotten_ps : at_ps;
    size_t i = first_after(l, at_ps);
    for (; i < l->held.len && sat_add(at_ps, hold_ps) > l->held.data[i].start_ps; i++)
        at_ps = l->held.data[i].end_ps;
    *last = sat_add(at_ps, hold_ps);
    if (*last > at_ps)
        take(l, i, (struct held_link){at_ps, *last});
    return at_ps;
}

/* The message comes to the link, waits until it is free, and holds it. */
static void enter(struct noc *n, struct flight *f, enum noc_direction direction) {
    struct link_state *l = find_link(n, f->row * n->grid.columns + f->column, direction);
    forget_held(l, n->now_ps);
    forget_passed(l, n->now_ps);
    uint64_t start = claim(l, f->source, f->at_ps, f->hold_ps), end = sat_add(start, f->hold_ps);
    l->is.messages++;
    add(&l->is.busy_ps, end - start);
    add(&l->is.wait_ps, start - f->at_ps);
    add(&n->stats.busy_ps, end - start);
    add(&f->wait_ps, start - f->at_ps);
    f->at_ps = start;
    if (n->watcher)
        n->watcher(n->context, &(struct noc_hold){l->is.router, f->source, direction, start, end});
}

/* ---- a message ---- */

static uint32_t step(uint32_t at, bool forward, uint32_t n) {
    return (at + (forward ? 1 : n - 1)) % n;
}

static void go_along_row(struct noc *n, struct flight *f, int64_t steps) {
    for (int64_t i = steps < 0 ? -steps : steps; i > 0; i--) {
        enter(n, f, steps > 0 ? NOC_RIGHT : NOC_LEFT);
        add(&f->at_ps, n->t->hop_ps);
        f->column = step(f->column, steps > 0, n->grid.columns);
    }
}

static void go_along_column(struct noc *n, struct flight *f, int64_t steps) {
    for (int64_t i = steps < 0 ? -steps : steps; i > 0; i--) {
        enter(n, f, steps > 0 ? NOC_DOWN : NOC_UP);
        add(&f->at_ps, n->t->hop_ps);
        f->row = step(f->row, steps > 0, n->grid.rows);
    }
}

/* A message is at least one flit. */
static uint64_t flits_of(const struct target *t, uint64_t bytes) {
    uint64_t all = sat_add(bytes, t->header_bytes);
    uint64_t flits = all / t->flit_bytes + (all % t->flit_bytes != 0);
    return flits ? flits : 1;
}

static void travel(struct noc *n, uint32_t from, uint32_t to, struct noc_trip *trip,
                   struct flight *f) {
    struct chip_route route = target_route(n->t, from, to);
    enter(n, f, NOC_IN);
    trip->start_ps = f->at_ps;
    trip->left_ps = sat_add(f->at_ps, f->hold_ps);
    go_along_row(n, f, route.right);
    go_along_column(n, f, route.down);
    enter(n, f, NOC_OUT);
    trip->arrival_ps = sat_add(f->at_ps, f->hold_ps);
    trip->wait_ps = f->wait_ps;
    trip->hops = target_hops(n->t, from, to);
}

static void count(struct noc_stats *s, uint64_t bytes, uint64_t flits,
                  const struct noc_trip *trip) {
    add(&s->messages, 1);
    add(&s->bytes, bytes);
    add(&s->flits, flits);
    add(&s->hops, trip->hops);
    add(&s->wait_ps, trip->wait_ps);
    add(&s->energy_fj, trip->energy_fj);
}

struct noc_trip timing_noc_reserve(struct noc *n, uint32_t from, uint32_t to, uint64_t bytes,
                                   uint64_t ready_ps) {
    struct noc_trip trip = {.start_ps = ready_ps, .left_ps = ready_ps, .arrival_ps = ready_ps};
    uint64_t flits = flits_of(n->t, bytes);
    struct flight f = {.source = from,
                       .column = from % n->grid.columns,
                       .row = from / n->grid.columns,
                       .hold_ps = sat_mul(flits, n->t->flit_ps),
                       .at_ps = ready_ps};
    if (n->now_ps < ready_ps)
        n->now_ps = ready_ps;
    if (from != to)
        travel(n, from, to, &trip, &f);
    uint64_t bits = sat_mul(sat_mul(flits, n->t->flit_bytes), 8);
    trip.energy_fj = sat_mul(sat_mul(bits, trip.hops), n->t->hop_fj_per_bit);
    count(&n->stats, bytes, from != to ? flits : 0, &trip);
    return trip;
}

/* ---- statistics ---- */

/* Whether a is the one to name, of two links. */
static bool more_loaded(const struct noc_link *a, const struct noc_link *b) {
    if (a->busy_ps != b->busy_ps)
        return a->busy_ps > b->busy_ps;
    return a->router != b->router ? a->router < b->router : a->direction < b->direction;
}

struct noc_stats timing_noc_stats(const struct noc *n) {
    struct noc_stats s = n->stats;
    s.links = n->links.len;
    for (size_t i = 0; i < n->links.len; i++)
        if (i == 0 || more_loaded(&n->links.data[i].is, &s.most_loaded))
            s.most_loaded = n->links.data[i].is;
    return s;
}

struct noc_link timing_noc_link(const struct noc *n, size_t i) {
    return n->links.data[i].is;
}
