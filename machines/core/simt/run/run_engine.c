/* SPDX-License-Identifier: MIT
 * Runs of MPU instructions: each piece of one is a launch over all VRFs of a batch.  What it takes
 * is divided among its instructions by the warp instructions that are carried out for each: a value
 * is that of the first one that needs it, a store that of the last one that writes; how a warp
 * finds its lanes is everybody's. */
#include "machines/core/simt/run/launch_cost.h"
#include "machines/core/scalar/shares.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct code_piece {
    struct simt_program *program;
    uint32_t first_insn;  /* of the run */
    VEC(uint32_t) tables; /* numbers of the machine's */
};
struct dp_code {
    struct dp_code *next;
    const struct simt_runs *runs; /* the package's, or: */
    struct simt_runs own;
    const struct simt_run_code *run;
    struct code_piece *pieces; /* [run.piece_count] */
    struct simt_arrays arrays;
};

static void code_free(struct dp_code *code) {
    for (uint32_t i = 0; code->pieces && i < code->run->piece_count; i++) {
        simt_program_free(code->pieces[i].program);
        vec_free(&code->pieces[i].tables);
    }
    free(code->pieces);
    simt_runs_free(&code->own);
    free(code);
}

void simt_codes_free(struct simt_machine_state *m) {
    while (m->codes) {
        struct dp_code *code = m->codes;
        m->codes = code->next;
        code_free(code);
    }
}

/* ---- code of a run: the package's, or compiled now ---- */

static bool compile(const struct simt_machine_state *m, const struct dp_run *run,
                    struct dp_code *code, struct diag *d) {
    const struct target *t = m->state.setup.target;
    const struct simt_run_limits limits = simt_run_limits(t);
    const struct scalar_run x = {.insns = run->insns,
                                 .count = run->count,
                                 .masked = run->masked,
                                 .reg_bits = m->state.reg_bits,
                                 .flush = t->arith == ARITH_FLUSH};
    struct str problem = {0};
    size_t wrong = 0;
    code->runs = &code->own;
    const bool fine = simt_runs_add(&code->own, &limits, &x, &wrong, &problem);
    if (fine)
        code->run = code->own.runs.data;
    else
        diag_error(d, NO_SPAN, "%s cannot be carried out by near-bank SIMT cores: %s",
                   isa_info(run->insns[wrong].op)->name, str_text(&problem));
    str_free(&problem);
    return fine;
}

/* In the order in which the kernel has them. */
static bool find_tables(struct simt_machine_state *m, const struct insn *insns, size_t count,
                        struct code_piece *to, struct diag *d) {
    simt_run_tables tables = {0};
    bool fine = simt_run_find_tables(insns, count, &tables);
    for (size_t i = 0; i < tables.len && fine; i++) {
        const struct simt_run_table *t = &tables.data[i];
        size_t k = 0;
        while (!isa_has_table(insns[k].op) || insns[k].lut != t->lut ||
               scalar_bytes(insns[k].width) != t->bytes)
            k++;
        const uint32_t number = simt_banks_table(m, insns[k].table, t->bytes, d);
        fine = number != UINT32_MAX;
        vec_push(&to->tables, number);
    }
    vec_free(&tables);
    return fine;
}

static void add_arrays(struct simt_arrays *a, const struct insn *x) {
    const uint32_t flags = isa_info(x->op)->flags;
    const uint64_t rd = UINT64_C(1) << (x->rd & 63), rs = UINT64_C(1) << (x->rs & 63),
                   rt = UINT64_C(1) << (x->rt & 63);
    a->registers |= rd | rs | rt;
    a->written |=
        (flags & WRITES_RD ? rd : 0) | (flags & WRITES_RS ? rs : 0) | (flags & WRITES_RT ? rt : 0);
    a->writes_c |= (flags & WRITES_C) != 0;
    a->writes_m |= (flags & WRITES_M) != 0;
}

static bool make_ready(struct simt_machine_state *m, const struct dp_run *run, struct dp_code *code,
                       struct diag *d) {
    size_t first = 0;
    bool fine = true;
    code->pieces = xcalloc(code->run->piece_count + 1u, sizeof *code->pieces);
    for (uint32_t i = 0; i < code->run->piece_count && fine; i++) {
        const struct simt_run_piece *p = &code->runs->pieces.data[code->run->first_piece + i];
        const char *problem = NULL;
        code->pieces[i].program =
            simt_program_new(str_text(&code->runs->code) + p->first, p->size, NULL, &problem);
        code->pieces[i].first_insn = (uint32_t)first;
        if (!code->pieces[i].program)
            diag_error(d, NO_SPAN, "code of a run is damaged: %s", problem);
        fine = code->pieces[i].program &&
               find_tables(m, run->insns + first, p->count, &code->pieces[i], d);
        first += p->count;
    }
    for (size_t i = 0; i < run->count; i++)
        add_arrays(&code->arrays, &run->insns[i]);
    return fine;
}

