/* SPDX-License-Identifier: MIT
 * The control path: fetch, ensembles, batches, activation, masks, transfers; one for all targets.
 * It drives any datapath of machines/datapath.h and adds only the front end's slots and clock. */
#ifndef EMU_CONTROL_CONTROL_H
#define EMU_CONTROL_CONTROL_H

#include "emu/control/wear.h"
#include "machines/datapath.h"
#include "emu/timing/parts.h"
#include "emu/timing/span.h"
#include "emu/timing/recipe_tables.h"
#include "linker/package.h"

/* What control paths of one program on one machine have in common, one after another: code that
 * was prepared, and what was made of moves. */
struct control_keep;
struct control_keep *control_keep_new(void);
/* Bytes that it takes, about. */
uint64_t control_keep_bytes(const struct control_keep *keep);
/* The package's moves are others from now on. */
void control_keep_forget_moves(struct control_keep *keep);
/* Lets moves go, then code that was not used for longest, until the rest takes so many bytes at
 * most; `dp`: as below. */
void control_keep_trim(struct control_keep *keep, struct datapath *dp, uint64_t most);
/* `dp`: the machine, whose functions remap and forget are there, and no run is under way. */
void control_keep_free(struct control_keep *keep, struct datapath *dp); /* NULL: nothing */

enum batch_mode { BATCH_TARGET, BATCH_ONE, BATCH_ALL };

/* What one stream of control carries out at once: several vector instructions, or one instruction
 * of another kind. */
struct control_step {
    uint32_t index, count;    /* in the text: index .. index + count - 1 */
    uint32_t mpu, other_mpus; /* the lowest of the MPUs, and how many more go in step with it */
    uint32_t batch;           /* in a body: NO_INDEX: all batches in step */
    bool in_body;             /* of a compute ensemble */
    bool executes;            /* on the datapath, whose observer then sees the micro-ops */
    struct vrf_set vrfs;      /* in a body: those that carry it out; until the step is over */
    /* When it was issued, as far as that is known when the step is told: by the MPU's clock; in a
     * body, since the start of the batch.  Not known where costs are unknown. */
    bool time_known;
    uint64_t time_ps;
};

struct control_config {
    enum batch_mode batch;
    uint64_t max_cycles;  /* front-end slots plus datapath cycles; 0 = no limit */
    uint64_t max_seconds; /* of host time; 0 = no limit */
    unsigned threads;     /* of the host, the caller's among them: 0 and 1 are the caller's alone */
    uint64_t part_ps;     /* least work of a part that goes to a thread; 0: as much as pays */
    const struct move_limits *move_limits; /* NULL: the usual ones */
    struct control_keep *keep;             /* NULL: all ends with the control path */
    struct timing_tables *tables;          /* timing_setup.tables */
    bool cost_unknown; /* the datapath has no costs (golden): figures are null, not 0 */
    bool check; /* the datapath checks (machines/check): ask check_differs after each ensemble */
    /* With check and a target whose control.order is paper, else NULL.  reference: a machine of
     * golden, which gets the state of `dp` when a run begins.  reference_of, in the control path
     * that works on that machine: the control path that it is compared with. */
    struct datapath *reference;
    const struct control *reference_of;
    /* For a run that only counts what the program takes, on a machine with dp_setup.costs_only:
     * loops that depend on data are left after so many laps, and nothing is printed or asserted.
     * 0: the data decide. */
    uint32_t count_laps;
    /* Limits of such a run, 0 = none.  max_steps: steps of the first MPU, whose number does not
     * depend on where groups lie.  max_work: all steps of all MPUs and batches, which is what takes
     * the host's time. */
    uint64_t max_steps, max_work;
    const volatile int *interrupted;                /* stops when it becomes nonzero; may be NULL */
    void (*print)(void *context, const char *line); /* PRINT and notes; may be NULL */
    void *print_context;
    /* [program.buffers.len]: where they lie in the machine's memory; NULL: kernels are passed over,
     * and take nothing. */
    const uint64_t *buffers;
    const uint64_t *strides; /* likewise, from one unit to the next (dp_argument.stride) */
    const uint64_t *modules; /* [program.modules.len]: likewise, what their entries share */
    /* The program is nothing but a launch that somebody asked for: messages name its kernel, and no
     * instruction. */
    bool one_launch;
    uint64_t launched; /* kernels that were launched before this program's */
    /* For a program that runs in rounds, else NULL; called when every MPU has ended.  Returns the
     * package as the next round sees it, valid until the next call, after it has put the round's
     * inputs on the machine, which is otherwise as at the start; NULL when there is no further
     * round. */
    const struct package *(*next_round)(void *context);
    void *round_context;
    /* Called about once a second of host time, for a line on a terminal; may be NULL. */
    void (*progress)(void *context, uint64_t seconds, uint64_t ensembles, uint64_t cycles);
    void *progress_context;
    /* Called for everything that a unit of an MPU did, for traces; may be NULL. */
    void (*span)(void *context, const struct timing_span *s);
    void *span_context;
    bool span_bars; /* also called for instructions inside of batches */
    /* Called before each step, for logs; may be NULL. */
    void (*step)(void *context, const struct control_step *s);
    void *step_context;
    /* With step: vector instructions are executed one at a time, each a step of its own.  Times and
     * costs stay those of whole runs.  Not for machines that measure these (dp_tables.measured). */
    bool step_each;
};

