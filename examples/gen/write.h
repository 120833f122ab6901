/* SPDX-License-Identifier: MIT
 * Files of the examples, written without the toolchain's own code. */
#ifndef EXAMPLES_GEN_WRITE_H
#define EXAMPLES_GEN_WRITE_H

#include <stddef.h>
#include <stdint.h>

/* Goes to the output folder; all paths below lie in it.  Exits with a message on failure. */
void enter_folder(const char *folder);
/* NumPy's format, version 1.0: `type` is "<i4", "|b1"...; columns == 0 means one dimension and
 * rows == 0 a single value. */
void write_npy(const char *path, const char *type, size_t rows, size_t columns, const void *data,
               size_t size);
/* As write_npy, with `dims` dimensions, at most 4. */
void write_npy_shape(const char *path, const char *type, const size_t *shape, size_t dims,
                     const void *data, size_t size);
/* A binary PGM picture. */
void write_pgm(const char *path, unsigned width, unsigned height, const uint8_t *pixels);

/* The landscape of example-picture, from the output folder. */
enum { PICTURE_WIDTH = 640, PICTURE_HEIGHT = 480 };
void read_picture(uint8_t *pixels);

/* splitmix64: the same numbers on every machine. */
uint64_t next_random(uint64_t *state);

#endif
