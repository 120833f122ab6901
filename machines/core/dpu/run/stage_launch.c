/* SPDX-License-Identifier: MIT
 * Before a launch of a stage kernel: arguments are looked at, MRAM is found for what tasklets
 * leave, each DPU gets its words.  After it: what they left comes together. */
#include "machines/core/dpu/run/stage_launch.h"
#include "machines/core/scalar/stage.h"
#include "portable/portable.h"
#include "support/alloc.h"
#include "support/bits.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t least(uint64_t x, uint64_t y) {
    return x < y ? x : y;
}
static uint64_t up8(uint64_t n) {
    return (n + 7) / 8 * 8;
}

/* ---- arrays ---- */

/* The argument that an array is; NULL: it is no buffer. */
static const struct dp_argument *argument_of(const struct dpu_stage_launch *s, uint32_t array) {
    const uint32_t p = s->text->arrays[array]->parameter;
    return p == NO_INDEX ? NULL : &s->x->arguments[p];
}
static uint64_t address_of(const struct dpu_stage_launch *s, uint32_t array, uint32_t unit) {
    const uint32_t p = s->text->arrays[array]->parameter;
    return datapath_argument(s->x, p) + unit * s->x->arguments[p].stride;
}
/* ---- arguments ---- */

static bool take_length(struct dpu_stage_launch *s, struct diag *d) {
    uint64_t n;
    if (!stage_length(s->text, s->scalars, &n))
        return diag_refuse(d, "the length is %" PRId64, (int64_t)n);
    stage_lengths_most(s->text, n, s->lengths);
    return true;
}
static uint64_t extent_of(const struct dpu_stage_launch *s, uint32_t array, bool *written) {
    return stage_extent(s->text, s->scalars, s->lengths, array, written);
}

/* Whether two arguments have bytes in common, of whole buffers or of what lies in one unit. */
static bool overlaps(const struct dpu_stage_launch *s, uint32_t x, uint32_t y) {
    const struct dp_argument *a = argument_of(s, x), *c = argument_of(s, y);
    uint64_t from_a = address_of(s, x, 0), from_c = address_of(s, y, 0);
    uint64_t n_a = a->own ? a->own : a->total, n_c = c->own ? c->own : c->total;
    return from_a <= from_c ? from_c - from_a < n_a : from_a - from_c < n_c;
}

static bool arrays_fit(const struct dpu_stage_launch *s, struct diag *d) {
    const struct stage_kernel *k = s->text;
    for (uint32_t i = 0; i < k->array_count; i++) {
        const struct dp_argument *a = argument_of(s, i);
        bool written, other;
        const uint64_t n = extent_of(s, i, &written);
        if (!a)
            continue;
        const unsigned bytes = object_element_bytes(k->arrays[i]->type);
        if (n > a->total / bytes)
            return diag_refuse(d, "'%s' has no element %" PRIu64 ": its buffer ends there",
                               k->arrays[i]->text, a->total / bytes);
        for (uint32_t j = 0; j < i; j++) {
            const uint64_t m = argument_of(s, j) ? extent_of(s, j, &other) : 0;
            if (argument_of(s, j) && (written || other) && n && m && overlaps(s, i, j))
                return diag_refuse(d,
                                   "'%s' and '%s' overlap in memory, and the kernel writes there",
                                   k->arrays[j]->text, k->arrays[i]->text);
        }
    }
    for (size_t i = 0; i < s->plan->seen.len; i++)
        if (address_of(s, s->plan->seen.data[i].array, 0) % 8)
            return diag_refuse(
                d, "'%s' begins at no multiple of 8 bytes of its buffer, and is seen whole",
                k->arrays[s->plan->seen.data[i].array]->text);
    return true;
}

/* ---- beginning ---- */

static bool find_scratch(struct dpu_stage_launch *s, struct diag *d) {
    const struct dpu_stage_plan *p = s->plan;
    uint64_t bytes = 0;
    for (size_t i = 0; i < p->blocks.len; i++)
        if (p->blocks.data[i].kept) {
            s->kept_at[i] = bytes;
            bytes += up8((uint64_t)p->rows * p->blocks.data[i].row_bytes);
        }
    for (size_t i = 0; i < p->parts.len; i++) {
        s->parts_at[i] = bytes;
        bytes += (uint64_t)p->tasklets * p->parts.data[i].bytes;
    }
    return !bytes || dpu_mem_alloc_slices(&s->machine->state.base, bytes, s->machine->state.vrfs,
                                          &s->scratch, &s->stride, d);
}

void dpu_stage_charge(struct dpu_stage_launch *s, enum host_way way,
                      const struct host_slice *slices, size_t count) {
    const struct target *t = stored_target(s->machine);
    if (!count)
        return;
    const struct host_transfer x = target_host_transfer(t, way, slices, count);
    s->out_ps = sat_add(s->out_ps, x.time_ps);
    s->out_fj = sat_add(s->out_fj, target_host_fj(t, x.bytes));
    s->out_bytes = sat_add(s->out_bytes, x.bytes);
}

