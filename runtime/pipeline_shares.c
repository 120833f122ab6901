/* SPDX-License-Identifier: MIT
 * How the elements of a pipeline are shared out among the units of a target, and the plan as text.
 */
#include "runtime/pipelines.h"

#include "machines/machine.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool pipeline_on_golden(const mpu_pipeline *pipeline) {
    return pipeline->config.engine && strcmp(pipeline->config.engine, "golden") == 0;
}

uint32_t pipeline_units(const mpu_pipeline *pipeline) {
    const struct target *t = pipeline->target->t;
    const struct machine_form *form = machine_form(t, "stage", NULL);
    bool shares = form && form->lie && form->takes & TAKES_COUNT; /* buffers lie in slices */
    if (!shares || pipeline_on_golden(pipeline))
        return 0;
    uint64_t all = (uint64_t)target_vrfs_per_mpu(t) * t->mpus;
    if (pipeline->options.dpus && pipeline->options.dpus < all)
        all = pipeline->options.dpus;
    return all > UINT32_MAX ? UINT32_MAX : (uint32_t)all;
}

/* The key's number; 0: the target has none of that name. */
static uint64_t number_of(const struct target *t, const char *path) {
    for (size_t i = 0; i < t->key_count; i++)
        if (strcmp(t->keys[i].path, path) == 0)
            return strtoull(t->keys[i].value, NULL, 10);
    return 0;
}

uint32_t pipeline_scalar_beyond(const mpu_pipeline *x, const struct pipeline_segment *segment,
                                uint32_t *argument, uint64_t *bytes, uint64_t *wram) {
    *wram = number_of(x->target->t, "dpu.wram_bytes");
    for (uint32_t i = segment->kernels.data[0]; *wram && i < vec_last(&segment->kernels); i++)
        for (uint32_t k = 0; k < x->stages.stages.data[i].count; k++) {
            const struct pipeline_bound *b = &x->stages.stages.data[i].arguments[k];
            const struct pipeline_array *a = &x->stages.arrays.data[b->array];
            *argument = k;
            bool all = b->role == PIPELINE_SCALAR || b->role == PIPELINE_REDUCE_OUT;
            *bytes = all ? a->elements * object_element_bytes(a->type) : 0;
            if (*bytes >= *wram)
                return i;
        }
    return NO_INDEX;
}

/* Bytes of what each unit has all of: scalars, what goes on behind arrays; and of accumulators. */
static void common_bytes(const struct pipeline *p, const struct pipeline_segment *s, uint32_t stage,
                         uint64_t *shared, uint64_t *own) {
    *shared = *own = 0;
    for (uint32_t i = s->kernels.data[0]; i < vec_last(&s->kernels); i++)
        for (size_t k = 0; k < p->stages.data[i].count; k++) {
            const struct pipeline_bound *b = &p->stages.data[i].arguments[k];
            const struct pipeline_array *x = &p->arrays.data[b->array];
            const struct pipeline_item all = {object_element_bytes(x->type), 1, x->elements};
            if (stage != NO_INDEX && stage != i)
                continue;
            *shared += b->role == PIPELINE_SCALAR ? pipeline_item_bytes(&all, 0) : 0;
            *own += b->role == PIPELINE_REDUCE_OUT ? pipeline_item_bytes(&all, 0) : 0;
        }
}

static uint64_t room_of(const mpu_pipeline *pipeline, const struct pipeline_segment *segment) {
    uint64_t bytes = machine_memory(pipeline->target->t), shared, own;
    if (pipeline->options.mram_bytes)
        bytes = pipeline->options.mram_bytes < bytes ? pipeline->options.mram_bytes : bytes;
    else
        bytes = bytes > PIPELINE_MRAM_RESERVED ? bytes - PIPELINE_MRAM_RESERVED : 0;
    common_bytes(&pipeline->stages, segment, NO_INDEX, &shared, &own);
    return bytes > shared + own ? bytes - shared - own : 0;
}

uint64_t pipeline_cpu_asked(const mpu_pipeline *pipeline) {
    const uint64_t asked = pipeline->options.cpu_elements;
    return asked == MPU_PIPELINE_CPU_AUTO ? 0 : asked;
}

