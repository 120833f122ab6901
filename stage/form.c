/* SPDX-License-Identifier: MIT
 * Stage kernels as one of the portable forms: of several mistakes the first is told. */
#include "stage/form.h"

#include "stage/stage.h"
#include "support/alloc.h"

#include <stdlib.h>

struct portable_kernel {
    struct stage_kernel *kernel;
};

static void keep(void *context, const struct diag *diag, const struct message *message) {
    struct portable_fault *fault = context;
    if (fault->what.len || message->severity != SEVERITY_ERROR)
        return;
    diag_position(diag, message->at, &fault->line, &fault->column);
    str_append(&fault->what, message->text);
    for (size_t i = 0; i < message->note_count; i++)
        str_printf(&fault->what, "; %s", message->notes[i].text);
}

static struct portable_kernel *read(const struct kernel_decl *decl, struct portable_fault *fault) {
    struct diag *diag = diag_new(keep, fault);
    struct stage_kernel *k = stage_read(decl, decl->name, diag);
    diag_free(diag);
    if (!k)
        return NULL;
    struct portable_kernel *made = xcalloc(1, sizeof *made);
    made->kernel = k;
    return made;
}

static void release(struct portable_kernel *kernel) {
    stage_free(kernel->kernel);
    free(kernel);
}

static bool run(const struct portable_kernel *kernel, const struct portable_launch *launch,
                struct portable_fault *fault) {
    return stage_run(kernel->kernel, launch, fault);
}

/* Only folds of floats depend on the order of the elements. */
static bool is_settled(const struct portable_kernel *kernel) {
    for (const struct stage_stage *s = kernel->kernel->stages; s; s = s->next)
        for (const struct stage_param *q = s->params; q; q = q->next)
            if (q->unsettled)
                return false;
    return true;
}

const struct portable_form stage_form = {.name = "stage",
                                         .ordered = true,
                                         .is_settled = is_settled,
                                         .read = read,
                                         .free = release,
                                         .run = run};
