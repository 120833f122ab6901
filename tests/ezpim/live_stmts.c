/* SPDX-License-Identifier: MIT
 * Statements of bodies. */
#include "tests/ezpim/live_parts.h"

static const struct rtype u32 = {.bits = 32};

/* The counter is a number, one of each lane, or bounded by what a lane has. */
static void put_counted(struct live *live, unsigned loop, unsigned laps) {
    unsigned to = live_find(live, u32);
    if (live_draw(live, 3) == 0) {
        str_printf(live->text, "for k%u: u32(0) .. (x & %u) {\n", loop, laps - 1);
    } else if (live_draw(live, 4) == 0) {
        str_printf(live->text, "for k%u: %u .. -1 step -1 {\n", loop, laps - 1);
    } else {
        str_printf(live->text, "for k%u: 0 .. %u {\n", loop, laps);
    }
    if (to == LIVE_MOST)
        return;
    live_put_value(live, to);
    str_printf(live->text, " = k%u + x;\n", loop);
}

static void put_while(struct live *live, unsigned loop, unsigned laps) {
    str_printf(live->text, "let c%u: u32 = 0;\n", loop);
    if (live_draw(live, 4) == 0) {
        str_printf(live->text, "do {\nc%u = c%u + 1;\n", loop, loop);
        live_put_block(live, 2 + live_draw(live, 5), true);
        str_printf(live->text, "} while (c%u < (x & %u));\n", loop, laps);
        return;
    }
    str_printf(live->text, "while (c%u < (x & %u)", loop, laps);
    if (live_draw(live, 2)) {
        str_append(live->text, " && (");
        live_put_condition(live);
        str_append(live->text, ")");
    }
    str_printf(live->text, ") {\nc%u = c%u + 1;\n", loop, loop);
    live_put_block(live, 2 + live_draw(live, 5), true);
    str_append(live->text, "}\n");
}

/* What is checked holds. */
static void put_seen(struct live *live) {
    unsigned v = live_draw(live, live->values);
    bool prints = live_draw(live, 2) || live->type[v].is_float;
    str_append(live->text, prints ? "print(" : "assert((");
    live_put_value(live, v);
    str_append(live->text, !prints              ? " | 1) != 0);\n"
                           : live_draw(live, 2) ? ");\n"
                                                : ", \"seen\");\n");
}

/* Lanes leave at the latest when the counter says so. */
static void put_loop(struct live *live) {
    unsigned k = live->loops++, laps = 2 + live_draw(live, 3), trips = live->trips;
    bool counted = live_draw(live, 3) == 0,
         repeats = !counted && live_draw(live, 3) == 0 && live->repeats < 3;
    live->depth++;
    live->trips *= laps;
    if (repeats) {
        live->repeats++;
        str_printf(live->text, "repeat (%u) {\n", laps);
        live_put_block(live, 2 + live_draw(live, 4), true);
        live->repeats--;
    } else if (counted) {
        put_counted(live, k, laps);
        live_put_block(live, 2 + live_draw(live, 4), true);
    } else {
        put_while(live, k, laps);
    }
    if (repeats || counted)
        str_append(live->text, "}\n");
    live->trips = trips;
    live->depth--;
}

static void put_if(struct live *live, bool in_loop) {
    live->depth++;
    str_append(live->text, "if (");
    live_put_condition(live);
    str_append(live->text, ") {\n");
    live_put_block(live, 1 + live_draw(live, 5), in_loop);
    if (in_loop && live_draw(live, 4) == 0)
        str_append(live->text, live_draw(live, 2) ? "break;\n" : "continue;\n");
    if (live_draw(live, 2)) {
        str_append(live->text, "} else {\n");
        live_put_block(live, 1 + live_draw(live, 5), in_loop);
    }
    str_append(live->text, "}\n");
    live->depth--;
}

static void put_statement(struct live *live, bool in_loop) {
    unsigned what = live->depth < LIVE_DEPTH ? live_draw(live, 10) : 9;
    if (what == 0 && live->work > live->trips * 8) {
        put_loop(live);
    } else if (what == 1 || what == 2) {
        put_if(live, in_loop);
    } else if (live->sees && live_draw(live, 12) == 0) {
        put_seen(live);
    } else {
        unsigned v = live_draw(live, live->values);
        live_put_value(live, v);
        str_append(live->text, live_draw(live, 3) ? " = " : " += ");
        live_put_expression(live, live->type[v], 1 + live_draw(live, 3));
        str_append(live->text, ";\n");
    }
    live->work -= live->work < live->trips ? live->work : live->trips;
}

void live_put_block(struct live *live, unsigned count, bool in_loop) {
    put_statement(live, in_loop);
    for (unsigned i = 1; i < count && live->work >= live->trips; i++)
        put_statement(live, in_loop);
}
