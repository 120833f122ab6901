/* SPDX-License-Identifier: MIT
 * The subcommands of mpu-recipe.  Each appends what it prints to job.out and sets job.exit_code. */
#ifndef TOOLS_MPU_RECIPE_COMMANDS_H
#define TOOLS_MPU_RECIPE_COMMANDS_H

#include "tools/mpu-recipe/recipe_options.h"
#include "tools/mpu-recipe/source.h"

struct cache;

struct recipe_job {
    struct recipe_options *o;
    struct diag *d;
    struct recipe_text file; /* of recipes; text is NULL without one */
    struct object *program;  /* the file, if that is what it is; NULL */
    struct source_list {
        struct recipe_source *data; /* of the option's targets, in their order; not for diff */
        size_t len, cap;
    } sources;
    struct cache *cache; /* of check: what held before; NULL: everything is tried */
    size_t tried;        /* of check: recipes at widths that were tried */
    struct str out;
    int exit_code;
};

void command_check(struct recipe_job *job);
void command_count(struct recipe_job *job);
void command_expand(struct recipe_job *job);
void command_verify(struct recipe_job *job);
void command_prove(struct recipe_job *job); /* verify --prove, --emit-smt */
void command_diff(struct recipe_job *job);

/* The forms that the program has on the source's target, masked or not, appended to tasks, and the
 * recipes that it runs with there; false after reporting. */
struct prove_tasks;
struct program_recipes;
struct program_recipes *program_plan(struct recipe_job *job, const struct recipe_source *source,
                                     struct prove_tasks *tasks);
const struct recipe_set *program_set(const struct program_recipes *program);
void program_free(struct program_recipes *program);
/* Reads the bytes of a file as a program if that is what they are; false after reporting. */
bool program_read(struct recipe_job *job);

/* What has been proved of the tasks: a line for each instruction with its widths, constants,
 * aliases and masks. */
void proved_print(const struct prove_tasks *tasks, const struct isa_users *users, struct str *out);

/* Opens the file of recipes and the targets; false after setting the exit code. */
bool job_open(struct recipe_job *job);
void job_close(struct recipe_job *job);
/* The instructions that the recipes of an open source declare may be chosen from now on, as may
 * those among them that --op names.  False after reporting a name that is none. */
bool job_own(struct recipe_job *job, const struct recipe_source *source);
void job_fail(struct recipe_job *job, enum exit_code code);
/* Reports that the choice of instructions on the command line is empty. */
void job_no_forms(struct recipe_job *job);
/* True if --op names op, or nothing. */
bool job_chooses(const struct recipe_job *job, enum isa_op op);
/* True if every chosen instruction has a recipe; each that has none is reported, once.  Without
 * --op those that a target has no recipe for are not meant. */
bool job_prepare(struct recipe_job *job, const struct recipe_source *source);
/* After job_prepare. */
bool job_passes_over(const struct recipe_source *source, enum isa_op op);

#endif
