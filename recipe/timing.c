/* SPDX-License-Identifier: MIT
 * The schedule, in one pass over the list.
 *
 * Every dependence but one points backward in the list, so a micro-op can be placed as soon as it
 * is met.  The exception is the one physical buffer per section and direction: a carry may not be
 * overwritten before its last reader has run, and that reader may stand later in the list.  A
 * micro-op that waits for one goes into the queue of its section (sections work in order), and is
 * tried again whenever something else was placed.  What is still queued at the end waits for
 * itself: no order exists.
 *
 * Buffers, C and M are resources whose writes number their epochs.  A read waits for the write
 * that began its epoch; the next write waits for all reads of the epoch before. */
#include "recipe/timing.h"

#include "support/alloc.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

#define BUFFERS     (2 * TIMING_MAX_SECTIONS)
#define RESOURCES   (BUFFERS + 2) /* buffers, C, M */
#define RESOURCE_C  BUFFERS
#define RESOURCE_M  (BUFFERS + 1)
#define NOT_PLACED  UINT64_MAX
#define MAX_TOUCHES (2 * UOP_MAX + 1)

struct touch {
    uint8_t resource;
    bool write;
    uint32_t epoch; /* read: the epoch it sees; write: the one it ends */
    uint32_t reads; /* write: reads of that epoch, all to be done first */
};

struct waiting {
    uint32_t index;
    uint64_t slot_ps; /* when its issue slot is over */
    unsigned count;
    struct touch touches[MAX_TOUCHES];
};

struct resource {
    uint32_t listed;              /* epochs begun, in list order */
    uint32_t first_reads;         /* reads of epoch 0 */
    uint32_t writer;              /* micro-op that began the latest epoch of the list */
    uint32_t epoch;               /* epochs begun, as placed */
    uint32_t reads;               /* placed, of the present epoch */
    uint64_t written_ps, read_ps; /* ends of the last write and the last read placed */
};

struct section_queue {
    VEC(struct waiting) queue;
    size_t head;
    uint64_t free_ps;
};

struct uop_schedule {
    const struct target *t;
    const struct uop *uops;
    size_t n;
    uint64_t *start;   /* [n], NOT_PLACED until then */
    uint32_t *reads;   /* [n]: of the epoch that this micro-op's write begins, per list */
    size_t carries;    /* carry variables of a buffer, from the list */
    uint32_t *epochs;  /* [BUFFERS][carries]: epoch of a carry's latest write in the list */
    uint32_t *writers; /* the same: its micro-op */
    struct resource resources[RESOURCES];
    struct section_queue sections[TIMING_MAX_SECTIONS];
    uint64_t queued; /* bit per section */
    struct timing_profile *out;
    bool overflow;
};

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t add_ps(struct uop_schedule *s, uint64_t a, uint64_t b) {
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum) || sum >= NOT_PLACED - 1) {
        s->overflow = true;
        return NOT_PLACED - 2;
    }
    return sum;
}

/* --- what a micro-op touches --- */

static int resource_of(uint32_t plane) {
    switch (PLANE_CLASS(plane)) {
    case PLANE_BUFFER:
        return (int)((PLANE_SECTION(plane) % TIMING_MAX_SECTIONS) * 2 +
                     (PLANE_NUMBER(plane) >> 8 & 1));
    case PLANE_C:
        return RESOURCE_C;
    case PLANE_M:
        return RESOURCE_M;
    default:
        return -1;
    }
}

static size_t carry_slot(const struct uop_schedule *s, int resource, uint32_t plane) {
    return (size_t)resource * s->carries + (PLANE_NUMBER(plane) & 0xff);
}

static bool touches_nothing(const struct uop *u) {
    bool any = PLANE_CLASS(u->predicate) == PLANE_M;
    for (unsigned k = 0; k < u->nsrc && k < UOP_MAX; k++)
        any |= resource_of(u->src[k]) >= 0;
    for (unsigned k = 0; k < u->ndst && k < UOP_MAX; k++)
        any |= resource_of(u->dst[k]) >= 0;
    return !any;
}

