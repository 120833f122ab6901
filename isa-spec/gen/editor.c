/* SPDX-License-Identifier: MIT
 * Words and comments of assembly, ezpim and recipes, gathered from the tables. */
#include "isa-spec/gen/editor.h"

#include <ctype.h>
#include <string.h>

static void take_list(struct editor_language *language, enum editor_word_kind kind,
                      const struct keywords *keywords, const char *section) {
    const struct keyword_list *list = gen_keywords_find(keywords, section);
    language->words[kind] = list->words;
    language->word_count[kind] = list->count;
}

/* Whether ezpim has a function for it: registers in, one of rd and C out. */
static bool is_function(const struct isa_table *table, const struct instruction *in) {
    const unsigned unfit = ATTR_RESERVED | ATTR_UNMASKED;
    bool fits = in->attributes & ATTR_VECTOR && !(in->attributes & unfit) && in->has_width;
    for (unsigned i = 0; i < in->operand_count; i++)
        fits &= strlen(table->operands[in->operands[i]].word) == 2; /* rs, rt, rd */
    return fits && !(in->reads & (EFFECT_C | EFFECT_M)) &&
           (in->writes == EFFECT_RD || in->writes == EFFECT_C);
}

static bool word_listed(const char *const *words, unsigned count, const char *word) {
    for (unsigned i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

static void take_two_lists(const struct isa_table *table, struct editor_language *language,
                           enum editor_word_kind kind, const struct keyword_list *left,
                           const struct keyword_list *right) {
    const char **words = gen_alloc(table->pool, (left->count + right->count) * sizeof *words);
    memcpy(words, left->words, left->count * sizeof *words);
    memcpy(words + left->count, right->words, right->count * sizeof *words);
    language->words[kind] = words;
    language->word_count[kind] = left->count + right->count;
}

/* The functions of keywords.txt and those that are instructions in lower case. */
static void take_functions(const struct isa_table *table, struct editor_language *language,
                           const struct keywords *keywords) {
    const struct keyword_list *list = gen_keywords_find(keywords, "ez function");
    const char **words = gen_alloc(table->pool, (list->count + MAX_INSTRUCTIONS) * sizeof *words);
    unsigned count = list->count;
    memcpy(words, list->words, count * sizeof *words);
    for (unsigned i = 0; i < table->instruction_count; i++) {
        const char *name = table->instructions[i].name;
        char *word = gen_strndup(table->pool, name, strlen(name));
        for (char *c = word; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        if (!(table->instructions[i].attributes & ATTR_USER) &&
            is_function(table, &table->instructions[i]) && !word_listed(words, count, word))
            words[count++] = word;
    }
    language->words[WORD_FUNCTION] = words;
    language->word_count[WORD_FUNCTION] = count;
}

static void make_ezpim(const struct isa_table *table, struct editor_language *language,
                       const struct keywords *keywords) {
    *language = (struct editor_language){.id = "ezpim",
                                         .title = "ezpim",
                                         .suffix = "ez",
                                         .line_comment = "//",
                                         .block_comments = true,
                                         .strings = true,
                                         .has_pattern = {true, false, true, true}};
    take_two_lists(table, language, WORD_KEYWORD, gen_keywords_find(keywords, "ez keyword"),
                   gen_keywords_find(keywords, "ez word"));
    take_list(language, WORD_CONSTANT, keywords, "ez constant");
    take_functions(table, language, keywords);
}

static void make_assembly(struct editor_language *language, const struct keywords *keywords) {
    *language = (struct editor_language){.id = "mpuasm",
                                         .title = "MPU assembly",
                                         .suffix = "s",
                                         .line_comment = "//",
                                         .other_comment = ";",
                                         .block_comments = true,
                                         .any_case = true,
                                         .strings = true,
                                         .has_pattern = {true, true, true, true}};
    take_list(language, WORD_KEYWORD, keywords, "asm word");
    take_list(language, WORD_DIRECTIVE, keywords, "asm directive");
}

static void make_recipe(struct editor_language *language, const struct keywords *keywords) {
    *language = (struct editor_language){.id = "mpurecipe",
                                         .title = "MPU recipe",
                                         .suffix = "recipe",
                                         .line_comment = "#",
                                         .has_pattern = {false, false, false, true}};
    take_list(language, WORD_KEYWORD, keywords, "recipe keyword");
    take_list(language, WORD_CONSTANT, keywords, "recipe constant");
    take_list(language, WORD_FUNCTION, keywords, "recipe function");
}

void gen_languages_make(const struct isa_table *table, const struct keywords *keywords,
                        struct editor_language languages[LANGUAGES]) {
    const char **names = gen_alloc(table->pool, MAX_INSTRUCTIONS * sizeof *names);
    unsigned count = gen_mnemonics(table, names);
    make_ezpim(table, &languages[0], keywords);
    make_assembly(&languages[1], keywords);
    make_recipe(&languages[2], keywords);
    for (unsigned i = 0; i < LANGUAGES; i++) {
        languages[i].words[WORD_MNEMONIC] = names;
        languages[i].word_count[WORD_MNEMONIC] = count;
    }
}
