/* SPDX-License-Identifier: MIT */
#include "ezpim/ir_moves.h"
#include "ezpim/ir_build.h"
#include "ezpim/ir_lives.h"

#include <stdlib.h>

/* ---- what nobody reads ---- */

static bool is_read(const struct ir_lives *l, const struct ir_move *m, uint32_t step) {
    uint32_t first = l->first[m->to] + m->to_element;
    for (uint32_t slot = first; slot < first + m->record.dst_count; slot++)
        if (ir_lives_behind(l, slot, step))
            return true;
    return false;
}

/* True if there are some, which are marked. */
static bool find_unread(const struct ir_program *p) {
    struct ir_lives l;
    bool good = ir_lives_find_behind(&l, p), found = false;
    for (uint32_t s = 0; good && s < l.step_count; s++) {
        struct ir_node *n = l.nodes[s];
        if (!n || n->kind != IR_NODE_MOVE)
            continue;
        n->idle = !is_read(&l, &p->moves.data[n->move], s);
        found |= n->idle;
    }
    ir_lives_free(&l);
    return found;
}

/* ---- what is there already ---- */

struct known {
    const struct ir_program *p;
    VEC(uint32_t) moves; /* that were carried out, and whose variables are as they were */
    const struct ir_code *code;
};

static bool reads(const struct ir_move *m, uint32_t variable) {
    return m->from == variable || (m->record.index.kind && m->index == variable);
}

static void forget(struct known *k, uint32_t variable) {
    size_t kept = 0;
    for (size_t i = 0; i < k->moves.len; i++) {
        const struct ir_move *m = &k->p->moves.data[k->moves.data[i]];
        if (m->to != variable && !reads(m, variable))
            k->moves.data[kept++] = k->moves.data[i];
    }
    k->moves.len = kept;
}

static void forget_written(void *context, uint32_t *vreg, bool writes) {
    struct known *k = context;
    uint32_t v = k->code->vregs.data[*vreg].variable;
    if (writes && v != IR_NONE)
        forget(k, v);
}

/* A move that writes what it reads brings something else the second time. */
static bool knows(const struct known *k, const struct ir_move *m) {
    for (size_t i = 0; i < k->moves.len; i++)
        if (ir_move_same(&k->p->moves.data[k->moves.data[i]], m))
            return true;
    return false;
}

static bool repeats(struct known *k, struct ir_node *n) {
    const struct ir_move *m = &k->p->moves.data[n->move];
    if (knows(k, m))
        return true;
    forget(k, m->to);
    if (!reads(m, m->to) && k->moves.len < 64)
        vec_push(&k->moves, n->move);
    return false;
}

static void mark_repeated(struct known *k, struct ir_node *n) {
    vec_clear(&k->moves);
    for (; n; n = n->next) {
        k->code = n->code;
        for (size_t i = 0; n->kind == IR_NODE_COMPUTE && i < n->code->insns.len; i++)
            ir_visit(&n->code->insns.data[i], forget_written, k);
        if (n->kind == IR_NODE_MOVE)
            n->idle |= repeats(k, n);
        if (n->kind == IR_NODE_COMPUTE || n->kind == IR_NODE_MOVE || n->kind == IR_NODE_MARK)
            continue;
        mark_repeated(k, n->body);
        mark_repeated(k, n->otherwise);
        vec_clear(&k->moves);
    }
}

static void leave_out(struct ir_node **link) {
    while (*link) {
        struct ir_node *n = *link;
        leave_out(&n->body);
        leave_out(&n->otherwise);
        if (n->kind == IR_NODE_MOVE && n->idle)
            *link = n->next;
        else
            link = &n->next;
    }
}

/* Whatever else a move brings may be needed for it alone: so often at most. */
enum { ROUNDS = 8 };

void ir_drop_moves(struct ir_program *p) {
    struct known k = {.p = p};
    if (p->images.len != 1)
        return;
    mark_repeated(&k, p->images.data[0].nodes);
    leave_out(&p->images.data[0].nodes);
    for (unsigned i = 0; i < ROUNDS && find_unread(p); i++)
        leave_out(&p->images.data[0].nodes);
    vec_free(&k.moves);
}
