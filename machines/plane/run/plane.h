/* SPDX-License-Identifier: MIT
 * The plane machine, as its own files see it.
 *
 * State is a number of tiles.  Word i of the machine holds lanes 64 * (i mod words_per_vrf) ... of
 * VRF i div words_per_vrf; a tile has PLANE_TILE_WORDS words of every visible plane, plane by
 * plane.  Blocks of PLANE_BLOCK_WORDS words take their places in the tiles one after another, when
 * they are first used: a program that uses few VRFs of every MPU has them side by side, in few
 * tiles.  A VRF may begin anywhere in a tile and may end in another.  Scratch, buffers and
 * constants belong to the call, not to the tile (recipes read none of them before writing it), so
 * that they stay in the first-level cache. */
#ifndef MACHINES_PLANE_PLANE_H
#define MACHINES_PLANE_PLANE_H

#include "machines/datapath.h"
#include "machines/dtc/tree_ranges.h"
#include "machines/state/array_memory.h"
#include "machines/plane/link/plane.h"
#include "machines/plane/run/kernels.h"
#include "recipe/timing/timing.h"
#include "support/hash_table.h"
#include "support/map.h"
#include "support/saturate.h"
#include "support/vec.h"

#include <pthread.h>
#include <stdatomic.h>

/* Words of one plane in a tile: 6,144 lanes, so that a dispatch of about 2 ns is amortised (tiles
 * of 4 to 16 Ki lanes do), a dozen planes fit into the first-level cache, and planes do not lie a
 * power of two apart, which would put them into the same sets of it.  72 and 136 were slower by
 * 3 to 10 % and 20 to 40 % (bench/README.md has the benchmark). */
#define PLANE_TILE_WORDS 96
#define PLANE_STRIDE     ((uint32_t)PLANE_TILE_WORDS * 8) /* bytes from plane to plane */
/* A cache line of each plane, and the VRFs of a row of racer's MPU. */
#define PLANE_BLOCK_WORDS 8
#define PLANE_REGISTER_GAP                                                                         \
    1 /* unused planes behind a register: bit j of two registers then do not                       \
         lie a multiple of 4 kB apart, which stalls loads behind stores */

/* Energy parts are the classes of micro-ops. */
#define PLANE_PARTS (OPCLASS_CROSSING + 1)

/* Slots of the scratch area; those of a recipe follow. */
enum {
    SLOT_ZERO,
    SLOT_ONE,
    SLOT_SELECT, /* halves of functions of four planes, then those of functions of five */
    SLOT_RESULT = SLOT_SELECT + 4, /* destinations of an op that has several */
    SLOT_FIRST = SLOT_RESULT + UOP_MAX,
};

/* Scratch planes of one running call, in the machine's pool when idle. */
struct plane_scratch {
    struct plane_scratch *next;
    uint32_t slots;
    unsigned char *planes; /* [slots][PLANE_STRIDE], aligned to 64 bytes, a line before it */
    void *memory;
    struct plane_step *steps; /* [step_room]: for those of an instruction (plane_anew_steps) */
    size_t step_room;
};

/* Where a block's words of slot 0 lie; NULL before its first use. */
typedef _Atomic(unsigned char *) plane_block_ref;

/* Zeros that tiles are cut from; never moved, released all at once. */
struct plane_slab {
    struct plane_slab *next;
    unsigned char *memory;
    size_t size, used;
};

/* Tiles that each build of the kernels is tried on. */
#define PLANE_TURNS 31

/* Which build of the kernels the machine uses. */
struct plane_choice {
    _Atomic(const struct plane_kernels *) chosen; /* NULL: they are being tried */
    size_t count;                                 /* of builds */
    _Atomic uint32_t turn;
    /* Under the machine's lock: */
    uint64_t ps[PLANE_MAX_BUILDS][PLANE_TURNS]; /* per step, of a tile */
    unsigned had[PLANE_MAX_BUILDS];             /* turns */
};

/* What a machine is sent beside micro-ops of the target's file, where VRFs hang in a tree: kinds of
 * micro-ops behind those, and the record of their events.  Crossbars are VRFs, rows lanes. */
