/* SPDX-License-Identifier: MIT
 * Tables of constants: an element by a constant is a constant, by anything else a call of the
 * compiler's own that works it out in every lane. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/move.h"

enum {
    FEW_SELECTIONS = 255,   /* up to so many nobody is told what it costs */
    MOST_SELECTIONS = 4095, /* beyond them the tree is refused */
};

struct array_table ez_table(const struct ez_symbol *symbol) {
    return (struct array_table){symbol->table, symbol->count, symbol->type.type};
}

/* False after reporting that the tree is too large. */
static bool check_size(struct checker *checker, const struct expr *expr) {
    struct array_table t = ez_table(expr->symbol);
    uint32_t size =
        array_select_size(&t, ez_array_index(checker->u, checker->group, expr->args[0]));
    if (size > MOST_SELECTIONS) {
        diag_error(checker->u->diag, expr->at,
                   "the index is no constant: every lane would choose the entry by %u selections, "
                   "and at most %d are made",
                   size, MOST_SELECTIONS);
        diag_note(checker->u->diag, expr->at,
                  "as a variable of a group the table is read by a move: `move y[i] = t[x[i]];`");
        return false;
    }
    if (size > FEW_SELECTIONS)
        diag_warning(checker->u->diag, W_LARGE_TABLE, expr->at,
                     "the index is no constant: every lane chooses the entry by %u selections",
                     size);
    return true;
}

static bool check_table_index(struct checker *checker, struct expr *index) {
    struct value_type t = index->type;
    if (ez_type_is_bool(t)) {
        diag_error(checker->u->diag, index->at, "the index of a table is a number, not bool");
        ez_suggest_cast(checker, index, (struct mpu_type){TYPE_UINT, 8});
        return false;
    }
    if (!ez_refuse_float(checker, index, "the index of a table is an integer"))
        return false;
    ez_coerce(checker, index, (struct mpu_type){TYPE_UINT, 64}, false);
    return index->type.state == STATE_TYPED;
}

/* From here on it is FUNCTION_TABLE of the index. */
static void check_lane_index(struct checker *checker, struct expr *expr, struct ez_symbol *symbol) {
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
    if (check_size(checker, expr))
        expr->type = symbol->type;
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
        check_lane_index(checker, expr, symbol);
    else if (ez_check_integer(checker, expr->args[0], 0, symbol->count - 1, "the index of a table",
                              &index))
        ez_set_constant(expr, ez_value(symbol->table[index], symbol->type.type), symbol->type.type);
}
