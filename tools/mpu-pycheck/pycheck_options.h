/* SPDX-License-Identifier: MIT
 * The options of mpu-pycheck, which reads them itself, for its man page and completions.  A test
 * compares them with its --help. */
#ifndef TOOLS_MPU_PYCHECK_PYCHECK_OPTIONS_H
#define TOOLS_MPU_PYCHECK_PYCHECK_OPTIONS_H

#include "support/options.h"

extern const struct tool mpu_pycheck_tool;

#endif
