/* SPDX-License-Identifier: MIT
 * Gates that a target has only as sequences of its micro-ops, for the files of this folder and the
 * tests.
 *
 * The search (recipe/search) knows gates that read up to three values wherever they lie, leave them
 * there and write one result into another row.  A micro-op that destroys what it reads, uses what
 * its result held before, works on rows of certain classes only, or has several results is no such
 * gate.  Where a target has such micro-ops, short sequences of all of them are tried on a few rows
 * (derive.c), and the cheapest ones for each function of up to three inputs are its gates: the
 * search sees function and cost, and lower.c writes the micro-ops. */
#ifndef RECIPE_MAP_DERIVE_H
#define RECIPE_MAP_DERIVE_H

#include "recipe/technology/plane_target.h"
#include "recipe/technology/where.h"

/* Places that sequences are tried on.  Inputs stay as they are. */
#define FRAME_INPUTS 3
#define FRAME_MAX    24
#define FRAME_ROWS   14 /* that may be written */

enum frame_kind {
    FRAME_INPUT, /* wherever values between gates lie */
    FRAME_CONST,
    FRAME_TEMP, /* a row of a class of many */
    FRAME_ROW   /* a row of a class for computing, or a latch: there are only these */
};

/* Values between gates lie in rows of the register class; where that one holds no scratch, in those
 * of the first class that does, too, and both must do equally well. */
#define CLASS_HOME (-1)

struct frame_place {
    enum frame_kind kind;
    int class;      /* of rows, or CLASS_HOME */
    uint8_t number; /* of the input; the constant; which row of the class, or which temporary */
};

struct op_frame {
    const struct target *target;
    int homes[2]; /* classes that CLASS_HOME stands for */
    unsigned home_count;
    uint32_t without; /* 1 + op that is not tried; 0: all are */
    int wanted; /* class of the places that results are looked for in: CLASS_HOME, or another one */
    bool apart; /* a `where` allows one of them what it forbids the other: a value that lies in
                   either must be copied before an op that demands one */
    struct frame_place places[FRAME_MAX]; /* inputs, constants, temporaries, rows */
    unsigned count, first_written;
};

/* One way to carry out an op on places of the frame. */
struct op_use {
    uint16_t op;
    uint8_t nsrc, ndst;
    uint8_t src[OP_MAX_SOURCES], dst[OP_MAX_DESTS];
    uint32_t cost;
};

/* How far sequences are searched for. */
enum derive_effort {
    DERIVE_USUAL,
    DERIVE_THOROUGH, /* with many times the budget, before a function counts as missing */
    DERIVE_WIDE,     /* and longer sequences on more rows, as far as the target's search_steps go */
    DERIVE_EFFORTS
};

/* A sequence for one function. */
#define TEMPLATE_STEPS 16
struct step_template {
    struct op_use steps[TEMPLATE_STEPS];
    uint8_t step_count;
    uint8_t out;     /* place of the result: a temporary at home, or a row where it stays */
    bool stays;      /* it lies in a row for computing */
    uint8_t touched; /* inputs that are read once the result's place has been written, too */
};

/* Sequences of one cost for one function; functions that differ in the order of their inputs are
 * one.  Those that leave the result in a row may cost less. */
struct template_group {
    uint8_t truth, nsrc; /* inputs 0 .. nsrc-1, each of which counts */
    uint32_t cost, stay_cost;
    const struct step_template *list;
    unsigned count;
};

/* All that was derived for a target. */
struct derived {
    struct op_frame frame;
    const struct template_group *groups;
    unsigned group_count;
    const struct op_use *uses; /* of single ops */
    unsigned use_count;
    uint64_t unit; /* ps of one unit of cost */
};

/* The frame of a target and what single ops do there, which is what sequences are made of; NULL
 * where all micro-ops are gates of themselves, so that nothing is to be derived.  `unit`: ps of one
 * unit of cost. */
struct derived *mapping_derive_start(struct arena *arena, const struct target *target,
                                     uint64_t unit, enum derive_effort effort);
/* Searches for the groups. */
void mapping_derive_search(struct arena *arena, const struct target *target,
                           enum derive_effort effort, struct derived *out);
/* Sequences for functions of one input alone, so for copies, whatever the target's micro-ops are.
 */
const struct derived *mapping_derive_copies(struct arena *arena, const struct target *target,
                                            uint64_t unit);
/* Sequences that copy a row of one class of many rows to one of another; no group if there are
 * none.
 */
const struct derived *mapping_derive_between(struct arena *arena, const struct target *target,
                                             uint64_t unit, int from, int to);
/* Start and search. */
const struct derived *mapping_derive_gates(struct arena *arena, const struct target *target,
                                           uint64_t unit, enum derive_effort effort);

/* The same as if one op, with all variants of its line, were not there; NULL where nothing is to be
 * derived. */
const struct derived *mapping_derive_without(struct arena *arena, const struct target *target,
                                             uint64_t unit, enum derive_effort effort, uint32_t op);

