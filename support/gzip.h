/* SPDX-License-Identifier: MIT
 * What is written, as a gzip file (RFC 1952): without a time and a name, so that the same bytes
 * give the same file. */
#ifndef SUPPORT_GZIP_H
#define SUPPORT_GZIP_H

#include <stdbool.h>
#include <stddef.h>

struct gzip;
/* Takes the bytes of the file in order; false with errno set: no more will come. */
typedef bool gzip_sink(void *context, const char *data, size_t size);

/* NULL with errno set. */
struct gzip *gzip_new(gzip_sink *sink, void *context);
/* False with errno set where the sink says so. */
bool gzip_write(struct gzip *gzip, const void *data, size_t size);
/* The file is complete. */
bool gzip_end(struct gzip *gzip);
/* Of a file that is complete or given up; NULL is allowed. */
void gzip_free(struct gzip *gzip);

#endif
