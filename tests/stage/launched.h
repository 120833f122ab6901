/* SPDX-License-Identifier: MIT
 * A stage kernel without machine and program: parameters, memory, and what came of it. */
#ifndef TESTS_STAGE_LAUNCHED_H
#define TESTS_STAGE_LAUNCHED_H

#include "stage/form.h"
#include "support/str.h"

enum { MOST_BUFFERS = 24 };
struct launched_buffer {
    unsigned char *bytes;
    uint64_t address, size;
};
struct launched {
    struct kernel_parameter parameters[MOST_BUFFERS];
    unsigned char arguments[8 * MOST_BUFFERS];
    uint32_t count;
    struct launched_buffer buffers[MOST_BUFFERS]; /* of the parameters that are some */
    bool in_pieces;                               /* memory gives out one element at a time */
    bool descending;
    uint64_t most_steps; /* 0: any */
    uint64_t threads[3]; /* that write */
    struct str text;
};

/* A new parameter: a buffer of so many zeros, or a number. */
void launched_buffer(struct launched *x, const char *name, struct lane_type type,
                     uint64_t elements);
void launched_number(struct launched *x, const char *name, struct lane_type type, uint64_t value);
void launched_put(struct launched *x, uint32_t parameter, uint64_t index, uint64_t value);
uint64_t launched_get(const struct launched *x, uint32_t parameter, uint64_t index); /* its bits */
/* What is wrong, "4:17: ..." where it is refused, "stops at 4: ..." at run time; empty: nothing. */
void launched_run(struct launched *x, struct str *wrong);
void launched_free(struct launched *x);

#endif
