/* SPDX-License-Identifier: MIT
 * -d: the text, with labels, names of targets and, on demand, source lines and relocations. */
#include "disasm/dump.h"

#include <inttypes.h>
#include <string.h>

static void put_labels(struct dump *dump, size_t *next, uint32_t index) {
    const struct symbol_names *n = &dump->names;
    for (; *next < n->count; ++*next) {
        const struct symbol *s = &dump->o->symbols.data[n->by_value[*next]];
        if (s->value != (int64_t)index)
            return;
        str_printf(dump->out, "\n%08" PRIu32 " <%s>:\n", index, s->name);
    }
}

/* "12 <loop>"; before linking the relocation knows better than the word. */
static void jump_operand(const struct dump *dump, const struct insn *insn,
                         const struct reloc *reloc, struct str *out) {
    if (reloc) {
        const struct symbol *s = &dump->o->symbols.data[reloc->target];
        if (s->defined)
            str_printf(out, "%" PRId64 " ", s->value + reloc->addend);
        str_char(out, '<');
        disasm_reloc_target(dump->o, reloc, out);
        str_char(out, '>');
        return;
    }
    struct str name = {0};
    disasm_name_of_index(&dump->names, (uint32_t)insn->imm, &name);
    str_printf(out, "%" PRId32, insn->imm);
    if (name.len)
        str_printf(out, " <%s>", name.text);
    str_free(&name);
}

/* The operand that a name stands for; false if the number does. */
static bool symbolic_operand(const struct dump *dump, const struct insn *insn, uint32_t index,
                             struct str *out) {
    const struct reloc *r = disasm_reloc_of(dump->o, index);
    if (isa_info(insn->op)->format == FORMAT_J) {
        jump_operand(dump, insn, r, out);
        return true;
    }
    if (insn->op == OP_RECIPE && (uint32_t)insn->imm < dump->o->calls.len) {
        disasm_call_text(&dump->names, (uint32_t)insn->imm, out);
        return true;
    }
    if (r) {
        disasm_reloc_target(dump->o, r, out);
        return true;
    }
    if (insn->op == OP_GMOVE && (uint32_t)insn->imm < dump->o->moves.len) {
        str_append(out, dump->o->moves.data[insn->imm].name);
        return true;
    }
    if (isa_has_table(insn->op) && insn->lut < dump->o->luts.len) {
        str_append(out, dump->o->luts.data[insn->lut].name);
        return true;
    }
    if (isa_has_shape(insn->op) && insn->shape < dump->o->products.len) {
        str_append(out, dump->o->products.data[insn->shape].name);
        return true;
    }
    if (insn->op != OP_COMPUTEG || (uint32_t)insn->imm >= dump->o->groups.len)
        return false;
    str_printf(out, "@%s", dump->o->groups.data[insn->imm].name);
    return true;
}

/* The record that MARK, PRINT or ASSERT names, as a comment. */
static void put_debug(const struct dump *dump, const struct insn *insn, uint32_t index) {
    enum debug_kind kind;
    const struct reloc *r = disasm_reloc_of(dump->o, index);
    uint32_t record = r ? r->target : (uint32_t)insn->imm;
    if (!object_debug_kind(insn->op, &kind) || record >= dump->o->debugs.len)
        return;
    const struct debug_record *g = &dump->o->debugs.data[record];
    str_append(dump->out, "    ; ");
    str_quote(dump->out, g->text);
    if (g->kind == DEBUG_PRINT) {
        char type[8];
        object_type_text(g->type, type);
        str_printf(dump->out, " r%u: %s", g->reg, type);
    }
}

/* What a GMOVE moves, as a comment. */
static void put_move(const struct dump *dump, const struct insn *insn, uint32_t index) {
    const struct reloc *r = disasm_reloc_of(dump->o, index);
    uint32_t move = r ? r->target : (uint32_t)insn->imm;
    if (insn->op != OP_GMOVE || move >= dump->o->moves.len)
        return;
    struct str text = {0}; /* "$M0 u16 ...", whose name the instruction has already */
    disasm_move_text(dump->o, &dump->o->moves.data[move], &text);
    str_printf(dump->out, "    ; %s", text.text + strlen(dump->o->moves.data[move].name) + 1);
    str_free(&text);
}

static void put_instruction(struct dump *dump, uint32_t index) {
    uint32_t word = dump->o->text.data[index];
    struct insn i;
    struct str symbol = {0};
    enum isa_error e;
    disasm_decode(dump->o, index, disasm_reloc_of(dump->o, index), &i, &e);
    str_printf(dump->out, "%8" PRIu32 ":", index);
    if (!(dump->actions & DISASM_NO_RAW))
        str_printf(dump->out, " %08" PRIx32, word);
    str_append(dump->out, "  ");
    if (e != ISA_OK) {
        str_printf(dump->out, ".word 0x%08" PRIx32 "    ; %s\n", word, isa_error_text(e));
        return;
    }
    bool named = symbolic_operand(dump, &i, index, &symbol);
    isa_users_format(&dump->names.users, &i, named ? str_text(&symbol) : NULL, dump->out);
    if (object_number_at(dump->o, index))
        object_number_text(dump->o, object_number_at(dump->o, index), dump->out);
    put_debug(dump, &i, index);
    put_move(dump, &i, index);
    str_char(dump->out, '\n');
    str_free(&symbol);
}

static void put_reloc(struct dump *dump, uint32_t index) {
    const struct reloc *r = disasm_reloc_of(dump->o, index);
    if (!r)
        return;
    str_printf(dump->out, "\t\t%8" PRIu32 ": ", index);
    disasm_reloc_type_name(r, dump->out);
    str_char(dump->out, '\t');
    disasm_reloc_target(dump->o, r, dump->out);
    str_char(dump->out, '\n');
}

void disasm_text(struct dump *dump) {
    struct dump_sources *sources = disasm_sources_new(dump->o);
    size_t next = 0;
    str_append(dump->out, "\nDisassembly of section .text:\n");
    if (dump->names.count == 0 || disasm_names_from(&dump->names, 1) == 0)
        str_char(dump->out, '\n');
    for (uint32_t i = 0; i < dump->o->text.len; i++) {
        put_labels(dump, &next, i);
        disasm_source_before(sources, i, dump->actions, dump->out);
        put_instruction(dump, i);
        if (dump->actions & DISASM_RELOCS)
            put_reloc(dump, i);
    }
    put_labels(dump, &next, (uint32_t)dump->o->text.len);
    disasm_sources_free(sources);
}
