/* SPDX-License-Identifier: MIT
 * NumPy's .npy, versions 1.0, 2.0 and 3.0 (numpy.lib.format): magic, version, length of the header,
 * the header (a Python dict of three literals), the data. */
#include "support/ndarray_formats.h"

#include <string.h>

struct header {
    struct ndarray_input text; /* the header alone, so that messages can show it */
    size_t at;
    struct element_type type;
    bool big_endian, fortran;
    bool has_descr, has_order, has_shape;
    uint32_t ndim;
    uint64_t shape[NDARRAY_MAX_DIMS];
};

struct header_token {
    size_t begin, end; /* bytes of the header */
};

static bool reject_token(const struct header *header, struct header_token token, const char *what) {
    return ndarray_reject_at(&header->text, token.begin, token.end, "%s in the .npy header", what);
}

static void skip_blanks(struct header *header) {
    while (header->at < header->text.size && strchr(" \t\r\n", header->text.bytes[header->at]) &&
           header->text.bytes[header->at])
        header->at++;
}

static bool accept(struct header *header, char character) {
    skip_blanks(header);
    if (header->at == header->text.size || header->text.bytes[header->at] != character)
        return false;
    header->at++;
    return true;
}

static bool expect(struct header *header, char character) {
    char what[] = "expected '?'";
    what[10] = character;
    return accept(header, character) ||
           reject_token(header, (struct header_token){header->at, header->at + 1}, what);
}

/* A quoted string; *token is what stands between the quotes. */
static bool read_string(struct header *header, struct header_token *token) {
    skip_blanks(header);
    size_t begin = header->at;
    char quote = begin < header->text.size ? header->text.bytes[begin] : '\0';
    if (quote != '\'' && quote != '"')
        return reject_token(header, (struct header_token){begin, begin + 1},
                            "expected a quoted name");
    const char *end = memchr(header->text.bytes + begin + 1, quote, header->text.size - begin - 1);
    if (!end)
        return reject_token(header, (struct header_token){begin, header->text.size},
                            "unterminated string");
    *token = (struct header_token){begin + 1, (size_t)(end - header->text.bytes)};
    header->at = token->end + 1;
    return true;
}

static bool token_is(const struct header *header, struct header_token token, const char *text) {
    return token.end - token.begin == strlen(text) &&
           memcmp(header->text.bytes + token.begin, text, token.end - token.begin) == 0;
}

/* A type by its name, or by one letter of C's types, as they are where NumPy runs on 64 bits. */
static bool find_named_type(const char *name, size_t n, struct element_type *type) {
    static const struct {
        const char *names; /* between blanks */
        struct element_type type;
    } types[] = {{" bool bool_ ? ", {ELEMENT_BOOL, 8}},
                 {" int8 byte b ", {ELEMENT_INT, 8}},
                 {" int16 short h ", {ELEMENT_INT, 16}},
                 {" int32 intc i ", {ELEMENT_INT, 32}},
                 {" int64 int int_ intp longlong l q ", {ELEMENT_INT, 64}},
                 {" uint8 ubyte B ", {ELEMENT_UINT, 8}},
                 {" uint16 ushort H ", {ELEMENT_UINT, 16}},
                 {" uint32 uintc I ", {ELEMENT_UINT, 32}},
                 {" uint64 uint uintp ulonglong L Q ", {ELEMENT_UINT, 64}},
                 {" float16 half e ", {ELEMENT_FLOAT, 16}},
                 {" float32 single f ", {ELEMENT_FLOAT, 32}},
                 {" float64 float double float_ d ", {ELEMENT_FLOAT, 64}}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (const char *p = types[i].names; (p = strchr(p, ' ')) && *++p;)
            if (strncmp(p, name, n) == 0 && p[n] == ' ') {
                *type = types[i].type;
                return true;
            }
    return false;
}

/* Letters as NumPy has them: kind, then the size in bytes.  Two bytes of no kind are what ml_dtypes
 * writes for a bfloat16. */
static bool find_type(char letter, char size, struct element_type *type) {
    static const struct {
        char letter;
        enum element_kind kind;
        const char *sizes;
    } kinds[] = {{'b', ELEMENT_BOOL, "1"},
                 {'u', ELEMENT_UINT, "1248"},
                 {'i', ELEMENT_INT, "1248"},
                 {'f', ELEMENT_FLOAT, "248"},
                 {'V', ELEMENT_BFLOAT, "2"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].letter == letter && size && strchr(kinds[i].sizes, size)) {
            *type = (struct element_type){kinds[i].kind, (uint8_t)((size - '0') * 8)};
            return true;
        }
    }
    return false;
}

