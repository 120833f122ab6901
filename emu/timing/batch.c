/* SPDX-License-Identifier: MIT */
#include "emu/timing/batch.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* Templates and instructions are fetched and loaded in front of the run that needs them. */
struct batch_run {
    struct batch_model *m;
    const struct step *steps;
    uint64_t now_ps; /* of the controller, from the begin of the batch */
    uint64_t end_ps; /* when all bits of what was issued are there; not before now_ps */
    uint32_t region, recipes;
    uint32_t vrfs;   /* of the batch, where times depend on it; else 0 */
    uint64_t *clock; /* [parts of the machine's clock] */
    uint64_t *trial; /* likewise: scratch */
    uint32_t *tags;  /* [playback_entries]: text index + 1 */
    uint64_t misses;
    VEC(struct time_share) shares;
    size_t shares_before; /* those before are not to be added to */
    struct issue_port *port;
    uint64_t start_ps; /* on the port's clock */
    struct batch_time *out;
};

/* ---- the model ---- */

/* The text of one instruction store after the other lies in the MPUs that are nearest, the first in
 * the MPU itself: on a grid without end 2 d (d + 1) others are at most d steps away. */
static uint64_t store_hops(uint64_t store) {
    uint64_t d = 0;
    while (2 * d * (d + 1) < store)
        d++;
    return d;
}

static void open_stores(struct batch_model *m, uint32_t text_len) {
    uint64_t each = m->target->instruction_store_bytes / sizeof(uint32_t),
             cycle = m->target->front_end_ps;
    for (uint64_t store = 0; store == 0 || store * each < text_len; store++) {
        uint64_t hops = store_hops(store);
        vec_push(&m->fetch_ps, sat_mul(1 + 2 * hops, cycle));
    }
}

static void open_playback(struct batch_model *m) {
    uint32_t *empty = xcalloc(m->target->playback_entries + 1, sizeof *empty);
    map_number(&m->playback, (const char *)empty, m->target->playback_entries * sizeof *empty);
    free(empty);
}

void timing_batch_model_open(struct batch_model *m, const struct target *t, struct datapath *dp,
                             const struct machine_code *code, uint32_t text_len) {
    *m = (struct batch_model){.target = t,
                              .dp = dp,
                              .issue_ps = target_issue_ps(t),
                              .lanes = t->lanes,
                              .room = BATCH_MODEL_ROOM};
    open_playback(m);
    timing_cache_open(&m->recipes, t, code);
    open_stores(m, text_len);
}

void timing_batch_time_free(struct batch_time *t) {
    free((void *)(uintptr_t)t->shares);
    free(t);
}

static void free_known(struct batch_model *m) {
    for (size_t i = 0; i < m->times.len; i++)
        timing_batch_time_free(m->times.data[i]);
    vec_free(&m->times);
    map_free(&m->cases);
    map_free(&m->paths);
    map_free(&m->playback);
    m->bytes = 0;
}

void timing_batch_model_forget(struct batch_model *m) {
    free_known(m);
    open_playback(m);
    timing_cache_forget(&m->recipes);
}

void timing_batch_model_close(struct batch_model *m) {
    free_known(m);
    for (size_t i = 0; i < m->runs.len; i++)
        free((void *)(uintptr_t)m->runs.data[i].parts);
    vec_free(&m->runs);
    vec_free(&m->fetch_ps);
    timing_cache_close(&m->recipes);
}

/* An entry of a map, its slots included. */
#define ENTRY_BYTES (sizeof(struct map_entry) + 32)

uint32_t timing_batch_path(struct batch_model *m, struct path_record *r) {
    size_t before = m->paths.len, bytes = ENTRY_BYTES + r->steps.len * sizeof *r->steps.data;
    uint32_t path = timing_path_number(&m->paths, r);
    m->bytes += m->paths.len > before ? bytes : 0;
    return path;
}

