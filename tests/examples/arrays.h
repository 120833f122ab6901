/* SPDX-License-Identifier: MIT
 * Examples' arrays between files and sessions. */
#ifndef TESTS_EXAMPLES_ARRAYS_H
#define TESTS_EXAMPLES_ARRAYS_H

#include "runtime/include/mpu/mpu.h"

#include <stdbool.h>

/* A variable and its file in examples/data. */
struct binding {
    const char *name, *file;
};

/* The path of a file in examples/FOLDER, which is "" or "/data"; returns `path`. */
const char *example_path(char path[4096], const char *folder, const char *file);
/* Fails the test with the message of `e` unless `good`. */
void need(bool good, const char *what, mpu_error *e);
void put(mpu_session *s, const struct binding *b);
/* Fails the test when the session's array is not what the file holds. */
void compare(mpu_session *s, const struct binding *b, const char *program);

#endif
