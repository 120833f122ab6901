/* SPDX-License-Identifier: MIT
 * The writers. */
#include "support/array_formats.h"

#include <string.h>

static void put_data(const struct array *a, struct str *out) {
    str_append_n(out, (const char *)a->data, a->count * element_bytes(a->type));
}

/* The data alone. */
bool array_format_raw(const struct array *a, struct str *out, const char **why) {
    (void)a, (void)out, (void)why;
    return true;
}

/* Version 1.0; magic, version, length and header together fill a multiple of 64 bytes. */
bool array_format_npy(const struct array *a, struct str *out, const char **why) {
    (void)why;
    struct str header = {0};
    char kind = "buif"[a->type.kind];
    str_printf(&header, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': ",
               a->type.bits > 8 ? '<' : '|', kind, a->type.bits / 8u);
    array_shape_text(a, &header);
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

static void put_picture(const struct array *a, char digit, struct str *out) {
    str_printf(out, "P%c\n%llu %llu\n%s\n", digit, (unsigned long long)a->shape[1],
               (unsigned long long)a->shape[0], a->type.bits == 8 ? "255" : "65535");
    size_t start = out->len;
    put_data(a, out);
    if (a->type.bits == 16)
        array_swap_bytes((unsigned char *)out->text + start, a->count, 2);
}

static bool is_sample(struct element_type t) {
    return t.kind == ELEMENT_UINT && t.bits <= 16;
}

bool array_format_pgm(const struct array *a, struct str *out, const char **why) {
    *why = "a .pgm needs 2 dimensions that are not empty, of uint8 or uint16";
    if (a->ndim != 2 || !a->count || !is_sample(a->type))
        return false;
    put_picture(a, '5', out);
    return true;
}

bool array_format_ppm(const struct array *a, struct str *out, const char **why) {
    *why = "a .ppm needs 3 dimensions that are not empty, the last of extent 3, of uint8 or uint16";
    if (a->ndim != 3 || a->shape[2] != 3 || !a->count || !is_sample(a->type))
        return false;
    put_picture(a, '6', out);
    return true;
}

/* Rows of `columns` values each. */
static void put_rows(const struct array *a, uint64_t columns, char separator, struct str *out) {
    for (uint64_t i = 0; i < a->count; i++) {
        array_element_text(a->type, array_get(a, i), out);
        str_char(out, (i + 1) % columns ? separator : '\n');
    }
}

bool array_format_csv(const struct array *a, struct str *out, const char **why) {
    *why = "a .csv holds at most 2 dimensions";
    if (a->ndim > 2)
        return false;
    put_rows(a, a->ndim == 2 ? a->shape[1] : 1, ',', out);
    return true;
}

bool array_format_txt(const struct array *a, struct str *out, const char **why) {
    (void)why;
    put_rows(a, a->ndim > 1 ? a->shape[a->ndim - 1] : 1, ' ', out);
    return true;
}
