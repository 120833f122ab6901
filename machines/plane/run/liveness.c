/* SPDX-License-Identifier: MIT
 * Planes that are read further down, by a walk from the last micro-op to the first. */
#include "machines/plane/run/translate.h"

#include <string.h>

/* Is the plane read further down?  0 or 1, to be set for what is before. */
static uint32_t *live_at(struct plane_map *live, uint32_t plane) {
    return hash_table_put(&live->values, &plane);
}

static void writes_backward(struct flat_uop *uop, const struct target_op *op,
                            struct plane_map *live) {
    for (unsigned k = 0; k < uop->uop->ndst; k++) {
        if (!plane_is_local(uop->uop->dst[k]))
            continue;
        uint32_t *read = live_at(live, uop->uop->dst[k]);
        if (!*read)
            uop->dead |= (uint8_t)(1u << k);
        *read = keeps_old(op, uop->uop, k);
    }
}

static void reads_backward(struct flat_uop *uop, struct plane_map *live) {
    for (unsigned k = 0; k < uop->uop->nsrc; k++) {
        if (!plane_is_local(uop->uop->src[k]))
            continue;
        uint32_t *read = live_at(live, uop->uop->src[k]);
        if (!*read)
            uop->last_use |= (uint8_t)(1u << k);
        *read = 1;
    }
    if (plane_is_local(uop->uop->predicate))
        *live_at(live, uop->uop->predicate) = 1;
}

void plane_liveness(const struct target *target, struct flat_uop *uops, size_t count,
                    struct plane_map *live) {
    plane_map_clear(live);
    for (size_t i = count; i-- > 0;) {
        struct flat_uop *f = &uops[i];
        f->last_use = f->dead = 0;
        writes_backward(f, &plane_target(target)->ops[f->uop->kind], live);
        reads_backward(f, live);
    }
}
