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

#include "machines/dtc/dtc.h"
#include "machines/machine.h"
#include "support/bits.h"
#include "support/time_span.h"

struct datapath;
struct dp_code;
struct pool;

struct vrf_range {
    uint32_t first, count;
};
/* Ranges are in ascending order and do not touch each other. */
struct vrf_set {
    const struct vrf_range *ranges;
    size_t count;
};
static inline uint64_t vrf_set_size(struct vrf_set set) {
    uint64_t n = 0;
    for (size_t i = 0; i < set.count; i++)
        n += set.ranges[i].count;
    return n;
}

enum dp_init { DP_INIT_ZERO, DP_INIT_RANDOM };

struct dp_setup {
    const struct target *target;
    /* How the target carries out instructions, kept by the caller as long as the machine; NULL:
     * what is built in. */
    const struct machine_library *library;
    /* The program's code, ready for the target and kept by the caller as long as the machine, which
     * executes it.  NULL: what the library gives for each instruction. */
    const struct machine_code *code;
    uint32_t mpus;           /* MPUs that the program uses */
    uint32_t lanes;          /* most elements of a VRF in the program; 0: target.lanes */
    const uint8_t *reg_bits; /* [64] register map: planes of each register, 0 = not there */
    /* [kin_count], kept by the caller; NULL: 0 alone, with reg_bits.  Of registers in a VRF those
     * bits are there that its kin has. */
    const struct machine_kin *kins;
    uint32_t kin_count;
    enum dp_init init; /* registers and C at start; random: state_init_value(seed, ...) */
    uint64_t seed;
    uint64_t memory_limit; /* bytes of state; 0 = none */
    bool kernels;          /* the program launches some */
    /* Not 0: the machine carries out one program after another, whose registers lie where `remap`
     * says, among so many bits of a lane.  reg_bits and code say nothing then, and init is
     * DP_INIT_ZERO.  Which rows of the machine these bits are changes nothing: their number is what
     * counts, and the caller's to look after. */
    uint32_t bits;
    /* Engine that check_ops compares; NULL: the default of the kind. */
    const char *engine;
    /* Only costs are asked for, no bits: a machine may leave out what has no part in them. */
    bool costs_only;
};
#define DP_INIT_C 64
/* What lane `lane` of register `reg` (DP_INIT_C: C, in bit 0) of VRF v holds at start under
 * DP_INIT_RANDOM: the same in every datapath. */
uint64_t state_init_value(uint64_t seed, uint32_t v, unsigned reg, uint32_t lane);

/* The program that a machine with dp_setup.bits carries out next. */
struct dp_map {
    const struct machine_code *code; /* kept by the caller as long as what is prepared from it */
    const uint8_t *bits;             /* [64]: of each register, 0 = not there */
    const uint32_t *first;           /* [64]: where bit 0 of it lies; no bit is of two registers */
    const struct machine_kin *kins;  /* as dp_setup.kins, kept as long as the code */
    uint32_t kin_count;
    /* In these VRFs registers of `fresh` (bit r) hold nothing of meaning: a machine may give them
     * rows that hold anything.  No VRFs: nothing is known. */
    struct vrf_set there;
    const uint32_t *lanes; /* [there.count]: elements of one */
    uint64_t fresh;
};

/* Instructions without a jump among them. */
struct dp_run {
    const struct insn *insns;
    size_t count;
    bool masked;  /* predication is on at entry */
    uint32_t kin; /* of the VRFs that it is for */
};

/* Cells that are written together (a row of an array, an entry of a register file), by a number
 * of the machine's own, and how many micro-ops of a run write them, in some lane or in all. */
struct dp_cell_writes {
    uint32_t cell;
    uint64_t writes; /* per execution */
};

/* When the cost of a run is known. */
enum dp_cost_form {
    DP_COST_FIXED,    /* it is the same at every execution */
    DP_COST_LANES,    /* time is; energy also depends on how many lanes are enabled */
    DP_COST_MEASURED, /* each execution says; of one batch at a time */
};

