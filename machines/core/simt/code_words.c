/* SPDX-License-Identifier: MIT
 * Instructions of a kernel as words, one after another. */
#include "machines/core/simt/words.h"

#include <string.h>

/* Targets are instructions in `insn`, words in what is encoded. */
static struct simt_insn in_words(const struct simt_insn *insn, const uint32_t *places) {
    struct simt_insn x = *insn;
    if (x.op == SIMT_BRA) {
        x.target = places[x.target];
        x.reconverge = x.reconverge == SIMT_END ? SIMT_END : places[x.reconverge];
    }
    return x;
}

static uint32_t size_of(const struct simt_insn *insn) {
    uint32_t words[SIMT_MAX_WORDS];
    if (insn->op == SIMT_BRA)
        return insn->guard == SIMT_PT ? 1 : 2;
    return simt_encode(insn, 0, words, NULL);
}

bool simt_kernel_encode(struct simt_kernel *k, struct simt_insn *insns, uint32_t *wrong,
                        struct str *why) {
    uint32_t *places = ARENA_ARRAY(&k->arena, k->insn_count + 1u, uint32_t);
    uint32_t one[SIMT_MAX_WORDS], at = 0;
    for (*wrong = 0; *wrong < k->insn_count; ++*wrong) {
        struct simt_insn *insn = &insns[*wrong];
        places[*wrong] = at;
        insn->words = (uint8_t)size_of(insn);
        at += insn->words;
        if (at > SIMT_CODE_WORDS) {
            str_printf(why, "a kernel has at most %d words of code, and it has more",
                       SIMT_CODE_WORDS);
            return false;
        }
    }
    uint32_t *words = ARENA_ARRAY(&k->arena, at + 1u, uint32_t);
    for (*wrong = 0; *wrong < k->insn_count; ++*wrong) {
        const struct simt_insn x = in_words(&insns[*wrong], places);
        const uint32_t n = simt_encode(&x, places[*wrong], one, why);
        if (!n)
            return false;
        memcpy(words + places[*wrong], one, n * sizeof *words);
    }
    k->insns = insns;
    k->places = places;
    k->words = words;
    k->word_count = at;
    return true;
}
