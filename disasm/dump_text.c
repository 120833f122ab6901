/* SPDX-License-Identifier: MIT
 * -d: the text, with labels, names of targets and, on demand, source lines and relocations. */
#include "disasm/dump.h"

#include <inttypes.h>

static void put_labels(struct dump *x, size_t *next, uint32_t index) {
    const struct symbol_names *n = &x->names;
    for (; *next < n->count; ++*next) {
        const struct symbol *s = &x->o->symbols.data[n->by_value[*next]];
        if (s->value != (int64_t)index)
            return;
        str_printf(x->out, "\n%08" PRIu32 " <%s>:\n", index, s->name);
    }
}

/* "12 <loop>"; before linking the relocation knows better than the word. */
static void jump_operand(const struct dump *x, const struct insn *i, const struct reloc *r,
                         struct str *out) {
    if (r) {
        const struct symbol *s = &x->o->symbols.data[r->target];
        if (s->defined)
            str_printf(out, "%" PRId64 " ", s->value + r->addend);
        str_char(out, '<');
        disasm_reloc_target(x->o, r, out);
        str_char(out, '>');
        return;
    }
    struct str name = {0};
    disasm_name_of_index(&x->names, (uint32_t)i->imm, &name);
    str_printf(out, "%" PRId32, i->imm);
    if (name.len)
        str_printf(out, " <%s>", name.text);
    str_free(&name);
}

/* The operand that a name stands for; false if the number does. */
static bool symbolic_operand(const struct dump *x, const struct insn *i, uint32_t index,
                             struct str *out) {
    const struct reloc *r = disasm_reloc_of(x->o, index);
    if (isa_info(i->op)->format == FORMAT_J) {
        jump_operand(x, i, r, out);
        return true;
    }
    if (i->op == OP_RECIPE && (uint32_t)i->imm < x->o->calls.len) {
        disasm_call_text(&x->names, (uint32_t)i->imm, out);
        return true;
    }
    if (r) {
        disasm_reloc_target(x->o, r, out);
        return true;
    }
    if (i->op == OP_GMOVE && (uint32_t)i->imm < x->o->moves.len) {
        str_append(out, x->o->moves.data[i->imm].name);
        return true;
    }
    if (i->op != OP_COMPUTEG || (uint32_t)i->imm >= x->o->groups.len)
        return false;
    str_printf(out, "@%s", x->o->groups.data[i->imm].name);
    return true;
}

/* The record that MARK, PRINT or ASSERT names, as a comment. */
static void put_debug(const struct dump *x, const struct insn *i, uint32_t index) {
    enum debug_kind kind;
    const struct reloc *r = disasm_reloc_of(x->o, index);
    uint32_t record = r ? r->target : (uint32_t)i->imm;
    if (!object_debug_kind(i->op, &kind) || record >= x->o->debugs.len)
        return;
    const struct debug_record *g = &x->o->debugs.data[record];
    str_append(x->out, "    ; ");
    str_quote(x->out, g->text);
    if (g->kind == DEBUG_PRINT) {
        char type[8];
        object_type_text(g->type, type);
        str_printf(x->out, " r%u: %s", g->reg, type);
    }
}

static void put_instruction(struct dump *x, uint32_t index) {
    uint32_t word = x->o->text.data[index];
    struct insn i;
    struct str symbol = {0};
    enum isa_error e = isa_decode(word, &i);
    str_printf(x->out, "%8" PRIu32 ":", index);
    if (!(x->actions & DISASM_NO_RAW))
        str_printf(x->out, " %08" PRIx32, word);
    str_append(x->out, "  ");
    if (e != ISA_OK) {
        str_printf(x->out, ".word 0x%08" PRIx32 "    ; %s\n", word, isa_error_text(e));
        return;
    }
    bool named = symbolic_operand(x, &i, index, &symbol);
    isa_users_format(&x->names.users, &i, named ? str_text(&symbol) : NULL, x->out);
    put_debug(x, &i, index);
    str_char(x->out, '\n');
    str_free(&symbol);
}

static void put_reloc(struct dump *x, uint32_t index) {
    const struct reloc *r = disasm_reloc_of(x->o, index);
    if (!r)
        return;
    str_printf(x->out, "\t\t%8" PRIu32 ": ", index);
    disasm_reloc_type_name(r, x->out);
    str_char(x->out, '\t');
    disasm_reloc_target(x->o, r, x->out);
    str_char(x->out, '\n');
}

void disasm_text(struct dump *x) {
    struct dump_sources *sources = disasm_sources_new(x->o);
    size_t next = 0;
    str_append(x->out, "\nDisassembly of section .text:\n");
    if (x->names.count == 0 || disasm_names_from(&x->names, 1) == 0)
        str_char(x->out, '\n');
    for (uint32_t i = 0; i < x->o->text.len; i++) {
        put_labels(x, &next, i);
        disasm_source_before(sources, i, x->actions, x->out);
        put_instruction(x, i);
        if (x->actions & DISASM_RELOCS)
            put_reloc(x, i);
    }
    put_labels(x, &next, (uint32_t)x->o->text.len);
    disasm_sources_free(sources);
}