/* --- closure.c --- */

/* Could a register get the function of so many inputs in registers, had each class as many rows as
 * one likes?  False: no sequence of micro-ops makes it.  `with_mask`: if the latch of the mask were
 * one like others. */
bool mapping_is_possible(const struct target *target, uint8_t truth, unsigned inputs,
                         bool with_mask);
/* The same if what is read could be written over in the registers where it lies. */
bool mapping_is_possible_over(const struct target *target, uint8_t truth, unsigned inputs);
/* Does some micro-op leave what it reads in more than one place?  If none does, there is at most
 * one place at any time that hangs on an operand: no function of it is made while the operand
 * stays. */
bool mapping_keeps_operands(const struct target *target);
/* The same without leaving the rows of a section: the first, or one with others on both sides,
 * which are those that gates are looked for in.  Two sections that differ otherwise are not told
 * apart. */
bool mapping_is_possible_within(const struct target *target, uint8_t truth, unsigned inputs);

/* --- known_sequences.c, sequence_key.c --- */

/* The groups that were searched for when the tools were built, for a built-in target in which all
 * is the same that the search looks at; false if there are none. */
bool mapping_derive_recall(struct arena *arena, const struct target *target, struct derived *out);
/* The SHA-256 of all that the search looks at: places, and what each op does there at what cost. */
#define SEQUENCE_KEY 65 /* digits and a 0 */
void mapping_sequence_key(const struct target *target, const struct derived *derived,
                          char key[SEQUENCE_KEY]);

/* What the build keeps of them. */
struct known_template {
    uint32_t first_step;
    uint8_t step_count, out, stays, touched; /* as in step_template */
};
struct known_group {
    uint8_t truth, nsrc; /* as in template_group */
    uint32_t cost, stay_cost, first_template, count;
};
struct known_sequences {
    const char *key;
    const struct known_group *groups;
    unsigned group_count;
    const struct known_template *templates;
    const uint16_t *steps; /* numbers of uses */
};

/* The group of a function of up to three inputs, or NULL.  order[i]: the input of the function that
 * is input i of the group. */
const struct template_group *mapping_derived_find(const struct derived *derived, uint8_t truth,
                                                  unsigned *order);

/* Orders of three inputs, the given one first; the function where input i is called order[i]. */
#define INPUT_ORDERS 6
extern const uint8_t mapping_input_orders[INPUT_ORDERS][FRAME_INPUTS];
uint8_t mapping_function_permute(uint8_t truth, const uint8_t *order);

/* Cost of an op with what presets it, in units. */
uint32_t mapping_op_cost(const struct target *target, const struct target_op *op, uint64_t unit);
/* ps of one unit of cost: all ops cost whole units. */
uint64_t mapping_cost_unit(const struct target *target);

/* --- frame.c --- */

/* Does the target need derived gates? */
bool mapping_frame_is_needed(const struct target *target);
/* Does a micro-op that crosses no section copy rows of one class to rows of another? */
bool mapping_frame_copies(const struct target *target, int from, int to);
/* Do registers lie in rows that are only copied from and to the class of scratch rows in which
 * gates work, which are all gates of themselves there?  Then values between gates lie in that class
 * alone. */
bool mapping_frame_stores_apart(const struct target *target);
/* Which classes hold values between gates; the rest of the frame is mapping_frame_fill's. */
void mapping_frame_find_homes(struct op_frame *frame);
void mapping_frame_fill(struct op_frame *frame, const struct target *target,
                        enum derive_effort effort);
/* The same with the class `from` as home, and results wanted in the class `to`. */
void mapping_frame_fill_between(struct op_frame *frame, const struct target *target,
                                enum derive_effort effort, int from, int to);
/* All uses of all ops on the frame's places; of those that write more than others with the same
 * sources, only where none writes less (`all`: these, too).  `once`: of uses that differ in the
 * order of sources between which the op's functions do not tell, only one, and of ops that do the
 * same the first; so it is, too, where there are more uses than can be listed otherwise.  They are
 * then in an order that the file's lines have no part in, so that what a budget leads to has none,
 * either. */
struct op_use *mapping_frame_uses(struct arena *arena, const struct op_frame *frame, uint64_t unit,
                                  bool all, bool once, unsigned *count);
/* The class and section that `where` speaks of, where CLASS_HOME is `home`. */
struct where_place mapping_frame_where(const struct op_frame *frame, unsigned place, int home);
/* needless_uses.c: leave out uses whose results smaller ones make for no more, and those of which
 * another op does the same in the same places for no more; how many are left, in their order. */
unsigned mapping_uses_drop_larger(const struct target *target, struct op_use *uses, unsigned count);
unsigned mapping_uses_drop_twins(const struct target *target, struct op_use *uses, unsigned count);
/* Results of a use where the places hold these truth tables, by destination. */
void mapping_use_apply(const struct target *target, const struct op_use *use,
                       const uint64_t *values, uint64_t *results);

#endif
