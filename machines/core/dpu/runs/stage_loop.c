/* SPDX-License-Identifier: MIT
 * The loop around the stages of a kernel on one DPU.
 *
 * WRAM: words of the host, tables of constants, arrays that are seen whole; then each tasklet's
 * own: words of the loop, stack, what it gathers, arrays of bodies, a block of each buffer, what is
 * kept of a block.  Blocks are rows: of those that are all there some at a time, of others one by
 * one, under masks. */
#include "machines/core/dpu/runs/stage_loop.h"
#include "machines/core/dpu/dpu.h"
#include "machines/core/dpu/runs/runs.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_UNROLLED 8u
#define MOST_TRANSFER 2048u /* bytes */
#define MOST_POINTERS 6u
#define ROWS_OF_8     8u /* transfers are 8 bytes and more, of whatever elements */

/* Words of a tasklet's own. */
enum {
    OWN_FIRST = 0,
    OWN_LAST = 4,
    OWN_ROWS = 8,
    OWN_NEXT = 12,
    OWN_END = 16,
    OWN_WRONG = 24,
    OWN_STACK = 32
};

struct stage_layout {
    const struct dpu_stage_loop *loop;
    struct scalar_stage *s;
    struct dpu_stage_plan *plan;
    uint32_t *numbers;
    uint32_t *at;        /* [arrays]: in WRAM, or of a tasklet's own */
    uint32_t *cursor;    /* [arrays]: table of addresses */
    uint32_t *length_at; /* [arrays]: of SCALAR_SEEN, the word with its bytes */
    uint32_t tasklets, block, stack, shared_end, own_bytes;
    uint32_t row_bytes[MOST_POINTERS], pointers;
    unsigned registers;
    struct str tables; /* lines of .data */
    uint32_t table_first, table_end;
};

static uint32_t up8(uint64_t n) {
    return (uint32_t)((n + 7) / 8 * 8);
}
static const struct scalar_stage_array *array_of(const struct stage_layout *l, size_t i) {
    return &l->s->arrays.data[i];
}
static uint32_t row_bytes(const struct scalar_stage_array *a) {
    return a->count * a->bytes;
}
static uint32_t beyond_bytes(const struct scalar_stage_array *a) {
    return up8((uint64_t)a->beyond * a->bytes);
}
static uint32_t kept_bytes(const struct stage_layout *l, const struct scalar_stage_array *a) {
    const struct stage_array *k = l->loop->kernel->arrays[a->index];
    return scalar_stage_per(l->s, a->index) * object_element_bytes(k->type);
}

/* ---- where things lie ---- */

/* Words of the host, in front of all. */
static uint32_t words(struct stage_layout *l, uint32_t *end, uint32_t count) {
    uint32_t at = *end;
    (void)l;
    *end += 4 * count;
    return at;
}
static void lay_words(struct stage_layout *l) {
    const uint32_t tasklets = l->loop->tasklets;
    uint32_t end = 8;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
        if (a->kind != SCALAR_NUMBER)
            continue;
        end = a->bytes == 8 ? up8(end) : end;
        l->at[i] = l->numbers[a->index] = words(l, &end, a->bytes == 8 ? 2 : 1);
    }
    l->plan->starts_at = words(l, &end, tasklets + 1);
    l->plan->full_at = words(l, &end, 1);
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
        if (a->kind == SCALAR_LEFT)
            l->at[i] = words(l, &end, 1);
        if (a->kind == SCALAR_BLOCK || a->kind == SCALAR_GATHERED || a->kind == SCALAR_KEPT ||
            a->kind == SCALAR_KEPT_AT)
            l->cursor[i] = words(l, &end, tasklets);
        if (a->kind == SCALAR_SEEN) {
            l->cursor[i] = words(l, &end, 1);
            l->length_at[i] = words(l, &end, 1);
        }
    }
    l->shared_end = up8(end);
}

