/* SPDX-License-Identifier: MIT
 * Text to programs: statements, instructions, where sections lie. */
#include "machines/core/dpu/assembly.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NO_LINE UINT32_MAX

bool dpu_as_wrong(struct dpu_assembly *a, const char *begin, const char *end, const char *format,
                  ...) {
    va_list args;
    va_start(args, format);
    diag_verror(a->d, dpu_as_span(a, begin, end), format, args);
    va_end(args);
    dpu_as_note_expansion(a);
    return false;
}

/* ---- instructions ---- */

/* An operand as it stands in the text, and its value where it is an expression. */
struct written {
    const char *begin, *end;
    bool tried, fine; /* whether it was read as an expression */
    int64_t value;
};

static uint32_t split(struct dpu_assembly *a, struct written out[DPU_OPERANDS + 1]) {
    uint32_t count = 0, depth = 0;
    dpu_as_blanks(a);
    if (a->at == a->end)
        return 0;
    out[0] = (struct written){.begin = a->at};
    for (const char *c = a->at;; c++) {
        if (c < a->end && *c == '\'' && a->end - c > 2)
            c += 2;
        else if (c < a->end && *c == '(')
            depth++;
        else if (c < a->end && *c == ')' && depth)
            depth--;
        if (c != a->end && (*c != ',' || depth))
            continue;
        const char *end = c;
        while (end > out[count].begin && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        out[count++].end = end;
        if (c == a->end || count > DPU_OPERANDS)
            return count;
        while (c + 1 < a->end && (c[1] == ' ' || c[1] == '\t'))
            c++;
        out[count] = (struct written){.begin = c + 1};
    }
}

/* The register that it names, by letter r, s or d, or none: -1. */
static int register_of(const struct written *w, char letter) {
    size_t length = (size_t)(w->end - w->begin);
    char name[5];
    for (uint32_t i = 24; letter != 's' && i < 32; i++) {
        dpu_register_name(i, letter, name);
        if (strlen(name) == length && memcmp(name, w->begin, length) == 0)
            return (int)i;
    }
    if (length < 2 || length > 3 || w->begin[0] != letter || (length > 2 && w->begin[1] == '0'))
        return -1;
    int number = 0;
    for (const char *c = w->begin + 1; c < w->end; c++) {
        if (*c < '0' || *c > '9')
            return -1;
        number = 10 * number + (*c - '0');
    }
    return number < (letter == 's' ? 32 : 24) ? number : -1;
}
static bool is_register(const struct written *w) {
    return register_of(w, 'r') >= 0 || register_of(w, 's') >= 0 || register_of(w, 'd') >= 0;
}
static bool is_word(const struct written *w, const char *text) {
    return strlen(text) == (size_t)(w->end - w->begin) && memcmp(text, w->begin, strlen(text)) == 0;
}
static bool evaluate(struct dpu_assembly *a, struct written *w) {
    if (!w->tried) {
        struct dpu_as_value v;
        const char *end = a->end;
        w->tried = true;
        a->at = w->begin;
        a->end = w->end;
        w->fine = dpu_as_expression(a, &v);
        if (w->fine && a->at != a->end)
            w->fine = dpu_as_wrong(a, a->at, a->end, "this is no part of an expression");
        a->end = end;
        w->value = v.value;
    }
    return w->fine;
}

/* How well text is an operand of that kind. */
enum match { NO_MATCH, OUT_OF_RANGE, MATCH };
static enum match match_register(const struct dpu_operand *o, const struct written *w, char letter,
                                 int64_t *value) {
    *value = register_of(w, letter);
    if (*value < 0)
        return NO_MATCH;
    return dpu_value_fits(o, *value) ? MATCH : NO_MATCH;
}
static enum match match_number(struct dpu_assembly *a, const struct dpu_operand *o,
                               struct written *w, int64_t *value) {
    if (w->begin == w->end || *w->begin == '!' || is_register(w))
        return NO_MATCH;
    if (!evaluate(a, w))
        return OUT_OF_RANGE;
    *value = w->value;
    return dpu_value_fits(o, *value) ? MATCH : OUT_OF_RANGE;
}
static enum match match(struct dpu_assembly *a, const struct dpu_operand *o, struct written *w,
                        int64_t *value) {
    uint32_t code;
    switch (o->kind) {
    case DPU_REGISTER:
    case DPU_SOURCE:
    case DPU_CONSTANT:
    case DPU_NOT_ZERO:
        return match_register(o, w, 'r', value);
    case DPU_SAFE:
    case DPU_SAFE_SOURCE:
        return match_register(o, w, 's', value);
    case DPU_PAIR_OF:
        return match_register(o, w, 'd', value);
    case DPU_ZERO:
        *value = 0;
        return is_word(w, "zero") ? MATCH : NO_MATCH;
    case DPU_ENDIANNESS:
        *value = is_word(w, "!big");
        return *value || is_word(w, "!little") ? MATCH : NO_MATCH;
    case DPU_CONDITION:
        if (!dpu_cc_code(o->cc, w->begin, (size_t)(w->end - w->begin), &code))
            return NO_MATCH;
        *value = code;
        return MATCH;
    default:
        return match_number(a, o, w, value);
    }
}
/* All operands; *bad: the first that is none, or out of range. */
static enum match match_form(struct dpu_assembly *a, const struct dpu_form *f, struct written *w,
                             struct dpu_insn *insn, uint32_t *bad) {
    enum match worst = MATCH;
    for (uint32_t i = 0; i < f->count; i++) {
        /* Numbers are read only where all else is right. */
        if (f->operands[i]->kind == DPU_NUMBER)
            continue;
        if (match(a, f->operands[i], &w[i], &insn->values[i]) != MATCH) {
            *bad = i;
            return NO_MATCH;
        }
    }
    for (uint32_t i = 0; i < f->count && worst != NO_MATCH; i++) {
        if (f->operands[i]->kind != DPU_NUMBER)
            continue;
        enum match m = match(a, f->operands[i], &w[i], &insn->values[i]);
        if (m < worst) {
            worst = m;
            *bad = i;
        }
    }
    return worst;
}

static void suggest_mnemonic(struct dpu_assembly *a, const char *name, size_t length) {
    VEC(const char *) names = {0};
    struct str text = {0};
    for (uint32_t i = 0; i < dpu_form_count(); i++) {
        struct dpu_form f;
        dpu_form_get(i, &f);
        vec_push(&names, f.mnemonic);
    }
    dpu_as_wrong(a, name, name + length, "unknown instruction '%.*s'", (int)length, name);
    str_append_n(&text, name, length);
    diag_suggest(a->d, dpu_as_span(a, name, name + length), text.text, names.data, names.len);
    str_free(&text);
    vec_free(&names);
}
/* What is nearest to be right of the forms of a mnemonic. */
struct nearest {
    bool mnemonic, count; /* some form has them */
    enum match match;
    uint32_t bad;
    const struct dpu_operand *operand;
};
static bool explain(struct dpu_assembly *a, const struct nearest *n, const struct written *w,
                    uint32_t count, const char *name, size_t length) {
    if (!n->mnemonic) {
        suggest_mnemonic(a, name, length);
        return false;
    }
    if (!n->count)
        return dpu_as_wrong(a, name, a->end, "no form of '%.*s' has %" PRIu32 " operand%s",
                            (int)length, name, count, count == 1 ? "" : "s");
    const struct written *bad = &w[n->bad];
    if (n->match == NO_MATCH)
        return dpu_as_wrong(a, bad->begin, bad->end,
                            "no form of '%.*s' takes '%.*s' here with the other operands",
                            (int)length, name, (int)(bad->end - bad->begin), bad->begin);
    if (!bad->fine)
        return false; /* it was said */
    return dpu_as_wrong(a, bad->begin, bad->end,
                        "%" PRId64 " does not fit: %" PRId64 " to %" PRId64, bad->value,
                        n->operand->least, n->operand->most);
}
static bool encode(struct dpu_assembly *a, const char *name, size_t length, uint64_t *word) {
    struct written w[DPU_OPERANDS + 1] = {0};
    uint32_t count = split(a, w);
    struct nearest near = {0};
    for (uint32_t i = dpu_form_named(0, name, length); i < dpu_form_count();
         i = dpu_form_named(i + 1, name, length)) {
        struct dpu_form f;
        struct dpu_insn insn = {.form = i};
        uint32_t bad = 0;
        dpu_form_get(i, &f);
        near.mnemonic = true;
        if (f.count != count)
            continue;
        enum match m = match_form(a, &f, w, &insn, &bad);
        if (m == MATCH)
            return dpu_encode(&insn, word);
        if (!near.count || m > near.match || (m == near.match && bad > near.bad)) {
            near.match = m;
            near.bad = bad;
            near.operand = f.operands[bad];
        }
        near.count = true;
    }
    return explain(a, &near, w, count, name, length);
}
/* Which file the statement stands in, in an expansion its use, and in which line. */
static struct dpu_place place_of(struct dpu_assembly *a) {
    const struct span at = dpu_as_span(a, a->statement, a->end);
    uint32_t number = 0;
    if (a->in_library)
        return (struct dpu_place){0, 0};
    while (number + 1 < a->files.len && a->files.data[number].source != at.source)
        number++;
    struct dpu_as_file *f = &a->files.data[number];
    if (at.begin < f->counted)
        f->counted = f->lines = 0;
    for (; f->counted < at.begin; f->counted++)
        f->lines += f->text[f->counted] == '\n';
    return (struct dpu_place){number, f->lines + 1};
}
bool dpu_as_instruction(struct dpu_assembly *a, const char *name, size_t length) {
    struct dpu_as_section *s = dpu_as_here(a);
    uint64_t word = 0;
    if (s->space != DPU_IN_TEXT)
        return dpu_as_wrong(a, name, name + length, "instructions belong into .text");
    bool fine = !a->second || encode(a, name, length, &word);
    if (!a->second)
        dpu_as_want_names(a);
    a->at = a->end;
    s->at++;
    if (a->second) {
        vec_push(&a->p->words, word);
        vec_push(&a->p->lines,
                 a->in_library ? NO_LINE : (uint32_t)(a->outermost - a->files.data[0].text));
        if (a->options && *a->files.data[0].name)
            vec_push(&a->p->places, place_of(a));
    } else if (s->at > DPU_IRAM_WORDS) {
        return dpu_as_wrong(a, name, name + length, "more than %u instructions", DPU_IRAM_WORDS);
    }
    return fine;
}

/* ---- where sections lie ---- */

static uint64_t first_of(enum dpu_space space) {
    return space == DPU_IN_MRAM ? DPU_AT_MRAM : 0;
}
static uint64_t bytes_of(enum dpu_space space) {
    return space == DPU_IN_MRAM     ? DPU_MRAM_BYTES
           : space == DPU_IN_ATOMIC ? DPU_ATOMIC_BITS
                                    : DPU_WRAM_BYTES;
}
/* Sections follow one another in their memory, those with bytes first. */
static void place(struct dpu_assembly *a, enum dpu_space space) {
    uint64_t next = first_of(space);
    for (int zeros = 0; zeros < 2; zeros++)
        for (size_t i = 0; i < a->sections.len; i++) {
            struct dpu_as_section *s = &a->sections.data[i];
            if (s->space != space || s->zeros != zeros)
                continue;
            if (!s->placed)
                s->base = (next + s->align - 1) & ~(uint64_t)(s->align - 1);
            next = s->base + s->at;
            if (s->base < first_of(space) || next > first_of(space) + bytes_of(space))
                diag_error(a->d, (struct span){a->files.data[0].source, 0, 0},
                           "section '%s' of 0x%" PRIx64 " bytes at 0x%" PRIx64
                           " lies outside of its memory",
                           s->name, s->at, s->base);
        }
}
const char *const dpu_as_ends[2] = {"__sys_heap_begin", "__sys_used_mram_end"};
/* Defines one where the text uses it and has not defined it itself. */
static void name_end(struct dpu_assembly *a, enum dpu_space space, const char *name,
                     const char *section) {
    if (!map_get(&a->names, name) || dpu_as_symbol(a, name, strlen(name))->defined)
        return;
    uint32_t number = dpu_as_section_number(a, section, strlen(section));
    uint64_t end = first_of(space);
    for (size_t i = 0; i < a->sections.len; i++) {
        const struct dpu_as_section *s = &a->sections.data[i];
        if (s->space == space && s->base + s->at > end)
            end = s->base + s->at;
    }
    dpu_as_define(a, name, strlen(name), (int32_t)number,
                  (int64_t)((end + 7) / 8 * 8 - a->sections.data[number].base), false);
}
static void begin_again(struct dpu_assembly *a) {
    place(a, DPU_IN_WRAM);
    place(a, DPU_IN_MRAM);
    name_end(a, DPU_IN_WRAM, dpu_as_ends[0], ".bss");
    name_end(a, DPU_IN_MRAM, dpu_as_ends[1], ".mram");
    place(a, DPU_IN_ATOMIC);
    for (size_t i = 0; i < a->sections.len; i++) {
        a->sections.data[i].size = (uint32_t)a->sections.data[i].at;
        a->sections.data[i].at = 0;
    }
    a->second = true;
}

static void take_sections(struct dpu_assembly *a) {
    for (size_t i = 0; i < a->sections.len; i++) {
        struct dpu_as_section *s = &a->sections.data[i];
        if (s->space == DPU_IN_TEXT)
            continue;
        vec_push(
            &a->p->sections,
            ((struct dpu_section){
                .name = xstrdup(s->name),
                .space = s->space,
                .address = (uint32_t)(s->base + (s->space == DPU_IN_ATOMIC ? DPU_AT_ATOMIC : 0)),
                .size = s->size,
                .bytes = s->bytes}));
        s->bytes = (struct str){0};
    }
}
static void take_symbols(struct dpu_assembly *a) {
    for (size_t i = 0; i < a->symbols.len; i++) {
        const struct dpu_as_symbol *s = &a->symbols.data[i];
        if (!s->defined || strncmp(s->name, ".L", 2) == 0)
            continue;
        struct dpu_symbol out = {.name = xstrdup(s->name),
                                 .value = (uint32_t)s->value,
                                 .size = s->size,
                                 .space = DPU_IN_NOTHING,
                                 .global = s->global,
                                 .function = s->function,
                                 .object = s->object};
        if (s->section >= 0) {
            const struct dpu_as_section *in = &a->sections.data[s->section];
            out.space = in->space;
            out.value = in->space == DPU_IN_TEXT ? DPU_AT_TEXT + 8 * (uint32_t)s->value
                        : in->space == DPU_IN_ATOMIC
                            ? DPU_AT_ATOMIC + (uint32_t)(in->base + (uint64_t)s->value)
                            : (uint32_t)(in->base + (uint64_t)s->value);
        }
        vec_push(&a->p->symbols, out);
    }
}

/* Of places in the program's own text, which ascend, their lines; 0 of the runtime library. */
static void take_lines(struct dpu_assembly *a) {
    const char *text = a->files.data[0].text, *at = text;
    uint32_t line = 1;
    for (size_t i = 0; i < a->p->lines.len; i++) {
        uint32_t *place = &a->p->lines.data[i];
        for (; *place != NO_LINE && at < text + *place; at++)
            line += *at == '\n';
        *place = *place == NO_LINE ? 0 : line;
    }
}

/* The files that instructions stand in, in the order of these. */
static void take_sources(struct dpu_assembly *a) {
    uint32_t *numbers = xcalloc(a->files.len + 1, sizeof *numbers); /* from 1; 0: none yet */
    for (size_t i = 0; i < a->p->places.len; i++) {
        struct dpu_place *at = &a->p->places.data[i];
        if (at->line && !numbers[at->source]) {
            vec_push(&a->p->sources, xstrdup(a->files.data[at->source].name));
            numbers[at->source] = (uint32_t)a->p->sources.len;
        }
        at->source = at->line ? numbers[at->source] - 1 : 0;
    }
    free(numbers);
}

void dpu_as_take_defines(struct dpu_assembly *a) {
    for (size_t i = 0; a->options && i < a->options->define_count; i++) {
        const struct machine_define *x = &a->options->defines[i];
        dpu_as_define(a, x->name, strlen(x->name), -1, x->value, true);
    }
}

struct dpu_program *dpu_assemble_with(const char *name, const char *text, size_t size,
                                      const struct machine_text_options *options, struct diag *d) {
    uint32_t errors = diag_errors(d);
    struct dpu_assembly a = {
        .d = d, .options = options, .p = xcalloc(1, sizeof(struct dpu_program))};
    dpu_as_open(&a, name, text, size);
    dpu_as_read(&a);
    if (diag_errors(d) == errors) {
        begin_again(&a);
        dpu_as_read(&a);
        take_sections(&a);
        take_symbols(&a);
        take_lines(&a);
        take_sources(&a);
        if (a.p->words.len == 0 && diag_errors(d) == errors)
            diag_error(d, (struct span){a.files.data[0].source, 0, 0},
                       "the program has no instructions");
    }
    for (size_t i = 0; i < a.sections.len; i++) {
        free(a.sections.data[i].name);
        str_free(&a.sections.data[i].bytes);
    }
    vec_free(&a.sections);
    vec_free(&a.symbols);
    map_free(&a.names);
    dpu_as_close(&a);
    if (diag_errors(d) == errors)
        return a.p;
    dpu_program_free(a.p);
    return NULL;
}
struct dpu_program *dpu_assemble(const char *name, const char *text, size_t size, struct diag *d) {
    return dpu_assemble_with(name, text, size, NULL, d);
}
