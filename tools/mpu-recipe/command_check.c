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
};

static void check_op(struct checking *c, enum mpu_op op) {
    struct recipe_job *j = c->job;
    const struct recipe *r = recipe_of(c->source->recipes, op, j->d);
    progress_show("%s: %s", c->source->target->name,
                  isa_users_name(&c->source->recipes->users, op));
    if (!r || !recipe_check(c->source->recipes, r, c->widths, c->width_count, j->d) ||
        !recipe_check_gains(c->source->recipes, r, j->d)) {
        job_fail(j, EXIT_REJECTED);
        return;
    }
    c->recipes++;
    c->own += j->file.text && r->unit.file && strcmp(r->unit.file->name, j->file.name) == 0;
}

static void check_source(struct checking *c) {
    struct recipe_job *j = c->job;
    for (unsigned op = 0; op < OP_COUNT && !diag_full(j->d); op++)
        if (job_chooses(j, (enum mpu_op)op) && recipe_exists(c->source->recipes, (enum mpu_op)op))
            check_op(c, (enum mpu_op)op);
    progress_clear();
}

static void summarize(const struct checking *c) {
    struct recipe_job *j = c->job;
    bool one = c->recipes == 1;
    str_printf(&j->out, "%s: %zu recipe%s", c->source->target->name, c->recipes, one ? "" : "s");
    if (j->file.text)
        str_printf(&j->out, ", %zu of them from %s,", c->own, j->file.name);
    str_printf(&j->out, " hold%s at %zu width%s\n", one ? "s" : "", c->width_count,
               c->width_count == 1 ? "" : "s");
}

void command_check(struct recipe_job *j) {
    uint8_t all[64];
    for (unsigned i = 0; i < 64; i++)
        all[i] = (uint8_t)(i + 1);
    bool chosen = j->o->forms.widths.len > 0;
    for (size_t i = 0; i < j->sources.len; i++) {
        struct checking c = {.job = j,
                             .source = &j->sources.data[i],
                             .widths = chosen ? j->o->forms.widths.data : all,
                             .width_count = chosen ? j->o->forms.widths.len : 64};
        uint32_t errors = diag_errors(j->d);
        if (job_prepare(j, c.source))
            check_source(&c);
        if (diag_errors(j->d) == errors)
            summarize(&c);
    }
}
