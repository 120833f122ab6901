/* SPDX-License-Identifier: MIT
 * Runs that were executed on the same VRFs are one group.  VRFs that have the same number of
 * executions of every group are one class, whose cells are counted once.  So the work at the end
 * grows with the number of classes, not of VRFs. */
#include "emu/control/wear.h"
#include "support/saturate.h"

#include "support/bits.h"

#include <string.h>

/* ---- while the program runs ---- */

/* Sets that a run's map holds at most, and bytes of them: what switches VRFs off may make any
 * number of them. */
enum { MAX_SETS = 1024, MAX_BYTES = 1 << 20 };

static int by_vrf(const void *left, const void *right) {
    const struct wear_step *a = left, *b = right;
    return (a->vrf > b->vrf) - (a->vrf < b->vrf);
}

/* Ascending, each VRF once, none that changes nothing. */
static void put_in_order(struct run_wear *wear) {
    size_t kept = 0;
    if (wear->steps.len)
        qsort(wear->steps.data, wear->steps.len, sizeof *wear->steps.data, by_vrf);
    for (size_t i = 0; i < wear->steps.len; i++) {
        struct wear_step s = wear->steps.data[i];
        for (; i + 1 < wear->steps.len && wear->steps.data[i + 1].vrf == s.vrf; i++)
            s.more += wear->steps.data[i + 1].more;
        if (s.more)
            wear->steps.data[kept++] = s;
    }
    wear->steps.len = kept;
}

static void note_set(struct run_wear *wear, const struct map_entry *set, uint64_t executed) {
    struct vrf_range r;
    for (size_t at = 0; at < set->key_len; at += sizeof r) {
        memcpy(&r, set->key + at, sizeof r);
        vec_push(&wear->steps, ((struct wear_step){r.first, executed}));
        vec_push(&wear->steps, ((struct wear_step){(uint64_t)r.first + r.count, 0 - executed}));
    }
}

static void note_sets(struct run_wear *wear) {
    for (size_t i = 0; i < wear->sets.len; i++)
        note_set(wear, &wear->sets.entries[i], wear->executed.data[i]);
    put_in_order(wear);
    map_free(&wear->sets);
    vec_clear(&wear->executed);
    wear->last = wear->bytes = 0;
}

static bool is_last(const struct run_wear *wear, const char *key, size_t bytes) {
    const struct map_entry *e =
        wear->last < wear->sets.len ? &wear->sets.entries[wear->last] : NULL;
    return e && e->key_len == bytes && memcmp(e->key, key, bytes) == 0;
}

void control_wear_count(struct run_wear *wear, struct vrf_set on) {
    const char *key = (const char *)on.ranges;
    size_t bytes = on.count * sizeof *on.ranges;
    if (on.count == 0)
        return;
    if (!is_last(wear, key, bytes)) {
        if (wear->sets.len >= MAX_SETS || wear->bytes > MAX_BYTES)
            note_sets(wear);
        const uint64_t *known = map_get_n(&wear->sets, key, bytes);
        wear->last = known ? (size_t)*known : wear->sets.len;
        if (!known) {
            map_put_n(&wear->sets, key, bytes, wear->sets.len);
            vec_push(&wear->executed, 0);
            wear->bytes += bytes;
        }
    }
    wear->executed.data[wear->last]++;
}

void control_wear_free(struct run_wear *wear) {
    map_free(&wear->sets);
    vec_free(&wear->executed);
    vec_free(&wear->steps);
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
    struct map groups;         /* steps -> group */
    struct map cell_index;     /* cell -> where it stands below */
    struct map classes;        /* signature -> its number */
    VEC(uint64_t) class_cells; /* [classes.len]: that were written in a VRF of it */
    VEC(uint32_t) numbers; /* of the classes that were written at all; the others': UINT32_MAX */
    uint32_t told;         /* classes that have one */
    VEC(struct wear_group) list;
    VEC(uint32_t) cells;   /* their numbers */
    VEC(uint64_t) written; /* how often each, on the VRF at hand */
    VEC(struct wear_event) events;
    VEC(uint32_t) waiting;  /* groups with executed != applied */
    uint64_t cells_written; /* on the VRF at hand */
    struct control_wear *out;
    const struct wear_visit *visit;    /* NULL: nobody asks */
    bool ranges;                       /* of what: of ranges, else of cells */
    VEC(struct dp_cell_writes) sorted; /* scratch */
};

static uint32_t place_of(struct folding *folding, uint32_t cell) {
    const uint64_t *known = map_get_n(&folding->cell_index, (const char *)&cell, sizeof cell);
    if (known)
        return (uint32_t)*known;
    map_put_n(&folding->cell_index, (const char *)&cell, sizeof cell, folding->cells.len);
    vec_push(&folding->cells, cell);
    vec_push(&folding->written, 0);
    return (uint32_t)folding->cells.len - 1;
}

