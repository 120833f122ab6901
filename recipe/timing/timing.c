/* SPDX-License-Identifier: MIT
 * Times of micro-ops: a list is played from a state in the order that timing_order.c found.
 *
 * Invariant of a state: every time in it is later than the end of the last slot, from which it
 * counts; what is not cannot hold anything up any more, and is not told.  So streams of
 * instructions that go on alike have the same state, however they began. */
#include "recipe/timing/timing_list.h"

#include "recipe/technology/plane_target.h"
#include "recipe/set/words.h"
#include "support/alloc.h"
#include "support/map.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* A state, spread out. */
struct machine_times {
    uint64_t free_ps[TIMING_MAX_SECTIONS];
    uint64_t written_ps[TIMING_RESOURCES], read_ps[TIMING_RESOURCES];
    uint64_t *begins_ps; /* [sections][places]: the last micro-ops of each, the latest at the end */
};

struct recipe_timeline {
    const struct target *target;
    uint64_t slot_ps, decode_ps, period_ps, lead_ps;
    uint32_t sections, places; /* of a section's queue, its last micro-ops, one more than wait */
    bool serial, shared;       /* one section; slots are to be told, for other controllers */
    struct map states;         /* a state as bytes -> its number; 0: nothing */
    struct map known;          /* list, state, time -> timing_advance * */
    struct map passed;         /* state, time -> state */
    struct map contents;       /* micro-ops and touches of a list -> its number */
    VEC(struct timing_list *) lists;
    struct machine_times now; /* scratch, like all of the rest */
    uint64_t *start_ps;       /* [starts] */
    size_t starts;
    VEC(struct time_span) slots;
    VEC(unsigned char) bytes;
    VEC(struct timing_uop) uops;
    VEC(uint32_t) touches;
    size_t memory; /* of what is known */
    size_t unused; /* of lists that nobody uses */
};

/* So much of them may stay. */
#define MOST_UNUSED ((size_t)4 << 20)

static uint64_t later(uint64_t left, uint64_t right) {
    return left > right ? left : right;
}

static void keep_later(uint64_t *time, uint64_t ps) {
    *time = later(*time, ps);
}

uint64_t recipe_timing_duration(const struct target *target, const struct uop *uop) {
    uint64_t ps = plane_target(target)->ops[uop->kind].time_ps;
    return ps ? ps : target->datapath_ps;
}

static size_t queue_bytes(const struct recipe_timeline *timeline) {
    return (size_t)timeline->sections * timeline->places * sizeof(uint64_t);
}

struct recipe_timeline *recipe_timeline_open(const struct target *target) {
    const struct plane_target *p = plane_target(target);
    struct recipe_timeline *t = xcalloc(1, sizeof *t);
    t->target = target;
    t->slot_ps = target_issue_ps(target);
    t->decode_ps = target_decode_ps(target);
    t->period_ps = target->datapath_ps;
    t->lead_ps = sat_mul(p->issue_cycles, target->datapath_ps);
    t->serial = !p->bit_pipelined;
    t->shared = target->controllers > 1;
    t->sections = t->serial ? 1 : TIMING_MAX_SECTIONS;
    t->places = target->issue_queue + 1;
    t->now.begins_ps = xcalloc(1, queue_bytes(t));
    map_number(&t->states, "", 0);
    return t;
}

static void list_free(struct timing_list *list) {
    vec_free(&list->turns);
    vec_free(&list->tails);
    vec_free(&list->tail_uops);
    free(list);
}

static void free_known(struct recipe_timeline *timeline) {
    for (size_t i = 0; i < timeline->known.len; i++)
        free((void *)(uintptr_t)timeline->known.entries[i].value);
    map_free(&timeline->known);
    map_free(&timeline->passed);
    map_free(&timeline->states);
    timeline->memory = 0;
}

