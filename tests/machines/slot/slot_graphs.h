/* SPDX-License-Identifier: MIT
 * Random graphs of vectors of narrow, wide and mixed elements on machines with slots. */
#ifndef TESTS_MACHINES_SLOT_SLOT_GRAPHS_H
#define TESTS_MACHINES_SLOT_SLOT_GRAPHS_H

#include "tests/runtime/random_graph.h"

enum { SLOT_GRAPH_SETTINGS = 8 };

/* On each of the machines in turn, [machine_count] with settings up to NULL: of the first two,
 * large ones, vectors are longer.  A third of the graphs is checked. */
struct slot_graphs {
    const char *target;
    const char *const (*machines)[SLOT_GRAPH_SETTINGS];
    unsigned machine_count;
    unsigned count;          /* graphs */
    uint64_t first;          /* seed */
    uint64_t copies, spills; /* results: graph.slab_copies, host.spills of all */
};
void slot_graphs_play(struct slot_graphs *graphs);

extern const mpu_vtype slot_boolean, slot_u8, slot_u32;
/* Elements first, first + 1, .., as far as they fit. */
mpu_vector *slot_vector(mpu_device *d, mpu_vtype type, uint64_t n, uint64_t first);
/* Of two operands, or of one and 5; carried out at once. */
mpu_vector *slot_apply(mpu_device *d, mpu_op op, mpu_vtype type, uint64_t n, mpu_vector *a,
                       mpu_vector *b);
/* Element i is x. */
void slot_expect(mpu_vector *v, uint64_t i, uint64_t x);
/* Folds, scans, sorts, moves, tables and products, finished here and there, once under check: how
 * many the machine finished where it was to finish all. */
uint64_t slot_alone(const char *target);

#endif
