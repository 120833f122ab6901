/* SPDX-License-Identifier: MIT
 * The run half: an interpreter of the core's instructions, and what they take.
 *
 * Cores of an RFH begin an MPU instruction together and it is over when the last of them is done
 * with its lanes and the port has served all their accesses.  An instruction of a batch takes as
 * long as in the slowest RFH. */
#include "core.h"

#include "machines/dtc/transfer.h"
#include "machines/state/array_memory.h"
#include "machines/state/state.h"
#include "machines/state/units.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct dp_code {
    struct dp_code *next;
    struct core_run run;
    core_words own; /* of a run that the package does not hold */
};

enum { PART_CORE, PART_MEMORY };
static const char *const part_names[] = {"core", "memory"};
enum { PORT_STALLS, TAKEN_BRANCHES, COUNTERS };
static const char *const counter_names[] = {"port_stall_cycles", "taken_branches"};
static const char *const track_names[] = {"core"};
static const char *const unit_counter_names[] = {"core_cycles"};

struct core_dp {
    struct lane_state state; /* its lock guards what may change while several threads execute */
    const struct core_keys *keys;
    struct dp_kind kinds[CORE_OPS];
    uint32_t *lanes; /* [VRFs]: valid ones */
    uint64_t counters[COUNTERS];
    uint64_t *cycles; /* [VRFs]: of each core */
    struct dp_code *codes;
    struct dtc *dtc;
    struct state_memory memory;
    dp_observer *observer;
    void *context;
};

static struct core_dp *core_of(struct datapath *dp) {
    return (struct core_dp *)(void *)dp;
}

/* ---- opening ---- */

static void core_close(struct datapath *dp) {
    struct core_dp *m = core_of(dp);
    while (m->codes) {
        struct dp_code *code = m->codes;
        m->codes = code->next;
        vec_free(&code->own);
        free(code);
    }
    state_memory_close(&m->memory);
    dtc_free(m->dtc);
    free(m->lanes);
    free(m->cycles);
    state_close(&m->state);
    free(m);
}

static struct datapath *core_open(const struct dp_setup *setup, struct diag *d) {
    struct core_dp *m = xcalloc(1, sizeof *m);
    m->keys = setup->target->own;
    state_memory_open(&m->memory);
    for (uint32_t op = 0; op < CORE_OPS; op++) {
        bool access = op == CORE_LD || op == CORE_ST;
        m->kinds[op] = (struct dp_kind){core_ops[op].name, op, access ? PART_MEMORY : PART_CORE,
                                        access ? m->keys->access_fj : m->keys->alu_fj};
    }
    m->state.base.tables = (struct dp_tables){.kinds = m->kinds,
                                              .kind_count = CORE_OPS,
                                              .parts = part_names,
                                              .part_count = 2,
                                              .counters = counter_names,
                                              .counter_count = COUNTERS,
                                              .tracks = track_names,
                                              .track_count = 1,
                                              .unit_counters = unit_counter_names,
                                              .unit_counter_count = 1,
                                              .measured = true,
                                              .places = true};
    if (state_open(&m->state, &core_engine, setup, d)) {
        m->lanes = xcalloc((size_t)m->state.vrfs + 1, sizeof *m->lanes);
        m->cycles = xcalloc((size_t)m->state.vrfs + 1, sizeof *m->cycles);
        m->state.base.tables.units = m->state.vrfs;
        return &m->state.base;
    }
    core_close(&m->state.base);
    return NULL;
}

/* A core works on the lanes that are valid; nothing looks at the others. */
static void core_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count) {
    state_bind(dp, bindings, count);
    for (size_t i = 0; i < count; i++)
        core_of(dp)->lanes[bindings[i].vrf] = bindings[i].valid_lanes;
}

/* ---- code of a run: the package's, or translated now ---- */

static bool is_run(const struct core_run *r, const struct dp_run *run) {
    uint32_t word;
    bool same = r->count == run->count && r->masked == run->masked;
    for (uint32_t i = 0; same && i < r->count; i++)
        same = isa_encode(&run->insns[i], &word) == ISA_OK && word == r->text[i];
    return same;
}

