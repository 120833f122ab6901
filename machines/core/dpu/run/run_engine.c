/* SPDX-License-Identifier: MIT
 * Runs of MPU instructions: each DPU carries the code of a run out over the arrays in its MRAM.
 *
 * DPUs of a batch begin together, and a run is over when the last of them is done.  An image that
 * they do not have yet comes from the host before, to all at once; the first image of a program is
 * there when it starts (dpu_code_load).  What a piece of a run takes is divided among its
 * instructions by how many DPU instructions are carried out for each: a value is that of the first
 * one that needs it, a store that of the last one that writes, a routine that of who calls it, and
 * the loop around that of all. */
#include "machines/core/dpu/link/dpu_link.h"
#include "machines/core/dpu/run/dpu_machine.h"
#include "machines/core/scalar/shares.h"
#include "machines/stored/run/work.h"

#include "support/alloc.h"
#include "support/saturate.h"
#include "target/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table as memory has it. */
struct code_table {
    uint32_t at, size;
    bool far;       /* in MRAM */
    uint8_t *bytes; /* [size] */
};
struct dp_code {
    struct dp_code *next;
    const struct dpu_runs *runs; /* the package's, or: */
    struct dpu_runs own;
    const struct dpu_run *run;
    uint32_t *numbers;             /* [pieces]: of programs, their images */
    struct stored_place **places;  /* [pieces]: their code behind that of the image's head, as
                                      nobody has executed it */
    VEC(struct code_table) tables; /* that its instructions look up */
    uint32_t far_base;             /* in MRAM, where tables begin */
    uint8_t *has_far;              /* [units]: they have those; NULL: there are none */
};

static const struct dpu_run_piece *piece_of(const struct dp_code *code, uint32_t i) {
    return &code->runs->pieces.data[code->run->first_piece + i];
}

static uint32_t place_count(const struct dpu_run_piece *p) {
    return DPU_RUN_HEAD_WORDS + p->words;
}
static uint32_t pc_of(const struct dpu_run_piece *p, uint32_t place) {
    return place < DPU_RUN_HEAD_WORDS ? place : p->entry + place - DPU_RUN_HEAD_WORDS;
}

static void code_free(struct dp_code *code) {
    for (uint32_t i = 0; code->places && i < code->run->piece_count; i++)
        free(code->places[i]);
    for (size_t i = 0; i < code->tables.len; i++)
        free(code->tables.data[i].bytes);
    vec_free(&code->tables);
    free(code->has_far);
    free(code->places);
    free(code->numbers);
    dpu_runs_free(&code->own);
    free(code);
}

void dpu_codes_free(struct dpu_units *u) {
    while (u->codes) {
        struct dp_code *code = u->codes;
        u->codes = code->next;
        code_free(code);
    }
}

/* ---- code of a run: the package's, or compiled now ---- */

static bool compile(const struct stored_dp *m, const struct dp_run *run, struct dp_code *code,
                    struct str *problem, size_t *wrong) {
    const struct dpu_run_limits limits = dpu_run_limits(stored_target(m));
    const struct scalar_run x = {.insns = run->insns,
                                 .count = run->count,
                                 .masked = run->masked,
                                 .reg_bits = m->state.reg_bits,
                                 .flush = stored_target(m)->arith == ARITH_FLUSH};
    code->runs = &code->own;
    if (!dpu_runs_place_tables(&code->own, &limits, run->insns, NULL, run->count, wrong, problem) ||
        !dpu_runs_add(&code->own, &limits, &x, wrong, problem))
        return false;
    code->run = code->own.runs.data;
    return true;
}

static void add_table(struct dp_code *code, const struct insn *x) {
    const struct dpu_run_table *t =
        isa_has_table(x->op) && x->table ? dpu_runs_table(code->runs, x) : NULL;
    if (!t)
        return;
    struct code_table out = {t->at, t->size, t->far, xcalloc(t->size + 1u, 1)};
    for (uint32_t k = 0; k < UINT32_C(1) << x->table->index_bits; k++)
        for (uint32_t i = 0; i < t->bytes && k * t->bytes + i < t->size; i++)
            out.bytes[k * t->bytes + i] = (uint8_t)(x->table->entries[k] >> 8 * i);
    vec_push(&code->tables, out);
}

