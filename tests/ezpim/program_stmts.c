/* SPDX-License-Identifier: MIT
 * Statements of a lane. */
#include "tests/ezpim/program_parts.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 4, MOST_TRIPS = 60, MOST_CODE = 120, EXPR_DEPTH = 3 };

static const struct rtype bool_type = {.is_bool = true, .bits = 1};
static const struct gen_var fixed = {0};

/* Which variables are known: at most those that the context may have. */
struct knowledge {
    unsigned count;
    bool known[R_MAX_VARS];
};

static void remember(const struct gen *g, struct knowledge *k) {
    k->count = g->c.var_count;
    for (unsigned i = 0; i < k->count; i++)
        k->known[i] = g->c.vars[i].known;
}

/* Back to what was known then; later names are out of scope. */
static void recall(struct gen *g, const struct knowledge *k) {
    g->c.var_count = k->count;
    for (unsigned i = 0; i < k->count; i++)
        g->c.vars[i].known = k->known[i];
}

static void spend(struct gen *g, unsigned cost) {
    g->cost += cost * g->trips;
    g->code++;
}

static bool has_room(const struct gen *g) {
    return g->cost < g->work && g->code < MOST_CODE && g->c.var_count + 12 < R_MAX_VARS;
}

static void write_expr(struct gen *g, struct rtype t) {
    gen_expr(g, t, gen_below(g, g->trips > 4 ? EXPR_DEPTH - 1 : EXPR_DEPTH + 1));
}

/* let name: T = e;  or, without a value, let name: T; */
void gen_let(struct gen *g, struct rtype t, bool with_value, unsigned *var) {
    char name[16], type[8];
    gen_name(g, 't', name);
    gen_begin(g);
    gen_add(g, "let %s: %s", name, gen_type_name(t, type));
    if (with_value) {
        gen_add(g, " = ");
        write_expr(g, t);
    }
    gen_add(g, ";\n");
    spend(g, 1);
    *var = gen_declare(g, name, t, with_value, (struct gen_var){.writable = true});
}

/* let name: T[k] = {e, ..}; */
static void gen_list(struct gen *g, const char *name, struct rtype t, unsigned size) {
    char type[8];
    gen_begin(g);
    gen_add(g, "let %s: %s[%u] = {", name, gen_type_name(t, type), size);
    for (unsigned i = 0; i < size; i++) {
        gen_add(g, i ? ", " : "");
        write_expr(g, t);
    }
    gen_add(g, "};\n");
    spend(g, size);
}

/* let name: T[k]; and values for its elements. */
unsigned gen_let_array(struct gen *g, struct rtype t, unsigned size, bool some) {
    char name[16], type[8], element[32];
    struct gen_var more = {.writable = true, .array = ++g->arrays, .size = size};
    unsigned first = g->c.var_count;
    gen_name(g, 'a', name);
    bool listed = !some && gen_chance(g, 2);
    if (listed)
        gen_list(g, name, t, size);
    else
        gen_line(g, "let %s: %s[%u];", name, gen_type_name(t, type), size);
    for (unsigned i = 0; i < size; i++) {
        snprintf(element, sizeof element, "%s[%u]", name, i);
        gen_declare(g, element, t, listed, more);
    }
    for (unsigned i = 0; i < size && !listed; i++) {
        if (some && gen_chance(g, 4))
            continue;
        gen_begin(g);
        gen_add(g, "%s = ", g->c.vars[first + i].name);
        write_expr(g, t);
        gen_add(g, ";\n");
        spend(g, 1);
        gen_written(g, first + i);
    }
    return first;
}

/* x op y into z as an instruction, now and then at fewer bits: the others of z stay. */
static void gen_insn(struct gen *g) {
    static const char *const words[] = {"ADD", "SUB", "AND", "OR", "XOR"};
    unsigned z = gen_find(g, NULL, true), x, y;
    if (z == R_MAX_VARS || g->c.vars[z].type.is_bool)
        return;
    struct rtype t = g->c.vars[z].type;
    x = gen_find(g, &t, true);
    y = gen_find(g, &t, true);
    gen_begin(g);
    if (gen_chance(g, 3))
        gen_add(g, "%s.%u %s %s %s;\n", words[gen_below(g, 5)], 1 + gen_below(g, t.bits),
                g->c.vars[x].name, g->c.vars[y].name, g->c.vars[z].name);
    else
        gen_add(g, "%s %s %s %s;\n", words[gen_below(g, 5)], g->c.vars[x].name, g->c.vars[y].name,
                g->c.vars[z].name);
    spend(g, 1);
}

