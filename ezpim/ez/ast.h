/* SPDX-License-Identifier: MIT
 * The syntax tree of an ezpim program.  The parser makes it, the checker fills in the fields that
 * are marked so, and lowering reads both.  Everything lies in one arena per unit. */
#ifndef EZPIM_EZ_AST_H
#define EZPIM_EZ_AST_H

#include "object/object.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/str.h"

/* A nested expression or block is refused beyond this: later phases recurse over the tree. */
#define EZ_MAX_DEPTH 1000
/* Nodes of an expression above one another: operators in a row, for which walking it needs stack.
 */
#define EZ_MAX_HEIGHT 5001

/* Numbers of the source before they have a type; the checker keeps them within +-2^100. */
__extension__ typedef __int128 ez_number;

struct ez_symbol;
struct ez_move;
struct ez_reduction;
struct ez_collective;
struct ez_message;
struct ez_compact;
struct ez_launch;
struct ez_product;
struct ez_sort;

/* The lengths of the variables with one that a statement names: only elements below all of them
 * take part. */
struct ez_front {
    struct ez_symbol **lengths;
    uint32_t count;
};

struct ez_name {
    const char *text;
    struct span at;
};

enum unary_op { UNARY_NEG, UNARY_INVERT, UNARY_NOT };

enum binary_op {
    BINARY_ADD,
    BINARY_SUB,
    BINARY_MUL,
    BINARY_DIV,
    BINARY_REM,
    BINARY_SHL,
    BINARY_SHR,
    BINARY_AND,
    BINARY_OR,
    BINARY_XOR,
    BINARY_EQ,
    BINARY_NE,
    BINARY_LT,
    BINARY_LE,
    BINARY_GT,
    BINARY_GE,
    BINARY_ALL,
    BINARY_ANY, /* && and || */
};
/* As written: "<<". */
const char *ez_unary_text(enum unary_op op);
const char *ez_binary_text(enum binary_op op);
bool ez_binary_compares(enum binary_op op); /* EQ .. GE */

enum type_state {
    STATE_ERROR,  /* reported already: silences what depends on it */
    STATE_NUMBER, /* untyped: takes the type of the operand that it meets; of floating point if it
                     is `real` */
    STATE_TYPED,
};
struct value_type {
    enum type_state state;
    struct lane_type type; /* STATE_TYPED */
    bool real;             /* STATE_NUMBER: some part is no integer */
};

enum expr_kind {
    EXPR_ERROR,
    EXPR_NUMBER, /* number */
    EXPR_REAL,   /* name: the decimal, which is rounded to the type that it meets */
    EXPR_BOOL,   /* number is 0 or 1 */
    EXPR_NAME,   /* name */
    EXPR_INDEX,  /* name[args...] */
    EXPR_UNARY,  /* args[0] */
    EXPR_BINARY, /* args[0], args[1] */
    EXPR_CALL,   /* name(args...): a function, a cast or a subroutine */
    EXPR_LIST,   /* { args... }: the values of a table or an array */
};

struct expr {
    enum expr_kind kind;
    uint8_t op; /* enum unary_op or binary_op; a name behind `asm`: VAR_IN, VAR_OUT or both */
    bool parenthesized;
    bool assigned;          /* it stands for the target of `target op= value` */
    uint16_t depth, height; /* parentheses, signs and calls in it; nodes: 1 for a leaf */
    struct span at;
    struct ez_name name;
    ez_number number;
    struct expr **args;
    uint32_t arg_count;
    /* Filled in by the checker. */
    struct value_type type;
    struct lane_type operand_type; /* at which a comparison or division works */
    bool is_constant;              /* value is known: exact, or reduced to its type */
    bool varies;                   /* may differ from lane to lane */
    bool writes;                   /* a subroutine called inside writes variables of the caller */
    ez_number value;               /* of a floating-point type its pattern */
    struct ez_symbol *symbol;      /* EXPR_NAME, EXPR_INDEX */
    uint32_t element;              /* EXPR_INDEX: the constant index */
    uint8_t function;              /* EXPR_CALL: enum function_kind */
    enum isa_op machine;           /* EXPR_CALL of an instruction */
};

