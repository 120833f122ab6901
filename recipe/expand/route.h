/* SPDX-License-Identifier: MIT
 * Ways of a value from one place to another, where sections are apart and no micro-op copies it at
 * once: by way of the buffers of sections between, through gates that copy, alone or with
 * constants beside the value, or through two that invert. */
#ifndef RECIPE_EXPAND_ROUTE_H
#define RECIPE_EXPAND_ROUTE_H

#include "recipe/expand/expand.h"

/* What a step writes: a new scratch value, the buffer that the previous or the next section sends
 * into, or the place where the way ends. */
enum route_spot { ROUTE_SCRATCH, ROUTE_FROM_PREVIOUS, ROUTE_FROM_NEXT, ROUTE_END };

/* What a source of a step is: what the step before wrote, a constant, or, of a source that the
 * op replaces by its result, the place that it writes. */
enum route_source { ROUTE_VALUE, ROUTE_ZERO, ROUTE_ONE, ROUTE_RESULT };
#define ROUTE_SOURCE_BITS        2
#define ROUTE_SOURCE(sources, i) ((unsigned)(sources) >> (i)*ROUTE_SOURCE_BITS & 3u)
#define ROUTE_SOURCE_IS(kind, i) ((unsigned)(kind) << (i)*ROUTE_SOURCE_BITS)

struct route_step {
    uint16_t kind, section; /* where it issues */
    uint16_t at;            /* section of what it writes, but for the end */
    uint16_t first;         /* 1 + op that writes a constant there before, which it looks at; 0 */
    uint16_t sources;       /* enum route_source of each, by ROUTE_SOURCE */
    uint16_t made[2];       /* 1 + op that makes 0, or 1, for it in new scratch; 0: rows have it */
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
/* The sources of a step that reads `from` and writes `to`; `constants` are where 0 and 1 lie. */
void expand_route_read(const struct route_step *step, uint32_t from, uint32_t to,
                       const uint32_t constants[2], uint32_t src[UOP_MAX]);
/* Where they lie: constant rows, or new scratch that step->made is to write. */
void expand_route_constants(struct expansion *expansion, const struct route_step *step,
                            uint32_t constants[2]);
/* Appends a step to copies, with what writes a constant before it. */
void expand_route_add(struct expansion *expansion, const struct route_step *step, uint32_t from,
                      uint32_t to, struct copy_list *out);

#endif
