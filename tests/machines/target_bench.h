/* SPDX-License-Identifier: MIT
 * A target with its library, as tests of machines open and close it; their benches begin with one.
 */
#ifndef TESTS_MACHINES_TARGET_BENCH_H
#define TESTS_MACHINES_TARGET_BENCH_H

#include "machines/machine.h"
#include "support/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

struct target_bench {
    struct target *target;
    struct machine_library *library;
};

/* A target's name, or its file. */
static inline struct target_bench
target_bench_open(const char *name, const struct target_override *set, size_t count) {
    struct target_bench b;
    struct diag *d = diag_new(NULL, NULL);
    if (machine_open_target(name, set, count, d, &b.target, &b.library) != TARGET_FINE)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return b;
}

static inline void target_bench_close(const struct target_bench *b) {
    machine_library_close(b->library);
    target_free(b->target);
}

/* Of a group of tests whose state begins with one, and is on the heap. */
static inline int target_bench_tear_down(void **state) {
    target_bench_close(*state);
    free(*state);
    return 0;
}

#endif
