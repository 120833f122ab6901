/* SPDX-License-Identifier: MIT
 * Accesses as records: sectors of a warp's lanes, each once, in the order of the lanes. */
#include "machines/core/simt/time/warp_trace.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define LANES      32u
#define BANKS      32u /* of the shared memory, of 4 bytes */
#define MOST_WORDS (LANES * 4u)
#define MOST_COUNT 0x3ffffu /* that a record holds */
#define EACH(lane)                                                                                 \
    for (uint32_t rest = x->mask, lane; rest && (lane = (uint32_t)__builtin_ctz(rest), true);      \
         rest &= rest - 1)

static void push(struct simt_trace *trace, uint32_t warp, struct simt_record record) {
    uint32_t word;
    memcpy(&word, &record, sizeof word);
    vec_push(&trace->warps[warp].words, word);
}

static unsigned first_lane(const struct simt_reached *x) {
    return (unsigned)__builtin_ctz(x->mask);
}

static bool is_same(const struct simt_reached *x) {
    const uint64_t address = x->address[first_lane(x)];
    uint64_t others = x->address[31 - __builtin_clz(x->mask)] ^ address;
    if (others)
        return false;
    if (x->mask == UINT32_MAX)
        for (uint32_t lane = 0; lane < LANES; lane++)
            others |= x->address[lane] ^ address;
    else
        EACH(lane)
    others |= x->address[lane] ^ address;
    return !others;
}

/* Lanes that share the address which most share. */
static uint32_t repeats_of(const struct simt_reached *x) {
    uint32_t most = 1, left = x->mask;
    while (left) {
        const uint64_t address = x->address[__builtin_ctz(left)];
        uint32_t count = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (x->address[__builtin_ctz(rest)] == address) {
                count++;
                left &= ~(rest & (0u - rest));
            }
        most = count > most ? count : most;
    }
    return most;
}

/* ---- sectors ---- */

struct trace_sectors {
    uint32_t number[2 * LANES]; /* a lane's bytes lie in two at most */
    uint32_t count;
    bool range;
};

static void add_sector(struct trace_sectors *s, uint32_t number) {
    if (s->count && s->number[s->count - 1] == number)
        return;
    if (s->count && number != s->number[s->count - 1] + 1) {
        s->range = false;
        for (uint32_t i = 0; i < s->count; i++)
            if (s->number[i] == number)
                return;
    }
    s->number[s->count++] = number;
}

static void find_sectors(const struct simt_trace *trace, const struct simt_reached *x,
                         const struct state_memory *memory, const struct state_array *a,
                         struct trace_sectors *s) {
    s->count = 0;
    s->range = true;
    EACH(lane) {
        const uint64_t address = x->address[lane];
        if (address - a->address >= a->size)
            a = state_memory_before(memory, address);
        const uint64_t at = address + (uint64_t)trace->moved[a - memory->arrays.data];
        add_sector(s, (uint32_t)(at / SIMT_SECTOR_BYTES));
        if (at % SIMT_SECTOR_BYTES + x->size > SIMT_SECTOR_BYTES)
            add_sector(s, (uint32_t)((at + x->size - 1) / SIMT_SECTOR_BYTES));
    }
}

/* Sectors of 32 lanes; lanes that are not at work have that of the last before them that is, or of
 * the first. */