enum control_end {
    CONTROL_DONE,
    CONTROL_STOPPED, /* the program stopped on an error: message says why and where */
    CONTROL_LIMIT,   /* of cycles, seconds, steps or work */
    CONTROL_INTERRUPTED,
    CONTROL_DIFFERS, /* --check found a difference */
};

/* The run of vector instructions in which the datapath took most power. */
struct control_peak {
    uint64_t power_nw;
    uint64_t energy_fj; /* of one execution on all VRFs at once */
    uint64_t time_ps;   /* from its start on an idle machine to its last bit; 0: there was none */
    uint64_t vrfs;      /* at once */
    uint32_t first, count; /* text indices */
};

/* Windows in which an MPU's power density was above the target's limit: how many, and the worst. */
struct control_heat {
    uint64_t windows;
    uint64_t mw_per_cm2;
    uint32_t mpu;
    uint64_t start_ps, end_ps;
    uint32_t index; /* the first instruction of the run that took most in it */
};

/* What predication takes of the micro-ops and of the energy of the datapath. */
struct control_masks {
    bool known;
    /* What instructions under a mask take in their masked forms beyond the unmasked ones. */
    uint64_t micro_ops, energy_fj;
    /* Of the instructions that write or read M. */
    uint64_t instruction_micro_ops, instruction_energy_fj;
};

/* What units counted, each of its own. */
struct control_unit_counter {
    uint64_t sum, least, most;
};

/* Constants and tables of VRFs, put there before they are used: part of loading. */
struct control_established {
    uint64_t vrfs, time_ps, micro_ops, energy_fj;
};

/* Totals of a run, all its rounds together; every sum is exact. */
struct control_stats {
    uint64_t time_ps;      /* end of the last MPU's work, kernel alone */
    uint64_t instructions; /* executed, summed over MPUs and batches */
    /* Vector instructions, each counted once for every lane that was enabled for it: what a program
     * has done, whatever the machine. */
    uint64_t element_instructions;
    bool element_instructions_known;
    uint64_t ensembles, batches, transfers;
    /* Of the transfers those for variables in VRFs of their own: their time, as if nothing else
     * went on, and what the data-transfer controllers took for them. */
    uint64_t spill_transfers, spill_ps, spill_fj;
    uint64_t cut_batches;               /* of the batches, ranges cut off (docs/network.md) */
    uint64_t launches;                  /* of kernels */
    uint64_t messages, message_bytes;   /* sent; their elements */
    uint64_t message_hops;              /* summed over messages: target_hops */
    uint64_t messages_passed;           /* through a data buffer, to break a cycle of full queues */
    uint64_t messages_left;             /* sent and never received */
    uint64_t mpu_time_ps;               /* times of all MPUs together */
    uint64_t part_ps[TIMING_PARTS];     /* of the MPU that is done last: they add up to time_ps */
    uint64_t part_cycles[TIMING_PARTS]; /* front-end cycles, summed over MPUs */
    uint64_t issue_slots;               /* the sum of part_cycles */
    uint64_t datapath_cycles; /* critical path: datapath time / datapath period, rounded up */
    /* Sums of parts: compute; transfer and network; host; all others. */
    uint64_t compute_ps, transfer_ps, host_ps, control_ps;
    bool cost_known;
    const uint64_t *uops;      /* [kinds of the machine]; the control path's */
    const uint64_t *energy_fj; /* [parts of its energy]; likewise */
    const uint64_t *kind_fj;   /* [kinds]: what they took, of the same; likewise */
    const uint64_t *counters;  /* [its counters]: what it counted while the program ran; likewise */
    const struct control_unit_counter *unit_counters; /* [those of its units]; likewise */
    uint64_t transfer_fj;                             /* of data-transfer controllers */
    uint64_t network_fj;                              /* of messages on links between MPUs */
    uint64_t front_end_fj, static_fj;
    uint64_t host_fj;                           /* the host's CPU; 0 with CONTROL_MPU */
    uint64_t vrfs_used, mpus_used, lanes_valid; /* lanes with an element, at most at once */
    uint64_t rounds;
    uint64_t elements; /* lanes_valid of each round, summed */
    uint64_t steps;    /* of the first MPU, as control_config.max_steps counts them */
    bool laps_counted; /* control_config.count_laps decided some loop */
    struct control_wear wear;
    struct control_peak peak;
    struct control_heat heat;
    struct control_masks masks;
    struct control_established established;
};

