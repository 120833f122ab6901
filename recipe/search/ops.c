/* SPDX-License-Identifier: MIT
 * All ways to connect each gate, and what they reach from the functions at hand. */
#include "recipe/search/ops.h"

#include <stdlib.h>
#include <string.h>

struct op_builder {
    struct search_op *op;
    size_t count;
    uint8_t fixed[SEARCH_MAX_VALUES]; /* values outside of rows that the gate's source may read */
};

/* Where a gate's source comes from: an argument, or a value outside of rows. */
struct gate_source {
    int arg; /* -1: none */
    uint8_t truth;
};

/* Bit m: the coefficient of the product of the sources in m. */
static unsigned normal_form(const struct search_gate *gate) {
    unsigned t = gate->truth & ((1u << (1u << gate->nsrc)) - 1);
    for (unsigned v = 0; v < gate->nsrc; v++)
        for (unsigned m = 0; m < 1u << gate->nsrc; m++)
            if (m >> v & 1)
                t ^= (t >> (m ^ 1u << v) & 1) << m;
    return t;
}

static void put_op(struct op_builder *builder, const struct search_gate *gate,
                   const struct gate_source *src, unsigned args) {
    struct search_op *op = &builder->op[builder->count++];
    unsigned form = normal_form(gate);
    memset(op, 0, sizeof *op);
    op->args = (uint8_t)__builtin_popcount(args);
    op->cost = gate->cost;
    for (unsigned m = 0; m < 1u << gate->nsrc; m++) {
        unsigned product = 0;
        uint8_t c = 0xFF;
        for (unsigned i = 0; i < gate->nsrc; i++)
            if (m >> i & 1) {
                if (src[i].arg >= 0)
                    product |= 1u << src[i].arg;
                else
                    c &= src[i].truth;
            }
        if (form >> m & 1)
            op->c[product] ^= c;
    }
}

/* All ways to connect sources index, index + 1, ... of the gate. */
static void connect(struct op_builder *builder, const struct search_problem *problem,
                    const struct search_gate *gate, unsigned index, struct gate_source *src,
                    unsigned args) {
    if (index >= gate->nsrc || index >= SEARCH_MAX_SRC) {
        if (!(args & (args + 1)))
            put_op(builder, gate, src, args);
        return;
    }
    for (unsigned v = 0; v < problem->value_count; v++)
        if (problem->values[v].place != SEARCH_ROW &&
            gate->src_places[index] >> problem->values[v].place & 1) {
            src[index] = (struct gate_source){-1, problem->values[v].truth};
            connect(builder, problem, gate, index + 1, src, args);
        }
    if (!(gate->src_places[index] & SEARCH_IN(SEARCH_ROW)))
        return;
    for (int a = 0; a < gate->nsrc; a++) {
        src[index] = (struct gate_source){a, 0};
        connect(builder, problem, gate, index + 1, src, args | 1u << a);
    }
}

static int compare_function(const struct search_op *left, const struct search_op *right) {
    return left->args != right->args ? (left->args > right->args) - (left->args < right->args)
                                     : memcmp(left->c, right->c, sizeof left->c);
}

static int compare_ops(const void *left, const void *right) {
    const struct search_op *a = left, *b = right;
    int d = compare_function(a, b);
    return d ? d : (a->cost > b->cost) - (a->cost < b->cost);
}

static int compare_functions(const void *left, const void *right) {
    return compare_function(left, right);
}

/* Of ops that do the same the first, which is the cheapest. */
static size_t drop_twins(struct search_op *op, size_t count) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!n || compare_function(&op[n - 1], &op[i]) != 0)
            op[n++] = op[i];
    return n;
}

static bool gives_back(const struct search_op *op) {
    static const uint8_t back[3][8] = {{[1] = 0xFF}, {[2] = 0xFF}, {[4] = 0xFF}};
    for (unsigned a = 0; a < op->args; a++)
        if (!memcmp(op->c, back[a], sizeof op->c))
            return true;
    return false;
}

static bool depends_on(const struct search_op *op, unsigned arg) {
    for (unsigned m = 0; m < 8; m++)
        if (m >> arg & 1 && op->c[m])
            return true;
    return false;
}

/* op without an argument that it does not depend on. */
static struct search_op leave_out(const struct search_op *op, unsigned arg) {
    struct search_op r = *op;
    memset(r.c, 0, sizeof r.c);
    r.args--;
    for (unsigned m = 0; m < 8; m++)
        if (!(m >> arg & 1))
            r.c[(m & ((1u << arg) - 1)) | (m >> (arg + 1) << arg)] = op->c[m];
    return r;
}

