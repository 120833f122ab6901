/* SPDX-License-Identifier: MIT
 * Expressions of the assembler: C's operators on 64 bits, `.`, labels. */
#include "machines/core/dpu/assembly.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

void dpu_as_blanks(struct dpu_assembly *a) {
    while (a->at < a->end && (*a->at == ' ' || *a->at == '\t'))
        a->at++;
}
static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}
size_t dpu_as_name(const struct dpu_assembly *a) {
    size_t n = 0;
    if (a->at < a->end && isdigit((unsigned char)*a->at))
        return 0;
    while (a->at + n < a->end && in_name(a->at[n]))
        n++;
    return n;
}
struct dpu_as_symbol *dpu_as_symbol(struct dpu_assembly *a, const char *name, size_t length) {
    uint32_t number = map_number(&a->names, name, length);
    if (number == a->symbols.len)
        vec_push(&a->symbols,
                 ((struct dpu_as_symbol){.name = a->names.entries[number].key, .section = -1}));
    return &a->symbols.data[number];
}

bool dpu_as_known(const struct dpu_assembly *a, const char *name, size_t length) {
    const uint64_t *number = map_get_n(&a->names, name, length);
    return number && a->symbols.data[*number].reading == 1 + a->second;
}

struct dpu_as_symbol *dpu_as_numeric(struct dpu_assembly *a, const char *digits, size_t length,
                                     uint64_t again) {
    const uint64_t *count = map_get_n(&a->numeric, digits, length);
    struct str name = {0}; /* no text has such a name */
    str_printf(&name, ".L%.*s\002%" PRIu64, (int)length, digits, (count ? *count : 0) + again);
    struct dpu_as_symbol *s = dpu_as_symbol(a, name.text, name.len);
    str_free(&name);
    return s;
}

static bool expression(struct dpu_assembly *a, int least, unsigned depth, struct dpu_as_value *out);
#define MOST_DEPTH 100u

/* The address of a place in a section: known from the second reading on. */
static struct dpu_as_value place(const struct dpu_assembly *a, int32_t section, int64_t offset) {
    if (section < 0)
        return (struct dpu_as_value){offset, -1, true};
    if (!a->second)
        return (struct dpu_as_value){offset, section, true};
    return (struct dpu_as_value){offset + (int64_t)a->sections.data[section].base, -1, true};
}

static bool take_symbol(struct dpu_assembly *a, const struct dpu_as_symbol *s, const char *name,
                        struct dpu_as_value *out) {
    if (s->defined) {
        *out = place(a, s->section, s->value);
        return true;
    }
    *out = (struct dpu_as_value){0, -1, false};
    return !a->second ||
           dpu_as_wrong(a, name, a->at, "'%.*s' is not defined", (int)(a->at - name), name);
}
static bool read_number(struct dpu_assembly *a, struct dpu_as_value *out) {
    const char *begin = a->at;
    uint64_t value;
    while (a->at < a->end && isdigit((unsigned char)*a->at))
        a->at++;
    const size_t digits = (size_t)(a->at - begin);
    while (a->at < a->end && in_name(*a->at))
        a->at++;
    if (begin + digits + 1 == a->at && (a->at[-1] == 'b' || a->at[-1] == 'f'))
        return take_symbol(a, dpu_as_numeric(a, begin, digits, a->at[-1] == 'f'), begin, out);
    if (!number_parse_u64(begin, (size_t)(a->at - begin), &value))
        return dpu_as_wrong(a, begin, a->at, "'%.*s' is no number", (int)(a->at - begin), begin);
    *out = (struct dpu_as_value){(int64_t)value, -1, true};
    return true;
}
static bool read_symbol(struct dpu_assembly *a, size_t length, struct dpu_as_value *out) {
    const char *name = a->at;
    a->at += length;
    if (length == 1 && *name == '.') {
        *out = place(a, (int32_t)a->section, (int64_t)dpu_as_here(a)->at);
        return true;
    }
    return take_symbol(a, dpu_as_symbol(a, name, length), name, out);
}
static bool read_character(struct dpu_assembly *a, struct dpu_as_value *out) {
    const char *begin = a->at++;
    char c = a->at < a->end ? *a->at++ : '\'';
    if (c == '\\' && !dpu_as_escape(a, &c))
        return false;
    if (a->at >= a->end || *a->at != '\'')
        return dpu_as_wrong(a, begin, begin + 1, "a character stands as 'c'");
    *out = (struct dpu_as_value){(unsigned char)c, -1, true};
    a->at++;
    return true;
}
static bool read_primary(struct dpu_assembly *a, unsigned depth, struct dpu_as_value *out) {
    dpu_as_blanks(a);
    if (depth > MOST_DEPTH)
        return dpu_as_wrong(a, a->at, a->at, "the expression is nested too deeply");
    const char *begin = a->at;
    char c = a->at < a->end ? *a->at : '\0';
    size_t length = dpu_as_name(a);
    if (length)
        return read_symbol(a, length, out);
    if (isdigit((unsigned char)c))
        return read_number(a, out);
    if (c == '\'')
        return read_character(a, out);
    if (c == '(') {
        a->at++;
        if (!expression(a, 0, depth + 1, out))
            return false;
        dpu_as_blanks(a);
        if (a->at == a->end || *a->at != ')')
            return dpu_as_wrong(a, begin, begin + 1, "this parenthesis has no end");
        a->at++;
        return true;
    }
    if (c != '-' && c != '~' && c != '+')
        return dpu_as_wrong(a, begin, begin + (c != 0), "a number or a name is expected here");
    a->at++;
    if (!read_primary(a, depth + 1, out))
        return false;
    if (c != '+' && out->section >= 0)
        *out = (struct dpu_as_value){0, -1, false};
    if (c == '-')
        out->value = (int64_t) - (uint64_t)out->value;
    if (c == '~')
        out->value = ~out->value;
    return true;
}

