/* SPDX-License-Identifier: MIT
 * Micro-ops whose results nothing reads.  The mapping writes one body for all laps of a loop; what
 * only the next lap would have read is then left out of the last one. */
#include "recipe/expand/expand.h"

#include "support/alloc.h"

#include <stdlib.h>

/* Buffers are written again and again; a scratch value is written once, or kept. */
#define BUFFER_PLANES (64 * 2 * MAX_CARRIES)

struct list_liveness {
    const struct expansion *x;
    unsigned char *values;  /* [values]: read further down */
    unsigned char *buffers; /* [BUFFER_PLANES] */
    unsigned char *live;    /* [uops] */
};

static unsigned char *slot_of(const struct list_liveness *l, uint32_t place) {
    uint32_t payload = PLACE_PAYLOAD(place), carry = payload & 0xffff;
    if (PLANE_CLASS(place) == PLANE_SCRATCH)
        return &l->values[payload];
    if (PLANE_CLASS(place) != PLANE_BUFFER)
        return NULL;
    return &l->buffers[((payload >> 16) * 2 + (carry >> 8)) * MAX_CARRIES + (carry & 0xff)];
}

/* Bits of rd that are not wanted, where the recipe goes into another. */
static bool is_unwanted(const struct list_liveness *l, uint32_t place) {
    return l->x->wanted && PLANE_CLASS(place) == PLANE_REGISTER &&
           PLACE_PAYLOAD(place) >> 6 == FIELD_RD && !(*l->x->wanted >> (place & 63) & 1);
}

/* Walking from the end: does anything read what the micro-op writes? */
static bool is_live(const struct list_liveness *l, const struct sym_uop *u) {
    for (unsigned k = 0; k < u->ndst; k++) {
        const unsigned char *slot = slot_of(l, u->dst[k]);
        if (slot ? *slot : !is_unwanted(l, u->dst[k]))
            return true;
    }
    return false;
}

static void note_uses(const struct list_liveness *l, const struct sym_uop *u) {
    const struct target_op *op = &plane_target(l->x->set->target)->ops[u->kind];
    bool keeps = op->reads_old || op->preset;
    for (unsigned k = 0; k < u->ndst; k++) {
        unsigned char *slot = slot_of(l, u->dst[k]);
        if (slot)
            *slot = keeps;
    }
    for (unsigned k = 0; k < u->nsrc; k++) {
        unsigned char *slot = slot_of(l, u->src[k]);
        if (slot)
            *slot = 1;
    }
}

static void compact(struct expansion *x, const unsigned char *live) {
    uint32_t *moved = xcalloc(x->list.uops.len + 1, sizeof *moved);
    size_t kept = 0;
    for (size_t i = 0; i < x->list.uops.len; i++) {
        struct sym_uop u = x->list.uops.data[i];
        moved[i] = live[i] ? (uint32_t)kept : NO_UOP;
        if (u.counterpart != NO_UOP)
            u.counterpart = moved[u.counterpart];
        if (live[i])
            x->list.uops.data[kept++] = u;
    }
    x->list.uops.len = kept;
    free(moved);
}

void expand_drop_dead(struct expansion *x) {
    struct list_liveness l = {.x = x};
    l.values = xcalloc(x->list.values.len + 1, 1);
    l.buffers = xcalloc(BUFFER_PLANES, 1);
    l.live = xcalloc(x->list.uops.len + 1, 1);
    for (size_t i = x->list.uops.len; i-- > 0;) {
        const struct sym_uop *u = &x->list.uops.data[i];
        l.live[i] = is_live(&l, u);
        if (l.live[i])
            note_uses(&l, u);
    }
    compact(x, l.live);
    free(l.values);
    free(l.buffers);
    free(l.live);
}
