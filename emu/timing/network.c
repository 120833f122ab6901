/* SPDX-License-Identifier: MIT
 * Each link keeps the stretches of time in which it is taken, ascending and without overlap; a
 * message takes the links of its way one after the other. */
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

struct noc *timing_noc_open(const struct target *target) {
    struct noc *n = xcalloc(1, sizeof *n);
    n->t = target;
    n->grid = target_grid(target);
    return n;
}

static void link_free(struct link_state *state) {
    vec_free(&state->held);
    vec_free(&state->last);
}

void timing_noc_close(struct noc *noc) {
    if (!noc)
        return;
    for (size_t i = 0; i < noc->links.len; i++)
        link_free(&noc->links.data[i]);
    vec_free(&noc->links);
    map_free(&noc->by_id);
    free(noc);
}

void timing_noc_watch(struct noc *noc, noc_watcher *watcher, void *context) {
    noc->watcher = watcher;
    noc->context = context;
}

static void add(uint64_t *sum, uint64_t x) {
    *sum = sat_add(*sum, x);
}

/* ---- one link ---- */

static struct link_state *find_link(struct noc *noc, uint32_t router,
                                    enum noc_direction direction) {
    const uint32_t id[] = {router, direction};
    const uint64_t *known = map_get_n(&noc->by_id, (const char *)id, sizeof id);
    if (known)
        return &noc->links.data[*known];
    map_put_n(&noc->by_id, (const char *)id, sizeof id, noc->links.len);
    vec_push(&noc->links, ((struct link_state){.is = {.router = router, .direction = direction}}));
    return &vec_last(&noc->links);
}

static void drop_held(struct link_state *state, size_t first, size_t count) {
    struct held_link *at = state->held.data + first;
    state->held.len -= count;
    memmove(at, at + count, (state->held.len - first) * sizeof *at);
}

static void forget_held(struct link_state *state, uint64_t now_ps) {
    size_t over = 0;
    while (over < state->held.len && state->held.data[over].end_ps <= now_ps)
        state->forgotten_ps = state->held.data[over++].end_ps;
    if (over)
        drop_held(state, 0, over);
}

/* The list may double before it is gone through, so that this costs little. */
static void forget_passed(struct link_state *state, uint64_t now_ps) {
    size_t kept = 0;
    if (state->last.len < state->last_limit)
        return;
    for (size_t i = 0; i < state->last.len; i++)
        if (state->last.data[i].end_ps > now_ps)
            state->last.data[kept++] = state->last.data[i];
    state->last.len = kept;
    state->last_limit = 2 * kept + 8;
}

/* Routers hand on what comes from one MPU in the order in which it comes. */
static uint64_t *last_of(struct link_state *state, uint32_t source) {
    size_t low = 0, high = state->last.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (state->last.data[middle].source < source)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == state->last.len || state->last.data[low].source != source) {
        vec_push(&state->last, (struct passed){0});
        struct passed *at = state->last.data + low;
        memmove(at + 1, at, (state->last.len - 1 - low) * sizeof *at);
        *at = (struct passed){source, 0};
    }
    return &state->last.data[low].end_ps;
}

/* Takes the link from x.start_ps to x.end_ps, which lies before the i-th held time. */
static void take(struct link_state *state, size_t index, struct held_link link) {
    bool joins = index > 0 && state->held.data[index - 1].end_ps == link.start_ps;
    bool joined = index < state->held.len && state->held.data[index].start_ps == link.end_ps;
    if (joined)
        state->held.data[index].start_ps =
            joins ? state->held.data[index - 1].start_ps : link.start_ps;
    else if (joins)
        state->held.data[index - 1].end_ps = link.end_ps;
    if (joins && joined)
        drop_held(state, index - 1, 1);
    if (joins || joined)
        return;
    vec_push(&state->held, link);
    struct held_link *at = state->held.data + index;
    memmove(at + 1, at, (state->held.len - 1 - index) * sizeof *at);
    *at = link;
}

