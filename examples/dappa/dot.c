/* SPDX-License-Identifier: MIT
 * The dot product of dot.cc in C: the same plan, on mpu/pipeline.h.
 *     cc dot.c $(pkg-config --cflags --libs mpu) */
#include <mpu/pipeline.h>

#include <stdio.h>
#include <stdlib.h>

#define LENGTH 1048576u

static int fail(mpu_error *e) {
    fprintf(stderr, "dot: %s\n", mpu_error_text(e));
    return 1;
}

static uint32_t a[LENGTH], b[LENGTH], c, sum; /* c is not fetched: no buffer is needed */

/* Stages, and what comes back. */
static mpu_result build(mpu_pipeline *p, mpu_error **e) {
    const mpu_stage_argument products[] = {{MPU_ROLE_OUTPUT, MPU_U32, &c, 0, NULL, 0},
                                           {MPU_ROLE_INPUT, MPU_U32, a, LENGTH, NULL, 0},
                                           {MPU_ROLE_INPUT, MPU_U32, b, LENGTH, NULL, 0}};
    const mpu_stage_argument gathered[] = {{MPU_ROLE_REDUCE_OUT, MPU_U32, &sum, 1, NULL, 0},
                                           {MPU_ROLE_INPUT, MPU_U32, &c, 0, NULL, 0}};
    const mpu_stage map = {.pattern = MPU_PATTERN_MAP,
                           .function = "(uint32_t *c, uint32_t *a, uint32_t *b) { *c = *a * *b; }",
                           .arguments = products,
                           .count = 3,
                           .file = __FILE__,
                           .line = __LINE__};
    const mpu_stage reduce = {.pattern = MPU_PATTERN_REDUCE,
                              .function = "(uint32_t *sum, uint32_t *c) { *sum += *c; }",
                              .arguments = gathered,
                              .count = 2,
                              .file = __FILE__,
                              .line = __LINE__};
    mpu_result r = mpu_pipeline_stage(p, &map, e);
    r = r == MPU_OK ? mpu_pipeline_stage(p, &reduce, e) : r;
    return r == MPU_OK ? mpu_pipeline_fetch(p, &sum, e) : r;
}

int main(void) {
    const char *name = getenv("MPU_TARGET"), *dpus = getenv("MPU_DPUS");
    mpu_error *e = NULL;
    uint32_t want = 0;
    for (uint32_t i = 0; i < LENGTH; i++) {
        a[i] = i;
        b[i] = i % 7 + 1;
        want += a[i] * b[i];
    }
    mpu_target *target = mpu_target_open(name ? name : "upmem-dappa", NULL, &e);
    if (!target)
        return fail(e);
    const mpu_pipeline_options options = {.size = sizeof options,
                                          .dpus = dpus ? (uint32_t)strtoul(dpus, NULL, 10) : 0};
    mpu_pipeline *p = mpu_pipeline_new(target, LENGTH, &options, &e);
    if (!p || build(p, &e) != MPU_OK || mpu_pipeline_execute(p, &e) != MPU_OK)
        return fail(e);
    char *plan = mpu_pipeline_plan(p, NULL), *stats = mpu_pipeline_stats(p, NULL);
    printf("%s: %u\n%s%s", sum == want ? "equal" : "differs", sum, plan, stats);
    mpu_string_free(plan);
    mpu_string_free(stats);
    mpu_pipeline_free(p);
    mpu_target_close(target);
    return sum != want;
}
