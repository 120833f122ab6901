/* SPDX-License-Identifier: MIT
 * Random graphs of vectors of narrow, wide and mixed elements on machines with slots. */
#ifndef TESTS_MACHINES_SLOT_SLOT_GRAPHS_H
#define TESTS_MACHINES_SLOT_SLOT_GRAPHS_H

#include <stdint.h>

enum { SLOT_GRAPH_SETTINGS = 8 };

/* On each of the machines in turn, [machine_count] with settings up to NULL: of the first two, large
 * ones, vectors are longer.  A third of the graphs is checked. */
struct slot_graphs {
    const char *target;
    const char *const (*machines)[SLOT_GRAPH_SETTINGS];
    unsigned machine_count;
    unsigned count; /* graphs */
    uint64_t first; /* seed */
    uint64_t copies, spills; /* results: graph.slab_copies, host.spills of all */
};
void slot_graphs_play(struct slot_graphs *graphs);

#endif
