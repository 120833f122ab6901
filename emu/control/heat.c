/* SPDX-License-Identifier: MIT
 * The energy of each MPU's datapath in its window of time, and how many VRFs of an RFH may work at
 * once so that a body stays below the limit. */
#include "emu/control/heat.h"
#include "emu/control/state.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>

/* ---- windows ---- */

void control_heat_open(struct control *control) {
    struct target_area a = target_area(control->target);
    if (a.known && control->target->limit_mw_per_cm2 && !control->config.cost_unknown)
        control->power.windows =
            xcalloc((size_t)control->package->mpus + 1, sizeof *control->power.windows);
    control->power.caps = xcalloc((size_t)control->text.len + 1, sizeof *control->power.caps);
}

void control_heat_close(struct control *control) {
    free(control->power.windows);
    free(control->power.caps);
    map_free(&control->power.powers);
}

void control_heat_run(struct strand *strand, uint32_t first, uint64_t energy_fj) {
    strand->heat_fj = sat_add(strand->heat_fj, energy_fj);
    if (energy_fj > strand->hot_fj) {
        strand->hot_fj = energy_fj;
        strand->hot_index = first;
    }
}

void control_heat_before(struct control *control) {
    for (uint32_t i = 0; control->power.windows && i < control->now->count; i++) {
        struct heat_window *w = &control->power.windows[control->now->mpus[i]];
        if (!w->open)
            *w = (struct heat_window){
                .open = true, .start_ps = control_account_now(control, control->now->mpus[i])};
    }
}

static void add(struct heat_window *window, const struct strand *strand, uint64_t energy_fj) {
    window->energy_fj = sat_add(window->energy_fj, energy_fj);
    if (strand->hot_fj > window->hot_fj) {
        window->hot_fj = strand->hot_fj;
        window->hot_index = strand->hot_index;
    }
}

static uint32_t vrfs_of(const struct ensemble *ensemble, const struct ensemble_part *part) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < part->batch_count; i++)
        n += ensemble->batches[part->first_batch + i].count;
    return n;
}

/* A strand that stands for several MPUs: each has its part of the VRFs. */
static void add_strand(struct control *control, const struct ensemble *ensemble,
                       const struct strand *strand) {
    if (strand->mpu != NO_INDEX) {
        add(&control->power.windows[strand->mpu], strand, strand->heat_fj);
        return;
    }
    for (uint32_t i = 0; i < ensemble->part_count && strand->vrf_count; i++)
        if (ensemble->parts[i].batch_count)
            add(&control->power.windows[ensemble->parts[i].mpu], strand,
                sat_scale(strand->heat_fj, vrfs_of(ensemble, &ensemble->parts[i]),
                          strand->vrf_count));
}

/* fJ / ps is mW; nW / um2 is 100 mW / cm2. */
static uint64_t density(const struct control *control, uint64_t energy_fj, uint64_t ps) {
    uint64_t nw = sat_scale(energy_fj, 1000000, ps);
    return sat_scale(nw, 100, target_area(control->target).total);
}

static void judge(struct control *control, uint32_t mpu, const struct heat_window *window,
                  uint64_t end_ps) {
    struct control_heat *h = &control->account.stats.heat;
    uint64_t found = density(control, window->energy_fj, end_ps - window->start_ps);
    if (found <= control->target->limit_mw_per_cm2)
        return;
    h->windows++;
    if (found > h->mw_per_cm2)
        *h = (struct control_heat){h->windows,       found,  mpu,
                                   window->start_ps, end_ps, window->hot_index};
}

void control_heat_after(struct control *control, const struct ensemble *ensemble,
                        const struct strand *strands, uint32_t count) {
    for (uint32_t i = 0; control->power.windows && i < count; i++)
        add_strand(control, ensemble, &strands[i]);
    for (uint32_t i = 0; control->power.windows && i < control->now->count; i++) {
        uint32_t mpu = control->now->mpus[i];
        uint64_t now = control_account_now(control, mpu);
        struct heat_window *w = &control->power.windows[mpu];
        if (now <= w->start_ps || now - w->start_ps < control->target->window_ps)
            continue;
        judge(control, mpu, w, now);
        w->open = false;
    }
}

/* ---- the cap ---- */

static uint32_t lanes_of(const struct control *control, uint32_t kin) {
    const struct package *p = control->package;
    return p->kins ? p->kins[kin].lanes : p->lanes;
}

