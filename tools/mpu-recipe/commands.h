/* SPDX-License-Identifier: MIT
 * The subcommands of mpu-recipe.  Each appends what it prints to job.out and sets job.exit_code. */
#ifndef TOOLS_MPU_RECIPE_COMMANDS_H
#define TOOLS_MPU_RECIPE_COMMANDS_H

#include "tools/mpu-recipe/recipe_options.h"
#include "tools/mpu-recipe/source.h"

struct recipe_job {
    struct recipe_options *o;
    struct diag *d;
    struct recipe_text file; /* of recipes; text is NULL without one */
    struct source_list {
        struct recipe_source *data; /* of the option's targets, in their order; not for diff */
        size_t len, cap;
    } sources;
    struct str out;
    int exit_code;
};

void command_check(struct recipe_job *j);
void command_count(struct recipe_job *j);
void command_expand(struct recipe_job *j);
void command_verify(struct recipe_job *j);
void command_prove(struct recipe_job *j); /* verify --prove, --emit-smt */
void command_diff(struct recipe_job *j);

/* Opens the file of recipes and the targets; false after setting the exit code. */
bool job_open(struct recipe_job *j);
void job_close(struct recipe_job *j);
/* The instructions that the recipes of an open source declare may be chosen from now on, as may
 * those among them that --op names.  False after reporting a name that is none. */
bool job_own(struct recipe_job *j, const struct recipe_source *s);
void job_fail(struct recipe_job *j, enum exit_code code);
/* Reports that the choice of instructions on the command line is empty. */
void job_no_forms(struct recipe_job *j);
/* True if --op names op, or nothing. */
bool job_chooses(const struct recipe_job *j, enum mpu_op op);
/* True if every chosen instruction has a recipe; each that has none is reported, once.  Without
 * --op those that a target has no recipe for are not meant. */
bool job_prepare(struct recipe_job *j, const struct recipe_source *s);
/* After job_prepare. */
bool job_passes_over(const struct recipe_source *s, enum mpu_op op);

/* The cost table of count: heading, and the row of one instruction. */
struct recipe_sheet;
#define COUNT_COLUMNS 12
void count_heading(struct recipe_sheet *t);
void count_row(struct recipe_sheet *t, const struct recipe_source *s, const struct insn *insn,
               bool masked, const struct recipe_count *n);

#endif
