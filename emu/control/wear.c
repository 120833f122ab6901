/* SPDX-License-Identifier: MIT
 * Runs that were executed on the same VRFs are one group; VRFs on which every group was executed
 * equally often are one class, whose cells are counted once.  So the work at the end follows the
 * number of different histories, not that of VRFs. */
#include "emu/control/wear.h"
#include "support/saturate.h"

#include "support/bits.h"

#include <string.h>

/* ---- while the program runs ---- */

/* Sets that a run's map holds at most, and bytes of them: what switches VRFs off may make any
 * number of them. */
enum { MAX_SETS = 1024, MAX_BYTES = 1 << 20 };

static int by_vrf(const void *x, const void *y) {
    const struct wear_step *a = x, *b = y;
    return (a->vrf > b->vrf) - (a->vrf < b->vrf);
}

/* Ascending, each VRF once, none that changes nothing. */
static void put_in_order(struct run_wear *w) {
    size_t kept = 0;
    if (w->steps.len)
        qsort(w->steps.data, w->steps.len, sizeof *w->steps.data, by_vrf);
    for (size_t i = 0; i < w->steps.len; i++) {
        struct wear_step s = w->steps.data[i];
        for (; i + 1 < w->steps.len && w->steps.data[i + 1].vrf == s.vrf; i++)
            s.more += w->steps.data[i + 1].more;
        if (s.more)
            w->steps.data[kept++] = s;
    }
    w->steps.len = kept;
}

static void note_set(struct run_wear *w, const struct map_entry *set, uint64_t executed) {
    struct vrf_range r;
    for (size_t at = 0; at < set->key_len; at += sizeof r) {
        memcpy(&r, set->key + at, sizeof r);
        vec_push(&w->steps, ((struct wear_step){r.first, executed}));
        vec_push(&w->steps, ((struct wear_step){(uint64_t)r.first + r.count, 0 - executed}));
    }
}

static void note_sets(struct run_wear *w) {
    for (size_t i = 0; i < w->sets.len; i++)
        note_set(w, &w->sets.entries[i], w->executed.data[i]);
    put_in_order(w);
    map_free(&w->sets);
    vec_clear(&w->executed);
    w->last = w->bytes = 0;
}

static bool is_last(const struct run_wear *w, const char *key, size_t bytes) {
    const struct map_entry *e = w->last < w->sets.len ? &w->sets.entries[w->last] : NULL;
    return e && e->key_len == bytes && memcmp(e->key, key, bytes) == 0;
}

void control_wear_count(struct run_wear *w, struct vrf_set on) {
    const char *key = (const char *)on.ranges;
    size_t bytes = on.count * sizeof *on.ranges;
    if (on.count == 0)
        return;
    if (!is_last(w, key, bytes)) {
        if (w->sets.len >= MAX_SETS || w->bytes > MAX_BYTES)
            note_sets(w);
        const uint64_t *known = map_get_n(&w->sets, key, bytes);
        w->last = known ? (size_t)*known : w->sets.len;
        if (!known) {
            map_put_n(&w->sets, key, bytes, w->sets.len);
            vec_push(&w->executed, 0);
            w->bytes += bytes;
        }
    }
    w->executed.data[w->last]++;
}

void control_wear_free(struct run_wear *w) {
    map_free(&w->sets);
    vec_free(&w->executed);
    vec_free(&w->steps);
}

/* ---- at the end ---- */

struct cell_count {
    uint32_t at; /* index into folding.cells and folding.written */
    uint64_t writes;
};
/* Runs with the same steps, as one run. */
struct wear_group {
    const struct run_wear *steps;
    VEC(struct cell_count) writes; /* per execution of all of them */
    uint64_t executed, applied;    /* on the VRF at hand; what the cells have of it */
    bool waits;                    /* is in folding.waiting */
    uint64_t key[2];               /* for the signature of a class */
};
/* A group's step, in the order of VRFs. */
struct wear_event {
    uint64_t vrf, more;
    uint32_t group;
};
struct folding {
    struct map groups;     /* steps -> group */
    struct map cell_index; /* cell -> where it stands below */
    struct map classes;    /* signature -> cells that were written */
    VEC(struct wear_group) list;
    VEC(uint32_t) cells;   /* their numbers */
    VEC(uint64_t) written; /* how often each, on the VRF at hand */
    VEC(struct wear_event) events;
    VEC(uint32_t) waiting;  /* groups with executed != applied */
    uint64_t cells_written; /* on the VRF at hand */
    struct control_wear *out;
};

static uint32_t place_of(struct folding *f, uint32_t cell) {
    const uint64_t *known = map_get_n(&f->cell_index, (const char *)&cell, sizeof cell);
    if (known)
        return (uint32_t)*known;
    map_put_n(&f->cell_index, (const char *)&cell, sizeof cell, f->cells.len);
    vec_push(&f->cells, cell);
    vec_push(&f->written, 0);
    return (uint32_t)f->cells.len - 1;
}

static struct wear_group *group_of(struct folding *f, const struct run_wear *w) {
    size_t bytes = w->steps.len * sizeof *w->steps.data;
    const uint64_t *known = map_get_n(&f->groups, (const char *)w->steps.data, bytes);
    if (known)
        return &f->list.data[*known];
    uint64_t seed = f->list.len;
    struct wear_group g = {.steps = w};
    g.key[0] = splitmix64(&seed);
    g.key[1] = splitmix64(&seed);
    map_put_n(&f->groups, (const char *)w->steps.data, bytes, f->list.len);
    vec_push(&f->list, g);
    return &vec_last(&f->list);
}