/* First pass: how many reads each write serves. */
static void count_read(struct uop_schedule *s, uint32_t plane) {
    int r = resource_of(plane);
    if (r < 0)
        return;
    uint32_t writer = r < BUFFERS ? s->writers[carry_slot(s, r, plane)] : s->resources[r].writer;
    if (writer != UINT32_MAX)
        s->reads[writer]++;
    else
        s->resources[r].first_reads++;
}

static void count_write(struct uop_schedule *s, uint32_t plane, uint32_t index) {
    int r = resource_of(plane);
    if (r < 0)
        return;
    if (r < BUFFERS)
        s->writers[carry_slot(s, r, plane)] = index;
    s->resources[r].writer = index;
}

static void count_reads(struct uop_schedule *s) {
    for (size_t i = 0; i < s->n; i++) {
        const struct uop *u = &s->uops[i];
        if (touches_nothing(u))
            continue;
        for (unsigned k = 0; k < u->nsrc && k < UOP_MAX; k++)
            count_read(s, u->src[k]);
        count_read(s, u->predicate);
        for (unsigned k = 0; k < u->ndst && k < UOP_MAX; k++)
            count_write(s, u->dst[k], (uint32_t)i);
    }
    for (int r = 0; r < RESOURCES; r++)
        s->resources[r].writer = UINT32_MAX;
}

/* Second pass, in list order: the touches of one micro-op. */
static void list_read(struct uop_schedule *s, struct waiting *w, uint32_t plane) {
    int r = resource_of(plane);
    if (r < 0)
        return;
    uint32_t epoch = r < BUFFERS ? s->epochs[carry_slot(s, r, plane)] : s->resources[r].listed;
    w->touches[w->count++] = (struct touch){.resource = (uint8_t)r, .epoch = epoch};
}

static void list_write(struct uop_schedule *s, struct waiting *w, uint32_t plane) {
    int r = resource_of(plane);
    if (r < 0)
        return;
    struct resource *x = &s->resources[r];
    uint32_t reads = x->writer == UINT32_MAX ? x->first_reads : s->reads[x->writer];
    w->touches[w->count++] = (struct touch){(uint8_t)r, true, x->listed, reads};
    x->listed++;
    x->writer = w->index;
    if (r < BUFFERS)
        s->epochs[carry_slot(s, r, plane)] = x->listed;
}

static void list_touches(struct uop_schedule *s, struct waiting *w) {
    const struct uop *u = &s->uops[w->index];
    for (unsigned k = 0; k < u->nsrc && k < UOP_MAX; k++)
        list_read(s, w, u->src[k]);
    list_read(s, w, u->predicate);
    for (unsigned k = 0; k < u->ndst && k < UOP_MAX; k++)
        list_write(s, w, u->dst[k]);
}

/* --- placing --- */

/* Its own reads of a buffer that it overwrites are done when it starts. */
static uint32_t own_reads(const struct waiting *w, const struct touch *write) {
    uint32_t n = 0;
    for (unsigned i = 0; i < w->count; i++)
        n += !w->touches[i].write && w->touches[i].resource == write->resource &&
             w->touches[i].epoch == write->epoch;
    return n;
}

/* False if one of its resources is not ready; else *start is not before any of them. */
static bool resources_ready(const struct uop_schedule *s, const struct waiting *w,
                            uint64_t *start) {
    for (unsigned i = 0; i < w->count; i++) {
        const struct touch *x = &w->touches[i];
        const struct resource *r = &s->resources[x->resource];
        if (r->epoch != x->epoch)
            return false;
        *start = later(*start, r->written_ps);
        if (!x->write)
            continue;
        if (r->reads + own_reads(w, x) != x->reads)
            return false;
        *start = later(*start, r->read_ps);
    }
    return true;
}

