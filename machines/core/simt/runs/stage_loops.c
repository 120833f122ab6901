/* SPDX-License-Identifier: MIT
 * Loops of stage kernels as loops of PTX, which may stand in one another; what they change lies in
 * registers of its own, their cells. */
#include "machines/core/simt/runs/stage_writer.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Cells have zeros above what they hold. */
void simt_stage_put_cell(struct simt_stage_writer *w, uint32_t array, unsigned bytes,
                         const char *from) {
    const uint32_t cell = w->places[array].cell;
    if (bytes > 4)
        simt_line_put(&w->x, "mov.b64 %%d%" PRIu32 ", %s;", cell, from);
    else
        simt_line_put(&w->x, "cvt.u64.u%u %%d%" PRIu32 ", %s;", 32u, cell, from);
}

void simt_stage_cell(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *simt_stage_value_at(w, id);
    const uint32_t cell = w->places[v.array].cell;
    if (v.wide) {
        simt_line_put(x, "mov.b64 %%d%" PRIu32 ", %%d%" PRIu32 ";", simt_new(x, id), cell);
        return;
    }
    const uint32_t to = simt_new(x, id);
    simt_line_put(x, "cvt.u32.u64 %%r%" PRIu32 ", %%d%" PRIu32 ";", to, cell);
    if (v.bytes < 4)
        simt_line_put(x, "and.b32 %%r%" PRIu32 ", %%r%" PRIu32 ", 0x%" PRIx64 ";", to, to,
                      low_bits(8u * v.bytes));
}

void simt_stage_begin_loop(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *simt_stage_value_at(w, id);
    if (v.a)
        simt_line_put(x, "@!%%p%" PRIu32 " bra behind%" PRIu32 ";", simt_mask_of(x, v.a), id);
    const size_t count = x->body->values.len;
    struct simt_made *made = xcalloc(count + 1, sizeof *made);
    memcpy(made, x->made, count * sizeof *made);
    vec_push(&w->outer, made);
    simt_line_put(x, "lap%" PRIu32 ":", id);
}

/* Registers that are made within a loop, of values that are in front of it too, are not there
 * behind: who has no lap has not made them. */
void simt_stage_end_loop(struct simt_stage_writer *w, scalar_id id) {
    struct simt_values *x = &w->x;
    const struct scalar_value v = *simt_stage_value_at(w, id);
    const scalar_id first = (scalar_id)v.k;
    if (v.a)
        simt_line_put(x, "@%%p%" PRIu32 " bra lap%" PRIu64 ";", simt_mask_of(x, v.a), v.k);
    else
        simt_line_put(x, "bra lap%" PRIu64 ";", v.k);
    simt_line_put(x, "behind%" PRIu64 ":", v.k);
    struct simt_made *made = vec_last(&w->outer);
    w->outer.len--;
    memcpy(x->made, made, (first - 1) * sizeof *made);
    memset(x->made + first - 1, 0, (id - first) * sizeof *made);
    free(made);
}
