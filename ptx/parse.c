/* SPDX-License-Identifier: MIT
 * Reading a module: what stands outside of functions. */
#include "ptx/parser.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- directives ---- */

static void rest_of_line(struct ptx_parser *parser, uint32_t line) {
    while (parser->words.word.kind != PTX_WORD_END && parser->words.word.line == line)
        ptx_words_next(&parser->words);
}

static bool parse_version(struct ptx_parser *parser) {
    const struct ptx_word w = parser->words.word;
    const char *dot = w.n ? memchr(w.text, '.', w.n) : NULL;
    uint64_t major, minor;
    if (!dot || !number_parse_u64(w.text, (size_t)(dot - w.text), &major) ||
        !number_parse_u64(dot + 1, w.n - (size_t)(dot + 1 - w.text), &minor) || minor > 99)
        return ptx_unexpected(parser, "a version");
    if (major < 3 || major > 9 || (major == 9 && minor > 0))
        return ptx_wrong(parser, 0, "version %.*s: those from 3.0 to 9.0 are read", (int)w.n,
                         w.text);
    parser->module->major = (uint32_t)major;
    parser->module->minor = (uint32_t)minor;
    ptx_words_next(&parser->words);
    return true;
}

static bool parse_target(struct ptx_parser *parser) {
    const char *name;
    struct str all = {0};
    do {
        if (!ptx_take_name(parser, &name)) {
            str_free(&all);
            return false;
        }
        str_printf(&all, "%s%s", all.len ? ", " : "", name);
    } while (ptx_accept(parser, ","));
    parser->module->target = arena_strdup(&parser->module->arena, str_text(&all));
    str_free(&all);
    return true;
}

static bool parse_address_size(struct ptx_parser *parser) {
    uint32_t line = parser->words.word.line;
    uint64_t bits;
    if (!ptx_take_count(parser, &bits))
        return false;
    if (bits != 64)
        return ptx_wrong(parser, line, "addresses of %llu bits: those of 64 are there",
                         (unsigned long long)bits);
    parser->module->address_bits = 64;
    return true;
}

static bool parse_file(struct ptx_parser *parser, uint32_t line) {
    uint64_t number;
    if (!ptx_take_count(parser, &number))
        return false;
    const struct ptx_word w = parser->words.word;
    if (w.kind != PTX_WORD_STRING || w.n < 2)
        return ptx_unexpected(parser, "the name of a file");
    struct ptx_file f = {(uint32_t)number,
                         arena_strndup(&parser->module->arena, w.text + 1, w.n - 2)};
    vec_push(&parser->module->files, f);
    rest_of_line(parser, line);
    return true;
}

/* .section NAME { .. } */
static bool parse_section(struct ptx_parser *parser) {
    ptx_take(parser);
    if (!ptx_expect(parser, "{"))
        return false;
    for (unsigned depth = 1; depth; ptx_words_next(&parser->words)) {
        if (parser->words.word.kind == PTX_WORD_END)
            return ptx_unexpected(parser, "'}' of .section");
        depth += ptx_is(parser, "{");
        depth -= ptx_is(parser, "}");
    }
    return true;
}

static bool parse_linkage(struct ptx_parser *parser, unsigned *linkage) {
    static const struct {
        const char *name;
        unsigned linkage;
    } words[] = {{".visible", PTX_VISIBLE},
                 {".extern", PTX_EXTERN},
                 {".weak", PTX_WEAK},
                 {".common", PTX_COMMON}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_accept(parser, words[i].name)) {
            *linkage |= words[i].linkage;
            return true;
        }
    return false;
}

/* .global .align 4 .u32 x = 5, y; */
static bool parse_variables(struct ptx_parser *parser, unsigned linkage,
                            const struct ptx_words *begin) {
    enum ptx_space space = ptx_space_find(parser->words.word.text + 1, parser->words.word.n - 1);
    uint32_t index;
    if (space != PTX_GLOBAL && space != PTX_CONST && space != PTX_SHARED)
        return ptx_unexpected(parser, ".entry, .func, .global, .const or .shared");
    ptx_words_next(&parser->words);
    if (!ptx_parse_variable(parser, space, linkage, &index) || !ptx_expect(parser, ";"))
        return false;
    ptx_keep_text(parser, begin);
    return true;
}

static bool parse_declaration(struct ptx_parser *parser) {
    const struct ptx_words begin = parser->words;
    unsigned linkage = 0;
    while (parse_linkage(parser, &linkage))
        ;
    if (ptx_is(parser, ".entry") || ptx_is(parser, ".func"))
        return ptx_parse_function(parser, linkage, &begin);
    if (parser->words.word.kind != PTX_WORD_NAME || parser->words.word.text[0] != '.')
        return ptx_unexpected(parser, "a declaration");
    if (ptx_space_find(parser->words.word.text + 1, parser->words.word.n - 1) == PTX_GENERIC)
        return ptx_wrong(parser, 0, "directive %.*s", (int)parser->words.word.n,
                         parser->words.word.text);
    return parse_variables(parser, linkage, &begin);
}

static bool parse_top(struct ptx_parser *parser) {
    const struct ptx_words begin = parser->words;
    uint32_t line = parser->words.word.line;
    bool fine;
    if (ptx_accept(parser, ".version"))
        fine = parse_version(parser);
    else if (ptx_accept(parser, ".target"))
        fine = parse_target(parser);
    else if (ptx_accept(parser, ".address_size"))
        fine = parse_address_size(parser);
    else if (ptx_accept(parser, ".file"))
        fine = parse_file(parser, line);
    else if (ptx_accept(parser, ".section"))
        fine = parse_section(parser);
    else if (ptx_is(parser, ".loc") || ptx_is(parser, ".pragma"))
        fine = ptx_parse_location(parser);
    else if (ptx_accept(parser, ";"))
        fine = true;
    else
        return parse_declaration(parser);
    if (fine)
        ptx_keep_text(parser, &begin);
    return fine;
}

/* Texts of items are kept as C keeps texts. */
static bool is_text(struct ptx_parser *parser) {
    const char *nul = parser->size ? memchr(parser->text, '\0', parser->size) : NULL;
    uint32_t line = 1;
    for (const char *at = parser->text; nul && at < nul; at++)
        line += *at == '\n';
    return !nul || ptx_wrong(parser, line, "a NUL stands in the text");
}

static bool parse_module(struct ptx_parser *parser) {
    bool first = true;
    if (!is_text(parser))
        return false;
    while (parser->words.word.kind != PTX_WORD_END) {
        if (first && !ptx_is(parser, ".version"))
            return ptx_wrong(parser, 0, "a PTX text begins with .version");
        if (!parse_top(parser))
            return false;
        first = false;
    }
    if (first)
        return ptx_wrong(parser, 0, "there is no PTX text here");
    return parser->module->address_bits || ptx_wrong(parser, 0, "there is no .address_size 64");
}

struct ptx_module *ptx_read(const char *text, size_t size, struct portable_fault *fault) {
    struct ptx_module *m = xcalloc(1, sizeof *m);
    struct ptx_parser p = {.text = text, .size = size, .module = m, .fault = fault};
    ptx_words_begin(&p.words, text, size);
    ptx_scope_open(&p);
    bool fine = parse_module(&p);
    p.function = NULL;
    ptx_scopes_end(&p);
    vec_free(&p.scopes);
    vec_free(&p.uses);
    vec_free(&p.resolved);
    map_free(&p.forms);
    if (fine)
        return m;
    ptx_free(m);
    return NULL;
}
