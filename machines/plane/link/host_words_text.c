/* SPDX-License-Identifier: MIT
 * Words as lines of text. */
#include "machines/plane/link/host_words.h"

#include <inttypes.h>
#include <string.h>

static const char *const gate_names[GATE_COUNT] = {"INIT0", "INIT1", "NOT", "NOR"};

const char *plane_gate_name(enum plane_gate gate) {
    return gate_names[gate];
}

static unsigned operands(const struct plane_word *word) {
    return word->gate == GATE_NOR ? 2 : word->gate == GATE_NOT ? 1 : 0;
}

/* "3", "0..31", "3..23:4" */
static void put_range(uint32_t start, uint32_t stop, uint32_t step, struct str *out) {
    str_u64(out, start);
    if (start == stop)
        return;
    str_append(out, "..");
    str_u64(out, stop);
    if (step != 1) {
        str_char(out, ':');
        str_u64(out, step);
    }
}

/* "r30[3..23:4]" */
static void put_cells(uint32_t reg, uint32_t first, const struct plane_word *word,
                      struct str *out) {
    str_printf(out, "r%" PRIu32 "[", reg);
    put_range(first, first + (word->stop - word->start), word->step, out);
    str_char(out, ']');
}

static void put_gates(const struct plane_word *word, struct str *out) {
    str_printf(out, "%s ", gate_names[word->gate]);
    put_cells(word->reg, word->start, word, out);
    for (unsigned i = 0; i < operands(word); i++) {
        str_append(out, i ? ", " : " <- ");
        put_cells(word->in_reg[i], word->in_partition[i], word, out);
    }
}

void plane_word_text(const struct plane_word *word, struct str *out) {
    switch (word->kind) {
    case WORD_CROSSBARS:
    case WORD_ROWS:
        str_append(out, word->kind == WORD_ROWS ? "ROWS " : "CROSSBARS ");
        put_range(word->start, word->stop, word->step, out);
        break;
    case WORD_READ:
        str_printf(out, "READ r%" PRIu32, word->reg);
        break;
    case WORD_WRITE:
        str_printf(out, "WRITE r%" PRIu32 " <- 0x%" PRIx64, word->reg, word->data);
        break;
    case WORD_GATES:
        put_gates(word, out);
        break;
    case WORD_VERTICAL:
        str_printf(out, "%s r%" PRIu32 "@%" PRIu32, gate_names[word->gate], word->reg,
                   word->out_row);
        if (operands(word))
            str_printf(out, " <- r%" PRIu32 "@%" PRIu32, word->reg, word->in_row);
        break;
    case WORD_MOVE:
    case WORD_KINDS:
        str_printf(out, "MOVE x%" PRIu32 ".r%" PRIu32 "@%" PRIu32 " <- r%" PRIu32 "@%" PRIu32,
                   word->crossbar, word->reg, word->out_row, word->in_reg[0], word->in_row);
        break;
    }
}

/* ---- from text ---- */

struct reader {
    const char *at, *end;
    const struct plane_crossbar *crossbar;
    struct plane_word *word;
    struct str *why;
};

static void skip_blanks(struct reader *reader) {
    while (reader->at < reader->end && strchr(" \t\r", *reader->at))
        reader->at++;
}

/* What stands there instead, for messages. */
static bool expected(struct reader *reader, const char *what) {
    size_t n = (size_t)(reader->end - reader->at);
    str_printf(reader->why, "expected %s", what);
    if (n)
        str_append(reader->why, ", not '");
    for (size_t i = 0; i < n && i < 32; i++)
        if (reader->at[i])
            str_char(reader->why, reader->at[i]);
    str_append(reader->why, n ? "'" : " at the end of the line");
    return false;
}

static bool is_there(struct reader *reader, const char *text) {
    size_t n = strlen(text);
    skip_blanks(reader);
    if ((size_t)(reader->end - reader->at) < n || memcmp(reader->at, text, n) != 0)
        return false;
    reader->at += n;
    return true;
}

static bool mark(struct reader *reader, const char *text) {
    return is_there(reader, text) || expected(reader, text);
}

