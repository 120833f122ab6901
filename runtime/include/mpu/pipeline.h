/* SPDX-License-Identifier: MIT
 * Pipelines of DaPPA in C (docs/dappa.md): patterns over arrays of one length, which run as one
 * program on any target.  C++ has mpu/dappa.hpp on it, with the names of DaPPA's paper.
 *
 *     mpu_pipeline *p = mpu_pipeline_new(target, n, NULL, &e);
 *     mpu_pipeline_stage(p, &(mpu_stage){.pattern = MPU_PATTERN_MAP,
 *         .function = "(uint32_t *c, uint32_t *a, uint32_t *b) { *c = *a * *b; }",
 *         .arguments = (mpu_stage_argument[]){{MPU_ROLE_OUTPUT, MPU_U32, c},
 *             {MPU_ROLE_INPUT, MPU_U32, a}, {MPU_ROLE_INPUT, MPU_U32, b}}, .count = 3}, &e);
 *     mpu_pipeline_fetch(p, c, &e);
 *     mpu_pipeline_execute(p, &e);
 *
 * Functions and errors are as those of mpu/mpu.h.  A pipeline is for one thread at a time. */
#ifndef MPU_PIPELINE_H
#define MPU_PIPELINE_H

#include <mpu/mpu.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mpu_pipeline mpu_pipeline;

/* x is the first input, i counts elements from 0.  Units are elements, or with a group of G those
 * i * G to i * G + G - 1; `overlap` elements beyond a unit are seen of windows. */
typedef enum mpu_pattern {
    MPU_PATTERN_MAP,          /* the function is carried out for each element */
    MPU_PATTERN_FILTER,       /* it says whether an element of x is kept, in order */
    MPU_PATTERN_REDUCE,       /* it gathers elements in accumulators */
    MPU_PATTERN_WINDOW,       /* a map whose function sees x[0] to x[overlap] */
    MPU_PATTERN_GROUP,        /* one output for each group, of which it sees x[0] to x[group - 1] */
    MPU_PATTERN_WINDOW_GROUP, /* x[0] to x[group + overlap - 1] */
    MPU_PATTERN_WINDOW_FILTER, /* a filter whose function sees what a window does; x[0] is kept */
    MPU_PATTERN_GROUP_FILTER,  /* whole groups are kept */
    MPU_PATTERN_WINDOW_GROUP_FILTER,
    MPU_PATTERN_FORCE_32_BIT = 0x7fffffff
} mpu_pattern;

typedef enum mpu_role {
    MPU_ROLE_INPUT,
    MPU_ROLE_OUTPUT, /* of a filter what is kept: it comes first and is no parameter of the function
                      */
    MPU_ROLE_INOUT,  /* a map changes it; of a filter what goes in and what is kept, comes first */
    MPU_ROLE_SCALAR, /* the function sees all of its elements */
    MPU_ROLE_REDUCE_OUT, /* an accumulator; what stands there is what it begins with */
    MPU_ROLE_FORCE_32_BIT = 0x7fffffff
} mpu_role;

/* mpu_stage_argument.elements: an array that has none yet. */
#define MPU_PIPELINE_NO_ELEMENTS UINT64_MAX
typedef struct mpu_stage_argument {
    mpu_role role;
    mpu_type type;
    /* The array's data, and the name by which stages, mpu_pipeline_fetch and mpu_pipeline_length
     * know it: any address of the caller's own, for an array that is neither read from the host nor
     * fetched.  It stays until the pipeline was executed. */
    void *data;
    /* Of SCALAR and REDUCE_OUT how many there are, 0 is 1, 65,536 at most.  Of others 0, nothing is
     * said; or how many data has: an input has the pipeline's length then, and an output that is
     * fetched at least what it becomes. */
    uint64_t elements;
    /* Of an INPUT of windows: `overlap` elements that go on behind its end (copied when it is
     * executed); NULL: zeros. */
    const void *tail;
    uint64_t tail_elements;
} mpu_stage_argument;

typedef struct mpu_stage {
    mpu_pattern pattern;
    /* In the part of C that bodies of stages have (docs/stage.md), with a pointer for each
     * argument:
     * "[](int32_t *y, int32_t *x) { *y = *x + 1; }"; `[]` may be left out.  A filter's returns a
     * value. */
    const char *function;
    const mpu_stage_argument *arguments; /* [count] */
    uint32_t count;
    uint32_t overlap, group; /* 1 .. 65,536 of windows, of groups; else 0 */
    /* How two parts of a reduce become one, "[](int32_t *into, int32_t *other) { .. }", the earlier
     * elements' part on the left; NULL: the function gathers by one operation, which does. */
    const char *combine;
    /* With combine: what it leaves as it is, a constant of the type, with which parts begin; NULL:
     * 0. */
    const char *init;
    const char *file; /* where the stage is written, for messages; NULL: nobody knows */
    uint32_t line;
} mpu_stage;

