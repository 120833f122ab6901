/* SPDX-License-Identifier: MIT
 * Tables of constants: an element by a constant is a constant, by anything else a call of the
 * compiler's own that works it out in every lane. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/move.h"

enum { FEW_BITS = 10 }; /* up to so many of the index nobody is told what it costs */

struct array_table ez_table(const struct ez_symbol *symbol) {
    return (struct array_table){symbol->kind == SYMBOL_EZ_CONST ? symbol->table : NULL,
                                symbol->count, symbol->type.type, symbol->index};
}

static void warn_of_size(struct checker *checker, const struct expr *expr) {
    struct array_table t = ez_table(expr->symbol);
    unsigned bits = array_entry_bits(&t, ez_array_index(checker->u, checker->group, expr->args[0]));
    if (bits > FEW_BITS)
        diag_warning(checker->u->diag, W_LARGE_TABLE, expr->at,
                     "the index is no constant: every lane looks it up among 2^%u entries", bits);
}

static bool check_table_index(struct checker *checker, struct expr *index) {
    struct value_type t = index->type;
    if (ez_type_is_bool(t)) {
        diag_error(checker->u->diag, index->at, "the index of a table is a number, not bool");
        ez_suggest_cast(checker, index, (struct lane_type){TYPE_UINT, 8});
        return false;
    }
    if (!ez_refuse_float(checker, index, "the index of a table is an integer"))
        return false;
    ez_coerce(checker, index, (struct lane_type){TYPE_UINT, 64}, false);
    return index->type.state == STATE_TYPED;
}

void ez_check_lane_index(struct checker *checker, struct expr *expr, struct ez_symbol *symbol) {
    struct expr *index = expr->args[0];
    if (!check_table_index(checker, index))
        return;
    if (!checker->lane) {
        diag_error(checker->u->diag, index->at,
                   "the index of a table must be a constant number here");
        return;
    }
    expr->kind = EXPR_CALL;
    expr->function = FUNCTION_TABLE;
    expr->symbol = symbol;
    expr->varies = index->varies;
    expr->writes = index->writes;
    expr->type = symbol->type;
    warn_of_size(checker, expr);
}

void ez_check_table(struct checker *checker, struct expr *expr, struct ez_symbol *symbol) {
    uint64_t index;
    symbol->read = true;
    ez_poison(expr);
    if (expr->arg_count != 1 || !symbol->table) {
        diag_error(checker->u->diag, expr->at,
                   symbol->table ? "`%s` has one index" : "`%s` is no table and has no index",
                   symbol->name.text);
        return;
    }
    ez_check_expr(checker, expr->args[0]);
    if (symbol->type.state != STATE_TYPED || expr->args[0]->type.state == STATE_ERROR)
        return;
    if (!expr->args[0]->is_constant)
        ez_check_lane_index(checker, expr, symbol);
    else if (ez_check_integer(checker, expr->args[0], 0, symbol->count - 1, "the index of a table",
                              &index))
        ez_set_constant(expr, ez_value(symbol->table[index], symbol->type.type), symbol->type.type);
}