void recipe_timeline_close(struct recipe_timeline *timeline) {
    if (!timeline)
        return;
    free_known(timeline);
    map_free(&timeline->contents);
    for (size_t i = 0; i < timeline->lists.len; i++)
        if (timeline->lists.data[i])
            list_free(timeline->lists.data[i]);
    vec_free(&timeline->lists);
    free(timeline->now.begins_ps);
    free(timeline->start_ps);
    vec_free(&timeline->slots);
    vec_free(&timeline->bytes);
    vec_free(&timeline->uops);
    vec_free(&timeline->touches);
    free(timeline);
}

/* What the list is, from the entry of a map that is given up. */
static void put_contents(struct recipe_timeline *timeline, struct timing_list *list,
                         const struct map_entry *entry) {
    list->number = map_number(&timeline->contents, entry->key, entry->key_len);
    const char *key = timeline->contents.entries[list->number].key;
    list->uops = (const struct timing_uop *)(const void *)key;
    list->touches = (const uint32_t *)(const void *)(key + list->count * sizeof *list->uops);
    vec_push(&timeline->lists, list);
}

/* Lists that nobody uses go, and the others have new numbers: nothing is known of any. */
static void free_unused(struct recipe_timeline *timeline) {
    struct map old = timeline->contents;
    struct timing_list **lists = timeline->lists.data;
    size_t count = timeline->lists.len;
    memset(&timeline->contents, 0, sizeof timeline->contents);
    memset(&timeline->lists, 0, sizeof timeline->lists);
    for (size_t i = 0; i < count; i++)
        if (lists[i] && lists[i]->users)
            put_contents(timeline, lists[i], &old.entries[i]);
        else if (lists[i])
            list_free(lists[i]);
    map_free(&old);
    free(lists);
    timeline->unused = 0;
}

void recipe_timeline_forget(struct recipe_timeline *timeline) {
    free_known(timeline);
    map_number(&timeline->states, "", 0);
    if (timeline->unused > MOST_UNUSED)
        free_unused(timeline);
    for (size_t i = 0; i < timeline->lists.len; i++)
        if (timeline->lists.data[i])
            timeline->lists.data[i]->last = NULL;
}

size_t recipe_timeline_bytes(const struct recipe_timeline *timeline) {
    return timeline->memory;
}

/* --- lists --- */

/* Buffers, C and M; else -1. */
static int resource_of(uint32_t plane) {
    switch (PLANE_CLASS(plane)) {
    case PLANE_BUFFER:
        return (int)((PLANE_SECTION(plane) % TIMING_MAX_SECTIONS) * 2 +
                     (PLANE_NUMBER(plane) >> 8 & 1));
    case PLANE_C:
        return TIMING_RESOURCE_C;
    case PLANE_M:
        return TIMING_RESOURCE_M;
    default:
        return -1;
    }
}

static void add_touch(struct recipe_timeline *timeline, uint32_t plane, uint32_t writes) {
    int resource = resource_of(plane);
    uint32_t carry = resource >= 0 && resource < TIMING_BUFFERS ? PLANE_NUMBER(plane) & 0xff : 0;
    if (resource >= 0)
        vec_push(&timeline->touches, (uint32_t)resource | writes | carry << TOUCH_CARRY_SHIFT);
}

static void add_touches(struct recipe_timeline *timeline, const struct uop *uop) {
    for (unsigned k = 0; k < uop->nsrc; k++)
        add_touch(timeline, uop->src[k], 0);
    add_touch(timeline, uop->predicate, 0);
    for (unsigned k = 0; k < uop->ndst; k++)
        add_touch(timeline, uop->dst[k], TOUCH_WRITES);
}

static bool is_known(const struct recipe_timeline *timeline, const struct uop *uop, size_t index) {
    const struct plane_target *p = plane_target(timeline->target);
    return uop->kind < p->op_count && uop->section < p->sections && uop->nsrc <= UOP_MAX &&
           uop->ndst <= UOP_MAX && uop->forwarded <= index;
}

