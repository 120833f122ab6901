/* SPDX-License-Identifier: MIT
 * -h and -s: the sections as they lie in the file. */
#include "disasm/dump.h"
#include "object/bytes.h"
#include "object/layout.h"

#include <inttypes.h>
#include <string.h>

/* ELF64 section header. */
struct section_header {
    const char *name;
    uint32_t type;
    uint64_t offset, size;
};

/* Offsets in the ELF64 file header and in a section header (System V ABI, chapter 4). */
enum elf_layout {
    EHDR_SHOFF = 0x28,
    EHDR_SHNUM = 0x3c,
    EHDR_SHSTRNDX = 0x3e,
    SHDR_BYTES = 64,
    SHDR_TYPE = 4,
    SHDR_OFFSET = 24,
    SHDR_SIZE = 32,
    TYPE_NULL = 0,
    TYPE_NOBITS = 8,
};

/* elf_check has looked at all but the empty section at index 0, whose name may be anything. */
static struct section_header section_at(const struct dump *x, uint32_t i) {
    const unsigned char *headers = x->bytes + get_u64(x->bytes + EHDR_SHOFF);
    const unsigned char *strings = headers + get_u16(x->bytes + EHDR_SHSTRNDX) * SHDR_BYTES;
    const unsigned char *h = headers + i * SHDR_BYTES;
    const char *names = (const char *)x->bytes + get_u64(strings + SHDR_OFFSET);
    uint32_t type = get_u32(h + SHDR_TYPE);
    return (struct section_header){.name = type == TYPE_NULL ? "" : names + get_u32(h),
                                   .type = type,
                                   .offset = get_u64(h + SHDR_OFFSET),
                                   .size = get_u64(h + SHDR_SIZE)};
}

/* Number of sections; 0 after reporting if the bytes are no ELF file. */
static uint32_t section_count(const struct dump *x) {
    const char *problem;
    size_t offset;
    if (elf_check(x->bytes, x->size, &problem, &offset))
        return get_u16(x->bytes + EHDR_SHNUM);
    diag_error(x->d, NO_SPAN, "the sections cannot be read: %s (offset %zu)", problem, offset);
    return 0;
}

static const char *type_name(uint32_t type) {
    static const char *const names[] = {"NULL", "PROGBITS", "SYMTAB", "STRTAB", "RELA",
                                        "HASH", "DYNAMIC",  "NOTE",   "NOBITS"};
    return type < sizeof names / sizeof *names ? names[type] : "other";
}

void disasm_sections(struct dump *x) {
    uint32_t count = section_count(x);
    str_append(x->out, "\nSections:\nIdx Name                     Size   Offset Type\n");
    for (uint32_t i = 0; i < count; i++) {
        struct section_header s = section_at(x, i);
        str_printf(x->out, "%3" PRIu32 " %-20s %8" PRIu64 " %8" PRIu64 " %s\n", i, s.name, s.size,
                   s.offset, type_name(s.type));
    }
}

static void put_row(struct str *out, uint64_t at, const unsigned char *b, size_t n) {
    str_printf(out, " %04" PRIx64, at);
    for (size_t i = 0; i < 16; i++) {
        if (i % 4 == 0)
            str_char(out, ' ');
        if (i < n)
            str_printf(out, "%02x", b[i]);
        else
            str_append(out, "  ");
    }
    str_append(out, "  ");
    for (size_t i = 0; i < n; i++)
        str_char(out, b[i] >= 0x20 && b[i] < 0x7f ? (char)b[i] : '.');
    str_char(out, '\n');
}

void disasm_contents(struct dump *x) {
    uint32_t count = section_count(x);
    for (uint32_t i = 0; i < count; i++) {
        struct section_header s = section_at(x, i);
        if (s.type == TYPE_NULL || s.type == TYPE_NOBITS || s.size == 0)
            continue;
        str_printf(x->out, "Contents of section %s:\n", s.name);
        for (uint64_t at = 0; at < s.size; at += 16) {
            uint64_t left = s.size - at;
            put_row(x->out, at, x->bytes + s.offset + at, (size_t)(left < 16 ? left : 16));
        }
    }
}
