/* SPDX-License-Identifier: MIT
 * What the files of the control path share. */
#ifndef EMU_CONTROL_STATE_H
#define EMU_CONTROL_STATE_H

#include "emu/control/control.h"
#include "emu/control/ensemble.h"
#include "emu/control/flow.h"
#include "emu/control/heat.h"
#include "emu/control/known.h"
#include "emu/control/message.h"
#include "emu/control/order.h"
#include "emu/control/spread.h"
#include "emu/control/stream.h"
#include "emu/control/wear.h"
#include "machines/dtc/dtc.h"
#include "machines/dtc/tree_ranges.h"
#include "support/map.h"

/* A prepared run and how often it was executed. */
struct prepared_run {
    struct dp_code *code;
    uint32_t first, count;
    uint32_t kin; /* of the VRFs that carry it out */
    bool masked;
    int8_t masked_after; /* predication after it: 0, 1, or -1 = as before */
    struct dp_description about;
    /* As the execution of DP_COST_MEASURED said that is looked at, whose times are its strand's. */
    struct dp_description measured;
    uint32_t number;           /* of the timing model */
    uint64_t batches, vrfs;    /* executions, summed over batches; over VRFs */
    VEC(uint64_t) region_vrfs; /* those over VRFs, by region */
    /* Used where energy depends on lanes, or where M keeps instructions from some lanes.
     * stretch_fj, stretch_under [about.stretches]: what all instructions of a stretch take of one
     * lane, and how many of them act under M.  region_lanes [region][about.stretches]: lanes
     * enabled, summed over executions.  parts [part_count]: code of the stretches that have
     * instructions, where there are several (control_run_part). */
    uint64_t *stretch_fj;
    uint32_t *stretch_under;
    VEC(uint64_t) region_lanes;
    struct run_part *parts;
    uint32_t part_count;
    uint64_t vrf_fj;          /* energy of one execution in one VRF, whatever its lanes */
    struct control_peak peak; /* of those executions that told their cost themselves */
    struct run_wear wear;
    uint64_t most_at_once; /* VRFs that carried it out at the same time */
    uint32_t under_mask;   /* how many of its instructions M keeps from lanes */
    uint64_t elements;     /* in the VRFs, summed over executions */
};

/* What one execution of a run by a strand costs. */
struct run_cost {
    const struct dp_description *about; /* with the times that the execution told, until the next */
    uint64_t latency_ps;                /* from its start on an idle machine to its last bit */
    uint64_t energy_fj;
};

struct marked_region {
    uint32_t mark; /* debug record, or NO_INDEX for what is before the first MARK */
    uint64_t micro_ops, energy_fj;
};

/* A value that PRINT wrote; kept until the footer. */
struct printed {
    uint32_t pc, record;
    uint32_t group, vrf; /* one of them: a group, or NO_INDEX and a fixed VRF */
    uint64_t element;    /* of the group, or a lane */
    uint64_t order;      /* among all that were printed */
    uint64_t value;
};

/* Where an assertion fails. */
struct failing_element {
    uint32_t group; /* NO_INDEX: of a fixed VRF */
    uint32_t vrf, lane, batch;
    uint64_t element;
    uint64_t count; /* elements in which it fails, of which this is the first; 0: none */
};

/* How often a question about data, at a place in the text, was answered by counting laps. */
struct lap_count {
    uint32_t pc, asked; /* since the loop was left the last time */
};
struct lap_counts {
    VEC(struct lap_count) list;
};

/* One stream of control in a body: a batch, or all batches of all MPUs that work in step. */
/* What a machine is told of the VRFs that work (tables.selects). */
struct strand_selected {
    bool apart; /* its MPU has several batches, each with a state of its own */
    struct dp_selected state;
    bool known;                /* since `on` changed */
    dtc_ranges ranges;         /* of `on` */
    uint32_t lanes;            /* up to the last with an element */
    VEC(struct vrf_range) set; /* of one range, while it is executed */
};

