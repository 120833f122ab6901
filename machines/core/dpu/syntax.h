/* SPDX-License-Identifier: MIT
 * The DPU's assembly and files, for the tools. */
#ifndef MACHINES_CORE_DPU_SYNTAX_H
#define MACHINES_CORE_DPU_SYNTAX_H

#include "machines/syntax.h"

extern const struct machine_syntax dpu_syntax;

#endif
