/* SPDX-License-Identifier: MIT
 * Runs: jump-free sequences of vector instructions, prepared once per entry and predication. */
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

/* Code for the same words under the same predication is prepared once, wherever they stand. */
struct shared_code {
    struct dp_code *code;
    struct dp_description about;
};

static struct shared_code *prepare(struct control *c, const struct dp_run *run) {
    struct dp_code *code = c->dp->ops->prepare(c->dp, run, c->diag);
    if (!code)
        return NULL;
    struct shared_code *x = ARENA_NEW(&c->arena, struct shared_code);
    x->code = code;
    c->dp->ops->describe(c->dp, code, &x->about);
    return x;
}

static struct shared_code *find_code(struct control *c, uint32_t pc, uint32_t count, bool masked) {
    uint32_t key[TEXT_RUN_MAX + 1];
    size_t bytes = (count + 1) * sizeof *key;
    const struct dp_run run = {&c->text.insns[pc], count, masked};
    memcpy(key, &c->text.words[pc], count * sizeof *key);
    key[count] = masked;
    const uint64_t *known = map_get_n(&c->codes, (const char *)key, bytes);
    if (known)
        return (struct shared_code *)(uintptr_t)*known;
    struct shared_code *x = prepare(c, &run);
    if (x)
        map_put_n(&c->codes, (const char *)key, bytes, (uint64_t)(uintptr_t)x);
    return x;
}

static struct prepared_run *make_run(struct control *c, uint32_t pc, bool masked) {
    uint32_t count = object_text_run_end(&c->text, pc) - pc;
    const struct shared_code *x = find_code(c, pc, count, masked);
    if (!x)
        return NULL;
    struct prepared_run *r = ARENA_NEW(&c->arena, struct prepared_run);
    *r = (struct prepared_run){.code = x->code,
                               .first = pc,
                               .count = count,
                               .masked = masked,
                               .masked_after = predication_after(&c->text.insns[pc], count),
                               .about = x->about};
    for (uint32_t i = 0; r->about.insn_energy_fj && i < count; i++)
        r->vrf_fj = sat_add(r->vrf_fj, r->about.insn_energy_fj[i]);
    if (c->timing)
        r->number = timing_add_run(c->timing, r->code, &r->about, pc, count, masked);
    return r;
}

struct prepared_run *control_run_get(struct control *c, uint32_t pc, bool masked,
                                     struct stop_place at) {
    struct prepared_run **slot = &c->runs[2 * (size_t)pc + masked];
    if (*slot)
        return *slot;
    *slot = make_run(c, pc, masked);
    if (!*slot) {
        const char *why = diag_first(c->diag);
        control_stop(c, CONTROL_STOPPED, at, "%s", why ? why : "the target cannot carry this out");
    }
    return *slot;
}

/* All executions take as long, and as much in each VRF. */
static bool is_alike(const struct control *c, const struct prepared_run *r) {
    return r->about.form == DP_COST_FIXED && !c->dp->tables.at_once;
}

/* Power of one execution, which said what it cost, in `vrfs` at once of those that it was on. */
static struct control_peak power_said(const struct prepared_run *r, const struct strand *s,
                                      const struct run_cost *cost, uint64_t vrfs) {
    uint64_t all = vrf_set_size(s->on);
    struct control_peak p = {.time_ps = cost->latency_ps,
                             .vrfs = vrfs,
                             .first = r->first,
                             .count = r->count,
                             .energy_fj = all ? sat_scale(cost->energy_fj, vrfs, all) : 0};
    if (p.time_ps)
        p.power_nw = sat_scale(p.energy_fj, 1000000, p.time_ps); /* fJ / ps is mW */
    return p;
}

void control_run_note(const struct control *c, struct prepared_run *r, const struct strand *s,
                      const struct run_cost *cost) {
    uint64_t vrfs = s->off_count ? vrf_set_size(s->on) : s->at_once;
    if (vrfs > r->most_at_once)
        r->most_at_once = vrfs;
    if (is_alike(c, r))
        return;
    struct control_peak p = power_said(r, s, cost, vrfs);
    if (p.time_ps && (!r->peak.time_ps || p.power_nw > r->peak.power_nw))
        r->peak = p;
}

void control_run_executed(struct prepared_run *r, struct vrf_set set) {
    if (r->about.write_count)
        control_wear_count(&r->wear, set);
}

