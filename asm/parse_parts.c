/* SPDX-License-Identifier: MIT
 * Reads what many declarations have: types, values of a type, registers, groups, extents,
 * variables. */
#include "asm/assembler.h"

#include <stdlib.h>
#include <string.h>

bool asm_parse_type(struct assembler *assembler, struct lane_type *type) {
    struct asm_token name = assembler->token;
    if (name.kind == TOKEN_NAME &&
        object_type_parse(asm_token_text(assembler, &name), token_length(&name), type)) {
        asm_scan(assembler);
        return true;
    }
    asm_error_token(assembler, &name,
                    "expected a type: bool, u1 to u64, i2 to i64, f16, "
                    "f32, f64 or bf16");
    return false;
}

static bool parse_one(struct assembler *assembler, struct lane_type lane_type, wide *value) {
    wide low = lane_type.kind == TYPE_INT ? -((wide)1 << (lane_type.bits - 1)) : 0;
    wide high = ((wide)1 << (lane_type.kind == TYPE_INT ? lane_type.bits - 1 : lane_type.bits)) - 1;
    char what[32], type[8];
    if (object_type_is_float(lane_type))
        return asm_parse_real(assembler, lane_type, value);
    object_type_text(lane_type, type);
    snprintf(what, sizeof what, "a value of type %s", type);
    return asm_parse_number_in(assembler, what, low, high, value);
}

bool asm_take_dup(struct assembler *assembler, bool *dup, wide *count) {
    *dup = asm_at_name(assembler, "dup") && asm_scan_peek(assembler) == '(';
    *count = 1;
    if (!*dup)
        return true;
    asm_scan(assembler);
    asm_scan(assembler);
    return asm_parse_number_in(assembler, "the count", 1, MAX_DATA, count) &&
           asm_expect_char(assembler, ',');
}

bool asm_parse_typed(struct assembler *assembler, struct lane_type lane_type, wide *count,
                     wide *value) {
    bool dup;
    return asm_take_dup(assembler, &dup, count) && parse_one(assembler, lane_type, value) &&
           (!dup || asm_expect_char(assembler, ')'));
}

bool asm_parse_register(struct assembler *assembler, uint8_t *reg) {
    struct asm_token t = assembler->token;
    const char *text = asm_token_text(assembler, &t);
    size_t n = t.kind == TOKEN_NAME ? token_length(&t) : 0;
    unsigned number = 64;
    if (n == 2 || n == 3)
        number = n == 2 ? (unsigned)(text[1] - '0')
                        : (unsigned)(text[1] - '0') * 10 + (unsigned)(text[2] - '0');
    if (n < 2 || (text[0] | 0x20) != 'r' || number > 63 || text[1] > '9' || text[n - 1] > '9') {
        asm_error_token(assembler, &t, "expected a register, r0 to r63");
        return false;
    }
    *reg = (uint8_t)number;
    asm_scan(assembler);
    return true;
}

bool asm_parse_group_name(struct assembler *assembler, uint32_t *group) {
    struct asm_token name = assembler->token;
    const uint64_t *known;
    wide index;
    if (name.kind == TOKEN_NUMBER) {
        if (!assembler->o->groups.len)
            asm_error_token(assembler, &name, "there is no group");
        else if (asm_parse_number_in(assembler, "the group", 0, (wide)assembler->o->groups.len - 1,
                                     &index))
            *group = (uint32_t)index;
        return !assembler->failed;
    }
    if (!asm_take_name(assembler, "the name of a group", &name))
        return false;
    known =
        map_get_n(&assembler->group_names, asm_token_text(assembler, &name), token_length(&name));
    if (known) {
        *group = (uint32_t)*known;
        return true;
    }
    asm_error_token(assembler, &name, "there is no group '%.*s'", (int)token_length(&name),
                    asm_token_text(assembler, &name));
    asm_suggest(assembler, &name, &assembler->group_names);
    return false;
}

/* A number from `least` on, or a formula of sizes. */
static bool parse_extent_from(struct assembler *assembler, wide least, struct extent *extent) {
    struct asm_token first = assembler->token;
    struct asm_value v;
    *extent = (struct extent){NO_INDEX, 0};
    if (!asm_parse_formula(assembler, &v))
        return false;
    if (v.kind == VALUE_SIZE || v.kind == VALUE_FORMULA)
        return asm_value_size(assembler, &first, &v, &extent->size);
    if (v.kind != VALUE_NUMBER || v.number < least || v.number > (wide)OBJECT_MAX_EXTENT) {
        asm_error_token(assembler, &first,
                        "an extent is a number in 1..2^40 or the name of a size");
        if (first.kind == TOKEN_NAME)
            asm_suggest(assembler, &first, &assembler->size_names);
    } else
        extent->value = (uint64_t)v.number;
    return !assembler->failed;
}

bool asm_parse_extent(struct assembler *assembler, struct extent *extent) {
    return parse_extent_from(assembler, 1, extent);
}

bool asm_parse_extent_or_0(struct assembler *assembler, struct extent *extent) {
    return parse_extent_from(assembler, 0, extent);
}

bool asm_take_variable_name(struct assembler *assembler, struct asm_token *name,
                            uint32_t *variable) {
    if (!asm_take_name(assembler, "the name of a variable", name))
        return false;
    const uint64_t *known =
        map_get_n(&assembler->variable_names, asm_token_text(assembler, name), token_length(name));
    if (known) {
        *variable = (uint32_t)*known;
        return true;
    }
    asm_error_token(assembler, name, "there is no variable '%.*s'", (int)token_length(name),
                    asm_token_text(assembler, name));
    asm_suggest(assembler, name, &assembler->variable_names);
    return false;
}
