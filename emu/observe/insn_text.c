/* SPDX-License-Identifier: MIT */
#include "emu/observe/insn_text.h"

#include "emu/report/report.h"

void observe_names_open(struct text_names *n, const struct object *program,
                        const struct package *package) {
    *n = (struct text_names){.program = program, .package = package};
    object_users(program, &n->users, &n->arena, NULL);
}

void observe_names_close(struct text_names *n) {
    arena_free(&n->arena);
}

/* The words that run: where sizes have been filled in. */
static uint32_t word_at(const struct text_names *n, uint32_t index) {
    bool bound = n->package->text_count == n->program->text.len;
    return bound ? n->package->text[index] : n->program->text.data[index];
}

/* What stands for the operand that is a number in the program's tables; false: the number. */
static bool operand_name(const struct text_names *n, const struct insn *x, struct str *out) {
    const struct object *o = n->program;
    size_t number = (uint32_t)x->imm;
    enum debug_kind kind;
    if (x->op == OP_COMPUTEG && number < o->groups.len)
        str_printf(out, "@%s", o->groups.data[number].name);
    else if (x->op == OP_GMOVE && number < o->moves.len)
        str_append(out, o->moves.data[number].name);
    else if (object_debug_kind(x->op, &kind) && number < o->debugs.len)
        str_quote(out, o->debugs.data[number].text);
    else
        return false;
    return true;
}

void observe_text_insn(const struct text_names *n, uint32_t index, struct str *out) {
    struct str name = {0};
    struct insn x;
    if (index >= n->program->text.len || isa_decode(word_at(n, index), &x) != ISA_OK) {
        str_append(out, "?");
        return;
    }
    bool named = operand_name(n, &x, &name);
    isa_users_format(&n->users, &x, named ? str_text(&name) : NULL, out);
    str_free(&name);
}

bool observe_text_place(const struct text_names *n, uint32_t index, struct str *out) {
    struct place p = {.file = NO_INDEX};
    if (index < n->program->text.len)
        p = object_place(n->program, index);
    if (p.file >= n->program->files.len)
        return false;
    str_escape(out, report_path(n->program->files.data[p.file]));
    str_printf(out, ":%u", (unsigned)p.line);
    return true;
}
