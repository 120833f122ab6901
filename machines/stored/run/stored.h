/* SPDX-License-Identifier: MIT
 * The run half of machines/stored: what a kind says of its units at work, and functions for its
 * table.  A unit (a VRF) carries an MPU instruction out for one lane after another, by a routine;
 * in a kernel it has workers, one after another.  The base has the machine around that: registers
 * of lanes, memory for buffers, code of runs, launches on several threads, faults, figures by kind
 * of instruction and by word of a kernel, events, snapshots.
 *
 *     static bool step(struct stored_core *c, uint64_t word);      what one instruction does
 *     static void begin(struct stored_core *c, const struct stored_worker *w);
 *     static void price(const struct target *t, uint32_t op, struct dp_kind *out);
 *     static const struct stored_engine engine = {.kind = &own, .ops = &mine_engine, .step = step,
 *         .begin = begin, .price = price, .parts = .., .counters = .., .unit_counter = "cycles",
 *         .track = "unit"};
 *     static struct datapath *open(const struct dp_setup *setup, struct diag *d) {
 *         return stored_machine_open(&engine, setup, d);
 *     }
 *     const struct datapath_ops mine_engine = {STORED_DATAPATH, .name = "strict", .open = open};
 *
 * Time: units of an RFH begin a thing together; it is over when the last of them is done, and what
 * they share (a port to their memories) has served them all.  A batch takes as long as its slowest
 * RFH. */
#ifndef MACHINES_STORED_RUN_STORED_H
#define MACHINES_STORED_RUN_STORED_H

#include "machines/datapath.h"
#include "machines/state/array_memory.h"
#include "machines/state/state.h"
#include "machines/state/units.h"
#include "machines/stored/link/stored.h"

/* What the base gives the table of an engine. */
#define STORED_DATAPATH                                                                            \
    .close = stored_machine_close, .prepare = stored_prepare, .describe = stored_describe,         \
    .bind = stored_bind, .execute = stored_execute, .follow = stored_follow, .pass = stored_pass,  \
    .any = state_any, .copy = stored_copy, .get = state_get, .put = state_put,                     \
    .mem_alloc = stored_mem_alloc, .mem_alloc_slices = stored_mem_alloc_slices,                    \
    .mem_free = stored_mem_free, .mem_put = stored_mem_put, .mem_get = stored_mem_get,             \
    .launch = stored_launch, .counters = stored_counters, .unit_counters = stored_unit_counters,   \
    .observe = stored_observe, .format = stored_format, .snapshot = stored_snapshot

struct stored_core;
struct stored_dp;
struct stored_unit;

/* What a worker of a kernel finds. */
struct stored_worker {
    /* [count], 8 bytes each: numbers with their signs, addresses (of a buffer in slices, of its
     * unit's own), structures in as many as their bytes take. */
    const uint64_t *arguments;
    uint32_t count;
    uint64_t shared;          /* address of what entries of a module share; 0: nothing */
    uint32_t number, workers; /* which one it is, of how many */
};