/* A variable that is no element of an array, or R_MAX_VARS. */
static unsigned find_scalar(struct gen *g, const struct rtype *t, bool known) {
    for (unsigned i = 0; i < 6; i++) {
        unsigned v = gen_find(g, t, known);
        if (v != R_MAX_VARS && !strchr(g->c.vars[v].name, '[') && !g->c.vars[v].type.is_bool)
            return v;
    }
    return R_MAX_VARS;
}

/* asm in(x) out(z) { ... }: instructions that stay as they are.  The first one gives z all of its
 * bits, unless it has some already and keeps them. */
static void gen_asm(struct gen *g) {
    static const char *const words[] = {"ADD", "SUB", "AND", "OR", "XOR"};
    unsigned z = find_scalar(g, NULL, false);
    unsigned x = z == R_MAX_VARS ? z : find_scalar(g, &g->c.vars[z].type, true);
    if (x == R_MAX_VARS || x == z)
        return;
    const char *source = g->c.vars[x].name, *to = g->c.vars[z].name;
    bool keeps = g->c.vars[z].known && gen_chance(g, 2);
    unsigned bits = g->c.vars[z].type.bits;
    gen_line(g, "asm in(%s) %s(%s) {", source, keeps ? "inout" : "out", to);
    g->indent++;
    gen_line(g, "%s %s %s %s;", words[gen_below(g, 5)], source, keeps ? to : source, to);
    for (unsigned n = gen_below(g, 3); n > 0; n--)
        gen_line(g, "%s.%u %s %s %s;", words[gen_below(g, 5)],
                 gen_chance(g, 2) ? bits : 1 + gen_below(g, bits), gen_chance(g, 2) ? to : source,
                 source, to);
    g->indent--;
    gen_line(g, "}");
    spend(g, 3);
    gen_written(g, z);
}

static void gen_assign(struct gen *g) {
    static const char *const compounds[] = {"+=", "-=", "^=", "&=", "|=", "*="};
    unsigned v = gen_find(g, NULL, false);
    if (v == R_MAX_VARS)
        return;
    const struct rvar *to = &g->c.vars[v];
    gen_begin(g);
    if (to->known && !to->type.is_bool && gen_chance(g, 2)) {
        gen_add(g, "%s %s ", to->name, compounds[gen_below(g, 6)]);
    } else if (to->known && !to->type.is_bool && gen_chance(g, 4)) {
        gen_add(g, "%s %s %u;\n", to->name,
                gen_chance(g, 2) ? "<<=" : ">>=", gen_below(g, to->type.bits + 2));
        spend(g, 1);
        return;
    } else {
        gen_add(g, "%s = ", to->name);
    }
    write_expr(g, to->type);
    gen_add(g, ";\n");
    spend(g, 1);
    gen_written(g, v);
}

static bool names_a_variable(const char *text) {
    for (; *text; text++)
        if (strchr("xztvjp", text[0]) && text[1] >= '0' && text[1] <= '9')
            return true;
    return false;
}

/* Mostly one that is not the same everywhere. */
static void write_condition(struct gen *g) {
    size_t mark = g->text->len;
    for (unsigned i = 0; i < 5; i++) {
        g->text->len = mark;
        gen_expr(g, bool_type, 1 + gen_below(g, EXPR_DEPTH - 1));
        if (names_a_variable(str_text(g->text) + mark))
            break;
    }
}

/* A block of statements, one level deeper in control flow. */
static void inner_block(struct gen *g) {
    g->depth++;
    gen_block(g, 1 + gen_below(g, 4));
    g->depth--;
}

/* if (c) {, now and then with assert(c); inside: what a lane knows of itself holds. */
static void begin_if(struct gen *g) {
    bool asserts = gen_chance(g, 6);
    unsigned calls = g->c.calls;
    gen_begin(g);
    gen_add(g, "if (");
    size_t mark = g->text->len;
    if (asserts)
        g->c.calls = 0;
    write_condition(g);
    struct str condition = {0};
    str_append(&condition, str_text(g->text) + mark);
    gen_add(g, ") {\n");
    spend(g, 1);
    if (asserts) {
        g->indent++;
        gen_begin(g);
        str_printf(g->text, "assert(%s);\n", str_text(&condition));
        g->indent--;
        g->c.calls = calls;
    }
    str_free(&condition);
}

