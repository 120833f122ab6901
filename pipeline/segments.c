/* SPDX-License-Identifier: MIT
 * Segments of a pipeline: kernels, the arrays that come in and go out, and what the counts need. */
#include "pipeline/pipeline.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>

void pipeline_array_name(uint32_t array, char out[24]) {
    snprintf(out, 24, "mpu_a%" PRIu32, array);
}

void pipeline_tail_name(uint32_t stage, uint32_t argument, char out[32]) {
    snprintf(out, 32, "mpu_t%" PRIu32 "_%" PRIu32, stage, argument);
}

void pipeline_count_name(uint32_t array, char out[24]) {
    snprintf(out, 24, "mpu_k%" PRIu32, array);
}

uint64_t pipeline_divide(const struct pipeline *pipeline, uint32_t length, uint32_t base) {
    uint64_t divide = 1;
    while (length != base) {
        const struct pipeline_length *l = &pipeline->lengths.data[length];
        if (l->kind == PIPELINE_ALL || l->kind == PIPELINE_GIVEN)
            break;
        if (l->kind == PIPELINE_UNITS)
            divide *= l->value;
        length = l->of;
    }
    return divide;
}

uint32_t pipeline_stage_length(const struct pipeline *pipeline,
                               const struct pipeline_stage *stage) {
    for (size_t k = 0; k < stage->count; k++)
        if (pipeline_has_elements(&stage->arguments[k]))
            return pipeline->arrays.data[stage->arguments[k].array].length;
    return 0;
}

/* ---- what is read and made ---- */

/* Whether the argument of the stage is read: of an array that a filter makes it is not. */
static bool reads(const struct pipeline_bound *b) {
    return b->role != PIPELINE_OUTPUT && b->array != NO_INDEX;
}

static bool in_segment(const struct pipeline *p, uint32_t stage, uint32_t segment) {
    return stage != NO_INDEX && p->stages.data[stage].segment == segment;
}

static struct pipeline_traffic *traffic_of(struct pipeline_segment *s, uint32_t array) {
    for (size_t i = 0; i < s->traffic.len; i++)
        if (s->traffic.data[i].array == array)
            return &s->traffic.data[i];
    vec_push(&s->traffic, ((struct pipeline_traffic){.array = array}));
    return &vec_last(&s->traffic);
}

/* Whether a later segment works on it, or on what begins with its data. */
static bool wanted_later(const struct pipeline *p, uint32_t array, uint32_t segment) {
    for (size_t i = 0; i < p->stages.len; i++) {
        const struct pipeline_stage *s = &p->stages.data[i];
        for (size_t k = 0; s->segment > segment && k < s->count; k++) {
            uint32_t other = s->arguments[k].array;
            if (other != NO_INDEX && (other == array || p->arrays.data[other].source == array))
                return true;
        }
    }
    return false;
}

static void read_stage(const struct pipeline *p, uint32_t number, struct pipeline_segment *out) {
    const struct pipeline_stage *s = &p->stages.data[number];
    for (size_t k = 0; k < s->count; k++) {
        const struct pipeline_bound *b = &s->arguments[k];
        if (b->array == NO_INDEX)
            continue;
        const struct pipeline_array *x = &p->arrays.data[b->array];
        struct pipeline_traffic *t = traffic_of(out, b->array);
        bool first = !in_segment(p, x->maker, s->segment);
        t->in |= reads(b) && (first || x->use == PIPELINE_RESULT);
        /* What it changes of its owner's is its own from here on. */
        bool made = b->role != PIPELINE_INPUT && b->role != PIPELINE_SCALAR;
        if (made)
            t->out |= x->fetched || wanted_later(p, b->array, s->segment);
        if (pipeline_windows(s->pattern) && pipeline_has_elements(b))
            out->together |= !first || in_segment(p, x->changed, s->segment);
    }
    if (s->made != NO_INDEX) {
        struct pipeline_traffic *t = traffic_of(out, s->made);
        t->out |= p->arrays.data[s->made].fetched || wanted_later(p, s->made, s->segment);
    }
}

