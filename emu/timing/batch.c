/* SPDX-License-Identifier: MIT
 * Times of batches.  A path that begins with the same contents of playback buffer and recipe table
 * as before takes the time that it took then. */
#include "emu/timing/batch.h"

#include "machines/dtc/dtc.h"
#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

/* A batch on its way.  Times count from its begin.  Issue is in order, so that all that an
 * instruction waits for is known when it is its turn, and a path may be cut into runs anywhere. */
struct batch_run {
    struct batch_model *m;
    const struct step *steps;
    uint64_t issued_ps; /* the end of the last slot */
    uint64_t end_ps;    /* when all bits of what was issued are there; not before issued_ps */
    uint64_t fetched_ps, decided_ps; /* the ends of the last fetch, and of the last jump */
    uint64_t clock;                  /* of the machine, from issued_ps on */
    uint32_t region, recipes;
    uint32_t playback;   /* at its begin */
    uint64_t ranges;     /* of the VRFs of the next run; 0: one */
    uint32_t vrfs;       /* of the batch, where times depend on it; else 0 */
    uint32_t *tags;      /* [playback_entries]: text index + 1 */
    uint64_t *holder_ps; /* likewise: when what the entry holds was issued last; NULL: no other
                            instruction ever comes there */
    uint64_t misses;
    VEC(struct time_share) shares;
    size_t shares_before; /* those before are not to be added to */
    struct bar_list bars;
    VEC(uint64_t) measure; /* of the run at work */
    struct issue_port *port;
    uint64_t start_ps; /* on the port's clock */
    uint64_t port_ps;  /* that slots of the last instruction waited for the port */
    bool blind, waits; /* it is not known what it finds; a piece has come that wants to know */
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
                                  .text_len = text_len,
                                  .room = BATCH_MODEL_ROOM,
                                  .measured_room = BATCH_MODEL_MEASURED_ROOM};
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
    if (model->dp->ops->clock_memory)
        model->dp->ops->clock_memory(model->dp, true);
    model->bytes = model->measured_bytes = 0;
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

static bool has_measures(const struct step *steps, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (steps[i].kind == STEP_MEASURE)
            return true;
    return false;
}

static void add_bytes(struct batch_model *model, size_t bytes, bool measured) {
    model->bytes += bytes;
    model->measured_bytes += measured ? bytes : 0;
}

uint32_t timing_batch_path(struct batch_model *model, struct path_record *record) {
    size_t before = model->paths.len,
           bytes = ENTRY_BYTES + record->steps.len * sizeof *record->steps.data;
    bool measured = has_measures(record->steps.data, record->steps.len);
    uint32_t path = timing_path_number(&model->paths, record);
    add_bytes(model, model->paths.len > before ? bytes : 0, measured);
    return path;
}

size_t timing_batch_model_bytes(const struct batch_model *model) {
    size_t playback = ENTRY_BYTES + model->target->playback_entries * sizeof(uint32_t);
    size_t clocks =
        model->dp->ops->clock_memory ? model->dp->ops->clock_memory(model->dp, false) : 0;
    return model->bytes + clocks + model->playback.len * playback +
           timing_cache_bytes(&model->recipes);
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
    if (run->bars.wanted)
        timing_bars_note(&run->bars, &(struct bar_note){.cycles = cycles});
    add(&run->out->part_cycles[part], cycles);
    add_share(run, (struct time_share){index, run->region, 0, cycles});
}

/* Nothing is issued before `ps`. */
static void wait_until(struct batch_run *run, uint64_t ps) {
    if (ps <= run->issued_ps)
        return;
    if (run->clock)
        run->clock = run->m->dp->ops->pass(run->m->dp, run->clock, ps - run->issued_ps);
    run->issued_ps = ps;
}

static void spend(struct batch_run *run, enum timing_part part, uint32_t index, uint64_t cycles) {
    wait_until(run, sat_add(run->issued_ps, sat_mul(cycles, run->m->issue_ps)));
    reach(run, part, index, run->issued_ps);
    count_cycles(run, part, index, cycles);
}

/* A host that sends all that is issued sends it expanded: nothing is fetched, and no recipe is
 * looked up. */
static bool is_sent(const struct batch_run *run) {
    return run->m->target->control == CONTROL_STREAM;
}

