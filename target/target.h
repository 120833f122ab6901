/* SPDX-License-Identifier: MIT
 * A target as its YAML file describes it (docs/targets.md): what all kinds of machines share
 * (geometry, clocks, network, host link, front end), and what its kind reads from keys of its own.
 * Every number keeps its path, source and the place where it stands, so that --print-target,
 * --list-keys, --set and provenance need no second list.
 */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "support/arena.h"
#include "support/diag.h"
#include "support/saturate.h"
#include "support/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target_kind;

/* One leaf of the file, after `extends` and overrides, in the order of the file. */
struct target_key {
    const char *path;   /* "clocks.datapath_ps" */
    const char *value;  /* as text; a list in YAML's form */
    const char *source; /* of the number; "assumed" if none is given; "" for what needs none */
    bool settable;      /* --set may change it */
    bool overridden;    /* by --set */
    bool list;
    const char *place; /* "mine.yaml:7:3", "--set"; NULL: in a file of the tools */
    const char *help;  /* what it is, with its unit; "" where the path says it */
};

/* How registers are copied inside an MPU (machines/dtc/dtc.h).  NETWORK_HOST: only the host can
 * copy from VRF to VRF.  NETWORK_HTREE: VRFs of the whole chip hang in a tree. */
enum network_kind { NETWORK_SERIAL, NETWORK_P2P, NETWORK_RING, NETWORK_HOST, NETWORK_HTREE };

/* How the routers of the MPUs are joined.  On CHIP_MESH_2D and CHIP_TORUS they lie in rows of
 * mpu_columns; on CHIP_MESH_1D and CHIP_RING in one row, whatever mpu_columns says. */
enum chip_kind { CHIP_MESH_2D, CHIP_MESH_1D, CHIP_TORUS, CHIP_RING };

/* Who carries out control instructions: the MPU's front end; the host's CPU over a link, as in the
 * published datapaths without MPU (docs/baseline.md), a round trip for each; or a host that sends
 * all that is issued as a stream of words, and waits only where it has to know something. */
enum control_kind { CONTROL_MPU, CONTROL_HOST, CONTROL_HOST_ALL, CONTROL_STREAM };

/* How many VRFs of an RFH work at once: machine.active_vrf_per_rfh, or as many as the limit of
 * power density allows (emu/control/heat.h). */
enum cap_kind { CAP_ACTIVE, CAP_POWER };

/* A cycle of full queues: break it, or stop as at any other deadlock. */
enum deadlock_kind { DEADLOCK_BREAK, DEADLOCK_STOP };

/* In which order ensembles are carried out: the program's, or one that the MPU paper allows. */
enum order_rule { ORDER_PROGRAM, ORDER_PAPER };
/* One recipe table for all compute controllers of an MPU, with a port for each of them; or a table
 * for each. */
enum recipe_table_kind { RECIPE_TABLE_SHARED, RECIPE_TABLE_PRIVATE };
/* Who turns elements into planes; nobody where lanes have their bits side by side. */
enum transpose_kind { TRANSPOSE_HOST, TRANSPOSE_NONE };
/* Who makes the body of an ensemble go on with the next batch. */
enum scheduler_kind { SCHEDULER_HARDWARE, SCHEDULER_SOFTWARE };

/* The ways over the host's link (target/host.h), and what has its bandwidth to itself: the chip,
 * each RFH, or each VRF. */
enum host_mode_kind { HOST_SERIAL, HOST_PARALLEL, HOST_BROADCAST, HOST_MODES };
enum host_scope { HOST_CHIP, HOST_RFH, HOST_VRF };
/* The bandwidth that so many VRFs of a unit of the scope have together; 0 VRFs: nothing is said. */
struct host_rate {
    uint32_t vrfs;
    uint64_t in_bytes_per_s, out_bytes_per_s;
};
enum { HOST_RATES = 2 };
struct host_mode {
    uint64_t in_bytes_per_s, out_bytes_per_s; /* to the VRFs, from them; 0: the mode is not there */
    uint64_t setup_ps;                        /* of each transfer */
    enum host_scope scope;
    uint32_t vrfs;                      /* that have this bandwidth; 0: any number has */
    struct host_rate fewer[HOST_RATES]; /* of fewer, ascending */
};

