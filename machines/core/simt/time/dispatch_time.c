/* SPDX-License-Identifier: MIT
 * Blocks: carried out in their order, handed to cores, and where their warps go there. */
#include "machines/core/simt/time/core_time.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- a block in its core ---- */

static uint32_t room_of(const struct core *c, uint32_t sub) {
    return c->t->slots - (uint32_t)__builtin_popcountll(c->subs[sub].slots);
}

/* Where the block has to go; NULL: anywhere. */
static const struct simt_home *home_of(const struct times *t, const struct simt_trace *trace) {
    return t->x->homes ? &t->x->homes[trace->block % t->x->home_count] : NULL;
}

/* For the next block of its queue, or for any. */
static bool has_room(const struct core *c) {
    const struct simt_launch_time *x = c->t->x;
    const struct simt_home *home = c->queue ? home_of(c->t, c->queue) : NULL;
    uint32_t room = 0;
    for (uint32_t i = 0; i < c->t->subs; i++)
        room += !home || home->sub == i ? room_of(c, i) : 0;
    return c->resident < c->t->block_slots && room >= x->warps &&
           c->shared_bytes + x->shared_bytes <= c->t->keys->shared_bytes;
}

/* The first sector that a warp reaches as one, if it lies in the core; else the first of all. */
static uint32_t beside(const struct core *c, const struct simt_warp_trace *trace) {
    const uint32_t whole = trace->whole_sector;
    return whole != UINT32_MAX && simt_memory_core_of(c->t, whole) == c->number
               ? whole
               : trace->first_sector;
}

/* Where it has to be; or beside its data, or in turn, where there is room. */
static uint32_t choose_sub(const struct core *c, uint32_t block, uint32_t number) {
    const struct times *t = c->t;
    const struct simt_warp_trace *trace = &c->blocks[block].trace->warps[number];
    const struct simt_home *home = home_of(t, c->blocks[block].trace);
    const uint32_t sector = beside(c, trace);
    uint32_t wanted = home ? home->sub : number % t->subs, most = 0;
    if (!home && t->k->placement == SIMT_PLACEMENT_DATA && sector != UINT32_MAX &&
        simt_memory_core_of(t, sector) == c->number)
        wanted = simt_memory_unit_of(t, sector);
    if (room_of(c, wanted))
        return wanted;
    for (uint32_t i = 1; i < t->subs; i++)
        if (room_of(c, i) > room_of(c, most))
            most = i;
    return most;
}

static void begin_warp(struct core *c, uint32_t block, uint32_t number, uint64_t cycle) {
    struct timed_block *b = &c->blocks[block];
    const struct simt_warp_trace *trace = &b->trace->warps[number];
    const uint32_t sub = choose_sub(c, block, number),
                   slot = (uint32_t)__builtin_ctzll(~c->subs[sub].slots);
    struct warp *w = &c->warps[sub * WHEEL + slot];
    if (!c->subs[sub].slots)
        c->subs[sub].from = c->subs[sub].counted = cycle;
    c->subs[sub].slots |= UINT64_C(1) << slot;
    c->resident_warps++;
    b->warps[number] = sub * WHEEL + slot;
    *w = (struct warp){.trace = trace, .sub = sub, .slot = slot, .number = number, .block = block};
    w->far = (struct simt_set){UINT64_MAX, UINT32_MAX};
    w->step = trace->stretches.data[0].first;
    w->mask = w->live = trace->stretches.data[0].mask;
    w->left = trace->stretches.data[0].count;
    w->begin = cycle;
    simt_core_consider(c, w, cycle);
}

static void begin_block(struct core *c, uint64_t cycle) {
    struct times *t = c->t;
    uint32_t i = 0;
    while (c->blocks[i].trace)
        i++;
    struct timed_block *b = &c->blocks[i];
    b->trace = c->queue;
    c->queue = c->queue->next;
    c->queued--;
    b->live = b->held = t->x->warps;
    memset(b->arrived, 0, sizeof b->arrived);
    memset(b->wanted, 0, sizeof b->wanted);
    b->begin_cycle = cycle;
    c->resident++;
    c->shared_bytes += t->x->shared_bytes;
    for (uint32_t n = 0; n < t->x->warps; n++)
        begin_warp(c, i, n, cycle);
    if (c->resident_warps > t->x->resident)
        t->x->resident = c->resident_warps;
}

