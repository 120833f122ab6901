/* SPDX-License-Identifier: MIT
 * What is asked of a module. */
#include "ptx/ptx.h"

#include "support/bits.h"
#include "support/ieee.h"

#include <stdlib.h>
#include <string.h>

void ptx_free(struct ptx_module *module) {
    if (!module)
        return;
    for (size_t i = 0; i < module->functions.len; i++) {
        struct ptx_function *f = &module->functions.data[i];
        vec_free(&f->registers);
        vec_free(&f->insns);
        vec_free(&f->labels);
        vec_free(&f->items);
    }
    vec_free(&module->variables);
    vec_free(&module->functions);
    vec_free(&module->files);
    vec_free(&module->items);
    arena_free(&module->arena);
    free(module);
}

static const char *file_name(const struct ptx_module *module, uint32_t number) {
    for (size_t i = 0; i < module->files.len; i++)
        if (module->files.data[i].number == number)
            return module->files.data[i].name;
    return NULL;
}

void ptx_source_text(const struct ptx_module *module, uint32_t file, uint32_t line,
                     struct str *out) {
    const char *name = line ? file_name(module, file) : NULL;
    if (name)
        str_printf(out, " (%s:%u)", name, (unsigned)line);
}

uint32_t ptx_find_function(const struct ptx_module *module, const char *name) {
    for (uint32_t i = 0; i < module->functions.len; i++)
        if (module->functions.data[i].has_body && strcmp(module->functions.data[i].name, name) == 0)
            return i;
    return PTX_NONE;
}

uint64_t ptx_number_bits(uint64_t number, enum ptx_number_kind kind, enum ptx_type type) {
    unsigned bits = ptx_type_bits(type);
    if (kind == PTX_INTEGER || type == PTX_F16X2 || (kind == PTX_FLOAT32 && !ptx_type_float(type)))
        return number & low_bits(bits);
    if (!ptx_type_float(type)) /* a decimal in the place of bits: of float32 where they fit */
        return bits == 64 ? number
                          : ieee_convert(ieee_binary(64), ieee_binary(32), number) & low_bits(bits);
    unsigned own = kind == PTX_FLOAT32 ? 32 : 64;
    return bits == own ? number /* its bits, also those of a NaN */
                       : ieee_convert(ieee_binary(own), ieee_binary(bits), number);
}