static void put_table(struct stage_layout *l, const struct scalar_stage_array *a) {
    const struct stage_name *n = a->of;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < a->bytes; k++)
            str_printf(&l->tables, "%s%u%s", k ? ", " : "  .byte ",
                       (unsigned)(n->elements[i] >> 8 * k & 255), k + 1 == a->bytes ? "\n" : "");
    for (uint32_t n8 = a->count * a->bytes; n8 % 8; n8++)
        str_append(&l->tables, "  .byte 0\n");
}
static void lay_tables(struct stage_layout *l) {
    l->table_first = l->shared_end;
    str_clear(&l->tables);
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
        if (a->kind != SCALAR_TABLE)
            continue;
        l->at[i] = l->shared_end;
        put_table(l, a);
        l->shared_end += up8((uint64_t)a->count * a->bytes);
    }
    l->table_end = l->shared_end;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        struct scalar_stage_array *a = &l->s->arrays.data[i];
        if (a->kind != SCALAR_SEEN)
            continue;
        if (a->bounded && l->loop->elements[a->index] > a->count)
            a->count = l->loop->elements[a->index] < DPU_WRAM_BYTES
                           ? (uint32_t)l->loop->elements[a->index]
                           : DPU_WRAM_BYTES;
        l->at[i] = l->shared_end;
        l->shared_end += up8((uint64_t)a->count * a->bytes);
    }
}

/* A tasklet's own, with blocks of so many rows. */
static uint64_t lay_own(struct stage_layout *l, uint32_t block) {
    uint64_t end = OWN_STACK + up8(l->stack);
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
        uint64_t bytes = 0;
        if (a->kind == SCALAR_KEPT)
            bytes = 8;
        else if (a->kind == SCALAR_GATHERED || a->kind == SCALAR_ROOM)
            bytes = up8((uint64_t)a->count * a->bytes);
        else if (a->kind == SCALAR_BLOCK)
            bytes = (uint64_t)block * row_bytes(a) + beyond_bytes(a);
        else if (a->kind == SCALAR_KEPT_AT) /* the word, and behind it what is kept */
            bytes = 8 + (uint64_t)block * kept_bytes(l, a) + 8;
        else
            continue;
        l->at[i] = (uint32_t)end;
        end += up8(bytes);
    }
    for (size_t i = 0; i < l->s->arrays.len; i++)
        if (array_of(l, i)->kind == SCALAR_END || array_of(l, i)->kind == SCALAR_WRONG)
            l->at[i] = array_of(l, i)->kind == SCALAR_END ? OWN_END : OWN_WRONG;
    return end;
}

/* The most rows of which one transfer has all. */
static uint32_t most_rows(const struct stage_layout *l) {
    uint32_t most = MOST_TRANSFER;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
        uint32_t bytes = a->kind == SCALAR_BLOCK     ? row_bytes(a)
                         : a->kind == SCALAR_KEPT_AT ? kept_bytes(l, a)
                                                     : 0;
        if (bytes && most > MOST_TRANSFER / bytes)
            most = MOST_TRANSFER / bytes;
    }
    return most < ROWS_OF_8 ? ROWS_OF_8 : most / ROWS_OF_8 * ROWS_OF_8;
}

/* What takes most of WRAM, by name. */
static void say_largest(const struct stage_layout *l, struct str *wrong) {
    uint64_t most = 0;
    const char *name = "";
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
        const bool body = a->kind == SCALAR_TABLE || a->kind == SCALAR_ROOM,
                   gathers = a->kind == SCALAR_GATHERED,
                   arrays = a->kind == SCALAR_SEEN || a->kind == SCALAR_BLOCK;
        uint64_t bytes = a->kind == SCALAR_BLOCK
                             ? (uint64_t)ROWS_OF_8 * row_bytes(a) + beyond_bytes(a)
                             : (uint64_t)a->count * a->bytes;
        if (bytes <= most || !(body || gathers || arrays))
            continue;
        most = bytes;
        name = body      ? ((const struct stage_name *)a->of)->text
               : gathers ? ((const struct stage_param *)a->of)->text
                         : l->loop->kernel->arrays[a->index]->text;
    }
    str_printf(wrong, ", '%s' with %" PRIu64, name, most);
}