struct strand {
    uint32_t mpu, batch;  /* NO_INDEX both when it stands for all of them */
    uint32_t mpus;        /* how many it stands for */
    uint64_t weight;      /* batches it stands for, in all MPUs together */
    uint64_t in_a_row;    /* the most of them that one MPU runs one after another */
    uint32_t at_once;     /* VRFs that work at the same time, while none is switched off */
    uint32_t largest;     /* of all batches that it stands for, VRFs of the largest */
    const uint32_t *vrfs; /* [vrf_count], ascending */
    uint32_t vrf_count;
    const struct ensemble *ensemble; /* whose VRFs these are */
    struct off_state *off;           /* [vrf_count], or NULL while nothing was ever switched off */
    uint32_t off_count;
    uint32_t kin;               /* of all of them */
    struct prepared_run **runs; /* of the kin: control_bodies.runs, from its first on */
    struct vrf_set on;          /* the VRFs that are not switched off */
    uint64_t elements;          /* that these hold */
    struct vrf_range *ranges;   /* storage of `on`, or NULL when it is the ensemble's */
    struct strand_selected selected;
    struct flow flow;
    bool masked, finished;
    struct path_record path; /* for the timing model; with `told`, what it has not been told yet */
    struct batch_run *told;  /* or NULL: control_account_path */
    uint32_t region;
    uint64_t heat_fj, hot_fj; /* of the datapath, all VRFs; the most that one run took */
    uint32_t hot_index;       /* that run's first instruction */
    /* For observers alone: when the next step is issued and when the last one is done, since the
     * start of the batch, as if nothing but slots and the datapath took time; `clock` is the
     * machine's. */
    uint64_t clock, time_ps, done_ps;
    /* Of the run that was executed last, on machines whose executions tell their cost. */
    struct dp_outcome outcome;
    uint64_t *outcome_words; /* what it points to */
    bool lanes_known;        /* `lanes` is valid: how many lanes of `on` M enables */
    uint64_t lanes;
    size_t outcome_room;
    struct lap_counts laps;
    struct known_registers *known; /* in a run that counts */
};
struct off_state {
    bool off, loop; /* loop: until the pc is outside of low..high; else: until it reaches low */
    uint32_t low, high, depth;
};

/* Code that was prepared. */
struct control_codes {
    struct map by_words; /* words of a run, kin, predication -> struct shared_code * */
    struct arena memory;
    uint64_t bytes; /* that the code takes, about */
    uint64_t used;  /* how often code was asked for */
};

/* What was prepared from the text; run.c and ensemble.c fill it. */
struct control_bodies {
    /* [run_count]: of each kin, of each instruction: unmasked, masked.  front [2 * kin]: those at
     * which the strands of a step stand. */
    struct prepared_run **runs, **front;
    size_t run_count;
    uint32_t kin_count;
    struct control_codes *codes; /* config.keep's, or own_codes */
    struct control_codes own_codes;
    struct map ensembles; /* header words -> struct ensemble *, of the round at work */
    struct arena memory;  /* of runs and ensembles */
    uint8_t *kind;        /* [text.len]: enum body_kind */
    struct ensemble_maker maker;
};

/* Flag A of an MPU: whether some lane of the ensemble's VRFs was enabled at its footer. */
struct control_flag {
    uint32_t vrfs;
    bool some;
    uint32_t first, last, lanes; /* of the VRFs, and lanes up to the last with an element */
};

/* Which MPU is in which stream; stream.c. */
struct control_streams {
    VEC(struct stream *) list; /* those that have not ended, in the order of their lowest MPUs */
    struct stream **of;        /* [package.mpus]; NULL: has ended, or takes no part */
    uint8_t *marks;            /* [package.mpus]: scratch of steps that split streams */
    struct control_flag *a;    /* [package.mpus]: A as the MPU's last footer set it */
};

/* Copies of moves; gmove.c. */
struct control_gmoves {
    struct gmoves_made *made; /* [program.moves]: made when first needed */
    uint64_t copies;          /* how many, of moves that are made anew for a lap */
};

