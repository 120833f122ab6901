/* SPDX-License-Identifier: MIT
 * The texts that the assembler reads: the program's own, files that it includes, what macros and
 * repetitions make, and modules of the runtime library whose names the program uses. */
#include "machines/core/dpu/assembly.h"
#include "support/file.h"
#include "support/file_use.h"
#include "support/macro_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH     64u         /* texts within one another */
#define MOST_EXPANSION (16u << 20) /* bytes that expansions make in a reading */
#define MOST_REPEATS   65536

/* What is expanded: errors in it are reported where it is used. */
struct dpu_as_expansion {
    const char *name; /* of the macro, or the directive */
    size_t name_length;
    struct span used;
};

struct span dpu_as_span(const struct dpu_assembly *a, const char *begin, const char *end) {
    if (a->expansion)
        return a->expansion->used;
    return (struct span){a->source, (uint32_t)(begin - a->text), (uint32_t)(end - a->text)};
}
void dpu_as_note_expansion(struct dpu_assembly *a) {
    if (!a->expansion)
        return;
    const char *line = a->statement, *end = a->end;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    diag_note(a->d, NO_SPAN, "in '%.*s' it became '%.*s'", (int)a->expansion->name_length,
              a->expansion->name, (int)(end - line), line);
}

static bool is(const char *name, size_t length, const char *text) {
    return strlen(text) == length && memcmp(name, text, length) == 0;
}

/* Comments become blanks, so that places in the text stay what they are. */
static char *without_comments(struct dpu_assembly *a, const char *text, size_t size) {
    char *copy = xmalloc(size + 1), quote = '\0';
    memcpy(copy, text, size);
    copy[size] = '\0';
    for (size_t i = 0; i < size; i++) {
        if (quote) {
            if (text[i] == '\\' && i + 1 < size)
                i++;
            else if (text[i] == quote || text[i] == '\n')
                quote = '\0';
        } else if (text[i] == '"') {
            quote = '"';
        } else if (text[i] == '\'' && i + 2 < size && text[i + 2] == '\'') {
            i += 2;
        } else if (text[i] == '#' || (text[i] == '/' && i + 1 < size && text[i + 1] == '/')) {
            while (i < size && text[i] != '\n')
                copy[i++] = ' ';
        } else if (text[i] == '/' && i + 1 < size && text[i + 1] == '*') {
            size_t stop = i + 2;
            while (stop < size && !(text[stop] == '*' && stop + 1 < size && text[stop + 1] == '/'))
                stop++;
            if (stop == size)
                dpu_as_wrong(a, text + i, text + i + 2, "this comment has no end");
            else
                stop += 2;
            for (; i < stop; i++)
                if (copy[i] != '\n')
                    copy[i] = ' ';
            i--;
        }
    }
    return copy;
}
static uint32_t keep_file(struct dpu_assembly *a, const char *name, const char *text, size_t size) {
    const struct dpu_assembly outside = *a;
    struct dpu_as_file f = {.name = xstrdup(name), .size = size};
    f.source = diag_source(a->d, name, text, size);
    a->source = f.source;
    a->text = text;
    a->expansion = NULL;
    f.text = without_comments(a, text, size);
    a->source = outside.source;
    a->text = outside.text;
    a->expansion = outside.expansion;
    vec_push(&a->files, f);
    return (uint32_t)a->files.len - 1;
}

/* ---- conditions ---- */

