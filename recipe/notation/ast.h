/* SPDX-License-Identifier: MIT
 * A recipe file as it is read.  docs/recipes.md has the grammar. */
#ifndef RECIPE_NOTATION_AST_H
#define RECIPE_NOTATION_AST_H

#include "isa-spec/isa.h"
#include "recipe/notation/expr.h"
#include "recipe/technology/plane_target.h"
#include "recipe/set/uop.h"
#include "support/vec.h"

enum recipe_stmt_kind {
    STMT_CALL,  /* targets = value */
    STMT_CARRY, /* carry name = value */
    STMT_FOR,
    STMT_IF,
    STMT_AT, /* the body issues in section `first` */
    STMT_LET,
    STMT_LOGIC, /* target = value, an expression of 0, 1, places, ! ~ & | ^, mux and maj; or two
                   targets = full(x, y, z): generic recipes only.  The first value of a CARRY in a
                   generic recipe is such an expression too */
    STMT_ARROW, /* NAME second <- first, or NAME first: a command that activates rows.  value is a
                   call of it with the first address as its only operand, `targets` has the second
                   one, if there is one.  An address is a place or a group of rows */
    STMT_PASS,  /* target = value, a place: made by the mapping.  To a carry: handed to the next
                   position, by a micro-op where that lies in another section; beyond the last
                   position it stays as the final value.  To a scratch name: a second name of the
                   place at this position.  To a result: copied by whichever micro-op copies */
};

struct recipe_stmt {
    enum recipe_stmt_kind kind;
    uint32_t id; /* unique in its set */
    struct span at;
    struct recipe_stmt *next;
    struct recipe_expr
        *targets[OP_MAX_DESTS]; /* CALL: what is written; CARRY, FOR, LET: the name */
    unsigned target_count;
    struct recipe_expr *value; /* CALL, CARRY (may be NULL), LET; IF: the condition */
    struct recipe_expr *first,
        *last;                /* FOR: bounds; AT, CARRY: `first` is the section (may be NULL) */
    bool down;                /* CARRY: handed to the previous section; FOR: downto */
    bool serial;              /* FOR */
    bool par;                 /* FOR: all laps at the same time */
    struct recipe_expr *step; /* FOR, par: may be NULL */
    struct recipe_stmt *body, *otherwise;
};

/* Names of one recipe or sub; expr.ref is an index into them. */
enum { SYMBOL_W, SYMBOL_C, SYMBOL_M, SYMBOL_VALID, SYMBOL_ZERO, SYMBOL_ONE, SYMBOL_FIXED };
struct scope {
    const char **names;
    uint32_t count, cap;
};

/* A name that means a row of the target, the only one of its class, or a group of rows.  Names of
 * operands hide those of rows; generic recipes have none. */
struct row_name {
    uint32_t symbol;
    uint16_t index; /* of the class or of the group */
    bool group;
};

/* expr.ref of a call: an op of the target, the first of its variants, or SUB_REF + index of a sub.
 */
#define SUB_REF 0x10000u
/* expr.ref of a function of logic, as STMT_LOGIC has them. */
enum logic_function {
    LOGIC_MUX,  /* mux(s, x, y): s ? x : y */
    LOGIC_MAJ,  /* maj(x, y, z) */
    LOGIC_FULL, /* s, c = full(x, y, z): only as the whole value */
    LOGIC_COUNT
};
/* LOGIC_COUNT if the name is none of them. */
enum logic_function notation_function_named(const char *name);

struct param {
    const char *name;
    uint32_t symbol;
    struct span at;
};
#define MAX_PARAMS 8

/* The body of a recipe or a sub. */
struct recipe;
struct recipe_unit {
    const char *name;
    struct span at; /* of the name */
    struct param in[MAX_PARAMS], out[MAX_PARAMS];
    unsigned in_count, out_count;
    struct scope scope;
    struct row_name *rows; /* names of rows that the body speaks of */
    uint32_t row_count;
    struct recipe_stmt *body;
    size_t body_at;       /* offset in the file of a body that is not read yet; 0: it is */
    struct recipe *owner; /* of such a body: the recipe whose contract it has, NULL in a sub */
    const struct recipe_file *file;
    bool broken;   /* an error has been reported */
    bool resolved; /* its names are */
    bool generic;  /* logic instead of micro-ops */
    bool mapped;   /* made by the mapping: micro-ops whose result nothing reads are left out */
};

