/* SPDX-License-Identifier: MIT
 * Text as source that assembles to the same words, symbols, relocations and lines. */
#include "disasm/disasm.h"
#include "disasm/reassemble.h"

#include <inttypes.h>
#include <stdlib.h>

/* Ends of subroutines, ascending. */
struct ends {
    uint32_t *at;
    size_t count, next;
};

static int ascending(const void *left, const void *right) {
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return (x > y) - (x < y);
}

static struct ends find_ends(const struct object *object) {
    struct ends e = {.at = xcalloc(object->symbols.len + 1, sizeof *e.at)};
    for (size_t i = 0; i < object->symbols.len; i++) {
        const struct symbol *s = &object->symbols.data[i];
        if (s->kind == SYMBOL_SUB && s->defined && s->length)
            e.at[e.count++] = (uint32_t)s->value + s->length;
    }
    qsort(e.at, e.count, sizeof *e.at, ascending);
    return e;
}

static void write_ends(struct source_writer *writer, struct ends *ends, uint32_t index) {
    for (; ends->next < ends->count && ends->at[ends->next] <= index; ends->next++)
        str_append(writer->out, "        .endsub\n");
}

static void write_label(struct source_writer *writer, const struct symbol *symbol) {
    disasm_tell_place(writer, symbol->place);
    if (symbol->kind == SYMBOL_SUB)
        str_printf(writer->out, "        .sub %s\n%s", symbol->name,
                   symbol->length ? "" : "        .endsub\n");
    else
        str_printf(writer->out, "%s:\n", symbol->name);
}

static void write_labels(struct source_writer *writer, size_t *next, uint32_t index) {
    for (; *next < writer->names.count; ++*next) {
        const struct symbol *s = &writer->o->symbols.data[writer->names.by_value[*next]];
        if (s->value != (int64_t)index)
            return;
        write_label(writer, s);
    }
}

/* A name that is defined elsewhere has the place of its first use. */
static void mention(struct source_writer *writer, uint32_t symbol) {
    if (symbol == NO_INDEX || writer->mentioned[symbol])
        return;
    writer->mentioned[symbol] = true;
    if (!writer->o->symbols.data[symbol].defined)
        disasm_tell_place(writer, writer->o->symbols.data[symbol].place);
}

/* The name that stands for the operand; false if a number does. */
static bool operand_name(const struct source_writer *writer, const struct insn *insn,
                         const struct reloc *reloc, struct str *out) {
    if (insn->op == OP_RECIPE)
        disasm_call_text(&writer->names, (uint32_t)insn->imm, out);
    else if (reloc)
        disasm_reloc_target(writer->o, reloc, out);
    else if (isa_info(insn->op)->format == FORMAT_J)
        disasm_name_of_index(&writer->names, (uint32_t)insn->imm, out);
    else if (insn->op == OP_GMOVE && (uint32_t)insn->imm < writer->o->moves.len)
        str_append(out, writer->o->moves.data[insn->imm].name);
    else if (isa_has_table(insn->op))
        str_append(out, writer->o->luts.data[insn->lut].name);
    else if (isa_has_shape(insn->op))
        str_append(out, writer->o->products.data[insn->shape].name);
    else if (insn->op == OP_COMPUTEG && (uint32_t)insn->imm < writer->o->groups.len)
        str_printf(out, "@%s", writer->o->groups.data[insn->imm].name);
    return out->len > 0;
}

static void write_instruction(struct source_writer *writer, uint32_t index) {
    const struct reloc *r = disasm_reloc_of(writer->o, index);
    struct str name = {0};
    struct insn i;
    enum isa_error e;
    if (!disasm_decode(writer->o, index, r, &i, &e))
        return; /* an object holds only words that decode */
    if (r && r->type == RELOC_J24)
        mention(writer, r->target);
    if (i.op == OP_RECIPE)
        mention(writer, writer->o->calls.data[i.imm].otherwise);
    if (writer->o->debug_lines)
        disasm_tell_place(writer, object_place(writer->o, index));
    str_append(writer->out, "        ");
    bool named = operand_name(writer, &i, r, &name);
    isa_users_format(&writer->names.users, &i, named ? str_text(&name) : NULL, writer->out);
    if (object_number_at(writer->o, index))
        object_number_text(writer->o, object_number_at(writer->o, index), writer->out);
    str_char(writer->out, '\n');
    str_free(&name);
}

/* Ranges end before others begin: those that begin at `index`, from record *next on. */
static void write_finishes(struct source_writer *writer, size_t *next, uint32_t index) {
    const struct finish_record *all = writer->o->finishes.data;
    if (*next && all[*next - 1].last == index)
        str_append(writer->out, "        .endfinish\n");
    for (; *next < writer->o->finishes.len && all[*next].first == index; ++*next) {
        disasm_tell_place(writer, all[*next].place);
        str_append(writer->out, "        .finish ");
        object_finish_text(writer->o, &all[*next], writer->out);
        str_char(writer->out, '\n');
    }
}

static void write_text(struct source_writer *writer) {
    struct ends ends = find_ends(writer->o);
    size_t next = 0, finish = 0;
    for (uint32_t i = 0; i <= writer->o->text.len; i++) {
        write_ends(writer, &ends, i);
        write_labels(writer, &next, i);
        write_finishes(writer, &finish, i);
        if (i < writer->o->text.len)
            write_instruction(writer, i);
    }
    free(ends.at);
}

void disasm_reassemble(const struct object *object, struct str *out) {
    struct source_writer w = {.o = object, .out = out, .file = NO_INDEX};
    w.mentioned = xcalloc(object->symbols.len + 1, sizeof *w.mentioned);
    disasm_names_open(&w.names, object);
    disasm_write_declarations(&w);
    write_text(&w);
    disasm_write_symbols(&w);
    disasm_names_close(&w.names);
    free(w.mentioned);
}
