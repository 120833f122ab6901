/* SPDX-License-Identifier: MIT
 * What stands behind the register of a .var: how its array differs from its registers. */
#include "asm/assembler.h"

/* `as u6`: the type in the registers; that before the group is the array's. */
static bool parse_inner_type(struct assembler *a, struct variable *v) {
    v->form.type = v->type;
    return asm_parse_type(a, &v->type);
}

/* `shape[2, n]`; `shape[]` is a single value. */
static bool parse_shape(struct assembler *a, struct array_form *f) {
    f->shaped = true;
    if (!asm_expect_char(a, '['))
        return false;
    if (asm_take_operator(a, ']'))
        return true;
    do {
        if (f->ndim == FORM_MAX_DIMS) {
            asm_error_token(a, &a->token, "an array has at most %d dimensions", FORM_MAX_DIMS);
            return false;
        }
        if (!asm_parse_extent(a, &f->shape[f->ndim++]))
            return false;
    } while (asm_take_operator(a, ','));
    return asm_expect_char(a, ']');
}

/* One word that the current token begins; false if it is none, or after an error. */
static bool parse_word(struct assembler *a, struct variable *v) {
    bool first = asm_at_name(a, "first"), split = asm_at_name(a, "split"),
         as = asm_at_name(a, "as");
    bool again = (first || split) ? v->form.order != FORM_LAST
                 : as             ? v->form.type.bits != 0
                                  : v->form.shaped;
    if (!first && !split && !as && !asm_at_name(a, "shape"))
        return false;
    if (again) {
        asm_error_token(a, &a->token, "this is said twice of an array");
        return false;
    }
    asm_scan(a);
    if (first || split) {
        v->form.order = first ? FORM_FIRST : FORM_SPLIT;
        return true;
    }
    return as ? parse_inner_type(a, v) : parse_shape(a, &v->form);
}

bool asm_parse_form(struct assembler *a, const struct asm_token *name, struct variable *v) {
    while (parse_word(a, v)) {
    }
    if (a->failed || !asm_parse_scope(a, v->group, &v->scope))
        return false;
    const char *problem = a->failed ? NULL : object_form_problem(a->o, v);
    if (problem)
        asm_error_token(a, name, "'%.*s' %s", (int)token_length(name), asm_token_text(a, name),
                        problem);
    return !a->failed;
}
