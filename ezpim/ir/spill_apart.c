/* SPDX-License-Identifier: MIT
 * Stand-ins of one node each.  A variable that is brought in front of a node lives around that node
 * alone, so each node may have a stand-in of its own.  One for all of them needs a register that is
 * free at all of these nodes, and there may be none although few are taken at each. */
#include "ezpim/ir/spill.h"
#include "object/spill_name.h"

#include <inttypes.h>
#include <stdlib.h>

struct parter {
    struct ir_program *p;
    uint32_t known;      /* variables that there were */
    bool *seen;          /* [known]: some node has it for itself */
    uint32_t *own;       /* [known]: that of the node at hand; IR_NONE: it does not name it */
    VEC(uint32_t) named; /* by the node at hand */
    bool parted;
};

/* What stands for `of` at the node at hand: itself at the first node that names it. */
static uint32_t own_of(struct parter *parter, uint32_t of) {
    if (parter->own[of] != IR_NONE)
        return parter->own[of];
    parter->own[of] = of;
    vec_push(&parter->named, of);
    if (parter->seen[of]) {
        struct ir_variable copy = parter->p->variables.data[of];
        parter->own[of] = (uint32_t)parter->p->variables.len;
        vec_push(&parter->p->variables, copy);
        parter->parted = true;
    }
    parter->seen[of] = true;
    return parter->own[of];
}

static bool is_stand_in(const struct parter *parter, uint32_t variable) {
    return variable < parter->known && parter->p->variables.data[variable].spilled_to != IR_NONE;
}

static void part_vregs(struct parter *parter, struct ir_code *code) {
    for (size_t i = 0; i < code->vregs.len; i++)
        if (code->vregs.data[i].variable != IR_NONE &&
            is_stand_in(parter, code->vregs.data[i].variable))
            code->vregs.data[i].variable = own_of(parter, code->vregs.data[i].variable);
}

/* Moves are shared by the nodes that had the same one: the node gets one of its own. */
static void part_move(struct parter *parter, struct ir_node *node, uint32_t to, uint32_t from) {
    struct ir_move m = parter->p->moves.data[node->move];
    if (m.to == to && m.from == from)
        return;
    m.to = to;
    m.from = from;
    node->move = (uint32_t)parter->p->moves.len;
    m.record.name = arena_printf(parter->p->arena, OBJECT_SPILL_MOVE "%" PRIu32, node->move);
    vec_push(&parter->p->moves, m);
}

/* The moves from `first` up to the node bring to it, those behind it take back. */
static void part_moves(struct parter *parter, struct ir_node *first, struct ir_node *node) {
    for (struct ir_node *x = first; x != node; x = x->next) {
        const struct ir_move *m = &parter->p->moves.data[x->move];
        if (is_stand_in(parter, m->to) && parter->own[m->to] != IR_NONE)
            part_move(parter, x, parter->own[m->to], m->from);
    }
    for (struct ir_node *x = node->next; x && x->kind == IR_NODE_MOVE; x = x->next) {
        const struct ir_move *m = &parter->p->moves.data[x->move];
        if (is_stand_in(parter, m->from) && parter->own[m->from] != IR_NONE)
            part_move(parter, x, m->to, parter->own[m->from]);
    }
}

static void part_node(struct parter *parter, struct ir_node *first, struct ir_node *node) {
    vec_clear(&parter->named);
    part_vregs(parter, node->code);
    part_moves(parter, first ? first : node, node);
    for (size_t i = 0; i < parter->named.len; i++)
        parter->own[parter->named.data[i]] = IR_NONE;
}

static bool has_room(const struct parter *parter) {
    return parter->p->moves.len + 2 * IR_REGISTERS < OBJECT_MAX_MOVES;
}

static void part_nodes(struct parter *parter, struct ir_node *node) {
    struct ir_node *first = NULL; /* of the moves in front of the node */
    for (; node && has_room(parter); node = node->next) {
        part_nodes(parter, node->body);
        part_nodes(parter, node->otherwise);
        if (node->kind == IR_NODE_MOVE) {
            first = first ? first : node;
            continue;
        }
        if (node->code)
            part_node(parter, first, node);
        first = NULL;
    }
}

bool ir_spill_part(struct ir_program *program) {
    struct parter s = {.p = program, .known = (uint32_t)program->variables.len};
    s.seen = xcalloc(s.known + 1, sizeof *s.seen);
    s.own = xcalloc(s.known + 1, sizeof *s.own);
    for (uint32_t v = 0; v < s.known; v++)
        s.own[v] = IR_NONE;
    for (size_t i = 0; i < program->images.len; i++)
        part_nodes(&s, program->images.data[i].nodes);
    free(s.seen);
    free(s.own);
    vec_free(&s.named);
    return s.parted;
}
