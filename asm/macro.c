/* SPDX-License-Identifier: MIT
 * Macros and .rept: lines of text, copied with their parameters replaced and read again. */
#include "asm/assembler.h"

#include <string.h>

const struct macro *asm_macro_find(const struct assembler *assembler, const char *name,
                                   size_t length) {
    const uint64_t *known =
        assembler->macros.len ? map_get_n(&assembler->macro_names, name, length) : NULL;
    return known ? &assembler->macros.data[*known] : NULL;
}

static bool word_at(const char *line, const char *end, const char *word) {
    size_t n = strlen(word);
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return (size_t)(end - line) >= n && memcmp(line, word, n) == 0 &&
           ((size_t)(end - line) == n || !asm_name_character(line[n]));
}

bool asm_in_expansion(const struct assembler *assembler) {
    return assembler->in->kind != INPUT_FILE;
}

bool asm_take_body(struct assembler *assembler, const char *open, const char *close,
                   const struct asm_token *at, const char **body, size_t *size) {
    struct asm_input *in = assembler->in;
    struct span began = asm_kept_span(assembler, at->begin, at->end);
    asm_scan_skip(assembler);
    *body = in->text + in->pos;
    for (size_t depth = 1; in->pos < in->size;) {
        const char *line = in->text + in->pos, *all = in->text + in->size;
        const char *end = memchr(line, '\n', (size_t)(all - line));
        size_t next = end ? (size_t)(end - in->text) + 1 : in->size;
        end = end ? end : all;
        depth += word_at(line, end, open);
        depth -= word_at(line, end, close);
        *size = (size_t)(line - *body);
        in->pos = next;
        in->line++;
        in->line_start = next;
        if (depth == 0)
            return true;
    }
    diag_error(assembler->d, began, "'%s' is not closed", open);
    diag_note(assembler->d, asm_kept_span(assembler, in->size ? in->size - 1 : 0, in->size),
              "a line '%s' is missing before the end of %s", close, in->name);
    assembler->failed = true;
    return false;
}

/* The text of a default up to the comma or the end of the line. */
static const char *take_default(struct assembler *assembler) {
    size_t begin = assembler->token.begin, end = begin;
    while (assembler->token.kind != TOKEN_END && assembler->token.kind != TOKEN_BAD &&
           !asm_at_operator(assembler, ',')) {
        end = assembler->token.end;
        asm_scan(assembler);
    }
    return asm_keep(assembler, assembler->in->text + begin, end - begin);
}

static bool take_parameters(struct assembler *assembler, struct macro *macro) {
    struct macro_parameter list[MACRO_PARAMETERS];
    while (assembler->token.kind != TOKEN_END) {
        struct asm_token name;
        if (macro->count == MACRO_PARAMETERS) {
            asm_error_token(assembler, &assembler->token, "a macro has at most %u parameters",
                            MACRO_PARAMETERS);
            return false;
        }
        if (!asm_take_name(assembler, "the name of a parameter", &name))
            return false;
        struct macro_parameter *p = &list[macro->count++];
        p->name = asm_keep(assembler, asm_token_text(assembler, &name), token_length(&name));
        p->initial = asm_take_operator(assembler, '=') ? take_default(assembler) : NULL;
        asm_take_operator(assembler, ',');
    }
    macro->parameters = ARENA_ARRAY(&assembler->arena, macro->count + 1, struct macro_parameter);
    memcpy(macro->parameters, list, macro->count * sizeof *list);
    return true;
}

static void keep_macro(struct assembler *assembler, const struct macro *macro) {
    uint64_t *known = map_get(&assembler->macro_names, macro->name);
    if (!known) {
        map_put(&assembler->macro_names, macro->name, assembler->macros.len);
        vec_push(&assembler->macros, *macro);
        return;
    }
    diag_warning(assembler->d, W_MACRO_REDEFINED, macro->at, "macro '%s' is defined again",
                 macro->name);
    diag_note(assembler->d, assembler->macros.data[*known].at, "it was first defined here");
    assembler->macros.data[*known] = *macro;
}

void asm_macro_define(struct assembler *assembler, const struct asm_token *directive) {
    struct macro m = {0};
    struct asm_token name;
    if (asm_take_name(assembler, "the name of the macro", &name)) {
        const char *text = asm_token_text(assembler, &name);
        const char *dot = memchr(text, '.', token_length(&name));
        m.name = asm_keep(assembler, text, token_length(&name));
        m.at = asm_kept_span(assembler, name.begin, name.end);
        size_t stem = dot ? (size_t)(dot - text) : token_length(&name);
        enum isa_op op = isa_users_find(&assembler->users, text, stem);
        isa_warn_taken(assembler->d, m.at, "macro", text, stem);
        if (op != OP_COUNT && (isa_info(op)->flags & ISA_USER))
            asm_error_token(assembler, &name, "'%s' is an instruction and cannot be a macro",
                            m.name);
        else
            take_parameters(assembler, &m);
    }
    bool ok = !assembler->failed; /* the body is passed over in any case */
    if (asm_take_body(assembler, ".macro", ".endm", directive, &m.body, &m.size) && ok)
        keep_macro(assembler, &m);
    assembler->taken_line = true;
}

