/* SPDX-License-Identifier: MIT
 * The search as a whole: a first program as a bound, then the exact search below it. */
#include "recipe/search/search.h"
#include "recipe/search/open_states.h"

#include <stdlib.h>
#include <string.h>

#define EASY 4000 /* states before a first program is made without search */

bool search_offer(struct search_state *state, const struct search_plan *plan) {
    struct search_program program;
    if (!search_build(state->p, plan, &state->weaver, &program))
        return false;
    if (state->found && (program.cost > state->best.cost ||
                         (program.cost == state->best.cost && program.chain >= state->best.chain)))
        return false;
    state->best = program;
    state->found = true;
    return true;
}

static void shorten(struct search_state *state) {
    if (state->exhausted || !state->best.chain)
        return;
    state->chains = true;
    state->chain_floor = search_chain_floor(state->p, &state->states);
    state->bound = state->best.cost;
    search_symmetry(state, true);
    if (state->best.chain > state->chain_floor)
        search_run(state);
}

/* Short programs are found sooner without a first one to compare with. */
static void prove_easy(struct search_state *state) {
    uint64_t budget = state->budget;
    state->budget = budget < EASY ? budget : EASY;
    search_prove(state);
    state->budget = budget;
}

/* False: there is no program. */
static bool find(struct search_state *state) {
    if (!search_start(state))
        return false;
    prove_easy(state);
    if (state->exhausted) {
        if (!search_first(state))
            return false;
        state->exhausted = state->states > state->budget;
        search_prove(state);
    }
    if (!state->found)
        return false;
    shorten(state);
    return true;
}

bool search_minimal(const struct search_problem *problem, struct search_program *out) {
    struct search_state *s = xcalloc(1, sizeof *s);
    bool found = search_open(s, problem, NULL) && find(s);
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
static struct function_set close_rows(const struct search_ops *ops, struct search_rows *rows,
                                      struct function_set *made) {
    struct function_set done = {{0}}, all = {{0}}, todo;
    struct search_rows given = *rows;
    unsigned f;
    rows->count = 0;
    for (unsigned i = ops->first[0]; i < ops->first[1]; i++)
        set_add(&made[ops->op[i].level], ops->op[i].c[0]);
    for (unsigned i = 0; i < given.count; i++)
        set_add(&all, given.f[i]);
    do {
        todo = set_without(all, &done);
        while (set_take(&todo, &f)) {
            search_ops_reach(ops, rows, (uint8_t)f, made);
            search_rows_push(rows, (uint8_t)f);
            set_add(&done, f);
        }
        for (unsigned l = 0; l < ops->levels; l++)
            all = set_or(all, &made[l]);
        todo = set_without(all, &done);
    } while (!set_empty(&todo));
    return all;
}

void search_closure(const struct search_problem *problem, uint64_t set[4]) {
    struct search_state s;
    struct function_set made[SEARCH_MAX_GATES] = {{{0}}}, result = {{0}};
    struct search_ops ops;
    if (search_open(&s, problem, NULL)) {
        search_ops_build(&ops, problem, SEARCH_ROW, true, &s.arena);
        close_rows(&ops, &s.rows, made);
        for (unsigned l = 0; l < ops.levels; l++)
            result = set_or(result, &made[l]);
    }
    memcpy(set, result.w, sizeof result.w);
    search_close(&s);
}