static bool read_descr(struct header *header) {
    skip_blanks(header);
    if (header->at < header->text.size && header->text.bytes[header->at] == '[')
        return reject_token(header, (struct header_token){header->at, header->at + 1},
                            "unsupported structured type");
    struct header_token t;
    if (!read_string(header, &t))
        return false;
    const char *s = header->text.bytes + t.begin;
    size_t n = t.end - t.begin;
    bool ordered = n && s[0] && strchr("<>=|", s[0]);
    if (!(n - ordered == 2 && find_type(s[ordered], s[ordered + 1], &header->type)) &&
        !(n > ordered && (!ordered || n == 2) &&
          find_named_type(s + ordered, n - ordered, &header->type)))
        return ndarray_reject_at(
            &header->text, t.begin, t.end,
            "unsupported element type '%.*s' in the .npy header: bool, "
            "integers of 8 to 64 bits, floats of 16 to 64 bits and bfloat16 (<V2) are read",
            (int)(n > 20 ? 20 : n), s);
    if (s[0] == '|' && s[1] != 'V' && header->type.bits > 8)
        return reject_token(header, t, "missing byte order");
    header->big_endian = s[0] == '>';
    return true;
}

static bool is_alnum(char character) {
    return (character >= '0' && character <= '9') || (character >= 'A' && character <= 'Z') ||
           (character >= 'a' && character <= 'z');
}

/* A bare word such as True. */
static struct header_token read_word(struct header *header) {
    skip_blanks(header);
    struct header_token t = {header->at, header->at};
    while (t.end < header->text.size && is_alnum(header->text.bytes[t.end]))
        t.end++;
    header->at = t.end;
    return t;
}

static bool read_order(struct header *header) {
    struct header_token t = read_word(header);
    header->fortran = token_is(header, t, "True");
    return header->fortran || token_is(header, t, "False") ||
           reject_token(header, t, "expected True or False");
}

/* One extent; Python 2 wrote long ones with an L. */
static bool read_extent(struct header *header, uint64_t *extent) {
    struct header_token t = read_word(header);
    size_t len = t.end - t.begin;
    if (len > 1 && header->text.bytes[t.end - 1] == 'L')
        len--;
    const char *text = header->text.bytes + t.begin;
    bool decimal = len > 0;
    for (size_t i = 0; i < len; i++)
        decimal = decimal && text[i] >= '0' && text[i] <= '9';
    return (decimal && number_parse_u64(text, len, extent)) ||
           reject_token(header, t, "expected an extent below 2^64");
}

static bool read_shape(struct header *header) {
    skip_blanks(header);
    size_t begin = header->at;
    if (!expect(header, '('))
        return false;
    bool comma = true; /* one value without a comma is no tuple */
    while (!accept(header, ')')) {
        if (!comma)
            return expect(header, ',');
        if (header->ndim == NDARRAY_MAX_DIMS)
            return reject_token(header, (struct header_token){begin, header->at},
                                "more than 8 dimensions");
        if (!read_extent(header, &header->shape[header->ndim++]))
            return false;
        comma = accept(header, ',');
    }
    return (header->ndim != 1 || comma) ||
           reject_token(header, (struct header_token){begin, header->at},
                        "a shape that is no tuple");
}

/* True if the key was not there before. */
static bool first_time(const struct header *header, struct header_token key, bool *seen) {
    if (*seen)
        return reject_token(header, key, "key given twice");
    *seen = true;
    return true;
}

static bool read_entry(struct header *header) {
    struct header_token key;
    if (!read_string(header, &key) || !expect(header, ':'))
        return false;
    if (token_is(header, key, "descr"))
        return first_time(header, key, &header->has_descr) && read_descr(header);
    if (token_is(header, key, "fortran_order"))
        return first_time(header, key, &header->has_order) && read_order(header);
    if (token_is(header, key, "shape"))
        return first_time(header, key, &header->has_shape) && read_shape(header);
    return reject_token(header, key, "unknown key");
}

static bool read_dict(struct header *header) {
    if (!expect(header, '{'))
        return false;
    while (!accept(header, '}')) {
        if (!read_entry(header))
            return false;
        if (!accept(header, ',')) {
            if (!expect(header, '}'))
                return false;
            break;
        }
    }
    skip_blanks(header);
    if (header->at < header->text.size)
        return reject_token(header, (struct header_token){header->at, header->text.size},
                            "something after the dict");
    if (!header->has_descr || !header->has_order || !header->has_shape)
        return ndarray_reject(&header->text, "the .npy header has no '%s'",
                              !header->has_descr   ? "descr"
                              : !header->has_order ? "fortran_order"
                                                   : "shape");
    return true;
}

