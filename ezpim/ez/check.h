/* SPDX-License-Identifier: MIT
 * Inside the checker (check*.c). */
#ifndef EZPIM_EZ_CHECK_H
#define EZPIM_EZ_CHECK_H

#include "ezpim/ez/unit.h"

/* What is known of the condition bit C at a point of the program. */
enum condition_state { CONDITION_UNSET, CONDITION_SET, CONDITION_LOST };

/* What was known of a symbol before it was written. */
struct flow_change {
    struct ez_symbol *symbol;
    uint64_t written, maybe;
};

/* A read in a loop in front of which nothing was written, and the assignments seen by then. */
struct early_read {
    const struct expr *at;
    const struct ez_symbol *symbol;
    uint32_t assignments;
};

/* A loop around the statement at hand. */
struct open_loop {
    struct open_loop *outer;
    struct stmt *stmt;
};

struct ez_reduction;
struct ez_message;

struct checker {
    struct unit *u;
    struct map locals; /* of the ensemble; like unit.names */
    struct ez_symbols local_list;
    struct ez_symbol *group; /* of the ensemble; NULL outside */
    enum condition_state condition;
    struct span condition_lost; /* by what */
    bool lane;                  /* statements of one lane: in `compute` or a subroutine */
    struct ez_symbol *sub;      /* the subroutine at hand, or NULL */
    struct stmt *on;            /* the `on` at hand, or NULL */
    struct open_loop *around;   /* what is repeated or conditional around, at top level */
    VEC(struct ez_message *) messages;
    struct stmt *compute;            /* the `compute` at hand, or NULL */
    struct open_loop *loop;          /* the innermost one around, in lane code */
    VEC(struct early_read) early;    /* in the loops around */
    unsigned divergent;              /* conditions around that may differ from lane to lane */
    bool unreachable;                /* no lane gets here */
    bool in_front;                   /* only the first elements of the group do */
    VEC(struct flow_change) changes; /* so that they can be taken back */
    uint32_t flow_stamp;
    struct ez_reduction *run; /* the reduction in front of the statement at hand, or NULL */
    uint64_t clone_room;      /* nodes that unrolling may still make */
    unsigned repeat_depth;
    uint32_t repeat_stamp; /* of the outermost `repeat`, from 1 */
    /* An unsupported statement was left out: what it may have written is not known. */
    bool incomplete;
};

#define TYPE_ERROR  ((struct value_type){.state = STATE_ERROR})
#define TYPE_NUMBER ((struct value_type){.state = STATE_NUMBER})
struct value_type type_of(struct mpu_type t);
extern const struct mpu_type type_bool;
bool type_is_bool(struct value_type t);
bool type_is_integer(struct value_type t); /* typed and not bool */
bool type_same(struct mpu_type a, struct mpu_type b);

/* Texts for messages; they live as long as the unit. */
const char *type_name(struct checker *c, struct mpu_type t);
const char *number_text(struct checker *c, ez_number v);
const char *source_text(struct checker *c, struct span at);

/* Errors with a name that is near among what could stand there. */
void report_unknown(struct checker *c, struct name name, const char *what, const char *const *more,
                    size_t more_count);
void report_unsupported(struct checker *c, struct span at, const char *word);
/* A fix-it that wraps the text of e: i32(e). */
void suggest_cast(struct checker *c, const struct expr *e, struct mpu_type to);

/* Resolves "u32"; false after reporting. */
bool resolve_type(struct checker *c, struct name name, struct mpu_type *t);
/* A type with its count; false after reporting. */
bool resolve_count(struct checker *c, struct expr *count, uint32_t *k);

struct ez_symbol *find_symbol(struct checker *c, const char *name);
/* The group of that name; NULL after reporting. */
struct ez_symbol *find_group(struct checker *c, struct name name);
/* A symbol that nothing finds by its name; one that holds values is a scalar. */
struct ez_symbol *symbol_new(struct checker *c, enum ez_symbol_kind kind, struct name name);
/* Declares; NULL after reporting that the name is taken or means something else. */
struct ez_symbol *declare(struct checker *c, enum ez_symbol_kind kind, struct name name,
                          struct decl *d);
