/* SPDX-License-Identifier: MIT
 * Element types, shapes, and elements by their index. */
#include "support/ndarray.h"

#include "support/alloc.h"
#include "support/ndarray_formats.h"
#include "support/bits.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "arrays are kept little-endian and read with plain loads");

/* More than any machine that is modelled holds; keeps count * bytes far from overflow. */
static const uint64_t max_bytes = (uint64_t)1 << 40;

static const struct {
    const char *name;
    struct element_type type;
} types[] = {
    {"bool", {ELEMENT_BOOL, 8}},        {"uint8", {ELEMENT_UINT, 8}},
    {"uint16", {ELEMENT_UINT, 16}},     {"uint32", {ELEMENT_UINT, 32}},
    {"uint64", {ELEMENT_UINT, 64}},     {"int8", {ELEMENT_INT, 8}},
    {"int16", {ELEMENT_INT, 16}},       {"int32", {ELEMENT_INT, 32}},
    {"int64", {ELEMENT_INT, 64}},       {"float16", {ELEMENT_FLOAT, 16}},
    {"float32", {ELEMENT_FLOAT, 32}},   {"float64", {ELEMENT_FLOAT, 64}},
    {"bfloat16", {ELEMENT_BFLOAT, 16}},
};

enum { TYPE_COUNT = sizeof types / sizeof *types };

const char *ndarray_type_name(struct element_type type) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].type.kind == type.kind && types[i].type.bits == type.bits)
            return types[i].name;
    return "unknown";
}

bool ndarray_type_parse(const char *name, struct element_type *type) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            *type = types[i].type;
            return true;
        }
    }
    return false;
}

void ndarray_free(struct ndarray *array) {
    if (array->file.bytes)
        file_view_close(&array->file);
    else if (!array->borrowed)
        free(array->data);
    *array = (struct ndarray){0};
}

/* The product of the extents; false if it overflows. */
static bool element_count(uint32_t ndim, const uint64_t *shape, uint64_t *count) {
    *count = 1;
    for (uint32_t i = 0; i < ndim; i++)
        if (shape[i] == 0) {
            *count = 0;
            return true;
        }
    for (uint32_t i = 0; i < ndim; i++)
        if (__builtin_mul_overflow(*count, shape[i], count))
            return false;
    return true;
}

bool ndarray_layout(struct ndarray *array, struct element_type type, uint32_t ndim,
                    const uint64_t *shape) {
    *array = (struct ndarray){0};
    uint64_t count, bytes;
    if (ndim > NDARRAY_MAX_DIMS || !element_count(ndim, shape, &count) ||
        __builtin_mul_overflow(count, element_bytes(type), &bytes) || bytes > max_bytes)
        return false;
    array->type = type;
    array->ndim = ndim;
    if (ndim)
        memcpy(array->shape, shape, ndim * sizeof *shape);
    array->count = count;
    return true;
}

bool ndarray_make_unset(struct ndarray *array, struct element_type type, uint32_t ndim,
                        const uint64_t *shape) {
    if (!ndarray_layout(array, type, ndim, shape))
        return false;
    array->data = xmalloc_large((size_t)array->count * element_bytes(type));
    return true;
}

bool ndarray_make(struct ndarray *array, struct element_type type, uint32_t ndim,
                  const uint64_t *shape) {
    if (!ndarray_layout(array, type, ndim, shape))
        return false;
    array->data = xcalloc_large((size_t)array->count, element_bytes(type));
    return true;
}

struct ndarray ndarray_copy(const struct ndarray *array) {
    struct ndarray copy = *array;
    size_t bytes = (size_t)array->count * element_bytes(array->type);
    copy.file = (struct file_view){0};
    copy.borrowed = false;
    copy.data = xmalloc_large(bytes);
    if (bytes)
        memcpy(copy.data, array->data, bytes);
    return copy;
}

/* Word by word, whatever the elements' width: bit 0 of an element, which sees the one before it, is
 * no edge. */
