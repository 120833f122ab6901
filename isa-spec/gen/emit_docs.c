/* SPDX-License-Identifier: MIT
 * The ISA reference in Markdown: one page per set, the model that they share, an opcode map. */
#include "isa-spec/gen/gen.h"

#include <ctype.h>
#include <string.h>

static const char generated_note[] =
    "<!-- Generated from isa-spec/ by isa-gen; edit the tables. -->\n";

static bool has_operand_word(const struct isa_table *table, const struct instruction *in,
                             const char *word) {
    for (unsigned i = 0; i < in->operand_count; i++)
        if (strcmp(table->operands[in->operands[i]].word, word) == 0)
            return true;
    return false;
}

const char *gen_title_of(const struct isa_table *table, const struct instruction *in) {
    bool other_form = false;
    if (in->attributes & ATTR_USER)
        return gen_printf(table->pool, "USER_%02X to USER_%02X", in->user_first, in->user_last);
    for (unsigned i = 0; i < table->instruction_count; i++) {
        const struct instruction *o = &table->instructions[i];
        other_form |= o != in && strcmp(o->name, in->name) == 0 && !in->fixed_width;
    }
    if (!other_form)
        return gen_heading(table, in);
    return gen_printf(table->pool, "%s %s", in->name,
                      has_operand_word(table, in, "cond") ? "cond" : "rs");
}

/* The anchor that renderers make of a heading. */
static const char *anchor_of(const struct isa_table *table, const struct instruction *in) {
    const char *title = gen_title_of(table, in);
    struct gen_text a = {.pool = table->pool};
    for (; *title; title++) {
        char c = *title == ' ' ? '-' : (char)tolower((unsigned char)*title);
        if (c != '.')
            gen_text_add_n(&a, &c, 1);
    }
    return a.data;
}

static const char *link_of(const struct isa_table *table, const struct instruction *in) {
    return gen_printf(table->pool, "[%s](%s.md#%s)", gen_title_of(table, in),
                      table->extensions[in->set].file, anchor_of(table, in));
}

static const char *syntax_of(const struct isa_table *table, const struct instruction *in) {
    struct gen_text s = {.pool = table->pool};
    gen_text_add(&s, gen_heading(table, in));
    gen_text_add(&s, in->has_width ? ".w" : "");
    for (unsigned i = 0; i < in->operand_count; i++)
        gen_text_printf(&s, " %s", table->operands[in->operands[i]].syntax);
    return s.data;
}

/* A page has one entry for all opcodes of a `user` record. */
static bool has_entry(const struct instruction *in) {
    return !(in->attributes & ATTR_USER) || in->opcode == in->user_first;
}

/* Text within a table cell: a bar would end it. */
static void add_cell(struct gen_text *out, const char *text) {
    for (; *text; text++) {
        if (*text == '|')
            gen_text_add(out, "\\");
        gen_text_add_n(out, text, 1);
    }
}

/* What stands in a field of an instruction's word. */
static const char *field_content(const struct isa_table *table, const struct instruction *in,
                                 const struct field *field) {
    if (strcmp(field->name, "w") == 0)
        return in->has_width ? "w-1" : "0";
    if (strcmp(field->name, "mode") == 0)
        return in->attributes & (ATTR_MODES | ATTR_RESERVED) ? "mode" : "0";
    for (unsigned i = 0; i < in->operand_count; i++) {
        const struct operand_word *o = &table->operands[in->operands[i]];
        if (strcmp(o->field, field->name) == 0)
            return strcmp(o->word, "source") == 0 ? "v-1" : o->syntax;
    }
    return "0";
}