static bool active(const struct dpu_assembly *a) {
    return !a->conditions.len || vec_last(&a->conditions).active;
}
static void open_condition(struct dpu_assembly *a, const char *begin, bool holds) {
    const bool outside = active(a);
    struct dpu_as_condition c = {.active = outside && holds,
                                 .taken = !outside || holds,
                                 .at = dpu_as_span(a, begin, a->end)};
    vec_push(&a->conditions, c);
}
static bool holds_name(struct dpu_assembly *a, bool *out) {
    dpu_as_blanks(a);
    size_t length = dpu_as_name(a);
    if (!length)
        return dpu_as_wrong(a, a->at, a->at, "a name is expected here");
    *out = dpu_as_known(a, a->at, length);
    a->at += length;
    return true;
}
static bool holds_number(struct dpu_assembly *a, bool *out) {
    int64_t value;
    if (!dpu_as_constant(a, &value))
        return false;
    *out = value != 0;
    return true;
}
static bool open_branch(struct dpu_assembly *a, const char *begin, bool last) {
    bool holds = true;
    if (a->conditions.len == a->outer_conditions || vec_last(&a->conditions).in_else)
        return dpu_as_wrong(a, begin, a->at, "there is no .if in this text that this belongs to");
    if (!last && vec_last(&a->conditions).taken)
        a->at = a->end; /* nobody asks */
    else if (!last && !holds_number(a, &holds))
        return false;
    struct dpu_as_condition *c = &vec_last(&a->conditions);
    c->in_else = last;
    c->active = !c->taken && holds;
    c->taken |= c->active;
    return true;
}
/* *done: it was one. */
static bool condition(struct dpu_assembly *a, const char *name, size_t length, bool *done) {
    bool holds = false, fine = true;
    const bool skipped = !active(a);
    *done = true;
    if (is(name, length, ".if"))
        fine = skipped || holds_number(a, &holds);
    else if (is(name, length, ".ifdef") || is(name, length, ".ifndef"))
        fine = skipped || holds_name(a, &holds);
    else if (is(name, length, ".elif") || is(name, length, ".elseif"))
        return open_branch(a, name, false);
    else if (is(name, length, ".else"))
        return open_branch(a, name, true);
    else if (is(name, length, ".endif")) {
        if (a->conditions.len == a->outer_conditions)
            return dpu_as_wrong(a, name, a->at,
                                "there is no .if in this text that this belongs to");
        a->conditions.len--;
        return true;
    } else {
        *done = false;
        return true;
    }
    open_condition(a, name, holds != is(name, length, ".ifndef"));
    if (skipped)
        a->at = a->end;
    return fine;
}

/* ---- macros and repetitions ---- */

static bool line_begins(const char *line, const char *end, const char *word) {
    size_t n = strlen(word);
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return (size_t)(end - line) >= n && memcmp(line, word, n) == 0 &&
           ((size_t)(end - line) == n || strchr(" \t\r;", line[n]));
}
static const char *end_of(const char *at, const char *end);
/* What stands behind the statement, up to the line that closes; reading goes on behind that line's
 * first statement. */
static bool take_body(struct dpu_assembly *a, const char *name, bool macro, const char **body,
                      size_t *size) {
    const char *end;
    size_t depth = 1;
    a->at = a->end;
    *body = a->end < a->text_end ? a->end + 1 : a->text_end;
    for (const char *line = *body; line < a->text_end; line = end + 1) {
        end = memchr(line, '\n', (size_t)(a->text_end - line));
        end = end ? end : a->text_end;
        if (macro) {
            depth += line_begins(line, end, ".macro");
            depth -= line_begins(line, end, ".endm");
        } else {
            depth += line_begins(line, end, ".rept") || line_begins(line, end, ".irp");
            depth -= line_begins(line, end, ".endr");
        }
        *size = (size_t)(line - *body);
        a->next = end_of(line, end) + 1;
        if (!depth)
            return true;
    }
    a->next = a->text_end;
    return dpu_as_wrong(a, name, a->end, "a line '%s' is missing behind this",
                        macro ? ".endm" : ".endr");
}

