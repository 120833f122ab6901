/* SPDX-License-Identifier: MIT
 * A part of a pipeline's elements, in a session of libmpu. */
#include "runtime/data.h"
#include "runtime/pipelines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct part_run {
    mpu_pipeline *x;
    const struct pipeline_segment *segment;
    struct pipeline_part *part;
    mpu_session *session;
    uint64_t *kept;
    uint64_t here_out_ps, here_out; /* of what the host has by itself (is_here), and bytes */
    mpu_error **error;
};

static mpu_type api_type(struct lane_type type) {
    return public_type(session_host_type(type));
}

static mpu_result put(struct part_run *r, const char *name, struct lane_type type, const void *data,
                      uint64_t count) {
    /* Nothing is written to what is put. */
    mpu_array a = {api_type(type), 1, {count}, NULL};
    memcpy(&a.data, &data, sizeof data);
    return mpu_session_put(r->session, name, &a, r->error);
}

/* Where the part of an array begins, in its elements, and how many it has. */
static struct pipeline_slice slice_of(const struct part_run *r, const struct pipeline_array *x) {
    const struct pipeline *p = &r->x->stages;
    if (x->use != PIPELINE_ELEMENTS)
        return (struct pipeline_slice){0, x->elements};
    uint64_t divide = pipeline_divide(p, x->length, r->segment->base);
    return (struct pipeline_slice){r->part->first / divide, r->part->count / divide};
}

static uint64_t figure(const struct part_run *r, const char *path) {
    uint64_t value = 0;
    /* Golden has none. */
    if (mpu_session_figure(r->session, path, &value) != MPU_OK)
        return 0;
    return value;
}

/* What DPUs do not read, and the host has put together by itself behind the launch, which has the
 * transfers for it: results of reduces, what filters of the segment have kept. */
static bool is_here(const struct part_run *r, const struct pipeline_array *x) {
    return pipeline_units(r->x) &&
           (x->use == PIPELINE_RESULT ||
            (x->kept && x->maker != NO_INDEX &&
             r->x->stages.stages.data[x->maker].segment == r->segment->number));
}

static mpu_result put_array(struct part_run *r, uint32_t array) {
    const struct pipeline_array *x = &r->x->stages.arrays.data[array];
    struct pipeline_slice s = slice_of(r, x);
    const char *data = pipeline_data(r->x, array);
    char name[24];
    pipeline_array_name(array, name);
    return put(r, name, x->type, data + s.first * object_element_bytes(x->type), s.count);
}

/* What goes on behind the part of an array: its own elements, then its owner's tail, or zeros. */
static mpu_result put_tail(struct part_run *r, uint32_t stage, uint32_t k) {
    const struct pipeline_stage *s = &r->x->stages.stages.data[stage];
    const struct pipeline_bound *b = &s->arguments[k];
    const struct pipeline_array *x = &r->x->stages.arrays.data[b->array];
    const unsigned size = object_element_bytes(x->type);
    struct pipeline_slice here = slice_of(r, x);
    char *tail = xcalloc(s->overlap, size), name[32];
    const uint64_t all = pipeline_elements_of(r->x, b->array), end = here.first + here.count;
    const uint64_t there = all - end < s->overlap ? all - end : s->overlap;
    if (there)
        memcpy(tail, (const char *)pipeline_data(r->x, b->array) + end * size, there * size);
    if (b->tail)
        memcpy(tail + there * size, b->tail, (s->overlap - there) * size);
    pipeline_tail_name(stage, k, name);
    mpu_result result = put(r, name, x->type, tail, s->overlap);
    free(tail);
    return result;
}

static mpu_result put_all(struct part_run *r) {
    const struct pipeline *p = &r->x->stages;
    mpu_result result = MPU_OK;
    for (size_t i = 0; i < r->segment->traffic.len && result == MPU_OK; i++)
        if (r->segment->traffic.data[i].in)
            result = put_array(r, r->segment->traffic.data[i].array);
    for (uint32_t i = r->segment->kernels.data[0]; i < vec_last(&r->segment->kernels); i++)
        for (uint32_t k = 0; k < p->stages.data[i].count && result == MPU_OK; k++)
            if (pipeline_windows(p->stages.data[i].pattern) &&
                pipeline_has_elements(&p->stages.data[i].arguments[k]))
                result = put_tail(r, i, k);
    return result;
}

/* ---- results ---- */

/* How many elements a filter has kept. */
static mpu_result get_kept(struct part_run *r, const struct pipeline_array *x, uint32_t array,
                           uint64_t *count) {
    const uint32_t group = r->x->stages.stages.data[x->maker].group;
    char name[24];
    mpu_array a;
    pipeline_count_name(array, name);
    mpu_result result = mpu_session_get(r->session, name, &a, r->error);
    if (result != MPU_OK)
        return result;
    memcpy(count, a.data, sizeof *count);
    *count *= group ? group : 1;
    mpu_array_free(&a);
    return MPU_OK;
}

