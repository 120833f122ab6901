/* SPDX-License-Identifier: MIT
 * What stands on the command line in place of a file; for data.c. */
#ifndef RUNTIME_DATA_VALUES_H
#define RUNTIME_DATA_VALUES_H

#include "runtime/data.h"

/* "zeros", "iota", "random:..", whose elements are made for a type and a shape. */
bool data_is_generator(const char *value);
/* Looks like numbers with commas, and does not end as a file of arrays does. */
bool data_is_numbers(const char *value);
/* Ends like the name of a file of arrays. */
bool data_has_suffix(const char *path);

/* An array of one dimension, or of a single number none. */
mpu_result data_numbers_array(const struct data_wish *wish, struct ndarray *array,
                              struct diag *diag);
/* The array that wish->like describes.  Whole numbers, `zeros` and `iota` are of 64 bits. */
mpu_result data_generate(const struct data_wish *wish, struct ndarray *array, struct diag *diag);

#endif
