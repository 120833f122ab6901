/* SPDX-License-Identifier: MIT
 * The options of mpu-as. */
#ifndef TOOLS_MPU_AS_AS_OPTIONS_H
#define TOOLS_MPU_AS_AS_OPTIONS_H

#include "support/depend.h"

enum as_option {
    OPT_OUTPUT = 1,
    OPT_INCLUDE,
    OPT_DEFINE,
    OPT_DEBUG,
    OPT_LISTING,
    OPT_SYNTAX,
    OPT_WIDTH,
    OPT_RFHS
};

extern const struct tool mpu_as_tool;

#endif