static struct wear_group *group_of(struct folding *folding, const struct run_wear *wear) {
    size_t bytes = wear->steps.len * sizeof *wear->steps.data;
    const uint64_t *known = map_get_n(&folding->groups, (const char *)wear->steps.data, bytes);
    if (known)
        return &folding->list.data[*known];
    uint64_t seed = folding->list.len;
    struct wear_group g = {.steps = wear};
    g.key[0] = splitmix64(&seed);
    g.key[1] = splitmix64(&seed);
    map_put_n(&folding->groups, (const char *)wear->steps.data, bytes, folding->list.len);
    vec_push(&folding->list, g);
    return &vec_last(&folding->list);
}

static uint64_t executions(const struct run_wear *wear) {
    uint64_t sum = 0, now = 0;
    for (size_t i = 0; i + 1 < wear->steps.len; i++) {
        now += wear->steps.data[i].more;
        sum = sat_add(sum, sat_mul(now, wear->steps.data[i + 1].vrf - wear->steps.data[i].vrf));
    }
    return sum;
}

static void add_run(struct folding *folding, struct run_wear *wear,
                    const struct dp_description *about) {
    note_sets(wear);
    if (!wear->steps.len || !about->write_count)
        return;
    struct wear_group *g = group_of(folding, wear);
    uint64_t times = executions(wear);
    for (size_t i = 0; i < about->write_count; i++) {
        const struct dp_cell_writes *x = &about->writes[i];
        vec_push(&g->writes, ((struct cell_count){place_of(folding, x->cell), x->writes}));
        folding->out->writes = sat_add(folding->out->writes, sat_mul(times, x->writes));
    }
}

static int by_place(const void *left, const void *right) {
    const struct wear_event *a = left, *b = right;
    return (a->vrf > b->vrf) - (a->vrf < b->vrf);
}

static void list_events(struct folding *folding) {
    for (size_t g = 0; g < folding->list.len; g++)
        for (size_t i = 0; i < folding->list.data[g].steps->steps.len; i++) {
            struct wear_step s = folding->list.data[g].steps->steps.data[i];
            vec_push(&folding->events, ((struct wear_event){s.vrf, s.more, (uint32_t)g}));
        }
    if (folding->events.len)
        qsort(folding->events.data, folding->events.len, sizeof *folding->events.data, by_place);
}

/* The cells take what the group did since they last did. */
static void apply(struct folding *folding, struct wear_group *group) {
    uint64_t more = group->executed - group->applied;
    for (size_t i = 0; i < group->writes.len; i++) {
        uint64_t *cell = &folding->written.data[group->writes.data[i].at], old = *cell;
        *cell += more * group->writes.data[i].writes;
        folding->cells_written += (uint64_t)(*cell != 0) - (uint64_t)(old != 0);
    }
    group->applied = group->executed;
    group->waits = false;
}

/* A cell that is written oftener than any before changed with one of these groups. */
static void look_for_most(struct folding *folding, const struct wear_group *group, uint32_t vrf) {
    struct control_wear *out = folding->out;
    for (size_t i = 0; i < group->writes.len; i++) {
        uint32_t at = group->writes.data[i].at, cell = folding->cells.data[at];
        uint64_t writes = folding->written.data[at];
        bool more = writes > out->most_writes;
        if (!more && (writes != out->most_writes || vrf != out->most_vrf || cell >= out->most_cell))
            continue;
        out->most_writes = writes;
        out->most_vrf = vrf;
        out->most_cell = cell;
    }
}

/* Brings the cells up to date on a VRF with a history that none before it had. */
static void count_cells(struct folding *folding, uint32_t vrf) {
    for (size_t i = 0; i < folding->waiting.len; i++)
        apply(folding, &folding->list.data[folding->waiting.data[i]]);
    for (size_t i = 0; i < folding->waiting.len; i++)
        look_for_most(folding, &folding->list.data[folding->waiting.data[i]], vrf);
    vec_clear(&folding->waiting);
}

