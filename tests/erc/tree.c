/* SPDX-License-Identifier: MIT
 * Random trees and their text. */
#include "tests/erc/tree.h"

#include "support/bits.h"

#include <string.h>

/* Counters, masks and constants of the generator. */
enum { COUNTER = 16, LIMIT = 24, MASK = 32, THREE = 40, ZERO = 41 };
enum { DEEPEST = 3 };
/* Only what stands outside of blocks and loops works on the registers that SETMASK may name. */
enum { FIRST_MASKING = TREE_DATA - 2 };

static unsigned below(struct tree *t, unsigned n) {
    return (unsigned)(splitmix64(&t->state) % n);
}

static struct node *new_node(struct tree *t, enum node_kind kind, unsigned depth) {
    struct node *n = ARENA_NEW(&t->arena, struct node);
    n->kind = kind;
    n->depth = depth;
    return n;
}

static struct node *random_list(struct tree *t, unsigned depth, unsigned count, bool sub);

static struct node *random_insn(struct tree *t, unsigned depth) {
    struct node *n = new_node(t, NODE_INSN, depth);
    n->operation = below(t, operation_count);
    for (unsigned k = 0; k < 3; k++)
        n->operand[k] = below(t, depth ? FIRST_MASKING : TREE_DATA);
    /* The last two of QRDIV8 and HalfADD must differ. */
    if (n->operand[1] == n->operand[2])
        n->operand[2] = (n->operand[1] + 1) % FIRST_MASKING;
    /* Now and then the mask of the block around takes the condition. */
    if (strcmp(operations[n->operation].name, "GETMASK") == 0 && depth && depth != DEEPEST &&
        below(t, 3) == 0)
        n->operand[0] = MASK + 2 * (depth - 1) + 1;
    return n;
}

static struct part *random_part(struct tree *t, unsigned depth, bool sub) {
    struct part *p = ARENA_NEW(&t->arena, struct part);
    p->relation = below(t, 6);
    p->a = below(t, TREE_DATA);
    p->b = below(t, TREE_DATA);
    p->body = random_list(t, depth + 1, 1 + below(t, 4), sub);
    return p;
}

static struct node *random_if(struct tree *t, unsigned depth, bool sub) {
    struct node *n = new_node(t, NODE_IF, depth);
    struct part **end = &n->parts;
    for (unsigned k = below(t, 3) + 1; k > 0; k--, end = &(*end)->next)
        *end = random_part(t, depth, sub);
    if (below(t, 2)) {
        *end = random_part(t, depth, sub);
        (*end)->is_else = true;
    }
    return n;
}

static struct node *random_while(struct tree *t, unsigned depth, bool sub) {
    struct node *n = new_node(t, NODE_WHILE, depth);
    n->parts = random_part(t, depth, sub);
    n->parts->a = COUNTER + depth;
    n->parts->b = ZERO;
    n->parts->relation = below(t, 2) ? 0 : 5;
    n->operand[0] = below(t, TREE_DATA);
    return n;
}

static struct node *random_loop(struct tree *t, unsigned depth, bool sub) {
    struct node *n = new_node(t, NODE_LOOP, depth);
    n->number = 1 + below(t, 3);
    n->operation = t->labels++;
    n->parts = random_part(t, depth, sub);
    return n;
}

static struct node *random_top(struct tree *t) {
    static const enum node_kind kinds[] = {NODE_SETMASK, NODE_UNMASK, NODE_PAUSE};
    struct node *n = new_node(t, kinds[below(t, 3)], 0);
    n->operand[0] = FIRST_MASKING + below(t, 2);
    return n;
}

static struct node *random_node(struct tree *t, unsigned depth, bool sub) {
    unsigned draw = below(t, 20);
    bool blocks = depth < (sub ? DEEPEST + 1u : DEEPEST);
    if (blocks && draw < 3)
        return random_if(t, depth, sub);
    if (blocks && draw == 3)
        return random_while(t, depth, sub);
    if (blocks && draw == 4)
        return random_loop(t, depth, sub);
    if (depth == 0 && draw < 8 && !sub)
        return random_top(t);
    if (!sub && draw == 8) {
        struct node *n = new_node(t, NODE_CALL, depth);
        n->number = below(t, TREE_SUBS);
        return n;
    }
    return random_insn(t, depth);
}

static struct node *random_list(struct tree *t, unsigned depth, unsigned count, bool sub) {
    struct node *first = NULL, **end = &first;
    for (; count > 0; count--, end = &(*end)->next)
        *end = random_node(t, depth, sub);
    return first;
}

/* Subroutines have depths of their own, so that their registers are theirs. */
void tree_random(struct tree *t, uint64_t seed, unsigned width) {
    *t = (struct tree){.state = seed, .width = width};
    for (unsigned k = 0; k < TREE_SUBS; k++)
        t->subs[k] = random_list(t, DEEPEST, 4, true);
    t->main = random_list(t, 0, 14, false);
}

