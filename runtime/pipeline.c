/* SPDX-License-Identifier: MIT
 * Pipelines of the public API: stages, and figures of what was carried out. */
#include "runtime/data.h"
#include "runtime/pipelines.h"

#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

mpu_result pipeline_refuse(mpu_pipeline *pipeline, mpu_error **error, mpu_result code,
                           const char *format, ...) {
    struct public_call c;
    va_list args;
    public_call_begin(&c, pipeline ? pipeline->messages : NULL, error);
    va_start(args, format);
    diag_verror(c.d, NO_SPAN, format, args);
    va_end(args);
    return public_call_end(&c, code);
}

mpu_pipeline *mpu_pipeline_new(const mpu_target *target, uint64_t length,
                               const mpu_pipeline_options *options, mpu_error **error) {
    PUBLIC_ENTRY(error, NULL);
    mpu_pipeline_options o = {.size = 0};
    if (options)
        memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    if (length > PIPELINE_MAX_LENGTH) {
        pipeline_refuse(NULL, error, MPU_USAGE,
                        "a pipeline has %" PRIu64 " elements at most, and not %" PRIu64,
                        PIPELINE_MAX_LENGTH, length);
        return NULL;
    }
    mpu_pipeline *x = xcalloc(1, sizeof *x);
    x->target = target;
    x->config.size = sizeof x->config;
    if (o.config)
        memcpy(&x->config, o.config,
               o.config->size < sizeof x->config ? o.config->size : sizeof x->config);
    x->config.size = sizeof x->config;
    x->config.unhashed = 1;
    x->messages = x->config.messages;
    x->options = o;
    x->options.config = NULL;
    if (!o.host_element_ps)
        x->options.host_element_ps = target->t->host_element_ps;
    pipeline_init(&x->stages, length);
    x->stages.full = o.full != 0;
    x->stages.every_one = o.no_fuse != 0;
    return x;
}

void mpu_pipeline_free(mpu_pipeline *x) {
    if (!x)
        return;
    for (size_t i = 0; x->data && i < x->stages.arrays.len; i++)
        if (x->data[i] != x->stages.arrays.data[i].key) /* its owner's */
            free(x->data[i]);
    free(x->data);
    free(x->lengths);
    vec_free(&x->parts);
    vec_free(&x->shares);
    pipeline_free(&x->stages);
    mpu_target_close(x->golden);
    free(x);
}

/* ---- stages ---- */

static struct lane_type lane_type_of(mpu_type type) {
    const mpu_array like = {.type = type};
    struct ndarray a;
    if (!public_array_borrow(&like, true, &a))
        return (struct lane_type){TYPE_UINT, 0};
    static const enum type_kind kinds[] = {[ELEMENT_BOOL] = TYPE_BOOL,
                                           [ELEMENT_UINT] = TYPE_UINT,
                                           [ELEMENT_INT] = TYPE_INT,
                                           [ELEMENT_FLOAT] = TYPE_FLOAT,
                                           [ELEMENT_BFLOAT] = TYPE_BFLOAT};
    return (struct lane_type){kinds[a.type.kind], a.type.kind == ELEMENT_BOOL ? 1 : a.type.bits};
}

mpu_result mpu_pipeline_stage(mpu_pipeline *x, const mpu_stage *stage, mpu_error **error) {
    PUBLIC_ENTRY_OF(x, error, MPU_CAPACITY);
    if (x->executed)
        return pipeline_refuse(x, error, MPU_USAGE,
                               "the pipeline was executed: a stage needs a new one");
    if (stage->count && !stage->arguments)
        return pipeline_refuse(x, error, MPU_USAGE,
                               "a stage has %" PRIu32 " arguments, and no array of them",
                               stage->count);
    struct pipeline_argument *arguments = xcalloc(stage->count + 1u, sizeof *arguments);
    for (uint32_t i = 0; i < stage->count; i++) {
        const mpu_stage_argument *a = &stage->arguments[i];
        arguments[i] = (struct pipeline_argument){(enum pipeline_role)a->role,
                                                  lane_type_of(a->type),
                                                  a->data,
                                                  a->elements,
                                                  a->tail,
                                                  a->tail_elements,
                                                  NULL};
    }
    const struct pipeline_request request = {.pattern = (enum pipeline_pattern)stage->pattern,
                                             .function = stage->function,
                                             .arguments = arguments,
                                             .count = stage->count,
                                             .overlap = stage->overlap,
                                             .group = stage->group,
                                             .combine = stage->combine,
                                             .init = stage->init,
                                             .file = stage->file,
                                             .line = stage->line};
    struct public_call c;
    public_call_begin(&c, x->messages, error);
    bool fine = pipeline_add(&x->stages, &request, c.d);
    free(arguments);
    return public_call_end(&c, fine ? MPU_OK : MPU_REJECTED);
}

