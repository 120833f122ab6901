/* SPDX-License-Identifier: MIT
 * Netpbm's grey and colour pictures, plain (P2, P3) and raw (P5, P6); see pgm(5) and ppm(5). */
#include "support/ndarray_formats.h"

#include <string.h>

struct picture {
    const struct ndarray_input *in;
    size_t at; /* next byte */
    bool plain;
    uint64_t samples; /* per pixel: 1 or 3 */
    uint64_t width, height, max;
};

static bool is_space(char character) {
    return character == ' ' || (character >= '\t' && character <= '\r');
}

/* White space and comments, which run from # to the end of the line. */
static void skip_space(struct picture *picture) {
    const struct ndarray_input *in = picture->in;
    for (bool comment = false; picture->at < in->size; picture->at++) {
        char c = in->bytes[picture->at];
        if (c == '#')
            comment = true;
        else if (c == '\n' || c == '\r')
            comment = false;
        else if (!comment && !is_space(c))
            return;
    }
}

/* The next decimal number, which must be at most `limit`. */
static bool read_number(struct picture *picture, const char *what, uint64_t limit,
                        uint64_t *value) {
    const struct ndarray_input *in = picture->in;
    skip_space(picture);
    size_t begin = picture->at;
    if (begin == in->size)
        return ndarray_reject(in, "truncated: the file ends before %s", what);
    for (*value = 0; picture->at < in->size; picture->at++) {
        unsigned digit = (unsigned char)in->bytes[picture->at] - (unsigned)'0';
        if (digit > 9)
            break;
        if (*value <= limit)
            *value = *value * 10 + digit;
    }
    if (picture->at == begin)
        return ndarray_reject_at(in, begin, begin + 1, "expected %s", what);
    if (*value > limit)
        return ndarray_reject_at(in, begin, picture->at, "%s is above %llu", what,
                                 (unsigned long long)limit);
    return true;
}

static bool read_magic(struct picture *picture) {
    const struct ndarray_input *in = picture->in;
    char digit = in->size >= 2 && in->bytes[0] == 'P' ? in->bytes[1] : '\0';
    if (!digit || !strchr("2356", digit))
        return ndarray_reject(in,
                              "not a .pgm or .ppm file: it does not begin with P2, P3, P5 or P6");
    picture->plain = digit < '5';
    picture->samples = digit == '3' || digit == '6' ? 3 : 1;
    picture->at = 2;
    if (in->size > 2 && !is_space(in->bytes[2]) && in->bytes[2] != '#')
        return ndarray_reject_at(in, 2, 3, "expected white space behind P%c", digit);
    return true;
}

/* Width and height are limited so that their product fits. */
static bool read_header(struct picture *picture) {
    size_t begin = 0;
    if (!read_magic(picture) || !read_number(picture, "the width", INT32_MAX, &picture->width) ||
        !read_number(picture, "the height", INT32_MAX, &picture->height))
        return false;
    skip_space(picture);
    begin = picture->at;
    if (!read_number(picture, "the largest value", 65535, &picture->max))
        return false;
    if (!picture->width || !picture->height)
        return ndarray_reject(picture->in, "a picture of %llu x %llu pixels has none",
                              (unsigned long long)picture->width,
                              (unsigned long long)picture->height);
    return picture->max ||
           ndarray_reject_at(picture->in, begin, picture->at, "the largest value is 0");
}

static bool lay_out(const struct picture *picture, struct ndarray *array) {
    struct element_type type = {ELEMENT_UINT, picture->max > 255 ? 16 : 8};
    uint64_t shape[] = {picture->height, picture->width, picture->samples};
    return ndarray_layout(array, type, picture->samples == 3 ? 3 : 2, shape) ||
           ndarray_reject(picture->in, "the picture is larger than 2^40 bytes");
}

static bool read_plain(struct picture *picture, struct ndarray *array) {
    /* A sample takes at least a digit, and white space before it. */
    if (picture->width * picture->height >
        (picture->in->size - picture->at) / (2 * picture->samples))
        return ndarray_reject(picture->in, "truncated: %llu x %llu pixels do not fit into the file",
                              (unsigned long long)picture->width,
                              (unsigned long long)picture->height);
    if (!lay_out(picture, array))
        return false;
    ndarray_make_unset(array, array->type, array->ndim,
                       (uint64_t[]){picture->height, picture->width, picture->samples});
    for (uint64_t i = 0; i < array->count; i++) {
        uint64_t value;
        if (!read_number(picture, "a sample", picture->max, &value))
            return false;
        ndarray_set(array, i, value);
    }
    skip_space(picture);
    return picture->at == picture->in->size ||
           ndarray_reject_at(picture->in, picture->at, picture->at + 1,
                             "something after the last sample");
}

static bool check_samples(const struct picture *picture, const struct ndarray *array) {
    if (ndarray_bits_seen(array, false) <= picture->max)
        return true;
    for (uint64_t i = 0; i < array->count; i++) {
        uint64_t pixel = i / picture->samples;
        if (ndarray_get(array, i) > picture->max)
            return ndarray_reject(picture->in,
                                  "row %llu, column %llu: sample %llu is above the largest "
                                  "value, %llu",
                                  (unsigned long long)(pixel / picture->width),
                                  (unsigned long long)(pixel % picture->width),
                                  (unsigned long long)ndarray_get(array, i),
                                  (unsigned long long)picture->max);
    }
    return true;
}

/* One byte of white space separates header and samples; two-byte samples are big-endian. */
static bool read_raw(struct picture *picture, struct ndarray *array) {
    const struct ndarray_input *in = picture->in;
    if (picture->at < in->size && !is_space(in->bytes[picture->at]))
        return ndarray_reject_at(in, picture->at, picture->at + 1,
                                 "expected white space before the samples");
    size_t have = picture->at < in->size ? in->size - picture->at - 1 : 0;
    uint64_t need = picture->width * picture->height; /* below 2^62 */
    if (need > have)
        return ndarray_reject(in, "truncated: %llu x %llu pixels, file has %zu bytes of samples",
                              (unsigned long long)picture->width,
                              (unsigned long long)picture->height, have);
    need *= picture->samples * (picture->max > 255 ? 2 : 1);
    if (need != have)
        return ndarray_reject(in, "%s: header says %llu bytes of samples, file has %zu",
                              need > have ? "truncated" : "too long", (unsigned long long)need,
                              have);
    if (!lay_out(picture, array))
        return false;
    struct ndarray_input from = *in;
    from.stays = in->stays && picture->max <= 255;
    ndarray_take(&from, picture->at + 1, array);
    if (picture->max > 255)
        ndarray_swap_bytes(array->data, array->count, 2);
    return check_samples(picture, array);
}

bool ndarray_parse_netpbm(const struct ndarray_input *in, struct ndarray *array) {
    struct picture p = {.in = in};
    if (read_header(&p) && (p.plain ? read_plain(&p, array) : read_raw(&p, array)))
        return true;
    ndarray_refuse(in, array);
    return false;
}