/* Fetching goes ahead of issue: it waits for the fetch before, for what the entry held to have been
 * issued, and for a jump to be decided.  Without entries there is one place, the decoder's. */
static void fetch(struct batch_run *run, uint32_t index) {
    uint32_t entries = run->m->target->playback_entries, at = entries ? index % entries : 0;
    if (is_sent(run) || (entries && run->tags[at] == index + 1))
        return;
    uint64_t free_ps = !entries ? run->issued_ps : run->holder_ps ? run->holder_ps[at] : 0;
    uint64_t store = index / (run->m->target->instruction_store_bytes / sizeof(uint32_t));
    if (entries)
        run->tags[at] = index + 1;
    free_ps = free_ps > run->decided_ps ? free_ps : run->decided_ps;
    run->fetched_ps = free_ps > run->fetched_ps ? free_ps : run->fetched_ps;
    run->fetched_ps = sat_add(run->fetched_ps, run->m->fetch_ps.data[store]);
    run->misses++;
    reach(run, TIMING_FETCH, index, run->fetched_ps);
    count_cycles(run, TIMING_FETCH, index, 1);
    wait_until(run, run->fetched_ps);
    run->out->last_fetch_ps = run->fetched_ps;
}

/* What was in the entry has been issued. */
static void leave(struct batch_run *run, uint32_t index) {
    if (run->holder_ps)
        run->holder_ps[index % run->m->target->playback_entries] = run->issued_ps;
}

/* When the slot begins that is ready at ready_ps. */
static uint64_t take_slot(struct batch_run *run, uint64_t ready_ps) {
    uint64_t ready = sat_add(run->start_ps, ready_ps);
    uint64_t start = timing_port_find(run->port, ready, run->m->issue_ps);
    timing_port_take(run->port, start, run->m->issue_ps);
    return start - run->start_ps;
}

/* Returns for how long. */
static uint64_t wait_for_port(struct batch_run *run) {
    uint64_t before = run->issued_ps;
    if (run->port)
        wait_until(run, take_slot(run, run->issued_ps));
    return run->issued_ps - before;
}

/* A control instruction; one that needs the bits of all that was issued has been fetched when it
 * begins to wait for them. */
static void slot(struct batch_run *run, uint32_t index, bool drains, uint64_t host_ps) {
    if (!host_ps)
        fetch(run, index);
    if (drains)
        wait_until(run, run->end_ps);
    if (host_ps) {
        wait_until(run, sat_add(run->issued_ps, host_ps));
        reach(run, TIMING_HOST, index, run->issued_ps);
        return;
    }
    if (!is_sent(run)) {
        wait_for_port(run);
        spend(run, TIMING_DECODE, index, 1);
    }
    leave(run, index);
}

static void jump(struct batch_run *run, uint32_t index, bool drains, uint64_t host_ps) {
    slot(run, index, drains, host_ps);
    run->decided_ps = run->issued_ps;
}

/* ---- runs ---- */

/* Templates that instruction i of a run has to load. */
static uint32_t loads(struct batch_run *run, const struct timing_run *timing_run, uint32_t i) {
    if (is_sent(run) || timing_run->parts[i] == MACHINE_NO_PART)
        return 0;
    struct recipe_load u = timing_cache_use(&run->m->recipes, run->recipes, timing_run->parts[i]);
    run->recipes = u.contents;
    return u.loads;
}

static struct dp_times follow(struct batch_run *run, const struct timing_run *timing_run,
                              const struct dp_issue *issue) {
    struct dp_times times = {0};
    run->m->dp->ops->follow(run->m->dp, timing_run->code, &timing_run->about, issue, &times);
    return times;
}

static uint64_t take_from(void *context, uint64_t ready_ps) {
    struct batch_run *run = context;
    uint64_t ps = take_slot(run, sat_add(run->issued_ps, ready_ps)) - run->issued_ps;
    run->port_ps = sat_add(run->port_ps, ps - ready_ps);
    return ps;
}

/* On a port that is free when the slots of `times` come, they are taken. */
static bool take_all(struct batch_run *run, const struct dp_times *times) {
    uint64_t from = sat_add(run->start_ps, run->issued_ps);
    for (uint32_t i = 0; i < times->slot_count; i++) {
        uint64_t begin = sat_add(from, times->slots[i].begin_ps);
        uint64_t length = times->slots[i].end_ps - times->slots[i].begin_ps;
        if (timing_port_find(run->port, begin, length) != begin)
            return false;
    }
    for (uint32_t i = 0; i < times->slot_count; i++)
        timing_port_take(run->port, sat_add(from, times->slots[i].begin_ps),
                         times->slots[i].end_ps - times->slots[i].begin_ps);
    return true;
}

