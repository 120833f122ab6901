/* SPDX-License-Identifier: MIT
 * Text, symbols and relocations from their sections. */
#include "object/bytes.h"
#include "object/read.h"

#include <string.h>

void object_read_text(struct object_reader *r) {
    const struct section_view *s = &r->section[OBJECT_TEXT];
    size_t count = object_read_count(r, OBJECT_TEXT);
    if (count > OBJECT_MAX_TEXT) {
        object_read_fail(r, s->offset, "the text has %zu instructions; the most is 2^24", count);
        return;
    }
    vec_reserve(&r->o->text, count);
    for (size_t i = 0; i < count; i++)
        vec_push(&r->o->text, get_u32(s->bytes + 4 * i));
}

/* One symbol of the table, converted by libelf. */
static Elf64_Sym elf_symbol(const struct object_reader *r, size_t i) {
    Elf64_Sym y = {0};
    Elf_Data from = {.d_buf = (void *)(uintptr_t)object_read_record(r, OBJECT_SYMTAB, i),
                     .d_type = ELF_T_SYM,
                     .d_version = EV_CURRENT,
                     .d_size = sizeof y};
    Elf_Data to = {.d_buf = &y, .d_version = EV_CURRENT, .d_size = sizeof y};
    elf64_xlatetom(&to, &from, ELFDATA2LSB);
    return y;
}

static size_t symbol_offset(const struct object_reader *r, size_t i) {
    return r->section[OBJECT_SYMTAB].offset + i * object_section_layout[OBJECT_SYMTAB].record;
}

static void read_text_symbol(struct object_reader *r, const Elf64_Sym *y, struct symbol *s,
                             size_t offset) {
    if (y->st_value % 4 != 0 || y->st_size % 4 != 0 || y->st_value / 4 > OBJECT_MAX_TEXT ||
        y->st_size / 4 > OBJECT_MAX_TEXT)
        object_read_fail(r, offset, "a symbol is not at an instruction");
    s->value = (int64_t)(y->st_value / 4);
    s->length = (uint32_t)(y->st_size / 4);
}

static void read_program_symbol(struct object_reader *r, const Elf64_Sym *y, size_t i) {
    size_t offset = symbol_offset(r, i);
    struct symbol s = {.global = ELF64_ST_BIND(y->st_info) == STB_GLOBAL,
                       .defined = y->st_shndx != SHN_UNDEF,
                       .place = {NO_INDEX, 0, 0}};
    s.kind = ELF64_ST_TYPE(y->st_info) == STT_FUNC ? SYMBOL_SUB : SYMBOL_LABEL;
    s.name = object_read_name(r, y->st_name, offset);
    if (y->st_shndx == SHN_ABS) {
        s.kind = SYMBOL_ABS;
        s.value = (int64_t)y->st_value;
    } else if (y->st_shndx == r->section[OBJECT_TEXT].index) {
        read_text_symbol(r, y, &s, offset);
    } else if (s.defined || y->st_value != 0 || y->st_size != 0) {
        object_read_fail(r, offset, "a symbol lies in no known section");
    }
    r->symbol[i] = (uint32_t)r->o->symbols.len;
    vec_push(&r->o->symbols, s);
}

/* A symbol for a record must be at its record and carry its name. */
static void check_record_symbol(struct object_reader *r, const Elf64_Sym *y, size_t i,
                                enum object_section id, const char *expected) {
    uint32_t record = object_section_layout[id].record;
    if (y->st_size != record || !expected ||
        strcmp(object_read_name(r, y->st_name, symbol_offset(r, i)), expected) != 0)
        object_read_fail(r, symbol_offset(r, i),
                         "a symbol does not fit the record of %s that it names",
                         object_section_layout[id].name);
}

static void read_object_symbol(struct object_reader *r, const Elf64_Sym *y, size_t i) {
    const struct object *o = r->o;
    uint64_t size = y->st_value / object_section_layout[OBJECT_SIZES].record;
    uint64_t value = y->st_value / object_section_layout[OBJECT_VALUES].record;
    uint64_t group = y->st_value / object_section_layout[OBJECT_GROUPS].record;
    if (y->st_shndx == r->section[OBJECT_SIZES].index &&
        y->st_value % object_section_layout[OBJECT_SIZES].record == 0)
        check_record_symbol(r, y, i, OBJECT_SIZES,
                            size < o->sizes.len ? o->sizes.data[size].name : NULL);
    else if (y->st_shndx == r->section[OBJECT_VALUES].index &&
             y->st_value % object_section_layout[OBJECT_VALUES].record == 0)
        check_record_symbol(r, y, i, OBJECT_VALUES,
                            value < o->values.len ? o->values.data[value].name : NULL);
    else if (y->st_shndx == r->section[OBJECT_GROUPS].index &&
             y->st_value % object_section_layout[OBJECT_GROUPS].record == 0)
        check_record_symbol(r, y, i, OBJECT_GROUPS,
                            group < o->groups.len ? o->groups.data[group].name : NULL);
    else
        object_read_fail(r, symbol_offset(r, i), "a symbol is for no size, no value and no group");
}

static void read_file_symbol(struct object_reader *r, const Elf64_Sym *y, size_t i) {
    if (r->o->source)
        object_read_fail(r, symbol_offset(r, i), "two symbols name the source file");
    r->o->source = object_read_name(r, y->st_name, symbol_offset(r, i));
}

