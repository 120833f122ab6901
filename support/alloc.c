/* SPDX-License-Identifier: MIT
 * Every size is checked before it is multiplied. */
#include "support/alloc.h"
#include "support/large.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

/* Of a thread that is in a call: its points, its undos, and what tests ask for. */
static _Thread_local struct {
    struct alloc_point *point;
    struct alloc_undo *undos;
    uint64_t count, fails_at;
} thread;

void alloc_point_enter(struct alloc_point *point) {
    point->outer = thread.point;
    point->undos = thread.undos;
    thread.point = point;
}

void alloc_point_leave(struct alloc_point *point) {
    thread.point = point->outer;
}

void alloc_undo_begin(struct alloc_undo *undo, void (*function)(void *context), void *context) {
    *undo = (struct alloc_undo){function, context, thread.undos};
    thread.undos = undo;
}

void alloc_undo_end(struct alloc_undo *undo) {
    thread.undos = undo->before;
}

static void unlock(void *context) {
    pthread_mutex_unlock(context);
}

void alloc_lock(struct alloc_lock *lock, pthread_mutex_t *mutex) {
    pthread_mutex_lock(mutex);
    alloc_undo_begin(&lock->undo, unlock, mutex);
}

void alloc_unlock(struct alloc_lock *lock) {
    alloc_undo_end(&lock->undo);
    unlock(lock->undo.context);
}

_Noreturn void alloc_failed(void) {
    struct alloc_point *point = thread.point;
    if (!point) {
        fputs("error: out of memory\n", stderr);
        exit(3);
    }
    while (thread.undos != point->undos) {
        struct alloc_undo *undo = thread.undos;
        thread.undos = undo->before;
        undo->undo(undo->context);
    }
    thread.point = point->outer;
    longjmp(point->at, 1);
}

uint64_t alloc_fail_at(uint64_t n) {
    uint64_t count = thread.count;
    thread.count = 0;
    thread.fails_at = n;
    return count;
}

static bool may_have(void) {
    return ++thread.count != thread.fails_at;
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
    size = checked_size(size, 1);
    return checked(may_have() ? malloc(size) : NULL);
}

void *xcalloc(size_t count, size_t size) {
    size = checked_size(count, size);
    return checked(may_have() ? calloc(size, 1) : NULL);
}

/* From here on it pays. */
#define LARGE ((size_t)2 << 20)

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

void *xmalloc_aligned_large(size_t size) {
    size = checked_size(size, 1);
    return in_huge_pages(checked(may_have() ? aligned_alloc(size, size) : NULL), size);
}

void *xreallocarray(void *old, size_t count, size_t size) {
    size = checked_size(count, size);
    return checked(may_have() ? realloc(old, size) : NULL);
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