/* MRAM for tables, of all code of a package at once.  False after reporting. */
static bool place_far(struct stored_dp *m, struct dp_code *code, struct diag *d) {
    const uint32_t bytes = dpu_runs_far_bytes(code->runs);
    uint64_t at, stride;
    if (!bytes)
        return true;
    code->has_far = xcalloc(dpu_units_of(m)->count + 1u, 1);
    for (const struct dp_code *x = dpu_units_of(m)->codes; x; x = x->next)
        if (x->runs == code->runs && x->has_far) {
            code->far_base = x->far_base;
            return true;
        }
    if (!dpu_mem_alloc_slices(&m->state.base, bytes, dpu_units_of(m)->count, &at, &stride, d))
        return false;
    code->far_base = (uint32_t)(at - DPU_AT_MRAM);
    return true;
}

static void make_ready(struct stored_dp *m, const struct dp_run *run, struct dp_code *code) {
    const uint32_t count = code->run->piece_count;
    code->numbers = xcalloc(count + 1u, sizeof *code->numbers);
    code->places = xcalloc(count + 1u, sizeof *code->places);
    for (uint32_t i = 0; i < count; i++) {
        const struct dpu_run_piece *p = piece_of(code, i);
        const struct dpu_run_image *image = &code->runs->images.data[p->image];
        code->numbers[i] = dpu_units_image(dpu_units_of(m), image);
        code->places[i] = xcalloc(place_count(p), sizeof *code->places[i]);
        for (uint32_t w = 0; w < place_count(p); w++) {
            uint64_t word = image->words.data[pc_of(p, w)];
            code->places[i][w] = (struct stored_place){.word = word, .op = dpu_word_op(word)};
        }
    }
    for (size_t i = 0; i < run->count; i++)
        add_table(code, &run->insns[i]);
}

struct dp_code *dpu_prepare(struct datapath *dp, const struct dp_run *run, struct diag *d) {
    struct stored_dp *m = stored_of(dp);
    struct dp_code *code = xcalloc(1, sizeof *code);
    struct str problem = {0};
    size_t wrong = 0;
    if (m->state.setup.code) {
        code->runs = &dpu_code_of(m->state.setup.code)->runs;
        code->run = dpu_runs_find(code->runs, run->insns, run->count, run->masked);
    }
    if (!code->run && !compile(m, run, code, &problem, &wrong)) {
        diag_error(d, NO_SPAN, "%s cannot be carried out by DPUs: %s",
                   isa_info(run->insns[wrong].op)->name, str_text(&problem));
        str_free(&problem);
        code_free(code);
        return NULL;
    }
    if (!place_far(m, code, d)) {
        code_free(code);
        return NULL;
    }
    make_ready(m, run, code);
    pthread_mutex_lock(&m->state.lock);
    code->next = dpu_units_of(m)->codes;
    dpu_units_of(m)->codes = code;
    pthread_mutex_unlock(&m->state.lock);
    return code;
}

#define HOST_PS_A_LANE UINT64_C(60000) /* of an instruction, about */

void dpu_describe(const struct datapath *dp, const struct dp_code *code,
                  struct dp_description *out) {
    (void)dp;
    *out = (struct dp_description){.form = DP_COST_MEASURED,
                                   .launch = true,
                                   .host_ps = HOST_PS_A_LANE * code->run->count *
                                              piece_of(code, 0)->block};
}

/* ---- a piece on a DPU ---- */

static void put_word(struct dpu_core *core, uint32_t at, uint32_t value) {
    uint8_t bytes[4];
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    dpu_core_wram_put(core, at, bytes, sizeof bytes);
}

