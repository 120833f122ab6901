/* SPDX-License-Identifier: MIT
 * ELF files of the DPU, as UPMEM's tools write them: ELF32, the sections that have SHF_ALLOC are
 * its memories, told apart by their addresses, and names of symbols are those of the program.
 * Bounds are checked here before anything is followed. */
#include "machines/core/dpu/lines.h"
#include "object/bytes.h"

#include <elf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SECTIONS 1024u

/* ---- reading ---- */

struct elf_reader {
    const unsigned char *bytes;
    size_t size;
    struct diag *d;
    struct span at; /* the file, for messages */
    uint32_t count; /* of sections */
    const unsigned char *headers;
    uint32_t segments;
    const unsigned char *segment_headers;
    struct dpu_program *p;
};

static bool wrong(struct elf_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool wrong(struct elf_reader *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_verror(r->d, r->at, format, args);
    va_end(args);
    return false;
}

bool dpu_is_program(const void *bytes, size_t size) {
    const unsigned char *b = bytes;
    return size > EI_CLASS + 15 && memcmp(b, ELFMAG, SELFMAG) == 0 &&
           get_u16(b + offsetof(Elf32_Ehdr, e_machine)) == DPU_MACHINE;
}

static uint32_t half(const struct elf_reader *r, size_t offset) {
    return get_u16(r->bytes + offset);
}
static uint32_t word(const struct elf_reader *r, size_t offset) {
    return get_u32(r->bytes + offset);
}
#define HALF(r, field) half(r, offsetof(Elf32_Ehdr, field))
#define WORD(r, field) word(r, offsetof(Elf32_Ehdr, field))

/* Program headers, if there are any. */
static bool check_segments(struct elf_reader *r) {
    uint32_t begin = WORD(r, e_phoff);
    r->segments = HALF(r, e_phnum);
    if (!r->segments)
        return true;
    if (r->segments > MOST_SECTIONS)
        return wrong(r, "%" PRIu32 " segments, and there may be %u at most", r->segments,
                     MOST_SECTIONS);
    if (HALF(r, e_phentsize) != sizeof(Elf32_Phdr))
        return wrong(r, "headers of an unknown size");
    if (begin > r->size || r->size - begin < r->segments * sizeof(Elf32_Phdr))
        return wrong(r, "the program headers lie outside of the file");
    r->segment_headers = r->bytes + begin;
    return true;
}

static bool check_header(struct elf_reader *r) {
    if (r->size < sizeof(Elf32_Ehdr))
        return wrong(r, "the file is shorter than an ELF header");
    if (memcmp(r->bytes, ELFMAG, SELFMAG) != 0)
        return wrong(r, "this is no ELF file");
    if (r->bytes[EI_CLASS] != ELFCLASS32 || r->bytes[EI_DATA] != ELFDATA2LSB ||
        r->bytes[EI_VERSION] != EV_CURRENT)
        return wrong(r, "this is no little-endian ELF32 file");
    if (HALF(r, e_machine) != DPU_MACHINE)
        return wrong(r, "this ELF file is for machine 0x%" PRIx32 ", not for a DPU (0x%x)",
                     HALF(r, e_machine), DPU_MACHINE);
    if (HALF(r, e_type) != ET_EXEC)
        return wrong(r, HALF(r, e_type) == ET_REL ? "the program is not linked"
                                                  : "this ELF file is no program");
    if (WORD(r, e_version) != EV_CURRENT)
        return wrong(r, "unknown version %" PRIu32 " of ELF", WORD(r, e_version));
    if (WORD(r, e_entry) != DPU_AT_TEXT)
        return wrong(r, "the program begins at 0x%" PRIx32 ", and a DPU at 0x%x", WORD(r, e_entry),
                     DPU_AT_TEXT);
    if (HALF(r, e_ehsize) != sizeof(Elf32_Ehdr) || HALF(r, e_shentsize) != sizeof(Elf32_Shdr))
        return wrong(r, "headers of an unknown size");
    r->count = HALF(r, e_shnum);
    if (!check_segments(r))
        return false;
    if (!r->count && r->segments)
        return true;
    if (r->count == 0 || r->count > MOST_SECTIONS)
        return wrong(r, "%" PRIu32 " sections, and there may be 1 to %u", r->count, MOST_SECTIONS);
    uint32_t begin = WORD(r, e_shoff);
    if (begin > r->size || r->size - begin < r->count * sizeof(Elf32_Shdr))
        return wrong(r, "the section headers lie outside of the file");
    r->headers = r->bytes + begin;
    return true;
}

static Elf32_Shdr section_header(const struct elf_reader *r, uint32_t i) {
    const unsigned char *b = r->headers + i * sizeof(Elf32_Shdr);
    return (Elf32_Shdr){
        .sh_name = get_u32(b),
        .sh_type = get_u32(b + 4),
        .sh_flags = get_u32(b + 8),
        .sh_addr = get_u32(b + 12),
        .sh_offset = get_u32(b + 16),
        .sh_size = get_u32(b + 20),
        .sh_link = get_u32(b + 24),
        .sh_info = get_u32(b + 28),
        .sh_addralign = get_u32(b + 32),
        .sh_entsize = get_u32(b + 36),
    };
}
static bool check_bounds(struct elf_reader *r, uint32_t i, const Elf32_Shdr *h) {
    if (h->sh_type == SHT_NOBITS || h->sh_type == SHT_NULL)
        return true;
    if (h->sh_offset > r->size || r->size - h->sh_offset < h->sh_size)
        return wrong(r, "section %" PRIu32 " lies outside of the file", i);
    return true;
}
/* The string at `offset` of the string table that section `table` is; NULL after reporting. */
static const char *string_at(struct elf_reader *r, uint32_t table, uint32_t offset,
                             const char *what) {
    if (table == 0 || table >= r->count) {
        wrong(r, "names of %s are in section %" PRIu32 ", which does not exist", what, table);
        return NULL;
    }
    Elf32_Shdr h = section_header(r, table);
    if (h.sh_type != SHT_STRTAB) {
        wrong(r, "names of %s are in section %" PRIu32 ", which has no strings", what, table);
        return NULL;
    }
    if (!check_bounds(r, table, &h))
        return NULL;
    const char *strings = (const char *)r->bytes + h.sh_offset;
    if (offset >= h.sh_size || !memchr(strings + offset, 0, h.sh_size - offset)) {
        wrong(r, "a name of %s lies outside of its table", what);
        return NULL;
    }
    return strings + offset;
}

/* Where the memories lie; a section has to lie in one of them. */
static const struct {
    uint32_t begin, bytes;
    const char *name;
} spaces[] = {[DPU_IN_TEXT] = {DPU_AT_TEXT, 8 * DPU_IRAM_WORDS, "IRAM"},
              [DPU_IN_WRAM] = {0, DPU_WRAM_BYTES, "WRAM"},
              [DPU_IN_MRAM] = {DPU_AT_MRAM, DPU_MRAM_BYTES, "MRAM"},
              [DPU_IN_ATOMIC] = {DPU_AT_ATOMIC, DPU_ATOMIC_BITS, "the atomic bits"}};
static enum dpu_space space_of(uint32_t address) {
    return address >= DPU_AT_ATOMIC ? DPU_IN_ATOMIC
           : address >= DPU_AT_TEXT ? DPU_IN_TEXT
           : address >= DPU_AT_MRAM ? DPU_IN_MRAM
                                    : DPU_IN_WRAM;
}

/* The new one lies on none of those that are there; asked before its bytes are taken, of which a
 * few segments of a short file could say that they are gigabytes. */
static bool lies_alone(struct elf_reader *r, const struct dpu_section *s) {
    for (size_t i = 0; i < r->p->sections.len; i++) {
        const struct dpu_section *x = &r->p->sections.data[i];
        if (x->size && s->size && x->address < s->address + s->size &&
            s->address < x->address + x->size)
            return wrong(r, "sections '%s' and '%s' lie on each other", x->name, s->name);
    }
    return true;
}
/* Its name is taken over, in any case. */
static struct str *push_section(struct elf_reader *r, struct dpu_section s) {
    if (!lies_alone(r, &s)) {
        free(s.name);
        return NULL;
    }
    vec_push(&r->p->sections, s);
    return &vec_last(&r->p->sections).bytes;
}

static bool take_text(struct elf_reader *r, const Elf32_Shdr *h) {
    if (h->sh_type != SHT_PROGBITS || h->sh_addr % 8 || h->sh_size % 8)
        return wrong(r, "code is not in whole instructions of 8 bytes");
    uint32_t first = (h->sh_addr - DPU_AT_TEXT) / 8, count = h->sh_size / 8;
    while (r->p->words.len < first)
        vec_push(&r->p->words, UINT64_C(0x7c6300000000)); /* nop */
    for (uint32_t i = 0; i < count; i++) {
        uint64_t w = get_u64(r->bytes + h->sh_offset + 8 * (size_t)i);
        struct dpu_insn insn;
        if (!dpu_decode(w, false, &insn))
            return wrong(r, "instruction %" PRIu32 " is 0x%012" PRIx64 ", which no form has",
                         first + i, w);
        if (first + i < r->p->words.len)
            return wrong(r, "two sections have instruction %" PRIu32, first + i);
        vec_push(&r->p->words, w);
    }
    return true;
}
static bool take_section(struct elf_reader *r, uint32_t i, const Elf32_Shdr *h) {
    const char *name = string_at(r, HALF(r, e_shstrndx), h->sh_name, "sections");
    if (!name)
        return false;
    if (h->sh_type != SHT_PROGBITS && h->sh_type != SHT_NOBITS)
        return wrong(r, "section %" PRIu32 " is loaded and has the unknown type %" PRIu32, i,
                     h->sh_type);
    enum dpu_space space = space_of(h->sh_addr);
    uint32_t offset = h->sh_addr - spaces[space].begin;
    if (offset > spaces[space].bytes || spaces[space].bytes - offset < h->sh_size)
        return wrong(
            r, "section %" PRIu32 " is 0x%" PRIx32 " bytes at 0x%" PRIx32 ", beyond the end of %s",
            i, h->sh_size, h->sh_addr, spaces[space].name);
    if (space == DPU_IN_TEXT)
        return take_text(r, h);
    struct dpu_section s = {
        .name = xstrdup(name), .space = space, .address = h->sh_addr, .size = h->sh_size};
    struct str *bytes = push_section(r, s);
    if (bytes && h->sh_type == SHT_PROGBITS)
        str_append_n(bytes, (const char *)r->bytes + h->sh_offset, h->sh_size);
    return bytes;
}

/* ---- program headers ---- */

static Elf32_Phdr segment_header(const struct elf_reader *r, uint32_t i) {
    const unsigned char *b = r->segment_headers + i * sizeof(Elf32_Phdr);
    return (Elf32_Phdr){.p_type = get_u32(b),
                        .p_offset = get_u32(b + 4),
                        .p_vaddr = get_u32(b + 8),
                        .p_filesz = get_u32(b + 16),
                        .p_memsz = get_u32(b + 20)};
}
static bool segment_fits(struct elf_reader *r, uint32_t i, const Elf32_Phdr *h) {
    const uint32_t space = space_of(h->p_vaddr), offset = h->p_vaddr - spaces[space].begin;
    if (h->p_offset > r->size || r->size - h->p_offset < h->p_filesz)
        return wrong(r, "segment %" PRIu32 " lies outside of the file", i);
    if (h->p_filesz > h->p_memsz && space != DPU_IN_ATOMIC)
        return wrong(r, "segment %" PRIu32 " has more bytes in the file than in memory", i);
    if (offset > spaces[space].bytes || spaces[space].bytes - offset < h->p_memsz)
        return wrong(
            r, "segment %" PRIu32 " is 0x%" PRIx32 " bytes at 0x%" PRIx32 ", beyond the end of %s",
            i, h->p_memsz, h->p_vaddr, spaces[space].name);
    return true;
}
/* Of a file that has no sections. */
static bool take_segment(struct elf_reader *r, uint32_t i, const Elf32_Phdr *h) {
    const Elf32_Shdr text = {.sh_type = SHT_PROGBITS,
                             .sh_addr = h->p_vaddr,
                             .sh_offset = h->p_offset,
                             .sh_size = h->p_filesz};
    enum dpu_space space = space_of(h->p_vaddr);
    if (space == DPU_IN_TEXT)
        return take_text(r, &text);
    struct str name = {0};
    str_printf(&name, "segment %" PRIu32, i);
    struct dpu_section s = {.name = xstrdup(str_text(&name)),
                            .space = space,
                            .address = h->p_vaddr,
                            .size = h->p_memsz};
    str_free(&name);
    struct str *bytes = push_section(r, s);
    uint32_t there = h->p_filesz < h->p_memsz ? h->p_filesz : h->p_memsz;
    if (bytes && there) {
        str_append_n(bytes, (const char *)r->bytes + h->p_offset, there);
        memset(str_extend(bytes, h->p_memsz - there), 0, h->p_memsz - there);
    }
    return bytes;
}
/* What they load lies in sections, too, where there are any; else it is all that there is. */
static bool read_segments(struct elf_reader *r) {
    for (uint32_t i = 0; i < r->segments; i++) {
        Elf32_Phdr h = segment_header(r, i);
        if (h.p_type != PT_LOAD || !h.p_memsz)
            continue;
        if (!segment_fits(r, i, &h) || (!r->count && !take_segment(r, i, &h)))
            return false;
    }
    return true;
}

static bool take_symbol(struct elf_reader *r, const unsigned char *b, uint32_t strings) {
    uint32_t type = ELF32_ST_TYPE(b[12]), section = get_u16(b + 14);
    const char *name = string_at(r, strings, get_u32(b), "symbols");
    if (!name)
        return false;
    if (type == STT_SECTION || type == STT_FILE || section == SHN_UNDEF || !*name)
        return true;
    struct dpu_symbol s = {.value = get_u32(b + 4),
                           .size = get_u32(b + 8),
                           .space = DPU_IN_NOTHING,
                           .global = ELF32_ST_BIND(b[12]) != STB_LOCAL,
                           .function = type == STT_FUNC,
                           .object = type == STT_OBJECT};
    if (section != SHN_ABS) {
        if (section >= r->count)
            return wrong(r, "symbol '%s' is in section %" PRIu32 ", which does not exist", name,
                         section);
        if (!(section_header(r, section).sh_flags & SHF_ALLOC))
            return true;
        s.space = space_of(s.value);
    }
    s.name = xstrdup(name);
    vec_push(&r->p->symbols, s);
    return true;
}
static bool take_symbols(struct elf_reader *r, uint32_t i, const Elf32_Shdr *h) {
    if (h->sh_entsize != sizeof(Elf32_Sym) || h->sh_size % sizeof(Elf32_Sym))
        return wrong(r, "section %" PRIu32 " has symbols of an unknown size", i);
    for (uint32_t at = 0; at < h->sh_size; at += sizeof(Elf32_Sym))
        if (!take_symbol(r, r->bytes + h->sh_offset + at, h->sh_link))
            return false;
    return true;
}

static int by_name(const void *left, const void *right) {
    const struct dpu_symbol *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}
/* Objects that a host reaches by their names; the linker of no tools lets two have one. */
static bool objects_differ(struct elf_reader *r) {
    const struct dpu_symbol **list = xcalloc(r->p->symbols.len + 1, sizeof *list);
    size_t count = 0;
    bool fine = true;
    for (size_t i = 0; i < r->p->symbols.len; i++)
        if (r->p->symbols.data[i].global && r->p->symbols.data[i].object)
            list[count++] = &r->p->symbols.data[i];
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 1; i < count && fine; i++)
        if (by_name(&list[i - 1], &list[i]) == 0)
            fine = wrong(r, "two global objects have the name '%s'", list[i]->name);
    free(list);
    return fine;
}

