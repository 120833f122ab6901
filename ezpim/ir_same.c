/* SPDX-License-Identifier: MIT
 * Every list is preceded by its length and every pointer is followed, so that the words that are
 * taken in, one after the other, say what the program is. */
#include "ezpim/ir_same.h"

#include <string.h>

struct print {
    const struct ir_program *p;
    uint64_t h;
};

static void take(struct print *f, uint64_t word) {
    f->h = (f->h ^ word) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
    f->h ^= f->h >> 29;
}

static void take_pair(struct print *f, uint32_t a, uint32_t b) {
    take(f, (uint64_t)a << 32 | b);
}

static void take_span(struct print *f, struct span at) {
    take_pair(f, at.source, at.begin);
}

static uint32_t type_word(struct mpu_type t) {
    return (uint32_t)t.kind << 8 | t.bits;
}

static void take_text(struct print *f, const char *text) {
    size_t n = text ? strlen(text) : 0;
    take(f, n);
    for (size_t i = 0; i < n; i++)
        take(f, (unsigned char)text[i]);
}

static void take_extent(struct print *f, struct extent x) {
    take(f, x.size);
    take(f, x.value);
}

/* ---- code ---- */

static void take_call(struct print *f, const struct ir_call *c) {
    size_t sub = 0;
    while (sub < f->p->subs.len && f->p->subs.data[sub] != c->sub)
        sub++;
    take(f, sub);
    for (uint32_t k = 0; k < c->sub->in_count; k++)
        take(f, c->in[k]);
    for (uint32_t k = 0; k < c->sub->out_count; k++)
        take(f, c->out[k]);
}

static void take_insn(struct print *f, const struct ir_insn *i) {
    take(f, (uint64_t)i->op << 56 | (uint64_t)i->partial << 49 | (uint64_t)i->kept << 48 |
                (uint64_t)i->width << 32 | (uint64_t)i->machine << 16 | type_word(i->type));
    take_pair(f, i->dst, i->a);
    take_pair(f, i->b, i->c);
    take_pair(f, i->size, i->region);
    take_pair(f, type_word(i->from), i->at.begin);
    take(f, i->imm);
    if (i->op == IR_CALL)
        take_call(f, i->call);
}

static void take_vreg(struct print *f, const struct ir_vreg *v) {
    uint32_t flags = (uint32_t)v->dies << 4 | (uint32_t)v->pinned << 3 | (uint32_t)v->given << 2 |
                     (uint32_t)v->result << 1 | (v->name != NULL);
    take(f, (uint64_t)type_word(v->type) << 32 | (uint64_t)(uint8_t)v->fixed << 16 |
                (uint64_t)v->clean << 8 | flags);
    take_pair(f, v->home, v->variable);
    take(f, v->element);
}

static void take_code(struct print *f, const struct ir_code *code) {
    take_pair(f, code->group, (uint32_t)code->insns.len);
    take_pair(f, (uint32_t)code->vregs.len, (uint32_t)code->regions.len);
    take(f, code->reserved);
    for (size_t i = 0; i < code->insns.len; i++)
        take_insn(f, &code->insns.data[i]);
    for (size_t i = 0; i < code->vregs.len; i++)
        take_vreg(f, &code->vregs.data[i]);
    for (size_t i = 0; i < code->regions.len; i++)
        take_pair(f, code->regions.data[i].op, code->regions.data[i].parent);
}

static void take_sub(struct print *f, const struct ir_sub *sub) {
    take_text(f, sub->name);
    take_pair(f, sub->in_count, sub->out_count);
    take_pair(f, sub->instead_of, sub->width);
    take(f, sub->external);
    for (uint32_t k = 0; k < sub->in_count; k++)
        take_pair(f, sub->in[k], sub->external ? sub->in_registers[k] : 0);
    for (uint32_t k = 0; k < sub->out_count; k++)
        take_pair(f, sub->out[k], sub->external ? sub->out_registers[k] : 0);
    take_code(f, sub->code);
}

/* ---- moves ---- */

static void take_bound(struct print *f, const struct move_bound *x) {
    take(f, (uint64_t)x->offset);
    take(f, x->size);
    take(f, (uint64_t)x->size_coeff);
}

static void take_affine(struct print *f, const struct move_affine *x) {
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        take(f, (uint64_t)x->coeff[d]);
    take(f, (uint64_t)x->offset);
    take(f, x->size);
    take(f, (uint64_t)x->size_coeff);
}

/* Records of strides and of laps are kept once a program: which one it is. */
static void take_steps(struct print *f, const struct move *m) {
    take_pair(f, m->strides != NULL, m->laps != NULL);
    for (unsigned d = 0; d < MOVE_MAX_DIMS && m->strides; d++) {
        take(f, (uint64_t)m->strides->coeff[d]);
        take_bound(f, &m->strides->offset[d]);
    }
    uint64_t words[sizeof *m->laps / sizeof(uint64_t)];
    if (m->laps)
        memcpy(words, m->laps, sizeof words);
    for (size_t i = 0; m->laps && i < sizeof words / sizeof *words; i++)
        take(f, words[i]);
}

