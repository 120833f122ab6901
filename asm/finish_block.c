/* SPDX-License-Identifier: MIT
 * .finish and .endfinish: text between them that folds registers into outputs, which the host may
 * do instead. */
#include "asm/assembler.h"

/* sum, argmin ... */
static bool parse_kind(struct assembler *assembler, enum finish_kind *kind) {
    struct asm_token name;
    if (!asm_take_name(assembler, "a kind of reduction", &name))
        return false;
    if (object_finish_kind_parse(asm_token_text(assembler, &name), token_length(&name), kind))
        return true;
    asm_error_token(
        assembler, &name,
        "a reduction is sum, min, max, and, or, xor, any, all, count, argmin or argmax");
    return false;
}

/* [k] behind a variable of T[k]. */
static bool parse_element(struct assembler *assembler, struct finish_record *record) {
    const struct variable *v = &assembler->o->vars.data[record->variable];
    wide k = 0;
    if (!v->has_k)
        return true;
    bool ok = asm_expect_char(assembler, '[') &&
              asm_parse_number_in(assembler, "the element", 0, v->count - 1, &k) &&
              asm_expect_char(assembler, ']');
    record->element = (uint32_t)k;
    return ok;
}

static bool is_twice(const struct assembler *assembler, const struct finish_record *record) {
    for (size_t i = 0; i < assembler->o->finishes.len; i++)
        if (assembler->o->finishes.data[i].variable == record->variable &&
            assembler->o->finishes.data[i].element == record->element)
            return true;
    return false;
}

static bool may_begin(struct assembler *assembler, const struct asm_token *at,
                      const struct asm_token *name, const struct finish_record *record) {
    const char *problem = object_finish_problem(assembler->o, record);
    if (assembler->finish_open && assembler->finish_first != assembler->o->text.len)
        asm_error_token(assembler, at,
                        "a reduction that the host may finish begins inside of another");
    else if (assembler->o->finishes.len == OBJECT_MAX_FINISHES)
        asm_error_token(assembler, at, "the host may finish at most %d reductions",
                        OBJECT_MAX_FINISHES);
    else if (problem)
        asm_error_token(assembler, name, "the host cannot finish '%.*s', which %s",
                        (int)token_length(name), asm_token_text(assembler, name), problem);
    else if (is_twice(assembler, record))
        asm_error_token(assembler, name, "the host may finish '%.*s' already",
                        (int)token_length(name), asm_token_text(assembler, name));
    return !assembler->failed;
}

void asm_do_finish(struct assembler *assembler, const struct asm_token *at) {
    struct finish_record r = {0};
    struct asm_token name;
    if (!asm_take_variable_name(assembler, &name, &r.variable) || !parse_element(assembler, &r))
        return;
    asm_take_operator(assembler, '=');
    if (!parse_kind(assembler, &r.kind) || !asm_parse_type(assembler, &r.type) ||
        !asm_expect_char(assembler, '@') || !asm_parse_group_name(assembler, &r.group) ||
        !asm_parse_register(assembler, &r.reg) || !may_begin(assembler, at, &name, &r))
        return;
    r.place = asm_place(assembler, name.begin);
    assembler->finish_open = true;
    assembler->finish_at = asm_kept_span(assembler, at->begin, name.end);
    assembler->finish_first = (uint32_t)assembler->o->text.len;
    builder_begin_finish(assembler->b, &r);
}

void asm_do_endfinish(struct assembler *assembler, const struct asm_token *at) {
    if (!assembler->finish_open)
        asm_error_token(assembler, at, ".endfinish without .finish");
    else if (assembler->finish_first == assembler->o->text.len)
        asm_error_token(assembler, at, "there is nothing between .finish and .endfinish");
    else
        builder_end_finish(assembler->b);
    assembler->finish_open = false;
}

void asm_check_open_finish(struct assembler *assembler) {
    if (!assembler->finish_open)
        return;
    diag_error(assembler->d, assembler->finish_at, "the reduction is not closed");
    diag_note(assembler->d, assembler->last,
              "a line '.endfinish' is missing before the end of the file");
}
