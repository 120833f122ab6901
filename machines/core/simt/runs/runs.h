/* SPDX-License-Identifier: MIT
 * Runs of MPU instructions as kernels of near-bank SIMT cores.
 *
 * The run compiler of cores says what a run does to one lane (machines/core/scalar); here that
 * becomes PTX, a thread a lane and a warp a block, which the compiler of kernels makes W words of.
 * What the kernel is called with says where lanes of VRFs lie.  `.loc` of an instruction has the
 * number of the MPU instruction that it is for, from 1; 0: for all. */
#ifndef MACHINES_CORE_SIMT_RUNS_RUNS_H
#define MACHINES_CORE_SIMT_RUNS_RUNS_H

#include "machines/core/scalar/run.h"
#include "machines/core/simt/compile.h"
#include "machines/core/simt/runs/lane_layout.h"
#include "support/str.h"

/* ---- run_text.c: PTX of a run ---- */

/* A table that a run looks up, as elements of so many bytes. */
struct simt_run_table {
    uint32_t lut;
    uint8_t bytes;
    uint32_t entries;
};
/* Each core has its own; bytes that all of them take. */
uint64_t simt_run_table_bytes(const struct simt_layout *layout, const struct simt_run_table *table);
/* Where byte `at` of it is, in core 0; those of the next cores are a chunk further on each. */
uint64_t simt_run_table_place(const struct simt_layout *layout, uint64_t at);

/* Parameters: VRFs, then the address of each table, in the order in which they are first looked
 * up. */
#define SIMT_RUN_VRFS 128u /* of a launch at most */
struct simt_run_vrf {
    uint64_t base;  /* address of its first record */
    uint32_t lanes; /* that are valid */
    uint32_t core;
};
#define SIMT_RUN_VRF_BYTES  16u
#define SIMT_RUN_TABLES     128u /* of a run at most */
#define SIMT_RUN_TABLES_AT  (SIMT_RUN_VRFS * SIMT_RUN_VRF_BYTES)
#define SIMT_RUN_PARAMETERS (SIMT_RUN_TABLES_AT + 8u * SIMT_RUN_TABLES)
/* The grid of a launch: VRFs, and records of the one that has most, so that blocks go round the
 * VRFs and all of them are at work.  As many blocks as PTX has in its second dimension. */
#define SIMT_RUN_RECORDS 65535u

/* Appends it; false at an instruction that cores cannot carry out, whose number is in *wrong. */
bool simt_run_text(const struct scalar_run *run, const struct simt_layout *layout, struct str *out,
                   size_t *wrong);
/* Tables that a run looks up, in the order of parameters; false: there are too many. */
typedef VEC(struct simt_run_table) simt_run_tables;
bool simt_run_find_tables(const struct insn *insns, size_t count, simt_run_tables *out);

/* ---- runs.c: kernels of a program's runs ---- */

struct simt_run_limits {
    struct simt_options options;
    uint64_t code_bytes; /* of a core */
    struct simt_banks banks;
};
/* A kernel of some instructions of a run, all of them if there is room for its code. */
struct simt_run_piece {
    uint32_t count;       /* instructions */
    uint32_t first, size; /* bytes of simt_runs.code: a kernel as packages hold them */
};
struct simt_run_code {
    bool masked; /* predication is on at entry */
    uint32_t count, first_text, first_piece, piece_count;
};
struct simt_runs {
    VEC(struct simt_run_code) runs;
    VEC(struct simt_run_piece) pieces;
    VEC(uint32_t) text; /* words of the runs' instructions */
    struct str code;
    uint32_t table_bytes; /* of tables that they look up, each once */
};
void simt_runs_free(struct simt_runs *runs);
/* False with *wrong, an instruction of the run, and what is wrong with it, appended. */
bool simt_runs_add(struct simt_runs *runs, const struct simt_run_limits *limits,
                   const struct scalar_run *run, size_t *wrong, struct str *problem);
/* NULL: it is not among them. */
const struct simt_run_code *simt_runs_find(const struct simt_runs *runs, const struct insn *insns,
                                           size_t count, bool masked);
void simt_runs_write(const struct simt_runs *runs, struct str *out);
bool simt_runs_read(const void *bytes, size_t size, struct simt_runs *out);

#endif