static void gen_if(struct gen *g) {
    struct knowledge before, first;
    begin_if(g);
    remember(g, &before);
    inner_block(g);
    bool first_dead = g->dead;
    remember(g, &first);
    recall(g, &before);
    g->dead = false;
    if (gen_chance(g, 2)) {
        gen_line(g, "} else {");
        inner_block(g);
    }
    gen_line(g, "}");
    g->c.var_count = before.count;
    for (unsigned i = 0; i < before.count && !first_dead; i++)
        g->c.vars[i].known = (g->dead || g->c.vars[i].known) && first.known[i];
    g->dead = g->dead && first_dead;
}

/* A variable of a few bits that no other statement writes; it bounds a loop.  Returns the laps
 * that it allows. */
static unsigned let_fuel(struct gen *g, char name[16]) {
    char type[8];
    unsigned bits = 1 + gen_below(g, g->trips > 6 ? 2 : 3);
    struct rtype t = {.bits = bits};
    struct rtype wide = gen_chance(g, 2) ? t : (struct rtype){.bits = 8};
    gen_name(g, 'l', name);
    gen_begin(g);
    gen_add(g, "let %s: %s = ", name, gen_type_name(wide, type));
    if (gen_chance(g, 4)) {
        gen_add(g, "%u", gen_below(g, 1u << bits));
    } else {
        gen_add(g, "%s(", gen_type_name(t, type));
        write_expr(g, gen_type(g));
        gen_add(g, ")");
    }
    gen_add(g, ";\n");
    gen_declare(g, name, wide, true, fixed);
    return (1u << bits) - 1;
}

static void close_do(struct gen *g) {
    gen_begin(g);
    gen_add(g, "} while (");
    if (gen_chance(g, 3))
        gen_add(g, "true");
    else
        write_condition(g);
    gen_add(g, ");\n");
}

/* The body of a loop that runs up to `laps` times: what it writes is not surely written.  `last`
 * is a statement at its end, or NULL.  True if it is left or its end skipped somewhere. */
static bool loop_body(struct gen *g, unsigned laps, const char *first, const char *last) {
    struct gen_loop loop = {g->loop, !last, false, false};
    struct knowledge before;
    unsigned trips = g->trips;
    bool asks_last = g->asks_last;
    g->asks_last = false;
    remember(g, &before);
    g->loop = &loop;
    g->trips = trips * (laps ? laps : 1);
    if (first) {
        g->indent++;
        gen_line(g, "%s", first);
        g->indent--;
        spend(g, 1);
    }
    inner_block(g);
    if (last && !g->dead) {
        g->indent++;
        gen_line(g, "%s", last);
        g->indent--;
        spend(g, 1);
    }
    g->trips = trips;
    g->loop = loop.outer;
    bool straight = laps && !loop.leaves && !loop.skips && !g->dead;
    if (straight)
        g->c.var_count = before.count; /* with what the body made known */
    else
        recall(g, &before);
    g->dead = false;
    if (asks_last)
        close_do(g);
    else
        gen_line(g, "}");
    return !straight;
}

static void loop_body_maybe(struct gen *g, unsigned laps, const char *first, const char *last) {
    struct knowledge before;
    remember(g, &before);
    loop_body(g, laps, first, last);
    recall(g, &before);
}

static void write_fuel_test(struct gen *g, const char *fuel) {
    switch (gen_below(g, 4)) {
    case 0:
        gen_add(g, "%s > 0", fuel);
        break;
    case 1:
        gen_add(g, "0 < %s", fuel);
        break;
    case 2:
        gen_add(g, "!(%s == 0)", fuel);
        break;
    default:
        gen_add(g, "%s != 0", fuel);
    }
}

/* while (fuel [and a condition]) */
static void gen_fuelled(struct gen *g) {
    char fuel[16], step[64];
    unsigned laps = let_fuel(g, fuel), form = gen_below(g, 3);
    bool at_end = gen_chance(g, 4);
    snprintf(step, sizeof step, "%s -= 1;", fuel);
    gen_begin(g);
    gen_add(g, "while (");
    if (form == 0) {
        gen_add(g, "(");
        write_condition(g);
        gen_add(g, ") && ");
    }
    write_fuel_test(g, fuel);
    if (form == 1) {
        gen_add(g, " && (");
        write_condition(g);
        gen_add(g, ")");
    }
    gen_add(g, ") {\n");
    loop_body_maybe(g, laps, at_end ? NULL : step, at_end ? step : NULL);
}

