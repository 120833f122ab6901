/* SPDX-License-Identifier: MIT
 * Which registers leave the register file: those that live over the places where most of a class
 * live, and that least is done with. */
#include "machines/core/simt/allocate.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 6

struct spill_choice {
    const struct simt_lowered *l;
    const struct simt_live *live;
    const uint8_t *class; /* [registers] */
    unsigned wanted;      /* class */
    uint32_t from;        /* units that live at once at a place that counts */
    uint64_t *over;       /* [registers]: such places over which it lives */
    uint64_t *cost;       /* [registers]: accesses, those in loops more */
};

static uint32_t units_of(const struct spill_choice *c, uint32_t number) {
    return ptx_type_bits(c->l->function.registers.data[number].type) > 32 ? 2 : 1;
}

static bool is_candidate(const struct spill_choice *c, uint32_t number) {
    return c->class[number] == c->wanted &&
           (number >= c->l->fixed.len || !c->l->fixed.data[number]);
}

/* ---- costs ---- */

/* Loops around each instruction, by branches back. */
static uint32_t *find_depths(const struct ptx_function *f) {
    uint32_t *depth = xcalloc(f->insns.len + 2, sizeof *depth);
    for (uint32_t i = 0; i < f->insns.len; i++) {
        const struct ptx_insn *insn = &f->insns.data[i];
        if (insn->form->op != PTX_OP_BRA)
            continue;
        const uint32_t to = f->labels.data[insn->operands[0].index].insn;
        if (to <= i) {
            depth[to]++;
            depth[i + 1]--;
        }
    }
    for (uint32_t i = 1; i < f->insns.len; i++)
        depth[i] += depth[i - 1];
    return depth;
}

static void find_costs(struct spill_choice *c) {
    const struct ptx_function *f = &c->l->function;
    struct simt_register r[SIMT_MAX_REGISTERS];
    uint32_t *depth = find_depths(f);
    for (size_t i = 0; i < f->insns.len; i++) {
        const uint32_t n = simt_registers(&f->insns.data[i], r);
        uint64_t each = 4;
        for (uint32_t k = 0; k < depth[i] && k < MOST_DEPTH; k++)
            each *= 10;
        if (simt_makes_anew(c->l, &f->insns.data[i]))
            each = 0; /* whose reads cost little, too */
        for (uint32_t k = 0; k < n; k++)
            c->cost[r[k].number] += each;
    }
    free(depth);
}

/* ---- places where most live ---- */

static uint32_t units_at(const struct spill_choice *c, const uint64_t *set) {
    uint32_t units = 0;
    for (uint32_t w = 0; w < c->live->words; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
            const uint32_t number = w * 64 + (uint32_t)__builtin_ctzll(bits);
            units += c->class[number] == c->wanted ? units_of(c, number) : 0;
        }
    return units;
}

/* Behind an instruction, what it writes among what lives. */
static void look_behind(struct spill_choice *c, const struct ptx_insn *insn, uint64_t *set) {
    struct simt_register r[SIMT_MAX_REGISTERS];
    const uint32_t n = simt_registers(insn, r);
    for (uint32_t k = 0; k < n; k++)
        if (r[k].role == SIMT_RESULT && c->class[r[k].number])
            simt_set_add(set, r[k].number);
    if (units_at(c, set) < c->from)
        return;
    for (uint32_t w = 0; w < c->live->words; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
            const uint32_t number = w * 64 + (uint32_t)__builtin_ctzll(bits);
            bool own = !is_candidate(c, number);
            for (uint32_t k = 0; k < n && !own; k++)
                own = r[k].number == number;
            c->over[number] += !own;
        }
}

static void find_places(struct spill_choice *c) {
    const struct ptx_cfg *cfg = c->live->cfg;
    uint64_t *set = xcalloc(c->live->words + 1u, sizeof *set);
    for (uint32_t b = 0; b < cfg->count; b++) {
        memcpy(set, c->live->out + (size_t)b * c->live->words, c->live->words * sizeof *set);
        for (uint32_t i = cfg->blocks[b].first + cfg->blocks[b].count;
             i-- > cfg->blocks[b].first;) {
            look_behind(c, &c->l->function.insns.data[i], set);
            simt_live_step(&c->l->function.insns.data[i], set);
        }
    }
    free(set);
}

/* ---- the choice ---- */

/* Whether a is to leave before b: less is done with it for each place that it frees. */
static bool is_better(const struct spill_choice *c, uint32_t a, uint32_t b) {
    return (double)c->cost[a] * (double)(c->over[b] * units_of(c, b)) <
           (double)c->cost[b] * (double)(c->over[a] * units_of(c, a));
}

uint32_t simt_choose(const struct simt_lowered *l, const struct simt_live *live,
                     const uint8_t *class, unsigned wanted, uint32_t most, uint32_t units,
                     uint8_t *marked) {
    const uint32_t n = (uint32_t)l->function.registers.len;
    struct spill_choice c = {.l = l, .live = live, .class = class, .wanted = wanted};
    uint32_t freed = 0;
    c.from = most > units ? most - units + 1 : 1;
    c.over = xcalloc(n + 1u, sizeof *c.over);
    c.cost = xcalloc(n + 1u, sizeof *c.cost);
    find_costs(&c);
    find_places(&c);
    while (freed < units) {
        uint32_t best = PTX_NONE;
        for (uint32_t i = 0; i < n; i++)
            if (c.over[i] && !marked[i] && (best == PTX_NONE || is_better(&c, i, best)))
                best = i;
        if (best == PTX_NONE)
            break;
        marked[best] = 1;
        freed += units_of(&c, best);
    }
    free(c.over);
    free(c.cost);
    return freed;
}
