/* SPDX-License-Identifier: MIT
 * Bounds of an ELF64 file, before libelf follows any offset in it. */
#include "object/bytes.h"
#include "object/layout.h"

#include <elf.h>
#include <string.h>

/* Sections that a file may have: the tables, and packages for a few hundred targets. */
#define MAX_SECTIONS 1024

struct elf_file {
    const unsigned char *bytes;
    size_t size;
    size_t headers; /* offset of the section headers */
    uint32_t count;
    uint32_t names; /* index of the section with their names */
    const char **problem;
    size_t *offset;
};

static bool problem(struct elf_file *file, size_t offset, const char *text) {
    *file->problem = text;
    *file->offset = offset;
    return false;
}

static bool check_ident(struct elf_file *file) {
    const unsigned char *b = file->bytes;
    if (file->size < sizeof(Elf64_Ehdr))
        return problem(file, 0, "the file is shorter than an ELF header");
    if (memcmp(b, ELFMAG, SELFMAG) != 0)
        return problem(file, 0, "this is not an ELF file");
    if (b[EI_CLASS] != ELFCLASS64 || b[EI_DATA] != ELFDATA2LSB || b[EI_VERSION] != EV_CURRENT)
        return problem(file, EI_CLASS, "this is not a little-endian ELF64 file");
    if (get_u16(b + offsetof(Elf64_Ehdr, e_machine)) != OBJECT_E_MACHINE)
        return problem(file, offsetof(Elf64_Ehdr, e_machine),
                       "this ELF file is for another machine than an MPU");
    return true;
}

static bool check_header(struct elf_file *file) {
    const unsigned char *b = file->bytes;
    uint32_t type = get_u16(b + offsetof(Elf64_Ehdr, e_type));
    if (type != ET_REL && type != ET_EXEC)
        return problem(file, offsetof(Elf64_Ehdr, e_type),
                       "neither a relocatable nor a linked file");
    if (get_u32(b + offsetof(Elf64_Ehdr, e_version)) != EV_CURRENT)
        return problem(file, offsetof(Elf64_Ehdr, e_version), "unknown ELF version");
    if (get_u16(b + offsetof(Elf64_Ehdr, e_ehsize)) != sizeof(Elf64_Ehdr) ||
        get_u16(b + offsetof(Elf64_Ehdr, e_shentsize)) != sizeof(Elf64_Shdr))
        return problem(file, offsetof(Elf64_Ehdr, e_ehsize), "headers of an unknown size");
    if (get_u16(b + offsetof(Elf64_Ehdr, e_phnum)) != 0 ||
        get_u64(b + offsetof(Elf64_Ehdr, e_phoff)) != 0)
        return problem(file, offsetof(Elf64_Ehdr, e_phnum), "program headers are not expected");
    return true;
}

static bool check_table(struct elf_file *file) {
    const unsigned char *b = file->bytes;
    uint64_t at = get_u64(b + offsetof(Elf64_Ehdr, e_shoff));
    file->count = get_u16(b + offsetof(Elf64_Ehdr, e_shnum));
    file->names = get_u16(b + offsetof(Elf64_Ehdr, e_shstrndx));
    if (file->count < 1 || file->count > MAX_SECTIONS)
        return problem(file, offsetof(Elf64_Ehdr, e_shnum), "no sections, or too many");
    if (at % 8 != 0 || at > file->size || (file->size - at) / sizeof(Elf64_Shdr) < file->count)
        return problem(file, offsetof(Elf64_Ehdr, e_shoff),
                       "the section headers lie outside the file, which may be cut short");
    if (file->names == 0 || file->names >= file->count)
        return problem(file, offsetof(Elf64_Ehdr, e_shstrndx), "section names in no section");
    file->headers = (size_t)at;
    return true;
}

static const unsigned char *header_of(const struct elf_file *file, uint32_t index) {
    return file->bytes + file->headers + index * sizeof(Elf64_Shdr);
}

static uint64_t field(const unsigned char *header, size_t offset) {
    return get_u64(header + offset);
}

/* Bytes per record that a type of section has, and libelf relies on; 0 = none. */
static uint64_t record_size(uint32_t type) {
    switch (type) {
    case SHT_SYMTAB:
        return sizeof(Elf64_Sym);
    case SHT_RELA:
        return sizeof(Elf64_Rela);
    default:
        return 0;
    }
}

