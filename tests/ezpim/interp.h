/* SPDX-License-Identifier: MIT
 * An interpreter of ezpim programs for the tests.  It takes the tree as the parser made it and
 * shares nothing with what lies below the parser: types of values, constants, control flow and
 * calls are worked out here once more, from the language's rules, one element at a time and with
 * exact integers.  Every run ends: its steps are counted.
 *
 *     struct interp *it = interp_new(program);
 *     interp_size(it, "n", 40);
 *     if (interp_ready(it)) { ... fill the cells of the inputs ...; interp_run(it, 1000000); }
 *     if (interp_error(it)) ...
 */
#ifndef TESTS_EZPIM_INTERP_H
#define TESTS_EZPIM_INTERP_H

#include "ezpim/ez/ast.h"
#include "tests/ezpim/expr.h"

struct interp;

/* A value of a variable: the pattern of its type's low bits. */
struct interp_cell {
    uint64_t pattern;
    bool written;
};

/* A variable of the program as the host sees it. */
struct interp_variable {
    const char *name;
    struct rtype type;
    uint8_t direction; /* VAR_IN | VAR_OUT */
    const char *group; /* NULL: one value for all elements */
    bool has_k;
    uint32_t count; /* registers per element */
    uint32_t ndim;  /* extents of its group, those of the grid of MPUs first */
    uint64_t shape[8];
    uint64_t elements;         /* of its group; without one those of the largest group */
    struct interp_cell *cells; /* [elements][count] */
    bool is_value;             /* a link-time value: no output, an input without a default */
    struct rtype outside;      /* `as`: of its arrays, which have all values of `type` */
    bool has_length;           /* some `compact` fills it, or that named by `counted_by` */
    const char *counted_by;    /* of a group[length(..)]: the variable; or NULL */
    uint64_t length;           /* elements that count, from the first on */
};

/* The program's names are replaced by copies that the interpreter owns; otherwise the tree stays
 * as it is, and must outlive the interpreter. */
struct interp *interp_new(struct ez_program *p);
void interp_free(struct interp *it);

/* Binds a size; sizes with a default need it not. */
void interp_size(struct interp *it, const char *name, uint64_t value);
/* Evaluates the declarations; false after an error. */
bool interp_ready(struct interp *it);

size_t interp_variable_count(const struct interp *it);
const struct interp_variable *interp_variable(const struct interp *it, size_t index);

/* Runs `main` once.  False after an error: an unwritten variable is read, a loop runs on beyond
 * the steps, something is not known to this interpreter. */
bool interp_run(struct interp *it, uint64_t steps);
/* What went wrong, or NULL. */
const char *interp_error(const struct interp *it);

#endif
