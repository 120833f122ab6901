/* SPDX-License-Identifier: MIT
 * Directives: one table, one function each. */
#include "asm/assembler.h"

#include <string.h>

static void do_width(struct assembler *a, const struct asm_token *at) {
    wide w;
    (void)at;
    if (asm_parse_number_in(a, "the width", 1, 64, &w))
        a->o->default_width = (uint8_t)w;
}

static void do_geometry(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_geometry(a);
}
static void do_group(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_group(a);
}
static void do_variable(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_variable(a);
}
static void do_size(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_size(a);
}
static void do_data(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_data(a);
}
static void do_value(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_value(a);
}

static void do_length(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_length(a);
}
static void do_constant(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_constant(a);
}
static void do_recipe(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_recipes(a);
}
static void do_move(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_move(a);
}
static void do_mpu(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_entry(a);
}
static void do_signature(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_signature(a);
}
static void do_mark(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_record(a, DEBUG_MARK);
}
static void do_print(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_record(a, DEBUG_PRINT);
}
static void do_assert(struct assembler *a, const struct asm_token *at) {
    (void)at;
    asm_declare_record(a, DEBUG_ASSERT);
}

static void do_global(struct assembler *a, const struct asm_token *at) {
    (void)at;
    do {
        struct asm_token name;
        if (!asm_take_name(a, "a label or a constant", &name))
            return;
        struct global_name g = {asm_label_name(a, asm_token_text(a, &name), token_length(&name)),
                                asm_kept_span(a, name.begin, name.end)};
        vec_push(&a->globals, g);
    } while (asm_take_operator(a, ',') || a->token.kind == TOKEN_NAME);
}

static void do_include(struct assembler *a, const struct asm_token *at) {
    struct asm_token path = a->token;
    const char *text;
    if (!asm_take_text(a, "the name of a file", &text))
        return;
    asm_expect_end(a);
    if (a->failed)
        return;
    (void)at;
    asm_scan_skip(a); /* the including text goes on behind this line */
    a->taken_line = true;
    asm_include_file(a, text, &path);
}

static void constant(struct assembler *a, bool variable) {
    struct asm_token name;
    wide value;
    uint32_t label, index;
    if (!asm_take_name(a, "the name of the constant", &name))
        return;
    const char *text = asm_label_name(a, asm_token_text(a, &name), token_length(&name));
    if (builder_find(a->b, text, &label) && builder_bound(a->b, label, &index)) {
        asm_error_token(a, &name, "'%s' is a label and cannot be a constant as well", text);
        return;
    }
    if (!asm_take_operator(a, ','))
        asm_take_operator(a, '=');
    if (asm_parse_number(a, &value))
        asm_define_constant(a, &name, value, variable);
}

static void do_equ(struct assembler *a, const struct asm_token *at) {
    (void)at;
    constant(a, false);
}
static void do_set(struct assembler *a, const struct asm_token *at) {
    (void)at;
    constant(a, true);
}

static void do_sub(struct assembler *a, const struct asm_token *at) {
    struct asm_token name;
    if (a->sub) {
        asm_error_token(a, at, "a subroutine cannot begin inside of subroutine '%s'", a->sub);
        diag_note(a->d, a->sub_at, "'%s' began here and is not closed", a->sub);
        a->inner_subs++;
        return;
    }
    if (!asm_take_name(a, "the name of the subroutine", &name))
        return;
    a->sub = asm_keep(a, asm_token_text(a, &name), token_length(&name));
    a->sub_at = asm_kept_span(a, at->begin, name.end);
    a->scope = a->sub;
    asm_tell_builder(a, name.begin, name.end);
    builder_symbol(a->b, a->sub, SYMBOL_SUB, false);
    asm_structure_enter_sub(a);
}

static void do_endsub(struct assembler *a, const struct asm_token *at) {
    if (a->inner_subs) { /* of one that was refused */
        a->inner_subs--;
        return;
    }
    if (!a->sub) {
        asm_error_token(a, at, ".endsub without .sub");
        return;
    }
    asm_structure_leave_sub(a);
    builder_end_sub(a->b);
    a->sub = NULL;
}

static void do_macro(struct assembler *a, const struct asm_token *at) {
    asm_macro_define(a, at);
}
static void do_rept(struct assembler *a, const struct asm_token *at) {
    asm_rept_expand(a, at);
}

static void do_stray_end(struct assembler *a, const struct asm_token *at) {
    asm_error_token(a, at, "%.*s has no beginning", (int)token_length(at), asm_token_text(a, at));
}

