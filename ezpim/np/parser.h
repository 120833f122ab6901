/* SPDX-License-Identifier: MIT
 * What scanner, grammar and the actions of the grammar of kernels share. */
#ifndef EZPIM_NP_PARSER_H
#define EZPIM_NP_PARSER_H

#include "ezpim/np/ast.h"
#include "support/vec.h"

/* Lists under construction, in order. */
struct np_expr_list {
    struct np_expr *first, *last;
    uint32_t count;
};
struct np_stmt_list {
    struct np_stmt *first, *last;
};
struct np_param_list {
    struct np_param *first, *last;
};

struct np_parser {
    struct arena *arena;
    struct diag *diag;
    const char *text;
    uint32_t source, offset, end; /* bytes scanned so far, bytes there are */
    void *scanner;
    struct np_module *module;
    bool broken;          /* an error was reported */
    unsigned parens;      /* open ones: a line does not end inside of them */
    bool fresh;           /* the next token starts a line */
    bool ended;           /* the last line has its end */
    VEC(uint32_t) levels; /* columns of the open blocks */
    unsigned closing;     /* blocks that end before the next token */
    int held;             /* a token behind them, or -1 */
    struct span held_at;
    int last_kind; /* of the token before */
    struct np_comment **layout_end;
};

void np_scan_error(struct np_parser *parser, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A comment that says how an array lies is kept. */
void np_note_comment(struct np_parser *parser, struct span at);
/* Reports the token, which is not expected; its name is the grammar's. */
void np_unexpected(struct np_parser *parser, struct span at, const char *found,
                   const char *const *expected, size_t count);

struct span np_join(struct span left, struct span right);
struct np_expr *np_make(struct np_parser *parser, enum np_expr_kind kind, struct span at);
struct np_expr *np_make_number(struct np_parser *parser, struct span at);
struct np_expr *np_make_name(struct np_parser *parser, struct span at);
/* Up to three operands. */
struct np_expr *np_make_over(struct np_parser *parser, enum np_expr_kind kind, struct span at,
                             struct np_expr *left, struct np_expr *right, struct np_expr *clause);
struct np_expr *np_make_binary(struct np_parser *parser, enum np_operator op, struct span op_at,
                               struct np_expr *left, struct np_expr *right);
struct np_expr *np_make_compare(struct np_parser *parser, enum np_operator op, struct span op_at,
                                struct np_expr *left, struct np_expr *right);
struct np_expr *np_make_items(struct np_parser *parser, enum np_expr_kind kind, struct span at,
                              struct np_expr *expr, struct np_expr_list items);
/* One item without a comma is itself, others are a tuple. */
struct np_expr *np_make_tuple(struct np_parser *parser, struct span at, struct np_expr_list items,
                              bool comma);
struct np_expr_list np_append(struct np_expr_list list, struct np_expr *expr);
struct np_expr *np_in_parentheses(struct np_parser *parser, struct np_expr *expr, struct span at);
const char *np_word(struct np_parser *parser, struct span at);

struct np_stmt *np_make_stmt(struct np_parser *parser, enum np_stmt_kind kind, struct span at,
                             struct span word);
struct np_stmt_list np_append_stmt(struct np_stmt_list list, struct np_stmt *stmt);
struct np_stmt_list np_join_stmts(struct np_stmt_list list, struct np_stmt_list behind);
struct np_stmt *np_make_assign(struct np_parser *parser, struct span at, struct span word,
                               struct np_expr *target, struct np_expr *value);
/* One more target of what the list assigns. */
struct np_stmt_list np_assign_again(struct np_parser *parser, struct span at, struct span word,
                                    struct np_expr *target, struct np_stmt_list list);
/* A function of one `return`. */
struct np_expr *np_make_lambda(struct np_parser *parser, struct span at, struct span word,
                               struct np_param_list params, struct np_expr *value);
struct np_param_list np_append_param(struct np_param_list list, struct np_param *param);
struct np_param *np_make_param(struct np_parser *parser, struct span at, struct np_expr *type,
                               struct np_expr *value);

#endif
