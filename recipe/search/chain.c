/* SPDX-License-Identifier: MIT
 * How short a chain can be at all: every function that can be made without late values is taken to
 * be there for nothing, and what remains to be made of the early outputs is a problem of its own.
 * The steps of any program's chain solve it, so none is shorter than what it costs. */
#include "recipe/search/open_states.h"

#include <stdlib.h>

#define LOOKS 4000 /* states for that; the floor reached by then holds as well */

static struct search_problem without_late(const struct search_problem *p) {
    struct search_problem q = *p;
    q.value_count = q.output_count = 0;
    for (unsigned i = 0; i < p->value_count; i++)
        if (!p->values[i].late)
            q.values[q.value_count++] = p->values[i];
    return q;
}

/* Can the output's own step do without late values? */
static bool is_prompt(const struct search_problem *prompt, const struct search_output *out,
                      const struct function_set *made, const struct search_rows *rows) {
    struct arena arena = {0};
    struct search_ops ops;
    bool can;
    if (out->place == SEARCH_ROW)
        return set_has(made, out->truth);
    search_ops_build(&ops, prompt, out->place, true, &arena);
    can = search_ops_cost(&ops, rows, out->truth) != SEARCH_NEVER;
    arena_free(&arena);
    return can;
}

static struct function_set all_rows(const struct search_problem *p, const struct function_set *made,
                                    struct search_rows *rows) {
    struct function_set all = *made, todo;
    unsigned f;
    for (unsigned i = 0; i < p->value_count; i++)
        if (p->values[i].place == SEARCH_ROW)
            set_add(&all, p->values[i].truth);
    rows->count = 0;
    for (todo = all; set_take(&todo, &f);)
        search_rows_push(rows, (uint8_t)f);
    return all;
}

static uint64_t least_cost(const struct search_problem *p, const struct function_set *free_rows,
                           uint64_t *states) {
    struct search_state *s = xcalloc(1, sizeof *s);
    uint64_t floor = 0;
    if (search_open(s, p, free_rows) && search_start(s)) {
        s->cost_only = true;
        s->budget = LOOKS;
        search_symmetry(s, true);
        search_prove(s);
        floor = s->floor;
    }
    *states += s->states;
    search_close(s);
    free(s);
    return floor;
}

uint64_t search_chain_floor(const struct search_problem *p, uint64_t *states) {
    struct search_problem prompt = without_late(p), chain = *p;
    struct function_set made, there;
    struct search_rows rows;
    search_closure(&prompt, made.w);
    there = all_rows(&prompt, &made, &rows);
    chain.output_count = 0;
    for (unsigned i = 0; i < p->output_count; i++)
        if (p->outputs[i].early && !is_prompt(&prompt, &p->outputs[i], &made, &rows))
            chain.outputs[chain.output_count++] = p->outputs[i];
    return chain.output_count ? least_cost(&chain, &there, states) : 0;
}
