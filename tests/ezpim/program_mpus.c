/* SPDX-License-Identifier: MIT
 * Messages between two MPUs, and collectives of all of them. */
#include "tests/ezpim/program_parts.h"

#include <stdio.h>
#include <string.h>

/* All registers of a variable of a group. */
struct whole {
    struct gen_group *group;
    unsigned first, count;
};

static unsigned mpus(const struct gen *g) {
    return g->grid_dims == 2 ? g->grid[0] * g->grid[1] : g->grid[0];
}

static bool known(const struct whole *w) {
    for (unsigned k = 0; k < w->count; k++)
        if (!w->group->vars[w->first + k].var.known)
            return false;
    return true;
}

static void set_known(const struct whole *w) {
    for (unsigned k = 0; k < w->count; k++)
        w->group->vars[w->first + k].var.known = true;
}

static const struct gen_group_var *var_of(const struct whole *w) {
    return &w->group->vars[w->first];
}

/* A variable with `count` registers (0: with any); false if it is not easily found. */
static bool find_whole(struct gen *g, struct gen_group *group, const struct rtype *t,
                       unsigned count, bool writable, struct whole *w) {
    for (unsigned i = 0; i < 30; i++) {
        unsigned v = gen_below(g, group->var_count);
        const struct gen_group_var *x = &group->vars[v];
        *w = (struct whole){group, v - x->place, x->more.array ? x->more.size : 1};
        if ((!t || gen_same_type(x->var.type, *t)) && (!count || w->count == count) &&
            !x->is_fuel && (writable ? x->more.writable : known(w)))
            return true;
    }
    return false;
}

static void add_name(struct gen *g, const struct whole *w) {
    const char *name = var_of(w)->var.name;
    gen_add(g, "%.*s", (int)strcspn(name, "["), name);
}

static void add_mpu(struct gen *g, unsigned number) {
    if (g->grid_dims == 1)
        gen_add(g, "ring[%u]", number);
    else
        gen_add(g, "ring[%u, %u]", number / g->grid[1], number % g->grid[1]);
}

/* ---- messages ---- */

struct message {
    struct whole sent, got;
    unsigned from, to;
};

/* The first variable of the program that is input and output. */
static bool find_both(struct gen *g, struct whole *w) {
    struct gen_group *group = &g->groups[0];
    for (unsigned v = 0; v < group->var_count; v++) {
        const struct gen_group_var *x = &group->vars[v];
        *w = (struct whole){group, v, x->more.array ? x->more.size : 1};
        if (x->var.name[0] == 'x' && x->more.writable)
            return true;
    }
    return false;
}

/* Messages stand where the compiler sees which is which; or anywhere, and are all of one variable.
 */
static bool choose_message(struct gen *g, struct gen_group *group, unsigned from, unsigned to,
                           struct message *m) {
    *m = (struct message){.from = from, .to = to};
    if (g->one_message) {
        bool found = find_both(g, &m->sent);
        m->got = m->sent;
        return found;
    }
    return find_whole(g, group, NULL, 0, false, &m->sent) &&
           find_whole(g, group, &var_of(&m->sent)->var.type, m->sent.count, true, &m->got);
}

static void send(struct gen *g, const struct message *m) {
    gen_begin(g);
    gen_add(g, "send ");
    add_name(g, &m->sent);
    gen_add(g, " to ");
    add_mpu(g, m->to);
    gen_add(g, ";\n");
}

static void receive(struct gen *g, const struct message *m) {
    gen_begin(g);
    gen_add(g, "recv ");
    add_name(g, &m->got);
    gen_add(g, " from ");
    add_mpu(g, m->from);
    gen_add(g, ";\n");
}

/* The part of one MPU: sends and receives, several times when `laps` is more than 1. */
static void part(struct gen *g, unsigned mpu, const struct message *out, const struct message *in,
                 unsigned laps) {
    gen_begin(g);
    gen_add(g, "on ");
    add_mpu(g, mpu);
    gen_add(g, " {\n");
    g->indent++;
    if (laps > 1)
        gen_line(g, "repeat (%u) {", laps);
    if (out)
        send(g, out);
    if (in)
        receive(g, in);
    if (laps > 1)
        gen_line(g, "}");
    g->indent--;
    gen_line(g, "}");
}