/* "i32[4] @ g" as written. */
struct type_syntax {
    struct ez_name name;
    struct expr *count;   /* NULL: not an array */
    struct ez_name group; /* text NULL: none */
    struct span at;
    struct ez_name inner; /* i64 as u6: of the registers; text NULL: as outside */
};

enum operand_kind { OPERAND_VALUE, OPERAND_COND };

enum stmt_kind {
    STMT_ERROR,
    STMT_COMPUTE, /* compute NAME body */
    STMT_LET,     /* let name[: type] [= value] */
    STMT_ASSIGN,  /* target = value, or target op= value when compound */
    STMT_INSN,    /* MNEMONIC.width operands */
    STMT_CALL,    /* value is the call */
    STMT_IF,      /* if (value) body else otherwise */
    STMT_WHILE,   /* while (value) body */
    STMT_FOR,     /* for name: value .. last body */
    STMT_REPEAT,  /* repeat (value) body */
    STMT_MOVE,    /* move target = value [wrap | clip | else fill] */
    STMT_BREAK,
    STMT_CONTINUE,
    STMT_RETURN, /* value may be NULL */
    STMT_ASSERT, /* assert(value, text) */
    STMT_PRINT,  /* print(value, text); text NULL: the value as written */
    STMT_MARK,   /* mark text */
    STMT_SYNC,
    STMT_ON,         /* on name[operands...] body */
    STMT_COLLECTIVE, /* op [name] target [= value] [operands: the word `from` or `to`, an MPU] */
    STMT_BARRIER,
    STMT_ASM,     /* asm [in(operands...)] body: instructions */
    STMT_SEND,    /* target, operands: the word `to`, an MPU */
    STMT_RECV,    /* target, operands: the word `from`, an MPU */
    STMT_COMPACT, /* compact target [= value] where last */
    STMT_LAUNCH,  /* launch name <<<target>>>(operands) units value from last else otherwise */
};

enum collective_kind {
    COLLECTIVE_BROADCAST,
    COLLECTIVE_SCATTER,
    COLLECTIVE_GATHER,
    COLLECTIVE_ALLGATHER,
    COLLECTIVE_ALLTOALL,
    COLLECTIVE_TRANSPOSE,
    COLLECTIVE_REDUCE,
    COLLECTIVE_ALLREDUCE,
};

enum for_kind {
    FOR_COUNTED,  /* constant bounds: as often as there are values */
    FOR_UNROLLED, /* a body for each value */
    FOR_LANES,    /* each lane has its own bounds */
};

struct stmt {
    enum stmt_kind kind;
    struct span at;   /* the whole statement, blocks left out */
    struct span word; /* its first word */
    struct stmt *next;
    struct ez_name name;
    struct type_syntax *type;
    struct expr *target, *value;
    bool compound;
    bool wrap, clip, unroll;
    bool asks_last; /* STMT_WHILE: do body while (value) */
    bool steps;     /* STMT_FOR: a step was written, and its bounds are those of a count */
    bool has_else; /* STMT_LAUNCH: even if nothing stands in it */
    uint8_t op;    /* enum binary_op when compound; of a collective, enum collective_kind */
    struct expr *last, *fill;
    struct stmt *body, *otherwise;
    struct ez_name text; /* between quotes */
    /* STMT_INSN; STMT_MOVE: name, first and last of each bounded index */
    struct expr *width; /* NULL: the width of the operands' type */
    struct expr **operands;
    uint32_t operand_count;
    /* Filled in by the checker. */
    struct ez_symbol *symbol;
    enum isa_op machine;
    uint8_t machine_width;
    bool as_written;                /* STMT_INSN: stands in `asm` */
    bool opposite;                  /* STMT_IF, STMT_WHILE at top level: when no element has it */
    bool whole;                     /* ... and what counts are elements without it */
    uint32_t mpu;                   /* STMT_ON: in the grid */
    struct ez_move *move;           /* STMT_MOVE */
    struct ez_reduction *reduction; /* STMT_ASSIGN at top level: one of these */
    struct ez_product *product;
    struct ez_sort *sort;
    struct ez_collective *collective;
    struct ez_message *message; /* STMT_SEND, STMT_RECV */
    struct ez_launch *launch;
    struct ez_compact *compact;
    struct ez_front front; /* STMT_COMPUTE; STMT_IF, STMT_WHILE at top level */
    uint8_t loop;          /* STMT_FOR: enum for_kind */
    struct stmt **laps;    /* FOR_UNROLLED: the bodies */
    uint32_t lap_count;
    bool taken_out; /* STMT_COMPUTE of one assignment: its value goes to the lanes of all groups */
    const char *shown; /* STMT_ASSERT, STMT_PRINT: the text, or what stands for it */
    bool leaves;       /* loops: there is a `break` or `return` inside, or (`again`) a `continue` */
    bool again;
};

