/* SPDX-License-Identifier: MIT
 * Launches of stage kernels: arguments are looked at, grids are carried out (stage_grids.c), and
 * parts of results that the host puts together become one. */
#include "machines/core/simt/run/stage_run.h"

#include "portable/portable.h"
#include "support/alloc.h"
#include "support/saturate.h"
#include "target/host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments ---- */

static bool take_lengths(struct simt_stage_run *r) {
    struct scalar_stage rows;
    uint64_t n;
    for (uint32_t i = 0; i < r->text->decl->parameter_count; i++) {
        const struct kernel_parameter *p = &r->text->decl->parameters[i];
        r->scalars[i] = datapath_argument(r->launch, i);
        if (p->kind == PARAMETER_NUMBER)
            r->scalars[i] = stage_normal(p->type, r->scalars[i]);
    }
    if (!stage_length(r->text, r->scalars, &n))
        return diag_refuse(r->diag, "the length is %" PRId64, (int64_t)n);
    if (n > SIMT_STAGE_ELEMENTS)
        return diag_refuse(r->diag, "%" PRIu64 " elements: a launch has at most %" PRIu64, n,
                           SIMT_STAGE_ELEMENTS);
    stage_lengths_most(r->text, n, r->lengths);
    const bool fine = scalar_stage_open(&rows, r->text);
    r->rows = (n + rows.row - 1) / rows.row;
    scalar_stage_close(&rows);
    for (uint32_t i = 0; i < r->text->length_count; i++)
        if (r->lengths[i] > SIMT_STAGE_ELEMENTS)
            return diag_refuse(r->diag, "%" PRIu64 " elements: a launch has at most %" PRIu64,
                               r->lengths[i], SIMT_STAGE_ELEMENTS);
    return fine || diag_refuse(r->diag, "this is no kernel of these cores");
}

static uint64_t address_of(const struct simt_stage_run *r, uint32_t array) {
    return r->scalars[r->text->arrays[array]->parameter];
}
/* Bytes of an array that the kernel has to do with; 0 of what is no buffer. */
static uint64_t bytes_of(const struct simt_stage_run *r, uint32_t array, bool *written) {
    *written = false;
    if (r->text->arrays[array]->parameter == NO_INDEX)
        return 0;
    return sat_mul(stage_extent(r->text, r->scalars, r->lengths, array, written),
                   object_element_bytes(r->text->arrays[array]->type));
}
static bool overlaps(const struct simt_stage_run *r, uint32_t x, uint32_t y) {
    bool one, other;
    const uint64_t n = bytes_of(r, x, &one), m = bytes_of(r, y, &other);
    const uint64_t from = n ? address_of(r, x) : 0, to = m ? address_of(r, y) : 0;
    return n && m && (one || other) && (from <= to ? to - from < n : from - to < m);
}

static bool arrays_fit(const struct simt_stage_run *r) {
    for (uint32_t i = 0; i < r->text->array_count; i++) {
        bool written;
        const uint64_t n = bytes_of(r, i, &written);
        const uint64_t at = n ? address_of(r, i) : 0;
        const struct state_array *a = n ? state_memory_before(&r->machine->memory, at) : NULL;
        const uint64_t there = a && at - a->address < a->size ? a->size - (at - a->address) : 0;
        if (n > there)
            return diag_refuse(r->diag, "'%s' has no element %" PRIu64 ": its buffer ends there",
                               r->text->arrays[i]->text,
                               there / object_element_bytes(r->text->arrays[i]->type));
        for (uint32_t j = 0; j < i; j++)
            if (overlaps(r, i, j))
                return diag_refuse(r->diag,
                                   "'%s' and '%s' overlap in memory, and the kernel writes there",
                                   r->text->arrays[j]->text, r->text->arrays[i]->text);
    }
    return true;
}

/* ---- accumulators with `combine`: a part of each row comes to the host ---- */

static uint64_t element_at(const unsigned char *bytes, unsigned size) {
    uint64_t v = 0;
    for (unsigned i = 0; i < size; i++)
        v |= (uint64_t)bytes[i] << 8 * i;
    return v;
}

/* Elements that lie there, in slots. */
static void take(const unsigned char *bytes, const struct stage_param *q, uint64_t *slots) {
    const unsigned size = object_element_bytes(q->type);
    for (uint32_t i = 0; i < q->count; i++)
        slots[q->slot + i] = stage_normal(q->type, element_at(bytes + (size_t)i * size, size));
}
static void give(unsigned char *bytes, const struct stage_param *q, const uint64_t *slots) {
    const unsigned size = object_element_bytes(q->type);
    for (uint32_t i = 0; i < q->count * size; i++)
        bytes[i] = (unsigned char)(slots[q->slot + i / size] >> 8 * (i % size));
}
static unsigned char *result_at(const struct simt_stage_run *r, const struct stage_param *q) {
    return state_memory_at(&r->machine->memory, address_of(r, q->array),
                           (uint64_t)q->count * object_element_bytes(q->type));
}