static bool find_run(const core_words *data, const struct dp_run *run, struct core_run *out) {
    bool fine;
    for (size_t at = 0; core_next_run(data, &at, out, &fine);)
        if (is_run(out, run))
            return true;
    return false;
}

static struct dp_code *core_prepare(struct datapath *dp, const struct dp_run *run, struct diag *d) {
    struct core_dp *m = core_of(dp);
    struct dp_code *code = xcalloc(1, sizeof *code);
    const struct core_code *package = (const struct core_code *)(const void *)m->state.setup.code;
    pthread_mutex_lock(&m->state.lock);
    code->next = m->codes;
    m->codes = code;
    pthread_mutex_unlock(&m->state.lock);
    if ((package && find_run(&package->data, run, &code->run)) ||
        (core_translate(run, &code->own) && find_run(&code->own, run, &code->run)))
        return code;
    diag_error(d, NO_SPAN, "an instruction has no routine");
    return NULL;
}

static void core_describe(const struct datapath *dp, const struct dp_code *code,
                          struct dp_description *out) {
    const struct core_dp *m = (const struct core_dp *)(const void *)dp;
    *out = (struct dp_description){.form = DP_COST_MEASURED, /* and so it says nothing of costs */
                                   .launch = true,
                                   .host_ps = UINT64_C(200000) * code->run.count * m->state.lanes};
}

/* A launch after the other: the host waits for each. */
static void core_follow(struct datapath *dp, const struct dp_code *code,
                        const struct dp_description *about, const struct dp_issue *issue,
                        struct dp_times *out) {
    (void)dp, (void)code;
    out->issued_ps = out->done_ps = sat_add(issue->after_ps, about->latency_ps);
}

/* Nothing is at work when a launch has been waited for. */
static uint64_t core_pass(struct datapath *dp, uint64_t clock, uint64_t ps) {
    (void)dp, (void)ps;
    return clock;
}

/* ---- the interpreter ---- */

/* What was executed, of all cores; and of one core, where `places` are those of a kernel's words,
 * or NULL. */
struct visits {
    uint64_t executed, taken;
};
struct tally {
    uint64_t executed[CORE_OPS];
    uint64_t cycles, taken;
    struct visits *places;
};

struct core {
    struct core_dp *m;
    const uint32_t *words;
    uint64_t x[16];
    struct state_vrf *vrf; /* and its lane; NULL: a worker of a kernel */
    uint32_t lane;
    struct state_view *view;
    struct tally *tally;
    struct dp_event *event; /* of the observer; NULL: nobody watches */
    bool lost;              /* the last access found nothing */
};
/* The record of an event. */
struct executed {
    uint32_t word, at, lane;
};

static uint64_t read_lane(const struct core *c, uint32_t place) {
    const struct state_bits *b = &c->vrf->bits[c->lane];
    return place == CORE_C       ? b->c
           : place == CORE_M     ? b->m
           : place == CORE_VALID ? b->valid
                                 : state_read(&c->m->state, c->vrf, c->lane, place);
}

static void write_lane(const struct core *c, uint32_t place, unsigned width, uint64_t value) {
    struct state_bits *b = &c->vrf->bits[c->lane];
    if (place == CORE_C)
        b->c = value & 1;
    else if (place == CORE_M)
        b->m = value & 1;
    else if (place != CORE_VALID)
        state_write(&c->m->state, c->vrf, c->lane, place, width, value);
}

/* LD and ST; false: there is nothing at the place. */
static bool access(struct core *c, uint32_t word) {
    uint32_t imm = CORE_IMM(word), width = CORE_WIDTH(imm);
    bool load = CORE_OP(word) == CORE_LD, memory = CORE_MEMORY(imm);
    uint64_t address = c->x[CORE_B(word)], v = c->x[CORE_A(word)];
    c->lost = memory ? address % 8 != 0 : !c->vrf;
    if (!c->lost && memory)
        c->lost = !(load ? state_view_get(c->view, address, &v, 8)
                         : state_view_put(c->view, address, &v, 8));
    if (c->lost)
        return false;
    if (!load && !memory)
        write_lane(c, CORE_PLACE(imm), width, v);
    if (load) {
        v = (memory ? v : read_lane(c, CORE_PLACE(imm))) & low_bits(width);
        c->x[CORE_D(word)] = CORE_SIGNED(imm) ? (uint64_t)sign_extend(v, width) : v;
    }
    return true;
}

