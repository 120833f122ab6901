/* SPDX-License-Identifier: MIT
 * Programs as text: for the assembler, which makes the same program of it, and for people. */
#include "machines/core/dpu/dpu.h"
#include "support/line_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Names of places in the code: a symbol's, or one of the listing's own where something jumps to. */
struct labels {
    const struct dpu_program *p;
    const char **names; /* [words.len + 1]; NULL: no symbol */
    bool *targets;      /* [words.len + 1] */
};

/* Whether the assembler takes it as a name, which registers and dots begin are not. */
static bool plain_name(const char *name) {
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.' && *c != '$')
            return false;
    return !dpu_is_register_name(name, strlen(name));
}
/* Of symbols with one name the first has it in a text. */
static bool first_of_name(const struct dpu_program *p, size_t i) {
    for (size_t j = 0; j < i; j++)
        if (strcmp(p->symbols.data[j].name, p->symbols.data[i].name) == 0)
            return false;
    return true;
}
static bool in_text(const struct dpu_program *p, size_t i) {
    return plain_name(p->symbols.data[i].name) && first_of_name(p, i);
}

/* The operand that says where the instruction jumps to; DPU_OPERANDS: it has none, or adds a
 * register. */
static uint32_t target_of(const struct dpu_form *f) {
    bool added = false;
    for (uint32_t i = 0; i < f->count; i++)
        added |= f->operands[i]->role == DPU_A;
    for (uint32_t i = 0; i < f->count; i++)
        if (f->operands[i]->role == DPU_PC ||
            (f->operands[i]->role == DPU_OFF && !added && f->sugar))
            return i;
    return DPU_OPERANDS;
}

static void find_labels(struct labels *l, bool plain) {
    size_t count = l->p->words.len;
    l->names = xcalloc(count + 1, sizeof *l->names);
    l->targets = xcalloc(count + 1, sizeof *l->targets);
    for (size_t i = 0; i < l->p->symbols.len; i++) {
        const struct dpu_symbol *s = &l->p->symbols.data[i];
        uint32_t at = (s->value - DPU_AT_TEXT) / 8;
        if (s->space == DPU_IN_TEXT && at <= count && s->value % 8 == 0 && !l->names[at] &&
            in_text(l->p, i))
            l->names[at] = s->name;
    }
    for (size_t i = 0; i < count; i++) {
        struct dpu_insn insn;
        struct dpu_form f;
        if (!dpu_decode(l->p->words.data[i], !plain, &insn))
            continue;
        dpu_form_get(insn.form, &f);
        uint32_t o = target_of(&f);
        if (o < DPU_OPERANDS && insn.values[o] >= 0 && (uint64_t)insn.values[o] <= count)
            l->targets[insn.values[o]] = true;
    }
}
static void free_labels(struct labels *l) {
    free(l->names);
    free(l->targets);
}
/* The name of a place, appended; of one without a symbol .L and its number. */
static void put_label(const struct labels *l, uint64_t at, struct str *out) {
    if (l->names[at])
        str_append(out, l->names[at]);
    else
        str_printf(out, ".L%" PRIu64, at);
}

static void put_instruction(const struct labels *l, uint64_t word, bool plain, struct str *out) {
    struct dpu_insn insn;
    struct dpu_form f;
    struct str text = {0};
    if (!dpu_decode(word, !plain, &insn)) {
        str_printf(out, "0x%012" PRIx64 " /* no instruction */", word);
        return;
    }
    dpu_form_get(insn.form, &f);
    dpu_print(&insn, &text);
    uint32_t o = target_of(&f);
    if (o < DPU_OPERANDS && insn.values[o] >= 0 && (uint64_t)insn.values[o] <= l->p->words.len) {
        /* Targets are the last operand, and a number. */
        while (text.len && isdigit((unsigned char)text.text[text.len - 1]))
            text.len--;
        text.text[text.len] = '\0';
        put_label(l, (uint64_t)insn.values[o], &text);
    }
    str_append(out, text.text);
    str_free(&text);
}

static void put_marks(const struct dpu_symbol *s, struct str *out) {
    if (s->global)
        str_printf(out, "    .globl %s\n", s->name);
    if (s->function || s->object)
        str_printf(out, "    .type %s, @%s\n", s->name, s->function ? "function" : "object");
    if (s->size)
        str_printf(out, "    .size %s, %" PRIu32 "\n", s->name,
                   s->space == DPU_IN_TEXT ? s->size / 8 : s->size);
}
static void put_text(const struct labels *l, bool plain, struct str *out) {
    const struct dpu_program *p = l->p;
    str_append(out, "    .text\n");
    for (uint64_t i = 0; i <= p->words.len; i++) {
        for (size_t s = 0; s < p->symbols.len; s++)
            if (p->symbols.data[s].space == DPU_IN_TEXT &&
                p->symbols.data[s].value == DPU_AT_TEXT + 8 * i && in_text(p, s)) {
                put_marks(&p->symbols.data[s], out);
                str_printf(out, "%s:\n", p->symbols.data[s].name);
            }
        if (l->targets[i] && !l->names[i])
            str_printf(out, ".L%" PRIu64 ":\n", i);
        if (i == p->words.len)
            break;
        str_append(out, "    ");
        put_instruction(l, p->words.data[i], plain, out);
        str_char(out, '\n');
    }
}

