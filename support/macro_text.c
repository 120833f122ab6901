/* SPDX-License-Identifier: MIT
 * Arguments of macros, and bodies with their parameters replaced. */
#include "support/macro_text.h"

#include <ctype.h>
#include <string.h>

static bool is_blank(char character) {
    return character == ' ' || character == '\t' || character == '\r';
}

/* The next separator outside of quotes and brackets, or the end. */
static const char *next_separator(const char *text, const char *end, bool commas) {
    size_t depth = 0;
    bool quoted = false;
    for (; text < end; text++) {
        if (*text == '"')
            quoted = !quoted;
        else if (quoted)
            text += *text == '\\' && text + 1 < end;
        else if (*text == '(' || *text == '[')
            depth++;
        else if ((*text == ')' || *text == ']') && depth)
            depth--;
        else if (!depth && (commas ? *text == ',' : is_blank(*text)))
            break;
    }
    return text;
}

static void add_argument(struct macro_arguments *list, const char *begin, const char *end) {
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    if (list->count <= MACRO_PARAMETERS)
        list->list[list->count++] = (struct macro_argument){begin, (size_t)(end - begin)};
}

void macro_split(const char *text, const char *end, struct macro_arguments *out) {
    bool commas = next_separator(text, end, true) < end;
    out->count = 0;
    for (;;) {
        while (text < end && is_blank(*text))
            text++;
        if (text == end && !(commas && out->count))
            return;
        const char *stop = next_separator(text, end, commas);
        add_argument(out, text, stop);
        if (stop == end)
            return;
        text = stop + 1;
    }
}

static bool parameter_character(char character) {
    return isalnum((unsigned char)character) || character == '_';
}

struct replacement {
    const char *const *names;
    const struct macro_arguments *list;
    size_t number;
};
/* Behind a backslash at text: appends what it stands for and returns where the text goes on. */
static const char *substitute(const struct replacement *r, const char *text, const char *end,
                              struct str *out) {
    const char *name_end = text;
    if (text < end && *text == '@') {
        str_printf(out, "%zu", r->number);
        return text + 1;
    }
    if (end - text >= 2 && text[0] == '(' && text[1] == ')')
        return text + 2;
    while (name_end < end && parameter_character(*name_end))
        name_end++;
    for (size_t i = 0; i < r->list->count; i++)
        if (strlen(r->names[i]) == (size_t)(name_end - text) &&
            memcmp(r->names[i], text, (size_t)(name_end - text)) == 0) {
            str_append_n(out, r->list->list[i].text, r->list->list[i].length);
            return name_end;
        }
    str_char(out, '\\');
    return text;
}

void macro_expand(const char *body, size_t size, const char *const *names,
                  const struct macro_arguments *list, size_t number, size_t most, struct str *out) {
    const struct replacement r = {names, list, number};
    const char *p = body, *end = body + size;
    while (p < end && out->len <= most) {
        const char *mark = memchr(p, '\\', (size_t)(end - p));
        mark = mark ? mark : end;
        str_append_n(out, p, (size_t)(mark - p));
        p = mark < end ? substitute(&r, mark + 1, end, out) : end;
    }
}
