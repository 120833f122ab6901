/* SPDX-License-Identifier: MIT
 * Where arrays of a stage kernel lie, in registers of each thread: buffers, the launch's own
 * arrays, cells of loops. */
#include "machines/core/simt/runs/stage_writer.h"

#include "support/bits.h"

#include <inttypes.h>

static uint32_t scratch_of(const struct simt_stage_writer *w, const struct stage_stage *stage,
                           const struct stage_param *acc) {
    uint32_t i = 0;
    while (w->scratches[i].stage != stage || w->scratches[i].acc != acc)
        i++;
    return i;
}
/* A parameter's value as %d. */
static uint32_t parameter(struct simt_stage_writer *w, uint32_t number) {
    simt_line_put(&w->x, "ld.param.u64 %%d%" PRIu32 ", [p+%" PRIu32 "];", ++w->x.pairs, 8 * number);
    return w->x.pairs;
}
/* So many bytes for each row in front of this one. */
static uint32_t row_at(struct simt_stage_writer *w, uint32_t base, uint32_t bytes) {
    simt_line_put(&w->x, "mad.wide.u32 %%d%" PRIu32 ", %%r4, %" PRIu32 ", %%d%" PRIu32 ";",
                  ++w->x.pairs, bytes, base);
    return w->x.pairs;
}

bool simt_stage_in_words(const struct simt_stage_writer *w, const struct scalar_stage_array *a) {
    return a->kind == SCALAR_GATHERED && a->bytes < 4 && !simt_stage_of(w->kernel, a->of)->combine;
}

/* Of many elements in a loop. */
static void store_all(struct simt_stage_writer *w, const struct stage_param *q, uint32_t base,
                      uint32_t value) {
    struct simt_values *x = &w->x;
    const unsigned bytes = object_element_bytes(q->type);
    const uint32_t at = ++x->pairs, left = ++x->words, more = ++x->masks, label = ++w->labels;
    simt_line_put(x, "mov.b64 %%d%" PRIu32 ", %%d%" PRIu32 ";", at, base);
    simt_line_put(x, "mov.u32 %%r%" PRIu32 ", %" PRIu32 ";", left, q->count);
    simt_line_put(x, "again%" PRIu32 ":", label);
    simt_line_put(x, "st.global.%s [%%d%" PRIu32 "], %%%c%" PRIu32 ";",
                  simt_stage_type(bytes, false), at, bytes > 4 ? 'd' : 'r', value);
    simt_line_put(x, "add.u64 %%d%" PRIu32 ", %%d%" PRIu32 ", %u;", at, at, bytes);
    simt_line_put(x, "sub.u32 %%r%" PRIu32 ", %%r%" PRIu32 ", 1;", left, left);
    simt_line_put(x, "setp.ne.u32 %%p%" PRIu32 ", %%r%" PRIu32 ", 0;", more, left);
    simt_line_put(x, "@%%p%" PRIu32 " bra again%" PRIu32 ";", more, label);
}

/* A part begins with what changes nothing, in the row's own elements. */
static bool open_part(struct simt_stage_writer *w, const struct stage_param *q,
                      struct simt_stage_place *p) {
    struct simt_values *x = &w->x;
    const unsigned bytes = object_element_bytes(q->type);
    const uint32_t scratch = scratch_of(w, simt_stage_of(w->kernel, q), q);
    p->base = row_at(w, parameter(w, simt_stage_scratch_at(w->kernel, scratch)),
                     w->scratches[scratch].bytes);
    const char kind = bytes > 4 ? 'd' : 'r';
    const uint32_t begin = bytes > 4 ? ++x->pairs : ++x->words;
    if (q->count > SIMT_STAGE_MOST_PARTS)
        return simt_stage_refuse(w, q->line,
                                 "an accumulator with `combine` has too many elements for the code "
                                 "of these cores");
    simt_line_put(x, "mov.b%u %%%c%" PRIu32 ", 0x%" PRIx64 ";", bytes > 4 ? 64u : 32u, kind, begin,
                  q->begin & low_bits(8 * bytes));
    if (w->part != SIMT_STAGE_ROWS)
        return true;
    if (q->count > SIMT_STAGE_FEW_PARTS) {
        store_all(w, q, p->base, begin);
        return true;
    }
    for (uint32_t i = 0; i < q->count; i++)
        simt_line_put(x, "st.global.%s [%%d%" PRIu32 "+%" PRIu64 "], %%%c%" PRIu32 ";",
                      simt_stage_type(bytes, false), p->base, (uint64_t)i * bytes, kind, begin);
    return true;
}

