/* SPDX-License-Identifier: MIT
 * Micro-ops of one recipe put into the list of another. */
#ifndef RECIPE_EXPAND_INLINE_H
#define RECIPE_EXPAND_INLINE_H

#include "recipe/expand/expand.h"

/* A recipe whose result is rd, with other places for its registers. */
struct inlined {
    enum isa_op op;
    unsigned w;
    uint64_t wanted; /* bits of rd: what makes only others is left out */
    /* The place that stands for a bit of rs, rt or rd. */
    uint32_t (*place)(const void *context, uint8_t field, unsigned bit);
    const void *context;
};
/* Appends its micro-ops to the list `to`, their values to x->list.  False after reporting. */
bool expand_inline(struct expansion *expansion, const struct inlined *in, struct sym_list *to);

#endif
