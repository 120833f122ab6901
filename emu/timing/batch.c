/* SPDX-License-Identifier: MIT
 * Times of batches: a path that starts from what was seen before takes what it took then. */
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
    struct bar_list bars;
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

static void open_stores(struct batch_model *model, uint32_t text_len) {
    uint64_t each = model->target->instruction_store_bytes / sizeof(uint32_t),
             cycle = model->target->front_end_ps;
    for (uint64_t store = 0; store == 0 || store * each < text_len; store++) {
        uint64_t hops = store_hops(store);
        vec_push(&model->fetch_ps, sat_mul(1 + 2 * hops, cycle));
    }
}

static void open_playback(struct batch_model *model) {
    uint32_t *empty = xcalloc(model->target->playback_entries + 1, sizeof *empty);
    map_number(&model->playback, (const char *)empty,
               model->target->playback_entries * sizeof *empty);
    free(empty);
}

void timing_batch_model_open(struct batch_model *model, const struct target *target,
                             struct datapath *dp, const struct machine_code *code,
                             uint32_t text_len) {
    *model = (struct batch_model){.target = target,
                                  .dp = dp,
                                  .issue_ps = target_issue_ps(target),
                                  .lanes = target->lanes,
                                  .room = BATCH_MODEL_ROOM};
    open_playback(model);
    timing_cache_open(&model->recipes, target, code);
    open_stores(model, text_len);
}

void timing_batch_time_free(struct batch_time *time) {
    free((void *)(uintptr_t)time->shares);
    free((void *)(uintptr_t)time->bars);
    free(time);
}

static void free_known(struct batch_model *model) {
    for (size_t i = 0; i < model->times.len; i++)
        timing_batch_time_free(model->times.data[i]);
    vec_free(&model->times);
    map_free(&model->cases);
    map_free(&model->paths);
    map_free(&model->playback);
    model->bytes = 0;
}

void timing_batch_model_forget(struct batch_model *model) {
    free_known(model);
    open_playback(model);
    timing_cache_forget(&model->recipes);
}

void timing_batch_model_close(struct batch_model *model) {
    free_known(model);
    for (size_t i = 0; i < model->runs.len; i++)
        free((void *)(uintptr_t)model->runs.data[i].parts);
    vec_free(&model->runs);
    vec_free(&model->fetch_ps);
    timing_cache_close(&model->recipes);
}

/* An entry of a map, its slots included. */
#define ENTRY_BYTES (sizeof(struct map_entry) + 32)

uint32_t timing_batch_path(struct batch_model *model, struct path_record *record) {
    size_t before = model->paths.len,
           bytes = ENTRY_BYTES + record->steps.len * sizeof *record->steps.data;
    uint32_t path = timing_path_number(&model->paths, record);
    model->bytes += model->paths.len > before ? bytes : 0;
    return path;
}

size_t timing_batch_model_bytes(const struct batch_model *model) {
    size_t playback = ENTRY_BYTES + model->target->playback_entries * sizeof(uint32_t);
    return model->bytes + model->playback.len * playback + timing_cache_bytes(&model->recipes);
}

/* ---- events of a batch ---- */

static void add(uint64_t *sum, uint64_t more) {
    *sum = sat_add(*sum, more);
}

static void add_to_share(struct time_share *sum, const struct time_share *more) {
    add(&sum->ps, more->ps);
    add(&sum->cycles, more->cycles);
}

static void add_share(struct batch_run *run, struct time_share share) {
    struct time_share *last = run->shares.len > run->shares_before ? &vec_last(&run->shares) : NULL;
    if (last && last->index == share.index && last->region == share.region)
        add_to_share(last, &share);
    else
        vec_push(&run->shares, share);
}

