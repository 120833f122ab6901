/* SPDX-License-Identifier: MIT
 * Runs of MPU instructions: their code, and what they take on a batch. */
#include "machines/stored/run/work.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- code of a run: the package's, or translated now ---- */

struct dp_code {
    struct dp_code *next;
    struct stored_run run;
    struct stored_place *places; /* of its words, that nobody has executed */
    stored_words own;            /* of a run that the package does not hold */
};

void stored_free_codes(struct stored_dp *m) {
    while (m->codes) {
        struct dp_code *code = m->codes;
        m->codes = code->next;
        vec_free(&code->own);
        free(code->places);
        free(code);
    }
}

static bool is_run(const struct stored_run *r, const struct dp_run *run) {
    uint32_t word;
    bool same = r->count == run->count && r->masked == run->masked;
    for (uint32_t i = 0; same && i < r->count; i++)
        same = isa_encode(&run->insns[i], &word) == ISA_OK && word == r->text[i];
    return same;
}

static bool find_run(const struct stored_kind *kind, const stored_words *data,
                     const struct dp_run *run, struct stored_run *out) {
    bool fine;
    for (size_t at = 0; stored_next_run(kind, data, &at, out, &fine);)
        if (is_run(out, run))
            return true;
    return false;
}

static size_t words_of(const struct dp_code *code) {
    return (size_t)stored_begin(&code->run, code->run.count);
}

struct dp_code *stored_prepare(struct datapath *dp, const struct dp_run *run, struct diag *d) {
    struct stored_dp *m = stored_of(dp);
    struct dp_code *code = xcalloc(1, sizeof *code);
    const struct stored_kind *kind = m->engine->kind;
    const struct stored_code *package =
        (const struct stored_code *)(const void *)m->state.setup.code;
    pthread_mutex_lock(&m->state.lock);
    code->next = m->codes;
    m->codes = code;
    pthread_mutex_unlock(&m->state.lock);
    if ((package && find_run(kind, &package->data, run, &code->run)) ||
        (stored_translate(kind, run->insns, run->count, run->masked, &code->own) &&
         find_run(kind, &code->own, run, &code->run))) {
        code->places = stored_places(&kind->isa, code->run.words, words_of(code));
        return code;
    }
    diag_error(d, NO_SPAN, "an instruction has no routine");
    return NULL;
}

void stored_describe(const struct datapath *dp, const struct dp_code *code,
                     struct dp_description *out) {
    *out = (struct dp_description){.form = DP_COST_MEASURED, /* and so it says nothing of costs */
                                   .launch = true,
                                   .host_ps = UINT64_C(200000) * code->run.count *
                                              stored_const(dp)->state.lanes};
}

/* A launch after the other: the host waits for each. */
void stored_follow(struct datapath *dp, const struct dp_code *code,
                   const struct dp_description *about, const struct dp_issue *issue,
                   struct dp_times *out) {
    (void)dp, (void)code;
    out->issued_ps = out->done_ps = sat_add(issue->after_ps, about->latency_ps);
}

/* Nothing is at work when a launch has been waited for. */
uint64_t stored_pass(struct datapath *dp, uint64_t clock, uint64_t ps) {
    (void)dp, (void)ps;
    return clock;
}

/* ---- what work takes ---- */

void stored_join(const struct stored_dp *m, uint64_t *of_unit, struct stored_rfh *rfh,
                 struct stored_sum *all, const struct stored_work *one, size_t words) {
    rfh->longest = one->cycles > rfh->longest ? one->cycles : rfh->longest;
    rfh->shared += one->shared;
    of_unit[0] += one->cycles;
    for (uint32_t k = 0; k < m->engine->unit_counts_count; k++)
        of_unit[1 + k] += one->unit_counts[k];
    for (size_t i = 0; i < words; i++)
        all->executed[one->places[i].op] += one->places[i].executed;
    for (uint32_t k = 0; k < m->engine->counter_count; k++)
        all->counts[k] += one->counts[k];
}

uint64_t stored_settle(struct stored_dp *m, const struct stored_rfh *rfhs, uint32_t count,
                       const struct stored_sum *all) {
    uint64_t cycles = 0, stalls = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t shared = rfhs[i].shared, unit = rfhs[i].longest;
        uint64_t both = shared > unit ? shared : unit;
        stalls += both - unit;
        cycles = both > cycles ? both : cycles;
    }
    pthread_mutex_lock(&m->state.lock);
    m->counters[0] += stalls;
    for (uint32_t k = 1; k < m->engine->counter_count; k++)
        m->counters[k] += all->counts[k];
    pthread_mutex_unlock(&m->state.lock);
    return sat_mul(cycles, stored_target(m)->datapath_ps);
}

uint64_t stored_charge(const struct stored_dp *m, const struct stored_sum *all, uint64_t *uops,
                       uint64_t *energy_fj, uint64_t *kind_fj) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < m->engine->kind->isa.op_count; k++) {
        uint64_t fj = sat_mul(all->executed[k], m->kinds[k].energy_fj);
        if (uops)
            uops[k] += all->executed[k];
        if (kind_fj)
            kind_fj[k] = sat_add(kind_fj[k], fj);
        if (energy_fj)
            energy_fj[m->kinds[k].part] = sat_add(energy_fj[m->kinds[k].part], fj);
        sum = sat_add(sum, fj);
    }
    return sum;
}

/* ---- a run on a batch ---- */

/* The routine of an instruction, while units carry it out. */
struct routine {
    const struct dp_code *code;
    uint32_t insn; /* of the run */
    size_t count;
    struct stored_place *places; /* [count] */
    uint64_t *x;                 /* registers */
};