static uint64_t little_endian(const char *text, size_t n) {
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++)
        x |= (uint64_t)(unsigned char)text[i] << (8 * i);
    return x;
}

/* Finds the header's bytes; *data is the offset behind it. */
static bool find_header(const struct ndarray_input *in, struct header *header, size_t *data) {
    if (in->size < 8 || memcmp(in->bytes, "\x93NUMPY", 6) != 0)
        return ndarray_reject(in, "not a .npy file: it does not begin with \\x93NUMPY");
    unsigned major = (unsigned char)in->bytes[6], minor = (unsigned char)in->bytes[7];
    if (major < 1 || major > 3 || minor)
        return ndarray_reject(in, "unknown .npy version %u.%u: 1.0, 2.0 and 3.0 are read", major,
                              minor);
    size_t len_bytes = major == 1 ? 2 : 4, start = 8 + len_bytes;
    if (in->size < start)
        return ndarray_reject(in, "truncated: the .npy file ends before its header");
    uint64_t len = little_endian(in->bytes + 8, len_bytes);
    if (len > in->size - start)
        return ndarray_reject(in, "truncated: %llu bytes of .npy header announced, file has %zu",
                              (unsigned long long)len, in->size - start);
    header->text = (struct ndarray_input){
        .path = in->path, .bytes = in->bytes + start, .size = (size_t)len, .diag = in->diag};
    *data = start + (size_t)len;
    return true;
}

/* Copies elements whose first index runs fastest into C order, whose last does. */
static void from_fortran(const struct ndarray *array, const char *from) {
    uint64_t index[NDARRAY_MAX_DIMS] = {0}, stride[NDARRAY_MAX_DIMS];
    size_t bytes = element_bytes(array->type);
    uint64_t step = bytes;
    for (uint32_t i = 0; i < array->ndim; i++) {
        stride[i] = step;
        step *= array->shape[i];
    }
    uint64_t offset = 0;
    for (uint64_t n = 0; n < array->count; n++) {
        memcpy(array->data + n * bytes, from + offset, bytes);
        for (uint32_t i = array->ndim; i-- > 0;) {
            offset += stride[i];
            if (++index[i] < array->shape[i])
                break;
            offset -= stride[i] * array->shape[i];
            index[i] = 0;
        }
    }
}

static bool check_bools(const struct ndarray_input *in, const struct ndarray *array) {
    if (array->type.kind != ELEMENT_BOOL || ndarray_bits_seen(array, false) <= 1)
        return true;
    for (uint64_t i = 0; i < array->count; i++)
        if (array->data[i] > 1)
            return ndarray_reject(in, "element %llu is %u, but a bool is 0 or 1",
                                  (unsigned long long)i, array->data[i]);
    return true;
}

static void take_data(const struct header *header, const struct ndarray_input *in, size_t at,
                      struct ndarray *array) {
    struct ndarray_input from = *in;
    bool turned = header->fortran && array->ndim > 1,
         swapped = header->big_endian && array->type.bits > 8;
    if (turned)
        ndarray_make_unset(array, array->type, array->ndim, header->shape);
    from.stays = in->stays && !swapped;
    from.size = at + (size_t)(array->count * element_bytes(array->type));
    if (turned)
        from_fortran(array, in->bytes + at);
    else
        ndarray_take(&from, at, array);
    if (swapped)
        ndarray_swap_bytes(array->data, array->count, element_bytes(array->type));
}

/* Compares the size of the data with what the header says before anything is allocated. */
static bool check_size(const struct ndarray_input *in, const struct header *header, size_t have) {
    uint64_t need = element_bytes(header->type);
    bool fits = true, empty = false;
    for (uint32_t i = 0; i < header->ndim; i++) {
        empty = empty || header->shape[i] == 0;
        fits = fits && !__builtin_mul_overflow(need, header->shape[i], &need);
    }
    if (empty)
        need = 0;
    else if (!fits)
        return ndarray_reject(in, "the shape in the .npy header overflows 64 bits");
    if (need > have)
        return ndarray_reject(in, "truncated: header says %llu bytes of data, file has %zu",
                              (unsigned long long)need, have);
    return true; /* NumPy does not look at what stands behind the data, either */
}

bool ndarray_parse_npy(const struct ndarray_input *in, struct ndarray *array) {
    struct header h = {0};
    size_t data = 0;
    if (!find_header(in, &h, &data) || !read_dict(&h) || !check_size(in, &h, in->size - data))
        return false;
    if (!ndarray_layout(array, h.type, h.ndim, h.shape))
        return ndarray_reject(in, "the array is larger than 2^40 bytes");
    take_data(&h, in, data, array);
    if (check_bools(in, array))
        return true;
    ndarray_refuse(in, array);
    return false;
}