/* What is known of a run before it is executed.  All that it points to is the code's. */
struct dp_description {
    enum dp_cost_form form;
    uint64_t micro_ops;             /* per VRF; DP_COST_MEASURED: 0, and so to issue_slots */
    const uint64_t *insn_micro_ops; /* [count of the run], per VRF; NULL where costs are unknown */
    const uint64_t *insn_energy_fj; /* [count of the run], per VRF; likewise */
    const uint64_t *uops;           /* [kinds], per VRF; they add up to micro_ops; likewise */
    const uint64_t *energy_fj;      /* [parts], per VRF; likewise */
    /* DP_COST_LANES: what each instruction takes beside that for every lane that is enabled while
     * it is carried out.  With tables.lanes, stretches are there for DP_COST_FIXED, too: how many
     * lanes were enabled is then a figure, and no cost.  Instructions of one stretch, between two
     * writes of M, have the same lanes enabled; the last stretch is empty where the last
     * instruction writes M. */
    const uint64_t *insn_lane_fj; /* [count of the run]; in parts of a fJ, see lane_parts */
    uint32_t lane_parts;          /* of a fJ, that energies of a lane count; 0: whole fJ */
    const uint32_t *insn_stretch; /* [count of the run], ascending from 0 */
    uint32_t stretches;
    const uint64_t *stretch_part_fj; /* [stretches][parts]: the same by part of the energy */
    /* And by kind of micro-op, [stretches][kinds]; with it what kinds take per VRF, [kinds].  NULL:
     * kinds take what tables.kinds say, and lanes are nobody's. */
    const uint64_t *stretch_kind_fj, *kind_fj;
    /* From the start of the run until all bits of instructions 0 .. i are there; [count of the
     * run]; NULL where costs are unknown. */
    const uint64_t *insn_done_ps;
    uint64_t latency_ps; /* of the run: the last of these */
    /* The run is one launch (control.launch_ps): its instructions are neither fetched nor issued
     * one by one.  Then there are no issue slots. */
    bool launch;
    /* Front-end cycles per batch: one for each instruction and each micro-op that is not forwarded
     * from another section.  0 where costs are unknown. */
    uint64_t issue_slots;
    const uint64_t *insn_issue_slots; /* [count of the run]: of each, they add up to these; NULL
                                         where costs are unknown, and for a launch */
    /* Cells of one VRF that the run writes, ascending; none where the machine has none. */
    const struct dp_cell_writes *writes;
    size_t write_count;
    /* Roughly what execute takes of one core of the host per VRF, in ps: it decides whether threads
     * pay, and nothing else. */
    uint64_t host_ps;
    /* Bytes of the host's memory that the code takes, about; 0 on machines without `forget`. */
    uint64_t host_bytes;
};

/* Energy of so many lanes, each of which takes `amount` parts. */
static inline uint64_t dp_lanes_fj(const struct dp_description *about, uint64_t amount,
                                   uint64_t lanes) {
    return about->lane_parts > 1 ? sat_scale(amount, lanes, about->lane_parts)
                                 : sat_mul(amount, lanes);
}

/* What one execution said of itself; the arrays are the caller's. */
struct dp_outcome {
    uint64_t *lanes; /* Where there are stretches: [stretches], lanes enabled in each, all VRFs;
                        added to */
    /* DP_COST_MEASURED: of the batch, written.  What instructions took adds up to the whole: of
     * micro-ops and energy as sums, of time because insn_done_ps [i] is when all bits of
     * instructions 0 .. i are there, from the start. */
    uint64_t latency_ps;                                      /* the last of insn_done_ps */
    uint64_t *insn_done_ps, *insn_micro_ops, *insn_energy_fj; /* [count of the run] */
    uint64_t *uops;                                           /* [kinds] */
    uint64_t *energy_fj;                                      /* [parts] */
    uint64_t *kind_fj; /* [kinds]: of the energy, what micro-ops took; NULL: nobody asks */
    /* Given, with these: threads that may help, as of a launch (struct dp_launch). */
    struct pool *pool;
    uint64_t part_ps;
};

struct dp_binding {
    uint32_t vrf;
    uint32_t valid_lanes; /* lanes 0 .. valid_lanes - 1 are valid; M := valid */
    uint64_t first_element;
    uint32_t kin; /* of the VRF, the same each time */
};

