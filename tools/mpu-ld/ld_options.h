/* SPDX-License-Identifier: MIT
 * The command line of mpu-ld. */
#ifndef TOOLS_MPU_LD_LD_OPTIONS_H
#define TOOLS_MPU_LD_LD_OPTIONS_H

#include "linker/linker.h"
#include "linker/package/packages.h"
#include "support/options.h"

struct ld_options {
    struct command_line cl;
    struct link_options link;
    const char *output, *map_file;
    bool output_given; /* with -o; else its name comes of the first input */
    bool print_capacity;
    VEC(const char *) inputs, recipes;
    struct package_request packages;
};

extern const struct tool mpu_ld_tool;

/* False: leave with *exit_code. */
bool ld_options_parse(int argc, char **argv, struct ld_options *options, int *exit_code);
void ld_options_free(struct ld_options *options);

#endif
