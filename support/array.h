/* SPDX-License-Identifier: MIT
 * Arrays in files: NumPy .npy, netpbm .pgm/.ppm, text and CSV, raw.  All readers check every
 * bound, report with the place, and never trust a size in a header before comparing it with the
 * bytes that are there. */
#ifndef SUPPORT_ARRAY_H
#define SUPPORT_ARRAY_H

#include "support/diag.h"
#include "support/file.h"
#include "support/str.h"

#include <stdbool.h>
#include <stdint.h>

enum element_kind { ELEMENT_BOOL, ELEMENT_UINT, ELEMENT_INT, ELEMENT_FLOAT };

/* Types that files have: bool 8; uint, int 8 16 32 64; float 16 32 64 bits. */
struct element_type {
    enum element_kind kind;
    uint8_t bits;
};

#define ARRAY_MAX_DIMS 8

/* C order, little-endian, densely packed: data has count * bits / 8 bytes.  Floats are kept as
 * their bit patterns. */
struct array {
    struct element_type type;
    uint32_t ndim; /* 0 = a single value */
    uint64_t shape[ARRAY_MAX_DIMS];
    uint64_t count; /* product of shape */
    unsigned char *data;
    struct file_view file; /* what data is a part of, and is not written then; empty: data is the
                              array's own */
    bool borrowed;         /* data is somebody else's, who keeps it longer than the array */
};

/* "uint8", "int64", "float16", "bool": NumPy's names. */
const char *array_type_name(struct element_type t);
bool array_type_parse(const char *name, struct element_type *t);

void array_free(struct array *a);
/* Allocates zeroed data; false if the size overflows or is above 2^40 bytes. */
bool array_make(struct array *a, struct element_type type, uint32_t ndim, const uint64_t *shape);
/* The same with data that holds anything, for who fills all of it. */
bool array_make_unset(struct array *a, struct element_type type, uint32_t ndim,
                      const uint64_t *shape);
/* A copy of a that owns its data. */
struct array array_copy(const struct array *a);
/* Bits that are 1 in some element; with `edges` bits of x ^ (x << 1), which is 1 where a bit of x
 * differs from the one below it.  Bits of the element's width. */
uint64_t array_bits_seen(const struct array *a, bool edges);
/* Whether both have the same bytes as elements of the same type; shapes are not compared. */
bool array_same_data(const struct array *a, const struct array *b);
/* Element i as a 64-bit pattern: signed ones sign-extended, floats as their bits. */
uint64_t array_get(const struct array *a, uint64_t i);
void array_set(struct array *a, uint64_t i, uint64_t value);
/* "(640, 480)", "(8,)", "()": appended to s. */
void array_shape_text(const struct array *a, struct str *s);

/* By suffix (.npy .pgm .ppm .csv .txt, else error): `path` names it in messages.  Text and CSV
 * give int64, or uint64 if a value needs it, or float64 if one has a point or an exponent or is
 * inf or nan; # starts a comment.  A CSV has ndim 2 when it has several columns; text has white
 * space between the values and always ndim 1.  PPM has shape (height, width, 3).  16-bit netpbm is
 * uint16.  False after reporting, with *a empty. */
bool array_read(const char *path, struct array *a, struct diag *d);
bool array_parse(const char *path, const void *bytes, size_t size, struct array *a, struct diag *d);
/* The same from a file, which the array keeps, and `file` is emptied, where the data can stay as it
 * lies there. */
bool array_parse_file(const char *path, struct file_view *file, struct array *a, struct diag *d);
/* .raw: no header; the caller says type and shape. */
bool array_parse_raw(const char *path, const void *bytes, size_t size, struct element_type type,
                     uint32_t ndim, const uint64_t *shape, struct array *a, struct diag *d);
bool array_parse_raw_file(const char *path, struct file_view *file, struct element_type type,
                          uint32_t ndim, const uint64_t *shape, struct array *a, struct diag *d);
/* By suffix; the bytes of the file appended to out.  .npy is version 1.0, C order.  .pgm needs
 * 2 dims of uint8 or uint16; .ppm a third of extent 3; .csv has a line per row and at most 2 dims;
 * .txt a line per run of the last index; .raw is the data alone.  False after reporting. */
bool array_format(const char *path, const struct array *a, struct str *out, struct diag *d);
/* The same in pieces: what stands before the data, and how many bytes of a->data follow as they are
 * (none where all of it is text). */
bool array_format_head(const char *path, const struct array *a, struct str *head, uint64_t *follow,
                       struct diag *d);
/* Formatted, and written as file_write does it. */
bool array_write(const char *path, const struct array *a, struct diag *d);
/* Text of one element as CSV and --print show it: integers in decimal, bools as 0 and 1, floats
 * with the fewest digits that read back the same and always a point, an exponent, inf or nan. */
void array_element_text(struct element_type t, uint64_t pattern, struct str *s);

#endif
