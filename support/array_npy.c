/* SPDX-License-Identifier: MIT
 * NumPy's .npy, versions 1.0, 2.0 and 3.0 (numpy.lib.format): magic, version, length of the header,
 * the header (a Python dict of three literals), the data. */
#include "support/array_formats.h"

#include <string.h>

struct header {
    struct array_input text; /* the header alone, so that messages can show it */
    size_t at;
    struct element_type type;
    bool big_endian, fortran;
    bool has_descr, has_order, has_shape;
    uint32_t ndim;
    uint64_t shape[ARRAY_MAX_DIMS];
};

struct header_token {
    size_t begin, end; /* bytes of the header */
};

static bool reject_token(const struct header *h, struct header_token t, const char *what) {
    return array_reject_at(&h->text, t.begin, t.end, "%s in the .npy header", what);
}

static void skip_blanks(struct header *h) {
    while (h->at < h->text.size && strchr(" \t\r\n", h->text.bytes[h->at]) && h->text.bytes[h->at])
        h->at++;
}

static bool accept(struct header *h, char c) {
    skip_blanks(h);
    if (h->at == h->text.size || h->text.bytes[h->at] != c)
        return false;
    h->at++;
    return true;
}

static bool expect(struct header *h, char c) {
    char what[] = "expected '?'";
    what[10] = c;
    return accept(h, c) || reject_token(h, (struct header_token){h->at, h->at + 1}, what);
}

/* A quoted string; *t is what stands between the quotes. */
static bool read_string(struct header *h, struct header_token *t) {
    skip_blanks(h);
    size_t begin = h->at;
    char quote = begin < h->text.size ? h->text.bytes[begin] : '\0';
    if (quote != '\'' && quote != '"')
        return reject_token(h, (struct header_token){begin, begin + 1}, "expected a quoted name");
    const char *end = memchr(h->text.bytes + begin + 1, quote, h->text.size - begin - 1);
    if (!end)
        return reject_token(h, (struct header_token){begin, h->text.size}, "unterminated string");
    *t = (struct header_token){begin + 1, (size_t)(end - h->text.bytes)};
    h->at = t->end + 1;
    return true;
}

static bool token_is(const struct header *h, struct header_token t, const char *text) {
    return t.end - t.begin == strlen(text) &&
           memcmp(h->text.bytes + t.begin, text, t.end - t.begin) == 0;
}

/* Letters as NumPy has them: kind, then the size in bytes. */
static bool find_type(char letter, char size, struct element_type *t) {
    static const struct {
        char letter;
        enum element_kind kind;
        const char *sizes;
    } kinds[] = {{'b', ELEMENT_BOOL, "1"},
                 {'u', ELEMENT_UINT, "1248"},
                 {'i', ELEMENT_INT, "1248"},
                 {'f', ELEMENT_FLOAT, "248"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].letter == letter && size && strchr(kinds[i].sizes, size)) {
            *t = (struct element_type){kinds[i].kind, (uint8_t)((size - '0') * 8)};
            return true;
        }
    }
    return false;
}

static bool read_descr(struct header *h) {
    skip_blanks(h);
    if (h->at < h->text.size && h->text.bytes[h->at] == '[')
        return reject_token(h, (struct header_token){h->at, h->at + 1},
                            "unsupported structured type");
    struct header_token t;
    if (!read_string(h, &t))
        return false;
    const char *s = h->text.bytes + t.begin;
    if (t.end - t.begin != 3 || !strchr("<>=|", s[0]) || !s[0] || !find_type(s[1], s[2], &h->type))
        return array_reject_at(&h->text, t.begin, t.end,
                               "unsupported element type '%.*s' in the .npy header: bool, "
                               "integers of 8 to 64 bits and floats of 16 to 64 bits are read",
                               (int)(t.end - t.begin > 20 ? 20 : t.end - t.begin), s);
    if (s[0] == '|' && h->type.bits > 8)
        return reject_token(h, t, "missing byte order");
    h->big_endian = s[0] == '>';
    return true;
}

