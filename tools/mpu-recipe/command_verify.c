/* SPDX-License-Identifier: MIT
 * mpu-recipe verify: recipes on an engine of the machine against the golden functions. */
#include "machines/plane/verify/verify.h"
#include "recipe/set/set.h"
#include "tools/mpu-recipe/commands.h"
#include "tools/mpu-recipe/progress.h"

#include <string.h>

struct verifying {
    struct recipe_job *job;
    const struct recipe_source *source;
    unsigned slot; /* of a machine that has some; else 0 */
    struct verify_count sum;
};

static void add_count(struct verify_count *sum, const struct verify_count *count) {
    sum->instructions += count->instructions;
    sum->forms += count->forms;
    sum->lanes += count->lanes;
    sum->uop_lanes += count->uop_lanes;
}

static void show(void *context, enum isa_op op, const struct verify_count *count) {
    const struct verifying *v = context;
    progress_show("%s: %s, %llu forms, %llu results", v->source->target->name,
                  v->source->recipes ? isa_users_name(&v->source->recipes->users, op)
                                     : isa_info(op)->name,
                  (unsigned long long)(v->sum.forms + count->forms),
                  (unsigned long long)(v->sum.lanes + count->lanes));
}

/* op OP_COUNT: all; width 0: those of the effort. */
static bool verify_op(struct verifying *verifying, enum isa_op op, unsigned width) {
    struct recipe_job *j = verifying->job;
    struct verify_options options = {.effort = j->o->longer ? VERIFY_LONG : VERIFY_FULL,
                                     .op = op,
                                     .width = width,
                                     .seed = j->o->seed,
                                     .imm = j->o->forms.has_constant ? &j->o->forms.constant : NULL,
                                     .every_constant = true,
                                     .progress = show,
                                     .context = verifying};
    struct verify_plane plane;
    struct verify_machine other;
    struct verify_count n = {0};
    const struct verify_machine *m = &other;
    if (verifying->source->recipes)
        m = plane_verify(&plane, verifying->source->target, verifying->source->recipes);
    if (m == &plane.machine && j->o->fused)
        plane.machine.open = plane_verify_open_fused;
    bool fine =
        (m != &other || verify_library(&other, verifying->source->library, verifying->slot)) &&
        verify_matrix(m, &options, &n, j->d);
    progress_clear();
    if (fine)
        add_count(&verifying->sum, &n);
    else
        job_fail(j, EXIT_REJECTED);
    return fine;
}

static bool verify_widths(struct verifying *verifying, enum isa_op op) {
    const struct form_choice *f = &verifying->job->o->forms;
    if (f->widths.len == 0)
        return verify_op(verifying, op, 0);
    for (size_t i = 0; i < f->widths.len; i++)
        if ((!verifying->slot || f->widths.data[i] <= verifying->slot) &&
            !verify_op(verifying, op, f->widths.data[i]))
            return false;
    return true;
}

static bool verify_source(struct verifying *verifying) {
    const struct form_choice *f = &verifying->job->o->forms;
    if (f->ops.len == 0)
        return verify_widths(verifying, OP_COUNT);
    for (size_t i = 0; i < f->ops.len; i++)
        if (!verify_widths(verifying, f->ops.data[i]))
            return false;
    return true;
}

/* Of a machine with slots: in one of them.  False if no form fits there. */
static bool verify_slot(struct recipe_job *job, const struct recipe_source *source, unsigned slot) {
    struct verifying v = {.job = job, .source = source, .slot = slot};
    struct str where = {0};
    if (slot)
        str_printf(&where, " in slots of %u", slot);
    bool fine = verify_source(&v);
    if (!fine && slot)
        diag_note(job->d, NO_SPAN, "on target '%s'%s", source->target->name, str_text(&where));
    if (fine && v.sum.forms)
        str_printf(&job->out,
                   "%s%s: instructions %llu, forms %llu, results %llu: no difference "
                   "(tested, not proved)\n",
                   source->target->name, str_text(&where), (unsigned long long)v.sum.instructions,
                   (unsigned long long)v.sum.forms, (unsigned long long)v.sum.lanes);
    str_free(&where);
    return !fine || v.sum.forms;
}

/* All of them, or those that were asked for. */
static void verify_slots(struct recipe_job *job, const struct recipe_source *source,
                         const uint8_t *slots) {
    bool some = false;
    for (; *slots; slots++)
        if (!job->o->slots.len || memchr(job->o->slots.data, *slots, job->o->slots.len))
            some |= verify_slot(job, source, *slots);
    if (!some)
        job_no_forms(job);
}

static void verify_all(struct recipe_job *job) {
    for (size_t i = 0; i < job->sources.len; i++) {
        const struct recipe_source *source = &job->sources.data[i];
        if (!job_prepare(job, source))
            continue;
        if (!source->recipes && source->library->machine->slots)
            verify_slots(job, source, source->library->machine->slots);
        else if (!verify_slot(job, source, 0))
            job_no_forms(job);
    }
}

void command_verify(struct recipe_job *job) {
    if (job->o->prove || job->o->smt_folder)
        command_prove(job);
    else
        verify_all(job);
}
