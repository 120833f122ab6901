/* SPDX-License-Identifier: MIT
 * The writers. */
#include "support/ndarray_formats.h"

#include <string.h>

static void put_data(const struct ndarray *array, struct str *out) {
    str_append_n(out, (const char *)array->data, array->count * element_bytes(array->type));
}

/* The data alone. */
bool ndarray_format_raw(const struct ndarray *array, struct str *out, const char **why) {
    (void)array, (void)out, (void)why;
    return true;
}

/* Version 1.0; magic, version, length and header together fill a multiple of 64 bytes. */
bool ndarray_format_npy(const struct ndarray *array, struct str *out, const char **why) {
    (void)why;
    struct str header = {0};
    char kind = "buifV"[array->type.kind];
    str_printf(&header, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': ",
               array->type.bits > 8 ? '<' : '|', kind, array->type.bits / 8u);
    ndarray_shape_text(array, &header);
    str_append(&header, ", }");
    while ((10 + header.len + 1) % 64)
        str_char(&header, ' ');
    str_char(&header, '\n');
    str_append_n(out, "\x93NUMPY\x01\x00", 8);
    str_char(out, (char)(header.len & 255));
    str_char(out, (char)(header.len >> 8));
    str_append_n(out, header.text, header.len);
    str_free(&header);
    return true;
}

static void put_picture(const struct ndarray *array, char digit, struct str *out) {
    str_printf(out, "P%c\n%llu %llu\n%s\n", digit, (unsigned long long)array->shape[1],
               (unsigned long long)array->shape[0], array->type.bits == 8 ? "255" : "65535");
    size_t start = out->len;
    put_data(array, out);
    if (array->type.bits == 16)
        ndarray_swap_bytes((unsigned char *)out->text + start, array->count, 2);
}

static bool is_sample(struct element_type type) {
    return type.kind == ELEMENT_UINT && type.bits <= 16;
}

bool ndarray_format_pgm(const struct ndarray *array, struct str *out, const char **why) {
    *why = "a .pgm needs 2 dimensions that are not empty, of uint8 or uint16";
    if (array->ndim != 2 || !array->count || !is_sample(array->type))
        return false;
    put_picture(array, '5', out);
    return true;
}

bool ndarray_format_ppm(const struct ndarray *array, struct str *out, const char **why) {
    *why = "a .ppm needs 3 dimensions that are not empty, the last of extent 3, of uint8 or uint16";
    if (array->ndim != 3 || array->shape[2] != 3 || !array->count || !is_sample(array->type))
        return false;
    put_picture(array, '6', out);
    return true;
}

/* Rows of `columns` values each. */
static void put_rows(const struct ndarray *array, uint64_t columns, char separator,
                     struct str *out) {
    for (uint64_t i = 0; i < array->count; i++) {
        ndarray_element_text(array->type, ndarray_get(array, i), out);
        str_char(out, (i + 1) % columns ? separator : '\n');
    }
}

bool ndarray_format_csv(const struct ndarray *array, struct str *out, const char **why) {
    *why = "a .csv holds at most 2 dimensions";
    if (array->ndim > 2)
        return false;
    put_rows(array, array->ndim == 2 ? array->shape[1] : 1, ',', out);
    return true;
}

bool ndarray_format_txt(const struct ndarray *array, struct str *out, const char **why) {
    (void)why;
    put_rows(array, array->ndim > 1 ? array->shape[array->ndim - 1] : 1, ' ', out);
    return true;
}
