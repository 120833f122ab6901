/* SPDX-License-Identifier: MIT
 * The portable forms that there are: their interpreters, and the forms of kernels that target
 * golden carries out with them.  A program that has lists of its own, linked before these, has
 * other forms (tests/machines). */
#include "machines/golden/link/golden.h"
#include "machines/golden/link/ptx_kernels.h"
#include "pipeline/text.h"
#include "ptx/form.h"
#include "stage/form.h"

const struct portable_form *const portable_list[] = {&stage_form, &pipeline_form, &ptx_portable,
                                                     NULL};

static const struct machine_form stage_on_golden = GOLDEN_FORM("stage");
static const struct machine_form pipeline_on_golden = GOLDEN_FORM(PIPELINE_FORM);
const struct machine_form *const golden_forms[] = {&stage_on_golden, &pipeline_on_golden,
                                                   &golden_ptx_form, NULL};
