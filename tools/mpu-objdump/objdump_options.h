/* SPDX-License-Identifier: MIT
 * The command line of mpu-objdump. */
#ifndef TOOLS_MPU_OBJDUMP_OBJDUMP_OPTIONS_H
#define TOOLS_MPU_OBJDUMP_OBJDUMP_OPTIONS_H

#include "linker/package/packages.h"

/* NAME=DATA of --in. */
struct objdump_data {
    const char *name, *value;
};

struct objdump_options {
    struct command_line cl;
    unsigned actions;               /* of disasm/disasm.h */
    struct package_request targets; /* of --target: their packages are shown */
    bool recipes;                   /* --recipes */
    bool plan;                      /* --plan */
    bool reassemble;
    bool plain;         /* --no-aliases */
    const char *output; /* NULL: standard output */
    const char *html;   /* --html: its file, or NULL */
    VEC(struct objdump_data) data;
    VEC(const char *) inputs;
};

extern const struct tool mpu_objdump_tool;

/* False if the program is to end now, with *exit_code. */
bool objdump_options_parse(int argc, char **argv, struct objdump_options *options, int *exit_code);
void objdump_options_free(struct objdump_options *options);

#endif
