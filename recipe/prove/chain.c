/* SPDX-License-Identifier: MIT
 * Which reference an instruction's contracts have. */
#include "recipe/prove/chain.h"

#include "recipe/prove/division.h"
#include "recipe/prove/sums.h"
#include "support/alloc.h"

#include <stdlib.h>

/* One of the two. */
struct chain {
    struct sums *product;
    struct division *division;
};

struct chain *prove_chain_new(const struct recipe *recipe, const struct insn *insn, unsigned w) {
    struct chain *chain = xcalloc(1, sizeof *chain);
    chain->product = prove_sums_new(recipe, insn, w);
    chain->division = chain->product ? NULL : prove_division_new(recipe, insn, w);
    if (chain->product || chain->division)
        return chain;
    free(chain);
    return NULL;
}

void prove_chain_free(struct chain *chain) {
    if (!chain)
        return;
    prove_sums_free(chain->product);
    prove_division_free(chain->division);
    free(chain);
}

bool prove_chain_reads(const struct chain *chain, unsigned reg) {
    return chain->product ? prove_sums_reads(chain->product, reg)
                          : prove_division_reads(chain->division, reg);
}

unsigned prove_chain_attempts(const struct chain *chain) {
    return chain->product ? 4 : 2;
}

void prove_chain_build(struct chain *chain, struct fold *fold, unsigned attempt) {
    if (chain->product)
        prove_sums_build(chain->product, fold, attempt);
    else
        prove_division_build(chain->division, fold, attempt);
}

bool prove_chain_result(const struct chain *chain, uint8_t field, unsigned j, uint32_t *bit) {
    return chain->product ? prove_sums_result(chain->product, field, j, bit)
                          : prove_division_result(chain->division, field, j, bit);
}

bool prove_chain_is_wider(const struct chain *chain) {
    return chain->division != NULL;
}

void prove_chain_names(const struct chain *chain, struct fold_bits *bits) {
    if (chain->division)
        prove_division_names(chain->division, bits);
}

void prove_chain_define(const struct chain *chain, const struct fold *fold, struct str *out) {
    if (chain->division)
        prove_division_define(chain->division, fold, out);
}

bool prove_chain_law(const struct chain *chain, unsigned index, struct str *out) {
    return chain->product ? prove_sums_law(chain->product, index, out)
                          : prove_division_law(chain->division, index, out);
}
