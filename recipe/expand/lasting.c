/* SPDX-License-Identifier: MIT
 * Which values are held for long. */
#include "recipe/expand/lasting.h"

#include "support/alloc.h"

#include <stdlib.h>

struct life_length {
    uint32_t value, begin, end; /* micro-ops; a value that none has: none */
};

static void note_life(struct life_length *lives, uint32_t place, uint32_t uop) {
    if (PLANE_CLASS(place) != PLANE_SCRATCH)
        return;
    struct life_length *l = &lives[PLACE_PAYLOAD(place)];
    if (l->end == 0)
        l->begin = uop;
    l->end = uop + 1;
}

static int compare_lives(const void *left, const void *right) {
    const struct life_length *a = left, *b = right;
    uint32_t x = a->end - a->begin, y = b->end - b->begin;
    return x != y ? (x > y ? -1 : 1) : (a->value > b->value) - (a->value < b->value);
}

uint32_t *expand_lasting_first(const struct expansion *expansion) {
    const struct sym_list *l = &expansion->list;
    struct life_length *lives = xcalloc(l->values.len + 1, sizeof *lives);
    uint32_t *order = xcalloc(l->values.len + 1, sizeof *order);
    for (uint32_t v = 0; v < l->values.len; v++)
        lives[v].value = v;
    for (uint32_t i = 0; i < l->uops.len; i++) {
        const struct sym_uop *u = &l->uops.data[i];
        for (unsigned k = 0; k < u->nsrc; k++)
            note_life(lives, u->src[k], i);
        for (unsigned k = 0; k < u->ndst; k++)
            note_life(lives, u->dst[k], i);
    }
    qsort(lives, l->values.len, sizeof *lives, compare_lives);
    for (uint32_t v = 0; v < l->values.len; v++)
        order[v] = lives[v].value;
    free(lives);
    return order;
}
