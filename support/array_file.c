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
    bool data_follows; /* as it is, behind what `format` gives */
} formats[] = {
    {".npy", array_parse_npy, array_format_npy, true},
    {".pgm", array_parse_netpbm, array_format_pgm, false},
    {".ppm", array_parse_netpbm, array_format_ppm, false},
    {".csv", array_parse_csv, array_format_csv, false},
    {".txt", array_parse_txt, array_format_txt, false},
    {".raw", NULL, array_format_raw, true},
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

static bool parse(const struct array_input *in, struct array *a) {
    *a = (struct array){0};
    const struct format *f = find_format(in, true);
    return f && f->parse(in, a);
}

bool array_parse(const char *path, const void *bytes, size_t size, struct array *a,
                 struct diag *d) {
    struct array_input in = {path, bytes, size, d, false};
    return parse(&in, a);
}

/* Whether the data is a part of the file. */
static bool lies_in(const struct array *a, const char *bytes, size_t size) {
    return (uintptr_t)a->data - (uintptr_t)bytes < size;
}

/* The array keeps the file that its data is a part of. */
static bool keep_file(struct array *a, struct file_view *file) {
    if (!lies_in(a, file->bytes, file->size))
        return true;
    a->file = *file;
    *file = (struct file_view){0};
    return true;
}

bool array_parse_file(const char *path, struct file_view *file, struct array *a, struct diag *d) {
    struct array_input in = {path, file->bytes, file->size, d, true};
    return parse(&in, a) && keep_file(a, file);
}

bool array_read(const char *path, struct array *a, struct diag *d) {
    *a = (struct array){0};
    struct array_input in = {.path = path, .diag = d};
    if (!find_format(&in, true))
        return false;
    struct file_view file;
    if (!file_view_open(path, &file))
        return array_reject(&in, "cannot read: %s", strerror(errno));
    bool ok = array_parse_file(path, &file, a, d);
    file_view_close(&file);
    return ok;
}

static void reject_raw_size(const struct array_input *in, const struct array *a, uint64_t need) {
    struct str text = {0};
    array_shape_text(a, &text);
    array_reject(in, "%s %s takes %llu bytes, file has %zu", array_type_name(a->type), text.text,
                 (unsigned long long)need, in->size);
    str_free(&text);
}

static bool parse_raw(const struct array_input *in, struct element_type type, uint32_t ndim,
                      const uint64_t *shape, struct array *a) {
    if (!array_layout(a, type, ndim, shape))
        return array_reject(in, "the array is larger than 2^40 bytes");
    uint64_t need = a->count * element_bytes(type);
    if (need != in->size) {
        reject_raw_size(in, a, need);
        *a = (struct array){0};
        return false;
    }
    array_take(in, 0, a);
    return true;
}

bool array_parse_raw(const char *path, const void *bytes, size_t size, struct element_type type,
                     uint32_t ndim, const uint64_t *shape, struct array *a, struct diag *d) {
    struct array_input in = {path, bytes, size, d, false};
    return parse_raw(&in, type, ndim, shape, a);
}

bool array_parse_raw_file(const char *path, struct file_view *file, struct element_type type,
                          uint32_t ndim, const uint64_t *shape, struct array *a, struct diag *d) {
    struct array_input in = {path, file->bytes, file->size, d, true};
    return parse_raw(&in, type, ndim, shape, a) && keep_file(a, file);
}

void array_take(const struct array_input *in, size_t at, struct array *a) {
    struct array view = *a;
    view.data = (unsigned char *)(uintptr_t)(in->bytes + at); /* nobody writes there: array.h */
    *a = in->stays && view.count ? view : array_copy(&view);
}

void array_refuse(const struct array_input *in, struct array *a) {
    if (!lies_in(a, in->bytes, in->size))
        array_free(a);
    *a = (struct array){0};
}

bool array_format_head(const char *path, const struct array *a, struct str *head, uint64_t *follow,
                       struct diag *d) {
    struct array_input in = {.path = path, .diag = d};
    const struct format *f = find_format(&in, false);
    const char *why;
    if (!f)
        return false;
    *follow = f->data_follows ? a->count * element_bytes(a->type) : 0;
    if (f->format(a, head, &why))
        return true;
    struct str text = {0};
    array_shape_text(a, &text);
    array_reject(&in, "%s, this is %s %s", why, array_type_name(a->type), text.text);
    str_free(&text);
    return false;
}

bool array_format(const char *path, const struct array *a, struct str *out, struct diag *d) {
    uint64_t follow;
    if (!array_format_head(path, a, out, &follow, d))
        return false;
    if (follow)
        str_append_n(out, (const char *)a->data, follow);
    return true;
}

bool array_write(const char *path, const struct array *a, struct diag *d) {
    struct array_input in = {.path = path, .diag = d};
    struct str head = {0};
    uint64_t follow;
    bool ok = array_format_head(path, a, &head, &follow, d);
    if (ok && !file_write_parts(path, str_text(&head), head.len, a->data, follow))
        ok = array_reject(&in, "cannot write: %s", strerror(errno));
    str_free(&head);
    return ok;
}