/* Those of two characters stand in front of those of one. */
enum operator{
    NO_OPERATOR,
    BOTH,
    EITHER,
    EQUAL,
    UNEQUAL,
    AT_MOST,
    AT_LEAST,
    LEFT,
    RIGHT,
    BELOW,
    ABOVE,
    OR,
    XOR,
    AND,
    PLUS,
    MINUS,
    TIMES,
    OVER,
    REST
};
/* Strengths are C's. */
static const struct {
    char text[3];
    uint8_t strength;
} operators[] = {
    [EITHER] = {"||", 1},   [BOTH] = {"&&", 2},  [OR] = {"|", 3},       [XOR] = {"^", 4},
    [AND] = {"&", 5},       [EQUAL] = {"==", 6}, [UNEQUAL] = {"!=", 6}, [AT_MOST] = {"<=", 7},
    [AT_LEAST] = {">=", 7}, [BELOW] = {"<", 7},  [ABOVE] = {">", 7},    [LEFT] = {"<<", 8},
    [RIGHT] = {">>", 8},    [PLUS] = {"+", 9},   [MINUS] = {"-", 9},    [TIMES] = {"*", 10},
    [OVER] = {"/", 10},     [REST] = {"%", 10}};

static enum operator operator_at(struct dpu_assembly *a) {
    dpu_as_blanks(a);
    for (enum operator o = BOTH; o <= REST; o++) {
        size_t n = strlen(operators[o].text);
        if ((size_t)(a->end - a->at) >= n && memcmp(a->at, operators[o].text, n) == 0)
            return o;
    }
    return NO_OPERATOR;
}
/* Without what traps: shifts by 64 and more give 0 (-1 of a negative number shifted right). */
static bool apply(enum operator o, int64_t x, int64_t y, int64_t *out) {
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    switch (o) {
    case BOTH:
        *out = x && y;
        break;
    case EITHER:
        *out = x || y;
        break;
    case EQUAL:
        *out = x == y;
        break;
    case UNEQUAL:
        *out = x != y;
        break;
    case AT_MOST:
        *out = x <= y;
        break;
    case AT_LEAST:
        *out = x >= y;
        break;
    case BELOW:
        *out = x < y;
        break;
    case ABOVE:
        *out = x > y;
        break;
    case OR:
        *out = (int64_t)(a | b);
        break;
    case XOR:
        *out = (int64_t)(a ^ b);
        break;
    case AND:
        *out = (int64_t)(a & b);
        break;
    case LEFT:
        *out = b < 64 ? (int64_t)(a << b) : 0;
        break;
    case RIGHT:
        *out = x >> (b < 63 ? b : 63);
        break;
    case PLUS:
        *out = (int64_t)(a + b);
        break;
    case MINUS:
        *out = (int64_t)(a - b);
        break;
    case TIMES:
        *out = (int64_t)(a * b);
        break;
    default:
        if (y == 0)
            return false;
        if (y == -1)
            *out = o == OVER ? (int64_t)-a : 0;
        else
            *out = o == OVER ? x / y : x % y;
    }
    return true;
}
/* Addresses add to numbers, and differ by numbers; other sums wait for the second reading. */
static bool combine(struct dpu_assembly *a, enum operator o, const char *at,
                    const struct dpu_as_value *y, struct dpu_as_value *x) {
    int32_t section = x->section;
    bool known = x->known && y->known;
    if (y->section >= 0 && o == MINUS && x->section == y->section)
        section = -1;
    else if (y->section >= 0 && o == PLUS && x->section < 0)
        section = y->section;
    else if (y->section >= 0 || (x->section >= 0 && o != PLUS && o != MINUS))
        known = false;
    if (!known) {
        *x = (struct dpu_as_value){0, -1, false};
        return true;
    }
    x->section = section;
    return apply(o, x->value, y->value, &x->value) ||
           dpu_as_wrong(a, at, at + 1, "division by zero");
}
static bool expression(struct dpu_assembly *a, int least, unsigned depth,
                       struct dpu_as_value *out) {
    if (!read_primary(a, depth, out))
        return false;
    for (;;) {
        enum operator o = operator_at(a);
        const char *at = a->at;
        struct dpu_as_value y;
        if (o == NO_OPERATOR || operators[o].strength <= least)
            return true;
        a->at += strlen(operators[o].text);
        if (!expression(a, operators[o].strength, depth + 1, &y) || !combine(a, o, at, &y, out))
            return false;
    }
}
bool dpu_as_expression(struct dpu_assembly *a, struct dpu_as_value *out) {
    return expression(a, 0, 0, out);
}
bool dpu_as_constant(struct dpu_assembly *a, int64_t *out) {
    dpu_as_blanks(a);
    const char *begin = a->at;
    struct dpu_as_value v;
    if (!dpu_as_expression(a, &v))
        return false;
    if (!v.known || v.section >= 0)
        return dpu_as_wrong(a, begin, a->at, "this number has to be known here already");
    *out = v.value;
    return true;
}
