/* SPDX-License-Identifier: MIT
 * What a target file of kind `slot` says: rows of slots, tables in the rows of a neighbouring
 * subarray, and what DRAM commands take (docs/targets.md). */
#ifndef MACHINES_SLOT_TARGET_TARGET_H
#define MACHINES_SLOT_TARGET_TARGET_H

#include "target/kind.h"
#include "target/target.h"

extern const struct target_kind slot_kind_of_target;

/* How a row of a table that a query destroys comes back: copied in its subarray and moved to the
 * table's; moved alone; LISA's copy of one hop; an activation and a precharge, as the released
 * simulator charges it; it does not, and later queries read what is left. */
enum slot_reload {
    SLOT_RELOAD_AAP,
    SLOT_RELOAD_RBM,
    SLOT_RELOAD_RISC,
    SLOT_RELOAD_AP,
    SLOT_RELOAD_NONE
};
/* Whether there are commands for XOR and XNOR, which Table 2 of the paper does not have. */
enum slot_logic { SLOT_LOGIC_ALL, SLOT_LOGIC_TABLE2 };
/* Where tables come from before a program starts. */
enum slot_load { SLOT_LOAD_GENERATE, SLOT_LOAD_MEMORY, SLOT_LOAD_STORAGE, SLOT_LOAD_RESIDENT };
/* What is done about a slot that is no index. */
enum slot_no_match { SLOT_NO_MATCH_COUNT, SLOT_NO_MATCH_STOP };

struct slot_target {
    uint32_t row_bits;
    uint32_t rows;       /* of the data subarray */
    uint32_t table_rows; /* of the one that holds tables */
    uint32_t match_bits; /* the one width that match logic compares; 0: any slot's */
    /* The designs: a buffer beside the sense amplifiers keeps what matched (BSA); a sweep destroys
     * what did not match (GSA); rows of a sweep are closed one by one (BSA). */
    bool buffer, destructive, precharge;
    enum slot_reload reload;
    enum slot_logic logic;
    enum slot_load load;
    enum slot_no_match no_match;
    uint32_t energy_bits; /* of a row that energies are of, before they were scaled; 0: of any */
    uint64_t bus_bytes_per_s, storage_bytes_per_s; /* that bring tables' rows; of an MPU */
    uint64_t element_ps;                           /* SLOT_LOAD_GENERATE: of an element */
    uint64_t act_ps, pre_ps, rbm_ps, risc_ps;
    uint64_t faw_ps;          /* in which four activations of an MPU begin at most; 0: no limit */
    uint64_t rfc_ps, refi_ps; /* a refresh, and from one to the next; refi_ps 0: there is none */
    /* In one VRF, a row each; AP and AAP as published, which are not quite their ACT and PRE. */
    uint64_t act_fj, pre_fj, ap_fj, aap_fj, rbm_fj, rd_fj, wr_fj;
};
static inline const struct slot_target *slot_target_of(const struct target *t) {
    return t->own;
}

/* ---- cost.c: commands ---- */

enum slot_command { SLOT_ACT, SLOT_PRE, SLOT_RBM, SLOT_RD, SLOT_WR, SLOT_COMMANDS };
extern const char *const slot_command_names[SLOT_COMMANDS];

struct slot_cost {
    uint64_t ps;
    uint64_t count[SLOT_COMMANDS], fj[SLOT_COMMANDS]; /* of one VRF */
};
/* That many VRFs of an MPU do it in step; 1: alone. */
struct slot_step {
    const struct target *target;
    uint64_t vrfs;
};

void slot_cost_add(struct slot_cost *to, const struct slot_cost *more, uint64_t times);
uint64_t slot_cost_fj(const struct slot_cost *cost);

/* Sequences of so many AAPs, then APs: copies, logic, shifts. */
struct slot_cost slot_cost_rows(const struct slot_step *step, uint64_t aaps, uint64_t aps);
/* A row to another subarray of the bank. */
struct slot_cost slot_cost_move(const struct slot_step *step);
/* A table of so many rows: in one subarray, or in several parts of slot_target.table_rows each. */
struct slot_table_shape {
    uint32_t rows;  /* of a part: the sweep's */
    uint32_t parts; /* that are swept at once, as far as the bank has subarrays */
    bool loaded;    /* over the channel, for this query: it does not come back from a copy */
    bool shared;    /* by all pairs of the bank, which query it one after another */
    uint32_t pairs; /* of the bank that parts may lie in at one time; 0: all */
};
struct slot_table_shape slot_table_shape(const struct target *t, uint64_t rows);
/* How often subarrays of the bank are loaded and swept until all parts had their turn; 1: once. */
uint32_t slot_table_turns(const struct target *t, const struct slot_table_shape *shape);
/* A query of a table that is there; destroyed ones are brought back first. */
struct slot_cost slot_cost_query(const struct slot_step *step,
                                 const struct slot_table_shape *shape);
/* So many rows of tables brought to one VRF by pluto.load, of a bank that no other works for. */
struct slot_cost slot_cost_load(const struct target *t, uint64_t rows);
/* A row read over the channel, or written. */
struct slot_cost slot_cost_access(const struct target *t, enum slot_command command);

#endif
