/* SPDX-License-Identifier: MIT
 * Reads keywords.txt: lists of words, each under a heading. */
#include "isa-spec/gen/gen.h"

#include <string.h>

static struct keyword_list *new_list(struct isa_table *table, struct record_place at,
                                     struct keywords *keywords, const char *line) {
    size_t n = strlen(line);
    if (line[n - 1] != ']' || keywords->count == MAX_KEYWORD_LISTS) {
        gen_table_error(table, at, "bad section '%s', or too many of them", line);
        return NULL;
    }
    struct keyword_list *l = &keywords->lists[keywords->count++];
    l->section = gen_strndup(table->pool, line + 1, n - 2);
    return l;
}

static bool keyword_known(const struct keyword_list *list, const char *word) {
    for (unsigned i = 0; i < list->count; i++)
        if (strcmp(list->words[i], word) == 0)
            return true;
    return false;
}

static void add_keywords(struct isa_table *table, struct record_place at, struct keyword_list *list,
                         const char *line) {
    struct line_words w;
    gen_words_split(table->pool, line, &w);
    for (unsigned i = 0; i < w.count; i++) {
        if (list->count == MAX_KEYWORDS)
            gen_table_error(table, at, "more than %d words in a section", MAX_KEYWORDS);
        else if (keyword_known(list, w.word[i]))
            gen_table_error(table, at, "'%s' stands there twice", w.word[i]);
        else
            list->words[list->count++] = w.word[i];
    }
    if (w.overflow)
        gen_table_error(table, at, "more than %d words in a line", MAX_LINE_WORDS);
}

bool gen_keywords_parse(struct isa_table *table, const char *path, struct keywords *keywords) {
    size_t size;
    unsigned errors = table->errors;
    struct keyword_list *list = NULL;
    const char *slash = strrchr(path, '/');
    struct record_place at = {slash ? slash + 1 : path, 0};
    char *text = gen_read_file(table->pool, path, &size);
    if (!text)
        return false;
    for (char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        char *next = line + n + (line[n] == '\n');
        line[n] = '\0';
        at.line++;
        if (*line == '[')
            list = new_list(table, at, keywords, line);
        else if (*line && *line != '#' && list)
            add_keywords(table, at, list, line);
        else if (*line && *line != '#')
            gen_table_error(table, at, "words before the first section");
        line = next;
    }
    return table->errors == errors;
}

const struct keyword_list *gen_keywords_find(const struct keywords *keywords, const char *section) {
    static const struct keyword_list none = {.count = 0};
    for (unsigned i = 0; i < keywords->count; i++)
        if (strcmp(keywords->lists[i].section, section) == 0)
            return &keywords->lists[i];
    return &none;
}