static size_t word_length(const struct reader *reader) {
    size_t n = 0;
    while (
        reader->at + n < reader->end &&
        strchr("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", reader->at[n]) &&
        reader->at[n])
        n++;
    return n;
}

static bool wide_number(struct reader *reader, const char *what, uint64_t *value) {
    skip_blanks(reader);
    size_t n = word_length(reader);
    if (!number_parse_u64(reader->at, n, value))
        return expected(reader, what);
    reader->at += n;
    return true;
}

/* A number below 2^bits, which its field holds. */
static bool number(struct reader *reader, const char *what, unsigned bits, uint32_t *value) {
    uint64_t wide;
    if (!wide_number(reader, what, &wide))
        return false;
    *value = (uint32_t)wide;
    if (wide >> bits == 0)
        return true;
    str_printf(reader->why, "%s %" PRIu64 " takes more than the %u bits of its field", what, wide,
               bits);
    return false;
}

static bool reg(struct reader *reader, uint32_t *value) {
    return mark(reader, "r") && number(reader, "register", reader->crossbar->register_bits, value);
}

static bool range(struct reader *reader, const char *what, unsigned bits, struct plane_range *out) {
    if (!number(reader, what, bits, &out->start))
        return false;
    *out = (struct plane_range){out->start, out->start, 1};
    if (!is_there(reader, ".."))
        return true;
    if (!number(reader, what, bits, &out->stop))
        return false;
    return !is_there(reader, ":") || number(reader, "step", bits, &out->step);
}

static bool selection(struct reader *reader, enum plane_word_kind kind) {
    struct plane_range r;
    bool rows = kind == WORD_ROWS;
    if (!range(reader, rows ? "row" : "crossbar",
               rows ? reader->crossbar->row_bits : reader->crossbar->crossbar_bits, &r))
        return false;
    *reader->word =
        (struct plane_word){.kind = kind, .start = r.start, .stop = r.stop, .step = r.step};
    return true;
}

/* "r5@7" */
static bool row_cells(struct reader *reader, uint32_t *of, uint32_t *row) {
    return reg(reader, of) && mark(reader, "@") &&
           number(reader, "row", reader->crossbar->row_bits, row);
}

static bool vertical(struct reader *reader, enum plane_gate gate, uint32_t of) {
    struct plane_word *w = reader->word;
    uint32_t same = of;
    *w = (struct plane_word){.kind = WORD_VERTICAL, .gate = gate, .reg = of};
    if (!number(reader, "row", reader->crossbar->row_bits, &w->out_row))
        return false;
    if (!operands(w))
        return true;
    if (!mark(reader, "<-") || !row_cells(reader, &same, &w->in_row))
        return false;
    if (same != of)
        str_append(reader->why, "both rows are of one register");
    return same == of;
}

/* "[3..23:4]" */
static bool partitions(struct reader *reader, struct plane_range *out) {
    return mark(reader, "[") && range(reader, "partition", reader->crossbar->partition_bits, out) &&
           mark(reader, "]");
}

/* An operand, which steps as the result does. */
static bool operand(struct reader *reader, unsigned i) {
    struct plane_word *w = reader->word;
    struct plane_range r;
    if (!mark(reader, i ? "," : "<-") || !reg(reader, &w->in_reg[i]) || !partitions(reader, &r))
        return false;
    w->in_partition[i] = r.start;
    if (r.stop - r.start == w->stop - w->start && (r.step == w->step || w->start == w->stop))
        return true;
    str_append(reader->why, "partitions of an operand do not step as those of the result");
    return false;
}

/* Operands in the order of their partitions; those that a gate does not have as the publication's
 * host fills them in. */
static void complete(struct plane_word *word) {
    if (operands(word) == 0) {
        word->in_reg[0] = word->in_reg[1] = word->reg;
        word->in_partition[0] = word->in_partition[1] = word->start;
    } else if (operands(word) == 1) {
        word->in_reg[1] = word->in_reg[0];
        word->in_partition[1] = word->in_partition[0];
    } else if (word->in_partition[0] > word->in_partition[1]) {
        uint32_t r = word->in_reg[0], p = word->in_partition[0];
        word->in_reg[0] = word->in_reg[1];
        word->in_partition[0] = word->in_partition[1];
        word->in_reg[1] = r;
        word->in_partition[1] = p;
    }
}

