/* SPDX-License-Identifier: MIT
 * Numbers of a routine's text, worked out for one width, slot and constant. */
#include "machines/slot/library/making.h"

#include "support/bits.h"

#include <string.h>

bool row_is_number(const struct row_making *m, const struct recipe_expr *e) {
    static const char *const functions[] = {"low", "select", "popcount", "log2", "min", "max"};
    const struct row_binding *b;
    switch (e->kind) {
    case EXPR_NUMBER:
    case EXPR_INDEX:
        return true;
    case EXPR_NAME:
        b = row_find_name(m, e->name);
        return !b || b->kind == BOUND_NUMBER;
    case EXPR_CALL:
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            if (!strcmp(functions[i], e->name))
                return true;
        return false;
    default:
        for (unsigned i = 0; i < e->count; i++)
            if (!row_is_number(m, e->args[i]))
                return false;
        return e->kind == EXPR_UNARY || e->kind == EXPR_BINARY;
    }
}

static uint64_t log2_up(uint64_t n) {
    uint64_t bits = 0;
    while (bits < 63 && UINT64_C(1) << bits < n)
        bits++;
    return bits;
}

static uint64_t call_number(struct row_making *m, const struct recipe_expr *e) {
    uint64_t args[3] = {0};
    unsigned wants = !strcmp(e->name, "select")                           ? 3
                     : !strcmp(e->name, "min") || !strcmp(e->name, "max") ? 2
                                                                          : 1;
    if (!row_is_number(m, e)) {
        row_fail(m, e->name_at, "'%s' gives a row where a number must stand", e->name);
        return 0;
    }
    if (e->count != wants) {
        row_fail(m, e->at, "'%s' takes %u operands", e->name, wants);
        return 0;
    }
    if (wants == 3) /* only the one that is asked for: a table's other half may lie outside */
        return row_number_of(m, e->args[row_number_of(m, e->args[0]) ? 1 : 2]);
    for (unsigned i = 0; i < wants; i++)
        args[i] = row_number_of(m, e->args[i]);
    if (!strcmp(e->name, "low"))
        return args[0] < 64 ? low_bits((unsigned)args[0]) : UINT64_MAX;
    if (!strcmp(e->name, "popcount"))
        return (uint64_t)__builtin_popcountll(args[0]);
    if (!strcmp(e->name, "log2"))
        return log2_up(args[0]);
    if (!strcmp(e->name, "min"))
        return args[0] < args[1] ? args[0] : args[1];
    return args[0] > args[1] ? args[0] : args[1];
}

static uint64_t divided(struct row_making *m, const struct recipe_expr *e, uint64_t x, uint64_t y) {
    if (!y)
        row_fail(m, e->at, "a division by zero");
    return !y ? 0 : e->op == '/' ? x / y : x % y;
}

/* Modulo 2^64; comparisons of numbers with a sign, so that a loop may go down to -1. */
static uint64_t binary_number(struct row_making *m, const struct recipe_expr *e) {
    uint64_t x = row_number_of(m, e->args[0]), y = row_number_of(m, e->args[1]);
    switch (e->op) {
    case MARK2('|', '|'):
        return x || y;
    case MARK2('&', '&'):
        return x && y;
    case MARK2('=', '='):
        return x == y;
    case MARK2('!', '='):
        return x != y;
    case '<':
        return (int64_t)x < (int64_t)y;
    case MARK2('<', '='):
        return (int64_t)x <= (int64_t)y;
    case '>':
        return (int64_t)x > (int64_t)y;
    case MARK2('>', '='):
        return (int64_t)x >= (int64_t)y;
    case '|':
        return x | y;
    case '^':
        return x ^ y;
    case '&':
        return x & y;
    case MARK2('<', '<'):
        return y < 64 ? x << y : 0;
    case MARK2('>', '>'):
        return y < 64 ? x >> y : 0;
    case '+':
        return x + y;
    case '-':
        return x - y;
    case '*':
        return x * y;
    default:
        return divided(m, e, x, y);
    }
}

static uint64_t named_number(struct row_making *m, const struct recipe_expr *e) {
    const struct row_binding *b = row_find_name(m, e->name);
    if (b && b->kind == BOUND_NUMBER)
        return b->number;
    if (b)
        row_fail(m, e->at, "'%s' is a %s where a number must stand", e->name,
                 b->kind == BOUND_TABLE ? "table" : "row");
    else
        row_fail(m, e->at, "nothing here is called '%s'", e->name);
    return 0;
}

static uint64_t element(struct row_making *m, const struct recipe_expr *e) {
    const struct row_binding *b = row_find_name(m, e->name);
    uint64_t i = row_number_of(m, e->args[0]);
    if (!b || b->kind != BOUND_TABLE)
        row_fail(m, e->name_at, "nothing here is a table '%s'", e->name);
    else if (i >= b->entry_count)
        row_fail(m, e->at, "table '%s' has %u elements", e->name, (unsigned)b->entry_count);
    return m->failed ? 0 : b->entries[i];
}

uint64_t row_number_of(struct row_making *m, const struct recipe_expr *e) {
    uint64_t x;
    if (m->failed)
        return 0;
    switch (e->kind) {
    case EXPR_NUMBER:
        return (uint64_t)e->number;
    case EXPR_NAME:
        return named_number(m, e);
    case EXPR_INDEX:
        return element(m, e);
    case EXPR_CALL:
        return call_number(m, e);
    case EXPR_UNARY:
        x = row_number_of(m, e->args[0]);
        return e->op == '~' ? ~x : e->op == '-' ? 0 - x : !x;
    case EXPR_BINARY:
        return binary_number(m, e);
    default:
        row_fail(m, e->at, "rows have no places: '@' is for recipes of planes");
        return 0;
    }
}