/* What windows see of the neighbours, where something may have changed it. */
static bool bring_beyond(struct dpu_stage_launch *s, struct diag *d) {
    struct datapath *dp = &s->machine->state.base;
    VEC(struct host_slice) slices = {0};
    bool fine = true;
    for (size_t i = 0; i < s->plan->blocks.len && fine; i++) {
        const struct dpu_stage_block *b = &s->plan->blocks.data[i];
        const struct dp_argument *a = argument_of(s, b->array);
        if (!b->stale || b->kept || !a->own)
            continue;
        unsigned char *bytes = xmalloc(b->beyond_bytes + 1u);
        for (uint32_t u = 0; u + 1 < s->units && fine; u++) {
            uint64_t at = (u + UINT64_C(1)) * a->own, left = at < a->total ? a->total - at : 0;
            uint64_t size = least(left, b->beyond_bytes);
            for (uint64_t done = 0; done < size && fine;) {
                const uint64_t from = at + done, piece = least(size - done, a->own - from % a->own);
                fine = dpu_mem_get(
                    dp, address_of(s, b->array, (uint32_t)(from / a->own)) + from % a->own,
                    bytes + done, piece, d);
                done += piece;
            }
            fine = fine &&
                   (!size || dpu_mem_put(dp, address_of(s, b->array, u) + a->own, bytes, size, d));
            if (size)
                vec_push(&slices, ((struct host_slice){u, size}));
        }
        free(bytes);
    }
    dpu_stage_charge(s, HOST_OUT, slices.data, slices.len);
    dpu_stage_charge(s, HOST_IN, slices.data, slices.len);
    vec_free(&slices);
    return fine;
}

static void count_units(struct dpu_stage_launch *s) {
    const uint64_t rows = (s->lengths[0] + s->plan->row - 1) / s->plan->row,
                   all = s->plan->rows ? (rows + s->plan->rows - 1) / s->plan->rows : 1,
                   before = s->x->units_before;
    const uint32_t most = s->x->units ? s->x->units : s->machine->state.vrfs;
    const uint64_t own = all > before ? all - before : 0;
    s->units = own < 1 ? 1 : own < most ? (uint32_t)own : most;
}

bool dpu_stage_open(struct dpu_stage_launch *s, struct stored_dp *m, const struct dp_launch *x,
                    const struct dpu_stage_plan *plan, struct diag *d) {
    struct scalar_stage rows = {.row = 0};
    *s = (struct dpu_stage_launch){.machine = m, .x = x, .plan = plan};
    s->text = stage_read(x->decl, x->decl->name, d);
    if (!s->text || !scalar_stage_open(&rows, s->text)) {
        scalar_stage_close(&rows);
        return diag_refuse(d, "this is no kernel of a DPU");
    }
    s->per = rows.per;
    rows.per = NULL;
    scalar_stage_close(&rows);
    s->scalars = xcalloc(x->argument_count + 1, sizeof *s->scalars);
    s->lengths = xcalloc((size_t)s->text->length_count + 1, sizeof *s->lengths);
    s->kept_at = xcalloc(plan->blocks.len + 1, sizeof *s->kept_at);
    s->parts_at = xcalloc(plan->parts.len + 1, sizeof *s->parts_at);
    for (size_t i = 0; i < x->argument_count; i++)
        if (s->text->decl->parameters[i].kind == PARAMETER_NUMBER)
            s->scalars[i] =
                stage_normal(s->text->decl->parameters[i].type, datapath_argument(x, i));
    if (!take_length(s, d) || !arrays_fit(s, d))
        return false;
    if (x->all_units && s->plan->parts.len)
        return diag_refuse(
            d, "what a filter keeps or a reduce gathers does not come together in rounds");
    count_units(s);
    return find_scratch(s, d) && bring_beyond(s, d);
}

void dpu_stage_close(struct dpu_stage_launch *s) {
    struct diag *quiet = diag_new(NULL, NULL);
    if (s->stride)
        dpu_mem_free(&s->machine->state.base, s->scratch, quiet);
    diag_free(quiet);
    stage_free(s->text);
    free(s->scalars);
    free(s->lengths);
    free(s->per);
    free(s->kept_at);
    free(s->parts_at);
    *s = (struct dpu_stage_launch){.units = 0};
}

/* ---- words of a DPU ---- */

static void put_word(struct dpu_core *core, uint32_t at, uint64_t value) {
    const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8),
                                    (unsigned char)(value >> 16), (unsigned char)(value >> 24)};
    dpu_core_wram_put(core, at, bytes, sizeof bytes);
}
static uint64_t behind(uint64_t all, uint64_t before) {
    return all > before ? all - before : 0;
}

