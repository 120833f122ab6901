/* SPDX-License-Identifier: MIT
 * PTX kernels as one of the portable forms. */
#include "ptx/form.h"

#include "ptx/entries.h"
#include "ptx/run.h"
#include "support/alloc.h"

#include <stdlib.h>

struct portable_kernel {
    struct ptx_module *module;
    struct ptx_program *program;
};

static void release(struct portable_kernel *kernel) {
    ptx_program_free(kernel->program);
    ptx_free(kernel->module);
    free(kernel);
}

static struct portable_kernel *read(const struct kernel_decl *decl, struct portable_fault *fault) {
    struct portable_kernel *k = xcalloc(1, sizeof *k);
    uint32_t entry = PTX_NONE;
    k->module = ptx_read(decl->bytes, decl->size, fault);
    if (k->module)
        entry = ptx_entry_find(k->module, decl->entry ? decl->entry : decl->name, fault);
    if (entry != PTX_NONE)
        k->program = ptx_program_new(k->module, entry, fault);
    if (k->program)
        return k;
    release(k);
    return NULL;
}

static bool run(const struct portable_kernel *kernel, const struct portable_launch *launch,
                struct portable_fault *fault) {
    return ptx_launch(kernel->program, launch, fault);
}

const struct portable_form ptx_portable = {
    .name = "ptx", .ordered = true, .modules = true, .read = read, .free = release, .run = run};
