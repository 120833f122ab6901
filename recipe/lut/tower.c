/* SPDX-License-Identifier: MIT
 * Products and quadratic extensions among the fields of 256, 16 and 4 elements. */
#include "recipe/lut/inversion.h"

#include <string.h>

/* The element of the field of 2^bits elements that is number `index` of a basis over two elements.
 */
static uint8_t basis_element(const struct lut_field *field, unsigned bits, unsigned index) {
    return field->power[255 / ((1u << bits) - 1) * index % 255];
}

static bool form_of(const struct lut_field *field, unsigned bits, uint8_t form, uint8_t value) {
    return lut_field_trace(field, lut_field_mul(field, form, value), bits, 1) != 0;
}

/* For each pair of basis elements x and y: the sum over k of f_k(x) f_k(y) terms[k] is x y. */
struct product_equation {
    uint32_t left;
    uint8_t right;
};

static unsigned make_equations(const struct lut_field *field, const struct tower_product *product,
                               struct product_equation *equations) {
    unsigned count = 0, bits = product->bits;
    for (unsigned i = 0; i < bits; i++)
        for (unsigned j = 0; j < bits; j++) {
            uint8_t x = basis_element(field, bits, i), y = basis_element(field, bits, j);
            struct product_equation e = {0, lut_field_mul(field, x, y)};
            for (unsigned k = 0; k < product->count; k++)
                e.left |= (uint32_t)(form_of(field, bits, product->forms[k], x) &&
                                     form_of(field, bits, product->forms[k], y))
                          << k;
            equations[count++] = e;
        }
    return count;
}

static bool solve(struct product_equation *equations, unsigned count,
                  struct tower_product *product) {
    unsigned done = 0;
    for (unsigned k = 0; k < product->count; k++) {
        unsigned pivot = done;
        while (pivot < count && !(equations[pivot].left >> k & 1))
            pivot++;
        if (pivot == count)
            return false;
        struct product_equation kept = equations[pivot];
        equations[pivot] = equations[done];
        equations[done] = kept;
        for (unsigned i = 0; i < count; i++)
            if (i != done && equations[i].left >> k & 1) {
                equations[i].left ^= kept.left;
                equations[i].right ^= kept.right;
            }
        done++;
    }
    for (unsigned i = done; i < count; i++)
        if (equations[i].right)
            return false;
    for (unsigned k = 0; k < product->count; k++)
        product->terms[k] = equations[k].right;
    return true;
}

bool lut_tower_product_make(const struct lut_field *field, unsigned bits, unsigned lines,
                            struct tower_product *product) {
    struct product_equation equations[16];
    *product = (struct tower_product){.bits = bits};
    unsigned step = 255 / ((1u << bits) - 1);
    for (unsigned line = 0; line < (bits == 4 ? 5u : 1u); line++)
        for (unsigned i = 0; i < 3 && lines >> line & 1; i++)
            product->forms[product->count++] = field->power[(line * step + i * 85) % 255];
    return solve(equations, make_equations(field, product, equations), product);
}

/* z with p(z) = 1 and q(z) = 0. */
static bool find_basis(const struct lut_field *field, unsigned bits, uint8_t p, uint8_t q,
                       uint8_t *z) {
    unsigned step = 255 / ((1u << bits) - 1);
    for (unsigned i = 0; i < (1u << bits) - 1; i++) {
        *z = field->power[i * step];
        if (lut_field_trace(field, lut_field_mul(field, p, *z), bits, bits / 2) == 1 &&
            lut_field_trace(field, lut_field_mul(field, q, *z), bits, bits / 2) == 0)
            return true;
    }
    return false;
}

bool lut_tower_step_make(const struct lut_field *field, unsigned bits, uint8_t p, uint8_t q,
                         struct tower_step *step) {
    uint8_t first, second;
    unsigned conjugate = 1u << bits / 2;
    *step = (struct tower_step){.p = p, .q = q};
    if (!find_basis(field, bits, p, q, &first) || !find_basis(field, bits, q, p, &second))
        return false;
    step->p_back = lut_field_power(field, first, conjugate);
    step->q_back = lut_field_power(field, second, conjugate);
    step->pp = lut_field_mul(field, first, step->p_back);
    step->qq = lut_field_mul(field, second, step->q_back);
    step->pq =
        lut_field_mul(field, first, step->q_back) ^ lut_field_mul(field, second, step->p_back);
    return true;
}
