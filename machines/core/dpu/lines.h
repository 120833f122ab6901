/* SPDX-License-Identifier: MIT
 * Which lines of which files instructions come from: in ELF files, and in messages. */
#ifndef MACHINES_CORE_DPU_LINES_H
#define MACHINES_CORE_DPU_LINES_H

#include "machines/core/dpu/dpu.h"

#define DPU_NO_SOURCE UINT32_MAX

struct dpu_bytes {
    const unsigned char *at; /* [size] */
    size_t size;
};
/* Sections of a file by their names; size 0: it has none. */
struct dpu_line_sections {
    struct dpu_bytes line, line_str, str; /* .debug_line, .debug_line_str, .debug_str */
};
/* Fills p->sources and p->places by the words that it has. */
void dpu_lines_read(const struct dpu_line_sections *sections, struct dpu_program *p);
/* Appends a .debug_line of these. */
void dpu_lines_write(const struct dpu_program *p, struct str *out);

#endif
