/* SPDX-License-Identifier: MIT
 * The order in which an instruction's micro-ops can be given their times, in one pass over the
 * list.
 *
 * Every dependence but one points backward in the list, so a micro-op can be placed as soon as it
 * is met.  The exception is the one physical buffer per section and direction: a carry may not be
 * overwritten before its last reader has run, and that reader may stand later in the list.  A
 * micro-op that waits for one goes into the queue of its section (sections work in order), and is
 * tried again whenever something else was placed.  What is still queued at the end waits for
 * itself: no order exists.
 *
 * Buffers, C and M are resources whose writes number their epochs.  A read waits for the write
 * that began its epoch; the next write waits for all reads of the epoch before.  Invariant: when a
 * micro-op is placed, all whose times its own needs stand before it in `turns`; so times need no
 * epochs any more.  Slots stand there in the order of the list, and one that waits for the begin of
 * a micro-op stands behind it, or there is no order. */
#include "recipe/timing/timing_list.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TOUCHES (2 * UOP_MAX + 1)

struct touch {
    uint8_t resource;
    bool write;
    uint32_t epoch; /* read: the epoch it sees; write: the one it ends */
    uint32_t reads; /* write: reads of that epoch, all to be done first */
};

struct waiting {
    uint32_t index;
    unsigned count;
    struct touch touches[MAX_TOUCHES];
};

struct resource {
    uint32_t listed;       /* epochs begun, in list order */
    uint32_t first_reads;  /* reads of epoch 0 */
    uint32_t writer;       /* micro-op that began the latest epoch of the list */
    uint32_t epoch, reads; /* epochs begun, as placed; reads placed of the present one */
};

struct section_queue {
    VEC(struct waiting) queue;
    size_t head;
    VEC(uint32_t) uops; /* that were met, in order */
};

struct ordering {
    struct timing_list *list;
    uint32_t places;
    bool *placed;      /* [count] */
    uint32_t *reads;   /* [count]: of the epoch that this micro-op's write begins, per list */
    size_t carries;    /* carry variables of a buffer, from the list */
    uint32_t *epochs;  /* [TIMING_BUFFERS][carries]: epoch of a carry's latest write in the list */
    uint32_t *writers; /* the same: its micro-op */
    struct resource resources[TIMING_RESOURCES];
    struct section_queue sections[TIMING_MAX_SECTIONS];
    uint64_t queued; /* bit per section */
    bool late;       /* a slot would have to wait for what is placed behind it */
};

static size_t carry_slot(const struct ordering *ordering, uint32_t touch) {
    return TOUCH_RESOURCE(touch) * ordering->carries + (touch >> TOUCH_CARRY_SHIFT);
}

static bool is_buffer(uint32_t touch) {
    return TOUCH_RESOURCE(touch) < TIMING_BUFFERS;
}

/* --- first pass: how many reads each write serves --- */

static void count_read(struct ordering *ordering, uint32_t touch) {
    struct resource *r = &ordering->resources[TOUCH_RESOURCE(touch)];
    uint32_t writer = is_buffer(touch) ? ordering->writers[carry_slot(ordering, touch)] : r->writer;
    if (writer != UINT32_MAX)
        ordering->reads[writer]++;
    else
        r->first_reads++;
}

static void count_write(struct ordering *ordering, uint32_t touch, uint32_t index) {
    if (is_buffer(touch))
        ordering->writers[carry_slot(ordering, touch)] = index;
    ordering->resources[TOUCH_RESOURCE(touch)].writer = index;
}

static void count_reads(struct ordering *ordering) {
    const struct timing_list *list = ordering->list;
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t k = 0; k < list->uops[i].touches; k++) {
            uint32_t touch = list->touches[list->uops[i].touch + k];
            if (touch & TOUCH_WRITES)
                count_write(ordering, touch, i);
            else
                count_read(ordering, touch);
        }
    for (int r = 0; r < TIMING_RESOURCES; r++)
        ordering->resources[r].writer = UINT32_MAX;
}

/* --- second pass, in list order: the touches of one micro-op --- */

