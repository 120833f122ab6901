/* SPDX-License-Identifier: MIT
 * Numbers as text.  # starts a comment; empty lines do not count. */
#include "support/ndarray_formats.h"
#include "support/file.h"
#include "support/vec.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

struct text_cell {
    uint32_t begin, end; /* bytes of the file */
};

struct text_table {
    const struct ndarray_input *in;
    struct {
        struct text_cell *data;
        size_t len, cap;
    } cells;
    size_t columns; /* of the first row */
    bool has_float, has_negative, has_large;
    struct text_cell negative, large; /* the first such value, for messages */
};

static bool reject_cell(const struct text_table *table, struct text_cell cell, const char *what) {
    return ndarray_reject_at(table->in, cell.begin, cell.end, "%s: '%.*s'", what,
                             (int)(cell.end - cell.begin > 40 ? 40 : cell.end - cell.begin),
                             table->in->bytes + cell.begin);
}

/* What is no number; where it is the first of all, as names of columns would be. */
static bool reject_word(const struct text_table *table, struct text_cell cell) {
    reject_cell(table, cell, "not a number that an array can hold");
    char first = table->in->bytes[cell.begin];
    if (table->cells.len == 1 &&
        (first == '"' || first == '\'' || first == '_' || isalpha((unsigned char)first)))
        diag_note(table->in->diag, NO_SPAN,
                  "a line of names is no part of an array: put a # before it, or leave it out");
    return false;
}

/* A point, an exponent (p in hexadecimal), inf or nan: what tells a float from an integer that is
 * too large. */
static bool looks_like_float(const char *text, size_t len) {
    bool sign = len && (*text == '-' || *text == '+');
    bool hexadecimal = len > 2u + sign && (text[sign + 1] | 0x20) == 'x';
    for (size_t i = 0; i < len; i++)
        if (text[i] && strchr(hexadecimal ? ".pP" : ".eEnN", text[i]))
            return true;
    return false;
}

/* Of a type that is known. */
static bool check_real(const struct text_table *table, struct text_cell cell) {
    uint64_t pattern;
    char large[48];
    snprintf(large, sizeof large, "more than the largest %s", ndarray_type_name(table->in->real));
    switch (ndarray_parse_real(table->in->real, table->in->bytes + cell.begin,
                               cell.end - cell.begin, &pattern)) {
    case IEEE_NUMBER:
        return true;
    case IEEE_TOO_LARGE:
        return reject_cell(table, cell, large);
    default:
        return reject_word(table, cell);
    }
}

/* Decides which type the value needs. */
static bool classify(struct text_table *table, struct text_cell cell) {
    const char *text = table->in->bytes + cell.begin;
    size_t len = cell.end - cell.begin;
    int64_t i;
    uint64_t u;
    double f;
    if (table->in->real.bits)
        return check_real(table, cell);
    if (number_parse_i64(text, len, &i)) {
        if (i < 0 && !table->has_negative)
            table->negative = cell;
        table->has_negative = table->has_negative || i < 0;
    } else if (number_parse_u64(text, len, &u)) {
        if (!table->has_large)
            table->large = cell;
        table->has_large = true;
    } else if (looks_like_float(text, len) && number_parse_double(text, len, &f)) {
        table->has_float = true;
    } else {
        return reject_word(table, cell);
    }
    return true;
}

static bool is_blank(char character) {
    return character == ' ' || character == '\t' || character == '\r' || character == '\v' ||
           character == '\f';
}

/* Adds [begin, end) without the blanks around it. */
static bool add_cell(struct text_table *table, size_t begin, size_t end) {
    const char *s = table->in->bytes;
    while (begin < end && is_blank(s[begin]))
        begin++;
    while (begin < end && is_blank(s[end - 1]))
        end--;
    if (begin == end)
        return ndarray_reject_at(table->in, begin, begin + 1, "expected a number");
    struct text_cell c = {(uint32_t)begin, (uint32_t)end};
    vec_push(&table->cells, c);
    return classify(table, c);
}

static bool is_empty(const struct text_table *table, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
        if (!is_blank(table->in->bytes[i]))
            return false;
    return true;
}

static bool read_csv_row(struct text_table *table, size_t begin, size_t end) {
    if (is_empty(table, begin, end))
        return true;
    size_t before = table->cells.len;
    for (size_t at = begin;;) {
        const char *comma = memchr(table->in->bytes + at, ',', end - at);
        size_t stop = comma ? (size_t)(comma - table->in->bytes) : end;
        if (!add_cell(table, at, stop))
            return false;
        if (!comma)
            break;
        at = stop + 1;
    }
    size_t columns = table->cells.len - before;
    if (before && columns != table->columns)
        return ndarray_reject_at(table->in, begin, end,
                                 "this row has %zu columns, the first has %zu", columns,
                                 table->columns);
    table->columns = columns;
    return true;
}

