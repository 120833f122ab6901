/* SPDX-License-Identifier: MIT
 * After a launch of a stage kernel the host puts together what tasklets have gathered, one after
 * another, DPU after DPU, and brings what filters have kept to the front of its buffer. */
#include "machines/core/dpu/run/stage_launch.h"
#include "object/bytes.h"
#include "portable/portable.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What goes back to DPUs, since a kernel reads it there. */
struct moved {
    VEC(struct host_slice) in;
    uint64_t same; /* bytes that all DPUs get */
};

static uint64_t address_of(const struct dpu_stage_launch *s, uint32_t array, uint32_t unit) {
    const uint32_t p = s->text->arrays[array]->parameter;
    return datapath_argument(s->x, p) + unit * s->x->arguments[p].stride;
}
static const struct dp_argument *argument_of(const struct dpu_stage_launch *s, uint32_t array) {
    return &s->x->arguments[s->text->arrays[array]->parameter];
}
static struct datapath *machine_of(const struct dpu_stage_launch *s) {
    return &s->machine->state.base;
}
static bool is_read(const struct dpu_stage_launch *s, uint32_t array) {
    for (size_t i = 0; i < s->plan->read.len; i++)
        if (s->plan->read.data[i].array == array)
            return true;
    return false;
}
/* So many bytes come from each DPU, in one transfer. */
static void charge_all(struct dpu_stage_launch *s, uint64_t bytes) {
    VEC(struct host_slice) slices = {0};
    for (uint32_t u = 0; u < s->units && bytes; u++)
        vec_push(&slices, ((struct host_slice){u, bytes}));
    dpu_stage_charge(s, HOST_OUT, slices.data, slices.len);
    vec_free(&slices);
}

/* Where a tasklet left its part. */
static bool get_part(const struct dpu_stage_launch *s, size_t part, uint32_t unit, uint32_t tasklet,
                     unsigned char *bytes, struct diag *d) {
    const uint32_t size = s->plan->parts.data[part].bytes;
    return dpu_mem_get(machine_of(s),
                       s->scratch + s->parts_at[part] + (uint64_t)tasklet * size + unit * s->stride,
                       bytes, size, d);
}

static uint64_t element(const unsigned char *bytes, unsigned size) {
    uint64_t v = 0;
    for (unsigned i = 0; i < size; i++)
        v |= (uint64_t)bytes[i] << 8 * i;
    return v;
}
static void set_element(unsigned char *bytes, unsigned size, uint64_t v) {
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (unsigned char)(v >> 8 * i);
}

/* The result in the copies of all units that have one: the first alone, where no kernel reads it.
 */
static bool put_result(struct dpu_stage_launch *s, uint32_t array, const unsigned char *bytes,
                       uint64_t size, struct moved *m, struct diag *d) {
    bool fine = true;
    const uint32_t copies = argument_of(s, array)->own ? 1 : s->machine->state.vrfs;
    for (uint32_t u = 0; u < copies && fine; u++)
        fine = dpu_mem_put(machine_of(s), address_of(s, array, u), bytes, size, d);
    m->same += is_read(s, array) ? size : 0;
    return fine;
}

/* ---- accumulators ---- */

static size_t part_of(const struct dpu_stage_plan *p, uint32_t stage, uint32_t parameter) {
    for (size_t i = 0; i < p->parts.len; i++)
        if (p->parts.data[i].stage == stage && p->parts.data[i].parameter == parameter)
            return i;
    return SIZE_MAX;
}

/* What accumulators begin with, in slots. */
static bool begin(struct dpu_stage_launch *s, const struct stage_stage *x, uint64_t *slots,
                  struct diag *d) {
    bool fine = true;
    for (const struct stage_param *q = x->params; q; q = q->next) {
        const unsigned size = object_element_bytes(q->type);
        unsigned char bytes[8];
        for (uint32_t i = 0; q->role == STAGE_ACC && i < q->count && fine; i++) {
            slots[q->slot + i] = q->value;
            if (q->has)
                continue;
            fine = dpu_mem_get(machine_of(s), address_of(s, q->array, 0) + (uint64_t)i * size,
                               bytes, size, d);
            slots[q->slot + i] = stage_normal(q->type, element(bytes, size));
        }
    }
    return fine;
}

