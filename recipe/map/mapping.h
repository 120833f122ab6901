/* SPDX-License-Identifier: MIT
 * The state of one mapping, for the files of this folder alone.
 *
 * A generic body becomes a mapped one in five steps: subs are put in place (inline.c); the
 * statements are cut into segments, which are straight runs of logic at one position (parts.c);
 * a segment's logic becomes blocks of at most three inputs and two outputs (logic.c,
 * blocks.c); each name that lives between blocks is held as it is or inverted, whichever costs
 * less (phase.c), where the cost of a block is that of the least program of micro-ops
 * (gates.c); and the programs are put in an order that hands carries on early (body.c).  Where
 * micro-ops are no gates of themselves, gates are sequences of them (derive.c), which are written
 * out last (lower.c). */
#ifndef RECIPE_MAP_MAPPING_H
#define RECIPE_MAP_MAPPING_H

#include "recipe/map/map.h"
#include "recipe/search/search.h"
#include "support/map.h"

#define NOTHING UINT32_MAX

enum name_kind {
    NAME_SCRATCH,
    NAME_NUMBER,
    NAME_REGISTER,
    NAME_LATCH, /* C, M, valid */
    NAME_CARRY,
};

/* What a symbol of the mapped recipe stands for. */
struct map_name {
    enum name_kind kind;
    uint8_t field; /* REGISTER */
    bool down;     /* CARRY */
    bool loop;     /* NUMBER: of a `for`; may be used again behind it */
    bool active;   /* that loop is being put in place */
    bool written;
    bool exposed;   /* SCRATCH: some segment reads what another one wrote */
    uint32_t phase; /* SCRATCH, CARRY: a phase variable, or NOTHING */
};

/* --- logic of one segment --- */

enum logic_op {
    LOGIC_CONST,
    LOGIC_LEAF,
    LOGIC_NOT,
    LOGIC_AND,
    LOGIC_OR,
    LOGIC_XOR,
    LOGIC_CHOOSE,
    LOGIC_MAJORITY,
    LOGIC_SUM
};

/* A value as it is, or inverted. */
struct ref {
    uint32_t value;
    bool inverted;
};

struct logic {
    enum logic_op op;
    bool one;       /* CONST */
    struct ref ref; /* LEAF */
    struct logic *args[3];
    unsigned count;
};

/* Value 0 of each segment is the constant 0. */
struct map_value {
    bool input;                     /* there before the segment: of `name`, read as `expr` */
    bool late;                      /* waits for a carry that comes in */
    bool early;                     /* a carry that goes out waits for it */
    uint32_t name;                  /* input */
    const struct recipe_expr *expr; /* input */
    uint8_t place;                  /* enum search_place of an input */
    struct logic *tree;             /* of its definition; NULL for inputs */
    uint32_t def;                   /* number of the definition */
    bool needed;                    /* a write, or a needed definition, reads it */
    uint8_t truth;                  /* over the variables of the block at hand */
    uint32_t block;                 /* that makes it, or NOTHING */
    uint32_t phase;                 /* phase variable where it lies between blocks, or NOTHING */
};

/* One or two values that a statement, or a piece of one, defines. */
struct map_def {
    uint32_t values[2];
    unsigned count;
    struct span at;
};

/* A name that keeps a value behind the segment. */
struct map_write {
    uint32_t name;
    struct ref ref;
    const struct recipe_expr *target;
    bool moved; /* by a block of its own */
    struct span at;
};

#define MAX_ENTRIES 16

/* What a block must leave behind: a write of the segment, or a value for other blocks. */
struct block_entry {
    uint32_t write; /* index into the segment's writes, or NOTHING */
    uint32_t value;
    bool inverted;
};

struct map_block {
    uint32_t first_def, end_def; /* equal: it only moves or inverts a value */
    uint32_t inputs[SEARCH_MAX_INPUTS];
    unsigned input_count;
    struct block_entry entries[MAX_ENTRIES];
    unsigned entry_count;
    struct span at;
    /* Costs by the phases of the variables that it depends on. */
    uint32_t vars[SEARCH_MAX_INPUTS + MAX_ENTRIES];
    unsigned var_count;
    uint64_t *costs; /* [1 << var_count]; 0: not known yet */
};

struct segment {
    const struct recipe_stmt **stmts;
    size_t stmt_count;
    const struct recipe_stmt *carry;    /* the first value of this carry instead of statements */
    const struct recipe_expr *position; /* at work */
    bool wrapped;                       /* says `at position` */
    unsigned depth;                     /* of loops around it */
    VEC(struct map_value) values;
    VEC(struct map_def) defs;
    VEC(struct map_write) writes;
    VEC(struct map_block) blocks;
};

/* The body: control, and segments between it. */
struct body_part {
    const struct recipe_stmt *stmt; /* FOR, IF, AT, LET, CARRY without a value; NULL: the segment */
    struct segment *segment;
    struct body_part *body, *otherwise, *next;
};

/* --- micro-ops as the search sees them --- */

struct derived;
struct search_memory;

/* Tag of a gate: the op, or DERIVED_TAG + number of the group of sequences (derive.h). */
#define DERIVED_TAG 0x10000u

/* Sequences beside gates that are micro-ops. */
#define MOST_DERIVED 64

