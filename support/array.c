/* SPDX-License-Identifier: MIT */
#include "support/array.h"

#include "support/alloc.h"
#include "support/array_formats.h"
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
    {"bool", {ELEMENT_BOOL, 8}},      {"uint8", {ELEMENT_UINT, 8}},
    {"uint16", {ELEMENT_UINT, 16}},   {"uint32", {ELEMENT_UINT, 32}},
    {"uint64", {ELEMENT_UINT, 64}},   {"int8", {ELEMENT_INT, 8}},
    {"int16", {ELEMENT_INT, 16}},     {"int32", {ELEMENT_INT, 32}},
    {"int64", {ELEMENT_INT, 64}},     {"float16", {ELEMENT_FLOAT, 16}},
    {"float32", {ELEMENT_FLOAT, 32}}, {"float64", {ELEMENT_FLOAT, 64}},
};

enum { TYPE_COUNT = sizeof types / sizeof *types };

const char *array_type_name(struct element_type t) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].type.kind == t.kind && types[i].type.bits == t.bits)
            return types[i].name;
    return "unknown";
}

bool array_type_parse(const char *name, struct element_type *t) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            *t = types[i].type;
            return true;
        }
    }
    return false;
}

void array_free(struct array *a) {
    if (a->file.bytes)
        file_view_close(&a->file);
    else if (!a->borrowed)
        free(a->data);
    *a = (struct array){0};
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

bool array_layout(struct array *a, struct element_type type, uint32_t ndim, const uint64_t *shape) {
    *a = (struct array){0};
    uint64_t count, bytes;
    if (ndim > ARRAY_MAX_DIMS || !element_count(ndim, shape, &count) ||
        __builtin_mul_overflow(count, element_bytes(type), &bytes) || bytes > max_bytes)
        return false;
    a->type = type;
    a->ndim = ndim;
    if (ndim)
        memcpy(a->shape, shape, ndim * sizeof *shape);
    a->count = count;
    return true;
}

bool array_make_unset(struct array *a, struct element_type type, uint32_t ndim,
                      const uint64_t *shape) {
    if (!array_layout(a, type, ndim, shape))
        return false;
    a->data = xmalloc_large((size_t)a->count * element_bytes(type));
    return true;
}

bool array_make(struct array *a, struct element_type type, uint32_t ndim, const uint64_t *shape) {
    if (!array_layout(a, type, ndim, shape))
        return false;
    a->data = xcalloc_large((size_t)a->count, element_bytes(type));
    return true;
}

struct array array_copy(const struct array *a) {
    struct array copy = *a;
    size_t bytes = (size_t)a->count * element_bytes(a->type);
    copy.file = (struct file_view){0};
    copy.borrowed = false;
    copy.data = xmalloc_large(bytes);
    if (bytes)
        memcpy(copy.data, a->data, bytes);
    return copy;
}

/* Word by word, whatever the elements' width: bit 0 of an element, which sees the one before it, is
 * no edge. */
static uint64_t words_seen(const unsigned char *p, size_t words, bool edges) {
    uint64_t seen = 0, x;
    if (edges)
        for (size_t i = 0; i < words; i++) {
            memcpy(&x, p + 8 * i, 8);
            seen |= x ^ (x << 1);
        }
    else
        for (size_t i = 0; i < words; i++) {
            memcpy(&x, p + 8 * i, 8);
            seen |= x;
        }
    return seen;
}

uint64_t array_bits_seen(const struct array *a, bool edges) {
    size_t bytes = (size_t)a->count * element_bytes(a->type), tail = bytes % 8;
    uint64_t seen = words_seen(a->data, bytes / 8, edges), rest = 0;
    if (tail)
        memcpy(&rest, a->data + bytes - tail, tail);
    seen |= edges ? rest ^ (rest << 1) : rest;
    for (unsigned width = 32; width >= a->type.bits; width /= 2)
        seen |= seen >> width;
    return (edges ? seen & ~UINT64_C(1) : seen) & low_bits(a->type.bits);
}

bool array_same_data(const struct array *a, const struct array *b) {
    size_t bytes = (size_t)a->count * element_bytes(a->type);
    return a->count == b->count && a->type.kind == b->type.kind && a->type.bits == b->type.bits &&
           (bytes == 0 || memcmp(a->data, b->data, bytes) == 0);
}

uint64_t array_get(const struct array *a, uint64_t i) {
    const unsigned char *p = a->data + i * element_bytes(a->type);
    uint64_t x = 0;
    memcpy(&x, p, element_bytes(a->type));
    unsigned above = 64u - a->type.bits;
    return a->type.kind == ELEMENT_INT ? (uint64_t)((int64_t)(x << above) >> above) : x;
}

void array_set(struct array *a, uint64_t i, uint64_t value) {
    memcpy(a->data + i * element_bytes(a->type), &value, element_bytes(a->type));
}

void array_shape_text(const struct array *a, struct str *s) {
    str_char(s, '(');
    for (uint32_t i = 0; i < a->ndim; i++)
        str_printf(s, "%s%llu", i ? ", " : "", (unsigned long long)a->shape[i]);
    str_append(s, a->ndim == 1 ? ",)" : ")");
}

void array_swap_bytes(unsigned char *data, uint64_t count, size_t element) {
    for (uint64_t i = 0; i < count; i++, data += element) {
        for (size_t b = 0; b < element / 2; b++) {
            unsigned char low = data[b];
            data[b] = data[element - 1 - b];
            data[element - 1 - b] = low;
        }
    }
}

static void integer_text(struct element_type t, uint64_t pattern, struct str *s) {
    if (t.kind == ELEMENT_INT)
        str_printf(s, "%lld", (long long)pattern);
    else
        str_printf(s, "%llu", (unsigned long long)pattern);
}

static void float_text(struct element_type t, uint64_t pattern, struct str *s) {
    if (t.bits == 16) {
        str_half(s, (uint16_t)pattern);
    } else if (t.bits == 32) {
        uint32_t bits = (uint32_t)pattern;
        float value;
        memcpy(&value, &bits, sizeof value);
        str_float(s, value);
    } else {
        double value;
        memcpy(&value, &pattern, sizeof value);
        str_double(s, value);
    }
}

void array_element_text(struct element_type t, uint64_t pattern, struct str *s) {
    if (t.kind != ELEMENT_FLOAT) {
        integer_text(t, pattern, s);
        return;
    }
    size_t start = s->len;
    float_text(t, pattern, s);
    if (!strpbrk(s->text + start, ".ein"))
        str_append(s, ".0");
}
