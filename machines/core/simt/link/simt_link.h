/* SPDX-License-Identifier: MIT
 * The link half of near-bank SIMT cores: they carry out runs of MPU instructions over arrays in
 * their banks, and kernels of form `ptx`. */
#ifndef MACHINES_CORE_SIMT_LINK_SIMT_LINK_H
#define MACHINES_CORE_SIMT_LINK_SIMT_LINK_H

#include "machines/core/simt/runs/runs.h"
#include "machines/machine.h"

/* Where instructions go that neither hardware nor location decides. */
enum simt_policy {
    SIMT_POLICY_ANNOTATED, /* as the compiler says; without a hint by the track table */
    SIMT_POLICY_HARDWARE,  /* by the track table */
    SIMT_POLICY_NEAR,
    SIMT_POLICY_FAR,
};
enum simt_side { SIMT_SIDE_NEAR, SIMT_SIDE_FAR };
enum simt_coalesce {
    SIMT_COALESCE_SPAN,    /* lanes in a line */
    SIMT_COALESCE_ALIGNED, /* and from a multiple of 128 bytes on */
};
enum simt_placement {
    SIMT_PLACEMENT_DATA,  /* a block goes to the core that has what most of its warps reach first,
                             and a warp to the subcore beside the first that it reaches as one */
    SIMT_PLACEMENT_ROUND, /* block b to core b mod cores */
    SIMT_PLACEMENT_CHUNK, /* each core gets blocks that follow one another */
};
enum simt_cores { SIMT_CORES_ALL, SIMT_CORES_ONE };

/* What instructions take and where they go; cycles are the core's. */
struct simt_time_keys {
    int on; /* costs are worked out; 0 or 1, as those below */
    int policy, coalesce, placement, cores;
    int near_units; /* there are registers and ALUs beside the banks */
    int uniform_compress;
    /* core */
    uint32_t alu_cycles, slow_cycles, opc_cycles, collectors, lsu_cycles, lsu_queue, shared_cycles;
    uint32_t icache_line, icache_miss_cycles, dispatch_queue;
    /* TSV: bytes a cycle of a core; messages in bytes */
    uint32_t tsv_bytes, tsv_cycles;
    uint32_t packet_bytes, ack_bytes, access_bytes, command_bytes;
    /* memory */
    uint32_t rows, subarrays, row_bytes, granule_bytes, bank_queue;
    uint64_t core_chunk;
    uint32_t t_rcd, t_ccd, t_rtp, t_rp, t_ras, t_rfc, t_refi, t_cl, t_cwl, t_wr;
    /* network */
    uint32_t network_cycles, mesh_bytes, hop_millicycles, link_bytes, link_cycles, header_bytes;
    /* fJ of an access, of a bit, of a warp's instruction */
    uint64_t column_fj, row_fj, refresh_fj, rf_fj, shared_fj, collector_fj, extension_fj,
        tsv_bit_fj, mesh_bit_fj, link_bit_fj, alu_fj;
    uint32_t product_permille, slow_permille;
};

/* Of a die, um2: Table III. */
struct simt_area_keys {
    uint64_t die_um2; /* without the rest */
    uint64_t shared_um2, registers_um2, controllers_um2, collectors_um2, alus_um2, extensions_um2,
        rows_um2;
    uint32_t registers_of; /* registers_um2 is of files of so many bytes */
};

/* Keys of the target file. */
struct simt_keys {
    uint32_t dies;  /* of a cube; a core lies on one */
    uint32_t banks; /* of a near-bank unit, each of so many bytes */
    uint64_t bank_bytes;
    uint32_t far_rf_bytes, near_rf_bytes; /* registers of a subcore; of its near-bank unit */
    uint32_t shared_bytes, icache_bytes;  /* of a core */
    uint32_t warps;                       /* of a subcore at most */
    uint32_t block_threads;               /* at most */
    uint32_t registers;                   /* of 32 bits that a thread may have */
    int shared;                           /* enum simt_side: where shared memory lies */
    uint64_t watchdog;                    /* instructions of a warp */
    struct simt_time_keys time;
    struct simt_area_keys area;
};
static inline const struct simt_keys *simt_keys(const struct target *t) {
    return t->own;
}
static inline bool simt_near_shared(const struct simt_keys *k) {
    return k->shared == SIMT_SIDE_NEAR;
}
/* Warps of a subcore at a time, whose code has so many registers; 0: there is no room for one. */
uint32_t simt_resident_warps(const struct simt_keys *keys, uint32_t near, uint32_t both,
                             uint32_t far);
#define SIMT_INVENTORY 7
struct simt_part_area {
    const char *name; /* as Table III has it */
    uint32_t count;   /* of a die */
    uint64_t um2;     /* of all of them on a die */
};
/* What is added to each die. */
void simt_inventory(const struct target *t, struct simt_part_area out[SIMT_INVENTORY]);
/* Bytes of the whole machine's memory. */
uint64_t simt_memory(const struct target *t);

extern const struct target_kind simt_target_kind;
extern const struct machine simt_machine;
extern const struct machine_form simt_ptx_form;

/* ---- simt_runs.c: runs ---- */

struct simt_code {
    struct machine_code base;
    struct simt_runs runs;
};
static inline const struct simt_code *simt_code_of(const struct machine_code *c) {
    return (const struct simt_code *)(const void *)c;
}

struct simt_banks simt_banks_of(const struct target *t);
struct simt_run_limits simt_run_limits(const struct target *t);
bool simt_has(const struct machine_library *l, enum isa_op op);
void simt_why_not(const struct machine_library *l, enum isa_op op, struct str *out);
uint32_t simt_vrf_lanes(const struct target *t, const uint8_t reg_bits[64]);
bool simt_has_room(const struct target *t, const uint8_t reg_bits[64], struct str *problem);
struct machine_code *simt_build(const struct machine_library *l, const struct machine_program *p,
                                struct diag *d);
void simt_code_write(const struct machine_code *c, struct str *out);
struct machine_code *simt_code_read(const void *bytes, size_t size, const char **problem);
void simt_code_free(struct machine_code *c);
void simt_code_print(const struct machine_code *c, const struct machine_library *l,
                     const struct machine_program *p, struct str *out);
void simt_code_load(const struct machine_code *c, struct machine_load *out);

#endif
