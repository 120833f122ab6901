/* SPDX-License-Identifier: MIT
 * One look at the program notes which variables its top-level nodes name, and what else each of
 * them writes; then it is said of each node whether it stays. */
#include "ezpim/ir/finishes.h"

#include <stdlib.h>

struct variable_use {
    bool named;       /* other than as an output of a node IR_NODE_FINISH, which is made once */
    uint64_t made;    /* registers that are such outputs */
    uint32_t written; /* the last top-level node that writes it, from 1; 0: none */
};

struct finish_finder {
    struct ir_program *p;
    struct variable_use *uses; /* [variables] */
    const struct ir_code *code;
    const struct ir_node *finish; /* that the node at hand is, or NULL */
    uint32_t at;                  /* the top-level node at hand, from 1 */
    uint32_t kept;                /* finishes */
    bool others;                  /* the node at hand writes more than its outputs; so of each: */
    VEC(bool) writes_others;      /* [top-level nodes] */
};

static bool makes(const struct ir_node *node, uint32_t variable) {
    for (uint32_t i = 0; node && i < node->finish_count; i++)
        if (node->finishes[i].to == variable)
            return true;
    return false;
}

static void note(struct finish_finder *finder, uint32_t variable, bool writes) {
    if (variable == IR_NONE)
        return;
    finder->uses[variable].named = true;
    if (writes)
        finder->uses[variable].written = finder->at;
    finder->others |= writes && !finder->p->variables.data[variable].hidden;
}

static void note_vreg(void *context, uint32_t *vreg, bool writes) {
    struct finish_finder *f = context;
    note(f, f->code->vregs.data[*vreg].variable, writes);
}

static void note_code(struct finish_finder *finder, struct ir_code *code) {
    finder->code = code;
    for (size_t i = 0; i < code->insns.len; i++)
        ir_visit(&code->insns.data[i], note_vreg, finder);
}

static void note_move(struct finish_finder *finder, const struct ir_move *move) {
    if (!makes(finder->finish, move->to))
        note(finder, move->to, true);
    note(finder, move->from, false);
    if (move->record.index.kind)
        note(finder, move->index, false);
}

static void note_nodes(struct finish_finder *finder, const struct ir_node *node);

static void note_node(struct finish_finder *finder, const struct ir_node *node) {
    if (node->code)
        note_code(finder, node->code);
    if (node->kind == IR_NODE_MOVE || node->kind == IR_NODE_SEND)
        note_move(finder, &finder->p->moves.data[node->move]);
    if (node->kind == IR_NODE_RECV)
        note(finder, node->lands, true);
    note_nodes(finder, node->body);
    note_nodes(finder, node->otherwise);
}

static void note_nodes(struct finish_finder *finder, const struct ir_node *node) {
    for (; node; node = node->next)
        note_node(finder, node);
}

/* What is made twice is named otherwise. */
static void note_outputs(struct finish_finder *finder, const struct ir_node *node) {
    for (uint32_t i = 0; i < node->finish_count; i++) {
        struct variable_use *u = &finder->uses[node->finishes[i].to];
        uint64_t bit = (uint64_t)1 << node->finishes[i].to_element;
        u->named |= u->made & bit;
        u->made |= bit;
    }
}

static void note_program(struct finish_finder *finder) {
    for (const struct ir_node *n = finder->p->images.data[0].nodes; n; n = n->next) {
        finder->at++;
        finder->finish = n->kind == IR_NODE_FINISH ? n : NULL;
        finder->others = false;
        note_node(finder, n);
        vec_push(&finder->writes_others, finder->others);
        if (finder->finish)
            note_outputs(finder, n);
    }
    finder->at = UINT32_MAX; /* subroutines and lengths: wherever they are */
    finder->finish = NULL;
    for (size_t i = 0; i < finder->p->subs.len; i++)
        note_code(finder, finder->p->subs.data[i]->code);
    for (size_t i = 0; i < finder->p->lengths.len; i++)
        note(finder, finder->p->lengths.data[i].length, true);
}

static bool is_fine(const struct finish_finder *finder, const struct ir_finish *finish,
                    uint32_t at) {
    const struct variable *to = &finder->p->variables.data[finish->to].decl;
    return to->direction == VAR_OUT && to->group == NO_INDEX && !finder->uses[finish->to].named &&
           finder->uses[finish->from].written < at;
}

/* The number of the node is `at`. */
static bool may_stay(const struct finish_finder *finder, const struct ir_node *node, uint32_t at) {
    if (node->kind != IR_NODE_FINISH || finder->kept + node->finish_count > OBJECT_MAX_FINISHES)
        return false;
    for (uint32_t i = 0; i < node->finish_count; i++)
        if (!is_fine(finder, &node->finishes[i], at))
            return false;
    return !finder->writes_others.data[at - 1];
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

static void choose(struct finish_finder *finder) {
    struct ir_node **link = &finder->p->images.data[0].nodes;
    for (uint32_t at = 1; *link; at++) {
        struct ir_node *n = *link, *next = n->next;
        bool stays = may_stay(finder, n, at);
        open_all(&n->body);
        open_all(&n->otherwise);
        finder->kept += stays ? n->finish_count : 0;
        if (n->kind == IR_NODE_FINISH && !stays)
            open_node(link);
        while (*link != next)
            link = &(*link)->next;
    }
}

bool ir_keep_finishes(struct ir_program *program, bool allowed) {
    if (!allowed || program->images.len != 1) {
        for (size_t i = 0; i < program->images.len; i++)
            open_all(&program->images.data[i].nodes);
        return false;
    }
    struct finish_finder f = {.p = program,
                              .uses = xcalloc(program->variables.len + 1, sizeof *f.uses)};
    note_program(&f);
    choose(&f);
    free(f.uses);
    vec_free(&f.writes_others);
    return f.kept > 0;
}

bool ir_has_finishes(const struct ir_program *program) {
    bool has = false;
    for (size_t i = 0; i < program->images.len; i++)
        for (const struct ir_node *n = program->images.data[i].nodes; n && !has; n = n->next)
            has = n->kind == IR_NODE_FINISH;
    return has;
}
