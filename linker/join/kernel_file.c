/* SPDX-License-Identifier: MIT
 * Asks the form whose files have a suffix. */
#include "linker/join/kernel_file.h"

#include "machines/machine.h"

#include <string.h>

const char *link_kernel_suffix(size_t i) {
    return machine_form_suffix(i);
}

bool link_kernel_is_text(const char *suffix) {
    const char *text = machine_form_of_suffix(suffix)->text_suffix;
    return text && strcmp(text, suffix) == 0;
}

bool link_kernel_file_read(const char *suffix, const char *bytes, size_t size,
                           struct kernel_file *out) {
    const struct machine_form *form = machine_form_of_suffix(suffix);
    struct machine_kernel_fault fault = {.line = 0};
    *out = (struct kernel_file){.form = form->name, .type = {TYPE_UINT, 64}};
    bool fine = form->read_file(suffix, bytes, size, &out->words, &fault);
    if (fine && out->words.len == 0) {
        fine = false;
        fault.line = 0;
        str_append(&fault.what, "there are no words");
    }
    out->problem = fault.what;
    out->problem_line = fault.line;
    if (fine && form->returns) {
        out->returns = form->returns(out->words.text, out->words.len);
        out->type = *form->returned;
    }
    return fine;
}

void link_kernel_file_free(struct kernel_file *file) {
    str_free(&file->words);
    str_free(&file->problem);
}

bool link_kernel_declares(const char *suffix) {
    const struct machine_form *form = machine_form_of_suffix(suffix);
    return form && form->declare;
}

bool link_kernel_is_words(const char *suffix, const char *bytes, size_t size) {
    const struct machine_form *form = machine_form_of_suffix(suffix);
    return form->is_words && form->is_words(bytes, size);
}

const char *link_kernel_suffix_of(const char *form) {
    const char *suffix;
    for (size_t i = 0; (suffix = link_kernel_suffix(i)); i++)
        if (link_kernel_declares(suffix) && strcmp(machine_form_of_suffix(suffix)->name, form) == 0)
            return suffix;
    return NULL;
}

const char *link_kernel_module(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
    const char *name = arena_strndup(arena, stem, strcspn(stem, "."));
    return object_name_ok(name) ? name : "file";
}

bool link_kernel_declare(const char *suffix, const char *text, size_t size,
                         struct link_declared *out) {
    const struct machine_form *form = machine_form_of_suffix(suffix);
    struct machine_kernel_fault fault = {.line = 0};
    struct machine_entries x = {.arena = {NULL}};
    bool fine = form->declare(text, size, &x, &fault);
    for (size_t i = 0; i < x.entries.len; i++) {
        const struct machine_entry *e = &x.entries.data[i];
        vec_push(&out->kernels, ((struct kernel_decl){.name = e->name,
                                                      .form = form->name,
                                                      .parameters = e->parameters,
                                                      .parameter_count = e->parameter_count,
                                                      .otherwise = NO_INDEX,
                                                      .place = {NO_INDEX, e->line, 0}}));
        vec_push(&out->also, e->also);
    }
    for (size_t i = 0; i < x.buffers.len; i++)
        vec_push(&out->buffers, x.buffers.data[i]);
    out->form = form->name;
    out->arena = x.arena;
    out->problem = fault.what;
    out->problem_line = fault.line;
    x.arena = (struct arena){NULL};
    machine_entries_free(&x);
    return fine;
}

const struct kernel_decl *link_declared_kernel(const struct link_declared *declared,
                                               const char *name, size_t n, struct str *problem) {
    struct machine_entries entries = {.arena = {NULL}};
    for (size_t i = 0; i < declared->kernels.len; i++)
        vec_push(&entries.entries, ((struct machine_entry){.name = declared->kernels.data[i].name,
                                                           .also = declared->also.data[i]}));
    const struct machine_entry *e = machine_entry_named(&entries, name, n, problem);
    const struct kernel_decl *found = e ? &declared->kernels.data[e - entries.entries.data] : NULL;
    machine_entries_free(&entries);
    return found;
}

void link_declared_free(struct link_declared *declared) {
    vec_free(&declared->also);
    vec_free(&declared->kernels);
    vec_free(&declared->buffers);
    str_free(&declared->problem);
    arena_free(&declared->arena);
}
