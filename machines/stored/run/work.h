/* SPDX-License-Identifier: MIT
 * What the files of the base share: units carry words out, and their work adds up. */
#ifndef MACHINES_STORED_RUN_WORK_H
#define MACHINES_STORED_RUN_WORK_H

#include "machines/stored/run/stored.h"

/* The kind's loop, from the first word to an end. */
typedef uint32_t stored_interpreter(struct stored_core *c);
stored_interpreter *stored_interpret(const struct stored_dp *m);
/* Places that nobody has executed; to be freed. */
struct stored_place *stored_places(const struct stored_isa *isa, const uint64_t *words,
                                   size_t count);

/* What a cycle of a unit takes of the host, about: whether threads pay. */
#define STORED_HOST_PS_A_CYCLE UINT64_C(5000)

/* Of an RFH while its units carry out one thing. */
struct stored_rfh {
    uint64_t longest, shared; /* cycles of a unit; of what they share */
};
/* Of all units. */
struct stored_sum {
    uint64_t *executed; /* [op_count] */
    uint64_t counts[STORED_COUNTERS];
};
/* A unit is done, with these words; its work joins that of all.  of_unit: as stored_dp.of_units has
 * it, added to. */
void stored_join(const struct stored_dp *m, uint64_t *of_unit, struct stored_rfh *rfh,
                 struct stored_sum *all, const struct stored_work *one, size_t words);
/* All are done: how long it took; counts what is counted. */
uint64_t stored_settle(struct stored_dp *m, const struct stored_rfh *rfhs, uint32_t count,
                       const struct stored_sum *all);
/* Adds what was executed, and its energy, to sums (NULL: nobody asks); all of the energy. */
uint64_t stored_charge(const struct stored_dp *m, const struct stored_sum *all, uint64_t *uops,
                       uint64_t *energy_fj, uint64_t *kind_fj);
/* "comes to no end (core.watchdog)"; appended. */
void stored_fault_text(const struct stored_core *c, struct str *out);

/* Code of runs; of kernels. */
void stored_free_codes(struct stored_dp *m);
void stored_free_kernels(struct stored_dp *m);

/* ---- kernel.c: kernels as units execute them ---- */

struct stored_kernel {
    struct stored_kernel *next;
    size_t size;
    void *bytes;                 /* [size]: as it is launched */
    uint32_t count;              /* of words; 0: it is none */
    struct stored_place *places; /* [count] */
};
/* Of a kernel's code: kept from the last launches of it. */
const struct stored_kernel *stored_kernel_of(struct stored_dp *m, const void *code, size_t size);

#endif
