/* SPDX-License-Identifier: MIT
 * The loop around the laps of a stage kernel.  Blocks are rows: of those that are all there some
 * at a time, of others one by one, under masks. */
#include "machines/core/dpu/runs/stage_layout.h"

#include <inttypes.h>

#define LINE(...) str_printf(out, __VA_ARGS__)

/* r2 = rows, in r3, times the bytes of one. */
static void times(struct str *out, uint32_t bytes) {
    bool first = true;
    for (uint32_t k = 0; k < 32; k++) {
        if (!(bytes >> k & 1))
            continue;
        if (first)
            LINE("  lsl r2, r3, %" PRIu32 "\n", k);
        else
            LINE("  lsl_add r2, r2, r3, %" PRIu32 "\n", k);
        first = false;
    }
}
/* r0: WRAM of the tasklet's own; r1: its address in MRAM; r2: bytes. */
static void transfer(struct str *out, const struct dpu_stage_layout *l, size_t i, const char *how) {
    const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
    const bool in = how[0] == 'l';
    LINE("  lw r3, r22, %d\n", DPU_STAGE_OWN_ROWS);
    times(out, dpu_stage_row_bytes(a));
    if (in && a->beyond)
        LINE("  add r2, r2, %" PRIu32 "\n", dpu_stage_beyond_bytes(a));
    LINE("  add r0, r22, %" PRIu32 "\n  lw r1, id4, %" PRIu32 "\n  call r23, stage_%s\n", l->at[i],
         l->cursor[i], how);
}
static void routine(struct str *out, const char *name, const char *how) {
    LINE("stage_%s:\n  jz r2, stage_%s_end\n  move r3, %u\nstage_%s_more:\n", name, name,
         DPU_STAGE_MOST_TRANSFER, name);
    LINE("  jleu r2, r3, stage_%s_last\n  %s r0, r1, 255\n  add r0, r0, r3\n  add r1, r1, r3\n",
         name, how);
    LINE("  sub r2, r2, r3\n  jump stage_%s_more\nstage_%s_last:\n  lsr r2, r2, 3\n"
         "  add r2, r2, -1\n  lsl_add r0, r0, r2, 24\n  %s r0, r1, 0\nstage_%s_end:\n"
         "  jump r23\n",
         name, name, how, name);
}

/* The first tasklet fetches what all of them see; then each starts the next. */
static void begin(struct str *out, const struct dpu_stage_layout *l) {
    LINE("  jneq id, 0, stage_boot\n");
    for (size_t i = 0; i < l->s->arrays.len; i++)
        if (dpu_stage_array_of(l, i)->kind == SCALAR_SEEN)
            LINE("  move r0, %" PRIu32 "\n  lw r1, zero, %" PRIu32 "\n  lw r2, zero, %" PRIu32
                 "\n  call r23, stage_load\n",
                 l->at[i], l->cursor[i], l->length_at[i]);
    LINE("stage_boot:\n  jeq id, %" PRIu32 ", stage_go\n  boot id, 1\nstage_go:\n",
         l->tasklets - 1);
    LINE("  move r0, %" PRIu32 "\n  move r1, id\n  mul_ul_ul r2, r1, r0\n  mul_ul_uh r0, r1, r0\n"
         "  lsl_add r22, r2, r0, 8\n  add r22, r22, %" PRIu32 "\n",
         l->own_bytes, l->shared_end);
    LINE("  lw r0, id4, %" PRIu32 "\n  sw r22, %d, r0\n", l->plan->starts_at, DPU_STAGE_OWN_FIRST);
}

static void set_elements(struct str *out, const struct dpu_stage_layout *l, size_t i) {
    const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
    const struct stage_param *q = a->of;
    static const char *const stores[] = {"sb", "sh", "sw", "sw"};
    const unsigned log = (unsigned)__builtin_ctz(a->bytes);
    const uint32_t low = (uint32_t)q->begin, high = (uint32_t)(q->begin >> 32);
    LINE("  move r0, %" PRId32 "\n", (int32_t)low);
    if (a->bytes == 8)
        LINE("  move r1, %" PRId32 "\n", (int32_t)high);
    LINE("  add r2, r22, %" PRIu32 "\n  move r3, %" PRIu32 "\nstage_set_%zu:\n", l->at[i], a->count,
         i);
    LINE("  %s r2, 0, r0\n", stores[log]);
    if (a->bytes == 8)
        LINE("  sw r2, 4, r1\n");
    LINE("  add r2, r2, %" PRIu32 "\n  add r3, r3, -1, nz, stage_set_%zu\n", a->bytes, i);
}
static void begin_results(struct str *out, const struct dpu_stage_layout *l) {
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        if (a->kind == SCALAR_GATHERED)
            set_elements(out, l, i);
        if (a->kind == SCALAR_KEPT)
            LINE("  move r0, 0\n  sw r22, %" PRIu32 ", r0\n  sw r22, %" PRIu32 ", r0\n", l->at[i],
                 l->at[i] + 4);
        if (a->kind == SCALAR_KEPT_AT)
            LINE("  add r0, r22, %" PRIu32 "\n  sw r22, %" PRIu32 ", r0\n", l->at[i] + 8, l->at[i]);
    }
}