/* What would happen on a free port happens if it is free then; else slot by slot. */
static struct dp_times follow_on_port(struct batch_run *run, const struct timing_run *timing_run,
                                      struct dp_issue *issue) {
    struct dp_times times = follow(run, timing_run, issue);
    run->port_ps = 0;
    bool told = times.slot_count || !timing_run->about.insn_issue_slots ||
                timing_run->about.insn_issue_slots[issue->insn] < 2;
    if (!run->port || (told && take_all(run, &times)))
        return times;
    issue->take = take_from;
    issue->context = run;
    return follow(run, timing_run, issue);
}

/* VRFs that are switched off do not work; `off` is how many. */
static uint64_t vrfs_on(const struct batch_run *run, uint64_t off) {
    return run->vrfs > off ? run->vrfs - off : 0;
}

/* ---- what stands beside bars ---- */

/* Slots of the front end end at `ps`; they may have waited for the port. */
static void reach_slot(struct batch_run *run, uint32_t index, uint64_t ps, uint64_t port_ps) {
    uint64_t moved = ps > run->end_ps ? ps - run->end_ps : 0;
    port_ps = port_ps < moved ? port_ps : moved;
    const struct bar_note note = {.issue_ps = moved - port_ps, .port_ps = port_ps};
    reach(run, TIMING_COMPUTE, index, ps);
    if (moved)
        timing_bars_note(&run->bars, &note);
}

/* Micro-ops of an instruction, whose slots may begin `after_ps` after the last slot.  Of the time
 * in which its slots moved the end, what these waited for has its part. */
static void reach_done(struct batch_run *run, uint32_t index, uint64_t after_ps,
                       const struct dp_times *times) {
    uint64_t before = run->end_ps, issued = sat_add(run->issued_ps, times->issued_ps),
             whole = times->issued_ps > after_ps ? times->issued_ps - after_ps : 0,
             moved = issued > before ? issued - before : 0;
    struct bar_note note = {.waiting = times->waiting};
    moved = moved < whole ? moved : whole;
    if (moved) {
        note.port_ps = sat_scale(run->port_ps < whole ? run->port_ps : whole, moved, whole);
        note.section_ps = sat_scale(times->stalled_ps, moved, whole);
        if (note.section_ps > moved - note.port_ps)
            note.section_ps = moved - note.port_ps;
        note.issue_ps = moved - note.port_ps - note.section_ps;
    }
    reach(run, TIMING_COMPUTE, index, sat_add(run->issued_ps, times->done_ps));
    timing_bars_note(&run->bars, &note);
}

static void note_load(struct batch_run *run, uint64_t templates) {
    timing_bars_note(&run->bars, &(struct bar_note){.misses = 1, .templates = templates});
}

/* 0 of what is measured, of which it is not known before. */
static void note_energy(struct batch_run *run, const struct timing_run *timing_run, uint32_t i) {
    const struct dp_description *about = &timing_run->about;
    struct bar_note note = {.vrf_fj = 0};
    if (!run->bars.wanted || about->form == DP_COST_MEASURED || !about->insn_energy_fj)
        return;
    note.vrf_fj = about->insn_energy_fj[i];
    if (about->form == DP_COST_LANES && about->insn_lane_fj)
        note.vrf_fj =
            sat_add(note.vrf_fj, dp_lanes_fj(about, about->insn_lane_fj[i], run->m->lanes));
    timing_bars_note(&run->bars, &note);
}

/* A vector instruction: its slot, its templates, its micro-ops; of one that is sent, the last
 * alone. */
