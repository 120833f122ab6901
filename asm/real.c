/* SPDX-License-Identifier: MIT
 * Values of floating-point types.  A decimal number is read from its characters, so that it is
 * rounded once, to the type; an expression of whole numbers is worked out first. */
#include "asm/assembler.h"

#include "support/ieee_text.h"

#include <string.h>

/* Bytes of the word at `at`, with a sign before it and one behind its e. */
static size_t word_length(const struct asm_input *in, size_t at) {
    size_t begin = at;
    if (at < in->size && strchr("+-", in->text[at]) && in->text[at])
        at++;
    size_t end = at + asm_scan_real(in, at);
    return end > at ? end - begin : 0;
}

/* Whether nothing of an expression follows. */
static bool ends_value(const struct asm_input *in, size_t at) {
    while (at < in->size && (in->text[at] == ' ' || in->text[at] == '\t' || in->text[at] == '\r'))
        at++;
    if (at >= in->size || strchr(",);\n", in->text[at]))
        return true;
    return in->text[at] == '/' && at + 1 < in->size && strchr("/*", in->text[at + 1]);
}

static bool too_large(struct assembler *assembler, struct asm_token at, struct lane_type type) {
    char name[8];
    object_type_text(type, name);
    at.end = assembler->previous_end;
    asm_error_token(assembler, &at, "this rounds to more than the largest number of type %s", name);
    return false;
}

/* True with the value if a decimal number stands here. */
static bool take_decimal(struct assembler *assembler, struct ieee_format format,
                         enum ieee_reading *reading, uint64_t *value) {
    struct asm_input *in = assembler->in;
    size_t begin = assembler->token.begin, length = word_length(in, begin);
    *reading = ieee_parse(format, in->text + begin, length, value);
    if (*reading == IEEE_NO_NUMBER || !ends_value(in, begin + length))
        return false;
    in->pos = assembler->token.end = begin + length;
    asm_scan(assembler);
    return true;
}

/* bits(0x7fc00001): for a NaN with a payload, which no number names. */
static bool parse_pattern(struct assembler *assembler, struct lane_type type, wide *value) {
    asm_scan(assembler);
    asm_scan(assembler);
    return asm_parse_number_in(assembler, "the pattern", 0, ((wide)1 << type.bits) - 1, value) &&
           asm_expect_char(assembler, ')');
}

bool asm_parse_real(struct assembler *assembler, struct lane_type type, wide *value) {
    struct ieee_format format = object_type_format(type);
    struct asm_token first = assembler->token;
    enum ieee_reading reading;
    uint64_t pattern;
    if (asm_at_name(assembler, "bits") && asm_scan_peek(assembler) == '(')
        return parse_pattern(assembler, type, value);
    if (take_decimal(assembler, format, &reading, &pattern)) {
        *value = pattern;
        return reading == IEEE_NUMBER || too_large(assembler, first, type);
    }
    if (!asm_parse_number(assembler, value))
        return false;
    pattern = *value < 0 ? ieee_from_signed(format, (int64_t)*value)
                         : ieee_from_unsigned(format, (uint64_t)*value);
    *value = pattern;
    return !ieee_is_infinite(format, pattern) || too_large(assembler, first, type);
}
