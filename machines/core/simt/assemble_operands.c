/* SPDX-License-Identifier: MIT
 * Words of a text of code, and operands. */
#include "machines/core/simt/assembler.h"

#include <string.h>

/* ---- words ---- */

bool simt_as_wrong(struct simt_assembler *a, uint32_t line, const char *format, ...) {
    va_list args;
    if (a->fault->what.len)
        return false;
    va_start(args, format);
    str_vprintf(&a->fault->what, format, args);
    va_end(args);
    a->fault->line = line;
    return false;
}

bool simt_as_unexpected(struct simt_assembler *a, const char *wanted) {
    const struct ptx_word *w = &a->w.word;
    return simt_as_wrong(a, w->line, "expected %s in place of '%.*s'", wanted,
                         w->n > 60 ? 60 : (int)w->n, w->n ? w->text : "");
}

bool simt_as_is(const struct simt_assembler *a, const char *text) {
    return ptx_word_is(&a->w.word, text);
}

bool simt_as_accept(struct simt_assembler *a, const char *text) {
    if (!simt_as_is(a, text))
        return false;
    ptx_words_next(&a->w);
    return true;
}

bool simt_as_expect(struct simt_assembler *a, const char *text) {
    return simt_as_accept(a, text) || simt_as_unexpected(a, text);
}