static struct touch list_read(struct ordering *ordering, uint32_t touch) {
    const struct resource *r = &ordering->resources[TOUCH_RESOURCE(touch)];
    uint32_t epoch = is_buffer(touch) ? ordering->epochs[carry_slot(ordering, touch)] : r->listed;
    return (struct touch){.resource = (uint8_t)TOUCH_RESOURCE(touch), .epoch = epoch};
}

static struct touch list_write(struct ordering *ordering, uint32_t touch, uint32_t index) {
    struct resource *r = &ordering->resources[TOUCH_RESOURCE(touch)];
    uint32_t reads = r->writer == UINT32_MAX ? r->first_reads : ordering->reads[r->writer];
    struct touch x = {(uint8_t)TOUCH_RESOURCE(touch), true, r->listed, reads};
    r->listed++;
    r->writer = index;
    if (is_buffer(touch))
        ordering->epochs[carry_slot(ordering, touch)] = r->listed;
    return x;
}

static void list_touches(struct ordering *ordering, struct waiting *waiting) {
    const struct timing_uop *u = &ordering->list->uops[waiting->index];
    for (uint32_t k = 0; k < u->touches; k++) {
        uint32_t touch = ordering->list->touches[u->touch + k];
        waiting->touches[waiting->count++] = touch & TOUCH_WRITES
                                                 ? list_write(ordering, touch, waiting->index)
                                                 : list_read(ordering, touch);
    }
}

/* --- placing --- */

/* Its own reads of a buffer that it overwrites are done when it starts. */
static uint32_t own_reads(const struct waiting *waiting, const struct touch *write) {
    uint32_t n = 0;
    for (unsigned i = 0; i < waiting->count; i++)
        n += !waiting->touches[i].write && waiting->touches[i].resource == write->resource &&
             waiting->touches[i].epoch == write->epoch;
    return n;
}

static bool is_ready(const struct ordering *ordering, const struct waiting *waiting) {
    uint32_t forwarded = ordering->list->uops[waiting->index].forwarded;
    if (forwarded && !ordering->placed[waiting->index - forwarded])
        return false;
    for (unsigned i = 0; i < waiting->count; i++) {
        const struct touch *x = &waiting->touches[i];
        const struct resource *r = &ordering->resources[x->resource];
        if (r->epoch != x->epoch || (x->write && r->reads + own_reads(waiting, x) != x->reads))
            return false;
    }
    return true;
}

/* Reads are counted first: a write then begins the next epoch. */
static void use_resources(struct ordering *ordering, const struct waiting *waiting) {
    for (int writes = 0; writes < 2; writes++)
        for (unsigned i = 0; i < waiting->count; i++) {
            const struct touch *x = &waiting->touches[i];
            struct resource *r = &ordering->resources[x->resource];
            if (x->write != (writes != 0))
                continue;
            r->epoch += x->write;
            r->reads = x->write ? 0 : r->reads + 1;
        }
}

static void add_turn(struct timing_list *list, struct timing_turn turn) {
    struct timing_turn *last = list->turns.len ? &vec_last(&list->turns) : NULL;
    if (turn.what == TURN_PLACES && last && last->uop == turn.uop)
        last->what |= TURN_PLACES;
    else
        vec_push(&list->turns, turn);
}

static bool place(struct ordering *ordering, const struct waiting *waiting) {
    if (!is_ready(ordering, waiting))
        return false;
    use_resources(ordering, waiting);
    ordering->placed[waiting->index] = true;
    add_turn(ordering->list, (struct timing_turn){waiting->index, TURN_NO_WAIT, TURN_PLACES});
    return true;
}

static bool drain_section(struct ordering *ordering, unsigned index) {
    struct section_queue *x = &ordering->sections[index];
    bool moved = false;
    while (x->head < x->queue.len && place(ordering, &x->queue.data[x->head])) {
        x->head++;
        moved = true;
    }
    if (x->head == x->queue.len) {
        x->head = x->queue.len = 0;
        ordering->queued &= ~((uint64_t)1 << index);
    }
    return moved;
}