static unsigned profile_slot(unsigned resource, bool write) {
    if (resource == RESOURCE_C)
        return write ? TIMING_C : TIMING_C_READ;
    if (resource == RESOURCE_M)
        return write ? TIMING_M : TIMING_M_READ;
    return TIMING_MAX_SECTIONS * (1 + resource % 2) + resource / 2;
}

static void occupy(struct timing_profile *p, unsigned slot, uint64_t start, uint64_t end) {
    if (p->first_ps[slot] == TIMING_UNUSED || start < p->first_ps[slot])
        p->first_ps[slot] = start;
    p->release_ps[slot] = later(p->release_ps[slot], end);
    p->done_ps = later(p->done_ps, end);
}

/* Reads are counted first: a write then begins the next epoch. */
static void use_resources(struct uop_schedule *s, const struct waiting *w, uint64_t start,
                          uint64_t end) {
    for (int writes = 0; writes < 2; writes++)
        for (unsigned i = 0; i < w->count; i++) {
            const struct touch *x = &w->touches[i];
            struct resource *r = &s->resources[x->resource];
            if (x->write != (writes != 0))
                continue;
            occupy(s->out, profile_slot(x->resource, x->write), start, end);
            if (x->write) {
                r->epoch++;
                r->reads = 0;
                r->written_ps = end;
            } else {
                r->reads++;
                r->read_ps = later(r->read_ps, end);
            }
        }
}

uint64_t recipe_timing_duration(const struct target *t, const struct uop *u) {
    uint64_t one = plane_target(t)->ops[u->kind].time_ps, all;
    return __builtin_mul_overflow(one ? one : t->datapath_ps, (uint64_t)u->count, &all) ? UINT64_MAX
                                                                                        : all;
}

static uint64_t duration(struct uop_schedule *s, const struct uop *u) {
    uint64_t all = recipe_timing_duration(s->t, u);
    s->overflow |= all == UINT64_MAX;
    return s->overflow ? 0 : all;
}

static bool place(struct uop_schedule *s, const struct waiting *w) {
    const struct uop *u = &s->uops[w->index];
    struct section_queue *section = &s->sections[u->section];
    uint64_t start = later(section->free_ps, w->slot_ps);
    if (u->forwarded) {
        uint64_t before = s->start[w->index - u->forwarded];
        if (before == NOT_PLACED)
            return false;
        start = later(start, add_ps(s, before, s->t->datapath_ps));
    }
    if (!resources_ready(s, w, &start))
        return false;
    uint64_t end = add_ps(s, start, duration(s, u));
    s->start[w->index] = start;
    section->free_ps = end;
    occupy(s->out, u->section, start, end);
    use_resources(s, w, start, end);
    return true;
}

static bool drain_section(struct uop_schedule *s, unsigned i) {
    struct section_queue *x = &s->sections[i];
    bool moved = false;
    while (x->head < x->queue.len && place(s, &x->queue.data[x->head])) {
        x->head++;
        moved = true;
    }
    if (x->head == x->queue.len) {
        x->head = x->queue.len = 0;
        s->queued &= ~((uint64_t)1 << i);
    }
    return moved;
}

static void drain(struct uop_schedule *s) {
    bool moved = true;
    while (s->queued && moved) {
        moved = false;
        for (uint64_t left = s->queued; left; left &= left - 1)
            moved |= drain_section(s, (unsigned)__builtin_ctzll(left));
    }
}

static void meet(struct uop_schedule *s, const struct waiting *w) {
    unsigned i = s->uops[w->index].section;
    if (!(s->queued >> i & 1) && place(s, w)) {
        drain(s);
        return;
    }
    vec_push(&s->sections[i].queue, *w);
    s->queued |= (uint64_t)1 << i;
}

/* --- the whole list --- */