static void put_arguments(const struct dpu_units *u, const struct dp_code *code,
                          const struct dpu_run_piece *p, uint32_t v, struct dpu_core *core) {
    put_word(core, DPU_RUN_ENTRY, p->entry);
    uint32_t words[DPU_LOOP_ARGUMENTS];
    dpu_loop_arguments(u->list[v].valid, u->run_tasklets, p->block, p->unrolled, u->arrays.base,
                       code->far_base, words);
    for (unsigned i = 0; i < DPU_LOOP_ARGUMENTS; i++)
        put_word(core, DPU_RUN_ARGUMENTS + 4 * i, words[i]);
    for (size_t i = 0; i < code->tables.len; i++) {
        const struct code_table *t = &code->tables.data[i];
        if (!t->far)
            dpu_core_wram_put(core, t->at, t->bytes, t->size);
        else if (!code->has_far[v])
            dpu_core_mram_put(core, code->far_base + t->at, t->bytes, t->size);
    }
    if (code->has_far)
        code->has_far[v] = 1;
}

/* The program ends with this, of the first DPU of all, whichever came first. */
static void fail(struct stored_dp *m, uint32_t unit, uint32_t insn) {
    struct lane_state *s = &m->state;
    struct dpu_units *u = dpu_units_of(m);
    const struct dpu_core *core = u->list[unit].core;
    struct str why = {0};
    dpu_core_explain(core, NULL, &why);
    pthread_mutex_lock(&s->lock);
    if (!s->base.failure || unit < u->failed) {
        u->failed = unit;
        snprintf(s->failure, sizeof s->failure, "DPU %" PRIu32 ", %s%s", unit, str_text(&why),
                 dpu_core_trouble(core)->fault == DPU_FAULT_WATCHDOG ? " (dpu.watchdog)" : "");
        s->base.failure_insn = insn;
        s->base.failure = s->failure;
    }
    pthread_mutex_unlock(&s->lock);
    str_free(&why);
}

/* What one DPU leaves. */
struct dpu_leaves {
    struct stored_work work;
    bool loads;   /* it did not have the image */
    bool stopped; /* by a fault */
};
/* A run, while DPUs carry it out, piece by piece. */
struct launched {
    struct stored_dp *m;
    const struct dp_code *code;
    const struct dp_outcome *given; /* its threads; NULL: none */
    uint32_t *units;                /* [count]: DPUs that carry it out */
    uint32_t count;
    uint32_t number, first; /* of the piece; of its first instruction */
    uint64_t begin_ps;
    uint64_t *of_insns; /* [2 * (count of the piece + 1)]: DPU instructions for each, and calls;
                           [0]: for all, and in routines */
    struct dpu_leaves *slots;
    struct stored_rfh *rfhs;
    struct stored_sum *all;
    bool loads, stopped; /* of some DPU */
    uint64_t load_fj;    /* of the link, for the image */
};

/* On any thread. */
static bool unit_works(void *context, uint32_t number, uint32_t index, struct state_view *view) {
    struct launched *x = context;
    struct dpu_leaves *slot = &x->slots[number];
    const uint32_t v = x->units[index];
    struct stored_work *work = &slot->work;
    struct stored_dp *m = x->m;
    struct dpu_units *u = dpu_units_of(m);
    const struct dpu_run_piece *p = piece_of(x->code, x->number);
    struct dpu_unit *unit = &u->list[v];
    (void)view; /* DPUs have memories of their own */
    slot->work = (struct stored_work){.places = work->places};
    memcpy(work->places, x->code->places[x->number], place_count(p) * sizeof *work->places);
    dpu_lanes_of(m, v, 0);
    bool there = unit->program == x->code->numbers[x->number] ||
                 (!unit->program && !p->image && x->code->runs != &x->code->own);
    slot->loads = !there;
    struct dpu_core *core = dpu_units_with(u, v, x->code->numbers[x->number]);
    struct stored_unit at_work = {
        .machine = m,
        .unit = v,
        .work = work,
        .event = {.vrf_first = v, .vrf_count = 1, .insn = x->first, .start_ps = x->begin_ps}};
    struct dpu_counters before, now;
    put_arguments(u, x->code, p, v, core);
    dpu_core_totals(core, &before);
    for (uint32_t i = 0; i < place_count(p); i++)
        work->places[i].executed = dpu_core_executed(core, pc_of(p, i));
    slot->stopped = !dpu_run_watched(&at_work, core);
    dpu_core_totals(core, &now);
    dpu_take_totals(&before, &now, work);
    for (uint32_t i = 0; i < place_count(p); i++) {
        struct stored_place *place = &work->places[i];
        place->executed = dpu_core_executed(core, pc_of(p, i)) - place->executed;
        dpu_take_class(place->op, place->executed, work);
    }
    return true;
}

