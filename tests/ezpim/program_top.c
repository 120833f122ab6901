/* SPDX-License-Identifier: MIT
 * Statements of `main`: ensembles, loops and conditions over all elements, reductions, moves. */
#include "tests/ezpim/program_parts.h"

#include <stdio.h>
#include <string.h>

static const struct rtype bool_type = {.is_bool = true, .bits = 1};

/* What is known of the groups' variables and of those without a group. */
struct overview {
    bool vars[GEN_GROUPS][GEN_GROUP_VARS], shared[GEN_SHARED];
};

static void remember(const struct gen *g, struct overview *o) {
    for (unsigned i = 0; i < g->group_count; i++)
        for (unsigned v = 0; v < g->groups[i].var_count; v++)
            o->vars[i][v] = g->groups[i].vars[v].var.known;
    for (unsigned i = 0; i < GEN_SHARED; i++)
        o->shared[i] = g->c.vars[g->shared + i].known;
}

/* Known is what was known then (also: and is now). */
static void recall(struct gen *g, const struct overview *o, bool also) {
    for (unsigned i = 0; i < g->group_count; i++)
        for (unsigned v = 0; v < g->groups[i].var_count; v++) {
            bool *known = &g->groups[i].vars[v].var.known;
            *known = o->vars[i][v] && (!also || *known);
        }
    for (unsigned i = 0; i < GEN_SHARED; i++) {
        bool *known = &g->c.vars[g->shared + i].known;
        *known = o->shared[i] && (!also || *known);
    }
}

void gen_begin_code(struct gen *g, unsigned work, unsigned trips) {
    g->loop = NULL;
    g->depth = 0;
    g->trips = trips;
    g->cost = g->code = 0;
    g->work = work;
    g->dead = g->returned = false;
    g->c.calls = 3;
}

unsigned gen_enter(struct gen *g, const struct gen_group *group) {
    unsigned first = g->c.var_count;
    for (unsigned i = 0; i < group->var_count; i++)
        gen_declare(g, group->vars[i].var.name, group->vars[i].var.type, group->vars[i].var.known,
                    group->vars[i].more);
    gen_declare(g, "index()", (struct rtype){.bits = 64}, true, (struct gen_var){0});
    for (unsigned d = 0; d < group->ndim - g->grid_dims; d++) {
        char name[16];
        snprintf(name, sizeof name, "index(%u)", d % 10);
        gen_declare(g, name, (struct rtype){.bits = 64}, true, (struct gen_var){0});
    }
    return first;
}

/* part: it was for the first elements only, so that nothing is known that was not before. */
static void leave(struct gen *g, struct gen_group *group, unsigned first, bool part) {
    for (unsigned i = 0; i < group->var_count; i++) {
        bool at_end = g->dead || g->c.vars[first + i].known;
        bool known = at_end && (!g->returned || g->at_return[first + i]);
        group->vars[i].var.known = known && (!part || group->vars[i].var.known);
    }
    g->c.var_count = first;
}

static struct gen_group *choose_group(struct gen *g) {
    return &g->groups[gen_chance(g, 3) ? g->group_count - 1 : 0];
}

static bool mentions(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *p = text; (p = strstr(p, name)); p++)
        if ((p < text + 7 || memcmp(p - 7, "length(", 7) != 0) &&
            (p == text || strchr(" (-~![", p[-1])) && !(p[n] >= '0' && p[n] <= '9'))
            return true;
    return false;
}

/* Whether a variable with a length stands in the text from `begin` on. */
static bool mentions_length(const struct gen *g, const struct gen_group *group, size_t begin) {
    char name[16];
    for (unsigned i = 0; i < group->var_count; i++) {
        snprintf(name, sizeof name, "%.15s", group->vars[i].var.name);
        name[strcspn(name, "[")] = '\0';
        if (group->vars[i].has_length && mentions(str_text(g->text) + begin, name))
            return true;
    }
    return false;
}

