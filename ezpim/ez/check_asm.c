/* SPDX-License-Identifier: MIT
 * asm in(x, y) out(z) { ... }: instructions that are kept as they are, in their order.  Those that
 * change the mask are refused, as everywhere, so it is found as it was left. */
#include "ezpim/ez/check.h"

/* The name behind `asm` that stands for the symbol; NULL if none does. */
static struct expr *find_operand(const struct stmt *stmt, const struct ez_symbol *symbol) {
    for (uint32_t i = 0; i < stmt->operand_count; i++)
        if (stmt->operands[i]->symbol == symbol)
            return stmt->operands[i];
    return NULL;
}

static void check_operand(struct checker *checker, struct stmt *stmt, struct expr *expr) {
    struct ez_symbol *v = ez_find_symbol(checker, expr->name.text);
    if (!v) {
        ez_report_unknown(checker, expr->name, "variable", NULL, 0);
        return;
    }
    if (v->kind != SYMBOL_EZ_VARIABLE && v->kind != SYMBOL_EZ_LOCAL)
        diag_error(checker->u->diag, expr->at, "`%s` is no variable", expr->name.text);
    else if (!expr->op)
        diag_error(checker->u->diag, expr->at, "behind `asm` variables are `in`, `out` or `inout`");
    else if (find_operand(stmt, v))
        diag_error(checker->u->diag, expr->at,
                   "`%s` stands there twice: what is read and written is `inout`", expr->name.text);
    else
        expr->symbol = v;
}

/* One use of a variable by an instruction, against what `asm` says of it. */
static void check_use(struct checker *checker, struct stmt *stmt, const struct expr *use,
                      bool reads, bool writes, struct ez_symbol **written) {
    const struct expr *e = find_operand(stmt, use->symbol);
    if (!e) {
        diag_error(checker->u->diag, use->at,
                   "`%s` is not among the variables that the `asm` names", use->name.text);
        diag_note(checker->u->diag, stmt->word, "write `%s(%s)` here",
                  reads && writes ? "inout"
                  : reads         ? "in"
                                  : "out",
                  use->name.text);
        return;
    }
    size_t k = 0;
    while (k < stmt->operand_count && stmt->operands[k] != e)
        k++;
    if (reads && !(e->op & VAR_IN) && !written[k])
        diag_error(checker->u->diag, use->at,
                   "`%s` is read, and the `asm` says that it is only written", use->name.text);
    if (writes && !(e->op & VAR_OUT))
        diag_error(checker->u->diag, use->at,
                   "`%s` is written, and the `asm` says that it is only read", use->name.text);
    if (writes)
        written[k] = use->symbol;
}

static void check_uses(struct checker *checker, struct stmt *stmt, struct stmt *insn,
                       struct ez_symbol **written) {
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i]->symbol && (ez_insn_reads(insn, i) || ez_insn_writes(insn, i)))
            check_use(checker, stmt, insn->operands[i], ez_insn_reads(insn, i),
                      ez_insn_writes(insn, i), written);
}

void ez_check_asm(struct checker *checker, struct stmt *stmt) {
    struct ez_symbol **written =
        ARENA_ARRAY(&checker->u->arena, stmt->operand_count + 1, struct ez_symbol *);
    uint32_t before = diag_errors(checker->u->diag);
    for (uint32_t i = 0; i < stmt->operand_count; i++)
        check_operand(checker, stmt, stmt->operands[i]);
    for (struct stmt *i = stmt->body; i && !diag_full(checker->u->diag); i = i->next) {
        uint32_t errors = diag_errors(checker->u->diag);
        if (i->kind != STMT_INSN) {
            diag_error(checker->u->diag, i->at, "`asm` holds instructions and nothing else");
            continue;
        }
        ez_check_insn(checker, i);
        i->as_written = true;
        if (diag_errors(checker->u->diag) == errors)
            check_uses(checker, stmt, i, written);
    }
    for (uint32_t k = 0; k < stmt->operand_count && diag_errors(checker->u->diag) == before; k++)
        if ((stmt->operands[k]->op & VAR_OUT) && !written[k])
            diag_error(checker->u->diag, stmt->operands[k]->at,
                       "no instruction of the `asm` writes `%s`", stmt->operands[k]->name.text);
}