/* Something of instruction `index` is over at `ps`. */
static void reach(struct batch_run *run, enum timing_part part, uint32_t index, uint64_t ps) {
    if (ps <= run->end_ps)
        return;
    add(&run->out->part_ps[part], ps - run->end_ps);
    add_share(run, (struct time_share){index, run->region, ps - run->end_ps, 0});
    timing_bars_add(&run->bars, part, index, run->end_ps, ps);
    run->end_ps = ps;
}

static void count_cycles(struct batch_run *run, enum timing_part part, uint32_t index,
                         uint64_t cycles) {
    add(&run->out->part_cycles[part], cycles);
    add_share(run, (struct time_share){index, run->region, 0, cycles});
}

static void spend(struct batch_run *run, enum timing_part part, uint32_t index, uint64_t cycles) {
    run->now_ps = sat_add(run->now_ps, sat_mul(cycles, run->m->issue_ps));
    count_cycles(run, part, index, cycles);
    reach(run, part, index, run->now_ps);
}

/* A host that sends all that is issued sends it expanded: nothing is fetched, and no recipe is
 * looked up. */
static bool is_sent(const struct batch_run *run) {
    return run->m->target->control == CONTROL_STREAM;
}

static void fetch(struct batch_run *run, uint32_t index) {
    uint32_t entries = run->m->target->playback_entries;
    uint32_t *tag = entries ? &run->tags[index % entries] : NULL;
    if (is_sent(run) || (tag && *tag == index + 1))
        return;
    if (tag)
        *tag = index + 1;
    uint64_t store = index / (run->m->target->instruction_store_bytes / sizeof(uint32_t));
    run->misses++;
    run->now_ps = sat_add(run->now_ps, run->m->fetch_ps.data[store]);
    count_cycles(run, TIMING_FETCH, index, 1);
    reach(run, TIMING_FETCH, index, run->now_ps);
    run->out->last_fetch_ps = run->now_ps;
}

static void wait_for_port(struct batch_run *run, uint64_t length_ps) {
    if (!run->port)
        return;
    uint64_t ready = sat_add(run->start_ps, run->now_ps);
    uint64_t start = timing_port_find(run->port, ready, length_ps);
    timing_port_take(run->port, start, length_ps);
    run->now_ps = start - run->start_ps;
}

/* A control instruction; one that needs the bits of all that was issued has been fetched when it
 * begins to wait for them. */
static void slot(struct batch_run *run, uint32_t index, bool drains, uint64_t host_ps) {
    if (!host_ps)
        fetch(run, index);
    if (drains)
        run->now_ps = run->end_ps;
    if (host_ps) {
        run->now_ps = sat_add(run->now_ps, host_ps);
        reach(run, TIMING_HOST, index, run->now_ps);
        return;
    }
    wait_for_port(run, run->m->issue_ps);
    spend(run, TIMING_DECODE, index, 1);
}

/* ---- runs ---- */

static void load_recipes(struct batch_run *run, const struct timing_run *timing_run) {
    for (uint32_t i = 0; i < timing_run->count; i++) {
        if (is_sent(run) || timing_run->parts[i] == MACHINE_NO_PART)
            continue;
        struct recipe_load u =
            timing_cache_use(&run->m->recipes, run->recipes, timing_run->parts[i]);
        run->recipes = u.contents;
        if (u.loads)
            spend(run, TIMING_RECIPE, timing_run->first + i, u.loads);
    }
}

static size_t clock_bytes(const struct batch_run *run) {
    return run->m->dp->tables.clock_parts * sizeof *run->clock;
}

/* VRFs that are switched off do not work; `off` is how many. */
static struct dp_times follow(const struct batch_run *run, const struct timing_run *timing_run,
                              uint64_t off, uint64_t at_ps, uint64_t *clock) {
    struct dp_times times = {0};
    uint64_t vrfs = run->vrfs > off ? run->vrfs - off : 0;
    run->m->dp->ops->follow(run->m->dp, timing_run->code, &timing_run->about, vrfs, at_ps, clock,
                            &times);
    return times;
}

