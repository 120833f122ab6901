/* SPDX-License-Identifier: MIT */
#include "recipe/search/search.h"
#include "recipe/search/open_states.h"

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

static void shorten(struct search_state *s) {
    if (s->exhausted || !s->best.chain)
        return;
    s->chains = true;
    s->chain_floor = search_chain_floor(s->p, &s->states);
    s->bound = s->best.cost;
    search_symmetry(s, true);
    if (s->best.chain > s->chain_floor)
        search_run(s);
}

/* Short programs are found sooner without a first one to compare with. */
static void prove_easy(struct search_state *s) {
    uint64_t budget = s->budget;
    s->budget = budget < EASY ? budget : EASY;
    search_prove(s);
    s->budget = budget;
}

/* False: there is no program. */
static bool find(struct search_state *s) {
    if (!search_start(s))
        return false;
    prove_easy(s);
    if (s->exhausted) {
        if (!search_first(s))
            return false;
        s->exhausted = s->states > s->budget;
        search_prove(s);
    }
    if (!s->found)
        return false;
    shorten(s);
    return true;
}

bool search_minimal(const struct search_problem *p, struct search_program *out) {
    struct search_state *s = xcalloc(1, sizeof *s);
    bool found = search_open(s, p, NULL) && find(s);
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
    if (search_open(&s, p, NULL)) {
        search_ops_build(&ops, p, SEARCH_ROW, true, &s.arena);
        close_rows(&ops, &s.rows, made);
        for (unsigned l = 0; l < ops.levels; l++)
            result = set_or(result, &made[l]);
    }
    memcpy(set, result.w, sizeof result.w);
    search_close(&s);
}
