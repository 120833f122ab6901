/* SPDX-License-Identifier: MIT
 * PTX kernels as one of the portable forms. */
#ifndef PTX_FORM_H
#define PTX_FORM_H

#include "portable/portable.h"

extern const struct portable_form ptx_portable;

#endif
