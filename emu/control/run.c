/* SPDX-License-Identifier: MIT
 * Runs: jump-free sequences of vector instructions, prepared once for each place where one is
 * entered, masked and unmasked. */
#include "support/saturate.h"
#include "emu/control/state.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static int8_t predication_after(const struct insn *insns, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) {
        uint32_t flags = insn_flags(&insns[i]);
        if (flags & ISA_PREDICATE_ON)
            return 1;
        if (flags & ISA_PREDICATE_OFF)
            return 0;
    }
    return -1;
}

/* Instructions that act where M is alone. */
static uint32_t count_under_mask(const struct insn *insns, uint32_t count, bool masked) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t flags = insn_flags(&insns[i]);
        n += masked && !(flags & ISA_UNMASKED);
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    return n;
}

static struct shared_code *prepare(struct control *control, const struct dp_run *run) {
    struct dp_code *code = control->dp->ops->prepare(control->dp, run, control->diag);
    if (!code)
        return NULL;
    struct shared_code *x = ARENA_NEW(&control->bodies.codes->memory, struct shared_code);
    x->code = code;
    control->dp->ops->describe(control->dp, code, &x->about);
    return x;
}

static struct shared_code *find_code(struct control *control, uint32_t pc, uint32_t count,
                                     uint32_t kin, bool masked) {
    uint32_t key[TEXT_RUN_MAX + 2];
    size_t bytes = (count + 2) * sizeof *key;
    const struct dp_run run = {&control->text.insns[pc], count, masked, kin};
    memcpy(key, &control->text.words[pc], count * sizeof *key);
    key[count] = kin;
    key[count + 1] = masked;
    const uint64_t *known = map_get_n(&control->bodies.codes->by_words, (const char *)key, bytes);
    struct shared_code *x =
        known ? (struct shared_code *)(uintptr_t)*known : prepare(control, &run);
    if (!x)
        return NULL;
    x->used = ++control->bodies.codes->used;
    if (!known)
        control_codes_put(control->bodies.codes, (const char *)key, bytes, x);
    return x;
}

/* Instructions of one stretch, and code for them alone. */
struct run_part {
    const struct shared_code *code; /* NULL until it is needed */
    uint32_t first, count;          /* of the run */
    bool masked;
};

/* Somebody wants to know how many lanes are enabled, or M changes, and what was counted is old. */
static bool is_counted(const struct control *control, const struct prepared_run *run) {
    const struct dp_description *about = &run->about;
    return about->form == DP_COST_LANES ||
           (about->form == DP_COST_FIXED && control->dp->tables.lanes &&
            (run->under_mask || about->stretches > 1));
}

/* What stretches take of a lane, and where they begin. */
static void cut_run(struct control *control, struct prepared_run *run) {
    const uint32_t *stretch = run->about.insn_stretch;
    bool masked = run->masked;
    if (!is_counted(control, run))
        return;
    run->stretch_under = ARENA_ARRAY(&control->arena, run->about.stretches + 1, uint32_t);
    run->stretch_fj = ARENA_ARRAY(&control->arena, run->about.stretches + 1, uint64_t);
    run->parts = ARENA_ARRAY(&control->arena, run->about.stretches + 1, struct run_part);
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t flags = insn_flags(&control->text.insns[run->first + i]);
        if (i == 0 || stretch[i] != stretch[i - 1])
            run->parts[run->part_count++] = (struct run_part){NULL, i, 0, masked};
        run->parts[run->part_count - 1].count++;
        run->stretch_under[stretch[i]] += masked && !(flags & ISA_UNMASKED);
        if (run->about.insn_lane_fj)
            run->stretch_fj[stretch[i]] =
                sat_add(run->stretch_fj[stretch[i]], run->about.insn_lane_fj[i]);
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
}

struct dp_code *control_run_part(struct control *control, const struct prepared_run *run,
                                 uint32_t part, uint32_t *stretch) {
    struct run_part *p = &run->parts[part];
    *stretch = run->about.insn_stretch[p->first];
    if (run->part_count == 1)
        return run->code;
    if (!p->code)
        p->code = find_code(control, run->first + p->first, p->count, run->kin, p->masked);
    return p->code ? p->code->code : NULL;
}

