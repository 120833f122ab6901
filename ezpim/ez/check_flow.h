/* SPDX-License-Identifier: MIT
 * What is written on ways that part and join (check_flow.c). */
#ifndef EZPIM_EZ_CHECK_FLOW_H
#define EZPIM_EZ_CHECK_FLOW_H

#include "ezpim/ez/check.h"

/* What one of several ways wrote. */
struct flow_way {
    VEC(struct flow_change) after;
    size_t mark;
    bool unreached; /* nobody comes to its beginning */
    bool ends;      /* nobody comes to its end */
};

void ez_way_begin(struct checker *checker, struct flow_way *way);
/* Takes back what the way wrote, and keeps it in `way`. */
void ez_way_end(struct checker *checker, struct flow_way *way);
/* Behind an if: written is what both ways wrote, as far as they come to the join. */
void ez_way_join(struct checker *checker, const struct flow_way *left,
                 const struct flow_way *right);
/* Behind a loop whose body may have been run or, surely, was. */
void ez_way_join_loop(struct checker *checker, const struct flow_way *way, bool surely_run);
void ez_way_free(struct flow_way *way);

/* Limits of REPEAT. */
enum { MAX_REPEAT = (1 << 22) - 1, MAX_REPEAT_DEPTH = 4, MAX_LAPS = 1 << 16, FEW_LAPS = 64 };
/* Checks bounds of `for` at compile time: constants, or 0 and a size. False after reporting, or if
 * they are neither. */
bool ez_counted_bounds(struct checker *checker, struct stmt *stmt);
/* The number of laps; false after reporting that there are too many. */
bool ez_count_laps(struct checker *checker, const struct stmt *stmt, ez_number limit,
                   uint64_t *laps);
/* Where the counter of a loop at top level stands in its body: a sum. */
enum counter_use {
    COUNTER_UNUSED = 0,
    COUNTER_MOVES = 1,     /* in indices and ranges of moves */
    COUNTER_VALUE = 2,     /* in `compute`, as a value */
    COUNTER_OTHERWISE = 4, /* where there must be a number */
};
enum counter_use ez_counter_uses(struct stmt *body, const char *name);
/* How deep loops at top level are nested in the statements. */
unsigned ez_repeats_inside(const struct stmt *stmt);
/* Makes stmt->name the counter of a loop that is repeated; NULL after reporting. */
struct ez_symbol *ez_declare_top_counter(struct checker *checker, struct stmt *stmt);
bool ez_report_too_large(struct checker *checker, const struct stmt *stmt);

#endif
