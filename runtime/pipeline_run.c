/* SPDX-License-Identifier: MIT
 * A pipeline is carried out: segment after segment, round after round, and behind them what is left
 * for the host. */
#include "runtime/data.h"
#include "runtime/pipelines.h"

#include "machines/machine.h"
#include "support/bits.h"

#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const void *pipeline_data(const mpu_pipeline *x, uint32_t array) {
    const struct pipeline_array *a = &x->stages.arrays.data[array];
    while (!x->data[array] && a->source != NO_INDEX) {
        array = a->source;
        a = &x->stages.arrays.data[array];
    }
    return x->data[array] ? x->data[array] : a->key;
}

uint64_t pipeline_elements_of(const mpu_pipeline *x, uint32_t array) {
    const struct pipeline_array *a = &x->stages.arrays.data[array];
    return a->use == PIPELINE_ELEMENTS ? x->lengths[a->length] : a->elements;
}

/* ---- memory ---- */

/* Whether the owner's array has room for what is fetched. */
static bool has_room(const mpu_pipeline *x, uint32_t array) {
    const struct pipeline_array *a = &x->stages.arrays.data[array];
    const uint64_t n = pipeline_elements_of(x, array);
    return !n || !a->elements || (a->elements != PIPELINE_NO_ELEMENTS && a->elements >= n);
}

/* What is fetched goes straight into its owners' arrays: behind the segment nothing is carried out
 * any more, and nothing can be refused. */
static bool writes_directly(const mpu_pipeline *x, const struct pipeline_segment *segment) {
    const struct pipeline_counts *c = &x->shares.data[segment->number].counts;
    bool last = segment->number + 1 == x->stages.bases.len &&
                x->options.cpu_elements != MPU_PIPELINE_CPU_AUTO &&
                c->rounds + (c->cpu_elements != 0) == 1;
    for (uint32_t i = 0; i < x->stages.arrays.len && last; i++) {
        const struct pipeline_array *a = &x->stages.arrays.data[i];
        last = !a->fetched || (!a->kept && has_room(x, i));
    }
    return last;
}

/* Arrays that the segment makes or changes get memory, with what they begin with. */
static void make_room(mpu_pipeline *x, const struct pipeline_segment *segment) {
    const bool direct = writes_directly(x, segment);
    for (size_t i = 0; i < segment->traffic.len; i++) {
        const struct pipeline_traffic *t = &segment->traffic.data[i];
        const struct pipeline_array *a = &x->stages.arrays.data[t->array];
        const uint64_t bytes = pipeline_elements_of(x, t->array) * object_element_bytes(a->type);
        if (!t->out && a->use != PIPELINE_RESULT)
            continue;
        if (direct && a->fetched && !t->in && a->use == PIPELINE_ELEMENTS && !x->data[t->array]) {
            x->data[t->array] = a->key;
            continue;
        }
        void *data = xcalloc_large(bytes + 1, 1);
        if (t->in)
            memcpy(data, pipeline_data(x, t->array), bytes);
        free(x->data[t->array]);
        x->data[t->array] = data;
    }
}

/* Lengths that follow from n elements of the base. */
static void set_lengths(mpu_pipeline *x, const struct pipeline_segment *segment, uint64_t n) {
    for (size_t i = 0; i < segment->traffic.len; i++) {
        const struct pipeline_array *a = &x->stages.arrays.data[segment->traffic.data[i].array];
        if (a->use == PIPELINE_ELEMENTS)
            x->lengths[a->length] = n / pipeline_divide(&x->stages, a->length, segment->base);
    }
}

/* ---- parts of reductions with `combine` and a value that parts begin with ---- */

/* The result that every part begins anew; NO_INDEX: the segment has none from `stage` on. */
static uint32_t next_combined(const mpu_pipeline *x, const struct pipeline_segment *segment,
                              uint32_t stage) {
    while (stage < vec_last(&segment->kernels) && !x->stages.stages.data[stage].init)
        stage++;
    return stage < vec_last(&segment->kernels) ? stage : NO_INDEX;
}

