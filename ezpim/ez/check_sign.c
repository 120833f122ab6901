/* SPDX-License-Identifier: MIT
 * Instructions as functions, where the sign of what they are given matters. */
#include "ezpim/ez/check.h"
#include "ezpim/ir/ir.h"

#include <ctype.h>
#include <string.h>

/* Operations that are one instruction for either sign; of the others the operands are taken as
 * written: those that have an instruction for each, and the last, which are signed alone. */
static const struct {
    enum isa_op plain, with_sign;
} pairs[] = {
#define X(id, name, operands, plain, with_sign) {plain, with_sign},
    IR_OPERATIONS(X)
#undef X
        {OP_COUNT, OP_ABS},
    {OP_COUNT, OP_RELU},
};

static bool is_float_form(enum isa_op op) {
    return op != OP_COUNT && isa_info(op)->flags & (ISA_FLOAT | ISA_BFLOAT);
}

static void put_name(enum isa_op op, char out[16]) {
    size_t n = 0;
    for (const char *p = isa_info(op)->name; *p && n < 15; p++)
        out[n++] = (char)tolower((unsigned char)*p);
    out[n] = 0;
}

static void warn(struct checker *checker, const struct expr *expr, enum isa_op other) {
    struct lane_type type = expr->operand_type;
    bool takes_sign = type.kind != TYPE_INT;
    char name[16];
    diag_warning(checker->u->diag, W_SIGN, expr->at,
                 "`%s` takes its operands as %s, and they are %s", expr->name.text,
                 takes_sign ? "signed" : "unsigned", ez_type_name(checker, type));
    if (other == OP_COUNT)
        return;
    put_name(other, name);
    diag_note(
        checker->u->diag, expr->at,
        "`%s%s` takes them as %s; operators, `min` and `max` go by the type; a cast says that "
        "the bits are meant",
        strncmp(expr->name.text, "isa_", 4) == 0 ? "isa_" : "", name,
        takes_sign ? "unsigned" : "signed");
}

void ez_check_sign(struct checker *checker, const struct expr *expr) {
    bool is_signed = expr->operand_type.kind == TYPE_INT;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i].plain == pairs[i].with_sign || is_float_form(pairs[i].plain))
            continue;
        if (expr->machine == (is_signed ? pairs[i].plain : pairs[i].with_sign)) {
            warn(checker, expr, is_signed ? pairs[i].with_sign : pairs[i].plain);
            return;
        }
    }
}

/* |x| of constants, and of what has no sign. */
bool ez_check_abs(struct checker *checker, struct expr *expr) {
    struct expr *a = expr->arg_count == 1 ? expr->args[0] : NULL;
    if (strcmp(expr->name.text, "abs") != 0 || !a || a->type.state == STATE_ERROR)
        return false;
    if (ez_type_is_float(a->type)) {
        ez_check_float_function(checker, expr, FUNCTION_ABS);
        return true;
    }
    ez_number value = a->value < 0 ? -a->value : a->value;
    if (a->type.state == STATE_NUMBER && a->is_constant) {
        expr->type = a->type;
        expr->is_constant = true;
        expr->value = value;
        return true;
    }
    if (a->type.state != STATE_TYPED || ez_type_is_bool(a->type))
        return false;
    if (a->is_constant)
        ez_set_constant(expr, value, a->type.type);
    else if (a->type.type.kind != TYPE_UINT)
        return false;
    expr->function = FUNCTION_CAST;
    expr->type = a->type;
    return true;
}
