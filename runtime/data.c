/* SPDX-License-Identifier: MIT
 * Data as text, which --in and --expect of mpu-run give as well: files, numbers, generators. */
#include "runtime/internal.h"

#include "support/alloc.h"
#include "support/bits.h"
#include "support/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- values that are no files ---- */

static bool is_generator(const char *value) {
    return strcmp(value, "zeros") == 0 || strcmp(value, "iota") == 0 ||
           strncmp(value, "random:", 7) == 0;
}

/* "1,2,-3": digits, signs, commas, and the letters of 0x, 0b and 0o. */
static bool is_numbers(const char *value) {
    bool starts = (value[0] >= '0' && value[0] <= '9') ||
                  ((value[0] == '-' || value[0] == '+') && value[1] >= '0' && value[1] <= '9');
    return starts && value[strspn(value, "0123456789abcdefABCDEFxXoO_,+- ")] == '\0';
}

static bool has_suffix(const char *path, const char *suffix) {
    size_t n = strlen(path), k = strlen(suffix);
    return n >= k && strcmp(path + n - k, suffix) == 0;
}

bool data_has_shape(const char *value) {
    return !is_generator(value) && !has_suffix(value, ".raw");
}

bool data_is_file(const char *value) {
    return !is_generator(value) && !is_numbers(value);
}

/* A number as a signed or an unsigned pattern. */
static bool one_number(const char *text, size_t n, uint64_t *pattern, bool *negative) {
    int64_t value;
    *negative = n && text[0] == '-';
    if (n && text[0] == '+')
        text++, n--;
    if (!*negative)
        return number_parse_u64(text, n, pattern);
    bool ok = number_parse_i64(text, n, &value);
    *pattern = (uint64_t)value;
    return ok;
}

struct data_numbers {
    VEC(uint64_t) values;
    bool some_negative, some_large; /* large: above INT64_MAX */
};

static bool read_numbers(const char *text, struct data_numbers *out) {
    for (;;) {
        size_t n = strcspn(text, ",");
        uint64_t pattern;
        bool negative;
        if (!one_number(text, n, &pattern, &negative))
            return false;
        out->some_negative |= negative;
        out->some_large |= !negative && pattern > INT64_MAX;
        vec_push(&out->values, pattern);
        if (!text[n])
            return true;
        text += n + 1;
    }
}

static mpu_result numbers_array(const char *name, const char *value, struct ndarray *array,
                                struct diag *diag) {
    struct data_numbers x = {0};
    mpu_result r = MPU_REJECTED;
    if (!read_numbers(value, &x)) {
        diag_error(diag, NO_SPAN, "'%s' for '%s' is not a list of integers", value, name);
        diag_note(diag, NO_SPAN, "a file of that name is written ./%s", value);
    } else if (x.some_negative && x.some_large) {
        diag_error(diag, NO_SPAN, "the numbers for '%s' fit neither 64 signed nor 64 unsigned bits",
                   name);
    } else {
        uint64_t count = x.values.len;
        struct element_type t = {x.some_large ? ELEMENT_UINT : ELEMENT_INT, 64};
        if (ndarray_make(array, t, count == 1 ? 0 : 1, &count)) {
            memcpy(array->data, x.values.data, (size_t)count * 8);
            r = MPU_OK;
        }
    }
    vec_free(&x.values);
    return r;
}

/* ---- generators ---- */

struct random_range {
    uint64_t seed, low, span; /* values low .. low + span; as patterns */
    bool given;
};

/* "SEED" or "SEED:LO..HI". */
static bool parse_random(const char *text, struct random_range *range) {
    const char *colon = strchr(text, ':'), *dots = colon ? strstr(colon, "..") : NULL;
    int64_t low, high;
    *range = (struct random_range){0};
    if (!number_parse_u64(text, colon ? (size_t)(colon - text) : strlen(text), &range->seed))
        return false;
    if (!colon)
        return true;
    if (!dots || !number_parse_i64(colon + 1, (size_t)(dots - colon - 1), &low) ||
        !number_parse_i64(dots + 2, strlen(dots + 2), &high) || low > high)
        return false;
    range->given = true;
    range->low = (uint64_t)low;
    range->span = (uint64_t)high - (uint64_t)low;
    return true;
}

