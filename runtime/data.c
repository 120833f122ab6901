/* SPDX-License-Identifier: MIT
 * Data as text, which --in and --expect of mpu-run give as well: files, numbers, generators. */
#include "runtime/data_values.h"
#include "runtime/room.h"
#include "runtime/transfer.h"

#include "support/alloc.h"
#include "support/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool has_suffix(const char *path, const char *suffix) {
    size_t n = strlen(path), k = strlen(suffix);
    return n >= k && strcmp(path + n - k, suffix) == 0;
}

bool data_has_shape(const char *value) {
    return !data_is_generator(value) && !has_suffix(value, ".raw");
}

bool data_is_file(const char *value) {
    return !data_is_generator(value) && !data_is_numbers(value);
}

/* ---- files ---- */

bool data_has_suffix(const char *path) {
    static const char *const suffixes[] = {".npy", ".pgm", ".ppm", ".csv", ".txt", ".raw"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcasecmp(dot, suffixes[i]) == 0)
            return true;
    return false;
}

/* False after reporting that files of that name hold no arrays. */
static bool data_suffix_known(const char *path, struct diag *diag) {
    if (data_has_suffix(path))
        return true;
    diag_error(diag, NO_SPAN,
               "cannot tell the format of '%s': the name ends in none of .npy .pgm .ppm .csv .txt "
               ".raw",
               path);
    return false;
}

static mpu_result parse_file(const struct data_wish *wish, struct file_view *file,
                             struct ndarray *array, struct diag *diag) {
    const struct ndarray *like = wish->like;
    const char *path = wish->data;
    uint64_t all = like ? file->size / (like->type.bits / 8u) : 0;
    bool whole = like && like->ndim == 1 && like->shape[0] == 0; /* as long as the file */
    bool ok = has_suffix(path, ".raw") && like
                  ? ndarray_parse_raw_file(path, file, like->type, like->ndim,
                                           whole ? &all : like->shape, array, diag)
                  : ndarray_parse_file_as(path, file, wish->real, array, diag);
    return ok ? MPU_OK : MPU_REJECTED;
}

/* Standard input has no suffix; what it holds says what it is. */
static bool is_stream(const char *path) {
    return strcmp(path, "-") == 0;
}

static bool is_text(const char *path, const struct file_view *file) {
    return is_stream(path) ? strcmp(file_kind(file->bytes, file->size), "a NumPy array") != 0 &&
                                 strcmp(file_kind(file->bytes, file->size), "a picture") != 0
                           : has_suffix(path, ".csv") || has_suffix(path, ".txt");
}

/* No file has that name, and a word that makes elements is near to it. */
static void note_generator(const struct data_wish *wish, struct diag *diag) {
    static const char *const words[] = {"zeros", "iota", "random"};
    const char *near = nearest_name(wish->data, words, sizeof words / sizeof *words);
    if (strncasecmp(wish->data, "rand", 4) == 0)
        near = "random";
    if (near && strcmp(near, "random") == 0)
        diag_note(diag, NO_SPAN,
                  "random elements are made from a seed: `%s=random:1`, or `%s=random:1:0..9` "
                  "within a range",
                  wish->name, wish->name);
    else if (near)
        diag_note(diag, NO_SPAN, "did you mean '%s'?", near);
}

static mpu_result read_file(const struct data_wish *wish, struct data_source *from,
                            struct ndarray *array, struct diag *diag) {
    const char *path = wish->data;
    struct file_view file;
    if (!file_view_open(path, &file)) {
        diag_error(diag, NO_SPAN, "cannot read '%s': %s", path, strerror(errno));
        note_generator(wish, diag);
        return MPU_FILE;
    }
    if (from->hash)
        sha256_hex(file.bytes, file.size, from->sha256);
    from->form = is_text(path, &file) ? FORM_TEXT : FORM_TYPED;
    mpu_result r = is_stream(path) || data_suffix_known(path, diag)
                       ? parse_file(wish, &file, array, diag)
                       : MPU_REJECTED;
    file_view_close(&file);
    return r;
}

mpu_result data_read(const struct data_wish *wish, struct data_source *from, struct ndarray *array,
                     struct diag *diag) {
    *from = (struct data_source){.form = FORM_TEXT, .name = wish->data, .hash = wish->hash};
    *array = (struct ndarray){0};
    if (!wish->like && !data_has_shape(wish->data)) {
        diag_error(diag, NO_SPAN, "'%s' has no shape of its own", wish->data);
        return MPU_REJECTED;
    }
    if (data_is_generator(wish->data))
        return data_generate(wish, array, diag);
    if (data_is_numbers(wish->data))
        return data_numbers_array(wish, array, diag);
    return read_file(wish, from, array, diag);
}