/* The first held time that ends after at_ps; held.len if none does. */
static size_t first_after(const struct link_state *state, uint64_t at_ps) {
    size_t low = 0, high = state->held.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (state->held.data[middle].end_ps <= at_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first time from at_ps on for which the link is free for hold_ps. */
static uint64_t claim(struct link_state *state, uint32_t source, uint64_t at_ps, uint64_t hold_ps) {
    uint64_t *last = last_of(state, source);
    at_ps = at_ps < *last ? *last : at_ps;
    at_ps = at_ps < state->forgotten_ps ? state->forgotten_ps : at_ps;
    size_t i = first_after(state, at_ps);
    for (; i < state->held.len && sat_add(at_ps, hold_ps) > state->held.data[i].start_ps; i++)
        at_ps = state->held.data[i].end_ps;
    *last = sat_add(at_ps, hold_ps);
    if (*last > at_ps)
        take(state, i, (struct held_link){at_ps, *last});
    return at_ps;
}

/* The message comes to the link, waits until it is free, and holds it. */
static void enter(struct noc *noc, struct flight *flight, enum noc_direction direction) {
    struct link_state *l =
        find_link(noc, flight->row * noc->grid.columns + flight->column, direction);
    forget_held(l, noc->now_ps);
    forget_passed(l, noc->now_ps);
    uint64_t start = claim(l, flight->source, flight->at_ps, flight->hold_ps),
             end = sat_add(start, flight->hold_ps);
    l->is.messages++;
    add(&l->is.busy_ps, end - start);
    add(&l->is.wait_ps, start - flight->at_ps);
    add(&noc->stats.busy_ps, end - start);
    add(&flight->wait_ps, start - flight->at_ps);
    flight->at_ps = start;
    if (noc->watcher)
        noc->watcher(noc->context,
                     &(struct noc_hold){l->is.router, flight->source, direction, start, end});
}

/* ---- a message ---- */

static uint32_t step(uint32_t at, bool forward, uint32_t n) {
    return (at + (forward ? 1 : n - 1)) % n;
}

static void go_along_row(struct noc *noc, struct flight *flight, int64_t steps) {
    for (int64_t i = steps < 0 ? -steps : steps; i > 0; i--) {
        enter(noc, flight, steps > 0 ? NOC_RIGHT : NOC_LEFT);
        add(&flight->at_ps, noc->t->hop_ps);
        flight->column = step(flight->column, steps > 0, noc->grid.columns);
    }
}

static void go_along_column(struct noc *noc, struct flight *flight, int64_t steps) {
    for (int64_t i = steps < 0 ? -steps : steps; i > 0; i--) {
        enter(noc, flight, steps > 0 ? NOC_DOWN : NOC_UP);
        add(&flight->at_ps, noc->t->hop_ps);
        flight->row = step(flight->row, steps > 0, noc->grid.rows);
    }
}

/* A message is at least one flit. */
static uint64_t flits_of(const struct target *target, uint64_t bytes) {
    uint64_t all = sat_add(bytes, target->header_bytes);
    uint64_t flits = all / target->flit_bytes + (all % target->flit_bytes != 0);
    return flits ? flits : 1;
}

static void travel(struct noc *noc, uint32_t from, uint32_t to, struct noc_trip *trip,
                   struct flight *flight) {
    struct chip_route route = target_route(noc->t, from, to);
    enter(noc, flight, NOC_IN);
    trip->start_ps = flight->at_ps;
    trip->left_ps = sat_add(flight->at_ps, flight->hold_ps);
    go_along_row(noc, flight, route.right);
    go_along_column(noc, flight, route.down);
    enter(noc, flight, NOC_OUT);
    trip->arrival_ps = sat_add(flight->at_ps, flight->hold_ps);
    trip->wait_ps = flight->wait_ps;
    trip->hops = target_hops(noc->t, from, to);
}

static void count(struct noc_stats *stats, uint64_t bytes, uint64_t flits,
                  const struct noc_trip *trip) {
    add(&stats->messages, 1);
    add(&stats->bytes, bytes);
    add(&stats->flits, flits);
    add(&stats->hops, trip->hops);
    add(&stats->wait_ps, trip->wait_ps);
    add(&stats->energy_fj, trip->energy_fj);
}

struct noc_trip timing_noc_reserve(struct noc *noc, uint32_t from, uint32_t to, uint64_t bytes,
                                   uint64_t ready_ps) {
    struct noc_trip trip = {.start_ps = ready_ps, .left_ps = ready_ps, .arrival_ps = ready_ps};
    uint64_t flits = flits_of(noc->t, bytes);
    struct flight f = {.source = from,
                       .column = from % noc->grid.columns,
                       .row = from / noc->grid.columns,
                       .hold_ps = sat_mul(flits, noc->t->flit_ps),
                       .at_ps = ready_ps};
    if (noc->now_ps < ready_ps)
        noc->now_ps = ready_ps;
    if (from != to)
        travel(noc, from, to, &trip, &f);
    uint64_t bits = sat_mul(sat_mul(flits, noc->t->flit_bytes), 8);
    trip.energy_fj = sat_mul(sat_mul(bits, trip.hops), noc->t->hop_fj_per_bit);
    count(&noc->stats, bytes, from != to ? flits : 0, &trip);
    return trip;
}

/* ---- statistics ---- */

/* Whether a is the one to name, of two links. */
static bool more_loaded(const struct noc_link *left, const struct noc_link *right) {
    if (left->busy_ps != right->busy_ps)
        return left->busy_ps > right->busy_ps;
    return left->router != right->router ? left->router < right->router
                                         : left->direction < right->direction;
}

struct noc_stats timing_noc_stats(const struct noc *noc) {
    struct noc_stats s = noc->stats;
    s.links = noc->links.len;
    for (size_t i = 0; i < noc->links.len; i++)
        if (i == 0 || more_loaded(&noc->links.data[i].is, &s.most_loaded))
            s.most_loaded = noc->links.data[i].is;
    return s;
}

struct noc_link timing_noc_link(const struct noc *noc, size_t index) {
    return noc->links.data[index].is;
}
