/* SPDX-License-Identifier: MIT */
#include "isa-spec/gen/editor.h"

#include <ctype.h>
#include <string.h>

static void take_list(struct editor_language *l, enum editor_word_kind kind,
                      const struct keywords *k, const char *section) {
    const struct keyword_list *list = gen_keywords_find(k, section);
    l->words[kind] = list->words;
    l->word_count[kind] = list->count;
}

/* Whether ezpim has a function for it: registers in, one of rd and C out. */
static bool is_function(const struct isa_table *t, const struct instruction *in) {
    const unsigned unfit = ATTR_RESERVED | ATTR_UNMASKED;
    bool fits = in->attributes & ATTR_VECTOR && !(in->attributes & unfit) && in->has_width;
    for (unsigned i = 0; i < in->operand_count; i++)
        fits &= strlen(t->operands[in->operands[i]].word) == 2; /* rs, rt, rd */
    return fits && !(in->reads & (EFFECT_C | EFFECT_M)) &&
           (in->writes == EFFECT_RD || in->writes == EFFECT_C);
}

static bool word_listed(const char *const *words, unsigned count, const char *word) {
    for (unsigned i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

static void take_two_lists(const struct isa_table *t, struct editor_language *l,
                           enum editor_word_kind kind, const struct keyword_list *a,
                           const struct keyword_list *b) {
    const char **words = gen_alloc(t->pool, (a->count + b->count) * sizeof *words);
    memcpy(words, a->words, a->count * sizeof *words);
    memcpy(words + a->count, b->words, b->count * sizeof *words);
    l->words[kind] = words;
    l->word_count[kind] = a->count + b->count;
}

/* The functions of keywords.txt and those that are instructions in lower case. */
static void take_functions(const struct isa_table *t, struct editor_language *l,
                           const struct keywords *k) {
    const struct keyword_list *list = gen_keywords_find(k, "ez function");
    const char **words = gen_alloc(t->pool, (list->count + MAX_INSTRUCTIONS) * sizeof *words);
    unsigned count = list->count;
    memcpy(words, list->words, count * sizeof *words);
    for (unsigned i = 0; i < t->instruction_count; i++) {
        const char *name = t->instructions[i].name;
        char *word = gen_strndup(t->pool, name, strlen(name));
        for (char *c = word; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        if (!(t->instructions[i].attributes & ATTR_USER) && is_function(t, &t->instructions[i]) &&
            !word_listed(words, count, word))
            words[count++] = word;
    }
    l->words[WORD_FUNCTION] = words;
    l->word_count[WORD_FUNCTION] = count;
}

static void make_ezpim(const struct isa_table *t, struct editor_language *l,
                       const struct keywords *k) {
    *l = (struct editor_language){.id = "ezpim",
                                  .title = "ezpim",
                                  .suffix = "ez",
                                  .line_comment = "//",
                                  .block_comments = true,
                                  .strings = true,
                                  .has_pattern = {true, false, true, true}};
    take_two_lists(t, l, WORD_KEYWORD, gen_keywords_find(k, "ez keyword"),
                   gen_keywords_find(k, "ez word"));
    take_list(l, WORD_CONSTANT, k, "ez constant");
    take_functions(t, l, k);
}

static void make_assembly(struct editor_language *l, const struct keywords *k) {
    *l = (struct editor_language){.id = "mpuasm",
                                  .title = "MPU assembly",
                                  .suffix = "s",
                                  .line_comment = "//",
                                  .other_comment = ";",
                                  .block_comments = true,
                                  .any_case = true,
                                  .strings = true,
                                  .has_pattern = {true, true, true, true}};
    take_list(l, WORD_KEYWORD, k, "asm word");
    take_list(l, WORD_DIRECTIVE, k, "asm directive");
}

static void make_recipe(struct editor_language *l, const struct keywords *k) {
    *l = (struct editor_language){.id = "mpurecipe",
                                  .title = "MPU recipe",
                                  .suffix = "recipe",
                                  .line_comment = "#",
                                  .has_pattern = {false, false, false, true}};
    take_list(l, WORD_KEYWORD, k, "recipe keyword");
    take_list(l, WORD_CONSTANT, k, "recipe constant");
    take_list(l, WORD_FUNCTION, k, "recipe function");
}

void gen_languages_make(const struct isa_table *t, const struct keywords *k,
                        struct editor_language languages[LANGUAGES]) {
    const char **names = gen_alloc(t->pool, MAX_INSTRUCTIONS * sizeof *names);
    unsigned count = gen_mnemonics(t, names);
    make_ezpim(t, &languages[0], k);
    make_assembly(&languages[1], k);
    make_recipe(&languages[2], k);
    for (unsigned i = 0; i < LANGUAGES; i++) {
        languages[i].words[WORD_MNEMONIC] = names;
        languages[i].word_count[WORD_MNEMONIC] = count;
    }
}
