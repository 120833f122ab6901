/* SPDX-License-Identifier: MIT
 * Sources by number, from 1; a place is a number and bytes, and its line is counted when it is
 * asked for. */
#include "support/diag_place.h"
#include "support/diag_state.h"
#include "support/file.h"
#include "support/str.h"

#include <string.h>

/* NULL for source 0 and for numbers that were never given out. */
static struct diag_text *diag_find_source(const struct diag *diag, uint32_t number) {
    return number && number <= diag->sources.len ? diag->sources.data[number - 1] : NULL;
}

static uint32_t add_source(struct diag *diag, struct diag_text text) {
    struct diag_text *copy = xmalloc(sizeof *copy);
    *copy = text;
    vec_push(&diag->sources, copy);
    return (uint32_t)diag->sources.len;
}

static char *copy_bytes(const char *text, size_t size) {
    char *copy = xmalloc(size + 1);
    if (size)
        memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

uint32_t diag_source(struct diag *diag, const char *name, const char *text, size_t size) {
    struct diag_text s = {.name = xstrdup(name)};
    if (text) {
        s.size = size < UINT32_MAX ? size : UINT32_MAX; /* what a span can name */
        s.text = copy_bytes(text, s.size);
    }
    return add_source(diag, s);
}

const char *diag_source_name(const struct diag *diag, uint32_t source) {
    const struct diag_text *s = diag_find_source(diag, source);
    return s ? s->name : NULL;
}

const char *diag_source_text(const struct diag *diag, uint32_t source, size_t *size) {
    const struct diag_text *s = diag_find_source(diag, source);
    *size = s ? s->size : 0;
    return s ? s->text : NULL;
}

void diag_free_sources(struct diag *diag) {
    for (size_t i = 0; i < diag->sources.len; i++) {
        struct diag_text *s = diag->sources.data[i];
        vec_free(&s->line_starts);
        free(s->name);
        free(s->text);
        free(s);
    }
    vec_free(&diag->sources);
    map_free(&diag->lines);
}

/* Lines end in LF, CR LF or CR. */
static void index_lines(struct diag_text *text) {
    if (text->line_starts.len)
        return;
    vec_push(&text->line_starts, 0);
    for (size_t i = 0; i < text->size; i++)
        if (text->text[i] == '\n' ||
            (text->text[i] == '\r' && (i + 1 == text->size || text->text[i + 1] != '\n')))
            vec_push(&text->line_starts, (uint32_t)i + 1);
}

/* Index of the line that holds a byte: the last that starts at or before it. */
static size_t line_of(const struct diag_text *text, uint32_t byte) {
    size_t low = 0, high = text->line_starts.len;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (text->line_starts.data[middle] <= byte)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* End of a line's text: before its end, of one byte or of the two CR LF. */
static uint32_t line_end(const struct diag_text *text, size_t line) {
    if (line + 1 == text->line_starts.len)
        return (uint32_t)text->size;
    uint32_t end = text->line_starts.data[line + 1] - 1;
    return end > text->line_starts.data[line] && text->text[end - 1] == '\r' ? end - 1 : end;
}

static void locate(const struct diag_text *text, uint32_t byte, uint32_t *line, uint32_t *column) {
    size_t index = line_of(text, byte);
    *line = (uint32_t)index + 1;
    *column = byte - text->line_starts.data[index] + 1;
}

struct source_place diag_place(const struct diag *diag, struct span at) {
    struct diag_text *s = diag_find_source(diag, at.source);
    if (!s)
        return (struct source_place){0};
    struct source_place p = {.name = s->name, .line = s->line, .column = s->column};
    if (!s->text)
        return p;
    index_lines(s);
    uint32_t begin = at.begin < s->size ? at.begin : (uint32_t)s->size;
    uint32_t end = at.end < s->size ? at.end : (uint32_t)s->size;
    if (end < begin)
        end = begin;
    locate(s, begin, &p.line, &p.column);
    locate(s, end, &p.end_line, &p.end_column);
    uint32_t start = s->line_starts.data[p.line - 1];
    p.line_text = s->text + start;
    p.line_size = line_end(s, p.line - 1) - start;
    return p;
}

void diag_position(const struct diag *diag, struct span at, uint32_t *line, uint32_t *column) {
    struct source_place p = diag_place(diag, at);
    *line = p.line;
    *column = p.column;
}

/* The number of the source that has the text of `file`, which is read when not yet known. */
static uint32_t source_of_file(struct diag *diag, const char *file) {
    uint64_t *known = map_get(&diag->lines, file);
    if (known)
        return (uint32_t)*known;
    uint32_t number = 0;
    for (uint32_t i = 1; i <= diag->sources.len && !number; i++)
        if (diag->sources.data[i - 1]->text && strcmp(diag->sources.data[i - 1]->name, file) == 0)
            number = i;
    size_t size;
    char *text = number ? NULL : file_read_named_text(file, FILE_MAX_SOURCE, &size);
    if (text) {
        number = diag_source(diag, file, text, size);
        free(text);
    }
    map_put(&diag->lines, file, number);
    return number;
}

/* A source that is one line, of which only the number is known. */
static struct span unknown_line(struct diag *diag, const char *file, uint32_t line,
                                uint32_t column) {
    struct str key = {0};
    str_printf(&key, "%s:%u:%u", file, line, column);
    uint64_t *known = map_get_n(&diag->lines, key.text, key.len + 1);
    struct span at = {known ? (uint32_t)*known : 0, 0, 0};
    if (!known) {
        struct diag_text s = {.name = xstrdup(file), .line = line, .column = column};
        at.source = add_source(diag, s);
        map_put_n(&diag->lines, key.text, key.len + 1, at.source);
    }
    str_free(&key);
    return at;
}

/* The end of what stands on a line from `begin` on: a comment behind it does not belong to it. */
static uint32_t text_end(const struct diag_text *text, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin + 1; i + 1 < end; i++)
        if (text->text[i] == '/' && text->text[i + 1] == '/')
            end = i;
    while (end > begin && (text->text[end - 1] == ' ' || text->text[end - 1] == '\t'))
        end--;
    return end;
}

struct span diag_line(struct diag *diag, const char *file, uint32_t line, uint32_t column) {
    uint32_t number = source_of_file(diag, file);
    struct diag_text *s = diag_find_source(diag, number);
    if (s)
        index_lines(s);
    if (!s || !line || line > s->line_starts.len)
        return unknown_line(diag, file, line, column);
    uint32_t start = s->line_starts.data[line - 1], end = line_end(s, line - 1);
    uint32_t skip = column ? column - 1 : 0;
    if (!column)
        while (start + skip < end &&
               (s->text[start + skip] == ' ' || s->text[start + skip] == '\t'))
            skip++;
    uint32_t begin = skip < end - start ? start + skip : end;
    return (struct span){number, begin, text_end(s, begin, end)};
}