static void add_diagram(struct gen_text *out, const struct isa_table *table,
                        const struct instruction *in) {
    const struct format *f = &table->formats[in->format];
    gen_text_add(out, "| 31:24 |");
    for (unsigned i = 0; i < f->count; i++)
        gen_text_printf(out, " %u:%u |", f->fields[i].high, f->fields[i].low);
    gen_text_add(out, f->count ? "\n|---|" : " 23:0 |\n|---|---|");
    for (unsigned i = 0; i < f->count; i++)
        gen_text_add(out, "---|");
    if (in->attributes & ATTR_USER)
        gen_text_printf(out, "\n| `0x%02X` to `0x%02X` |", in->user_first, in->user_last);
    else
        gen_text_printf(out, "\n| `0x%02X` |", in->opcode);
    for (unsigned i = 0; i < f->count; i++)
        gen_text_printf(out, " %s |", field_content(table, in, &f->fields[i]));
    gen_text_add(out, f->count ? "\n\n" : " 0 |\n\n");
}

/* Sentences of a paragraph, a space between them. */
static void add_sentence(struct gen_text *out, const char *sentence) {
    if (out->len && out->data[out->len - 1] != '\n')
        gen_text_add(out, " ");
    gen_text_add(out, sentence);
}

static void add_effects(struct gen_text *out, const char *label, unsigned effects) {
    static const char *const names[] = {"rs", "rt", "rd", "C", "M"};
    const char *separator = " ";
    if (!effects)
        return;
    add_sentence(out, label);
    for (unsigned i = 0; i < 5; i++) {
        if (effects >> i & 1) {
            gen_text_printf(out, "%s%s", separator, names[i]);
            separator = ", ";
        }
    }
    gen_text_add(out, ".");
}

static void add_kind(struct gen_text *out, const struct instruction *in) {
    if (in->attributes & ATTR_UNMASKED)
        add_sentence(out, "Acts on every lane, masked or not.");
    else if (in->attributes & ATTR_VECTOR)
        add_sentence(out, "Respects the mask while predication is on.");
    if (in->attributes & ATTR_PREDICATE_ON)
        add_sentence(out, "Predication is on after it.");
    if (in->attributes & ATTR_PREDICATE_OFF)
        add_sentence(out, "Predication is off after it.");
    add_effects(out, "Reads", in->reads);
    add_effects(out, "Writes", in->writes);
    gen_text_add(out, "\n\n");
}

static void add_legality(struct gen_text *out, const struct isa_table *table,
                         const struct instruction *in) {
    if (has_operand_word(table, in, "source"))
        gen_text_add(out, "Illegal if v > w.\n\n");
    if (has_operand_word(table, in, "vrf"))
        gen_text_add(out, "Illegal if the VRF is 64 or more.\n\n");
    if (in->attributes & ATTR_FLOAT)
        gen_text_add(out, "Illegal unless w is 16, 32 or 64.\n\n");
    if (in->attributes & ATTR_BFLOAT)
        gen_text_add(out, "Illegal unless w is 16.\n\n");
    if (has_operand_word(table, in, "conversion"))
        gen_text_add(
            out,
            "Illegal if n is none of 0 to 5, 8 to 11, and, where w is 16, 16 to 21 and 24 to 27.\n\n");
    if (in->attributes & ATTR_DISTINCT)
        gen_text_add(out, "Illegal if rd and rt are the same register.\n\n");
    if (has_operand_word(table, in, "imm") && in->piece)
        gen_text_printf(
            out,
            "Illegal if w <= %u, or if i does not fit n = min(12, w - %u) bits: it must lie "
            "in -2^(n-1) .. 2^n - 1.\n\n",
            12 * in->piece, 12 * in->piece);
    else if (has_operand_word(table, in, "imm"))
        gen_text_add(out,
                     "Illegal if i does not fit n = min(12, w) bits: it must lie in -2^(n-1) .. "
                     "2^n - 1.\n\n");
}

static void add_decision(struct gen_text *out, const struct prose *prose) {
    if (*prose->decision)
        gen_text_printf(out, "*Decision.* %s *Reason.* %s\n\n", prose->decision, prose->reason);
}