/* ---- windows over what the segment makes ---- */

/* Of the stage's output the last units of a part that are wrong if more of its input follows:
 * windows saw nothing there of what the segment makes. */
static uint64_t wrong_units(const struct pipeline *p, const struct pipeline_stage *s,
                            const uint64_t *wrong) {
    uint64_t most = 0;
    for (size_t k = 0; k < s->count; k++) {
        const struct pipeline_bound *b = &s->arguments[k];
        if (!pipeline_has_elements(b))
            continue;
        const struct pipeline_array *x = &p->arrays.data[b->array];
        const bool made =
            in_segment(p, x->maker, s->segment) || in_segment(p, x->changed, s->segment);
        const uint64_t n =
            wrong[b->array] + (made && pipeline_windows(s->pattern) ? s->overlap : 0);
        most = n > most ? n : most;
    }
    return s->group ? ceil_div(most, s->group) : most;
}
/* Elements that filters keep and reduces gather have to be those of the part alone. */
static void find_halo(const struct pipeline *p, uint32_t first, uint32_t end,
                      struct pipeline_segment *out) {
    uint64_t *wrong = xcalloc(p->arrays.len + 1, sizeof *wrong);
    bool others = false;
    for (uint32_t i = first; i < end; i++) {
        const struct pipeline_stage *s = &p->stages.data[i];
        const uint64_t n = wrong_units(p, s, wrong);
        others |= pipeline_filters(s->pattern) || s->pattern == PIPELINE_REDUCE;
        for (size_t k = 0; k < s->count && !others; k++)
            if ((s->arguments[k].role == PIPELINE_OUTPUT ||
                 s->arguments[k].role == PIPELINE_INOUT) &&
                n > wrong[s->arguments[k].array])
                wrong[s->arguments[k].array] = n;
    }
    for (size_t i = 0; i < out->traffic.len && !others; i++) {
        const struct pipeline_traffic *t = &out->traffic.data[i];
        const struct pipeline_array *x = &p->arrays.data[t->array];
        const uint64_t n =
            t->out ? sat_mul(wrong[t->array], pipeline_divide(p, x->length, out->base)) : 0;
        out->halo = n > out->halo ? n : out->halo;
    }
    out->together = others;
    free(wrong);
}

/* ---- kernels ---- */

/* Whether a stage from `stage` on reads what a filter before it has kept. */
static bool kept_beyond(const struct pipeline *p, uint32_t stage, uint32_t end, uint32_t segment) {
    for (uint32_t i = stage; i < end; i++)
        for (size_t k = 0; k < p->stages.data[i].count; k++) {
            const struct pipeline_bound *b = &p->stages.data[i].arguments[k];
            const struct pipeline_array *x =
                b->array == NO_INDEX ? NULL : &p->arrays.data[b->array];
            if (x && reads(b) && x->kept && x->maker < stage && in_segment(p, x->maker, segment))
                return true;
        }
    return false;
}

static uint32_t kernel_of(const struct pipeline_segment *s, uint32_t stage) {
    uint32_t k = 0;
    while (k + 1 < s->kernels.len && s->kernels.data[k + 1] <= stage)
        k++;
    return k;
}

static void find_crossing(const struct pipeline *p, struct pipeline_segment *s) {
    for (uint32_t i = s->kernels.data[0]; i < vec_last(&s->kernels); i++)
        for (size_t k = 0; k < p->stages.data[i].count; k++) {
            const struct pipeline_bound *b = &p->stages.data[i].arguments[k];
            const struct pipeline_array *x =
                b->array == NO_INDEX ? NULL : &p->arrays.data[b->array];
            if (x && reads(b) && in_segment(p, x->maker, s->number) &&
                kernel_of(s, x->maker) != kernel_of(s, i))
                traffic_of(s, b->array)->crosses = true;
        }
}

