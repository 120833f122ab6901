/* SPDX-License-Identifier: MIT
 * Numbers and operands. */
#include "ptx/parser.h"

#include <string.h>

/* ---- numbers ---- */

static unsigned digit_of(char c) {
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 99;
}

static bool digits(const char *text, size_t n, unsigned base, uint64_t *number) {
    *number = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned d = digit_of(text[i]);
        if (d >= base || *number > (UINT64_MAX - d) / base)
            return false;
        *number = *number * base + d;
    }
    return n != 0;
}

/* 5, 0x1F, 017, 0b101, 5U */
static bool whole(const char *text, size_t n, uint64_t *number) {
    n -= n > 1 && text[n - 1] == 'U';
    if (n > 2 && text[0] == '0' && strchr("xX", text[1]))
        return digits(text + 2, n - 2, 16, number);
    if (n > 2 && text[0] == '0' && strchr("bB", text[1]))
        return digits(text + 2, n - 2, 2, number);
    return digits(text, n, n > 1 && text[0] == '0' ? 8 : 10, number);
}

static bool is_bits(const char *text, size_t n, const char *letters, size_t count) {
    return n == count + 2 && text[0] == '0' && strchr(letters, text[1]);
}

static bool read_number(const char *text, size_t n, struct ptx_operand *out) {
    double value;
    out->number_kind = PTX_INTEGER;
    if (is_bits(text, n, "fF", 8)) {
        out->number_kind = PTX_FLOAT32;
        return digits(text + 2, 8, 16, &out->number);
    }
    if (is_bits(text, n, "dD", 16)) {
        out->number_kind = PTX_FLOAT64;
        return digits(text + 2, 16, 16, &out->number);
    }
    if (whole(text, n, &out->number))
        return true;
    out->number_kind = PTX_FLOAT64;
    if (!(memchr(text, '.', n) || memchr(text, 'e', n) || memchr(text, 'E', n)) ||
        !number_parse_double(text, n, &value))
        return false;
    memcpy(&out->number, &value, sizeof value);
    return true;
}

static void negate(struct ptx_operand *x) {
    if (x->number_kind == PTX_INTEGER)
        x->number = 0 - x->number;
    else
        x->number ^= (uint64_t)1 << (x->number_kind == PTX_FLOAT32 ? 31 : 63);
}

bool ptx_parse_number(struct ptx_parser *parser, struct ptx_operand *out) {
    bool minus = ptx_accept(parser, "-");
    const struct ptx_word *w = &parser->words.word;
    out->kind = PTX_NUMBER;
    if (w->kind != PTX_WORD_NUMERAL || !read_number(w->text, w->n, out))
        return ptx_wrong(parser, 0, "%s%.*s is no number", minus ? "-" : "",
                         w->n > 60 ? 60 : (int)w->n, w->text);
    out->text = ptx_take(parser);
    out->minus = minus;
    if (minus)
        negate(out);
    return true;
}

/* ---- names ---- */

static bool parse_name(struct ptx_parser *parser, bool may_be_label, struct ptx_operand *out) {
    const struct ptx_word w = parser->words.word;
    static const enum ptx_operand_kind kinds[] = {[PTX_NAME_REGISTER] = PTX_REGISTER,
                                                  [PTX_NAME_VARIABLE] = PTX_VARIABLE,
                                                  [PTX_NAME_FUNCTION] = PTX_FUNCTION};
    enum ptx_name_kind kind;
    const char *name;
    if (!ptx_take_name(parser, &name))
        return false;
    if (strcmp(name, "_") == 0) {
        out->kind = PTX_NOTHING;
        return true;
    }
    if (ptx_name_find(parser, name, &kind, &out->index)) {
        out->kind = kinds[kind];
        if (kind == PTX_NAME_VARIABLE && parser->module->variables.data[out->index].is_register)
            return ptx_wrong(parser, w.line, "'%s' is a register of a declaration", name);
        return true;
    }
    out->index = ptx_special_find(w.text, w.n);
    out->kind = PTX_SPECIAL;
    if (out->index != PTX_SPECIALS)
        return true;
    if (name[0] == '%')
        return ptx_wrong(parser, w.line, "register %s is not there", name);
    if (!may_be_label)
        return ptx_wrong(parser, w.line, "'%s' is not declared", name);
    out->kind = PTX_LABEL;
    ptx_label_use(parser, out, name, w.line);
    return true;
}

/* +4, -4, +-4 */
static bool parse_added(struct ptx_parser *parser, struct ptx_operand *out) {
    struct ptx_operand number = {.number = 0};
    if (!ptx_is(parser, "+") && !ptx_is(parser, "-"))
        return true;
    ptx_accept(parser, "+");
    if (!ptx_parse_number(parser, &number))
        return false;
    if (number.number_kind != PTX_INTEGER)
        return ptx_wrong(parser, 0, "what is added to an address is a whole number");
    out->number = number.number;
    out->text = number.text;
    out->minus = number.minus;
    return true;
}

static bool parse_address(struct ptx_parser *parser, struct ptx_operand *out) {
    bool fine;
    if (parser->words.word.kind == PTX_WORD_NUMERAL || ptx_is(parser, "-"))
        fine = ptx_parse_number(parser, out);
    else
        fine = parse_name(parser, false, out) && parse_added(parser, out);
    out->address = true;
    return fine && ptx_expect(parser, "]");
}

static bool parse_vector(struct ptx_parser *parser, struct ptx_operand *out) {
    struct ptx_operand parts[4] = {{.number = 0}};
    uint32_t count = 0;
    do {
        if (count == 4)
            return ptx_wrong(parser, 0, "a vector has at most 4 parts");
        parts[count].second = PTX_NONE;
        if (parser->words.word.kind == PTX_WORD_NUMERAL || ptx_is(parser, "-")
                ? !ptx_parse_number(parser, &parts[count])
                : !parse_name(parser, false, &parts[count]))
            return false;
        count++;
    } while (ptx_accept(parser, ","));
    struct ptx_operand *kept = ARENA_ARRAY(&parser->module->arena, count, struct ptx_operand);
    memcpy(kept, parts, count * sizeof *kept);
    out->kind = PTX_VECTOR;
    out->parts = kept;
    out->part_count = count;
    return ptx_expect(parser, "}");
}

/* d|p */
static bool parse_second(struct ptx_parser *parser, struct ptx_operand *out) {
    struct ptx_operand second = {.second = PTX_NONE};
    if (!ptx_accept(parser, "|"))
        return true;
    if (!parse_name(parser, false, &second))
        return false;
    if (second.kind != PTX_REGISTER && second.kind != PTX_NOTHING)
        return ptx_wrong(parser, 0, "behind | stands a predicate");
    out->second = second.kind == PTX_NOTHING ? PTX_SINK : second.index;
    return true;
}

bool ptx_parse_operand(struct ptx_parser *parser, bool may_be_label, struct ptx_operand *out) {
    *out = (struct ptx_operand){.second = PTX_NONE};
    if (ptx_accept(parser, "{"))
        return parse_vector(parser, out);
    if (ptx_accept(parser, "["))
        return parse_address(parser, out);
    if (ptx_accept(parser, "!")) {
        out->negated = true;
        return parse_name(parser, false, out);
    }
    if (parser->words.word.kind == PTX_WORD_NUMERAL || ptx_is(parser, "-"))
        return ptx_parse_number(parser, out);
    if (!parse_name(parser, may_be_label, out))
        return false;
    return out->kind == PTX_VARIABLE ? parse_added(parser, out) : parse_second(parser, out);
}
