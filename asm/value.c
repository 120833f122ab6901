/* SPDX-License-Identifier: MIT
 * .value, and value(k[3]) in constants (docs/assembly.md, "Link-time values"). */
#include "asm/assembler.h"

#include <string.h>

/* "[9]" or "[3, 4]" behind a type. */
static bool parse_shape(struct assembler *assembler, struct value_decl *decl) {
    wide extent;
    if (!asm_take_operator(assembler, '['))
        return true;
    do {
        if (decl->ndim == VALUE_MAX_DIMS) {
            asm_error_token(assembler, &assembler->token,
                            "a link-time value has at most %d dimensions", VALUE_MAX_DIMS);
            return false;
        }
        if (!asm_parse_number_in(assembler, "the extent", 1, VALUE_MAX_ELEMENTS, &extent))
            return false;
        decl->shape[decl->ndim++] = (uint32_t)extent;
    } while (asm_take_operator(assembler, ','));
    return asm_expect_char(assembler, ']');
}

/* The default: exactly as many elements as the value has. */
static bool parse_elements(struct assembler *assembler, struct value_decl *decl) {
    uint32_t want = object_value_count(decl);
    uint64_t *elements = ARENA_ARRAY(&assembler->arena, want, uint64_t);
    struct asm_token first = assembler->token;
    uint64_t have = 0;
    decl->elements = elements;
    do {
        wide count, element;
        if (!asm_parse_typed(assembler, decl->type, &count, &element))
            return false;
        for (wide i = 0; i < count; i++, have++)
            if (have < want)
                elements[have] = (uint64_t)element;
    } while (asm_take_operator(assembler, ','));
    first.end = assembler->previous_end;
    if (have != want)
        asm_error_token(assembler, &first, "'%s' has %u element%s, and %llu %s given", decl->name,
                        (unsigned)want, want == 1 ? "" : "s", (unsigned long long)have,
                        have == 1 ? "is" : "are");
    return have == want;
}

/* A wrong declaration still declares the name, with what was read of it. */
static void parse_value_rest(struct assembler *assembler, struct value_decl *decl) {
    struct asm_token at = assembler->token;
    if (!asm_parse_type(assembler, &decl->type) || !parse_shape(assembler, decl))
        return;
    if (object_value_problem(decl))
        asm_error_token(assembler, &at, "value '%s' %s", decl->name, object_value_problem(decl));
    else if (asm_take_operator(assembler, '='))
        parse_elements(assembler, decl);
}

void asm_declare_value(struct assembler *assembler) {
    struct asm_token name;
    if (!asm_take_name(assembler, "link-time value", &name))
        return;
    struct value_decl v = {
        .name = asm_keep(assembler, asm_token_text(assembler, &name), token_length(&name)),
        .place = asm_place(assembler, name.begin),
        .type = {TYPE_UINT, 64}};
    const uint64_t *first = map_get(&assembler->value_names, v.name);
    if (first || map_get(&assembler->variable_names, v.name)) {
        asm_error_token(assembler, &name, "%s '%s' is declared %s", first ? "value" : "variable",
                        v.name, first ? "twice" : "with this name");
        return;
    }
    if (assembler->o->values.len == OBJECT_MAX_VALUES) {
        asm_error_token(assembler, &name, "a program has at most %d link-time values",
                        OBJECT_MAX_VALUES);
        return;
    }
    if (!asm_expect_char(assembler, ':'))
        return;
    parse_value_rest(assembler, &v);
    map_put(&assembler->value_names, v.name, assembler->o->values.len);
    builder_value(assembler->b, &v);
}

/* "[3]" or "[1, 2]" behind the name, as the shape wants it; nothing for a scalar. */
static bool parse_index(struct assembler *assembler, const struct asm_token *name,
                        const struct value_decl *decl, uint32_t *element) {
    bool open = asm_take_operator(assembler, '[');
    uint32_t dims = 0;
    *element = 0;
    for (; open && dims < decl->ndim && (dims == 0 || asm_take_operator(assembler, ',')); dims++) {
        wide index;
        if (!asm_parse_number_in(assembler, "the index", 0, (wide)decl->shape[dims] - 1, &index))
            return false;
        *element = *element * decl->shape[dims] + (uint32_t)index;
    }
    if (dims == decl->ndim && open == (decl->ndim > 0))
        return !open || asm_expect_char(assembler, ']');
    asm_error_token(assembler, name, "'%s' is written with %u ind%s", decl->name,
                    (unsigned)decl->ndim, decl->ndim == 1 ? "ex" : "ices");
    return false;
}

bool asm_parse_value_call(struct assembler *assembler, struct asm_value *out) {
    if (!asm_expect_char(assembler, '('))
        return false;
    struct asm_token name = assembler->token;
    const uint64_t *known = NULL;
    if (name.kind == TOKEN_NAME)
        known = map_get_n(&assembler->value_names, asm_token_text(assembler, &name),
                          token_length(&name));
    if (!known) {
        asm_error_token(assembler, &name, "there is no link-time value '%.*s'",
                        (int)token_length(&name), asm_token_text(assembler, &name));
        asm_suggest(assembler, &name, &assembler->value_names);
        return false;
    }
    asm_scan(assembler);
    uint32_t element;
    *out = (struct asm_value){.kind = VALUE_ELEMENT, .size = (uint32_t)*known};
    if (!parse_index(assembler, &name, &assembler->o->values.data[*known], &element) ||
        !asm_expect_char(assembler, ')'))
        return false;
    out->number = element;
    return true;
}