/* A tasklet's part, in slots. */
static bool take(struct dpu_stage_launch *s, const struct stage_stage *x, uint32_t number,
                 uint32_t unit, uint32_t tasklet, uint64_t *slots, struct diag *d) {
    uint32_t n = 0;
    bool fine = true;
    for (const struct stage_param *q = x->params; q && fine; q = q->next, n++) {
        const size_t part = part_of(s->plan, number, n);
        const unsigned size = object_element_bytes(q->type);
        if (q->role != STAGE_ACC)
            continue;
        for (uint32_t i = 0; i < q->count; i++)
            slots[q->slot + i] = q->begin;
        if (part == SIZE_MAX)
            continue;
        unsigned char *bytes = xmalloc(s->plan->parts.data[part].bytes);
        fine = get_part(s, part, unit, tasklet, bytes, d);
        for (uint32_t i = 0; i < q->count && fine; i++)
            slots[q->slot + i] = stage_normal(q->type, element(bytes + (size_t)i * size, size));
        free(bytes);
    }
    return fine;
}

static bool gather(struct dpu_stage_launch *s, const struct stage_stage *x, uint32_t number,
                   struct moved *m, struct diag *d) {
    uint64_t *slots = xcalloc((size_t)x->slots + 1, sizeof *slots),
             *others = xcalloc((size_t)x->slots + 1, sizeof *others);
    struct portable_fault fault = {.line = 0};
    bool fine = begin(s, x, slots, d);
    for (uint32_t u = 0; u < s->units && fine; u++)
        for (uint32_t t = 0; t < s->plan->tasklets && fine; t++) {
            fine = take(s, x, number, u, t, others, d);
            if (fine && !stage_join(s->text, x, s->scalars, slots, others, &fault)) {
                diag_error(d, NO_SPAN, "%s", str_text(&fault.what));
                fine = false;
            }
        }
    for (const struct stage_param *q = x->params; q && fine; q = q->next) {
        const unsigned size = object_element_bytes(q->type);
        if (q->role != STAGE_ACC)
            continue;
        unsigned char *bytes = xmalloc((size_t)q->count * size);
        for (uint32_t i = 0; i < q->count; i++)
            set_element(bytes + (size_t)i * size, size, slots[q->slot + i]);
        fine = put_result(s, q->array, bytes, (uint64_t)q->count * size, m, d);
        free(bytes);
    }
    str_free(&fault.what);
    free(slots);
    free(others);
    return fine;
}

/* ---- what filters have kept ---- */

static bool count_of(struct dpu_stage_launch *s, uint32_t stage, uint32_t unit, uint32_t tasklet,
                     uint64_t *count, struct diag *d) {
    unsigned char bytes[8];
    const size_t part = part_of(s->plan, stage, NO_INDEX);
    *count = 0;
    if (part == SIZE_MAX)
        return true;
    bool fine = get_part(s, part, unit, tasklet, bytes, d);
    *count = get_u32(bytes);
    return fine;
}

/* Bytes of the buffer from `at` on. */
static bool put_kept(struct dpu_stage_launch *s, const struct dpu_stage_block *b, uint64_t at,
                     const unsigned char *bytes, uint64_t size, struct moved *m, struct diag *d) {
    const struct dp_argument *a = argument_of(s, b->array);
    const unsigned one = object_element_bytes(s->text->arrays[b->array]->type);
    bool fine = true;
    if (size > a->total || at > a->total - size) {
        diag_error(d, NO_SPAN, "'%s' has no element %" PRIu64 ": its buffer ends there",
                   s->text->arrays[b->array]->text, a->total / one);
        return false;
    }
    while (size && fine) {
        const uint32_t unit = (uint32_t)(at / a->own);
        const uint64_t left = a->own - at % a->own, piece = size < left ? size : left;
        fine = dpu_mem_put(machine_of(s), address_of(s, b->array, unit) + at % a->own, bytes, piece,
                           d);
        if (is_read(s, b->array) && m->in.len && vec_last(&m->in).vrf == unit)
            vec_last(&m->in).bytes += piece;
        else if (is_read(s, b->array))
            vec_push(&m->in, ((struct host_slice){unit, piece}));
        at += piece;
        bytes += piece;
        size -= piece;
    }
    return fine;
}

