/* SPDX-License-Identifier: MIT
 * Functions: heads and bodies. */
#include "ptx/parser.h"

#include "support/alloc.h"

#include <stdio.h>
#include <string.h>

/* ---- heads ---- */

/* (.param .u64 a, .reg .b32 b): their variables. */
static bool parse_parameters(struct ptx_parser *parser, const uint32_t **list, uint32_t *count) {
    uint32_t *made = ARENA_ARRAY(&parser->module->arena, KERNEL_MAX_PARAMETERS, uint32_t);
    *list = made;
    *count = 0;
    if (!ptx_expect(parser, "("))
        return false;
    if (ptx_accept(parser, ")"))
        return true;
    do {
        enum ptx_space space = ptx_accept(parser, ".param") ? PTX_PARAM
                               : ptx_accept(parser, ".reg") ? PTX_REG_SPACE
                                                            : PTX_GENERIC;
        if (space == PTX_GENERIC)
            return ptx_expect(parser, ".param");
        if (space == PTX_REG_SPACE)
            return ptx_wrong(parser, 0, "parameters in registers are not there");
        if (*count == KERNEL_MAX_PARAMETERS)
            return ptx_wrong(parser, 0, "a function has at most %d parameters",
                             KERNEL_MAX_PARAMETERS);
        if (!ptx_parse_variable(parser, space, 0, &made[(*count)++]))
            return false;
    } while (ptx_accept(parser, ","));
    return ptx_expect(parser, ")");
}

/* Numbers between commas; *all is their product. */
static bool parse_counts(struct ptx_parser *parser, uint32_t counts[3], uint64_t *all) {
    *all = 1;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t n = 1;
        if ((i == 0 || ptx_accept(parser, ",")) && !ptx_take_count(parser, &n))
            return false;
        if (n < 1 || n > 1024)
            return ptx_wrong(parser, 0, "a block has 1 to 1024 threads");
        counts[i] = (uint32_t)n;
        *all *= n;
    }
    return true;
}

static bool parse_directives(struct ptx_parser *parser, struct ptx_function *f) {
    uint32_t counts[3];
    uint64_t all;
    for (;;) {
        if (ptx_accept(parser, ".maxntid")) {
            if (!parse_counts(parser, counts, &all))
                return false;
            f->max_threads = all < 1024 ? (uint32_t)all : 1024;
        } else if (ptx_accept(parser, ".reqntid")) {
            if (!parse_counts(parser, f->needed_threads, &all))
                return false;
        } else if (ptx_accept(parser, ".minnctapersm") || ptx_accept(parser, ".maxnctapersm") ||
                   ptx_accept(parser, ".maxnreg")) {
            if (!ptx_take_count(parser, &all))
                return false;
        } else if (ptx_accept(parser, ".pragma")) {
            ptx_take(parser);
            if (!ptx_expect(parser, ";"))
                return false;
        } else if (!ptx_accept(parser, ".noreturn")) {
            break;
        }
    }
    const struct ptx_word *w = &parser->words.word;
    return w->kind != PTX_WORD_NAME || w->text[0] != '.' ||
           ptx_wrong(parser, 0, "directive %.*s", (int)w->n, w->text);
}

/* ---- bodies ---- */

/* .reg .b32 %r<5>, %a; */
static bool parse_registers(struct ptx_parser *parser) {
    enum ptx_type type;
    if (ptx_is(parser, ".v2") || ptx_is(parser, ".v4"))
        return ptx_wrong(parser, 0, "registers of vectors are not there");
    if (!ptx_parse_type(parser, &type))
        return false;
    do {
        const char *name;
        uint64_t count;
        uint32_t line = parser->words.word.line;
        if (!ptx_take_name(parser, &name))
            return false;
        if (!ptx_accept(parser, "<")) {
            if (!ptx_register_add(parser, name, type, line))
                return false;
            continue;
        }
        if (!ptx_take_count(parser, &count) || !ptx_expect(parser, ">") ||
            !ptx_registers_add(parser, name, count, type))
            return false;
    } while (ptx_accept(parser, ","));
    return true;
}

/* .loc 1 4 62, function_name .., inlined_at ..; .pragma "nounroll"; */
bool ptx_parse_location(struct ptx_parser *parser) {
    uint32_t line = parser->words.word.line;
    uint64_t file, source;
    if (ptx_accept(parser, ".pragma")) {
        do
            ptx_take(parser);
        while (ptx_accept(parser, ","));
        return ptx_expect(parser, ";");
    }
    ptx_accept(parser, ".loc");
    if (!ptx_take_count(parser, &file) || !ptx_take_count(parser, &source))
        return false;
    parser->file = (uint32_t)file;
    parser->source_line = (uint32_t)source;
    while (parser->words.word.kind != PTX_WORD_END && parser->words.word.line == line)
        ptx_words_next(&parser->words);
    return true;
}

