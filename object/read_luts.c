/* SPDX-License-Identifier: MIT
 * Tables of LUTs, their elements, and what is filled in when the program is packaged; shapes of
 * products. */
#include "object/bytes.h"
#include "object/read.h"

/* As many tables and elements as a program may have, before room is made for them. */
static bool sizes_fine(struct object_reader *reader, size_t count) {
    uint64_t entries = 0;
    for (size_t i = 0; i < count && count <= OBJECT_MAX_LUTS; i++) {
        uint32_t k = object_read_record(reader, OBJECT_LUTS, i)[4];
        entries += k <= ISA_LUT_MAX_INDEX_BITS ? UINT64_C(1) << k : 0;
    }
    if (count > OBJECT_MAX_LUTS || entries > OBJECT_MAX_LUT_ENTRIES)
        object_read_fail(reader, reader->section[OBJECT_LUTS].offset,
                         "there are more than %d tables, or tables with more than 2^22 elements",
                         OBJECT_MAX_LUTS);
    return reader->ok;
}

/* Elements *next and on of .mpu.lutdata, then zeros. */
static const uint64_t *read_elements(struct object_reader *reader, unsigned index_bits,
                                     uint32_t given, size_t *next) {
    uint64_t *entries = ARENA_ARRAY(&reader->o->arena, (size_t)1 << index_bits, uint64_t);
    for (uint32_t i = 0; i < given; i++)
        entries[i] = get_u64(object_read_record(reader, OBJECT_LUT_DATA, (*next)++));
    return entries;
}

/* Records *next and on of .mpu.lutfill, which must be of table `index`. */
static const struct lut_fill *read_fills(struct object_reader *reader, size_t index, uint32_t count,
                                         size_t *next) {
    struct lut_fill *fills = ARENA_ARRAY(&reader->o->arena, count, struct lut_fill);
    for (uint32_t i = 0; i < count; i++, ++*next) {
        const unsigned char *b = object_read_record(reader, OBJECT_LUT_FILLS, *next);
        fills[i] = (struct lut_fill){.source = (enum lut_source)get_u32(b + 4),
                                     .first = get_u32(b + 8),
                                     .count = get_u32(b + 12),
                                     .target = get_u32(b + 16),
                                     .addend = (int64_t)get_u64(b + 24)};
        if (get_u32(b) != index || get_u32(b + 20))
            object_read_fail(reader, offset_of(reader, OBJECT_LUT_FILLS, *next),
                             "elements of a table are filled in that is not the next");
    }
    return fills;
}

/* Records of a section that were not read yet. */
static size_t records_left(struct object_reader *reader, enum object_section id, size_t next) {
    return object_read_count(reader, id) - next;
}

static void read_lut(struct object_reader *reader, size_t index, size_t *element, size_t *fill) {
    const unsigned char *b = object_read_record(reader, OBJECT_LUTS, index);
    size_t offset = offset_of(reader, OBJECT_LUTS, index);
    uint32_t given = get_u32(b + 8), fills = get_u32(b + 12);
    struct lut_decl t = {.name = object_read_name(reader, get_u32(b), offset),
                         .table = {.index_bits = b[4], .width = b[5]},
                         .element_bits = b[6],
                         .fill_count = fills,
                         .place = get_place(b + 16)};
    if (b[4] < 1 || b[4] > ISA_LUT_MAX_INDEX_BITS || given > UINT32_C(1) << b[4] ||
        given > records_left(reader, OBJECT_LUT_DATA, *element) ||
        fills > records_left(reader, OBJECT_LUT_FILLS, *fill) || b[7] || get_u32(b + 28)) {
        object_read_fail(reader, offset, "a table has more elements than there are, or than 2^k");
        return;
    }
    t.table.entries = read_elements(reader, b[4], given, element);
    t.fills = read_fills(reader, index, fills, fill);
    if (reader->ok && !object_lut_problem(reader->o, &t) && object_lut_given(&t) != given)
        object_read_fail(reader, offset, "table '%s' ends with elements that are 0", t.name);
    vec_push(&reader->o->luts, t);
}

void object_read_luts(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_LUTS), element = 0, fill = 0;
    if (!reader->ok || !sizes_fine(reader, count))
        return;
    for (size_t i = 0; i < count && reader->ok; i++)
        read_lut(reader, i, &element, &fill);
    if (reader->ok && (records_left(reader, OBJECT_LUT_DATA, element) ||
                       records_left(reader, OBJECT_LUT_FILLS, fill)))
        object_read_fail(reader, reader->section[OBJECT_LUTS].offset,
                         "there are elements of no table");
}

static bool product_flags_fine(uint32_t flags) {
    return !(flags & ~(uint32_t)(PRODUCT_SIGNED_A | PRODUCT_SIGNED_B));
}

void object_read_products(struct object_reader *reader) {
    size_t count = object_read_count(reader, OBJECT_PRODUCTS);
    for (size_t i = 0; i < count && reader->ok; i++) {
        const unsigned char *b = object_read_record(reader, OBJECT_PRODUCTS, i);
        size_t offset = offset_of(reader, OBJECT_PRODUCTS, i);
        uint32_t flags = get_u32(b + 8);
        struct product_decl p = {.name = object_read_name(reader, get_u32(b), offset),
                                 .product = {.a = b[4],
                                             .b = b[5],
                                             .lo = b[6],
                                             .width = b[7],
                                             .signed_a = flags & PRODUCT_SIGNED_A,
                                             .signed_b = flags & PRODUCT_SIGNED_B},
                                 .place = get_place(b + 12)};
        if (!product_flags_fine(flags))
            object_read_fail(reader, offset, "a shape of products has signs that there are not");
        vec_push(&reader->o->products, p);
    }
}
