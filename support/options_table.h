/* SPDX-License-Identifier: MIT
 * The option table of a tool together with the options that all tools have; for options*.c and for
 * the man pages. */
#ifndef SUPPORT_OPTIONS_TABLE_H
#define SUPPORT_OPTIONS_TABLE_H

#include "support/options.h"
#include "support/vec.h"

/* Numbers of the options that all tools have; a tool's own are above 0. */
enum common_option {
    OPTION_HELP = -1,
    OPTION_VERSION = -2,
    OPTION_VERBOSE = -3,
    OPTION_DIAGNOSTICS = -4,
    OPTION_COLOR = -5,
    OPTION_WARNING = -6,
    OPTION_MAX_ERRORS = -7,
};

/* Option index: the tool's own come first and win where a name stands in both tables; NULL = end.
 */
const struct option *option_at(const struct tool *tool, size_t index);

/* One name of an option, dashes included. */
struct option_name {
    const char *text;
    size_t len;
};

/* Steps through "-o, --output": *rest starts as option.names; false at the end. */
bool option_next_name(const char **rest, struct option_name *name);
static inline bool is_short_name(struct option_name name) {
    return name.len == 2;
}

/* The metavar offers words, as "strict|golden" does. */
bool option_has_choices(const struct option *option);
/* Steps through them without what stands for something: of "zero|random:SEED[,...]" zero and
 * random:.  *rest starts as the metavar. */
bool option_next_choice(const char **rest, struct option_name *choice);
/* True if several may stand with commas. */
bool option_takes_list(const struct option *option);

/* True if a name stands in an earlier option of the table, which then has it. */
bool option_name_is_taken(const struct tool *tool, const struct option *option,
                          struct option_name name);
/* True if the tool's own options have all names of a common one, or it has nothing to do: -W where
 * there are no warnings. */
bool option_is_hidden(const struct tool *tool, const struct option *option);

/* What "@FILE" does. */
extern const char option_file_help[];

struct arg_list {
    const char **data;
    size_t len, cap;
};

/* The arguments behind the tool's name with each @file replaced by what stands in it.  False with
 * *exit_code set and an error reported. */
bool option_expand_arguments(struct command_line *cl, int argc, char **argv, struct arg_list *args,
                             int *exit_code);

#endif