/* A kind of micro-op. */
struct dp_kind {
    const char *name;
    uint32_t first;     /* the first of the kinds that are counted together with it, or itself */
    uint32_t part;      /* of the energy */
    uint64_t energy_fj; /* of one in one VRF, where that is always the same; for lists */
};

/* What a machine counts: tables of its own, the same as long as it is open. */
struct dp_tables {
    const struct dp_kind *kinds; /* [kind_count] */
    uint32_t kind_count;
    const char *const *parts; /* [part_count]: of the energy that micro-ops take: "logic" */
    uint32_t part_count;
    /* Counters of things that are no micro-ops (misses, stalls), cumulative: names, and how far
     * they are; reported as `machine` where there are any. */
    const char *const *counters; /* [counter_count] */
    uint32_t counter_count;
    /* Counters that each unit has of its own, likewise; reported there as their sum, and the least
     * and the most of a unit. */
    const char *const *unit_counters; /* [unit_counter_count] */
    uint32_t unit_counter_count, units;
    /* What units show of a launch in traces, each in a line of its own: names ("core"). */
    const char *const *tracks; /* [track_count] */
    uint32_t track_count;
    bool measured; /* there is code of DP_COST_MEASURED */
    bool places;   /* launches say what each place of their kernels took, */
    /* and further figures of the machine's own of each: names, as of counters. */
    const char *const *place_figures; /* [place_figure_count] */
    uint32_t place_figure_count;
    bool answers;     /* `any` has a cost of its own */
    bool establishes; /* `establish` is there */
    bool lanes;       /* `lanes` is there, and writes of M end stretches, the last one's too */
    /* `select` is there: what VRFs and lanes work is said by micro-ops of their own.  Observers are
     * told of these, and of those of copies and answers. */
    bool selects;
    /* Times depend on how many VRFs work at once; else `vrfs` of follow is 0.  Each batch is then
     * executed by itself. */
    bool at_once;
};

/* When a run begins, and what the clock of its stream is then. */
struct dp_moment {
    uint64_t ps, clock;
};

/* An instruction of a run in time, or a whole run that is one launch.
 *
 * `clock` is what the machine is busy with for one stream of instructions (one batch), as a number
 * that the machine chooses and the caller keeps: 0 is an idle machine, equal numbers have equal
 * futures.  All times count from when the last instruction had been issued, as does what the clock
 * stands for. */
struct dp_issue {
    uint32_t insn;     /* of the run; DP_LAUNCH: all of it */
    uint64_t vrfs;     /* of the batch, where times depend on them (at_once); else 0 */
    uint64_t clock;    /* from the last instruction's issue on */
    uint64_t after_ps; /* the instruction's own slot is over, its templates are there: its micro-ops
                          may be issued */
    /* When the slot begins that is ready at ready_ps, not before; NULL: then. */
    uint64_t (*take)(void *context, uint64_t ready_ps);
    void *context;
};
#define DP_LAUNCH UINT32_MAX
struct dp_times {
    uint64_t issued_ps; /* the front end has issued it; at least after_ps */
    uint64_t done_ps;   /* all of its bits are there; not before issued_ps */
    uint64_t clock;     /* from issued_ps on */
    /* For observers: how long slots of its micro-ops waited until the machine could take them, and
     * how many micro-ops had been issued and had not begun at issued_ps. */
    uint64_t stalled_ps, waiting;
    /* Of a launch: [count of the run], from after_ps; NULL: as `about` says. */
    const uint64_t *insn_done_ps;
    /* The slots of its micro-ops, those that touch joined; where `take` was NULL and the target
     * has several controllers. */
    const struct time_span *slots; /* [slot_count] */
    uint32_t slot_count;
};

/* What a launch took at one place of its kernel (machine_kernel.lines), in all units together. */
struct dp_place_cost {
    uint64_t executed; /* instructions of the kernel */
    uint64_t micro_ops, energy_fj;
    uint64_t unit_ps; /* that units were busy with it */
};

/* Cost of a copy, of an answer or of a launch.  What is pointed to is the caller's and may be NULL.
 */
