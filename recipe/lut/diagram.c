/* SPDX-License-Identifier: MIT
 * Decision diagrams: a function is what it is where an input is 0 and where it is 1, and equal
 * parts are there once.  With f0 and f1 for these parts, the expansion by an input x is
 *   choice:     x ? f1 : f0
 *   sum:        f0 ^ x & (f0 ^ f1)
 *   other sum:  f1 ^ !x & (f0 ^ f1)
 * and is the same for all functions of a diagram (a Kronecker functional decision diagram). */
#include "recipe/lut/synthesis.h"

#define MAX_INPUTS ISA_LUT_MAX_INDEX_BITS

enum expansion_kind { EXPAND_CHOICE, EXPAND_SUM, EXPAND_OTHER_SUM, EXPANSIONS };

struct diagram_shape {
    uint8_t order[MAX_INPUTS]; /* inputs, the one at the top first */
    uint8_t kind[MAX_INPUTS];  /* by input */
};

struct diagram_search {
    const struct lut_truth *truth;
    lut_outputs wanted;
    const struct lut_costs *costs;
    uint64_t work, best; /* entries that may be looked at yet; the least cost so far */
    struct diagram_shape shape;
    uint8_t *values;   /* [entries]: of one function */
    uint32_t *edges;   /* the same */
    uint32_t *numbers; /* [entries]: where the entry of a place in the order stands */
};

/* --- one diagram --- */

static void read_values(const struct diagram_search *search, unsigned output) {
    uint32_t size = lut_truth_size(search->truth);
    for (uint32_t i = 0; i < size; i++)
        search->values[i] = lut_truth_bit(search->truth, output, i);
}

/* Entries become the parts that the expansions combine. */
static void take_parts(const struct diagram_search *search) {
    uint32_t size = lut_truth_size(search->truth);
    for (unsigned v = 0; v < search->truth->inputs; v++) {
        unsigned kind = search->shape.kind[v];
        for (uint32_t i = 0; kind != EXPAND_CHOICE && i < size; i++) {
            if (i >> v & 1)
                continue;
            uint8_t *low = &search->values[i], *high = &search->values[i | (uint32_t)1 << v];
            uint8_t sum = *low ^ *high;
            if (kind == EXPAND_OTHER_SUM)
                *low = *high;
            *high = sum;
        }
    }
}

static void number_entries(const struct diagram_search *search) {
    unsigned inputs = search->truth->inputs;
    search->numbers[0] = 0;
    for (unsigned level = inputs; level-- > 0;) {
        uint32_t done = (uint32_t)1 << (inputs - 1 - level);
        for (uint32_t i = 0; i < done; i++)
            search->numbers[done + i] = search->numbers[i] | (uint32_t)1
                                                                 << search->shape.order[level];
    }
}

static uint32_t expand(struct lut_network *network, unsigned kind, uint32_t input, uint32_t low,
                       uint32_t high) {
    if (kind == EXPAND_CHOICE)
        return lut_mux(network, input, high, low);
    return lut_xor(network, low, lut_and(network, input ^ (kind == EXPAND_OTHER_SUM), high));
}

static uint32_t build_output(const struct diagram_search *search, unsigned output,
                             struct lut_network *network) {
    uint32_t size = lut_truth_size(search->truth);
    read_values(search, output);
    take_parts(search);
    for (uint32_t i = 0; i < size; i++)
        search->edges[i] = search->values[search->numbers[i]] ? LUT_TRUE : LUT_FALSE;
    for (unsigned level = search->truth->inputs; level-- > 0;) {
        unsigned v = search->shape.order[level];
        size /= 2;
        for (uint32_t i = 0; i < size; i++)
            search->edges[i] = expand(network, search->shape.kind[v], lut_input(v),
                                      search->edges[2 * i], search->edges[2 * i + 1]);
    }
    return search->edges[0];
}

static void build(const struct diagram_search *search, struct lut_network *network) {
    number_entries(search);
    for (unsigned i = 0; i < search->truth->outputs; i++)
        if (search->wanted >> i & 1)
            network->out[i] = build_output(search, i, network);
}

/* --- the least one --- */

/* Keeps the shape if it costs less than all before; false if it does not, or none may be tried any
 * more. */
