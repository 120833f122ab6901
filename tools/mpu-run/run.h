/* SPDX-License-Identifier: MIT
 * The command mpu-run: what its words mean, and what they ask libmpu for.  Of the product it knows
 * mpu/mpu.h alone; options, messages about them and containers are support/'s, as in every tool. */
#ifndef TOOLS_MPU_RUN_RUN_H
#define TOOLS_MPU_RUN_RUN_H

#include <mpu/mpu.h>

#include "support/arena.h"
#include "support/options.h"
#include "support/str.h"
#include "support/vec.h"

#include <stdio.h>

extern const struct tool mpu_run_tool;

/* Why a run is to stop: what signal handlers leave behind, 0 is nothing. */
enum run_interrupt { RUN_INTERRUPTED = 1, RUN_PIPE_CLOSED = 2 };

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

/* --trace, --log, --uops. */
struct run_uops {
    const char *file;
    const char *format; /* its name */
};
struct run_watching {
    const char *trace; /* file, or NULL */
    const char *every; /* number of cycles, or NULL */
    const char *every_file;
    const char *log;              /* "insn", "uop", "insn,uop", or NULL */
    const char *log_file;         /* NULL: standard error */
    const char *log_of;           /* NULL: was not given */
    uint64_t log_from, log_count; /* 0: was not given */
    const char *wear;             /* file, or NULL */
    VEC(struct run_uops) uops;
};

/* --report, --plot, --base. */
struct run_plot {
    const char *name, *file;
};
struct run_pages {
    const char *report; /* file, or NULL */
    const char *base;   /* target, or NULL */
    VEC(struct run_plot) plots;
    struct str *timeline, *wear; /* of the run, once it is over */
};

/* Where PRINT lines go, and the line on a terminal that says how far a long run is. */
struct run_console {
    FILE *out, *terminal;
    bool shown;   /* the line is there */
    bool printed; /* a PRINT line was */
};

/* The values that --set gives a key of the target, or --size a size: as written, at least one. */
struct run_axis {
    const char *name;
    const char **values; /* [count], and a NULL */
    size_t count;
};

/* What a signal handler and the command know of one another. */
struct run_signals {
    volatile int interrupted; /* RUN_*: a program that runs stops; 0: nothing has happened */
    volatile int running;     /* one does, and looks at `interrupted`; the command sets it */
};

struct run_words {
    const char **data;
    size_t len, cap;
};

struct run_options {
    const struct command_line *cl; /* for tool_say() */
    struct arena arena;
    mpu_messages *messages; /* printed as those about options */
    mpu_source *source;     /* the programs */
    struct file_uses files; /* that the command reads and writes */
    VEC(const char *) programs;
    bool defined;         /* -D was given */
    const char *language; /* -x, or NULL */
    struct run_words targets;
    VEC(struct run_axis) set_axes, size_axes;
    struct run_words residents;
    VEC(const char *) places; /* none: as the package says, else auto */
    uint64_t iso_area_um2;    /* --iso-area; 0: the least */
    bool no_iso_area;         /* none */
    uint32_t sensitivity;     /* percent; 0: not asked for */
    mpu_sweep *sweep;         /* of all these lists */
    VEC(struct run_item) in, out, expect, print;
    VEC(struct run_item) ulps; /* --ulp: of `name`, or NULL for all, `from` */
    VEC(struct run_stats) stats;
    mpu_config config;
    const char *list_keys, *print_target;
    struct run_watching watching;
    struct run_pages pages;
    struct run_console console;
    bool show_progress;
    const char *rerun; /* file of a recorded run, or NULL */
    bool list_targets, verbose;
    bool quiet; /* a recorded run: arrays are fetched, and nothing is written but statistics */
    struct run_signals *signals; /* NULL: nobody listens */
    unsigned columns;            /* of the terminal that standard output is; 0: it is none */
    FILE *stdout_file;           /* what stands for standard output */
};

/* What the words of the command line mean.  False after a usage error was reported. */
bool run_options_read(const struct command_line *cl, struct run_options *options);
void run_options_free(struct run_options *options);

/* The whole command: returns the exit code.  argv is kept for provenance; signals may be
 * NULL.  Standard output goes to `out`. */
int mpu_run_command(const struct command_line *cl, int argc, char **argv,
                    struct run_signals *signals, FILE *out);