static uint64_t compute(enum core_op op, uint64_t a, uint64_t b) {
    return op == CORE_ADD   ? a + b
           : op == CORE_SUB ? a - b
           : op == CORE_AND ? a & b
           : op == CORE_OR  ? a | b
           : op == CORE_XOR ? a ^ b
           : op == CORE_SHL ? (b < 64 ? a << b : 0)
           : op == CORE_SHR ? (b < 64 ? a >> b : 0)
           : op == CORE_SAR ? (uint64_t)((int64_t)a >> (b < 64 ? b : 63))
           : op == CORE_LTU ? a < b
                            : (int64_t)a < (int64_t)b;
}

static void tell(struct core *c, uint32_t at) {
    struct dp_event e = *c->event;
    const struct executed record = {c->words[at], at, c->lane};
    e.kind = CORE_OP(c->words[at]);
    e.unit = c->lane;
    e.start_ps += c->tally->cycles * c->m->state.setup.target->datapath_ps;
    e.record = &record;
    c->m->observer(c->m->context, &e);
}

static uint64_t cycles_of(const struct core_keys *keys, enum core_op op, bool taken) {
    bool is_access = op == CORE_LD || op == CORE_ST;
    return is_access ? keys->access_cycles : taken ? keys->branch_cycles : 1;
}

/* Carries out words from the first to an end, at most `limit`; the place where it must stop, or
 * NO_FAULT. */
#define NO_FAULT UINT32_MAX
static uint32_t interpret(struct core *c, uint64_t limit) {
    const struct core_keys *k = c->m->keys;
    for (uint32_t at = 0;; limit--) {
        uint32_t word = c->words[at];
        enum core_op op = CORE_OP(word);
        bool is_access = op == CORE_LD || op == CORE_ST, taken = false;
        if (c->event)
            tell(c, at);
        if (!limit || (is_access && !access(c, word)))
            return at;
        if (op == CORE_BEQZ || op == CORE_BNEZ)
            taken = (c->x[CORE_A(word)] == 0) == (op == CORE_BEQZ);
        else if (op == CORE_LI)
            c->x[CORE_D(word)] = (uint64_t)(int16_t)CORE_IMM(word);
        else if (op != CORE_END && !is_access)
            c->x[CORE_D(word)] = compute(op, c->x[CORE_A(word)], c->x[CORE_B(word)]);
        c->x[0] = 0;
        c->tally->executed[op]++;
        c->tally->taken += taken;
        c->tally->cycles += cycles_of(k, op, taken);
        if (c->tally->places) {
            c->tally->places[at].executed++;
            c->tally->places[at].taken += taken;
        }
        if (op == CORE_END)
            return NO_FAULT;
        at = taken ? CORE_IMM(word) : at + 1;
    }
}

/* ---- what work takes ---- */

/* Of the RFHs while they carry out one thing. */
struct rfh {
    uint64_t longest, accesses; /* cycles of a core; of all cores */
};

static uint64_t accesses_of(const struct tally *t) {
    return t->executed[CORE_LD] + t->executed[CORE_ST];
}

/* One core is done; its work joins that of all. */
static void join(struct rfh *rfh, struct tally *all, const struct tally *one) {
    rfh->longest = one->cycles > rfh->longest ? one->cycles : rfh->longest;
    rfh->accesses += accesses_of(one);
    for (unsigned k = 0; k < CORE_OPS; k++)
        all->executed[k] += one->executed[k];
    all->taken += one->taken;
}

/* All are done: how long it took; counts what is counted. */
static uint64_t settle(struct core_dp *m, const struct rfh *rfhs, uint32_t count,
                       const struct tally *all) {
    uint64_t cycles = 0, stalls = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t port = rfhs[i].accesses * m->keys->port_cycles, core = rfhs[i].longest;
        uint64_t both = port > core ? port : core;
        stalls += both - core;
        cycles = both > cycles ? both : cycles;
    }
    pthread_mutex_lock(&m->state.lock);
    m->counters[PORT_STALLS] += stalls;
    m->counters[TAKEN_BRANCHES] += all->taken;
    pthread_mutex_unlock(&m->state.lock);
    return sat_mul(cycles, m->state.setup.target->datapath_ps);
}

