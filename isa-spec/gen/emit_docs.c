/* SPDX-License-Identifier: MIT
 * The ISA reference in Markdown: one page per set, the model that they share, an opcode map. */
#include "isa-spec/gen/gen.h"

#include <ctype.h>
#include <string.h>

static const char generated_note[] =
    "<!-- Generated from isa-spec/ by isa-gen; edit the tables. -->\n";

static bool has_operand_word(const struct isa_table *t, const struct instruction *in,
                             const char *word) {
    for (unsigned i = 0; i < in->operand_count; i++)
        if (strcmp(t->operands[in->operands[i]].word, word) == 0)
            return true;
    return false;
}

const char *gen_title_of(const struct isa_table *t, const struct instruction *in) {
    bool other_form = false;
    if (in->attributes & ATTR_USER)
        return gen_printf(t->pool, "USER_%02X to USER_%02X", in->user_first, in->user_last);
    for (unsigned i = 0; i < t->instruction_count; i++) {
        const struct instruction *o = &t->instructions[i];
        other_form |= o != in && strcmp(o->name, in->name) == 0 && !in->fixed_width;
    }
    if (!other_form)
        return gen_heading(t, in);
    return gen_printf(t->pool, "%s %s", in->name, has_operand_word(t, in, "cond") ? "cond" : "rs");
}

/* The anchor that renderers make of a heading. */
static const char *anchor_of(const struct isa_table *t, const struct instruction *in) {
    const char *title = gen_title_of(t, in);
    struct gen_text a = {.pool = t->pool};
    for (; *title; title++) {
        char c = *title == ' ' ? '-' : (char)tolower((unsigned char)*title);
        if (c != '.')
            gen_text_add_n(&a, &c, 1);
    }
    return a.data;
}

static const char *link_of(const struct isa_table *t, const struct instruction *in) {
    return gen_printf(t->pool, "[%s](%s.md#%s)", gen_title_of(t, in), t->extensions[in->set].file,
                      anchor_of(t, in));
}

static const char *syntax_of(const struct isa_table *t, const struct instruction *in) {
    struct gen_text s = {.pool = t->pool};
    gen_text_add(&s, gen_heading(t, in));
    gen_text_add(&s, in->has_width ? ".w" : "");
    for (unsigned i = 0; i < in->operand_count; i++)
        gen_text_printf(&s, " %s", t->operands[in->operands[i]].syntax);
    return s.data;
}

/* A page has one entry for all opcodes of a `user` record. */
static bool has_entry(const struct instruction *in) {
    return !(in->attributes & ATTR_USER) || in->opcode == in->user_first;
}

/* Text within a table cell: a bar would end it. */
static void add_cell(struct gen_text *o, const char *s) {
    for (; *s; s++) {
        if (*s == '|')
            gen_text_add(o, "\\");
        gen_text_add_n(o, s, 1);
    }
}

/* What stands in a field of an instruction's word. */
static const char *field_content(const struct isa_table *t, const struct instruction *in,
                                 const struct field *f) {
    if (strcmp(f->name, "w") == 0)
        return in->has_width ? "w-1" : "0";
    if (strcmp(f->name, "mode") == 0)
        return in->attributes & (ATTR_MODES | ATTR_RESERVED) ? "mode" : "0";
    for (unsigned i = 0; i < in->operand_count; i++) {
        const struct operand_word *o = &t->operands[in->operands[i]];
        if (strcmp(o->field, f->name) == 0)
            return strcmp(o->word, "source") == 0 ? "v-1" : o->syntax;
    }
    return "0";
}

static void add_diagram(struct gen_text *o, const struct isa_table *t,
                        const struct instruction *in) {
    const struct format *f = &t->formats[in->format];
    gen_text_add(o, "| 31:24 |");
    for (unsigned i = 0; i < f->count; i++)
        gen_text_printf(o, " %u:%u |", f->fields[i].high, f->fields[i].low);
    gen_text_add(o, f->count ? "\n|---|" : " 23:0 |\n|---|---|");
    for (unsigned i = 0; i < f->count; i++)
        gen_text_add(o, "---|");
    if (in->attributes & ATTR_USER)
        gen_text_printf(o, "\n| `0x%02X` to `0x%02X` |", in->user_first, in->user_last);
    else
        gen_text_printf(o, "\n| `0x%02X` |", in->opcode);
    for (unsigned i = 0; i < f->count; i++)
        gen_text_printf(o, " %s |", field_content(t, in, &f->fields[i]));
    gen_text_add(o, f->count ? "\n\n" : " 0 |\n\n");
}

/* Sentences of a paragraph, a space between them. */
static void add_sentence(struct gen_text *o, const char *sentence) {
    if (o->len && o->data[o->len - 1] != '\n')
        gen_text_add(o, " ");
    gen_text_add(o, sentence);
}