/* ---- run_report.c ---- */
/* An error of the command's own, among the library's. */
void run_error(const struct run_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The code of what failed; releases it. */
mpu_result run_code(mpu_error *error);
int run_exit_code(mpu_result result);

/* Nobody reads what this command writes. */
bool run_is_unheard(const struct run_options *options);
/* The line that overwrites itself makes room. */
void run_clear_line(struct run_console *console);
/* What the options do not tool_say: where lines go, the terminal, interrupts. */
void run_configure(struct run_options *options, struct run_signals *signals, FILE *out);
/* A program on its targets; argv for provenance.  Returns the exit code. */
int run_program(struct run_options *options, int argc, char **argv);

/* ---- run_session.c ---- */
/* The steps of a run: what is wanted, sizes and inputs; the machine and the program; outputs,
 * prints, and what was expected, after a run that ended by itself. */
mpu_result run_session_fill(const struct run_options *options, const mpu_program *program,
                            bool in_sweep, mpu_session *session);
mpu_result run_session_filled(struct run_options *options, const mpu_target *target,
                              mpu_session *session);
mpu_result run_results(const struct run_options *options, mpu_session *session);

/* ---- axes.c ---- */
/* Values with commas between them; false where one is empty. */
bool run_axis_read(struct run_options *options, const char *text, struct run_axis *axis);
/* Something has several values. */
bool run_has_lists(const struct run_options *options);
/* More than one run is asked for. */
bool run_is_sweep(const struct run_options *options);
/* The sweep that the lists make. */
void run_sweep_make(struct run_options *options);
/* What is run beside these: chips at one area, numbers that are varied. */
mpu_result run_sweep_extend(const struct run_options *options);

/* ---- run_sweep.c ---- */
/* All runs of a sweep; one table; MPU_DIFFERS when results differ. */
mpu_result run_sweep(struct run_options *options, const mpu_program *program,
                     const char *const *command, size_t words);

/* ---- rerun.c ---- */
/* Repeats the run that options->rerun records and compares its figures. */
int run_rerun(const struct run_options *options, struct run_signals *signals);

/* ---- files.c ---- */
/* No output is an input or another output, and standard input is read once: before anything is
 * read, and with what the sources include once they are compiled.  False after reporting. */
bool run_files_fit(const struct command_line *cl, struct run_options *options);
bool run_sources_fit(struct run_options *options);

/* ---- run_watch.c ---- */
/* False after a usage error was reported. */
bool run_log_option(const struct command_line *cl, const struct option_value *value,
                    struct run_options *options);
bool run_series_option(const struct command_line *cl, const struct option_value *value,
                       struct run_options *options);
bool run_uops_option(const struct command_line *cl, const struct option_value *value,
                     struct run_options *options);
/* The options about watching fit each other and the rest. */
bool run_watching_fits(const struct command_line *cl, const struct run_options *options);
/* Before the run of a session that is prepared, and after it: the files appear. */
mpu_result run_watch(const struct run_options *options, const mpu_target *target,
                     mpu_session *session);
mpu_result run_watch_end(const struct run_options *options, mpu_session *session);

/* ---- run_page.c ---- */
/* False after a usage error was reported. */
bool run_plot_option(const struct command_line *cl, const struct option_value *value,
                     struct run_options *options);
bool run_pages_fit(const struct command_line *cl, const struct run_options *options);
bool run_wants_page(const struct run_options *options);
/* A page of the sweep shows the statistics of each run. */
bool run_page_needs_whole(const struct run_options *options);
/* Before the run of a session that is prepared: what a page draws besides statistics is kept. */
mpu_result run_page_watch(const struct run_options *options, mpu_session *session);
/* The page and the pictures, from statistics as JSON; of a session's run. */
mpu_result run_page_write(const struct run_options *options, const char *statistics);
mpu_result run_page(const struct run_options *options, mpu_session *session);

/* ---- inputs.c ---- */
/* All --in, in the order that binds sizes: arrays and numbers in order of declaration, then what
 * is generated for a shape that is known by then. */
mpu_result run_inputs(const struct run_options *options, const mpu_program *program,
                      mpu_session *session);

/* ---- outputs.c ---- */
mpu_result run_outputs(const struct run_options *options, mpu_session *session);
mpu_result run_prints(const struct run_options *options, mpu_session *session);
mpu_result run_expects(const struct run_options *options, mpu_session *session);
/* What runs have compared with golden, all together, and what is said of expectations. */
struct run_compared {
    uint64_t runs, ensembles, elements;
    struct str expected;
    uint64_t launches, bytes, unsettled; /* as mpu_session_checked_kernels */
};
/* Adds that of a session's run, if it was checked. */
void run_compared_add(const struct run_options *options, mpu_session *session, bool expects,
                      struct run_compared *compared);
/* One line of runs whose table went to a file, if they were checked. */
void run_say_compared(const struct run_options *options, const mpu_program *program,
                      const struct run_compared *compared);
/* One line of a run that said nothing else: that it is done, and what was compared. */
void run_say_done(const struct run_options *options, const mpu_program *program,
                  const mpu_target *target, mpu_session *session);
mpu_result run_statistics(const struct run_options *options, mpu_session *session);
/* "-" is standard output. */
mpu_result run_write_file(const struct run_options *options, const char *path, const char *text);

/* ---- targets.c ---- */
int run_list_targets(const struct run_options *options);
int run_print_target(const struct run_options *options);
int run_list_keys(const struct run_options *options);

#endif
