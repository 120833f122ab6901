/* SPDX-License-Identifier: MIT
 * mpu-run in process, and the files that it leaves. */
#ifndef TESTS_OBSERVE_COMMAND_H
#define TESTS_OBSERVE_COMMAND_H

#include "support/str.h"

struct run_signals; /* tools/mpu-run/run.h */

struct outcome {
    int code;
    char out[1 << 16], err[1 << 16];
};

/* Words are separated by single spaces; the result is valid until the next call.  Stops as at an
 * interrupt if signals->interrupted is not 0; NULL: never. */
struct outcome *run_command(const char *words, struct run_signals *signals);
/* The same with printf's format, and fails the test when the exit code is another one. */
struct outcome *run_expecting(int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void write_source(const char *name, const char *text);
/* The whole file, with a NUL behind it; fails the test if it is not there.  To be freed. */
char *read_whole(const char *name, size_t *size);

#endif
