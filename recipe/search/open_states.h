/* SPDX-License-Identifier: MIT
 * What the parts of the search share: the problem made ready, and the path that is being looked at.
 * search.c says how it works. */
#ifndef RECIPE_SEARCH_OPEN_STATES_H
#define RECIPE_SEARCH_OPEN_STATES_H

#include "recipe/search/ops.h"
#include "support/vec.h"

#define SEARCH_NEVER    UINT64_MAX
#define SEARCH_SYMMETRY 6 /* permutations of three variables */

/* An output as a goal of the search. */
struct search_need {
    uint8_t truth;
    bool row; /* made in a row, where others may read it; otherwise by a step after all others */
    const struct search_ops *ops;
    uint64_t least;             /* no step that makes it costs less */
    struct function_set before; /* functions from which one step makes it */
    struct function_set *with;  /* with[z]: together with z */
};

/* One row value more than the node above it. */
struct search_node {
    struct function_set *reach; /* [level]: one step of that cost away, and not only these */
    struct function_set *shut;  /* [level]: not to be made at that cost below this node */
    struct function_set before[SEARCH_MAX_OUTPUTS]; /* a row value that makes need i ready */
    uint64_t ready[SEARCH_MAX_OUTPUTS]; /* cost of need i's step if it is no row; or NEVER */
    uint64_t used;                      /* cost of the steps so far */
    uint64_t own;                       /* that of the last one */
    uint8_t open;                       /* bit i: need i is not made yet */
    uint8_t group;                      /* bit i: permutation i changes nothing here */
};

/* Functions to make in rows, in order, and at most what for. */
struct search_plan {
    uint8_t f[SEARCH_MAX_STEPS];
    uint64_t cost[SEARCH_MAX_STEPS];
    unsigned count;
};

/* One way to make a node of a plan; see program.c. */
struct search_way {
    uint8_t node, gate, src[SEARCH_MAX_SRC];
    bool beaten; /* another one is as good for every chain */
};

/* Working memory of search_build, used again and again. */
struct search_weaver {
    VEC(struct search_way) ways;
    uint8_t order[SEARCH_MAX_STEPS + SEARCH_MAX_OUTPUTS]; /* nodes in the order of their making */
    unsigned made;
};

struct search_state {
    const struct search_problem *p;
    struct arena arena;
    struct search_ops ops;                      /* results in rows */
    struct search_ops last[SEARCH_MAX_OUTPUTS]; /* results in the place of need i, if no row */
    struct search_need need[SEARCH_MAX_OUTPUTS];
    unsigned need_count;
    uint64_t cheapest;          /* cost of a row step at least */
    uint64_t weight;            /* states that one look counts for: more where gates are many */
    struct search_rows rows;    /* the problem's, then one for each node after the first */
    unsigned given;             /* the problem's */
    struct function_set closed; /* not to be made in rows: given, or of no use */
    struct search_node node[SEARCH_MAX_STEPS + 1];
    uint8_t permuted[SEARCH_SYMMETRY][256];
    uint64_t bound;  /* looks for programs that cost no more */
    uint64_t floor;  /* none costs less */
    uint64_t budget; /* as in the problem */
    uint64_t states;
    bool stop, exhausted; /* exhausted: the budget is */
    bool cost_only;       /* costs of programs are enough */
    bool chains;          /* looks for short chains among programs of cost `bound` */
    uint64_t chain_floor;
    struct search_weaver weaver;
    bool found;
    struct search_program best;
};

/* Builds everything up to the first node.  The functions in `free` are there in rows besides p's
 * values; NULL: none.  False if p is out of bounds. */
bool search_open(struct search_state *s, const struct search_problem *p,
                 const struct function_set *free);
void search_close(struct search_state *s);
/* Finds what renaming of variables changes nothing; with chains also about late and early. */
void search_symmetry(struct search_state *s, bool chains);
/* Adds z, made by a step of cost own, below node `at`. */
void search_push(struct search_state *s, unsigned at, uint8_t z, uint64_t own);
void search_pop(struct search_state *s);

/* Looks at all programs of cost up to s->bound that the floor does not exclude. */
void search_run(struct search_state *s);
/* Sets the floor from the outputs alone; false if one of them cannot be made at all. */
bool search_start(struct search_state *s);
/* Raises the floor until the best program lies on it, or the budget is used up. */
void search_prove(struct search_state *s);
/* No program's chain is shorter.  Adds the states that were looked at. */
uint64_t search_chain_floor(const struct search_problem *p, uint64_t *states);

/* A program, cheap but not always the cheapest, into s->best.  False if there is none. */
bool search_first(struct search_state *s);

/* The program of a plan, with the shortest chain that it allows.  False if the outputs cannot be
 * made from it or the steps are too many. */
bool search_build(const struct search_problem *p, const struct search_plan *plan,
                  struct search_weaver *w, struct search_program *out);
/* Takes the program if it is better than the best. */
bool search_offer(struct search_state *s, const struct search_plan *plan);

#endif
