/* SPDX-License-Identifier: MIT
 * Subroutines and their calls. */
#include "tests/ezpim/program_parts.h"

#include <stdio.h>
#include <string.h>

const struct gen_sub *gen_choose_sub(struct gen *g) {
    unsigned start = g->sub_count ? gen_below(g, g->sub_count) : 0;
    for (unsigned i = 0; i < g->sub_count; i++) {
        const struct gen_sub *s = &g->subs[(start + i) % g->sub_count];
        if (s != g->sub && g->cost + s->cost * g->trips <= g->work && g->code + s->code <= 140)
            return s;
    }
    return NULL;
}

/* A variable for an output; one that was given already is taken again now and then. */
static unsigned choose_place(struct gen *g, const struct gen_sub *s, unsigned param,
                             const unsigned *given) {
    struct rtype t = s->params[param].type;
    bool known = s->params[param].direction == GEN_INOUT;
    for (unsigned i = 0; i < param; i++)
        if (given[i] != R_MAX_VARS && !s->params[i].size &&
            gen_same_type(g->c.vars[given[i]].type, t) && g->more[given[i]].writable &&
            (!known || g->c.vars[given[i]].known) && gen_chance(g, 3))
            return given[i];
    unsigned v = gen_find(g, &t, known);
    if (v == R_MAX_VARS)
        gen_let(g, t, known, &v);
    return v;
}

/* The first element of an array. */
static unsigned choose_array(struct gen *g, const struct gen_sub *s, unsigned param) {
    struct rtype t = s->params[param].type;
    bool known = s->params[param].direction != GEN_OUT;
    unsigned v = gen_find_array(g, t, s->params[param].size, known);
    return v != R_MAX_VARS ? v : gen_let_array(g, t, s->params[param].size, !known);
}

static void choose_places(struct gen *g, const struct gen_sub *s, unsigned *given) {
    for (unsigned i = 0; i < s->param_count; i++) {
        given[i] = R_MAX_VARS;
        if (s->params[i].size)
            given[i] = choose_array(g, s, i);
        else if (s->params[i].direction != GEN_IN)
            given[i] = choose_place(g, s, i, given);
    }
}

/* An input that is often the very variable that an output gets. */
static void write_input(struct gen *g, const struct gen_sub *s, unsigned param,
                        const unsigned *given) {
    struct rtype t = s->params[param].type;
    for (unsigned i = 0; i < s->param_count; i++)
        if (given[i] != R_MAX_VARS && g->c.vars[given[i]].known &&
            gen_same_type(g->c.vars[given[i]].type, t) && gen_chance(g, 2)) {
            gen_add(g, "%s", g->c.vars[given[i]].name);
            return;
        }
    gen_expr(g, t, gen_below(g, 3));
}

/* The bare name. */
static void write_array(struct gen *g, unsigned var) {
    const char *name = g->c.vars[var].name;
    gen_add(g, "%.*s", (int)strcspn(name, "["), name);
}

static unsigned count_of(const struct gen_sub *s, unsigned param) {
    return s->params[param].size ? s->params[param].size : 1;
}

static void write_args(struct gen *g, const struct gen_sub *s, const unsigned *given) {
    unsigned calls = g->c.calls;
    g->c.calls = 0;
    gen_add(g, "%s(", s->name);
    for (unsigned i = 0; i < s->param_count; i++) {
        gen_add(g, i ? ", " : "");
        if (s->params[i].size)
            write_array(g, given[i]);
        else if (given[i] != R_MAX_VARS)
            gen_add(g, "%s", g->c.vars[given[i]].name);
        else
            write_input(g, s, i, given);
    }
    gen_add(g, ");\n");
    g->c.calls = calls;
    for (unsigned i = 0; i < s->param_count; i++)
        for (unsigned k = 0; s->params[i].direction != GEN_IN && k < count_of(s, i); k++)
            gen_written(g, given[i] + k);
}

/* What stands on the left of the call: it is looked at first.  True if it decides whether the call
 * is made at all. */
static bool write_left(struct gen *g, struct rtype t) {
    static const char *const logic[] = {"&&", "||", "^", "=="};
    static const char *const words[] = {"+", "-", "^", "*"};
    unsigned k = gen_below(g, 4);
    char type[8];
    gen_add(g, "%s(", t.is_bool ? "" : gen_type_name(t, type));
    gen_expr(g, t, gen_below(g, 2));
    gen_add(g, ") %s ", t.is_bool ? logic[k] : words[k]);
    return t.is_bool && k < 2;
}

/* The outputs are as known as they were. */
static void write_args_maybe(struct gen *g, const struct gen_sub *s, const unsigned *given) {
    bool known[R_MAX_VARS];
    for (unsigned v = 0; v < g->c.var_count; v++)
        known[v] = g->c.vars[v].known;
    write_args(g, s, given);
    for (unsigned v = 0; v < g->c.var_count; v++)
        g->c.vars[v].known = known[v];
}

