/* SPDX-License-Identifier: MIT
 * What compiles a program: one attempt at it, what an attempt lacks, which are tried, and what is
 * said where none has room. */
#ifndef EZPIM_COMPILE_ATTEMPT_H
#define EZPIM_COMPILE_ATTEMPT_H

#include "ezpim/compile.h"
#include "ezpim/code/rows.h"
#include "ezpim/ir/registers.h"
#include "ezpim/ir/spill.h"

/* How the program is made into code.  Each step asks for fewer rows, mostly, and costs time. */
struct attempt {
    bool share;     /* variables that are not needed at the same time have the same registers */
    bool give;      /* inputs that are not consumed, too */
    bool finish;    /* reductions that the host may finish stay such: their elements keep their
                       registers to the end */
    bool put_in;    /* larger subroutines are put in where they are called */
    uint8_t folded; /* reductions of a run that are folded together, at most */
    int level;
    unsigned effort; /* as in struct ir_options */
    bool clean;      /* variables keep zeros above their bits, in wider registers (ir/clean.h) */
    bool roomy;      /* results have registers of their own (ir_options) */
    struct ir_room spill; /* registers 0: not; else variables have no more, some lie elsewhere */
    struct ir_room home;  /* as in ir_spill */
    uint8_t split;        /* and how bodies are split into ensembles: enum ir_split_how */
};

/* A program that an attempt began with, or came to, and what was asked for from there on: no other
 * attempt makes anything else of it. */
struct tried {
    uint64_t key;
    uint32_t lacks; /* as in struct compilation */
};

/* What the front end makes of equal wishes is equal. */
struct known_lowering {
    struct compile_lowering how;
    uint64_t print;
};

/* A later attempt that may have room. */
struct looked_at {
    bool looked; /* else there is none */
    struct attempt how;
    struct ir_program program; /* with registers */
};

struct compilation {
    const struct compile_front *front;
    const struct ez_options *options;
    struct diag *diag;
    uint32_t targets;     /* bit i: the i-th of rows_left should have room */
    unsigned sections;    /* of targets that should, or of --columns; 0: columns do not count */
    uint64_t emitted;     /* instructions of all attempts so far */
    uint64_t *spill_work; /* of all attempts, as ir_spill counts it */
    uint32_t lacks;       /* the variable of the latest attempt that got no register, or IR_NONE */
    bool finishes;        /* the host may finish some reductions */
    int ends_full;        /* 1 and the level at which registers do not hold to the end what the host
                             may finish, however many reductions are folded together; or 0 */
    VEC(struct tried) tried;
    VEC(struct known_lowering) lowered;
    uint32_t folded; /* reductions that a program folded together, at most */
    bool postpones;  /* an attempt that has room nowhere waits for all others: */
    VEC(struct attempt) postponed;
    VEC(struct attempt) left_out; /* not made, since some target would have no room */
    struct looked_at ahead[2];    /* without and with reductions that the host may finish */
    struct ir_spills *spills;     /* or NULL: what the object has of them */
    int full_from; /* 1 and the level at which FEWER reductions together have room nowhere; or 0 */
};

/* Room that registers have, or should have: rows; or columns, which hold several bits of one. */
struct compile_room {
    const char *target; /* NULL: --rows or --columns says it */
    uint32_t bits;      /* of a register that one holds */
    uint32_t taken, there;
};

/* What an object lacks.  Without --rows the better of two has room on more targets, of as many on
 * the same ones whatever was tried first; only of those with room on the same targets the first is
 * the better code.  Where there must be room on all of them, it is the one that takes fewer rows.
 */
struct compile_fit {
    bool all;         /* there is room wherever there should be */
    bool bound;       /* there is as much as options say */
    uint32_t targets; /* bit i: the i-th of rows_left should have room, and has */
    uint32_t taken;   /* bits of the object's registers */
    struct compile_room
        fullest;            /* what lacks most: of what options say, if one lacks; else of all */
    uint32_t rows, columns; /* the least that they have of each */
};

/* The best so far. */
struct compile_choice {
    struct object *object; /* NULL: there were too few registers */
    struct attempt how;
    struct ir_program program;
    struct compile_fit fit;
    struct str ir; /* with --emit=ir, layout */
};

/* What of an attempt made any difference. */
struct attempt_effect {
    bool clean, finish;
};

