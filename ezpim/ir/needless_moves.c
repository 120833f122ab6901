/* SPDX-License-Identifier: MIT
 * Moves that nobody needs: first those whose elements nobody reads, then those that bring what is
 * there.  What is known to be there holds until something writes a side of the move. */
#include "ezpim/ir/needless_moves.h"
#include "ezpim/ir/build.h"
#include "ezpim/ir/lives.h"

#include <stdlib.h>

/* ---- what nobody reads ---- */

static bool is_read(const struct ir_lives *lives, const struct ir_move *move, uint32_t step) {
    uint32_t first = lives->first[move->to] + move->to_element;
    for (uint32_t slot = first; slot < first + move->record.dst_count; slot++)
        if (ir_lives_behind(lives, slot, step))
            return true;
    return false;
}

/* True if there are some, which are marked. */
static bool find_unread(const struct ir_program *program) {
    struct ir_lives l;
    bool good = ir_lives_find_behind(&l, program), found = false;
    for (uint32_t s = 0; good && s < l.step_count; s++) {
        struct ir_node *n = l.nodes[s];
        if (!n || n->kind != IR_NODE_MOVE)
            continue;
        n->idle = !is_read(&l, &program->moves.data[n->move], s);
        found |= n->idle;
    }
    ir_lives_free(&l);
    return found;
}

/* ---- what is there already ---- */

struct known_moves {
    const struct ir_program *p;
    VEC(uint32_t) moves; /* that were carried out, and whose variables are as they were */
    const struct ir_code *code;
};

static bool reads(const struct ir_move *move, uint32_t variable) {
    return move->from == variable || (move->record.index.kind && move->index == variable);
}

static void forget(struct known_moves *moves, uint32_t variable) {
    size_t kept = 0;
    for (size_t i = 0; i < moves->moves.len; i++) {
        const struct ir_move *m = &moves->p->moves.data[moves->moves.data[i]];
        if (m->to != variable && !reads(m, variable))
            moves->moves.data[kept++] = moves->moves.data[i];
    }
    moves->moves.len = kept;
}

static void forget_written(void *context, uint32_t *vreg, bool writes) {
    struct known_moves *k = context;
    uint32_t v = k->code->vregs.data[*vreg].variable;
    if (writes && v != IR_NONE)
        forget(k, v);
}

/* A move that writes what it reads brings something else the second time. */
static bool knows(const struct known_moves *moves, const struct ir_move *move) {
    for (size_t i = 0; i < moves->moves.len; i++)
        if (ir_move_same(&moves->p->moves.data[moves->moves.data[i]], move))
            return true;
    return false;
}

static bool repeats(struct known_moves *moves, struct ir_node *node) {
    const struct ir_move *m = &moves->p->moves.data[node->move];
    if (knows(moves, m))
        return true;
    forget(moves, m->to);
    if (!reads(m, m->to) && moves->moves.len < 64)
        vec_push(&moves->moves, node->move);
    return false;
}

static void mark_repeated(struct known_moves *moves, struct ir_node *node) {
    vec_clear(&moves->moves);
    for (; node; node = node->next) {
        moves->code = node->code;
        for (size_t i = 0; node->kind == IR_NODE_COMPUTE && i < node->code->insns.len; i++)
            ir_visit(&node->code->insns.data[i], forget_written, moves);
        if (node->kind == IR_NODE_MOVE)
            node->idle |= repeats(moves, node);
        if (node->kind == IR_NODE_COMPUTE || node->kind == IR_NODE_MOVE ||
            node->kind == IR_NODE_MARK)
            continue;
        mark_repeated(moves, node->body);
        mark_repeated(moves, node->otherwise);
        vec_clear(&moves->moves);
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

void ir_drop_moves(struct ir_program *program) {
    struct known_moves k = {.p = program};
    if (program->images.len != 1)
        return;
    mark_repeated(&k, program->images.data[0].nodes);
    leave_out(&program->images.data[0].nodes);
    for (unsigned i = 0; i < ROUNDS && find_unread(program); i++)
        leave_out(&program->images.data[0].nodes);
    vec_free(&k.moves);
}
