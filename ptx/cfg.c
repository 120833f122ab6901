/* SPDX-License-Identifier: MIT
 * Blocks begin at labels that are branched to, and behind what does not simply go on.  Immediate
 * post-dominators: Cooper, Harvey and Kennedy, on the reversed graph; a circle that nothing leaves
 * counts as leading to the end. */
#include "ptx/cfg.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- blocks ---- */

static bool ends_block(const struct ptx_insn *insn) {
    enum ptx_op op = insn->form->op;
    return op == PTX_OP_BRA || op == PTX_OP_RET || op == PTX_OP_EXIT || op == PTX_OP_TRAP;
}

static uint32_t target_of(const struct ptx_function *f, const struct ptx_insn *insn) {
    return f->labels.data[insn->operands[0].index].insn;
}

static void find_leaders(const struct ptx_function *f, uint8_t *leads) {
    leads[0] = 1;
    for (uint32_t i = 0; i < f->insns.len; i++) {
        const struct ptx_insn *insn = &f->insns.data[i];
        if (!ends_block(insn))
            continue;
        leads[i + 1] = 1;
        if (insn->form->op == PTX_OP_BRA)
            leads[target_of(f, insn)] = 1;
    }
}

static uint32_t block_at(const struct ptx_function *f, const struct ptx_cfg *cfg, uint32_t insn) {
    return insn < f->insns.len ? cfg->block_of[insn] : cfg->count;
}

static void set_next(const struct ptx_function *f, const struct ptx_cfg *cfg, struct ptx_block *b) {
    const struct ptx_insn *last = &f->insns.data[b->first + b->count - 1];
    uint32_t behind = block_at(f, cfg, b->first + b->count);
    bool guarded = last->guard != PTX_NONE;
    b->next[0] = !ends_block(last) || guarded ? behind : PTX_NONE;
    b->next[1] = PTX_NONE;
    if (last->form->op == PTX_OP_BRA)
        b->next[1] = block_at(f, cfg, target_of(f, last));
    else if (ends_block(last))
        b->next[1] = cfg->count;
}

static void make_blocks(const struct ptx_function *f, struct ptx_cfg *cfg) {
    uint32_t count = (uint32_t)f->insns.len;
    uint8_t *leads = xcalloc((size_t)count + 2, 1);
    cfg->block_of = xcalloc((size_t)count + 1, sizeof *cfg->block_of);
    find_leaders(f, leads);
    for (uint32_t i = 0; i < count; i++) {
        cfg->count += leads[i];
        cfg->block_of[i] = cfg->count - 1;
    }
    cfg->blocks = xcalloc((size_t)cfg->count + 1, sizeof *cfg->blocks);
    for (uint32_t i = 0; i < count; i++) {
        struct ptx_block *b = &cfg->blocks[cfg->block_of[i]];
        if (leads[i])
            b->first = i;
        b->count++;
    }
    for (uint32_t i = 0; i < cfg->count; i++)
        set_next(f, cfg, &cfg->blocks[i]);
    free(leads);
}

/* ---- post-dominators ---- */

/* Blocks and, with the number of blocks, the end; edges backward in lists. */
struct walk {
    const struct ptx_cfg *cfg;
    uint32_t *head, *link, *from; /* lists of predecessors: [count + 1], [edges] */
    uint32_t *order, *rank;       /* of the reversed graph, in postorder; [count + 1] */
    uint32_t visited, edges;
    uint8_t *seen;
};

static void add_edge(struct walk *w, uint32_t from, uint32_t to) {
    w->from[w->edges] = from;
    w->link[w->edges] = w->head[to];
    w->head[to] = w->edges++;
}

/* Postorder from a block backward, without recursion: head[] goes along its list. */
static void visit(struct walk *w, uint32_t root, uint32_t *stack, uint32_t *at) {
    uint32_t depth = 0;
    w->seen[root] = 1;
    stack[depth++] = root;
    while (depth) {
        uint32_t b = stack[depth - 1], edge = at[b];
        if (edge == PTX_NONE) {
            w->rank[b] = w->visited;
            w->order[w->visited++] = b;
            depth--;
            continue;
        }
        at[b] = w->link[edge];
        uint32_t next = w->from[edge];
        if (!w->seen[next]) {
            w->seen[next] = 1;
            stack[depth++] = next;
        }
    }
}