/* A variable without a group gets what is the same in all lanes. */
static void assign_shared(struct gen *g) {
    unsigned var = g->shared + gen_below(g, GEN_SHARED);
    g->c.calls = 0;
    gen_begin(g);
    gen_add(g, "%s = ", g->c.vars[var].name);
    gen_expr(g, g->c.vars[var].type, 2);
    gen_add(g, ";\n");
    gen_written(g, var);
}

/* An ensemble; `first` is a line at its beginning, or NULL. */
static void compute(struct gen *g, struct gen_group *group, unsigned work, unsigned trips,
                    const char *first) {
    gen_begin_code(g, work, trips);
    bool counted = g->counted && !first && group == &g->groups[0] && gen_chance(g, 3);
    gen_line(g, "compute %s {", counted ? "f" : group->name);
    size_t begin = g->text->len;
    g->indent++;
    if (first)
        gen_line(g, "%s", first);
    if (g->group_count == 1 && !g->grid_dims && !counted && gen_chance(g, 2))
        assign_shared(g);
    if (g->lengths && g->text->len > begin) { /* what stands here is for all elements */
        gen_line(g, "}");
        gen_line(g, "compute %s {", group->name);
        begin = g->text->len;
    }
    g->indent--;
    unsigned mark = gen_enter(g, group);
    gen_block(g, 3 + gen_below(g, 5));
    gen_line(g, "}");
    leave(g, group, mark, counted || mentions_length(g, group, begin));
}

/* An expression of that type in which a variable of the group stands. */
static void group_expr(struct gen *g, const struct gen_group *group, struct rtype t) {
    char type[8];
    unsigned mark = gen_enter(g, group);
    size_t begin = g->text->len;
    bool found = false;
    for (unsigned i = 0; !found && i < 4; i++) {
        g->text->len = begin;
        gen_expr(g, t, 1 + gen_below(g, 2));
        for (unsigned v = 0; v < group->var_count; v++)
            found |= mentions(str_text(g->text) + begin, group->vars[v].var.name);
    }
    if (!found) {
        const struct rvar *v = &group->vars[0].var; /* an input */
        g->text->len = begin;
        if (!t.is_bool)
            gen_add(g, "%s(%s)", gen_type_name(t, type), v->name);
        else
            gen_add(g, v->type.is_bool ? "%s" : "%s != 0", v->name);
    }
    g->c.var_count = mark;
}

static const char *choose_reduction(struct gen *g, struct rtype t) {
    static const char *const bits[] = {"and", "or", "xor"};
    static const char *const numbers[] = {"sum", "min", "max"};
    static const char *const indices[] = {"count", "argmin", "argmax"};
    if (t.is_bool && gen_chance(g, 2))
        return gen_chance(g, 2) ? "any" : "all";
    if (t.is_bool || gen_chance(g, 4))
        return bits[gen_below(g, 3)];
    if (t.bits == 64 && !t.is_signed && !gen_chance(g, 3))
        return indices[gen_below(g, 3)];
    return numbers[gen_below(g, 3)];
}

void gen_reduction(struct gen *g, unsigned var) {
    const struct gen_group *group = choose_group(g);
    struct rtype t = g->c.vars[var].type;
    const char *kind = choose_reduction(g, t);
    if (strcmp(kind, "count") == 0)
        t = bool_type;
    else if (strncmp(kind, "arg", 3) == 0)
        t = g->palette[0];
    gen_begin_code(g, 100, 1);
    gen_begin(g);
    gen_add(g, "%s = %s(", g->c.vars[var].name, kind);
    group_expr(g, group, t);
    gen_add(g, ");\n");
    gen_written(g, var);
}

