/* SPDX-License-Identifier: MIT
 * From a file's suffix to its reader and writer. */
#include "support/ndarray_formats.h"
#include "support/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct format {
    const char *suffix;
    bool (*parse)(const struct ndarray_input *in, struct ndarray *a); /* NULL: needs a type */
    bool (*format)(const struct ndarray *a, struct str *out, const char **why);
    bool data_follows; /* as it is, behind what `format` gives */
} formats[] = {
    {".npy", ndarray_parse_npy, ndarray_format_npy, true},
    {".pgm", ndarray_parse_netpbm, ndarray_format_pgm, false},
    {".ppm", ndarray_parse_netpbm, ndarray_format_ppm, false},
    {".csv", ndarray_parse_csv, ndarray_format_csv, false},
    {".txt", ndarray_parse_txt, ndarray_format_txt, false},
    {".raw", NULL, ndarray_format_raw, true},
};

bool ndarray_reject_at(const struct ndarray_input *in, size_t begin, size_t end, const char *format,
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

bool ndarray_reject(const struct ndarray_input *in, const char *format, ...) {
    struct span at = {diag_source(in->diag, in->path, NULL, 0), 0, 0};
    va_list args;
    va_start(args, format);
    diag_verror(in->diag, at, format, args);
    va_end(args);
    return false;
}

/* What standard input holds: it has no suffix, and its first bytes or a comma tell. */
static const char *suffix_of_stream(const struct ndarray_input *in) {
    const char *kind = file_kind(in->bytes, in->size);
    if (strcmp(kind, "a NumPy array") == 0)
        return ".npy";
    if (strcmp(kind, "a picture") == 0)
        return ".pgm";
    return in->size && memchr(in->bytes, ',', in->size) ? ".csv" : ".txt";
}

/* The format of a path, or NULL after reporting. */
static const struct format *find_format(const struct ndarray_input *in, bool reading) {
    bool stream = reading && in->stream;
    const char *path = stream ? suffix_of_stream(in) : in->path;
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t n = strlen(formats[i].suffix);
        bool usable = !reading || formats[i].parse;
        if (usable && len >= n + !stream && strcasecmp(path + len - n, formats[i].suffix) == 0)
            return &formats[i];
    }
    ndarray_reject(in, "cannot tell the format by the name: %s are %s",
                   reading ? ".npy, .pgm, .ppm, .csv and .txt"
                           : ".npy, .pgm, .ppm, .csv, .txt and "
                             ".raw",
                   reading ? "read" : "written");
    return NULL;
}

static bool parse(const struct ndarray_input *in, struct ndarray *array) {
    *array = (struct ndarray){0};
    const struct format *f = find_format(in, true);
    return f && f->parse(in, array);
}

bool ndarray_parse(const char *path, const void *bytes, size_t size, struct ndarray *array,
                   struct diag *diag) {
    struct ndarray_input in = {.path = path, .bytes = bytes, .size = size, .diag = diag};
    return parse(&in, array);
}

/* Whether the data is a part of the file. */
static bool lies_in(const struct ndarray *array, const char *bytes, size_t size) {
    return (uintptr_t)array->data - (uintptr_t)bytes < size;
}

/* The array keeps the file that its data is a part of. */
static bool keep_file(struct ndarray *array, struct file_view *file) {
    if (!lies_in(array, file->bytes, file->size))
        return true;
    array->file = *file;
    *file = (struct file_view){0};
    return true;
}

bool ndarray_parse_file_as(const char *path, struct file_view *file, struct element_type real,
                           struct ndarray *array, struct diag *diag) {
    bool stream = strcmp(path, "-") == 0;
    struct ndarray_input in = {.path = stream ? "<stdin>" : path,
                               .bytes = file->bytes,
                               .size = file->size,
                               .diag = diag,
                               .real = real,
                               .stays = true,
                               .stream = stream};
    return parse(&in, array) && keep_file(array, file);
}