static int by_cell(const void *left, const void *right) {
    const struct dp_cell_writes *a = left, *b = right;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

/* All cells of the VRF at hand. */
static void tell_cells(struct folding *folding, uint32_t number) {
    folding->sorted.len = 0;
    for (size_t i = 0; i < folding->cells.len; i++)
        if (folding->written.data[i])
            vec_push(&folding->sorted,
                     ((struct dp_cell_writes){folding->cells.data[i], folding->written.data[i]}));
    if (folding->sorted.len)
        qsort(folding->sorted.data, folding->sorted.len, sizeof *folding->sorted.data, by_cell);
    for (size_t i = 0; i < folding->sorted.len; i++)
        folding->visit->cell(folding->visit->context, number, folding->sorted.data[i].cell,
                             folding->sorted.data[i].writes);
}

/* The cells of a VRF with a history that none before it had. */
static void open_class(struct folding *folding, uint32_t vrf) {
    count_cells(folding, vrf);
    uint32_t number = folding->cells_written ? folding->told++ : UINT32_MAX;
    vec_push(&folding->class_cells, folding->cells_written);
    vec_push(&folding->numbers, number);
    if (folding->visit && !folding->ranges && folding->cells_written)
        tell_cells(folding, number);
}

/* `vrfs` VRFs from `first` on, all with the same history. */
static void count_class(struct folding *folding, const uint64_t signature[2], uint32_t first,
                        uint64_t vrfs) {
    size_t before = folding->classes.len;
    uint32_t class = map_number(&folding->classes, (const char *)signature, 2 * sizeof *signature);
    if (folding->classes.len > before)
        open_class(folding, first);
    folding->out->cells_written =
        sat_add(folding->out->cells_written, sat_mul(folding->class_cells.data[class], vrfs));
    if (folding->visit && folding->ranges && folding->class_cells.data[class])
        folding->visit->range(folding->visit->context, folding->numbers.data[class], first, vrfs);
}

static void step(struct folding *folding, const struct wear_event *event, uint64_t signature[2]) {
    struct wear_group *g = &folding->list.data[event->group];
    g->executed += event->more;
    for (size_t k = 0; k < 2; k++)
        signature[k] += event->more * g->key[k];
    if (!g->waits)
        vec_push(&folding->waiting, event->group);
    g->waits = true;
}

static void sweep(struct folding *folding) {
    uint64_t signature[2] = {0, 0};
    for (size_t i = 0; i < folding->events.len; i++) {
        const struct wear_event *e = &folding->events.data[i];
        step(folding, e, signature);
        if (i + 1 < folding->events.len && e[1].vrf != e->vrf)
            count_class(folding, signature, (uint32_t)e->vrf, e[1].vrf - e->vrf);
    }
}

static void folding_free(struct folding *folding) {
    for (size_t i = 0; i < folding->list.len; i++)
        vec_free(&folding->list.data[i].writes);
    vec_free(&folding->list);
    map_free(&folding->groups);
    map_free(&folding->cell_index);
    map_free(&folding->classes);
    vec_free(&folding->class_cells);
    vec_free(&folding->numbers);
    vec_free(&folding->sorted);
    vec_free(&folding->cells);
    vec_free(&folding->written);
    vec_free(&folding->events);
    vec_free(&folding->waiting);
}

static void fold(struct run_wear *const *runs, const struct dp_description *const *about,
                 size_t count, struct folding *folding) {
    struct control_wear *out = folding->out;
    out->writes = out->cells_written = out->most_writes = 0;
    out->most_vrf = out->most_cell = 0;
    for (size_t i = 0; i < count; i++)
        add_run(folding, runs[i], about[i]);
    list_events(folding);
    sweep(folding);
    folding_free(folding);
}

void control_wear_finish(struct run_wear *const *runs, const struct dp_description *const *about,
                         size_t count, struct control_wear *out) {
    struct folding f = {.out = out};
    fold(runs, about, count, &f);
}

/* Twice, so that nobody keeps the cells of all classes. */
void control_wear_visit(struct run_wear *const *runs, const struct dp_description *const *about,
                        size_t count, const struct wear_visit *visit) {
    struct control_wear out;
    struct folding ranges = {.out = &out, .visit = visit, .ranges = true},
                   cells = {.out = &out, .visit = visit};
    fold(runs, about, count, &ranges);
    fold(runs, about, count, &cells);
}

/* How often a run was executed on a VRF. */
static uint64_t executions_on(const struct run_wear *wear, uint32_t vrf) {
    uint64_t sum = 0;
    for (size_t i = 0; i < wear->steps.len && wear->steps.data[i].vrf <= vrf; i++)
        sum += wear->steps.data[i].more;
    return sum;
}

void control_wear_visit_one(struct run_wear *const *runs, const struct dp_description *const *about,
                            size_t count, uint32_t vrf, const struct wear_visit *visit) {
    struct folding f = {.visit = visit};
    for (size_t i = 0; i < count; i++) {
        note_sets(runs[i]);
        uint64_t times = executions_on(runs[i], vrf);
        for (size_t k = 0; times && k < about[i]->write_count; k++) {
            uint32_t at = place_of(&f, about[i]->writes[k].cell);
            f.written.data[at] += times * about[i]->writes[k].writes;
        }
    }
    visit->range(visit->context, 0, vrf, 1);
    tell_cells(&f, 0);
    folding_free(&f);
}
