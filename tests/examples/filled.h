/* SPDX-License-Identifier: MIT
 * Kernels on data that fills every lane of one MPU: what each MPU of a filled chip does. */
#ifndef TESTS_EXAMPLES_FILLED_H
#define TESTS_EXAMPLES_FILLED_H

#include "runtime/include/mpu/mpu.h"

#include <stdbool.h>

enum { FILLED_INPUTS = 3, FILLED = 16 };

/* The MPU paper's groups of kernels (section VII): what a datapath does without help; branches
 * inside one another; patterns over neighbours; what needs a CPU or an MPU to decide. */
enum filled_group { FILLED_BASIC, FILLED_BRANCH, FILLED_STENCIL, FILLED_COMPLEX, FILLED_GROUPS };

struct filled_input {
    const char *name;
    mpu_type type;
    uint64_t each;  /* values of an element; 0: the same for all elements */
    uint64_t below; /* values are below this; 0: any */
    uint64_t all;   /* each == 0: values of the array; 0: it is one number */
};
/* Inputs in their order, as they were put. */
struct filled_data {
    const unsigned char *in[FILLED_INPUTS];
    uint64_t rows, columns; /* of a picture */
};
struct filled {
    const char *folder, *program; /* as example_path has them */
    enum filled_group group;
    bool fits;    /* one of those that the paper names as fitting MPU:DualityCache (VIII-B) */
    bool picture; /* its group has two dimensions */
    struct filled_input in[FILLED_INPUTS];
    /* For kernels that are no examples: an output, and what element i of it has to be. */
    const char *out;
    int64_t (*expected)(const struct filled_data *data, uint64_t i);
};
extern const struct filled filled_list[FILLED];

/* A session that has run on n elements of made-up data, the same for the same n.  Fails the test if
 * an output is not what is expected of it. */
mpu_session *filled_run(const struct filled *x, const mpu_program *p, const mpu_target *t,
                        uint64_t n);

#endif
