/* SPDX-License-Identifier: MIT
 * Recipe files that a program brings along, and RECIPE. */
#include "asm/builder_state.h"
#include "asm/operand.h"

#include <string.h>

/* Keeps the text for the linker and learns the names of its instructions. */
static void keep_recipes(struct assembler *assembler, const struct asm_token *at, const char *name,
                         const char *text, size_t size) {
    struct object *o = assembler->o;
    if (size > OBJECT_MAX_RECIPE_TEXT || memchr(text, '\0', size)) {
        asm_error_token(assembler, at, "'%s' is larger than 1 MiB, or no text", name);
        return;
    }
    if (object_has_recipes(o, text, size))
        return;
    if (o->recipes.len == OBJECT_MAX_RECIPES) {
        asm_error_token(assembler, at, "a program has at most %d recipe files", OBJECT_MAX_RECIPES);
        return;
    }
    struct user_file t = {arena_strdup(&o->arena, name), arena_copy(&o->arena, text, size), size};
    vec_push(&o->recipes, t);
    uint32_t source = diag_source(assembler->d, name, text, size);
    assembler->failed |=
        !isa_users_read(&assembler->users, &assembler->arena, source, text, size, assembler->d);
    isa_users_warn(&assembler->users, source, assembler->d);
}

/* The text itself, in strings: sources that were made from an object. */
static void take_recipes(struct assembler *assembler, const struct asm_token *at,
                         const char *name) {
    struct str text = {0};
    const char *piece;
    while (asm_take_operator(assembler, ',') &&
           asm_take_text(assembler, "a piece of the recipe file", &piece))
        str_append(&text, piece);
    if (!assembler->failed)
        keep_recipes(assembler, at, name, str_text(&text), text.len);
    str_free(&text);
}

void asm_declare_recipes(struct assembler *assembler) {
    struct asm_token at = assembler->token;
    const char *path;
    char *name;
    size_t size;
    if (!asm_take_text(assembler, "the name of a recipe file", &path))
        return;
    if (asm_at_operator(assembler, ',')) {
        take_recipes(assembler, &at, path);
        return;
    }
    char *text = asm_read_beside(assembler, path, &at, ".recipe", &name, &size);
    if (text)
        keep_recipes(assembler, &at, name, text, size);
    free(text);
    free(name);
}

/* Takes `else LABEL` off the end of the operands; *label is NO_INDEX without it. */
static bool take_otherwise(struct assembler *assembler, struct asm_operands *operands,
                           uint32_t *label) {
    *label = NO_INDEX;
    for (size_t i = 0; i < operands->count; i++) {
        const struct asm_operand *x = &operands->list[i], *to = &operands->list[i + 1];
        if (x->kind != OPERAND_VALUE || token_length(&x->at) != 4 ||
            memcmp(asm_token_text(assembler, &x->at), "else", 4) != 0)
            continue;
        if (i + 2 != operands->count || to->kind != OPERAND_VALUE ||
            to->value.kind != VALUE_LABEL || to->value.number != 0) {
            asm_error_token(assembler, i + 1 < operands->count ? &to->at : &x->at,
                            "behind 'else' stands the label of a subroutine");
            return false;
        }
        *label = builder_label(assembler->b, to->value.label);
        operands->count = i;
        return true;
    }
    return true;
}

void asm_recipe(struct assembler *assembler, const struct asm_token *mnemonic) {
    struct asm_operands o;
    struct insn insn;
    uint32_t label;
    struct asm_token name = assembler->token;
    enum isa_op op = OP_COUNT;
    uint32_t kernel;
    char next = name.kind == TOKEN_NAME ? asm_scan_peek(assembler) : '\0';
    if (next == '(' || next == '<' || asm_named_kernel(assembler, &kernel)) {
        asm_launch(assembler, mnemonic);
        return;
    }
    const char *text = asm_token_text(assembler, &name),
               *dot = memchr(text, '.', token_length(&name));
    if (name.kind == TOKEN_NAME)
        op = isa_users_find(&assembler->users, text,
                            dot ? (size_t)(dot - text) : token_length(&name));
    if (op == OP_COUNT || !(isa_info(op)->flags & ISA_USER)) {
        asm_error_token(assembler, &name,
                        "RECIPE takes a user instruction: RECIPE NAME.8 r1 r2 r3 else "
                        "subroutine");
        if (dot)
            name.end = name.begin + (size_t)(dot - text);
        asm_suggest_user(assembler, &name);
        return;
    }
    asm_scan(assembler);
    if (!asm_parse_operands(assembler, false, &o))
        return;
    asm_tell_builder(assembler, mnemonic->begin, name.end);
    if (take_otherwise(assembler, &o, &label) && asm_make_insn(assembler, &name, op, &o, &insn))
        builder_recipe_call(assembler->b, &insn, label);
}
