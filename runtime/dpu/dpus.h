/* SPDX-License-Identifier: MIT
 * What the files behind mpu/dpu.h share. */
#ifndef RUNTIME_DPU_DPUS_H
#define RUNTIME_DPU_DPUS_H

#include "machines/core/dpu/host/host.h"
#include "runtime/include/mpu/dpu.h"

struct dpu_program_t {
    struct dpu_program *program;
};
struct mpu_dpus {
    struct dpu_host *host;
    uint32_t count;
    char *stats; /* a file; NULL: none is wanted */
    VEC(struct dpu_program_t *) programs;
    struct dpus_one {
        struct dpu_program_t *program; /* NULL: none is loaded */
        void *prepared;
        char *fault; /* of an asynchronous launch, or an earlier one; NULL: none */
    } * each;
};

/* The code; the message goes to `say`. */
dpu_error_t dpus_say(mpu_dpu_say *say, dpu_error_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The program that all of the set have; NULL after saying that there is none, or several. */
struct dpu_program_t *dpus_program(struct dpu_set_t set, dpu_error_t *error, mpu_dpu_say *say);

#endif
