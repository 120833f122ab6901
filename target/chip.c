/* SPDX-License-Identifier: MIT
 * Where MPUs lie on the chip, and which way their messages take. */
#include "target/target.h"

static bool in_one_row(const struct target *target) {
    return target->chip == CHIP_MESH_1D || target->chip == CHIP_RING || target->mpu_columns == 0 ||
           target->mpu_columns >= target->mpus;
}

struct chip_grid target_grid(const struct target *target) {
    if (in_one_row(target))
        return (struct chip_grid){target->mpus, 1};
    uint32_t columns = target->mpu_columns;
    return (struct chip_grid){columns, target->mpus / columns + (target->mpus % columns != 0)};
}

/* Steps in one dimension of n routers. */
static int64_t steps(uint32_t from, uint32_t to, uint32_t n, bool closed) {
    if (!closed)
        return (int64_t)to - from;
    int64_t up = ((int64_t)to - from) % n;
    if (up < 0)
        up += n;
    return 2 * up <= n ? up : up - n;
}

struct chip_route target_route(const struct target *target, uint32_t from, uint32_t to) {
    struct chip_grid g = target_grid(target);
    bool closed = target->chip == CHIP_TORUS || target->chip == CHIP_RING;
    return (struct chip_route){steps(from % g.columns, to % g.columns, g.columns, closed),
                               steps(from / g.columns, to / g.columns, g.rows, closed)};
}

uint32_t target_hops(const struct target *target, uint32_t from, uint32_t to) {
    struct chip_route r = target_route(target, from, to);
    return (uint32_t)((r.right < 0 ? -r.right : r.right) + (r.down < 0 ? -r.down : r.down));
}