/* For whom the DPU instructions were that a DPU has carried out. */
static void count_sources(struct launched *x, const struct stored_work *work) {
    const struct dpu_run_piece *p = piece_of(x->code, x->number);
    const uint16_t *sources = &x->code->runs->sources.data[p->first_source];
    for (uint32_t i = 0; i < place_count(p); i++) {
        uint16_t word = i < DPU_RUN_HEAD_WORDS ? DPU_WORD_SHARED : sources[i - DPU_RUN_HEAD_WORDS];
        uint16_t source = word & (uint16_t)~SCALAR_CALLS;
        bool called = source == DPU_WORD_CALLED;
        uint64_t executed = work->places[i].executed;
        if (!called)
            x->of_insns[2 * source] += executed;
        if (called || word & SCALAR_CALLS)
            x->of_insns[2 * (called ? 0 : source) + 1] += executed;
    }
}

/* In the order of `units`; all of them work, whichever stops. */
static bool unit_done(void *context, uint32_t number, uint32_t index, bool fine,
                      uint64_t *host_ps) {
    struct launched *x = context;
    struct stored_dp *m = x->m;
    struct dpu_leaves *slot = &x->slots[number];
    const uint32_t v = x->units[index], rfhs = stored_target(m)->rfh_per_mpu;
    if (slot->stopped)
        fail(m, v, x->first);
    x->stopped |= slot->stopped;
    x->loads |= slot->loads;
    count_sources(x, &slot->work);
    stored_join(m, &m->of_units[(size_t)v * (1 + m->engine->unit_counts_count)],
                &x->rfhs[v % target_vrfs_per_mpu(stored_target(m)) % rfhs], x->all, &slot->work,
                place_count(piece_of(x->code, x->number)));
    *host_ps = sat_add(*host_ps, sat_mul(STORED_HOST_PS_A_CYCLE, slot->work.cycles));
    return fine;
}

/* From its begin to when the last DPU is done, with what it took before. */
static uint64_t launch_all(struct launched *x) {
    struct stored_dp *m = x->m;
    const struct target *t = stored_target(m);
    const struct dpu_run_piece *p = piece_of(x->code, x->number);
    struct pool *pool = x->given ? x->given->pool : NULL;
    const uint32_t slots = state_units_slots(pool);
    x->rfhs = xcalloc(t->rfh_per_mpu + 1u, sizeof *x->rfhs);
    x->slots = xcalloc(slots, sizeof *x->slots);
    for (uint32_t i = 0; i < slots; i++)
        x->slots[i].work.places = xcalloc(place_count(p), sizeof(struct stored_place));
    state_units_run(&(struct state_units){.memory = &m->memory,
                                          .pool = pool,
                                          .part_ps = x->given ? x->given->part_ps : 0,
                                          .count = x->count,
                                          .context = x,
                                          .work = unit_works,
                                          .done = unit_done});
    uint64_t ps = stored_settle(m, x->rfhs, t->rfh_per_mpu, x->all);
    uint64_t code_bytes = 8 * x->code->runs->images.data[p->image].words.len;
    const struct host_slice slice = {x->count ? x->units[0] : 0, code_bytes};
    x->load_fj = 0;
    if (x->loads) {
        struct host_transfer image = target_host_transfer(t, HOST_SAME, &slice, 1);
        ps = sat_add(ps, image.time_ps);
        x->load_fj = target_host_fj(t, image.bytes);
    }
    if (x->number) /* the first one's is the run's */
        ps = sat_add(ps, t->launch_ps);
    for (uint32_t i = 0; i < slots; i++)
        free(x->slots[i].work.places);
    free(x->slots);
    free(x->rfhs);
    return ps;
}

