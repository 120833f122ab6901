/* SPDX-License-Identifier: MIT
 * Inside of folds: what their files share. */
#ifndef EZPIM_ARRAY_FOLD_LEVEL_H
#define EZPIM_ARRAY_FOLD_LEVEL_H

#include "ezpim/array/fold.h"

/* Parts of a level, and items, at most. */
enum { ARRAY_NEAR = 8, ARRAY_MOST_ITEMS = 64 };

/* Parts of uses: those of one type and group differ in these. */
enum array_fold_part {
    ARRAY_PART_OWN,
    ARRAY_PART_OTHER,
    ARRAY_PART_INDEX,
    ARRAY_PART_OTHER_INDEX,
    ARRAY_PART_RESULT,
    ARRAY_PART_RESULT_INDEX,
    ARRAY_PART_REST,
    ARRAY_PART_REST_INDEX,
    ARRAY_PARTS
};

/* True of argmin and argmax. */
bool array_fold_with_index(enum array_fold_kind kind);
bool array_folds_any_index(const struct array_folds *folds);
/* Of what is made of so many elements. */
struct lane_type array_fold_exact_type(const struct array_fold *item, uint64_t elements);
/* left * right, or as many elements as there may be. */
uint64_t array_fold_times(uint64_t left, uint64_t right);
/* Values of one class of identities may stand in one array: one move fills it. */
unsigned array_fold_class(const struct array_fold *item, struct lane_type type);
unsigned array_fold_use(unsigned class, unsigned part, uint32_t number);

static inline struct lane_type array_bits_type(unsigned bits) {
    return (struct lane_type){TYPE_UINT, (uint8_t)bits};
}

/* The comparison that the better value of an argmin or argmax wins. */
static inline enum ir_op array_fold_better(const struct array_fold *item) {
    return item->kind == ARRAY_ARGMIN ? IR_LT : IR_GT;
}

/* One level: elements of `group` take in, of each of the group before, `parts` elements that lie
 * `step` apart along coordinate `axis` of the source. */
struct array_level {
    struct array_folds *f;
    uint32_t group, axis;
    bool far;        /* the first part lies in the element itself; else parts are neighbours */
    bool ends;       /* `group` has no axis any more */
    bool mpus;       /* MPUs take in each other, along that coordinate */
    uint32_t number; /* of uses, so that no two levels of one group have a variable in common */
    uint32_t parts;  /* with the own one */
    struct extent step;
    struct span at;
};

/* One that holds something from level to level, and to the end only if it is of the last one. */
uint32_t array_level_variable(struct ir_builder *builder, uint32_t group, struct lane_type type,
                              uint32_t count, unsigned use);
/* The largest power of two of parts, up to `most`, for which there is room. */
uint32_t array_level_most_parts(const struct array_folds *folds, uint32_t most);
/* How many neighbours come together on a level of `left` elements; `most` at most. */
uint32_t array_level_near(const struct array_folds *folds, uint64_t left, uint32_t most);
/* All parts of one register of a variable, to registers `first` and so on of another. */
void array_level_move_parts(struct ir_builder *builder, const struct array_level *level,
                            uint32_t to, uint32_t first, const struct array_value *from,
                            uint64_t fill);
void array_level_fold(struct ir_builder *builder, const struct array_level *level);

/* An item's part of a level, of argmin and argmax. */
void array_fold_best(struct ir_builder *builder, const struct array_level *level, uint32_t number);
void array_fold_best_of_mpus(struct ir_builder *builder, const struct array_level *level,
                             uint32_t number);

/* All levels along an axis that is a size; `far` as in struct array_level. */
void array_fold_size(struct ir_builder *builder, struct array_folds *folds, bool far,
                     struct span at);

#endif
