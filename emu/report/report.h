/* SPDX-License-Identifier: MIT
 * Statistics of a run as figures (docs/statistics.md says what each means). */
#ifndef EMU_REPORT_REPORT_H
#define EMU_REPORT_REPORT_H

#include "emu/control/control.h"
#include "emu/report/figures.h"
#include "support/file.h"

#define REPORT_SCHEMA "mpu-statistics-2"

/* A file or literal that a run read. */
struct report_input {
    const char *name;   /* of the variable */
    const char *source; /* as given: "x.npy", "random:1", "call" */
    char sha256[65];    /* "": it was not wanted */
};
struct report_provenance {
    const char *version;
    const char *const *command; /* [command_count]; none when a program called the library */
    size_t command_count;
    const char *program; /* source or binary, as given */
    char program_sha256[65];
    const char *recipes_sha256; /* NULL: the engine uses none */
    const char *engine, *batch, *init;
    bool check;
    const struct report_input *inputs;
    size_t input_count;
};
/* What went by one of the ways over the host's link. */
struct report_host_mode {
    uint64_t transfers; /* that were set up */
    uint64_t bytes_in, bytes_out;
    uint64_t padding_bytes; /* how many of these nobody asked for */
    uint64_t time_ps;
};
/* Data that are on the machine already, or stay there. */
struct report_resident {
    const char *name;
    uint64_t bytes_in, bytes_out; /* of its puts and gets */
};
/* What went over the host's link. */
struct report_host {
    bool cost_known;
    uint64_t puts, gets; /* transfers that the caller asked for */
    uint64_t bytes_in, bytes_out;
    uint64_t time_ps, energy_fj; /* of the link */
    /* Of the host, which turns elements into planes and back: before or after a transfer, never
     * during it. */
    uint64_t transpose_ps, transpose_fj;
    struct report_host_mode modes[HOST_MODES]; /* they add up to the above */
};
/* How near a result of floating point came to what was expected. */
struct report_expected {
    const char *name;
    uint64_t elements, different;
    bool near, number;       /* ulps were allowed; no NaN met a number */
    uint64_t ulps, distance; /* the latter if `number` */
};
struct report_run {
    const struct object *program;
    const struct package *package;
    const struct target *target;
    const struct control *control;
    const char *end; /* "done", "stopped", "limit", "interrupted", "differs" */
    struct report_provenance provenance;
    struct report_host host;
    const struct report_resident *residents; /* [resident_count] */
    size_t resident_count;
    const char *const *unread; /* [unread_count]: outputs that nobody has read */
    size_t unread_count;
    const struct report_expected *expected; /* [expected_count] */
    size_t expected_count;
};

void report_fill(const struct report_run *run, struct figures *out);
/* The beginning of that, up to the sizes, by the name of some schema: the object is not ended, and
 * `control` is not asked. */
void report_fill_head(const struct report_run *run, const char *schema, struct figures *out);
/* Writes of each cell as CSV, a line for VRFs that have as many of it; `one`: of one VRF, the
 * lowest that has the cell which was written most; only where `known` of control_stats' wear is
 * true. */
void report_wear_csv(const struct report_run *run, bool one, struct file_stream *out);
/* A path as reports show it: one that leads out of the working folder is cut to its last part, so
 * that the same run gives the same bytes wherever it is done. */
const char *report_path(const char *path);
/* The array "command": words with such paths in them. */
void report_command(const char *const *words, size_t count, struct figures *figures);

#endif