/* while (true) { if (fuel == 0) { break; } ... }, and do { .. } while (condition); */
static void gen_endless(struct gen *g) {
    char fuel[16], step[64];
    unsigned laps = let_fuel(g, fuel);
    g->asks_last = gen_chance(g, 2);
    gen_line(g, g->asks_last ? "do {" : "while (true) {");
    g->indent++;
    gen_begin(g);
    gen_add(g, "if (%s == 0", fuel);
    if (gen_chance(g, 2)) {
        gen_add(g, " || (");
        write_condition(g);
        gen_add(g, ")");
    }
    gen_add(g, ") { break; }\n");
    g->indent--;
    snprintf(step, sizeof step, "%s -= 1;", fuel);
    loop_body_maybe(g, laps, step, NULL);
}

/* while (v != 0) { v >>= 1; ... }: the trips depend on the value of many bits. */
static void gen_shrinking(struct gen *g) {
    char v[16], step[64], type[8];
    struct rtype t = {.bits = 2 + gen_below(g, g->trips > 6 ? 2 : 5)};
    gen_name(g, 'l', v);
    gen_begin(g);
    gen_add(g, "let %s: %s = %s(", v, gen_type_name(t, type), type);
    write_expr(g, gen_type(g));
    gen_add(g, ");\n");
    gen_declare(g, v, t, true, fixed);
    unsigned form = gen_below(g, g->options->all_operations ? 3 : 2);
    if (form == 0)
        snprintf(step, sizeof step, "%s >>= 1;", v);
    else
        snprintf(step, sizeof step, form == 1 ? "%s &= %s - 1;" : "%s = %s / 2;", v, v);
    gen_line(g, "while (%s != 0) {", v);
    loop_body_maybe(g, t.bits, step, NULL);
}

/* for k: number .. number: counted, or unrolled with the counter as an index. */
static void index_by(struct gen *g, const char *counter, int low, int high) {
    for (unsigned v = 0; v < g->c.var_count; v++) {
        const struct gen_var more = g->more[v];
        bool first = more.array && (v == 0 || g->more[v - 1].array != more.array);
        if (!first || low < 0 || high >= (int)more.size || g->c.var_count + 16 > R_MAX_VARS)
            continue;
        char name[32];
        bool known = true;
        for (int i = low; i <= high; i++)
            known = known && g->c.vars[(int)v + i].known;
        int stem = (int)(strchr(g->c.vars[v].name, '[') - g->c.vars[v].name);
        snprintf(name, sizeof name, "%.*s[%s]", stem, g->c.vars[v].name, counter);
        gen_declare(g, name, g->c.vars[v].type, known, (struct gen_var){.writable = more.writable});
    }
}

int gen_steps(struct gen *g, bool unroll, const char *name, int low, unsigned laps) {
    int step = 1 + (int)gen_below(g, 3), far = low + step * ((int)laps - 1);
    int past = 1 + (int)gen_below(g, (unsigned)step);
    const char *word = unroll ? "unroll " : "";
    if (gen_chance(g, 2))
        gen_line(g, "%sfor %s: %d .. %d step %d {", word, name, low, far + past, step);
    else
        gen_line(g, "%sfor %s: %d .. %d step -%d {", word, name, far, low - past, step);
    return far;
}

static void gen_counted(struct gen *g) {
    char name[16];
    unsigned laps = 1 + gen_below(g, g->trips > 6 ? 3 : 5);
    int low = gen_chance(g, 3) ? (int)gen_below(g, 6) - 3 : 0, high = low + (int)laps - 1;
    bool unroll = gen_chance(g, 3);
    struct knowledge before;
    if (g->c.counter_count == R_MAX_COUNTERS)
        return;
    gen_name(g, 'k', name);
    if (gen_chance(g, 3))
        high = gen_steps(g, unroll, name, low, laps);
    else
        gen_line(g, "%sfor %s: %d .. %d {", unroll ? "unroll " : "", name, low, high + 1);
    struct rcounter *k = &g->c.counters[g->c.counter_count++];
    *k = (struct rcounter){.low = low, .high = high};
    memcpy(k->name, name, sizeof k->name);
    remember(g, &before);
    if (unroll || (g->code < MOST_CODE / 2 && gen_chance(g, 3)))
        index_by(g, name, low, high);
    unsigned code = g->code;
    bool left = loop_body(g, laps, NULL, NULL);
    g->code += (g->code - code) * (laps - 1);
    g->c.counter_count--;
    if (left)
        recall(g, &before);
    g->c.var_count = before.count;
}