static uint32_t result_of(const struct pipeline_stage *s) {
    for (size_t k = 0; k < s->count; k++)
        if (s->arguments[k].role == PIPELINE_REDUCE_OUT)
            return s->arguments[k].array;
    return NO_INDEX;
}

/* For the target, unless it is NULL: of planes with little room it gets a text of its own. */
static mpu_program *build(const char *name, const struct str *text, const char *target,
                          mpu_messages *messages, mpu_error **error) {
    mpu_source *source = mpu_source_new(messages);
    if (target)
        mpu_source_for_target(source, target), mpu_source_set_spill(source, 1);
    mpu_source_add_text(source, name, str_text(text), text->len);
    mpu_program *program = mpu_source_build(source, error);
    mpu_source_free(source);
    return program;
}

/* into = combine(into, part), by the host. */
static mpu_result combine(mpu_pipeline *x, uint32_t stage, void *into, void *part,
                          mpu_error **error) {
    const struct pipeline_array *a =
        &x->stages.arrays.data[result_of(&x->stages.stages.data[stage])];
    const mpu_type type = public_type(session_host_type(a->type));
    const mpu_array left = {type, 1, {a->elements}, into}, right = {type, 1, {a->elements}, part};
    uint8_t one = 0;
    const mpu_array once = {MPU_U8, 1, {1}, &one};
    mpu_config config = {.size = sizeof config, .unhashed = 1, .threads = 1};
    struct str text = {0};
    mpu_array got;
    pipeline_combine_program(&x->stages, stage, &text);
    mpu_program *program = build("combine.ez", &text, NULL, NULL, error);
    str_free(&text);
    if (!program || (!x->golden && !(x->golden = mpu_target_open("golden", NULL, error)))) {
        mpu_program_free(program);
        return MPU_REJECTED;
    }
    mpu_session *s = mpu_session_new(program, x->golden, &config, error);
    mpu_result r = s ? mpu_session_put(s, "mpu_one", &once, error) : MPU_REJECTED;
    r = r == MPU_OK ? mpu_session_put(s, "mpu_part", &right, error) : r;
    r = r == MPU_OK ? mpu_session_put(s, "mpu_into", &left, error) : r;
    r = r == MPU_OK ? mpu_session_run(s, error) : r;
    r = r == MPU_OK ? mpu_session_get(s, "mpu_into", &got, error) : r;
    if (r == MPU_OK) {
        memcpy(into, got.data, a->elements * object_element_bytes(a->type));
        mpu_array_free(&got);
    }
    mpu_session_free(s);
    mpu_program_free(program);
    return r;
}

/* What results had before a part, whose own then stands in data. */
static void **set_aside(mpu_pipeline *x, const struct pipeline_segment *segment) {
    void **before = xcalloc(x->stages.stages.len + 1, sizeof *before);
    uint32_t i = segment->kernels.data[0];
    while ((i = next_combined(x, segment, i)) != NO_INDEX) {
        uint32_t array = result_of(&x->stages.stages.data[i]);
        const struct pipeline_array *a = &x->stages.arrays.data[array];
        uint64_t bytes = a->elements * object_element_bytes(a->type);
        before[i] = xmalloc(bytes + 1);
        memcpy(before[i++], x->data[array], bytes);
    }
    return before;
}

static mpu_result put_together(mpu_pipeline *x, const struct pipeline_segment *segment,
                               void **before, mpu_result result, mpu_error **error) {
    uint32_t i = segment->kernels.data[0];
    while ((i = next_combined(x, segment, i)) != NO_INDEX) {
        uint32_t array = result_of(&x->stages.stages.data[i]);
        if (result == MPU_OK)
            result = combine(x, i, before[i], x->data[array], error);
        free(x->data[array]);
        x->data[array] = before[i++];
    }
    free(before);
    return result;
}

/* ---- segments ---- */