static void add_effects(struct gen_text *o, const char *label, unsigned effects) {
    static const char *const names[] = {"rs", "rt", "rd", "C", "M"};
    const char *separator = " ";
    if (!effects)
        return;
    add_sentence(o, label);
    for (unsigned i = 0; i < 5; i++) {
        if (effects >> i & 1) {
            gen_text_printf(o, "%s%s", separator, names[i]);
            separator = ", ";
        }
    }
    gen_text_add(o, ".");
}

static void add_kind(struct gen_text *o, const struct instruction *in) {
    if (in->attributes & ATTR_UNMASKED)
        add_sentence(o, "Acts on every lane, masked or not.");
    else if (in->attributes & ATTR_VECTOR)
        add_sentence(o, "Respects the mask while predication is on.");
    if (in->attributes & ATTR_PREDICATE_ON)
        add_sentence(o, "Predication is on after it.");
    if (in->attributes & ATTR_PREDICATE_OFF)
        add_sentence(o, "Predication is off after it.");
    add_effects(o, "Reads", in->reads);
    add_effects(o, "Writes", in->writes);
    gen_text_add(o, "\n\n");
}

static void add_legality(struct gen_text *o, const struct isa_table *t,
                         const struct instruction *in) {
    if (has_operand_word(t, in, "source"))
        gen_text_add(o, "Illegal if v > w.\n\n");
    if (has_operand_word(t, in, "vrf"))
        gen_text_add(o, "Illegal if the VRF is 64 or more.\n\n");
    if (in->attributes & ATTR_DISTINCT)
        gen_text_add(o, "Illegal if rd and rt are the same register.\n\n");
    if (has_operand_word(t, in, "imm") && in->piece)
        gen_text_printf(
            o,
            "Illegal if w <= %u, or if i does not fit n = min(12, w - %u) bits: it must lie "
            "in -2^(n-1) .. 2^n - 1.\n\n",
            12 * in->piece, 12 * in->piece);
    else if (has_operand_word(t, in, "imm"))
        gen_text_add(o, "Illegal if i does not fit n = min(12, w) bits: it must lie in -2^(n-1) .. "
                        "2^n - 1.\n\n");
}

static void add_decision(struct gen_text *o, const struct prose *p) {
    if (*p->decision)
        gen_text_printf(o, "*Decision.* %s *Reason.* %s\n\n", p->decision, p->reason);
}

static void add_instruction(struct gen_text *o, const struct isa_table *t, const struct costs *c,
                            const struct instruction *in) {
    gen_text_printf(o, "### %s\n\n`%s`\n\n", gen_title_of(t, in), syntax_of(t, in));
    add_diagram(o, t, in);
    gen_text_printf(o, "Operation: `%s`\n\n", in->prose.operation);
    gen_text_printf(o, "%s\n\n", in->prose.text);
    if (in->attributes & ATTR_RESERVED) {
        gen_text_add(o, "Allotted; no tool takes it yet.\n\n");
        return;
    }
    if (in->reads || in->writes)
        add_kind(o, in);
    add_legality(o, t, in);
    if (*in->prose.golden)
        gen_text_printf(o, "In C, on one lane, results cut to w bits: `%s`\n\n", in->prose.golden);
    add_decision(o, &in->prose);
    if (in->attributes & ATTR_VECTOR && !(in->attributes & ATTR_USER))
        gen_emit_costs(o, t, c, in);
}

static void add_class(struct gen_text *o, const struct isa_table *t, const struct costs *costs,
                      unsigned set, const struct opclass *c) {
    bool any = false;
    for (unsigned i = 0; i < t->instruction_count; i++) {
        const struct instruction *in = &t->instructions[i];
        if (in->set != set || in->opcode < c->low || in->opcode > c->high || !has_entry(in))
            continue;
        if (!any)
            gen_text_printf(o, "## %s\n\n", c->title);
        any = true;
        add_instruction(o, t, costs, in);
    }
}

static bool emit_set(const struct isa_table *t, const struct costs *c, const char *dir,
                     unsigned set) {
    const struct extension *e = &t->extensions[set];
    struct gen_text o = {.pool = t->pool};
    bool is_base = strcmp(e->name, "base") == 0;
    gen_text_printf(&o, "%s# %s%s%s\n\n", generated_note, is_base ? "" : "Set ",
                    is_base ? "" : e->name,
                    is_base ? e->title : gen_printf(t->pool, ": %s", e->title));
    gen_text_add(&o, "[Reference](README.md), [model](model.md), [opcode map](opcodes.md)\n\n");
    for (unsigned i = 0; i < t->class_count; i++)
        add_class(&o, t, c, set, &t->classes[i]);
    for (unsigned i = 0; i < t->reserve_count; i++)
        if (t->reserves[i].set == set)
            gen_text_printf(&o, "Opcodes 0x%02X to 0x%02X are reserved: %s.\n\n",
                            t->reserves[i].low, t->reserves[i].high, t->reserves[i].why);
    return gen_text_write(&o, dir, gen_printf(t->pool, "%s.md", e->file));
}

