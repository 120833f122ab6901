/* SPDX-License-Identifier: MIT
 * Where lanes that part at a branch come together again.  That is the nearest post-dominator of the
 * branch, unless that is the end: then some way ends early, and what the others have in common is
 * found without it: without ways that lead to nothing that both sides reach, else (in a loop both
 * sides reach all of it) without those that do not lead to the end that most blocks lead to.  A
 * lane that ends waits for nobody, and nobody for it. */
#include "ptx/cfg.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

struct meeting {
    const struct ptx_function *function;
    const struct ptx_cfg *cfg;
    uint8_t *reached;      /* [count]: bit 0, 1: from the one successor, the other */
    bool *leads;           /* [count]: to what is reached from both, or to the main end */
    uint32_t main_end;     /* block; PTX_NONE: none */
    bool *leads_to_main;   /* [count] */
    uint32_t *stack, *way; /* [count] */
    uint32_t *place;       /* [count]: on the way, from 1; 0: not on it */
    uint32_t *from;        /* [count] */
    bool *seen;
};

/* Nothing but the end of a thread, or a jump there: as good as many, one for each way. */
static bool only_ends(const struct ptx_function *f, const struct ptx_cfg *cfg, uint32_t block) {
    for (uint32_t jumps = 0; block < cfg->count; jumps++) {
        const struct ptx_block *b = &cfg->blocks[block];
        const struct ptx_insn *insn = &f->insns.data[b->first];
        if (b->count != 1 || insn->guard != PTX_NONE || jumps == cfg->count)
            return false;
        if (insn->form->op != PTX_OP_BRA)
            return insn->form->op == PTX_OP_RET || insn->form->op == PTX_OP_EXIT;
        block = b->next[1];
    }
    return true;
}

static bool goes_to(const struct meeting *m, uint32_t block, unsigned i, uint32_t *next) {
    *next = m->cfg->blocks[block].next[i];
    return *next != PTX_NONE && !only_ends(m->function, m->cfg, *next);
}

static void reach(struct meeting *m, uint32_t first, uint8_t bit) {
    uint32_t depth = 0, next;
    m->reached[first] |= bit;
    m->stack[depth++] = first;
    while (depth) {
        uint32_t b = m->stack[--depth];
        for (unsigned i = 0; i < 2; i++)
            if (goes_to(m, b, i, &next) && !(m->reached[next] & bit)) {
                m->reached[next] |= bit;
                m->stack[depth++] = next;
            }
    }
}

/* Whether it ends there, and goes nowhere else. */
static bool is_last(const struct meeting *m, uint32_t block) {
    uint32_t next;
    return !goes_to(m, block, 0, &next) && !goes_to(m, block, 1, &next);
}

/* Blocks that lead to those that are marked. */
static void mark_leading(const struct meeting *m, bool *marked) {
    bool more = true;
    uint32_t next;
    while (more) {
        more = false;
        for (uint32_t b = m->cfg->count; b-- > 0;)
            for (unsigned i = 0; i < 2 && !marked[b]; i++)
                if (goes_to(m, b, i, &next) && marked[next])
                    marked[b] = more = true;
    }
}

static void find_main_end(struct meeting *m) {
    const uint32_t n = m->cfg->count;
    uint32_t most = 0;
    for (uint32_t e = 0; e < n; e++) {
        uint32_t count = 0;
        if (!m->cfg->blocks[e].reached || !is_last(m, e))
            continue;
        memset(m->leads, 0, n * sizeof *m->leads);
        m->leads[e] = true;
        mark_leading(m, m->leads);
        for (uint32_t b = 0; b < n; b++)
            count += m->leads[b];
        if (count < most)
            continue;
        most = count;
        m->main_end = e;
        memcpy(m->leads_to_main, m->leads, n * sizeof *m->leads);
    }
}

/* A way from the first block to where all end that both reach; how many blocks, 0: there is none.
 */
static uint32_t find_way(struct meeting *m, uint32_t first) {
    uint32_t depth = 0, next, last = PTX_NONE, n = 0;
    m->seen[first] = true;
    m->from[first] = PTX_NONE;
    m->stack[depth++] = first;
    while (depth && last == PTX_NONE) {
        uint32_t b = m->stack[--depth];
        if (is_last(m, b))
            last = b;
        for (unsigned i = 0; i < 2; i++)
            if (goes_to(m, b, i, &next) && m->leads[next] && !m->seen[next]) {
                m->seen[next] = true;
                m->from[next] = b;
                m->stack[depth++] = next;
            }
    }
    for (uint32_t b = last; b != PTX_NONE; b = m->from[b])
        m->place[b] = ++n;
    for (uint32_t b = last; b != PTX_NONE; b = m->from[b]) {
        m->place[b] = n + 1 - m->place[b];
        m->way[m->place[b] - 1] = b;
    }
    return n;
}

