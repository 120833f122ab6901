/* SPDX-License-Identifier: MIT
 * Reads what many statements consist of: names, texts, single characters, the end, names of labels.
 */
#include "asm/assembler.h"

#include <string.h>

bool asm_take_name(struct assembler *assembler, const char *what, struct asm_token *name) {
    *name = assembler->token;
    if (assembler->token.kind != TOKEN_NAME) {
        asm_error_token(assembler, &assembler->token, "expected %s", what);
        return false;
    }
    if (token_length(name) > OBJECT_MAX_NAME) {
        asm_error_token(assembler, name, "this name is longer than %d bytes", OBJECT_MAX_NAME);
        return false;
    }
    asm_scan(assembler);
    return true;
}

bool asm_take_text(struct assembler *assembler, const char *what, const char **text) {
    if (assembler->token.kind != TOKEN_STRING) {
        asm_error_token(assembler, &assembler->token, "expected %s in quotes", what);
        return false;
    }
    *text = asm_token_string(assembler);
    asm_scan(assembler);
    return !assembler->failed;
}

void asm_expect_end(struct assembler *assembler) {
    if (assembler->token.kind != TOKEN_END && assembler->token.kind != TOKEN_BAD)
        asm_error_token(assembler, &assembler->token, "the statement should end here");
}

bool asm_expect_char(struct assembler *assembler, char character) {
    if (asm_take_operator(assembler, (unsigned char)character))
        return true;
    asm_error_token(assembler, &assembler->token, "expected '%c'", character);
    return false;
}

const char *asm_label_name(struct assembler *assembler, const char *text, size_t length) {
    if (length < 2 || text[0] != '.' || !assembler->scope)
        return asm_keep(assembler, text, length);
    return arena_printf(&assembler->arena, "%s%.*s", assembler->scope, (int)length, text);
}