/* Used in a run that counts laps; count.c. */
struct control_counting {
    struct lap_counts laps;         /* of JUMP_ANY */
    struct known_registers *groups; /* [groups], or NULL; of their VRFs between ensembles */
    enum known_bit any;             /* what a JUMP_ANY finds */
};

/* What is compared with the limits of a run; stop.c asks, account.c adds. */
struct control_limits {
    uint64_t started_ns, progress_s; /* of the host */
    uint64_t work;                   /* for max_work */
    uint64_t cycles;                 /* for max_cycles: of steps that all MPUs took together */
    uint64_t *mpu_cycles;            /* [package.mpus]: of the others */
    uint64_t most_mpu_cycles;
    uint64_t *ensemble_cycles; /* [package.mpus]: of the compute ensemble at work */
    uint64_t busiest_cycles;   /* the most of ensemble_cycles */
};

/* Power and its caps; heat.c. */
struct control_power {
    struct heat_window *windows; /* [package.mpus], or NULL */
    struct map powers;           /* words of instructions -> nW in one VRF */
    uint32_t *caps;              /* [text.len]: control_heat_cap of a body; 0: not asked for yet */
};

/* What was counted; account.c. */
struct control_account {
    VEC(struct marked_region) regions;
    uint8_t *used_vrfs; /* [VRFs of the MPUs]: was ever bound */
    bool whole;         /* the whole machine was launched: all of it is in use */
    struct control_insn_stats *insns;
    uint64_t *uops, *energy_fj; /* of the statistics: [kinds], [parts] */
    uint64_t *kind_fj;          /* likewise, [kinds] */
    /* Likewise: copies, answers and kernels write theirs here. */
    uint64_t *answer_uops, *answer_fj;
    uint64_t *answer_kind_fj; /* NULL: kinds take what they say */
    uint64_t *launch_kind_fj; /* of kernels */
    uint64_t *counters;       /* likewise, [counters]; before the end: as they were at the start */
    uint64_t *unit_values;    /* [units][unit counters]: as they were at the start */
    struct control_unit_counter *unit_counters;
    struct control_stats stats;
    struct control_region_stats *region_stats;
    VEC(struct control_kernel_stats) kernels;
    uint64_t round_lanes; /* lanes with an element, at most at once in this round */
};

/* What PRINT collected; debug.c. */
struct control_prints {
    struct printed *data;
    size_t len, cap;
};

/* Answers of the datapath to `any`; strand.c. */
struct control_answers {
    uint8_t *bits;
    uint32_t cap;
};

/* How the program ended, once it has; stop.c. */
struct control_ended {
    enum control_end how;
    struct str message;
    uint32_t index;
    bool names_kernel; /* the message does */
};

struct control {
    const struct object *program;
    const struct package *package;
    const struct target *target;
    struct datapath *dp;
    struct control_config config;
    struct diag *diag;
    struct arena arena;
    struct text text;
    uint32_t *mpus; /* [mpu_count]: MPUs in use, ascending */
    uint32_t mpu_count;

    struct stream *now; /* the stream whose step is being taken */
    struct flow top;    /* its flow */
    uint32_t region;    /* its region */
    bool launching;     /* the step is one that the datapath carries out: a kernel */

    struct control_bodies bodies;
    struct control_streams streams;
    struct ensemble_order order;
    struct network network;
    struct control_gmoves gmoves;
    struct spread spread;
    struct control_counting counting;
    struct control_limits limits;
    struct timing *timing; /* NULL where costs are unknown */
    struct dtc *dtc;       /* made when first needed */
    struct control_power power;
    struct control_account account;
    struct control_prints prints;
    VEC(struct control_note) notes;
    struct control_answers answers;
    struct control_ended ended;
};

