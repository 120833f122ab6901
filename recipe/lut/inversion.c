/* SPDX-License-Identifier: MIT
 * An inversion as layers of sums and of products of two bits:
 *   forms of p and q (18 sums of the inputs), their products (9),
 *   forms of r and s, functionals of the norm (6 sums of products and inputs), their products (3),
 *   forms of the norm's norm (3 sums), products with those of r and s (6),
 *   forms of the norm's inverse (9 sums), products with those of p and q (18),
 *   outputs (8 sums). */
#include "recipe/lut/inversion.h"

#include "recipe/lut/synthesis.h"

static bool trace_bit(const struct inverter *inverter, uint8_t value, unsigned bits) {
    return lut_field_trace(inverter->f, value, bits, 1) != 0;
}

static uint8_t mul(const struct inverter *inverter, uint8_t left, uint8_t right) {
    return lut_field_mul(inverter->f, left, right);
}

/* Bits of x in the form of in(x) that is the trace of form z. */
static uint64_t input_row(const struct inverter *inverter, uint8_t form) {
    uint64_t row = 0;
    for (unsigned i = 0; i < 8; i++)
        row |= (uint64_t)trace_bit(inverter, mul(inverter, form, inverter->in->columns[i]), 8) << i;
    return row;
}

static bool input_constant(const struct inverter *inverter, uint8_t form) {
    return trace_bit(inverter, mul(inverter, form, inverter->in->added), 8);
}

static uint8_t out_linear(const struct inverter *inverter, uint8_t value) {
    return lut_affine_apply(inverter->out, value) ^ inverter->out->added;
}

/* --- outer layers --- */

/* Forms of p, then of q, as functionals of z. */
static void outer_forms(const struct inverter *inverter, const struct outer_choice *outer,
                        uint8_t forms[18]) {
    const struct tower_product *product = &inverter->products[outer->product];
    for (unsigned k = 0; k < 9; k++) {
        forms[k] = mul(inverter, product->forms[k], outer->step.p);
        forms[k + 9] = mul(inverter, product->forms[k], outer->step.q);
    }
}

/* Rows of the outputs over the products of forms of p, and of q, with those of scale / norm. */
void lut_tower_output_rows(const struct inverter *inverter, const struct outer_choice *outer,
                           uint8_t scale, uint64_t rows[8]) {
    const struct tower_product *product = &inverter->products[outer->product];
    uint8_t back = lut_field_inverse(inverter->f, scale);
    for (unsigned o = 0; o < 8; o++)
        rows[o] = 0;
    for (unsigned k = 0; k < 18; k++) {
        uint8_t value = mul(inverter, mul(inverter, product->terms[k % 9], back),
                            k < 9 ? outer->step.p_back : outer->step.q_back);
        uint8_t column = out_linear(inverter, value);
        for (unsigned o = 0; o < 8; o++)
            rows[o] |= (uint64_t)(column >> o & 1) << k;
    }
}

void lut_tower_form_rows(const struct inverter *inverter, const struct outer_choice *outer,
                         uint64_t rows[18]) {
    uint8_t forms[18];
    outer_forms(inverter, outer, forms);
    for (unsigned k = 0; k < 18; k++)
        rows[k] = input_row(inverter, forms[k]);
}

/* --- sums with sums of sums --- */

/* Rows over sources: a basis of them is summed, the lightest rows first; each of the others is the
 * sum of two that are there, if it can be. */
struct row_set {
    uint64_t rows[18];
    uint32_t edges[18];
    bool made[18];
    unsigned count;
};

static bool reduces(uint64_t row, const uint64_t *pivots) {
    for (unsigned i = 64; i-- > 0 && row;)
        if (row >> i & 1 && pivots[i])
            row ^= pivots[i];
    return row == 0;
}

static void add_pivot(uint64_t row, uint64_t *pivots) {
    for (unsigned i = 64; i-- > 0;) {
        if (!(row >> i & 1))
            continue;
        if (!pivots[i]) {
            pivots[i] = row;
            return;
        }
        row ^= pivots[i];
    }
}