/* Sections of line tables; where names or places are wrong nothing is said of lines. */
static void read_lines(struct elf_reader *r) {
    struct dpu_line_sections lines = {.line = {NULL, 0}};
    const struct {
        const char *name;
        struct dpu_bytes *to;
    } list[] = {{".debug_line", &lines.line},
                {".debug_line_str", &lines.line_str},
                {".debug_str", &lines.str}};
    Elf32_Shdr names = section_header(r, HALF(r, e_shstrndx) < r->count ? HALF(r, e_shstrndx) : 0);
    if (names.sh_type != SHT_STRTAB)
        return;
    for (uint32_t i = 1; i < r->count; i++) {
        Elf32_Shdr h = section_header(r, i);
        const size_t left = h.sh_name < names.sh_size ? names.sh_size - h.sh_name : 0;
        const char *name = (const char *)r->bytes + names.sh_offset + h.sh_name;
        for (size_t k = 0; h.sh_type == SHT_PROGBITS && k < sizeof list / sizeof *list; k++)
            if (left > strlen(list[k].name) && strcmp(name, list[k].name) == 0)
                *list[k].to = (struct dpu_bytes){r->bytes + h.sh_offset, h.sh_size};
    }
    dpu_lines_read(&lines, r->p);
}

static bool read_sections(struct elf_reader *r) {
    if (!read_segments(r))
        return false;
    for (uint32_t i = 1; i < r->count; i++) {
        Elf32_Shdr h = section_header(r, i);
        if (!check_bounds(r, i, &h))
            return false;
        if (h.sh_flags & SHF_ALLOC && !take_section(r, i, &h))
            return false;
        if (h.sh_type == SHT_SYMTAB && !take_symbols(r, i, &h))
            return false;
    }
    if (!r->p->words.len)
        return wrong(r, "the program has no instructions");
    if (!objects_differ(r))
        return false;
    if (r->count)
        read_lines(r);
    return true;
}
struct dpu_program *dpu_program_read(const char *name, const void *bytes, size_t size,
                                     struct diag *d) {
    struct elf_reader r = {.bytes = bytes,
                           .size = size,
                           .d = d,
                           .at = {diag_source(d, name, NULL, 0), 0, 0},
                           .p = xcalloc(1, sizeof(struct dpu_program))};
    if (check_header(&r) && read_sections(&r))
        return r.p;
    dpu_program_free(r.p);
    return NULL;
}

