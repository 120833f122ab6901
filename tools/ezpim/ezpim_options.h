/* SPDX-License-Identifier: MIT
 * What the command line of ezpim says. */
#ifndef TOOLS_EZPIM_EZPIM_OPTIONS_H
#define TOOLS_EZPIM_EZPIM_OPTIONS_H

#include "ezpim/driver.h"
#include "linker/package/packages.h"
#include "support/depend.h"
#include "support/options.h"
#include "support/vec.h"

enum ezpim_step {
    STEP_LINK,
    STEP_OBJECT,   /* -c */
    STEP_ASSEMBLY, /* -S */
    STEP_EMIT,     /* --emit */
};

struct ezpim_options {
    struct command_line cl;
    struct driver_options driver;
    enum ezpim_step step;
    const char *output; /* never NULL after parsing */
    bool output_given;  /* with -o; else its name comes of the first input */
    struct package_request packages;
    struct depend depend;
    VEC(const char *) inputs, includes;
    VEC(struct asm_define) defines;
};

extern const struct tool ezpim_tool;

/* False: leave with *exit_code. */
bool ezpim_options_parse(int argc, char **argv, struct ezpim_options *options, int *exit_code);
void ezpim_options_free(struct ezpim_options *options);

#endif