enum plane_side { SIDE_CROSSBARS, SIDE_ROWS, SIDE_READ, SIDE_WRITE, SIDE_MOVE, PLANE_SIDES };
static inline uint32_t plane_kinds(const struct target *target) {
    return plane_target(target)->op_count + (target->network == NETWORK_HTREE ? PLANE_SIDES : 0);
}
struct plane_side_word {
    enum plane_side side;
    struct dtc_range range; /* CROSSBARS, ROWS: from here on these, and no others */
    /* READ, MOVE; WRITE, MOVE: the first of the planes, network.move_bits of them, of a register,
     * or of scratch rows from that section on. */
    uint32_t from, to;
    uint32_t from_row, to_row; /* MOVE */
    uint32_t crossbar;         /* MOVE: where the first one's goes; the others as far on */
    uint64_t data;             /* WRITE, in all selected rows */
};
/* What the words of one MPU have selected; a step of 0: nobody knows. */
struct plane_selection {
    struct dtc_range crossbars, rows;
};

struct plane_machine {
    struct datapath base;
    struct dp_setup setup; /* reg_bits points to the copy below */
    const struct target *target;
    const struct recipe_set *recipes; /* those of the set-up, or of own_library */
    struct machine_library *own_library;
    struct plane_choice choice; /* of kernels */
    /* Words that a run has worked on when its steps are composed; UINT64_MAX: never. */
    uint64_t compose_at;
    uint64_t whole_at; /* the same of a run that has code, for code of it as a whole; of an
                          instruction's, for code of whole tiles */
    unsigned vectors;  /* enum plane_vectors: of the code that is made of them */
    struct plane_patterns *patterns; /* NULL before the first; under the lock */
    size_t pattern_room;             /* bytes that they may take, with their code */
    _Atomic uint64_t
        compose_room; /* bytes that composed steps may still take; then runs stay strict */
    /* The same of steps as micro-ops give them, and of forms that the library has no room for; then
     * they are made for each execution (anew.c). */
    _Atomic uint64_t step_room, form_room;
    struct dp_kind *kinds;            /* of the tables */
    struct plane_selection *selected; /* [mpus]; NULL: VRFs hang in no tree */
    struct map side_lists;            /* of instructions of its own: struct uop_list * */
    uint64_t counters[PLANE_SIDES];   /* words that were sent */
    struct dtc *dtc;                  /* made when first needed */

    uint8_t reg_bits[64];
    uint32_t reg_slot[64]; /* slot of bit 0 */
    /* With setup.bits: the slot of bit 0 of a lane, and how often registers moved. */
    uint32_t first_slot;
    uint64_t moved;
    uint32_t c_slot, m_slot, valid_slot;
    uint32_t slots; /* planes of a tile, gaps included */

    uint32_t vrfs, words_per_vrf;
    size_t block_count;
    plane_block_ref *blocks;

    pthread_mutex_t lock;     /* guards everything below */
    uint64_t bytes;           /* of state, in tiles */
    unsigned char *tile;      /* the one that blocks take their places in; NULL: none */
    uint32_t tile_blocks;     /* places of it that are taken */
    struct plane_slab *slabs; /* the one in use first */
    struct plane_scratch *idle;
    char failure[96];
    struct dp_code *codes;

    struct plane_forms *forms; /* of the library; NULL: nobody keeps any */
    HASH_TABLE(const struct plane_form *, const struct timing_list *) lists; /* of those kept */
    struct recipe_timeline *timeline; /* prepare's and follow's */

    struct state_memory memory; /* arrays of the host, for what READ words return */
    uint64_t *stream_counts;    /* of kernels, as the counters say; NULL without */
    const char **counter_names; /* of the tables, then */

    dp_observer *observer; /* set while no call runs */
    void *observer_context;
    struct plane_writer *writers; /* words_out.c */
};

static inline struct plane_machine *plane_of(struct datapath *dp) {
    return (struct plane_machine *)(void *)dp;
}
static inline const struct plane_machine *plane_of_const(const struct datapath *dp) {
    return (const struct plane_machine *)(const void *)dp;
}

/* Steps where registers were when they had moved so often. */
struct dp_placed {
    struct plane_step *steps; /* NULL: they were not executed yet */
    uint64_t at;
    _Atomic uint64_t asked; /* 1 + how often they had moved when steps were asked for last */
};

