/* SPDX-License-Identifier: MIT
 * .product, and the shape that a MULP names (docs/assembly.md, "Products"). */
#include "asm/operand.h"

#include <string.h>

/* A number and, but for the last, a comma. */
static bool parse_part(struct assembler *assembler, const char *what, wide least, wide most,
                       bool last, uint8_t *part) {
    wide number = 0;
    if (!asm_parse_number_in(assembler, what, least, most, &number))
        return false;
    *part = (uint8_t)number;
    return last || asm_expect_char(assembler, ',');
}

/* ", ss", if it is there. */
static bool parse_signs(struct assembler *assembler, struct isa_product *product) {
    if (!asm_take_operator(assembler, ','))
        return true;
    product->signed_a = asm_at_name(assembler, "ss") || asm_at_name(assembler, "su");
    product->signed_b = asm_at_name(assembler, "ss") || asm_at_name(assembler, "us");
    if (!product->signed_a && !product->signed_b) {
        asm_error_token(assembler, &assembler->token,
                        "the signs of a product are ss, su or us: which of its operands have one");
        return false;
    }
    asm_scan(assembler);
    return true;
}

static bool parse_shape(struct assembler *assembler, struct isa_product *product) {
    *product = (struct isa_product){0};
    return parse_part(assembler, "a, the bits of the first operand,", 1, 64, false, &product->a) &&
           parse_part(assembler, "b, the bits of the second operand,", 1, 64, false, &product->b) &&
           parse_part(assembler, "lo, the first bit that is kept,", 0, product->a + product->b - 1,
                      false, &product->lo) &&
           parse_part(assembler, "the width of the product", 1, 64, true, &product->width) &&
           parse_signs(assembler, product);
}

void asm_declare_product(struct assembler *assembler) {
    struct asm_token name;
    struct product_decl decl;
    if (!asm_take_name(assembler, "the name of a shape", &name) ||
        !parse_shape(assembler, &decl.product))
        return;
    const char *kept = asm_keep(assembler, asm_token_text(assembler, &name), token_length(&name));
    decl.name = arena_strdup(&assembler->o->arena, kept);
    decl.place = asm_place(assembler, name.begin);
    if (map_get(&assembler->product_names, decl.name))
        asm_error_token(assembler, &name, "shape '%s' is declared already", decl.name);
    else if (assembler->o->products.len == ISA_MAX_PRODUCTS)
        asm_error_token(assembler, &name, "a program has at most %d shapes of products",
                        ISA_MAX_PRODUCTS);
    else {
        map_put(&assembler->product_names, decl.name, assembler->o->products.len);
        vec_push(&assembler->o->products, decl);
    }
}

bool asm_parse_shape(struct assembler *assembler, struct asm_operand *operand) {
    const struct asm_token *name = &assembler->token;
    const uint64_t *known = name->kind == TOKEN_NAME
                                ? map_get_n(&assembler->product_names,
                                            asm_token_text(assembler, name), token_length(name))
                                : NULL;
    if (!known)
        return false;
    operand->kind = OPERAND_VALUE;
    operand->value = (struct asm_value){.kind = VALUE_NUMBER, .number = (wide)*known};
    asm_scan(assembler);
    return true;
}

bool asm_set_shape(struct assembler *assembler, const struct asm_operand *operand, unsigned suffix,
                   struct insn *insn) {
    const struct asm_value *v = &operand->value;
    const struct object *o = assembler->o;
    if (v->kind == VALUE_LABEL) {
        asm_error_token(assembler, &operand->at, "there is no shape '%s'", v->label);
        asm_suggest(assembler, &operand->at, &assembler->product_names);
        return false;
    }
    if (v->kind != VALUE_NUMBER || v->number < 0 || v->number >= (wide)o->products.len) {
        asm_error_token(
            assembler, &operand->at,
            "MULP takes the name of a shape that .product declares before, or its number");
        return false;
    }
    insn->shape = (uint8_t)v->number;
    isa_set_product(insn, &o->products.data[insn->shape].product);
    if (suffix && suffix != insn->width) {
        asm_error_token(assembler, &operand->at, "the products of shape '%s' have %u bits, not %u",
                        o->products.data[insn->shape].name, insn->width, suffix);
        return false;
    }
    return true;
}