struct dp_code *simt_prepare(struct datapath *dp, const struct dp_run *run, struct diag *d) {
    struct simt_machine_state *m = simt_machine_of(dp);
    struct dp_code *code = xcalloc(1, sizeof *code);
    if (m->state.setup.code) {
        code->runs = &simt_code_of(m->state.setup.code)->runs;
        code->run = simt_runs_find(code->runs, run->insns, run->count, run->masked);
    }
    if (!simt_banks_open(m, d) || (!code->run && !compile(m, run, code, d)) ||
        !make_ready(m, run, code, d)) {
        code_free(code);
        return NULL;
    }
    pthread_mutex_lock(&m->state.lock);
    code->next = m->codes;
    m->codes = code;
    pthread_mutex_unlock(&m->state.lock);
    return code;
}

#define HOST_PS_A_LANE UINT64_C(20000) /* of an instruction, about */

void simt_describe(const struct datapath *dp, const struct dp_code *code,
                   struct dp_description *out) {
    (void)dp;
    *out =
        (struct dp_description){.form = DP_COST_MEASURED,
                                .launch = true,
                                .host_ps = HOST_PS_A_LANE * SIMT_RECORD_LANES * code->run->count};
}

/* ---- a launch ---- */

/* The program ends with this. */
static void fail(struct simt_machine_state *m, const struct diag *d, uint32_t insn) {
    struct lane_state *s = &m->state;
    const char *first = diag_first(d);
    pthread_mutex_lock(&s->lock);
    if (!s->base.failure) {
        snprintf(s->failure, sizeof s->failure, "a run: %s", first ? first : "it stops");
        s->base.failure_insn = insn;
        s->base.failure = s->failure;
    }
    pthread_mutex_unlock(&s->lock);
}

static void put_number(unsigned char *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

/* Parameters of a launch on some VRFs, and where their blocks go; records of the one that has most.
 */
static uint32_t put_parameters(struct simt_machine_state *m, const struct code_piece *piece,
                               const uint32_t *vrfs, uint32_t count, unsigned char *to,
                               struct simt_home *homes) {
    const struct target *t = m->state.setup.target;
    uint32_t records = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct simt_run_vrf v = simt_banks_vrf(m, vrfs[i]);
        unsigned char *at = to + (size_t)i * SIMT_RUN_VRF_BYTES;
        const uint32_t need = (v.lanes + SIMT_RECORD_LANES - 1) / SIMT_RECORD_LANES;
        put_number(at, v.base, 8);
        put_number(at + 8, v.lanes, 4);
        put_number(at + 12, v.core, 4);
        homes[i] = (struct simt_home){v.core, vrfs[i] % target_vrfs_per_mpu(t) / t->rfh_per_mpu};
        records = need > records ? need : records;
        for (size_t k = 0; k < piece->tables.len; k++)
            simt_banks_bring(m, piece->tables.data[k], v.core);
    }
    for (size_t k = 0; k < piece->tables.len; k++)
        put_number(to + SIMT_RUN_TABLES_AT + 8 * k, m->tables.data[piece->tables.data[k]].address,
                   8);
    return records;
}

/* What a piece took, all of its launches. */
struct piece_cost {
    struct dp_cost cost;
    uint64_t *executed; /* [instructions + 1]: warp instructions for each; [0]: for all */
    uint64_t micro_ops, energy_fj;
    uint64_t *fj, *ops; /* likewise */
};

static void count_places(const struct simt_kernel *k, uint32_t count, struct piece_cost *to) {
    for (uint32_t i = 0; i < k->insn_count; i++) {
        const struct dp_place_cost *p = &to->cost.places[k->places[i]];
        const uint32_t source = k->lines[i].source_line <= count ? k->lines[i].source_line : 0;
        to->executed[source] += p->executed;
        to->ops[source] += p->micro_ops;
        to->fj[source] = sat_add(to->fj[source], p->energy_fj);
    }
}

static bool launch_some(struct simt_machine_state *m, const struct code_piece *piece,
                        const uint32_t *vrfs, uint32_t count, struct dp_cost *cost,
                        struct diag *d) {
    unsigned char parameters[SIMT_RUN_PARAMETERS] = {0};
    struct dp_launch launch = {.parameters = parameters, .parameter_bytes = sizeof parameters};
    struct simt_home homes[SIMT_RUN_VRFS];
    const uint32_t records = put_parameters(m, piece, vrfs, count, parameters, homes);
    struct simt_run run = {.program = piece->program,
                           .launch = &launch,
                           .target = m->state.setup.target,
                           .memory = &m->banks,
                           .charged_cores = m->state.setup.target->rfh_per_mpu,
                           .first_insn = piece->first_insn,
                           .homes = homes,
                           .diag = d};
    const uint32_t grid[] = {count, records, 1}, block[] = {SIMT_RECORD_LANES, 1, 1};
    memcpy(launch.grid, grid, sizeof grid);
    memcpy(launch.block, block, sizeof block);
    return !records || simt_cost_launch(m, &run, cost);
}