/* The issue of a run is without a gap; it begins where the port has room for all of it.  At the end
 * of all times there is none. */
static struct dp_times follow_on_port(struct batch_run *run, const struct timing_run *timing_run,
                                      uint64_t off) {
    uint64_t length = sat_mul(timing_run->about.issue_slots, run->m->issue_ps);
    for (uint64_t at = run->now_ps;;) {
        memcpy(run->trial, run->clock, clock_bytes(run));
        struct dp_times times = follow(run, timing_run, off, at, run->trial);
        uint64_t start = sat_add(run->start_ps, times.begin_ps);
        uint64_t free_at = timing_port_find(run->port, start, length);
        if (free_at == start)
            timing_port_take(run->port, start, length);
        if (free_at == start || times.done_ps == UINT64_MAX) {
            memcpy(run->clock, run->trial, clock_bytes(run));
            return times;
        }
        at = free_at - run->start_ps;
    }
}

/* The host, or the front end, starts the whole run at once. */
static void launch(struct batch_run *run, const struct timing_run *timing_run) {
    bool host = run->m->target->control != CONTROL_MPU;
    run->now_ps = sat_add(run->now_ps, run->m->target->launch_ps);
    reach(run, host ? TIMING_HOST : TIMING_DECODE, timing_run->first, run->now_ps);
}

static void fetch_all(struct batch_run *run, const struct timing_run *timing_run) {
    for (uint32_t i = 0; i < timing_run->count; i++)
        fetch(run, timing_run->first + i);
}

/* An instruction's slots: its own, and those of its micro-ops. */
static void count_slots(struct batch_run *run, uint32_t index, uint64_t slots) {
    count_cycles(run, TIMING_DECODE, index, 1);
    count_cycles(run, TIMING_COMPUTE, index, slots - 1);
}

static void run(struct batch_run *run, const struct timing_run *timing_run, uint64_t off) {
    if (!timing_run->about.launch)
        fetch_all(run, timing_run);
    load_recipes(run, timing_run);
    if (timing_run->about.launch)
        launch(run, timing_run);
    struct dp_times times = run->port && timing_run->about.issue_slots
                                ? follow_on_port(run, timing_run, off)
                                : follow(run, timing_run, off, run->now_ps, run->clock);
    const uint64_t *done = times.insn_done_ps ? times.insn_done_ps : timing_run->about.insn_done_ps;
    for (uint32_t i = 0; i < timing_run->count; i++) {
        if (timing_run->about.insn_issue_slots)
            count_slots(run, timing_run->first + i, timing_run->about.insn_issue_slots[i]);
        reach(run, TIMING_COMPUTE, timing_run->first + i, sat_add(times.begin_ps, done[i]));
    }
    run->now_ps = times.next_ps > run->now_ps ? times.next_ps : run->now_ps;
}

/* ---- steps ---- */

/* All lanes that a VRF has are looked at, with an element or without. */
static void evaluate(struct batch_run *run, const struct step *step) {
    const struct target *t = run->m->target;
    uint64_t each = ((uint64_t)run->m->lanes + t->efi_bits_per_cycle - 1) / t->efi_bits_per_cycle;
    slot(run, step->at, true, 0);
    spend(run, TIMING_EVALUATE, step->at, sat_mul(each, step->count));
}

/* Behind it stands the jump that asked. */
static void answer(struct batch_run *run, const struct step *step) {
    run->now_ps = sat_add(run->end_ps, step->count);
    reach(run, TIMING_EVALUATE, step->at, run->now_ps);
}

static void write_numbers(struct batch_run *run, const struct step *step) {
    slot(run, step->at, true, 0);
    run->now_ps = sat_add(run->now_ps, step->count);
    reach(run, TIMING_TRANSFER, step->at, run->now_ps);
}

static void play(struct batch_run *run, uint32_t from, uint32_t end);

/* ---- laps ---- */