bool pipeline_share(const mpu_pipeline *pipeline, const struct pipeline_segment *segment,
                    uint64_t n, uint64_t cpu, struct pipeline_shares *out) {
    const uint32_t units = pipeline_units(pipeline);
    const struct pipeline *p = &pipeline->stages;
    struct pipeline_item *items = xcalloc(segment->traffic.len + 1, sizeof *items);
    size_t count = pipeline_items(p, segment, NO_INDEX, items);
    *out = (struct pipeline_shares){.known = true, .length = n};
    out->alignment = pipeline_alignment(items, count, pipeline_segment_group(p, segment));
    out->most = pipeline_elements(items, count, room_of(pipeline, segment), out->alignment);
    free(items);
    const uint64_t halo = ceil_div(segment->halo, out->alignment) * out->alignment;
    out->most = out->most > halo ? out->most - halo : 0;
    if (units && !segment->together)
        return pipeline_count(n, units, out->most, out->alignment, cpu, &out->counts);
    /* The machine shares out by itself, and nothing is left. */
    out->counts = (struct pipeline_counts){.rounds = n ? 1 : 0, .elements_per_round = n};
    out->counts.units = units;
    return true;
}

uint64_t pipeline_workers(const mpu_pipeline *pipeline, uint32_t segment) {
    const uint64_t tasklets = number_of(pipeline->target->t, "dpu.run_tasklets");
    const uint64_t units = pipeline->shares.data[segment].counts.units;
    return (units ? units : 1) * (tasklets ? tasklets : 1);
}

/* ---- text ---- */

static void put_array(const struct pipeline *p, uint32_t array, struct str *out) {
    char type[8];
    object_type_text(p->arrays.data[array].type, type);
    str_printf(out, "a%" PRIu32 ": %s", array, type);
}

static void put_stage_plan(const mpu_pipeline *x, const struct pipeline_segment *segment,
                           uint32_t number, struct str *out) {
    const struct pipeline *p = &x->stages;
    const struct pipeline_stage *s = &p->stages.data[number];
    const uint64_t wram = number_of(x->target->t, "dpu.wram_bytes");
    const uint32_t tasklets = (uint32_t)number_of(x->target->t, "dpu.run_tasklets");
    uint64_t shared, own;
    struct pipeline_item *items = xcalloc(segment->traffic.len + 1, sizeof *items);
    size_t count = pipeline_items(p, segment, number, items);
    str_printf(out, "  %s: %s", s->place, pipeline_pattern_name(s->pattern));
    for (size_t k = 0; k < s->count; k++) {
        static const char *const roles[] = {"in", "out", "inout", "scalar", "gathers in"};
        str_printf(out, "%s %s ", k ? "," : "", roles[s->arguments[k].role]);
        put_array(p, s->arguments[k].array, out);
    }
    str_char(out, '\n');
    common_bytes(p, segment, number, &shared, &own);
    if (wram && tasklets) {
        uint64_t unit = pipeline_alignment(items, count, s->group ? s->group : 1);
        uint64_t room = pipeline_wram(wram, tasklets, shared, own);
        uint64_t cache = pipeline_elements(items, count, room, unit);
        uint64_t *offsets = xcalloc(count + 1, sizeof *offsets), transfers = 0;
        pipeline_offsets(items, count, cache, offsets);
        for (size_t i = 0; i < count; i++)
            transfers += pipeline_transfers(offsets[i + 1] - offsets[i]);
        str_printf(out,
                   "    WRAM of a tasklet: %" PRIu64 " bytes, cache elements %" PRIu64 ", %" PRIu64
                   " transfers a block, offsets",
                   room, cache, transfers);
        for (size_t i = 0; i < count; i++)
            str_printf(out, " %" PRIu64, offsets[i]);
        str_char(out, '\n');
        free(offsets);
    }
    free(items);
}

static void put_offsets(const mpu_pipeline *x, const struct pipeline_segment *segment, uint64_t n,
                        struct str *out) {
    struct pipeline_item *items = xcalloc(segment->traffic.len + 1, sizeof *items);
    size_t count = pipeline_items(&x->stages, segment, NO_INDEX, items);
    uint64_t *offsets = xcalloc(count + 1, sizeof *offsets);
    pipeline_offsets(items, count, n, offsets);
    str_append(out, "  MRAM of a DPU:");
    for (size_t i = 0, k = 0; i < segment->traffic.len; i++) {
        const struct pipeline_traffic *t = &segment->traffic.data[i];
        if (x->stages.arrays.data[t->array].use != PIPELINE_ELEMENTS || !pipeline_lies(t))
            continue;
        str_append(out, k ? ", " : " ");
        put_array(&x->stages, t->array, out);
        str_printf(out, " at %" PRIu64, offsets[k++]);
    }
    str_printf(out, ", end %" PRIu64 "\n", offsets[count]);
    free(items);
    free(offsets);
}