static struct dpu_as_macro *macro_named(const struct dpu_assembly *a, const char *name,
                                        size_t length) {
    const uint64_t *number = map_get_n(&a->macro_names, name, length);
    return number && *number < a->macros.len ? &a->macros.data[*number] : NULL;
}
static bool take_parameters(struct dpu_assembly *a, struct dpu_as_macro *m) {
    for (dpu_as_blanks(a); a->at < a->end; dpu_as_blanks(a)) {
        size_t length = dpu_as_name(a);
        if (!length)
            return dpu_as_wrong(a, a->at, a->end, "the name of a parameter is expected here");
        if (m->count == MACRO_PARAMETERS)
            return dpu_as_wrong(a, a->at, a->end, "a macro has %u parameters at most",
                                MACRO_PARAMETERS);
        m->names[m->count] = xstrndup(a->at, length);
        a->at += length;
        const char *begin = a->at < a->end && *a->at == '=' ? ++a->at : NULL;
        while (begin && a->at < a->end && *a->at != ',')
            a->at++;
        m->initial[m->count++] = begin ? xstrndup(begin, (size_t)(a->at - begin)) : NULL;
        dpu_as_blanks(a);
        if (a->at < a->end && *a->at == ',')
            a->at++;
    }
    return true;
}
static void free_macro(struct dpu_as_macro *m) {
    for (size_t i = 0; i < m->count; i++) {
        free(m->names[i]);
        free(m->initial[i]);
    }
    free(m->body);
}
static bool define_macro(struct dpu_assembly *a, const char *directive) {
    struct dpu_as_macro m = {0};
    dpu_as_blanks(a);
    const char *name = a->at, *body;
    size_t length = dpu_as_name(a), size = 0;
    bool fine = length || dpu_as_wrong(a, name, a->end, ".macro takes a name");
    a->at += length;
    fine = fine && take_parameters(a, &m);
    if (!take_body(a, directive, true, &body, &size) || !fine) {
        free_macro(&m);
        return false;
    }
    m.body = xmalloc(size + 1); /* zeros and all */
    memcpy(m.body, body, size);
    m.body[size] = '\0';
    m.size = size;
    struct dpu_as_macro *known = macro_named(a, name, length);
    if (known) {
        free_macro(known);
        *known = m;
        return true;
    }
    map_put_n(&a->macro_names, name, length, a->macros.len);
    vec_push(&a->macros, m);
    return true;
}

static void read_lines(struct dpu_assembly *a, const char *text, size_t size);
/* Reads what an expansion made. */
static bool read_expansion(struct dpu_assembly *a, const char *name, size_t length,
                           struct str *text) {
    struct dpu_as_expansion e = {name, length, dpu_as_span(a, a->statement, a->end)};
    a->expanded += text->len;
    bool fine = true;
    if (a->expanded > MOST_EXPANSION || a->depth == MOST_DEPTH) {
        a->stop = true;
        fine = dpu_as_wrong(a, name, name + length,
                            "'%.*s' makes the program too large, or is "
                            "within itself",
                            (int)length, name);
    } else {
        const struct dpu_as_expansion *outside = a->expansion;
        a->expansion = &e;
        read_lines(a, str_text(text), text->len);
        a->expansion = outside;
    }
    str_free(text);
    a->at = a->end;
    return fine;
}
static bool use_macro(struct dpu_assembly *a, const struct dpu_as_macro *m, const char *name,
                      size_t length) {
    struct macro_arguments list;
    struct str text = {0};
    macro_split(a->at, a->end, &list);
    if (list.count > m->count)
        return dpu_as_wrong(a, a->at, a->end, "macro '%.*s' has %zu parameter%s, not %zu",
                            (int)length, name, m->count, m->count == 1 ? "" : "s", list.count);
    for (size_t i = 0; i < m->count; i++)
        if (i >= list.count || !list.list[i].length) {
            if (!m->initial[i])
                return dpu_as_wrong(a, name, a->end, "parameter '%s' of macro '%.*s' is missing",
                                    m->names[i], (int)length, name);
            list.list[i] = (struct macro_argument){m->initial[i], strlen(m->initial[i])};
        }
    list.count = m->count;
    macro_expand(m->body, m->size, (const char *const *)m->names, &list, a->expansions++,
                 MOST_EXPANSION, &text);
    return read_expansion(a, name, length, &text);
}
static bool repeat(struct dpu_assembly *a, const char *name) {
    struct str text = {0};
    const char *body;
    size_t size = 0;
    int64_t count = 0;
    bool fine = dpu_as_constant(a, &count);
    if (fine && (count < 0 || count > MOST_REPEATS))
        fine = dpu_as_wrong(a, name, a->at, "a text is repeated 0 to %d times", MOST_REPEATS);
    const char *end = a->end;
    if (!take_body(a, name, false, &body, &size) || !fine)
        return false;
    a->end = end;
    for (int64_t i = 0; i < count && text.len <= MOST_EXPANSION; i++)
        str_append_n(&text, body, size);
    return read_expansion(a, name, strlen(".rept"), &text);
}
static bool repeat_for(struct dpu_assembly *a, const char *name) {
    struct macro_arguments list;
    struct str text = {0};
    const char *body;
    size_t size = 0;
    dpu_as_blanks(a);
    char *parameter = xstrndup(a->at, dpu_as_name(a));
    a->at += strlen(parameter);
    bool fine =
        *parameter || dpu_as_wrong(a, name, a->end, ".irp takes a name, and what it stands for");
    dpu_as_blanks(a);
    a->at += a->at < a->end && *a->at == ',';
    macro_split(a->at, a->end, &list);
    if (fine && list.count > MACRO_PARAMETERS)
        fine =
            dpu_as_wrong(a, name, a->end, "a name stands for %u texts at most", MACRO_PARAMETERS);
    fine = take_body(a, name, false, &body, &size) && fine;
    for (size_t i = 0; fine && i < list.count; i++) {
        const struct macro_arguments one = {.list = {list.list[i]}, .count = 1};
        const char *const names[] = {parameter};
        macro_expand(body, size, names, &one, a->expansions++, MOST_EXPANSION, &text);
    }
    free(parameter);
    if (fine)
        return read_expansion(a, name, strlen(".irp"), &text);
    str_free(&text);
    return false;
}

