/* SPDX-License-Identifier: MIT
 * What scanner, grammar and the actions of the grammar share.  Outsiders use ez_parse alone. */
#ifndef EZPIM_EZ_PARSER_H
#define EZPIM_EZ_PARSER_H

#include "ezpim/ez/ast.h"
#include "support/vec.h"

/* Parses source number `source` of `diag` into the arena.  *broken says that errors left something
 * out of the tree, so that it is not worth checking. */
struct ez_program *ez_parse(struct arena *arena, struct diag *diag, uint32_t source, bool *broken);

/* The rest is between scanner, grammar and parser.c. */

/* Statements or declarations under construction, in order. */
struct stmt_list {
    struct stmt *first, *last;
};
struct decl_list {
    struct decl *first, *last;
};

struct ez_parser {
    struct arena *arena;
    struct diag *diag;
    struct ez_program *program;
    const char *text;
    uint32_t source;
    uint32_t offset, end; /* bytes scanned so far, bytes there are */
    void *scanner;
    struct span last;    /* the latest token that the grammar has got */
    struct span before;  /* the one before it */
    bool broken;         /* something was left out of the tree: do not check it */
    bool skipping;       /* the rest of a statement that has a syntax error */
    unsigned skip_depth; /* blocks in what is skipped that are open already */
    bool skip_parens;    /* and a parenthesis is */
    struct span first;   /* the token that starts the statement or declaration */
    bool first_is_name;
    bool in_direction;       /* the latest token is `in`, `out`, `inout` or `var` */
    bool in_variables;       /* it is in a declaration that begins with one of these */
    bool in_move;            /* behind `move`, in its statement */
    bool text_follows;       /* the next brace opens a text in the language of a form: */
    uint32_t text_begin;     /* where it begins */
    unsigned text_depth;     /* braces of its own that are open */
    int last_kind;           /* of the latest token */
    bool in_condition;       /* it is `if` or `while` */
    bool starts;             /* the next token may start a statement */
    uint32_t blocks;         /* open ones */
    VEC(struct span) braces; /* where the open blocks start */
    VEC(struct expr *) pool; /* lists under construction lie here one above the other */
    /* Missing semicolons.  When one is found, the whole text is parsed once more with it put in,
     * so that nothing of the program gets lost; `semicolons` are the offsets, ascending. */
    VEC(uint32_t) semicolons;
    size_t next_semicolon;
    bool again;             /* one more was found */
    uint32_t reported;      /* what begins before it was reported by an earlier pass */
    uint32_t scan_reported; /* the same for the scanner, which is one token ahead */
    struct {                /* a token behind a semicolon that was put in */
        bool full;
        int kind;
        enum binary_op op;
        struct span at;
    } held;
};

