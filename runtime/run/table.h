/* SPDX-License-Identifier: MIT
 * The table of a sweep: a record for each run. */
#ifndef RUNTIME_RUN_TABLE_H
#define RUNTIME_RUN_TABLE_H

#include "runtime/run/run.h"

#define COMPARISON_SCHEMA "mpu-comparison-2"

#define RECORD_COLUMNS 13
struct run_record {
    struct run_point point;
    const char *target, *end; /* the target's name; how the run ended, or "rejected" */
    const char *asked,
        *place; /* of groups: what was asked for, and what it came to; NULL: not known */
    bool known[RECORD_COLUMNS];
    uint64_t value[RECORD_COLUMNS];
    struct figures statistics; /* empty where they are not asked for, or there was no run */
};

struct run_table {
    const struct run_options *o;
    const mpu_program *program;
    const char *const *command; /* [words] */
    size_t words;
    const char *const *compared; /* [compared_count]: names of arrays */
    size_t compared_count;
    bool differs;
    struct run_record *records; /* [record_count] */
    size_t record_count;
};

/* The columns of a record, after its run; its statistics are kept for JSON. */
void record_fill(const struct run_options *o, mpu_session *s, struct run_record *record,
                 struct diag *d);
/* The table as "text", "json" or "csv". */
void table_render(const struct run_table *t, const char *format, struct str *out);

#endif