static void add_formats(struct gen_text *o, const struct isa_table *t) {
    gen_text_add(o,
                 "## Formats\n\nBits 31:24 are the opcode.\n\n| format | bits 23:0 |\n|---|---|\n");
    for (unsigned i = 0; i < t->format_count; i++) {
        const struct format *f = &t->formats[i];
        gen_text_printf(o, "| %s |", f->name);
        for (unsigned k = 0; k < f->count; k++)
            gen_text_printf(o, "%s %s %u:%u", k ? "," : "", f->fields[k].name, f->fields[k].high,
                            f->fields[k].low);
        gen_text_add(o, f->count ? " |\n" : " zero |\n");
    }
    gen_text_add(o, "\nField w holds the width less one.\n\n");
}

static void add_operands(struct gen_text *o, const struct isa_table *t) {
    gen_text_add(o,
                 "## Operands\n\nSources come first, the destination last. Operands of different "
                 "kinds are told apart by\ntheir prefix, so they may be written in any order.\n\n"
                 "| written | meaning |\n|---|---|\n");
    for (unsigned i = 0; i < t->operand_count; i++)
        gen_text_printf(o, "| `%s` | %s |\n", t->operands[i].syntax, t->operands[i].what);
    gen_text_add(o, "\n");
}

static bool emit_model(const struct isa_table *t, const char *dir) {
    struct gen_text o = {.pool = t->pool};
    gen_text_printf(&o, "%s# The model\n\nWhat all instructions share.\n\n", generated_note);
    add_formats(&o, t);
    add_operands(&o, t);
    for (unsigned i = 0; i < t->topic_count; i++) {
        gen_text_printf(&o, "## %s\n\n%s\n\n", t->topics[i].title, t->topics[i].prose.text);
        add_decision(&o, &t->topics[i].prose);
    }
    return gen_text_write(&o, dir, "model.md");
}

static void add_summary(struct gen_text *o, const struct isa_table *t, const struct opclass *c) {
    bool any = false;
    for (unsigned i = 0; i < t->instruction_count; i++) {
        const struct instruction *in = &t->instructions[i];
        if (in->opcode < c->low || in->opcode > c->high || !has_entry(in))
            continue;
        if (!any)
            gen_text_printf(
                o, "## %s\n\n| instruction | set | syntax | operation |\n|---|---|---|---|\n",
                c->title);
        any = true;
        gen_text_printf(o, "| %s | %s | `%s` | `", link_of(t, in), t->extensions[in->set].name,
                        syntax_of(t, in));
        add_cell(o, in->prose.operation);
        gen_text_add(o, in->attributes & ATTR_RESERVED ? "` (reserved) |\n" : "` |\n");
    }
    gen_text_add(o, any ? "\n" : "");
}

static bool emit_index(const struct isa_table *t, const char *dir) {
    struct gen_text o = {.pool = t->pool};
    gen_text_printf(
        &o,
        "%s# The MPU ISA\n\nInstructions of 32 bits, registers of 64 bits, a width of 1 to "
        "64 bits in every vector\ninstruction. The base set is Table II of the MPU paper; "
        "the other sets are this\nproject's. Where the paper is silent or contradicts "
        "itself, the entry says what was\ndecided and why.\n\n"
        "* [Model](model.md): state, formats, operands, predication, messages\n"
        "* [Opcode map](opcodes.md)\n",
        generated_note);
    for (unsigned i = 0; i < t->extension_count; i++)
        gen_text_printf(&o, "* Set %s: [%s](%s.md)\n", t->extensions[i].name,
                        t->extensions[i].title, t->extensions[i].file);
    gen_text_add(&o, "\n");
    for (unsigned i = 0; i < t->class_count; i++)
        add_summary(&o, t, &t->classes[i]);
    return gen_text_write(&o, dir, "README.md");
}

static const char *map_link(const struct isa_table *t, const struct instruction *in) {
    if (!(in->attributes & ATTR_USER))
        return link_of(t, in);
    return gen_printf(t->pool, "[%s](%s.md#%s)", in->name, t->extensions[in->set].file,
                      anchor_of(t, in));
}

static const char *map_cell(const struct isa_table *t, unsigned opcode) {
    for (unsigned i = 0; i < t->instruction_count; i++)
        if (t->instructions[i].opcode == opcode)
            return map_link(t, &t->instructions[i]);
    for (unsigned i = 0; i < t->reserve_count; i++)
        if (opcode >= t->reserves[i].low && opcode <= t->reserves[i].high)
            return gen_printf(t->pool, "(%s)", t->extensions[t->reserves[i].set].name);
    return "";
}

static bool emit_map(const struct isa_table *t, const char *dir) {
    struct gen_text o = {.pool = t->pool};
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
        gen_text_printf(&o, " %s |", map_cell(t, opcode));
    }
    gen_text_add(&o, "\n");
    return gen_text_write(&o, dir, "opcodes.md");
}

bool gen_emit_docs(const struct isa_table *t, const struct costs *c, const char *dir) {
    bool ok = emit_index(t, dir) && emit_model(t, dir) && emit_map(t, dir);
    for (unsigned i = 0; ok && i < t->extension_count; i++)
        ok = emit_set(t, c, dir, i);
    return ok;
}
