/* SPDX-License-Identifier: MIT
 * What a tree does to one lane. */
#include "support/bits.h"
#include "tests/erc/tree.h"

#include <string.h>

enum { NOTHING = 64 };

struct lane {
    const struct tree *t;
    uint64_t r[TREE_DATA];
    bool condition;  /* T */
    bool on;         /* enabled */
    unsigned follow; /* the register that the mask follows, or NOTHING */
};

static void run_getmask(struct lane *l, unsigned reg) {
    bool was = l->condition;
    l->condition = false;
    if (reg < TREE_DATA)
        l->r[reg] = was ? low_bits(l->t->width) : 0;
    else if (reg == l->follow)
        l->on = was;
}

static void run_insn(struct lane *l, const struct node *n) {
    const struct operation *o = &operations[n->operation];
    uint64_t *operand[3];
    if (strcmp(o->name, "GETMASK") == 0) {
        run_getmask(l, n->operand[0]);
    } else {
        for (unsigned k = 0; k < 3; k++)
            operand[k] = &l->r[n->operand[k]];
        operation_run(o, l->t->width, &l->condition, operand);
    }
    if (l->follow < TREE_DATA)
        l->on = l->r[l->follow] & 1;
}

static void run_list(struct lane *l, const struct node *n);

/* What a block changes of the mask ends with it. */
static void run_body(struct lane *l, const struct node *body, unsigned mask) {
    unsigned follow = l->follow;
    l->follow = mask;
    run_list(l, body);
    l->follow = follow;
}

static void run_if(struct lane *l, const struct node *n) {
    unsigned gm = 32 + 2 * n->depth, m = gm + 1;
    for (const struct part *p = n->parts; p; p = p->next) {
        if (!p->is_else)
            l->condition = false;
        if (p->is_else || relation_holds(p->relation, l->r[p->a], l->r[p->b])) {
            /* GETMASK of `m` matters where the mask follows it: in the first part. */
            run_body(l, p->body, p == n->parts ? m : gm);
            /* The next part clears T in all lanes of the block around. */
            l->condition &= !p->next;
            break;
        }
    }
    l->on = true;
}

static void run_while(struct lane *l, const struct node *n) {
    unsigned m = 32 + 2 * n->depth + 1;
    for (uint64_t laps = l->r[n->operand[0]] & 3; laps > 0 && l->on; laps--) {
        l->condition = false;
        run_body(l, n->parts->body, m);
    }
    l->condition = false;
    l->on = true;
}

static void run_loop(struct lane *l, const struct node *n) {
    for (unsigned k = 1; k <= n->number; k++) {
        run_list(l, n->parts->body);
        if (l->on)
            l->condition = k == n->number;
    }
}

static void run_setmask(struct lane *l, unsigned reg) {
    if (l->on) {
        l->r[reg] = l->r[reg] & 1 ? low_bits(l->t->width) : 0;
        l->condition = false;
    }
    l->on = l->r[reg] & 1;
    l->follow = reg;
}

static void run_node(struct lane *l, const struct node *n) {
    if (n->kind == NODE_SETMASK)
        run_setmask(l, n->operand[0]);
    if (n->kind == NODE_UNMASK) {
        l->on = true;
        l->follow = NOTHING;
    }
    if (!l->on)
        return;
    if (n->kind == NODE_INSN)
        run_insn(l, n);
    else if (n->kind == NODE_IF)
        run_if(l, n);
    else if (n->kind == NODE_WHILE)
        run_while(l, n);
    else if (n->kind == NODE_LOOP)
        run_loop(l, n);
    else if (n->kind == NODE_CALL)
        run_body(l, l->t->subs[n->number], NOTHING);
}

static void run_list(struct lane *l, const struct node *n) {
    for (; n; n = n->next)
        run_node(l, n);
}

void tree_run(const struct tree *t, uint64_t data[TREE_DATA + 1]) {
    struct lane l = {.t = t, .on = true, .follow = NOTHING};
    memcpy(l.r, data, sizeof l.r);
    run_list(&l, t->main);
    memcpy(data, l.r, sizeof l.r);
    data[TREE_DATA] = l.condition ? low_bits(t->width) : 0;
}
