/* SPDX-License-Identifier: MIT
 * Row programs read back from text: the lines that text.c writes. */
#include "machines/slot/program/program.h"

#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct row_text_reader {
    struct row_text *out;
    struct str *why;
    const char *at, *end; /* of the line, from where nothing is read yet */
    unsigned depth;       /* laps that are open */
    uint32_t laps[ROW_NEST];
};

static bool complain(struct row_text_reader *r, const char *what) {
    if (!r->why->len)
        str_append(r->why, what);
    return false;
}

static bool expected(struct row_text_reader *r, const char *what) {
    if (!r->why->len && r->at == r->end)
        str_printf(r->why, "expected %s, found the end of the line", what);
    else if (!r->why->len)
        str_printf(r->why, "expected %s, found '%.*s'", what, (int)(r->end - r->at), r->at);
    return false;
}

/* ---- pieces of a line ---- */

static void skip_blanks(struct row_text_reader *r) {
    while (r->at < r->end && strchr(" \t\r", *r->at))
        r->at++;
}

static bool take_mark(struct row_text_reader *r, const char *mark) {
    size_t n = strlen(mark);
    skip_blanks(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, mark, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool is_of_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Letters and digits; their number. */
static size_t peek_word(struct row_text_reader *r) {
    size_t n = 0;
    skip_blanks(r);
    while (r->at + n < r->end && is_of_word(r->at[n]))
        n++;
    return n;
}

static bool take_word(struct row_text_reader *r, const char *word) {
    size_t n = peek_word(r);
    if (n != strlen(word) || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool take_number(struct row_text_reader *r, uint64_t most, uint64_t *value) {
    size_t n = peek_word(r);
    if (!n || !number_parse_u64(r->at, n, value) || *value > most)
        return false;
    r->at += n;
    return true;
}

/* "r12": a letter or more, and a number below `count`. */
static bool take_numbered(struct row_text_reader *r, const char *letters, uint64_t count,
                          uint64_t *value) {
    size_t n = peek_word(r), before = strlen(letters);
    if (n <= before || memcmp(r->at, letters, before) != 0 ||
        !number_parse_u64(r->at + before, n - before, value) || *value >= count)
        return false;
    r->at += n;
    return true;
}

/* The lap whose name stands there, from 0; of the laps that are open. */
static bool take_lap(struct row_text_reader *r, unsigned *lap) {
    for (*lap = 0; *lap < r->depth; ++*lap)
        if (take_word(r, (const char[2]){"ijkl"[*lap], 0}))
            return true;
    return expected(r, "the name of a lap around the line: i, j, k or l");
}

/* "+1*i-2*j" */
static bool take_steps(struct row_text_reader *r, int16_t step[ROW_NEST]) {
    for (;;) {
        bool minus = take_mark(r, "-");
        uint64_t value;
        unsigned lap;
        if (!minus && !take_mark(r, "+"))
            return true;
        if (!take_number(r, INT16_MAX, &value) || !take_mark(r, "*"))
            return expected(r, "a number and '*'");
        if (!take_lap(r, &lap))
            return false;
        if (step[lap])
            return complain(r, "it steps by the same lap twice");
        step[lap] = (int16_t)(minus ? -(int64_t)value : (int64_t)value);
    }
}

/* A row that steps is one of its kind in each lap: behind t255 no C comes. */
static bool stays_within(struct row_text_reader *r, const struct row_ref *ref, const char *row) {
    bool is_register = ref->row >= ROW_TEXT_REGISTER, steps = false;
    uint32_t first = is_register ? ROW_TEXT_REGISTER : ROW_SCRATCH,
             last = is_register ? ROW_TEXT_REGISTER + 63 : ROW_TEXT_C - 1;
    int64_t least = ref->row, most = ref->row;
    for (unsigned d = 0; d < r->depth; d++) {
        int64_t by = (int64_t)ref->step[d] * (int64_t)(r->laps[d] - 1);
        least += by < 0 ? by : 0;
        most += by > 0 ? by : 0;
        steps |= ref->step[d] != 0;
    }
    if (!steps || (least >= first && most <= last))
        return true;
    str_printf(r->why, "'%.*s' leads outside %s", (int)(r->at - row), row,
               is_register ? "r0 to r63" : "t0 to t255");
    return false;
}

static bool take_row(struct row_text_reader *r, struct row_ref *ref) {
    static const struct {
        const char *name;
        uint16_t row;
    } named[] = {
        {"C", ROW_TEXT_C}, {"M", ROW_TEXT_M}, {"valid", ROW_VALID}, {"buffer", ROW_BUFFER}};
    uint64_t value;
    skip_blanks(r);
    const char *row = r->at;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (take_word(r, named[i].name)) {
            ref->row = named[i].row;
            return true;
        }
    if (take_numbered(r, "r", 64, &value))
        ref->row = (uint16_t)(ROW_TEXT_REGISTER + value);
    else if (take_numbered(r, "t", ROW_TEXT_C - ROW_SCRATCH, &value))
        ref->row = (uint16_t)(ROW_SCRATCH + value);
    else if (take_number(r, UINT64_MAX, &value)) {
        if (value & ~low_bits(r->out->pool.slot)) {
            str_printf(r->why, "%" PRIu64 " is wider than a slot, %u bits", value,
                       r->out->pool.slot);
            return false;
        }
        ref->row = (uint16_t)(ROW_CONSTANT + row_pool_constants(&r->out->pool, &value, 1));
        return true;
    } else
        return expected(r, "a row: r0 to r63, t0 to t255, C, M, valid, buffer or a number");
    return take_steps(r, ref->step) && stays_within(r, ref, row);
}

/* ---- lines ---- */

static bool take_table(struct row_text_reader *r) {
    struct row_text_table *t;
    uint64_t number, value;
    if (!take_numbered(r, "lut", ROW_TEXT_TABLES, &number))
        return expected(r, "the name of a table: lut0 to lut255");
    t = &r->out->tables[number];
    free(t->entries); /* of that name another one follows */
    *t = (struct row_text_table){NULL, 0};
    if (!take_mark(r, "="))
        return expected(r, "'='");
    do {
        if (!take_number(r, UINT64_MAX, &value))
            return expected(r, "an element of the table");
        if (t->count == ROW_TEXT_ELEMENTS)
            return complain(r, "a table has 65536 elements at most");
        t->entries = realloc(t->entries, (t->count + 1) * sizeof *t->entries);
        if (!t->entries)
            abort();
        t->entries[t->count++] = value;
    } while (take_mark(r, ","));
    return t->count >= 2 && !(t->count & (t->count - 1))
               ? true
               : complain(r, "the elements of a table are a power of two, 2 at least");
}

/* lut0, 256, 8 */
static bool take_query(struct row_text_reader *r, struct row_word *w) {
    uint64_t number, count, bits;
    if (!take_numbered(r, "lut", ROW_TEXT_TABLES, &number))
        return expected(r, "the name of a table: lut0 to lut255");
    const struct row_text_table *t = &r->out->tables[number];
    if (!take_mark(r, ",") || !take_number(r, ROW_TEXT_ELEMENTS, &count) || !take_mark(r, ",") ||
        !take_number(r, 64, &bits) || !bits)
        return expected(r, "', ', how many rows the table has, ', ' and the bits of a field");
    if (!t->count || count != t->count) {
        str_printf(r->why, "lut%" PRIu64 " has %zu elements here, not %" PRIu64, number, t->count,
                   count);
        return false;
    }
    for (size_t i = 0; i < t->count; i++)
        if (t->entries[i] & ~low_bits((unsigned)bits)) {
            str_printf(r->why,
                       "element %zu of lut%" PRIu64 " is wider than the field, %" PRIu64 " bits", i,
                       number, bits);
            return false;
        }
    const struct row_table made = {(uint8_t)__builtin_ctzll(t->count), (uint8_t)bits, t->entries};
    w->b.row = (uint16_t)row_pool_tables(&r->out->pool, &made, 1);
    w->bits = (uint8_t)bits;
    w->count = (uint32_t)count;
    return true;
}

/* #3, #1<<i, #8+8*j */
static bool take_distance(struct row_text_reader *r, struct row_word *w) {
    uint64_t count;
    unsigned lap;
    if (!take_mark(r, "#") || !take_number(r, 4096, &count))
        return expected(r, "'#' and how far, at most 4096");
    w->count = (uint32_t)count;
    if (!take_mark(r, "<<"))
        return take_steps(r, w->count_step);
    if (!take_lap(r, &lap))
        return false;
    w->power = (uint8_t)(lap + 1);
    return true;
}

static bool take_command(struct row_text_reader *r, struct row_word *w) {
    bool shifts = w->kind >= ROW_BIT_SHIFT_L && w->kind <= ROW_BYTE_SHIFT_R,
         two = w->kind >= ROW_AND && w->kind <= ROW_XNOR;
    if (!take_row(r, &w->dst) || !(take_mark(r, ",") || expected(r, "','")))
        return false;
    if (shifts)
        return take_distance(r, w);
    if (!take_row(r, &w->a))
        return false;
    if (two)
        return (take_mark(r, ",") || expected(r, "','")) && take_row(r, &w->b);
    return w->kind != ROW_QUERY || ((take_mark(r, ",") || expected(r, "','")) && take_query(r, w));
}

static bool take_laps(struct row_text_reader *r, struct row_word *w) {
    uint64_t count;
    if (r->depth == ROW_NEST)
        return complain(r, "laps stand in laps, 4 at most");
    if (!take_number(r, UINT32_MAX, &count) || !count)
        return expected(r, "how many laps, 1 at least");
    w->count = (uint32_t)count;
    r->laps[r->depth++] = w->count;
    if (take_mark(r, "(") &&
        (!take_word(r, (const char[2]){"ijkl"[r->depth - 1], 0}) || !take_mark(r, ")")))
        return expected(r, "the name of the lap: i, in it j, k, l");
    return true;
}

static bool take_word_line(struct row_text_reader *r, enum row_kind kind, uint32_t line) {
    struct row_word w = {.kind = (uint8_t)kind};
    bool fine = kind == ROW_LAPS ? take_laps(r, &w) : kind == ROW_END || take_command(r, &w);
    if (fine && kind == ROW_END && !r->depth)
        fine = complain(r, "no laps begin before this end");
    r->depth -= fine && kind == ROW_END;
    if (fine && r->out->program.words.len == ROW_MAX_WORDS)
        fine = complain(r, "a row program has 1024 words at most");
    vec_push(&r->out->program.words, w);
    vec_push(&r->out->lines, line);
    return fine;
}

static bool take_line(struct row_text_reader *r, uint32_t line) {
    uint64_t value;
    if (take_word(r, "slot")) {
        if (!take_number(r, 64, &value) || !value || (value & (value - 1)))
            return expected(r, "the bits of a slot: 1, 2, 4, 8, 16, 32 or 64");
        if (r->out->program.words.len && value != r->out->pool.slot)
            return complain(r, "the slot of a kernel stands before all commands, and stays");
        r->out->pool.slot = (unsigned)value;
        return true;
    }
    if (take_word(r, "table"))
        return take_table(r);
    if (take_word(r, "pluto_subarray_alloc")) { /* where tables lie is up to the machine */
        r->at = r->end;
        return true;
    }
    for (unsigned kind = 0; kind < ROW_KINDS; kind++)
        if (take_word(r, row_kind_names[kind]))
            return take_word_line(r, (enum row_kind)kind, line);
    return expected(r, "a command of rows");
}

/* What stands before a comment: "//", ";", or a line that begins with "#". */
static const char *content_end(const char *line, const char *end) {
    const char *at = line;
    while (at < end && strchr(" \t\r", *at))
        at++;
    if (at < end && *at == '#')
        return at;
    while (at < end && *at != ';' && !(*at == '/' && at + 1 < end && at[1] == '/'))
        at++;
    while (at > line && strchr(" \t\r", at[-1]))
        at--;
    return at;
}

bool row_text_read(const char *text, size_t size, unsigned slot, struct row_text *out,
                   uint32_t *line, struct str *why) {
    struct row_text_reader r = {.out = out, .why = why};
    const char *end = text + size;
    memset(out, 0, sizeof *out);
    out->pool.slot = slot;
    out->program.scratch = ROW_ALL_SCRATCH;
    *line = 0;
    for (const char *at = text, *stop; at < end; at = stop + 1) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        stop = newline ? newline : end;
        ++*line;
        r.at = at;
        r.end = content_end(at, stop);
        skip_blanks(&r);
        if (r.at >= r.end)
            continue;
        if (!take_line(&r, *line))
            return false;
        skip_blanks(&r);
        if (r.at < r.end)
            return expected(&r, "the end of the line");
    }
    return r.depth ? complain(&r, "laps have no end") : true;
}

void row_text_free(struct row_text *text) {
    for (unsigned i = 0; i < ROW_TEXT_TABLES; i++)
        free(text->tables[i].entries);
    row_program_free(&text->program);
    row_pool_free(&text->pool);
    vec_free(&text->lines);
}
