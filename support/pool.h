/* SPDX-License-Identifier: MIT
 * Worker threads that carry out the parts of one job at a time.
 *
 * Parts are taken in ascending order, but nothing is said about where or when they end: what a job
 * computes must not depend on it. */
#ifndef SUPPORT_POOL_H
#define SUPPORT_POOL_H

#include <stddef.h>

/* More threads than that are refused where a user names a number. */
#define POOL_MAX_THREADS 256

struct pool;

/* Processors that this process may run on, from 1 to POOL_MAX_THREADS. */
unsigned pool_processors(void);

/* `threads` counts the caller of pool_run, so that 1 has no workers; it is from 1 to
 * POOL_MAX_THREADS.  Workers are started by the first pool_run of several parts; where the system
 * has fewer threads to give, the others do the work. */
struct pool *pool_new(unsigned threads);
/* NULL is allowed. */
void pool_free(struct pool *pool);
unsigned pool_threads(const struct pool *pool);

/* Calls part(context, i) once for each i < count, on the caller's thread and on the workers, and
 * returns when all have returned.  One call at a time; a part must not call it. */
typedef void pool_part(void *context, size_t index);
void pool_run(struct pool *pool, size_t count, pool_part *part, void *context);

#endif