/* All that the laps to come depend on, relative to now, and what has been counted. */
struct batch_lap {
    uint64_t now_ps, ahead_ps, misses;
    uint32_t region, recipes;
    uint64_t *clock; /* [parts of the machine's clock] */
    uint64_t part_ps[TIMING_PARTS], part_cycles[TIMING_PARTS];
    size_t shares, bars;
};

static void begin_lap(struct batch_run *run, struct batch_lap *lap) {
    *lap = (struct batch_lap){run->now_ps,
                              run->end_ps - run->now_ps,
                              run->misses,
                              run->region,
                              run->recipes,
                              lap->clock,
                              {0},
                              {0},
                              run->shares.len,
                              timing_bars_lap(&run->bars)};
    for (size_t i = 0; i < run->m->dp->tables.clock_parts; i++)
        lap->clock[i] = run->clock[i] > run->now_ps ? run->clock[i] - run->now_ps : 0;
    memcpy(lap->part_ps, run->out->part_ps, sizeof lap->part_ps);
    memcpy(lap->part_cycles, run->out->part_cycles, sizeof lap->part_cycles);
    run->shares_before = run->shares.len;
}

/* The lap between the two has changed nothing for the next one.  Nor has it changed the playback
 * buffer, where a lap that follows the same lap leaves what it found, hits or misses. */
static bool steady(const struct batch_lap *left, const struct batch_lap *right, size_t clock_size) {
    return left->ahead_ps == right->ahead_ps && left->region == right->region &&
           left->recipes == right->recipes && memcmp(left->clock, right->clock, clock_size) == 0;
}

/* As many more laps like that between the two. */
static void repeat_lap(struct batch_run *run, const struct batch_lap *first,
                       const struct batch_lap *then, uint64_t times) {
    uint64_t later = sat_mul(then->now_ps - first->now_ps, times);
    if (then->misses > first->misses)
        run->out->last_fetch_ps = sat_add(run->out->last_fetch_ps, later);
    run->now_ps = sat_add(run->now_ps, later);
    run->end_ps = sat_add(run->end_ps, later);
    for (size_t i = 0; i < run->m->dp->tables.clock_parts; i++)
        add(&run->clock[i], later);
    for (int i = 0; i < TIMING_PARTS; i++) {
        add(&run->out->part_ps[i], sat_mul(then->part_ps[i] - first->part_ps[i], times));
        add(&run->out->part_cycles[i],
            sat_mul(then->part_cycles[i] - first->part_cycles[i], times));
    }
    timing_bars_repeat(&run->bars, first->bars, then->now_ps - first->now_ps, times);
    for (size_t i = first->shares; i < then->shares; i++) {
        struct time_share s = run->shares.data[i];
        s.ps = sat_mul(s.ps, times);
        s.cycles = sat_mul(s.cycles, times);
        add_share(run, s);
    }
}

static void play_again(struct batch_run *run, uint32_t from, uint32_t end, uint64_t times) {
    uint32_t parts = run->m->dp->tables.clock_parts;
    uint64_t *clocks = xcalloc(2 * (size_t)parts + 1, sizeof *clocks);
    struct batch_lap laps[2] = {{.clock = clocks}, {.clock = clocks + parts}};
    unsigned last = 0; /* the lap that began last */
    begin_lap(run, &laps[last]);
    for (uint64_t left = times; left; left--) {
        play(run, from, end);
        begin_lap(run, &laps[!last]);
        if (!run->port && left > 1 && steady(&laps[last], &laps[!last], clock_bytes(run))) {
            repeat_lap(run, &laps[last], &laps[!last], left - 1);
            break;
        }
        last = !last;
    }
    run->shares_before = run->shares.len;
    free(clocks);
}