/* Adds what was executed, and its energy, to sums (NULL: nobody asks); all of the energy. */
static uint64_t charge(const struct core_dp *m, const struct tally *all, uint64_t *uops,
                       uint64_t *energy_fj) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < CORE_OPS; k++) {
        uint64_t fj = sat_mul(all->executed[k], m->kinds[k].energy_fj);
        if (uops)
            uops[k] += all->executed[k];
        if (energy_fj)
            energy_fj[m->kinds[k].part] = sat_add(energy_fj[m->kinds[k].part], fj);
        sum = sat_add(sum, fj);
    }
    return sum;
}

/* ---- a run on a batch ---- */

static void all_lanes(struct core_dp *m, const uint32_t *words, uint32_t v, struct dp_event *event,
                      struct tally *one) {
    struct state_vrf *x = state_vrf(&m->state, v, m->lanes[v]);
    struct state_view view = {.memory = &m->memory, .direct = true};
    struct core c = {.m = m, .words = words, .vrf = x, .view = &view, .tally = one, .event = event};
    uint32_t fault = NO_FAULT;
    for (; x && c.lane < m->lanes[v] && fault == NO_FAULT; c.lane++)
        fault = interpret(&c, m->keys->watchdog);
    if (fault == NO_FAULT)
        return;
    pthread_mutex_lock(&m->state.lock); /* the program ends with this */
    m->state.base.failure = "a routine does not come to its end (core.watchdog)";
    pthread_mutex_unlock(&m->state.lock);
}

/* Instruction i of the run on all cores of the set; `rfhs` are zero at first. */
static uint64_t one_insn(struct core_dp *m, const struct core_run *r, uint32_t i,
                         struct vrf_set set, uint64_t begin_ps, struct rfh *rfhs,
                         struct tally *all) {
    uint32_t count = m->state.setup.target->rfh_per_mpu;
    uint32_t per_mpu = target_vrfs_per_mpu(m->state.setup.target);
    for (size_t n = 0; n < set.count; n++)
        for (uint32_t k = 0; k < set.ranges[n].count; k++) {
            uint32_t v = set.ranges[n].first + k;
            struct dp_event e = {.vrf_first = v, .vrf_count = 1, .insn = i, .start_ps = begin_ps};
            struct tally one = {.cycles = 0};
            all_lanes(m, r->words + core_begin(r, i), v, m->observer ? &e : NULL, &one);
            m->cycles[v] += one.cycles;
            join(&rfhs[v % per_mpu % count], all, &one);
        }
    return settle(m, rfhs, count, all);
}

/* What an instruction took: its part of what the run took. */
static void tell_outcome(const struct core_dp *m, struct dp_outcome *out, uint32_t i, uint64_t ps,
                         const struct tally *all) {
    for (unsigned k = 0; k < CORE_OPS; k++)
        out->insn_micro_ops[i] += all->executed[k];
    out->insn_energy_fj[i] = charge(m, all, out->uops, out->energy_fj);
    out->insn_done_ps[i] = out->latency_ps = ps;
}

static void core_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                         struct dp_moment begin, struct dp_outcome *out) {
    struct core_dp *m = core_of(dp);
    uint64_t ps = 0;
    for (uint32_t i = 0; i < code->run.count; i++) {
        struct rfh *rfhs = xcalloc(m->state.setup.target->rfh_per_mpu, sizeof *rfhs);
        struct tally all = {.cycles = 0};
        ps = sat_add(ps, one_insn(m, &code->run, i, set, sat_add(begin.ps, ps), rfhs, &all));
        if (out)
            tell_outcome(m, out, i, ps, &all);
        free(rfhs);
    }
}

static void core_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost) {
    struct core_dp *m = core_of(dp);
    state_copy(&m->state, x);
    dtc_charge(&m->dtc, m->state.setup.target, x, cost);
}