struct dp_cost {
    uint64_t begin_ps; /* given: when it begins, for observers alone */
    uint32_t lanes;    /* given, of an answer: lanes that may be enabled, from 0 on; 0: all */
    bool known;        /* false: golden, whose costs are null, not zero */
    uint64_t ps;       /* from its begin to its end; of a copy in shares the longest of them */
    uint64_t
        transfer_ps; /* of it, of a launch: what goes over the host's link before and behind, */
    uint64_t transfer_bytes; /* and how many bytes that are */
    uint64_t *share_ps;      /* [share_count of the transfer] */
    uint64_t transfer_fj;    /* energy of data-transfer controllers; of a launch that of the host's
                                link, for what the machine fetches and brings itself */
    uint64_t *uops;          /* [kinds]: micro-ops that it took; added to */
    uint64_t *energy_fj;     /* [parts]: of these; added to */
    uint64_t *kind_fj; /* [kinds]: likewise, where a micro-op has several gates (tables.selects)
                          and of a launch; NULL: kinds take what tables.kinds say */
    /* With tables.places, of a launch that comes to its end: [place_count], added to.  Micro-ops
     * and energy of all places are those of the launch. */
    struct dp_place_cost *places;
    uint32_t place_count;    /* lines of its machine_kernel */
    uint64_t *place_figures; /* [place_count][tables.place_figure_count], likewise */
};

/* Who reads or writes many lanes of a VRF asks for so many at a time: a VRF may have 2^24 of them,
 * and nobody keeps as many values. */
#define DP_PIECE_LANES 4096u
/* Lanes of the next piece when `done` of `count` lanes are done. */
static inline uint32_t dp_piece(uint32_t done, uint32_t count) {
    return count - done < DP_PIECE_LANES ? count - done : DP_PIECE_LANES;
}

enum dp_any { DP_ANY_M, DP_ANY_M_AND_NOT_C };
enum dp_what { DP_REGISTER, DP_C, DP_M, DP_VALID };

/* What the data-transfer controller writes. */
enum dp_source {
    DP_FROM_REGISTER,
    DP_FROM_CONSTANT, /* value */
    DP_FROM_COUNT,    /* value + i, or what is counted instead, where M is 1 */
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
    /* DP_FROM_COUNT: what is counted is (value + i) / every modulo below; 0: 1, and no modulus. */
    uint64_t every, below;
};
/* What lane i of a DP_FROM_COUNT gets. */
static inline uint64_t dp_copy_number(const struct dp_copy *copy, uint32_t i) {
    uint64_t number = copy->value + i;
    number = copy->every > 1 ? number / copy->every : number;
    return copy->below ? number % copy->below : number;
}

/* The share of an MPU in a transfer: transfers of a register, and how many of them follow one
 * another. */
struct dp_share {
    uint32_t mpu;
    uint64_t registers, in_a_row;
    uint64_t index_registers, index_in_a_row; /* of another width, beside these */
};

/* Copies of one width that belong together.
 *
 * Of a MEMCPY, in one MPU: pairs in the order of the header, each from RFH to RFH; the first
 * pair_copies[0] copies are the first pair's, and so on.  A pair takes effect before the next one;
 * the sources of its copies are read before any of them is written.
 * Of a GMOVE or an INDEX: shares, and no pairs; the sources of all copies are read before anything
 * is written.
 * Of a GMOVE with very many copies: `next` gives them, part after part, and copies is NULL. */
struct dp_transfer {
    unsigned width;
    bool masked; /* of an INDEX: lanes may be disabled */
    /* The next part; false behind the last one, and then from the first one on again.  What it
     * gives lasts until it is asked again. */
    bool (*next)(void *context, const struct dp_copy **copies, size_t *count);
    void *context;
    uint64_t reads, writes;       /* with `next`: bit r: some copy reads, or writes, a register r */
    const struct dp_copy *copies; /* [count] */
    size_t count;
    const struct dtc_pair *pairs; /* [pair_count] */
    const uint32_t *pair_copies;  /* [pair_count]; 0: nothing reaches the other end */
    size_t pair_count;
    bool set_up;                   /* the pairs were, by a MEMCPY before */
    unsigned index_width;          /* where shares have registers of that width */
    const struct dp_share *shares; /* [share_count] */
    size_t share_count;
};

