/* SPDX-License-Identifier: MIT
 * Arrays in files: NumPy .npy, netpbm .pgm/.ppm, text and CSV, raw.  All readers check every
 * bound, report with the place, and never trust a size in a header before comparing it with the
 * bytes that are there. */
#ifndef SUPPORT_NDARRAY_H
#define SUPPORT_NDARRAY_H

#include "support/diag.h"
#include "support/file.h"
#include "support/ieee_text.h"
#include "support/str.h"

#include <stdbool.h>
#include <stdint.h>

enum element_kind { ELEMENT_BOOL, ELEMENT_UINT, ELEMENT_INT, ELEMENT_FLOAT, ELEMENT_BFLOAT };

/* Types that files have: bool 8; uint, int 8 16 32 64; float 16 32 64; bfloat 16 bits. */
struct element_type {
    enum element_kind kind;
    uint8_t bits;
};

static inline bool element_is_float(struct element_type type) {
    return type.kind == ELEMENT_FLOAT || type.kind == ELEMENT_BFLOAT;
}
/* The format of a floating-point type. */
static inline struct ieee_format element_format(struct element_type type) {
    return type.kind == ELEMENT_BFLOAT ? IEEE_BFLOAT16 : ieee_binary(type.bits);
}

#define NDARRAY_MAX_DIMS 8

/* C order, little-endian, densely packed: data has count * bits / 8 bytes.  Floats are kept as
 * their bit patterns. */
struct ndarray {
    struct element_type type;
    uint32_t ndim; /* 0 = a single value */
    uint64_t shape[NDARRAY_MAX_DIMS];
    uint64_t count; /* product of shape */
    unsigned char *data;
    struct file_view file; /* what data is a part of, and is not written then; empty: data is the
                              array's own */
    bool borrowed;         /* data is somebody else's, who keeps it longer than the array */
};

/* "uint8", "int64", "float16", "bool": NumPy's names; "bfloat16" as ml_dtypes has it. */
const char *ndarray_type_name(struct element_type type);
bool ndarray_type_parse(const char *name, struct element_type *type);

void ndarray_free(struct ndarray *array);
/* Allocates zeroed data; false if the size overflows or is above 2^40 bytes. */
bool ndarray_make(struct ndarray *array, struct element_type type, uint32_t ndim,
                  const uint64_t *shape);
/* The same with data that holds anything, for who fills all of it. */
bool ndarray_make_unset(struct ndarray *array, struct element_type type, uint32_t ndim,
                        const uint64_t *shape);
/* A copy of a that owns its data. */
struct ndarray ndarray_copy(const struct ndarray *array);
/* Bits that are 1 in some element; with `edges` bits of x ^ (x << 1), which is 1 where a bit of x
 * differs from the one below it.  Bits of the element's width. */
uint64_t ndarray_bits_seen(const struct ndarray *array, bool edges);
/* Whether both have the same bytes as elements of the same type; shapes are not compared. */
bool ndarray_same_data(const struct ndarray *left, const struct ndarray *right);
/* Element index as a 64-bit pattern: signed ones sign-extended, floats as their bits. */
uint64_t ndarray_get(const struct ndarray *array, uint64_t index);
void ndarray_set(struct ndarray *array, uint64_t index, uint64_t value);
/* "(640, 480)", "(8,)", "()": appended to str. */
void ndarray_shape_text(const struct ndarray *array, struct str *str);

/* By suffix (.npy .pgm .ppm .csv .txt, else error): `path` names it in messages.  Text and CSV
 * give int64, or uint64 if a value needs it, or float64 if one has a point or an exponent or is
 * inf or nan; # starts a comment.  A CSV has ndim 2 when it has several columns; text has white
 * space between the values and always ndim 1.  PPM has shape (height, width, 3).  16-bit netpbm is
 * uint16.  False after reporting, with *a empty. */
bool ndarray_read(const char *path, struct ndarray *array, struct diag *diag);
bool ndarray_parse(const char *path, const void *bytes, size_t size, struct ndarray *array,
                   struct diag *diag);
/* The same from a file ("-" is standard input, whose bytes say the format: .npy, .pgm and .ppm,
 * with commas .csv, else .txt), which the array keeps, and `file` is emptied, where the data can
 * stay as it lies there.  real.bits not 0: numbers of a text, .csv or .txt, are rounded to the
 * nearest ones of that floating-point type; what is too large for it is an error. */
bool ndarray_parse_file_as(const char *path, struct file_view *file, struct element_type real,
                           struct ndarray *array, struct diag *diag);
/* The number text[0..n) as such an element: decimal, inf or nan, or whole as number_parse_u64 has
 * it, with a sign. */
enum ieee_reading ndarray_parse_real(struct element_type real, const char *text, size_t n,
                                     uint64_t *pattern);
/* .raw: no header; the caller says type and shape. */
bool ndarray_parse_raw(const char *path, const void *bytes, size_t size, struct element_type type,
                       uint32_t ndim, const uint64_t *shape, struct ndarray *array,
                       struct diag *diag);
bool ndarray_parse_raw_file(const char *path, struct file_view *file, struct element_type type,
                            uint32_t ndim, const uint64_t *shape, struct ndarray *array,
                            struct diag *diag);
/* By suffix; the bytes of the file appended to out.  .npy is version 1.0, C order.  .pgm needs
 * 2 dims of uint8 or uint16; .ppm a third of extent 3; .csv has a line per row and at most 2 dims;
 * .txt a line per run of the last index; .raw is the data alone.  False after reporting. */
bool ndarray_format(const char *path, const struct ndarray *array, struct str *out,
                    struct diag *diag);
/* The same in pieces: what stands before the data, and how many bytes of a->data follow as they are
 * (none where all of it is text). */
bool ndarray_format_head(const char *path, const struct ndarray *array, struct str *head,
                         uint64_t *follow, struct diag *diag);
/* Formatted, and written as file_write does it. */
bool ndarray_write(const char *path, const struct ndarray *array, struct diag *diag);
/* Text of one element as CSV and --print show it: integers in decimal, bools as 0 and 1, floats
 * with the fewest digits that read back the same and always a point, an exponent, inf or nan. */
void ndarray_element_text(struct element_type type, uint64_t pattern, struct str *str);

#endif
