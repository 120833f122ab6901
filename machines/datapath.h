/* SPDX-License-Identifier: MIT
 * The one interface between the control path and a machine's datapath.
 *
 * A datapath is one whole machine and owns every bit of it: registers, C, M, valid, scratch,
 * latches.  It knows neither the pc nor ensembles.  The control path owns pc, stacks, batches,
 * activation and the front end's clock; it knows no planes and adds no datapath cost of its own.
 * Results and cost come from the micro-ops executed here and from nowhere else.
 * Calls on disjoint VRF sets may run concurrently and do not depend on their order.
 *
 * VRFs are numbered v = mpu * vrfs_per_mpu + vrf * rfh_per_mpu + rfh, so that the VRFs of one row
 * (one VRF in each RFH: a batch) are neighbours. */
#ifndef MACHINES_DATAPATH_H
#define MACHINES_DATAPATH_H

#include "isa-spec/isa.h"
#include "recipe/recipe.h"
#include "recipe/table/table.h"
#include "target/target.h"

struct datapath;
struct dp_code;

struct vrf_range {
    uint32_t first, count;
};
/* Ranges are in ascending order and do not touch each other. */
struct vrf_set {
    const struct vrf_range *ranges;
    size_t count;
};
static inline uint64_t vrf_set_size(struct vrf_set s) {
    uint64_t n = 0;
    for (size_t i = 0; i < s.count; i++)
        n += s.ranges[i].count;
    return n;
}

enum dp_init { DP_INIT_ZERO, DP_INIT_RANDOM };

struct dp_setup {
    const struct target *target;
    /* Recipes of a plane machine, kept by the caller as long as the machine; NULL: the built-in
     * ones of the target. */
    const struct recipe_set *recipes;
    /* What the program's user instructions do, kept likewise; for golden.  NULL: it has none. */
    const struct recipe_contracts *contracts;
    /* The program's recipe table, open for the target and kept by the caller as long as the
     * machine: instructions are expanded from it.  NULL: from the recipes. */
    const struct recipe_table *table;
    uint32_t mpus;           /* MPUs that the program uses */
    const uint8_t *reg_bits; /* [64] register map: planes of each register, 0 = not there */
    enum dp_init init;       /* registers and C at start; random: dp_init_value(seed, ...) */
    uint64_t seed;
    uint64_t memory_limit; /* bytes of state; 0 = none */
};
#define DP_INIT_C 64
/* What lane `lane` of register `reg` (DP_INIT_C: C, in bit 0) of VRF v holds at start under
 * DP_INIT_RANDOM: the same in every datapath. */
uint64_t dp_init_value(uint64_t seed, uint32_t v, unsigned reg, uint32_t lane);

/* Instructions without a jump among them. */
struct dp_run {
    const struct insn *insns;
    size_t count;
    bool masked; /* predication is on at entry */
};

/* A row of cells: a plane as recipe/uop.h names them, buffers without the number of the value that
 * passes through, and how many micro-ops of a run write it, in some lane or in all. */
struct dp_row_writes {
    uint32_t plane;
    uint64_t writes; /* per execution */
};

struct dp_description {
    bool fixed_cost;                /* the same cost at every execution */
    uint64_t micro_ops;             /* per VRF */
    const uint64_t *insn_micro_ops; /* [count of the run], per VRF */
    const uint64_t *insn_energy_fj; /* [count of the run], per VRF */
    /* From the start of the run until all bits of instructions 0 .. i are there; [count of the
     * run]; NULL where costs are unknown. */
    const uint64_t *insn_done_ps;
    uint64_t latency_ps; /* of the run: the last of these */
    /* Front-end cycles per batch: one for each instruction and each micro-op that is not forwarded
     * from another section.  0 where costs are unknown. */
    uint64_t issue_slots;
    const uint64_t *insn_issue_slots; /* [count of the run]: of each, they add up to these; NULL
                                         where costs are unknown */
    /* Rows of one VRF that the run writes, ascending; none where the machine has no rows. */
    const struct dp_row_writes *writes;
    size_t write_count;
    /* About what execute costs the host per VRF, in ps of one core: whether threads pay is decided
     * by it, and nothing else. */
    uint64_t host_ps;
};

struct dp_binding {
    uint32_t vrf;
    uint32_t valid_lanes; /* lanes 0 .. valid_lanes - 1 are valid; M := valid */
    uint64_t first_element;
};

/* Occupation of the machine by one stream of runs (one batch): when each of its parts is free.  The
 * control path keeps it and zeroes it when a batch starts on an idle machine.  It does not know the
 * parts; that these are absolute times, and that those in the past are all alike, is all it uses.
 */
#define DP_CLOCK_PARTS 200
struct dp_clock {
    uint64_t release_ps[DP_CLOCK_PARTS];
};

#define DP_MAX_KINDS PLANE_MAX_OPS
enum dp_energy_part {
    DP_ENERGY_LOGIC,
    DP_ENERGY_COPY,
    DP_ENERGY_CROSSING,
    DP_ENERGY_TRANSFER,
    DP_ENERGY_PARTS
};

/* Cost of one call; execute and copy add to uops and energy_fj, and set the times. */
struct dp_cost {
    bool known;                          /* false: golden, whose costs are null, not zero */
    uint64_t next_ps;                    /* absolute: when the front end may start the next run */
    uint64_t done_ps;                    /* absolute: when all bits are there */
    uint64_t uops[DP_MAX_KINDS];         /* by target.ops index, summed over VRFs */
    uint64_t energy_fj[DP_ENERGY_PARTS]; /* summed over VRFs */
};

