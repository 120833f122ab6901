/* SPDX-License-Identifier: MIT
 * mpu-recipe verify: recipes on the strict engine against the golden functions. */
#include "machines/plane/verify/verify.h"
#include "recipe/set.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/progress.h"

struct verifying {
    struct recipe_job *job;
    const struct recipe_source *source;
    struct verify_count sum;
};

static void add_count(struct verify_count *sum, const struct verify_count *n) {
    sum->instructions += n->instructions;
    sum->forms += n->forms;
    sum->lanes += n->lanes;
    sum->uop_lanes += n->uop_lanes;
}

static void show(void *context, enum mpu_op op, const struct verify_count *n) {
    const struct verifying *v = context;
    progress_show("%s: %s, %llu forms, %llu results", v->source->target->name,
                  v->source->recipes ? isa_users_name(&v->source->recipes->users, op)
                                     : isa_info(op)->name,
                  (unsigned long long)(v->sum.forms + n->forms),
                  (unsigned long long)(v->sum.lanes + n->lanes));
}

/* op OP_COUNT: all; width 0: those of the effort. */
static bool verify_op(struct verifying *v, enum mpu_op op, unsigned width) {
    struct recipe_job *j = v->job;
    struct verify_options options = {.effort = j->o->longer ? VERIFY_LONG : VERIFY_FULL,
                                     .op = op,
                                     .width = width,
                                     .seed = j->o->seed,
                                     .progress = show,
                                     .context = v};
    struct verify_plane plane;
    struct verify_machine other;
    struct verify_count n = {0};
    const struct verify_machine *m = &other;
    if (v->source->recipes)
        m = plane_verify(&plane, v->source->target, v->source->recipes);
    bool fine = (m != &other || verify_library(&other, v->source->library)) &&
                verify_matrix(m, &options, &n, j->d);
    progress_clear();
    if (fine)
        add_count(&v->sum, &n);
    else
        job_fail(j, EXIT_REJECTED);
    return fine;
}

static bool verify_widths(struct verifying *v, enum mpu_op op) {
    const struct form_choice *f = &v->job->o->forms;
    if (f->widths.len == 0)
        return verify_op(v, op, 0);
    for (size_t i = 0; i < f->widths.len; i++)
        if (!verify_op(v, op, f->widths.data[i]))
            return false;
    return true;
}

static bool verify_source(struct verifying *v) {
    const struct form_choice *f = &v->job->o->forms;
    if (f->ops.len == 0)
        return verify_widths(v, OP_COUNT);
    for (size_t i = 0; i < f->ops.len; i++)
        if (!verify_widths(v, f->ops.data[i]))
            return false;
    return true;
}

static void verify_all(struct recipe_job *j) {
    for (size_t i = 0; i < j->sources.len; i++) {
        struct verifying v = {.job = j, .source = &j->sources.data[i]};
        if (job_prepare(j, v.source) && verify_source(&v))
            str_printf(&j->out, "%s: instructions %llu, forms %llu, results %llu: no difference\n",
                       v.source->target->name, (unsigned long long)v.sum.instructions,
                       (unsigned long long)v.sum.forms, (unsigned long long)v.sum.lanes);
    }
}

void command_verify(struct recipe_job *j) {
    if (j->o->prove || j->o->smt_folder)
        command_prove(j);
    else
        verify_all(j);
}
