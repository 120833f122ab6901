/* SPDX-License-Identifier: MIT
 * An assembler for routines and kernels, by the table of a kind's instructions; a printer. */
#include "machines/stored/link/stored.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LABELS = 16 };

struct token {
    const char *text;
    size_t length;
};

struct assembly {
    const struct stored_isa *isa;
    const char *at;
    const struct insn *insn; /* that the routine is for */
    struct token labels[MAX_LABELS];
    uint32_t places[MAX_LABELS];
    size_t label_count;
    uint32_t count; /* words so far */
    const char *begin;
    stored_words *out;
    struct stored_text *kernel; /* NULL: it is none, and nobody asks for lines */
};

static bool next(struct assembly *a, struct token *t) {
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

static uint32_t mask_of(const struct stored_field *f) {
    return f->bits < 32 ? (UINT32_C(1) << f->bits) - 1 : UINT32_MAX;
}

static uint32_t field_of(const struct stored_field *f, uint32_t word) {
    return word >> f->low & mask_of(f);
}

static const struct stored_field *find_field(const struct stored_isa *isa, char letter) {
    const struct stored_field *f = isa->fields;
    while (f->letter && f->letter != letter)
        f++;
    return f;
}

/* ---- operands ---- */

/* A number, or one that the MPU instruction gives: its constant, its width, what that leaves. */
static bool number(const struct assembly *a, const struct stored_field *f, struct token t,
                   int64_t *value) {
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
    int64_t above = INT64_C(1) << (f->bits - 1);
    return *value >= -above && *value < above;
}

static bool reg(const struct stored_field *f, struct token t, uint32_t *value) {
    char *end;
    if (t.length < 2 || t.text[0] != 'x' || t.text[1] < '0' || t.text[1] > '9')
        return false;
    *value = (uint32_t)strtoul(t.text + 1, &end, 10);
    return end == t.text + t.length && *value <= mask_of(f) && *value < STORED_REGISTERS;
}

/* "(x3)" */
static bool memory(const struct assembly *a, const struct stored_field *f, struct token t,
                   uint32_t *word) {
    const struct stored_field *address = find_field(a->isa, a->isa->address);
    uint32_t x;
    if (!reg(address, (struct token){t.text + 1, t.length - 2}, &x))
        return false;
    *word |= (UINT32_C(1) << 14 | 63 << 7) << f->low | x << address->low;
    return true;
}

/* "rs", "rs.s" with its sign, "src" at the width of the source, "M", "(x3)". */
static bool place(const struct assembly *a, const struct stored_field *f, struct token t,
                  uint32_t *word) {
    static const char *const names[] = {"rs", "rt", "rd", "src", "C", "M", "valid"};
    const struct insn *x = a->insn;
    const uint32_t numbers[] = {x->rs, x->rt, x->rd, x->rs, STORED_C, STORED_M, STORED_VALID};
    uint32_t sign = t.length > 2 && memcmp(t.text + t.length - 2, ".s", 2) == 0;
    if (t.length > 2 && t.text[0] == '(' && t.text[t.length - 1] == ')' && a->isa->address)
        return memory(a, f, t, word);
    t.length -= 2 * sign;
    for (uint32_t i = 0; i < 7; i++)
        if (is(t, names[i])) {
            uint32_t bits = i < 3 ? width_of(x) : i == 3 ? (uint32_t)x->imm : 1;
            *word |= (sign << 13 | (bits - 1) << 7 | numbers[i]) << f->low;
            return true;
        }
    return false;
}

static bool target(const struct assembly *a, const struct stored_field *f, struct token t,
                   bool last, uint32_t *word) {
    for (size_t i = 0; i < a->label_count; i++)
        if (a->labels[i].length == t.length && memcmp(a->labels[i].text, t.text, t.length) == 0) {
            *word |= a->places[i] << f->low;
            return a->places[i] <= mask_of(f);
        }
    return !last; /* it may stand further down */
}

static bool operand(const struct assembly *a, const struct stored_field *f, struct token t,
                    bool last, uint32_t *word) {
    uint32_t x = 0;
    int64_t value;
    switch (f->is) {
    case STORED_NUMBER:
        return number(a, f, t, &value) && (*word |= ((uint32_t)value & mask_of(f)) << f->low, true);
    case STORED_PLACE:
        return place(a, f, t, word);
    case STORED_TARGET:
        return target(a, f, t, last, word);
    default:
        return reg(f, t, &x) && (*word |= x << f->low, true);
    }
}

/* ---- lines ---- */

static uint32_t line_of(const struct assembly *a, struct token t) {
    uint32_t line = 1;
    for (const char *p = a->begin; p < t.text; p++)
        line += *p == '\n';
    return line;
}

static void note_line(struct assembly *a, struct token t) {
    if (a->kernel)
        vec_push(&a->kernel->lines, line_of(a, t));
}

static bool bytes(struct assembly *a, struct token *t, uint64_t *value) {
    static const struct stored_field any = {.bits = 16};
    int64_t n;
    if (!next(a, t) || !number(a, &any, *t, &n) || n < 0)
        return false;
    *value = (uint64_t)n;
    return true;
}

/* ".split x 16 8": how a buffer lies. */
static bool layout(struct assembly *a, struct token *t, bool last) {
    static const char *const names[LAYOUTS] = {"", ".split", ".same", ".each"};
    struct stored_layout x = {.line = line_of(a, *t)};
    while (x.lies.layout < LAYOUTS && !is(*t, names[x.lies.layout]))
        x.lies.layout++;
    if (x.lies.layout == LAYOUTS || !a->kernel || !next(a, t))
        return false;
    x.name = t->text;
    x.length = t->length;
    if (x.lies.layout == LAYOUT_SPLIT && (!bytes(a, t, &x.lies.unit) || !bytes(a, t, &x.lies.halo)))
        return false;
    if (last)
        vec_push(&a->kernel->layouts, x);
    return true;
}

static bool instruction(struct assembly *a, struct token *t, bool last) {
    const struct stored_isa *isa = a->isa;
    const struct token first = *t;
    uint32_t op = 0, word;
    while (op < isa->op_count && !is(*t, isa->ops[op].name))
        op++;
    if (op == isa->op_count)
        return false;
    word = op << isa->op_low;
    for (const char *k = isa->ops[op].operands; *k; k++)
        if (!next(a, t) || !operand(a, find_field(isa, *k), *t, last, &word))
            return false;
    a->count++;
    if (last) {
        vec_push(a->out, word);
        note_line(a, first);
    }
    return true;
}

/* One instruction or label; false, with what is wrong in *t, if it is neither. */
static bool one(struct assembly *a, struct token *t, bool last) {
    if (t->text[0] == '.')
        return layout(a, t, last);
    if (t->text[t->length - 1] != ':')
        return instruction(a, t, last);
    if (!last && a->label_count < MAX_LABELS) {
        a->labels[a->label_count] = (struct token){t->text, t->length - 1};
        a->places[a->label_count++] = a->count;
    }
    return true;
}

/* Twice: where the labels are is known when all of it was read. */
static bool assemble(struct assembly *a, struct str *wrong) {
    struct token t;
    for (int last = 0; last < 2; last++) {
        a->at = a->begin;
        a->count = 0;
        while (next(a, &t))
            if (!one(a, &t, last)) {
                str_append_n(wrong, t.text, t.length);
                note_line(a, t);
                return false;
            }
    }
    return true;
}

bool stored_assemble(const struct stored_isa *isa, const char *text, const struct insn *insn,
                     stored_words *out, struct str *wrong) {
    struct assembly a = {.isa = isa, .insn = insn, .begin = text, .out = out};
    return assemble(&a, wrong);
}

/* Of a kernel no MPU instruction says what its operands are. */
bool stored_assemble_kernel(const struct stored_isa *isa, const char *text, struct stored_text *out,
                            struct str *wrong) {
    static const struct insn none = {.width = 64};
    struct assembly a = {
        .isa = isa, .insn = &none, .begin = text, .out = &out->words, .kernel = out};
    return assemble(&a, wrong);
}

void stored_text_free(struct stored_text *text) {
    vec_free(&text->words);
    vec_free(&text->lines);
    vec_free(&text->layouts);
}

/* ---- words ---- */

/* The operand of that kind; NULL: it has none. */
static const struct stored_field *operand_of(const struct stored_isa *isa, uint32_t word,
                                             enum stored_operand wanted) {
    for (const char *k = isa->ops[stored_op(isa, word)].operands; *k; k++)
        if (find_field(isa, *k)->is == wanted)
            return find_field(isa, *k);
    return NULL;
}

bool stored_names_lane(const struct stored_isa *isa, uint32_t word) {
    const struct stored_field *f = operand_of(isa, word, STORED_PLACE);
    return f && !STORED_PLACE_MEMORY(field_of(f, word));
}

static bool word_fine(const struct stored_isa *isa, uint32_t word, size_t count) {
    if (stored_op(isa, word) >= isa->op_count)
        return false;
    const struct stored_field *to = operand_of(isa, word, STORED_TARGET);
    const struct stored_field *f = operand_of(isa, word, STORED_PLACE);
    if (to && field_of(to, word) >= count)
        return false;
    uint32_t p = f ? field_of(f, word) : 0;
    return STORED_PLACE_MEMORY(p) ? isa->address != 0 : STORED_PLACE_REG(p) < STORED_PLACES;
}

bool stored_words_fine(const struct stored_isa *isa, const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!word_fine(isa, words[i], count))
            return false;
    return count && stored_op(isa, words[count - 1]) == 0;
}