/* The steps of a run once more, fewer of them, as functions of its planes (fused.c). */
struct plane_fused {
    struct plane_step *steps; /* NULL: there would be no fewer */
    size_t *stretch_steps; /* [stretches + 1]: where each begins that is run alone, and the end */
    size_t count;
    uint32_t scratch_slots;
    struct dp_placed placed; /* with setup.bits */
    /* Code of the run as a whole (native_runs.c): [routine_count], by stretch, NULL where that has
     * no steps; NULL: there is none. */
    struct plane_routine **routines;
    uint32_t routine_count, spill_bytes;
    size_t code_bytes;
};

/* What prepare makes of a run. */
struct dp_code {
    struct dp_code *next, **link; /* in the machine's list, which owns it; what points to it */
    struct plane_step *steps;     /* NULL: not asked for yet, or there is no room */
    struct dp_placed *placed;     /* with setup.bits */
    size_t step_count;
    uint32_t scratch_slots;
    const struct timing_list **lists; /* [insn_count]: their times */
    uint64_t latency_ps;              /* of the whole run, from an idle machine on */
    uint64_t micro_ops;               /* per VRF, like all counts here */
    uint64_t *kinds;                  /* [plane_kinds] */
    uint64_t energy_fj[PLANE_PARTS];
    uint64_t *insn_micro_ops, *insn_energy_fj, *insn_done_ps; /* [insn_count] */
    uint64_t *insn_slots;   /* [insn_count]: front-end cycles, its own and those of micro-ops */
    uint32_t *insn_stretch; /* [insn_count] */
    /* Where energy goes by the lanes that M enables (plane_counts_lanes); else NULL. */
    uint64_t *insn_lane_fj;    /* [insn_count] */
    uint64_t *stretch_part_fj; /* [insn_count + 1][PLANE_PARTS] */
    uint64_t *stretch_kind_fj; /* [insn_count + 1][plane_kinds] */
    uint64_t *kind_fj;         /* [plane_kinds] */
    size_t *insn_steps;        /* [insn_count]: its first step */
    uint32_t stretches;
    size_t insn_count;
    struct dp_cell_writes *writes; /* [write_count]: of rows, per VRF */
    size_t write_count;
    _Atomic(struct plane_part *) parts;  /* [insn_count]: where code is made; NULL: not yet */
    _Atomic uint64_t worked;             /* words that the engine fused has worked on */
    _Atomic(struct plane_fused *) fused; /* NULL: not made */
    const struct plane_form **forms;     /* [insn_count] (insn_forms.h) */
    struct plane_origin *origins; /* [insn_count], where a form was let go; else NULL (anew.c) */
    struct plane_registers *registers; /* [insn_count]: of the forms */
    /* Of instructions, whose steps are there: [insn_count + 1], the last one: of all.  NULL: all.
     */
    _Atomic bool *placed_insns;
};

/* A micro-op takes energy in the lanes that M enables: it gates what drives them. */
static inline bool plane_counts_lanes(const struct target *target) {
    return plane_target(target)->energy_per_lane && plane_target(target)->mask_by == MASK_GATE;
}

/* --- tiles.c --- */
/* Lays out registers, C, M and valid; false after reporting. */
bool plane_layout(struct plane_machine *machine, struct diag *diag);
void plane_tiles_free(struct plane_machine *machine);
/* Where a block lies, with its state as at start at its first use; NULL beyond the memory limit
 * (failure is then set). */
unsigned char *plane_block(struct plane_machine *machine, size_t index);
/* The same, NULL if it was never used. */
static inline unsigned char *plane_peek(const struct plane_machine *machine, size_t index) {
    return atomic_load_explicit(&machine->blocks[index], memory_order_acquire);
}
/* Forgets all state: every plane is again as at start. */
void plane_tiles_reset(struct plane_machine *machine);

/* Words that lie side by side in one tile. */
struct plane_piece {
    unsigned char *at; /* word `word` of slot 0; NULL without state */
    size_t words;      /* at most as many as asked for */
};
/* The piece that begins with `word` and has at most `words`. */
struct plane_piece plane_piece(struct plane_machine *machine, uint64_t word, uint64_t words);
static inline uint64_t *plane_words(struct plane_piece piece, uint32_t slot) {
    return (uint64_t *)(void *)(piece.at + (size_t)slot * PLANE_STRIDE);
}

struct plane_scratch *plane_scratch_take(struct plane_machine *machine, uint32_t slots);
void plane_scratch_give(struct plane_machine *machine, struct plane_scratch *scratch);

/* --- access.c: the datapath's functions of these names --- */
void plane_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count);
void plane_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
               struct dp_cost *cost);
