/* SPDX-License-Identifier: MIT
 * The forms of kernels of the tests: loops have an interpreter, and target golden and the toy core
 * carry them out. */
#include "machines/golden/link/golden.h"
#include "stage/form.h"
#include "tests/machines/core/core.h"
#include "tests/machines/loop/on.h"

const struct portable_form *const portable_list[] = {&loop_form, &stage_form, NULL};

static const struct machine_form loop_on_golden = GOLDEN_FORM("loop");
static const struct machine_form stage_on_golden = GOLDEN_FORM("stage");
const struct machine_form *const golden_forms[] = {&loop_on_golden, &stage_on_golden, NULL};

const struct machine_form *const core_forms[] = {&core_form, &loop_on_core, NULL};