/* Is there an op that does the same with fewer arguments for no more? */
static bool beaten(const struct search_op *op, const struct search_op *all, size_t count) {
    for (unsigned a = 0; a < op->args; a++)
        if (!depends_on(op, a)) {
            struct search_op r = leave_out(op, a);
            const struct search_op *t = bsearch(&r, all, count, sizeof r, compare_functions);
            if (t && t->cost <= op->cost)
                return true;
        }
    return false;
}

static void number_costs(struct search_ops *ops, size_t count) {
    ops->levels = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned l = 0;
        while (l < ops->levels && ops->costs[l] < ops->op[i].cost)
            l++;
        if (l < ops->levels && ops->costs[l] == ops->op[i].cost)
            continue;
        memmove(ops->costs + l + 1, ops->costs + l, (ops->levels - l) * sizeof *ops->costs);
        ops->costs[l] = ops->op[i].cost;
        ops->levels++;
    }
    for (size_t i = 0; i < count; i++)
        for (unsigned l = 0; l < ops->levels; l++)
            if (ops->costs[l] == ops->op[i].cost)
                ops->op[i].level = (uint8_t)l;
}

static size_t most_ops(const struct search_problem *problem) {
    size_t most = 1;
    for (unsigned i = 0; i < problem->gate_count; i++) {
        size_t n = 1;
        for (unsigned s = 0; s < problem->gates[i].nsrc; s++)
            n *= problem->value_count + problem->gates[i].nsrc;
        most += n;
    }
    return most;
}

void search_ops_build(struct search_ops *ops, const struct search_problem *problem,
                      enum search_place place, bool all, struct arena *arena) {
    struct op_builder b = {ARENA_ARRAY(arena, most_ops(problem), struct search_op), 0, {0}};
    size_t count = 0, twins;
    struct gate_source src[SEARCH_MAX_SRC];
    for (unsigned i = 0; i < problem->gate_count; i++)
        if (problem->gates[i].dst_places >> place & 1)
            connect(&b, problem, &problem->gates[i], 0, src, 0);
    qsort(b.op, b.count, sizeof *b.op, compare_ops);
    twins = drop_twins(b.op, b.count);
    ops->op = ARENA_ARRAY(arena, twins + 1, struct search_op);
    for (size_t i = 0; i < twins; i++)
        if ((all || !gives_back(&b.op[i])) && !beaten(&b.op[i], b.op, twins))
            ops->op[count++] = b.op[i];
    number_costs(ops, count);
    for (unsigned n = 0, i = 0; n < 5; n++) {
        while (i < count && ops->op[i].args < n)
            i++;
        ops->first[n] = i;
    }
}

void search_rows_push(struct search_rows *rows, uint8_t field) {
    memset(rows->f + rows->count, field, 8 - rows->count % 8);
    rows->count++;
}

void search_rows_pop(struct search_rows *rows) {
    rows->count--;
    if (rows->count % 8)
        memset(rows->f + rows->count, rows->f[rows->count - 1], 8 - rows->count % 8);
}

/* Functions that were reached, a byte for each of up to eight costs from `first` on: to set bits of
 * one word one after the other each time waits for the store before. */
struct reached_costs {
    unsigned first;
    union {
        uint8_t costs[256];
        uint64_t word[32];
    };
};

static void note(struct reached_costs *reached, const struct search_op *op, unsigned function) {
    reached->costs[function] |= (uint8_t)(1u << (op->level - reached->first));
}

static void note_word(struct reached_costs *reached, const struct search_op *op,
                      uint64_t functions) {
    for (unsigned i = 0; i < 8; i++)
        note(reached, op, functions >> 8 * i & 0xFF);
}

static bool counts(const struct reached_costs *reached, const struct search_op *op) {
    return op->level / 8 == reached->first / 8;
}

/* Pairs of two rows, eight to a word; the last word is filled up with the last pair. */
#define PAIR_WORDS 32u
struct row_pairs {
    union {
        uint8_t f[8 * PAIR_WORDS];
        uint64_t word[PAIR_WORDS];
    } first, second;
    unsigned words;
    unsigned a, b; /* the next pair */
};

static void start_pairs(struct row_pairs *pairs) {
    pairs->a = 0;
    pairs->b = 1;
}