/* What an MPU is told of VRFs, as the machine keeps it; all 0: nobody knows. */
struct dp_selected {
    uint32_t words[6];
};
/* VRFs of one MPU that work from now on, first, first + step .. last, in lanes 0 .. lanes - 1. */
struct dp_selection {
    uint32_t first, last, step;
    uint32_t lanes;
};

/* One executed micro-op, as observe reports it. */
struct dp_event {
    uint32_t vrf_first, vrf_count;
    uint32_t insn;     /* of the run, from 0 */
    uint64_t start_ps; /* as the times of execute */
    uint32_t kind;     /* of micro-op, as in dp_cost.uops */
    uint32_t unit;     /* where in each VRF it is executed */
    /* The machine's own, for `format`; it lasts as long as the call of the observer. */
    const void *record;
};
#define DP_TEXT 0 /* the format for people */
typedef void dp_observer(void *context, const struct dp_event *e);
typedef void dp_sink(void *context, const void *bytes, size_t size);

/* An argument of a launch: where it lies among the parameters. */
struct dp_argument {
    uint32_t offset, bytes;
    bool is_signed;  /* of a number */
    uint64_t stride; /* of a buffer: unit u gets its address + u * stride, its own slice; 0: flat */
    /* Bytes of a buffer from that address on, and of these of a unit's own, of one that is split;
     * 0: it is not. */
    uint64_t total, own;
};
/* For traces: a unit was at work in a launch. */
struct dp_bar {
    uint32_t track, unit;  /* of tables.tracks; a VRF */
    uint64_t start_ps, ps; /* since the launch began; how long */
};
/* A kernel, and what it is called with. */
struct dp_launch {
    const void *kernel; /* what its form made of it (machine_form.compile) */
    size_t size;
    const struct kernel_decl *decl; /* as the program has it */
    /* [parameter_bytes] as a structure of C: addresses of 8 bytes, numbers, structures by value;
     * little-endian.  parameter_bytes is at most KERNEL_MAX_PARAMETER_BYTES. */
    const unsigned char *parameters;
    size_t parameter_bytes;
    const struct dp_argument *arguments; /* [argument_count] */
    size_t argument_count;
    uint64_t shared; /* address of what the entries of its module share; 0: nothing */
    /* As its form takes them (machine_form.takes); 0: not said, and the machine's to choose.  What
     * dimensions behind one that is said do not say is 1. */
    uint32_t grid[LAUNCH_DIMS], block[LAUNCH_DIMS];
    uint64_t bytes;             /* that each block has beside what the kernel declares */
    uint32_t first_unit, units; /* units 0: all; VRFs of the machine, in the order of vrf_number */
    /* A program that runs in rounds is launched on one round's units of a larger machine, which has
     * `all_units`: unit u of this one is there number units_before + u, and does what that does.
     * all_units 0: it does not run in rounds. */
    uint32_t units_before, all_units;
    /* Threads of the host that it may use; NULL: the caller's alone.  Nothing that it says, does or
     * asks depends on them (state/units.h).  Less work than part_ps, of a thread, is not worth
     * another one. */
    struct pool *pool;
    uint64_t part_ps;
    /* Asked now and then, by the caller's thread, with the datapath cycles since it began, which do
     * not become less; false: it is to stop, and launch is false without a report.  NULL: nobody
     * wants that. */
    bool (*go_on)(void *context, uint64_t cycles);
    /* With tables.tracks, told of bars by the caller's thread, in an order of the machine's own;
     * those of one track and unit do not overlap.  NULL: nobody draws. */
    void (*bar)(void *context, const struct dp_bar *bar);
    void *context;
    /* Where it stopped with a report: an index of the lines of its machine_kernel.  NULL: nobody
     * asks; UINT32_MAX: it did not, or nowhere. */
    uint32_t *stopped;
    uint32_t *line; /* or the line of its text, from 1; 0: of none.  NULL: nobody asks */
};

/* The program that a kernel is: as launches of it name it. */
struct dp_program {
    const struct kernel_decl *decl;
    const void *code; /* [size] */
    size_t size;
};

/* An argument of at most 8 bytes as a number, with its sign; of a longer one the first 8. */
static inline uint64_t datapath_argument(const struct dp_launch *launch, size_t index) {
    const struct dp_argument *a = &launch->arguments[index];
    unsigned bytes = a->bytes < 8 ? a->bytes : 8;
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)launch->parameters[a->offset + i] << 8 * i;
    return a->is_signed ? (uint64_t)sign_extend(value, 8 * bytes) : value;
}

