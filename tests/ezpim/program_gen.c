/* SPDX-License-Identifier: MIT
 * Programs: declarations, subroutines, and ensembles. */
#include "tests/ezpim/program_gen.h"

#include "tests/ezpim/program_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL = 3000 };

unsigned gen_below(struct gen *g, unsigned n) {
    return rng_below(&g->rng, n);
}

bool gen_chance(struct gen *g, unsigned one_in) {
    return gen_below(g, one_in) == 0;
}

struct rtype gen_type(struct gen *g) {
    return gen_chance(g, 6) ? rtype_random(&g->rng) : g->palette[gen_below(g, GEN_PALETTE)];
}

void gen_begin(struct gen *g) {
    for (unsigned i = 0; i < g->indent; i++)
        str_append(g->text, "    ");
}

void gen_add(struct gen *g, const char *format, ...) {
    va_list args;
    char text[200];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    str_append(g->text, text);
}

void gen_end(struct gen *g) {
    str_char(g->text, '\n');
}

void gen_line(struct gen *g, const char *format, ...) {
    va_list args;
    char text[200];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    gen_begin(g);
    str_append(g->text, text);
    gen_end(g);
}

void gen_expr(struct gen *g, struct rtype t, unsigned depth) {
    g->c.pool_used = 0;
    unsigned calls = g->c.calls;
    if (g->trips > 4 || g->sub) /* subroutines are put in where they are called */
        g->c.calls = calls < 1 ? calls : 1;
    unsigned given = g->c.calls;
    rnode_text(&g->c, rnode_random(&g->c, t, depth), g->text);
    unsigned made = given - g->c.calls;
    g->cost += made * 8 * g->trips;
    g->code += made * 8;
    g->c.calls = calls - made;
}

const char *gen_type_name(struct rtype t, char text[8]) {
    if (t.is_bool)
        snprintf(text, 8, "bool");
    else
        snprintf(text, 8, "%c%u", t.is_signed ? 'i' : 'u', t.bits % 100);
    return text;
}

void gen_type_text(struct gen *g, struct rtype t) {
    char text[8];
    str_append(g->text, gen_type_name(t, text));
}

void gen_name(struct gen *g, char letter, char name[16]) {
    snprintf(name, 16, "%c%u", letter, g->names++);
}

unsigned gen_declare(struct gen *g, const char *name, struct rtype t, bool known,
                     struct gen_var more) {
    unsigned v = g->c.var_count;
    if (v + 1 >= R_MAX_VARS)
        abort(); /* the blocks look at the room first */
    g->c.var_count++;
    g->c.vars[v] = (struct rvar){.type = t, .known = known};
    snprintf(g->c.vars[v].name, sizeof g->c.vars[v].name, "%.15s", name);
    g->more[v] = more;
    return v;
}

bool gen_same_type(struct rtype a, struct rtype b) {
    return a.is_bool == b.is_bool && a.is_signed == b.is_signed && a.bits == b.bits;
}

unsigned gen_find(struct gen *g, const struct rtype *t, bool known) {
    unsigned n = g->c.var_count, start = n ? gen_below(g, n) : 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned v = (start + i) % n;
        if (g->more[v].writable && (!known || g->c.vars[v].known) &&
            (!t || gen_same_type(g->c.vars[v].type, *t)))
            return v;
    }
    return R_MAX_VARS;
}

/* The elements of an array lie one behind the other. */
unsigned gen_find_array(struct gen *g, struct rtype t, unsigned size, bool known) {
    for (unsigned v = 0; v < g->c.var_count; v++) {
        const struct gen_var *more = &g->more[v];
        bool first = more->array && (v == 0 || g->more[v - 1].array != more->array);
        if (!first || !more->writable || more->size != size || gen_chance(g, 3) ||
            !gen_same_type(g->c.vars[v].type, t))
            continue;
        bool good = true;
        for (unsigned i = 0; i < size; i++)
            good = good && (!known || g->c.vars[v + i].known);
        if (good)
            return v;
    }
    return R_MAX_VARS;
}

void gen_written(struct gen *g, unsigned var) {
    g->c.vars[var].known = true;
}

