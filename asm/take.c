/* SPDX-License-Identifier: MIT
 * What stands in many statements: names, texts, single characters, the end, names of labels. */
#include "asm/assembler.h"

#include <string.h>

bool asm_take_name(struct assembler *a, const char *what, struct asm_token *name) {
    *name = a->token;
    if (a->token.kind != TOKEN_NAME) {
        asm_error_token(a, &a->token, "expected %s", what);
        return false;
    }
    if (token_length(name) > OBJECT_MAX_NAME) {
        asm_error_token(a, name, "this name is longer than %d bytes", OBJECT_MAX_NAME);
        return false;
    }
    asm_scan(a);
    return true;
}

bool asm_take_text(struct assembler *a, const char *what, const char **text) {
    if (a->token.kind != TOKEN_STRING) {
        asm_error_token(a, &a->token, "expected %s in quotes", what);
        return false;
    }
    *text = asm_token_string(a);
    asm_scan(a);
    return !a->failed;
}

void asm_expect_end(struct assembler *a) {
    if (a->token.kind != TOKEN_END && a->token.kind != TOKEN_BAD)
        asm_error_token(a, &a->token, "the statement should end here");
}

bool asm_expect_char(struct assembler *a, char c) {
    if (asm_take_operator(a, (unsigned char)c))
        return true;
    asm_error_token(a, &a->token, "expected '%c'", c);
    return false;
}

const char *asm_label_name(struct assembler *a, const char *text, size_t length) {
    if (length < 2 || text[0] != '.' || !a->scope)
        return asm_keep(a, text, length);
    return arena_printf(&a->arena, "%s%.*s", a->scope, (int)length, text);
}
