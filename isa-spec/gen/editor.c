/* SPDX-License-Identifier: MIT */
#include "isa-spec/gen/editor.h"

static void take_list(struct language *l, enum word_kind kind, const struct keywords *k,
                      const char *section) {
    const struct keyword_list *list = keywords_find(k, section);
    l->words[kind] = list->words;
    l->word_count[kind] = list->count;
}

static void make_ezpim(struct language *l, const struct keywords *k) {
    *l = (struct language){.id = "ezpim",
                           .title = "ezpim",
                           .suffix = "ez",
                           .line_comment = "//",
                           .block_comments = true,
                           .strings = true,
                           .has_pattern = {true, false, true, true}};
    take_list(l, WORD_KEYWORD, k, "ez keyword");
    take_list(l, WORD_RESERVED, k, "ez reserved");
    take_list(l, WORD_CONSTANT, k, "ez constant");
    take_list(l, WORD_FUNCTION, k, "ez function");
}

static void make_assembly(struct language *l, const struct keywords *k) {
    *l = (struct language){.id = "mpuasm",
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

static void make_recipe(struct language *l, const struct keywords *k) {
    *l = (struct language){.id = "mpurecipe",
                           .title = "MPU recipe",
                           .suffix = "recipe",
                           .line_comment = "#",
                           .has_pattern = {false, false, false, true}};
    take_list(l, WORD_KEYWORD, k, "recipe keyword");
    take_list(l, WORD_CONSTANT, k, "recipe constant");
    take_list(l, WORD_FUNCTION, k, "recipe function");
}

void languages_make(const struct table *t, const struct keywords *k,
                    struct language languages[LANGUAGES]) {
    const char **names = pool_alloc(t->pool, MAX_INSTRUCTIONS * sizeof *names);
    unsigned count = mnemonics(t, names);
    make_ezpim(&languages[0], k);
    make_assembly(&languages[1], k);
    make_recipe(&languages[2], k);
    for (unsigned i = 0; i < LANGUAGES; i++) {
        languages[i].words[WORD_MNEMONIC] = names;
        languages[i].word_count[WORD_MNEMONIC] = count;
    }
}