/* Numbers of rows that are a basis. */
static unsigned choose_basis(const struct row_set *set, unsigned *basis) {
    uint64_t pivots[64] = {0};
    unsigned count = 0;
    for (unsigned weight = 1; weight <= 32; weight++)
        for (unsigned i = 0; i < set->count; i++)
            if (lut_bit_count(set->rows[i]) == weight && !reduces(set->rows[i], pivots)) {
                add_pivot(set->rows[i], pivots);
                basis[count++] = i;
            }
    return count;
}

static bool make_of_two(struct lut_network *network, struct row_set *set, unsigned row) {
    for (unsigned i = 0; i < set->count; i++)
        for (unsigned k = 0; k < i; k++)
            if (set->made[i] && set->made[k] && (set->rows[i] ^ set->rows[k]) == set->rows[row]) {
                set->edges[row] = lut_xor(network, set->edges[i], set->edges[k]);
                return set->made[row] = true;
            }
    return false;
}

static void make_rows(struct lut_network *network, const uint32_t *sources, unsigned count,
                      uint64_t seed, struct row_set *set) {
    uint64_t rows[18] = {0};
    uint32_t sums[18] = {0};
    unsigned basis[18], size = choose_basis(set, basis);
    for (unsigned i = 0; i < size; i++)
        rows[i] = set->rows[basis[i]];
    lut_add_sums(network, sources, count, rows, size, seed, sums);
    for (unsigned i = 0; i < size; i++) {
        set->edges[basis[i]] = sums[i];
        set->made[basis[i]] = true;
    }
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < set->count; i++)
            more |= !set->made[i] && make_of_two(network, set, i);
    }
    for (unsigned i = 0; i < set->count; i++)
        if (!set->made[i])
            lut_add_sums(network, sources, count, &set->rows[i], 1, 0, &set->edges[i]);
}

/* --- a whole network --- */

/* Sums of inputs that are there: of inputs `row`, and 1 if `one`. */
struct linear_signal {
    uint64_t row;
    uint32_t edge;
    bool one;
};
struct linear_signals {
    VEC(struct linear_signal) list;
};

static const struct linear_signal *signal_of(const struct linear_signals *signals, uint32_t edge) {
    for (size_t i = 0; i < signals->list.len; i++)
        if (signals->list.data[i].edge >> 1 == edge >> 1)
            return &signals->list.data[i];
    return NULL;
}

static void find_signals(const struct lut_network *network, const uint32_t inputs[8], size_t first,
                         struct linear_signals *signals) {
    for (unsigned i = 0; i < 8; i++)
        vec_push(&signals->list,
                 ((struct linear_signal){UINT64_C(1) << i, inputs[i] & ~1u, (inputs[i] & 1) != 0}));
    for (size_t i = first; i < network->nodes.len; i++) {
        const struct lut_node *n = &network->nodes.data[i];
        if (n->gate != LUT_XOR)
            continue;
        const struct linear_signal *x = signal_of(signals, n->args[0]),
                                   *y = signal_of(signals, n->args[1]);
        if (!x || !y)
            continue;
        struct linear_signal sum = {x->row ^ y->row, (uint32_t)(2 * i), x->one != y->one};
        vec_push(&signals->list, sum);
    }
}

/* Sources of a layer: at most 64. */
struct layer_sources {
    uint32_t edges[64];
    unsigned count;
};

static uint64_t source_bit(struct layer_sources *sources, uint32_t edge) {
    unsigned i = 0;
    while (i < sources->count && sources->edges[i] != edge)
        i++;
    if (i == sources->count)
        sources->edges[sources->count++] = edge;
    return UINT64_C(1) << i;
}

/* A sum of inputs by as few signals as there can be, up to two, else by the inputs.  *one changes
 * where the signals hold a 1 too many. */
static uint64_t linear_sources(const struct linear_signals *signals, uint64_t row,
                               struct layer_sources *sources, bool *one) {
    uint64_t bits = 0;
    if (!row)
        return 0;
    for (size_t i = 0; i < signals->list.len; i++)
        if (signals->list.data[i].row == row) {
            *one ^= signals->list.data[i].one;
            return source_bit(sources, signals->list.data[i].edge);
        }
    for (size_t i = 0; i < signals->list.len; i++)
        for (size_t k = 0; k < i; k++) {
            const struct linear_signal *x = &signals->list.data[i], *y = &signals->list.data[k];
            if ((x->row ^ y->row) == row) {
                *one ^= x->one != y->one;
                return source_bit(sources, x->edge) | source_bit(sources, y->edge);
            }
        }
    for (unsigned i = 0; i < 8; i++)
        if (row >> i & 1) {
            *one ^= signals->list.data[i].one;
            bits |= source_bit(sources, signals->list.data[i].edge);
        }
    return bits;
}