/* ---- stop.c ---- */
/* Where something happened; NO_INDEX: does not apply. */
struct stop_place {
    uint32_t index, mpu, batch, vrf, lane;
};
#define STOP_AT(i) ((struct stop_place){(i), NO_INDEX, NO_INDEX, NO_INDEX, NO_INDEX})
/* Ends the program; the first call counts.  Always false, to be returned. */
bool control_stop(struct control *control, enum control_end end, struct stop_place at,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Something else to be said about the end; `index`: NO_INDEX, or where in the text. */
void control_note(struct control *control, uint32_t index, const char *text);
/* Appends an instruction as assembly writes it, with the names that the program gives to moves and
 * to its own instructions. */
void control_describe_insn(const struct control *control, const struct insn *insn, struct str *out);
/* False when a limit is reached or the user wants to stop: asked before every step. */
bool control_may_go_on(struct control *control, uint32_t index);
/* Work that takes the host as long as so many steps, for max_work. */
#define WORK_OF_PART 16 /* the time of a body in one MPU */
static inline void work_add(struct control *control, uint64_t steps) {
    control->limits.work += steps;
}

/* Starts the clock of limits in seconds. */
void control_start_clock(struct control *control);
/* After an ensemble that ended at `index`: false after stop when the datapath ran out of memory
 * or --check found a difference. */
bool control_machine_is_sound(struct control *control, uint32_t index);

/* ---- top.c ---- */
enum top_result { TOP_ON, TOP_ENDED, TOP_STOPPED };
/* One instruction or ensemble of the stream at work. */
enum top_result control_top_step(struct control *control);

/* ---- turn.c ---- */
/* Lets the streams take steps until all MPUs have ended, or the program stops. */
void control_streams_run(struct control *control);
/* One step of one stream; false when the program stopped. */
bool control_streams_turn(struct control *control);

/* ---- stream.c ---- */
/* One stream for all MPUs that start at the same place. */
void control_streams_open(struct control *control);
void control_streams_close(struct control *control);
/* The MPUs of the stream at work with out[mpu] != 0 leave it and go on at `pc`, or wait there.
 * False if these are all of its MPUs: then the stream at work itself stands at `pc`. */
bool control_stream_leave(struct control *control, const uint8_t *out, uint32_t pc,
                          enum stream_state state);
/* The stream of an MPU, NULL if the MPU has ended. */
static inline struct stream *control_stream_of(const struct control *control, uint32_t mpu) {
    return control->streams.of[mpu];
}
/* control_stream_enter makes a stream the one at work; control_stream_suspend writes flow and
 * region of the one at work back into it. */
void control_stream_enter(struct control *control, struct stream *stream);
void control_stream_suspend(struct control *control);
/* An MPU joins the stream, as the last of its list. */
void control_stream_take(struct control *control, struct stream *stream, uint32_t mpu);
void control_stream_remove(struct control *control, struct stream *stream);
/* An MPU that waits in `state` may find what it waits for. */
void control_stream_wake(struct control *control, uint32_t mpu, enum stream_state state);
/* For an instruction that several MPUs carry out together, those with named[mpu] != 0: the others
 * of the stream at work step over it.  True if all named ones stand at its pc; otherwise the stream
 * at work, if any MPU is left in it, waits for them. */
bool control_stream_gather(struct control *control, const uint8_t *named);
/* After such an instruction was carried out: the other streams that waited at the pc step over it,
 * too.  The stream at work still stands at the pc. */
void control_stream_gathered(struct control *control);
static inline bool all_together(const struct control *control) {
    return control->now->count == control->mpu_count;
}

/* ---- rounds.c ---- */
/* Called when all MPUs have ended: makes them start the next round, if there is one. */
bool control_rounds_next(struct control *control);
/* The package as another round sees it. */
void control_rounds_take(struct control *control, const struct package *package);

/* ---- order.c ---- */
/* True if control.order is paper and a stretch of ensembles begins at the pc. */
bool control_order_begins(struct control *control);
/* Carries it out; the pc is then behind it. */
bool control_order_stretch(struct control *control);

/* ---- order_check.c ---- */
void control_order_open(struct control *control);
void control_order_close(struct control *control);
/* Called when the streams were opened: those of the reference start from the same bits. */
void control_order_begin(struct control *control);
/* Called after a turn of the streams: the reference takes the same turn, and after a stretch the
 * machines are compared.  False after stop. */
bool control_order_follow(struct control *control);

/* ---- message.c ---- */
void control_network_open(struct control *control);
void control_network_close(struct control *control);
bool control_send_step(struct control *control);
bool control_recv_step(struct control *control);
/* The MPU that a SEND or RECV names if `mpu` carries it out; NO_INDEX: none, it is skipped. */
uint32_t control_message_partner(const struct control *control, const struct insn *insn,
                                 uint32_t mpu);
/* control_message_put writes what a message brings to one register; control_message_get reads what
 * one takes of it. */
void control_message_put(struct control *control, const struct message_copy *copy,
                         const uint64_t *values);
void control_message_get(struct control *control, const struct message_copy *copy,
                         uint64_t *values);
/* Appends what the copy reads to the values of the message. */
void control_message_take(struct control *control, const struct message_copy *copy,
                          struct control_message *message);
/* `count` lanes of the copy, from its lane number `done` on. */
struct message_copy control_message_part(const struct message_copy *copy, uint32_t done,
                                         uint32_t count);
/* The queue, which is made when first asked for. */
struct queue *control_message_queue(struct control *control, uint32_t from, uint32_t to);
/* The oldest message goes into the data buffer of its sender; its place is free. */
void control_queue_pass(const struct control *control, struct queue *queue);

/* ---- deadlock.c ---- */
/* Called when no stream can go on.  True if a cycle of full queues was broken; else false after
 * stop. */
bool control_break_deadlock(struct control *control);

/* ---- keep.c ---- */
struct control_codes *control_keep_codes(struct control_keep *keep);
/* What was made of moves, from run to run. */
struct control_moves {
    struct gmoves_made *made; /* [count]; NULL: nothing yet */
    size_t count;
    uint64_t bytes; /* that it takes, about */
};
struct control_moves *control_keep_moves(struct control_keep *keep);
void control_moves_free(struct control_moves *moves);
struct shared_code;
void control_codes_put(struct control_codes *codes, const char *key, size_t size,
                       struct shared_code *code);

/* ---- run.c ---- */
/* Code for the same words under the same predication is prepared once, wherever they stand. */
struct shared_code {
    struct dp_code *code;
    struct dp_description about;
    uint64_t used; /* control_codes.used when it was asked for last */
};
/* The run at which the strand stands; NULL after stop. */
struct prepared_run *control_run_get(struct control *control, const struct strand *strand);
/* --- select.c --- */
/* A strand of a batch begins, goes on, has gone on, and ends: batches are carried out side by side,
 * and in time one after another. */
void control_select_begin(struct control *control, struct strand *strand);
void control_select_enter(struct control *control, struct strand *strand);
void control_select_leave(struct control *control, struct strand *strand);
void control_select_end(struct control *control, struct strand *strand);
/* How many ranges the VRFs of the strand are that are on; only where the machine is told of them
 * (tables.selects). */
uint32_t control_select_ranges(struct strand *strand);
/* Lanes of them up to the last one with an element; 0 where no machine is told. */
uint32_t control_select_lanes(const struct control *control, struct strand *strand);
/* The machine is told of one of them, for instruction `index`; the time that it takes. */
uint64_t control_select(struct control *control, struct strand *strand, uint32_t range,
                        uint32_t index);
/* Its VRFs, until it is asked again. */
struct vrf_set control_select_set(struct strand *strand, uint32_t range);

/* Writes per row, from all runs. */
void control_runs_wear(struct control *control);
/* The run that took most power. */
void control_runs_peak(struct control *control);
/* What masks cost, from all runs: to compare, each different instruction under a mask is prepared
 * once without it. */
void control_runs_masks(struct control *control);
/* Counts one more execution of the run by the strand. */
void control_run_note(const struct control *control, struct prepared_run *run,
                      const struct strand *strand, const struct run_cost *cost);
/* Adds the run to the strand's path, with what its execution measured; `off`: as of STEP_RUN. */
void control_run_post(struct strand *strand, const struct prepared_run *run, uint64_t off);
/* Prepares the strand's outcome for an execution of the run. */
void control_run_begin_outcome(const struct control *control, const struct prepared_run *run,
                               struct strand *strand);
/* What the execution of the run on the strand's VRFs cost. */
struct run_cost control_run_cost(struct control *control, struct prepared_run *run,
                                 const struct strand *strand);
/* The times of a run, its instructions one after another, on a batch of so many VRFs and a machine
 * that is as busy as `clock` says; since the end of the last slot before it. */
struct run_times {
    uint64_t issued_ps, done_ps, clock;
};
struct run_times control_run_times(struct control *control, const struct prepared_run *run,
                                   const struct dp_description *about, uint64_t vrfs,
                                   uint64_t clock);
/* The run was executed on the VRFs of a set. */
void control_run_executed(struct prepared_run *run, struct vrf_set set);
/* True if the run's energy depends on enabled lanes, whose number the machine tells for any set. */
bool control_run_counts_lanes(const struct control *control, const struct prepared_run *run);
/* For such a run: code of number `part` of those stretches that have instructions, and the
 * stretch's own number.  NULL after reporting. */
struct dp_code *control_run_part(struct control *control, const struct prepared_run *run,
                                 uint32_t part, uint32_t *stretch);
/* Code of the i-th instruction of a run alone.  NULL after reporting. */
struct dp_code *control_run_insn(struct control *control, const struct prepared_run *run,
                                 uint32_t i);
void control_runs_free(struct control *control);

/* ---- strand.c ---- */
void control_strand_begin(struct control *control, struct strand *strand,
                          const struct ensemble *ensemble, const struct batch *batch,
                          uint32_t body);
void control_strand_end(struct strand *strand);
/* Executes the run at which the strands front[0..count) stand, if there is one, for all of them
 * together; each strand's step is charged for it later.  When somebody watches, nothing is done
 * here: each strand's step executes its own.  False after stop. */
bool control_strands_execute(struct control *control, struct strand *strands, const uint32_t *front,
                             uint32_t count);
/* One instruction, or one run of them, whose bits are there; false after stop. */
bool control_strand_step(struct control *control, const struct ensemble *ensemble,
                         struct strand *strand);
struct stop_place control_strand_place(const struct strand *strand);
/* bits[i] of the i-th VRF that is on: some lane has `what`.  Returns whether any has.  `cost` as
 * for the datapath's `any`. */
bool control_strand_any(struct control *control, const struct strand *strand, enum dp_any what,
                        struct dp_cost *cost);

/* ---- count.c ---- */
/* With control_config.count_laps: whether the jump on data from pc to target is taken.  A backward
 * jump is taken in all laps but the last.  A forward jump is not taken until all laps are counted,
 * and then is: it may be the way out of a loop; if it leads past a body, that is carried out rather
 * than left out. */
bool control_count_taken(struct control *control, struct lap_counts *laps, uint32_t pc,
                         uint32_t target);
/* The values that are known at the start of a body, whose header is at the pc, and, given back,
 * those at its end.  In a run that does not count the first is NULL and the second does nothing. */
struct known_registers *control_count_enter(const struct control *control, uint32_t body);
void control_count_leave(struct control *control, uint32_t body,
                         const struct known_registers *known);
void control_count_open(struct control *control);
/* Some registers of all groups, or all of them, may have got other values. */
void control_count_forget(struct control *control);
void control_count_forget_registers(struct control *control, unsigned first, unsigned count);

/* ---- switch.c ---- */
void control_switch_off_idle(struct strand *strand, const uint8_t *enabled, bool loop, uint32_t low,
                             uint32_t high);
/* After the pc moved. */
void control_switch_on(struct strand *strand);

/* ---- compute.c, transfer.c ---- */
bool control_compute_ensemble(struct control *control);
bool control_transfer_ensemble(struct control *control);
/* The transfer ensemble that SEND encloses, for the MPUs of the stream at work: what the MEMCPYs of
 * the i-th of them would write goes into messages[i], to VRFs of MPU to[i]. */
bool control_transfer_to_messages(struct control *control, struct control_message *const *messages,
                                  const uint32_t *to);

/* ---- send_move.c ---- */
/* The same as control_transfer_to_messages for the GMOVE at the pc, which goes from each MPU to its
 * partner alone. */
bool control_move_to_messages(struct control *control, struct control_message *const *messages,
                              const uint32_t *to);

/* ---- gmove_meeting.c ---- */
/* In the place of a number of laps: the REPEATs that the move counts are not around the GMOVE. */
#define NO_REPEAT UINT64_MAX
/* What MPUs must agree on to carry out a GMOVE together: its move and lap, wherever in the text it
 * stands.  Laps that the move does not look at are 0. */
struct gmove_meeting {
    uint32_t move;
    uint64_t laps[MOVE_MAX_LAPS];
};
/* That of the GMOVE at the pc of `flow`; that of the GMOVE at `pc`, in loops whose state is that of
 * `frame`. */
struct gmove_meeting control_gmove_meeting_of(const struct control *control,
                                              const struct flow *flow);
struct gmove_meeting control_gmove_meeting_in(const struct control *control,
                                              const struct call_frame *frame, uint32_t pc);
/* True if the stream waits for it. */
bool control_gmove_waits(const struct control *control, const struct stream *stream,
                         const struct gmove_meeting *at);
bool control_gmove_same_laps(const uint64_t *left, const uint64_t *right);

/* ---- gmove.c ---- */
/* The copies of a move; NULL after stop. */
const struct move_work *control_gmove_work(struct control *control, const struct gmove_meeting *at);
void control_gmoves_close(struct control *control);
bool control_gmove_step(struct control *control);
/* The time that the data-transfer controller of an MPU takes for it. */
uint64_t control_gmove_charge_ps(const struct control *control, const struct move_work *work,
                                 uint32_t move, uint32_t mpu);
/* True if the move of the GMOVE at the pc has no index, leaves every element in its MPU, and
 * concerns exactly the MPUs of the stream at work, or none. */
bool control_gmove_is_own(struct control *control);
/* The first MPU of the move that a stream waits at which does not wait there. */
uint32_t control_gmove_missing(struct control *control, const struct stream *stream);

/* ---- launch.c ---- */
/* RECIPE of a kernel at the pc: the stream at work waits; false after stop. */
bool control_launch_begin(struct control *control);
/* All streams wait at the same one. */
bool control_launch_waits(const struct control *control);
/* Then it is carried out, and they go on; false after stop. */
bool control_launch(struct control *control);

/* ---- lane_map.c ---- */
/* The copies, at most two, that a MEMCPY which copies `whole` makes under this LANE, in VRFs of so
 * many lanes.  Returns how many; under an identity it is one, `whole` itself. */
uint32_t control_lane_map_copies(const struct insn *lane, uint32_t lanes,
                                 const struct dp_copy *whole, struct dp_copy out[2]);

/* ---- debug.c ---- */
void control_debug_print(struct control *control, const struct ensemble *ensemble,
                         const struct strand *strand);
/* Writes what PRINT collected. */
void control_debug_flush(struct control *control);
/* Adds the elements of the strand in which the assertion at its pc fails to those of *first, which
 * is zeroed before the first strand. */
void control_debug_find_failing(struct control *control, const struct ensemble *ensemble,
                                const struct strand *strand, struct failing_element *first);
/* The program stops there; false. */
bool control_debug_failed(struct control *control, const struct failing_element *at, uint32_t pc);
const struct debug_record *control_debug_record_of(const struct control *control, uint32_t number);

/* ---- observe.c: calls config.step, if it is there ---- */
/* control_step_stream: an instruction that the stream at work carries out.  control_step_strand:
 * `count` instructions of a strand that the datapath executes, or one that the control path carries
 * out. */
void control_step_stream(struct control *control, uint32_t index, bool executes);
void control_step_strand(struct control *control, const struct strand *strand, uint32_t index,
                         uint32_t count, bool executes);

/* ---- account.c ---- */
void control_account_open(struct control *control);
void control_account_close(struct control *control);
/* A top-level instruction that every MPU of the stream at work issues. */
void control_account_top(struct control *control, uint32_t index);
/* The same of one that control_step_stream has told of. */
void control_account_told(struct control *control, uint32_t index);
/* What a host decided in a body: a decision for each instruction and region. */
struct host_decisions {
    VEC(struct timing_decision) list;
};
/* A host decides the jump at `at` on the masks of so many VRFs. */
void control_account_decision(struct control *control, struct host_decisions *decisions,
                              struct timing_place at, uint64_t vrfs);
/* The move at work takes elements between these MPUs.  Called before the move is posted to the
 * timing model. */
void control_account_crossing(struct control *control, const uint32_t *mpus, size_t count);
/* Cycles that the MPUs of the stream at work took, for max_cycles. */
void control_account_elapsed(struct control *control, uint64_t cycles);
/* `times` executions of a control instruction. */
void control_account_insn(struct control *control, uint32_t index, uint64_t times);
/* Energy of micro-ops and of data-transfer controllers. */
uint64_t control_account_fj(const struct control *control, const struct dp_cost *cost);
/* A copy by the instruction at `index`; returns its energy. */
uint64_t control_account_copy(struct control *control, uint32_t region, uint32_t index,
                              const struct dp_cost *cost);
/* A cost to be filled in, of a copy, an answer or a selection of VRFs. */
struct dp_cost control_account_asked(const struct control *control, uint64_t begin_ps);
/* Counts the micro-ops and the energy of a copy or an answer.  They are in lists that the cost
 * points to, which are zero afterwards. */
void control_account_uop_cost(struct control *control, uint32_t region, uint32_t index,
                              const struct dp_cost *cost);
/* A strand executed a run.  What of its cost is the same in each execution is added up at the end.
 */
void control_account_run(struct control *control, struct prepared_run *run,
                         const struct strand *strand, const struct run_cost *cost);
/* Posts a body that has ended, or was stopped, to the timing model; it has one strand for all
 * batches, or one for each.  `whole`: the ensemble of all MPUs that `ensemble` is a part of; its
 * header, of `header` instructions, is the next instruction of the stream. */
void control_account_body(struct control *control, const struct ensemble *ensemble,
                          const struct ensemble *whole, struct strand *strands,
                          const struct host_decisions *decisions, uint32_t header);
/* Cycles that the strand took, for max_cycles. */
void control_account_cycles(struct control *control, const struct strand *strand, uint64_t cycles);
/* Where measures have made the strand's path long, and it is known how its batch begins, tells the
 * timing model of it so far: such a path has no end of its own kind, and is not kept. */
void control_account_path(struct control *control, struct strand *strand);
/* One message on the network between MPUs. */
void control_account_message(struct control *control, uint32_t from, uint32_t to, uint64_t bytes);
void control_account_bound(struct control *control, const struct ensemble *ensemble);
/* Before VRFs of the ensemble are bound: those that never were get what they need. */
void control_account_establish(struct control *control, const struct ensemble *ensemble);
/* The MPUs that have not ended wait for the last of them; `any`: at a JUMP_ANY. */
void control_account_barrier(struct control *control, bool any);
/* A kernel that all MPUs which have not ended launched together: they wait for the last of them and
 * for what they issued, and then for its end. */
void control_account_launch(struct control *control, uint32_t index, const struct dp_cost *cost,
                            const struct dp_bar *bars, size_t bar_count);
/* Of the RECIPE at `index`, which launches that kernel; NULL where the machine says nothing of its
 * places. */
struct control_kernel_stats *control_account_kernel(struct control *control, uint32_t index,
                                                    uint32_t kernel);
/* When an MPU's work so far ends, as far as that is known by now. */
uint64_t control_account_now(const struct control *control, uint32_t mpu);
/* Region of MARK n, by its debug record. */
uint32_t control_account_region(struct control *control, uint32_t mark);
/* Fills stats, insns and region_stats from what was counted. */
void control_account_finish(struct control *control);
/* An instruction in the region at work. */
static inline struct timing_place place_of(const struct control *control, uint32_t index) {
    return (struct timing_place){index, control->region};
}

#endif