static void instruction(struct batch_run *run, const struct timing_run *timing_run, uint32_t i,
                        uint64_t off) {
    uint32_t index = timing_run->first + i;
    uint64_t slot_ps = 0, load = loads(run, timing_run, i), port_ps = 0;
    if (!is_sent(run)) {
        fetch(run, index);
        port_ps = wait_for_port(run);
        slot_ps = run->m->issue_ps;
    }
    reach_slot(run, index, sat_add(run->issued_ps, slot_ps), port_ps);
    if (!is_sent(run))
        count_cycles(run, TIMING_DECODE, index, 1);
    slot_ps = sat_add(slot_ps, sat_mul(load, run->m->issue_ps));
    if (load) {
        reach(run, TIMING_RECIPE, index, sat_add(run->issued_ps, slot_ps));
        count_cycles(run, TIMING_RECIPE, index, load);
        note_load(run, load);
    }
    struct dp_issue issue = {
        .insn = i, .vrfs = vrfs_on(run, off), .clock = run->clock, .after_ps = slot_ps};
    struct dp_times times = follow_on_port(run, timing_run, &issue);
    reach_done(run, index, slot_ps, &times);
    if (timing_run->about.insn_issue_slots)
        count_cycles(run, TIMING_COMPUTE, index, timing_run->about.insn_issue_slots[i] - 1);
    note_energy(run, timing_run, i);
    run->issued_ps = sat_add(run->issued_ps, times.issued_ps);
    run->clock = times.clock;
    leave(run, index);
}

/* The host, or the front end, starts the whole run at once. */
static void launch(struct batch_run *run, const struct timing_run *timing_run, uint64_t off) {
    bool host = run->m->target->control != CONTROL_MPU;
    for (uint32_t i = 0; i < timing_run->count; i++) {
        uint32_t load = loads(run, timing_run, i);
        if (!load)
            continue;
        spend(run, TIMING_RECIPE, timing_run->first + i, load);
        note_load(run, load);
    }
    uint64_t start = run->m->target->launch_ps;
    reach(run, host ? TIMING_HOST : TIMING_DECODE, timing_run->first,
          sat_add(run->issued_ps, start));
    struct dp_issue issue = {
        .insn = DP_LAUNCH, .vrfs = vrfs_on(run, off), .clock = run->clock, .after_ps = start};
    struct dp_times times = follow(run, timing_run, &issue);
    const uint64_t *done = times.insn_done_ps ? times.insn_done_ps : timing_run->about.insn_done_ps;
    uint64_t begin = times.done_ps - (timing_run->count ? done[timing_run->count - 1] : 0);
    for (uint32_t i = 0; i < timing_run->count; i++) {
        reach(run, TIMING_COMPUTE, timing_run->first + i,
              sat_add(run->issued_ps, sat_add(begin, done[i])));
        note_energy(run, timing_run, i);
    }
    run->issued_ps = sat_add(run->issued_ps, times.issued_ps);
    run->clock = times.clock;
}

/* Micro-ops that say which VRFs work, one behind the other. */
static void select_vrfs(struct batch_run *run, uint32_t index, uint64_t ps) {
    uint64_t each = dtc_move_ps(run->m->target), words = each ? ps / each : 0, port_ps = 0;
    for (uint64_t k = 0; k < words; k++) {
        port_ps = sat_add(port_ps, wait_for_port(run));
        wait_until(run, sat_add(run->issued_ps, each));
    }
    reach_slot(run, index, run->issued_ps, port_ps);
    count_cycles(run, TIMING_COMPUTE, index, words);
}

/* The run as it was measured, which the steps behind its own say. */
static struct timing_run measured(struct batch_run *run, const struct timing_run *timing_run,
                                  const struct step *measure) {
    struct timing_run own = *timing_run;
    vec_clear(&run->measure);
    for (uint32_t i = 0; i < own.count; i++)
        vec_push(&run->measure, measure[i].count);
    own.about.insn_done_ps = run->measure.data;
    own.about.latency_ps = vec_last(&run->measure);
    return own;
}

static void run(struct batch_run *run, const struct timing_run *timing_run, uint64_t off) {
    uint64_t ranges = run->ranges ? run->ranges : 1;
    run->ranges = 0;
    if (timing_run->about.launch) {
        launch(run, timing_run, off);
        return;
    }
    for (uint32_t i = 0; i < timing_run->count; i++)
        for (uint64_t k = 0; k < ranges; k++) {
            if (ranges > 1 && (i || k))
                select_vrfs(run, timing_run->first + i, dtc_move_ps(run->m->target));
            instruction(run, timing_run, i, off);
        }
}

/* ---- steps ---- */