static uint64_t random_value(struct random_range *range, struct element_type type) {
    uint64_t x = splitmix64(&range->seed);
    if (range->given)
        return range->low + (range->span == UINT64_MAX ? x : x % (range->span + 1));
    if (type.kind == ELEMENT_BOOL)
        return x & 1;
    return type.kind == ELEMENT_INT ? (uint64_t)sign_extend(x, type.bits) : x & low_bits(type.bits);
}

/* Element `index` of an array of 64-bit elements. */
static inline void set_word(struct ndarray *array, uint64_t index, uint64_t value) {
    memcpy(array->data + 8 * index, &value, 8);
}

/* Elements are made as 64-bit numbers, so that one that does not fit is reported, not cut. */
static mpu_result generate(const char *name, const char *value, const struct ndarray *like,
                           struct ndarray *array, struct diag *diag) {
    struct element_type wide = {ELEMENT_INT, 64};
    struct random_range r = {0};
    bool random = strncmp(value, "random:", 7) == 0;
    if (random && !parse_random(value + 7, &r)) {
        diag_error(diag, NO_SPAN,
                   "'%s' for '%s' is not of the form random:SEED or random:SEED:LO..HI", value,
                   name);
        return MPU_USAGE;
    }
    if (like->type.kind == ELEMENT_UINT && like->type.bits == 64 && !r.given)
        wide.kind = ELEMENT_UINT;
    if (!ndarray_make(array, wide, like->ndim, like->shape)) {
        diag_error(diag, NO_SPAN, "'%s' is too large for an array", name);
        return MPU_REJECTED;
    }
    for (uint64_t i = 0; random && i < array->count; i++)
        set_word(array, i, random_value(&r, like->type));
    for (uint64_t i = 0; value[0] == 'i' && i < array->count; i++)
        set_word(array, i, i);
    return MPU_OK;
}

/* ---- files ---- */

bool data_suffix_known(const char *path, struct diag *diag) {
    static const char *const suffixes[] = {".npy", ".pgm", ".ppm", ".csv", ".txt", ".raw"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcasecmp(dot, suffixes[i]) == 0)
            return true;
    diag_error(diag, NO_SPAN,
               "cannot tell the format of '%s': the name ends in none of .npy .pgm .ppm .csv .txt "
               ".raw",
               path);
    return false;
}

