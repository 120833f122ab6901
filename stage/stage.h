/* SPDX-License-Identifier: MIT
 * Kernels of form `stage` (docs/stage.md): a chain of patterns over named arrays, with bodies in a
 * part of C.  Reading gives a checked tree: every expression has its type, every loop what is known
 * of its laps, every array its length.  The interpreter carries it out; a compiler of a machine
 * walks the same tree.  Nothing here knows a machine.
 *
 * Everything of a kernel lies in its arena and is only read once it is made. */
#ifndef STAGE_STAGE_H
#define STAGE_STAGE_H

#include "object/object.h"
#include "support/arena.h"
#include "support/diag.h"

/* Blocks and expressions that stand in each other; elements of a unit with what lies beyond it, of
 * an accumulator; elements of an array of a body, and of all of one body. */
#define STAGE_MAX_DEPTH 100
#define STAGE_MAX_UNIT  65536
#define STAGE_MAX_TABLE 4096
#define STAGE_MAX_SLOTS 65536
/* Statements and laps that one element may take. */
#define STAGE_ELEMENT_STEPS ((uint64_t)1 << 22)

enum stage_op {
    STAGE_NEGATE,
    STAGE_INVERT,
    STAGE_NOT,
    STAGE_ABS,
    STAGE_SQRT,
    STAGE_FIRST_BINARY,
    STAGE_ADD = STAGE_FIRST_BINARY,
    STAGE_SUB,
    STAGE_MUL,
    STAGE_DIV,
    STAGE_REM,
    STAGE_AND,
    STAGE_OR,
    STAGE_XOR,
    STAGE_MIN,
    STAGE_MAX,
    STAGE_SHL, /* the count has a type of its own */
    STAGE_SHR,
    STAGE_EQ, /* from here on the result is a bool */
    STAGE_NE,
    STAGE_LT,
    STAGE_LE,
    STAGE_GT,
    STAGE_GE,
    STAGE_BOTH, /* && */
    STAGE_EITHER,
    STAGE_NO_OP
};

/* What is known of an integer, whatever the elements are. */
struct stage_range {
    bool known;
    int64_t least, most;
};

/* What a name in a body means. */
enum stage_name_kind {
    STAGE_LOCAL,  /* a number of the body, from slot on; */
    STAGE_TABLE,  /* or `count` of them */
    STAGE_SCALAR, /* a number that the kernel is called with; `parameter` is its index */
    STAGE_PARAM,  /* elements of an array: what the stage names there */
    STAGE_OTHER   /* in `combine`: another part's accumulator */
};
struct stage_param;
struct stage_name {
    enum stage_name_kind kind;
    const char *text;
    struct span at;
    struct lane_type type;
    bool constant, assigned; /* nothing may change it; something does */
    bool counts;             /* it is a loop's that goes on by itself */
    uint32_t slot, count;
    uint32_t parameter;        /* STAGE_SCALAR */
    struct stage_param *param; /* STAGE_PARAM, STAGE_OTHER */
    struct stage_range range;  /* of a loop's counter, while its body is checked */
    const uint64_t *elements;  /* [count] what it always holds; NULL: it begins with zeros */
    struct stage_name *next;   /* the one declared before it */
};

enum stage_expr_kind {
    STAGE_NUMBER,
    STAGE_NAME,
    STAGE_ELEMENT, /* of[args[0]] */
    STAGE_CALL,    /* as it is read; a tree that was checked has none */
    STAGE_UNARY,
    STAGE_BINARY,
    STAGE_CHOICE, /* args[0] ? args[1] : args[2] */
    STAGE_CAST    /* args[0] as `type` */
};
struct stage_expr {
    enum stage_expr_kind kind;
    enum stage_op op;
    struct lane_type type; /* bits 0, until it is known: a number that takes the type around it */
    struct span at;
    uint32_t line;  /* of the text, from 1 */
    uint32_t depth; /* of what stands in it */
    uint64_t value; /* of a number: its pattern, extended to 64 bits as stage_normal does */
    const char *text;
    struct stage_name *of;
    struct stage_expr *args[3];
    struct stage_expr *next; /* in a list */
    struct stage_range range;
    bool inside; /* of an element: the index is known to be one */
};

