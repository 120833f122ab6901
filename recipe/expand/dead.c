/* SPDX-License-Identifier: MIT
 * Micro-ops whose results nothing reads.  The mapping writes one body for all laps of a loop; what
 * only the next lap would have read is then left out of the last one. */
#include "recipe/expand/expand.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Buffers are written again and again; a scratch value is written once, or kept. */
#define BUFFER_PLANES (64 * 2 * (MAX_CARRIES + 1))

struct list_liveness {
    const struct expansion *x;
    unsigned char *values;  /* [values]: read further down */
    unsigned char *buffers; /* [BUFFER_PLANES] */
    unsigned char *live;    /* [uops] */
};

static unsigned char *slot_of(const struct list_liveness *liveness, uint32_t place) {
    uint32_t payload = PLACE_PAYLOAD(place), carry = payload & 0xffff;
    if (PLANE_CLASS(place) == PLANE_SCRATCH)
        return &liveness->values[payload];
    if (PLANE_CLASS(place) != PLANE_BUFFER)
        return NULL;
    return &liveness->buffers[((payload >> 16) * 2 + (carry >> 8)) * (MAX_CARRIES + 1) +
                              (carry & 0xff)];
}

/* Bits of rd that are not wanted, where the recipe goes into another. */
static bool is_unwanted(const struct list_liveness *liveness, uint32_t place) {
    return liveness->x->wanted && PLANE_CLASS(place) == PLANE_REGISTER &&
           PLACE_PAYLOAD(place) >> 6 == FIELD_RD && !(*liveness->x->wanted >> (place & 63) & 1);
}

/* Walking from the end: does anything read what the micro-op writes? */
static bool is_live(const struct list_liveness *liveness, const struct sym_uop *uop) {
    for (unsigned k = 0; k < uop->ndst; k++) {
        const unsigned char *slot = slot_of(liveness, uop->dst[k]);
        if (slot ? *slot : !is_unwanted(liveness, uop->dst[k]))
            return true;
    }
    return false;
}

static void note_uses(const struct list_liveness *liveness, const struct sym_uop *uop) {
    const struct target_op *op = &plane_target(liveness->x->set->target)->ops[uop->kind];
    for (unsigned k = 0; k < uop->ndst; k++) {
        unsigned char *slot = slot_of(liveness, uop->dst[k]);
        if (slot)
            *slot = plane_op_uses_old(op, k) || plane_op_presets(op, k);
    }
    for (unsigned k = 0; k < uop->nsrc; k++) {
        unsigned char *slot = slot_of(liveness, uop->src[k]);
        if (slot)
            *slot = 1;
    }
}

static void compact(struct expansion *expansion, const unsigned char *live) {
    if (!memchr(live, 0, expansion->list.uops.len))
        return;
    uint32_t *moved = xcalloc(expansion->list.uops.len + 1, sizeof *moved);
    size_t kept = 0;
    for (size_t i = 0; i < expansion->list.uops.len; i++) {
        struct sym_uop u = expansion->list.uops.data[i];
        moved[i] = live[i] ? (uint32_t)kept : NO_UOP;
        if (u.counterpart != NO_UOP)
            u.counterpart = moved[u.counterpart];
        if (live[i])
            expansion->list.uops.data[kept++] = u;
    }
    expansion->list.uops.len = kept;
    free(moved);
}

void expand_drop_dead(struct expansion *expansion) {
    struct list_liveness l = {.x = expansion};
    l.values = xcalloc(expansion->list.values.len + 1, 1);
    l.buffers = xcalloc(BUFFER_PLANES, 1);
    l.live = xcalloc(expansion->list.uops.len + 1, 1);
    for (size_t i = expansion->list.uops.len; i-- > 0;) {
        const struct sym_uop *u = &expansion->list.uops.data[i];
        l.live[i] = is_live(&l, u);
        if (l.live[i])
            note_uses(&l, u);
    }
    compact(expansion, l.live);
    free(l.values);
    free(l.buffers);
    free(l.live);
}
