/* SPDX-License-Identifier: MIT
 * Expressions over many values of several types. */
#include "tests/ezpim/live_parts.h"

static const struct rtype u32 = {.bits = 32};

unsigned live_draw(struct live *live, unsigned below) {
    return (unsigned)rng_below(&live->rng, below);
}

static bool same(struct rtype a, struct rtype b) {
    return a.bits == b.bits && a.is_signed == b.is_signed && a.is_float == b.is_float;
}

void live_put_value(struct live *live, unsigned value) {
    if (value / LIVE_ARRAY < live->arrays)
        str_printf(live->text, "a%u[%u]", value / LIVE_ARRAY, value % LIVE_ARRAY);
    else
        str_printf(live->text, "v%u", value);
}

unsigned live_find(struct live *live, struct rtype type) {
    unsigned start = live_draw(live, live->values);
    for (unsigned i = 0; i < live->values; i++) {
        unsigned v = (start + i) % live->values;
        if (same(live->type[v], type))
            return v;
    }
    return LIVE_MOST;
}

unsigned live_find_integer(struct live *live) {
    unsigned start = live_draw(live, live->values);
    for (unsigned i = 0; i < live->values; i++)
        if (!live->type[(start + i) % live->values].is_float)
            return (start + i) % live->values;
    return LIVE_MOST;
}

/* Numbers, sizes and what all lanes have: of u32. */
static void put_plain_term(struct live *live) {
    unsigned what = live_draw(live, 8);
    if (what == 0 && live->results) {
        str_printf(live->text, "u32(all%u)", live_draw(live, live->results));
    } else if (what == 1) {
        str_append(live->text, live_draw(live, 2) ? "u32(index())" : "u32(e)");
    } else if (what == 2 && live->real) {
        str_append(live->text, "u32(w)");
    } else if (what < 5) {
        str_printf(live->text, "(x & %u)", live_draw(live, 1000));
    } else {
        str_append(live->text, what == 5 ? "q" : "x");
    }
}

void live_put_term(struct live *live, struct rtype type) {
    unsigned v = live_draw(live, 5) ? live_find(live, type) : LIVE_MOST;
    if (v != LIVE_MOST) {
        live_put_value(live, v);
        return;
    }
    if (same(type, u32)) {
        put_plain_term(live);
        return;
    }
    rtype_text(type, live->text);
    if (type.is_float && live_draw(live, 3) == 0) {
        str_printf(live->text, "(%u.%s)", live_draw(live, 9), live_draw(live, 2) ? "5" : "25");
        return;
    }
    str_append(live->text, "(");
    if (live_draw(live, 2))
        put_plain_term(live);
    else
        live_put_value(live, live_draw(live, live->values));
    str_append(live->text, ")");
}

static void put_select(struct live *live, struct rtype type, unsigned depth) {
    struct rtype at = live->type[live_draw(live, live->values)];
    bool asks = live_draw(live, 2);
    str_append(live->text, asks ? "(" : "select(");
    live_put_term(live, at);
    str_append(live->text, " < ");
    live_put_term(live, at);
    str_append(live->text, asks ? " ? " : ", ");
    live_put_term(live, type);
    str_append(live->text, asks ? " : " : ", ");
    live_put_expression(live, type, depth);
    str_append(live->text, ")");
}

/* first word, expression, second word, term, ")". */
static void put_call(struct live *live, struct rtype type, unsigned depth, const char *first,
                     const char *second) {
    str_append(live->text, first);
    live_put_expression(live, type, depth);
    str_append(live->text, second);
    live_put_term(live, type);
    str_append(live->text, ")");
}

/* Of 64 bits pypim has no room beside the columns that a division takes. */
static void put_quotient(struct live *live, struct rtype type) {
    str_append(live->text, "(");
    live_put_term(live, type);
    if (type.is_float) {
        str_append(live->text, " / ");
        live_put_term(live, type);
        str_append(live->text, ")");
        return;
    }
    str_printf(live->text, " %s (", live_draw(live, 2) ? "/" : "%");
    live_put_term(live, type);
    str_append(live->text, " | 1))");
}

void live_put_expression(struct live *live, struct rtype type, unsigned depth) {
    static const char *const operators[] = {"+", "-", "*", "^", "&", "|"};
    unsigned what = live_draw(live, 13);
    if (depth == 0 || what == 0) {
        live_put_term(live, type);
    } else if (what == 1 && !type.is_float) {
        str_append(live->text, "(");
        live_put_expression(live, type, depth - 1);
        str_printf(live->text, " %s %u)", live_draw(live, 2) ? ">>" : "<<",
                   1 + live_draw(live, type.bits - 1));
    } else if (what == 2) {
        put_call(live, type, depth - 1, live_draw(live, 2) ? "max(" : "min(", ", ");
    } else if (what == 3) {
        put_select(live, type, depth - 1);
    } else if (what == 4 && live->divides && type.bits <= 32) {
        put_quotient(live, type);
    } else if (what == 5) {
        rtype_text(type, live->text);
        str_append(live->text, "(");
        live_put_term(live, live->type[live_draw(live, live->values)]);
        str_append(live->text, ")");
    } else {
        str_append(live->text, "(");
        live_put_expression(live, type, depth - 1);
        str_printf(live->text, " %s ", operators[live_draw(live, type.is_float ? 3 : 6)]);
        live_put_expression(live, type, depth - 1);
        str_append(live->text, ")");
    }
}

void live_put_condition(struct live *live) {
    static const char *const comparisons[] = {"<", ">", "==", "!=", "<=", ">="};
    unsigned v = live_draw(live, live->values);
    live_put_value(live, v);
    if (live_draw(live, 2) && !live->type[v].is_float) {
        str_printf(live->text, " & %u %s %u", 1 + live_draw(live, 7),
                   live_draw(live, 2) ? "==" : "!=", live_draw(live, 3));
        return;
    }
    str_printf(live->text, " %s ", comparisons[live_draw(live, 6)]);
    live_put_term(live, live->type[v]);
    if (live_draw(live, 4) == 0) {
        str_printf(live->text, " %s ", live_draw(live, 2) ? "&&" : "||");
        live_put_term(live, u32);
        str_append(live->text, " > q");
    }
}
