/* SPDX-License-Identifier: MIT */
#include "slot_graphs.h"

#include "tests/runtime/random_graph.h"

static const mpu_vtype mixed[] = {
    {MPU_KIND_UINT, 8}, {MPU_KIND_UINT, 32}, {MPU_KIND_BOOL, 1}, {MPU_KIND_INT, 16}};
static const struct {
    const mpu_vtype *types;
    unsigned count;
} palettes[] = {{&mixed[0], 1}, {&mixed[1], 1}, {mixed, 2}, {mixed, 4}, {NULL, 0}};

void slot_graphs_play(struct slot_graphs *g) {
    const unsigned palette_count = sizeof palettes / sizeof *palettes;
    for (unsigned k = 0; k < g->count; k++) {
        const mpu_config config = {
            .size = sizeof config, .check = k % 3 == 1, .threads = 1 + k % 2};
        const unsigned palette = k % palette_count, machine = k / palette_count % g->machine_count;
        struct play p = {.n = 1, .seed = g->first + k, .flushes = k % 4 * 3};
        mpu_target *target;
        p.d = open_device(g->target, g->machines[machine], &config, &target);
        p.types = palettes[palette].types;
        p.type_count = palettes[palette].count;
        p.n = 1 + graph_roll(&p, machine < 2 ? 300 : 40);
        graph_play(p, 40);
        g->copies += figure(p.d, "graph.slab_copies");
        g->spills += figure(p.d, "host.spills");
        close_device(p.d, target);
    }
}
