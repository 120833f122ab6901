/* SPDX-License-Identifier: MIT
 * Golden at link time: all of the ISA, nothing to expand, no cost. */
#include "machines/golden/link/golden.h"

#include "machines/stored/link/stored.h"
#include "portable/portable.h"
#include "support/alloc.h"

#include <stdlib.h>

static struct machine_library *open_library(const struct target *target,
                                            const struct user_file *files, size_t count,
                                            struct diag *diag) {
    (void)target, (void)files, (void)count, (void)diag; /* contracts are all that it needs */
    return xcalloc(1, sizeof(struct machine_library));
}

static void close_library(struct machine_library *library) {
    free(library);
}

static void print(const struct machine_code *code, const struct machine_library *library,
                  const struct machine_program *program, struct str *out) {
    (void)code, (void)program;
    str_printf(out, "target %s computes in host arithmetic and has no recipes\n",
               library->target->name);
}

/* A register whatever its bits; there are as many as are used. */
static struct machine_room room(const struct target *target, unsigned slot) {
    (void)slot;
    return (struct machine_room){64, 4096, target->lanes};
}

bool golden_declare(const char *text, size_t size, struct machine_entries *out,
                    struct machine_kernel_fault *fault) {
    const struct module_decl module = {.bytes = text, .size = size};
    struct str data = {0};
    if (!stored_declare(text, size, out, fault))
        return false;
    stored_data(NULL, &module, &data, NULL, fault);
    if (data.len)
        str_append(&fault->what, "kernels of this form share no data, only buffers");
    bool fine = !data.len;
    str_free(&data);
    return fine;
}

struct kernel_decl golden_own_text(const struct kernel_decl *kernel, struct str *own) {
    struct kernel_decl k = *kernel;
    const struct portable_form *form = portable_find(kernel->form);
    if (!kernel->entry || (form && form->modules))
        return k;
    k.bytes = stored_kernel_text(kernel, own);
    k.size = own->len;
    k.entry = NULL;
    return k;
}

/* What golden launches of a kernel is its text: nothing is made of it. */
bool golden_compile_kernel(const struct machine_library *library,
                           const struct machine_launches *program, const struct kernel_decl *kernel,
                           struct machine_kernel *out, struct machine_kernel_fault *fault) {
    const struct portable_form *form = portable_find(kernel->form);
    struct portable_fault wrong = {.line = 0};
    struct str text = {0};
    const struct kernel_decl own = golden_own_text(kernel, &text);
    struct portable_kernel *made = form->read(&own, &wrong);
    (void)library, (void)program;
    str_append(&fault->what, str_text(&wrong.what));
    fault->line = wrong.line;
    fault->column = wrong.column;
    str_free(&wrong.what);
    if (made) {
        form->free(made);
        str_append_n(&out->code, own.bytes, own.size);
    }
    str_free(&text);
    return made != NULL;
}

void golden_print_kernel(const struct machine_library *library, const void *code, size_t size,
                         const struct machine_lines *lines, struct str *out) {
    (void)library, (void)lines;
    str_append_n(out, code, size);
    str_char(out, '\n');
}

const struct machine golden_machine = {
    .kind = &golden_target_kind,
    .room = room,
    .open = open_library,
    .close = close_library,
    .code_version = 1,
    .print = print,
    .forms = golden_forms,
};
