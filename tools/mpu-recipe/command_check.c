/* SPDX-License-Identifier: MIT
 * mpu-recipe check: every recipe against its own contracts, at every width, and
 * against what it says to gain over the mapping. */
#include "recipe/set.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/progress.h"

#include <string.h>

struct checking {
    struct recipe_job *job;
    const struct recipe_source *source;
    const uint8_t *widths;
    size_t width_count, recipes, own; /* own: of the file on the command line */
    struct recipe_forms forms;
};

static void check_op(struct checking *checking, enum mpu_op op) {
    struct recipe_job *j = checking->job;
    const struct recipe *r = recipe_of(checking->source->recipes, op, j->d);
    progress_show("%s: %s", checking->source->target->name,
                  op == OP_MASKED ? recipe_info(op)->name
                                  : isa_users_name(&checking->source->recipes->users, op));
    if (!r ||
        !recipe_check_forms(checking->source->recipes, r, checking->widths, checking->width_count,
                            &checking->forms, j->d) ||
        (op != OP_MASKED && !r->borrowed && /* what it gains is said of the built-in target */
         !recipe_check_gains(checking->source->recipes, r, j->d))) {
        job_fail(j, EXIT_REJECTED);
        return;
    }
    checking->recipes++;
    checking->own += j->file.text && r->unit.file && strcmp(r->unit.file->name, j->file.name) == 0;
}

/* What masks the others is a recipe, too, and no instruction. */
static bool merges_results(const struct recipe_source *source) {
    return plane_target(source->target)->mask_by == MASK_SELECT &&
           recipe_origin(source->recipes, OP_MASKED);
}

static void check_source(struct checking *checking) {
    struct recipe_job *j = checking->job;
    for (unsigned op = 0; op < OP_COUNT && !diag_full(j->d); op++)
        if (job_chooses(j, (enum mpu_op)op) &&
            recipe_exists(checking->source->recipes, (enum mpu_op)op))
            check_op(checking, (enum mpu_op)op);
    if (merges_results(checking->source) && j->o->forms.ops.len == 0)
        check_op(checking, OP_MASKED);
    progress_clear();
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
    bool one = checking->recipes == 1;
    str_printf(&j->out, "%s: %zu recipe%s", checking->source->target->name, checking->recipes,
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
    }
}