bool ndarray_read(const char *path, struct ndarray *array, struct diag *diag) {
    *array = (struct ndarray){0};
    struct ndarray_input in = {.path = path, .diag = diag};
    if (!find_format(&in, true))
        return false;
    struct file_view file;
    if (!file_view_open(path, &file))
        return ndarray_reject(&in, "cannot read: %s", strerror(errno));
    bool ok =
        ndarray_parse_file_as(path, &file, (struct element_type){ELEMENT_FLOAT, 0}, array, diag);
    file_view_close(&file);
    return ok;
}

static void reject_raw_size(const struct ndarray_input *in, const struct ndarray *array,
                            uint64_t need) {
    struct str text = {0};
    ndarray_shape_text(array, &text);
    ndarray_reject(in, "%s %s takes %llu bytes, file has %zu", ndarray_type_name(array->type),
                   text.text, (unsigned long long)need, in->size);
    str_free(&text);
}

static bool parse_raw(const struct ndarray_input *in, struct element_type type, uint32_t ndim,
                      const uint64_t *shape, struct ndarray *array) {
    if (!ndarray_layout(array, type, ndim, shape))
        return ndarray_reject(in, "the array is larger than 2^40 bytes");
    uint64_t need = array->count * element_bytes(type);
    if (need != in->size) {
        reject_raw_size(in, array, need);
        *array = (struct ndarray){0};
        return false;
    }
    ndarray_take(in, 0, array);
    return true;
}

bool ndarray_parse_raw(const char *path, const void *bytes, size_t size, struct element_type type,
                       uint32_t ndim, const uint64_t *shape, struct ndarray *array,
                       struct diag *diag) {
    struct ndarray_input in = {.path = path, .bytes = bytes, .size = size, .diag = diag};
    return parse_raw(&in, type, ndim, shape, array);
}

bool ndarray_parse_raw_file(const char *path, struct file_view *file, struct element_type type,
                            uint32_t ndim, const uint64_t *shape, struct ndarray *array,
                            struct diag *diag) {
    struct ndarray_input in = {
        .path = path, .bytes = file->bytes, .size = file->size, .diag = diag, .stays = true};
    return parse_raw(&in, type, ndim, shape, array) && keep_file(array, file);
}

void ndarray_take(const struct ndarray_input *in, size_t at, struct ndarray *array) {
    struct ndarray view = *array;
    view.data = (unsigned char *)(uintptr_t)(in->bytes + at); /* nobody writes there: array.h */
    *array = in->stays && view.count ? view : ndarray_copy(&view);
}

void ndarray_refuse(const struct ndarray_input *in, struct ndarray *array) {
    if (!lies_in(array, in->bytes, in->size))
        ndarray_free(array);
    *array = (struct ndarray){0};
}

bool ndarray_format_head(const char *path, const struct ndarray *array, struct str *head,
                         uint64_t *follow, struct diag *diag) {
    struct ndarray_input in = {.path = path, .diag = diag};
    const struct format *f = find_format(&in, false);
    const char *why;
    if (!f)
        return false;
    *follow = f->data_follows ? array->count * element_bytes(array->type) : 0;
    if (f->format(array, head, &why))
        return true;
    struct str text = {0};
    ndarray_shape_text(array, &text);
    ndarray_reject(&in, "%s, this is %s %s", why, ndarray_type_name(array->type), text.text);
    str_free(&text);
    return false;
}

bool ndarray_format(const char *path, const struct ndarray *array, struct str *out,
                    struct diag *diag) {
    uint64_t follow;
    if (!ndarray_format_head(path, array, out, &follow, diag))
        return false;
    if (follow)
        str_append_n(out, (const char *)array->data, follow);
    return true;
}

bool ndarray_write(const char *path, const struct ndarray *array, struct diag *diag) {
    struct ndarray_input in = {.path = path, .diag = diag};
    struct str head = {0};
    uint64_t follow;
    bool ok = ndarray_format_head(path, array, &head, &follow, diag);
    if (ok && !file_write_parts(path, str_text(&head), head.len, array->data, follow))
        ok = ndarray_reject(&in, "cannot write: %s", strerror(errno));
    str_free(&head);
    return ok;
}