/* for i: a .. b with bounds of a few bits that differ between lanes. */
static void gen_lanes_for(struct gen *g) {
    char name[16], type[8];
    unsigned bits = g->trips <= 6 && gen_chance(g, 2) ? 3 : 2;
    struct rtype t = {.is_signed = gen_chance(g, 3), .bits = bits}, first = t;
    struct knowledge before;
    if (bits == 3 && gen_chance(g, 3))
        first.bits = 2;
    gen_name(g, 'j', name);
    gen_begin(g);
    gen_add(g, "for %s: ", name);
    if (gen_chance(g, 3)) {
        gen_add(g, "%u", gen_below(g, 2));
    } else {
        gen_add(g, "%s(", gen_type_name(first, type));
        write_expr(g, gen_type(g));
        gen_add(g, ")");
    }
    gen_add(g, " .. %s(", gen_type_name(t, type));
    write_expr(g, gen_type(g));
    gen_add(g, ") {\n");
    spend(g, 1);
    remember(g, &before);
    gen_declare(g, name, t, true, fixed);
    loop_body_maybe(g, (1u << bits) - 1, NULL, NULL);
    recall(g, &before);
}

static void gen_repeat(struct gen *g) {
    unsigned laps = gen_below(g, 4);
    if (gen_chance(g, 3)) {
        gen_line(g, "repeat (m) {");
        loop_body_maybe(g, 3, NULL, NULL);
    } else {
        gen_line(g, "repeat (%u) {", laps);
        loop_body_maybe(g, laps, NULL, NULL);
    }
}

void gen_loop(struct gen *g) {
    switch (gen_below(g, 8)) {
    case 0:
    case 1:
        gen_fuelled(g);
        break;
    case 2:
        gen_endless(g);
        break;
    case 3:
        gen_shrinking(g);
        break;
    case 4:
    case 5:
        gen_counted(g);
        break;
    case 6:
        gen_lanes_for(g);
        break;
    default:
        gen_repeat(g);
    }
}

static void leave_loops(struct gen *g) {
    for (struct gen_loop *l = g->loop; l; l = l->outer)
        l->leaves = true;
}

/* `continue` where the end of the body does not bound the loop. */
static void gen_leave(struct gen *g) {
    bool skip = g->loop && g->loop->may_continue && gen_chance(g, 2);
    if (!g->loop || gen_chance(g, 4)) {
        gen_return(g);
        leave_loops(g);
    } else if (skip) {
        gen_line(g, "continue;");
        g->loop->skips = true;
    } else {
        gen_line(g, "break;");
        g->loop->leaves = true;
    }
    spend(g, 1);
    g->dead = true;
}

static void leave_if(struct gen *g) {
    struct knowledge before;
    gen_begin(g);
    gen_add(g, "if (");
    write_condition(g);
    gen_add(g, ") {\n");
    remember(g, &before);
    g->indent++;
    gen_leave(g);
    g->indent--;
    recall(g, &before);
    gen_line(g, "}");
    g->dead = false;
}

static void choose_stmt(struct gen *g) {
    unsigned v;
    bool deeper = g->depth < MOST_DEPTH && has_room(g);
    const struct gen_sub *sub;
    switch (gen_below(g, 16)) {
    case 0:
    case 1:
        gen_let(g, gen_type(g), !gen_chance(g, 5), &v);
        break;
    case 2:
        gen_let_array(g, gen_type(g), 1 + gen_below(g, 4), true);
        break;
    case 3:
    case 4:
    case 5:
        if (deeper)
            gen_if(g);
        break;
    case 6:
    case 7:
    case 8:
        if (deeper && g->trips < MOST_TRIPS / 3)
            gen_loop(g);
        break;
    case 9:
        if (g->depth > 0)
            leave_if(g);
        break;
    case 10:
        sub = gen_choose_sub(g);
        if (sub)
            gen_call(g, sub);
        break;
    case 11:
        if (g->depth > 0 && gen_chance(g, 6))
            gen_leave(g);
        else if (gen_chance(g, 2))
            gen_insn(g);
        else
            gen_asm(g);
        break;
    default:
        gen_assign(g);
    }
}

/* What does not fit here is tried again as something else. */
static void gen_stmt(struct gen *g) {
    size_t mark = g->text->len;
    for (unsigned i = 0; i < 8 && g->text->len == mark; i++)
        choose_stmt(g);
}

/* Its names end with the block. */
void gen_block(struct gen *g, unsigned count) {
    unsigned vars = g->c.var_count;
    g->indent++;
    for (unsigned i = 0; i < count && !g->dead; i++)
        if (has_room(g))
            gen_stmt(g);
    g->indent--;
    g->c.var_count = vars;
}
