/* SPDX-License-Identifier: MIT */
#include "tools/man-gen/markdown.h"
#include "tools/man-gen/roff.h"

#include <ctype.h>
#include <string.h>

/* What is still to be converted. */
struct markdown_reader {
    struct str *out;
    const char *text, *end;
    size_t section; /* the level of headings that are sections */
};

static size_t line_length(const char *text, const char *end) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    return (size_t)((newline ? newline : end) - text);
}

static void skip_line(struct markdown_reader *r) {
    r->text += line_length(r->text, r->end);
    r->text += r->text < r->end;
}

static bool starts(const struct markdown_reader *r, const char *prefix) {
    size_t n = strlen(prefix);
    return (size_t)(r->end - r->text) >= n && memcmp(r->text, prefix, n) == 0;
}

static bool is_blank(const struct markdown_reader *r) {
    size_t len = line_length(r->text, r->end);
    return strspn(r->text, " \t") >= len;
}

/* The level of a heading, "## x" being 2; 0 for other lines. */
static size_t heading_level(const char *text) {
    size_t n = strspn(text, "#");
    return n && text[n] == ' ' ? n : 0;
}

/* "* x", "1. x", and indented items of a list within a list: the length of what stands before the
 * words; 0 for other lines. */
static size_t item_mark(const struct markdown_reader *r) {
    size_t blanks = strspn(r->text, " ");
    const char *mark = r->text + blanks;
    size_t digits = strspn(mark, "0123456789");
    size_t len = digits ? digits + 2 : 2;
    bool is_mark = digits ? strncmp(mark + digits, ". ", 2) == 0
                          : strncmp(mark, "* ", 2) == 0 || strncmp(mark, "- ", 2) == 0;
    return is_mark && blanks < 4 && blanks + len <= (size_t)(r->end - r->text) ? blanks + len : 0;
}

static bool is_code(const struct markdown_reader *r) {
    return starts(r, "    ") && !is_blank(r);
}

/* True where a paragraph ends: something else begins. */
static bool ends_paragraph(const struct markdown_reader *r) {
    return r->text >= r->end || is_blank(r) || heading_level(r->text) || item_mark(r) ||
           starts(r, "|") || starts(r, "```") || starts(r, "<!--");
}

static void put_heading(struct markdown_reader *r, size_t level) {
    const char *words = r->text + level + 1;
    size_t len = line_length(words, r->end);
    if (level >= r->section) {
        str_append(r->out, level == r->section ? ".SH " : ".SS ");
        roff_inline(r->out, words, len, level == r->section);
        str_char(r->out, '\n');
    }
    skip_line(r);
}

/* The lines of a paragraph or an item, joined. */
static void put_words(struct markdown_reader *r) {
    struct str words = {0};
    do {
        while (r->text < r->end && *r->text == ' ')
            r->text++;
        str_append(&words, words.len ? " " : "");
        str_append_n(&words, r->text, line_length(r->text, r->end));
        skip_line(r);
    } while (!ends_paragraph(r));
    roff_inline(r->out, str_text(&words), words.len, false);
    str_char(r->out, '\n');
    str_free(&words);
}

static void put_item(struct markdown_reader *r, size_t mark) {
    size_t blanks = strspn(r->text, " ");
    const char *sign = r->text + blanks;
    if (blanks)
        str_append(r->out, ".RS 2\n");
    if (isdigit((unsigned char)*sign))
        str_printf(r->out, ".IP %.*s 4\n", (int)(mark - blanks - 1), sign);
    else
        str_append(r->out, ".IP \\(bu 2\n");
    r->text += mark;
    put_words(r);
    if (blanks)
        str_append(r->out, ".RE\n");
}

static void put_table(struct markdown_reader *r) {
    const char *first = r->text;
    while (r->text < r->end && starts(r, "|"))
        skip_line(r);
    table_to_man(r->out, first, (size_t)(r->text - first));
}

static void put_fence(struct markdown_reader *r) {
    skip_line(r);
    const char *first = r->text;
    while (r->text < r->end && !starts(r, "```"))
        skip_line(r);
    roff_verbatim(r->out, first, (size_t)(r->text - first));
    skip_line(r);
}

/* Lines that are indented by four blanks, without these; blank lines between them belong to them.
 */
static void put_indented(struct markdown_reader *r) {
    struct str code = {0};
    size_t used = 0;
    while (r->text < r->end && (is_code(r) || is_blank(r))) {
        bool blank = is_blank(r);
        if (!blank)
            str_append_n(&code, r->text + 4, line_length(r->text, r->end) - 4);
        str_char(&code, '\n');
        if (!blank)
            used = code.len;
        skip_line(r);
    }
    roff_verbatim(r->out, str_text(&code), used);
    str_free(&code);
}

static void put_block(struct markdown_reader *r) {
    size_t level = heading_level(r->text);
    size_t mark = item_mark(r);
    if (level)
        put_heading(r, level);
    else if (is_blank(r) || starts(r, "<!--"))
        skip_line(r);
    else if (starts(r, "|"))
        put_table(r);
    else if (starts(r, "```"))
        put_fence(r);
    else if (is_code(r))
        put_indented(r);
    else if (mark)
        put_item(r, mark);
    else {
        roff_paragraph(r->out);
        put_words(r);
    }
}

void markdown_to_man(struct str *out, const char *text, size_t len, size_t section) {
    struct markdown_reader r = {out, text, text + len, section};
    while (r.text < r.end)
        put_block(&r);
}

/* The next line that is a heading of that level or above, outside of fenced code; else the end. */
static const char *next_heading(const char *text, size_t level) {
    struct markdown_reader r = {NULL, text, text + strlen(text), 0};
    bool fenced = false;
    for (; r.text < r.end; skip_line(&r)) {
        if (starts(&r, "```"))
            fenced = !fenced;
        size_t n = fenced ? 0 : heading_level(r.text);
        if (n && n <= level)
            break;
    }
    return r.text;
}

static const char *behind_line(const char *text) {
    text += strcspn(text, "\n");
    return text + (*text == '\n');
}

const char *markdown_section(const char *text, const char *heading, size_t *len) {
    size_t wanted = strlen(heading);
    const char *at = next_heading(text, 9);
    while (*at) {
        size_t level = heading_level(at);
        const char *body = behind_line(at);
        const char *words = at + level + 1;
        if (!wanted || (strcspn(words, "\n") == wanted && memcmp(words, heading, wanted) == 0)) {
            *len = (size_t)(next_heading(body, wanted ? level : 9) - body);
            return body;
        }
        at = next_heading(body, 9);
    }
    return NULL;
}
