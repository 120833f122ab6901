/* SPDX-License-Identifier: MIT
 * Stage kernels as one of the portable forms. */
#ifndef STAGE_FORM_H
#define STAGE_FORM_H

#include "portable/portable.h"

extern const struct portable_form stage_form;

#endif
