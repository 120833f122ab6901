/* SPDX-License-Identifier: MIT */
#include "support/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void exhausted(void) {
    fputs("error: out of memory\n", stderr);
    exit(3);
}

static void *checked(void *p) {
    if (!p)
        exhausted();
    return p;
}

void *xmalloc(size_t size) {
    return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size) {
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *old, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        exhausted();
    return checked(realloc(old, bytes ? bytes : 1));
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
