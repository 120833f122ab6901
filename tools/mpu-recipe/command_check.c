/* SPDX-License-Identifier: MIT
 * mpu-recipe check: every recipe against its own contracts, at every width, and
 * against what it says to gain over the mapping. */
#include "recipe/set/set.h"
#include "support/alloc.h"
#include "support/pool.h"
#include "tools/mpu-recipe/checking.h"
#include "tools/mpu-recipe/progress.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct checking *checking, enum isa_op op) {
    return op == OP_MASKED ? recipe_info(op)->name
                           : isa_users_name(&checking->source->recipes->users, op);
}

static void choose_op(struct checking *checking, enum isa_op op) {
    struct checked_recipe r = {op,
                               recipe_of(checking->source->recipes, op, checking->job->d),
                               checking->width_count,
                               0,
                               NULL,
                               false};
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
        if (job_chooses(j, (enum isa_op)op) &&
            recipe_exists(checking->source->recipes, (enum isa_op)op))
            choose_op(checking, (enum isa_op)op);
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
                      bool fine, const struct recipe_forms *forms, const struct str *reason) {
    pthread_mutex_lock(&checking->lock);
    checking->forms.run += forms->run;
    checking->forms.masked += forms->masked;
    checking->forms.aliased += forms->aliased;
    if (forms->highest_scratch > checking->forms.highest_scratch)
        checking->forms.highest_scratch = forms->highest_scratch;
    if (!fine && width < recipe->failed) {
        recipe->failed = width;
        recipe->short_of = forms->short_of;
        free(recipe->reason);
        recipe->reason = reason->len ? xstrdup(str_text(reason)) : NULL;
    }
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
    struct str reason = {0};
    bool fine = true;
    if (is_wanted(c, r, width)) {
        struct diag *quiet = command_check_listen(&reason);
        fine =
            recipe_check_forms(c->source->recipes, r->recipe, &c->widths[width], 1, &forms, quiet);
        diag_free(quiet);
    }
    note_part(c, r, width, fine, &forms, &reason);
    str_free(&reason);
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
        command_check_note_others(checking, recipe);
        job_fail(j, EXIT_REJECTED);
        return;
    }
    checking->held++;
    checking->own += j->file.text && r->unit.file && strcmp(r->unit.file->name, j->file.name) == 0;
}

void command_check_run(struct checking *checking) {
    struct pool *pool = pool_new(checking->job->o->threads);
    pthread_mutex_init(&checking->lock, NULL);
    pool_run(pool, part_count(checking), check_part, checking);
    pthread_mutex_destroy(&checking->lock);
    pool_free(pool);
    checking->job->tried += checking->done;
    progress_clear();
}

static void check_source(struct checking *checking) {
    choose_ops(checking);
    command_check_run(checking);
    command_check_report_shortage(checking);
    for (size_t i = 0; i < checking->recipes.len && !diag_full(checking->job->d); i++)
        if (!command_check_is_short(&checking->recipes.data[i]) && !checking->recipes.data[i].told)
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

/* --- a file of which nothing serves the targets --- */

static void append_ariths(unsigned ariths, struct str *out) {
    const char *before = "";
    for (unsigned i = 0; i < TARGET_ARITHS; i++)
        if (ariths & ARITH_BIT(i)) {
            str_printf(out, "%s--set arith=%s", before, target_arith_word((enum target_arith)i));
            before = " or ";
        }
}

/* Of the file's recipes for this target those that are for another arithmetic: its words. */
static unsigned other_ariths(const struct recipe_job *job, const struct recipe_source *source) {
    unsigned ariths = 0;
    for (size_t i = 0; i < source->recipes->ast.recipes.len; i++) {
        const struct recipe *r = source->recipes->ast.recipes.data[i];
        if (strcmp(r->unit.file->name, job->file.name) == 0 &&
            !(r->ariths & ARITH_BIT(source->target->arith)))
            ariths |= r->ariths;
    }
    return ariths;
}

static void report_nothing(struct recipe_job *job) {
    const struct recipe_source *s = &job->sources.data[0];
    unsigned ariths = other_ariths(job, s);
    struct str sets = {0};
    append_ariths(ariths, &sets);
    if (ariths)
        diag_error(job->d, NO_SPAN,
                   "nothing of '%s' was checked: its recipes serve another arithmetic of '%s' (%s)",
                   job->file.name, s->target->name, str_text(&sets));
    else
        diag_error(job->d, NO_SPAN, "nothing of '%s' was checked: it has no recipe for '%s'%s",
                   job->file.name, s->target->name,
                   job->o->forms.ops.len ? " of the instructions that --op names" : "");
    str_free(&sets);
    job_fail(job, EXIT_REJECTED);
}

static void try_source(struct checking *checking) {
    const struct diag *d = checking->job->d;
    uint32_t errors = diag_errors(d), warnings = diag_warnings(d);
    if (job_prepare(checking->job, checking->source))
        check_source(checking);
    if (diag_errors(d) == errors && diag_warnings(d) == warnings)
        command_check_keep(checking);
}

/* The widths in ascending order, each once: the first that fails is the narrowest. */
static size_t list_widths(const struct form_choice *forms, uint8_t widths[64]) {
    bool asked[65] = {false};
    size_t count = 0;
    for (size_t i = 0; i < forms->widths.len; i++)
        asked[forms->widths.data[i]] = true;
    for (unsigned w = 1; w <= 64; w++)
        if (asked[w] || forms->widths.len == 0)
            widths[count++] = (uint8_t)w;
    return count;
}

void command_check(struct recipe_job *job) {
    uint8_t widths[64];
    size_t own = 0, width_count = list_widths(&job->o->forms, widths);
    for (size_t i = 0; i < job->sources.len; i++) {
        struct checking c = {.job = job,
                             .source = &job->sources.data[i],
                             .widths = widths,
                             .width_count = width_count};
        uint32_t errors = diag_errors(job->d);
        if (!command_check_recall(&c))
            try_source(&c);
        if (diag_errors(job->d) == errors)
            summarize(&c);
        own += c.own;
        command_check_free(&c);
    }
    if (job->file.text && own == 0 && job->exit_code == EXIT_DONE)
        report_nothing(job);
}