/* Rows of the block; what is read of it comes, and what is written, where rows are not whole. */
static void block_comes(struct str *out, const struct dpu_stage_layout *l) {
    LINE("stage_block:\n  lw r0, r22, %d\n  lw r1, id4, %" PRIu32 "\n  jgeu r0, r1, stage_end\n",
         DPU_STAGE_OWN_FIRST, l->plan->starts_at + 4);
    LINE("  add r2, r0, %" PRIu32 "\n  jleu r2, r1, stage_whole\n  move r2, r1\nstage_whole:\n",
         l->block);
    LINE("  sw r22, %d, r2\n  sw r22, %d, r0\n  sub r3, r2, r0\n  add r3, r3, %" PRIu32
         "\n  and r3, r3, %" PRId32 "\n  sw r22, %d, r3\n",
         DPU_STAGE_OWN_LAST, DPU_STAGE_OWN_NEXT, l->step - 1, -(int32_t)l->step,
         DPU_STAGE_OWN_ROWS);
    bool preloads = false;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        if (a->kind == SCALAR_BLOCK && a->loaded)
            transfer(out, l, i, "load");
        preloads |= a->kind == SCALAR_BLOCK && !a->loaded;
    }
    if (preloads)
        LINE("  lw r0, r22, %d\n  lw r1, r22, %d\n  add r0, r0, r1\n  lw r1, zero, %" PRIu32
             "\n  jleu r0, r1, stage_loaded\n",
             DPU_STAGE_OWN_FIRST, DPU_STAGE_OWN_ROWS, l->plan->full_at);
    for (size_t i = 0; preloads && i < l->s->arrays.len; i++)
        if (dpu_stage_array_of(l, i)->kind == SCALAR_BLOCK && !dpu_stage_array_of(l, i)->loaded)
            transfer(out, l, i, "load");
    if (preloads)
        LINE("stage_loaded:\n");
}

static void go_on(struct str *out, const struct dpu_stage_layout *l, uint32_t rows,
                  const char *label) {
    for (uint32_t p = 0; p < l->pointers; p++)
        LINE("  add %s, %s, %" PRIu32 "\n", dpu_stage_pointer_name(l, p),
             dpu_stage_pointer_name(l, p), rows * l->row_bytes[p]);
    LINE("  add %s, %s, %" PRIu32 ", nz, %s\n", dpu_stage_counter_of(l), dpu_stage_counter_of(l),
         rows, label);
}
/* Whole rows some at a time, if there is code for them. */
static void fast_rows(struct str *out, const struct dpu_stage_layout *l, const char *fast,
                      uint32_t unrolled) {
    LINE("  lw r0, r22, %d\n  lw r1, r22, %d\n  lw r2, zero, %" PRIu32
         "\n  jleu r1, r2, stage_rows\n  move r1, r2\nstage_rows:\n  jleu r1, r0, stage_rest\n",
         DPU_STAGE_OWN_FIRST, DPU_STAGE_OWN_LAST, l->plan->full_at);
    LINE("  sub r2, r1, r0\n  and r2, r2, %" PRId32 "\n  jz r2, stage_rest\n  add r0, r0, r2\n"
         "  sw r22, %d, r0\n  sw r22, %d, r0\n  sub %s, zero, r2\n",
         -(int32_t)unrolled, DPU_STAGE_OWN_END, DPU_STAGE_OWN_NEXT, dpu_stage_counter_of(l));
    LINE("stage_fast:\n%s", fast);
    go_on(out, l, unrolled, "stage_fast");
}
/* The rest one by one. */
static void rows_go(struct str *out, const struct dpu_stage_layout *l, const char *fast,
                    const char *slow, uint32_t unrolled) {
    for (uint32_t p = 0; p < l->pointers; p++)
        LINE("  move %s, r22\n", dpu_stage_pointer_name(l, p));
    if (*fast)
        fast_rows(out, l, fast, unrolled);
    LINE("stage_rest:\n  lw r0, r22, %d\n  lw r1, r22, %d\n  sub %s, r0, r1\n  jz %s, stage_done\n"
         "  sw r22, %d, r1\n",
         DPU_STAGE_OWN_NEXT, DPU_STAGE_OWN_LAST, dpu_stage_counter_of(l), dpu_stage_counter_of(l),
         DPU_STAGE_OWN_END);
    LINE("stage_slow:\n%s", slow);
    go_on(out, l, 1, "stage_slow");
    LINE("stage_done:\n");
}

