/* SPDX-License-Identifier: MIT */
#include "tests/observe/json_check.h"

#include <string.h>

struct reader {
    const char *at, *end;
};

static void blanks(struct reader *r) {
    while (r->at < r->end && *r->at && strchr(" \t\r\n", *r->at))
        r->at++;
}

static bool take(struct reader *r, char c) {
    bool there = r->at < r->end && *r->at == c;
    r->at += there;
    return there;
}

static bool word(struct reader *r, const char *text) {
    size_t n = strlen(text);
    bool there = (size_t)(r->end - r->at) >= n && memcmp(r->at, text, n) == 0;
    r->at += there ? n : 0;
    return there;
}

static bool digits(struct reader *r) {
    const char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return r->at > from;
}

static bool number(struct reader *r) {
    take(r, '-');
    const char *first = r->at;
    if (!digits(r) || (*first == '0' && r->at > first + 1))
        return false;
    if (take(r, '.') && !digits(r))
        return false;
    if (!take(r, 'e') && !take(r, 'E'))
        return true;
    if (!take(r, '+'))
        take(r, '-');
    return digits(r);
}

static bool escape(struct reader *r) {
    if (take(r, 'u')) {
        for (int i = 0; i < 4; i++, r->at++)
            if (r->at == r->end || !*r->at || !strchr("0123456789abcdefABCDEF", *r->at))
                return false;
        return true;
    }
    bool known = r->at < r->end && *r->at && strchr("\"\\/bfnrt", *r->at);
    r->at += known;
    return known;
}

static bool string(struct reader *r) {
    if (!take(r, '"'))
        return false;
    while (r->at < r->end && *r->at != '"') {
        if ((unsigned char)*r->at < 0x20)
            return false;
        if (*r->at++ == '\\' && !escape(r))
            return false;
    }
    return take(r, '"');
}

static bool value(struct reader *r, unsigned depth);

/* The members of an object or the elements of an array, up to `close`. */
static bool members(struct reader *r, char close, unsigned depth) {
    blanks(r);
    if (take(r, close))
        return true;
    do {
        blanks(r);
        if (close == '}') {
            if (!string(r))
                return false;
            blanks(r);
            if (!take(r, ':'))
                return false;
        }
        if (!value(r, depth + 1))
            return false;
        blanks(r);
    } while (take(r, ','));
    return take(r, close);
}

static bool value(struct reader *r, unsigned depth) {
    blanks(r);
    if (r->at == r->end || depth > 100)
        return false;
    if (take(r, '{'))
        return members(r, '}', depth);
    if (take(r, '['))
        return members(r, ']', depth);
    if (*r->at == '"')
        return string(r);
    return word(r, "true") || word(r, "false") || word(r, "null") || number(r);
}

bool json_is_valid(const char *text, size_t size) {
    struct reader r = {text, text + size};
    bool good = value(&r, 0);
    blanks(&r);
    return good && r.at == r.end;
}
