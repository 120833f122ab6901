/* SPDX-License-Identifier: MIT
 * Directives: one table, one function each. */
#include "asm/assembler.h"

#include <string.h>

static void do_width(struct assembler *assembler, const struct asm_token *at) {
    wide w;
    (void)at;
    if (asm_parse_number_in(assembler, "the width", 1, 64, &w))
        assembler->o->default_width = (uint8_t)w;
}

static void do_geometry(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_geometry(assembler);
}
static void do_group(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_group(assembler);
}
static void do_variable(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_variable(assembler);
}
static void do_size(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_size(assembler);
}
static void do_data(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_data(assembler);
}
static void do_value(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_value(assembler);
}

static void do_length(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_length(assembler);
}
static void do_constant(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_constant(assembler);
}
static void do_recipe(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_recipes(assembler);
}
static void do_buffer(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_buffer(assembler);
}
static void do_kernel(struct assembler *assembler, const struct asm_token *at) {
    asm_declare_kernel(assembler, at);
}
static void do_module(struct assembler *assembler, const struct asm_token *at) {
    asm_declare_module(assembler, at);
}
static void do_launch(struct assembler *assembler, const struct asm_token *at) {
    asm_launch(assembler, at);
}
static void do_move(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_move(assembler);
}
static void do_mpu(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_entry(assembler);
}
static void do_signature(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_signature(assembler);
}
static void do_mark(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_record(assembler, DEBUG_MARK);
}
static void do_print(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_record(assembler, DEBUG_PRINT);
}
static void do_show(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_record(assembler, DEBUG_SHOW);
}
static void do_assert(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_record(assembler, DEBUG_ASSERT);
}

static void do_global(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    do {
        struct asm_token name;
        if (!asm_take_name(assembler, "a label or a constant", &name))
            return;
        struct global_name g = {
            asm_label_name(assembler, asm_token_text(assembler, &name), token_length(&name)),
            asm_kept_span(assembler, name.begin, name.end)};
        vec_push(&assembler->globals, g);
    } while (asm_take_operator(assembler, ',') || assembler->token.kind == TOKEN_NAME);
}

static void do_include(struct assembler *assembler, const struct asm_token *at) {
    struct asm_token path = assembler->token;
    const char *text;
    if (!asm_take_text(assembler, "the name of a file", &text))
        return;
    asm_expect_end(assembler);
    if (assembler->failed)
        return;
    (void)at;
    asm_scan_skip(assembler); /* the including text goes on behind this line */
    assembler->taken_line = true;
    asm_include_file(assembler, text, &path);
}

static void constant(struct assembler *assembler, bool variable) {
    struct asm_token name;
    wide value;
    uint32_t label, index;
    if (!asm_take_name(assembler, "the name of the constant", &name))
        return;
    const char *text =
        asm_label_name(assembler, asm_token_text(assembler, &name), token_length(&name));
    if (builder_find(assembler->b, text, &label) && builder_bound(assembler->b, label, &index)) {
        asm_error_token(assembler, &name, "'%s' is a label and cannot be a constant as well", text);
        return;
    }
    if (!asm_take_operator(assembler, ','))
        asm_take_operator(assembler, '=');
    if (asm_parse_number(assembler, &value))
        asm_define_constant(assembler, &name, value, variable);
    else
        asm_say_no_more(assembler, &name);
}

static void do_equ(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    constant(assembler, false);
}
static void do_set(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    constant(assembler, true);
}

static void do_sub(struct assembler *assembler, const struct asm_token *at) {
    struct asm_token name;
    if (assembler->sub) {
        asm_error_token(assembler, at, "a subroutine cannot begin inside of subroutine '%s'",
                        assembler->sub);
        diag_note(assembler->d, assembler->sub_at, "'%s' began here and is not closed",
                  assembler->sub);
        assembler->inner_subs++;
        return;
    }
    if (!asm_take_name(assembler, "the name of the subroutine", &name))
        return;
    assembler->sub = asm_keep(assembler, asm_token_text(assembler, &name), token_length(&name));
    assembler->sub_at = asm_kept_span(assembler, at->begin, name.end);
    assembler->scope = assembler->sub;
    asm_tell_builder(assembler, name.begin, name.end);
    builder_symbol(assembler->b, assembler->sub, SYMBOL_SUB, false);
    asm_structure_enter_sub(assembler);
}

static void do_endsub(struct assembler *assembler, const struct asm_token *at) {
    if (assembler->inner_subs) { /* of one that was refused */
        assembler->inner_subs--;
        return;
    }
    if (!assembler->sub) {
        asm_error_token(assembler, at, ".endsub without .sub");
        return;
    }
    asm_structure_leave_sub(assembler);
    builder_end_sub(assembler->b);
    assembler->sub = NULL;
}

