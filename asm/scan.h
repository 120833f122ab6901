/* SPDX-License-Identifier: MIT
 * The scanner: tokens from the text that is being read.  It is written by hand, since it is the
 * inner loop of the assembler, and instructions, operands and numbers need no table of states. */
#ifndef ASM_SCAN_H
#define ASM_SCAN_H

#include "asm/wide.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum asm_token_kind {
    TOKEN_END, /* of the statement: newline or end of the text */
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_REAL, /* decimal, with a point or an exponent */
    TOKEN_STRING,
    TOKEN_OPERATOR, /* code holds one character, or two as OP2, or three */
    TOKEN_BAD,      /* reported */
};
#define OP2(a, b)     ((uint16_t)((a) | (b) << 8))
#define OP_LAUNCH     OP2('<', 3) /* <<< */
#define OP_LAUNCH_END OP2('>', 3) /* >>> */

struct asm_token {
    enum asm_token_kind kind;
    uint16_t code;
    size_t begin, end; /* bytes of the text */
    uint64_t number;
};

struct assembler;
struct asm_input;

/* Reads the next token of the current text into a->token. */
void asm_scan(struct assembler *assembler);
/* The character at which the next token would start, without reading it; 0 at the end. */
char asm_scan_peek(const struct assembler *assembler);
/* Skips the rest of the statement, its newline included, without reading it as tokens. */
void asm_scan_skip(struct assembler *assembler);
/* The current token is this operator. */
bool asm_at_operator(const struct assembler *assembler, uint16_t code);
/* Reads past the operator if it is the current token. */
bool asm_take_operator(struct assembler *assembler, uint16_t code);
/* The current token is a name with this text. */
bool asm_at_name(const struct assembler *assembler, const char *text);
/* A string token's contents with its escapes resolved, in the assembler's arena. */
const char *asm_token_string(struct assembler *assembler);
/* The text of a token, not terminated. */
const char *asm_token_text(const struct assembler *assembler, const struct asm_token *token);
static inline size_t token_length(const struct asm_token *token) {
    return token->end - token->begin;
}
bool asm_name_character(char character);
/* Bytes of the word at `at`: name characters, and behind an e that ends a decimal number a sign
 * with what follows it. */
size_t asm_scan_real(const struct asm_input *in, size_t at);

#endif