/* As many tasklets as there is room for, and blocks as large as can be. */
static bool lay(struct stage_layout *l, struct str *wrong) {
    const uint32_t wram = l->loop->wram_bytes;
    lay_words(l);
    lay_tables(l);
    const uint64_t least = lay_own(l, ROWS_OF_8);
    if (l->shared_end + least > wram) {
        str_printf(wrong, "one tasklet takes %" PRIu64 " bytes of WRAM, which has %" PRIu32,
                   l->shared_end + least, wram);
        say_largest(l, wrong);
        return false;
    }
    uint64_t fit = (wram - l->shared_end) / least;
    l->tasklets = l->loop->tasklets < fit ? l->loop->tasklets : (uint32_t)fit;
    const uint32_t each = (wram - l->shared_end) / l->tasklets / 8 * 8;
    for (l->block = most_rows(l); lay_own(l, l->block) > each;)
        l->block = l->block > ROWS_OF_8 ? l->block - ROWS_OF_8 : ROWS_OF_8;
    l->own_bytes = up8(lay_own(l, l->block));
    return true;
}

static bool name_registers(struct stage_layout *l, struct str *wrong) {
    l->pointers = 0;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
        uint32_t p = 0;
        if (a->kind != SCALAR_BLOCK)
            continue;
        while (p < l->pointers && l->row_bytes[p] != row_bytes(a))
            p++;
        if (p == MOST_POINTERS) {
            str_printf(wrong, "its arrays have rows of more than %u sizes", MOST_POINTERS);
            return false;
        }
        l->row_bytes[p] = row_bytes(a);
        l->pointers = p == l->pointers ? p + 1 : l->pointers;
    }
    l->registers = dpu_scalar_core()->registers - l->pointers - 1;
    return true;
}
static const char *counter_of(const struct stage_layout *l) {
    return dpu_scalar_core()->names[l->registers];
}
static const char *pointer_name(const struct stage_layout *l, uint32_t p) {
    return dpu_scalar_core()->names[l->registers + 1 + p];
}

static void place_at(const void *context, uint32_t array, uint32_t element, const char **reg,
                     uint32_t *offset) {
    const struct stage_layout *l = context;
    const struct scalar_stage_array *a = array_of(l, array);
    *offset = l->at[array] + element * a->bytes;
    *reg = "r22";
    if (a->kind == SCALAR_NUMBER || a->kind == SCALAR_LEFT)
        *reg = "zero";
    if (a->kind == SCALAR_COUNTER) {
        *reg = counter_of(l);
        *offset = 0;
    }
    for (uint32_t p = 0; a->kind == SCALAR_BLOCK && p < l->pointers; p++)
        if (l->row_bytes[p] == row_bytes(a))
            *reg = pointer_name(l, p);
}
static void place_table(const void *context, uint32_t table, const char **reg, uint32_t *offset) {
    const struct stage_layout *l = context;
    *reg = "zero";
    *offset = l->at[table];
}

/* ---- the text ---- */

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
static void transfer(struct str *out, const struct stage_layout *l, size_t i, const char *how) {
    const struct scalar_stage_array *a = array_of(l, i);
    const bool in = how[0] == 'l';
    LINE("  lw r3, r22, %d\n", OWN_ROWS);
    times(out, row_bytes(a));
    if (in && a->beyond)
        LINE("  add r2, r2, %" PRIu32 "\n", beyond_bytes(a));
    LINE("  add r0, r22, %" PRIu32 "\n  lw r1, id4, %" PRIu32 "\n  call r23, stage_%s\n", l->at[i],
         l->cursor[i], how);
}
static void routine(struct str *out, const char *name, const char *how) {
    LINE("stage_%s:\n  jz r2, stage_%s_end\n  move r3, %u\nstage_%s_more:\n", name, name,
         MOST_TRANSFER, name);
    LINE("  jleu r2, r3, stage_%s_last\n  %s r0, r1, 255\n  add r0, r0, r3\n  add r1, r1, r3\n",
         name, how);
    LINE("  sub r2, r2, r3\n  jump stage_%s_more\nstage_%s_last:\n  lsr r2, r2, 3\n"
         "  add r2, r2, -1\n  lsl_add r0, r0, r2, 24\n  %s r0, r1, 0\nstage_%s_end:\n"
         "  jump r23\n",
         name, name, how, name);
}