size_t timing_batch_model_bytes(const struct batch_model *m) {
    size_t playback = ENTRY_BYTES + m->target->playback_entries * sizeof(uint32_t);
    return m->bytes + m->playback.len * playback + timing_cache_bytes(&m->recipes);
}

/* ---- events of a batch ---- */

static void add(uint64_t *sum, uint64_t more) {
    *sum = sat_add(*sum, more);
}

static void add_to_share(struct time_share *sum, const struct time_share *more) {
    add(&sum->ps, more->ps);
    add(&sum->cycles, more->cycles);
}

static void add_share(struct batch_run *b, struct time_share s) {
    struct time_share *last = b->shares.len > b->shares_before ? &vec_last(&b->shares) : NULL;
    if (last && last->index == s.index && last->region == s.region)
        add_to_share(last, &s);
    else
        vec_push(&b->shares, s);
}

/* Something of instruction `index` is over at `ps`. */
static void reach(struct batch_run *b, enum timing_part part, uint32_t index, uint64_t ps) {
    if (ps <= b->end_ps)
        return;
    add(&b->out->part_ps[part], ps - b->end_ps);
    add_share(b, (struct time_share){index, b->region, ps - b->end_ps, 0});
    b->end_ps = ps;
}

static void count_cycles(struct batch_run *b, enum timing_part part, uint32_t index,
                         uint64_t cycles) {
    add(&b->out->part_cycles[part], cycles);
    add_share(b, (struct time_share){index, b->region, 0, cycles});
}

static void spend(struct batch_run *b, enum timing_part part, uint32_t index, uint64_t cycles) {
    b->now_ps = sat_add(b->now_ps, sat_mul(cycles, b->m->issue_ps));
    count_cycles(b, part, index, cycles);
    reach(b, part, index, b->now_ps);
}

/* A host that sends all that is issued sends it expanded: nothing is fetched, and no recipe is
 * looked up. */
static bool is_sent(const struct batch_run *b) {
    return b->m->target->control == CONTROL_STREAM;
}

static void fetch(struct batch_run *b, uint32_t index) {
    uint32_t entries = b->m->target->playback_entries;
    uint32_t *tag = entries ? &b->tags[index % entries] : NULL;
    if (is_sent(b) || (tag && *tag == index + 1))
        return;
    if (tag)
        *tag = index + 1;
    uint64_t store = index / (b->m->target->instruction_store_bytes / sizeof(uint32_t));
    b->misses++;
    b->now_ps = sat_add(b->now_ps, b->m->fetch_ps.data[store]);
    count_cycles(b, TIMING_FETCH, index, 1);
    reach(b, TIMING_FETCH, index, b->now_ps);
    b->out->last_fetch_ps = b->now_ps;
}

static void wait_for_port(struct batch_run *b, uint64_t length_ps) {
    if (!b->port)
        return;
    uint64_t ready = sat_add(b->start_ps, b->now_ps);
    uint64_t start = timing_port_find(b->port, ready, length_ps);
    timing_port_take(b->port, start, length_ps);
    b->now_ps = start - b->start_ps;
}

/* A control instruction; one that needs the bits of all that was issued has been fetched when it
 * begins to wait for them. */
static void slot(struct batch_run *b, uint32_t index, bool drains, uint64_t host_ps) {
    if (!host_ps)
        fetch(b, index);
    if (drains)
        b->now_ps = b->end_ps;
    if (host_ps) {
        b->now_ps = sat_add(b->now_ps, host_ps);
        reach(b, TIMING_HOST, index, b->now_ps);
        return;
    }
    wait_for_port(b, b->m->issue_ps);
    spend(b, TIMING_DECODE, index, 1);
}

/* ---- runs ---- */

static void load_recipes(struct batch_run *b, const struct timing_run *r) {
    for (uint32_t i = 0; i < r->count; i++) {
        if (is_sent(b) || r->parts[i] == MACHINE_NO_PART)
            continue;
        struct recipe_load u = timing_cache_use(&b->m->recipes, b->recipes, r->parts[i]);
        b->recipes = u.contents;
        if (u.loads)
            spend(b, TIMING_RECIPE, r->first + i, u.loads);
    }
}