/* ---- files ---- */

static void read_file(struct dpu_assembly *a, uint32_t number) {
    const struct dpu_assembly outside = *a;
    const struct dpu_as_file f = a->files.data[number];
    a->source = f.source;
    a->text = f.text;
    a->expansion = NULL;
    a->file = number;
    read_lines(a, f.text, f.size);
    a->source = outside.source;
    a->text = outside.text;
    a->expansion = outside.expansion;
    a->file = outside.file;
}
static bool include(struct dpu_assembly *a, const char *directive) {
    struct str path = {0};
    char *found = NULL;
    size_t size = 0;
    if (!dpu_as_string(a, &path))
        return false;
    if (!a->options) {
        str_free(&path);
        return dpu_as_wrong(a, directive, a->at, "a kernel's text is whole: mpu-as includes files");
    }
    char *text = file_read_beside(str_text(&path), a->files.data[a->file].name, a->options->folders,
                                  a->options->folder_count, FILE_MAX_SOURCE, &found, &size);
    bool fine = text != NULL;
    if (!fine)
        dpu_as_wrong(a, directive, a->at, "cannot read '%s': %s", str_text(&path),
                     file_problem(errno));
    else if ((a->expanded += size) > MOST_EXPANSION || a->depth == MOST_DEPTH) {
        a->stop = true;
        fine = dpu_as_wrong(a, directive, a->at,
                            "'%s' makes the program too large, or is within itself", found);
    }
    if (fine) {
        uint32_t number = 0;
        while (number < a->files.len && strcmp(a->files.data[number].name, found) != 0)
            number++;
        if (number == a->files.len) {
            keep_file(a, found, text, size);
            file_uses_read(a->options->files, found);
        }
        read_file(a, number);
    }
    a->at = a->end;
    free(text);
    free(found);
    str_free(&path);
    return fine;
}

/* ---- the runtime library ---- */

static const struct {
    const char *file, *text;
    size_t size;
} modules[] = {
#include "dpu_runtime.inc"
};
static const struct {
    const char *name, *file;
} module_names[] = {
#include "dpu_runtime_names.inc"
};

