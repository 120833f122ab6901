/* SPDX-License-Identifier: MIT
 * What the files behind mpu/dpu.h share: an allocation is a device of libmpu, a loaded program a
 * module of it. */
#ifndef RUNTIME_DPU_DPUS_H
#define RUNTIME_DPU_DPUS_H

#include "machines/core/dpu/dpu.h"
#include "runtime/device_kernels.h"
#include "runtime/include/mpu/dpu.h"

struct dpu_program_t {
    struct dpu_program *program; /* for its symbols */
    char *name;
    void *bytes; /* [size] of its file, if the host program has asked for it; else NULL */
    size_t size;
    uint32_t dpus;      /* that have it */
    mpu_module *module; /* NULL: none has it any more */
    mpu_kernel *kernel;
};

/* Ways over the link, by what the host program asked for. */
enum dpus_way {
    DPUS_TO_ONE,
    DPUS_FROM_ONE,
    DPUS_TO_MANY, /* bytes of their own for each, at once */
    DPUS_FROM_MANY,
    DPUS_TO_ALL, /* the same bytes for each */
    DPUS_WAYS
};
struct dpus_spent {
    uint64_t launches, launch_ps; /* launches alone, without instructions */
    uint64_t kernel_ps;           /* of the DPUs that took longest, without launches */
    struct {
        uint64_t transfers, bytes, ps;
    } ways[DPUS_WAYS];
};

struct mpu_dpus {
    mpu_target *target;
    mpu_device *device;
    mpu_messages *messages;
    struct str said; /* the first error of the last call of libmpu */
    uint32_t count;
    char *stats; /* a file; NULL: none is wanted */
    /* Those that a DPU has, or that a host program may ask for symbols. */
    VEC(struct dpu_program_t *) programs;
    struct dpus_spent spent;
    struct dpus_one {
        struct dpu_program_t *program; /* NULL: none is loaded */
        void *prepared;
        char *fault; /* of an asynchronous launch, or an earlier one; NULL: none */
    } * each;
};

/* ---- sets.c ---- */
/* The code; the message goes to `say`. */
dpu_error_t dpus_say(mpu_dpu_say *say, dpu_error_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- profile.c ---- */
struct dpus_profile {
    char *target;     /* NULL: upmem */
    VEC(char *) set;  /* "key=value", as --set has it */
    uint32_t threads; /* 0: one a processor */
    char *stats;
};
/* Adds what "name=value,.." says; NULL: nothing. */
dpu_error_t dpus_profile_take(struct dpus_profile *profile, const char *text, mpu_dpu_say *say);
void dpus_profile_free(struct dpus_profile *profile);

/* ---- machine.c ---- */
/* Opens target and device; how many DPUs they have.  False with all->said. */
bool dpus_open(struct mpu_dpus *all, const struct dpus_profile *profile, uint64_t *dpus);
void dpus_close(struct mpu_dpus *all);
/* A transfer of the same `bytes` bytes for each piece.  DPU_OK, or what was said. */
dpu_error_t dpus_move(struct mpu_dpus *all, struct dpu_program_t *program, enum dpus_way way,
                      uint32_t at, size_t bytes, const struct device_piece *pieces, size_t count,
                      mpu_dpu_say *say);
/* Loads a program into the machine, for DPUs that get it from now on.  False with all->said. */
bool dpus_module(struct mpu_dpus *all, struct dpu_program_t *program, const void *bytes,
                 size_t size);
void dpus_module_free(struct dpu_program_t *program);
/* DPUs first .. first + count - 1, which have that program, carry it out; *ps: how long the kernel
 * took.  False with all->said, and with the faults of those that stopped. */
bool dpus_run(struct mpu_dpus *all, struct dpu_program_t *program, uint32_t first, uint32_t count,
              uint64_t *ps);

/* ---- programs.c ---- */
void dpus_program_free(struct dpu_program_t *program);
/* The program that all of the set have; NULL after saying that there is none, or several. */
struct dpu_program_t *dpus_program(struct dpu_set_t set, dpu_error_t *error, mpu_dpu_say *say);

#endif
