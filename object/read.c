/* SPDX-License-Identifier: MIT
 * ELF to struct object: finds the sections and hands them to their readers. */
#include "object/bytes.h"
#include "object/read.h"
#include "support/file.h"

#include <inttypes.h>
#include <string.h>

void object_read_fail(struct object_reader *reader, size_t offset, const char *format, ...) {
    if (!reader->ok)
        return;
    struct str text = {0};
    va_list args;
    va_start(args, format);
    char line[256];
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    str_printf(&text, "%s (at offset 0x%zx)", line, offset);
    diag_error(reader->d, reader->at, "%s", text.text);
    str_free(&text);
    reader->ok = false;
}

const char *object_read_name(struct object_reader *reader, uint32_t name, size_t offset) {
    const struct section_view *s = &reader->section[OBJECT_STRTAB];
    if (name < s->size) /* elf_check saw that the table ends with a zero */
        return arena_strdup(&reader->o->arena, (const char *)s->bytes + name);
    object_read_fail(reader, offset, "a name lies outside the string table");
    return "";
}

size_t object_read_count(struct object_reader *reader, enum object_section id) {
    const struct section_view *s = &reader->section[id];
    uint32_t record = object_section_layout[id].record;
    if (s->size % record == 0)
        return s->size / record;
    object_read_fail(reader, s->offset, "%s holds no whole number of records",
                     object_section_layout[id].name);
    return 0;
}

const unsigned char *object_read_record(const struct object_reader *reader, enum object_section id,
                                        size_t index) {
    return reader->section[id].bytes + index * object_section_layout[id].record;
}

static void keep_package(struct object_reader *reader, const char *name, const Elf_Data *data) {
    struct package_blob p = {.target =
                                 arena_strdup(&reader->o->arena, name + strlen(PACKAGE_PREFIX)),
                             .size = data->d_size};
    void *bytes = arena_alloc(&reader->o->arena, p.size ? p.size : 1);
    if (p.size)
        memcpy(bytes, data->d_buf, p.size);
    p.bytes = bytes;
    vec_push(&reader->o->packages, p);
}

static struct object *read_inner(struct object_reader *reader, const void *bytes, size_t size);

/* A section that is a file, which has no such section itself. */
static void keep_own_text(struct object_reader *reader, const char *machines, size_t offset,
                          const void *bytes, size_t size) {
    if (reader->inner || reader->o->own_texts.len == OBJECT_MAX_OWN_TEXTS) {
        object_read_fail(reader, offset, "a text of single machines stands where none may");
        return;
    }
    struct object *text = read_inner(reader, bytes, size);
    if (text)
        object_add_own_text(reader->o, machines, text);
    else
        object_read_fail(reader, offset, "the text of '%.100s' cannot be read", machines);
}

static uint32_t type_of(enum object_section id) {
    switch (id) {
    case OBJECT_NOTE:
        return SHT_NOTE;
    case OBJECT_STRTAB:
        return SHT_STRTAB;
    case OBJECT_SYMTAB:
        return SHT_SYMTAB;
    case OBJECT_RELA:
        return SHT_RELA;
    default:
        return SHT_PROGBITS;
    }
}

static void keep_section(struct object_reader *reader, enum object_section id, size_t index,
                         const Elf64_Shdr *header, const Elf_Data *data) {
    struct section_view *s = &reader->section[id];
    size_t offset = (size_t)header->sh_offset;
    if (s->index)
        object_read_fail(reader, offset, "section %s is there twice",
                         object_section_layout[id].name);
    if (header->sh_type != type_of(id))
        object_read_fail(reader, offset, "section %s has type %u, not %u",
                         object_section_layout[id].name, (unsigned)header->sh_type,
                         (unsigned)type_of(id));
    *s = (struct section_view){data->d_buf, data->d_size, offset, index, *header};
}

/* Sections of others are left alone; one of ours that this version does not know is not, for
 * its contents would be lost. */
static void sort_section(struct object_reader *reader, const char *name, size_t index,
                         const Elf64_Shdr *header, const Elf_Data *data) {
    if (strncmp(name, PACKAGE_PREFIX, strlen(PACKAGE_PREFIX)) == 0) {
        keep_package(reader, name, data);
        return;
    }
    if (strncmp(name, OWN_TEXT_PREFIX, strlen(OWN_TEXT_PREFIX)) == 0) {
        keep_own_text(reader, name + strlen(OWN_TEXT_PREFIX), (size_t)header->sh_offset,
                      data->d_buf, data->d_size);
        return;
    }
    for (int id = 0; id < OBJECT_SECTION_COUNT; id++)
        if (strcmp(name, object_section_layout[id].name) == 0) {
            keep_section(reader, (enum object_section)id, index, header, data);
            return;
        }
    if (strncmp(name, ".mpu.", 5) == 0)
        object_read_fail(reader, (size_t)header->sh_offset,
                         "section %.100s is not known to this version", name);
}