static void dispatch_core(struct core *c, uint64_t cycle) {
    bool room;
    while ((room = has_room(c)) && c->queue)
        begin_block(c, cycle);
    c->starved = room && !c->t->done;
}

static void keep_spare(struct times *t, struct simt_trace *trace) {
    trace->next = t->spare;
    t->spare = trace;
}

void simt_dispatch_block_over(struct core *c, uint32_t block, uint64_t cycle) {
    struct timed_block *b = &c->blocks[block];
    if (c->t->x->span)
        c->t->x->span(c->t->x->context, SIMT_TRACK_BLOCK, c->number, block,
                      (struct simt_span){b->begin_cycle, cycle});
    keep_spare(c->t, b->trace);
    b->trace = NULL;
    c->resident--;
    c->shared_bytes -= c->t->x->shared_bytes;
    c->end = cycle > c->end ? cycle : c->end;
    dispatch_core(c, cycle);
}

/* ---- which core ---- */

/* The core that has what most warps reach first, of such the first; NO_INDEX32: none does. */
static uint32_t wanted_core(const struct times *t, const struct simt_trace *trace) {
    uint32_t best = NO_INDEX32, most = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        const uint32_t first = trace->warps[i].first_sector;
        uint32_t count = 0;
        if (first == UINT32_MAX || simt_memory_core_of(t, first) == best)
            continue;
        for (uint32_t k = 0; k < trace->count; k++)
            count += trace->warps[k].first_sector != UINT32_MAX &&
                     simt_memory_core_of(t, trace->warps[k].first_sector) ==
                         simt_memory_core_of(t, first);
        if (count > most) {
            most = count;
            best = simt_memory_core_of(t, first);
        }
    }
    return best;
}

static uint32_t core_for(const struct times *t, const struct simt_trace *trace) {
    const uint64_t blocks = t->x->blocks;
    if (t->x->homes)
        return home_of(t, trace)->core % t->core_count;
    switch ((enum simt_placement)t->k->placement) {
    case SIMT_PLACEMENT_CHUNK:
        return (uint32_t)(trace->block / ((blocks + t->core_count - 1) / t->core_count));
    case SIMT_PLACEMENT_DATA:
        if (t->core_count > 1 && wanted_core(t, trace) != NO_INDEX32)
            return wanted_core(t, trace);
        break;
    case SIMT_PLACEMENT_ROUND:
        break;
    }
    return (uint32_t)(trace->block % t->core_count);
}

/* The next block is carried out; false after a fault. */
static bool carry_out(struct times *t) {
    struct simt_trace *trace = t->spare;
    if (trace)
        t->spare = trace->next;
    else
        trace = simt_trace_new(t->x->warps);
    simt_trace_clear(trace);
    trace->moved = t->x->moved;
    trace->granule_shift = t->granule_shift;
    trace->block = t->next_block;
    trace->next = NULL;
    t->held = trace;
    return t->x->block(t->x->run, t->next_block++, trace);
}

