/* SPDX-License-Identifier: MIT
 * The run half of UPMEM's machine: a DPU in each unit, programs that they have, memory by address.
 *
 * An address is that of a DPU's own, WRAM from 0 and MRAM from DPU_AT_MRAM, with the number of the
 * DPU above it from bit 32 on, and above that, from bit 48 on, the number of a program, whose WRAM
 * it is; 0: none's.  WRAM and IRAM are a program's: a DPU to which another one comes keeps them for
 * the time when the first comes back.  MRAM is the DPU's. */
#ifndef MACHINES_CORE_DPU_RUN_DPU_MACHINE_H
#define MACHINES_CORE_DPU_RUN_DPU_MACHINE_H

#include "machines/core/dpu/packed_kernel.h"
#include "machines/core/dpu/run/core.h"
#include "machines/core/dpu/runs/images.h"
#include "machines/stored/run/stored.h"

#define DPU_UNIT_BIT    32u
#define DPU_PROGRAM_BIT 48u
#define DPU_MOST_UNITS  (UINT32_C(1) << (DPU_PROGRAM_BIT - DPU_UNIT_BIT))

/* Parts of the energy: instructions; images of runs that come over the host's link. */
enum { DPU_PART_CORE, DPU_PART_CODE, DPU_PARTS };

struct dpu_stage_launch;

/* A kernel whose program units may have. */
struct dpu_loaded {
    const struct kernel_decl *decl; /* as launches name it; NULL: its number is free */
    void *code;                     /* [size] */
    size_t size;
    bool runs; /* an image of runs, whose decl is its words: WRAM that others leave is of no use */
    struct dpu_kernel kernel;
    struct dpu_program *program;
    struct dpu_core *model; /* that has it, for others */
};
/* WRAM of a program that is not the one in the DPU. */
struct dpu_aside {
    uint32_t program;
    uint8_t *wram; /* [DPU_WRAM_BYTES] */
};
struct dpu_unit {
    struct dpu_core *core; /* NULL: nobody has done anything with it */
    uint32_t program;      /* number of the one that it has; 0: none */
    VEC(struct dpu_aside) asides;
    bool started;   /* somebody has asked for its lanes */
    uint32_t valid; /* lanes 0 .. valid - 1 are */
    uint32_t used;  /* lanes from here on hold what they do at the start, and have it not yet */
};
/* Registers, C, M and valid of the lanes of a VRF: arrays in MRAM, the same in all units. */
struct dpu_arrays {
    uint32_t base[SCALAR_ARRAYS]; /* in MRAM from 0 on */
    uint8_t bytes[SCALAR_ARRAYS]; /* of an element; 0: the array is not there */
    uint32_t lanes;               /* that have room */
};
/* Bytes of MRAM that buffers have, the same in all units. */
struct dpu_block {
    uint32_t at, bytes;
};
struct dpu_units {
    struct dpu_time time;
    struct dpu_unit *list; /* [count] */
    uint32_t count;
    VEC(struct dpu_loaded *) programs;     /* number n is [n - 1] */
    VEC(struct dpu_block) blocks;          /* by address, from the end of MRAM down */
    struct dpu_loaded *now;                /* that is launched; */
    const struct dpu_stage_launch *staged; /* of a stage kernel; else NULL */
    uint32_t now_number;
    struct dpu_arrays arrays;
    uint32_t run_tasklets;
    uint32_t failed; /* the first DPU of those that a run has failed on */
    struct dp_code *codes;
};
static inline struct dpu_units *dpu_units_of(const struct stored_dp *m) {
    return m->own;
}

/* ---- units.c ---- */

void dpu_units_open(struct stored_dp *m);
void dpu_units_close(struct stored_dp *m);
/* The number of a program, which comes to the others if it is new; 0 after reporting. */
uint32_t dpu_units_program(struct stored_dp *m, const struct dp_program *program, struct diag *d);
/* The DPU with that program, as it was when it had it last; 0: with whatever.  Of one unit at a
 * time. */
struct dpu_core *dpu_units_with(struct dpu_units *units, uint32_t unit, uint32_t program);

bool dpu_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *d);
bool dpu_mem_alloc_slices(struct datapath *dp, uint64_t bytes, uint32_t units, uint64_t *address,
                          uint64_t *stride, struct diag *d);
bool dpu_mem_own(struct datapath *dp, const struct dp_program *program, uint64_t at, uint64_t bytes,
                 uint32_t units, uint64_t *address, uint64_t *stride, struct diag *d);
bool dpu_mem_free(struct datapath *dp, uint64_t address, struct diag *d);
bool dpu_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                 struct diag *d);
bool dpu_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size, struct diag *d);
void dpu_forget_kernel(struct datapath *dp, const struct kernel_decl *decl);

/* The number of a program that is an image of runs, whose words stay. */
uint32_t dpu_units_image(struct dpu_units *units, const struct dpu_run_image *image);

/* A unit without core, programs and lanes, as at the start. */
void dpu_unit_reset(struct dpu_unit *unit);

/* ---- unit_memories.c: snapshots of what DPUs hold, a block at the end of the string ---- */

void dpu_memories_save(const struct dpu_units *units, struct str *state);
/* Takes the block off.  False if it does not fit. */
bool dpu_memories_restore(struct dpu_units *units, struct str *state);

/* ---- lane_arrays.c: what VRFs hold, in MRAM ---- */

/* False after reporting. */
bool dpu_arrays_open(struct stored_dp *m, struct diag *d);
/* The unit's DPU, of which lanes 0 .. end - 1 at least hold something. */
struct dpu_core *dpu_lanes_of(struct stored_dp *m, uint32_t unit, uint32_t end);
void dpu_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count);
void dpu_get(struct datapath *dp, uint32_t unit, enum dp_what what, unsigned reg, uint32_t first,
             uint32_t count, uint64_t *values);
void dpu_put(struct datapath *dp, uint32_t unit, enum dp_what what, unsigned reg, unsigned width,
             uint32_t first, uint32_t count, const uint64_t *values);
bool dpu_snapshot(struct datapath *dp, bool restore, struct str *state);

/* ---- lane_copies.c: what the host does with them ---- */

void dpu_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
             struct dp_cost *cost);
void dpu_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost);

/* ---- run_engine.c: runs ---- */

void dpu_codes_free(struct dpu_units *units);
struct dp_code *dpu_prepare(struct datapath *dp, const struct dp_run *run, struct diag *d);
void dpu_describe(const struct datapath *dp, const struct dp_code *code,
                  struct dp_description *out);
void dpu_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                 struct dp_moment begin, struct dp_outcome *out);

/* ---- dpu_engine.c ---- */

uint32_t dpu_word_op(uint64_t word);
/* What a DPU has done between the two, but for classes; how often it carried an op out. */
void dpu_take_totals(const struct dpu_counters *before, const struct dpu_counters *now,
                     struct stored_work *work);
void dpu_take_class(uint32_t op, uint64_t executed, struct stored_work *work);
/* Runs the DPU, watched if somebody watches the machine. */
bool dpu_run_watched(struct stored_unit *unit, struct dpu_core *core);

extern const struct datapath_ops dpu_engine;

#endif