static void print_place(const struct stored_isa *isa, uint32_t word, uint32_t place,
                        struct str *out) {
    static const char *const bits[] = {"C", "M", "valid"};
    uint32_t n = STORED_PLACE_REG(place);
    if (STORED_PLACE_MEMORY(place) && isa->address)
        str_printf(out, " (x%" PRIu32 ")", field_of(find_field(isa, isa->address), word));
    else if (n >= STORED_C)
        str_printf(out, " %s", n < STORED_PLACES ? bits[n - STORED_C] : "?");
    else
        str_printf(out, " r%" PRIu32 ":%" PRIu32 "%s", n, STORED_PLACE_WIDTH(place),
                   STORED_PLACE_SIGNED(place) ? ".s" : "");
}

static int32_t with_sign(const struct stored_field *f, uint32_t value) {
    uint32_t above = UINT32_C(1) << (f->bits - 1);
    return (int32_t)((value ^ above) - above);
}

void stored_print_word(const struct stored_isa *isa, uint32_t word, struct str *out) {
    uint32_t op = stored_op(isa, word);
    str_append(out, op < isa->op_count ? isa->ops[op].name : "?");
    for (const char *k = op < isa->op_count ? isa->ops[op].operands : ""; *k; k++) {
        const struct stored_field *f = find_field(isa, *k);
        uint32_t value = field_of(f, word);
        if (f->is == STORED_PLACE)
            print_place(isa, word, value, out);
        else if (f->is == STORED_NUMBER)
            str_printf(out, " %" PRId32, with_sign(f, value));
        else
            str_printf(out, f->is == STORED_TARGET ? " %" PRIu32 : " x%" PRIu32, value);
    }
}