static size_t clock_bytes(const struct batch_run *b) {
    return b->m->dp->tables.clock_parts * sizeof *b->clock;
}

/* VRFs that are switched off do not work; `off` is how many. */
static struct dp_times follow(const struct batch_run *b, const struct timing_run *r, uint64_t off,
                              uint64_t at_ps, uint64_t *clock) {
    struct dp_times times = {0};
    uint64_t vrfs = b->vrfs > off ? b->vrfs - off : 0;
    b->m->dp->ops->follow(b->m->dp, r->code, &r->about, vrfs, at_ps, clock, &times);
    return times;
}

/* The issue of a run is without a gap; it begins where the port has room for all of it.  At the end
 * of all times there is none. */
static struct dp_times follow_on_port(struct batch_run *b, const struct timing_run *r,
                                      uint64_t off) {
    uint64_t length = sat_mul(r->about.issue_slots, b->m->issue_ps);
    for (uint64_t at = b->now_ps;;) {
        memcpy(b->trial, b->clock, clock_bytes(b));
        struct dp_times times = follow(b, r, off, at, b->trial);
        uint64_t start = sat_add(b->start_ps, times.begin_ps);
        uint64_t free_at = timing_port_find(b->port, start, length);
        if (free_at == start)
            timing_port_take(b->port, start, length);
        if (free_at == start || times.done_ps == UINT64_MAX) {
            memcpy(b->clock, b->trial, clock_bytes(b));
            return times;
        }
        at = free_at - b->start_ps;
    }
}

/* The host, or the front end, starts the whole run at once. */
static void launch(struct batch_run *b, const struct timing_run *r) {
    bool host = b->m->target->control != CONTROL_MPU;
    b->now_ps = sat_add(b->now_ps, b->m->target->launch_ps);
    reach(b, host ? TIMING_HOST : TIMING_DECODE, r->first, b->now_ps);
}

static void fetch_all(struct batch_run *b, const struct timing_run *r) {
    for (uint32_t i = 0; i < r->count; i++)
        fetch(b, r->first + i);
}

/* An instruction's slots: its own, and those of its micro-ops. */
static void count_slots(struct batch_run *b, uint32_t index, uint64_t slots) {
    count_cycles(b, TIMING_DECODE, index, 1);
    count_cycles(b, TIMING_COMPUTE, index, slots - 1);
}

static void run(struct batch_run *b, const struct timing_run *r, uint64_t off) {
    if (!r->about.launch)
        fetch_all(b, r);
    load_recipes(b, r);
    if (r->about.launch)
        launch(b, r);
    struct dp_times times = b->port && r->about.issue_slots
                                ? follow_on_port(b, r, off)
                                : follow(b, r, off, b->now_ps, b->clock);
    const uint64_t *done = times.insn_done_ps ? times.insn_done_ps : r->about.insn_done_ps;
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->about.insn_issue_slots)
            count_slots(b, r->first + i, r->about.insn_issue_slots[i]);
        reach(b, TIMING_COMPUTE, r->first + i, sat_add(times.begin_ps, done[i]));
    }
    b->now_ps = times.next_ps > b->now_ps ? times.next_ps : b->now_ps;
}

/* ---- steps ---- */

/* All lanes that a VRF has are looked at, with an element or without. */
static void evaluate(struct batch_run *b, const struct step *s) {
    const struct target *t = b->m->target;
    uint64_t each = ((uint64_t)b->m->lanes + t->efi_bits_per_cycle - 1) / t->efi_bits_per_cycle;
    slot(b, s->at, true, 0);
    spend(b, TIMING_EVALUATE, s->at, sat_mul(each, s->count));
}

