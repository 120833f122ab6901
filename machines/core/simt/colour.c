/* SPDX-License-Identifier: MIT
 * Hardware registers by colouring: wide registers first, then those that live beside most others;
 * each class for itself, since their registers lie in different files. */
#include "machines/core/simt/locate.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define CLASSES   (SIMT_LOCATIONS + 1) /* predicates are the last */
#define PREDICATE SIMT_LOCATIONS

struct colouring {
    const struct simt_live *live;
    const struct ptx_function *function;
    uint32_t count, words;
    uint8_t *class, *width;
    uint64_t *beside;  /* [count * words]: registers of the same class that live at once */
    uint32_t *degree;  /* units of these */
    uint32_t *written; /* the first instruction that writes it */
    uint32_t most[CLASSES], used[CLASSES], listed;
    uint32_t *unit;
};

static uint8_t width_of(enum ptx_type type) {
    return ptx_type_bits(type) > 32 ? 2 : 1;
}

static void meet(struct colouring *c, uint32_t a, uint32_t b) {
    if (a == b || c->class[a] != c->class[b])
        return;
    simt_set_add(c->beside + (size_t)a * c->words, b);
    simt_set_add(c->beside + (size_t)b * c->words, a);
}

/* Behind an instruction: what it writes lives beside all that lives there. */
static void look_at(struct colouring *c, const struct ptx_insn *insn, uint64_t *set) {
    struct simt_register r[SIMT_MAX_REGISTERS];
    const uint32_t n = simt_registers(insn, r);
    uint32_t units[CLASSES] = {0};
    bool writes = false;
    for (uint32_t k = 0; k < n; k++)
        if (r[k].role == SIMT_RESULT && c->class[r[k].number] != SIMT_UNKNOWN) {
            simt_set_add(set, r[k].number);
            writes = true;
        }
    for (uint32_t w = 0; w < c->words && writes; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
            uint32_t other = w * 64 + (uint32_t)__builtin_ctzll(bits);
            units[c->class[other]] += c->width[other];
            for (uint32_t k = 0; k < n; k++)
                if (r[k].role == SIMT_RESULT)
                    meet(c, r[k].number, other);
        }
    for (unsigned k = 0; k < CLASSES; k++)
        if (units[k] > c->most[k])
            c->most[k] = units[k];
}

static void find_neighbours(struct colouring *c) {
    const struct simt_flow *flow = c->live->flow;
    uint64_t *set = xcalloc(c->words + 1, sizeof *set);
    for (uint32_t b = 0; b < flow->block_count; b++) {
        memcpy(set, c->live->out + (size_t)b * c->words, c->words * sizeof *set);
        for (uint32_t i = flow->blocks[b].end; i-- > flow->blocks[b].first;) {
            look_at(c, &c->function->insns.data[i], set);
            simt_live_step(&c->function->insns.data[i], set);
        }
    }
    free(set);
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = 0; k < c->count; k++)
            if (simt_set_has(c->beside + (size_t)i * c->words, k))
                c->degree[i] += c->width[k];
}

/* The lowest units that none beside it has. */
static uint32_t lowest(const struct colouring *c, uint32_t number) {
    const uint64_t *beside = c->beside + (size_t)number * c->words;
    bool *taken = xcalloc(2 * (size_t)c->count + 4, sizeof *taken);
    uint32_t at = 0;
    for (uint32_t k = 0; k < c->count; k++)
        if (simt_set_has(beside, k) && c->unit[k] != PTX_NONE)
            for (unsigned w = 0; w < c->width[k]; w++)
                taken[c->unit[k] + w] = true;
    while (taken[at] || (c->width[number] == 2 && taken[at + 1]))
        at += c->width[number];
    free(taken);
    return at;
}

/* ---- the order in which registers get theirs ---- */

enum order {
    BY_DEGREE, /* those beside most others first, */
    BY_TEXT,   /* as they are written first in the text, */
    BY_TEXT_BACKWARDS,
    MIXED, /* the same, but wide ones need not come first, */
    MIXED_BY_TEXT,
    MIXED_BACKWARDS,
    NARROW, /* or come last */
    NARROW_BY_TEXT,
    NARROW_BACKWARDS,
    ORDERS
};

struct ranked {
    uint32_t number, rank;
    uint8_t first; /* those with higher numbers come first */
};

static int by_rank(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->first != b->first)
        return a->first > b->first ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static struct ranked rank(const struct colouring *c, enum order order, uint32_t number) {
    const uint8_t width = c->width[number];
    struct ranked r = {number, c->written[number], width};
    if (order % 3 == BY_DEGREE)
        r.rank = UINT32_MAX - c->degree[number];
    else if (order % 3 == BY_TEXT_BACKWARDS)
        r.rank = UINT32_MAX - c->written[number];
    if (order >= MIXED)
        r.first = order >= NARROW ? (uint8_t)(2 - width) : 0;
    return r;
}

