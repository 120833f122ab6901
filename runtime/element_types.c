/* SPDX-License-Identifier: MIT
 * Element types of files and types of variables: which belongs to which, and whether values fit. */
#include "runtime/data.h"

#include "support/bits.h"

struct element_type session_host_type(struct lane_type type) {
    uint8_t bits = type.bits <= 8 ? 8 : type.bits <= 16 ? 16 : type.bits <= 32 ? 32 : 64;
    if (type.kind == TYPE_BOOL)
        return (struct element_type){ELEMENT_BOOL, 8};
    if (type.kind == TYPE_BFLOAT)
        return (struct element_type){ELEMENT_BFLOAT, 16};
    return (struct element_type){type.kind == TYPE_FLOAT ? ELEMENT_FLOAT
                                 : type.kind == TYPE_INT ? ELEMENT_INT
                                                         : ELEMENT_UINT,
                                 bits};
}

bool session_same_type(struct element_type left, struct element_type right) {
    return left.kind == right.kind && left.bits == right.bits;
}

static bool fits_signed(bool negative, uint64_t pattern, unsigned bits) {
    uint64_t most = low_bits(bits - 1);
    return negative ? ~pattern <= most : pattern <= most;
}

bool session_value_fits(struct element_type from, uint64_t pattern, struct lane_type to) {
    bool negative = from.kind == ELEMENT_INT && (pattern >> 63);
    if (element_is_float(from) || object_type_is_float(to))
        return session_same_type(from, session_host_type(to));
    if (to.kind == TYPE_INT)
        return fits_signed(negative, pattern, to.bits);
    return !negative && pattern <= low_bits(to.bits);
}

void session_index_text(const struct ndarray *array, uint64_t number, struct str *out) {
    uint64_t index[NDARRAY_MAX_DIMS];
    for (uint32_t k = array->ndim; k-- > 0;) {
        index[k] = array->shape[k] ? number % array->shape[k] : 0;
        number = array->shape[k] ? number / array->shape[k] : 0;
    }
    str_char(out, '[');
    for (uint32_t k = 0; k < array->ndim; k++)
        str_printf(out, "%s%llu", k ? ", " : "", (unsigned long long)index[k]);
    str_char(out, ']');
}

static void range_text(struct lane_type type, struct str *out) {
    if (type.kind == TYPE_INT)
        str_printf(out, "-%llu to %llu", 1ull << (type.bits - 1),
                   (unsigned long long)low_bits(type.bits - 1u));
    else
        str_printf(out, "0 to %llu", (unsigned long long)low_bits(type.bits));
}

static void does_not_fit(const char *name, const struct ndarray *array, uint64_t number,
                         struct lane_type to, struct diag *diag) {
    char type[8];
    struct str index = {0}, value = {0}, range = {0};
    object_type_text(to, type);
    if (array->ndim)
        session_index_text(array, number, &index);
    ndarray_element_text(array->type, ndarray_get(array, number), &value);
    range_text(to, &range);
    diag_error(diag, NO_SPAN, "%s%s = %s does not fit %s, which holds %s", name, str_text(&index),
               str_text(&value), type, str_text(&range));
    str_free(&range);
    str_free(&index);
    str_free(&value);
}

/* What no element may have, of the bits that ndarray_bits_seen gives: those above the type's; where
 * both have a sign, those that differ from it. */
static bool all_fit(const struct ndarray *array, struct lane_type to) {
    if (element_is_float(array->type) || object_type_is_float(to))
        return session_same_type(array->type, session_host_type(to));
    bool from_signed = array->type.kind == ELEMENT_INT, to_signed = to.kind == TYPE_INT;
    uint64_t width = low_bits(array->type.bits), sign = from_signed ? width ^ width >> 1 : 0;
    uint64_t above = from_signed && to_signed ? ~low_bits(to.bits)
                     : to_signed              ? ~low_bits(to.bits - 1u)
                                              : ~low_bits(to.bits) | sign;
    return !(above & width) || !(ndarray_bits_seen(array, from_signed && to_signed) & above);
}

bool session_values_fit(const char *name, const struct ndarray *array, struct lane_type to,
                        struct diag *diag) {
    if (all_fit(array, to))
        return true;
    for (uint64_t i = 0; i < array->count; i++) {
        if (session_value_fits(array->type, ndarray_get(array, i), to))
            continue;
        does_not_fit(name, array, i, to, diag);
        return false;
    }
    return true;
}
