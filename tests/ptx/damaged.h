/* SPDX-License-Identifier: MIT
 * What holds of any text that is read as PTX. */
#ifndef TESTS_PTX_DAMAGED_H
#define TESTS_PTX_DAMAGED_H

#include <stddef.h>

/* What does not hold; NULL: all does.  Counts refused ones. */
const char *ptx_damaged_wrong(const char *text, size_t size, unsigned *refused);

#endif
