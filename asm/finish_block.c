/* SPDX-License-Identifier: MIT
 * .finish and .endfinish: text between them that folds registers into outputs, which the host may
 * do instead. */
#include "asm/assembler.h"

/* sum, argmin ... */
static bool parse_kind(struct assembler *a, enum finish_kind *kind) {
    struct asm_token name;
    if (!asm_take_name(a, "a kind of reduction", &name))
        return false;
    if (object_finish_kind_parse(asm_token_text(a, &name), token_length(&name), kind))
        return true;
    asm_error_token(
        a, &name, "a reduction is sum, min, max, and, or, xor, any, all, count, argmin or argmax");
    return false;
}

/* [k] behind a variable of T[k]. */
static bool parse_element(struct assembler *a, struct finish_record *r) {
    const struct variable *v = &a->o->vars.data[r->variable];
    wide k = 0;
    if (!v->has_k)
        return true;
    bool ok = asm_expect_char(a, '[') &&
              asm_parse_number_in(a, "the element", 0, v->count - 1, &k) && asm_expect_char(a, ']');
    r->element = (uint32_t)k;
    return ok;
}

static bool is_twice(const struct assembler *a, const struct finish_record *r) {
    for (size_t i = 0; i < a->o->finishes.len; i++)
        if (a->o->finishes.data[i].variable == r->variable &&
            a->o->finishes.data[i].element == r->element)
            return true;
    return false;
}

static bool may_begin(struct assembler *a, const struct asm_token *at, const struct asm_token *name,
                      const struct finish_record *r) {
    const char *problem = object_finish_problem(a->o, r);
    if (a->finish_open && a->finish_first != a->o->text.len)
        asm_error_token(a, at, "a reduction that the host may finish begins inside of another");
    else if (a->o->finishes.len == OBJECT_MAX_FINISHES)
        asm_error_token(a, at, "the host may finish at most %d reductions", OBJECT_MAX_FINISHES);
    else if (problem)
        asm_error_token(a, name, "the host cannot finish '%.*s', which %s", (int)token_length(name),
                        asm_token_text(a, name), problem);
    else if (is_twice(a, r))
        asm_error_token(a, name, "the host may finish '%.*s' already", (int)token_length(name),
                        asm_token_text(a, name));
    return !a->failed;
}

void asm_do_finish(struct assembler *a, const struct asm_token *at) {
    struct finish_record r = {0};
    struct asm_token name;
    if (!asm_take_variable_name(a, &name, &r.variable) || !parse_element(a, &r))
        return;
    asm_take_operator(a, '=');
    if (!parse_kind(a, &r.kind) || !asm_parse_type(a, &r.type) || !asm_expect_char(a, '@') ||
        !asm_parse_group_name(a, &r.group) || !asm_parse_register(a, &r.reg) ||
        !may_begin(a, at, &name, &r))
        return;
    r.place = asm_place(a, name.begin);
    a->finish_open = true;
    a->finish_at = asm_kept_span(a, at->begin, name.end);
    a->finish_first = (uint32_t)a->o->text.len;
    builder_begin_finish(a->b, &r);
}

void asm_do_endfinish(struct assembler *a, const struct asm_token *at) {
    if (!a->finish_open)
        asm_error_token(a, at, ".endfinish without .finish");
    else if (a->finish_first == a->o->text.len)
        asm_error_token(a, at, "there is nothing between .finish and .endfinish");
    else
        builder_end_finish(a->b);
    a->finish_open = false;
}

void asm_check_open_finish(struct assembler *a) {
    if (!a->finish_open)
        return;
    diag_error(a->d, a->finish_at, "the reduction is not closed");
    diag_note(a->d, a->last, "a line '.endfinish' is missing before the end of the file");
}
