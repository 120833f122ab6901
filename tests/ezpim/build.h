/* SPDX-License-Identifier: MIT
 * Source text to a loaded program, in process. */
#ifndef TESTS_EZPIM_BUILD_H
#define TESTS_EZPIM_BUILD_H

#include "ezpim/ezpim.h"
#include "runtime/include/mpu/mpu.h"

/* Appends each message to the struct str *context: "line:col: error: text [-Wname] {fix-it}",
 * notes indented below. */
diag_consumer collect_messages;

/* NULL when it is refused; messages are appended to *messages when that is not NULL. */
struct object *build_object(const char *source, int level, struct str *messages);
/* Compiles and links; NULL when that fails, and messages are appended. */
mpu_program *try_program(const char *source, int level, struct str *messages);
mpu_program *try_program_with(const char *source, const struct ez_options *options,
                              struct str *messages);
/* Fails the test with the messages. */
mpu_program *build_program(const char *source, int level);
void fail_with(const char *what, mpu_error *e);

#endif
