/* SPDX-License-Identifier: MIT
 * Whole programs: their declarations, first values and results. */
#include "tests/ezpim/live_gen.h"

#include "tests/ezpim/live_parts.h"

static const struct rtype u32 = {.bits = 32};

static unsigned words(struct rtype type) {
    return (type.bits + 31) / 32;
}

static struct rtype draw_type(struct live *live, unsigned kinds) {
    static const struct rtype integers[] = {{.bits = 32}, {.bits = 32, .is_signed = true},
                                            {.bits = 32}, {.bits = 32, .is_signed = true},
                                            {.bits = 16}, {.bits = 16, .is_signed = true},
                                            {.bits = 8},  {.bits = 8, .is_signed = true},
                                            {.bits = 32}, {.bits = 16}};
    static const struct rtype wide[] = {{.bits = 64}, {.bits = 64, .is_signed = true}};
    static const struct rtype reals[] = {{.bits = 32, .is_float = true},
                                         {.bits = 16, .is_float = true}};
    if (kinds == 0)
        return u32;
    if (kinds == 2 && live_draw(live, 4) == 0)
        return reals[live_draw(live, 2)];
    return live_draw(live, 20) ? integers[live_draw(live, 10)] : wide[live_draw(live, 2)];
}

/* 40 to 100 values that have no more bits than 100 of 32. */
static void draw_values(struct live *live) {
    unsigned kinds = live_draw(live, 3), used = 0, wanted = 40 + live_draw(live, 61);
    live->declared = live_draw(live, 3) > 0;
    live->arrays = live_draw(live, 4) * (live_draw(live, 2) + 1) % (wanted / LIVE_ARRAY);
    live->real = kinds == 2;
    for (unsigned v = 0; v < wanted; v++) {
        bool follows = v / LIVE_ARRAY < live->arrays && v % LIVE_ARRAY;
        struct rtype type = follows ? live->type[v - 1] : draw_type(live, kinds);
        if (used + words(type) > LIVE_MOST && !follows)
            type = (struct rtype){.bits = 8};
        live->type[v] = type;
        used += words(type);
        live->values = v + 1;
    }
    live->divides = live_draw(live, 3) == 0;
    live->sees = live_draw(live, 3) == 0;
    live->results = live->declared ? LIVE_RESULTS : 0;
    live->result[0] = (struct rtype){.bits = 64};
    for (unsigned r = 1; r < live->results; r++) {
        unsigned v = live_find_integer(live);
        live->result[r] = v == LIVE_MOST ? u32 : live->type[v];
    }
}

/* One lane, one VRF less or more by one, several. */
static void put_group(struct live *live) {
    static const unsigned sizes[] = {1, 63, 65, 70, 70, 1003};
    unsigned n = sizes[live_draw(live, 6)];
    live->elements = n;
    live->dims = 1;
    live->extent = "n";
    if (live_draw(live, 4) == 0) {
        live->dims = 2;
        live->elements = 13 * 7;
        live->extent = "13";
        str_append(live->text, "group g[13, 7];\n");
    } else if (live_draw(live, 2)) {
        str_printf(live->text, "size n = %u;\ngroup g[n];\n", n);
    } else {
        str_printf(live->text, "const n = %u;\ngroup g[n];\n", n);
    }
    /* The interpreter's steps are counted. */
    live->work = n == 1003 ? 150 : 500;
}

static const char *direction(struct live *live, bool shared) {
    static const char *const words[] = {"in", "in consumed", "inout"};
    return words[live_draw(live, shared ? 2 : 3)];
}

static void put_inputs(struct live *live) {
    str_printf(live->text, "%s x: u32 @ g;\n", direction(live, false));
    str_printf(live->text, "%s in_a: u32[5] @ g;\n", direction(live, false));
    str_printf(live->text, "%s e: i16 @ g;\n", direction(live, false));
    if (live->real)
        str_printf(live->text, "%s w: f32 @ g;\n", direction(live, false));
    str_printf(live->text, "%s q: u32;\n", direction(live, true));
}

static void put_declared(struct live *live, const char *word, const char *name, unsigned number,
                         struct rtype type) {
    str_printf(live->text, "%s %s%u: ", word, name, number);
    rtype_text(type, live->text);
}

