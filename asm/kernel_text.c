/* SPDX-License-Identifier: MIT
 * Texts and words of kernels and modules, and .module (docs/assembly.md, "Kernels"). */
#include "asm/builder_state.h"
#include "asm/assembler.h"

#include <string.h>

const char *asm_new_name(struct assembler *assembler, const char *what, const struct map *names,
                         const struct asm_token *name) {
    const char *text = asm_keep(assembler, asm_token_text(assembler, name), token_length(name));
    if (!map_get(names, text))
        return text;
    asm_error_token(assembler, name, "%s '%s' is declared twice", what, text);
    return NULL;
}

/* What stands on the line itself: line 3 = "text", "text". */
static bool parse_pieces(struct assembler *assembler, struct module_decl *own, struct str *text) {
    const char *piece;
    wide line = 0;
    if (asm_at_name(assembler, "line")) {
        asm_scan(assembler);
        if (!asm_parse_number_in(assembler, "the line", 1, UINT32_MAX, &line))
            return false;
    }
    own->first_line = (uint32_t)line;
    if (!asm_expect_char(assembler, '='))
        return false;
    do {
        if (!asm_take_text(assembler, "a piece of the kernel's text", &piece))
            return false;
        str_append(text, piece);
    } while (asm_take_operator(assembler, ','));
    return true;
}

/* Numbers, with blanks, commas and comments between them. */
static bool read_words(struct assembler *assembler, const struct asm_token *at, const char *body,
                       size_t size, struct str *out) {
    const char *p = body, *end = body + size;
    while (p < end) {
        size_t n = 0;
        uint64_t word;
        while (p + n < end && !strchr(" \t\r\n,;", p[n]))
            n++;
        if (*p == ';')
            while (p < end && *p != '\n')
                p++;
        else if (n == 0)
            p++;
        else if (!number_parse_u64(p, n, &word)) {
            asm_error_token(assembler, at, "'%.*s' is no word of 64 bits", (int)(n < 40 ? n : 40),
                            p);
            return false;
        } else {
            for (unsigned i = 0; i < 8; i++)
                str_char(out, (char)(word >> 8 * i));
            p += n;
        }
    }
    return true;
}

/* The lines up to `close`. */
static bool take_block(struct assembler *assembler, const struct asm_token *directive,
                       const char *open, const char *close, struct module_decl *own,
                       struct str *text) {
    const char *body;
    size_t size;
    bool ok = !assembler->failed, in_file = !asm_in_expansion(assembler);
    uint32_t line = assembler->statement_line + 1;
    if (!asm_take_body(assembler, open, close, directive, &body, &size))
        return false;
    assembler->taken_line = true;
    if (!ok)
        return false;
    if (own->words)
        return read_words(assembler, directive, body, size, text);
    own->first_line = in_file && !assembler->places_given ? line : 0;
    str_append_n(text, body, size);
    return true;
}

/* Of a head that was refused: whether a text stands on its line. */
static bool stands_on_line(const struct assembler *assembler) {
    const struct asm_input *in = assembler->in;
    const char *at = in->text + assembler->statement, *end = in->text + in->size;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return memchr(at, '"', (size_t)((newline ? newline : end) - at)) != NULL;
}

bool asm_take_kernel_text(struct assembler *assembler, const struct asm_token *directive,
                          const char *open, const char *close, bool good, struct module_decl *own,
                          struct str *text) {
    if (good && !own->words && assembler->token.kind != TOKEN_END) {
        good = parse_pieces(assembler, own, text);
    } else if (good || !stands_on_line(assembler)) {
        if (good)
            asm_expect_end(assembler);
        good = take_block(assembler, directive, open, close, own, text);
    }
    own->bytes = str_text(text);
    own->size = text->len;
    return good;
}

/* ---- .module m FORM ---- */

static bool parse_head(struct assembler *assembler, struct asm_token *name,
                       struct module_decl *module) {
    struct asm_token form;
    if (!asm_take_name(assembler, "the name of a module", name))
        return false;
    module->name = asm_new_name(assembler, "module", &assembler->module_names, name);
    module->place = asm_place(assembler, name->begin);
    if (!module->name || !asm_take_name(assembler, "the form of the module", &form))
        return false;
    module->form = asm_keep(assembler, asm_token_text(assembler, &form), token_length(&form));
    module->words = asm_at_name(assembler, "words");
    if (module->words)
        asm_scan(assembler);
    return true;
}

void asm_declare_module(struct assembler *assembler, const struct asm_token *directive) {
    struct module_decl m = {.size = 0};
    struct asm_token name = *directive;
    struct str text = {0};
    bool good = parse_head(assembler, &name, &m);
    good = asm_take_kernel_text(assembler, directive, ".module", ".endmodule", good, &m, &text);
    const char *problem = good ? object_module_problem(&m) : NULL;
    if (good && !problem && assembler->o->modules.len == OBJECT_MAX_MODULES)
        problem = "is one too many: a program has at most 4096";
    if (problem)
        asm_error_token(assembler, &name, "module '%s' %s", m.name, problem);
    if (good && !problem) {
        map_put(&assembler->module_names, m.name, assembler->o->modules.len);
        builder_module(assembler->b, &m);
    }
    str_free(&text);
}
