/* SPDX-License-Identifier: MIT
 * Operands of instructions. */
#include "asm/operand.h"

#include <string.h>

const char *asm_operand_kind_text(enum asm_operand_kind kind) {
    static const char *const texts[] = {
        [OPERAND_REGISTER] = "a register", [OPERAND_RFH] = "an RFH",      [OPERAND_VRF] = "a VRF",
        [OPERAND_MPU] = "an MPU",          [OPERAND_GROUP] = "a group",   [OPERAND_COND] = "'cond'",
        [OPERAND_VALUE] = "a number",      [OPERAND_STRING] = "a string",
    };
    return texts[kind];
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* `prefix` in any case and a digit behind it; *number is capped, for the range check. */
static bool prefixed(const char *text, size_t length, const char *prefix, uint32_t *number) {
    size_t n = strlen(prefix);
    *number = 0;
    if (length <= n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((text[i] | 0x20) != prefix[i])
            return false;
    for (size_t i = n; i < length; i++) {
        if (!is_digit(text[i]))
            return false;
        *number = *number > 100000000 ? *number : *number * 10 + (uint32_t)(text[i] - '0');
    }
    return true;
}

static bool check_range(struct assembler *a, const struct asm_operand *o, const char *what,
                        uint32_t most) {
    if (o->number <= most)
        return true;
    asm_error_token(a, &o->at, "%.*s is out of range: there are %s0 to %s%u",
                    (int)token_length(&o->at), asm_token_text(a, &o->at), what, what,
                    (unsigned)most);
    return false;
}

/* MPU3, MPU+1, MPU-1, MPU+1 wrap, MPU(1,-1); the current token follows "MPU". */
static bool parse_relative_mpu(struct assembler *a, struct asm_operand *o) {
    wide dx, dy;
    if (asm_take_operator(a, '(')) {
        o->mode = 3;
        if (!asm_parse_number_in(a, "the step in x", -1024, 1023, &dx))
            return false;
        asm_take_operator(a, ',');
        if (!asm_parse_number_in(a, "the step in y", -1024, 1023, &dy))
            return false;
        o->value.number = ((dx & 0x7ff) << 11) | (dy & 0x7ff);
        if (asm_take_operator(a, ')'))
            return true;
        asm_error_token(a, &a->token, "expected ')'");
        return false;
    }
    o->mode = 1;
    if (!asm_parse_number_in(a, "the step", -(1 << 21), (1 << 21) - 1, &o->value.number))
        return false;
    if (asm_at_name(a, "wrap") || asm_at_name(a, "WRAP")) {
        o->mode = 2;
        asm_scan(a);
    }
    return true;
}

static bool parse_mpu(struct assembler *a, struct asm_operand *o) {
    const char *text = asm_token_text(a, &a->token);
    size_t length = token_length(&a->token);
    o->kind = OPERAND_MPU;
    if (prefixed(text, length, "mpu", &o->number)) {
        o->value.number = o->number;
        asm_scan(a);
        return check_range(a, o, "MPU", OBJECT_MAX_MPUS - 1);
    }
    asm_scan(a);
    return parse_relative_mpu(a, o);
}

/* The word MPU alone, with a step behind it. */
static bool is_relative_mpu(const struct assembler *a) {
    const char *t = asm_token_text(a, &a->token);
    char next = asm_scan_peek(a);
    return token_length(&a->token) == 3 && (t[0] | 0x20) == 'm' && (t[1] | 0x20) == 'p' &&
           (t[2] | 0x20) == 'u' && (next == '+' || next == '-' || next == '(');
}

/* The k-th register of a variable: x, x[2]. */
static bool parse_variable(struct assembler *a, const struct variable *v, struct asm_operand *o) {
    wide k = 0;
    o->kind = OPERAND_REGISTER;
    o->typed = true;
    o->type = v->type;
    asm_scan(a);
    if (asm_take_operator(a, '[')) {
        if (!asm_parse_number_in(a, "the index", 0, (wide)v->count - 1, &k))
            return false;
        if (!asm_take_operator(a, ']')) {
            asm_error_token(a, &a->token, "expected ']'");
            return false;
        }
    }
    o->number = v->reg + (uint32_t)k;
    return true;
}

static bool parse_type_suffix(struct assembler *a, struct asm_operand *o) {
    if (!asm_take_operator(a, ':'))
        return true;
    o->typed = true;
    return asm_parse_type(a, &o->type);
}

static bool parse_plain_value(struct assembler *a, struct asm_operand *o) {
    o->kind = OPERAND_VALUE;
    return asm_parse_value(a, &o->value);
}

static bool parse_named(struct assembler *a, struct asm_operand *o) {
    const char *text = asm_token_text(a, &a->token);
    size_t length = token_length(&a->token);
    if (prefixed(text, length, "r", &o->number)) {
        asm_scan(a);
        return check_range(a, o, "r", 63) && parse_type_suffix(a, o);
    }
    if (prefixed(text, length, "vrf", &o->number)) {
        o->kind = OPERAND_VRF;
        asm_scan(a);
        return check_range(a, o, "VRF", 63);
    }
    if (prefixed(text, length, "rfh", &o->number)) {
        o->kind = OPERAND_RFH;
        asm_scan(a);
        return check_range(a, o, "RFH", 4095);
    }
    uint32_t number;
    if (prefixed(text, length, "mpu", &number) || is_relative_mpu(a))
        return parse_mpu(a, o);
    if (length == 4 && (memcmp(text, "cond", 4) == 0 || memcmp(text, "COND", 4) == 0)) {
        o->kind = OPERAND_COND;
        asm_scan(a);
        return true;
    }
    const uint64_t *variable = map_get_n(&a->variable_names, text, length);
    if (variable)
        return parse_variable(a, &a->o->vars.data[*variable], o) && parse_type_suffix(a, o);
    return parse_plain_value(a, o);
}

static bool parse_string(struct assembler *a, struct asm_operand *o) {
    o->kind = OPERAND_STRING;
    o->text = asm_token_string(a);
    asm_scan(a);
    return !a->failed;
}

static bool parse_operand(struct assembler *a, bool target, struct asm_operand *o) {
    o->at = a->token;
    if (a->token.kind == TOKEN_BAD)
        return false;
    if (a->token.kind == TOKEN_STRING)
        return parse_string(a, o);
    if (asm_take_operator(a, '@')) {
        o->kind = OPERAND_GROUP;
        return asm_parse_group_name(a, &o->number);
    }
    if (a->token.kind == TOKEN_NAME && !target)
        return parse_named(a, o);
    return parse_plain_value(a, o);
}

bool asm_parse_operands(struct assembler *a, bool target, struct asm_operands *out) {
    out->count = 0;
    while (a->token.kind != TOKEN_END) {
        if (out->count == MAX_OPERANDS) {
            asm_error_token(a, &a->token, "too many operands");
            return false;
        }
        struct asm_operand *o = &out->list[out->count];
        *o = (struct asm_operand){.kind = OPERAND_REGISTER};
        if (!parse_operand(a, target, o))
            return false;
        o->literal = o->at.kind == TOKEN_NUMBER && o->at.end == a->previous_end;
        o->at.end = a->previous_end;
        out->count++;
        if (asm_at_operator(a, ',')) {
            struct asm_token comma = a->token;
            asm_scan(a);
            if (a->token.kind == TOKEN_END) {
                asm_error_token(a, &comma, "an operand is missing behind this comma");
                return false;
            }
        }
    }
    return true;
}