/* Five entries of that type, or characters. */
static void make_table(struct gen *g, struct rtype *t) {
    char type[8], signs[3];
    bool text = !t->is_signed && t->bits >= 8 && gen_chance(g, 2);
    for (unsigned i = 0; i < 3; i++)
        signs[i] = (char)('a' + (char)gen_below(g, 26));
    if (text && gen_chance(g, 2)) {
        t->bits = 8;
        gen_line(g, "const T = \"%c%c?\\n%c\";", signs[0], signs[1], signs[2]);
    } else if (text) {
        gen_line(g, "const T: %s[5] = \"%c * %c\";", gen_type_name(*t, type), signs[0], signs[1]);
    } else {
        gen_line(g, "const T: %s[5] = {%u, %u, %u, %u, %u};", gen_type_name(*t, type),
                 gen_below(g, 8), gen_below(g, 8), gen_below(g, 8), gen_below(g, 8),
                 gen_below(g, 8));
    }
}

/* A constant and elements of a table are variables that nobody writes. */
static void make_constants(struct gen *g) {
    static const struct gen_var fixed = {0};
    char name[16], type[8];
    struct rtype k = gen_type(g), t = {.is_signed = gen_chance(g, 2), .bits = 4 + gen_below(g, 61)};
    if (k.is_bool)
        gen_line(g, "const K: bool = %s;", gen_chance(g, 2) ? "true" : "false");
    else
        gen_line(g, "const K: %s = %u;", gen_type_name(k, type),
                 gen_below(g, k.bits > 8    ? 100
                              : k.is_signed ? 1
                                            : 2));
    gen_declare(g, "K", k, true, fixed);
    gen_line(g, "const O: i16[4] = {-%u, %u, 0, %u};", gen_below(g, 3) + 1, gen_below(g, 4),
             gen_below(g, 3));
    make_table(g, &t);
    g->c.table = (struct rvar){.name = "T", .type = t};
    for (unsigned i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "T[%u]", i * 3);
        gen_declare(g, name, t, true, fixed);
    }
}

/* One MPU, a row of them, or a grid. */
static void make_grid(struct gen *g) {
    g->grid_dims = gen_chance(g, 3) ? 1 + gen_below(g, 2) : 0;
    g->one_message = gen_chance(g, 2);
    for (unsigned d = 0; d < 2; d++)
        g->grid[d] = 2 + gen_below(g, 2);
    if (g->grid_dims == 1)
        gen_line(g, "mpus ring[%u];", g->grid[0]);
    else if (g->grid_dims)
        gen_line(g, "mpus ring[%u, %u];", g->grid[0], g->grid[1]);
}

static void make_group(struct gen *g, const char *name, unsigned ndim, const char *first,
                       const char *second) {
    static const char *const numbers[] = {"0", "1", "2", "3"};
    struct gen_group *group = &g->groups[g->group_count++];
    *group = (struct gen_group){.name = name, .ndim = g->grid_dims + ndim};
    for (unsigned d = 0; d < g->grid_dims; d++)
        group->extents[d] = numbers[g->grid[d]];
    group->extents[g->grid_dims] = first;
    if (second)
        group->extents[g->grid_dims + 1] = second;
}

/* With a bound near by, or without one. */
static void make_size(struct gen *g, const char *name, unsigned value) {
    if (gen_chance(g, 2))
        gen_line(g, "size %s <= %u = %u;", name, value + gen_below(g, 3), value);
    else
        gen_line(g, "size %s = %u;", name, value);
}

static void make_groups(struct gen *g) {
    const char *on = g->grid_dims ? " on ring" : "";
    make_size(g, "n", 1 + gen_below(g, gen_chance(g, 3) && !g->grid_dims ? 80 : 20));
    make_size(g, "m", 1 + gen_below(g, 3));
    gen_line(g, "buffer memory: u8[64];");
    gen_line(g, "kernel elsewhere nowhere(x: u8[], n: u64, c: i7, p: bytes[3]) { a { text } }");
    gen_declare(g, "u32(m)", (struct rtype){.bits = 32}, true, (struct gen_var){0});
    gen_line(g, "group g[n]%s;", on);
    make_group(g, "g", 1, "n", NULL);
    if (!gen_chance(g, 3))
        return;
    bool like = gen_chance(g, 2);
    if (like)
        gen_line(g, "group h like g;");
    else
        gen_line(g, "group h[m, 5]%s;", on);
    make_group(g, "h", like ? 1 : 2, like ? "n" : "m", like ? NULL : "5");
}