/* u32(x) and the like of the first values. */
static void put_first(struct live *live, unsigned v) {
    struct rtype type = live->type[v];
    rtype_text(type, live->text);
    if (type.is_float && live_draw(live, 2))
        str_printf(live->text, "(w * %u.5 + f32(e))", 1 + v % 7);
    else if (v / LIVE_ARRAY < live->arrays)
        str_printf(live->text, "(in_a[%u] ^ %u)", v % 5, v);
    else
        str_printf(live->text, "(x * %u + (q ^ %u))", v + 1, v * 77);
}

static void put_declarations(struct live *live) {
    static const char *const words[] = {"var", "out"};
    bool all = live_draw(live, 2);
    for (unsigned v = 0; v < live->values; v++) {
        bool array = v / LIVE_ARRAY < live->arrays;
        const char *word = all ? words[1] : words[live_draw(live, 8) == 0];
        if (array && v % LIVE_ARRAY)
            continue;
        put_declared(live, word, array ? "a" : "v", array ? v / LIVE_ARRAY : v, live->type[v]);
        if (array)
            str_printf(live->text, "[%d]", LIVE_ARRAY);
        str_append(live->text, " @ g;\n");
    }
    for (unsigned r = 0; r < live->results; r++) {
        put_declared(live, "out", "all", r, live->result[r]);
        str_append(live->text, ";\n");
    }
}

static void put_lets(struct live *live) {
    for (unsigned v = 0; v < live->values; v++) {
        bool array = v / LIVE_ARRAY < live->arrays;
        if (array && v % LIVE_ARRAY)
            continue;
        put_declared(live, "let", array ? "a" : "v", array ? v / LIVE_ARRAY : v, live->type[v]);
        if (array) {
            str_printf(live->text, "[%d];\n", LIVE_ARRAY);
        } else {
            str_append(live->text, " = ");
            put_first(live, v);
            str_append(live->text, ";\n");
        }
    }
}

static void put_first_values(struct live *live) {
    for (unsigned v = 0; v < live->values; v++) {
        if (v / LIVE_ARRAY >= live->arrays && !live->declared)
            continue;
        live_put_value(live, v);
        str_append(live->text, " = ");
        put_first(live, v);
        str_append(live->text, ";\n");
    }
}

/* All of them are read in the end. */
static void put_results(struct live *live) {
    str_append(live->text, "y = 1;\n");
    for (unsigned v = 0; v < live->values; v++) {
        str_append(live->text, v / LIVE_ARRAY < live->arrays ? "y = (y << 1 | y >> 31) ^ u32("
                                                             : "y = (y << 1 | y >> 31) + u32(");
        live_put_value(live, v);
        str_append(live->text, ");\n");
    }
    for (unsigned i = 0; i < 4; i++) {
        str_printf(live->text, "z[%u] = ", i);
        live_put_term(live, u32);
        str_append(live->text, ";\n");
    }
}

/* Elements are chosen last: what has a length stays as it is. */
static void put_chosen(struct live *live) {
    if (!live->chooses)
        return;
    str_append(live->text, "compact chosen = y where ");
    live_put_condition(live);
    str_append(live->text, ";\nchosen_sum = sum(chosen);\n");
}

void live_random(uint64_t seed, struct str *text) {
    struct live l = {.rng = {seed * 0x9e3779b97f4a7c15u + 1}, .text = text, .trips = 1};
    str_clear(text);
    draw_values(&l);
    put_group(&l);
    put_inputs(&l);
    str_append(text, "out y: u32 @ g;\nout z: u32[4] @ g;\nout s, m: u32;\n"
                     "var fuel: u8 @ g;\n");
    l.chooses = l.declared && l.dims == 1 && live_draw(&l, 2);
    if (l.chooses)
        str_append(text, "out chosen: u32 @ g;\nout chosen_sum: u32;\n");
    if (l.declared)
        put_declarations(&l);
    str_append(text, "main {\n");
    for (unsigned r = 0; r < l.results; r++)
        str_printf(text, "all%u = 0;\n", r);
    str_append(text, "compute g {\n");
    if (!l.declared)
        put_lets(&l);
    put_first_values(&l);
    if (!l.declared)
        live_put_block(&l, 6 + live_draw(&l, 12), false);
    if (l.declared) {
        str_append(text, "}\n");
        live_put_top(&l, 2 + live_draw(&l, 6), 0);
        str_append(text, "compute g {\n");
    }
    put_results(&l);
    str_append(text, "}\ns = sum(y);\nm = max(z[1]);\n");
    put_chosen(&l);
    str_append(text, "}\n");
}