/* What is kept goes in multiples of 8 bytes; the rest, which is less, to the front. */
static void kept_goes(struct str *out, const struct dpu_stage_layout *l, size_t i, bool last) {
    const uint32_t at = l->at[i], from = at + 8;
    LINE("  lw r4, r22, %" PRIu32 "\n  add r0, r22, %" PRIu32 "\n  sub r4, r4, r0\n", at, from);
    if (last) {
        LINE("  add r2, r4, 7\n  and r2, r2, -8\n  lw r1, id4, %" PRIu32
             "\n  call r23, stage_store\n",
             l->cursor[i]);
        return;
    }
    LINE("  and r2, r4, -8\n  lw r1, id4, %" PRIu32 "\n  add r5, r1, r2\n  sw id4, %" PRIu32
         ", r5\n  add r6, r0, r2\n  move r7, r0\n  call r23, stage_store\n",
         l->cursor[i], l->cursor[i]);
    LINE("  ld d8, r6, 0\n  sd r7, 0, d8\n  and r4, r4, 7\n  add r4, r4, r7\n  sw r22, %" PRIu32
         ", r4\n",
         at);
}
static void block_goes(struct str *out, const struct dpu_stage_layout *l) {
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        if (a->kind == SCALAR_BLOCK && a->stored)
            transfer(out, l, i, "store");
        if (a->kind == SCALAR_KEPT_AT)
            kept_goes(out, l, i, false);
    }
    for (size_t i = 0; i < l->s->arrays.len; i++)
        if (dpu_stage_array_of(l, i)->kind == SCALAR_BLOCK)
            LINE("  lw r0, id4, %" PRIu32 "\n  add r0, r0, %" PRIu32 "\n  sw id4, %" PRIu32
                 ", r0\n",
                 l->cursor[i], l->block * dpu_stage_row_bytes(dpu_stage_array_of(l, i)),
                 l->cursor[i]);
    LINE("  lw r0, r22, %d\n  add r0, r0, %" PRIu32 "\n  sw r22, %d, r0\n  jump stage_block\n",
         DPU_STAGE_OWN_FIRST, l->block, DPU_STAGE_OWN_FIRST);
}
static void results_go(struct str *out, const struct dpu_stage_layout *l) {
    LINE("stage_end:\n");
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        if (a->kind == SCALAR_KEPT_AT)
            kept_goes(out, l, i, true);
        if (a->kind == SCALAR_GATHERED || a->kind == SCALAR_KEPT)
            LINE("  add r0, r22, %" PRIu32 "\n  lw r1, id4, %" PRIu32 "\n  move r2, %" PRIu32
                 "\n  call r23, stage_store\n",
                 l->at[i], l->cursor[i], dpu_stage_up8((uint64_t)a->count * a->bytes));
    }
    LINE("stage_stop:\n  stop true, stage_stop\n");
}

/* Texts: laps of rows that are all there, of one row that may not be, and routines. */
void dpu_stage_whole_text(struct str *out, const struct dpu_stage_layout *l,
                          const struct str *texts, uint32_t unrolled,
                          const struct scalar_code *code) {
    if (l->tables.len)
        LINE("  .data\n  .at %" PRIu32 "\n%s  .text\n", l->table_first, str_text(&l->tables));
    begin(out, l);
    begin_results(out, l);
    block_comes(out, l);
    rows_go(out, l, str_text(&texts[0]), str_text(&texts[1]), unrolled);
    block_goes(out, l);
    results_go(out, l);
    routine(out, "load", "ldma");
    routine(out, "store", "sdma");
    str_append(out, str_text(&texts[2]));
    dpu_put_routines(out, code);
}
