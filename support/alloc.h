/* SPDX-License-Identifier: MIT
 * Allocation that does not fail: on exhaustion the thread goes on at its innermost alloc_point;
 * where it has none, as in tools, the process prints one line and exits with code 3 (a resource
 * could not be had).  Sizes are checked for overflow. */
#ifndef SUPPORT_ALLOC_H
#define SUPPORT_ALLOC_H

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a thread goes on when memory runs out, up to alloc_point_leave:
 *
 *     struct alloc_point point;
 *     if (ALLOC_POINT_REACHED(point))
 *         return no_memory(); // the point was left
 *     ...
 *     alloc_point_leave(&point);
 *
 * What was allocated behind it and is known to nobody else is lost, and objects that were being
 * changed are not to be used any more, but for freeing what stays as it is until the end.  Undos
 * (alloc_undo) of what was begun behind it are carried out, the last one first. */
struct alloc_point {
    jmp_buf at;
    struct alloc_point *outer;
    struct alloc_undo *undos;
};
void alloc_point_enter(struct alloc_point *point);
void alloc_point_leave(struct alloc_point *point);
#define ALLOC_POINT_REACHED(point) (alloc_point_enter(&(point)), setjmp((point).at) != 0)

/* What has to be undone when memory runs out; it lives until alloc_undo_end. */
struct alloc_undo {
    void (*undo)(void *context);
    void *context;
    struct alloc_undo *before;
};
void alloc_undo_begin(struct alloc_undo *undo, void (*function)(void *context), void *context);
void alloc_undo_end(struct alloc_undo *undo);

/* A mutex under which memory is allocated: unlocked when memory runs out. */
struct alloc_lock {
    struct alloc_undo undo;
};
void alloc_lock(struct alloc_lock *lock, pthread_mutex_t *mutex);
void alloc_unlock(struct alloc_lock *lock);

/* For tests: of this thread's allocations number `n` from now on fails, counted from 1; 0: none.
 * Returns how many there were since the last call. */
uint64_t alloc_fail_at(uint64_t n);

/* As if memory had run out, for callers whose own arithmetic on sizes overflows. */
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
