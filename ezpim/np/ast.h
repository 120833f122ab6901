/* SPDX-License-Identifier: MIT
 * The syntax tree of a kernel in Python.  Nodes live in the unit's arena; lists are linked. */
#ifndef EZPIM_NP_AST_H
#define EZPIM_NP_AST_H

#include "ezpim/array/array.h"
#include "support/arena.h"
#include "support/diag.h"

/* Those of arrays have their numbers. */
enum np_operator {
    NP_OP_ADD = ARRAY_OP_ADD,
    NP_OP_SUB = ARRAY_OP_SUB,
    NP_OP_MUL = ARRAY_OP_MUL,
    NP_OP_FLOORDIV = ARRAY_OP_FLOOR_DIVIDE,
    NP_OP_MOD = ARRAY_OP_REMAINDER,
    NP_OP_POW = ARRAY_OP_POW,
    NP_OP_AND = ARRAY_OP_AND,
    NP_OP_OR = ARRAY_OP_OR,
    NP_OP_XOR = ARRAY_OP_XOR,
    NP_OP_SHL = ARRAY_OP_SHL,
    NP_OP_SHR = ARRAY_OP_SHR,
    NP_OP_EQ = ARRAY_OP_EQ,
    NP_OP_NE = ARRAY_OP_NE,
    NP_OP_LT = ARRAY_OP_LT,
    NP_OP_LE = ARRAY_OP_LE,
    NP_OP_GT = ARRAY_OP_GT,
    NP_OP_GE = ARRAY_OP_GE,
    NP_OP_NEG = ARRAY_OP_NEG,
    NP_OP_PLUS = ARRAY_OP_COPY,
    NP_OP_INVERT = ARRAY_OP_NOT,
    /* Without a sign of their own: functions. */
    NP_OP_MIN = ARRAY_OP_MINIMUM,
    NP_OP_MAX = ARRAY_OP_MAXIMUM,
    NP_OP_ABS = ARRAY_OP_ABS,
    NP_OP_SIGN = ARRAY_OP_SIGN,
    NP_OP_CAST = ARRAY_OP_CAST,
    NP_OP_WHERE = ARRAY_OP_SELECT,
    NP_OP_DIV = ARRAY_OP_DIV,
    NP_OP_SQRT = ARRAY_OP_SQRT,
    NP_OP_FLOOR = ARRAY_OP_FLOOR,
    NP_OP_CEIL = ARRAY_OP_CEIL,
    NP_OP_TRUNC = ARRAY_OP_TRUNC,
    NP_OP_RINT = ARRAY_OP_RINT,
    NP_OP_ISNAN = ARRAY_OP_ISNAN,
    NP_OP_ISINF = ARRAY_OP_ISINF,
    NP_OP_ISFINITE = ARRAY_OP_ISFINITE,
    NP_OP_SIGNBIT = ARRAY_OP_SIGNBIT,
    NP_OP_COPYSIGN = ARRAY_OP_COPYSIGN,
    NP_OP_FMIN = ARRAY_OP_MIN,
    NP_OP_FMAX = ARRAY_OP_MAX,
    /* Products of matrices are no operation on elements. */
    NP_OP_MATMUL = ARRAY_OPS,
    /* Of what is known. */
    NP_OP_IN,
    NP_OP_NOT_IN,
    NP_OP_IS,
    NP_OP_IS_NOT,
};
/* "+", "//"; of a function its name. */
const char *np_operator_text(enum np_operator op);