/* Units for a list of registers, one after another; how many are used. */
static uint32_t give_list(struct colouring *c, const struct ranked *list, uint32_t n) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < n; i++)
        c->unit[list[i].number] = PTX_NONE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = list[i].number, end;
        c->unit[number] = lowest(c, number);
        end = c->unit[number] + c->width[number];
        used = end > used ? end : used;
    }
    return used;
}

/* Those that got units which need not be there go to the front. */
static void prefer_late(const struct colouring *c, unsigned class, struct ranked *list,
                        uint32_t n) {
    struct ranked *rest = xcalloc(n + 1, sizeof *rest);
    uint32_t front = 0, behind = 0;
    for (uint32_t i = 0; i < n; i++)
        if (c->unit[list[i].number] + c->width[list[i].number] > c->most[class])
            list[front++] = list[i];
        else
            rest[behind++] = list[i];
    memcpy(list + front, rest, behind * sizeof *rest);
    free(rest);
}

#define ROUNDS 24 /* from each order on; most classes are done after one */

/* The colouring of one class with the fewest units that is found. */
static void give_class(struct colouring *c, unsigned class) {
    struct ranked *list = xcalloc(c->count + 1, sizeof *list);
    uint32_t *best = xcalloc(c->count + 1, sizeof *best);
    c->used[class] = UINT32_MAX;
    for (unsigned round = 0; round < ORDERS * ROUNDS && c->used[class] > c->most[class]; round++) {
        const enum order order = (enum order)(round / ROUNDS);
        uint32_t n = 0, used;
        for (uint32_t i = 0; i < c->count && round % ROUNDS == 0; i++)
            if (c->class[i] == class)
                list[n++] = rank(c, order, i);
        if (round % ROUNDS == 0) {
            qsort(list, n, sizeof *list, by_rank);
            c->listed = n;
        } else {
            prefer_late(c, class, list, c->listed);
        }
        used = give_list(c, list, c->listed);
        if (used < c->used[class]) {
            c->used[class] = used;
            memcpy(best, c->unit, c->count * sizeof *best);
        }
    }
    memcpy(c->unit, best, c->count * sizeof *best);
    free(list);
    free(best);
}

static void give_units(struct colouring *c) {
    for (uint32_t i = 0; i < c->count; i++)
        c->unit[i] = PTX_NONE;
    for (unsigned class = SIMT_UNKNOWN + 1; class < CLASSES; class ++)
        give_class(c, class);
}

static void find_written(struct colouring *c) {
    struct simt_register r[SIMT_MAX_REGISTERS];
    memset(c->written, 0xff, c->count * sizeof *c->written);
    for (uint32_t i = 0; i < c->function->insns.len; i++) {
        const uint32_t n = simt_registers(&c->function->insns.data[i], r);
        for (uint32_t k = 0; k < n; k++)
            if (r[k].role == SIMT_RESULT && c->written[r[k].number] == UINT32_MAX)
                c->written[r[k].number] = i;
    }
}

void simt_colour(const struct simt_live *live, const uint8_t *locations, struct simt_colours *out) {
    const struct ptx_function *f = live->flow->function;
    const uint32_t n = (uint32_t)f->registers.len;
    struct colouring c = {.live = live, .function = f, .count = n, .words = live->words};
    c.class = xcalloc(n + 1, sizeof *c.class);
    c.width = xcalloc(n + 1, sizeof *c.width);
    c.degree = xcalloc(n + 1, sizeof *c.degree);
    c.beside = xcalloc((size_t)n * c.words + 1, sizeof *c.beside);
    c.unit = xcalloc(n + 1, sizeof *c.unit);
    c.written = xcalloc(n + 1, sizeof *c.written);
    for (uint32_t i = 0; i < n; i++) {
        bool predicate = f->registers.data[i].type == PTX_PRED;
        c.class[i] = locations[i] != SIMT_UNKNOWN && predicate ? PREDICATE : locations[i];
        c.width[i] = width_of(f->registers.data[i].type);
    }
    find_neighbours(&c);
    find_written(&c);
    give_units(&c);
    *out = (struct simt_colours){
        .unit = c.unit, .predicates = c.used[PREDICATE], .most_live_predicates = c.most[PREDICATE]};
    memcpy(out->units, c.used, sizeof out->units);
    memcpy(out->most_live, c.most, sizeof out->most_live);
    free(c.class);
    free(c.width);
    free(c.degree);
    free(c.written);
    free(c.beside);
}

void simt_colours_free(struct simt_colours *colours) {
    free(colours->unit);
}
