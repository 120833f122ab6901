/* SPDX-License-Identifier: MIT
 * Inversion in the field of 256 elements, between affine maps, by way of the fields within it.  For
 * the files of this folder. */
#ifndef RECIPE_LUT_INVERSION_H
#define RECIPE_LUT_INVERSION_H

#include "recipe/lut/field.h"
#include "recipe/lut/network.h"

/* Inversion in a field F of 2^bits elements over its half H, of 2^half.  With functionals p and q
 * from F to H, z is p P + q Q for some P and Q, and
 *   norm = z^(2^half + 1) = pp p^2 + qq q^2 + pq p q  in H
 *   1/z = (p P' + q Q') / norm, where P' is P^(2^half), and so on.
 * A product in H is the sum over k of f_k(x) f_k(y) terms[k], where f_k(x) is the sum of the
 * conjugates of forms[k] x: 9 products of bits for 16 elements, 3 for 4. */
#define TOWER_MOST_FORMS 9
struct tower_product {
    unsigned bits, count;
    uint8_t forms[TOWER_MOST_FORMS], terms[TOWER_MOST_FORMS];
};
struct tower_step {
    uint8_t p, q;           /* p(z) is the trace to H of p z */
    uint8_t pp, qq, pq;     /* of the norm */
    uint8_t p_back, q_back; /* P', Q' */
};

/* tower.c: the product with forms from three of the five lines of the field of 16 elements, or the
 * one for 4 elements.  False if these lines do not do. */
bool lut_tower_product_make(const struct lut_field *field, unsigned bits, unsigned lines,
                            struct tower_product *product);
/* False if p and q are no basis. */
bool lut_tower_step_make(const struct lut_field *field, unsigned bits, uint8_t p, uint8_t q,
                         struct tower_step *step);

#define MOST_LINES 2
/* What is to be made: out(inverse(in(x))). */
struct inverter {
    const struct lut_field *f;
    const struct lut_affine *in, *out;
    struct tower_product products[MOST_LINES], small; /* for 16 elements, and for 4 */
    unsigned product_count;
};
struct outer_choice {
    struct tower_step step; /* from 256 to 16 */
    unsigned product;       /* number */
    unsigned sums;          /* XORs of the first and the last layer */
};
struct inner_choice {
    struct tower_step step; /* from 16 to 4 */
    uint8_t turn;           /* forms of the inner norm are those of turn times it */
    uint8_t scale;          /* forms of the inverse are those of scale times it */
};
enum sum_layer { LAYER_FORMS, LAYER_NORM, LAYER_INNER, LAYER_INVERSE, LAYER_OUTPUTS, LAYERS };

/* One way; a seed for the sums of each layer. */
struct inversion_plan {
    const struct inverter *i;
    struct outer_choice outer;
    struct inner_choice inner;
    uint64_t seeds[LAYERS];
};

/* inversion.c: rows of the first layer over the inputs, forms of p and then of q; and those of the
 * last one over the products of these with the forms of scale / norm. */
void lut_tower_form_rows(const struct inverter *inverter, const struct outer_choice *outer,
                         uint64_t rows[18]);
void lut_tower_output_rows(const struct inverter *inverter, const struct outer_choice *outer,
                           uint8_t scale, uint64_t rows[8]);
/* Adds the gates. */
void lut_tower_build(const struct inversion_plan *plan, struct lut_network *network,
                     const uint32_t inputs[8], uint32_t outputs[8]);

#endif
