/* SPDX-License-Identifier: MIT
 * The readers and writers behind array.h; for array*.c. */
#ifndef SUPPORT_NDARRAY_FORMATS_H
#define SUPPORT_NDARRAY_FORMATS_H

#include "support/ndarray.h"

/* The bytes of a file and where to complain about them. */
struct ndarray_input {
    const char *path;
    const char *bytes;
    size_t size;
    struct diag *diag;
    struct element_type real; /* of the numbers of a text; bits 0: what these numbers need */
    bool stays;               /* the bytes outlive the array: its data may be a part of them */
    bool stream;              /* standard input: there is no suffix, and the bytes say the format */
};

/* Both report an error and return false: about bytes [begin, end), shown with line and column,
 * and about the file as a whole. */
bool ndarray_reject_at(const struct ndarray_input *in, size_t begin, size_t end, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));
bool ndarray_reject(const struct ndarray_input *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Each fills a fresh array, or reports and leaves it empty. */
bool ndarray_parse_npy(const struct ndarray_input *in, struct ndarray *array);
bool ndarray_parse_netpbm(const struct ndarray_input *in, struct ndarray *array);
/* CSV: rows of values with commas.  Text: values with white space, always one dimension. */
bool ndarray_parse_csv(const struct ndarray_input *in, struct ndarray *array);
bool ndarray_parse_txt(const struct ndarray_input *in, struct ndarray *array);

/* Each appends to out all of the file, or where the format has the data behind it as it is
 * (array_file.c) what stands before; false if the array does not fit the format, with the reason in
 * *why. */
bool ndarray_format_npy(const struct ndarray *array, struct str *out, const char **why);
bool ndarray_format_pgm(const struct ndarray *array, struct str *out, const char **why);
bool ndarray_format_ppm(const struct ndarray *array, struct str *out, const char **why);
bool ndarray_format_csv(const struct ndarray *array, struct str *out, const char **why);
bool ndarray_format_txt(const struct ndarray *array, struct str *out, const char **why);
bool ndarray_format_raw(const struct ndarray *array, struct str *out, const char **why);

/* Bytes that an element takes. */
static inline size_t element_bytes(struct element_type type) {
    return type.bits / 8u;
}

/* ndarray_make without the data. */
bool ndarray_layout(struct ndarray *array, struct element_type type, uint32_t ndim,
                    const uint64_t *shape);

/* Gives an array that is laid out its data, from byte `at` of the file on: where it lies, if that
 * stays, or a copy. */
void ndarray_take(const struct ndarray_input *in, size_t at, struct ndarray *array);
/* Empties an array again, which may have its data from ndarray_take. */
void ndarray_refuse(const struct ndarray_input *in, struct ndarray *array);

/* Reverses the bytes of each of `count` elements in place: big-endian to little-endian and back. */
void ndarray_swap_bytes(unsigned char *data, uint64_t count, size_t element);

#endif