static bool read_txt_row(struct text_table *table, size_t begin, size_t end) {
    for (size_t at = begin; at < end;) {
        size_t stop = at;
        while (stop < end && !is_blank(table->in->bytes[stop]))
            stop++;
        if (stop > at && !add_cell(table, at, stop))
            return false;
        at = stop + 1;
    }
    return true;
}

/* Lines end in LF, CR LF or CR; the line between CR and LF is empty, and does not count. */
static size_t line_end(const struct ndarray_input *in, size_t at) {
    while (at < in->size && in->bytes[at] != '\n' && in->bytes[at] != '\r')
        at++;
    return at;
}

/* Calls `row` for each line without its comment. */
static bool read_rows(struct text_table *table, bool (*row)(struct text_table *, size_t, size_t)) {
    const struct ndarray_input *in = table->in;
    for (size_t at = 0; at < in->size;) {
        size_t end = line_end(in, at);
        const char *comment = memchr(in->bytes + at, '#', end - at);
        if (!row(table, at, comment ? (size_t)(comment - in->bytes) : end))
            return false;
        at = end + 1;
    }
    return true;
}

static bool choose_type(const struct text_table *table, struct element_type *type) {
    if (table->in->real.bits)
        *type = table->in->real;
    else if (table->has_float)
        *type = (struct element_type){ELEMENT_FLOAT, 64};
    else if (!table->has_large)
        *type = (struct element_type){ELEMENT_INT, 64};
    else if (!table->has_negative)
        *type = (struct element_type){ELEMENT_UINT, 64};
    else
        return reject_cell(table, table->large,
                           "no type holds both a negative number and this one");
    return true;
}

static uint64_t convert(const struct text_table *table, struct text_cell cell,
                        struct element_type type) {
    const char *text = table->in->bytes + cell.begin;
    size_t len = cell.end - cell.begin;
    uint64_t pattern = 0;
    if (element_is_float(type)) {
        ndarray_parse_real(type, text, len, &pattern);
    } else if (type.kind == ELEMENT_UINT) {
        number_parse_u64(text + (*text == '+'), len - (*text == '+'), &pattern);
    } else {
        int64_t i = 0;
        number_parse_i64(text, len, &i);
        pattern = (uint64_t)i;
    }
    return pattern;
}

static bool finish(struct text_table *table, struct ndarray *array) {
    struct element_type type;
    if (!choose_type(table, &type))
        return false;
    size_t columns = table->columns > 1 ? table->columns : 1;
    uint64_t shape[] = {table->cells.len / columns, columns};
    if (!ndarray_make(array, type, columns > 1 ? 2 : 1, shape))
        return ndarray_reject(table->in, "the array is larger than 2^40 bytes");
    for (size_t i = 0; i < table->cells.len; i++)
        ndarray_set(array, i, convert(table, table->cells.data[i], type));
    return true;
}

/* A file without a byte holds an array without an element; any other was to hold some. */
static bool holds_numbers(const struct text_table *table) {
    return table->cells.len || !table->in->size ||
           ndarray_reject(table->in, "no number stands here: nothing but blanks and comments");
}

static bool parse(const struct ndarray_input *in, struct ndarray *array,
                  bool (*row)(struct text_table *, size_t, size_t)) {
    if (in->size > UINT32_MAX)
        return ndarray_reject(in, "the text is larger than 4 GiB");
    if (file_is_utf16(in->bytes, in->size))
        return ndarray_reject(in, "%s", file_problem(EILSEQ));
    size_t mark = file_mark(in->bytes, in->size);
    struct ndarray_input text = *in;
    if (mark) { /* no text has no place, either */
        text.bytes += mark;
        text.size -= mark;
    }
    struct text_table t = {.in = &text};
    bool ok = read_rows(&t, row) && holds_numbers(&t) && finish(&t, array);
    vec_free(&t.cells);
    return ok;
}

bool ndarray_parse_csv(const struct ndarray_input *in, struct ndarray *array) {
    return parse(in, array, read_csv_row);
}

bool ndarray_parse_txt(const struct ndarray_input *in, struct ndarray *array) {
    return parse(in, array, read_txt_row);
}
