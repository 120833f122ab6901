/* SPDX-License-Identifier: MIT
 * How many rows of each stage kernel a DPU has.  An element of an array is where the others are
 * that a kernel works on with it, so kernels that share a buffer have rows in proportion; as few as
 * can be, so that all DPUs work, and multiples of 8, since MRAM comes in 8 bytes. */
#include "machines/core/dpu/link/dpu_link.h"
#include "machines/core/dpu/runs/stage_loop.h"

#include "support/alloc.h"
#include "support/common_divisor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_OF_8 8u

/* ---- reading ---- */

static void keep_first(void *context, const struct diag *d, const struct message *m) {
    struct machine_kernel_fault *fault = context;
    if (m->severity != SEVERITY_ERROR || fault->what.len)
        return;
    str_append(&fault->what, m->text);
    diag_position(d, m->at, &fault->line, &fault->column);
}

static bool read_one(const struct kernel_decl *k, struct dpu_staged *out,
                     struct machine_kernel_fault *fault) {
    struct diag *d = diag_new(keep_first, fault);
    out->text = stage_read(k, k->name, d);
    diag_flush(d);
    diag_free(d);
    if (!out->text)
        return false;
    struct scalar_stage s;
    bool fine = scalar_stage_open(&s, out->text);
    out->row = s.row;
    out->per = xcalloc((size_t)out->text->array_count + 1, sizeof *out->per);
    for (uint32_t i = 0; fine && i < out->text->array_count; i++)
        out->per[i] = scalar_stage_per(&s, i);
    if (!fine)
        str_append(&fault->what, str_text(&s.wrong));
    scalar_stage_close(&s);
    return fine;
}

/* ---- which buffers go where ---- */

/* The array of the kernel that a call has the buffer for, NO_INDEX: none of which elements are
 * worked on. */
static uint32_t array_with(const struct machine_launches *launches, const struct dpu_staged *k,
                           uint32_t buffer, uint32_t from) {
    const struct object *o = launches->object;
    for (uint32_t i = from; i < k->text->array_count; i++) {
        const struct stage_array *a = k->text->arrays[i];
        if (a->parameter == NO_INDEX || a->use != STAGE_ELEMENTS || !k->per[i])
            continue;
        for (size_t c = 0; c < o->calls.len; c++)
            if (object_call_kernel(o, &o->calls.data[c]) == &o->kernels.data[k->kernel] &&
                o->calls.data[c].arguments[a->parameter].buffer == buffer)
                return i;
    }
    return NO_INDEX;
}

/* Rows of `to` are those of `from` times per of the one and through that of the other. */
static void reach(const struct dpu_staged *from, uint32_t here, struct dpu_staged *to,
                  uint32_t there) {
    to->numerator = from->numerator * from->per[here];
    to->denominator = from->denominator * to->per[there];
    uint64_t divisor = common_divisor(to->numerator, to->denominator);
    to->numerator /= divisor;
    to->denominator /= divisor;
    to->reached = true;
}

/* From kernel to kernel, by the buffers that they share; those that are reached are in `found`. */
static void spread(const struct machine_launches *launches, struct dpu_stagings *s,
                   struct dpu_staged *first, bool *found) {
    bool more = true;
    first->numerator = first->denominator = 1;
    first->reached = found[first - s->list.data] = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < s->list.len * s->list.len; i++) {
            struct dpu_staged *from = &s->list.data[i / s->list.len],
                              *to = &s->list.data[i % s->list.len];
            if (!found[i / s->list.len] || to->reached)
                continue;
            for (uint32_t b = 0; b < launches->object->buffers.len && !to->reached; b++) {
                uint32_t here = array_with(launches, from, b, 0),
                         there = array_with(launches, to, b, 0);
                if (here != NO_INDEX && there != NO_INDEX)
                    reach(from, here, to, there);
            }
            more |= to->reached;
            found[i % s->list.len] |= to->reached;
        }
    }
}

/* The least number of rows of the first for which all of them have room for their buffers. */
static uint64_t least(const struct machine_launches *launches, const struct dpu_stagings *s,
                      const bool *found) {
    const struct object *o = launches->object;
    uint64_t unit = 1, most = 1;
    for (size_t i = 0; i < s->list.len; i++) {
        const struct dpu_staged *k = &s->list.data[i];
        if (!found[i])
            continue;
        uint64_t each =
            ROWS_OF_8 * k->denominator / common_divisor(ROWS_OF_8 * k->denominator, k->numerator);
        unit = unit / common_divisor(unit, each) * each;
        for (uint32_t b = 0; b < o->buffers.len; b++)
            for (uint32_t a = array_with(launches, k, b, 0); a != NO_INDEX;
                 a = array_with(launches, k, b, a + 1)) {
                uint64_t n = object_buffer_elements(&o->buffers.data[b], launches->sizes);
                uint64_t own = (uint64_t)k->per[a] * k->numerator;
                n = n < (UINT64_C(1) << 50) ? n : UINT64_C(1) << 50;
                uint64_t need = (n * k->denominator + s->units * own - 1) / (s->units * own);
                most = need > most ? need : most;
            }
    }
    return (most + unit - 1) / unit * unit;
}

static void set_rows(const struct machine_launches *launches, struct dpu_stagings *s) {
    for (size_t i = 0; i < s->list.len; i++) {
        bool *found = xcalloc(s->list.len, sizeof *found);
        if (!s->list.data[i].reached) {
            spread(launches, s, &s->list.data[i], found);
            uint64_t rows = least(launches, s, found);
            for (size_t k = 0; k < s->list.len; k++)
                if (found[k])
                    s->list.data[k].rows =
                        rows * s->list.data[k].numerator / s->list.data[k].denominator;
        }
        free(found);
    }
}

/* As many as each launch has. */
static uint32_t units_of(const struct machine_library *l, const struct machine_launches *launches) {
    const struct object *o = launches->object;
    uint64_t units = (uint64_t)l->target->mpus * target_vrfs_per_mpu(l->target);
    for (size_t i = 0; i < o->calls.len; i++) {
        const struct kernel_decl *k = object_call_kernel(o, &o->calls.data[i]);
        const struct launch_geometry *g = o->calls.data[i].geometry;
        if (!k || !g || strcmp(k->form, "stage") != 0 || !launch_said(&g->extent[LAUNCH_UNITS]))
            continue;
        const struct extent *e = &g->extent[LAUNCH_UNITS];
        uint64_t said = e->size == NO_INDEX ? e->value : (uint64_t)launches->sizes[e->size];
        units = said && said < units ? said : units;
    }
    return units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
}

bool dpu_stagings_open(const struct machine_library *l, const struct machine_launches *launches,
                       struct dpu_stagings *out, uint32_t *whose,
                       struct machine_kernel_fault *fault) {
    const struct object *o = launches->object;
    bool fine = true;
    *out = (struct dpu_stagings){.units = units_of(l, launches)};
    for (uint32_t i = 0; i < o->kernels.len && fine; i++) {
        if (!launches->called[i] || strcmp(o->kernels.data[i].form, "stage") != 0)
            continue;
        struct dpu_staged one = {.kernel = i};
        *whose = i;
        fine = read_one(&o->kernels.data[i], &one, fault);
        vec_push(&out->list, one);
    }
    if (fine)
        set_rows(launches, out);
    return fine;
}

void dpu_stagings_close(struct dpu_stagings *s) {
    for (size_t i = 0; i < s->list.len; i++) {
        stage_free(s->list.data[i].text);
        free(s->list.data[i].per);
    }
    vec_free(&s->list);
}
