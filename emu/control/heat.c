/* SPDX-License-Identifier: MIT */
#include "emu/control/heat.h"
#include "emu/control/state.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>

/* ---- windows ---- */

void control_heat_open(struct control *c) {
    struct target_area a = target_area(c->target);
    if (a.known && c->target->limit_mw_per_cm2 && !c->config.cost_unknown)
        c->heat = xcalloc((size_t)c->package->mpus + 1, sizeof *c->heat);
    c->caps = xcalloc((size_t)c->text.len + 1, sizeof *c->caps);
}

void control_heat_close(struct control *c) {
    free(c->heat);
    free(c->caps);
    map_free(&c->powers);
}

void control_heat_run(struct strand *s, uint32_t first, uint64_t energy_fj) {
    s->heat_fj = sat_add(s->heat_fj, energy_fj);
    if (energy_fj > s->hot_fj) {
        s->hot_fj = energy_fj;
        s->hot_index = first;
    }
}

void control_heat_before(struct control *c) {
    for (uint32_t i = 0; c->heat && i < c->now->count; i++) {
        struct heat_window *w = &c->heat[c->now->mpus[i]];
        if (!w->open)
            *w = (struct heat_window){.open = true,
                                      .start_ps = control_account_now(c, c->now->mpus[i])};
    }
}

static void add(struct heat_window *w, const struct strand *s, uint64_t energy_fj) {
    w->energy_fj = sat_add(w->energy_fj, energy_fj);
    if (s->hot_fj > w->hot_fj) {
        w->hot_fj = s->hot_fj;
        w->hot_index = s->hot_index;
    }
}

static uint32_t vrfs_of(const struct ensemble *e, const struct ensemble_part *p) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->batch_count; i++)
        n += e->batches[p->first_batch + i].count;
    return n;
}

/* A strand that stands for several MPUs: each has its part of the VRFs. */
static void add_strand(struct control *c, const struct ensemble *e, const struct strand *s) {
    if (s->mpu != NO_INDEX) {
        add(&c->heat[s->mpu], s, s->heat_fj);
        return;
    }
    for (uint32_t i = 0; i < e->part_count && s->vrf_count; i++)
        if (e->parts[i].batch_count)
            add(&c->heat[e->parts[i].mpu], s,
                sat_scale(s->heat_fj, vrfs_of(e, &e->parts[i]), s->vrf_count));
}

/* fJ / ps is mW; nW / um2 is 100 mW / cm2. */
static uint64_t density(const struct control *c, uint64_t energy_fj, uint64_t ps) {
    uint64_t nw = sat_scale(energy_fj, 1000000, ps);
    return sat_scale(nw, 100, target_area(c->target).total);
}

static void judge(struct control *c, uint32_t mpu, const struct heat_window *w, uint64_t end_ps) {
    struct control_heat *h = &c->stats.heat;
    uint64_t found = density(c, w->energy_fj, end_ps - w->start_ps);
    if (found <= c->target->limit_mw_per_cm2)
        return;
    h->windows++;
    if (found > h->mw_per_cm2)
        *h = (struct control_heat){h->windows, found, mpu, w->start_ps, end_ps, w->hot_index};
}

void control_heat_after(struct control *c, const struct ensemble *e, const struct strand *strands,
                        uint32_t count) {
    for (uint32_t i = 0; c->heat && i < count; i++)
        add_strand(c, e, &strands[i]);
    for (uint32_t i = 0; c->heat && i < c->now->count; i++) {
        uint32_t mpu = c->now->mpus[i];
        uint64_t now = control_account_now(c, mpu);
        struct heat_window *w = &c->heat[mpu];
        if (now <= w->start_ps || now - w->start_ps < c->target->window_ps)
            continue;
        judge(c, mpu, w, now);
        w->open = false;
    }
}

/* ---- the cap ---- */

/* Power of the instruction in one VRF, alone on an idle machine and with all of its lanes enabled,
 * nW; 0 where it is not known. */
static uint64_t power_of(struct control *c, const struct insn *x, bool masked) {
    struct dp_description about = {0};
    struct diag *quiet = diag_new(NULL, NULL); /* the run that has it reports what is wrong */
    struct dp_code *code = c->dp->ops->prepare(c->dp, &(struct dp_run){x, 1, masked}, quiet);
    diag_free(quiet);
    if (code)
        c->dp->ops->describe(c->dp, code, &about);
    if (!about.insn_energy_fj || !about.latency_ps)
        return 0;
    uint64_t fj = about.insn_energy_fj[0];
    if (about.form == DP_COST_LANES)
        fj = sat_add(fj, sat_mul(about.insn_lane_fj[0], c->package->lanes));
    return sat_scale(fj, 1000000, about.latency_ps);
}

/* The higher of its powers with and without a mask, asked for once for each word. */
static uint64_t power_at(struct control *c, uint32_t pc) {
    const char *word = (const char *)&c->text.words[pc];
    const uint64_t *known = map_get_n(&c->powers, word, sizeof *c->text.words);
    if (known)
        return *known;
    uint64_t plain = power_of(c, &c->text.insns[pc], false);
    uint64_t masked = power_of(c, &c->text.insns[pc], true);
    uint64_t nw = masked > plain ? masked : plain;
    map_put_n(&c->powers, word, sizeof *c->text.words, nw);
    return nw;
}

struct body_walk {
    struct control *c;
    uint8_t *seen; /* [text.len] */
    VEC(uint32_t) todo;
    uint64_t most_nw;
};

static void visit(struct body_walk *w, uint32_t pc) {
    if (pc < w->c->text.len && !w->seen[pc]) {
        w->seen[pc] = 1;
        vec_push(&w->todo, pc);
    }
}

/* Jumps and calls of a body lead to instructions of the body; behind a call it goes on. */
static void step(struct body_walk *w, uint32_t pc) {
    const struct insn *x = &w->c->text.insns[pc];
    if (x->op >= OP_COUNT || x->op == OP_COMPUTE_DONE || x->op == OP_RETURN)
        return;
    if (insn_in_run(x) && power_at(w->c, pc) > w->most_nw)
        w->most_nw = power_at(w->c, pc);
    if (isa_info(x->op)->format == FORMAT_J)
        visit(w, (uint32_t)x->imm);
    if (x->op != OP_GOTO)
        visit(w, pc + 1);
}

static uint64_t hungriest(struct control *c, uint32_t body) {
    struct body_walk w = {.c = c, .seen = xcalloc((size_t)c->text.len + 1, 1)};
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
static uint32_t power_cap(struct control *c, uint32_t body) {
    const struct target *t = c->target;
    uint64_t allowed = sat_scale(t->limit_mw_per_cm2, target_area(t).total, 100);
    uint64_t nw = sat_mul(hungriest(c, body), t->rfh_per_mpu);
    uint64_t vrfs = nw ? allowed / nw : t->vrf_per_rfh;
    return vrfs > t->vrf_per_rfh ? t->vrf_per_rfh : vrfs ? (uint32_t)vrfs : 1;
}

uint32_t control_heat_cap(struct control *c, uint32_t body) {
    if (c->target->cap == CAP_ACTIVE || body >= c->text.len)
        return c->target->active_vrf_per_rfh;
    if (!c->caps[body])
        c->caps[body] = power_cap(c, body);
    return c->caps[body];
}
