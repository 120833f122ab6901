/* SPDX-License-Identifier: MIT
 * When the registers of variables hold something that may still be read.  The nodes of all images
 * are steps; a register is *held* at a step if the step reads or writes it, or if something was
 * written to it on some way to the step that is read on some way from it, without being
 * overwritten in all elements between. */
#ifndef EZPIM_IR_LIVES_H
#define EZPIM_IR_LIVES_H

#include "ezpim/ir/ir.h"

struct ir_lives {
    const struct ir_program *program;
    uint32_t *first; /* [variables + 1]: slots first[v] .. are its registers */
    uint32_t slots;
    struct ir_node **nodes; /* [step_count]: of each step; NULL: where ways meet, begin or end */
    uint32_t step_count;
    size_t slot_words, step_words; /* of sets of slots, of steps */
    uint64_t *held;                /* [slots][step_words]: a bit for each step */
    uint64_t *held_at;             /* [step_count][slot_words]: the same, a bit for each slot */
    uint64_t *live_out;            /* [step_count][slot_words]: may be read behind the step */
    bool gives;                    /* as asked for */
};

/* gives: inputs are not kept to the end of the program, whether they are consumed or not.  False
 * where there are more variables and nodes than can be looked at. */
bool ir_lives_find(struct ir_lives *lives, const struct ir_program *program, bool gives);
/* The same for who asks ir_lives_behind alone; inputs are kept. */
bool ir_lives_find_behind(struct ir_lives *lives, const struct ir_program *program);
void ir_lives_free(struct ir_lives *lives);

static inline bool ir_lives_holds(const struct ir_lives *lives, uint32_t slot, uint32_t step) {
    return lives->held[slot * lives->step_words + step / 64] >> step % 64 & 1;
}
/* Some register of the variable. */
static inline bool ir_lives_holds_some(const struct ir_lives *lives, uint32_t variable,
                                       uint32_t step) {
    for (uint32_t slot = lives->first[variable]; slot < lives->first[variable + 1]; slot++)
        if (ir_lives_holds(lives, slot, step))
            return true;
    return false;
}
static inline bool ir_lives_behind(const struct ir_lives *lives, uint32_t slot, uint32_t step) {
    return lives->live_out[step * lives->slot_words + slot / 64] >> slot % 64 & 1;
}
/* True if the slot is held at some step. */
bool ir_lives_ever(const struct ir_lives *lives, uint32_t slot);

#endif
