/* SPDX-License-Identifier: MIT
 * Places and messages of the assembler. */
#include "asm/builder_state.h"
#include "asm/assembler.h"

#include <string.h>

/* Expansions are registered only when a message needs them: most never do. */
static uint32_t source_of(struct assembler *a, struct asm_input *in) {
    if (in->source == 0) {
        struct str name = {0};
        str_printf(&name, "%s '%s'", in->kind == INPUT_MACRO ? "macro" : "expansion of", in->name);
        in->source = diag_source(a->d, name.text, in->text, in->size);
        str_free(&name);
    }
    return in->source;
}

struct span asm_span(struct assembler *a, size_t begin, size_t end) {
    return (struct span){source_of(a, a->in), (uint32_t)begin, (uint32_t)end};
}

struct span asm_kept_span(struct assembler *a, size_t begin, size_t end) {
    return a->in->kind == INPUT_FILE ? asm_span(a, begin, end) : a->in->called;
}

/* One note for each of the innermost expansions. */
static void note_expansions(struct assembler *a) {
    const struct asm_input *in = a->in;
    if (in->kind != INPUT_FILE)
        diag_note(a->d, in->called, "in what %s makes, used here", in->name);
    for (size_t i = a->depth; i-- > 0;)
        if (a->inputs[i].kind == INPUT_FILE && i > 0) {
            diag_note(a->d, a->inputs[i].called, "included from here");
            return;
        }
}

static void report(struct assembler *a, size_t begin, size_t end, const char *format,
                   va_list args) {
    if (a->failed)
        return;
    a->failed = true;
    diag_verror(a->d, asm_span(a, begin, end > begin ? end : begin + 1), format, args);
    note_expansions(a);
}

void asm_error(struct assembler *a, size_t begin, size_t end, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(a, begin, end, format, args);
    va_end(args);
}

void asm_error_token(struct assembler *a, const struct asm_token *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(a, t->begin, t->end, format, args);
    va_end(args);
}

void asm_suggest(struct assembler *a, const struct asm_token *t, const struct map *names) {
    size_t count = names->len < MAX_CANDIDATES ? names->len : MAX_CANDIDATES;
    const char **list = xcalloc(count + 1, sizeof *list);
    char *wanted = xstrndup(asm_token_text(a, t), token_length(t));
    for (size_t i = 0; i < count; i++)
        list[i] = names->entries[i].key;
    diag_suggest(a->d, asm_span(a, t->begin, t->end), wanted, list, count);
    free(wanted);
    free(list);
}

const char *asm_keep(struct assembler *a, const char *text, size_t length) {
    return arena_strndup(&a->arena, text, length);
}

static uint32_t column_of(const struct asm_input *in, size_t begin) {
    return begin >= in->line_start ? (uint32_t)(begin - in->line_start) + 1 : 1;
}

void asm_tell_builder(struct assembler *a, size_t begin, size_t end) {
    const struct asm_input *in = a->in;
    if (in->kind == INPUT_FILE) {
        builder_span(a->b, (struct span){in->source, (uint32_t)begin, (uint32_t)end});
        if (!a->places_given)
            builder_place(a->b, in->name, in->line, column_of(in, begin));
        return;
    }
    builder_span(a->b, in->called);
    if (!a->places_given)
        builder_place(a->b, in->called_file, in->called_line, in->called_column);
}

struct place asm_place(struct assembler *a, size_t begin) {
    const struct asm_input *in = a->in;
    if (a->places_given)
        return a->given;
    if (in->kind == INPUT_FILE)
        return (struct place){object_file(a->o, in->name), in->line, column_of(in, begin)};
    return (struct place){object_file(a->o, in->called_file), in->called_line, in->called_column};
}