/* mpu_pipeline_options.cpu_elements: as many as let it be over soonest, by what the target's
 * numbers say: a few elements are carried out first, to see what link and kernels take. */
#define MPU_PIPELINE_CPU_AUTO UINT64_MAX
typedef struct mpu_pipeline_options {
    uint32_t size; /* sizeof(mpu_pipeline_options): versions the struct */
    uint32_t dpus; /* units that work, of a target with a memory in each; 0: all */
    /* Elements at least that the host works on while the DPUs do, the last ones; 0: those that
     * slices leave; or MPU_PIPELINE_CPU_AUTO. */
    uint64_t cpu_elements;
    /* Nonzero: a launch for each stage, as the paper has it, and not one for all. */
    int no_fuse;
    /* Nonzero: a stage that needs the result of a filter or a reduce begins a part of its own,
     * before which results are brought together on the host (the paper's PipelineFull). */
    int full;
    uint64_t mram_bytes; /* that arrays may take of each DPU's memory; 0: what the target says */
    /* Picoseconds that the host takes for an element of its own, for one that it moves together,
     * and for one of an accumulator that it puts together; 0: the target's host.element_ps. */
    uint64_t host_element_ps;
    const mpu_config *config; /* of its sessions; NULL: none */
} mpu_pipeline_options;

/* A pipeline of `length` elements, 2^40 at most.  options may be NULL; they are copied.  The target
 * must outlive the pipeline. */
MPU_API mpu_pipeline *mpu_pipeline_new(const mpu_target *target, uint64_t length,
                                       const mpu_pipeline_options *options, mpu_error **error);
MPU_API void mpu_pipeline_free(mpu_pipeline *p);
/* Adds a stage (texts are copied).  MPU_REJECTED, with the reason, and nothing is added: the
 * function is not of the part of C, arguments do not fit, or it needs what a filter has kept or a
 * reduce gathered.  MPU_USAGE after mpu_pipeline_execute. */
MPU_API mpu_result mpu_pipeline_stage(mpu_pipeline *p, const mpu_stage *stage, mpu_error **error);
/* Functions of stages that are added from now on know `name` as the constant `value`, a number as C
 * writes it, of an integer or floating point type: a size that the caller knows, but the text of
 * the function does not.  MPU_REJECTED: no name, no such number, a name that is taken. */
MPU_API mpu_result mpu_pipeline_constant(mpu_pipeline *p, const char *name, mpu_type type,
                                         const char *value, mpu_error **error);
/* What the latest stage makes or changes of that array comes back to the host.  MPU_USAGE if none
 * does. */
MPU_API mpu_result mpu_pipeline_fetch(mpu_pipeline *p, const void *data, mpu_error **error);
/* Carries all stages out, once, and writes what is fetched.  After a failure nothing was written.
 */
MPU_API mpu_result mpu_pipeline_execute(mpu_pipeline *p, mpu_error **error);
/* After it was executed: how many elements the latest array of that name has.  MPU_USAGE if no
 * stage makes or changes it. */
MPU_API mpu_result mpu_pipeline_length(const mpu_pipeline *p, const void *data, uint64_t *length);

/* Who does what, as text: counts, offsets, rounds (docs/dappa.md).  What depends on a filter is
 * known after it was executed. */
MPU_API char *mpu_pipeline_plan(mpu_pipeline *p, mpu_error **error);
/* The program in ezpim that part number i becomes, from 0; NULL behind the last. */
MPU_API char *mpu_pipeline_program(mpu_pipeline *p, uint32_t i, mpu_error **error);
/* After it was executed: time part by part, for people, a line each. */
MPU_API char *mpu_pipeline_stats(mpu_pipeline *p, mpu_error **error);
/* After it was executed, of all rounds, picoseconds: "transfer_in", "kernel", "transfer_out",
 * "host", "total"; "once" (beside the total); and counts: "rounds", "parts", "cpu_elements",
 * "bytes_in", "bytes_out".  MPU_USAGE for another name. */
MPU_API mpu_result mpu_pipeline_figure(const mpu_pipeline *p, const char *name, uint64_t *value);

/* The pipeline of a session whose program is one (docs/dappa.md, "In ezpim"): as the latest run has
 * left it, else as it is planned with the sizes that the session has.  It is the session's, and
 * another run makes another one.  NULL, with MPU_USAGE, of another program. */
MPU_API mpu_pipeline *mpu_session_pipeline(mpu_session *session, mpu_error **error);

#ifdef __cplusplus
}
#endif
#endif
