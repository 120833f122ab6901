/* SPDX-License-Identifier: MIT
 * The way of a batch through a body, as its timing needs it: what was carried out, in order, with
 * equal laps of a loop written once.  Ways with the same steps are one path. */
#ifndef EMU_TIMING_PATH_H
#define EMU_TIMING_PATH_H

#include "support/map.h"
#include "support/vec.h"

#include <stdint.h>

enum step_kind {
    STEP_RUN,      /* at: number of the run; count: VRFs of the batch that are switched off, on
                      machines whose times depend on how many work at once; else 0 */
    STEP_MEASURE,  /* behind a STEP_RUN of measured cost, one for each of its instructions: all of
                      its  bits, and of those before it, are there after `count` ps */
    STEP_SELECT,   /* at: text index of an instruction; the machine is told for `count` ps which
                      VRFs carry it out */
    STEP_RANGES,   /* the VRFs of the run that follows are `count` ranges: each instruction is
                      carried out once for each, and the machine is told of them between */
    STEP_SLOT,     /* at: text index of a control instruction; count: ps of the host if it takes the
                      instruction instead of the front end, else 0 */
    STEP_JUMP,     /* likewise; what comes next is fetched behind it */
    STEP_DRAIN,    /* likewise; it waits until all bits are there */
    STEP_EVALUATE, /* a jump on masks: waits likewise, then looks at the masks of `count` VRFs */
    STEP_ANSWER,   /* the machine is asked about its masks: waits likewise, answers in `count` ps */
    STEP_NUMBERS,  /* INDEX: waits likewise, then writes for `count` ps */
    STEP_REGION,   /* at: number of the region that begins */
    STEP_AGAIN,    /* the last `at` steps `count` times more */
};
struct step {
    uint32_t kind; /* enum step_kind */
    uint32_t at;
    uint64_t count;
};

/* A place that was jumped back to, where laps begin. */
struct path_loop {
    uint32_t head;  /* text index */
    uint32_t lap;   /* the step at which the lap that is being recorded begins */
    uint32_t last;  /* the step at which the lap before it begins; NO_LAP: there is none */
    uint32_t again; /* its STEP_AGAIN, or NO_LAP */
};
#define NO_LAP UINT32_MAX

/* A path that is being taken. */
struct path_record {
    VEC(struct step) steps;
    VEC(struct path_loop) loops; /* ascending by lap */
};

void timing_path_add(struct path_record *record, enum step_kind kind, uint32_t at, uint64_t count);
/* The pc went back to `head`.  Without a step since the last time nothing happens. */
void timing_path_back(struct path_record *record, uint32_t head);
void timing_path_record_free(struct path_record *record);

/* The number of the path with these steps among `paths`, a map that holds nothing else.  Empties
 * the record. */
uint32_t timing_path_number(struct map *paths, struct path_record *record);
const struct step *timing_path_steps(const struct map *paths, uint32_t path, uint32_t *count);

#endif