/* An input, and what reductions write: a u64, a bool, and others. */
static void make_shared(struct gen *g) {
    struct rtype t = gen_type(g);
    char type[8], name[16];
    gen_line(g, "in %ss0: %s;", gen_chance(g, 2) ? "consumed " : "", gen_type_name(t, type));
    gen_declare(g, "s0", t, true, (struct gen_var){0});
    g->shared = g->c.var_count;
    for (unsigned i = 0; i < GEN_SHARED; i++) {
        t = i == 0 ? (struct rtype){.bits = 64} : gen_type(g);
        if (i == 1)
            t = (struct rtype){.is_bool = true, .bits = 1};
        snprintf(name, sizeof name, "r%c", (char)('a' + i));
        gen_line(g, "%s %s: %s;", i % 2 ? "out" : "var", name, gen_type_name(t, type));
        gen_declare(g, name, t, false, (struct gen_var){0});
    }
    gen_line(g, "var laps: u2;");
}

static void add_group_var(struct gen_group *group, const char *name, struct rtype t,
                          const char *word, struct gen_var more, unsigned place) {
    struct gen_group_var *v = &group->vars[group->var_count++];
    *v = (struct gen_group_var){.more = more, .place = place};
    v->var.type = t;
    snprintf(v->var.name, sizeof v->var.name, "%.15s", name);
    v->var.known = word[0] == 'i'; /* in, in consumed, inout */
    v->more.writable = strcmp(word, "in") != 0;
    v->is_output = strcmp(word, "out") == 0 || strcmp(word, "inout") == 0;
}

static void make_group_var(struct gen *g, struct gen_group *group, const char *word, unsigned count,
                           struct rtype t) {
    char name[16], element[32], type[8];
    struct gen_var more = {0};
    if (group->var_count + 6 > GEN_GROUP_VARS)
        return;
    gen_name(g, word[0] == 'i' ? 'x' : word[0] == 'o' ? 'z' : 'v', name);
    gen_begin(g);
    gen_add(g, "%s %s: %s", word, name, gen_type_name(t, type));
    if (count)
        gen_add(g, "[%u]", count);
    gen_add(g, " @ %s;\n", group->name);
    if (!count)
        add_group_var(group, name, t, word, more, 0);
    more.array = count ? ++g->arrays : 0;
    more.size = count;
    for (unsigned i = 0; i < count; i++) {
        snprintf(element, sizeof element, "%s[%u]", name, i);
        add_group_var(group, element, t, word, more, i);
    }
}

static void make_any_var(struct gen *g, struct gen_group *group, const char *word) {
    struct rtype t = gen_type(g);
    make_group_var(g, group, word, gen_chance(g, 4) ? 1 + gen_below(g, 4) : 0, t);
}

/* For collectives: a register for each MPU, and one. */
static void make_sides(struct gen *g, struct gen_group *group) {
    unsigned mpus = g->grid_dims == 2 ? g->grid[0] * g->grid[1] : g->grid[0];
    struct rtype t = gen_type(g);
    if (!g->grid_dims || mpus > 4 || gen_chance(g, 3))
        return;
    make_group_var(g, group, "inout", mpus, t);
    make_group_var(g, group, "inout", 0, t);
}

static void make_group_vars(struct gen *g, struct gen_group *group) {
    static const char *const inputs_are[] = {"in", "inout", "in consumed", "in consumed"};
    unsigned inputs = 2 + gen_below(g, 2);
    for (unsigned i = 0; i < inputs; i++)
        make_any_var(g, group, inputs_are[gen_below(g, 4)]);
    for (unsigned i = 0; i < 2; i++)
        make_any_var(g, group, "out");
    if (gen_chance(g, 2))
        make_any_var(g, group, "var");
    make_sides(g, group);
    char name[16];
    struct rtype t = {.bits = 2};
    snprintf(name, sizeof name, "w%s", group->name);
    gen_line(g, "var %s: u2 @ %s;", name, group->name);
    add_group_var(group, name, t, "var", (struct gen_var){0}, 0);
    group->vars[group->var_count - 1].is_fuel = true;
    group->vars[group->var_count - 1].more.writable = false;
}

/* A group of as many elements as `compact` leaves in v, with an output: its variables are among
 * those of v's group.  That with the laps stays the last one. */
static void make_counted(struct gen *g, struct gen_group *group, const char *name) {
    struct gen_group_var laps = group->vars[group->var_count - 1];
    struct gen_group counted = {.name = "f"};
    if (group->var_count + 8 > GEN_GROUP_VARS)
        return;
    gen_line(g, "group f[%s];", name);
    g->counted = true;
    make_group_var(g, &counted, gen_chance(g, 3) ? "var" : "out", 0, gen_type(g));
    counted.vars[0].has_length = true;
    group->vars[group->var_count - 1] = counted.vars[0];
    group->vars[group->var_count++] = laps;
}