enum dp_any { DP_ANY_M, DP_ANY_M_AND_NOT_C };
enum dp_what { DP_REGISTER, DP_C, DP_M, DP_VALID };

/* What the data-transfer controller writes. */
enum dp_source {
    DP_FROM_REGISTER,
    DP_FROM_CONSTANT, /* value */
    DP_FROM_COUNT,    /* value + i, where M is 1 */
};
/* Bits 0..width-1 of lane dst_first + i * dst_step come from lane src_first + i * src_step of the
 * source, for i < count; M is looked at by DP_FROM_COUNT alone.  count 0: every lane from the same
 * lane.  No lane is written twice. */
struct dp_copy {
    uint32_t src_vrf, dst_vrf;
    uint8_t src_reg, dst_reg, width;
    enum dp_source source;
    uint64_t value;
    uint32_t count;
    uint32_t src_first, dst_first;
    int32_t src_step, dst_step;
};

/* One executed micro-op, as observe reports it. */
struct dp_event {
    uint32_t vrf_first, vrf_count;
    uint32_t insn;     /* of the run, from 0 */
    uint64_t start_ps; /* as the times of execute */
    const struct uop *uop;
    const struct target_op *op;
};
typedef void dp_observer(void *context, const struct dp_event *e);

struct datapath_ops {
    const char *name; /* "strict", "golden", "check" */
    /* NULL after reporting. */
    struct datapath *(*open)(const struct dp_setup *setup, struct diag *d);
    void (*close)(struct datapath *dp);
    /* Executable code for a run; owned by the datapath.  NULL after reporting (no recipe). */
    struct dp_code *(*prepare)(struct datapath *dp, const struct dp_run *run, struct diag *d);
    void (*describe)(const struct datapath *dp, const struct dp_code *code,
                     struct dp_description *out);
    /* Ensemble header: valid lanes and M := valid for each VRF. */
    void (*bind)(struct datapath *dp, const struct dp_binding *bindings, size_t count);
    /* Runs code on all VRFs of set, which have been bound, not before start_ps.  The clock advances
     * as for one batch: the time does not depend on how many VRFs work in step.  clock NULL: no
     * times are asked for, here and in charge. */
    void (*execute)(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                    uint64_t start_ps, struct dp_clock *clock, struct dp_cost *cost);
    /* For code of fixed cost: what execute on so many VRFs adds to the cost and makes of the clock,
     * and nothing else, so that batches may be executed together and charged one by one. */
    void (*charge)(const struct datapath *dp, const struct dp_code *code, uint64_t vrfs,
                   uint64_t start_ps, struct dp_clock *clock, struct dp_cost *cost);
    /* bits[i]: 1 if some lane of the i-th VRF of the set (in order) has M, or M and not C. */
    void (*any)(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits);
    /* Copies of one width; all sources are read before anything is written.  `registers`: as how
     * many transfers of a register they count, which the energy is of.  Times are relative: next_ps
     * is that of one such transfer, done_ps the same (set-up, and how transfers follow one another,
     * are the control path's: machines/dtc/dtc.h). */
    void (*copy)(struct datapath *dp, const struct dp_copy *copies, size_t count,
                 uint64_t registers, struct dp_cost *cost);
    /* Elements of lanes first .. first + count - 1, as patterns of the register's bits. */
    void (*get)(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
                uint32_t count, uint64_t *values);
    /* Writes bits 0..width-1 of each; bits above are left. */
    void (*put)(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, unsigned width,
                uint32_t first, uint32_t count, const uint64_t *values);
    /* One call per executed micro-op and range; NULL ends it.  Never changes runs or cost. */
    void (*observe)(struct datapath *dp, dp_observer *observer, void *context);
    /* Appends the visible state (save) or takes it from there (restore); false if it does not
     * fit this machine. */
    bool (*snapshot)(struct datapath *dp, bool restore, struct str *state);
};

struct datapath {
    const struct datapath_ops *ops;
    /* NULL, or why state could not be had (the memory limit), once and for good: the VRFs without
     * state then read as 0 and keep nothing.  Ask after bind, put, and each ensemble. */
    const char *failure;
    /* Sets that are cut at multiples of so many VRFs have no cache line of the state in common; the
     * same throughout, at least 1. */
    uint32_t grain;
    bool observed; /* an observer is told of micro-ops: calls come one after another */
};

/* The engines of a kind of machine, NULL at the end; the first is the default. */
struct datapath_kind {
    const char *kind; /* target_kind.name */
    const struct datapath_ops *const *engines;
};
/* All of them, ended by a kind of NULL (datapaths.c). */
extern const struct datapath_kind datapath_kinds[];
/* NULL if there is none of that name; `engine` NULL: the default. */
const struct datapath_ops *datapath_find(const char *kind, const char *engine);

extern const struct datapath_ops plane_strict_ops; /* machines/plane/run */
extern const struct datapath_ops
    golden_ops; /* machines/golden/run: host arithmetic, one lane at a time */
extern const struct datapath_ops check_ops; /* machines/check: strict and golden side by side */
/* check_ops only: true, with a description appended, when the two differed; the control path asks
 * after each ensemble (compares every visible plane of the VRFs bound since the last call). */
bool check_differs(struct datapath *dp, struct str *what);

#endif