/* What the squares of p and q contribute to the norm of z. */
static uint8_t norm_squares(const struct inversion_plan *plan, uint8_t z) {
    const struct inverter *v = plan->i;
    const struct tower_step *s = &plan->outer.step;
    uint8_t p = lut_field_trace(v->f, mul(v, s->p, z), 8, 4);
    uint8_t q = lut_field_trace(v->f, mul(v, s->q, z), 8, 4);
    return mul(v, s->pp, mul(v, p, p)) ^ mul(v, s->qq, mul(v, q, q));
}

static void make_forms(const struct inversion_plan *plan, struct lut_network *network,
                       const uint32_t inputs[8], uint32_t forms[18]) {
    uint8_t functionals[18];
    struct row_set set = {.count = 18};
    outer_forms(plan->i, &plan->outer, functionals);
    for (unsigned k = 0; k < 18; k++)
        set.rows[k] = input_row(plan->i, functionals[k]);
    if (plan->seeds[LAYER_FORMS] & 1)
        lut_add_sums(network, inputs, 8, set.rows, 18, plan->seeds[LAYER_FORMS], set.edges);
    else
        make_rows(network, inputs, 8, plan->seeds[LAYER_FORMS], &set);
    for (unsigned k = 0; k < 18; k++)
        forms[k] = set.edges[k] ^ input_constant(plan->i, functionals[k]);
}

/* Three rows in a row belong to forms of which each is the sum of the others: the two lightest are
 * made, and the third from them.  *ones: what to add to each. */
static void make_triples(struct lut_network *network, const struct layer_sources *sources,
                         uint64_t seed, const uint64_t *rows, const bool *ones, unsigned count,
                         uint32_t *edges) {
    struct row_set set = {.count = 0};
    unsigned of[18], heavy[6] = {0};
    for (unsigned t = 0; t < count / 3; t++) {
        for (unsigned k = 1; k < 3; k++)
            if (lut_bit_count(rows[3 * t + k]) > lut_bit_count(rows[3 * t + heavy[t]]))
                heavy[t] = k;
        for (unsigned k = 0; k < 3; k++)
            if (k != heavy[t]) {
                of[set.count] = 3 * t + k;
                set.rows[set.count++] = rows[3 * t + k];
            }
    }
    make_rows(network, sources->edges, sources->count, seed, &set);
    for (unsigned i = 0; i < set.count; i++)
        edges[of[i]] = set.edges[i] ^ ones[of[i]];
    for (unsigned t = 0; t < count / 3; t++)
        edges[3 * t + heavy[t]] =
            lut_xor(network, edges[3 * t + (heavy[t] + 1) % 3], edges[3 * t + (heavy[t] + 2) % 3]);
}

/* Forms of r and s, three each, of the norm. */
static void make_norm(const struct inversion_plan *plan, struct lut_network *network,
                      const uint32_t inputs[8], const uint32_t forms[18], size_t first,
                      uint32_t norm[6]) {
    const struct inverter *v = plan->i;
    const struct tower_product *product = &v->products[plan->outer.product];
    struct linear_signals signals = {{0}};
    struct layer_sources sources = {.count = 0};
    uint64_t rows[6] = {0};
    bool ones[6] = {false};
    find_signals(network, inputs, first, &signals);
    for (unsigned k = 0; k < 9; k++)
        sources.edges[sources.count++] = lut_and(network, forms[k], forms[k + 9]);
    for (unsigned m = 0; m < 6; m++) {
        uint8_t form =
            mul(v, v->small.forms[m % 3], m < 3 ? plan->inner.step.p : plan->inner.step.q);
        uint64_t row = 0;
        for (unsigned k = 0; k < 9; k++) {
            uint8_t value = mul(v, plan->outer.step.pq, product->terms[k]);
            rows[m] |= (uint64_t)trace_bit(v, mul(v, form, value), 4) << k;
        }
        for (unsigned i = 0; i < 8; i++) {
            uint8_t value = norm_squares(plan, v->in->columns[i]);
            row |= (uint64_t)trace_bit(v, mul(v, form, value), 4) << i;
        }
        ones[m] = trace_bit(v, mul(v, form, norm_squares(plan, v->in->added)), 4);
        rows[m] |= linear_sources(&signals, row, &sources, &ones[m]);
    }
    make_triples(network, &sources, plan->seeds[LAYER_NORM], rows, ones, 6, norm);
    vec_free(&signals.list);
}