static void add_uop(struct recipe_timeline *timeline, const struct uop *uop) {
    struct timing_uop x = {.ps = recipe_timing_duration(timeline->target, uop),
                           .touch = (uint32_t)timeline->touches.len};
    if (recipe_word_goes_on(timeline->target, uop)) {
        x.forwarded = 1;
        x.joined = 1;
    } else if (!timeline->serial) {
        x.section = uop->section;
        x.forwarded = uop->forwarded;
        add_touches(timeline, uop);
    }
    x.touches = (uint16_t)(timeline->touches.len - x.touch);
    vec_push(&timeline->uops, x);
}

static bool read_uops(struct recipe_timeline *timeline, const struct uop *uops, size_t count,
                      const char **error) {
    timeline->uops.len = timeline->touches.len = 0;
    *error = count >= TURN_QUEUE ? "more than 2^31 micro-ops" : NULL;
    for (size_t i = 0; i < count && !*error; i++)
        if (is_known(timeline, &uops[i], i))
            add_uop(timeline, &uops[i]);
        else
            *error = "a micro-op that this target does not have";
    return !*error;
}

/* All of a list, as bytes: its micro-ops, then its touches. */
static uint32_t number_of_list(struct recipe_timeline *timeline) {
    size_t uops = timeline->uops.len * sizeof *timeline->uops.data;
    size_t touches = timeline->touches.len * sizeof *timeline->touches.data;
    char *key = xmalloc(uops + touches + 1);
    if (uops)
        memcpy(key, timeline->uops.data, uops);
    if (touches)
        memcpy(key + uops, timeline->touches.data, touches);
    uint32_t number = map_number(&timeline->contents, key, uops + touches);
    free(key);
    return number;
}

/* About. */
static size_t list_bytes(const struct timing_list *list) {
    return sizeof *list + list->count * (sizeof *list->uops + sizeof *list->turns.data) +
           list->tails.cap * sizeof *list->tails.data;
}

void recipe_timeline_drop(struct recipe_timeline *timeline, const struct timing_list *list) {
    struct timing_list *l = timeline->lists.data[list->number];
    timeline->unused += --l->users ? 0 : list_bytes(l);
}

const struct timing_list *recipe_timeline_list(struct recipe_timeline *timeline,
                                               const struct uop *uops, size_t count,
                                               const char **error) {
    if (!read_uops(timeline, uops, count, error))
        return NULL;
    uint32_t number = number_of_list(timeline);
    while (timeline->lists.len <= number)
        vec_push(&timeline->lists, NULL);
    struct timing_list *known = timeline->lists.data[number];
    if (known) {
        timeline->unused -= known->users++ ? 0 : list_bytes(known);
        return known;
    }
    const char *key = timeline->contents.entries[number].key;
    struct timing_list *list = xcalloc(1, sizeof *list);
    *list = (struct timing_list){.number = number, .users = 1, .count = (uint32_t)count};
    list->uops = (const struct timing_uop *)(const void *)key;
    list->touches = (const uint32_t *)(const void *)(key + count * sizeof *list->uops);
    if (recipe_timing_order(list, timeline->places, error))
        return timeline->lists.data[number] = list;
    list_free(list);
    return NULL;
}

/* --- states as bytes --- */

static void put_number(struct recipe_timeline *timeline, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        vec_push(&timeline->bytes, (unsigned char)(number | 0x80));
    vec_push(&timeline->bytes, (unsigned char)number);
}

static uint64_t get_number(const unsigned char **at) {
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned char byte = *(*at)++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
}

static uint64_t *queue_of(const struct recipe_timeline *timeline, uint32_t section) {
    return timeline->now.begins_ps + (size_t)section * timeline->places;
}

