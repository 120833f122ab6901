/* SPDX-License-Identifier: MIT
 * Where things of a stage kernel lie in WRAM, and in which registers. */
#include "machines/core/dpu/runs/stage_layout.h"
#include "machines/core/dpu/dpu.h"

#include <inttypes.h>

uint32_t dpu_stage_beyond_bytes(const struct scalar_stage_array *a) {
    return dpu_stage_up8((uint64_t)a->beyond * a->bytes);
}
uint32_t dpu_stage_kept_bytes(const struct dpu_stage_layout *l,
                              const struct scalar_stage_array *a) {
    const struct stage_array *k = l->loop->kernel->arrays[a->index];
    return scalar_stage_per(l->s, a->index) * object_element_bytes(k->type);
}

/* Words of the host, in front of all. */
static uint32_t words(struct dpu_stage_layout *l, uint32_t *end, uint32_t count) {
    uint32_t at = *end;
    (void)l;
    *end += 4 * count;
    return at;
}
static void lay_words(struct dpu_stage_layout *l) {
    const uint32_t tasklets = l->loop->tasklets;
    uint32_t end = 8;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        if (a->kind != SCALAR_NUMBER)
            continue;
        end = a->bytes == 8 ? dpu_stage_up8(end) : end;
        l->at[i] = l->numbers[a->index] = words(l, &end, a->bytes == 8 ? 2 : 1);
    }
    l->plan->starts_at = words(l, &end, tasklets + 1);
    l->plan->full_at = words(l, &end, 1);
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
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
    l->shared_end = dpu_stage_up8(end);
}

static void put_table(struct dpu_stage_layout *l, const struct scalar_stage_array *a) {
    const struct stage_name *n = a->of;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < a->bytes; k++)
            str_printf(&l->tables, "%s%u%s", k ? ", " : "  .byte ",
                       (unsigned)(n->elements[i] >> 8 * k & 255), k + 1 == a->bytes ? "\n" : "");
    for (uint32_t n8 = a->count * a->bytes; n8 % 8; n8++)
        str_append(&l->tables, "  .byte 0\n");
}
static void lay_tables(struct dpu_stage_layout *l) {
    l->table_first = l->shared_end;
    str_clear(&l->tables);
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        if (a->kind != SCALAR_TABLE)
            continue;
        l->at[i] = l->shared_end;
        put_table(l, a);
        l->shared_end += dpu_stage_up8((uint64_t)a->count * a->bytes);
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
        l->shared_end += dpu_stage_up8((uint64_t)a->count * a->bytes);
    }
}

/* A tasklet's own, with blocks of so many rows. */
static uint64_t lay_own(struct dpu_stage_layout *l, uint32_t block) {
    uint64_t end = DPU_STAGE_OWN_CALLED + l->called + dpu_stage_up8(l->stack);
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        uint64_t bytes = 0;
        if (a->kind == SCALAR_KEPT || a->kind == SCALAR_CELL_AT)
            bytes = 8;
        else if (a->kind == SCALAR_GATHERED || a->kind == SCALAR_ROOM)
            bytes = dpu_stage_up8((uint64_t)a->count * a->bytes);
        else if (a->kind == SCALAR_BLOCK)
            bytes = (uint64_t)block * dpu_stage_row_bytes(a) + dpu_stage_beyond_bytes(a);
        else if (a->kind == SCALAR_KEPT_AT) /* the word, and behind it what is kept */
            bytes = 8 + (uint64_t)block * dpu_stage_kept_bytes(l, a) + 8;
        else
            continue;
        l->at[i] = (uint32_t)end;
        end += dpu_stage_up8(bytes);
    }
    for (size_t i = 0; i < l->s->arrays.len; i++)
        if (dpu_stage_array_of(l, i)->kind == SCALAR_END ||
            dpu_stage_array_of(l, i)->kind == SCALAR_WRONG)
            l->at[i] = dpu_stage_array_of(l, i)->kind == SCALAR_END ? DPU_STAGE_OWN_END
                                                                    : DPU_STAGE_OWN_WRONG;
    return end;
}