const struct dpu_symbol *dpu_program_symbol(const struct dpu_program *p, const char *name) {
    for (size_t i = 0; i < p->symbols.len; i++)
        if (strcmp(p->symbols.data[i].name, name) == 0)
            return &p->symbols.data[i];
    return NULL;
}
void dpu_program_free(struct dpu_program *p) {
    if (!p)
        return;
    for (size_t i = 0; i < p->sections.len; i++) {
        free(p->sections.data[i].name);
        str_free(&p->sections.data[i].bytes);
    }
    for (size_t i = 0; i < p->symbols.len; i++)
        free(p->symbols.data[i].name);
    vec_free(&p->words);
    vec_free(&p->lines);
    vec_free(&p->sections);
    vec_free(&p->symbols);
    for (size_t i = 0; i < p->sources.len; i++)
        free(p->sources.data[i]);
    vec_free(&p->sources);
    vec_free(&p->places);
    free(p);
}

/* ---- writing ---- */

struct elf_writer {
    const struct dpu_program *p;
    struct str *out;
    size_t start; /* where the file begins in `out` */
    struct str names;
    VEC(Elf32_Shdr) headers;
};

/* libelf converts structures to the file's bytes. */
static void put_structures(struct str *out, Elf_Type type, const void *structures, size_t size) {
    Elf_Data from = {.d_buf = (void *)(uintptr_t)structures,
                     .d_type = type,
                     .d_version = EV_CURRENT,
                     .d_size = size};
    Elf_Data to = {.d_buf = str_extend(out, size), .d_version = EV_CURRENT, .d_size = size};
    elf_version(EV_CURRENT);
    elf32_xlatetof(&to, &from, ELFDATA2LSB);
}
static Elf32_Word add_name(struct str *names, const char *name) {
    size_t at = names->len;
    str_append_n(names, name, strlen(name) + 1);
    return (Elf32_Word)at;
}
/* A section whose bytes come next in the file. */
static Elf32_Shdr *add_section(struct elf_writer *w, const char *name, Elf32_Word type,
                               Elf32_Word flags, Elf32_Word align) {
    while ((w->out->len - w->start) % align)
        str_char(w->out, '\0');
    vec_push(&w->headers, ((Elf32_Shdr){.sh_name = add_name(&w->names, name),
                                        .sh_type = type,
                                        .sh_flags = flags,
                                        .sh_offset = (Elf32_Off)(w->out->len - w->start),
                                        .sh_addralign = align}));
    return &vec_last(&w->headers);
}

