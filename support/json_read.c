/* SPDX-License-Identifier: MIT
 * A parser by descent with a bound on depth, so that no input overflows the stack. */
#include "support/json_read.h"

#include "support/map.h"
#include "support/str.h"

#include <string.h>

enum { MAX_DEPTH = 200, MAX_VALUES = 1 << 22 };

struct json_reader {
    const char *text;
    size_t size, at;
    unsigned depth, values;
    uint32_t source;
    struct arena *arena;
    struct diag *d;
};

static struct span here(const struct json_reader *reader, size_t begin, size_t end) {
    return (struct span){reader->source, (uint32_t)begin,
                         (uint32_t)(end > begin ? end : begin + 1)};
}

static bool wrong(struct json_reader *reader, size_t begin, const char *what) {
    diag_error(reader->d, here(reader, begin, reader->at), "%s", what);
    return false;
}

static int next_char(struct json_reader *reader) {
    while (reader->at < reader->size && strchr(" \t\r\n", reader->text[reader->at]) &&
           reader->text[reader->at])
        reader->at++;
    return reader->at < reader->size ? (unsigned char)reader->text[reader->at] : -1;
}

/* ---- strings ---- */

static int hex_digit(char character) {
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'a' && character <= 'f')
        return character - 'a' + 10;
    return character >= 'A' && character <= 'F' ? character - 'A' + 10 : -1;
}

/* Four digits behind \u. */
static bool read_unit(struct json_reader *reader, uint32_t *unit) {
    *unit = 0;
    for (unsigned i = 0; i < 4; i++) {
        int digit = reader->at < reader->size ? hex_digit(reader->text[reader->at]) : -1;
        if (digit < 0)
            return wrong(reader, reader->at, "\\u needs four hexadecimal digits");
        *unit = *unit << 4 | (uint32_t)digit;
        reader->at++;
    }
    return true;
}

static void put_utf8(struct str *out, uint32_t c) {
    if (c < 0x80) {
        str_char(out, (char)c);
        return;
    }
    unsigned tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    str_char(out, (char)(lead[tail] | c >> 6 * tail));
    while (tail-- > 0)
        str_char(out, (char)(0x80 | (c >> 6 * tail & 0x3f)));
}

static bool read_code_point(struct json_reader *reader, struct str *out) {
    size_t begin = reader->at;
    uint32_t c, low;
    if (!read_unit(reader, &c))
        return false;
    if (c >= 0xd800 && c < 0xdc00) {
        if (reader->size - reader->at < 2 || memcmp(reader->text + reader->at, "\\u", 2) != 0)
            return wrong(reader, begin, "a high surrogate stands alone");
        reader->at += 2;
        if (!read_unit(reader, &low))
            return false;
        if (low < 0xdc00 || low > 0xdfff)
            return wrong(reader, begin, "a high surrogate stands alone");
        c = 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
    } else if (c >= 0xdc00 && c < 0xe000) {
        return wrong(reader, begin, "a low surrogate stands alone");
    }
    if (c == 0)
        return wrong(reader, begin, "strings with U+0000 are not read");
    put_utf8(out, c);
    return true;
}

static bool read_escape(struct json_reader *reader, struct str *out) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = reader->at < reader->size ? reader->text[reader->at++] : '\0';
    if (c == 'u')
        return read_code_point(reader, out);
    const char *found = c ? strchr(from, c) : NULL;
    if (!found)
        return wrong(reader, reader->at - 1, "no escape of JSON");
    str_char(out, to[found - from]);
    return true;
}

/* At the opening quote. */
static bool read_string(struct json_reader *reader, const char **out) {
    size_t begin = reader->at++;
    struct str s = {0};
    bool ok = true;
    while (ok && reader->at < reader->size && reader->text[reader->at] != '"') {
        char c = reader->text[reader->at++];
        if (c == '\\')
            ok = read_escape(reader, &s);
        else if ((unsigned char)c < 0x20)
            ok = wrong(reader, reader->at - 1, "a control character in a string");
        else
            str_char(&s, c);
    }
    if (ok && reader->at >= reader->size)
        ok = wrong(reader, begin, "a string without an end");
    reader->at++;
    *out = arena_strndup(reader->arena, str_text(&s), s.len);
    str_free(&s);
    return ok;
}

/* ---- numbers and words ---- */

static size_t digits(struct json_reader *reader) {
    size_t begin = reader->at;
    while (reader->at < reader->size && reader->text[reader->at] >= '0' &&
           reader->text[reader->at] <= '9')
        reader->at++;
    return reader->at - begin;
}

static bool take(struct json_reader *reader, const char *any) {
    bool there = reader->at < reader->size && reader->text[reader->at] &&
                 strchr(any, reader->text[reader->at]);
    reader->at += there;
    return there;
}

