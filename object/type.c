/* SPDX-License-Identifier: MIT
 * Element types, and directions of variables, as text. */
#include "object/object.h"

#include "support/bits.h"
#include "support/ieee_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const type_prefix[] = {
    [TYPE_BOOL] = "bool", [TYPE_UINT] = "u",    [TYPE_INT] = "i",
    [TYPE_FLOAT] = "f",   [TYPE_BFLOAT] = "bf",
};

void object_type_text(struct lane_type type, char out[8]) {
    if (type.kind == TYPE_BOOL)
        snprintf(out, 8, "%s", type_prefix[TYPE_BOOL]);
    else
        snprintf(out, 8, "%s%u", type_prefix[type.kind], (unsigned)type.bits);
}

bool object_type_ok(struct lane_type type) {
    switch (type.kind) {
    case TYPE_BOOL:
        return type.bits == 1;
    case TYPE_UINT:
        return type.bits >= 1 && type.bits <= 64;
    case TYPE_INT:
        return type.bits >= 2 && type.bits <= 64;
    case TYPE_FLOAT:
        return type.bits == 16 || type.bits == 32 || type.bits == 64;
    case TYPE_BFLOAT:
        return type.bits == 16;
    default:
        return false; /* a file may say anything */
    }
}

static bool parse_bits(const char *text, size_t n, struct lane_type *type) {
    unsigned bits = 0;
    if (n < 1 || n > 2 || text[0] == '0')
        return false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        bits = bits * 10 + (unsigned)(text[i] - '0');
    }
    type->bits = (uint8_t)bits;
    return object_type_ok(*type);
}

bool object_type_parse(const char *text, size_t n, struct lane_type *type) {
    if (n == 4 && memcmp(text, "bool", 4) == 0) {
        *type = (struct lane_type){TYPE_BOOL, 1};
        return true;
    }
    for (unsigned kind = TYPE_UINT; kind <= TYPE_BFLOAT; kind++) {
        size_t prefix = strlen(type_prefix[kind]);
        type->kind = (enum type_kind)kind;
        if (n > prefix && memcmp(text, type_prefix[kind], prefix) == 0 &&
            parse_bits(text + prefix, n - prefix, type))
            return true;
    }
    return false;
}

void object_pattern_text(struct lane_type type, uint64_t pattern, struct str *out) {
    uint64_t bits = pattern & low_bits(type.bits);
    if (object_type_is_float(type))
        ieee_text(object_type_format(type), bits, out);
    else if (type.kind == TYPE_INT)
        str_printf(out, "%" PRId64, sign_extend(bits, type.bits));
    else
        str_printf(out, "%" PRIu64, bits);
}

void object_pattern_source(struct lane_type type, uint64_t pattern, struct str *out) {
    uint64_t bits = pattern & low_bits(type.bits);
    struct ieee_format format = object_type_format(type);
    if (object_type_is_float(type) && ieee_is_nan(format, bits) && bits != ieee_nan(format))
        str_printf(out, "bits(0x%" PRIx64 ")", bits);
    else
        object_pattern_text(type, pattern, out);
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
