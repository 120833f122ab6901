/* SPDX-License-Identifier: MIT
 * Blocks of Markdown one after the other: headings, lists, tables, code, paragraphs. */
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

static void skip_line(struct markdown_reader *reader) {
    reader->text += line_length(reader->text, reader->end);
    reader->text += reader->text < reader->end;
}

static bool starts(const struct markdown_reader *reader, const char *prefix) {
    size_t n = strlen(prefix);
    return (size_t)(reader->end - reader->text) >= n && memcmp(reader->text, prefix, n) == 0;
}

static bool is_blank(const struct markdown_reader *reader) {
    size_t len = line_length(reader->text, reader->end);
    return strspn(reader->text, " \t") >= len;
}

/* The level of a heading, "## x" being 2; 0 for other lines. */
static size_t heading_level(const char *text) {
    size_t n = strspn(text, "#");
    return n && text[n] == ' ' ? n : 0;
}

/* "* x", "1. x", and indented items of a list within a list: the length of what stands before the
 * words; 0 for other lines. */
static size_t item_mark(const struct markdown_reader *reader) {
    size_t blanks = strspn(reader->text, " ");
    const char *mark = reader->text + blanks;
    size_t digits = strspn(mark, "0123456789");
    size_t len = digits ? digits + 2 : 2;
    bool is_mark = digits ? strncmp(mark + digits, ". ", 2) == 0
                          : strncmp(mark, "* ", 2) == 0 || strncmp(mark, "- ", 2) == 0;
    return is_mark && blanks < 4 && blanks + len <= (size_t)(reader->end - reader->text)
               ? blanks + len
               : 0;
}

static bool is_code(const struct markdown_reader *reader) {
    return starts(reader, "    ") && !is_blank(reader);
}

/* True where a paragraph ends: something else begins. */
static bool ends_paragraph(const struct markdown_reader *reader) {
    return reader->text >= reader->end || is_blank(reader) || heading_level(reader->text) ||
           item_mark(reader) || starts(reader, "|") || starts(reader, "```") ||
           starts(reader, "<!--");
}

static void put_heading(struct markdown_reader *reader, size_t level) {
    const char *words = reader->text + level + 1;
    size_t len = line_length(words, reader->end);
    if (level >= reader->section) {
        str_append(reader->out, level == reader->section ? ".SH " : ".SS ");
        roff_inline(reader->out, words, len, level == reader->section);
        str_char(reader->out, '\n');
    }
    skip_line(reader);
}

/* The lines of a paragraph or an item, joined. */
static void put_words(struct markdown_reader *reader) {
    struct str words = {0};
    do {
        while (reader->text < reader->end && *reader->text == ' ')
            reader->text++;
        str_append(&words, words.len ? " " : "");
        str_append_n(&words, reader->text, line_length(reader->text, reader->end));
        skip_line(reader);
    } while (!ends_paragraph(reader));
    roff_inline(reader->out, str_text(&words), words.len, false);
    str_char(reader->out, '\n');
    str_free(&words);
}

static void put_item(struct markdown_reader *reader, size_t mark) {
    size_t blanks = strspn(reader->text, " ");
    const char *sign = reader->text + blanks;
    if (blanks)
        str_append(reader->out, ".RS 2\n");
    if (isdigit((unsigned char)*sign))
        str_printf(reader->out, ".IP %.*s 4\n", (int)(mark - blanks - 1), sign);
    else
        str_append(reader->out, ".IP \\(bu 2\n");
    reader->text += mark;
    put_words(reader);
    if (blanks)
        str_append(reader->out, ".RE\n");
}

static void put_table(struct markdown_reader *reader) {
    const char *first = reader->text;
    while (reader->text < reader->end && starts(reader, "|"))
        skip_line(reader);
    man_table(reader->out, first, (size_t)(reader->text - first));
}

static void put_fence(struct markdown_reader *reader) {
    skip_line(reader);
    const char *first = reader->text;
    while (reader->text < reader->end && !starts(reader, "```"))
        skip_line(reader);
    roff_verbatim(reader->out, first, (size_t)(reader->text - first));
    skip_line(reader);
}

/* Lines that are indented by four blanks, without these; blank lines between them belong to them.
 */
static void put_indented(struct markdown_reader *reader) {
    struct str code = {0};
    size_t used = 0;
    while (reader->text < reader->end && (is_code(reader) || is_blank(reader))) {
        bool blank = is_blank(reader);
        if (!blank)
            str_append_n(&code, reader->text + 4, line_length(reader->text, reader->end) - 4);
        str_char(&code, '\n');
        if (!blank)
            used = code.len;
        skip_line(reader);
    }
    roff_verbatim(reader->out, str_text(&code), used);
    str_free(&code);
}

static void put_block(struct markdown_reader *reader) {
    size_t level = heading_level(reader->text);
    size_t mark = item_mark(reader);
    if (level)
        put_heading(reader, level);
    else if (is_blank(reader) || starts(reader, "<!--"))
        skip_line(reader);
    else if (starts(reader, "|"))
        put_table(reader);
    else if (starts(reader, "```"))
        put_fence(reader);
    else if (is_code(reader))
        put_indented(reader);
    else if (mark)
        put_item(reader, mark);
    else {
        roff_paragraph(reader->out);
        put_words(reader);
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