static mpu_result get_array(struct part_run *r, uint32_t array) {
    const struct pipeline_array *x = &r->x->stages.arrays.data[array];
    const uint64_t ps = figure(r, "host.time_ps"), bytes = figure(r, "host.bytes_out");
    const unsigned size = object_element_bytes(x->type);
    struct pipeline_slice s = slice_of(r, x);
    char name[24], *to = r->x->data[array];
    mpu_array a;
    if (x->kept && x->maker != NO_INDEX &&
        r->x->stages.stages.data[x->maker].segment == r->segment->number) {
        mpu_result result = get_kept(r, x, array, &s.count);
        if (result != MPU_OK)
            return result;
        s.first = r->kept[array];
        r->kept[array] += r->part->sample ? 0 : s.count;
    }
    pipeline_array_name(array, name);
    mpu_result result = mpu_session_get(r->session, name, &a, r->error);
    if (result != MPU_OK)
        return result;
    if (!r->part->sample)
        memcpy(to + s.first * size, a.data, s.count * size);
    mpu_array_free(&a);
    if (is_here(r, x)) {
        r->here_out_ps += figure(r, "host.time_ps") - ps;
        r->here_out += figure(r, "host.bytes_out") - bytes;
    }
    return MPU_OK;
}

static mpu_result get_all(struct part_run *r) {
    mpu_result result = MPU_OK;
    for (size_t i = 0; i < r->segment->traffic.len && result == MPU_OK; i++) {
        const struct pipeline_traffic *t = &r->segment->traffic.data[i];
        if (t->out || r->x->stages.arrays.data[t->array].use == PIPELINE_RESULT)
            result = get_array(r, t->array);
    }
    return result;
}

/* ---- the part ---- */

/* Of a session that checks; golden has nothing to compare. */
static void count_checked(struct part_run *r) {
    uint64_t ensembles, elements, launches, bytes, unsettled;
    if (mpu_session_checked(r->session, &ensembles, &elements) != MPU_OK ||
        mpu_session_checked_kernels(r->session, &launches, &bytes, &unsettled) != MPU_OK)
        return;
    r->x->checked_ensembles += ensembles;
    r->x->checked_elements += elements;
    r->x->checked_launches += launches;
    r->x->checked_bytes += bytes;
    r->x->unsettled += unsettled;
}

static mpu_result go(struct part_run *r) {
    struct pipeline_part *part = r->part;
    mpu_result result = put_all(r);
    if (result == MPU_OK)
        result = mpu_session_run(r->session, r->error);
    if (result != MPU_OK)
        return result;
    count_checked(r);
    part->in_ps = figure(r, "host.time_ps");
    part->kernel_ps = figure(r, "total.time_ps");
    part->load_ps = figure(r, "total.end_to_end_time_ps") - part->in_ps - part->kernel_ps;
    uint64_t between = 0, bytes = 0;
    for (size_t k = 0; k + 1 < r->segment->kernels.len; k++) {
        char path[48];
        snprintf(path, sizeof path, "by_kernel.%zu.transfer_time_ps", k);
        const uint64_t moved = figure(r, path);
        snprintf(path, sizeof path, "by_kernel.%zu.transfer_bytes", k);
        bytes += figure(r, path);
        snprintf(path, sizeof path, "by_kernel.%zu.time_ps", k);
        part->kernels_ps[k] = figure(r, path) - moved;
        between += moved;
    }
    result = get_all(r);
    part->out_ps = figure(r, "host.time_ps") - part->in_ps + between - r->here_out_ps;
    part->kernel_ps -= between;
    part->bytes_in = figure(r, "host.bytes_in");
    part->bytes_out = figure(r, "host.bytes_out") + bytes - r->here_out;
    return result;
}

static mpu_result host_target(mpu_pipeline *x, mpu_error **error) {
    if (!x->golden)
        x->golden = mpu_target_open("golden", NULL, error);
    return x->golden ? MPU_OK : MPU_REJECTED;
}

mpu_result pipeline_run_part(mpu_pipeline *x, const struct pipeline_segment *segment,
                             const mpu_program *program, struct pipeline_part *part, uint64_t *kept,
                             mpu_error **error) {
    struct part_run r = {.x = x, .segment = segment, .part = part, .kept = kept, .error = error};
    const struct pipeline_counts *c = &x->shares.data[segment->number].counts;
    mpu_config config = x->config;
    const bool golden = part->host || pipeline_on_golden(x);
    mpu_result result = golden ? host_target(x, error) : MPU_OK;
    if (result != MPU_OK)
        return result;
    if (golden)
        config.engine = NULL, config.check = 0;
    r.session = mpu_session_new(program, golden ? x->golden : x->target, &config, error);
    if (!r.session)
        return MPU_REJECTED;
    result = mpu_session_bind_size(r.session, "n", part->count, error);
    if (result == MPU_OK && !part->host && c->units)
        result = mpu_session_bind_size(r.session, "u", c->units, error);
    if (result == MPU_OK)
        result = go(&r);
    mpu_session_free(r.session);
    return result;
}