static void add_instruction(struct gen_text *out, const struct isa_table *table,
                            const struct costs *costs, const struct instruction *in) {
    gen_text_printf(out, "### %s\n\n`%s`\n\n", gen_title_of(table, in), syntax_of(table, in));
    add_diagram(out, table, in);
    gen_text_printf(out, "Operation: `%s`\n\n", in->prose.operation);
    gen_text_printf(out, "%s\n\n", in->prose.text);
    if (in->attributes & ATTR_RESERVED) {
        gen_text_add(out, "Allotted; no tool takes it yet.\n\n");
        return;
    }
    if (in->reads || in->writes)
        add_kind(out, in);
    add_legality(out, table, in);
    if (*in->prose.golden)
        gen_text_printf(out, "In C, on one lane, results cut to w bits: `%s`\n\n",
                        in->prose.golden);
    add_decision(out, &in->prose);
    if (in->attributes & ATTR_VECTOR && !(in->attributes & ATTR_USER))
        gen_emit_costs(out, table, costs, in);
}

static void add_class(struct gen_text *out, const struct isa_table *table,
                      const struct costs *costs, unsigned set, const struct opclass *opclass) {
    bool any = false;
    for (unsigned i = 0; i < table->instruction_count; i++) {
        const struct instruction *in = &table->instructions[i];
        if (in->set != set || in->opcode < opclass->low || in->opcode > opclass->high ||
            !has_entry(in))
            continue;
        if (!any)
            gen_text_printf(out, "## %s\n\n", opclass->title);
        any = true;
        add_instruction(out, table, costs, in);
    }
}

static bool emit_set(const struct isa_table *table, const struct costs *costs, const char *dir,
                     unsigned set) {
    const struct extension *e = &table->extensions[set];
    struct gen_text o = {.pool = table->pool};
    bool is_base = strcmp(e->name, "base") == 0;
    gen_text_printf(&o, "%s# %s%s%s\n\n", generated_note, is_base ? "" : "Set ",
                    is_base ? "" : e->name,
                    is_base ? e->title : gen_printf(table->pool, ": %s", e->title));
    gen_text_add(&o, "[Reference](README.md), [model](model.md), [opcode map](opcodes.md)\n\n");
    for (unsigned i = 0; i < table->class_count; i++)
        add_class(&o, table, costs, set, &table->classes[i]);
    for (unsigned i = 0; i < table->reserve_count; i++)
        if (table->reserves[i].set == set)
            gen_text_printf(&o, "Opcodes 0x%02X to 0x%02X are reserved: %s.\n\n",
                            table->reserves[i].low, table->reserves[i].high,
                            table->reserves[i].why);
    return gen_text_write(&o, dir, gen_printf(table->pool, "%s.md", e->file));
}

static void add_formats(struct gen_text *out, const struct isa_table *table) {
    gen_text_add(out,
                 "## Formats\n\nBits 31:24 are the opcode.\n\n| format | bits 23:0 |\n|---|---|\n");
    for (unsigned i = 0; i < table->format_count; i++) {
        const struct format *f = &table->formats[i];
        gen_text_printf(out, "| %s |", f->name);
        for (unsigned k = 0; k < f->count; k++)
            gen_text_printf(out, "%s %s %u:%u", k ? "," : "", f->fields[k].name, f->fields[k].high,
                            f->fields[k].low);
        gen_text_add(out, f->count ? " |\n" : " zero |\n");
    }
    gen_text_add(out, "\nField w holds the width less one.\n\n");
}

static void add_operands(struct gen_text *out, const struct isa_table *table) {
    gen_text_add(out,
                 "## Operands\n\nSources come first, the destination last. Operands of different "
                 "kinds are told apart by\ntheir prefix, so they may be written in any order.\n\n"
                 "| written | meaning |\n|---|---|\n");
    for (unsigned i = 0; i < table->operand_count; i++)
        gen_text_printf(out, "| `%s` | %s |\n", table->operands[i].syntax, table->operands[i].what);
    gen_text_add(out, "\n");
}

static bool emit_model(const struct isa_table *table, const char *dir) {
    struct gen_text o = {.pool = table->pool};
    gen_text_printf(&o, "%s# The model\n\nWhat all instructions share.\n\n", generated_note);
    add_formats(&o, table);
    add_operands(&o, table);
    for (unsigned i = 0; i < table->topic_count; i++) {
        gen_text_printf(&o, "## %s\n\n%s\n\n", table->topics[i].title, table->topics[i].prose.text);
        add_decision(&o, &table->topics[i].prose);
    }
    return gen_text_write(&o, dir, "model.md");
}

