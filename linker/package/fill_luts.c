/* SPDX-License-Identifier: MIT
 * The lookup tables of a package: elements that are sizes and values take theirs. */
#include "linker/package/pack.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <string.h>

/* What is filled in, and where it comes from. */
struct lut_filler {
    const struct object *o;
    const int64_t *sizes;
    const uint64_t *values;
    const uint32_t *first; /* of the elements of each value */
    struct diag *d;
};

static void no_room(const struct lut_filler *filler, const struct lut_decl *lut,
                    const struct lut_fill *fill, uint32_t index, uint64_t value, bool is_unsigned) {
    struct str from = {0};
    str_printf(&from, is_unsigned ? "%" PRIu64 ", from " : "%" PRId64 ", from ", value);
    if (fill->source == LUT_SIZE) {
        object_size_said(filler->o, fill->target, &from);
    } else {
        str_append(&from, "value ");
        object_value_element(filler->o, fill->target, (uint32_t)fill->addend + index - fill->first,
                             &from);
    }
    diag_error(filler->d, object_span(filler->o, lut->place, filler->d),
               "element %" PRIu32 " of table '%s' is %s, and does not fit %u bits", index,
               lut->name, str_text(&from), lut->element_bits);
    if (fill->source == LUT_SIZE)
        object_size_note(filler->o, fill->target, filler->sizes, filler->d);
    str_free(&from);
}

static bool fill_one(const struct lut_filler *filler, const struct lut_decl *lut,
                     const struct lut_fill *fill, uint64_t *entries) {
    bool of_size = fill->source == LUT_SIZE, fits = true;
    bool is_unsigned = !of_size && filler->o->values.data[fill->target].type.kind != TYPE_INT;
    for (uint32_t i = fill->first; fits && i < fill->first + fill->count; i++) {
        uint64_t value = of_size ? (uint64_t)(filler->sizes[fill->target] + fill->addend)
                                 : filler->values[filler->first[fill->target] +
                                                  (uint32_t)fill->addend + i - fill->first];
        fits = object_lut_element(lut, value, is_unsigned, &entries[i]);
        if (!fits && filler->d)
            no_room(filler, lut, fill, i, value, is_unsigned);
    }
    return fits;
}

static bool fill_table(const struct lut_filler *filler, const struct lut_decl *lut,
                       struct arena *arena, struct isa_lut *out) {
    bool fits = true;
    *out = lut->table;
    if (!lut->fill_count)
        return true;
    size_t count = (size_t)1 << out->index_bits;
    uint64_t *entries = ARENA_ARRAY(arena, count, uint64_t);
    memcpy(entries, lut->table.entries, count * sizeof *entries);
    for (uint32_t i = 0; i < lut->fill_count; i++)
        fits = fill_one(filler, lut, &lut->fills[i], entries) && fits;
    out->entries = entries;
    return fits;
}

bool package_fill_luts(const struct object *object, const int64_t *sizes, const uint64_t *values,
                       struct arena *arena, struct lut_list *out, struct diag *diag) {
    bool fits = true;
    uint32_t *first = xcalloc(object->values.len + 1, sizeof *first);
    struct lut_filler f = {object, sizes, values, first, diag};
    struct isa_lut *list = ARENA_ARRAY(arena, object->luts.len, struct isa_lut);
    object_value_elements(object, first);
    for (size_t i = 0; i < object->luts.len; i++)
        fits = fill_table(&f, &object->luts.data[i], arena, &list[i]) && fits;
    *out = (struct lut_list){list, (uint32_t)object->luts.len, object_products(object, arena)};
    free(first);
    return fits;
}