enum stage_stmt_kind {
    STAGE_BLOCK,   /* body */
    STAGE_DECLARE, /* of, with value or zeros; a table's is filled from of->elements, or `list` */
    STAGE_ASSIGN,  /* target = value */
    STAGE_IF,      /* value, body, otherwise */
    STAGE_LOOP,    /* first; while value (NULL: always) { body; step } */
    STAGE_BREAK,
    STAGE_CONTINUE,
    STAGE_RETURN /* value in a filter */
};
struct stage_stmt {
    enum stage_stmt_kind kind;
    struct stage_stmt *next;
    struct span at;
    uint32_t line;
    enum stage_op op; /* of an assignment as it is read: STAGE_NO_OP: none */
    struct stage_name *of;
    struct stage_expr *target, *value;
    struct stage_expr *list; /* of a table's elements that are no constants; `next` */
    struct stage_stmt *first, *body, *otherwise, *step;
    bool body_first; /* of a loop: do .. while */
    /* Of a loop that counts: `of` goes on by a constant at the end of each lap, nothing else
     * changes it, and what it is compared with stays.  laps: so many at most; 0: not known before
     * the launch. */
    bool counted;
    uint64_t laps;
    int64_t by;
    /* As it is read. */
    struct lane_type type;
    const char *text;
    struct stage_expr *extent;
    bool constant;
};

enum stage_role {
    STAGE_IN,
    STAGE_OUT,
    STAGE_INOUT,
    STAGE_WHOLE, /* all elements can be seen, and none changed */
    STAGE_ACC,   /* what a reduce gathers */
    STAGE_COUNT  /* how many units a filter has kept */
};
/* What a stage does with an array. */
struct stage_param {
    enum stage_role role;
    struct span at;
    uint32_t line;
    const char *array_text, *text; /* as the kernel has it, and as the body does */
    const char *tail_text, *from_text;
    uint32_t array; /* index into stage_kernel.arrays */
    uint32_t tail;  /* of an input: the array that goes on behind its end; NO_INDEX */
    uint32_t from;  /* of a filter's output: the stage's parameter that is kept; NO_INDEX: the body
                       writes what is */
    uint32_t count; /* elements that the body sees; of WHOLE with a bound of the launch 0 */
    uint32_t bound; /* parameter of the kernel that says how many those are; NO_INDEX */
    uint32_t slot;  /* OUT, INOUT, ACC: where the body has them */
    struct lane_type type;
    struct stage_name *name, *other;
    struct stage_expr *extent, *init;
    /* ACC.  Each part of a machine begins with `begin`, and parts are put together by `fold`, or by
     * the stage's `combine` (STAGE_NO_OP).  What the result begins with, `value` or, without `has`,
     * what the array holds, comes in once; with `combine` it is also what parts begin with. */
    bool has;
    uint64_t value, begin;
    enum stage_op fold;
    bool unsettled; /* a fold of floats: what comes out depends on the order of the elements */
    uint32_t updates, reads; /* as they are counted */
    struct stage_param *next;
};

enum stage_pattern { STAGE_MAP, STAGE_REDUCE, STAGE_FILTER };
/* Window and group are units of a map or a filter: the body of unit n sees the elements n * unit to
 * n * unit + unit + overlap - 1. */
struct stage_stage {
    struct stage_stage *next;
    enum stage_pattern pattern;
    struct span at;
    uint32_t line;
    uint32_t unit, overlap;
    bool windows, groups;
    struct stage_expr *window_expr, *group_expr;
    uint32_t length; /* of what goes in, and of its units: indices into stage_kernel.lengths */
    uint32_t units;
    struct stage_param *params, **params_end;
    uint32_t param_count;
    struct stage_stmt *body;
    uint32_t slots;            /* of the body and of combine */
    struct stage_expr *others; /* names of combine, as they are read */
    struct stage_stmt *combine;
};

enum stage_use { STAGE_UNUSED, STAGE_ELEMENTS, STAGE_WHOLE_USE, STAGE_RESULT };
struct stage_array {
    struct stage_array *next;
    const char *text;
    struct span at;
    struct lane_type type;
    uint32_t parameter; /* of the kernel; NO_INDEX: it lies nowhere before the kernel begins */
    uint32_t length;    /* index into lengths, of one of which elements are worked on; NO_INDEX */
    enum stage_use use;
    bool written, kept; /* by a stage; by a filter: how many there are is known then */
    struct span writer;
};

