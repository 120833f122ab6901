/* SPDX-License-Identifier: MIT */
#include "tests/ezpim/live_gen.h"

#include "tests/ezpim/expr.h"

/* What is drawn of one program. */
struct live {
    struct rng rng;
    struct str *text;
    unsigned values, arrays, loops; /* loops that were opened, for names */
    unsigned depth, repeats;
    bool declared; /* values are variables of the program, not of one body */
    bool divides;
};

enum { ARRAY = 7, MOST_DEPTH = 3 };

static unsigned draw(struct live *live, unsigned below) {
    return (unsigned)rng_below(&live->rng, below);
}

/* A value that can be written and read: a single one, or an element of an array. */
static void put_value(struct live *live) {
    unsigned i = draw(live, live->values);
    if (i / ARRAY < live->arrays)
        str_printf(live->text, "a%u[%u]", i / ARRAY, i % ARRAY);
    else
        str_printf(live->text, "v%u", i);
}

static void put_term(struct live *live) {
    switch (draw(live, 6)) {
    case 0:
        str_printf(live->text, "(x & %u)", draw(live, 1000));
        break;
    case 1:
        str_append(live->text, draw(live, 2) ? "x" : "q");
        break;
    default:
        put_value(live);
    }
}

static void put_expression(struct live *live, unsigned depth) {
    static const char *const operators[] = {"+", "-", "^", "&", "|", "*"};
    unsigned what = draw(live, 12);
    if (depth == 0 || what == 0) {
        put_term(live);
    } else if (what == 1) {
        str_append(live->text, "(");
        put_expression(live, depth - 1);
        str_printf(live->text, " %s %u)", draw(live, 2) ? ">>" : "<<", 1 + draw(live, 20));
    } else if (what == 2) {
        str_append(live->text, draw(live, 2) ? "max(" : "min(");
        put_expression(live, depth - 1);
        str_append(live->text, ", ");
        put_term(live);
        str_append(live->text, ")");
    } else if (what == 3) {
        str_append(live->text, "select(");
        put_term(live);
        str_append(live->text, " < ");
        put_term(live);
        str_append(live->text, ", ");
        put_value(live);
        str_append(live->text, ", ");
        put_expression(live, depth - 1);
        str_append(live->text, ")");
    } else if (what == 4 && live->divides) {
        str_append(live->text, "(");
        put_term(live);
        str_printf(live->text, " %s (", draw(live, 2) ? "/" : "%");
        put_term(live);
        str_append(live->text, " | 1))");
    } else {
        str_append(live->text, "(");
        put_expression(live, depth - 1);
        str_printf(live->text, " %s ", operators[draw(live, 6)]);
        put_expression(live, depth - 1);
        str_append(live->text, ")");
    }
}

static void put_condition(struct live *live) {
    static const char *const comparisons[] = {"<", ">", "==", "!=", "<=", ">="};
    put_value(live);
    if (draw(live, 2)) {
        str_printf(live->text, " & %u %s %u", 1 + draw(live, 7),
                   draw(live, 2) ? "==" : "!=", draw(live, 3));
        return;
    }
    str_printf(live->text, " %s ", comparisons[draw(live, 6)]);
    put_term(live);
    if (draw(live, 4) == 0) {
        str_printf(live->text, " %s ", draw(live, 2) ? "&&" : "||");
        put_value(live);
        str_append(live->text, " > q");
    }
}

static void put_block(struct live *live, unsigned count, bool in_loop);

/* Lanes leave at the latest when the counter says so. */
static void put_loop(struct live *live) {
    unsigned k = live->loops++, laps = 2 + draw(live, 3);
    bool counted = draw(live, 3) == 0,
         repeats = !counted && draw(live, 3) == 0 && live->repeats < 3;
    live->depth++;
    if (repeats) {
        live->repeats++;
        str_printf(live->text, "repeat (%u) {\n", laps);
        put_block(live, 2 + draw(live, 4), true);
        live->repeats--;
    } else if (counted) {
        str_printf(live->text, "for k%u: 0 .. %u {\n", k, laps);
        put_value(live);
        str_printf(live->text, " = k%u + x;\n", k);
        put_block(live, 2 + draw(live, 4), true);
    } else {
        str_printf(live->text, "let c%u: u32 = 0;\nwhile (c%u < (x & %u)", k, k, laps);
        if (draw(live, 2)) {
            str_append(live->text, " && (");
            put_condition(live);
            str_append(live->text, ")");
        }
        str_printf(live->text, ") {\nc%u = c%u + 1;\n", k, k);
        put_block(live, 2 + draw(live, 5), true);
    }
    str_append(live->text, "}\n");
    live->depth--;
}

