/* SPDX-License-Identifier: MIT
 * The DPU's entry in the list of syntaxes. */
#include "machines/core/dpu/dpu_tools.h"
#include "machines/core/dpu/dpu.h"

static bool assemble(const char *name, const char *text, size_t size,
                     const struct machine_text_options *options, struct str *file,
                     size_t *instructions, struct diag *d) {
    struct dpu_program *p = dpu_assemble_with(name, text, size, options, d);
    if (!p)
        return false;
    *instructions = p->words.len;
    dpu_program_write(p, file);
    dpu_program_free(p);
    return true;
}
static bool show(const char *name, const void *bytes, size_t size, const struct machine_view *view,
                 struct str *out, struct diag *d) {
    struct dpu_program *p = dpu_program_read(name, bytes, size, d);
    if (!p)
        return false;
    if (view->reassemble)
        dpu_disassemble(p, view->plain, out);
    else
        dpu_list(p, view, out);
    dpu_program_free(p);
    return true;
}
const struct machine_syntax dpu_syntax = {.name = "dpu",
                                          .what = "DPU program",
                                          .suffix = "elf",
                                          .assemble = assemble,
                                          .has = dpu_is_program,
                                          .show = show};
