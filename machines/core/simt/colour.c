/* SPDX-License-Identifier: MIT
 * Hardware registers by colouring: wide registers first, then those that live beside most others;
 * each class for itself, since their registers lie in different files. */
#include "machines/core/simt/locate.h"

#include "support/alloc.h"
#include "support/arena.h"

#include <stdlib.h>
#include <string.h>

#define CLASSES   (SIMT_LOCATIONS + 1) /* predicates are the last */
#define PREDICATE SIMT_LOCATIONS
#define PIECE     1024 /* registers */

struct colouring {
    const struct simt_live *live;
    const struct ptx_function *function;
    uint32_t count, words;
    uint8_t *class, *width;
    /* Registers of the same class that live at once with each: bits in pieces, which are made where
     * there are any.  Registers are numbered as they come, so that most of a row is empty. */
    uint64_t **beside; /* [count * pieces] */
    uint32_t pieces;
    struct arena arena; /* of them */
    uint32_t *degree;   /* units of these */
    /* [registers]: one of which it is a copy, or that is a copy of it; PTX_NONE.  They get the same
     * units where that costs none, so that the copy needs no instruction. */
    uint32_t *like;
    bool alike; /* this attempt looks at that */
    uint32_t most[CLASSES], used[CLASSES];
    uint32_t *unit;
};

static uint8_t width_of(enum ptx_type type) {
    return ptx_type_bits(type) > 32 ? 2 : 1;
}

/* The first register from `from` on that lives beside it; PTX_NONE: none does. */
static uint32_t next_of(const struct colouring *c, uint32_t number, uint32_t from) {
    for (uint32_t p = from / PIECE; p < c->pieces; p++, from = p * PIECE) {
        const uint64_t *piece = c->beside[(size_t)number * c->pieces + p];
        for (uint32_t w = from % PIECE / 64; piece && w < PIECE / 64; w++, from = w * 64) {
            uint64_t bits = piece[w] & ~(uint64_t)0 << (from % 64);
            if (bits)
                return p * PIECE + w * 64 + (uint32_t)__builtin_ctzll(bits);
        }
    }
    return PTX_NONE;
}

static void put_beside(struct colouring *c, uint32_t a, uint32_t b) {
    uint64_t **piece = &c->beside[(size_t)a * c->pieces + b / PIECE];
    if (!*piece)
        *piece = ARENA_ARRAY(&c->arena, PIECE / 64, uint64_t);
    simt_set_add(*piece, b % PIECE);
}

static void meet(struct colouring *c, uint32_t a, uint32_t b) {
    if (a == b || c->class[a] != c->class[b])
        return;
    put_beside(c, a, b);
    put_beside(c, b, a);
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
    const struct ptx_cfg *cfg = c->live->cfg;
    uint64_t *set = xcalloc(c->words + 1, sizeof *set);
    for (uint32_t b = 0; b < cfg->count; b++) {
        memcpy(set, c->live->out + (size_t)b * c->words, c->words * sizeof *set);
        for (uint32_t i = cfg->blocks[b].first + cfg->blocks[b].count;
             i-- > cfg->blocks[b].first;) {
            look_at(c, &c->function->insns.data[i], set);
            simt_live_step(&c->function->insns.data[i], set);
        }
    }
    free(set);
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = next_of(c, i, 0); k != PTX_NONE; k = next_of(c, i, k + 1))
            c->degree[i] += c->width[k];
}

static bool is_copy(const struct ptx_insn *insn) {
    const struct ptx_operand *o = insn->operands;
    return insn->form->op == PTX_OP_MOV && insn->guard == PTX_NONE && o[0].kind == PTX_REGISTER &&
           o[1].kind == PTX_REGISTER;
}

static void find_copies(struct colouring *c) {
    memset(c->like, 0xff, (c->count + 1) * sizeof *c->like); /* PTX_NONE */
    for (size_t i = 0; i < c->function->insns.len; i++) {
        const struct ptx_insn *insn = &c->function->insns.data[i];
        if (!is_copy(insn))
            continue;
        const uint32_t a = insn->operands[0].index, b = insn->operands[1].index;
        c->like[a] = c->like[a] == PTX_NONE ? b : c->like[a];
        c->like[b] = c->like[b] == PTX_NONE ? a : c->like[b];
    }
}

/* The units of what it is a copy of, if none beside it has them and they are not beyond what lives
 * at once. */
static bool take_alike(const struct colouring *c, uint32_t number, uint32_t *at) {
    const uint32_t like = c->alike ? c->like[number] : PTX_NONE;
    if (like == PTX_NONE || c->class[like] != c->class[number] ||
        c->width[like] != c->width[number] || c->unit[like] == PTX_NONE)
        return false;
    const uint32_t unit = c->unit[like], end = unit + c->width[number];
    for (uint32_t k = next_of(c, number, 0); k != PTX_NONE; k = next_of(c, number, k + 1))
        if (c->unit[k] != PTX_NONE && c->unit[k] < end && unit < c->unit[k] + c->width[k])
            return false;
    *at = unit;
    return end <= c->most[c->class[number]];
}