/* The next ones of all pairs, from a = 0 and b = 1 on; false if there are none. */
static bool next_pairs(const struct search_rows *rows, struct row_pairs *pairs) {
    unsigned n = 0;
    while (pairs->b < rows->count && n < 8 * PAIR_WORDS) {
        for (; pairs->b < rows->count && n < 8 * PAIR_WORDS; pairs->b++, n++) {
            pairs->first.f[n] = rows->f[pairs->a];
            pairs->second.f[n] = rows->f[pairs->b];
        }
        if (pairs->b == rows->count) {
            pairs->a++;
            pairs->b = pairs->a + 1;
        }
    }
    pairs->words = (n + 7) / 8;
    for (; n % 8; n++) {
        pairs->first.f[n] = pairs->first.f[n - 1];
        pairs->second.f[n] = pairs->second.f[n - 1];
    }
    return pairs->words > 0;
}

/* Eight results of an op with two arguments. */
static uint64_t apply_pairs(const struct search_op *op, uint64_t first, uint64_t second) {
    const uint64_t bytes = UINT64_C(0x0101010101010101);
    return op->c[0] * bytes ^ (op->c[1] * bytes & first) ^ (op->c[2] * bytes & second) ^
           (op->c[3] * bytes & first & second);
}

static void reach_costs(const struct search_ops *ops, const struct search_rows *rows, uint8_t z,
                        struct reached_costs *reached) {
    struct row_pairs pairs;
    unsigned words = (rows->count + 7) / 8, i = ops->first[1];
    start_pairs(&pairs);
    for (; i < ops->first[2]; i++)
        if (counts(reached, &ops->op[i]))
            note(reached, &ops->op[i], (z & ops->op[i].c[1]) ^ ops->op[i].c[0]);
    for (; i < ops->first[3]; i++) {
        struct search_op r = search_op_fix(&ops->op[i], z);
        for (unsigned k = 0; k < words && counts(reached, &r); k++)
            note_word(reached, &r, search_op_apply(&r, rows->word[k]));
    }
    while (i < ops->first[4] && next_pairs(rows, &pairs))
        for (unsigned j = i; j < ops->first[4]; j++) {
            struct search_op r = search_op_fix(&ops->op[j], z);
            for (unsigned k = 0; k < pairs.words && counts(reached, &r); k++)
                note_word(reached, &r, apply_pairs(&r, pairs.first.word[k], pairs.second.word[k]));
        }
}

/* Adds those with bit `cost`. */
static void add_reached(const struct reached_costs *reached, unsigned cost,
                        struct function_set *set) {
    for (unsigned i = 0; i < 32; i++) {
        uint64_t bits = reached->word[i] >> cost & UINT64_C(0x0101010101010101);
        set->w[i / 8] |= (bits * UINT64_C(0x0102040810204080) >> 56) << 8 * (i % 8);
    }
}

void search_ops_reach(const struct search_ops *ops, const struct search_rows *rows, uint8_t z,
                      struct function_set *reach) {
    for (unsigned first = 0; first < ops->levels; first += 8) {
        struct reached_costs reached = {.first = first, .word = {0}};
        reach_costs(ops, rows, z, &reached);
        for (unsigned l = first; l < ops->levels && l < first + 8; l++)
            add_reached(&reached, l - first, &reach[l]);
    }
}

bool search_ops_hit(const struct search_ops *ops, const struct search_rows *rows, uint8_t z,
                    const struct function_set *wanted) {
    struct row_pairs pairs;
    unsigned words = (rows->count + 7) / 8, i = ops->first[1];
    start_pairs(&pairs);
    for (; i < ops->first[2]; i++)
        if (set_has(wanted, (z & ops->op[i].c[1]) ^ ops->op[i].c[0]))
            return true;
    for (; i < ops->first[3]; i++) {
        struct search_op r = search_op_fix(&ops->op[i], z);
        for (unsigned k = 0; k < words; k++)
            if (search_word_hits(wanted, search_op_apply(&r, rows->word[k])))
                return true;
    }
    while (i < ops->first[4] && next_pairs(rows, &pairs))
        for (unsigned j = i; j < ops->first[4]; j++) {
            struct search_op r = search_op_fix(&ops->op[j], z);
            for (unsigned k = 0; k < pairs.words; k++)
                if (search_word_hits(wanted,
                                     apply_pairs(&r, pairs.first.word[k], pairs.second.word[k])))
                    return true;
        }
    return false;
}
