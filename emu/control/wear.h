/* SPDX-License-Identifier: MIT
 * Writes per cell: how often each run was executed on which VRFs, put together at the end with the
 * cells that one execution writes (dp_description.writes). */
#ifndef EMU_CONTROL_WEAR_H
#define EMU_CONTROL_WEAR_H

#include "machines/datapath.h"
#include "support/map.h"
#include "support/vec.h"

/* On VRF `vrf`, and on those up to the next step, a run was executed `more` times more often than
 * on the VRF before `vrf`.  Differences and sums are modulo 2^64. */
struct wear_step {
    uint64_t vrf; /* as wide as the other, so that steps compare byte by byte */
    uint64_t more;
};
/* Executions of one run; all zero at first. */
struct run_wear {
    struct map sets; /* ranges of VRFs -> their number */
    VEC(uint64_t)
    executed;     /* [sets.len]: how often on each; not in `steps` yet */
    size_t last;  /* the set that was counted last */
    size_t bytes; /* that the sets take */
    VEC(struct wear_step) steps;
};

/* Writes of the cells of all VRFs. */
struct control_wear {
    bool known;             /* the machine has cells, and costs */
    uint64_t writes;        /* of cells by micro-ops, all VRFs together */
    uint64_t cells_written; /* cells that were written at all */
    uint64_t most_writes;   /* of one cell */
    uint32_t most_vrf;      /* whose cell it is; the lowest of several */
    uint32_t most_cell;     /* the cell, by the machine's number */
    const char *most_name;  /* its name and unit (datapath_ops.cell_text); NULL: none was written */
    uint32_t most_unit;
};

/* Who asks for all of it.  VRFs whose cells were written alike are a class; classes have numbers
 * from 0 on, in the order of their first VRFs. */
struct wear_visit {
    void *context;
    /* VRFs `first` and on are of that class, ascending; first for all of them, */
    void (*range)(void *context, uint32_t class_number, uint32_t first, uint64_t vrfs);
    /* then what was written in each VRF of a class, class after class; cells ascend. */
    void (*cell)(void *context, uint32_t class_number, uint32_t cell, uint64_t writes);
};

/* One more execution on these VRFs. */
void control_wear_count(struct run_wear *wear, struct vrf_set on);
void control_wear_free(struct run_wear *wear);
/* Fills `out` from the executions of all runs, of which about[i] describes runs[i]; leaves `known`,
 * most_name and most_unit as they are. */
void control_wear_finish(struct run_wear *const *runs, const struct dp_description *const *about,
                         size_t count, struct control_wear *out);
/* The same executions once more, for `visit`. */
void control_wear_visit(struct run_wear *const *runs, const struct dp_description *const *about,
                        size_t count, const struct wear_visit *visit);
/* Of one VRF alone, as a class of its own, number 0. */
void control_wear_visit_one(struct run_wear *const *runs, const struct dp_description *const *about,
                            size_t count, uint32_t vrf, const struct wear_visit *visit);

#endif
