/* SPDX-License-Identifier: MIT
 * One look at the program notes which variables its top-level nodes name; then each node is
 * looked at by itself. */
#include "ezpim/ir_finishes.h"

#include <stdlib.h>

struct use {
    bool named;       /* other than as an output of a node IR_NODE_FINISH, which is made once */
    uint64_t made;    /* registers that are such outputs */
    uint32_t written; /* the last top-level node that writes it, from 1; 0: none */
};

struct finder {
    struct ir_program *p;
    struct use *uses; /* [variables] */
    const struct ir_code *code;
    const struct ir_node *finish; /* that the node at hand is, or NULL */
    uint32_t at;                  /* the top-level node at hand, from 1 */
    uint32_t kept;                /* finishes */
    bool others;                  /* the node at hand writes more than its outputs */
};

static bool makes(const struct ir_node *n, uint32_t variable) {
    for (uint32_t i = 0; n && i < n->finish_count; i++)
        if (n->finishes[i].to == variable)
            return true;
    return false;
}

static void note(struct finder *f, uint32_t variable, bool writes) {
    if (variable == IR_NONE)
        return;
    f->uses[variable].named = true;
    if (writes)
        f->uses[variable].written = f->at;
    f->others |= writes && !f->p->variables.data[variable].hidden;
}

static void note_vreg(void *context, uint32_t *vreg, bool writes) {
    struct finder *f = context;
    note(f, f->code->vregs.data[*vreg].variable, writes);
}

static void note_code(struct finder *f, struct ir_code *code) {
    f->code = code;
    for (size_t i = 0; i < code->insns.len; i++)
        ir_visit(&code->insns.data[i], note_vreg, f);
}

static void note_move(struct finder *f, const struct ir_move *m) {
    if (!makes(f->finish, m->to))
        note(f, m->to, true);
    note(f, m->from, false);
    if (m->record.index.kind)
        note(f, m->index, false);
}

static void note_nodes(struct finder *f, const struct ir_node *n);

static void note_node(struct finder *f, const struct ir_node *n) {
    if (n->code)
        note_code(f, n->code);
    if (n->kind == IR_NODE_MOVE || n->kind == IR_NODE_SEND)
        note_move(f, &f->p->moves.data[n->move]);
    if (n->kind == IR_NODE_RECV)
        note(f, n->lands, true);
    note_nodes(f, n->body);
    note_nodes(f, n->otherwise);
}

static void note_nodes(struct finder *f, const struct ir_node *n) {
    for (; n; n = n->next)
        note_node(f, n);
}

/* What is made twice is named otherwise. */
static void note_outputs(struct finder *f, const struct ir_node *n) {
    for (uint32_t i = 0; i < n->finish_count; i++) {
        struct use *u = &f->uses[n->finishes[i].to];
        uint64_t bit = (uint64_t)1 << n->finishes[i].to_element;
        u->named |= u->made & bit;
        u->made |= bit;
    }
}

static void note_program(struct finder *f) {
    for (const struct ir_node *n = f->p->images.data[0].nodes; n; n = n->next) {
        f->at++;
        f->finish = n->kind == IR_NODE_FINISH ? n : NULL;
        note_node(f, n);
        if (f->finish)
            note_outputs(f, n);
    }
    f->at = UINT32_MAX; /* subroutines and lengths: wherever they are */
    f->finish = NULL;
    for (size_t i = 0; i < f->p->subs.len; i++)
        note_code(f, f->p->subs.data[i]->code);
    for (size_t i = 0; i < f->p->lengths.len; i++)
        note(f, f->p->lengths.data[i].length, true);
}

static bool is_fine(const struct finder *f, const struct ir_finish *x, uint32_t at) {
    const struct variable *to = &f->p->variables.data[x->to].decl;
    return to->direction == VAR_OUT && to->group == NO_INDEX && !f->uses[x->to].named &&
           f->uses[x->from].written < at;
}

/* The number of the node is `at`. */
static bool may_stay(struct finder *f, const struct ir_node *n, uint32_t at) {
    if (n->kind != IR_NODE_FINISH || f->kept + n->finish_count > OBJECT_MAX_FINISHES)
        return false;
    for (uint32_t i = 0; i < n->finish_count; i++)
        if (!is_fine(f, &n->finishes[i], at))
            return false;
    f->others = false;
    f->at = at;
    f->finish = n;
    note_nodes(f, n->body);
    return !f->others;
}

/* The list at *link in the place of its first node. */
static void open_node(struct ir_node **link) {
    struct ir_node *n = *link;
    *link = n->body;
    while (*link)
        link = &(*link)->next;
    *link = n->next;
}

static void open_all(struct ir_node **link) {
    while (*link) {
        struct ir_node *n = *link;
        open_all(&n->body);
        open_all(&n->otherwise);
        if (n->kind == IR_NODE_FINISH)
            open_node(link);
        else
            link = &n->next;
    }
}

static void choose(struct finder *f) {
    struct ir_node **link = &f->p->images.data[0].nodes;
    for (uint32_t at = 1; *link; at++) {
        struct ir_node *n = *link, *next = n->next;
        bool stays = may_stay(f, n, at);
        open_all(&n->body);
        open_all(&n->otherwise);
        f->kept += stays ? n->finish_count : 0;
        if (n->kind == IR_NODE_FINISH && !stays)
            open_node(link);
        while (*link != next)
            link = &(*link)->next;
    }
}

void ir_keep_finishes(struct ir_program *p, bool allowed) {
    if (!allowed || p->images.len != 1) {
        for (size_t i = 0; i < p->images.len; i++)
            open_all(&p->images.data[i].nodes);
        return;
    }
    struct finder f = {.p = p, .uses = xcalloc(p->variables.len + 1, sizeof *f.uses)};
    note_program(&f);
    choose(&f);
    free(f.uses);
}
