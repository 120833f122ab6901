/* SPDX-License-Identifier: MIT
 * asm in(x, y) out(z) { ... }: instructions that are kept as they are, in their order.  Those that
 * change the mask are refused, as everywhere, so it is found as it was left. */
#include "ezpim/ez/check.h"

/* The name behind `asm` that stands for the symbol; NULL if none does. */
static struct expr *find_operand(const struct stmt *s, const struct ez_symbol *symbol) {
    for (uint32_t i = 0; i < s->operand_count; i++)
        if (s->operands[i]->symbol == symbol)
            return s->operands[i];
    return NULL;
}

static void check_operand(struct checker *c, struct stmt *s, struct expr *e) {
    struct ez_symbol *v = ez_find_symbol(c, e->name.text);
    if (!v) {
        ez_report_unknown(c, e->name, "variable", NULL, 0);
        return;
    }
    if (v->kind != SYMBOL_EZ_VARIABLE && v->kind != SYMBOL_EZ_LOCAL)
        diag_error(c->u->diag, e->at, "`%s` is no variable", e->name.text);
    else if (!e->op)
        diag_error(c->u->diag, e->at, "behind `asm` variables are `in`, `out` or `inout`");
    else if (find_operand(s, v))
        diag_error(c->u->diag, e->at,
                   "`%s` stands there twice: what is read and written is `inout`", e->name.text);
    else
        e->symbol = v;
}

/* One use of a variable by an instruction, against what `asm` says of it. */
static void check_use(struct checker *c, struct stmt *s, const struct expr *use, bool reads,
                      bool writes, struct ez_symbol **written) {
    const struct expr *e = find_operand(s, use->symbol);
    if (!e) {
        diag_error(c->u->diag, use->at, "`%s` is not among the variables that the `asm` names",
                   use->name.text);
        diag_note(c->u->diag, s->word, "write `%s(%s)` here",
                  reads && writes ? "inout"
                  : reads         ? "in"
                                  : "out",
                  use->name.text);
        return;
    }
    size_t k = 0;
    while (k < s->operand_count && s->operands[k] != e)
        k++;
    if (reads && !(e->op & VAR_IN) && !written[k])
        diag_error(c->u->diag, use->at, "`%s` is read, and the `asm` says that it is only written",
                   use->name.text);
    if (writes && !(e->op & VAR_OUT))
        diag_error(c->u->diag, use->at, "`%s` is written, and the `asm` says that it is only read",
                   use->name.text);
    if (writes)
        written[k] = use->symbol;
}

static void check_uses(struct checker *c, struct stmt *s, struct stmt *insn,
                       struct ez_symbol **written) {
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i]->symbol && (ez_insn_reads(insn, i) || ez_insn_writes(insn, i)))
            check_use(c, s, insn->operands[i], ez_insn_reads(insn, i), ez_insn_writes(insn, i),
                      written);
}

void ez_check_asm(struct checker *c, struct stmt *s) {
    struct ez_symbol **written =
        ARENA_ARRAY(&c->u->arena, s->operand_count + 1, struct ez_symbol *);
    uint32_t before = diag_errors(c->u->diag);
    for (uint32_t i = 0; i < s->operand_count; i++)
        check_operand(c, s, s->operands[i]);
    for (struct stmt *i = s->body; i && !diag_full(c->u->diag); i = i->next) {
        uint32_t errors = diag_errors(c->u->diag);
        if (i->kind != STMT_INSN) {
            diag_error(c->u->diag, i->at, "`asm` holds instructions and nothing else");
            continue;
        }
        ez_check_insn(c, i);
        i->as_written = true;
        if (diag_errors(c->u->diag) == errors)
            check_uses(c, s, i, written);
    }
    for (uint32_t k = 0; k < s->operand_count && diag_errors(c->u->diag) == before; k++)
        if ((s->operands[k]->op & VAR_OUT) && !written[k])
            diag_error(c->u->diag, s->operands[k]->at, "no instruction of the `asm` writes `%s`",
                       s->operands[k]->name.text);
}
