/* SPDX-License-Identifier: MIT
 * Programs that cores carry out by themselves: the assembly of a core's own instruction set, and
 * the files that such programs are. */
#ifndef MACHINES_SYNTAX_H
#define MACHINES_SYNTAX_H

#include "support/diag.h"
#include "support/str.h"

/* What of a program is shown: for people sections, code and symbols. */
struct machine_view {
    bool reassemble; /* instead of that text that the assembler makes the same program of */
    bool plain;      /* without short forms of instructions */
    bool lines;      /* with file and line of instructions where known */
    bool source;     /* with these lines, where their files are there */
};
/* What stands beside a text. */
struct machine_define {
    const char *name;
    int64_t value;
};
struct file_uses;
struct machine_text_options {
    const char *const *folders; /* for files that it includes */
    size_t folder_count;
    const struct machine_define *defines;
    size_t define_count;
    struct file_uses *files; /* what is included is added */
};
struct machine_syntax {
    const char *name;   /* as mpu-as --syntax has it */
    const char *what;   /* "DPU program" */
    const char *suffix; /* of its files: "elf" */
    /* Appends the file; *instructions: how many it has.  False after reporting. */
    bool (*assemble)(const char *name, const char *text, size_t size,
                     const struct machine_text_options *options, struct str *file,
                     size_t *instructions, struct diag *d);
    bool (*has)(const void *bytes, size_t size); /* whether a file begins as its files do */
    /* False after reporting. */
    bool (*show)(const char *name, const void *bytes, size_t size, const struct machine_view *view,
                 struct str *out, struct diag *d);
};
/* NULL: none has that name. */
const struct machine_syntax *machine_syntax_named(const char *name);
/* NULL: no core's program begins so. */
const struct machine_syntax *machine_syntax_of(const void *bytes, size_t size);

#endif
