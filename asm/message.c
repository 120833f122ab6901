/* SPDX-License-Identifier: MIT
 * Places and messages of the assembler. */
#include "asm/builder_state.h"
#include "asm/assembler.h"

#include <string.h>

/* Expansions are registered only when a message needs them: most never do. */
static uint32_t source_of(struct assembler *assembler, struct asm_input *in) {
    if (in->source == 0) {
        struct str name = {0};
        str_printf(&name, "%s '%s'", in->kind == INPUT_MACRO ? "macro" : "expansion of", in->name);
        in->source = diag_source(assembler->d, name.text, in->text, in->size);
        str_free(&name);
    }
    return in->source;
}

struct span asm_span(struct assembler *assembler, size_t begin, size_t end) {
    return (struct span){source_of(assembler, assembler->in), (uint32_t)begin, (uint32_t)end};
}

struct span asm_kept_span(struct assembler *assembler, size_t begin, size_t end) {
    return assembler->in->kind == INPUT_FILE ? asm_span(assembler, begin, end)
                                             : assembler->in->called;
}

/* One note for each of the innermost expansions. */
static void note_expansions(struct assembler *assembler) {
    const struct asm_input *in = assembler->in;
    if (in->kind != INPUT_FILE)
        diag_note(assembler->d, in->called, "in what %s makes, used here", in->name);
    for (size_t i = assembler->depth; i-- > 0;)
        if (assembler->inputs[i].kind == INPUT_FILE && i > 0) {
            diag_note(assembler->d, assembler->inputs[i].called, "included from here");
            return;
        }
}

static void report(struct assembler *assembler, size_t begin, size_t end, const char *format,
                   va_list args) {
    if (assembler->failed)
        return;
    assembler->failed = true;
    diag_verror(assembler->d, asm_span(assembler, begin, end > begin ? end : begin + 1), format,
                args);
    note_expansions(assembler);
}

void asm_error(struct assembler *assembler, size_t begin, size_t end, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(assembler, begin, end, format, args);
    va_end(args);
}

void asm_error_token(struct assembler *assembler, const struct asm_token *token, const char *format,
                     ...) {
    va_list args;
    va_start(args, format);
    report(assembler, token->begin, token->end, format, args);
    va_end(args);
}

void asm_suggest(struct assembler *assembler, const struct asm_token *token,
                 const struct map *names) {
    size_t count = names->len < MAX_CANDIDATES ? names->len : MAX_CANDIDATES;
    const char **list = xcalloc(count + 1, sizeof *list);
    char *wanted = xstrndup(asm_token_text(assembler, token), token_length(token));
    for (size_t i = 0; i < count; i++)
        list[i] = names->entries[i].key;
    diag_suggest(assembler->d, asm_span(assembler, token->begin, token->end), wanted, list, count);
    free(wanted);
    free(list);
}

const char *asm_keep(struct assembler *assembler, const char *text, size_t length) {
    return arena_strndup(&assembler->arena, text, length);
}

static uint32_t column_of(const struct asm_input *in, size_t begin) {
    return begin >= in->line_start ? (uint32_t)(begin - in->line_start) + 1 : 1;
}

void asm_tell_builder(struct assembler *assembler, size_t begin, size_t end) {
    const struct asm_input *in = assembler->in;
    if (in->kind == INPUT_FILE) {
        builder_span(assembler->b, (struct span){in->source, (uint32_t)begin, (uint32_t)end});
        if (!assembler->places_given)
            builder_place(assembler->b, in->name, in->line, column_of(in, begin));
        return;
    }
    builder_span(assembler->b, in->called);
    if (!assembler->places_given)
        builder_place(assembler->b, in->called_file, in->called_line, in->called_column);
}

struct place asm_place(struct assembler *assembler, size_t begin) {
    const struct asm_input *in = assembler->in;
    if (assembler->places_given)
        return assembler->given;
    if (in->kind == INPUT_FILE)
        return (struct place){object_file(assembler->o, in->name), in->line, column_of(in, begin)};
    return (struct place){object_file(assembler->o, in->called_file), in->called_line,
                          in->called_column};
}
