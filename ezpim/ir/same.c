/* SPDX-License-Identifier: MIT
 * Every list is preceded by its length and every pointer is followed, so that the words that are
 * taken in, one after the other, say what the program is. */
#include "ezpim/ir/same.h"

#include <string.h>

/* Words go to the lanes in turn, two at a time, so that none waits for those before. */
enum { LANES = 4 };

struct print {
    const struct ir_program *p;
    uint64_t lane[LANES];
    unsigned next;
};

__extension__ typedef unsigned __int128 wide;

/* The factors are 2^64 divided by the golden ratio and by the silver one, made odd; a product's
 * halves depend on all bits of both words. */
static inline uint64_t mix(uint64_t h, uint64_t left, uint64_t right) {
    wide product = (wide)(h ^ left ^ 0x9e3779b97f4a7c15u) * (right ^ 0x6a09e667f3bcc909u);
    return (uint64_t)product ^ (uint64_t)(product >> 64) ^ (h << 23 | h >> 41);
}

static inline void take_two(struct print *print, uint64_t left, uint64_t right) {
    uint64_t *h = &print->lane[print->next++ % LANES];
    *h = mix(*h, left, right);
}

static inline void take(struct print *print, uint64_t word) {
    take_two(print, word, 0);
}

static uint64_t all_lanes(const struct print *print) {
    uint64_t h = print->next;
    for (unsigned i = 0; i < LANES; i++)
        h = mix(h, print->lane[i], i);
    return h;
}

static uint64_t pair(uint32_t left, uint32_t right) {
    return (uint64_t)left << 32 | right;
}

static void take_pair(struct print *print, uint32_t left, uint32_t right) {
    take(print, pair(left, right));
}

static void take_span(struct print *print, struct span at) {
    take_pair(print, at.source, at.begin);
}

static uint32_t type_word(struct lane_type type) {
    return (uint32_t)type.kind << 8 | type.bits;
}

static void take_text(struct print *print, const char *text) {
    size_t n = text ? strlen(text) : 0;
    take(print, n);
    for (size_t i = 0; i < n; i++)
        take(print, (unsigned char)text[i]);
}

static void take_extent(struct print *print, struct extent extent) {
    take_two(print, extent.size, extent.value);
}

/* ---- code ---- */

static void take_call(struct print *print, const struct ir_call *call) {
    size_t sub = 0;
    while (sub < print->p->subs.len && print->p->subs.data[sub] != call->sub)
        sub++;
    take(print, sub);
    for (uint32_t k = 0; k < call->sub->in_count; k++)
        take(print, call->in[k]);
    for (uint32_t k = 0; k < call->sub->out_count; k++)
        take(print, call->out[k]);
}

static void take_insn(struct print *print, const struct ir_insn *insn) {
    uint64_t what = (uint64_t)insn->op << 56 | (uint64_t)insn->partial << 49 |
                    (uint64_t)insn->kept << 48 | (uint64_t)insn->width << 32 |
                    (uint64_t)insn->machine << 16 | type_word(insn->type);
    take_two(print, what, pair(insn->dst, insn->a));
    take_two(print, pair(insn->b, insn->c), pair(insn->size, insn->region));
    take_two(print, pair(type_word(insn->from), insn->at.begin), insn->imm);
    if (insn->op == IR_CALL)
        take_call(print, insn->call);
}

static void take_vreg(struct print *print, const struct ir_vreg *vreg) {
    uint32_t flags = (uint32_t)vreg->dies << 4 | (uint32_t)vreg->pinned << 3 |
                     (uint32_t)vreg->given << 2 | (uint32_t)vreg->result << 1 |
                     (vreg->name != NULL);
    uint32_t place = (uint32_t)(uint8_t)vreg->fixed << 16 | (uint32_t)vreg->clean << 8 | flags;
    take_two(print, pair(type_word(vreg->type), place), pair(vreg->home, vreg->variable));
    take(print, vreg->element);
}

