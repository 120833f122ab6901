/* SPDX-License-Identifier: MIT
 * The writer's state, shared by its parts. */
#ifndef OBJECT_WRITE_H
#define OBJECT_WRITE_H

#include "object/bytes.h"
#include "object/elf_image.h"
#include "object/layout.h"
#include "support/map.h"

#include <string.h>

struct object_writer {
    const struct object *o;
    struct elf_image image;
    uint32_t section[OBJECT_SECTION_COUNT]; /* its index in the file; 0 = absent */
    struct map names;                       /* string -> offset in .strtab */
    uint32_t *symbol;                       /* struct symbol index -> ELF symbol */
    uint32_t first_size_symbol, first_value_symbol, first_group_symbol, debug_symbol, move_symbol,
        call_symbol, lut_symbol;
    VEC(Elf64_Sym) symtab;
};

/* Of a section that is there. */
static inline struct str *bytes_of(struct object_writer *writer, enum object_section id) {
    return &elf_image_section(&writer->image, writer->section[id])->bytes;
}

static inline bool place_known(const struct place *place) {
    return place->file != NO_INDEX;
}

static inline void put_place(struct str *str, const struct place *place) {
    put_u32(str, place->file);
    put_u32(str, place->line);
    put_u32(str, place->column);
}

static inline void put_extent(struct str *str, const struct extent *extent) {
    put_u32(str, extent->size);
    put_u32(str, 0);
    put_u64(str, extent->size == NO_INDEX ? extent->value : 0);
}

/* What is written of these, and so how many records there are. */
/* The bounds of derived sizes follow from those of others. */
static inline bool states_bound(const struct size_decl *decl) {
    return decl->bound != 0 && decl->op == SIZE_GIVEN;
}

/* The usual stride: 1, with offset 0. */
static inline bool stride_is_usual(const struct move_strides *strides, unsigned d) {
    return strides->coeff[d] == 1 && strides->offset[d].offset == 0 &&
           strides->offset[d].size_coeff == 0;
}

static inline bool laps_are_none(const int64_t coeff[MOVE_MAX_LAPS]) {
    static const int64_t none[MOVE_MAX_LAPS];
    return memcmp(coeff, none, sizeof none) == 0;
}

/* ---- write.c ---- */
/* The offset of a string in .strtab. */
uint32_t object_write_name(struct object_writer *writer, const char *name);

/* ---- write_records.c ---- */
/* The .mpu.* sections, when symbols have their numbers. */
void object_write_records(struct object_writer *writer);

/* ---- write_kernels.c ---- */
/* Buffers, modules, kernels, and their calls. */
void object_write_kernels(struct object_writer *writer);

#endif