struct map_gates {
    struct search_gate gates[SEARCH_MAX_GATES];
    const struct derived *derived; /* NULL: all micro-ops are gates of themselves */
    unsigned count;
    bool zero, one;      /* there are constant rows */
    bool sections;       /* more than one: carries cross */
    bool keeps_incoming; /* what comes into a section is copied to a row before gates read it, for
                            they make nothing of a buffer alone */
    bool stored_apart;   /* registers are only copied: SEARCH_REGISTER is where they lie */
    uint8_t plain;       /* SEARCH_IN bits: read wherever rows are */
    uint32_t copy_cost;
    /* What the walker moves without the search, by the place that is read: into a carry's next
     * position, into its first one, and to a scratch name (which may be a copy). */
    bool hands_on[SEARCH_PLACES], begins[SEARCH_PLACES], names[SEARCH_PLACES];
};

struct solved {
    const struct search_program *program;
    bool found;
    uint32_t inputs[SEARCH_MAX_INPUTS]; /* variable of the problem -> input of the request */
    unsigned input_count;
    uint32_t outputs[SEARCH_MAX_OUTPUTS]; /* output of the request -> output of the program */
};

/* A program is asked for by what lies where and what is wanted. */
struct request {
    uint8_t places[SEARCH_MAX_INPUTS];
    bool late[SEARCH_MAX_INPUTS];
    unsigned input_count;
    struct search_output outputs[SEARCH_MAX_OUTPUTS];
    unsigned output_count;
};

/* How long a search may take: in recipes of tables hundreds of blocks differ, or thousands. */
enum search_effort { EFFORT_FULL, EFFORT_SHORT, EFFORT_LEAST, EFFORTS };

/* Value numbers of a program: variables, then the constants that there are, then steps. */

struct mapping {
    struct recipe_set *set;
    const struct recipe *source;
    struct recipe *made;
    struct diag *diag;
    struct arena scratch; /* of the mapping alone; what stays lies in the set's arena */
    VEC(struct map_name) names;
    struct map name_index, name_numbers; /* text to name; base to the last number behind it */
    struct recipe_stmt *body;
    struct body_part *parts;
    VEC(struct segment *) segments;
    VEC(bool) phases;          /* of each variable: held inverted */
    VEC(uint32_t) temporaries; /* names t1, t2, ... so far */
    struct map_gates gates;
    uint32_t *row_names;                 /* by row class, then by group */
    uint32_t stmt_count, sub_stmt_count; /* put in place; of which of subs */
    enum search_effort effort;
    VEC(struct search_memory *) expected; /* asked for soon, and not searched yet */
    bool long_body;                       /* fewer ways are followed */
    bool failed;
};

/* Reports the first error; always false. */
bool mapping_fail(struct mapping *mapping, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A name that the mapped recipe does not have yet: `base`, or `base` and a number. */
const char *mapping_new_text(struct mapping *mapping, const char *base);
uint32_t mapping_new_name(struct mapping *mapping, const char *base, enum name_kind kind);
struct recipe_expr *mapping_name_expr(struct mapping *mapping, uint32_t name, struct span at);
struct recipe_expr *mapping_number_expr(struct mapping *mapping, int64_t number, struct span at);
struct recipe_stmt *mapping_new_stmt(struct mapping *mapping, enum recipe_stmt_kind kind,
                                     struct span at);

/* The name of the one row of a class, or of a group of rows: the same for the whole recipe. */
uint32_t mapping_row_name(struct mapping *mapping, uint32_t class);
uint32_t mapping_group_name(struct mapping *mapping, uint32_t group);

bool mapping_put_subs(struct mapping *mapping);
bool mapping_cut_parts(struct mapping *mapping);
bool mapping_read_logic(struct mapping *mapping, struct segment *segment);
bool mapping_cut_blocks(struct mapping *mapping, struct segment *segment);
bool mapping_choose_phases(struct mapping *mapping);
bool mapping_emit_body(struct mapping *mapping);

/* gates.c: once for all mappings of a set. */
void mapping_find_gates(struct mapping *mapping);
/* Where registers lie: SEARCH_ROW or SEARCH_REGISTER. */
uint8_t mapping_register_place(const struct mapping *mapping);
/* Where C, M or valid lies.  In a row of the first section, where others are apart, it is as a
 * register's row is: the walk brings it to other sections, and from there. */
uint8_t mapping_latch_place(const struct mapping *mapping, uint32_t name);
/* Where a carry lies that came in. */
uint8_t mapping_carry_place(const struct mapping *mapping);
/* offers.c: derived gates beside those that are there. */
void mapping_offer_derived(struct map_gates *gates);
/* memo.c: the program of least cost; known, or from the set's memory, or searched. */
void mapping_solve(struct mapping *mapping, const struct request *request, struct solved *out);
/* A program that will be asked for soon; mapping_search_expected searches for all of them, on as
 * many threads as the set has, before anything else is asked. */
void mapping_expect(struct mapping *mapping, const struct request *request);
void mapping_search_expected(struct mapping *mapping);
/* Why there are none, as the end of "its micro-ops ..": "cannot make x & y"; NULL: all are there.
 */
const char *mapping_refusal(struct mapping *mapping);

/* "x & y": the function of three inputs, if it is a usual one; else NULL. */
const char *mapping_function_name(uint8_t truth);

/* phase.c: does the instruction write this register or latch? */
bool mapping_is_written(const struct mapping *mapping, uint32_t name);
/* phase.c: how a block is carried out in the phases at hand. */
enum realized { FROM_OUTPUT, FROM_INPUT, FROM_CONST };
struct realization {
    struct request request;
    struct {
        enum realized how;
        unsigned index; /* of the output or the input; the constant */
        bool own;       /* the output's step writes it directly */
    } entries[MAX_ENTRIES];
    uint64_t moved; /* cost of copies besides the program */
    bool feasible;
    struct solved solved;
};
void mapping_realize(struct mapping *mapping, struct segment *segment,
                     const struct map_block *block, struct realization *realization);

#endif
