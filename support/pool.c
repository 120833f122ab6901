/* SPDX-License-Identifier: MIT */
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

unsigned pool_threads(const struct pool *p) {
    return p->threads;
}

static void take_parts(struct pool *p, pool_part *part, void *context, size_t count) {
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
        if (i >= count)
            return;
        part(context, i);
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
static void start_workers(struct pool *p) {
    sigset_t all, before;
    p->asked = true;
    sigfillset(&all);
    if (pthread_sigmask(SIG_BLOCK, &all, &before) != 0)
        return;
    while (p->started + 1 < p->threads &&
           pthread_create(&p->workers[p->started], NULL, work, p) == 0)
        p->started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void pool_free(struct pool *p) {
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->started; i++)
        pthread_join(p->workers[i], NULL);
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->idle);
    pthread_mutex_destroy(&p->lock);
    free(p->workers);
    free(p);
}

static void announce(struct pool *p, size_t count, pool_part *part, void *context) {
    pthread_mutex_lock(&p->lock);
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    p->part = part;
    p->context = context;
    p->count = count;
    p->job++;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

static void wait_for_workers(struct pool *p) {
    pthread_mutex_lock(&p->lock);
    p->part = NULL;
    while (p->busy)
        pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void pool_run(struct pool *p, size_t count, pool_part *part, void *context) {
    if (p->threads > 1 && count > 1 && !p->asked)
        start_workers(p);
    if (p->started == 0 || count < 2) {
        for (size_t i = 0; i < count; i++)
            part(context, i);
        return;
    }
    announce(p, count, part, context);
    take_parts(p, part, context, count);
    wait_for_workers(p);
}
