/* SPDX-License-Identifier: MIT
 * .if and its kin.  Conditions nest, and each ends in the text in which it began. */
#include "asm/assembler.h"

#include <string.h>

bool asm_condition_active(const struct assembler *a) {
    return a->conditions.len == 0 || vec_last(&a->conditions).active;
}

static void open_condition(struct assembler *a, bool holds, const struct asm_token *at) {
    bool live = asm_condition_active(a);
    struct condition c = {.taken = holds || !live,
                          .active = holds && live,
                          .at = asm_kept_span(a, at->begin, at->end)};
    vec_push(&a->conditions, c);
}

static bool evaluate(struct assembler *a) {
    wide v = 0;
    asm_scan(a);
    if (!asm_parse_number(a, &v))
        return false;
    asm_expect_end(a);
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
static struct condition *innermost(struct assembler *a, const struct asm_token *at) {
    if (a->conditions.len > a->in->conditions)
        return &vec_last(&a->conditions);
    asm_error_token(a, at, "%.*s without .if", (int)token_length(at), asm_token_text(a, at));
    return NULL;
}

static void do_if(struct assembler *a, const struct asm_token *at) {
    open_condition(a, asm_condition_active(a) && evaluate(a), at);
}

static void do_ifdef(struct assembler *a, const struct asm_token *at) {
    open_condition(a, asm_condition_active(a) && defined(a), at);
}

static void do_ifndef(struct assembler *a, const struct asm_token *at) {
    open_condition(a, asm_condition_active(a) && !defined(a) && !a->failed, at);
}

static void next_branch(struct assembler *a, const struct asm_token *at, bool is_else) {
    struct condition *c = innermost(a, at);
    if (!c)
        return;
    if (c->in_else) {
        asm_error_token(a, at, "%.*s after .else", (int)token_length(at), asm_token_text(a, at));
        diag_note(a->d, c->at, "the condition began here");
        return;
    }
    c->in_else = is_else;
    c->active = !c->taken && (is_else || evaluate(a));
    c->taken |= c->active;
}

static void do_elif(struct assembler *a, const struct asm_token *at) {
    next_branch(a, at, false);
}

static void do_else(struct assembler *a, const struct asm_token *at) {
    next_branch(a, at, true);
}

static void do_endif(struct assembler *a, const struct asm_token *at) {
    if (innermost(a, at))
        a->conditions.len--;
}

static const struct {
    const char *name;
    void (*act)(struct assembler *a, const struct asm_token *at);
    bool always; /* reported also in text that is passed over */
} directives[] = {
    {".if", do_if, false},    {".ifdef", do_ifdef, false}, {".ifndef", do_ifndef, false},
    {".elif", do_elif, true}, {".else", do_else, true},    {".endif", do_endif, true},
};

bool asm_condition_directive(struct assembler *a) {
    struct asm_token at = a->token;
    if (at.kind != TOKEN_NAME || asm_token_text(a, &at)[0] != '.')
        return false;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (asm_at_name(a, directives[i].name)) {
            a->failed &= !directives[i].always;
            directives[i].act(a, &at);
            return true;
        }
    return false;
}
