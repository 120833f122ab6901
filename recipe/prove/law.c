/* SPDX-License-Identifier: MIT
 * Names and words of laws. */
#include "recipe/prove/law.h"

#include "recipe/verify/computes.h"
#include "recipe/prove/smt_term.h"
#include "recipe/set/uop.h"

bool prove_law_register(const struct recipe *recipe, const struct insn *insn,
                        const struct recipe_expr *expr, unsigned *reg) {
    uint8_t field =
        expr->kind == EXPR_NAME ? recipe_computes_operand(recipe, expr->name) : FIELD_NONE;
    *reg = field == FIELD_RS ? insn->rs : field == FIELD_RT ? insn->rt : insn->rd;
    return field <= FIELD_RD;
}

static uint32_t plane_of(unsigned reg, unsigned bit) {
    return PLANE(PLANE_REGISTER, 0, reg << 6 | bit);
}

uint32_t prove_law_input(struct fold *fold, unsigned reg, unsigned bit) {
    return prove_fold_input(fold, plane_of(reg, bit));
}

void prove_law_word(const struct fold *fold, const char *name, const uint32_t *bits, unsigned count,
                    struct str *out) {
    str_printf(out, "(define-fun %s () (_ BitVec %u)%s", name, count, count > 1 ? " (concat" : "");
    for (unsigned j = count; j-- > 0;) {
        str_append(out, " (ite ");
        prove_fold_print(fold, bits[j], out);
        str_append(out, " #b1 #b0)");
    }
    str_append(out, count > 1 ? "))\n" : ")\n");
}

static void define_number(const char *name, unsigned reg, unsigned w, struct str *out) {
    prove_smt_declare_register(reg, out);
    for (unsigned j = 0; j < w; j++)
        prove_smt_define_input(plane_of(reg, j), out);
    str_printf(out, "(define-fun %s () (_ BitVec %u) ((_ extract %u 0) r%u))\n", name, w, w - 1,
               reg);
}

void prove_law_head(unsigned w, struct str *out) {
    str_append(out, "(set-logic QF_BV)\n(declare-const c Bool)\n");
    define_number("x", LAW_X, w, out);
    define_number("y", LAW_Y, w, out);
}