/* A section: when it is free, then the begins that are still to come, each from the one before. */
static void put_section(struct recipe_timeline *timeline, uint32_t section) {
    const uint64_t *begins = queue_of(timeline, section);
    uint32_t first = timeline->places;
    while (first && begins[first - 1])
        first--;
    if (!timeline->now.free_ps[section] && first == timeline->places)
        return;
    put_number(timeline, section + 1);
    put_number(timeline, timeline->now.free_ps[section]);
    put_number(timeline, timeline->places - first);
    for (uint64_t last = 0; first < timeline->places; last = begins[first++])
        put_number(timeline, begins[first] - last);
}

static void put_resource(struct recipe_timeline *timeline, uint32_t resource) {
    uint64_t written = timeline->now.written_ps[resource], read = timeline->now.read_ps[resource];
    if (!written && !read)
        return;
    put_number(timeline, TIMING_MAX_SECTIONS + resource + 1);
    put_number(timeline, written);
    put_number(timeline, read);
}

/* The number of the state that is spread out. */
static uint32_t state_number(struct recipe_timeline *timeline) {
    timeline->bytes.len = 0;
    for (uint32_t s = 0; s < timeline->sections; s++)
        put_section(timeline, s);
    for (uint32_t r = 0; r < TIMING_RESOURCES; r++)
        put_resource(timeline, r);
    size_t before = timeline->states.len;
    uint32_t number =
        map_number(&timeline->states, (const char *)timeline->bytes.data, timeline->bytes.len);
    if (timeline->states.len > before)
        timeline->memory += sizeof(struct map_entry) + 32 + timeline->bytes.len;
    return number;
}

static void get_section(struct recipe_timeline *timeline, uint32_t section,
                        const unsigned char **at) {
    uint64_t *begins = queue_of(timeline, section), last = 0;
    timeline->now.free_ps[section] = get_number(at);
    for (uint64_t count = get_number(at); count; count--)
        begins[timeline->places - count] = last += get_number(at);
}

/* Spreads a state out. */
static void spread(struct recipe_timeline *timeline, uint32_t state) {
    const struct map_entry *e = &timeline->states.entries[state];
    const unsigned char *at = (const unsigned char *)e->key, *end = at + e->key_len;
    uint64_t *begins = timeline->now.begins_ps;
    memset(begins, 0, queue_bytes(timeline));
    timeline->now = (struct machine_times){.begins_ps = begins};
    while (at < end) {
        uint32_t what = (uint32_t)get_number(&at) - 1;
        if (what < TIMING_MAX_SECTIONS) {
            get_section(timeline, what, &at);
        } else {
            timeline->now.written_ps[what - TIMING_MAX_SECTIONS] = get_number(&at);
            timeline->now.read_ps[what - TIMING_MAX_SECTIONS] = get_number(&at);
        }
    }
}

static void count_from(uint64_t *times, size_t count, uint64_t ps) {
    for (size_t i = 0; i < count; i++)
        times[i] = times[i] > ps ? times[i] - ps : 0;
}

/* The number of the state that is spread out, when its times count from `ps`. */
static uint32_t state_from(struct recipe_timeline *timeline, uint64_t ps) {
    count_from(timeline->now.free_ps, timeline->sections, ps);
    count_from(timeline->now.written_ps, TIMING_RESOURCES, ps);
    count_from(timeline->now.read_ps, TIMING_RESOURCES, ps);
    count_from(timeline->now.begins_ps, (size_t)timeline->sections * timeline->places, ps);
    return state_number(timeline);
}

uint32_t recipe_timeline_pass(struct recipe_timeline *timeline, uint32_t state, uint64_t ps) {
    const uint64_t key[] = {state, ps};
    if (!state || !ps)
        return state;
    const uint64_t *known = map_get_n(&timeline->passed, (const char *)key, sizeof key);
    if (known)
        return (uint32_t)*known;
    spread(timeline, state);
    uint32_t after = state_from(timeline, ps);
    map_put_n(&timeline->passed, (const char *)key, sizeof key, after);
    timeline->memory += sizeof(struct map_entry) + 32 + sizeof key;
    return after;
}

/* --- playing --- */

