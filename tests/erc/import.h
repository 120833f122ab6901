/* SPDX-License-Identifier: MIT
 * Imported text to a loaded program, in process, and values of its registers. */
#ifndef TESTS_ERC_IMPORT_H
#define TESTS_ERC_IMPORT_H

#include "ezpim/erc/erc.h"
#include "runtime/include/mpu/mpu.h"

/* NULL when it is refused; messages are appended to *messages when that is not NULL. */
struct object *import_object(const char *source, const struct erc_options *options,
                             struct str *messages);
/* Imports the texts (several: MPU 0 runs the first, and so on) and links them.  Fails the test with
 * the messages. */
mpu_program *import_programs(const char *const *sources, size_t count,
                             const struct erc_options *options);
void import_put(mpu_session *s, const char *reg, const uint64_t *values, size_t count);
/* Elements 0..count-1 of a register. */
void import_get(mpu_session *s, const char *reg, uint64_t *values, size_t count);
void import_fail(const char *what, mpu_error *e);

#endif
