/* SPDX-License-Identifier: MIT
 * Between the files that make the loop around the stages of a kernel: where things lie
 * (stage_layout.c), the text (stage_text.c), what the host is told (stage_planned.c), and which of
 * several is taken (stage_loop.c).
 *
 * WRAM: words of the host, tables of constants, arrays that are seen whole; then each tasklet's
 * own: words of the loop, stacks, what it gathers, arrays of bodies, a block of each buffer, what
 * is kept of a block. */
#ifndef MACHINES_CORE_DPU_RUNS_STAGE_LAYOUT_H
#define MACHINES_CORE_DPU_RUNS_STAGE_LAYOUT_H

#include "machines/core/dpu/runs/runs.h"
#include "machines/core/dpu/runs/stage_loop.h"

#define DPU_STAGE_MOST_TRANSFER 2048u /* bytes */
#define DPU_STAGE_MOST_POINTERS 6u
#define DPU_STAGE_ROWS_OF_8     8u /* transfers are 8 bytes and more, of whatever elements */

/* Words of a tasklet's own. */
enum {
    DPU_STAGE_OWN_FIRST = 0,
    DPU_STAGE_OWN_LAST = 4,
    DPU_STAGE_OWN_ROWS = 8,
    DPU_STAGE_OWN_NEXT = 12,
    DPU_STAGE_OWN_END = 16,
    DPU_STAGE_OWN_WRONG = 24,
    DPU_STAGE_OWN_CALLED =
        32 /* stack of routines that are made from IR, and behind it that of the loop */
};

struct dpu_stage_layout {
    const struct dpu_stage_loop *loop;
    struct scalar_stage *s;
    struct dpu_stage_plan *plan;
    uint32_t *numbers;
    uint32_t *at;        /* [arrays]: in WRAM, or of a tasklet's own */
    uint32_t *cursor;    /* [arrays]: table of addresses */
    uint32_t *length_at; /* [arrays]: of SCALAR_SEEN, the word with its bytes */
    uint32_t tasklets, block, called, stack, shared_end, own_bytes;
    uint32_t unrolled; /* rows of a lap */
    uint32_t step;     /* blocks have a multiple of so many rows, a power of 2, at most 8 */
    uint32_t row_bytes[DPU_STAGE_MOST_POINTERS], pointers;
    unsigned registers;
    struct str tables; /* lines of .data */
    uint32_t table_first, table_end;
};

static inline uint32_t dpu_stage_up8(uint64_t n) {
    return (uint32_t)((n + 7) / 8 * 8);
}
static inline const struct scalar_stage_array *dpu_stage_array_of(const struct dpu_stage_layout *l,
                                                                  size_t i) {
    return &l->s->arrays.data[i];
}
static inline uint32_t dpu_stage_row_bytes(const struct scalar_stage_array *a) {
    return a->count * a->bytes;
}
/* Of what is seen behind a block; of what is kept of a row. */
uint32_t dpu_stage_beyond_bytes(const struct scalar_stage_array *a);
uint32_t dpu_stage_kept_bytes(const struct dpu_stage_layout *l, const struct scalar_stage_array *a);

/* As many tasklets as there is room for, and blocks as large as can be; registers of the loop.
 * False, with why not appended. */
bool dpu_stage_lay(struct dpu_stage_layout *l, struct str *wrong);
bool dpu_stage_name_registers(struct dpu_stage_layout *l, struct str *wrong);
const char *dpu_stage_counter_of(const struct dpu_stage_layout *l);
const char *dpu_stage_pointer_name(const struct dpu_stage_layout *l, uint32_t p);
/* Of struct scalar_places; the context is the layout. */
void dpu_stage_place_at(const void *context, uint32_t array, uint32_t element, const char **reg,
                        uint32_t *offset);
void dpu_stage_place_table(const void *context, uint32_t table, const char **reg, uint32_t *offset);

/* Texts: laps of rows that are all there (empty: there are none), of one row that may not be, and
 * routines. */
void dpu_stage_whole_text(struct str *out, const struct dpu_stage_layout *l,
                          const struct str *texts, uint32_t unrolled,
                          const struct scalar_code *code);
void dpu_stage_make_plan(struct dpu_stage_layout *l);

#endif
