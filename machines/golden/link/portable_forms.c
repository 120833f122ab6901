/* SPDX-License-Identifier: MIT
 * The portable forms of kernels that target golden carries out; portable/interpreters.c has their
 * interpreters.  A program with a list of its own there has one here, too. */
#include "machines/golden/link/golden.h"

const struct machine_form *const golden_forms[] = {NULL};