/* The end of the raw operands on this line: a newline or a comment. */
static const char *end_of_line(const char *text, const char *end) {
    bool quoted = false;
    for (; text < end && *text != '\n'; text++) {
        if (*text == '"')
            quoted = !quoted;
        else if (quoted && *text == '\\' && text + 1 < end && text[1] != '\n')
            text++;
        else if (!quoted && (*text == ';' || (*text == '/' && text + 1 < end &&
                                              (text[1] == '/' || text[1] == '*'))))
            break;
    }
    return text;
}

/* A local label that is an argument is the caller's, whatever labels the macro makes. */
static void name_in_full(struct assembler *assembler, struct macro_argument *argument) {
    const char *text = argument->text;
    size_t n = argument->length;
    if (n < 2 || text[0] != '.' || (text[1] >= '0' && text[1] <= '9') || asm_is_directive(text, n))
        return;
    for (size_t i = 1; i < n; i++)
        if (!asm_name_character(text[i]))
            return;
    argument->text = asm_label_name(assembler, text, n);
    argument->length = strlen(argument->text);
}

static bool bind_arguments(struct assembler *assembler, const struct macro *macro,
                           struct macro_arguments *list) {
    if (list->count > macro->count) {
        asm_error_token(assembler, &assembler->token, "macro '%s' has %zu parameter%s, not %zu",
                        macro->name, macro->count, macro->count == 1 ? "" : "s", list->count);
        diag_note(assembler->d, macro->at, "it is defined here");
        return false;
    }
    for (size_t i = 0; i < macro->count; i++) {
        bool given = i < list->count && list->list[i].length > 0;
        const char *initial = macro->parameters[i].initial;
        if (given)
            name_in_full(assembler, &list->list[i]);
        if (given)
            continue;
        if (!initial) {
            asm_error_token(assembler, &assembler->token, "parameter '%s' of macro '%s' is missing",
                            macro->parameters[i].name, macro->name);
            diag_note(assembler->d, macro->at, "it is defined here");
            return false;
        }
        list->list[i] = (struct macro_argument){initial, strlen(initial)};
    }
    list->count = macro->count;
    return true;
}

static size_t bytes_of(const struct macro_arguments *list) {
    size_t bytes = 0;
    for (size_t i = 0; i < list->count; i++)
        bytes += list->list[i].length;
    return bytes;
}

static void push_text(struct assembler *assembler, enum input_kind kind, const char *name,
                      struct str *text) {
    if (!text->text)
        return;
    vec_push(&assembler->texts, text->text);
    asm_scan_skip(assembler);
    assembler->taken_line = true;
    asm_input_push(assembler, kind, name, text->text, text->len);
}

void asm_macro_expand(struct assembler *assembler, const struct macro *macro) {
    struct asm_input *in = assembler->in;
    struct macro_arguments list;
    struct str text = {0};
    const char *rest = in->text + assembler->token.end;
    macro_split(rest, end_of_line(rest, in->text + in->size), &list);
    if (!bind_arguments(assembler, macro, &list) ||
        !asm_input_work(assembler, macro->name, macro->size + bytes_of(&list)))
        return;
    const char *names[MACRO_PARAMETERS];
    for (size_t i = 0; i < macro->count; i++)
        names[i] = macro->parameters[i].name;
    macro_expand(macro->body, macro->size, names, &list, assembler->expansions, MAX_EXPANSION,
                 &text);
    assembler->expansions++;
    push_text(assembler, INPUT_MACRO, macro->name, &text);
}

void asm_rept_expand(struct assembler *assembler, const struct asm_token *directive) {
    wide count = 0;
    const char *body;
    size_t size = 0;
    struct str text = {0};
    bool ok = asm_parse_number_in(assembler, "the count", 0, 1 << 24, &count);
    if (ok)
        asm_expect_end(assembler);
    if (!asm_take_body(assembler, ".rept", ".endr", directive, &body, &size) || !ok)
        return;
    assembler->taken_line = true;
    for (wide i = 0; size && i < count && text.len <= MAX_EXPANSION; i++)
        str_append_n(&text, body, size);
    if (!text.text)
        return;
    vec_push(&assembler->texts, text.text);
    asm_input_push(assembler, INPUT_REPT, ".rept", text.text, text.len);
}