/* Behind it stands the jump that asked. */
static void answer(struct batch_run *b, const struct step *s) {
    b->now_ps = sat_add(b->end_ps, s->count);
    reach(b, TIMING_EVALUATE, s->at, b->now_ps);
}

static void write_numbers(struct batch_run *b, const struct step *s) {
    slot(b, s->at, true, 0);
    b->now_ps = sat_add(b->now_ps, s->count);
    reach(b, TIMING_TRANSFER, s->at, b->now_ps);
}

static void play(struct batch_run *b, uint32_t from, uint32_t end);

/* ---- laps ---- */

/* All that the laps to come depend on, relative to now, and what has been counted. */
struct batch_lap {
    uint64_t now_ps, ahead_ps, misses;
    uint32_t region, recipes;
    uint64_t *clock; /* [parts of the machine's clock] */
    uint64_t part_ps[TIMING_PARTS], part_cycles[TIMING_PARTS];
    size_t shares;
};

static void begin_lap(struct batch_run *b, struct batch_lap *l) {
    *l = (struct batch_lap){
        b->now_ps, b->end_ps - b->now_ps, b->misses, b->region, b->recipes, l->clock, {0},
        {0},       b->shares.len};
    for (size_t i = 0; i < b->m->dp->tables.clock_parts; i++)
        l->clock[i] = b->clock[i] > b->now_ps ? b->clock[i] - b->now_ps : 0;
    memcpy(l->part_ps, b->out->part_ps, sizeof l->part_ps);
    memcpy(l->part_cycles, b->out->part_cycles, sizeof l->part_cycles);
    b->shares_before = b->shares.len;
}

/* The lap between the two has changed nothing for the next one.  Nor has it changed the playback
 * buffer, where a lap that follows the same lap leaves what it found, hits or misses. */
static bool steady(const struct batch_lap *a, const struct batch_lap *b, size_t clock_size) {
    return a->ahead_ps == b->ahead_ps && a->region == b->region && a->recipes == b->recipes &&
           memcmp(a->clock, b->clock, clock_size) == 0;
}

/* As many more laps like that between the two. */
static void repeat_lap(struct batch_run *b, const struct batch_lap *first,
                       const struct batch_lap *then, uint64_t times) {
    uint64_t later = sat_mul(then->now_ps - first->now_ps, times);
    if (then->misses > first->misses)
        b->out->last_fetch_ps = sat_add(b->out->last_fetch_ps, later);
    b->now_ps = sat_add(b->now_ps, later);
    b->end_ps = sat_add(b->end_ps, later);
    for (size_t i = 0; i < b->m->dp->tables.clock_parts; i++)
        add(&b->clock[i], later);
    for (int i = 0; i < TIMING_PARTS; i++) {
        add(&b->out->part_ps[i], sat_mul(then->part_ps[i] - first->part_ps[i], times));
        add(&b->out->part_cycles[i], sat_mul(then->part_cycles[i] - first->part_cycles[i], times));
    }
    for (size_t i = first->shares; i < then->shares; i++) {
        struct time_share s = b->shares.data[i];
        s.ps = sat_mul(s.ps, times);
        s.cycles = sat_mul(s.cycles, times);
        add_share(b, s);
    }
}

static void play_again(struct batch_run *b, uint32_t from, uint32_t end, uint64_t times) {
    uint32_t parts = b->m->dp->tables.clock_parts;
    uint64_t *clocks = xcalloc(2 * (size_t)parts + 1, sizeof *clocks);
    struct batch_lap laps[2] = {{.clock = clocks}, {.clock = clocks + parts}};
    unsigned last = 0; /* the lap that began last */
    begin_lap(b, &laps[last]);
    for (uint64_t left = times; left; left--) {
        play(b, from, end);
        begin_lap(b, &laps[!last]);
        if (!b->port && left > 1 && steady(&laps[last], &laps[!last], clock_bytes(b))) {
            repeat_lap(b, &laps[last], &laps[!last], left - 1);
            break;
        }
        last = !last;
    }
    b->shares_before = b->shares.len;
    free(clocks);
}

