/* SPDX-License-Identifier: MIT
 * What the writer and the reader of the ELF form share: names and sizes of sections and records.
 * docs/formats.md shows every byte.  All numbers are little-endian; a name is an offset into
 * .strtab, to which sh_link of every record section points. */
#ifndef OBJECT_LAYOUT_H
#define OBJECT_LAYOUT_H

#include "object/object.h"

/* X(id, section name, bytes per record; 0 = records of varying size) */
#define OBJECT_SECTIONS(X)                                                                         \
    X(NOTE, ".note.mpu", 0)                                                                        \
    X(TEXT, ".text", 4)                                                                            \
    X(STRTAB, ".strtab", 0)                                                                        \
    X(SYMTAB, ".symtab", 24)                                                                       \
    X(RELA, ".rela.text", 24)                                                                      \
    X(FILES, ".mpu.files", 4)                                                                      \
    X(SIZES, ".mpu.sizes", 32)                                                                     \
    X(BOUNDS, ".mpu.bounds", 16)                                                                   \
    X(DERIVED, ".mpu.derived", 32)                                                                 \
    X(VALUES, ".mpu.values", 32)                                                                   \
    X(DEFAULTS, ".mpu.defaults", 8)                                                                \
    X(LUTS, ".mpu.lut", 32)                                                                        \
    X(LUT_DATA, ".mpu.lutdata", 8)                                                                 \
    X(LUT_FILLS, ".mpu.lutfill", 32)                                                               \
    X(PRODUCTS, ".mpu.products", 24)                                                               \
    X(GROUPS, ".mpu.groups", 80)                                                                   \
    X(VARS, ".mpu.vars", 32)                                                                       \
    X(FORMS, ".mpu.forms", 144)                                                                    \
    X(DATA, ".mpu.data", 0)                                                                        \
    X(LENGTHS, ".mpu.lengths", 8)                                                                  \
    X(CONSTANTS, ".mpu.constants", 12)                                                             \
    X(FINISHES, ".mpu.finishes", 40)                                                               \
    X(NUMBERS, ".mpu.numbers", 40)                                                                 \
    X(DEBUGS, ".mpu.debug", 8)                                                                     \
    X(MOVES, ".mpu.moves", 760)                                                                    \
    X(SCOPES, ".mpu.scopes", 12)                                                                   \
    X(INDICES, ".mpu.indices", 12)                                                                 \
    X(STRIDES, ".mpu.strides", 40)                                                                 \
    X(LAPS, ".mpu.laps", 40)                                                                       \
    X(RECIPES, ".mpu.recipes", 0)                                                                  \
    X(BUFFERS, ".mpu.buffers", 160)                                                                \
    X(MODULES, ".mpu.modules", 40)                                                                 \
    X(KERNELS, ".mpu.kernels", 48)                                                                 \
    X(PARAMETERS, ".mpu.parameters", 12)                                                           \
    X(KERNEL_TEXT, ".mpu.kerneltext", 0)                                                           \
    X(CALLS, ".mpu.calls", 8)                                                                      \
    X(ARGUMENTS, ".mpu.arguments", 24)                                                             \
    X(ARGUMENT_BYTES, ".mpu.argumentbytes", 0)                                                     \
    X(LAUNCHES, ".mpu.launches", 152)                                                              \
    X(SIGNATURES, ".mpu.subs", 160)                                                                \
    X(ENTRY, ".mpu.entry", 12)                                                                     \
    X(PLACES, ".mpu.places", 16)                                                                   \
    X(LINE, ".debug_line", 0)

enum object_section {
#define X(id, name, size) OBJECT_##id,
    OBJECT_SECTIONS(X)
#undef X
        OBJECT_SECTION_COUNT
};
struct section_layout {
    const char *name;
    uint32_t record;
};
extern const struct section_layout object_section_layout[OBJECT_SECTION_COUNT];

#define PACKAGE_PREFIX  ".mpu.pkg."
#define OWN_TEXT_PREFIX ".mpu.text."

/* .note.mpu: one note, owner "MPU", of this type and eight words: ISA version, sets, lanes,
 * VRFs per RFH, RFHs per MPU, default width, MPU grid: 0 0 without one, m 0 for a row of m, else
 * rows and columns.  Notes of type 1 had no grid and are refused. */
#define NOTE_TYPE_PROGRAM 2
#define NOTE_WORDS        8
#define NOTE_OWNER        "MPU"

enum size_record_flags { SIZE_HAS_DEFAULT = 1 };
enum value_record_flags { VALUE_HAS_DEFAULT = 1 };
enum product_record_flags { PRODUCT_SIGNED_A = 1, PRODUCT_SIGNED_B = 2 };
enum var_record_flags { VAR_HAS_K = 1 };
enum scope_record_kind { SCOPE_OF_VARIABLE, SCOPE_OF_MOVE };
/* Beside the number of dimensions, in the same word. */
#define GROUP_PER_MPU 0x100u
enum move_record_flags { MOVE_DST_HAS_K = 1, MOVE_SRC_HAS_K = 2 };
enum index_record_flags { INDEX_FOLLOWS = 1 };
enum kernel_record_flags { KERNEL_HAS_WORDS = 1, KERNEL_IN_MODULE = 2 };

/* r_info's type: the relocation's type and, above it, the piece of RELOC_IMM12 or RELOC_VALUE12, or
 * the width of RELOC_LUT12. */
static inline uint32_t elf_reloc_type(const struct reloc *reloc) {
    return (uint32_t)reloc->type | (uint32_t)reloc->piece << 8;
}

/* The bytes of .debug_line for o's files and lines. */
void elf_line_table_write(const struct object *object, struct str *out);
/* Reads a DWARF 4 line table (one unit) into o->lines; its file table must be o->files.
 * On failure *problem says why and *offset where in the section. */
bool elf_line_table_read(struct object *object, const unsigned char *bytes, size_t size,
                         const char **problem, size_t *offset);

/* Bounds of header, section headers, sections and string tables; before libelf sees the file.
 * On failure *problem says why and *offset where in the file. */
bool elf_check(const unsigned char *bytes, size_t size, const char **problem, size_t *offset);

#endif