/* Power of the instruction in one VRF of the kin, alone on an idle machine and with all of its
 * lanes enabled, nW; 0 where it is not known. */
static uint64_t power_of(struct control *control, const struct insn *insn, uint32_t kin,
                         bool masked) {
    struct dp_description about = {0};
    struct diag *quiet = diag_new(NULL, NULL); /* the run that has it reports what is wrong */
    struct dp_code *code =
        control->dp->ops->prepare(control->dp, &(struct dp_run){insn, 1, masked, kin}, quiet);
    diag_free(quiet);
    if (code)
        control->dp->ops->describe(control->dp, code, &about);
    uint64_t nw = 0;
    if (about.insn_energy_fj && about.latency_ps) {
        uint64_t fj = about.insn_energy_fj[0];
        if (about.form == DP_COST_LANES)
            fj = sat_add(fj, dp_lanes_fj(&about, about.insn_lane_fj[0], lanes_of(control, kin)));
        nw = sat_scale(fj, 1000000, about.latency_ps);
    }
    if (code && control->config.keep)
        control->dp->ops->forget(control->dp, code);
    return nw;
}

/* The highest of its powers with and without a mask, in VRFs of all kin that there is code for,
 * asked for once for each word. */
static uint64_t power_at(struct control *control, uint32_t pc) {
    const char *word = (const char *)&control->text.words[pc];
    const uint64_t *known = map_get_n(&control->power.powers, word, sizeof *control->text.words);
    if (known)
        return *known;
    uint64_t nw = 0;
    for (uint32_t i = 0; i < 2 * control->bodies.kin_count; i++) {
        uint64_t one = power_of(control, &control->text.insns[pc], i / 2, i % 2);
        nw = one > nw ? one : nw;
    }
    map_put_n(&control->power.powers, word, sizeof *control->text.words, nw);
    return nw;
}

struct body_walk {
    struct control *c;
    uint8_t *seen; /* [text.len] */
    VEC(uint32_t) todo;
    uint64_t most_nw;
};

static void visit(struct body_walk *walk, uint32_t pc) {
    if (pc < walk->c->text.len && !walk->seen[pc]) {
        walk->seen[pc] = 1;
        vec_push(&walk->todo, pc);
    }
}

/* Jumps and calls of a body lead to instructions of the body; behind a call it goes on. */
static void step(struct body_walk *walk, uint32_t pc) {
    const struct insn *x = &walk->c->text.insns[pc];
    if (x->op >= OP_COUNT || x->op == OP_COMPUTE_DONE || x->op == OP_RETURN)
        return;
    if (insn_in_run(x) && power_at(walk->c, pc) > walk->most_nw)
        walk->most_nw = power_at(walk->c, pc);
    if (isa_info(x->op)->format == FORMAT_J)
        visit(walk, (uint32_t)x->imm);
    if (x->op != OP_GOTO)
        visit(walk, pc + 1);
}

static uint64_t hungriest(struct control *control, uint32_t body) {
    struct body_walk w = {.c = control, .seen = xcalloc((size_t)control->text.len + 1, 1)};
    visit(&w, body);
    while (w.todo.len) {
        uint32_t pc = vec_last(&w.todo);
        w.todo.len--;
        step(&w, pc);
    }
    vec_free(&w.todo);
    free(w.seen);
    return w.most_nw;
}

/* mW / cm2 x um2 / 100 is nW. */
static uint32_t power_cap(struct control *control, uint32_t body) {
    const struct target *t = control->target;
    uint64_t allowed = sat_scale(t->limit_mw_per_cm2, target_area(t).total, 100);
    uint64_t nw = sat_mul(hungriest(control, body), t->rfh_per_mpu);
    uint64_t vrfs = nw ? allowed / nw : t->vrf_per_rfh;
    return vrfs > t->vrf_per_rfh ? t->vrf_per_rfh : vrfs ? (uint32_t)vrfs : 1;
}

uint32_t control_heat_cap(struct control *control, uint32_t body) {
    if (control->target->cap == CAP_ACTIVE || body >= control->text.len)
        return control->target->active_vrf_per_rfh;
    if (!control->power.caps[body])
        control->power.caps[body] = power_cap(control, body);
    return control->power.caps[body];
}
