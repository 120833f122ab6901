/* SPDX-License-Identifier: MIT
 * The reader's state, shared by its parts. */
#ifndef OBJECT_READ_H
#define OBJECT_READ_H

#include "object/bytes.h"
#include "object/layout.h"

#include <libelf.h>

struct section_view {
    const unsigned char *bytes;
    size_t size, offset; /* offset in the file, for messages */
    size_t index;        /* in the file; 0 = the section is absent */
    Elf64_Shdr header;
};

struct object_reader {
    struct object *o;
    struct diag *d;
    struct span at; /* names the file */
    Elf *elf;
    bool ok;
    bool inner; /* of a text within a file */
    struct section_view section[OBJECT_SECTION_COUNT];
    uint32_t *symbol; /* [symbol_count]: ELF symbol -> struct symbol index, or NO_INDEX */
    uint32_t symbol_count;
};

/* Reports one error with the offset in the file; later ones are dropped. */
void object_read_fail(struct object_reader *reader, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A copy in the object's arena of the string at `name` of .strtab; "" after an error. */
const char *object_read_name(struct object_reader *reader, uint32_t name, size_t offset);
/* The number of records of a section; 0 after an error. */
size_t object_read_count(struct object_reader *reader, enum object_section id);
const unsigned char *object_read_record(const struct object_reader *reader, enum object_section id,
                                        size_t index);
/* An ELF symbol's index as the program's; UINT32_MAX - 1, which no table reaches, if it has none.
 */
uint32_t object_read_program_symbol(struct object_reader *reader, uint32_t symbol, size_t offset);
/* The extents of form->ndim dimensions.  False if what is not used is not as it is written. */
/* Of one extent, 16 bytes; false: it is none. */
bool object_read_extent(const unsigned char *bytes, struct extent *extent);
bool object_read_shape(const unsigned char *bytes, struct array_form *form);
/* Of record index in the file, for messages. */
static inline size_t offset_of(const struct object_reader *reader, enum object_section id,
                               size_t index) {
    return reader->section[id].offset + index * object_section_layout[id].record;
}

static inline struct place get_place(const unsigned char *bytes) {
    return (struct place){get_u32(bytes), get_u32(bytes + 4), get_u32(bytes + 8)};
}

/* .text, .symtab, .rela.text (in this order, after the record sections but the last two). */
void object_read_text(struct object_reader *reader);
void object_read_symbols(struct object_reader *reader);
void object_read_relocs(struct object_reader *reader);
/* .note.mpu and the .mpu.* sections; calls, entries and places need the symbols. */
void object_read_note(struct object_reader *reader);
void object_read_records(struct object_reader *reader);
/* After the values (read_luts.c). */
void object_read_luts(struct object_reader *reader);
void object_read_products(struct object_reader *reader);
/* After the variables; after these and the moves (read_forms.c). */
void object_read_forms(struct object_reader *reader);
void object_read_scopes(struct object_reader *reader);
void object_read_finishes(struct object_reader *reader);
void object_read_numbers(struct object_reader *reader);
void object_read_calls(struct object_reader *reader);
/* read_kernels.c: before the symbols; after the calls. */
void object_read_kernels(struct object_reader *reader);
void object_read_arguments(struct object_reader *reader);
void object_read_entries(struct object_reader *reader);
void object_read_places(struct object_reader *reader);

#endif
