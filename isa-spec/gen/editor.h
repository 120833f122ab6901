/* SPDX-License-Identifier: MIT
 * The three languages as an editor sees them: one description, three kinds of files. */
#ifndef ISA_SPEC_GEN_EDITOR_H
#define ISA_SPEC_GEN_EDITOR_H

#include "isa-spec/gen/gen.h"

enum editor_word_kind {
    WORD_KEYWORD,
    WORD_CONSTANT,
    WORD_FUNCTION,
    WORD_DIRECTIVE,
    WORD_MNEMONIC,
    WORD_KINDS
};

/* Patterns are written once in the common subset of the three regular-expression dialects:
 * a "word" pattern is matched between word boundaries. */
enum pattern_kind { PATTERN_TYPE, PATTERN_REGISTER, PATTERN_PLACE, PATTERN_NUMBER, PATTERN_KINDS };

struct editor_language {
    const char *id, *title, *suffix; /* "ezpim", "ezpim", "ez" */
    const char *line_comment;        /* "//" or "#" */
    const char *other_comment;       /* a second one, or NULL */
    bool block_comments;             /* as in C */
    bool any_case;                   /* mnemonics in any case */
    bool strings;
    bool has_pattern[PATTERN_KINDS];
    const char *const *words[WORD_KINDS];
    unsigned word_count[WORD_KINDS];
};

#define LANGUAGES 3
/* Fills all three; the arrays live in the pool of t. */
void gen_languages_make(const struct isa_table *t, const struct keywords *k,
                        struct editor_language languages[LANGUAGES]);

#endif