enum { MOST_ROWS = 64 * IR_REGISTERS };

/* ---- one attempt ---- */

/* Whether variables may lie in VRFs of their own. */
bool compile_spills(const struct compilation *compilation);
/* Whether there is no object without room on all targets at hand. */
bool compile_must_fit(const struct compilation *compilation);
/* That is no bound, measured as rooms are that are one. */
struct ir_room compile_whole_lane(const struct compilation *compilation);
/* Whether variables that are not needed at the same time have the same registers. */
bool compile_shares(const struct attempt *attempt);
struct compile_lowering compile_lowering_of(const struct attempt *attempt);
/* The program as the front end makes it for such an attempt. */
void compile_lower(struct compilation *compilation, const struct attempt *attempt,
                   struct ir_program *program);
/* False if variables have no registers. */
bool compile_run_passes(struct compilation *compilation, const struct attempt *attempt,
                        struct ir_program *program, struct attempt_effect *effect);
/* Both of them. */
bool compile_make_program(struct compilation *compilation, const struct attempt *attempt,
                          struct ir_program *program);
/* NULL where there are too few registers, or no room on a target of `must`.  The program is spent.
 */
struct object *compile_emit(struct compilation *compilation, const struct attempt *attempt,
                            bool quiet, uint32_t must, struct ir_program *program);
/* What was asked for of the program as text (ez_options.emit). */
void compile_print(struct compilation *compilation, const struct attempt *attempt, struct str *out);

/* ---- what it lacks ---- */

/* What instructions of the object leave of a target for registers: of rows_left, and tables leave
 * some of its columns, which only their logic says. */
uint32_t compile_left(const struct object *object, const struct rows_left *left, unsigned target);
/* What the object lacks on each target, and of what options say. */
struct compile_fit compile_fit_of(const struct compilation *compilation,
                                  const struct object *object);
/* Frees what it holds; it is empty then. */
void compile_drop(struct compile_choice *choice);
/* True if the left one has more room (struct compile_fit). */
bool compile_is_better(const struct compilation *compilation, const struct compile_fit *left,
                       const struct compile_fit *right);
/* What there is room for at best: its variables alone take these rows. */
struct compile_fit compile_best_fit(const struct compilation *compilation,
                                    const struct ir_program *program);
/* Somewhere, and on each target of `must`. */
bool compile_may_have_room(const struct compilation *compilation, const struct attempt *attempt,
                           const struct ir_program *program, uint32_t must);
/* Somewhere, if reductions that the host may finish kept no registers. */
bool compile_may_have_room_unfinished(const struct compilation *compilation,
                                      const struct attempt *attempt,
                                      const struct ir_program *program);

/* ---- which are tried ---- */

/* Makes the attempt if it is new and may be better, and keeps the better one. */
void compile_consider(struct compilation *compilation, const struct attempt *attempt,
                      struct compile_choice *best);
/* The first attempt that has room; else the best. */
struct compile_choice compile_try_all(struct compilation *compilation);

/* ---- with variables elsewhere ---- */

/* Whether no further attempt is made. */
bool compile_spilled_enough(const struct compilation *compilation);

/* Variables have ever fewer registers and rows until there is room for what has no name; where rows
 * do not do, registers alone count. */
struct compile_choice compile_find_spills(struct compilation *compilation, struct ir_room whole);
/* For variables, where the program as it is takes too much. */
struct ir_room compile_room_for_spilling(const struct compilation *compilation,
                                         const struct compile_choice *plain);

/* ---- for single machines ---- */

/* The object of the program for the targets that options say; NULL after reporting.  What is
 * looked at for variables elsewhere is added to *spill_work, which bounds it. */
struct object *compile_one(const struct compile_front *front, const struct ez_options *options,
                           struct ir_spills *spills, uint64_t *spill_work, struct diag *diag);
/* Texts for machines without room, and a warning that says for which. */
void compile_add_texts(const struct compile_front *front, const struct ez_options *options,
                       struct object *common, struct diag *diag);

/* ---- what is said ---- */

/* Warns of inputs that gave their registers away. */
void compile_report_consumed(struct compilation *compilation, const struct ir_program *program);
/* Which variables have the registers that lack. */
void compile_report_registers(struct compilation *compilation);
/* Where most rows, or columns, are in use, and what helps. */
void compile_report_rows(struct compilation *compilation, const struct compile_choice *best);

#endif