static bool try_shape(struct diagram_search *search, const struct diagram_shape *shape) {
    uint64_t work =
        (uint64_t)lut_truth_size(search->truth) * (unsigned)__builtin_popcountll(search->wanted);
    if (search->work < work)
        return false;
    search->work -= work;
    struct diagram_shape before = search->shape;
    struct lut_network n;
    lut_network_start(&n, search->truth->inputs, search->truth->outputs);
    search->shape = *shape;
    build(search, &n);
    uint64_t cost = lut_cost(&n, search->costs);
    lut_network_free(&n);
    bool less = cost < search->best;
    if (less)
        search->best = cost;
    else
        search->shape = before;
    return less;
}

static bool try_kinds(struct diagram_search *search) {
    bool gain = false;
    for (unsigned v = 0; v < search->truth->inputs; v++)
        for (uint8_t kind = 0; kind < EXPANSIONS; kind++) {
            struct diagram_shape s = search->shape;
            if (s.kind[v] == kind)
                continue;
            s.kind[v] = kind;
            gain |= try_shape(search, &s);
        }
    return gain;
}

/* Takes the input at place `from` to place `to`. */
static void move_input(struct diagram_shape *shape, unsigned from, unsigned to) {
    uint8_t input = shape->order[from];
    for (; from < to; from++)
        shape->order[from] = shape->order[from + 1];
    for (; from > to; from--)
        shape->order[from] = shape->order[from - 1];
    shape->order[to] = input;
}

static bool try_orders(struct diagram_search *search) {
    unsigned inputs = search->truth->inputs;
    bool gain = false;
    for (unsigned v = 0; v < inputs; v++)
        for (unsigned to = 0; to < inputs; to++) {
            struct diagram_shape s = search->shape;
            unsigned from = 0;
            while (s.order[from] != v)
                from++;
            if (from == to)
                continue;
            move_input(&s, from, to);
            gain |= try_shape(search, &s);
        }
    return gain;
}

static void start(struct diagram_search *search, const struct lut_truth *truth, lut_outputs wanted,
                  const struct lut_costs *costs) {
    uint32_t size = lut_truth_size(truth);
    *search = (struct diagram_search){
        .truth = truth, .wanted = wanted, .costs = costs, .best = UINT64_MAX};
    for (unsigned i = 0; i < truth->inputs; i++)
        search->shape.order[i] = (uint8_t)(truth->inputs - 1 - i);
    search->values = xcalloc(size, sizeof *search->values);
    search->edges = xcalloc(size, sizeof *search->edges);
    search->numbers = xcalloc(size, sizeof *search->numbers);
}

static void finish(struct diagram_search *search) {
    free(search->values);
    free(search->edges);
    free(search->numbers);
}

/* Entries that are looked at for one table: a second or two. */
#define DIAGRAM_WORK (UINT64_C(1) << 22)

/* Downhill from all choices, and from all sums: what is best for one kind of table is a bad
 * beginning for another. */
void lut_make_diagram(const struct lut_truth *truth, lut_outputs wanted,
                      const struct lut_costs *costs, struct lut_network *network) {
    struct diagram_search s;
    struct diagram_shape best = {{0}, {0}};
    uint64_t least = UINT64_MAX;
    start(&s, truth, wanted, costs);
    const struct diagram_shape first = s.shape;
    for (unsigned kind = EXPAND_CHOICE; kind <= EXPAND_SUM; kind++) {
        struct diagram_shape shape = first;
        memset(shape.kind, (int)kind, sizeof shape.kind);
        s.best = UINT64_MAX;
        s.work = DIAGRAM_WORK;
        try_shape(&s, &shape);
        for (bool gain = true; gain;) {
            gain = try_orders(&s);
            gain |= try_kinds(&s);
        }
        if (s.best < least) {
            least = s.best;
            best = s.shape;
        }
    }
    s.shape = best;
    build(&s, network);
    finish(&s);
}

void lut_make_selects(const struct lut_truth *truth, lut_outputs wanted,
                      struct lut_network *network) {
    struct diagram_search s;
    start(&s, truth, wanted, NULL);
    build(&s, network);
    finish(&s);
}