static mpu_result parse_file(const char *path, struct file_view *file, const struct ndarray *like,
                             struct ndarray *array, struct diag *diag) {
    uint64_t all = like ? file->size / (like->type.bits / 8u) : 0;
    bool whole = like && like->ndim == 1 && like->shape[0] == 0; /* as long as the file */
    bool ok = has_suffix(path, ".raw") && like
                  ? ndarray_parse_raw_file(path, file, like->type, like->ndim,
                                           whole ? &all : like->shape, array, diag)
                  : ndarray_parse_file(path, file, array, diag);
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

static mpu_result read_file(const char *path, const struct ndarray *like, struct data_source *from,
                            struct ndarray *array, struct diag *diag) {
    struct file_view file;
    if (!file_view_open(path, &file)) {
        diag_error(diag, NO_SPAN, "cannot read '%s': %s", path, strerror(errno));
        return MPU_FILE;
    }
    if (from->hash)
        sha256_hex(file.bytes, file.size, from->sha256);
    from->form = is_text(path, &file) ? FORM_TEXT : FORM_TYPED;
    mpu_result r = is_stream(path) || data_suffix_known(path, diag)
                       ? parse_file(path, &file, like, array, diag)
                       : MPU_REJECTED;
    file_view_close(&file);
    return r;
}

mpu_result data_read(const char *name, const char *value, const struct ndarray *like, bool hash,
                     struct data_source *from, struct ndarray *array, struct diag *diag) {
    *from = (struct data_source){.form = FORM_TEXT, .name = value, .hash = hash};
    *array = (struct ndarray){0};
    if (!like && !data_has_shape(value)) {
        diag_error(diag, NO_SPAN, "'%s' has no shape of its own", value);
        return MPU_REJECTED;
    }
    if (is_generator(value))
        return generate(name, value, like, array, diag);
    if (is_numbers(value))
        return numbers_array(name, value, array, diag);
    return read_file(value, like, from, array, diag);
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

static mpu_result put_read(mpu_session *session, const char *name, const char *data,
                           const struct ndarray *like, uint64_t *count, struct diag *diag) {
    struct data_source from;
    struct ndarray a;
    mpu_result r = data_read(name, data, like, !session->config.unhashed, &from, &a, diag);
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
    if (is_generator(data))
        like.type = held; /* random draws from what an element holds */
    if (has_suffix(data, ".raw") && object_find_variable(session->object, name) == NO_INDEX &&
        object_find_value(session->object, name) == NO_INDEX)
        like.shape[0] = 0;
    return r == MPU_OK ? put_read(session, name, data, &like, count, diag) : r;
}

mpu_result session_put_data_diag(mpu_session *session, const char *name, const char *data,
                                 uint64_t *count, struct diag *diag) {
    return data_has_shape(data) ? put_read(session, name, data, NULL, count, diag)
                                : put_shaped(session, name, data, count, diag);
}

/* ---- the public functions ---- */

int mpu_data_has_shape(const char *data) {
    return data_has_shape(data);
}

int mpu_data_is_file(const char *data) {
    return data_is_file(data);
}

mpu_result mpu_data_check_path(const char *path, mpu_messages *messages, mpu_error **error) {
    struct public_call c;
    public_call_begin(&c, messages, error);
    return public_call_end(&c, data_suffix_known(path, c.d) ? MPU_OK : MPU_REJECTED);
}

mpu_result mpu_session_put_data(mpu_session *session, const char *name, const char *data,
                                uint64_t *count, mpu_error **error) {
    struct public_call c;
    uint64_t elements = 0;
    public_call_begin(&c, session->messages, error);
    mpu_result r = session_put_data_diag(session, name, data, &elements, c.d);
    if (count)
        *count = elements;
    return public_call_end(&c, r);
}

/* Takes what was read; the API has no floats, and no data that lie in files. */
static mpu_result give_array(const char *data, struct ndarray *from, mpu_array *to,
                             struct diag *diag) {
    if (from->type.kind == ELEMENT_FLOAT) {
        diag_error(diag, NO_SPAN, "'%s' holds %s; arrays are of integers", data,
                   ndarray_type_name(from->type));
        return MPU_REJECTED;
    }
    struct ndarray own = ndarray_copy(from);
    *to = public_array(&own);
    return MPU_OK;
}

mpu_result mpu_array_read(const char *data, const mpu_array *like, mpu_array *array,
                          mpu_error **error) {
    struct public_call c;
    struct data_source from;
    struct ndarray shape, read = {0};
    mpu_result r = MPU_USAGE;
    public_call_begin(&c, NULL, error);
    if (like && !public_array_borrow(like, true, &shape))
        diag_error(c.d, NO_SPAN, "the array that '%s' is to be like has no valid type or shape",
                   data);
    else
        r = data_read(data, data, like ? &shape : NULL, false, &from, &read, c.d);
    if (r == MPU_OK)
        r = give_array(data, &read, array, c.d);
    ndarray_free(&read);
    return public_call_end(&c, r);
}

mpu_result mpu_array_write(const mpu_array *array, const char *path, mpu_error **error) {
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
