/* SPDX-License-Identifier: MIT
 * Macros and .rept: lines of text, copied with their parameters replaced and read again. */
#include "asm/assembler.h"

#include <string.h>

const struct macro *asm_macro_find(const struct assembler *a, const char *name, size_t length) {
    const uint64_t *known = a->macros.len ? map_get_n(&a->macro_names, name, length) : NULL;
    return known ? &a->macros.data[*known] : NULL;
}

static bool word_at(const char *line, const char *end, const char *word) {
    size_t n = strlen(word);
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return (size_t)(end - line) >= n && memcmp(line, word, n) == 0 &&
           ((size_t)(end - line) == n || !asm_name_character(line[n]));
}

/* The lines up to the one that begins with `close`, nested `open` ones counted; the text goes on
 * behind that line.  The rest of the current line is skipped first. */
static bool take_body(struct assembler *a, const char *open, const char *close,
                      const struct asm_token *at, const char **body, size_t *size) {
    struct asm_input *in = a->in;
    struct span began = asm_kept_span(a, at->begin, at->end);
    asm_scan_skip(a);
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
    diag_error(a->d, began, "'%s' is not closed", open);
    diag_note(a->d, asm_kept_span(a, in->size ? in->size - 1 : 0, in->size),
              "a line '%s' is missing before the end of %s", close, in->name);
    a->failed = true;
    return false;
}

/* The text of a default up to the comma or the end of the line. */
static const char *take_default(struct assembler *a) {
    size_t begin = a->token.begin, end = begin;
    while (a->token.kind != TOKEN_END && a->token.kind != TOKEN_BAD && !asm_at_operator(a, ',')) {
        end = a->token.end;
        asm_scan(a);
    }
    return asm_keep(a, a->in->text + begin, end - begin);
}

static bool take_parameters(struct assembler *a, struct macro *m) {
    struct macro_parameter list[MAX_PARAMETERS];
    while (a->token.kind != TOKEN_END) {
        struct asm_token name;
        if (m->count == MAX_PARAMETERS) {
            asm_error_token(a, &a->token, "a macro has at most %d parameters", MAX_PARAMETERS);
            return false;
        }
        if (!asm_take_name(a, "the name of a parameter", &name))
            return false;
        struct macro_parameter *p = &list[m->count++];
        p->name = asm_keep(a, asm_token_text(a, &name), token_length(&name));
        p->initial = asm_take_operator(a, '=') ? take_default(a) : NULL;
        asm_take_operator(a, ',');
    }
    m->parameters = ARENA_ARRAY(&a->arena, m->count + 1, struct macro_parameter);
    memcpy(m->parameters, list, m->count * sizeof *list);
    return true;
}

static void keep_macro(struct assembler *a, const struct macro *m) {
    uint64_t *known = map_get(&a->macro_names, m->name);
    if (!known) {
        map_put(&a->macro_names, m->name, a->macros.len);
        vec_push(&a->macros, *m);
        return;
    }
    diag_warning(a->d, W_MACRO_REDEFINED, m->at, "macro '%s' is defined again", m->name);
    diag_note(a->d, a->macros.data[*known].at, "it was first defined here");
    a->macros.data[*known] = *m;
}

void asm_macro_define(struct assembler *a, const struct asm_token *directive) {
    struct macro m = {0};
    struct asm_token name;
    if (asm_take_name(a, "the name of the macro", &name)) {
        const char *text = asm_token_text(a, &name);
        const char *dot = memchr(text, '.', token_length(&name));
        m.name = asm_keep(a, text, token_length(&name));
        m.at = asm_kept_span(a, name.begin, name.end);
        size_t stem = dot ? (size_t)(dot - text) : token_length(&name);
        enum mpu_op op = isa_users_find(&a->users, text, stem);
        isa_warn_taken(a->d, m.at, "macro", text, stem);
        if (op != OP_COUNT && (isa_info(op)->flags & ISA_USER))
            asm_error_token(a, &name, "'%s' is an instruction and cannot be a macro", m.name);
        else
            take_parameters(a, &m);
    }
    bool ok = !a->failed; /* the body is passed over in any case */
    if (take_body(a, ".macro", ".endm", directive, &m.body, &m.size) && ok)
        keep_macro(a, &m);
    a->taken_line = true;
}

struct argument {
    const char *text;
    size_t length;
};

struct arguments {
    struct argument list[MAX_PARAMETERS + 1];
    size_t count;
};

