/* SPDX-License-Identifier: MIT
 * What the checker notes of symbols, and asks of sizes. */
#include "ezpim/ez/check.h"

#include <string.h>

void ez_note_written(struct checker *checker, struct ez_symbol *symbol, uint64_t bits) {
    struct flow_change change = {symbol, symbol->var.written, symbol->var.maybe};
    vec_push(&checker->changes, change);
    symbol->var.written |= bits;
    symbol->var.maybe |= bits;
}

void ez_condition_overwritten(struct checker *checker, struct span at) {
    if (checker->condition == CONDITION_UNSET)
        return;
    checker->condition = CONDITION_LOST;
    checker->condition_lost = at;
}

void ez_warn_unused(struct checker *checker, const struct ez_symbol *symbol) {
    bool output = symbol->kind == SYMBOL_EZ_VARIABLE && (symbol->var.direction & VAR_OUT);
    if (symbol->read || output || (symbol->decl && symbol->decl->included))
        return;
    if (ez_holds_values(symbol) && symbol->var.assigned)
        diag_warning(checker->u->diag, W_UNUSED, symbol->name.at, "`%s` is assigned but never read",
                     symbol->name.text);
    else
        diag_warning(checker->u->diag, W_UNUSED, symbol->name.at, "`%s` is never used",
                     symbol->name.text);
}

bool ez_is_bare_size(const struct expr *expr) {
    return expr->kind == EXPR_NAME && expr->symbol && expr->symbol->kind == SYMBOL_EZ_SIZE &&
           expr->type.state == STATE_NUMBER;
}

ez_number ez_last_lap(const struct expr *end) {
    if (end->is_constant)
        return end->value - 1;
    bool bounded = end->symbol && end->symbol->kind == SYMBOL_EZ_SIZE && end->symbol->bound;
    return bounded ? (ez_number)end->symbol->bound - 1 : (ez_number)OBJECT_MAX_EXTENT;
}

struct size_range ez_size_range(const struct ez_unit *unit, uint32_t size) {
    return object_size_range(&unit->size_decls.data[size]);
}

bool ez_asks_length(const struct expr *expr) {
    return expr->kind == EXPR_CALL && expr->arg_count == 1 &&
           strcmp(expr->name.text, "length") == 0;
}

void ez_note_length(struct ez_symbol *length) {
    if (!length->var.written)
        length->var.late_length = true;
}
