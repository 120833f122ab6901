/* SPDX-License-Identifier: MIT
 * Taking words, and what is wrong with them. */
#include "ptx/parser.h"

#include <stdio.h>
#include <string.h>

/* The name of .file `number`, which may stand behind what is wrong. */
static void add_source(struct ptx_parser *parser, struct str *what) {
    struct ptx_words w;
    if (!parser->source_line || !parser->function)
        return;
    ptx_words_begin(&w, parser->text, parser->size);
    while (w.word.kind != PTX_WORD_END) {
        bool file = ptx_word_is(&w.word, ".file");
        uint64_t number = 0;
        ptx_words_next(&w);
        if (!file || !number_parse_u64(w.word.text, w.word.n, &number) || number != parser->file)
            continue;
        ptx_words_next(&w);
        if (w.word.kind == PTX_WORD_STRING && w.word.n > 1)
            str_printf(what, " (%.*s:%u)", (int)w.word.n - 2, w.word.text + 1,
                       (unsigned)parser->source_line);
        return;
    }
}

bool ptx_wrong(struct ptx_parser *parser, uint32_t line, const char *format, ...) {
    struct portable_fault *f = parser->fault;
    va_list args;
    if (f->what.len)
        return false;
    va_start(args, format);
    str_vprintf(&f->what, format, args);
    va_end(args);
    f->line = line ? line : parser->words.word.line;
    f->column = line && line != parser->words.word.line ? 0 : parser->words.word.column;
    add_source(parser, &f->what);
    return false;
}

bool ptx_is(const struct ptx_parser *parser, const char *text) {
    return ptx_word_is(&parser->words.word, text);
}

bool ptx_accept(struct ptx_parser *parser, const char *text) {
    if (!ptx_is(parser, text))
        return false;
    ptx_words_next(&parser->words);
    return true;
}

static void show(const struct ptx_word *word, struct str *out) {
    if (word->kind == PTX_WORD_END)
        str_append(out, "the end");
    else
        str_printf(out, "'%.*s'", word->n > 60 ? 60 : (int)word->n, word->text);
}

bool ptx_unexpected(struct ptx_parser *parser, const char *wanted) {
    struct str found = {0};
    show(&parser->words.word, &found);
    ptx_wrong(parser, 0, "expected %s in place of %s", wanted, str_text(&found));
    str_free(&found);
    return false;
}

bool ptx_expect(struct ptx_parser *parser, const char *text) {
    char wanted[80];
    if (ptx_accept(parser, text))
        return true;
    snprintf(wanted, sizeof wanted, "'%s'", text);
    return ptx_unexpected(parser, wanted);
}

const char *ptx_take(struct ptx_parser *parser) {
    const struct ptx_word w = parser->words.word;
    const char *text = arena_strndup(&parser->module->arena, w.n ? w.text : "", w.n);
    ptx_words_next(&parser->words);
    return text;
}

bool ptx_take_name(struct ptx_parser *parser, const char **name) {
    const struct ptx_word *w = &parser->words.word;
    if (w->kind != PTX_WORD_NAME || w->text[0] == '.')
        return ptx_unexpected(parser, "a name");
    *name = ptx_take(parser);
    return true;
}

bool ptx_take_count(struct ptx_parser *parser, uint64_t *number) {
    const struct ptx_word *w = &parser->words.word;
    if (w->kind != PTX_WORD_NUMERAL || !number_parse_u64(w->text, w->n, number))
        return ptx_unexpected(parser, "a whole number");
    ptx_words_next(&parser->words);
    return true;
}

const char *ptx_text_since(struct ptx_parser *parser, const struct ptx_words *from) {
    struct ptx_words w = *from;
    struct str out = {0};
    uint32_t line = w.word.line;
    while (w.word.kind != PTX_WORD_END && w.word.text < parser->words.word.text) {
        if (out.len)
            str_append(&out, w.word.line != line ? "\n\t" : " ");
        line = w.word.line;
        str_append_n(&out, w.word.text, w.word.n);
        ptx_words_next(&w);
    }
    const char *text = arena_strndup(&parser->module->arena, str_text(&out), out.len);
    str_free(&out);
    return text;
}

void ptx_keep_text(struct ptx_parser *parser, const struct ptx_words *begin) {
    struct ptx_item item = {PTX_ITEM_TEXT, 0, ptx_text_since(parser, begin)};
    if (parser->function)
        vec_push(&parser->function->items, item);
    else
        vec_push(&parser->module->items, item);
}