static void put_shares(const mpu_pipeline *x, const struct pipeline_segment *segment,
                       const struct pipeline_shares *s, struct str *out) {
    const struct pipeline_counts *c = &s->counts;
    if (!pipeline_units(x)) {
        str_printf(out, "  the machine has all %" PRIu64 " elements\n", s->length);
        return;
    }
    if (segment->together) {
        str_printf(out,
                   "  %" PRIu32 " DPUs have all %" PRIu64
                   " elements in one round: windows see what stages make\n",
                   c->units, s->length);
        return;
    }
    str_printf(out,
               "  alignment %" PRIu64 ", at most %" PRIu64 " elements in a DPU\n"
               "  rounds %" PRIu64 ", DPUs %" PRIu32 ", elements of a DPU %" PRIu64
               ", elements per round %" PRIu64 ", CPU elements %" PRIu64 "\n",
               s->alignment, s->most, c->rounds, c->units, c->per_unit, c->elements_per_round,
               c->cpu_elements);
    if (segment->halo)
        str_printf(out,
                   "  windows see what stages make: %" PRIu64
                   " elements behind a round are carried out with it, too\n",
                   segment->halo);
    if (!x->executed && x->options.cpu_elements == MPU_PIPELINE_CPU_AUTO)
        str_append(out, "  CPU elements are chosen when it is executed: those are the fewest\n");
    uint32_t tasklets = (uint32_t)number_of(x->target->t, "dpu.run_tasklets");
    if (tasklets) {
        struct pipeline_slice most =
            pipeline_tasklet_slice(c->per_unit, tasklets, s->alignment, tasklets - 1);
        struct pipeline_slice each = pipeline_tasklet_slice(c->per_unit, tasklets, s->alignment, 0);
        str_printf(out,
                   "  tasklets %" PRIu32 ", elements of one %" PRIu64 ", of the last %" PRIu64 "\n",
                   tasklets, each.count, most.count);
    }
    put_offsets(x, segment, c->per_unit, out);
}

/* Whether the length of the segment follows from that of the pipeline. */
static bool length_known(const mpu_pipeline *x, uint32_t length, uint64_t *n) {
    const struct pipeline_length *l = &x->stages.lengths.data[length];
    uint64_t divide = 1;
    while (l->kind == PIPELINE_UNITS) {
        divide *= l->value;
        l = &x->stages.lengths.data[l->of];
    }
    *n = (l->kind == PIPELINE_GIVEN ? l->value : x->stages.length) / divide;
    return l->kind != PIPELINE_KEPT;
}

struct pipeline_shares pipeline_shares_of(const mpu_pipeline *x,
                                          const struct pipeline_segment *segment) {
    struct pipeline_shares shares = {.known = false};
    uint64_t n;
    if (segment->number < x->shares.len)
        shares = x->shares.data[segment->number];
    else if (length_known(x, segment->base, &n))
        shares.known = pipeline_share(x, segment, n, pipeline_cpu_asked(x), &shares);
    return shares;
}

char *mpu_pipeline_plan(mpu_pipeline *x, mpu_error **error) {
    PUBLIC_ENTRY_OF(x, error, NULL);
    struct str out = {0};
    for (uint32_t i = 0; i < x->stages.bases.len && x->stages.stages.len; i++) {
        struct pipeline_segment segment;
        pipeline_segment_read(&x->stages, i, &segment);
        const struct pipeline_shares shares = pipeline_shares_of(x, &segment);
        str_printf(&out, "part %" PRIu32 ": %zu launch%s a round\n", i + 1, segment.kernels.len - 1,
                   segment.kernels.len == 2 ? "" : "es");
        for (uint32_t k = segment.kernels.data[0]; k < vec_last(&segment.kernels); k++)
            put_stage_plan(x, &segment, k, &out);
        if (shares.known)
            put_shares(x, &segment, &shares, &out);
        else
            str_append(&out, "  its length is known when the part before it was carried out\n");
        pipeline_segment_free(&segment);
    }
    return public_text_out(&out);
}