static bool is_alnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* A bare word such as True. */
static struct header_token read_word(struct header *h) {
    skip_blanks(h);
    struct header_token t = {h->at, h->at};
    while (t.end < h->text.size && is_alnum(h->text.bytes[t.end]))
        t.end++;
    h->at = t.end;
    return t;
}

static bool read_order(struct header *h) {
    struct header_token t = read_word(h);
    h->fortran = token_is(h, t, "True");
    return h->fortran || token_is(h, t, "False") || reject_token(h, t, "expected True or False");
}

/* One extent; Python 2 wrote long ones with an L. */
static bool read_extent(struct header *h, uint64_t *extent) {
    struct header_token t = read_word(h);
    size_t len = t.end - t.begin;
    if (len > 1 && h->text.bytes[t.end - 1] == 'L')
        len--;
    const char *text = h->text.bytes + t.begin;
    bool decimal = len > 0;
    for (size_t i = 0; i < len; i++)
        decimal = decimal && text[i] >= '0' && text[i] <= '9';
    return (decimal && number_parse_u64(text, len, extent)) ||
           reject_token(h, t, "expected an extent below 2^64");
}

static bool read_shape(struct header *h) {
    skip_blanks(h);
    size_t begin = h->at;
    if (!expect(h, '('))
        return false;
    bool comma = true; /* one value without a comma is no tuple */
    while (!accept(h, ')')) {
        if (!comma)
            return expect(h, ',');
        if (h->ndim == ARRAY_MAX_DIMS)
            return reject_token(h, (struct header_token){begin, h->at}, "more than 8 dimensions");
        if (!read_extent(h, &h->shape[h->ndim++]))
            return false;
        comma = accept(h, ',');
    }
    return (h->ndim != 1 || comma) ||
           reject_token(h, (struct header_token){begin, h->at}, "a shape that is no tuple");
}

/* True if the key was not there before. */
static bool first_time(const struct header *h, struct header_token key, bool *seen) {
    if (*seen)
        return reject_token(h, key, "key given twice");
    *seen = true;
    return true;
}

static bool read_entry(struct header *h) {
    struct header_token key;
    if (!read_string(h, &key) || !expect(h, ':'))
        return false;
    if (token_is(h, key, "descr"))
        return first_time(h, key, &h->has_descr) && read_descr(h);
    if (token_is(h, key, "fortran_order"))
        return first_time(h, key, &h->has_order) && read_order(h);
    if (token_is(h, key, "shape"))
        return first_time(h, key, &h->has_shape) && read_shape(h);
    return reject_token(h, key, "unknown key");
}

static bool read_dict(struct header *h) {
    if (!expect(h, '{'))
        return false;
    while (!accept(h, '}')) {
        if (!read_entry(h))
            return false;
        if (!accept(h, ',')) {
            if (!expect(h, '}'))
                return false;
            break;
        }
    }
    skip_blanks(h);
    if (h->at < h->text.size)
        return reject_token(h, (struct header_token){h->at, h->text.size},
                            "something after the dict");
    if (!h->has_descr || !h->has_order || !h->has_shape)
        return array_reject(&h->text, "the .npy header has no '%s'",
                            !h->has_descr   ? "descr"
                            : !h->has_order ? "fortran_order"
                                            : "shape");
    return true;
}

static uint64_t little_endian(const char *p, size_t n) {
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++)
        x |= (uint64_t)(unsigned char)p[i] << (8 * i);
    return x;
}

