/* SPDX-License-Identifier: MIT
 * Which functionals and forms an inversion takes the fewest gates with: the outer layers of all are
 * counted, and the inner ones tried with the best of them. */
#include "recipe/lut/inversion.h"

#include "recipe/lut/synthesis.h"
#include "support/bits.h"

#define KEPT_OUTER 24 /* of which inner layers are tried */

static unsigned count_outer(const struct inverter *inverter, const struct outer_choice *outer) {
    uint64_t rows[18], out[8];
    lut_tower_form_rows(inverter, outer, rows);
    lut_tower_output_rows(inverter, outer, 1, out);
    return lut_count_sums(8, rows, 18, 0) + lut_count_sums(18, out, 8, 0);
}

static void keep_outer(struct outer_choice *kept, unsigned *count,
                       const struct outer_choice *outer) {
    unsigned at = *count;
    if (*count == KEPT_OUTER && kept[at - 1].sums <= outer->sums)
        return;
    *count += *count < KEPT_OUTER;
    at = *count - 1;
    for (; at > 0 && kept[at - 1].sums > outer->sums; at--)
        kept[at] = kept[at - 1];
    kept[at] = *outer;
}

/* p and q count up to a factor in the field of 4 elements. */
static unsigned find_outer(const struct inverter *inverter, struct outer_choice *kept) {
    unsigned count = 0;
    for (unsigned i = 0; i < 85; i++)
        for (unsigned j = 0; j < i; j++) {
            struct outer_choice outer = {.sums = 0};
            if (!lut_tower_step_make(inverter->f, 8, inverter->f->power[i], inverter->f->power[j],
                                     &outer.step))
                continue;
            for (; outer.product < inverter->product_count; outer.product++) {
                outer.sums = count_outer(inverter, &outer);
                keep_outer(kept, &count, &outer);
            }
        }
    return count;
}

/* --- the best one --- */

static size_t count_gates(const struct inversion_plan *plan) {
    struct lut_network n;
    uint32_t inputs[8];
    lut_network_start(&n, 8, 8);
    for (unsigned i = 0; i < 8; i++)
        inputs[i] = lut_input(i);
    lut_tower_build(plan, &n, inputs, n.out);
    size_t gates = n.nodes.len;
    lut_network_free(&n);
    return gates;
}

static bool try_plan(const struct inversion_plan *plan, struct inversion_plan *best,
                     size_t *least) {
    size_t gates = count_gates(plan);
    if (gates >= *least)
        return false;
    *least = gates;
    *best = *plan;
    return true;
}

/* r, s and turn count up to a factor, and scale up to one in the field of 4 elements. */
static void try_inner(struct inversion_plan plan, struct inversion_plan *best, size_t *least) {
    const struct lut_field *f = plan.i->f;
    for (unsigned r = 0; r < 5; r++)
        for (unsigned s = 0; s < 15; s++) {
            if (s % 5 <= r ||
                !lut_tower_step_make(f, 4, f->power[17 * r], f->power[17 * s], &plan.inner.step))
                continue;
            for (unsigned n = 0; n < 15; n++) {
                plan.inner.turn = f->power[85 * (n % 3)];
                plan.inner.scale = f->power[17 * (n / 3)];
                try_plan(&plan, best, least);
            }
        }
}

#define SEED_TRIALS 600

/* Other choices between equals, layer by layer. */
static void try_seeds(struct inversion_plan *best, size_t *least) {
    uint64_t state = 1;
    for (unsigned n = 0; n < SEED_TRIALS; n++) {
        struct inversion_plan plan = *best;
        plan.seeds[n % LAYERS] = splitmix64(&state);
        try_plan(&plan, best, least);
    }
}

/* Adds out(inverse(in(x))) for the inputs `inputs` (edges), with as few gates
 * as are found. */
static void lut_add_inversion(struct lut_network *network, const struct lut_field *field,
                              const struct lut_affine *in, const struct lut_affine *out,
                              const uint32_t inputs[8], uint32_t outputs[8]) {
    /* Three of the five lines: 0 1 2, or 0 1 3; turned ones are those of other p and q. */
    static const unsigned lines[MOST_LINES] = {7, 11};
    struct inverter v = {.f = field, .in = in, .out = out};
    struct outer_choice outer[KEPT_OUTER];
    struct inversion_plan best = {.i = &v};
    size_t least = SIZE_MAX;
    lut_tower_product_make(field, 2, 1, &v.small);
    for (unsigned i = 0; i < MOST_LINES; i++)
        if (lut_tower_product_make(field, 4, lines[i], &v.products[v.product_count]))
            v.product_count++;
    unsigned count = find_outer(&v, outer);
    for (unsigned i = 0; i < count; i++)
        try_inner((struct inversion_plan){.i = &v, .outer = outer[i]}, &best, &least);
    try_seeds(&best, &least);
    lut_tower_build(&best, network, inputs, outputs);
}

bool lut_make_inversion(const struct lut_truth *truth, struct lut_network *network) {
    struct lut_field field;
    struct lut_affine in, out;
    uint8_t table[256] = {0};
    uint32_t inputs[8], outputs[8];
    unsigned of[64], count = 0;
    if (truth->inputs != 8)
        return false;
    lut_outputs all = truth->outputs == 64 ? UINT64_MAX : (UINT64_C(1) << truth->outputs) - 1;
    lut_outputs sums = lut_make_sums(truth, all, network);
    for (unsigned i = 0; i < truth->outputs; i++)
        if (!(sums >> i & 1))
            of[count++] = i;
    if (count != 8)
        return false;
    for (uint32_t x = 0; x < 256; x++)
        for (unsigned i = 0; i < 8; i++)
            table[x] |= (uint8_t)(lut_truth_bit(truth, of[i], x) << i);
    lut_field_make(&field);
    if (!lut_find_inversion(&field, table, &in, &out))
        return false;
    for (unsigned i = 0; i < 8; i++)
        inputs[i] = lut_input(i);
    lut_add_inversion(network, &field, &in, &out, inputs, outputs);
    for (unsigned i = 0; i < 8; i++)
        network->out[of[i]] = outputs[i];
    return true;
}
