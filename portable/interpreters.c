/* SPDX-License-Identifier: MIT
 * The portable forms that there are.  A program that has a list of its own, linked before this one,
 * has other forms (tests/machines). */
#include "portable/portable.h"

const struct portable_form *const portable_list[] = {NULL};