mpu_result data_save(const char *path, const struct ndarray *array, uint64_t *bytes,
                     struct diag *diag) {
    struct str head = {0};
    uint64_t follow = 0;
    if (!ndarray_format_head(path, array, &head, &follow, diag)) {
        str_free(&head);
        return MPU_REJECTED;
    }
    *bytes = head.len + follow;
    bool written = file_write_parts(path, str_text(&head), head.len, array->data, follow);
    if (!written)
        diag_error(diag, NO_SPAN, "cannot write '%s': %s", path, strerror(errno));
    str_free(&head);
    return written ? MPU_OK : MPU_FILE;
}

/* ---- into a session ---- */

/* Bytes of the arrays that wait for their sizes. */
static uint64_t waiting(const mpu_session *session) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < session->pending.len; i++) {
        const struct ndarray *a = &session->pending.data[i].values;
        bytes += a->borrowed ? 0 : a->count * (a->type.bits / 8u);
    }
    return bytes;
}

static mpu_result put_read(mpu_session *session, const char *name, const char *data,
                           const struct ndarray *like, uint64_t *count, struct diag *diag) {
    struct data_wish wish = {.name = name,
                             .data = data,
                             .like = like,
                             .real = session_real_type(session, name),
                             .held = waiting(session),
                             .hash = !session->config.unhashed};
    struct data_source from;
    struct ndarray a;
    mpu_result r = data_read(&wish, &from, &a, diag);
    *count = a.count;
    if (r == MPU_OK)
        r = session_put_diag(session, name, &a, &from, diag);
    ndarray_free(&a);
    return r;
}

static mpu_result put_shaped(mpu_session *session, const char *name, const char *data,
                             uint64_t *count, struct diag *diag) {
    struct ndarray like = {0};
    struct element_type held = {ELEMENT_UINT, 0};
    mpu_result r = session_shape_diag(session, name, &like, &held, diag);
    if (data_is_generator(data))
        like.type = held; /* random draws from what an element holds */
    if (has_suffix(data, ".raw") && object_find_variable(session->object, name) == NO_INDEX &&
        object_find_value(session->object, name) == NO_INDEX)
        like.shape[0] = 0;
    return r == MPU_OK ? put_read(session, name, data, &like, count, diag) : r;
}

static mpu_result session_put_data_diag(mpu_session *session, const char *name, const char *data,
                                        uint64_t *count, struct diag *diag) {
    return data_has_shape(data) ? put_read(session, name, data, NULL, count, diag)
                                : put_shaped(session, name, data, count, diag);
}

/* ---- the public functions ---- */

int mpu_data_has_shape(const char *data) {
    PUBLIC_ENTRY(NULL, 0);
    return data_has_shape(data);
}

int mpu_data_is_file(const char *data) {
    PUBLIC_ENTRY(NULL, 0);
    return data_is_file(data);
}

mpu_result mpu_data_check_path(const char *path, mpu_messages *messages, mpu_error **error) {
    PUBLIC_ENTRY(error, MPU_CAPACITY);
    struct public_call c;
    public_call_begin(&c, messages, error);
    return public_call_end(&c, data_suffix_known(path, c.d) ? MPU_OK : MPU_REJECTED);
}

mpu_result mpu_session_put_data(mpu_session *session, const char *name, const char *data,
                                uint64_t *count, mpu_error **error) {
    PUBLIC_ENTRY_OF(session, error, MPU_CAPACITY);
    struct public_call c;
    uint64_t elements = 0;
    public_call_begin(&c, session->messages, error);
    mpu_result r = session_put_data_diag(session, name, data, &elements, c.d);
    if (count)
        *count = elements;
    return public_call_end(&c, r);
}

mpu_result mpu_array_read(const char *data, const mpu_array *like, mpu_array *array,
                          mpu_error **error) {
    PUBLIC_ENTRY(error, MPU_CAPACITY);
    struct public_call c;
    struct data_source from;
    struct ndarray shape = {0}, read = {0}, own;
    struct data_wish wish = {.name = data, .data = data, .like = like ? &shape : NULL};
    mpu_result r = MPU_USAGE;
    public_call_begin(&c, NULL, error);
    bool valid = !like || public_array_borrow(like, true, &shape);
    if (element_is_float(shape.type))
        wish.real = shape.type;
    if (!valid)
        diag_error(c.d, NO_SPAN, "the array that '%s' is to be like has no valid type or shape",
                   data);
    else
        r = data_read(&wish, &from, &read, c.d);
    if (r == MPU_OK)
        own = ndarray_copy(&read); /* not a part of a file */
    if (r == MPU_OK)
        *array = public_array(&own);
    ndarray_free(&read);
    return public_call_end(&c, r);
}

mpu_result mpu_array_write(const mpu_array *array, const char *path, mpu_error **error) {
    PUBLIC_ENTRY(error, MPU_CAPACITY);
    struct public_call c;
    struct ndarray values;
    uint64_t bytes;
    mpu_result r = MPU_USAGE;
    public_call_begin(&c, NULL, error);
    if (!public_array_borrow(array, false, &values))
        diag_error(c.d, NO_SPAN, "the array for '%s' has no valid type, shape or data", path);
    else
        r = data_save(path, &values, &bytes, c.d);
    return public_call_end(&c, r);
}