/* Parts of the front end whose size a target can say (target/front_end.c): the storage of its
 * controllers, in bits; evaluation fetching, in mask bits a cycle; the buffer of the data-transfer
 * controller, in registers; the router, in bytes of its ports; the rest of the controllers. */
enum target_share {
    SHARE_STORAGE,
    SHARE_EVALUATION,
    SHARE_TRANSFER,
    SHARE_ROUTER,
    SHARE_CONTROLLERS,
    TARGET_SHARES
};
/* A part's share of the front end's totals, in thousandths, when its size is `of`. */
struct target_front_end_share {
    uint32_t area, power, energy; /* power: the static one */
    uint32_t of;                  /* 0: the file says nothing of it */
};
/* What a front end takes. */
struct target_front_end {
    uint64_t um2, static_nw, fj; /* fj: of a cycle in which the MPU issues */
};

/* How instructions are carried out where there is a choice (docs/recipes.md, "Arithmetic"): to the
 * last bit; floats with subnormal numbers as zeros; as published routines do it; without words of
 * several micro-ops. */
enum target_arith { ARITH_EXACT, ARITH_FLUSH, ARITH_COMPAT, ARITH_SERIAL, TARGET_ARITHS };
#define TARGET_ARITH_WORDS "exact flush compat serial"
/* The bit of one in a set of them. */
#define ARITH_BIT(arith) (1u << (arith))

/* How the elements of a group are divided among VRFs: each VRF is filled before the next, or all
 * get the same number. */
enum spread_kind { SPREAD_FILL, SPREAD_EVEN };

struct target {
    struct arena arena;
    const char *name;
    const char *path;    /* file it came from; "targets/racer.yaml" when built in */
    const char *builtin; /* the built-in target that it is, or that a file of one's own extends, by
                            whatever files between; NULL where it extends none */
    const struct target_kind *kind;
    void *own;     /* what the keys of its kind say; only the kind reads it */
    char hash[65]; /* SHA-256 of the file, what it extends, and the overrides */

    uint32_t lanes; /* elements of a vector register, where the kind says nothing else */
    uint32_t vrf_per_rfh, rfh_per_mpu, mpus;
    uint32_t mpu_columns;        /* MPUs lie in rows of so many on the chip; 0: in one row */
    uint32_t active_vrf_per_rfh; /* 0 = all */
    enum spread_kind spread;
    uint32_t lanes_unit; /* SPREAD_EVEN: elements of a VRF are a multiple of it; at least 1 */

    uint64_t datapath_ps;         /* period of the datapath's clock */
    uint64_t front_end_ps;        /* period of the front end: one micro-op or instruction slot */
    uint64_t front_end_fj;        /* per front-end cycle in which the MPU issues */
    uint64_t front_end_static_nw; /* per MPU while it has work */
    /* As the file has it, at the sizes that its shares are of.  front_end_fj, front_end_static_nw
     * and front_end_um2 are those at the target's own sizes (target_front_end_parts). */
    struct target_front_end front_end_stated;
    struct target_front_end_share front_end_shares[TARGET_SHARES];
    uint64_t transfer_lanes;  /* of the registers that share `transfer` is of; 0: any */
    uint32_t front_end_port;  /* a further port of a table, thousandths of its bits */
    uint64_t array_static_nw; /* per MPU */