/* ---- executions that say what they cost ---- */

/* A run with the times of an execution, and its number in the timing model. */
struct run_variant {
    uint32_t number;
    struct dp_description about;
};

void control_run_begin_outcome(const struct control *c, const struct prepared_run *r,
                               struct strand *s) {
    uint32_t kinds = c->dp->tables.kind_count, parts = c->dp->tables.part_count;
    size_t need = r->about.stretches + 3 * (size_t)r->count + kinds + parts + 1;
    if (need > s->outcome_room) {
        s->outcome_words = xreallocarray(s->outcome_words, need, sizeof *s->outcome_words);
        s->outcome_room = need;
    }
    memset(s->outcome_words, 0, need * sizeof *s->outcome_words);
    uint64_t *at = s->outcome_words;
    s->outcome = (struct dp_outcome){.lanes = at};
    s->outcome.insn_done_ps = at += r->about.stretches;
    s->outcome.insn_micro_ops = at += r->count;
    s->outcome.insn_energy_fj = at += r->count;
    s->outcome.uops = at += r->count;
    s->outcome.energy_fj = at + kinds;
}

/* The timing model knows each distinct measure. */
static const struct run_variant *find_variant(struct control *c, struct prepared_run *r,
                                              const struct dp_outcome *o) {
    const char *key = (const char *)o->insn_done_ps;
    size_t bytes = r->count * sizeof *o->insn_done_ps;
    const uint64_t *known = map_get_n(&r->variants, key, bytes);
    if (known)
        return (const struct run_variant *)(uintptr_t)*known;
    struct run_variant *v = ARENA_NEW(&c->arena, struct run_variant);
    uint64_t *done = ARENA_ARRAY(&c->arena, r->count, uint64_t);
    memcpy(done, o->insn_done_ps, bytes);
    v->about = r->about;
    v->about.latency_ps = done[r->count - 1];
    v->about.insn_done_ps = done;
    if (c->timing)
        v->number = timing_add_run(c->timing, r->code, &v->about, r->first, r->count, r->masked);
    map_put_n(&r->variants, key, bytes, (uint64_t)(uintptr_t)v);
    return v;
}

static struct run_cost measured_cost(struct control *c, struct prepared_run *r,
                                     const struct strand *s) {
    const struct run_variant *v = find_variant(c, r, &s->outcome);
    struct run_cost cost = {.number = v->number, .about = &v->about};
    for (uint32_t i = 0; i < r->count; i++)
        cost.energy_fj = sat_add(cost.energy_fj, s->outcome.insn_energy_fj[i]);
    return cost;
}

/* Of all lanes that were enabled. */
static uint64_t lanes_fj(const struct prepared_run *r, const struct dp_outcome *o) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->count; i++)
        sum = sat_add(sum, sat_mul(r->about.insn_lane_fj[i], o->lanes[r->about.insn_stretch[i]]));
    return sum;
}

/* From its start on an idle machine, with all VRFs of the strand, which is one batch. */
static uint64_t latency_at_once(const struct control *c, const struct prepared_run *r,
                                const struct strand *s, const struct dp_description *about) {
    uint64_t *idle = xcalloc((size_t)c->dp->tables.clock_parts + 1, sizeof *idle);
    struct dp_times times = {0};
    c->dp->ops->follow(c->dp, r->code, about, vrf_set_size(s->on), 0, idle, &times);
    free(idle);
    return times.done_ps - times.begin_ps;
}

struct run_cost control_run_cost(struct control *c, struct prepared_run *r,
                                 const struct strand *s) {
    struct run_cost cost = {.number = r->number,
                            .about = &r->about,
                            .energy_fj = sat_mul(r->vrf_fj, vrf_set_size(s->on))};
    if (r->about.form == DP_COST_MEASURED)
        cost = measured_cost(c, r, s);
    if (r->about.form == DP_COST_LANES)
        cost.energy_fj = sat_add(cost.energy_fj, lanes_fj(r, &s->outcome));
    cost.latency_ps = cost.about->latency_ps;
    if (c->dp->tables.at_once)
        cost.latency_ps = latency_at_once(c, r, s, cost.about);
    return cost;
}

static size_t list_runs(const struct control *c, struct run_wear **wear,
                        const struct dp_description **about) {
    size_t n = 0;
    for (size_t i = 0; i < 2 * (size_t)c->text.len; i++)
        if (c->runs[i]) {
            wear[n] = &c->runs[i]->wear;
            about[n++] = &c->runs[i]->about;
        }
    return n;
}

