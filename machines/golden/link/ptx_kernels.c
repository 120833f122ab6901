/* SPDX-License-Identifier: MIT
 * PTX modules as kernels of target golden: their entries, and what these share. */
#include "machines/golden/link/ptx_kernels.h"

#include "machines/golden/link/golden.h"
#include "ptx/entries.h"
#include "ptx/program.h"

void ptx_kernels_fault(struct portable_fault *from, struct machine_kernel_fault *to) {
    str_append(&to->what, str_text(&from->what));
    to->line = from->line;
    to->column = from->column;
    str_free(&from->what);
}

bool ptx_kernels_declare(const char *text, size_t size, struct machine_entries *out,
                         struct machine_kernel_fault *fault) {
    struct portable_fault wrong = {.line = 0};
    struct ptx_entries entries = {.arena = {NULL}};
    struct ptx_module *m = ptx_read(text, size, &wrong);
    bool fine = m && ptx_entries_read(m, &entries, &wrong);
    for (size_t i = 0; fine && i < entries.list.len; i++) {
        const struct ptx_entry *e = &entries.list.data[i];
        vec_push(&out->entries, ((struct machine_entry){e->name, e->parameters, e->parameter_count,
                                                        e->line, e->also}));
    }
    out->arena = entries.arena;
    entries.arena = (struct arena){NULL};
    ptx_entries_free(&entries);
    ptx_free(m);
    ptx_kernels_fault(&wrong, fault);
    return fine;
}

bool ptx_kernels_data(const struct machine_library *library, const struct module_decl *module,
                      struct str *out, struct str *addresses, struct machine_kernel_fault *fault) {
    struct portable_fault wrong = {.line = 0};
    struct ptx_module *m = ptx_read(module->bytes, module->size, &wrong);
    bool fine = m && ptx_data(m, out, addresses, &wrong);
    (void)library;
    ptx_free(m);
    ptx_kernels_fault(&wrong, fault);
    return fine;
}

static const char *const suffixes[] = {".ptx", NULL};

const struct machine_form golden_ptx_form = {
    .name = "ptx",
    .pointers = true,
    .whole = true,
    .takes = TAKES_GRID | TAKES_BLOCK | TAKES_BYTES,
    .declare = ptx_kernels_declare,
    .compile = golden_compile_kernel,
    .data = ptx_kernels_data,
    .print = golden_print_kernel,
    .suffixes = suffixes,
};