/* A number of elements, from that of another: what a stage makes of it. */
enum stage_length_kind { STAGE_ALL, STAGE_UNITS, STAGE_KEPT };
struct stage_length {
    enum stage_length_kind kind;
    uint32_t of;            /* STAGE_UNITS, STAGE_KEPT: at most so many, times `unit` */
    uint32_t unit, overlap; /* overlap: 0 where tails go on behind the end */
};

struct stage_kernel {
    struct arena arena;
    const struct kernel_decl *decl;
    uint32_t offsets[KERNEL_MAX_PARAMETERS]; /* of parameters among their bytes */
    uint32_t parameter_bytes;
    uint32_t length_parameter; /* NO_INDEX: it is always length_value */
    uint64_t length_value;
    struct stage_array *array_list;
    struct stage_array **arrays; /* [array_count] */
    uint32_t array_count;
    struct stage_length *lengths; /* [length_count]; 0: all */
    uint32_t length_count;
    struct stage_stage *stages;
};

/* The kernel; NULL after errors, whose places are in a source of the text that is registered under
 * the name. */
struct stage_kernel *stage_read(const struct kernel_decl *decl, const char *name,
                                struct diag *diag);
void stage_free(struct stage_kernel *kernel); /* NULL: nothing */

/* ---- interpreter.c ---- */
struct portable_launch;
struct portable_fault;
/* As portable_form.run. */
bool stage_run(const struct stage_kernel *kernel, const struct portable_launch *launch,
               struct portable_fault *fault);

/* What another part of a machine has gathered comes to what is in `slots`: [slots of the stage],
 * where its accumulators have their elements; by the stage's `combine`, or by the operations that
 * gather.  False with *fault set. */
bool stage_join(const struct stage_kernel *kernel, const struct stage_stage *stage,
                const uint64_t *scalars, uint64_t *slots, const uint64_t *others,
                struct portable_fault *fault);

/* ---- lengths.c ---- */
/* Units of n elements: each needs `overlap` elements beyond it (0: tails give them to the last
 * ones).  What is left over belongs to none. */
uint64_t stage_units(uint64_t n, uint32_t unit, uint32_t overlap);
/* [length_count]: at most so many elements of each length, if all are `n`. */
void stage_lengths_most(const struct stage_kernel *kernel, uint64_t n, uint64_t *out);
/* Of what a launch says, [parameters] as stage_normal has it: `length`; false: it is below 0. */
bool stage_length(const struct stage_kernel *kernel, const uint64_t *scalars, uint64_t *n);
/* How many elements are seen of what has a count or, but for NO_INDEX, a parameter that says it. */
uint64_t stage_seen(const struct stage_kernel *kernel, const uint64_t *scalars, uint32_t count,
                    uint32_t bound);
/* Elements of an array that the kernel has to do with; of what a filter keeps 0. */
uint64_t stage_extent(const struct stage_kernel *kernel, const uint64_t *scalars,
                      const uint64_t *lengths, uint32_t array, bool *written);

/* ---- one_operation.c: one operation.  Values are patterns as stage_normal has them. ---- */
/* Signed numbers are extended by their sign, others by zeros. */
uint64_t stage_normal(struct lane_type type, uint64_t value);
uint64_t stage_unary(enum stage_op op, struct lane_type type, uint64_t value);
/* Of operands of that type; STAGE_SHL and STAGE_SHR have any count. */
uint64_t stage_binary(enum stage_op op, struct lane_type type, uint64_t left, uint64_t right);
uint64_t stage_convert(struct lane_type from, struct lane_type to, uint64_t value);
/* What x OP it is x for every x. */
uint64_t stage_identity(enum stage_op op, struct lane_type type);
/* "+", "min". */
const char *stage_op_text(enum stage_op op);

static inline bool stage_is_integer(struct lane_type type) {
    return type.kind == TYPE_UINT || type.kind == TYPE_INT;
}
static inline bool stage_same_type(struct lane_type left, struct lane_type right) {
    return left.kind == right.kind && left.bits == right.bits;
}

#endif
