/* SPDX-License-Identifier: MIT
 * Pipelines (mpu/pipeline.h), inside. */
#ifndef RUNTIME_PIPELINES_H
#define RUNTIME_PIPELINES_H

#include "pipeline/pipeline.h"
#include "runtime/include/mpu/pipeline.h"
#include "runtime/public.h"

/* Elements that were carried out at once, by the machine or, behind it, by the host. */
struct pipeline_part {
    uint32_t segment;
    bool host;
    bool sample; /* to see what it takes: nothing of it is kept */
    uint64_t first, count;
    uint64_t in_ps, kernel_ps, out_ps, load_ps, bytes_in, bytes_out, micro_ops;
    uint64_t kernels_ps[PIPELINE_MAX_STAGES]; /* of each launch, without starting it */
};
/* A segment as it was, or will be if its length is known. */
struct pipeline_shares {
    bool known;
    uint64_t length, most, alignment;
    struct pipeline_counts counts;
    uint64_t moved_ps; /* the host: results moved and put together */
};

struct mpu_pipeline {
    bool broken; /* PUBLIC_ENTRY_OF */
    const mpu_target *target;
    mpu_messages *messages;
    mpu_config config;
    mpu_pipeline_options options;
    struct pipeline stages;
    bool executed, done;
    uint64_t *lengths;  /* [stages.lengths.len], of those that are known; else NULL */
    void **data;        /* [stages.arrays.len]: what stages have made; NULL: nothing */
    mpu_target *golden; /* whose interpreter stands for the host; NULL: it was not needed yet */
    VEC(struct pipeline_part) parts;
    VEC(struct pipeline_shares) shares; /* by segment */
    /* mpu_session_checked and mpu_session_checked_kernels of all parts. */
    uint64_t checked_ensembles, checked_elements, checked_launches, checked_bytes, unsettled;
};

/* Stores an error of a pipeline's own; returns `code`. */
mpu_result pipeline_refuse(mpu_pipeline *pipeline, mpu_error **error, mpu_result code,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- pipeline_shares.c ---- */
/* Engine golden, which has one memory and no units. */
bool pipeline_on_golden(const mpu_pipeline *pipeline);
/* Units of the target that have a memory each and of which a launch may name some; 0: none. */
uint32_t pipeline_units(const mpu_pipeline *pipeline);
/* How it was, or will be; `known` is false if that depends on what filters keep. */
struct pipeline_shares pipeline_shares_of(const mpu_pipeline *pipeline,
                                          const struct pipeline_segment *segment);
/* Tasklets of all units that work on a segment; 1: the machine has no units. */
uint64_t pipeline_workers(const mpu_pipeline *pipeline, uint32_t segment);
/* How the elements of a segment of n are shared out, of which the host asks for `cpu`; false if not
 * even the fewest have room. */
bool pipeline_share(const mpu_pipeline *pipeline, const struct pipeline_segment *segment,
                    uint64_t n, uint64_t cpu, struct pipeline_shares *out);
/* The first stage with a scalar that is larger than the WRAM that each unit has it in: which
 * argument it is, from 0, and bytes of both; NO_INDEX: none, or the target has no WRAM. */
uint32_t pipeline_scalar_beyond(const mpu_pipeline *pipeline,
                                const struct pipeline_segment *segment, uint32_t *argument,
                                uint64_t *bytes, uint64_t *wram);
/* What the host asks for, of a number that is chosen before it is chosen: 0. */
uint64_t pipeline_cpu_asked(const mpu_pipeline *pipeline);

/* ---- pipeline_run.c ---- */
/* The data of an array: what stages have made, or its owner's. */
const void *pipeline_data(const mpu_pipeline *pipeline, uint32_t array);
/* Elements of an array that is made or read, all of them. */
uint64_t pipeline_elements_of(const mpu_pipeline *pipeline, uint32_t array);
mpu_result pipeline_run(mpu_pipeline *pipeline, mpu_error **error);

/* ---- pipeline_part.c ---- */
/* Carries a part out: inputs from pipeline_data, outputs to pipeline.data.  *kept: by array, how
 * many elements parts before have left of what filters keep; goes up. */
mpu_result pipeline_run_part(mpu_pipeline *pipeline, const struct pipeline_segment *segment,
                             const mpu_program *program, struct pipeline_part *part, uint64_t *kept,
                             mpu_error **error);

#endif
