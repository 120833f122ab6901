/* SPDX-License-Identifier: MIT */
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
static unsigned normal_form(const struct search_gate *g) {
    unsigned t = g->truth & ((1u << (1u << g->nsrc)) - 1);
    for (unsigned v = 0; v < g->nsrc; v++)
        for (unsigned m = 0; m < 1u << g->nsrc; m++)
            if (m >> v & 1)
                t ^= (t >> (m ^ 1u << v) & 1) << m;
    return t;
}

static void put_op(struct op_builder *b, const struct search_gate *g, const struct gate_source *src,
                   unsigned args) {
    struct search_op *op = &b->op[b->count++];
    unsigned form = normal_form(g);
    memset(op, 0, sizeof *op);
    op->args = (uint8_t)__builtin_popcount(args);
    op->cost = g->cost;
    for (unsigned m = 0; m < 1u << g->nsrc; m++) {
        unsigned product = 0;
        uint8_t c = 0xFF;
        for (unsigned i = 0; i < g->nsrc; i++)
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

/* All ways to connect sources i, i + 1, ... of gate g. */
static void connect(struct op_builder *b, const struct search_problem *p,
                    const struct search_gate *g, unsigned i, struct gate_source *src,
                    unsigned args) {
    if (i >= g->nsrc || i >= SEARCH_MAX_SRC) {
        if (!(args & (args + 1)))
            put_op(b, g, src, args);
        return;
    }
    for (unsigned v = 0; v < p->value_count; v++)
        if (p->values[v].place != SEARCH_ROW && g->src_places[i] >> p->values[v].place & 1) {
            src[i] = (struct gate_source){-1, p->values[v].truth};
            connect(b, p, g, i + 1, src, args);
        }
    if (!(g->src_places[i] & SEARCH_IN(SEARCH_ROW)))
        return;
    for (int a = 0; a < g->nsrc; a++) {
        src[i] = (struct gate_source){a, 0};
        connect(b, p, g, i + 1, src, args | 1u << a);
    }
}

static int compare_function(const struct search_op *a, const struct search_op *b) {
    return a->args != b->args ? (a->args > b->args) - (a->args < b->args)
                              : memcmp(a->c, b->c, sizeof a->c);
}

static int compare_ops(const void *x, const void *y) {
    const struct search_op *a = x, *b = y;
    int d = compare_function(a, b);
    return d ? d : (a->cost > b->cost) - (a->cost < b->cost);
}

static int compare_functions(const void *x, const void *y) {
    return compare_function(x, y);
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

static void number_costs(struct search_ops *o, size_t count) {
    o->levels = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned l = 0;
        while (l < o->levels && o->costs[l] < o->op[i].cost)
            l++;
        if (l < o->levels && o->costs[l] == o->op[i].cost)
            continue;
        memmove(o->costs + l + 1, o->costs + l, (o->levels - l) * sizeof *o->costs);
        o->costs[l] = o->op[i].cost;
        o->levels++;
    }
    for (size_t i = 0; i < count; i++)
        for (unsigned l = 0; l < o->levels; l++)
            if (o->costs[l] == o->op[i].cost)
                o->op[i].level = (uint8_t)l;
}

static size_t most_ops(const struct search_problem *p) {
    size_t most = 1;
    for (unsigned i = 0; i < p->gate_count; i++) {
        size_t n = 1;
        for (unsigned s = 0; s < p->gates[i].nsrc; s++)
            n *= p->value_count + p->gates[i].nsrc;
        most += n;
    }
    return most;
}

void search_ops_build(struct search_ops *o, const struct search_problem *p, enum search_place place,
                      bool all, struct arena *arena) {
    struct op_builder b = {ARENA_ARRAY(arena, most_ops(p), struct search_op), 0, {0}};
    size_t count = 0, twins;
    struct gate_source src[SEARCH_MAX_SRC];
    for (unsigned i = 0; i < p->gate_count; i++)
        if (p->gates[i].dst_places >> place & 1)
            connect(&b, p, &p->gates[i], 0, src, 0);
    qsort(b.op, b.count, sizeof *b.op, compare_ops);
    twins = drop_twins(b.op, b.count);
    o->op = ARENA_ARRAY(arena, twins + 1, struct search_op);
    for (size_t i = 0; i < twins; i++)
        if ((all || !gives_back(&b.op[i])) && !beaten(&b.op[i], b.op, twins))
            o->op[count++] = b.op[i];
    number_costs(o, count);
    for (unsigned n = 0, i = 0; n < 5; n++) {
        while (i < count && o->op[i].args < n)
            i++;
        o->first[n] = i;
    }
}

void search_rows_push(struct search_rows *rows, uint8_t f) {
    memset(rows->f + rows->count, f, 8 - rows->count % 8);
    rows->count++;
}

void search_rows_pop(struct search_rows *rows) {
    rows->count--;
    if (rows->count % 8)
        memset(rows->f + rows->count, rows->f[rows->count - 1], 8 - rows->count % 8);
}

static void add_word(struct function_set *s, uint64_t v) {
    for (unsigned i = 0; i < 8; i++, v >>= 8)
        set_add(s, (unsigned)(v & 0xFF));
}

void search_ops_reach(const struct search_ops *o, const struct search_rows *rows, uint8_t z,
                      struct function_set *reach) {
    unsigned words = (rows->count + 7) / 8, i = o->first[1];
    for (; i < o->first[2]; i++)
        set_add(&reach[o->op[i].level], (z & o->op[i].c[1]) ^ o->op[i].c[0]);
    for (; i < o->first[3]; i++) {
        struct search_op r = search_op_fix(&o->op[i], z);
        for (unsigned k = 0; k < words; k++)
            add_word(&reach[r.level], search_op_apply(&r, rows->word[k]));
    }
    for (; i < o->first[4]; i++) {
        struct search_op r = search_op_fix(&o->op[i], z);
        for (unsigned a = 0; a + 1 < rows->count; a++) {
            struct search_op q = search_op_fix(&r, rows->f[a]);
            for (unsigned k = (a + 1) / 8; k < words; k++)
                add_word(&reach[q.level], search_op_apply(&q, rows->word[k]));
        }
    }
}

bool search_ops_hit(const struct search_ops *o, const struct search_rows *rows, uint8_t z,
                    const struct function_set *wanted) {
    unsigned words = (rows->count + 7) / 8, i = o->first[1];
    for (; i < o->first[2]; i++)
        if (set_has(wanted, (z & o->op[i].c[1]) ^ o->op[i].c[0]))
            return true;
    for (; i < o->first[3]; i++) {
        struct search_op r = search_op_fix(&o->op[i], z);
        for (unsigned k = 0; k < words; k++)
            if (search_word_hits(wanted, search_op_apply(&r, rows->word[k])))
                return true;
    }
    for (; i < o->first[4]; i++) {
        struct search_op r = search_op_fix(&o->op[i], z);
        for (unsigned a = 0; a + 1 < rows->count; a++) {
            struct search_op q = search_op_fix(&r, rows->f[a]);
            for (unsigned k = (a + 1) / 8; k < words; k++)
                if (search_word_hits(wanted, search_op_apply(&q, rows->word[k])))
                    return true;
        }
    }
    return false;
}