static void do_macro(struct assembler *assembler, const struct asm_token *at) {
    asm_macro_define(assembler, at);
}
static void do_rept(struct assembler *assembler, const struct asm_token *at) {
    asm_rept_expand(assembler, at);
}

static void do_stray_end(struct assembler *assembler, const struct asm_token *at) {
    asm_error_token(assembler, at, "%.*s has no beginning", (int)token_length(at),
                    asm_token_text(assembler, at));
}

static void do_lut(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_lut(assembler);
}

static void do_product(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    asm_declare_product(assembler);
}

static void do_error(struct assembler *assembler, const struct asm_token *at) {
    const char *text;
    if (asm_take_text(assembler, "a message", &text))
        asm_error_token(assembler, at, "%s", text);
}

/* Places as another program gives them, for sources that were made from an object; "": there are
 * none. */
static void do_file(struct assembler *assembler, const struct asm_token *at) {
    const char *name;
    (void)at;
    if (!asm_take_text(assembler, "the name of a file", &name))
        return;
    assembler->places_given = true;
    assembler->given = (struct place){NO_INDEX, 0, 0};
    assembler->given_file = NULL;
    if (name[0]) {
        uint32_t file = object_file(assembler->o, name); /* may move the table */
        assembler->given_file = assembler->o->files.data[file];
    }
    builder_place(assembler->b, NULL, 0, 0);
}

static void do_loc(struct assembler *assembler, const struct asm_token *at) {
    wide line, column = 0;
    if (!assembler->given_file) {
        asm_error_token(assembler, at, ".loc needs a .file before it");
        return;
    }
    if (!asm_parse_number_in(assembler, "the line", 0, UINT32_MAX, &line))
        return;
    asm_take_operator(assembler, ',');
    if (assembler->token.kind != TOKEN_END &&
        !asm_parse_number_in(assembler, "the column", 0, UINT32_MAX, &column))
        return;
    uint32_t file = object_file(assembler->o, assembler->given_file);
    assembler->given = line ? (struct place){file, (uint32_t)line, (uint32_t)column}
                            : (struct place){NO_INDEX, 0, 0};
    builder_place(assembler->b, line ? assembler->given_file : NULL, (uint32_t)line,
                  (uint32_t)column);
}

static void do_source(struct assembler *assembler, const struct asm_token *at) {
    const char *name;
    (void)at;
    if (asm_take_text(assembler, "the name of a file", &name))
        assembler->o->source = name[0] ? arena_strdup(&assembler->o->arena, name) : NULL;
}

static void do_debug_lines(struct assembler *assembler, const struct asm_token *at) {
    (void)at;
    assembler->o->debug_lines = true;
}

static const struct {
    const char *name;
    void (*act)(struct assembler *a, const struct asm_token *at);
} directives[] = {
    {".assert", do_assert},
    {".show", do_show},
    {".buffer", do_buffer},
    {".data", do_data},
    {".debug_lines", do_debug_lines},
    {".endfinish", asm_do_endfinish},
    {".endkernel", do_stray_end},
    {".endmodule", do_stray_end},
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
    {".kernel", do_kernel},
    {".launch", do_launch},
    {".length", do_length},
    {".constant", do_constant},
    {".loc", do_loc},
    {".lut", do_lut},
    {".macro", do_macro},
    {".mark", do_mark},
    {".module", do_module},
    {".move", do_move},
    {".mpu", do_mpu},
    {".print", do_print},
    {".product", do_product},
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

static void unknown_directive(struct assembler *assembler, const struct asm_token *at) {
    static const char *const conditions[] = {".if",   ".ifdef", ".ifndef",
                                             ".elif", ".else",  ".endif"};
    const char *names[DIRECTIVES + 6];
    char *wanted = xstrndup(asm_token_text(assembler, at), token_length(at));
    for (size_t i = 0; i < DIRECTIVES; i++)
        names[i] = directives[i].name;
    memcpy(names + DIRECTIVES, conditions, sizeof conditions);
    asm_error_token(assembler, at, "unknown directive '%s'", wanted);
    diag_suggest(assembler->d, asm_span(assembler, at->begin, at->end), wanted, names,
                 DIRECTIVES + 6);
    free(wanted);
}

bool asm_is_directive(const char *name, size_t length) {
    for (size_t i = 0; i < DIRECTIVES; i++)
        if (strlen(directives[i].name) == length && memcmp(directives[i].name, name, length) == 0)
            return true;
    return false;
}

void asm_directive(struct assembler *assembler) {
    struct asm_token at = assembler->token;
    for (size_t i = 0; i < DIRECTIVES; i++) {
        if (!asm_at_name(assembler, directives[i].name))
            continue;
        const struct asm_input *in = assembler->in;
        asm_scan(assembler);
        directives[i].act(assembler, &at);
        if (assembler->in == in && !assembler->failed)
            asm_expect_end(assembler);
        return;
    }
    unknown_directive(assembler, &at);
}
