/* SPDX-License-Identifier: MIT
 * Random kernels in sessions of libmpu: what goes in, and whether what comes out is what is
 * expected. */
#ifndef TESTS_STAGE_SESSIONS_H
#define TESTS_STAGE_SESSIONS_H

#include "runtime/include/mpu/mpu.h"
#include "tests/stage/launched.h"

uint64_t session_elements(const struct launched_buffer *b, struct lane_type t);
/* Nothing is put there. */
bool session_is_zero(const struct launched_buffer *b);
/* Fails the test, and prints the text. */
void session_fails(uint64_t seed, const char *machine, const char *what, const struct str *text);
/* A program of one launch; units 0: it does not say how many. */
void session_program(const struct launched *x, uint64_t scalar, uint64_t length, unsigned units,
                     struct str *out);
void session_put_all(mpu_session *s, const struct launched *x, uint64_t seed, const char *machine,
                     const struct str *text);
/* All buffers; NaN patterns are one. */
void session_compare(mpu_session *s, const struct launched *x, uint64_t seed, const char *machine,
                     const struct str *text);

#endif