static void find_sections(struct object_reader *reader) {
    size_t names, count;
    if (elf_getshdrstrndx(reader->elf, &names) != 0 || elf_getshdrnum(reader->elf, &count) != 0) {
        object_read_fail(reader, 0, "libelf refuses the file: %s", elf_errmsg(-1));
        return;
    }
    for (size_t i = 1; i < count && reader->ok; i++) {
        Elf_Scn *scn = elf_getscn(reader->elf, i);
        Elf64_Shdr *header = scn ? elf64_getshdr(scn) : NULL;
        Elf_Data *data = header ? elf_rawdata(scn, NULL) : NULL;
        const char *name = header ? elf_strptr(reader->elf, names, header->sh_name) : NULL;
        if (!data || !name)
            object_read_fail(reader, 0, "libelf refuses section %zu: %s", i, elf_errmsg(-1));
        else
            sort_section(reader, name, i, header, data);
    }
}

static void check_links(struct object_reader *reader) {
    static const enum object_section needed[] = {OBJECT_NOTE, OBJECT_TEXT, OBJECT_STRTAB,
                                                 OBJECT_SYMTAB};
    const struct section_view *rela = &reader->section[OBJECT_RELA];
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!reader->section[needed[i]].index)
            object_read_fail(reader, 0, "there is no section %s",
                             object_section_layout[needed[i]].name);
    if (reader->section[OBJECT_SYMTAB].header.sh_link != reader->section[OBJECT_STRTAB].index)
        object_read_fail(reader, reader->section[OBJECT_SYMTAB].offset,
                         "the symbols' names are not in .strtab");
    if (rela->index && (rela->header.sh_link != reader->section[OBJECT_SYMTAB].index ||
                        rela->header.sh_info != reader->section[OBJECT_TEXT].index))
        object_read_fail(reader, rela->offset, "the relocations are not for .text and .symtab");
}

static void read_lines(struct object_reader *reader) {
    const struct section_view *s = &reader->section[OBJECT_LINE];
    const char *problem;
    size_t offset;
    if (s->index && !elf_line_table_read(reader->o, s->bytes, s->size, &problem, &offset))
        object_read_fail(reader, s->offset + offset, "%s", problem);
}

static void read_sections(struct object_reader *reader) {
    void (*const steps[])(struct object_reader *) = {
        find_sections,         check_links,         object_read_note,   object_read_text,
        object_read_records,   object_read_symbols, object_read_relocs, object_read_calls,
        object_read_arguments, object_read_entries, object_read_places, read_lines,
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps && reader->ok; i++)
        steps[i](reader);
    if (reader->ok)
        reader->ok = object_check(reader->o, reader->d, reader->at);
}

/* libelf gets an aligned copy of its own. */
static void read_image(struct object_reader *reader, const void *bytes, size_t size) {
    char *image = xmalloc(size);
    memcpy(image, bytes, size);
    elf_version(EV_CURRENT);
    reader->elf = elf_memory(image, size);
    reader->o->linked =
        get_u16((const unsigned char *)image + offsetof(Elf64_Ehdr, e_type)) == ET_EXEC;
    if (reader->elf)
        read_sections(reader);
    else
        object_read_fail(reader, 0, "libelf refuses the file: %s", elf_errmsg(-1));
    elf_end(reader->elf);
    free(image);
}

/* The wrong file on the command line is a person's mistake, not a damaged object. */
static bool is_elf(const struct object_reader *reader, const void *bytes, size_t size) {
    const char *kind = file_kind(bytes, size);
    if (size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0)
        return true;
    diag_error(reader->d, reader->at, "this is %s, not an MPU object or program", kind);
    if (strcmp(kind, "text") == 0)
        diag_note(reader->d, NO_SPAN, "source text goes through mpu-as or ezpim first");
    return false;
}

static struct object *read_file(struct object_reader *reader, const void *bytes, size_t size) {
    const char *problem;
    size_t offset;
    if (!is_elf(reader, bytes, size))
        return NULL;
    if (!elf_check(bytes, size, &problem, &offset)) {
        object_read_fail(reader, offset, "%s", problem);
        return NULL;
    }
    reader->o = object_new();
    read_image(reader, bytes, size);
    free(reader->symbol);
    if (reader->ok)
        return reader->o;
    object_free(reader->o);
    return NULL;
}

static struct object *read_inner(struct object_reader *reader, const void *bytes, size_t size) {
    struct object_reader r = {.d = reader->d, .at = reader->at, .ok = true, .inner = true};
    return read_file(&r, bytes, size);
}

struct object *object_read(const char *name, const void *bytes, size_t size, struct diag *diag) {
    struct object_reader r = {.d = diag, .ok = true};
    r.at.source = diag_source(diag, name, NULL, 0);
    return read_file(&r, bytes, size);
}