mpu_result mpu_pipeline_constant(mpu_pipeline *x, const char *name, mpu_type type,
                                 const char *value, mpu_error **error) {
    PUBLIC_ENTRY_OF(x, error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, x->messages, error);
    bool fine = pipeline_constant(&x->stages, name, lane_type_of(type), value, c.d);
    return public_call_end(&c, fine ? MPU_OK : MPU_REJECTED);
}

mpu_result mpu_pipeline_fetch(mpu_pipeline *x, const void *data, mpu_error **error) {
    PUBLIC_ENTRY_OF(x, error, MPU_CAPACITY);
    if (x->executed)
        return pipeline_refuse(x, error, MPU_USAGE,
                               "fetch: the pipeline was executed: fetch before that");
    struct public_call c;
    public_call_begin(&c, x->messages, error);
    return public_call_end(&c, pipeline_fetch(&x->stages, data, c.d) ? MPU_OK : MPU_USAGE);
}

mpu_result mpu_pipeline_execute(mpu_pipeline *x, mpu_error **error) {
    PUBLIC_ENTRY_OF(x, error, MPU_CAPACITY);
    if (x->executed)
        return pipeline_refuse(x, error, MPU_USAGE,
                               "the pipeline was executed before: make a new one");
    if (!x->stages.stages.len)
        return pipeline_refuse(x, error, MPU_USAGE, "the pipeline has no stage: add one");
    x->executed = true;
    mpu_result r = pipeline_run(x, error);
    x->done = r == MPU_OK;
    return r;
}

mpu_result mpu_pipeline_length(const mpu_pipeline *x, const void *data, uint64_t *length) {
    uint32_t k = x->done ? pipeline_find_made(&x->stages, data) : NO_INDEX;
    while (k != NO_INDEX && x->stages.arrays.data[k].maker == NO_INDEX &&
           x->stages.arrays.data[k].source != NO_INDEX)
        k = x->stages.arrays.data[k].source;
    /* What does not come back is not counted. */
    if (k == NO_INDEX || (x->stages.arrays.data[k].kept && !x->data[k]))
        return MPU_USAGE;
    *length = pipeline_elements_of(x, k);
    return MPU_OK;
}

char *mpu_pipeline_program(mpu_pipeline *x, uint32_t i, mpu_error **error) {
    PUBLIC_ENTRY_OF(x, error, NULL);
    struct str text = {0};
    if (i >= x->stages.bases.len || !x->stages.stages.len)
        return NULL;
    struct pipeline_segment segment;
    pipeline_segment_read(&x->stages, i, &segment);
    pipeline_program(&x->stages, &segment, pipeline_units(x) != 0, &text);
    pipeline_segment_free(&segment);
    return public_text_out(&text);
}

/* ---- figures ---- */

struct pipeline_sums {
    uint64_t in, kernel, out, host, total, once, rounds, cpu_elements, bytes_in, bytes_out,
        micro_ops;
};

static uint64_t cpu_time(const mpu_pipeline *x, uint32_t segment) {
    return sat_mul(x->shares.data[segment].counts.cpu_elements, x->options.host_element_ps);
}

/* The host works on its elements while kernels run. */
static struct pipeline_sums sum_up(const mpu_pipeline *x) {
    struct pipeline_sums s = {0};
    for (uint32_t i = 0; i < x->shares.len; i++) {
        uint64_t kernel = 0, host = cpu_time(x, i), host_ps;
        for (size_t k = 0; k < x->parts.len; k++) {
            const struct pipeline_part *p = &x->parts.data[k];
            if (p->segment != i || p->host)
                continue;
            s.in += p->in_ps, s.out += p->out_ps, s.once += p->load_ps;
            s.bytes_in += p->bytes_in, s.bytes_out += p->bytes_out;
            s.micro_ops += p->micro_ops;
            s.total += p->in_ps + p->out_ps;
            kernel += p->kernel_ps;
            s.rounds++;
        }
        s.kernel += kernel;
        host_ps = sat_add(host, x->shares.data[i].moved_ps);
        s.host = sat_add(s.host, host_ps);
        s.total =
            sat_add(s.total, kernel > host ? sat_add(kernel, x->shares.data[i].moved_ps) : host_ps);
        s.cpu_elements += x->shares.data[i].counts.cpu_elements;
    }
    const struct target *t = x->target->t;
    s.once += t->host_alloc_ps + x->shares.len * (t->host_compile_ps + t->host_template_ps);
    return s;
}

