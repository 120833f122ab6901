/* SPDX-License-Identifier: MIT
 * Random programs in assembly that take time in all the ways there are: loops, calls, jumps on
 * masks, predication, marks, prints and assertions, several ensembles and batches, transfers,
 * messages, moves and meetings. */
#ifndef TESTS_ELASTIC_PROGRAMS_H
#define TESTS_ELASTIC_PROGRAMS_H

#include "isa-spec/isa.h"
#include "support/str.h"

/* What may be drawn. */
struct ref_draw {
    uint64_t seed;
    const bool *allowed; /* [OP_COUNT]: vector instructions that the machine has */
    uint32_t mpus;       /* 1: no messages */
    uint32_t vrfs;       /* that a group may fill, of one MPU */
    uint32_t lanes;      /* of a VRF */
    uint32_t budget;     /* instructions of bodies, about; 1 or more */
    bool straight; /* one ensemble without jumps on masks, in one MPU; all of it is carried out */
};
/* The text of a program that ends. */
void ref_program_draw(const struct ref_draw *draw, struct str *out);

#endif