/* ---- memory, and kernels that work on it ---- */

static bool mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *d) {
    return state_memory_alloc(&core_of(dp)->memory, bytes, address, d);
}

static bool mem_alloc_slices(struct datapath *dp, uint64_t bytes, uint32_t units, uint64_t *address,
                             uint64_t *stride, struct diag *d) {
    return state_memory_alloc_slices(&core_of(dp)->memory, bytes, units, address, stride, d);
}

static bool mem_free(struct datapath *dp, uint64_t address, struct diag *d) {
    return state_memory_free(&core_of(dp)->memory, address, d);
}

static bool mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                    struct diag *d) {
    return state_memory_put(&core_of(dp)->memory, address, bytes, size, d);
}

static bool mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                    struct diag *d) {
    return state_memory_get(&core_of(dp)->memory, address, bytes, size, d);
}

/* Registers, and behind them what buffers hold. */
static bool snapshot(struct datapath *dp, bool restore, struct str *state) {
    struct state_memory *memory = &core_of(dp)->memory;
    const char *block = restore ? state_memory_take(memory, state) : NULL;
    if ((restore && !block) || !state_snapshot(dp, restore, state))
        return false;
    if (restore)
        state_memory_restore(memory, block);
    else
        state_memory_save(memory, state);
    return true;
}

/* From register r on: a number or an address in one, a structure in as many as its bytes take; the
 * register behind. */
static size_t take_argument(const struct dp_launch *x, size_t i, uint32_t v, size_t r,
                            uint64_t registers[16]) {
    const struct dp_argument *a = &x->arguments[i];
    if (a->bytes <= 8)
        registers[r++] = datapath_argument(x, i) + v * a->stride;
    for (uint32_t k = 0; a->bytes > 8 && k < a->bytes; k += 8, r++)
        memcpy(&registers[r], x->parameters + a->offset + k, a->bytes - k < 8 ? a->bytes - k : 8);
    return r;
}

/* What a core did, of its workers in their order. */
struct core_work {
    struct tally tally;
    uint32_t stopped; /* where one of them did, or NO_FAULT */
    struct str why;
};
struct core_launch {
    struct core_dp *m;
    const struct dp_launch *x;
    struct core_work *work; /* by slot */
    struct rfh *rfhs;
    struct tally *all;
    struct visits *places; /* [words]: of all */
    uint64_t *cycles;      /* of each core */
    uint32_t words;
    uint32_t workers, turns; /* of all; every how many are one core's */
    uint64_t begin_ps, longest;
    struct diag *d;
};

/* Worker n finds n in x15, their number in x14 and the arguments in x1, x2 .., of a buffer in
 * slices its core's own. */
static void worker(struct core_launch *l, uint32_t v, uint32_t n, struct state_view *view,
                   struct core_work *work) {
    const struct dp_launch *x = l->x;
    struct dp_event e = {.vrf_first = v, .vrf_count = 1, .start_ps = l->begin_ps};
    struct core c = {.m = l->m, .words = x->kernel, .view = view, .tally = &work->tally};
    c.event = l->m->observer ? &e : NULL;
    for (size_t i = 0, r = 1; i < x->argument_count; i++)
        r = take_argument(x, i, v, r, c.x);
    if (x->shared)
        c.x[13] = x->shared;
    c.x[14] = l->workers;
    c.x[15] = n;
    work->stopped = interpret(&c, l->m->keys->watchdog);
    if (work->stopped == NO_FAULT)
        return;
    str_printf(&work->why, "worker %u ", n);
    if (c.lost && CORE_MEMORY(CORE_IMM(c.words[work->stopped])))
        str_printf(&work->why, "finds no 8 bytes at 0x%" PRIx64,
                   c.x[CORE_B(c.words[work->stopped])]);
    else
        str_append(&work->why, c.lost ? "has no lane" : "comes to no end (core.watchdog)");
}

/* Cores among which workers go round: of the launch, or of all rounds. */
static uint32_t cores_of(const struct core_dp *m, const struct dp_launch *x) {
    return x->all_units ? x->all_units : x->units ? x->units : m->state.vrfs;
}

