/* SPDX-License-Identifier: MIT
 * The run half of machines/stored: what a kind says of its units at work, and functions for its
 * table.  A unit (a VRF) carries an MPU instruction out for one lane after another, by a routine;
 * in a kernel it has workers, one after another.  The base has the machine around that: registers
 * of lanes, memory for buffers, code of runs, launches on several threads, faults, figures by kind
 * of instruction and by word of a kernel, events, snapshots.
 *
 *     static bool step(struct stored_core *c, uint32_t word);      what one instruction does
 *     static void begin(struct stored_core *c, const struct stored_worker *w);
 *     static void price(const struct target *t, uint32_t op, struct dp_kind *out);
 *     static const struct stored_engine engine = {.kind = &own, .ops = &mine_engine, .step = step,
 *         .begin = begin, .price = price, .parts = .., .counters = .., .unit_counter = "cycles",
 *         .track = "unit"};
 *     static struct datapath *open(const struct dp_setup *setup, struct diag *d) {
 *         return stored_machine_open(&engine, setup, d);
 *     }
 *     const struct datapath_ops mine_engine = {.name = "strict", .open = open,
 *         .close = stored_machine_close, .prepare = stored_prepare, .describe = stored_describe,
 *         .bind = stored_bind, .execute = stored_execute, .follow = stored_follow,
 *         .pass = stored_pass, .any = state_any, .copy = stored_copy, .get = state_get,
 *         .put = state_put, .mem_alloc = stored_mem_alloc,
 *         .mem_alloc_slices = stored_mem_alloc_slices, .mem_free = stored_mem_free,
 *         .mem_put = stored_mem_put, .mem_get = stored_mem_get, .launch = stored_launch,
 *         .counters = stored_counters, .unit_counters = stored_unit_counters,
 *         .observe = stored_observe, .format = stored_format, .snapshot = stored_snapshot};
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

struct stored_core;
struct stored_dp;

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
    /* Carries one instruction out; the base has set c->at to the next word, c->cycles to 1 and
     * c->shared to 0.  False: it cannot be, as stored_place_get and the others have said. */
    bool (*step)(struct stored_core *c, uint32_t word);
    /* A worker of a kernel begins: registers are 0. */
    void (*begin)(struct stored_core *c, const struct stored_worker *worker);
    /* Name, part and energy of instructions of that op. */
    void (*price)(const struct target *t, uint32_t op, struct dp_kind *out);
    const char *const *parts; /* [part_count]: of the energy */
    uint32_t part_count;
    /* [counter_count], at most STORED_COUNTERS: of the machine.  The first is how many cycles RFHs
     * have waited for what their units share; the others are the kind's, c->counts. */
    const char *const *counters;
    uint32_t counter_count;
    const char *unit_counter; /* the cycles that a unit was busy */
    const char *track;        /* a unit's line in traces */
};
#define STORED_COUNTERS 8u

/* ---- a unit at work ---- */

/* What was executed: of one unit, or of all. */
struct stored_place {
    uint64_t executed, cycles;
};
struct stored_work {
    uint64_t executed[STORED_OPS];
    uint64_t counts[STORED_COUNTERS];
    uint64_t cycles, shared;     /* that it was busy; of these, how many what units share was */
    struct stored_place *places; /* [words of the kernel]; NULL: of a run */
};

/* A routine in one lane, or a worker of a kernel. */
struct stored_core {
    struct stored_dp *machine;
    const uint32_t *words;
    uint32_t at;                  /* the word that comes next */
    uint64_t x[STORED_REGISTERS]; /* x0 is a register as the others; a kind may keep it 0 */
    uint64_t cycles, shared;      /* what this instruction takes; of what units share */
    uint64_t *counts;             /* [counter_count]: what the kind counts, added to */
    struct state_vrf *vrf;        /* and its lane; NULL: a worker of a kernel */
    uint32_t lane;
    struct state_view *view; /* memory */
    struct stored_work *work;
    struct dp_event *event; /* of the observer; NULL: nobody watches */
    enum stored_fault { STORED_FINE, STORED_STUCK, STORED_LANE, STORED_ADDRESS } fault;
    uint64_t address; /* of STORED_ADDRESS: where it found nothing, so many bytes */
    uint32_t bytes;
};
/* What lies at the place, with its sign if it has one; `address`, of a place in memory: where.
 * False: nothing does. */
bool stored_place_get(struct stored_core *c, uint32_t place, uint64_t address, uint64_t *value);
bool stored_place_put(struct stored_core *c, uint32_t place, uint64_t address, uint64_t value);

/* ---- the machine ---- */

struct stored_dp {
    struct lane_state state; /* its lock guards what may change while several threads execute */
    const struct stored_engine *engine;
    struct dp_kind kinds[STORED_OPS];
    uint32_t *lanes; /* [VRFs]: valid ones */
    uint64_t counters[STORED_COUNTERS];
    uint64_t *cycles; /* [VRFs]: of each unit */
    struct dp_code *codes;
    struct dtc *dtc;
    struct state_memory memory;
    dp_observer *observer;
    void *context;
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
