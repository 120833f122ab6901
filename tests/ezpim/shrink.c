/* SPDX-License-Identifier: MIT */
#include "tests/ezpim/shrink.h"

#include "support/vec.h"

#include <ctype.h>
#include <string.h>

struct shrinker {
    struct str *text; /* the smallest so far that fails */
    unsigned tries;
    shrink_fails *fails;
    void *context;
};

/* The text without the bytes [begin, end) and with `instead` for them: kept if it still fails. */
static bool try_cut(struct shrinker *s, size_t begin, size_t end, const char *instead) {
    struct str smaller = {0};
    const char *text = str_text(s->text);
    if (s->tries == 0)
        return false;
    s->tries--;
    str_printf(&smaller, "%.*s%s%s", (int)begin, text, instead, text + end);
    bool good = s->fails(s->context, str_text(&smaller));
    if (good) {
        str_clear(s->text);
        str_append(s->text, str_text(&smaller));
    }
    str_free(&smaller);
    return good;
}

static size_t line_end(const char *text, size_t begin) {
    const char *end = strchr(text + begin, '\n');
    return end ? (size_t)(end - text) + 1 : strlen(text);
}

static size_t line_begin(const char *text, size_t at) {
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

/* Past the block that the line at `begin` opens; *inner is the end of its first part. */
static size_t block_end(const char *text, size_t begin, size_t *inner) {
    size_t at = line_end(text, begin);
    int depth = 1;
    *inner = 0;
    while (text[at] && depth > 0) {
        size_t end = line_end(text, at);
        size_t first = at + strspn(text + at, " ");
        bool closes = text[first] == '}', opens = end > at + 1 && text[end - 2] == '{';
        if (closes && depth == 1 && !*inner)
            *inner = at;
        depth += (opens ? 1 : 0) - (closes ? 1 : 0);
        at = end;
    }
    return at;
}

/* A block goes, or its head and end go, or its `else`. */
static bool shrink_block(struct shrinker *s, size_t begin) {
    const char *text = str_text(s->text);
    size_t inner, head = line_end(text, begin), end = block_end(text, begin, &inner);
    if (try_cut(s, begin, end, ""))
        return true;
    size_t tail = line_end(text, inner);
    if (tail == end) {
        struct str body = {0};
        str_printf(&body, "%.*s", (int)(inner - head), text + head);
        bool good = try_cut(s, begin, end, str_text(&body));
        str_free(&body);
        return good;
    }
    size_t last = line_begin(text, end - 1);
    return try_cut(s, inner, last, "");
}

/* Lines from the last to the first, for later ones use what earlier ones make. */
static bool shrink_lines(struct shrinker *s) {
    bool changed = false;
    size_t at = s->text->len;
    while (at > 0 && s->tries > 0) {
        at = line_begin(str_text(s->text), at - 1);
        const char *text = str_text(s->text);
        size_t end = line_end(text, at), first = at + strspn(text + at, " ");
        if (text[first] == '}')
            continue;
        bool opens = end > at + 1 && text[end - 2] == '{';
        changed |= opens ? shrink_block(s, at) : try_cut(s, at, end, "");
    }
    return changed;
}

static size_t closing(const char *text, size_t open) {
    int depth = 0;
    for (size_t i = open; text[i] && text[i] != '\n'; i++) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0)
            return i + 1;
    }
    return 0;
}

/* A value in place of a call or of what parentheses hold, or a call without what calls it. */
static bool shrink_group(struct shrinker *s, size_t open) {
    static const char *const values[] = {"0", "1", "true", "false"};
    const char *text = str_text(s->text);
    size_t end = closing(text, open), begin = open;
    while (begin > 0 && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_'))
        begin--;
    if (!end || end - begin < 2)
        return false;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (try_cut(s, begin, end, values[i]) || try_cut(s, open + 1, end - 1, values[i]))
            return true;
    return begin < open && try_cut(s, begin, open, "");
}

static bool is_operator(const char *p) {
    return p[0] == ' ' && p[1] && strchr("+-*/%&|^<>=!", p[1]) && p[1] != '\n';
}

/* `a op b` without `op b`: up to the next operator, bracket, comma or semicolon. */
static bool shrink_operand(struct shrinker *s, size_t at) {
    const char *text = str_text(s->text);
    size_t end = at + 1;
    while (text[end] && !strchr(" \n", text[end]))
        end++;
    for (end += text[end] == ' '; text[end] && !strchr(" ,;)\n", text[end]);)
        if (text[end] == '(') {
            size_t close = closing(text, end);
            end = close ? close : end + 1;
        } else {
            end++;
        }
    return try_cut(s, at, end, "");
}

static bool shrink_expressions(struct shrinker *s) {
    bool changed = false;
    for (size_t at = 0; at < s->text->len && s->tries > 0; at++) {
        const char *text = str_text(s->text);
        if (text[at] == '(')
            changed |= shrink_group(s, at);
        else if (is_operator(text + at))
            changed |= shrink_operand(s, at);
    }
    return changed;
}

void shrink(struct str *text, unsigned tries, shrink_fails *fails, void *context) {
    struct shrinker s = {text, tries, fails, context};
    bool changed = true;
    while (changed && s.tries > 0) {
        changed = shrink_lines(&s);
        changed |= shrink_expressions(&s);
    }
}