/* The first tasklet fetches what all of them see; then each starts the next. */
static void begin(struct str *out, const struct stage_layout *l) {
    LINE("  jneq id, 0, stage_boot\n");
    for (size_t i = 0; i < l->s->arrays.len; i++)
        if (array_of(l, i)->kind == SCALAR_SEEN)
            LINE("  move r0, %" PRIu32 "\n  lw r1, zero, %" PRIu32 "\n  lw r2, zero, %" PRIu32
                 "\n  call r23, stage_load\n",
                 l->at[i], l->cursor[i], l->length_at[i]);
    LINE("stage_boot:\n  jeq id, %" PRIu32 ", stage_go\n  boot id, 1\nstage_go:\n",
         l->tasklets - 1);
    LINE("  move r0, %" PRIu32 "\n  move r1, id\n  mul_ul_ul r2, r1, r0\n  mul_ul_uh r0, r1, r0\n"
         "  lsl_add r22, r2, r0, 8\n  add r22, r22, %" PRIu32 "\n",
         l->own_bytes, l->shared_end);
    LINE("  lw r0, id4, %" PRIu32 "\n  sw r22, %d, r0\n", l->plan->starts_at, OWN_FIRST);
}

static void set_elements(struct str *out, const struct stage_layout *l, size_t i) {
    const struct scalar_stage_array *a = array_of(l, i);
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
static void begin_results(struct str *out, const struct stage_layout *l) {
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
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
static void block_comes(struct str *out, const struct stage_layout *l) {
    LINE("stage_block:\n  lw r0, r22, %d\n  lw r1, id4, %" PRIu32 "\n  jgeu r0, r1, stage_end\n",
         OWN_FIRST, l->plan->starts_at + 4);
    LINE("  add r2, r0, %" PRIu32 "\n  jleu r2, r1, stage_whole\n  move r2, r1\nstage_whole:\n",
         l->block);
    LINE("  sw r22, %d, r2\n  sw r22, %d, r0\n  sub r3, r2, r0\n  add r3, r3, 7\n"
         "  and r3, r3, -8\n  sw r22, %d, r3\n",
         OWN_LAST, OWN_NEXT, OWN_ROWS);
    bool preloads = false;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
        if (a->kind == SCALAR_BLOCK && a->loaded)
            transfer(out, l, i, "load");
        preloads |= a->kind == SCALAR_BLOCK && !a->loaded;
    }
    if (preloads)
        LINE("  lw r0, r22, %d\n  lw r1, r22, %d\n  add r0, r0, r1\n  lw r1, zero, %" PRIu32
             "\n  jleu r0, r1, stage_loaded\n",
             OWN_FIRST, OWN_ROWS, l->plan->full_at);
    for (size_t i = 0; preloads && i < l->s->arrays.len; i++)
        if (array_of(l, i)->kind == SCALAR_BLOCK && !array_of(l, i)->loaded)
            transfer(out, l, i, "load");
    if (preloads)
        LINE("stage_loaded:\n");
}

static void go_on(struct str *out, const struct stage_layout *l, uint32_t rows, const char *label) {
    for (uint32_t p = 0; p < l->pointers; p++)
        LINE("  add %s, %s, %" PRIu32 "\n", pointer_name(l, p), pointer_name(l, p),
             rows * l->row_bytes[p]);
    LINE("  add %s, %s, %" PRIu32 ", nz, %s\n", counter_of(l), counter_of(l), rows, label);
}
/* Whole rows some at a time, the rest one by one. */
static void rows_go(struct str *out, const struct stage_layout *l, const char *fast,
                    const char *slow, uint32_t unrolled) {
    for (uint32_t p = 0; p < l->pointers; p++)
        LINE("  move %s, r22\n", pointer_name(l, p));
    LINE("  lw r0, r22, %d\n  lw r1, r22, %d\n  lw r2, zero, %" PRIu32
         "\n  jleu r1, r2, stage_rows\n  move r1, r2\nstage_rows:\n  jleu r1, r0, stage_rest\n",
         OWN_FIRST, OWN_LAST, l->plan->full_at);
    LINE("  sub r2, r1, r0\n  and r2, r2, %" PRId32 "\n  jz r2, stage_rest\n  add r0, r0, r2\n"
         "  sw r22, %d, r0\n  sw r22, %d, r0\n  sub %s, zero, r2\n",
         -(int32_t)unrolled, OWN_END, OWN_NEXT, counter_of(l));
    LINE("stage_fast:\n%s", fast);
    go_on(out, l, unrolled, "stage_fast");
    LINE("stage_rest:\n  lw r0, r22, %d\n  lw r1, r22, %d\n  sub %s, r0, r1\n  jz %s, stage_done\n"
         "  sw r22, %d, r1\n",
         OWN_NEXT, OWN_LAST, counter_of(l), counter_of(l), OWN_END);
    LINE("stage_slow:\n%s", slow);
    go_on(out, l, 1, "stage_slow");
    LINE("stage_done:\n");
}

/* What is kept goes in multiples of 8 bytes; the rest, which is less, to the front. */
static void kept_goes(struct str *out, const struct stage_layout *l, size_t i, bool last) {
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
static void block_goes(struct str *out, const struct stage_layout *l) {
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
        if (a->kind == SCALAR_BLOCK && a->stored)
            transfer(out, l, i, "store");
        if (a->kind == SCALAR_KEPT_AT)
            kept_goes(out, l, i, false);
    }
    for (size_t i = 0; i < l->s->arrays.len; i++)
        if (array_of(l, i)->kind == SCALAR_BLOCK)
            LINE("  lw r0, id4, %" PRIu32 "\n  add r0, r0, %" PRIu32 "\n  sw id4, %" PRIu32
                 ", r0\n",
                 l->cursor[i], l->block * row_bytes(array_of(l, i)), l->cursor[i]);
    LINE("  lw r0, r22, %d\n  add r0, r0, %" PRIu32 "\n  sw r22, %d, r0\n  jump stage_block\n",
         OWN_FIRST, l->block, OWN_FIRST);
}
static void results_go(struct str *out, const struct stage_layout *l) {
    LINE("stage_end:\n");
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
        if (a->kind == SCALAR_KEPT_AT)
            kept_goes(out, l, i, true);
        if (a->kind == SCALAR_GATHERED || a->kind == SCALAR_KEPT)
            LINE("  add r0, r22, %" PRIu32 "\n  lw r1, id4, %" PRIu32 "\n  move r2, %" PRIu32
                 "\n  call r23, stage_store\n",
                 l->at[i], l->cursor[i], up8((uint64_t)a->count * a->bytes));
    }
    LINE("stage_stop:\n  stop true, stage_stop\n");
}