/* What a kind says of its units. */
struct stored_engine {
    const struct stored_kind *kind;
    const struct datapath_ops *ops;
    /* Carries one instruction out; the base has set c->at to the next word, c->op to the number of
     * this one's op and c->cycles to 1.  False: it cannot be, as stored_place_get and the others
     * have said. */
    bool (*step)(struct stored_core *c, uint64_t word);
    /* STORED_INTERPRETER(interpret, step) makes the base's loop with that step inside, which is
     * faster; NULL: the loop calls it. */
    uint32_t (*interpret)(struct stored_core *c);
    /* A worker of a kernel begins: registers are 0. */
    void (*begin)(struct stored_core *c, const struct stored_worker *worker);
    /* Carries out all workers that a unit has in a launch, as threads that take turns in a time of
     * the kind's own (tasklets, warps): see struct stored_unit.  NULL: one after another. */
    bool (*work)(struct stored_unit *unit);
    /* Name, part and energy of instructions of that op. */
    void (*price)(const struct target *t, uint32_t op, struct dp_kind *out);
    const char *const *parts; /* [part_count]: of the energy */
    uint32_t part_count;
    /* [counter_count], at most STORED_COUNTERS: of the machine.  The first is how many cycles RFHs
     * have waited for what their units share; the others are the kind's, c->counts. */
    const char *const *counters;
    uint32_t counter_count;
    const char *unit_counter; /* the cycles that a unit was busy */
    /* [unit_counts_count], less than STORED_COUNTERS: what the kind counts of each unit beside. */
    const char *const *unit_counts;
    uint32_t unit_counts_count;
    const char *track;  /* a unit's line in traces */
    const char *worker; /* what messages call one; NULL: "worker" */
    /* Units have memories of their own, and none sees what another does: a launch that stops in one
     * is carried out by all of them, so that nothing depends on which went first. */
    bool apart;
    /* The places of a kernel whose code is not words of `isa` alone, for the caller to free; NULL:
     * it is no kernel. */
    struct stored_place *(*places)(const void *code, size_t size, uint32_t *count);
};
#define STORED_COUNTERS 32u

/* ---- a unit at work ---- */

/* A word of a routine or kernel, and what a unit has executed of it. */
struct stored_place {
    uint64_t word, executed, cycles;
    uint32_t op;
};
struct stored_work {
    struct stored_place *places; /* [words of the routine or kernel] */
    uint64_t counts[STORED_COUNTERS], unit_counts[STORED_COUNTERS];
    uint64_t cycles, shared; /* that it was busy; of these, how many what units share was */
};

/* A routine in one lane, or a worker of a kernel. */
struct stored_core {
    struct stored_dp *machine;
    const void *keys; /* target.own */
    uint64_t *x;      /* registers; x0 is one as the others, and a kind may keep it 0 */
    uint64_t cycles;  /* what this instruction takes */
    uint64_t *shared; /* of what units share: added to */
    uint64_t *counts, *unit_counts; /* what the kind counts (those of `counters` by its number
                                       there; of `unit_counts`): added to */
    uint32_t op, lane;              /* of the word at hand; of vrf */
    uint32_t at, number;            /* the word that comes next; of a worker */
    void *own;                      /* the kind's, of a thread of stored_engine.work; else NULL */
    struct state_vrf *vrf;          /* NULL: a worker of a kernel */
    struct state_view *view;        /* memory */
    struct stored_work *work;
    struct dp_event *event; /* of the observer, at what time; NULL: nobody watches */
    uint64_t left;          /* instructions until the watchdog stops it */
    enum stored_fault { STORED_FINE, STORED_STUCK, STORED_LANE, STORED_ADDRESS, STORED_SAID } fault;
    uint64_t address; /* of STORED_ADDRESS: where it found nothing, so many bytes */
    uint32_t bytes;
    char said[96]; /* of STORED_SAID */
};
/* What lies at the place, with its sign if it has one; `address`, of a place in memory: where.
 * False: nothing does. */
static inline bool stored_place_get(struct stored_core *c, uint64_t place, uint64_t address,
                                    uint64_t *value);
static inline bool stored_place_put(struct stored_core *c, uint64_t place, uint64_t address,
                                    uint64_t value);
/* So many bytes of memory, at most 8, at a multiple of as many. */
bool stored_memory_get(struct stored_core *c, uint64_t address, uint32_t bytes, uint64_t *value);
bool stored_memory_put(struct stored_core *c, uint64_t address, uint32_t bytes, uint64_t value);
/* False, for a reason of the kind's own: "divides by 0", behind the name of the worker. */
bool stored_fails(struct stored_core *c, const char *why);

/* ---- the loop of a routine or worker ---- */

/* Carries words out from the first to an end, as many as the watchdog lets; the place where it must
 * stop, or STORED_NO_STOP. */