/* How many units of the rows in front are kept, %r. */
static uint32_t kept_before(struct simt_stage_writer *w, uint32_t scratch) {
    struct simt_values *x = &w->x;
    const uint32_t at = row_at(w, parameter(w, simt_stage_scratch_at(w->kernel, scratch)), 4),
                   kept = ++x->words, some = ++x->masks;
    simt_line_put(x, "mov.u32 %%r%" PRIu32 ", 0;", kept);
    simt_line_put(x, "setp.ne.u32 %%p%" PRIu32 ", %%r4, 0;", some);
    simt_line_put(x, "@%%p%" PRIu32 " ld.global.u32 %%r%" PRIu32 ", [%%d%" PRIu32 "+-4];", some,
                  kept, at);
    return kept;
}
/* The last row's thread says how many are kept in all. */
static void store_counts(struct simt_stage_writer *w, const struct stage_stage *stage,
                         uint32_t scratch) {
    struct simt_values *x = &w->x;
    for (const struct stage_param *q = stage->params; q; q = q->next) {
        if (q->role != STAGE_COUNT)
            continue;
        const unsigned bytes = object_element_bytes(q->type);
        const uint32_t at = row_at(w, parameter(w, simt_stage_scratch_at(w->kernel, scratch)), 4),
                       to = parameter(w, w->kernel->arrays[q->array]->parameter), all = ++x->words,
                       last = ++x->masks, next = ++x->words;
        simt_line_put(x, "add.u32 %%r%" PRIu32 ", %%r4, 1;", next);
        simt_line_put(x, "setp.eq.u32 %%p%" PRIu32 ", %%r%" PRIu32 ", %%r5;", last, next);
        simt_line_put(x, "ld.global.u32 %%r%" PRIu32 ", [%%d%" PRIu32 "];", all, at);
        if (bytes > 4)
            simt_line_put(x, "cvt.u64.u32 %%d%" PRIu32 ", %%r%" PRIu32 ";", ++x->pairs, all);
        else if (q->type.bits < 32)
            simt_line_put(x, "and.b32 %%r%" PRIu32 ", %%r%" PRIu32 ", 0x%" PRIx64 ";", all, all,
                          low_bits(q->type.bits));
        simt_line_put(x, "@%%p%" PRIu32 " st.global.%s [%%d%" PRIu32 "], %%%c%" PRIu32 ";", last,
                      simt_stage_type(bytes, false), to, bytes > 4 ? 'd' : 'r',
                      bytes > 4 ? x->pairs : all);
    }
}
static const struct stage_stage *keeper(const struct stage_kernel *k, uint32_t array) {
    for (const struct stage_stage *s = k->stages; s; s = s->next)
        for (const struct stage_param *q = s->params; q; q = q->next)
            if (s->pattern == STAGE_FILTER && q->role == STAGE_OUT && q->array == array)
                return s;
    return NULL;
}
/* Where the row's own of what a filter keeps begins. */
static void open_kept(struct simt_stage_writer *w, const struct scalar_stage_array *a,
                      const uint32_t *before, struct simt_stage_place *p) {
    struct simt_values *x = &w->x;
    const struct stage_array *array = w->kernel->arrays[a->index];
    const uint32_t scratch = scratch_of(w, keeper(w->kernel, a->index), NULL);
    const uint32_t buffer = parameter(w, array->parameter);
    p->base = ++x->pairs;
    simt_line_put(x, "mad.wide.u32 %%d%" PRIu32 ", %%r%" PRIu32 ", %" PRIu32 ", %%d%" PRIu32 ";",
                  p->base, before[scratch], a->count * object_element_bytes(array->type), buffer);
}

static bool open_array(struct simt_stage_writer *w, size_t i, const uint32_t *before) {
    const struct scalar_stage_array *a = simt_stage_array_at(w, (uint32_t)i);
    struct simt_stage_place *p = &w->places[i];
    const struct stage_param *q = a->of;
    switch (a->kind) {
    case SCALAR_BLOCK:
        p->base =
            row_at(w, parameter(w, w->kernel->arrays[a->index]->parameter), a->count * a->bytes);
        return true;
    case SCALAR_SEEN:
        p->base = parameter(w, w->kernel->arrays[a->index]->parameter);
        return true;
    case SCALAR_GATHERED:
        if (simt_stage_of(w->kernel, q)->combine)
            return open_part(w, q, p);
        p->base = parameter(
            w, simt_stage_in_words(w, a)
                   ? simt_stage_scratch_at(w->kernel, scratch_of(w, simt_stage_of(w->kernel, q), q))
                   : w->kernel->arrays[q->array]->parameter);
        return true;
    case SCALAR_KEPT_AT:
        if (w->part == SIMT_STAGE_ROWS)
            open_kept(w, a, before, p);
        return true;
    case SCALAR_KEPT: {
        const uint32_t scratch = scratch_of(w, a->of, NULL);
        p->base = row_at(w, parameter(w, simt_stage_scratch_at(w->kernel, scratch)), 4);
        return true;
    }
    case SCALAR_ROOM:
        p->room = w->room_bytes;
        w->room_bytes += (uint32_t)(((uint64_t)a->count * a->bytes + 7) / 8 * 8);
        return true;
    case SCALAR_CELL_AT:
        p->cell = ++w->x.pairs;
        return true;
    case SCALAR_WRONG:
        p->base = parameter(w, simt_stage_wrong_at(w->kernel));
        return true;
    default:
        return true;
    }
}

bool simt_stage_open_arrays(struct simt_stage_writer *w) {
    uint32_t before[SIMT_STAGE_SCRATCHES] = {0};
    for (uint32_t i = 0; i < w->scratch_count && w->part == SIMT_STAGE_ROWS; i++)
        if (!w->scratches[i].acc) {
            before[i] = kept_before(w, i);
            store_counts(w, w->scratches[i].stage, i);
        }
    for (size_t i = 0; i < w->s->arrays.len; i++)
        if (!open_array(w, i, before))
            return false;
    return w->room_bytes <= SIMT_STAGE_MOST_ROOM ||
           simt_stage_refuse(w, 0, "arrays of a body have too many elements for these cores");
}
