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

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
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

static bool check_range(struct assembler *assembler, const struct asm_operand *operand,
                        const char *what, uint32_t most) {
    if (operand->number <= most)
        return true;
    asm_error_token(assembler, &operand->at, "%.*s is out of range: there are %s0 to %s%u",
                    (int)token_length(&operand->at), asm_token_text(assembler, &operand->at), what,
                    what, (unsigned)most);
    return false;
}

/* MPU3, MPU+1, MPU-1, MPU+1 wrap, MPU(1,-1); the current token follows "MPU". */
static bool parse_relative_mpu(struct assembler *assembler, struct asm_operand *operand) {
    wide dx, dy;
    if (asm_take_operator(assembler, '(')) {
        operand->mode = 3;
        if (!asm_parse_number_in(assembler, "the step in x", -1024, 1023, &dx))
            return false;
        asm_take_operator(assembler, ',');
        if (!asm_parse_number_in(assembler, "the step in y", -1024, 1023, &dy))
            return false;
        operand->value.number = ((dx & 0x7ff) << 11) | (dy & 0x7ff);
        if (asm_take_operator(assembler, ')'))
            return true;
        asm_error_token(assembler, &assembler->token, "expected ')'");
        return false;
    }
    operand->mode = 1;
    if (!asm_parse_number_in(assembler, "the step", -(1 << 21), (1 << 21) - 1,
                             &operand->value.number))
        return false;
    if (asm_at_name(assembler, "wrap") || asm_at_name(assembler, "WRAP")) {
        operand->mode = 2;
        asm_scan(assembler);
    }
    return true;
}

static bool parse_mpu(struct assembler *assembler, struct asm_operand *operand) {
    const char *text = asm_token_text(assembler, &assembler->token);
    size_t length = token_length(&assembler->token);
    operand->kind = OPERAND_MPU;
    if (prefixed(text, length, "mpu", &operand->number)) {
        operand->value.number = operand->number;
        asm_scan(assembler);
        return check_range(assembler, operand, "MPU", OBJECT_MAX_MPUS - 1);
    }
    asm_scan(assembler);
    return parse_relative_mpu(assembler, operand);
}

/* The word MPU alone, with a step behind it. */
static bool is_relative_mpu(const struct assembler *assembler) {
    const char *t = asm_token_text(assembler, &assembler->token);
    char next = asm_scan_peek(assembler);
    return token_length(&assembler->token) == 3 && (t[0] | 0x20) == 'm' && (t[1] | 0x20) == 'p' &&
           (t[2] | 0x20) == 'u' && (next == '+' || next == '-' || next == '(');
}

/* The k-th register of a variable: x, x[2]. */
static bool parse_variable(struct assembler *assembler, const struct variable *variable,
                           struct asm_operand *operand) {
    wide k = 0;
    operand->kind = OPERAND_REGISTER;
    operand->typed = true;
    operand->type = variable->type;
    asm_scan(assembler);
    if (asm_take_operator(assembler, '[')) {
        if (!asm_parse_number_in(assembler, "the index", 0, (wide)variable->count - 1, &k))
            return false;
        if (!asm_take_operator(assembler, ']')) {
            asm_error_token(assembler, &assembler->token, "expected ']'");
            return false;
        }
    }
    operand->number = variable->reg + (uint32_t)k;
    return true;
}

static bool parse_type_suffix(struct assembler *assembler, struct asm_operand *operand) {
    if (!asm_take_operator(assembler, ':'))
        return true;
    operand->typed = true;
    return asm_parse_type(assembler, &operand->type);
}

static bool parse_plain_value(struct assembler *assembler, struct asm_operand *operand) {
    operand->kind = OPERAND_VALUE;
    return asm_parse_value(assembler, &operand->value);
}