static void add_summary(struct gen_text *out, const struct isa_table *table,
                        const struct opclass *opclass) {
    bool any = false;
    for (unsigned i = 0; i < table->instruction_count; i++) {
        const struct instruction *in = &table->instructions[i];
        if (in->opcode < opclass->low || in->opcode > opclass->high || !has_entry(in))
            continue;
        if (!any)
            gen_text_printf(
                out, "## %s\n\n| instruction | set | syntax | operation |\n|---|---|---|---|\n",
                opclass->title);
        any = true;
        gen_text_printf(out, "| %s | %s | `%s` | `", link_of(table, in),
                        table->extensions[in->set].name, syntax_of(table, in));
        add_cell(out, in->prose.operation);
        gen_text_add(out, in->attributes & ATTR_RESERVED ? "` (reserved) |\n" : "` |\n");
    }
    gen_text_add(out, any ? "\n" : "");
}

static bool emit_index(const struct isa_table *table, const char *dir) {
    struct gen_text o = {.pool = table->pool};
    gen_text_printf(
        &o,
        "%s# The MPU ISA\n\nInstructions of 32 bits, registers of 64 bits, a width of 1 to "
        "64 bits in every vector\ninstruction. The base set is Table II of the MPU paper; "
        "the other sets are this\nproject's. Where the paper is silent or contradicts "
        "itself, the entry says what was\ndecided and why.\n\n"
        "* [Model](model.md): state, formats, operands, predication, messages\n"
        "* [Opcode map](opcodes.md)\n",
        generated_note);
    for (unsigned i = 0; i < table->extension_count; i++)
        gen_text_printf(&o, "* Set %s: [%s](%s.md)\n", table->extensions[i].name,
                        table->extensions[i].title, table->extensions[i].file);
    gen_text_add(&o, "\n");
    for (unsigned i = 0; i < table->class_count; i++)
        add_summary(&o, table, &table->classes[i]);
    return gen_text_write(&o, dir, "README.md");
}

static const char *map_link(const struct isa_table *table, const struct instruction *in) {
    if (!(in->attributes & ATTR_USER))
        return link_of(table, in);
    return gen_printf(table->pool, "[%s](%s.md#%s)", in->name, table->extensions[in->set].file,
                      anchor_of(table, in));
}

static const char *map_cell(const struct isa_table *table, unsigned opcode) {
    for (unsigned i = 0; i < table->instruction_count; i++)
        if (table->instructions[i].opcode == opcode)
            return map_link(table, &table->instructions[i]);
    for (unsigned i = 0; i < table->reserve_count; i++)
        if (opcode >= table->reserves[i].low && opcode <= table->reserves[i].high)
            return gen_printf(table->pool, "(%s)", table->extensions[table->reserves[i].set].name);
    return "";
}

static bool emit_map(const struct isa_table *table, const char *dir) {
    struct gen_text o = {.pool = table->pool};
    gen_text_printf(&o,
                    "%s# Opcode map\n\nRow: high four bits; column: low four bits. Empty cells are "
                    "illegal, a set in brackets is\nreserved for that set.\n\n| |",
                    generated_note);
    for (unsigned low = 0; low < 16; low++)
        gen_text_printf(&o, " %X |", low);
    gen_text_add(&o, "\n|---|");
    for (unsigned low = 0; low < 16; low++)
        gen_text_add(&o, "---|");
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        if (opcode % 16 == 0)
            gen_text_printf(&o, "\n| %X |", opcode / 16);
        gen_text_printf(&o, " %s |", map_cell(table, opcode));
    }
    gen_text_add(&o, "\n");
    return gen_text_write(&o, dir, "opcodes.md");
}

bool gen_emit_docs(const struct isa_table *table, const struct costs *costs, const char *dir) {
    bool ok = emit_index(table, dir) && emit_model(table, dir) && emit_map(table, dir);
    for (unsigned i = 0; ok && i < table->extension_count; i++)
        ok = emit_set(table, costs, dir, i);
    return ok;
}
