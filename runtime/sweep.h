/* SPDX-License-Identifier: MIT
 * Sweeps: a run for each combination of targets, keys, places and sizes, the comparison of their
 * results, and the table. */
#ifndef RUNTIME_SWEEP_H
#define RUNTIME_SWEEP_H

#include "runtime/session.h"

#define COMPARISON_SCHEMA "mpu-comparison-2"

/* The values that a key of the target or a size takes, as given: at least one. */
struct sweep_axis {
    const char *name;
    const char **values; /* [count] */
    size_t count;
};

/* A run beside those of the axes: one of them with one more number changed. */
struct sweep_extra {
    uint64_t base; /* number of that run of the axes */
    const char *key, *value;
    uint64_t area_um2; /* of chips that are compared at one area; 0: the number is varied */
    const char *from;  /* the value of a number that is varied */
    bool higher;       /* it is varied upwards */
};

/* One of the runs. */
struct sweep_point {
    const char *target;
    const struct sweep_extra *extra; /* or NULL */
    const char *place;               /* NULL: nobody said */
    struct target_override *set;     /* [set_count]: keys of the axes, and that of `extra` */
    size_t set_count;
    const char **set_values, **size_values; /* [sets.len], [sizes.len]: as given */
    uint64_t machine;                       /* the same for runs with the same target and keys */
    uint64_t sizes_number;                  /* the same for runs with the same sizes */
};

#define RECORD_COLUMNS 15
/* Columns of by_component. */
enum sweep_part { PART_TIME, PART_CYCLES, PART_MICRO_OPS, PART_ENERGY, SWEEP_PARTS };
struct sweep_component {
    const char *name;
    bool applies[SWEEP_PARTS], known[SWEEP_PARTS];
    uint64_t value[SWEEP_PARTS];
};
struct sweep_record {
    struct sweep_point point;
    const char *target, *end; /* the target's name; how the run ended, or "rejected" */
    const char *asked,
        *place; /* of groups: what was asked for, and what was chosen; NULL: not known */
    bool known[RECORD_COLUMNS];
    uint64_t value[RECORD_COLUMNS];
    const char **residents; /* [resident_count]: names of data that were resident */
    size_t resident_count;
    struct sweep_component *components; /* [component_count]; none where there are no figures */
    size_t component_count;
    struct figures statistics; /* empty where they are not asked for, or there was no run */
};

/* What later runs with the same sizes are compared with: the outputs of the first one that came to
 * its end. */
struct sweep_reference {
    const char *run; /* NULL: none yet */
    VEC(struct ndarray) arrays;
};

struct mpu_sweep {
    bool broken;            /* PUBLIC_ENTRY_OF */
    mpu_messages *messages; /* or NULL */
    struct arena arena;
    VEC(const char *) targets, places;
    VEC(struct sweep_axis) sets, sizes;
    VEC(struct sweep_extra) extras; /* run after those of the axes; then no axis is added */
    unsigned percent;               /* that numbers are varied by; 0: they are not */
    struct sweep_untouched {
        const char *key, *value, *why;
    } * untouched; /* [untouched_count]: assumed numbers that are not varied */
    size_t untouched_count;
    VEC(const char *) names;    /* what is compared; until the sweep begins, what was named */
    const char *const *command; /* [words] */
    size_t words;

    const mpu_program *program; /* NULL: the sweep did not begin */
    mpu_config config;
    bool whole;       /* records keep all statistics */
    const char *base; /* name of the records that others are compared with; NULL: none */
    mpu_target *target;
    uint64_t machine;                   /* the points that `target` is for, if it is open */
    mpu_session *session;               /* of the last record; or NULL */
    struct sweep_reference *references; /* [reference_count], by the number of the sizes */
    size_t reference_count;
    VEC(struct sweep_record) records;
    uint64_t done; /* runs that came to their end */
    bool differs;
};

/* ---- sweep.c ---- */
/* Runs of the axes alone. */
uint64_t sweep_base_count(const mpu_sweep *w);
/* In the sweep's arena. */
void sweep_point_at(mpu_sweep *w, uint64_t number, struct sweep_point *point);
/* Visits the keys and sizes that have several values; without a `point` (NULL) only their names. */
void sweep_each_setting(const mpu_sweep *w, const struct sweep_point *point,
                        void (*visit)(void *context, const char *name, const char *value,
                                      bool size),
                        void *context);
/* "racer, n=4": the target and the settings that differ from run to run; in the sweep's arena. */
const char *sweep_point_name(mpu_sweep *w, const struct sweep_point *point, const char *target);
/* True if runs differ in nothing but the target. */
bool sweep_is_plain(const mpu_sweep *w);

/* ---- sweep_components.c ---- */
/* Fills a record's components from by_component of the statistics; in the sweep's arena. */
void sweep_components_take(mpu_sweep *w, const struct figures *figures,
                           struct sweep_record *record);
/* Appends the names of the columns that some record has, in the order of the components:
 * ",compute_time_ps,..."; and a record's values in them. */
void sweep_components_names(const mpu_sweep *w, struct str *out);
void sweep_components_values(const mpu_sweep *w, const struct sweep_record *record,
                             struct str *out);

/* ---- sweep_vary.c ---- */
/* Appends the results of the runs with varied numbers, for people. */
void sweep_vary_table(const mpu_sweep *w, struct str *out);

/* ---- sweep_table.c ---- */
/* Fills the columns of a record after its run, and its statistics if they are wanted. */
void sweep_record_fill(mpu_sweep *w, mpu_session *session, struct sweep_record *record,
                       struct diag *diag);

/* A column of a record by its name; false if it is not known. */
bool sweep_record_find(const struct sweep_record *record, const char *column, uint64_t *value);

#endif
