/* SPDX-License-Identifier: MIT
 * The assembler: text to object.  docs/assembly.md is its manual. */
#ifndef ASM_ASM_H
#define ASM_ASM_H

#include "object/object.h"
#include "support/file_use.h"

struct asm_define {
    const char *name;
    int64_t value;
    const char *real; /* the text of a number that is no integer; or NULL: `value` */
};

struct asm_options {
    const char *const *include_dirs; /* [include_count], in this order, after the file's own */
    size_t include_count;
    const struct asm_define *defines;
    size_t define_count;
    bool debug;              /* -g: line table into the object */
    struct str *listing;     /* the listing is appended to it; NULL: none */
    struct file_uses *files; /* what is included is added when not NULL */
};

/* Assembles text[0..size), named `name` in messages.  NULL after errors were reported. */
struct object *asm_assemble(const char *name, const char *text, size_t size,
                            const struct asm_options *options, struct diag *diag);

#endif