/* A list that is being played on the state that is spread out. */
struct playing {
    struct recipe_timeline *timeline;
    const struct timing_list *list;
    const struct timing_port *port; /* NULL: it is free */
    uint64_t *start_ps;             /* [count]; until its begin is known, the end of its slot */
    uint64_t issued_ps, done_ps, stalled_ps;
};

static uint64_t waits_for(const struct playing *playing, const struct timing_turn *turn) {
    if (!(turn->wait & TURN_QUEUE))
        return playing->start_ps[turn->wait];
    uint32_t section = playing->list->uops[turn->uop].section;
    return queue_of(playing->timeline, section)[turn->wait & ~TURN_QUEUE];
}

static void note_slot(struct recipe_timeline *timeline, uint64_t begin_ps, uint64_t end_ps) {
    struct time_span *last = timeline->slots.len ? &vec_last(&timeline->slots) : NULL;
    if (last && last->end_ps == begin_ps)
        last->end_ps = end_ps;
    else
        vec_push(&timeline->slots, ((struct time_span){begin_ps, end_ps}));
}

static void issue(struct playing *playing, const struct timing_turn *turn) {
    uint64_t at = later(playing->issued_ps, waits_for(playing, turn));
    playing->stalled_ps = sat_add(playing->stalled_ps, at - playing->issued_ps);
    if (playing->port)
        at = playing->port->take(playing->port->context, at);
    playing->issued_ps = sat_add(at, playing->timeline->slot_ps);
    playing->start_ps[turn->uop] = playing->issued_ps;
    if (playing->timeline->shared)
        note_slot(playing->timeline, at, playing->issued_ps);
}

static void place(struct playing *playing, uint32_t index) {
    const struct timing_uop *u = &playing->list->uops[index];
    struct machine_times *now = &playing->timeline->now;
    const uint32_t *touches = playing->list->touches + u->touch;
    if (u->joined) {
        playing->start_ps[index] = playing->start_ps[index - 1];
        return;
    }
    uint64_t start = u->forwarded ? sat_add(playing->start_ps[index - u->forwarded],
                                            playing->timeline->period_ps)
                                  : playing->start_ps[index];
    start = later(start, now->free_ps[u->section]);
    for (uint32_t k = 0; k < u->touches; k++) {
        start = later(start, now->written_ps[TOUCH_RESOURCE(touches[k])]);
        if (touches[k] & TOUCH_WRITES)
            start = later(start, now->read_ps[TOUCH_RESOURCE(touches[k])]);
    }
    uint64_t end = sat_add(start, u->ps);
    for (uint32_t k = 0; k < u->touches; k++)
        keep_later(touches[k] & TOUCH_WRITES ? &now->written_ps[TOUCH_RESOURCE(touches[k])]
                                             : &now->read_ps[TOUCH_RESOURCE(touches[k])],
                   end);
    playing->start_ps[index] = start;
    now->free_ps[u->section] = end;
    keep_later(&playing->done_ps, end);
}

/* The micro-ops of the list stand at the end of the queues. */
static void queue_tails(const struct playing *playing) {
    const struct timing_list *list = playing->list;
    uint32_t places = playing->timeline->places;
    for (size_t i = 0; i < list->tails.len; i++) {
        const struct timing_tail *tail = &list->tails.data[i];
        uint64_t *queue = queue_of(playing->timeline, tail->section);
        memmove(queue, queue + tail->kept, (places - tail->kept) * sizeof *queue);
        for (uint32_t k = 0; k < tail->kept; k++)
            queue[places - tail->kept + k] =
                playing->start_ps[list->tail_uops.data[tail->first + k]];
    }
}

/* Micro-ops in queues that begin later. */
static uint32_t waiting_at(const struct recipe_timeline *timeline, uint64_t ps) {
    size_t places = (size_t)timeline->sections * timeline->places;
    uint32_t waiting = 0;
    for (size_t i = 0; i < places; i++)
        waiting += timeline->now.begins_ps[i] > ps;
    return waiting;
}

