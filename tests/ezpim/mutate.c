/* SPDX-License-Identifier: MIT */
#include "tests/ezpim/mutate.h"

#include "support/file.h"

#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void seeds_add_folder(struct seeds *s, const char *folder, const char *suffix) {
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[4096];
        size_t n = strlen(e->d_name), m = strlen(suffix), size;
        if (n <= m || strcmp(e->d_name + n - m, suffix) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        char *text = file_read(path, &size);
        assert_non_null(text);
        struct str seed = {0};
        str_append_n(&seed, text, size);
        vec_push(&s->texts, seed);
        free(text);
    }
    closedir(d);
}

void seeds_free(struct seeds *s) {
    for (size_t i = 0; i < s->texts.len; i++)
        str_free(&s->texts.data[i]);
    vec_free(&s->texts);
}

static void splice(struct str *s, size_t at, size_t remove, const char *text, size_t n) {
    struct str out = {0};
    str_append_n(&out, s->text, at);
    str_append_n(&out, text, n);
    str_append_n(&out, s->text + at + remove, s->len - at - remove);
    str_free(s);
    *s = out;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* A word (a name, a number) of the text, chosen by chance; false: none was met. */
static bool find_word(const struct str *s, struct rng *r, size_t *at, size_t *n) {
    size_t i = rng_below(r, (uint32_t)s->len + 1);
    while (i < s->len && !is_word(s->text[i]))
        i++;
    while (i > 0 && i < s->len && is_word(s->text[i - 1]))
        i--;
    for (*at = i, *n = 0; i + *n < s->len && is_word(s->text[i + *n]);)
        ++*n;
    return *n > 0;
}

static void find_line(const struct str *s, struct rng *r, size_t *at, size_t *n) {
    size_t i = rng_below(r, (uint32_t)s->len + 1), end = i;
    while (i > 0 && s->text[i - 1] != '\n')
        i--;
    while (end < s->len && s->text[end] != '\n')
        end++;
    *at = i;
    *n = end - i + (end < s->len);
}

/* One word instead of another one. */
static void change_word(struct str *s, struct rng *r, const struct str *from) {
    size_t at, n, other, length;
    if (!find_word(s, r, &at, &n) || !find_word(from, r, &other, &length))
        return;
    char *word = xstrndup(from->text + other, length);
    splice(s, at, n, word, length);
    free(word);
}

/* A line goes, or one of a program comes. */
static void change_line(struct str *s, struct rng *r, const struct str *from) {
    size_t at, n, other, length;
    find_line(s, r, &at, &n);
    find_line(from, r, &other, &length);
    char *line = xstrndup(from->text ? from->text + other : "", length);
    splice(s, at, rng_below(r, 2) ? n : 0, line, rng_below(r, 3) ? length : 0);
    free(line);
}

static void mutate(struct str *s, struct rng *r, const struct seeds *seeds,
                   const char *const *pieces, size_t count) {
    size_t at = rng_below(r, (uint32_t)s->len + 1), rest = s->len - at;
    const struct str *other = &seeds->texts.data[rng_below(r, (uint32_t)seeds->texts.len)];
    const char *piece = pieces[rng_below(r, (uint32_t)count)];
    switch (rng_below(r, 11)) {
    case 0: { /* a byte */
        char byte = (char)rng_next(r);
        splice(s, at, rest > 0, &byte, 1);
        break;
    }
    case 1: /* a stretch goes */
        splice(s, at, rest ? rng_below(r, (uint32_t)(rest < 20 ? rest : 20)) : 0, "", 0);
        break;
    case 2: /* the end goes */
        splice(s, at, rest, "", 0);
        break;
    case 3: { /* a stretch of another program */
        size_t from = rng_below(r, (uint32_t)other->len + 1);
        size_t n = other->len - from < 60 ? other->len - from : 60;
        splice(s, at, 0, other->text + from, n);
        break;
    }
    case 4:
    case 5:
        change_word(s, r, s);
        break;
    case 6:
        change_word(s, r, other);
        break;
    case 7:
        change_line(s, r, rng_below(r, 2) ? s : other);
        break;
    default:
        splice(s, at, rest && rng_below(r, 2), piece, strlen(piece));
        break;
    }
}

void mutant(const struct seeds *s, uint64_t number, const char *const *pieces, size_t count,
            struct str *text) {
    struct rng r = {number};
    const struct str *seed = &s->texts.data[number % s->texts.len];
    str_append_n(text, seed->text, seed->len);
    for (unsigned k = rng_below(&r, 4) * rng_below(&r, 2) + 1; k > 0; k--)
        mutate(text, &r, s, pieces, count);
}
