/* SPDX-License-Identifier: MIT
 * Every size is checked before it is multiplied. */
#include "support/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
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

/* Pages that are given back are faulted in again, zeroed, one by one. */
void alloc_keep_freed(void) {
#ifdef __GLIBC__
    mallopt(M_TOP_PAD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
#endif
}

char *xstrndup(const char *text, size_t n) {
    size_t len = strnlen(text, n);
    char *copy = xmalloc(len + 1);
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

char *xstrdup(const char *text) {
    return xstrndup(text, strlen(text));
}
