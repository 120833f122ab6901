/* SPDX-License-Identifier: MIT
 * Which micro-ops are one word of a partitioned array. */
#include "recipe/set/words.h"

/* Sections from the lowest operand to the highest one. */
struct word_span {
    int low, high;
};

/* False of C, M and the valid lanes, which lie in one section for all. */
static bool section_of(const struct target *target, uint32_t plane, int *section) {
    bool is_bit = PLANE_CLASS(plane) == PLANE_REGISTER;
    *section = is_bit ? (int)((PLANE_NUMBER(plane) & 63) % plane_target(target)->sections)
                      : (int)PLANE_SECTION(plane);
    return is_bit || PLANE_CLASS(plane) == PLANE_SCRATCH;
}

/* The same row: of a register, the same bit of those that a section holds. */
static bool same_row(const struct target *target, uint32_t before, uint32_t after) {
    uint32_t left = PLANE_NUMBER(before), right = PLANE_NUMBER(after);
    if (PLANE_CLASS(before) != PLANE_CLASS(after))
        return false;
    if (PLANE_CLASS(before) != PLANE_REGISTER)
        return left == right;
    return left >> 6 == right >> 6 && (left & 63) / plane_target(target)->sections ==
                                          (right & 63) / plane_target(target)->sections;
}

/* The operand `step` sections on; a constant is there in all. */
static bool is_moved(const struct target *target, uint32_t before, uint32_t after, int step,
                     struct word_span *span) {
    int left, right;
    if (!same_row(target, before, after))
        return false;
    if (PLANE_CLASS(before) == PLANE_CONST)
        return true;
    if (!section_of(target, before, &left) || !section_of(target, after, &right) ||
        right - left != step)
        return false;
    span->low = left < span->low ? left : span->low;
    span->high = left > span->high ? left : span->high;
    return true;
}

unsigned recipe_word_step(const struct target *target, const struct uop *before,
                          const struct uop *after) {
    int from, to;
    if (!plane_target(target)->partitioned || before->kind != after->kind || before->ndst == 0 ||
        before->predicate != after->predicate || !section_of(target, before->dst[0], &from) ||
        !section_of(target, after->dst[0], &to) || to <= from)
        return 0;
    struct word_span span = {from, from};
    for (unsigned k = 0; k < before->nsrc; k++)
        if (!is_moved(target, before->src[k], after->src[k], to - from, &span))
            return 0;
    for (unsigned k = 0; k < before->ndst; k++)
        if (!is_moved(target, before->dst[k], after->dst[k], to - from, &span))
            return 0;
    return span.high - span.low < to - from ? (unsigned)(to - from) : 0;
}

bool recipe_word_joins(const struct target *target, const struct uop *uops, size_t index,
                       unsigned *step) {
    unsigned found = index ? recipe_word_step(target, &uops[index - 1], &uops[index]) : 0;
    bool joins = found && (!*step || *step == found);
    *step = joins ? found : 0;
    return joins;
}

void recipe_words_form(const struct target *target, struct uop *uops, size_t count) {
    unsigned step = 0;
    for (size_t i = 0; i < count && plane_target(target)->partitioned; i++) {
        bool joins = recipe_word_joins(target, uops, i, &step);
        uops[i].pipelined = joins;
        uops[i].forwarded = joins;
    }
}