/* scan(e): prefix sums into a variable of a group of one dimension. */
static void gen_scan(struct gen *g) {
    struct gen_group *group = choose_group(g);
    for (unsigned v = 0; v < group->var_count && group->ndim == 1; v++) {
        struct gen_group_var *to = &group->vars[v];
        if (!to->more.writable || to->more.array || to->var.type.is_bool || gen_chance(g, 2))
            continue;
        gen_begin_code(g, 100, 1);
        gen_begin(g);
        gen_add(g, "%s = scan(", to->var.name);
        size_t begin = g->text->len;
        group_expr(g, group, to->var.type);
        gen_add(g, ");\n");
        to->var.known |= !mentions_length(g, group, begin); /* else of the first elements alone */
        return;
    }
}

/* compact v = e where c; of an array, in place. */
void gen_compact(struct gen *g) {
    struct gen_group *group = &g->groups[0];
    unsigned v = 0;
    while (v < group->var_count && !group->vars[v].has_length)
        v++;
    if (v == group->var_count)
        return;
    struct gen_group_var *to = &group->vars[v];
    gen_begin_code(g, 100, 1);
    gen_begin(g);
    gen_add(g, "compact %.*s", (int)strcspn(to->var.name, "["), to->var.name);
    unsigned mark = gen_enter(g, group);
    if (!to->more.array && (!to->var.known || !gen_chance(g, 3))) {
        gen_add(g, " = ");
        gen_expr(g, to->var.type, 2);
    }
    gen_add(g, " where ");
    gen_expr(g, bool_type, 2);
    gen_add(g, ";\n");
    g->c.var_count = mark;
    to->var.known = g->compacts = true;
}

static void gen_body(struct gen *g, unsigned work, unsigned depth, unsigned trips) {
    unsigned n = 1 + gen_below(g, 2);
    g->indent++;
    for (unsigned i = 0; i < n; i++)
        gen_top(g, work / n, depth + 1, trips);
    g->indent--;
}

static void top_repeat(struct gen *g, unsigned work, unsigned depth, unsigned trips) {
    unsigned count = 1 + gen_below(g, 3);
    if (gen_chance(g, 3))
        gen_line(g, "repeat (m) {");
    else
        gen_line(g, "repeat (%u) {", count);
    gen_body(g, work, depth, trips * 3);
    gen_line(g, "}");
}

static void top_for(struct gen *g, unsigned work, unsigned depth, unsigned trips) {
    char name[16];
    int low = gen_chance(g, 3) ? -1 : 0, laps = 1 + (int)gen_below(g, 3);
    int high = low + laps - 1;
    gen_name(g, 'k', name);
    if (gen_chance(g, 3))
        high = gen_steps(g, gen_chance(g, 3), name, low, (unsigned)laps);
    else
        gen_line(g, "%sfor %s: %d .. %d {", gen_chance(g, 3) ? "unroll " : "", name, low, high + 1);
    struct rcounter *k = &g->c.counters[g->c.counter_count++];
    *k = (struct rcounter){.low = low, .high = high};
    memcpy(k->name, name, sizeof k->name);
    gen_body(g, work, depth, trips * 3);
    g->c.counter_count--;
    gen_line(g, "}");
}

static void scalar_condition(struct gen *g);

/* `&& (..)` and `|| (..)` of what has no group, behind a question about elements.  Where there may
 * be none the two do not stand together. */
static void scalar_beside(struct gen *g, bool only_and) {
    if (g->lengths || g->grid_dims || !gen_chance(g, 3))
        return;
    gen_add(g, only_and || gen_chance(g, 2) ? " && (" : " || (");
    scalar_condition(g);
    gen_add(g, ")");
}

static void top_if(struct gen *g, unsigned work, unsigned depth, unsigned trips) {
    static const char *const words[] = {"any", "all", "!any", "!all"};
    struct overview before, first;
    gen_begin_code(g, 100, 1);
    gen_begin(g);
    gen_add(g, "if (%s(", words[gen_below(g, 4)]);
    group_expr(g, choose_group(g), bool_type);
    gen_add(g, ")");
    scalar_beside(g, false);
    gen_add(g, ") {\n");
    remember(g, &before);
    gen_body(g, work, depth, trips);
    remember(g, &first);
    recall(g, &before, false);
    if (gen_chance(g, 2)) {
        gen_line(g, "} else {");
        gen_body(g, work, depth, trips);
    }
    gen_line(g, "}");
    recall(g, &first, true);
}