struct dp_code *control_run_insn(struct control *control, const struct prepared_run *run,
                                 uint32_t i) {
    bool masked = run->masked;
    for (uint32_t k = 0; k < i; k++) {
        uint32_t flags = insn_flags(&control->text.insns[run->first + k]);
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
    const struct shared_code *x = find_code(control, run->first + i, 1, run->kin, masked);
    return x ? x->code : NULL;
}

bool control_run_counts_lanes(const struct control *control, const struct prepared_run *run) {
    return control->dp->tables.lanes && run->parts;
}

static struct prepared_run *make_run(struct control *control, uint32_t pc, uint32_t kin,
                                     bool masked) {
    uint32_t count = object_text_run_end(&control->text, pc) - pc;
    const struct shared_code *x = find_code(control, pc, count, kin, masked);
    if (!x)
        return NULL;
    struct prepared_run *r = ARENA_NEW(&control->arena, struct prepared_run);
    *r = (struct prepared_run){.code = x->code,
                               .first = pc,
                               .count = count,
                               .kin = kin,
                               .masked = masked,
                               .masked_after = predication_after(&control->text.insns[pc], count),
                               .about = x->about};
    r->under_mask = count_under_mask(&control->text.insns[pc], count, masked);
    for (uint32_t i = 0; r->about.insn_energy_fj && i < count; i++)
        r->vrf_fj = sat_add(r->vrf_fj, r->about.insn_energy_fj[i]);
    cut_run(control, r);
    if (control->timing)
        r->number = timing_add_run(control->timing, r->code, &r->about, pc, count, kin, masked);
    return r;
}

struct prepared_run *control_run_get(struct control *control, const struct strand *strand) {
    uint32_t pc = strand->flow.pc;
    struct prepared_run **slot = &strand->runs[2 * (size_t)pc + strand->masked];
    if (*slot)
        return *slot;
    *slot = make_run(control, pc, strand->kin, strand->masked);
    if (!*slot) {
        const char *why = diag_first(control->diag);
        control_stop(control, CONTROL_STOPPED, control_strand_place(strand), "%s",
                     why ? why : "the target cannot carry this out");
    }
    return *slot;
}

/* All executions take as long, and as much in each VRF. */
static bool is_alike(const struct control *control, const struct prepared_run *run) {
    return run->about.form == DP_COST_FIXED && !control->dp->tables.at_once;
}

/* Power of one execution, which said what it cost, in `vrfs` at once of those that it was on. */
static struct control_peak power_said(const struct prepared_run *run, const struct strand *strand,
                                      const struct run_cost *cost, uint64_t vrfs) {
    uint64_t all = vrf_set_size(strand->on);
    struct control_peak p = {.time_ps = cost->latency_ps,
                             .vrfs = vrfs,
                             .first = run->first,
                             .count = run->count,
                             .energy_fj = all ? sat_scale(cost->energy_fj, vrfs, all) : 0};
    if (p.time_ps)
        p.power_nw = sat_scale(p.energy_fj, 1000000, p.time_ps); /* fJ / ps is mW */
    return p;
}

void control_run_note(const struct control *control, struct prepared_run *run,
                      const struct strand *strand, const struct run_cost *cost) {
    uint64_t vrfs = strand->off_count ? vrf_set_size(strand->on) : strand->at_once;
    if (vrfs > run->most_at_once)
        run->most_at_once = vrfs;
    if (is_alike(control, run))
        return;
    struct control_peak p = power_said(run, strand, cost, vrfs);
    if (p.time_ps && (!run->peak.time_ps || p.power_nw > run->peak.power_nw))
        run->peak = p;
}

void control_run_executed(struct prepared_run *run, struct vrf_set set) {
    if (run->about.write_count)
        control_wear_count(&run->wear, set);
}

/* ---- executions that say what they cost ---- */

void control_run_begin_outcome(const struct control *control, const struct prepared_run *run,
                               struct strand *strand) {
    uint32_t kinds = control->dp->tables.kind_count, parts = control->dp->tables.part_count;
    size_t need = run->about.stretches + 3 * (size_t)run->count + 2 * (size_t)kinds + parts + 1;
    if (need > strand->outcome_room) {
        strand->outcome_words =
            xreallocarray(strand->outcome_words, need, sizeof *strand->outcome_words);
        strand->outcome_room = need;
    }
    memset(strand->outcome_words, 0, need * sizeof *strand->outcome_words);
    uint64_t *at = strand->outcome_words;
    strand->outcome = (struct dp_outcome){.lanes = at};
    strand->outcome.insn_done_ps = at += run->about.stretches;
    strand->outcome.insn_micro_ops = at += run->count;
    strand->outcome.insn_energy_fj = at += run->count;
    strand->outcome.uops = at += run->count;
    strand->outcome.kind_fj = at += kinds;
    strand->outcome.energy_fj = at + kinds;
}

static struct run_cost measured_cost(struct prepared_run *run, const struct strand *strand) {
    run->measured = run->about;
    run->measured.insn_done_ps = strand->outcome.insn_done_ps;
    run->measured.latency_ps = strand->outcome.insn_done_ps[run->count - 1];
    struct run_cost cost = {.about = &run->measured};
    for (uint32_t i = 0; i < run->count; i++)
        cost.energy_fj = sat_add(cost.energy_fj, strand->outcome.insn_energy_fj[i]);
    return cost;
}

void control_run_post(struct strand *strand, const struct prepared_run *run, uint64_t off) {
    timing_path_add(&strand->path, STEP_RUN, run->number, off);
    for (uint32_t i = 0; run->about.form == DP_COST_MEASURED && i < run->count; i++)
        timing_path_add(&strand->path, STEP_MEASURE, 0, strand->outcome.insn_done_ps[i]);
}

/* Of all lanes that were enabled. */
static uint64_t lanes_fj(const struct prepared_run *run, const struct dp_outcome *outcome) {
    uint64_t sum = 0;
    for (uint32_t s = 0; s < run->about.stretches; s++)
        sum = sat_add(sum, dp_lanes_fj(&run->about, run->stretch_fj[s], outcome->lanes[s]));
    return sum;
}

struct run_times control_run_times(struct control *control, const struct prepared_run *run,
                                   const struct dp_description *about, uint64_t vrfs,
                                   uint64_t clock) {
    struct run_times all = {.clock = clock};
    for (uint32_t i = 0; i < (about->launch ? 1 : run->count); i++) {
        struct dp_issue issue = {
            .insn = about->launch ? DP_LAUNCH : i,
            .vrfs = control->dp->tables.at_once ? vrfs : 0,
            .clock = all.clock,
            .after_ps = about->launch ? 0 : target_decode_ps(control->target),
        };
        struct dp_times times = {0};
        control->dp->ops->follow(control->dp, run->code, about, &issue, &times);
        uint64_t done = sat_add(all.issued_ps, times.done_ps);
        all.done_ps = done > all.done_ps ? done : all.done_ps;
        all.issued_ps = sat_add(all.issued_ps, times.issued_ps);
        all.clock = times.clock;
    }
    return all;
}

struct run_cost control_run_cost(struct control *control, struct prepared_run *run,
                                 const struct strand *strand) {
    struct run_cost cost = {.about = &run->about,
                            .energy_fj = sat_mul(run->vrf_fj, vrf_set_size(strand->on))};
    if (run->about.form == DP_COST_MEASURED)
        cost = measured_cost(run, strand);
    if (run->about.form == DP_COST_LANES)
        cost.energy_fj = sat_add(cost.energy_fj, lanes_fj(run, &strand->outcome));
    cost.latency_ps = cost.about->latency_ps;
    if (control->dp->tables.at_once)
        cost.latency_ps =
            control_run_times(control, run, cost.about, vrf_set_size(strand->on), 0).done_ps;
    return cost;
}

static size_t list_runs(const struct control *control, struct run_wear **wear,
                        const struct dp_description **about) {
    size_t n = 0;
    for (size_t i = 0; i < control->bodies.run_count; i++)
        if (control->bodies.runs[i]) {
            wear[n] = &control->bodies.runs[i]->wear;
            about[n++] = &control->bodies.runs[i]->about;
        }
    return n;
}

static void name_most_written(struct control *control) {
    struct control_wear *w = &control->account.stats.wear;
    struct str name = {0};
    if (!w->cells_written)
        return;
    control->dp->ops->cell_text(control->dp, w->most_cell, &name, &w->most_unit);
    w->most_name = arena_strdup(&control->arena, str_text(&name));
    str_free(&name);
}

void control_runs_wear(struct control *control) {
    size_t room = control->bodies.run_count + 1;
    struct run_wear **wear = xcalloc(room, sizeof *wear);
    const struct dp_description **about = xcalloc(room, sizeof *about);
    control_wear_finish(wear, about, list_runs(control, wear, about), &control->account.stats.wear);
    control->account.stats.wear.known = control->account.stats.cost_known && control->dp->has_cells;
    name_most_written(control);
    free(wear);
    free(about);
}

void control_wear_each(const struct control *control, const uint32_t *vrf,
                       const struct wear_visit *visit) {
    size_t room = control->bodies.run_count + 1;
    struct run_wear **wear = xcalloc(room, sizeof *wear);
    const struct dp_description **about = xcalloc(room, sizeof *about);
    size_t count = list_runs(control, wear, about);
    if (vrf)
        control_wear_visit_one(wear, about, count, *vrf, visit);
    else
        control_wear_visit(wear, about, count, visit);
    free(wear);
    free(about);
}

void control_cell_text(const struct control *control, uint32_t cell, struct str *out,
                       uint32_t *section) {
    control->dp->ops->cell_text(control->dp, cell, out, section);
}

void control_runs_free(struct control *control) {
    for (size_t i = 0; i < control->bodies.run_count; i++)
        if (control->bodies.runs[i]) {
            control_wear_free(&control->bodies.runs[i]->wear);
            vec_free(&control->bodies.runs[i]->region_vrfs);
            vec_free(&control->bodies.runs[i]->region_lanes);
        }
}

static struct control_peak power_of(const struct control *control, const struct prepared_run *run) {
    if (!is_alike(control, run))
        return run->peak;
    struct control_peak p = {.time_ps = run->about.latency_ps,
                             .vrfs = run->most_at_once,
                             .first = run->first,
                             .count = run->count};
    p.energy_fj = sat_mul(run->vrf_fj, p.vrfs);
    if (p.time_ps)
        p.power_nw = sat_scale(p.energy_fj, 1000000, p.time_ps); /* fJ / ps is mW */
    return p;
}

void control_runs_peak(struct control *control) {
    struct control_peak *most = &control->account.stats.peak;
    for (size_t i = 0; i < control->bodies.run_count; i++) {
        if (!control->bodies.runs[i] || !control->bodies.runs[i]->most_at_once)
            continue;
        struct control_peak p = power_of(control, control->bodies.runs[i]);
        if (p.time_ps && (!most->time_ps || p.power_nw > most->power_nw))
            *most = p;
    }
}

/* Whether a mask changes nothing of what a lane takes. */
static bool same_lanes(const struct dp_description *masked, uint32_t index,
                       const struct dp_description *plain) {
    return masked->form == plain->form && (masked->form == DP_COST_FIXED ||
                                           (masked->form == DP_COST_LANES &&
                                            masked->insn_lane_fj[index] == plain->insn_lane_fj[0]));
}

/* In all VRFs that carried it out, beyond what it takes without a mask. */
static void add_beyond(uint64_t *sum, uint64_t masked, uint64_t plain, uint64_t vrfs) {
    *sum = sat_add(*sum, sat_mul(masked > plain ? masked - plain : 0, vrfs));
}

static void count_masking(struct control *control, const struct prepared_run *run, uint32_t index,
                          bool masked) {
    struct control_masks *m = &control->account.stats.masks;
    uint32_t flags = insn_flags(&control->text.insns[run->first + index]);
    uint64_t micro_ops = run->about.insn_micro_ops[index], fj = run->about.insn_energy_fj[index];
    if (flags & (READS_M | WRITES_M)) {
        add_beyond(&m->instruction_micro_ops, micro_ops, 0, run->vrfs);
        add_beyond(&m->instruction_energy_fj, fj, 0, run->vrfs);
    } else if (masked && !(flags & ISA_UNMASKED)) {
        const struct shared_code *plain =
            find_code(control, run->first + index, 1, run->kin, false);
        m->known &= plain && same_lanes(&run->about, index, &plain->about);
        if (!plain)
            return;
        add_beyond(&m->micro_ops, micro_ops, plain->about.insn_micro_ops[0], run->vrfs);
        add_beyond(&m->energy_fj, fj, plain->about.insn_energy_fj[0], run->vrfs);
    }
}

static void count_masks(struct control *control, const struct prepared_run *run, bool masked) {
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t flags = insn_flags(&control->text.insns[run->first + i]);
        count_masking(control, run, i, masked);
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
}

void control_runs_masks(struct control *control) {
    control->account.stats.masks.known = control->account.stats.cost_known;
    for (size_t i = 0; control->account.stats.cost_known && i < control->bodies.run_count; i++) {
        if (!control->bodies.runs[i] || !control->bodies.runs[i]->vrfs)
            continue;
        if (control->bodies.runs[i]->about.form != DP_COST_MEASURED)
            count_masks(control, control->bodies.runs[i], i & 1);
        else /* what it would take without a mask is not known */
            control->account.stats.masks.known = false;
    }
}