/* Blocks of the grid times workers of a block; a worker a core where nothing is said. */
static uint32_t workers_of(const struct dp_launch *x, uint32_t cores) {
    uint64_t workers = 1;
    for (unsigned i = 0; i < LAUNCH_DIMS; i++)
        workers *= (uint64_t)(x->grid[i] ? x->grid[i] : 1) * (x->block[i] ? x->block[i] : 1);
    return !x->grid[0] && !x->block[0] ? cores
           : workers > UINT32_MAX      ? UINT32_MAX
                                       : (uint32_t)workers;
}

static bool goes_on(const struct core_launch *l) {
    return !l->x->go_on || l->x->go_on(l->x->context, l->longest);
}

/* The workers of a core, one after another. */
static bool core_work(void *context, uint32_t slot, uint32_t unit, struct state_view *view) {
    struct core_launch *l = context;
    struct core_work *work = &l->work[slot];
    struct visits *places = work->tally.places;
    str_free(&work->why);
    *work = (struct core_work){.stopped = NO_FAULT, .tally.places = places};
    memset(places, 0, l->words * sizeof *places);
    for (uint64_t n = (uint64_t)l->x->units_before + unit; n < l->workers; n += l->turns) {
        worker(l, l->x->first_unit + unit, (uint32_t)n, view, work);
        if (work->stopped != NO_FAULT || (view->direct && !goes_on(l)))
            return false;
    }
    return true;
}

/* Its work joins that of all, unless it was the first to stop. */
static bool core_done(void *context, uint32_t slot, uint32_t unit, bool fine, uint64_t *host_ps) {
    struct core_launch *l = context;
    struct core_work *work = &l->work[slot];
    uint64_t period = l->m->state.setup.target->datapath_ps;
    uint32_t v = l->x->first_unit + unit, count = l->m->state.setup.target->rfh_per_mpu;
    uint32_t per_mpu = target_vrfs_per_mpu(l->m->state.setup.target);
    if (work->stopped != NO_FAULT)
        diag_error(l->d, NO_SPAN, "%s", str_text(&work->why));
    if (l->x->stopped)
        *l->x->stopped = work->stopped;
    if (!fine)
        return false;
    join(&l->rfhs[v / per_mpu * count + v % per_mpu % count], l->all, &work->tally);
    for (uint32_t i = 0; i < l->words; i++) {
        l->places[i].executed += work->tally.places[i].executed;
        l->places[i].taken += work->tally.places[i].taken;
    }
    l->cycles[unit] = work->tally.cycles;
    if (l->x->bar && work->tally.cycles)
        l->x->bar(l->x->context,
                  &(struct dp_bar){.unit = v, .ps = sat_mul(work->tally.cycles, period)});
    l->longest = work->tally.cycles > l->longest ? work->tally.cycles : l->longest;
    *host_ps += 5000 * work->tally.cycles;
    return goes_on(l);
}

/* All workers, as if core by core.  False after reporting the first that stops. */
static bool all_workers(struct core_launch *l) {
    const struct dp_launch *x = l->x;
    uint32_t slots = state_units_slots(x->pool);
    l->turns = cores_of(l->m, x);
    l->workers = workers_of(x, l->turns);
    l->work = xcalloc(slots, sizeof *l->work);
    for (uint32_t i = 0; i < slots; i++)
        l->work[i].tally.places = xcalloc(l->words, sizeof *l->places);
    bool fine =
        state_units_run(&(struct state_units){.memory = &l->m->memory,
                                              .pool = x->pool,
                                              .part_ps = x->part_ps,
                                              .count = x->units ? x->units : l->m->state.vrfs,
                                              .context = l,
                                              .work = core_work,
                                              .done = core_done});
    for (uint32_t i = 0; i < slots; i++) {
        str_free(&l->work[i].why);
        free(l->work[i].tally.places);
    }
    free(l->work);
    return fine;
}

static uint64_t registers_of(const struct dp_launch *x) {
    uint64_t n = 0;
    for (size_t i = 0; i < x->argument_count; i++)
        n += (x->arguments[i].bytes + 7) / 8;
    return n;
}

