/* SPDX-License-Identifier: MIT
 * Dependencies for make and ninja, as -MD, -MF, -MT and -MP of compilers have them: a rule that
 * says which files an output was made of. */
#ifndef SUPPORT_DEPEND_H
#define SUPPORT_DEPEND_H

#include "support/options.h"

struct depend {
    bool wanted, phony;        /* -MD, -MP */
    const char *file;          /* -MF; after depend_complete where the rule goes */
    VEC(const char *) targets; /* -MT */
};

/* Their numbers in the option tables of tools, above all others. */
enum depend_option { DEPEND_WRITE = 1 << 25, DEPEND_FILE, DEPEND_TARGET, DEPEND_PHONY };

/* Their rows of an option table, in a group of --help. */
/* clang-format off */
#define DEPEND_OPTIONS(heading)                                                                    \
    {DEPEND_WRITE, "-MD", ARG_NONE, NULL, heading,                                                 \
     "also write which files the output is made of, as a rule for make and ninja, to the output's "\
     "name with .d"},                                                                              \
    {DEPEND_FILE, "-MF", ARG_REQUIRED, "FILE", NULL, "with -MD: write the rule to FILE"},          \
    {DEPEND_TARGET, "-MT", ARG_REQUIRED, "NAME", NULL,                                             \
     "with -MD: what the rule is for, not the output; repeatable"},                                \
    {DEPEND_PHONY, "-MP", ARG_NONE, NULL, NULL,                                                    \
     "with -MD: also an empty rule for each file that is included, so that make does not miss one "\
     "that is gone"}
/* clang-format on */

/* Takes one of them; false: it is none. */
bool depend_take(struct depend *depend, const struct option_value *value);
/* Once all are taken and the output is known: where the rule goes, among the files of the command.
 * NULL, or what does not go together. */
const char *depend_complete(struct depend *depend, const char *output, struct command_line *cl);
/* Appends the rule: the output is made of what was read, `inputs` (the first ones) given on the
 * command line and the others included.  False after reporting a name that no rule can hold. */
bool depend_rule(const struct depend *depend, const char *output, const char *const *inputs,
                 size_t count, const struct command_line *cl, struct str *rule);
void depend_free(struct depend *depend);

#endif
