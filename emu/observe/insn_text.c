/* SPDX-License-Identifier: MIT
 * Instructions with the names of a program's moves, groups and own instructions. */
#include "emu/observe/insn_text.h"

#include "emu/report/report.h"

void observe_names_open(struct text_names *names, const struct object *program,
                        const struct package *package) {
    *names = (struct text_names){.program = program, .package = package};
    object_users(program, &names->users, &names->arena, NULL);
}

void observe_names_close(struct text_names *names) {
    arena_free(&names->arena);
}

/* The words that run: where sizes have been filled in. */
static uint32_t word_at(const struct text_names *names, uint32_t index) {
    bool bound = names->package->text_count == names->program->text.len;
    return bound ? names->package->text[index] : names->program->text.data[index];
}

/* What stands for the operand that is a number in the program's tables; false: the number. */
static bool operand_name(const struct text_names *names, const struct insn *insn, struct str *out) {
    const struct object *o = names->program;
    size_t number = (uint32_t)insn->imm;
    enum debug_kind kind;
    if (insn->op == OP_COMPUTEG && number < o->groups.len)
        str_printf(out, "@%s", o->groups.data[number].name);
    else if (insn->op == OP_GMOVE && number < o->moves.len)
        str_append(out, o->moves.data[number].name);
    else if (isa_has_table(insn->op) && insn->lut < o->luts.len)
        str_append(out, o->luts.data[insn->lut].name);
    else if (isa_has_shape(insn->op) && insn->shape < o->products.len)
        str_append(out, o->products.data[insn->shape].name);
    else if (insn->op == OP_RECIPE && number < o->calls.len && package_call_kernel(o, number))
        object_kernel_call_text(o, &o->calls.data[number], out);
    else if (object_debug_kind(insn->op, &kind) && number < o->debugs.len)
        str_quote(out, o->debugs.data[number].text);
    else
        return false;
    return true;
}

void observe_text_insn(const struct text_names *names, uint32_t index, struct str *out) {
    struct str name = {0};
    struct insn x;
    if (index >= names->program->text.len ||
        object_decode(names->program, word_at(names, index), &x) != ISA_OK) {
        str_append(out, "?");
        return;
    }
    bool named = operand_name(names, &x, &name);
    isa_users_format(&names->users, &x, named ? str_text(&name) : NULL, out);
    if (object_number_at(names->program, index))
        object_number_text(names->program, object_number_at(names->program, index), out);
    str_free(&name);
}

bool observe_text_place(const struct text_names *names, uint32_t index, struct str *out) {
    struct place p = {.file = NO_INDEX};
    if (index < names->program->text.len)
        p = object_place(names->program, index);
    if (p.file >= names->program->files.len)
        return false;
    str_escape(out, report_path(names->program->files.data[p.file]));
    str_printf(out, ":%u", (unsigned)p.line);
    return true;
}
