/* SPDX-License-Identifier: MIT
 * What scanner and grammar of stages share.  Outsiders use stage_parse alone. */
#ifndef STAGE_SYNTAX_H
#define STAGE_SYNTAX_H

#include "stage/stage.h"
#include "support/alloc.h"

struct stage_list {
    struct stage_stmt *first, *last;
};
struct stage_exprs {
    struct stage_expr *first, *last;
};

struct stage_type_words {
    struct lane_type type;
    bool word;     /* of C */
    bool modifier; /* unsigned, signed, long, short: another word may follow */
};

/* What a text holds, as it is read. */
struct stage_text {
    struct stage_expr *length; /* NULL: it says none */
    struct span length_at;
    struct stage_array *arrays, **arrays_end;
    struct stage_list constants;
    struct stage_stage *stages, **stages_end;
};

struct stage_syntax {
    struct arena *arena;
    struct diag *diag;
    const char *text;
    uint32_t source, offset, end;
    void *scanner;
    uint32_t braces;        /* open ones */
    struct span open;       /* the outermost of them */
    uint32_t line, line_at; /* of the text, and the byte where it was counted last */
    bool broken;
    struct stage_text *made;
    struct stage_stage *stage; /* whose parameters are read */
};

/* The text of source number `source`; NULL after errors. */
struct stage_text *stage_parse(struct arena *arena, struct diag *diag, uint32_t source);

void stage_syntax_error(struct stage_syntax *p, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void stage_unexpected(struct stage_syntax *p, struct span at, const char *found,
                      const char *const *expected, size_t count);
/* Whether the word is that of a type. */
bool stage_word(const struct stage_syntax *p, struct span at, struct stage_type_words *type);
struct stage_type_words stage_join_types(struct stage_syntax *p, struct span at,
                                         struct stage_type_words left,
                                         struct stage_type_words right);
void stage_brace(struct stage_syntax *p, struct span at, bool opens);
char *stage_name_at(struct stage_syntax *p, struct span at);
struct span stage_span_join(struct span first, struct span last);

/* Up to three operands, the ones behind the last NULL. */
struct stage_expr *stage_make(struct stage_syntax *p, enum stage_expr_kind kind, struct span at,
                              enum stage_op op, struct stage_expr *first, struct stage_expr *second,
                              struct stage_expr *third);
struct stage_expr *stage_make_number(struct stage_syntax *p, struct span at, bool real);
struct stage_expr *stage_make_truth(struct stage_syntax *p, struct span at, bool value);
struct stage_expr *stage_make_name(struct stage_syntax *p, struct span at);
struct stage_expr *stage_make_cast(struct stage_syntax *p, struct span at,
                                   struct stage_type_words type, struct stage_expr *value);
struct stage_expr *stage_make_call(struct stage_syntax *p, struct span at, struct span name,
                                   struct stage_exprs args);
struct stage_expr *stage_make_element(struct stage_syntax *p, struct span at,
                                      struct stage_expr *array, struct stage_expr *index);
/* *x, which is x[0], and *(x + k). */
struct stage_expr *stage_make_star(struct stage_syntax *p, struct span at,
                                   struct stage_expr *pointer);
struct stage_exprs stage_append(struct stage_exprs list, struct stage_expr *expr);

struct stage_stmt *stage_make_stmt(struct stage_syntax *p, enum stage_stmt_kind kind,
                                   struct span at);
struct stage_list stage_append_stmt(struct stage_list list, struct stage_stmt *stmt);
struct stage_stmt *stage_make_assign(struct stage_syntax *p, struct span at,
                                     struct stage_expr *target, enum stage_op op,
                                     struct stage_expr *value);
struct stage_stmt *stage_make_step(struct stage_syntax *p, struct span at,
                                   struct stage_expr *target, enum stage_op op);
/* An expression where a statement stands: nothing comes of it. */
struct stage_stmt *stage_make_useless(struct stage_syntax *p, struct stage_expr *expr);
void stage_set_types(struct stage_list list, struct lane_type type, bool constant);

struct stage_stage *stage_make_stage(struct stage_syntax *p, enum stage_pattern pattern,
                                     struct span at);
void stage_add_stage(struct stage_syntax *p, struct stage_stage *stage);
struct stage_param *stage_make_param(struct stage_syntax *p, enum stage_role role, struct span at,
                                     struct span array);
void stage_add_array(struct stage_syntax *p, struct span at, struct stage_type_words type);

#endif
