/* SPDX-License-Identifier: MIT
 * What is published about the recipes of others, and the bounds that ours are held to. */
#ifndef TOOLS_MPU_RECIPE_BOUNDS_H
#define TOOLS_MPU_RECIPE_BOUNDS_H

#include "isa-spec/isa.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/vec.h"

/* --- MASTODON (docs/mastodon.csv) --- */

enum mastodon_gates { GATES_MAGIC, GATES_OSCAR, GATES_IDEAL, GATES_COUNT };

/* One of its instructions at one width. */
struct mastodon_row {
    const char *name;
    unsigned width;
    struct mastodon_cost {
        bool known;
        uint64_t logic, transfers; /* micro-ops */
        uint64_t latency;          /* cycles */
        /* Cycles from start to start, 2(n-1) + 1 + f with n and f from latency = (n-1)w + 5 + f;
         * 0 where the latency is no such line: its recipe is for one width. */
        uint64_t interval;
    } of[GATES_COUNT];
};
struct mastodon_rows {
    struct mastodon_row *data; /* in the order of the file, all gate sets together */
    size_t len, cap;
    struct arena arena;
};

/* False after reporting. */
bool bounds_mastodon_read(struct mastodon_rows *rows, const char *path, struct diag *diag);
void bounds_mastodon_free(struct mastodon_rows *rows);
/* Our instruction for one of MASTODON's; OP_COUNT where there is nothing to compare, and then
 * *why (may be NULL) says why. */
enum isa_op bounds_mastodon_op(const char *name, const char **why);
/* The lower of MAGIC and OSCAR: what racer's logic and crossings may not exceed. */
uint64_t bounds_mastodon_logic(const struct mastodon_row *row);
uint64_t bounds_mastodon_crossings(const struct mastodon_row *row);

/* --- least numbers of two-input NORs, by exhaustive search --- */

struct nor_minimum {
    const char *function;
    unsigned nors;  /* per bit */
    enum isa_op op; /* whose loop body it is; OP_COUNT: of none */
};
extern const struct nor_minimum bounds_nor_minima[];
extern const size_t bounds_nor_minima_count;

/* --- mapped against hand-written --- */

/* Micro-ops, geometric mean. */
#define MAPPED_RATIO_LIMIT 1.15

#endif