static bool parse_named(struct assembler *assembler, struct asm_operand *operand) {
    const char *text = asm_token_text(assembler, &assembler->token);
    size_t length = token_length(&assembler->token);
    if (prefixed(text, length, "r", &operand->number)) {
        asm_scan(assembler);
        return check_range(assembler, operand, "r", 63) && parse_type_suffix(assembler, operand);
    }
    if (prefixed(text, length, "vrf", &operand->number)) {
        operand->kind = OPERAND_VRF;
        asm_scan(assembler);
        return check_range(assembler, operand, "VRF", 63);
    }
    if (prefixed(text, length, "rfh", &operand->number)) {
        operand->kind = OPERAND_RFH;
        asm_scan(assembler);
        return check_range(assembler, operand, "RFH", 4095);
    }
    uint32_t number;
    if (prefixed(text, length, "mpu", &number) || is_relative_mpu(assembler))
        return parse_mpu(assembler, operand);
    if (length == 4 && (memcmp(text, "cond", 4) == 0 || memcmp(text, "COND", 4) == 0)) {
        operand->kind = OPERAND_COND;
        asm_scan(assembler);
        return true;
    }
    const uint64_t *variable = map_get_n(&assembler->variable_names, text, length);
    if (variable)
        return parse_variable(assembler, &assembler->o->vars.data[*variable], operand) &&
               parse_type_suffix(assembler, operand);
    return parse_plain_value(assembler, operand);
}

static bool parse_string(struct assembler *assembler, struct asm_operand *operand) {
    operand->kind = OPERAND_STRING;
    operand->text = asm_token_string(assembler);
    asm_scan(assembler);
    return !assembler->failed;
}

static bool parse_operand(struct assembler *assembler, bool target, struct asm_operand *operand) {
    operand->at = assembler->token;
    if (assembler->token.kind == TOKEN_BAD)
        return false;
    if (assembler->token.kind == TOKEN_STRING)
        return parse_string(assembler, operand);
    if (asm_take_operator(assembler, '@')) {
        operand->kind = OPERAND_GROUP;
        return asm_parse_group_name(assembler, &operand->number);
    }
    if (assembler->token.kind == TOKEN_NAME && !target)
        return parse_named(assembler, operand);
    return parse_plain_value(assembler, operand);
}

/* How the operands of an instruction are read. */
struct operand_reading {
    bool target;      /* names are labels */
    const char *word; /* that ends them, or NULL */
    size_t table;     /* the operand that may be the name of a table; MAX_OPERANDS: none */
    size_t shape;     /* and of a shape */
};

static bool parse_all(struct assembler *assembler, const struct operand_reading *how,
                      struct asm_operands *out) {
    out->count = 0;
    while (assembler->token.kind != TOKEN_END &&
           !(how->word && asm_at_name(assembler, how->word))) {
        if (out->count == MAX_OPERANDS) {
            asm_error_token(assembler, &assembler->token, "too many operands");
            return false;
        }
        struct asm_operand *o = &out->list[out->count];
        *o = (struct asm_operand){.kind = OPERAND_REGISTER, .at = assembler->token};
        if (!(out->count == how->table && asm_parse_table(assembler, o)) &&
            !(out->count == how->shape && asm_parse_shape(assembler, o)) &&
            !parse_operand(assembler, how->target, o))
            return false;
        o->literal = o->at.kind == TOKEN_NUMBER && o->at.end == assembler->previous_end;
        o->at.end = assembler->previous_end;
        out->count++;
        if (asm_at_operator(assembler, ',')) {
            struct asm_token comma = assembler->token;
            asm_scan(assembler);
            if (assembler->token.kind == TOKEN_END) {
                asm_error_token(assembler, &comma, "an operand is missing behind this comma");
                return false;
            }
        }
    }
    return true;
}

bool asm_parse_operands(struct assembler *assembler, bool target, struct asm_operands *out) {
    const struct operand_reading how = {
        .target = target, .table = MAX_OPERANDS, .shape = MAX_OPERANDS};
    return parse_all(assembler, &how, out);
}

bool asm_parse_operands_of(struct assembler *assembler, enum isa_op op, struct asm_operands *out) {
    const struct isa_info *info = isa_info(op);
    struct operand_reading how = {
        .target = info->format == FORMAT_J, .table = MAX_OPERANDS, .shape = MAX_OPERANDS};
    for (size_t i = 0; i < info->operand_count; i++)
        if (info->operands[i] == ROLE_LUT)
            how.table = i;
        else if (info->operands[i] == ROLE_SHAPE)
            how.shape = i;
    return parse_all(assembler, &how, out);
}

bool asm_parse_operands_to(struct assembler *assembler, bool target, const char *word,
                           struct asm_operands *out) {
    const struct operand_reading how = {target, word, MAX_OPERANDS, MAX_OPERANDS};
    return parse_all(assembler, &how, out);
}
