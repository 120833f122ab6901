/* SPDX-License-Identifier: MIT
 * A line cut into words, and the numbers, ranges and bits that words spell. */
#include "isa-spec/gen/gen.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char character) {
    return character == ' ' || character == '\t';
}

/* The end of the word that begins at text; text is neither blank nor the end of the line. */
static const char *word_end(const char *text) {
    if (*text == '|')
        return text + 1;
    if (*text == '"') {
        const char *end = strchr(text + 1, '"');
        return end ? end + 1 : NULL;
    }
    while (*text && !is_blank(*text) && *text != '|')
        text++;
    return text;
}

void gen_words_split(struct gen_pool *pool, const char *line, struct line_words *words) {
    *words = (struct line_words){.count = 0};
    for (const char *s = line; *s;) {
        if (is_blank(*s)) {
            s++;
            continue;
        }
        const char *end = word_end(s);
        words->open_quote = !end;
        words->overflow = words->count == MAX_LINE_WORDS;
        if (words->open_quote || words->overflow)
            return;
        size_t quoted = *s == '"';
        words->word[words->count++] = gen_strndup(pool, s + quoted, (size_t)(end - s) - 2 * quoted);
        s = end;
    }
}

bool gen_parse_number(const char *text, unsigned limit, unsigned *value) {
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    unsigned long v = strtoul(text, &end, 0);
    *value = (unsigned)v;
    return *end == '\0' && v <= limit;
}

/* Two numbers with `separator` between them. */
static bool parse_pair(const char *text, const char *separator, unsigned limit, unsigned *left,
                       unsigned *right) {
    char first[16];
    const char *mid = strstr(text, separator);
    if (!mid || (size_t)(mid - text) >= sizeof first)
        return false;
    memcpy(first, text, (size_t)(mid - text));
    first[mid - text] = '\0';
    return gen_parse_number(first, limit, left) &&
           gen_parse_number(mid + strlen(separator), limit, right);
}

bool gen_parse_range(const char *text, unsigned limit, unsigned *low, unsigned *high) {
    return parse_pair(text, "..", limit, low, high) && *low <= *high;
}

bool gen_parse_bits(const char *text, unsigned *high, unsigned *low) {
    return parse_pair(text, ":", 23, high, low) && *low <= *high;
}
