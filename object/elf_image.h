/* SPDX-License-Identifier: MIT
 * An ELF64 file under construction: sections in order, laid out and serialised in one call. */
#ifndef OBJECT_ELF_IMAGE_H
#define OBJECT_ELF_IMAGE_H

#include "support/str.h"
#include "support/vec.h"

#include <libelf.h>

struct elf_section {
    char *name;        /* owned */
    Elf64_Shdr header; /* type, flags, link, info, entsize, addralign are the caller's */
    struct str bytes;
};

struct elf_image {
    VEC(struct elf_section) sections; /* section 1 is sections.data[0] */
};

/* Appends a section; returns its index in the file (from 1). */
uint32_t elf_image_add(struct elf_image *image, const char *name, uint32_t type);
/* Valid until the next elf_image_add. */
struct elf_section *elf_image_section(struct elf_image *image, uint32_t index);
/* Appends .shstrtab, lays everything out (each section at a multiple of its alignment, section
 * headers last) and appends the file's bytes to out. */
void elf_image_write(struct elf_image *image, uint16_t type, uint16_t machine, struct str *out);
void elf_image_free(struct elf_image *image);

/* Appends `count` structures of libelf's type (ELF_T_SYM, ...) in the file's byte order. */
void elf_put(struct str *str, Elf_Type type, const void *structures, size_t size);

#endif