/* Rows of the DPU with that number among all, and those of which everything is there, what windows
 * see behind them included. */
static void rows_of(const struct dpu_stage_launch *s, uint64_t number, uint64_t *rows,
                    uint64_t *full) {
    const struct dpu_stage_plan *p = s->plan;
    const uint64_t before = number * p->rows;
    *rows = least(behind((s->lengths[0] + p->row - 1) / p->row, before), p->rows);
    *full = *rows;
    for (const struct stage_stage *x = s->text->stages; x; x = x->next)
        if (s->text->lengths[x->units].kind != STAGE_KEPT)
            *full =
                least(*full, behind(behind(s->lengths[x->units] / s->per[x->units], p->rows_beyond),
                                    before));
}
static uint64_t start_of(const struct dpu_stage_launch *s, uint64_t rows, uint32_t tasklet) {
    return least(tasklet * dpu_stage_plan_part(s->plan, rows), rows);
}

void dpu_stage_begin(const struct dpu_stage_launch *s, const struct stored_unit *u,
                     struct dpu_core *core) {
    const struct dpu_stage_plan *p = s->plan;
    const uint32_t unit = u->unit - s->x->first_unit;
    uint64_t rows, full;
    rows_of(s, u->first, &rows, &full);
    put_word(core, p->full_at, full);
    for (size_t i = 0; i < p->left.len; i++) {
        const uint32_t length = p->left.data[i].number;
        uint64_t left = behind(s->lengths[length], u->first * (uint64_t)p->rows * s->per[length]);
        put_word(core, p->left.data[i].at, least(left, INT32_MAX));
    }
    for (uint32_t t = 0; t <= p->tasklets; t++) {
        const uint64_t start = start_of(s, rows, t);
        put_word(core, p->starts_at + 4 * t, start);
        for (size_t i = 0; i < p->blocks.len && t < p->tasklets; i++) {
            const struct dpu_stage_block *b = &p->blocks.data[i];
            uint64_t from = b->kept ? s->scratch + s->kept_at[i] : address_of(s, b->array, unit);
            put_word(core, b->at + 4 * t, from + start * b->row_bytes);
        }
        for (size_t i = 0; i < p->parts.len && t < p->tasklets; i++)
            put_word(core, p->parts.data[i].at + 4 * t,
                     s->scratch + s->parts_at[i] + t * p->parts.data[i].bytes);
    }
    for (size_t i = 0; i < p->seen.len; i++) {
        const struct dpu_stage_seen *x = &p->seen.data[i];
        const uint64_t there = argument_of(s, x->array)->total / x->element_bytes;
        put_word(core, x->at, address_of(s, x->array, unit));
        put_word(core, x->bytes_at, up8(least(x->count, there) * x->element_bytes));
    }
}

/* ---- faults ---- */

bool dpu_stage_explain(const struct dpu_stage_launch *s, const struct stored_unit *u,
                       const struct dpu_core *core, struct str *out) {
    const struct dpu_stage_plan *p = s->plan;
    const struct dpu_trouble *t = dpu_core_trouble(core);
    if (t->fault != DPU_FAULT_PROGRAM || !t->address || t->address > p->sites.len)
        return false;
    const struct dpu_stage_site *site = &p->sites.data[t->address - 1];
    const uint32_t own = p->own_at + t->tasklet * p->own_each;
    unsigned char bytes[8] = {0}, end[4] = {0};
    uint64_t index = 0;
    uint32_t row = dpu_core_register(core, t->tasklet, p->counter);
    dpu_core_wram_get(core, own + p->wrong_at, bytes, site->bits > 32 ? 8 : 4);
    dpu_core_wram_get(core, own + p->end_at, end, sizeof end);
    for (unsigned i = 0; i < 8; i++)
        index |= (uint64_t)bytes[i] << 8 * i;
    for (unsigned i = 0; i < 4; i++)
        row += (uint32_t)end[i] << 8 * i;
    index = site->is_signed ? (uint64_t)sign_extend(index, site->bits > 32 ? 64 : 32) : index;
    const bool negative = site->is_signed && (int64_t)index < 0;
    const uint64_t count = stage_seen(s->text, s->scalars, site->count, site->bound),
                   unit = (u->first * (uint64_t)p->rows + row) * site->per + site->unit;
    str_printf(out, "DPU %" PRIu32 ", %s %" PRIu64 ": ", u->unit, site->group ? "group" : "element",
               unit);
    if (!*site->name) {
        str_printf(out, "it does not end within %" PRIu64 " steps", STAGE_ELEMENT_STEPS);
        return true;
    }
    str_printf(out,
               "index %s%" PRIu64 " is outside of '%s', of which %" PRIu64 " element%s can be seen",
               negative ? "-" : "", negative ? 0 - index : index, site->name, count,
               count == 1 ? "" : "s");
    return true;
}
