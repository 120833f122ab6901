/* SPDX-License-Identifier: MIT
 * A file of row routines as it is read (docs/row-notation.md): the expressions are those of recipe
 * files, and so are heads and comments; statements are about rows. */
#ifndef MACHINES_SLOT_LIBRARY_NOTATION_H
#define MACHINES_SLOT_LIBRARY_NOTATION_H

#include "isa-spec/user.h"
#include "recipe/notation/expr.h"
#include "support/vec.h"

enum row_stmt_kind {
    ROW_ASSIGN, /* targets = value */
    ROW_LET,    /* another name: of a number, or of the row of the value */
    ROW_FOR,
    ROW_IF,
    ROW_CHOOSE, /* one of the bodies, whichever costs least: body, otherwise, theirs ... */
    ROW_TABLE,  /* a list of numbers */
};
#define ROW_MAX_NAMES 8
struct row_stmt {
    enum row_stmt_kind kind;
    struct span at;
    struct row_stmt *next;
    const char *names[ROW_MAX_NAMES]; /* targets; LET, FOR, TABLE: the name */
    unsigned name_count;
    struct recipe_expr *value; /* IF: the condition */
    struct recipe_expr *first, *last;
    bool down;
    struct row_stmt *body, *otherwise; /* CHOOSE: otherwise is one more CHOOSE, or NULL */
    struct recipe_expr **elements;     /* TABLE */
    uint32_t element_count;
};

/* A routine or a sub. */
struct row_routine {
    const char *name;
    struct span at;
    const char *in[ROW_MAX_NAMES], *out[ROW_MAX_NAMES];
    unsigned in_count, out_count;
    struct row_stmt *body;
    const char *text; /* [size]: the routine as it stands */
    size_t size;
    const char *origin; /* the file's name; NULL: the tools' own */
    bool sub;
};
/* A text, for places in it. */
struct row_source {
    uint32_t number; /* of the diag that it was read with */
    const char *name, *text;
    size_t size;
};
struct row_units {
    struct arena arena;
    VEC(struct row_source) sources;
    VEC(struct row_routine *) list; /* in the order read */
};

/* Adds the units of a file; false after reporting. */
bool row_notation_read(struct row_units *units, const struct user_file *file, bool own,
                       struct diag *diag);

#endif
