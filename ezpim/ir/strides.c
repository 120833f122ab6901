/* SPDX-License-Identifier: MIT
 * Moves of every n-th element that read the same registers become one. */
#include "ezpim/ir/strides.h"
#include "ezpim/ir/build.h"

#include <stdlib.h>
#include <string.h>

struct pairing {
    struct ir_program *p;
    uint32_t *moves;      /* [variables]: how many nodes move it, to or from */
    uint32_t *now, *half; /* [variables]: what stands for it; which of its registers */
};

static void count_moves(struct pairing *pairing, const struct ir_node *node) {
    for (; node; node = node->next) {
        if (node->kind == IR_NODE_MOVE || node->kind == IR_NODE_SEND) {
            const struct ir_move *m = &pairing->p->moves.data[node->move];
            pairing->moves[m->to]++;
            pairing->moves[m->from]++;
            if (m->record.index.kind)
                pairing->moves[m->index]++;
        }
        for (uint32_t i = 0; i < node->finish_count; i++)
            pairing->moves[node->finishes[i].from] += 2; /* it stays what it is */
        count_moves(pairing, node->body);
        count_moves(pairing, node->otherwise);
    }
}

/* All of a hidden variable, of every n-th element. */
static bool takes_strides(const struct pairing *pairing, const struct ir_node *node) {
    const struct ir_move *m = &pairing->p->moves.data[node->move];
    const struct ir_variable *to = &pairing->p->variables.data[m->to];
    const struct move *r = &m->record;
    bool plain = node->kind == IR_NODE_MOVE && to->hidden && !to->chained && to->decl.count == 1 &&
                 to->decl.group != NO_INDEX && pairing->moves[m->to] == 1 && !r->index.kind &&
                 m->to_view == IR_NONE && m->from_view == IR_NONE && !r->bounded && !r->strides &&
                 !r->laps && !r->src_has_k && r->outside == MOVE_KEEP &&
                 pairing->now[m->to] == IR_NONE;
    for (uint32_t d = 0; plain && d < MOVE_MAX_DIMS; d++)
        for (uint32_t i = 0; i < MOVE_MAX_DIMS; i++)
            if (r->source[d].coeff[i] > 1)
                return true;
    return false;
}

/* Whether `right` takes what `left` takes, from another element on. */
static bool go_together(const struct pairing *pairing, const struct ir_move *left,
                        const struct ir_move *right) {
    const struct variable *s = &pairing->p->variables.data[left->to].decl;
    const struct variable *t = &pairing->p->variables.data[right->to].decl;
    bool same = left->from == right->from && s->group == t->group && s->type.kind == t->type.kind &&
                s->type.bits == t->type.bits;
    for (uint32_t d = 0; same && d < MOVE_MAX_DIMS; d++) {
        const struct move_affine *f = &left->record.source[d], *g = &right->record.source[d];
        same = memcmp(f->coeff, g->coeff, sizeof f->coeff) == 0 && !f->size_coeff && !g->size_coeff;
    }
    return same;
}

/* Offsets differ along one coordinate at most, by less than its stride: the same registers. */
static bool are_near(const struct ir_move *left, const struct ir_move *right) {
    unsigned differ = 0;
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++) {
        int64_t by = right->record.source[d].offset - left->record.source[d].offset, stride = 0;
        for (uint32_t i = 0; i < MOVE_MAX_DIMS; i++)
            stride += left->record.source[d].coeff[i];
        if (by && llabs(by) >= llabs(stride))
            return false;
        differ += by != 0;
    }
    return differ == 1;
}

static uint32_t pair_variable(struct pairing *pairing, uint32_t first) {
    struct ir_variable v = pairing->p->variables.data[first];
    v.decl.count = 2;
    v.decl.has_k = true;
    vec_push(&pairing->p->variables, v);
    return (uint32_t)pairing->p->variables.len - 1;
}

static void join(struct pairing *pairing, struct ir_node *left, struct ir_node *right) {
    struct ir_move m = pairing->p->moves.data[left->move];
    const struct ir_move *other = &pairing->p->moves.data[right->move];
    uint32_t pair = pair_variable(pairing, m.to),
             k = ir_group_dims(pairing->p, pairing->p->variables.data[m.to].decl.group);
    pairing->now[m.to] = pairing->now[other->to] = pair;
    pairing->half[other->to] = 1;
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++)
        m.record.source[d].coeff[k] = other->record.source[d].offset - m.record.source[d].offset;
    m.to = pair;
    m.record.dst_count = 2;
    m.record.dst_has_k = true;
    left->move = (uint32_t)pairing->p->moves.len;
    vec_push(&pairing->p->moves, m);
}

/* Nothing between the two writes the source: between them stand moves to other variables. */
static struct ir_node **partner(struct pairing *pairing, struct ir_node *node) {
    uint32_t from = pairing->p->moves.data[node->move].from;
    for (struct ir_node **link = &node->next; *link && (*link)->kind == IR_NODE_MOVE;
         link = &(*link)->next) {
        const struct ir_move *m = &pairing->p->moves.data[(*link)->move];
        if (m->to == from)
            return NULL;
        if (takes_strides(pairing, *link) &&
            go_together(pairing, &pairing->p->moves.data[node->move], m) &&
            are_near(&pairing->p->moves.data[node->move], m))
            return link;
    }
    return NULL;
}

static void pair_list(struct pairing *pairing, struct ir_node *node) {
    for (; node; node = node->next) {
        pair_list(pairing, node->body);
        pair_list(pairing, node->otherwise);
        if (node->kind != IR_NODE_MOVE || !takes_strides(pairing, node))
            continue;
        struct ir_node **link = partner(pairing, node);
        if (!link)
            continue;
        join(pairing, node, *link);
        *link = (*link)->next;
    }
}

static void rename_all(const struct pairing *pairing, size_t count) {
    for (size_t i = 0; i < pairing->p->codes.len; i++) {
        struct ir_code *code = pairing->p->codes.data[i];
        for (size_t v = 0; v < code->vregs.len; v++) {
            struct ir_vreg *r = &code->vregs.data[v];
            if (r->variable == IR_NONE || r->variable >= count ||
                pairing->now[r->variable] == IR_NONE)
                continue;
            r->element = pairing->half[r->variable];
            r->variable = pairing->now[r->variable];
        }
    }
}

void ir_pair_strides(struct ir_program *program) {
    size_t count = program->variables.len;
    struct pairing x = {.p = program,
                        .moves = xcalloc(count + 1, sizeof(uint32_t)),
                        .now = xcalloc(2 * count + 1, sizeof(uint32_t)),
                        .half = xcalloc(2 * count + 1, sizeof(uint32_t))};
    memset(x.now, 0xFF, (2 * count + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < program->images.len; i++)
        count_moves(&x, program->images.data[i].nodes);
    for (size_t i = 0; i < program->images.len && program->images.len == 1; i++)
        pair_list(&x, program->images.data[i].nodes);
    rename_all(&x, count);
    free(x.moves);
    free(x.now);
    free(x.half);
}