static void want(struct dpu_assembly *a, const char *name, size_t length) {
    for (int i = 0; i < 2; i++)
        if (is(name, length, dpu_as_ends[i]))
            dpu_as_symbol(a, name, length);
    for (size_t i = 0; i < sizeof module_names / sizeof *module_names; i++)
        if (is(name, length, module_names[i].name)) {
            for (size_t k = 0; k < a->wanted.len; k++)
                if (a->wanted.data[k] == i)
                    return;
            vec_push(&a->wanted, (uint32_t)i);
            return;
        }
}
void dpu_as_want_names(struct dpu_assembly *a) {
    const char *kept = a->at;
    while (a->at < a->end) {
        size_t length = dpu_as_name(a);
        if (length >= 7) /* no name of the library is shorter */
            want(a, a->at, length);
        a->at += length ? length : 1;
    }
    a->at = kept;
}
static void read_module(struct dpu_assembly *a, size_t number) {
    char name[80];
    uint32_t file = 0;
    snprintf(name, sizeof name, "<runtime>/%s", modules[number].file);
    while (file < a->files.len && strcmp(a->files.data[file].name, name) != 0)
        file++;
    if (file == a->files.len)
        keep_file(a, name, modules[number].text, modules[number].size);
    a->section = dpu_as_section_number(a, ".text", strlen(".text"));
    a->in_library = true;
    read_file(a, file);
    a->in_library = false;
}
/* Names that are wanted and not there; modules want others. */
static void find_modules(struct dpu_assembly *a) {
    for (size_t i = 0; i < a->symbols.len; i++)
        if (!a->symbols.data[i].defined)
            want(a, a->symbols.data[i].name, strlen(a->symbols.data[i].name));
    for (size_t i = 0; i < a->wanted.len && !diag_full(a->d) && !a->stop; i++) {
        const char *name = module_names[a->wanted.data[i]].name;
        if (dpu_as_known(a, name, strlen(name)))
            continue;
        size_t m = 0;
        while (strcmp(modules[m].file, module_names[a->wanted.data[i]].file) != 0)
            m++;
        vec_push(&a->modules, (uint32_t)m);
        read_module(a, m);
    }
}

/* ---- statements ---- */

