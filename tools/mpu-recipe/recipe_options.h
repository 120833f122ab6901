/* SPDX-License-Identifier: MIT
 * The command line of mpu-recipe. */
#ifndef TOOLS_MPU_RECIPE_RECIPE_OPTIONS_H
#define TOOLS_MPU_RECIPE_RECIPE_OPTIONS_H

#include "isa-spec/isa.h"
#include "linker/package.h"
#include "support/options.h"
#include "support/vec.h"
#include "target/target.h"
#include "tools/mpu-recipe/forms.h"

enum recipe_command {
    COMMAND_CHECK,
    COMMAND_COUNT,
    COMMAND_EXPAND,
    COMMAND_VERIFY,
    COMMAND_DIFF,
    COMMAND_COUNT_,
};

struct name_list {
    const char **data;
    size_t len, cap;
};

struct recipe_options {
    struct command_line cl;
    enum recipe_command command;
    struct name_list targets;              /* names and YAML files; never empty once parsed */
    bool target_given;                     /* by --target */
    VEC(struct target_override) overrides; /* --set */
    struct name_list operands;             /* after the subcommand */
    struct form_choice forms;              /* --op, --width, --imm, --alias */
    VEC(uint8_t) slots;                    /* --slot; empty: all that the machine has */
    struct name_list own;                  /* of --op: what a file of recipes must declare */
    bool masked, csv, mapped;              /* count, expand; mapped: also check and verify */
    bool notation;                         /* expand --recipe */
    bool longer, prove;                    /* verify */
    bool fused;                            /* verify: the engine */
    bool every_form;                       /* --prove */
    const char *kept;                      /* --prove; NULL */
    VEC(struct size_binding) sizes;        /* verify --prove PROGRAM */
    const char *solver, *smt_folder;       /* NULL: not given */
    unsigned timeout_s;                    /* of one proof */
    unsigned threads;                      /* check */
    bool progress;                         /* check: also where standard error is no terminal */
    bool uncached;                         /* check */
    uint64_t seed;
    const char *output; /* "-" if not given */
};

extern const struct tool mpu_recipe_tool;

/* False: leave with *exit_code; nothing is left to release. */
bool recipe_options_parse(int argc, char **argv, struct recipe_options *options, int *exit_code);
void recipe_options_free(struct recipe_options *options);

#endif
