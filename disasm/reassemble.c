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

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static struct ends find_ends(const struct object *o) {
    struct ends e = {.at = xcalloc(o->symbols.len + 1, sizeof *e.at)};
    for (size_t i = 0; i < o->symbols.len; i++) {
        const struct symbol *s = &o->symbols.data[i];
        if (s->kind == SYMBOL_SUB && s->defined && s->length)
            e.at[e.count++] = (uint32_t)s->value + s->length;
    }
    qsort(e.at, e.count, sizeof *e.at, ascending);
    return e;
}

static void write_ends(struct source_writer *w, struct ends *e, uint32_t index) {
    for (; e->next < e->count && e->at[e->next] <= index; e->next++)
        str_append(w->out, "        .endsub\n");
}

static void write_label(struct source_writer *w, const struct symbol *s) {
    disasm_tell_place(w, s->place);
    if (s->kind == SYMBOL_SUB)
        str_printf(w->out, "        .sub %s\n%s", s->name, s->length ? "" : "        .endsub\n");
    else
        str_printf(w->out, "%s:\n", s->name);
}

static void write_labels(struct source_writer *w, size_t *next, uint32_t index) {
    for (; *next < w->names.count; ++*next) {
        const struct symbol *s = &w->o->symbols.data[w->names.by_value[*next]];
        if (s->value != (int64_t)index)
            return;
        write_label(w, s);
    }
}

/* A name that is defined elsewhere has the place of its first use. */
static void mention(struct source_writer *w, uint32_t symbol) {
    if (symbol == NO_INDEX || w->mentioned[symbol])
        return;
    w->mentioned[symbol] = true;
    if (!w->o->symbols.data[symbol].defined)
        disasm_tell_place(w, w->o->symbols.data[symbol].place);
}

/* The name that stands for the operand; false if a number does. */
static bool operand_name(const struct source_writer *w, const struct insn *i, const struct reloc *r,
                         struct str *out) {
    if (i->op == OP_RECIPE)
        disasm_call_text(&w->names, (uint32_t)i->imm, out);
    else if (r)
        disasm_reloc_target(w->o, r, out);
    else if (isa_info(i->op)->format == FORMAT_J)
        disasm_name_of_index(&w->names, (uint32_t)i->imm, out);
    else if (i->op == OP_GMOVE && (uint32_t)i->imm < w->o->moves.len)
        str_append(out, w->o->moves.data[i->imm].name);
    else if (i->op == OP_COMPUTEG && (uint32_t)i->imm < w->o->groups.len)
        str_printf(out, "@%s", w->o->groups.data[i->imm].name);
    return out->len > 0;
}

static void write_instruction(struct source_writer *w, uint32_t index) {
    const struct reloc *r = disasm_reloc_of(w->o, index);
    struct str name = {0};
    struct insn i;
    if (isa_decode(w->o->text.data[index], &i) != ISA_OK)
        return; /* an object holds only words that decode */
    if (r && r->type == RELOC_J24)
        mention(w, r->target);
    if (i.op == OP_RECIPE)
        mention(w, w->o->calls.data[i.imm].otherwise);
    if (w->o->debug_lines)
        disasm_tell_place(w, object_place(w->o, index));
    str_append(w->out, "        ");
    bool named = operand_name(w, &i, r, &name);
    isa_users_format(&w->names.users, &i, named ? str_text(&name) : NULL, w->out);
    str_char(w->out, '\n');
    str_free(&name);
}

/* Ranges end before others begin: those that begin at `index`, from record *next on. */
static void write_finishes(struct source_writer *w, size_t *next, uint32_t index) {
    const struct finish_record *all = w->o->finishes.data;
    if (*next && all[*next - 1].last == index)
        str_append(w->out, "        .endfinish\n");
    for (; *next < w->o->finishes.len && all[*next].first == index; ++*next) {
        disasm_tell_place(w, all[*next].place);
        str_append(w->out, "        .finish ");
        object_finish_text(w->o, &all[*next], w->out);
        str_char(w->out, '\n');
    }
}

static void write_text(struct source_writer *w) {
    struct ends ends = find_ends(w->o);
    size_t next = 0, finish = 0;
    for (uint32_t i = 0; i <= w->o->text.len; i++) {
        write_ends(w, &ends, i);
        write_labels(w, &next, i);
        write_finishes(w, &finish, i);
        if (i < w->o->text.len)
            write_instruction(w, i);
    }
    free(ends.at);
}

void disasm_reassemble(const struct object *o, struct str *out) {
    struct source_writer w = {.o = o, .out = out, .file = NO_INDEX};
    w.mentioned = xcalloc(o->symbols.len + 1, sizeof *w.mentioned);
    disasm_names_open(&w.names, o);
    disasm_write_declarations(&w);
    write_text(&w);
    disasm_write_symbols(&w);
    disasm_names_close(&w.names);
    free(w.mentioned);
}
