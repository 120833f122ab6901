/* SPDX-License-Identifier: MIT
 * Layout and serialisation of an ELF64 file.  libelf converts the structures; the file is put
 * together in memory because libelf itself writes only to file descriptors. */
#include "object/elf_image.h"

#include <stdlib.h>
#include <string.h>

uint32_t elf_image_add(struct elf_image *image, const char *name, uint32_t type) {
    struct elf_section s = {.name = xstrdup(name)};
    s.header.sh_type = type;
    s.header.sh_addralign = 1;
    vec_push(&image->sections, s);
    return (uint32_t)image->sections.len;
}

struct elf_section *elf_image_section(struct elf_image *image, uint32_t index) {
    return &image->sections.data[index - 1];
}

void elf_put(struct str *str, Elf_Type type, const void *structures, size_t size) {
    char *bytes = xmalloc(size);
    Elf_Data from = {.d_buf = (void *)(uintptr_t)structures,
                     .d_type = type,
                     .d_version = EV_CURRENT,
                     .d_size = size};
    Elf_Data to = {.d_buf = bytes, .d_version = EV_CURRENT, .d_size = size};
    elf_version(EV_CURRENT);
    if (elf64_xlatetof(&to, &from, ELFDATA2LSB) != NULL)
        str_append_n(str, bytes, size);
    free(bytes);
}

static void pad(struct str *str, size_t start, uint64_t align) {
    while ((str->len - start) % align != 0)
        str_char(str, '\0');
}

static void add_section_names(struct elf_image *image) {
    uint32_t index = elf_image_add(image, ".shstrtab", SHT_STRTAB);
    struct elf_section *names = elf_image_section(image, index);
    str_char(&names->bytes, '\0');
    for (size_t i = 0; i < image->sections.len; i++) {
        struct elf_section *s = &image->sections.data[i];
        s->header.sh_name = (Elf64_Word)names->bytes.len;
        str_append_n(&names->bytes, s->name, strlen(s->name) + 1);
    }
}

/* Appends the contents of all sections and notes where they went. */
static void put_contents(struct elf_image *image, size_t start, struct str *out) {
    for (size_t i = 0; i < image->sections.len; i++) {
        struct elf_section *s = &image->sections.data[i];
        pad(out, start, s->header.sh_addralign);
        s->header.sh_offset = out->len - start;
        s->header.sh_size = s->bytes.len;
        str_append_n(out, s->bytes.text ? s->bytes.text : "", s->bytes.len);
    }
    pad(out, start, 8);
}

static Elf64_Ehdr file_header(const struct elf_image *image, uint16_t type, uint16_t machine,
                              size_t headers_at) {
    Elf64_Ehdr h = {.e_type = type,
                    .e_machine = machine,
                    .e_version = EV_CURRENT,
                    .e_shoff = headers_at,
                    .e_ehsize = sizeof(Elf64_Ehdr),
                    .e_shentsize = sizeof(Elf64_Shdr)};
    memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = ELFCLASS64;
    h.e_ident[EI_DATA] = ELFDATA2LSB;
    h.e_ident[EI_VERSION] = EV_CURRENT;
    h.e_shnum = (Elf64_Half)(image->sections.len + 1);
    h.e_shstrndx = (Elf64_Half)image->sections.len;
    return h;
}

void elf_image_write(struct elf_image *image, uint16_t type, uint16_t machine, struct str *out) {
    size_t start = out->len;
    struct str header = {0};
    static const char room[sizeof(Elf64_Ehdr)];
    str_append_n(out, room, sizeof room);
    add_section_names(image);
    put_contents(image, start, out);
    Elf64_Ehdr h = file_header(image, type, machine, out->len - start);
    elf_put(&header, ELF_T_EHDR, &h, sizeof h);
    memcpy(out->text + start, header.text, header.len);
    str_free(&header);
    Elf64_Shdr null = {0};
    elf_put(out, ELF_T_SHDR, &null, sizeof null);
    for (size_t i = 0; i < image->sections.len; i++)
        elf_put(out, ELF_T_SHDR, &image->sections.data[i].header, sizeof(Elf64_Shdr));
}

void elf_image_free(struct elf_image *image) {
    for (size_t i = 0; i < image->sections.len; i++) {
        free(image->sections.data[i].name);
        str_free(&image->sections.data[i].bytes);
    }
    vec_free(&image->sections);
}