/* A note behind the error that the token is not expected: how it is written here. */
void ez_parser_hint(struct ez_parser *parser, struct span at);
/* Reports unless an earlier pass did; the tree is not worth checking then. */
void ez_parser_error(struct ez_parser *parser, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ez_scanner_error(struct ez_parser *parser, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A list is the part of the pool from `mark` on; taking it copies it to the arena. */
struct expr **ez_pool_take(struct ez_parser *parser, size_t mark, uint32_t *count);

struct expr *ez_make_number(struct ez_parser *parser, struct span at);
/* 'a', and a list of the bytes of "abc". */
struct expr *ez_make_character(struct ez_parser *parser, struct span at);
struct expr *ez_make_characters(struct ez_parser *parser, struct span at);
/* That of a table without one which is such a list; else the type itself. */
struct type_syntax *ez_text_type(struct ez_parser *parser, struct type_syntax *type,
                                 const struct expr *value);
/* condition ? yes : no */
struct expr *ez_make_choice(struct ez_parser *parser, struct span at, struct expr *condition,
                            struct expr *yes, struct expr *no);
/* False after reporting that the name is not that word. */
bool ez_expect_word(struct ez_parser *parser, struct ez_name name, const char *word);
/* The counter of the loop grows by that; NULL: by 1. */
void ez_set_step(struct ez_parser *parser, struct stmt *stmt, struct expr *step);
struct expr *ez_make_bool(struct ez_parser *parser, struct span at, bool value);
struct expr *ez_make_name(struct ez_parser *parser, struct ez_name name);
struct expr *ez_make_unary(struct ez_parser *parser, struct span at, enum unary_op op,
                           struct expr *expr);
struct expr *ez_make_binary(struct ez_parser *parser, enum binary_op op, struct expr *left,
                            struct expr *right);
/* EXPR_CALL or EXPR_INDEX with the arguments from `mark` on. */
struct expr *ez_make_call(struct ez_parser *parser, enum expr_kind kind, struct span at,
                          struct ez_name name, size_t mark);
struct expr *ez_parenthesize(struct ez_parser *parser, struct expr *expr, struct span at);

/* EXPR_LIST of the arguments from `mark` on. */
struct expr *ez_make_list(struct ez_parser *parser, struct span at, size_t mark);

struct ez_name ez_make_identifier(struct ez_parser *parser, struct span at);
struct ez_name ez_make_text(struct ez_parser *parser, struct span at); /* the quotes left out */
struct type_syntax *ez_make_type(struct ez_parser *parser, struct span at, struct ez_name name,
                                 struct expr *count, struct ez_name group);

struct stmt *ez_make_stmt(struct ez_parser *parser, enum stmt_kind kind, struct span at,
                          struct span word);
struct stmt *ez_make_assign(struct ez_parser *parser, struct span at, struct expr *target,
                            struct expr *value);
struct stmt *ez_make_move(struct ez_parser *parser, struct span at, struct span word,
                          struct expr *target, struct expr *value, size_t bounds);
/* value NULL: in place. */
struct stmt *ez_make_compact(struct ez_parser *parser, struct span at, struct span word,
                             struct expr *target, struct expr *value, struct expr *where);
struct stmt *ez_make_collective(struct ez_parser *parser, struct span at, struct span word,
                                enum collective_kind kind, struct expr *target, struct expr *value);
/* The names in the pool from `mark` on have this direction. */
void ez_set_directions(struct ez_parser *parser, size_t mark, uint8_t direction);
/* What the pool holds from `mark` on: nothing, or a word and an MPU. */
void ez_set_root(struct ez_parser *parser, struct stmt *stmt, size_t mark);
/* The same of a launch: `units` or `from`, and a number, for each. */
void ez_set_units(struct ez_parser *parser, struct stmt *stmt, size_t mark);
void ez_push_bound(struct ez_parser *parser, struct ez_name name, struct expr *first,
                   struct expr *last);
struct stmt *ez_make_for(struct ez_parser *parser, struct span at, struct span word,
                         struct ez_name name, struct expr *first, struct expr *last,
                         struct stmt *body);
struct stmt_list ez_append_stmt(struct stmt_list list, struct stmt *stmt);

struct decl *ez_make_decl(struct ez_parser *parser, enum decl_kind kind, struct span at,
                          struct span word);
struct decl *ez_make_param(struct ez_parser *parser, struct span at, uint8_t direction,
                           struct ez_name name, struct type_syntax *type);
struct decl *ez_make_kernel_param(struct ez_parser *parser, struct span at, struct ez_name name,
                                  struct ez_name type);
void ez_decl_name(struct ez_parser *parser, struct decl *decl, struct ez_name name);
/* The kernel is the entry of a module; `word` is "entry". */
void ez_decl_entry(struct ez_parser *parser, struct decl *decl, struct ez_name module,
                   struct ez_name word, struct ez_name entry);
/* By reference: every reduction of the parser copies a value. */
struct form_text *ez_make_form_text(struct ez_parser *parser, struct span at);
/* `word` is "from". */
struct form_text *ez_make_form_file(struct ez_parser *parser, struct ez_name word,
                                    struct ez_name file);
void ez_decl_form(struct decl *decl, const struct form_text *own, struct ez_name form);
void ez_decl_names(struct ez_parser *parser, struct decl *decl, size_t mark);
/* The direction with `consumed` behind it; reports what is no input. */
uint8_t ez_consumed_direction(struct ez_parser *parser, uint8_t direction, struct span word);
void ez_decl_group(struct ez_parser *parser, struct decl *decl, struct ez_name name,
                   struct extent_list extents, struct ez_name like, struct ez_name on);
struct decl_list ez_append_decl(struct decl_list list, struct decl *decl);

struct span ez_span_join(struct span left, struct span right);
/* Counts an open block; false after reporting that they are nested too deep. */
bool ez_block_enter(struct ez_parser *parser, struct span at);
/* A syntax error was skipped up to a `;` or `}`. */
void ez_recovered(struct ez_parser *parser);
/* Reports an unexpected token; names are the grammar's. */
void ez_parser_syntax_error(struct ez_parser *parser, struct span at, const char *found,
                            const char *const *expected, size_t count);

#endif