mpu_result mpu_pipeline_figure(const mpu_pipeline *x, const char *name, uint64_t *value) {
    if (!x->done)
        return MPU_USAGE;
    const struct pipeline_sums s = sum_up(x);
    const struct {
        const char *name;
        uint64_t value;
    } all[] = {
        {"transfer_in", s.in},      {"kernel", s.kernel},       {"transfer_out", s.out},
        {"host", s.host},           {"total", s.total},         {"once", s.once},
        {"rounds", s.rounds},       {"parts", x->shares.len},   {"bytes_in", s.bytes_in},
        {"bytes_out", s.bytes_out}, {"micro_ops", s.micro_ops}, {"cpu_elements", s.cpu_elements}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0) {
            *value = all[i].value;
            return MPU_OK;
        }
    return MPU_USAGE;
}

/* Each launch by the stages that it carries, and the rest of the kernels' time. */
static void put_launches(const mpu_pipeline *x, const struct pipeline_segment *segment,
                         const struct pipeline_part *p, struct str *out) {
    uint64_t rest = p->kernel_ps;
    for (size_t k = 0; k + 1 < segment->kernels.len; k++) {
        uint32_t first = segment->kernels.data[k], last = segment->kernels.data[k + 1] - 1;
        str_printf(out, "    %s", x->stages.stages.data[first].place);
        if (last > first)
            str_printf(out, " to %s", x->stages.stages.data[last].place);
        str_printf(out, ": %" PRIu64 " ps\n", p->kernels_ps[k]);
        rest -= p->kernels_ps[k] < rest ? p->kernels_ps[k] : rest;
    }
    str_printf(out, "    starting them: %" PRIu64 " ps\n", rest);
}

static void put_round(const mpu_pipeline *x, const struct pipeline_part *p, uint64_t round,
                      struct str *out) {
    struct pipeline_segment segment;
    pipeline_segment_read(&x->stages, p->segment, &segment);
    str_printf(out,
               "part %" PRIu32 ", round %" PRIu64 ": %" PRIu64 " elements\n  transfer in: %" PRIu64
               " ps, %" PRIu64 " bytes\n  kernel: %" PRIu64 " ps\n",
               p->segment + 1, round, p->count, p->in_ps, p->bytes_in, p->kernel_ps);
    put_launches(x, &segment, p, out);
    str_printf(out,
               "  transfer out: %" PRIu64 " ps, %" PRIu64 " bytes\n  one-time: %" PRIu64
               " ps for loading the code\n",
               p->out_ps, p->bytes_out, p->load_ps);
    pipeline_segment_free(&segment);
}

/* The host's of a segment: beside the kernels, behind them, and before. */
static void put_host(const mpu_pipeline *x, uint32_t segment, struct str *out) {
    const struct target *t = x->target->t;
    str_printf(out,
               "part %" PRIu32 ", host: %" PRIu64 " ps for %" PRIu64
               " elements of its own while kernels run, %" PRIu64
               " ps to move and put together results\n  one-time: %" PRIu64
               " ps for compiling, %" PRIu64 " ps for the template\n",
               segment + 1, cpu_time(x, segment), x->shares.data[segment].counts.cpu_elements,
               x->shares.data[segment].moved_ps, t->host_compile_ps, t->host_template_ps);
}

char *mpu_pipeline_stats(mpu_pipeline *x, mpu_error **error) {
    PUBLIC_ENTRY_OF(x, error, NULL);
    struct str out = {0};
    if (!x->done) {
        pipeline_refuse(x, error, MPU_USAGE, "the pipeline was not executed: there are no figures");
        return NULL;
    }
    for (uint32_t i = 0; i < x->shares.len; i++) {
        uint64_t round = 0;
        for (size_t k = 0; k < x->parts.len; k++)
            if (x->parts.data[k].segment == i && !x->parts.data[k].host)
                put_round(x, &x->parts.data[k], ++round, &out);
        put_host(x, i, &out);
    }
    const struct pipeline_sums s = sum_up(x);
    str_printf(&out,
               "transfer in:  %" PRIu64 " ps, %" PRIu64 " bytes\nkernel:       %" PRIu64
               " ps\ntransfer out: %" PRIu64 " ps, %" PRIu64 " bytes\nhost:         %" PRIu64
               " ps, %" PRIu64 " elements of its own\ntotal:        %" PRIu64
               " ps\none-time:     %" PRIu64 " ps, not in the total, %" PRIu64
               " ps of it for allocating\n",
               s.in, s.bytes_in, s.kernel, s.out, s.bytes_out, s.host, s.cpu_elements, s.total,
               s.once, x->target->t->host_alloc_ps);
    return public_text_out(&out);
}
