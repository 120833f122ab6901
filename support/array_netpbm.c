/* SPDX-License-Identifier: MIT
 * Netpbm's grey and colour pictures, plain (P2, P3) and raw (P5, P6); see pgm(5) and ppm(5). */
#include "support/array_formats.h"

#include <string.h>

struct picture {
    const struct array_input *in;
    size_t at; /* next byte */
    bool plain;
    uint64_t samples; /* per pixel: 1 or 3 */
    uint64_t width, height, max;
};

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* White space and comments, which run from # to the end of the line. */
static void skip_space(struct picture *p) {
    const struct array_input *in = p->in;
    for (bool comment = false; p->at < in->size; p->at++) {
        char c = in->bytes[p->at];
        if (c == '#')
            comment = true;
        else if (c == '\n' || c == '\r')
            comment = false;
        else if (!comment && !is_space(c))
            return;
    }
}

/* The next decimal number, which must be at most `limit`. */
static bool read_number(struct picture *p, const char *what, uint64_t limit, uint64_t *value) {
    const struct array_input *in = p->in;
    skip_space(p);
    size_t begin = p->at;
    if (begin == in->size)
        return array_reject(in, "truncated: the file ends before %s", what);
    for (*value = 0; p->at < in->size; p->at++) {
        unsigned digit = (unsigned char)in->bytes[p->at] - (unsigned)'0';
        if (digit > 9)
            break;
        if (*value <= limit)
            *value = *value * 10 + digit;
    }
    if (p->at == begin)
        return array_reject_at(in, begin, begin + 1, "expected %s", what);
    if (*value > limit)
        return array_reject_at(in, begin, p->at, "%s is above %llu", what,
                               (unsigned long long)limit);
    return true;
}

static bool read_magic(struct picture *p) {
    const struct array_input *in = p->in;
    char digit = in->size >= 2 && in->bytes[0] == 'P' ? in->bytes[1] : '\0';
    if (!digit || !strchr("2356", digit))
        return array_reject(in, "not a .pgm or .ppm file: it does not begin with P2, P3, P5 or P6");
    p->plain = digit < '5';
    p->samples = digit == '3' || digit == '6' ? 3 : 1;
    p->at = 2;
    if (in->size > 2 && !is_space(in->bytes[2]) && in->bytes[2] != '#')
        return array_reject_at(in, 2, 3, "expected white space behind P%c", digit);
    return true;
}

/* Width and height are limited so that their product fits. */
static bool read_header(struct picture *p) {
    size_t begin = 0;
    if (!read_magic(p) || !read_number(p, "the width", INT32_MAX, &p->width) ||
        !read_number(p, "the height", INT32_MAX, &p->height))
        return false;
    skip_space(p);
    begin = p->at;
    if (!read_number(p, "the largest value", 65535, &p->max))
        return false;
    if (!p->width || !p->height)
        return array_reject(p->in, "a picture of %llu x %llu pixels has none",
                            (unsigned long long)p->width, (unsigned long long)p->height);
    return p->max || array_reject_at(p->in, begin, p->at, "the largest value is 0");
}

static bool lay_out(const struct picture *p, struct array *a) {
    struct element_type type = {ELEMENT_UINT, p->max > 255 ? 16 : 8};
    uint64_t shape[] = {p->height, p->width, p->samples};
    return array_layout(a, type, p->samples == 3 ? 3 : 2, shape) ||
           array_reject(p->in, "the picture is larger than 2^40 bytes");
}

static bool read_plain(struct picture *p, struct array *a) {
    /* A sample takes at least a digit, and white space before it. */
    if (p->width * p->height > (p->in->size - p->at) / (2 * p->samples))
        return array_reject(p->in, "truncated: %llu x %llu pixels do not fit into the file",
                            (unsigned long long)p->width, (unsigned long long)p->height);
    if (!lay_out(p, a))
        return false;
    array_make_unset(a, a->type, a->ndim, (uint64_t[]){p->height, p->width, p->samples});
    for (uint64_t i = 0; i < a->count; i++) {
        uint64_t value;
        if (!read_number(p, "a sample", p->max, &value))
            return false;
        array_set(a, i, value);
    }
    skip_space(p);
    return p->at == p->in->size ||
           array_reject_at(p->in, p->at, p->at + 1, "something after the last sample");
}

static bool check_samples(const struct picture *p, const struct array *a) {
    if (array_bits_seen(a, false) <= p->max)
        return true;
    for (uint64_t i = 0; i < a->count; i++) {
        uint64_t pixel = i / p->samples;
        if (array_get(a, i) > p->max)
            return array_reject(p->in,
                                "row %llu, column %llu: sample %llu is above the largest "
                                "value, %llu",
                                (unsigned long long)(pixel / p->width),
                                (unsigned long long)(pixel % p->width),
                                (unsigned long long)array_get(a, i), (unsigned long long)p->max);
    }
    return true;
}

/* One byte of white space separates header and samples; two-byte samples are big-endian. */
static bool read_raw(struct picture *p, struct array *a) {
    const struct array_input *in = p->in;
    if (p->at < in->size && !is_space(in->bytes[p->at]))
        return array_reject_at(in, p->at, p->at + 1, "expected white space before the samples");
    size_t have = p->at < in->size ? in->size - p->at - 1 : 0;
    uint64_t need = p->width * p->height; /* below 2^62 */
    if (need > have)
        return array_reject(in, "truncated: %llu x %llu pixels, file has %zu bytes of samples",
                            (unsigned long long)p->width, (unsigned long long)p->height, have);
    need *= p->samples * (p->max > 255 ? 2 : 1);
    if (need != have)
        return array_reject(in, "%s: header says %llu bytes of samples, file has %zu",
                            need > have ? "truncated" : "too long", (unsigned long long)need, have);
    if (!lay_out(p, a))
        return false;
    struct array_input from = *in;
    from.stays = in->stays && p->max <= 255;
    array_take(&from, p->at + 1, a);
    if (p->max > 255)
        array_swap_bytes(a->data, a->count, 2);
    return check_samples(p, a);
}

bool array_parse_netpbm(const struct array_input *in, struct array *a) {
    struct picture p = {.in = in};
    if (read_header(&p) && (p.plain ? read_plain(&p, a) : read_raw(&p, a)))
        return true;
    array_refuse(in, a);
    return false;
}
