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

/* What has been made so far, of every cost, and `rows` with it. */
static struct function_set all_made(const struct search_ops *ops, struct function_set rows,
                                    const struct function_set *made) {
    for (unsigned l = 0; l < ops->levels; l++)
        rows = set_or(rows, &made[l]);
    return rows;
}

/* What the ops make from `rows` and from what they make, until all of `wanted` is there: without
 * `rows`, unless they are made, too. */
static struct function_set close_rows(const struct search_ops *ops, struct search_rows *rows,
                                      const struct function_set *wanted) {
    struct function_set done = {{0}}, all = {{0}}, todo, made[SEARCH_MAX_GATES] = {{{0}}}, result;
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
            result = all_made(ops, (struct function_set){{0}}, made);
            struct function_set open = set_without(*wanted, &result);
            if (set_empty(&open))
                return result;
        }
        all = all_made(ops, all, made);
        todo = set_without(all, &done);
    } while (!set_empty(&todo));
    return all_made(ops, (struct function_set){{0}}, made);
}

void search_closure_of(const struct search_problem *problem, const uint64_t wanted[4],
                       uint64_t set[4]) {
    struct search_state s;
    struct function_set result = {{0}}, until;
    struct search_ops ops;
    memcpy(until.w, wanted, sizeof until.w);
    if (search_open(&s, problem, NULL)) {
        search_ops_build(&ops, problem, SEARCH_ROW, true, &s.arena);
        result = close_rows(&ops, &s.rows, &until);
    }
    memcpy(set, result.w, sizeof result.w);
    search_close(&s);
}

void search_closure(const struct search_problem *problem, uint64_t set[4]) {
    static const uint64_t all[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    search_closure_of(problem, all, set);
}
