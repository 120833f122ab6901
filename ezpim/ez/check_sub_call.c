/* SPDX-License-Identifier: MIT
 * Calls of subroutines: what their arguments are and write. */
#include "ezpim/ez/check.h"
#include "ezpim/ir/ir.h"
#include <string.h>

static void check_input(struct checker *checker, struct expr *arg, const struct ez_symbol *symbol) {
    ez_check_expr(checker, arg);
    if (symbol->type.state == STATE_TYPED)
        ez_check_assignable(checker, arg, symbol->type.type, symbol->name.at);
}

static bool is_place(const struct expr *arg) {
    return arg->kind == EXPR_NAME || arg->kind == EXPR_INDEX;
}

/* Outputs are written where the caller keeps them, so types are the same. */
static void check_output_arg(struct checker *checker, struct expr *arg,
                             const struct ez_symbol *symbol) {
    if (!is_place(arg)) {
        diag_error(checker->u->diag, arg->at, "`%s` is written: a variable stands here",
                   symbol->name.text);
        return;
    }
    if (symbol->var.direction & VAR_IN)
        ez_check_read(checker, arg);
    ez_check_write(checker, arg);
    if (arg->symbol)
        arg->symbol->var.varies = true;
    if (arg->type.state != STATE_TYPED || symbol->type.state != STATE_TYPED)
        return;
    if (!ez_type_same(arg->type.type, symbol->type.type))
        diag_error(checker->u->diag, arg->at, "`%s` is %s, and `%s` is %s",
                   ez_source_text(checker, arg->at), ez_type_name(checker, arg->type.type),
                   symbol->name.text, ez_type_name(checker, symbol->type.type));
    else if (!arg->symbol->var.group && arg->symbol->kind == SYMBOL_EZ_VARIABLE)
        diag_error(checker->u->diag, arg->at,
                   "`%s` has no group: it is one value, but this may differ "
                   "from lane to lane",
                   ez_source_text(checker, arg->at));
}

/* All registers of an array, by its bare name. */
static void check_array_arg(struct checker *checker, struct expr *arg,
                            const struct ez_symbol *symbol) {
    struct ez_symbol *s = arg->kind == EXPR_NAME ? ez_find_symbol(checker, arg->name.text) : NULL;
    ez_poison(arg);
    bool array = s && (s->kind == SYMBOL_EZ_VARIABLE || s->kind == SYMBOL_EZ_LOCAL) && s->has_k &&
                 s->count == symbol->count && s->type.state == STATE_TYPED &&
                 symbol->type.state == STATE_TYPED && ez_type_same(s->type.type, symbol->type.type);
    if (!array) {
        diag_error(checker->u->diag, arg->at,
                   "`%s` is an array: here stands the name of one of %s[%u]", symbol->name.text,
                   symbol->type.state == STATE_TYPED ? ez_type_name(checker, symbol->type.type)
                                                     : "its type",
                   symbol->count);
        return;
    }
    arg->symbol = s;
    arg->type = s->type;
    arg->varies = true;
    s->read |= symbol->var.direction & VAR_IN;
    if ((symbol->var.direction & VAR_IN) &&
        (s->var.written & ez_all_elements(s)) != ez_all_elements(s))
        diag_error(checker->u->diag, arg->at, "`%s` is read before all of it is written",
                   s->name.text);
    if (!(symbol->var.direction & VAR_OUT))
        return;
    if (s->kind == SYMBOL_EZ_VARIABLE && s->var.direction == VAR_IN)
        diag_error(checker->u->diag, arg->at, "`%s` is an input and cannot be assigned",
                   s->name.text);
    ez_note_written(checker, s, ez_all_elements(s));
    s->var.assigned = s->var.varies = true;
}

static void note_call(struct checker *checker, struct ez_symbol *symbol) {
    const struct ez_unit *u = checker->u;
    for (size_t i = u->sub_uses.len; i-- > 0 && u->sub_uses.data[i].caller == checker->sub;)
        if (u->sub_uses.data[i].callee == symbol)
            return;
    if (checker->sub)
        vec_push(&checker->u->sub_uses, ((struct ez_sub_use){checker->sub, symbol}));
}

void ez_check_sub_call(struct checker *checker, struct expr *expr, struct ez_symbol *symbol) {
    symbol->read = true;
    ez_poison(expr);
    if (!checker->lane) {
        diag_error(checker->u->diag, expr->at,
                   "`%s` works on a lane: it is called inside of `compute`", symbol->name.text);
        return;
    }
    note_call(checker, symbol);
    ez_condition_overwritten(checker, expr->at);
    if (expr->arg_count != symbol->sub.param_count) {
        diag_error(checker->u->diag, expr->at, "`%s` takes %u argument%s, not %u",
                   symbol->name.text, symbol->sub.param_count,
                   symbol->sub.param_count == 1 ? "" : "s", expr->arg_count);
        diag_note(checker->u->diag, symbol->name.at, "it is declared here");
        return;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (symbol->sub.params[i]->has_k)
            check_array_arg(checker, expr->args[i], symbol->sub.params[i]);
        else if (symbol->sub.params[i]->var.direction & VAR_OUT)
            check_output_arg(checker, expr->args[i], symbol->sub.params[i]);
        else
            check_input(checker, expr->args[i], symbol->sub.params[i]);
        expr->writes |= expr->args[i]->writes || (symbol->sub.params[i]->var.direction & VAR_OUT);
    }
    expr->symbol = symbol;
    expr->function = FUNCTION_SUB;
    expr->varies = true;
    if (symbol->sub.result)
        expr->type = symbol->sub.result->type;
}
