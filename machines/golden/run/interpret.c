/* SPDX-License-Identifier: MIT
 * Golden's memory, and kernels of portable forms in it: by their interpreters. */
#include "machines/golden/run/golden.h"
#include "machines/golden/link/golden.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

bool golden_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *diag) {
    return state_memory_alloc(&golden_of(dp)->memory, bytes, address, diag);
}

bool golden_mem_alloc_slices(struct datapath *dp, uint64_t bytes, uint32_t units, uint64_t *address,
                             uint64_t *stride, struct diag *diag) {
    return state_memory_alloc_slices(&golden_of(dp)->memory, bytes, units, address, stride, diag);
}

bool golden_mem_free(struct datapath *dp, uint64_t address, struct diag *diag) {
    return state_memory_free(&golden_of(dp)->memory, address, diag);
}

bool golden_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                    struct diag *diag) {
    return state_memory_put(&golden_of(dp)->memory, address, bytes, size, diag);
}

bool golden_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                    struct diag *diag) {
    return state_memory_get(&golden_of(dp)->memory, address, bytes, size, diag);
}

bool golden_snapshot(struct datapath *dp, bool restore, struct str *state) {
    struct state_memory *memory = &golden_of(dp)->memory;
    bool some = memory->arrays.len != 0;
    const char *block = restore && some ? state_memory_take(memory, state) : NULL;
    if ((restore && some && !block) || !state_snapshot(dp, restore, state))
        return false;
    if (restore && some)
        state_memory_restore(memory, block);
    else if (some)
        state_memory_save(memory, state);
    return true;
}

/* ---- kernels ---- */

bool golden_launches(const char *form) {
    return portable_find(form) != NULL;
}

static void kernel_free(struct golden_kernel *kernel) {
    if (kernel->kernel)
        kernel->form->free(kernel->kernel);
    free(kernel->own);
    str_free(&kernel->text);
}

void golden_forget_kernel(struct datapath *dp, const struct kernel_decl *decl) {
    struct golden_machine *g = golden_of(dp);
    for (size_t i = 0; i < g->kernels.len; i++)
        if (g->kernels.data[i].decl == decl) {
            kernel_free(&g->kernels.data[i]);
            g->kernels.data[i] = vec_last(&g->kernels);
            g->kernels.len--;
            return;
        }
}

void golden_kernels_free(struct golden_machine *machine) {
    for (size_t i = 0; i < machine->kernels.len; i++)
        kernel_free(&machine->kernels.data[i]);
    vec_free(&machine->kernels);
    state_memory_close(&machine->memory);
}

static void report(const struct portable_fault *fault, const struct dp_launch *launch,
                   struct diag *diag) {
    if (launch->line)
        *launch->line = fault->line;
    diag_error(diag, NO_SPAN, "on golden %s", str_text(&fault->what));
}

/* The kernel made ready, once for each; NULL after reporting. */
static const struct golden_kernel *kernel_of(struct golden_machine *machine,
                                             const struct dp_launch *launch, struct diag *diag) {
    const struct kernel_decl *decl = launch->decl;
    for (size_t i = 0; i < machine->kernels.len; i++)
        if (machine->kernels.data[i].decl == decl)
            return &machine->kernels.data[i];
    struct golden_kernel k = {.decl = decl, .form = portable_find(decl->form)};
    struct portable_fault fault = {.line = 0};
    k.own = xmalloc(sizeof *k.own);
    *k.own = golden_own_text(decl, &k.text);
    if (k.form)
        k.kernel = k.form->read(k.own, &fault);
    else
        str_printf(&fault.what, "it does not interpret kernels of form '%s'", decl->form);
    if (!k.kernel)
        report(&fault, launch, diag);
    str_free(&fault.what);
    if (!k.kernel) {
        kernel_free(&k);
        return NULL;
    }
    vec_push(&machine->kernels, k);
    return &vec_last(&machine->kernels);
}

static unsigned char *at(void *context, uint64_t address, uint64_t size, uint32_t touch,
                         uint64_t thread, uint32_t line) {
    const struct golden_watch *w = context;
    unsigned char *bytes = state_memory_at(&w->machine->memory, address, size);
    const struct golden_access access = {address, size, thread, line, touch};
    if (bytes && w->touched)
        w->touched(w->context, &access);
    return bytes;
}

static bool go_on(void *context, uint64_t steps) {
    const struct golden_watch *w = context;
    return !w->launch->go_on || w->launch->go_on(w->launch->context, steps);
}

bool golden_carry_out(struct golden_machine *machine, const struct dp_launch *launch,
                      bool descending, struct golden_watch *watch, struct diag *diag) {
    const struct golden_kernel *k = kernel_of(machine, launch, diag);
    struct portable_fault fault = {.line = 0};
    struct portable_launch x = {.parameters = launch->parameters,
                                .parameter_bytes = launch->parameter_bytes,
                                .shared = launch->shared,
                                .bytes = launch->bytes,
                                .descending = descending,
                                .at = at,
                                .go_on = go_on,
                                .context = watch};
    watch->machine = machine;
    watch->launch = launch;
    memcpy(x.grid, launch->grid, sizeof x.grid);
    memcpy(x.block, launch->block, sizeof x.block);
    if (!k)
        return false;
    bool fine = k->form->run(k->kernel, &x, &fault);
    if (!fine && fault.what.len)
        report(&fault, launch, diag);
    str_free(&fault.what);
    return fine;
}

bool golden_is_ordered(struct golden_machine *machine, const struct dp_launch *launch) {
    struct diag *quiet = diag_new(NULL, NULL); /* carrying it out reports what is wrong */
    const struct golden_kernel *k = kernel_of(machine, launch, quiet);
    diag_free(quiet);
    return k && k->form->ordered && !(k->form->is_settled && k->form->is_settled(k->kernel));
}

bool golden_launch(struct datapath *dp, const struct dp_launch *launch, struct dp_cost *cost,
                   struct diag *diag) {
    struct golden_watch watch = {NULL, NULL, NULL, NULL};
    cost->known = false;
    return golden_carry_out(golden_of(dp), launch, false, &watch, diag);
}