static void play_step(struct batch_run *b, uint32_t i) {
    const struct step *s = &b->steps[i];
    switch ((enum step_kind)s->kind) {
    case STEP_RUN:
        run(b, &b->m->runs.data[s->at], s->count);
        break;
    case STEP_SLOT:
    case STEP_DRAIN:
        slot(b, s->at, s->kind == STEP_DRAIN, s->count);
        break;
    case STEP_EVALUATE:
        evaluate(b, s);
        break;
    case STEP_ANSWER:
        answer(b, s);
        break;
    case STEP_NUMBERS:
        write_numbers(b, s);
        break;
    case STEP_REGION:
        b->region = s->at;
        break;
    case STEP_AGAIN:
        play_again(b, i - s->at, i, s->count);
        break;
    }
}

static void play(struct batch_run *b, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end; i++)
        play_step(b, i);
}

/* ---- the whole ---- */

static int by_index(const void *x, const void *y) {
    const struct time_share *a = x, *b = y;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return (a->region > b->region) - (a->region < b->region);
}

static void gather_shares(struct batch_run *b) {
    size_t kept = 0;
    if (b->shares.len)
        qsort(b->shares.data, b->shares.len, sizeof *b->shares.data, by_index);
    for (size_t i = 0; i < b->shares.len; i++)
        if (kept && by_index(&b->shares.data[kept - 1], &b->shares.data[i]) == 0)
            add_to_share(&b->shares.data[kept - 1], &b->shares.data[i]);
        else
            b->shares.data[kept++] = b->shares.data[i];
    b->out->shares = b->shares.data;
    b->out->share_count = (uint32_t)kept;
}

struct batch_time *timing_batch_time_shared(struct batch_model *m, uint32_t path, uint32_t vrfs,
                                            uint32_t playback, uint32_t recipes,
                                            struct issue_port *port, uint64_t start_ps) {
    size_t bytes = m->target->playback_entries * sizeof(uint32_t);
    uint32_t count, parts = m->dp->tables.clock_parts;
    struct batch_run *b = xcalloc(1, sizeof *b);
    *b = (struct batch_run){.m = m, .recipes = recipes, .port = port, .start_ps = start_ps};
    b->vrfs = m->dp->tables.at_once ? vrfs : 0;
    b->clock = xcalloc(2 * (size_t)parts + 1, sizeof *b->clock);
    b->trial = b->clock + parts;
    b->steps = timing_path_steps(&m->paths, path, &count);
    b->out = xcalloc(1, sizeof *b->out);
    b->tags = xmalloc(bytes + 1);
    memcpy(b->tags, m->playback.entries[playback].key, bytes);
    play(b, 0, count);
    struct batch_time *out = b->out;
    out->ps = b->end_ps;
    out->playback = b->misses ? map_number(&m->playback, (const char *)b->tags, bytes) : playback;
    out->recipes = b->recipes;
    gather_shares(b);
    free(b->clock);
    free(b->tags);
    free(b);
    return out;
}

struct batch_time *timing_batch_time(struct batch_model *m, uint32_t path, uint32_t vrfs,
                                     uint32_t playback, uint32_t recipes) {
    const uint32_t key[] = {path, m->dp->tables.at_once ? vrfs : 0, playback, recipes};
    const uint64_t *known = map_get_n(&m->cases, (const char *)key, sizeof key);
    if (known)
        return (struct batch_time *)(uintptr_t)*known;
    struct batch_time *t = timing_batch_time_shared(m, path, vrfs, playback, recipes, NULL, 0);
    vec_push(&m->times, t);
    m->bytes += ENTRY_BYTES + sizeof key + sizeof *t + t->share_count * sizeof *t->shares;
    map_put_n(&m->cases, (const char *)key, sizeof key, (uint64_t)(uintptr_t)t);
    return t;
}
