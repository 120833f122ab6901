/* SPDX-License-Identifier: MIT
 * Pipelines as a form of kernels: their texts are checked as those of others are, and carried out
 * by the host, which plans them. */
#include "pipeline/text.h"

static struct portable_kernel *read(const struct kernel_decl *decl, struct portable_fault *fault) {
    return (struct portable_kernel *)pipeline_text_read(decl, fault);
}

static void release(struct portable_kernel *kernel) {
    pipeline_text_free((struct pipeline_text *)kernel);
}

static bool run(const struct portable_kernel *kernel, const struct portable_launch *launch,
                struct portable_fault *fault) {
    (void)kernel, (void)launch;
    str_append(&fault->what, "a pipeline is a program by itself, which the host carries out; it is "
                             "no kernel that other programs launch");
    return false;
}

const struct portable_form pipeline_form = {
    .name = PIPELINE_FORM, .read = read, .free = release, .run = run};