static uint64_t rows_of(const struct dpu_stage_launch *s, uint32_t unit) {
    const struct dpu_stage_plan *p = s->plan;
    const uint64_t all = (s->lengths[0] + p->row - 1) / p->row, before = unit * (uint64_t)p->rows,
                   left = all > before ? all - before : 0;
    return left < p->rows ? left : p->rows;
}
static uint64_t start_of(const struct dpu_stage_launch *s, uint64_t rows, uint32_t tasklet) {
    const uint64_t each = (rows + s->plan->tasklets - 1) / s->plan->tasklets,
                   at = tasklet * ((each + 7) / 8 * 8);
    return at < rows ? at : rows;
}

/* All that tasklets have kept comes in one transfer, as long for each DPU, with the holes between
 * tasklets. */
static bool compact(struct dpu_stage_launch *s, size_t block, uint32_t per, struct moved *m,
                    struct diag *d) {
    const struct dpu_stage_block *b = &s->plan->blocks.data[block];
    const uint64_t unit_bytes = b->row_bytes / per;
    uint64_t at = 0, most = 0;
    bool fine = true;
    for (uint32_t u = 0; u < s->units && fine; u++) {
        const uint64_t rows = rows_of(s, u);
        for (uint32_t t = 0; t < s->plan->tasklets && fine; t++) {
            uint64_t count = 0;
            fine = count_of(s, b->stage, u, t, &count, d);
            const uint64_t size = count * unit_bytes,
                           end = start_of(s, rows, t) * b->row_bytes + (size + 7) / 8 * 8;
            most = size && end > most ? end : most;
            unsigned char *bytes = xmalloc((size_t)size + 1);
            fine = fine &&
                   (!size || dpu_mem_get(machine_of(s),
                                         s->scratch + s->kept_at[block] + u * s->stride +
                                             start_of(s, rows, t) * b->row_bytes,
                                         bytes, size, d)) &&
                   put_kept(s, b, at, bytes, size, m, d);
            free(bytes);
            at += size;
        }
    }
    charge_all(s, most);
    return fine;
}

static bool put_count(struct dpu_stage_launch *s, const struct stage_stage *x, uint32_t number,
                      struct moved *m, struct diag *d) {
    uint64_t all = 0, one = 0;
    bool fine = true;
    for (uint32_t u = 0; u < s->units && fine; u++)
        for (uint32_t t = 0; t < s->plan->tasklets && fine; t++) {
            fine = count_of(s, number, u, t, &one, d);
            all += one;
        }
    for (const struct stage_param *q = x->params; q && fine; q = q->next) {
        unsigned char bytes[8];
        const unsigned size = object_element_bytes(q->type);
        if (q->role != STAGE_COUNT)
            continue;
        set_element(bytes, size, stage_normal(q->type, all));
        fine = put_result(s, q->array, bytes, size, m, d);
    }
    return fine;
}

/* ---- all ---- */

static void charge(struct dpu_stage_launch *s, struct moved *m) {
    const struct host_slice same = {0, m->same};
    uint64_t parts = 0;
    for (size_t i = 0; i < s->plan->parts.len; i++)
        parts += (uint64_t)s->plan->tasklets * s->plan->parts.data[i].bytes;
    charge_all(s, parts);
    dpu_stage_charge(s, HOST_IN, m->in.data, m->in.len);
    dpu_stage_charge(s, HOST_SAME, &same, m->same != 0);
}

bool dpu_stage_end(struct dpu_stage_launch *s, struct diag *d) {
    struct moved m = {.same = 0};
    uint32_t n = 0;
    bool fine = true;
    for (const struct stage_stage *x = s->text->stages; x && fine; x = x->next, n++) {
        if (x->pattern == STAGE_REDUCE)
            fine = gather(s, x, n, &m, d);
        for (size_t i = 0; i < s->plan->blocks.len && fine; i++)
            if (s->plan->blocks.data[i].kept && s->plan->blocks.data[i].stage == n)
                fine = compact(s, i, s->per[x->units], &m, d);
        if (x->pattern == STAGE_FILTER && fine)
            fine = put_count(s, x, n, &m, d);
    }
    charge(s, &m);
    vec_free(&m.in);
    return fine;
}
