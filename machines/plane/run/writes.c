/* SPDX-License-Identifier: MIT
 * How often a run writes each row of a VRF: counted once, when it is prepared, so that executing it
 * costs nothing more.  A row is written when a micro-op has it as a destination, whatever lanes its
 * mask lets through; a preset that an op includes is not a write of its own.  A cell is a plane as
 * recipe/set/uop.h names them, buffers without the number of the value that passes through. */
#include "machines/plane/run/insn_forms.h"

struct write_count {
    struct plane_map *at; /* plane -> index of its row */
    VEC(struct dp_cell_writes) rows;
};

/* Several values pass through one buffer: it is one row, told by section and direction. */
static uint32_t row_of(uint32_t plane) {
    return PLANE_CLASS(plane) == PLANE_BUFFER ? plane & ~(uint32_t)0xff : plane;
}

static void count_writes(struct write_count *count, uint32_t row, uint64_t writes) {
    uint32_t at = plane_map_get(count->at, row);
    if (at == PLANE_MAP_NONE) {
        at = (uint32_t)count->rows.len;
        plane_map_put(count->at, row, at);
        vec_push(&count->rows, ((struct dp_cell_writes){row, 0}));
    }
    count->rows.data[at].writes += writes;
}

static int by_cell(const void *left, const void *right) {
    const struct dp_cell_writes *a = left, *b = right;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

static void finish(struct write_count *count, struct dp_cell_writes **writes, size_t *len) {
    if (count->rows.len)
        qsort(count->rows.data, count->rows.len, sizeof *count->rows.data, by_cell);
    *writes = count->rows.data;
    *len = count->rows.len;
}

void plane_form_count_writes(struct plane_form *form, struct plane_map *map) {
    struct write_count c = {.at = map};
    plane_map_clear(map);
    for (size_t i = 0; i < form->uop_count; i++)
        for (uint32_t d = 0; d < form->uops[i].ndst; d++)
            if (PLANE_CLASS(form->uops[i].dst[d]) != PLANE_NONE)
                count_writes(&c, row_of(form->uops[i].dst[d]), 1);
    finish(&c, &form->writes, &form->write_count);
}

/* Of a run: cells of registers by place, of all else by form. */
struct run_writes {
    uint64_t registers[64 * 64];
    HASH_TABLE(const struct plane_form *, uint64_t) uses;
};

static void count_registers(struct run_writes *writes, const struct plane_form *form,
                            const struct plane_registers *registers) {
    /* Cells ascend, and those of registers are the first. */
    for (size_t k = 0; k < form->write_count; k++) {
        uint32_t cell = form->writes[k].cell;
        if (PLANE_CLASS(cell) != PLANE_REGISTER)
            return;
        writes->registers[PLANE_NUMBER(plane_in_place(registers, cell)) % (64 * 64)] +=
            form->writes[k].writes;
    }
}

/* What lies in no register is the same row wherever the form stands. */
static void count_others(struct write_count *count, const struct plane_form *form, uint64_t uses) {
    for (size_t k = 0; k < form->write_count; k++)
        if (PLANE_CLASS(form->writes[k].cell) != PLANE_REGISTER)
            count_writes(count, form->writes[k].cell, uses * form->writes[k].writes);
}

void plane_count_writes(struct dp_code *code, struct plane_map *map) {
    struct write_count c = {.at = map};
    struct run_writes *w = xcalloc(1, sizeof *w);
    plane_map_clear(map);
    for (size_t i = 0; i < code->insn_count; i++) {
        count_registers(w, code->forms[i], &code->registers[i]);
        ++*(uint64_t *)hash_table_put(&w->uses, &code->forms[i]);
    }
    for (size_t i = 0; i < code->insn_count; i++) {
        uint64_t *uses = hash_table_get(&w->uses, &code->forms[i]);
        if (*uses) /* not counted yet */
            count_others(&c, code->forms[i], *uses);
        *uses = 0;
    }
    for (uint32_t k = 0; k < 64 * 64; k++)
        if (w->registers[k])
            count_writes(&c, PLANE(PLANE_REGISTER, 0, k), w->registers[k]);
    finish(&c, &code->writes, &code->write_count);
    hash_table_free(&w->uses);
    free(w);
}

/* Bit j of a register lies in section j mod sections. */
static uint32_t section_of(const struct target *target, uint32_t plane) {
    uint32_t sections = plane_target(target)->sections;
    if (PLANE_CLASS(plane) == PLANE_REGISTER)
        return sections ? PLANE_NUMBER(plane) % 64 % sections : 0;
    return PLANE_SECTION(plane);
}

void plane_cell_text(const struct datapath *dp, uint32_t cell, struct str *out, uint32_t *unit) {
    uint32_t number = PLANE_NUMBER(cell);
    *unit = section_of(plane_of_const(dp)->target, cell);
    switch (PLANE_CLASS(cell)) {
    case PLANE_REGISTER:
        str_printf(out, "r%u[%u]", number >> 6, number & 63);
        break;
    case PLANE_C:
        str_append(out, "C");
        break;
    case PLANE_M:
        str_append(out, "M");
        break;
    case PLANE_BUFFER:
        str_printf(out, "buffer %u", number >> 8);
        break;
    default:
        str_printf(out, "scratch %u", number);
        break;
    }
}
