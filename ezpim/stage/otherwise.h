/* SPDX-License-Identifier: MIT
 * What a target without the form does in place of a launch of a stage kernel, as text of ezpim:
 * declarations, and statements of main.  Elements lie in the lanes of groups, one a lane; a body is
 * what happens in a lane, and what lanes have in common are moves, reductions and `compact`. */
#ifndef EZPIM_STAGE_OTHERWISE_H
#define EZPIM_STAGE_OTHERWISE_H

#include "stage/stage.h"
#include "support/str.h"
#include "support/vec.h"

/* The variable that stands for a buffer. */
struct stage_stand_in {
    const char *name;
    const char *group;    /* of one dimension; NULL: it has no group */
    uint32_t registers;   /* without a group: of an array T[k], else 0 */
    struct extent extent; /* of the group */
    bool keeps; /* what it held before is read, or stays in some elements; set by the writer */
};
/* What the kernel is called with. */
struct stage_given {
    struct stage_stand_in *buffer; /* of a buffer */
    const char *text;              /* of a number: an expression of sizes and constants */
    struct extent extent; /* the same, where it is one size or a constant; else NO_INDEX and 0 */
    bool constant;
};
/* From that byte of the statements on they are made of what stands there in the kernel's text. */
struct stage_mark {
    size_t byte;
    struct span at;
};
struct stage_otherwise {
    const struct stage_kernel *kernel;
    const struct stage_given *given; /* [parameter_count] */
    const char *prefix;              /* of all names that are made: "else0_" */
    const char *file;                /* where the kernel's text stands, for messages of a run */
    uint32_t first_line;
    struct str declarations, statements;
    VEC(struct stage_mark) marks; /* ascending */
    struct str why; /* there are none; `why_at` is a place of the text, of source 0: none */
    struct span why_at;
};

/* False: the ISA cannot hold it, and `why` says so. */
bool stage_write_otherwise(struct stage_otherwise *otherwise);

#endif