static void count_carry(struct uop_schedule *s, uint32_t plane) {
    size_t number = PLANE_NUMBER(plane) & 0xff;
    if (PLANE_CLASS(plane) == PLANE_BUFFER && number >= s->carries)
        s->carries = number + 1;
}

static bool check_list(struct uop_schedule *s, const char **error) {
    for (size_t i = 0; i < s->n; i++) {
        const struct uop *u = &s->uops[i];
        if (u->kind >= plane_target(s->t)->op_count || u->section >= plane_target(s->t)->sections ||
            u->nsrc > UOP_MAX || u->ndst > UOP_MAX || u->forwarded > i) {
            *error = "a micro-op that this target does not have";
            return false;
        }
        for (unsigned k = 0; k < u->nsrc; k++)
            count_carry(s, u->src[k]);
        for (unsigned k = 0; k < u->ndst; k++)
            count_carry(s, u->dst[k]);
    }
    return true;
}

/* From an instruction's issue to its first micro-op. */
static uint64_t issue_ps(const struct target *t) {
    return plane_target(t)->issue_cycles * t->datapath_ps;
}

static uint64_t run_list(struct uop_schedule *s, const uint32_t *instructions, size_t count) {
    uint64_t slots = 0, issued = 0, period = target_issue_ps(s->t);
    size_t next = 0;
    for (size_t i = 0; i < s->n; i++) {
        for (; next < count && instructions[next] <= i; next++) {
            slots++;
            issued = add_ps(s, issued, issue_ps(s->t));
        }
        slots += !s->uops[i].forwarded;
        struct waiting w = {.index = (uint32_t)i};
        w.slot_ps = s->uops[i].forwarded ? 0 : add_ps(s, slots * period, issued);
        s->start[i] = NOT_PLACED;
        list_touches(s, &w);
        meet(s, &w);
    }
    return slots + (count - next);
}

/* Without sections that work at once, one micro-op follows the other. */
static uint64_t run_serial(struct uop_schedule *s, const uint32_t *instructions, size_t count) {
    uint64_t slots = 0, at = 0, period = target_issue_ps(s->t);
    size_t next = 0;
    for (size_t i = 0; i < s->n; i++) {
        for (; next < count && instructions[next] <= i; next++) {
            slots++;
            at = add_ps(s, at, issue_ps(s->t));
        }
        at = later(at, ++slots * period);
        uint64_t end = add_ps(s, at, duration(s, &s->uops[i]));
        s->start[i] = at;
        occupy(s->out, 0, at, end);
        at = end;
    }
    return slots + (count - next);
}

static void free_schedule(struct uop_schedule *s) {
    free(s->start);
    free(s->reads);
    free(s->epochs);
    free(s->writers);
    for (int i = 0; i < TIMING_MAX_SECTIONS; i++)
        vec_free(&s->sections[i].queue);
}

static void make_schedule(struct uop_schedule *s) {
    size_t carries = BUFFERS * s->carries;
    s->start = xcalloc(s->n + 1, sizeof *s->start);
    s->reads = xcalloc(s->n + 1, sizeof *s->reads);
    s->epochs = xcalloc(carries, sizeof *s->epochs);
    s->writers = xcalloc(carries, sizeof *s->writers);
    memset(s->writers, 0xff, carries * sizeof *s->writers);
    for (int r = 0; r < RESOURCES; r++)
        s->resources[r].writer = UINT32_MAX;
}

static void start_profile(struct timing_profile *out) {
    memset(out, 0, sizeof *out);
    for (int i = 0; i < TIMING_RESOURCES; i++)
        out->first_ps[i] = TIMING_UNUSED;
}

static void list_used(struct timing_profile *out) {
    for (unsigned r = 0; r < TIMING_RESOURCES; r++)
        if (out->first_ps[r] != TIMING_UNUSED)
            out->used[out->used_count++] = (uint8_t)r;
}

