/* SPDX-License-Identifier: MIT */
#include "recipe/search.h"
#include "recipe/search_state.h"

#include <stdlib.h>
#include <string.h>

#define EASY 4000 /* states before a first program is made without search */

bool search_offer(struct search_state *s, const struct search_plan *plan) {
    struct search_program program;
    if (!search_build(s->p, plan, &s->weaver, &program))
        return false;
    if (s->found && (program.cost > s->best.cost ||
                     (program.cost == s->best.cost && program.chain >= s->best.chain)))
        return false;
    s->best = program;
    s->found = true;
    return true;
}

/* Between two runs the bound grows by the cost of a step of two sources, of which programs mostly
 * consist. */
static uint64_t stride(const struct search_state *s) {
    uint64_t least = SEARCH_NEVER;
    for (unsigned i = s->ops.first[2]; i < s->ops.first[4]; i++)
        if (s->ops.op[i].cost < least)
            least = s->ops.op[i].cost;
    return least != SEARCH_NEVER ? least : s->ops.levels ? s->cheapest : 1;
}

/* Raises the floor until the best program lies on it. */
static void prove(struct search_state *s) {
    uint64_t step = stride(s), most = (uint64_t)SEARCH_MAX_STEPS * UINT32_MAX;
    while (!s->exhausted && s->floor <= most && (!s->found || s->best.cost > s->floor)) {
        uint64_t bound = s->floor + step - 1;
        if (s->found && bound >= s->best.cost)
            bound = s->best.cost - 1;
        s->bound = bound;
        search_run(s);
        if (s->exhausted)
            return;
        s->floor = s->found && s->best.cost <= bound ? s->best.cost : bound + 1;
    }
}

static bool has_chain(const struct search_problem *p) {
    bool late = false, early = false;
    for (unsigned i = 0; i < p->value_count; i++)
        late |= p->values[i].late;
    for (unsigned i = 0; i < p->output_count; i++)
        early |= p->outputs[i].early;
    return late && early;
}

static void shorten(struct search_state *s) {
    if (s->exhausted || !s->found || !has_chain(s->p) || s->best.chain <= s->chain_floor)
        return;
    s->chains = true;
    s->bound = s->best.cost;
    search_symmetry(s, true);
    search_run(s);
}

/* The least that a program can cost; false if an output cannot be made at all. */
static bool start_floor(struct search_state *s) {
    s->floor = s->node[0].used;
    for (unsigned i = 0; i < s->need_count; i++) {
        if (s->need[i].least == SEARCH_NEVER)
            return false;
        s->floor += s->node[0].open >> i & 1 ? s->need[i].least : 0;
    }
    return true;
}

/* Short programs are found sooner without a first one to compare with. */
static void prove_easy(struct search_state *s) {
    uint64_t budget = s->budget;
    s->budget = budget < EASY ? budget : EASY;
    prove(s);
    s->budget = budget;
}

/* False: there is no program. */
static bool find(struct search_state *s) {
    if (!start_floor(s))
        return false;
    prove_easy(s);
    if (s->exhausted) {
        if (!search_first(s))
            return false;
        s->exhausted = s->states > s->budget;
        prove(s);
    }
    if (!s->found)
        return false;
    shorten(s);
    return true;
}

bool search_minimal(const struct search_problem *p, struct search_program *out) {
    struct search_state *s = xcalloc(1, sizeof *s);
    bool found = search_open(s, p) && find(s);
    if (found) {
        *out = s->best;
        out->minimal = s->floor == s->best.cost;
        out->states = s->states;
    }
    search_close(s);
    free(s);
    return found;
}

/* What the ops make from `rows` and from what they make, rows included. */
static struct function_set close_rows(const struct search_ops *o, struct search_rows *rows,
                                      struct function_set *made) {
    struct function_set done = {{0}}, all = {{0}}, todo;
    struct search_rows given = *rows;
    unsigned f;
    rows->count = 0;
    for (unsigned i = o->first[0]; i < o->first[1]; i++)
        set_add(&made[o->op[i].level], o->op[i].c[0]);
    for (unsigned i = 0; i < given.count; i++)
        set_add(&all, given.f[i]);
    do {
        todo = set_without(all, &done);
        while (set_take(&todo, &f)) {
            search_ops_reach(o, rows, (uint8_t)f, made);
            search_rows_push(rows, (uint8_t)f);
            set_add(&done, f);
        }
        for (unsigned l = 0; l < o->levels; l++)
            all = set_or(all, &made[l]);
        todo = set_without(all, &done);
    } while (!set_empty(&todo));
    return all;
}

void search_closure(const struct search_problem *p, uint64_t set[4]) {
    struct search_state s;
    struct function_set made[SEARCH_MAX_GATES] = {{{0}}}, result = {{0}};
    struct search_ops ops;
    if (search_open(&s, p)) {
        search_ops_build(&ops, p, SEARCH_ROW, true, &s.arena);
        close_rows(&ops, &s.rows, made);
        for (unsigned l = 0; l < ops.levels; l++)
            result = set_or(result, &made[l]);
    }
    memcpy(set, result.w, sizeof result.w);
    search_close(&s);
}
