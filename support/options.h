/* SPDX-License-Identifier: MIT
 * One option table per tool yields parsing and --help; every tool gets --help, --version, -v,
 * @file, --diagnostics=, --color=, -W..., --max-errors from here. */
#ifndef SUPPORT_OPTIONS_H
#define SUPPORT_OPTIONS_H

#include "support/arena.h"
#include "support/diag.h"
#include "support/file_use.h"
#include "support/vec.h"

#include <stdbool.h>
#include <stddef.h>

/* Exit codes of every tool (docs/cli.md). */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_REJECTED = 1, /* the input was rejected, an expectation failed, results differ */
    EXIT_USAGE = 2,
    EXIT_FILE = 3,    /* a file could not be read or written */
    EXIT_STOPPED = 4, /* the emulated program stopped on an error or was interrupted */
};

enum option_arg {
    ARG_NONE,
    ARG_REQUIRED, /* "--name VALUE", "--name=VALUE", "-nVALUE", "-n VALUE" */
    ARG_OPTIONAL, /* only "--name=VALUE" or "-nVALUE" */
};

struct option {
    int id;            /* the tool's own number, > 0 */
    const char *names; /* "-o, --output"; one dash and several letters ("-Map") is a long name */
    enum option_arg arg;
    /* "FILE"; NULL with ARG_NONE.  "strict|golden": one of these words; "zero|random:SEED": what is
     * written in capitals stands for something; "a|b[,...]": several with commas. */
    const char *metavar;
    const char *group; /* heading in --help; NULL = the heading before */
    const char *help;  /* may hold several lines */
};

struct tool {
    const char *name;
    const char *summary;  /* one line: "mpu-as - assembler for MPU ISA programs" */
    const char *synopsis; /* what follows the name in the usage line, one alternative a line */
    const struct option *options;
    size_t option_count;
    const char *epilog;       /* examples; may be NULL */
    enum warning_tool warner; /* which tool it is in the table of warnings */
    bool runs_programs;       /* exit code 4 is one of its own */
    bool foreign; /* not written on this: of the common options it has --help and --version */
};

struct option_value {
    int id;            /* 0 = an input (operand) */
    const char *name;  /* as written; the operand itself for id 0 */
    const char *value; /* NULL with ARG_NONE */
};

struct command_line {
    struct arena arena;
    struct option_value *values; /* in the order given */
    size_t count;
    bool verbose;
    struct diag *diag; /* with diag_print on standard error, settings applied */
    struct diag_printer printer;
    /* The same settings, for who has another sink: what stood behind each -W, in order. */
    VEC(const char *) warnings;
    bool errors_limited; /* --max-errors was given */
    uint32_t max_errors; /* what it said */
    /* Response files; a tool adds what else it reads and writes. */
    struct file_uses files;
};

/* True: go on; *cl stays where it is, as its diag prints through it.  False: *cl is released and
 * *exit_code says how to leave (0 after --help or --version, printed on standard output; 2 after a
 * usage error, printed on standard error with the nearest name; 3 when a response file cannot be
 * read or standard output not be written).  "--" ends options; "-" is an operand.
 * Long names may be shortened as long as one option fits; short ones without values may be joined
 * ("-dS").  @FILE stands for the arguments in FILE, which white space separates; '...', "..." and
 * backslashes quote as in a shell.  Ignores SIGPIPE and SIGXFSZ for the whole process, so that a
 * reader that goes away and a limit on the size of files are errors of writing and no signals. */
bool command_line_parse(const struct tool *tool, int argc, char **argv, struct command_line *cl,
                        int *exit_code);
/* The last value of an option, or NULL; for ARG_NONE the name. */
const char *option_last(const struct command_line *cl, int id);
/* Reports a usage error ("mpu-run: error: ..." and "try --help"); returns EXIT_USAGE. */
int tool_usage_error(const struct command_line *cl, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reports an output that could not be written, by errno; returns EXIT_FILE.  Of a pipe whose reader
 * has gone nothing is said: who reads no further wants no more. */
int tool_write_error(const struct command_line *cl, const char *path);
/* True if no output is an input or another output (file_uses_check); else a usage error. */
bool tool_files_differ(const struct command_line *cl);
/* With -v one line on standard error, "mpu-ld: ..."; else, and among JSON messages, nothing. */
void tool_say(const struct command_line *cl, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The output's name where none is given: the input's with another suffix, "dir/prog.o" to
 * "dir/prog.mpu"; of standard input "a.mpu". */
const char *tool_output_name(struct arena *arena, const char *input, const char *suffix);
void command_line_free(struct command_line *cl);

/* The text of --help, for tests and man pages. */
struct str;
void tool_help(const struct tool *tool, struct str *out);
/* The version of all tools, from the file VERSION. */
const char *tool_version_text(void);

#endif