static void run_step(struct batch_run *batch_run, const struct step *step) {
    const struct timing_run *r = &batch_run->m->runs.data[step->at];
    struct timing_run own;
    if (r->about.form == DP_COST_MEASURED) {
        own = measured(batch_run, r, step + 1);
        r = &own;
    }
    run(batch_run, r, step->count);
}

/* All lanes that a VRF has are looked at, with an element or without. */
static void evaluate(struct batch_run *run, const struct step *step) {
    const struct target *t = run->m->target;
    uint64_t each = ((uint64_t)run->m->lanes + t->efi_bits_per_cycle - 1) / t->efi_bits_per_cycle;
    slot(run, step->at, true, 0);
    spend(run, TIMING_EVALUATE, step->at, sat_mul(each, step->count));
    run->decided_ps = run->issued_ps;
}

/* Behind it stands the jump that asked. */
static void answer(struct batch_run *run, const struct step *step) {
    wait_until(run, sat_add(run->end_ps, step->count));
    reach(run, TIMING_EVALUATE, step->at, run->issued_ps);
}

static void write_numbers(struct batch_run *run, const struct step *step) {
    slot(run, step->at, true, 0);
    wait_until(run, sat_add(run->issued_ps, step->count));
    reach(run, TIMING_TRANSFER, step->at, run->issued_ps);
}

static void play(struct batch_run *run, uint32_t from, uint32_t end);

/* ---- laps ---- */

/* All that the laps to come depend on, relative to the end of the last slot, and what has been
 * counted.  The playback buffer is not among it: a lap that follows the same lap finds there what
 * that one left, and where laps end with a jump, fetches wait for that and for nothing before. */
struct batch_lap {
    uint64_t clock, ahead_ps, behind_ps; /* end of the bits, and of the last fetch or jump */
    uint32_t region, recipes;
    uint64_t issued_ps, decided_ps, misses;
    uint64_t part_ps[TIMING_PARTS], part_cycles[TIMING_PARTS];
    size_t shares, bars;
};

static void begin_lap(struct batch_run *run, struct batch_lap *lap) {
    uint64_t fetched = run->fetched_ps > run->decided_ps ? run->fetched_ps : run->decided_ps;
    *lap = (struct batch_lap){.clock = run->clock,
                              .ahead_ps = run->end_ps - run->issued_ps,
                              .behind_ps = run->issued_ps - fetched,
                              .region = run->region,
                              .recipes = run->recipes,
                              .issued_ps = run->issued_ps,
                              .decided_ps = run->decided_ps,
                              .misses = run->misses,
                              .shares = run->shares.len,
                              .bars = timing_bars_lap(&run->bars)};
    memcpy(lap->part_ps, run->out->part_ps, sizeof lap->part_ps);
    memcpy(lap->part_cycles, run->out->part_cycles, sizeof lap->part_cycles);
    run->shares_before = run->shares.len;
}

/* Fetching in the laps to come goes on as in those between the two.  Laps that a host has unrolled
 * end with no jump: there fetches wait for what the entries held, and nothing is said of that. */
static bool fetches_alike(const struct batch_run *run, const struct batch_lap *left,
                          const struct batch_lap *right) {
    bool jumps = left->decided_ps == left->issued_ps && right->decided_ps == right->issued_ps;
    return left->misses == right->misses ||
           (left->behind_ps == right->behind_ps && (jumps || !run->holder_ps));
}

/* The laps between the two have changed nothing for those to come.  How far fetching is matters to
 * those that fetch alone. */
static bool steady(const struct batch_run *run, const struct batch_lap *left,
                   const struct batch_lap *right) {
    return left->clock == right->clock && left->ahead_ps == right->ahead_ps &&
           fetches_alike(run, left, right) && left->region == right->region &&
           left->recipes == right->recipes;
}

/* What the laps from from_ps on have issued of the playback buffer, they have issued so much
 * later. */
static void hold_later(struct batch_run *run, uint64_t from_ps, uint64_t later) {
    for (uint32_t i = 0; run->holder_ps && i < run->m->target->playback_entries; i++)
        if (run->holder_ps[i] > from_ps)
            run->holder_ps[i] = sat_add(run->holder_ps[i], later);
}

