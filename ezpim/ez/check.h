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

struct ez_written;
/* A loop around the statement at hand. */
struct open_loop {
    struct open_loop *outer;
    struct stmt *stmt;
};

struct ez_reduction;
struct ez_message;

struct checker {
    uint32_t unrolled; /* loops around of which the iteration at hand is checked */
    struct ez_unit *u;
    struct map locals; /* of the ensemble; like unit.names */
    struct ez_symbols local_list;
    struct ez_symbol *group; /* of the ensemble; NULL outside */
    enum condition_state condition;
    struct span condition_lost; /* by what */
    bool taken_out;             /* what is assigned gets to the lanes of every group */
    bool lane;                  /* statements of one lane: in `compute` or a subroutine */
    struct ez_symbol *sub;      /* the subroutine at hand, or NULL */
    struct stmt *on;            /* the `on` at hand, or NULL */
    struct stmt *launch;        /* the launch whose `else` is at hand, or NULL */
    struct ez_written *written; /* what stands there, of launches without one */
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
    unsigned idle;         /* a constant decides that the operand at hand does not count */
    /* An unsupported statement was left out: what it may have written is not known. */
    bool incomplete;
};

#define TYPE_ERROR  ((struct value_type){.state = STATE_ERROR})
#define TYPE_NUMBER ((struct value_type){.state = STATE_NUMBER})
struct value_type ez_type_of(struct lane_type type);
extern const struct lane_type ez_type_bool;
bool ez_type_is_bool(struct value_type type);
bool ez_type_is_integer(struct value_type type); /* typed, and neither bool nor floating point */
/* Typed so, or a number that takes such a type. */
bool ez_type_is_float(struct value_type type);
/* A constant, typed or not, that is an integer. */
bool ez_is_integer_constant(const struct expr *expr);
bool ez_type_same(struct lane_type left, struct lane_type right);

/* Texts for messages; they live as long as the unit. */
const char *ez_type_name(struct checker *checker, struct lane_type type);
const char *ez_number_text(struct checker *checker, ez_number number);
const char *ez_source_text(struct checker *checker, struct span at);

/* Errors with a name that is near among what could stand there. */
void ez_report_unknown(struct checker *checker, struct ez_name name, const char *what,
                       const char *const *more, size_t more_count);
/* A fix-it that wraps the text of `expr`: i32(expr). */
void ez_suggest_cast(struct checker *checker, const struct expr *expr, struct lane_type to);

/* Resolves "u32"; false after reporting. */
bool ez_resolve_type(struct checker *checker, struct ez_name name, struct lane_type *type);
/* A type with its count; false after reporting. */
bool ez_resolve_count(struct checker *checker, struct expr *count, uint32_t *k);

struct ez_symbol *ez_find_symbol(struct checker *checker, const char *name);
/* The group of that name; NULL after reporting. */
struct ez_symbol *ez_find_group(struct checker *checker, struct ez_name name);
/* The variable that says how many elements of the group of that name there are, or NULL. */
struct ez_symbol *ez_counted_by(struct checker *checker, struct ez_name name);
/* A symbol that nothing finds by its name; one that holds values is a scalar. */
struct ez_symbol *ez_symbol_new(struct checker *checker, enum ez_symbol_kind kind,
                                struct ez_name name);
/* Declares; NULL after reporting that the name is taken or means something else. */
struct ez_symbol *ez_declare(struct checker *checker, enum ez_symbol_kind kind, struct ez_name name,
                             struct decl *decl);
/* The same, in the block at hand; a variable is one of its group. */
struct ez_symbol *ez_declare_local(struct checker *checker, enum ez_symbol_kind kind,
                                   struct ez_name name);
/* False after reporting that the name is taken or means something else. */
bool ez_name_is_free(struct checker *checker, struct ez_name name);

void ez_check_expr(struct checker *checker, struct expr *expr);
/* Of an operand of && and ||, or a value of `select`: where a constant decides that it does not
 * count, what it divides by may be zero, and its constants out of range. */
void ez_check_operand(struct checker *checker, struct expr *expr, bool counts);
/* A counter is read as a value; false after reporting that it cannot be. */
bool ez_counter_read(struct checker *checker, const struct expr *expr, struct ez_symbol *symbol);
/* The number of the counter's loop among the REPEATs around, 0 being the innermost one. */
bool ez_counter_lap(const struct checker *checker, const struct ez_symbol *symbol, unsigned *lap);
void ez_check_call(struct checker *checker, struct expr *expr);
/* Gives what is passed the registers r0, r1 and so on, in the order of the parameters, the result
 * behind them: other objects call the subroutine. */
void ez_export_sub(struct checker *checker, struct ez_symbol *symbol);
/* Warns where the second operand of a division is the constant 0. */
void ez_warn_division(struct checker *checker, const struct expr *expr, bool remainder);
/* Of an instruction as a function, whose operands were checked: whether it takes them with the sign
 * that they have; warns if not. */
void ez_check_sign(struct checker *checker, const struct expr *expr);
/* abs(x) of constants, of unsigned numbers, whose value is known or x, and of floating point; false
 * if it is none of these.  The argument was checked. */
bool ez_check_abs(struct checker *checker, struct expr *expr);
/* Is it the name of one of the language's functions: min, max, select, ..? */
bool ez_is_function(const char *name);
/* An instruction that is called like a function; OP_COUNT if there is none. */
enum isa_op ez_find_function_op(const char *name);
/* The index of a table in lanes, which was checked: from here on `expr` is FUNCTION_TABLE of it. */
void ez_check_lane_index(struct checker *checker, struct expr *expr, struct ez_symbol *symbol);
/* table[index] */
void ez_check_table(struct checker *checker, struct expr *expr, struct ez_symbol *symbol);
/* Marks the expression as wrong and reported. */
void ez_poison(struct expr *expr);
/* A constant of the source that must be known now: an integer in first..last. */
bool ez_check_integer(struct checker *checker, struct expr *expr, ez_number first, ez_number last,
                      const char *what, uint64_t *value);
