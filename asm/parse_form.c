/* SPDX-License-Identifier: MIT
 * Reads what follows the register of a .var: how its array differs from its registers. */
#include "asm/assembler.h"

/* `as u6`: the type in the registers; that before the group is the array's. */
static bool parse_inner_type(struct assembler *assembler, struct variable *variable) {
    variable->form.type = variable->type;
    return asm_parse_type(assembler, &variable->type);
}

/* `shape[2, n]`; `shape[]` is a single value. */
static bool parse_shape(struct assembler *assembler, struct array_form *form) {
    form->shaped = true;
    if (!asm_expect_char(assembler, '['))
        return false;
    if (asm_take_operator(assembler, ']'))
        return true;
    do {
        if (form->ndim == FORM_MAX_DIMS) {
            asm_error_token(assembler, &assembler->token, "an array has at most %d dimensions",
                            FORM_MAX_DIMS);
            return false;
        }
        if (!asm_parse_extent(assembler, &form->shape[form->ndim++]))
            return false;
    } while (asm_take_operator(assembler, ','));
    return asm_expect_char(assembler, ']');
}

/* One word that the current token begins; false if it is none, or after an error. */
static bool parse_word(struct assembler *assembler, struct variable *variable) {
    bool first = asm_at_name(assembler, "first"), split = asm_at_name(assembler, "split"),
         as = asm_at_name(assembler, "as");
    bool again = (first || split) ? variable->form.order != FORM_LAST
                 : as             ? variable->form.type.bits != 0
                                  : variable->form.shaped;
    if (!first && !split && !as && !asm_at_name(assembler, "shape"))
        return false;
    if (again) {
        asm_error_token(assembler, &assembler->token, "this is said twice of an array");
        return false;
    }
    asm_scan(assembler);
    if (first || split) {
        variable->form.order = first ? FORM_FIRST : FORM_SPLIT;
        return true;
    }
    return as ? parse_inner_type(assembler, variable) : parse_shape(assembler, &variable->form);
}

bool asm_parse_form(struct assembler *assembler, const struct asm_token *name,
                    struct variable *variable) {
    while (parse_word(assembler, variable)) {
    }
    if (assembler->failed || !asm_parse_scope(assembler, variable->group, &variable->scope))
        return false;
    const char *problem = assembler->failed ? NULL : object_form_problem(assembler->o, variable);
    if (problem)
        asm_error_token(assembler, name, "'%.*s' %s", (int)token_length(name),
                        asm_token_text(assembler, name), problem);
    return !assembler->failed;
}
