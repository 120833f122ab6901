/* SPDX-License-Identifier: MIT
 * .if and the other conditions.  Conditions nest, and each ends in the text in which it began. */
#include "asm/assembler.h"

#include <string.h>

bool asm_condition_active(const struct assembler *assembler) {
    return assembler->conditions.len == 0 || vec_last(&assembler->conditions).active;
}

static void open_condition(struct assembler *assembler, bool holds, const struct asm_token *at) {
    bool live = asm_condition_active(assembler);
    struct condition c = {.taken = holds || !live,
                          .active = holds && live,
                          .at = asm_kept_span(assembler, at->begin, at->end)};
    vec_push(&assembler->conditions, c);
}

static bool evaluate(struct assembler *assembler) {
    wide v = 0;
    asm_scan(assembler);
    if (!asm_parse_number(assembler, &v))
        return false;
    asm_expect_end(assembler);
    return v != 0;
}

static bool defined(struct assembler *a) {
    struct asm_token name;
    asm_scan(a);
    if (!asm_take_name(a, "the name of a constant, size, group, variable or macro", &name))
        return false;
    asm_expect_end(a);
    return asm_name_defined(a, &name);
}

/* The innermost condition, if it began in this text. */
static struct condition *innermost(struct assembler *assembler, const struct asm_token *at) {
    if (assembler->conditions.len > assembler->in->conditions)
        return &vec_last(&assembler->conditions);
    asm_error_token(assembler, at, "%.*s without .if", (int)token_length(at),
                    asm_token_text(assembler, at));
    return NULL;
}

static void do_if(struct assembler *assembler, const struct asm_token *at) {
    open_condition(assembler, asm_condition_active(assembler) && evaluate(assembler), at);
}

static void do_ifdef(struct assembler *assembler, const struct asm_token *at) {
    open_condition(assembler, asm_condition_active(assembler) && defined(assembler), at);
}

static void do_ifndef(struct assembler *assembler, const struct asm_token *at) {
    open_condition(assembler,
                   asm_condition_active(assembler) && !defined(assembler) && !assembler->failed,
                   at);
}

static void next_branch(struct assembler *assembler, const struct asm_token *at, bool is_else) {
    struct condition *c = innermost(assembler, at);
    if (!c)
        return;
    if (c->in_else) {
        asm_error_token(assembler, at, "%.*s after .else", (int)token_length(at),
                        asm_token_text(assembler, at));
        diag_note(assembler->d, c->at, "the condition began here");
        return;
    }
    c->in_else = is_else;
    c->active = !c->taken && (is_else || evaluate(assembler));
    c->taken |= c->active;
}

static void do_elif(struct assembler *assembler, const struct asm_token *at) {
    next_branch(assembler, at, false);
}

static void do_else(struct assembler *assembler, const struct asm_token *at) {
    next_branch(assembler, at, true);
}

static void do_endif(struct assembler *assembler, const struct asm_token *at) {
    if (innermost(assembler, at))
        assembler->conditions.len--;
}

static const struct {
    const char *name;
    void (*act)(struct assembler *a, const struct asm_token *at);
    bool always; /* reported also in text that is passed over */
} directives[] = {
    {".if", do_if, false},    {".ifdef", do_ifdef, false}, {".ifndef", do_ifndef, false},
    {".elif", do_elif, true}, {".else", do_else, true},    {".endif", do_endif, true},
};

bool asm_condition_directive(struct assembler *assembler) {
    struct asm_token at = assembler->token;
    if (at.kind != TOKEN_NAME || asm_token_text(assembler, &at)[0] != '.')
        return false;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (asm_at_name(assembler, directives[i].name)) {
            assembler->failed &= !directives[i].always;
            directives[i].act(assembler, &at);
            return true;
        }
    return false;
}
