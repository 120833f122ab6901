/* SPDX-License-Identifier: MIT
 * Sums and their kin, over all elements of a group or along one of its axes.
 *
 * Over all elements and along the first axis the first m = ceil(n / 2) elements take in elements
 * i + m, and again with the first m, in groups that have no more elements than that: R(n) (1/2 +
 * 1/4
 * + ...) registers are moved.  Along other axes, and for argmin and argmax, 8 neighbours come into
 * 8 registers of a group an eighth as long and are folded there: R(n) (1 + 1/8 + ...); where
 * registers are short, fewer do.  Sums are moved and added at the width that they can have by then.
 *
 * Sums and products of floating point depend on their order, and have one whatever the axis and the
 * registers: elements 2i and 2i + 1 become element i, the last one of an odd number as it is, and
 * so on until one is left.  2, 4 or 8 neighbours that come together are folded in pairs, then in
 * pairs of these: that is 1, 2 or 3 such levels at once.
 *
 * Then MPUs, of groups that are per MPU, take in each other.
 */
#ifndef EZPIM_ARRAY_FOLD_H
#define EZPIM_ARRAY_FOLD_H

#include "ezpim/array/view.h"

enum array_fold_kind {
    ARRAY_SUM,
    ARRAY_PROD,
    ARRAY_MIN,
    ARRAY_MAX,
    ARRAY_AND,
    ARRAY_OR,
    ARRAY_XOR,
    ARRAY_ARGMIN, /* the number along the axis of the first of the least */
    ARRAY_ARGMAX,
};

/* A register of a variable, and the type of what is in it. */
struct array_value {
    uint32_t variable, element;
    struct lane_type type;
};

struct array_fold {
    enum array_fold_kind kind;
    struct lane_type from; /* of each element's own value; for prod that of the result */
    struct lane_type type; /* of the result, not of argmin and argmax: sums are modulo its 2^bits */
    struct array_value own;   /* what an element has: at first its own, at last the result */
    struct array_value index; /* argmin, argmax: the result, unsigned */
    struct array_value kept, kept_index; /* the results, where levels may be left out */
    /* At the level at hand: the type of `own` behind it, its class, and whether it is wider. */
    struct lane_type next;
    unsigned next_class;
    bool grows;
};

/* Folds of the same elements, of which none needs what another gives: they move together. */
struct array_folds {
    struct array_fold *items;
    uint32_t count;
    uint32_t group, axis; /* axis: or ARRAY_ALL */
    bool held; /* values that are made for the fold have variables of their own (array/finish.h) */
    uint32_t room; /* registers that they may have among them, 2 each at least */
    struct array_view view;
    uint32_t lane; /* the group without the axis, in which the results are */
    /* That `own` of an item is made of, at most; and that the result will be. */
    uint64_t elements, most;
};

/* What changes nothing when it is taken in; of argmin and argmax, what loses. */
uint64_t array_identity(enum array_fold_kind kind, struct lane_type type);
/* The result depends on the order in which elements take in each other. */
bool array_fold_in_order(const struct array_fold *item);
/* The operation that takes in one value; not of argmin and argmax. */
enum ir_op array_operation(enum array_fold_kind kind);
/* The type in which a sum of at most `most` such values (0: nobody knows how many) is what it is
 * at `result`, extended in the way of that type: never wider than `result`. */
struct lane_type array_sum_type(struct lane_type value, uint64_t most, struct lane_type result);

/* Bits of a number; 0 has none. */
unsigned array_fold_bits(uint64_t value);

/* The type of what is made of so many elements on the way to the result.  Of many, multiples of 4
 * bits do: each width needs recipes of its own, and there are few values by then. */
struct lane_type array_fold_type(const struct array_fold *item, uint64_t elements);
/* A value at work: made of so many elements. */
struct array_term {
    uint32_t v;
    struct lane_type type;
    uint64_t elements;
};
/* What n terms, 2 at least, are together, of that type in dst; `term` is spent.  Pairs, then pairs
 * of these: that is how sums stay narrow.  Not of argmin and argmax. */
void array_fold_terms(struct ir_builder *builder, const struct array_fold *item,
                      struct array_term *term, uint32_t n, struct lane_type type, uint32_t dst,
                      struct span at);

/* Chooses where elements have their own values: before the fold each must get one, of type `from`,
 * in its register array_fold_element of ensembles over the group. */
void array_folds_begin(struct ir_builder *builder, struct array_folds *folds);
uint32_t array_fold_element(struct ir_builder *builder, const struct array_fold *item);
/* Takes the value of each element from a variable, which stays as it is, where that is possible. */
bool array_fold_borrow(struct ir_builder *builder, const struct array_folds *folds, uint32_t item,
                       const struct array_value *value);
/* Folds.  Then results are in `own` or `index` of ensembles over the group folds->lane (per MPU: of
 * the first MPU), and array_fold_result says where moves find them. */
void array_folds_run(struct ir_builder *builder, struct array_folds *folds, struct span at);
struct array_value *array_fold_result(struct array_fold *item);
/* Folds all elements of a group of two axes where they lie: along the second axis, which has 2^k
 * elements, and then what the first of these have.  On machines whose lanes of all VRFs move at
 * once, it takes no more words to move them in all VRFs than in one.  Each element has its value in
 * `own`, of the type of the result; so has the first one behind it.  Not of argmin and argmax, nor
 * of what depends on its order. */
void array_fold_rows(struct ir_builder *builder, struct array_fold *item, uint32_t group,
                     uint64_t lines, uint64_t lanes, struct span at);
/* A move of a result to all elements of a variable of the extents that are left, or (of a fold of
 * all elements) to one without a group; registers are as in ir_plain_move, but of the source only
 * the result's. */
struct ir_move array_fold_move(struct ir_builder *builder, const struct array_folds *folds,
                               const struct array_value *from, uint32_t to);

#endif