/* Elements of an array in a register, VRF after VRF: element i is that of lane i mod lanes of VRF
 * vrf + i div lanes. */
struct dp_elements {
    uint32_t vrf, lanes; /* lanes: 1 to as many as a VRF has */
    uint8_t reg;
    uint8_t bits;  /* of the register, from bit 0: 1 to 8 * bytes */
    uint8_t bytes; /* of an element: 1, 2, 4 or 8; little-endian and anywhere in memory */
    bool sign;     /* get: what an element has above `bits` is its sign, else 0 */
    uint64_t count;
    uint64_t step;       /* elements of the array from one of these to the next; put: 0 is the same
                            element for all */
    unsigned char *data; /* the first; put only reads it */
};

struct datapath_ops {
    const char *name; /* "strict", "golden", "check" */
    /* NULL after reporting. */
    struct datapath *(*open)(const struct dp_setup *setup, struct diag *d);
    void (*close)(struct datapath *dp);
    /* Executable code for a run; owned by the datapath.  NULL after reporting (no recipe). */
    struct dp_code *(*prepare)(struct datapath *dp, const struct dp_run *run, struct diag *d);
    void (*describe)(const struct datapath *dp, const struct dp_code *code,
                     struct dp_description *out);
    /* Registers are at other rows from now on, which hold what they hold.  What was prepared before
     * for registers of the same bits stays of use.  NULL, and so `forget`: the machine cannot. */
    void (*remap)(struct datapath *dp, const struct dp_map *map);
    /* Code that nobody executes again; not while an execution is under way. */
    void (*forget)(struct datapath *dp, struct dp_code *code);
    /* Lanes of these VRFs are so wide from now on; where some were at work before, what registers
     * and C held is gone, and they are 0.  Said of a machine with slots before anything is put,
     * copied or bound there: once in a session with kins, and on one with dp_setup.bits whenever
     * VRFs come to other vectors.  NULL: it need not know. */
    void (*shape)(struct datapath *dp, struct vrf_set set, unsigned slot);
    /* Ensemble header: valid lanes and M := valid for each VRF. */
    void (*bind)(struct datapath *dp, const struct dp_binding *bindings, size_t count);
    /* VRFs of the kin are bound for the first time in a session: what their constants and tables
     * take until they are there, MPUs side by side, which is part of loading the program.  Asked
     * before bind; of a VRF that has them nothing more.  Only with tables.establishes. */
    void (*establish)(struct datapath *dp, struct vrf_set set, uint32_t kin, struct dp_cost *cost);
    /* Runs code on all VRFs of set, which have been bound.  begin: when that is, for observers
     * alone.  `out` is NULL for code of fixed cost, and where nobody asks. */
    void (*execute)(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                    struct dp_moment begin, struct dp_outcome *out);
    /* When an instruction takes place.  `about`: as described, or with the times that an execution
     * said.  *out is zeroed.  Asked by one thread at a time, like prepare. */
    void (*follow)(struct datapath *dp, const struct dp_code *code,
                   const struct dp_description *about, const struct dp_issue *issue,
                   struct dp_times *out);
    /* The clock `ps` later. */
    uint64_t (*pass)(struct datapath *dp, uint64_t clock, uint64_t ps);
    /* Memory that clocks take, about; `forget`: nobody has one any more.  NULL where they take
     * none. */
    size_t (*clock_memory)(struct datapath *dp, bool forget);
    /* bits[i]: 1 if some lane of the i-th VRF of the set (in order) has M, or M and not C.  `cost`
     * is filled where the machine answers by itself (tables.answers), NULL where nobody asks; else
     * the front end looks at the mask bits (control.efi_bits_per_cycle). */
    void (*any)(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
                struct dp_cost *cost);
    /* What it takes that these work and no others, which is nothing where it is so.  Words of one
     * MPU are told in their order, copies and answers among them. Only with tables.selects. */
    void (*select)(struct datapath *dp, const struct dp_selection *selection, struct dp_cost *cost);
    /* What the MPU of a VRF has been told, or has been told from here on: batches that follow one
     * another in time go on side by side. Only with tables.selects. */
    void (*selected)(struct datapath *dp, uint32_t vrf, bool restore, struct dp_selected *state);
    /* How many lanes of the VRFs of the set have M, all together.  Whoever wants to know what runs
     * of DP_COST_LANES take, or in how many lanes runs acted, in sets of which he executes several
     * at once asks where M has changed. Only with tables.lanes. */
    uint64_t (*lanes)(struct datapath *dp, struct vrf_set set);
    /* All of a transfer. */
    void (*copy)(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost);
    /* Elements of lanes first .. first + count - 1, as patterns of the register's bits. */
    void (*get)(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
                uint32_t count, uint64_t *values);
    /* Writes bits 0..width-1 of each; bits above are left. */
    void (*put)(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, unsigned width,
                uint32_t first, uint32_t count, const uint64_t *values);
    /* The same for elements of arrays; bits of the register above those are left.  NULL on machines
     * that are content with put and get: callers use datapath_put_elements and
     * datapath_get_elements. */
    void (*put_elements)(struct datapath *dp, const struct dp_elements *x);
    void (*get_elements)(struct datapath *dp, const struct dp_elements *x);
    /* Memory of the machine beside its registers, and programs in it that are not runs (kernels);
     * NULL on machines that have none.  Addresses are the machine's own; each call is whole or
     * fails, with what is wrong reported. */
    bool (*mem_alloc)(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *d);
    /* So many bytes in each of units 0 .. units - 1: those of unit u at address + u * stride.  No
     * slice reaches the next; mem_free of the first frees all.  NULL where all buffers lie flat. */
    bool (*mem_alloc_slices)(struct datapath *dp, uint64_t bytes, uint32_t units, uint64_t *address,
                             uint64_t *stride, struct diag *d);
    /* So many bytes that the program of a kernel has itself in each of units 0 .. units - 1, at the
     * place `at` (LAYOUT_OWN); mem_free gives nothing back.  A unit that has not had the program
     * yet has it from the first access on.  NULL where no form wants that. */
    bool (*mem_own)(struct datapath *dp, const struct dp_program *program, uint64_t at,
                    uint64_t bytes, uint32_t units, uint64_t *address, uint64_t *stride,
                    struct diag *d);
    bool (*mem_free)(struct datapath *dp, uint64_t address, struct diag *d);
    bool (*mem_put)(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                    struct diag *d);
    bool (*mem_get)(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                    struct diag *d);
    /* Slices of mem_alloc_slices in different units may be put and got by several threads at once.
     */
    bool units_apart;
    /* The whole machine carries out a kernel; measured.  cost->transfer_fj is not used. */
    bool (*launch)(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                   struct diag *d);
    /* Appends what stopped that unit in the last launch that it was in; false: nothing did.  NULL:
     * the machine does not say that of each unit. */
    bool (*unit_stopped)(const struct datapath *dp, uint32_t unit, struct str *why);
    /* No launch names this kernel again: what was kept for it can go.  NULL: nothing is kept. */
    void (*forget_kernel)(struct datapath *dp, const struct kernel_decl *decl);
    /* How far the counters [counter_count] are; NULL where there are none. */
    void (*counters)(const struct datapath *dp, uint64_t *values);
    /* How far those of units are: [units][unit_counter_count]; NULL where there are none. */
    void (*unit_counters)(const struct datapath *dp, uint64_t *values);
    /* One call per executed micro-op and range; NULL ends it.  Never changes runs or cost. */
    void (*observe)(struct datapath *dp, dp_observer *observer, void *context);
    /* Appends what a line says of an observed micro-op itself, in a format of the machine
     * (machine.formats; DP_TEXT).  NULL where nothing is observed. */
    void (*format)(const struct datapath *dp, const struct dp_event *e, unsigned format,
                   struct str *out);
    /* Writes what is carried out from here on, in a format that is whole, until write_end with the
     * same context; like an observer it changes nothing.  False after reporting: the machine
     * cannot, or what it did cannot be written so, and what was written is not all of it.  NULL
     * where there is no such format. */
    bool (*write)(struct datapath *dp, unsigned format, dp_sink *sink, void *context,
                  struct diag *d);
    bool (*write_end)(struct datapath *dp, const void *context, struct diag *d);
    /* Appends the name of a cell in its unit, which it sets: "r5[3]".  NULL without cells. */
    void (*cell_text)(const struct datapath *dp, uint32_t cell, struct str *out, uint32_t *unit);
    /* Appends the visible state (save) or takes it from there (restore); false if it does not
     * fit this machine. */
    bool (*snapshot)(struct datapath *dp, bool restore, struct str *state);
};

