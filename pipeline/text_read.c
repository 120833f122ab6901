/* SPDX-License-Identifier: MIT
 * Texts of pipelines are read: items, patterns, arrays.  Bodies are kept as they are, for the
 * checker of stages. */
#include "pipeline/text.h"

#include "support/alloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct text_reader {
    struct pipeline_text *t;
    const char *at, *end;
    struct portable_fault *fault;
};

bool pipeline_text_wrong(const struct pipeline_text *text, size_t at, struct portable_fault *fault,
                         const char *format, ...) {
    va_list args;
    fault->line = fault->column = 1;
    for (size_t i = 0; i < at && text->bytes[i]; i++) {
        fault->column++;
        if (text->bytes[i] == '\n')
            fault->line++, fault->column = 1;
    }
    va_start(args, format);
    str_vprintf(&fault->what, format, args);
    va_end(args);
    return false;
}

/* ---- words ---- */

static size_t offset(const struct text_reader *r) {
    return (size_t)(r->at - r->t->bytes);
}

static size_t word(struct text_reader *r) {
    r->at = pipeline_skip(r->at);
    return r->at < r->end ? pipeline_word_length(r->at) : 0;
}

static bool take_word(struct text_reader *r, const char *what) {
    size_t n = word(r);
    if (!n || !pipeline_is_word(r->at, n, what))
        return false;
    r->at += n;
    return true;
}

