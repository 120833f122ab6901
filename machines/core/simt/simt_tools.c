/* SPDX-License-Identifier: MIT
 * The entry of near-bank SIMT cores in the list of syntaxes. */
#include "machines/core/simt/simt_tools.h"

#include "machines/core/simt/code.h"

#include <string.h>

static bool assemble(const char *name, const char *text, size_t size,
                     const struct machine_text_options *options, struct str *file,
                     size_t *instructions, struct diag *d) {
    struct portable_fault fault = {.line = 0};
    struct simt_kernel *k = NULL;
    if (options->define_count || options->folder_count)
        diag_error(d, NO_SPAN, "--syntax=simt knows no -I and -D");
    else
        k = simt_assemble(text, size, &fault);
    if (fault.what.len)
        diag_error(d, diag_text_line(d, name, text, size, fault.line), "%s", str_text(&fault.what));
    str_free(&fault.what);
    if (!k)
        return false;
    *instructions = k->insn_count;
    simt_kernel_write(k, file);
    simt_kernel_free(k);
    return true;
}

static bool has(const void *bytes, size_t size) {
    return size >= 4 && memcmp(bytes, "SIMT", 4) == 0;
}

static bool show(const char *name, const void *bytes, size_t size, const struct machine_view *view,
                 struct str *out, struct diag *d) {
    const char *problem = NULL;
    struct simt_kernel *k = simt_kernel_read(bytes, size, &problem);
    if (!k) {
        diag_error(d, (struct span){diag_source(d, name, NULL, 0), 0, 0}, "%s", problem);
        return false;
    }
    simt_list(k, view->reassemble ? NULL : &(struct simt_names){NULL, 1}, out);
    simt_kernel_free(k);
    return true;
}

const struct machine_syntax simt_syntax = {.name = "simt",
                                           .what = "kernel of target simt",
                                           .suffix = "simt",
                                           .assemble = assemble,
                                           .has = has,
                                           .show = show};
