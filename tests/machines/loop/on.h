/* SPDX-License-Identifier: MIT
 * What machines make of loops. */
#ifndef LOOP_ON_H
#define LOOP_ON_H

#include "machines/machine.h"
#include "tests/machines/loop/loop.h"

extern const struct machine_form loop_on_core;

#endif