/* Counts per text index, for by_instruction and by_line. */
struct control_insn_stats {
    uint64_t executed;  /* times, summed over batches and MPUs */
    uint64_t micro_ops; /* summed over VRFs */
    uint64_t energy_fj; /* of datapath, transfers, messages and front-end cycles */
    uint64_t time_ps;   /* of the precoder or a controller for it, hidden or not; summed likewise */
};
/* Of one RECIPE, what the kernel took that it launched. */
struct control_kernel_stats {
    uint32_t index, kernel; /* of the RECIPE in the text; of the kernel in the program */
    uint64_t launches;
    uint64_t time_ps; /* from its begin to its end, all launches; the same, summed over the MPUs */
    uint64_t mpu_time_ps;                 /* that waited for it */
    uint64_t transfer_ps, transfer_bytes; /* over the host's link (dp_cost) */
    struct dp_place_cost *places;         /* [place_count]: by the lines of its package_kernel */
    uint64_t *figures; /* [place_count][tables.place_figure_count]: the machine's own */
    uint32_t place_count;
};
struct control_region_stats { /* from a MARK to the next; region 0 = before the first */
    uint32_t mark;            /* debug record, or NO_INDEX */
    uint64_t time_ps, micro_ops;
    uint64_t energy_fj; /* as of instructions */
};

/* Tells a machine with slots, on which nothing is yet, how wide lanes are where the package's
 * groups and fixed VRFs lie. */
void control_shape(const struct package *package, const struct target *target, struct datapath *dp);

struct control;
/* `package`: as the first round sees it. */
struct control *control_new(const struct object *program, const struct package *package,
                            const struct target *target, struct datapath *dp,
                            const struct control_config *config);
enum control_end control_run(struct control *control);
/* After an end other than CONTROL_DONE: one line, and where (text index, mpu, batch, lane). */
const char *control_message(const struct control *control);
uint32_t control_index(const struct control *control);
/* What else is to be said about the end, one line each: which MPU waits for what. */
struct control_note {
    uint32_t index; /* where in the text; NO_INDEX: nowhere */
    const char *text;
};
const struct control_note *control_notes(const struct control *control, size_t *count);
const struct control_stats *control_stats(const struct control *control);
/* After a run whose wear is known: what was written where. */
/* With a `vrf` of that one alone. */
void control_wear_each(const struct control *control, const uint32_t *vrf,
                       const struct wear_visit *visit);
/* Appends the name of a cell, and sets its section. */
void control_cell_text(const struct control *control, uint32_t cell, struct str *out,
                       uint32_t *section);
/* The machine's names of what the statistics count. */
const struct dp_tables *control_tables(const struct control *control);
const struct control_insn_stats *control_insn_stats(const struct control *control); /* [text.len] */
const struct control_region_stats *control_regions(const struct control *control, size_t *count);
/* Those that were launched, on a machine that says it (dp_tables.places). */
const struct control_kernel_stats *control_kernels(const struct control *control, size_t *count);
void control_free(struct control *control);

#endif
