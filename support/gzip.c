/* SPDX-License-Identifier: MIT
 * zlib's deflate, piece by piece. */
#include "support/gzip.h"

#include "support/alloc.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

/* zlib's own level and memory; the window is the largest, and 16 more ask for gzip's frame. */
enum { LEVEL = 6, MEMORY = 8, WINDOW = MAX_WBITS + 16, UNKNOWN_SYSTEM = 255 };

struct gzip {
    z_stream stream;
    gz_header header; /* names neither time nor file nor system */
    gzip_sink *sink;
    void *context;
    unsigned char out[1 << 16];
};

struct gzip *gzip_new(gzip_sink *sink, void *context) {
    struct gzip *g = xcalloc(1, sizeof *g);
    g->sink = sink;
    g->context = context;
    g->header.os = UNKNOWN_SYSTEM;
    if (deflateInit2(&g->stream, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK &&
        deflateSetHeader(&g->stream, &g->header) == Z_OK)
        return g;
    gzip_free(g);
    errno = ENOMEM;
    return NULL;
}

/* Until deflate has nothing more to give. */
static bool pass(struct gzip *gzip, int flush) {
    do {
        gzip->stream.next_out = gzip->out;
        gzip->stream.avail_out = sizeof gzip->out;
        deflate(&gzip->stream, flush);
        size_t size = sizeof gzip->out - gzip->stream.avail_out;
        if (size && !gzip->sink(gzip->context, (const char *)gzip->out, size))
            return false;
    } while (gzip->stream.avail_out == 0);
    return true;
}

bool gzip_write(struct gzip *gzip, const void *data, size_t size) {
    const unsigned char *at = data;
    while (size) {
        unsigned piece = size < 1u << 30 ? (unsigned)size : 1u << 30;
        gzip->stream.next_in = (unsigned char *)(uintptr_t)at; /* which it does not write */
        gzip->stream.avail_in = piece;
        if (!pass(gzip, Z_NO_FLUSH))
            return false;
        at += piece;
        size -= piece;
    }
    return true;
}

bool gzip_end(struct gzip *gzip) {
    gzip->stream.avail_in = 0;
    return pass(gzip, Z_FINISH);
}

void gzip_free(struct gzip *gzip) {
    if (gzip)
        deflateEnd(&gzip->stream);
    free(gzip);
}
