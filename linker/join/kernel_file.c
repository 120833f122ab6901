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