static mpu_result run_part(mpu_pipeline *x, const struct pipeline_segment *segment,
                           const mpu_program *program, bool host, struct pipeline_slice slice,
                           uint64_t *kept, mpu_error **error) {
    struct pipeline_part part = {
        segment->number, host, false, slice.first, slice.count, 0, 0, 0, 0, 0, 0, 0, {0}};
    void **before = set_aside(x, segment);
    mpu_result result = pipeline_run_part(x, segment, program, &part, kept, error);
    vec_push(&x->parts, part);
    return put_together(x, segment, before, result, error);
}

/* Why no `else` could be written. */
static void keep_else(void *context, const mpu_message *m) {
    const char *name = mpu_message_warning(m);
    if (!name || strcmp(name, "else") != 0)
        return;
    str_append(context, mpu_message_text(m));
    for (size_t i = 0; i < mpu_message_note_count(m); i++)
        str_printf(context, "; %s", mpu_message_text(mpu_message_note(m, i)));
}

/* A target that does not launch stages has what the compiler wrote in their place. */
static mpu_program *segment_program(mpu_pipeline *x, const struct pipeline_segment *segment,
                                    bool units, bool host, mpu_error **error) {
    struct str text = {0}, name = {0}, why = {0};
    mpu_messages *messages = mpu_messages_new(keep_else, &why);
    pipeline_program(&x->stages, segment, units, &text);
    str_printf(&name, "pipeline%" PRIu32 ".ez", segment->number + 1);
    mpu_program *program =
        build(str_text(&name), &text, host ? NULL : mpu_target_name(x->target), messages, error);
    mpu_messages_free(messages);
    if (program && why.len && !host && !pipeline_on_golden(x) &&
        !machine_form(x->target->t, "stage", NULL)) {
        pipeline_refuse(x, error, MPU_REJECTED, "target '%s' cannot carry this pipeline out: %s",
                        mpu_target_name(x->target), str_text(&why));
        mpu_program_free(program);
        program = NULL;
    }
    str_free(&text);
    str_free(&name);
    str_free(&why);
    return program;
}

/* ---- how many elements the host works on where nobody says it ---- */

/* Elements of a unit in the larger sample: 256 for each of 16 tasklets. */
#define SAMPLE_MOST 4096u

