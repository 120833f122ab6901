/* SPDX-License-Identifier: MIT
 * The core's own instructions: their table, an assembler for routines and kernels, a printer. */
#include "core.h"

#include "support/str.h"

#include <stdlib.h>
#include <string.h>

const struct core_op_info core_ops[CORE_OPS] = {
    [CORE_END] = {"end", ""},     [CORE_LD] = {"ld", "dp"},    [CORE_ST] = {"st", "ap"},
    [CORE_LI] = {"li", "di"},     [CORE_ADD] = {"add", "dab"}, [CORE_SUB] = {"sub", "dab"},
    [CORE_AND] = {"and", "dab"},  [CORE_OR] = {"or", "dab"},   [CORE_XOR] = {"xor", "dab"},
    [CORE_SHL] = {"shl", "dab"},  [CORE_SHR] = {"shr", "dab"}, [CORE_SAR] = {"sar", "dab"},
    [CORE_LTU] = {"ltu", "dab"},  [CORE_LTS] = {"lts", "dab"}, [CORE_BEQZ] = {"beqz", "at"},
    [CORE_BNEZ] = {"bnez", "at"},
};

/* ---- assembler: instructions, their operands, labels with a colon; blanks and ; between them ----
 */

enum { MAX_LABELS = 16 };

struct token {
    const char *text;
    size_t length;
};

struct assembler {
    const char *at;
    const struct insn *insn; /* that the routine is for */
    struct token labels[MAX_LABELS];
    uint32_t places[MAX_LABELS];
    size_t label_count;
    uint32_t count; /* words so far */
    const char *begin;
    core_words *lines; /* NULL: it is no kernel, and nobody asks */
    core_lies *lies;
};

static bool next(struct assembler *a, struct token *t) {
    a->at += strspn(a->at, " \n;");
    *t = (struct token){a->at, strcspn(a->at, " \n;")};
    a->at += t->length;
    return t->length > 0;
}

static bool is(struct token t, const char *word) {
    return strlen(word) == t.length && memcmp(t.text, word, t.length) == 0;
}

static unsigned width_of(const struct insn *x) {
    return x->width ? x->width : 64;
}

/* A number, or one that the MPU instruction gives: its constant, its width, what that leaves. */
static bool number(const struct assembler *a, struct token t, int64_t *value) {
    char *end;
    *value = strtoll(t.text, &end, 10);
    if (is(t, "imm"))
        *value = a->insn->imm;
    else if (is(t, "w"))
        *value = width_of(a->insn);
    else if (is(t, "pad"))
        *value = 64 - width_of(a->insn);
    else if (end != t.text + t.length)
        return false;
    return *value >= INT16_MIN && *value <= INT16_MAX;
}

static bool small(struct token t, char first, uint32_t below, uint32_t *value) {
    char *end;
    if (t.length < 2 || t.text[0] != first || t.text[1] < '0' || t.text[1] > '9')
        return false;
    *value = (uint32_t)strtoul(t.text + 1, &end, 10);
    return end == t.text + t.length && *value < below;
}

/* "rs", "rs.s" with its sign, "src" at the width of the source, "M", "(x3)". */
static bool place(const struct assembler *a, struct token t, uint32_t *word) {
    static const char *const names[] = {"rs", "rt", "rd", "src", "C", "M", "valid"};
    const struct insn *x = a->insn;
    const uint32_t numbers[] = {x->rs, x->rt, x->rd, x->rs, CORE_C, CORE_M, CORE_VALID};
    const uint32_t width = width_of(x);
    uint32_t b, sign = t.length > 2 && memcmp(t.text + t.length - 2, ".s", 2) == 0;
    struct token inner = {t.text + 1, t.length - 1};
    if (t.text[0] == '(' && t.text[t.length - 1] == ')' && inner.length--) {
        *word |= 1 << 14 | 63 << 7;
        return small(inner, 'x', 16, &b) && (*word |= b << 16, true);
    }
    t.length -= 2 * sign;
    for (uint32_t i = 0; i < 7; i++)
        if (is(t, names[i])) {
            uint32_t bits = i < 3 ? width : i == 3 ? (uint32_t)x->imm : 1;
            *word |= sign << 13 | (bits - 1) << 7 | numbers[i];
            return true;
        }
    return false;
}

static bool target(const struct assembler *a, struct token t, bool last, uint32_t *word) {
    for (size_t i = 0; i < a->label_count; i++)
        if (a->labels[i].length == t.length && memcmp(a->labels[i].text, t.text, t.length) == 0) {
            *word |= a->places[i];
            return true;
        }
    return !last; /* it may stand further down */
}

static bool operand(const struct assembler *a, char kind, struct token t, bool last,
                    uint32_t *word) {
    uint32_t x = 0;
    int64_t value;
    switch (kind) {
    case 'i':
        return number(a, t, &value) && (*word |= (uint16_t)value, true);
    case 'p':
        return place(a, t, word);
    case 't':
        return target(a, t, last, word);
    default:
        return small(t, 'x', 16, &x) && (*word |= x << (kind == 'd'   ? 24
                                                        : kind == 'a' ? 20
                                                                      : 16),
                                         true);
    }
}

