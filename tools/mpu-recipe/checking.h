/* SPDX-License-Identifier: MIT
 * mpu-recipe check at work: recipes at widths, on several threads. */
#ifndef TOOLS_MPU_RECIPE_CHECKING_H
#define TOOLS_MPU_RECIPE_CHECKING_H

#include "recipe/set/set.h"
#include "tools/mpu-recipe/commands.h"

#include <pthread.h>

/* A recipe that is looked at. */
struct checked_recipe {
    enum isa_op op;
    const struct recipe *recipe; /* NULL: there is none, which was reported */
    size_t failed;               /* index of the narrowest width at which it is known not to hold;
                                    width_count: of none */
    int short_of;                /* as struct recipe_forms: where it failed */
    char *reason;                /* why, without the instruction; NULL: nothing was said */
    bool told;                   /* with that of another one */
};

struct checking {
    struct recipe_job *job;
    const struct recipe_source *source;
    const uint8_t *widths;
    size_t width_count, held, own; /* recipes that hold; own: of the file on the command line */
    VEC(struct checked_recipe) recipes;
    struct recipe_forms forms;
    pthread_mutex_t lock; /* of what threads add to: forms, failed, done */
    size_t done;          /* parts */
};
void command_check_free(struct checking *checking); /* of its recipes */

/* What was found out before about the source, with these recipes, instructions and widths: held,
 * own and forms are as if it had been tried, all of which held.  False: that is not known. */
bool command_check_recall(struct checking *checking);
/* All held, and nothing was said: keeps it for the next time. */
void command_check_keep(struct checking *checking);

/* Tries the recipes at the widths, quietly; fills in forms, and failed and short_of of each. */
void command_check_run(struct checking *checking);
/* Recipes that came with the tools and do not hold because the target has too few rows are one
 * error for each class of rows, with what would serve. */
void command_check_report_shortage(struct checking *checking);
/* Is it one of these? */
bool command_check_is_short(const struct checked_recipe *recipe);

/* What a message says, for a sink that is read by command_check_reason. */
struct diag *command_check_listen(struct str *reason);
/* A note to the error about the recipe that names all others which came with the tools, too, and do
 * not hold for the reason that this one does not hold for: they are told. */
void command_check_note_others(struct checking *checking, const struct checked_recipe *recipe);

#endif