static void text_list(const struct node *n, struct str *out);

static void text_insn(const struct node *n, struct str *out) {
    const struct operation *o = &operations[n->operation];
    str_append(out, o->name);
    for (const char *c = o->operands; *c; c++)
        str_printf(out, " %u", n->operand[*c - 'a']);
    str_char(out, '\n');
}

static void text_if(const struct node *n, struct str *out) {
    unsigned gm = MASK + 2 * n->depth, m = gm + 1;
    const char *word = "if ";
    for (const struct part *p = n->parts; p; p = p->next, word = "elif ") {
        str_append(out, p->is_else ? "else\n" : word);
        if (!p->is_else && p == n->parts)
            str_printf(out, "%u,", gm);
        if (!p->is_else)
            str_printf(out, "%u<-(%u %s %u)\n", m, p->a, relation_names[p->relation], p->b);
        text_list(p->body, out);
    }
    str_append(out, "endif\n");
}

static void text_while(const struct node *n, struct str *out) {
    unsigned t = MASK + 2 * n->depth, m = t + 1, counter = n->parts->a;
    str_printf(out, "AND %u %u %u\n", n->operand[0], THREE, counter);
    str_printf(out, "while [%u],[%u]<-(%u %s %u)\nDEC %u %u\n", m, t, counter,
               relation_names[n->parts->relation], ZERO, counter, counter);
    text_list(n->parts->body, out);
    str_append(out, "endwhile\n");
}

static void text_loop(const struct node *n, struct str *out) {
    unsigned counter = COUNTER + n->depth, limit = LIMIT + n->depth;
    str_printf(out, "INIT0 %u\nINIT0 %u\nfor(k=0;k<%u;k+=1)\nINC %u %u\nendfor\nloop%u:\n", counter,
               limit, n->number, limit, limit, n->operation);
    text_list(n->parts->body, out);
    str_printf(out, "INC %u %u\nCMPEQ %u %u\nLFLUSH\nJUMP_COND loop%u\n", counter, counter, counter,
               limit, n->operation);
}

static void text_list(const struct node *n, struct str *out) {
    for (; n; n = n->next)
        switch (n->kind) {
        case NODE_INSN:
            text_insn(n, out);
            break;
        case NODE_IF:
            text_if(n, out);
            break;
        case NODE_WHILE:
            text_while(n, out);
            break;
        case NODE_LOOP:
            text_loop(n, out);
            break;
        case NODE_CALL:
            str_printf(out, "JUMP sub%u\n", n->number);
            break;
        case NODE_SETMASK:
            str_printf(out, "SETMASK %u\n", n->operand[0]);
            break;
        case NODE_UNMASK:
            str_append(out, "UNMASK\n");
            break;
        case NODE_PAUSE:
            str_append(out, "COMPUTE_DONE\nCOMPUTE 0 0\n");
            break;
        }
}

/* The link to node *index in program order, or NULL. */
static struct node **find_node(struct node **list, unsigned *index) {
    for (; *list; list = &(*list)->next) {
        if ((*index)-- == 0)
            return list;
        for (struct part *p = (*list)->parts; p; p = p->next) {
            struct node **found = find_node(&p->body, index);
            if (found)
                return found;
        }
    }
    return NULL;
}

bool tree_drop(struct tree *t, unsigned index) {
    struct node **link = find_node(&t->main, &index);
    for (unsigned k = 0; k < TREE_SUBS && !link; k++)
        link = find_node(&t->subs[k], &index);
    if (!link)
        return false;
    t->dropped_at = link;
    t->dropped = *link;
    *link = (*link)->next;
    return true;
}

void tree_undo(struct tree *t) {
    *t->dropped_at = t->dropped;
}

void tree_text(const struct tree *t, struct str *out) {
    /* All data registers have their place in the machine. */
    for (unsigned k = 0; k < TREE_DATA; k++)
        str_printf(out, "COMPUTE 0 1\nMOV %u %u\nCOMPUTE_DONE\n", k, k);
    str_printf(out, "COMPUTE 0 0\nINIT0 %u\nINIT0 %u\nINC %u %u\nINC %u %u\nINC %u %u\n", ZERO,
               THREE, THREE, THREE, THREE, THREE, THREE, THREE);
    text_list(t->main, out);
    str_printf(out, "UNMASK\nGETMASK %u\nCOMPUTE_DONE\nEOF\n", TREE_DATA);
    for (unsigned k = 0; k < TREE_SUBS; k++) {
        str_printf(out, "sub%u:\n", k);
        text_list(t->subs[k], out);
        str_append(out, "RETURN\n");
    }
}
