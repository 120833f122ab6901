/* SPDX-License-Identifier: MIT
 * Words of a PTX text. */
#ifndef PTX_WORDS_H
#define PTX_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_word_kind {
    PTX_WORD_END,
    PTX_WORD_NAME,    /* letters, digits, _ $ % . : an opcode with its modifiers, a directive */
    PTX_WORD_NUMERAL, /* begins with a digit */
    PTX_WORD_STRING,  /* with its quotes */
    PTX_WORD_SIGN,    /* one character */
};
struct ptx_word {
    enum ptx_word_kind kind;
    const char *text; /* [n] */
    size_t n;
    uint32_t line, column; /* from 1 */
};
struct ptx_words {
    const char *at, *end, *line_begin;
    uint32_t line;
    struct ptx_word word; /* the one that is next */
};

void ptx_words_begin(struct ptx_words *words, const char *text, size_t size);
void ptx_words_next(struct ptx_words *words);
bool ptx_word_is(const struct ptx_word *word, const char *text);

#endif