/* weights[i]: of instructions 0 .. i, as whole numbers that ascend. */
static void weigh(const uint64_t *of_insns, uint32_t count, uint64_t *weights) {
    uint64_t calls = 0, all = 0;
    for (uint32_t i = 1; i <= count; i++)
        calls += of_insns[2 * i + 1];
    for (uint32_t i = 1; i <= count; i++) {
        uint64_t called = calls ? sat_scale(of_insns[1], of_insns[2 * i + 1], calls) : 0;
        all += of_insns[2 * i] + called + of_insns[0] / count;
        weights[i - 1] = all;
    }
    for (uint32_t i = 0; !all && i < count; i++)
        weights[i] = i + 1u;
}
static void tell_outcome(const struct launched *x, struct dp_outcome *out, uint64_t before_ps,
                         uint64_t ps, const struct stored_sum *all) {
    const struct stored_dp *m = x->m;
    const uint32_t count = piece_of(x->code, x->number)->count;
    uint64_t micro_ops = 0;
    for (uint32_t k = 0; k < m->engine->kind->isa.op_count; k++)
        micro_ops += all->executed[k];
    uint64_t fj = sat_add(stored_charge(m, all, out->uops, out->energy_fj), x->load_fj);
    uint64_t done = before_ps;
    out->energy_fj[DPU_PART_CODE] = sat_add(out->energy_fj[DPU_PART_CODE], x->load_fj);
    uint64_t *weights = xcalloc(count + 1u, sizeof *weights);
    weigh(x->of_insns, count, weights);
    for (uint32_t i = 0; i < count; i++) {
        out->insn_micro_ops[x->first + i] = scalar_share(micro_ops, weights, i, count);
        out->insn_energy_fj[x->first + i] = scalar_share(fj, weights, i, count);
        done = sat_add(done, scalar_share(ps, weights, i, count));
        out->insn_done_ps[x->first + i] = done;
    }
    free(weights);
    out->latency_ps = done;
}

void dpu_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                 struct dp_moment begin, struct dp_outcome *out) {
    struct stored_dp *m = stored_of(dp);
    const uint32_t ops = m->engine->kind->isa.op_count;
    struct stored_sum all = {.executed = xcalloc(ops, sizeof *all.executed)};
    struct launched x = {.m = m, .code = code, .given = out, .all = &all};
    uint64_t ps = 0;
    x.units = xcalloc(vrf_set_size(set) + 1, sizeof *x.units);
    for (size_t n = 0; n < set.count; n++)
        for (uint32_t k = 0; k < set.ranges[n].count; k++)
            x.units[x.count++] = set.ranges[n].first + k;
    for (x.number = 0; x.number < code->run->piece_count && !x.stopped; x.number++) {
        memset(all.executed, 0, ops * sizeof *all.executed);
        memset(all.counts, 0, sizeof all.counts);
        x.begin_ps = sat_add(begin.ps, ps);
        x.loads = false;
        x.of_insns = xcalloc(2 * (piece_of(code, x.number)->count + 1u), sizeof *x.of_insns);
        uint64_t took = launch_all(&x);
        if (out)
            tell_outcome(&x, out, ps, took, &all);
        free(x.of_insns);
        ps = sat_add(ps, took);
        x.first += piece_of(code, x.number)->count;
    }
    free(x.units);
    free(all.executed);
}