uint64_t plane_lanes(struct datapath *dp, struct vrf_set set);
void plane_get(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
               uint32_t count, uint64_t *values);
void plane_put(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, unsigned width,
               uint32_t first, uint32_t count, const uint64_t *values);

/* --- elements.c: the datapath's functions of these names --- */
void plane_put_elements(struct datapath *dp, const struct dp_elements *elements);
void plane_get_elements(struct datapath *dp, const struct dp_elements *elements);

/* The planes that hold something a lane has: bit j in slot first + j. */
struct plane_group {
    uint32_t first, bits;
};
struct plane_group plane_group_of(const struct plane_machine *machine, enum dp_what what,
                                  unsigned reg);

/* --- sent.c --- */
/* What the machine keeps for it. */
void plane_sent_close(struct plane_machine *machine);

/* --- moves.c --- */
/* What a transfer takes where VRFs hang in a tree. */
void plane_moves_charge(struct plane_machine *machine, const struct dp_transfer *transfer,
                        struct dp_cost *cost);

/* --- select.c: the datapath's functions of these names --- */
void plane_select(struct datapath *dp, const struct dp_selection *selection, struct dp_cost *cost);
void plane_selected(struct datapath *dp, uint32_t vrf, bool restore, struct dp_selected *state);
void plane_counters(const struct datapath *dp, uint64_t *values);
/* At first all of them are. */
void plane_select_all(struct plane_machine *machine);
/* What the words of the MPU of a VRF have selected. */
struct plane_selection *plane_selection_of(struct plane_machine *machine, uint32_t vrf);
/* Numbers of VRFs, in the order of the set; the caller frees them. */
uint32_t *plane_numbers(struct vrf_set set, size_t *count);

/* --- answer.c --- */
/* What it takes to know of each VRF of the set whether some lane has M. */
void plane_answer_charge(struct plane_machine *machine, struct vrf_set set, struct dp_cost *cost);

/* --- copy.c --- */
void plane_copy(struct datapath *dp, const struct dp_transfer *transfer, struct dp_cost *cost);

/* --- prepare.c --- */
struct dp_code *plane_prepare(struct datapath *dp, const struct dp_run *run, struct diag *diag);
/* The same from micro-ops: all of one instruction.  For tests and the benchmark. */
struct dp_code *plane_prepare_uops(struct datapath *dp, const struct uop *uops, size_t count,
                                   struct diag *diag);
void plane_describe(const struct datapath *dp, const struct dp_code *code,
                    struct dp_description *out);
void plane_codes_free(struct plane_machine *machine);
/* Where instructions have code, steps are placed when they are asked for: those of one; of all; the
 * same under the machine's lock.  NULL, or false: there is no room for steps. */
const struct plane_step *plane_code_steps(struct plane_machine *machine, const struct dp_code *code,
                                          size_t insn);
const struct plane_step *plane_code_all_steps(struct plane_machine *machine,
                                              const struct dp_code *code);
bool plane_code_place_all(struct plane_machine *machine, const struct dp_code *code);
void plane_forget(struct datapath *dp, struct dp_code *code);

/* step_room and form_room of the engines: what 1,400 MULs of 32 bits of racer take, and four
 * times what the library has room for itself. */