/* How far along the way one comes from a block without being on it; UINT32_MAX: to an end. */
static uint32_t explore(struct meeting *m, uint32_t block, uint32_t far) {
    uint32_t depth = 0, next;
    if (m->place[block])
        return m->place[block] > far ? m->place[block] : far;
    if (m->seen[block])
        return far;
    m->seen[block] = true;
    m->stack[depth++] = block;
    while (depth) {
        uint32_t b = m->stack[--depth];
        if (is_last(m, b))
            far = UINT32_MAX;
        for (unsigned i = 0; i < 2; i++) {
            if (!goes_to(m, b, i, &next) || !m->leads[next])
                continue;
            if (m->place[next]) {
                far = m->place[next] > far ? m->place[next] : far;
            } else if (!m->seen[next]) {
                m->seen[next] = true;
                m->stack[depth++] = next;
            }
        }
    }
    return far;
}

/* The first block of the way that no other way leaves out. */
static uint32_t nearest(struct meeting *m, uint32_t other, uint32_t count) {
    memset(m->seen, 0, m->cfg->count * sizeof *m->seen);
    uint32_t far = explore(m, other, 1), next;
    for (uint32_t k = 1; k <= count && far != UINT32_MAX; k++) {
        uint32_t b = m->way[k - 1];
        if (far == k)
            return b;
        for (unsigned i = 0; i < 2; i++)
            if (goes_to(m, b, i, &next) && m->leads[next])
                far = explore(m, next, far);
    }
    return m->cfg->count;
}

/* The nearest block that all marked ways from both go through; the number of blocks: none. */
static uint32_t meet_among(struct meeting *m, uint32_t one, uint32_t other) {
    const size_t n = m->cfg->count;
    memset(m->place, 0, n * sizeof *m->place);
    memset(m->seen, 0, n * sizeof *m->seen);
    return m->leads[one] && m->leads[other] ? nearest(m, other, find_way(m, one)) : m->cfg->count;
}

static uint32_t meet(struct meeting *m, uint32_t one, uint32_t other) {
    const uint32_t n = m->cfg->count;
    uint32_t found;
    memset(m->reached, 0, n);
    reach(m, one, 1);
    reach(m, other, 2);
    for (uint32_t b = 0; b < n; b++)
        m->leads[b] = m->reached[b] == 3;
    mark_leading(m, m->leads);
    found = meet_among(m, one, other);
    if (found < n)
        return found;
    if (m->main_end == PTX_NONE)
        find_main_end(m);
    memcpy(m->leads, m->leads_to_main, n * sizeof *m->leads);
    return meet_among(m, one, other);
}

void ptx_cfg_reconverge(const struct ptx_function *function, struct ptx_cfg *cfg) {
    const size_t n = (size_t)cfg->count + 1;
    struct meeting m = {.function = function, .cfg = cfg, .main_end = PTX_NONE};
    m.reached = xcalloc(n, 1);
    m.leads = xcalloc(n, sizeof *m.leads);
    m.leads_to_main = xcalloc(n, sizeof *m.leads_to_main);
    m.seen = xcalloc(n, sizeof *m.seen);
    m.stack = xcalloc(n, sizeof *m.stack);
    m.way = xcalloc(n, sizeof *m.way);
    m.place = xcalloc(n, sizeof *m.place);
    m.from = xcalloc(n, sizeof *m.from);
    for (uint32_t b = 0; b < cfg->count; b++) {
        struct ptx_block *x = &cfg->blocks[b];
        x->reconverge = x->post_dominator;
        if (!only_ends(function, cfg, x->post_dominator) || x->next[0] == PTX_NONE ||
            x->next[1] == PTX_NONE)
            continue;
        x->reconverge = only_ends(function, cfg, x->next[0]) || only_ends(function, cfg, x->next[1])
                            ? cfg->count
                            : meet(&m, x->next[0], x->next[1]);
    }
    free(m.reached), free(m.leads), free(m.seen), free(m.stack), free(m.way), free(m.place);
    free(m.from), free(m.leads_to_main);
}