/* The value goes to a variable, a new one, or nowhere. */
void gen_call(struct gen *g, const struct gen_sub *s) {
    unsigned given[GEN_PARAMS], to = R_MAX_VARS;
    char name[16] = "";
    choose_places(g, s, given);
    bool used = s->has_result && !gen_chance(g, 4);
    gen_begin(g);
    if (used && !gen_chance(g, 3))
        to = gen_find(g, &s->result, false);
    if (used && to != R_MAX_VARS) {
        gen_add(g, "%s = ", g->c.vars[to].name);
    } else if (used) {
        gen_name(g, 't', name);
        gen_add(g, "let %s = ", name);
    }
    if ((name[0] || to != R_MAX_VARS) && gen_chance(g, 3) && write_left(g, s->result))
        write_args_maybe(g, s, given);
    else
        write_args(g, s, given);
    if (to != R_MAX_VARS)
        gen_written(g, to);
    if (name[0])
        gen_declare(g, name, s->result, true, (struct gen_var){.writable = true});
    g->cost += s->cost * g->trips;
    g->code += s->code;
}

/* Outputs that may not have a value get one. */
static void complete_outputs(struct gen *g) {
    for (unsigned v = 0; v < g->c.var_count; v++) {
        if (!g->more[v].is_output || g->c.vars[v].known)
            continue;
        gen_begin(g);
        gen_add(g, "%s = ", g->c.vars[v].name);
        gen_expr(g, g->c.vars[v].type, 1);
        gen_add(g, ";\n");
        gen_written(g, v);
    }
}

static void note_return(struct gen *g) {
    for (unsigned v = 0; v < g->c.var_count; v++)
        g->at_return[v] = (!g->returned || g->at_return[v]) && g->c.vars[v].known;
    g->returned = true;
}

void gen_return(struct gen *g) {
    if (g->sub)
        complete_outputs(g);
    else
        note_return(g);
    gen_begin(g);
    gen_add(g, "return");
    if (g->sub && g->sub->has_result) {
        gen_add(g, " ");
        gen_expr(g, g->sub->result, 2);
    }
    gen_add(g, ";\n");
}

static bool is_pure(const struct gen_sub *s) {
    for (unsigned i = 0; i < s->param_count; i++)
        if (s->params[i].direction != GEN_IN || s->params[i].size)
            return false;
    return s->has_result && s->param_count <= 3;
}

/* Expressions may call it, too. */
static void note_function(struct gen *g, const struct gen_sub *s) {
    if (!is_pure(s) || g->c.function_count == R_MAX_FUNCTIONS)
        return;
    struct rfunction *f = &g->c.functions[g->c.function_count++];
    *f = (struct rfunction){.result = s->result, .param_count = s->param_count};
    memcpy(f->name, s->name, sizeof f->name);
    for (unsigned i = 0; i < s->param_count; i++)
        f->params[i] = s->params[i].type;
}

static void declare_param(struct gen *g, struct gen_sub *s, unsigned i) {
    char name[32];
    unsigned size = s->params[i].size;
    bool known = s->params[i].direction != GEN_OUT;
    struct gen_var more = {.writable = true,
                           .is_output = s->params[i].direction != GEN_IN,
                           .array = size ? ++g->arrays : 0,
                           .size = size};
    snprintf(name, sizeof name, "p%u", i);
    if (!size)
        gen_declare(g, name, s->params[i].type, known, more);
    for (unsigned k = 0; k < size; k++) {
        snprintf(name, sizeof name, "p%u[%u]", i, k);
        gen_declare(g, name, s->params[i].type, known, more);
    }
}

static void make_params(struct gen *g, struct gen_sub *s) {
    static const char *const words[] = {"", "out ", "inout "};
    char type[8];
    s->param_count = gen_below(g, GEN_PARAMS + 1);
    bool pure = gen_chance(g, 2);
    for (unsigned i = 0; i < s->param_count; i++) {
        s->params[i].type = g->palette[gen_below(g, GEN_PALETTE)];
        s->params[i].direction = pure ? GEN_IN : (enum gen_direction)gen_below(g, 3);
        s->params[i].size = !pure && gen_chance(g, 4) ? 1 + gen_below(g, 3) : 0;
        gen_add(g, "%s%sp%u: %s", i ? ", " : "", words[s->params[i].direction], i,
                gen_type_name(s->params[i].type, type));
        if (s->params[i].size)
            gen_add(g, "[%u]", s->params[i].size);
        declare_param(g, s, i);
    }
}

void gen_make_sub(struct gen *g) {
    struct gen_sub *s = &g->subs[g->sub_count];
    char type[8];
    unsigned vars = g->c.var_count;
    *s = (struct gen_sub){.has_result = !gen_chance(g, 3)};
    snprintf(s->name, sizeof s->name, "sub%u", g->sub_count);
    g->sub = s;
    gen_add(g, "sub %s(", s->name);
    make_params(g, s);
    s->result = g->palette[gen_below(g, GEN_PALETTE)];
    gen_add(g, ")");
    if (s->has_result)
        gen_add(g, ": %s", gen_type_name(s->result, type));
    gen_add(g, " {\n");
    gen_block(g, 2 + gen_below(g, 3));
    g->indent++;
    if (!g->dead)
        gen_return(g);
    g->indent--;
    gen_add(g, "}\n");
    s->cost = g->cost + 2;
    s->code = g->code + 2;
    g->c.var_count = vars;
    g->sub = NULL;
    g->sub_count++;
    note_function(g, s);
}