    enum network_kind network;
    uint64_t setup_ps, register_ps; /* per pair; per copied register */
    uint64_t bit_ps;                /* per copied bit of a register, all lanes of a VRF */
    uint64_t network_fj_per_bit;
    uint64_t ring_hop_ps; /* RING: from an RFH to the next */
    uint32_t fan_out;     /* HTREE: VRFs of a knot, knots of a knot */
    uint32_t move_bits; /* HTREE: of a lane, that one move takes; 0 of kinds that say nothing: 32 */

    enum chip_kind chip;
    uint32_t flit_bytes;   /* what a link between MPUs carries in flit_ps; at least 1 */
    uint64_t flit_ps;      /* of one link */
    uint64_t hop_ps;       /* from router to router, for the first flit */
    uint64_t header_bytes; /* of each message, beside its data */
    uint64_t hop_fj_per_bit;

    uint32_t buffer_registers; /* that a data-transfer controller's buffer holds; 0: it has none */

    uint32_t queue_messages; /* from one MPU to one other; 0: the file does not say */
    enum deadlock_kind deadlock;
    enum target_arith arith;
    enum order_rule order;
    uint64_t order_seed;

    /* The control path of an MPU (docs/control-path.md). */
    uint32_t controllers;         /* compute controllers */
    uint32_t playback_entries;    /* instructions that the playback buffer holds; 0: none */
    uint32_t issue_queue;         /* micro-ops of a section that may wait behind an issue slot */
    uint32_t playback_entry_bits; /* of an entry, for its size alone */
    uint32_t recipe_templates;    /* that a recipe table holds */
    uint32_t recipe_pointers;     /* sequences of templates that it can find */
    uint32_t activation_bits;     /* at least, of an activation board; else one for each VRF */
    enum recipe_table_kind recipe_table;
    uint32_t efi_bits_per_cycle;      /* mask bits that evaluation fetching looks at */
    uint64_t instruction_store_bytes; /* of text, per MPU */
    enum scheduler_kind scheduler;
    uint64_t software_schedule_ps; /* SCHEDULER_SOFTWARE: per change of batch */

    uint64_t host_bytes_per_s;               /* 0: the file gives modes instead, or nothing */
    struct host_mode host_modes[HOST_MODES]; /* as the file has them */
    uint64_t host_fj_per_bit;
    enum transpose_kind transpose;
    uint64_t host_transpose_bytes_per_s; /* 0: takes no time */
    uint64_t host_transpose_fj_per_byte;

    enum cap_kind cap;
    uint64_t limit_mw_per_cm2; /* power density; 0: the file gives no limit */
    uint64_t window_ps;        /* over which it counts at least */

    enum control_kind control;
    uint64_t host_round_trip_ps;    /* not CONTROL_MPU: of each question to the machine */
    uint64_t host_mask_bytes_per_s; /* CONTROL_HOST: of mask bits; 0: as elements */
    uint32_t word_bytes;            /* CONTROL_STREAM: of what is issued in a slot, on the link */
    uint64_t launch_ps;             /* of a run that is started as a whole */
    uint64_t host_active_nw, host_idle_nw; /* not CONTROL_MPU: the CPU's power in them; otherwise */

    /* Of pipelines (docs/dappa.md); 0: it takes no time. */
    uint64_t host_element_ps; /* of an element that the host works on, moves or puts together */
    uint64_t host_alloc_ps;   /* once: to get the machine's units */
    uint64_t host_compile_ps, host_template_ps; /* once for each part: its code; its template */

    /* Area, um2; 0: the file does not say. */
    uint64_t array_um2;               /* of one VRF */
    uint64_t endurance;               /* writes that a cell takes; 0: nothing is known */
    uint64_t arrays_um2, scratch_um2; /* of one MPU; more for scratch (target_area) */
    uint64_t front_end_um2;           /* of one MPU */

    const struct target_key *keys;
    size_t key_count;
    uint32_t assumed; /* number of keys whose source is "assumed" */
};

/* Registers of the buffer where the file says nothing: what one VRF holds. */
#define TARGET_BUFFER_REGISTERS 64