void pipeline_segment_read(const struct pipeline *pipeline, uint32_t number,
                           struct pipeline_segment *out) {
    uint32_t first = 0, end = (uint32_t)pipeline->stages.len;
    *out = (struct pipeline_segment){.number = number, .base = pipeline->bases.data[number]};
    while (first < end && pipeline->stages.data[first].segment < number)
        first++;
    while (end > first && pipeline->stages.data[end - 1].segment > number)
        end--;
    for (uint32_t i = first; i < end; i++) {
        read_stage(pipeline, i, out);
        if (i == first || (pipeline->every_one && !kept_beyond(pipeline, i, end, number)))
            vec_push(&out->kernels, i);
    }
    vec_push(&out->kernels, end);
    find_crossing(pipeline, out);
    if (out->together)
        find_halo(pipeline, first, end, out);
}

void pipeline_segment_free(struct pipeline_segment *segment) {
    vec_free(&segment->traffic);
    vec_free(&segment->kernels);
}

/* ---- counts ---- */

/* Elements of an array beyond a slice, by the stage that sees most of them. */
static uint64_t beyond(const struct pipeline *p, uint32_t array, uint32_t first, uint32_t end) {
    uint64_t most = 0;
    for (uint32_t i = first; i < end; i++)
        for (size_t k = 0; k < p->stages.data[i].count; k++)
            if (p->stages.data[i].arguments[k].array == array &&
                pipeline_has_elements(&p->stages.data[i].arguments[k]) &&
                p->stages.data[i].overlap > most)
                most = p->stages.data[i].overlap;
    return most;
}

static struct pipeline_item item_of(const struct pipeline *p, const struct pipeline_segment *s,
                                    uint32_t array, uint32_t first, uint32_t end) {
    const struct pipeline_array *x = &p->arrays.data[array];
    uint64_t divide = pipeline_divide(p, x->length, s->base);
    return (struct pipeline_item){object_element_bytes(x->type), divide,
                                  beyond(p, array, first, end)};
}

static bool names_array(const struct pipeline_stage *s, uint32_t array) {
    for (size_t k = 0; k < s->count; k++)
        if (s->arguments[k].array == array)
            return true;
    return s->made == array;
}

size_t pipeline_items(const struct pipeline *pipeline, const struct pipeline_segment *segment,
                      uint32_t stage, struct pipeline_item *items) {
    const uint32_t first = stage == NO_INDEX ? segment->kernels.data[0] : stage;
    const uint32_t end = stage == NO_INDEX ? vec_last(&segment->kernels) : stage + 1;
    size_t count = 0;
    for (size_t i = 0; i < segment->traffic.len; i++) {
        uint32_t array = segment->traffic.data[i].array;
        bool named = stage == NO_INDEX ? pipeline_lies(&segment->traffic.data[i])
                                       : names_array(&pipeline->stages.data[stage], array);
        if (named && pipeline->arrays.data[array].use == PIPELINE_ELEMENTS)
            items[count++] = item_of(pipeline, segment, array, first, end);
    }
    return count;
}

uint64_t pipeline_stage_group(const struct pipeline *pipeline,
                              const struct pipeline_segment *segment, uint32_t stage) {
    const struct pipeline_stage *s = &pipeline->stages.data[stage];
    return (s->group ? s->group : 1) *
           pipeline_divide(pipeline, pipeline_stage_length(pipeline, s), segment->base);
}
uint64_t pipeline_segment_group(const struct pipeline *pipeline,
                                const struct pipeline_segment *segment) {
    uint64_t all = 1;
    for (uint32_t i = segment->kernels.data[0]; i < vec_last(&segment->kernels); i++)
        all = pipeline_multiple(all, pipeline_stage_group(pipeline, segment, i));
    return all;
}