/* The element of a variable that an lvalue names; NULL after reporting. */
struct ez_symbol *ez_check_element(struct checker *checker, struct expr *expr, uint32_t *element);
/* Which of a variable's registers an lvalue names; false after reporting. */
bool ez_find_register(struct checker *checker, struct expr *expr, const struct ez_symbol *symbol,
                      uint32_t *element);
void ez_check_read(struct checker *checker, struct expr *expr);
void ez_check_write(struct checker *checker, struct expr *expr);

/* Gives an untyped expression a type; silent: bits may be lost on purpose. */
void ez_coerce(struct checker *checker, struct expr *expr, struct lane_type type, bool silent);
/* The same of an untyped node of several parts. */
void ez_coerce_operands(struct checker *checker, struct expr *expr, struct lane_type type,
                        bool silent);
/* The type at which both operands of `what` work, coercing numbers; false after reporting.
 * NUMBER when both are. */
bool ez_common_type(struct checker *checker, const char *what, struct span at, struct expr *left,
                    struct expr *right, struct value_type *type);
/* `expr` may be stored in a variable of type `type` that the source calls as at `name`; false after
 * reporting. */
bool ez_check_assignable(struct checker *checker, struct expr *expr, struct lane_type type,
                         struct span name);
/* Floating point (check_float.c).  False after reporting `what`, "`%` takes integers", and that
 * `expr` is none. */
bool ez_refuse_float(struct checker *checker, const struct expr *expr, const char *what);
/* "f32", "a floating-point number", or "a number of more than 64 bits". */
const char *ez_what_it_is(struct checker *checker, const struct expr *expr);
/* The same of bits, which a pattern has. */
bool ez_refuse_float_bits(struct checker *checker, const struct expr *expr, const char *what);
/* Gives an untyped expression a floating-point type: constants are rounded once.  Silent: integers
 * are, too; else they are what the type has. */
void ez_coerce_float(struct checker *checker, struct expr *expr, struct lane_type type,
                     bool silent);
/* inf and nan, where nothing else has the name. */
bool ez_check_real_name(struct checker *checker, struct expr *expr);
/* Constants that a number of floating point without a type is made of. */
bool ez_is_real_constant(const struct expr *expr);
/* sqrt, floor and so on, with one argument that was checked; enum function_kind. */
void ez_check_float_function(struct checker *checker, struct expr *expr, uint8_t function);
/* as_u32(x); false if the name is none of these. */
bool ez_check_pattern(struct checker *checker, struct expr *expr);
/* Of an instruction as a function: false after reporting operands that it does not take. */
bool ez_check_format(struct checker *checker, const struct expr *expr, enum isa_op op,
                     struct lane_type type);
/* Folds a node of known type whose operands are constants. */
void ez_fold_typed(struct expr *expr);
/* Folds an untyped node exactly; false when the result is too large or undefined. */
bool ez_fold_numbers(enum binary_op op, ez_number left, ez_number right, ez_number *number);
/* The constant becomes a value of type `type`, bits above dropped. */
void ez_set_constant(struct expr *expr, ez_number number, struct lane_type type);

/* False after reporting that `expr` is no bool. */
bool ez_check_bool(struct checker *checker, struct expr *expr, const char *what);
/* Before that: whether this is so in all elements of its group. */
void ez_note_partly(const struct checker *checker, struct ez_symbol *symbol, uint64_t bits);
/* Behind the outermost loop: reads that no lap could have written before. */
void ez_check_early_reads(struct checker *checker);

void ez_check_block(struct checker *checker, struct stmt *stmt, bool top);
/* if, while, for, repeat, break, continue, return in lane code. */
void ez_check_flow_stmt(struct checker *checker, struct stmt *stmt);

/* Declares a subroutine; its body is checked when it is first called, or at the end. */
void ez_declare_sub(struct checker *checker, struct decl *decl);
void ez_check_sub(struct checker *checker, struct ez_symbol *symbol);
/* When all of them are checked. */
void ez_refuse_recursion(struct checker *checker);
void ez_check_sub_call(struct checker *checker, struct expr *expr, struct ez_symbol *symbol);
void ez_check_insn(struct checker *checker, struct stmt *stmt);
void ez_check_asm(struct checker *checker, struct stmt *stmt);
/* Whether the instruction reads (writes) its operand `index`, a variable; what it writes in part it
 * reads.
 */
bool ez_insn_reads(const struct stmt *stmt, unsigned index);
bool ez_insn_writes(const struct stmt *stmt, unsigned index);

/* ---- check_note.c ---- */
/* The symbol's elements `bits` have a value from here on. */
void ez_note_written(struct checker *checker, struct ez_symbol *symbol, uint64_t bits);
void ez_condition_overwritten(struct checker *checker, struct span at);
/* -Wunused for one declared name. */
void ez_warn_unused(struct checker *checker, const struct ez_symbol *symbol);
bool ez_is_bare_size(const struct expr *expr);
/* The last value of a counter up to `end`, at most. */
ez_number ez_last_lap(const struct expr *end);
/* Whether `expr` is length(x). */
bool ez_asks_length(const struct expr *expr);
/* A length is read: before any `compact` it has the number of all elements. */
void ez_note_length(struct ez_symbol *length);

#endif
