/* SPDX-License-Identifier: MIT
 * Kernels of near-bank SIMT cores as files of their own, for the tools. */
#ifndef MACHINES_CORE_SIMT_SIMT_TOOLS_H
#define MACHINES_CORE_SIMT_SIMT_TOOLS_H

#include "machines/syntax.h"

extern const struct machine_syntax simt_syntax;

#endif
