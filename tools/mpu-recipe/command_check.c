/* SPDX-License-Identifier: MIT
 * mpu-recipe check: every recipe against its own contracts, at every width, and
 * against what it says to gain over the mapping. */
#include "recipe/set.h"
#include "support/alloc.h"
#include "support/pool.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/progress.h"

#include <pthread.h>
#include <string.h>

/* A recipe that is looked at. */
struct checked_recipe {
    enum mpu_op op;
    const struct recipe *recipe; /* NULL: there is none, which was reported */
    size_t failed;               /* index of the narrowest width at which it is known not to hold;
                                    width_count: of none */
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

static const char *name_of(const struct checking *checking, enum mpu_op op) {
    return op == OP_MASKED ? recipe_info(op)->name
                           : isa_users_name(&checking->source->recipes->users, op);
}

static void choose_op(struct checking *checking, enum mpu_op op) {
    struct checked_recipe r = {op, recipe_of(checking->source->recipes, op, checking->job->d),
                               checking->width_count};
    if (!r.recipe)
        job_fail(checking->job, EXIT_REJECTED);
    vec_push(&checking->recipes, r);
}

/* What masks the others is a recipe, too, and no instruction. */
static bool merges_results(const struct recipe_source *source) {
    return plane_target(source->target)->mask_by == MASK_SELECT &&
           recipe_origin(source->recipes, OP_MASKED);
}

static void choose_ops(struct checking *checking) {
    struct recipe_job *j = checking->job;
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (job_chooses(j, (enum mpu_op)op) &&
            recipe_exists(checking->source->recipes, (enum mpu_op)op))
            choose_op(checking, (enum mpu_op)op);
    if (merges_results(checking->source) && j->o->forms.ops.len == 0)
        choose_op(checking, OP_MASKED);
}

/* --- parts: one recipe at one width, the narrow ones first --- */

static size_t part_count(const struct checking *checking) {
    return checking->recipes.len * checking->width_count;
}

/* A recipe that does not hold at one width is not tried at wider ones. */
static bool is_wanted(struct checking *checking, const struct checked_recipe *recipe,
                      size_t width) {
    pthread_mutex_lock(&checking->lock);
    bool wanted = recipe->recipe && width < recipe->failed;
    pthread_mutex_unlock(&checking->lock);
    return wanted;
}

static void note_part(struct checking *checking, struct checked_recipe *recipe, size_t width,
                      bool fine, const struct recipe_forms *forms) {
    pthread_mutex_lock(&checking->lock);
    checking->forms.run += forms->run;
    checking->forms.masked += forms->masked;
    checking->forms.aliased += forms->aliased;
    if (!fine && width < recipe->failed)
        recipe->failed = width;
    checking->done++;
    const struct progress_parts parts = {checking->done, part_count(checking),
                                         checking->job->o->progress};
    progress_part(&parts, "%s: %s, %u bits", checking->source->target->name,
                  name_of(checking, recipe->op), checking->widths[width]);
    pthread_mutex_unlock(&checking->lock);
}

/* Quiet: which of several messages comes first must not depend on threads. */
static void check_part(void *context, size_t index) {
    struct checking *c = context;
    struct checked_recipe *r = &c->recipes.data[index % c->recipes.len];
    size_t width = index / c->recipes.len;
    struct recipe_forms forms = {0};
    bool fine = true;
    if (is_wanted(c, r, width)) {
        struct diag *quiet = diag_new(NULL, NULL);
        fine =
            recipe_check_forms(c->source->recipes, r->recipe, &c->widths[width], 1, &forms, quiet);
        diag_free(quiet);
    }
    note_part(c, r, width, fine, &forms);
}

/* --- results --- */

/* What did not hold is tried once more, with its message. */
static bool report(struct checking *checking, const struct checked_recipe *recipe) {
    struct recipe_forms again = {0};
    if (!recipe->recipe)
        return false;
    return recipe->failed == checking->width_count ||
           recipe_check_forms(checking->source->recipes, recipe->recipe,
                              &checking->widths[recipe->failed], 1, &again, checking->job->d);
}

/* What it gains is said of the built-in target. */
static bool gains_hold(struct checking *checking, const struct checked_recipe *recipe) {
    const struct recipe *r = recipe->recipe;
    return recipe->op == OP_MASKED || r->borrowed ||
           recipe_check_gains(checking->source->recipes, r, checking->job->d);
}

static void finish_recipe(struct checking *checking, const struct checked_recipe *recipe) {
    struct recipe_job *j = checking->job;
    const struct recipe *r = recipe->recipe;
    if (!report(checking, recipe) || !gains_hold(checking, recipe)) {
        job_fail(j, EXIT_REJECTED);
        return;
    }
    checking->held++;
    checking->own += j->file.text && r->unit.file && strcmp(r->unit.file->name, j->file.name) == 0;
}

static void check_source(struct checking *checking) {
    struct pool *pool = pool_new(checking->job->o->threads);
    choose_ops(checking);
    pthread_mutex_init(&checking->lock, NULL);
    pool_run(pool, part_count(checking), check_part, checking);
    pthread_mutex_destroy(&checking->lock);
    pool_free(pool);
    progress_clear();
    for (size_t i = 0; i < checking->recipes.len && !diag_full(checking->job->d); i++)
        finish_recipe(checking, &checking->recipes.data[i]);
}

/* What was looked at: it is tested, and proved of nothing else. */
static void summarize_forms(const struct checking *checking) {
    const struct recipe_forms *f = &checking->forms;
    str_printf(&checking->job->out,
               "%llu forms on 64 lanes each, %llu under a mask, %llu with operands in one "
               "register\n",
               (unsigned long long)f->run, (unsigned long long)f->masked,
               (unsigned long long)f->aliased);
}

static void summarize(const struct checking *checking) {
    struct recipe_job *j = checking->job;
    bool one = checking->held == 1;
    str_printf(&j->out, "%s: %zu recipe%s", checking->source->target->name, checking->held,
               one ? "" : "s");
    if (j->file.text)
        str_printf(&j->out, ", %zu of them from %s,", checking->own, j->file.name);
    str_printf(&j->out, " hold%s at %zu width%s: ", one ? "s" : "", checking->width_count,
               checking->width_count == 1 ? "" : "s");
    summarize_forms(checking);
}

void command_check(struct recipe_job *job) {
    uint8_t all[64];
    for (unsigned i = 0; i < 64; i++)
        all[i] = (uint8_t)(i + 1);
    bool chosen = job->o->forms.widths.len > 0;
    for (size_t i = 0; i < job->sources.len; i++) {
        struct checking c = {.job = job,
                             .source = &job->sources.data[i],
                             .widths = chosen ? job->o->forms.widths.data : all,
                             .width_count = chosen ? job->o->forms.widths.len : 64};
        uint32_t errors = diag_errors(job->d);
        if (job_prepare(job, c.source))
            check_source(&c);
        if (diag_errors(job->d) == errors)
            summarize(&c);
        vec_free(&c.recipes);
    }
}