static void put_bytes(const struct dpu_section *s, uint32_t begin, uint32_t end, struct str *out) {
    if (begin == end)
        return;
    if (!s->bytes.len) {
        str_printf(out, "    .space %" PRIu32 "\n", end - begin);
        return;
    }
    for (uint32_t i = begin; i < end; i++) {
        bool first = (i - begin) % 16 == 0;
        str_printf(out, "%s%u", first ? "    .byte " : ", ", (unsigned char)s->bytes.text[i]);
        if (i + 1 == end || (i + 1 - begin) % 16 == 0)
            str_char(out, '\n');
    }
}
static bool lies_in(const struct dpu_symbol *s, const struct dpu_section *x) {
    return s->space == x->space && s->value >= x->address && s->value - x->address <= x->size;
}
/* A symbol between two sections is written with the first that has it. */
static bool is_first(const struct dpu_program *p, const struct dpu_symbol *s, size_t section) {
    for (size_t i = 0; i < section; i++)
        if (lies_in(s, &p->sections.data[i]))
            return false;
    return lies_in(s, &p->sections.data[section]);
}
static void put_section(const struct dpu_program *p, size_t number, struct str *out) {
    const struct dpu_section *s = &p->sections.data[number];
    str_printf(out, "    .section %s, \"aw\", @%s\n    .at 0x%" PRIx32 "\n", s->name,
               s->bytes.len ? "progbits" : "nobits", s->address);
    uint32_t at = 0;
    while (at <= s->size) {
        uint32_t next = s->size;
        for (size_t i = 0; i < p->symbols.len; i++) {
            const struct dpu_symbol *x = &p->symbols.data[i];
            if (!in_text(p, i) || !is_first(p, x, number))
                continue;
            uint32_t offset = x->value - s->address;
            if (offset == at) {
                put_marks(x, out);
                str_printf(out, "%s:\n", x->name);
            } else if (offset > at && offset < next) {
                next = offset;
            }
        }
        put_bytes(s, at, next, out);
        if (at == s->size)
            break;
        at = next;
    }
}
static void put_numbers(const struct dpu_program *p, struct str *out) {
    for (size_t i = 0; i < p->symbols.len; i++) {
        const struct dpu_symbol *s = &p->symbols.data[i];
        bool found = s->space == DPU_IN_TEXT;
        for (size_t x = 0; x < p->sections.len && !found; x++)
            found = lies_in(s, &p->sections.data[x]);
        if (in_text(p, i) && !found) {
            put_marks(s, out);
            str_printf(out, "    .set %s, 0x%" PRIx32 "\n", s->name, s->value);
        }
    }
}
void dpu_disassemble(const struct dpu_program *p, bool plain, struct str *out) {
    struct labels l = {.p = p};
    find_labels(&l, plain);
    put_text(&l, plain, out);
    for (size_t i = 0; i < p->sections.len; i++)
        put_section(p, i, out);
    put_numbers(p, out);
    free_labels(&l);
}

/* ---- for people ---- */

static void list_symbols(const struct dpu_program *p, struct str *out) {
    static const char *const spaces[] = {"text", "wram", "mram", "atomic", "number"};
    str_append(out, "\nSymbols:\n");
    for (size_t i = 0; i < p->symbols.len; i++) {
        const struct dpu_symbol *s = &p->symbols.data[i];
        str_printf(out, "  %08" PRIx32 " %6" PRIu32 "  %-6s %c ", s->value, s->size,
                   spaces[s->space], s->global ? 'g' : 'l');
        str_visible(out, s->name);
        str_char(out, '\n');
    }
}
/* Where another file or line begins; `files` [sources]: of the lines themselves. */
static void list_line(const struct dpu_program *p, uint64_t i, const struct machine_view *view,
                      struct line_file *files, struct str *out) {
    const struct dpu_place *at = i < p->places.len ? &p->places.data[i] : NULL;
    if (!at || !at->line || (i && at[-1].source == at->source && at[-1].line == at->line))
        return;
    struct str line = {0};
    bool shown = view->source &&
                 line_file_put(&files[at->source], p->sources.data[at->source], at->line, &line);
    if (!shown || view->lines) {
        str_append(out, "; ");
        dpu_program_line(p, (uint32_t)i, out);
        str_char(out, '\n');
    }
    str_append(out, str_text(&line));
    str_free(&line);
}
static void list_code(const struct labels *l, const struct machine_view *view, struct str *out) {
    const struct dpu_program *p = l->p;
    struct line_file *files = xcalloc(p->sources.len + 1, sizeof *files);
    for (uint64_t i = 0; i < p->words.len; i++) {
        if (l->names[i] || l->targets[i]) {
            put_label(l, i, out);
            str_append(out, ":\n");
        }
        if (view->lines || view->source)
            list_line(p, i, view, files, out);
        str_printf(out, "  %4" PRIu64 "  %012" PRIx64 "  ", i, p->words.data[i]);
        put_instruction(l, p->words.data[i], view->plain, out);
        str_char(out, '\n');
    }
    for (size_t i = 0; i < p->sources.len; i++)
        line_file_free(&files[i]);
    free(files);
}
void dpu_list(const struct dpu_program *p, const struct machine_view *view, struct str *out) {
    struct labels l = {.p = p};
    find_labels(&l, view->plain);
    str_append(out, "Sections:\n");
    str_printf(out, "  %08x %6zu  .text, %zu instructions\n", DPU_AT_TEXT, 8 * p->words.len,
               p->words.len);
    for (size_t i = 0; i < p->sections.len; i++) {
        const struct dpu_section *s = &p->sections.data[i];
        str_printf(out, "  %08" PRIx32 " %6" PRIu32 "  ", s->address, s->size);
        str_visible(out, s->name);
        str_append(out, s->bytes.len || !s->size ? "\n" : ", zeros\n");
    }
    str_append(out, "\nCode:\n");
    list_code(&l, view, out);
    list_symbols(p, out);
    free_labels(&l);
}