static void take_code(struct print *print, const struct ir_code *code) {
    take_pair(print, code->group, (uint32_t)code->insns.len);
    take_pair(print, (uint32_t)code->vregs.len, (uint32_t)code->regions.len);
    take(print, code->reserved);
    for (size_t i = 0; i < code->insns.len; i++)
        take_insn(print, &code->insns.data[i]);
    for (size_t i = 0; i < code->vregs.len; i++)
        take_vreg(print, &code->vregs.data[i]);
    for (size_t i = 0; i < code->regions.len; i++)
        take_pair(print, code->regions.data[i].op, code->regions.data[i].parent);
}

static void take_sub(struct print *print, const struct ir_sub *sub) {
    take_text(print, sub->name);
    take_pair(print, sub->in_count, sub->out_count);
    take_pair(print, sub->instead_of, sub->width);
    take(print, (uint64_t)sub->exported << 1 | sub->external);
    for (uint32_t k = 0; k < sub->in_count; k++)
        take_pair(print, sub->in[k], sub->external ? sub->in_registers[k] : 0);
    for (uint32_t k = 0; k < sub->out_count; k++)
        take_pair(print, sub->out[k], sub->external ? sub->out_registers[k] : 0);
    take_code(print, sub->code);
}

/* ---- moves ---- */

static void take_bound(struct print *print, const struct move_bound *bound) {
    take_two(print, (uint64_t)bound->offset, bound->size);
    take(print, (uint64_t)bound->size_coeff);
}

/* Coefficients that are 0 go together. */
static void take_affine(struct print *print, const struct move_affine *affine) {
    uint64_t some = 0;
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        some |= (uint64_t)(affine->coeff[d] != 0) << d;
    take(print, some);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        if (affine->coeff[d])
            take(print, (uint64_t)affine->coeff[d]);
    take_two(print, (uint64_t)affine->offset, affine->size);
    take(print, (uint64_t)affine->size_coeff);
}

/* Records of strides and of laps are kept once a program: which one it is. */
static void take_steps(struct print *print, const struct move *move) {
    take_pair(print, move->strides != NULL, move->laps != NULL);
    for (unsigned d = 0; d < MOVE_MAX_DIMS && move->strides; d++) {
        take(print, (uint64_t)move->strides->coeff[d]);
        take_bound(print, &move->strides->offset[d]);
    }
    uint64_t words[sizeof *move->laps / sizeof(uint64_t)];
    if (move->laps)
        memcpy(words, move->laps, sizeof words);
    for (size_t i = 0; move->laps && i < sizeof words / sizeof *words; i++)
        take(print, words[i]);
}

static void take_move(struct print *print, const struct ir_move *move) {
    const struct move *r = &move->record;
    take_pair(print, move->to, move->from);
    take_pair(print, move->to_element, move->index_element);
    take_pair(print, move->to_view, move->from_view);
    take_pair(print, r->dst_group, r->src_group);
    take(print, move->index);
    take(print, (uint64_t)r->dst_reg << 56 | (uint64_t)r->src_reg << 48 |
                    (uint64_t)r->dst_count << 40 | (uint64_t)r->src_count << 32 |
                    (uint64_t)r->width << 24 | (uint64_t)r->bounded << 16 |
                    (uint64_t)r->outside << 8 | (uint64_t)r->dst_has_k << 1 | r->src_has_k);
    take(print, r->fill);
    take_pair(print, r->index.kind, type_word(r->index.type));
    take_pair(print, r->index.coordinate, (uint32_t)r->index.follows << 8 | r->index.reg);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        if (r->bounded >> d & 1) {
            take_bound(print, &r->first[d]);
            take_bound(print, &r->last[d]);
        }
        take_affine(print, &r->source[d]);
    }
    take_steps(print, r);
}

/* ---- nodes ---- */

static void take_nodes(struct print *print, const struct ir_node *node);