static bool gates(struct reader *reader, enum plane_gate gate) {
    struct plane_word *w = reader->word;
    struct plane_range r;
    uint32_t of;
    if (!reg(reader, &of))
        return false;
    if (is_there(reader, "@"))
        return vertical(reader, gate, of);
    if (!partitions(reader, &r))
        return false;
    *w = (struct plane_word){.kind = WORD_GATES,
                             .gate = gate,
                             .start = r.start,
                             .stop = r.stop,
                             .step = r.step,
                             .reg = of};
    for (unsigned i = 0; i < operands(w); i++)
        if (!operand(reader, i))
            return false;
    complete(w);
    return true;
}

static bool move(struct reader *reader) {
    struct plane_word *w = reader->word;
    *w = (struct plane_word){.kind = WORD_MOVE};
    return mark(reader, "x") &&
           number(reader, "crossbar", reader->crossbar->crossbar_bits, &w->crossbar) &&
           mark(reader, ".") && row_cells(reader, &w->reg, &w->out_row) && mark(reader, "<-") &&
           row_cells(reader, &w->in_reg[0], &w->in_row);
}

static bool write_word(struct reader *reader) {
    struct plane_word *w = reader->word;
    *w = (struct plane_word){.kind = WORD_WRITE};
    if (!reg(reader, &w->reg) || !mark(reader, "<-") ||
        !wide_number(reader, "what is written", &w->data))
        return false;
    if (reader->crossbar->data_bits >= 64 || w->data >> reader->crossbar->data_bits == 0)
        return true;
    str_printf(reader->why, "0x%" PRIx64 " takes more than the %u bits of its field", w->data,
               (unsigned)reader->crossbar->data_bits);
    return false;
}

static bool named(struct reader *reader, const char *name, size_t n) {
    return strlen(name) == n && memcmp(name, reader->at, n) == 0;
}

/* What the line begins with, which is taken. */
static bool line(struct reader *reader) {
    size_t n = word_length(reader);
    uint64_t bits;
    if (n && number_parse_u64(reader->at, n, &bits)) {
        reader->at += n;
        return plane_word_decode(reader->crossbar, bits, reader->word, reader->why);
    }
    static const char *const names[WORD_KINDS] = {[WORD_CROSSBARS] = "CROSSBARS",
                                                  [WORD_ROWS] = "ROWS",
                                                  [WORD_READ] = "READ",
                                                  [WORD_WRITE] = "WRITE",
                                                  [WORD_MOVE] = "MOVE"};
    unsigned kind = 0, gate = 0;
    while (kind < WORD_KINDS && !(names[kind] && named(reader, names[kind], n)))
        kind++;
    while (gate < GATE_COUNT && !named(reader, gate_names[gate], n))
        gate++;
    if (kind == WORD_KINDS && gate == GATE_COUNT)
        return expected(reader, "CROSSBARS, ROWS, READ, WRITE, MOVE, a gate or a number");
    reader->at += n;
    switch (kind) {
    case WORD_CROSSBARS:
    case WORD_ROWS:
        return selection(reader, (enum plane_word_kind)kind);
    case WORD_READ:
        *reader->word = (struct plane_word){.kind = WORD_READ};
        return reg(reader, &reader->word->reg);
    case WORD_WRITE:
        return write_word(reader);
    case WORD_MOVE:
        return move(reader);
    default:
        return gates(reader, (enum plane_gate)gate);
    }
}

bool plane_word_parse(const struct plane_crossbar *crossbar, const char *text, size_t n,
                      struct plane_word *word, struct str *why) {
    struct reader r = {text, text + n, crossbar, word, why};
    skip_blanks(&r);
    if (!line(&r))
        return false;
    skip_blanks(&r);
    return r.at == r.end || expected(&r, "the end of the line");
}
