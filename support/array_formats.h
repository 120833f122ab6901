/* SPDX-License-Identifier: MIT
 * The readers and writers behind array.h; for array*.c. */
#ifndef SUPPORT_ARRAY_FORMATS_H
#define SUPPORT_ARRAY_FORMATS_H

#include "support/array.h"

/* The bytes of a file and where to complain about them. */
struct array_input {
    const char *path;
    const char *bytes;
    size_t size;
    struct diag *diag;
    bool stays; /* the bytes outlive the array: its data may be a part of them */
};

/* Both report an error and return false: about bytes [begin, end), shown with line and column,
 * and about the file as a whole. */
bool array_reject_at(const struct array_input *in, size_t begin, size_t end, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));
bool array_reject(const struct array_input *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Each fills a fresh array, or reports and leaves it empty. */
bool array_parse_npy(const struct array_input *in, struct array *array);
bool array_parse_netpbm(const struct array_input *in, struct array *array);
/* CSV: rows of values with commas.  Text: values with white space, always one dimension. */
bool array_parse_csv(const struct array_input *in, struct array *array);
bool array_parse_txt(const struct array_input *in, struct array *array);

/* Each appends to out all of the file, or where the format has the data behind it as it is
 * (array_file.c) what stands before; false if the array does not fit the format, with the reason in
 * *why. */
bool array_format_npy(const struct array *array, struct str *out, const char **why);
bool array_format_pgm(const struct array *array, struct str *out, const char **why);
bool array_format_ppm(const struct array *array, struct str *out, const char **why);
bool array_format_csv(const struct array *array, struct str *out, const char **why);
bool array_format_txt(const struct array *array, struct str *out, const char **why);
bool array_format_raw(const struct array *array, struct str *out, const char **why);

/* Bytes that an element takes. */
static inline size_t element_bytes(struct element_type type) {
    return type.bits / 8u;
}

/* array_make without the data. */
bool array_layout(struct array *array, struct element_type type, uint32_t ndim,
                  const uint64_t *shape);

/* Gives an array that is laid out its data, from byte `at` of the file on: where it lies, if that
 * stays, or a copy. */
void array_take(const struct array_input *in, size_t at, struct array *array);
/* Empties an array again, which may have its data from array_take. */
void array_refuse(const struct array_input *in, struct array *array);

/* Reverses the bytes of each of `count` elements in place: big-endian to little-endian and back. */
void array_swap_bytes(unsigned char *data, uint64_t count, size_t element);

#endif