static void take_node(struct print *print, const struct ir_node *node) {
    take(print, (uint64_t)node->kind << 32 | (uint64_t)node->opposite << 3 |
                    (uint64_t)node->body_first << 2 | (uint64_t)node->idle << 1 | node->own);
    take_span(print, node->at);
    take_pair(print, node->group, node->move);
    take_pair(print, node->mpu, node->lands);
    take_pair(print, node->debug, node->finish_count);
    take_extent(print, node->count);
    if (node->kind == IR_NODE_LAUNCH)
        take(print, node->launch);
    for (uint32_t k = 0; k < node->finish_count; k++) {
        const struct ir_finish *x = &node->finishes[k];
        take(print, x->kind);
        take_pair(print, x->from, x->from_element);
        take_pair(print, x->to, x->to_element);
    }
    if (node->code)
        take_code(print, node->code);
    take_nodes(print, node->body);
    take_nodes(print, node->otherwise);
}

static void take_nodes(struct print *print, const struct ir_node *node) {
    for (; node; node = node->next)
        take_node(print, node);
    take(print, UINT64_MAX);
}

/* ---- declarations ---- */

static void take_size(struct print *print, const struct size_decl *decl) {
    take_pair(print, decl->op, decl->has_default);
    take(print, decl->value);
    take(print, decl->bound);
    take(print, decl->left.size);
    take(print, (uint64_t)decl->left.value);
    take(print, decl->right.size);
    take(print, (uint64_t)decl->right.value);
}

static void take_group(struct print *print, const struct group *group) {
    take_pair(print, group->ndim, group->like);
    take_pair(print, group->at_rfh, group->at_vrf);
    take(print, group->per_mpu);
    for (uint32_t d = 0; d < group->ndim; d++)
        take_extent(print, group->extent[d]);
}

static void take_variable(struct print *print, const struct ir_variable *variable) {
    const struct variable *x = &variable->decl;
    take(print, (uint64_t)x->direction << 40 | (uint64_t)x->reg << 32 |
                    (uint64_t)variable->use << 16 | (uint64_t)variable->hidden << 5 |
                    (uint64_t)variable->lasting << 4 | (uint64_t)variable->chained << 3 |
                    (uint64_t)variable->is_home << 2 | (uint64_t)variable->stays << 1 | x->has_k);
    take_pair(print, type_word(x->type), type_word(x->form.type));
    take_pair(print, x->count, x->group);
    take_pair(print, variable->spilled_to, x->scope.count);
    for (uint32_t i = 0; i < x->scope.count; i++)
        take(print, x->scope.groups[i]);
    take_span(print, variable->at);
}

static void take_declarations(struct print *print) {
    const struct ir_program *p = print->p;
    take_pair(print, (uint32_t)p->sizes.len, (uint32_t)p->groups.len);
    take_pair(print, (uint32_t)p->variables.len, (uint32_t)p->moves.len);
    take_pair(print, (uint32_t)p->subs.len, (uint32_t)p->images.len);
    take_pair(print, (uint32_t)p->lengths.len, (uint32_t)p->debugs.len);
    take(print, p->taken);
    for (size_t i = 0; i < p->sizes.len; i++)
        take_size(print, &p->sizes.data[i]);
    for (size_t i = 0; i < p->groups.len; i++)
        take_group(print, &p->groups.data[i]);
    for (size_t i = 0; i < p->variables.len; i++)
        take_variable(print, &p->variables.data[i]);
    for (size_t i = 0; i < p->lengths.len; i++)
        take_pair(print, p->lengths.data[i].variable, p->lengths.data[i].length);
    for (size_t i = 0; i < p->debugs.len; i++) {
        take_pair(print, p->debugs.data[i].kind, type_word(p->debugs.data[i].type));
        take_text(print, p->debugs.data[i].text);
    }
}

uint64_t ir_fingerprint(const struct ir_program *program) {
    struct print f = {.p = program};
    take_declarations(&f);
    for (size_t i = 0; i < program->moves.len; i++)
        take_move(&f, &program->moves.data[i]);
    for (size_t i = 0; i < program->subs.len; i++)
        take_sub(&f, program->subs.data[i]);
    for (size_t i = 0; i < program->images.len; i++) {
        const struct ir_image *x = &program->images.data[i];
        take_pair(&f, x->first_mpu, x->mpu_count);
        take(&f, x->shared);
        take_nodes(&f, x->nodes);
    }
    return all_lanes(&f);
}
