/* SPDX-License-Identifier: MIT
 * Registers that hold one value here and another one there become several: what is written and what
 * reads it, with all else that reads or writes the same, is a web, and gets a register of its own.
 * Values of a block's begin and of each write are nodes; where one flows into another, they are of
 * one web. */
#include "machines/core/simt/lower.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

struct weaving {
    struct simt_lowered *l;
    struct ptx_cfg cfg;
    struct simt_live live;
    VEC(uint32_t) of;   /* [nodes]: another one of the web, in the end itself */
    uint32_t *number;   /* [nodes]: the web's register; PTX_NONE: not given yet */
    uint32_t *begins;   /* [blocks]: the first node of those that live at its begin */
    uint32_t *now;      /* [registers]: node of the value that it has; PTX_NONE */
    uint8_t *taken;     /* [registers]: its first web has it */
    uint32_t registers; /* that there were */
    uint32_t next;      /* node of the next write, when registers are given */
    bool guarded;       /* the instruction: its results are also what was there */
};

static uint32_t new_node(struct weaving *w) {
    const uint32_t node = (uint32_t)w->of.len;
    vec_push(&w->of, node);
    return node;
}

static uint32_t web_of(struct weaving *w, uint32_t node) {
    while (w->of.data[node] != node)
        node = w->of.data[node] = w->of.data[w->of.data[node]];
    return node;
}

static void join(struct weaving *w, uint32_t a, uint32_t b) {
    w->of.data[web_of(w, a)] = web_of(w, b);
}

/* Registers that live at a block's begin have its first nodes, in their order. */
#define EACH_LIVE(w, block, number)                                                                \
    for (uint32_t word_ = 0, number = 0; word_ < (w)->live.words; word_++)                         \
        for (uint64_t bits_ = (w)->live.in [(size_t)(block) * (w)->live.words + word_];            \
             bits_ && (number = word_ * 64 + (uint32_t)__builtin_ctzll(bits_), true);              \
             bits_ &= bits_ - 1)

static void begin_block(struct weaving *w, uint32_t block) {
    uint32_t node = w->begins[block];
    memset(w->now, 0xff, w->registers * sizeof *w->now);
    EACH_LIVE(w, block, number) {
        w->now[number] = node++;
    }
}

static void end_block(struct weaving *w, uint32_t block) {
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t to = w->cfg.blocks[block].next[k];
        uint32_t node = to < w->cfg.count ? w->begins[to] : 0;
        if (to >= w->cfg.count)
            continue;
        EACH_LIVE(w, to, number) {
            if (w->now[number] != PTX_NONE)
                join(w, w->now[number], node);
            node++;
        }
    }
}

static uint32_t register_of(struct weaving *w, uint32_t node, uint32_t number) {
    const uint32_t web = web_of(w, node);
    if (w->number[web] != PTX_NONE)
        return w->number[web];
    w->number[web] = number;
    if (w->taken[number])
        w->number[web] = simt_new_register(w->l, w->l->function.registers.data[number].type);
    w->taken[number] = 1;
    return w->number[web];
}

/* ---- walks ---- */

static void write(struct weaving *w, uint32_t number) {
    const uint32_t node = new_node(w), was = w->now[number];
    if (w->guarded && was != PTX_NONE)
        join(w, node, was);
    w->now[number] = node;
}

static void make_webs(struct weaving *w) {
    struct simt_register r[SIMT_MAX_REGISTERS];
    for (uint32_t b = 0; b < w->cfg.count; b++) {
        begin_block(w, b);
        for (uint32_t i = 0; i < w->cfg.blocks[b].count; i++) {
            const struct ptx_insn *insn = &w->l->function.insns.data[w->cfg.blocks[b].first + i];
            const uint32_t n = simt_registers(insn, r);
            w->guarded = insn->guard != PTX_NONE;
            for (uint32_t k = 0; k < n; k++)
                if (r[k].role == SIMT_RESULT)
                    write(w, r[k].number);
        }
        end_block(w, b);
    }
}

static uint32_t source(void *context, uint32_t number, enum simt_role role) {
    struct weaving *w = context;
    const uint32_t node = w->now[number];
    return role == SIMT_RESULT || node == PTX_NONE ? number : register_of(w, node, number);
}

static uint32_t result(void *context, uint32_t number, enum simt_role role) {
    struct weaving *w = context;
    if (role != SIMT_RESULT)
        return number;
    w->now[number] = w->next++;
    return register_of(w, w->now[number], number);
}

/* Sources are what was there before the instruction's results. */
static void give_registers(struct weaving *w) {
    w->next = w->begins[w->cfg.count];
    for (uint32_t b = 0; b < w->cfg.count; b++) {
        begin_block(w, b);
        for (uint32_t i = 0; i < w->cfg.blocks[b].count; i++) {
            struct ptx_insn *insn = &w->l->function.insns.data[w->cfg.blocks[b].first + i];
            simt_rename_registers(insn, &w->l->arena, source, w);
            simt_rename_registers(insn, &w->l->arena, result, w);
        }
    }
}

void simt_split_webs(struct simt_lowered *l) {
    struct weaving w = {.l = l};
    const size_t registers = l->function.registers.len + 1;
    ptx_cfg_make(&l->function, &w.cfg);
    simt_live_make(&l->function, &w.cfg, &w.live);
    w.begins = xcalloc(w.cfg.count + 1u, sizeof *w.begins);
    w.now = xcalloc(registers, sizeof *w.now);
    w.taken = xcalloc(registers, 1);
    w.registers = (uint32_t)l->function.registers.len;
    for (uint32_t b = 0; b < w.cfg.count; b++) {
        w.begins[b] = (uint32_t)w.of.len;
        const uint64_t *in = w.live.in + (size_t)b * w.live.words;
        for (uint32_t r = 0; r < w.registers; r++)
            if (simt_set_has(in, r))
                new_node(&w);
    }
    w.begins[w.cfg.count] = (uint32_t)w.of.len;
    make_webs(&w);
    w.number = xcalloc(w.of.len + 1, sizeof *w.number);
    memset(w.number, 0xff, (w.of.len + 1) * sizeof *w.number); /* PTX_NONE */
    give_registers(&w);
    simt_live_free(&w.live);
    ptx_cfg_free(&w.cfg);
    vec_free(&w.of);
    free(w.number);
    free(w.begins);
    free(w.now);
    free(w.taken);
}
