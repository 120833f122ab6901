/* SPDX-License-Identifier: MIT
 * Planes that are read further down, by a walk from the last micro-op to the first. */
#include "machines/plane/run/translate.h"

#include <string.h>

static void grow(struct plane_map *map) {
    struct plane_map bigger = {.size = map->size ? map->size * 2 : 256};
    bigger.shift = map->size ? map->shift - 1 : 24;
    bigger.slots = xreallocarray(NULL, bigger.size, sizeof *bigger.slots);
    memset(bigger.slots, 0xff, bigger.size * sizeof *bigger.slots);
    for (size_t i = 0; i < map->size; i++)
        if (map->slots[i].plane != PLANE_MAP_NONE)
            plane_map_put(&bigger, map->slots[i].plane, map->slots[i].value);
    plane_map_free(map);
    *map = bigger;
}

void plane_map_put(struct plane_map *map, uint32_t plane, uint32_t value) {
    if (2 * map->used >= map->size)
        grow(map);
    struct plane_map_slot *s = plane_map_find(map, plane);
    map->used += s->plane != plane;
    *s = (struct plane_map_slot){plane, value};
}

void plane_map_clear(struct plane_map *map) {
    if (map->used > 0)
        memset(map->slots, 0xff, map->size * sizeof *map->slots);
    map->used = 0;
}

void plane_map_free(struct plane_map *map) {
    free(map->slots);
    *map = (struct plane_map){0};
}

static bool is_live(const struct plane_map *live, uint32_t plane) {
    return plane_map_get(live, plane) != PLANE_MAP_NONE;
}

static void writes_backward(struct flat_uop *uop, const struct target_op *op,
                            struct plane_map *live) {
    for (unsigned k = 0; k < uop->uop->ndst; k++) {
        if (!plane_is_local(uop->uop->dst[k]))
            continue;
        if (!is_live(live, uop->uop->dst[k]))
            uop->dead |= (uint8_t)(1u << k);
        plane_map_put(live, uop->uop->dst[k], keeps_old(op, uop->uop, k) ? 1 : PLANE_MAP_NONE);
    }
}

static void reads_backward(struct flat_uop *uop, struct plane_map *live) {
    for (unsigned k = 0; k < uop->uop->nsrc; k++) {
        if (!plane_is_local(uop->uop->src[k]) || is_live(live, uop->uop->src[k]))
            continue;
        uop->last_use |= (uint8_t)(1u << k);
        plane_map_put(live, uop->uop->src[k], 1);
    }
    if (plane_is_local(uop->uop->predicate))
        plane_map_put(live, uop->uop->predicate, 1);
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
