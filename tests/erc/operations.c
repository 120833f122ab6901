/* SPDX-License-Identifier: MIT */
#include "tests/erc/operations.h"

#include "support/bits.h"

#include <string.h>

const struct operation operations[] = {
    {"ADD", "abc"},   {"SUB", "abc"},    {"INC", "ac"},     {"DEC", "ac"},     {"INIT0", "c"},
    {"INIT1", "c"},   {"MOV", "ac"},     {"LSHIFT", "ac"},  {"AND", "abc"},    {"OR", "abc"},
    {"NAND", "abc"},  {"NOR", "abc"},    {"XOR", "abc"},    {"XNOR", "abc"},   {"INV", "ac"},
    {"DINV", "a"},    {"MUX", "abc"},    {"CMPEQ", "ab"},   {"CMPLT", "ab"},   {"CMPST", "ab"},
    {"CMPGT", "ab"},  {"GETMASK", "a"},  {"INV_TORUS", ""}, {"MSB_PRED", "a"}, {"RELUv1", "ac"},
    {"MUL8", "abc"},  {"MUL16", "abc"},  {"MUL32", "abc"},  {"MAC8", "abc"},   {"QDIV8", "abc"},
    {"RDIV8", "abc"}, {"QRDIV8", "abc"}, {"POPC8", "ac"},   {"BFLIP8", "ac"},  {"HalfADD", "abc"},
    {"MAX", "abc"},   {"MIN", "abc"},    {"CAS", "ab"},     {"FUZZY", "abc"},
};
const unsigned operation_count = sizeof operations / sizeof *operations;

const char *const relation_names[] = {">", "<", "==", ">=", "<=", "!="};

struct doing {
    unsigned width;
    bool *condition;
};

static uint64_t reverse(uint64_t x, unsigned w) {
    uint64_t r = 0;
    for (unsigned k = 0; k < w; k++)
        r |= (x >> k & 1) << (w - 1 - k);
    return r;
}

static bool named(const char *name, const char *other) {
    return strcmp(name, other) == 0;
}

/* Those with a width in their name. */
static bool run_fixed(const struct doing *l, const char *name, uint64_t *a, uint64_t *b,
                      uint64_t *c) {
    unsigned w = l->width;
    unsigned fixed = strstr(name, "32") ? 32 : strstr(name, "16") ? 16 : strstr(name, "8") ? 8 : 0;
    unsigned n = fixed < w ? fixed : w, h = fixed / 2 < n ? fixed / 2 : n;
    if (!fixed)
        return false;
    uint64_t x = *a & low_bits(n), y = *b & low_bits(n), out = 0;
    uint64_t q = y ? x / y : low_bits(n), r = y ? x % y : x;
    if (named(name, "QRDIV8"))
        *b = r;
    if (name[0] == 'P' || name[0] == 'B')
        c = b; /* two operands: the second is written */
    if (strncmp(name, "MUL", 3) == 0)
        out = (x & low_bits(h)) * (y & low_bits(h));
    else if (named(name, "MAC8"))
        out = *c + (x & low_bits(h)) * (y & low_bits(h));
    else if (named(name, "RDIV8"))
        out = r;
    else if (named(name, "POPC8"))
        out = (uint64_t)__builtin_popcountll(x);
    else if (named(name, "BFLIP8"))
        out = reverse(x, n);
    else
        out = q;
    *c = out & low_bits(n);
    return true;
}

static bool run_condition(const struct doing *l, const char *name, uint64_t *a, uint64_t *b,
                          uint64_t *c) {
    if (named(name, "CMPEQ"))
        *l->condition = *a == *b;
    else if (named(name, "CMPLT") || named(name, "CMPGT"))
        *l->condition = *a > *b;
    else if (named(name, "CMPST"))
        *l->condition = *a < *b;
    else if (named(name, "FUZZY"))
        *l->condition = ((*a ^ *b) & ~*c) == 0;
    else if (named(name, "INV_TORUS"))
        *l->condition = !*l->condition;
    else if (named(name, "MSB_PRED"))
        *l->condition = *a >> (l->width - 1) & 1;
    else
        return false;
    return true;
}

static void run_pair(const char *name, uint64_t *a, uint64_t *b, uint64_t *c) {
    uint64_t x = *a, y = *b;
    if (named(name, "CAS")) {
        *a = x < y ? x : y;
        *b = x < y ? y : x;
    } else if (named(name, "HalfADD")) {
        *c = x & y;
        *b = x ^ y;
    } else if (named(name, "DINV")) {
        *a = ~x;
    }
}

static uint64_t one_source(const struct doing *l, const char *name, uint64_t x) {
    return named(name, "INC")      ? x + 1
           : named(name, "DEC")    ? x - 1
           : named(name, "LSHIFT") ? x << 1
           : named(name, "INV")    ? ~x
           : named(name, "RELUv1") ? (*l->condition ? x : 0)
                                   : x;
}

static uint64_t two_sources(const char *name, uint64_t x, uint64_t y, uint64_t z) {
    return named(name, "ADD")    ? x + y
           : named(name, "SUB")  ? x - y
           : named(name, "AND")  ? x & y
           : named(name, "OR")   ? x | y
           : named(name, "NAND") ? ~(x & y)
           : named(name, "NOR")  ? ~(x | y)
           : named(name, "XOR")  ? x ^ y
           : named(name, "XNOR") ? ~(x ^ y)
           : named(name, "MAX")  ? (x > y ? x : y)
           : named(name, "MIN")  ? (x < y ? x : y)
                                 : (x & z) | (y & ~z);
}

static void run(const struct doing *l, const char *name, const char *operands,
                uint64_t *const operand[3]) {
    uint64_t *a = operand[0], *b = operand[1], *c = operand[2];
    char first = operands[0], second = first ? operands[1] : '\0';
    bool pair = named(name, "CAS") || named(name, "HalfADD") || named(name, "DINV");
    if (run_fixed(l, name, a, second == 'c' ? c : b, c) || run_condition(l, name, a, b, c))
        return;
    if (pair)
        run_pair(name, a, b, c);
    else if (first == 'c')
        *c = named(name, "INIT1");
    else if (second == 'c')
        *c = one_source(l, name, *a);
    else
        *c = two_sources(name, *a, *b, *c);
}

void operation_run(const struct operation *o, unsigned width, bool *condition,
                   uint64_t *const operand[3]) {
    const struct doing d = {width, condition};
    run(&d, o->name, o->operands, operand);
    for (size_t k = 0; o->operands[k]; k++)
        *operand[o->operands[k] - 'a'] &= low_bits(width);
}

bool relation_holds(unsigned relation, uint64_t a, uint64_t b) {
    const bool results[] = {a > b, a < b, a == b, a >= b, a <= b, a != b};
    return results[relation];
}