static void write_text(struct elf_writer *w) {
    Elf32_Shdr *h = add_section(w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 8);
    h->sh_addr = DPU_AT_TEXT;
    h->sh_size = (Elf32_Word)(8 * w->p->words.len);
    for (size_t i = 0; i < w->p->words.len; i++)
        put_u64(w->out, w->p->words.data[i]);
}
static void write_sections(struct elf_writer *w) {
    for (size_t i = 0; i < w->p->sections.len; i++) {
        const struct dpu_section *s = &w->p->sections.data[i];
        bool bytes = s->bytes.len != 0;
        Elf32_Shdr *h = add_section(w, s->name, bytes ? SHT_PROGBITS : SHT_NOBITS,
                                    SHF_ALLOC | SHF_WRITE, bytes ? 8 : 1);
        h->sh_addr = s->address;
        h->sh_size = s->size;
        if (s->address % 8)
            h->sh_addralign = 1;
        str_append_n(w->out, s->bytes.text ? s->bytes.text : "", s->bytes.len);
    }
}

/* The section that a symbol is in: the one that has its address, or ends there; 1 is the code. */
static uint16_t symbol_section(const struct dpu_program *p, const struct dpu_symbol *s) {
    if (s->space == DPU_IN_NOTHING)
        return SHN_ABS;
    if (s->space == DPU_IN_TEXT)
        return 1;
    uint16_t ends = SHN_ABS;
    for (size_t i = 0; i < p->sections.len; i++) {
        const struct dpu_section *x = &p->sections.data[i];
        if (x->space != s->space || s->value < x->address || s->value > x->address + x->size)
            continue;
        if (s->value < x->address + x->size || ends == SHN_ABS)
            ends = (uint16_t)(i + 2);
        if (s->value < x->address + x->size)
            break;
    }
    return ends;
}
static void write_symbols(struct elf_writer *w) {
    struct str strings = {0}, table = {0};
    Elf32_Sym none = {0};
    uint32_t locals = 1;
    str_char(&strings, '\0');
    put_structures(&table, ELF_T_SYM, &none, sizeof none);
    for (int global = 0; global < 2; global++)
        for (size_t i = 0; i < w->p->symbols.len; i++) {
            const struct dpu_symbol *s = &w->p->symbols.data[i];
            if (s->global != global)
                continue;
            Elf32_Sym e = {.st_name = add_name(&strings, s->name),
                           .st_value = s->value,
                           .st_size = s->size,
                           .st_info = (unsigned char)ELF32_ST_INFO(global ? STB_GLOBAL : STB_LOCAL,
                                                                   s->function ? STT_FUNC
                                                                   : s->object ? STT_OBJECT
                                                                               : STT_NOTYPE),
                           .st_shndx = symbol_section(w->p, s)};
            locals += !global;
            put_structures(&table, ELF_T_SYM, &e, sizeof e);
        }
    Elf32_Shdr *h = add_section(w, ".symtab", SHT_SYMTAB, 0, 4);
    h->sh_size = (Elf32_Word)table.len;
    h->sh_entsize = sizeof(Elf32_Sym);
    h->sh_info = locals;
    h->sh_link = (Elf32_Word)w->headers.len; /* the next section */
    str_append_n(w->out, table.text, table.len);
    h = add_section(w, ".strtab", SHT_STRTAB, 0, 1);
    h->sh_size = (Elf32_Word)strings.len;
    str_append_n(w->out, strings.text, strings.len);
    str_free(&strings);
    str_free(&table);
}