/* The most rows of which one transfer has all, what windows see behind them included: another one
 * of some bytes would wait as long as a large one where tasklets stand in line. */
static uint32_t most_rows(const struct dpu_stage_layout *l) {
    uint32_t most = DPU_STAGE_MOST_TRANSFER;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        uint32_t bytes = a->kind == SCALAR_BLOCK     ? dpu_stage_row_bytes(a)
                         : a->kind == SCALAR_KEPT_AT ? dpu_stage_kept_bytes(l, a)
                                                     : 0;
        const uint32_t beyond = a->kind == SCALAR_BLOCK ? dpu_stage_beyond_bytes(a) : 0;
        const uint32_t room =
            beyond < DPU_STAGE_MOST_TRANSFER ? DPU_STAGE_MOST_TRANSFER - beyond : 0;
        if (bytes && most > room / bytes)
            most = room / bytes;
    }
    return most < l->step ? l->step : most / l->step * l->step;
}

/* Of so few rows all arrays have multiples of 8 bytes. */
static uint32_t least_rows(const struct dpu_stage_layout *l) {
    uint32_t rows = l->unrolled;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        const uint32_t bytes = a->kind == SCALAR_BLOCK ? dpu_stage_row_bytes(a) : 0;
        while (rows < DPU_STAGE_ROWS_OF_8 && rows * bytes % 8)
            rows *= 2;
    }
    return rows;
}

/* Of a place in the kernel's text. */
static uint32_t line_of(const struct kernel_decl *decl, struct span at) {
    uint32_t line = 1;
    for (uint32_t i = 0; i < at.begin && i < decl->size; i++)
        line += ((const char *)decl->bytes)[i] == '\n';
    return line;
}
static uint64_t bytes_of(const struct scalar_stage_array *a) {
    if (a->kind == SCALAR_BLOCK)
        return (uint64_t)DPU_STAGE_ROWS_OF_8 * dpu_stage_row_bytes(a) + dpu_stage_beyond_bytes(a);
    return (uint64_t)a->count * a->bytes;
}
static struct span first_use(const struct stage_kernel *k, uint32_t array) {
    for (const struct stage_stage *s = k->stages; s; s = s->next)
        for (const struct stage_param *q = s->params; q; q = q->next)
            if (q->array == array || q->tail == array)
                return q->at;
    return NO_SPAN;
}
/* Its name and place; false: it has none. */
static bool named(const struct dpu_stage_layout *l, const struct scalar_stage_array *a,
                  const char **name, struct span *at) {
    const struct stage_name *n = a->of;
    const struct stage_param *q = a->of;
    switch (a->kind) {
    case SCALAR_TABLE:
    case SCALAR_ROOM:
        *name = n->text;
        *at = n->at;
        return true;
    case SCALAR_GATHERED:
        *name = q->text;
        *at = q->at;
        return true;
    case SCALAR_SEEN:
    case SCALAR_BLOCK:
        *name = l->loop->kernel->arrays[a->index]->text;
        *at = first_use(l->loop->kernel, a->index);
        return true;
    default:
        return false;
    }
}
/* What takes most of WRAM, by name and line. */
static void say_largest(const struct dpu_stage_layout *l, struct str *wrong) {
    uint64_t most = 0;
    const char *name = "", *one;
    struct span at = NO_SPAN, there;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        if (bytes_of(a) <= most || !named(l, a, &one, &there))
            continue;
        most = bytes_of(a);
        name = one;
        at = there;
    }
    str_printf(wrong, ", '%s' with %" PRIu64, name, most);
    l->s->line = line_of(l->loop->kernel->decl, at);
}

/* An array is changed where windows see what was there: behind its rows another tasklet may have
 * come first, so that there is none. */