/* The end of the raw operands on this line: a newline or a comment. */
static const char *end_of_line(const char *p, const char *end) {
    bool quoted = false;
    for (; p < end && *p != '\n'; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (quoted && *p == '\\' && p + 1 < end && p[1] != '\n')
            p++;
        else if (!quoted &&
                 (*p == ';' || (*p == '/' && p + 1 < end && (p[1] == '/' || p[1] == '*'))))
            break;
    }
    return p;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next separator outside of quotes and brackets, or the end. */
static const char *next_separator(const char *p, const char *end, bool commas) {
    size_t depth = 0;
    bool quoted = false;
    for (; p < end; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (quoted)
            p += *p == '\\' && p + 1 < end;
        else if (*p == '(' || *p == '[')
            depth++;
        else if ((*p == ')' || *p == ']') && depth)
            depth--;
        else if (!depth && (commas ? *p == ',' : is_blank(*p)))
            break;
    }
    return p;
}

static void add_argument(struct arguments *list, const char *begin, const char *end) {
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    if (list->count <= MAX_PARAMETERS)
        list->list[list->count++] = (struct argument){begin, (size_t)(end - begin)};
}

/* With a comma anywhere commas separate, else blanks do. */
static void split_arguments(const char *p, const char *end, struct arguments *list) {
    bool commas = next_separator(p, end, true) < end;
    list->count = 0;
    for (;;) {
        while (p < end && is_blank(*p))
            p++;
        if (p == end && !(commas && list->count))
            return;
        const char *stop = next_separator(p, end, commas);
        add_argument(list, p, stop);
        if (stop == end)
            return;
        p = stop + 1;
    }
}

static bool bind_arguments(struct assembler *a, const struct macro *m, struct arguments *list) {
    if (list->count > m->count) {
        asm_error_token(a, &a->token, "macro '%s' has %zu parameter%s, not %zu", m->name, m->count,
                        m->count == 1 ? "" : "s", list->count);
        diag_note(a->d, m->at, "it is defined here");
        return false;
    }
    for (size_t i = 0; i < m->count; i++) {
        bool given = i < list->count && list->list[i].length > 0;
        const char *initial = m->parameters[i].initial;
        if (given)
            continue;
        if (!initial) {
            asm_error_token(a, &a->token, "parameter '%s' of macro '%s' is missing",
                            m->parameters[i].name, m->name);
            diag_note(a->d, m->at, "it is defined here");
            return false;
        }
        list->list[i] = (struct argument){initial, strlen(initial)};
    }
    list->count = m->count;
    return true;
}

static bool parameter_character(char c) {
    return asm_name_character(c) && c != '.' && c != '$';
}

/* Behind a backslash at p: appends what it stands for and returns where the text goes on. */
static const char *substitute(struct assembler *a, const struct macro *m,
                              const struct arguments *list, const char *p, const char *end,
                              struct str *out) {
    const char *name_end = p;
    if (p < end && *p == '@') {
        str_printf(out, "%zu", a->expansions);
        return p + 1;
    }
    if (end - p >= 2 && p[0] == '(' && p[1] == ')')
        return p + 2;
    while (name_end < end && parameter_character(*name_end))
        name_end++;
    for (size_t i = 0; i < m->count; i++)
        if (strlen(m->parameters[i].name) == (size_t)(name_end - p) &&
            memcmp(m->parameters[i].name, p, (size_t)(name_end - p)) == 0) {
            str_append_n(out, list->list[i].text, list->list[i].length);
            return name_end;
        }
    str_char(out, '\\');
    return p;
}

/* More than an expansion may have is not made: its size is known to be too large. */
static void expand_body(struct assembler *a, const struct macro *m, const struct arguments *list,
                        struct str *out) {
    const char *p = m->body, *end = m->body + m->size;
    while (p < end && out->len <= MAX_EXPANSION) {
        const char *mark = memchr(p, '\\', (size_t)(end - p));
        mark = mark ? mark : end;
        str_append_n(out, p, (size_t)(mark - p));
        p = mark < end ? substitute(a, m, list, mark + 1, end, out) : end;
    }
}

static void push_text(struct assembler *a, enum input_kind kind, const char *name,
                      struct str *text) {
    if (!text->text)
        return;
    vec_push(&a->texts, text->text);
    asm_scan_skip(a);
    a->taken_line = true;
    asm_input_push(a, kind, name, text->text, text->len);
}

void asm_macro_expand(struct assembler *a, const struct macro *m) {
    struct asm_input *in = a->in;
    struct arguments list;
    struct str text = {0};
    const char *rest = in->text + a->token.end;
    split_arguments(rest, end_of_line(rest, in->text + in->size), &list);
    if (!bind_arguments(a, m, &list))
        return;
    expand_body(a, m, &list, &text);
    a->expansions++;
    push_text(a, INPUT_MACRO, m->name, &text);
}

void asm_rept_expand(struct assembler *a, const struct asm_token *directive) {
    wide count = 0;
    const char *body;
    size_t size = 0;
    struct str text = {0};
    bool ok = asm_parse_number_in(a, "the count", 0, 1 << 24, &count);
    if (ok)
        asm_expect_end(a);
    if (!take_body(a, ".rept", ".endr", directive, &body, &size) || !ok)
        return;
    a->taken_line = true;
    for (wide i = 0; i < count && text.len <= MAX_EXPANSION; i++)
        str_append_n(&text, body, size);
    if (!text.text)
        return;
    vec_push(&a->texts, text.text);
    asm_input_push(a, INPUT_REPT, ".rept", text.text, text.len);
}