static void name_most_written(struct control *c) {
    struct control_wear *w = &c->stats.wear;
    struct str name = {0};
    if (!w->cells_written)
        return;
    c->dp->ops->cell_text(c->dp, w->most_cell, &name, &w->most_unit);
    w->most_name = arena_strdup(&c->arena, str_text(&name));
    str_free(&name);
}

void control_runs_wear(struct control *c) {
    size_t room = 2 * (size_t)c->text.len + 1;
    struct run_wear **wear = xcalloc(room, sizeof *wear);
    const struct dp_description **about = xcalloc(room, sizeof *about);
    control_wear_finish(wear, about, list_runs(c, wear, about), &c->stats.wear);
    c->stats.wear.known = c->stats.cost_known && c->dp->has_cells;
    name_most_written(c);
    free(wear);
    free(about);
}

void control_runs_free(struct control *c) {
    for (size_t i = 0; i < 2 * (size_t)c->text.len; i++)
        if (c->runs[i]) {
            control_wear_free(&c->runs[i]->wear);
            vec_free(&c->runs[i]->region_vrfs);
            map_free(&c->runs[i]->variants);
        }
}

static struct control_peak power_of(const struct control *c, const struct prepared_run *r) {
    if (!is_alike(c, r))
        return r->peak;
    struct control_peak p = {.time_ps = r->about.latency_ps,
                             .vrfs = r->most_at_once,
                             .first = r->first,
                             .count = r->count};
    p.energy_fj = sat_mul(r->vrf_fj, p.vrfs);
    if (p.time_ps)
        p.power_nw = sat_scale(p.energy_fj, 1000000, p.time_ps); /* fJ / ps is mW */
    return p;
}

void control_runs_peak(struct control *c) {
    struct control_peak *most = &c->stats.peak;
    for (size_t i = 0; i < 2 * (size_t)c->text.len; i++) {
        if (!c->runs[i] || !c->runs[i]->most_at_once)
            continue;
        struct control_peak p = power_of(c, c->runs[i]);
        if (p.time_ps && (!most->time_ps || p.power_nw > most->power_nw))
            *most = p;
    }
}

/* In all VRFs that carried it out, beyond what it takes without a mask. */
static void add_beyond(uint64_t *sum, uint64_t masked, uint64_t plain, uint64_t vrfs) {
    *sum = sat_add(*sum, sat_mul(masked > plain ? masked - plain : 0, vrfs));
}

static void count_masking(struct control *c, const struct prepared_run *r, uint32_t i,
                          bool masked) {
    struct control_masks *m = &c->stats.masks;
    uint32_t flags = insn_flags(&c->text.insns[r->first + i]);
    uint64_t micro_ops = r->about.insn_micro_ops[i], fj = r->about.insn_energy_fj[i];
    if (flags & (READS_M | WRITES_M)) {
        add_beyond(&m->instruction_micro_ops, micro_ops, 0, r->vrfs);
        add_beyond(&m->instruction_energy_fj, fj, 0, r->vrfs);
    } else if (masked && !(flags & ISA_UNMASKED)) {
        const struct shared_code *plain = find_code(c, r->first + i, 1, false);
        m->known &= plain != NULL;
        if (!plain)
            return;
        add_beyond(&m->micro_ops, micro_ops, plain->about.insn_micro_ops[0], r->vrfs);
        add_beyond(&m->energy_fj, fj, plain->about.insn_energy_fj[0], r->vrfs);
    }
}

static void count_masks(struct control *c, const struct prepared_run *r, bool masked) {
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t flags = insn_flags(&c->text.insns[r->first + i]);
        count_masking(c, r, i, masked);
        masked = (masked || (flags & ISA_PREDICATE_ON)) && !(flags & ISA_PREDICATE_OFF);
    }
}

void control_runs_masks(struct control *c) {
    c->stats.masks.known = c->stats.cost_known;
    for (size_t i = 0; c->stats.cost_known && i < 2 * (size_t)c->text.len; i++) {
        if (!c->runs[i] || !c->runs[i]->vrfs)
            continue;
        if (c->runs[i]->about.form == DP_COST_FIXED)
            count_masks(c, c->runs[i], i & 1);
        else /* what it would take without a mask is not known */
            c->stats.masks.known = false;
    }
}
