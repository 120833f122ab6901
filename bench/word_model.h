/* SPDX-License-Identifier: MIT
 * A crossbar of 32 partitions as a program for people would model it: a row of a partition is a bit
 * of a 32-bit word, uint32_t cells[row][lane], and a word of the host is a few operations of such
 * words in each lane.  Beside the engine's planes it is the other way round, and it knows nothing
 * of the engine but its micro-ops. */
#ifndef BENCH_WORD_MODEL_H
#define BENCH_WORD_MODEL_H

#include "recipe/technology/plane_target.h"
#include "recipe/set/uop.h"

#include <stdbool.h>
#include <stddef.h>

enum { MODEL_ROWS = 32, MODEL_LANES = 1024, MODEL_PARTITIONS = 32 };

/* One crossbar; row r of a register r of up to 32 bits, scratch behind the registers. */
struct model_crossbar {
    uint32_t cells[MODEL_ROWS][MODEL_LANES];
};

/* All gates of one word: partition p of `gates` does dst = dst AND NOT (left OR right), whose bits
 * lie in partitions p + left_from and p + right_from; INIT1 and INIT0 have no operands. */
struct model_word {
    enum { MODEL_INIT0, MODEL_INIT1, MODEL_NOT, MODEL_NOR } gate;
    uint8_t dst, left, right;
    int8_t left_from, right_from;
    uint32_t gates;
};

/* Makes words of a list of the target's micro-ops over registers below `registers`, 32 bits each;
 * returns how many, 0 if the model does not know one of them.  words: [count]. */
size_t model_words(const struct target *target, const struct uop *uops, size_t count,
                   unsigned registers, struct model_word *words);

/* All words on one crossbar, then on the next, so that each stays in the cache. */
void model_run(const struct model_word *words, size_t count, struct model_crossbar *crossbars,
               size_t crossbar_count);

#endif