/* No target knows the form of the kernel: what stands behind `else` is done. */
static void top_launch(struct gen *g, unsigned work, unsigned depth, unsigned trips) {
    static const char *const how[] = {"", "<<<m>>>", "<<<[m, 2], n + 1, 8>>>"};
    struct overview before, first;
    gen_line(g, "launch elsewhere%s(memory + %u * m, 2 * n, %d, bytes(u8(%u)))%s else {",
             how[gen_below(g, 3)], gen_below(g, 3), (int)gen_below(g, 128) - 64, gen_below(g, 256),
             gen_chance(g, 3) ? " units m from 1" : "");
    g->launched = true;
    remember(g, &before);
    gen_body(g, work, depth, trips);
    remember(g, &first);
    recall(g, &before, false);
    g->launched = false;
    gen_line(g, "}");
    recall(g, &first, true);
}

/* A condition on what has no group; of constants alone the compiler would know it. */
static void scalar_condition(struct gen *g) {
    char name[8];
    size_t begin = g->text->len;
    bool found = false;
    gen_expr(g, bool_type, 1 + gen_below(g, 2));
    for (unsigned i = 0; i < GEN_SHARED; i++)
        found |= mentions(str_text(g->text) + begin, g->c.vars[g->shared + i].name);
    if (found || mentions(str_text(g->text) + begin, "s0"))
        return;
    g->text->len = begin;
    const struct rvar *v = &g->c.vars[g->shared - 1];
    snprintf(name, sizeof name, "%.4s", v->name);
    gen_add(g, v->type.is_bool ? "%s" : "%s != 0", name);
}

static void begin_scalar(struct gen *g) {
    gen_begin_code(g, 100, 1);
    g->c.calls = 0;
}

static void top_if_scalar(struct gen *g, unsigned work, unsigned depth, unsigned trips) {
    struct overview before, first;
    begin_scalar(g);
    gen_begin(g);
    gen_add(g, "if (");
    scalar_condition(g);
    gen_add(g, ") {\n");
    remember(g, &before);
    gen_body(g, work, depth, trips);
    remember(g, &first);
    recall(g, &before, false);
    if (gen_chance(g, 2)) {
        gen_line(g, "} else {");
        gen_body(g, work, depth, trips);
    }
    gen_line(g, "}");
    recall(g, &first, true);
}

/* while (laps > 0): at most three; nothing else writes `laps`, so these loops do not nest. */
static void top_while_scalar(struct gen *g, unsigned work, unsigned depth, unsigned trips) {
    struct overview before;
    begin_scalar(g);
    gen_begin(g);
    gen_add(g, "laps = u2(");
    gen_expr(g, g->palette[0], 2);
    gen_add(g, ");\n");
    g->laps_count = true;
    bool last = gen_chance(g, 3);
    gen_line(g, last ? "do {" : gen_chance(g, 2) ? "while (laps > 0) {" : "while (laps != 0) {");
    remember(g, &before);
    gen_body(g, work / 2, depth, trips * 3);
    g->indent++;
    gen_line(g, last               ? "if (laps > 0) { laps -= 1; }"
                : gen_chance(g, 2) ? "laps -= 1;"
                                   : "laps = laps - 1;");
    g->indent--;
    gen_line(g, last ? "} while (laps > 0);" : "}");
    recall(g, &before, false);
    g->laps_count = false;
}

/* A statement at top level: one value for all lanes. */
static void top_assign(struct gen *g) {
    begin_scalar(g);
    assign_shared(g);
}

static struct gen_group_var *fuel_of(struct gen_group *group) {
    return &group->vars[group->var_count - 1];
}