static void play_step(struct batch_run *batch_run, uint32_t index) {
    const struct step *s = &batch_run->steps[index];
    switch ((enum step_kind)s->kind) {
    case STEP_RUN:
        run(batch_run, &batch_run->m->runs.data[s->at], s->count);
        break;
    case STEP_SLOT:
    case STEP_DRAIN:
        slot(batch_run, s->at, s->kind == STEP_DRAIN, s->count);
        break;
    case STEP_EVALUATE:
        evaluate(batch_run, s);
        break;
    case STEP_ANSWER:
        answer(batch_run, s);
        break;
    case STEP_NUMBERS:
        write_numbers(batch_run, s);
        break;
    case STEP_REGION:
        batch_run->region = s->at;
        break;
    case STEP_AGAIN:
        play_again(batch_run, index - s->at, index, s->count);
        break;
    }
}

static void play(struct batch_run *run, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end; i++)
        play_step(run, i);
}

/* ---- the whole ---- */

static int by_index(const void *left, const void *right) {
    const struct time_share *a = left, *b = right;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return (a->region > b->region) - (a->region < b->region);
}

static void gather_shares(struct batch_run *run) {
    size_t kept = 0;
    if (run->shares.len)
        qsort(run->shares.data, run->shares.len, sizeof *run->shares.data, by_index);
    for (size_t i = 0; i < run->shares.len; i++)
        if (kept && by_index(&run->shares.data[kept - 1], &run->shares.data[i]) == 0)
            add_to_share(&run->shares.data[kept - 1], &run->shares.data[i]);
        else
            run->shares.data[kept++] = run->shares.data[i];
    run->out->shares = run->shares.data;
    run->out->share_count = (uint32_t)kept;
}

struct batch_time *timing_batch_time_shared(struct batch_model *model, uint32_t path, uint32_t vrfs,
                                            uint32_t playback, uint32_t recipes,
                                            struct issue_port *port, uint64_t start_ps) {
    size_t bytes = model->target->playback_entries * sizeof(uint32_t);
    uint32_t count, parts = model->dp->tables.clock_parts;
    struct batch_run *b = xcalloc(1, sizeof *b);
    *b = (struct batch_run){.m = model, .recipes = recipes, .port = port, .start_ps = start_ps};
    b->bars.wanted = model->bars;
    b->vrfs = model->dp->tables.at_once ? vrfs : 0;
    b->clock = xcalloc(2 * (size_t)parts + 1, sizeof *b->clock);
    b->trial = b->clock + parts;
    b->steps = timing_path_steps(&model->paths, path, &count);
    b->out = xcalloc(1, sizeof *b->out);
    b->tags = xmalloc(bytes + 1);
    memcpy(b->tags, model->playback.entries[playback].key, bytes);
    play(b, 0, count);
    struct batch_time *out = b->out;
    out->ps = b->end_ps;
    out->playback =
        b->misses ? map_number(&model->playback, (const char *)b->tags, bytes) : playback;
    out->recipes = b->recipes;
    gather_shares(b);
    out->bars = timing_bars_take(&b->bars, &out->bar_count);
    free(b->clock);
    free(b->tags);
    free(b);
    return out;
}

struct batch_time *timing_batch_time(struct batch_model *model, uint32_t path, uint32_t vrfs,
                                     uint32_t playback, uint32_t recipes) {
    const uint32_t key[] = {path, model->dp->tables.at_once ? vrfs : 0, playback, recipes};
    const uint64_t *known = map_get_n(&model->cases, (const char *)key, sizeof key);
    if (known)
        return (struct batch_time *)(uintptr_t)*known;
    struct batch_time *t = timing_batch_time_shared(model, path, vrfs, playback, recipes, NULL, 0);
    vec_push(&model->times, t);
    model->bytes += ENTRY_BYTES + sizeof key + sizeof *t + t->share_count * sizeof *t->shares +
                    t->bar_count * sizeof *t->bars;
    map_put_n(&model->cases, (const char *)key, sizeof key, (uint64_t)(uintptr_t)t);
    return t;
}