/* Finds the header's bytes; *data is the offset behind it. */
static bool find_header(const struct array_input *in, struct header *h, size_t *data) {
    if (in->size < 8 || memcmp(in->bytes, "\x93NUMPY", 6) != 0)
        return array_reject(in, "not a .npy file: it does not begin with \\x93NUMPY");
    unsigned major = (unsigned char)in->bytes[6], minor = (unsigned char)in->bytes[7];
    if (major < 1 || major > 3 || minor)
        return array_reject(in, "unknown .npy version %u.%u: 1.0, 2.0 and 3.0 are read", major,
                            minor);
    size_t len_bytes = major == 1 ? 2 : 4, start = 8 + len_bytes;
    if (in->size < start)
        return array_reject(in, "truncated: the .npy file ends before its header");
    uint64_t len = little_endian(in->bytes + 8, len_bytes);
    if (len > in->size - start)
        return array_reject(in, "truncated: %llu bytes of .npy header announced, file has %zu",
                            (unsigned long long)len, in->size - start);
    h->text = (struct array_input){in->path, in->bytes + start, (size_t)len, in->diag, false};
    *data = start + (size_t)len;
    return true;
}

/* Copies elements whose first index runs fastest into C order, whose last does. */
static void from_fortran(const struct array *a, const char *from) {
    uint64_t index[ARRAY_MAX_DIMS] = {0}, stride[ARRAY_MAX_DIMS];
    size_t bytes = element_bytes(a->type);
    uint64_t step = bytes;
    for (uint32_t i = 0; i < a->ndim; i++) {
        stride[i] = step;
        step *= a->shape[i];
    }
    uint64_t offset = 0;
    for (uint64_t n = 0; n < a->count; n++) {
        memcpy(a->data + n * bytes, from + offset, bytes);
        for (uint32_t i = a->ndim; i-- > 0;) {
            offset += stride[i];
            if (++index[i] < a->shape[i])
                break;
            offset -= stride[i] * a->shape[i];
            index[i] = 0;
        }
    }
}

static bool check_bools(const struct array_input *in, const struct array *a) {
    if (a->type.kind != ELEMENT_BOOL || array_bits_seen(a, false) <= 1)
        return true;
    for (uint64_t i = 0; i < a->count; i++)
        if (a->data[i] > 1)
            return array_reject(in, "element %llu is %u, but a bool is 0 or 1",
                                (unsigned long long)i, a->data[i]);
    return true;
}

static void take_data(const struct header *h, const struct array_input *in, size_t at,
                      struct array *a) {
    struct array_input from = *in;
    bool turned = h->fortran && a->ndim > 1, swapped = h->big_endian && a->type.bits > 8;
    if (turned)
        array_make_unset(a, a->type, a->ndim, h->shape);
    from.stays = in->stays && !swapped;
    if (turned)
        from_fortran(a, in->bytes + at);
    else
        array_take(&from, at, a);
    if (swapped)
        array_swap_bytes(a->data, a->count, element_bytes(a->type));
}

/* Compares the size of the data with what the header says before anything is allocated. */
static bool check_size(const struct array_input *in, const struct header *h, size_t have) {
    uint64_t need = element_bytes(h->type);
    bool fits = true, empty = false;
    for (uint32_t i = 0; i < h->ndim; i++) {
        empty = empty || h->shape[i] == 0;
        fits = fits && !__builtin_mul_overflow(need, h->shape[i], &need);
    }
    if (empty)
        need = 0;
    else if (!fits)
        return array_reject(in, "the shape in the .npy header overflows 64 bits");
    if (need > have)
        return array_reject(in, "truncated: header says %llu bytes of data, file has %zu",
                            (unsigned long long)need, have);
    if (need < have)
        return array_reject(in, "header says %llu bytes of data, file has %zu more",
                            (unsigned long long)need, have - (size_t)need);
    return true;
}

bool array_parse_npy(const struct array_input *in, struct array *a) {
    struct header h = {0};
    size_t data = 0;
    if (!find_header(in, &h, &data) || !read_dict(&h) || !check_size(in, &h, in->size - data))
        return false;
    if (!array_layout(a, h.type, h.ndim, h.shape))
        return array_reject(in, "the array is larger than 2^40 bytes");
    take_data(&h, in, data, a);
    if (check_bools(in, a))
        return true;
    array_refuse(in, a);
    return false;
}