static void put_if(struct live *live, bool in_loop) {
    live->depth++;
    str_append(live->text, "if (");
    put_condition(live);
    str_append(live->text, ") {\n");
    put_block(live, 1 + draw(live, 5), in_loop);
    if (in_loop && draw(live, 4) == 0)
        str_append(live->text, draw(live, 2) ? "break;\n" : "continue;\n");
    if (draw(live, 2)) {
        str_append(live->text, "} else {\n");
        put_block(live, 1 + draw(live, 5), in_loop);
    }
    str_append(live->text, "}\n");
    live->depth--;
}

static void put_statement(struct live *live, bool in_loop) {
    unsigned what = live->depth < MOST_DEPTH ? draw(live, 10) : 9;
    if (what == 0) {
        put_loop(live);
    } else if (what < 3) {
        put_if(live, in_loop);
    } else {
        put_value(live);
        str_append(live->text, draw(live, 3) ? " = " : " += ");
        put_expression(live, 1 + draw(live, 3));
        str_append(live->text, ";\n");
    }
}

static void put_block(struct live *live, unsigned count, bool in_loop) {
    for (unsigned i = 0; i < count; i++)
        put_statement(live, in_loop);
}

static void put_declarations(struct live *live, const char *word, const char *where) {
    for (unsigned a = 0; a < live->arrays; a++)
        str_printf(live->text, "%s a%u: u32[%d]%s;\n", word, a, ARRAY, where);
    for (unsigned v = live->arrays * ARRAY; v < live->values; v++)
        if (live->declared)
            str_printf(live->text, "%s v%u: %s%s;\n", word, v, v % 5 ? "u32" : "u32", where);
        else
            str_printf(live->text, "let v%u: u32 = x * %u + (q ^ %u);\n", v, v + 1, v * 77);
}

static void put_first_values(struct live *live) {
    for (unsigned i = 0; i < live->arrays * ARRAY; i++)
        str_printf(live->text, "a%u[%u] = in_a[%u] ^ %u;\n", i / ARRAY, i % ARRAY, i % 5, i);
    for (unsigned v = live->arrays * ARRAY; live->declared && v < live->values; v++)
        str_printf(live->text, "v%u = x * %u + (q ^ %u);\n", v, v + 1, v * 77);
}

/* All of them are read in the end. */
static void put_results(struct live *live) {
    str_append(live->text, "y = 1;\n");
    for (unsigned i = 0; i < live->values; i++)
        if (i / ARRAY < live->arrays)
            str_printf(live->text, "y = (y << 1 | y >> 31) ^ a%u[%u];\n", i / ARRAY, i % ARRAY);
        else
            str_printf(live->text, "y = (y << 1 | y >> 31) + v%u;\n", i);
    for (unsigned i = 0; i < 4; i++) {
        str_printf(live->text, "z[%u] = ", i);
        put_value(live);
        str_append(live->text, ";\n");
    }
}

void live_random(uint64_t seed, struct str *text) {
    struct live l = {.rng = {seed * 0x9e3779b97f4a7c15u + 1}, .text = text};
    l.values = 40 + draw(&l, 61);
    l.declared = draw(&l, 2);
    l.arrays = draw(&l, 4) * (draw(&l, 2) + 1) % (l.values / ARRAY);
    l.divides = draw(&l, 3) == 0;
    str_clear(text);
    str_append(
        text,
        "group g[70];\nin consumed x: u32 @ g;\nin consumed in_a: u32[5] @ g;\nin consumed q: u32;\n"
        "out y: u32 @ g;\nout z: u32[4] @ g;\nout s, m: u32;\n");
    if (l.declared)
        put_declarations(&l, draw(&l, 2) ? "var" : "out", " @ g");
    str_append(text, "main {\ncompute g {\n");
    if (!l.declared)
        put_declarations(&l, "let", "");
    put_first_values(&l);
    for (unsigned bodies = l.declared ? 1 + draw(&l, 3) : 1; bodies; bodies--) {
        put_block(&l, 6 + draw(&l, 12), false);
        if (bodies > 1) {
            str_append(text, "}\n");
            str_append(text, draw(&l, 2) ? "s = sum(" : "m = max(");
            put_value(&l);
            str_append(text, ");\n");
            str_append(text, "compute g {\n");
        }
    }
    put_results(&l);
    str_append(text, "}\ns = sum(y);\nm = max(z[1]);\n}\n");
}
