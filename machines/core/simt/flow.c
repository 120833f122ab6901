/* SPDX-License-Identifier: MIT
 * Blocks and immediate post-dominators: Cooper, Harvey and Kennedy's iteration on the reversed
 * graph, from a block behind all ends. */
#include "machines/core/simt/flow.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static bool ends_block(const struct ptx_insn *insn) {
    const enum ptx_op op = insn->form->op;
    return op == PTX_OP_BRA || op == PTX_OP_RET || op == PTX_OP_EXIT || op == PTX_OP_TRAP;
}

static uint32_t target_of(const struct ptx_function *f, const struct ptx_insn *insn) {
    return f->labels.data[insn->operands[0].index].insn;
}

static void find_blocks(struct simt_flow *flow) {
    const struct ptx_function *f = flow->function;
    const uint32_t n = (uint32_t)f->insns.len;
    bool *begins = xcalloc(n + 1, sizeof *begins);
    begins[0] = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_insn *insn = &f->insns.data[i];
        if (ends_block(insn))
            begins[i + 1] = true;
        if (insn->form->op == PTX_OP_BRA)
            begins[target_of(f, insn)] = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (begins[i])
            flow->blocks[flow->block_count++] = (struct simt_block){.first = i, .post = SIMT_EXIT};
        flow->blocks[flow->block_count - 1].end = i + 1;
        flow->block_of[i] = flow->block_count - 1;
    }
    free(begins);
}

static uint32_t block_at(const struct simt_flow *flow, uint32_t insn) {
    return insn < flow->function->insns.len ? flow->block_of[insn] : SIMT_EXIT;
}

static void find_ways(struct simt_flow *flow) {
    const struct ptx_function *f = flow->function;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        struct simt_block *block = &flow->blocks[b];
        const struct ptx_insn *last = &f->insns.data[block->end - 1];
        bool goes_on = !ends_block(last) || last->guard != PTX_NONE;
        if (goes_on)
            block->next[block->next_count++] = block_at(flow, block->end);
        if (last->form->op == PTX_OP_BRA)
            block->next[block->next_count++] = block_at(flow, target_of(f, last));
        else if (ends_block(last))
            block->next[block->next_count++] = SIMT_EXIT;
    }
}

/* ---- post-dominators ----
 * Nodes are blocks, and behind them the end; `order` numbers them as a walk backwards from the end
 * leaves them, so that a node's post-dominators have higher numbers. */

struct reversed {
    uint32_t count; /* blocks + 1 */
    uint32_t *first, *from;
    uint32_t *order, *by_order, *post;
    uint32_t ordered;
};

static uint32_t node_of(const struct simt_flow *flow, uint32_t block) {
    return block == SIMT_EXIT ? flow->block_count : block;
}

static void reverse(const struct simt_flow *flow, struct reversed *r) {
    const uint32_t n = flow->block_count;
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t i = 0; i < flow->blocks[b].next_count; i++)
            r->first[node_of(flow, flow->blocks[b].next[i]) + 1]++;
    for (uint32_t i = 0; i <= n; i++)
        r->first[i + 1] += r->first[i];
    uint32_t *at = xcalloc(n + 1, sizeof *at);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t i = 0; i < flow->blocks[b].next_count; i++) {
            uint32_t to = node_of(flow, flow->blocks[b].next[i]);
            r->from[r->first[to] + at[to]++] = b;
        }
    free(at);
}

/* Numbers all that come to the node and have no number; on a stack of its own, since a text may
 * have very many blocks in a row. */
static void walk(struct reversed *r, uint32_t node) {
    uint32_t *stack = xcalloc(r->count, sizeof *stack), *seen = xcalloc(r->count, sizeof *seen);
    uint32_t depth = 0;
    stack[depth++] = node;
    r->order[node] = 1; /* being looked at */
    while (depth) {
        uint32_t at = stack[depth - 1];
        if (r->first[at] + seen[at] < r->first[at + 1]) {
            uint32_t from = r->from[r->first[at] + seen[at]++];
            if (!r->order[from]) {
                r->order[from] = 1;
                stack[depth++] = from;
            }
        } else {
            r->by_order[r->ordered] = at;
            r->order[at] = ++r->ordered + 1; /* from 2 on; higher: nearer to the end */
            depth--;
        }
    }
    free(stack);
    free(seen);
}

static uint32_t meet(const struct reversed *r, uint32_t a, uint32_t b) {
    while (a != b) {
        while (r->order[a] < r->order[b])
            a = r->post[a];
        while (r->order[b] < r->order[a])
            b = r->post[b];
    }
    return a;
}

static bool improve(const struct simt_flow *flow, struct reversed *r) {
    bool changed = false;
    for (uint32_t i = r->ordered; i-- > 0;) {
        uint32_t node = r->by_order[i], found = PTX_NONE;
        if (node == flow->block_count)
            continue;
        const struct simt_block *block = &flow->blocks[node];
        for (uint32_t k = 0; k < block->next_count; k++) {
            uint32_t next = node_of(flow, block->next[k]);
            if (r->post[next] == PTX_NONE)
                continue;
            found = found == PTX_NONE ? next : meet(r, next, found);
        }
        changed |= found != r->post[node];
        r->post[node] = found;
    }
    return changed;
}

/* Blocks that come to no end, as of a loop without one, go there all the same. */
static void add_ways_out(struct simt_flow *flow, const struct reversed *r, bool *added) {
    for (uint32_t b = flow->block_count; b-- > 0 && !*added;)
        if (!r->order[b]) {
            struct simt_block *block = &flow->blocks[b];
            if (block->next_count == 2)
                continue;
            block->next[block->next_count++] = SIMT_EXIT;
            *added = true;
        }
}

static bool try_posts(struct simt_flow *flow) {
    struct reversed r = {.count = flow->block_count + 1};
    bool added = false;
    r.first = xcalloc(r.count + 2, sizeof *r.first);
    r.from = xcalloc(2 * (size_t)r.count, sizeof *r.from);
    r.order = xcalloc(r.count, sizeof *r.order);
    r.by_order = xcalloc(r.count, sizeof *r.by_order);
    r.post = xcalloc(r.count, sizeof *r.post);
    reverse(flow, &r);
    walk(&r, flow->block_count);
    if (r.ordered < r.count)
        add_ways_out(flow, &r, &added);
    memset(r.post, 0xff, r.count * sizeof *r.post);
    r.post[flow->block_count] = flow->block_count;
    while (!added && improve(flow, &r))
        ;
    for (uint32_t b = 0; b < flow->block_count; b++)
        flow->blocks[b].post =
            r.post[b] == flow->block_count || r.post[b] == PTX_NONE ? SIMT_EXIT : r.post[b];
    free(r.first);
    free(r.from);
    free(r.order);
    free(r.by_order);
    free(r.post);
    return added;
}

void simt_flow_make(const struct ptx_function *function, struct simt_flow *out) {
    const size_t n = function->insns.len;
    *out = (struct simt_flow){.function = function};
    out->blocks = xcalloc(n + 1, sizeof *out->blocks);
    out->block_of = xcalloc(n + 1, sizeof *out->block_of);
    if (!n)
        return;
    find_blocks(out);
    find_ways(out);
    while (try_posts(out))
        ;
}

void simt_flow_free(struct simt_flow *flow) {
    free(flow->blocks);
    free(flow->block_of);
}

uint32_t simt_flow_meets(const struct simt_flow *flow, uint32_t insn) {
    uint32_t post = flow->blocks[flow->block_of[insn]].post;
    return post == SIMT_EXIT ? SIMT_EXIT : flow->blocks[post].first;
}
