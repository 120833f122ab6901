/* SPDX-License-Identifier: MIT
 * Text, symbols and relocations from their sections. */
#include "object/bytes.h"
#include "object/read.h"

#include <string.h>

void object_read_text(struct object_reader *reader) {
    const struct section_view *s = &reader->section[OBJECT_TEXT];
    size_t count = object_read_count(reader, OBJECT_TEXT);
    if (count > OBJECT_MAX_TEXT) {
        object_read_fail(reader, s->offset, "the text has %zu instructions; the most is 2^24",
                         count);
        return;
    }
    vec_reserve(&reader->o->text, count);
    for (size_t i = 0; i < count; i++)
        vec_push(&reader->o->text, get_u32(s->bytes + 4 * i));
}

/* One symbol of the table, converted by libelf. */
static Elf64_Sym elf_symbol(const struct object_reader *reader, size_t index) {
    Elf64_Sym y = {0};
    Elf_Data from = {.d_buf = (void *)(uintptr_t)object_read_record(reader, OBJECT_SYMTAB, index),
                     .d_type = ELF_T_SYM,
                     .d_version = EV_CURRENT,
                     .d_size = sizeof y};
    Elf_Data to = {.d_buf = &y, .d_version = EV_CURRENT, .d_size = sizeof y};
    elf64_xlatetom(&to, &from, ELFDATA2LSB);
    return y;
}

static size_t symbol_offset(const struct object_reader *reader, size_t index) {
    return reader->section[OBJECT_SYMTAB].offset +
           index * object_section_layout[OBJECT_SYMTAB].record;
}

static void read_text_symbol(struct object_reader *reader, const Elf64_Sym *symbol,
                             struct symbol *s, size_t offset) {
    if (symbol->st_value % 4 != 0 || symbol->st_size % 4 != 0 ||
        symbol->st_value / 4 > OBJECT_MAX_TEXT || symbol->st_size / 4 > OBJECT_MAX_TEXT)
        object_read_fail(reader, offset, "a symbol is not at an instruction");
    s->value = (int64_t)(symbol->st_value / 4);
    s->length = (uint32_t)(symbol->st_size / 4);
}

static void read_program_symbol(struct object_reader *reader, const Elf64_Sym *symbol,
                                size_t index) {
    size_t offset = symbol_offset(reader, index);
    struct symbol s = {.global = ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL,
                       .defined = symbol->st_shndx != SHN_UNDEF,
                       .place = {NO_INDEX, 0, 0}};
    s.kind = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC ? SYMBOL_SUB : SYMBOL_LABEL;
    s.name = object_read_name(reader, symbol->st_name, offset);
    if (symbol->st_shndx == SHN_ABS) {
        s.kind = SYMBOL_ABS;
        s.value = (int64_t)symbol->st_value;
    } else if (symbol->st_shndx == reader->section[OBJECT_TEXT].index) {
        read_text_symbol(reader, symbol, &s, offset);
    } else if (s.defined || symbol->st_value != 0 || symbol->st_size != 0) {
        object_read_fail(reader, offset, "a symbol lies in no known section");
    }
    reader->symbol[index] = (uint32_t)reader->o->symbols.len;
    vec_push(&reader->o->symbols, s);
}

/* A symbol for a record must be at its record and carry its name. */
static void check_record_symbol(struct object_reader *reader, const Elf64_Sym *symbol, size_t index,
                                enum object_section id, const char *expected) {
    uint32_t record = object_section_layout[id].record;
    if (symbol->st_size != record || !expected ||
        strcmp(object_read_name(reader, symbol->st_name, symbol_offset(reader, index)), expected) !=
            0)
        object_read_fail(reader, symbol_offset(reader, index),
                         "a symbol does not fit the record of %s that it names",
                         object_section_layout[id].name);
}

static void read_object_symbol(struct object_reader *reader, const Elf64_Sym *symbol,
                               size_t index) {
    const struct object *o = reader->o;
    uint64_t size = symbol->st_value / object_section_layout[OBJECT_SIZES].record;
    uint64_t value = symbol->st_value / object_section_layout[OBJECT_VALUES].record;
    uint64_t group = symbol->st_value / object_section_layout[OBJECT_GROUPS].record;
    if (symbol->st_shndx == reader->section[OBJECT_SIZES].index &&
        symbol->st_value % object_section_layout[OBJECT_SIZES].record == 0)
        check_record_symbol(reader, symbol, index, OBJECT_SIZES,
                            size < o->sizes.len ? o->sizes.data[size].name : NULL);
    else if (symbol->st_shndx == reader->section[OBJECT_VALUES].index &&
             symbol->st_value % object_section_layout[OBJECT_VALUES].record == 0)
        check_record_symbol(reader, symbol, index, OBJECT_VALUES,
                            value < o->values.len ? o->values.data[value].name : NULL);
    else if (symbol->st_shndx == reader->section[OBJECT_GROUPS].index &&
             symbol->st_value % object_section_layout[OBJECT_GROUPS].record == 0)
        check_record_symbol(reader, symbol, index, OBJECT_GROUPS,
                            group < o->groups.len ? o->groups.data[group].name : NULL);
    else
        object_read_fail(reader, symbol_offset(reader, index),
                         "a symbol is for no size, no value and no group");
}

static void read_file_symbol(struct object_reader *reader, const Elf64_Sym *symbol, size_t index) {
    if (reader->o->source)
        object_read_fail(reader, symbol_offset(reader, index), "two symbols name the source file");
    reader->o->source = object_read_name(reader, symbol->st_name, symbol_offset(reader, index));
}

