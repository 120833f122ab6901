/* SPDX-License-Identifier: MIT
 * Lists that are written anew, micro-op by micro-op. */
#ifndef RECIPE_EXPAND_REWRITE_H
#define RECIPE_EXPAND_REWRITE_H

#include "recipe/expand/expand.h"

struct rewrite {
    struct expansion *x;
    struct sym_list to; /* its micro-ops; values stay x's */
    uint32_t *moved;    /* new index of each old micro-op */
};
void expand_rewrite_start(struct rewrite *rewrite, struct expansion *expansion);
/* Appends micro-op `old` of x, as it is now; its counterpart still has the old index. */
void expand_rewrite_keep(struct rewrite *rewrite, size_t old, struct sym_uop uop);
/* The new list takes the old one's place. */
void expand_rewrite_finish(struct rewrite *rewrite);
/* Leaves the list as it was. */
void expand_rewrite_drop(struct rewrite *rewrite);

/* The micro-op's operands lie elsewhere now: a copy may have to be another micro-op.  False if it
 * may not work there, without a report. */
bool expand_settle_kind(const struct expansion *expansion, struct sym_uop *uop);

/* Results that go to scratch instead: later micro-ops read them there. */
#define REDIRECT_C     (3 * 64)
#define REDIRECT_COUNT (REDIRECT_C + 1)
struct redirect {
    struct rewrite r;
    unsigned fields;              /* bit f: results in field f */
    uint32_t now[REDIRECT_COUNT]; /* field << 6 | bit, C: 1 + value that stands for it, 0: none */
};
/* Starts s->r with all of x's list; the caller finishes it.  False after reporting. */
bool expand_redirect_all(struct redirect *s, struct expansion *expansion);

#endif
