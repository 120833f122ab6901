/* SPDX-License-Identifier: MIT
 * .value, and value(k[3]) in constants (docs/assembly.md, "Link-time values"). */
#include "asm/assembler.h"

#include <string.h>

/* "[9]" or "[3, 4]" behind a type. */
static bool parse_shape(struct assembler *a, struct value_decl *v) {
    wide extent;
    if (!asm_take_operator(a, '['))
        return true;
    do {
        if (v->ndim == VALUE_MAX_DIMS) {
            asm_error_token(a, &a->token, "a link-time value has at most %d dimensions",
                            VALUE_MAX_DIMS);
            return false;
        }
        if (!asm_parse_number_in(a, "the extent", 1, VALUE_MAX_ELEMENTS, &extent))
            return false;
        v->shape[v->ndim++] = (uint32_t)extent;
    } while (asm_take_operator(a, ','));
    return asm_expect_char(a, ']');
}

/* The default: exactly as many elements as the value has. */
static bool parse_elements(struct assembler *a, struct value_decl *v) {
    uint32_t want = object_value_count(v);
    uint64_t *elements = ARENA_ARRAY(&a->arena, want, uint64_t);
    struct asm_token first = a->token;
    uint64_t have = 0;
    v->elements = elements;
    do {
        wide count, element;
        if (!asm_parse_typed(a, v->type, &count, &element))
            return false;
        for (wide i = 0; i < count; i++, have++)
            if (have < want)
                elements[have] = (uint64_t)element;
    } while (asm_take_operator(a, ','));
    first.end = a->previous_end;
    if (have != want)
        asm_error_token(a, &first, "'%s' has %u element%s, and %llu %s given", v->name,
                        (unsigned)want, want == 1 ? "" : "s", (unsigned long long)have,
                        have == 1 ? "is" : "are");
    return have == want;
}

/* A wrong declaration still declares the name, with what was read of it. */
static void parse_value_rest(struct assembler *a, struct value_decl *v) {
    struct asm_token at = a->token;
    if (!asm_parse_type(a, &v->type) || !parse_shape(a, v))
        return;
    if (object_value_problem(v))
        asm_error_token(a, &at, "value '%s' %s", v->name, object_value_problem(v));
    else if (asm_take_operator(a, '='))
        parse_elements(a, v);
}

void asm_declare_value(struct assembler *a) {
    struct asm_token name;
    if (!asm_take_name(a, "link-time value", &name))
        return;
    struct value_decl v = {.name = asm_keep(a, asm_token_text(a, &name), token_length(&name)),
                           .place = asm_place(a, name.begin),
                           .type = {TYPE_UINT, 64}};
    const uint64_t *first = map_get(&a->value_names, v.name);
    if (first || map_get(&a->variable_names, v.name)) {
        asm_error_token(a, &name, "%s '%s' is declared %s", first ? "value" : "variable", v.name,
                        first ? "twice" : "with this name");
        return;
    }
    if (a->o->values.len == OBJECT_MAX_VALUES) {
        asm_error_token(a, &name, "a program has at most %d link-time values", OBJECT_MAX_VALUES);
        return;
    }
    if (!asm_expect_char(a, ':'))
        return;
    parse_value_rest(a, &v);
    map_put(&a->value_names, v.name, a->o->values.len);
    builder_value(a->b, &v);
}

/* "[3]" or "[1, 2]" behind the name, as the shape wants it; nothing for a scalar. */
static bool parse_index(struct assembler *a, const struct asm_token *name,
                        const struct value_decl *v, uint32_t *element) {
    bool open = asm_take_operator(a, '[');
    uint32_t dims = 0;
    *element = 0;
    for (; open && dims < v->ndim && (dims == 0 || asm_take_operator(a, ',')); dims++) {
        wide index;
        if (!asm_parse_number_in(a, "the index", 0, (wide)v->shape[dims] - 1, &index))
            return false;
        *element = *element * v->shape[dims] + (uint32_t)index;
    }
    if (dims == v->ndim && open == (v->ndim > 0))
        return !open || asm_expect_char(a, ']');
    asm_error_token(a, name, "'%s' is written with %u ind%s", v->name, (unsigned)v->ndim,
                    v->ndim == 1 ? "ex" : "ices");
    return false;
}

bool asm_parse_value_call(struct assembler *a, struct asm_value *out) {
    if (!asm_expect_char(a, '('))
        return false;
    struct asm_token name = a->token;
    const uint64_t *known = NULL;
    if (name.kind == TOKEN_NAME)
        known = map_get_n(&a->value_names, asm_token_text(a, &name), token_length(&name));
    if (!known) {
        asm_error_token(a, &name, "there is no link-time value '%.*s'", (int)token_length(&name),
                        asm_token_text(a, &name));
        asm_suggest(a, &name, &a->value_names);
        return false;
    }
    asm_scan(a);
    uint32_t element;
    *out = (struct asm_value){.kind = VALUE_ELEMENT, .size = (uint32_t)*known};
    if (!parse_index(a, &name, &a->o->values.data[*known], &element) || !asm_expect_char(a, ')'))
        return false;
    out->number = element;
    return true;
}
