/* SPDX-License-Identifier: MIT
 * What the checker says of statements that exchange elements. */
#ifndef EZPIM_EZ_MOVE_H
#define EZPIM_EZ_MOVE_H

#include "ezpim/array/entries.h"
#include "ezpim/array/view.h"
#include "ezpim/ez/unit.h"

/* move target = source; registers are filled in when they are known. */
struct ez_move {
    struct ez_symbol *to, *from;
    uint32_t element; /* of a target without a group */
    /* The variable that holds an index, and where it is named; or NULL.  index.reg of the record
     * counts from its first register. */
    struct ez_symbol *index;
    const struct expr *index_at;
    struct move record;
};

enum reduction_kind {
    REDUCE_SUM,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR,
    REDUCE_ANY,
    REDUCE_ALL,
    REDUCE_PROD,
    REDUCE_COUNT,
    REDUCE_ARGMIN,
    REDUCE_ARGMAX,
    REDUCE_KINDS
};

/* target = sum(value) and its kin, over all elements of a group or along one of its dimensions, or
 * (scan) target = scan(value, kind): not one value, but one for each element.  Reductions behind
 * one another, over one group and along one dimension, of which none needs what another gives, are
 * one run: they are folded together. */
struct ez_reduction {
    struct ez_reduction *first, *next; /* of the run; next NULL: the last */
    uint32_t run_length;               /* of the first one's run */
    uint32_t place;                    /* in the run, from 0 */
    uint32_t time;                     /* of its statement: while registers are shared */
    enum reduction_kind kind;
    bool scan, exclusive; /* exclusive: without the element's own value */
    struct expr *value;
    struct ez_front front; /* of the value */
    struct ez_symbol *target, *group;
    uint32_t axis;         /* of the group's own dimensions, or ARRAY_ALL */
    uint32_t element;      /* of the target */
    struct lane_type type; /* at which it works */
};

/* A run is folded in parts of at most `folded` reductions: the next one of the reduction's part, or
 * NULL, and the first one. */
static inline const struct ez_reduction *ez_fold_next(const struct ez_reduction *reduction,
                                                      uint32_t folded) {
    return reduction->next && reduction->next->place % folded ? reduction->next : NULL;
}
static inline const struct ez_reduction *ez_fold_first(const struct ez_reduction *reduction,
                                                       uint32_t folded) {
    const struct ez_reduction *first = reduction->first;
    while (first->place / folded != reduction->place / folded)
        first = first->next;
    return first;
}

/* A register of a variable. */
struct ez_register {
    struct ez_symbol *symbol;
    uint32_t element;
};

/* to = product(left, right) */
struct ez_product {
    struct ez_register left, right, to;
};

/* to = sort(value), of all elements of a group or along one of its dimensions. */
struct ez_sort {
    struct ez_symbol *group;
    struct expr *value;
    struct ez_front front; /* of the value */
    struct ez_register to;
    uint32_t axis;         /* of the group's own dimensions, or ARRAY_ALL */
    struct lane_type type; /* of what is sorted: the result is extended */
};

/* compact to = value where chosen. */
struct ez_compact {
    struct ez_symbol *to, *group;
    struct expr *value;     /* NULL: in place, or all registers of `from` */
    struct ez_symbol *from; /* an array, or NULL */
    struct expr *where;
    struct ez_front front;  /* of value and where */
    struct lane_type count; /* of counts of elements */
};

/* What all MPUs of the array do together: each element of an MPU with the one of the same place in
 * the others. */
struct ez_collective {
    enum collective_kind kind;
    struct ez_symbol *to, *from;
    bool has_root;
    uint32_t root[GRID_MAX_DIMS];
    enum reduction_kind operation; /* reduce, allreduce */
};

/* send x to ring[1], recv y from ring[0]: one side of a message. */
struct ez_message {
    const struct stmt *stmt;
    bool receives, checked;
    uint32_t mpu, partner;    /* numbers in the array */
    struct ez_symbol *symbol; /* what is sent, or what gets it */
    struct ez_symbol *lands;  /* of a sender: what gets it in the partner */
    const struct stmt *loop;  /* the innermost one around, or NULL */
    uint64_t times;           /* 0: not known */
};