static void open_core(struct times *t, struct core *c, uint32_t number) {
    *c = (struct core){.t = t,
                       .places = t->x->places,
                       .plans = t->plans,
                       .drawn = t->x->span != NULL,
                       .watched = t->x->span || t->x->issued,
                       .number = number,
                       .flight = t->flight,
                       .tsv_byte = t->tsv_byte,
                       .free_request = NO_INDEX32,
                       .free_access = NO_INDEX32};
    c->subs = xcalloc(t->subs, sizeof *c->subs);
    c->ready = xcalloc(t->subs, sizeof *c->ready);
    c->wheel = xcalloc((size_t)t->subs * WHEEL, sizeof *c->wheel);
    c->warps = xcalloc((size_t)t->subs * WHEEL, sizeof *c->warps);
    c->blocks = xcalloc(t->block_slots, sizeof *c->blocks);
    c->banks = xcalloc(t->all_banks, sizeof *c->banks);
    c->bank_next = xcalloc(t->all_banks, sizeof *c->bank_next);
    c->lines = xcalloc(t->line_count, sizeof *c->lines);
    for (uint32_t i = 0; i < t->subs; i++)
        c->subs[i].collectors = xcalloc(t->k->collectors, sizeof *c->subs[i].collectors);
    for (uint32_t i = 0; i < t->block_slots; i++)
        c->blocks[i].warps = xcalloc(t->x->warps, sizeof *c->blocks[i].warps);
    for (uint32_t i = 0; i < t->line_count; i++)
        c->lines[i] = NEVER;
    simt_bank_open(c);
    simt_event_open(c);
}

struct core *simt_dispatch_core(struct times *t, uint32_t number) {
    if (!t->cores[number].t)
        open_core(t, &t->cores[number], number);
    return &t->cores[number];
}

/* Hands out blocks in their order as long as their cores' queues have room. */
static bool hand_out(struct times *t) {
    for (;;) {
        if (!t->held && t->next_block < t->x->blocks && !carry_out(t))
            return false;
        if (!t->held) {
            t->done = true;
            return true;
        }
        struct core *c = simt_dispatch_core(t, core_for(t, t->held));
        if (c->queued >= t->k->dispatch_queue)
            return true;
        struct simt_trace **last = &c->queue;
        while (*last)
            last = &(*last)->next;
        *last = t->held;
        t->held = NULL;
        t->wants[c->number] = true;
        c->queued++;
    }
}

/* ---- cores ---- */

static void close_core(struct times *t, struct core *c) {
    for (uint32_t i = 0; i < t->subs; i++)
        free(c->subs[i].collectors);
    for (uint32_t i = 0; i < t->block_slots; i++) {
        simt_trace_free(c->blocks[i].trace);
        free(c->blocks[i].warps);
    }
    while (c->queue) {
        struct simt_trace *next = c->queue->next;
        simt_trace_free(c->queue);
        c->queue = next;
    }
    free(c->subs);
    free(c->ready);
    free(c->wheel);
    free(c->warps);
    free(c->blocks);
    free(c->banks);
    free(c->bank_next);
    free(c->lines);
    vec_free(&c->requests);
    vec_free(&c->accesses);
    simt_event_close(c);
}

static unsigned log_2(uint64_t n) {
    return 63 - (unsigned)__builtin_clzll(n);
}

static struct divisor divisor_of(uint32_t n) {
    return (struct divisor){n, !(n & (n - 1)), (uint8_t)log_2(n)};
}

static void open_times(struct times *t, struct simt_launch_time *x) {
    const struct target *target = x->target;
    const struct simt_keys *keys = simt_keys(target);
    const struct simt_time_keys *k = &keys->time;
    const bool one = k->cores == SIMT_CORES_ONE;
    *t = (struct times){.x = x, .target = target, .keys = keys, .k = k, .free_packet = NO_INDEX32};
    t->core_count = one ? 1 : target->rfh_per_mpu * target->mpus;
    t->subs = target->vrf_per_rfh;
    t->banks = keys->banks;
    t->all_banks = t->subs * t->banks;
    t->by_cores = divisor_of(t->core_count);
    t->by_subs = divisor_of(t->subs);
    t->by_banks = divisor_of(t->banks);
    t->slots = simt_time_resident(target, x->kernel);
    t->block_slots = t->subs * t->slots / x->warps;
    while (t->width * t->width < target->rfh_per_mpu)
        t->width++;
    t->flight = k->tsv_cycles * TICKS;
    t->tsv_byte = TICKS / k->tsv_bytes;
    t->chunk_shift = one ? 31 : log_2(k->core_chunk / SIMT_SECTOR_BYTES);
    t->granule_shift = log_2(k->granule_bytes / SIMT_SECTOR_BYTES);
    t->row_shift = log_2(k->row_bytes / SIMT_SECTOR_BYTES);
    t->line_count = 4 * (x->kernel->word_count + 1) / k->icache_line + 1;
    t->plans = simt_plans(x->kernel, keys);
    t->mesh = xcalloc((size_t)target->rfh_per_mpu * target->mpus * 4, sizeof *t->mesh);
    t->links = xcalloc((size_t)target->mpus * 2, sizeof *t->links);
    t->cores = xcalloc(t->core_count, sizeof *t->cores);
    t->next = xcalloc(t->core_count, sizeof *t->next);
    t->wants = xcalloc(t->core_count, sizeof *t->wants);
    for (uint32_t i = 0; i < t->core_count; i++)
        t->next[i] = NEVER;
}