static void sector_row(const struct simt_reached *x, uint64_t moved, uint32_t *row) {
    uint64_t address[LANES];
    const uint64_t *from = x->address;
    if (x->mask != UINT32_MAX) {
        uint64_t last = x->address[first_lane(x)];
        for (uint32_t lane = 0; lane < LANES; lane++)
            address[lane] = last = x->mask >> lane & 1 ? x->address[lane] : last;
        from = address;
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        row[lane] = (uint32_t)((from[lane] + moved) / SIMT_SECTOR_BYTES);
}

/* Lanes of one array whose sectors do not fall from lane to lane, so that a sector can only be that
 * of the lane before; false: they do.  A lane's bytes lie in one sector, since there are 32 at most
 * and its address is a multiple of their number. */
static bool rising_sectors(const struct simt_trace *trace, const struct simt_reached *x,
                           const struct state_memory *memory, const struct state_array *a,
                           struct trace_sectors *s) {
    uint32_t row[LANES], falls = 0, count = 1;
    sector_row(x, (uint64_t)trace->moved[a - memory->arrays.data], row);
    for (uint32_t lane = 1; lane < LANES; lane++) {
        falls |= row[lane] < row[lane - 1];
        count += row[lane] != row[lane - 1];
    }
    s->count = count;
    s->range = row[LANES - 1] - row[0] == count - 1;
    s->number[0] = row[0];
    for (uint32_t lane = 1, i = 0; lane < LANES && !s->range; lane++)
        s->number[i += row[lane] != row[lane - 1]] = row[lane];
    return !falls;
}

/* Bytes that follow one another from the first lane's address on. */
static void line_sectors(const struct simt_trace *trace, const struct simt_reached *x,
                         const struct state_memory *memory, const struct state_array *a,
                         struct trace_sectors *s, uint64_t bytes) {
    const uint64_t at = x->address[first_lane(x)] + (uint64_t)trace->moved[a - memory->arrays.data];
    s->number[0] = (uint32_t)(at / SIMT_SECTOR_BYTES);
    s->count = (uint32_t)((at + bytes - 1) / SIMT_SECTOR_BYTES) - s->number[0] + 1;
    s->range = true;
}

void simt_trace_global(struct simt_trace *trace, const struct simt_reached *x,
                       const struct state_memory *memory, const struct state_array *first) {
    struct simt_warp_trace *w = &trace->warps[x->warp];
    struct simt_record r = {.reach = SIMT_REACH_GLOBAL};
    struct trace_sectors s;
    const uint64_t begin = x->address[first_lane(x)];
    if (!first || begin - first->address >= first->size)
        first = state_memory_before(memory, begin);
    r.in_line = x->in_line;
    r.same = !r.in_line && is_same(x);
    r.aligned = x->address[first_lane(x)] % 128 == 0;
    if (r.in_line)
        line_sectors(trace, x, memory, first, &s, (uint64_t)LANES * x->size);
    else if (r.same && x->together && x->size <= SIMT_SECTOR_BYTES)
        line_sectors(trace, x, memory, first, &s, x->size);
    else if (!x->together || x->size > SIMT_SECTOR_BYTES ||
             !rising_sectors(trace, x, memory, first, &s))
        find_sectors(trace, x, memory, first, &s);
    r.range = s.range;
    r.count = s.count & MOST_COUNT;
    if (x->atomic)
        r.repeats = (repeats_of(x) - 1) & 31;
    push(trace, x->warp, r);
    for (uint32_t i = 0; i < (s.range ? 1 : s.count); i++)
        vec_push(&w->words, s.number[i]);
    if (w->first_sector == UINT32_MAX)
        w->first_sector = s.number[0];
    if (w->whole_sector == UINT32_MAX && r.in_line &&
        s.number[0] >> trace->granule_shift == (s.number[0] + s.count - 1) >> trace->granule_shift)
        w->whole_sector = s.number[0];
}

/* ---- shared memory: a pass gives each bank one word; lanes of the same word share it ---- */

static uint32_t passes_of(const struct simt_reached *x) {
    uint32_t words[MOST_WORDS], of_bank[BANKS] = {0}, count = 0, most = 1;
    EACH(lane)
    for (uint32_t at = 0; at < (x->size + 3) / 4; at++) {
        const uint32_t word = (uint32_t)(x->address[lane] / 4) + at;
        bool known = count && words[count - 1] == word;
        /* ascending words, as most are, cannot have come before */
        for (uint32_t i = 0; i < count && !known && words[count - 1] > word; i++)
            known = words[i] == word;
        if (known)
            continue;
        words[count++] = word;
        const uint32_t passes = ++of_bank[word % BANKS];
        most = passes > most ? passes : most;
    }
    return most;
}

void simt_trace_shared(struct simt_trace *trace, const struct simt_reached *x) {
    uint32_t passes = passes_of(x);
    const uint32_t repeats = x->atomic ? repeats_of(x) : 1;
    passes = repeats > passes ? repeats : passes;
    push(trace, x->warp,
         (struct simt_record){.reach = SIMT_REACH_SHARED, .count = passes & MOST_COUNT});
}

/* ---- what is no memory of all ---- */

void simt_trace_local(struct simt_trace *trace, const struct simt_reached *x) {
    struct simt_record r = {.reach = SIMT_REACH_LOCAL};
    r.same = is_same(x);
    r.count = (r.same ? (x->size + 3) / 4 : (uint32_t)__builtin_popcount(x->mask)) & MOST_COUNT;
    push(trace, x->warp, r);
    vec_push(&trace->warps[x->warp].words, (uint32_t)(x->address[first_lane(x)] / 4));
}

void simt_trace_const(struct simt_trace *trace, const struct simt_reached *x) {
    struct simt_record r = {.reach = SIMT_REACH_CONST};
    r.same = is_same(x);
    r.count = (r.same ? 1 : (uint32_t)__builtin_popcount(x->mask)) & MOST_COUNT;
    push(trace, x->warp, r);
}

void simt_trace_barrier(struct simt_trace *trace, uint32_t warp, uint32_t id, uint32_t warps,
                        bool arrive) {
    push(trace, warp,
         (struct simt_record){.reach = SIMT_REACH_BARRIER,
                              .arrive = arrive,
                              .count = (id | warps << 4) & MOST_COUNT});
}

/* ---- traces ---- */

struct simt_trace *simt_trace_new(uint32_t warps) {
    struct simt_trace *t = xcalloc(1, sizeof *t);
    t->warps = xcalloc(warps, sizeof *t->warps);
    t->count = warps;
    simt_trace_clear(t);
    return t;
}

void simt_trace_clear(struct simt_trace *trace) {
    for (uint32_t i = 0; i < trace->count; i++) {
        struct simt_warp_trace *w = &trace->warps[i];
        w->stretches.len = w->words.len = 0;
        w->issued = 0;
        w->first_sector = w->whole_sector = UINT32_MAX;
    }
}

void simt_trace_free(struct simt_trace *trace) {
    if (!trace)
        return;
    for (uint32_t i = 0; i < trace->count; i++) {
        vec_free(&trace->warps[i].stretches);
        vec_free(&trace->warps[i].words);
    }
    free(trace->warps);
    free(trace);
}
