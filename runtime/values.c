/* SPDX-License-Identifier: MIT
 * Element types of files against types of variables. */
#include "runtime/internal.h"

#include "support/bits.h"

struct element_type host_type(struct mpu_type t) {
    uint8_t bits = t.bits <= 8 ? 8 : t.bits <= 16 ? 16 : t.bits <= 32 ? 32 : 64;
    if (t.kind == TYPE_BOOL)
        return (struct element_type){ELEMENT_BOOL, 8};
    return (struct element_type){t.kind == TYPE_INT ? ELEMENT_INT : ELEMENT_UINT, bits};
}

static bool fits_signed(bool negative, uint64_t pattern, unsigned bits) {
    uint64_t most = low_bits(bits - 1);
    return negative ? ~pattern <= most : pattern <= most;
}

bool value_fits(struct element_type from, uint64_t pattern, struct mpu_type to) {
    bool negative = from.kind == ELEMENT_INT && (pattern >> 63);
    if (from.kind == ELEMENT_FLOAT)
        return false;
    if (to.kind == TYPE_INT)
        return fits_signed(negative, pattern, to.bits);
    return !negative && pattern <= low_bits(to.bits);
}

void index_text(const struct array *a, uint64_t i, struct str *out) {
    uint64_t index[ARRAY_MAX_DIMS];
    for (uint32_t k = a->ndim; k-- > 0;) {
        index[k] = a->shape[k] ? i % a->shape[k] : 0;
        i = a->shape[k] ? i / a->shape[k] : 0;
    }
    str_char(out, '[');
    for (uint32_t k = 0; k < a->ndim; k++)
        str_printf(out, "%s%llu", k ? ", " : "", (unsigned long long)index[k]);
    str_char(out, ']');
}

static void range_text(struct mpu_type t, struct str *out) {
    if (t.kind == TYPE_INT)
        str_printf(out, "-%llu to %llu", 1ull << (t.bits - 1),
                   (unsigned long long)low_bits(t.bits - 1u));
    else
        str_printf(out, "0 to %llu", (unsigned long long)low_bits(t.bits));
}

static void does_not_fit(const char *name, const struct array *a, uint64_t i, struct mpu_type to,
                         struct diag *d) {
    char type[8];
    struct str index = {0}, value = {0}, range = {0};
    object_type_text(to, type);
    if (a->ndim)
        index_text(a, i, &index);
    array_element_text(a->type, array_get(a, i), &value);
    range_text(to, &range);
    diag_error(d, NO_SPAN, "%s%s = %s does not fit %s, which holds %s", name, str_text(&index),
               str_text(&value), type, str_text(&range));
    str_free(&range);
    str_free(&index);
    str_free(&value);
}

/* What no element may have, of the bits that array_bits_seen gives: those above the type's; where
 * both have a sign, those that differ from it. */
static bool all_fit(const struct array *a, struct mpu_type to) {
    bool from_signed = a->type.kind == ELEMENT_INT, to_signed = to.kind == TYPE_INT;
    uint64_t width = low_bits(a->type.bits), sign = from_signed ? width ^ width >> 1 : 0;
    uint64_t above = from_signed && to_signed ? ~low_bits(to.bits)
                     : to_signed              ? ~low_bits(to.bits - 1u)
                                              : ~low_bits(to.bits) | sign;
    if (a->type.kind == ELEMENT_FLOAT)
        return false;
    return !(above & width) || !(array_bits_seen(a, from_signed && to_signed) & above);
}

bool values_fit(const char *name, const struct array *a, struct mpu_type to, struct diag *d) {
    if (all_fit(a, to))
        return true;
    for (uint64_t i = 0; i < a->count; i++) {
        if (value_fits(a->type, array_get(a, i), to))
            continue;
        does_not_fit(name, a, i, to, d);
        return false;
    }
    return true;
}