/* An output, or an array that has values from the beginning, gets a length. */
static void choose_length(struct gen *g, struct gen_group *group) {
    char name[40];
    for (unsigned i = 0; i < group->var_count && !g->lengths; i++) {
        const struct gen_group_var *v = &group->vars[i];
        if (!v->more.writable || !v->is_output || (v->more.array && !v->var.known) ||
            gen_chance(g, 3))
            continue;
        g->lengths = true;
        for (unsigned k = i; k < group->var_count && k <= i + v->more.size; k++)
            group->vars[k].has_length =
                k == i || (v->more.array && group->vars[k].more.array == v->more.array);
        snprintf(name, sizeof name, "length(%.*s)", (int)strcspn(v->var.name, "["), v->var.name);
        gen_declare(g, name, (struct rtype){.bits = 64}, true, (struct gen_var){0});
        if (gen_chance(g, 2))
            make_counted(g, group, name);
    }
}

/* Outputs that may not have a value yet get one. */
static void make_last(struct gen *g, struct gen_group *group) {
    unsigned first = g->c.var_count, missing = 0;
    for (unsigned i = 0; i < group->var_count; i++)
        missing += group->vars[i].is_output && !group->vars[i].var.known;
    if (!missing)
        return;
    gen_begin_code(g, 100, 1);
    gen_enter(g, group);
    for (unsigned i = 0; i < group->var_count; i++) /* what is assigned here is so everywhere */
        if (group->vars[i].has_length)
            g->c.vars[first + i].known = false;
    gen_line(g, "compute %s {", group->name);
    g->indent++;
    for (unsigned i = 0; i < group->var_count; i++) {
        if (!group->vars[i].is_output || group->vars[i].var.known)
            continue;
        gen_begin(g);
        gen_add(g, "%s = ", group->vars[i].var.name);
        gen_expr(g, group->vars[i].var.type, 2);
        gen_add(g, ";\n");
        gen_written(g, first + i);
    }
    g->indent--;
    gen_line(g, "}");
    g->c.var_count = first;
}

static void make_main(struct gen *g) {
    unsigned n = 2 + gen_below(g, 4);
    gen_line(g, g->grid_dims ? "main on ring {" : "main {");
    g->indent++;
    if (g->lengths && gen_chance(g, 2))
        gen_compact(g);
    for (unsigned i = 0; i < n; i++) {
        gen_top(g, g->options->work / n, 0, 1);
        if (g->grid_dims && gen_chance(g, 2))
            gen_collective(g);
        if (g->grid_dims && gen_chance(g, 3))
            gen_message(g, false);
    }
    if (g->lengths && (!g->compacts || gen_chance(g, 2)))
        gen_compact(g);
    for (unsigned i = 0; i < g->group_count; i++)
        make_last(g, &g->groups[i]);
    for (unsigned i = 1; i < GEN_SHARED; i += 2)
        if (!g->c.vars[g->shared + i].known)
            gen_reduction(g, g->shared + i);
    g->indent--;
    gen_line(g, "}");
}

static void make_program(struct gen *g) {
    for (unsigned i = 0; i < GEN_PALETTE; i++)
        g->palette[i] = i == 0 ? (struct rtype){.bits = 8} : rtype_random(&g->rng);
    make_constants(g);
    make_grid(g);
    make_groups(g);
    make_shared(g);
    unsigned subs = gen_below(g, 4);
    for (unsigned i = 0; i < subs; i++) {
        gen_begin_code(g, 40, 1);
        gen_make_sub(g);
    }
    for (unsigned i = 0; i < g->group_count; i++)
        make_group_vars(g, &g->groups[i]);
    if (!g->grid_dims && gen_chance(g, 3))
        choose_length(g, &g->groups[0]);
    make_main(g);
}

void program_random(uint64_t seed, const struct program_options *options, struct str *text) {
    struct gen *g = calloc(1, sizeof *g);
    if (!g)
        abort();
    g->options = options;
    g->rng.state = seed;
    g->c.rng = &g->rng;
    g->c.all_operations = options->all_operations;
    g->c.pool = calloc(POOL, sizeof *g->c.pool);
    g->c.pool_size = POOL;
    g->text = text;
    str_clear(text);
    make_program(g);
    free(g->c.pool);
    free(g);
}
