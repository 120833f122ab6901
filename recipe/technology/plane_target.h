/* SPDX-License-Identifier: MIT
 * What a target file says of a plane machine beside what all kinds share (docs/targets.md): rows,
 * micro-ops, mask. */
#ifndef RECIPE_TECHNOLOGY_PLANE_TARGET_H
#define RECIPE_TECHNOLOGY_PLANE_TARGET_H

#include "target/kind.h"
#include "target/target.h"

#define OP_MAX_SOURCES 5 /* the old value of a destination counts where it is read */
#define OP_MAX_DESTS   6
#define PLANE_MAX_OPS  1024 /* micro-ops of a target, variants of commands among them */

enum op_class { OPCLASS_LOGIC, OPCLASS_COPY, OPCLASS_CROSSING };

/* A micro-op kind of a plane machine.  `truth` holds its function: bit i of truth[k] is the value
 * of destination k when source s has bit (i >> s) & 1; the old value of destination k, when
 * `reads_old` says that it is used, is source number `nsrc`.
 *
 * A destination may be tied to a source: both are one place, whose value the op replaces (a
 * majority that destroys its operands).  An operand may be fixed: it is always the one row of a
 * class (a carry latch) and recipes do not write it.  Ops of one name are variants of one command,
 * which differ in their operands; they are counted together.
 *
 * Variants come from commands that activate rows (docs/targets.md).  One opens `first_rows` rows
 * with its first address and `second_rows` with its second; the last `first_inverted` and
 * `second_inverted` of them through their negated wordlines.  Sources are the rows of the first
 * address; results are these too, tied, where there are several, and the rows of the second. */
struct target_op {
    const char *name;       /* "NOR" */
    uint16_t first_variant; /* index of the first op of this name; its own if it is alone */
    enum op_class class;
    uint8_t nsrc, ndst;
    bool reads_old;
    uint32_t truth[OP_MAX_DESTS];
    uint8_t tied[OP_MAX_DESTS];                   /* 1 + number of the source; 0: not tied */
    uint8_t fixed[OP_MAX_SOURCES + OP_MAX_DESTS]; /* 1 + row class; 0: recipes say which place */
    uint8_t first_rows, first_inverted, second_rows, second_inverted; /* 0: no such command */
    uint16_t preset;  /* 1 + index of the op that sets destinations before; 0: none, or included */
    uint8_t presets;  /* which of them: bit k; none is tied */
    uint64_t time_ps; /* 0: one datapath cycle */
    uint64_t energy;  /* per array (energy.per) or enabled lane, preset included where it is; in
                         the target's parts of a fJ */
    const struct where_expr *where; /* condition on the places of operands, or NULL */
    struct span span;
};

/* Does the op that `preset` names set destination k before? */
static inline bool plane_op_presets(const struct target_op *op, unsigned k) {
    return op->preset && op->presets >> k & 1;
}

/* Does the result depend on what its place held? */
static inline bool plane_op_uses_old(const struct target_op *op, unsigned k) {
    unsigned rows = 1u << op->nsrc;
    return op->reads_old && ((op->truth[k] ^ op->truth[k] >> rows) & ((1u << rows) - 1));
}

/* On what something else must have put there? */
static inline bool plane_op_keeps_old(const struct target_op *op, unsigned k) {
    return plane_op_uses_old(op, k) && !plane_op_presets(op, k);
}

/* One source and one result, both wherever its `where` allows, and the same. */
static inline bool plane_op_is_copy(const struct target_op *op) {
    return op->nsrc == 1 && op->ndst == 1 && !op->reads_old && !op->tied[0] && !op->fixed[0] &&
           !op->fixed[1] && op->truth[0] == 2;
}

/* How many micro-ops set something before. */
static inline unsigned plane_op_preset_count(const struct target_op *op) {
    unsigned count = 0;
    for (unsigned k = 0; k < op->ndst; k++)
        count += plane_op_presets(op, k);
    return count;
}

/* A set of rows of an array, or a latch that behaves as a row.  Registers live in the rows of one
 * class, register_class.  Scratch rows are numbered through, class by class in the order
 * of the file: PLANE_SCRATCH numbers are these. */
struct row_class {
    const char *name;
    struct span at;    /* its key in the target's file */
    const char *place; /* the same in words, "mine.yaml:7:3"; NULL: in a file of the tools */
    /* Rows for computing that conditions tell apart by their numbers are a class each, in the place
     * of the file's class: its name, and the index of its first row. */
    const char *family_name;
    uint32_t family;
    uint32_t first, last, step; /* inclusive; a latch: 0, 0, 1 */
    int8_t value;               /* 0, 1 for constant rows; -1 otherwise */
    bool registers, scratch;
    uint32_t more_registers; /* index of the next class that holds registers alone; 0: none */
    bool compute;            /* scratch only where a recipe names it or a `where` demands it */
    bool latch;
    uint32_t first_scratch, scratch_rows; /* numbers of its rows that are scratch */
};

