/* SPDX-License-Identifier: MIT
 * The pool: every part of every job is carried out once, whatever the number of threads. */
#include "support/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PARTS = 300 };

struct job {
    unsigned plain[PARTS]; /* written by one part each, read after the job */
    atomic_size_t all;
};

static void count_part(void *context, size_t index) {
    struct job *j = context;
    j->plain[index]++;
    atomic_fetch_add(&j->all, 1);
}

static void run_jobs(unsigned threads, unsigned jobs) {
    struct pool *p = pool_new(threads);
    struct job *j = calloc(1, sizeof *j);
    size_t all = 0;
    for (unsigned k = 0; k < jobs; k++) {
        size_t parts = k % PARTS;
        pool_run(p, parts, count_part, j);
        all += parts;
        assert_int_equal(atomic_load(&j->all), all);
    }
    for (size_t i = 0; i < PARTS; i++) {
        unsigned expected = 0;
        for (unsigned k = 0; k < jobs; k++)
            expected += k % PARTS > i;
        assert_int_equal(j->plain[i], expected);
    }
    free(j);
    pool_free(p);
}

static void every_part_is_done_once(void **state) {
    (void)state;
    run_jobs(1, 400);
    run_jobs(2, 2000);
    run_jobs(3, 2000);
    run_jobs(16, 400);
}

static void pools_without_a_job_end(void **state) {
    (void)state;
    for (unsigned i = 0; i < 50; i++)
        pool_free(pool_new(1 + i % 5));
    for (unsigned i = 0; i < 50; i++)
        run_jobs(1 + i % 5, 4);
    pool_free(NULL);
}

static void numbers_of_threads_are_bounded(void **state) {
    static const unsigned asked[] = {0, 1, POOL_MAX_THREADS, POOL_MAX_THREADS + 1};
    static const unsigned got[] = {1, 1, POOL_MAX_THREADS, POOL_MAX_THREADS};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct pool *p = pool_new(asked[i]);
        assert_int_equal(pool_threads(p), got[i]);
        pool_free(p);
    }
    assert_in_range(pool_processors(), 1, POOL_MAX_THREADS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_done_once),
        cmocka_unit_test(pools_without_a_job_end),
        cmocka_unit_test(numbers_of_threads_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
