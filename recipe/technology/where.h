/* SPDX-License-Identifier: MIT
 * What the text of an op says: its function and the condition on the places of its operands. */
#ifndef RECIPE_TECHNOLOGY_WHERE_H
#define RECIPE_TECHNOLOGY_WHERE_H

#include "recipe/notation/expr.h"
#include "recipe/technology/plane_target.h"

/* Classes of places, as class(x) yields them: row classes count from 0. */
#define CLASS_UNKNOWN (-2)
enum place_class { CLASS_BUFFER = 1000, CLASS_C, CLASS_M, CLASS_VALID };

struct where_place {
    int class;
    int section; /* -1: the latches C, M and valid, where they belong to no section */
};

/* A condition over class(x), section(x), row(x) and `here`, the issuing section. */
struct where_expr {
    const struct recipe_expr *expr;  /* names resolved */
    const struct row_class *classes; /* of the target's rows; NULL: one holds registers */
    unsigned speaks_of;              /* bit i: of class CLASS_BUFFER + i */
};

/* Where C, M and valid lie: see struct plane_target. */
static inline int target_class_of_c(const struct target *target) {
    return plane_target(target)->class_of_c;
}
static inline int target_class_of_m(const struct target *target) {
    return plane_target(target)->class_of_m;
}
static inline int target_class_of_valid(const struct target *target) {
    return plane_target(target)->class_of_valid;
}

/* C, M or valid of that class is a row of the first section, where others are apart from it. */
static inline bool target_is_first_row(const struct target *target, int class) {
    return technology_sections_apart(target) && class < CLASS_BUFFER;
}

/* Names of an op's operands, sources first. */
struct op_names {
    const char *names[OP_MAX_SOURCES + OP_MAX_DESTS]; /* a tied destination has its source's name */
    unsigned nsrc, ndst;
    unsigned rows; /* conditions on a command: how many rows it opens, as `rows`; 0: it is none */
};

/* The truth table of one destination's function with the old value as the source behind the last,
 * where there is room for one; sets *reads_old if the function uses it.  False after reporting. */
bool technology_fn_compile(struct notation_parser *parser, const struct op_names *names,
                           unsigned dest, uint32_t *truth, bool *reads_old);
/* NULL after reporting. */
const struct where_expr *technology_where_compile(struct notation_parser *parser,
                                                  const struct op_names *names,
                                                  const struct row_class *classes,
                                                  uint32_t class_count);
/* What a condition asks for. */
struct where_questions {
    unsigned classes, sections; /* bit i: of operand i */
    bool here;
};
struct where_questions technology_where_asks(const struct where_expr *where);
/* Conditions that the loader makes: class(operand) `mark` class (a number), class(a) != class(b),
 * section(operand) == here, and two conditions joined by a mark; the left one may be NULL. */
struct recipe_expr *technology_where_class_test(struct arena *arena, unsigned operand,
                                                uint16_t mark, int64_t class);
struct recipe_expr *technology_where_classes_differ(struct arena *arena, unsigned one,
                                                    unsigned other);
struct recipe_expr *technology_where_section_here(struct arena *arena, unsigned operand);
struct recipe_expr *technology_where_join(struct arena *arena, struct recipe_expr *left,
                                          uint16_t mark, struct recipe_expr *right);

/* Places in the order of op_names.  Where several classes hold registers, each may lie in any of
 * them, and the condition has to hold for each. */
bool technology_where_holds(const struct where_expr *where, const struct where_place *places,
                            int here);
/* The same where places of CLASS_UNKNOWN are still open: 0, 1, or -1 while it depends on them. */
int technology_where_decided(const struct where_expr *where, const struct where_place *places,
                             int here);

/* May what an op's preset names set its destinations in these places?  (possible.c) */
bool technology_presets_hold(const struct target *target, const struct target_op *op,
                             const struct where_place *dst);

/* A time or energy: numbers and names with + - *; names are looked up by the caller. */
typedef bool quantity_lookup(const void *context, const char *name, int64_t *value);
bool technology_quantity_eval(struct notation_parser *parser, quantity_lookup *lookup,
                              const void *context, const char *const *known, size_t known_count,
                              uint64_t *value);

#endif