static mpu_result take_sample(mpu_pipeline *x, const struct pipeline_segment *segment,
                              const mpu_program *program, uint64_t per_unit,
                              struct pipeline_sample *out, mpu_error **error) {
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

/* MPU_PIPELINE_CPU_AUTO: carries samples of the segment out, and shares its elements out anew so
 * that it is over soonest. */
static mpu_result choose_cpu(mpu_pipeline *x, const struct pipeline_segment *segment,
                             const mpu_program *program, mpu_error **error) {
    struct pipeline_shares *s = &x->shares.data[segment->number];
    const uint64_t element_ps = x->options.host_element_ps;
    struct pipeline_model m = {.element_ps = element_ps,
                               .host_ps = sat_mul(element_ps, results_of(x, segment))};
    if (x->options.cpu_elements != MPU_PIPELINE_CPU_AUTO || !s->counts.rounds || !element_ps ||
        !pipeline_units(x) || segment->together)
        return MPU_OK;
    const uint64_t most = s->counts.per_unit < SAMPLE_MOST ? s->counts.per_unit : SAMPLE_MOST;
    const uint64_t blocks = most > s->alignment ? most / s->alignment : 1;
    mpu_result r = take_sample(x, segment, program, blocks * s->alignment, &m.more, error);
    m.less = m.more;
    if (r == MPU_OK && blocks > 1)
        r = take_sample(x, segment, program, blocks / 2 * s->alignment, &m.less, error);
    if (r == MPU_OK)
        pipeline_share(x, segment, s->length,
                       pipeline_cpu_share(&m, s->length, pipeline_units(x), s->most, s->alignment),
                       s);
    return r;
}

/* ---- rounds ---- */

static mpu_result run_rounds(mpu_pipeline *x, const struct pipeline_segment *segment,
                             uint64_t *kept, mpu_error **error) {
    const struct pipeline_counts *c = &x->shares.data[segment->number].counts;
    mpu_result result = MPU_OK;
    for (int host = 0; host < 2 && result == MPU_OK; host++) {
        uint64_t parts = host ? c->cpu_elements != 0 : c->rounds;
        mpu_program *program =
            parts ? segment_program(x, segment, !host && c->units, host, error) : NULL;
        if (parts && !program)
            return MPU_REJECTED;
        if (!host && parts) {
            result = choose_cpu(x, segment, program, error);
            parts = c->rounds;
        }
        for (uint64_t i = 0; i < parts && result == MPU_OK; i++) {
            struct pipeline_slice s = {i * c->elements_per_round, c->elements_per_round};
            result =
                run_part(x, segment, program, host, host ? pipeline_cpu_slice(c) : s, kept, error);
        }
        mpu_program_free(program);
    }
    return result;
}

/* What the host does behind the rounds: moves what filters have kept, and puts results of parts
 * together, each tasklet's. */
static void count_moves(mpu_pipeline *x, const struct pipeline_segment *segment) {
    const struct pipeline_counts *c = &x->shares.data[segment->number].counts;
    const uint64_t parts =
        c->rounds * pipeline_workers(x, segment->number) + (c->cpu_elements != 0);
    uint64_t elements = 0;
    for (size_t i = 0; i < segment->traffic.len; i++) {
        const struct pipeline_traffic *t = &segment->traffic.data[i];
        const struct pipeline_array *a = &x->stages.arrays.data[t->array];
        bool made =
            a->maker != NO_INDEX && x->stages.stages.data[a->maker].segment == segment->number;
        if (made && a->use == PIPELINE_RESULT)
            elements += parts * a->elements;
        else if (made && a->kept && t->out)
            elements += x->lengths[a->length];
    }
    x->shares.data[segment->number].moved_ps = sat_mul(elements, x->options.host_element_ps);
}

static mpu_result check_groups(mpu_pipeline *x, const struct pipeline_segment *segment, uint64_t n,
                               mpu_error **error) {
    for (uint32_t i = segment->kernels.data[0]; i < vec_last(&segment->kernels); i++) {
        uint64_t group = pipeline_stage_group(&x->stages, segment, i);
        if (n % group != 0)
            return pipeline_refuse(x, error, MPU_REJECTED,
                                   "%s: groups of %" PRIu64 " do not divide the %" PRIu64
                                   " elements that a filter has kept",
                                   x->stages.stages.data[i].place, group, n);
    }
    return MPU_OK;
}

static mpu_result check_scalars(mpu_pipeline *x, const struct pipeline_segment *segment,
                                mpu_error **error) {
    uint32_t argument;
    uint64_t bytes, wram;
    uint32_t stage = pipeline_scalar_beyond(x, segment, &argument, &bytes, &wram);
    if (stage == NO_INDEX)
        return MPU_OK;
    bool gathers = x->stages.stages.data[stage].arguments[argument].role == PIPELINE_REDUCE_OUT;
    return pipeline_refuse(x, error, MPU_REJECTED,
                           "%s: argument %" PRIu32 " is %s of %" PRIu64
                           " bytes, which all lie in each DPU's WRAM of %" PRIu64 ": %s",
                           x->stages.stages.data[stage].place, argument + 1,
                           gathers ? "accumulators" : "a scalar", bytes, wram,
                           gathers ? "gather in parts, by several pipelines"
                                   : "make it an INPUT, or use several pipelines");
}

static mpu_result run_segment(mpu_pipeline *x, const struct pipeline_segment *segment,
                              mpu_error **error) {
    const uint64_t n = x->lengths[segment->base];
    struct pipeline_shares shares;
    uint64_t *kept = xcalloc(x->stages.arrays.len + 1, sizeof *kept);
    mpu_result result = check_groups(x, segment, n, error);
    if (result == MPU_OK && !pipeline_share(x, segment, n, pipeline_cpu_asked(x), &shares))
        result = pipeline_refuse(
            x, error, MPU_CAPACITY,
            "%s: not even %" PRIu64 " elements of all arrays of the pipeline have room in a DPU's "
            "memory: fetch less, or use several pipelines",
            x->stages.stages.data[segment->kernels.data[0]].place, shares.alignment);
    if (result == MPU_OK && shares.counts.rounds)
        result = check_scalars(x, segment, error);
    if (result == MPU_OK && segment->together && pipeline_units(x) &&
        ceil_div(n, pipeline_units(x)) > shares.most)
        result = pipeline_refuse(
            x, error, MPU_CAPACITY,
            "%s: windows see what the pipeline makes, and a filter or a reduce goes through it, so that "
            "all %" PRIu64 " elements are carried out in one round; %" PRIu32
            " DPUs have room for %" PRIu64
            " each: fetch what the windows make, and filter or reduce it in a pipeline of its own",
            x->stages.stages.data[segment->kernels.data[0]].place, n, pipeline_units(x),
            shares.most);
    if (result == MPU_OK) {
        vec_push(&x->shares, shares);
        set_lengths(x, segment, n);
        make_room(x, segment);
        result = run_rounds(x, segment, kept, error);
    }
    for (size_t i = 0; i < segment->traffic.len && result == MPU_OK; i++) {
        uint32_t array = segment->traffic.data[i].array;
        const struct pipeline_array *a = &x->stages.arrays.data[array];
        if (a->kept && a->maker != NO_INDEX &&
            x->stages.stages.data[a->maker].segment == segment->number)
            x->lengths[a->length] = kept[array];
    }
    if (result == MPU_OK)
        count_moves(x, segment);
    free(kept);
    return result;
}

/* ---- all ---- */

static mpu_result check_room(mpu_pipeline *x, uint32_t array, mpu_error **error) {
    const struct pipeline_array *a = &x->stages.arrays.data[array];
    const uint64_t n = pipeline_elements_of(x, array);
    if (has_room(x, array))
        return MPU_OK;
    return pipeline_refuse(x, error, MPU_USAGE,
                           "%s: what it makes has %" PRIu64
                           " elements, and the array that is fetched has room for %" PRIu64
                           ": make it larger",
                           x->stages.stages.data[a->changed].place, n,
                           a->elements == PIPELINE_NO_ELEMENTS ? 0 : a->elements);
}

static mpu_result deliver(mpu_pipeline *x, mpu_error **error) {
    mpu_result result = MPU_OK;
    for (uint32_t i = 0; i < x->stages.arrays.len && result == MPU_OK; i++)
        if (x->stages.arrays.data[i].fetched)
            result = check_room(x, i, error);
    for (uint32_t i = 0; i < x->stages.arrays.len && result == MPU_OK; i++) {
        const struct pipeline_array *a = &x->stages.arrays.data[i];
        uint64_t bytes = pipeline_elements_of(x, i) * object_element_bytes(a->type);
        if (a->fetched && bytes && x->data[i] != a->key)
            memcpy(a->key, x->data[i], bytes);
    }
    return result;
}

mpu_result pipeline_run(mpu_pipeline *x, mpu_error **error) {
    mpu_result result = MPU_OK;
    x->lengths = xcalloc(x->stages.lengths.len, sizeof *x->lengths);
    x->data = xcalloc(x->stages.arrays.len + 1, sizeof *x->data);
    for (size_t i = 0; i < x->stages.lengths.len; i++)
        x->lengths[i] = x->stages.lengths.data[i].kind == PIPELINE_GIVEN
                            ? x->stages.lengths.data[i].value
                            : x->stages.length;
    for (uint32_t i = 0; i < x->stages.bases.len && result == MPU_OK; i++) {
        struct pipeline_segment segment;
        pipeline_segment_read(&x->stages, i, &segment);
        result = run_segment(x, &segment, error);
        pipeline_segment_free(&segment);
    }
    return result == MPU_OK ? deliver(x, error) : result;
}
