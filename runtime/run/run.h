/* SPDX-License-Identifier: MIT
 * The command mpu-run, over libmpu. */
#ifndef RUNTIME_RUN_RUN_H
#define RUNTIME_RUN_RUN_H

#include "emu/observe/uops.h"
#include "ezpim/driver.h"
#include "runtime/internal.h"
#include "support/options.h"

extern const struct tool mpu_run_tool;

/* NAME=VALUE of --in, --out, --expect; NAME[a:b] of --print. */
struct run_item {
    const char *name;
    const char *value; /* NULL: none */
    bool sliced;
    uint64_t from, to; /* --print: elements from .. to - 1 of the first dimension */
};
struct run_stats {
    const char *format;
    const char *file; /* "-" if none was given */
};
struct run_size {
    const char *name;
    uint64_t value;
};

/* --trace, --log, --uops. */
struct run_uops {
    const char *file;
    const char *format; /* its name */
};
struct run_watching {
    const char *trace; /* file, or NULL */
    bool log_insns, log_uops;
    const char *log_file;         /* NULL: standard error */
    uint64_t log_from, log_count; /* 0: was not given */
    VEC(struct run_uops) uops;
};

/* Where PRINT lines go, and the line on a terminal that says how far a long run is. */
struct run_console {
    FILE *out, *terminal;
    bool shown; /* the line is there */
};

/* The values that --set gives a key of the target, or --size a size: as written, at least one. */
struct run_axis {
    const char *name;
    const char **values; /* [count] */
    size_t count;
};

struct run_options {
    const struct command_line *cl; /* for say() */
    struct arena arena;
    VEC(const char *) programs;
    VEC(struct asm_define) defines; /* -D */
    const char *entry;              /* or NULL */
    VEC(const char *) targets;
    VEC(struct run_axis) set_axes, size_axes;
    VEC(const char *) places; /* none: as the package says, else auto */
    VEC(struct run_item) in, out, expect, print;
    VEC(struct run_stats) stats;
    mpu_config config;
    const char *list_keys, *print_target;
    struct run_watching watching;
    struct run_console console;
    const char *rerun; /* file of a recorded run, or NULL */
    bool list_targets, verbose;
    bool quiet; /* a recorded run: arrays are fetched, and nothing is written but statistics */
    unsigned columns; /* of the terminal that standard output is; 0: it is none */
};

/* What the words of the command line mean.  False after a usage error was reported. */
bool run_options_read(const struct command_line *cl, struct run_options *o);
void run_options_free(struct run_options *o);

/* The whole command: returns the exit code.  argv is kept for provenance; *interrupted stops the
 * program when it becomes nonzero (may be NULL).  Standard output goes to `out`. */
int mpu_run_command(const struct command_line *cl, int argc, char **argv,
                    const volatile int *interrupted, FILE *out);

/* ---- sweep.c ---- */
/* One of the runs that the command line asks for. */
struct run_point {
    const char *target;
    const char *place;                      /* NULL: nobody said */
    struct target_override *set;            /* [set_axes.len] */
    struct run_size *sizes;                 /* [size_axes.len] */
    const char **set_values, **size_values; /* the same as written */
    uint64_t sizes_number;                  /* the same for points with the same sizes */
};
#define RUN_MAX_POINTS 10000
/* Values with commas between them; false where one is empty. */
bool run_axis_read(struct run_options *o, const char *text, struct run_axis *axis);
/* More than one run is asked for. */
bool run_is_sweep(const struct run_options *o);
/* How many: targets x values of each key x places x values of each size; more than RUN_MAX_POINTS
 * are RUN_MAX_POINTS + 1. */
uint64_t run_point_count(const struct run_options *o);
void run_point_at(const struct run_options *o, uint64_t number, struct arena *arena,
                  struct run_point *p);
/* The keys and sizes that have several values; p may be NULL: their names alone. */
void run_each_setting(const struct run_options *o, const struct run_point *p,
                      void (*visit)(void *context, const char *name, const char *value, bool size),
                      void *context);
/* The session's configuration for it. */
mpu_config run_point_config(const struct run_options *o, const struct run_point *p);
/* "racer, n=4": the target and what is different from run to run. */
const char *run_point_name(const struct run_options *o, const struct run_point *p,
                           const char *target, struct arena *arena);

/* ---- command.c ---- */
/* The steps of a run: sizes and inputs; the machine and the program; outputs, prints, and what was
 * expected, after a run that ended by itself. */
mpu_result run_session_fill(const struct run_options *o, const struct run_point *p, mpu_session *s,
                            struct diag *d);
