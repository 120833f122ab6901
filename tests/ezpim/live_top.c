/* SPDX-License-Identifier: MIT
 * Statements of `main` over many live variables. */
#include "tests/ezpim/live_parts.h"

static bool same(struct rtype a, struct rtype b) {
    return a.bits == b.bits && a.is_signed == b.is_signed && a.is_float == b.is_float;
}

static void put_body(struct live *live) {
    str_append(live->text, "compute g {\n");
    live_put_block(live, 3 + live_draw(live, 8), false);
    str_append(live->text, "}\n");
}

/* Into a result of the value's type, or of 64 bits for places and counts (all0). */
static void put_reduction(struct live *live) {
    static const char *const kinds[] = {"sum", "max", "min", "xor", "and", "or"};
    unsigned v = live_find_integer(live), r = 0;
    if (v == LIVE_MOST)
        return;
    for (unsigned i = 1; i < live->results; i++)
        if (same(live->result[i], live->type[v]))
            r = i;
    if (r == 0) {
        unsigned kind = live_draw(live, 3);
        str_printf(live->text, "all0 = %s(", kind == 0 ? "argmin" : kind == 1 ? "argmax" : "count");
        live_put_value(live, v);
        str_append(live->text, kind == 2 ? " > 3);\n" : ");\n");
        return;
    }
    str_printf(live->text, "all%u = %s(", r, kinds[live_draw(live, 6)]);
    live_put_value(live, v);
    str_append(live->text, ");\n");
}

/* "v7[i, j" or "a0[i": the element's number, and of an array which register, follow. */
static void begin_side(struct live *live, unsigned v) {
    if (v / LIVE_ARRAY < live->arrays)
        str_printf(live->text, "a%u[", v / LIVE_ARRAY);
    else
        str_printf(live->text, "v%u[", v);
}

static void end_side(struct live *live, unsigned v) {
    if (v / LIVE_ARRAY < live->arrays)
        str_printf(live->text, ", %u", v % LIVE_ARRAY);
    str_append(live->text, "]");
}

static void put_own_side(struct live *live, unsigned v) {
    begin_side(live, v);
    str_append(live->text, live->dims == 2 ? "i, j" : "i");
    end_side(live, v);
}

/* From another element: near ones, mirrored, or where an index says. */
static void put_move(struct live *live) {
    static const char *const outsides[] = {" wrap", " else 0", " clip", ""};
    unsigned to = live_draw(live, live->values), from = live_find(live, live->type[to]),
             what = live_draw(live, 5), index = live_find_integer(live);
    str_append(live->text, "move ");
    put_own_side(live, to);
    str_append(live->text, " = ");
    begin_side(live, from);
    if (what == 0) {
        str_printf(live->text, "%s - 1 - i", live->extent);
    } else if (what == 1 && index != LIVE_MOST) {
        put_own_side(live, index);
    } else {
        unsigned by = live_draw(live, 4);
        str_printf(live->text, "i %c %u", live_draw(live, 2) ? '-' : '+', by);
    }
    str_append(live->text, live->dims == 2 ? live_draw(live, 2) ? ", j + 1" : ", j" : "");
    end_side(live, from);
    bool real = live->type[to].is_float;
    const char *outside = outsides[real || what == 0 ? live_draw(live, 2) * 3 : live_draw(live, 4)];
    str_printf(live->text, "%s;\n", what == 0 && live->dims == 2 ? " wrap" : outside);
}

static void put_scan(struct live *live) {
    unsigned to = live_find_integer(live),
             from = to == LIVE_MOST ? to : live_find(live, live->type[to]);
    if (from == LIVE_MOST || from / LIVE_ARRAY < live->arrays || to / LIVE_ARRAY < live->arrays)
        return;
    str_printf(live->text, "v%u = scan(v%u%s);\n", to, from,
               live_draw(live, 2)   ? ""
               : live_draw(live, 2) ? ", max"
                                    : ", xor, exclusive");
}

/* What is around it runs at most `laps` times. */
static void put_loop(struct live *live, unsigned depth) {
    unsigned k = live->loops++, laps = 2 + live_draw(live, 2), kind = live_draw(live, 4);
    live->trips *= laps;
    if (kind == 0) {
        str_printf(live->text, "repeat (%u) {\n", laps);
    } else if (kind == 1) {
        str_printf(live->text, "for t%u: 0 .. %u {\n", k, laps);
    } else {
        str_append(live->text, "compute g { fuel = 0; }\n");
        str_printf(live->text, "while (any(fuel < %u", laps);
        if (live_draw(live, 2)) {
            str_append(live->text, " && (");
            live_put_condition(live);
            str_append(live->text, ")");
        }
        str_append(live->text, ")) {\ncompute g { fuel = fuel + 1; }\n");
    }
    live_put_top(live, 1 + live_draw(live, 3), depth);
    str_append(live->text, "}\n");
    live->trips /= laps;
}

static void put_question(struct live *live, unsigned depth) {
    str_printf(live->text, "if (%s(", live_draw(live, 2) ? "any" : "all");
    live_put_condition(live);
    str_append(live->text, ")) {\n");
    live_put_top(live, 1 + live_draw(live, 2), depth);
    if (live_draw(live, 2)) {
        str_append(live->text, "} else {\n");
        live_put_top(live, 1 + live_draw(live, 2), depth);
    }
    str_append(live->text, "}\n");
}

/* A loop with `fuel` does not stand in another one. */
void live_put_top(struct live *live, unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count; i++) {
        unsigned what = live_draw(live, 12);
        if (what < 5 || live->work < live->trips * 8)
            put_body(live);
        else if (what < 7)
            put_reduction(live);
        else if (what < 9)
            put_move(live);
        else if (what == 9)
            put_scan(live);
        else if (what == 10 && depth == 0)
            put_loop(live, depth + 1);
        else
            depth < 2 ? put_question(live, depth + 1) : put_body(live);
    }
}
