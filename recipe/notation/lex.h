/* SPDX-License-Identifier: MIT
 * Tokens of recipe files and of the expressions inside target files (fn, where, times).  Newlines
 * are blanks; # begins a comment. */
#ifndef RECIPE_NOTATION_LEX_H
#define RECIPE_NOTATION_LEX_H

#include "support/arena.h"
#include "support/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum recipe_token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_MARK, TOKEN_BAD };

/* A mark of one or two characters as a number: MARK2('=', '='). */
#define MARK2(a, b) ((uint16_t)((a) | (b) << 8))

struct recipe_token {
    enum recipe_token_kind kind;
    uint16_t mark;  /* TOKEN_MARK */
    int64_t number; /* TOKEN_NUMBER */
    const char *text;
    size_t size;
    struct span at;
};

struct lexer {
    const char *text;
    size_t size, next; /* byte behind the current token */
    struct span whole; /* place of the text in its source */
    bool exact;        /* byte i of the text is byte whole.begin + i of the source */
    struct recipe_token token;
    struct recipe_token before; /* the token before the current one */
};

/* A parser is a lexer with one token of lookahead, an arena for what it makes, and a flag that
 * stays up after the first error of a unit. */
struct notation_parser {
    struct lexer lex;
    struct arena *arena;
    struct diag *diag;
    unsigned depth; /* of nesting; bounded so that no input exhausts the stack */
    bool failed;
};

#define PARSER_MAX_DEPTH 100

/* Starts at the first token.  `exact`: see struct lexer. */
void notation_start(struct notation_parser *p, const char *text, size_t size, struct span whole,
                    bool exact, struct arena *arena, struct diag *diag);
void notation_next(struct notation_parser *p);
/* True if the current token is the mark or the word. */
bool notation_at_mark(const struct notation_parser *p, uint16_t mark);
bool notation_at_word(const struct notation_parser *p, const char *word);
/* Skips the token if it is there. */
bool notation_take_mark(struct notation_parser *p, uint16_t mark);
bool notation_take_word(struct notation_parser *p, const char *word);
/* Skips the mark or reports that `what` was expected. */
bool notation_want_mark(struct notation_parser *p, uint16_t mark, const char *what);
bool notation_want_word(struct notation_parser *p, const char *word);
/* The name under the cursor, copied; NULL after reporting. */
const char *notation_want_name(struct notation_parser *p, const char *what, struct span *at);
/* Reports "expected X, found Y" once per unit. */
void notation_expected(struct notation_parser *p, const char *what);
/* Goes one level deeper; false after reporting when that is too deep.  Leave with p->depth--. */
bool notation_enter(struct notation_parser *p);

/* From the begin of a to the end of b. */
static inline struct span span_join(struct span a, struct span b) {
    return (struct span){a.source, a.begin, b.end > a.begin ? b.end : a.end};
}

#endif