struct datapath {
    const struct datapath_ops *ops;
    /* NULL, or why the machine cannot go on, once and for good: state could not be had (the memory
     * limit; the VRFs without state then read as 0 and keep nothing), or code came to no end.  Ask
     * after bind, put, and each ensemble. */
    const char *failure;
    /* Of a failure of `execute`: the instruction of its run, and where costs are not measured the
     * code that it was given; else NULL. */
    uint32_t failure_insn;
    const struct dp_code *failure_code;
    /* Sets that are cut at multiples of so many VRFs have no cache line of the state in common; the
     * same throughout, at least 1. */
    uint32_t grain;
    bool observed; /* an observer is told of micro-ops: calls come one after another */
    /* The engine makes code of the host's processor where it can: bits of its vectors, 0: it can
     * not. */
    bool makes_code;
    uint32_t code_bits;
    bool has_cells; /* descriptions say how often which cells are written */
    /* Instructions without a mask, too, reach the valid lanes, and of those behind them perhaps
     * some: what these hold then is not said.  On other machines they reach all lanes. */
    bool valid_alone;
    struct dp_tables tables;
};

/* elements.c: by the machine's own functions, or piece by piece by put and get. */
void datapath_put_elements(struct datapath *dp, const struct dp_elements *elements);
void datapath_get_elements(struct datapath *dp, const struct dp_elements *elements);

