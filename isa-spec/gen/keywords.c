/* SPDX-License-Identifier: MIT */
#include "isa-spec/gen/gen.h"

#include <string.h>

static struct keyword_list *new_list(struct isa_table *t, struct record_place at,
                                     struct keywords *k, const char *line) {
    size_t n = strlen(line);
    if (line[n - 1] != ']' || k->count == MAX_KEYWORD_LISTS) {
        gen_table_error(t, at, "bad section '%s', or too many of them", line);
        return NULL;
    }
    struct keyword_list *l = &k->lists[k->count++];
    l->section = gen_strndup(t->pool, line + 1, n - 2);
    return l;
}

static bool keyword_known(const struct keyword_list *l, const char *word) {
    for (unsigned i = 0; i < l->count; i++)
        if (strcmp(l->words[i], word) == 0)
            return true;
    return false;
}

static void add_keywords(struct isa_table *t, struct record_place at, struct keyword_list *l,
                         const char *line) {
    struct line_words w;
    gen_words_split(t->pool, line, &w);
    for (unsigned i = 0; i < w.count; i++) {
        if (l->count == MAX_KEYWORDS)
            gen_table_error(t, at, "more than %d words in a section", MAX_KEYWORDS);
        else if (keyword_known(l, w.word[i]))
            gen_table_error(t, at, "'%s' stands there twice", w.word[i]);
        else
            l->words[l->count++] = w.word[i];
    }
    if (w.overflow)
        gen_table_error(t, at, "more than %d words in a line", MAX_LINE_WORDS);
}

bool gen_keywords_parse(struct isa_table *t, const char *path, struct keywords *k) {
    size_t size;
    unsigned errors = t->errors;
    struct keyword_list *list = NULL;
    const char *slash = strrchr(path, '/');
    struct record_place at = {slash ? slash + 1 : path, 0};
    char *text = gen_read_file(t->pool, path, &size);
    if (!text)
        return false;
    for (char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        char *next = line + n + (line[n] == '\n');
        line[n] = '\0';
        at.line++;
        if (*line == '[')
            list = new_list(t, at, k, line);
        else if (*line && *line != '#' && list)
            add_keywords(t, at, list, line);
        else if (*line && *line != '#')
            gen_table_error(t, at, "words before the first section");
        line = next;
    }
    return t->errors == errors;
}

const struct keyword_list *gen_keywords_find(const struct keywords *k, const char *section) {
    static const struct keyword_list none = {.count = 0};
    for (unsigned i = 0; i < k->count; i++)
        if (strcmp(k->lists[i].section, section) == 0)
            return &k->lists[i];
    return &none;
}