static void drain(struct ordering *ordering) {
    bool moved = true;
    while (ordering->queued && moved) {
        moved = false;
        for (uint64_t left = ordering->queued; left; left &= left - 1)
            moved |= drain_section(ordering, (unsigned)__builtin_ctzll(left));
    }
}

/* The slot of a micro-op, which waits for the one so many places before it in its section. */
static void issue(struct ordering *ordering, uint32_t index) {
    struct section_queue *section = &ordering->sections[ordering->list->uops[index].section];
    uint32_t at = (uint32_t)section->uops.len, wait = TURN_QUEUE + at;
    if (ordering->list->uops[index].forwarded)
        return;
    vec_push(&section->uops, index);
    if (at >= ordering->places) {
        wait = section->uops.data[at - ordering->places];
        ordering->late |= !ordering->placed[wait];
    }
    add_turn(ordering->list, (struct timing_turn){index, wait, TURN_ISSUES});
}

static void meet(struct ordering *ordering, uint32_t index) {
    unsigned section = ordering->list->uops[index].section;
    struct waiting w = {.index = index};
    issue(ordering, index);
    list_touches(ordering, &w);
    if (!(ordering->queued >> section & 1) && place(ordering, &w)) {
        drain(ordering);
        return;
    }
    vec_push(&ordering->sections[section].queue, w);
    ordering->queued |= (uint64_t)1 << section;
}

/* --- the whole list --- */

static void keep_tails(const struct ordering *ordering) {
    struct timing_list *list = ordering->list;
    for (uint32_t s = 0; s < TIMING_MAX_SECTIONS; s++) {
        uint32_t count = (uint32_t)ordering->sections[s].uops.len;
        uint32_t kept = count < ordering->places ? count : ordering->places;
        if (!count)
            continue;
        vec_push(&list->tails,
                 ((struct timing_tail){s, count, (uint32_t)list->tail_uops.len, kept}));
        for (uint32_t i = count - kept; i < count; i++)
            vec_push(&list->tail_uops, ordering->sections[s].uops.data[i]);
    }
}

static void begin(struct ordering *ordering) {
    const struct timing_list *list = ordering->list;
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t k = 0; k < list->uops[i].touches; k++) {
            uint32_t touch = list->touches[list->uops[i].touch + k];
            if (touch >> TOUCH_CARRY_SHIFT >= ordering->carries)
                ordering->carries = (touch >> TOUCH_CARRY_SHIFT) + 1;
        }
    size_t carries = TIMING_BUFFERS * ordering->carries;
    ordering->placed = xcalloc((size_t)list->count + 1, sizeof *ordering->placed);
    ordering->reads = xcalloc((size_t)list->count + 1, sizeof *ordering->reads);
    ordering->epochs = xcalloc(carries, sizeof *ordering->epochs);
    ordering->writers = xcalloc(carries, sizeof *ordering->writers);
    memset(ordering->writers, 0xff, carries * sizeof *ordering->writers);
    for (int r = 0; r < TIMING_RESOURCES; r++)
        ordering->resources[r].writer = UINT32_MAX;
    count_reads(ordering);
}

static void end(struct ordering *ordering) {
    free(ordering->placed);
    free(ordering->reads);
    free(ordering->epochs);
    free(ordering->writers);
    for (int i = 0; i < TIMING_MAX_SECTIONS; i++) {
        vec_free(&ordering->sections[i].queue);
        vec_free(&ordering->sections[i].uops);
    }
}

bool recipe_timing_order(struct timing_list *list, uint32_t places, const char **error) {
    struct ordering *x = xcalloc(1, sizeof *x);
    *x = (struct ordering){.list = list, .places = places, .carries = 1};
    begin(x);
    for (uint32_t i = 0; i < list->count; i++)
        meet(x, i);
    *error = x->queued ? "a carry would be overwritten before it is read: one buffer per "
                         "direction does not suffice"
             : x->late ? "control.issue_queue is too small: a micro-op would be issued behind one "
                         "that waits for it"
                       : NULL;
    if (!*error)
        keep_tails(x);
    end(x);
    free(x);
    return !*error;
}