static void read_symbol(struct object_reader *reader, size_t index) {
    Elf64_Sym y = elf_symbol(reader, index);
    bool local = ELF64_ST_BIND(y.st_info) == STB_LOCAL;
    if ((!local && ELF64_ST_BIND(y.st_info) != STB_GLOBAL) ||
        local != (index < reader->section[OBJECT_SYMTAB].header.sh_info))
        object_read_fail(reader, symbol_offset(reader, index),
                         "a local symbol stands among the global ones, or a "
                         "symbol is neither local nor global");
    switch (ELF64_ST_TYPE(y.st_info)) {
    case STT_NOTYPE:
    case STT_FUNC:
        read_program_symbol(reader, &y, index);
        break;
    case STT_OBJECT:
        read_object_symbol(reader, &y, index);
        break;
    case STT_FILE:
        read_file_symbol(reader, &y, index);
        break;
    case STT_SECTION:
        break;
    default:
        object_read_fail(reader, symbol_offset(reader, index), "a symbol of unknown type");
    }
}

void object_read_symbols(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_SYMTAB);
    reader->symbol = xcalloc(count + 1, sizeof *reader->symbol);
    reader->symbol_count = (uint32_t)count;
    if (count == 0)
        object_read_fail(reader, reader->section[OBJECT_SYMTAB].offset,
                         "the symbol table is empty");
    for (size_t i = 0; i < count; i++)
        reader->symbol[i] = NO_INDEX;
    for (size_t i = 1; i < count && reader->ok; i++)
        read_symbol(reader, i);
}

static Elf64_Rela elf_rela(const struct object_reader *reader, size_t index) {
    Elf64_Rela e = {0};
    Elf_Data from = {.d_buf = (void *)(uintptr_t)object_read_record(reader, OBJECT_RELA, index),
                     .d_type = ELF_T_RELA,
                     .d_version = EV_CURRENT,
                     .d_size = sizeof e};
    Elf_Data to = {.d_buf = &e, .d_version = EV_CURRENT, .d_size = sizeof e};
    elf64_xlatetom(&to, &from, ELFDATA2LSB);
    return e;
}

/* The record that an ELF symbol stands for, when it lies in the section; else NO_INDEX. */
static uint32_t record_of(const struct object_reader *reader, uint32_t symbol,
                          enum object_section id) {
    Elf64_Sym y = elf_symbol(reader, symbol);
    if (!reader->section[id].index || y.st_shndx != reader->section[id].index ||
        ELF64_ST_TYPE(y.st_info) == STT_SECTION)
        return NO_INDEX;
    return (uint32_t)(y.st_value / object_section_layout[id].record);
}

/* A record without a name: the symbol is its section's, the addend its place. */
static uint32_t placed_record(const struct object_reader *reader, enum object_section id,
                              uint32_t symbol, struct reloc *reloc) {
    Elf64_Sym y = elf_symbol(reader, symbol);
    const struct section_view *s = &reader->section[id];
    uint32_t record = object_section_layout[id].record;
    int64_t addend = reloc->addend;
    reloc->addend = 0;
    if (!s->index || y.st_shndx != s->index || addend < 0 || addend % record != 0 ||
        (uint64_t)addend >= s->size)
        return NO_INDEX;
    return (uint32_t)((uint64_t)addend / record);
}

static uint32_t target_of(const struct object_reader *reader, struct reloc *reloc,
                          uint32_t symbol) {
    if (symbol == 0 || symbol >= reader->symbol_count)
        return NO_INDEX;
    switch (reloc->type) {
    case RELOC_J24:
        return reader->symbol[symbol];
    case RELOC_GROUP:
        return record_of(reader, symbol, OBJECT_GROUPS);
    case RELOC_DEBUG:
        return placed_record(reader, OBJECT_DEBUGS, symbol, reloc);
    case RELOC_MOVE:
        return placed_record(reader, OBJECT_MOVES, symbol, reloc);
    case RELOC_LUT12:
        return placed_record(reader, OBJECT_LUTS, symbol, reloc);
    case RELOC_CALL:
        return placed_record(reader, OBJECT_CALLS, symbol, reloc);
    case RELOC_COUNT:
    case RELOC_IMM12:
        return record_of(reader, symbol, OBJECT_SIZES);
    case RELOC_VALUE12:
        return record_of(reader, symbol, OBJECT_VALUES);
    default:
        return NO_INDEX;
    }
}

void object_read_relocs(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_RELA);
    vec_reserve(&reader->o->relocs, count);
    for (size_t i = 0; i < count && reader->ok; i++) {
        Elf64_Rela e = elf_rela(reader, i);
        size_t offset =
            reader->section[OBJECT_RELA].offset + i * object_section_layout[OBJECT_RELA].record;
        uint32_t type = (uint32_t)ELF64_R_TYPE(e.r_info);
        struct reloc c = {.index = (uint32_t)(e.r_offset / 4),
                          .type = type & 255,
                          .piece = (uint8_t)(type >> 8),
                          .addend = e.r_addend};
        c.target = target_of(reader, &c, (uint32_t)ELF64_R_SYM(e.r_info));
        if (e.r_offset % 4 != 0 || e.r_offset / 4 >= reader->o->text.len || type > 0xffff ||
            c.target == NO_INDEX)
            object_read_fail(reader, offset,
                             "a relocation is for no instruction, of no known type or for "
                             "nothing that is there");
        vec_push(&reader->o->relocs, c);
    }
}