/* The same, in the block at hand; a variable is one of its group. */
struct ez_symbol *declare_local(struct checker *c, enum ez_symbol_kind kind, struct name name);
/* False after reporting that the name is taken or means something else. */
bool name_is_free(struct checker *c, struct name name);

void check_expr(struct checker *c, struct expr *e);
/* A counter is read as a value; false after reporting that it cannot be. */
bool counter_read(struct checker *c, const struct expr *e, struct ez_symbol *k);
/* The number of the counter's loop among the REPEATs around, 0 being the innermost one. */
bool counter_lap(const struct checker *c, const struct ez_symbol *k, unsigned *lap);
void check_call(struct checker *c, struct expr *e);
/* Is it the name of one of the language's functions: min, max, select, ..? */
bool is_function(const char *name);
/* An instruction that is called like a function; OP_COUNT if there is none. */
enum mpu_op find_function_op(const char *name);
/* length(x); false if the call is something else. */
bool check_length(struct checker *c, struct expr *e);
/* table[index] */
void check_table(struct checker *c, struct expr *e, struct ez_symbol *s);
/* Marks the expression as wrong and reported. */
void poison(struct expr *e);
/* A constant of the source that must be known now: an integer in first..last. */
bool check_integer(struct checker *c, struct expr *e, ez_number first, ez_number last,
                   const char *what, uint64_t *value);
/* The element of a variable that an lvalue names; NULL after reporting. */
struct ez_symbol *check_element(struct checker *c, struct expr *e, uint32_t *element);
/* Which of a variable's registers an lvalue names; false after reporting. */
bool find_register(struct checker *c, struct expr *e, const struct ez_symbol *s, uint32_t *element);
void check_read(struct checker *c, struct expr *e);
void check_write(struct checker *c, struct expr *e);

/* Gives an untyped expression a type; silent: bits may be lost on purpose. */
void coerce(struct checker *c, struct expr *e, struct mpu_type t, bool silent);
/* The type at which both operands of `what` work, coercing numbers; false after reporting.
 * NUMBER when both are. */
bool common_type(struct checker *c, const char *what, struct span at, struct expr *a,
                 struct expr *b, struct value_type *t);
/* e may be stored in a variable of type t that the source calls as at `name`; false after
 * reporting. */
bool check_assignable(struct checker *c, struct expr *e, struct mpu_type t, struct span name);
/* Folds a node of known type whose operands are constants. */
void fold_typed(struct expr *e);
/* Folds an untyped node exactly; false when the result is too large or undefined. */
bool fold_numbers(enum binary_op op, ez_number a, ez_number b, ez_number *r);
bool number_fits(ez_number v, struct mpu_type t);
/* The constant becomes a value of type t, bits above dropped. */
void set_constant(struct expr *e, ez_number v, struct mpu_type t);

/* False after reporting that e is no bool. */
bool check_bool(struct checker *c, struct expr *e, const char *what);
/* The symbol's elements `bits` have a value from here on. */
void note_written(struct checker *c, struct ez_symbol *s, uint64_t bits);
/* Before that: whether this is so in all elements of its group. */
void note_partly(const struct checker *c, struct ez_symbol *s, uint64_t bits);
/* Behind the outermost loop: reads that no lap could have written before. */
void check_early_reads(struct checker *c);

void check_block(struct checker *c, struct stmt *s, bool top);
/* if, while, for, repeat, break, continue, return in lane code. */
void check_flow_stmt(struct checker *c, struct stmt *s);
void check_lane_repeat(struct checker *c, struct stmt *s);

/* Declares a subroutine; its body is checked when it is first called, or at the end. */
void declare_sub(struct checker *c, struct decl *d);
void check_sub(struct checker *c, struct ez_symbol *s);
void check_sub_call(struct checker *c, struct expr *e, struct ez_symbol *s);
void check_insn(struct checker *c, struct stmt *s);
void check_asm(struct checker *c, struct stmt *s);
/* Whether the instruction reads (writes) its operand i, a variable; what it writes in part it
 * reads.
 */
bool insn_reads(const struct stmt *s, unsigned i);
bool insn_writes(const struct stmt *s, unsigned i);
void condition_overwritten(struct checker *c, struct span at);

#endif
