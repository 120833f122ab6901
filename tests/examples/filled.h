/* SPDX-License-Identifier: MIT
 * Examples on data that fills every lane of one MPU: what each MPU of a filled chip does. */
#ifndef TESTS_EXAMPLES_FILLED_H
#define TESTS_EXAMPLES_FILLED_H

#include "runtime/include/mpu/mpu.h"

enum { FILLED_INPUTS = 3, FILLED = 7 };

struct filled_input {
    const char *name;
    mpu_type type;
    uint64_t each;  /* values of an element; 0: one value for all elements */
    uint64_t below; /* values are below this; 0: any */
};
struct filled {
    const char *program;
    struct filled_input in[FILLED_INPUTS];
};
extern const struct filled filled_list[FILLED];

/* A session that has run on n elements of made-up data, the same for the same n. */
mpu_session *filled_run(const struct filled *x, const mpu_program *p, const mpu_target *t,
                        uint64_t n);

#endif