enum np_expr_kind {
    NP_EXPR_ERROR,
    NP_EXPR_NUMBER,
    NP_EXPR_REAL,
    NP_EXPR_NAME,
    NP_EXPR_TEXT,
    NP_EXPR_UNARY,  /* op, a */
    NP_EXPR_BINARY, /* op, a, b; comparisons too */
    NP_EXPR_AND,    /* a, b */
    NP_EXPR_OR,     /* a, b */
    NP_EXPR_NOT,    /* a */
    NP_EXPR_CHOICE, /* a if b else c */
    NP_EXPR_CALL,   /* a(items) */
    NP_EXPR_INDEX,  /* a[items] */
    NP_EXPR_SLICE,  /* a:b:c; each may be NULL */
    NP_EXPR_ELLIPSIS,
    NP_EXPR_ATTRIBUTE, /* a.name */
    NP_EXPR_TUPLE,     /* items */
    NP_EXPR_LIST,      /* items */
    NP_EXPR_KEYWORD,   /* name=a among the items of a call */
    NP_EXPR_EACH,      /* a for .. (items: clauses), as a list */
    NP_EXPR_CLAUSE,    /* `for a in b`; b NULL: `if a` */
    NP_EXPR_LAMBDA,    /* function, of which a is what it gives */
    /* Of loops that are left early (breaks.c): */
    NP_EXPR_FLAGS, /* a new bool array of one element, that is `number`; a not NULL: of a's shape */
    NP_EXPR_TRUTHS, /* whether each element of a is not 0, as an array of its own */
    NP_EXPR_ASKED,  /* a: such an array, of which a loop asks `number` (enum np_asked) */
};

struct np_stmt;

struct np_expr {
    enum np_expr_kind kind;
    enum np_operator op;
    struct span at, op_at;
    const char *name;    /* of a name, an attribute, a keyword argument */
    struct span name_at; /* of a keyword argument, an attribute */
    array_int number;    /* at most 2^NP_BITS */
    double real;
    bool compares, in_parentheses;
    uint16_t depth, height; /* parentheses, signs, calls and so on in it; nodes: 1 for a leaf */
    struct np_expr *a, *b, *c;
    struct np_stmt *function; /* of a lambda */
    struct np_expr *items;    /* linked by next */
    uint32_t count;
    struct np_expr *next;
};

enum np_stmt_kind {
    NP_STMT_ASSIGN,  /* targets = value */
    NP_STMT_COMPUTE, /* target op= value */
    NP_STMT_FOR,     /* target, value (what is gone through), body */
    NP_STMT_IF,      /* value, body, otherwise */
    NP_STMT_WHILE,   /* value, body */
    NP_STMT_RETURN,  /* value or NULL */
    NP_STMT_ASSERT,  /* value */
    NP_STMT_PASS,
    NP_STMT_VALUE, /* value alone */
    NP_STMT_DEF,
    NP_STMT_IMPORT, /* name, as_name */
    NP_STMT_FROM,   /* name; target: the name that is imported */
    NP_STMT_BREAK,
    NP_STMT_CONTINUE,
};

/* What a loop asks: whether some element is true, or all are, or the opposite; bits. */
enum np_asked { NP_ASKED_ANY = 0, NP_ASKED_ALL = 1, NP_ASKED_NOT = 2 };

struct np_param {
    const char *name;
    struct span at;
    struct np_expr *type;  /* NULL: none */
    struct np_expr *value; /* that it has where the call gives none; or NULL */
    struct np_param *next;
};

struct np_stmt {
    enum np_stmt_kind kind;
    enum np_operator op;
    struct span at, word; /* all of it; its first word, or its operator */
    struct np_expr *target, *value, *type;
    struct np_stmt *body, *otherwise;
    const char *name, *as_name;
    struct span name_at;
    struct np_param *params;
    bool depends;         /* an `if` or `while` on what is known when the kernel runs */
    bool once;            /* a `while` that ends after one iteration; with `depends` an `if` */
    struct np_stmt *made; /* what stands for a loop that is left early; NULL: not made yet */
    struct np_stmt *next;
};

/* `# layout: x = lanes`. */
struct np_comment {
    struct span at;
    struct np_comment *next;
};

struct np_module {
    struct np_stmt *first;
    struct np_comment *layouts;
};

/* Parses source number `source` of d into the arena.  NULL after reporting. */
struct np_module *np_parse(struct arena *arena, struct diag *d, uint32_t source);

#endif
