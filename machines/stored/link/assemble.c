/* SPDX-License-Identifier: MIT
 * An assembler for routines and kernels, by the table of a kind's instructions; a printer. */
#include "machines/stored/link/stored.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct token {
    const char *text;
    size_t length;
};
struct place_label {
    struct token name;
    uint32_t place;
};

struct assembly {
    const struct stored_isa *isa;
    const char *at;
    const struct insn *insn; /* that the routine is for */
    VEC(struct place_label) labels;
    uint32_t count; /* words so far */
    const char *begin;
    const char *line_at; /* that place lies in line `line` */
    uint32_t line;
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

static uint64_t low_of(unsigned bits) {
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* ---- fields ---- */

static const struct stored_field *find_field(const struct stored_isa *isa, char letter) {
    const struct stored_field *f = isa->fields;
    while (f->letter && f->letter != letter)
        f++;
    return f;
}

static const struct stored_more *more_of(const struct stored_isa *isa,
                                         const struct stored_field *f) {
    static const struct stored_more nothing = {.letter = 0};
    const struct stored_more *m = isa->more;
    while (m && m->letter && m->letter != f->letter)
        m++;
    return m ? m : &nothing;
}

static unsigned bits_of(const struct stored_isa *isa, const struct stored_field *f) {
    unsigned bits = f->bits;
    for (const struct stored_bits *b = more_of(isa, f)->above; b && b->bits; b++)
        bits += b->bits;
    return bits;
}

static uint64_t mask_of(const struct stored_isa *isa, const struct stored_field *f) {
    return low_of(bits_of(isa, f));
}

static uint64_t field_of(const struct stored_isa *isa, const struct stored_field *f,
                         uint64_t word) {
    uint64_t value = word >> f->low & low_of(f->bits);
    unsigned at = f->bits;
    for (const struct stored_bits *b = more_of(isa, f)->above; b && b->bits; at += b++->bits)
        value |= (word >> b->low & low_of(b->bits)) << at;
    return value;
}

/* Bits of the word that the field has when it is that value. */
static uint64_t with_field(const struct stored_isa *isa, const struct stored_field *f,
                           uint64_t value) {
    uint64_t word = (value & low_of(f->bits)) << f->low;
    unsigned at = f->bits;
    for (const struct stored_bits *b = more_of(isa, f)->above; b && b->bits; at += b++->bits)
        word |= (value >> at & low_of(b->bits)) << b->low;
    return word;
}

/* ---- operands ---- */

static bool digits(struct token t, bool with_sign, uint64_t *value) {
    char *end;
    if (t.text[0] == '-' && !with_sign)
        return false;
    errno = 0;
    *value = with_sign ? (uint64_t)strtoll(t.text, &end, 10) : strtoull(t.text, &end, 10);
    return end == t.text + t.length && !errno;
}

/* A number, or one that the MPU instruction gives: its constant, its width, what that leaves. */
static bool number(const struct assembly *a, const struct stored_field *f, struct token t,
                   uint64_t *value) {
    bool with_sign = f->is != STORED_UNSIGNED;
    uint64_t above = (mask_of(a->isa, f) >> 1) + 1;
    if (is(t, "imm"))
        *value = (uint64_t)a->insn->imm;
    else if (is(t, "w"))
        *value = width_of(a->insn);
    else if (is(t, "pad"))
        *value = 64 - width_of(a->insn);
    else if (!digits(t, with_sign, value))
        return false;
    return with_sign ? bits_of(a->isa, f) == 64 || *value + above < 2 * above
                     : *value <= mask_of(a->isa, f);
}

static bool name(const struct stored_isa *isa, const struct stored_field *f, struct token t,
                 uint64_t *value) {
    const char *const *names = more_of(isa, f)->names;
    *value = 0;
    while (names[*value] && !is(t, names[*value]))
        ++*value;
    return names[*value] && *value <= mask_of(isa, f);
}

static bool reg(const struct stored_isa *isa, const struct stored_field *f, struct token t,
                uint64_t *value) {
    char *end;
    if (more_of(isa, f)->names)
        return name(isa, f, t, value);
    if (t.length < 2 || t.text[0] != 'x' || t.text[1] < '0' || t.text[1] > '9')
        return false;
    *value = strtoul(t.text + 1, &end, 10);
    return end == t.text + t.length && *value <= mask_of(isa, f) && *value < stored_registers(isa);
}

/* "(x3)" */
static bool memory(const struct assembly *a, const struct stored_field *f, struct token t,
                   uint64_t *word) {
    const struct stored_field *address = find_field(a->isa, a->isa->address);
    uint64_t x;
    if (!reg(a->isa, address, (struct token){t.text + 1, t.length - 2}, &x))
        return false;
    *word |= with_field(a->isa, f, UINT64_C(1) << 14 | 63 << 7) | with_field(a->isa, address, x);
    return true;
}

/* "rs", "rs.s" with its sign, "src" at the width of the source, "M", "(x3)". */
static bool place(const struct assembly *a, const struct stored_field *f, struct token t,
                  uint64_t *word) {
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
            *word |= with_field(a->isa, f, sign << 13 | (bits - 1) << 7 | numbers[i]);
            return true;
        }
    return false;
}

static bool target(const struct assembly *a, const struct stored_field *f, struct token t,
                   bool last, uint64_t *value) {
    *value = 0;
    for (size_t i = 0; i < a->labels.len; i++)
        if (a->labels.data[i].name.length == t.length &&
            memcmp(a->labels.data[i].name.text, t.text, t.length) == 0) {
            *value = a->labels.data[i].place;
            return *value <= mask_of(a->isa, f);
        }
    return !last; /* it may stand further down */
}

static bool operand(const struct assembly *a, const struct stored_field *f, struct token t,
                    bool last, uint64_t *word) {
    uint64_t value = 0;
    if (f->is == STORED_PLACE)
        return place(a, f, t, word);
    bool fine = f->is == STORED_REGISTER ? reg(a->isa, f, t, &value)
                : f->is == STORED_NAME   ? name(a->isa, f, t, &value)
                : f->is == STORED_TARGET ? target(a, f, t, last, &value)
                                         : number(a, f, t, &value);
    *word |= with_field(a->isa, f, value);
    return fine;
}

/* ---- lines ---- */

/* Tokens come in their order. */
static uint32_t line_of(struct assembly *a, struct token t) {
    for (; a->line_at < t.text; a->line_at++)
        a->line += *a->line_at == '\n';
    return a->line;
}

static void note_line(struct assembly *a, struct token t) {
    if (a->kernel)
        vec_push(&a->kernel->lines, line_of(a, t));
}

static bool bytes(struct assembly *a, struct token *t, uint64_t *value) {
    static const struct stored_field any = {.is = STORED_UNSIGNED, .bits = 15};
    return next(a, t) && number(a, &any, *t, value);
}

/* ".split x 16 8": how a buffer lies. */
static bool layout(struct assembly *a, struct token *t, bool last) {
    static const char *const names[] = {"", ".split", ".same", ".each"};
    const size_t count = sizeof names / sizeof *names;
    struct stored_layout x = {.line = line_of(a, *t)};
    while (x.lies.layout < count && !is(*t, names[x.lies.layout]))
        x.lies.layout++;
    if (x.lies.layout == count || !a->kernel || !next(a, t))
        return false;
    x.name = t->text;
    x.length = t->length;
    if (x.lies.layout == LAYOUT_SPLIT && (!bytes(a, t, &x.lies.unit) || !bytes(a, t, &x.lies.halo)))
        return false;
    if (last)
        vec_push(&a->kernel->layouts, x);
    return true;
}

/* As the op that it may be: its word.  False, with what is wrong in *t, if it is not. */
static bool form(struct assembly *a, uint32_t op, struct token *t, bool last, uint64_t *word) {
    const struct stored_isa *isa = a->isa;
    *word = isa->patterns ? isa->patterns[op].bits : (uint64_t)op << isa->op_low;
    for (const char *k = isa->ops[op].operands; *k; k++)
        if (!next(a, t) || !operand(a, find_field(isa, *k), *t, last, word))
            return false;
    return true;
}

/* The first op of the name whose operands are there; where none has them, what is wrong stands
 * where the one that went furthest stopped. */
static bool instruction(struct assembly *a, struct token *t, bool last) {
    const struct stored_isa *isa = a->isa;
    const struct token first = *t;
    const char *from = a->at;
    uint64_t word;
    for (uint32_t op = 0; op < isa->op_count; op++) {
        struct token at = first;
        if (!is(first, isa->ops[op].name))
            continue;
        a->at = from;
        if (form(a, op, &at, last, &word)) {
            a->count++;
            if (last) {
                vec_push(a->out, word);
                note_line(a, first);
            }
            return true;
        }
        if (at.text > t->text)
            *t = at;
    }
    return false;
}

/* One instruction or label; false, with what is wrong in *t, if it is neither. */
static bool one(struct assembly *a, struct token *t, bool last) {
    if (t->text[0] == '.')
        return layout(a, t, last);
    if (t->text[t->length - 1] != ':')
        return instruction(a, t, last);
    if (!last)
        vec_push(&a->labels, ((struct place_label){{t->text, t->length - 1}, a->count}));
    return true;
}

/* Twice: where the labels are is known when all of it was read. */
static bool assemble(struct assembly *a, struct str *wrong) {
    struct token t;
    bool fine = true;
    for (int last = 0; last < 2 && fine; last++) {
        a->at = a->line_at = a->begin;
        a->line = 1;
        a->count = 0;
        while (fine && next(a, &t))
            fine = one(a, &t, last);
    }
    if (!fine) {
        str_append_n(wrong, t.text, t.length);
        a->line_at = a->begin;
        a->line = 1;
        note_line(a, t);
    }
    vec_free(&a->labels);
    return fine;
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

uint32_t stored_op(const struct stored_isa *isa, uint64_t word) {
    const struct stored_pattern *p = isa->patterns;
    bool wide = word & ~low_of(stored_word_bits(isa));
    uint64_t op = p ? 0 : word >> isa->op_low;
    while (p && op < isa->op_count && (word & p[op].mask) != p[op].bits)
        op++;
    return wide || op > isa->op_count ? isa->op_count : (uint32_t)op;
}

/* What the operand of that letter is in the word. */
static uint64_t field_value(const struct stored_isa *isa, char letter, uint64_t word) {
    return field_of(isa, find_field(isa, letter), word);
}

void stored_put_word(const struct stored_isa *isa, uint64_t word, struct str *out) {
    for (uint32_t i = 0; i < stored_word_bytes(isa); i++)
        str_char(out, (char)(i < 8 ? word >> 8 * i & 255 : 0));
}

uint64_t stored_get_word(const struct stored_isa *isa, const void *bytes) {
    const unsigned char *at = bytes;
    uint64_t word = 0;
    for (uint32_t i = 0; i < stored_word_bytes(isa); i++)
        word |= (uint64_t)at[i] << 8 * i;
    return word;
}

/* The operand of that kind; NULL: it has none. */
static const struct stored_field *operand_of(const struct stored_isa *isa, uint32_t op,
                                             enum stored_operand wanted) {
    for (const char *k = isa->ops[op].operands; *k; k++)
        if (find_field(isa, *k)->is == wanted)
            return find_field(isa, *k);
    return NULL;
}

bool stored_names_lane(const struct stored_isa *isa, uint64_t word) {
    const struct stored_field *f = operand_of(isa, stored_op(isa, word), STORED_PLACE);
    return f && !STORED_PLACE_MEMORY(field_of(isa, f, word));
}

/* A register that there is, and a name. */
static bool operand_fine(const struct stored_isa *isa, const struct stored_field *f,
                         uint64_t value) {
    const char *const *names = more_of(isa, f)->names;
    uint64_t count = 0;
    while (names && names[count])
        count++;
    return names                      ? value < count && names[value][0]
           : f->is == STORED_REGISTER ? value < stored_registers(isa)
                                      : true;
}

static bool word_fine(const struct stored_isa *isa, uint64_t word, size_t count) {
    uint32_t op = stored_op(isa, word);
    if (op == isa->op_count)
        return false;
    const struct stored_field *to = operand_of(isa, op, STORED_TARGET);
    const struct stored_field *f = operand_of(isa, op, STORED_PLACE);
    for (const char *k = isa->ops[op].operands; *k; k++)
        if (!operand_fine(isa, find_field(isa, *k), field_of(isa, find_field(isa, *k), word)))
            return false;
    if (to && field_of(isa, to, word) >= count)
        return false;
    uint64_t p = f ? field_of(isa, f, word) : 0;
    return STORED_PLACE_MEMORY(p) ? isa->address != 0 : STORED_PLACE_REG(p) < STORED_PLACES;
}

bool stored_words_fine(const struct stored_isa *isa, const uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!word_fine(isa, words[i], count))
            return false;
    return count && stored_op(isa, words[count - 1]) == 0;
}

/* ---- words as text ---- */

static void print_register(const struct stored_isa *isa, const struct stored_field *f,
                           uint64_t value, struct str *out) {
    const char *const *names = more_of(isa, f)->names;
    uint64_t n = 0;
    while (names && names[n] && n < value)
        n++;
    if (names)
        str_append(out, names[n] ? names[n] : "?");
    else
        str_printf(out, "x%" PRIu64, value);
}

static void print_place(const struct stored_isa *isa, uint64_t word, uint64_t place,
                        struct str *out) {
    static const char *const bits[] = {"C", "M", "valid"};
    uint64_t n = STORED_PLACE_REG(place);
    if (STORED_PLACE_MEMORY(place) && isa->address) {
        str_char(out, '(');
        print_register(isa, find_field(isa, isa->address), field_value(isa, isa->address, word),
                       out);
        str_char(out, ')');
    } else if (n >= STORED_C) {
        str_append(out, n < STORED_PLACES ? bits[n - STORED_C] : "?");
    } else {
        str_printf(out, "r%" PRIu64 ":%" PRIu64 "%s", n, STORED_PLACE_WIDTH(place),
                   STORED_PLACE_SIGNED(place) ? ".s" : "");
    }
}

static int64_t with_sign(const struct stored_isa *isa, const struct stored_field *f,
                         uint64_t value) {
    uint64_t above = (mask_of(isa, f) >> 1) + 1;
    return (int64_t)((value ^ above) - above);
}

void stored_print_word(const struct stored_isa *isa, uint64_t word, struct str *out) {
    uint32_t op = stored_op(isa, word);
    str_append(out, op < isa->op_count ? isa->ops[op].name : "?");
    for (const char *k = op < isa->op_count ? isa->ops[op].operands : ""; *k; k++) {
        const struct stored_field *f = find_field(isa, *k);
        uint64_t value = field_of(isa, f, word);
        str_char(out, ' ');
        if (f->is == STORED_PLACE)
            print_place(isa, word, value, out);
        else if (f->is == STORED_NUMBER)
            str_printf(out, "%" PRId64, with_sign(isa, f, value));
        else if (f->is == STORED_TARGET || f->is == STORED_UNSIGNED)
            str_printf(out, "%" PRIu64, value);
        else
            print_register(isa, f, value, out);
    }
}

void stored_print_hex(const struct stored_isa *isa, uint64_t word, struct str *out) {
    str_printf(out, "%0*" PRIx64, (int)(stored_word_bits(isa) + 3) / 4, word);
}