#define PLANE_STEP_BYTES     (UINT64_C(256) << 20)
#define PLANE_OWN_FORM_BYTES (UINT64_C(256) << 20)
/* False where there is not so much. */
static inline bool plane_room_take(_Atomic uint64_t *room, uint64_t bytes) {
    uint64_t left = atomic_load_explicit(room, memory_order_relaxed);
    while (left >= bytes)
        if (atomic_compare_exchange_weak_explicit(room, &left, left - bytes, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    return false;
}

/* --- remap.c: machines that carry out one program after another --- */
/* Steps name bit j of register r by a slot of its own, wherever it lies. */
#define PLANE_NAME_SLOT(first, reg, bit) ((first) + 64u * (reg) + (bit))
void plane_remap(struct datapath *dp, const struct dp_map *map);
/* Steps, `count` of them, with the slots where their registers are; kept in *placed. */
const struct plane_step *plane_placed_steps(struct plane_machine *machine,
                                            const struct plane_step *steps, size_t count,
                                            struct dp_placed *placed);

/* --- fused.c --- */
/* compose_at of the engine: a step's share of composing, about 1 us, is what so many words take. */
#define PLANE_COMPOSE_AT 4000
/* compose_room of the engine: what 100,000 runs of a 64-bit addition take. */
#define PLANE_COMPOSE_BYTES (UINT64_C(256) << 20)
/* The code's fused steps, made once it has worked so much that this pays; NULL before, and where
 * they are no fewer.  `words` of each plane are to be worked on now. */
struct plane_fused *plane_fused_of(struct plane_machine *machine, struct dp_code *code,
                                   uint64_t words);
/* The same of a run whose instructions have code: with code of it as a whole, or NULL. */
struct plane_part;
struct plane_fused *plane_fused_code_of(struct plane_machine *machine, struct dp_code *code,
                                        const struct plane_part *parts, uint64_t words);
/* whole_at of the engine, as a multiple of compose_at. */
#define PLANE_WHOLE_AFTER 16
void plane_fused_free(struct plane_machine *machine, struct plane_fused *fused);
/* Steps of a run above which composing would take its time and memory for too long (1 s). */
#define PLANE_FUSED_STEPS (1u << 19)
/* Marks, some steps before a plane of a tile is first used, that it should be fetched. */
struct step_list;
void plane_plan_fetches(const struct plane_machine *machine, struct step_list *steps);

/* --- writes.c --- */
/* Fills code->writes from its forms. */
struct plane_map;
void plane_count_writes(struct dp_code *code, struct plane_map *map);
void plane_cell_text(const struct datapath *dp, uint32_t cell, struct str *out, uint32_t *unit);

/* --- choose.c --- */
/* Kernels for one piece of code and tile; `trial`: its time is to be recorded. */
struct plane_turn {
    const struct plane_kernels *kernels;
    bool trial;
    uint32_t build;
    size_t steps;
    uint64_t start_ns;
};
/* NULL: any, as they turn out. */
void plane_choice_begin(struct plane_choice *choice, const struct plane_kernels *given);
struct plane_turn plane_choice_turn(struct plane_choice *choice, size_t steps, size_t words);
void plane_choice_record(struct plane_machine *machine, const struct plane_turn *turn);

/* --- execute.c --- */
void plane_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                   struct dp_moment begin, struct dp_outcome *out);
void plane_follow(struct datapath *dp, const struct dp_code *code,
                  const struct dp_description *about, const struct dp_issue *issue,
                  struct dp_times *out);
/* From the end of the last slot before an instruction to the first of its micro-ops' slots, when it
 * has nothing to wait for. */
uint64_t plane_slot_ps(const struct plane_machine *machine, const struct timing_list *list);
uint64_t plane_pass(struct datapath *dp, uint64_t clock, uint64_t ps);
size_t plane_clock_memory(struct datapath *dp, bool forget);
/* Called for every range of an observed execution, in the order of the micro-ops, when the bits
 * of that range are there. */
void plane_observe(struct datapath *dp, dp_observer *observer, void *context);

/* --- host_launch.c: the datapath's functions of these names --- */
bool plane_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *d);
bool plane_mem_free(struct datapath *dp, uint64_t address, struct diag *d);
bool plane_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                   struct diag *d);
bool plane_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                   struct diag *d);
bool plane_launch(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                  struct diag *d);
/* Counters of kernels, for tables, where the set-up says that there are some. */
void plane_launch_open(struct plane_machine *machine);
void plane_launch_close(struct plane_machine *machine);

/* --- format.c --- */
/* The record of an event is its struct uop, which does not repeat; of a kernel's word, whose kind
 * is behind those of the target's ops, its struct plane_word. */
void plane_format(const struct datapath *dp, const struct dp_event *event, unsigned format,
                  struct str *out);

/* --- snapshot.c --- */
bool plane_snapshot(struct datapath *dp, bool restore, struct str *state);

/* --- strict.c --- */
extern const struct datapath_ops plane_strict_ops;
/* The same but for steps: each value of a run is computed once, from the truth tables of its
 * micro-ops.  Results, costs and events are the same. */
extern const struct datapath_ops plane_fused_ops;
/* plane_strict_ops.open with kernels of one's choice, NULL for the machine's.  With recipes ==
 * false the machine knows micro-ops only (plane_prepare_uops). */
struct datapath *plane_open_with(const struct dp_setup *setup, const struct plane_kernels *kernels,
                                 bool recipes, struct diag *diag);

#endif
