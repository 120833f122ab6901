/* SPDX-License-Identifier: MIT */
#include "tools/man-gen/roff.h"

#include <ctype.h>
#include <string.h>

/* The bytes of the UTF-8 character that begins with `lead`; 1 for what begins none. */
static size_t utf8_length(unsigned char lead) {
    return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
}

/* A character beyond ASCII, by its number, so that pages are ASCII.  Returns its bytes. */
static size_t put_wide(struct str *out, const char *text, size_t len) {
    unsigned char lead = (unsigned char)*text;
    size_t n = utf8_length(lead);
    if (n > len || n == 1) {
        str_append(out, "\\[uFFFD]");
        return 1;
    }
    unsigned code = lead & (0xFFU >> (n + 1));
    for (size_t i = 1; i < n; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3FU);
    str_printf(out, "\\[u%04X]", code);
    return n;
}

static bool at_line_start(const struct str *out) {
    return out->len == 0 || out->text[out->len - 1] == '\n';
}

static void put_ascii(struct str *out, char c) {
    if ((c == '.' || c == '\'') && at_line_start(out))
        str_append(out, "\\&");
    switch (c) {
    case '\\':
        str_append(out, "\\e");
        break;
    case '-':
        str_append(out, "\\-");
        break;
    case '"':
        str_append(out, "\\(dq");
        break;
    case '\'':
        str_append(out, "\\(aq");
        break;
    case '`':
        str_append(out, "\\(ga");
        break;
    case '^':
        str_append(out, "\\(ha");
        break;
    case '~':
        str_append(out, "\\(ti");
        break;
    default:
        str_char(out, c);
    }
}

void roff_text(struct str *out, const char *text, size_t len) {
    for (size_t i = 0; i < len;) {
        if ((unsigned char)text[i] < 0x80)
            put_ascii(out, text[i++]);
        else
            i += put_wide(out, text + i, len - i);
    }
}

/* A piece of Markdown that is being written. */
struct markdown_span {
    struct str *out;
    const char *text, *end;
    bool upper;
};

static const char *find(const char *from, const char *end, const char *what) {
    size_t n = strlen(what);
    for (; from + n <= end; from++)
        if (memcmp(from, what, n) == 0)
            return from;
    return NULL;
}

static void put_font(struct str *out, char font, const char *text, const char *end) {
    str_printf(out, "\\f%c", font);
    roff_text(out, text, (size_t)(end - text));
    str_append(out, "\\fR");
}

static bool put_code(struct markdown_span *s) {
    const char *close = find(s->text + 1, s->end, "`");
    if (!close)
        return false;
    put_font(s->out, 'B', s->text + 1, close);
    s->text = close + 1;
    return true;
}

/* "**x**" or "*x*"; a lone star, as in "4 * i", is one. */
static bool put_stress(struct markdown_span *s) {
    const char *mark = s->end - s->text > 2 && s->text[1] == '*' ? "**" : "*";
    const char *inner = s->text + strlen(mark);
    if (inner >= s->end || isspace((unsigned char)*inner))
        return false;
    const char *close = find(inner + 1, s->end, mark);
    if (!close || isspace((unsigned char)close[-1]))
        return false;
    put_font(s->out, mark[1] ? 'B' : 'I', inner, close);
    s->text = close + strlen(mark);
    return true;
}

/* "[words](to)". */
static bool put_link(struct markdown_span *s) {
    const char *close = find(s->text + 1, s->end, "](");
    const char *last = close ? find(close + 2, s->end, ")") : NULL;
    if (!last || find(s->text + 1, close, "["))
        return false;
    roff_inline(s->out, s->text + 1, (size_t)(close - s->text - 1), s->upper);
    s->text = last + 1;
    return true;
}

static void put_plain(struct markdown_span *s) {
    if (*s->text == '\\' && s->text + 1 < s->end && ispunct((unsigned char)s->text[1]))
        s->text++; /* "\|" and the like */
    char c = *s->text;
    size_t n = utf8_length((unsigned char)c);
    if (n > (size_t)(s->end - s->text))
        n = 1;
    char capital = s->upper && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    roff_text(s->out, n == 1 ? &capital : s->text, n);
    s->text += n;
}

void roff_inline(struct str *out, const char *text, size_t len, bool upper) {
    struct markdown_span s = {out, text, text + len, upper};
    while (s.text < s.end) {
        bool done = false;
        if (*s.text == '`')
            done = put_code(&s);
        else if (*s.text == '*')
            done = put_stress(&s);
        else if (*s.text == '[')
            done = put_link(&s);
        if (!done)
            put_plain(&s);
    }
}

/* True if the last line is a heading. */
static bool behind_heading(const struct str *out) {
    size_t start = out->len;
    while (start > 0 && (start == out->len || out->text[start - 1] != '\n'))
        start--;
    return out->len - start > 3 && memcmp(out->text + start, ".S", 2) == 0;
}

void roff_paragraph(struct str *out) {
    if (!behind_heading(out))
        str_append(out, ".PP\n");
}

void roff_verbatim(struct str *out, const char *text, size_t len) {
    roff_paragraph(out);
    str_append(out, ".RS 4\n.nf\n");
    roff_text(out, text, len);
    str_append(out, at_line_start(out) ? "" : "\n");
    str_append(out, ".fi\n.RE\n");
}
