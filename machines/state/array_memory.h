/* SPDX-License-Identifier: MIT
 * Memory of a machine beside its registers: the arrays that kernels work on, behind mem_alloc and
 * the others of datapath.h.  Addresses depend on what is asked for and freed, in its order, and on
 * nothing else, so that they are the same on every machine and engine.  An array takes of the host
 * the pages that are touched.  A machine keeps a struct state_memory, zeroed before
 * state_memory_open. */
#ifndef MACHINES_STATE_ARRAY_MEMORY_H
#define MACHINES_STATE_ARRAY_MEMORY_H

#include "support/diag.h"
#include "support/str.h"
#include "support/vec.h"

#include <stdint.h>

/* Arrays begin at a multiple of a block, from FIRST on, in the first place that has room; behind
 * each, and each slice, at least a block is nobody's.  From END on lie other spaces (generic
 * addresses of kernels). */
#define STATE_MEMORY_BLOCK ((uint64_t)32 << 10)
#define STATE_MEMORY_FIRST ((uint64_t)64 << 10)
#define STATE_MEMORY_END   ((uint64_t)1 << 40)

struct state_array {
    uint64_t address, size; /* bytes; at least 8 more are there behind them */
    uint64_t slices;        /* of so many bytes, each `stride` behind the one before it */
    uint64_t stride;
    unsigned char *bytes; /* of the first; those of the next follow `pitch` further on */
    uint64_t pitch;
};
struct state_memory {
    VEC(struct state_array) arrays; /* by address */
    uint64_t limit, taken;          /* bytes in whole blocks; limit 0: none */
};

void state_memory_open(struct state_memory *memory, uint64_t limit);
void state_memory_close(struct state_memory *memory);

/* The functions of datapath_ops of these names: whole, or false after reporting. */
bool state_memory_alloc(struct state_memory *memory, uint64_t bytes, uint64_t *address,
                        struct diag *diag);
bool state_memory_alloc_slices(struct state_memory *memory, uint64_t bytes, uint32_t units,
                               uint64_t *address, uint64_t *stride, struct diag *diag);
bool state_memory_free(struct state_memory *memory, uint64_t address, struct diag *diag);
bool state_memory_put(struct state_memory *memory, uint64_t address, const void *bytes,
                      uint64_t size, struct diag *diag);
bool state_memory_get(struct state_memory *memory, uint64_t address, void *bytes, uint64_t size,
                      struct diag *diag);
/* The last array that begins at the address or before it; NULL. */
struct state_array *state_memory_before(const struct state_memory *memory, uint64_t address);
/* The bytes at an address; NULL: no array has all of them. */
unsigned char *state_memory_at(const struct state_memory *memory, uint64_t address, uint64_t size);

/* Appends what all arrays hold. */
void state_memory_save(const struct state_memory *memory, struct str *state);
/* Takes such a block off the end, for state_memory_restore as long as nothing is appended; NULL if
 * it is not of these arrays. */
const char *state_memory_take(const struct state_memory *memory, struct str *state);
void state_memory_restore(struct state_memory *memory, const char *block);

#endif