/* The number of the form of the field of 4 elements. */
static unsigned small_form(const struct inverter *inverter, uint8_t form) {
    unsigned k = 0;
    while (inverter->small.forms[k] != form)
        k++;
    return k;
}

/* Forms of turn / N, where N is the norm of the norm: of turn N^2, so of N. */
static void make_inner(const struct inversion_plan *plan, struct lut_network *network,
                       const uint32_t norm[6], uint32_t inner[3]) {
    const struct inverter *v = plan->i;
    const struct tower_step *s = &plan->inner.step;
    struct layer_sources sources = {.count = 0};
    const bool ones[3] = {false};
    uint64_t rows[3] = {0};
    for (unsigned k = 0; k < 3; k++)
        sources.edges[sources.count++] = lut_and(network, norm[k], norm[k + 3]);
    for (unsigned k = 0; k < 6; k++)
        sources.edges[sources.count++] = norm[k];
    for (unsigned m = 0; m < 3; m++) {
        uint8_t root = mul(v, v->small.forms[m], plan->inner.turn), form = mul(v, root, root);
        for (unsigned k = 0; k < 3; k++) {
            uint8_t value = mul(v, form, mul(v, s->pq, v->small.terms[k]));
            rows[m] |= (uint64_t)trace_bit(v, value, 2) << k;
        }
        uint8_t p = mul(v, form, s->pp), q = mul(v, form, s->qq);
        rows[m] |= UINT64_C(8) << small_form(v, mul(v, p, p));
        rows[m] |= UINT64_C(64) << small_form(v, mul(v, q, q));
    }
    make_triples(network, &sources, plan->seeds[LAYER_INNER], rows, ones, 3, inner);
}

/* Forms of scale / norm. */
static void make_inverse(const struct inversion_plan *plan, struct lut_network *network,
                         const uint32_t norm[6], const uint32_t inner[3], uint32_t inverse[9]) {
    const struct inverter *v = plan->i;
    const struct tower_product *product = &v->products[plan->outer.product];
    uint8_t factor = mul(v, plan->inner.scale, lut_field_inverse(v->f, plan->inner.turn));
    uint32_t sources[6];
    struct row_set set = {.count = 9};
    for (unsigned k = 0; k < 6; k++)
        sources[k] = lut_and(network, norm[k], inner[k % 3]);
    for (unsigned m = 0; m < 9; m++)
        for (unsigned k = 0; k < 6; k++) {
            uint8_t value = mul(v, v->small.terms[k % 3],
                                k < 3 ? plan->inner.step.p_back : plan->inner.step.q_back);
            value = mul(v, mul(v, product->forms[m], factor), value);
            set.rows[m] |= (uint64_t)trace_bit(v, value, 4) << k;
        }
    make_rows(network, sources, 6, plan->seeds[LAYER_INVERSE], &set);
    for (unsigned m = 0; m < 9; m++)
        inverse[m] = set.edges[m];
}

void lut_tower_build(const struct inversion_plan *plan, struct lut_network *network,
                     const uint32_t inputs[8], uint32_t outputs[8]) {
    uint32_t forms[18], norm[6], inner[3], inverse[9], products[18];
    uint64_t rows[8];
    size_t first = network->nodes.len;
    make_forms(plan, network, inputs, forms);
    make_norm(plan, network, inputs, forms, first, norm);
    make_inner(plan, network, norm, inner);
    make_inverse(plan, network, norm, inner, inverse);
    for (unsigned k = 0; k < 18; k++)
        products[k] = lut_and(network, forms[k], inverse[k % 9]);
    lut_tower_output_rows(plan->i, &plan->outer, plan->inner.scale, rows);
    lut_add_sums(network, products, 18, rows, 8, plan->seeds[LAYER_OUTPUTS], outputs);
    for (unsigned o = 0; o < 8; o++)
        outputs[o] ^= plan->i->out->added >> o & 1;
}