/* The engines of a kind of machine, NULL at the end; the first is the default, and is called
 * "strict": every micro-op in order.  "fused" leaves the same bits, costs and events in less time
 * of the host. */
struct datapath_kind {
    const char *kind; /* target_kind.name */
    const struct datapath_ops *const *engines;
};
/* All of them, ended by a kind of NULL (datapaths.c). */
extern const struct datapath_kind datapath_kinds[];
/* NULL if there is none of that name; `engine` NULL: the default, which is also "fused" of a kind
 * that has nothing to fuse. */
const struct datapath_ops *datapath_find(const char *kind, const char *engine);
/* Likewise, or golden, by its name, which stands in for engines of all kinds; "strict" and "fused"
 * of golden's own kind are it too. */
const struct datapath_ops *datapath_engine(const struct target_kind *kind, const char *engine);

/* Host arithmetic, one lane at a time: what machines are checked against (machines/golden). */
extern const struct datapath_ops golden_ops;
/* Whether golden carries out kernels of that form, by an interpreter of it (portable/). */
bool golden_launches(const char *form);
/* An engine of the target's kind (dp_setup.engine) and golden side by side (machines/check). */
extern const struct datapath_ops check_ops;
/* check_ops only: true, with a description appended, when the two differed; the control path asks
 * after each ensemble (compares every visible plane of the VRFs bound since the last call). */
bool check_differs(struct datapath *dp, struct str *what);
/* check_ops only: what was compared since the last call: how often, and in how many valid lanes,
 * which count once each time. */
struct check_counts {
    uint64_t ensembles, elements;
    /* Kernels, after each of which all memory was compared, bytes of it each time, and bytes that
     * depend on the order of threads, which were not. */
    uint64_t launches, bytes, unsettled;
};
struct check_counts check_take_counts(struct datapath *dp);
/* check_ops only: true if the memory of the two differed after the latest launch. */
struct check_memory {
    uint64_t
        address; /* of 8 bytes, or fewer at the end, that begin at a multiple of 8 of a slice */
    uint32_t size;
    const char *engine;                 /* the name of the one that `strict` is of */
    unsigned char strict[8], golden[8]; /* [size] */
    uint32_t byte;                      /* the first of them that differs */
    uint32_t line;                      /* of the text that wrote it last on golden; 0: none did */
};
bool check_memory_differs(struct datapath *dp, struct check_memory *out);

#endif