/* while (any(fuel != 0)): each lap takes one from every element that has some left. */
static void top_while(struct gen *g, unsigned work, unsigned depth, unsigned trips) {
    struct gen_group *group = choose_group(g);
    struct overview before;
    struct gen_group_var *fuel = fuel_of(group);
    const char *name = fuel->var.name;
    char step[80];
    gen_begin_code(g, 100, 1);
    if (g->lengths)
        gen_line(g, "compute %s { %s = 0; }", group->name, name);
    gen_begin(g);
    gen_add(g, "compute %s { %s = u2(", group->name, name);
    group_expr(g, group, g->palette[0]);
    gen_add(g, "); }\n");
    fuel->var.known = true;
    g->fuel_burns = true;
    const char *test = gen_chance(g, 2) ? "while (any(%s != 0)" : "while (!all(%s == 0)";
    bool last = gen_chance(g, 3);
    gen_begin(g);
    gen_add(g, last ? "do" : test, name);
    if (!last) {
        scalar_beside(g, true);
        gen_add(g, ")");
    }
    gen_add(g, " {\n");
    remember(g, &before);
    snprintf(step, sizeof step, "if (%s > 0) { %s -= 1; }", name, name);
    g->indent++;
    compute(g, group, work / 2, trips * 3, step);
    g->indent--;
    gen_body(g, work / 2, depth, trips * 3);
    if (last) {
        gen_begin(g);
        gen_add(g, "} ");
        gen_add(g, test, name);
        scalar_beside(g, true);
        gen_add(g, ");\n");
    } else {
        gen_line(g, "}");
    }
    recall(g, &before, false);
    g->fuel_burns = false;
}

/* An ensemble of one MPU. */
static void top_on(struct gen *g, unsigned work, unsigned trips) {
    struct overview before;
    remember(g, &before);
    if (g->grid_dims == 1)
        gen_line(g, "on ring[%u] {", gen_below(g, g->grid[0]));
    else
        gen_line(g, "on ring[%u, %u] {", gen_below(g, g->grid[0]), gen_below(g, g->grid[1]));
    g->indent++;
    compute(g, choose_group(g), work, trips, NULL);
    g->indent--;
    gen_line(g, "}");
    recall(g, &before, false);
}

static void choose_top(struct gen *g, unsigned work, unsigned depth, unsigned trips) {
    switch (gen_below(g, g->grid_dims || g->launched ? 7 : 8)) {
    case 7:
        top_launch(g, work, depth, trips);
        break;
    case 5:
        top_if_scalar(g, work, depth, trips);
        break;
    case 6:
        if (!g->laps_count)
            top_while_scalar(g, work, depth, trips);
        break;
    case 0:
    case 1:
        top_repeat(g, work, depth, trips);
        break;
    case 2:
        top_for(g, work, depth, trips);
        break;
    case 3:
        top_if(g, work, depth, trips);
        break;
    default:
        if (!g->fuel_burns)
            top_while(g, work, depth, trips);
    }
}

void gen_top(struct gen *g, unsigned work, unsigned depth, unsigned trips) {
    unsigned choice = gen_below(g, 12);
    if (g->grid_dims && gen_chance(g, 6))
        top_on(g, work, trips);
    else if (g->grid_dims && gen_chance(g, 4))
        gen_chance(g, 3) ? gen_message(g, depth > 0) : gen_collective(g);
    else if (g->lengths && gen_chance(g, 8))
        gen_compact(g);
    else if (choice < 3 && depth < 2 && trips <= 9)
        choose_top(g, work, depth, trips);
    else if (choice == 3)
        gen_reduction(g, g->shared + gen_below(g, GEN_SHARED));
    else if (choice == 4 && gen_chance(g, 2))
        gen_scan(g);
    else if (choice == 5 && gen_chance(g, 2))
        top_assign(g);
    else if (choice <= 6)
        gen_move(g);
    else
        compute(g, choose_group(g), work, trips, NULL);
}