static void whole(struct str *out, const struct stage_layout *l, const char *fast, const char *slow,
                  uint32_t unrolled, const struct scalar_code *code) {
    if (l->tables.len)
        LINE("  .data\n  .at %" PRIu32 "\n%s  .text\n", l->table_first, str_text(&l->tables));
    begin(out, l);
    begin_results(out, l);
    block_comes(out, l);
    rows_go(out, l, fast, slow, unrolled);
    block_goes(out, l);
    results_go(out, l);
    routine(out, "load", "ldma");
    routine(out, "store", "sdma");
    dpu_put_routines(out, code);
}

/* ---- the plan ---- */

static uint32_t parameter_number(const struct stage_stage *s, const struct stage_param *of) {
    uint32_t n = 0;
    for (const struct stage_param *q = s->params; q; q = q->next, n++)
        if (q == of)
            return n;
    return NO_INDEX;
}
static void plan_part(struct stage_layout *l, size_t i) {
    const struct scalar_stage_array *a = array_of(l, i);
    struct dpu_stage_part part = {.parameter = NO_INDEX, .at = l->cursor[i]};
    part.bytes = up8((uint64_t)a->count * a->bytes);
    uint32_t n = 0;
    for (const struct stage_stage *s = l->loop->kernel->stages; s; s = s->next, n++) {
        const uint32_t p = a->kind == SCALAR_GATHERED ? parameter_number(s, a->of) : NO_INDEX;
        if (p == NO_INDEX && a->of != s)
            continue;
        part.stage = n;
        part.parameter = p;
    }
    vec_push(&l->plan->parts, part);
}
static void plan_kept(struct stage_layout *l, size_t i) {
    const struct scalar_stage_array *a = array_of(l, i);
    uint32_t n = 0;
    struct dpu_stage_block b = {.array = a->index, .at = l->cursor[i], .kept = 1};
    b.row_bytes = kept_bytes(l, a);
    for (const struct stage_stage *s = l->loop->kernel->stages; s; s = s->next, n++)
        for (const struct stage_param *q = s->params; q; q = q->next)
            if (s->pattern == STAGE_FILTER && q->role == STAGE_OUT && q->array == a->index)
                b.stage = n;
    vec_push(&l->plan->blocks, b);
}
static void plan_sites(struct stage_layout *l) {
    for (size_t i = 0; i < l->s->sites.len; i++) {
        const struct scalar_stage_site *s = &l->s->sites.data[i];
        const char *name = s->name->text;
        vec_push(&l->plan->sites, ((struct dpu_stage_site){.line = s->line,
                                                           .group = s->stage->unit > 1,
                                                           .per = l->s->per[s->stage->units],
                                                           .unit = s->unit,
                                                           .is_signed = s->type.kind == TYPE_INT,
                                                           .bits = s->type.bits,
                                                           .count = s->count,
                                                           .bound = s->bound,
                                                           .name = xstrndup(name, strlen(name))}));
    }
}
static void make_plan(struct stage_layout *l) {
    struct dpu_stage_plan *p = l->plan;
    p->tasklets = l->tasklets;
    p->row = l->s->row;
    p->own_at = l->shared_end;
    p->own_each = l->own_bytes;
    p->end_at = OWN_END;
    p->wrong_at = OWN_WRONG;
    p->counter = l->registers;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = array_of(l, i);
        if (a->kind == SCALAR_BLOCK)
            vec_push(&p->blocks, ((struct dpu_stage_block){.array = a->index,
                                                           .at = l->cursor[i],
                                                           .row_bytes = row_bytes(a),
                                                           .beyond_bytes = beyond_bytes(a)}));
        if (a->kind == SCALAR_KEPT_AT)
            plan_kept(l, i);
        if (a->kind == SCALAR_SEEN)
            vec_push(&p->seen, ((struct dpu_stage_seen){.array = a->index,
                                                        .at = l->cursor[i],
                                                        .bytes_at = l->length_at[i],
                                                        .element_bytes = a->bytes,
                                                        .count = a->count}));
        if (a->kind == SCALAR_GATHERED || a->kind == SCALAR_KEPT)
            plan_part(l, i);
        if (a->kind == SCALAR_LEFT)
            vec_push(&p->left, ((struct dpu_stage_number){a->index, l->at[i]}));
    }
    plan_sites(l);
}

