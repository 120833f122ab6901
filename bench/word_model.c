/* SPDX-License-Identifier: MIT
 * Words of micro-ops on cells[row][lane], lane by lane: what a reader of the paper would write. */
#include "bench/word_model.h"
#include "recipe/set/words.h"

#include <string.h>

/* Row and partition of a plane; false if the model has none for it. */
static bool place_of(uint32_t plane, unsigned registers, uint8_t *row, int *partition) {
    uint32_t number = PLANE_NUMBER(plane);
    if (PLANE_CLASS(plane) == PLANE_REGISTER) {
        *row = (uint8_t)(number >> 6);
        *partition = (int)(number & 63);
    } else if (PLANE_CLASS(plane) == PLANE_SCRATCH) {
        *row = (uint8_t)(registers + number);
        *partition = (int)PLANE_SECTION(plane);
    } else {
        return false;
    }
    return *row < MODEL_ROWS && *partition < MODEL_PARTITIONS;
}

static bool gate_of(const char *name, struct model_word *word) {
    static const char *const names[] = {"INIT0", "INIT1", "NOT", "NOR"};
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) {
            word->gate = i;
            return true;
        }
    return false;
}

static bool add_gate(const struct uop *uop, unsigned registers, struct model_word *word) {
    int at, from;
    if (uop->ndst != 1 || uop->predicate != PLANE(PLANE_NONE, 0, 0) ||
        !place_of(uop->dst[0], registers, &word->dst, &at))
        return false;
    word->gates |= UINT32_C(1) << at;
    for (unsigned i = 0; i < uop->nsrc; i++) {
        if (!place_of(uop->src[i], registers, i ? &word->right : &word->left, &from))
            return false;
        *(i ? &word->right_from : &word->left_from) = (int8_t)(from - at);
    }
    return true;
}

size_t model_words(const struct target *target, const struct uop *uops, size_t count,
                   unsigned registers, struct model_word *words) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !recipe_word_goes_on(target, &uops[i]))
            words[n++] = (struct model_word){.gates = 0};
        if (!gate_of(plane_target(target)->ops[uops[i].kind].name, &words[n - 1]) ||
            !add_gate(&uops[i], registers, &words[n - 1]))
            return 0;
    }
    return n;
}

/* Bit p of the result is bit p + from of the value. */
static inline uint32_t shifted(uint32_t value, int from) {
    return from >= 0 ? value >> from : value << -from;
}

static void run_word(const struct model_word *word, struct model_crossbar *crossbar) {
    uint32_t *dst = crossbar->cells[word->dst], gates = word->gates;
    const uint32_t *a = crossbar->cells[word->left], *b = crossbar->cells[word->right];
    int x = word->left_from, y = word->right_from;
    switch (word->gate) {
    case MODEL_INIT0:
        for (unsigned i = 0; i < MODEL_LANES; i++)
            dst[i] &= ~gates;
        return;
    case MODEL_INIT1:
        for (unsigned i = 0; i < MODEL_LANES; i++)
            dst[i] |= gates;
        return;
    case MODEL_NOT:
        for (unsigned i = 0; i < MODEL_LANES; i++)
            dst[i] &= ~(shifted(a[i], x) & gates);
        return;
    case MODEL_NOR:
        for (unsigned i = 0; i < MODEL_LANES; i++)
            dst[i] &= ~((shifted(a[i], x) | shifted(b[i], y)) & gates);
        return;
    }
}

void model_run(const struct model_word *words, size_t count, struct model_crossbar *crossbars,
               size_t crossbar_count) {
    for (size_t c = 0; c < crossbar_count; c++)
        for (size_t i = 0; i < count; i++)
            run_word(&words[i], &crossbars[c]);
}
