/* SPDX-License-Identifier: MIT
 * Ways of a value from one place to another, where sections are apart and no micro-op copies it at
 * once: by way of the buffers of sections between, through gates that copy, or through two that
 * invert. */
#ifndef RECIPE_EXPAND_ROUTE_H
#define RECIPE_EXPAND_ROUTE_H

#include "recipe/expand/expand.h"

/* What a step writes: a new scratch value, the buffer that the previous or the next section sends
 * into, or the place where the way ends. */
enum route_spot { ROUTE_SCRATCH, ROUTE_FROM_PREVIOUS, ROUTE_FROM_NEXT, ROUTE_END };

/* An op whose sources are all what the step before wrote. */
struct route_step {
    uint16_t kind, section; /* where it issues */
    uint16_t at;            /* section of what it writes, but for the end */
    uint16_t first;         /* 1 + op that writes a constant there before, which it looks at; 0 */
    uint8_t into;           /* enum route_spot */
};

struct route {
    VEC(struct route_step) steps;
    uint64_t ps; /* of all steps */
};

/* Once for a set that is opened: what each step can do, where ways are needed at all. */
void expand_routes_prepare(struct recipe_set *set);
void expand_routes_free(struct route_map *routes); /* NULL: nothing */
/* The fastest way; where `from` is a row or a buffer it lies in section `here`.  `within`: by way
 * of rows of that section alone.  False if there is none; the caller frees `steps` in any case. */
bool expand_route_find(const struct expansion *expansion, uint32_t from, int here, uint32_t to,
                       bool within, struct route *route);

#endif