static bool check_extent(struct elf_file *file, uint32_t index) {
    const unsigned char *h = header_of(file, index);
    size_t at = (size_t)(h - file->bytes);
    uint64_t offset = field(h, offsetof(Elf64_Shdr, sh_offset));
    uint64_t size = field(h, offsetof(Elf64_Shdr, sh_size));
    uint64_t align = field(h, offsetof(Elf64_Shdr, sh_addralign));
    if (offset > file->size || size > file->size - offset)
        return problem(file, at + offsetof(Elf64_Shdr, sh_offset),
                       "a section lies outside the file");
    if (align > 4096 || (align & (align - 1)) != 0 || (align && offset % align != 0))
        return problem(file, at + offsetof(Elf64_Shdr, sh_addralign), "a section is not aligned");
    return true;
}

static bool check_string_table(struct elf_file *file, uint32_t index) {
    const unsigned char *h = header_of(file, index);
    uint64_t offset = field(h, offsetof(Elf64_Shdr, sh_offset));
    uint64_t size = field(h, offsetof(Elf64_Shdr, sh_size));
    if (size == 0 || file->bytes[offset] != 0 || file->bytes[offset + size - 1] != 0)
        return problem(file, (size_t)offset, "a string table does not begin and end with a zero");
    return true;
}

static bool check_section(struct elf_file *file, uint32_t index) {
    const unsigned char *h = header_of(file, index);
    size_t at = (size_t)(h - file->bytes);
    uint32_t type = get_u32(h + offsetof(Elf64_Shdr, sh_type));
    uint64_t flags = field(h, offsetof(Elf64_Shdr, sh_flags));
    uint64_t record = record_size(type);
    if (type != SHT_PROGBITS && type != SHT_NOTE && type != SHT_STRTAB && !record)
        return problem(file, at + offsetof(Elf64_Shdr, sh_type), "a section of unknown type");
    if (flags & ~(uint64_t)(SHF_ALLOC | SHF_EXECINSTR | SHF_INFO_LINK | SHF_STRINGS | SHF_MERGE))
        return problem(file, at + offsetof(Elf64_Shdr, sh_flags), "a section with unknown flags");
    if (get_u32(h + offsetof(Elf64_Shdr, sh_link)) >= file->count)
        return problem(file, at + offsetof(Elf64_Shdr, sh_link), "a link to no section");
    if (!check_extent(file, index))
        return false;
    if (record && (field(h, offsetof(Elf64_Shdr, sh_entsize)) != record ||
                   field(h, offsetof(Elf64_Shdr, sh_size)) % record != 0))
        return problem(file, at + offsetof(Elf64_Shdr, sh_entsize), "records of the wrong size");
    return type != SHT_STRTAB || check_string_table(file, index);
}

static bool check_names(struct elf_file *file) {
    const unsigned char *names = header_of(file, file->names);
    uint64_t size = field(names, offsetof(Elf64_Shdr, sh_size));
    if (get_u32(names + offsetof(Elf64_Shdr, sh_type)) != SHT_STRTAB)
        return problem(file, (size_t)(names - file->bytes),
                       "section names in a section of another type");
    for (uint32_t i = 1; i < file->count; i++) {
        const unsigned char *h = header_of(file, i);
        if (get_u32(h + offsetof(Elf64_Shdr, sh_name)) >= size)
            return problem(file, (size_t)(h - file->bytes),
                           "a section's name lies outside the names");
    }
    return true;
}

bool elf_check(const unsigned char *bytes, size_t size, const char **problem_text, size_t *offset) {
    struct elf_file f = {.bytes = bytes, .size = size, .problem = problem_text, .offset = offset};
    if (!check_ident(&f) || !check_header(&f) || !check_table(&f))
        return false;
    if (get_u32(header_of(&f, 0) + offsetof(Elf64_Shdr, sh_type)) != SHT_NULL)
        return problem(&f, f.headers, "the first section header is not empty");
    for (uint32_t i = 1; i < f.count; i++)
        if (!check_section(&f, i))
            return false;
    return check_names(&f);
}