/* s holds the target and the list; its storage is to be freed either way. */
static bool run_schedule(struct uop_schedule *s, const uint32_t *instructions, size_t count,
                         const char **error) {
    start_profile(s->out);
    if (s->n >= UINT32_MAX) {
        *error = "more than 2^32 micro-ops";
        return false;
    }
    if (!check_list(s, error))
        return false;
    make_schedule(s);
    if (plane_target(s->t)->bit_pipelined)
        count_reads(s);
    uint64_t slots = plane_target(s->t)->bit_pipelined ? run_list(s, instructions, count)
                                                       : run_serial(s, instructions, count);
    if (slots)
        occupy(s->out, TIMING_ISSUE, 0, slots * target_issue_ps(s->t));
    list_used(s->out);
    *error = s->queued ? "a carry would be overwritten before it is read: one buffer per direction "
                         "does not suffice"
             : s->overflow ? "the time does not fit 64 bits"
                           : NULL;
    return !*error;
}

/* The issue of an instruction without micro-ops ends no later than that of one behind it. */
static void list_done(struct uop_schedule *s, const uint32_t *instructions, size_t count,
                      uint64_t *done_ps) {
    uint64_t last = 0;
    size_t i = 0;
    for (size_t k = 0; k < count; k++) {
        size_t end = k + 1 < count ? instructions[k + 1] : s->n;
        for (; i < end && i < s->n; i++)
            last = later(last, add_ps(s, s->start[i], duration(s, &s->uops[i])));
        done_ps[k] = last;
    }
    if (count)
        done_ps[count - 1] = s->out->done_ps;
}

bool recipe_timing_schedule(const struct target *t, const struct uop *uops, size_t n,
                            const uint32_t *instructions, size_t instruction_count,
                            struct timing_profile *out, uint64_t *instruction_done_ps,
                            const char **error) {
    struct uop_schedule s = {.t = t, .uops = uops, .n = n, .carries = 1, .out = out};
    bool fine = run_schedule(&s, instructions, instruction_count, error);
    if (fine && instruction_done_ps)
        list_done(&s, instructions, instruction_count, instruction_done_ps);
    free_schedule(&s);
    return fine;
}

bool recipe_timing_starts(const struct target *t, const struct uop *uops, size_t n,
                          const uint32_t *instructions, size_t instruction_count,
                          uint64_t *start_ps) {
    struct timing_profile profile;
    const char *error;
    struct uop_schedule s = {.t = t, .uops = uops, .n = n, .carries = 1, .out = &profile};
    bool fine = run_schedule(&s, instructions, instruction_count, &error);
    if (fine && n)
        memcpy(start_ps, s.start, n * sizeof *start_ps);
    free_schedule(&s);
    return fine;
}

/* The last release that a use of resource r has to wait for. */
static uint64_t wait_for(const uint64_t *release_ps, size_t r) {
    switch (r) {
    case TIMING_C_READ:
    case TIMING_M_READ:
        return release_ps[r - 1];
    case TIMING_C:
    case TIMING_M:
        return later(release_ps[r], release_ps[r + 1]);
    default:
        return release_ps[r];
    }
}

/* A batch is a stream of its own, and a run follows in each of thousands: this is what timing costs
 * the host.  Only what the run needs is looked at. */
uint64_t recipe_timing_follow(const struct timing_profile *p, uint64_t start_ps,
                              uint64_t *release_ps) {
    uint64_t start = start_ps;
    for (uint32_t i = 0; i < p->used_count; i++) {
        uint64_t release = wait_for(release_ps, p->used[i]), first = p->first_ps[p->used[i]];
        start = later(start, release > first ? release - first : 0);
    }
    for (uint32_t i = 0; i < p->used_count; i++) {
        uint64_t *release = &release_ps[p->used[i]], end;
        if (__builtin_add_overflow(start, p->release_ps[p->used[i]], &end))
            end = UINT64_MAX;
        *release = later(*release, end);
    }
    return start;
}