static void close_times(struct times *t) {
    for (uint32_t i = 0; i < t->core_count; i++)
        if (t->cores[i].t)
            close_core(t, &t->cores[i]);
    while (t->spare) {
        struct simt_trace *next = t->spare->next;
        simt_trace_free(t->spare);
        t->spare = next;
    }
    simt_trace_free(t->held);
    vec_free(&t->packets);
    vec_free(&t->outbox);
    free(t->plans);
    free(t->mesh);
    free(t->links);
    free(t->next);
    free(t->wants);
    free(t->cores);
}

/* The earliest cycle in which some core does something; NEVER: all is done. */
static uint64_t next_of_all(const struct times *t) {
    uint64_t least = NEVER;
    for (uint32_t i = 0; i < t->core_count; i++)
        least = t->next[i] < least ? t->next[i] : least;
    return least;
}

/* Something has changed in the core. */
static void look_at(struct times *t, uint32_t i) {
    t->next[i] = simt_core_next(&t->cores[i]);
    t->wants[i] = t->cores[i].queue || t->cores[i].starved;
}

/* Cores go on alone for as long as a packet takes at least. */
static bool run(struct times *t) {
    const uint64_t alone = t->core_count == 1 ? NEVER / TICKS / 2 : t->k->network_cycles;
    for (uint64_t now = 0;;) {
        if (!hand_out(t))
            return false;
        for (uint32_t i = 0; i < t->core_count; i++) {
            struct core *c = &t->cores[i];
            if (!t->wants[i])
                continue;
            dispatch_core(c, c->cycle > now ? c->cycle : now);
            look_at(t, i);
        }
        const uint64_t next = next_of_all(t);
        if (next == NEVER && t->done)
            return true;
        if (t->core_count > 1 && next != NEVER && next > now)
            now = next;
        const uint64_t until = t->core_count == 1 ? alone : now + alone;
        for (uint32_t i = 0; i < t->core_count; i++) {
            if (t->next[i] >= until)
                continue;
            simt_core_advance(&t->cores[i], until);
            look_at(t, i);
        }
        simt_network_deliver(t);
        now = t->core_count == 1 ? t->cores[0].cycle : until;
    }
}

static void sum_up(struct times *t) {
    struct simt_launch_time *x = t->x;
    for (uint32_t i = 0; i < t->core_count; i++) {
        const struct core *c = &t->cores[i];
        x->cycles = c->end > x->cycles ? c->end : x->cycles;
        x->up_bytes += c->sent_bytes[1];
        x->down_bytes += c->sent_bytes[0];
        x->tsv_busy += (c->sent_bytes[0] + c->sent_bytes[1]) * t->tsv_byte / TICKS;
        x->used_cores += c->end != 0;
    }
    const bool some = x->charged_cores && x->charged_cores < t->core_count;
    x->refreshes =
        x->cycles / t->k->t_refi * t->all_banks * (some ? x->charged_cores : t->core_count);
}

uint32_t simt_time_resident(const struct target *t, const struct simt_kernel *k) {
    return simt_resident_warps(simt_keys(t), k->near, k->both, k->far);
}

bool simt_time_launch(struct simt_launch_time *launch) {
    struct times t;
    open_times(&t, launch);
    bool fine = t.block_slots && run(&t);
    if (fine)
        sum_up(&t);
    simt_core_close_spans(&t);
    close_times(&t);
    return fine;
}