/* inside: of a loop or condition of all MPUs.
 * One MPU sends, the other receives; or both do both.  Who receives stands behind who sends. */
void gen_message(struct gen *g, bool inside) {
    if (inside && !g->one_message)
        return;
    struct gen_group *group = &g->groups[gen_below(g, g->group_count)];
    unsigned a = gen_below(g, mpus(g)), b = (a + 1 + gen_below(g, mpus(g) - 1)) % mpus(g);
    unsigned laps = gen_chance(g, 3) ? 2 + gen_below(g, 2) : 1;
    struct message there, back;
    if (!choose_message(g, group, a, b, &there))
        return;
    if (!gen_chance(g, 3) || !choose_message(g, group, b, a, &back)) {
        part(g, a, &there, NULL, laps);
        part(g, b, NULL, &there, laps);
        return;
    }
    part(g, a, &there, NULL, 1);
    part(g, b, &back, &there, 1);
    part(g, a, NULL, &back, 1);
}

/* ---- collectives ---- */

/* How many registers the sides have, of 1 on the smaller one; where the result is everywhere. */
static const struct {
    const char *name, *word; /* "from", "to", or NULL */
    char sides;              /* '=' as many; '<', '>' y has less, more: by the number of MPUs */
    bool reduces, some;      /* some: only one MPU gets it */
} collectives[] = {
    {"broadcast", "from", '=', false, false}, {"scatter", "from", '<', false, false},
    {"gather", "to", '>', false, true},       {"allgather", NULL, '>', false, false},
    {"alltoall", NULL, '=', false, false},    {"transpose", NULL, '=', false, false},
    {"reduce", "to", '=', true, true},        {"allreduce", NULL, '=', true, false},
};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives, ALLTOALL = 4, TRANSPOSE = 5 };

static const char *choose_operation(struct gen *g, struct rtype t) {
    static const char *const bits[] = {"and", "or", "xor"};
    static const char *const numbers[] = {"sum", "min", "max"};
    if (gen_chance(g, 3))
        return bits[gen_below(g, 3)];
    return t.is_bool ? gen_chance(g, 2) ? "any" : "all" : numbers[gen_below(g, 3)];
}

static bool sides_fit(const struct gen *g, unsigned kind, const struct whole *from,
                      const struct whole *to) {
    unsigned p = mpus(g);
    if (kind == ALLTOALL)
        return to->count == from->count && to->count % p == 0;
    if (kind == TRANSPOSE)
        return to->count == from->count &&
               (g->grid_dims == 1 ? to->count == p : g->grid[0] == g->grid[1]);
    if (collectives[kind].sides == '=')
        return to->count == from->count;
    return collectives[kind].sides == '<' ? from->count == p * to->count
                                          : to->count == p * from->count;
}

static bool choose_sides(struct gen *g, unsigned kind, struct whole *from, struct whole *to) {
    struct gen_group *group = &g->groups[gen_below(g, g->group_count)];
    for (unsigned i = 0; i < 40; i++)
        if (find_whole(g, group, NULL, 0, false, from) &&
            find_whole(g, group, &var_of(from)->var.type, 0, true, to) &&
            sides_fit(g, kind, from, to))
            return true;
    return false;
}

void gen_collective(struct gen *g) {
    struct whole from, to;
    unsigned kind = gen_below(g, COLLECTIVES);
    bool found = false;
    if (gen_chance(g, 8))
        gen_line(g, "barrier;");
    for (unsigned i = 0; i < COLLECTIVES && !found; i++) {
        kind = (kind + 1) % COLLECTIVES;
        found = choose_sides(g, kind, &from, &to);
    }
    if (!found)
        return;
    gen_begin(g);
    gen_add(g, "%s ", collectives[kind].name);
    if (collectives[kind].reduces)
        gen_add(g, "%s ", choose_operation(g, var_of(&from)->var.type));
    add_name(g, &to);
    if (to.first != from.first) {
        gen_add(g, " = ");
        add_name(g, &from);
    }
    if (collectives[kind].word) {
        gen_add(g, " %s ", collectives[kind].word);
        add_mpu(g, gen_below(g, mpus(g)));
    }
    gen_add(g, ";\n");
    if (!collectives[kind].some)
        set_known(&to);
}
