/* SPDX-License-Identifier: MIT
 * Declarations and statements. */
#include "ezpim/ez/lower_sub.h"
#include "ezpim/ez/lower_top.h"

#include <string.h>

static const char *element_name(struct lowering *l, const struct ez_symbol *s, uint32_t element) {
    if (s->kind == SYMBOL_EZ_LOCAL && s->var.nameless)
        return NULL;
    if (!s->has_k)
        return s->name.text;
    return arena_printf(l->b.p->arena, "%s[%u]", s->name.text, element);
}

uint32_t lower_declare(struct lowering *l, struct ez_symbol *s) {
    s->stamp = l->b.stamp;
    s->first_vreg = (uint32_t)l->b.code->vregs.len;
    for (uint32_t k = 0; k < s->count; k++)
        ir_vreg(l->b.code, s->type.type, element_name(l, s, k), s->name.at);
    return s->first_vreg;
}

uint32_t lower_element(struct lowering *l, struct ez_symbol *s, uint32_t element) {
    if (s->kind == SYMBOL_EZ_VARIABLE)
        return ir_element(&l->b, s->var.number, element);
    if (s->stamp != l->b.stamp)
        lower_declare(l, s);
    return s->first_vreg + element;
}

static void lower_assign(struct lowering *l, const struct stmt *s) {
    uint32_t dst = lower_element(l, s->target->symbol, s->target->element);
    lower_as(l, s->value, s->target->symbol->type.type, dst);
}

static void lower_let(struct lowering *l, const struct stmt *s) {
    uint32_t dst = lower_declare(l, s->symbol);
    if (s->value && s->value->kind == EXPR_LIST)
        for (uint32_t k = 0; k < s->value->arg_count; k++)
            lower_as(l, s->value->args[k], s->symbol->type.type, dst + k);
    else if (s->value)
        lower_as(l, s->value, s->symbol->type.type, dst);
}

bool lower_body(struct lowering *l, const struct stmt *s) {
    for (; s; s = s->next) {
        if (s->kind == STMT_LET)
            lower_let(l, s);
        else if (s->kind == STMT_ASSIGN)
            lower_assign(l, s);
        else if (s->kind == STMT_INSN)
            lower_insn(l, s);
        else if (s->kind == STMT_ASM)
            lower_body(l, s->body);
        else if (lower_flow(l, s))
            return true;
    }
    return false;
}

static void lower_size_decl(struct lowering *l, const struct ez_symbol *s) {
    struct size_decl d = l->u->size_decls.data[s->index];
    d.place = ir_place(&l->b, s->name.at);
    vec_push(&l->b.p->sizes, d);
}

static void lower_value_decl(struct lowering *l, const struct ez_symbol *s) {
    struct value_decl v = l->u->value_decls.data[s->index];
    v.place = ir_place(&l->b, s->name.at);
    vec_push(&l->b.p->values, v);
}

static void lower_group(struct lowering *l, const struct ez_symbol *s) {
    struct group g = {.name = s->name.text,
                      .ndim = s->layout.ndim,
                      .per_mpu = s->layout.on_mpus,
                      .like = s->layout.like ? s->layout.like->index : NO_INDEX,
                      .at_rfh = s->layout.at_rfh,
                      .at_vrf = s->layout.at_vrf,
                      .place = ir_place(&l->b, s->name.at)};
    memcpy(g.extent, s->layout.extents, sizeof g.extent);
    vec_push(&l->b.p->groups, g);
}

static void lower_variable(struct lowering *l, struct ez_symbol *s) {
    struct ir_variable v = {.spilled_to = IR_NONE,
                            .at = s->name.at,
                            .decl = {.name = s->name.text,
                                     .direction = s->var.direction,
                                     .type = s->type.type,
                                     .count = s->count,
                                     .has_k = s->has_k,
                                     .form = {.type = s->var.outer},
                                     .group = s->var.group ? s->var.group->index : NO_INDEX,
                                     .place = ir_place(&l->b, s->name.at)}};
    s->var.number = (uint32_t)l->b.p->variables.len;
    vec_push(&l->b.p->variables, v);
}

static void lower_length(struct lowering *l, const struct ez_symbol *s) {
    if (!s->var.length)
        return;
    struct length_record r = {s->var.number, s->var.length->var.number};
    vec_push(&l->b.p->lengths, r);
}

/* The program may have been lowered before, with other registers. */
static void forget_subs(struct unit *u) {
    for (size_t i = 0; i < u->subs.items.len; i++) {
        struct ez_symbol *s = u->subs.items.data[i];
        s->sub.lowered = false;
        s->sub.callee = NULL;
        s->sub.calls = s->sub.nodes = 0;
    }
}

void ez_lower(struct unit *u, struct compile_lowering options, struct ir_program *p) {
    struct lowering l = {.u = u, .options = options};
    l.b = (struct ir_builder){.p = p,
                              .stamp = u->stamps,
                              .joins = options.level > 0 && !options.separate,
                              .diag = u->diag};
    forget_subs(u);
    p->at = u->main->word;
    p->start = u->main->at;
    p->taken = u->bare | u->passed;
    for (size_t i = 0; i < u->sizes.items.len; i++)
        lower_size_decl(&l, u->sizes.items.data[i]);
    for (size_t i = 0; i < u->values.items.len; i++)
        lower_value_decl(&l, u->values.items.data[i]);
    for (size_t i = 0; i < u->groups.items.len; i++)
        lower_group(&l, u->groups.items.data[i]);
    for (size_t i = 0; i < u->variables.items.len; i++)
        lower_variable(&l, u->variables.items.data[i]);
    for (size_t i = 0; i < u->variables.items.len; i++)
        lower_length(&l, u->variables.items.data[i]);
    p->grid_dims = u->grid_dims;
    memcpy(p->grid, u->grid, sizeof p->grid);
    lower_subs(&l);
    lower_images(&l);
    u->stamps = l.b.stamp;
    ir_builder_free(&l.b);
}
