/* SPDX-License-Identifier: MIT
 * Inside of machines/check. */
#ifndef MACHINES_CHECK_CHECK_H
#define MACHINES_CHECK_CHECK_H

#include "machines/datapath.h"
#include "support/str.h"
#include "support/vec.h"

#include <pthread.h>

struct check_machine {
    struct datapath base;
    struct datapath *strict, *golden; /* strict: the engine that was asked for, or is the default */
    uint32_t lanes, rfh_per_mpu, vrfs_per_mpu;
    uint8_t reg_bits[64];
    const struct machine_kin *kins; /* of the setup, or of the program that it carries out */
    bool slots;                     /* the machine has some */
    uint32_t *kin_of;               /* [VRFs], where there are kins */
    pthread_mutex_t lock;           /* guards what follows */
    struct dp_code *codes;
    VEC(uint32_t) bound; /* VRFs bound since the last comparison */
    struct check_counts counts;
    struct str difference; /* in an `any`; empty if there was none */
    bool alike;            /* or at golden's */
    bool apart; /* strict has memory in each unit at addresses of its own: golden has a launch's
                   buffers, in one piece each, while that is compared */
    bool memory_differs; /* after a launch: */
    struct check_memory memory;
    struct check_beyond
        *beyond; /* [beyond_count]: VRFs whose instructions reach valid lanes alone */
    uint32_t beyond_count;
};

/* What a run writes without a mask. */
struct check_writes {
    uint64_t registers; /* bit r */
    bool c;
};

static inline struct check_machine *check_of(struct datapath *dp) {
    return (struct check_machine *)(void *)dp;
}

/* Golden gets what strict has in lanes first .. end - 1. */
void check_take_over(struct check_machine *x, uint32_t v, enum dp_what what, unsigned reg,
                     unsigned bits, uint32_t first, uint32_t end);

/* beyond.c: where datapath.valid_alone is set; else they do nothing */
void check_beyond_open(struct check_machine *x, uint32_t vrfs);
struct check_writes check_find_writes(const struct dp_run *run);
void check_beyond_bind(struct check_machine *x, uint32_t v, uint32_t valid);
/* Before lanes up to `end`, or those of a transfer, are read and written on both sides. */
void check_beyond_settle(struct check_machine *x, uint32_t v, uint64_t end);
void check_beyond_elements(struct check_machine *x, const struct dp_elements *elements);
void check_beyond_copy(struct check_machine *x, const struct dp_transfer *transfer);
/* After both sides carried out what writes that. */
void check_beyond_execute(struct check_machine *x, struct vrf_set set, struct check_writes w);
void check_beyond_save(const struct check_machine *x, struct str *state);
bool check_beyond_restore(struct check_machine *x, struct str *state);

/* memory_compare.c: functions of datapath.h */
bool check_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *diag);
bool check_mem_alloc_slices(struct datapath *dp, uint64_t bytes, uint32_t units, uint64_t *address,
                            uint64_t *stride, struct diag *diag);
bool check_mem_free(struct datapath *dp, uint64_t address, struct diag *diag);
bool check_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                   struct diag *diag);
bool check_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                   struct diag *diag);
bool check_launch(struct datapath *dp, const struct dp_launch *launch, struct dp_cost *cost,
                  struct diag *diag);
void check_forget_kernel(struct datapath *dp, const struct kernel_decl *decl);

#endif