static uint64_t executions(const struct run_wear *w) {
    uint64_t sum = 0, now = 0;
    for (size_t i = 0; i + 1 < w->steps.len; i++) {
        now += w->steps.data[i].more;
        sum = sat_add(sum, sat_mul(now, w->steps.data[i + 1].vrf - w->steps.data[i].vrf));
    }
    return sum;
}

static void add_run(struct folding *f, struct run_wear *w, const struct dp_description *about) {
    note_sets(w);
    if (!w->steps.len || !about->write_count)
        return;
    struct wear_group *g = group_of(f, w);
    uint64_t times = executions(w);
    for (size_t i = 0; i < about->write_count; i++) {
        const struct dp_cell_writes *x = &about->writes[i];
        vec_push(&g->writes, ((struct cell_count){place_of(f, x->cell), x->writes}));
        f->out->writes = sat_add(f->out->writes, sat_mul(times, x->writes));
    }
}

static int by_place(const void *x, const void *y) {
    const struct wear_event *a = x, *b = y;
    return (a->vrf > b->vrf) - (a->vrf < b->vrf);
}

static void list_events(struct folding *f) {
    for (size_t g = 0; g < f->list.len; g++)
        for (size_t i = 0; i < f->list.data[g].steps->steps.len; i++) {
            struct wear_step s = f->list.data[g].steps->steps.data[i];
            vec_push(&f->events, ((struct wear_event){s.vrf, s.more, (uint32_t)g}));
        }
    if (f->events.len)
        qsort(f->events.data, f->events.len, sizeof *f->events.data, by_place);
}

/* The cells take what the group did since they last did. */
static void apply(struct folding *f, struct wear_group *g) {
    uint64_t more = g->executed - g->applied;
    for (size_t i = 0; i < g->writes.len; i++) {
        uint64_t *cell = &f->written.data[g->writes.data[i].at], old = *cell;
        *cell += more * g->writes.data[i].writes;
        f->cells_written += (uint64_t)(*cell != 0) - (uint64_t)(old != 0);
    }
    g->applied = g->executed;
    g->waits = false;
}

/* A cell that is written oftener than any before changed with one of these groups. */
static void look_for_most(struct folding *f, const struct wear_group *g, uint32_t vrf) {
    struct control_wear *out = f->out;
    for (size_t i = 0; i < g->writes.len; i++) {
        uint32_t at = g->writes.data[i].at, cell = f->cells.data[at];
        uint64_t writes = f->written.data[at];
        bool more = writes > out->most_writes;
        if (!more && (writes != out->most_writes || vrf != out->most_vrf || cell >= out->most_cell))
            continue;
        out->most_writes = writes;
        out->most_vrf = vrf;
        out->most_cell = cell;
    }
}

/* Brings the cells up to date on a VRF with a history that none before it had. */
static void count_cells(struct folding *f, uint32_t vrf) {
    for (size_t i = 0; i < f->waiting.len; i++)
        apply(f, &f->list.data[f->waiting.data[i]]);
    for (size_t i = 0; i < f->waiting.len; i++)
        look_for_most(f, &f->list.data[f->waiting.data[i]], vrf);
    vec_clear(&f->waiting);
}

/* `vrfs` VRFs from `first` on, all with the same history. */
static void count_class(struct folding *f, const uint64_t signature[2], uint32_t first,
                        uint64_t vrfs) {
    const char *key = (const char *)signature;
    const uint64_t *known = map_get_n(&f->classes, key, 2 * sizeof *signature);
    uint64_t written = known ? *known : 0;
    if (!known) {
        count_cells(f, first);
        written = f->cells_written;
        map_put_n(&f->classes, key, 2 * sizeof *signature, written);
    }
    f->out->cells_written = sat_add(f->out->cells_written, sat_mul(written, vrfs));
}

static void step(struct folding *f, const struct wear_event *e, uint64_t signature[2]) {
    struct wear_group *g = &f->list.data[e->group];
    g->executed += e->more;
    for (size_t k = 0; k < 2; k++)
        signature[k] += e->more * g->key[k];
    if (!g->waits)
        vec_push(&f->waiting, e->group);
    g->waits = true;
}

static void sweep(struct folding *f) {
    uint64_t signature[2] = {0, 0};
    for (size_t i = 0; i < f->events.len; i++) {
        const struct wear_event *e = &f->events.data[i];
        step(f, e, signature);
        if (i + 1 < f->events.len && e[1].vrf != e->vrf)
            count_class(f, signature, (uint32_t)e->vrf, e[1].vrf - e->vrf);
    }
}

static void folding_free(struct folding *f) {
    for (size_t i = 0; i < f->list.len; i++)
        vec_free(&f->list.data[i].writes);
    vec_free(&f->list);
    map_free(&f->groups);
    map_free(&f->cell_index);
    map_free(&f->classes);
    vec_free(&f->cells);
    vec_free(&f->written);
    vec_free(&f->events);
    vec_free(&f->waiting);
}

void control_wear_finish(struct run_wear *const *runs, const struct dp_description *const *about,
                         size_t count, struct control_wear *out) {
    struct folding f = {.out = out};
    out->writes = out->cells_written = out->most_writes = 0;
    out->most_vrf = out->most_cell = 0;
    for (size_t i = 0; i < count; i++)
        add_run(&f, runs[i], about[i]);
    list_events(&f);
    sweep(&f);
    folding_free(&f);
}
