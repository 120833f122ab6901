/* SPDX-License-Identifier: MIT
 * Allocation that does not fail: on exhaustion the process prints one line and
 * exits with code 3 (a resource could not be had).  Sizes are checked for overflow. */
#ifndef SUPPORT_ALLOC_H
#define SUPPORT_ALLOC_H

#include <stddef.h>

/* That exit, for callers whose own arithmetic on sizes overflows. */
_Noreturn void alloc_failed(void);
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
/* The same for what may be large and will be used whole: in huge pages then, as it is not to fault
 * small page by small page. */
void *xmalloc_large(size_t size);
void *xcalloc_large(size_t count, size_t size);
void *xreallocarray(void *old, size_t count, size_t size);
/* For a process that ends soon, to be called first: what was freed is not given back but kept for
 * what is asked for next, and there is more of it at a time. */
void alloc_keep_freed(void);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t n);

#endif
