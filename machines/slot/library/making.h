/* SPDX-License-Identifier: MIT
 * Inner header of the row library: a routine on its way to a row program.
 *
 *   make.c          carries the text out for one width and slot, statement by statement
 *   make_numbers.c  works its numbers out
 *   make_rows.c     makes items of expressions, whose operands are values
 *   lookup.c        makes queries of lookups that the target's match logic can do
 *   roll.c          turns items of a loop that repeat themselves into laps, when the loop ends
 *   finish.c        writes results, drops what nobody reads, and gives values rows */
#ifndef MACHINES_SLOT_LIBRARY_MAKING_H
#define MACHINES_SLOT_LIBRARY_MAKING_H

#include "machines/slot/library/library.h"
#include "machines/slot/library/notation.h"

enum row_place { PLACE_NONE, PLACE_REGISTER, PLACE_VALUE, PLACE_CONSTANT, PLACE_TABLE };

/* An operand.  Constants and tables are lists: one for each lap that they step with. */
struct row_operand {
    uint8_t place;
    uint32_t id;            /* register: ROW_RS ..; value: its number; else first of the list */
    uint32_t len;           /* of the list */
    int16_t step[ROW_NEST]; /* the innermost lap first */
};
struct row_item {
    uint8_t kind, bits;
    uint8_t power; /* as row_word.power, 1 the innermost */
    uint32_t count;
    int16_t count_step[ROW_NEST]; /* the innermost first */
    struct row_operand dst, a, b;
};

struct row_binding {
    const char *name;
    enum { BOUND_NUMBER, BOUND_ROW, BOUND_VALUE, BOUND_TABLE } kind;
    bool source;     /* ROW: an operand of the instruction that may also be a result */
    uint64_t number; /* NUMBER; VALUE and ROW: see operand */
    struct row_operand operand;
    const uint64_t *entries; /* TABLE */
    uint32_t entry_count;
};

struct row_making {
    const struct row_library *library;
    const struct row_units *units;
    const struct insn *insn;
    const struct row_wanted *wanted;
    unsigned w, slot;
    VEC(struct row_item) items;
    VEC(uint64_t) lists;           /* of constants, and of numbers of tables */
    VEC(struct row_table) tables;  /* entries malloc'ed */
    VEC(struct row_binding) names; /* the innermost last */
    VEC(uint64_t *) arrays;        /* malloc'ed, of bindings */
    size_t floor;                  /* names below it are those of callers */
    uint32_t next_value;
    unsigned loops;    /* around what is made */
    unsigned depth;    /* of calls */
    uint32_t steps;    /* statements so far */
    bool fewest_words; /* of several ways the shortest, not the one that costs least */
    bool too_long;     /* it failed for its words */
    bool failed;
    bool lacks;          /* it failed for what the target's match logic cannot do */
    struct span at;      /* of what is wrong */
    struct str *problem; /* what */
};

void row_fail(struct row_making *m, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same where another way of the text may still do. */
void row_lack(struct row_making *m, struct span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- make.c ---- */

/* The innermost of the name; NULL: there is none. */
struct row_binding *row_find_name(const struct row_making *m, const char *name);
struct row_binding *row_bind_name(struct row_making *m, const char *name, struct row_binding what);
static inline struct row_binding row_bound_number(uint64_t number) {
    return (struct row_binding){.kind = BOUND_NUMBER, .number = number};
}
static inline struct row_binding row_bound_row(struct row_operand operand) {
    return (struct row_binding){.kind = BOUND_ROW, .operand = operand};
}
static inline struct row_binding row_bound_value(struct row_operand operand) {
    return (struct row_binding){.kind = BOUND_VALUE, .operand = operand};
}
/* The name's place in a list; -1: it is not there. */
int row_name_at(const char *const *names, unsigned count, const char *name);
/* False after row_fail. */
bool row_run_block(struct row_making *m, const struct row_stmt *s);

/* ---- make_numbers.c ---- */

bool row_is_number(const struct row_making *m, const struct recipe_expr *e);
/* 0 after row_fail. */
uint64_t row_number_of(struct row_making *m, const struct recipe_expr *e);

/* ---- make_rows.c ---- */

/* Where what an expression comes to is, made if it is not there yet. */
struct row_operand row_of_expr(struct row_making *m, const struct recipe_expr *e);
void row_put_into(struct row_making *m, struct row_operand to, const struct recipe_expr *e);
void row_call_sub(struct row_making *m, const struct recipe_expr *e,
                  const struct row_operand *targets, unsigned count);

/* ---- the others ---- */

/* Items of the laps of a loop: lap i begins at starts[i], and the last one ends where the items do.
 * What repeats itself is rolled. */
void row_roll(struct row_making *m, const size_t *starts, size_t laps);

/* Cost of the items from `first` on, or how many they are (fewest_words). */
uint64_t row_items_cost(const struct row_making *m, size_t first);

/* The result that goes to a register or mask, and the value that it has. */
struct row_result {
    uint16_t row; /* ROW_RS .. ROW_M */
    uint32_t value;
};
/* Writes the results and makes words of the items; false after row_fail. */
bool row_finish(struct row_making *m, const struct row_result *results, unsigned count,
                struct row_pool *pool, struct row_program *program);

void row_emit(struct row_making *m, enum row_kind kind, struct row_operand dst,
              struct row_operand a, struct row_operand b);
void row_put(struct row_making *m, struct row_item item);
/* In place, by bytes and bits. */
void row_emit_shift(struct row_making *m, bool left, struct row_operand to, uint64_t by);
/* In `to` what stands at the number in each field of `bits` bits of `from`, in a table of 2^k
 * elements of as many bits; a number is below 2^k, and k is no more than bits. */
struct row_lookup {
    struct row_operand to, from;
    unsigned k, bits;
    const uint64_t *entries; /* [1 << k] */
    struct span at;
};
void row_put_lookup(struct row_making *m, const struct row_lookup *lookup);
/* The same number in each slot. */
struct row_operand row_constant(struct row_making *m, uint64_t bits);
static inline struct row_operand row_register(uint16_t row) {
    return (struct row_operand){.place = PLACE_REGISTER, .id = row};
}
static inline struct row_operand row_value(uint32_t value) {
    return (struct row_operand){.place = PLACE_VALUE, .id = value};
}

static inline struct row_operand row_fresh(struct row_making *m) {
    return row_value(m->next_value++);
}

/* Carries a routine out; false after row_fail. */
bool row_make(struct row_making *m, const struct row_routine *unit, struct row_pool *pool,
              struct row_program *program);

#endif
