/* SPDX-License-Identifier: MIT */
#include "support/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

_Noreturn void out_of_memory(void) {
    fputs("error: out of memory\n", stderr);
    exit(3);
}

static void *checked(void *p) {
    if (!p)
        out_of_memory();
    return p;
}

/* No object may be larger than a pointer difference can say. */
static size_t checked_size(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
        out_of_memory();
    return bytes ? bytes : 1;
}

void *xmalloc(size_t size) {
    return checked(malloc(checked_size(size, 1)));
}

#define HUGE_PAGE ((size_t)2 << 20)

void *xmalloc_large(size_t size) {
    if (size < 2 * HUGE_PAGE || size > PTRDIFF_MAX - HUGE_PAGE)
        return xmalloc(size);
    size_t whole = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *p = checked(aligned_alloc(HUGE_PAGE, whole));
#ifdef MADV_HUGEPAGE
    madvise(p, whole, MADV_HUGEPAGE); /* a wish: small pages are slower, not wrong */
#endif
    return p;
}

void *xcalloc(size_t count, size_t size) {
    return checked(calloc(checked_size(count, size), 1));
}

void *xreallocarray(void *old, size_t count, size_t size) {
    return checked(realloc(old, checked_size(count, size)));
}

char *xstrndup(const char *s, size_t n) {
    size_t len = strnlen(s, n);
    char *copy = xmalloc(len + 1);
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

char *xstrdup(const char *s) {
    return xstrndup(s, strlen(s));
}
