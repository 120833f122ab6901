/* SPDX-License-Identifier: MIT
 * JSON input (RFC 8259) as a tree.  Strings are UTF-8; numbers keep their text. */
#ifndef SUPPORT_JSON_READ_H
#define SUPPORT_JSON_READ_H

#include "support/arena.h"
#include "support/diag.h"

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

struct json_value {
    enum json_kind kind;
    const char *key;  /* in an object; NULL elsewhere */
    const char *text; /* string: its bytes, in which U+0000 is refused; number: as written */
    bool whole;       /* number: not negative, without point and exponent, below 2^64: */
    uint64_t number;
    size_t count;                          /* of members or elements */
    const struct json_value *first, *next; /* the first of them, in order; the one behind this */
    struct span at;
};

/* All of text[0..size), which is `source` of diag; NULL after reporting the first mistake: what is
 * no JSON, a key that an object has twice, nesting deeper than 200, more than 2^22 values.  The
 * tree lives in the arena.
 */
const struct json_value *json_read(const char *text, size_t size, uint32_t source,
                                   struct arena *arena, struct diag *diag);
/* The member of that name, NULL if `object` is NULL, no object, or has none. */
const struct json_value *json_member(const struct json_value *object, const char *key);
/* The text of a string member; NULL likewise, and if it is no string. */
const char *json_member_text(const struct json_value *object, const char *key);

#endif