static uint64_t *room_for_starts(struct recipe_timeline *timeline, size_t count) {
    if (count > timeline->starts) {
        timeline->start_ps = xreallocarray(timeline->start_ps, count, sizeof *timeline->start_ps);
        timeline->starts = count;
    }
    return timeline->start_ps;
}

static struct timing_advance play(struct recipe_timeline *timeline, const struct timing_list *list,
                                  uint32_t state, uint64_t after_ps, const struct timing_port *port,
                                  uint64_t *start_ps) {
    struct playing p = {timeline, list, port, start_ps, after_ps, after_ps, 0};
    spread(timeline, state);
    timeline->slots.len = 0;
    for (size_t i = 0; i < list->turns.len; i++) {
        const struct timing_turn *turn = &list->turns.data[i];
        if (turn->what & TURN_ISSUES)
            issue(&p, turn);
        if (turn->what & TURN_PLACES)
            place(&p, turn->uop);
    }
    queue_tails(&p);
    uint32_t waiting = waiting_at(timeline, p.issued_ps); /* before times count from there */
    return (struct timing_advance){
        .issued_ps = p.issued_ps,
        .done_ps = later(p.done_ps, p.issued_ps),
        .stalled_ps = p.stalled_ps,
        .waiting = waiting,
        .state = state_from(timeline, p.issued_ps),
    };
}

uint64_t recipe_timeline_lead_ps(const struct recipe_timeline *timeline,
                                 const struct timing_list *list) {
    return list->count ? timeline->lead_ps : 0;
}

static const struct timing_advance *work_out(struct recipe_timeline *timeline,
                                             const struct timing_list *list, uint32_t state,
                                             uint64_t after_ps) {
    const uint64_t key[] = {(uint64_t)list->number << 32 | state, after_ps};
    const uint64_t *known = map_get_n(&timeline->known, (const char *)key, sizeof key);
    if (known)
        return (const struct timing_advance *)(uintptr_t)*known;
    struct timing_advance x =
        play(timeline, list, state, after_ps, NULL, room_for_starts(timeline, list->count));
    size_t slots = timeline->slots.len * sizeof *timeline->slots.data;
    struct timing_advance *kept = xmalloc(sizeof x + slots);
    *kept = x;
    kept->slot_count = (uint32_t)timeline->slots.len;
    kept->slots = (const struct time_span *)(const void *)(kept + 1);
    if (slots)
        memcpy(kept + 1, timeline->slots.data, slots);
    map_put_n(&timeline->known, (const char *)key, sizeof key, (uint64_t)(uintptr_t)kept);
    timeline->memory += sizeof(struct map_entry) + 32 + sizeof key + sizeof x + slots;
    return kept;
}

const struct timing_advance *recipe_timeline_advance(struct recipe_timeline *timeline,
                                                     const struct timing_list *list, uint32_t state,
                                                     uint64_t after_ps) {
    struct timing_list *l = timeline->lists.data[list->number];
    if (l->last && l->last_state == state && l->last_after_ps == after_ps)
        return l->last;
    l->last = work_out(timeline, list, state, after_ps);
    l->last_state = state;
    l->last_after_ps = after_ps;
    return l->last;
}

struct timing_advance recipe_timeline_advance_shared(struct recipe_timeline *timeline,
                                                     const struct timing_list *list, uint32_t state,
                                                     uint64_t after_ps,
                                                     const struct timing_port *port) {
    return play(timeline, list, state, after_ps, port, room_for_starts(timeline, list->count));
}

struct timing_advance recipe_timeline_starts(struct recipe_timeline *timeline,
                                             const struct timing_list *list, uint32_t state,
                                             uint64_t after_ps, uint64_t *start_ps) {
    return play(timeline, list, state, after_ps, NULL, start_ps);
}

/* --- several instructions --- */