static void write_lines(struct elf_writer *w) {
    if (!w->p->sources.len)
        return;
    Elf32_Shdr *h = add_section(w, ".debug_line", SHT_PROGBITS, 0, 1);
    size_t begin = w->out->len;
    dpu_lines_write(w->p, w->out);
    h->sh_size = (Elf32_Word)(w->out->len - begin);
}

static Elf32_Ehdr file_header(const struct elf_writer *w, size_t headers_at) {
    Elf32_Ehdr h = {.e_type = ET_EXEC,
                    .e_machine = DPU_MACHINE,
                    .e_version = EV_CURRENT,
                    .e_entry = DPU_AT_TEXT,
                    .e_shoff = (Elf32_Off)headers_at,
                    .e_flags = DPU_ELF_FLAGS,
                    .e_ehsize = sizeof(Elf32_Ehdr),
                    .e_shentsize = sizeof(Elf32_Shdr),
                    .e_shnum = (Elf32_Half)w->headers.len,
                    .e_shstrndx = (Elf32_Half)(w->headers.len - 1)};
    memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = ELFCLASS32;
    h.e_ident[EI_DATA] = ELFDATA2LSB;
    h.e_ident[EI_VERSION] = EV_CURRENT;
    return h;
}
void dpu_program_write(const struct dpu_program *p, struct str *out) {
    struct elf_writer w = {.p = p, .out = out, .start = out->len};
    struct str header = {0};
    memset(str_extend(out, sizeof(Elf32_Ehdr)), 0, sizeof(Elf32_Ehdr));
    str_char(&w.names, '\0');
    vec_push(&w.headers, (Elf32_Shdr){0});
    write_text(&w);
    write_sections(&w);
    write_symbols(&w);
    write_lines(&w);
    Elf32_Shdr *names = add_section(&w, ".shstrtab", SHT_STRTAB, 0, 1);
    names->sh_size = (Elf32_Word)w.names.len;
    str_append_n(out, w.names.text, w.names.len);
    while ((out->len - w.start) % 4)
        str_char(out, '\0');
    Elf32_Ehdr h = file_header(&w, out->len - w.start);
    put_structures(&header, ELF_T_EHDR, &h, sizeof h);
    memcpy(out->text + w.start, header.text, header.len);
    for (size_t i = 0; i < w.headers.len; i++)
        put_structures(out, ELF_T_SHDR, &w.headers.data[i], sizeof(Elf32_Shdr));
    str_free(&header);
    str_free(&w.names);
    vec_free(&w.headers);
}