#define STORED_NO_STOP UINT32_MAX
void stored_tell(struct stored_core *c);
bool stored_stuck(struct stored_core *c);

/* Inlined where the step is known; one for each of the two. */
static inline __attribute__((always_inline)) uint32_t
stored_loop(struct stored_core *c, bool (*step)(struct stored_core *, uint64_t), bool watched) {
    struct stored_place *places = c->work->places;
    uint64_t left = c->left;
    for (c->at = 0;;) {
        const uint32_t at = c->at;
        struct stored_place *p = &places[at];
        const uint32_t op = p->op;
        c->op = op;
        c->cycles = 1;
        if (watched)
            stored_tell(c);
        c->at = at + 1;
        if (!(left-- ? step(c, p->word) : stored_stuck(c)))
            return at;
        p->executed++;
        p->cycles += c->cycles;
        if (watched)
            c->work->cycles += c->cycles;
        if (!op)
            return STORED_NO_STOP;
    }
}
#define STORED_INTERPRETER(name, step)                                                             \
    static __attribute__((flatten)) uint32_t name(struct stored_core *c) {                         \
        return c->event ? stored_loop(c, step, true) : stored_loop(c, step, false);                \
    }

/* ---- a unit whose workers are threads ---- */

/* For stored_engine.work: a unit in a launch, on any thread of the host.  Its workers have the
 * numbers first, first + every, .. below workers; there may be none.  The kind carries them out in
 * an order of its own, which depends on nothing but what they do, and says in work->cycles what the
 * clock of the unit is: 0 at first, in the end how long it was busy. */
struct stored_unit {
    struct stored_dp *machine;
    const struct dp_launch *launch;
    uint32_t unit; /* number of its VRF */
    uint32_t workers, first, every;
    struct stored_work *work;
    /* The base's. */
    const uint64_t *arguments; /* [argument_count] */
    uint32_t argument_count;
    struct state_view *view;
    struct dp_event event;
    void *context;
    uint32_t stopped;
    struct str why;
};
/* A thread begins as worker `number`; x: [registers of the kind], the caller's. */
void stored_thread_begin(struct stored_unit *unit, struct stored_core *c, uint32_t number,
                         uint64_t *x);
/* Carries out the next word of a thread.  c->cycles is what it takes of the time of that word; the
 * clock is the kind's. */
enum stored_issue { STORED_GOES_ON, STORED_ENDED, STORED_STOPPED };
enum stored_issue stored_issue(struct stored_unit *unit, struct stored_core *c);
/* The thread stops, at the word that comes next: "waits for a lock, as all others do".  False, for
 * `work` to return. */
bool stored_stop(struct stored_unit *unit, struct stored_core *c, const char *why);
/* The unit stops at that place: "DPU 3, ..", all of the message.  False, likewise. */
bool stored_unit_stops(struct stored_unit *unit, uint32_t at, const char *why);
/* Asked now and then; false: limits of the run are reached, and work is to return false. */
bool stored_unit_goes_on(struct stored_unit *unit);

/* ---- the machine ---- */

struct stored_dp {
    struct lane_state state; /* its lock guards what may change while several threads execute */
    const struct stored_engine *engine;
    struct dp_kind *kinds; /* [op_count] */
    uint32_t *lanes;       /* [VRFs]: valid ones */
    uint64_t counters[STORED_COUNTERS];
    uint64_t *of_units; /* [VRFs][1 + unit_counts_count]: cycles of each unit, and what it counts */
    const char *unit_counters[STORED_COUNTERS];
    struct dp_code *codes;
    struct stored_kernel *kernels; /* the ones launched last, in front the last */
    struct dtc *dtc;
    struct state_memory memory;
    dp_observer *observer;
    void *context;
    void *own; /* the kind's, that it opens and closes */
};
static inline struct stored_dp *stored_of(struct datapath *dp) {
    return (struct stored_dp *)(void *)dp;
}
static inline const struct stored_dp *stored_const(const struct datapath *dp) {
    return (const struct stored_dp *)(const void *)dp;
}
static inline const struct target *stored_target(const struct stored_dp *m) {
    return m->state.setup.target;
}

