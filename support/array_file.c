/* SPDX-License-Identifier: MIT
 * From a file's suffix to its reader and writer. */
#include "support/array_formats.h"
#include "support/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct format {
    const char *suffix;
    bool (*parse)(const struct array_input *in, struct array *a); /* NULL: needs a type */
    bool (*format)(const struct array *a, struct str *out, const char **why);
} formats[] = {
    {".npy", array_parse_npy, array_format_npy},    {".pgm", array_parse_netpbm, array_format_pgm},
    {".ppm", array_parse_netpbm, array_format_ppm}, {".csv", array_parse_csv, array_format_csv},
    {".txt", array_parse_txt, array_format_txt},    {".raw", NULL, array_format_raw},
};

bool array_reject_at(const struct array_input *in, size_t begin, size_t end, const char *format,
                     ...) {
    struct span at = {diag_source(in->diag, in->path, in->bytes, in->size),
                      begin < UINT32_MAX ? (uint32_t)begin : UINT32_MAX,
                      end < UINT32_MAX ? (uint32_t)end : UINT32_MAX};
    va_list args;
    va_start(args, format);
    diag_verror(in->diag, at, format, args);
    va_end(args);
    return false;
}

bool array_reject(const struct array_input *in, const char *format, ...) {
    struct span at = {diag_source(in->diag, in->path, NULL, 0), 0, 0};
    va_list args;
    va_start(args, format);
    diag_verror(in->diag, at, format, args);
    va_end(args);
    return false;
}

/* The format of a path, or NULL after reporting. */
static const struct format *find_format(const struct array_input *in, bool reading) {
    size_t len = strlen(in->path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t n = strlen(formats[i].suffix);
        bool usable = !reading || formats[i].parse;
        if (usable && len > n && strcasecmp(in->path + len - n, formats[i].suffix) == 0)
            return &formats[i];
    }
    array_reject(in, "cannot tell the format by the name: %s are %s",
                 reading ? ".npy, .pgm, .ppm, .csv and .txt"
                         : ".npy, .pgm, .ppm, .csv, .txt and "
                           ".raw",
                 reading ? "read" : "written");
    return NULL;
}

bool array_parse(const char *path, const void *bytes, size_t size, struct array *a,
                 struct diag *d) {
    *a = (struct array){0};
    struct array_input in = {path, bytes, size, d};
    const struct format *f = find_format(&in, true);
    return f && f->parse(&in, a);
}

bool array_read(const char *path, struct array *a, struct diag *d) {
    *a = (struct array){0};
    struct array_input in = {.path = path, .diag = d};
    if (!find_format(&in, true))
        return false;
    size_t size;
    char *bytes = file_read(path, &size);
    if (!bytes)
        return array_reject(&in, "cannot read: %s", strerror(errno));
    bool ok = array_parse(path, bytes, size, a, d);
    free(bytes);
    return ok;
}

static void reject_raw_size(const struct array_input *in, const struct array *a, uint64_t need) {
    struct str text = {0};
    array_shape_text(a, &text);
    array_reject(in, "%s %s takes %llu bytes, file has %zu", element_type_name(a->type), text.text,
                 (unsigned long long)need, in->size);
    str_free(&text);
}

bool array_parse_raw(const char *path, const void *bytes, size_t size, struct element_type type,
                     uint32_t ndim, const uint64_t *shape, struct array *a, struct diag *d) {
    struct array_input in = {path, bytes, size, d};
    if (!array_layout(a, type, ndim, shape))
        return array_reject(&in, "the array is larger than 2^40 bytes");
    uint64_t need = a->count * element_bytes(type);
    if (need != size) {
        reject_raw_size(&in, a, need);
        *a = (struct array){0};
        return false;
    }
    array_make(a, type, ndim, shape);
    if (size)
        memcpy(a->data, bytes, size);
    return true;
}

bool array_format(const char *path, const struct array *a, struct str *out, struct diag *d) {
    struct array_input in = {.path = path, .diag = d};
    const struct format *f = find_format(&in, false);
    const char *why;
    if (!f)
        return false;
    if (f->format(a, out, &why))
        return true;
    struct str text = {0};
    array_shape_text(a, &text);
    array_reject(&in, "%s, this is %s %s", why, element_type_name(a->type), text.text);
    str_free(&text);
    return false;
}

bool array_write(const char *path, const struct array *a, struct diag *d) {
    struct array_input in = {.path = path, .diag = d};
    struct str out = {0};
    bool ok = array_format(path, a, &out, d);
    if (ok && !file_write(path, str_text(&out), out.len))
        ok = array_reject(&in, "cannot write: %s", strerror(errno));
    str_free(&out);
    return ok;
}