static bool parse_own_directive(struct ptx_parser *parser) {
    const struct ptx_words begin = parser->words;
    const struct ptx_word w = parser->words.word;
    enum ptx_space space = ptx_space_find(w.text + 1, w.n - 1);
    uint32_t index;
    bool fine;
    if (ptx_is(parser, ".loc") || ptx_is(parser, ".pragma")) {
        fine = ptx_parse_location(parser);
    } else if (space == PTX_GENERIC) {
        fine = ptx_wrong(parser, 0, "directive %.*s", (int)w.n, w.text);
    } else {
        ptx_words_next(&parser->words);
        fine = (space == PTX_REG_SPACE ? parse_registers(parser)
                                       : ptx_parse_variable(parser, space, 0, &index)) &&
               ptx_expect(parser, ";");
    }
    if (fine)
        ptx_keep_text(parser, &begin);
    return fine;
}

static void add_item(struct ptx_parser *parser, enum ptx_item_kind kind) {
    struct ptx_item item = {kind, 0, NULL};
    vec_push(&parser->function->items, item);
}

static bool is_label(const struct ptx_parser *parser) {
    struct ptx_words ahead = parser->words;
    if (ahead.word.kind != PTX_WORD_NAME || ahead.word.text[0] == '.')
        return false;
    ptx_words_next(&ahead);
    return ptx_word_is(&ahead.word, ":");
}

static bool parse_statement(struct ptx_parser *parser) {
    uint32_t line = parser->words.word.line;
    const char *name;
    if (ptx_accept(parser, "{")) {
        add_item(parser, PTX_ITEM_OPEN);
        return ptx_scope_open(parser);
    }
    if (is_label(parser))
        return ptx_take_name(parser, &name) && ptx_expect(parser, ":") &&
               ptx_label_add(parser, name, line);
    if (parser->words.word.kind == PTX_WORD_NAME && parser->words.word.text[0] == '.')
        return parse_own_directive(parser);
    return ptx_parse_insn(parser);
}

static bool parse_body(struct ptx_parser *parser) {
    uint32_t outer = parser->depth;
    for (;;) {
        if (parser->words.word.kind == PTX_WORD_END)
            return ptx_expect(parser, "}");
        if (ptx_accept(parser, ";"))
            continue;
        if (ptx_accept(parser, "}")) {
            if (parser->depth == outer)
                return ptx_labels_resolve(parser);
            add_item(parser, PTX_ITEM_CLOSE);
            ptx_scope_close(parser);
        } else if (!parse_statement(parser)) {
            return false;
        }
    }
}

/* ---- functions ---- */

static bool parse_head(struct ptx_parser *parser, struct ptx_function *f) {
    f->is_entry = ptx_accept(parser, ".entry");
    if (!f->is_entry && !ptx_expect(parser, ".func"))
        return false;
    while (ptx_accept(parser, ".noreturn"))
        ;
    if (ptx_is(parser, "(") && !parse_parameters(parser, &f->results, &f->result_count))
        return false;
    f->line = parser->words.word.line;
    if (!ptx_take_name(parser, &f->name))
        return false;
    if (ptx_is(parser, "(") && !parse_parameters(parser, &f->parameters, &f->parameter_count))
        return false;
    return parse_directives(parser, f);
}

/* Its name stands in the scope around its own. */
static bool name_function(struct ptx_parser *parser) {
    uint32_t inner = parser->scope;
    parser->scope = 0;
    bool fine = ptx_name_add(parser, parser->function->name, PTX_NAME_FUNCTION,
                             parser->function_index, parser->function->line);
    parser->scope = inner;
    return fine;
}

static bool parse_whole(struct ptx_parser *parser, const struct ptx_words *begin) {
    struct ptx_function *f = parser->function;
    if (!ptx_scope_open(parser) || !parse_head(parser, f))
        return false;
    f->head = ptx_text_since(parser, begin);
    f->has_body = ptx_is(parser, "{");
    if (!name_function(parser))
        return false;
    return ptx_accept(parser, "{") ? parse_body(parser) : ptx_expect(parser, ";");
}

/* It is put into the module first, so that it is freed with that in any case. */
bool ptx_parse_function(struct ptx_parser *parser, unsigned linkage,
                        const struct ptx_words *begin) {
    struct ptx_function none = {.linkage = linkage, .name = ""};
    struct ptx_item item = {PTX_ITEM_FUNCTION, (uint32_t)parser->module->functions.len, NULL};
    vec_push(&parser->module->functions, none);
    vec_push(&parser->module->items, item);
    parser->function_index = item.index;
    parser->function = &parser->module->functions.data[item.index];
    parser->source_line = 0;
    bool fine = parse_whole(parser, begin);
    ptx_scopes_end(parser);
    parser->function = NULL;
    return fine;
}