/* How reduce and allreduce go along one dimension of the array of MPUs, `m` of them.  A move counts
 * 1, and so do each hop of its longest way and each register that passes the busiest link, MPUs
 * standing in a line: the cheapest is chosen, of equals the first.  Figures are per register.
 *
 *  tree      MPU p takes in MPU p + ceil(m / 2), p < floor(m / 2), and so on with the first half:
 *            ceil(log2 m) moves of 1 + m each; MPU 0 has the result
 *  ring      MPU p takes in MPU p + 1, one after the other from the last: m - 1 moves of 3; MPU 0
 *            has the result
 *  exchange  MPU p takes in MPU p + 1, p + 2, p + 4 ... modulo m, a power of two: log2 m moves of
 *            1 + m; all have the result
 *
 * Where MPU 0 has it and all shall, one move takes it there, of 2m - 1. */
enum ez_schedule { SCHEDULE_TREE, SCHEDULE_RING, SCHEDULE_EXCHANGE };
enum ez_schedule ez_schedule(uint32_t m, bool everywhere);

/* How allgather goes over a grid of MPUs, for each of its rows, figures being registers of one MPU.
 *
 *  direct    all MPUs take what the row has: 1 move, of its longest way and of the busiest link,
 *            which is one in the row or one below it
 *  by rows   the MPUs of the row take it from each other, then those of each column from the one
 *            in the row: 2 moves, of both ways and of both links
 *
 * True if the second takes less. */
bool ez_gather_by_rows(uint32_t rows, uint32_t columns);

/* The coordinates of a group: those of the MPU grid, then its own. */
uint32_t ez_group_dims(const struct ez_unit *unit, const struct ez_symbol *group);
/* The coordinates of an MPU, and back: the last one is the fastest. */
void ez_mpu_place(const struct ez_unit *unit, uint32_t number, uint32_t *place);
/* The number of an MPU in the array, the last coordinate fastest. */
uint32_t ez_mpu_number(const struct ez_unit *unit, const uint32_t *place);
/* How many MPUs the array has. */
uint32_t ez_mpu_count(const struct ez_unit *unit);
/* How far coordinate `dim` goes. */
struct extent ez_group_extent(const struct ez_unit *unit, const struct ez_symbol *group,
                              uint32_t dim);
/* Whether both are one number or one size. */
static inline bool ez_same_extent(struct extent left, struct extent right) {
    return left.size == right.size && left.value == right.value;
}

/* The most that an extent can be: a number, or the bound of its size; 0: no bound is stated. */
uint64_t ez_most_in_extent(const struct ez_unit *unit, struct extent extent);
/* The most elements that a group can have, those of all MPUs; 0: an extent has no bound. */
uint64_t ez_most_elements(const struct ez_unit *unit, const struct ez_symbol *group);
/* Bits of any size: it may be 2^40. */
enum { EZ_SIZE_BITS = 41 };
/* The narrowest type of numbers 0 to `most`; of `otherwise` bits when that is 0. */
struct lane_type ez_type_up_to(uint64_t most, uint8_t otherwise);
/* The narrowest type of a counter: one more than the last value must fit, too. */
struct lane_type ez_counter_type(const struct ez_symbol *symbol);
/* The same of what a call of index() or index(d) gives. */
struct lane_type ez_place_type(const struct ez_unit *unit, const struct ez_symbol *group,
                               const struct expr *index);
/* The operand of casts that only extend it: its value is that of `expr`. */
struct expr *ez_without_widening(struct expr *expr);
/* The narrowest type, as far as constants, casts, choices, `&`, `>>`, `%`, index() and length()
 * tell, of which `expr` is
 * a value that was extended in the way of that type; `expr` stands in an ensemble over the group.
 */
struct lane_type ez_value_type(const struct ez_unit *unit, const struct ez_symbol *group,
                               const struct expr *expr);
/* `expr` as the index of a table, and the table. */
struct array_index ez_array_index(const struct ez_unit *unit, const struct ez_symbol *group,
                                  const struct expr *expr);
struct array_table ez_table(const struct ez_symbol *symbol);
#endif