/* Parts of a row, in slots. */
static void take_row(const struct simt_stage_run *r, const struct stage_stage *s, uint64_t row,
                     uint64_t *slots) {
    for (uint32_t i = 0; i < r->scratch_count; i++) {
        const struct simt_stage_scratch *x = &r->scratches[i];
        if (x->stage == s && x->kind == SIMT_STAGE_OWN)
            take(state_memory_at(&r->machine->memory, r->scratch_at[i] + row * x->bytes, x->bytes),
                 x->acc, slots);
    }
}

static bool join_all(struct simt_stage_run *r, const struct stage_stage *s) {
    uint64_t *slots = xcalloc((size_t)s->slots + 1, sizeof *slots),
             *others = xcalloc((size_t)s->slots + 1, sizeof *others);
    struct portable_fault fault = {.line = 0};
    bool fine = true;
    for (const struct stage_param *q = s->params; q; q = q->next) {
        if (q->role != STAGE_ACC)
            continue;
        for (uint32_t i = 0; i < q->count; i++)
            slots[q->slot + i] = q->value;
        if (!q->has)
            take(result_at(r, q), q, slots);
    }
    for (uint64_t row = 0; row < r->rows && fine; row++) {
        take_row(r, s, row, others);
        fine = stage_join(r->text, s, r->scalars, slots, others, &fault);
    }
    if (!fine)
        diag_refuse(r->diag, "%s", str_text(&fault.what));
    for (const struct stage_param *q = s->params; q && fine; q = q->next)
        if (q->role == STAGE_ACC)
            give(result_at(r, q), q, slots);
    str_free(&fault.what);
    free(slots);
    free(others);
    return fine;
}

/* Each cube's cores send what they have over its link, and the result goes to the first. */
static void charge(struct simt_stage_run *r, enum host_way way, uint64_t bytes) {
    const struct target *t = r->machine->state.setup.target;
    const struct host_slice slice = {0, bytes};
    const struct host_transfer x = target_host_transfer(t, way, &slice, bytes != 0);
    if (!bytes || !r->cost->known)
        return;
    r->cost->ps = sat_add(r->cost->ps, x.time_ps);
    r->cost->transfer_ps = sat_add(r->cost->transfer_ps, x.time_ps);
    r->cost->transfer_bytes = sat_add(r->cost->transfer_bytes, x.bytes);
    r->cost->transfer_fj = sat_add(r->cost->transfer_fj, target_host_fj(t, x.bytes));
}

static bool join(struct simt_stage_run *r) {
    uint64_t parts = 0, results = 0;
    bool fine = true;
    for (const struct stage_stage *s = r->text->stages; s && fine; s = s->next)
        if (s->pattern == STAGE_REDUCE && s->combine)
            fine = join_all(r, s);
    for (uint32_t i = 0; i < r->scratch_count; i++)
        if (r->scratches[i].kind == SIMT_STAGE_OWN) {
            parts = sat_add(parts, sat_mul(r->rows, r->scratches[i].bytes));
            results += r->scratches[i].bytes;
        }
    charge(r, HOST_OUT, parts);
    charge(r, HOST_IN, results);
    return fine;
}

/* ---- all ---- */

bool simt_stage_launch(struct simt_machine_state *m, const struct dp_launch *launch,
                       struct dp_cost *cost, struct diag *diag) {
    struct simt_stage_run r = {.machine = m, .launch = launch, .cost = cost, .diag = diag};
    r.text = stage_read(launch->decl, launch->decl->name, diag);
    if (!r.text)
        return false;
    r.scratch_count = simt_stage_scratches(r.text, r.scratches);
    r.scalars = xcalloc((size_t)launch->decl->parameter_count + 1, sizeof *r.scalars);
    r.lengths = xcalloc((size_t)r.text->length_count + 1, sizeof *r.lengths);
    const bool fine = take_lengths(&r) && arrays_fit(&r) && simt_stage_open(&r) &&
                      simt_stage_run_grids(&r) && join(&r);
    simt_stage_close(&r);
    free(r.scalars);
    free(r.lengths);
    stage_free(r.text);
    return fine;
}