/* ---- all ---- */

enum outcome { FINE, TOO_LONG, REFUSED };

static bool code_of(struct stage_layout *l, struct scalar_body *b, struct str *out,
                    struct scalar_code *code, struct str *wrong) {
    const struct scalar_places places = {place_at, place_table, l, OWN_STACK, l->registers};
    scalar_id none = 0;
    if (scalar_emit(dpu_scalar_core(), b, &places, out, code, &none))
        return true;
    str_append(wrong, "an operation of it has no code on a DPU");
    return false;
}

/* Code of both laps, with what is known of places. */
static bool laps(struct stage_layout *l, struct scalar_body *fast, struct scalar_body *slow,
                 struct str *texts, struct scalar_code *code, struct dpu_stage_about *about,
                 struct str *wrong) {
    struct scalar_body copies[2] = {{.from = 0}, {.from = 0}};
    const struct scalar_body *from[2] = {fast, slow};
    bool fine = true;
    *code = (struct scalar_code){.instructions = 0};
    for (unsigned i = 0; i < 2 && fine; i++) {
        for (size_t k = 0; k < from[i]->values.len; k++)
            vec_push(&copies[i].values, from[i]->values.data[k]);
        str_clear(&texts[i]);
        fine = code_of(l, &copies[i], &texts[i], code, wrong);
        if (i == 0) {
            about->lap = code->instructions + l->pointers + 1;
            about->spills = code->spills;
        }
        l->stack = code->stack > l->stack ? code->stack : l->stack;
    }
    scalar_free(&copies[0]);
    scalar_free(&copies[1]);
    return fine;
}