static void read_symbol(struct object_reader *r, size_t i) {
    Elf64_Sym y = elf_symbol(r, i);
    bool local = ELF64_ST_BIND(y.st_info) == STB_LOCAL;
    if ((!local && ELF64_ST_BIND(y.st_info) != STB_GLOBAL) ||
        local != (i < r->section[OBJECT_SYMTAB].header.sh_info))
        object_read_fail(r, symbol_offset(r, i),
                         "a local symbol stands among the global ones, or a "
                         "symbol is neither local nor global");
    switch (ELF64_ST_TYPE(y.st_info)) {
    case STT_NOTYPE:
    case STT_FUNC:
        read_program_symbol(r, &y, i);
        break;
    case STT_OBJECT:
        read_object_symbol(r, &y, i);
        break;
    case STT_FILE:
        read_file_symbol(r, &y, i);
        break;
    case STT_SECTION:
        break;
    default:
        object_read_fail(r, symbol_offset(r, i), "a symbol of unknown type");
    }
}

void object_read_symbols(struct object_reader *r) {
    size_t count = object_read_count(r, OBJECT_SYMTAB);
    r->symbol = xcalloc(count + 1, sizeof *r->symbol);
    r->symbol_count = (uint32_t)count;
    if (count == 0)
        object_read_fail(r, r->section[OBJECT_SYMTAB].offset, "the symbol table is empty");
    for (size_t i = 0; i < count; i++)
        r->symbol[i] = NO_INDEX;
    for (size_t i = 1; i < count && r->ok; i++)
        read_symbol(r, i);
}

static Elf64_Rela elf_rela(const struct object_reader *r, size_t i) {
    Elf64_Rela e = {0};
    Elf_Data from = {.d_buf = (void *)(uintptr_t)object_read_record(r, OBJECT_RELA, i),
                     .d_type = ELF_T_RELA,
                     .d_version = EV_CURRENT,
                     .d_size = sizeof e};
    Elf_Data to = {.d_buf = &e, .d_version = EV_CURRENT, .d_size = sizeof e};
    elf64_xlatetom(&to, &from, ELFDATA2LSB);
    return e;
}

/* The record that an ELF symbol stands for, when it lies in the section; else NO_INDEX. */
static uint32_t record_of(const struct object_reader *r, uint32_t symbol, enum object_section id) {
    Elf64_Sym y = elf_symbol(r, symbol);
    if (!r->section[id].index || y.st_shndx != r->section[id].index ||
        ELF64_ST_TYPE(y.st_info) == STT_SECTION)
        return NO_INDEX;
    return (uint32_t)(y.st_value / object_section_layout[id].record);
}

/* A record without a name: the symbol is its section's, the addend its place. */
static uint32_t placed_record(const struct object_reader *r, enum object_section id,
                              uint32_t symbol, struct reloc *c) {
    Elf64_Sym y = elf_symbol(r, symbol);
    const struct section_view *s = &r->section[id];
    uint32_t record = object_section_layout[id].record;
    int64_t addend = c->addend;
    c->addend = 0;
    if (!s->index || y.st_shndx != s->index || addend < 0 || addend % record != 0 ||
        (uint64_t)addend >= s->size)
        return NO_INDEX;
    return (uint32_t)((uint64_t)addend / record);
}

static uint32_t target_of(const struct object_reader *r, struct reloc *c, uint32_t symbol) {
    if (symbol == 0 || symbol >= r->symbol_count)
        return NO_INDEX;
    switch (c->type) {
    case RELOC_J24:
        return r->symbol[symbol];
    case RELOC_GROUP:
        return record_of(r, symbol, OBJECT_GROUPS);
    case RELOC_DEBUG:
        return placed_record(r, OBJECT_DEBUGS, symbol, c);
    case RELOC_MOVE:
        return placed_record(r, OBJECT_MOVES, symbol, c);
    case RELOC_CALL:
        return placed_record(r, OBJECT_CALLS, symbol, c);
    case RELOC_COUNT:
    case RELOC_IMM12:
        return record_of(r, symbol, OBJECT_SIZES);
    case RELOC_VALUE12:
        return record_of(r, symbol, OBJECT_VALUES);
    default:
        return NO_INDEX;
    }
}

void object_read_relocs(struct object_reader *r) {
    size_t count = object_read_count(r, OBJECT_RELA);
    vec_reserve(&r->o->relocs, count);
    for (size_t i = 0; i < count && r->ok; i++) {
        Elf64_Rela e = elf_rela(r, i);
        size_t offset =
            r->section[OBJECT_RELA].offset + i * object_section_layout[OBJECT_RELA].record;
        uint32_t type = (uint32_t)ELF64_R_TYPE(e.r_info);
        struct reloc c = {.index = (uint32_t)(e.r_offset / 4),
                          .type = type & 255,
                          .piece = (uint8_t)(type >> 8),
                          .addend = e.r_addend};
        c.target = target_of(r, &c, (uint32_t)ELF64_R_SYM(e.r_info));
        if (e.r_offset % 4 != 0 || e.r_offset / 4 >= r->o->text.len || type > 0xffff ||
            c.target == NO_INDEX)
            object_read_fail(r, offset,
                             "a relocation is for no instruction, of no known type or for "
                             "nothing that is there");
        vec_push(&r->o->relocs, c);
    }
}