bool simt_as_number(struct simt_assembler *a, uint32_t *number) {
    uint64_t n = 0;
    if (a->w.word.kind != PTX_WORD_NUMERAL || !number_parse_u64(a->w.word.text, a->w.word.n, &n) ||
        n > UINT32_MAX)
        return simt_as_unexpected(a, "a number");
    *number = (uint32_t)n;
    ptx_words_next(&a->w);
    return true;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* What str_quote wrote. */
bool simt_as_string(struct simt_assembler *a, const char **text) {
    const struct ptx_word *w = &a->w.word;
    struct str out = {0};
    if (w->kind != PTX_WORD_STRING || w->n < 2)
        return simt_as_unexpected(a, "a text in quotes");
    for (size_t i = 1; i + 1 < w->n; i++) {
        if (w->text[i] == '\\' && i + 4 < w->n && w->text[i + 1] == 'x' &&
            hex_digit(w->text[i + 2]) >= 0 && hex_digit(w->text[i + 3]) >= 0) {
            str_char(&out, (char)(hex_digit(w->text[i + 2]) * 16 + hex_digit(w->text[i + 3])));
            i += 3;
        } else {
            i += w->text[i] == '\\' && i + 2 < w->n;
            str_char(&out, w->text[i]);
        }
    }
    *text = arena_strndup(&a->k->arena, str_text(&out), out.len);
    str_free(&out);
    ptx_words_next(&a->w);
    return true;
}

/* ---- operands ---- */

static bool register_number(const char *text, size_t n, unsigned most, uint8_t *number) {
    uint64_t v = 0;
    if (!n || !number_parse_u64(text, n, &v) || v >= most)
        return false;
    *number = (uint8_t)v;
    return true;
}

/* R4, RZ, P3, PT, %tid.x; else a label. */
void simt_as_name(struct simt_assembler *a, struct simt_as_operand *o) {
    const struct ptx_word w = a->w.word;
    size_t n = w.n;
    o->at = w;
    if (n > 3 && memcmp(w.text + n - 3, ".32", 3) == 0) {
        o->narrow = true;
        n -= 3;
    }
    o->is = IS_LABEL;
    if (n == 2 && memcmp(w.text, "RZ", 2) == 0) {
        o->is = IS_REGISTER;
        o->number = SIMT_RZ;
    } else if (n == 2 && memcmp(w.text, "PT", 2) == 0) {
        o->is = IS_PREDICATE;
        o->number = SIMT_PT;
    } else if (w.text[0] == 'R' && register_number(w.text + 1, n - 1, SIMT_REGISTERS, &o->number)) {
        o->is = IS_REGISTER;
    } else if (w.text[0] == 'P' &&
               register_number(w.text + 1, n - 1, SIMT_PREDICATES, &o->number)) {
        o->is = IS_PREDICATE;
    } else if (ptx_special_find(w.text, n) != PTX_SPECIALS) {
        o->is = IS_SPECIAL;
        o->number = (uint8_t)ptx_special_find(w.text, n);
    }
    ptx_words_next(&a->w);
}

/* 12, 0x1f, 0f3f800000, 0d.. */
static bool take_value(struct simt_assembler *a, struct simt_as_operand *o) {
    const struct ptx_word *w = &a->w.word;
    o->is = IS_NUMBER;
    o->at = *w;
    const bool bits = w->n > 2 && w->text[0] == '0' && (w->text[1] == 'f' || w->text[1] == 'd');
    if (bits) {
        for (size_t i = 2; i < w->n; i++) {
            if (hex_digit(w->text[i]) < 0 || w->n > 18)
                return simt_as_unexpected(a, "a number");
            o->value = o->value << 4 | (unsigned)hex_digit(w->text[i]);
        }
    } else if (w->kind != PTX_WORD_NUMERAL || !number_parse_u64(w->text, w->n, &o->value)) {
        return simt_as_unexpected(a, "an operand");
    }
    if (o->minus)
        o->value = 0 - o->value;
    ptx_words_next(&a->w);
    return true;
}

static bool take_one(struct simt_assembler *a, struct simt_as_operands *all) {
    if (all->count == SIMT_AS_MOST)
        return simt_as_wrong(a, a->w.word.line, "there are too many operands");
    struct simt_as_operand *o = &all->list[all->count++];
    *o = (struct simt_as_operand){.group = (uint8_t)all->groups};
    o->negated = simt_as_accept(a, "!");
    o->minus = simt_as_accept(a, "-");
    if (a->w.word.kind != PTX_WORD_NAME || o->minus)
        return (!o->negated || simt_as_unexpected(a, "a predicate")) && take_value(a, o);
    simt_as_name(a, o);
    return !o->negated || o->is == IS_PREDICATE ||
           simt_as_wrong(a, o->at.line, "'%.*s' is no predicate", (int)o->at.n, o->at.text);
}

static bool take_address(struct simt_assembler *a, struct simt_as_operands *all) {
    struct simt_as_operand sum = {.is = IS_NUMBER};
    if (!take_one(a, all))
        return false;
    all->address = true;
    all->address_bits = all->list[all->count - 1].narrow ? 32 : 64;
    if (simt_as_is(a, "+") || simt_as_is(a, "-")) {
        sum.minus = simt_as_is(a, "-");
        ptx_words_next(&a->w);
        if (!take_value(a, &sum))
            return false;
        all->offset = (int64_t)sum.value;
    }
    return simt_as_expect(a, "]");
}

static bool take_group(struct simt_assembler *a, struct simt_as_operands *all) {
    const uint32_t before = all->count;
    const bool addressed = all->address;
    bool fine;
    if (simt_as_accept(a, "{")) {
        fine = take_one(a, all);
        while (fine && simt_as_accept(a, ","))
            fine = take_one(a, all);
        fine = fine && simt_as_expect(a, "}");
    } else if (simt_as_accept(a, "[")) {
        fine = take_address(a, all);
    } else {
        fine = take_one(a, all);
    }
    for (uint32_t i = before; fine && i < all->count; i++)
        if (all->list[i].narrow && (addressed || !all->address))
            return simt_as_wrong(a, a->w.word.line, "an address has .32, and nothing else");
    if (fine && simt_as_accept(a, "|")) {
        struct simt_as_operand p = {.group = 0};
        simt_as_name(a, &p);
        fine =
            p.is == IS_PREDICATE || simt_as_wrong(a, p.at.line, "a second result is a predicate");
        all->second = p.number;
    }
    all->parts[all->groups++] = all->count - before;
    return fine;
}

bool simt_as_operands(struct simt_assembler *a, uint32_t line, struct simt_as_operands *all) {
    *all = (struct simt_as_operands){.second = SIMT_PT, .address_bits = 64};
    if (a->w.word.line != line || a->w.word.kind == PTX_WORD_END || simt_as_is(a, ";"))
        return true;
    do
        if (!take_group(a, all))
            return false;
    while (simt_as_accept(a, ","));
    return true;
}