/* What each word took, of all cores. */
static void charge_places(const struct core_launch *l, struct dp_cost *cost) {
    const uint32_t *words = l->x->kernel;
    for (uint32_t i = 0; i < l->words && i < cost->place_count; i++) {
        enum core_op op = CORE_OP(words[i]);
        const struct visits *p = &l->places[i];
        uint64_t cycles = p->taken * cycles_of(l->m->keys, op, true) +
                          (p->executed - p->taken) * cycles_of(l->m->keys, op, false);
        cost->places[i].executed += p->executed;
        cost->places[i].micro_ops += p->executed;
        cost->places[i].energy_fj += sat_mul(p->executed, l->m->kinds[op].energy_fj);
        cost->places[i].unit_ps += sat_mul(cycles, l->m->state.setup.target->datapath_ps);
    }
}

static bool core_launch(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                        struct diag *d) {
    struct core_dp *m = core_of(dp);
    uint32_t count = m->state.setup.target->rfh_per_mpu * m->state.setup.mpus;
    struct rfh *rfhs = xcalloc((size_t)count + 1, sizeof *rfhs);
    struct tally all = {.cycles = 0};
    struct core_launch l = {.m = m, .x = x, .rfhs = rfhs, .all = &all, .d = d};
    bool fine = x->size % 4 == 0 && registers_of(x) < 14 && core_words_fine(x->kernel, x->size / 4);
    if (!fine)
        diag_error(d, NO_SPAN, "this is no kernel");
    l.begin_ps = cost->begin_ps;
    l.words = (uint32_t)(x->size / 4);
    l.places = xcalloc((size_t)l.words + 1, sizeof *l.places);
    l.cycles = xcalloc((size_t)m->state.vrfs + 1, sizeof *l.cycles);
    fine = fine && all_workers(&l);
    cost->known = fine;
    if (fine) {
        cost->ps = settle(m, rfhs, count, &all);
        charge(m, &all, cost->uops, cost->energy_fj);
        for (unsigned k = 0; cost->kind_fj && k < CORE_OPS; k++)
            cost->kind_fj[k] += sat_mul(all.executed[k], m->kinds[k].energy_fj);
        charge_places(&l, cost);
        for (uint32_t v = x->first_unit; v < m->state.vrfs; v++)
            m->cycles[v] += l.cycles[v - x->first_unit];
    }
    free(l.cycles);
    free(l.places);
    free(rfhs);
    return fine;
}

/* ---- for those who watch ---- */

static void core_counters(const struct datapath *dp, uint64_t *values) {
    const struct core_dp *m = (const struct core_dp *)(const void *)dp;
    memcpy(values, m->counters, sizeof m->counters);
}

static void core_unit_counters(const struct datapath *dp, uint64_t *values) {
    const struct core_dp *m = (const struct core_dp *)(const void *)dp;
    memcpy(values, m->cycles, m->state.vrfs * sizeof *values);
}

static void core_observe(struct datapath *dp, dp_observer *observer, void *context) {
    core_of(dp)->observer = observer;
    core_of(dp)->context = context;
    dp->observed = observer != NULL;
}

static void core_format(const struct datapath *dp, const struct dp_event *e, unsigned format,
                        struct str *out) {
    const struct executed *x = e->record;
    (void)dp;
    if (format == CORE_FORMAT_CSV)
        str_printf(out, "%u,%u,", x->lane, x->at);
    else
        str_printf(out, "%3u  ", x->at);
    core_print(x->word, out);
}

const struct datapath_ops core_engine = {
    .name = "strict",
    .open = core_open,
    .close = core_close,
    .prepare = core_prepare,
    .describe = core_describe,
    .bind = core_bind,
    .execute = core_execute,
    .follow = core_follow,
    .pass = core_pass,
    .any = state_any,
    .copy = core_copy,
    .get = state_get,
    .put = state_put,
    .mem_alloc = mem_alloc,
    .mem_alloc_slices = mem_alloc_slices,
    .mem_free = mem_free,
    .mem_put = mem_put,
    .mem_get = mem_get,
    .launch = core_launch,
    .counters = core_counters,
    .unit_counters = core_unit_counters,
    .observe = core_observe,
    .format = core_format,
    .snapshot = snapshot,
};
