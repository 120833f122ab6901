/* SPDX-License-Identifier: MIT
 * Tables of LUTs. */
#include "object/object.h"
#include "support/bits.h"

#include <inttypes.h>
#include <string.h>

static uint32_t entry_count(const struct lut_decl *lut) {
    return UINT32_C(1) << lut->table.index_bits;
}

uint32_t object_lut_given(const struct lut_decl *lut) {
    uint32_t given = entry_count(lut), filled = 0;
    if (lut->fill_count) {
        const struct lut_fill *last = &lut->fills[lut->fill_count - 1];
        filled = last->first + last->count;
    }
    while (given > filled && lut->table.entries[given - 1] == 0)
        given--;
    return given;
}

static bool same_fill(const struct lut_fill *left, const struct lut_fill *right) {
    return left->source == right->source && left->first == right->first &&
           left->count == right->count && left->target == right->target &&
           left->addend == right->addend;
}

bool object_lut_same(const struct lut_decl *left, const struct lut_decl *right) {
    bool same = left->table.index_bits == right->table.index_bits &&
                left->table.width == right->table.width && left->fill_count == right->fill_count &&
                (left->fill_count == 0 || left->element_bits == right->element_bits) &&
                memcmp(left->table.entries, right->table.entries,
                       entry_count(left) * sizeof *left->table.entries) == 0;
    for (uint32_t i = 0; same && i < left->fill_count; i++)
        same = same_fill(&left->fills[i], &right->fills[i]);
    return same;
}

static bool fill_fits(const struct object *object, const struct lut_fill *fill) {
    if (fill->source == LUT_SIZE)
        return fill->count == 1 && fill->target < object->sizes.len &&
               fill->addend >= -(int64_t)OBJECT_MAX_EXTENT &&
               fill->addend <= (int64_t)OBJECT_MAX_EXTENT;
    if (fill->source != LUT_VALUE || fill->target >= object->values.len || fill->addend < 0)
        return false;
    int64_t count = object_value_count(&object->values.data[fill->target]);
    return fill->addend < count && fill->count <= count - fill->addend;
}

/* Whether right goes on where left ends, so that they should be one. */
static bool goes_on(const struct lut_fill *left, const struct lut_fill *right) {
    return left->source == LUT_VALUE && right->source == LUT_VALUE &&
           left->target == right->target && left->first + left->count == right->first &&
           left->addend + left->count == right->addend;
}

static const char *fills_problem(const struct object *object, const struct lut_decl *lut) {
    uint32_t end = 0, entries = entry_count(lut);
    for (uint32_t i = 0; i < lut->fill_count; i++) {
        const struct lut_fill *f = &lut->fills[i];
        if (f->first < end || f->count == 0 || f->first >= entries ||
            f->count > entries - f->first || !fill_fits(object, f) || (i && goes_on(f - 1, f)))
            return "has elements that are filled in out of order, or from what is not there";
        end = f->first + f->count;
        for (uint32_t k = f->first; k < end; k++)
            if (lut->table.entries[k])
                return "has an element that is both given and filled in";
    }
    return NULL;
}

const char *object_lut_problem(const struct object *object, const struct lut_decl *lut) {
    if (lut->table.index_bits < 1 || lut->table.index_bits > ISA_LUT_MAX_INDEX_BITS)
        return "has an index that is not of 1 to 16 bits";
    if (lut->table.width < 1 || lut->table.width > 64 || lut->element_bits < 1 ||
        lut->element_bits > 64)
        return "has elements that are not of 1 to 64 bits";
    for (uint32_t i = 0; i < entry_count(lut); i++)
        if (lut->table.entries[i] > low_bits(lut->table.width))
            return "has an element that does not fit its width";
    return fills_problem(object, lut);
}

bool object_lut_element(const struct lut_decl *lut, uint64_t value, bool is_unsigned,
                        uint64_t *element) {
    uint64_t all = low_bits(lut->element_bits);
    bool negative = !is_unsigned && value >> 63;
    *element = value & all & low_bits(lut->table.width);
    return negative ? (uint64_t)sign_extend(value, lut->element_bits) == value : value <= all;
}

void object_lut_entry_text(const struct object *object, const struct lut_decl *lut, uint32_t index,
                           struct str *out) {
    const struct lut_fill *f = lut->fills, *end = f + lut->fill_count;
    while (f < end && f->first + f->count <= index)
        f++;
    if (f == end || f->first > index) {
        str_printf(out, "%" PRIu64, lut->table.entries[index]);
    } else if (f->source == LUT_VALUE) {
        str_append(out, "value(");
        object_value_element(object, f->target, (uint32_t)f->addend + index - f->first, out);
        str_char(out, ')');
    } else {
        str_printf(out, "size(%s)", object->sizes.data[f->target].name);
        if (f->addend)
            str_printf(out, "%+" PRId64, f->addend);
    }
}

struct lut_list object_luts(const struct object *object, struct arena *arena) {
    struct isa_lut *list = ARENA_ARRAY(arena, object->luts.len, struct isa_lut);
    for (size_t i = 0; i < object->luts.len; i++)
        list[i] = object->luts.data[i].table;
    return (struct lut_list){list, (uint32_t)object->luts.len, object_products(object, arena)};
}

enum isa_error object_decode(const struct object *object, uint32_t word, struct insn *insn) {
    enum isa_error e = isa_decode(word, insn);
    if (e == ISA_OK && isa_has_table(insn->op) && insn->lut < object->luts.len)
        isa_set_table(insn, &object->luts.data[insn->lut].table);
    if (e == ISA_OK && isa_has_shape(insn->op) && insn->shape < object->products.len)
        isa_set_product(insn, &object->products.data[insn->shape].product);
    return e;
}