/* Rows of a class. */
static inline uint32_t row_class_rows(const struct row_class *class) {
    return (class->last - class->first) / class->step + 1;
}

enum mask_mechanism { MASK_GATE, MASK_LATCH, MASK_SELECT };

/* A group of wordlines with a name: rows that are activated together; the negated ones last. */
#define GROUP_MAX_ROWS 5
struct row_group {
    const char *name;
    unsigned count;
    uint16_t class[GROUP_MAX_ROWS]; /* of one row each */
    bool inverted[GROUP_MAX_ROWS];  /* through the negated wordline of a dual-contact cell */
};

struct plane_target {
    uint32_t sections, rows;
    bool bit_pipelined; /* sections work at once, a micro-op is forwarded */
    /* Sections can be joined: a micro-op takes its operands from any of them, and those of one kind
     * in spans of sections that lie apart are one word of one cycle. */
    bool partitioned;

    const struct target_op *ops;
    uint32_t op_count;
    unsigned most_presets; /* micro-ops that one of them has set its results before it */
    const char *ops_place; /* "mine.yaml:20:1", the key `ops`; NULL: in a file of the tools */
    struct span ops_at;    /* the same in what read the file, or NO_SPAN */
    const struct row_class *row_classes;
    uint32_t row_class_count;
    uint32_t scratch_rows; /* per section, free for recipes; latches and compute rows among them */
    /* Where registers, C and M lie: the first of the classes that hold them (more_registers leads
     * to the others, in whose rows they go on), and how many rows of them all.  To conditions each
     * is a place of the first class, which means any of them: see technology_where_holds. */
    uint32_t register_class, register_rows;
    /* Classes of C, M and valid (enum place_class), or the register class: each is one of its rows
     * unless a `where` speaks of it. */
    int class_of_c, class_of_m, class_of_valid;
    const struct row_group *groups;
    uint32_t group_count;
    enum mask_mechanism mask_by;
    uint32_t mask_latch;          /* LATCH: row class of the latch that predicates */
    uint16_t mask_and, mask_load; /* LATCH: 1 + op that ands the mask into it; that loads it */

    uint32_t search_steps; /* of the longest search for sequences of micro-ops */
    uint64_t issue_cycles; /* of the datapath, from an instruction's issue to its first micro-op */
    bool energy_per_lane;  /* energy.per: lane, of those enabled where the mask is a gate; else per
                              array (one VRF section column) */
    uint32_t energy_parts; /* of a fJ, that energies of micro-ops count (energy.unit): 1 or 1000 */
};

/* The kind, as target files name it: "plane". */
extern const struct target_kind technology_target_kind;

/* Of a machine that says nothing: what targets of other kinds are to recipes. */
extern const struct plane_target technology_no_target;

static inline const struct plane_target *plane_target(const struct target *target) {
    return target->kind == &technology_target_kind ? target->own : &technology_no_target;
}

/* A function of 0 to 5 inputs, whose table has bit i where input k is (i >> k) & 1, on 64 cases at
 * once: halves of the table are chosen, the first input's first. */
static inline uint64_t plane_op_apply(uint32_t truth, const uint64_t *in, unsigned n) {
    uint64_t half[16];
    unsigned count = n ? 1u << (n - 1) : 0;
    for (unsigned i = 0; i < count; i++)
        half[i] = (-(uint64_t)(truth >> 2 * i & 1) & ~in[0]) |
                  (-(uint64_t)(truth >> (2 * i + 1) & 1) & in[0]);
    for (unsigned s = 1; s < n; s++)
        for (unsigned i = 0; i < count >> s; i++)
            half[i] = (half[2 * i] & ~in[s]) | (half[2 * i + 1] & in[s]);
    return n ? half[0] : -(uint64_t)(truth & 1);
}

/* Values go from section to section by way of buffers alone. */
static inline bool technology_sections_apart(const struct target *target) {
    return plane_target(target)->sections > 1 && !plane_target(target)->partitioned;
}

/* Rows of the registers' class in a section, those that recipes may use for scratch among them. */
uint32_t technology_rows_there(const struct target *target);
/* Those of them that C, M and valid take. */
uint32_t technology_state_rows(const struct target *target);
/* The variant of a command (`op`: the index of any of its variants) that activates these rows, or
 * -1 where the target's groups give none.  `second` is NULL for a command of one address; a single
 * row is a group of count 1.  The operands are the rows in the order of the groups, first address
 * first. */
int technology_activation(const struct target *target, uint32_t op, const struct row_group *first,
                          const struct row_group *second);

/* Energy of one micro-op on one VRF, all of its lanes enabled, in the target's parts of a fJ. */
static inline uint64_t plane_op_parts(const struct target *target, const struct target_op *op) {
    return plane_target(target)->energy_per_lane ? sat_mul(op->energy, target->lanes) : op->energy;
}
/* In fJ. */
static inline uint64_t plane_op_fj(const struct target *target, const struct target_op *op) {
    return plane_op_parts(target, op) / plane_target(target)->energy_parts;
}

#endif
