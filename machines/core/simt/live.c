/* SPDX-License-Identifier: MIT
 * Liveness, backwards until nothing changes.  A guarded instruction leaves what it writes as it was
 * in other lanes, so that the register lives before it too. */
#include "machines/core/simt/live.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

void simt_live_step(const struct ptx_insn *insn, uint64_t *set) {
    struct simt_register r[SIMT_MAX_REGISTERS];
    const uint32_t n = simt_registers(insn, r);
    for (uint32_t i = 0; i < n && insn->guard == PTX_NONE; i++)
        if (r[i].role == SIMT_RESULT)
            set[r[i].number / 64] &= ~((uint64_t)1 << (r[i].number % 64));
    for (uint32_t i = 0; i < n; i++)
        if (r[i].role != SIMT_RESULT)
            simt_set_add(set, r[i].number);
}

/* False: nothing has changed. */
static bool look_at(struct simt_live *l, uint32_t b, uint64_t *set) {
    const struct ptx_block *block = &l->cfg->blocks[b];
    uint64_t *in = l->in + (size_t)b * l->words, *out = l->out + (size_t)b * l->words;
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t w = 0; w < l->words && block->next[k] < l->cfg->count; w++)
            out[w] |= l->in[(size_t)block->next[k] * l->words + w];
    memcpy(set, out, l->words * sizeof *set);
    for (uint32_t i = block->first + block->count; i-- > block->first;)
        simt_live_step(&l->function->insns.data[i], set);
    bool changed = memcmp(set, in, l->words * sizeof *set) != 0;
    memcpy(in, set, l->words * sizeof *set);
    return changed;
}

void simt_live_make(const struct ptx_function *function, const struct ptx_cfg *cfg,
                    struct simt_live *out) {
    const uint32_t words = (uint32_t)(function->registers.len + 63) / 64;
    const size_t size = (size_t)cfg->count * words + 1;
    *out = (struct simt_live){function, cfg, words, xcalloc(size, sizeof *out->in),
                              xcalloc(size, sizeof *out->out)};
    uint64_t *set = xcalloc(words + 1, sizeof *set);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = cfg->count; b-- > 0;)
            changed |= look_at(out, b, set);
    }
    free(set);
}

void simt_live_free(struct simt_live *live) {
    free(live->in);
    free(live->out);
}