static void note_sections(struct timing_profile *profile, const struct timing_list *list,
                          const uint64_t *start_ps) {
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t section = list->uops[i].section;
        uint64_t *first = &profile->first_ps[section];
        *first = start_ps[i] < *first ? start_ps[i] : *first;
        keep_later(&profile->last_ps[section], sat_add(start_ps[i], list->uops[i].ps));
    }
}

/* Instruction micro-ops uops[0 .. count), behind those of the profile; start_ps [count]. */
static bool schedule_one(struct recipe_timeline *timeline, const struct uop *uops, size_t count,
                         uint32_t *state, struct timing_profile *profile, uint64_t *start_ps,
                         const char **error) {
    const struct timing_list *list = recipe_timeline_list(timeline, uops, count, error);
    if (!list)
        return false;
    uint64_t after = sat_add(timeline->decode_ps, recipe_timeline_lead_ps(timeline, list));
    struct timing_advance x = recipe_timeline_starts(timeline, list, *state, after, start_ps);
    for (size_t i = 0; i < count; i++)
        start_ps[i] = sat_add(start_ps[i], profile->issued_ps);
    note_sections(profile, list, start_ps);
    keep_later(&profile->done_ps, sat_add(profile->issued_ps, x.done_ps));
    profile->issued_ps = sat_add(profile->issued_ps, x.issued_ps);
    *state = x.state;
    return true;
}

static const char *fits(uint64_t done_ps) {
    return done_ps == UINT64_MAX ? "the time does not fit 64 bits" : NULL;
}

bool recipe_timing_schedule(const struct target *target, const struct uop *uops, size_t n,
                            const uint32_t *instructions, size_t instruction_count,
                            struct timing_profile *out, uint64_t *start_ps, const char **error) {
    struct recipe_timeline *t = recipe_timeline_open(target);
    uint64_t *own = start_ps ? NULL : xcalloc(n + 1, sizeof *own);
    uint64_t *starts = start_ps ? start_ps : own;
    uint32_t state = 0;
    bool fine = true;
    *out = (struct timing_profile){0};
    memset(out->first_ps, 0xff, sizeof out->first_ps);
    for (size_t i = 0; i < instruction_count && fine; i++) {
        size_t from = instructions[i], end = i + 1 < instruction_count ? instructions[i + 1] : n;
        const struct uop *first = from ? uops + from : uops; /* of an empty list there is none */
        fine = schedule_one(t, first, end - from, &state, out, starts + from, error);
    }
    recipe_timeline_close(t);
    free(own);
    if (fine)
        *error = fits(out->done_ps);
    return !*error;
}

static uint64_t repeat(struct recipe_timeline *timeline, const struct timing_list *list,
                       unsigned times, uint64_t *done_ps) {
    uint64_t after = sat_add(timeline->decode_ps, recipe_timeline_lead_ps(timeline, list));
    uint64_t issued = 0, done = 0;
    uint32_t state = 0;
    for (unsigned i = 0; i < times; i++) {
        const struct timing_advance *x = recipe_timeline_advance(timeline, list, state, after);
        keep_later(&done, sat_add(issued, x->done_ps));
        issued = sat_add(issued, x->issued_ps);
        state = x->state;
        done_ps[i] = done;
    }
    return done;
}

bool recipe_timing_repeat(const struct target *target, const struct uop *uops, size_t n,
                          unsigned times, struct timing_profile *first, uint64_t *done_ps,
                          const char **error) {
    struct recipe_timeline *t = recipe_timeline_open(target);
    uint64_t *starts = xcalloc(n + 1, sizeof *starts);
    uint32_t state = 0;
    *first = (struct timing_profile){0};
    memset(first->first_ps, 0xff, sizeof first->first_ps);
    bool fine = schedule_one(t, uops, n, &state, first, starts, error);
    if (fine)
        *error = fits(repeat(t, recipe_timeline_list(t, uops, n, error), times, done_ps));
    recipe_timeline_close(t);
    free(starts);
    return !*error;
}
