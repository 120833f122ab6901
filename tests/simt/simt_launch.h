/* SPDX-License-Identifier: MIT
 * Launches on a near-bank SIMT machine as golden's interpreter has them: a kernel of form ptx goes
 * through encoder and package to the core, whose memory is the caller's. */
#ifndef TESTS_SIMT_SIMT_LAUNCH_H
#define TESTS_SIMT_SIMT_LAUNCH_H

#include "portable/portable.h"

struct simt_region {
    uint64_t address, size;
    unsigned char *bytes; /* [size + 8] */
};
struct simt_how {
    unsigned rows;      /* which functions of rows: 0 the best, 1 the next; those that there are */
    uint32_t registers; /* of a thread; 0: all */
    uint64_t watchdog;  /* 0: the target's */
    bool timed;         /* its time is worked out too: what is counted has to add up */
    const char *key, *value; /* of the target; NULL: none is set */
};
/* Entry `k`, or the one that is there; `at` of the launch is not asked.  False with *fault set, and
 * without where go_on said so. */
bool simt_launch_text(const char *text, size_t size, const struct portable_launch *launch,
                      const struct simt_region *regions, size_t count, const struct simt_how *how,
                      struct portable_fault *fault);
/* Likewise the bytes that a package has of a kernel. */
bool simt_launch_code(const void *code, size_t size, const struct portable_launch *launch,
                      const struct simt_region *regions, size_t count, const struct simt_how *how,
                      struct portable_fault *fault);

#endif