static void do_later(struct assembler *a, const struct asm_token *at) {
    asm_error_token(a, at, "%.*s belongs to set Q, which this version does not have yet",
                    (int)token_length(at), asm_token_text(a, at));
}

static void do_error(struct assembler *a, const struct asm_token *at) {
    const char *text;
    if (asm_take_text(a, "a message", &text))
        asm_error_token(a, at, "%s", text);
}

/* Places as another program gives them, for sources that were made from an object. */
static void do_file(struct assembler *a, const struct asm_token *at) {
    const char *name;
    (void)at;
    if (!asm_take_text(a, "the name of a file", &name) || !name[0])
        return;
    a->places_given = true;
    a->given = (struct place){NO_INDEX, 0, 0};
    uint32_t file = object_file(a->o, name); /* may move the table */
    a->given_file = a->o->files.data[file];
    builder_place(a->b, NULL, 0, 0);
}

static void do_loc(struct assembler *a, const struct asm_token *at) {
    wide line, column = 0;
    if (!a->given_file) {
        asm_error_token(a, at, ".loc needs a .file before it");
        return;
    }
    if (!asm_parse_number_in(a, "the line", 0, UINT32_MAX, &line))
        return;
    asm_take_operator(a, ',');
    if (a->token.kind != TOKEN_END && !asm_parse_number_in(a, "the column", 0, UINT32_MAX, &column))
        return;
    uint32_t file = object_file(a->o, a->given_file);
    a->given = line ? (struct place){file, (uint32_t)line, (uint32_t)column}
                    : (struct place){NO_INDEX, 0, 0};
    builder_place(a->b, line ? a->given_file : NULL, (uint32_t)line, (uint32_t)column);
}

static void do_source(struct assembler *a, const struct asm_token *at) {
    const char *name;
    (void)at;
    if (asm_take_text(a, "the name of a file", &name))
        a->o->source = name[0] ? arena_strdup(&a->o->arena, name) : NULL;
}

static void do_debug_lines(struct assembler *a, const struct asm_token *at) {
    (void)at;
    a->o->debug_lines = true;
}

static const struct {
    const char *name;
    void (*act)(struct assembler *a, const struct asm_token *at);
} directives[] = {
    {".assert", do_assert},
    {".data", do_data},
    {".debug_lines", do_debug_lines},
    {".endfinish", asm_do_endfinish},
    {".endm", do_stray_end},
    {".endr", do_stray_end},
    {".endsub", do_endsub},
    {".equ", do_equ},
    {".error", do_error},
    {".file", do_file},
    {".finish", asm_do_finish},
    {".geometry", do_geometry},
    {".global", do_global},
    {".group", do_group},
    {".include", do_include},
    {".length", do_length},
    {".constant", do_constant},
    {".loc", do_loc},
    {".lut", do_later},
    {".macro", do_macro},
    {".mark", do_mark},
    {".move", do_move},
    {".mpu", do_mpu},
    {".print", do_print},
    {".recipe", do_recipe},
    {".rept", do_rept},
    {".set", do_set},
    {".signature", do_signature},
    {".size", do_size},
    {".source", do_source},
    {".sub", do_sub},
    {".value", do_value},
    {".var", do_variable},
    {".width", do_width},
};
#define DIRECTIVES (sizeof directives / sizeof *directives)

static void unknown_directive(struct assembler *a, const struct asm_token *at) {
    static const char *const conditions[] = {".if",   ".ifdef", ".ifndef",
                                             ".elif", ".else",  ".endif"};
    const char *names[DIRECTIVES + 6];
    char *wanted = xstrndup(asm_token_text(a, at), token_length(at));
    for (size_t i = 0; i < DIRECTIVES; i++)
        names[i] = directives[i].name;
    memcpy(names + DIRECTIVES, conditions, sizeof conditions);
    asm_error_token(a, at, "unknown directive '%s'", wanted);
    diag_suggest(a->d, asm_span(a, at->begin, at->end), wanted, names, DIRECTIVES + 6);
    free(wanted);
}

void asm_directive(struct assembler *a) {
    struct asm_token at = a->token;
    for (size_t i = 0; i < DIRECTIVES; i++) {
        if (!asm_at_name(a, directives[i].name))
            continue;
        const struct asm_input *in = a->in;
        asm_scan(a);
        directives[i].act(a, &at);
        if (a->in == in && !a->failed)
            asm_expect_end(a);
        return;
    }
    unknown_directive(a, &at);
}