/* Circles without a way out get an edge to the end, from their last block. */
static void close_circles(struct walk *w, uint32_t *stack, uint32_t *at) {
    uint32_t end = w->cfg->count;
    for (uint32_t b = end; b-- > 0;) {
        if (w->seen[b])
            continue;
        add_edge(w, b, end);
        w->visited--; /* the end comes last again */
        visit(w, b, stack, at);
        w->rank[end] = w->visited;
        w->order[w->visited++] = end;
    }
}

static uint32_t meet(const struct walk *w, const uint32_t *dominator, uint32_t a, uint32_t b) {
    while (a != b) {
        while (w->rank[a] < w->rank[b])
            a = dominator[a];
        while (w->rank[b] < w->rank[a])
            b = dominator[b];
    }
    return a;
}

static bool settle(const struct walk *w, uint32_t *dominator, uint32_t b, const bool *to_end) {
    uint32_t found = to_end[b] ? w->cfg->count : PTX_NONE;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t next = w->cfg->blocks[b].next[i];
        if (next != PTX_NONE && dominator[next] != PTX_NONE)
            found = found == PTX_NONE ? next : meet(w, dominator, found, next);
    }
    bool other = dominator[b] != found;
    dominator[b] = found;
    return other;
}

static void find_dominators(const struct walk *w, struct ptx_cfg *cfg, const bool *to_end) {
    uint32_t *dominator = xcalloc((size_t)cfg->count + 1, sizeof *dominator);
    bool more = true;
    for (uint32_t i = 0; i < cfg->count; i++)
        dominator[i] = PTX_NONE;
    dominator[cfg->count] = cfg->count;
    while (more) {
        more = false;
        for (uint32_t k = w->visited; k-- > 0;)
            if (w->order[k] != cfg->count)
                more |= settle(w, dominator, w->order[k], to_end);
    }
    for (uint32_t i = 0; i < cfg->count; i++)
        cfg->blocks[i].post_dominator = dominator[i];
    free(dominator);
}

static void make_dominators(struct ptx_cfg *cfg) {
    size_t n = (size_t)cfg->count + 1;
    struct walk w = {.cfg = cfg};
    uint32_t *stack = xcalloc(n, sizeof *stack), *at = xcalloc(n, sizeof *at);
    bool *to_end = xcalloc(n, sizeof *to_end);
    w.head = xcalloc(n, sizeof *w.head);
    w.link = xcalloc(3 * n, sizeof *w.link);
    w.from = xcalloc(3 * n, sizeof *w.from);
    w.order = xcalloc(n, sizeof *w.order);
    w.rank = xcalloc(n, sizeof *w.rank);
    w.seen = xcalloc(n, 1);
    memset(w.head, 0xff, n * sizeof *w.head);
    for (uint32_t b = 0; b < cfg->count; b++)
        for (unsigned i = 0; i < 2; i++)
            if (cfg->blocks[b].next[i] != PTX_NONE)
                add_edge(&w, b, cfg->blocks[b].next[i]);
    uint32_t edges = w.edges;
    memcpy(at, w.head, n * sizeof *at);
    visit(&w, cfg->count, stack, at);
    close_circles(&w, stack, at);
    for (uint32_t e = edges; e < w.edges; e++)
        to_end[w.from[e]] = true;
    find_dominators(&w, cfg, to_end);
    free(stack), free(at), free(to_end), free(w.head), free(w.link), free(w.from);
    free(w.order), free(w.rank), free(w.seen);
}

static void mark_reached(struct ptx_cfg *cfg) {
    uint32_t *stack = xcalloc((size_t)cfg->count + 1, sizeof *stack), depth = 0;
    if (cfg->count) {
        cfg->blocks[0].reached = true;
        stack[depth++] = 0;
    }
    while (depth) {
        const struct ptx_block *b = &cfg->blocks[stack[--depth]];
        for (unsigned i = 0; i < 2; i++)
            if (b->next[i] < cfg->count && !cfg->blocks[b->next[i]].reached) {
                cfg->blocks[b->next[i]].reached = true;
                stack[depth++] = b->next[i];
            }
    }
    free(stack);
}

void ptx_cfg_make(const struct ptx_function *function, struct ptx_cfg *out) {
    *out = (struct ptx_cfg){.count = 0};
    make_blocks(function, out);
    mark_reached(out);
    make_dominators(out);
    ptx_cfg_reconverge(function, out);
}

void ptx_cfg_free(struct ptx_cfg *cfg) {
    free(cfg->blocks);
    free(cfg->block_of);
    *cfg = (struct ptx_cfg){.count = 0};
}