/* ---- places ---- */

bool stored_place_fails(struct stored_core *c); /* a worker of a kernel has no lane */

static inline uint64_t stored_lane_get(const struct stored_core *c, uint32_t reg) {
    const struct state_bits *b = &c->vrf->bits[c->lane];
    return reg < STORED_C        ? state_read(&c->machine->state, c->vrf, c->lane, reg)
           : reg == STORED_C     ? b->c
           : reg == STORED_M     ? b->m
           : reg == STORED_VALID ? b->valid
                                 : 0;
}
static inline void stored_lane_put(const struct stored_core *c, uint32_t reg, unsigned width,
                                   uint64_t value) {
    struct state_bits *b = &c->vrf->bits[c->lane];
    if (reg < STORED_C)
        state_write(&c->machine->state, c->vrf, c->lane, reg, width, value);
    else if (reg == STORED_C)
        b->c = value & 1;
    else if (reg == STORED_M)
        b->m = value & 1;
}

static inline bool stored_place_get(struct stored_core *c, uint64_t place, uint64_t address,
                                    uint64_t *value) {
    const unsigned above = 63 - (unsigned)(place >> 7 & 63); /* bits that it does not have */
    uint64_t v;
    if (STORED_PLACE_MEMORY(place)) {
        if (!stored_memory_get(c, address, (64 - above) / 8, &v))
            return false;
    } else if (!c->vrf) {
        return stored_place_fails(c);
    } else {
        v = stored_lane_get(c, STORED_PLACE_REG((uint32_t)place));
    }
    v <<= above;
    *value = STORED_PLACE_SIGNED(place) ? (uint64_t)((int64_t)v >> above) : v >> above;
    return true;
}

static inline bool stored_place_put(struct stored_core *c, uint64_t place, uint64_t address,
                                    uint64_t value) {
    const unsigned width = (unsigned)STORED_PLACE_WIDTH(place);
    if (STORED_PLACE_MEMORY(place))
        return stored_memory_put(c, address, width / 8, value);
    if (!c->vrf)
        return stored_place_fails(c);
    stored_lane_put(c, STORED_PLACE_REG((uint32_t)place), width, value);
    return true;
}

/* ---- as in datapath_ops ---- */

struct datapath *stored_machine_open(const struct stored_engine *engine,
                                     const struct dp_setup *setup, struct diag *d);
void stored_machine_close(struct datapath *dp);
struct dp_code *stored_prepare(struct datapath *dp, const struct dp_run *run, struct diag *d);
void stored_describe(const struct datapath *dp, const struct dp_code *code,
                     struct dp_description *out);
void stored_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count);
void stored_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                    struct dp_moment begin, struct dp_outcome *out);
void stored_follow(struct datapath *dp, const struct dp_code *code,
                   const struct dp_description *about, const struct dp_issue *issue,
                   struct dp_times *out);
uint64_t stored_pass(struct datapath *dp, uint64_t clock, uint64_t ps);
void stored_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost);
bool stored_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *d);
bool stored_mem_alloc_slices(struct datapath *dp, uint64_t bytes, uint32_t units, uint64_t *address,
                             uint64_t *stride, struct diag *d);
bool stored_mem_free(struct datapath *dp, uint64_t address, struct diag *d);
bool stored_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                    struct diag *d);
bool stored_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                    struct diag *d);
bool stored_launch(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                   struct diag *d);
void stored_counters(const struct datapath *dp, uint64_t *values);
void stored_unit_counters(const struct datapath *dp, uint64_t *values);
void stored_observe(struct datapath *dp, dp_observer *observer, void *context);
void stored_format(const struct datapath *dp, const struct dp_event *e, unsigned format,
                   struct str *out);
bool stored_snapshot(struct datapath *dp, bool restore, struct str *state);

#endif
