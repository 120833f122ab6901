/* SPDX-License-Identifier: MIT
 * Inside the generator of programs about arrays (array_*.c). */
#ifndef TESTS_EZPIM_ARRAY_PARTS_H
#define TESTS_EZPIM_ARRAY_PARTS_H

#include "tests/ezpim/array_gen.h"
#include "tests/ezpim/expr.h"

enum {
    AGEN_GROUPS = 7,
    AGEN_VARS = 12,
    AGEN_DIMS = 4,
    AGEN_SHARED = 4,
    AGEN_COUNTERS = 3,
    AGEN_VALUES = 2,
    AGEN_TABLES = 2
};

/* A number with the text that stands for it. */
struct agen_extent {
    char text[24];
    uint64_t value;
    bool open; /* a size without a bound is in it */
};

struct agen_var {
    char name[16];
    struct rtype type;
    bool writable, is_output, known;
};

struct agen_group {
    char name[8];
    unsigned ndim; /* with the grid's */
    struct agen_extent extents[AGEN_DIMS];
    uint64_t elements;
    unsigned like; /* group on the same VRFs with the same extents, or itself */
    struct agen_var vars[AGEN_VARS];
    unsigned var_count;
};

/* A counter of a loop of `main`: from 0 to last. */
struct agen_counter {
    char name[8];
    uint64_t last;
    bool is_number; /* with constant bounds */
};

/* A link-time value (count 0: a single one) or a table. */
struct agen_list {
    char name[8];
    struct rtype type;
    unsigned count;
};

struct agen {
    struct rng rng;
    const struct array_options *options;
    struct str *text;
    struct against_sizes *sizes;
    unsigned indent, names;
    struct rtype palette[3];
    uint64_t mpus; /* 0: no array of MPUs */
    struct agen_extent known_sizes[3];
    unsigned size_count;
    struct agen_group groups[AGEN_GROUPS];
    unsigned group_count;
    struct agen_var shared[AGEN_SHARED];
    struct agen_list values[AGEN_VALUES], tables[AGEN_TABLES];
    unsigned value_count, table_count;
    struct agen_counter counters[AGEN_COUNTERS];
    unsigned counter_count;
    bool named[AGEN_DIMS]; /* indices of the near side of the move at hand that have names */
    struct rcontext c;
};

bool agen_chance(struct agen *g, unsigned one_in);
unsigned agen_below(struct agen *g, unsigned n);
bool agen_has(const struct agen *g, enum array_form form);
void agen_line(struct agen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void agen_begin(struct agen *g);
void agen_add(struct agen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *agen_type_name(struct rtype t, char text[8]);
/* An expression of that type over what is known of the group; in an ensemble, index() too. */
void agen_expr(struct agen *g, const struct agen_group *group, struct rtype t, unsigned depth);
struct agen_group *agen_group(struct agen *g);
/* A random variable of a type (NULL: of any) that may be written, or read; or NULL. */
struct agen_var *agen_writable(struct agen *g, struct agen_group *group, const struct rtype *t);
struct agen_var *agen_readable(struct agen *g, struct agen_group *group, const struct rtype *t);

/* An extent of at most `most`. */
struct agen_extent agen_extent(struct agen *g, uint64_t most);
/* A group, and its first extents where there is an array of MPUs; extents are added to it. */
struct agen_group *agen_new_group(struct agen *g, const char *name);
/* Groups that products are of. */
void agen_make_factors(struct agen *g);

/* Whether values of that type are multiplied outside of expressions. */
bool agen_may_multiply(const struct agen *g, struct rtype t);

/* A statement each; nothing when no variable fits. */
void agen_move(struct agen *g);
void agen_indexed(struct agen *g);
void agen_fold(struct agen *g);
void agen_fold_along(struct agen *g);
void agen_scan(struct agen *g);
void agen_product(struct agen *g);
void agen_sort(struct agen *g);

#endif