/* One of those that may stand as often as they like. */
static void numeric_label(struct dpu_assembly *a, const char *digits, size_t length) {
    ++*map_add_n(&a->numeric, digits, length, 0);
    struct dpu_as_symbol *s = dpu_as_numeric(a, digits, length, 0);
    s->defined = true;
    s->section = (int32_t)a->section;
    s->value = (int64_t)dpu_as_here(a)->at;
}
/* Labels in front of a statement, as many as there are. */
static bool labels(struct dpu_assembly *a) {
    for (;;) {
        dpu_as_blanks(a);
        const char *name = a->at;
        size_t length = dpu_as_name(a), digits = strspn(name, "0123456789");
        if (digits && name + digits < a->end && name[digits] == ':') {
            a->at += digits + 1;
            numeric_label(a, name, digits);
            continue;
        }
        if (!length || name + length >= a->end || name[length] != ':')
            return true;
        a->at += length + 1;
        if (length == 1 && *name == '.')
            return dpu_as_wrong(a, name, name + 1, "'.' is no label");
        if (!dpu_as_define(a, name, length, (int32_t)a->section, (int64_t)dpu_as_here(a)->at,
                           false))
            return false;
    }
}
/* What brings other text; *done: it was such a directive. */
static bool brings_text(struct dpu_assembly *a, const char *name, size_t length, bool *done) {
    const struct dpu_as_macro *m = macro_named(a, name, length);
    *done = true;
    if (m)
        return use_macro(a, m, name, length);
    if (is(name, length, ".include"))
        return include(a, name);
    if (is(name, length, ".macro"))
        return define_macro(a, name);
    if (is(name, length, ".rept"))
        return repeat(a, name);
    if (is(name, length, ".irp"))
        return repeat_for(a, name);
    *done = false;
    return true;
}
/* NAME = .. */
static bool assigns(struct dpu_assembly *a) {
    dpu_as_blanks(a);
    return a->end - a->at > 1 && a->at[0] == '=' && a->at[1] != '=';
}
/* What is left out of the program goes on to the next of these. */
static bool changes_section(struct dpu_assembly *a) {
    static const char *const names[] = {".text", ".data", ".bss", ".mram", ".section"};
    dpu_as_blanks(a);
    const size_t length = dpu_as_name(a);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(a->at, length, names[i]))
            return true;
    a->at = a->end;
    return false;
}
static bool statement(struct dpu_assembly *a) {
    bool done = false;
    if (a->left_out && !changes_section(a))
        return true;
    if (active(a) && !labels(a))
        return false;
    dpu_as_blanks(a);
    const char *name = a->at;
    size_t length = dpu_as_name(a);
    a->at += length;
    bool fine = condition(a, name, length, &done);
    if (!done && !active(a))
        return true;
    if (a->at == a->end && !length)
        return true;
    if (!length)
        return dpu_as_wrong(a, a->at, a->end, "an instruction or a directive is expected here");
    if (!done && fine)
        fine = brings_text(a, name, length, &done);
    if (!done && fine && assigns(a)) {
        a->at = name;
        fine = dpu_as_set(a, '=');
        done = true;
    }
    if (!done && fine && *name != '.')
        return dpu_as_instruction(a, name, length);
    if (!fine || (!done && !dpu_as_directive(a, name, length)))
        return false;
    dpu_as_blanks(a);
    return a->at == a->end ||
           dpu_as_wrong(a, a->at, a->end, "this is more than the directive takes");
}
/* Where a statement ends: at a ; or the end of its line, and not in a string. */
static const char *end_of(const char *at, const char *end) {
    bool quoted = false;
    for (; at < end && *at != '\n' && (quoted || *at != ';'); at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (*at == '\\' && quoted && at + 1 < end && at[1] != '\n')
            at++;
        else if (*at == '\'' && !quoted && end - at > 2 && at[2] == '\'')
            at += 2;
    }
    return at;
}
static void read_lines(struct dpu_assembly *a, const char *text, size_t size) {
    const char *end = text + size;
    const char *kept_statement = a->statement, *kept_at = a->at, *kept_end = a->end,
               *kept_text_end = a->text_end, *kept_next = a->next;
    const size_t kept_conditions = a->outer_conditions;
    a->outer_conditions = a->conditions.len;
    a->text_end = end;
    a->depth++;
    for (const char *at = text; at < end && !diag_full(a->d) && !a->stop; at = a->next) {
        a->statement = a->at = at;
        a->end = end_of(at, end);
        a->next = a->end + 1;
        if (a->depth == 1)
            a->outermost = at;
        statement(a);
    }
    for (; a->conditions.len > a->outer_conditions; a->conditions.len--)
        diag_error(a->d, vec_last(&a->conditions).at, "this condition is not closed");
    a->depth--;
    a->outer_conditions = kept_conditions;
    a->statement = kept_statement;
    a->at = kept_at;
    a->end = kept_end;
    a->text_end = kept_text_end;
    a->next = kept_next;
}

void dpu_as_open(struct dpu_assembly *a, const char *name, const char *text, size_t size) {
    a->text = text;
    keep_file(a, name, text, size);
}
void dpu_as_read(struct dpu_assembly *a) {
    for (size_t i = 0; i < a->macros.len; i++)
        free_macro(&a->macros.data[i]);
    a->macros.len = 0;
    map_free(&a->macro_names);
    a->macro_names = (struct map){0};
    map_free(&a->numeric);
    a->numeric = (struct map){0};
    a->left_out = false;
    a->expanded = a->expansions = 0;
    a->section = dpu_as_section_number(a, ".text", strlen(".text"));
    dpu_as_take_defines(a);
    read_file(a, 0);
    if (!a->second)
        find_modules(a);
    else
        for (size_t i = 0; i < a->modules.len; i++)
            read_module(a, a->modules.data[i]);
}
void dpu_as_close(struct dpu_assembly *a) {
    for (size_t i = 0; i < a->macros.len; i++)
        free_macro(&a->macros.data[i]);
    for (size_t i = 0; i < a->files.len; i++) {
        free(a->files.data[i].name);
        free(a->files.data[i].text);
    }
    vec_free(&a->macros);
    vec_free(&a->files);
    vec_free(&a->conditions);
    vec_free(&a->wanted);
    vec_free(&a->modules);
    map_free(&a->macro_names);
    map_free(&a->numeric);
}