/* The lowest units that none beside it has. */
static uint32_t lowest(const struct colouring *c, uint32_t number) {
    uint32_t at = 0;
    if (take_alike(c, number, &at))
        return at;
    const size_t room = 2 * (size_t)c->degree[number] + 4; /* as far as it can have to look */
    bool *taken = xcalloc(room, sizeof *taken);
    at = 0;
    for (uint32_t k = next_of(c, number, 0); k != PTX_NONE; k = next_of(c, number, k + 1))
        for (unsigned w = 0; w < c->width[k]; w++)
            if (c->unit[k] != PTX_NONE && c->unit[k] + w < room)
                taken[c->unit[k] + w] = true;
    while ((taken[at] || (c->width[number] == 2 && taken[at + 1])))
        at += c->width[number];
    free(taken);
    return at;
}

struct ranked {
    uint32_t number, degree;
    uint8_t width;
};

static int by_rank(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->width != b->width)
        return a->width > b->width ? -1 : 1;
    if (a->degree != b->degree)
        return a->degree > b->degree ? -1 : 1;
    return a->number < b->number ? -1 : 1;
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

/* Those that got units beyond what lives at once go to the front. */
static void prefer_late(const struct colouring *c, unsigned class, struct ranked *list,
                        uint32_t n) {
    struct ranked *rest = xcalloc(n + 1, sizeof *rest);
    uint32_t front = 0, behind = 0;
    for (uint32_t i = 0; i < n; i++)
        if (c->unit[list[i].number] + list[i].width > c->most[class])
            list[front++] = list[i];
        else
            rest[behind++] = list[i];
    memcpy(list + front, rest, behind * sizeof *rest);
    free(rest);
}

#define ROUNDS 24 /* most classes are done after one */

/* The colouring of a class with the fewest units that is found. */
static void give_class(struct colouring *c, unsigned class, uint32_t *best) {
    struct ranked *list = xcalloc(c->count + 1, sizeof *list);
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->class[i] == class)
            list[n++] = (struct ranked){i, c->degree[i], c->width[i]};
    qsort(list, n, sizeof *list, by_rank);
    c->used[class] = UINT32_MAX;
    for (unsigned round = 0; round < ROUNDS && c->used[class] > c->most[class]; round++) {
        c->alike = round == 0;
        if (round > 1)
            prefer_late(c, class, list, n);
        uint32_t used = give_list(c, list, n);
        for (uint32_t i = 0; i < n && used < c->used[class]; i++)
            best[list[i].number] = c->unit[list[i].number];
        c->used[class] = used < c->used[class] ? used : c->used[class];
    }
    free(list);
}

static void give_units(struct colouring *c) {
    uint32_t *best = xcalloc(c->count + 1, sizeof *best);
    memset(best, 0xff, (c->count + 1) * sizeof *best); /* PTX_NONE */
    memset(c->unit, 0xff, c->count * sizeof *c->unit);
    for (unsigned class = SIMT_UNKNOWN + 1; class < CLASSES; class ++)
        give_class(c, class, best);
    memcpy(c->unit, best, c->count * sizeof *best);
    free(best);
}

void simt_colour(const struct simt_live *live, const uint8_t *locations, struct simt_colours *out) {
    const struct ptx_function *f = live->function;
    const uint32_t n = (uint32_t)f->registers.len;
    struct colouring c = {.live = live, .function = f, .count = n, .words = live->words};
    c.class = xcalloc(n + 1, sizeof *c.class);
    c.width = xcalloc(n + 1, sizeof *c.width);
    c.degree = xcalloc(n + 1, sizeof *c.degree);
    c.pieces = (n + PIECE - 1) / PIECE;
    c.beside = xcalloc((size_t)n * c.pieces + 1, sizeof *c.beside);
    c.unit = xcalloc(n + 1, sizeof *c.unit);
    c.like = xcalloc(n + 1, sizeof *c.like);
    for (uint32_t i = 0; i < n; i++) {
        bool predicate = f->registers.data[i].type == PTX_PRED;
        c.class[i] = locations[i] != SIMT_UNKNOWN && predicate ? PREDICATE : locations[i];
        c.width[i] = width_of(f->registers.data[i].type);
    }
    find_neighbours(&c);
    find_copies(&c);
    give_units(&c);
    *out = (struct simt_colours){
        .unit = c.unit, .predicates = c.used[PREDICATE], .most_live_predicates = c.most[PREDICATE]};
    memcpy(out->units, c.used, sizeof out->units);
    memcpy(out->most_live, c.most, sizeof out->most_live);
    free(c.class);
    free(c.width);
    free(c.degree);
    free(c.like);
    free(c.beside);
    arena_free(&c.arena);
}

void simt_colours_free(struct simt_colours *colours) {
    free(colours->unit);
}
