/* SPDX-License-Identifier: MIT
 * Sweeps: the runs that lists of targets, keys, places and sizes make, their results side by side,
 * and the table. */
#ifndef RUNTIME_SWEEP_H
#define RUNTIME_SWEEP_H

#include "runtime/internal.h"

#define COMPARISON_SCHEMA "mpu-comparison-2"

/* The values that a key of the target or a size has: as given, at least one. */
struct sweep_axis {
    const char *name;
    const char **values; /* [count] */
    size_t count;
};

/* One of the runs. */
struct sweep_point {
    const char *target;
    const char *place;                      /* NULL: nobody said */
    struct target_override *set;            /* [sets.len] */
    const char **set_values, **size_values; /* [sets.len], [sizes.len]: as given */
    uint64_t machine;                       /* the same for runs with the same target and keys */
    uint64_t sizes_number;                  /* the same for runs with the same sizes */
};

#define RECORD_COLUMNS 13
struct sweep_record {
    struct sweep_point point;
    const char *target, *end; /* the target's name; how the run ended, or "rejected" */
    const char *asked,
        *place; /* of groups: what was asked for, and what it came to; NULL: not known */
    bool known[RECORD_COLUMNS];
    uint64_t value[RECORD_COLUMNS];
    struct figures statistics; /* empty where they are not asked for, or there was no run */
};

/* The outputs of the first run that came to its end, of those with the same sizes. */
struct sweep_reference {
    const char *run; /* NULL: none yet */
    VEC(struct ndarray) arrays;
};

struct mpu_sweep {
    mpu_messages *messages; /* or NULL */
    struct arena arena;
    VEC(const char *) targets, places;
    VEC(struct sweep_axis) sets, sizes;
    VEC(const char *) names;    /* of what is compared; before the sweep began, what was named */
    const char *const *command; /* [words] */
    size_t words;

    const mpu_program *program; /* NULL: the sweep did not begin */
    mpu_config config;
    bool whole; /* records keep all statistics */
    mpu_target *target;
    uint64_t machine;                   /* of the points that `target` is for, where it is open */
    mpu_session *session;               /* of the last record; or NULL */
    struct sweep_reference *references; /* [reference_count], by the number of the sizes */
    size_t reference_count;
    VEC(struct sweep_record) records;
    uint64_t done; /* runs that came to their end */
    bool differs;
};

/* ---- sweep.c ---- */
/* In the sweep's arena. */
void sweep_point_at(mpu_sweep *w, uint64_t number, struct sweep_point *point);
/* The keys and sizes that have several values; `point` may be NULL: their names alone. */
void sweep_each_setting(const mpu_sweep *w, const struct sweep_point *point,
                        void (*visit)(void *context, const char *name, const char *value,
                                      bool size),
                        void *context);
/* "racer, n=4": the target and what is different from run to run; in the sweep's arena. */
const char *sweep_point_name(mpu_sweep *w, const struct sweep_point *point, const char *target);
/* Nothing but the target is different from run to run. */
bool sweep_is_plain(const mpu_sweep *w);

/* ---- sweep_table.c ---- */
/* The columns of a record, after its run; its statistics are kept where they are wanted. */
void sweep_record_fill(const mpu_sweep *w, mpu_session *session, struct sweep_record *record,
                       struct diag *diag);

#endif
