/* SPDX-License-Identifier: MIT
 * The reference of a product (chain.h): additions one after the other. */
#ifndef RECIPE_PROVE_PRODUCT_H
#define RECIPE_PROVE_PRODUCT_H

#include "recipe/prove/fold.h"
#include "recipe/set.h"

struct product;

/* As prove_chain_...; chain.h says what. */
struct product *prove_product_new(const struct recipe *recipe, const struct insn *insn, unsigned w);
void prove_product_free(struct product *product);
bool prove_product_reads(const struct product *product, unsigned reg);
void prove_product_build(struct product *product, struct fold *fold);
bool prove_product_result(const struct product *product, uint8_t field, unsigned j, uint32_t *bit);
bool prove_product_law(const struct product *product, unsigned index, struct str *out);

#endif