/* CHOICE_ROWS: of rows of slots, which planes pass over (docs/row-notation.md). */
enum choice_kind { CHOICE_FOR, CHOICE_NEEDS, CHOICE_GENERIC, CHOICE_ROWS };

/* What a hand-written recipe gains over the one that the mapping makes, at one width: percents of
 * the mapped one's figures, gains rounded down, costs (negative) up; 0 of what is not named. */
enum gain_figure { GAIN_MICRO_OPS, GAIN_LATENCY, GAIN_INTERVAL, GAIN_FIGURES };
struct gain {
    struct span at[GAIN_FIGURES]; /* of the figure, or of `gains` where it is not named */
    int64_t percent[GAIN_FIGURES];
    bool named[GAIN_FIGURES];
    unsigned width;
};
#define MAX_GAINS 8
/* The names of the figures in the notation. */
extern const char *const notation_gain_names[GAIN_FIGURES];

/* Lanes in which a published routine differs from the ISA, and what the result is there. */
struct unlike {
    struct recipe_expr *when;   /* not 0 in these lanes */
    struct recipe_expr *result; /* result == expression */
};
#define MAX_UNLIKES 8

#define MAX_NEEDS 16
struct recipe {
    struct recipe_unit unit;
    enum isa_op op;
    enum choice_kind choice;
    const char *needs[MAX_NEEDS]; /* gates; with CHOICE_FOR and CHOICE_GENERIC targets */
    struct span needs_at[MAX_NEEDS];
    unsigned needs_count;
    struct span choice_at;
    unsigned widest;    /* width up to which it serves, and the generic one beyond; 0: any */
    bool in_sections;   /* the same by a number of sections: the target's */
    unsigned ariths;    /* ARITH_BITs of the words behind `arith`; 0: it serves all */
    bool borrowed;      /* built in, and the target is not: it serves if it holds there */
    const char *origin; /* "for racer", "needs NOR, BUF", "generic" */
    struct recipe_expr *computes[MAX_PARAMS]; /* result == expression */
    unsigned computes_count;
    struct unlike unlikes[MAX_UNLIKES]; /* of these the first that holds */
    unsigned unlike_count;
    struct recipe_expr **expects; /* relations */
    unsigned expect_count;
    struct gain *gains;
    unsigned gain_count;
    /* Of an instruction that a file declares, which has a contract and no body. */
    int64_t opcode;
    struct span opcode_at;
};

struct sub {
    struct recipe_unit unit;
};

struct recipe_file {
    const char *name, *text;
    size_t size;
    uint32_t source; /* in the diag of open */
    bool own;        /* the user's: it did not come with the tools */
};

struct recipe_ast {
    struct arena *arena;
    VEC(struct recipe *) recipes; /* in the order read */
    VEC(struct sub *) subs;
    VEC(struct recipe *) instructions; /* that the files declare */
    bool read_later;                   /* bodies of files that came with the tools */
    uint32_t next_id;
};

/* Appends the recipes and subs of one file.  Errors are reported; a recipe with one is marked
 * broken.  Bodies `for` targets other than target are skipped: their notation is that target's own.
 */
bool notation_parse(struct recipe_ast *ast, const struct recipe_file *file,
                    const struct target *target, struct diag *diag);

/* Reads the body that notation_parse has passed over (read_later), and the contract in it. */
void notation_read_body(struct recipe_ast *ast, struct recipe_unit *unit,
                        const struct target *target, struct diag *diag);

/* Of a file that has bytes, and nothing but blanks and comments. */
void notation_warn_if_empty(const struct recipe_file *file, struct arena *arena, struct diag *diag);

/* Sets called[i] of the subs that the body calls, directly or by way of others.  Its names must be
 * resolved. */
void notation_called_subs(const struct recipe_ast *ast, const struct recipe_stmt *body,
                          bool *called);
/* True if the unit, or a sub that it calls, has `par`.  Its names must be resolved. */
bool notation_uses_par(const struct recipe_ast *ast, const struct recipe_unit *unit);

#define MAX_EXPECTS 32

#endif
