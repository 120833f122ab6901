/* SPDX-License-Identifier: MIT
 * Programs of moves and messages (programs/), and what they are given. */
#ifndef TESTS_PLACES_PROGRAMS_H
#define TESTS_PLACES_PROGRAMS_H

#include "tests/examples/arrays.h"

enum { PLACE_PROGRAMS = 20, PLACE_INPUTS = 2 };

struct place_input {
    const char *name;
    mpu_type type;
    uint32_t ndim;
    uint64_t shape[2];
};
struct place_program {
    const char *name;
    uint64_t n; /* 0: it has no size */
    struct place_input in[PLACE_INPUTS];
    const char *out;
};
extern const struct place_program place_programs[PLACE_PROGRAMS];

mpu_program *place_load(const struct place_program *x);
/* A session that has run, at the place. */
mpu_session *place_run(const struct place_program *x, const mpu_program *p, const mpu_target *t,
                       const char *place);

#endif
