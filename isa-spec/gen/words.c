/* SPDX-License-Identifier: MIT */
#include "isa-spec/gen/gen.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* The end of the word that begins at s; s is neither blank nor the end of the line. */
static const char *word_end(const char *s) {
    if (*s == '|')
        return s + 1;
    if (*s == '"') {
        const char *end = strchr(s + 1, '"');
        return end ? end + 1 : NULL;
    }
    while (*s && !is_blank(*s) && *s != '|')
        s++;
    return s;
}

void gen_words_split(struct gen_pool *p, const char *line, struct line_words *w) {
    *w = (struct line_words){.count = 0};
    for (const char *s = line; *s;) {
        if (is_blank(*s)) {
            s++;
            continue;
        }
        const char *end = word_end(s);
        w->open_quote = !end;
        w->overflow = w->count == MAX_LINE_WORDS;
        if (w->open_quote || w->overflow)
            return;
        size_t quoted = *s == '"';
        w->word[w->count++] = gen_strndup(p, s + quoted, (size_t)(end - s) - 2 * quoted);
        s = end;
    }
}

bool gen_parse_number(const char *s, unsigned limit, unsigned *value) {
    if (*s < '0' || *s > '9')
        return false;
    char *end;
    unsigned long v = strtoul(s, &end, 0);
    *value = (unsigned)v;
    return *end == '\0' && v <= limit;
}

/* Two numbers with `separator` between them. */
static bool parse_pair(const char *s, const char *separator, unsigned limit, unsigned *a,
                       unsigned *b) {
    char first[16];
    const char *mid = strstr(s, separator);
    if (!mid || (size_t)(mid - s) >= sizeof first)
        return false;
    memcpy(first, s, (size_t)(mid - s));
    first[mid - s] = '\0';
    return gen_parse_number(first, limit, a) && gen_parse_number(mid + strlen(separator), limit, b);
}

bool gen_parse_range(const char *s, unsigned limit, unsigned *low, unsigned *high) {
    return parse_pair(s, "..", limit, low, high) && *low <= *high;
}

bool gen_parse_bits(const char *s, unsigned *high, unsigned *low) {
    return parse_pair(s, ":", 23, high, low) && *low <= *high;
}