/* weights[i]: of instructions 0 .. i, as whole numbers that ascend. */
static void weigh(const uint64_t *of_insns, uint32_t count, uint64_t *weights) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        weights[i] = all += of_insns[i + 1] + of_insns[0] / count;
    for (uint32_t i = 0; !all && i < count; i++)
        weights[i] = i + 1u;
}

static void tell_outcome(struct piece_cost *x, uint32_t first, uint32_t count,
                         struct dp_outcome *out) {
    uint64_t *weights = xcalloc(count + 1u, sizeof *weights), done = out->latency_ps;
    weigh(x->executed, count, weights);
    for (uint32_t i = 0; i < count; i++)
        done = out->insn_done_ps[first + i] =
            sat_add(done, scalar_share(x->cost.ps, weights, i, count));
    out->latency_ps = done;
    for (uint32_t i = 0; i < count; i++)
        weights[i] = i + 1u;
    for (uint32_t i = 0; i < count; i++) {
        out->insn_micro_ops[first + i] = x->ops[i + 1] + scalar_share(x->ops[0], weights, i, count);
        out->insn_energy_fj[first + i] =
            sat_add(x->fj[i + 1], scalar_share(x->fj[0], weights, i, count));
    }
    free(weights);
}

/* A piece on all VRFs, as many at a time as a launch takes; the launch of the first is the run's.
 */
static bool carry_out(struct simt_machine_state *m, const struct code_piece *piece,
                      const uint32_t *vrfs, uint32_t count, struct piece_cost *x, bool first,
                      struct diag *d) {
    bool fine = true;
    for (uint32_t at = 0, n; at < count && fine; at += n) {
        struct dp_cost one = x->cost;
        n = count - at < SIMT_RUN_VRFS ? count - at : SIMT_RUN_VRFS;
        one.ps = 0;
        one.begin_ps = sat_add(x->cost.begin_ps, x->cost.ps);
        fine = launch_some(m, piece, vrfs + at, n, &one, d);
        x->cost.ps = sat_add(x->cost.ps, one.ps);
        if (at || !first)
            x->cost.ps = sat_add(x->cost.ps, m->state.setup.target->launch_ps);
    }
    return fine;
}

static void open_cost(struct piece_cost *x, const struct simt_kernel *k, uint32_t count,
                      struct dp_outcome *out, uint64_t begin_ps) {
    *x = (struct piece_cost){.executed = xcalloc(3 * (count + 1u), sizeof *x->executed)};
    x->ops = x->executed + count + 1;
    x->fj = x->ops + count + 1;
    x->cost = (struct dp_cost){.begin_ps = begin_ps,
                               .uops = out ? out->uops : NULL,
                               .energy_fj = out ? out->energy_fj : NULL,
                               .kind_fj = out ? out->kind_fj : NULL,
                               .places = xcalloc(k->word_count + 1u, sizeof *x->cost.places),
                               .place_count = k->word_count};
}

void simt_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                  struct dp_moment begin, struct dp_outcome *out) {
    struct simt_machine_state *m = simt_machine_of(dp);
    struct diag *d = diag_new(NULL, NULL);
    const uint64_t all = vrf_set_size(set);
    uint32_t *vrfs = xcalloc(all + 1, sizeof *vrfs), count = 0, first = 0;
    uint64_t at = begin.ps;
    bool fine = true;
    for (size_t n = 0; n < set.count; n++)
        for (uint32_t k = 0; k < set.ranges[n].count; k++)
            vrfs[count++] = set.ranges[n].first + k;
    for (uint32_t i = 0; i < count; i++)
        simt_banks_move(m, vrfs[i], &code->arrays, false);
    for (uint32_t i = 0; i < code->run->piece_count && fine; i++) {
        const struct simt_run_piece *p = &code->runs->pieces.data[code->run->first_piece + i];
        const struct code_piece *piece = &code->pieces[i];
        struct piece_cost x;
        open_cost(&x, piece->program->kernel, p->count, out, at);
        fine = carry_out(m, piece, vrfs, count, &x, i == 0, d);
        if (!fine)
            fail(m, d, first);
        count_places(piece->program->kernel, p->count, &x);
        if (out)
            tell_outcome(&x, first, p->count, out);
        at = sat_add(at, x.cost.ps);
        first += p->count;
        free(x.cost.places);
        free(x.executed);
    }
    for (uint32_t i = 0; i < count; i++)
        simt_banks_move(m, vrfs[i], &code->arrays, true);
    free(vrfs);
    diag_free(d);
}

/* ---- the host's side ---- */

void simt_follow(struct datapath *dp, const struct dp_code *code,
                 const struct dp_description *about, const struct dp_issue *issue,
                 struct dp_times *out) {
    (void)dp, (void)code;
    out->issued_ps = out->done_ps = sat_add(issue->after_ps, about->latency_ps);
}

/* Nothing is at work when a launch has been waited for. */
uint64_t simt_pass(struct datapath *dp, uint64_t clock, uint64_t ps) {
    (void)dp, (void)ps;
    return clock;
}