static enum outcome text_of(struct stage_layout *l, struct scalar_body *fast,
                            struct scalar_body *slow, uint32_t unrolled, struct str *out,
                            struct dpu_stage_about *about, struct str *wrong) {
    struct str texts[2] = {{0}, {0}}, text = {0};
    struct scalar_code code = {0};
    enum outcome outcome = REFUSED;
    scalar_finish(fast);
    scalar_finish(slow);
    bool fine = name_registers(l, wrong) && lay(l, wrong);
    /* Twice: how large the stack is shows itself with the code. */
    for (unsigned i = 0; fine && i < 2; i++) {
        vec_free(&code.routines);
        fine = laps(l, fast, slow, texts, &code, about, wrong) && lay(l, wrong);
    }
    if (fine) {
        whole(&text, l, str_text(&texts[0]), str_text(&texts[1]), unrolled, &code);
        about->words = dpu_words_of(str_text(&text));
        about->block = l->block;
        about->unrolled = unrolled;
        outcome = about->words > l->loop->iram_words ? TOO_LONG : FINE;
    }
    if (outcome == FINE) {
        str_append(out, str_text(&text));
        make_plan(l);
    }
    vec_free(&code.routines);
    str_free(&texts[0]);
    str_free(&texts[1]);
    str_free(&text);
    return outcome;
}

static enum outcome try_unrolled(const struct dpu_stage_loop *loop, uint32_t unrolled,
                                 struct str *out, struct dpu_stage_plan *plan, uint32_t *numbers,
                                 struct dpu_stage_about *about, struct str *wrong, uint32_t *line) {
    struct scalar_stage s;
    struct scalar_body fast = {.from = 0}, slow = {.from = 0};
    struct stage_layout l = {.loop = loop, .s = &s, .plan = plan, .numbers = numbers};
    enum outcome outcome = REFUSED;
    bool fine = scalar_stage_open(&s, loop->kernel) && scalar_from_stage(&slow, &s, 1, true);
    /* Of a row that alone has so many values, more rows have no room. */
    if (fine && unrolled > 1 && slow.values.len > 2 * loop->iram_words) {
        outcome = TOO_LONG;
        fine = false;
    }
    bool tries = fine && scalar_from_stage(&fast, &s, unrolled, false);
    l.at = xcalloc(3 * s.arrays.len + 1, sizeof *l.at);
    l.cursor = l.at + s.arrays.len;
    l.length_at = l.cursor + s.arrays.len;
    if (tries) {
        outcome = text_of(&l, &fast, &slow, unrolled, out, about, wrong);
    } else if (outcome == REFUSED) {
        str_append(wrong, str_text(&s.wrong));
        *line = s.line;
    }
    free(l.at);
    str_free(&l.tables);
    scalar_free(&fast);
    scalar_free(&slow);
    scalar_stage_close(&s);
    return outcome;
}

bool dpu_stage_text(const struct dpu_stage_loop *loop, struct str *out, struct dpu_stage_plan *plan,
                    uint32_t *numbers, struct dpu_stage_about *about, struct str *wrong,
                    uint32_t *line) {
    enum outcome outcome = TOO_LONG;
    *line = 0;
    for (uint32_t u = loop->most_unrolled ? loop->most_unrolled : MOST_UNROLLED;
         u && outcome == TOO_LONG; u /= 2) {
        for (uint32_t i = 0; i < loop->kernel->decl->parameter_count; i++)
            numbers[i] = NO_INDEX;
        *plan = (struct dpu_stage_plan){.tasklets = 0};
        *about = (struct dpu_stage_about){.block = 0};
        outcome = try_unrolled(loop, u, out, plan, numbers, about, wrong, line);
    }
    if (outcome == TOO_LONG)
        str_printf(wrong, "its code has %" PRIu32 " instructions, and IRAM room for %" PRIu32,
                   about->words, loop->iram_words);
    return outcome == FINE;
}

uint32_t dpu_stage_row(const struct stage_kernel *kernel, struct str *wrong) {
    struct scalar_stage s;
    uint32_t row = scalar_stage_open(&s, kernel) ? s.row : 0;
    str_append(wrong, str_text(&s.wrong));
    scalar_stage_close(&s);
    return row;
}