static uint32_t line_of(const struct assembler *a, struct token t) {
    uint32_t line = 1;
    for (const char *p = a->begin; p < t.text; p++)
        line += *p == '\n';
    return line;
}

static void note_line(struct assembler *a, struct token t) {
    if (a->lines)
        vec_push(a->lines, line_of(a, t));
}

/* ".split x 16 8": how a buffer lies. */
static bool lie(struct assembler *a, struct token *t, bool last) {
    static const char *const names[LAYOUTS] = {"", ".split", ".same", ".each"};
    struct core_lie x = {.line = line_of(a, *t)};
    int64_t bytes[2] = {0, 0};
    while (x.lies.layout < LAYOUTS && !is(*t, names[x.lies.layout]))
        x.lies.layout++;
    if (x.lies.layout == LAYOUTS || !a->lines || !next(a, t))
        return false;
    x.name = t->text;
    x.length = t->length;
    for (int i = 0; x.lies.layout == LAYOUT_SPLIT && i < 2; i++)
        if (!next(a, t) || !number(a, *t, &bytes[i]) || bytes[i] < 0)
            return false;
    x.lies.unit = (uint64_t)bytes[0];
    x.lies.halo = (uint64_t)bytes[1];
    if (last)
        vec_push(a->lies, x);
    return true;
}

/* One instruction or label; false, with what is wrong in *t, if it is neither. */
static bool one(struct assembler *a, struct token *t, bool last, core_words *out) {
    uint32_t op = 0, word;
    const struct token first = *t;
    if (t->text[0] == '.')
        return lie(a, t, last);
    if (t->text[t->length - 1] == ':') {
        if (!last && a->label_count < MAX_LABELS) {
            a->labels[a->label_count] = (struct token){t->text, t->length - 1};
            a->places[a->label_count++] = a->count;
        }
        return true;
    }
    while (op < CORE_OPS && !is(*t, core_ops[op].name))
        op++;
    if (op == CORE_OPS)
        return false;
    word = op << 28;
    for (const char *k = core_ops[op].operands; *k; k++)
        if (!next(a, t) || !operand(a, *k, *t, last, &word))
            return false;
    a->count++;
    if (last) {
        vec_push(out, word);
        note_line(a, first);
    }
    return true;
}

/* Twice: where the labels are is known when all of it was read. */
static bool assemble(struct assembler *a, core_words *out, struct str *wrong) {
    struct token t;
    for (int last = 0; last < 2; last++) {
        a->at = a->begin;
        a->count = 0;
        while (next(a, &t))
            if (!one(a, &t, last, out)) {
                str_append_n(wrong, t.text, t.length);
                note_line(a, t);
                return false;
            }
    }
    return true;
}

bool core_assemble(const char *text, const struct insn *insn, core_words *out, struct str *wrong) {
    struct assembler a = {.insn = insn, .begin = text};
    return assemble(&a, out, wrong);
}

/* Of a kernel no MPU instruction says what its operands are. */
bool core_assemble_kernel(const char *text, core_words *out, core_words *lines, core_lies *lies,
                          struct str *wrong) {
    static const struct insn none = {.width = 64};
    struct assembler a = {.insn = &none, .begin = text, .lines = lines, .lies = lies};
    return assemble(&a, out, wrong);
}

bool core_words_fine(const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        enum core_op op = CORE_OP(words[i]);
        uint32_t imm = CORE_IMM(words[i]);
        if ((op == CORE_LD || op == CORE_ST) && !CORE_MEMORY(imm) && CORE_PLACE(imm) >= CORE_PLACES)
            return false;
        if ((op == CORE_BEQZ || op == CORE_BNEZ) && imm >= count)
            return false;
    }
    return count && CORE_OP(words[count - 1]) == CORE_END;
}

static void print_place(uint32_t word, struct str *out) {
    static const char *const bits[] = {"C", "M", "valid"};
    uint32_t imm = CORE_IMM(word), n = CORE_PLACE(imm);
    if (CORE_MEMORY(imm))
        str_printf(out, " (x%u)", CORE_B(word));
    else if (n >= CORE_C)
        str_printf(out, " %s", n < CORE_PLACES ? bits[n - CORE_C] : "?");
    else
        str_printf(out, " r%u:%u%s", n, CORE_WIDTH(imm), CORE_SIGNED(imm) ? ".s" : "");
}

void core_print(uint32_t word, struct str *out) {
    const struct core_op_info *op = &core_ops[CORE_OP(word)];
    str_append(out, op->name);
    for (const char *k = op->operands; *k; k++)
        if (*k == 'p')
            print_place(word, out);
        else if (*k == 'i')
            str_printf(out, " %d", (int16_t)CORE_IMM(word));
        else if (*k == 't')
            str_printf(out, " %u", CORE_IMM(word));
        else
            str_printf(out, " x%u", word >> (*k == 'd' ? 24 : *k == 'a' ? 20 : 16) & 15);
}