/* As many more times what lies between the two. */
static void repeat_laps(struct batch_run *run, const struct batch_lap *first,
                        const struct batch_lap *then, uint64_t times) {
    uint64_t later = sat_mul(then->issued_ps - first->issued_ps, times);
    if (then->misses > first->misses) {
        run->out->last_fetch_ps = sat_add(run->out->last_fetch_ps, later);
        run->fetched_ps = sat_add(run->fetched_ps, later);
    }
    if (then->decided_ps > first->decided_ps)
        run->decided_ps = sat_add(run->decided_ps, later);
    hold_later(run, first->issued_ps, later);
    run->issued_ps = sat_add(run->issued_ps, later);
    run->end_ps = sat_add(run->end_ps, later);
    for (int i = 0; i < TIMING_PARTS; i++) {
        add(&run->out->part_ps[i], sat_mul(then->part_ps[i] - first->part_ps[i], times));
        add(&run->out->part_cycles[i],
            sat_mul(then->part_cycles[i] - first->part_cycles[i], times));
    }
    timing_bars_repeat(&run->bars, first->bars, then->issued_ps - first->issued_ps, times);
    for (size_t i = first->shares; i < then->shares; i++) {
        struct time_share s = run->shares.data[i];
        s.ps = sat_mul(s.ps, times);
        s.cycles = sat_mul(s.cycles, times);
        add_share(run, s);
    }
}

/* A steady state may span several laps.  One of those that began is remembered, at laps 1, 2, 4
 * ..., until another is like it (Brent's way to find a cycle): what lies between them is repeated
 * as often as it goes into the laps that are left, which end with a part of it. */
static void play_again(struct batch_run *run, uint32_t from, uint32_t end, uint64_t times) {
    struct batch_lap known, lap;
    uint64_t since = 0, until = 1; /* laps since the known one; then another is remembered */
    begin_lap(run, &known);
    for (uint64_t left = times; left; left--) {
        play(run, from, end);
        begin_lap(run, &lap);
        since++;
        if (!run->port && until && left > since && steady(run, &known, &lap)) {
            repeat_laps(run, &known, &lap, (left - 1) / since);
            left -= (left - 1) / since * since;
            until = 0; /* what is left is less than that */
        } else if (since == until) {
            known = lap;
            since = 0;
            until *= 2;
        }
    }
    run->shares_before = run->shares.len;
}

