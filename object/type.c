/* SPDX-License-Identifier: MIT
 * Element types, and directions of variables, as text. */
#include "object/object.h"

#include <stdio.h>
#include <string.h>

static const char *const type_prefix[] = {
    [TYPE_BOOL] = "bool", [TYPE_UINT] = "u",    [TYPE_INT] = "i",
    [TYPE_FLOAT] = "f",   [TYPE_BFLOAT] = "bf",
};

void object_type_text(struct mpu_type t, char out[8]) {
    if (t.kind == TYPE_BOOL)
        snprintf(out, 8, "%s", type_prefix[TYPE_BOOL]);
    else
        snprintf(out, 8, "%s%u", type_prefix[t.kind], (unsigned)t.bits);
}

bool object_type_ok(struct mpu_type t) {
    switch (t.kind) {
    case TYPE_BOOL:
        return t.bits == 1;
    case TYPE_UINT:
        return t.bits >= 1 && t.bits <= 64;
    case TYPE_INT:
        return t.bits >= 2 && t.bits <= 64;
    default:
        return false; /* floating point comes with set F */
    }
}

static bool parse_bits(const char *text, size_t n, struct mpu_type *t) {
    unsigned bits = 0;
    if (n < 1 || n > 2 || text[0] == '0')
        return false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        bits = bits * 10 + (unsigned)(text[i] - '0');
    }
    t->bits = (uint8_t)bits;
    return object_type_ok(*t);
}

bool object_type_parse(const char *text, size_t n, struct mpu_type *t) {
    if (n == 4 && memcmp(text, "bool", 4) == 0) {
        *t = (struct mpu_type){TYPE_BOOL, 1};
        return true;
    }
    if (n < 2 || (text[0] != 'u' && text[0] != 'i'))
        return false;
    t->kind = text[0] == 'u' ? TYPE_UINT : TYPE_INT;
    return parse_bits(text + 1, n - 1, t);
}

const char *object_direction_text(uint8_t direction) {
    static const char *const words[] = {[VAR_LOCAL] = "local",
                                        [VAR_IN] = "in",
                                        [VAR_OUT] = "out",
                                        [VAR_IN | VAR_OUT] = "inout",
                                        [VAR_IN | VAR_CONSUMED] = "in consumed"};
    bool known = direction < sizeof words / sizeof *words && words[direction];
    return words[known ? direction : VAR_LOCAL];
}