/* The program ends with this. */
static void fail(struct stored_dp *m, const struct routine *r, const struct stored_core *c,
                 uint32_t v, uint32_t lane, uint32_t pc) {
    struct lane_state *s = &m->state;
    struct str why = {0};
    struct insn insn;
    stored_fault_text(c, &why);
    bool known = isa_decode((uint32_t)r->code->run.text[r->insn], &insn) == ISA_OK;
    pthread_mutex_lock(&s->lock);
    if (!s->base.failure) {
        snprintf(s->failure, sizeof s->failure,
                 "routine of %s, pc %" PRIu32 ": unit %" PRIu32 ", lane %" PRIu32 " %s",
                 known ? isa_info(insn.op)->name : "a run", pc, v, lane, str_text(&why));
        s->base.failure_insn = r->insn;
        s->base.failure = s->failure;
    }
    pthread_mutex_unlock(&s->lock);
    str_free(&why);
}

static uint64_t cycles_of(const struct stored_place *places, size_t count) {
    uint64_t cycles = 0;
    for (size_t i = 0; i < count; i++)
        cycles += places[i].cycles;
    return cycles;
}

static void all_lanes(struct stored_dp *m, const struct routine *r, uint32_t v,
                      struct dp_event *event, struct stored_work *one) {
    struct state_vrf *x = state_vrf(&m->state, v, m->lanes[v]);
    struct state_view view = {.memory = &m->memory, .direct = true};
    struct stored_core c = {.machine = m,
                            .keys = stored_target(m)->own,
                            .x = r->x,
                            .vrf = x,
                            .view = &view,
                            .work = one,
                            .shared = &one->shared,
                            .counts = one->counts,
                            .unit_counts = one->unit_counts,
                            .event = event,
                            .left = stored_keys(stored_target(m))->watchdog};
    stored_interpreter *interpret = stored_interpret(m);
    uint32_t stopped = STORED_NO_STOP;
    for (size_t i = 0; i < r->count; i++)
        r->places[i].executed = r->places[i].cycles = 0;
    memset(r->x, 0, stored_registers(&m->engine->kind->isa) * sizeof *r->x);
    for (; x && c.lane < m->lanes[v] && stopped == STORED_NO_STOP; c.lane++)
        stopped = interpret(&c);
    one->cycles = cycles_of(r->places, r->count);
    if (stopped != STORED_NO_STOP)
        fail(m, r, &c, v, c.lane - 1, stopped);
}

/* On all units of the set; `rfhs` are zero at first. */
static uint64_t one_insn(struct stored_dp *m, const struct routine *r, struct vrf_set set,
                         uint64_t begin_ps, struct stored_rfh *rfhs, struct stored_sum *all) {
    uint32_t count = stored_target(m)->rfh_per_mpu;
    uint32_t per_mpu = target_vrfs_per_mpu(stored_target(m));
    for (size_t n = 0; n < set.count; n++)
        for (uint32_t k = 0; k < set.ranges[n].count; k++) {
            uint32_t v = set.ranges[n].first + k;
            struct dp_event e = {
                .vrf_first = v, .vrf_count = 1, .insn = r->insn, .start_ps = begin_ps};
            struct stored_work one = {.places = r->places};
            all_lanes(m, r, v, m->observer ? &e : NULL, &one);
            stored_join(m, &m->of_units[(size_t)v * (1 + m->engine->unit_counts_count)],
                        &rfhs[v % per_mpu % count], all, &one, r->count);
        }
    return stored_settle(m, rfhs, count, all);
}

/* What an instruction took: its part of what the run took. */
static void tell_outcome(const struct stored_dp *m, struct dp_outcome *out, uint32_t i, uint64_t ps,
                         const struct stored_sum *all) {
    for (uint32_t k = 0; k < m->engine->kind->isa.op_count; k++)
        out->insn_micro_ops[i] += all->executed[k];
    out->insn_energy_fj[i] = stored_charge(m, all, out->uops, out->energy_fj, out->kind_fj);
    out->insn_done_ps[i] = out->latency_ps = ps;
}

static struct routine routine_of(const struct dp_code *code, uint32_t i,
                                 struct stored_place *places, uint64_t *x) {
    const struct stored_run *r = &code->run;
    uint64_t begin = stored_begin(r, i);
    return (struct routine){code, i, (size_t)(r->ends[i] - begin), places + begin, x};
}

void stored_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                    struct dp_moment begin, struct dp_outcome *out) {
    struct stored_dp *m = stored_of(dp);
    const struct stored_isa *isa = &m->engine->kind->isa;
    uint32_t rfh_count = stored_target(m)->rfh_per_mpu;
    struct stored_rfh *rfhs = xcalloc(rfh_count, sizeof *rfhs);
    struct stored_sum all = {.executed = xcalloc(isa->op_count, sizeof *all.executed)};
    const size_t bytes = words_of(code) * sizeof(struct stored_place);
    struct stored_place *places = memcpy(xmalloc(bytes + 1), code->places, bytes);
    uint64_t ps = 0, *x = xcalloc(stored_registers(isa), sizeof *x);
    for (uint32_t i = 0; i < code->run.count && !dp->failure; i++) {
        struct routine r = routine_of(code, i, places, x);
        memset(rfhs, 0, rfh_count * sizeof *rfhs);
        memset(all.executed, 0, isa->op_count * sizeof *all.executed);
        memset(all.counts, 0, sizeof all.counts);
        ps = sat_add(ps, one_insn(m, &r, set, sat_add(begin.ps, ps), rfhs, &all));
        if (out)
            tell_outcome(m, out, i, ps, &all);
    }
    free(x);
    free(places);
    free(all.executed);
    free(rfhs);
}