static bool read_number(struct json_reader *reader, struct json_value *value) {
    size_t begin = reader->at;
    bool negative = take(reader, "-"),
         zero = reader->at < reader->size && reader->text[reader->at] == '0';
    size_t whole = digits(reader);
    bool good = whole == 1 || (whole > 1 && !zero), fraction = take(reader, ".");
    if (fraction)
        good &= digits(reader) > 0;
    bool exponent = take(reader, "eE");
    if (exponent) {
        take(reader, "+-");
        good &= digits(reader) > 0;
    }
    if (!good)
        return wrong(reader, begin, "no number of JSON");
    value->kind = JSON_NUMBER;
    value->text = arena_strndup(reader->arena, reader->text + begin, reader->at - begin);
    value->whole = !negative && !fraction && !exponent &&
                   number_parse_u64(value->text, reader->at - begin, &value->number);
    return true;
}

static bool read_word(struct json_reader *reader, struct json_value *value) {
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word);
        if (reader->size - reader->at < n ||
            memcmp(reader->text + reader->at, words[i].word, n) != 0)
            continue;
        value->kind = words[i].kind;
        reader->at += n;
        return true;
    }
    return wrong(reader, reader->at, "a value is missing");
}

/* ---- arrays and objects ---- */

static bool read_value(struct json_reader *reader, struct json_value *value);

static bool read_key(struct json_reader *reader, struct json_value *value, struct map *keys) {
    size_t begin = reader->at;
    if (next_char(reader) != '"')
        return wrong(reader, reader->at, "a key in quotes is missing");
    if (!read_string(reader, &value->key))
        return false;
    if (!map_put(keys, value->key, 1))
        return wrong(reader, begin, "the object has this key already");
    if (next_char(reader) != ':')
        return wrong(reader, reader->at, "':' is missing behind a key");
    reader->at++;
    return true;
}

static bool read_members(struct json_reader *reader, struct json_value *value, char close,
                         struct map *keys) {
    const struct json_value **link = &value->first;
    reader->at++;
    if (next_char(reader) == close) {
        reader->at++;
        return true;
    }
    for (;;) {
        struct json_value *x = ARENA_NEW(reader->arena, struct json_value);
        next_char(reader);
        if ((value->kind == JSON_OBJECT && !read_key(reader, x, keys)) || !read_value(reader, x))
            return false;
        *link = x;
        link = &x->next;
        value->count++;
        int c = next_char(reader);
        if (c != ',' && c != close)
            return wrong(reader, reader->at,
                         close == '}' ? "',' or '}' is missing" : "',' or ']' is missing");
        reader->at++;
        if (c == close)
            return true;
    }
}

static bool read_compound(struct json_reader *reader, struct json_value *value) {
    struct map keys = {0};
    bool object = reader->text[reader->at] == '{', ok = false;
    value->kind = object ? JSON_OBJECT : JSON_ARRAY;
    if (++reader->depth > MAX_DEPTH)
        wrong(reader, reader->at, "nested too deep");
    else
        ok = read_members(reader, value, object ? '}' : ']', &keys);
    reader->depth--;
    map_free(&keys);
    return ok;
}

static bool read_value(struct json_reader *reader, struct json_value *value) {
    int c = next_char(reader);
    size_t begin = reader->at;
    bool ok;
    if (++reader->values > MAX_VALUES)
        return wrong(reader, reader->at, "more than 4,194,304 values");
    if (c == '{' || c == '[')
        ok = read_compound(reader, value);
    else if (c == '"')
        value->kind = JSON_STRING, ok = read_string(reader, &value->text);
    else if (c == '-' || (c >= '0' && c <= '9'))
        ok = read_number(reader, value);
    else
        ok = read_word(reader, value);
    value->at = here(reader, begin, reader->at);
    return ok;
}

const struct json_value *json_read(const char *text, size_t size, uint32_t source,
                                   struct arena *arena, struct diag *diag) {
    struct json_reader r = {
        .text = text, .size = size, .source = source, .arena = arena, .d = diag};
    struct json_value *v = ARENA_NEW(arena, struct json_value);
    if (size > UINT32_MAX) {
        wrong(&r, 0, "4 GB of JSON or more");
        return NULL;
    }
    if (!read_value(&r, v))
        return NULL;
    if (next_char(&r) != -1) {
        wrong(&r, r.at, "something behind the end of the value");
        return NULL;
    }
    return v;
}

const struct json_value *json_member(const struct json_value *object, const char *key) {
    if (!object || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json_value *x = object->first; x; x = x->next)
        if (strcmp(x->key, key) == 0)
            return x;
    return NULL;
}

const char *json_member_text(const struct json_value *object, const char *key) {
    const struct json_value *x = json_member(object, key);
    return x && x->kind == JSON_STRING ? x->text : NULL;
}