static bool take(struct text_reader *r, char c) {
    r->at = pipeline_skip(r->at);
    if (r->at >= r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool wanted(struct text_reader *r, const char *what) {
    size_t n = word(r);
    if (r->at >= r->end)
        return pipeline_text_wrong(r->t, offset(r), r->fault, "the text ends, and %s is missing",
                                   what);
    return pipeline_text_wrong(r->t, offset(r), r->fault, "here stands `%.*s`, and not %s",
                               (int)(n ? n : 1), r->at, what);
}

static bool need(struct text_reader *r, char c) {
    const char text[] = {'`', c, '`', 0};
    return take(r, c) || wanted(r, text);
}

static bool piece(struct text_reader *r, const char *what, struct pipeline_piece *out) {
    size_t n = word(r);
    if (!n)
        return wanted(r, what);
    *out = (struct pipeline_piece){arena_strndup(&r->t->arena, r->at, n), offset(r)};
    r->at += n;
    return true;
}

/* A name; numbers begin with a digit. */
static bool name(struct text_reader *r, const char *what, struct pipeline_piece *out) {
    if (word(r) && isdigit((unsigned char)*r->at))
        return wanted(r, what);
    return piece(r, what, out);
}

/* What stands up to one of these characters, brackets in it closed. */
static bool text_until(struct text_reader *r, const char *ends, const char *what,
                       struct pipeline_piece *out) {
    const char *from = pipeline_skip(r->at), *at = from, *close;
    for (; at < r->end && !strchr(ends, *at); at = pipeline_skip(at)) {
        close = strchr("([{", *at) ? pipeline_partner(at, r->end) : at + 1;
        if (!close)
            break;
        at = close;
    }
    r->at = from;
    if (at >= r->end || !strchr(ends, *at) || at == from)
        return wanted(r, what);
    *out =
        (struct pipeline_piece){arena_strndup(&r->t->arena, from, (size_t)(at - from)), offset(r)};
    r->at = at;
    return true;
}

/* ---- stages ---- */

static bool block(struct text_reader *r, struct pipeline_piece *out) {
    r->at = pipeline_skip(r->at);
    const char *end = r->at < r->end && *r->at == '{' ? pipeline_partner(r->at, r->end) : NULL;
    if (!end)
        return wanted(r, "a body in braces");
    *out = (struct pipeline_piece){
        arena_strndup(&r->t->arena, r->at + 1, (size_t)(end - r->at - 2)), offset(r) + 1};
    r->at = end;
    return true;
}

static bool acc(struct text_reader *r, struct pipeline_named *q) {
    if (take(r, '=') && !text_until(r, ",)", "what it begins with", &q->init))
        return false;
    return true;
}

static bool extent(struct text_reader *r, struct pipeline_named *q) {
    return !take(r, '[') || (piece(r, "a number of elements", &q->extent) && need(r, ']'));
}

static bool named(struct text_reader *r, struct pipeline_written *s) {
    struct pipeline_named q = {.role = PIPELINE_INPUT};
    bool fine;
    if (take_word(r, "count"))
        return s->count.text ? wanted(r, "another role: a filter has one `count`")
                             : name(r, "a buffer", &s->count);
    if (take_word(r, "in")) {
        fine = name(r, "an array", &q.array) &&
               (!take_word(r, "tail") || name(r, "a buffer", &q.tail));
    } else if (take_word(r, "out")) {
        q.role = PIPELINE_OUTPUT;
        fine = name(r, "an array", &q.array) &&
               (!take_word(r, "from") || name(r, "an input", &q.from));
    } else if (take_word(r, "inout")) {
        q.role = PIPELINE_INOUT;
        fine = name(r, "an array", &q.array);
    } else if (take_word(r, "whole")) {
        q.role = PIPELINE_SCALAR;
        fine = name(r, "a buffer", &q.array) && extent(r, &q);
    } else if (take_word(r, "acc")) {
        q.role = PIPELINE_REDUCE_OUT;
        fine = name(r, "a buffer", &q.array) && extent(r, &q) && acc(r, &q);
    } else {
        return wanted(r, "`in`, `out`, `inout`, `whole`, `acc` or `count`");
    }
    if (!fine || (take_word(r, "as") && !name(r, "a name", &q.as)))
        return false;
    vec_push(&s->parameters, q);
    return true;
}

static bool parameters(struct text_reader *r, struct pipeline_written *s) {
    if (!need(r, '('))
        return false;
    do
        if (!named(r, s))
            return false;
    while (take(r, ','));
    return need(r, ')');
}

/* Whether a pattern stands here; false with nothing taken, or after a fault. */
static bool pattern(struct text_reader *r, struct pipeline_written *s) {
    r->at = pipeline_skip(r->at);
    s->at = offset(r);
    if (take_word(r, "map"))
        s->pattern = PIPELINE_MAP;
    else if (take_word(r, "reduce"))
        s->pattern = PIPELINE_REDUCE;
    else if (take_word(r, "filter"))
        s->pattern = PIPELINE_FILTER;
    else {
        if (take_word(r, "window") && !piece(r, "how many elements a window has", &s->window))
            return false;
        if (take_word(r, "group") && !piece(r, "how many elements a group has", &s->group))
            return false;
        if (!s->window.text && !s->group.text)
            return false;
        bool filters = take_word(r, "filter"), both = s->window.text && s->group.text;
        s->pattern = both ? filters ? PIPELINE_WINDOW_GROUP_FILTER : PIPELINE_WINDOW_GROUP
                     : s->window.text ? filters ? PIPELINE_WINDOW_FILTER : PIPELINE_WINDOW
                     : filters        ? PIPELINE_GROUP_FILTER
                                      : PIPELINE_GROUP;
    }
    return true;
}

static bool combine(struct text_reader *r, struct pipeline_written *s) {
    return !take_word(r, "combine") ||
           (need(r, '(') && name(r, "a name for the other part", &s->other) && need(r, ')') &&
            block(r, &s->combine));
}

static bool stage(struct text_reader *r, struct pipeline_written *s) {
    return parameters(r, s) && block(r, &s->body) && combine(r, s);
}

/* ---- items ---- */

static bool array(struct text_reader *r) {
    struct pipeline_local x = {.key = 0};
    struct pipeline_piece type;
    if (!name(r, "a name", &x.name) || !need(r, ':') || !name(r, "a type", &type))
        return false;
    if (!object_type_parse(type.text, strlen(type.text), &x.type))
        return pipeline_text_wrong(r->t, type.at, r->fault, "there is no type `%s`", type.text);
    for (size_t i = 0; i < r->t->arrays.len; i++)
        if (strcmp(r->t->arrays.data[i].name.text, x.name.text) == 0)
            return pipeline_text_wrong(r->t, x.name.at, r->fault, "array `%s` is declared twice",
                                       x.name.text);
    for (uint32_t i = 0; i < r->t->decl->parameter_count; i++)
        if (strcmp(r->t->decl->parameters[i].name, x.name.text) == 0)
            return pipeline_text_wrong(r->t, x.name.at, r->fault,
                                       "`%s` is declared outside of the pipeline", x.name.text);
    vec_push(&r->t->arrays, x);
    return need(r, ';');
}

/* All of them in one line, so that bodies keep theirs; comments could end there too late. */
static bool constant(struct text_reader *r, struct str *all) {
    struct pipeline_piece p;
    if (!text_until(r, ";", "a constant", &p))
        return false;
    str_append(all, " const ");
    for (const char *c = p.text, *code; *c; c = code > c ? code : c + 1) {
        code = pipeline_skip(c);
        str_char(all, code > c ? ' ' : *c);
    }
    str_char(all, ';');
    return need(r, ';');
}

static bool number_item(struct text_reader *r, const char *word_of_it, struct pipeline_piece *out,
                        bool *fine) {
    size_t at = offset(r);
    if (!take_word(r, word_of_it))
        return false;
    if (out->text)
        *fine = pipeline_text_wrong(r->t, at, r->fault, "`%s` is said twice", word_of_it);
    else
        *fine = piece(r, "a number", out) && need(r, ';');
    return true;
}

static bool option_item(struct text_reader *r, const char *word_of_it, bool *out, bool *fine) {
    if (!take_word(r, word_of_it))
        return false;
    *out = true;
    *fine = need(r, ';');
    return true;
}

static bool stage_item(struct text_reader *r) {
    struct pipeline_written s = {.pattern = PIPELINE_MAP};
    bool fine = pattern(r, &s);
    if (!fine && !r->fault->what.len)
        wanted(r, "a stage (`map`, `filter`, `reduce`, `window`, `group`), `array`, `const`, "
                  "`length` or an option");
    fine = fine && stage(r, &s);
    vec_push(&r->t->stages, s);
    return fine;
}

static bool item(struct text_reader *r, struct str *constants) {
    struct pipeline_text *t = r->t;
    bool fine = true;
    if (number_item(r, "length", &t->length, &fine) || number_item(r, "units", &t->units, &fine) ||
        number_item(r, "cpu_elements", &t->cpu_elements, &fine) ||
        number_item(r, "mram_bytes", &t->mram_bytes, &fine) ||
        option_item(r, "full", &t->full, &fine) || option_item(r, "no_fuse", &t->no_fuse, &fine))
        return fine;
    if (take_word(r, "array"))
        return array(r);
    return take_word(r, "const") ? constant(r, constants) : stage_item(r);
}

static bool items(struct text_reader *r) {
    struct str constants = {0};
    bool fine = true;
    while (fine && (r->at = pipeline_skip(r->at)) < r->end)
        fine = item(r, &constants);
    if (constants.len)
        r->t->constants.text = arena_strdup(&r->t->arena, str_text(&constants));
    str_free(&constants);
    if (fine && !r->t->length.text)
        return pipeline_text_wrong(r->t, 0, r->fault,
                                   "the text says no `length`: that of the arrays");
    if (fine && !r->t->stages.len)
        return pipeline_text_wrong(r->t, 0, r->fault, "the pipeline has no stage");
    return fine;
}

struct pipeline_text *pipeline_text_read(const struct kernel_decl *decl,
                                         struct portable_fault *fault) {
    struct pipeline_text *t = xcalloc(1, sizeof *t);
    t->decl = decl;
    t->bytes = arena_strndup(&t->arena, decl->bytes, decl->size);
    struct text_reader r = {t, t->bytes, t->bytes + strlen(t->bytes), fault};
    bool fine = (!decl->words && strlen(t->bytes) == decl->size) ||
                pipeline_text_wrong(t, 0, fault, "a pipeline is a text, without bytes of value 0");
    for (uint32_t i = 0; fine && i < decl->parameter_count; i++)
        if (decl->parameters[i].kind == PARAMETER_BYTES)
            fine = pipeline_text_wrong(t, 0, fault,
                                       "parameters of a pipeline are numbers and buffers, and '%s' "
                                       "is bytes",
                                       decl->parameters[i].name);
    if (fine && items(&r))
        return t;
    pipeline_text_free(t);
    return NULL;
}

void pipeline_text_free(struct pipeline_text *text) {
    if (!text)
        return;
    for (size_t i = 0; i < text->stages.len; i++)
        vec_free(&text->stages.data[i].parameters);
    vec_free(&text->stages);
    vec_free(&text->arrays);
    arena_free(&text->arena);
    free(text);
}
