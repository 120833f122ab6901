/* SPDX-License-Identifier: MIT
 * How many of a pipeline's elements the host works on where nobody says it. */
#include "runtime/pipelines.h"

#include <stdlib.h>

/* Elements of a unit in the larger sample: 256 for each of 16 tasklets. */
#define SAMPLE_MOST 4096u

static mpu_result take(mpu_pipeline *x, const struct pipeline_segment *segment,
                       const mpu_program *program, uint64_t per_unit, struct pipeline_sample *out,
                       mpu_error **error) {
    struct pipeline_part *part = xcalloc(1, sizeof *part);
    uint64_t *kept = xcalloc(x->stages.arrays.len + 1, sizeof *kept);
    part->segment = segment->number;
    part->sample = true;
    part->count = per_unit * x->shares.data[segment->number].counts.units;
    mpu_result r = pipeline_run_part(x, segment, program, part, kept, error);
    *out = (struct pipeline_sample){per_unit, part->in_ps + part->out_ps, part->kernel_ps};
    free(kept);
    free(part);
    return r;
}

/* Entries of accumulators, which the host puts together once more if it has elements. */
static uint64_t results_of(const mpu_pipeline *x, const struct pipeline_segment *segment) {
    uint64_t elements = 0;
    for (size_t i = 0; i < segment->traffic.len; i++) {
        const struct pipeline_array *a = &x->stages.arrays.data[segment->traffic.data[i].array];
        elements += a->use == PIPELINE_RESULT ? a->elements : 0;
    }
    return elements;
}

mpu_result pipeline_choose_cpu(mpu_pipeline *x, const struct pipeline_segment *segment,
                               const mpu_program *program, mpu_error **error) {
    struct pipeline_shares *s = &x->shares.data[segment->number];
    const uint64_t element_ps = x->options.host_element_ps;
    struct pipeline_model m = {.element_ps = element_ps,
                               .host_ps = element_ps * results_of(x, segment)};
    if (x->options.cpu_elements != MPU_PIPELINE_CPU_AUTO || !s->counts.rounds || !element_ps ||
        !pipeline_units(x) || segment->together)
        return MPU_OK;
    const uint64_t most = s->counts.per_unit < SAMPLE_MOST ? s->counts.per_unit : SAMPLE_MOST;
    const uint64_t blocks = most > s->alignment ? most / s->alignment : 1;
    mpu_result r = take(x, segment, program, blocks * s->alignment, &m.more, error);
    m.less = m.more;
    if (r == MPU_OK && blocks > 1)
        r = take(x, segment, program, blocks / 2 * s->alignment, &m.less, error);
    if (r == MPU_OK)
        pipeline_share(x, segment, s->length,
                       pipeline_cpu_share(&m, s->length, pipeline_units(x), s->most, s->alignment),
                       s);
    return r;
}
