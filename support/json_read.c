/* SPDX-License-Identifier: MIT */
#include "support/json_read.h"

#include "support/map.h"
#include "support/str.h"

#include <string.h>

enum { MAX_DEPTH = 200 };

struct json_reader {
    const char *text;
    size_t size, at;
    unsigned depth;
    uint32_t source;
    struct arena *arena;
    struct diag *d;
};

static struct span here(const struct json_reader *r, size_t begin, size_t end) {
    return (struct span){r->source, (uint32_t)begin, (uint32_t)(end > begin ? end : begin + 1)};
}

static bool wrong(struct json_reader *r, size_t begin, const char *what) {
    diag_error(r->d, here(r, begin, r->at), "%s", what);
    return false;
}

static int next_char(struct json_reader *r) {
    while (r->at < r->size && strchr(" \t\r\n", r->text[r->at]) && r->text[r->at])
        r->at++;
    return r->at < r->size ? (unsigned char)r->text[r->at] : -1;
}

/* ---- strings ---- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Four digits behind \u. */
static bool read_unit(struct json_reader *r, uint32_t *unit) {
    *unit = 0;
    for (unsigned i = 0; i < 4; i++) {
        int digit = r->at < r->size ? hex_digit(r->text[r->at]) : -1;
        if (digit < 0)
            return wrong(r, r->at, "\\u needs four hexadecimal digits");
        *unit = *unit << 4 | (uint32_t)digit;
        r->at++;
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

static bool read_code_point(struct json_reader *r, struct str *out) {
    size_t begin = r->at;
    uint32_t c, low;
    if (!read_unit(r, &c))
        return false;
    if (c >= 0xd800 && c < 0xdc00) {
        if (r->size - r->at < 2 || memcmp(r->text + r->at, "\\u", 2) != 0)
            return wrong(r, begin, "a high surrogate stands alone");
        r->at += 2;
        if (!read_unit(r, &low))
            return false;
        if (low < 0xdc00 || low > 0xdfff)
            return wrong(r, begin, "a high surrogate stands alone");
        c = 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
    } else if (c >= 0xdc00 && c < 0xe000) {
        return wrong(r, begin, "a low surrogate stands alone");
    }
    if (c == 0)
        return wrong(r, begin, "strings with U+0000 are not read");
    put_utf8(out, c);
    return true;
}

static bool read_escape(struct json_reader *r, struct str *out) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = r->at < r->size ? r->text[r->at++] : '\0';
    if (c == 'u')
        return read_code_point(r, out);
    const char *found = c ? strchr(from, c) : NULL;
    if (!found)
        return wrong(r, r->at - 1, "no escape of JSON");
    str_char(out, to[found - from]);
    return true;
}

/* At the opening quote. */
static bool read_string(struct json_reader *r, const char **out) {
    size_t begin = r->at++;
    struct str s = {0};
    bool ok = true;
    while (ok && r->at < r->size && r->text[r->at] != '"') {
        char c = r->text[r->at++];
        if (c == '\\')
            ok = read_escape(r, &s);
        else if ((unsigned char)c < 0x20)
            ok = wrong(r, r->at - 1, "a control character in a string");
        else
            str_char(&s, c);
    }
    if (ok && r->at >= r->size)
        ok = wrong(r, begin, "a string without an end");
    r->at++;
    *out = arena_strndup(r->arena, str_text(&s), s.len);
    str_free(&s);
    return ok;
}

/* ---- numbers and words ---- */

static size_t digits(struct json_reader *r) {
    size_t begin = r->at;
    while (r->at < r->size && r->text[r->at] >= '0' && r->text[r->at] <= '9')
        r->at++;
    return r->at - begin;
}

static bool take(struct json_reader *r, const char *any) {
    bool there = r->at < r->size && r->text[r->at] && strchr(any, r->text[r->at]);
    r->at += there;
    return there;
}

static bool read_number(struct json_reader *r, struct json_value *v) {
    size_t begin = r->at;
    bool negative = take(r, "-"), zero = r->at < r->size && r->text[r->at] == '0';
    size_t whole = digits(r);
    bool good = whole == 1 || (whole > 1 && !zero), fraction = take(r, ".");
    if (fraction)
        good &= digits(r) > 0;
    bool exponent = take(r, "eE");
    if (exponent) {
        take(r, "+-");
        good &= digits(r) > 0;
    }
    if (!good)
        return wrong(r, begin, "no number of JSON");
    v->kind = JSON_NUMBER;
    v->text = arena_strndup(r->arena, r->text + begin, r->at - begin);
    v->whole =
        !negative && !fraction && !exponent && number_parse_u64(v->text, r->at - begin, &v->number);
    return true;
}

static bool read_word(struct json_reader *r, struct json_value *v) {
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word);
        if (r->size - r->at < n || memcmp(r->text + r->at, words[i].word, n) != 0)
            continue;
        v->kind = words[i].kind;
        r->at += n;
        return true;
    }
    return wrong(r, r->at, "a value is missing");
}

/* ---- arrays and objects ---- */

static bool read_value(struct json_reader *r, struct json_value *v);

static bool read_key(struct json_reader *r, struct json_value *v, struct map *keys) {
    size_t begin = r->at;
    if (next_char(r) != '"')
        return wrong(r, r->at, "a key in quotes is missing");
    if (!read_string(r, &v->key))
        return false;
    if (!map_put(keys, v->key, 1))
        return wrong(r, begin, "the object has this key already");
    if (next_char(r) != ':')
        return wrong(r, r->at, "':' is missing behind a key");
    r->at++;
    return true;
}

static bool read_members(struct json_reader *r, struct json_value *v, char close,
                         struct map *keys) {
    const struct json_value **link = &v->first;
    r->at++;
    if (next_char(r) == close) {
        r->at++;
        return true;
    }
    for (;;) {
        struct json_value *x = ARENA_NEW(r->arena, struct json_value);
        next_char(r);
        if ((v->kind == JSON_OBJECT && !read_key(r, x, keys)) || !read_value(r, x))
            return false;
        *link = x;
        link = &x->next;
        v->count++;
        int c = next_char(r);
        if (c != ',' && c != close)
            return wrong(r, r->at,
                         close == '}' ? "',' or '}' is missing" : "',' or ']' is missing");
        r->at++;
        if (c == close)
            return true;
    }
}

static bool read_compound(struct json_reader *r, struct json_value *v) {
    struct map keys = {0};
    bool object = r->text[r->at] == '{', ok = false;
    v->kind = object ? JSON_OBJECT : JSON_ARRAY;
    if (++r->depth > MAX_DEPTH)
        wrong(r, r->at, "nested too deep");
    else
        ok = read_members(r, v, object ? '}' : ']', &keys);
    r->depth--;
    map_free(&keys);
    return ok;
}

static bool read_value(struct json_reader *r, struct json_value *v) {
    int c = next_char(r);
    size_t begin = r->at;
    bool ok;
    if (c == '{' || c == '[')
        ok = read_compound(r, v);
    else if (c == '"')
        v->kind = JSON_STRING, ok = read_string(r, &v->text);
    else if (c == '-' || (c >= '0' && c <= '9'))
        ok = read_number(r, v);
    else
        ok = read_word(r, v);
    v->at = here(r, begin, r->at);
    return ok;
}

const struct json_value *json_read(const char *text, size_t size, uint32_t source,
                                   struct arena *arena, struct diag *d) {
    struct json_reader r = {.text = text, .size = size, .source = source, .arena = arena, .d = d};
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