struct target_override {
    const char *key, *value;
};

/* `name` is a built-in target ("racer") or the path of a YAML file.  Unknown names and keys are
 * reported with the nearest; NULL then. */
struct target *target_open(const char *name, const struct target_override *overrides, size_t count,
                           struct diag *diag);
void target_free(struct target *target);
/* Names of the built-in targets, sorted, and a one-line description of each. */
const char *const *target_names(size_t *count);
const char *target_summary(const char *name);
/* The word of an arithmetic, as target files and recipes have it. */
const char *target_arith_word(enum target_arith arith);
/* True for a target that did not come with the tools. */
bool target_is_own(const struct target *target);
/* target_print appends the merged file with sources, as --print-target shows it; target_list_keys
 * the keys with their help and values. */
void target_print(const struct target *target, struct str *out);
void target_list_keys(const struct target *target, struct str *out);

/* VRFs of one MPU, and their order in all models: index = vrf * rfh_per_mpu + rfh, MPU by MPU. */
static inline uint32_t target_vrfs_per_mpu(const struct target *target) {
    return target->vrf_per_rfh * target->rfh_per_mpu;
}

/* ---- area.c ---- */
/* Area of one MPU by component, um2.  Only with CONTROL_MPU there is a front end. */
struct target_area {
    bool known, front_end_known; /* the total; the front end.  Arrays: known if they are not 0 */
    uint64_t arrays;             /* area.arrays_um2, else array.area_um2 of each VRF */
    uint64_t front_end;
    uint64_t total;
    uint64_t scratch; /* more for scratch rows that the published arrays have no room for */
};
struct target_area target_area(const struct target *target);

/* ---- front_end.c ---- */
#define TARGET_TEMPLATE_BITS 24 /* of a template of the recipe table, and of a pointer to one */
#define TARGET_POINTER_BITS  20
enum target_front_end_part {
    PART_PLAYBACK,
    PART_RECIPES,
    PART_POINTERS,
    PART_ACTIVATION,
    PART_EVALUATION,
    PART_TRANSFER,
    PART_ROUTER,
    PART_CONTROLLERS,
    PART_REST, /* what has no size: precoder, fetcher and everything else */
    FRONT_END_PARTS
};
struct target_front_end_entry {
    const char *name, *unit; /* "playback_buffer", "bits" */
    uint64_t size;           /* in the MPU, ports and controllers counted */
    struct target_front_end takes;
};
/* The front end of one MPU by part; they add up to the target's figures.  Where its file gives no
 * shares, everything is PART_REST. */
void target_front_end_parts(const struct target *target,
                            struct target_front_end_entry parts[FRONT_END_PARTS]);

/* The time of a slot in which something is issued: a cycle of the front end; with CONTROL_STREAM a
 * cycle of the datapath, or the time of its word on the host's link if that is longer. */
uint64_t target_issue_ps(const struct target *target);
/* The time of a slot that an instruction has for itself: of one that is decoded; with
 * CONTROL_STREAM nothing is, and none has. */
uint64_t target_decode_ps(const struct target *target);

/* How many messages from one MPU to one other may wait. */
static inline uint32_t target_queue_messages(const struct target *target) {
    return target->queue_messages ? target->queue_messages : 1;
}

/* Routers of the chip: a full rectangle; routers beyond the last MPU have no MPU. */
struct chip_grid {
    uint32_t columns, rows;
};
struct chip_grid target_grid(const struct target *target);
/* The way of a message from one MPU to another: first along its row, then along the column.  Where
 * rows and columns are rings it takes the shorter way round, or if both are equally long the one
 * with increasing numbers. */
struct chip_route {
    int64_t right, down; /* steps from router to router; negative: to the left, up */
};
struct chip_route target_route(const struct target *target, uint32_t from, uint32_t to);
/* The number of steps of that way. */
uint32_t target_hops(const struct target *target, uint32_t from, uint32_t to);

#endif
