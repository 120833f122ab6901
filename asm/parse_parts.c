/* SPDX-License-Identifier: MIT
 * What stands in many declarations: types, values of a type, registers, groups, extents, variables.
 */
#include "asm/assembler.h"

#include <stdlib.h>
#include <string.h>

bool asm_parse_type(struct assembler *a, struct mpu_type *t) {
    struct asm_token name = a->token;
    if (name.kind == TOKEN_NAME &&
        object_type_parse(asm_token_text(a, &name), token_length(&name), t)) {
        asm_scan(a);
        return true;
    }
    asm_error_token(a, &name, "expected a type: bool, u1 to u64, i2 to i64");
    return false;
}

bool asm_parse_typed(struct assembler *a, struct mpu_type t, wide *count, wide *value) {
    wide low = t.kind == TYPE_INT ? -((wide)1 << (t.bits - 1)) : 0;
    wide high = ((wide)1 << (t.kind == TYPE_INT ? t.bits - 1 : t.bits)) - 1;
    char what[32], type[8];
    object_type_text(t, type);
    snprintf(what, sizeof what, "a value of type %s", type);
    bool dup = asm_at_name(a, "dup") && asm_scan_peek(a) == '(';
    *count = 1;
    if (dup) {
        asm_scan(a);
        asm_scan(a);
        if (!asm_parse_number_in(a, "the count", 1, MAX_DATA, count) || !asm_expect_char(a, ','))
            return false;
    }
    return asm_parse_number_in(a, what, low, high, value) && (!dup || asm_expect_char(a, ')'));
}

bool asm_parse_register(struct assembler *a, uint8_t *reg) {
    struct asm_token t = a->token;
    const char *text = asm_token_text(a, &t);
    size_t n = t.kind == TOKEN_NAME ? token_length(&t) : 0;
    unsigned number = 64;
    if (n == 2 || n == 3)
        number = n == 2 ? (unsigned)(text[1] - '0')
                        : (unsigned)(text[1] - '0') * 10 + (unsigned)(text[2] - '0');
    if (n < 2 || (text[0] | 0x20) != 'r' || number > 63 || text[1] > '9' || text[n - 1] > '9') {
        asm_error_token(a, &t, "expected a register, r0 to r63");
        return false;
    }
    *reg = (uint8_t)number;
    asm_scan(a);
    return true;
}

bool asm_parse_group_name(struct assembler *a, uint32_t *group) {
    struct asm_token name = a->token;
    const uint64_t *known;
    wide index;
    if (name.kind == TOKEN_NUMBER) {
        if (!a->o->groups.len)
            asm_error_token(a, &name, "there is no group");
        else if (asm_parse_number_in(a, "the group", 0, (wide)a->o->groups.len - 1, &index))
            *group = (uint32_t)index;
        return !a->failed;
    }
    if (!asm_take_name(a, "the name of a group", &name))
        return false;
    known = map_get_n(&a->group_names, asm_token_text(a, &name), token_length(&name));
    if (known) {
        *group = (uint32_t)*known;
        return true;
    }
    asm_error_token(a, &name, "there is no group '%.*s'", (int)token_length(&name),
                    asm_token_text(a, &name));
    asm_suggest(a, &name, &a->group_names);
    return false;
}

/* A number, or a formula of sizes. */
bool asm_parse_extent(struct assembler *a, struct extent *e) {
    struct asm_token first = a->token;
    struct asm_value v;
    *e = (struct extent){NO_INDEX, 0};
    if (!asm_parse_formula(a, &v))
        return false;
    if (v.kind == VALUE_SIZE || v.kind == VALUE_FORMULA)
        return asm_value_size(a, &first, &v, &e->size);
    if (v.kind != VALUE_NUMBER || v.number < 1 || v.number > (wide)OBJECT_MAX_EXTENT) {
        asm_error_token(a, &first, "an extent is a number in 1..2^40 or the name of a size");
        if (first.kind == TOKEN_NAME)
            asm_suggest(a, &first, &a->size_names);
    } else
        e->value = (uint64_t)v.number;
    return !a->failed;
}

bool asm_take_variable_name(struct assembler *a, struct asm_token *name, uint32_t *variable) {
    if (!asm_take_name(a, "the name of a variable", name))
        return false;
    const uint64_t *known =
        map_get_n(&a->variable_names, asm_token_text(a, name), token_length(name));
    if (known) {
        *variable = (uint32_t)*known;
        return true;
    }
    asm_error_token(a, name, "there is no variable '%.*s'", (int)token_length(name),
                    asm_token_text(a, name));
    asm_suggest(a, name, &a->variable_names);
    return false;
}