enum decl_kind {
    DECL_SIZE,
    DECL_CONST,
    DECL_HOST,
    DECL_GROUP,
    DECL_VAR,
    DECL_MAIN,
    DECL_SUB,
    DECL_MPUS,
    DECL_INCLUDE,  /* text: a file of declarations */
    DECL_RECIPE,   /* text: a file of instructions and recipes */
    DECL_BUFFER,   /* names: type[extents] */
    DECL_MODULE,   /* own: a text that several kernels share */
    DECL_PIPELINE, /* own: its text */
    DECL_KERNEL,   /* params, own: what it is called with, and its text; or module and entry */
};

/* A text in the language of a form, which the form reads. */
struct form_text {
    struct ez_name form;
    struct span at;      /* its bytes in this file; or */
    struct ez_name file; /* the file that has it; text NULL: none */
    const char *bytes;   /* [size]: read from it, */
    size_t size;
    uint32_t source; /* a source of messages */
};

/* As written: "allgather". */
const char *ez_collective_text(enum collective_kind kind);

struct extent_list {
    struct expr **items;
    uint32_t count;
};

struct decl {
    enum decl_kind kind;
    struct span at, word;
    struct decl *next;
    struct ez_name *names; /* DECL_VAR may have several, the others one (DECL_MAIN none) */
    uint32_t name_count;
    struct expr *value;            /* size, host: default; const: value */
    struct expr *bound;            /* size: no value is above it; or NULL */
    struct type_syntax *type;      /* const, host, var; sub: of its value, or NULL */
    struct ez_name text;           /* include, recipe */
    bool included;                 /* by another file */
    uint8_t direction;             /* enum var_direction */
    struct extent_list extents;    /* group, mpus; sub in another object: registers it destroys */
    struct ez_name like;           /* group; text NULL: none */
    struct ez_name at_rfh, at_vrf; /* group: "RFH1" and "VRF2"; text NULL: none */
    struct ez_name on;             /* group, main; text NULL: none */
    struct stmt *body;             /* main, sub */
    struct decl *params;           /* sub: DECL_VAR each */
    bool external;                 /* sub: it stands in another object */
    struct ez_name reg;        /* parameter, sub: where it or the value is passed; or text NULL */
    struct ez_name instead_of; /* sub: an instruction; text NULL: none */
    struct form_text own;      /* module, kernel */
    struct ez_name module, entry; /* kernel; text NULL: none, and the kernel's own name */
    bool is_buffer;               /* parameter of a kernel: an array in memory */
    /* Of a file that declares kernels: as that says it, and the others NULL. */
    const struct kernel_decl *kernel;
    const struct buffer_decl *buffer;
};

struct ez_program {
    struct decl *decls;
};

/* Text of the tree, one node a line with its line and column: --emit=ast. */
void ez_ast_print(const struct ez_program *p, const struct diag *diag, struct str *out);

#endif
