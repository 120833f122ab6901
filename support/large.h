/* SPDX-License-Identifier: MIT
 * Memory in whole huge pages of the host. */
#ifndef SUPPORT_LARGE_H
#define SUPPORT_LARGE_H

#include <stddef.h>

/* As xmalloc (support/alloc.h), of a size that is a power of two, at an address that is a multiple
 * of it: with 2 MB one huge page, as far as the host has them. */
void *xmalloc_aligned_large(size_t size);

#endif