static void take_move(struct print *f, const struct ir_move *m) {
    const struct move *r = &m->record;
    take_pair(f, m->to, m->from);
    take_pair(f, m->to_element, m->index_element);
    take_pair(f, m->to_view, m->from_view);
    take_pair(f, r->dst_group, r->src_group);
    take(f, m->index);
    take(f, (uint64_t)r->dst_reg << 56 | (uint64_t)r->src_reg << 48 | (uint64_t)r->dst_count << 40 |
                (uint64_t)r->src_count << 32 | (uint64_t)r->width << 24 |
                (uint64_t)r->bounded << 16 | (uint64_t)r->outside << 8 |
                (uint64_t)r->dst_has_k << 1 | r->src_has_k);
    take(f, r->fill);
    take_pair(f, r->index.kind, type_word(r->index.type));
    take_pair(f, r->index.coordinate, (uint32_t)r->index.follows << 8 | r->index.reg);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        take_bound(f, &r->first[d]);
        take_bound(f, &r->last[d]);
        take_affine(f, &r->source[d]);
    }
    take_steps(f, r);
}

/* ---- nodes ---- */

static void take_nodes(struct print *f, const struct ir_node *n);

static void take_node(struct print *f, const struct ir_node *n) {
    take(f, (uint64_t)n->kind << 32 | (uint64_t)n->opposite << 3 | (uint64_t)n->body_first << 2 |
                (uint64_t)n->idle << 1 | n->own);
    take_span(f, n->at);
    take_pair(f, n->group, n->move);
    take_pair(f, n->mpu, n->lands);
    take_pair(f, n->debug, n->finish_count);
    take_extent(f, n->count);
    for (uint32_t k = 0; k < n->finish_count; k++) {
        const struct ir_finish *x = &n->finishes[k];
        take(f, x->kind);
        take_pair(f, x->from, x->from_element);
        take_pair(f, x->to, x->to_element);
    }
    if (n->code)
        take_code(f, n->code);
    take_nodes(f, n->body);
    take_nodes(f, n->otherwise);
}

static void take_nodes(struct print *f, const struct ir_node *n) {
    for (; n; n = n->next)
        take_node(f, n);
    take(f, UINT64_MAX);
}

/* ---- declarations ---- */

static void take_size(struct print *f, const struct size_decl *s) {
    take_pair(f, s->op, s->has_default);
    take(f, s->value);
    take(f, s->bound);
    take(f, s->left.size);
    take(f, (uint64_t)s->left.value);
    take(f, s->right.size);
    take(f, (uint64_t)s->right.value);
}

static void take_group(struct print *f, const struct group *g) {
    take_pair(f, g->ndim, g->like);
    take_pair(f, g->at_rfh, g->at_vrf);
    take(f, g->per_mpu);
    for (uint32_t d = 0; d < g->ndim; d++)
        take_extent(f, g->extent[d]);
}

static void take_variable(struct print *f, const struct ir_variable *v) {
    const struct variable *x = &v->decl;
    take(f, (uint64_t)x->direction << 40 | (uint64_t)x->reg << 32 | (uint64_t)v->use << 16 |
                (uint64_t)v->hidden << 5 | (uint64_t)v->lasting << 4 | (uint64_t)v->chained << 3 |
                (uint64_t)v->is_home << 2 | (uint64_t)v->stays << 1 | x->has_k);
    take_pair(f, type_word(x->type), type_word(x->form.type));
    take_pair(f, x->count, x->group);
    take_pair(f, v->spilled_to, x->scope.count);
    for (uint32_t i = 0; i < x->scope.count; i++)
        take(f, x->scope.groups[i]);
    take_span(f, v->at);
}

static void take_declarations(struct print *f) {
    const struct ir_program *p = f->p;
    take_pair(f, (uint32_t)p->sizes.len, (uint32_t)p->groups.len);
    take_pair(f, (uint32_t)p->variables.len, (uint32_t)p->moves.len);
    take_pair(f, (uint32_t)p->subs.len, (uint32_t)p->images.len);
    take_pair(f, (uint32_t)p->lengths.len, (uint32_t)p->debugs.len);
    take(f, p->taken);
    for (size_t i = 0; i < p->sizes.len; i++)
        take_size(f, &p->sizes.data[i]);
    for (size_t i = 0; i < p->groups.len; i++)
        take_group(f, &p->groups.data[i]);
    for (size_t i = 0; i < p->variables.len; i++)
        take_variable(f, &p->variables.data[i]);
    for (size_t i = 0; i < p->lengths.len; i++)
        take_pair(f, p->lengths.data[i].variable, p->lengths.data[i].length);
    for (size_t i = 0; i < p->debugs.len; i++) {
        take_pair(f, p->debugs.data[i].kind, type_word(p->debugs.data[i].type));
        take_text(f, p->debugs.data[i].text);
    }
}

uint64_t ir_fingerprint(const struct ir_program *p) {
    struct print f = {.p = p};
    take_declarations(&f);
    for (size_t i = 0; i < p->moves.len; i++)
        take_move(&f, &p->moves.data[i]);
    for (size_t i = 0; i < p->subs.len; i++)
        take_sub(&f, p->subs.data[i]);
    for (size_t i = 0; i < p->images.len; i++) {
        const struct ir_image *x = &p->images.data[i];
        take_pair(&f, x->first_mpu, x->mpu_count);
        take(&f, x->shared);
        take_nodes(&f, x->nodes);
    }
    return f.h;
}
