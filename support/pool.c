/* SPDX-License-Identifier: MIT
 * Workers wait for a job, take its parts by a counter, and meet at its end: after pool_run no part
 * is at work. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "support/pool.h"
#include "support/alloc.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct pool {
    unsigned threads; /* with the caller */
    pthread_t *workers;
    unsigned started; /* of the workers */
    bool asked;       /* for workers, once */

    atomic_size_t next; /* part of the job that nobody has taken */

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake, idle;
    pool_part *part; /* NULL: there is no job, or the caller has seen its last part taken */
    void *context;
    size_t count;
    size_t job;    /* number of the job */
    unsigned busy; /* workers that take parts of it */
    bool quit;
    atomic_bool lacks_memory; /* some part of the job could not be carried out */
};

unsigned pool_processors(void) {
    long n = 0;
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        n = CPU_COUNT(&set);
#endif
    if (n < 1)
        n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > POOL_MAX_THREADS ? POOL_MAX_THREADS : (unsigned)n;
}

struct pool *pool_new(unsigned threads) {
    struct pool *p = xcalloc(1, sizeof *p);
    p->threads = threads < 1 ? 1 : threads > POOL_MAX_THREADS ? POOL_MAX_THREADS : threads;
    p->workers = xcalloc(p->threads, sizeof *p->workers);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->idle, NULL);
    return p;
}

unsigned pool_threads(const struct pool *pool) {
    return pool->threads;
}

/* Memory that runs out is the caller's business, once no part is at work any more. */
static void take_part(struct pool *pool, pool_part *part, void *context, size_t index) {
    struct alloc_point point;
    if (ALLOC_POINT_REACHED(point)) {
        atomic_store(&pool->lacks_memory, true);
        return;
    }
    part(context, index);
    alloc_point_leave(&point);
}

static void take_parts(struct pool *pool, pool_part *part, void *context, size_t count) {
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (i >= count)
            return;
        take_part(pool, part, context, i);
    }
}

/* A worker that wakes when all parts are taken finds no job: nobody waits for it. */
static void *work(void *context) {
    struct pool *p = context;
    size_t seen = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->quit && (!p->part || p->job == seen))
            pthread_cond_wait(&p->wake, &p->lock);
        if (p->quit)
            break;
        seen = p->job;
        p->busy++;
        pool_part *part = p->part;
        void *its_context = p->context;
        size_t count = p->count;
        pthread_mutex_unlock(&p->lock);
        take_parts(p, part, its_context, count);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0)
            pthread_cond_signal(&p->idle);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Signals stay with the threads that the caller has. */
static void start_workers(struct pool *pool) {
    sigset_t all, before;
    pool->asked = true;
    sigfillset(&all);
    if (pthread_sigmask(SIG_BLOCK, &all, &before) != 0)
        return;
    while (pool->started + 1 < pool->threads &&
           pthread_create(&pool->workers[pool->started], NULL, work, pool) == 0)
        pool->started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void pool_free(struct pool *pool) {
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->idle);
    pthread_mutex_destroy(&pool->lock);
    free(pool->workers);
    free(pool);
}

static void announce(struct pool *pool, size_t count, pool_part *part, void *context) {
    pthread_mutex_lock(&pool->lock);
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->part = part;
    pool->context = context;
    pool->count = count;
    pool->job++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

static void wait_for_workers(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->part = NULL;
    while (pool->busy)
        pthread_cond_wait(&pool->idle, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void pool_run(struct pool *pool, size_t count, pool_part *part, void *context) {
    if (pool->threads > 1 && count > 1 && !pool->asked)
        start_workers(pool);
    if (pool->started == 0 || count < 2) {
        for (size_t i = 0; i < count; i++)
            part(context, i);
        return;
    }
    announce(pool, count, part, context);
    take_parts(pool, part, context, count);
    wait_for_workers(pool);
    if (atomic_exchange(&pool->lacks_memory, false))
        alloc_failed();
}