mpu_result run_session_filled(const struct run_options *o, mpu_session *s, struct diag *d,
                              FILE *out);
mpu_result run_results(const struct run_options *o, mpu_session *s, struct diag *d, FILE *out);

/* The program, compiled if it is a source. */
mpu_result run_load(const struct run_options *o, struct diag *d, mpu_program **out);
/* What the options do not say: where lines go, the terminal, interrupts. */
void run_configure(struct run_options *o, const volatile int *interrupted, FILE *out);
/* A program on its targets; argv for provenance.  Returns the exit code. */
int run_program(struct run_options *o, struct diag *d, int argc, char **argv, FILE *out);

/* ---- rerun.c ---- */
/* Repeats the run that o->rerun records and compares its figures. */
int run_rerun(const struct run_options *o, const volatile int *interrupted, struct diag *d,
              FILE *out);

/* ---- observe.c ---- */
/* False after a usage error was reported. */
bool run_log_option(const struct command_line *cl, const struct option_value *v,
                    struct run_options *o);
bool run_uops_option(const struct command_line *cl, const struct option_value *v,
                     struct run_options *o);
/* The options about watching fit each other and the rest. */
bool run_watching_fits(const struct command_line *cl, const struct run_options *o);

/* What watches a run, with its files. */
struct run_observers {
    struct text_names names;
    struct watch *watch;
    struct trace *trace;
    struct log *log;
    struct run_output {
        const char *path;
        struct file_stream *file;
        struct uops *uops; /* what writes into it, for --uops */
    } * outputs;           /* [output_count] */
    size_t output_count;
};
/* Before the run of a session that is prepared; nothing is open after a failure. */
mpu_result run_observers_open(const struct run_options *o, mpu_session *s, struct run_observers *x,
                              struct diag *d, FILE *out);
/* After it: the files appear. */
mpu_result run_observers_close(const struct run_options *o, mpu_session *s, struct run_observers *x,
                               struct diag *d);

/* ---- compare.c ---- */
/* All runs of a sweep; one table; MPU_DIFFERS when results differ. */
mpu_result run_compare(const struct run_options *o, const mpu_program *p,
                       const char *const *command, size_t words, struct diag *d, FILE *out);

/* ---- inputs.c ---- */
/* All --in, in the order that binds sizes: arrays and numbers in order of declaration, then what
 * is generated for a shape that is known by then. */
mpu_result run_inputs(const struct run_options *o, mpu_session *s, struct diag *d);
/* The array of a file or of numbers; generators and .raw need the shape, given by `like`.  `hash`:
 * from->sha256 is wanted, of a file here and now. */
mpu_result run_read_array(const char *name, const char *value, const struct array *like, bool hash,
                          struct data_source *from, struct array *a, struct diag *d);
/* True if the value can be read without knowing a shape; if it names a file. */
bool run_value_has_shape(const char *value);
bool run_value_is_file(const char *value);

/* ---- follow.c ---- */
/* Constants of the source: -D, and of a kernel in Python what follows from the shapes of --in. */
struct run_defines {
    VEC(struct asm_define) items;
    struct arena arena;
};
/* Of an empty list; run_defines_free releases it after failures, too. */
mpu_result run_defines_find(const struct run_options *o, struct run_defines *list, struct diag *d);
void run_defines_free(struct run_defines *list);

/* ---- outputs.c ---- */
/* Arrays that were read from the machine: each name is fetched, and charged, once a run. */
struct run_array {
    const char *name;
    struct array values;
};
struct run_fetched {
    mpu_session *s;
    VEC(struct run_array) arrays;
};
void run_fetched_free(struct run_fetched *f);

mpu_result run_outputs(const struct run_options *o, struct run_fetched *f, struct diag *d,
                       FILE *out);
mpu_result run_prints(const struct run_options *o, struct run_fetched *f, struct diag *d,
                      FILE *out);
mpu_result run_expects(const struct run_options *o, struct run_fetched *f, struct diag *d);
mpu_result run_statistics(const struct run_options *o, mpu_session *s, struct diag *d, FILE *out);
/* "-" is `out`. */
mpu_result run_write_file(const struct run_options *o, const char *path, const struct str *text,
                          struct diag *d, FILE *out);
/* False after reporting that files of that name hold no arrays. */
bool run_suffix_known(const char *path, struct diag *d);

/* ---- targets.c ---- */
int run_list_targets(const struct run_options *o, struct diag *d, FILE *out);
int run_print_target(const struct run_options *o, struct diag *d, FILE *out);
int run_list_keys(const struct run_options *o, struct diag *d, FILE *out);

int run_exit_code(mpu_result r);

#endif