static void play_step(struct batch_run *batch_run, uint32_t index) {
    const struct step *s = &batch_run->steps[index];
    switch ((enum step_kind)s->kind) {
    case STEP_RUN:
        run_step(batch_run, s);
        break;
    case STEP_MEASURE: /* of the run before it */
        break;
    case STEP_SELECT:
        select_vrfs(batch_run, s->at, s->count);
        break;
    case STEP_RANGES:
        batch_run->ranges = s->count;
        break;
    case STEP_SLOT:
        slot(batch_run, s->at, false, s->count);
        break;
    case STEP_JUMP:
    case STEP_DRAIN:
        jump(batch_run, s->at, s->kind == STEP_DRAIN, s->count);
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

/* One for each instruction and region; none of them is added to any more by laps. */
static void gather_shares(struct batch_run *run) {
    size_t kept = 0;
    if (run->shares.len)
        qsort(run->shares.data, run->shares.len, sizeof *run->shares.data, by_index);
    for (size_t i = 0; i < run->shares.len; i++)
        if (kept && by_index(&run->shares.data[kept - 1], &run->shares.data[i]) == 0)
            add_to_share(&run->shares.data[kept - 1], &run->shares.data[i]);
        else
            run->shares.data[kept++] = run->shares.data[i];
    run->shares.len = run->shares_before = kept;
}

struct batch_run *timing_batch_begin(struct batch_model *model, uint32_t vrfs, uint32_t playback,
                                     uint32_t recipes, struct issue_port *port, uint64_t start_ps) {
    uint32_t entries = model->target->playback_entries;
    struct batch_run *b = xcalloc(1, sizeof *b);
    *b = (struct batch_run){.m = model, .recipes = recipes, .port = port, .start_ps = start_ps};
    b->bars.wanted = model->bars;
    b->vrfs = model->dp->tables.at_once ? vrfs : 0;
    b->playback = playback;
    b->out = xcalloc(1, sizeof *b->out);
    b->tags = xmalloc(entries * sizeof *b->tags + 1);
    memcpy(b->tags, model->playback.entries[playback].key, entries * sizeof *b->tags);
    if (entries && model->text_len > entries)
        b->holder_ps = xcalloc(entries, sizeof *b->holder_ps);
    return b;
}

void timing_batch_take(struct batch_run *run, const struct step *steps, uint32_t count) {
    run->steps = steps;
    play(run, 0, count);
    gather_shares(run);
}

/* ---- pieces of a batch of which it is not known what it finds ---- */

/* Neither fetches nor looks up a recipe. */
static bool run_is_blind(const struct timing_run *timing_run) {
    bool blind = timing_run->about.launch;
    for (uint32_t i = 0; blind && i < timing_run->count; i++)
        blind = timing_run->parts[i] == MACHINE_NO_PART;
    return blind;
}

static bool step_is_blind(const struct batch_run *run, const struct step *step) {
    switch ((enum step_kind)step->kind) {
    case STEP_RUN:
        return run_is_blind(&run->m->runs.data[step->at]);
    case STEP_SLOT:
    case STEP_JUMP:
    case STEP_DRAIN: /* the host's, or fetched */
        return step->count;
    case STEP_MEASURE:
    case STEP_REGION:
    case STEP_AGAIN:
        return true;
    default:
        return false;
    }
}

struct batch_run *timing_batch_begin_blind(struct batch_model *model, uint32_t vrfs) {
    struct batch_run *run = timing_batch_begin(model, vrfs, 0, 0, NULL, 0);
    run->blind = true;
    return run;
}

bool timing_batch_try(struct batch_run *run, const struct step *steps, uint32_t count) {
    for (uint32_t i = 0; run->blind && !run->waits && i < count; i++)
        run->waits = !step_is_blind(run, &steps[i]);
    if (run->waits)
        return false;
    timing_batch_take(run, steps, count);
    return true;
}

void timing_batch_find(struct batch_run *run, uint32_t playback, uint32_t recipes) {
    if (!run->blind)
        return;
    run->blind = run->waits = false;
    run->playback = playback;
    run->recipes = recipes;
    memcpy(run->tags, run->m->playback.entries[playback].key,
           run->m->target->playback_entries * sizeof *run->tags);
}

struct batch_time *timing_batch_end(struct batch_run *run) {
    struct batch_model *model = run->m;
    struct batch_time *out = run->out;
    size_t bytes = model->target->playback_entries * sizeof *run->tags;
    out->ps = run->end_ps;
    out->playback =
        run->misses ? map_number(&model->playback, (const char *)run->tags, bytes) : run->playback;
    out->recipes = run->recipes;
    out->shares = run->shares.data;
    out->share_count = (uint32_t)run->shares.len;
    out->bars = timing_bars_take(&run->bars, &out->bar_count);
    vec_free(&run->measure);
    free(run->holder_ps);
    free(run->tags);
    free(run);
    return out;
}

struct batch_time *timing_batch_time_shared(struct batch_model *model, uint32_t path, uint32_t vrfs,
                                            uint32_t playback, uint32_t recipes,
                                            struct issue_port *port, uint64_t start_ps) {
    uint32_t count;
    const struct step *steps = timing_path_steps(&model->paths, path, &count);
    struct batch_run *b = timing_batch_begin(model, vrfs, playback, recipes, port, start_ps);
    timing_batch_take(b, steps, count);
    return timing_batch_end(b);
}

struct batch_time *timing_batch_time(struct batch_model *model, uint32_t path, uint32_t vrfs,
                                     uint32_t playback, uint32_t recipes) {
    const uint32_t key[] = {path, model->dp->tables.at_once ? vrfs : 0, playback, recipes};
    const uint64_t *known = map_get_n(&model->cases, (const char *)key, sizeof key);
    if (known)
        return (struct batch_time *)(uintptr_t)*known;
    struct batch_time *t = timing_batch_time_shared(model, path, vrfs, playback, recipes, NULL, 0);
    vec_push(&model->times, t);
    uint32_t count;
    const struct step *steps = timing_path_steps(&model->paths, path, &count);
    add_bytes(model,
              ENTRY_BYTES + sizeof key + sizeof *t + t->share_count * sizeof *t->shares +
                  t->bar_count * sizeof *t->bars,
              has_measures(steps, count));
    map_put_n(&model->cases, (const char *)key, sizeof key, (uint64_t)(uintptr_t)t);
    return t;
}