static bool changes_windows(const struct dpu_stage_layout *l) {
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        if (a->kind == SCALAR_BLOCK && a->beyond && a->stored)
            return true;
    }
    return false;
}

/* As many tasklets as there is room for, and blocks as large as can be. */
bool dpu_stage_lay(struct dpu_stage_layout *l, struct str *wrong) {
    const uint32_t wram = l->loop->wram_bytes;
    lay_words(l);
    lay_tables(l);
    const uint64_t usual = lay_own(l, DPU_STAGE_ROWS_OF_8);
    l->step =
        l->shared_end + usual * l->loop->tasklets > wram ? least_rows(l) : DPU_STAGE_ROWS_OF_8;
    const uint64_t least = lay_own(l, l->step);
    if (l->shared_end + least > wram) {
        str_printf(wrong, "one tasklet takes %" PRIu64 " bytes of WRAM, which has %" PRIu32,
                   l->shared_end + least, wram);
        say_largest(l, wrong);
        return false;
    }
    uint64_t fit = changes_windows(l) ? 1 : (wram - l->shared_end) / least;
    l->tasklets = l->loop->tasklets < fit ? l->loop->tasklets : (uint32_t)fit;
    const uint32_t each = (wram - l->shared_end) / l->tasklets / 8 * 8;
    for (l->block = most_rows(l); lay_own(l, l->block) > each;)
        l->block = l->block > l->step ? l->block - l->step : l->step;
    l->own_bytes = dpu_stage_up8(lay_own(l, l->block));
    return true;
}

bool dpu_stage_name_registers(struct dpu_stage_layout *l, struct str *wrong) {
    l->pointers = 0;
    for (size_t i = 0; i < l->s->arrays.len; i++) {
        const struct scalar_stage_array *a = dpu_stage_array_of(l, i);
        uint32_t p = 0;
        if (a->kind != SCALAR_BLOCK)
            continue;
        while (p < l->pointers && l->row_bytes[p] != dpu_stage_row_bytes(a))
            p++;
        if (p == DPU_STAGE_MOST_POINTERS) {
            str_printf(wrong, "its arrays have rows of more than %u sizes",
                       DPU_STAGE_MOST_POINTERS);
            return false;
        }
        l->row_bytes[p] = dpu_stage_row_bytes(a);
        l->pointers = p == l->pointers ? p + 1 : l->pointers;
    }
    l->registers = dpu_scalar_core()->registers - l->pointers - 1;
    return true;
}
const char *dpu_stage_counter_of(const struct dpu_stage_layout *l) {
    return dpu_scalar_core()->names[l->registers];
}
const char *dpu_stage_pointer_name(const struct dpu_stage_layout *l, uint32_t p) {
    return dpu_scalar_core()->names[l->registers + 1 + p];
}

void dpu_stage_place_at(const void *context, uint32_t array, uint32_t element, const char **reg,
                        uint32_t *offset) {
    const struct dpu_stage_layout *l = context;
    const struct scalar_stage_array *a = dpu_stage_array_of(l, array);
    *offset = l->at[array] + element * a->bytes;
    *reg = "r22";
    if (a->kind == SCALAR_NUMBER || a->kind == SCALAR_LEFT || a->kind == SCALAR_SEEN)
        *reg = "zero";
    if (a->kind == SCALAR_COUNTER) {
        *reg = dpu_stage_counter_of(l);
        *offset = 0;
    }
    for (uint32_t p = 0; a->kind == SCALAR_BLOCK && p < l->pointers; p++)
        if (l->row_bytes[p] == dpu_stage_row_bytes(a))
            *reg = dpu_stage_pointer_name(l, p);
}
void dpu_stage_place_table(const void *context, uint32_t table, const char **reg,
                           uint32_t *offset) {
    const struct dpu_stage_layout *l = context;
    *reg = "zero";
    *offset = l->at[table];
}