static uint64_t words_seen(const unsigned char *bytes, size_t words, bool edges) {
    uint64_t seen = 0, x;
    if (edges)
        for (size_t i = 0; i < words; i++) {
            memcpy(&x, bytes + 8 * i, 8);
            seen |= x ^ (x << 1);
        }
    else
        for (size_t i = 0; i < words; i++) {
            memcpy(&x, bytes + 8 * i, 8);
            seen |= x;
        }
    return seen;
}

uint64_t ndarray_bits_seen(const struct ndarray *array, bool edges) {
    size_t bytes = (size_t)array->count * element_bytes(array->type), tail = bytes % 8;
    uint64_t seen = words_seen(array->data, bytes / 8, edges), rest = 0;
    if (tail)
        memcpy(&rest, array->data + bytes - tail, tail);
    seen |= edges ? rest ^ (rest << 1) : rest;
    for (unsigned width = 32; width >= array->type.bits; width /= 2)
        seen |= seen >> width;
    return (edges ? seen & ~UINT64_C(1) : seen) & low_bits(array->type.bits);
}

bool ndarray_same_data(const struct ndarray *left, const struct ndarray *right) {
    size_t bytes = (size_t)left->count * element_bytes(left->type);
    return left->count == right->count && left->type.kind == right->type.kind &&
           left->type.bits == right->type.bits &&
           (bytes == 0 || memcmp(left->data, right->data, bytes) == 0);
}

uint64_t ndarray_get(const struct ndarray *array, uint64_t index) {
    const unsigned char *p = array->data + index * element_bytes(array->type);
    uint64_t x = 0;
    memcpy(&x, p, element_bytes(array->type));
    unsigned above = 64u - array->type.bits;
    return array->type.kind == ELEMENT_INT ? (uint64_t)((int64_t)(x << above) >> above) : x;
}

void ndarray_set(struct ndarray *array, uint64_t index, uint64_t value) {
    memcpy(array->data + index * element_bytes(array->type), &value, element_bytes(array->type));
}

void ndarray_shape_text(const struct ndarray *array, struct str *str) {
    str_char(str, '(');
    for (uint32_t i = 0; i < array->ndim; i++)
        str_printf(str, "%s%llu", i ? ", " : "", (unsigned long long)array->shape[i]);
    str_append(str, array->ndim == 1 ? ",)" : ")");
}

void ndarray_swap_bytes(unsigned char *data, uint64_t count, size_t element) {
    for (uint64_t i = 0; i < count; i++, data += element) {
        for (size_t b = 0; b < element / 2; b++) {
            unsigned char low = data[b];
            data[b] = data[element - 1 - b];
            data[element - 1 - b] = low;
        }
    }
}

static void integer_text(struct element_type type, uint64_t pattern, struct str *str) {
    if (type.kind == ELEMENT_INT)
        str_printf(str, "%lld", (long long)pattern);
    else
        str_printf(str, "%llu", (unsigned long long)pattern);
}

enum ieee_reading ndarray_parse_real(struct element_type real, const char *text, size_t n,
                                     uint64_t *pattern) {
    struct ieee_format format = element_format(real);
    enum ieee_reading reading = ieee_parse(format, text, n, pattern);
    bool negative = n && *text == '-', sign = negative || (n && *text == '+');
    if (reading != IEEE_NO_NUMBER || !number_parse_u64(text + sign, n - sign, pattern))
        return reading;
    *pattern = ieee_from_unsigned(format, *pattern);
    reading = ieee_is_infinite(format, *pattern) ? IEEE_TOO_LARGE : IEEE_NUMBER;
    *pattern |= negative ? ieee_sign_bit(format) : 0;
    return reading;
}

void ndarray_element_text(struct element_type type, uint64_t pattern, struct str *str) {
    if (element_is_float(type))
        ieee_text(element_format(type), pattern, str);
    else
        integer_text(type, pattern, str);
}
