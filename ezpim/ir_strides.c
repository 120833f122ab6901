/* SPDX-License-Identifier: MIT
 * Moves of every n-th element that read the same registers become one. */
#include "ezpim/ir_strides.h"
#include "ezpim/ir_build.h"

#include <stdlib.h>
#include <string.h>

struct pairing {
    struct ir_program *p;
    uint32_t *moves;      /* [variables]: how many nodes move it, to or from */
    uint32_t *now, *half; /* [variables]: what stands for it; which of its registers */
};

static void count_moves(struct pairing *x, const struct ir_node *n) {
    for (; n; n = n->next) {
        if (n->kind == IR_NODE_MOVE || n->kind == IR_NODE_SEND) {
            const struct ir_move *m = &x->p->moves.data[n->move];
            x->moves[m->to]++;
            x->moves[m->from]++;
            if (m->record.index.kind)
                x->moves[m->index]++;
        }
        for (uint32_t i = 0; i < n->finish_count; i++)
            x->moves[n->finishes[i].from] += 2; /* it stays what it is */
        count_moves(x, n->body);
        count_moves(x, n->otherwise);
    }
}

/* All of a hidden variable, of every n-th element. */
static bool takes_strides(const struct pairing *x, const struct ir_node *n) {
    const struct ir_move *m = &x->p->moves.data[n->move];
    const struct ir_variable *to = &x->p->variables.data[m->to];
    const struct move *r = &m->record;
    bool plain = n->kind == IR_NODE_MOVE && to->hidden && !to->chained && to->decl.count == 1 &&
                 to->decl.group != NO_INDEX && x->moves[m->to] == 1 && !r->index.kind &&
                 m->to_view == IR_NONE && m->from_view == IR_NONE && !r->bounded && !r->strides &&
                 !r->laps && !r->src_has_k && r->outside == MOVE_KEEP && x->now[m->to] == IR_NONE;
    for (uint32_t d = 0; plain && d < MOVE_MAX_DIMS; d++)
        for (uint32_t i = 0; i < MOVE_MAX_DIMS; i++)
            if (r->source[d].coeff[i] > 1)
                return true;
    return false;
}

/* Whether b takes what a takes, from another element on. */
static bool go_together(const struct pairing *x, const struct ir_move *a, const struct ir_move *b) {
    const struct variable *s = &x->p->variables.data[a->to].decl;
    const struct variable *t = &x->p->variables.data[b->to].decl;
    bool same = a->from == b->from && s->group == t->group && s->type.kind == t->type.kind &&
                s->type.bits == t->type.bits;
    for (uint32_t d = 0; same && d < MOVE_MAX_DIMS; d++) {
        const struct move_affine *f = &a->record.source[d], *g = &b->record.source[d];
        same = memcmp(f->coeff, g->coeff, sizeof f->coeff) == 0 && !f->size_coeff && !g->size_coeff;
    }
    return same;
}

/* Offsets differ along one coordinate at most, by less than its stride: the same registers. */
static bool are_near(const struct ir_move *a, const struct ir_move *b) {
    unsigned differ = 0;
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++) {
        int64_t by = b->record.source[d].offset - a->record.source[d].offset, stride = 0;
        for (uint32_t i = 0; i < MOVE_MAX_DIMS; i++)
            stride += a->record.source[d].coeff[i];
        if (by && llabs(by) >= llabs(stride))
            return false;
        differ += by != 0;
    }
    return differ == 1;
}

static uint32_t pair_variable(struct pairing *x, uint32_t first) {
    struct ir_variable v = x->p->variables.data[first];
    v.decl.count = 2;
    v.decl.has_k = true;
    vec_push(&x->p->variables, v);
    return (uint32_t)x->p->variables.len - 1;
}

static void join(struct pairing *x, struct ir_node *a, struct ir_node *b) {
    struct ir_move m = x->p->moves.data[a->move];
    const struct ir_move *other = &x->p->moves.data[b->move];
    uint32_t pair = pair_variable(x, m.to),
             k = ir_group_dims(x->p, x->p->variables.data[m.to].decl.group);
    x->now[m.to] = x->now[other->to] = pair;
    x->half[other->to] = 1;
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++)
        m.record.source[d].coeff[k] = other->record.source[d].offset - m.record.source[d].offset;
    m.to = pair;
    m.record.dst_count = 2;
    m.record.dst_has_k = true;
    a->move = (uint32_t)x->p->moves.len;
    vec_push(&x->p->moves, m);
}

/* Nothing between the two writes the source: between them stand moves to other variables. */
static struct ir_node **partner(struct pairing *x, struct ir_node *a) {
    uint32_t from = x->p->moves.data[a->move].from;
    for (struct ir_node **link = &a->next; *link && (*link)->kind == IR_NODE_MOVE;
         link = &(*link)->next) {
        const struct ir_move *m = &x->p->moves.data[(*link)->move];
        if (m->to == from)
            return NULL;
        if (takes_strides(x, *link) && go_together(x, &x->p->moves.data[a->move], m) &&
            are_near(&x->p->moves.data[a->move], m))
            return link;
    }
    return NULL;
}

static void pair_list(struct pairing *x, struct ir_node *n) {
    for (; n; n = n->next) {
        pair_list(x, n->body);
        pair_list(x, n->otherwise);
        if (n->kind != IR_NODE_MOVE || !takes_strides(x, n))
            continue;
        struct ir_node **link = partner(x, n);
        if (!link)
            continue;
        join(x, n, *link);
        *link = (*link)->next;
    }
}

static void rename_all(const struct pairing *x, size_t count) {
    for (size_t i = 0; i < x->p->codes.len; i++) {
        struct ir_code *code = x->p->codes.data[i];
        for (size_t v = 0; v < code->vregs.len; v++) {
            struct ir_vreg *r = &code->vregs.data[v];
            if (r->variable == IR_NONE || r->variable >= count || x->now[r->variable] == IR_NONE)
                continue;
            r->element = x->half[r->variable];
            r->variable = x->now[r->variable];
        }
    }
}

void ir_pair_strides(struct ir_program *p) {
    size_t count = p->variables.len;
    struct pairing x = {.p = p,
                        .moves = xcalloc(count + 1, sizeof(uint32_t)),
                        .now = xcalloc(2 * count + 1, sizeof(uint32_t)),
                        .half = xcalloc(2 * count + 1, sizeof(uint32_t))};
    memset(x.now, 0xFF, (2 * count + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < p->images.len; i++)
        count_moves(&x, p->images.data[i].nodes);
    for (size_t i = 0; i < p->images.len && p->images.len == 1; i++)
        pair_list(&x, p->images.data[i].nodes);
    rename_all(&x, count);
    free(x.moves);
    free(x.now);
    free(x.half);
}
