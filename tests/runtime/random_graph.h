/* SPDX-License-Identifier: MIT
 * Random graphs of operations on the vectors of a device, against a host that works each of them
 * out by itself. */
#ifndef TESTS_RUNTIME_RANDOM_GRAPH_H
#define TESTS_RUNTIME_RANDOM_GRAPH_H

#include "device.h"
#include "support/bits.h"
#include "support/ieee.h"

__extension__ typedef __int128 graph_wide;

enum { GRAPH_POOL = 10 };

/* A vector and what it should hold. */
struct mirror {
    mpu_vector *v;
    mpu_vtype type;
    uint64_t *x;         /* [n]: patterns */
    const char *made_by; /* for messages */
};

struct play {
    mpu_device *d;
    uint64_t n, seed;
    bool floats;
    const mpu_vtype *types; /* [type_count]: of all vectors; NULL: any */
    unsigned type_count;
    unsigned flushes; /* of so many steps about one is a flush; 0: none */
    unsigned labels;  /* steps have one of so many labels, in turn; 0: none */
    struct mirror pool[GRAPH_POOL];
    mpu_error *e;
};

bool graph_is_float(mpu_vtype t);
struct ieee_format graph_format_of(mpu_vtype t);
graph_wide graph_number(uint64_t x, mpu_vtype t);
uint64_t graph_cast(uint64_t x, mpu_vtype from, mpu_vtype to);
/* z = op(a, b, c) at type t; operand 0 has the type `from`. */
uint64_t graph_result(mpu_op op, mpu_vtype t, mpu_vtype from, const uint64_t *x);

uint64_t graph_roll(struct play *play, uint64_t below);
void graph_put_random(struct play *play, struct mirror *m, uint64_t first, uint64_t count);
/* Another vector of the type in its place; graph_drop: none. */
void graph_fill(struct play *play, struct mirror *m, mpu_vtype type);
void graph_drop(struct mirror *m);
void graph_check(struct play *play, struct mirror *m);
/* So many steps, at whose end all vectors are compared and dropped. */
void graph_play(struct play play, unsigned steps);

#endif
