/* SPDX-License-Identifier: MIT
 * Arrays from files, texts and generators, and the types of their elements. */
#ifndef RUNTIME_DATA_H
#define RUNTIME_DATA_H

#include "object/object.h"
#include "runtime/include/mpu/mpu.h"
#include "support/ndarray.h"

/* How values came to a variable. */
enum source_form {
    FORM_TYPED, /* a typed array: type and shape must be the variable's */
    FORM_TEXT,  /* numbers without a type; shape is free where the number of elements says it */
};
/* Numbers of a text that have no shape of their own: a list, or one row. */
static inline bool data_is_flat(const struct ndarray *array) {
    return array->ndim <= 1 || (array->ndim == 2 && array->shape[0] == 1);
}
struct data_source {
    enum source_form form;
    const char *name; /* for provenance: "x.npy", "random:1", "call" */
    bool hash;        /* provenance has the SHA-256: of the file, given here, or of the elements */
    char sha256[65];
};

/* ---- data.c ---- */
/* What is read, and for whom. */
struct data_wish {
    const char *name, *data;
    const struct ndarray
        *like;                /* type and shape for generators and .raw, which need them; or NULL */
    struct element_type real; /* of numbers in a text; bits 0: what these numbers need */
    uint64_t held;            /* bytes of other arrays that wait */
    bool hash;                /* from->sha256 is wanted; for a file it is computed here */
};
/* The array of a file, of numbers or of a generator. */
mpu_result data_read(const struct data_wish *wish, struct data_source *from, struct ndarray *array,
                     struct diag *diag);
/* data_has_shape: true if the data can be read without knowing a shape.  data_is_file: if it names
 * a file. */
bool data_has_shape(const char *data);
bool data_is_file(const char *data);
/* Writes an array as file_write does; *bytes is the size of the file. */
mpu_result data_save(const char *path, const struct ndarray *array, uint64_t *bytes,
                     struct diag *diag);

/* ---- element_types.c ---- */
/* The element type of files and arrays for a variable's type: the smallest that holds it. */
struct element_type session_host_type(struct lane_type type);
/* True if the element (as ndarray_get gives it, of type `from`) is a value of `to`. */
bool session_value_fits(struct element_type from, uint64_t pattern, struct lane_type to);
/* Checks every element; false after reporting the first that does not fit, with its index. */
bool session_values_fit(const char *name, const struct ndarray *array, struct lane_type to,
                        struct diag *diag);
/* Whether both types are the same. */
bool session_same_type(struct element_type left, struct element_type right);
/* Appends "[3, 4]" for element `number` of `array`. */
void session_index_text(const struct ndarray *array, uint64_t number, struct str *out);

#endif
