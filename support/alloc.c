/* SPDX-License-Identifier: MIT */
#include "support/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void alloc_failed(void) {
    fputs("error: out of memory\n", stderr);
    exit(3);
}

static void *checked(void *p) {
    if (!p)
        alloc_failed();
    return p;
}

/* No object may be larger than a pointer difference can say. */
static size_t checked_size(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
        alloc_failed();
    return bytes ? bytes : 1;
}

void *xmalloc(size_t size) {
    return checked(malloc(checked_size(size, 1)));
}

void *xcalloc(size_t count, size_t size) {
    return checked(calloc(checked_size(count, size), 1));
}

/* From here on it pays. */
#define LARGE ((size_t)4 << 20)

/* A wish for huge pages; without them memory is slower, not wrong. */
static void *in_huge_pages(void *p, size_t size) {
#ifdef MADV_HUGEPAGE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)p;
    uintptr_t first = (at + page - 1) / page * page, end = (at + size) / page * page;
    if (size >= LARGE)
        madvise((char *)p + (first - at), end - first, MADV_HUGEPAGE);
#else
    (void)size;
#endif
    return p;
}

void *xmalloc_large(size_t size) {
    return in_huge_pages(xmalloc(size), size);
}

void *xcalloc_large(size_t count, size_t size) {
    return in_huge_pages(xcalloc(count, size), count * size);
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
