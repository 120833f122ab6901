/* SPDX-License-Identifier: MIT
 * Forms: which one serves an instruction, and what they look like. */
#include "recipe/table/parts.h"
#include "recipe/table/forms.h"

#include "support/alloc.h"

#include <stdlib.h>

static bool uses(uint32_t flags, uint32_t reads, uint32_t writes) {
    return (flags & (reads | writes)) != 0;
}

uint8_t table_form_alias(const struct insn *insn) {
    uint32_t flags = isa_info(insn->op)->flags;
    bool rs = uses(flags, READS_RS, WRITES_RS), rt = uses(flags, READS_RT, WRITES_RT),
         rd = uses(flags, READS_RD, WRITES_RD);
    return (uint8_t)((rs && rt && insn->rs == insn->rt ? ALIAS_RS_RT : 0) |
                     (rs && rd && insn->rs == insn->rd ? ALIAS_RS_RD : 0) |
                     (rt && rd && insn->rt == insn->rd ? ALIAS_RT_RD : 0));
}

bool table_form_has_immediate(enum isa_op op) {
    return isa_constant_role(isa_info(op)) == ROLE_IMM;
}

bool table_form_has_constant(enum isa_op op) {
    return isa_constant_role(isa_info(op)) >= 0 || isa_has_table(op);
}

int32_t table_form_constant(const struct insn *insn) {
    return isa_has_table(insn->op) ? insn->lut : insn->imm;
}

static struct insn table_make_insn(enum isa_op op, uint8_t width, uint8_t alias, int32_t imm) {
    uint32_t flags = isa_info(op)->flags;
    struct insn insn = {.op = op, .width = width};
    if (isa_has_table(op))
        insn.lut = (uint16_t)imm;
    else
        insn.imm = imm;
    if (uses(flags, READS_RT, WRITES_RT) && !(alias & ALIAS_RS_RT))
        insn.rt = 1;
    if (uses(flags, READS_RD, WRITES_RD) && !(alias & ALIAS_RS_RD))
        insn.rd = alias & ALIAS_RT_RD ? insn.rt : 2;
    return insn;
}

struct insn table_plain_insn(const struct insn *insn, uint8_t alias) {
    struct insn made = table_make_insn(insn->op, insn->width, alias, table_form_constant(insn));
    made.table = insn->table;
    return made;
}

enum isa_op table_form_op(uint8_t opcode) {
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (isa_info((enum isa_op)op)->opcode == opcode &&
            (isa_info((enum isa_op)op)->flags & ISA_VECTOR))
            return (enum isa_op)op;
    return OP_COUNT;
}

struct insn table_form_insn(const struct recipe_form *form) {
    return table_make_insn(table_form_op(form->opcode), form->width, form->alias, form->imm);
}

static int compare_keys(const uint32_t *left, const uint32_t *right, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

int table_form_compare(const struct recipe_form *left, const struct recipe_form *right) {
    const uint32_t x[] = {left->opcode,   left->width,         left->alias,
                          left->constant, (uint32_t)left->imm, left->masking};
    const uint32_t y[] = {right->opcode,   right->width,         right->alias,
                          right->constant, (uint32_t)right->imm, right->masking};
    return compare_keys(x, y, sizeof x / sizeof *x);
}

static bool serves(const struct recipe_form *form, const struct insn *insn, bool masked) {
    if (form->constant == CONSTANT_ONE && form->imm != table_form_constant(insn))
        return false;
    return form->masking == MASKING_ANY || (form->masking == MASKING_ON) == masked;
}

/* The first form that is not below (opcode, width). */
static size_t first_form(const struct recipe_table *table, uint8_t opcode, uint8_t width) {
    size_t low = 0, high = table->form_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct recipe_form *f = &table->forms[middle];
        if (f->opcode < opcode || (f->opcode == opcode && f->width < width))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct recipe_form *recipe_table_find(const struct recipe_table *table,
                                            const struct insn *insn, bool masked) {
    const struct recipe_form *found = NULL;
    unsigned best = 0;
    uint8_t opcode = isa_info(insn->op)->opcode, alias = table_form_alias(insn);
    for (size_t i = first_form(table, opcode, insn->width); i < table->form_count; i++) {
        const struct recipe_form *f = &table->forms[i];
        if (f->opcode != opcode || f->width != insn->width)
            break;
        /* The form for just these operands, and just this constant, comes first. */
        unsigned rank = 1 + 2u * (f->alias == alias) + (f->constant == CONSTANT_ONE);
        if ((f->alias == alias || f->alias == 0) && serves(f, insn, masked) && rank > best) {
            found = f;
            best = rank;
        }
    }
    return found;
}

bool recipe_table_expand(const struct recipe_table *table, const struct insn *insn, bool masked,
                         struct uop_list *out, struct diag *diag) {
    const struct recipe_form *f = recipe_table_find(table, insn, masked);
    const char *problem = "it has no recipe for it";
    if (f && table->code)
        problem = table_form_expand(table, f, insn, masked, out);
    if (problem && diag)
        diag_error(diag, NO_SPAN, "%s: the recipe table cannot be used: %s",
                   isa_info(insn->op)->name, problem);
    return !problem;
}

void recipe_table_free(struct recipe_table *table) {
    if (!table)
        return;
    table_code_free(table->code);
    free(table->forms);
    free(table->templates);
    free(table->pointers);
    free(table);
}
