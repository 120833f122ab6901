/* SPDX-License-Identifier: MIT
 * The time of one batch: a path carried out by one compute controller.
 *
 * What it takes depends on the path, on what the playback buffer and the recipe table hold when it
 * begins, on some machines also on how many VRFs it has, and on nothing else: each such case is
 * worked out once.  A path with measures of its own is likely to be the only one of its kind, so
 * few of those are kept.  Laps of a loop are followed until one leaves everything as it found it;
 * each lap after that takes as long. */
#ifndef EMU_TIMING_BATCH_H
#define EMU_TIMING_BATCH_H

#include "machines/datapath.h"
#include "emu/timing/bars.h"
#include "emu/timing/parts.h"
#include "emu/timing/path.h"
#include "emu/timing/port.h"
#include "emu/timing/recipes.h"

/* A prepared run.  One that stands in the text several times is there as often. */
struct timing_run {
    const struct dp_code *code;
    uint32_t first, count; /* text indices */
    const uint32_t *parts; /* [count]: of the program's code, or MACHINE_NO_PART */
    struct dp_description about;
};

/* By how much an instruction moved the end of a batch, and its front-end cycles; all shares add up
 * to the batch's. */
struct time_share {
    uint32_t index, region;
    uint64_t ps, cycles;
};

struct batch_time {
    uint64_t ps;
    uint64_t part_ps[TIMING_PARTS], part_cycles[TIMING_PARTS];
    uint64_t last_fetch_ps;          /* the end of its last fetch, since its begin */
    uint32_t playback, recipes;      /* numbers of their contents afterwards */
    const struct time_share *shares; /* [share_count], ascending by index, then region */
    uint32_t share_count;
    uint64_t uses;               /* how many batches took this long */
    const struct time_bar *bars; /* [bar_count]; none unless they are wanted */
    uint32_t bar_count;
};

struct batch_model {
    const struct target *target;
    struct datapath *dp;
    uint64_t issue_ps; /* target_issue_ps */
    uint32_t lanes;    /* of a VRF, whose mask bits evaluation looks at */
    uint32_t text_len;
    VEC(struct timing_run) runs;
    struct map paths;    /* timing_path_number */
    struct map playback; /* contents of the playback buffer -> number; 0: empty */
    struct recipe_cache recipes;
    struct map cases; /* path and contents -> timing_batch_time * */
    VEC(struct batch_time *) times;
    VEC(uint64_t) fetch_ps; /* for each store of text: the time of a fetch from it */
    size_t bytes;           /* of paths and times */
    size_t room;            /* bytes of the host's memory that all of it may take (timing_settle) */
    size_t measured_bytes;  /* of paths with measures, and of their times */
    size_t measured_room;   /* likewise */
    bool bars;              /* somebody draws them; times do not depend on it */
};
#define BATCH_MODEL_ROOM          ((size_t)128 << 20)
#define BATCH_MODEL_MEASURED_ROOM ((size_t)1 << 20)

void timing_batch_model_open(struct batch_model *model, const struct target *target,
                             struct datapath *dp, const struct machine_code *code,
                             uint32_t text_len);
void timing_batch_model_close(struct batch_model *model);

uint32_t timing_batch_path(struct batch_model *model, struct path_record *record);
/* Bytes of memory that the known cases take, about. */
size_t timing_batch_model_bytes(const struct batch_model *model);
/* Forgets all but the runs: no number of a path or of contents is valid afterwards, but for those
 * of an empty buffer and an empty table. */
void timing_batch_model_forget(struct batch_model *model);

/* The time of a batch of `vrfs` VRFs that takes `path`, with the issue port to itself. */
struct batch_time *timing_batch_time(struct batch_model *model, uint32_t path, uint32_t vrfs,
                                     uint32_t playback, uint32_t recipes);
/* The same for a batch that begins at start_ps, on a port that other controllers use, too.  The
 * caller frees the result with timing_batch_time_free. */
struct batch_time *timing_batch_time_shared(struct batch_model *model, uint32_t path, uint32_t vrfs,
                                            uint32_t playback, uint32_t recipes,
                                            struct issue_port *port, uint64_t start_ps);
void timing_batch_time_free(struct batch_time *time);

/* The same for a batch whose path is told piece by piece, while it is taken.  Numbers of contents
 * have to be valid until its end. */
struct batch_run;
struct batch_run *timing_batch_begin(struct batch_model *model, uint32_t vrfs, uint32_t playback,
                                     uint32_t recipes, struct issue_port *port, uint64_t start_ps);
void timing_batch_take(struct batch_run *run, const struct step *steps, uint32_t count);
/* The same for a batch of which it is not known yet what it will find in playback buffer and recipe
 * table: it takes pieces for which that does not matter.  False: this one is none, and it takes no
 * more until timing_batch_find has said what it finds. */
struct batch_run *timing_batch_begin_blind(struct batch_model *model, uint32_t vrfs);
bool timing_batch_try(struct batch_run *run, const struct step *steps, uint32_t count);
void timing_batch_find(struct batch_run *run, uint32_t playback, uint32_t recipes);
/* Frees it.  The caller frees the result with timing_batch_time_free. */
struct batch_time *timing_batch_end(struct batch_run *run);

#endif
